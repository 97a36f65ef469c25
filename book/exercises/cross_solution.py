"""Solution: differences, which lose no digits; loops over regions only."""

import numpy as np


def cross_distances(X, Y, centers, radii, local_metrics, background_metric):
    """Every row of X against every row of Y, equation (9)."""
    d = Y[None, :, :] - X[:, None, :]
    a = np.einsum("nmf,nmf->nm", d, d)
    inverse_a = np.divide(1.0, a, out=np.zeros_like(a), where=a > 0)
    total = np.zeros_like(a)
    gamma_b = np.ones_like(a)
    for o, r, M in zip(centers, radii, local_metrics, strict=True):
        from_center = (X - o)[:, None, :]
        middle = -np.einsum("nmf,nmf->nm", d, from_center + 0 * d) * inverse_a
        offset = from_center + middle[:, :, None] * d
        half = np.sqrt(np.maximum(r * r - np.einsum("nmf,nmf->nm", offset, offset), 0) * inverse_a)
        gamma = np.clip(middle + half, 0, 1) - np.clip(middle - half, 0, 1)
        total += gamma * lengths(d, M)
        gamma_b -= gamma
    return total + np.maximum(gamma_b, 0) * lengths(d, background_metric)


def lengths(d, M):
    """The Mahalanobis length of every difference."""
    return np.sqrt(np.maximum(np.einsum("nmf,fg,nmg->nm", d, M, d), 0))
