"""Evidence for the ledger beyond `lmlir.witnesses`: Tables 4 and 5, and small examples in numbers."""

from __future__ import annotations

import math
from fractions import Fraction

from lmlir.continuity import deviation_term, lipschitz_quotient, printed_capacity, spectral_scale
from lmlir.distance import background_intersection_length, covered_intervals
from lmlir.initialization import discriminative_direction, initial_metric
from lmlir.intersection import intersection_ratio, line_coefficients, printed_line_coefficients
from lmlir.ledger.tables_4_and_5 import (
    METHODS,
    PRINTED,
    below_majority,
    cells,
    diabetes_minus_pima,
    impossible_deviations,
    impossible_means,
    majority_share,
    possible_means,
    rows_for_testing,
    sizes,
    wins,
)
from lmlir.objective import average, similar_slack
from lmlir.regions import is_in_background, mahalanobis_length
from lmlir.scalars import identity_matrix
from lmlir.witnesses import Witness


def haberman_size() -> Witness:
    """Erratum E9, witness: the means of Table 5 know how many rows Haberman has.

    >>> print(haberman_size().text)
    Haberman's means that ten tests can have: 0 of 9 on 83 rows (40 % of 206), 2 of 9 on 82, 9 of 9 on 123 (40 % of 306)
    """
    fits = {rows: possible_means("haberman", rows) for rows in (83, 82, 123)}
    text = (
        f"Haberman's means that ten tests can have: {fits[83]} of 9 on 83 rows (40 % of 206), {fits[82]} of 9 on 82, "
        f"{fits[123]} of 9 on 123 (40 % of 306)"
    )
    return Witness("E9", text, fits[123] == 9 and max(fits[82], fits[83]) < 9)


def one_data_set_twice() -> Witness:
    """Erratum E10, witness: Diabetes and Pima have the same row in Table 4 and different rows in Table 5.

    >>> print(one_data_set_twice().text)
    Table 4: both 768 (268, 500), 8 features; Table 5: 0.87 between the two means of the paper's method, up to 2.56 for NCA
    """
    rows, one, two, features = PRINTED["table_4"]["diabetes"]
    gaps = {method: abs(gap) for method, gap in diabetes_minus_pima().items()}
    worst = max(gaps, key=lambda method: gaps[method])
    text = (
        f"Table 4: both {rows} ({one}, {two}), {features} features; Table 5: {gaps['Our']} between the two means of the "
        f"paper's method, up to {gaps[worst]} for {worst}"
    )
    return Witness("E10", text, PRINTED["table_4"]["diabetes"] == PRINTED["table_4"]["pima"] and all(gaps.values()))


def impossible_cells() -> Witness:
    """Erratum E17, witness: three means that no ten test parts can have.

    >>> print(impossible_cells().text)
    no ten test parts have the means ilpd ITML 68.67, ilpd NCA 66.80, planning GMML 65.20; the other 123 are possible
    """
    impossible = impossible_means()
    named = ", ".join(f"{cell.dataset} {cell.method} {cell.mean}" for cell in impossible)
    possible = sum(1 for _ in cells()) - len(impossible)
    return Witness(
        "E17", f"no ten test parts have the means {named}; the other {possible} are possible", len(impossible) > 0
    )


def small_leads() -> Witness:
    """Erratum E17, witness: most of the eight wins are smaller than the deviation printed beside them.

    >>> print(small_leads().text)
    8 wins, 2 of them by more than the method's own deviation: fourclass (3.59 > 1.11), pima (1.37 > 1.27)
    """
    clear = [win for win in wins() if win.lead > win.deviation]
    named = ", ".join(f"{win.dataset} ({win.lead} > {win.deviation})" for win in clear)
    text = f"{len(wins())} wins, {len(clear)} of them by more than the method's own deviation: {named}"
    return Witness("E17", text, len(clear) < len(wins()))


def majority_wins() -> Witness:
    """Erratum E17, witness: on two data sets nothing in Table 5 is as good as always naming the larger class.

    >>> print(majority_wins().text)
    the larger class alone: ilpd 71.36 (best of Table 5: 69.27), planning 71.43 (best of Table 5: 67.40)
    """
    beaten = [
        f"{dataset} {majority_share(dataset):.2f} (best of Table 5: {max(PRINTED['table_5'][dataset])})"
        for dataset, methods in below_majority().items()
        if len(methods) == len(METHODS)
    ]
    return Witness("E17", f"the larger class alone: {', '.join(beaten)}", len(beaten) > 0)


def two_deviations() -> Witness:
    """Erratum E24, witness: three columns of Table 5 divide by n, six by n - 1; no cell with a possible mean contradicts it.

    >>> print(two_deviations().text)
    deviations ruled out: n - 1 in LMNN 5, ITML 6, RVML 4 cells; n in NCA 5, MCML 2, GMML 5, SCML 4, R2LML 6, Our 4 cells
    """
    by_nine, by_ten = impossible_deviations(9), impossible_deviations(10)
    named = [
        ", ".join(f"{method} {count}" for method, count in counts.items() if count) for counts in (by_nine, by_ten)
    ]
    text = f"deviations ruled out: n - 1 in {named[0]} cells; n in {named[1]} cells"
    return Witness("E24", text, all((by_nine[method] > 0) != (by_ten[method] > 0) for method in by_nine))


