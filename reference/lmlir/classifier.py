r"""Section 4.1: the classifier f, from one nearest neighbor to the K nearest of each
class.

| here | in the paper |
|---|---|
| `X_minus`, `X_plus` | X^-, X^+: the instances of the two classes -1 and +1 |
| `sum_k_min` | sumKmin |
| `decision_value` | f of equation (10) |

D_set is taken as a multiset: equal distances count as often as they occur (erratum
E13).
"""

from __future__ import annotations

from lmlir.distance import distance, euclidean_distance
from lmlir.scalars import Matrix, Metrics, Numbers, Scalar, Vector, Vectors, check_count


def distances_to_set(
    x: Vector,
    X: Vectors,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> list[Scalar]:
    r"""Section 4.1, $D_{set}(x, X)$: the distances of x to every instance of one class,
    repeated values kept.

    >>> distances_to_set([0], [[1], [3], [-1]], [], [], [], background_metric=[[1]])
    [1.0, 3.0, 1.0]
    """
    return [
        distance(x, x_t, centers, radii, local_metrics, background_metric) for x_t in X
    ]


def nearest_neighbor_value(x: Vector, X_minus: Vectors, X_plus: Vectors) -> Scalar:
    r"""Section 4.1, 1-NN as a sign: $\min D_{set}(x, X^-) - \min D_{set}(x, X^+)$ with
    the Euclidean distance.

    Negative where the nearest instance is negative, positive where it is positive, 0
    when both are equally near.

    >>> nearest_neighbor_value([0], X_minus=[[1], [5]], X_plus=[[-3]])
    -2.0
    """
    smaller = min(len(X_minus), len(X_plus))
    check_count("1-NN's one neighbor", 1, smaller, "instances of the smaller class")
    to_minus = min(euclidean_distance(x, x_t) for x_t in X_minus)
    to_plus = min(euclidean_distance(x, x_t) for x_t in X_plus)
    return to_minus - to_plus


def sum_k_min(values: Numbers, K: int) -> Scalar:
    r"""Section 4.1, sumKmin: the sum of the K smallest elements, equal ones counted as
    often as they occur.

    >>> sum_k_min([5, 1, 1], K=2)
    2
    """
    check_count("K", K, len(values), "elements")
    total = 0
    for value in sorted(values)[:K]:
        total = total + value
    return total


def printed_sum_k_min(values: Numbers, K: int) -> Scalar:
    r"""Erratum E13: sumKmin of a set, as printed; equal elements collapse, and the sum
    jumps where two become equal.

    >>> printed_sum_k_min([5, 1, 1], K=2)
    6
    """
    return sum_k_min(list(set(values)), K)


def decision_value(
    x: Vector,
    X_minus: Vectors,
    X_plus: Vectors,
    K: int,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Scalar:
    r"""Equation (10):
    $f(x) = \frac1K \mathrm{sumKmin} D_{set}(x, X^-)$
    $- \frac1K \mathrm{sumKmin} D_{set}(x, X^+)$.

    >>> decision_value(
    ...     [0], [[1], [3]], [[-4], [-6]], 2, [], [], [], background_metric=[[1]]
    ... )
    -3.0
    """
    check_count("K", K, len(X_minus), "instances of the negative class")
    check_count("K", K, len(X_plus), "instances of the positive class")
    to_minus = distances_to_set(
        x, X_minus, centers, radii, local_metrics, background_metric
    )
    to_plus = distances_to_set(
        x, X_plus, centers, radii, local_metrics, background_metric
    )
    return sum_k_min(to_minus, K) / K - sum_k_min(to_plus, K) / K


def predict(
    x: Vector,
    X_minus: Vectors,
    X_plus: Vectors,
    K: int,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    tie: int = -1,
) -> int:
    r"""Section 4.1, sign of f: +1 where $f(x) > 0$, -1 where $f(x) < 0$; on a tie `tie`
    (choice C9: -1).

    >>> predict([0], [[1], [3]], [[-4], [-6]], 2, [], [], [], background_metric=[[1]])
    -1
    """
    f = decision_value(
        x, X_minus, X_plus, K, centers, radii, local_metrics, background_metric
    )
    if f == 0:
        return tie
    return 1 if f > 0 else -1
