"""Section 4.2: tests of `lmlir.continuity`."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from independent import fractions
from scipy.optimize import minimize_scalar

from lmlir import continuity
from lmlir.classifier import decision_value, sum_k_min
from lmlir.continuity import (
    decision_modulus,
    deviation_term,
    difference_lipschitz_bound,
    inverse_decision_modulus,
    learning_bound,
    lipschitz_quotient,
    modulus_of_continuity,
    modulus_of_continuity_disjoint,
    overlapping_scale,
    packing_bound,
    printed_capacity,
    printed_deviation_term,
    printed_distance_lipschitz_bound,
    printed_learning_bound,
    printed_lipschitz_bound,
    printed_sum_k_min_bound,
    repaired_capacity,
    scale_difference,
    scaled_lipschitz_bound,
    shell_chord,
    shell_piece,
    spectral_scale,
    sum_k_min_lipschitz_bound,
    sum_lipschitz_bound,
)
from lmlir.distance import balls_are_disjoint, distance
from lmlir.hull import smallest_scale
from lmlir.regions import is_diagonal, mahalanobis_length
from lmlir.scalars import frobenius_norm
from proofs.sphere import steepest_directions

I2 = [[1.0, 0.0], [0.0, 1.0]]
ONE_BALL = [[0.0, 0.0]], [1.0], [[[4.0, 0.0], [0.0, 4.0]]], I2  # erratum E6's ball
slopes = st.lists(st.integers(-5, 5), min_size=1, max_size=5)


# --------------------------------------------------------------- Definition 9, Propositions 3 and 4


def test_the_quotient_by_hand():
    """Definition 9: f(x) = x_1^2 between (1, 0) and (4, 4): 15 over 5."""
    assert lipschitz_quotient(lambda x: x[0] ** 2, fractions(1, 0), fractions(4, 4)) == 3
    # points as near as one likes
    assert lipschitz_quotient(lambda x: 3 * x[0], [Fraction(1, 10**20)], [0]) == 3
    message = "Definition 9 needs two different points, got x = y = "
    with pytest.raises(ValueError, match=message):
        lipschitz_quotient(lambda x: x[0], [1.0], [1.0])


@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(-5, 5))
@settings(max_examples=40)
def test_sums_differences_and_multiples_stay_within_their_bounds(p, q, a):
    """Proposition 3: for f(x) = p x and g(x) = q |x| the constants are reached or undercut, never
    exceeded.
    """

    def f(x):
        return p * x[0]

    def g(x):
        return q * abs(x[0])

    def steepest(h):
        pairs = [
            (0, 1),
            (-1, 0),
            (-2, 3),
            (1, 4),
        ]
        return max(lipschitz_quotient(h, fractions(x), fractions(y)) for x, y in pairs)

    L_f = abs(p)
    L_g = abs(q)
    assert steepest(lambda x: f(x) - g(x)) <= difference_lipschitz_bound(L_f, L_g)
    assert steepest(lambda x: a * f(x)) == scaled_lipschitz_bound(a, L_f)
    # the slope to the right of 0 is p + q, to the left p - q: one of the two reaches the sum
    assert steepest(lambda x: f(x) + g(x)) == sum_lipschitz_bound(L_f, L_g)


@given(slopes, st.data())
@settings(max_examples=60)
def test_the_sum_of_the_k_smallest_stays_within_both_bounds(p, data):
    """Proposition 4 (E13): for f_k(x) = p_k x; the sharp bound is the sum of the K largest and
    never above K max.
    """
    K = data.draw(st.integers(1, len(p)))
    x = data.draw(st.integers(-9, 9))
    y = data.draw(st.integers(-9, 9))
    L = [abs(slope) for slope in p]
    sharp = sum_k_min_lipschitz_bound(L, K)
    assert sharp <= printed_sum_k_min_bound(L, K)

    at_x = sum_k_min([slope * x for slope in p], K)
    at_y = sum_k_min([slope * y for slope in p], K)
    assert abs(at_x - at_y) <= sharp * abs(x - y)


def test_the_sharp_bound_of_proposition_4_is_reached():
    """Proposition 4 (E13): slopes 1, 2, 5 and K = 2 near x = 0 from below: the two steepest fall by
    7; printed: 10.
    """
    slopes = [1, 2, 5]
    assert sum_k_min_lipschitz_bound(slopes, 2) == 7
    assert printed_sum_k_min_bound(slopes, 2) == 10

    def sum_of_two(x):
        return sum_k_min([slope * x[0] for slope in slopes], 2)

    assert lipschitz_quotient(sum_of_two, fractions(-1), fractions(0)) == 7
    message = "K must be a whole number from 1 to 3, the number of functions"
    with pytest.raises(ValueError, match=message):
        sum_k_min_lipschitz_bound(slopes, 4)
    with pytest.raises(ValueError, match=message):
        printed_sum_k_min_bound(slopes, 0)


# ------------------------------------------------------------------------------------------ Lemma 1


def test_the_printed_bounds_by_hand():
    """Lemma 1, as printed: ||4I||_F + ||I||_F = 5 sqrt 2 in the plane, and twice that for f."""
    metrics = ONE_BALL[2]
    expected = 5 * math.sqrt(2)
    assert printed_distance_lipschitz_bound(metrics, I2) == pytest.approx(expected, rel=1e-15)
    assert printed_lipschitz_bound(metrics, I2) == pytest.approx(2 * expected, rel=1e-15)
    assert printed_lipschitz_bound([], [[3.0]]) == 6
    assert printed_distance_lipschitz_bound([[[4]], [[9]], [[16]]], [[1]]) == 4 + 9 + 16 + 1


@pytest.mark.parametrize(
    ("e", "quotient"),
    [
        (1e-2, 20),
        (1e-4, 200),
        (1e-6, 2000),
        (1e-8, 20000),
    ],
)
def test_the_quotient_of_the_distance_grows_without_bound(e, quotient):
    """Lemma 1 (E6): o = 0, r = 1, M(A) = 4I, M(B) = I, x_k = (-3, 1), x = (3, 1), y = (3, 1 -
    e).
    """

    def D(x):
        return distance(x, [-3.0, 1.0], *ONE_BALL)

    assert lipschitz_quotient(D, [3.0, 1.0], [3.0, 1 - e]) == pytest.approx(quotient, rel=0.01)


def test_the_quotient_of_the_classifier_grows_without_bound():
    """Lemma 1 (E6): X- = {(-3, 1)}, X+ = {(3, 3)}, K = 1 at e = 1e-8, against a printed bound of
    14.14.
    """

    def f(x):
        return decision_value(x, [[-3.0, 1.0]], [[3.0, 3.0]], 1, *ONE_BALL)

    assert lipschitz_quotient(f, [3.0, 1.0], [3.0, 1 - 1e-8]) == pytest.approx(19999, rel=1e-3)
    assert printed_lipschitz_bound(ONE_BALL[2], I2) < 14.15


def test_the_scale_is_the_lipschitz_constant_of_a_length():
    """Lemma 1, step 1 (E5): s(M) is reached on the leading eigenvector and exceeds ||M||_F where
    that is below s(M).
    """
    M = [[2.0, 1.0], [1.0, 2.0]]  # eigenvalues 3 and 1
    assert spectral_scale(M) == pytest.approx(math.sqrt(3), rel=1e-15)

    def length(x):
        return mahalanobis_length(x, [0.0, 0.0], M)

    quotient = lipschitz_quotient(length, [1.0, 1.0], [0.0, 0.0])
    assert quotient == pytest.approx(math.sqrt(3), rel=1e-15)
    for size in (0.01, 1e-300):
        scaled = [[2 * size, size], [size, 2 * size]]
        assert spectral_scale(scaled) == pytest.approx(math.sqrt(3 * size), rel=1e-14)
    assert spectral_scale([[Fraction(1, 100)]]) == Fraction(1, 10)
    assert spectral_scale([[0.0, 0.0], [0.0, 0.0]]) == 0
    assert is_diagonal([[1, 0], [0, 2]])
    assert not is_diagonal([[1, 1], [1, 2]])


# A metric pair whose scale_difference was 3.824 until version 1.0.0: the root of the singular first
# one was wrong.
ROW = [3, -2, 4, 0, -1]
SINGULAR = np.outer(ROW, ROW)
ROUNDED = np.array(
    [
        [3, 1, 2, -4, 0],
        [1, 14, -3, -6, 2],
        [2, -3, 5, -1, -2],
        [-4, -6, -1, 7, -1],
        [0, 2, -2, -1, 2],
    ]
)


def supremum(M, N):
    """The largest |n_M(u) - n_N(u)| over unit vectors u, and a u that has it, by a climb over the
    sphere.
    """
    metrics = np.array([[M], [N]], dtype=float)
    values, directions = steepest_directions(*metrics)
    return values[0], directions[0]


def metric_pairs(count, seed):
    """Pairs of metrics in 2 to 6 dimensions, exactly positive semi-definite, in turn: singular ones
    of integers, one that is 2^-44 or more away from the other, one within the kernel of the other,
    singular ones again, and metrics of full rank.
    """
    rng = np.random.default_rng(seed)
    for k in range(count):
        kind = k % 5
        F = int(rng.integers(2, 7))
        ranks = (F, F) if kind == 4 else rng.integers(1, F, size=2)
        first, second = (rng.integers(-4, 5, size=(rank, F)) for rank in ranks)
        if kind == 2:
            cut = int(rng.integers(1, F))
            first[:, cut:] = 0
            second[:, :cut] = 0
        M = first.T @ first
        N = second.T @ second
        if kind == 1:
            N = M + 2.0 ** -rng.integers(0, 45) * N
        yield M, N


def high_precision(numbers):
    """Nested lists of numbers as nested lists of mpmath's."""
    if np.ndim(numbers) == 0:
        return mpmath.mpf(float(numbers))
    return [high_precision(row) for row in numbers]


