"""Section 5: the objective g, its gradient and the step of descent, for pairs that are prepared once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
from lmlir.vectorized.pairs import (
    Chords,
    Measures,
    Pairs,
    Scratch,
    are_many,
    check_lengths,
    chords,
    dots,
    pairs_of,
    prepared_blocks,
)
from lmlir.vectorized.threads import mapped, thread_count

# Blocks of pairs are kept between evaluations up to 64 MB of doubles; beyond that they are made again each time.
KEPT_NUMBERS = 2**23

# A ball whose radius is at least this share of the data's reach and of its center's distance from the middle of the data
# is wide: there r^2 - h^2 from inner products errs by no more than a few roundings of r^2.
WIDE = 0.5

# Where fewer than this share of a block's pairs count, taking out their columns costs less than computing all.
FEW = 0.6


class Hinges(NamedTuple):
    """A block of pairs, measured from the middle of the data, and what each needs for its hinge [sign (D - limit)]_+."""

    rows: Indices  # i and j, (2, pairs)
    pairs: Pairs
    along: Array  # x_i . D
    squares: Array  # |x_i|^2
    weights: Array
    signs: Array
    limits: Array


class Sums(NamedTuple):
    """What a block adds to the smoothed g, to g, and to the slopes by center, radius and metric."""

    smoothed: float
    g: float
    slopes: tuple[Array, ...]


class PairProblem:
    """Section 5: g and its gradient for one set of pairs, at as many parameters as training asks for.

    What does not change while Theta does is computed once: the differences of the pairs, their squared lengths, and
    which pairs are the same. (i, j) and (j, i) have the same distance, so mutual neighbors are computed once and
    count twice. `printed` names the errata among "E2", "E3", "E4" whose formula is used as printed. `n_jobs` threads
    share the blocks of pairs (None is 1, -1 all processors), where there are pairs enough for that to gain something; sums
    are added in the order of the blocks, so that the number of threads changes no digit.

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
    ) -> None:
        (X,) = double(*floats(X))
        self.X = checked_points("X", X, width(X)).copy()
        check_printed(printed)
        check_weights(alpha, C)
        self.alpha, self.C, self.printed = float(alpha), float(C), frozenset(printed)
        self.threads = thread_count(n_jobs)
        self.middle = self.X.sum(axis=0) / max(len(self.X), 1)
        self.reach = float(np.sqrt(((self.X - self.middle) ** 2).sum(axis=1)).max(initial=0))
        n = len(self.X)
        self._set_pairs(checked_indices("similar", similar, n), checked_indices("dissimilar", dissimilar, n))

    def _set_pairs(self, similar: Indices, dissimilar: Indices) -> None:
        """The distinct pairs, weight, sign and limit of each, and their blocks, unless those would take too much memory."""
        n = len(self.X)
        rows, hinges = [], []
        for pairs, sign, limit in ((similar, 1.0, 1 - self.C), (dissimilar, -1.0, 1 + self.C)):
            keys, counts = np.unique(np.sort(pairs, axis=1) @ np.array([n, 1]), return_counts=True)
            rows.append(np.stack(np.divmod(keys, n), axis=1))
            weights = counts / max(len(pairs), 1)
            hinges.append(np.stack([weights, np.full(len(keys), sign), np.full(len(keys), limit)]))
        self.rows, self.hinges = np.concatenate(rows), np.concatenate(hinges, axis=1)
        self.slices = list(prepared_blocks(len(self.rows), self.X.shape[1]))
        self.threads = self.threads if are_many(len(self.rows), self.X.shape[1]) else 1
        keep = 2 * self.X.shape[1] * len(self.rows) <= KEPT_NUMBERS
        self._kept = [self._made(block) for block in self.slices] if keep else None

    def _made(self, block: slice) -> Hinges:
        i, j = self.rows[block].T
        pairs = pairs_of(self.X[i], self.X[j])
        np.subtract(pairs.X_i, self.middle[:, None], out=pairs.X_i)
        along, squares = dots(pairs.X_i, pairs.D), dots(pairs.X_i, pairs.X_i)
        return Hinges(np.stack([i, j]), pairs, along, squares, *self.hinges[:, block])

    def _blocks(self) -> Sequence[Hinges | slice]:
        return self.slices if self._kept is None else self._kept

    def objective(self, Theta: Parameters) -> float:
        """Section 5.2: g at Theta."""
        return self._evaluate(self._checked(Theta), with_slopes=False)[2]

    def gradient(self, Theta: Parameters) -> Parameters[Array]:
        """Section 5.2: the gradient of g at Theta, in the shapes of Theta."""
        return self._evaluate(self._checked(Theta))[1]

    def objective_and_gradient(self, Theta: Parameters) -> tuple[float, Parameters[Array]]:
        """Section 5.2: g and its gradient at Theta, for little more than the price of the gradient."""
        return self._evaluate(self._checked(Theta))[:2]

    def smoothed(
        self, Theta: Parameters, width: float, definite: bool = False
    ) -> tuple[float, Parameters[Array], float]:
        """Choice C19: g with every hinge [t]_+ replaced by a quadratic over a width, its gradient, and g itself.

        `definite` says that the metrics are known to be positive semi-definite and need not be looked at.
        """
        return self._evaluate(self._checked(Theta, definite), width)

    def _checked(self, Theta: Parameters, definite: bool = False) -> list[Array]:
        return checked_parameters(self.X.shape[1], *double(*floats(*Theta)), definite=definite)

    @quiet
    def _evaluate(
        self, parameters: list[Array], width: float = 0.0, with_slopes: bool = True
    ) -> tuple[float, Parameters[Array], float]:
        """g with its hinges smoothed over a width, its gradient, and g."""
        metrics = parameters[2]
        norms = np.sqrt(np.einsum("sij,sij->s", metrics, metrics))
        smoothed = g = self.alpha * float(norms.sum())
        totals = [np.zeros_like(part) for part in parameters]
        evaluation = Evaluation(self, parameters, width, with_slopes)
        for sums in mapped(evaluation.sums, self._blocks(), self.threads):
            smoothed, g = smoothed + sums.smoothed, g + sums.g
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
        shrinkage: Array = inverse[:, None, None] * metrics
        return shrinkage


