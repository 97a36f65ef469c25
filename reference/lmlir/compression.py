r"""Theorem D: a bound on the error that says something, by compression.

The distance is fixed before the n instances are seen (its parameters come from other
data, or from nowhere), and so are K and delta. With probability at least 1 - delta over
the n independent instances, for *all* subsets S of them at once: if the classifier
built on S alone makes k mistakes on the other n - d instances, d = |S|, then its error
on new instances is at most the upper binomial limit for k of n - d at the level
$\delta / (n \binom nd)$.

The classifier depends on S only, so the others are new to it; a union bound over the n
possible sizes d = 0, ..., n - 1 and the $\binom nd$ subsets of each does the rest. So S
may be chosen in whatever way, with all n instances in view. What is *not* covered is a
choice between several distances, several K or several delta: m rules to choose from
cost a factor m, `rules`.

| here | |
|---|---|
| `D`, `y` | the table of distances between the n instances, their classes -1 and +1 |
| `S`, `d`, `k` | the instances that are kept, their number, mistakes on the others |
| `upper_binomial_limit` | the largest p under which k mistakes are likely enough |

No continuity, no triangle inequality, no dimension.
"""

from __future__ import annotations

import math
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainccinv

from lmlir.classifier import sum_k_min
from lmlir.continuity import packing_bound
from lmlir.distance import euclidean_distance
from lmlir.scalars import Indices, Labels, Matrix, Numbers, Scalar, Vectors, check_count

Array = NDArray[np.float64]
LabelArray = NDArray[np.int64]

MOST_MEMBERS = 12  # up to here the search adds, drops and exchanges members
MOST_CLUSTERS = 3  # medoids per class with which it begins
MOST_SEARCHES = 20  # beginnings that are followed


# ---------------------------------------------------------------------- binomial limits


def check_mistakes(k: int, n: int) -> None:
    """Theorem D: k mistakes of n instances, 0 <= k <= n.

    >>> check_mistakes(3, 2)
    Traceback (most recent call last):
    ValueError: Theorem D needs 0 <= k <= n, got k=3 and n=2
    """
    if not 0 <= k <= n:
        raise ValueError(f"Theorem D needs 0 <= k <= n, got k={k} and n={n}")


def binomial_tail(k: int, n: int, p: Scalar) -> Scalar:
    r"""Theorem D: $\sum_{j \le k} \binom nj p^j (1 - p)^{n - j}$, the chance of at most
    k mistakes of n at the error p.

    >>> binomial_tail(1, 2, 0.5)
    0.75
    """
    check_mistakes(k, n)
    total = 0
    for j in range(k + 1):
        chance = math.comb(n, j) * p**j * (1 - p) ** (n - j)
        total = total + chance
    return total


def upper_binomial_limit(k: int, n: int, level: float) -> float:
    r"""Theorem D: the largest p with `binomial_tail` $\ge$ level; 1 when all n are
    mistakes, or n = 0.

    By the quantile of the beta distribution: the tail is $1 - I_p(k + 1, n - k)$. Where
    scipy finds no number (tiny levels, whose limit is 1 up to rounding) it is 1.

    >>> upper_binomial_limit(0, 2, 0.25)
    0.5
    """
    check_mistakes(k, n)
    if not 0 <= level <= 1:
        raise ValueError(f"Theorem D needs 0 <= level <= 1, got level={level}")
    if k == n:
        return 1.0
    limit = float(betainccinv(k + 1, n - k, float(level)))
    return 1.0 if math.isnan(limit) else limit


def check_delta(delta: Scalar) -> None:
    """Theorem D: the probability delta of a failure lies between 0 and 1.

    >>> check_delta(1.5)
    Traceback (most recent call last):
    ValueError: Theorem D needs 0 < delta < 1, got delta=1.5
    """
    if not 0 < delta < 1:
        raise ValueError(f"Theorem D needs 0 < delta < 1, got delta={delta}")


def compression_level(
    n: int,
    d: int,
    delta: Scalar,
    rules: int = 1,
) -> Scalar:
    r"""Theorem D: $\delta / (m\, n \binom nd)$, what one subset of d of n instances may
    fail with, for m rules.

    Over all d from 0 to n - 1, all subsets and all rules these add up to delta. 0 where
    a float can hold no more.

    >>> compression_level(4, 2, 0.75)
    0.03125
    """
    if not 0 <= d < n:
        raise ValueError(f"Theorem D needs 0 <= d < n, got d={d} and n={n}")
    check_delta(delta)
    if not rules >= 1:
        raise ValueError(f"Theorem D needs rules >= 1, got rules={rules}")
    try:
        return delta / (rules * n * math.comb(n, d))
    except OverflowError:
        return 0.0


