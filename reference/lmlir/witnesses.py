r"""Witnesses: for each false statement of the paper one small example, in exact numbers, that a reader can check by hand.

Every witness runs the shipped functions, the true one and the printed one, on fractions. `text` is one line with the
very numbers that came out; `refutes` says whether they contradict what is printed. Nothing here is typed by hand that
the functions do not return: change a function, and its witness changes or fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from lmlir.classifier import decision_value, predict, printed_sum_k_min, sum_k_min
from lmlir.continuity import (
    lipschitz_quotient,
    modulus_of_continuity,
    printed_capacity,
    printed_distance_lipschitz_bound,
    printed_learning_bound,
    printed_lipschitz_bound,
    spectral_scale,
)
from lmlir.distance import (
    approximate_background_ratio,
    distance,
    euclidean_distance,
    exact_background_ratio,
)
from lmlir.gradient import (
    all_ratios,
    distance_gradient_center,
    distance_gradient_radius,
    objective_gradient,
    ratio_gradient,
    shrinkage,
)
from lmlir.intersection import discriminant, intersection, intersection_ratio
from lmlir.objective import dissimilar_slack, objective, printed_dissimilar_slack, similar_slack
from lmlir.regions import mahalanobis_length
from lmlir.scalars import Matrix, Parameters, Scalar, frobenius_norm

ONE = Fraction(1)


@dataclass(frozen=True)
class Witness:
    """What contradicts a printed statement: the erratum's id, one line of numbers, and whether they do contradict it."""

    id: str
    text: str
    refutes: bool


def scaled_identity(scale: Scalar, F: int) -> list[list[Scalar]]:
    """The metric that measures every length of R^F as sqrt(scale) times the Euclidean one.

    >>> scaled_identity(4, 2)
    [[4, 0], [0, 4]]
    """
    return [[scale if row == column else 0 * scale for column in range(F)] for row in range(F)]


def vector(*coordinates: Scalar) -> list[Fraction]:
    """A point with exact coordinates.

    >>> vector(1, 2)
    [Fraction(1, 1), Fraction(2, 1)]
    """
    return [Fraction(coordinate) for coordinate in coordinates]


def shown(point: Sequence[Scalar]) -> str:
    """A point as the text of a witness writes it.

    >>> shown(vector(1, Fraction(1, 2)))
    '(1, 1/2)'
    """
    return "(" + ", ".join(str(coordinate) for coordinate in point) + ")"


# ---------------------------------------------------------------------------------- the objective and its gradient


def hard_constraint() -> Witness:
    """Erratum E1: with xi added on the wrong side, a dissimilar pair that is too near has no slack at all.

    >>> print(hard_constraint().text)
    D = 1, C = 1/2: D >= 1 + C + xi has no solution xi >= 0; D >= 1 + C - xi has xi = 1/2, the hinge of g
    """
    D, C = Fraction(1), Fraction(1, 2)
    printed, true = printed_dissimilar_slack(D, C), dissimilar_slack(D, C)
    hinge = objective([vector(0), vector(1)], [], [(0, 1)], [], [], [], [[ONE]], 0, C)
    text = f"D = {D}, C = {C}: D >= 1 + C + xi has no solution xi >= 0; D >= 1 + C - xi has xi = {true}, the hinge of g"
    return Witness("E1", text, printed is None and true == hinge > 0)


def dissimilar_sign() -> Witness:
    """Erratum E2: pushing a dissimilar pair apart lowers g, so dg/dM(B) is negative there, not positive.

    >>> print(dissimilar_sign().text)
    x_m = 0, x_n = 1, C = 1/2, alpha = 0: g falls from 1/2 at M(B) = 1 to 0 at M(B) = 9/4; at 1 dg/dM(B) = -1/2, printed 1/2
    """
    X, C = [vector(0), vector(1)], Fraction(1, 2)

    def g(m: Fraction) -> Scalar:
        return objective(X, [], [(0, 1)], [], [], [], [[m]], 0, C)

    here, there = Fraction(1), Fraction(9, 4)
    true = objective_gradient(X, [], [(0, 1)], [], [], [], [[here]], 0, C).background_metric[0][0]
    printed = objective_gradient(X, [], [(0, 1)], [], [], [], [[here]], 0, C, printed=["E2"]).background_metric[0][0]
    text = (
        f"x_m = 0, x_n = 1, C = {C}, alpha = 0: g falls from {g(here)} at M(B) = {here} to {g(there)} at M(B) = {there}; "
        f"at {here} dg/dM(B) = {true}, printed {printed}"
    )
    return Witness("E2", text, g(there) < g(here) and true < 0 < printed)


