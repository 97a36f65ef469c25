"""A subject in NumPy, as a start for your own: the formulas as the paper prints them, with its
slips corrected.

Judge it:

    lmlir check examples/subject_numpy.py

P pairs, S regions, F features. Arrays named as in the paper carry the axes (pair, region) or (pair,
region, feature). What it refuses is in `subject_contract.py`, beside it.
"""

from typing import NamedTuple

import numpy as np
from subject_contract import checked


class Line(NamedTuple):
    """Table 1: where the lines through the pairs cross the balls."""

    d: np.ndarray  # x_j - x_i
    a: np.ndarray
    b: np.ndarray
    root: np.ndarray  # of Delta
    lambda_u: np.ndarray
    lambda_v: np.ndarray
    crosses: np.ndarray  # where Delta > 0


def line_of(X_i, X_j, centers, radii):
    """Table 1: a, b, Delta and the roots of equation (7)."""
    d = X_j - X_i
    from_center = X_i[:, None, :] - centers[None, :, :]
    a = np.sum(d * d, axis=1)[:, None]
    b = 2 * np.einsum("pf,psf->ps", d, from_center)
    c = np.sum(from_center * from_center, axis=2) - radii**2
    Delta = b * b - 4 * a * c
    crosses = (Delta > 0) & (a > 0)
    a = np.where(a > 0, a, 1)  # coincident points: any number, they cross nothing
    root = np.sqrt(np.where(crosses, Delta, 0))
    lambda_u = (-b - root) / (2 * a)
    lambda_v = (-b + root) / (2 * a)
    return Line(d, a, b, root, lambda_u, lambda_v, crosses)


def segment_coefficients(X_i, X_j, centers, radii):
    """Table 2: lambda_p and lambda_q, both 0 where the line misses or touches the ball."""
    line = line_of(X_i, X_j, centers, radii)
    lambda_p = np.where(line.crosses, np.clip(line.lambda_u, 0, 1), 0)
    lambda_q = np.where(line.crosses, np.clip(line.lambda_v, 0, 1), 0)
    return lambda_p, lambda_q


@checked
def intersection_ratios(X_i, X_j, centers, radii):
    """Definition 8: gamma."""
    lambda_p, lambda_q = segment_coefficients(X_i, X_j, centers, radii)
    return lambda_q - lambda_p


@checked
def ratio_gradients(X_i, X_j, centers, radii):
    """Table 3: each end of the chord that lies on the segment moves with the ball."""
    line = line_of(X_i, X_j, centers, radii)
    d = line.d[:, None, :]
    u_inside = line.crosses & (line.lambda_u >= 0) & (line.lambda_u <= 1)
    v_inside = line.crosses & (line.lambda_v >= 0) & (line.lambda_v <= 1)
    ends = u_inside + 1.0 * v_inside
    inverse_root = np.divide(ends, line.root, out=np.zeros_like(line.root), where=line.root > 0)

    middle = -line.b / (2 * line.a)
    offset = X_i[:, None, :] + middle[:, :, None] * d - centers
    shift = (v_inside - 1.0 * u_inside)[:, :, None] * d / line.a[:, :, None]
    by_center = shift + 2 * inverse_root[:, :, None] * offset
    by_radius = 2 * inverse_root * radii
    return by_center, by_radius


@checked
def exact_background_ratios(X_i, X_j, centers, radii):
    """Definition 5: 1 minus the measure of the union of the intersections."""
    lambda_p, lambda_q = segment_coefficients(X_i, X_j, centers, radii)
    ratios = np.ones(len(X_i))
    for pair in range(len(X_i)):
        reached = 0.0
        for p, q in sorted(zip(lambda_p[pair], lambda_q[pair], strict=True)):
            ratios[pair] -= max(q - max(p, reached), 0)
            reached = max(reached, q)
    return ratios


def lengths(d, metrics):
    """Definitions 3 and 4: the Mahalanobis length of every row of d under every metric."""
    return np.sqrt(np.maximum(np.einsum("pf,sfg,pg->ps", d, metrics, d), 0))


def parts(X_i, X_j, centers, radii, local_metrics, background_metric):
    """Equation (9): gamma_s, gamma_b and the lengths under the local metrics and under the
    background metric.
    """
    gammas = intersection_ratios(X_i, X_j, centers, radii)
    gamma_b = np.maximum(1 - np.sum(gammas, axis=1), 0)
    local = lengths(X_j - X_i, local_metrics)
    background = lengths(X_j - X_i, background_metric[None])[:, 0]
    return gammas, gamma_b, local, background


