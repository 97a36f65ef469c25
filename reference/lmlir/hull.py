r"""Theorem B: the metric hull of D, for which Lemma 1 is true.

D is no metric, and a bound on its values is no bound on its slopes (errata E6, E7). Its
metric hull is the largest pseudometric that is nowhere above it: the infimum of the
lengths of all chains of hops,
$\rho(x, y) = \inf \{ D(p_0, p_1) + \dots + D(p_{k-1}, p_k) : p_0 = x, p_k = y \}$. For
it, values do bound slopes:
$|\rho(x, z) - \rho(y, z)| \le \rho(x, y) \le D(x, y) \le \Lambda \|x - y\|$.

| here | |
|---|---|
| `hull_distances` | rho on finitely many points, by chains through these points |
| `largest_cost` | Lambda, the largest cost of a unit step at any point |
| `smallest_cost` | mu, the smallest |
| `hull_decision_values` | equation (10) on rho |
| `hull_capacity` | the capacity of Corollary 1 for it |

Chains through finitely many points P give rho_P with rho <= rho_P <= D: it is the hull
of D on P, a pseudometric there, and Lipschitz with Lambda between points of P. A point
that is not in P has no such value. To add x alone, and then y alone, is to compare two
different graphs, and $|\rho_{P+x}(x, z) - \rho_{P+y}(y, z)|$ has no Lipschitz bound:
with P = {z} it is $|D(x, z) - D(y, z)|$. To add x and y together has one.
"""

from __future__ import annotations

import math

from lmlir.classifier import sum_k_min
from lmlir.continuity import overlapping_scale, packing_bound, spectral_scale
from lmlir.distance import distance
from lmlir.regions import is_diagonal, metric_array
from lmlir.scalars import (
    Indices,
    Matrix,
    Metrics,
    Numbers,
    Rows,
    Scalar,
    Vectors,
    check_count,
    diagonal,
    square_root,
)

# ------------------------------------------------------------------ chains and the hull


def pairwise_distances(
    points: Vectors,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    exact: bool = False,
) -> Rows:
    r"""Theorem B: $D(p_i, p_j)$ of equation (9) for all points, the lengths of the
    single hops.

    Each pair is measured once, so that rounding cannot make the table asymmetric.

    >>> pairwise_distances(
    ...     [[0], [12], [16]], [[14]], [2], [[[0]]], background_metric=[[1]]
    ... )
    [[0, 12.0, 12.0], [12.0, 0, 0.0], [12.0, 0.0, 0]]
    """
    Theta = (centers, radii, local_metrics, background_metric)
    D = [[0] * len(points) for _ in points]
    for i in range(len(points)):
        for j in range(i):
            length = distance(points[j], points[i], *Theta, exact=exact)
            D[i][j] = length
            D[j][i] = length
    return D


def chain_length(D: Matrix, chain: Indices) -> Scalar:
    r"""Theorem B: $D(p_0, p_1) + \dots + D(p_{k-1}, p_k)$ along a chain of indices; 0
    for a chain of one point.

    >>> chain_length([[0, 1, 5], [1, 0, 2], [5, 2, 0]], [0, 1, 2])
    3
    """
    total = 0
    for i, j in zip(chain, chain[1:], strict=False):
        total = total + D[i][j]
    return total


def check_dissimilarity(D: Matrix) -> None:
    """Theorem B needs a square table of lengths: symmetric, not negative, 0 from a
    point to itself.

    >>> check_dissimilarity([[0, 1], [2, 0]])
    Traceback (most recent call last):
    ValueError: Theorem B needs D[i][j] = D[j][i], got D[0][1]=1 and D[1][0]=2
    """
    for i, row in enumerate(D):
        if len(row) != len(D):
            raise ValueError(
                "Theorem B needs a square table, "
                f"got {len(D)} rows and a row of length {len(row)}"
            )
        if not row[i] == 0:
            raise ValueError(f"Theorem B needs D[i][i] = 0, got D[{i}][{i}]={row[i]}")
        for j in range(i):
            if not row[j] >= 0:
                raise ValueError(
                    f"Theorem B needs D[i][j] >= 0, got D[{i}][{j}]={row[j]}"
                )
            if not row[j] == D[j][i]:
                raise ValueError(
                    "Theorem B needs D[i][j] = D[j][i], "
                    f"got D[{j}][{i}]={D[j][i]} and D[{i}][{j}]={row[j]}"
                )


def metric_hull(D: Matrix) -> Rows:
    r"""Theorem B: the lengths of the shortest chains,
    $\rho_P(p_i, p_j) = \min D(p_i, \cdot) + \dots + D(\cdot, p_j)$.

    One stop after the other is allowed (Floyd and Warshall): when stop k is new, a
    shortest chain passes it once or not at all. The largest pseudometric on these
    points that is nowhere above D.

    >>> metric_hull([[0, 1, 5], [1, 0, 2], [5, 2, 0]])
    [[0, 1, 3], [1, 0, 2], [3, 2, 0]]
    """
    check_dissimilarity(D)
    rho = [list(row) for row in D]
    for k in range(len(D)):
        for i in range(len(D)):
            for j in range(len(D)):
                through_k = rho[i][k] + rho[k][j]
                rho[i][j] = min(rho[i][j], through_k)
    return rho