MONK_VALUES = (3, 3, 2, 3, 4, 2)  # how many values each of the six features takes


def repeated_rows() -> Witness:
    """Erratum E25, witness: there are fewer different Monk1 instances than rows.

    >>> print(repeated_rows().text)
    Monk1: 556 rows, 3*3*2*3*4*2 = 432 different instances: 124 rows are repeats; about 27 % of the test rows are trained on
    """
    rows, different = sizes("monk1")[0], math.prod(MONK_VALUES)
    repeats = rows - different
    trained = rows - rows_for_testing(rows)
    share = Fraction(2 * repeats, rows) * Fraction(trained, rows - 1)  # a row of a pair, and its twin is in training
    text = (
        f"Monk1: {rows} rows, {'*'.join(map(str, MONK_VALUES))} = {different} different instances: {repeats} rows are "
        f"repeats; about {round(100 * share)} % of the test rows are trained on"
    )
    return Witness("E25", text, repeats > 0)


def selector_as_class() -> Witness:
    """Erratum E26, witness: the class sizes of Liverdisorders are those of its train/test selector.

    >>> print(selector_as_class().text)
    Liverdisorders 345 (145, 200): field 7, which divides the rows into 145 and 200, was made to separate training from test
    """
    rows, one, two, _ = sizes("liverdisorders")
    text = (
        f"Liverdisorders {rows} ({one}, {two}): field 7, which divides the rows into {one} and {two}, "
        "was made to separate training from test"
    )
    return Witness("E26", text, one + two == rows)


# ------------------------------------------------------------------------------------------------- small examples


def one_term_for_many() -> Witness:
    """Erratum E11, witness: without a sum g depends on which pair is meant; the average of (12) does not.

    >>> print(one_term_for_many().text)
    two similar pairs with D = 3/2 and D = 7/2, C = 1/2: 1/N_1 [D - (1 - C)]_+ is 1/2 or 3/2; (12) has their sum, 2
    """
    D, C = (Fraction(3, 2), Fraction(7, 2)), Fraction(1, 2)
    slacks = [similar_slack(distance, C) for distance in D]
    terms = [slack / len(D) for slack in slacks]
    text = (
        f"two similar pairs with D = {D[0]} and D = {D[1]}, C = {C}: 1/N_1 [D - (1 - C)]_+ is {terms[0]} or {terms[1]}; "
        f"(12) has their sum, {average(slacks)}"
    )
    return Witness("E11", text, average(slacks) == sum(terms) and average(slacks) not in terms)


def quotient_at_one_pair() -> Witness:
    """Erratum E12, witness: the quotient at one pair is not the Lipschitz constant, which is the largest over all pairs.

    >>> print(quotient_at_one_pair().text)
    M = diag(4, 1), x_k = (0, 0): the quotient of d_M(., x_k) is 1 at x = (0, 1) and 2 at (1, 0); Lip(d_M) = 2
    """
    M, x_k = [[Fraction(4), Fraction(0)], [Fraction(0), Fraction(1)]], [Fraction(0), Fraction(0)]
    quotients = [
        lipschitz_quotient(lambda x: mahalanobis_length(x, x_k, M), [Fraction(x) for x in point], x_k)
        for point in ((0, 1), (1, 0))
    ]
    text = (
        f"M = diag(4, 1), x_k = (0, 0): the quotient of d_M(., x_k) is {quotients[0]} at x = (0, 1) and {quotients[1]} "
        f"at (1, 0); Lip(d_M) = {spectral_scale(M)}"
    )
    return Witness("E12", text, quotients[0] < spectral_scale(M) == quotients[1])


def length_outside_the_background() -> Witness:
    """Erratum E19, witness: equation (4) measures by M(B) what no part of the background is.

    >>> print(length_outside_the_background().text)
    x_i = 0, x_j = 9, balls [1, 3] and [5, 6], M(B) = 1: (4) subtracts l([1, 3] u [5, 6]; M(B)) = 3, in which no point is in B
    """
    x_i, x_j, B = [Fraction(0)], [Fraction(9)], [[Fraction(1)]]
    centers, radii = [[Fraction(2)], [Fraction(11, 2)]], [Fraction(1), Fraction(1, 2)]
    pieces = [(9 * start, 9 * end) for start, end in covered_intervals(x_i, x_j, centers, radii)]
    subtracted = mahalanobis_length(x_i, x_j, B) - background_intersection_length(x_i, x_j, centers, radii, B)
    tried = [[start + (end - start) * Fraction(step, 8)] for start, end in pieces for step in range(9)]
    union = " u ".join(f"[{start}, {end}]" for start, end in pieces)
    text = (
        f"x_i = 0, x_j = 9, balls [1, 3] and [5, 6], M(B) = 1: (4) subtracts l({union}; M(B)) = {subtracted}, "
        "in which no point is in B"
    )
    outside = not any(is_in_background(point, centers, radii) for point in tried)
    return Witness("E19", text, outside and subtracted == sum(end - start for start, end in pieces))