def moved(x, y, z, Theta, exact=False):
    """|D(x, z) - D(y, z)| in 50 digits: with a singular metric a float errs by the root of a
    rounding.
    """
    with mpmath.workdps(50):
        x, y, z, *Theta = map(high_precision, (x, y, z, *Theta))
        at_x = distance(x, z, *Theta, exact=exact)
        at_y = distance(y, z, *Theta, exact=exact)
        return float(abs(at_x - at_y))


def test_the_scale_difference_of_the_singular_pair_is_not_too_small():
    """Theorem A, kappa_s: 4.1617 is reached by a unit vector; the value was 3.824 until version
    1.0.0.
    """
    reached, _ = supremum(SINGULAR, ROUNDED)
    value = scale_difference(SINGULAR.tolist(), ROUNDED.tolist())
    assert reached > 4.1617
    assert reached <= value <= reached * (1 + 1e-6)


def test_the_scale_difference_is_the_supremum_for_singular_and_nearly_equal_metrics():
    """Theorem A, kappa_s, against a climb over the sphere, from below and from above.

    Until version 1.0.0 the roots of singular matrices were wrong here and nothing noticed: the
    tests drew metrics of full rank in at most three dimensions, the proofs ran the branch for
    diagonal matrices only, and no law asked about it.
    """
    shares = []
    for M, N in metric_pairs(150, seed=5):
        largest = max(np.linalg.norm(M, 2), np.linalg.norm(N, 2))
        scale = math.sqrt(largest)
        reached, _ = supremum(M, N)
        value = scale_difference(M.tolist(), N.tolist())
        assert value >= reached - 1e-14 * scale
        assert value <= reached + 1e-6 * scale
        shares.append(reached / scale)
    assert min(shares) < 1e-5
    assert max(shares) > 0.99


