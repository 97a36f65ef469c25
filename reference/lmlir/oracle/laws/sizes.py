"""Sizes: right values in large batches, with many features, regions and neighbors
(`lmlir.oracle.inputs.sizes`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle.allowed.brackets import Bracket
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import SHORT, Palette
from lmlir.oracle.inputs.sizes import PAIRED, TRAINING, Sizes, common_sizes, large_case, swept_sizes
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.laws.law import law
from lmlir.oracle.precision import Precision


def _cases(sizes: Iterator[tuple[str, Sizes]]) -> Iterator[Case]:
    for seed, (function, lengths) in enumerate(sizes):
        yield large_case(function, lengths, seed)


def _random_cases(precision: Precision, palette: Palette | None) -> Any:
    """Return the strategy of large cases: at random sizes or, with a palette, at those that the run
    tries anyway.
    """
    choices = list(swept_sizes() if palette not in (None, SHORT) else common_sizes())

    @st.composite
    def build(draw: Any) -> Case:
        function, sizes = draw(st.sampled_from(choices))
        if palette is None:
            shorter = {}
            for letter, length in sizes.items():
                divisor = draw(st.sampled_from((3, 5, 7)))
                shorter[letter] = max(1, length * 2 // divisor)
            shorter["K"] = min(shorter.get(letter, 1) for letter in "Kab")
            sizes = shorter
        seed = draw(st.integers(0, 2**32 - 1))
        return large_case(function, sizes, seed).cast(precision.dtype)

    return build()


# in the differences of points and centers, not counting rows beside block edges
MAX_JUDGED_NUMBERS = 40_000


@law(
    "Definition 5; Definition 8; Table 3; Equation (9); Equation (10); Section 5.2, objective g; "
    "Section 5.2, gradient of g; Section 5.2, gradient descent",
    " ".join(FUNCTIONS),
    _random_cases,
    lambda: list(_cases(common_sizes())),
    any_of=True,
    weight=0.1,
    sweep=lambda: _cases(swept_sizes()),
)
def large_batches_are_answered_like_small_ones(checker: Checker, case: Case) -> None:
    """Answers are right for up to thousands of rows, pairs and neighbors and for many features and
    regions, at every power of two and beside it.
    """
    function = case["function"]
    if not checker.offers(function):
        return
    if function in TRAINING or case.size < 500:
        checker.check_values(function, case)
        return
    answers = checker.ask_all(function, case)
    place, allowed = _spot_checks(checker, function, case)
    for name, got, ends in zip(FUNCTIONS[function].answers, answers, allowed, strict=True):
        largest = np.finfo(np.float64).max
        lower = np.full(got.shape, -largest)
        upper = np.full(got.shape, largest)
        lower[place], upper[place] = ends
        checker.within(f"{function}: {name}", got, lower, upper)


def _spot_checks(
    checker: Checker,
    function: str,
    case: Case,
) -> tuple[Any, list[Bracket]]:
    """Return places of the answer, among them those beside the ends of blocks, and their
    brackets.
    """
    random = np.random.default_rng(0)
    features = case["centers"].shape[1]
    numbers_per_row = max(1, case["centers"].size) * max(1, features // 16)
    most = MAX_JUDGED_NUMBERS // numbers_per_row
    if function in PAIRED:
        rows = _spots(random, len(case["X_i"]), most)
        fewer = case.but(X_i=case["X_i"][rows], X_j=case["X_j"][rows])
        return rows, checker.allowed(function, fewer)
    if function == "decision_values":
        members = len(case["X_minus"]) + len(case["X_plus"])
        rows = _spots(random, len(case["X"]), most // members)
        return rows, checker.allowed(function, case, X=case["X"][rows])
    i, j = _spots_of_table(random, len(case["X"]), len(case["Y"]), most)
    pairs = case.but(X_i=case["X"][i], X_j=case["Y"][j])
    return (i, j), checker.allowed("distances", pairs)


def _spots_of_table(
    random: np.random.Generator,
    n: int,
    m: int,
    most: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return places of a table: random ones, one in each row and in each column, and where rows
    and columns beside the ends of blocks meet.
    """
    i, j = np.divmod(random.permutation(n * m)[:most], m)
    beside_i = _spots(random, n, 0)
    beside_j = _spots(random, m, 0)
    a_row_per_column = random.integers(n, size=m)
    a_column_per_row = random.integers(m, size=n)
    crossings_i = np.repeat(beside_i, len(beside_j))
    crossings_j = np.tile(beside_j, len(beside_i))
    return (
        np.concatenate([i, np.arange(n), a_row_per_column, crossings_i]),
        np.concatenate([j, a_column_per_row, np.arange(m), crossings_j]),
    )


def _spots(
    random: np.random.Generator,
    count: int,
    most: int,
) -> np.ndarray:
    """Return rows: the first and the last, those beside multiples of 64 (of 1024 if there are
    many), and random ones.
    """
    rows = np.arange(count)
    block = 64 if most > count // 16 else 1024
    begins_block = rows % block == 0
    ends_block = rows % block == block - 1
    beside = rows[begins_block | ends_block]
    some = random.permutation(rows)[:most]
    return np.unique(np.concatenate([rows[:1], rows[-2:], beside, some]))
