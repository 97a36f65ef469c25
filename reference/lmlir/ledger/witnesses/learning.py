"""Witnesses about the objective, its gradient and the initial values: section 5."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lmlir.distance import distance
from lmlir.gradient import (
    distance_gradient_center,
    distance_gradient_radius,
    objective_gradient,
    shrinkage,
)
from lmlir.initialization import discriminative_direction, initial_metric
from lmlir.ledger.witnesses.registry import ONE, Witness, vector, witness
from lmlir.objective import (
    average,
    dissimilar_slack,
    objective,
    printed_dissimilar_slack,
    similar_slack,
)
from lmlir.scalars import Matrix, Scalar, frobenius_norm


@witness("E1")
def hard_constraint() -> Witness:
    """Erratum E1: with xi added on the wrong side, a dissimilar pair that is too near has no slack
    at all.

    >>> print(hard_constraint().text)
    D = 1, C = 1/2: D >= 1 + C + xi has no solution xi >= 0; D >= 1 + C - xi has xi = 1/2, the hinge
    of g
    """
    D = Fraction(1)
    C = Fraction(1, 2)
    printed = printed_dissimilar_slack(D, C)
    true = dissimilar_slack(D, C)
    hinge = objective([vector(0), vector(1)], [], [(0, 1)], [], [], [], [[ONE]], 0, C)
    text = (
        f"D = {D}, C = {C}: D >= 1 + C + xi has no solution xi >= 0; D >= 1 + C - xi has xi = "
        f"{true}, the hinge of g"
    )
    return Witness(text, printed is None and true == hinge > 0)


@witness("E2")
def dissimilar_sign() -> Witness:
    """Erratum E2: a larger M(B) moves a dissimilar pair apart and lowers g, so dg/dM(B) is negative
    and not positive.

    >>> print(dissimilar_sign().text)
    x_m = 0, x_n = 1, C = 1/2, alpha = 0: g falls from 1/2 at M(B) = 1 to 0 at M(B) = 9/4; at 1
    dg/dM(B) = -1/2, printed 1/2
    """
    X = [vector(0), vector(1)]
    C = Fraction(1, 2)

    def g(m: Fraction) -> Scalar:
        """The objective with one dissimilar pair and the background metric m."""
        return objective(X, [], [(0, 1)], [], [], [], [[m]], 0, C)

    here = ONE
    there = Fraction(9, 4)

    def slope(errata: Sequence[str] = ()) -> Scalar:
        """The slope of g at M(B) = 1, with these errata as they are printed."""
        gradient = objective_gradient(X, [], [(0, 1)], [], [], [], [[here]], 0, C, errata)
        return gradient.background_metric[0][0]

    true = slope()
    printed = slope(["E2"])
    text = (
        f"x_m = 0, x_n = 1, C = {C}, alpha = 0: g falls from {g(here)} at M(B) = {here} to "
        f"{g(there)} at M(B) = {there}; at {here} dg/dM(B) = {true}, printed {printed}"
    )
    return Witness(text, g(there) < g(here) and true < 0 < printed)


@witness("E3")
def background_sign() -> Witness:
    """Erratum E3: what a region gains the background loses; on a line D is linear in r and in o, so
    slopes are exact.

    >>> print(background_sign().text)
    segment [0, 8], o = 0, r = 1, M(A) = 9, M(B) = 1: D = 10; r + 1 and o + 1 give 12, 12; dD/dr,
    dD/do = 2, 2, printed 4, 4
    """
    x_i = vector(0)
    x_j = vector(8)
    o = Fraction(0)
    r = Fraction(1)

    def D(center: Fraction, radius: Fraction) -> Scalar:
        """The distance with one ball."""
        return distance(x_i, x_j, [[center]], [radius], [[[9 * ONE]]], [[ONE]])

    Theta = ([[o]], [r], [[[9 * ONE]]], [[ONE]])
    by_r = distance_gradient_radius(x_i, x_j, 0, *Theta)
    by_o = distance_gradient_center(x_i, x_j, 0, *Theta)[0]
    printed_r = distance_gradient_radius(x_i, x_j, 0, *Theta, printed=["E3"])
    printed_o = distance_gradient_center(x_i, x_j, 0, *Theta, printed=["E3"])[0]
    start = D(o, r)
    larger = D(o, r + 1)
    moved = D(o + 1, r)
    text = (
        f"segment [0, 8], o = {o}, r = {r}, M(A) = 9, M(B) = 1: D = {start}; r + 1 and o + 1 "
        f"give {larger}, {moved}; dD/dr, dD/do = {by_r}, {by_o}, printed {printed_r}, {printed_o}"
    )
    is_true = larger - start == by_r and moved - start == by_o
    return Witness(text, is_true and by_r != printed_r and by_o != printed_o)


@witness("E4")
def shrinkage_factor() -> Witness:
    """Erratum E4: along the ray t M the norm grows by ||M||_F per unit of t; the printed gradient
    says half of that.

    >>> print(shrinkage_factor().text)
    M = diag(3, 4), alpha = 1: ||2M||_F - ||M||_F = 5; <alpha M / ||M||_F, M> = 5, printed 5/2
    """
    M = [vector(3, 0), vector(0, 4)]
    twice_M = [vector(6, 0), vector(0, 8)]
    growth = frobenius_norm(twice_M) - frobenius_norm(M)

    def along_ray(gradient: Matrix) -> Scalar:
        """The product of the gradient with M: the slope along the ray through M."""
        return sum(gradient[i][j] * M[i][j] for i in range(2) for j in range(2))

    true = along_ray(shrinkage(M, ONE))
    printed = along_ray(shrinkage(M, ONE, printed=["E4"]))
    text = (
        f"M = diag(3, 4), alpha = 1: ||2M||_F - ||M||_F = {growth}; <alpha M / ||M||_F, M> = "
        f"{true}, printed {printed}"
    )
    return Witness(text, growth == true != printed)


@witness("E11")
def one_term_for_many() -> Witness:
    """Erratum E11: without a sum g depends on which pair is meant; the average of (12) does not.

    >>> print(one_term_for_many().text)
    two similar pairs with D = 3/2 and D = 7/2, C = 1/2: 1/N_1 [D - (1 - C)]_+ is 1/2 or 3/2; (12)
    has their sum, 2
    """
    D = (Fraction(3, 2), Fraction(7, 2))
    C = Fraction(1, 2)
    slacks = [similar_slack(distance, C) for distance in D]
    terms = [slack / len(D) for slack in slacks]
    mean = average(slacks)
    text = (
        f"two similar pairs with D = {D[0]} and D = {D[1]}, C = {C}: 1/N_1 [D - (1 - C)]_+ is "
        f"{terms[0]} or {terms[1]}; (12) has their sum, {mean}"
    )
    return Witness(text, mean == sum(terms) and mean not in terms)


@witness("E15")
def plain_length_is_not_convex() -> Witness:
    """Erratum E15: the hinge of the plain length is not convex in M; the hinge of the squared
    length is linear where it is active.

    >>> print(plain_length_is_not_convex().text)
    C = 1, |x_i - x_j| = 1: [D - (1 - C)]_+ at M = 0, 1/4, 1 is 0, 1/2, 1, above the chord's 1/4;
    with D^2 it is 0, 1/4, 1
    """
    C = ONE

    def D(m: Fraction) -> Scalar:
        """The length of a unit segment in the background metric m."""
        return distance(vector(0), vector(1), [], [], [], [[m]])

    places = (0 * ONE, Fraction(1, 4), ONE)
    plain = [similar_slack(D(m), C) for m in places]
    squared = [similar_slack(D(m) * D(m), C) for m in places]

    def chord(values: list[Scalar]) -> Scalar:
        """The line through the outer two values, at the middle place."""
        return values[0] + places[1] * (values[2] - values[0])

    text = (
        f"C = {C}, |x_i - x_j| = 1: [D - (1 - C)]_+ at M = 0, 1/4, 1 is "
        f"{', '.join(map(str, plain))}, above the chord's {chord(plain)}; with D^2 it is "
        f"{', '.join(map(str, squared))}"
    )
    return Witness(text, plain[1] > chord(plain) and squared[1] == chord(squared))


@witness("E23")
def no_metric_at_the_start() -> Witness:
    """Erratum E23: with K = 10 the initial local metric can be negative.

    >>> print(no_metric_at_the_start().text)
    unit length, K = 10: one instance at 1 among the other class, its own class at -1: h = -20, M(A)
    = I + 0.1 h = -1
    """
    X = [vector(1)] + [vector(-1)] * 10 + [vector(1)] * 11
    y = [0] * 11 + [1] * 11
    h = discriminative_direction(X, y, 0, K=10)
    M = initial_metric([h], weight=Fraction(1, 10))
    text = (
        "unit length, K = 10: one instance at 1 among the other class, its own class at -1: "
        f"h = {h[0]}, M(A) = I + 0.1 h = {M[0][0]}"
    )
    return Witness(text, M[0][0] < 0)
