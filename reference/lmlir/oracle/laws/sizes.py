"""Sizes: right values in large batches, with many features, regions and neighbors, where programs change their ways.

Programs cut their work into blocks and tiles, keep regions in bit masks and indices in short integers. So every dimension of
every function is taken through the powers of two, the numbers beside them and some round ones, up to what training and
prediction use. One call serves several dimensions at once: while one size grows, another falls, and the work stays small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle.brackets import Bracket
from lmlir.oracle.cases import Case
from lmlir.oracle.checker import Checker
from lmlir.oracle.interface import FUNCTIONS, select
from lmlir.oracle.laws.registry import law
from lmlir.oracle.precision import Precision
from lmlir.oracle.strategies import SHORT, Palette

Sizes = dict[str, int]

PAIRED = ("intersection_ratios", "ratio_gradients", "exact_background_ratios", "distances")
TRAINING = ("objective", "objective_gradient", "descent_step")


def edges(*powers: int) -> list[int]:
    """Powers of two and the numbers beside them.

    >>> edges(4, 5)
    [15, 16, 17, 31, 32, 33]
    """
    return [2**k + beside for k in powers for beside in (-1, 0, 1)]


# Up to what training and prediction use, in every profile but quick.
PAIRS = sorted([*edges(*range(4, 15)), 100, 1000, 1536, 3000, 10_000, 20_000])
ROWS = sorted([*edges(*range(3, 11)), 100, 1000, 1500])
REGIONS = [*range(3, 7), *edges(3, 4, 5, 6, 7)]
FEATURES = [*range(3, 7), *edges(3, 4, 5, 6, 7)]
LISTS = [4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 32, 33, 48, 63, 64, 65]  # the longer, the fewer features

# The commonest edges, in every profile: pairs, regions and features.
COMMON = ((64, 17, 65), (256, 33, 9), (65, 65, 4), (1025, 8, 32), (4200, 2, 3))


def common_sizes() -> Iterator[tuple[str, Sizes]]:
    """The sizes that every run tries."""
    wide = [(S, F) for _, S, F in COMMON]
    for P, S, F in COMMON:
        for function in PAIRED:
            yield function, {"pairs": P, "regions": S, "features": F}
    rows = (3, 4), (5, 33), (17, 8), (9, 16), (2060, 4), (5, 1030), (65, 64), (257, 257)
    for (n, m), (S, F) in zip(rows, [*wide, *wide[-1:] * 3], strict=True):
        yield "cross_distances", {"X": n, "Y": m, "regions": S, "features": F}
    classes = (2, 17, 20, 17), (3, 33, 32, 32), (2, 66, 129, 65), (5, 33, 34, 33), (2060, 3, 2, 2), (2, 257, 1030, 257)
    for (n, minus, plus, K), (S, F) in zip(classes, [*wide, wide[-1]], strict=True):
        yield "decision_values", {"X": n, "minus": minus, "plus": plus, "K": K, "regions": S, "features": F}
    lists = (9, 3, 4), (8, 5, 6), (7, 4, 3), (17, 16, 9), (2060, 2100, 1025), (70_000, 33, 64)
    for (n, similar, dissimilar), (S, F) in zip(lists, [*wide, wide[-1]], strict=True):
        for function in TRAINING:
            sizes = {"X": n, "similar": similar, "dissimilar": dissimilar}
            yield function, {**sizes, "regions": S, "features": F}


def swept_sizes() -> Iterator[tuple[str, Sizes]]:
    """The sizes that the longer profiles try in place of these: each dimension through all of its edges."""
    wide = list(zip(REGIONS, FEATURES[::-1], strict=True))
    for P, (S, F) in zip(PAIRS, _formats(wide, len(PAIRS)), strict=True):
        for function in PAIRED:
            yield function, {"pairs": P, "regions": S, "features": F}
    widest, wide = wide[:6], wide[6:]
    few = [{"X": 2, "Y": 3, "minus": 4, "plus": 3, "K": 3}] * len(widest)
    squares = [{"X": n, "Y": m} for n, m in zip(ROWS, ROWS[::-1], strict=True)]
    for each, (S, F) in zip([*few, *squares], [*widest, *_formats(wide, len(ROWS))], strict=True):
        yield "cross_distances", {**each, "regions": S, "features": F}
    yield "cross_distances", {"X": 1500, "Y": 1400, "regions": 2, "features": 3}
    classes = []
    for k, n in enumerate(ROWS[::-1]):
        minus, plus = ROWS[k], ROWS[(k + 1) % len(ROWS)]
        K = min(ROWS[max(0, k - 2 * (k % 2))], plus)  # often the whole of a class
        classes.append({"X": n, "minus": minus, "plus": plus, "K": K})
    for each, (S, F) in zip([*few, *classes], [*widest, *_formats(wide, len(ROWS))], strict=True):
        yield "decision_values", {**each, "regions": S, "features": F}
    few_neighbors = {"X": 33, "minus": 1500, "plus": 1100, "K": 2}  # of many members, as in prediction
    yield "decision_values", {**few_neighbors, "regions": 4, "features": 8}
    yield from _swept_lists([*widest, *wide])


def _formats(wide: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Many regions or features first, then few."""
    return [*wide, *((2, 3), (4, 2), (1, 5), (3, 4)) * count][:count]


