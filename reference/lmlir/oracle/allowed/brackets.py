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

Bracket = tuple[np.ndarray, np.ndarray]
LONG = np.longdouble
# How many eps s max(1, s / r) a radius moves, at the least: the printed b^2 - 4ac needs up to 1.7
# of them.
K = 4
# Whether squares of float64 numbers neither overflow nor vanish in the longest format.
WIDE = np.finfo(LONG).maxexp > 4 * np.finfo(np.float64).maxexp


def _norm(array: np.ndarray) -> np.ndarray:
    if WIDE:
        return np.asarray(np.sqrt(np.add.reduce(array * array, axis=-1)))
    largest = np.max(np.abs(array), axis=-1, initial=0.0, keepdims=True)
    safe = np.where(largest > 0, largest, 1)
    return np.asarray(np.sqrt(np.sum((array / safe) ** 2, axis=-1)) * safe[..., 0])


def _times(a: Any, b: Any) -> np.ndarray:
    """The product, with 0 times infinity taken as 0."""
    a = np.asarray(a, dtype=LONG)
    b = np.asarray(b, dtype=LONG)
    with np.errstate(invalid="ignore"):
        return np.where((a == 0) | (b == 0), LONG(0), a * b)


def _product(first: Bracket, second: Bracket) -> Bracket:
    """The bracket of a product; where an end is infinite and another 0, their product is taken as
    0.
    """
    low, high = _extremes(*[one * other for one in first for other in second])
    if np.isnan(low).any():
        low, high = _extremes(*[_times(one, other) for one in first for other in second])
    return low, high


