"""Witnesses about the pieces of a segment, the distance and the classifier: sections 2 to 4.1."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from lmlir.classifier import printed_sum_k_min, sum_k_min
from lmlir.distance import (
    all_ratios,
    approximate_background_ratio,
    background_intersection_length,
    covered_intervals,
    distance,
    exact_background_ratio,
    segment_length,
)
from lmlir.gradient import ratio_gradient
from lmlir.intersection import (
    discriminant,
    intersection,
    intersection_ratio,
    line_coefficients,
    printed_line_coefficients,
    quadratic_a,
    quadratic_b,
    quadratic_c,
    squared_half_chord,
    stable_discriminant,
)
from lmlir.ledger.witnesses.registry import ONE, Witness, scaled_identity, shown, vector, witness
from lmlir.regions import is_in_background, local_length
from lmlir.scalars import Scalar


@witness("E13")
def collapsing_set() -> Witness:
    """Erratum E13: in a set equal distances collapse, and sumKmin jumps where two distances become
    equal.

    >>> print(collapsing_set().text)
    K = 2: sumKmin of the set {1, 1 + 1/1000, 5} is 2001/1000, of {1, 1, 5} = {1, 5} it is 6; of the
    multiset it is 2
    """
    h = Fraction(1, 1000)
    K = 2
    nearly = [ONE, 1 + h, 5 * ONE]
    equal = [ONE, ONE, 5 * ONE]
    before = printed_sum_k_min(nearly, K)
    after = printed_sum_k_min(equal, K)
    true = sum_k_min(equal, K)
    text = (
        f"K = {K}: sumKmin of the set {{1, 1 + {h}, 5}} is {before}, of {{1, 1, 5}} = {{1, 5}} it "
        f"is {after}; of the multiset it is {true}"
    )
    return Witness(text, after - before > 1 and abs(sum_k_min(nearly, K) - true) <= K * h)


@witness("E14")
def overlapping_background() -> Witness:
    """Erratum E14: stacked balls; gamma_b is wrong by 1 - 1/S, and inside the balls Definitions 3
    and 7 differ.

    >>> print(overlapping_background().text)
    3 balls [0, 1] on [0, 3], all metrics 1: gamma_b = 0, exact 2/3; D = 3, exact 5; l([0, 1]) = 1
    by Definition 3, 3 by 7
    """
    S = 3
    half = Fraction(1, 2)
    x_i = vector(0)
    x_j = vector(3)
    inside = vector(1)
    Theta = ([[half]] * S, [half] * S, [[[ONE]]] * S, [[ONE]])
    approximate = approximate_background_ratio(all_ratios(x_i, x_j, *Theta[:2]))
    exact = exact_background_ratio(x_i, x_j, *Theta[:2])
    D = distance(x_i, x_j, *Theta)
    D_exact = distance(x_i, x_j, *Theta, exact=True)
    by_one_metric = local_length(x_i, inside, Theta[3])
    added_up = segment_length(x_i, inside, *Theta)
    text = (
        f"{S} balls [0, 1] on [0, 3], all metrics 1: gamma_b = {approximate}, exact {exact}; "
        f"D = {D}, exact {D_exact}; l([0, 1]) = {by_one_metric} by Definition 3, {added_up} by 7"
    )
    largest_error = exact - approximate == 1 - Fraction(1, S)
    return Witness(text, largest_error and D_exact > D and by_one_metric != added_up)


@witness("E16")
def one_point_without_tangent() -> Witness:
    """Erratum E16: an end point on the sphere gives one common point, although the line cuts the
    ball.

    >>> print(one_point_without_tangent().text)
    o = (0, 0), r = 1, x_i = (1, 0), x_j = (4, 0): the only common point is (1, 0), but Delta = 36 >
    0: not tangent
    """
    x_i = vector(1, 0)
    x_j = vector(4, 0)
    o = vector(0, 0)
    common = intersection(x_i, x_j, o, ONE)
    Delta = discriminant(x_i, x_j, o, ONE)
    text = (
        f"o = (0, 0), r = 1, x_i = {shown(x_i)}, x_j = {shown(x_j)}: the only common point is "
        f"{shown(common[0])}, but Delta = {Delta} > 0: not tangent"
    )
    return Witness(text, len(common) == 1 and Delta > 0)


@witness("E16")
def steep_tangent() -> Witness:
    """Erratum E16: where a segment touches the ball gamma has no derivative by r: its quotients
    grow like k.

    >>> print(steep_tangent().text)
    o = 0, x_i = (-1, 1), x_j = (1, 1): Table 3 has d gamma / d r = 0 at r = 1, its quotient from 1
    to r = 10001/9999 is 100
    """
    x_i = vector(-1, 1)
    x_j = vector(1, 1)
    o = vector(0, 0)
    k = 100
    r = Fraction(k**2 + 1, k**2 - 1)
    printed = ratio_gradient(x_i, x_j, o, ONE)[1]
    rise = intersection_ratio(x_i, x_j, o, r) - intersection_ratio(x_i, x_j, o, ONE)
    quotient = rise / (r - 1)
    text = (
        f"o = 0, x_i = {shown(x_i)}, x_j = {shown(x_j)}: Table 3 has d gamma / d r = {printed} at "
        f"r = 1, its quotient from 1 to r = {r} is {quotient}"
    )
    return Witness(text, printed == 0 and quotient == k)


@witness("E18")
def triangle_inequality() -> Witness:
    """Erratum E18: the distance is not a metric: a detour through a cheap region is shorter than
    the straight way.

    >>> print(triangle_inequality().text)
    o = 0, r = 5, M(A) = I/100, M(B) = I, x = (6, 8), y = (-6, 8): D(x, y) = 12 > D(x, o) + D(o, y)
    = 11/2 + 11/2
    """
    Theta = (
        [vector(0, 0)],
        [5 * ONE],
        [scaled_identity(Fraction(1, 100), 2)],
        scaled_identity(ONE, 2),
    )
    x = vector(6, 8)
    y = vector(-6, 8)
    o = vector(0, 0)
    straight = distance(x, y, *Theta)
    first = distance(x, o, *Theta)
    second = distance(o, y, *Theta)
    text = (
        f"o = 0, r = 5, M(A) = I/100, M(B) = I, x = {shown(x)}, y = {shown(y)}: "
        f"D(x, y) = {straight} > D(x, o) + D(o, y) = {first} + {second}"
    )
    return Witness(text, straight > first + second)


@witness("E19")
def length_outside_the_background() -> Witness:
    """Erratum E19: equation (4) measures by M(B) what is not in B, and pieces whose ends are not.

    >>> print(length_outside_the_background().text)
    [0, 9], balls [1, 3] and [5, 6], M(B) = 1: (4) subtracts 3, the length of points outside B; the
    rest [3, 5] ends outside B
    """
    x_i = vector(0)
    x_j = vector(9)
    centers = [vector(2), vector(Fraction(11, 2))]
    radii = [ONE, Fraction(1, 2)]
    shares = covered_intervals(x_i, x_j, centers, radii)
    covered = [(9 * start, 9 * end) for start, end in shares]
    subtracted = 9 - background_intersection_length(x_i, x_j, centers, radii, [[ONE]])
    rest = covered[0][1], covered[1][0]
    points = []
    for start, end in covered:
        points += [start + (end - start) * Fraction(step, 8) for step in range(9)]
    middle_of_rest = sum(rest) / 2
    in_B = [is_in_background([point], centers, radii) for point in (*points, middle_of_rest)]
    text = (
        f"[0, 9], balls [1, 3] and [5, 6], M(B) = 1: (4) subtracts {subtracted}, the length of "
        f"points outside B; the rest [{rest[0]}, {rest[1]}] ends outside B"
    )
    lengths = [end - start for start, end in covered]
    return Witness(text, in_B == [False] * len(points) + [True] and subtracted == sum(lengths))


@witness("E28")
def cancelling_discriminant() -> Witness:
    """Erratum E28: a small ball far from x_i; b^2 - 4ac loses the chord that 4a(r^2 - h^2) keeps.

    >>> print(cancelling_discriminant().text)
    x_i = -1e8, x_j = 1, ball o = 0, r = 1/2: the chord 1 comes out of b^2 - 4ac as 2.684, of 4a(r^2
    - h^2) as 1.000
    """
    x_i = [-1e8]
    x_j = [1.0]
    center = [0.0]
    radius = 0.5
    printed_u, printed_v = printed_line_coefficients(x_i, x_j, center, radius)
    stable_u, stable_v = line_coefficients(x_i, x_j, center, radius)
    length = x_j[0] - x_i[0]
    printed = (printed_v - printed_u) * length
    stable = (stable_v - stable_u) * length
    text = (
        "x_i = -1e8, x_j = 1, ball o = 0, r = 1/2: the chord 1 comes out of b^2 - 4ac as "
        f"{printed:.3f}, of 4a(r^2 - h^2) as {stable:.3f}"
    )
    share = intersection_ratio(vector(-(10**8)), vector(1), vector(0), Fraction(1, 2))
    exact = share * (10**8 + 1)
    return Witness(text, abs(printed - exact) > 1e-3 and abs(stable - exact) < 1e-7)


def largest_length(formula: Callable[[float], Scalar]) -> float:
    """Erratum E28: the largest length that a formula takes without leaving the range of floats, by
    bisection.

    >>> f"{largest_length(lambda s: s * s):.2e}"
    '1.34e+154'
    """

    def is_in_range(length: float) -> bool:
        """Whether the formula gives a finite number."""
        try:
            return math.isfinite(formula(length))
        except ValueError:  # the shipped functions refuse what they cannot hold
            return False

    low = 0.0  # exponents of ten
    high = 308.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if is_in_range(10**middle):
            low = middle
        else:
            high = middle
    return float(10**low)


@witness("E28")
def overflowing_discriminant() -> Witness:
    """Erratum E28: Delta in either form is a fourth power of lengths, r^2 - h^2 a second one.

    >>> print(overflowing_discriminant().text)
    x_i = 0, x_j = o = r = s: b^2 - 4ac is finite up to s = 8.19e76, 4a(r^2 - h^2) up to 8.19e76,
    r^2 - h^2 up to 9.48e153
    """

    def printed(s: float) -> Scalar:
        """Delta as printed, for a segment of length s that begins on a sphere of radius s."""
        a = quadratic_a([0.0], [s])
        b = quadratic_b([0.0], [s], [s])
        c = quadratic_c([0.0], [s], s)
        return b * b - 4 * a * c

    first = largest_length(printed)
    second = largest_length(lambda s: stable_discriminant([0.0], [s], [s], s))
    third = largest_length(lambda s: squared_half_chord([0.0], [s], [s], s))
    text = (
        f"x_i = 0, x_j = o = r = s: b^2 - 4ac is finite up to s = {first:.2e}, 4a(r^2 - h^2) up to "
        f"{second:.2e}, r^2 - h^2 up to {third:.2e}"
    )
    return Witness(text.replace("e+", "e"), first < 1e77 and second < 1e77 and third > 9e153)
