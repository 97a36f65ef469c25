r"""GMML, geometric mean metric learning (Zadeh, Hosseini, Sra 2016).

With $S$ the scatter of similar pairs and $D$ that of dissimilar ones,
$\mathrm{tr}(A S) + \mathrm{tr}(A^{-1} D)$ is least at the midpoint of the geodesic between $S^{-1}$
and $D$ on the cone of positive definite matrices. The method takes any point of it,
$A = S^{-1} \#_t D$, with $t$ from 0 to 1 by cross-validation.

Defaults as in the authors' experiments: 40 c (c - 1) random pairs for c classes, 5 neighbors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import check_random_state

from lmlir.experiments.rivals.base import FloatArray, IntArray, MetricRival, check_between, factor

# a scatter whose least eigenvalue is smaller than this share of its largest is lifted
NEARLY_SINGULAR = 1e-10
LIFT = 1e-3  # by this share of its largest eigenvalue
PAIRS_PER_TWO_CLASSES = 40  # for each ordered choice of two classes


@dataclass(eq=False, repr=False)
class GMML(MetricRival):
    """Geometric mean metric learning: `t` is the place on the geodesic, `pairs` "random" as
    published or "all".
    """

    t: float = 0.5
    pairs: str = "random"
    n_neighbors: int = 5
    random_state: int | None = 0

    def learn_metric(self, X: FloatArray, codes: IntArray) -> None:
        """S and D from the pairs, then the point of the geodesic."""
        check_between("t", self.t, 0, 1)
        i, j = self._pairs(len(X), int(codes.max()) + 1)
        same = codes[i] == codes[j]
        S = scatter(X, i[same], j[same])
        D = scatter(X, i[~same], j[~same])
        self.metric_ = geodesic(np.asarray(np.linalg.inv(S)), D, self.t)
        self.components_ = factor(self.metric_)

    def _pairs(self, n: int, c: int) -> tuple[IntArray, IntArray]:
        """Choose pairs of two different instances out of n, of c classes."""
        if self.pairs not in ("random", "all"):
            raise ValueError(f"pairs must be 'random' or 'all', got {self.pairs!r}")
        if self.pairs == "all":
            i, j = np.triu_indices(n, k=1)
        else:
            random = check_random_state(self.random_state)
            count = PAIRS_PER_TWO_CLASSES * c * (c - 1)
            i, j = random.randint(n, size=(2, count))
        different = i != j
        return i[different], j[different]


def geodesic(A: FloatArray, B: FloatArray, t: float) -> FloatArray:
    r"""$A \#_t B = A^{1/2} (A^{-1/2} B A^{-1/2})^t A^{1/2}$, by the generalized eigenproblem
    $B u = w A u$.

    >>> geodesic(np.eye(1), 16 * np.eye(1), 0.5)
    array([[4.]])
    """
    w, U = eigh(B, A)
    AU = A @ U  # U^T A U = I, so that A U is the inverse of U^T
    powers = np.maximum(w, 0) ** t
    return (AU * powers) @ AU.T


def scatter(X: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """The sum of (x_i - x_j)(x_i - x_j)^T over pairs, with a multiple of the identity where it is
    nearly singular.

    >>> scatter(np.array([[0.0], [2.0]]), np.array([0]), np.array([1]))
    array([[4.]])
    """
    differences = X[i] - X[j]
    S = differences.T @ differences
    values = np.linalg.eigvalsh(S)
    least = values[0]
    largest = values[-1]
    if least <= NEARLY_SINGULAR * largest:
        S = S + LIFT * (largest or 1.0) * np.eye(len(S))
    return S
