r"""Section 5.2: where learning starts: local discriminative directions, clusters, and
the first regions and metrics.

| here | in the paper |
|---|---|
| `discriminative_direction` | h(x_i) |
| `cluster_labels` | step 2, clustering on [x, h(x)] |
| `initial_center`, `initial_radius`, `initial_metric` | step 3: o_s, r_s, M(A_s) |

The paper names neither the clustering algorithm nor the rule for the percentile nor
M(B); what is chosen here is in the ledger of choices (C4 to C8).
"""

from __future__ import annotations

import warnings
from typing import Any

from lmlir.distance import euclidean_distance
from lmlir.objective import other_class_neighbors, same_class_neighbors
from lmlir.scalars import (
    Labels,
    Numbers,
    Parameters,
    Rows,
    Scalar,
    Vector,
    Vectors,
    check_count,
    check_points,
    float_matrix,
    identity_matrix,
)

RADIUS_PERCENTILE = 80
DIRECTION_WEIGHT = 0.1
ROUNDS_PER_CHECK = 5  # of k-means, between two checks for convergence
MAX_ROUNDS = 100


def discriminative_direction(
    X: Vectors,
    y: Labels,
    i: int,
    K: int,
) -> list[Scalar]:
    r"""Section 5.2, step 1, h(x):
    $h(x_i)[f] = \sum_{k \nrightarrow i} |x_k[f] - x_i[f]|$
    $- \sum_{j \to i} |x_j[f] - x_i[f]|$.

    >>> discriminative_direction([[0, 0], [1, 0], [0, 5]], [0, 0, 1], i=0, K=1)
    [-1, 5]
    """
    others = other_class_neighbors(X, y, i, K)
    same = same_class_neighbors(X, y, i, K)
    h = []
    for f, x_f in enumerate(X[i]):
        total = 0
        for k in others:
            total = total + abs(X[k][f] - x_f)
        for j in same:
            total = total - abs(X[j][f] - x_f)
        h.append(total)
    return h


def cluster_labels(
    X: Vectors,
    directions: Vectors,
    S: int,
    seed: int = 0,
    restarts: int = 10,
) -> list[int]:
    r"""Section 5.2, step 2, and choice C6: k-means on the augmented features [x, h(x)],
    the best of some restarts.

    >>> cluster_labels([[0.0], [0.1], [9.0], [9.1]], [[0.0]] * 4, S=2)
    [0, 0, 1, 1]
    """
    import numpy as np

    rows = [[*x, *h] for x, h in zip(X, directions, strict=True)]
    augmented = np.array(float_matrix(rows))
    different = np.unique(augmented, axis=0)
    check_count("S", S, len(different), "different rows [x, h(x)]")
    check_count("restarts", restarts, 10**6, "restarts allowed")

    rng = np.random.default_rng(seed)
    least = 0.0
    best = None
    for _ in range(restarts):
        centroids, labels = _k_means(augmented, S, rng)
        distortion = ((augmented - centroids[labels]) ** 2).sum()
        all_are_used = len(set(labels.tolist())) == S
        if all_are_used and (best is None or distortion < least):
            least = distortion
            best = labels
    if best is None:
        raise ValueError(
            f"k-means left a cluster empty in all {restarts} restarts: "
            f"choose fewer than S={S} regions"
        )
    return in_order_of_appearance(best.tolist())


