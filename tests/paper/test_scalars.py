"""Numbers, vectors, matrices and checks: tests of `lmlir.scalars`."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from lmlir import scalars

NAN = float("nan")
INF = float("inf")


@given(numerator=st.integers(0, 10**30), denominator=st.integers(1, 10**30))
@settings(max_examples=50)
def test_the_root_of_a_squared_fraction_is_exact(numerator, denominator):
    """Definition 3 in fractions: no rounding where none is needed, however long the numbers."""
    root = Fraction(numerator, denominator)
    found = scalars.square_root(root * root)
    assert found == root
    assert isinstance(found, Fraction)


def test_other_roots_are_floats_or_keep_the_digits_of_mpmath_and_the_form_of_sympy():
    """Definition 3 in fractions, of which sqrt(1/2) and sqrt(2) are none, in 50 digits and in
    symbols.
    """
    assert scalars.square_root(Fraction(1, 2)) == math.sqrt(0.5)
    assert scalars.square_root(Fraction(2)) == math.sqrt(2)
    assert scalars.square_root(1 + Fraction(1, 10**10)) == pytest.approx(1 + 5e-11, rel=1e-15)
    assert scalars.square_root(4) == 2.0
    with mpmath.workdps(50):
        assert abs(scalars.square_root(mpmath.mpf(2)) ** 2 - 2) < mpmath.mpf(10) ** -49
    x = sympy.Symbol("x", positive=True)
    assert scalars.square_root(x**2) == x


def test_vectors_of_different_length_are_refused():
    """Definition 3 needs two points of one space."""
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        scalars.dot([1, 2], [1])
    with pytest.raises(ValueError, match="argument 2 is longer"):
        scalars.difference([1], [1, 2])


def test_products_agree_with_numpy():
    """Definition 3: a difference and d^T M d, and Lemma 1: the Frobenius norm."""
    rng = np.random.default_rng(0)
    d = rng.normal(size=4)
    M = rng.normal(size=(4, 4))
    assert scalars.difference(d.tolist(), M[0].tolist()) == (d - M[0]).tolist()
    assert scalars.dot(d, d) == pytest.approx(d @ d, rel=1e-14)
    assert scalars.quadratic_form(d.tolist(), M.tolist()) == pytest.approx(d @ M @ d, rel=1e-13)
    assert scalars.frobenius_norm(M.tolist()) == pytest.approx(np.linalg.norm(M), rel=1e-14)
    assert scalars.identity_matrix(3) == np.eye(3).tolist()


def test_a_squared_length_is_exact_or_an_error():
    """Choice C26: a float whose square has lost digits is refused, a vector of zeros is not."""
    assert scalars.squared_length([0.0, 0.0], "v") == 0
    assert scalars.squared_length([1e-144], "v") == pytest.approx(1e-288, rel=1e-15, abs=0)
    assert scalars.squared_length([10**200], "v") == 10**400
    for too_far in (1e-146, 1e155):
        with pytest.raises(
            ValueError, match=r"v must have a length between 1e-145 and 1e150.* got v=\[1e"
        ):
            scalars.squared_length([too_far, 0.0], "v")


def test_a_float_out_of_range_is_an_error_and_other_numbers_pass():
    """Choice C26: overflow, NaN, and a product that vanished; a product with a zero factor may be
    zero.
    """
    assert scalars.in_float_range("v", 1e-320) == 1e-320
    assert scalars.in_float_range("v", 0.0, 0.0, 5.0) == 0
    assert scalars.in_float_range("v", -6.0, -2.0, 3.0) == -6
    assert scalars.in_float_range("v", 1e-300, 1e-150, 1e-150) == 1e-300
    assert scalars.in_float_range("v", Fraction(1, 10**400), Fraction(1)) == Fraction(1, 10**400)
    for value in (INF, -INF, NAN):
        with pytest.raises(ValueError, match="v left the range of floats"):
            scalars.in_float_range("v", value)
    for factors in ((1e-160, 1e-160), (1e-320,)):
        with pytest.raises(ValueError, match="got 1e-320"):
            scalars.in_float_range("v", 1e-320, *factors)
    with pytest.raises(ValueError, match="a squared norm left the range of floats"):
        scalars.frobenius_norm([[1e200]])


@pytest.mark.parametrize("number", [float, Fraction, mpmath.mpf, sympy.Integer])
def test_finite_and_negative_numbers_of_every_type_are_recognized(number):
    """Definition 1: checks run on every number type."""
    assert scalars.is_finite(number(3))
    assert scalars.is_negative(number(-3))
    assert not scalars.is_negative(number(0))
    assert scalars.is_negative(number(-1) / 10**300)


@pytest.mark.parametrize("value", [NAN, INF, mpmath.inf, mpmath.nan, sympy.oo, sympy.nan])
def test_infinite_numbers_are_recognized(value):
    """Definition 1: no coordinate or radius is infinite."""
    assert not scalars.is_finite(value)


def test_a_symbol_passes_the_checks():
    """Definition 1 in symbols: finite, of unknown sign."""
    r = sympy.Symbol("r", real=True)
    assert scalars.is_finite(r)
    assert not scalars.is_negative(r)
    scalars.check_radius(r)
    scalars.check_points(x=[r, r])


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ({"x_i": []}, r"x_i needs at least one coordinate, got x_i=\[\]"),
        ({"x_i": [0, 0], "x_j": [0]}, "x_j needs as many coordinates as x_i, got 1 and 2"),
        ({"x_i": [0.0, 0.0, INF]}, "x_i needs finite coordinates"),
        ({"x_i": [0.0, NAN]}, r"x_i needs finite coordinates, got x_i=\[0.0, nan\]"),
        ({"x_i": [0], "x_j": [0], "center": [INF]}, "center needs finite coordinates"),
    ],
)
def test_an_invalid_point_is_named(points, message):
    """Definition 1: points are lists of finite numbers, all of one length."""
    with pytest.raises(ValueError, match=message):
        scalars.check_points(**points)


@pytest.mark.parametrize("radius", [-0.5, NAN, INF, Fraction(-1, 2)])
def test_an_invalid_radius_is_named(radius):
    """Definition 1 needs a finite radius >= 0."""
    with pytest.raises(ValueError, match="Definition 1 needs .*radius"):
        scalars.check_radius(radius)


@pytest.mark.parametrize("K", [0, -1, 4, 1.0, True, "2"])
def test_a_count_is_a_whole_number_from_one_to_the_number_of_members(K):
    """Choice C16: 1 and the largest number are allowed, of any integer type."""
    for allowed in (1, np.int64(3)):
        scalars.check_count("K", allowed, 3, "members")
    with pytest.raises(
        ValueError, match=f"K must be a whole number from 1 to 3, the number of members, got K={K}"
    ):
        scalars.check_count("K", K, 3, "members")


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ([[1.0]], r"M must be a 2 x 2 matrix, got rows of lengths \[1\]"),
        ([[1.0, 0.0], [0.0]], r"M must be a 2 x 2 matrix, got rows of lengths \[2, 1\]"),
        ([[1.0], [0.0, 1.0]], r"M must be a 2 x 2 matrix, got rows of lengths \[1, 2\]"),
        ([[1.0, NAN], [NAN, 1.0]], "M needs finite entries"),
        ([[1.0, 0.5], [0.0, 1.0]], "M must be symmetric"),
        (
            [[1e-200, 2e-200], [2e-200, 1e-200]],
            "M must be positive semi-definite, got a smallest eigenvalue of -",
        ),
    ],
)
def test_an_invalid_metric_is_named(metric, message):
    """Definitions 3 and 4 need a symmetric positive semi-definite matrix, whatever its size."""
    with pytest.raises(ValueError, match=message):
        scalars.check_metric("M", metric, F=2)


@pytest.mark.parametrize("short", range(3))
def test_a_short_row_anywhere_spoils_a_metric(short):
    """Definitions 3 and 4 need an F x F matrix."""
    M = [[0.0] * (2 if row == short else 3) for row in range(3)]
    with pytest.raises(ValueError, match="M must be a 3 x 3 matrix"):
        scalars.check_metric("M", M, F=3)


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("column", range(4))
def test_one_bad_entry_anywhere_spoils_a_metric(row, column):
    """Definitions 3 and 4: in the matrix of ones, which is on the edge of the cone, and in that of
    zeros.
    """
    for entry, message in (
        (NAN, "finite"),
        (-INF, "finite"),
        (0.5, "semi-definite" if row == column else "symmetric"),
    ):
        M = [[1.0] * 4 for _ in range(4)]
        scalars.check_metric("M", M, F=4)
        M[row][column] = entry
        with pytest.raises(ValueError, match=message):
            scalars.check_metric("M", M, F=4)
    M = [[0.0] * 4 for _ in range(4)]
    M[row][column] = M[column][row] = -1e-300
    with pytest.raises(ValueError, match="smallest eigenvalue of -1e-300"):
        scalars.check_metric("M", M, F=4)


@pytest.mark.parametrize(
    "metric", [[[0.0, 0.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]], [[1e200, 0], [0, 1e-200]]]
)
def test_a_metric_on_the_edge_of_the_cone_is_one(metric):
    """Definitions 3 and 4: zero, singular and unbalanced metrics are metrics."""
    scalars.check_metric("M", metric, F=2)


def test_a_metric_may_be_rounded_out_of_the_cone_by_a_millionth():
    """Definitions 3 and 4: half a millionth of the largest entry is rounding, two millionths are
    not.
    """
    for size in (1.0, 1e-30, 1e30):
        scalars.check_metric("M", [[size, 0.0], [0.0, -5e-7 * size]], F=2)
        with pytest.raises(ValueError, match="smallest eigenvalue of -[12]"):
            # -2e-06, -2e-36 or so
            scalars.check_metric("M", [[size, 0.0], [0.0, -2e-6 * size]], F=2)
        scalars.check_metric("M", [[size, 5e-7 * size], [0.0, size]], F=2)
        with pytest.raises(ValueError, match="M must be symmetric"):
            scalars.check_metric("M", [[size, 2e-6 * size], [0.0, size]], F=2)


ONE_REGION = {
    "centers": [[0.0]],
    "radii": [1.0],
    "local_metrics": [[[1.0]]],
    "background_metric": [[1.0]],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"radii": []}, "radii needs one radius per center, got 0 radii and 1 centers"),
        (
            {"local_metrics": []},
            "local_metrics needs one metric per center, got 0 metrics and 1 centers",
        ),
        ({"centers": [[0.0, 0.0]]}, "centers must have 1 features as the points have, got 2"),
        ({"centers": [[INF]]}, "center needs finite coordinates"),
        ({"radii": [-1.0]}, "Definition 1 needs radius >= 0, got radius=-1.0"),
        ({"local_metrics": [[[-1.0]]]}, r"local_metrics\[0\] must be positive semi-definite"),
        ({"background_metric": [[-1.0]]}, "background_metric must be positive semi-definite"),
    ],
)
def test_parameters_that_do_not_fit_together_are_named(change, message):
    """Equation (12): Theta is S centers, S radii, S local metrics and one background metric; S = 0
    is allowed.
    """
    scalars.check_parameters(1, **ONE_REGION)
    # whose metrics are not looked at
    scalars.check_regions(ONE_REGION["centers"], ONE_REGION["radii"])
    scalars.check_parameters(2, [], [], [], [[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match=message):
        scalars.check_parameters(1, **(ONE_REGION | change))


@pytest.mark.parametrize("s", range(3))
@pytest.mark.parametrize(
    ("part", "entry"),
    [
        ("centers", [INF]),
        ("radii", -1.0),
        ("local_metrics", [[-1.0]]),
    ],
)
def test_a_bad_region_anywhere_spoils_the_parameters(s, part, entry):
    """Equation (12): Theta is well formed where each of its S regions is."""
    Theta = {
        "centers": [[0.0]] * 3,
        "radii": [1.0] * 3,
        "local_metrics": [[[1.0]]] * 3,
        "background_metric": [[1.0]],
    }
    scalars.check_parameters(1, **Theta)
    Theta[part] = [entry if region == s else good for region, good in enumerate(Theta[part])]
    with pytest.raises(ValueError, match="finite coordinates|radius >= 0|semi-definite"):
        scalars.check_parameters(1, **Theta)


@pytest.mark.parametrize("F", [1, 2, 3, 6])
def test_the_smallest_eigenvalue_is_numpys(F):
    """Definitions 3 and 4: bisection and elimination in loops agree with LAPACK, on both sides of
    the edge of the cone.
    """
    rng = np.random.default_rng(F)
    for _ in range(20):
        half = rng.normal(size=(F, F))
        M = half @ half.T - rng.choice([0.0, 0.5, 2.0]) * np.eye(F)
        smallest = np.linalg.eigvalsh(M)[0]
        assert scalars.smallest_eigenvalue(M.tolist()) == pytest.approx(smallest, abs=1e-12 * F**2)
        assert scalars.is_positive_definite(M.tolist(), shift=1e-9 - smallest)
        assert not scalars.is_positive_definite(M.tolist(), shift=-1e-9 - smallest)


def test_a_metric_may_have_fractions_for_entries():
    """Definitions 3 and 4 on exact numbers: (1 2; 2 4) is on the edge of the cone, (1 2; 2 3) is
    outside, by sqrt(5) - 2.
    """
    scalars.check_metric("M", [[Fraction(1), Fraction(2)], [Fraction(2), Fraction(4)]], F=2)
    with pytest.raises(
        ValueError, match="M must be positive semi-definite, got a smallest eigenvalue of -0.236068"
    ):
        scalars.check_metric("M", [[Fraction(1), Fraction(2)], [Fraction(2), Fraction(3)]], F=2)
