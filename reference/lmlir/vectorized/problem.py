"""Section 5: the objective g, its gradient and the step of descent, for pairs that are prepared once."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

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
from lmlir.vectorized.pairs import Measures, Pairs, Scratch, measures, pair_blocks, pairs_of


class Hinges(NamedTuple):
    """Some pairs, what each weighs in g, and the sign and limit of its hinge [sign (D - limit)]_+."""

    pairs: Pairs
    weights: Array
    signs: Array
    limits: Array


class PairProblem:
    """Section 5: g and its gradient for one set of pairs, at as many parameters as training asks for.

    What does not change while Theta does is computed once: the differences of the pairs, their squared lengths, and
    which pairs are the same. (i, j) and (j, i) have the same distance, so mutual neighbors are computed once and
    count twice. `printed` names the errata among "E2", "E3", "E4" whose formula is used as printed.

    >>> problem = PairProblem([[0.0], [4.0]], [(0, 1)], [], alpha=0.5, C=0.5)
    >>> Theta = Parameters([[0.0]], [1.0], [[[4.0]]], [[1.0]])
    >>> problem.objective(Theta)
    7.0
    >>> problem.gradient(Theta).radii
    array([1.])
    """

    def __init__(
        self,
        X: ArrayLike,
        similar: ArrayLike,
        dissimilar: ArrayLike,
        alpha: float,
        C: float,
        printed: Collection[str] = (),
    ) -> None:
        (X,) = double(*floats(X))
        self.X = checked_points("X", X, width(X)).copy()
        check_printed(printed)
        check_weights(alpha, C)
        self.alpha, self.C, self.printed = float(alpha), float(C), frozenset(printed)
        self._made: dict[int, list[Hinges]] = {}
        n = len(self.X)
        self._set_pairs(checked_indices("similar", similar, n), checked_indices("dissimilar", dissimilar, n))

    def _set_pairs(self, similar: Indices, dissimilar: Indices) -> None:
        """The distinct pairs, and weight, sign and limit of each."""
        n = len(self.X)
        rows, hinges = [], []
        for pairs, sign, limit in ((similar, 1.0, 1 - self.C), (dissimilar, -1.0, 1 + self.C)):
            keys, counts = np.unique(np.sort(pairs, axis=1) @ np.array([n, 1]), return_counts=True)
            rows.append(np.stack(np.divmod(keys, n), axis=1))
            weights = counts / max(len(pairs), 1)
            hinges.append(np.stack([weights, np.full(len(keys), sign), np.full(len(keys), limit)]))
        self.rows, self.hinges = np.concatenate(rows), np.concatenate(hinges, axis=1)

    def _blocks(self, S: int) -> list[Hinges]:
        """The blocks for S regions, made when first asked for."""
        if S not in self._made:
            i, j = self.rows.T
            self._made = {
                S: [
                    Hinges(pairs_of(self.X[i[block]], self.X[j[block]]), *self.hinges[:, block])
                    for block in pair_blocks(len(i), S, self.X.shape[1])
                ]
            }
        return self._made[S]

    def objective(self, Theta: Parameters) -> float:
        """Section 5.2: g at Theta."""
        return self._evaluate(Theta, with_gradient=False)[0]

    def gradient(self, Theta: Parameters) -> Parameters[Array]:
        """Section 5.2: the gradient of g at Theta, in the shapes of Theta."""
        return self._evaluate(Theta, with_gradient=True)[1]

    def objective_and_gradient(self, Theta: Parameters) -> tuple[float, Parameters[Array]]:
        """Section 5.2: g and its gradient at Theta, for little more than the price of the gradient."""
        return self._evaluate(Theta, with_gradient=True)

    @quiet
    def _evaluate(self, Theta: Parameters, with_gradient: bool) -> tuple[float, Parameters[Array]]:
        _, radii, metrics = parameters = checked_parameters(self.X.shape[1], *double(*floats(*Theta)))
        g, sums, scratch = 0.0, [np.zeros_like(part) for part in parameters], Scratch()
        for block in self._blocks(len(radii)):
            parts = measures(block.pairs, scratch, *parameters)
            hinge = block.signs * (parts.distances() - block.limits)
            np.maximum(hinge, 0, out=hinge)
            g += float(block.weights @ hinge)
            if with_gradient:
                weights = block.weights * (hinge > 0)
                if "E2" not in self.printed:
                    weights *= block.signs
                self._add_metric_slopes(block.pairs, weights, parts, sums[2], scratch)
                self._add_position_slopes(block.pairs, weights, parts, radii, sums)
        norms = np.sqrt(np.einsum("sij,sij->s", metrics, metrics))
        g += self.alpha * float(norms.sum())
        by_center, by_radius, by_metric = sums
        by_metric += self._shrinkage(metrics, norms)
        return g, Parameters(by_center, by_radius, by_metric[:-1], by_metric[-1])

    def _shrinkage(self, metrics: Array, norms: Array) -> Array:
        """alpha M / norm_F(M), and 0 where M = 0; half of it as printed (E4)."""
        inverse = np.divide(self.alpha, norms, out=np.zeros_like(norms), where=norms > 0)
        if "E4" in self.printed:
            inverse /= 2
        shrinkage: Array = inverse[:, None, None] * metrics
        return shrinkage

    def _add_metric_slopes(
        self, pairs: Pairs, weights: Array, parts: Measures, by_metric: Array, scratch: Scratch
    ) -> None:
        """dD/dM = gamma d d^T / (2 D_M), so the sum over pairs is one matrix product, D diag(w) D^T."""
        shares = np.concatenate([parts.gamma, parts.gamma_b[None]])
        shares *= weights / 2
        shares = np.divide(shares, parts.lengths, out=np.zeros_like(shares), where=parts.lengths > 0)
        product = scratch.array("product", *pairs.D.shape)
        for share, total in zip(shares, by_metric, strict=True):
            total += np.multiply(pairs.D, share, out=product) @ pairs.D.T

    def _add_position_slopes(
        self, pairs: Pairs, weights: Array, parts: Measures, radii: Array, sums: list[Array]
    ) -> None:
        """dD/do and dD/dr: dD/dgamma = D_M(A_s) - 1[gamma_b > 0] D_M(B) times Table 3; what a region gains, B loses."""
        of_background = parts.lengths[-1] * (parts.gamma_b > 0)
        if "E3" in self.printed:
            of_background = -of_background
        by_gamma = (parts.lengths[:-1] - of_background) * weights
        of_offset, of_direction, of_radius = parts.chords.slopes(pairs.inverse_a, radii)
        along = (by_gamma * of_direction) @ pairs.D.T
        across = np.matmul(parts.chords.offset, (by_gamma * of_offset)[:, :, None])[:, :, 0]
        sums[0] += along + across
        sums[1] += np.einsum("sp,sp->s", by_gamma, of_radius)


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
    """Section 5.2: the gradient of g with respect to centers, radii, local metrics and background metric.

    >>> objective_gradient([[0.0], [4.0]], [(0, 1)], [], [[0.0]], [1.0], [[[4.0]]], [[1.0]], 0.0, 0.5).radii
    array([1.])
    """
    X, *Theta = floats(X, centers, radii, local_metrics, background_metric)
    gradient = PairProblem(X, similar, dissimilar, alpha, C, printed).gradient(Parameters(*Theta))
    return Parameters(*(part.astype(X.dtype, copy=False) for part in gradient))


def nearest_positive_semidefinite(metrics: ArrayLike, rounding: ArrayLike = 0.0) -> Array:
    """Choice C2: the nearest positive semi-definite matrix to each of (..., F, F) symmetric matrices.

    Eigenvalues below `rounding`, one number or one a matrix, cannot be told from 0 and become 0, too.

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
    clipped = (vectors * np.where(is_zero, 0, values)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    clipped = (clipped + np.swapaxes(clipped, -1, -2)) / 2
    return np.where(is_zero.any(axis=-1, keepdims=True)[..., None], clipped, M)


def descended_metrics(metrics: ArrayLike, slopes: ArrayLike, beta: float) -> Array:
    """Section 5.2: metrics (..., F, F) minus beta times their slopes, projected; what is left of a dying one is 0.

    >>> descended_metrics([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 4.0]], beta=0.5)
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    M, slope = floats(metrics, slopes)
    change = beta * slope
    length = np.hypot.reduce(np.hypot.reduce(change, axis=-1), axis=-1)  # which does not overflow on the way
    return nearest_positive_semidefinite(M - change, ROUNDINGS * np.finfo(M.dtype).eps * length)


def descended(Theta: Parameters, gradient: Parameters, beta: float) -> Parameters[Array]:
    """Section 5.2: Theta - beta gradient, metrics projected onto the cone (choice C2), radii onto r >= 0 (choice C3).

    >>> one = np.ones((1, 1))
    >>> descended(Parameters(one, [1.0], [one], one), Parameters(one, [4.0], [one], 3 * one), beta=0.5).radii
    array([0.])
    """
    parts = floats(*Theta, *gradient)
    centers, radii = (part - beta * slope for part, slope in zip(parts[:2], parts[4:6], strict=True))
    A, B = (descended_metrics(part, slope, beta) for part, slope in zip(parts[2:4], parts[6:], strict=True))
    return Parameters(centers, np.maximum(radii, 0), A, B)


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
    """Section 5.2: the parameters after one step of gradient descent, projected onto what they may be.

    >>> descent_step([[0.0], [4.0]], [(0, 1)], [], [[0.0]], [1.0], [[[4.0]]], [[1.0]], 0.0, 0.5, 0.25).radii
    array([0.75])
    """
    if not np.isfinite(beta):
        raise ValueError(f"beta must be finite, got beta={beta}")
    X, *parts = floats(X, centers, radii, local_metrics, background_metric)
    Theta = Parameters(*double(*parts))
    step = descended(Theta, PairProblem(X, similar, dissimilar, alpha, C, printed).gradient(Theta), beta)
    return Parameters(*(part.astype(X.dtype, copy=False) for part in step))
