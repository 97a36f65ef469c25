"""Truth: every interface function computed to 50 digits by the reference's own lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from lmlir import classifier, distance, gradient, intersection
from lmlir import objective as objective_module
from lmlir.oracle.interface import Arguments, shaped

DIGITS = 50


def as_mpmath(value: Any) -> Any:
    """The value with every float turned into the mpmath number that equals it."""
    if isinstance(value, np.ndarray):
        return as_mpmath(value.tolist())
    if isinstance(value, (list, tuple)):
        return [as_mpmath(part) for part in value]
    return mpmath.mpf(float(value))


def _pairs(a: dict[str, Any]) -> list[tuple[Any, Any]]:
    return list(zip(as_mpmath(a["X_i"]), as_mpmath(a["X_j"]), strict=True))


def _regions(a: dict[str, Any]) -> tuple[Any, Any]:
    return as_mpmath(a["centers"]), as_mpmath(a["radii"])


def _theta(a: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(as_mpmath(a[name]) for name in ("centers", "radii", "local_metrics", "background_metric"))


def intersection_ratios(a: dict[str, Any]) -> tuple[Any, ...]:
    """gamma of every pair in every region."""
    balls = list(zip(*_regions(a), strict=True))
    return ([[intersection.intersection_ratio(x_i, x_j, o, r) for o, r in balls] for x_i, x_j in _pairs(a)],)


def ratio_gradients(a: dict[str, Any]) -> tuple[Any, ...]:
    """The gradients of gamma in the center and in the radius."""
    balls = list(zip(*_regions(a), strict=True))
    rows = [[gradient.ratio_gradient(x_i, x_j, o, r) for o, r in balls] for x_i, x_j in _pairs(a)]
    return [[list(each[0]) for each in row] for row in rows], [[each[1] for each in row] for row in rows]


def exact_background_ratios(a: dict[str, Any]) -> tuple[Any, ...]:
    """1 minus the union of the intersections."""
    regions = _regions(a)
    return ([distance.exact_background_ratio(x_i, x_j, *regions) for x_i, x_j in _pairs(a)],)


def distances(a: dict[str, Any]) -> tuple[Any, ...]:
    """Equation (9) for every pair."""
    Theta = _theta(a)
    return ([distance.distance(x_i, x_j, *Theta) for x_i, x_j in _pairs(a)],)


def cross_distances(a: dict[str, Any]) -> tuple[Any, ...]:
    """Equation (9) for every row of X and of Y."""
    Theta, Y = _theta(a), as_mpmath(a["Y"])
    return ([[distance.distance(x, y, *Theta) for y in Y] for x in as_mpmath(a["X"])],)


def decision_values(a: dict[str, Any]) -> tuple[Any, ...]:
    """Equation (10) for every row of X."""
    sets, Theta = (as_mpmath(a["X_minus"]), as_mpmath(a["X_plus"])), _theta(a)
    return ([classifier.decision_value(x, *sets, a["K"], *Theta) for x in as_mpmath(a["X"])],)


def _objective_arguments(a: dict[str, Any]) -> tuple[Any, ...]:
    lists = [[tuple(pair) for pair in np.asarray(a[name]).tolist()] for name in ("similar", "dissimilar")]
    return as_mpmath(a["X"]), *lists, *_theta(a), as_mpmath(a["alpha"]), as_mpmath(a["C"])


def objective(a: dict[str, Any]) -> tuple[Any, ...]:
    """The objective g."""
    return (objective_module.objective(*_objective_arguments(a)),)


def objective_gradient(a: dict[str, Any]) -> tuple[Any, ...]:
    """The true gradient of g."""
    return tuple(gradient.objective_gradient(*_objective_arguments(a)))


def descent_step(a: dict[str, Any]) -> tuple[Any, ...]:
    """One projected step; the eigenvalues are clipped in 50 digits as well."""
    beta = as_mpmath(a["beta"])
    stepped = [_stepped(value, slope, beta) for value, slope in zip(_theta(a), objective_gradient(a), strict=True)]
    centers, radii, local_metrics, background_metric = stepped
    clipped = [max(r, mpmath.mpf(0)) for r in radii]
    return centers, clipped, [_projected(M) for M in local_metrics], _projected(background_metric)


def _stepped(value: Any, slope: Any, beta: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_stepped(v, s, beta) for v, s in zip(value, slope, strict=True)]
    return value - beta * slope


def _projected(M: Any) -> Any:
    size = len(M)
    values, vectors = mpmath.eigsy(mpmath.matrix([[(M[f][g] + M[g][f]) / 2 for g in range(size)] for f in range(size)]))
    clipped = [max(values[k], mpmath.mpf(0)) for k in range(size)]
    return [
        [sum(clipped[k] * vectors[f, k] * vectors[g, k] for k in range(size)) for g in range(size)] for f in range(size)
    ]


_TRUTHS: dict[str, Callable[[dict[str, Any]], tuple[Any, ...]]] = {
    function.__name__: function
    for function in (
        intersection_ratios,
        ratio_gradients,
        exact_background_ratios,
        distances,
        cross_distances,
        decision_values,
        objective,
        objective_gradient,
        descent_step,
    )
}


def for_call(function: str, arguments: Arguments) -> list[np.ndarray]:
    """The true answer of an interface function: arrays of mpmath numbers with 50 digits."""
    with mpmath.workdps(DIGITS):
        return [np.array(part, dtype=object) for part in _TRUTHS[function](shaped(arguments))]
