"""Solution: solve for the line, then clip to the segment: Table 2 in two lines."""

import math


def dot(u, v):
    """The inner product."""
    return sum(u_f * v_f for u_f, v_f in zip(u, v, strict=True))


def ratio(x_i, x_j, o, r):
    """The share of the segment from x_i to x_j in the ball with center o and radius r."""
    d = [b - a for a, b in zip(x_i, x_j, strict=True)]
    w = [x - c for x, c in zip(x_i, o, strict=True)]
    a = dot(d, d)
    if a == 0:
        return 0.0  # x_i = x_j: no line, no length
    middle = -dot(d, w) / a
    # from the center straight to the line
    offset = [w_f + middle * d_f for w_f, d_f in zip(w, d, strict=True)]
    Delta = 4 * a * (r * r - dot(offset, offset))  # b^2 - 4ac, without its cancellation
    if Delta <= 0:
        return 0.0
    half = math.sqrt(Delta) / (2 * a)
    lambda_p = min(max(middle - half, 0.0), 1.0)
    lambda_q = min(max(middle + half, 0.0), 1.0)
    return lambda_q - lambda_p


def intersection_ratios(X_i, X_j, centers, radii):
    """One row per pair, one column per ball."""
    pairs = zip(X_i, X_j, strict=True)
    balls = list(zip(centers, radii, strict=True))
    return [[ratio(x_i, x_j, o, r) for o, r in balls] for x_i, x_j in pairs]
