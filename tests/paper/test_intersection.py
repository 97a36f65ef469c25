"""Section 3.1: tests of `lmlir.intersection`."""

import inspect
import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from independent import (
    END,
    EPS,
    MANY_DIGITS,
    ROWS,
    START,
    fractions,
    gamma,
    is_finite,
    is_in_bracket,
    largest_length,
    mixed_cases,
    rotated,
    signs,
    sizes,
)

from lmlir import intersection as module
from lmlir.intersection import (
    CASES,
    clipped,
    discriminant,
    intersection,
    intersection_ratio,
    line_coefficients,
    line_points,
    middle_coefficient,
    offset_from_center,
    point_on_line,
    printed_line_coefficients,
    quadratic_a,
    quadratic_b,
    quadratic_c,
    segment_case,
    segment_coefficients,
    segment_points,
    sphere_equation,
    squared_half_chord,
    stable_discriminant,
)

ninths = st.integers(-81, 81).map(lambda n: Fraction(n, 9))
eighths = st.integers(-16, 24).map(lambda n: Fraction(n, 8))

# Balls whose sphere passes exactly through an end of the segment: Table 2's closed ends.
EDGES = [
    (4, fractions(-4, 3), 5, (0, 0)),  # lambda_v = 0: x_i on the sphere, the ball behind
    (4, fractions(0, 3), 5, (0, 1)),  # lambda_v = 1: x_j on the sphere, x_i inside
    (6, fractions(2, 0), 2, (0, 1)),  # lambda_u = 0, lambda_v = 1: both on the sphere
    (7, fractions(4, 3), 5, (0, 1)),  # lambda_u = 0: x_i on the sphere, the segment inside
    (7, fractions(8, 3), 5, (1, 1)),  # lambda_u = 1: x_j on the sphere, the ball beyond
]


# ------------------------------------------------------------------------- Table 1 and equation (7)


def test_a_b_c_and_Delta_by_hand():
    """Table 1: x_i = (1, 2), x_j = (4, 6), o = (0, 1), r = 2: d = (3, 4), x_i - o = (1, 1)."""
    x_i = [1, 2]
    x_j = [4, 6]
    o = [0, 1]
    assert quadratic_a(x_i, x_j) == 25
    assert quadratic_b(x_i, x_j, o) == 14
    assert quadratic_c(x_i, o, 2) == -2
    assert discriminant(x_i, x_j, o, 2) == 14**2 + 4 * 25 * 2


@given(st.lists(ninths, min_size=7, max_size=7))
@settings(max_examples=60)
def test_the_quadratic_is_the_sphere_equation(numbers):
    """Equation (7): a lambda^2 + b lambda + c is the squared distance to the center minus r^2, at
    any lambda.
    """
    x_i = numbers[:2]
    x_j = numbers[2:4]
    o = numbers[4:6]
    lambda_ = numbers[6]
    r = abs(numbers[0])
    a = quadratic_a(x_i, x_j)
    b = quadratic_b(x_i, x_j, o)
    c = quadratic_c(x_i, o, r)
    assert sphere_equation(lambda_, x_i, x_j, o, r) == a * lambda_**2 + b * lambda_ + c


@given(st.lists(ninths, min_size=10, max_size=10))
@settings(max_examples=60)
def test_both_forms_of_Delta_are_equal(numbers):
    """Table 1 (E28): b^2 - 4ac = 4a(r^2 - h^2), exactly, in three dimensions."""
    x_i = numbers[:3]
    x_j = numbers[3:6]
    o = numbers[6:9]
    r = abs(numbers[9])
    assume(x_i != x_j)
    Delta = discriminant(x_i, x_j, o, r)
    assert stable_discriminant(x_i, x_j, o, r) == Delta
    assert squared_half_chord(x_i, x_j, o, r) == Delta / (4 * quadratic_a(x_i, x_j))


