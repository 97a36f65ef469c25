r"""Section 5.2: gradient descent, one step of it and the fixed-rate rule.

The paper's rule is $\Theta^{t+1} = \Theta^t - \beta\, \partial g / \partial \Theta$. It
does not say how a metric stays positive semi-definite nor what a negative radius means;
both are projected back here (choices C2 and C3).

| here | in the paper |
|---|---|
| `Theta`, `slope` | Theta^t, the gradient of g at Theta^t |
| `beta` | the learning rate |
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection
from typing import Any

from lmlir.gradient import objective_gradient
from lmlir.objective import Pairs
from lmlir.scalars import (
    Matrix,
    Metrics,
    Numbers,
    Parameters,
    Rows,
    Scalar,
    Vector,
    Vectors,
    float_matrix,
    frobenius_norm,
    is_finite,
)

# of what a step subtracts: in the slope, its product with the rate, and the difference
ROUNDINGS = 4


def symmetric_part(M: Matrix) -> Rows:
    r"""Choice C2: $(M + M^T) / 2$, so that rounding cannot make a metric crooked.

    >>> symmetric_part([[1, 2], [0, 1]])
    [[1.0, 1.0], [1.0, 1.0]]
    """
    F = len(M)
    symmetric = []
    for row in range(F):
        symmetric.append([(M[row][column] + M[column][row]) / 2 for column in range(F)])
    return symmetric


def eigendecomposition(M: Matrix) -> tuple[list[Scalar], Rows]:
    r"""Choice C2: the eigenvalues of a symmetric matrix, smallest first, and its
    eigenvectors, one a column.

    mpmath numbers keep their digits; every other type becomes a float.

    >>> eigendecomposition([[2, 0], [0, -1]])[0]
    [-1.0, 2.0]
    """
    # mpmath's numbers carry a context that decomposes a matrix of their kind
    context: Any = getattr(M[0][0], "context", None)
    if context is not None:
        values, vectors = context.eigsy(context.matrix(M))
        return list(values), vectors.tolist()
    import numpy as np

    matrix = np.array(float_matrix(M))
    values, vectors = np.linalg.eigh(matrix)
    return values.tolist(), vectors.tolist()


def nearest_positive_semidefinite(M: Matrix, rounding: Scalar = 0) -> Rows:
    r"""Choice C2: the positive semi-definite matrix nearest to M in the Frobenius norm:
    negative eigenvalues become 0.

    So do those below `rounding`, which cannot be told from 0. A metric that has none of
    either is returned as it is.

    >>> nearest_positive_semidefinite([[2, 0], [0, -1]])
    [[2.0, 0.0], [0.0, 0.0]]
    >>> nearest_positive_semidefinite([[2, 0], [0, 1e-17]], rounding=1e-16)
    [[2.0, 0.0], [0.0, 0.0]]
    """
    symmetric = symmetric_part(M)
    values, vectors = eigendecomposition(symmetric)
    if min(values) >= rounding:
        return symmetric
    kept = [value if value >= rounding else 0 for value in values]
    return symmetric_part(clipped_spectrum(kept, vectors))


def clipped_spectrum(values: Numbers, vectors: Matrix) -> Rows:
    r"""Choice C2: $\sum_k \max(\lambda_k, 0)\, v_k v_k^T$ for eigenvalues and
    eigenvectors, one a column; in any number type.

    >>> clipped_spectrum([2.0, -1.0], [[1.0, 0.0], [0.0, 1.0]])
    [[2.0, 0.0], [0.0, 0.0]]
    """
    F = len(vectors)
    clipped: Rows = [[0.0] * F for _ in range(F)]
    for k, value in enumerate(values):
        weight = max(value, 0)
        v_k = [row[k] for row in vectors]
        for row in range(F):
            for column in range(F):
                share = weight * v_k[row] * v_k[column]
                clipped[row][column] = clipped[row][column] + share
    return clipped


def nearest_radius(radius: Scalar) -> Scalar:
    r"""Choice C3: the nearest radius that Definition 1 allows, 0 for a negative one.

    >>> nearest_radius(-0.5), nearest_radius(0.5)
    (0, 0.5)
    """
    return max(radius, 0)


def moved(point: Vector, slope: Vector, beta: Scalar) -> list[Scalar]:
    r"""Section 5.2, gradient descent: the vector
    $\theta - \beta\, \partial g / \partial \theta$.

    >>> moved([1.0, 2.0], slope=[4.0, 0.0], beta=0.5)
    [-1.0, 2.0]
    """
    new_point = []
    for theta_f, slope_f in zip(point, slope, strict=True):
        new_point.append(theta_f - beta * slope_f)
    return new_point


def descended(Theta: Parameters, slope: Parameters, beta: Scalar) -> Parameters:
    r"""Section 5.2, gradient descent: $\Theta - \beta\, \partial g / \partial \Theta$,
    projected (choices C2 and C3).

    >>> Theta = Parameters([[0.0]], [1.0], [[[1.0]]], [[1.0]])
    >>> slope = Parameters([[2.0]], [4.0], [[[1.0]]], [[3.0]])
    >>> new = descended(Theta, slope, beta=0.5)
    >>> new.centers, new.radii, new.local_metrics, new.background_metric
    ([[-1.0]], [0], [[[0.5]]], [[0.0]])
    """
    centers = []
    radii = []
    local_metrics = []
    for s in range(len(Theta.radii)):
        center = moved(Theta.centers[s], slope.centers[s], beta)
        radius = Theta.radii[s] - beta * slope.radii[s]
        metric = descended_metric(Theta.local_metrics[s], slope.local_metrics[s], beta)
        centers.append(center)
        radii.append(nearest_radius(radius))
        local_metrics.append(metric)
    background_metric = descended_metric(
        Theta.background_metric, slope.background_metric, beta
    )
    return Parameters(centers, radii, local_metrics, background_metric)


def descended_metric(M: Matrix, slope: Matrix, beta: Scalar) -> Rows:
    r"""Section 5.2, gradient descent: $M - \beta\, \partial g / \partial M$, projected
    onto the cone of metrics (choice C2).

    The step is known up to a few roundings of what is subtracted. Eigenvalues below
    that are 0: what is left of a metric that dies (Theorem E) would have an enormous
    slope, and 0 has none (choice C14).

    >>> descended_metric(
    ...     [[1.0, 0.0], [0.0, 1.0]], slope=[[1.0, 0.0], [0.0, 4.0]], beta=0.5
    ... )
    [[0.5, 0.0], [0.0, 0.0]]
    """
    step = []
    for row, slope_row in zip(M, slope, strict=True):
        step.append(moved(row, slope_row, beta))
    return nearest_positive_semidefinite(step, step_rounding(step, slope, beta))


def step_rounding(step: Matrix, slope: Matrix, beta: Scalar) -> Scalar:
    r"""Choice C2: four roundings of $\beta \|\partial g / \partial M\|_F$, in floats,
    or in mpmath where the step is.

    >>> step_rounding([[0.0]], slope=[[-3.0]], beta=0.5) == 6 * 2**-52
    True
    """
    context: Any = getattr(step[0][0], "context", None)
    if context is not None:
        return ROUNDINGS * context.eps * abs(beta) * frobenius_norm(slope)
    changes = []
    for row in slope:
        for entry in row:
            changes.append(float(beta) * float(entry))
    length = math.hypot(*changes)  # which does not overflow on the way
    return ROUNDINGS * sys.float_info.epsilon * length


def descent_step(
    X: Vectors,
    similar: Pairs,
    dissimilar: Pairs,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    alpha: Scalar,
    C: Scalar,
    beta: Scalar,
    printed: Collection[str] = (),
) -> Parameters:
    r"""Section 5.2, gradient descent: $\Theta^{t+1}$ from $\Theta^t$, one projected
    step of rate beta.

    >>> descent_step(
    ...     [[0], [2], [1]], [(0, 1)], [(0, 2)], [], [], [], [[1]], 1, 0.5, beta=0.5
    ... ).background_metric
    [[0.25]]
    """
    if not is_finite(beta):
        raise ValueError(f"gradient descent needs a finite rate, got beta={beta}")
    Theta = Parameters(centers, radii, local_metrics, background_metric)
    slope = objective_gradient(X, similar, dissimilar, *Theta, alpha, C, printed)
    return descended(Theta, slope, beta)
