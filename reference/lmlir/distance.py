r"""Sections 2 and 3.2: the background's part of a segment, and the distance, written in
every way the paper has it.

| here | in the paper |
|---|---|
| `gamma` | the ratios gamma_s, one per region |
| `gamma_b` | the background's share, by default max(1 - sum gamma, 0) |
| `segment_length` | l of Definition 7, from the pieces themselves (exact gamma_b) |
| `distance_without_overlap` | Proposition 2 |
| `distance` | equation (9), with the gamma_b that the paper uses from there on |
"""

from __future__ import annotations

from collections.abc import Sequence

from lmlir.intersection import (
    Interval,
    intersection,
    intersection_ratio,
    point_on_line,
    segment_coefficients,
)
from lmlir.regions import background_length, local_length, mahalanobis_length
from lmlir.scalars import (
    Matrix,
    Metrics,
    Numbers,
    Rows,
    Scalar,
    Vector,
    Vectors,
    check_regions,
    difference,
    dot,
    identity_matrix,
    scaled_matrix,
    square_root,
    squared_length,
)

# ----------------------------------------------------------------- what the balls cover


def merged_intervals(intervals: Sequence[Interval]) -> list[Interval]:
    """Definition 5, footnote: the union of the intervals as intervals that do not
    overlap, in ascending order.

    Intervals that overlap or share an end are joined; those of no length are dropped.

    >>> merged_intervals([(0.5, 0.75), (0, 0.25), (0.125, 0.5)])
    [(0, 0.75)]
    """
    with_length = [(start, end) for start, end in intervals if start < end]
    merged: list[Interval] = []
    for start, end in sorted(with_length):
        if merged and start <= merged[-1][1]:
            last_start, last_end = merged[-1]
            merged[-1] = (last_start, max(last_end, end))
        else:
            merged.append((start, end))
    return merged


def covered_intervals(
    x_i: Vector,
    x_j: Vector,
    centers: Vectors,
    radii: Numbers,
) -> list[Interval]:
    r"""Definition 5: $\bigcup_s (A_s \cap \overline{x_i x_j})$ as disjoint intervals of
    lambda.

    >>> covered_intervals([0], [8], centers=[[2], [3]], radii=[1, 1])
    [(0.125, 0.5)]
    """
    check_regions(centers, radii)
    intervals = []
    for center, radius in zip(centers, radii, strict=True):
        intervals.append(segment_coefficients(x_i, x_j, center, radius))
    return merged_intervals(intervals)


def background_intervals(
    x_i: Vector,
    x_j: Vector,
    centers: Vectors,
    radii: Numbers,
) -> list[Interval]:
    r"""Definition 5, equation (3): $B \cap \overline{x_i x_j}$, the intervals of lambda
    that no ball covers.

    >>> background_intervals([0], [8], centers=[[2], [3]], radii=[1, 1])
    [(0, 0.125), (0.5, 1)]
    """
    pieces: list[Interval] = []
    reached = 0
    for start, end in covered_intervals(x_i, x_j, centers, radii):
        if reached < start:
            pieces.append((reached, start))
        reached = end
    if reached < 1:
        pieces.append((reached, 1))
    return pieces


def all_ratios(
    x_i: Vector,
    x_j: Vector,
    centers: Vectors,
    radii: Numbers,
) -> list[Scalar]:
    r"""Definition 8: the ratios $\gamma_s$ of all regions.

    >>> all_ratios([0], [8], centers=[[2], [9]], radii=[1, 1])
    [0.25, 0.0]
    """
    check_regions(centers, radii)
    gamma = []
    for center, radius in zip(centers, radii, strict=True):
        gamma.append(intersection_ratio(x_i, x_j, center, radius))
    return gamma


