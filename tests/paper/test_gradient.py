"""Section 5.2 and Table 3: tests of `lmlir.gradient`."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from independent import (
    END,
    ROWS,
    START,
    close,
    derivative,
    fractions,
    is_finite,
    mixed_cases,
    numbers,
)

from lmlir.distance import all_ratios, distance
from lmlir.gradient import (
    GRADIENT_ROWS,
    active_pairs,
    add_share,
    check_printed,
    distance_gradient_background_metric,
    distance_gradient_center,
    distance_gradient_local_metric,
    distance_gradient_position,
    distance_gradient_radius,
    distance_gradient_ratio,
    gradient_around_end,
    gradient_around_start,
    gradient_when_constant,
    gradient_when_missing,
    gradient_within_segment,
    length_gradient,
    objective_gradient,
    ratio_gradient,
    root_gradient,
    shrinkage,
)
from lmlir.intersection import intersection_ratio, segment_case
from lmlir.objective import dissimilar_pairs, objective, similar_pairs
from lmlir.regions import mahalanobis_length
from lmlir.scalars import Parameters, frobenius_norm

# Table 3 for the balls of independent.ROWS, derived by hand: with the segment on the x axis and y
# the center's height, gamma is 2 sqrt(r^2 - y^2)/4, (o_x + sqrt(r^2 - y^2))/4 or (4 - o_x +
# sqrt(r^2 - y^2))/4.
QUARTER = Fraction(1, 4)
SIXTEENTH = Fraction(1, 16)
BY_HAND = {
    1: (gradient_when_missing, [0, 0], 0),
    2: (gradient_when_missing, [0, 0], 0),
    3: (gradient_when_constant, [0, 0], 0),
    4: (gradient_around_start, [QUARTER, -3 * SIXTEENTH], 5 * SIXTEENTH),
    5: (gradient_when_constant, [0, 0], 0),
    6: (gradient_within_segment, [0, Fraction(-2, 3)], Fraction(5, 6)),
    7: (gradient_around_end, [-QUARTER, -3 * SIXTEENTH], 5 * SIXTEENTH),
    8: (gradient_when_constant, [0, 0], 0),
}


# ------------------------------------------------------------------------------------------ Table 3


@pytest.mark.parametrize(("row", "center", "radius", "line", "segment"), ROWS)
def test_each_row_of_table_3_by_hand(row, center, radius, line, segment):
    """Table 3: d gamma / d o and d gamma / d r in exact fractions, by the row's own function and by
    the one that picks it.
    """
    function, by_center, by_radius = BY_HAND[row]
    assert function(START, END, center, radius) == (by_center, by_radius)
    assert GRADIENT_ROWS[row] is function
    assert ratio_gradient(START, END, center, radius) == (by_center, by_radius)


def test_the_gradient_of_the_root_of_Delta_by_hand():
    """Table 3: Delta = 64 (r^2 - y^2), so its root is 8 sqrt(25 - y^2): at y = 3 the slope is
    -8*3/4.
    """
    assert root_gradient(START, END, fractions(1, 3), 5) == [0, -6]


@pytest.mark.parametrize(("row", "center", "radius", "line", "segment"), ROWS[2:])
def test_each_row_of_table_3_is_the_slope_of_the_ratio(row, center, radius, line, segment):
    """Table 3: central differences of gamma in 50 digits, turned and shifted so that no coordinate
    is special.
    """
    with mpmath.workdps(50):
        turn = mpmath.mpf("0.7")
        cosine = mpmath.cos(turn)
        sine = mpmath.sin(turn)

        def placed(point):
            x, y = (mpmath.mpf(entry.numerator) / entry.denominator for entry in point)
            return [cosine * x - sine * y + 2, sine * x + cosine * y - 1]

        x_i = placed(START)
        x_j = placed(END)
        o = placed(center)
        r = mpmath.mpf(radius)
        assert segment_case(x_i, x_j, o, r) == row
        check_ratio_gradient(x_i, x_j, o, r)


def check_ratio_gradient(x_i, x_j, o, r):
    """Both derivatives against central differences of the ratio, in mpmath's precision at the
    time.
    """

    def ratio(center, radius):
        return intersection_ratio(x_i, x_j, center, radius)

    by_center, by_radius = ratio_gradient(x_i, x_j, o, r)
    assert close(by_radius, derivative(lambda radius: ratio(o, radius), r))
    for f in range(len(o)):
        expected = slope(lambda center: ratio(center, r), o, f)
        assert close(by_center[f], expected)


@given(st.integers(0, 10**9), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_the_ratio_gradient_is_the_slope_of_the_ratio(seed, F):
    """Table 3 away from kinks: random segments and balls in one to four dimensions, 50 digits."""
    rng = np.random.default_rng(seed)
    with mpmath.workdps(50):
        x_i, x_j, o = numbers(rng.normal(size=(3, F)).tolist())
        r = mpmath.mpf(float(rng.uniform(0.1, 2.5)))
        check_ratio_gradient(x_i, x_j, o, r)


def test_equal_end_points_have_no_gradient():
    """Choice C21, Table 3: x_i = x_j, inside and outside the ball."""
    for point in ([0.0, 0.0], [9.0, 9.0]):
        assert ratio_gradient(point, point, [0.0, 0.0], 1.0) == ([0, 0], 0)


def test_on_a_kink_the_gradient_lies_between_the_one_sided_ones():
    """Choice C14, Table 3: x_j on the sphere, x_i inside; row 4's slope in o_x from one side is
    1/4, from the other 0.
    """
    by_center, by_radius = ratio_gradient(START, END, fractions(0, 3), 5)  # gamma = 1, lambda_v = 1
    assert 0 <= by_center[0] <= Fraction(1, 4)
    assert 0 <= by_radius <= Fraction(5, 16)
    # Table 3's own row
    assert by_center == [Fraction(1, 4), Fraction(-3, 16)]
    assert by_radius == Fraction(5, 16)


def test_the_one_sided_slope_at_a_tangency_is_infinite():
    """Table 3, row 1 (E16): gamma(1 + h) - gamma(1) over h doubles with every quarter of h; Table 3
    says 0.
    """
    tangent = [-1.0, 1.0], [1.0, 1.0], [0.0, 0.0]
    quotients = []
    for h in (4.0**-10, 4.0**-11, 4.0**-12):
        gamma = intersection_ratio(*tangent, 1 + h)
        quotients.append(gamma / h)
    assert quotients[1] / quotients[0] == pytest.approx(2, rel=1e-3)
    assert quotients[2] / quotients[1] == pytest.approx(2, rel=1e-3)
    assert ratio_gradient(*tangent, 1.0) == ([0, 0], 0)


@given(mixed_cases())
@settings(max_examples=100, deadline=None)
def test_gradients_are_finite_within_the_range(case):
    """Table 3 in floats from 1e-60 to 1e60, mixed."""
    assert is_finite(list(ratio_gradient(*case)))


def test_beyond_the_range_a_gradient_is_an_error():
    """Choice C26: no infinite slope without a word."""
    with pytest.raises(ValueError, match="Delta left the range of floats"):
        ratio_gradient([0.0, 0.0], [4e100, 0.0], [2e100, 0.0], 1e100)
    with pytest.raises(ValueError, match="dD/dM left the range of floats"):
        length_gradient([1e145, 1e-145], [0.0, 0.0], [[0.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="d gamma / d o left the range of floats"):
        ratio_gradient([0.0, 0.0], [9e149, 0.0], [0.0, 1e8 * (1 - 4 * 2.0**-52)], 1e8)
    almost_too_large = [0.0, 0.0], [1e75, 0.0], [0.0, 0.5e76], 1e76
    assert is_finite(list(ratio_gradient(*almost_too_large)))


def test_of_both_slopes_that_by_the_radius_alone_can_leave_the_range():
    """Table 3, row 6 (C26), in fractions: with p^2 - 2q^2 = 2, p / (s root 8) by the radius, q / (s
    root 8) by the center.
    """
    p = 2
    q = 1
    while p < 10**300:
        p, q = 3 * p + 4 * q, 2 * p + 3 * q
    assert p**2 - 2 * q**2 == 2

    def gradient(s):
        """For a segment of length 4s, and the ball of radius p s with the center (2s, q s, q s)."""
        center = [2 * s, q * s, q * s]
        return ratio_gradient([0, 0, 0], [4 * s, 0, 0], center, p * s)

    s = p / (4 * Fraction(10) ** 308)
    by_center, by_radius = gradient(s)
    assert by_radius == pytest.approx(math.sqrt(2) * 1e308, rel=1e-12)
    assert by_center == pytest.approx([0, -1e308, -1e308], rel=1e-12)
    with pytest.raises(ValueError, match="d gamma / d r left the range of floats"):
        gradient(s * 2 / 3)


# ------------------------------------------------------------------------------ of the distance (9)


@st.composite
def scenes(draw):
    """Two points, up to three overlapping balls and random metrics in up to three dimensions, in 50
    digits.
    """
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    F = draw(st.integers(1, 3))
    S = draw(st.integers(1, 3))
    roots = rng.normal(size=(S + 1, F, F))
    metrics = [(root.T @ root + 0.1 * np.eye(F)).tolist() for root in roots]
    x_i, x_j = rng.normal(size=(2, F)).tolist()
    centers = rng.normal(size=(S, F)).tolist()
    radii = rng.uniform(0.2, 1.5, S).tolist()
    return numbers([x_i, x_j, centers, radii, metrics[:S], metrics[S]])


def replaced(values, path, value):
    """The nested list with the entry at the path replaced."""
    if not path:
        return value
    first, *rest = path
    copy = list(values)
    copy[first] = replaced(values[first], rest, value)
    return copy


def slope(function, values, *path):
    """The central difference of function(values) by the entry at the path."""
    entry = values
    for index in path:
        entry = entry[index]
    return derivative(lambda moved: function(replaced(values, path, moved)), entry)


@given(scenes())
@settings(max_examples=40, deadline=None)
def test_the_distance_moves_with_each_parameter_as_its_gradient_says(scene):
    """Section 5.2, dD/dM(B), Section 5.2, dD/dM(A_s), Section 5.2, dD/do_s and Section 5.2,
    dD/dr_s: central differences.
    """
    ends = scene[:2]
    Theta = scene[2:]
    F = len(scene[0])

    def D(Theta):
        return distance(*ends, *Theta)

    with mpmath.workdps(50):
        by_background = distance_gradient_background_metric(*scene)
        for f, g in itertools.product(range(F), repeat=2):
            assert close(by_background[f][g], slope(D, Theta, 3, f, g))
        for s in range(len(Theta[1])):
            by_local = distance_gradient_local_metric(*ends, s, *Theta)
            by_center = distance_gradient_center(*ends, s, *Theta)
            for f, g in itertools.product(range(F), repeat=2):
                assert close(by_local[f][g], slope(D, Theta, 2, s, f, g))
            for f in range(F):
                assert close(by_center[f], slope(D, Theta, 0, s, f))
            assert close(distance_gradient_radius(*ends, s, *Theta), slope(D, Theta, 1, s))
            assert distance_gradient_position(*ends, s, *Theta)[0] == by_center


def test_the_gradients_of_the_distance_by_hand():
    """Section 5.2, dD/dM(B) and dD/dM(A_s): [0, 8] with the ball [1, 3], M(A) = 4, M(B) = 1: 64
    gamma over 2 D_M.
    """
    ends = fractions(0), fractions(8)
    ball = [fractions(2)], [Fraction(1)]
    Theta = *ball, [[[Fraction(4)]]], [[Fraction(1)]]
    by_background = Fraction(3, 4) * 64 / 16
    by_local = Fraction(1, 4) * 64 / 32
    assert distance_gradient_background_metric(*ends, *Theta) == [[by_background]]
    assert distance_gradient_local_metric(*ends, 0, *Theta) == [[by_local]]
    # moving the ball along the line changes nothing, growing it trades 2 units of length 1 for 2 of
    # length 2
    assert distance_gradient_center(*ends, 0, *Theta) == [0]
    assert distance_gradient_radius(*ends, 0, *Theta) == 2
    assert distance_gradient_radius(*ends, 0, *Theta, printed=["E3"]) == 6
    assert all_ratios(*ends, *ball) == [Fraction(1, 4)]


def test_a_hidden_background_has_no_gradient():
    """Section 5.2, dD/dM(B): where the ratios sum to 1 or more, the indicator is 0, also on its
    kink, but no earlier.
    """
    for count in (1, 2):  # sum gamma = 1 is the kink, 2 lies beyond
        Theta = [[4.0]] * count, [4.0] * count, [[[4.0]]] * count, [[1.0]]
        assert distance_gradient_background_metric([0.0], [8.0], *Theta) == [[0]]
        assert distance_gradient_radius([0.0], [8.0], 0, *Theta) == 16 / 4
        assert distance_gradient_ratio(False, background=8, local=16) == 16
        assert distance_gradient_ratio(False, background=8, local=16, printed=["E3"]) == 16
    nearly_four = 4 - Fraction(1, 10**20)
    almost = [fractions(4)], [nearly_four], [[[Fraction(4)]]], [[Fraction(1)]]
    assert distance_gradient_radius(fractions(0), fractions(8), 0, *almost) == (16 - 8) / 4
    assert distance_gradient_ratio(True, background=8, local=16) == 8
    assert distance_gradient_ratio(True, background=8, local=16, printed=["E3"]) == 24


def test_where_a_length_is_zero_its_gradient_is_zero():
    """Choice C14: equal points, and a metric that does not see the difference."""
    assert length_gradient([1.0, 2.0], [1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]]) == [[0, 0], [0, 0]]
    assert length_gradient([0.0, 2.0], [0.0, 1.0], [[1.0, 0.0], [0.0, 0.0]]) == [[0, 0], [0, 0]]
    assert length_gradient([1, 2, 3], [1, 2, 3], np.eye(3).tolist()) == [[0] * 3] * 3
    tiny = Fraction(1, 10**20)
    assert length_gradient([tiny], [0], [[1]]) == [[tiny / 2]]  # d^2 over 2d, however small d is


@given(st.integers(0, 10**9), st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_a_length_moves_with_its_metric_as_its_gradient_says(seed, F):
    """Section 5.2, dD/dM(B) and dD/dM(A_s), their common factor."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(F, F))
    ends = rng.normal(size=(2, F)).tolist()
    metric = (root.T @ root + np.eye(F)).tolist()
    with mpmath.workdps(50):
        x_i, x_j = numbers(ends)
        M = numbers(metric)

        def length(M):
            return mahalanobis_length(x_i, x_j, M)

        gradient = length_gradient(x_i, x_j, M)
        for f in range(F):
            assert close(gradient[f][f], slope(length, M, f, f))


