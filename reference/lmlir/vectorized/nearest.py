"""Section 5: the nearest instances of the same class and of the others, the training pairs, and the
directions h.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lmlir.scalars import Parameters, check_count
from lmlir.vectorized.checks import Array, Indices, checked_points, double, floats, quiet, width
from lmlir.vectorized.cross import cross_distances
from lmlir.vectorized.pairs import BLOCK_NUMBERS, slices

MIN_BLOCK_ROWS = 64  # in a block of distances: with 50,000 candidates 25 MB


def neighbors(X: ArrayLike, y: ArrayLike, K: int) -> tuple[Indices, Indices]:
    """Section 5.1, j -> i: the K nearest of the same class, and of the other classes, of every row;
    two (n, K) arrays.

    Euclidean, nearest first, equal distances by index.

    >>> same, other = neighbors([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], K=1)
    >>> same.ravel(), other.ravel()
    (array([1, 0, 3, 2]), array([2, 2, 1, 1]))
    """
    return _class_neighbors(X, y, K, same=True), _class_neighbors(X, y, K, same=False)


def _class_neighbors(
    X: ArrayLike,
    y: ArrayLike,
    K: int,
    same: bool,
    Theta: Parameters | None = None,
) -> Indices:
    (X,) = double(*floats(X))
    X = checked_points("X", X, width(X))
    y = np.asarray(y)
    if y.shape != (len(X),):
        raise ValueError(
            f"y must have one label per row of X, got shape {y.shape} for {len(X)} rows"
        )
    classes = [
        (label, np.flatnonzero(y == label), np.flatnonzero((y == label) == same))
        for label in np.unique(y)
    ]
    for label, _, candidates in classes:
        what = "other instances in" if same else "instances outside"
        check_count("K", K, len(candidates) - same, f"{what} class {label}")
    nearest = np.empty((len(X), K), dtype=np.intp)
    for _, members, candidates in classes:
        nearest[members] = _nearest(X, members, candidates, K, same, Theta)
    return nearest


def _nearest(
    X: Array,
    rows: Indices,
    candidates: Indices,
    K: int,
    leave_out_self: bool,
    Theta: Parameters | None,
) -> Indices:
    """The K nearest candidates of every row, nearest first, ties by index.

    Sorting all candidates would cost more than their distances: the K-th smallest is found without
    sorting, and only what is not above it is put in order.
    """
    nearest = np.empty((len(rows), K), dtype=np.intp)
    block_rows = max(BLOCK_NUMBERS // max(len(candidates), 1), MIN_BLOCK_ROWS)
    for block in slices(len(rows), block_rows):
        members = rows[block]
        if Theta is None:
            near, margin = _rough_squares(X[members], X[candidates])
        else:
            near = cross_distances(X[members], X[candidates], *Theta)
            margin = np.zeros((1, 1))
        if leave_out_self:
            near[np.arange(len(near)), np.searchsorted(candidates, members)] = np.inf

        limit = np.partition(near, K - 1, axis=1)[:, K - 1, None] + margin
        row, column = np.nonzero(near <= limit)
        values = near[row, column]
        if Theta is None:
            values = _squares(X, members[row], candidates[column])
        order = np.lexsort((column, values, row))
        first = np.searchsorted(row, np.arange(len(near)))
        chosen = order[first[:, None] + np.arange(K)]
        nearest[block] = candidates[column[chosen]]
    return nearest


@quiet
def _rough_squares(X: Array, Y: Array) -> tuple[Array, Array]:
    """Squared Euclidean distances by a matrix product, and for every row by how much two of them
    may err together.

    Each errs by at most F + 4 roundings of (|x| + |y|)^2, as does the sum of squares that decides
    in the end.
    """
    middle = Y.mean(axis=0)
    x = X - middle
    y = Y - middle
    squares_x = np.einsum("pf,pf->p", x, x)
    squares_y = np.einsum("pf,pf->p", y, y)
    squares = x @ (-2 * y.T)
    squares += squares_x[:, None]
    squares += squares_y
    largest = 2 * (squares_x + squares_y.max())
    if not np.isfinite(largest.max()):
        raise ValueError(
            f"X must have differences with a square in the range of float64, got {np.abs(X).max()}"
        )
    margin = 8 * (X.shape[1] + 4) * np.finfo(float).eps * largest
    return squares, margin[:, None]


def _squares(X: Array, rows: Indices, candidates: Indices) -> Array:
    """Squared Euclidean distances, added feature by feature, in the reference's order, so that both
    have the same ties.
    """
    squares = np.zeros(len(rows))
    for feature in np.ascontiguousarray(X.T):
        squares += (feature[candidates] - feature[rows]) ** 2
    return squares


def similar_pairs(
    X: ArrayLike,
    y: ArrayLike,
    K: int,
    Theta: Parameters | None = None,
) -> Indices:
    """Section 5.1: the pairs (i, j) with j among the K nearest of the same class of i, an array (n
    K, 2).

    Euclidean, or in the distance with the parameters Theta.

    >>> similar_pairs([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], K=1).tolist()
    [[0, 1], [1, 0], [2, 3], [3, 2]]
    """
    return _paired(_class_neighbors(X, y, K, True, Theta))


def dissimilar_pairs(
    X: ArrayLike,
    y: ArrayLike,
    K: int,
    Theta: Parameters | None = None,
) -> Indices:
    """Section 5.1: the pairs (i, k) with k among the K nearest of the other classes of i, an array
    (n K, 2).

    Euclidean, or in the distance with the parameters Theta.

    >>> dissimilar_pairs([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], K=1).tolist()
    [[0, 2], [1, 2], [2, 1], [3, 1]]
    """
    return _paired(_class_neighbors(X, y, K, False, Theta))


def _paired(nearest: Indices) -> Indices:
    n, K = nearest.shape
    return np.stack([np.repeat(np.arange(n), K), nearest.ravel()], axis=1)


def discriminative_directions(X: ArrayLike, y: ArrayLike, K: int) -> Array:
    """Section 5.2, step 1: h (n, F), the differences to the K nearest of the other classes minus
    those of the same.

    >>> discriminative_directions([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], K=1).ravel()
    array([2., 1., 1., 2.])
    """
    (X,) = floats(X)
    same, other = neighbors(X, y, K)
    h = np.zeros_like(X)
    for k in range(K):
        h += np.abs(X[other[:, k]] - X)
        h -= np.abs(X[same[:, k]] - X)
    return h
