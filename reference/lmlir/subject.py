"""The subject interface, version 1, on top of the reference, so that the oracle judges
it like anyone else's work.

Arrays in, arrays out, explicit loops inside: slow, and obviously the paper.
`lmlir.vectorized` is its fast twin.

What a subject promises, and what it may rely on. A subject offers any of the nine
functions below under these names, with the arguments in this order; a law whose
function is missing is "not offered", and the report says so. P pairs (row p of `X_i`
with row p of `X_j`), S >= 0 regions, F >= 1 features, n and m rows.

Shapes
    `X_i`, `X_j` (P, F); `X` (n, F); `Y` (m, F); `X_minus`, `X_plus` (at least K, F);
    `centers` (S, F); `radii` (S,); `local_metrics` (S, F, F); `background_metric` (F,
    F); `similar` (N_1, 2) and `dissimilar` (N_2, 2), which index rows of `X`. Any
    sizes, up to many thousands of pairs; a list of regions, pairs or points may be
    empty. `ARGUMENTS` declares the same for programs.

Number types
    Arrays of float64, or of float32 for a subject that is judged with ``--precision
    float32``, or of integers, which mean the same numbers; `K` is a whole number,
    `alpha`, `C` and `beta` are floats. Answers are arrays or array-likes of numbers, in
    the shapes that the functions below name.

Layout
    Arrays may be read-only, in any memory layout (not contiguous, memory-mapped),
    overlap, or be the very same object twice.

Symmetry
    Every metric is symmetric and positive semi-definite, every radius >= 0. The
    gradient in a metric is the symmetric matrix of the derivatives in its entries, as
    if they were independent; the metrics after a step are symmetric again.

Empty lists
    An empty list of pairs contributes 0 to g. Without regions gamma_b is 1 everywhere.

Slopes and kinks
    Where a length or a norm is 0, its gradient is taken as 0; elsewhere on a kink any
    value between the one-sided derivatives is right.

State and threads
    Functions may be called from several threads at once. An answer depends on nothing
    but the values of the arguments, and stays as it is when the next call is made; the
    arguments stay as they are.

Time
    A question gets 30 seconds of processor time, or as many as ``--timeout`` says. A
    law with a question that takes longer is "not judged".

Errors
    `K` larger than a class, shapes that do not fit, NaN or infinity in an argument: an
    exception (in the line protocol an ``error``), never finite numbers. The laws take
    NaN and infinity for a refusal, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmlir import classifier, descent, distance, gradient
from lmlir import objective as objective_module
from lmlir.scalars import Parameters, check_count, check_parameters, check_regions

Array = NDArray[np.float64]
Lists = list[Any]


@dataclass(frozen=True)
class Argument:
    """The declaration of an argument: its kind, and one letter per axis; in a call
    equal letters are equal lengths.

    The kinds are points, radii, metrics, indices (rows of the argument named in `of`),
    count (at most the number of rows of each argument in `of`) and number.
    """

    kind: str
    shape: str = ""
    of: tuple[str, ...] = ()


ARGUMENTS = {
    "X_i": Argument("points", "PF"),
    "X_j": Argument("points", "PF"),
    "X": Argument("points", "nF"),
    "Y": Argument("points", "mF"),
    "X_minus": Argument("points", "aF"),
    "X_plus": Argument("points", "bF"),
    "similar": Argument("indices", "u2", of=("X",)),
    "dissimilar": Argument("indices", "v2", of=("X",)),
    "centers": Argument("points", "SF"),
    "radii": Argument("radii", "S"),
    "local_metrics": Argument("metrics", "SFF"),
    "background_metric": Argument("metrics", "FF"),
    "K": Argument("count", of=("X_minus", "X_plus")),
    "alpha": Argument("number"),
    "C": Argument("number"),
    "beta": Argument("number"),
}


def _as_lists(name: str, value: ArrayLike) -> Lists:
    """Return the array as nested lists of floats; an empty list stands for an array
    without rows.
    """
    dimensions = len(ARGUMENTS[name].shape)
    array = np.asarray(value, dtype=float)
    if array.size == 0 and array.ndim <= dimensions:
        return [] if array.ndim < dimensions or len(array) == 0 else array.tolist()
    if array.ndim != dimensions:
        raise ValueError(
            f"{name} must have {dimensions} dimensions, got shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(
            f"{name} must be finite, but contains {array[~np.isfinite(array)][0]}"
        )
    return list(array.tolist())


def _regions(centers: ArrayLike, radii: ArrayLike) -> tuple[Lists, Lists]:
    center_lists = _as_lists("centers", centers)
    radius_list = _as_lists("radii", radii)
    check_regions(center_lists, radius_list)
    return center_lists, radius_list


def _pairs(X_i: ArrayLike, X_j: ArrayLike) -> list[tuple[Lists, Lists]]:
    rows_i = _as_lists("X_i", X_i)
    rows_j = _as_lists("X_j", X_j)
    if len(rows_i) != len(rows_j):
        raise ValueError(
            f"X_j must have as many rows as X_i, got {len(rows_j)} and {len(rows_i)}"
        )
    return list(zip(rows_i, rows_j, strict=True))


def _theta(
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
) -> Parameters:
    M_B = _as_lists("background_metric", background_metric)
    regions = _regions(centers, radii)
    metrics = _as_lists("local_metrics", local_metrics)
    Theta = Parameters(*regions, metrics, M_B)
    check_parameters(len(M_B), *Theta)
    return Theta


def _index_pairs(name: str, pairs: ArrayLike, n: int) -> list[tuple[int, int]]:
    array = np.asarray(pairs)
    if array.size == 0:
        return []
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            f"{name} must have shape (number of pairs, 2), got {array.shape}"
        )
    if not (array == array.astype(int)).all() or array.min() < 0 or array.max() >= n:
        raise ValueError(
            f"{name} must index rows 0 to {n - 1} of X, "
            f"got values from {array.min()} to {array.max()}"
        )
    return [(int(i), int(j)) for i, j in array]


def _arrays(Theta: Parameters, F: int) -> tuple[Array, Array, Array, Array]:
    """Return the parameters as arrays: centers (S, F), radii (S,), local_metrics (S, F,
    F), background_metric (F, F).
    """
    S = len(Theta.radii)
    return (
        np.array(Theta.centers, dtype=float).reshape(S, F),
        np.array(Theta.radii, dtype=float).reshape(S),
        np.array(Theta.local_metrics, dtype=float).reshape(S, F, F),
        np.array(Theta.background_metric, dtype=float).reshape(F, F),
    )


def intersection_ratios(
    X_i: ArrayLike,
    X_j: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
) -> Array:
    """Definition 8: gamma of every pair and region, shape (P, S).

    >>> intersection_ratios([[0, 0]], [[4, 0]], [[0, 0], [2, 0]], [1, 1])
    array([[0.25, 0.5 ]])
    """
    pairs = _pairs(X_i, X_j)
    (centers, radii) = _regions(centers, radii)
    ratios = [distance.all_ratios(x_i, x_j, centers, radii) for x_i, x_j in pairs]
    return np.array(ratios, dtype=float).reshape(len(pairs), len(radii))


def ratio_gradients(
    X_i: ArrayLike,
    X_j: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
) -> tuple[Array, Array]:
    """Table 3: d gamma / d o, shape (P, S, F), and d gamma / d r, shape (P, S).

    >>> ratio_gradients([[0, 0]], [[4, 0]], [[0, 0]], [1])[1]
    array([[0.25]])
    """
    F = np.shape(X_i)[-1]
    pairs = _pairs(X_i, X_j)
    (centers, radii) = _regions(centers, radii)
    by_center = np.zeros((len(pairs), len(radii), F))
    by_radius = np.zeros((len(pairs), len(radii)))
    for p, (x_i, x_j) in enumerate(pairs):
        for s, (center, radius) in enumerate(zip(centers, radii, strict=True)):
            by_center[p, s], by_radius[p, s] = gradient.ratio_gradient(
                x_i, x_j, center, radius
            )
    return by_center, by_radius


def exact_background_ratios(
    X_i: ArrayLike,
    X_j: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
) -> Array:
    """Definition 5: 1 minus the measure of the union, shape (P,).

    >>> exact_background_ratios([[0]], [[8]], [[2], [3]], [1, 1])
    array([0.625])
    """
    pairs = _pairs(X_i, X_j)
    (centers, radii) = _regions(centers, radii)
    ratios = []
    for x_i, x_j in pairs:
        ratios.append(distance.exact_background_ratio(x_i, x_j, centers, radii))
    return np.array(ratios, dtype=float)


def distances(
    X_i: ArrayLike,
    X_j: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
) -> Array:
    """Equation (9) with gamma_b = max(1 - sum gamma, 0), shape (P,).

    >>> distances([[0]], [[8]], [[2]], [1], [[[4]]], [[1]])
    array([10.])
    """
    Theta = _theta(centers, radii, local_metrics, background_metric)
    pairs = _pairs(X_i, X_j)
    lengths = [distance.distance(x_i, x_j, *Theta) for x_i, x_j in pairs]
    return np.array(lengths, dtype=float)


def cross_distances(
    X: ArrayLike,
    Y: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
) -> Array:
    """Equation (9), every row of X against every row of Y, shape (n, m).

    >>> cross_distances([[0]], [[8], [0]], [[2]], [1], [[[4]]], [[1]])
    array([[10.,  0.]])
    """
    Theta = _theta(centers, radii, local_metrics, background_metric)
    rows = _as_lists("X", X)
    columns = _as_lists("Y", Y)
    table = [classifier.distances_to_set(x, columns, *Theta) for x in rows]
    return np.array(table, dtype=float).reshape(len(rows), len(columns))


def decision_values(
    X: ArrayLike,
    X_minus: ArrayLike,
    X_plus: ArrayLike,
    K: int,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
) -> Array:
    """Equation (10): f of every row of X, shape (n,).

    >>> decision_values([[0]], [[1], [3]], [[-4], [-6]], 2, [], [], [], [[1]])
    array([-3.])
    """
    Theta = _theta(centers, radii, local_metrics, background_metric)
    rows = _as_lists("X", X)
    minus = _as_lists("X_minus", X_minus)
    plus = _as_lists("X_plus", X_plus)
    check_count("K", K, len(minus), "instances of the negative class")
    check_count("K", K, len(plus), "instances of the positive class")
    values = [classifier.decision_value(x, minus, plus, K, *Theta) for x in rows]
    return np.array(values, dtype=float)


def _training(
    X: ArrayLike, similar: ArrayLike, dissimilar: ArrayLike
) -> tuple[Lists, list[tuple[int, int]], list[tuple[int, int]]]:
    rows = _as_lists("X", X)
    return (
        rows,
        _index_pairs("similar", similar, len(rows)),
        _index_pairs("dissimilar", dissimilar, len(rows)),
    )


def objective(
    X: ArrayLike,
    similar: ArrayLike,
    dissimilar: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
    alpha: float,
    C: float,
) -> float:
    """Section 5.2: the objective g, a number.

    >>> objective([[0], [2], [1]], [[0, 1]], [[0, 2]], [], [], [], [[1]], 1, 0.5)
    3.0
    """
    Theta = _theta(centers, radii, local_metrics, background_metric)
    training = _training(X, similar, dissimilar)
    return float(objective_module.objective(*training, *Theta, alpha, C))


def objective_gradient(
    X: ArrayLike,
    similar: ArrayLike,
    dissimilar: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
    alpha: float,
    C: float,
) -> tuple[Array, Array, Array, Array]:
    """Section 5.2: the true gradient of g, four arrays in the shapes of the parameters.

    >>> objective_gradient(
    ...     [[0], [2], [1]], [[0, 1]], [[0, 2]], [], [], [], [[1]], 1, 0.5
    ... )[3]
    array([[1.5]])
    """
    Theta = _theta(centers, radii, local_metrics, background_metric)
    training = _training(X, similar, dissimilar)
    g = gradient.objective_gradient(*training, *Theta, alpha, C)
    return _arrays(g, len(Theta.background_metric))


def descent_step(
    X: ArrayLike,
    similar: ArrayLike,
    dissimilar: ArrayLike,
    centers: ArrayLike,
    radii: ArrayLike,
    local_metrics: ArrayLike,
    background_metric: ArrayLike,
    alpha: float,
    C: float,
    beta: float,
) -> tuple[Array, Array, Array, Array]:
    """Section 5.2: Theta after one step of rate beta, metrics projected onto the cone,
    radii onto r >= 0.

    >>> descent_step(
    ...     [[0], [2], [1]], [[0, 1]], [[0, 2]], [], [], [], [[1]], 1, 0.5, 0.5
    ... )[3]
    array([[0.25]])
    """
    Theta = _theta(centers, radii, local_metrics, background_metric)
    training = _training(X, similar, dissimilar)
    step = descent.descent_step(*training, *Theta, alpha, C, beta)
    return _arrays(step, len(Theta.background_metric))


FUNCTIONS: Sequence[Callable[..., Any]] = (
    intersection_ratios,
    ratio_gradients,
    exact_background_ratios,
    distances,
    cross_distances,
    decision_values,
    objective,
    objective_gradient,
    descent_step,
)
