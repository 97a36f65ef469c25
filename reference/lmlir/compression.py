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

from scipy.special import betainccinv

from lmlir.classifier import sum_k_min
from lmlir.continuity import packing_bound
from lmlir.distance import euclidean_distance
from lmlir.scalars import Indices, Labels, Matrix, Numbers, Scalar, Vectors

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
