"""Exercise: all distances at once, without regions, by one matrix product.

Fast, and half of the digits are gone.
"""

import numpy as np


def cross_distances(X, Y, centers, radii, local_metrics, background_metric):
    """Every row of X against every row of Y; what to do with the regions is yours to add."""
    product = X @ background_metric @ Y.T
    x_square = np.einsum("nf,fg,ng->n", X, background_metric, X)
    y_square = np.einsum("mf,fg,mg->m", Y, background_metric, Y)
    return np.sqrt(np.maximum(x_square[:, None] + y_square[None, :] - 2 * product, 0))
