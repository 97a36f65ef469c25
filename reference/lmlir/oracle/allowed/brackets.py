"""Brackets: for every number that an interface function returns, the values that an honest program
may return.

A fixed tolerance is either blind or unfair: near a tangency gamma's error is the square root of the
rounding error. So the tolerance is what exact arithmetic gives when the inputs move a little:

* every radius moves both ways. With s the largest length of a difference in play (x_i - o, x_j - o,
  x_j - x_i), r^2 moves by 2 k eps s max(s, r), which is what the printed b^2 - 4ac costs (a radius
  moved by k eps s max(1, s / r)), with k = 4 (measured: it needs 1.7); and the points move by their
  own rounding, 2 eps |x|, which is at most a radius moved by as much;
* every metric moves by k eps norm_F(M), so a squared length moves by that times the squared
  Euclidean length;
* what is computed from these moves by a few eps of its parts; a sum of n terms, in whatever order,
  by n / 2 eps of the sum of their sizes, and so does the radius when there are more than eight
  features.

gamma is monotone in r, D is convex in gamma and monotone in every length, f and g are monotone in
every D: so the ends of the brackets are values at moved inputs. A gradient on a kink may be
anything between the one-sided derivatives; brackets count how often that happened. The ends are
evaluated in the longest floating-point format that NumPy has, by a stable formula whose own error
is far below the moves; `lmlir.oracle.exact` has the true values to 50 digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lmlir.oracle.interface import PARAMETERS, Arguments
from lmlir.oracle.precision import PRECISIONS, Kinks, Precision

LONG = np.longdouble
# how many eps s max(1, s / r) a radius moves, at the least: the printed b^2 - 4ac needs up to 1.7
# of them
K = 4
Bracket = tuple[np.ndarray, np.ndarray]


# squares of float64 numbers neither overflow nor vanish
WIDE = np.finfo(LONG).maxexp > 4 * np.finfo(np.float64).maxexp


def _norm(array: np.ndarray) -> np.ndarray:
    if WIDE:
        return np.asarray(np.sqrt(np.add.reduce(array * array, axis=-1)))
    largest = np.max(np.abs(array), axis=-1, initial=0.0, keepdims=True)
    safe = np.where(largest > 0, largest, 1)
    return np.asarray(np.sqrt(np.sum((array / safe) ** 2, axis=-1)) * safe[..., 0])


def _times(a: Any, b: Any) -> np.ndarray:
    """The product, with 0 times infinity taken as 0."""
    a, b = np.asarray(a, dtype=LONG), np.asarray(b, dtype=LONG)
    with np.errstate(invalid="ignore"):
        return np.where((a == 0) | (b == 0), LONG(0), a * b)


def _product(first: Bracket, second: Bracket) -> Bracket:
    """The bracket of a product; where an end is infinite and another 0, their product is taken as
    0.
    """
    a, b, c, d = (each * other for each in first for other in second)
    low = np.minimum(np.minimum(a, b), np.minimum(c, d))
    if np.isnan(low).any():
        a, b, c, d = (_times(each, other) for each in first for other in second)
        low = np.minimum(np.minimum(a, b), np.minimum(c, d))
    return low, np.maximum(np.maximum(a, b), np.maximum(c, d))


def _over(a: Any, b: Any) -> np.ndarray:
    """The quotient of non-negative numbers, with 0 / 0 taken as 0."""
    a, b = np.asarray(a, dtype=LONG), np.asarray(b, dtype=LONG)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(a == 0, LONG(0), a / b)


class Geometry:
    """Pairs against balls: where each line passes each ball, with the radius as given and moved
    both ways.

    Arrays have the shape (pairs, regions), vectors (pairs, regions, features).
    """

    def __init__(
        self,
        X_i: Any,
        X_j: Any,
        centers: Any,
        radii: Any,
        precision: Precision,
    ) -> None:
        x_i, x_j, o = (np.asarray(array, dtype=LONG) for array in (X_i, X_j, centers))
        self.eps = LONG(precision.eps)
        self.features = x_i.shape[1]
        self.k = max(K, self.features / 2)
        self.r = np.broadcast_to(np.asarray(radii, dtype=LONG), (len(x_i), len(o)))
        self.d = x_j - x_i
        self.length = _norm(self.d)
        self.same = self.length == 0
        self._pass(x_i, x_j, o)
        self._move(x_i, x_j, o)

    def _pass(
        self,
        x_i: np.ndarray,
        x_j: np.ndarray,
        o: np.ndarray,
    ) -> None:
        from_center = x_i[:, None, :] - o[None, :, :]
        unit = self.d / np.where(self.same, 1, self.length)[:, None]
        along = -np.sum(unit[:, None, :] * from_center, axis=-1)
        self.offset = from_center + along[..., None] * unit[:, None, :]
        self.h = _norm(self.offset)
        self.L = np.where(self.same, 1, self.length)[:, None]
        self.unit = unit
        self.middle = along / self.L
        to_center = x_j[:, None, :] - o[None, :, :]
        self.s = np.maximum(np.maximum(_norm(from_center), _norm(to_center)), self.length[:, None])

    def _move(
        self,
        x_i: np.ndarray,
        x_j: np.ndarray,
        o: np.ndarray,
    ) -> None:
        point = np.maximum(_norm(x_i), _norm(x_j))
        self.point_move = self.eps * point
        self.own = self.eps * np.maximum(point[:, None], _norm(o)[None, :])
        arithmetic = 2 * self.k * self.eps * self.s * np.maximum(self.s, self.r)
        self.r_high = np.sqrt(self.r**2 + arithmetic) + 2 * self.own
        self.r_low = np.maximum(np.sqrt(np.maximum(self.r**2 - arithmetic, 0)) - 2 * self.own, 0)

    def half_chord(self, radius: np.ndarray) -> np.ndarray:
        """Half of what a ball of this radius cuts out of the line, as a length; 0 where it
        misses.
        """
        return np.asarray(np.sqrt(np.maximum((radius - self.h) * (radius + self.h), 0)))

    def segment(self, radius: np.ndarray) -> Bracket:
        """(lambda_p, lambda_q) with this radius, equal where the ball is missed."""
        reach = self.half_chord(radius) / self.L
        start = np.clip(self.middle - reach, 0, 1)
        end = np.clip(self.middle + reach, 0, 1)
        empty = (radius <= self.h) | self.same[:, None]
        return start, np.where(empty, start, end)

    def ratio(self, radius: np.ndarray) -> np.ndarray:
        """gamma with this radius."""
        start, end = self.segment(radius)
        return end - start

    def ratios(self) -> Bracket:
        """The bracket of gamma."""
        low = self.ratio(self.r_low)
        high = self.ratio(self.r_high)
        rounding = np.where(self.same[:, None], 0, 4 * self.eps)
        return np.maximum(low - rounding, 0), np.where(high > 0, high + rounding, high)

    def background(self) -> Bracket:
        """The bracket of the exact gamma_b: 1 minus the union, with all balls larger and all balls
        smaller.

        Its ends are not clipped: who subtracts a union from 1 may honestly end a rounding below 0.
        """
        regions = self.r.shape[1]
        rounding = np.where(self.same, 0, (4 + 2 * regions) * self.eps)
        low = 1 - _union(*self.segment(self.r_high))
        high = 1 - _union(*self.segment(self.r_low))
        return low - rounding, np.minimum(high + rounding, 1 + rounding)


def _union(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    order = np.argsort(starts, axis=1)
    starts = np.take_along_axis(starts, order, 1)
    ends = np.take_along_axis(ends, order, 1)
    covered = np.zeros(len(starts), dtype=LONG)
    reached = np.zeros(len(starts), dtype=LONG)
    for s in range(starts.shape[1]):
        covered += np.maximum(ends[:, s] - np.maximum(starts[:, s], reached), 0)
        reached = np.maximum(reached, ends[:, s])
    return covered


def _indicator(low: np.ndarray, high: np.ndarray) -> Bracket:
    """Whether a root somewhere in [low, high] lies inside (0, 1): surely not (0), surely (1), or
    perhaps.
    """
    surely = (low > 0) & (high < 1)
    perhaps = (high >= 0) & (low <= 1)
    return surely.astype(LONG), perhaps.astype(LONG)


def ratio_gradient_brackets(geometry: Geometry, kinks: Kinks) -> tuple[Bracket, Bracket]:
    """The brackets of d gamma / d o and d gamma / d r.

    gamma = lambda_q - lambda_p, and each end moves with the ball only while it lies inside the
    segment; so with i_u and i_v the indicators of that, d gamma / d r = (i_u + i_v) r / (w L) and d
    gamma / d o = (i_v - i_u) d / L^2 + (i_u + i_v) offset / (w L), where w is half the chord: all
    five rows of Table 3 at once.
    """
    g = geometry
    w_low = g.half_chord(g.r_low)
    w_high = g.half_chord(g.r_high)
    u_low, u_high = _indicator(g.middle - w_high / g.L, g.middle - w_low / g.L)
    v_low, v_high = _indicator(g.middle + w_low / g.L, g.middle + w_high / g.L)
    missed = (w_high == 0) | g.same[:, None]
    tangent = (w_low == 0) & ~missed
    u_low, v_low = (np.where(missed | tangent, 0, x) for x in (u_low, v_low))
    u_high, v_high = (np.where(missed, 0, x) for x in (u_high, v_high))
    kinks.add((u_low != u_high) | (v_low != v_high))
    both = (u_low + v_low, u_high + v_high)
    relative = (g.k + 4) * g.eps
    inverse = (_over(1, w_high * g.L), _over(np.where(missed, 0, 1), w_low * g.L))
    steep = _product(both, (inverse[0] * (1 - relative), inverse[1] * (1 + relative)))
    radius = _product(steep, (g.r_low, g.r_high))
    slope = _direction_slope(g, (v_low - u_high, v_high - u_low), both)
    error = (g.k * g.eps * g.s + 4 * g.own)[..., None]
    bend = _product(
        (steep[0][..., None], steep[1][..., None]), (g.offset - error, g.offset + error)
    )
    return (slope[0] + bend[0], slope[1] + bend[1]), radius


def _direction_slope(g: Geometry, signs: Bracket, both: Bracket) -> Bracket:
    """The part of d gamma / d o along the segment: it cancels where both ends lie inside."""
    certain = (both[0] == both[1]) & (both[0] == 2)
    signs = (np.where(certain, 0, signs[0]), np.where(certain, 0, signs[1]))
    along = np.broadcast_to((g.unit / g.L)[:, None, :], g.offset.shape)
    rounding = (g.k + 4) * g.eps * np.abs(along) * both[1][..., None]
    low, high = _product((signs[0][..., None], signs[1][..., None]), (along, along))
    return low - rounding, high + rounding


def length_brackets(g: Geometry, metrics: np.ndarray) -> tuple[Bracket, np.ndarray]:
    """The brackets of the Mahalanobis lengths of all pairs under all metrics, and where a length is
    zero for certain.
    """
    M = np.asarray(metrics, dtype=LONG)
    scale = _frobenius(M)
    safe = np.where(scale > 0, scale, 1)
    square = np.einsum("pf,sfg,pg->ps", g.unit, M / safe[:, None, None], g.unit)
    error = (max(2 * g.features, g.features**2 / 2) + 8) * g.eps
    root = np.sqrt(safe)[None, :]
    own = 2 * g.point_move[:, None] * root
    L = g.length[:, None]
    low = np.maximum(np.sqrt(np.maximum(square - error, 0)) * root * L - own, 0)
    high = np.sqrt(np.maximum(square + error, 0)) * root * L + own
    zero = (scale == 0)[None, :] | g.same[:, None]
    return (np.where(zero, 0, low), np.where(zero, 0, high)), zero


@dataclass
class Lengths:
    """What a distance is made of: brackets of gamma, of the local lengths and of the background
    length.
    """

    gamma: Bracket
    local: Bracket
    local_zero: np.ndarray
    background: Bracket
    background_zero: np.ndarray
    eps: Any

    def distance(self) -> Bracket:
        """The bracket of D = max(n_B + sum gamma (n_s - n_B), sum gamma n_s), which is convex in
        gamma.
        """
        low, high = self._end(0), self._end(1)
        relative = (self.gamma[0].shape[1] + 8) * self.eps
        return np.maximum(low * (1 - relative), 0), high * (1 + relative)

    def _end(self, end: int) -> np.ndarray:
        local = self.local[end]
        background = self.background[end][:, None]
        grows = local > background
        near = np.where(grows, self.gamma[end], self.gamma[1 - end])
        first = background[:, 0] + np.sum(near * (local - background), axis=1)
        second = np.sum(self.gamma[end] * local, axis=1)
        return np.asarray(np.maximum(np.maximum(first, 0), second))


def lengths(g: Geometry, local_metrics: Any, background_metric: Any) -> Lengths:
    """The brackets of everything a distance is made of."""
    local, local_zero = length_brackets(g, np.asarray(local_metrics))
    background, background_zero = length_brackets(g, np.asarray(background_metric)[None])
    ends = background[0][:, 0], background[1][:, 0]
    return Lengths(g.ratios(), local, local_zero, ends, background_zero[:, 0], g.eps)


def distance_brackets(
    X_i: Any,
    X_j: Any,
    parameters: tuple[Any, ...],
    precision: Precision,
) -> Bracket:
    """The bracket of D for each pair."""
    g = Geometry(X_i, X_j, parameters[0], parameters[1], precision)
    return lengths(g, parameters[2], parameters[3]).distance()


def cross_brackets(
    X: Any,
    Y: Any,
    parameters: tuple[Any, ...],
    precision: Precision,
) -> Bracket:
    """The bracket of D for every row of X against every row of Y."""
    n, m = len(X), len(Y)
    low, high = distance_brackets(
        np.repeat(X, m, axis=0), np.tile(Y, (n, 1)), parameters, precision
    )
    return low.reshape(n, m), high.reshape(n, m)


def sum_of_smallest(values: Bracket, K: int) -> Bracket:
    """The bracket of sumKmin along the last axis: it is monotone in every value."""
    return tuple(np.sort(end, axis=-1)[..., :K].sum(axis=-1) for end in values)  # type: ignore[return-value]


def decision_brackets(a: Arguments, precision: Precision) -> Bracket:
    """The bracket of equation (10)."""
    K = int(a["K"])
    minus, plus = (
        sum_of_smallest(cross_brackets(a["X"], a[name], _parameters(a), precision), K)
        for name in ("X_minus", "X_plus")
    )
    rounding = (_many(K) + 4) * LONG(precision.eps) * (minus[1] + plus[1])
    return (minus[0] - plus[1] - rounding) / K, (minus[1] - plus[0] + rounding) / K


def _many(count: int) -> float:
    """By how many eps a sum of so many terms may err in whatever order, relative to the sum of
    their sizes.
    """
    return 4 + 0.51 * count


@dataclass
class Pairs:
    """One list of pairs of the objective: who they are, the sign of the slack's slope in D, and its
    margin.
    """

    X_i: np.ndarray
    X_j: np.ndarray
    sign: int
    threshold: Any

    def beyond(self, D: Bracket, eps: Any) -> Bracket:
        """The bracket of how far each pair is beyond its hinge: D - (1 - C) or 1 + C - D."""
        rounding = 4 * eps * (D[1] + abs(self.threshold) + 1)
        ends = [self.sign * (end - self.threshold) for end in D]
        return np.minimum(*ends) - rounding, np.maximum(*ends) + rounding

    def slack(self, D: Bracket, eps: Any) -> Bracket:
        """The bracket of each pair's slack."""
        low, high = self.beyond(D, eps)
        return np.maximum(low, 0), np.maximum(high, 0)

    def active(self, D: Bracket, eps: Any) -> Bracket:
        """Whether each pair's slack is positive: surely not (0), surely (1), or perhaps."""
        low, high = self.beyond(D, eps)
        return (low > 0).astype(LONG), (high >= 0).astype(LONG)


