"""Engines behind one interface: "reference", the paper's loops, "vectorized", the twin's arrays, "compiled", loops by Numba."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lmlir import descent, distance, gradient, initialization, objective, vectorized
from lmlir.learning.smoothing import hinge_slope, smoothed_hinge
from lmlir.scalars import Parameters
from lmlir.vectorized.threads import thread_count

Array = NDArray[Any]


class Block(NamedTuple):
    """Parameters that move together: all "metrics", or the "centers" or "radii" entry of region s."""

    name: str
    s: int = 0


class Problem(ABC):
    """What the rules of descent ask of an engine: g, its gradient, and a step of some of the parameters."""

    @abstractmethod
    def objective(self, Theta: Parameters) -> float:
        """Section 5.2: g at Theta."""

    @abstractmethod
    def objective_and_gradient(self, Theta: Parameters) -> tuple[float, Parameters[Array]]:
        """Section 5.2: g and its gradient at Theta."""

    @abstractmethod
    def smoothed(self, Theta: Parameters, width: float) -> tuple[float, Parameters[Array], float]:
        """Choice C19: g with hinges smoothed over a width, its gradient, and g itself."""

    @abstractmethod
    def moved_metrics(self, metrics: Array, slopes: Array, beta: float) -> Array:
        """Section 5.2: (..., F, F) metrics moved against their slopes, projected (choice C2)."""

    def moved(self, Theta: Parameters[Array], slope: Parameters[Array], block: Block, beta: float) -> Parameters[Array]:
        """Section 5.2: Theta with one block moved against its slope, projected (choices C2 and C3)."""
        if block.name == "metrics":
            local = self.moved_metrics(Theta.local_metrics, slope.local_metrics, beta)
            background = self.moved_metrics(Theta.background_metric, slope.background_metric, beta)
            return Theta._replace(local_metrics=local, background_metric=background)
        part = getattr(Theta, block.name).copy()
        part[block.s] -= beta * getattr(slope, block.name)[block.s]
        if block.name == "radii":
            part[block.s] = np.maximum(part[block.s], 0)
        return Theta._replace(**{block.name: part})


class ReferenceProblem(Problem):
    """The reference's loops; slow, and obviously the paper."""

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
        self.similar, self.dissimilar = ([(int(i), int(j)) for i, j in pairs] for pairs in (similar, dissimilar))
        self.alpha, self.C, self.printed = alpha, C, printed
        thread_count(n_jobs)  # one thread does it here, but nonsense is refused

    def _arguments(self, Theta: Parameters, *further: Any) -> tuple[Any, ...]:
        lists = (np.asarray(part).tolist() for part in Theta)
        return self.X, self.similar, self.dissimilar, *lists, self.alpha, self.C, *further

    def objective(self, Theta: Parameters) -> float:
        """Section 5.2: g at Theta."""
        return float(objective.objective(*self._arguments(Theta)))

    def objective_and_gradient(self, Theta: Parameters) -> tuple[float, Parameters[Array]]:
        """Section 5.2: g and its gradient at Theta."""
        slope = gradient.objective_gradient(*self._arguments(Theta, self.printed))
        return self.objective(Theta), parameter_arrays(slope)

    def smoothed(self, Theta: Parameters, width: float) -> tuple[float, Parameters[Array], float]:
        """Choice C19: g with hinges smoothed over a width, its gradient, and g itself."""
        X, similar, dissimilar, *lists, alpha, C = self._arguments(Theta)
        Theta = Parameters(*lists)
        total = objective.penalty(Theta.local_metrics, Theta.background_metric, alpha)
        slope = gradient.objective_gradient(X, [], [], *Theta, alpha, C, self.printed)  # of the penalty alone
        for pairs, sign, limit in ((similar, 1, 1 - C), (dissimilar, -1, 1 + C)):
            for i, j in pairs:
                slack = sign * (distance.distance(X[i], X[j], *Theta) - limit)
                weight = hinge_slope(slack, width)
                total += smoothed_hinge(slack, width) / len(pairs)
                if weight > 0:
                    direction = 1 if "E2" in self.printed else sign
                    gradient.add_pair(slope, X[i], X[j], Theta, direction * len(pairs) / weight, self.printed)
        return float(total), parameter_arrays(slope), self.objective(Theta)

    def moved_metrics(self, metrics: Array, slopes: Array, beta: float) -> Array:
        """Section 5.2: (..., F, F) metrics moved against their slopes, projected (choice C2)."""
        each = zip(*(part.reshape(-1, *part.shape[-2:]).tolist() for part in (metrics, slopes)), strict=True)
        return np.array([descent.descended_metric(M, slope, beta) for M, slope in each]).reshape(metrics.shape)


