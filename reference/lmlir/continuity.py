r"""Section 4.2: how fast f can change, as printed and as it is, and what that says
about learning.

| here | in the paper |
|---|---|
| `lipschitz_quotient` | the quotient of Definition 9 at one pair of points |
| `printed_lipschitz_bound` | Lemma 1, false (errata E5, E6, E7) |
| `modulus_of_continuity` | Theorem A (not Lemma 1): how far D changes over a length e |
| `spectral_scale` | s(M), the largest length of a unit vector |
| `scale_difference` | the largest |n_M(u) - n_N(u)| over unit vectors u |
| `shell_chord` | tau_s(e), the longest piece of a line in a shell of thickness e |
| `printed_learning_bound` | Corollary 1, equation (11), false (erratum E8) |
| `learning_bound` | the same with a margin, for functions of a given modulus |

D is not Lipschitz: where a segment touches a ball, gamma grows like a square root. So
no modulus has a larger exponent than 1/2; which of its constants are best possible, and
for which metrics, is proved in `proofs/exact_modulus.py`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from lmlir.distance import balls_are_disjoint, euclidean_distance
from lmlir.regions import is_diagonal, metric_array
from lmlir.scalars import (
    Matrix,
    Metrics,
    Numbers,
    Scalar,
    Vector,
    Vectors,
    check_count,
    check_radius,
    check_regions,
    diagonal,
    frobenius_norm,
    identity_matrix,
    scaled_matrix,
    square_root,
)

EPSILON = sys.float_info.epsilon
Constants = tuple[Scalar, list[Scalar]]  # Lambda, and kappa_s of every region
SEARCH_PRECISION = 1e-9  # of `largest_excess`, relative to its result
MAX_INTERVALS = 10_000  # of its search; about a hundred are usual

# f that moves by less than 2/16 between two points cannot shatter both at 1/16 (the
# scale of the theorem behind (11)).
SHATTERING_GAP = 1 / 8


# ------------------------------------------------------ Definition 9, Propositions 3, 4


def lipschitz_quotient(f: Callable[[Vector], Scalar], x: Vector, y: Vector) -> Scalar:
    r"""Definition 9: $|f(x) - f(y)| / \|x - y\|$ at one pair; Lip(f) is its supremum
    over all pairs.

    >>> lipschitz_quotient(lambda x: 3 * x[0], [0.0], [2.0])
    3.0
    """
    gap = euclidean_distance(x, y)
    if gap == 0:
        raise ValueError(
            f"Definition 9 needs two different points, got x = y = {list(x)}"
        )
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


def printed_sum_k_min_bound(L: Numbers, K: int) -> Scalar:
    r"""Proposition 4, as printed: $\mathrm{Lip}(\mathrm{sumKmin}) \le K \max_k L_k$;
    true, but not sharp.

    >>> printed_sum_k_min_bound([1, 2, 5], K=2)
    10
    """
    check_count("K", K, len(L), "functions")
    return K * max(L)


def sum_k_min_lipschitz_bound(L: Numbers, K: int) -> Scalar:
    r"""Proposition 4, sharp (erratum E13): the sum of the K largest $L_k$.

    >>> sum_k_min_lipschitz_bound([1, 2, 5], K=2)
    7
    """
    check_count("K", K, len(L), "functions")
    return sum(sorted(L, reverse=True)[:K])


# ------------------------------------------------------------------------------ Lemma 1


def printed_distance_lipschitz_bound(
    local_metrics: Metrics, background_metric: Matrix
) -> Scalar:
    r"""Lemma 1, its second step, as printed:
    $\mathrm{Lip}(D) \le \sum_s \|M(A_s)\|_F + \|M(B)\|_F$. False (E5, E6, E7).

    >>> printed_distance_lipschitz_bound([[[4.0]]], [[1.0]])
    5.0
    """
    total = frobenius_norm(background_metric)
    for local_metric in local_metrics:
        total = total + frobenius_norm(local_metric)
    return total


def printed_lipschitz_bound(
    local_metrics: Metrics, background_metric: Matrix
) -> Scalar:
    r"""Lemma 1, as printed: $\mathrm{Lip}(f) \le 2 (\sum_s \|M(A_s)\|_F + \|M(B)\|_F)$.

    False (E5, E6, E7).

    >>> printed_lipschitz_bound([[[4.0]]], [[1.0]])
    10.0
    """
    return 2 * printed_distance_lipschitz_bound(local_metrics, background_metric)


# -------------------------------------------------------- Theorem A, instead of Lemma 1


def spectral_scale(M: Matrix) -> Scalar:
    r"""Erratum E5: $s(M) = \sqrt{\lambda_{\max}(M)}$, the Lipschitz constant of
    $d_M(\cdot, x_k)$.

    Exact in any number type for diagonal matrices, else by numpy.

    >>> spectral_scale([[4, 0], [0, 9]])
    3.0
    """
    if is_diagonal(M):
        return square_root(max(diagonal(M)))
    largest = largest_eigenvalue(metric_array(M))
    return math.sqrt(max(largest, 0.0))


def scale_difference(M: Matrix, N: Matrix) -> Scalar:
    r"""Theorem A, kappa_s: $\sup_{\|u\| = 1} |n_M(u) - n_N(u)|$, how far two metrics
    disagree on a unit vector.

    The larger of the two one-sided suprema, `largest_excess`. Exact in any number type
    for diagonal matrices, else by numpy and rounded upwards, by about 1e-7 of the
    larger scale. Never above numpy's larger scale, nor above its $\sqrt{\|M - N\|_2}$,
    because $|\sqrt a - \sqrt b| \le \sqrt{|a - b|}$; so it is 0 for equal metrics.

    >>> scale_difference([[4, 0], [0, 1]], [[1, 0], [0, 1]])
    1.0
    >>> largest = scale_difference([[1, 1], [1, 1]], [[1, 0], [0, 0]])
    >>> round(largest, 6)  # of |u_1 + u_2| - |u_1|: at (0, 1)
    1.0
    """
    if len(M) != len(N):
        raise ValueError(
            f"two metrics must have one dimension, got {len(M)} and {len(N)}"
        )
    if is_diagonal(M) and is_diagonal(N):
        differences = []
        for M_ff, N_ff in zip(diagonal(M), diagonal(N), strict=True):
            differences.append(abs(square_root(M_ff) - square_root(N_ff)))
        return max(differences)
    M_array = metric_array(M)
    N_array = metric_array(N)
    one_sided = [largest_excess(M_array, N_array), largest_excess(N_array, M_array)]
    scales = [spectral_scale(M), spectral_scale(N)]
    above = largest_eigenvalue(M_array - N_array)
    below = largest_eigenvalue(N_array - M_array)
    spectral_norm = max(above, below, 0.0)
    return min(max(one_sided), max(scales), math.sqrt(spectral_norm))


def largest_excess(M: Any, N: Any) -> float:
    r"""Theorem A, kappa_s, one side: $\sup_{\|u\| = 1} \max(n_M(u) - n_N(u), 0)$,
    rounded upwards.

    $(\sqrt a - \sqrt b)^2 - (1 - q)(a - b / q) = (\sqrt{qa} - \sqrt{b / q})^2$ is 0 at
    $q = \sqrt{b / a}$, so the square of the supremum is
    $\sup_{0 < q < 1} (1 - q) \lambda_{\max}(M - N / q)$. With $q = e^x$ the bracket is
    concave in x for every u and lies below its tangents; between x - h and x + h no
    value is above the two ends of the tangent at x. Intervals that could still hold
    more than the largest value found are halved; infinite if they get too many.

    >>> round(largest_excess(metric_array([[4]]), metric_array([[1]])), 6)
    1.0
    """
    F = len(M)
    size = max(largest_eigenvalue(M), largest_eigenvalue(N)) or 1.0
    # N / q could leave the range of floats
    M = M / size
    N = N / size
    # Eigenvalues err by a few F roundings of the norm. N is raised by as much, so that
    # what is computed belongs to some positive N' between N and N + 2 rounding: then
    # n_N is off by at most `slack`, and q below `smallest` is not needed.
    rounding = 4 * F * EPSILON
    N = N + scaled_matrix(rounding, identity_matrix(F))
    slack = math.sqrt(2 * rounding)
    smallest = math.sqrt(rounding)

    square = 0.0  # of the supremum: the largest value yet
    half = -math.log(smallest) / 2  # of the length of an interval
    middles = [-half]
    while 0 < len(middles) < MAX_INTERVALS:
        remaining = []
        for x in middles:
            q = math.exp(x)
            value = (1 - q) * largest_eigenvalue(M - N / q)
            square = max(square, value)
            bound = math.sqrt(square) * (1 + SEARCH_PRECISION) + slack
            left = (1 - q * (1 - half)) * M + (1 - (1 + half) / q) * N
            right = (1 - q * (1 + half)) * M + (1 - (1 - half) / q) * N
            highest = max(largest_eigenvalue(left), largest_eigenvalue(right))
            if highest > bound**2:
                remaining.append(x)
        half = half / 2
        middles = []
        for x in remaining:
            middles.append(x - half)
            middles.append(x + half)
    if middles:
        return math.inf
    excess = math.sqrt(square) * (1 + SEARCH_PRECISION) + 2 * slack
    return math.sqrt(size) * excess


def largest_eigenvalue(M: Any) -> float:
    """Erratum E5: the largest eigenvalue of a symmetric matrix, by numpy.

    >>> largest_eigenvalue([[2.0, 0.0], [0.0, 3.0]])
    3.0
    """
    import numpy as np

    return float(np.linalg.eigvalsh(M)[-1])


def shell_piece(radius: Scalar, e: Scalar, h: Scalar) -> Scalar:
    r"""Theorem A, step 1: the length of a line's part between the spheres of radius r -
    e and r.

    The line passes the center at distance h <= r;
    $2 (\sqrt{r^2 - h^2} - \sqrt{\max((r - e)_+^2 - h^2, 0)})$.

    >>> shell_piece(5, 1, h=3)
    2.7084973778708186
    """
    inner = max(radius - e, 0)
    outer_half = square_root(radius**2 - h**2)
    inner_half = square_root(max(inner**2 - h**2, 0))
    return 2 * (outer_half - inner_half)


def shell_chord(radius: Scalar, e: Scalar) -> Scalar:
    r"""Theorem A, tau_s: $\tau(e) = 2 \sqrt{e (2r - e)}$ for e <= r, else 2r: the
    longest `shell_piece`, at h = r - e.

    It is $2 \sqrt{r^2 - \max(r - e, 0)^2}$ without the difference of nearly equal
    squares.

    >>> shell_chord(5, 2), shell_chord(5, 7)
    (8.0, 10)
    """
    check_radius(radius)
    if not e >= 0:
        raise ValueError(f"a shell needs e >= 0, got e={e}")
    if e >= radius:
        return 2 * radius
    product = e * (2 * radius - e)
    if isinstance(product, float):
        # the product itself may leave the range of floats
        return 2 * math.sqrt(e) * math.sqrt(2 * radius - e)
    return 2 * square_root(product)


def overlapping_scale(
    centers: Vectors, radii: Numbers, local_metrics: Metrics
) -> Scalar:
    r"""Theorem A, Lambda: no point lies in balls whose $s(M(A_s))$ sum to more than
    this; 0 without balls.

    It is the largest sum over a ball and the later ones that meet it: of the balls
    around one point, the first in the list meets all others.

    >>> overlapping_scale([[0], [1], [9]], [1, 1, 1], [[[4]], [[9]], [[16]]])
    5.0
    """
    check_regions(centers, radii, local_metrics)
    largest = 0
    for s in range(len(centers)):
        total = spectral_scale(local_metrics[s])
        for t in range(s + 1, len(centers)):
            both = ([centers[s], centers[t]], [radii[s], radii[t]])
            if not balls_are_disjoint(*both):
                total = total + spectral_scale(local_metrics[t])
        largest = max(largest, total)
    return largest


def overlap_constants(
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Constants:
    r"""Theorem A: $\Lambda = \max(s(M(B)), \sum s(M(A_s)))$, where the sum is that of
    `overlapping_scale`, and all
    $\kappa_s = \max(s(M(A_s)), \sup_u |n_s(u) - n_B(u)|)$.

    $s(M)$ is the greatest length of a unit vector u under M, and $n_s(u)$, $n_B(u)$ are
    its lengths under $M(A_s)$ and M(B).

    >>> overlap_constants([[0]], [5], [[[1]]], background_metric=[[9]])
    (3.0, [2.0])
    """
    overlapping = overlapping_scale(centers, radii, local_metrics)
    Lambda = max(spectral_scale(background_metric), overlapping)
    kappa = []
    for local_metric in local_metrics:
        difference = scale_difference(local_metric, background_metric)
        kappa.append(max(spectral_scale(local_metric), difference))
    return Lambda, kappa


def disjoint_constants(
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Constants:
    r"""Theorem A, for disjoint balls: $\Lambda$ is the largest $s(M)$ of all metrics,
    and $\kappa_s = \sup_u |n_s(u) - n_B(u)|$ over unit vectors u.

    >>> disjoint_constants([[0]], [5], [[[1]]], background_metric=[[4]])
    (2.0, [1.0])
    """
    check_regions(centers, radii, local_metrics)
    if not balls_are_disjoint(centers, radii):
        raise ValueError(
            "the disjoint modulus needs balls that do not overlap; "
            "modulus_of_continuity is for all"
        )
    scales = [spectral_scale(metric) for metric in (background_metric, *local_metrics)]
    kappa = []
    for local_metric in local_metrics:
        kappa.append(scale_difference(local_metric, background_metric))
    return max(scales), kappa


def decision_constants(
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Constants:
    r"""Theorem A, for f: Lambda and the smaller kappa_s of disjoint balls where they
    are disjoint.

    >>> decision_constants([[0], [9]], [1, 1], [[[4]], [[1]]], background_metric=[[1]])
    (2.0, [1.0, 0.0])
    >>> decision_constants([[0], [1]], [1, 1], [[[4]], [[1]]], background_metric=[[1]])
    (3.0, [2.0, 1.0])
    """
    Theta = (centers, radii, local_metrics, background_metric)
    if balls_are_disjoint(centers, radii):
        return disjoint_constants(*Theta)
    return overlap_constants(*Theta)


def summed_modulus(
    e: Scalar,
    Lambda: Scalar,
    kappa: Numbers,
    radii: Numbers,
) -> Scalar:
    r"""Theorem A, right side: $\Lambda e + \sum_s \kappa_s \tau_s(e)$ of given
    constants.

    >>> summed_modulus(2, Lambda=3, kappa=[1], radii=[5])
    14.0
    """
    if not e >= 0:
        raise ValueError(f"the modulus of continuity needs e >= 0, got e={e}")
    total = Lambda * e
    for kappa_s, radius in zip(kappa, radii, strict=True):
        total = total + kappa_s * shell_chord(radius, e)
    return total


def modulus_of_continuity(
    e: Scalar,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Scalar:
    r"""Theorem A: $|D(x, z) - D(y, z)| \le \Lambda e + \sum_s \kappa_s \tau_s(e)$
    whenever $\|x - y\| \le e$.

    It holds for both kinds of gamma_b; Lambda and kappa_s are the `overlap_constants`.

    >>> modulus_of_continuity(
    ...     2, [[0.0, 0.0]], [5], [[[4, 0], [0, 4]]], [[1, 0], [0, 1]]
    ... )
    20.0
    """
    Theta = (centers, radii, local_metrics, background_metric)
    Lambda, kappa = overlap_constants(*Theta)
    return summed_modulus(e, Lambda, kappa, radii)


def modulus_of_continuity_disjoint(
    e: Scalar,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Scalar:
    r"""Theorem A, for disjoint balls: $\Lambda e + \sum_s \kappa_s \tau_s(e)$ with the
    `disjoint_constants`.

    >>> modulus_of_continuity_disjoint(
    ...     2, [[0.0, 0.0]], [5], [[[4, 0], [0, 4]]], [[1, 0], [0, 1]]
    ... )
    12.0
    """
    Theta = (centers, radii, local_metrics, background_metric)
    Lambda, kappa = disjoint_constants(*Theta)
    return summed_modulus(e, Lambda, kappa, radii)


def decision_modulus(
    e: Scalar,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Scalar:
    r"""Theorem A, for f: $|f(x) - f(y)| \le w(e)$, twice the modulus of D with the
    `decision_constants`.

    >>> decision_modulus(2, [[0.0, 0.0]], [5], [[[4, 0], [0, 4]]], [[1, 0], [0, 1]])
    24.0
    """
    Theta = (centers, radii, local_metrics, background_metric)
    Lambda, kappa = decision_constants(*Theta)
    return 2 * summed_modulus(e, Lambda, kappa, radii)


# -------------------------------------------------------------------------- Corollary 1


def printed_capacity(
    local_metrics: Metrics,
    background_metric: Matrix,
    diameter: Scalar,
    doubling_dimension: Scalar,
) -> Scalar:
    r"""Corollary 1, c, as printed:
    $(16 (\sum_s \|M(A_s)\|_F + \|M(B)\|_F) \, \mathrm{diam})^{\mathrm{ddim} + 1}$.

    >>> printed_capacity([], [[0.5]], diameter=2, doubling_dimension=1)
    256.0
    """
    scales = printed_distance_lipschitz_bound(local_metrics, background_metric)
    return (16 * scales * diameter) ** (doubling_dimension + 1)


def printed_deviation_term(n: int, delta: float, c: float) -> float:
    r"""Equation (11), as printed:
    $\sqrt{\frac2n (c \log_2(34 e n / c) \log_2(578 n) + \log_2(4 / \delta))}$.

    Larger than the `deviation_term` of its source by the factor
    $1 / \sqrt{\ln 2} = 1.2$ (erratum E33).

    >>> round(printed_deviation_term(n=10**6, delta=0.05, c=2), 3)
    0.055
    """
    _check_capacity(n, delta, c)
    capacity = c * math.log2(34 * math.e * n / c) * math.log2(578 * n)
    confidence = math.log2(4 / delta)
    return math.sqrt(2 / n * (capacity + confidence))


def deviation_term(n: int, delta: float, c: float) -> float:
    r"""Erratum E33:
    $\sqrt{\frac2n (c \ln(34 e n / c) \log_2(578 n) + \ln(4 / \delta))}$, the source of
    equation (11).

    >>> round(deviation_term(n=10**6, delta=0.05, c=2), 3)
    0.045
    """
    _check_capacity(n, delta, c)
    capacity = c * math.log(34 * math.e * n / c) * math.log2(578 * n)
    confidence = math.log(4 / delta)
    return math.sqrt(2 / n * (capacity + confidence))


def _check_capacity(n: int, delta: float, c: float) -> None:
    """Equation (11): 0 < c <= 34 n, the range in which it grows with c; and a sample
    that has a meaning.
    """
    _check_sample(0, n, delta)
    if not 0 < c <= 34 * n:
        raise ValueError(
            "equation (11) needs 0 < c <= 34 n, beyond which it falls with c, "
            f"got c={c}, n={n}"
        )


def _check_sample(k: int, n: int, delta: float) -> None:
    """Equation (11): k of n >= 1 instances are counted as wrong, and 0 < delta < 1."""
    if not 1 <= n < math.inf:
        raise ValueError(f"equation (11) needs n >= 1, got n={n}")
    if not 0 <= k <= n:
        raise ValueError(f"equation (11) needs 0 <= k <= n, got k={k} and n={n}")
    if not 0 < delta < 1:
        raise ValueError(f"equation (11) needs 0 < delta < 1, got delta={delta}")


def printed_learning_bound(
    k: int,
    n: int,
    delta: float,
    c: float,
) -> float:
    r"""Corollary 1, equation (11), as printed: error $\le \frac kn$ + the printed
    deviation, k the wrong signs. False (E8).

    >>> round(printed_learning_bound(k=0, n=1000, delta=0.05, c=1e-9), 3)
    0.112
    """
    _check_sample(k, n, delta)
    return k / n + printed_deviation_term(n, delta, c)


def inverse_decision_modulus(
    target: float,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> float:
    r"""Corollary 1, repaired: the largest e with $w(e) \le$ target, found by bisection
    and rounded down; infinite if that holds for every e.

    >>> inverse_decision_modulus(4.0, [], [], [], background_metric=[[1.0]])
    2.0
    """
    Lambda, kappa = decision_constants(centers, radii, local_metrics, background_metric)

    def w(e: float) -> float:
        """The modulus of a decision value, which is a difference of two distances."""
        return 2 * summed_modulus(e, Lambda, kappa, radii)

    low = 0.0
    high = 1.0
    while w(high) <= target:
        low = high
        high = 2 * high
        if math.isinf(high):
            return math.inf
    middle = (low + high) / 2
    while low < middle < high:
        if w(middle) <= target:
            low = middle
        else:
            high = middle
        middle = (low + high) / 2
    return low


def packing_bound(
    diameter: float,
    F: int,
    apart: float,
    Lambda: float = 1.0,
) -> float:
    r"""Corollary 1, c, repaired: $(1 + 2 \Lambda\,\mathrm{diam} / \mathrm{apart})^F$
    bounds how many points lie that far apart.

    Their distances, at most $\Lambda \|x - y\|$, are `apart` or more. So the Euclidean
    balls of half the radius $\mathrm{apart} / \Lambda$ around them are disjoint and fit
    into one of radius diam + half: count volumes.

    >>> packing_bound(diameter=2.0, F=2, apart=4.0, Lambda=3.0)
    16.0
    """
    if not 0 <= diameter < math.inf:
        raise ValueError(
            "a comparison of volumes needs a finite diameter >= 0, "
            f"got diameter={diameter}"
        )
    if not 0 <= Lambda < math.inf:
        raise ValueError(
            f"a comparison of volumes needs a finite Lambda >= 0, got Lambda={Lambda}"
        )
    if not F >= 1:
        raise ValueError(f"a comparison of volumes needs F >= 1, got F={F}")
    try:
        return float((1 + 2 * Lambda * diameter / apart) ** F)
    except (OverflowError, ZeroDivisionError):
        return math.inf


def repaired_capacity(
    diameter: float,
    F: int,
    margin: float,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> float:
    r"""Corollary 1, c, repaired: $(1 + 2\,\mathrm{diam} / w^{-1}(\mathrm{margin}/8))^F$
    bounds the fat-shattering dimension.

    Points that functions of modulus w shatter at margin/16 lie at least
    $w^{-1}(\mathrm{margin}/8)$ apart.

    >>> repaired_capacity(2.0, 1, 16.0, [], [], [], background_metric=[[1.0]])
    5.0
    """
    if not margin > 0:
        raise ValueError(f"Corollary 1 needs margin > 0, got margin={margin}")
    apart = inverse_decision_modulus(
        margin * SHATTERING_GAP, centers, radii, local_metrics, background_metric
    )
    return packing_bound(diameter, F, apart)


def learning_bound(
    k: int,
    n: int,
    delta: float,
    c: float,
) -> float:
    r"""Corollary 1, repaired: error $\le \frac kn$ + the deviation, k the instances
    with $y f(x) <$ margin; at most 1.

    It holds with probability 1 - delta for all functions of one modulus at once, if the
    modulus and the margin, hence c, are fixed before the data are seen. For c > 34 n
    the deviation means nothing, and the bound is the trivial 1.

    >>> learning_bound(k=10, n=100, delta=0.05, c=5000.0)
    1.0
    >>> round(learning_bound(k=0, n=10**6, delta=0.05, c=5), 3)
    0.07
    """
    _check_sample(k, n, delta)
    if c > 34 * n:
        return 1.0
    return min(k / n + deviation_term(n, delta, c), 1.0)
