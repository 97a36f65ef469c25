"""Real data, the paper's initial parameters on them, and comparisons for the tests of the twin."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from lmlir import initialization
from lmlir.scalars import Parameters

sklearn_datasets = pytest.importorskip("sklearn.datasets", reason="WDBC comes with scikit-learn")

Array = NDArray[Any]
EPS = 2.0**-52


def preprocessed(X: Array) -> Array:
    """Section 6: standardized, then every instance scaled to length 1."""
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) == 0, 1, X.std(axis=0))
    return np.asarray(X / np.linalg.norm(X, axis=1)[:, None])


def real_sets() -> dict[str, tuple[Array, Array]]:
    """WDBC, and whichever of the paper's sets lie in LMLIR_DATA."""
    X, y = sklearn_datasets.load_breast_cancer(return_X_y=True)
    sets = {"wdbc": (preprocessed(X), y)}
    for path in sorted(Path(os.environ.get("LMLIR_DATA", "no folder")).glob("*.csv")):
        table = np.loadtxt(path, delimiter=",")
        sets[path.stem] = (preprocessed(table[:, :-1]), table[:, -1].astype(int))
    return sets


SETS = real_sets()


def start(name: str, rows: int, S: int = 3, K: int = 3) -> tuple[Array, Array, Parameters[Array]]:
    """Return points of a real set, labels, and the paper's initial parameters, with one metric that
    is not diagonal.

    The radii are a little larger: an 80th percentile can pass exactly through a point, where gamma
    has a kink.
    """
    X, y = SETS[name]
    shuffled = np.random.default_rng(0).permutation(len(X))
    chosen = np.sort(
        np.concatenate([shuffled[y[shuffled] == label][: rows // 2] for label in (0, 1)])
    )
    X = X[chosen]
    y = y[chosen]
    Theta = Parameters(
        *map(np.array, initialization.initial_parameters(X.tolist(), y.tolist(), S, K))
    )
    turned = np.cov(X.T) * 20 + 0.1 * np.eye(X.shape[1])
    metrics = np.concatenate([Theta.local_metrics[:-1], turned[None]])
    return X, y, Theta._replace(radii=1.01 * Theta.radii + 0.01, local_metrics=metrics)


def lists(*arrays: ArrayLike) -> list[Any]:
    """The arrays as nested lists, for the reference."""
    return [np.asarray(array).tolist() for array in arrays]


def assert_close(got: ArrayLike, expected: ArrayLike, factor: float = 1e4) -> None:
    """Sums of some thousand terms in another order: 1e4 eps of the largest is far above rounding,
    far below a mistake.
    """
    got = np.asarray(got, dtype=float)
    expected = np.asarray(expected, dtype=float)
    assert got.shape == expected.shape
    assert np.abs(got - expected).max(initial=0) <= factor * EPS * np.abs(expected).max(
        initial=1e-300
    )
