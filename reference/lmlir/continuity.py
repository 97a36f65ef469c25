r"""Section 4.2: how fast f can change, as printed and as it is, and what that says about learning.

| here | in the paper |
|---|---|
| `lipschitz_quotient` | the quotient of Definition 9 at one pair of points |
| `printed_lipschitz_bound` | Lemma 1, false (errata E5, E6, E7) |
| `modulus_of_continuity` | what holds in place of Lemma 1: |D(x, z) - D(y, z)| for points x, y that are e apart |
| `shell_chord` | tau_s(e), the longest piece of a line in a shell of thickness e |
| `printed_learning_bound` | Corollary 1, equation (11), false (erratum E8) |
| `learning_bound` | the same with a margin, for functions of a given modulus |

D is not Lipschitz: where a segment touches a ball, gamma grows like a square root. The modulus below is sharp in its
exponent 1/2 and in its constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.linalg import sqrtm

from lmlir.distance import balls_are_disjoint, euclidean_distance
from lmlir.scalars import Matrix, Scalar, Vector, check_count, check_radius, check_regions, frobenius_norm, square_root

# f that moves by less than 2/16 between two points cannot shatter both at 1/16 (the scale of the cited theorem).
SHATTERING_GAP = 1 / 8


# --------------------------------------------------------------------------------- Definition 9, Propositions 3, 4


def lipschitz_quotient(f: Callable[[Vector], Scalar], x: Vector, y: Vector) -> Scalar:
    r"""Definition 9: $|f(x) - f(y)| / \|x - y\|$ at one pair; Lip(f) is its supremum over all pairs.

    >>> lipschitz_quotient(lambda x: 3 * x[0], [0.0], [2.0])
    3.0
    """
    gap = euclidean_distance(x, y)
    if gap == 0:
        raise ValueError(f"Definition 9 needs two different points, got x = y = {list(x)}")
    return abs(f(x) - f(y)) / gap


def sum_lipschitz_bound(L_f: Scalar, L_g: Scalar) -> Scalar:
    r"""Proposition 3(a): $\mathrm{Lip}(f + g) \le L_f + L_g$.

    >>> sum_lipschitz_bound(1, 2)
    3
    """
    return L_f + L_g


def difference_lipschitz_bound(L_f: Scalar, L_g: Scalar) -> Scalar:
    r"""Proposition 3(b): $\mathrm{Lip}(f - g) \le L_f + L_g$.

    >>> difference_lipschitz_bound(1, 2)
    3
    """
    return L_f + L_g


def scaled_lipschitz_bound(a: Scalar, L_f: Scalar) -> Scalar:
    r"""Proposition 3(c): $\mathrm{Lip}(a f) \le |a| L_f$.

    >>> scaled_lipschitz_bound(-2, 3)
    6
    """
    return abs(a) * L_f


def printed_sum_k_min_bound(L: Sequence[Scalar], K: int) -> Scalar:
    r"""Proposition 4, as printed: $\mathrm{Lip}(\mathrm{sumKmin}) \le K \max_k L_k$; true, but not sharp.

    >>> printed_sum_k_min_bound([1, 2, 5], K=2)
    10
    """
    check_count("K", K, len(L), "functions")
    return K * max(L)


def sum_k_min_lipschitz_bound(L: Sequence[Scalar], K: int) -> Scalar:
    r"""Proposition 4, sharp (erratum E13): the sum of the K largest $L_k$.

    >>> sum_k_min_lipschitz_bound([1, 2, 5], K=2)
    7
    """
    check_count("K", K, len(L), "functions")
    return sum(sorted(L, reverse=True)[:K])


# ------------------------------------------------------------------------------------------------------- Lemma 1


def printed_distance_lipschitz_bound(local_metrics: Sequence[Matrix], background_metric: Matrix) -> Scalar:
    r"""Lemma 1, its second step, as printed: $\mathrm{Lip}(D) \le \sum_s \|M(A_s)\|_F + \|M(B)\|_F$. False (E5, E6, E7).

    >>> printed_distance_lipschitz_bound([[[4.0]]], [[1.0]])
    5.0
    """
    total = frobenius_norm(background_metric)
    for local_metric in local_metrics:
        total = total + frobenius_norm(local_metric)
    return total


def printed_lipschitz_bound(local_metrics: Sequence[Matrix], background_metric: Matrix) -> Scalar:
    r"""Lemma 1, as printed: $\mathrm{Lip}(f) \le 2 (\sum_s \|M(A_s)\|_F + \|M(B)\|_F)$. False (E5, E6, E7).

    >>> printed_lipschitz_bound([[[4.0]]], [[1.0]])
    10.0
    """
    return 2 * printed_distance_lipschitz_bound(local_metrics, background_metric)


# --------------------------------------------------------------------------------- the theorem in place of Lemma 1


def spectral_scale(M: Matrix) -> Scalar:
    r"""Erratum E5: $s(M) = \sqrt{\lambda_{\max}(M)}$, the Lipschitz constant of $d_M(\cdot, x_k)$.

    Exact in any number type for diagonal matrices, else by numpy.

    >>> spectral_scale([[4, 0], [0, 9]])
    3.0
    """
    if is_diagonal(M):
        return square_root(max(M[f][f] for f in range(len(M))))
    largest = float(np.linalg.eigvalsh(np.array([[float(entry) for entry in row] for row in M]))[-1])
    return math.sqrt(max(largest, 0.0))


def is_diagonal(M: Matrix) -> bool:
    """Erratum E5: whether every entry off the diagonal is 0, so that the eigenvalues can be read off.

    >>> is_diagonal([[4, 0], [0, 9]]), is_diagonal([[1, 1], [1, 1]])
    (True, False)
    """
    return all(M[row][column] == 0 for row in range(len(M)) for column in range(len(M)) if row != column)


def scale_difference(M: Matrix, N: Matrix) -> Scalar:
    r"""Lemma 1, replaced: an upper bound of $\sup_{\|u\| = 1} |n_M(u) - n_N(u)|$ for two metrics.

    $\|M^{1/2} - N^{1/2}\|_2$, because $|\,\|Pu\| - \|Qu\|\,| \le \|(P - Q)u\|$; equal to the supremum when the metrics
    commute; never more than the larger of the two scales.

    >>> scale_difference([[4, 0], [0, 1]], [[1, 0], [0, 1]])
    1.0
    """
    if is_diagonal(M) and is_diagonal(N):
        return max(abs(square_root(M[f][f]) - square_root(N[f][f])) for f in range(len(M)))
    roots = [np.real(sqrtm(np.array([[float(entry) for entry in row] for row in matrix]))) for matrix in (M, N)]
    return min(float(np.linalg.norm(roots[0] - roots[1], 2)), max(spectral_scale(M), spectral_scale(N)))


def shell_piece(radius: Scalar, e: Scalar, h: Scalar) -> Scalar:
    r"""Lemma 1, replaced, step 1: the length of a line's part between the spheres of radius r - e and r.

    The line passes the center at distance h <= r; $2 (\sqrt{r^2 - h^2} - \sqrt{\max((r - e)_+^2 - h^2, 0)})$.

    >>> shell_piece(5, 1, h=3)
    2.7084973778708186
    """
    inner = max(radius - e, 0)
    return 2 * (square_root(radius**2 - h**2) - square_root(max(inner**2 - h**2, 0)))


def shell_chord(radius: Scalar, e: Scalar) -> Scalar:
    r"""Lemma 1, replaced: $\tau(e) = 2 \sqrt{r^2 - \max(r - e, 0)^2}$, the longest `shell_piece`, reached at h = r - e.

    >>> shell_chord(5, 2)
    8.0
    """
    check_radius(radius)
    check_gap(e)
    inner = max(radius - e, 0)
    return 2 * square_root(radius * radius - inner * inner)


def check_gap(e: Scalar) -> None:
    """Lemma 1, replaced: the distance e = |x - y| is not negative.

    >>> check_gap(-1)
    Traceback (most recent call last):
    ValueError: the modulus of continuity needs e >= 0, got e=-1
    """
    if not e >= 0:
        raise ValueError(f"the modulus of continuity needs e >= 0, got e={e}")


def overlapping_scale(centers: Sequence[Vector], radii: Sequence[Scalar], local_metrics: Sequence[Matrix]) -> Scalar:
    r"""Lemma 1, replaced: no point lies in balls whose $s(M(A_s))$ sum to more than this: the largest sum over a ball
    and those that meet it; 0 without balls.

    >>> overlapping_scale([[0], [1], [9]], [1, 1, 1], [[[4]], [[9]], [[16]]])
    5.0
    """
    check_regions(centers, radii, local_metrics)
    scales = [spectral_scale(local_metric) for local_metric in local_metrics]
    largest: Scalar = 0
    for s in range(len(centers)):
        meeting = [
            scales[t]
            for t in range(len(centers))
            if t == s or not balls_are_disjoint([centers[s], centers[t]], [radii[s], radii[t]])
        ]
        largest = max(largest, sum(meeting))
    return largest


def modulus_of_continuity(
    e: Scalar,
    centers: Sequence[Vector],
    radii: Sequence[Scalar],
    local_metrics: Sequence[Matrix],
    background_metric: Matrix,
    exact: bool = True,
) -> Scalar:
    r"""Lemma 1, replaced: $|D(x, z) - D(y, z)| \le \Lambda e + \sum_s \kappa_s \tau_s(e)$ whenever $\|x - y\| \le e$.

    $\kappa_s = \max(s(M(A_s)), s(M(B)))$, $\Lambda = \max(s(M(B)), \sum s(M(A_s)))$, the sum over balls that can share a
    point (`overlapping_scale`). It holds for both kinds of gamma_b; `exact=False` is only for the approximate one, and
    then $\kappa_s = \max(s(M(A_s)), \sup_u |n_s(u) - n_B(u)|)$, which is less where M(A_s) is smaller than M(B).

    >>> modulus_of_continuity(2, [[0.0, 0.0]], [5], [[[4, 0], [0, 4]]], [[1, 0], [0, 1]])
    20.0
    """
    background = spectral_scale(background_metric)
    total = max(background, overlapping_scale(centers, radii, local_metrics)) * e
    for radius, local_metric in zip(radii, local_metrics, strict=True):
        other = background if exact else scale_difference(local_metric, background_metric)
        total = total + max(spectral_scale(local_metric), other) * shell_chord(radius, e)
    return total


def modulus_of_continuity_disjoint(
    e: Scalar,
    centers: Sequence[Vector],
    radii: Sequence[Scalar],
    local_metrics: Sequence[Matrix],
    background_metric: Matrix,
) -> Scalar:
    r"""Lemma 1, replaced, for disjoint balls: $\kappa_s = \sup_u |n_s(u) - n_B(u)|$, $\Lambda = \max$ of all $s(M)$.

    >>> modulus_of_continuity_disjoint(2, [[0.0, 0.0]], [5], [[[4, 0], [0, 4]]], [[1, 0], [0, 1]])
    12.0
    """
    check_regions(centers, radii, local_metrics)
    if not balls_are_disjoint(centers, radii):
        raise ValueError("the disjoint modulus needs balls that do not overlap; modulus_of_continuity is for all")
    scales = [spectral_scale(background_metric)] + [spectral_scale(local_metric) for local_metric in local_metrics]
    total = max(scales) * e
    for radius, local_metric in zip(radii, local_metrics, strict=True):
        total = total + scale_difference(local_metric, background_metric) * shell_chord(radius, e)
    return total


def decision_modulus(
    e: Scalar,
    centers: Sequence[Vector],
    radii: Sequence[Scalar],
    local_metrics: Sequence[Matrix],
    background_metric: Matrix,
) -> Scalar:
    r"""Lemma 1, replaced, for f: $|f(x) - f(y)| \le w(e)$, twice the modulus of D (Propositions 3 and 4).

    The sharpest one that applies: that for disjoint balls, or else that for the approximate gamma_b, which f uses.

    >>> decision_modulus(2, [[0.0, 0.0]], [5], [[[4, 0], [0, 4]]], [[1, 0], [0, 1]])
    24.0
    """
    Theta = (centers, radii, local_metrics, background_metric)
    if balls_are_disjoint(centers, radii):
        return 2 * modulus_of_continuity_disjoint(e, *Theta)
    return 2 * modulus_of_continuity(e, *Theta, exact=False)


# ---------------------------------------------------------------------------------------------------- Corollary 1


def printed_capacity(
    local_metrics: Sequence[Matrix], background_metric: Matrix, diameter: Scalar, doubling_dimension: Scalar
) -> Scalar:
    r"""Corollary 1, c, as printed: $(16 (\sum_s \|M(A_s)\|_F + \|M(B)\|_F) \, \mathrm{diam})^{\mathrm{ddim} + 1}$.

    >>> printed_capacity([], [[0.5]], diameter=2, doubling_dimension=1)
    256.0
    """
    return (16 * printed_distance_lipschitz_bound(local_metrics, background_metric) * diameter) ** (
        doubling_dimension + 1
    )


def deviation_term(n: int, delta: float, c: float) -> float:
    r"""Equation (11): $\sqrt{\frac2n (c \log_2(34 e n / c) \log_2(578 n) + \log_2(4 / \delta))}$.

    >>> round(deviation_term(n=10**6, delta=0.05, c=2), 3)
    0.055
    """
    if not n >= 1:
        raise ValueError(f"equation (11) needs n >= 1, got n={n}")
    if not 0 < delta < 1:
        raise ValueError(f"equation (11) needs 0 < delta < 1, got delta={delta}")
    if not c > 0:
        raise ValueError(f"equation (11) needs c > 0, got c={c}")
    capacity = c * math.log2(34 * math.e * n / c) * math.log2(578 * n)
    return math.sqrt(max(2 / n * (capacity + math.log2(4 / delta)), 0.0))


def printed_learning_bound(k: int, n: int, delta: float, c: float) -> float:
    r"""Corollary 1, equation (11), as printed: error $\le \frac kn$ + the deviation, k the wrong signs. False (E8).

    >>> round(printed_learning_bound(k=0, n=1000, delta=0.05, c=1e-9), 3)
    0.112
    """
    return k / n + deviation_term(n, delta, c)


def inverse_decision_modulus(
    target: float,
    centers: Sequence[Vector],
    radii: Sequence[Scalar],
    local_metrics: Sequence[Matrix],
    background_metric: Matrix,
) -> float:
    r"""Corollary 1, repaired: the largest e with $w(e) \le$ target, from below by bisection; infinite if all e do.

    >>> inverse_decision_modulus(4.0, [], [], [], background_metric=[[1.0]])
    2.0
    """
    Theta = (centers, radii, local_metrics, background_metric)
    low, high = 0.0, 1.0
    while decision_modulus(high, *Theta) <= target:
        low, high = high, 2 * high
        if math.isinf(high):
            return math.inf
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if decision_modulus(middle, *Theta) <= target else (low, middle)
    return low


def repaired_capacity(
    diameter: float,
    F: int,
    margin: float,
    centers: Sequence[Vector],
    radii: Sequence[Scalar],
    local_metrics: Sequence[Matrix],
    background_metric: Matrix,
) -> float:
    r"""Corollary 1, c, repaired: $(1 + 2\,\mathrm{diam} / w^{-1}(\mathrm{margin}/8))^F$ bounds the fat-shattering dimension.

    Points that functions of modulus w shatter at margin/16 lie at least $w^{-1}(\mathrm{margin}/8)$ apart; the balls of
    half that radius around them are disjoint and fit into one of radius diam + half: count volumes.

    >>> repaired_capacity(2.0, 1, 16.0, [], [], [], background_metric=[[1.0]])
    5.0
    """
    if not margin > 0:
        raise ValueError(f"Corollary 1 needs margin > 0, got margin={margin}")
    if not 0 <= diameter < math.inf:
        raise ValueError(f"Corollary 1 needs a finite diameter >= 0, got diameter={diameter}")
    apart = inverse_decision_modulus(margin * SHATTERING_GAP, centers, radii, local_metrics, background_metric)
    try:
        return float((1 + 2 * diameter / apart) ** F)
    except OverflowError:
        return math.inf


def learning_bound(k: int, n: int, delta: float, c: float) -> float:
    r"""Corollary 1, repaired: error $\le \frac kn$ + the deviation, k the instances with $y f(x) <$ margin; at most 1.

    The deviation falls for c > 34 n, where it means nothing; there the bound is the trivial 1.

    >>> learning_bound(k=10, n=100, delta=0.05, c=5000.0)
    1.0
    >>> round(learning_bound(k=0, n=10**6, delta=0.05, c=5), 3)
    0.084
    """
    if c > 34 * n:
        return 1.0
    return min(k / n + deviation_term(n, delta, c), 1.0)
