"""Solution: each root moves only while it is on the segment; add up what the two contribute."""

import math


def dot(u, v):
    """The inner product."""
    return sum(u_f * v_f for u_f, v_f in zip(u, v, strict=True))


def ratio_gradient(x_i, x_j, o, r):
    """The derivatives of gamma by the center, a vector, and by the radius, a number."""
    d = [b - a for a, b in zip(x_i, x_j, strict=True)]
    w = [x - c for x, c in zip(x_i, o, strict=True)]
    nothing = [0.0] * len(d), 0.0
    a = dot(d, d)
    if a == 0:
        return nothing
    middle = -dot(d, w) / a
    offset = [w_f + middle * d_f for w_f, d_f in zip(w, d, strict=True)]
    half_squared = (r * r - dot(offset, offset)) / a
    if half_squared <= 0:
        return nothing
    half = math.sqrt(half_squared)
    u = int(0 <= middle - half <= 1)  # 1 if lambda_u is on the segment
    v = int(0 <= middle + half <= 1)  # 1 if lambda_v is
    moves = [(v - u) * d_f / a for d_f in d]
    grows = [(u + v) * offset_f / (a * half) for offset_f in offset]
    return [m + g for m, g in zip(moves, grows, strict=True)], (u + v) * r / (a * half)


def ratio_gradients(X_i, X_j, centers, radii):
    """Two tables, one row per pair and one column per ball: by center and by radius."""
    pairs = zip(X_i, X_j, strict=True)
    balls = list(zip(centers, radii, strict=True))
    table = [[ratio_gradient(x_i, x_j, o, r) for o, r in balls] for x_i, x_j in pairs]
    by_center = [[to_center for to_center, _ in row] for row in table]
    by_radius = [[to_radius for _, to_radius in row] for row in table]
    return by_center, by_radius
