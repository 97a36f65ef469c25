"""The laws of continuity use the constants of Theorem A, try cases that come close to them, and
reject jumps.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from lmlir import continuity, vectorized
from lmlir.oracle import subjects
from lmlir.oracle.allowed import exact
from lmlir.oracle.inputs import corner_cases, random_cases
from lmlir.oracle.interface import PARAMETERS
from lmlir.oracle.judging.judge import run_law
from lmlir.oracle.laws import by_name
from lmlir.oracle.laws.continuity import TANGENTIAL, modulus, neighbors
from lmlir.oracle.precision import PRECISIONS

LAWS = (
    "distances_are_continuous",
    "decision_values_are_continuous",
    "exact_distances_are_continuous",
)


@settings(max_examples=15)
@given(random_cases.pair_cases(TANGENTIAL)(PRECISIONS["float64"]))
def test_the_bounds_are_those_of_the_theorem(case):
    """Theorem A, by the functions of `lmlir.continuity`."""
    Theta = [case[name].tolist() for name in PARAMETERS]
    e = np.array([0.0, 1e-6, 0.5])
    for each, bound in zip(e, modulus(e, case), strict=True):
        assert bound == pytest.approx(
            continuity.decision_modulus(float(each), *Theta) / 2, rel=1e-14
        )


@pytest.mark.parametrize("number", range(len(corner_cases.tangents())))
def test_the_corner_cases_come_close_to_the_bounds(number):
    """Theorem A: D, to 50 digits, moves by more than seven tenths of what is allowed, and by no
    more than that.
    """
    case, there, e = neighbors(corner_cases.tangents()[number])
    before = exact.for_call("distances", case.inputs)[0]
    after = exact.for_call("distances", {**case.inputs, "X_i": there})[0]
    ratios = np.abs((after - before).astype(float)) / modulus(e, case)
    assert 0.7 < ratios.max() <= 1


def test_singular_rank_deficient_and_nearly_equal_metrics_are_drawn():
    seen = {"singular": 0, "nearly equal": 0}

    @settings(max_examples=100)
    @given(random_cases.pair_cases(TANGENTIAL)(PRECISIONS["float64"]))
    def look(case):
        M_B = case["background_metric"]
        for M in case["local_metrics"]:
            seen["singular"] += 0 < np.linalg.matrix_rank(M) < len(M)
            seen["nearly equal"] += 0 < np.linalg.norm(M - M_B) < 0.05 * np.linalg.norm(M_B)

    look()
    assert min(seen.values()) >= 15, seen


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("law", LAWS)
def test_an_honest_subject_satisfies_the_laws_of_continuity(law, precision):
    """Also on singular and nearly equal metrics, with other seeds than the usual one."""
    for seed in (11, 12):
        assert (
            run_law(by_name(law), subjects.from_module(vectorized), "quick", precision, seed).status
            == "held"
        )


def jumping(function, jump):
    """A function that is right except for a jump where a segment begins to meet a ball."""

    def answer(X_i, X_j, centers, radii, *metrics):
        right = getattr(vectorized, function)(X_i, X_j, centers, radii, *metrics)
        return right + jump * (vectorized.intersection_ratios(X_i, X_j, centers, radii) > 0).any(
            axis=1
        )

    return answer


@pytest.mark.parametrize(
    ("law", "functions"),
    [
        ("distances_are_continuous", {"distances": jumping("distances", 1e-3)}),
        (
            "exact_distances_are_continuous",
            {
                "intersection_ratios": vectorized.intersection_ratios,
                "exact_background_ratios": jumping("exact_background_ratios", -1e-3),
            },
        ),
    ],
)
def test_a_jump_at_a_tangency_violates_the_law(law, functions):
    """Theorem A: D may grow like a square root there, and no faster."""
    assert (
        run_law(by_name(law), subjects.from_functions(functions), shrink=False).status == "violated"
    )