def pair_lists(inputs: Arguments) -> list[Pairs]:
    """The similar and the dissimilar pairs of an objective, those that are not empty."""
    X = np.asarray(inputs["X"])
    C = LONG(inputs["C"])
    found = []
    for name, sign, threshold in (("similar", 1, 1 - C), ("dissimilar", -1, 1 + C)):
        index = np.asarray(inputs[name], dtype=np.intp).reshape(-1, 2)
        if len(index):
            found.append(Pairs(X[index[:, 0]], X[index[:, 1]], sign, threshold))
    return found


def _frobenius(M: Any) -> np.ndarray:
    M = np.asarray(M, dtype=LONG)
    return _norm(M.reshape(*M.shape[:-2], M.shape[-1] ** 2))


def objective_bracket(inputs: Arguments, precision: Precision) -> Bracket:
    """The bracket of g."""
    parameters = _parameters(inputs)
    eps = LONG(precision.eps)
    low = high = LONG(0)
    for pairs in pair_lists(inputs):
        slack = pairs.slack(distance_brackets(pairs.X_i, pairs.X_j, parameters, precision), eps)
        count = len(pairs.X_i)
        rounding = _many(count) * eps * slack[1].sum()
        low += (slack[0].sum() - rounding) / count
        high += (slack[1].sum() + rounding) / count
    norms = _frobenius(parameters[2]).sum() + _frobenius(parameters[3])
    penalty = LONG(inputs["alpha"]) * norms
    rounding = 8 * eps * high + (_norm_error(parameters[3]) + len(parameters[0])) * eps * abs(
        penalty
    )
    return np.asarray(low + penalty - rounding), np.asarray(high + penalty + rounding)