def test_the_offset_is_the_perpendicular_from_the_center():
    """Table 3, the bracket: x_i + (-b/2a)(x_j - x_i) - o is orthogonal to the line."""
    x_i = fractions(1, 2, 3)
    x_j = fractions(4, 6, 3)
    o = fractions(0, 1, 5)
    offset = offset_from_center(x_i, x_j, o)
    direction = np.subtract(x_j, x_i)
    assert np.dot(offset, direction) == 0
    assert middle_coefficient(x_i, x_j, o) == Fraction(-14, 50)


def test_symbols_run_through_the_formulas():
    """Table 1 in SymPy: the two forms of Delta are one polynomial."""
    points = [sympy.symbols(f"{name}_:2", real=True) for name in "pqo"]
    r = sympy.Symbol("r", positive=True)
    printed = discriminant(*points, r)
    stable = stable_discriminant(*points, r)
    assert sympy.simplify(printed - stable) == 0


# ------------------------------------------------------------------------------------------ Table 2


@pytest.mark.parametrize(("row", "center", "radius", "line", "segment"), ROWS)
def test_each_row_of_table_2_by_hand(row, center, radius, line, segment):
    """Table 2, Figure 3, Definition 8: row, coefficients and ratio of a case drawn on paper, in
    exact fractions.
    """
    assert segment_case(START, END, center, radius) == row
    assert segment_coefficients(START, END, center, radius) == segment
    assert intersection_ratio(START, END, center, radius) == segment[1] - segment[0]
    if line is not None:
        assert line_coefficients(START, END, center, radius) == line
        assert CASES[row - 1](*line) == segment
    if row > 2:
        assert printed_line_coefficients(START, END, center, radius) == line
        assert segment == tuple(clipped(coefficient) for coefficient in line)


@pytest.mark.parametrize(("row", "center", "radius", "segment"), EDGES)
def test_an_end_on_the_sphere_belongs_to_the_rows_with_closed_ends(row, center, radius, segment):
    """Table 2: 0 <= lambda <= 1 includes both ends; the other rows are strict."""
    assert segment_case(START, END, center, radius) == row
    assert segment_coefficients(START, END, center, radius) == segment


TINY = Fraction(1, 10**20)
NEAR_THE_ENDS = [end + move for end in (0, 1) for move in (-TINY, 0, TINY)]
PLACES = {  # before, on and beyond the segment: where u and v lie
    ("before", "before"): 3,
    ("before", "on"): 4,
    ("before", "beyond"): 5,
    ("on", "on"): 6,
    ("on", "beyond"): 7,
    ("beyond", "beyond"): 8,
}
PAIRS_OF_ROOTS = list(itertools.combinations([-1, *NEAR_THE_ENDS, 2], 2))


@pytest.mark.parametrize(("lambda_u", "lambda_v"), PAIRS_OF_ROOTS)
def test_a_sphere_may_miss_an_end_by_as_little_as_one_likes(lambda_u, lambda_v):
    """Table 2 and Definition 5 on the line: the segment [0, 1] and the ball [u, v], in
    fractions.
    """
    x_i = [0]
    x_j = [1]
    center = [Fraction(lambda_u + lambda_v) / 2]
    radius = Fraction(lambda_v - lambda_u) / 2
    places = []
    for root in (lambda_u, lambda_v):
        if root < 0:
            places.append("before")
        elif root <= 1:
            places.append("on")
        else:
            places.append("beyond")
    assert segment_case(x_i, x_j, center, radius) == PLACES[*places]

    p = max(lambda_u, 0)
    q = min(lambda_v, 1)
    common = ()
    if p < q:
        common = ([p], [q])
    elif p == q:
        common = ([p],)
    assert intersection(x_i, x_j, center, radius) == common
    assert intersection_ratio(x_i, x_j, center, radius) == max(q - p, 0)


