"""A subject in JAX: each function for one pair, vmapped and jitted, and its derivatives by
`jax.grad`.

Judge it (the extra `jax` brings what it needs):

    lmlir check examples/subject_jax.py --profile quick

Every new shape is compiled anew. What it refuses is in `subject_contract.py`, beside it.
"""

import jax
import jax.numpy as jnp
from subject_contract import checked

jax.config.update("jax_enable_x64", True)  # else float64 arrays are silently rounded to float32


def root(square):
    """A square root whose slope is 0 where the square is; the inner `where` keeps infinity out of
    the derivative.
    """
    positive = square > 0
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, square, 1)), 0)


def coefficients(x_i, x_j, center, radius):
    """Table 2: lambda_p and lambda_q of one pair and one region, from the point of the line that is
    nearest to the center.
    """
    d = x_j - x_i
    a = d @ d
    inverse = jnp.where(a > 0, 1 / jnp.where(a > 0, a, 1), 0)
    middle = ((center - x_i) @ d) * inverse
    offset = x_i + middle * d - center
    reach = root((radius**2 - offset @ offset) * inverse)
    return jnp.clip(middle - reach, 0, 1), jnp.clip(middle + reach, 0, 1)


def ratio(x_i, x_j, center, radius):
    """Definition 8: gamma of one pair and one region."""
    lambda_p, lambda_q = coefficients(x_i, x_j, center, radius)
    return lambda_q - lambda_p


def length(d, M):
    """Definitions 3 and 4."""
    return root(d @ M @ d)


def distance(x_i, x_j, centers, radii, local_metrics, background_metric):
    """Equation (9) of one pair."""
    gammas = jax.vmap(ratio, (None, None, 0, 0))(x_i, x_j, centers, radii)
    lengths = jax.vmap(length, (None, 0))(x_j - x_i, local_metrics)
    gamma_b = jnp.maximum(1 - jnp.sum(gammas), 0)
    return gamma_b * length(x_j - x_i, background_metric) + jnp.sum(gammas * lengths)


def exact_background_ratio(x_i, x_j, centers, radii):
    """Definition 5 of one pair: 1 minus the measure of the union, from the intervals in the order
    of their starts.
    """
    lambda_p, lambda_q = jax.vmap(coefficients, (None, None, 0, 0))(x_i, x_j, centers, radii)
    order = jnp.argsort(lambda_p)
    p, q = lambda_p[order], lambda_q[order]
    reached = (
        jax.lax.associative_scan(jnp.maximum, jnp.concatenate([jnp.zeros_like(q[:1]), q]))[:-1]
        if len(q)
        else q
    )
    return 1 - jnp.sum(jnp.maximum(q - jnp.maximum(p, reached), 0))


def of_each_region(function):
    """A function of one pair and one region, of all pairs and regions."""
    return jax.vmap(jax.vmap(function, (None, None, 0, 0)), (0, 0, None, None))


def mean_of_nearest(X, Y, K, Theta):
    """Equation (10): the mean of the K smallest distances of each row of X to the rows of Y."""
    return jnp.mean(jnp.sort(crosswise(X, Y, *Theta), axis=1)[:, :K], axis=1)


def g(X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C):
    """Section 5.2: the objective."""
    Theta = centers, radii, local_metrics, background_metric
    near, far = (
        pairwise(X[pairs[:, 0]], X[pairs[:, 1]], *Theta) for pairs in (similar, dissimilar)
    )
    loss = jnp.sum(jnp.maximum(near - (1 - C), 0)) / max(len(near), 1)
    loss += jnp.sum(jnp.maximum(1 + C - far, 0)) / max(len(far), 1)
    squares = jnp.append(jnp.sum(local_metrics**2, axis=(1, 2)), jnp.sum(background_metric**2))
    return loss + alpha * jnp.sum(root(squares))


def projected(M):
    """The nearest positive semi-definite matrix."""
    values, vectors = jnp.linalg.eigh((M + M.T) / 2)
    return (vectors * jnp.maximum(values, 0)) @ vectors.T


def step(*given):
    """Section 5.2: one step of gradient descent, projected."""
    *arguments, beta = given
    moved = [
        part - beta * slope
        for part, slope in zip(arguments[3:7], gradient(*arguments), strict=True)
    ]
    return moved[0], jnp.maximum(moved[1], 0), jax.vmap(projected)(moved[2]), projected(moved[3])


# From one pair to all of them, and compiled; the four parameters are the same for all.
THETA = (None,) * 4
pairwise = jax.jit(jax.vmap(distance, (0, 0, *THETA)))
crosswise = jax.jit(jax.vmap(jax.vmap(distance, (None, 0, *THETA)), (0, None, *THETA)))
all_ratios = jax.jit(of_each_region(ratio))
all_slopes = jax.jit(of_each_region(jax.grad(ratio, argnums=(2, 3))))
all_exact = jax.jit(jax.vmap(exact_background_ratio, (0, 0, None, None)))
means = jax.jit(mean_of_nearest, static_argnums=2)
value = jax.jit(g)
gradient = jax.jit(jax.grad(g, argnums=(3, 4, 5, 6)))
compiled_step = jax.jit(step)


@checked
def intersection_ratios(X_i, X_j, centers, radii):
    """Definition 8."""
    return all_ratios(X_i, X_j, centers, radii)


@checked
def ratio_gradients(X_i, X_j, centers, radii):
    """Table 3."""
    return all_slopes(X_i, X_j, centers, radii)


@checked
def exact_background_ratios(X_i, X_j, centers, radii):
    """Definition 5."""
    return all_exact(X_i, X_j, centers, radii)


@checked
def distances(X_i, X_j, centers, radii, local_metrics, background_metric):
    """Equation (9)."""
    return pairwise(X_i, X_j, centers, radii, local_metrics, background_metric)


@checked
def cross_distances(X, Y, centers, radii, local_metrics, background_metric):
    """Equation (9), every row of X against every row of Y."""
    return crosswise(X, Y, centers, radii, local_metrics, background_metric)


@checked
def decision_values(X, X_minus, X_plus, K, centers, radii, local_metrics, background_metric):
    """Equation (10)."""
    Theta = centers, radii, local_metrics, background_metric
    return means(X, X_minus, K, Theta) - means(X, X_plus, K, Theta)


@checked
def objective(X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C):
    """Section 5.2: g."""
    return value(X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C)


@checked
def objective_gradient(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C
):
    """Section 5.2: the gradient of g."""
    return gradient(
        X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C
    )


@checked
def descent_step(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C, beta
):
    """Section 5.2: the parameters after one step."""
    return compiled_step(
        X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C, beta
    )
