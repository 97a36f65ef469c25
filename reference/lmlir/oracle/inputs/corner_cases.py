"""Corner cases: small inputs that every run tries first, each with its reason.

They make every run visit all eight rows of Table 2, all five of Table 3, and what programs often
get wrong: tangents, end points on spheres, nested and identical balls, coincident points, empty
lists. Powers of two such as 2^-27, 2^-34 and 2^-41 lie below the tolerances 1e-8, 1e-10 and 1e-12
that programs use, so that a tolerance in the wrong place shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lmlir.beside import toml_beside
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.interface import ARGUMENTS

Cases = Callable[[], list[Case]]

SKEW = np.array([[2.0, 0.5], [0.5, 1.0]])


def _array(*rows: Any) -> np.ndarray:
    return np.array(rows, dtype=np.float64)


def _pair(
    reason: str,
    x_i: Sequence[float],
    x_j: Sequence[float],
    flags: Sequence[str] = (),
    balls: Sequence[Mapping[str, Any]] = (),
    metrics: Any = None,
    B: Any = SKEW,
) -> Case:
    """Return a case with one pair; a ball is a center and a radius."""
    features = len(x_i)
    regions = len(balls)
    identity = np.eye(features)
    if metrics is None:
        metrics = [(1.0 + s) * identity + 0.25 for s in range(regions)]
    inputs = {
        "X_i": _array(x_i),
        "X_j": _array(x_j),
        "centers": _array(*(ball["center"] for ball in balls)).reshape(regions, features),
        "radii": _array(*(ball["radius"] for ball in balls)),
        "local_metrics": _array(*metrics).reshape(regions, features, features),
        "background_metric": _array(*(B if len(B) == features else 2.25 * identity)),
    }
    return Case(inputs, tuple(flags), reason)


_CASES = toml_beside(__file__)


def pairs(group: str) -> list[Case]:
    """Return the pairs of a group of `corner_cases.toml`."""
    return [_pair(**fields) for fields in _CASES[group]]


def special_metrics() -> list[Case]:
    """Return pairs under singular metrics, and under very different ones."""
    *cases, last = pairs("special_metrics")
    return [*cases, _almost_in_the_null_space(), last]


def _almost_in_the_null_space() -> Case:
    """Return segments that only the rounding of 3 t keeps from the null space: computed squares may
    be negative.
    """
    t = np.arange(1.0, 41.0) / 7
    rank_one = _array((1, 3), (3, 9))
    ball = {"center": (0, 0), "radius": 1}
    base = _pair(
        reason="segments almost in the null space of all metrics",
        flags=["rank deficient"],
        x_i=(0, 0),
        x_j=(1, 1),
        balls=[ball],
        metrics=[rank_one],
        B=rank_one,
    )
    return base.but(X_i=np.zeros((t.size, 2)), X_j=np.stack([3 * t, -t], axis=1))


def pair_cases_without_metrics() -> list[Case]:
    """Return the pairs for the functions without metrics."""
    groups = ("rows_of_table_2", "special_positions", "several_regions")
    return [case for group in groups for case in pairs(group)]


def pair_cases() -> list[Case]:
    """Return all pairs."""
    return [*pair_cases_without_metrics(), *special_metrics()]


def cross_cases() -> list[Case]:
    """Return cases with X and Y: of different sizes, nearly equal, equal, and equal but for one
    row.
    """
    result = []
    for case in (*pairs("several_regions"), *special_metrics()):
        if case["X_i"].shape == (1, 2):  # one pair in the plane
            X = np.concatenate(
                [case["X_i"], _array((0.5, 1.0), (1.0, 0.0), (-2.0, 3.0), (0.0, -1.5))]
            )
            Y = np.concatenate([case["X_j"], X[1:2], _array((2.0, 2.0), (-1.0, 0.5))])
            result.append(_renamed(case, X=X, Y=Y))
    near = result[0]["X"] + 2.0**-27
    result.append(
        replace(result[0].but(Y=near), reason="Y is X moved by 1e-8", flags=("close points",))
    )
    X = result[1]["X"]
    same = replace(
        result[1].but(Y=X), reason="Y is X: zeros on the diagonal", flags=("coincident points",)
    )
    # for programs that compare only the first rows of X and Y
    alike = X.copy()
    alike[3] += 1
    return [*result, same, replace(same.but(Y=alike), reason="Y is X but for one row")]


def _renamed(case: Case, **inputs: Any) -> Case:
    others = {name: value for name, value in case.inputs.items() if name not in ("X_i", "X_j")}
    return replace(case, inputs={**inputs, **others})


def _changed(group: str) -> list[Case]:
    """Return the cases of a group of `corner_cases.toml` that change the inputs of a base."""
    bases: dict[str, dict[str, Any]] = {}
    for name, fields in _CASES["bases"].items():
        bases[name] = _inputs(fields, bases)
    cases = []
    for fields in _CASES[group]:
        flags = tuple(fields.get("flags", ()))
        cases.append(Case(_inputs(fields, bases), flags, fields["reason"]))
    return cases


def _inputs(fields: Mapping[str, Any], bases: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the inputs that fields of `corner_cases.toml` describe."""
    inputs = dict(bases.get(fields.get("like", ""), {}))
    features = len(fields["X"][0]) if "X" in fields else inputs["X"].shape[1]
    for name, value in fields.items():
        if name not in ARGUMENTS:
            continue
        argument = ARGUMENTS[name]
        if argument.kind == "count":
            inputs[name] = value
        elif argument.kind == "number":
            inputs[name] = float(value)
        else:
            has_indices = argument.kind == "indices"
            columns = 2 if has_indices else features
            shape = (-1, *[columns] * (len(argument.shape) - 1))
            dtype = np.intp if has_indices else np.float64
            inputs[name] = np.array(value, dtype).reshape(shape)
    return inputs


def decision_cases() -> list[Case]:
    """Return two classes with ties, with copies, with x itself as a member, and K from 1 to a whole
    class.
    """
    return _changed("decision_cases")


def objective_cases() -> list[Case]:
    """Return pair lists of different lengths and empty ones, hinges active and inactive, and
    objectives on or very near a kink, the edge of the cone or zero.
    """
    return _changed("objective_cases")


def tangents() -> list[Case]:
    """Return segments that touch balls, most near x_i, so that D changes with x_i as fast as
    Theorem A allows.
    """
    return [_along_the_line(case) for case in pairs("tangents")]


def _along_the_line(case: Case) -> Case:
    """Return five pairs on one line: the pair of a case, reversed, halved from both ends, and
    doubled.
    """
    x_i = case["X_i"][0]
    x_j = case["X_j"][0]
    middle = (x_i + x_j) / 2
    return case.but(
        X_i=np.array([x_i, x_j, x_i, x_j, x_i]),
        X_j=np.array([x_j, x_i, middle, middle, 2 * x_j - x_i]),
    )


_BY_FUNCTION: dict[str, Cases] = {
    "distances": pair_cases,
    "cross_distances": cross_cases,
    "decision_values": decision_cases,
    **dict.fromkeys(("objective", "objective_gradient", "descent_step"), objective_cases),
}


def of(function: str) -> Cases:
    """Return the function that makes the corner cases of an interface function."""
    return _BY_FUNCTION.get(function, pair_cases_without_metrics)
