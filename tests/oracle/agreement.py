"""Agreement of a subject with the loops of the reference, on inputs that visit the special places
of every function.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from lmlir import subject as reference
from lmlir.oracle.interface import FUNCTIONS, select
from lmlir.oracle.subjects.answers import numbers
from lmlir.oracle.subjects.base import Subject

# Eight pairs: with the ball o = (0, 0), r = 1 they visit Table 2's rows 1, 3, 4, 5, 6, 7, 8 and a
# chord off the center.
_STARTS = [
    [-2, 3],
    [2, 0.2],
    [0.3, -0.2],
    [0.1, 0.4],
    [-3, 0.5],
    [-2, -0.3],
    [-5, 0.1],
    [1.5, -2],
]
_ENDS = [
    [3, 2.5],
    [4, 0.7],
    [2.5, 1.0],
    [-0.5, -0.3],
    [2, -0.25],
    [0.4, 0.6],
    [-1.5, 0.2],
    [-0.4, 1.7],
]
_PLANE: dict[str, Any] = {
    "X_i": _STARTS,
    "X_j": _ENDS,
    "X": [*_STARTS, [0.3, 0.2], [0.5, -0.1]],
    "Y": [[1.0, 1.2], [-0.6, 0.8], [2.5, 1.0]],
    "X_minus": [
        [-2.0, 0.4],
        [-2.0, 0.4],
        [-0.3, 1.8],
        [-1.2, -2.2],
        [-4.0, 1.0],
    ],
    "X_plus": [
        [2.2, 0.1],
        [1.4, -0.9],
        [3.1, 1.5],
        [0.9, 0.3],
    ],
    "K": 3,
    "centers": [[0.0, 0.0], [1.2, 0.5], [-1.0, -0.3]],
    "radii": [1.0, 0.8, 0.6],
    "local_metrics": [
        [[0.9, 0.3], [0.3, 0.4]],
        [[0.2, -0.1], [-0.1, 0.6]],
        [[0.5, 0.2], [0.2, 0.3]],
    ],
    "background_metric": [[0.3, 0.1], [0.1, 0.2]],
    "similar": [
        [0, 6],
        [2, 8],
        [3, 9],
        [5, 3],
        [8, 2],
        [8, 9],
        [7, 2],
    ],
    "dissimilar": [
        [0, 1],
        [4, 2],
        [7, 3],
        [5, 9],
        [9, 1],
    ],
    "alpha": 0.1,
    "C": 0.5,
    "beta": 0.7,
}
_NONE = {"centers": np.zeros((0, 2)), "radii": np.zeros(0)}


def _example(**changes: Any) -> Mapping[str, Any]:
    """The plane with some entries replaced, without the pairs and metrics that no longer fit."""
    entries = {**_PLANE, **changes}
    n, F = np.shape(entries["X"])
    S = len(entries["radii"])
    for name in ("similar", "dissimilar"):
        pairs = [pair for pair in entries[name] if max(pair) < n]
        entries[name] = np.array(pairs, dtype=int).reshape(-1, 2)
    entries["local_metrics"] = np.array(entries["local_metrics"][:S]).reshape(S, F, F)
    for name, value in entries.items():
        if isinstance(value, list):
            entries[name] = np.array(value, dtype=float)
    return entries


def _scaled(factor: float, shift: float = 0.0) -> Mapping[str, Any]:
    """The pairs and balls of the plane, scaled and then moved."""
    moved = {name: factor * np.array(_PLANE[name]) + shift for name in ("X_i", "X_j", "centers")}
    return _example(**moved, radii=factor * np.array(_PLANE["radii"]))


def _many(count: int, features: int, seed: int) -> Mapping[str, Any]:
    """Random pairs with two balls."""
    draw = np.random.default_rng(seed)
    X_i, X_j = draw.normal(size=(2, count, features))
    identity = np.eye(features)
    return _example(
        X_i=X_i,
        X_j=X_j,
        X=X_i,
        Y=X_j[:3],
        X_minus=X_i[:5],
        X_plus=X_j[:4],
        centers=draw.normal(size=(2, features)),
        radii=[1.0, 2.0],
        local_metrics=[identity, 2 * identity],
        background_metric=identity / 2,
    )


_POINTS = ("X_i", "X_j", "X", "Y", "X_minus", "X_plus", "centers")
_FIRST_FEATURES = {name: np.array(_PLANE[name])[:, :1] for name in _POINTS}
_ALONG = {"X_i": [[-4.0, 0.0]], "X_j": [[4.0, 0.0]]}
EXAMPLES = {
    "PLANE": _example(),
    "TANGENT": _example(X_i=[[-3.0, 1.0]], X_j=[[3.0, 1.0]]),
    "NEAR_TANGENT": _example(
        X_i=[[-3.0, 1 - 1e-7]], X_j=[[3.0, 1 - 1e-7]], X=[[-3.0, 0.9999], [3.0, 0.9999], [0, 0.9]]
    ),
    "COINCIDENT": _example(X_i=[[0.5, 0.25]], X_j=[[0.5, 0.25]]),
    "ALONG_AN_AXIS": _example(X_i=[[-3.0, 0.3]], X_j=[[2.05, 0.3]]),
    "NESTED": _example(**_ALONG, centers=[[0, 0], [-1, 0], [2.5, 0]], radii=[2.0, 0.5, 1.0]),
    "APART": _example(**_ALONG, centers=[[2.5, 0], [-2.5, 0], [0, 9]], radii=[0.5, 1.0, 1.0]),
    "STACKED": _example(**_ALONG, centers=[[0, 0], [0.5, 0], [-0.5, 0]], radii=[3.0, 3.0, 3.0]),
    "SMALL_GAP": _example(**_ALONG, centers=[[-1.0, 0.0], [1.0 + 2.0**-22, 0.0]], radii=[1.0, 1.0]),
    "HUGE_BALL": _example(centers=[[0.0, 0.0]], radii=[100.0]),
    "POINT_BALL": _example(X_i=[[-1.0, 0.0]], X_j=[[1.0, 0.0]], radii=[0.0, 0.8, 0.0]),
    "ALL_COVERED": _example(centers=[[0.0, 0.0], [0.5, 0.0], [-0.5, 0.1]], radii=[3.0, 2.5, 2.8]),
    "SMALL": _scaled(1e-7),
    "LARGE": _scaled(1e10),
    "FAR_FROM_ORIGIN": _scaled(1.0, shift=1e6),
    "NO_REGIONS": _example(**_NONE),
    "NO_PAIRS": _example(
        X_i=np.zeros((0, 2)),
        X_j=np.zeros((0, 2)),
        similar=[],
        dissimilar=[],
    ),
    "ONE_PAIR": _example(
        X_i=[[-3.0, 0.5]],
        X_j=[[2.0, -0.25]],
        X=[[-3.0, 0.5]],
        similar=[[0, 0]],
    ),
    "ONE_FEATURE": _example(
        **_FIRST_FEATURES,
        radii=[0.95, 0.83, 0.57],
        local_metrics=[[[0.9]], [[0.2]], [[0.5]]],
        background_metric=[[0.3]],
    ),
    "MANY_PAIRS": _many(100, 2, seed=1),
    "MANY_FEATURES": _many(6, 34, seed=3),
    "MANY_REGIONS": _example(
        centers=[[0.1 * s, 0.0] for s in range(20)],
        radii=[0.43 + 0.0137 * s for s in range(20)],
        local_metrics=[np.eye(2)] * 20,
    ),
    "ONE_NEIGHBOR": _example(X=[[0.3, 0.1], [-1.0, -1.0]], K=1),
    "TRAINING_POINT": _example(X=[[-2.0, 0.4], [0.9, 0.3]]),
    "ZERO_METRIC": _example(
        local_metrics=[[[0.9, 0.3], [0.3, 0.4]], [[0, 0], [0, 0]], [[0.5, 0.2], [0.2, 0.3]]]
    ),
    "ZERO_BACKGROUND": _example(background_metric=[[0, 0], [0, 0]]),
    "FLAT_METRIC": _example(
        X=[[-2.0, 0.0], [2.0, 0.0], [0.0, 0.5]],
        similar=[[0, 1]],
        background_metric=[[0, 0], [0, 1]],
    ),
    "REPEATED_PAIRS": _example(
        similar=[[0, 6], [0, 6], [2, 8]], dissimilar=[[0, 1], [0, 1], [4, 2]]
    ),
    "BIG_STEP": _example(beta=20.0),
}


def closeness(example: str) -> float:
    """How closely honest programs agree, relative to the answer: rounding costs half the digits
    near a tangency.
    """
    return 1e-9 if example in ("NEAR_TANGENT", "FAR_FROM_ORIGIN") else 1e-13


def arguments_of(function: str, example: str) -> dict[str, Any]:
    """Copies of the arguments that a function takes from an example."""
    arguments = dict(select(EXAMPLES[example], function))
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            arguments[name] = value.copy()
    return arguments


@cache
def truth(function: str, example: str) -> tuple[np.ndarray, ...]:
    """Return the answer of the reference's loops; cached for all subjects."""
    arguments = arguments_of(function, example)
    answer = getattr(reference, function)(*arguments.values())
    if isinstance(answer, tuple):
        return answer
    return (np.asarray(answer),)


def assert_agrees(subject: Subject, example: str, tolerance: float) -> None:
    """Compare every function on one example with the loops of the reference."""
    for function in FUNCTIONS:
        arguments = arguments_of(function, example)
        answer = numbers(function, subject.ask(function, arguments), arguments)
        message = f"{function} on {example}"
        for ours, theirs in zip(answer, truth(function, example), strict=True):
            largest = max(1.0, float(np.max(np.abs(theirs), initial=0)))
            np.testing.assert_allclose(
                ours, theirs, rtol=0, atol=tolerance * largest, err_msg=message
            )
