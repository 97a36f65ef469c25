"""Section 5: the objective g, its gradient and the step of descent, for pairs that are prepared
once.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lmlir.descent import ROUNDINGS
from lmlir.gradient import check_printed
from lmlir.objective import check_weights
from lmlir.scalars import Parameters
from lmlir.vectorized.checks import (
    Array,
    Indices,
    checked_indices,
    checked_parameters,
    checked_points,
    double,
    floats,
    quiet,
    width,
)
from lmlir.vectorized.evaluation import Evaluation
from lmlir.vectorized.threads import mapped, thread_count

# Blocks of pairs are kept between evaluations up to 64 MB of doubles; beyond that they are made
# again each time.
MAX_KEPT_NUMBERS = 2**23


class PairProblem:
    """Section 5: g and its gradient for one set of pairs, at any number of parameters Theta.

    What does not change while Theta does is computed once: the differences of the pairs, their
    squared lengths, and which pairs are the same. (i, j) and (j, i) have the same distance, so
    mutual neighbors are computed once and count twice. `printed` names the errata among "E2", "E3",
    "E4" whose formula is used as printed. `n_jobs` threads share the blocks of pairs (None is 1, -1
    all processors) if there are enough pairs to gain by it. Sums are added in the order of the
    blocks, so the number of threads changes no digit. `compiled` evaluates by the loops of
    `lmlir.vectorized.compiled`, which need Numba. They are faster, use threads for few pairs, too,
    and round differently.

    >>> problem = PairProblem([[0.0], [4.0]], [(0, 1)], [], alpha=0.5, C=0.5)
    >>> Theta = Parameters([[0.0]], [1.0], [[[4.0]]], [[1.0]])
    >>> problem.objective(Theta)
    7.0
    >>> problem.gradient(Theta).radii
    array([1.])
    """

    @quiet
    def __init__(
        self,
        X: ArrayLike,
        similar: ArrayLike,
        dissimilar: ArrayLike,
        alpha: float,
        C: float,
        printed: Collection[str] = (),
        n_jobs: int | None = None,
        compiled: bool = False,
    ) -> None:
        (X,) = double(*floats(X))
        self.X = checked_points("X", X, width(X)).copy()
        check_printed(printed)
        check_weights(alpha, C)
        self.alpha = float(alpha)
        self.C = float(C)
        self.printed = frozenset(printed)
        self.threads = thread_count(n_jobs)
        self.evaluation = compiled_evaluation() if compiled else Evaluation

        self.middle = self.X.sum(axis=0) / max(len(self.X), 1)
        self.reach = float(np.sqrt(((self.X - self.middle) ** 2).sum(axis=1)).max(initial=0))
        n = len(self.X)
        similar = checked_indices("similar", similar, n)
        dissimilar = checked_indices("dissimilar", dissimilar, n)
        self._set_pairs(similar, dissimilar)

    def _set_pairs(self, similar: Indices, dissimilar: Indices) -> None:
        """Store the distinct pairs, their weights, signs and limits, and their blocks if these fit
        into memory.
        """
        n, F = self.X.shape
        rows = []
        hinges = []
        for pairs, sign, limit in ((similar, 1.0, 1 - self.C), (dissimilar, -1.0, 1 + self.C)):
            numbers = np.sort(pairs, axis=1) @ np.array([n, 1])  # i n + j, with i <= j
            distinct, counts = np.unique(numbers, return_counts=True)
            rows.append(np.stack(np.divmod(distinct, n), axis=1))
            table = np.empty((3, len(counts)))
            table[0] = counts / max(len(pairs), 1)
            table[1] = sign
            table[2] = limit
            hinges.append(table)
        self.rows = np.concatenate(rows)
        self.hinges = np.concatenate(hinges, axis=1)

        count = len(self.rows)
        if not self.evaluation.gains_by_threads(count, F):
            self.threads = 1
        self._blocks: list[Any] = list(self.evaluation.slices(count, F))
        if 2 * F * count <= MAX_KEPT_NUMBERS:
            self._blocks = [self.evaluation.prepared(self, block) for block in self._blocks]

    def objective(self, Theta: Parameters) -> float:
        """Section 5.2: g at Theta."""
        return self._evaluate(self._checked(Theta), with_slopes=False)[2]

    def gradient(self, Theta: Parameters) -> Parameters[Array]:
        """Section 5.2: the gradient of g at Theta, in the shapes of Theta."""
        return self._evaluate(self._checked(Theta))[1]

    def objective_and_gradient(self, Theta: Parameters) -> tuple[float, Parameters[Array]]:
        """Section 5.2: g and its gradient at Theta, for little more than the cost of the
        gradient.
        """
        return self._evaluate(self._checked(Theta))[:2]

    def smoothed(
        self,
        Theta: Parameters,
        width: float,
        definite: bool = False,
    ) -> tuple[float, Parameters[Array], float]:
        """Choice C19: g with every hinge [t]_+ replaced by a quadratic over a width, its gradient,
        and g itself.

        With `definite` the metrics are taken to be positive semi-definite and are not checked.
        """
        return self._evaluate(self._checked(Theta, definite), width)

    def _checked(self, Theta: Parameters, definite: bool = False) -> list[Array]:
        return checked_parameters(self.X.shape[1], *double(*floats(*Theta)), definite=definite)

    @quiet
    def _evaluate(
        self,
        parameters: list[Array],
        width: float = 0.0,
        with_slopes: bool = True,
    ) -> tuple[float, Parameters[Array], float]:
        """g with its hinges smoothed over a width, its gradient, and g."""
        metrics = parameters[2]
        norms = np.sqrt(np.einsum("sij,sij->s", metrics, metrics))
        if not np.isfinite(norms).all():
            raise ValueError(
                "metrics must have norms in the range of float64, got entries up to "
                f"{metrics.max()}"
            )
        smoothed = g = self.alpha * float(norms.sum())
        totals = [np.zeros_like(array) for array in parameters]
        evaluation = self.evaluation(self, parameters, width, with_slopes)
        for sums in mapped(evaluation.sums, self._blocks, self.threads):
            smoothed = smoothed + sums.smoothed
            g = g + sums.g
            for total, slope in zip(totals, sums.slopes, strict=False):
                total += slope
        by_center, by_radius, by_metric = totals
        by_metric += self._shrinkage(metrics, norms)
        return smoothed, Parameters(by_center, by_radius, by_metric[:-1], by_metric[-1]), g

    def _shrinkage(self, metrics: Array, norms: Array) -> Array:
        """alpha M / norm_F(M), and 0 where M = 0; half of it as printed (E4)."""
        inverse = np.divide(self.alpha, norms, out=np.zeros_like(norms), where=norms > 0)
        if "E4" in self.printed:
            inverse /= 2
        return inverse[:, None, None] * metrics


def compiled_evaluation() -> type[Evaluation]:
    """Return the evaluation by compiled loops, or raise an error that names the extra to
    install.
    """
    try:
        from lmlir.vectorized.compiled import CompiledEvaluation
    except ImportError as error:
        raise ImportError(
            f"compiled evaluation needs Numba: pip install 'lmlir[numba]' ({error})"
        ) from None
    return CompiledEvaluation


def objective(
    X: ArrayLike,
    similar: ArrayLike,
    dissimilar: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
    alpha: float,
    C: float,
) -> float:
    """Section 5.2: the objective g.

    >>> objective([[0.0], [4.0]], [(0, 1)], [], [[0.0]], [1.0], [[[4.0]]], [[1.0]], 0.5, 0.5)
    7.0
    """
    Theta = Parameters(centers, radii, local_metrics, background_metric)
    return PairProblem(X, similar, dissimilar, alpha, C).objective(Theta)


@quiet
def objective_gradient(
    X: ArrayLike,
    similar: ArrayLike,
    dissimilar: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
    alpha: float,
    C: float,
    printed: Collection[str] = (),
) -> Parameters[Array]:
    """Section 5.2: the gradient of g with respect to centers, radii, local metrics and background
    metric.

    >>> objective_gradient(
    ...     [[0.0], [4.0]], [(0, 1)], [], [[0.0]], [1.0], [[[4.0]]], [[1.0]], 0.0, 0.5
    ... ).radii
    array([1.])
    """
    X, *Theta = floats(X, centers, radii, local_metrics, background_metric)
    gradient = PairProblem(X, similar, dissimilar, alpha, C, printed).gradient(Parameters(*Theta))
    return _rounded(gradient, X.dtype)


def nearest_positive_semidefinite(metrics: ArrayLike, rounding: ArrayLike = 0.0) -> Array:
    """Choice C2: the nearest positive semi-definite matrix to each of (..., F, F) symmetric
    matrices.

    Eigenvalues below `rounding`, one number or one per matrix, are rounding errors of 0 and become
    0, too.

    >>> nearest_positive_semidefinite([[2.0, 0.0], [0.0, -1.0]])
    array([[2., 0.],
           [0., 0.]])
    """
    (M,) = floats(metrics)
    M = (M + np.swapaxes(M, -1, -2)) / 2
    if M.size == 0:
        return M
    values, vectors = np.linalg.eigh(M)
    is_zero = np.less(values, np.asarray(rounding)[..., None])
    values[is_zero] = 0
    clipped = (vectors * values[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    clipped = (clipped + np.swapaxes(clipped, -1, -2)) / 2
    is_changed = is_zero.any(axis=-1)[..., None, None]
    return np.where(is_changed, clipped, M)


def descended_metrics(metrics: ArrayLike, slopes: ArrayLike, beta: float) -> Array:
    """Section 5.2: metrics (..., F, F) minus beta times their slopes, projected; a remainder below
    rounding becomes 0.

    >>> descended_metrics([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 4.0]], beta=0.5)
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    M, slope = floats(metrics, slopes)
    change = beta * slope
    # the norm by hypot, whose squares cannot overflow
    row_lengths = np.hypot.reduce(change, axis=-1)
    length = np.hypot.reduce(row_lengths, axis=-1)
    rounding = ROUNDINGS * np.finfo(M.dtype).eps * length
    return nearest_positive_semidefinite(M - change, rounding)


