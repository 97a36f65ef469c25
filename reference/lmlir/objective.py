r"""Section 5.1: neighbors, pairs, slacks, and the objective g.

| here | in the paper |
|---|---|
| `same_class_neighbors` | j -> i: x_j is one of x_i's K nearest in its own class |
| `other_class_neighbors` | m -/> n: x_m is one of x_n's K nearest in other classes |
| `similar`, `dissimilar` | the N_1 pairs (i, j) and the N_2 pairs (m, n) |
| `similar_slack`, `dissimilar_slack` | xi_ij, xi_mn |
| `alpha`, `C` | the weight of the penalty, the margin |
"""

from __future__ import annotations

from collections.abc import Sequence

from lmlir.distance import distance
from lmlir.scalars import (
    Indices,
    Labels,
    Matrix,
    Metrics,
    Numbers,
    Scalar,
    Vectors,
    check_count,
    difference,
    dot,
    frobenius_norm,
    is_finite,
    is_negative,
)

Pair = Indices
Pairs = Sequence[Pair]


# ---------------------------------------------------------------------------- neighbors


def nearest_indices(
    X: Vectors,
    i: int,
    candidates: Indices,
    K: int,
) -> list[int]:
    r"""Choice C9: the K candidates nearest to X[i] in the Euclidean distance, nearest
    first, ties by index.

    >>> nearest_indices([[0], [2], [1], [-1]], 0, candidates=[1, 2, 3], K=2)
    [2, 3]
    """

    def squared_distance(j: int) -> Scalar:
        """The squared Euclidean distance from X[j] to X[i]."""
        d = difference(X[j], X[i])
        return dot(d, d)

    return sorted(candidates, key=lambda j: (squared_distance(j), j))[:K]


def same_class_neighbors(
    X: Vectors,
    y: Labels,
    i: int,
    K: int,
) -> list[int]:
    r"""Section 5.1, neighbors: $j \to i$, the K nearest neighbors of x_i in its own
    class, itself left out.

    >>> same_class_neighbors([[0], [2], [1], [-1]], [0, 0, 0, 1], i=0, K=2)
    [2, 1]
    """
    candidates = []
    for j in range(len(X)):
        if j != i and y[j] == y[i]:
            candidates.append(j)
    of_what = f"other instances in the class of instance {i}"
    check_count("K", K, len(candidates), of_what)
    return nearest_indices(X, i, candidates, K)


def other_class_neighbors(
    X: Vectors,
    y: Labels,
    i: int,
    K: int,
) -> list[int]:
    r"""Section 5.1, neighbors: $k \nrightarrow i$, the K nearest neighbors of x_i among
    the instances of the other classes.

    >>> other_class_neighbors([[0], [2], [1], [-1]], [0, 0, 0, 1], i=0, K=1)
    [3]
    """
    candidates = []
    for j in range(len(X)):
        if y[j] != y[i]:
            candidates.append(j)
    of_what = f"instances outside the class of instance {i}"
    check_count("K", K, len(candidates), of_what)
    return nearest_indices(X, i, candidates, K)


def similar_pairs(X: Vectors, y: Labels, K: int) -> list[tuple[int, int]]:
    r"""Equation (12), its index set: the N_1 pairs (i, j) with $j \to i$, instance by
    instance, nearest first.

    >>> similar_pairs([[0], [1], [3]], [0, 0, 0], K=1)
    [(0, 1), (1, 0), (2, 1)]
    """
    pairs = []
    for i in range(len(X)):
        for j in same_class_neighbors(X, y, i, K):
            pairs.append((i, j))
    return pairs


def dissimilar_pairs(X: Vectors, y: Labels, K: int) -> list[tuple[int, int]]:
    r"""Equation (12), its index set: the N_2 pairs (m, n) with $m \nrightarrow n$,
    written as (instance n, neighbor m).

    >>> dissimilar_pairs([[0], [1], [3]], [0, 0, 1], K=1)
    [(0, 2), (1, 2), (2, 1)]
    """
    pairs = []
    for n in range(len(X)):
        for m in other_class_neighbors(X, y, n, K):
            pairs.append((n, m))
    return pairs


# ----------------------------------------------------------------- slacks and objective


def positive_part(x: Scalar) -> Scalar:
    r"""Section 5.2, objective g: $[x]_+ = \max(x, 0)$.

    >>> positive_part(-1), positive_part(2)
    (0, 2)
    """
    return max(x, 0)


