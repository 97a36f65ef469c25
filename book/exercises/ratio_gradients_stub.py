"""Exercise: the derivatives of gamma (Table 3).

This attempt uses row 3 everywhere: repair it.
"""

from lmlir.gradient import gradient_within_segment
from lmlir.intersection import stable_discriminant


def ratio_gradient(x_i, x_j, o, r):
    """The derivatives of gamma by the center, a vector, and by the radius, a number."""
    if stable_discriminant(x_i, x_j, o, r) <= 0:
        return [0.0] * len(o), 0.0
    return gradient_within_segment(x_i, x_j, o, r)


def ratio_gradients(X_i, X_j, centers, radii):
    """Two tables, one row per pair and one column per ball: by center and by radius."""
    pairs = zip(X_i, X_j, strict=True)
    balls = list(zip(centers, radii, strict=True))
    table = [[ratio_gradient(x_i, x_j, o, r) for o, r in balls] for x_i, x_j in pairs]
    by_center = [[to_center for to_center, _ in row] for row in table]
    by_radius = [[to_radius for _, to_radius in row] for row in table]
    return by_center, by_radius