def test_a_sphere_may_miss_the_line_by_as_little_as_one_likes():
    """Table 2, rows 1, 2 and 6, and Definition 5: the line at height 1 and a radius of nearly 1."""
    center = fractions(2, 1)
    for radius, row, count in (
        (1 - TINY, 1, 0),
        (1, 2, 1),
        (1 + TINY, 6, 2),
    ):
        assert segment_case(START, END, center, radius) == row
        assert len(intersection(START, END, center, radius)) == count
        assert len(intersection([0], [0], [1], radius)) == min(count, 1)


@pytest.mark.parametrize(("row", "center", "radius", "line", "segment"), ROWS)
def test_each_row_of_table_2_stands_a_rotation_a_shift_and_a_third_dimension(
    row, center, radius, line, segment
):
    """Table 2: the same case, turned by a rational angle and set at height 5 in space."""
    x_i, x_j, o = ([*rotated(point), Fraction(5)] for point in (START, END, center))
    assert segment_case(x_i, x_j, o, radius) == row
    assert segment_coefficients(x_i, x_j, o, radius) == segment


@pytest.mark.parametrize(("row", "center", "radius", "line", "segment"), ROWS)
def test_each_row_of_table_2_in_floats_and_in_50_digits(row, center, radius, line, segment):
    """Table 2: the same row and the same ratio, whatever the number type."""
    expected = float(segment[1] - segment[0])
    for number in (float, lambda x: mpmath.mpf(x.numerator) / x.denominator):
        x_i, x_j, o = ([number(x) for x in point] for point in (START, END, center))
        r = number(Fraction(radius))
        if row != 2:  # 1/1 is exact in floats too, but a rounded tangent need not be
            assert segment_case(x_i, x_j, o, r) == row
        ratio = intersection_ratio(x_i, x_j, o, r)
        assert ratio == pytest.approx(expected, abs=1e-15)


# (height, radius) in units of half the chord: 0-1-1, 3-4-5 and 12-5-13
TRIANGLES = (
    ((0, 1), (1, 1)),
    ((3, 5), (4, 4)),
    ((12, 13), (5, 5)),
)


@given(s=eighths, t=eighths, h=st.sampled_from(TRIANGLES))
@example(s=Fraction(-2), t=Fraction(-1), h=TRIANGLES[1])  # row 3
@example(s=Fraction(-1), t=Fraction(1, 2), h=TRIANGLES[1])  # row 4
@example(s=Fraction(-1), t=Fraction(2), h=TRIANGLES[1])  # row 5
@example(s=Fraction(0), t=Fraction(1), h=TRIANGLES[0])  # row 6, both ends on the sphere
@example(s=Fraction(1, 2), t=Fraction(2), h=TRIANGLES[1])  # row 7
@example(s=Fraction(2), t=Fraction(3), h=TRIANGLES[1])  # row 8
@settings(max_examples=80)
def test_the_ratio_is_the_overlap_of_the_root_interval_with_the_segment(s, t, h):
    """Definition 8.

    Choose the roots first, then a ball of the plane that has them, by a right triangle with whole
    sides.
    """
    assume(s != t)
    s, t = sorted([s, t])
    half_chord = (t - s) / 2 * 4  # on a segment of length 4
    height, radius = (half_chord * Fraction(side, legs) for side, legs in zip(*h, strict=True))
    center = [(s + t) / 2 * 4, height]
    assert line_coefficients(START, END, center, radius) == (s, t)
    overlap = min(t, 1) - max(s, 0)
    assert intersection_ratio(START, END, center, radius) == max(overlap, 0)


def test_clipping_is_the_nearest_coefficient_on_the_segment():
    """Section 3.1, step 2."""
    third = Fraction(1, 3)
    assert [clipped(x) for x in (-3, 0, third, 1, 7)] == [0, 0, third, 1, 1]


# -------------------------------------------------------------------------- points and Definition 5


def test_u_v_lie_on_the_sphere_and_p_q_on_the_segment():
    """Table 1, u, v, p and q: o = (-1, 3), r = 5 cuts the axis at -5 and 3."""
    ball = fractions(-1, 3), 5
    assert line_points(START, END, *ball) == ([-5, 0], [3, 0])
    assert segment_points(START, END, *ball) == ([0, 0], [3, 0])
    assert sphere_equation(Fraction(-5, 4), START, END, *ball) == 0
    assert sphere_equation(Fraction(3, 4), START, END, *ball) == 0
    assert point_on_line(START, END, Fraction(1, 2)) == [2, 0]


