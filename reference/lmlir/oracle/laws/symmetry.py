"""Symmetry: exchanged, moved, turned, scaled or listed in another order, the same question gets the
same answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle.allowed.brackets import Bracket
from lmlir.oracle.inputs import random_cases
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import UNSCALED, Spec, inputs_of
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws.checker import Checker, widths
from lmlir.oracle.laws.law import law

GEOMETRIC = "intersection_ratios exact_background_ratios distances ratio_gradients cross_distances"
WHOLE_METRICS = ("whole", "identity", "diagonal", "rank one", "zero")


@law(
    "Definition 5; Definition 7; Definition 8; Equation (9); Table 3",
    GEOMETRIC,
    random_cases.pair_cases(Spec(pairs=(5, 3, 9), first=2)),
    each=True,
    weight=0.7,
)
def swapping_the_end_points_changes_nothing(checker: Checker, case: Case, function: str) -> None:
    """D, gamma, its gradients and the exact gamma_b do not change when x_i and x_j are
    exchanged.
    """
    inputs = inputs_of(case, function)
    one, other = ("X", "Y") if function == "cross_distances" else ("X_i", "X_j")
    first = checker.ask_all(function, inputs)
    second = checker.ask_all(function, inputs, **{one: inputs[other], other: inputs[one]})
    for a, b, allowed in zip(first, second, checker.allowed(function, inputs), strict=True):
        b = b.T if function == "cross_distances" else b
        checker.agree(f"{function} and its answer with {one} and {other} exchanged", a, b, allowed)


@law(
    "Definition 1; Definition 8; Equation (9); Table 3",
    GEOMETRIC,
    random_cases.whole_pair_cases(
        Spec(whole=(True,), pairs=(3, 1, 6), **UNSCALED),
        shift=st.sampled_from((100.0, 1e6, 1e9, 1e12)),
    ),
    each=True,
    weight=0.6,
)
def translation_changes_nothing(checker: Checker, case: Case, function: str) -> None:
    """Adding one vector to all points and centers changes neither gamma nor its gradients nor
    gamma_b nor D.
    """
    shift = case["shift"]
    moved = case.but(**{name: case[name] + shift for name in ("X_i", "X_j", "centers")})
    if any((moved[name] - shift != case[name]).any() for name in ("X_i", "X_j", "centers")):
        return  # rounded, so that it is another question
    first = checker.ask_all(function, inputs_of(moved, function))
    second = checker.ask_all(function, inputs_of(case, function))
    for a, b, each in zip(
        first, second, checker.allowed(function, inputs_of(moved, function)), strict=True
    ):
        checker.agree(f"{function} after moving everything", a, b, each)


def turn(features: int) -> np.ndarray:
    """Five times a rotation with whole entries: 3, 4, 5 in the plane of the first and the last
    axis.
    """
    if features == 1:
        return np.array([[-5.0]])
    R = 5.0 * np.eye(features)
    R[0, 0] = 3.0
    R[0, -1] = -4.0
    R[-1, 0] = 4.0
    R[-1, -1] = 3.0
    return R


def turned(case: Case) -> Case:
    """The case turned and stretched by 5; exact for whole numbers.

    Lengths grow by 5, and the metrics' lengths by 25.
    """
    R = turn(case["X_i"].shape[1]).astype(case["X_i"].dtype)
    moved: dict[str, Any] = {name: case[name] @ R.T for name in ("X_i", "X_j", "centers")}
    metrics = {name: R @ case[name] @ R.T for name in ("local_metrics", "background_metric")}
    return case.but(**moved, **metrics, radii=case["radii"] * 5)


@law(
    "Definition 1; Definition 3; Definition 8; Equation (9); Table 3",
    GEOMETRIC,
    random_cases.whole_pair_cases(
        Spec(whole=(True,), metrics=WHOLE_METRICS, pairs=(2, 1, 5), **UNSCALED)
    ),
    each=True,
    weight=0.6,
)
def rotation_changes_nothing(checker: Checker, case: Case, function: str) -> None:
    """Turning points, centers and metrics together changes no gamma and no D, and turns the
    gradients.
    """
    other = turned(case)
    first = checker.ask_all(function, inputs_of(other, function))
    second = checker.ask_all(function, inputs_of(case, function))
    allowed = checker.allowed(function, inputs_of(case, function))
    also = checker.allowed(function, inputs_of(other, function))
    if function == "ratio_gradients":
        R = turn(case["X_i"].shape[1])
        back = first[0] @ R, first[1] * 5
        wider = _turned_widths(also[0], R), widths(also[1]) * 5
        for a, b, each, wide in zip(back, second, allowed, wider, strict=True):
            checker.agree(
                "ratio_gradients after turning, turned back",
                a,
                b,
                each,
                (np.zeros_like(wide), wide),
            )
        return
    factor = 25.0 if function in ("distances", "cross_distances") else 1.0
    ends = also[0][0] / factor, also[0][1] / factor
    checker.agree(
        f"{function} after turning everything", first[0] / factor, second[0], allowed[0], ends
    )


def _turned_widths(bracket: Bracket, R: np.ndarray) -> np.ndarray:
    """How wide a bracket of vectors is after a turn."""
    wide = widths(bracket)
    unbounded = np.isinf(wide).any(axis=-1, keepdims=True)
    return np.asarray(np.where(unbounded, np.inf, 0) + np.where(np.isinf(wide), 0, wide) @ abs(R))


@law(
    "Definition 1; Definition 3; Definition 5; Definition 8; Equation (9); Table 3",
    GEOMETRIC,
    random_cases.whole_pair_cases(
        Spec(pairs=(3, 1), **UNSCALED), power=st.sampled_from((1.0, -1.0, 0.5, -0.5))
    ),
    each=True,
    weight=0.6,
)
def scaling_everything_scales_the_distance(checker: Checker, case: Case, function: str) -> None:
    """When all lengths grow by one factor, from 1e-60 to 1e60, gamma and gamma_b stay, D grows by
    it, and the gradients of gamma shrink by it.
    """
    factor = 2.0 ** round(case["power"] * (checker.precision.scale_exponent - 2))
    grown = {
        name: case[name] * case[name].dtype.type(factor)
        for name in ("X_i", "X_j", "centers", "radii")
    }
    first = checker.ask_all(function, inputs_of(case.but(**grown), function))
    second = checker.ask_all(function, inputs_of(case, function))
    allowed = checker.allowed(function, inputs_of(case, function))
    expected = {"distances": factor, "cross_distances": factor, "ratio_gradients": 1 / factor}.get(
        function, 1.0
    )
    for a, b, each in zip(first, second, allowed, strict=True):
        checker.agree(
            f"{function} after scaling by {factor:.3g}, scaled back", a / expected, b, each
        )


@law(
    "Definition 2; Definition 7; Definition 8; Equation (9); Equation (10); Section 5.2, objective "
    "g; "
    "Section 5.2, gradient of g",
    "distances cross_distances exact_background_ratios intersection_ratios decision_values "
    "objective "
    "objective_gradient",
    random_cases.everything_cases(Spec(regions=(3, 2, 6, 5), pairs=(2, 3), **UNSCALED)),
    each=True,
    weight=0.8,
)
def the_order_of_regions_does_not_matter(checker: Checker, case: Case, function: str) -> None:
    """Listing the regions in another order changes no value and reorders the gradients with
    them.
    """
    order = np.roll(np.arange(len(case["radii"]))[::-1], 1)
    other = case.but(**{name: case[name][order] for name in ("centers", "radii", "local_metrics")})
    first = checker.ask_all(function, other.inputs)
    second = checker.ask_all(function, case.inputs)
    allowed = checker.allowed(function, case.inputs)
    for name, a, b, each in zip(FUNCTIONS[function].answers, first, second, allowed, strict=True):
        if name in ("centers", "radii", "local_metrics"):
            b = b[order]
            each = (each[0][order], each[1][order])
        elif function == "intersection_ratios":
            b = b[:, order]
            each = (each[0][:, order], each[1][:, order])
        checker.agree(f"{function} with the regions in another order: {name}", a, b, each)