class Evaluation:
    """One evaluation of a problem: what its blocks have in common. Only `sums` runs in threads, and it changes nothing here.

    With o_s and x_i measured from the middle of the data and W = x_i - o_s, the products of all pairs with all centers,

        W.D   = x_i.D - o_s.D
        |W|^2 = |x_i|^2 - 2 o_s.x_i + |o_s|^2

    are two small matrix products, where the differences W would be F numbers for each pair and region. They err by some
    roundings of the squared reach of the data, which is nothing for a wide ball; for the others `pairs.chords` is asked.
    """

    def __init__(self, problem: PairProblem, parameters: list[Array], width: float, with_slopes: bool) -> None:
        self.problem, self.width, self.with_slopes = problem, width, with_slopes
        self.centers, self.radii, self.metrics = parameters
        self.o = self.centers - problem.middle
        lengths = np.sqrt(np.einsum("sf,sf->s", self.o, self.o))
        self.power = ((self.radii - lengths) * (self.radii + lengths))[:, None]
        wide = (self.radii >= WIDE * np.maximum(problem.reach, lengths)) & (self.radii < np.sqrt(np.finfo(float).max))
        self.narrow = np.flatnonzero(~wide)
        self.alive = [bool(M.any()) for M in self.metrics]

    @quiet
    def sums(self, block: Hinges | slice, scratch: Scratch) -> Sums:
        """What one block adds."""
        if isinstance(block, slice):
            block = self.problem._made(block)
        crossed = self._chords(block, scratch)
        parts = self._measures(block.pairs, crossed, scratch)
        slack = block.signs * (parts.distances() - block.limits)
        share = np.clip(slack / self.width, 0, 1) if self.width else (slack > 0).astype(float)  # each hinge's slope
        smoothed = float(block.weights @ (share * (slack - self.width / 2 * share)))
        g = float(block.weights @ np.maximum(slack, 0))
        if not self.with_slopes:
            return Sums(smoothed, g, ())
        weights = block.weights * share
        if "E2" not in self.problem.printed:
            weights *= block.signs
        positions = self._position_slopes(block.pairs, weights, parts)
        return Sums(smoothed, g, (*positions, self._metric_slopes(block.pairs, weights, parts, scratch)))

    def _chords(self, block: Hinges, scratch: Scratch) -> Chords:
        """Definition 8: by inner products where the ball is wide, and as in `pairs.chords` where it is not."""
        towards = self.o @ block.pairs.D
        towards -= block.along  # -W.D
        middle = towards * block.pairs.inverse_a
        half = (2 * self.o) @ block.pairs.X_i
        half += np.multiply(towards, middle, out=towards)
        half -= block.squares
        half += self.power
        np.maximum(half, 0, out=half)
        half *= block.pairs.inverse_a
        np.sqrt(half, out=half)
        offset = np.empty(0)
        if len(self.narrow):
            X_i = self.problem.X[block.rows[0]].T
            few = chords(block.pairs._replace(X_i=X_i), scratch, self.centers[self.narrow], self.radii[self.narrow])
            middle[self.narrow], half[self.narrow], offset = few
        return Chords(middle, half, offset)

    def _measures(self, pairs: Pairs, crossed: Chords, scratch: Scratch) -> Measures:
        """The parts of equation (9); the length in a region is 0 for pairs that do not meet it, where nothing depends on it."""
        lambda_u, lambda_v = crossed.line()
        met = (crossed.half > 0) & (lambda_u <= 1) & (lambda_v >= 0)
        gamma = np.clip(lambda_v, 0, 1, out=lambda_v)
        gamma -= np.clip(lambda_u, 0, 1, out=lambda_u)
        gamma_b = 1 - gamma.sum(axis=0)
        np.maximum(gamma_b, 0, out=gamma_b)
        lengths = np.zeros((len(self.metrics), len(gamma_b)))
        for M, is_alive, wanted, row in zip(self.metrics, self.alive, [*met, gamma_b > 0], lengths, strict=True):
            if is_alive:
                columns, D = chosen(pairs.D, wanted)
                row[columns] = dots(np.matmul(M, D, out=scratch.array("product", *D.shape)), D)
        check_lengths(lengths, self.metrics)
        np.maximum(lengths, 0, out=lengths)
        return Measures(gamma, gamma_b, np.sqrt(lengths, out=lengths), crossed)

    def _metric_slopes(self, pairs: Pairs, weights: Array, parts: Measures, scratch: Scratch) -> Array:
        """dD/dM = gamma d d^T / (2 D_M), so the sum over pairs is one matrix product, D diag(w) D^T."""
        shares = np.concatenate([parts.gamma, parts.gamma_b[None]])
        shares *= weights / 2
        shares /= np.where(parts.lengths > 0, parts.lengths, np.inf)
        slopes = np.empty_like(self.metrics)
        for share, slope in zip(shares, slopes, strict=True):
            columns, D = chosen(pairs.D, share != 0)
            np.matmul(np.multiply(D, share[columns], out=scratch.array("product", *D.shape)), D.T, out=slope)
        return slopes

    def _position_slopes(self, pairs: Pairs, weights: Array, parts: Measures) -> tuple[Array, Array]:
        """dD/do and dD/dr: dD/dgamma = D_M(A_s) - 1[gamma_b > 0] D_M(B) times Table 3; what a region gains, B loses."""
        of_background = parts.lengths[-1] * (parts.gamma_b > 0)
        if "E3" in self.problem.printed:
            of_background = -of_background
        by_gamma = (parts.lengths[:-1] - of_background) * weights
        of_offset, of_direction, of_radius = parts.chords.slopes(pairs.inverse_a, self.radii)
        by_radius = np.einsum("sp,sp->s", by_gamma, of_radius)
        of_offset *= by_gamma
        of_direction *= by_gamma
        along = of_direction + of_offset * parts.chords.middle  # the offset is x_i - o_s + middle D
        by_center = of_offset @ pairs.X_i.T - of_offset.sum(axis=1)[:, None] * self.o + along @ pairs.D.T
        if len(self.narrow):
            across = np.matmul(parts.chords.offset, of_offset[self.narrow, :, None])[:, :, 0]
            by_center[self.narrow] = across + of_direction[self.narrow] @ pairs.D.T
        return by_center, by_radius


def chosen(D: Array, wanted: Array) -> tuple[Indices | slice, Array]:
    """The columns of D that are wanted, or all of them, when that costs less: which they are, and their entries."""
    if np.count_nonzero(wanted) >= FEW * len(wanted):
        return slice(None), D
    columns = np.flatnonzero(wanted)
    return columns, D.take(columns, axis=1)


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
