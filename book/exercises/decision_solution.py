"""Solution: a list keeps equal distances as often as they occur."""

from lmlir.distance import distance


def decision_values(X, X_minus, X_plus, K, centers, radii, local_metrics, background_metric):
    """One number per row of X: mean of the K smallest distances to the negative minus to the positive class."""
    Theta = (centers, radii, local_metrics, background_metric)

    def mean_of_smallest(x, members):
        return sum(sorted(distance(x, x_t, *Theta) for x_t in members)[:K]) / K

    return [mean_of_smallest(x, X_minus) - mean_of_smallest(x, X_plus) for x in X]