def test_a_search_that_does_not_end_leaves_the_other_bounds(monkeypatch):
    """Theorem A, kappa_s: with a precision that rounding cannot give, the larger scale and the root
    of |M - N| remain.
    """
    monkeypatch.setattr(continuity, "SEARCH_PRECISION", -0.01)
    monkeypatch.setattr(continuity, "MAX_INTERVALS", 100)
    M = [[1.0, 1.0], [1.0, 1.0]]
    N = [[1.0, 0.0], [0.0, 0.0]]
    golden_ratio = (1 + math.sqrt(5)) / 2  # the norm of M - N
    assert continuity.largest_excess(np.array(M), np.array(N)) == math.inf
    assert scale_difference(M, N) == pytest.approx(math.sqrt(golden_ratio), rel=1e-14)


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300, 1e305])
def test_the_scale_difference_grows_like_the_root_of_the_metrics(size):
    """Theorem A, kappa_s: also where N / q, a hundred million times larger, is not a float; and of
    metrics that are not symmetric by a rounding n(u) is the length under the symmetric part.
    """
    M = np.array([[2.0, 1.0], [1.0, 2.0]])
    N = np.array([[1.0, 0.5], [0.5, 0.25]])
    value = scale_difference((M * size).tolist(), (N * size).tolist())
    expected = supremum(M, N)[0] * math.sqrt(size)
    assert value == pytest.approx(expected, rel=1e-6)

    skew = M + [[0.0, 1e-7], [-1e-7, 0.0]]
    symmetric = scale_difference(M.tolist(), N.tolist())
    assert scale_difference(skew.tolist(), N.tolist()) == symmetric


@pytest.mark.parametrize(
    ("M", "message"),
    [
        ([[math.nan, 1.0], [1.0, 1.0]], "a metric needs finite entries, got"),
        ([[1.0, math.nan], [math.nan, 1.0]], "a metric needs finite entries, got"),
        ([[math.nan, 0.0], [0.0, 1.0]], "a metric needs finite entries, got"),
        ([[4.0, 0.0], [0.0, -1.0]], "a metric must be positive semi-definite, got"),
        ([[1.0, 100.0], [0.0, 1.0]], "a metric must be symmetric, got"),
        (
            [[1.0, 2.0], [2.0, 1.0]],
            "a metric must be positive semi-definite, got a smallest eigenvalue of",
        ),
        ([[1.0, 0.5]], r"a metric must be a square matrix, got rows of lengths \[2\]"),
    ],
)
def test_what_is_no_metric_has_no_scale(M, message):
    """Erratum E5, Theorem A, Theorem B: NaN once had the scale 1.19, since numpy reads one half of
    a matrix only.
    """
    good = [[2.0, 1.0], [1.0, 2.0]]
    if len(M) == 1:
        good = [[2.0, 1.0]]
        message = "square"
    for function in (
        spectral_scale,
        smallest_scale,
        lambda M: scale_difference(M, good),
        lambda M: scale_difference(good, M),
        lambda M: modulus_of_continuity(1.0, [], [], [], M),
    ):
        with pytest.raises(ValueError, match=message):
            function(M)
    with pytest.raises(ValueError, match="two metrics must have one dimension, got 1 and 2"):
        scale_difference([[1.0]], I2)


def test_the_scale_difference_of_equal_metrics_is_zero():
    """Theorem A, kappa_s: equal metrics, singular or not, never disagree."""
    zero = np.zeros((2, 2))
    with np.errstate(invalid="raise"):
        rounded_upwards = continuity.largest_excess(zero, zero)
    assert 0 <= rounded_upwards < 1e-6
    for M, _ in metric_pairs(40, seed=6):
        assert scale_difference(M.tolist(), M.tolist()) == 0


