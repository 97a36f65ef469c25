"""Corner cases: small inputs that every run tries first, each with its reason.

They make every run visit all eight rows of Table 2, all five of Table 3, and what programs often
get wrong: tangents, end points on spheres, nested and identical balls, coincident points, empty
lists. Powers of two such as 2^-27, 2^-34 and 2^-41 lie below the tolerances 1e-8, 1e-10 and 1e-12
that programs use, so that a tolerance in the wrong place shows.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle.inputs.cases import Case

Cases = Callable[[], list[Case]]
ReasonedCase = tuple[Case, str, tuple[str, ...]]  # a case, why it is tried, and its flags

I2 = np.eye(2)
SKEW = np.array([[2.0, 0.5], [0.5, 1.0]])
WIDE = np.array([[4.0, -1.0], [-1.0, 3.0]])


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


_PAIRS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def pairs(group: str) -> list[Case]:
    """Return the pairs of a group of `corner_cases.toml`."""
    return [_pair(**fields) for fields in _PAIRS[group]]


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


def decision_cases() -> list[Case]:
    """Return two classes with ties, with copies, with x itself as a member, and K from 1 to a whole
    class.
    """
    base = pairs("several_regions")[0]
    X = _array((0, 0), (3.0, 3.0))
    minus = _array((-3, 1), (1, 1), (1, 1), (2, -1))
    plus = _array((3, 3), (0.5, -2), (-1, -1))
    ties = _array((1, 0), (-1, 0), (0, 1), (0, -1))
    plain = base.but(local_metrics=np.array([I2, I2]), background_metric=I2)
    classes = {"X_minus": minus, "X_plus": plus}
    tied = {"X_minus": ties, "X_plus": 2 * ties[:3]}
    near = {
        "X_minus": _array((0, 9 + 2.0**-24), (0, -9), (9, 9), (-9, 9)),
        "X_plus": 9 * ties[:3] + 9,
    }
    return [
        Case(_renamed(case, X=at, **sets, K=K).inputs, flags or case.flags, reason)
        for case, at, sets, K, reason, flags in (
            (base, X, classes, 1, "K = 1: the sign of the nearest", ()),
            (base, X, classes, 2, "a member of a class occurs twice", ("copies",)),
            (base, X, classes, 3, "K is the whole positive class", ()),
            (plain, X, tied, 3, "all distances of the first point tie", ("ties",)),
            (plain, X, near, 1, "the nearest two differ by a billionth", ("ties",)),
            (base, minus[:2], classes, 2, "x is a member", ("coincident points",)),
        )
    ]


def objective_cases() -> list[Case]:
    """Return pair lists of different lengths and empty ones, hinges active and inactive, and one
    exactly on its kink.
    """
    X = _array((-2, 0.5), (3, 0.5), (0.25, 0.25), (0.5, -1.5), (4, 3))
    base = pairs("several_regions")[0].but(
        local_metrics=np.array([WIDE, SKEW]) / 8, background_metric=SKEW / 16
    )
    lists = {
        "similar": np.array([[0, 2], [2, 3], [1, 4]]),
        "dissimilar": np.array([[0, 1], [3, 4]]),
    }
    none = np.zeros((0, 2), dtype=np.intp)
    full = _renamed(base, X=X, **lists).but(alpha=0.5, C=0.25, beta=0.1)
    nothing = full.but(
        centers=np.zeros((0, 2)), radii=np.zeros(0), local_metrics=np.zeros((0, 2, 2))
    )
    line = nothing.but(
        X=_array((0, 0), (3, 0), (0, 5), (0.5, 0), (4, 4)), background_metric=np.eye(2) / 4
    )
    kink = line.but(
        similar=np.array([[0, 3], [1, 3], [2, 3]]), dissimilar=np.array([[0, 1], [0, 2]]), C=0.5
    )
    steep = nothing.but(background_metric=np.diag([1.0, 1e-9]))
    ends = {"similar": np.array([[0, 1]] * 3), "dissimilar": np.array([[0, 2]] * 2)}
    sliver = full.but(X=_array((-4, 0), (4, 0), (0, 3), (1, 1), (2, 0)), **ends)
    sliver = sliver.but(
        centers=_array((0, 0)), radii=np.array([3.999]), local_metrics=sliver["local_metrics"][:1]
    )
    long = full.but(dissimilar=none, beta=8.0, C=1.0)
    cases = [
        *_nearly(nothing),
        (full, "three similar and two dissimilar pairs", ()),
        (full.but(alpha=0.0), "no penalty", ()),
        (full.but(similar=none), "no similar pairs", ("empty list",)),
        (full.but(dissimilar=none), "no dissimilar pairs", ("empty list",)),
        (
            full.but(similar=none, dissimilar=none),
            "no pairs at all: the penalty alone",
            ("empty list",),
        ),
        (nothing, "no regions", ("no regions",)),
        (kink, "a dissimilar pair exactly on its hinge", ("kink",)),
        (
            full.but(similar=np.array([[0, 1], [0, 1], [2, 3]])),
            "a pair that occurs twice",
            ("copies",),
        ),
        (
            full.but(similar=np.array([[0, 1], [1, 0], [2, 3]])),
            "a pair and its mirror image",
            ("copies",),
        ),
        (
            full.but(similar=np.array([[1, 1], [0, 2], [2, 3]])),
            "a point with itself",
            ("coincident points",),
        ),
        (full.but(local_metrics=np.zeros((2, 2, 2))), "local metrics of zero", ("zero metric",)),
        (
            full.but(background_metric=np.zeros((2, 2))),
            "a background metric of zero",
            ("zero metric",),
        ),
        (full.but(radii=np.array([30.0, 40.0])), "both balls hold everything", ("overlap",)),
        (full.but(beta=0.0), "a step of length zero", ()),
        (
            steep.but(beta=0.0),
            "a metric with eigenvalues 1 and 1e-9, and a step of length zero",
            ("ill-conditioned",),
        ),
        (sliver, "a ball that leaves a sliver of background at both ends", ()),
        (full.but(beta=50.0), "a step that leaves the cone and the radii", ("projection",)),
        (
            long,
            "only similar pairs and a long step: metrics shrink to the cone's edge",
            ("projection",),
        ),
    ]
    return [Case(case.inputs, flags, reason) for case, reason, flags in cases]


def _nearly(nothing: Case) -> list[ReasonedCase]:
    """Return objectives very near a kink, the edge of the cone or zero, where a tolerance in the
    wrong place shows.
    """
    pair = np.array([[0, 1]])
    no_pairs = np.zeros((0, 2), dtype=np.intp)
    dissimilar = nothing.but(
        X=_array((0,), (1,)),
        similar=no_pairs,
        dissimilar=pair,
        background_metric=_array((0.25,)),
        alpha=0.0,
        C=0.25,
        beta=0.5,
        centers=np.zeros((0, 1)),
        local_metrics=np.zeros((0, 1, 1)),
    )
    one_ball = dissimilar.but(
        centers=_array((0,)), radii=np.array([1 - 2.0**-30]), local_metrics=np.ones((1, 1, 1))
    )
    smaller_gap = one_ball.but(radii=np.array([1 - 2.0**-41]))
    two_balls = one_ball.but(
        centers=_array((0,), (1,)),
        radii=np.array([0.5, 0.5 + 2.0**-24]),
        local_metrics=np.ones((2, 1, 1)),
    )
    # Lengths are only halved: coordinates shrink by 2^34, and roots of the metrics grow by 2^33.
    large = {name: one_ball[name] * 2.0**66 for name in ("local_metrics", "background_metric")}
    small = one_ball.but(X=one_ball["X"] * 2.0**-34, radii=np.array([2.0**-35]), **large)
    tiny_radius = one_ball.but(radii=np.array([2.0**-37]), X=_array((0,), (9,)))

    similar = dissimilar.but(background_metric=np.eye(1), dissimilar=no_pairs, similar=pair)
    barely_active = similar.but(X=_array((0,), (0.75 + 2.0**-34,)))
    # The pair is nearer than 1 - C, so its slack is 0 and only the penalty has a slope.
    only_penalty = similar.but(X=_array((0,), (0.5,)), alpha=1.0)
    tiny_metric = only_penalty.but(background_metric=np.eye(1) * 2.0**-60, beta=0.0)
    out_of_the_cone = only_penalty.but(beta=1 + 2.0**-41)
    ill_conditioned = nothing.but(background_metric=np.diag([1.0, 2.0**-41]), beta=0.0)
    return [
        (one_ball, "a billionth of the segment is left to the background", ("sliver",)),
        (smaller_gap, "half a trillionth is left to the background", ("sliver",)),
        (two_balls, "shares that add up to a hair more than 1", ("overlap",)),
        (barely_active, "a similar pair a hair beyond its hinge", ("kink",)),
        (small, "everything small, and metrics as large", ("small scale",)),
        (tiny_metric, "a metric of next to nothing", ("small scale",)),
        (out_of_the_cone, "a step a hair out of the cone", ("projection",)),
        (
            ill_conditioned,
            "eigenvalues 1 and half a trillionth, and a step of length zero",
            ("ill-conditioned",),
        ),
        (tiny_radius, "a radius of a hundred billionth, and no slack", ("small scale",)),
    ]


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


_CASES: dict[str, Cases] = {
    "distances": pair_cases,
    "cross_distances": cross_cases,
    "decision_values": decision_cases,
    **dict.fromkeys(("objective", "objective_gradient", "descent_step"), objective_cases),
}


def of(function: str) -> Cases:
    """Return the function that makes the corner cases of an interface function."""
    return _CASES.get(function, pair_cases_without_metrics)
