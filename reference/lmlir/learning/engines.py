r"""What computes g and its gradient: "reference" (the paper's loops), "vectorized" (NumPy) or
"compiled" (Numba).

The default rule lowers g with smoothed hinges (choice C19): $[t]_+$ is replaced by $[t]_\eta$, a
quadratic over a width $\eta$: 0 for $t \le 0$, $t^2 / 2\eta$ for $0 \le t \le \eta$, and
$t - \frac\eta2$ for $t \ge \eta$. It is convex, has a continuous slope, and lies at most $\eta/2$
below the hinge. The objective has two averages of hinges, so the smoothed one obeys
$g - \eta \le g_\eta \le g$ everywhere. What is within $\varepsilon$ of the least value of $g_\eta$
is therefore within $\varepsilon + \eta$ of the least value of g (`proofs.learning`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lmlir import descent, distance, gradient, initialization, objective, vectorized
from lmlir.scalars import Parameters, Scalar
from lmlir.vectorized.threads import thread_count

Array = NDArray[Any]


class Problem(Protocol):
    """What the rules of descent need from an engine."""

    def objective(self, Theta: Parameters) -> float:
        """Section 5.2: g at Theta."""

    def objective_and_gradient(self, Theta: Parameters) -> tuple[float, Parameters[Array]]:
        """Section 5.2: g and its gradient at Theta."""

    def smoothed(self, Theta: Parameters, width: float) -> tuple[float, Parameters[Array], float]:
        """Choice C19: g with hinges smoothed over a width, its gradient, and g itself."""

    def descended(self, Theta: Parameters, slope: Parameters, beta: float) -> Parameters[Array]:
        """Section 5.2: Theta moved against the slope and projected (choices C2 and C3)."""


class ReferenceProblem:
    """The loops of the paper's modules: slow, and easy to compare with the paper."""

    def __init__(
        self,
        X: Any,
        similar: Any,
        dissimilar: Any,
        alpha: float,
        C: float,
        printed: Collection[str] = (),
        n_jobs: int | None = None,
    ) -> None:
        self.X = np.asarray(X, dtype=float).tolist()
        self.similar = np.asarray(similar, dtype=int).tolist()
        self.dissimilar = np.asarray(dissimilar, dtype=int).tolist()
        self.alpha = alpha
        self.C = C
        self.printed = printed
        thread_count(n_jobs)  # the loops use one thread, but an invalid number is still an error

    def _arguments(self, Theta: Parameters, *further: Any) -> tuple[Any, ...]:
        return (
            self.X,
            self.similar,
            self.dissimilar,
            *parameter_lists(Theta),
            self.alpha,
            self.C,
            *further,
        )

    def objective(self, Theta: Parameters) -> float:
        """Section 5.2: g at Theta."""
        return float(objective.objective(*self._arguments(Theta)))

    def objective_and_gradient(self, Theta: Parameters) -> tuple[float, Parameters[Array]]:
        """Section 5.2: g and its gradient at Theta."""
        slope = gradient.objective_gradient(*self._arguments(Theta, self.printed))
        return self.objective(Theta), parameter_arrays(slope)

    def smoothed(self, Theta: Parameters, width: float) -> tuple[float, Parameters[Array], float]:
        """Choice C19: g with hinges smoothed over a width, its gradient, and g itself."""
        X = self.X
        Theta = parameter_lists(Theta)
        total = objective.penalty(Theta.local_metrics, Theta.background_metric, self.alpha)
        # of the penalty alone
        slope = gradient.objective_gradient(X, [], [], *Theta, self.alpha, self.C, self.printed)
        for pairs, sign, limit in (
            (self.similar, 1, 1 - self.C),
            (self.dissimilar, -1, 1 + self.C),
        ):
            direction = 1 if "E2" in self.printed else sign
            for i, j in pairs:
                D = distance.distance(X[i], X[j], *Theta)
                slack = sign * (D - limit)
                total += smoothed_hinge(slack, width) / len(pairs)
                weight = hinge_slope(slack, width)
                if weight > 0:
                    count = direction * len(pairs) / weight
                    gradient.add_pair(slope, X[i], X[j], Theta, count, self.printed)
        return float(total), parameter_arrays(slope), self.objective(Theta)

    def descended(self, Theta: Parameters, slope: Parameters, beta: float) -> Parameters[Array]:
        """Section 5.2: Theta moved against the slope and projected (choices C2 and C3)."""
        moved = descent.descended(parameter_lists(Theta), parameter_lists(slope), beta)
        return parameter_arrays(moved)