def _swept_lists(wide: Sequence[tuple[int, int]]) -> Iterator[tuple[str, Sizes]]:
    """The sizes of the functions of training, whose work grows with the square of the number of features."""
    for k, (S, F) in enumerate(wide):
        for function in TRAINING:
            lists = {"X": 10 + k, "similar": LISTS[k], "dissimilar": LISTS[k - 1]}
            yield function, {**lists, "regions": S, "features": F}
    long = [P for P in PAIRS if P > 64]
    for k, (similar, dissimilar) in enumerate(zip(long, long[::-1], strict=True)):
        S, F = ((2, 2), (1, 3), (3, 1), (2, 2), (1, 4))[k % 5]
        lists = {"X": (5, 65_600, 1100, 300)[k % 4], "similar": similar, "dissimilar": dissimilar}
        for function in TRAINING:
            yield function, {**lists, "regions": S, "features": F}


def large_inputs(sizes: Sizes, seed: int = 0) -> dict[str, Any]:
    """Random inputs of all nine functions at given sizes."""
    random = np.random.default_rng(seed)
    features, regions = sizes["features"], sizes["regions"]

    def cloud(size: str) -> np.ndarray:
        """As many random points as the size of this name says."""
        return random.normal(size=(sizes.get(size, 1), features))

    def pairs(size: str) -> np.ndarray:
        """Random pairs; some share a point and differ by one in the other, and some come again, turned round."""
        rows = random.integers(sizes.get("X", 1), size=(sizes.get(size, 0), 2))
        beside, again = rows[1::3], rows[2::3]
        beside[...] = (rows[::3][: len(beside)] + (0, 1)) % sizes.get("X", 1)
        again[...] = rows[::3][: len(again), ::-1]
        return rows

    A = random.normal(size=(regions + 1, features, features)) / np.sqrt(features)
    M = (A @ np.swapaxes(A, 1, 2) * 0.25 + 0.05 * np.eye(features)) * min(1, 3 / features)
    M = (M + np.swapaxes(M, 1, 2)) / 2
    return {
        "X_i": cloud("pairs"),
        "X_j": cloud("pairs"),
        "X": cloud("X"),
        "Y": cloud("Y"),
        "X_minus": cloud("minus"),
        "X_plus": cloud("plus"),
        "K": sizes.get("K", 1),
        "similar": pairs("similar"),
        "dissimilar": pairs("dissimilar"),
        "centers": cloud("regions"),
        "radii": np.sqrt(features) * random.uniform(0.6, 1.5, size=regions),
        "local_metrics": M[:-1],
        "background_metric": M[-1],
        "alpha": 0.25,
        "C": 0.25,
        "beta": 0.5,
    }


def large_case(function: str, sizes: Sizes, seed: int = 0) -> Case:
    """Random inputs of one function at given sizes."""
    inputs = {"function": function, **select(large_inputs(sizes, seed), function)}
    return Case(inputs, ("large batch",), f"a large batch for {function}")


