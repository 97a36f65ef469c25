"""Exercise: one step of descent.

It walks in the right direction and then forgets where it is allowed to be.
"""

from lmlir.subject import objective_gradient


def descent_step(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C, beta
):
    """The four parameters after one step of rate beta."""
    Theta = (centers, radii, local_metrics, background_metric)
    slope = objective_gradient(X, similar, dissimilar, *Theta, alpha, C)
    return tuple(part - beta * by_part for part, by_part in zip(Theta, slope, strict=True))
