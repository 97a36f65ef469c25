"""Row p of `X_i` with row p of `X_j`, block by block: ratios and their gradients, lengths,
distances.

Square roots are taken of (r - h)(r + h), with h the distance of the center from the line, instead
of b^2 - 4ac: the printed form subtracts nearly equal numbers when the ball is small and far away.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lmlir.vectorized.checks import Array, checked, double, quiet

# All arrays of a block of pairs together: 1 MB of doubles. NumPy needs a microsecond to start an
# operation, so that a block has some hundred pairs at least.
BLOCK_NUMBERS = 2**17
MIN_BLOCK_PAIRS = 256

# Prepared blocks are larger, because many operations use one number per pair. One thread computes
# smaller problems alone: with German's 600,000 numbers two threads, which take turns between
# operations, were measured to be slower.
PREPARED_BLOCK_NUMBERS = 2**19
MIN_THREADED_NUMBERS = 2**21


def slices(count: int, step: int) -> Iterator[slice]:
    """The numbers below count, `step` at a time.

    >>> list(slices(5, 3))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def blocks(count: int, numbers: int) -> Iterator[slice]:
    """Blocks of items that need `numbers` numbers each."""
    size = BLOCK_NUMBERS // max(numbers, 1)
    return slices(count, max(size, MIN_BLOCK_PAIRS))


def pair_blocks(count: int, S: int, F: int) -> Iterator[slice]:
    """Blocks of pairs: a pair needs F numbers for each region, for x_i, for its difference and for
    a product.
    """
    return blocks(count, (S + 3) * F)


def are_many(count: int, F: int) -> bool:
    """Whether `count` pairs are enough for threads to be faster: x_i, its difference and a product
    each.

    >>> are_many(8000, 24), are_many(80_000, 24)
    (False, True)
    """
    return 3 * F * count > MIN_THREADED_NUMBERS


