"""Every row of one set against every row of another: distances by matrix products, and the
classifier on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lmlir.scalars import Parameters, check_count
from lmlir.vectorized.checks import Array, Indices, checked, double, quiet
from lmlir.vectorized.pairs import Scratch, measures, pair_blocks, pairs_of, slices, workspace
from lmlir.vectorized.threads import mapped, thread_count

# A block of `cross_distances`: its seven arrays of 128 x 512 numbers take 3.7 MB. A quarter of that
# took one thread as long where this was measured, and two threads, which take turns between
# operations, longer.
CROSS_ROWS = 128
CROSS_COLUMNS = 512
MIN_STRIP_ROWS = 32
MAX_STRIP_NUMBERS = 2**22  # a strip of distances in `decision_values`: 32 MB at most
MIN_STRIPS = 32  # where there are rows enough

# Pairs with |x - y|^2 <= NEAR_SHARE |x|^2 are computed from their differences. Beyond, a matrix
# product errs by at most a few times 1 / NEAR_SHARE roundings, which is what a sum of F squares may
# cost anyway.
NEAR_SHARE = 0.25

Factors = tuple[Array, Array]  # rows and columns whose product is d^T M d of every pair


class Region(NamedTuple):
    """A region in the block kernel; `length` is None where its metric is 0."""

    left: Array  # rows [W, -W.x], to be multiplied with [y, 1]: b / 2
    power: Array  # |x - o_s|^2 - r^2, the power of x; 0 for all where the ball holds every point
    length: Factors | None
    holds_x: Array  # which points are in the ball
    holds_y: Array

    def holds(self, rows: slice, columns: slice) -> bool:
        """Whether the ball contains all points of a block, and so all their segments."""
        return bool(self.holds_x[rows].all() and self.holds_y[columns].all())


@dataclass
class Block:
    """The pairs of some rows with some columns, and the work arrays for them, a number for each."""

    rows: slice
    columns: slice
    a: Array
    rest: Array  # a minus gamma a of the regions so far, and gamma_b a in the end
    total: Array  # the sum of gamma a D_M so far
    covered: Array  # gamma a of one region
    spare: Array
    half_b: Array
    zero: Array  # zeros, because NumPy compares two arrays at four times the speed


class Cross:
    """Equation (9) for every x in X and y in Y, block by block, with matrix products instead of
    differences.

    Measured from a point in the middle of the data (so that x stands for x - middle, y for y -
    middle),

        a       = |x|^2 + |y|^2 - 2 x.y
        b / 2   = W.y - W.x                             with W = x - o_s
        d^T M d = x^T M x + y^T M y - 2 x^T M y

    are products of rows [x, ...] with columns [y, ...], ten times faster than the differences of
    all pairs. What they lose: an error of a few eps |x|^2 where differences have a few eps a. That
    is the same unless y is near x. Pairs with a <= NEAR_SHARE |x|^2 are therefore noted, which
    costs one comparison, and computed again from their differences. Then

        Delta / 4 = (b / 2)^2 - a (|x - o_s|^2 - r^2)
        gamma a   = max(0, min(a, sqrt(Delta) / 2 - b / 2) + min(0, sqrt(Delta) / 2 + b / 2))

    is the part of [0, a] between the roots, and one division by a at the end serves all regions. A
    ball that holds all points of a block holds all their segments, and gamma is 1 without a root.
    So that this happens often, X and Y are sorted by the balls that hold them: `rows` and `columns`
    say where each point was.
    """

    def __init__(
        self,
        X: Array,
        Y: Array,
        centers: Array,
        radii: Array,
        metrics: Array,
    ) -> None:
        self.Theta = (centers, radii, metrics)
        self.rows = _by_balls(X, centers, radii)
        self.columns = _by_balls(Y, centers, radii)
        self.X = X[self.rows]
        self.Y = Y[self.columns]

        self.middle = (self.X.mean(axis=0) + self.Y.mean(axis=0)) / 2
        self.x = self.X - self.middle
        self.y = self.Y - self.middle
        squares_x = _row_dots(self.x, self.x)
        squares_y = _row_dots(self.y, self.y)
        self.squares = _factors(self.x, squares_x, self.y, squares_y)
        reach = np.sqrt(max(squares_x.max(), squares_y.max()))

        self.background = self._length(metrics[-1])
        self.regions = []
        for center, radius, M in zip(centers, radii, metrics[:-1], strict=True):
            away = center - self.middle
            if radius == 0 or np.sqrt(away @ away) - radius > 1.001 * reach:
                continue  # it lies beyond all segments: they stay within `reach` of the middle
            self.regions.append(self._region(center, radius, M))
        self.near = self._nearness(squares_x, reach, metrics)
        self.are_regular = _are_regular(metrics[metrics.any(axis=(1, 2))])

    def _length(self, M: Array) -> Factors | None:
        if not M.any():
            return None
        Mx = self.x @ M
        My = self.y @ M
        return _factors(Mx, _row_dots(Mx, self.x), self.y, _row_dots(My, self.y))

    def _region(
        self,
        center: Array,
        radius: Any,
        M: Array,
    ) -> Region:
        W = self.X - center
        V = self.Y - center
        lengths_x = np.sqrt(_row_dots(W, W))
        lengths_y = np.sqrt(_row_dots(V, V))
        holds_x = lengths_x <= radius
        holds_y = lengths_y <= radius
        power = (lengths_x - radius) * (lengths_x + radius)
        if holds_x.all() and holds_y.all():
            power[:] = 0  # it is not used, and must not count as too large

        left = np.column_stack([W, -_row_dots(W, self.x)])
        return Region(left, power[:, None], self._length(M), holds_x, holds_y)

    def _nearness(
        self,
        squares_x: Array,
        reach: Any,
        metrics: Array,
    ) -> Array:
        """NEAR_SHARE |x|^2; all pairs of a row count as near where Delta or d^T M d could leave the
        range of the floats.
        """
        limits = np.finfo(squares_x.dtype)
        tiny = limits.tiny / limits.eps
        huge = limits.max / 4096
        sizes = np.abs(metrics).max(axis=(1, 2))
        powers = [np.abs(region.power).max() for region in self.regions]
        largest = max([reach**2, *powers])
        smallest = max(4 * np.sqrt(tiny), tiny / min([1, *sizes[sizes > 0]]))
        if not (largest**2 < huge and largest * sizes.max() < huge):
            smallest = np.inf

        near: Array = np.where(squares_x < smallest, np.inf, NEAR_SHARE * squares_x)[:, None]
        return near.astype(squares_x.dtype)

    @quiet
    def fill(self, first: int, out: Array) -> None:
        """Write the distances of the sorted rows of X from `first` on to all of Y into `out`, in
        blocks for the cache.

        Only `out` changes, so that threads can fill different rows at the same time.
        """
        work = workspace(7, CROSS_ROWS * CROSS_COLUMNS, out.dtype)
        work[-1].fill(0)
        near: list[Array] = []
        for strip in slices(len(out), CROSS_ROWS):
            rows = slice(first + strip.start, first + strip.stop)
            for columns in slices(len(self.Y), CROSS_COLUMNS):
                distances = out[strip, columns]
                arrays = [flat[: distances.size].reshape(distances.shape) for flat in work]
                is_far = self._block(Block(rows, columns, *arrays), distances)
                if not is_far.all():
                    near.append(np.argwhere(~is_far) + (rows.start, columns.start))
        if near:
            self._recompute(np.concatenate(near), first, out)

    def _block(self, block: Block, out: Array) -> Array:
        """Write the distances of one block into `out`, and return which pairs are far
        enough apart for it (NaN is not).
        """
        _multiply(self.squares, block, block.a)
        np.copyto(block.rest, block.a)
        block.total.fill(0)

        is_in_a_ball = False
        for region in self.regions:
            if region.holds(block.rows, block.columns):
                np.copyto(block.covered, block.a)
                is_in_a_ball = True
            else:
                self._cover(region, block)
                block.rest -= block.covered
            self._add(region.length, block.covered, block)
        if not is_in_a_ball:  # otherwise nothing is left to the background
            np.maximum(block.rest, block.zero, out=block.rest)
            self._add(self.background, block.rest, block)

        np.divide(block.total, block.a, out=out)
        return block.a > self.near[block.rows]

    def _cover(self, region: Region, block: Block) -> None:
        """Write gamma a of a block to `block.covered`."""
        a = block.a
        t = block.covered
        u = block.spare
        np.matmul(region.left[block.rows], self.squares[1][:-1, block.columns], out=block.half_b)
        np.multiply(block.half_b, block.half_b, out=t)
        np.multiply(a, region.power[block.rows], out=u)
        t -= u  # Delta / 4
        np.sqrt(t, out=t)  # NaN for a line that misses the ball
        np.subtract(t, block.half_b, out=u)
        np.minimum(u, a, out=u)  # a lambda_v, clipped from above
        t += block.half_b
        np.minimum(t, block.zero, out=t)  # -a lambda_u, clipped: what is below 0 does not count
        t += u
        np.fmax(t, block.zero, out=t)  # 0 for NaN, and where the chord lies behind x or beyond y

    def _add(
        self,
        length: Factors | None,
        share: Array,
        block: Block,
    ) -> None:
        """Add share times length to `block.total`; the share is overwritten."""
        if length is None:
            return
        _multiply(length, block, block.spare)
        if not self.are_regular:
            np.maximum(block.spare, block.zero, out=block.spare)
        np.sqrt(block.spare, out=block.spare)
        share *= block.spare
        block.total += share

    def _recompute(
        self,
        near: Array,
        first: int,
        out: Array,
    ) -> None:
        """Overwrite in `out` the distances of the near pairs, computed from their differences.

        `first` is the row of X in the first row of `out`.
        """
        Theta = double(*self.Theta)
        scratch = Scratch()
        for block in pair_blocks(len(near), *self.Theta[0].shape):
            i, j = near[block].T
            pairs = pairs_of(self.X[i], self.Y[j])
            out[i - first, j] = measures(pairs, scratch, *Theta).distances()


def _row_dots(U: Array, V: Array) -> Array:
    """The inner products of the rows of U with the rows of V."""
    return np.einsum("pf,pf->p", U, V)


def _factors(
    U: Array,
    squares_x: Array,
    V: Array,
    squares_y: Array,
) -> Factors:
    """Rows [-2 u, |x|^2, 1] and columns [v, 1, |y|^2], whose product is |x|^2 + |y|^2 - 2 u.v."""
    left = np.column_stack([-2 * U, squares_x, np.ones_like(squares_x)])
    right = np.column_stack([V, np.ones_like(squares_y), squares_y])
    return left, right.T.copy()


def _multiply(factors: Factors, block: Block, out: Array) -> None:
    """Write the products of the rows of a block with its columns to `out`."""
    left, right = factors
    np.matmul(left[block.rows], right[:, block.columns], out=out)


def _are_regular(metrics: Array) -> bool:
    """Whether no rounding can make d^T M d of a far pair negative, because all eigenvalues are
    large enough.
    """
    F = metrics.shape[-1]
    scaled = metrics / np.abs(metrics).max(axis=(1, 2), keepdims=True, initial=0)
    margin = 128 * F * np.finfo(metrics.dtype).eps
    try:
        np.linalg.cholesky(scaled - margin * np.eye(F, dtype=metrics.dtype))
    except np.linalg.LinAlgError:
        return False
    return True


def _by_balls(X: Array, centers: Array, radii: Array) -> Indices:
    """Sort points so that those in the same balls are adjacent, the balls with most points
    first.
    """
    if len(centers) == 0:
        return np.arange(len(X))
    held = []
    for o, r in zip(centers, radii, strict=True):
        W = X - o
        held.append(_row_dots(W, W) <= r * r)
    by_points = np.argsort(np.sum(held, axis=1), kind="stable")
    return np.lexsort(~np.stack(held)[by_points])


def _strips(n: int, m: int) -> list[slice]:
    """Divide the rows into strips for threads.

    They do not depend on the number of threads, so no digit does.

    The list of near pairs never needs more memory than a strip of distances.
    """
    rows = min(MAX_STRIP_NUMBERS // max(m, 1), n // MIN_STRIPS)
    unit = CROSS_ROWS if rows >= CROSS_ROWS else MIN_STRIP_ROWS
    return list(slices(n, max(rows // unit, 1) * unit))


@quiet
def cross_distances(
    X: ArrayLike,
    Y: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
    n_jobs: int | None = None,
) -> Array:
    """Equation (9): the distances (n, m) of every row of X to every row of Y, by `n_jobs` threads
    (-1: all processors).

    >>> cross_distances([[0.0], [1.0]], [[4.0]], [[0.0]], [1.0], [[[4.0]]], [[1.0]])
    array([[5.],
           [3.]])
    """
    (X, Y), Theta = checked({"X": X, "Y": Y}, centers, radii, local_metrics, background_metric)
    threads = thread_count(n_jobs)
    D = np.empty((len(X), len(Y)), dtype=X.dtype)
    if D.size:
        cross = Cross(X, Y, *Theta)
        back = np.argsort(cross.columns)

        def fill(rows: slice, scratch: Scratch) -> None:
            """Compute one strip of sorted rows and write it to its place."""
            strip = scratch.array("strip", rows.stop - rows.start, len(Y), dtype=X.dtype)
            cross.fill(rows.start, strip)
            D[cross.rows[rows]] = strip.take(back, axis=1)

        for _ in mapped(fill, _strips(*D.shape), threads):
            pass
    return D


def _sums_of_smallest(
    X: Array,
    Y: Array,
    K: int,
    Theta: list[Array],
    threads: int,
) -> Array:
    """sumKmin of the distances of every row of X to Y; each thread holds only one strip of them at
    a time.
    """
    if len(X) == 0:
        return np.empty(0, dtype=X.dtype)
    cross = Cross(X, Y, *Theta)

    def sums(rows: slice, scratch: Scratch) -> Array:
        """The sums of one strip."""
        D = scratch.array("strip", rows.stop - rows.start, len(Y), dtype=X.dtype)
        cross.fill(rows.start, D)
        D.partition(K - 1, axis=1)
        return np.sort(D[:, :K], axis=1).sum(axis=1)

    result = np.empty(len(X), dtype=X.dtype)
    result[cross.rows] = np.concatenate(list(mapped(sums, _strips(len(X), len(Y)), threads)))
    return result


@quiet
def nearest_sums(
    X: ArrayLike,
    sets: Mapping[str, ArrayLike],
    K: int,
    Theta: Parameters,
    n_jobs: int | None = None,
) -> Array:
    """Section 4.1, sumKmin: the sum of the K smallest distances of every row of X to each of the
    sets, (n, number of sets).

    Errors name the set by its key. `n_jobs` threads share the rows of X (None is 1, -1 all
    processors).

    >>> classes = {"X_minus": [[3.0], [4.0]], "X_plus": [[-1.0], [-2.0]]}
    >>> nearest_sums([[0.0]], classes, 2, Parameters([], [], [], [[1.0]]))
    array([[7., 3.]])
    """
    (X, *tables), parameters = checked({"X": X, **sets}, *Theta)
    for name, Y in zip(sets, tables, strict=True):
        check_count("K", K, len(Y), f"rows of {name}")
    threads = thread_count(n_jobs)
    return np.stack([_sums_of_smallest(X, Y, K, parameters, threads) for Y in tables], axis=1)


def decision_values(
    X: ArrayLike,
    X_minus: ArrayLike,
    X_plus: ArrayLike,
    K: int,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
    n_jobs: int | None = None,
) -> Array:
    """Equation (10): f (n,), the mean of the K smallest distances to X_minus minus that of those to
    X_plus.

    >>> decision_values([[0.0]], [[3.0], [4.0]], [[-1.0], [-2.0]], 2, [], [], [], [[1.0]])
    array([2.])
    """
    Theta = Parameters(centers, radii, local_metrics, background_metric)
    sums = nearest_sums(X, {"X_minus": X_minus, "X_plus": X_plus}, K, Theta, n_jobs)
    return (sums[:, 0] - sums[:, 1]) / sums.dtype.type(K)