def hull_distances(
    points: Vectors,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    exact: bool = False,
) -> Rows:
    r"""Theorem B: $\rho_P$, the metric hull of D on finitely many points;
    $\rho \le \rho_P \le D$.

    Three coincident balls that cost nothing (E7): D(0, 12) = 12 but D(0, 16) = 4, and
    the hop from 16 to 12 is free.

    >>> hull_distances(
    ...     [[0], [12], [16]], [[14]] * 3, [2] * 3, [[[0]]] * 3, background_metric=[[1]]
    ... )[0]
    [0, 4.0, 4.0]
    """
    Theta = (centers, radii, local_metrics, background_metric)
    return metric_hull(pairwise_distances(points, *Theta, exact))


# -------------------------------------------------------------------- the two constants


def largest_cost(
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Scalar:
    r"""Theorem B: $\Lambda$ with $D(x, y) \le \Lambda \|x - y\|$, for both kinds of
    gamma_b: the Lipschitz constant of rho.

    The larger of s(M(B)) and the sums of s(M(A_s)) over balls that can share a point
    (`overlapping_scale`); at most $s(M(B)) + \sum_s s(M(A_s))$, which is what Lemma 1
    should have said (E5).

    >>> largest_cost(
    ...     [[0], [1], [9]], [1, 1, 1], [[[4]], [[9]], [[16]]], background_metric=[[1]]
    ... )
    5.0
    """
    overlapping = overlapping_scale(centers, radii, local_metrics)
    return max(spectral_scale(background_metric), overlapping)


def smallest_scale(M: Matrix) -> Scalar:
    r"""Theorem B: $\sqrt{\lambda_{\min}(M)}$, the least length of a unit vector under
    M.

    Exact in any number type for diagonal matrices, else by numpy.

    >>> smallest_scale([[4, 0], [0, 9]])
    2.0
    """
    if is_diagonal(M):
        return square_root(min(diagonal(M)))
    import numpy as np

    smallest = float(np.linalg.eigvalsh(metric_array(M))[0])
    return math.sqrt(max(smallest, 0.0))


def smallest_cost(local_metrics: Metrics, background_metric: Matrix) -> Scalar:
    r"""Theorem B: $\mu$ with $\mu \|x - y\| \le \rho(x, y)$, the least
    $\sqrt{\lambda_{\min}}$ of all metrics.

    Where it is positive, rho is a metric.

    >>> smallest_cost([[[4, 0], [0, 9]]], background_metric=[[25, 0], [0, 16]])
    2.0
    """
    return min(smallest_scale(M) for M in (*local_metrics, background_metric))


# --------------------------------------------------------- the classifier and its bound


def hull_decision_values(
    X: Vectors,
    X_minus: Vectors,
    X_plus: Vectors,
    K: int,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    exact: bool = False,
) -> list[Scalar]:
    r"""Theorem B: equation (10) on rho_P, P all the points given, X included:
    $|f(x) - f(y)| \le 2 \Lambda \|x - y\|$ in X.

    The bound compares values of one call. Values of two calls, each with one point,
    belong to two different P.

    >>> free_balls = [[14]] * 3, [2] * 3, [[[0]]] * 3, [[1]]
    >>> hull_decision_values([[12], [16]], [[0]], [[28]], 1, *free_balls)
    [0.0, 0.0]
    >>> [
    ...     hull_decision_values([x], [[0]], [[28]], 1, *free_balls)[0]
    ...     for x in ([12], [16])
    ... ]
    [8.0, -8.0]
    """
    check_count("K", K, len(X_minus), "instances of the negative class")
    check_count("K", K, len(X_plus), "instances of the positive class")
    points = [*X, *X_minus, *X_plus]
    rho = hull_distances(
        points, centers, radii, local_metrics, background_metric, exact
    )
    first_plus = len(X) + len(X_minus)
    values = []
    for row in rho[: len(X)]:
        to_minus = row[len(X) : first_plus]
        to_plus = row[first_plus:]
        f = sum_k_min(to_minus, K) / K - sum_k_min(to_plus, K) / K
        values.append(f)
    return values


def hull_capacity(
    diameter: float,
    F: int,
    margin: float,
    Lambda: float,
) -> float:
    r"""Theorem B: $(1 + 32 \Lambda\,\mathrm{diam} / m)^F$, the capacity c of Corollary
    1 for functions of constant $2\Lambda$.

    That of `repaired_capacity` with $w(e) = 2 \Lambda e$, so that
    $w^{-1}(m / 8) = m / (16 \Lambda)$. Lambda, and the margin m, are fixed before the
    data are seen.

    >>> hull_capacity(diameter=2.0, F=1, margin=16.0, Lambda=1.0)
    5.0
    """
    if not margin > 0:
        raise ValueError(f"Theorem B needs margin > 0, got margin={margin}")
    return packing_bound(diameter, F, margin / 16, Lambda)