@given(st.lists(eighths, min_size=5, max_size=5))
def test_a_point_of_the_line_is_on_the_segment_exactly_if_its_coefficient_is_between_0_and_1(
    numbers,
):
    """Section 3.1, footnote. On the segment each coordinate lies between those of the ends."""
    x_i = numbers[:2]
    x_j = numbers[2:4]
    coefficient = numbers[4]
    assume(x_i != x_j)
    point = point_on_line(x_i, x_j, coefficient)
    on_segment = True
    for a, b, c in zip(x_i, x_j, point, strict=True):
        if not min(a, b) <= c <= max(a, b):
            on_segment = False
    assert on_segment == (0 <= coefficient <= 1)


@pytest.mark.parametrize(
    ("center", "radius", "common"),
    [
        (fractions(2, 3), 1, ()),  # the line misses
        (fractions(2, 1), 1, ([2, 0],)),  # tangent inside the segment
        (fractions(6, 1), 1, ()),  # tangent beyond the segment
        (fractions(-5, 3), 5, ()),  # behind
        (fractions(20, 3), 5, ()),  # beyond
        (fractions(-4, 3), 5, ([0, 0],)),  # x_i on the sphere, not a tangent
        (fractions(8, 3), 5, ([4, 0],)),  # x_j on the sphere
        (fractions(-1, 3), 5, ([0, 0], [3, 0])),
        (fractions(2, 3), 5, ([0, 0], [4, 0])),
        (fractions(2, 0), 0, ([2, 0],)),  # a point of the segment
    ],
)
def test_an_intersection_is_empty_a_point_or_two_ends(center, radius, common):
    """Definition 5 (E16): one point is a tangent, a ball of radius 0, or an end point on the
    sphere.
    """
    assert intersection(START, END, center, radius) == common


def test_a_segment_of_one_point_meets_a_ball_or_not():
    """Definition 5 with x_i = x_j (C21)."""
    assert intersection([1, 1], [1, 1], [0, 0], 2) == ([1, 1],)
    assert intersection([1, 1], [1, 1], [0, 0], 1) == ()
    # two points as near as one likes are two
    assert intersection([0], [TINY], [0], 1) == ([0], [TINY])


# --------------------------------------------------------------------------------- degenerate cases


@pytest.mark.parametrize("point", [[0.0, 0.0], [1.0, 0.0], [3.0, 4.0]])
def test_equal_end_points_have_ratio_zero(point):
    """Choice C21, Table 2: a = b = 0, Delta = 0, length 0; inside, on the sphere and outside."""
    center = [0.0, 0.0]
    assert discriminant(point, point, center, 1.0) == 0
    assert stable_discriminant(point, point, center, 1.0) == 0
    assert segment_case(point, point, center, 1.0) == 2
    assert intersection_ratio(point, point, center, 1.0) == 0
    message = "middle_coefficient needs two different points, got x_i = x_j = "
    with pytest.raises(ValueError, match=message):
        middle_coefficient(point, point, center)


def test_a_ball_of_radius_zero_has_ratio_zero():
    """Definition 8 with r = 0: on the segment the line touches it (row 2), elsewhere it misses (row
    1).
    """
    assert segment_case(START, END, fractions(1, 0), 0) == 2
    assert segment_case(START, END, fractions(1, 1), 0) == 1
    assert intersection_ratio(START, END, fractions(1, 0), 0) == 0


