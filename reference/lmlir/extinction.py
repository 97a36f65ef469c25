r"""Theorem E: why regions die.

A metric that no active pair meets loses alpha beta of its norm in each step, until it
is 0.

One step of gradient descent takes such a metric to $M - \alpha\beta M / \|M\|_F$: a
multiple of itself, so the projection (choice C2) changes nothing as long as
$\|M\|_F \ge \alpha\beta$, and in the last step it makes 0 of a negative multiple. So
the norm falls by exactly alpha beta, the direction stays, and after
$\lceil \|M\|_F / (\alpha\beta) \rceil$ steps the metric is 0. There it stays, whoever
meets it later: where a length or a norm is 0 its gradient is 0 (choice C14).

A pair *meets* the metric of region s when its hinge is active, $\gamma_s > 0$ and its
length under M(A_s) is positive; M(B) with gamma_b in place of gamma_s. With
$\gamma_s = 0$, or a length of 0, dD/dM is 0.

When will no pair meet it? Of a ball that no training pair crosses, or touches with an
end, neither center nor radius nor metric feels any pair, active or not; so it stays
where it is, out of reach, and its metric is sure to die on time. A ball of radius 0 is
always out of reach. Whether a ball *comes* there is up to the data.

In floats rounding can cost one step more. Zero eigenvalues of a singular metric, which
would come back as 1e-17 when the others are clipped, are set to 0 by the step
(`lmlir.descent.descended_metric`): C14 protects a metric that is 0, not one that is
nearly 0, under which a pair has a slope of one over twice its tiny length.

| here | |
|---|---|
| `steps_to_death` | the number of steps |
| `shrunk_metric` | the metric after some of them |
| `meeting_pairs` | the active pairs that meet a metric |
| `is_out_of_reach` | whether no pair can ever move a ball again |
"""

from __future__ import annotations

import math

from lmlir.distance import all_ratios, approximate_background_ratio
from lmlir.gradient import active_pairs
from lmlir.intersection import segment_case
from lmlir.objective import Pairs
from lmlir.regions import mahalanobis_length
from lmlir.scalars import (
    Matrix,
    Parameters,
    Rows,
    Scalar,
    Vector,
    Vectors,
    frobenius_norm,
    scaled_matrix,
)

# The rows of Table 2 in which gamma is 0 and Table 3 has no slope: missed, touched from
# aside, before x_i, beyond x_j. (At the closed ends of rows 4 and 7 gamma is 0, too,
# but an end of the segment is on the sphere, and there is a slope.)
OUT_OF_REACH = (1, 2, 3, 8)


def check_rate(alpha: Scalar, beta: Scalar) -> None:
    """Theorem E: the weight alpha of the penalty and the rate beta are positive.

    >>> check_rate(alpha=0.1, beta=0)
    Traceback (most recent call last):
    ValueError: Theorem E needs alpha > 0 and beta > 0, got alpha=0.1 and beta=0
    """
    if not (alpha > 0 and beta > 0):
        raise ValueError(
            f"Theorem E needs alpha > 0 and beta > 0, got alpha={alpha} and beta={beta}"
        )


def steps_to_death(M: Matrix, alpha: Scalar, beta: Scalar) -> int:
    r"""Theorem E: $\lceil \|M\|_F / (\alpha\beta) \rceil$, the steps that a metric has
    left when no active pair meets it.

    >>> steps_to_death([[3, 0], [0, 4]], alpha=0.5, beta=4)
    3
    """
    check_rate(alpha, beta)
    steps: int = math.ceil(frobenius_norm(M) / (alpha * beta))
    return steps


def shrunk_metric(
    M: Matrix,
    alpha: Scalar,
    beta: Scalar,
    steps: int = 1,
) -> Rows:
    r"""Theorem E: $\max(1 - k\alpha\beta / \|M\|_F, 0)\, M$, a metric after k steps in
    which no active pair meets it.

    >>> shrunk_metric([[3, 0], [0, 4]], alpha=0.5, beta=2.5, steps=2)
    [[1.5, 0.0], [0.0, 2.0]]
    """
    check_rate(alpha, beta)
    norm = frobenius_norm(M)
    decrease = steps * alpha * beta
    if decrease >= norm:
        return [[0] * len(row) for row in M]
    return scaled_matrix(1 - decrease / norm, M)


def share_of_metric(
    x_i: Vector,
    x_j: Vector,
    s: int | None,
    Theta: Parameters,
) -> Scalar:
    r"""Theorem E: the share of a pair that a metric measures: $\gamma_s$, or $\gamma_b$
    for the background, s = None.

    >>> Theta = Parameters([[0]], [1], [[[4]]], [[1]])
    >>> share_of_metric([0], [4], 0, Theta), share_of_metric([0], [4], None, Theta)
    (0.25, 0.75)
    """
    gamma = all_ratios(x_i, x_j, Theta.centers, Theta.radii)
    return approximate_background_ratio(gamma) if s is None else gamma[s]


def meeting_pairs(
    X: Vectors,
    similar: Pairs,
    dissimilar: Pairs,
    s: int | None,
    Theta: Parameters,
    C: Scalar,
) -> list[tuple[int, int]]:
    r"""Theorem E: the active pairs that meet the metric of region s, or of the
    background for s = None.

    They have a positive share of it and a positive length under it; from all others
    dD/dM is 0. In floats a share of 0 can come out as 1e-17; such a pair is listed,
    too, and moves the metric by as little.

    >>> Theta = Parameters([[0]], [1], [[[4]]], [[1]])
    >>> meeting_pairs([[0], [4], [2], [3]], [(0, 1), (2, 3)], [], 0, Theta, C=0.5)
    [(0, 1)]
    """
    M = Theta.background_metric if s is None else Theta.local_metrics[s]
    meeting = []
    for i, j, _ in active_pairs(X, similar, dissimilar, Theta, C):
        share = share_of_metric(X[i], X[j], s, Theta)
        if share > 0 and mahalanobis_length(X[i], X[j], M) > 0:
            meeting.append((i, j))
    return meeting


def is_out_of_reach(
    X: Vectors,
    pairs: Pairs,
    center: Vector,
    radius: Scalar,
) -> bool:
    r"""Theorem E: whether no pair crosses the ball or touches it with an end, so that
    it never moves and its metric dies.

    >>> pairs = [(0, 1)]
    >>> [
    ...     is_out_of_reach([[0.0], [4.0]], pairs, [5.0], radius)
    ...     for radius in (0.5, 1.0, 2.0)
    ... ]
    [True, False, False]
    """
    return all(
        segment_case(X[i], X[j], center, radius) in OUT_OF_REACH for i, j in pairs
    )
