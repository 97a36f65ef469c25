r"""A search for the subset S of Theorem D (`lmlir.compression`) that has a small bound.

The theorem holds for whatever S is found, since S may be chosen in whatever way; a better search
only gives a smaller bound.
"""

from __future__ import annotations

from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmlir.compression import compression_bound
from lmlir.scalars import Indices, check_count

Array = NDArray[np.float64]
LabelArray = NDArray[np.int64]

MOST_MEMBERS = 12  # up to here the search adds, drops and exchanges members
MOST_CLUSTERS = 3  # medoids per class with which it begins
MOST_SEARCHES = 20  # beginnings that are followed


class Compression(NamedTuple):
    """Theorem D: a subset S that was found, its number of mistakes k on the others, and
    the bound.
    """

    members: list[int]
    mistakes: int
    bound: float


def compressed_predictions(
    D: Array,
    y: LabelArray,
    S: Indices,
    K: int,
) -> LabelArray:
    r"""Theorem D, search: `compressed_prediction` for all rows of D at once, with
    arrays.

    >>> compressed_predictions(
    ...     np.array([[0, 1, 4, 5], [4, 3, 0, 1]]),
    ...     np.array([-1, -1, 1, 1]),
    ...     S=[0, 3],
    ...     K=1,
    ... )
    array([-1,  1])
    """
    members = np.asarray(S, dtype=int)
    minus = members[y[members] < 0]
    plus = members[y[members] > 0]
    if not len(plus):
        return np.full(len(D), -1)
    if not len(minus):
        return np.full(len(D), 1)
    K_S = min(K, len(minus), len(plus))
    to_minus = np.partition(D[:, minus], K_S - 1, axis=1)
    to_plus = np.partition(D[:, plus], K_S - 1, axis=1)
    minus_sums = to_minus[:, :K_S].sum(axis=1)
    plus_sums = to_plus[:, :K_S].sum(axis=1)
    return np.where(minus_sums > plus_sums, 1, -1)


def condensed_neighbors(D: ArrayLike, y: ArrayLike) -> list[int]:
    r"""Theorem D, search: Hart's condensed nearest neighbors: from one instance, every
    instance that 1-NN gets wrong joins.

    At the end k = 0.

    >>> condensed_neighbors(
    ...     [[0, 1, 4, 5], [1, 0, 3, 4], [4, 3, 0, 1], [5, 4, 1, 0]], [-1, -1, 1, 1]
    ... )
    [0, 2]
    """
    table = np.asarray(D, dtype=float)
    labels = np.asarray(y)
    S = [0]
    joined = True
    while joined:
        joined = False
        for i in range(len(labels)):
            if i in S:
                continue
            (prediction,) = compressed_predictions(table[i : i + 1], labels, S, K=1)
            if prediction != labels[i]:
                S.append(i)
                joined = True
    return S


def class_medoids(
    D: ArrayLike,
    y: ArrayLike,
    label: int,
    count: int,
) -> list[int]:
    r"""Theorem D, search: `count` members of a class, each the one that most lowers the
    sum of the distances to the nearest.

    >>> class_medoids([[0, 1, 4], [1, 0, 3], [4, 3, 0]], [1, 1, 1], label=1, count=2)
    [1, 2]
    """
    table = np.asarray(D, dtype=float)
    rows = np.flatnonzero(np.asarray(y) == label)
    check_count("count", count, len(rows), f"members of class {label}")
    within_class = table[np.ix_(rows, rows)]
    nearest = np.full(len(rows), np.inf)
    medoids = []
    for _ in range(count):
        # column j: the distances to the nearest medoid when instance j becomes one
        with_one_more = np.minimum(nearest[:, None], within_class)
        sums = with_one_more.sum(axis=0)
        best = sums.argmin()
        nearest = with_one_more[:, best]
        medoids.append(int(rows[best]))
    return medoids


def _compression(
    D: Array,
    y: LabelArray,
    S: list[int],
    K: int,
    delta: float,
) -> Compression:
    """Return a subset with its mistakes and its bound."""
    wrong = compressed_predictions(D, y, S, K) != y
    wrong[S] = False
    k = int(wrong.sum())
    bound = compression_bound(k, len(y), len(S), delta)
    return Compression(S, k, bound)


def mistakes_with_one_more(
    D: Array,
    y: LabelArray,
    S: Indices,
    K: int,
) -> LabelArray:
    r"""Theorem D, search: k of S with one more member, for every instance as that
    member; n + 1 for those that S has.

    The K' smallest distances to a class with one more are the K' - 1 smallest and the
    lesser of the new and the next.

    >>> D = np.array([[0, 1, 4, 5], [1, 0, 3, 4], [4, 3, 0, 1], [5, 4, 1, 0]])
    >>> mistakes_with_one_more(D, np.array([-1, -1, 1, 1]), S=[0], K=1)
    array([5, 2, 0, 0])
    """
    n = len(y)
    inside = np.zeros(n, dtype=bool)
    inside[list(S)] = True
    counts = np.full(n, n + 1)
    for label in (-1, 1):
        is_own = y == label
        new = np.flatnonzero(is_own & ~inside)
        to_own = np.sort(D[:, inside & is_own], axis=1)
        to_other = np.sort(D[:, inside & (y == -label)], axis=1)
        size = to_own.shape[1]
        K_S = min(K, size + 1, to_other.shape[1])
        if K_S == 0:
            # without the other class in S everybody is predicted to be of this one
            wrong = np.repeat(~is_own[:, None], len(new), axis=1)
        else:
            next_nearest = np.full(n, np.inf)
            if size >= K_S:
                next_nearest = to_own[:, K_S - 1]
            last = np.minimum(next_nearest[:, None], D[:, new])
            first_sums = to_own[:, : K_S - 1].sum(axis=1)
            own_sums = first_sums[:, None] + last
            other_sums = to_other[:, :K_S].sum(axis=1)[:, None]
            is_plus = own_sums > other_sums if label < 0 else other_sums > own_sums
            wrong = is_plus != (y > 0)[:, None]

        # neither the members nor the new member itself count
        wrong[inside] = False
        wrong[new, np.arange(len(new))] = False
        counts[new] = wrong.sum(axis=0)
    return counts