def test_one_dimension_is_an_overlap_of_intervals():
    """Definition 8 with F = 1: the ball [o - r, o + r] and the segment."""
    for x_i, x_j, o, r in [
        (0, 8, 2, 1),
        (8, 0, 2, 1),
        (0, 8, 0, 3),
        (0, 8, 9, 2),
        (0, 8, 4, 9),
        (0, 8, -3, 1),
    ]:
        overlap = min(8, o + r) - max(0, o - r)
        ratio = intersection_ratio(fractions(x_i), fractions(x_j), fractions(o), Fraction(r))
        assert ratio == Fraction(max(overlap, 0), 8)


def test_bad_input_is_named():
    """Definition 8: dimensions, radius and finiteness are checked before anything is computed."""
    with pytest.raises(ValueError, match="center needs as many coordinates as x_i, got 1 and 2"):
        intersection_ratio([0.0, 0.0], [1.0, 0.0], [0.0], 1.0)
    with pytest.raises(ValueError, match="Definition 1 needs radius >= 0, got radius=-1.0"):
        intersection_ratio([0.0], [1.0], [0.0], -1.0)
    other_dimension = "center needs as many coordinates as x_i, got 2 and 1"
    for function in (
        stable_discriminant,
        discriminant,
        intersection,
        intersection_ratio,
        segment_case,
    ):
        for x_j in ([0.0], [1.0]):  # also where both ends are equal
            with pytest.raises(ValueError, match="Definition 1 needs radius >= 0"):
                function([0.0], x_j, [0.0], -1e-300)
            with pytest.raises(ValueError, match=other_dimension):
                function([0.0], x_j, [0.0, 1.0], 1.0)
    with pytest.raises(ValueError, match="x_j needs finite coordinates"):
        intersection_ratio([0.0], [math.nan], [0.0], 1.0)
    with pytest.raises(ValueError, match="x_i needs finite coordinates"):
        point_on_line([math.inf], [0.0], 0.5)


@pytest.mark.parametrize(
    "function", [point_on_line, quadratic_a, quadratic_b, quadratic_c, discriminant, intersection]
)
def test_a_point_that_does_not_fit_is_named(function):
    """Table 1 and Definitions 5 and 8: a point that is not finite, or has more coordinates than
    x_i.
    """
    good = {
        "x_i": [0.0],
        "x_j": [1.0],
        "center": [0.5],
        "radius": 1.0,
        "lambda_": 0.5,
    }
    parameters = inspect.signature(function).parameters
    good = {name: good[name] for name in parameters}
    for name in {"x_i", "x_j", "center"} & set(parameters):
        for bad in (math.nan, math.inf):
            with pytest.raises(ValueError, match=f"{name} needs finite coordinates"):
                function(**good | {name: [bad]})
        if name != "x_i":
            message = f"{name} needs as many coordinates as x_i, got 2 and 1"
            with pytest.raises(ValueError, match=message):
                function(**good | {name: [0.0, 0.0]})


# ----------------------------------------------------------------------------------- floating point


@st.composite
def near_tangents(draw):
    """A segment of the plane and a ball that it nearly touches, at any scale; the ball may be small
    and far.
    """
    scale = 10.0 ** draw(sizes)
    angle = draw(st.floats(0, 6.3))
    height = 10.0 ** draw(st.floats(-9, 0))
    radius = height * (1 + draw(signs) * 10.0 ** draw(st.floats(-17, 0)))
    t = draw(st.floats(-0.5, 1.5))
    cosine = math.cos(angle)
    sine = math.sin(angle)

    def placed(x, y):
        return [
            scale * (cosine * x - sine * y),
            scale * (sine * x + cosine * y),
        ]

    return placed(0, 0), placed(1, 0), placed(t, height), scale * radius


# moved radii in eps s: a rounding each for the difference, the projection and the square; 1 was
# never exceeded
K = 1.5


@given(case=mixed_cases())
@example(case=([1e-60, 1e60], [1e60, -1e-60], [1e60, 1e60], 1e60))
@example(case=([1e-60], [1e60], [1e-60], 1e-60))
@settings(max_examples=150, deadline=None)
def test_mixed_coordinates_stay_in_the_bracket(case):
    """Definition 8 in floats from 1e-60 to 1e60: as if the radius had moved by 1.5 eps s, from
    either end.
    """
    x_i, x_j, center, radius = case
    for start, end in ((x_i, x_j), (x_j, x_i)):
        ratio = intersection_ratio(start, end, center, radius)
        assert 0 <= ratio <= 1
        assert is_in_bracket(ratio, x_i, x_j, center, radius, K, MANY_DIGITS)