def background_sign() -> Witness:
    """Erratum E3: what a region gains the background loses; on a line D is linear in r and in o, so slopes are exact.

    >>> print(background_sign().text)
    segment [0, 8], o = 0, r = 1, M(A) = 9, M(B) = 1: D = 10; r + 1 and o + 1 give 12, 12; dD/dr, dD/do = 2, 2, printed 4, 4
    """
    x_i, x_j, o, r = vector(0), vector(8), Fraction(0), Fraction(1)

    def D(center: Fraction, radius: Fraction) -> Scalar:
        return distance(x_i, x_j, [[center]], [radius], [[[9 * ONE]]], [[ONE]])

    Theta = ([[o]], [r], [[[9 * ONE]]], [[ONE]])
    by_r, by_o = distance_gradient_radius(x_i, x_j, 0, *Theta), distance_gradient_center(x_i, x_j, 0, *Theta)[0]
    printed_r = distance_gradient_radius(x_i, x_j, 0, *Theta, printed=["E3"])
    printed_o = distance_gradient_center(x_i, x_j, 0, *Theta, printed=["E3"])[0]
    text = (
        f"segment [0, 8], o = {o}, r = {r}, M(A) = 9, M(B) = 1: D = {D(o, r)}; r + 1 and o + 1 give "
        f"{D(o, r + 1)}, {D(o + 1, r)}; dD/dr, dD/do = {by_r}, {by_o}, printed {printed_r}, {printed_o}"
    )
    slopes = (D(o, r + 1) - D(o, r), D(o + 1, r) - D(o, r))
    return Witness("E3", text, slopes == (by_r, by_o) and slopes[0] != printed_r and slopes[1] != printed_o)


def shrinkage_factor() -> Witness:
    """Erratum E4: along the ray t M the norm grows by ||M||_F per unit of t; the printed gradient says half of that.

    >>> print(shrinkage_factor().text)
    M = diag(3, 4), alpha = 1: ||2M||_F - ||M||_F = 5; <alpha M / ||M||_F, M> = 5, printed 5/2
    """
    M = [[3 * ONE, 0 * ONE], [0 * ONE, 4 * ONE]]
    growth = frobenius_norm([[2 * entry for entry in row] for row in M]) - frobenius_norm(M)

    def along_ray(gradient: Matrix) -> Scalar:
        return sum(g * m for g_row, m_row in zip(gradient, M, strict=True) for g, m in zip(g_row, m_row, strict=True))

    true, printed = along_ray(shrinkage(M, ONE)), along_ray(shrinkage(M, ONE, printed=["E4"]))
    text = (
        f"M = diag(3, 4), alpha = 1: ||2M||_F - ||M||_F = {growth}; <alpha M / ||M||_F, M> = {true}, printed {printed}"
    )
    return Witness("E4", text, growth == true != printed)


# ------------------------------------------------------------------------------------------------------ continuity


def small_metric() -> Witness:
    """Erratum E5: for small metrics the square root is larger, so Lip(d_M) exceeds ||M||_F.

    >>> print(small_metric().text)
    M = 1/100 in one dimension: |d_M(1, 0) - d_M(0, 0)| / |1 - 0| = 1/10 = s(M), but ||M||_F = 1/100
    """
    M = [[Fraction(1, 100)]]
    quotient = lipschitz_quotient(lambda x: mahalanobis_length(x, vector(0), M), vector(1), vector(0))
    text = (
        f"M = {M[0][0]} in one dimension: |d_M(1, 0) - d_M(0, 0)| / |1 - 0| = {quotient} = s(M), "
        f"but ||M||_F = {frobenius_norm(M)}"
    )
    return Witness("E5", text, quotient == spectral_scale(M) and quotient > frobenius_norm(M))


@dataclass(frozen=True)
class TangentFamily:
    """Erratum E6: points x, y, z of the plane with every length rational; zx touches the ball, zy cuts a chord of 4k.

    The ball has o = 0 and r = k^2 + 1, the line zy has the height k^2 - 1, and |x - y| tends to 2 as k grows.
    """

    k: int

    @property
    def radius(self) -> Fraction:
        return Fraction(self.k**2 + 1)

    @property
    def z(self) -> list[Fraction]:
        return vector(-(self.k**2) - 1, self.k**2 - 1)

    @property
    def y(self) -> list[Fraction]:
        return vector(2 * self.k, self.k**2 - 1)

    @property
    def x(self) -> list[Fraction]:
        rise = Fraction(2 * self.k**2, self.k**4 - 1) * (self.y[0] - self.z[0])
        return [self.y[0], self.y[1] + rise]

    @property
    def Theta(self) -> Parameters:
        return Parameters([vector(0, 0)], [self.radius], [scaled_identity(4 * ONE, 2)], scaled_identity(ONE, 2))


