"""Section 2: tests of `lmlir.regions`."""

import itertools
import math
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from independent import fractions

from lmlir.regions import (
    background_length,
    is_diagonal,
    is_in_background,
    is_in_ball,
    local_length,
    mahalanobis_length,
    metric_array,
    not_below_zero,
)

coordinates = st.integers(-60, 60).map(lambda n: Fraction(n, 12))
points = st.lists(coordinates, min_size=2, max_size=2)


def test_a_point_on_the_sphere_is_in_the_ball():
    """Definition 1, equation (1): the ball is closed.

    (3/5, 4/5) lies on the unit circle, exactly.
    """
    assert is_in_ball(fractions("3/5", "4/5"), [0, 0], 1)
    assert not is_in_ball(fractions("3/5", "4001/5000"), [0, 0], 1)
    assert is_in_ball(fractions("3/5", "3999/5000"), [0, 0], 1)


def test_a_ball_of_radius_zero_is_a_point():
    """Definition 1 with r = 0."""
    assert is_in_ball([2.0, 3.0], [2.0, 3.0], 0)
    assert not is_in_ball([2.0, 3.0 + 1e-15], [2.0, 3.0], 0)


def test_membership_is_a_plain_truth_value():
    """Definition 1: also for numpy's numbers, whose comparisons are not bool."""
    assert is_in_ball([np.float64(1)], [np.float64(0)], np.float64(1)) is True


@pytest.mark.parametrize(
    ("x", "center", "radius", "message"),
    [
        ([math.nan], [0.0], 1.0, "x needs finite coordinates"),
        ([0.0], [math.inf], 1.0, "center needs finite coordinates"),
        ([0.0], [0.0, 0.0], 1.0, "center needs as many coordinates as x"),
        ([0.0], [0.0], -1.0, "Definition 1 needs radius >= 0"),
    ],
)
def test_membership_needs_a_point_and_a_ball(x, center, radius, message):
    """Definition 1: the error names the argument."""
    with pytest.raises(ValueError, match=message):
        is_in_ball(x, center, radius)


@given(x=points, center=points, radius=st.integers(0, 60).map(lambda n: Fraction(n, 12)))
@settings(max_examples=60)
def test_membership_is_a_matter_of_the_euclidean_distance(x, center, radius):
    """Definition 1, equation (1): against mpmath's norm with 50 digits (a rational distance decides
    equality).
    """
    square = (x[0] - center[0]) ** 2 + (x[1] - center[1]) ** 2
    with mpmath.workdps(50):
        length = mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
        r = mpmath.mpf(radius.numerator) / radius.denominator
        expected = length < r or abs(length - r) <= 1e-40
        assert is_in_ball(x, center, radius) == expected


@given(
    x=points,
    y=points,
    center=points,
    twelfths=st.integers(0, 12),
)
@settings(max_examples=60)
def test_a_ball_holds_the_segment_between_two_of_its_points(x, y, center, twelfths):
    """Definition 3, footnote 1: a ball is convex.

    The radius is the least twelfth at which it holds both ends.
    """
    longest = 0
    for point in (x, y):
        square = (point[0] - center[0]) ** 2 + (point[1] - center[1]) ** 2
        longest = max(longest, square)
    radius = Fraction(math.ceil(12 * math.sqrt(longest)), 12)
    share = Fraction(twelfths, 12)
    between = [a + share * (b - a) for a, b in zip(x, y, strict=True)]
    for point in (x, y, between):
        assert is_in_ball(point, center, radius)


def test_the_background_is_what_no_ball_holds():
    """Definition 2: outside both balls, in one, in the other; without balls everything is
    background; one radius each; of three balls any one is enough.
    """
    centers = [[0, 0], [4, 0]]
    radii = [1, 2]
    assert is_in_background([0, Fraction(101, 100)], centers, radii)
    assert not is_in_background([0, 1], centers, radii)
    assert not is_in_background([3, 1], centers, radii)
    assert is_in_background([0, 0], [], [])
    for s in range(3):
        centers = [[0, 0], [0, 0], [0, 0]]
        centers[s] = [9, 0]
        assert not is_in_background([9, 0], centers, [1, 1, 1])
    with pytest.raises(ValueError, match="radii .* one radius per center"):
        is_in_background([0], [[0]], [])


def test_a_length_by_hand():
    """Definition 3, equation (2), and Definition 4: d = (1, 2), M = [[5, 2], [2, 1]]: 5 + 2*2*2 + 4
    = 17 and 5 + 4 = 9.
    """
    assert mahalanobis_length([1, 2], [0, 0], [[5, 2], [2, 1]]) == pytest.approx(17**0.5, rel=1e-15)
    assert local_length(fractions(1, 0), fractions(0, -2), [[5, 0], [0, 1]]) == 3
    assert background_length(fractions(0, -2), fractions(1, 0), [[5, 0], [0, 1]]) == 3


@given(st.integers(1, 5), st.integers(0, 10**6))
@settings(max_examples=30)
def test_a_length_is_that_of_the_stretched_difference(F, seed):
    """Definition 3, $D_M$: with M = L^T L the length is |L d|, computed by numpy."""
    rng = np.random.default_rng(seed)
    L = rng.normal(size=(F, F))
    x_i = rng.normal(size=F)
    x_j = rng.normal(size=F)
    d = x_i - x_j
    length = mahalanobis_length(x_i.tolist(), x_j.tolist(), (L.T @ L).tolist())
    stretched = np.linalg.norm(L @ d)
    # d^T M d carries a rounding of F^2 eps times the largest terms, which may cancel down to the
    # stretched length.
    scale = np.linalg.norm(L) * np.linalg.norm(d)
    assert abs(length**2 - stretched**2) <= 1e-14 * F**2 * scale**2


