r"""ITML, information-theoretic metric learning (Davis, Kulis, Jain, Sra, Dhillon 2007).

Of all metrics A that keep similar pairs within u and dissimilar pairs beyond l, up to slack
weighted by $\gamma$, the one nearest to the identity in the LogDet divergence. Solved by cyclic
Bregman projections: one constraint after the other,

$$p = v^\top A v, \quad \alpha = \min\bigl(\lambda, \delta \tfrac{\gamma}{\gamma + 1} (1/p -
1/\xi)\bigr), \quad
  \lambda \leftarrow \lambda - \alpha, \quad 1/\xi \leftarrow 1/\xi + \delta \alpha / \gamma, \quad
  A \leftarrow A + \tfrac{\delta \alpha}{1 - \delta \alpha p} A v v^\top A$$

with v the difference of the pair, $\delta = 1$ for similar and $-1$ for dissimilar pairs, and $\xi$
its bound.

Defaults as in metric-learn, with which Table 5 was made: $20 c^2$ pairs of each kind, u and l the 5
% and 95 % points of all distances (plain distances, although p is squared: metric-learn compares
them so). `inverted=True` measures with $A^{-1}$, as the transform of metric-learn 0.3.0 did. 1-NN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.utils import check_random_state

from lmlir.experiments.rivals.base import FloatArray, IntArray, MetricRival, factor

SMALLEST_LENGTH = 1e-9  # of a bound, and of a squared length that is divided by
PAIRS_PER_SQUARED_CLASSES = 20
BOUND_PERCENTILES = (5, 95)  # of all distances: for similar and for dissimilar pairs


@dataclass(eq=False, repr=False)
class ITML(MetricRival):
    """Information-theoretic metric learning; with `inverted` the presumed fault of the software
    behind Table 5.
    """

    gamma: float = 1.0
    inverted: bool = False
    max_sweeps: int = 1000
    tolerance: float = 1e-3
    n_neighbors: int = 1
    random_state: int | None = 0

    def learn_metric(self, X: FloatArray, codes: IntArray) -> None:
        """Random constraints, then Bregman projections."""
        if not self.gamma > 0:
            raise ValueError(f"gamma must be positive, got gamma={self.gamma}")
        n_classes = int(codes.max()) + 1
        count = PAIRS_PER_SQUARED_CLASSES * n_classes**2
        (i, j), (k, l) = random_pairs(codes, count, self.random_state)

        V = np.concatenate([X[i] - X[j], X[k] - X[l]])
        signs = np.repeat([1.0, -1.0], [len(i), len(k)])
        percentiles = np.percentile(pdist(X), BOUND_PERCENTILES)
        upper, lower = np.maximum(percentiles, SMALLEST_LENGTH)
        xi = np.where(signs > 0, upper, lower)
        # a pair of equal points has length 0 under every metric
        used = (V**2).sum(axis=1) > SMALLEST_LENGTH

        A, _ = bregman_projections(
            V[used], signs[used], xi[used], self.gamma, self.max_sweeps, self.tolerance
        )
        self.metric_ = np.asarray(np.linalg.inv(A)) if self.inverted else A
        self.components_ = factor(self.metric_)


def random_pairs(
    codes: IntArray, count: int, random_state: int | None
) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Draw `count` random pairs of one class, and as many of two classes.

    >>> (i, j), (k, l) = random_pairs(np.array([0, 0, 1, 1]), 5, random_state=0)
    >>> bool((i // 2 == j // 2).all()), bool((k // 2 != l // 2).all())
    (True, True)
    """
    random = check_random_state(random_state)
    same = codes[:, None] == codes

    def draw(wanted: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
        """Draw pairs where the table is true, or none if it is nowhere true."""
        i, j = np.nonzero(np.triu(wanted, k=1))
        if len(i) == 0:
            return i, j
        chosen = random.randint(len(i), size=count)
        return i[chosen], j[chosen]

    return draw(same), draw(~same)


def bregman_projections(
    V: FloatArray,
    signs: FloatArray,
    xi: FloatArray,
    gamma: float,
    max_sweeps: int,
    tolerance: float,
) -> tuple[FloatArray, int]:
    """A after cyclic projections onto all constraints until the multipliers settle, and the number
    of sweeps.

    >>> A, _ = bregman_projections(
    ...     np.array([[2.0]]), np.array([1.0]), np.array([1.0]), np.inf, 100, 1e-9
    ... )
    >>> A
    array([[0.25]])
    """
    A = np.eye(V.shape[1])
    multipliers = np.zeros(len(V))
    inverse_xi = 1 / xi
    share = 1.0 if np.isinf(gamma) else gamma / (gamma + 1)
    n_sweeps = 0
    settled = False
    while n_sweeps < max_sweeps and not settled:
        n_sweeps += 1
        before = multipliers.copy()
        for k, (v, sign) in enumerate(zip(V, signs, strict=True)):
            Av = A @ v
            p = max(float(v @ Av), SMALLEST_LENGTH)
            alpha = min(multipliers[k], sign * share * (1 / p - inverse_xi[k]))
            if alpha == 0:  # the constraint holds, and nothing has to be taken back
                continue
            multipliers[k] -= alpha
            signed = sign * alpha
            inverse_xi[k] += signed / gamma
            A += signed / (1 - signed * p) * np.outer(Av, Av)
        size = np.linalg.norm(multipliers) + np.linalg.norm(before)
        settled = bool(np.linalg.norm(multipliers - before) <= tolerance * size)
    return A, n_sweeps