@given(st.integers(0, 10**9), st.integers(1, 6))
@settings(max_examples=40)
def test_the_scale_difference_of_metrics_that_commute(seed, F):
    """Theorem A, kappa_s: the largest difference of the roots of the eigenvalues, in their own
    coordinates and in others.
    """
    rng = np.random.default_rng(seed)
    eigenvalues = rng.uniform(0, 4, size=(2, F)) * rng.integers(0, 2, size=(2, F))
    roots = np.sqrt(eigenvalues)
    expected = np.abs(roots[0] - roots[1]).max()
    diagonal = [np.diag(values) for values in eigenvalues]
    value = scale_difference(*(D.tolist() for D in diagonal))
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)

    turn = np.linalg.qr(rng.normal(size=(F, F)))[0]
    turned = [(turn @ D @ turn.T).tolist() for D in diagonal]
    # a root of a rounded eigenvalue
    assert scale_difference(*turned) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def tangent_move(u, e, radius=1.0):
    """A ball and x, y, z: the segment zx has the direction u and touches the ball behind its
    middle; y lies e lower.
    """
    t = np.eye(len(u))[np.argmin(np.abs(u))]
    t -= (t @ u) * u
    t /= np.linalg.norm(t)
    center = [0.0] * len(u)
    x = radius * t + math.sqrt(2 * e * radius) * u
    y = x - e * t
    z = radius * t - 300 * radius * u
    return center, x, y, z


def test_a_tangent_reaches_the_modulus_with_singular_metrics():
    """Theorem A, disjoint: along the direction where two metrics disagree most, 0.98 of the modulus
    and never more than it. With the scale_difference of version 1.0.0 the first pair exceeds it by
    8.7 %.
    """
    checked = 0
    for M, N in [(SINGULAR, ROUNDED), *metric_pairs(60, seed=7)]:
        M = M.tolist()
        N = N.tolist()
        reached, u = supremum(M, N)
        if reached < 0.1 * max(spectral_scale(M), spectral_scale(N)):
            continue
        checked += 1
        center, x, y, z = tangent_move(u, e=1e-6)
        Theta = [center], [1.0], [M], N
        change = moved(x, y, z, Theta)
        gap = float(np.linalg.norm(x - y))
        assert 0.98 < change / modulus_of_continuity_disjoint(gap, *Theta) <= 1
        assert change <= modulus_of_continuity(gap, *Theta)
    assert checked > 40


def test_the_longest_piece_in_a_shell_is_the_chord():
    """Theorem A, step 1: over all heights h the piece is longest at h = r - e; tau <= 2 sqrt(2 r
    e).
    """
    for radius, e in [(1.0, 0.1), (1.0, 1e-4), (3.0, 2.5), (1.0, 2.0), (0.0, 1.0), (2.0, 0.0)]:

        def piece(h, radius=radius, e=e):
            return shell_piece(radius, e, h)

        best = minimize_scalar(lambda h: -piece(h), bounds=(0, radius), method="bounded")
        longest = max(piece(best.x), piece(max(radius - e, 0)))
        chord = shell_chord(radius, e)
        assert chord == pytest.approx(longest, rel=1e-9, abs=1e-12)
        assert chord <= 2 * math.sqrt(2 * radius * e) + 1e-15
    five = Fraction(5)
    assert shell_chord(five, Fraction(2)) == 8
    assert shell_chord(five, Fraction(6)) == 10
    assert shell_chord(five, five) == 10
    assert shell_piece(five, five, Fraction(3)) == 8


@pytest.mark.parametrize("radius", [1.0, 1e-20, 3e150, 0.7])
@pytest.mark.parametrize("share", [1e-300, 5e-17, 1e-12, 0.1, 0.999999, 1.0, 3.0])
def test_the_chord_of_a_thin_shell_keeps_its_digits(radius, share):
    """Theorem A, tau_s, against 700 digits; until version 1.0.0 it was 0 at e = 5e-17 r."""
    e = radius * share
    with mpmath.workdps(700):
        r = mpmath.mpf(radius)
        gap = mpmath.mpf(e)
        expected = 2 * mpmath.sqrt(r**2 - max(r - gap, 0) ** 2)
        assert abs(shell_chord(radius, e) - expected) <= 1e-15 * expected
        assert abs(shell_chord(r, gap) - expected) <= mpmath.mpf(10) ** -350 * expected


def test_the_chord_of_the_thinnest_shell_is_not_zero():
    """Theorem A, tau_s: e = 5e-324, the smallest float, and r = 1e-300: e r is not a float, its
    root is.
    """
    with mpmath.workdps(700):
        r = mpmath.mpf(1e-300)
        e = mpmath.mpf(5e-324)
        expected = 2 * mpmath.sqrt(e * (2 * r - e))
    assert shell_chord(1e-300, 5e-324) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("e", [-1, -1e-300, math.nan])
def test_a_negative_gap_is_an_error(e):
    """Theorem A."""
    with pytest.raises(ValueError, match="a shell needs e >= 0, got e="):
        shell_chord(1.0, e)
    with pytest.raises(ValueError, match="the modulus of continuity needs e >= 0"):
        modulus_of_continuity(e, [], [], [], [[1.0]])


def test_a_shell_needs_a_radius():
    """Theorem A, tau_s."""
    with pytest.raises(ValueError, match="Definition 1 needs radius >= 0, got radius=-1.0"):
        shell_chord(-1.0, 1.0)


def test_only_balls_that_meet_add_up():
    """Theorem A, Lambda: [0, 2] and [1, 3] meet, [9, 10] stands alone; without balls it is 0."""
    centers = [[1], [2], fractions("19/2")]
    radii = [1, 1, Fraction(1, 2)]
    metrics = [[[Fraction(4)]], [[Fraction(9)]], [[Fraction(16)]]]
    assert overlapping_scale(centers, radii, metrics) == 5
    assert overlapping_scale(centers[2:], radii[2:], metrics[2:]) == 4
    assert overlapping_scale([], [], []) == 0


