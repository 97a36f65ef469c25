"""The vectorised twin: the same functions as the reference, on whole arrays, hundreds of times faster.

One segment and one ball cost the same few operations everywhere; what differs is how often Python is asked to look. The
reference asks for every number. Here a line of Python handles a block of pairs, and the loops that remain run over
blocks and regions. Five ideas make it fast; each comes with the care that keeps it right:

1. *Blocks that stay in the cache.* A processor adds two numbers in a fraction of a nanosecond and waits a hundred times
   as long for memory. All arrays of a block together take about 1 MB, the second-level cache, and no array of all
   pairs times all features is ever made.
2. *Features first.* A block holds one row per feature, so that every operation runs along a thousand pairs instead of
   a few features. Differences are taken before anything is squared: x - y is exact to the last digit, |x|^2 - |y|^2
   is not.
3. *Matrix products for all pairs* (`cross_distances`). They are ten times faster than differences and lose digits only
   for points that are near each other. Those are few; they are found by one comparison and computed from their differences.
4. *Nothing twice* (`PairProblem`). Training asks for g and its gradient at many Theta and the same pairs: differences,
   squared lengths and repeated pairs are settled once. Sums over pairs are matrix products, too.
5. *Nothing kept* (`decision_values`). Of all distances to a class only the K smallest of each row are needed; a strip of
   rows is enough to find them.

Square roots are taken of (r - h)(r + h), with h the distance of the center from the line, instead of b^2 - 4ac: the
printed form subtracts nearly equal numbers when the ball is small and far away. Pairs are computed in double precision
whatever the input is; `cross_distances` and `decision_values` work in single precision when all arrays are float32.

| here | in the paper |
|---|---|
| `D`, `inverse_a` | x_j - x_i, and 1 / a, a its squared length |
| `middle`, `half` | -b / 2a and sqrt(Delta) / 2a, so that lambda_u, lambda_v = middle -+ half |
| `offset` | x_i + (-b / 2a) (x_j - x_i) - o_s, the bracket of Table 3 |
| `gamma`, `gamma_b` | the intersection ratios |
| `lengths` | D_M(A_s) and, last, D_M(B): the Mahalanobis lengths |
| `metrics` | M(A_s) and, last, M(B) |
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmlir.gradient import check_printed
from lmlir.objective import check_weights
from lmlir.scalars import Parameters, check_count

Array = NDArray[Any]
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# All arrays of a block of pairs together: 1 MB of doubles. NumPy needs a microsecond to start an operation, so that a
# block has some hundred pairs at least.
BLOCK_NUMBERS, SMALLEST_BLOCK = 2**17, 256

# A block of `cross_distances`: its seven arrays of 32 x 512 numbers take 900 kB.
CROSS_ROWS, CROSS_COLUMNS = 32, 512
STRIP_NUMBERS = 2**22  # a strip of distances in `decision_values`: 32 MB

# Pairs with |x - y|^2 <= NEAR |x|^2 are computed from their differences. Beyond, a matrix product errs by at most a few
# times 1 / NEAR roundings, which is what a sum of F squares may cost anyway.
NEAR = 0.25


# ------------------------------------------------------------------------------------------------ input


def _quiet(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Overflow is looked for in the results; NumPy's warnings on the way there help nobody."""

    @functools.wraps(function)
    def quietly(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    return quietly


def _floats(*arrays: ArrayLike) -> list[Array]:
    """The arrays in their common precision: float32 when all are float32, else float64."""
    try:
        converted = [np.asarray(array) for array in arrays]
        single = {array.dtype for array in converted if array.size} == {np.dtype(np.float32)}
        if any(array.dtype.kind == "c" for array in converted):
            raise TypeError
        return [np.asarray(array, dtype=np.float32 if single else np.float64) for array in converted]
    except (TypeError, ValueError):
        raise ValueError("every array must be rectangular and hold real numbers, got one that does not") from None


def _width(*arrays: Array) -> int:
    """The number of features, from the first array that shows it: a list without rows does not."""
    return next((array.shape[-1] for array in arrays if array.ndim > 1 and array.shape[-1]), 1)


def _check_finite(name: str, array: Array) -> None:
    # A sum is finite when all terms are (overflow aside), and costs a tenth of a test of every entry.
    if not np.isfinite(array.sum()) and not np.isfinite(array).all():
        raise ValueError(f"{name} needs finite numbers, got {array[~np.isfinite(array)][0]} among them")


def _points(name: str, X: Array, F: int) -> Array:
    if X.shape == (0,):
        X = X.reshape(0, F)
    if X.ndim != 2 or X.shape[1] != F:
        raise ValueError(f"{name} needs one point a row, of {F} features, got an array of shape {X.shape}")
    _check_finite(name, X)
    return X


def _regions(centers: Array, radii: Array, F: int) -> tuple[Array, Array]:
    centers = _points("centers", centers, F)
    if radii.shape != (len(centers),):
        raise ValueError(f"radii needs one radius per center, got shape {radii.shape} for {len(centers)} centers")
    _check_finite("radii", radii)
    if radii.size and radii.min() < 0:
        raise ValueError(f"Definition 1 needs radius >= 0, got radius={radii.min()}")
    return centers, radii


def _metrics(local_metrics: Array, background_metric: Array, S: int, F: int) -> Array:
    """All metrics in one (S + 1, F, F) array, the background's last."""
    if S == 0 and local_metrics.size == 0:
        local_metrics = local_metrics.reshape(0, F, F)
    if local_metrics.shape != (S, F, F):
        raise ValueError(f"local_metrics needs shape {(S, F, F)}, got {local_metrics.shape}")
    if background_metric.shape != (F, F):
        raise ValueError(f"background_metric needs shape {(F, F)}, got {background_metric.shape}")
    metrics = np.concatenate([local_metrics, background_metric[None]])
    _check_finite("local_metrics or background_metric", metrics)
    _check_semidefinite(metrics)
    return metrics


def _check_semidefinite(metrics: Array) -> None:
    """Symmetric and positive semi-definite up to rounding, by one Cholesky factorisation, a tenth of eigenvalues."""
    F = metrics.shape[-1]
    largest = np.abs(metrics).max(axis=(1, 2), keepdims=True)
    scaled = metrics / np.where(largest == 0, 1, largest)
    tolerance = max(1e-6, 8 * F * float(np.finfo(metrics.dtype).eps))
    names = [f"local_metrics[{s}]" for s in range(len(metrics) - 1)] + ["background_metric"]
    crooked = np.abs(scaled - scaled.transpose(0, 2, 1)).max(axis=(1, 2)) > tolerance
    if crooked.any():
        raise ValueError(f"{names[int(crooked.argmax())]} must be symmetric, got {metrics[crooked][0].tolist()}")
    try:
        np.linalg.cholesky(scaled + 2 * tolerance * np.eye(F, dtype=metrics.dtype))
    except np.linalg.LinAlgError:
        smallest = np.linalg.eigvalsh(scaled)[:, 0]
        worst = int(smallest.argmin())
        value = smallest[worst] * largest[worst, 0, 0]
        raise ValueError(
            f"{names[worst]} must be positive semi-definite, got a smallest eigenvalue of {value}"
        ) from None


def _pairs(name: str, pairs: ArrayLike, n: int) -> NDArray[np.intp]:
    indices = np.asarray(pairs)
    if indices.size == 0:
        return np.zeros((0, 2), dtype=np.intp)
    if indices.ndim != 2 or indices.shape[1] != 2 or not np.array_equal(indices, indices.astype(np.intp)):
        raise ValueError(f"{name} needs two row numbers a pair, got an array of shape {indices.shape}")
    indices = indices.astype(np.intp)
    if indices.min() < 0 or indices.max() >= n:
        raise ValueError(f"{name} needs row numbers from 0 to {n - 1}, got {indices.min()} to {indices.max()}")
    return indices


def _check_squares(a: Array, D: Array) -> None:
    """Squared lengths must neither overflow nor vanish; the columns of D are the differences."""
    limits = np.finfo(np.float64)
    tiny = limits.tiny / limits.eps
    if a.size and (not np.isfinite(a.max()) or a.min() < tiny):
        bad = ~np.isfinite(a) | (a < tiny) & D.any(axis=0)
        if bad.any():
            worst = D[:, bad.argmax()].tolist()
            raise ValueError(f"the length of a difference must have a square in the range of float64, got {worst}")


def _parameters(*parts: Any) -> Parameters:
    return Parameters(*parts)


def _blocks(count: int, numbers: int) -> Iterator[slice]:
    """Blocks of items of which each needs so many numbers."""
    step = max(BLOCK_NUMBERS // max(numbers, 1), SMALLEST_BLOCK)
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


# --------------------------------------------------------------------------------------------- one block of pairs


def _workspace(count: int, size: int, dtype: Any = np.float64) -> list[Array]:
    """Arrays for one block, each beginning on a cache line, no two at the same place of a memory page.

    A 64-byte register that straddles two cache lines works at half the speed, and a processor that has just written
    to one page hesitates to read the same place of another.
    """
    line = 64 // np.dtype(dtype).itemsize
    stride = -(-size // line) * line + 9 * line
    raw = np.empty(count * stride + line, dtype=dtype)
    start = -raw.ctypes.data % 64 // raw.itemsize
    return [raw[start + k * stride : start + k * stride + size] for k in range(count)]


class _Scratch:
    """Arrays by name that are used again for the next block: the system hands out fresh memory more slowly than we compute."""

    def __init__(self) -> None:
        self.flat: dict[str, Array] = {}

    def array(self, name: str, *shape: int) -> Array:
        size = int(np.prod(shape))
        if name not in self.flat or self.flat[name].size < size:
            (self.flat[name],) = _workspace(1, size)
        return self.flat[name][:size].reshape(shape)


def _dots(U: Array, V: Array) -> Array:
    """Inner products of columns: features come second to last, pairs last. No array of products is made."""
    dots: Array = np.einsum("...fp,...fp->...p", U, V)
    return dots


class _Pairs(NamedTuple):
    """A block of pairs, features first: arrays (F, pairs), and (pairs,) for 1 / a.

    1 / a is 0 where x_i = x_j: with it every coefficient of such a pair comes out as 0, without a branch.
    """

    X_i: Array
    D: Array
    inverse_a: Array


def _pairs_of(X_i: Array, X_j: Array) -> _Pairs:
    """A block from rows of points, in double precision."""
    starts, D = (flat.reshape(X_i.shape[::-1]) for flat in _workspace(2, X_i.size))
    starts[...] = X_i.T
    np.subtract(X_j.T, starts, out=D)
    a = _dots(D, D)
    _check_squares(a, D)
    return _Pairs(starts, D, np.divide(1, a, out=np.zeros_like(a), where=a != 0))


class _Chords(NamedTuple):
    """Where the lines of a block cross all spheres: arrays (S, pairs), and (S, F, pairs) for the offset."""

    middle: Array
    half: Array
    offset: Array

    def line(self) -> tuple[Array, Array]:
        """lambda_u and lambda_v."""
        return self.middle - self.half, self.middle + self.half

    def segment(self) -> tuple[Array, Array]:
        """lambda_p and lambda_q: clipped to [0, 1], which does all eight rows of Table 2 without asking for the row."""
        lambda_u, lambda_v = self.line()
        return np.clip(lambda_u, 0, 1, out=lambda_u), np.clip(lambda_v, 0, 1, out=lambda_v)

    def ratios(self) -> Array:
        """gamma."""
        lambda_p, lambda_q = self.segment()
        lambda_q -= lambda_p
        return lambda_q


def _chords(pairs: _Pairs, centers: Array, radii: Array, scratch: _Scratch) -> _Chords:
    """Definition 8 for a block and all regions.

    The offset is W + middle D with W = x_i - o_s, its length h the distance of the center from the line. It is as
    accurate as W: an error of middle moves it along D, at a right angle to itself.
    """
    offset = scratch.array("offset", *centers.shape, len(pairs.inverse_a))
    product = scratch.array("product", *pairs.D.shape)
    np.subtract(pairs.X_i, centers[:, :, None], out=offset)
    middle = _dots(offset, pairs.D)
    middle *= -pairs.inverse_a
    for s in range(len(radii)):
        np.multiply(pairs.D, middle[s], out=product)
        offset[s] += product
    h = np.sqrt(_dots(offset, offset))
    if h.size and not np.isfinite(h.max()):
        center = centers[np.isfinite(h).all(axis=1).argmin()].tolist()
        raise ValueError(f"the distance to a center must have a square in the range of float64, got center={center}")
    half = (radii[:, None] - h) * (radii[:, None] + h)
    np.maximum(half, 0, out=half)
    half *= pairs.inverse_a
    return _Chords(middle, np.sqrt(half, out=half), offset)


class _Slopes(NamedTuple):
    """Table 3 for a block, (S, pairs) each: d gamma / d o = of_offset offset + of_direction D, and d gamma / d r."""

    of_offset: Array
    of_direction: Array
    of_radius: Array


def _slopes(pairs: _Pairs, chords: _Chords, radii: Array) -> _Slopes:
    """Table 3: its five rows are e_v d lambda_v - e_u d lambda_u, with e = 1 where the crossing is on the segment.

    lambda_u and lambda_v are middle -+ half, d middle / d o = D / a, and half moves by offset / (a half) with o and
    by r / (a half) with r.
    """
    lambda_u, lambda_v = chords.line()
    crosses = chords.half > 0
    e_u = crosses & (lambda_u >= 0) & (lambda_u <= 1)
    e_v = crosses & (lambda_v >= 0) & (lambda_v <= 1)
    half_slope = np.divide(pairs.inverse_a, chords.half, out=np.zeros_like(chords.half), where=crosses)
    half_slope *= np.add(e_u, e_v, dtype=np.float64)
    return _Slopes(half_slope, pairs.inverse_a * np.subtract(e_v, e_u, dtype=np.float64), half_slope * radii[:, None])


def _lengths(pairs: _Pairs, metrics: Array, scratch: _Scratch) -> Array:
    """Definitions 3 and 4 for a block, (S + 1, pairs): sqrt(d^T M d); rounding must not take a root of less than 0."""
    q = np.empty((len(metrics), len(pairs.inverse_a)))
    product = scratch.array("product", *pairs.D.shape)
    for M, row in zip(metrics, q, strict=True):
        row[...] = _dots(np.matmul(M, pairs.D, out=product), pairs.D)
    if q.size and not np.isfinite(q.max()):
        raise ValueError(
            f"metrics must give squared lengths in the range of float64, got entries up to {metrics.max()}"
        )
    np.maximum(q, 0, out=q)
    return np.sqrt(q, out=q)


def _background_ratios(gamma: Array) -> Array:
    """Section 3.2: max(1 - sum gamma, 0)."""
    gamma_b: Array = 1 - gamma.sum(axis=0)
    return np.maximum(gamma_b, 0, out=gamma_b)


def _distances(gamma: Array, gamma_b: Array, lengths: Array) -> Array:
    """Equation (9) from its parts."""
    D: Array = np.einsum("sp,sp->p", gamma, lengths[:-1])
    D += gamma_b * lengths[-1]
    return D


# ------------------------------------------------------------------------------------------------ pairs of points


def _double(*arrays: Array) -> list[Array]:
    """Pairs are computed in double precision: float32 squares its way out of its range too easily."""
    return [array.astype(np.float64, copy=False) for array in arrays]


def _checked_pairs(X_i: Array, X_j: Array, centers: Array, radii: Array) -> tuple[Array, Array, Array, Array]:
    F = _width(X_i, X_j, centers)
    X_i, X_j = _points("X_i", X_i, F), _points("X_j", X_j, F)
    if len(X_i) != len(X_j):
        raise ValueError(f"X_j needs as many rows as X_i, got {len(X_j)} and {len(X_i)}")
    centers, radii = _double(*_regions(centers, radii, F))
    return X_i, X_j, centers, radii


def _pair_blocks(X_i: Array, X_j: Array, S: int) -> Iterator[tuple[slice, _Pairs]]:
    for block in _blocks(len(X_i), (S + 3) * X_i.shape[1]):
        yield block, _pairs_of(X_i[block], X_j[block])


@_quiet
def intersection_ratios(X_i: ArrayLike, X_j: ArrayLike, centers: ArrayLike, radii: ArrayLike) -> Array:
    """Definition 8: gamma of every pair (row of X_i, row of X_j) and region, an array (P, S).

    >>> intersection_ratios([[0.0, 0.0]], [[4.0, 0.0]], [[0.0, 0.0], [2.0, 0.0]], [1.0, 1.0])
    array([[0.25, 0.5 ]])
    """
    X_i, X_j, centers, radii = _checked_pairs(*_floats(X_i, X_j, centers, radii))
    gamma, scratch = np.empty((len(X_i), len(radii)), dtype=X_i.dtype), _Scratch()
    for block, pairs in _pair_blocks(X_i, X_j, len(radii)):
        gamma[block] = _chords(pairs, centers, radii, scratch).ratios().T
    return gamma


@_quiet
def ratio_gradients(X_i: ArrayLike, X_j: ArrayLike, centers: ArrayLike, radii: ArrayLike) -> tuple[Array, Array]:
    """Table 3: d gamma / d o_s (P, S, F) and d gamma / d r_s (P, S) of every pair and region.

    >>> ratio_gradients([[0.0]], [[4.0]], [[0.0]], [1.0])
    (array([[[0.25]]]), array([[0.25]]))
    """
    X_i, X_j, centers, radii = _checked_pairs(*_floats(X_i, X_j, centers, radii))
    by_center = np.empty((len(X_i), *centers.shape), dtype=X_i.dtype)
    by_radius, scratch = np.empty((len(X_i), len(radii)), dtype=X_i.dtype), _Scratch()
    for block, pairs in _pair_blocks(X_i, X_j, len(radii)):
        chords = _chords(pairs, centers, radii, scratch)
        slopes = _slopes(pairs, chords, radii)
        by_radius[block] = slopes.of_radius.T
        for s in range(len(radii)):
            chords.offset[s] *= slopes.of_offset[s]
            chords.offset[s] += pairs.D * slopes.of_direction[s]
            by_center[block, s] = chords.offset[s].T
    return by_center, by_radius


def _gaps(lambda_p: Array, lambda_q: Array) -> Array:
    """The part of [0, 1] that no interval [lambda_p, lambda_q] of a column covers.

    Sorted by their beginnings, an interval leaves a gap only after the farthest end so far. Adding up the gaps, instead
    of subtracting the union from 1, keeps the digits of a small background.
    """
    order = np.argsort(lambda_p, axis=0)
    begins = np.take_along_axis(lambda_p, order, axis=0)
    ends = np.maximum.accumulate(np.take_along_axis(lambda_q, order, axis=0), axis=0)
    inner = np.maximum(begins[1:] - ends[:-1], 0).sum(axis=0)
    gaps: Array = begins[0] + inner + (1 - ends[-1])
    return gaps


@_quiet
def exact_background_ratios(X_i: ArrayLike, X_j: ArrayLike, centers: ArrayLike, radii: ArrayLike) -> Array:
    """Definition 5: the share (P,) of each segment outside all regions, 1 minus the measure of the union.

    >>> exact_background_ratios([[0.0]], [[4.0]], [[0.0], [0.5]], [1.0, 1.0])
    array([0.625])
    """
    X_i, X_j, centers, radii = _checked_pairs(*_floats(X_i, X_j, centers, radii))
    ratios, scratch = np.ones(len(X_i), dtype=X_i.dtype), _Scratch()
    if len(radii):
        for block, pairs in _pair_blocks(X_i, X_j, len(radii)):
            ratios[block] = _gaps(*_chords(pairs, centers, radii, scratch).segment())
    return ratios


def _distances_of(pairs: _Pairs, centers: Array, radii: Array, metrics: Array, scratch: _Scratch) -> Array:
    """Equation (9) straight from the differences: the accurate path on which the fast one falls back."""
    gamma = _chords(pairs, centers, radii, scratch).ratios()
    return _distances(gamma, _background_ratios(gamma), _lengths(pairs, metrics, scratch))


@_quiet
def distances(
    X_i: ArrayLike,
    X_j: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
) -> Array:
    """Equation (9): the distance (P,) of every pair (row of X_i, row of X_j), gamma_b = max(1 - sum gamma, 0).

    >>> distances([[0.0]], [[4.0]], [[0.0]], [1.0], [[[4.0]]], [[1.0]])
    array([5.])
    """
    X_i, X_j, centers, radii, A, B = _floats(X_i, X_j, centers, radii, local_metrics, background_metric)
    X_i, X_j, centers, radii = _checked_pairs(X_i, X_j, centers, radii)
    (metrics,) = _double(_metrics(A, B, *centers.shape))
    D, scratch = np.empty(len(X_i), dtype=X_i.dtype), _Scratch()
    for block, pairs in _pair_blocks(X_i, X_j, len(radii)):
        D[block] = _distances_of(pairs, centers, radii, metrics, scratch)
    return D


# --------------------------------------------------------------------------- every point against every point


class _Seen(NamedTuple):
    """A region in the block kernel; `left` is None where it holds every point, `length` where its metric is 0."""

    left: Array | None  # rows [W, -W.x], to be multiplied with [y, 1]: b / 2
    power: Array | None  # |x - o_s|^2 - r^2, the power of x
    length: tuple[Array, Array] | None  # rows and columns whose product is d^T M(A_s) d


class _Cross:
    """Equation (9) for every x in X and y in Y, block by block, with matrix products in place of differences.

    Measured from a point in the middle of the data (so that x stands for x - middle, y for y - middle),

        a       = |x|^2 + |y|^2 - 2 x.y
        b / 2   = W.y - W.x                             with W = x - o_s
        d^T M d = x^T M x + y^T M y - 2 x^T M y

    are products of rows [x, ...] with columns [y, ...], ten times faster than the differences of all pairs. What they
    lose: an error of a few eps |x|^2 where differences have a few eps a. That is the same unless y is near x. Pairs with
    a <= NEAR |x|^2 are therefore noted, which costs one comparison, and computed again from their differences. Then

        Delta / 4 = (b / 2)^2 - a (|x - o_s|^2 - r^2)
        gamma a   = max(0, min(a, sqrt(Delta) / 2 - b / 2) + min(0, sqrt(Delta) / 2 + b / 2))

    is the part of [0, a] between the roots, and one division by a at the end serves all regions.
    """

    def __init__(self, X: Array, Y: Array, centers: Array, radii: Array, metrics: Array) -> None:
        self.X, self.Y, self.Theta = X, Y, (centers, radii, metrics)
        self.middle = (X.mean(axis=0) + Y.mean(axis=0)) / 2
        self.x, self.y = X - self.middle, Y - self.middle
        squares_x, squares_y = _row_dots(self.x, self.x), _row_dots(self.y, self.y)
        self.reach = np.sqrt(max(squares_x.max(), squares_y.max()))
        self.left = _columns(-2 * self.x, squares_x, 1)
        self.right = _columns(self.y, 1, squares_y).T.copy()
        self.background = self._length(metrics[-1])
        seen = [self._seen(*region) for region in zip(centers, radii, metrics[:-1], strict=True)]
        self.regions = [region for region in seen if region is not None]
        if any(region.left is None for region in self.regions):
            self.background = None  # a region that holds every segment leaves nothing to the background
        self.near = self._nearness(squares_x, metrics)

    def _length(self, M: Array) -> tuple[Array, Array] | None:
        if not M.any():
            return None
        Mx, My = self.x @ M, self.y @ M
        return _columns(-2 * Mx, _row_dots(Mx, self.x), 1), _columns(self.y, 1, _row_dots(My, self.y)).T.copy()

    def _seen(self, center: Array, radius: Any, M: Array) -> _Seen | None:
        """None for a region beyond all segments: they stay within `reach` of the middle."""
        W, V = self.X - center, self.Y - center
        lengths_x, lengths_y = np.sqrt(_row_dots(W, W)), np.sqrt(_row_dots(V, V))
        away = center - self.middle
        if radius == 0 or np.sqrt(away @ away) - radius > 1.001 * self.reach:
            return None
        if max(lengths_x.max(), lengths_y.max()) <= radius:
            return _Seen(None, None, self._length(M))
        power = (lengths_x - radius) * (lengths_x + radius)
        return _Seen(_columns(W, -_row_dots(W, self.x)), power[:, None], self._length(M))

    def _nearness(self, squares_x: Array, metrics: Array) -> Array:
        """NEAR |x|^2; all pairs of a row count as near where Delta or d^T M d could leave the range of the floats."""
        limits = np.finfo(squares_x.dtype)
        tiny, huge = limits.tiny / limits.eps, limits.max / 4096
        sizes = np.abs(metrics).max(axis=(1, 2))
        powers = [np.abs(region.power).max() for region in self.regions if region.power is not None]
        largest = max([self.reach**2, *powers])
        smallest = max(4 * np.sqrt(tiny), tiny / min([1, *sizes[sizes > 0]]))
        if not largest**2 < huge or not largest * sizes.max() < huge:
            smallest = np.inf
        near: Array = np.where(squares_x < smallest, np.inf, NEAR * squares_x)[:, None]
        return near.astype(squares_x.dtype)

    def fill(self, rows: slice, out: Array) -> None:
        """The distances of some rows of X to all of Y, in blocks that stay in the cache."""
        near: list[Array] = []
        work = _workspace(7, CROSS_ROWS * CROSS_COLUMNS, out.dtype)
        work[-1].fill(0)
        for start in range(rows.start, rows.stop, CROSS_ROWS):
            block = slice(start, min(start + CROSS_ROWS, rows.stop))
            for first in range(0, len(self.Y), CROSS_COLUMNS):
                columns = slice(first, min(first + CROSS_COLUMNS, len(self.Y)))
                part = out[block.start - rows.start : block.stop - rows.start, columns]
                is_far = self._block(block, columns, part, [flat[: part.size].reshape(part.shape) for flat in work])
                if not is_far.all():
                    near.append(np.argwhere(~is_far) + (start, first))
        if near:
            self._again(np.concatenate(near), rows.start, out)

    def _block(self, rows: slice, columns: slice, out: Array, work: list[Array]) -> Array:
        """The distances of one block, and which of its pairs are far enough apart for it (NaN is not)."""
        a, rest, total, t, u, half_b, zero = work
        np.matmul(self.left[rows], self.right[:, columns], out=a)
        np.copyto(rest, a)
        total.fill(0)
        for region in self.regions:
            self._covered(region, rows, columns, (a, t, u, half_b, zero))
            rest -= t
            self._add(region.length, rows, columns, (t, u, zero, total))
        np.maximum(rest, zero, out=rest)
        self._add(self.background, rows, columns, (rest, u, zero, total))
        np.divide(total, a, out=out)
        is_far: Array = a > self.near[rows]
        return is_far

    def _covered(self, region: _Seen, rows: slice, columns: slice, work: tuple[Array, ...]) -> None:
        """gamma a of a block, into t. Zeros are an array because NumPy compares two arrays at four times the speed."""
        a, t, u, half_b, zero = work
        if region.left is None or region.power is None:
            np.copyto(t, a)
            return
        np.matmul(region.left[rows], self.right[:-1, columns], out=half_b)
        np.multiply(half_b, half_b, out=t)
        np.multiply(a, region.power[rows], out=u)
        t -= u  # Delta / 4
        np.maximum(t, zero, out=t)  # a line that misses the ball gets a chord of length 0
        np.sqrt(t, out=t)
        np.subtract(t, half_b, out=u)
        np.minimum(u, a, out=u)  # a lambda_v, clipped from above
        t += half_b
        np.minimum(t, zero, out=t)  # -a lambda_u, clipped: what is below 0 does not count
        t += u
        np.maximum(t, zero, out=t)  # negative where the chord lies behind x or beyond y

    def _add(
        self, length: tuple[Array, Array] | None, rows: slice, columns: slice, work: tuple[Array, Array, Array, Array]
    ) -> None:
        """Add share times length to the total; the share is overwritten."""
        if length is None:
            return
        share, u, zero, total = work
        np.matmul(length[0][rows], length[1][:, columns], out=u)
        np.maximum(u, zero, out=u)
        np.sqrt(u, out=u)
        share *= u
        total += share

    def _again(self, near: Array, start: int, out: Array) -> None:
        """The near pairs from their differences."""
        scratch = _Scratch()
        centers, radii, metrics = _double(*self.Theta)
        for block in _blocks(len(near), (len(radii) + 3) * self.X.shape[1]):
            i, j = near[block].T
            out[i - start, j] = _distances_of(_pairs_of(self.X[i], self.Y[j]), centers, radii, metrics, scratch)


def _row_dots(U: Array, V: Array) -> Array:
    """The inner products of the rows of U with the rows of V."""
    dots: Array = np.einsum("pf,pf->p", U, V)
    return dots


def _columns(*parts: Any) -> Array:
    """Vectors and numbers as further columns of a matrix."""
    rows, dtype = len(parts[0]), parts[0].dtype
    flat = [part if np.ndim(part) == 2 else np.broadcast_to(np.asarray(part, dtype=dtype), rows) for part in parts]
    return np.column_stack(flat)


def _cross(
    X: ArrayLike, Y: ArrayLike, name: str, Theta: tuple[ArrayLike, ...]
) -> tuple[Array, Array, Array, Array, Array]:
    X, Y, centers, radii, A, B = _floats(X, Y, *Theta)
    F = _width(X, Y, centers, B)
    X, Y = _points("X", X, F), _points(name, Y, F)
    centers, radii = _regions(centers, radii, F)
    return X, Y, centers, radii, _metrics(A, B, *centers.shape)


@_quiet
def cross_distances(
    X: ArrayLike,
    Y: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
) -> Array:
    """Equation (9): the distances (n, m) of every row of X to every row of Y.

    >>> cross_distances([[0.0], [1.0]], [[4.0]], [[0.0]], [1.0], [[[4.0]]], [[1.0]])
    array([[5.],
           [3.]])
    """
    X, Y, *Theta = _cross(X, Y, "Y", (centers, radii, local_metrics, background_metric))
    D = np.empty((len(X), len(Y)), dtype=X.dtype)
    if D.size:
        cross = _Cross(X, Y, *Theta)
        for rows in _strips(*D.shape):
            cross.fill(rows, D[rows])
    return D


def _strips(n: int, m: int) -> Iterator[slice]:
    """Strips of rows: what is noted about near pairs never needs more memory than a strip of distances."""
    step = max(STRIP_NUMBERS // max(m, 1), CROSS_ROWS)
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def _sums_of_smallest(X: Array, Y: Array, K: int, Theta: list[Array]) -> Array:
    """sumKmin of the distances of every row of X to Y; only a strip of them exists at any time."""
    sums = np.empty(len(X), dtype=X.dtype)
    if len(X) == 0:
        return sums
    cross, strips = _Cross(X, Y, *Theta), list(_strips(len(X), len(Y)))
    work = np.empty((strips[0].stop, len(Y)), dtype=X.dtype)
    for rows in strips:
        D = work[: rows.stop - rows.start]
        cross.fill(rows, D)
        D.partition(K - 1, axis=1)
        sums[rows] = np.sort(D[:, :K], axis=1).sum(axis=1)
    return sums


@_quiet
def decision_values(
    X: ArrayLike,
    X_minus: ArrayLike,
    X_plus: ArrayLike,
    K: int,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
) -> Array:
    """Equation (10): f (n,), the mean of the K smallest distances to X_minus minus that of those to X_plus.

    >>> decision_values([[0.0]], [[3.0], [4.0]], [[-1.0], [-2.0]], 2, [], [], [], [[1.0]])
    array([2.])
    """
    X, X_minus, X_plus, *rest = _floats(X, X_minus, X_plus, centers, radii, local_metrics, background_metric)
    sums = []
    for name, members in (("X_minus", X_minus), ("X_plus", X_plus)):
        points, members, *Theta = _cross(X, members, name, tuple(rest))
        check_count("K", K, len(members), f"rows of {name}")
        sums.append(_sums_of_smallest(points, members, K, Theta))
    values: Array = (sums[0] - sums[1]) / X.dtype.type(K)
    return values


# ------------------------------------------------------------------------------------ the objective and its gradient


_Theta = tuple[Array, Array, Array]  # centers, radii, metrics


class _ProblemBlock(NamedTuple):
    """Some pairs of a problem, what each weighs in g, and the sign and limit of its hinge [sign (D - limit)]_+."""

    pairs: _Pairs
    weights: Array
    signs: Array
    limits: Array


class PairProblem:
    """Section 5: g and its gradient for one set of pairs, at as many parameters as training asks for.

    What does not change while Theta does is computed once: the differences of the pairs, their squared lengths, and
    which pairs are the same. (i, j) and (j, i) have the same distance, so mutual neighbours are computed once and
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
        (X,) = _double(*_floats(X))
        self.X = _points("X", X, _width(X)).copy()
        check_printed(printed)
        check_weights(alpha, C)
        self.alpha, self.C, self.printed = float(alpha), float(C), frozenset(printed)
        self._made: dict[int, list[_ProblemBlock]] = {}
        self._set_pairs(_pairs("similar", similar, len(X)), _pairs("dissimilar", dissimilar, len(X)))

    def _set_pairs(self, similar: NDArray[np.intp], dissimilar: NDArray[np.intp]) -> None:
        """The distinct pairs, what each weighs in g, and the sign and limit of its hinge [sign (D - limit)]_+."""
        n = len(self.X)
        rows, hinges = [], []
        for pairs, sign, limit in ((similar, 1.0, 1 - self.C), (dissimilar, -1.0, 1 + self.C)):
            keys, counts = np.unique(np.sort(pairs, axis=1) @ np.array([n, 1]), return_counts=True)
            rows.append(np.stack(np.divmod(keys, n), axis=1))
            weights = counts / max(len(pairs), 1)
            hinges.append(np.stack([weights, np.full(len(keys), sign), np.full(len(keys), limit)]))
        self.rows, self.hinges = np.concatenate(rows), np.concatenate(hinges, axis=1)

    def _blocks(self, S: int) -> list[_ProblemBlock]:
        """The blocks for S regions, made when first asked for."""
        if S not in self._made:
            i, j = self.rows.T
            self._made = {S: []}
            for block in _blocks(len(i), (S + 3) * self.X.shape[1]):
                pairs = _pairs_of(self.X[i[block]], self.X[j[block]])
                self._made[S].append(_ProblemBlock(pairs, *self.hinges[:, block]))
        return self._made[S]

    def _checked(self, Theta: Parameters) -> tuple[Array, Array, Array]:
        F = self.X.shape[1]
        centers, radii, local_metrics, background_metric = _double(*_floats(*Theta))
        centers, radii = _regions(centers, radii, F)
        return centers, radii, _metrics(local_metrics, background_metric, len(radii), F)

    def objective(self, Theta: Parameters) -> float:
        """Section 5.2: g at Theta."""
        return self._evaluate(Theta, with_gradient=False)[0]

    def gradient(self, Theta: Parameters) -> Parameters:
        """Section 5.2: the gradient of g at Theta, in the shapes of Theta."""
        return self._evaluate(Theta, with_gradient=True)[1]

    def objective_and_gradient(self, Theta: Parameters) -> tuple[float, Parameters]:
        """Section 5.2: g and its gradient at Theta, for little more than the price of the gradient."""
        return self._evaluate(Theta, with_gradient=True)

    @_quiet
    def _evaluate(self, Theta: Parameters, with_gradient: bool) -> tuple[float, Parameters]:
        centers, radii, metrics = self._checked(Theta)
        total = 0.0
        sums = (np.zeros_like(centers), np.zeros_like(radii), np.zeros_like(metrics))
        scratch = _Scratch()
        for block in self._blocks(len(radii)):
            total += self._add_block(block, (centers, radii, metrics), sums if with_gradient else None, scratch)
        norms = np.sqrt(np.einsum("sij,sij->s", metrics, metrics))
        total += self.alpha * float(norms.sum(dtype=np.float64))
        by_center, by_radius, by_metric = sums
        by_metric += self._shrinkage(metrics, norms)
        return total, _parameters(by_center, by_radius, by_metric[:-1], by_metric[-1])

    def _shrinkage(self, metrics: Array, norms: Array) -> Array:
        """alpha M / norm_F(M), and 0 where M = 0; half of it as printed (E4)."""
        inverse = np.divide(self.alpha, norms, out=np.zeros_like(norms), where=norms > 0)
        if "E4" in self.printed:
            inverse /= 2
        shrinkage: Array = inverse[:, None, None] * metrics
        return shrinkage

    def _add_block(self, block: _ProblemBlock, Theta: _Theta, sums: _Theta | None, scratch: _Scratch) -> float:
        """What a block of pairs adds to g; its part of the gradient is added to `sums`."""
        centers, radii, metrics = Theta
        chords, lengths = _chords(block.pairs, centers, radii, scratch), _lengths(block.pairs, metrics, scratch)
        gamma = chords.ratios()
        gamma_b = _background_ratios(gamma)
        hinge = block.signs * (_distances(gamma, gamma_b, lengths) - block.limits)
        np.maximum(hinge, 0, out=hinge)
        if sums is not None:
            weights = block.weights * (hinge > 0)
            if "E2" not in self.printed:
                weights *= block.signs
            self._add_metric_slopes(
                block.pairs, weights, np.concatenate([gamma, gamma_b[None]]), lengths, sums[2], scratch
            )
            self._add_position_slopes(block.pairs, weights, chords, gamma_b, lengths, radii, sums)
        return float(block.weights @ hinge)

    def _add_metric_slopes(
        self, pairs: _Pairs, weights: Array, shares: Array, lengths: Array, by_metric: Array, scratch: _Scratch
    ) -> None:
        """dD/dM = gamma d d^T / (2 D_M), so the sum over pairs is one matrix product, D diag(w) D^T."""
        shares *= weights / 2
        shares = np.divide(shares, lengths, out=np.zeros_like(shares), where=lengths > 0)
        product = scratch.array("product", *pairs.D.shape)
        for share, total in zip(shares, by_metric, strict=True):
            total += np.multiply(pairs.D, share, out=product) @ pairs.D.T

    def _add_position_slopes(
        self,
        pairs: _Pairs,
        weights: Array,
        chords: _Chords,
        gamma_b: Array,
        lengths: Array,
        radii: Array,
        sums: _Theta,
    ) -> None:
        """dD/do and dD/dr: dD/dgamma = D_M(A_s) - 1[gamma_b > 0] D_M(B) times Table 3; what a region gains, B loses."""
        of_background = lengths[-1] * (gamma_b > 0)
        if "E3" in self.printed:
            of_background = -of_background
        by_gamma = (lengths[:-1] - of_background) * weights
        slopes = _slopes(pairs, chords, radii)
        along = (by_gamma * slopes.of_direction) @ pairs.D.T
        across = np.matmul(chords.offset, (by_gamma * slopes.of_offset)[:, :, None])[:, :, 0]
        sums[0][...] += along + across
        sums[1][...] += np.einsum("sp,sp->s", by_gamma, slopes.of_radius)


@_quiet
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
    Theta = _parameters(centers, radii, local_metrics, background_metric)
    return PairProblem(X, similar, dissimilar, alpha, C).objective(Theta)


@_quiet
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
) -> Parameters:
    """Section 5.2: the gradient of g with respect to centers, radii, local metrics and background metric.

    >>> objective_gradient([[0.0], [4.0]], [(0, 1)], [], [[0.0]], [1.0], [[[4.0]]], [[1.0]], 0.0, 0.5).radii
    array([1.])
    """
    X, *Theta = _floats(X, centers, radii, local_metrics, background_metric)
    gradient = PairProblem(X, similar, dissimilar, alpha, C, printed).gradient(_parameters(*Theta))
    return _parameters(*(np.asarray(part, dtype=X.dtype) for part in gradient))


def nearest_positive_semidefinite(metrics: ArrayLike) -> Array:
    """Choice C2: the nearest positive semi-definite matrix to each of (..., F, F) symmetric matrices.

    >>> nearest_positive_semidefinite([[2.0, 0.0], [0.0, -1.0]])
    array([[2., 0.],
           [0., 0.]])
    """
    (M,) = _floats(metrics)
    M = (M + np.swapaxes(M, -1, -2)) / 2
    if M.size == 0:
        return M
    values, vectors = np.linalg.eigh(M)
    clipped = (vectors * np.maximum(values, 0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    clipped = (clipped + np.swapaxes(clipped, -1, -2)) / 2
    return np.where((values[..., 0] < 0)[..., None, None], clipped, M)


def descended(Theta: Parameters, gradient: Parameters, beta: float) -> Parameters:
    """Section 5.2: Theta - beta gradient, metrics projected onto the cone (choice C2), radii onto r >= 0 (choice C3).

    >>> one = np.ones((1, 1))
    >>> descended(Parameters(one, [1.0], [one], one), Parameters(one, [4.0], [one], 3 * one), beta=0.5).radii
    array([0.])
    """
    centers, radii, A, B, *slopes = _floats(*Theta, *gradient)
    metrics = np.concatenate([A.reshape(-1, *B.shape), B[None]])
    by_metric = np.concatenate([slopes[2].reshape(-1, *B.shape), slopes[3][None]])
    metrics = nearest_positive_semidefinite(metrics - beta * by_metric)
    return _parameters(centers - beta * slopes[0], np.maximum(radii - beta * slopes[1], 0), metrics[:-1], metrics[-1])


@_quiet
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
) -> Parameters:
    """Section 5.2: the parameters after one step of gradient descent, projected onto what they may be.

    >>> descent_step([[0.0], [4.0]], [(0, 1)], [], [[0.0]], [1.0], [[[4.0]]], [[1.0]], 0.0, 0.5, 0.25).radii
    array([0.75])
    """
    if not np.isfinite(beta):
        raise ValueError(f"beta must be finite, got beta={beta}")
    X, *parts = _floats(X, centers, radii, local_metrics, background_metric)
    Theta = _parameters(*_double(*parts))
    step = descended(Theta, PairProblem(X, similar, dissimilar, alpha, C, printed).gradient(Theta), beta)
    return _parameters(*(np.asarray(part, dtype=X.dtype) for part in step))


# --------------------------------------------------------------------------------------------- neighbours


def neighbors(X: ArrayLike, y: ArrayLike, K: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Section 5.1, j -> i: the K nearest of the same class, and of the other classes, of every row; two (n, K) arrays.

    Euclidean, nearest first, equal distances by index.

    >>> same, other = neighbors([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], K=1)
    >>> same.ravel(), other.ravel()
    (array([1, 0, 3, 2]), array([2, 2, 1, 1]))
    """
    return _class_neighbors(X, y, K, same=True), _class_neighbors(X, y, K, same=False)


def _class_neighbors(X: ArrayLike, y: ArrayLike, K: int, same: bool) -> NDArray[np.intp]:
    (X,) = _double(*_floats(X))
    X = _points("X", X, _width(X))
    y = np.asarray(y)
    if y.shape != (len(X),):
        raise ValueError(f"y needs one label per row of X, got shape {y.shape} for {len(X)} rows")
    nearest = np.empty((len(X), K if isinstance(K, (int, np.integer)) and K > 0 else 0), dtype=np.intp)
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        candidates = members if same else np.flatnonzero(y != label)
        what = f"other instances in class {label}" if same else f"instances outside class {label}"
        check_count("K", K, len(candidates) - same, what)
        nearest[members] = _nearest(X, members, candidates, K, leave_out_self=same)
    return nearest


def _nearest(X: Array, rows: Array, candidates: Array, K: int, leave_out_self: bool) -> Array:
    """The K nearest candidates of every row, nearest first, ties by index.

    The squares are added feature by feature, in the order of the reference, so that what is a tie there is a tie here.
    Sorting all candidates would cost more than their distances: the K-th smallest is found without sorting, and only
    what is not above it is put in order.
    """
    nearest = np.empty((len(rows), K), dtype=np.intp)
    for block in _blocks(len(rows), len(candidates)):
        squares = np.zeros((len(rows[block]), len(candidates)), dtype=X.dtype)
        for f in range(X.shape[1]):
            difference = X[candidates, f] - X[rows[block], f, None]
            squares += np.multiply(difference, difference, out=difference)
        if leave_out_self:
            squares[rows[block][:, None] == candidates] = np.inf
        limit = np.partition(squares, K - 1, axis=1)[:, K - 1, None]
        row, column = np.nonzero(squares <= limit)
        order = np.lexsort((column, squares[row, column], row))
        first = np.searchsorted(row, np.arange(len(squares)))
        nearest[block] = candidates[column[order[first[:, None] + np.arange(K)]]]
    return nearest


def similar_pairs(X: ArrayLike, y: ArrayLike, K: int) -> NDArray[np.intp]:
    """Section 5.1: the pairs (i, j) with j among the K nearest of the same class of i, an array (n K, 2).

    >>> similar_pairs([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], K=1).tolist()
    [[0, 1], [1, 0], [2, 3], [3, 2]]
    """
    return _paired(_class_neighbors(X, y, K, same=True))


def dissimilar_pairs(X: ArrayLike, y: ArrayLike, K: int) -> NDArray[np.intp]:
    """Section 5.1: the pairs (i, k) with k among the K nearest of the other classes of i, an array (n K, 2).

    >>> dissimilar_pairs([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], K=1).tolist()
    [[0, 2], [1, 2], [2, 1], [3, 1]]
    """
    return _paired(_class_neighbors(X, y, K, same=False))


def _paired(neighbor_rows: NDArray[np.intp]) -> NDArray[np.intp]:
    n, K = neighbor_rows.shape
    return np.stack([np.repeat(np.arange(n), K), neighbor_rows.ravel()], axis=1)


def discriminative_directions(X: ArrayLike, y: ArrayLike, K: int) -> Array:
    """Section 5.2, step 1: h (n, F), the differences to the K nearest of the other classes minus those of the same.

    >>> discriminative_directions([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], K=1).ravel()
    array([2., 1., 1., 2.])
    """
    (X,) = _floats(X)
    same, other = neighbors(X, y, K)
    h = np.zeros_like(X)
    for k in range(K):
        h += np.abs(X[other[:, k]] - X)
        h -= np.abs(X[same[:, k]] - X)
    return h
