"""Solution: each root moves only while it is on the segment, so add up what the two of them contribute."""

import math

import numpy as np


def ratio_gradients(X_i, X_j, centers, radii):
    """Shapes (P, S, F) and (P, S): by the center and by the radius."""
    by_center = np.zeros((len(X_i), len(radii), X_i.shape[1]))
    by_radius = np.zeros((len(X_i), len(radii)))
    for p, (x_i, x_j) in enumerate(zip(X_i, X_j, strict=True)):
        for s, (o, r) in enumerate(zip(centers, radii, strict=True)):
            d, w = x_j - x_i, x_i - o
            a = d @ d
            if a == 0:
                continue
            middle = -(d @ w) / a
            offset = w + middle * d
            half_squared = (r * r - offset @ offset) / a
            if half_squared <= 0:
                continue
            half = math.sqrt(half_squared)
            middle_moves, half_moves, half_grows = d / a, offset / (a * half), r / (a * half)
            if 0 <= middle + half <= 1:  # lambda_v is on the segment
                by_center[p, s] += middle_moves + half_moves
                by_radius[p, s] += half_grows
            if 0 <= middle - half <= 1:  # lambda_u is on the segment
                by_center[p, s] -= middle_moves - half_moves
                by_radius[p, s] += half_grows
    return by_center, by_radius