@given(case=near_tangents())
@settings(max_examples=250, deadline=None)
def test_near_tangents_stay_in_the_bracket(case):
    """Definition 8 in floats: near a tangency gamma errs like a square root, and still only as r
    moved by 1.5 eps s.
    """
    x_i, x_j, center, radius = case
    for start, end in ((x_i, x_j), (x_j, x_i)):
        ratio = intersection_ratio(start, end, center, radius)
        assert is_in_bracket(ratio, x_i, x_j, center, radius, K)


@given(case=mixed_cases())
@settings(max_examples=100, deadline=None)
def test_every_answer_is_finite_within_the_range(case):
    """Tables 1 and 2 in floats from 1e-60 to 1e60: points, coefficients and both forms of Delta are
    numbers.
    """
    x_i, x_j, _, _ = case
    assume(x_i != x_j)
    functions = [
        discriminant,
        stable_discriminant,
        squared_half_chord,
        segment_coefficients,
        segment_points,
        intersection,
    ]
    if squared_half_chord(*case) >= 0:
        functions += [line_coefficients, line_points]
    for function in functions:
        assert is_finite(function(*case))


def test_the_printed_Delta_loses_a_small_far_ball():
    """Table 1 (E28): what b^2 - 4ac and r^2 - h^2 make of a ball of radius 1e-6 s, in moved radii.

    The printed form errs like a radius moved by more than 1e4 eps s here, within 4 eps s^2/r; the
    stable form by 1.5 eps s.
    """
    x_i = [0.1, 0.2]
    x_j = [1.3, 1.7]
    center = [0.7 + 1e-7, 0.95 + 1e-7]
    radius = 1e-6
    s = float(largest_length(x_i, x_j, center))
    lambda_u, lambda_v = printed_line_coefficients(x_i, x_j, center, radius)
    printed = lambda_v - lambda_u
    assert not is_in_bracket(printed, x_i, x_j, center, radius, 1e4)
    assert is_in_bracket(printed, x_i, x_j, center, radius, 4 * s / radius)
    stable = intersection_ratio(x_i, x_j, center, radius)
    assert is_in_bracket(stable, x_i, x_j, center, radius, 1.5)
    truth = gamma(x_i, x_j, center, radius)
    assert abs(printed - truth) > 1e4 * abs(stable - truth)
    assert abs(stable - truth) < 100 * EPS


@pytest.mark.parametrize("exponent", [80, 100, 140, -80, -100, -140])
def test_beyond_the_range_of_Delta_the_ratio_is_still_right(exponent):
    """Choice C26: Delta is a fourth power and leaves the floats at 1e77; r^2 - h^2 does not before
    1e145.
    """
    scale = 10.0**exponent
    case = [0.0, 0.0], [4 * scale, 0.0], [2 * scale, 0.8 * scale], scale
    assert intersection_ratio(*case) == pytest.approx(0.3, rel=1e-15, abs=0)
    with pytest.raises(ValueError, match="b\\^2 - 4ac needs lengths between 1e-75 and 1e75"):
        discriminant(*case)
    with pytest.raises(ValueError, match="Delta left the range of floats"):
        stable_discriminant(*case)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (([0.0], [1e160], [0.0], 1.0), "x_j - x_i must have a length between 1e-145 and 1e150"),
        (([0.0], [1e-160], [0.0], 1.0), "x_j - x_i must have a length between 1e-145 and 1e150"),
        (
            ([0.0, 0.0], [1.0, 0.0], [0.0, 1e160], 1.0),
            "r\\^2 - h\\^2 left the range of floats, got -inf",
        ),
        (
            ([0.0, 0.0], [1.0, 0.0], [0.0, 0.0], 1e160),
            "r\\^2 - h\\^2 left the range of floats, got inf",
        ),
        (
            ([0.0, 0.0], [1.0, 0.0], [0.0, 1e160], 1e160),
            "r\\^2 - h\\^2 left the range of floats, got nan",
        ),
        (([0.0], [1e149], [1e250], 1.0), "-b / 2a left the range of floats"),
    ],
)
def test_beyond_the_range_of_squares_there_is_an_error(case, message):
    """Choice C26: an error that says what left the range, and never a NaN."""
    with pytest.raises(ValueError, match=message):
        intersection_ratio(*case)
    with pytest.raises(ValueError, match=message):
        intersection(*case)


