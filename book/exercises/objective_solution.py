"""Solution: each sum is divided by its own number of pairs, and no pairs cost nothing."""

import math

from lmlir.distance import distance


def norm(M):
    """The Frobenius norm."""
    return math.sqrt(sum(entry * entry for row in M for entry in row))


def average(losses):
    """The mean, and 0 for an empty list."""
    return sum(losses) / len(losses) if losses else 0.0


def objective(X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C):
    """The average hinge losses of both kinds of pairs plus the penalty."""
    Theta = (centers, radii, local_metrics, background_metric)
    near = average([max(distance(X[i], X[j], *Theta) - (1 - C), 0) for i, j in similar])
    far = average([max(1 + C - distance(X[m], X[n], *Theta), 0) for m, n in dissimilar])
    norms = norm(background_metric) + sum(norm(M) for M in local_metrics)
    return near + far + alpha * norms
