r"""RVML, regressive virtual metric learning (Perrot, Habrard 2015), its kernel version.

Each training instance x_i gets a virtual point v_i where it ought to be, and a ridge regression
onto those is the transform: $L^\top = (X^\top X + \lambda n I)^{-1} X^\top V$, or with a kernel
$x \mapsto k(x)^\top (K + \lambda n I)^{-1} V$.

Virtual points by optimal transport: landmarks are chosen farthest first until every instance is
within the mean distance of one; the instances are transported onto them with an entropic and a
class-wise penalty (Courty, Flamary, Tuia 2014), and v_i is the mean of the landmarks weighted by
what x_i sends to them. POT computes the transport.

Defaults as in the authors' experiments: the Gaussian kernel with the mean distance as its width,
entropic multiplier 0.5, class weight 10, ten rounds; 1-NN.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist, pdist

from lmlir.experiments.rivals.base import FloatArray, IntArray, MetricRival

ENTROPIC_MULTIPLIER = 0.5
CLASS_WEIGHT = 10.0
ROUNDS = 10


@dataclass(eq=False, repr=False)
class RVML(MetricRival):
    """Regressive virtual metric learning, with the Gaussian kernel; `ridge` is lambda."""

    ridge: float = 1e-3
    n_neighbors: int = 1

    def learn_metric(self, X: FloatArray, codes: IntArray) -> None:
        """Virtual points, then ridge regression onto them."""
        if not self.ridge > 0:
            raise ValueError(f"ridge must be positive, got ridge={self.ridge}")
        self.width_ = float(pdist(X).mean()) or 1.0
        self.landmarks_ = farthest_first(X, self.width_)
        V = virtual_points(X, codes, X[self.landmarks_])
        n = len(X)
        kernel = gaussian_kernel(X, X, self.width_)
        self.coefficients_ = np.linalg.solve(kernel + self.ridge * n * np.eye(n), V)

    def transform(self, X: ArrayLike) -> FloatArray:
        """Where the regression puts every row of X."""
        kernel = gaussian_kernel(self.checked_rows(X), self.X_, self.width_)
        return kernel @ self.coefficients_


def gaussian_kernel(X: FloatArray, Y: FloatArray, width: float) -> FloatArray:
    r"""$\exp(-\|x - y\|^2 / (2\,\mathrm{width}^2))$.

    >>> gaussian_kernel(np.array([[0.0]]), np.array([[0.0]]), 1.0)
    array([[1.]])
    """
    return np.exp(-cdist(X, Y, "sqeuclidean") / (2 * width**2))


def farthest_first(X: FloatArray, reach: float) -> list[int]:
    """Row numbers: the row nearest to the mean, then always the row farthest from all chosen, until
    none is beyond reach.

    >>> farthest_first(np.array([[0.0], [1.0], [5.0]]), reach=2.0)
    [1, 2]
    """
    from_mean = cdist(X, X.mean(axis=0, keepdims=True))
    chosen = [int(from_mean.argmin())]
    nearest = cdist(X, X[chosen])
    while nearest.max() > reach:
        chosen.append(int(nearest.argmax()))
        from_last = cdist(X, X[chosen[-1:]])
        nearest = np.minimum(nearest, from_last)
    return chosen


def virtual_points(X: FloatArray, codes: IntArray, landmarks: FloatArray) -> FloatArray:
    """The mean of the landmarks for every row, weighted by the class-regularized optimal transport.

    >>> X = np.array([[0.0], [4.0]])
    >>> virtual_points(X, np.array([0, 1]), X).round(2).ravel()
    array([0., 4.])
    """
    from ot.da import sinkhorn_lpl1_mm

    n = len(X)
    m = len(landmarks)
    cost = cdist(X, landmarks, "sqeuclidean")
    with warnings.catch_warnings():
        # a round may end before its inner iterations have converged
        warnings.simplefilter("ignore", UserWarning)
        plan = sinkhorn_lpl1_mm(
            np.full(n, 1 / n),
            codes,
            np.full(m, 1 / m),
            cost,
            reg=1 / ENTROPIC_MULTIPLIER,
            eta=CLASS_WEIGHT,
            numItermax=ROUNDS,
        )
    return plan @ landmarks / plan.sum(axis=1, keepdims=True)
