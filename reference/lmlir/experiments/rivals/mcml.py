r"""MCML, metric learning by collapsing classes (Globerson, Roweis 2006).

$$\sum_i \mathrm{KL}(p_0(\cdot|i) \,\|\, p_A(\cdot|i)), \qquad
  p_A(j|i) \propto e^{-(x_i - x_j)^\top A (x_i - x_j)} \text{ for } j \ne i$$

with $p_0$ uniform on the other members of i's class: the least loss would put each class into one
point. It is convex in A; here L-BFGS goes down over a full L with $A = L^\top L$.

`rotation=True` keeps the directions of L and drops their lengths, as a program does that returns
the singular vectors of A: at full dimension that is a rotation, and the distance is the Euclidean
one. Defaults: 1-NN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lmlir.experiments.rivals.base import (
    FloatArray,
    IntArray,
    MetricRival,
    descended,
    weighted_scatter,
)


@dataclass(eq=False, repr=False)
class MCML(MetricRival):
    """Collapsing classes; with `rotation` the presumed fault of the software behind Table 5."""

    rotation: bool = False
    max_iterations: int = 200
    n_neighbors: int = 1

    def learn_metric(self, X: FloatArray, codes: IntArray) -> None:
        """L-BFGS over L, from the identity."""
        wanted = class_distribution(codes)

        def value(L: FloatArray) -> tuple[float, FloatArray]:
            loss, slope = mcml_loss(L.T @ L, X, wanted)
            return loss, 2 * L @ slope

        L, self.loss_ = descended(value, X.shape[1], self.max_iterations)
        self.components_ = np.linalg.svd(L)[2] if self.rotation else L


def class_distribution(codes: IntArray) -> FloatArray:
    """p_0: row i is uniform on the other members of i's class, and 0 everywhere for the only member
    of one.

    >>> class_distribution(np.array([0, 0, 1]))[0]
    array([0., 1., 0.])
    """
    same = codes[:, None] == codes
    np.fill_diagonal(same, False)
    counts = same.sum(axis=1, keepdims=True)
    return same / np.maximum(counts, 1)


def mcml_loss(A: FloatArray, X: FloatArray, wanted: FloatArray) -> tuple[float, FloatArray]:
    """The loss, up to the entropy of p_0, and its gradient in A.

    >>> X, wanted = np.array([[0.0], [1.0], [1.0]]), class_distribution(np.array([0, 0, 1]))
    >>> round(mcml_loss(np.zeros((1, 1)), X, wanted)[0], 4)  # p is uniform: 2 log 2
    1.3863
    """
    XA = X @ A
    lengths = (XA * X).sum(axis=1)
    squares = lengths[:, None] + lengths - 2 * XA @ X.T

    np.fill_diagonal(squares, np.inf)  # an instance is not its own neighbor
    least = squares.min(axis=1, keepdims=True)
    p = np.exp(least - squares)
    sums = p.sum(axis=1, keepdims=True)
    p /= sums

    np.fill_diagonal(squares, 0.0)
    rows = wanted.sum(axis=1, keepdims=True)  # 1, or 0 for the only member of a class
    log_sums = np.log(sums) - least
    loss = (wanted * squares).sum() + (rows * log_sums).sum()
    return float(loss), weighted_scatter(X, wanted - rows * p)
