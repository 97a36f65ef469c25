"""The largest difference of two lengths on the unit sphere, found by a climb.

It is what tests and studies compare `continuity.scale_difference` with, and uses nothing of it. A
climb may miss the supremum: what it returns is a value that n_M(u) - n_N(u) takes, so a lower
bound.

| here | in Theorem A |
|---|---|
| `lengths` | n_M(u), the root of u^T M u |
| `M`, `N` | batches of metrics, (B, F, F) |
| `U` | unit vectors for each pair of metrics, (B, K, F) |
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RANDOM_DIRECTIONS = 200  # for each pair of metrics, beside those that its eigenvectors give
SMALLEST_LENGTH = 1e-300  # below it a vector is taken for 0
KERNEL_SHARE = 1e-9  # of the largest eigenvalue: what is smaller is taken for 0


def lengths(U: Array, M: Array) -> Array:
    """n_M(u) for a batch of metrics (B, F, F) and unit vectors (B, K, F)."""
    squares: Array = np.einsum("bkf,bfg,bkg->bk", U, M, U)
    return np.sqrt(np.maximum(squares, 0))


def normalized(U: Array) -> Array:
    """Return the vectors with length 1; the zero vector is not changed."""
    norms = np.linalg.norm(U, axis=-1, keepdims=True)
    unit: Array = U / np.maximum(norms, SMALLEST_LENGTH)
    return unit


def best_in_kernel(M: Array, N: Array) -> Array:
    """The directions of the kernel of N that are best for M, as rows; the others are 0 or lie
    outside it.
    """
    values, vectors = np.linalg.eigh(N)
    is_kernel = values <= KERNEL_SHARE * values[:, -1:]
    kernel = vectors * is_kernel[:, None, :]
    P = kernel @ kernel.transpose(0, 2, 1)
    directions: Array = (P @ np.linalg.eigh(P @ M @ P)[1]).transpose(0, 2, 1)
    return directions


def first_directions(M: Array, N: Array, seed: int) -> Array:
    """Unit vectors to climb from: eigenvectors of M, N and M - N, the best of either kernel, sums,
    and random ones.
    """
    B, F = M.shape[:2]
    rows = [np.linalg.eigh(A)[1].transpose(0, 2, 1) for A in (M, N, M - N)]
    rows.append(best_in_kernel(M, N))
    rows.append(best_in_kernel(N, M))
    units = normalized(np.concatenate(rows, axis=1))
    sums = units[:, :, None] + units[:, None]
    random = np.random.default_rng(seed).normal(size=(B, RANDOM_DIRECTIONS, F))
    return normalized(np.concatenate([units, sums.reshape(B, -1, F), random], axis=1))


def steepest_directions(
    M: Array, N: Array, starts: int = 12, rounds: int = 60, seed: int = 0
) -> tuple[Array, Array]:
    """The largest |n_M(u) - n_N(u)| found for each of a batch of metrics, and its u.

    >>> M = np.array([[[1.0, 1.0], [1.0, 1.0]]])
    >>> N = np.array([[[1.0, 0.0], [0.0, 0.0]]])
    >>> value, u = steepest_directions(M, N)
    >>> value.round(6).tolist(), np.abs(u).round(6).tolist()
    ([1.0], [[0.0, 1.0]])
    """
    U = first_directions(M, N, seed)
    value, u = climb(U, M, N, starts, rounds)
    other_value, other_u = climb(U, N, M, starts, rounds)
    is_larger = value >= other_value
    return np.where(is_larger, value, other_value), np.where(is_larger[:, None], u, other_u)


def climb(U: Array, M: Array, N: Array, starts: int, rounds: int) -> tuple[Array, Array]:
    """The largest n_M(u) - n_N(u) near the best of the unit vectors U, and its u.

    Where the difference c is stationary, M u / n_M - N u / n_N = c u. So u is replaced by
    (c n_N + N)^-1 M u, in part or in whole, when that is better.
    """
    F = M.shape[1]
    best_first = np.argsort(lengths(U, N) - lengths(U, M), axis=1)[:, :starts]
    U = np.take_along_axis(U, best_first[:, :, None], axis=1)
    step = np.ones((*U.shape[:2], 1))
    least_shift = 1e-13 * np.trace(N, axis1=1, axis2=2)[:, None] + 1e-100
    for _ in range(rounds):
        n_N = lengths(U, N)
        value = lengths(U, M) - n_N
        shift = np.maximum(value * n_N, least_shift)
        shifted = N[:, None] + shift[:, :, None, None] * np.eye(F)
        target = normalized(np.asarray(np.linalg.solve(shifted, (U @ M)[..., None])[..., 0]))
        tried = normalized(U + step * (target - U))
        is_better = (lengths(tried, M) - lengths(tried, N) > value)[:, :, None]
        U = np.where(is_better, tried, U)
        step = np.where(is_better, np.minimum(2 * step, 1), 0.5 * step)
    value = lengths(U, M) - lengths(U, N)
    top = value.argmax(axis=1)
    return value.max(axis=1), U[np.arange(len(U)), top]
