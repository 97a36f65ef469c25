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
        return [as_mpmath(part) for part in value]
    return mpmath.mpf(float(value))


def _each_pair(a: dict[str, Any], function: Callable[..., Any], *others: Any) -> list[Any]:
    return [function(x_i, x_j, *others) for x_i, x_j in zip(a["X_i"], a["X_j"], strict=True)]


def _each_ball(a: dict[str, Any], function: Callable[..., Any]) -> list[list[Any]]:
    """A function of a pair and a ball, for every pair and every ball."""
    balls = list(zip(a["centers"], a["radii"], strict=True))
    return _each_pair(a, lambda x_i, x_j: [function(x_i, x_j, *ball) for ball in balls])


def _ratio_gradients(a: dict[str, Any]) -> tuple[Any, Any]:
    rows = _each_ball(a, gradient.ratio_gradient)
    return [[each[0] for each in row] for row in rows], [[each[1] for each in row] for row in rows]


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
        return [np.array(part, dtype=object) for part in _TRUTHS[function](a)]


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
    try:
        x_i, x_j, center, radius = (
            np.asarray(arguments[name], float) for name in ("X_i", "X_j", *REGIONS)
        )
    except (ValueError, TypeError, OverflowError):  # asked on purpose
        return None
    fit = (
        x_i.shape == x_j.shape == center.shape == (1, x_i.size)
        and x_i.size
        and radius.shape == (1,)
    )
    if (
        not fit
        or radius[0] < 0
        or not all(np.isfinite(part).all() for part in (x_i, x_j, center, radius))
    ):
        return None
    with mpmath.workdps(DIGITS):
        return intersection.segment_case(
            *(as_mpmath(part[0]) for part in (x_i, x_j, center, radius))
        )


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
                raise OracleError(
                    f"the oracle is wrong: its bracket for {function} at {place}, {low[place]} to "
                    f"{high[place]}, "
                    f"does not contain the truth {true[place]}"
                )
