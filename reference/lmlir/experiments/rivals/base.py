r"""What all rivals share: a learned distance to the training instances, and k nearest neighbors on
top of it.

A rival learns in `learn_metric`. `distances(X)` are squared: row i for test instance i, column j
for training instance j. Squares are enough for k-NN; equation (10) takes their roots. Most rivals
learn one matrix, `components_`, with $d(x, y) = \|L x - L y\|^2$; the others override `distances`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


# scikit-learn carries no types.
class MetricRival(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn classifier that learns a metric; the majority of the `n_neighbors` nearest
    training instances decides.
    """

    n_neighbors: int
    components_: FloatArray

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from training instances X, one per row, with class labels y."""
        self.X_, self.y_ = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(self.y_)
        self.classes_, codes = np.unique(self.y_, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs at least two classes, got 1 class")
        check_between("n_neighbors", self.n_neighbors, 1, len(self.X_))
        self.learn_metric(self.X_, codes)
        return self

    def learn_metric(self, X: FloatArray, codes: IntArray) -> None:
        """Learn; classes are numbered from 0."""
        raise NotImplementedError

    def checked_rows(self, X: ArrayLike) -> FloatArray:
        """X as an array of floats, when the rival is fitted and X has the features of the fit."""
        check_is_fitted(self, "X_")
        return validate_data(self, X, dtype=np.float64, reset=False)

    def transform(self, X: ArrayLike) -> FloatArray:
        """L x for every row x."""
        return self.checked_rows(X) @ self.components_.T

    def distances(self, X: ArrayLike) -> FloatArray:
        """Squared distances from every row of X to every training instance, under the learned
        metric.
        """
        return cdist(self.transform(X), self.transform(self.X_), "sqeuclidean")

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The majority among the nearest training instances, as scikit-learn's k-NN counts it."""
        return nearest_vote(self.distances(X), self.y_, self.n_neighbors)


def check_between(name: str, value: float, low: float, high: float) -> None:
    """Raise a ValueError if a parameter is outside its range, whose ends are allowed.

    >>> check_between("t", 2.0, 0, 1)
    Traceback (most recent call last):
    ValueError: t must be between 0 and 1, got t=2.0
    """
    if not low <= value <= high:
        raise ValueError(f"{name} must be between {low} and {high}, got {name}={value}")


# ------------------------------------------------------------------------- classifiers on distances


def nearest_vote(squares: FloatArray, y: NDArray[Any], k: int) -> NDArray[Any]:
    """The majority class of the k nearest columns of each row, as scikit-learn's k-NN counts it.

    >>> nearest_vote(np.array([[1.0, 4.0, 9.0]]), np.array([0, 1, 1]), k=3)
    array([1])
    """
    model = KNeighborsClassifier(n_neighbors=k, metric="precomputed")
    model.fit(np.zeros((len(y), len(y))), y)  # predict needs no distances between these
    return model.predict(squares)


def mean_of_nearest_vote(squares: FloatArray, y: NDArray[Any], K: int) -> NDArray[Any]:
    r"""Equation (10): the class whose K nearest instances are nearest on average; a tie goes to the
    first class (choice C9).

    >>> mean_of_nearest_vote(np.array([[1.0, 4.0, 9.0, 9.0]]), np.array([0, 1, 1, 0]), K=2)
    array([0])
    """
    classes = np.unique(y)
    roots = np.sqrt(np.maximum(squares, 0))
    means = []
    for label in classes:
        nearest = np.sort(roots[:, y == label], axis=1)[:, :K]
        means.append(nearest.mean(axis=1))
    return classes[np.argmin(means, axis=0)]


# ------------------------------------------------------------------------- what several rivals need


def target_neighbors(X: FloatArray, codes: IntArray, k: int) -> tuple[IntArray, IntArray]:
    """Pairs (i, j): j one of the k nearest instances of i's own class in the Euclidean distance;
    fewer in small classes.

    >>> target_neighbors(np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1]), k=1)
    (array([0, 1, 2, 3]), array([1, 0, 3, 2]))
    """
    squares = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(squares, np.inf)
    squares[codes[:, None] != codes] = np.inf
    order = np.argsort(squares, axis=1, kind="stable")[:, :k]
    rows = np.repeat(np.arange(len(X)), order.shape[1])
    columns = order.ravel()
    known = np.isfinite(squares[rows, columns])
    return rows[known], columns[known]


def weighted_scatter(X: FloatArray, W: FloatArray) -> FloatArray:
    r"""$\sum_{ij} W_{ij} (x_i - x_j)(x_i - x_j)^\top$ for any square table of weights, by three
    matrix products.

    >>> weighted_scatter(np.array([[0.0], [2.0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([[8.]])
    """
    symmetric = W + W.T
    diagonal = (X.T * symmetric.sum(axis=0)) @ X
    return diagonal - X.T @ symmetric @ X


def descended(
    loss: Callable[[FloatArray], tuple[float, FloatArray]], F: int, max_iterations: int
) -> tuple[FloatArray, float]:
    """Return the F x F matrix that L-BFGS reaches from the identity, and the loss there; `loss`
    returns a value and a gradient.

    >>> L, least = descended(
    ...     lambda L: (float(((L - 2) ** 2).sum()), 2 * (L - 2)), F=1, max_iterations=9
    ... )
    >>> L.round(6)
    array([[2.]])
    """

    def flat_loss(flat: FloatArray) -> tuple[float, FloatArray]:
        value, slope = loss(flat.reshape(F, F))
        return value, slope.ravel()

    result = minimize(
        flat_loss,
        np.eye(F).ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iterations},
    )
    return result.x.reshape(F, F), float(result.fun)


def factor(M: FloatArray) -> FloatArray:
    """L with L^T L = M, for a symmetric positive semi-definite M.

    >>> factor(np.array([[4.0]]))
    array([[2.]])
    """
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    roots = np.sqrt(np.maximum(values, 0))
    return roots[:, None] * vectors.T