def _extremes(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> Bracket:
    low = np.minimum(np.minimum(a, b), np.minimum(c, d))
    high = np.maximum(np.maximum(a, b), np.maximum(c, d))
    return low, high


def _over(a: Any, b: Any) -> np.ndarray:
    """The quotient of non-negative numbers, with 0 / 0 taken as 0."""
    a = np.asarray(a, dtype=LONG)
    b = np.asarray(b, dtype=LONG)
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
        x_i = np.asarray(X_i, dtype=LONG)
        x_j = np.asarray(X_j, dtype=LONG)
        o = np.asarray(centers, dtype=LONG)
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
        to_center = x_j[:, None, :] - o[None, :, :]
        self.L = np.where(self.same, 1, self.length)[:, None]
        self.unit = self.d / self.L
        unit = self.unit[:, None, :]
        along = -np.sum(unit * from_center, axis=-1)
        self.middle = along / self.L
        self.offset = from_center + along[..., None] * unit
        self.h = _norm(self.offset)
        farthest = np.maximum(_norm(from_center), _norm(to_center))
        self.s = np.maximum(farthest, self.length[:, None])

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
        smaller_square = np.maximum(self.r**2 - arithmetic, 0)
        larger_square = self.r**2 + arithmetic
        self.r_low = np.maximum(np.sqrt(smaller_square) - 2 * self.own, 0)
        self.r_high = np.sqrt(larger_square) + 2 * self.own

    def half_chord(self, radius: np.ndarray) -> np.ndarray:
        """Half of what a ball of this radius cuts out of the line, as a length; 0 where it
        misses.
        """
        square = (radius - self.h) * (radius + self.h)
        return np.sqrt(np.maximum(square, 0))

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
    for start, end in zip(starts.T, ends.T, strict=True):
        covered += np.maximum(end - np.maximum(start, reached), 0)
        reached = np.maximum(reached, end)
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
    is_missed = (w_high == 0) | g.same[:, None]
    is_uncertain = (w_low == 0) | is_missed  # missed, or tangent with a smaller radius

    # The indicators i_u and i_v: 0 or 1 for certain, or from 0 to 1.
    u_low, u_high = _indicator(g.middle - w_high / g.L, g.middle - w_low / g.L)
    v_low, v_high = _indicator(g.middle + w_low / g.L, g.middle + w_high / g.L)
    u_low = np.where(is_uncertain, 0, u_low)
    v_low = np.where(is_uncertain, 0, v_low)
    u_high = np.where(is_missed, 0, u_high)
    v_high = np.where(is_missed, 0, v_high)
    kinks.add((u_low != u_high) | (v_low != v_high))
    i_sum = (u_low + v_low, u_high + v_high)
    i_difference = (v_low - u_high, v_high - u_low)

    # (i_u + i_v) / (w L), which is infinite on a tangent.
    relative = (g.k + 4) * g.eps
    inverse_low = _over(1, w_high * g.L) * (1 - relative)
    inverse_high = _over(np.where(is_missed, 0, 1), w_low * g.L) * (1 + relative)
    steepness = _product(i_sum, (inverse_low, inverse_high))

    by_radius = _product(steepness, (g.r_low, g.r_high))
    along_low, along_high = _slope_along_segment(g, i_difference, i_sum)
    error = (g.k * g.eps * g.s + 4 * g.own)[..., None]
    offset = (g.offset - error, g.offset + error)
    across_low, across_high = _product(_per_feature(steepness), offset)
    by_center = (along_low + across_low, along_high + across_high)
    return by_center, by_radius


def _slope_along_segment(g: Geometry, i_difference: Bracket, i_sum: Bracket) -> Bracket:
    """The bracket of (i_v - i_u) d / L^2, the part of d gamma / d o along the segment.

    It is 0 where both indicators are 1 for certain: the line enters and leaves the ball on the
    segment, and both ends move alike. A program may add the slopes of the two ends, each with its
    own rounding, also where they cancel; so the rounding goes with i_u + i_v.
    """
    sum_low, sum_high = i_sum
    cancels = sum_low == 2
    difference_low, difference_high = i_difference
    factor = (np.where(cancels, 0, difference_low), np.where(cancels, 0, difference_high))
    along = np.broadcast_to((g.unit / g.L)[:, None, :], g.offset.shape)
    low, high = _product(_per_feature(factor), (along, along))
    rounding = (g.k + 4) * g.eps * np.abs(along) * sum_high[..., None]
    return low - rounding, high + rounding


def _per_feature(bracket: Bracket) -> Bracket:
    """The bracket of a number, to be multiplied with vectors."""
    low, high = bracket
    return low[..., None], high[..., None]


def length_brackets(g: Geometry, metrics: np.ndarray) -> tuple[Bracket, np.ndarray]:
    """The brackets of the Mahalanobis lengths of all pairs under all metrics, and where a length is
    zero for certain.
    """
    M = np.asarray(metrics, dtype=LONG)
    scale = _frobenius(M)
    safe = np.where(scale > 0, scale, 1)
    square = np.einsum("pf,sfg,pg->ps", g.unit, M / safe[:, None, None], g.unit)
    error = (max(2 * g.features, g.features**2 / 2) + 8) * g.eps
    low_root = np.sqrt(np.maximum(square - error, 0))
    high_root = np.sqrt(np.maximum(square + error, 0))

    L = g.length[:, None]
    root = np.sqrt(safe)[None, :]
    own = 2 * g.point_move[:, None] * root
    low = np.maximum(low_root * root * L - own, 0)
    high = high_root * root * L + own
    is_zero = (scale == 0)[None, :] | g.same[:, None]
    return (np.where(is_zero, 0, low), np.where(is_zero, 0, high)), is_zero


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
        low = self._end(0)
        high = self._end(1)
        relative = (self.gamma[0].shape[1] + 8) * self.eps
        return np.maximum(low * (1 - relative), 0), high * (1 + relative)

    def _end(self, end: int) -> np.ndarray:
        local = self.local[end]
        background = self.background[end][:, None]
        grows = local > background
        gamma = np.where(grows, self.gamma[end], self.gamma[1 - end])
        with_background = background[:, 0] + np.sum(gamma * (local - background), axis=1)
        without_background = np.sum(self.gamma[end] * local, axis=1)
        return np.maximum(np.maximum(with_background, 0), without_background)


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
    n = len(X)
    m = len(Y)
    rows = np.repeat(X, m, axis=0)
    columns = np.tile(Y, (n, 1))
    low, high = distance_brackets(rows, columns, parameters, precision)
    return low.reshape(n, m), high.reshape(n, m)


def sum_of_smallest(values: Bracket, K: int) -> Bracket:
    """The bracket of sumKmin along the last axis: it is monotone in every value."""
    low, high = values
    smallest_low = np.sort(low, axis=-1)[..., :K]
    smallest_high = np.sort(high, axis=-1)[..., :K]
    return smallest_low.sum(axis=-1), smallest_high.sum(axis=-1)


def decision_brackets(a: Arguments, precision: Precision) -> Bracket:
    """The bracket of equation (10)."""
    K = int(a["K"])
    sums = []
    for members in (a["X_minus"], a["X_plus"]):
        D = cross_brackets(a["X"], members, _parameters(a), precision)
        sums.append(sum_of_smallest(D, K))
    (minus_low, minus_high), (plus_low, plus_high) = sums
    rounding = (_many(K) + 4) * LONG(precision.eps) * (minus_high + plus_high)
    return (minus_low - plus_high - rounding) / K, (minus_high - plus_low + rounding) / K


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
        low, high = D
        rounding = 4 * eps * (high + abs(self.threshold) + 1)
        if self.sign > 0:
            return low - self.threshold - rounding, high - self.threshold + rounding
        return self.threshold - high - rounding, self.threshold - low + rounding

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
    lists = []
    for name, sign, threshold in (("similar", 1, 1 - C), ("dissimilar", -1, 1 + C)):
        i, j = np.asarray(inputs[name], dtype=np.intp).reshape(-1, 2).T
        if len(i):
            lists.append(Pairs(X[i], X[j], sign, threshold))
    return lists


def _frobenius(M: Any) -> np.ndarray:
    M = np.asarray(M, dtype=LONG)
    return _norm(M.reshape(*M.shape[:-2], M.shape[-1] ** 2))


def objective_bracket(inputs: Arguments, precision: Precision) -> Bracket:
    """The bracket of g."""
    parameters = _parameters(inputs)
    eps = LONG(precision.eps)
    low = high = LONG(0)
    for pairs in pair_lists(inputs):
        D = distance_brackets(pairs.X_i, pairs.X_j, parameters, precision)
        slack_low, slack_high = pairs.slack(D, eps)
        count = len(pairs.X_i)
        rounding = _many(count) * eps * slack_high.sum()
        low += (slack_low.sum() - rounding) / count
        high += (slack_high.sum() + rounding) / count

    _, radii, local_metrics, background_metric = parameters
    norms = _frobenius(local_metrics).sum() + _frobenius(background_metric)
    penalty = LONG(inputs["alpha"]) * norms
    error = _norm_error(background_metric) + len(radii)
    rounding = 8 * eps * high + error * eps * abs(penalty)
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
        is_infinite = np.isinf(a)
        total = np.einsum("ps,pfg->sfg", np.where(is_infinite, 0, a), b)
        if is_infinite.any():
            signs = np.where(is_infinite, np.sign(a), 0)
            infinite = np.einsum("ps,pfg->sfg", signs, (b > 0).astype(LONG))
            total = np.where(infinite == 0, total, infinite * LONG(np.inf))
        return total

    low, high = coefficient
    slack = rounding * summed(np.maximum(np.abs(low), np.abs(high)), above + below)
    sum_low = summed(low, above) - summed(high, below)
    sum_high = summed(high, above) - summed(low, below)
    return sum_low - slack, sum_high + slack


def _column(bracket: Bracket) -> Bracket:
    return bracket[0][:, None], bracket[1][:, None]


def _distance_gradients(g: Geometry, parts: Lengths, kinks: Kinks) -> list[Bracket]:
    """For each pair the brackets of dD/do and dD/dr, and of what stands before d d^T in dD/dM(A)
    and dD/dM(B).
    """
    gamma_low, gamma_high = parts.gamma
    total_low = gamma_low.sum(axis=1)
    total_high = gamma_high.sum(axis=1)
    gamma_b = (np.maximum(1 - total_high, 0), np.maximum(1 - total_low, 0))
    is_below_1 = ((total_high < 1).astype(LONG), (total_low <= 1).astype(LONG))

    n_low, n_high = parts.local
    taken_low, taken_high = _product(_column(is_below_1), _column(parts.background))
    factor = (n_low - taken_high, n_high - taken_low)
    by_center, by_radius = ratio_gradient_brackets(g, kinks)
    is_moving = by_radius[1] > 0
    kinks.add(is_moving & (is_below_1[0] != is_below_1[1])[:, None])
    return [
        _product(_per_feature(factor), by_center),
        _product(factor, by_radius),
        _half_per_length(parts.gamma, parts.local, parts.local_zero),
        _column(_half_per_length(gamma_b, parts.background, parts.background_zero)),
    ]


def _half_per_length(share: Bracket, length: Bracket, is_zero: np.ndarray) -> Bracket:
    """The bracket of share / (2 length); the slope of a length 0 is 0."""
    shortest, longest = length
    low = _over(LONG(0.5) * share[0], longest)
    high = _over(LONG(0.5) * share[1], shortest)
    return np.where(shortest == 0, 0, low), np.where(is_zero, 0, high)


def gradient_brackets(inputs: Arguments, precision: Precision, kinks: Kinks) -> list[Bracket]:
    """The brackets of the gradient of g, in the shapes of the four parameters."""
    parameters = _parameters(inputs)
    eps = LONG(precision.eps)
    low = [np.zeros(np.shape(parameter), dtype=LONG) for parameter in parameters]
    high = [end.copy() for end in low]
    for pairs in pair_lists(inputs):
        count = len(pairs.X_i)
        rounding = (_many(count) + 4) * eps
        g = Geometry(pairs.X_i, pairs.X_j, parameters[0], parameters[1], precision)
        parts = lengths(g, parameters[2], parameters[3])
        active_low, active_high = pairs.active(parts.distance(), eps)
        kinks.add(active_low != active_high)
        weight_low = pairs.sign * active_low / count
        weight_high = pairs.sign * active_high / count
        for index, slope in enumerate(_distance_gradients(g, parts, kinks)):
            shape = (-1,) + (1,) * (slope[0].ndim - 1)
            weight = (weight_low.reshape(shape), weight_high.reshape(shape))
            term = _product(weight, slope)
            if index < 2:
                sum_low, sum_high = _summed(term, rounding)
            else:
                sum_low, sum_high = _summed_outer(term, g.d, rounding + (g.features + 8) * eps)
            low[index] += sum_low.reshape(low[index].shape)
            high[index] += sum_high.reshape(high[index].shape)
    for index in (2, 3):
        shrinkage, slack = _shrinkage(parameters[index], inputs["alpha"], eps)
        low[index] += shrinkage - slack
        high[index] += shrinkage + slack
    return list(zip(low, high, strict=True))


def _summed(term: Bracket, rounding: Any) -> Bracket:
    """The bracket of the sum over the pairs."""
    low, high = term
    error_low = rounding * np.abs(low).sum(axis=0)
    error_high = rounding * np.abs(high).sum(axis=0)
    return low.sum(axis=0) - error_low, high.sum(axis=0) + error_high


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
    symmetric = (M + np.swapaxes(M, -1, -2)) / 2
    values, vectors = np.linalg.eigh(symmetric / scale)
    clipped = np.maximum(values, 0)[..., None, :]
    return (vectors * clipped) @ np.swapaxes(vectors, -1, -2) * scale


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
        name = PARAMETERS[index]
        value = np.asarray(inputs[name], dtype=LONG)
        slope_low, slope_high = bracket
        low = value - _times(beta, slope_high)
        high = value - _times(beta, slope_low)
        if name in ("local_metrics", "background_metric"):
            result.append(_metric_step(low, high, eps))
            continue
        change = np.maximum(np.abs(value - low), np.abs(value - high))
        rounding = 4 * eps * (np.abs(value) + change)
        floor = 0 if name == "radii" else -np.inf
        result.append((np.maximum(low - rounding, floor), np.maximum(high + rounding, floor)))
    return result


def _metric_step(low: np.ndarray, high: np.ndarray, eps: Any) -> Bracket:
    features = low.shape[-1]
    with np.errstate(invalid="ignore"):
        middle = (low + high) / 2
        half = (high - low) / 2
    is_unbounded = ~np.isfinite(half)
    middle = np.where(is_unbounded, 0, middle)
    half = np.where(is_unbounded, 0, half)
    own = LONG(2.0**-52)  # of the projection, which is computed in float64
    rounding = (4 * features + 16) * (eps + own) * _frobenius(middle)
    reach = _frobenius(half) + rounding
    reach = np.where(is_unbounded.any(axis=(-2, -1)), np.inf, reach)[..., None, None]
    center = projected(middle)
    return center - reach, center + reach


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