class VectorizedProblem(vectorized.PairProblem):
    """The same functions on whole arrays."""

    def smoothed(
        self, Theta: Parameters, width: float, definite: bool = True
    ) -> tuple[float, Parameters[Array], float]:
        """Choice C19: g with hinges smoothed over a width, its gradient, and g itself."""
        # the default rule's metrics are L L^T: nothing to check
        return super().smoothed(Theta, width, definite)

    def descended(self, Theta: Parameters, slope: Parameters, beta: float) -> Parameters[Array]:
        """Section 5.2: Theta moved against the slope and projected (choices C2 and C3)."""
        return vectorized.descended(Theta, slope, beta)


ENGINES: dict[str, Callable[..., Problem]] = {
    "vectorized": VectorizedProblem,
    "compiled": partial(VectorizedProblem, compiled=True),
    "reference": ReferenceProblem,
}


def smoothed_hinge(t: Scalar, width: Scalar) -> Scalar:
    """Choice C19: the smoothed hinge, in any number type; width 0 gives the hinge itself.

    >>> [smoothed_hinge(t, 1.0) for t in (-1.0, 0.5, 2.0)], smoothed_hinge(2.0, 0.0)
    ([0, 0.125, 1.5], 2.0)
    """
    if t <= 0:
        return 0
    return t * t / (2 * width) if t < width else t - width / 2


def hinge_slope(t: Scalar, width: Scalar) -> Scalar:
    """Choice C19: the slope of the smoothed hinge, from 0 to 1.

    Width 0 gives that of the hinge, 0 on its kink (C14).

    >>> [hinge_slope(t, 1.0) for t in (-1.0, 0.5, 2.0)], hinge_slope(0.0, 0.0)
    ([0, 0.5, 1], 0)
    """
    if t <= 0:
        return 0
    return t / width if t < width else 1


def parameter_arrays(Theta: Parameters) -> Parameters[Array]:
    """Theta as four float arrays, of shapes (S, F), (S,), (S, F, F) and (F, F) even without
    regions.

    >>> parameter_arrays(Parameters([], [], [], [[1]])).centers.shape
    (0, 1)
    """
    S = len(Theta.radii)
    F = len(Theta.background_metric)
    shapes = ((S, F), (S,), (S, F, F), (F, F))
    arrays = []
    for values, shape in zip(Theta, shapes, strict=True):
        arrays.append(np.array(values, dtype=float).reshape(shape))
    return Parameters(*arrays)


def parameter_lists(Theta: Parameters) -> Parameters:
    """Theta as nested lists, which the paper's modules take."""
    return Parameters(*(np.asarray(values).tolist() for values in Theta))


def training_pairs(
    X: Array, y: Array, K: int, Theta: Parameters | None = None
) -> tuple[Array, Array]:
    r"""Section 5.1: the similar and the dissimilar pairs, in the Euclidean distance (choice C5) or
    in that of Theta.

    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> similar, dissimilar = training_pairs(X, np.array([0, 0, 1, 1]), 1)
    >>> similar.tolist()
    [[0, 1], [1, 0], [2, 3], [3, 2]]
    """
    return vectorized.similar_pairs(X, y, K, Theta), vectorized.dissimilar_pairs(X, y, K, Theta)


def initial_values(X: Array, y: Array, S: int, K: int, seed: int) -> Parameters[Array]:
    r"""Section 5.2, step 1, step 2 and step 3: the initial values.

    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 1, 0, 1])
    >>> initial_values(X, y, 1, 1, seed=0).centers
    array([[2.5]])
    """
    if S == 0:
        return parameter_arrays(Parameters([], [], [], np.eye(X.shape[1])))
    instances = X.tolist()
    directions = vectorized.discriminative_directions(X, y, K).tolist()
    labels = initialization.cluster_labels(instances, directions, S, seed)
    return parameter_arrays(initialization.clustered_parameters(instances, directions, labels))
