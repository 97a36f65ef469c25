"""Exercise: the derivatives of gamma (Table 3). This attempt uses row 3 everywhere: repair it."""

import numpy as np

from lmlir.gradient import gradient_within_segment
from lmlir.intersection import stable_discriminant


def ratio_gradients(X_i, X_j, centers, radii):
    """Shapes (P, S, F) and (P, S): by the center and by the radius."""
    by_center = np.zeros((len(X_i), len(radii), X_i.shape[1]))
    by_radius = np.zeros((len(X_i), len(radii)))
    for p, (x_i, x_j) in enumerate(zip(X_i, X_j, strict=True)):
        for s, (o, r) in enumerate(zip(centers, radii, strict=True)):
            if stable_discriminant(x_i, x_j, o, r) > 0:
                by_center[p, s], by_radius[p, s] = gradient_within_segment(x_i, x_j, o, r)
    return by_center, by_radius
