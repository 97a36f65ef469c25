"""Solution: after the step, back to the nearest radius and to the nearest metric."""

import numpy as np

from lmlir.subject import objective_gradient


def nearest_metric(M):
    """The nearest positive semi-definite matrix: negative eigenvalues become 0."""
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    return (vectors * np.maximum(values, 0)) @ vectors.T


def descent_step(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C, beta
):
    """The four parameters after one step of rate beta, metrics in the cone, radii not negative."""
    Theta = (centers, radii, local_metrics, background_metric)
    slope = objective_gradient(X, similar, dissimilar, *Theta, alpha, C)
    o, r, M, M_B = (part - beta * by_part for part, by_part in zip(Theta, slope, strict=True))
    M = np.array([nearest_metric(M_s) for M_s in M]).reshape(np.shape(M))
    return o, np.maximum(r, 0), M, nearest_metric(M_B)
