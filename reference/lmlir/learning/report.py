"""What was learned, in numbers: norms, radii, shares of the training pairs' length, coverage and
overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lmlir import vectorized
from lmlir.learning.engines import Array
from lmlir.scalars import Parameters

SMALL_SHARE = 1e-3
LITTLE = f"less than {SMALL_SHARE:.1%} of the length of the training pairs"


class Report(NamedTuple):
    """What was learned, in numbers, with a warning for every part that measures next to nothing.

    A share is the part of the training pairs' total length that a region or the background
    measures. `covered` and `counted` are those of `coverage`, and `overlapping` is the number of
    pairs of balls that overlap.
    """

    objective: tuple[float, float]
    stop: str
    n_steps: int
    radii: list[float]
    local_norms: list[float]
    background_norm: float
    local_shares: list[float]
    background_share: float
    covered: float
    counted: float
    overlapping: int
    warnings: list[str]

    def __str__(self) -> str:
        before, after = self.objective
        lines = [
            f"objective {before:.4f} -> {after:.4f} in {self.n_steps} steps: {self.stop}",
            f"background: norm {self.background_norm:.3f}, measures {self.background_share:.1%} of "
            "the pairs' length",
        ]
        regions = zip(self.radii, self.local_norms, self.local_shares, strict=True)
        for s, (radius, norm, share) in enumerate(regions):
            lines.append(
                f"region {s}: radius {radius:.3f}, norm {norm:.3f}, measures {share:.1%} of the "
                "pairs' length"
            )
        if self.overlapping == 1:
            overlap = "1 pair of balls overlaps"
        else:
            overlap = f"{self.overlapping} pairs of balls overlap"
        lines.append(
            f"regions cover {self.covered:.1%} of a pair's segment on average, count "
            f"{self.counted:.2f} times its length, and {overlap}"
        )
        for warning in self.warnings:
            lines.append(f"warning: {warning}")
        return "\n".join(lines)


@dataclass
class Learned:
    """What `learn` returns: the learned and the initial parameters, and how the descent went.

    `trace` is g at the start and after every step. `stop` is the reason why the descent ended: its
    last stage used all of its iterations, lowered g by too little or found nothing lower; all steps
    were used; or nothing was to be learned. `cut_short` is true if the default rule ended because
    all n_steps were used. `similar` and `dissimilar` are the training pairs, rows of X.
    """

    parameters: Parameters[Array]
    initial: Parameters[Array]
    trace: list[float]
    stop: str
    cut_short: bool
    X: Array
    similar: Array
    dissimilar: Array

    def report(self) -> Report:
        """Measure what was learned on the training pairs."""
        Theta = self.parameters
        pairs = np.concatenate([self.similar, self.dissimilar])
        local_shares, background_share = length_shares(self.X, pairs, Theta)
        covered, counted = coverage(self.X, pairs, Theta)
        return Report(
            objective=(self.trace[0], self.trace[-1]),
            stop=self.stop,
            n_steps=len(self.trace) - 1,
            radii=[float(radius) for radius in Theta.radii],
            local_norms=[float(np.linalg.norm(M)) for M in Theta.local_metrics],
            background_norm=float(np.linalg.norm(Theta.background_metric)),
            local_shares=local_shares,
            background_share=background_share,
            covered=covered,
            counted=counted,
            overlapping=overlapping_balls(Theta.centers, Theta.radii),
            warnings=share_warnings(local_shares, background_share),
        )


def _ends(X: ArrayLike, pairs: ArrayLike) -> tuple[Array, Array]:
    """Return the rows x_i and the rows x_j of the pairs."""
    X = np.asarray(X, dtype=float)
    rows = np.asarray(pairs, dtype=int)
    return X[rows[:, 0]], X[rows[:, 1]]


def length_shares(X: ArrayLike, pairs: ArrayLike, Theta: Parameters) -> tuple[list[float], float]:
    r"""Equation (9): the share of the pairs' total length that each region measures, and that of
    the background.

    >>> length_shares([[0.0], [4.0]], [(0, 1)], Parameters([[0.0]], [1.0], [[[4.0]]], [[1.0]]))
    ([0.4], 0.6)
    """
    X_i, X_j = _ends(X, pairs)
    gamma = vectorized.intersection_ratios(X_i, X_j, Theta.centers, Theta.radii)
    gamma_b = np.maximum(1 - gamma.sum(axis=1), 0)
    differences = X_j - X_i
    lengths = []
    metrics = [*Theta.local_metrics, Theta.background_metric]
    for ratio, M in zip([*gamma.T, gamma_b], metrics, strict=True):
        squares = np.einsum("pf,fg,pg->p", differences, M, differences)
        lengths.append(float(ratio @ np.sqrt(np.maximum(squares, 0))))

    total = sum(lengths)
    shares = [length / total if total > 0 else 0.0 for length in lengths]
    return shares[:-1], shares[-1]


def coverage(X: ArrayLike, pairs: ArrayLike, Theta: Parameters) -> tuple[float, float]:
    r"""Definition 8: the mean share of a pair's segment inside some region, and the mean of
    $\sum_s \gamma_s$.

    The second counts overlap as often as it occurs; where it exceeds 1 the background does not
    count (erratum E14).

    >>> Theta = Parameters([[0.0], [0.0]], [1.0, 1.0], [[[1.0]], [[1.0]]], [[1.0]])
    >>> coverage([[0.0], [4.0]], [(0, 1)], Theta)
    (0.25, 0.5)
    """
    X_i, X_j = _ends(X, pairs)
    gamma = vectorized.intersection_ratios(X_i, X_j, Theta.centers, Theta.radii)
    outside = vectorized.exact_background_ratios(X_i, X_j, Theta.centers, Theta.radii)
    return float(np.mean(1 - outside)), float(np.mean(gamma.sum(axis=1)))


def overlapping_balls(centers: ArrayLike, radii: ArrayLike) -> int:
    r"""Section 3.2: the number of pairs of balls with a radius above 0 that have a point in common.

    >>> overlapping_balls([[0.0], [3.0], [9.0]], [1.0, 2.0, 1.0])
    1
    """
    o = np.asarray(centers, dtype=float)
    r = np.asarray(radii, dtype=float)
    count = 0
    for s, t in combinations(np.flatnonzero(r > 0), 2):
        if np.linalg.norm(o[s] - o[t]) <= r[s] + r[t]:
            count += 1
    return count


def share_warnings(local_shares: Sequence[float], background_share: float) -> list[str]:
    r"""Choice C19: one sentence for regions, and one for the background, that measure less than 0.1
    % of the pairs' length.

    >>> share_warnings([0.0, 0.4], background_share=0.6)
    ['1 of 2 regions is not in use: region 0 measures less than 0.1% of the length of the training
    pairs']
    """
    S = len(local_shares)
    if sum(local_shares) + background_share == 0:
        return [
            "every metric reached zero: all distances are 0, and all instances get the same class"
        ]
    warnings = []
    unused = [s for s, share in enumerate(local_shares) if share < SMALL_SHARE]
    if len(unused) == S > 0:
        warnings.append(f"none of the {S} regions is in use: what was learned is one global metric")
    elif len(unused) == 1:
        warnings.append(f"1 of {S} regions is not in use: region {unused[0]} measures {LITTLE}")
    elif unused:
        which = ", ".join(map(str, unused))
        warnings.append(
            f"{len(unused)} of {S} regions are not in use: regions {which} each measure {LITTLE}"
        )
    if S and background_share < SMALL_SHARE:
        warnings.append(f"the background is not in use: it measures {LITTLE}")
    return warnings