def similar_slack(D: Scalar, C: Scalar) -> Scalar:
    r"""Equation (12): the smallest $\xi_{ij} \ge 0$ with
    $D_M(x_i, x_j) \le 1 - C + \xi_{ij}$.

    >>> similar_slack(2, C=0.5)
    1.5
    """
    return positive_part(D - (1 - C))


def dissimilar_slack(D: Scalar, C: Scalar) -> Scalar:
    r"""Equation (12): the smallest $\xi_{mn} \ge 0$ with
    $D_M(x_m, x_n) \ge 1 + C - \xi_{mn}$ (erratum E1).

    >>> dissimilar_slack(1, C=0.5)
    0.5
    """
    return positive_part((1 + C) - D)


def printed_dissimilar_slack(D: Scalar, C: Scalar) -> Scalar | None:
    r"""Erratum E1: the smallest $\xi_{mn} \ge 0$ with $D_M \ge 1 + C + \xi_{mn}$, as
    printed: 0, or None (infeasible).

    >>> printed_dissimilar_slack(2, C=0.5), printed_dissimilar_slack(1, C=0.5)
    (0, None)
    """
    return 0 if D >= 1 + C else None


def penalty(local_metrics: Metrics, background_metric: Matrix, alpha: Scalar) -> Scalar:
    r"""Equation (12): $\alpha \|M(B)\|_F + \alpha \sum_s \|M(A_s)\|_F$.

    >>> penalty([[[3, 0], [0, 4]]], [[1]], alpha=0.5)
    3.0
    """
    total = frobenius_norm(background_metric)
    for local_metric in local_metrics:
        total = total + frobenius_norm(local_metric)
    return alpha * total


def average(values: Numbers) -> Scalar:
    r"""Equation (12): $\frac1N \sum$ of N slacks; an empty list of pairs contributes 0
    (choice C20).

    >>> average([1, 2]), average([])
    (1.5, 0)
    """
    return sum(values) / len(values) if len(values) else 0


def constrained_objective(
    similar_slacks: Numbers,
    dissimilar_slacks: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    alpha: Scalar,
) -> Scalar:
    r"""Equation (12): the averages of the slacks $\xi_{ij}$ and $\xi_{mn}$ plus the
    penalty.

    >>> constrained_objective([1.5], [0.5, 0.5], [], [[1]], alpha=1)
    3.0
    """
    return (
        average(similar_slacks)
        + average(dissimilar_slacks)
        + penalty(local_metrics, background_metric, alpha)
    )


def check_weights(alpha: Scalar, C: Scalar) -> None:
    r"""Equation (12): alpha and C are finite and alpha is not negative; otherwise an
    error that names it.

    >>> check_weights(alpha=-1, C=0.5)
    Traceback (most recent call last):
    ValueError: equation (12) needs alpha >= 0, got alpha=-1
    """
    if not is_finite(alpha) or is_negative(alpha):
        raise ValueError(f"equation (12) needs alpha >= 0, got alpha={alpha}")
    if not is_finite(C):
        raise ValueError(f"equation (12) needs a finite C, got C={C}")


def objective(
    X: Vectors,
    similar: Pairs,
    dissimilar: Pairs,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    alpha: Scalar,
    C: Scalar,
) -> Scalar:
    r"""Section 5.2, objective g: the average hinge losses of both kinds of pairs plus
    the penalty.

    $g = \frac1{N_2} \sum [1 + C - D_M(x_m, x_n)]_+$
    $+ \frac1{N_1} \sum [D_M(x_i, x_j) - (1 - C)]_+ + \alpha \sum \|M\|_F$;
    the paper prints it without the sums (erratum E11).

    >>> X = [[0], [2], [1]]
    >>> objective(X, [(0, 1)], [(0, 2)], [], [], [], [[1]], alpha=1, C=0.5)
    3.0
    """
    check_weights(alpha, C)
    Theta = (centers, radii, local_metrics, background_metric)
    similar_slacks = []
    for i, j in similar:
        D = distance(X[i], X[j], *Theta)
        similar_slacks.append(similar_slack(D, C))
    dissimilar_slacks = []
    for m, n in dissimilar:
        D = distance(X[m], X[n], *Theta)
        dissimilar_slacks.append(dissimilar_slack(D, C))
    return constrained_objective(
        similar_slacks, dissimilar_slacks, local_metrics, background_metric, alpha
    )
