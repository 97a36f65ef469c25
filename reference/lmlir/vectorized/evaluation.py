"""One evaluation of g and its gradient by NumPy, block by block: chords, lengths, hinges,
slopes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from lmlir.vectorized.checks import Array, Indices, quiet
from lmlir.vectorized.pairs import (
    Chords,
    Measures,
    Pairs,
    Scratch,
    are_many,
    check_lengths,
    chords,
    dots,
    half_chords,
    pairs_of,
    prepared_blocks,
)

# A ball whose radius is at least this share of the data's reach and of its center's distance from
# the middle of the data is wide: there r^2 - h^2 from inner products errs by no more than a few
# roundings of r^2.
WIDE_SHARE = 0.5

# Where fewer than this share of a block's pairs is needed, copying their columns costs less than
# computing all.
SPARSE_SHARE = 0.6


class PairData(Protocol):
    """What an evaluation needs of a problem, and what does not depend on Theta."""

    X: Array
    middle: Array  # of the data
    reach: float  # the largest distance from the middle
    rows: Indices  # i and j, (pairs, 2)
    hinges: Array  # weights, signs and limits, (3, pairs)
    printed: frozenset[str]  # errata whose formula is used as printed


class Hinges(NamedTuple):
    """A block of pairs, measured from the middle of the data, and what each needs for its hinge
    [sign (D - limit)]_+.
    """

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


class Evaluation:
    """One evaluation of a problem: the data shared by its blocks.

    Only `sums` runs in threads, and it changes no attribute.

    With o_s and x_i measured from the middle of the data and W = x_i - o_s, the products of all
    pairs with all centers,

        W.D   = x_i.D - o_s.D
        |W|^2 = |x_i|^2 - 2 o_s.x_i + |o_s|^2

    are two small matrix products, where the differences W would be F numbers for each pair and
    region. They err by some roundings of the squared reach of the data, which is negligible for a
    wide ball. Other balls are computed by `pairs.chords`.
    """

    def __init__(
        self,
        problem: PairData,
        parameters: list[Array],
        width: float,
        with_slopes: bool,
    ) -> None:
        self.problem = problem
        self.width = width
        self.with_slopes = with_slopes
        self.centers, self.radii, self.metrics = parameters
        self.o = self.centers - problem.middle
        lengths = np.sqrt(np.einsum("sf,sf->s", self.o, self.o))
        self.power = ((self.radii - lengths) * (self.radii + lengths))[:, None]
        is_wide = self.radii >= WIDE_SHARE * np.maximum(problem.reach, lengths)
        is_wide &= self.radii < np.sqrt(np.finfo(float).max)
        self.narrow = np.flatnonzero(~is_wide)

    @staticmethod
    def slices(count: int, F: int) -> Iterator[slice]:
        """Divide `count` pairs into blocks."""
        return prepared_blocks(count, F)

    @staticmethod
    def gains_by_threads(count: int, F: int) -> bool:
        """Whether several threads are faster than one: short operations of NumPy wait for each
        other.
        """
        return are_many(count, F)

    @staticmethod
    def prepared(problem: PairData, block: slice) -> Any:
        """Compute the part of a block that does not depend on Theta."""
        i, j = problem.rows[block].T
        pairs = pairs_of(problem.X[i], problem.X[j])
        np.subtract(pairs.X_i, problem.middle[:, None], out=pairs.X_i)
        along = dots(pairs.X_i, pairs.D)
        squares = dots(pairs.X_i, pairs.X_i)
        return Hinges(np.stack([i, j]), pairs, along, squares, *problem.hinges[:, block])

    @quiet
    def sums(self, block: Any, scratch: Scratch) -> Sums:
        """Return the sums of one block: a prepared one, or a slice of the pairs."""
        if isinstance(block, slice):
            block = self.prepared(self.problem, block)
        crossed = self._chords(block, scratch)
        measured = self._measures(block.pairs, crossed, scratch)
        slack = block.signs * (measured.distances() - block.limits)
        # the slope of each hinge
        share = np.clip(slack / self.width, 0, 1) if self.width else (slack > 0).astype(float)
        smoothed = float(block.weights @ (share * (slack - self.width / 2 * share)))
        g = float(block.weights @ np.maximum(slack, 0))
        if not self.with_slopes:
            return Sums(smoothed, g, ())

        weights = block.weights * share
        if "E2" not in self.problem.printed:
            weights *= block.signs
        by_center, by_radius = self._position_slopes(block.pairs, weights, measured)
        by_metric = self._metric_slopes(block.pairs, weights, measured, scratch)
        return Sums(smoothed, g, (by_center, by_radius, by_metric))

    def _chords(self, block: Hinges, scratch: Scratch) -> Chords:
        """Definition 8: by inner products where the ball is wide, and as in `pairs.chords`
        where it is not.
        """
        towards = self.o @ block.pairs.D
        towards -= block.along  # -W.D
        middle = towards * block.pairs.inverse_a
        half = (2 * self.o) @ block.pairs.X_i
        half += np.multiply(towards, middle, out=towards)
        half -= block.squares
        half += self.power
        half = half_chords(half, block.pairs.inverse_a)
        if len(self.narrow) == 0:
            return Chords(middle, half, np.empty(0))

        pairs = block.pairs._replace(X_i=self.problem.X[block.rows[0]].T)
        narrow = chords(pairs, scratch, self.centers[self.narrow], self.radii[self.narrow])
        middle[self.narrow] = narrow.middle
        half[self.narrow] = narrow.half
        return Chords(middle, half, narrow.offset)

    def _measures(
        self,
        pairs: Pairs,
        crossed: Chords,
        scratch: Scratch,
    ) -> Measures:
        """The parts of equation (9); the length in a region is 0 for pairs that do not meet it,
        where nothing depends on it.
        """
        lambda_u, lambda_v = crossed.line()
        meets = (crossed.half > 0) & (lambda_u <= 1) & (lambda_v >= 0)
        gamma = np.clip(lambda_v, 0, 1, out=lambda_v)
        gamma -= np.clip(lambda_u, 0, 1, out=lambda_u)
        gamma_b = 1 - gamma.sum(axis=0)
        np.maximum(gamma_b, 0, out=gamma_b)

        lengths = np.zeros((len(self.metrics), len(gamma_b)))
        for M, wanted, row in zip(self.metrics, [*meets, gamma_b > 0], lengths, strict=True):
            if M.any():
                columns, D = chosen(pairs.D, wanted)
                product = scratch.array("product", *D.shape)
                row[columns] = dots(np.matmul(M, D, out=product), D)
        check_lengths(lengths, self.metrics)
        np.maximum(lengths, 0, out=lengths)
        np.sqrt(lengths, out=lengths)
        return Measures(gamma, gamma_b, lengths, crossed)

    def _metric_slopes(
        self,
        pairs: Pairs,
        weights: Array,
        measured: Measures,
        scratch: Scratch,
    ) -> Array:
        """dD/dM = gamma d d^T / (2 D_M), so the sum over pairs is one matrix product, D diag(w)
        D^T.
        """
        shares = np.concatenate([measured.gamma, measured.gamma_b[None]])
        shares *= weights / 2
        shares /= np.where(measured.lengths > 0, measured.lengths, np.inf)
        slopes = np.empty_like(self.metrics)
        for share, slope in zip(shares, slopes, strict=True):
            columns, D = chosen(pairs.D, share != 0)
            weighted = scratch.array("product", *D.shape)
            np.multiply(D, share[columns], out=weighted)
            np.matmul(weighted, D.T, out=slope)
        return slopes

    def _position_slopes(
        self,
        pairs: Pairs,
        weights: Array,
        measured: Measures,
    ) -> tuple[Array, Array]:
        """dD/do and dD/dr: dD/dgamma = D_M(A_s) - 1[gamma_b > 0] D_M(B) times Table 3; what a
        region gains, B loses.
        """
        crossed = measured.chords
        of_background = measured.lengths[-1] * (measured.gamma_b > 0)
        if "E3" in self.problem.printed:
            of_background = -of_background
        by_gamma = (measured.lengths[:-1] - of_background) * weights

        of_offset, of_direction, of_radius = crossed.slopes(pairs.inverse_a, self.radii)
        by_radius = np.einsum("sp,sp->s", by_gamma, of_radius)
        of_offset *= by_gamma
        of_direction *= by_gamma
        # the offset is x_i - o_s + middle D
        by_center = of_offset @ pairs.X_i.T
        by_center -= of_offset.sum(axis=1)[:, None] * self.o
        by_center += (of_direction + of_offset * crossed.middle) @ pairs.D.T
        if len(self.narrow):
            across = np.matmul(crossed.offset, of_offset[self.narrow, :, None])[:, :, 0]
            by_center[self.narrow] = across + of_direction[self.narrow] @ pairs.D.T
        return by_center, by_radius


def chosen(D: Array, wanted: Array) -> tuple[Indices | slice, Array]:
    """Return the indices and entries of the wanted columns of D, or of all columns where that costs
    less.
    """
    if np.count_nonzero(wanted) >= SPARSE_SHARE * len(wanted):
        return slice(None), D
    columns = np.flatnonzero(wanted)
    return columns, D.take(columns, axis=1)
