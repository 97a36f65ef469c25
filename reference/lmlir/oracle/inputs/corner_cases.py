"""Corner cases: small inputs that every run tries first, each with its reason.

They make every run visit all eight rows of Table 2, all five of Table 3, and what programs often
get wrong: tangents, end points on spheres, nested and identical balls, coincident points, empty
lists. Powers of two such as 2^-27, 2^-34 and 2^-41 lie below the tolerances 1e-8, 1e-10 and 1e-12
that programs use, so that a tolerance in the wrong place shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
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
    flags: str,
    x_i: Any,
    x_j: Any,
    *balls: Any,
    metrics: Any = None,
    B: Any = SKEW,
) -> Case:
    """Return a case with one pair; a ball is a center and a radius."""
    features = len(x_i)
    regions = len(balls)
    if metrics is None:
        metrics = [
            (1.0 + s) * np.eye(features) + 0.25 * np.ones((features, features))
            for s in range(regions)
        ]
    inputs = {
        "X_i": _array(x_i),
        "X_j": _array(x_j),
        "centers": _array(*(center for center, _ in balls)).reshape(regions, features),
        "radii": _array(*(radius for _, radius in balls)),
        "local_metrics": _array(*metrics).reshape(regions, features, features),
        "background_metric": _array(*(B if len(B) == features else np.eye(features) * 2.25)),
    }
    return Case(inputs, tuple(flags.split("; ")) if flags else (), reason)


def rows_of_table_2() -> Iterator[Case]:
    """Yield one pair for each row of Table 2, in order; they visit all rows of Table 3, too."""
    for row, words, center, radius in (
        (1, "the line misses the ball", (0.0, 2.0), 1.0),
        (2, "the line touches the ball", (0.0, 1.75), 1.25),
        (3, "the ball lies behind x_i", (-5.0, 0.0), 1.0),
        (4, "the ball holds x_i alone", (-2.5, 0.0), 1.5),
        (5, "the ball holds the whole segment", (0.5, 0.0), 4.0),
        (6, "the ball lies within the segment", (0.25, 0.0), 1.25),
        (7, "the ball holds x_j alone", (3.5, 0.25), 2.0),
        (8, "the ball lies beyond x_j", (6.0, 0.0), 1.0),
    ):
        flags = "tangent" if row == 2 else ""
        yield _pair(
            f"Table 2, row {row}: {words}", flags, (-2.0, 0.5), (3.0, 0.5), (center, radius)
        )


def special_positions() -> Iterator[Case]:
    """Yield positions and sizes at which programs go wrong."""
    unit = (0, 0), 1
    # End points and touching points on the sphere, or very near it.
    yield _pair(
        "x_i lies on the sphere, the segment inside",
        "end point on the sphere",
        (1, 0),
        (0, 0),
        unit,
    )
    yield _pair(
        "x_j lies on the sphere, the segment outside",
        "end point on the sphere",
        (3, 0),
        (1, 0),
        unit,
    )
    yield _pair(
        "both end points lie on the sphere", "end point on the sphere", (3, 4), (-3, 4), ((0, 0), 5)
    )
    yield _pair(
        "the touching point is x_i itself", "tangent; end point on the sphere", (0, 1), (4, 1), unit
    )
    larger = ((0, 0), 1 + 2.0**-33)
    smaller = ((0, 0), 1 - 2.0**-33)
    yield _pair("the line almost touches the ball", "almost tangent", (-2, 1), (3, 1), larger)
    yield _pair("the line misses the ball by a hair", "almost tangent", (-2, 1), (3, 1), smaller)
    yield _pair(
        "x_j lies almost on the sphere", "end point almost on the sphere", (3, 0.5), (1, 0), larger
    )
    # Points that coincide with each other or with the center, balls of radius zero, and no balls.
    yield _pair("x_i = x_j outside the ball", "coincident points", (3, 1), (3, 1), unit)
    yield _pair("x_i = x_j inside the ball", "coincident points", (0.5, 0), (0.5, 0), unit)
    yield _pair("x_i is the center", "through the center", (0, 0), (3, 1), unit)
    yield _pair("x_j is the center", "through the center", (-2, -2), (0.5, 1), ((0.5, 1), 2))
    yield _pair(
        "the segment passes through the center", "through the center", (-3, -4), (6, 8), ((0, 0), 2)
    )
    yield _pair("a vertical segment, downwards", "", (1, 4), (1, -3), ((0.5, 1), 2))
    yield _pair("x_i = x_j is the center", "coincident points", (0, 0), (0, 0), unit)
    yield _pair("a ball of radius zero on the segment", "radius zero", (-1, 0), (1, 0), ((0, 0), 0))
    yield _pair(
        "a ball of radius zero off the segment", "radius zero", (-1, 0), (1, 0.5), ((0, 0), 0)
    )
    yield _pair("no region at all", "no regions", (-1, 0), (1, 0.5))
    # One feature and many, and lengths that are very small, very large or very different.
    yield _pair("one feature, ball in the middle", "one feature", (-1,), (3,), ((0.5,), 1.0))
    yield _pair(
        "one feature, decreasing, two balls",
        "one feature",
        (3,),
        (-1,),
        ((0.5,), 1.0),
        ((2.5,), 1.5),
    )
    near = 1.5 + 2**-27, 1 - 2**-28
    yield _pair("points 1e-8 apart near a large ball", "close points", (1.5, 1), near, ((0, 0), 9))
    many = np.arange(8.0) / 4
    steps = np.arange(8.0)
    balls = (many * 0, 9.0), (many, 1e-8)
    yield _pair(
        "points 1e-8 apart in eight features", "close points", many, many + 2.0**-27, *balls
    )
    ball = (1e6, 1e6 + 0.5), 0.75
    yield _pair(
        "a small ball far from the origin", "large offset", (1e6 - 2, 1e6), (1e6 + 2, 1e6 + 1), ball
    )
    yield _pair(
        "lengths of a millionth", "small scale", (-2e-6, 5e-7), (3e-6, 5e-7), ((2.5e-7, 0), 1.25e-6)
    )
    yield _pair(
        "lengths of a million", "large scale", (-2e6, 5e5), (3e6, 5e5), ((2.5e5, 0), 1.25e6)
    )
    yield _pair(
        "a short segment through a far larger sphere",
        "large ball",
        (997, 0),
        (1001, 0),
        ((0, 0), 1000),
    )
    pair = ((0, 0), 2.0**-38), ((5, 0), 1)
    yield _pair(
        "a ball and a segment a trillionth of another ball",
        "small scale",
        (0, 0),
        (2.0**-37, 0),
        *pair,
    )
    balls = (steps / 8, 1.5), (1 - steps / 4, 2.0)
    yield _pair("eight features", "many features", steps / 4 - 1, 2 - steps / 2, *balls)


def several_regions() -> Iterator[Case]:
    """Yield balls that overlap, nest, coincide or touch."""
    x_i = (-3.0, 0.25)
    x_j = (4.0, -0.5)
    left = (-4, 0)
    right = (4, 0)
    yield _pair("two balls that overlap", "overlap", x_i, x_j, ((-1, 0), 1.5), ((0.5, 0), 1.25))
    yield _pair("one ball inside another", "nested", x_i, x_j, ((0, 0), 2), ((0.25, 0), 0.75))
    yield _pair("the same ball three times", "identical", x_i, x_j, *[((0, 0), 2)] * 3)
    yield _pair(
        "two balls apart, given from right to left",
        "disjoint",
        x_i,
        x_j,
        ((2, 0), 1),
        ((-2, 0), 0.5),
    )
    yield _pair(
        "two balls that touch on the segment", "touching", left, right, ((-1, 0), 1), ((1, 0), 1)
    )
    for gap, words in ((2.0**-22, "millionth"), (2.0**-27, "billionth")):
        balls = ((-1, 0), 1.0), ((1 + gap, 0), 1.0)
        yield _pair(
            f"two balls with a gap of a {words} between them", "disjoint", left, right, *balls
        )
    begin = ((0.75 - 2.0**-30,), 0.5 - 2.0**-30), ((0.5 - 2.0**-30,), 0.25)
    yield _pair("two balls that begin a billionth apart", "overlap", (0,), (1,), *begin)
    rest = ((0,), 1 - 2.0**-34)
    apart = {"metrics": [[[0.25]]], "B": [[4.0]]}
    yield _pair("a sliver of 1e-10 is left to the background", "sliver", (0,), (1,), rest, **apart)
    yield _pair(
        "shares that add up to more than 1",
        "overlap",
        x_i,
        x_j,
        ((0, 0), 9),
        ((2, 0), 3),
        ((-2, 0), 1),
    )
    yield _pair("a ball around all and one that is missed", "", x_i, x_j, ((0, 0), 20), ((0, 9), 1))
    row = [((4.0 * s - 5, 0.1 * s), 0.5) for s in range(3)]
    yield _pair("three balls in a row", "disjoint", (-6, 0.25), (7, 0), *row)


def special_metrics() -> Iterator[Case]:
    """Yield singular metrics, and very different ones."""
    x_i = (-2.0, 0.5)
    x_j = (3.0, 0.5)
    up = (3.0, 1.5)
    ball = ((0.25, 0), 1.25)
    zero = np.zeros((2, 2))
    yield _pair("a local metric of zero", "zero metric", x_i, x_j, ball, metrics=[zero])
    yield _pair("a background metric of zero", "zero metric", x_i, x_j, ball, B=zero)
    # two whole segments' worth of regions, and nothing of the background
    shares = ((0, 0), 9), ((2, 0), 3)
    yield _pair(
        "a background metric of zero, and balls overlap",
        "overlap; zero metric",
        x_i,
        x_j,
        *shares,
        B=zero,
    )
    yield _pair("all metrics are zero", "zero metric", x_i, x_j, ball, metrics=[zero], B=zero)
    yield _pair(
        "a rank-one local metric", "rank deficient", x_i, up, ball, metrics=[[[1, 2], [2, 4]]]
    )
    equal = [SKEW, SKEW]
    yield _pair(
        "all metrics are equal, and balls overlap",
        "overlap",
        x_i,
        x_j,
        ball,
        ((1, 0), 2),
        metrics=equal,
    )
    yield _pair(
        "different metrics of the same norm",
        "",
        x_i,
        up,
        ball,
        metrics=[np.diag([1, 2])],
        B=np.diag([2, 1]),
    )
    yield _pair(
        "metrics of eigenvalues 1 and 1e-11",
        "ill-conditioned",
        (0, 0),
        (0, 1),
        B=np.diag([1, 2.0**-37]),
    )
    yield _pair(
        "the segment in the null space of M(B)", "rank deficient", x_i, x_j, ball, B=np.diag([0, 1])
    )
    yield _almost_in_the_null_space()
    yield _pair("off-diagonal entries of both signs", "", x_i, (3.0, -1.5), ball, metrics=[WIDE])


def _almost_in_the_null_space() -> Case:
    """Return segments that only the rounding of 3 t keeps from the null space: computed squares may
    be negative.
    """
    t = np.arange(1.0, 41.0) / 7
    rank_one = _array((1, 3), (3, 9))
    base = _pair("", "", (0, 0), (1, 1), ((0, 0), 1), metrics=[rank_one], B=rank_one)
    case = base.but(X_i=np.zeros((t.size, 2)), X_j=np.stack([3 * t, -t], axis=1))
    return replace(
        case, reason="segments almost in the null space of all metrics", flags=("rank deficient",)
    )


def pair_cases_without_metrics() -> list[Case]:
    """Return the pairs for the functions without metrics."""
    return [*rows_of_table_2(), *special_positions(), *several_regions()]


def pair_cases() -> list[Case]:
    """Return all pairs."""
    return [*pair_cases_without_metrics(), *special_metrics()]


def cross_cases() -> list[Case]:
    """Return cases with X and Y: of different sizes, nearly equal, equal, and equal but for one
    row.
    """
    result = []
    for case in (*several_regions(), *special_metrics()):
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
    base = next(several_regions())
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
    base = list(several_regions())[0].but(
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
    one = ((1 / 16, 0), 1.0)
    two = ((3, 0), 1.0)
    aside = ((3 / 32 - 4, 1 / 8 + 3), 5.0)
    along = np.outer([3, 4], [3, 4]) / 16
    across = np.outer([4, -3], [4, -3]) / 16
    nothing = np.zeros((2, 2))
    ends = (0, 1), (8, 1)
    nearly = np.diag([1 + 2.0**-9, 1])
    cases = [
        _pair(
            "touched balls, metrics nearly equal",
            "tangent",
            *ends,
            one,
            two,
            metrics=[I2, I2],
            B=nearly,
        ),
        _pair("a touched ball without a metric", "tangent", *ends, one, metrics=[nothing], B=I2),
        _pair(
            "touched balls, no background metric",
            "tangent",
            *ends,
            one,
            two,
            metrics=[I2, SKEW],
            B=nothing,
        ),
        _pair(
            "a touched ball, singular metrics",
            "tangent",
            (0, 0),
            (6, 8),
            aside,
            metrics=[along],
            B=across,
        ),
        _pair(
            "a touched ball, singular metrics",
            "tangent",
            (0, 0),
            (6, 8),
            aside,
            metrics=[across],
            B=along,
        ),
    ]
    return [_along_the_line(case) for case in cases]


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