def test_a_ball_adds_up_with_later_ones_only():
    """Theorem A, Lambda: [-1, 1], [0.5, 2.5] and [2, 4] with s = 2, 3, 4: the outer two do not
    meet, so 3 + 4 is the most.
    """
    centers = [fractions(0), fractions("3/2"), fractions(3)]
    metrics = [[[4]], [[9]], [[16]]]
    assert overlapping_scale(centers, [1, 1, 1], metrics) == 7


@given(st.integers(0, 10**9))
@settings(max_examples=60)
def test_no_point_lies_in_balls_with_a_larger_sum(seed):
    """Theorem A, Lambda: a point of each ball or of each overlap, against the sum over the balls
    around it.
    """
    rng = np.random.default_rng(seed)
    S = int(rng.integers(1, 6))
    F = int(rng.integers(1, 4))
    centers = rng.integers(-2, 3, size=(S, F))
    radii = rng.integers(0, 3, size=S)
    scales = rng.integers(0, 4, size=S)
    metrics = [np.eye(F) * s**2 for s in scales]
    Lambda = overlapping_scale(centers.tolist(), radii.tolist(), metrics)

    largest = 0
    for first in centers:
        for second in centers:
            point = (first + second) / 2
            squares = ((point - centers) ** 2).sum(axis=1)
            around = squares <= radii**2
            largest = max(largest, scales[around].sum())
    assert largest <= Lambda
    assert Lambda <= sum(scales)


@st.composite
def moves(draw):
    """Balls of the line, the plane or space, overlapping or not, metrics of any rank, a far point
    z, and a small move.
    """
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    F = draw(st.integers(1, 3))
    S = draw(st.integers(0, 3))
    spread = draw(st.sampled_from([0.3, 1.0, 4.0]))
    centers = (rng.normal(size=(S, F)) * spread).tolist()
    radii = rng.uniform(0, 1, size=S).tolist()
    roots = rng.normal(size=(S + 1, F, F))
    roots *= rng.uniform(0, 2, size=(S + 1, 1, 1))
    if draw(st.booleans()):  # rows of 0: singular metrics
        roots *= rng.integers(0, 2, size=(S + 1, F, 1))
    *local_metrics, background_metric = [(root.T @ root).tolist() for root in roots]

    x, z, direction = rng.normal(size=(3, F)) * 2
    e = 10.0 ** draw(st.floats(-8, 0))
    y = x + e * direction / np.linalg.norm(direction)
    if S and draw(st.booleans()):
        # z, and a line from it that touches the first ball, where D is steepest
        t = rng.normal(size=F)
        t /= np.linalg.norm(t)
        tangent = centers[0] + radii[0] * t
        across = rng.normal(size=F)
        if F > 1:
            across -= (across @ t) * t
        z = tangent - 3 * across
        x = tangent + rng.uniform(0, 2) * across
        y = x - e * t
    Theta = centers, radii, local_metrics, background_metric
    return x.tolist(), y.tolist(), z.tolist(), Theta


@given(moves(), st.booleans())
@settings(max_examples=250)
def test_the_distance_moves_within_its_modulus(move, exact):
    """Theorem A (E6, E7): |D(x, z) - D(y, z)| <= w(|x - y|) for both kinds of gamma_b, overlap and
    all.
    """
    x, y, z, Theta = move
    e = math.dist(x, y)
    change = abs(distance(x, z, *Theta, exact=exact) - distance(y, z, *Theta, exact=exact))
    slack = 1e-7  # a tangent in floats is off by the root of a rounding
    modulus = modulus_of_continuity(e, *Theta)
    assert change <= modulus + slack
    if balls_are_disjoint(*Theta[:2]):
        disjoint = modulus_of_continuity_disjoint(e, *Theta)
        assert change <= disjoint + slack
        assert decision_modulus(e, *Theta) == 2 * disjoint
    else:
        assert decision_modulus(e, *Theta) == 2 * modulus
        message = "the disjoint modulus needs balls that do not overlap"
        with pytest.raises(ValueError, match=message):
            modulus_of_continuity_disjoint(e, *Theta)


def test_the_modulus_is_reached_by_a_ball_that_costs_nothing():
    """Theorem A: o = 0, r = 1, z = (-3, 1), x = (sqrt(2e), 1), y = x - (0, e), M(A) = 0, M(B) = I:
    0.9999 of it.
    """
    e = 1e-8
    Theta = [[0.0, 0.0]], [1.0], [[[0.0, 0.0], [0.0, 0.0]]], I2
    z = [-3.0, 1.0]
    x = [math.sqrt(2 * e), 1.0]
    y = [x[0], 1 - e]
    change = abs(distance(x, z, *Theta) - distance(y, z, *Theta))
    for modulus in (modulus_of_continuity, modulus_of_continuity_disjoint):
        assert 0.999 < change / modulus(e, *Theta) <= 1


