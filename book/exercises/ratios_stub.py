"""Exercise: the intersection ratio gamma (Definition 8, Table 2). This attempt forgets something: repair it."""

import math

import numpy as np


def intersection_ratios(X_i, X_j, centers, radii):
    """One row per pair, one column per ball: the share of the segment inside the ball."""
    gamma = np.zeros((len(X_i), len(radii)))
    for p, (x_i, x_j) in enumerate(zip(X_i, X_j, strict=True)):
        for s, (o, r) in enumerate(zip(centers, radii, strict=True)):
            d, w = x_j - x_i, x_i - o
            a, b, c = d @ d, 2 * d @ w, w @ w - r * r
            Delta = b * b - 4 * a * c
            if Delta > 0:
                lambda_u, lambda_v = (-b - math.sqrt(Delta)) / (2 * a), (-b + math.sqrt(Delta)) / (2 * a)
                gamma[p, s] = lambda_v - lambda_u
    return gamma
