"""Symmetry: exchanged, moved, turned, scaled or listed in another order, the same question gets the
same answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import (
    UNSCALED,
    Spec,
    everything_cases,
    inputs_of,
    pair_cases,
    whole_pair_cases,
)
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws.checker import Checker, widths
from lmlir.oracle.laws.law import law

REGION = ("centers", "radii", "local_metrics")
GEOMETRIC = "intersection_ratios exact_background_ratios distances ratio_gradients cross_distances"
WHOLE_METRICS = ("whole", "identity", "diagonal", "rank one", "zero")


@law(
    "Definition 5; Definition 7; Definition 8; Equation (9); Table 3",
    GEOMETRIC,
    pair_cases(Spec(pairs=(5, 3, 9), first=2)),
    each=True,
    weight=0.7,
)
def swapping_the_end_points_changes_nothing(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """D, gamma, its gradients and the exact gamma_b do not change when x_i and x_j are
    exchanged.
    """
    inputs = inputs_of(case, function)
    start, end = "X_i", "X_j"
    if function == "cross_distances":
        start, end = "X", "Y"
    first = checker.ask_all(function, inputs)
    second = checker.ask_all(function, inputs, **{start: inputs[end], end: inputs[start]})
    if function == "cross_distances":
        second = tuple(array.T for array in second)
    for a, b, allowed in zip(first, second, checker.allowed(function, inputs), strict=True):
        checker.agree(f"{function} and its answer with {start} and {end} exchanged", a, b, allowed)


@law(
    "Definition 1; Definition 8; Equation (9); Table 3",
    GEOMETRIC,
    whole_pair_cases(
        Spec(
            whole=(True,),
            pairs=(3, 1, 6),
            **UNSCALED,
        ),
        shift=st.sampled_from((100.0, 1e6, 1e9, 1e12)),
    ),
    each=True,
    weight=0.6,
)
def translation_changes_nothing(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """Adding one vector to all points and centers changes neither gamma nor its gradients nor
    gamma_b nor D.
    """
    shift = case["shift"]
    moved = case.but(**{name: case[name] + shift for name in ("X_i", "X_j", "centers")})
    for name in ("X_i", "X_j", "centers"):
        if (moved[name] - shift != case[name]).any():
            return  # rounded, so that it is another question

    inputs = inputs_of(moved, function)
    first = checker.ask_all(function, inputs)
    second = checker.ask_all(function, inputs_of(case, function))
    for a, b, allowed in zip(first, second, checker.allowed(function, inputs), strict=True):
        checker.agree(f"{function} after moving everything", a, b, allowed)


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
    whole_pair_cases(
        Spec(
            whole=(True,),
            metrics=WHOLE_METRICS,
            pairs=(2, 1, 5),
            **UNSCALED,
        )
    ),
    each=True,
    weight=0.6,
)
def rotation_changes_nothing(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """Turning points, centers and metrics together changes no gamma and no D, and turns the
    gradients.
    """
    R = turn(case["X_i"].shape[1])
    inputs = inputs_of(case, function)
    turned_inputs = inputs_of(turned(case), function)
    first = checker.ask_all(function, turned_inputs)
    second = checker.ask_all(function, inputs)
    allowed = checker.allowed(function, inputs)
    turned_allowed = checker.allowed(function, turned_inputs)

    name = f"{function} after turning everything"
    if function == "ratio_gradients":
        name = "ratio_gradients after turning, turned back"
        first = first[0] @ R, first[1] * 5
        wider = _turned_widths(widths(turned_allowed[0]), R), widths(turned_allowed[1]) * 5
        turned_allowed = [(np.zeros_like(wide), wide) for wide in wider]
    elif function in ("distances", "cross_distances"):
        first = (first[0] / 25,)
        [(low, high)] = turned_allowed
        turned_allowed = [(low / 25, high / 25)]
    for a, b, bracket, turned_bracket in zip(first, second, allowed, turned_allowed, strict=True):
        checker.agree(
            name,
            a,
            b,
            bracket,
            turned_bracket,
        )


def _turned_widths(wide: np.ndarray, R: np.ndarray) -> np.ndarray:
    """How wide a bracket of vectors is after a turn."""
    is_unbounded = np.isinf(wide)
    bounded = np.where(is_unbounded, 0, wide) @ abs(R)
    return np.where(is_unbounded.any(axis=-1, keepdims=True), np.inf, bounded)


@law(
    "Definition 1; Definition 3; Definition 5; Definition 8; Equation (9); Table 3",
    GEOMETRIC,
    whole_pair_cases(Spec(pairs=(3, 1), **UNSCALED), power=st.sampled_from((1.0, -1.0, 0.5, -0.5))),
    each=True,
    weight=0.6,
)
def scaling_everything_scales_the_distance(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """When all lengths grow by one factor, from 1e-60 to 1e60, gamma and gamma_b stay, D grows by
    it, and the gradients of gamma shrink by it.
    """
    factor = 2.0 ** round(case["power"] * (checker.precision.scale_exponent - 2))
    scale = case["radii"].dtype.type(factor)
    grown = case.but(**{name: case[name] * scale for name in ("X_i", "X_j", "centers", "radii")})
    inputs = inputs_of(case, function)
    first = checker.ask_all(function, inputs_of(grown, function))
    second = checker.ask_all(function, inputs)
    allowed = checker.allowed(function, inputs)

    growth = {"distances": factor, "cross_distances": factor, "ratio_gradients": 1 / factor}
    for a, b, bracket in zip(first, second, allowed, strict=True):
        checker.agree(
            f"{function} after scaling by {factor:.3g}, scaled back",
            a / growth.get(function, 1.0),
            b,
            bracket,
        )


@law(
    "Definition 2; Definition 7; Definition 8; Equation (9); Equation (10); Section 5.2, objective "
    "g; "
    "Section 5.2, gradient of g",
    "distances cross_distances exact_background_ratios intersection_ratios decision_values "
    "objective "
    "objective_gradient",
    everything_cases(
        Spec(
            regions=(3, 2, 6, 5),
            pairs=(2, 3),
            **UNSCALED,
        )
    ),
    each=True,
    weight=0.8,
)
def the_order_of_regions_does_not_matter(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """Listing the regions in another order changes no value and reorders the gradients with
    them.
    """
    order = np.roll(np.arange(len(case["radii"]))[::-1], 1)
    reordered = case.but(**{name: case[name][order] for name in REGION})
    first = checker.ask_all(function, reordered)
    second = checker.ask_all(function, case)
    allowed = checker.allowed(function, case)
    for k, name in enumerate(FUNCTIONS[function].answers):
        places: Any = ...
        if name in REGION:
            places = order
        elif function == "intersection_ratios":
            places = (slice(None), order)
        low, high = allowed[k]
        checker.agree(
            f"{function} with the regions in another order: {name}",
            first[k],
            second[k][places],
            (low[places], high[places]),
        )