# --------------------------------------------------------------------------------- of the objective


def test_the_shrinkage_is_the_slope_of_the_norm():
    """Section 5.2, shrinkage (E4): central differences of alpha ||M||_F; the printed term is half
    of it; 0 at M = 0.
    """
    with mpmath.workdps(50):
        M = numbers([[3, 1], [1, 4]])
        alpha = mpmath.mpf("0.7")

        def penalty(M):
            return alpha * frobenius_norm(M)

        gradient = shrinkage(M, alpha)
        printed = shrinkage(M, alpha, printed=["E4"])
        for f, g in itertools.product(range(2), repeat=2):
            assert close(gradient[f][g], slope(penalty, M, f, g))
            assert close(2 * printed[f][g], gradient[f][g])
    assert shrinkage([[0.0, 0.0], [0.0, 0.0]], 1.0) == [[0, 0], [0, 0]]
    assert shrinkage([[0] * 3] * 3, 1) == [[0] * 3] * 3
    assert shrinkage([[Fraction(1, 10**20)]], 1) == [[1]]  # M / |M|, however small M is


@st.composite
def problems(draw):
    """Six instances of two classes, three balls, and pairs: everything objective_gradient takes, in
    50 digits.
    """
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    F = draw(st.integers(1, 3))
    X = rng.normal(size=(6, F)).tolist()
    y = [0, 0, 0, 1, 1, 1]
    roots = rng.normal(size=(4, F, F)) * 0.7
    metrics = [(root.T @ root + 0.1 * np.eye(F)).tolist() for root in roots]
    centers = rng.normal(size=(3, F)).tolist()
    radii = rng.uniform(0.2, 0.9, 3).tolist()
    Theta = numbers([centers, radii, metrics[:3], metrics[3]])
    similar = similar_pairs(X, y, 1)
    dissimilar = dissimilar_pairs(X, y, 1)
    return numbers(X), similar, dissimilar, Parameters(*Theta)