def exact_background_ratio(
    x_i: Vector,
    x_j: Vector,
    centers: Vectors,
    radii: Numbers,
) -> Scalar:
    r"""Section 3.2, $\gamma_b$, exact: 1 minus the measure of the union of the
    intersections (Definition 5).

    >>> exact_background_ratio([0], [8], centers=[[2], [3]], radii=[1, 1])
    0.625
    """
    gamma_b = 0
    for start, end in background_intervals(x_i, x_j, centers, radii):
        gamma_b = gamma_b + (end - start)
    return gamma_b


def approximate_background_ratio(gamma: Numbers) -> Scalar:
    r"""Section 3.2, $\gamma_b$, approximate: $\max(1 - \sum_s \gamma_s, 0)$, which
    counts an overlap once per region.

    >>> approximate_background_ratio([0.25, 0.25])
    0.5
    """
    return max(1 - sum(gamma), 0)


def balls_are_disjoint(centers: Vectors, radii: Numbers) -> bool:
    r"""Proposition 2, its premise: whether $A_i \cap A_j = \emptyset$ for all
    $i \ne j$.

    >>> balls_are_disjoint([[0, 0], [3, 0]], [1, 1])
    True
    >>> balls_are_disjoint([[0, 0], [2, 0]], [1, 1])
    False
    """
    check_regions(centers, radii)
    for i in range(len(centers)):
        for j in range(i):
            gap = difference(centers[i], centers[j])
            square = squared_length(gap, "the difference of two centers")
            if square <= (radii[i] + radii[j]) ** 2:
                return False
    return True


# ----------------------------------------------------------------- lengths of the parts


def intersection_length(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
    local_metric: Matrix,
) -> Scalar:
    r"""Definition 6: $l(A_s \cap \overline{x_i x_j}; M(A_s))$, the length of
    $\overline{pq}$; 0 when tangent or empty.

    >>> intersection_length(
    ...     [0, 0], [4, 0], center=[2, 0], radius=1, local_metric=[[4, 0], [0, 4]]
    ... )
    4.0
    """
    ends = intersection(x_i, x_j, center, radius)
    if len(ends) < 2:
        return 0
    p, q = ends
    return local_length(p, q, local_metric)


def intersection_length_by_ratio(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
    local_metric: Matrix,
) -> Scalar:
    r"""Proposition 1, equation (6): $\gamma \sqrt{(x_i - x_j)^T M(A_s) (x_i - x_j)}$,
    the same length by the ratio.

    >>> intersection_length_by_ratio(
    ...     [0, 0], [4, 0], center=[2, 0], radius=1, local_metric=[[4, 0], [0, 4]]
    ... )
    4.0
    """
    gamma = intersection_ratio(x_i, x_j, center, radius)
    return gamma * mahalanobis_length(x_i, x_j, local_metric)


def background_intersection_length(
    x_i: Vector,
    x_j: Vector,
    centers: Vectors,
    radii: Numbers,
    background_metric: Matrix,
) -> Scalar:
    r"""Definition 6, equation (4):
    $l(\overline{x_i x_j}; M(B)) - l(\bigcup_s (A_s \cap \overline{x_i x_j}); M(B))$.

    >>> background_intersection_length(
    ...     [0], [8], centers=[[2], [3]], radii=[1, 1], background_metric=[[1]]
    ... )
    5.0
    """
    covered = 0
    for start, end in covered_intervals(x_i, x_j, centers, radii):
        p = point_on_line(x_i, x_j, start)
        q = point_on_line(x_i, x_j, end)
        covered = covered + background_length(p, q, background_metric)
    return background_length(x_i, x_j, background_metric) - covered