@pytest.mark.parametrize("covered", [False, True])
def test_the_constant_is_reached_for_any_metrics_with_the_exact_background(covered):
    """Theorem A: kappa_s = sup |n_s - n_B| by a tangent in free background, kappa_s = s(M(A_s)) by
    one within a small ball.

    The small ball lies around the piece that the segment gains, so that its own chord is short
    beside that of the first.
    """
    e = 1e-9
    best = 0
    for M, N in metric_pairs(25, seed=8):
        M = M.tolist()
        N = N.tolist()
        if covered:
            reached = spectral_scale(M)
            u = np.linalg.eigh(M)[1][:, -1]
        else:
            reached, u = supremum(M, N)
        center, x, y, z = tangent_move(u, e)
        centers = [center]
        radii = [1.0]
        metrics = [M]
        if covered:
            centers.append((y + x) / 2)
            radii.append(3 * math.sqrt(2 * e))
            metrics.append(N)
        Theta = centers, radii, metrics, N

        change = moved(x, y, z, Theta, exact=True)
        gap = float(np.linalg.norm(x - y))
        share = change / modulus_of_continuity(gap, *Theta)
        assert share <= 1
        best = max(best, share)
        if reached > 0.1 * max(spectral_scale(M), spectral_scale(N)):
            assert change > 0.97 * reached * shell_chord(1.0, gap)
    assert best > 0.97


def test_the_modulus_by_hand():
    """Theorem A: r = 5, e = 2: tau = 8; s(M(A)) = 2, s(M(B)) = 1: 2*2 + 2*8, or 2*2 + (2 - 1)*8 if
    disjoint.
    """
    Theta = [fractions(0, 0)], [Fraction(5)], [[[4, 0], [0, 4]]], [[1, 0], [0, 1]]
    assert modulus_of_continuity(Fraction(2), *Theta) == 20
    assert modulus_of_continuity_disjoint(Fraction(2), *Theta) == 12
    assert decision_modulus(Fraction(2), *Theta) == 24
    assert modulus_of_continuity(0, *Theta) == 0
    assert modulus_of_continuity(3, [], [], [], [[4]]) == 6


def test_each_of_three_regions_counts_in_the_modulus():
    """Theorem A: r = 5, e = 2: tau = 8; s(M(A)) = 3, 4, 5 by the third feature alone, s(M(B)) = 1.

    Disjoint: 5 2 + (2 + 3 + 4) 8; where the first and the third ball meet, (3 + 5) 2 + (3 + 4 + 5)
    8.
    """
    metrics = [np.diag([1, 1, square]).tolist() for square in (9, 16, 25)]
    identity = np.eye(3, dtype=int).tolist()
    for third, modulus in (([0, 99, 0], 82), ([1, 0, 0], 112)):
        centers = [[0, 0, 0], [99, 0, 0], third]
        radii = [5, 5, 5]
        Theta = centers, radii, metrics, identity
        assert decision_modulus(2, *Theta) == 2 * modulus
        assert inverse_decision_modulus(2 * modulus, *Theta) == pytest.approx(2, rel=1e-14)
        capacity = (1 + 2 * 3 / 2) ** 2
        assert repaired_capacity(3.0, 2, 16 * modulus, *Theta) == pytest.approx(capacity, rel=1e-13)
        assert balls_are_disjoint(centers, radii) == (modulus == 82)
    assert modulus_of_continuity(2, *Theta) == 112
    with pytest.raises(ValueError, match="the disjoint modulus needs balls that do not overlap"):
        modulus_of_continuity_disjoint(2, *Theta)
    assert modulus_of_continuity(2, [[0]], [5], [[[1]]], [[9]]) == 3 * 2 + (3 - 1) * 8


def test_the_modulus_of_cheap_regions_by_hand():
    """Theorem A: r = 5, e = 2: tau = 8; s(M(A)) = 1, s(M(B)) = 2: 2 2 + 1 8; two equal balls:
    Lambda = max(2, 1 + 1).
    """
    for count in (1, 2):
        centers = [fractions(0, 0)] * count
        radii = [Fraction(5)] * count
        metrics = [[[1, 0], [0, 1]]] * count
        modulus = modulus_of_continuity(Fraction(2), centers, radii, metrics, [[4, 0], [0, 4]])
        assert modulus == 4 + 8 * count


@given(st.lists(st.integers(-9, 9), min_size=12, max_size=12))
@example([2, 3, 4, 4, 6, 8, 6, 9, 12, 2, 3, 4])  # rank one, b along its rows: both sides are equal
def test_the_frobenius_norm_is_consistent_with_the_euclidean_one(numbers):
    """Lemma 1, footnote: |M b| <= ||M||_F |b|; the left side by numpy."""
    M = np.reshape(numbers[:9], (3, 3))
    b = numbers[9:]
    bound = frobenius_norm(M.tolist()) * math.hypot(*b)
    assert np.linalg.norm(M @ b) <= bound * (1 + 1e-12)


# -------------------------------------------------------------------------------------- Corollary 1


def test_the_printed_bound_lets_a_coin_be_predicted():
    """Corollary 1, equation (11) (E8): n = 1000, delta = 0.05 and c near 0 give 0.112; a coin is
    wrong half the time.
    """
    for k, expected in ((0, 0.112), (100, 0.212), (1000, 1.112)):
        bound = printed_learning_bound(k, 1000, 0.05, 1e-12)
        assert bound == pytest.approx(expected, abs=5e-4)


def test_the_printed_deviation_by_hand():
    """Equation (11): n = 2, c = 34, so log2(34 e n / c) = log2(2e); 34 log2(2e) log2(1156) +
    log2(4/delta).
    """
    expected = 34 * (1 + 1 / math.log(2)) * math.log2(1156) + 3
    assert printed_deviation_term(2, 0.5, 34) == pytest.approx(math.sqrt(expected), rel=1e-14)


