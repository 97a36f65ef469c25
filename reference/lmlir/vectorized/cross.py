"""Every row of one set against every row of another: distances by matrix products, and the
classifier on them.
"""

from __future__ import annotations

from collections.abc import Mapping
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

    def __init__(self, X: Array, Y: Array, centers: Array, radii: Array, metrics: Array) -> None:
        self.rows, self.columns = _by_balls(X, centers, radii), _by_balls(Y, centers, radii)
        X = X[self.rows]
        Y = Y[self.columns]
        self.X = X
        self.Y = Y
        self.Theta = (centers, radii, metrics)
        self.middle = (X.mean(axis=0) + Y.mean(axis=0)) / 2
        self.x = X - self.middle
        self.y = Y - self.middle
        squares_x = _row_dots(self.x, self.x)
        squares_y = _row_dots(self.y, self.y)
        self.reach = np.sqrt(max(squares_x.max(), squares_y.max()))
        self.left = _columns(-2 * self.x, squares_x, 1)
        self.right = _columns(self.y, 1, squares_y).T.copy()
        self.background = self._length(metrics[-1])
        found = [self._region(*region) for region in zip(centers, radii, metrics[:-1], strict=True)]
        self.regions = [region for region in found if region is not None]
        self.near = self._nearness(squares_x, metrics)
        self.are_regular = _are_regular(metrics[metrics.any(axis=(1, 2))])

    def _length(self, M: Array) -> Factors | None:
        if not M.any():
            return None
        Mx = self.x @ M
        My = self.y @ M
        return _columns(-2 * Mx, _row_dots(Mx, self.x), 1), _columns(
            self.y, 1, _row_dots(My, self.y)
        ).T.copy()

    def _region(self, center: Array, radius: Any, M: Array) -> Region | None:
        """None for a region beyond all segments: they stay within `reach` of the middle."""
        W = self.X - center
        V = self.Y - center
        lengths_x = np.sqrt(_row_dots(W, W))
        lengths_y = np.sqrt(_row_dots(V, V))
        away = center - self.middle
        if radius == 0 or np.sqrt(away @ away) - radius > 1.001 * self.reach:
            return None
        holds = lengths_x <= radius, lengths_y <= radius
        power = (lengths_x - radius) * (lengths_x + radius)
        if holds[0].all() and holds[1].all():
            power[:] = 0  # it is not used, and must not count as too large
        return Region(_columns(W, -_row_dots(W, self.x)), power[:, None], self._length(M), *holds)

    def _nearness(self, squares_x: Array, metrics: Array) -> Array:
        """NEAR_SHARE |x|^2; all pairs of a row count as near where Delta or d^T M d could leave the
        range of the floats.
        """
        limits = np.finfo(squares_x.dtype)
        tiny = limits.tiny / limits.eps
        huge = limits.max / 4096
        sizes = np.abs(metrics).max(axis=(1, 2))
        powers = [np.abs(region.power).max() for region in self.regions]
        largest = max([self.reach**2, *powers])
        smallest = max(4 * np.sqrt(tiny), tiny / min([1, *sizes[sizes > 0]]))
        if not largest**2 < huge or not largest * sizes.max() < huge:
            smallest = np.inf
        near: Array = np.where(squares_x < smallest, np.inf, NEAR_SHARE * squares_x)[:, None]
        return near.astype(squares_x.dtype)

    @quiet
    def fill(self, first: int, out: Array) -> None:
        """Write the distances of the sorted rows of X from `first` on to all of Y into `out`, in
        blocks for the cache.

        Only `out` changes, so that threads can fill different rows at the same time.
        """
        near: list[Array] = []
        work = workspace(7, CROSS_ROWS * CROSS_COLUMNS, out.dtype)
        work[-1].fill(0)
        blocks = list(slices(len(self.Y), CROSS_COLUMNS))
        held_y = [
            [bool(region.holds_y[columns].all()) for region in self.regions] for columns in blocks
        ]
        for strip in slices(len(out), CROSS_ROWS):
            rows = slice(first + strip.start, first + strip.stop)
            held_x = [bool(region.holds_x[rows].all()) for region in self.regions]
            for columns, held in zip(blocks, held_y, strict=True):
                part = out[strip, columns]
                full = [x and y for x, y in zip(held_x, held, strict=True)]
                views = [flat[: part.size].reshape(part.shape) for flat in work]
                is_far = self._block(rows, columns, full, part, views)
                if not is_far.all():
                    near.append(np.argwhere(~is_far) + (rows.start, columns.start))
        if near:
            self._recompute(np.concatenate(near), first, out)

    def _block(
        self, rows: slice, columns: slice, full: list[bool], out: Array, work: list[Array]
    ) -> Array:
        """Write the distances of one block into `out`, and return which pairs are far enough apart
        for it (NaN is not).

        `full` marks the balls that contain all its points.
        """
        a, rest, total, t, u, half_b, zero = work
        np.matmul(self.left[rows], self.right[:, columns], out=a)
        np.copyto(rest, a)
        total.fill(0)
        for region, is_full in zip(self.regions, full, strict=True):
            if is_full:
                np.copyto(t, a)
            else:
                self._covered(region, rows, columns, (a, t, u, half_b, zero))
                rest -= t
            self._add(region.length, rows, columns, (t, u, zero, total))
        if not any(full):  # otherwise nothing is left to the background
            np.maximum(rest, zero, out=rest)
            self._add(self.background, rows, columns, (rest, u, zero, total))
        np.divide(total, a, out=out)
        is_far: Array = a > self.near[rows]
        return is_far

    def _covered(
        self, region: Region, rows: slice, columns: slice, work: tuple[Array, ...]
    ) -> None:
        """gamma a of a block, into t.

        Zeros are an array because NumPy compares two arrays at four times the speed.
        """
        a, t, u, half_b, zero = work
        np.matmul(region.left[rows], self.right[:-1, columns], out=half_b)
        np.multiply(half_b, half_b, out=t)
        np.multiply(a, region.power[rows], out=u)
        t -= u  # Delta / 4
        np.sqrt(t, out=t)  # NaN for a line that misses the ball
        np.subtract(t, half_b, out=u)
        np.minimum(u, a, out=u)  # a lambda_v, clipped from above
        t += half_b
        np.minimum(t, zero, out=t)  # -a lambda_u, clipped: what is below 0 does not count
        t += u
        np.fmax(t, zero, out=t)  # 0 for NaN, and where the chord lies behind x or beyond y

    def _add(
        self, length: Factors | None, rows: slice, columns: slice, work: tuple[Array, ...]
    ) -> None:
        """Add share times length to the total; the share is overwritten."""
        if length is None:
            return
        share, u, zero, total = work
        np.matmul(length[0][rows], length[1][:, columns], out=u)
        if not self.are_regular:
            np.maximum(u, zero, out=u)
        np.sqrt(u, out=u)
        share *= u
        total += share

    def _recompute(self, near: Array, first: int, out: Array) -> None:
        """Compute the near pairs from their differences."""
        Theta = double(*self.Theta)
        scratch = Scratch()
        for block in pair_blocks(len(near), *self.Theta[0].shape):
            i, j = near[block].T
            out[i - first, j] = measures(
                pairs_of(self.X[i], self.Y[j]), scratch, *Theta
            ).distances()