def _made(sizes: Iterator[tuple[str, Sizes]]) -> Iterator[Case]:
    return (large_case(function, each, seed) for seed, (function, each) in enumerate(sizes))


def _common_cases() -> list[Case]:
    return list(_made(common_sizes()))


def _swept_cases() -> Iterator[Case]:
    return _made(swept_sizes())


def _large_cases(precision: Precision, palette: Palette | None) -> Any:
    """Random cases at sizes of their own or, with a palette, at those that the run tries anyway."""
    choices = list(swept_sizes() if palette not in (None, SHORT) else common_sizes())

    @st.composite
    def build(draw: Any) -> Case:
        function, sizes = draw(st.sampled_from(choices))
        if palette is None:
            sizes = {name: max(1, size * 2 // draw(st.sampled_from((3, 5, 7)))) for name, size in sizes.items()}
            sizes["K"] = min(sizes.get(name, 1) for name in ("K", "minus", "plus"))
        return large_case(function, sizes, draw(st.integers(0, 2**32 - 1))).cast(precision.dtype)

    return build()


MOST = 40_000  # numbers in the differences of points and centers that are held against their brackets, at the least


@law(
    "Definition 5; Definition 8; Table 3; Equation (9); Equation (10); Section 5.2, objective g; "
    "Section 5.2, gradient of g; Section 5.2, gradient descent",
    " ".join(FUNCTIONS),
    _large_cases,
    _common_cases,
    any_of=True,
    weight=0.1,
    sweep=_swept_cases,
)
def large_batches_are_answered_like_small_ones(checker: Checker, case: Case) -> None:
    """Up to thousands of rows, of pairs and of neighbors, and many features and regions get right answers, at every
    power of two and beside it.
    """
    function = case["function"]
    if not checker.offers(function):
        return
    if function in TRAINING or case.size < 500:
        checker.check_values(function, case)
        return
    answers = checker.ask_all(function, case.inputs)
    place, allowed = _spot_checks(checker, function, case)
    for name, got, ends in zip(FUNCTIONS[function].answers, answers, allowed, strict=True):
        largest = np.finfo(np.float64).max
        lower, upper = np.full(got.shape, -largest), np.full(got.shape, largest)
        lower[place], upper[place] = ends
        checker.within(f"{function}: {name}", got, lower, upper)


def _spot_checks(checker: Checker, function: str, case: Case) -> tuple[Any, list[Bracket]]:
    """Places of the answer, among them those beside the ends of blocks, and their brackets."""
    random = np.random.default_rng(0)
    most = MOST // (max(1, case["centers"].size) * max(1, case["centers"].shape[1] // 16))
    if function in PAIRED:
        rows = _spots(random, len(case["X_i"]), most)
        return rows, checker.allowed(function, case.inputs, X_i=case["X_i"][rows], X_j=case["X_j"][rows])
    if function == "decision_values":
        rows = _spots(random, len(case["X"]), most // (len(case["X_minus"]) + len(case["X_plus"])))
        return rows, checker.allowed(function, case.inputs, X=case["X"][rows])
    n, m = len(case["X"]), len(case["Y"])
    i, j = np.divmod(random.permutation(n * m)[:most], m)
    beside_i, beside_j = _spots(random, n, 0), _spots(random, m, 0)
    i = np.concatenate([i, np.arange(n), random.integers(n, size=m), np.repeat(beside_i, len(beside_j))])
    j = np.concatenate([j, random.integers(m, size=n), np.arange(m), np.tile(beside_j, len(beside_i))])
    return (i, j), checker.allowed("distances", case.inputs, X_i=case["X"][i], X_j=case["Y"][j])


def _spots(random: np.random.Generator, count: int, most: int) -> np.ndarray:
    """Rows: the first and the last, those beside multiples of 64 (or, of many, 1024), and others at random."""
    every = np.arange(count)
    block = 64 if most > count // 16 else 1024
    beside = every[(every % block == 0) | (every % block == block - 1)]
    return np.unique(np.concatenate([every[:1], every[-2:], beside, random.permutation(every)[:most]]))