@pytest.mark.parametrize(
    ("center", "radius"),
    [
        (0.0, 2e75),
        (2e75, 0.0),
    ],
)
def test_the_printed_Delta_refuses_a_huge_c_of_either_sign(center, radius):
    """Table 1, Delta (C26): c = -4e150 inside of a huge ball, 4e150 far from a point."""
    with pytest.raises(ValueError, match="b\\^2 - 4ac needs lengths between 1e-75 and 1e75"):
        discriminant([0.0], [1.0], [center], radius)


def test_the_printed_Delta_may_overflow_where_c_is_small():
    """Table 1: c can be small although its parts are huge; then b^2 overflows, and that is an error
    too.
    """
    with pytest.raises(ValueError, match="Delta left the range of floats, got inf"):
        discriminant([0.0], [1e74], [-1e140], 1e140)


fiftieths = st.integers(-50, 50).map(lambda n: n / 50)
six_fiftieths = st.lists(fiftieths, min_size=6, max_size=6)


@given(x=six_fiftieths, r=st.floats(0, 1))
@settings(max_examples=100)
def test_the_ratio_grows_with_the_radius(x, r):
    """Definition 8: a larger ball holds more of the segment."""
    segment = x[:2], x[2:4]
    center = x[4:]
    smaller = intersection_ratio(*segment, center, r)
    larger = intersection_ratio(*segment, center, 1.25 * r + 1e-3)
    assert smaller <= larger + 4 * EPS


@given(x=six_fiftieths, r=st.floats(0, 1), e=sizes)
@settings(max_examples=100)
def test_the_ratio_moves_with_the_radius_like_a_square_root_at_most(x, r, e):
    """Definition 8: from r to r + e the chord grows by 2 sqrt((r + e)^2 - r^2) at most, where the
    line touches the ball.
    """
    x_i = x[:2]
    x_j = x[2:4]
    center = x[4:]
    e = min(10.0**e, 1.0)
    assume(x_i != x_j)
    length = math.dist(x_i, x_j)
    smaller = intersection_ratio(x_i, x_j, center, r)
    larger = intersection_ratio(x_i, x_j, center, r + e)
    rounding = math.sqrt(8 * EPS * (r + e + 3))  # a tangent rounds like the root of a few eps s
    chord = 2 * math.sqrt(e * (2 * r + e))
    assert (larger - smaller) * length <= chord + rounding


@pytest.mark.parametrize(("row", "center", "radius", "line", "segment"), ROWS[1:])
def test_swapping_the_ends_mirrors_the_coefficients(row, center, radius, line, segment):
    """Definition 8: (lambda_u, lambda_v) becomes (1 - lambda_v, 1 - lambda_u), exactly; the ratio
    stays.
    """
    assert line_coefficients(END, START, center, radius) == (1 - line[1], 1 - line[0])
    assert intersection_ratio(END, START, center, radius) == segment[1] - segment[0]


def test_every_row_has_its_own_function_in_order():
    """Table 2: eight rows, eight functions, numbered as printed."""
    assert len(CASES) == 8
    for number, case in enumerate(CASES, start=1):
        assert case.__doc__.startswith(f"Table 2, row {number}:")
        assert getattr(module, case.__name__) is case