def best_neighbor(
    D: Array,
    y: LabelArray,
    S: Indices,
    K: int,
    delta: float,
) -> Compression:
    r"""Theorem D, search: of the subsets with one member less, one more or one
    exchanged, one of the least bound.

    >>> points, y = np.arange(40.0), np.repeat([-1, 1], 20)
    >>> best_neighbor(abs(points[:, None] - points), y, [10], K=1, delta=0.05).members
    [10, 28]
    """
    neighbors = []
    subsets = []
    for i in S:
        T = [j for j in S if j != i]
        neighbors.append(_compression(D, y, T, K, delta))
        subsets.append(T)
    subsets.append(list(S))
    for T in subsets:
        if len(T) + 1 < len(y):
            counts = mistakes_with_one_more(D, y, T, K)
            # a member that comes back would make S again, which is not a neighbor
            counts[list(S)] = len(y) + 1
            best = int(counts.argmin())
            neighbors.append(_compression(D, y, [*T, best], K, delta))
    return min(neighbors, key=attrgetter("bound"))


def beginnings(D: ArrayLike, y: ArrayLike) -> list[list[int]]:
    r"""Theorem D, search: one instance of the larger class; up to three medoids of
    either class; the first condensed neighbors.

    >>> beginnings([[0, 1, 4], [1, 0, 3], [4, 3, 0]], [-1, -1, 1])
    [[0], [0, 2], [0, 1, 2], [0], [0, 2]]
    """
    labels = np.asarray(y)
    minus = np.flatnonzero(labels == -1)
    plus = np.flatnonzero(labels == 1)
    larger = plus if len(plus) > len(minus) else minus
    subsets = [[int(larger[0])]]
    for a in range(1, min(MOST_CLUSTERS, len(minus)) + 1):
        minus_medoids = class_medoids(D, y, -1, a)
        for b in range(1, min(MOST_CLUSTERS, len(plus)) + 1):
            plus_medoids = class_medoids(D, y, 1, b)
            subsets.append(minus_medoids + plus_medoids)
    condensed = condensed_neighbors(D, y)
    for d in range(1, len(condensed) + 1):
        subsets.append(condensed[:d])
    return subsets


def greedy_compression(
    D: ArrayLike,
    y: ArrayLike,
    delta: float,
    K: int = 1,
) -> Compression:
    r"""Theorem D, search: a subset of small bound; from the twenty best beginnings, the
    best neighbor until none is better.

    Subsets of more than twelve members are left as they begin. The theorem holds for
    whatever S is found; a better search only gives a smaller bound. Same input, same
    result.

    >>> points, y = np.arange(40.0), np.repeat([-1, 1], 20)
    >>> found = greedy_compression(abs(points[:, None] - points), y, delta=0.05)
    >>> len(found.members), found.mistakes, round(found.bound, 3)
    (2, 0, 0.296)
    """
    table = np.asarray(D, dtype=float)
    labels = np.asarray(y)
    check_labels(labels, len(table))
    check_table(table, K)
    starts = []
    for S in beginnings(table, labels):
        starts.append(_compression(table, labels, S, K, delta))
    starts.sort(key=attrgetter("bound"))

    ends = []
    for start in starts[:MOST_SEARCHES]:
        best = start
        while len(best.members) <= MOST_MEMBERS:
            neighbor = best_neighbor(table, labels, best.members, K, delta)
            if neighbor.bound >= best.bound:
                break
            best = neighbor
        ends.append(best)
    return min(ends, key=attrgetter("bound"))


def check_labels(y: LabelArray, n: int) -> None:
    """Theorem D, search: one label a row, -1 or +1, both at least once, and three
    instances or more.

    >>> check_labels(np.array([0, 1, 1]), 3)
    Traceback (most recent call last):
    ValueError: Theorem D needs the classes -1 and +1, got y with [0, 1]
    """
    if y.shape != (n,) or n < 3:
        raise ValueError(
            "Theorem D needs one label a row and at least 3 rows, "
            f"got {y.shape} labels and {n} rows"
        )
    classes = sorted(set(y.tolist()))
    if classes != [-1, 1]:
        raise ValueError(f"Theorem D needs the classes -1 and +1, got y with {classes}")


def check_table(D: Array, K: int) -> None:
    """Theorem D, search: a square table of distances that are not negative, and K >= 1.

    >>> check_table(np.array([[0.0, 1.0]]), 1)
    Traceback (most recent call last):
    ValueError: Theorem D needs a square table, got D of shape (1, 2)
    """
    if D.shape != (len(D), len(D)):
        raise ValueError(f"Theorem D needs a square table, got D of shape {D.shape}")
    if not (D >= 0).all():
        raise ValueError(f"Theorem D needs distances >= 0, got D with {D.min()}")
    if not K >= 1:
        raise ValueError(f"Theorem D needs K >= 1, got K={K}")
