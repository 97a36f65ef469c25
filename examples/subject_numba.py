"""A subject in Numba: the paper in explicit loops, compiled once and kept (`cache=True`).

Judge it (the extra `numba` brings what it needs):

    lmlir check examples/subject_numba.py

Everything is computed in float64, whatever comes in, so that each function is compiled for one type
alone. What it refuses is in `subject_contract.py`, beside it.
"""

import functools
import math

import numpy as np
from numba import njit
from subject_contract import checked

compiled = njit(cache=True)


def subject(function):
    """An interface function: its arguments checked, and copied so that all have one type and one
    memory layout.
    """

    @functools.wraps(function)
    def copied(*given):
        return function(
            *(plain(value) if isinstance(value, np.ndarray) else value for value in given)
        )

    return checked(copied)


def plain(array):
    """A contiguous copy, of float64 or of indices."""
    return np.array(array, np.float64 if array.dtype.kind == "f" else np.intp, order="C")


@compiled
def coefficients(x_i, x_j, center, radius):
    """Table 2: lambda_p and lambda_q of one pair and one region, and whether they are ends of the
    chord (Table 3).

    Also the middle of the chord, its half length, both in units of the segment, and the squared
    length of the segment.
    """
    a = along = 0.0
    for f in range(len(x_i)):
        a += (x_j[f] - x_i[f]) ** 2
        along += (x_j[f] - x_i[f]) * (center[f] - x_i[f])
    if a == 0.0:
        return 0.0, 0.0, False, False, 0.0, 0.0, a
    middle = along / a
    height_squared = 0.0
    for f in range(len(x_i)):
        height_squared += (x_i[f] + middle * (x_j[f] - x_i[f]) - center[f]) ** 2
    rest = (radius * radius - height_squared) / a
    if rest <= 0.0:
        return 0.0, 0.0, False, False, middle, 0.0, a
    reach = math.sqrt(rest)
    u = middle - reach
    v = middle + reach
    p, q = min(max(u, 0.0), 1.0), min(max(v, 0.0), 1.0)
    return p, q, 0.0 <= u <= 1.0, 0.0 <= v <= 1.0, middle, reach, a


@compiled
def slopes(x_i, x_j, center, radius, by_center):
    """Table 3 of one pair and one region: d gamma / d o into by_center, d gamma / d r returned."""
    p, q, u_inside, v_inside, middle, reach, a = coefficients(x_i, x_j, center, radius)
    ends = (1.0 if u_inside else 0.0) + (1.0 if v_inside else 0.0)
    for f in range(len(x_i)):
        by_center[f] = 0.0
    if ends == 0.0:
        return 0.0
    sides = (1.0 if v_inside else 0.0) - (1.0 if u_inside else 0.0)
    for f in range(len(x_i)):
        d = x_j[f] - x_i[f]
        offset = x_i[f] + middle * d - center[f]
        by_center[f] = sides * d / a + ends * offset / (a * reach)
    return ends * radius / (a * reach)


@compiled
def length(x_i, x_j, M):
    """Definitions 3 and 4."""
    total = 0.0
    for f in range(len(x_i)):
        row = 0.0
        for k in range(len(x_i)):
            row += M[f, k] * (x_j[k] - x_i[k])
        total += (x_j[f] - x_i[f]) * row
    return math.sqrt(max(total, 0.0))


@compiled
def distance(x_i, x_j, centers, radii, local_metrics, background_metric):
    """Equation (9) of one pair."""
    inside = covered = 0.0
    for s in range(len(radii)):
        p, q, _, _, _, _, _ = coefficients(x_i, x_j, centers[s], radii[s])
        if q > p:
            covered += q - p
            inside += (q - p) * length(x_i, x_j, local_metrics[s])
    return max(1.0 - covered, 0.0) * length(x_i, x_j, background_metric) + inside


@subject
@compiled
def intersection_ratios(X_i, X_j, centers, radii):
    """Definition 8."""
    ratios = np.empty((len(X_i), len(radii)))
    for i in range(len(X_i)):
        for s in range(len(radii)):
            p, q, _, _, _, _, _ = coefficients(X_i[i], X_j[i], centers[s], radii[s])
            ratios[i, s] = q - p
    return ratios


@subject
@compiled
def ratio_gradients(X_i, X_j, centers, radii):
    """Table 3."""
    by_center = np.empty((len(X_i), len(radii), X_i.shape[1]))
    by_radius = np.empty((len(X_i), len(radii)))
    for i in range(len(X_i)):
        for s in range(len(radii)):
            by_radius[i, s] = slopes(X_i[i], X_j[i], centers[s], radii[s], by_center[i, s])
    return by_center, by_radius


@subject
@compiled
def exact_background_ratios(X_i, X_j, centers, radii):
    """Definition 5: 1 minus the measure of the union, from the intervals in the order of their
    starts.
    """
    ratios = np.empty(len(X_i))
    starts, ends = np.empty(len(radii)), np.empty(len(radii))
    for i in range(len(X_i)):
        for s in range(len(radii)):
            starts[s], ends[s], _, _, _, _, _ = coefficients(X_i[i], X_j[i], centers[s], radii[s])
        covered = reached = 0.0
        for s in np.argsort(starts):
            covered += max(ends[s] - max(starts[s], reached), 0.0)
            reached = max(reached, ends[s])
        ratios[i] = 1.0 - covered
    return ratios