def test_a_zero_metric_measures_nothing():
    """Definition 3 with M = 0."""
    assert mahalanobis_length([1.0, 2.0], [3.0, 5.0], [[0.0, 0.0], [0.0, 0.0]]) == 0


def test_a_form_rounded_below_zero_is_zero():
    """Definition 3: on the kernel of a singular metric floats may fall below 0; more than rounding
    is an error.
    """
    almost = [[1.0, -1.0, 0.0], [-1.0, 1.0 - 2e-16, 0.0], [0.0, 0.0, 0.0]]
    assert mahalanobis_length([1.0, 1.0, 0.0], [0.0, 0.0, 0.0], almost) == 0
    with pytest.raises(ValueError, match="Definition 3 needs a positive semi-definite .* -1"):
        mahalanobis_length([1.0], [0.0], [[-1.0]])


def test_the_allowed_rounding_grows_with_the_metric_and_the_squared_length():
    """Definition 3: |d| = 2 and an entry of size 3 anywhere allow 1e-12 * 3 * 4 below 0."""
    d = [0.0, 2.0, 0.0]
    for row, column in np.ndindex(3, 3):
        for entry in (3.0, -3.0):
            metric = np.zeros((3, 3))
            metric[row, column] = entry
            assert not_below_zero(-0.6e-11, d, metric.tolist()) == 0
            with pytest.raises(ValueError, match="positive semi-definite"):
                not_below_zero(-2.4e-11, d, metric.tolist())


@pytest.mark.parametrize(
    "metric", [[[1.0]], [[1.0, 0.0]], [[1.0, 0.0], [0.0]], [[1.0], [0.0, 1.0]]]
)
def test_a_metric_of_another_size_is_refused(metric):
    """Definition 3: M is F x F."""
    with pytest.raises(ValueError, match="metric must be a 2 x 2 matrix"):
        mahalanobis_length([1.0, 1.0], [0.0, 0.0], metric)


@pytest.mark.parametrize(
    ("x_i", "x_j", "message"),
    [
        ([math.nan], [0.0], "x_i needs finite coordinates"),
        ([0.0], [math.nan], "x_j needs finite coordinates"),
        ([0.0], [0.0, 1.0], "x_j needs as many coordinates as x_i"),
    ],
)
def test_a_length_needs_two_points(x_i, x_j, message):
    """Definition 3: the error names the point."""
    with pytest.raises(ValueError, match=message):
        mahalanobis_length(x_i, x_j, [[1.0]])


@pytest.mark.parametrize(("row", "column"), list(itertools.permutations(range(3), 2)))
def test_one_entry_off_the_diagonal_is_enough(row, column):
    """Erratum E5: the eigenvalues can be read off where every other entry is 0, and not where one
    is 1e-300.
    """
    M = [[4, 0, 0], [0, 9, 0], [0, 0, 0]]
    assert is_diagonal(M)
    M[row][column] = 1e-300
    assert not is_diagonal(M)


@pytest.mark.parametrize("f", range(3))
def test_a_diagonal_that_is_not_a_metric_is_an_error(f):
    """Erratum E5: an eigenvalue that is infinite, not a number or negative, at any place of the
    diagonal.
    """
    for entry, message in (
        (math.inf, "finite entries"),
        (math.nan, "finite"),
        (-1e-300, "eigenvalue of -1e-300"),
    ):
        M = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        M[f][f] = entry
        with pytest.raises(ValueError, match=message):
            is_diagonal(M)


@pytest.mark.parametrize(
    "lengths",
    [
        [3, 2],
        [2, 3],
        [1, 1],
        [2, 1],
        [3, 3, 2],
    ],
)
def test_a_diagonal_matrix_is_square(lengths):
    """Erratum E5: the error lists the length of every row."""
    message = f"a metric must be a square matrix, got rows of lengths {lengths}"
    with pytest.raises(ValueError, match=re.escape(message)):
        is_diagonal([[0] * length for length in lengths])


def test_a_metric_becomes_a_symmetric_array_of_floats():
    """Definition 3: fractions become floats, and what rounding made crooked becomes its symmetric
    part.
    """
    assert metric_array([[Fraction(1, 2)]]).dtype == np.float64
    assert np.array_equal(metric_array([[1, 0, 0], [0, 2, 0], [0, 0, 3]]), np.diag([1.0, 2.0, 3.0]))
    array = metric_array([[1.0, 0.5], [0.5 + 2.0**-40, 1.0]])
    assert array[0, 1] == array[1, 0] == 0.5 + 2.0**-41
    with pytest.raises(ValueError, match="a metric must be symmetric"):
        metric_array([[1.0, 1.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="a metric must be positive semi-definite"):
        metric_array([[1.0, 2.0], [2.0, 1.0]])


def test_a_length_beyond_the_range_is_an_error():
    """Choice C26: no infinite length."""
    with pytest.raises(ValueError, match="a squared length left the range of floats"):
        mahalanobis_length([1e160], [0.0], [[1.0]])
    with pytest.raises(ValueError, match="center - x must have a length between"):
        is_in_ball([1e160], [0.0], 1.0)