def _parameters(inputs: Arguments) -> tuple[Any, ...]:
    return tuple(inputs[name] for name in PARAMETERS)


def _summed_outer(coefficient: Bracket, d: np.ndarray, rounding: Any) -> Bracket:
    """The bracket of the sum over the pairs of coefficient times d d^T: coefficients (P, S), d (P,
    F), result (S, F, F).
    """
    square = d[:, :, None] * d[:, None, :]
    above = np.maximum(square, 0)
    below = np.maximum(-square, 0)

    def summed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The sum over the pairs of a times b; an infinite coefficient counts where b is not 0."""
        total = np.einsum("ps,pfg->sfg", np.where(np.isinf(a), 0, a), b)
        if np.isinf(a).any():
            infinite = np.einsum(
                "ps,pfg->sfg", np.where(np.isinf(a), np.sign(a), 0), (b > 0).astype(LONG)
            )
            total = np.where(infinite == 0, total, infinite * LONG(np.inf))
        return np.asarray(total)

    low, high = coefficient
    slack = rounding * summed(np.maximum(np.abs(low), np.abs(high)), above + below)
    return summed(low, above) - summed(high, below) - slack, summed(high, above) - summed(
        low, below
    ) + slack


def _column(bracket: Bracket) -> Bracket:
    return bracket[0][:, None], bracket[1][:, None]


def _distance_gradients(g: Geometry, parts: Lengths, kinks: Kinks) -> list[Bracket]:
    """For each pair the brackets of dD/do and dD/dr, and of what stands before d d^T in dD/dM(A)
    and dD/dM(B).
    """
    total = parts.gamma[0].sum(axis=1), parts.gamma[1].sum(axis=1)
    share = np.maximum(1 - total[1], 0), np.maximum(1 - total[0], 0)
    indicator = (total[1] < 1).astype(LONG), (total[0] <= 1).astype(LONG)
    near = _product(_column(indicator), _column(parts.background))
    factor = parts.local[0] - near[1], parts.local[1] - near[0]
    center, radius = ratio_gradient_brackets(g, kinks)
    moving = (radius[1] > 0) & (indicator[0] != indicator[1])[:, None]
    kinks.add(moving)
    local = (
        _over(LONG(0.5) * parts.gamma[0], parts.local[1]),
        _over(LONG(0.5) * parts.gamma[1], parts.local[0]),
    )
    # the slope of a length 0 is 0
    local = np.where(parts.local[0] == 0, 0, local[0]), np.where(parts.local_zero, 0, local[1])
    background = (
        _over(LONG(0.5) * share[0], parts.background[1]),
        _over(LONG(0.5) * share[1], parts.background[0]),
    )
    background = (
        np.where(parts.background[0] == 0, 0, background[0]),
        np.where(parts.background_zero, 0, background[1]),
    )
    return [
        _product((factor[0][..., None], factor[1][..., None]), center),
        _product(factor, radius),
        local,
        _column(background),
    ]


def gradient_brackets(inputs: Arguments, precision: Precision, kinks: Kinks) -> list[Bracket]:
    """The brackets of the gradient of g, in the shapes of the four parameters."""
    parameters = _parameters(inputs)
    eps = LONG(precision.eps)
    low, high = ([np.zeros(np.shape(p), dtype=LONG) for p in parameters] for _ in range(2))
    for pairs in pair_lists(inputs):
        g = Geometry(pairs.X_i, pairs.X_j, parameters[0], parameters[1], precision)
        parts = lengths(g, parameters[2], parameters[3])
        active = pairs.active(parts.distance(), eps)
        kinks.add(active[0] != active[1])
        weight = tuple(pairs.sign * end / len(pairs.X_i) for end in active)
        for index, each in enumerate(_distance_gradients(g, parts, kinks)):
            shape = (-1,) + (1,) * (each[0].ndim - 1)
            term = _product((weight[0].reshape(shape), weight[1].reshape(shape)), each)
            rounding = (_many(len(pairs.X_i)) + 4) * eps
            if index < 2:
                below, above = (rounding * np.abs(end).sum(axis=0) for end in term)
                ends = term[0].sum(axis=0) - below, term[1].sum(axis=0) + above
            else:
                ends = _summed_outer(term, g.d, rounding + (g.features + 8) * eps)
            low[index] += ends[0].reshape(low[index].shape)
            high[index] += ends[1].reshape(high[index].shape)
    for index in (2, 3):
        shrinkage, slack = _shrinkage(parameters[index], inputs["alpha"], eps)
        low[index] += shrinkage - slack
        high[index] += shrinkage + slack
    return list(zip(low, high, strict=True))


def _shrinkage(metrics: Any, alpha: float, eps: Any) -> Bracket:
    M = np.asarray(metrics, dtype=LONG)
    norm = _frobenius(M)[..., None, None]
    value = np.asarray(LONG(alpha) * _over(1, np.where(norm > 0, norm, np.inf)) * M)
    return value, _norm_error(M) * eps * np.abs(value)


def _norm_error(M: Any) -> float:
    """By how many eps the norm of a matrix may err: a sum of all squares, and a root that halves
    its error.
    """
    features = int(M.shape[-1])
    return 8 + features + 0.25 * features**2


def projected(M: Any) -> np.ndarray:
    """The nearest symmetric positive semi-definite matrix, by clipping eigenvalues, for a stack of
    matrices.
    """
    M = np.asarray(M, dtype=np.float64)
    scale = np.max(np.abs(M), axis=(-2, -1), keepdims=True, initial=0.0)
    scale = np.where(scale > 0, scale, 1)
    values, vectors = np.linalg.eigh((M + np.swapaxes(M, -1, -2)) / 2 / scale)
    return np.asarray(
        (vectors * np.maximum(values, 0)[..., None, :]) @ np.swapaxes(vectors, -1, -2) * scale
    )


def step_brackets(inputs: Arguments, precision: Precision, kinks: Kinks) -> list[Bracket]:
    """The brackets of one descent step: centers, radii clipped at 0, and metrics.

    The projection onto the cone moves no two matrices apart (in the Frobenius norm), so a metric
    may differ from the projected step by at most the Frobenius norm of the half-widths of the
    gradient's bracket, and rounding.
    """
    beta = LONG(inputs["beta"])
    eps = LONG(precision.eps)
    result = []
    for index, bracket in enumerate(gradient_brackets(inputs, precision, kinks)):
        value = np.asarray(inputs[PARAMETERS[index]], dtype=LONG)
        low, high = (value - _times(beta, end) for end in bracket[::-1])
        rounding = 4 * eps * (np.abs(value) + np.maximum(np.abs(value - low), np.abs(value - high)))
        floor = 0 if index == 1 else -np.inf
        moved = np.maximum(low - rounding, floor), np.maximum(high + rounding, floor)
        result.append(moved if index < 2 else _metric_step(low, high, eps))
    return result


def _metric_step(low: np.ndarray, high: np.ndarray, eps: Any) -> Bracket:
    features = low.shape[-1]
    with np.errstate(invalid="ignore"):
        middle = (low + high) / 2
        half = (high - low) / 2
    loose = ~np.isfinite(half)
    finite = np.where(loose, 0, middle)
    center = projected(finite)
    own = LONG(2.0**-52 if eps > 2.0**-52 else eps)
    reach = _frobenius(np.where(loose, 0, half)) + (4 * features + 16) * (eps + own) * _frobenius(
        finite
    )
    reach = np.where(loose.any(axis=(-2, -1)), np.inf, reach)
    return center - reach[..., None, None], center + reach[..., None, None]


def _geometry(a: Arguments, precision: Precision) -> Geometry:
    return Geometry(a["X_i"], a["X_j"], a["centers"], a["radii"], precision)


_BRACKETS: dict[str, Callable[[Arguments, Precision, Kinks], list[Bracket]]] = {
    "intersection_ratios": lambda a, p, kinks: [_geometry(a, p).ratios()],
    "ratio_gradients": lambda a, p, kinks: list(ratio_gradient_brackets(_geometry(a, p), kinks)),
    "exact_background_ratios": lambda a, p, kinks: [_geometry(a, p).background()],
    "distances": lambda a, p, kinks: [distance_brackets(a["X_i"], a["X_j"], _parameters(a), p)],
    "cross_distances": lambda a, p, kinks: [cross_brackets(a["X"], a["Y"], _parameters(a), p)],
    "decision_values": lambda a, p, kinks: [decision_brackets(a, p)],
    "objective": lambda a, p, kinks: [objective_bracket(a, p)],
    "objective_gradient": lambda a, p, kinks: gradient_brackets(a, p, kinks),
    "descent_step": lambda a, p, kinks: step_brackets(a, p, kinks),
}


def for_call(
    function: str,
    arguments: Arguments,
    precision: str | Precision = "float64",
    kinks: Kinks | None = None,
) -> list[Bracket]:
    """The brackets of every array that an interface function returns for these arguments, arrays in
    their shapes.
    """
    p = PRECISIONS[precision] if isinstance(precision, str) else precision
    with np.errstate(all="ignore"):
        return _BRACKETS[function](arguments, p, kinks or Kinks())
