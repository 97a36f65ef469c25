"""Exercise: the distance of equation (9).

This attempt has two faults, and a plain repair of one of them makes a third: repair all three.
"""

from lmlir.intersection import intersection_ratio


def length(d, M):
    """How long the metric M finds the step d."""
    M_d = [sum(m * d_g for m, d_g in zip(row, d, strict=True)) for row in M]
    return sum(d_f * m_f for d_f, m_f in zip(d, M_d, strict=True))


def distances(X_i, X_j, centers, radii, local_metrics, background_metric):
    """One number per pair, with the approximate share of the background."""
    result = []
    for x_i, x_j in zip(X_i, X_j, strict=True):
        d = [a - b for a, b in zip(x_i, x_j, strict=True)]
        balls = zip(centers, radii, strict=True)
        gamma = [intersection_ratio(x_i, x_j, o, r) for o, r in balls]
        total = (1 - sum(gamma)) * length(d, background_metric)
        for gamma_s, M in zip(gamma, local_metrics, strict=True):
            total += gamma_s * length(d, M)
        result.append(total)
    return result
