"""Truth: every interface function computed to 50 digits by the reference's own lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath
import numpy as np

from lmlir import classifier, descent, distance, gradient, intersection, objective
from lmlir.oracle.allowed.brackets import Bracket
from lmlir.oracle.interface import PARAMETERS, REGIONS, Arguments, of_kind, select

DIGITS = 50


def as_mpmath(value: Any) -> Any:
    """The value with every float turned into the mpmath number that equals it."""
    if isinstance(value, np.ndarray):
        return as_mpmath(value.tolist())
    if isinstance(value, (list, tuple)):
        return [as_mpmath(entry) for entry in value]
    return mpmath.mpf(float(value))


def _each_pair(a: dict[str, Any], function: Callable[..., Any], *others: Any) -> list[Any]:
    return [function(x_i, x_j, *others) for x_i, x_j in zip(a["X_i"], a["X_j"], strict=True)]


def _each_ball(a: dict[str, Any], function: Callable[..., Any]) -> list[list[Any]]:
    """A function of a pair and a ball, for every pair and every ball."""
    balls = list(zip(a["centers"], a["radii"], strict=True))
    return _each_pair(a, lambda x_i, x_j: [function(x_i, x_j, *ball) for ball in balls])


def _ratio_gradients(a: dict[str, Any]) -> tuple[Any, Any]:
    by_center = []
    by_radius = []
    for gradients in _each_ball(a, gradient.ratio_gradient):
        by_center.append([in_center for in_center, _ in gradients])
        by_radius.append([in_radius for _, in_radius in gradients])
    return by_center, by_radius


def _Theta(a: dict[str, Any]) -> list[Any]:
    return [a[name] for name in PARAMETERS]


def _decision_values(a: dict[str, Any]) -> list[Any]:
    sets = a["X_minus"], a["X_plus"], a["K"]
    return [classifier.decision_value(x, *sets, *_Theta(a)) for x in a["X"]]


# From the arguments, in 50 digits, to a tuple of nested lists.
_TRUTHS: dict[str, Callable[[dict[str, Any]], tuple[Any, ...]]] = {
    "intersection_ratios": lambda a: (_each_ball(a, intersection.intersection_ratio),),
    "ratio_gradients": _ratio_gradients,
    "exact_background_ratios": lambda a: (
        _each_pair(a, distance.exact_background_ratio, a["centers"], a["radii"]),
    ),
    "distances": lambda a: (_each_pair(a, distance.distance, *_Theta(a)),),
    "cross_distances": lambda a: (
        [classifier.distances_to_set(x, a["Y"], *_Theta(a)) for x in a["X"]],
    ),
    "decision_values": lambda a: (_decision_values(a),),
    "objective": lambda a: (objective.objective(*a.values()),),
    "objective_gradient": lambda a: tuple(gradient.objective_gradient(*a.values())),
    "descent_step": lambda a: tuple(descent.descent_step(*a.values())),
}


def for_call(function: str, arguments: Arguments) -> list[np.ndarray]:
    """The true answer of an interface function: arrays of mpmath numbers with 50 digits."""
    with mpmath.workdps(DIGITS):
        a = {name: as_mpmath(value) for name, value in select(arguments, function).items()}
        for name in of_kind(a, "indices", "count"):
            a[name] = np.asarray(arguments[name]).tolist()
        return [np.array(answer, dtype=object) for answer in _TRUTHS[function](a)]


def table_2_row(function: str, arguments: Arguments) -> int | None:
    """The row of Table 2 that applies to a call about one pair and one region; None for other
    calls.

    >>> table_2_row(
    ...     "intersection_ratios", {"X_i": [[0]], "X_j": [[4]], "centers": [[2]], "radii": [1]}
    ... )
    6
    """
    if function not in ("intersection_ratios", "distances"):
        return None
    names = ("X_i", "X_j", *REGIONS)
    try:
        arrays = [np.asarray(arguments[name], float) for name in names]
    except (ValueError, TypeError, OverflowError):  # asked on purpose
        return None
    x_i, _, _, radius = arrays
    row = (1, x_i.size)
    if not x_i.size or [array.shape for array in arrays] != [row, row, row, (1,)]:
        return None
    if radius[0] < 0 or not all(np.isfinite(array).all() for array in arrays):
        return None
    with mpmath.workdps(DIGITS):
        return intersection.segment_case(*[as_mpmath(array[0]) for array in arrays])


class OracleError(AssertionError):
    """The oracle contradicts itself: a bracket does not contain the true value.

    Never the subject's fault.
    """


def confirm(function: str, arguments: Mapping[str, Any], allowed: Sequence[Bracket]) -> None:
    """Raise `OracleError` unless the brackets contain the 50-digit values."""
    for true, (low, high) in zip(for_call(function, arguments), allowed, strict=True):
        true = true.reshape(low.shape)
        for place in np.ndindex(low.shape):
            if not float(low[place]) <= true[place] <= float(high[place]):
                bracket = f"its bracket for {function} at {place}, {low[place]} to {high[place]}"
                raise OracleError(
                    f"the oracle is wrong: {bracket}, does not contain the truth {true[place]}"
                )