def descended(Theta: Parameters, gradient: Parameters, beta: float) -> Parameters[Array]:
    """Section 5.2: Theta minus beta times the gradient, with the metrics projected onto the
    positive semi-definite cone (choice C2) and the radii onto r >= 0 (choice C3).

    >>> one = np.ones((1, 1))
    >>> descended(
    ...     Parameters(one, [1.0], [one], one), Parameters(one, [4.0], [one], 3 * one), beta=0.5
    ... ).radii
    array([0.])
    """
    centers, radii, A, B, by_center, by_radius, by_A, by_B = floats(*Theta, *gradient)
    return Parameters(
        centers - beta * by_center,
        np.maximum(radii - beta * by_radius, 0),
        descended_metrics(A, by_A, beta),
        descended_metrics(B, by_B, beta),
    )


@quiet
def descent_step(
    X: ArrayLike,
    similar: ArrayLike,
    dissimilar: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
    alpha: float,
    C: float,
    beta: float,
    printed: Collection[str] = (),
) -> Parameters[Array]:
    """Section 5.2: the parameters after one step of gradient descent, projected onto the admissible
    set.

    >>> descent_step(
    ...     [[0.0], [4.0]], [(0, 1)], [], [[0.0]], [1.0], [[[4.0]]], [[1.0]], 0.0, 0.5, 0.25
    ... ).radii
    array([0.75])
    """
    if not np.isfinite(beta):
        raise ValueError(f"beta must be finite, got beta={beta}")
    X, *arrays = floats(X, centers, radii, local_metrics, background_metric)
    Theta = Parameters(*double(*arrays))
    gradient = PairProblem(X, similar, dissimilar, alpha, C, printed).gradient(Theta)
    return _rounded(descended(Theta, gradient, beta), X.dtype)


def _rounded(arrays: Parameters, dtype: Any) -> Parameters[Array]:
    """Convert computed parameters or slopes to the precision of the arguments."""
    return Parameters(*(array.astype(dtype, copy=False) for array in arrays))