def shattered_pair() -> Witness:
    """Erratum E20, witness: two points that the functions allowed can shatter, against the printed capacity.

    For any two signs a function with the values +-1/16 on two points 1 apart has the Lipschitz constant 1/8 at most.

    >>> print(shattered_pair().text)
    X = {0, 1}, L = 1/8, sum ||M||_F = L/2: two points are shattered at 1/16, but c = (16 L/2)^2 = 1; (16 L)^2 = 4
    """
    L, shattered = Fraction(1, 8), 2
    steepest = max(abs(one - two) for one in (-1, 1) for two in (-1, 1)) * Fraction(1, 16)
    printed = printed_capacity([], [[L / 2]], diameter=1, doubling_dimension=1)
    corrected = printed_capacity([], [[L]], diameter=1, doubling_dimension=1)
    text = (
        f"X = {{0, 1}}, L = {L}, sum ||M||_F = L/2: two points are shattered at 1/16, but c = (16 L/2)^2 = {printed}; "
        f"(16 L)^2 = {corrected}"
    )
    return Witness("E20", text, steepest <= L and printed < shattered <= corrected)


def empty_bound() -> Witness:
    """Erratum E22, witness: on data sets of the paper's sizes the bound says nothing.

    >>> print(empty_bound().text)
    n = 600, the largest training part, delta = 0.05: c = 1 gives 0.994; in the plane, S = 4, all metrics I: c = 51200 > 34 n
    """
    n = max(rows - rows_for_testing(rows) for rows, *_ in map(sizes, PRINTED["table_4"]))
    least = deviation_term(n, 0.05, 1.0)
    identity = identity_matrix(2)
    c = printed_capacity([identity] * 4, identity, diameter=2, doubling_dimension=1)
    text = (
        f"n = {n}, the largest training part, delta = 0.05: c = 1 gives {least:.3f}; "
        f"in the plane, S = 4, all metrics I: c = {c:.0f} > 34 n"
    )
    return Witness("E22", text, least > 0.99 and c > 34 * n)


def crossed_classes() -> tuple[list[list[Fraction]], list[int]]:
    """Erratum E23, witness: unit-length instances of the line; one of the first class stands among the second.

    >>> [len(part) for part in crossed_classes()]
    [22, 22]
    """
    X = [[Fraction(1)]] + [[Fraction(-1)]] * 10 + [[Fraction(1)]] * 11
    return X, [0] * 11 + [1] * 11


def no_metric_at_the_start() -> Witness:
    """Erratum E23, witness: with K = 10 the initial local metric can be negative.

    >>> print(no_metric_at_the_start().text)
    unit length, K = 10: one instance at 1 among the other class, its own class at -1: h = -20, M(A) = I + 0.1 h = -1
    """
    X, y = crossed_classes()
    h = discriminative_direction(X, y, 0, K=10)
    M = initial_metric([h], weight=Fraction(1, 10))
    text = (
        "unit length, K = 10: one instance at 1 among the other class, its own class at -1: "
        f"h = {h[0]}, M(A) = I + 0.1 h = {M[0][0]}"
    )
    return Witness("E23", text, M[0][0] < 0)


def cancelling_discriminant() -> Witness:
    """Erratum E28, witness: a small ball far from x_i; b^2 - 4ac loses the chord that 4a(r^2 - h^2) keeps.

    >>> print(cancelling_discriminant().text)
    x_i = -1e8, x_j = 1, ball o = 0, r = 1/2: the chord 1 comes out of b^2 - 4ac as 2.684, of 4a(r^2 - h^2) as 1.000
    """
    x_i, x_j, center, radius = [-1e8], [1.0], [0.0], 0.5
    printed_u, printed_v = printed_line_coefficients(x_i, x_j, center, radius)
    stable_u, stable_v = line_coefficients(x_i, x_j, center, radius)
    length = x_j[0] - x_i[0]
    printed, stable = (printed_v - printed_u) * length, (stable_v - stable_u) * length
    text = (
        f"x_i = -1e8, x_j = 1, ball o = 0, r = 1/2: the chord 1 comes out of b^2 - 4ac as {printed:.3f}, "
        f"of 4a(r^2 - h^2) as {stable:.3f}"
    )
    exact = intersection_ratio([Fraction(-(10**8))], [Fraction(1)], [Fraction(0)], Fraction(1, 2)) * (10**8 + 1)
    return Witness("E28", text, abs(printed - exact) > 1e-3 and abs(stable - exact) < 1e-7)