def segment_length(
    x_i: Vector,
    x_j: Vector,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Scalar:
    r"""Definition 7, equation (5): the background's part of the segment plus the sum of
    the regions' parts.

    >>> Theta = ([[2]], [1], [[[4]]], [[1]])
    >>> segment_length([0], [8], *Theta)
    10.0
    """
    check_regions(centers, radii, local_metrics)
    total = background_intersection_length(x_i, x_j, centers, radii, background_metric)
    for center, radius, local_metric in zip(centers, radii, local_metrics, strict=True):
        total = total + intersection_length(x_i, x_j, center, radius, local_metric)
    return total


# ------------------------------------------------------------------------- the distance


def weighted_lengths(
    gamma_b: Scalar,
    gamma: Numbers,
    background: Scalar,
    local: Numbers,
) -> Scalar:
    r"""Equation (9), right side: $\gamma_b D_{M(B)} + \sum_s \gamma_s D_{M(A_s)}$ of
    given ratios and lengths.

    >>> weighted_lengths(0.5, [0.25, 0.25], background=4, local=[8, 0])
    4.0
    """
    total = gamma_b * background
    for gamma_s, local_s in zip(gamma, local, strict=True):
        total = total + gamma_s * local_s
    return total


def distance_without_overlap(
    x_i: Vector,
    x_j: Vector,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Scalar:
    r"""Proposition 2, equation (8):
    $(1 - \sum_s \gamma_s) D_{M(B)} + \sum_s \gamma_s D_{M(A_s)}$ for disjoint balls.

    >>> distance_without_overlap(
    ...     [0], [8], [[2]], [1], local_metrics=[[[4]]], background_metric=[[1]]
    ... )
    10.0
    """
    check_regions(centers, radii, local_metrics)
    if not balls_are_disjoint(centers, radii):
        raise ValueError(
            "Proposition 2 needs balls that do not overlap; "
            "equation (9) is for those that do: distance"
        )
    gamma = all_ratios(x_i, x_j, centers, radii)
    gamma_b = 1 - sum(gamma)
    local = [mahalanobis_length(x_i, x_j, metric) for metric in local_metrics]
    background = mahalanobis_length(x_i, x_j, background_metric)
    return weighted_lengths(gamma_b, gamma, background, local)


def distance(
    x_i: Vector,
    x_j: Vector,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    exact: bool = False,
) -> Scalar:
    r"""Equation (9): $D_M = \gamma_b D_{M(B)} + \sum_s \gamma_s D_{M(A_s)}$, with
    overlap.

    gamma_b is the paper's approximation, or with `exact` the share that no ball covers
    (errata E7, E14).

    >>> Theta = ([[2], [3]], [1, 1], [[[1]], [[1]]], [[1]])
    >>> distance([0], [8], *Theta)
    8.0
    >>> distance([0], [8], *Theta, exact=True)
    9.0
    """
    check_regions(centers, radii, local_metrics)
    gamma = all_ratios(x_i, x_j, centers, radii)
    if exact:
        gamma_b = exact_background_ratio(x_i, x_j, centers, radii)
    else:
        gamma_b = approximate_background_ratio(gamma)
    background = mahalanobis_length(x_i, x_j, background_metric)
    local = [mahalanobis_length(x_i, x_j, metric) for metric in local_metrics]
    return weighted_lengths(gamma_b, gamma, background, local)


def segment_metric(
    x_i: Vector,
    x_j: Vector,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Rows:
    r"""Definition 7, $M(\overline{x_i x_j})$: one matrix that gives the segment its
    length, $l^2 / \|x_i - x_j\|^2 \cdot I$.

    The paper does not say that it exists; it does, and is not unique. This is the one
    that knows no direction.

    >>> Theta = ([[2]], [1], [[[4]]], [[1]])
    >>> segment_metric([0], [8], *Theta)
    [[1.5625]]
    """
    length = segment_length(x_i, x_j, centers, radii, local_metrics, background_metric)
    d = difference(x_i, x_j)
    identity = identity_matrix(len(d))
    if not any(d):
        return identity
    scale = length * length / squared_length(d, "x_i - x_j")
    return scaled_matrix(scale, identity)


def euclidean_distance(x_i: Vector, x_j: Vector) -> Scalar:
    r"""Definition 1: the Euclidean distance, which locates the regions; also that of
    1-NN in section 4.1.

    >>> euclidean_distance([0, 0], [3, 4])
    5.0
    """
    d = difference(x_i, x_j)
    return square_root(dot(d, d))