def compression_bound(
    k: int,
    n: int,
    d: int,
    delta: float,
    rules: int = 1,
) -> float:
    r"""Theorem D: the error of a classifier built on d of n instances that makes k
    mistakes on the other n - d.

    1 when no instance is left over.

    >>> round(compression_bound(k=6, n=409, d=2, delta=0.05), 3)
    0.084
    """
    if d == n:
        return 1.0
    level = compression_level(n, d, delta, rules)
    return upper_binomial_limit(k, n - d, level)


def larger_class_bound(k: int, n: int, delta: float) -> float:
    r"""Theorem D, to compare with: the error of the larger class for everybody, k of n
    being of the other.

    Two rules, fixed beforehand, all n instances new to both: the level is $\delta / 2$.

    >>> round(larger_class_bound(k=139, n=409, delta=0.05), 3)
    0.388
    """
    check_delta(delta)
    return upper_binomial_limit(k, n, delta / 2)


# ------------------------------------------------------------ the classifier on S alone


def compressed_prediction(
    to_minus: Numbers,
    to_plus: Numbers,
    K: int,
    tie: int = -1,
) -> int:
    r"""Theorem D: the sign of f of equation (10) on S alone, from the distances to its
    members of either class.

    With K no more than S allows: the smaller of K and the two classes' numbers in S; K
    = 1 is 1-NN. The only class when S has one; `tie` for f = 0 (choice C9) and for an
    empty S.

    >>> compressed_prediction([1.0, 3.0], [2.0], K=10)
    -1
    >>> compressed_prediction([], [2.0], K=1)
    1
    """
    if not to_minus and not to_plus:
        return tie
    if not to_plus:
        return -1
    if not to_minus:
        return 1
    K_S = min(K, len(to_minus), len(to_plus))
    f = sum_k_min(to_minus, K_S) / K_S - sum_k_min(to_plus, K_S) / K_S
    if f == 0:
        return tie
    return 1 if f > 0 else -1


def mistakes_outside(
    D: Matrix,
    y: Labels,
    S: Indices,
    K: int,
) -> int:
    r"""Theorem D: k, how many of the instances outside S the classifier built on S
    takes for the other class.

    >>> D = [[0, 1, 4, 5], [1, 0, 3, 4], [4, 3, 0, 1], [5, 4, 1, 0]]
    >>> mistakes_outside(D, [-1, -1, 1, 1], S=[0, 3], K=1)
    0
    >>> mistakes_outside(D, [-1, -1, 1, 1], S=[0], K=1)
    2
    """
    check_members(S, len(y))
    k = 0
    minus = [j for j in S if y[j] < 0]
    plus = [j for j in S if y[j] > 0]
    for i in range(len(y)):
        if i not in S:
            to_minus = [D[i][j] for j in minus]
            to_plus = [D[i][j] for j in plus]
            if compressed_prediction(to_minus, to_plus, K) != y[i]:
                k += 1
    return k


def check_members(S: Indices, n: int) -> None:
    """Theorem D: S names instances by their index, each once.

    >>> check_members([0, 0], 4)
    Traceback (most recent call last):
    ValueError: Theorem D needs different indices from 0 to 3 in S, got S=[0, 0]
    """
    are_different = len(set(S)) == len(S)
    are_in_range = all(0 <= i < n for i in S)
    if not are_different or not are_in_range:
        raise ValueError(
            f"Theorem D needs different indices from 0 to {n - 1} in S, got S={list(S)}"
        )


# --------------------------------------------------------------- when classes are apart


def separated_net(points: Vectors, gap: Scalar) -> list[int]:
    r"""Theorem D, nets: indices of points that are at least `gap` apart, so that every
    point is nearer than `gap` to one.

    In Euclidean distance. If opposite classes are at least g apart in D and
    $D \le \Lambda \|x - y\|$, a net of gap $g / \Lambda$ has k = 0 for K = 1: the net's
    point near x is nearer than g in D, so it has x's class, and no other class is
    nearer.

    >>> separated_net([[0], [1], [2], [5]], gap=2)
    [0, 2, 3]
    """
    if not gap > 0:
        raise ValueError(f"Theorem D needs gap > 0, got gap={gap}")
    net: list[int] = []
    for i, x in enumerate(points):
        if all(euclidean_distance(x, points[j]) >= gap for j in net):
            net.append(i)
    return net


def net_size_bound(
    diameter: float,
    F: int,
    g: float,
    Lambda: float,
) -> float:
    r"""Theorem D, nets: $d \le (1 + 2 \Lambda\,\mathrm{diam} / g)^F$, by a comparison
    of volumes.

    For small g the repaired Corollary 1 has 2F in place of F, because w(e) grows like
    the root of e.

    >>> net_size_bound(diameter=2.0, F=2, g=1.0, Lambda=1.0)
    25.0
    """
    if not g > 0:
        raise ValueError(f"Theorem D needs g > 0, got g={g}")
    return packing_bound(diameter, F, g, Lambda)


# ----------------------------------------------------------------------- a search for S


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
