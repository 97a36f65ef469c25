"""Data for the tests of learning, and a comparison of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmlir.learning import Learned, learn
from lmlir.scalars import Parameters

Array = NDArray[Any]
ONE_BALL = Parameters([[0.0]], [1.0], [[[4.0]]], [[1.0]])


def clouds(
    seed: int, n: int = 16, F: int = 2, classes: int = 2, gap: float = 1.0
) -> tuple[Array, Array]:
    """Return overlapping clouds of different points, one cloud per class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, F)) + gap * y[:, None], y


def assert_same(Theta: Parameters, other: Parameters, rtol: float = 1e-9) -> None:
    """Assert that all four parts agree up to rtol."""
    for part, other_part in zip(Theta, other, strict=True):
        np.testing.assert_allclose(part, other_part, rtol=rtol, atol=rtol)


def visits(X: Array, y: Array, **options: Any) -> tuple[Learned, list[tuple[float, Parameters]]]:
    """Return what was learned, and every (g, Theta) that the callback got."""
    visited: list[tuple[float, Parameters]] = []
    learned = learn(X, y, callback=lambda step, g, Theta: visited.append((g, Theta)), **options)
    return learned, visited
