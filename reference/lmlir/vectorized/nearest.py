"""Section 5: the nearest instances of the same class and of the others, the training pairs, and the directions h."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lmlir.scalars import check_count
from lmlir.vectorized.checks import Array, Indices, checked_points, double, floats, width
from lmlir.vectorized.pairs import blocks


def neighbors(X: ArrayLike, y: ArrayLike, K: int) -> tuple[Indices, Indices]:
    """Section 5.1, j -> i: the K nearest of the same class, and of the other classes, of every row; two (n, K) arrays.

    Euclidean, nearest first, equal distances by index.

    >>> same, other = neighbors([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], K=1)
    >>> same.ravel(), other.ravel()
    (array([1, 0, 3, 2]), array([2, 2, 1, 1]))
    """
    return _class_neighbors(X, y, K, same=True), _class_neighbors(X, y, K, same=False)


def _class_neighbors(X: ArrayLike, y: ArrayLike, K: int, same: bool) -> Indices:
    (X,) = double(*floats(X))
    X, y = checked_points("X", X, width(X)), np.asarray(y)
    if y.shape != (len(X),):
        raise ValueError(f"y needs one label per row of X, got shape {y.shape} for {len(X)} rows")
    classes = [(label, np.flatnonzero(y == label), np.flatnonzero((y == label) == same)) for label in np.unique(y)]
    for label, _, candidates in classes:
        what = "other instances in" if same else "instances outside"
        check_count("K", K, len(candidates) - same, f"{what} class {label}")
    nearest = np.empty((len(X), K), dtype=np.intp)
    for _, members, candidates in classes:
        nearest[members] = _nearest(X, members, candidates, K, leave_out_self=same)
    return nearest


def _nearest(X: Array, rows: Indices, candidates: Indices, K: int, leave_out_self: bool) -> Indices:
    """The K nearest candidates of every row, nearest first, ties by index.

    The squares are added feature by feature, in the order of the reference, so that what is a tie there is a tie here.
    Sorting all candidates would cost more than their distances: the K-th smallest is found without sorting, and only
    what is not above it is put in order.
    """
    nearest = np.empty((len(rows), K), dtype=np.intp)
    for block in blocks(len(rows), len(candidates)):
        squares = np.zeros((len(rows[block]), len(candidates)), dtype=X.dtype)
        for f in range(X.shape[1]):
            difference = X[candidates, f] - X[rows[block], f, None]
            squares += np.multiply(difference, difference, out=difference)
        if leave_out_self:
            squares[rows[block][:, None] == candidates] = np.inf
        limit = np.partition(squares, K - 1, axis=1)[:, K - 1, None]
        row, column = np.nonzero(squares <= limit)
        order = np.lexsort((column, squares[row, column], row))
        first = np.searchsorted(row, np.arange(len(squares)))
        nearest[block] = candidates[column[order[first[:, None] + np.arange(K)]]]
    return nearest


def similar_pairs(X: ArrayLike, y: ArrayLike, K: int) -> Indices:
    """Section 5.1: the pairs (i, j) with j among the K nearest of the same class of i, an array (n K, 2).

    >>> similar_pairs([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], K=1).tolist()
    [[0, 1], [1, 0], [2, 3], [3, 2]]
    """
    return _paired(_class_neighbors(X, y, K, same=True))


def dissimilar_pairs(X: ArrayLike, y: ArrayLike, K: int) -> Indices:
    """Section 5.1: the pairs (i, k) with k among the K nearest of the other classes of i, an array (n K, 2).

    >>> dissimilar_pairs([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], K=1).tolist()
    [[0, 2], [1, 2], [2, 1], [3, 1]]
    """
    return _paired(_class_neighbors(X, y, K, same=False))


def _paired(nearest: Indices) -> Indices:
    n, K = nearest.shape
    return np.stack([np.repeat(np.arange(n), K), nearest.ravel()], axis=1)


def discriminative_directions(X: ArrayLike, y: ArrayLike, K: int) -> Array:
    """Section 5.2, step 1: h (n, F), the differences to the K nearest of the other classes minus those of the same.

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