def _k_means(augmented: Any, S: int, rng: Any) -> tuple[Any, Any]:
    """Run k-means from one random start; return the centroids and the labels."""
    from scipy.cluster.vq import kmeans2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an empty cluster is looked for afterwards
        centroids, labels = kmeans2(
            augmented, S, minit="++", rng=rng, iter=ROUNDS_PER_CHECK
        )
        for _ in range(MAX_ROUNDS // ROUNDS_PER_CHECK - 1):
            before = labels
            centroids, labels = kmeans2(
                augmented, centroids, minit="matrix", iter=ROUNDS_PER_CHECK
            )
            if (labels == before).all():
                # a fixed point, since every change lowers the distortion
                break
    return centroids, labels


def in_order_of_appearance(labels: Labels) -> list[int]:
    """Choice C6: the same clusters, numbered as they first appear, so that a seed says
    more than a numbering.

    >>> in_order_of_appearance([2, 0, 2, 1])
    [0, 1, 0, 2]
    """
    number: dict[int, int] = {}
    return [number.setdefault(label, len(number)) for label in labels]


def initial_center(members: Vectors) -> list[Scalar]:
    r"""Section 5.2, step 3: the mean of a cluster's instances, which is the cluster
    center's first F coordinates.

    >>> initial_center([[0, 0], [2, 4]])
    [1.0, 2.0]
    """
    center = []
    for f in range(len(members[0])):
        total = sum(x[f] for x in members)
        center.append(total / len(members))
    return center


def percentile(values: Numbers, percent: int) -> Scalar:
    r"""Choice C7: the percentile by linear interpolation between the two nearest ranks.

    >>> percentile([1, 2, 3, 4, 5, 6], 80)
    5.0
    """
    ordered = sorted(values)
    whole, rest = divmod(percent * (len(ordered) - 1), 100)
    if rest == 0:
        return ordered[whole] * 1.0
    lower = ordered[whole]
    upper = ordered[whole + 1]
    return lower + (upper - lower) * rest / 100


def initial_radius(members: Vectors, center: Vector) -> Scalar:
    r"""Section 5.2, step 3: the 80th percentile of the Euclidean distances of a
    cluster's instances to its center.

    >>> initial_radius([[1], [2], [3], [4], [5], [6]], center=[0])
    5.0
    """
    distances = [euclidean_distance(x, center) for x in members]
    return percentile(distances, RADIUS_PERCENTILE)


def initial_metric(directions: Vectors, weight: Scalar = DIRECTION_WEIGHT) -> Rows:
    r"""Section 5.2, step 3:
    $M(A_s) = I + 0.1 \cdot$
    $\mathrm{diag}(\mathrm{mean}(h(x), x \in \text{cluster } s))$, as printed.

    An entry below 0 leaves the cone of metrics; `initial_parameters` then takes 0
    (choice C8).

    >>> initial_metric([[10, -20], [10, -20]])
    [[2.0, 0], [0, -1.0]]
    """
    mean = initial_center(directions)
    metric = identity_matrix(len(mean))
    for f, mean_f in enumerate(mean):
        metric[f][f] = 1 + weight * mean_f
    return metric


def initial_parameters(
    X: Vectors,
    y: Labels,
    S: int,
    K: int,
    seed: int = 0,
    restarts: int = 10,
) -> Parameters:
    r"""Section 5.2, step 1, step 2 and step 3: all initial values; M(B) = I (choice
    C4), diagonals clipped at 0 (choice C8).

    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], [0, 1, 0, 1]
    >>> initial_parameters(X, y, S=1, K=1).centers
    [[2.5]]
    """
    for i, x in enumerate(X):
        check_points(**{f"X[{i}]": x})
    F = len(X[0])
    if S == 0:
        return Parameters([], [], [], identity_matrix(F))
    directions = [discriminative_direction(X, y, i, K) for i in range(len(X))]
    labels = cluster_labels(X, directions, S, seed, restarts)
    return clustered_parameters(X, directions, labels)


def clustered_parameters(X: Vectors, directions: Vectors, labels: Labels) -> Parameters:
    r"""Section 5.2, step 3: the initial values that belong to clusters 0, 1, ...; M(B)
    = I (choice C4).

    >>> clustered_parameters(
    ...     [[0.0], [2.0]], [[10.0], [30.0]], labels=[0, 0]
    ... ).local_metrics
    [[[3.0]]]
    """
    centers = []
    radii = []
    local_metrics = []
    for s in range(max(labels) + 1):
        indices = [i for i, label in enumerate(labels) if label == s]
        members = [X[i] for i in indices]
        member_directions = [directions[i] for i in indices]
        center = initial_center(members)
        metric = []
        for row in initial_metric(member_directions):
            metric.append([max(entry, 0) for entry in row])
        centers.append(center)
        radii.append(initial_radius(members, center))
        local_metrics.append(metric)
    background_metric = identity_matrix(len(X[0]))
    return Parameters(centers, radii, local_metrics, background_metric)
