"""Sizes at which programs change their algorithms are tried."""

import collections

import numpy as np
import pytest

from lmlir import vectorized
from lmlir.oracle.inputs.sizes import common_sizes, edges, swept_sizes
from lmlir.oracle.interface import ARGUMENTS, FUNCTIONS
from lmlir.oracle.laws import by_name
from lmlir.oracle.precision import PRECISIONS

FLOAT64 = PRECISIONS["float64"]


# How far the longer profiles sweep each size: the largest power of two.
POWERS = {"P": 14, "m": 10, "a": 10, "b": 10, "K": 9, "u": 14, "v": 14, "S": 7, "F": 7}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_longer_profiles_take_every_size_to_every_power_of_two_and_beside_it(function):
    """Mistakes at block edges, in tiles, in masks and in short indices show at these sizes."""
    tried = collections.defaultdict(set)
    for name, sizes in swept_sizes():
        for letter, size in sizes.items() if name == function else ():
            tried[letter].add(size)
    letters = {
        letter
        for name in FUNCTIONS[function].arguments
        for letter in ARGUMENTS[name].shape or [name]
    }
    for letter in letters & POWERS.keys():
        assert set(edges(*range(3, POWERS[letter] + 1))) - tried[letter] <= {7, 8, 9}, letter
    if "u" in letters:
        assert tried["u"] == tried["v"] and max(tried["n"]) > 65_536 and max(tried["u"]) == 20_000
    elif "n" in letters:
        assert set(edges(*range(3, 11))) <= tried["n"] and max(tried["n"]) >= 1500
    else:
        assert max(tried["P"]) == 20_000


def test_every_profile_crosses_the_commonest_edges():
    """32 and 64 regions, features and neighbors, 64, 256, 1024 and 4096 pairs, 65,536 rows of X."""
    sizes = [size for _, size in common_sizes()]
    assert {function for function, _ in common_sizes()} == set(FUNCTIONS)
    wanted = {
        "S": {33, 65},
        "F": {32, 65},
        "K": {17, 32, 33, 65, 257},
        "n": {65, 70_000},
        "m": {33, 64, 1030},
    }
    for letter, numbers in {**wanted, "P": {64, 256, 1025, 4200}}.items():
        assert numbers <= {size.get(letter) for size in sizes}, letter
    assert any(min(s.get("n", 0), s.get("m", 0)) > 256 for s in sizes)


def test_large_batches_meet_their_balls():
    """Definition 8: in every large corner case some ratios lie strictly between 0 and 1, also with
    many features.
    """
    for case in by_name("large_batches_are_answered_like_small_ones").corner_cases(FLOAT64):
        pairs = (
            (case["X_i"], case["X_j"]) if "X_i" in case.inputs else (case["X"][:1], case["X"][1:2])
        )
        ratios = vectorized.intersection_ratios(*pairs, case["centers"], case["radii"])
        assert len(ratios) < 10 or 0.1 < np.mean((ratios > 0) & (ratios < 1)) < 0.95, case[
            "function"
        ]