@subject
@compiled
def distances(X_i, X_j, centers, radii, local_metrics, background_metric):
    """Equation (9)."""
    D = np.empty(len(X_i))
    for i in range(len(X_i)):
        D[i] = distance(X_i[i], X_j[i], centers, radii, local_metrics, background_metric)
    return D


@compiled
def table(X, Y, centers, radii, local_metrics, background_metric):
    """Equation (9), every row of X against every row of Y."""
    D = np.empty((len(X), len(Y)))
    for i in range(len(X)):
        for j in range(len(Y)):
            D[i, j] = distance(X[i], Y[j], centers, radii, local_metrics, background_metric)
    return D


@subject
def cross_distances(X, Y, centers, radii, local_metrics, background_metric):
    """Equation (9), every row of X against every row of Y."""
    return table(X, Y, centers, radii, local_metrics, background_metric)


@subject
def decision_values(X, X_minus, X_plus, K, centers, radii, local_metrics, background_metric):
    """Equation (10): the mean of the K smallest distances to the negative class, minus that to the
    positive one.
    """
    tables = (
        table(X, Y, centers, radii, local_metrics, background_metric) for Y in (X_minus, X_plus)
    )
    to_minus, to_plus = (np.sort(D, axis=1)[:, :K].mean(axis=1) for D in tables)
    return to_minus - to_plus


@compiled
def hinges(X, pairs, sign, margin, centers, radii, local_metrics, background_metric):
    """The mean of max(sign * (D - margin), 0) over the pairs."""
    total = 0.0
    for i, j in pairs:
        D = distance(X[i], X[j], centers, radii, local_metrics, background_metric)
        total += max(sign * (D - margin), 0.0)
    return total / max(len(pairs), 1)


@subject
def objective(X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C):
    """Section 5.2: g."""
    Theta = centers, radii, local_metrics, background_metric
    loss = hinges(X, similar, 1.0, 1.0 - C, *Theta) + hinges(X, dissimilar, -1.0, 1.0 + C, *Theta)
    return loss + alpha * sum(np.linalg.norm(M) for M in (*local_metrics, background_metric))


@compiled
def add_outer(weight, x_i, x_j, size, by_metric):
    """Add the slope of a weighted length in its metric; where the length is 0, nothing."""
    if size > 0.0:
        for f in range(len(x_i)):
            for k in range(len(x_i)):
                by_metric[f, k] += weight / (2.0 * size) * (x_j[f] - x_i[f]) * (x_j[k] - x_i[k])


@compiled
def add_slopes(X, pairs, sign, margin, Theta, by_center, by_radius, by_local, by_background):
    """Add the gradient of the mean hinge over the pairs."""
    centers, radii, local_metrics, background_metric = Theta
    slope = np.empty(X.shape[1])
    for i, j in pairs:
        x_i, x_j = X[i], X[j]
        if (
            sign * (distance(x_i, x_j, centers, radii, local_metrics, background_metric) - margin)
            <= 0.0
        ):
            continue
        weight = sign / len(pairs)
        outside = length(x_i, x_j, background_metric)
        covered = 0.0
        for s in range(len(radii)):
            p, q, _, _, _, _, _ = coefficients(x_i, x_j, centers[s], radii[s])
            covered += q - p
            add_outer(weight * (q - p), x_i, x_j, length(x_i, x_j, local_metrics[s]), by_local[s])
        gamma_b = max(1.0 - covered, 0.0)
        add_outer(weight * gamma_b, x_i, x_j, outside, by_background)
        for s in range(len(radii)):
            gain = weight * (
                length(x_i, x_j, local_metrics[s]) - (outside if gamma_b > 0.0 else 0.0)
            )
            by_radius[s] += gain * slopes(x_i, x_j, centers[s], radii[s], slope)
            for f in range(len(slope)):
                by_center[s, f] += gain * slope[f]


def gradient(X, similar, dissimilar, Theta, alpha, C):
    """Section 5.2: the gradient of g."""
    found = tuple(np.zeros_like(part) for part in Theta)
    add_slopes(X, similar, 1.0, 1.0 - C, Theta, *found)
    add_slopes(X, dissimilar, -1.0, 1.0 + C, Theta, *found)
    for M, slope in zip((*Theta[2], Theta[3]), (*found[2], found[3]), strict=True):
        slope += alpha * M / (np.linalg.norm(M) or 1.0)
    return found


@subject
def objective_gradient(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C
):
    """Section 5.2: the gradient of g."""
    return gradient(
        X, similar, dissimilar, (centers, radii, local_metrics, background_metric), alpha, C
    )


def projected(M):
    """The nearest positive semi-definite matrix."""
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    return (vectors * np.maximum(values, 0)) @ vectors.T


@subject
def descent_step(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C, beta
):
    """Section 5.2: one step of gradient descent, projected."""
    Theta = centers, radii, local_metrics, background_metric
    slope = gradient(X, similar, dissimilar, Theta, alpha, C)
    centers, radii, local_metrics, background_metric = (
        M - beta * d for M, d in zip(Theta, slope, strict=True)
    )
    local_metrics = np.array([projected(M) for M in local_metrics]).reshape(local_metrics.shape)
    return centers, np.maximum(radii, 0), local_metrics, projected(background_metric)
