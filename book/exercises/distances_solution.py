"""Solution: plain lengths, and a share of the background that is never negative."""

import math

from lmlir.intersection import intersection_ratio


def length(d, M):
    """The Mahalanobis length of the step d; rounding may leave a square just below zero."""
    return math.sqrt(max(d @ M @ d, 0.0))


def distances(X_i, X_j, centers, radii, local_metrics, background_metric):
    """One number per pair, with the approximate share of the background."""
    result = []
    for x_i, x_j in zip(X_i, X_j, strict=True):
        d = x_i - x_j
        gamma = [intersection_ratio(x_i, x_j, o, r) for o, r in zip(centers, radii, strict=True)]
        total = max(1 - sum(gamma), 0) * length(d, background_metric)
        for gamma_s, M in zip(gamma, local_metrics, strict=True):
            total += gamma_s * length(d, M)
        result.append(total)
    return result