def not_lipschitz() -> Witness:
    """Erratum E6: D(., z) changes by far more than the printed constant allows, without bound along the family.

    >>> print(not_lipschitz().text)
    o = 0, r = 101, M(A) = 4I, M(B) = I, z = (-101, 99), y = (20, 99), x = y + (0, 2200/909): quotient of D 16.5 > 7.07
    """
    family, later = TangentFamily(10), TangentFamily(1000)
    quotients = [
        lipschitz_quotient(partial(distance, member.z, **member.Theta._asdict()), member.x, member.y)
        for member in (family, later)
    ]
    bound = printed_distance_lipschitz_bound(family.Theta.local_metrics, family.Theta.background_metric)
    e = euclidean_distance(family.x, family.y)
    text = (
        f"o = 0, r = {family.radius}, M(A) = 4I, M(B) = I, z = {shown(family.z)}, y = {shown(family.y)}, "
        f"x = y + (0, {e}): quotient of D {float(quotients[0]):.1f} > {bound:.2f}"
    )
    within = quotients[0] * e <= modulus_of_continuity(e, *family.Theta)
    return Witness("E6", text, quotients[0] > bound and quotients[1] > 100 * bound and within)


def classifier_not_lipschitz() -> Witness:
    """Erratum E6: the same points, for the classifier f itself.

    >>> print(classifier_not_lipschitz().text)
    the same ball, metrics, x and y, K = 1, X- = {(-101, 99)}, X+ = {(20, 300)}: quotient of f 15.5 > 14.14
    """
    family, later = TangentFamily(10), TangentFamily(1000)
    above = [family.y[0], Fraction(300)]

    def quotient(member: TangentFamily, positive: list[Fraction]) -> Scalar:
        def f(x: Sequence[Scalar]) -> Scalar:
            return decision_value(x, [member.z], [positive], 1, *member.Theta)

        return lipschitz_quotient(f, member.x, member.y)

    first, second = quotient(family, above), quotient(later, [later.y[0], 3 * later.y[1]])
    bound = printed_lipschitz_bound(family.Theta.local_metrics, family.Theta.background_metric)
    text = (
        f"the same ball, metrics, x and y, K = 1, X- = {{{shown(family.z)}}}, X+ = {{{shown(above)}}}: "
        f"quotient of f {float(first):.1f} > {bound:.2f}"
    )
    return Witness("E6", text, first > bound and second > 100 * bound)


def three_stacked_balls() -> Parameters:
    """Erratum E7: three equal balls [9, 11] of the line with M(A_s) = 0, and M(B) = 1.

    >>> three_stacked_balls().radii
    [Fraction(1, 1), Fraction(1, 1), Fraction(1, 1)]
    """
    return Parameters([vector(10)] * 3, [ONE] * 3, [[[0 * ONE]]] * 3, [[ONE]])


def stacked_balls() -> Witness:
    """Erratum E7: with the approximate gamma_b D falls twice as fast as Lemma 1 allows, even with its square roots.

    >>> print(stacked_balls().text)
    three balls [9, 11] of the line, M(A_s) = 0, M(B) = 1: D(0, 9) = 9, D(0, 11) = 5; |slope| = 2 > s(M(B)) + sum s(M(A_s)) = 1
    """
    Theta = three_stacked_balls()
    near, far = distance(vector(9), vector(0), *Theta), distance(vector(11), vector(0), *Theta)
    slope = lipschitz_quotient(lambda x: distance(x, vector(0), *Theta), vector(9), vector(11))
    with_roots = spectral_scale(Theta.background_metric) + sum(spectral_scale(M) for M in Theta.local_metrics)
    printed = printed_distance_lipschitz_bound(Theta.local_metrics, Theta.background_metric)
    text = (
        f"three balls [9, 11] of the line, M(A_s) = 0, M(B) = 1: D(0, 9) = {near}, D(0, 11) = {far}; "
        f"|slope| = {slope} > s(M(B)) + sum s(M(A_s)) = {with_roots}"
    )
    return Witness("E7", text, far < near and slope > with_roots and slope > printed)