@given(problems())
@settings(max_examples=10, deadline=None)
def test_the_objective_moves_with_each_parameter_as_its_gradient_says(problem):
    """Section 5.2, gradient of g (E2, E3, E4): central differences of g by all of Theta; as printed
    they disagree.
    """
    X, similar, dissimilar, Theta = problem
    with mpmath.workdps(50):
        alpha = mpmath.mpf("0.1")
        C = mpmath.mpf("0.5")

        def g(parameters):
            return objective(X, similar, dissimilar, *parameters, alpha, C)

        gradient = objective_gradient(X, similar, dissimilar, *Theta, alpha, C)
        last = len(X[0]) - 1
        for s in range(3):
            assert close(gradient.radii[s], slope(g, Theta, 1, s))
            assert close(gradient.centers[s][last], slope(g, Theta, 0, s, last))
            assert close(gradient.local_metrics[s][last][0], slope(g, Theta, 2, s, last, 0))
        assert close(gradient.background_metric[last][0], slope(g, Theta, 3, last, 0))


def test_the_gradient_of_the_objective_by_hand():
    """Section 5.2, gradient of g: one similar pair with D = 2, one dissimilar with D = 1, M(B) = 1,
    alpha = 1, C = 1/2.

    dD/dM is |d|/2: 1 for the similar pair, -1/2 for the dissimilar one, 1 for the norm; printed E2:
    + 1/2, E4: 1/2.
    """
    X = [fractions(0), fractions(2), fractions(1)]
    half = Fraction(1, 2)
    arguments = X, [(0, 1)], [(0, 2)], [], [], [], [[Fraction(1)]], 1, half

    def by_background(printed):
        gradient = objective_gradient(*arguments, printed=printed)
        return gradient.background_metric[0][0]

    assert by_background([]) == 1 - half + 1
    assert by_background(["E2"]) == 1 + half + 1
    assert by_background(["E4"]) == 1 - half + half


