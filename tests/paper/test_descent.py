"""Section 5.2: gradient descent. Tests of `lmlir.descent`."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from independent import fractions

from lmlir import vectorized
from lmlir.descent import (
    clipped_spectrum,
    descended,
    descended_metric,
    descent_step,
    nearest_positive_semidefinite,
    nearest_radius,
    step_rounding,
)
from lmlir.scalars import Parameters

entries = st.floats(-10, 10, allow_nan=False).map(lambda x: round(x, 3))
matrices = st.integers(1, 4).flatmap(lambda F: arrays(float, (F, F), elements=entries))


@given(matrices)
@settings(max_examples=100, deadline=None)
def test_the_projection_is_the_nearest_point_of_the_cone(M):
    """Choice C2.

    P is nearest to M in a convex cone exactly when P is in it, <M - P, P> = 0 and P - M is dual to
    it.
    """
    M = (M + M.T) / 2
    P = np.array(nearest_positive_semidefinite(M.tolist()))
    # rounding of a few products of entries up to 10
    tolerance = 1e-13 * max(1.0, np.abs(M).max()) ** 2 * len(M) ** 2
    assert (P.T == P).all()
    assert np.linalg.eigvalsh(P)[0] >= -tolerance
    assert np.linalg.eigvalsh(P - M)[0] >= -tolerance
    assert abs(np.sum((M - P) * P)) <= tolerance


def test_the_projection_drops_the_negative_part_found_by_hand():
    """Choice C2.

    M = 3 u u^T - 5 v v^T with u = (3, 4)/5, v = (-4, 3)/5: what remains is 3 u u^T.
    """
    u = np.array(fractions(3, 4)) / 5
    v = np.array(fractions(-4, 3)) / 5
    M = 3 * np.outer(u, u) - 5 * np.outer(v, v)
    kept = nearest_positive_semidefinite(M.tolist())
    assert np.allclose(kept, [[1.08, 1.44], [1.44, 1.92]], rtol=1e-14)


def test_the_projection_keeps_a_metric_and_its_number_type():
    """Choice C2. What is in the cone stays as it is, in exact fractions."""
    M = [fractions(2, 1), fractions(1, 1)]
    kept = nearest_positive_semidefinite(M)
    assert kept == M
    for row in kept:
        for entry in row:
            assert isinstance(entry, Fraction)
    for least in (Fraction(0), Fraction(1, 10**20)):
        kept = nearest_positive_semidefinite([fractions(2, 0), [Fraction(0), least]])
        assert kept == [[2, 0], [0, least]]
        assert isinstance(kept[1][1], Fraction)


def test_the_projection_keeps_a_tiny_eigenvalue_beside_a_negative_one():
    """Choice C2. What is not negative, nor below the rounding, stays, however small."""
    tiny = 2.0**-70
    for rounding in (0, tiny):
        kept = nearest_positive_semidefinite([[-1.0, 0.0], [0.0, tiny]], rounding)
        assert kept == [[0.0, 0.0], [0.0, tiny]]


def test_the_projection_keeps_the_digits_of_mpmath():
    """Choice C2. [[1, 2], [2, 1]] has the eigenvalues 3 and -1; what remains is 3/2 everywhere, to
    40 digits.
    """
    with mpmath.workdps(50):
        one = mpmath.mpf(1)
        P = nearest_positive_semidefinite([[one, 2 * one], [2 * one, one]])
        tolerance = mpmath.mpf(10) ** -40
        for row in P:
            for entry in row:
                assert abs(entry - 3 * one / 2) < tolerance


def test_the_projection_is_of_the_symmetric_part():
    """Choice C2.

    Rounding may leave a step a little crooked; the metric that comes out is exactly symmetric.
    """
    assert nearest_positive_semidefinite([[2.0, 1.5], [0.5, 2.0]]) == [[2.0, 1.0], [1.0, 2.0]]
    P = nearest_positive_semidefinite([[1.0, 1.5], [0.5, -3.0]])
    assert P[0][1] == P[1][0]


def test_the_clipped_spectrum_keeps_each_positive_part():
    """Choice C2: of the eigenvalues 2, -1 and 3 of the axes, in any order, 2 and 3 stay."""
    axes = np.eye(3).tolist()
    assert clipped_spectrum([2, -1, 3], axes) == np.diag([2, 0, 3]).tolist()
    assert clipped_spectrum([-1, 3, 2], axes) == np.diag([0, 3, 2]).tolist()


def test_a_negative_radius_becomes_zero():
    """Choice C3."""
    assert nearest_radius(-1e-300) == 0
    assert nearest_radius(Fraction(1, 3)) == Fraction(1, 3)


def test_one_step_by_hand_moves_every_parameter():
    r"""Section 5.2. One pair (-2, 4) of one dimension, ball [-1, 1], M(A) = 4, M(B) = 1, alpha = 0.

    gamma = 2/6, gamma_b = 4/6, D = 2/6 * 12 + 4/6 * 6 = 8 > 1/2. dD/dM(B) = 4/6 * 36 / (2 * 6) = 2,
    dD/dM(A) = 2/6 * 36 / (2 * 12) = 1/2, dgamma/dr = 2/6, so dD/dr = (12 - 6) * 2/6 = 2, and dD/do
    = 0.
    """
    half = Fraction(1, 2)
    X = [fractions(-2), fractions(4)]
    Theta = [fractions(0)], fractions(1), [[fractions(4)]], [fractions(1)]
    step = descent_step(X, [(0, 1)], [], *Theta, 0, half, Fraction(1, 4))
    assert step.centers == [[0]]
    assert step.radii == [half]
    assert step.local_metrics == [[[Fraction(31, 8)]]]
    assert step.background_metric == [[half]]


def test_a_long_step_stops_at_the_boundary_of_what_parameters_may_be():
    """Choices C2, C3.

    The step of the example above with rate 100 would give r = -199 and M(B) = -199.
    """
    X = [[-2.0], [4.0]]
    Theta = [[0.0]], [1.0], [[[4.0]]], [[1.0]]
    step = descent_step(X, [(0, 1)], [], *Theta, 0, 0.5, 100.0)
    assert step.radii == [0]
    assert step.background_metric == [[0]]
    assert step.local_metrics == [[[0]]]


def test_a_step_along_no_slope_changes_nothing():
    """Section 5.2. Where the gradient is 0, Theta stays."""
    Theta = Parameters([[1.0, 2.0]], [0.5], [[[2.0, 1.0], [1.0, 2.0]]], [[1.0, 0.0], [0.0, 0.0]])
    zero = Parameters([[0.0, 0.0]], [0.0], [[[0.0, 0.0], [0.0, 0.0]]], [[0.0, 0.0], [0.0, 0.0]])
    assert descended(Theta, zero, beta=1.0) == Theta


def test_every_region_and_every_coordinate_takes_the_step():
    """Section 5.2. Three regions of three features: each number goes from 3 to 3 - 2 * 1 = 1."""

    def parameters(number):
        metric = (number * np.eye(3)).tolist()
        return Parameters([[number] * 3] * 3, [number] * 3, [metric] * 3, metric)

    assert descended(parameters(3.0), parameters(1.0), beta=2.0) == parameters(1.0)


def test_the_step_goes_against_the_slope_of_a_metric():
    """Section 5.2. Diagonal case by hand: (1, 5) - 0.5 (1, 4) = (0.5, 3)."""
    metric = [[1.0, 0.0], [0.0, 5.0]]
    slope = [[1.0, 0.0], [0.0, 4.0]]
    assert descended_metric(metric, slope, 0.5) == [[0.5, 0.0], [0.0, 3.0]]


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ((), 1.25),
        (("E2",), 0.25),
        (("E4",), 1.375),
    ],
)
def test_printed_formulas_reach_the_step(printed, expected):
    """Errata E2, E4.

    A dissimilar pair at D = 1 < 1.5: dD/dM = 1/2, shrinkage 1/4, or as printed +1/2 and 1/8.
    """
    X = [[0.0], [1.0]]
    Theta = [], [], [], [[1.0]]
    step = descent_step(X, [], [(0, 1)], *Theta, 0.25, 0.5, 1.0, printed=printed)
    assert step.background_metric == [[expected]]


@pytest.mark.parametrize("beta", [float("nan"), float("inf")])
def test_an_infinite_rate_is_an_error(beta):
    with pytest.raises(ValueError, match="needs a finite rate, got beta="):
        descent_step([[0.0], [1.0]], [(0, 1)], [], [], [], [], [[1.0]], 0.1, 0.5, beta)


@pytest.mark.parametrize("step", [descended_metric, vectorized.descended_metrics])
def test_only_what_rounding_left_becomes_zero(step):
    """Choice C2: below four roundings of what is subtracted, and only then; without a step a tiny
    eigenvalue stays.
    """
    tiny = [[1.0, 0.0], [0.0, 1e-20]]
    zero = [[0.0, 0.0], [0.0, 0.0]]
    assert np.array_equal(step(tiny, zero, 1.0), tiny)
    assert np.array_equal(step(tiny, [[0.5, 0.0], [0.0, 0.0]], 0.0), tiny)
    below = 3.9 * 2.0**-52
    above = 4.1 * 2.0**-52
    for eigenvalue, expected in ((below, 0.0), (above, above)):
        metric = step([[3.0, 0.0], [0.0, eigenvalue]], [[2.0, 0.0], [0.0, 0.0]], 0.5)
        assert np.array_equal(metric, [[2.0, 0.0], [0.0, expected]])
    # whose squares are no floats
    huge = 1e200 * np.eye(2)
    assert np.array_equal(step(huge.tolist(), (-huge).tolist(), 1.0), 2 * huge)


def test_the_rounding_of_a_step_is_that_of_its_number_type():
    """Choice C2.

    A slope of norm 3 (one entry, or nine) at rate 1/2: four roundings of 3/2, which are 2^-52 in
    floats and about 10^-49 in 50 digits.
    """
    expected = 6 * 2.0**-52
    assert step_rounding([[0.0]], [[3.0]], 0.5) == expected
    nine_entries = step_rounding([[0.0] * 3] * 3, [[1.0] * 3] * 3, 0.5)
    assert nine_entries == pytest.approx(expected, rel=1e-9, abs=0)
    with mpmath.workdps(50):
        rounding = step_rounding([[mpmath.mpf(0)]], [[mpmath.mpf(3)]], mpmath.mpf("0.5"))
        assert rounding == 6 * mpmath.eps
        assert mpmath.mpf(10) ** -50 < rounding < mpmath.mpf(10) ** -47
