"""Exercise: the distance of equation (9). This attempt has two faults: repair both."""

from lmlir.intersection import intersection_ratio


def distances(X_i, X_j, centers, radii, local_metrics, background_metric):
    """One number per pair, with the approximate share of the background."""
    result = []
    for x_i, x_j in zip(X_i, X_j, strict=True):
        d = x_i - x_j
        gamma = [intersection_ratio(x_i, x_j, o, r) for o, r in zip(centers, radii, strict=True)]
        gamma_b = 1 - sum(gamma)
        total = gamma_b * (d @ background_metric @ d)
        for gamma_s, M in zip(gamma, local_metrics, strict=True):
            total += gamma_s * (d @ M @ d)
        result.append(total)
    return result