def test_a_printed_mistake_reaches_the_region():
    """Section 5.2, gradient of g (E3, E4): [0, 8] with the ball [1, 3], M(A) = 4, M(B) = 1, one
    similar pair, alpha = 1.

    By the radius it is 2, printed 6 (E3); by the local metric 1/2 + 1, the norm's share printed as
    1/2 (E4).
    """
    X = [fractions(0), fractions(8)]
    Theta = [fractions(2)], [Fraction(1)], [[[Fraction(4)]]], [[Fraction(1)]]

    def slopes(printed):
        gradient = objective_gradient(X, [(0, 1)], [], *Theta, 1, Fraction(1, 2), printed)
        return gradient.radii[0], gradient.local_metrics[0][0][0]

    assert slopes([]) == (2, Fraction(3, 2))
    assert slopes(["E3"]) == (6, Fraction(3, 2))
    assert slopes(["E4"]) == (2, 1)


def test_an_inactive_hinge_and_one_on_its_kink_contribute_nothing():
    """Choice C14, Section 5.2, gradient of g: similar pairs up to 1 - C, dissimilar ones from 1 +
    C; strict.
    """
    Theta = Parameters([], [], [], [[Fraction(1)]])
    tiny = Fraction(1, 10**20)
    half = Fraction(1, 2)
    X = [
        fractions(0),
        [half],
        [3 * half],
        [4 * half],
        [half / 2],
        [half + tiny],
        [3 * half - tiny],
    ]
    similar = [(0, 1), (0, 4), (0, 5)]
    dissimilar = [(0, 2), (0, 3), (0, 6)]
    assert active_pairs(X, similar, dissimilar, Theta, half) == [(0, 5, 3), (0, 6, -3)]
    assert active_pairs(X, similar, dissimilar, Theta, half, ["E2"]) == [(0, 5, 3), (0, 6, 3)]