def test_the_deviation_of_the_source_by_hand():
    """Equation (11) (E33): n = 2, c = 34, with natural logarithms: 34 (ln 2 + 1) log2(1156) +
    ln(4/delta).
    """
    for delta in (1e-20, 0.5, 1 - 1e-12):
        expected = 34 * (math.log(2) + 1) * math.log2(1156) + math.log(4 / delta)
        assert deviation_term(2, delta, 34) == pytest.approx(math.sqrt(expected), rel=1e-14)


@given(n=st.integers(1, 10**9), delta=st.floats(1e-9, 0.999), share=st.floats(1e-9, 1))
# c = 1: 0.994 as printed, 0.827 with the source's logarithms
@example(n=600, delta=0.05, share=1 / 20400)
def test_the_printed_deviation_is_always_a_fifth_too_large(n, delta, share):
    """Equation (11) (E33): both terms have one logarithm too many by the base 2, so the factor is 1
    / sqrt(ln 2) = 1.2011.
    """
    c = 34 * n * share
    ratio = printed_deviation_term(n, delta, c) / deviation_term(n, delta, c)
    assert ratio == pytest.approx(1.2011224087864498, rel=1e-12)


def test_the_deviation_grows_up_to_34_n_and_is_refused_beyond():
    """Equation (11) (E8): c log2(34 e n / c) grows up to c = 34 n and falls behind it; there the
    bound is the trivial 1.
    """
    n = 100
    end = 34 * n

    def under_the_root(c):
        return c * math.log2(end * math.e / c)

    assert under_the_root(end * 0.99) < under_the_root(end)
    assert under_the_root(end) > under_the_root(end * 1.01)
    for term in (deviation_term, printed_deviation_term):
        values = [term(n, 0.05, end * share) for share in (0.5, 0.9, 1.0)]
        assert values == sorted(values)
    for c in (end + 1e-12, end * 1.01, 1e9):
        with pytest.raises(ValueError, match=r"equation \(11\) needs 0 < c <= 34 n"):
            printed_learning_bound(0, n, 0.05, c)
        assert learning_bound(0, n, 0.05, c) == 1
    assert learning_bound(0, 1, 0.05, 34.5) == 1


def test_the_repaired_bound_is_never_above_one():
    """Corollary 1, repaired: k / n plus the deviation, at most 1."""
    for c in (3.0, 35.0):
        expected = 5e-7 + deviation_term(10**7, 0.05, c)
        assert learning_bound(5, 10**7, 0.05, c) == pytest.approx(expected, rel=1e-14)
    assert learning_bound(90, 100, 0.05, 1.0) == 1
    assert learning_bound(100, 100, 0.05, 1.0) == 1


C_RANGE = r"equation \(11\) needs 0 < c <= 34 n, beyond which it falls with c"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, r"equation \(11\) needs n >= 1, got n=0"),
        ({"n": math.inf}, r"equation \(11\) needs n >= 1, got n=inf"),
        ({"delta": 0.0}, r"equation \(11\) needs 0 < delta < 1, got delta=0.0"),
        ({"delta": 1.0}, r"equation \(11\) needs 0 < delta < 1, got delta=1.0"),
        ({"c": 0.0}, f"{C_RANGE}, got c=0.0, n=10"),
        ({"c": 340.1}, f"{C_RANGE}, got c=340.1, n=10"),
        ({"c": 340 + 1e-12}, f"{C_RANGE}, got c=340.0"),
        ({"c": math.nan}, f"{C_RANGE}, got c=nan, n=10"),
    ],
)
@pytest.mark.parametrize("term", [deviation_term, printed_deviation_term])
def test_a_bound_without_meaning_is_an_error(term, arguments, message):
    """Equation (11): printed, and with the logarithms of its source."""
    with pytest.raises(ValueError, match=message):
        term(**({"n": 10, "delta": 0.5, "c": 1.0} | arguments))


@pytest.mark.parametrize("bound", [learning_bound, printed_learning_bound])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, r"equation \(11\) needs n >= 1, got n=0"),
        ({"n": math.inf}, r"equation \(11\) needs n >= 1, got n=inf"),
        ({"k": -1}, r"equation \(11\) needs 0 <= k <= n, got k=-1 and n=10"),
        ({"k": 11}, r"equation \(11\) needs 0 <= k <= n, got k=11 and n=10"),
        ({"delta": 2.0, "c": 1e9}, r"equation \(11\) needs 0 < delta < 1, got delta=2.0"),
    ],
)
def test_a_count_without_meaning_is_an_error(bound, arguments, message):
    """Corollary 1, equation (11): printed and repaired."""
    with pytest.raises(ValueError, match=message):
        bound(**({"k": 0, "n": 10, "delta": 0.5, "c": 1.0} | arguments))


def test_the_printed_capacity_by_hand():
    """Corollary 1, c, as printed: (16 (5 + 1) 2)^3 for diag(3, 4) and 1, diameter 2, doubling
    dimension 2.
    """
    assert printed_capacity([[[3, 0], [0, 4]]], [[1]], 2, 2) == 192**3


