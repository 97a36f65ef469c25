"""Witnesses about Lipschitz constants and the learning bound: section 4.2."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from lmlir.classifier import decision_value, predict
from lmlir.continuity import (
    deviation_term,
    lipschitz_quotient,
    modulus_of_continuity,
    printed_capacity,
    printed_deviation_term,
    printed_distance_lipschitz_bound,
    printed_learning_bound,
    printed_lipschitz_bound,
    spectral_scale,
)
from lmlir.distance import distance, euclidean_distance
from lmlir.ledger.tables_4_and_5 import PRINTED, rows_for_testing, sizes
from lmlir.ledger.witnesses.registry import ONE, Witness, scaled_identity, shown, vector, witness
from lmlir.regions import mahalanobis_length
from lmlir.scalars import Parameters, Scalar, frobenius_norm, identity_matrix


@witness("E5")
def small_metric() -> Witness:
    """Erratum E5: for small metrics the square root is larger, so Lip(d_M) exceeds ||M||_F.

    >>> print(small_metric().text)
    M = 1/100 in one dimension: |d_M(1, 0) - d_M(0, 0)| / |1 - 0| = 1/10 = s(M), but ||M||_F = 1/100
    """
    M = [[Fraction(1, 100)]]
    quotient = lipschitz_quotient(
        lambda x: mahalanobis_length(x, vector(0), M), vector(1), vector(0)
    )
    text = (
        f"M = {M[0][0]} in one dimension: |d_M(1, 0) - d_M(0, 0)| / |1 - 0| = {quotient} = s(M), "
        f"but ||M||_F = {frobenius_norm(M)}"
    )
    return Witness(text, quotient == spectral_scale(M) and quotient > frobenius_norm(M))


class TangentFamily:
    """Erratum E6: points x, y, z of the plane with every length rational; zx touches the ball, zy
    cuts a chord of 4k.

    The ball has o = 0 and r = k^2 + 1, the line zy has the height k^2 - 1, and |x - y| tends to 2
    as k grows.
    """

    def __init__(self, k: int) -> None:
        self.radius = Fraction(k**2 + 1)
        self.z, self.y = vector(-(k**2) - 1, k**2 - 1), vector(2 * k, k**2 - 1)
        rise = Fraction(2 * k**2, k**4 - 1) * (self.y[0] - self.z[0])
        self.x = [self.y[0], self.y[1] + rise]
        local = scaled_identity(4 * ONE, 2)
        background = scaled_identity(ONE, 2)
        self.Theta: Parameters = Parameters([vector(0, 0)], [self.radius], [local], background)


@witness("E6")
def not_lipschitz() -> Witness:
    """Erratum E6: D(., z) changes by far more than the printed constant allows, without bound along
    the family.

    >>> print(not_lipschitz().text)
    o = 0, r = 101, M(A) = 4I, M(B) = I, z = (-101, 99), y = (20, 99), x = y + (0, 2200/909):
    quotient of D 16.5 > 7.07
    """
    family, later = TangentFamily(10), TangentFamily(1000)
    quotients = [
        lipschitz_quotient(
            partial(distance, member.z, **member.Theta._asdict()), member.x, member.y
        )
        for member in (family, later)
    ]
    bound = printed_distance_lipschitz_bound(
        family.Theta.local_metrics, family.Theta.background_metric
    )
    e = euclidean_distance(family.x, family.y)
    text = (
        f"o = 0, r = {family.radius}, M(A) = 4I, M(B) = I, z = {shown(family.z)}, y = "
        f"{shown(family.y)}, "
        f"x = y + (0, {e}): quotient of D {float(quotients[0]):.1f} > {bound:.2f}"
    )
    within = quotients[0] * e <= modulus_of_continuity(e, *family.Theta)
    return Witness(text, quotients[0] > bound and quotients[1] > 100 * bound and within)


@witness("E6")
def classifier_not_lipschitz() -> Witness:
    """Erratum E6: the same points, for the classifier f itself.

    >>> print(classifier_not_lipschitz().text)
    the same ball, metrics, x and y, K = 1, X- = {(-101, 99)}, X+ = {(20, 300)}: quotient of f 15.5
    > 14.14
    """
    family, later = TangentFamily(10), TangentFamily(1000)
    above = [family.y[0], Fraction(300)]

    def quotient(member: TangentFamily, positive: list[Fraction]) -> Scalar:
        """The change of f over the step of one member of the family."""

        def f(x: Sequence[Scalar]) -> Scalar:
            """The classifier with one instance in each class."""
            return decision_value(x, [member.z], [positive], 1, *member.Theta)

        return lipschitz_quotient(f, member.x, member.y)

    first = quotient(family, above)
    second = quotient(later, [later.y[0], 3 * later.y[1]])
    bound = printed_lipschitz_bound(family.Theta.local_metrics, family.Theta.background_metric)
    text = (
        f"the same ball, metrics, x and y, K = 1, X- = {{{shown(family.z)}}}, X+ = "
        f"{{{shown(above)}}}: "
        f"quotient of f {float(first):.1f} > {bound:.2f}"
    )
    return Witness(text, first > bound and second > 100 * bound)


def three_stacked_balls() -> Parameters:
    """Erratum E7: three equal balls [9, 11] of the line with M(A_s) = 0, and M(B) = 1.

    >>> three_stacked_balls().radii
    [Fraction(1, 1), Fraction(1, 1), Fraction(1, 1)]
    """
    return Parameters([vector(10)] * 3, [ONE] * 3, [[[0 * ONE]]] * 3, [[ONE]])


@witness("E7")
def stacked_balls() -> Witness:
    """Erratum E7: with the approximate gamma_b D falls twice as fast as Lemma 1 allows, even with
    its square roots.

    >>> print(stacked_balls().text)
    three balls [9, 11] of the line, M(A_s) = 0, M(B) = 1: D(0, 9) = 9, D(0, 11) = 5; |slope| = 2 >
    s(M(B)) + sum s(M(A_s)) = 1
    """
    Theta = three_stacked_balls()
    near = distance(vector(9), vector(0), *Theta)
    far = distance(vector(11), vector(0), *Theta)
    slope = lipschitz_quotient(lambda x: distance(x, vector(0), *Theta), vector(9), vector(11))
    with_roots = spectral_scale(Theta.background_metric) + sum(
        spectral_scale(M) for M in Theta.local_metrics
    )
    printed = printed_distance_lipschitz_bound(Theta.local_metrics, Theta.background_metric)
    text = (
        f"three balls [9, 11] of the line, M(A_s) = 0, M(B) = 1: D(0, 9) = {near}, D(0, 11) = "
        f"{far}; "
        f"|slope| = {slope} > s(M(B)) + sum s(M(A_s)) = {with_roots}"
    )
    return Witness(text, far < near and slope > with_roots and slope > printed)


@witness("E8")
def vanishing_capacity() -> Witness:
    """Erratum E8: scaling all metrics leaves every sign of f and every k, and sends the printed
    bound to nearly nothing.

    Labels are fair coins, independent of x, so every classifier errs with probability 1/2 on a new
    instance; with K = 1 each training instance is its own nearest one, so k = 0.

    >>> print(vanishing_capacity().text)
    coin labels, K = 1, k = 0 of n = 1000, delta = 0.05: error 1/2, printed bound 0.112 at M(B) =
    1/1000000, same signs as at 1
    """
    scale = Fraction(1, 10**6)
    n = 1000
    X_minus = [vector(0), vector(Fraction(1, 2))]
    X_plus = [vector(Fraction(1, 4)), vector(1)]

    def signs(m: Fraction) -> list[int]:
        """The predictions on seventeen points, with the background metric m."""
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
    return Witness(text, wrong == 0 and signs(scale) == signs(ONE) and bound < 0.5)


@witness("E12")
def quotient_at_one_pair() -> Witness:
    """Erratum E12: the quotient at one pair is not the Lipschitz constant, which is the largest
    over all pairs.

    >>> print(quotient_at_one_pair().text)
    M = diag(4, 1), x_k = (0, 0): the quotient of d_M(., x_k) is 1 at x = (0, 1) and 2 at (1, 0);
    Lip(d_M) = 2
    """
    M = [[Fraction(4), Fraction(0)], [Fraction(0), Fraction(1)]]
    x_k = [Fraction(0), Fraction(0)]
    quotients = [
        lipschitz_quotient(
            lambda x: mahalanobis_length(x, x_k, M), [Fraction(x) for x in point], x_k
        )
        for point in ((0, 1), (1, 0))
    ]
    text = (
        f"M = diag(4, 1), x_k = (0, 0): the quotient of d_M(., x_k) is {quotients[0]} at x = (0, "
        f"1) and {quotients[1]} "
        f"at (1, 0); Lip(d_M) = {spectral_scale(M)}"
    )
    return Witness(text, quotients[0] < spectral_scale(M) == quotients[1])


@witness("E20")
def shattered_pair() -> Witness:
    """Erratum E20: two points that the functions allowed can shatter, against the printed capacity.

    For any two signs a function with the values +-1/16 on two points 1 apart has the Lipschitz
    constant 1/8 at most.

    >>> print(shattered_pair().text)
    X = {0, 1}, L = 1/8, so sum ||M||_F = L/2 = 1/16: two points are shattered at 1/16, but c = 1
    """
    L = Fraction(1, 8)
    shattered = 2
    steepest = max(abs(one - two) for one in (-1, 1) for two in (-1, 1)) * Fraction(1, 16)
    c = printed_capacity([], [[L / 2]], diameter=1, doubling_dimension=1)
    text = (
        f"X = {{0, 1}}, L = {L}, so sum ||M||_F = L/2 = {L / 2}: two points are shattered at "
        f"1/16, but c = {c}"
    )
    return Witness(text, steepest <= L and c < shattered)


@witness("E22")
def empty_bound() -> Witness:
    """Erratum E22: on training parts of the paper's sizes the bound says little for any c from 1 to
    34 n.

    >>> print(empty_bound().text)
    n = 600, largest to train on, delta = 0.05: least for 1 <= c <= 34 n is 0.994; in the plane, S =
    4, all M = I: c = 51200
    """
    n = max(rows - rows_for_testing(rows) for rows, *_ in map(sizes, PRINTED["table_4"]))
    least = min(printed_deviation_term(n, 0.05, (34 * n) ** (step / 40)) for step in range(41))
    identity = identity_matrix(2)
    c = printed_capacity([identity] * 4, identity, diameter=2, doubling_dimension=1)
    text = (
        f"n = {n}, largest to train on, delta = 0.05: least for 1 <= c <= 34 n is {least:.3f}; "
        f"in the plane, S = 4, all M = I: c = {c:.0f}"
    )
    return Witness(text, least > 0.99 and c > 34 * n)


@witness("E33")
def three_binary_logarithms() -> Witness:
    """Erratum E33: the printed deviation is larger than that of the theorem behind it.

    >>> print(three_binary_logarithms().text)
    n = 600, delta = 0.05, c = 1: 0.994 as printed, 0.827 with the logarithms of the source
    """
    n = 600  # as in the witness of E22
    printed = printed_deviation_term(n, 0.05, 1.0)
    source = deviation_term(n, 0.05, 1.0)
    text = (
        f"n = {n}, delta = 0.05, c = 1: {printed:.3f} as printed, {source:.3f} with the "
        "logarithms of the source"
    )
    return Witness(text, printed > 1.2 * source)