def _row_dots(U: Array, V: Array) -> Array:
    """The inner products of the rows of U with the rows of V."""
    products: Array = np.einsum("pf,pf->p", U, V)
    return products


def _columns(*parts: Any) -> Array:
    """Join matrices, vectors and numbers as columns of one matrix."""
    rows = len(parts[0])
    dtype = parts[0].dtype
    flat = [
        part if np.ndim(part) == 2 else np.broadcast_to(np.asarray(part, dtype=dtype), rows)
        for part in parts
    ]
    return np.column_stack(flat)


def _are_regular(metrics: Array) -> bool:
    """Whether no rounding can make d^T M d of a far pair negative, because all eigenvalues are
    large enough.
    """
    F = metrics.shape[-1]
    scaled = metrics / np.abs(metrics).max(axis=(1, 2), keepdims=True, initial=0)
    try:
        np.linalg.cholesky(
            scaled - 128 * F * np.finfo(metrics.dtype).eps * np.eye(F, dtype=metrics.dtype)
        )
    except np.linalg.LinAlgError:
        return False
    return True


def _by_balls(X: Array, centers: Array, radii: Array) -> Indices:
    """Sort points so that those in the same balls are adjacent, the balls with most points
    first.
    """
    held = np.stack(
        [_row_dots(X - o, X - o) <= r * r for o, r in zip(centers, radii, strict=True)]
        or [np.ones(len(X))]
    )
    return np.lexsort(~held.astype(bool)[np.argsort(held.sum(axis=1), kind="stable")])


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


def _sums_of_smallest(X: Array, Y: Array, K: int, Theta: list[Array], threads: int) -> Array:
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
        smallest: Array = np.sort(D[:, :K], axis=1).sum(axis=1)
        return smallest

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
    values: Array = (sums[:, 0] - sums[:, 1]) / sums.dtype.type(K)
    return values
