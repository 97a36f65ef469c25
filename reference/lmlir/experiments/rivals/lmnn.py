r"""LMNN, large margin nearest neighbor (Weinberger, Saul 2009).

$$(1 - \mu) \sum_{j \to i} \|L(x_i - x_j)\|^2 + \mu \sum_{j \to i} \sum_{l: y_l \ne y_i}
  [1 + \|L(x_i - x_j)\|^2 - \|L(x_i - x_l)\|^2]_+$$

pulls the target neighbors $j \to i$ (fixed: the nearest of the own class in the Euclidean distance)
near, and pushes instances of other classes a margin of 1 beyond them. It is not convex in L; L-BFGS
goes down from the identity.

Defaults: 3 target neighbors and $\mu = 0.5$ as in the authors' paper and in metric-learn, with
which Table 5 was made; 1-NN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from lmlir.experiments.rivals.base import (
    FloatArray,
    IntArray,
    MetricRival,
    check_between,
    descended,
    target_neighbors,
    weighted_scatter,
)


@dataclass(eq=False, repr=False)
class LMNN(MetricRival):
    """Large margin nearest neighbor, a full matrix L; `push_weight` is mu."""

    push_weight: float = 0.5
    n_targets: int = 3
    max_iterations: int = 200
    n_neighbors: int = 1

    def learn_metric(self, X: FloatArray, codes: IntArray) -> None:
        """L-BFGS over L, from the identity."""
        check_between("push_weight", self.push_weight, 0, 1)
        targets = target_neighbors(X, codes, self.n_targets)
        others = codes[:, None] != codes
        self.components_, self.loss_ = descended(
            lambda L: lmnn_loss(L, X, targets, others, self.push_weight),
            X.shape[1],
            self.max_iterations,
        )


def lmnn_loss(
    L: FloatArray,
    X: FloatArray,
    targets: tuple[IntArray, IntArray],
    others: NDArray[np.bool_],
    push_weight: float,
) -> tuple[float, FloatArray]:
    """The loss at L and its gradient; `others[i, l]` where i and l have different classes.

    >>> one = lmnn_loss(np.eye(1), np.array([[0.0], [1.0], [1.5]]), (np.array([0]), np.array([1])),
    ...                 np.array([[False, False, True]] * 3), push_weight=0.5)
    >>> one[0]
    0.5
    """
    i, j = targets
    Z = X @ L.T
    squares = cdist(Z, Z, "sqeuclidean")
    pull = squares[i, j]
    active = others[i] & (squares[i] < 1 + pull[:, None])
    counts = active.sum(axis=1)  # of the instances that intrude upon each target
    T = len(i)
    of_instance = csr_array((np.ones(T), (i, np.arange(T))), shape=(len(X), T))
    intrusions = of_instance @ active.astype(float)

    push = (1 + pull) @ counts - (intrusions * squares).sum()
    loss = (1 - push_weight) * pull.sum() + push_weight * push
    W = -push_weight * intrusions
    W[i, j] += (1 - push_weight) + push_weight * counts
    return float(loss), 2 * L @ weighted_scatter(X, W)