def vanishing_capacity() -> Witness:
    """Erratum E8: scaling all metrics leaves every sign of f and every k, and sends the printed bound to nearly nothing.

    Labels are fair coins that know nothing of x, so every classifier errs with probability 1/2 on a new instance; with
    K = 1 each training instance is its own nearest one, so k = 0.

    >>> print(vanishing_capacity().text)
    coin labels, K = 1, k = 0 of n = 1000, delta = 0.05: error 1/2, printed bound 0.112 at M(B) = 1/1000000, same signs as at 1
    """
    scale, n = Fraction(1, 10**6), 1000
    X_minus, X_plus = [vector(0), vector(Fraction(1, 2))], [vector(Fraction(1, 4)), vector(1)]

    def signs(m: Fraction) -> list[int]:
        tried = [Fraction(step, 16) for step in range(17)]
        return [predict([x], X_minus, X_plus, 1, [], [], [], [[m]]) for x in tried]

    wrong = sum(predict(x, X_minus, X_plus, 1, [], [], [], [[scale]]) != -1 for x in X_minus)
    wrong += sum(predict(x, X_minus, X_plus, 1, [], [], [], [[scale]]) != 1 for x in X_plus)
    c = printed_capacity([], [[scale]], diameter=1, doubling_dimension=1)
    bound = printed_learning_bound(wrong, n, 0.05, float(c))
    text = (
        f"coin labels, K = 1, k = {wrong} of n = {n}, delta = 0.05: error 1/2, "
        f"printed bound {bound:.3f} at M(B) = {scale}, same signs as at 1"
    )
    return Witness("E8", text, wrong == 0 and signs(scale) == signs(ONE) and bound < 0.5)


# -------------------------------------------------------------------------------- sets, overlap, tangents, metrics


def collapsing_set() -> Witness:
    """Erratum E13: in a set equal distances collapse, and sumKmin jumps where two distances become equal.

    >>> print(collapsing_set().text)
    K = 2: sumKmin of the set {1, 1 + 1/1000, 5} is 2001/1000, of {1, 1, 5} = {1, 5} it is 6; of the multiset it is 2
    """
    h, K = Fraction(1, 1000), 2
    nearly, equal = [ONE, 1 + h, 5 * ONE], [ONE, ONE, 5 * ONE]
    before, after, true = printed_sum_k_min(nearly, K), printed_sum_k_min(equal, K), sum_k_min(equal, K)
    text = (
        f"K = {K}: sumKmin of the set {{1, 1 + {h}, 5}} is {before}, of {{1, 1, 5}} = {{1, 5}} it is {after}; "
        f"of the multiset it is {true}"
    )
    return Witness("E13", text, after - before > 1 and abs(sum_k_min(nearly, K) - true) <= K * h)


def overlapping_background() -> Witness:
    """Erratum E14: stacked balls; gamma_b is wrong by 1 - 1/S, and equal metrics do not give back the plain length.

    >>> print(overlapping_background().text)
    S = 3 balls [0, 1] on the segment [0, 3]: gamma_b = 0 approximate, 2/3 exact; all metrics 1: D = 3 and 5 for a length of 3
    """
    S, x_i, x_j = 3, vector(0), vector(3)
    centers, radii = [vector(Fraction(1, 2))] * S, [Fraction(1, 2)] * S
    gamma = all_ratios(x_i, x_j, centers, radii)
    approximate, exact = approximate_background_ratio(gamma), exact_background_ratio(x_i, x_j, centers, radii)
    Theta = (centers, radii, [[[ONE]]] * S, [[ONE]])
    D, D_exact = distance(x_i, x_j, *Theta), distance(x_i, x_j, *Theta, exact=True)
    text = (
        f"S = {S} balls [0, 1] on the segment [0, 3]: gamma_b = {approximate} approximate, {exact} exact; "
        f"all metrics 1: D = {D} and {D_exact} for a length of {euclidean_distance(x_i, x_j)}"
    )
    return Witness("E14", text, exact - approximate == 1 - Fraction(1, S) and D_exact > D)


def plain_length_is_not_convex() -> Witness:
    """Erratum E15: the hinge of the plain length is not convex in M; that of the squared length is linear where active.

    >>> print(plain_length_is_not_convex().text)
    C = 1, |x_i - x_j| = 1: [D - (1 - C)]_+ at M = 0, 1/4, 1 is 0, 1/2, 1, above the chord's 1/4; with D^2 it is 0, 1/4, 1
    """
    C = ONE

    def D(m: Fraction) -> Scalar:
        return distance(vector(0), vector(1), [], [], [], [[m]])

    places = (0 * ONE, Fraction(1, 4), ONE)
    plain = [similar_slack(D(m), C) for m in places]
    squared = [similar_slack(D(m) * D(m), C) for m in places]
    text = (
        f"C = {C}, |x_i - x_j| = 1: [D - (1 - C)]_+ at M = 0, 1/4, 1 is {plain[0]}, {plain[1]}, {plain[2]}, "
        f"above the chord's {places[1]}; with D^2 it is {squared[0]}, {squared[1]}, {squared[2]}"
    )
    chord = plain[0] + places[1] * (plain[2] - plain[0])
    return Witness("E15", text, plain[1] > chord and squared[1] == squared[0] + places[1] * (squared[2] - squared[0]))


