"""Exercise: the objective g of section 5.2.

This attempt divides by the wrong numbers: repair it.
"""

import math

from lmlir.distance import distance


def norm(M):
    """The Frobenius norm."""
    return math.sqrt(sum(entry * entry for row in M for entry in row))


def objective(X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C):
    """The average hinge losses of both kinds of pairs plus the penalty."""
    Theta = (centers, radii, local_metrics, background_metric)
    near = sum(max(distance(X[i], X[j], *Theta) - (1 - C), 0) for i, j in similar)
    far = sum(max(1 + C - distance(X[m], X[n], *Theta), 0) for m, n in dissimilar)
    norms = norm(background_metric) + sum(norm(M) for M in local_metrics)
    return near / len(dissimilar) + far / len(similar) + alpha * norms
