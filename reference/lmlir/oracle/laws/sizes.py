"""Sizes: right values also in large batches, with many features and many regions, where programs change their ways."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle.brackets import Precision
from lmlir.oracle.cases import Case
from lmlir.oracle.checker import Checker
from lmlir.oracle.interface import FUNCTIONS, select
from lmlir.oracle.laws.registry import law

# Sizes beyond the powers of two at which programs cut their work into blocks.
LARGE_SIZES: list[tuple[str, dict[str, int]]] = [
    ("distances", {"pairs": 4200}),
    ("cross_distances", {"X": 260, "Y": 257}),
    ("cross_distances", {"X": 1030, "Y": 5}),
    ("cross_distances", {"X": 5, "Y": 1030}),
    ("intersection_ratios", {"pairs": 4200}),
    ("ratio_gradients", {"pairs": 1100}),
    ("exact_background_ratios", {"pairs": 4200}),
    ("decision_values", {"X": 2060, "minus": 3, "plus": 2, "K": 2}),
    ("decision_values", {"X": 3, "minus": 530, "plus": 1030, "K": 70}),
    ("objective", {"X": 1100, "similar": 2100, "dissimilar": 1030}),
    ("objective", {"X": 70000, "similar": 7, "dissimilar": 5}),
    ("objective_gradient", {"X": 1100, "similar": 1030, "dissimilar": 1040}),
    ("descent_step", {"X": 1100, "similar": 1040, "dissimilar": 1030}),
]


def large_case(function: str, sizes: dict[str, int], seed: int = 0, features: int = 3, regions: int = 2) -> Case:
    """Random inputs of one function at a given size."""
    random = np.random.default_rng(seed)

    def cloud(count: int) -> np.ndarray:
        return random.normal(size=(count, features))

    A = random.normal(size=(regions + 1, features, features)) / np.sqrt(features)
    M = A @ np.swapaxes(A, 1, 2) * 0.25 + 0.05 * np.eye(features)
    everything = {
        "X_i": cloud(sizes.get("pairs", 1)),
        "X_j": cloud(sizes.get("pairs", 1)),
        "X": cloud(sizes.get("X", 1)),
        "Y": cloud(sizes.get("Y", 1)),
        "X_minus": cloud(sizes.get("minus", 1)),
        "X_plus": cloud(sizes.get("plus", 1)),
        "K": sizes.get("K", 1),
        "similar": random.integers(sizes.get("X", 1), size=(sizes.get("similar", 0), 2)),
        "dissimilar": random.integers(sizes.get("X", 1), size=(sizes.get("dissimilar", 0), 2)),
        "centers": cloud(regions),
        "radii": np.sqrt(features) * random.uniform(0.6, 1.5, size=regions),
        "local_metrics": (M[:-1] + np.swapaxes(M[:-1], 1, 2)) / 2,
        "background_metric": (M[-1] + M[-1].T) / 2,
        "alpha": 0.25,
        "C": 0.25,
        "beta": 0.5,
    }
    return Case(
        {"function": function, **select(everything, function)}, ("large batch",), f"a large batch for {function}"
    )


# Few rows, for many features and regions at once, and for a single feature.
WIDE_SIZES: list[tuple[str, dict[str, int]]] = [
    ("distances", {"pairs": 12}),
    ("cross_distances", {"X": 3, "Y": 4}),
    ("intersection_ratios", {"pairs": 12}),
    ("ratio_gradients", {"pairs": 12}),
    ("exact_background_ratios", {"pairs": 12}),
    ("decision_values", {"X": 2, "minus": 5, "plus": 4, "K": 3}),
    ("objective", {"X": 8, "similar": 7, "dissimilar": 5}),
    ("objective_gradient", {"X": 8, "similar": 5, "dissimilar": 7}),
    ("descent_step", {"X": 8, "similar": 7, "dissimilar": 5}),
]


def _large_corner_cases() -> list[Case]:
    wide = [
        large_case(function, sizes, seed, features, regions)
        for features, regions in ((12, 8), (7, 5), (9, 18), (35, 4), (1, 3))
        for seed, (function, sizes) in enumerate(WIDE_SIZES)
    ]
    return [*wide, *(large_case(function, sizes, seed) for seed, (function, sizes) in enumerate(LARGE_SIZES))]


def _large_cases(precision: Precision) -> Any:
    @st.composite
    def build(draw: Any) -> Case:
        function, sizes = draw(st.sampled_from(LARGE_SIZES))
        smaller = {name: max(1, size // draw(st.sampled_from((3, 2, 5)))) for name, size in sizes.items()}
        if "K" in smaller:
            smaller["K"] = min(smaller["K"], smaller["minus"], smaller["plus"])
        features, regions = draw(st.sampled_from(((8, 6), (12, 8), (20, 10), (1, 3))))
        return large_case(function, smaller, draw(st.integers(0, 2**32 - 1)), features, regions).cast(precision.dtype)

    return build()


@law(
    "Definition 5; Definition 8; Table 3; Equation (9); Equation (10); Section 5.2, objective g; "
    "Section 5.2, gradient of g; Section 5.2, gradient descent",
    " ".join(FUNCTIONS),
    _large_cases,
    _large_corner_cases,
    any_of=True,
    weight=0.2,
)
def large_batches_are_answered_like_small_ones(checker: Checker, case: Case) -> None:
    """Hundreds or thousands of rows, many features and many regions get right answers throughout, not only the
    first block.
    """
    function = case["function"]
    if checker.offers(function):
        checker.check_values(function, case)
