"""One evaluation of g and its gradient by explicit loops that Numba compiles: a block of pairs is
one call.

NumPy needs dozens of calls for a block, and between two of them threads take turns: Python lets one
run at a time. A compiled loop needs no Python at all, so that threads run side by side, on as few
pairs as German has, too. It also needs no arrays between one formula and the next: a tile of pairs
stays in the cache from its chords to its slopes, and symmetry halves the products d^T M d and D
diag(w) D^T.

The loops over pairs are the inner ones, because a processor does several of them at a time. All
balls are computed from differences, as in `pairs.chords`, wide ones, too. The letters are those of
`lmlir.vectorized`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from lmlir.vectorized.checks import Array, Indices
from lmlir.vectorized.evaluation import Evaluation, PairData, Sums
from lmlir.vectorized.pairs import Scratch, block_count, pairs_of

MAX_TILE_PAIRS = 512  # with 24 features two arrays of 100 kB, which fit into the second-level cache
MAX_BLOCK_PAIRS = 4096

# A product and a sum may become one operation, which rounds once instead of twice. Only where many
# terms are added up may they be added in another order, several at a time.
compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
compiled_sum = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})


class Stacked(NamedTuple):
    """Theta, or its slopes, with all metrics in one array (S + 1, F, F), the background's last."""

    centers: Array
    radii: Array
    metrics: Array


class Hinging(NamedTuple):
    """How g is evaluated."""

    width: float  # over which hinges are smoothed
    with_slopes: bool
    are_signed: bool  # False for the gradient as printed (E2)
    background_sign: float  # of D_M(B) in dD / dgamma: -1 as printed (E3)


class Tile(NamedTuple):
    """Some pairs: one row for each number of a pair."""

    X_i: Array
    D: Array
    inverse_a: Array
    hinges: Array  # weights, signs and limits


