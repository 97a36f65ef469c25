"""Solution: solve for the line, then clip to the segment (Table 2, rows 3 to 8, in two lines)."""

import math

import numpy as np


def intersection_ratios(X_i, X_j, centers, radii):
    """One row per pair, one column per ball: the share of the segment inside the ball."""
    gamma = np.zeros((len(X_i), len(radii)))
    for p, (x_i, x_j) in enumerate(zip(X_i, X_j, strict=True)):
        for s, (o, r) in enumerate(zip(centers, radii, strict=True)):
            d, w = x_j - x_i, x_i - o
            a = d @ d
            if a == 0:
                continue  # x_i = x_j: no line, no length
            middle = -(d @ w) / a
            offset = w + middle * d  # from the center straight to the line
            Delta = 4 * a * (r * r - offset @ offset)
            if Delta > 0:
                half = math.sqrt(Delta) / (2 * a)
                lambda_p = min(max(middle - half, 0.0), 1.0)
                lambda_q = min(max(middle + half, 0.0), 1.0)
                gamma[p, s] = lambda_q - lambda_p
    return gamma