def prepared_blocks(count: int, F: int) -> Iterator[slice]:
    """Blocks of pairs of the same size, without an array for each region: x_i, its difference and a
    product.

    >>> [block.stop - block.start for block in prepared_blocks(20_000, 24)]
    [5000, 5000, 5000, 5000]
    """
    largest = max(PREPARED_BLOCK_NUMBERS // (3 * F), MIN_BLOCK_PAIRS)
    number = max(block_count(count, largest), 1)
    size = -(-count // number)
    return slices(count, max(size, 1))


def block_count(count: int, largest: int) -> int:
    """How many blocks of at most `largest` pairs: an even number, so that two threads have the same
    work, unless one is enough.

    >>> block_count(5, 5), block_count(11, 5)
    (1, 4)
    """
    number = -(-count // largest)
    if number > 1:
        number += number % 2
    return number


def workspace(count: int, size: int, dtype: Any = np.float64) -> list[Array]:
    """Arrays for one block, each beginning on a cache line, no two at the same place of a memory
    page.

    A 64-byte register that straddles two cache lines works at half the speed, and a processor that
    has just written to one page hesitates to read the same place of another.
    """
    itemsize = np.dtype(dtype).itemsize
    line = 64 // itemsize
    lines = -(-size // line)
    stride = (lines + 9) * line
    raw = np.empty(count * stride + line, dtype=dtype)

    arrays = []
    start = -raw.ctypes.data % 64 // itemsize
    for _ in range(count):
        arrays.append(raw[start : start + size])
        start += stride
    return arrays


class Scratch:
    """Named arrays that are reused for the next block, because fresh memory is slower than the
    computation.
    """

    def __init__(self) -> None:
        self.flat: dict[str, Array] = {}

    def array(
        self,
        name: str,
        *shape: int,
        dtype: Any = np.float64,
    ) -> Array:
        """Return the array of this name in this shape, with its old contents.

        A name has one type.
        """
        size = math.prod(shape)
        if name not in self.flat or self.flat[name].size < size:
            (self.flat[name],) = workspace(1, size, dtype)
        return self.flat[name][:size].reshape(shape)


def dots(U: Array, V: Array) -> Array:
    """Inner products of columns: features come second to last, pairs last.

    No array of products is made.
    """
    return np.einsum("...fp,...fp->...p", U, V)


class Pairs(NamedTuple):
    """A block of pairs, features first: arrays (F, pairs), and (pairs,) for 1 / a.

    1 / a is 0 where x_i = x_j: with it every coefficient of such a pair comes out as 0, without a
    branch.
    """

    X_i: Array
    D: Array
    inverse_a: Array


def pairs_of(X_i: Array, X_j: Array) -> Pairs:
    """A block from rows of points, in double precision."""
    shape = X_i.shape[::-1]
    flat_starts, flat_differences = workspace(2, X_i.size)
    starts = flat_starts.reshape(shape)
    D = flat_differences.reshape(shape)
    starts[...] = X_i.T
    np.subtract(X_j.T, starts, out=D)

    a = dots(D, D)
    check_squares(a, D)
    inverse_a = np.divide(1, a, out=np.zeros_like(a), where=a != 0)
    return Pairs(starts, D, inverse_a)


def check_squares(a: Array, D: Array) -> None:
    """Squared lengths must neither overflow nor vanish; the columns of D are the differences."""
    limits = np.finfo(np.float64)
    tiny = limits.tiny / limits.eps
    if a.size and (not np.isfinite(a.max()) or a.min() < tiny):
        bad = ~np.isfinite(a) | (a < tiny) & D.any(axis=0)
        if bad.any():
            worst = D[:, bad.argmax()].tolist()
            raise ValueError(
                "the length of a difference must have a square in the range of float64, got "
                f"{worst}"
            )


class Chords(NamedTuple):
    """Where the lines of a block cross all spheres: arrays (S, pairs), and (S, F, pairs) for the
    offset.
    """

    middle: Array
    half: Array
    offset: Array

    def line(self) -> tuple[Array, Array]:
        """lambda_u and lambda_v."""
        return self.middle - self.half, self.middle + self.half

    def segment(self) -> tuple[Array, Array]:
        """lambda_p and lambda_q: clipped to [0, 1], which gives all eight rows of Table 2 without a
        branch.
        """
        lambda_u, lambda_v = self.line()
        lambda_p = np.clip(lambda_u, 0, 1, out=lambda_u)
        lambda_q = np.clip(lambda_v, 0, 1, out=lambda_v)
        return lambda_p, lambda_q

    def ratios(self) -> Array:
        """gamma."""
        lambda_p, lambda_q = self.segment()
        lambda_q -= lambda_p
        return lambda_q

    def slopes(self, inverse_a: Array, radii: Array) -> tuple[Array, Array, Array]:
        """Table 3: three arrays (S, pairs), from which the derivatives of gamma are

            d gamma / d o = of_offset * offset + of_direction * D,  D = x_j - x_i
            d gamma / d r = by_radius

        All five rows of the table are e_v d lambda_v - e_u d lambda_u, where e is 1 if
        the line enters (u) or leaves (v) the ball on the segment, else 0. lambda_u and
        lambda_v are middle -+ half. With o, middle moves by D / a and half by
        offset / (a half); with r, half moves by r / (a half). Where the line misses or
        touches the ball all are 0.
        """
        lambda_u, lambda_v = self.line()
        crosses = self.half > 0
        e_u = (crosses & (lambda_u >= 0) & (lambda_u <= 1)).astype(np.float64)
        e_v = (crosses & (lambda_v >= 0) & (lambda_v <= 1)).astype(np.float64)
        of_offset = inverse_a / np.where(crosses, self.half, np.inf) * (e_u + e_v)
        of_direction = inverse_a * (e_v - e_u)
        by_radius = of_offset * radii[:, None]
        return of_offset, of_direction, by_radius


def chords(
    pairs: Pairs,
    scratch: Scratch,
    centers: Array,
    radii: Array,
) -> Chords:
    """Definition 8 for a block and all regions.

    The offset is W + middle D with W = x_i - o_s, its length h the distance of the center from the
    line. It is as accurate as W: an error of middle moves it along D, at a right angle to itself.
    """
    offset = scratch.array("offset", *centers.shape, len(pairs.inverse_a))
    product = scratch.array("product", *pairs.D.shape)
    np.subtract(pairs.X_i, centers[:, :, None], out=offset)
    middle = dots(offset, pairs.D)
    middle *= -pairs.inverse_a
    for s in range(len(radii)):
        np.multiply(pairs.D, middle[s], out=product)
        offset[s] += product
    h = np.sqrt(dots(offset, offset))
    if h.size and not np.isfinite(h.max()):
        region = np.isfinite(h).all(axis=1).argmin()
        center = centers[region].tolist()
        raise ValueError(
            "the distance to a center must have a square in the range of float64, got "
            f"center={center}"
        )
    r = radii[:, None]
    half = half_chords((r - h) * (r + h), pairs.inverse_a)
    return Chords(middle, half, offset)


def half_chords(square: Array, inverse_a: Array) -> Array:
    """Replace r^2 - h^2 by sqrt((r^2 - h^2) / a), and by 0 where the line misses the ball or x_i =
    x_j.
    """
    np.maximum(square, 0, out=square)
    square *= inverse_a
    if np.isnan(square.max(initial=0)):  # r^2 overflowed, and 1 / a is 0
        square[:, inverse_a == 0] = 0
    return np.sqrt(square, out=square)


def lengths(pairs: Pairs, scratch: Scratch, metrics: Array) -> Array:
    """Definitions 3 and 4 for a block, (S + 1, pairs): sqrt(d^T M d); rounding must not take a root
    of less than 0.
    """
    q = np.empty((len(metrics), len(pairs.inverse_a)))
    product = scratch.array("product", *pairs.D.shape)
    for s, M in enumerate(metrics):
        np.matmul(M, pairs.D, out=product)
        q[s] = dots(product, pairs.D)
    check_lengths(q, metrics)
    np.maximum(q, 0, out=q)
    return np.sqrt(q, out=q)


def check_lengths(q: Array, metrics: Array) -> None:
    """Squared Mahalanobis lengths must not overflow."""
    if q.size and not np.isfinite(q.max()):
        raise ValueError(
            "metrics must give squared lengths in the range of float64, got entries up to "
            f"{metrics.max()}"
        )


class Measures(NamedTuple):
    """The parts of equation (9) for a block: gamma (S, pairs), gamma_b (pairs,), lengths (S + 1,
    pairs), and the chords.
    """

    gamma: Array
    gamma_b: Array
    lengths: Array
    chords: Chords

    def distances(self) -> Array:
        """Equation (9)."""
        D: Array = np.einsum("sp,sp->p", self.gamma, self.lengths[:-1])
        D += self.gamma_b * self.lengths[-1]
        return D


def measures(
    pairs: Pairs,
    scratch: Scratch,
    centers: Array,
    radii: Array,
    metrics: Array,
) -> Measures:
    """Compute all parts of equation (9) from the differences; gamma_b = max(1 - sum gamma, 0)."""
    crossed = chords(pairs, scratch, centers, radii)
    gamma = crossed.ratios()
    gamma_b = 1 - gamma.sum(axis=0)
    np.maximum(gamma_b, 0, out=gamma_b)
    return Measures(gamma, gamma_b, lengths(pairs, scratch, metrics), crossed)


def _checked(X_i: ArrayLike, X_j: ArrayLike, *Theta: ArrayLike) -> tuple[Array, Array, list[Array]]:
    """The points in the precision they came in, the parameters in double precision."""
    (X_i, X_j), parameters = checked({"X_i": X_i, "X_j": X_j}, *Theta)
    if len(X_i) != len(X_j):
        raise ValueError(f"X_j must have as many rows as X_i, got {len(X_j)} and {len(X_i)}")
    return X_i, X_j, double(*parameters)


def _blocks(X_i: Array, X_j: Array, S: int) -> Iterator[tuple[slice, Pairs]]:
    for block in pair_blocks(len(X_i), S, X_i.shape[1]):
        yield block, pairs_of(X_i[block], X_j[block])


@quiet
def intersection_ratios(
    X_i: ArrayLike,
    X_j: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
) -> Array:
    """Definition 8: gamma of every pair (row of X_i, row of X_j) and region, an array (P, S).

    >>> intersection_ratios([[0.0, 0.0]], [[4.0, 0.0]], [[0.0, 0.0], [2.0, 0.0]], [1.0, 1.0])
    array([[0.25, 0.5 ]])
    """
    X_i, X_j, (centers, radii) = _checked(X_i, X_j, centers, radii)
    gamma = np.empty((len(X_i), len(radii)), dtype=X_i.dtype)
    scratch = Scratch()
    for block, pairs in _blocks(X_i, X_j, len(radii)):
        gamma[block] = chords(pairs, scratch, centers, radii).ratios().T
    return gamma


@quiet
def ratio_gradients(
    X_i: ArrayLike,
    X_j: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
) -> tuple[Array, Array]:
    """Table 3: d gamma / d o_s (P, S, F) and d gamma / d r_s (P, S) of every pair and region.

    >>> ratio_gradients([[0.0]], [[4.0]], [[0.0]], [1.0])
    (array([[[0.25]]]), array([[0.25]]))
    """
    X_i, X_j, (centers, radii) = _checked(X_i, X_j, centers, radii)
    by_center = np.empty((len(X_i), *centers.shape), dtype=X_i.dtype)
    by_radius = np.empty((len(X_i), len(radii)), dtype=X_i.dtype)
    scratch = Scratch()
    for block, pairs in _blocks(X_i, X_j, len(radii)):
        crossed = chords(pairs, scratch, centers, radii)
        of_offset, of_direction, of_radius = crossed.slopes(pairs.inverse_a, radii)
        by_radius[block] = of_radius.T
        for s in range(len(radii)):
            crossed.offset[s] *= of_offset[s]
            crossed.offset[s] += pairs.D * of_direction[s]
            by_center[block, s] = crossed.offset[s].T
    return by_center, by_radius


def _gaps(lambda_p: Array, lambda_q: Array) -> Array:
    """The part of [0, 1] that no interval [lambda_p, lambda_q] of a column covers.

    Sorted by their beginnings, an interval leaves a gap only after the farthest end so far. Adding
    up the gaps, instead of subtracting the union from 1, keeps the digits of a small background.
    """
    order = np.argsort(lambda_p, axis=0)
    begins = np.take_along_axis(lambda_p, order, axis=0)
    ends = np.take_along_axis(lambda_q, order, axis=0)
    np.maximum.accumulate(ends, axis=0, out=ends)
    inner = np.maximum(begins[1:] - ends[:-1], 0).sum(axis=0)
    return begins[0] + inner + (1 - ends[-1])


@quiet
def exact_background_ratios(
    X_i: ArrayLike,
    X_j: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
) -> Array:
    """Definition 5: the share (P,) of each segment outside all regions, 1 minus the measure of the
    union.

    >>> exact_background_ratios([[0.0]], [[4.0]], [[0.0], [0.5]], [1.0, 1.0])
    array([0.625])
    """
    X_i, X_j, (centers, radii) = _checked(X_i, X_j, centers, radii)
    ratios = np.ones(len(X_i), dtype=X_i.dtype)
    scratch = Scratch()
    if len(radii):
        for block, pairs in _blocks(X_i, X_j, len(radii)):
            lambda_p, lambda_q = chords(pairs, scratch, centers, radii).segment()
            ratios[block] = _gaps(lambda_p, lambda_q)
    return ratios


@quiet
def distances(
    X_i: ArrayLike,
    X_j: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
) -> Array:
    """Equation (9): the distance (P,) of every pair (row of X_i, row of X_j), gamma_b = max(1 - sum
    gamma, 0).

    >>> distances([[0.0]], [[4.0]], [[0.0]], [1.0], [[[4.0]]], [[1.0]])
    array([5.])
    """
    X_i, X_j, Theta = _checked(X_i, X_j, centers, radii, local_metrics, background_metric)
    D = np.empty(len(X_i), dtype=X_i.dtype)
    scratch = Scratch()
    for block, pairs in _blocks(X_i, X_j, len(Theta[0])):
        D[block] = measures(pairs, scratch, *Theta).distances()
    return D