def test_the_inverse_of_the_modulus_is_its_inverse():
    """Corollary 1, repaired: w(e) = 2 (e + 2 sqrt(...)) at the e that comes back; infinite where w
    is 0.
    """
    for target in (0.01, 0.125, 1.0, 50.0):
        e = inverse_decision_modulus(target, *ONE_BALL)
        assert decision_modulus(e, *ONE_BALL) <= target
        assert decision_modulus(e * (1 + 1e-9), *ONE_BALL) > target
    assert inverse_decision_modulus(0.125, [], [], [], [[0.0]]) == math.inf
    for e in (math.nextafter(2.0, 1.0), 2.0, math.nextafter(2.0, 3.0)):
        assert inverse_decision_modulus(2 * e, [], [], [], [[1.0]]) == e  # w(e) = 2 e without balls
    # e = 5: tau = 2 sqrt(5 * 45) = 30, w = 2 (2 * 5 + (2 - 1) * 30)
    centers, _, metrics, background_metric = ONE_BALL
    inverse = inverse_decision_modulus(80.0, centers, [25.0], metrics, background_metric)
    assert inverse == pytest.approx(5, rel=1e-14)


def test_the_repaired_capacity_counts_what_can_be_shattered():
    """Corollary 1, c, repaired: points of the line 1/16 of the margin apart shatter; M(B) = 1: w(e)
    = 2e, 1/8 at e = 1/16.
    """
    for F in (1, 3):
        capacity = repaired_capacity(2.0, F, 1.0, [], [], [], [[1.0]])
        assert capacity == pytest.approx((1 + 2 * 2 * 16) ** F, rel=1e-12)
    assert repaired_capacity(1e300, 3, 1.0, *ONE_BALL) == math.inf
    assert repaired_capacity(1.0, 3, 1e-300, *ONE_BALL) == math.inf
    at_margin_1 = repaired_capacity(1.0, 2, 1.0, *ONE_BALL)
    at_margin_half = repaired_capacity(1.0, 2, 0.5, *ONE_BALL)
    assert 1 <= at_margin_1 < at_margin_half


@pytest.mark.parametrize("margin", [1.0, 1e-7, 1e-30, 1e-70])
@pytest.mark.parametrize("F", [1, 2, 3, 5])
def test_the_repaired_capacity_at_small_margins(margin, F):
    """Corollary 1, c, repaired, against mpmath: w(e) = 2 (2e + 2 sqrt(e (2 - e))); 6.7e35 at F = 2,
    diam = 2, margin 1e-7, which was 5e33 until version 1.0.0.
    """
    with mpmath.workdps(400):
        target = mpmath.mpf(margin) / 8
        # (target - 4 e)^2 = 16 e (2 - e)
        a = 32
        b = -(8 * target + 32)
        c = target**2
        discriminant = b**2 - 4 * a * c
        e = (-b - mpmath.sqrt(discriminant)) / (2 * a)
        assert abs(4 * e + 4 * mpmath.sqrt(e * (2 - e)) - target) < mpmath.mpf(10) ** -300
        capacity = (1 + 2 * 2 / e) ** F
    expected = float(capacity) if capacity < 1e308 else math.inf
    value = repaired_capacity(2.0, F, margin, *ONE_BALL)
    assert value == pytest.approx(expected, rel=1e-12)
    if (margin, F) == (1e-7, 2):
        assert value == pytest.approx(6.7e35, rel=0.01)


DIAMETER_RANGE = "a comparison of volumes needs a finite diameter >= 0"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"margin": 0.0}, "Corollary 1 needs margin > 0, got margin=0.0"),
        ({"diameter": -1.0}, f"{DIAMETER_RANGE}, got diameter=-1.0"),
        ({"diameter": -1e-300}, f"{DIAMETER_RANGE}, got diameter=-1e-300"),
        ({"diameter": math.inf}, f"{DIAMETER_RANGE}, got diameter=inf"),
        ({"F": 0}, "a comparison of volumes needs F >= 1, got F=0"),
    ],
)
def test_a_capacity_without_meaning_is_an_error(arguments, message):
    """Corollary 1, repaired."""
    given_ = {"diameter": 1.0, "F": 2, "margin": 1.0} | arguments
    with pytest.raises(ValueError, match=message):
        repaired_capacity(*given_.values(), *ONE_BALL)


def test_points_that_are_apart_are_counted_by_volumes():
    """Corollary 1, c, repaired, by hand: (1 + 2 * 3 * 2 / 4)^2 = 16, and (1 + 2 * 2 / 4)^2 = 4 with
    Lambda = 1.
    """
    assert packing_bound(2.0, 2, 4.0, Lambda=3.0) == 16
    assert packing_bound(2.0, 2, 4.0) == 4
    assert packing_bound(0.0, 2, 4.0) == 1
    assert packing_bound(2.0, 2, 4.0, Lambda=0.0) == 1
    for Lambda in (-1e-300, math.inf, math.nan):
        with pytest.raises(ValueError, match=f"needs a finite Lambda >= 0, got Lambda={Lambda}"):
            packing_bound(2.0, 2, 4.0, Lambda)


def test_a_missing_radius_or_local_metric_is_named():
    """Theorem A: as many radii and as many local metrics as balls."""
    no_radius = "radii needs one radius per center, got 0 radii and 1 centers"
    for modulus in (modulus_of_continuity, modulus_of_continuity_disjoint, decision_modulus):
        with pytest.raises(ValueError, match="local_metrics needs one metric per center"):
            modulus(1.0, [[0.0]], [1.0], [], [[1.0]])
        with pytest.raises(ValueError, match=no_radius):
            modulus(1.0, [[0.0]], [], [[[1.0]]], [[1.0]])
