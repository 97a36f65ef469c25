"""Witnesses about Lipschitz constants and the learning bound: section 4.2."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

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
from lmlir.scalars import Matrix, Parameters, Scalar, Vector, frobenius_norm, identity_matrix


@witness("E5")
def small_metric() -> Witness:
    """Erratum E5: for small metrics the square root is larger, so Lip(d_M) exceeds ||M||_F.

    >>> print(small_metric().text)
    M = 1/100 in one dimension: |d_M(1, 0) - d_M(0, 0)| / |1 - 0| = 1/10 = s(M), but ||M||_F = 1/100
    """
    M = [[Fraction(1, 100)]]
    quotient = quotient_of_length(M, vector(1), vector(0))
    norm = frobenius_norm(M)
    text = (
        f"M = {M[0][0]} in one dimension: |d_M(1, 0) - d_M(0, 0)| / |1 - 0| = {quotient} = s(M), "
        f"but ||M||_F = {norm}"
    )
    return Witness(text, quotient == spectral_scale(M) and quotient > norm)


def quotient_of_length(M: Matrix, x: Vector, x_k: Vector) -> Scalar:
    """The quotient of d_M(., x_k) at x and x_k."""
    return lipschitz_quotient(lambda point: mahalanobis_length(point, x_k, M), x, x_k)


class TangentFamily:
    """Erratum E6: points x, y, z of the plane with every length rational; zx touches the ball, zy
    cuts a chord of 4k.

    The ball has o = 0 and r = k^2 + 1, the line zy has the height k^2 - 1, and |x - y| tends to 2
    as k grows.
    """

    def __init__(self, k: int) -> None:
        self.radius = Fraction(k**2 + 1)
        height = k**2 - 1
        self.z = vector(-self.radius, height)
        self.y = vector(2 * k, height)
        rise = Fraction(2 * k**2, k**4 - 1) * (self.y[0] - self.z[0])
        self.x = vector(2 * k, height + rise)
        local = scaled_identity(4 * ONE, 2)
        background = scaled_identity(ONE, 2)
        self.Theta: Parameters = Parameters([vector(0, 0)], [self.radius], [local], background)

    def quotient(self, f: Callable[[Vector], Scalar]) -> Scalar:
        """Erratum E6: the change of f over its step from y to x, divided by the step."""
        return lipschitz_quotient(f, self.x, self.y)

    def quotient_of_distance(self) -> Scalar:
        """Erratum E6: the quotient of D(., z)."""
        return self.quotient(lambda x: distance(x, self.z, *self.Theta))

    def quotient_of_classifier(self, positive: Vector) -> Scalar:
        """Erratum E6: the quotient of f with the instance z in the negative class and one in the
        positive.
        """
        return self.quotient(lambda x: decision_value(x, [self.z], [positive], 1, *self.Theta))


@witness("E6")
def not_lipschitz() -> Witness:
    """Erratum E6: D(., z) changes by far more than the printed constant allows, without bound along
    the family.

    >>> print(not_lipschitz().text)
    o = 0, r = 101, M(A) = 4I, M(B) = I, z = (-101, 99), y = (20, 99), x = y + (0, 2200/909):
    quotient of D 16.5 > 7.07
    """
    early = TangentFamily(10)
    Theta = early.Theta
    first = early.quotient_of_distance()
    second = TangentFamily(1000).quotient_of_distance()
    bound = printed_distance_lipschitz_bound(Theta.local_metrics, Theta.background_metric)
    e = euclidean_distance(early.x, early.y)
    text = (
        f"o = 0, r = {early.radius}, M(A) = 4I, M(B) = I, z = {shown(early.z)}, y = "
        f"{shown(early.y)}, x = y + (0, {e}): quotient of D {float(first):.1f} > {bound:.2f}"
    )
    within = first * e <= modulus_of_continuity(e, *Theta)
    return Witness(text, first > bound and second > 100 * bound and within)


@witness("E6")
def classifier_not_lipschitz() -> Witness:
    """Erratum E6: the same points, for the classifier f itself.

    >>> print(classifier_not_lipschitz().text)
    the same ball, metrics, x and y, K = 1, X- = {(-101, 99)}, X+ = {(20, 300)}: quotient of f 15.5
    > 14.14
    """
    early = TangentFamily(10)
    late = TangentFamily(1000)
    above = vector(early.y[0], 300)
    first = early.quotient_of_classifier(above)
    second = late.quotient_of_classifier(vector(late.y[0], 3 * late.y[1]))
    bound = printed_lipschitz_bound(early.Theta.local_metrics, early.Theta.background_metric)
    text = (
        f"the same ball, metrics, x and y, K = 1, X- = {{{shown(early.z)}}}, X+ = "
        f"{{{shown(above)}}}: quotient of f {float(first):.1f} > {bound:.2f}"
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
    """Erratum E7: D with the approximate gamma_b falls by 4 over a way of 2, twice as fast as Lemma
    1 allows, also when its constant is taken with the square roots that it lacks.

    >>> print(stacked_balls().text)
    three balls [9, 11] of the line, M(A_s) = 0, M(B) = 1: D(0, 9) = 9, D(0, 11) = 5; |slope| = 2 >
    s(M(B)) + sum s(M(A_s)) = 1
    """
    Theta = three_stacked_balls()

    def D(x: Vector) -> Scalar:
        """The distance from x to 0."""
        return distance(x, vector(0), *Theta)

    distance_to_9 = D(vector(9))
    distance_to_11 = D(vector(11))
    slope = lipschitz_quotient(D, vector(9), vector(11))
    local_roots = sum(map(spectral_scale, Theta.local_metrics))
    with_roots = spectral_scale(Theta.background_metric) + local_roots
    printed = printed_distance_lipschitz_bound(Theta.local_metrics, Theta.background_metric)
    text = (
        "three balls [9, 11] of the line, M(A_s) = 0, M(B) = 1: "
        f"D(0, 9) = {distance_to_9}, D(0, 11) = {distance_to_11}; "
        f"|slope| = {slope} > s(M(B)) + sum s(M(A_s)) = {with_roots}"
    )
    falls = distance_to_11 < distance_to_9
    return Witness(text, falls and slope > with_roots and slope > printed)


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

    def signs(points: list[list[Fraction]], m: Fraction) -> list[int]:
        """The predictions on points, with the background metric m."""
        return [predict(x, X_minus, X_plus, 1, [], [], [], [[m]]) for x in points]

    grid = [vector(Fraction(step, 16)) for step in range(17)]
    same_signs = signs(grid, scale) == signs(grid, ONE)
    trained = signs(X_minus + X_plus, scale)
    wrong = sum(sign != label for sign, label in zip(trained, [-1, -1, 1, 1], strict=True))
    c = printed_capacity([], [[scale]], diameter=1, doubling_dimension=1)
    bound = printed_learning_bound(wrong, n, 0.05, float(c))
    text = (
        f"coin labels, K = 1, k = {wrong} of n = {n}, delta = 0.05: error 1/2, "
        f"printed bound {bound:.3f} at M(B) = {scale}, same signs as at 1"
    )
    return Witness(text, wrong == 0 and same_signs and bound < 0.5)


@witness("E12")
def quotient_at_one_pair() -> Witness:
    """Erratum E12: the quotient at one pair is not the Lipschitz constant, which is the largest
    over all pairs.

    >>> print(quotient_at_one_pair().text)
    M = diag(4, 1), x_k = (0, 0): the quotient of d_M(., x_k) is 1 at x = (0, 1) and 2 at (1, 0);
    Lip(d_M) = 2
    """
    M = [vector(4, 0), vector(0, 1)]
    x_k = vector(0, 0)
    short = quotient_of_length(M, vector(0, 1), x_k)
    long = quotient_of_length(M, vector(1, 0), x_k)
    largest = spectral_scale(M)
    text = (
        f"M = diag(4, 1), x_k = (0, 0): the quotient of d_M(., x_k) is {short} at x = (0, 1) and "
        f"{long} at (1, 0); Lip(d_M) = {largest}"
    )
    return Witness(text, short < largest == long)


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
    steepest = Fraction(1, 16) - Fraction(-1, 16)  # for two different signs
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
    capacities = [(34 * n) ** (step / 40) for step in range(41)]  # from 1 to 34 n
    least = min(printed_deviation_term(n, 0.05, capacity) for capacity in capacities)
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
