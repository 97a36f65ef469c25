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
        self, problem: PairData, parameters: list[Array], width: float, with_slopes: bool
    ) -> None:
        self.problem = problem
        self.width = width
        self.with_slopes = with_slopes
        self.centers, self.radii, self.metrics = parameters
        self.o = self.centers - problem.middle
        lengths = np.sqrt(np.einsum("sf,sf->s", self.o, self.o))
        self.power = ((self.radii - lengths) * (self.radii + lengths))[:, None]
        wide = (self.radii >= WIDE_SHARE * np.maximum(problem.reach, lengths)) & (
            self.radii < np.sqrt(np.finfo(float).max)
        )
        self.narrow = np.flatnonzero(~wide)
        self.alive = [bool(M.any()) for M in self.metrics]

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
        parts = self._measures(block.pairs, crossed, scratch)
        slack = block.signs * (parts.distances() - block.limits)
        # each hinge's slope
        share = np.clip(slack / self.width, 0, 1) if self.width else (slack > 0).astype(float)
        smoothed = float(block.weights @ (share * (slack - self.width / 2 * share)))
        g = float(block.weights @ np.maximum(slack, 0))
        if not self.with_slopes:
            return Sums(smoothed, g, ())
        weights = block.weights * share
        if "E2" not in self.problem.printed:
            weights *= block.signs
        positions = self._position_slopes(block.pairs, weights, parts)
        return Sums(
            smoothed, g, (*positions, self._metric_slopes(block.pairs, weights, parts, scratch))
        )

    def _chords(self, block: Hinges, scratch: Scratch) -> Chords:
        """Definition 8: by inner products where the ball is wide, and as in `pairs.chords` where it
        is not.
        """
        towards = self.o @ block.pairs.D
        towards -= block.along  # -W.D
        middle = towards * block.pairs.inverse_a
        half = (2 * self.o) @ block.pairs.X_i
        half += np.multiply(towards, middle, out=towards)
        half -= block.squares
        half += self.power
        half = half_chords(half, block.pairs.inverse_a)
        offset = np.empty(0)
        if len(self.narrow):
            X_i = self.problem.X[block.rows[0]].T
            few = chords(
                block.pairs._replace(X_i=X_i),
                scratch,
                self.centers[self.narrow],
                self.radii[self.narrow],
            )
            middle[self.narrow], half[self.narrow], offset = few
        return Chords(middle, half, offset)

    def _measures(self, pairs: Pairs, crossed: Chords, scratch: Scratch) -> Measures:
        """The parts of equation (9); the length in a region is 0 for pairs that do not meet it,
        where nothing depends on it.
        """
        lambda_u, lambda_v = crossed.line()
        met = (crossed.half > 0) & (lambda_u <= 1) & (lambda_v >= 0)
        gamma = np.clip(lambda_v, 0, 1, out=lambda_v)
        gamma -= np.clip(lambda_u, 0, 1, out=lambda_u)
        gamma_b = 1 - gamma.sum(axis=0)
        np.maximum(gamma_b, 0, out=gamma_b)
        lengths = np.zeros((len(self.metrics), len(gamma_b)))
        for M, is_alive, wanted, row in zip(
            self.metrics, self.alive, [*met, gamma_b > 0], lengths, strict=True
        ):
            if is_alive:
                columns, D = chosen(pairs.D, wanted)
                row[columns] = dots(np.matmul(M, D, out=scratch.array("product", *D.shape)), D)
        check_lengths(lengths, self.metrics)
        np.maximum(lengths, 0, out=lengths)
        return Measures(gamma, gamma_b, np.sqrt(lengths, out=lengths), crossed)

    def _metric_slopes(
        self, pairs: Pairs, weights: Array, parts: Measures, scratch: Scratch
    ) -> Array:
        """dD/dM = gamma d d^T / (2 D_M), so the sum over pairs is one matrix product, D diag(w)
        D^T.
        """
        shares = np.concatenate([parts.gamma, parts.gamma_b[None]])
        shares *= weights / 2
        shares /= np.where(parts.lengths > 0, parts.lengths, np.inf)
        slopes = np.empty_like(self.metrics)
        for share, slope in zip(shares, slopes, strict=True):
            columns, D = chosen(pairs.D, share != 0)
            np.matmul(
                np.multiply(D, share[columns], out=scratch.array("product", *D.shape)),
                D.T,
                out=slope,
            )
        return slopes

    def _position_slopes(
        self, pairs: Pairs, weights: Array, parts: Measures
    ) -> tuple[Array, Array]:
        """dD/do and dD/dr: dD/dgamma = D_M(A_s) - 1[gamma_b > 0] D_M(B) times Table 3; what a
        region gains, B loses.
        """
        of_background = parts.lengths[-1] * (parts.gamma_b > 0)
        if "E3" in self.problem.printed:
            of_background = -of_background
        by_gamma = (parts.lengths[:-1] - of_background) * weights
        of_offset, of_direction, of_radius = parts.chords.slopes(pairs.inverse_a, self.radii)
        by_radius = np.einsum("sp,sp->s", by_gamma, of_radius)
        of_offset *= by_gamma
        of_direction *= by_gamma
        along = of_direction + of_offset * parts.chords.middle  # the offset is x_i - o_s + middle D
        by_center = (
            of_offset @ pairs.X_i.T - of_offset.sum(axis=1)[:, None] * self.o + along @ pairs.D.T
        )
        if len(self.narrow):
            across = np.matmul(parts.chords.offset, of_offset[self.narrow, :, None])[:, :, 0]
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
