"""Solution: pairs along the first axis, balls along the second, features along the last."""

import numpy as np


def intersection_ratios(X_i, X_j, centers, radii):
    """Shape (P, S): the share of segment p inside ball s."""
    X_i, X_j = np.asarray(X_i), np.asarray(X_j)
    centers = np.reshape(centers, (-1, X_i.shape[1]))
    radii = np.asarray(radii)
    D = X_j - X_i
    a = (D * D).sum(axis=1)[:, None]  # (P, 1)
    safe_a = np.where(a > 0, a, 1)  # where x_i = x_j nothing below matters
    W = X_i[:, None, :] - centers[None, :, :]  # (P, S, F)
    middle = -(W * D[:, None, :]).sum(axis=2) / safe_a
    offset = W + middle[:, :, None] * D[:, None, :]
    h_squared = (offset * offset).sum(axis=2)
    half = np.sqrt(np.maximum(radii**2 - h_squared, 0) / safe_a)
    gamma = np.clip(middle + half, 0, 1) - np.clip(middle - half, 0, 1)
    return np.where(a > 0, gamma, 0)
