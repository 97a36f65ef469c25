"""Exercise: the gradient of g, exactly as section 5.2 prints it.

Three places are wrong: repair them.
"""

import math

from lmlir.distance import distance
from lmlir.gradient import ratio_gradient
from lmlir.intersection import intersection_ratio
from lmlir.regions import mahalanobis_length


def length_gradient(d, length):
    """The derivative of the Mahalanobis length of d by its metric."""
    return [[d_f * d_g / (2 * length) if length > 0 else 0.0 for d_g in d] for d_f in d]


def shrinkage(M, alpha):
    """What the penalty adds."""
    norm = math.sqrt(sum(entry * entry for row in M for entry in row))
    return [[alpha * entry / (2 * norm) if norm > 0 else 0.0 for entry in row] for row in M]


def add(total, factor, part):
    """Add a multiple of a vector to a vector, or of a matrix to a matrix, in place."""
    for k, entry in enumerate(part):
        if isinstance(entry, list):
            add(total[k], factor, entry)
        else:
            total[k] += factor * entry


def objective_gradient(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C
):
    """In the shapes of centers, radii, local_metrics and background_metric."""
    Theta = (centers, radii, local_metrics, background_metric)
    by_center = [[0.0] * len(o) for o in centers]
    by_radius = [0.0 for _ in radii]
    by_local = [shrinkage(M, alpha) for M in local_metrics]
    by_background = shrinkage(background_metric, alpha)
    near = [(i, j) for i, j in similar if distance(X[i], X[j], *Theta) > 1 - C]
    far = [(m, n) for m, n in dissimilar if distance(X[m], X[n], *Theta) < 1 + C]
    weighted = [(i, j, 1 / len(similar)) for i, j in near]
    weighted += [(m, n, 1 / len(dissimilar)) for m, n in far]
    for i, j, weight in weighted:
        d = [a - b for a, b in zip(X[i], X[j], strict=True)]
        balls = zip(centers, radii, strict=True)
        gamma = [intersection_ratio(X[i], X[j], o, r) for o, r in balls]
        gamma_b = 1 - sum(gamma)
        background = mahalanobis_length(X[i], X[j], background_metric)
        factor = weight * max(gamma_b, 0)
        add(by_background, factor, length_gradient(d, background))
        for s, M in enumerate(local_metrics):
            local = mahalanobis_length(X[i], X[j], M)
            add(by_local[s], weight * gamma[s], length_gradient(d, local))
            to_center, to_radius = ratio_gradient(X[i], X[j], centers[s], radii[s])
            by_ratio = local + (gamma_b > 0) * background
            add(by_center[s], weight * by_ratio, to_center)
            by_radius[s] += weight * by_ratio * to_radius
    return by_center, by_radius, by_local, by_background