@checked
def distances(X_i, X_j, centers, radii, local_metrics, background_metric):
    """Equation (9)."""
    gammas, gamma_b, local, background = parts(
        X_i, X_j, centers, radii, local_metrics, background_metric
    )
    return gamma_b * background + np.sum(gammas * local, axis=1)


@checked
def cross_distances(X, Y, centers, radii, local_metrics, background_metric):
    """Equation (9), every row of X against every row of Y."""
    X_i = np.repeat(X, len(Y), axis=0)
    X_j = np.tile(Y, (len(X), 1))
    D = distances(X_i, X_j, centers, radii, local_metrics, background_metric)
    return D.reshape(len(X), len(Y))


@checked
def decision_values(X, X_minus, X_plus, K, centers, radii, local_metrics, background_metric):
    """Equation (10): the mean of the K smallest distances to the negative class, minus that to the
    positive one.
    """
    Theta = centers, radii, local_metrics, background_metric
    to_minus = np.sort(cross_distances(X, X_minus, *Theta), axis=1)[:, :K]
    to_plus = np.sort(cross_distances(X, X_plus, *Theta), axis=1)[:, :K]
    return np.mean(to_minus, axis=1) - np.mean(to_plus, axis=1)


@checked
def objective(X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C):
    """Section 5: g, with averages over the pairs (E11)."""
    Theta = centers, radii, local_metrics, background_metric
    near = distances(X[similar[:, 0]], X[similar[:, 1]], *Theta)
    far = distances(X[dissimilar[:, 0]], X[dissimilar[:, 1]], *Theta)
    loss = np.sum(np.maximum(near - (1 - C), 0)) / max(len(near), 1)
    loss += np.sum(np.maximum(1 + C - far, 0)) / max(len(far), 1)
    norms = sum(np.linalg.norm(M) for M in [*local_metrics, background_metric])
    return loss + alpha * norms


@checked
def objective_gradient(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C
):
    """Section 5: the gradient of g, with the signs of E2 and E3 and the shrinkage of E4
    corrected.
    """
    Theta = centers, radii, local_metrics, background_metric
    pairs = np.concatenate([similar, dissimilar])
    X_i = X[pairs[:, 0]]
    X_j = X[pairs[:, 1]]
    gammas, gamma_b, local, background = parts(X_i, X_j, *Theta)
    D = gamma_b * background + np.sum(gammas * local, axis=1)
    near = np.arange(len(pairs)) < len(similar)
    active = np.where(near, D - (1 - C) > 0, 1 + C - D > 0)
    weights = active * np.where(near, 1 / max(len(similar), 1), -1 / max(len(dissimilar), 1))

    # By gamma_s: a region gains its own length, and the background loses its.
    ratio_by_center, ratio_by_radius = ratio_gradients(X_i, X_j, centers, radii)
    gain = weights[:, None] * (local - np.where(gamma_b > 0, background, 0)[:, None])
    by_center = np.einsum("ps,psf->sf", gain, ratio_by_center)
    by_radius = np.sum(gain * ratio_by_radius, axis=0)

    # By the metrics: a length has the slope d d^T / (2 length), taken as 0 where the length is 0.
    metrics = np.concatenate([local_metrics, background_metric[None]])
    ratios = np.column_stack([gammas, gamma_b])
    sizes = np.column_stack([local, background])
    scale = np.divide(
        weights[:, None] * ratios, 2 * sizes, out=np.zeros_like(sizes), where=sizes > 0
    )
    by_metric = np.einsum("ps,pf,pg->sfg", scale, X_j - X_i, X_j - X_i)
    for M, slope in zip(metrics, by_metric, strict=True):
        slope += alpha * M / (np.linalg.norm(M) or 1)
    return by_center, by_radius, by_metric[:-1], by_metric[-1]


def nearest_positive_semidefinite(M):
    """A symmetric matrix with its negative eigenvalues set to 0."""
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    return (vectors * np.maximum(values, 0)) @ vectors.T


@checked
def descent_step(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C, beta
):
    """Section 5: one step of gradient descent, projected."""
    Theta = centers, radii, local_metrics, background_metric
    by_center, by_radius, by_local, by_background = objective_gradient(
        X, similar, dissimilar, *Theta, alpha, C
    )
    stepped = local_metrics - beta * by_local
    return (
        centers - beta * by_center,
        np.maximum(radii - beta * by_radius, 0),
        np.array([nearest_positive_semidefinite(M) for M in stepped]).reshape(stepped.shape),
        nearest_positive_semidefinite(background_metric - beta * by_background),
    )