def tiled(table: Array, number: int) -> Array:
    """Cut the columns into `number` tiles, (number, rows, pairs), the last one padded with 0.

    >>> tiled(np.arange(5.0)[None], 2).tolist()
    [[[0.0, 1.0, 2.0]], [[3.0, 4.0, 0.0]]]
    """
    rows, count = table.shape
    filled = np.zeros((rows, number, -(-count // number)))
    filled.reshape(rows, -1)[:, :count] = table
    return np.ascontiguousarray(filled.swapaxes(0, 1))


class CompiledEvaluation(Evaluation):
    """One evaluation of a problem, as `Evaluation`, by compiled loops."""

    def __init__(
        self,
        problem: PairData,
        parameters: list[Array],
        width: float,
        with_slopes: bool,
    ) -> None:
        self.problem = problem
        self.parameters = Stacked(*map(np.ascontiguousarray, parameters))
        background_sign = -1.0 if "E3" in problem.printed else 1.0
        self.hinging = Hinging(
            float(width), with_slopes, "E2" not in problem.printed, background_sign
        )

    @staticmethod
    def slices(count: int, F: int) -> Iterator[slice]:
        """Blocks of pairs from all over the list: similar and dissimilar ones, of which one kind
        may cost more, together.

        >>> list(CompiledEvaluation.slices(8000, 24))
        [slice(0, 8000, 2), slice(1, 8000, 2)]
        """
        number = block_count(count, MAX_BLOCK_PAIRS)
        return (slice(first, count, number) for first in range(number))

    @staticmethod
    def gains_by_threads(count: int, F: int) -> bool:
        """Whether several threads are faster than one: wherever there is more than one block."""
        return True

    @staticmethod
    def prepared(problem: PairData, block: slice) -> Any:
        """Return the block and its tiles, which do not depend on Theta and have one row for each
        number of a pair.

        These are x_i, its difference, 1 / a, and weight, sign and limit of the hinge. The padding
        has length and weight 0.
        """
        i, j = problem.rows[block].T
        pairs = pairs_of(problem.X[i], problem.X[j])
        table = np.vstack([*pairs, problem.hinges[:, block]])
        return block, tiled(table, -(-len(i) // MAX_TILE_PAIRS))

    def sums(self, block: Any, scratch: Scratch) -> Sums:
        """Return the sums of one block: a prepared one, or a slice of the pairs."""
        if isinstance(block, slice):
            block = self.prepared(self.problem, block)
        rows, tiles = block
        slopes = Stacked(*map(np.zeros_like, self.parameters))
        room = scratch.array("columns", tiles[0].size)
        smoothed, g, is_in_range = block_sums(tiles, self.parameters, self.hinging, slopes, room)
        if not is_in_range:  # NumPy's evaluation raises the error that names the value
            evaluation = Evaluation(self.problem, list(self.parameters), *self.hinging[:2])
            return evaluation.sums(evaluation.prepared(self.problem, rows), scratch)
        return Sums(smoothed, g, slopes)


@compiled
def block_sums(
    tiles: Array,
    Theta: Stacked,
    hinging: Hinging,
    slopes: Stacked,
    room: Array,
) -> Any:
    """Return what a block adds to the smoothed g and to g, and whether all was in range; add its
    slopes to `slopes`.
    """
    smoothed = 0.0
    g = 0.0
    is_in_range = True
    F = Theta.centers.shape[1]
    for k in range(len(tiles)):
        rows = tiles[k]
        tile = Tile(rows[:F], rows[F : 2 * F], rows[2 * F], rows[2 * F + 1 :])
        sums = tile_sums(tile, Theta, hinging, slopes, room)
        smoothed = smoothed + sums[0]
        g = g + sums[1]
        is_in_range = is_in_range and sums[2]
    for slope in slopes.metrics:
        mirror(slope)
    return smoothed, g, is_in_range


@compiled
def tile_sums(
    tile: Tile,
    Theta: Stacked,
    hinging: Hinging,
    slopes: Stacked,
    room: Array,
) -> Any:
    """The same for a tile; of the slopes by the metrics only the part below the diagonal."""
    S = len(Theta.radii)
    n = len(tile.inverse_a)
    middle = np.empty((S, n))
    half = np.empty((S, n))
    gamma = np.ones((S + 1, n))
    lengths = np.zeros((S + 1, n))
    chosen = np.empty(n, np.intp)

    is_in_range = True
    for s in range(S):
        is_in_range &= set_chords(tile, Theta.centers[s], Theta.radii[s], middle[s], half[s])
        set_ratios(middle[s], half[s], gamma[s], gamma[S])
        meeting = choose_meeting(middle[s], half[s], chosen)
        is_in_range &= set_lengths(tile.D, Theta.metrics[s], meeting, lengths[s], room)
    outside = choose_outside(gamma[S], chosen)
    is_in_range &= set_lengths(tile.D, Theta.metrics[S], outside, lengths[S], room)
    smoothed, g, weights = hinge_sums(gamma, lengths, tile.hinges, hinging)

    if hinging.with_slopes:
        for s in range(S + 1):
            add_metric_slope(tile.D, weights, gamma[s], lengths[s], chosen, slopes.metrics[s], room)
        for s in range(S):
            by_gamma = ratio_slopes(weights, tile, lengths[s], lengths[S], hinging)
            along, across = end_slopes(middle[s], half[s], by_gamma)
            slopes.radii[s] += Theta.radii[s] * total(across)
            add_center_slope(tile, Theta.centers[s], middle[s], along, across, slopes.centers[s])
    return smoothed, g, is_in_range


@compiled
def set_chords(
    tile: Tile,
    center: Array,
    radius: float,
    middle: Array,
    half: Array,
) -> bool:
    """Definition 8 for a tile and one region, from differences: write middle and half,
    and return whether the distances to the center were in range.
    """
    X_i = tile.X_i
    D = tile.D
    inverse_a = tile.inverse_a
    middle[:] = 0.0
    half[:] = 0.0
    for f in range(len(D)):
        x = X_i[f]
        d = D[f]
        o = center[f]
        for p in range(len(middle)):
            middle[p] += (o - x[p]) * d[p]
    for p in range(len(middle)):
        middle[p] *= inverse_a[p]
    for f in range(len(D)):
        x = X_i[f]
        d = D[f]
        o = center[f]
        for p in range(len(half)):
            offset = x[p] - o + middle[p] * d[p]
            half[p] += offset * offset
    is_in_range = True
    for p in range(len(half)):
        is_in_range &= half[p] < np.inf
        h = np.sqrt(half[p])
        half[p] = (
            np.sqrt(max((radius - h) * (radius + h), 0.0) * inverse_a[p])
            if inverse_a[p] > 0
            else 0.0
        )
    return is_in_range


@compiled
def set_ratios(
    middle: Array,
    half: Array,
    gamma: Array,
    gamma_b: Array,
) -> None:
    """Definition 8: write gamma of a tile and one region, and subtract it from gamma_b."""
    for p in range(len(gamma)):
        gamma[p] = min(max(middle[p] + half[p], 0.0), 1.0) - min(max(middle[p] - half[p], 0.0), 1.0)
        gamma_b[p] -= gamma[p]


@compiled
def choose_meeting(middle: Array, half: Array, chosen: Indices) -> Indices:
    """Write to `chosen`, and return, the pairs of a tile whose segments meet the ball: on the
    others nothing of it depends.
    """
    count = 0
    for p in range(len(half)):
        chosen[count] = p
        count += half[p] > 0.0 and middle[p] - half[p] <= 1.0 and middle[p] + half[p] >= 0.0
    return chosen[:count]


@compiled
def choose_outside(gamma_b: Array, chosen: Indices) -> Indices:
    """Write to `chosen`, and return, the pairs of a tile that leave something to the background.

    For the others its length stays 0, which does what gamma_b = max(1 - sum gamma, 0) and the
    factor 1[gamma_b > 0] of the slopes do.
    """
    count = 0
    for p in range(len(gamma_b)):
        chosen[count] = p
        count += gamma_b[p] > 0.0
    return chosen[:count]


@compiled
def copy_columns(D: Array, chosen: Indices, room: Array) -> Array:
    """Return the chosen columns of D, which are copied into `room`."""
    copied = room[: len(D) * len(chosen)].reshape(len(D), len(chosen))
    for f in range(len(D)):
        d = D[f]
        row = copied[f]
        for k in range(len(chosen)):
            row[k] = d[chosen[k]]
    return copied


@compiled
def set_lengths(
    D: Array,
    M: Array,
    chosen: Indices,
    lengths: Array,
    room: Array,
) -> bool:
    """Definitions 3 and 4 for the chosen pairs of a tile and one metric: write their lengths, and
    return whether the squares were in range.
    """
    if len(chosen) == 0 or not np.any(M):
        return True
    if len(chosen) < len(lengths):
        D = copy_columns(D, chosen, room)
    squares = np.zeros(len(chosen))
    products = np.empty(len(chosen))
    for f in range(len(D)):
        d = D[f]
        for p in range(len(products)):
            products[p] = M[f, f] * d[p]
        for k in range(f):
            e = D[k]
            twice = M[f, k] + M[k, f]
            for p in range(len(products)):
                products[p] += twice * e[p]
        for p in range(len(products)):
            squares[p] += products[p] * d[p]
    is_in_range = True
    for k in range(len(chosen)):
        is_in_range &= squares[k] < np.inf
        lengths[chosen[k]] = np.sqrt(max(squares[k], 0.0))
    return is_in_range


@compiled
def hinge_sums(
    gamma: Array,
    lengths: Array,
    hinges: Array,
    hinging: Hinging,
) -> Any:
    """Equation (9) and the hinges of a tile: the sums of the smoothed ones and of those of g, and
    the slopes by D.
    """
    weights = hinges[0]
    signs = hinges[1]
    limits = hinges[2]
    width = hinging.width
    smoothed = 0.0
    g = 0.0
    slopes = np.empty(len(weights))
    for p in range(len(weights)):
        distance = 0.0
        for s in range(len(gamma)):
            distance += gamma[s, p] * lengths[s, p]
        slack = signs[p] * (distance - limits[p])
        if slack <= 0.0:
            share = 0.0
        elif slack >= width:
            share = 1.0
        else:
            share = slack / width
        smoothed += weights[p] * (share * (slack - width / 2 * share))
        g += weights[p] * max(slack, 0.0)
        slopes[p] = weights[p] * share
        if hinging.are_signed:
            slopes[p] *= signs[p]
    return smoothed, g, slopes


@compiled_sum
def add_metric_slope(
    D: Array,
    weights: Array,
    gamma: Array,
    lengths: Array,
    chosen: Indices,
    by_metric: Array,
    room: Array,
) -> None:
    """dD/dM = gamma d d^T / (2 D_M), summed over a tile, below the diagonal, to by_metric."""
    count = 0
    shares = np.empty(len(weights))
    for p in range(len(weights)):
        chosen[count] = p
        if weights[p] != 0.0 and gamma[p] > 0.0 and lengths[p] > 0.0:
            shares[count] = weights[p] * gamma[p] / (2 * lengths[p])
            count += 1
    if count < len(weights):
        D = copy_columns(D, chosen[:count], room)
    weighted = np.empty(count)
    for f in range(len(D)):
        d = D[f]
        for p in range(count):
            weighted[p] = shares[p] * d[p]
        for k in range(f + 1):
            e = D[k]
            slope = 0.0
            for p in range(count):
                slope += weighted[p] * e[p]
            by_metric[f, k] += slope


@compiled
def mirror(slope: Array) -> None:
    """Copy the entries below the diagonal to above it."""
    for f in range(len(slope)):
        for k in range(f):
            slope[k, f] = slope[f, k]


@compiled
def ratio_slopes(
    weights: Array,
    tile: Tile,
    inside: Array,
    outside: Array,
    hinging: Hinging,
) -> Array:
    """What the hinges of a tile gain by gamma, D_M(A_s) - D_M(B) each, divided by a."""
    slopes = np.empty(len(weights))
    for p in range(len(weights)):
        slopes[p] = (
            weights[p] * tile.inverse_a[p] * (inside[p] - hinging.background_sign * outside[p])
        )
    return slopes


@compiled
def end_slopes(middle: Array, half: Array, by_gamma: Array) -> tuple[Array, Array]:
    """Table 3 for a tile and one region, times what D gains by gamma: along d, and across it, along
    the offset.
    """
    along = np.zeros(len(half))
    across = np.zeros(len(half))
    for p in range(len(half)):
        if half[p] > 0.0:
            e_u = 1.0 if 0.0 <= middle[p] - half[p] <= 1.0 else 0.0
            e_v = 1.0 if 0.0 <= middle[p] + half[p] <= 1.0 else 0.0
            along[p] = by_gamma[p] * (e_v - e_u)
            across[p] = by_gamma[p] * (e_v + e_u) / half[p]
    return along, across


@compiled_sum
def total(terms: Array) -> float:
    """The sum of the terms."""
    added = 0.0
    for p in range(len(terms)):
        added += terms[p]
    return added


@compiled_sum
def add_center_slope(
    tile: Tile,
    center: Array,
    middle: Array,
    along: Array,
    across: Array,
    by_center: Array,
) -> None:
    """Table 3 summed over a tile, to by_center."""
    for f in range(len(center)):
        x = tile.X_i[f]
        d = tile.D[f]
        o = center[f]
        slope = 0.0
        for p in range(len(middle)):
            slope += across[p] * (x[p] - o + middle[p] * d[p]) + along[p] * d[p]
        by_center[f] += slope