def test_without_regions_and_without_pairs_the_gradient_is_the_shrinkage():
    """Section 5.2, gradient of g with S = 0 and no pairs (C20)."""
    slope = objective_gradient([], [], [], [], [], [], [[3.0, 0.0], [0.0, 4.0]], 1.0, 0.5)
    assert slope == Parameters([], [], [], [[0.6, 0.0], [0.0, 0.8]])


@pytest.mark.parametrize(
    ("alpha", "C"),
    [
        (-1e-300, 0.5),
        (math.inf, 0.5),
        (1.0, math.nan),
    ],
)
def test_weights_without_meaning_have_no_gradient(alpha, C):
    """Section 5.2, gradient of g: what the objective refuses."""
    arguments = [], [], [], [], [], [], [[1.0]], alpha, C
    for function in (objective, objective_gradient):
        with pytest.raises(ValueError, match=r"equation \(12\) needs"):
            function(*arguments)


def test_adding_a_share_divides_by_the_number_of_pairs():
    """Section 5.2, gradient of g: the averages of (12)."""
    total = [fractions(0, 1, 2), fractions(3, 4, 5), fractions(6, 7, 8)]
    summand = [[3 * entry for entry in row] for row in total]
    add_share(total, summand, -3)
    assert total == [[0] * 3] * 3


@pytest.mark.parametrize("printed", [["E1"], ["E2", "E9"], ["e2"]])
def test_only_the_three_printed_mistakes_can_be_asked_for(printed):
    """Errata E2, E3 and E4: each, all at once or none, and no other."""
    check_printed(["E2", "E3", "E4"])
    check_printed([])
    with pytest.raises(ValueError, match="printed may hold E2, E3 and E4, got printed="):
        check_printed(printed)
    with pytest.raises(ValueError, match="printed may hold"):
        shrinkage([[1.0]], 1.0, printed)
    with pytest.raises(ValueError, match="printed may hold"):
        distance_gradient_center([0.0], [1.0], 0, [[0.0]], [1.0], [[[1.0]]], [[1.0]], printed)
    with pytest.raises(ValueError, match="printed may hold"):
        objective_gradient([], [], [], [], [], [], [[1.0]], 1.0, 0.5, printed)


@pytest.mark.parametrize(("row", "center", "radius", "line", "segment"), ROWS)
def test_swapping_the_ends_leaves_the_gradient(row, center, radius, line, segment):
    """Table 3: gamma is symmetric, so its gradients are, exactly; rows 4 and 7 change places."""
    assert ratio_gradient(END, START, center, radius) == BY_HAND[row][1:]
