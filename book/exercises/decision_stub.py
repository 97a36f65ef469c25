"""Exercise: the classifier of equation (10).

This attempt takes D_set at its word and makes it a set: repair it.
"""

from lmlir.distance import distance
from lmlir.scalars import check_count


def decision_values(X, X_minus, X_plus, K, centers, radii, local_metrics, background_metric):
    """One number per row of X: how much nearer the K nearest of the positive class are."""
    check_count("K", K, min(len(X_minus), len(X_plus)), "instances of the smaller class")
    Theta = (centers, radii, local_metrics, background_metric)

    def mean_of_smallest(x, members):
        return sum(sorted({distance(x, x_t, *Theta) for x_t in members})[:K]) / K

    return [mean_of_smallest(x, X_minus) - mean_of_smallest(x, X_plus) for x in X]
