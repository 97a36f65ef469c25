"""Examples: inputs on which mutants are known to differ from the reference.

An example holds a value for every argument name of the subject interface; `arguments` picks those that a function takes.
Every example is the PLANE with a few entries replaced, so that an example takes a line or a few.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lmlir.oracle.interface import select

Example = Mapping[str, Any]

# Eight pairs: with the ball o = (0, 0), r = 1 they visit Table 2's rows 1, 3, 4, 5, 6, 7, 8 and a chord off the center.
_STARTS = [[-2, 3], [2, 0.2], [0.3, -0.2], [0.1, 0.4], [-3, 0.5], [-2, -0.3], [-5, 0.1], [1.5, -2]]
_ENDS = [[3, 2.5], [4, 0.7], [2.5, 1.0], [-0.5, -0.3], [2, -0.25], [0.4, 0.6], [-1.5, 0.2], [-0.4, 1.7]]


def _example(**changes: Any) -> Example:
    """The plane example with some entries replaced, without pairs and metrics that the new entries have no room for."""
    entries: dict[str, Any] = {
        "X_i": _STARTS,
        "X_j": _ENDS,
        "X": [*_STARTS, [0.3, 0.2], [0.5, -0.1]],
        "Y": [[1.0, 1.2], [-0.6, 0.8], [2.5, 1.0]],
        "X_minus": [[-2.0, 0.4], [-2.0, 0.4], [-0.3, 1.8], [-1.2, -2.2], [-4.0, 1.0]],
        "X_plus": [[2.2, 0.1], [1.4, -0.9], [3.1, 1.5], [0.9, 0.3]],
        "K": 3,
        "centers": [[0.0, 0.0], [1.2, 0.5], [-1.0, -0.3]],
        "radii": [1.0, 0.8, 0.6],
        "local_metrics": [[[0.9, 0.3], [0.3, 0.4]], [[0.2, -0.1], [-0.1, 0.6]], [[0.5, 0.2], [0.2, 0.3]]],
        "background_metric": [[0.3, 0.1], [0.1, 0.2]],
        "similar": [[0, 6], [2, 8], [3, 9], [5, 3], [8, 2], [8, 9], [7, 2]],
        "dissimilar": [[0, 1], [4, 2], [7, 3], [5, 9], [9, 1]],
        "alpha": 0.1,
        "C": 0.5,
        "beta": 0.7,
    }
    entries.update(changes)
    for name in ("similar", "dissimilar"):
        known = [pair for pair in entries[name] if max(pair) < len(entries["X"])]
        entries[name] = np.array(known, dtype=int).reshape(-1, 2)
    entries["local_metrics"] = entries["local_metrics"][: len(entries["radii"])]
    return {name: np.array(value, dtype=float) if isinstance(value, list) else value for name, value in entries.items()}


def closeness(name: str) -> float:
    """How closely honest programs agree on an example, relative to the answer: on some, half the digits are lost."""
    if name in ("NEAR_TANGENT", "TWO_GRAZED", "NEARLY_EQUAL_METRICS", "TOUCHING", "FAR_FROM_ORIGIN"):
        return 1e-9
    return 1e-7 if name == "ALMOST_NULL" else 1e-13


def arguments(function: str, example: Example) -> dict[str, Any]:
    """What `function` of the subject interface takes, copied out of the example."""
    chosen = select(example, function)
    return {name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in chosen.items()}


def _many(count: int, features: int, seed: int) -> Example:
    """An example of `count` pairs in `features` dimensions with 2 balls, drawn once from a seeded generator."""
    draw = np.random.default_rng(seed)
    X_i, X_j = draw.normal(size=(2, count, features))
    return _example(
        X_i=X_i,
        X_j=X_j,
        X=X_i,
        Y=X_j[:3],
        X_minus=X_i[:5],
        X_plus=X_j[:4],
        centers=draw.normal(size=(2, features)),
        radii=[1.0, 2.0],
        local_metrics=[np.eye(features), 2 * np.eye(features)],
        background_metric=np.eye(features) / 2,
    )


PLANE = _example()
TANGENT = _example(X_i=[[-3.0, 1.0]], X_j=[[3.0, 1.0]], centers=[[0.0, 0.0]], radii=[1.0])
COINCIDENT = _example(X_i=[[0.5, 0.25]], X_j=[[0.5, 0.25]])
HUGE_BALL = _example(centers=[[0.0, 0.0]], radii=[100.0])
INSIDE = _example(X_i=[[0.1, 0.4]], X_j=[[-0.5, -0.3]], centers=[[0.0, 0.0]], radii=[1.0])
SMALL = _example(
    X_i=np.array(_STARTS) * 1e-7,
    X_j=np.array(_ENDS) * 1e-7,
    centers=np.array(PLANE["centers"]) * 1e-7,
    radii=np.array(PLANE["radii"]) * 1e-7,
)
LARGE = _example(
    X_i=np.array(_STARTS) * 1e4,
    X_j=np.array(_ENDS) * 1e4,
    centers=np.array(PLANE["centers"]) * 1e4,
    radii=np.array(PLANE["radii"]) * 1e4,
)
FAR_FROM_ORIGIN = _example(
    X_i=np.array(_STARTS) + 1e6, X_j=np.array(_ENDS) + 1e6, centers=np.array(PLANE["centers"]) + 1e6
)
NESTED = _example(X_i=[[-4.0, 0.0]], X_j=[[4.0, 0.0]], centers=[[0, 0], [-1, 0], [2.5, 0]], radii=[2.0, 0.5, 1.0])
APART = _example(X_i=[[-4.0, 0.0]], X_j=[[4.0, 0.0]], centers=[[2.5, 0], [-2.5, 0], [0, 9]], radii=[0.5, 1.0, 1.0])
STACKED = _example(X_i=[[-4.0, 0.0]], X_j=[[4.0, 0.0]], centers=[[0, 0], [0.5, 0], [-0.5, 0]], radii=[3.0, 3.0, 3.0])
POINT_BALL = _example(X_i=[[-1.0, 0.0]], X_j=[[1.0, 0.0]], radii=[0.0, 0.8, 0.0])
NO_REGIONS = _example(centers=np.zeros((0, 2)), radii=np.zeros(0), local_metrics=np.zeros((0, 2, 2)))
NO_PAIRS = _example(X_i=np.zeros((0, 2)), X_j=np.zeros((0, 2)), X=PLANE["X"], similar=[], dissimilar=[])
ONE_PAIR = _example(X_i=[[-3.0, 0.5]], X_j=[[2.0, -0.25]], X=[[-3.0, 0.5]], similar=[[0, 0]], dissimilar=[])
ONE_REGION = _example(centers=[[0.0, 0.0]], radii=[1.0], local_metrics=[[[0.9, 0.3], [0.3, 0.4]]])
ONE_FEATURE = _example(
    **{name: np.array(PLANE[name])[:, :1] for name in ("X_i", "X_j", "X", "Y", "X_minus", "X_plus", "centers")},
    radii=[0.95, 0.83, 0.57],
    local_metrics=[[[0.9]], [[0.2]], [[0.5]]],
    background_metric=[[0.3]],
)
MANY_PAIRS = _many(100, 2, seed=1)
MANY_FEATURES = _many(12, 7, seed=2)
MANY_REGIONS = _example(
    centers=[[0.0, 0.0], [1.2, 0.5], [-1.0, -0.3], [0.2, 0.2], [2.0, 0.5]],
    radii=[1.0, 0.8, 0.6, 0.5, 0.7],
    local_metrics=[*PLANE["local_metrics"], [[1, 0], [0, 1]], [[2, 0], [0, 0.5]]],
)
SQUARE_BATCH = _example(X=_STARTS[:3], Y=_ENDS[:3])
ONE_NEIGHBOR = _example(X=[[0.3, 0.1], [-1.0, -1.0]], K=1)
TRAINING_POINT = _example(X=[[-2.0, 0.4], [0.9, 0.3]])
ZERO_METRIC = _example(local_metrics=[[[0.9, 0.3], [0.3, 0.4]], [[0, 0], [0, 0]], [[0.5, 0.2], [0.2, 0.3]]])
ZERO_BACKGROUND = _example(background_metric=[[0, 0], [0, 0]])
FLAT_METRIC = _example(
    X=[[-2.0, 0.0], [2.0, 0.0], [0.0, 0.5]], similar=[[0, 1]], dissimilar=[[0, 2]], background_metric=[[0, 0], [0, 1]]
)
REPEATED_PAIRS = _example(similar=[[0, 6], [0, 6], [2, 8]], dissimilar=[[0, 1], [0, 1], [4, 2]])
BIG_STEP = _example(beta=20.0)
NEAR_TANGENT = _example(
    X=[[-3.0, 0.9999], [3.0, 0.9999], [0.0, 0.9]],
    X_i=[[-3.0, 0.9999999]],
    X_j=[[3.0, 0.9999999]],
    similar=[[0, 1]],
    dissimilar=[[0, 2]],
    centers=[[0.0, 0.0]],
    radii=[1.0],
    local_metrics=[[[0.9, 0.3], [0.3, 0.4]]],
)
ALL_COVERED = _example(
    X=[[0.1, 0.4], [-0.5, -0.3], [3.2, 0.1], [-4.0, 0.0]],
    similar=[[0, 1], [2, 3]],
    dissimilar=[[0, 2], [1, 3]],
    centers=[[0.0, 0.0], [0.5, 0.0], [-0.5, 0.1]],
    radii=[3.0, 2.5, 2.8],
)
SATISFIED = _example(
    X=[[0.0, 0.0], [0.1, 0.1], [9.0, 9.0]],
    similar=[[0, 1], [0, 2]],
    dissimilar=[[0, 2], [1, 0]],
    centers=PLANE["centers"],
)
SMALL_GAP = _example(
    X_i=[[-4.0, 0.0]], X_j=[[4.0, 0.0]], centers=[[-1.0, 0.0], [1.0 + 2.0**-22, 0.0]], radii=[1.0, 1.0]
)
SLIVER = _example(
    X=[[-4.0, 0.0], [4.0, 0.0], [0.0, 3.0]], similar=[[0, 1]], dissimilar=[[0, 2]], centers=[[0.0, 0.0]], radii=[3.999]
)
STEEP_METRIC = _example(background_metric=[[1.0, 0.0], [0.0, 1e-9]], alpha=0.0, similar=[], dissimilar=[])
TWELVE_REGIONS = _example(
    centers=[[0.0, 0.0]] * 12, radii=[0.5 + 0.25 * s for s in range(12)], local_metrics=[[[1, 0], [0, 1]]] * 12
)
ALONG_AN_AXIS = _example(X_i=[[-3.0, 0.3]], X_j=[[2.05, 0.3]])
BEYOND_INTEGERS = _example(
    X_i=np.array(_STARTS) * 1e10,
    X_j=np.array(_ENDS) * 1e10,
    centers=np.array(PLANE["centers"]) * 1e10,
    radii=np.array(PLANE["radii"]) * 1e10,
)
EQUAL_METRICS = _example(local_metrics=[[[0.3, 0.1], [0.1, 0.2]]] * 3)
STACKED_ON_NOTHING = _example(
    X_i=[[-4.0, 0.0]],
    X_j=[[4.0, 0.0]],
    centers=[[0, 0], [0.5, 0], [-0.5, 0]],
    radii=[3.0, 3.0, 3.0],
    background_metric=[[0, 0], [0, 0]],
)
TOUCHING = _example(
    X_i=[[-3.0, 1 - 1e-10]],
    X_j=[[3.0, 1 - 1e-10]],
    centers=[[0.0, 0.0]],
    radii=[1.0],
    local_metrics=[[[0.9, 0.3], [0.3, 0.4]]],
)

# ---- a hair beside a special place ----

_LINE: dict[str, Any] = {
    "X_i": [[0.0, 0.0]],
    "X_j": [[1.0, 0.0]],
    "X": [[0.0, 0.0], [1.0, 0.0]],
    "similar": [],
    "dissimilar": [[0, 1]],
    "background_metric": [[4.0, 0.0], [0.0, 4.0]],
    "alpha": 0.0,
    "C": 2.5,
}
NEARLY_EQUAL_METRICS = _example(
    X_i=[[-3.0, 0.9999]],
    X_j=[[3.0, 0.9999]],
    centers=[[0.0, 0.0]],
    radii=[1.0],
    local_metrics=[[[1.0, 0.0], [0.0, 1.0]]],
    background_metric=[[1 + 2.0**-10, 0.0], [0.0, 1.0]],
)
TWO_GRAZED = _example(
    X_i=[[-3.0, 1 - 2.0**-15]], X_j=[[3.0, 1 - 2.0**-15]], centers=[[-1, 0], [1, 0]], radii=[1.0, 1.0]
)
HAIR_LEFT = _example(**_LINE, centers=[[0.0, 0.0]], radii=[1 - 2.0**-30])
HAIR_TOO_MUCH = _example(**_LINE, centers=[[0.0, 0.0], [1.0, 0.0]], radii=[0.5, 0.5 + 2.0**-24])
HAIR_BEYOND_HINGE = _example(
    X=[[0.0, 0.0], [0.5 + 2.0**-34, 0.0]], similar=[[0, 1]], dissimilar=[], background_metric=[[1, 0], [0, 1]],
    centers=np.zeros((0, 2)), radii=np.zeros(0), local_metrics=np.zeros((0, 2, 2)),
)  # fmt: skip
NEXT_TO_NO_METRIC = _example(background_metric=[[2.0**-60, 0.0], [0.0, 2.0**-60]])
STEEPER_METRIC = _example(background_metric=[[1.0, 0.0], [0.0, 2.0**-41]], alpha=0.0, similar=[], dissimilar=[])
HAIR_OUT_OF_THE_CONE = _example(
    background_metric=[[1.0, 0.0], [0.0, 0.0]], alpha=1.0, beta=1 + 2.0**-41, similar=[], dissimilar=[],
    centers=np.zeros((0, 2)), radii=np.zeros(0), local_metrics=np.zeros((0, 2, 2)),
)  # fmt: skip
SMALL_RADIUS = _example(radii=[2.0**-37, 0.8, 0.6], similar=[], dissimilar=[])
TINY_BALL = _example(X_i=[[0.0, 0.0]], X_j=[[2.0**-37, 0.0]], centers=[[0, 0], [5, 0]], radii=[2.0**-38, 1.0])
HAIR_BETWEEN = _example(
    X_i=[[-4.0, 0.0]], X_j=[[4.0, 0.0]], centers=[[-1.0, 0.0], [1.0 + 2.0**-27, 0.0]], radii=[1.0, 1.0]
)
NEARLY_THE_SAME_BEGINNING = _example(
    X_i=[[0.0, 0.0]],
    X_j=[[1.0, 0.0]],
    centers=[[0.75 - 2.0**-30, 0.0], [0.5 - 2.0**-30, 0.0]],
    radii=[0.5 - 2.0**-30, 0.25],
)
NEARLY_TIED = _example(
    X=[[0.0, 0.0]], X_minus=[[0.0, 9 + 2.0**-24], [0.0, -9.0]], X_plus=[[9.0, 9.0]], K=1, similar=[], dissimilar=[],
    centers=np.zeros((0, 2)), radii=np.zeros(0), local_metrics=np.zeros((0, 2, 2)),
)  # fmt: skip
EQUAL_NORMS = _example(local_metrics=[[[1, 0], [0, 2]]] * 3, background_metric=[[2, 0], [0, 1]])
HUGE_SPHERE = _example(X_i=[[997.0, 0.0]], X_j=[[1001.0, 0.0]], centers=[[0.0, 0.0]], radii=[1000.0])
MANY_MORE_FEATURES = _many(6, 34, seed=3)
MANY_MORE_REGIONS = _example(
    centers=[[0.1 * s, 0.0] for s in range(20)],
    radii=[0.43 + 0.0137 * s for s in range(20)],
    local_metrics=[[[1, 0], [0, 1]]] * 20,
)
MANY_NEIGHBORS = _example(
    X=[[0.0, 0.0]],
    X_minus=[[0.1 * k, 0.2] for k in range(40)],
    X_plus=[[0.3, -0.1 * k] for k in range(40)],
    K=36,
    similar=[],
    dissimilar=[],
)
COLUMN_BY_COLUMN = _example(X_i=np.asfortranarray(_STARTS, dtype=float), X_j=np.asfortranarray(_ENDS, dtype=float))
HUNDREDS = _many(260, 2, seed=4)
ZERO_STEP = _example(beta=0.0)
ALMOST_NULL = _example(
    X_i=np.zeros((32, 2)),
    X_j=[[3 * (t / 7), -t / 7] for t in range(1, 33)],
    local_metrics=[[[1, 3], [3, 9]]] * 3,
    background_metric=[[1, 3], [3, 9]],
)
