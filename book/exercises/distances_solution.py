"""Solution: plain lengths, and a share of the background that is never negative."""

import math

from lmlir.intersection import intersection_ratio


def length(d, M):
    """The Mahalanobis length of the step d; rounding may leave a square just below zero."""
    M_d = [sum(m * d_g for m, d_g in zip(row, d, strict=True)) for row in M]
    square = sum(d_f * m_f for d_f, m_f in zip(d, M_d, strict=True))
    return math.sqrt(max(square, 0.0))


def distances(X_i, X_j, centers, radii, local_metrics, background_metric):
    """One number per pair, with the approximate share of the background."""
    result = []
    for x_i, x_j in zip(X_i, X_j, strict=True):
        d = [a - b for a, b in zip(x_i, x_j, strict=True)]
        balls = zip(centers, radii, strict=True)
        gamma = [intersection_ratio(x_i, x_j, o, r) for o, r in balls]
        total = max(1 - sum(gamma), 0) * length(d, background_metric)
        for gamma_s, M in zip(gamma, local_metrics, strict=True):
            total += gamma_s * length(d, M)
        result.append(total)
    return result