def one_point_without_tangent() -> Witness:
    """Erratum E16: an end point on the sphere gives one common point, although the line cuts the ball.

    >>> print(one_point_without_tangent().text)
    o = (0, 0), r = 1, x_i = (1, 0), x_j = (4, 0): the only common point is (1, 0), but Delta = 36 > 0: not tangent
    """
    x_i, x_j, o = vector(1, 0), vector(4, 0), vector(0, 0)
    common, Delta = intersection(x_i, x_j, o, ONE), discriminant(x_i, x_j, o, ONE)
    text = (
        f"o = (0, 0), r = 1, x_i = {shown(x_i)}, x_j = {shown(x_j)}: the only common point is {shown(common[0])}, "
        f"but Delta = {Delta} > 0: not tangent"
    )
    return Witness("E16", text, len(common) == 1 and Delta > 0)


def steep_tangent() -> Witness:
    """Erratum E16: where a segment touches the ball gamma has no derivative by r: its quotients grow like k.

    >>> print(steep_tangent().text)
    o = 0, x_i = (-1, 1), x_j = (1, 1): Table 3 has d gamma / d r = 0 at r = 1, its quotient from 1 to r = 10001/9999 is 100
    """
    x_i, x_j, o, k = vector(-1, 1), vector(1, 1), vector(0, 0), 100
    r = Fraction(k**2 + 1, k**2 - 1)
    printed = ratio_gradient(x_i, x_j, o, ONE)[1]
    rise = intersection_ratio(x_i, x_j, o, r) - intersection_ratio(x_i, x_j, o, ONE)
    quotient = rise / (r - 1)
    text = (
        f"o = 0, x_i = {shown(x_i)}, x_j = {shown(x_j)}: Table 3 has d gamma / d r = {printed} at r = 1, "
        f"its quotient from 1 to r = {r} is {quotient}"
    )
    return Witness("E16", text, printed == 0 and quotient == k)


def triangle_inequality() -> Witness:
    """Section 2: the distance is not a metric: a detour through a cheap region is shorter than the straight way.

    >>> print(triangle_inequality().text)
    o = 0, r = 5, M(A) = I/100, M(B) = I, x = (6, 8), y = (-6, 8): D(x, y) = 12 > D(x, o) + D(o, y) = 11/2 + 11/2
    """
    Theta = ([vector(0, 0)], [5 * ONE], [scaled_identity(Fraction(1, 100), 2)], scaled_identity(ONE, 2))
    x, y, o = vector(6, 8), vector(-6, 8), vector(0, 0)
    straight, first, second = distance(x, y, *Theta), distance(x, o, *Theta), distance(o, y, *Theta)
    text = (
        f"o = 0, r = 5, M(A) = I/100, M(B) = I, x = {shown(x)}, y = {shown(y)}: "
        f"D(x, y) = {straight} > D(x, o) + D(o, y) = {first} + {second}"
    )
    return Witness("triangle-inequality", text, straight > first + second)


WITNESSES: tuple[Callable[[], Witness], ...] = (
    hard_constraint,
    dissimilar_sign,
    background_sign,
    shrinkage_factor,
    small_metric,
    not_lipschitz,
    classifier_not_lipschitz,
    stacked_balls,
    vanishing_capacity,
    collapsing_set,
    overlapping_background,
    plain_length_is_not_convex,
    one_point_without_tangent,
    steep_tangent,
    triangle_inequality,
)


def all_witnesses() -> list[Witness]:
    """Every witness, in the order of the ledger; an erratum may have two.

    >>> all(witness.refutes for witness in all_witnesses())
    True
    """
    return [witness() for witness in WITNESSES]


def witnesses_of(id: str) -> list[Witness]:
    """The witnesses of one erratum ('E6') or of the 'triangle-inequality'; an empty list where there is none.

    >>> [witness.refutes for witness in witnesses_of("E6")]
    [True, True]
    """
    return [witness for witness in all_witnesses() if witness.id == id]