class VectorizedProblem(vectorized.PairProblem, Problem):
    """The twin's arrays."""

    def smoothed(
        self, Theta: Parameters, width: float, definite: bool = True
    ) -> tuple[float, Parameters[Array], float]:
        """Choice C19: g with hinges smoothed over a width, its gradient, and g itself."""
        return super().smoothed(Theta, width, definite)  # the metrics of the default rule are L L^T

    def moved_metrics(self, metrics: Array, slopes: Array, beta: float) -> Array:
        """Section 5.2: (..., F, F) metrics moved against their slopes, projected (choice C2)."""
        return vectorized.descended_metrics(metrics, slopes, beta)


ENGINES: dict[str, Callable[..., Problem]] = {
    "vectorized": VectorizedProblem,
    "compiled": partial(VectorizedProblem, compiled=True),
    "reference": ReferenceProblem,
}


def parameter_arrays(Theta: Parameters) -> Parameters[Array]:
    """Theta as four float arrays, of shapes (S, F), (S,), (S, F, F) and (F, F) even when there is no region.

    >>> parameter_arrays(Parameters([], [], [], [[1]])).centers.shape
    (0, 1)
    """
    S, F = len(Theta.radii), len(Theta.background_metric)
    shapes = ((S, F), (S,), (S, F, F), (F, F))
    return Parameters(*(np.array(part, dtype=float).reshape(shape) for part, shape in zip(Theta, shapes, strict=True)))


def training_pairs(X: Array, y: Array, K: int, engine: str) -> tuple[Array, Array]:
    r"""Section 5.1: the similar and the dissimilar pairs, in the Euclidean distance, built once (choice C5).

    >>> training_pairs(np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1]), 1, "reference")[0].tolist()
    [[0, 1], [1, 0], [2, 3], [3, 2]]
    """
    if engine == "reference":
        lists = X.tolist(), y.tolist(), K
        return np.array(objective.similar_pairs(*lists)), np.array(objective.dissimilar_pairs(*lists))
    return vectorized.similar_pairs(X, y, K), vectorized.dissimilar_pairs(X, y, K)


def learned_pairs(X: Array, y: Array, K: int, Theta: Parameters) -> tuple[Array, Array]:
    r"""Section 5.1: the similar and the dissimilar pairs, in the distance that was learned; ties by index (choice C9).

    >>> X = np.array([[0.0, 0.0], [0.0, 3.0], [1.0, 0.0], [9.0, 0.0]])
    >>> Theta = Parameters([], [], [], [[1.0, 0.0], [0.0, 0.01]])  # the second feature hardly counts
    >>> learned_pairs(X, np.array([0, 0, 1, 1]), 1, Theta)[0].tolist()
    [[0, 1], [1, 0], [2, 3], [3, 2]]
    """
    return vectorized.similar_pairs(X, y, K, Theta), vectorized.dissimilar_pairs(X, y, K, Theta)


def initial_values(X: Array, y: Array, S: int, K: int, seed: int, engine: str) -> Parameters[Array]:
    r"""Section 5.2, step 1, step 2 and step 3: the initial values, by loops or with the twin's directions.

    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 1, 0, 1])
    >>> initial_values(X, y, 1, 1, seed=0, engine="vectorized").centers
    array([[2.5]])
    """
    if engine == "reference" or S == 0:
        return parameter_arrays(initialization.initial_parameters(X.tolist(), y.tolist(), S, K, seed))
    directions = vectorized.discriminative_directions(X, y, K).tolist()
    labels = initialization.cluster_labels(X.tolist(), directions, S, seed)
    return parameter_arrays(initialization.clustered_parameters(X.tolist(), directions, labels))
