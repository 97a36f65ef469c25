"""Exercise: the intersection ratio gamma (Definition 8, Table 2).

This attempt forgets something: repair it.
"""

import math


def dot(u, v):
    """The inner product."""
    return sum(u_f * v_f for u_f, v_f in zip(u, v, strict=True))


def ratio(x_i, x_j, o, r):
    """The share of the segment from x_i to x_j in the ball with center o and radius r."""
    d = [b - a for a, b in zip(x_i, x_j, strict=True)]
    w = [x - c for x, c in zip(x_i, o, strict=True)]
    a = dot(d, d)
    b = 2 * dot(d, w)
    c = dot(w, w) - r * r
    Delta = b * b - 4 * a * c
    if Delta <= 0:
        return 0.0
    lambda_u = (-b - math.sqrt(Delta)) / (2 * a)
    lambda_v = (-b + math.sqrt(Delta)) / (2 * a)
    return lambda_v - lambda_u


def intersection_ratios(X_i, X_j, centers, radii):
    """One row per pair, one column per ball."""
    pairs = zip(X_i, X_j, strict=True)
    balls = list(zip(centers, radii, strict=True))
    return [[ratio(x_i, x_j, o, r) for o, r in balls] for x_i, x_j in pairs]
