"""The vectorised twin: the same functions as the reference, on whole arrays, hundreds of times faster.

One segment and one ball cost the same dozen operations everywhere; what changes is how often Python is asked to look.
The reference asks for every number. Here every line works on a block of pairs that fits in the cache, and the loops
that remain run over blocks and regions.

| here | in the paper |
|---|---|
| `D`, `a` | x_j - x_i, and its squared length a |
| `W` | x_i - o_s |
| `middle`, `half` | -b / 2a and sqrt(Delta) / 2a, so lambda_u, lambda_v = middle -+ half |
| `offset` | x_i + (-b / 2a) (x_j - x_i) - o_s, the bracket of Table 3 |
| `gamma`, `gamma_b` | the intersection ratios |
| `lengths` | D_M(A_s), D_M(B), the Mahalanobis lengths |
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

# The 24 columns of 2,048 pairs are 400 kB: a few such blocks fit in the second-level cache of today's processors,
# and the few microseconds that NumPy needs to start an operation are small against 50,000 numbers.
BLOCK_NUMBERS, SMALLEST_BLOCK = 49_152, 256

# The block of `cross_distances`: five arrays of 32 x 512 numbers are 650 kB.
CROSS_ROWS, CROSS_COLUMNS = 32, 512
STRIP_NUMBERS = 2**22  # a strip of distances in `decision_values`: 32 MB

# Pairs with |x - y|^2 <= NEAR |x|^2 are computed from their differences.
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
    """Squared lengths must neither overflow nor vanish."""
    if a.size == 0:
        return
    tiny = np.finfo(a.dtype).tiny / np.finfo(a.dtype).eps
    if not np.isfinite(a.max()) or (a.min() < tiny and D[a < tiny].any()):
        worst = D[~np.isfinite(a) | (a < tiny)]
        worst = worst[worst.any(axis=1)][0]
        raise ValueError(
            f"the length of a difference must have a square in the range of {a.dtype}, got {worst.tolist()}"
        )


def _parameters(*parts: Any) -> Parameters:
    return Parameters(*parts)


def _blocks(P: int, F: int) -> Iterator[slice]:
    step = max(BLOCK_NUMBERS // max(F, 1), SMALLEST_BLOCK)
    for start in range(0, P, step):
        yield slice(start, min(start + step, P))


# ------------------------------------------------------------------------------ one block of pairs, one region


def _row_dots(U: Array, V: Array) -> Array:
    """The inner products of the rows of U with the rows of V, without an array of their products."""
    dots: Array = np.einsum("pf,pf->p", U, V)
    return dots


def _inverse(a: Array) -> Array:
    """1 / a, and 0 where a = 0: with it every coefficient of a pair x_i = x_j comes out as 0 without a branch."""
    return np.divide(1, a, out=np.zeros_like(a), where=a != 0)


class _Chord(NamedTuple):
    """Where the lines of a block cross one sphere: lambda_u, lambda_v = middle -+ half."""

    middle: Array
    half: Array
    offset: Array

    def coefficients(self) -> tuple[Array, Array]:
        return self.middle - self.half, self.middle + self.half


def _chord(X_i: Array, D: Array, inverse_a: Array, center: Array, radius: Any) -> _Chord:
    """Definition 8 for a block: (r - h)(r + h) keeps the digits that b^2 - 4ac loses for a small ball far away."""
    offset = X_i - center
    middle = _row_dots(offset, D)
    middle *= -inverse_a
    offset += middle[:, None] * D
    h = np.sqrt(_row_dots(offset, offset))
    if len(h) and not np.isfinite(h.max()):
        raise ValueError(f"a center needs squared distances in the range of float64, got center={center.tolist()}")
    half = (radius - h) * (radius + h)
    np.maximum(half, 0, out=half)
    half *= inverse_a
    np.sqrt(half, out=half)
    return _Chord(middle, half, offset)


def _clipped(lambda_: Array) -> Array:
    return np.minimum(np.maximum(lambda_, 0), 1)


def _segment_coefficients(chord: _Chord) -> tuple[Array, Array]:
    lambda_u, lambda_v = chord.coefficients()
    return _clipped(lambda_u), _clipped(lambda_v)


def _ratio(chord: _Chord) -> Array:
    lambda_p, lambda_q = _segment_coefficients(chord)
    return lambda_q - lambda_p


class _Slope(NamedTuple):
    """Table 3 for a block: d gamma / d o = offset_weight offset + direction_weight D, and d gamma / d r."""

    offset_weight: Array
    direction_weight: Array
    radius: Array


def _slope(chord: _Chord, inverse_a: Array, radius: Any) -> _Slope:
    """Table 3: its five rows are e_v d lambda_v - e_u d lambda_u, with e = 1 where the crossing is on the segment."""
    lambda_u, lambda_v = chord.coefficients()
    crosses = chord.half > 0
    e_u = crosses & (lambda_u >= 0) & (lambda_u <= 1)
    e_v = crosses & (lambda_v >= 0) & (lambda_v <= 1)
    count = e_u.astype(inverse_a.dtype) + e_v
    offset_weight = np.divide(inverse_a, chord.half, out=np.zeros_like(inverse_a), where=crosses)
    offset_weight *= count
    direction_weight = inverse_a * (e_v.astype(inverse_a.dtype) - e_u)
    return _Slope(offset_weight, direction_weight, offset_weight * radius)


def _lengths(D: Array, M: Array) -> Array:
    """Definitions 3 and 4 for a block; rounding must not take the root of a negative number."""
    q = _row_dots(D @ M, D)
    if len(q) and not np.isfinite(q.max()):
        raise ValueError(f"a metric needs squared lengths in the range of float64, got entries up to {np.abs(M).max()}")
    np.maximum(q, 0, out=q)
    return np.sqrt(q, out=q)


# ------------------------------------------------------------------------------------------- pairs of points


def _checked_pairs(X_i: Array, X_j: Array, centers: Array, radii: Array) -> tuple[Array, Array, Array, Array]:
    F = _width(X_i, X_j, centers)
    X_i, X_j = _points("X_i", X_i, F), _points("X_j", X_j, F)
    if len(X_i) != len(X_j):
        raise ValueError(f"X_j needs as many rows as X_i, got {len(X_j)} and {len(X_i)}")
    return X_i, X_j, *_regions(centers, radii, F)


def _differences(X_i: Array, X_j: Array) -> tuple[Array, Array]:
    """D = x_j - x_i and 1 / a, for a block."""
    D = X_j - X_i
    a = _row_dots(D, D)
    _check_squares(a, D)
    return D, _inverse(a)


def _double(*arrays: Array) -> list[Array]:
    """Pairs are computed in double precision: float32 squares its way out of its range too easily."""
    return [array.astype(np.float64, copy=False) for array in arrays]


@_quiet
def intersection_ratios(X_i: ArrayLike, X_j: ArrayLike, centers: ArrayLike, radii: ArrayLike) -> Array:
    """Definition 8: gamma of every pair (row of X_i, row of X_j) and region, an array (P, S).

    >>> intersection_ratios([[0.0, 0.0]], [[4.0, 0.0]], [[0.0, 0.0], [2.0, 0.0]], [1.0, 1.0])
    array([[0.25, 0.5 ]])
    """
    X_i, X_j, centers, radii = _checked_pairs(*_floats(X_i, X_j, centers, radii))
    gamma = np.empty((len(X_i), len(radii)), dtype=X_i.dtype)
    for block in _blocks(*X_i.shape):
        x_i, x_j = _double(X_i[block], X_j[block])
        D, inverse_a = _differences(x_i, x_j)
        for s, (center, radius) in enumerate(zip(centers, radii, strict=True)):
            gamma[block, s] = _ratio(_chord(x_i, D, inverse_a, center, radius))
    return gamma


@_quiet
def ratio_gradients(X_i: ArrayLike, X_j: ArrayLike, centers: ArrayLike, radii: ArrayLike) -> tuple[Array, Array]:
    """Table 3: d gamma / d o_s (P, S, F) and d gamma / d r_s (P, S) of every pair and region.

    >>> ratio_gradients([[0.0]], [[4.0]], [[0.0]], [1.0])
    (array([[[0.25]]]), array([[0.25]]))
    """
    X_i, X_j, centers, radii = _checked_pairs(*_floats(X_i, X_j, centers, radii))
    by_center = np.empty((len(X_i), *centers.shape), dtype=X_i.dtype)
    by_radius = np.empty((len(X_i), len(radii)), dtype=X_i.dtype)
    for block in _blocks(*X_i.shape):
        x_i, x_j = _double(X_i[block], X_j[block])
        D, inverse_a = _differences(x_i, x_j)
        for s, (center, radius) in enumerate(zip(centers, radii, strict=True)):
            chord = _chord(x_i, D, inverse_a, center, radius)
            slope = _slope(chord, inverse_a, radius)
            by_center[block, s] = slope.offset_weight[:, None] * chord.offset + slope.direction_weight[:, None] * D
            by_radius[block, s] = slope.radius
    return by_center, by_radius


def _gaps(lambda_p: Array, lambda_q: Array) -> Array:
    """The part of [0, 1] that no interval [lambda_p, lambda_q] of a row covers.

    Sorted by their beginnings, an interval leaves a gap only after the farthest end so far. Adding up the gaps, instead
    of subtracting the union from 1, keeps the digits of a small background.
    """
    order = np.argsort(lambda_p, axis=1)
    begins = np.take_along_axis(lambda_p, order, axis=1)
    ends = np.maximum.accumulate(np.take_along_axis(lambda_q, order, axis=1), axis=1)
    inner = np.maximum(begins[:, 1:] - ends[:, :-1], 0).sum(axis=1)
    gaps: Array = begins[:, 0] + inner + (1 - ends[:, -1])
    return gaps


@_quiet
def exact_background_ratios(X_i: ArrayLike, X_j: ArrayLike, centers: ArrayLike, radii: ArrayLike) -> Array:
    """Definition 5: the share (P,) of each segment outside all regions, 1 minus the measure of the union.

    >>> exact_background_ratios([[0.0]], [[4.0]], [[0.0], [0.5]], [1.0, 1.0])
    array([0.625])
    """
    X_i, X_j, centers, radii = _checked_pairs(*_floats(X_i, X_j, centers, radii))
    ratios = np.ones(len(X_i), dtype=X_i.dtype)
    if len(radii) == 0:
        return ratios
    for block in _blocks(*X_i.shape):
        x_i, x_j = _double(X_i[block], X_j[block])
        D, inverse_a = _differences(x_i, x_j)
        lambda_p = np.empty((len(D), len(radii)), dtype=D.dtype)
        lambda_q = np.empty_like(lambda_p)
        for s, (center, radius) in enumerate(zip(centers, radii, strict=True)):
            chord = _chord(x_i, D, inverse_a, center, radius)
            lambda_p[:, s], lambda_q[:, s] = _segment_coefficients(chord)
        ratios[block] = _gaps(lambda_p, lambda_q)
    return ratios


def _block_distances(X_i: Array, X_j: Array, centers: Array, radii: Array, metrics: Array) -> Array:
    """Equation (9) for a block of pairs, straight from the differences: the accurate path that all others rest on."""
    X_i, X_j, centers, radii, metrics = _double(X_i, X_j, centers, radii, metrics)
    D, inverse_a = _differences(X_i, X_j)
    total = np.zeros(len(D), dtype=D.dtype)
    covered = np.zeros(len(D), dtype=D.dtype)
    for s, (center, radius) in enumerate(zip(centers, radii, strict=True)):
        gamma = _ratio(_chord(X_i, D, inverse_a, center, radius))
        covered += gamma
        total += gamma * _lengths(D, metrics[s])
    total += np.maximum(1 - covered, 0) * _lengths(D, metrics[-1])
    return total


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
    metrics = _metrics(A, B, *centers.shape)
    D = np.empty(len(X_i), dtype=X_i.dtype)
    for block in _blocks(*X_i.shape):
        D[block] = _block_distances(X_i[block], X_j[block], centers, radii, metrics)
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
        for start in range(rows.start, rows.stop, CROSS_ROWS):
            block = slice(start, min(start + CROSS_ROWS, rows.stop))
            for first in range(0, len(self.Y), CROSS_COLUMNS):
                columns = slice(first, min(first + CROSS_COLUMNS, len(self.Y)))
                part = out[block.start - rows.start : block.stop - rows.start, columns]
                is_near = self._block(block, columns, part, [flat[: part.size].reshape(part.shape) for flat in work])
                if is_near.any():
                    near.append(np.argwhere(is_near) + (start, first))
        if near:
            self._again(np.concatenate(near), rows.start, out)

    def _block(self, rows: slice, columns: slice, out: Array, work: list[Array]) -> Array:
        """The distances of one block, and which of its pairs are too near for it."""
        a, rest, total, t, u, half_b, zero = work
        np.matmul(self.left[rows], self.right[:, columns], out=a)
        np.copyto(rest, a)
        total[...] = 0
        for region in self.regions:
            self._covered(region, rows, columns, (a, t, u, half_b, zero))
            rest -= t
            self._add(region.length, rows, columns, t, u, zero, total)
        np.maximum(rest, zero, out=rest)
        self._add(self.background, rows, columns, rest, u, zero, total)
        np.divide(total, a, out=out)
        is_near: Array = a <= self.near[rows]
        return is_near

    def _covered(self, region: _Seen, rows: slice, columns: slice, work: tuple[Array, ...]) -> None:
        """gamma a of a block, into t. Zeros are an array because NumPy compares two arrays at four times the speed."""
        a, t, u, half_b, zero = work
        if region.left is None or region.power is None:
            np.copyto(t, a)
            return
        np.matmul(region.left[rows], self.right[:-1, columns], out=half_b)
        np.multiply(half_b, half_b, out=t)
        np.multiply(a, region.power[rows], out=u)
        t -= u
        np.maximum(t, zero, out=t)
        np.sqrt(t, out=t)
        np.subtract(t, half_b, out=u)
        np.minimum(u, a, out=u)
        t += half_b
        np.minimum(t, zero, out=t)
        t += u
        np.maximum(t, zero, out=t)

    def _add(
        self,
        length: tuple[Array, Array] | None,
        rows: slice,
        columns: slice,
        share: Array,
        u: Array,
        zero: Array,
        total: Array,
    ) -> None:
        """Add share times length; `share` is overwritten."""
        if length is None:
            return
        np.matmul(length[0][rows], length[1][:, columns], out=u)
        np.maximum(u, zero, out=u)
        np.sqrt(u, out=u)
        share *= u
        total += share

    def _again(self, pairs: Array, start: int, out: Array) -> None:
        """The near pairs from their differences."""
        for block in _blocks(len(pairs), self.X.shape[1]):
            i, j = pairs[block].T
            out[i - start, j] = _block_distances(self.X[i], self.Y[j], *self.Theta)


def _workspace(count: int, size: int, dtype: Any) -> list[Array]:
    """Some arrays of zeros for one block, each beginning on a cache line, no two at the same place of a memory page.

    A 64-byte register that straddles two cache lines works at half the speed, and a processor that has just written
    to one page hesitates to read the same place of another.
    """
    line = 64 // np.dtype(dtype).itemsize
    stride = -(-size // line) * line + 9 * line
    raw = np.zeros(count * stride + line, dtype=dtype)
    start = -raw.ctypes.data % 64 // raw.itemsize
    return [raw[start + k * stride : start + k * stride + size] for k in range(count)]


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
        _Cross(X, Y, *Theta).fill(slice(0, len(X)), D)
    return D


def _sums_of_smallest(X: Array, Y: Array, K: int, Theta: list[Array]) -> Array:
    """sumKmin of the distances of every row of X to Y; only a strip of them exists at any time."""
    sums = np.empty(len(X), dtype=X.dtype)
    if len(X) == 0:
        return sums
    strip = max(STRIP_NUMBERS // len(Y), CROSS_ROWS)
    work = np.empty((min(strip, len(X)), len(Y)), dtype=X.dtype)
    cross = _Cross(X, Y, *Theta)
    for start in range(0, len(X), strip):
        rows = slice(start, min(start + strip, len(X)))
        D = work[: rows.stop - start]
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
        self.X = _points("X", X, _width(X))
        check_printed(printed)
        check_weights(alpha, C)
        self.alpha, self.C, self.printed = float(alpha), float(C), frozenset(printed)
        self._set_pairs(_pairs("similar", similar, len(X)), _pairs("dissimilar", dissimilar, len(X)))

    def _set_pairs(self, similar: NDArray[np.intp], dissimilar: NDArray[np.intp]) -> None:
        """The distinct pairs, what each weighs in g, and the sign and threshold of its hinge."""
        n = len(self.X)
        rows, weights, signs, limits = [], [], [], []
        for pairs, sign, limit in ((similar, 1.0, 1 - self.C), (dissimilar, -1.0, 1 + self.C)):
            keys, counts = np.unique(np.sort(pairs, axis=1) @ np.array([n, 1]), return_counts=True)
            rows.append(np.stack(np.divmod(keys, n), axis=1))
            weights.append(counts / max(len(pairs), 1))
            signs.append(np.full(len(keys), sign))
            limits.append(np.full(len(keys), limit))
        self.rows = np.concatenate(rows)
        self.weights, self.signs, self.limits = map(np.concatenate, (weights, signs, limits))
        self.X_i = self.X[self.rows[:, 0]]
        self.D, self.inverse_a = _differences(self.X_i, self.X[self.rows[:, 1]])

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
        slopes = (np.zeros_like(centers), np.zeros_like(radii), np.zeros_like(metrics))
        for block in _blocks(*self.D.shape):
            total += self._block(block, centers, radii, metrics, slopes if with_gradient else None)
        norms = np.sqrt(np.einsum("sij,sij->s", metrics, metrics))
        total += self.alpha * float(norms.sum(dtype=np.float64))
        by_center, by_radius, by_metric = slopes
        by_metric += self._shrinkage(metrics, norms)
        return total, _parameters(by_center, by_radius, by_metric[:-1], by_metric[-1])

    def _shrinkage(self, metrics: Array, norms: Array) -> Array:
        """alpha M / norm_F(M), and 0 where M = 0; half of it as printed (E4)."""
        inverse = np.divide(self.alpha, norms, out=np.zeros_like(norms), where=norms > 0)
        if "E4" in self.printed:
            inverse /= 2
        shrinkage: Array = inverse[:, None, None] * metrics
        return shrinkage

    def _block(
        self, block: slice, centers: Array, radii: Array, metrics: Array, slopes: tuple[Array, Array, Array] | None
    ) -> float:
        """What a block of pairs adds to g; its part of the gradient is added to `slopes`."""
        X_i, D, inverse_a = self.X_i[block], self.D[block], self.inverse_a[block]
        chords = [_chord(X_i, D, inverse_a, *ball) for ball in zip(centers, radii, strict=True)]
        gamma = np.array([_ratio(chord) for chord in chords]).reshape(len(chords), len(D))
        lengths = np.array([_lengths(D, M) for M in metrics])
        gamma_b = 1 - gamma.sum(axis=0)
        np.maximum(gamma_b, 0, out=gamma_b)
        distance = np.einsum("sp,sp->p", gamma, lengths[:-1])
        distance += gamma_b * lengths[-1]
        hinge = self.signs[block] * (distance - self.limits[block])
        active = hinge > 0
        g = float(np.dot(self.weights[block][active], hinge[active]))
        if slopes is not None and active.any():
            self._add_slopes(block, active, chords, radii, gamma, gamma_b, lengths, slopes)
        return g

    def _add_slopes(
        self,
        block: slice,
        active: Array,
        chords: list[_Chord],
        radii: Array,
        gamma: Array,
        gamma_b: Array,
        lengths: Array,
        slopes: tuple[Array, Array, Array],
    ) -> None:
        """Section 5.2: sums over pairs are matrix products, D^T diag(w) D for a metric and w^T offset for a center."""
        by_center, by_radius, by_metric = slopes
        weights = self.weights[block] * active
        if "E2" not in self.printed:
            weights *= self.signs[block]
        D, inverse_a = self.D[block], self.inverse_a[block]
        shares = np.concatenate([gamma, gamma_b[None]])
        metric_weights = np.divide(shares, 2 * lengths, out=np.zeros_like(shares), where=lengths > 0) * weights
        for s, w in enumerate(metric_weights):
            by_metric[s] += (D * w[:, None]).T @ D
        of_background = lengths[-1] * (gamma_b > 0)
        if "E3" in self.printed:
            of_background = -of_background
        for s, chord in enumerate(chords):
            slope = _slope(chord, inverse_a, radii[s])
            w = weights * (lengths[s] - of_background)
            by_center[s] += (w * slope.offset_weight) @ chord.offset + (w * slope.direction_weight) @ D
            by_radius[s] += w @ slope.radius


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
    (X,) = _floats(X)
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
