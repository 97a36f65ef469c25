"""Exercise: the gradient of g, exactly as section 5.2 prints it. Three places are wrong: repair them."""

import numpy as np

from lmlir.distance import distance
from lmlir.gradient import ratio_gradient
from lmlir.intersection import intersection_ratio
from lmlir.regions import mahalanobis_length


def length_gradient(d, length):
    """The derivative of the Mahalanobis length by its metric."""
    return np.outer(d, d) / (2 * length) if length > 0 else np.zeros((len(d), len(d)))


def shrinkage(M, alpha):
    """What the penalty adds."""
    norm = np.linalg.norm(M)
    return alpha * np.asarray(M) / (2 * norm) if norm > 0 else np.zeros_like(M)


def objective_gradient(X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C):
    """Four arrays, in the shapes of centers, radii, local_metrics and background_metric."""
    Theta = (centers, radii, local_metrics, background_metric)
    by_center, by_radius = np.zeros_like(centers), np.zeros_like(radii)
    by_local = np.array([shrinkage(M, alpha) for M in local_metrics]).reshape(np.shape(local_metrics))
    by_background = shrinkage(background_metric, alpha)
    weighted = [(i, j, 1 / len(similar)) for i, j in similar if distance(X[i], X[j], *Theta) > 1 - C]
    weighted += [(m, n, 1 / len(dissimilar)) for m, n in dissimilar if distance(X[m], X[n], *Theta) < 1 + C]
    for i, j, weight in weighted:
        d = X[i] - X[j]
        gamma = [intersection_ratio(X[i], X[j], o, r) for o, r in zip(centers, radii, strict=True)]
        gamma_b, background = 1 - sum(gamma), mahalanobis_length(X[i], X[j], background_metric)
        by_background += weight * max(gamma_b, 0) * length_gradient(d, background)
        for s, M in enumerate(local_metrics):
            local = mahalanobis_length(X[i], X[j], M)
            by_local[s] += weight * gamma[s] * length_gradient(d, local)
            to_center, to_radius = ratio_gradient(X[i], X[j], centers[s], radii[s])
            by_center[s] += weight * ((gamma_b > 0) * background + local) * np.asarray(to_center)
            by_radius[s] += weight * ((gamma_b > 0) * background + local) * to_radius
    return by_center, by_radius, by_local, by_background
