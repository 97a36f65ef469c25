"""Theorem E: tests of `lmlir.extinction`.

Expected values: hand computation, exact fractions through the shipped step.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from independent import END, ROWS, START, fractions

from lmlir import vectorized
from lmlir.descent import descended_metric, descent_step
from lmlir.extinction import (
    check_rate,
    is_out_of_reach,
    meeting_pairs,
    share_of_metric,
    shrunk_metric,
    steps_to_death,
)
from lmlir.gradient import objective_gradient, ratio_gradient, shrinkage
from lmlir.scalars import Parameters, frobenius_norm, identity_matrix

M = [fractions(3, 2), fractions(2, 8)]  # its norm is 9, its determinant 20
ALPHA = Fraction(1, 10)
C = Fraction(1, 2)
I2 = [fractions(1, 0), fractions(0, 1)]
METRICS = [
    [[2.0, 1.0], [1.0, 2.0]],
    [[1.0, 1.0], [1.0, 1.0]],
    [[0.5, 0.0], [0.0, 0.0]],
]


@st.composite
def problems(draw, largest=3):
    """Points, pairs and two balls with small whole coordinates, where segments end on spheres,
    touch and miss them.
    """
    number = st.integers(-largest, largest).map(float)
    point = st.tuples(number, number).map(list)
    X = draw(st.lists(point, min_size=4, max_size=6))
    index = st.integers(0, len(X) - 1)
    pairs = st.lists(st.tuples(index, index), max_size=4)
    similar = draw(pairs)
    dissimilar = draw(pairs)
    centers = draw(st.lists(point, min_size=2, max_size=2))
    radii = [float(draw(st.integers(0, 2))) for _ in range(2)]
    return X, similar, dissimilar, Parameters(centers, radii, METRICS[:2], METRICS[2])


# ----------------------------------------------------------------------------------- the arithmetic


def test_the_steps_by_hand():
    """Theorem E: 9 / (1/10 * 4) = 22.5; exactly 10 for 5 / (1/2); none for a dead metric."""
    assert steps_to_death(M, ALPHA, Fraction(4)) == 23
    assert steps_to_death([[3, 0], [0, 4]], 0.5, 1) == 10
    assert steps_to_death([[0.0]], 0.1, 1.0) == 0


@pytest.mark.parametrize(
    ("F", "steps"),
    [
        (1, 10),
        (2, 15),
        (6, 25),
        (13, 37),
        (24, 49),
        (30, 55),
    ],
)
def test_the_identity_dies_after_ten_roots_of_the_dimension(F, steps):
    """Theorem E: from M = I at alpha = 0.1 and beta = 1: the least k with k^2 >= 100 F; ten times
    as long at beta = 0.1.
    """
    identity = identity_matrix(F)
    assert (steps - 1) ** 2 < 100 * F <= steps**2
    assert steps_to_death(identity, ALPHA, 1) == steps
    expected = math.isqrt(10**4 * F - 1) + 1
    assert steps_to_death(identity, ALPHA, Fraction(1, 10)) == expected


def test_the_metric_on_its_way_by_hand():
    """Theorem E: after 3 of 22.5 steps 9 - 1.2 is left, in the same direction; after 23 nothing.

    The 4 x 4 matrix of twos has norm 8, so after 4 steps of 1, or one of 4, half of it is left.
    """

    def scaled(share):
        return [[entry * share for entry in row] for row in M]

    after = shrunk_metric(M, ALPHA, Fraction(4), steps=3)
    assert after == scaled(Fraction(39, 45))
    assert frobenius_norm(after) == Fraction(39, 5)
    assert shrunk_metric(M, ALPHA, Fraction(4), steps=22) == scaled(Fraction(1, 45))
    assert shrunk_metric(M, ALPHA, Fraction(4), steps=23) == [[0, 0], [0, 0]]
    assert shrunk_metric(M, ALPHA, Fraction(4), steps=0) == M
    zeros = [[0] * 4] * 4
    ones = [[1] * 4] * 4
    twos = [[2] * 4] * 4
    assert shrunk_metric(twos, 1, 1, steps=4) == ones
    assert shrunk_metric(twos, 1, 4) == ones  # one step unless asked otherwise
    assert shrunk_metric(twos, 1, 8) == zeros
    assert shrunk_metric(twos, 1, 1, steps=9) == zeros
    assert shrunk_metric([[0]], 1, 1, steps=0) == [[0]]
    tiny = Fraction(1, 10**20)
    one = [[Fraction(1)]]
    assert shrunk_metric(one, 1, 1 + tiny) == [[0]]
    assert shrunk_metric(one, 1, 1 - tiny) == [[tiny]]


@pytest.mark.parametrize(
    ("alpha", "beta"),
    [
        (0, 1),
        (0.1, 0),
        (-1, -1),
        (math.nan, 1),
    ],
)
def test_without_penalty_or_rate_nothing_dies(alpha, beta):
    """Theorem E: one sentence with both values."""
    message = f"Theorem E needs alpha > 0 and beta > 0, got alpha={alpha} and beta={beta}"
    with pytest.raises(ValueError, match=message):
        check_rate(alpha, beta)
    with pytest.raises(ValueError, match=message):
        steps_to_death(M, alpha, beta)
    with pytest.raises(ValueError, match=message):
        shrunk_metric(M, alpha, beta)
    check_rate(1e-300, 1e-300)


# --------------------------------------------------------------------------------- the shipped step


@pytest.mark.parametrize("beta", fractions(1, 9, 30, 45, 90, 200))
def test_the_shipped_step_takes_a_metric_to_0_exactly_when_predicted(beta):
    """Theorem E: `descent_step` in fractions; the one pair is near enough, so no hinge is
    active.
    """
    X = [fractions(0, 0), [Fraction(1, 9), Fraction(0)]]
    pairs = [(0, 1)]
    Theta = Parameters([fractions(0, 0)], [Fraction(1)], [M], I2)
    assert meeting_pairs(X, pairs, [], 0, Theta, C) == []
    last = steps_to_death(M, ALPHA, beta)
    for step in range(1, last + 3):
        is_alive = frobenius_norm(Theta.local_metrics[0]) > 0
        assert is_alive == (step <= last)
        Theta = descent_step(X, pairs, [], *Theta, ALPHA, C, beta)
        assert Theta.local_metrics[0] == shrunk_metric(M, ALPHA, beta, step)


def test_a_ball_out_of_reach_stays_there_and_its_metric_dies_while_active_pairs_move_the_rest():
    """Theorem E: an active pair far from the ball, in floats: 9 at 0.1 * 4 a step is gone after 23,
    and not before.
    """
    X = [[9.0, 0.0], [12.0, 4.0]]
    pairs = [(0, 1)]
    Theta = Parameters([[0.0, 0.0]], [1.0], [[[3.0, 2.0], [2.0, 8.0]]], [[1.0, 0.0], [0.0, 1.0]])
    assert is_out_of_reach(X, pairs, Theta.centers[0], Theta.radii[0])
    for step in range(1, 26):
        Theta = descent_step(X, pairs, [], *Theta, 0.1, 0.5, 4.0)
        assert Theta.centers == [[0.0, 0.0]]
        assert Theta.radii == [1.0]
        norm = frobenius_norm(Theta.local_metrics[0])
        assert norm == pytest.approx(max(9 - 0.4 * step, 0), abs=1e-12)
        assert (norm == 0) == (step >= 23)
    assert frobenius_norm(Theta.background_metric) < 1  # it was met, and moved


def test_a_dead_metric_stays_dead_although_active_pairs_cross_its_ball():
    """Theorem E, choice C14: M(A) = 0, a similar pair across the ball that is too long; the radius
    moves, M(A) does not.
    """
    X = [[-2.0, 0.0], [2.0, 0.0]]
    dead = [[0.0, 0.0], [0.0, 0.0]]
    Theta = Parameters([[0.0, 0.0]], [1.0], [dead], [[1.0, 0.0], [0.0, 1.0]])
    after = descent_step(X, [(0, 1)], [], *Theta, 0.1, 0.5, 0.01)
    assert after.local_metrics == [dead]
    assert after.radii[0] > 1


@pytest.mark.parametrize("step", [descent_step, vectorized.descent_step])
def test_a_singular_metric_dies_for_good(step):
    """Theorem E in floats: v v^T of norm 0.3 at 0.1 a step is 0 after 3 steps, not 1e-17, which
    would have a slope of 1e8; so a dissimilar pair in its ball, which would like it larger, moves
    it no more (choice C14).
    """
    v = np.array([3.0, -2.0, 4.0, 0.0, -1.0]) / 10
    X = [
        [9.0] * 5,
        [9.1] * 5,
        [-0.2, 0.0, 0.0, 0.0, 0.0],
        [0.2, 0.1, 0.3, 0.05, 0.02],
    ]
    Theta = Parameters([[0.0] * 5], [1.0], [np.outer(v, v).tolist()], np.eye(5).tolist())
    norms = []
    for number in range(7):
        norms.append(np.linalg.norm(Theta.local_metrics[0]))
        similar = [(0, 1)] if number < 4 else []
        dissimilar = [(2, 3)] if number >= 4 else []
        Theta = Parameters(*step(X, similar, dissimilar, *Theta, 0.1, 0.5, 1.0))
    assert norms[:3] == pytest.approx([0.3, 0.2, 0.1], rel=1e-12)
    assert norms[3:] == [0, 0, 0, 0]


@given(st.integers(0, 2**31), st.integers(1, 8), st.integers(1, 8))
@settings(max_examples=60)
def test_metrics_of_any_rank_die_for_good(seed, F, rank):
    """Theorem E in floats: at most one step later than predicted, then 0 to the last bit."""
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(F, min(rank, F)))
    M = roots @ roots.T
    norm = rng.uniform(0.2, 3.0)
    M = (M * norm / np.linalg.norm(M)).tolist()
    last = steps_to_death(M, 0.1, 1.0)
    norms = []
    for _ in range(last + 4):
        M = descended_metric(M, shrinkage(M, 0.1), 1.0)
        norms.append(np.linalg.norm(M))
    assert all(norm > 0 for norm in norms[: last - 1])
    assert norms[last:] == [0] * 4


# ------------------------------------------------------------------------------- who meets a metric


# A similar pair begins on the sphere of the first ball and leads away from it: gamma is 0, and in
# floats 1.4e-17.
ROUNDED_SHARE = (
    [
        [2.0, -3.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [3.0, 1.0],
    ],
    [(0, 0), (0, 0), (0, 3)],
    [],
    Parameters([[0.0, -3.0], [0.0, 0.0]], [2.0, 0.0], METRICS[:2], METRICS[2]),
)


@given(problems())
@example(ROUNDED_SHARE)
@settings(max_examples=150)
def test_only_the_pairs_that_meet_a_metric_move_it(problem):
    """Theorem E, gradient of g: without a meeting pair the slope is the shrinkage, to the last bit;
    with similar ones alone each pair d adds its share times d d^T / (2 n(d) N_1), as the trace
    shows. Both are sums of at most five terms below 100, so rounding moves them by less than 1e-12.
    """
    X, similar, dissimilar, Theta = problem
    metrics = [*Theta.local_metrics, Theta.background_metric]
    for impostors in (dissimilar, []):
        gradient = objective_gradient(X, similar, impostors, *Theta, 0.1, 0.5)
        slopes = [*gradient.local_metrics, gradient.background_metric]
        for s, metric, slope in zip((0, 1, None), metrics, slopes, strict=True):
            met = meeting_pairs(X, similar, impostors, s, Theta, 0.5)
            penalty = shrinkage(metric, 0.1)
            if not met:
                assert slope == penalty
            elif not impostors:
                added = 0.0
                for i, j in met:
                    share = share_of_metric(X[i], X[j], s, Theta)
                    d = np.subtract(X[i], X[j])
                    length = np.sqrt(d @ metric @ d)
                    added += share * (d @ d) / (2 * length)
                increase = np.trace(slope) - np.trace(penalty)
                assert increase == pytest.approx(added / len(similar), rel=1e-12, abs=1e-12)


def test_who_meets_a_metric_by_hand():
    """Theorem E: across the ball and too long; tangent to it; across it along a direction of length
    0; short enough.
    """
    X = [
        [-4.0, 0.0],
        [4.0, 0.0],
        [-4.0, 1.0],
        [4.0, 1.0],
        [0.0, -4.0],
        [0.0, 4.0],
        [0.1, 0.0],
        [0.2, 0.0],
    ]
    Theta = Parameters([[0.0, 0.0]], [1.0], [[[1.0, 0.0], [0.0, 0.0]]], [[1.0, 0.0], [0.0, 1.0]])
    pairs = [
        (0, 1),
        (2, 3),
        (4, 5),
        (6, 7),
    ]
    assert meeting_pairs(X, pairs, [], 0, Theta, C=0.5) == [(0, 1)]
    assert meeting_pairs(X, pairs, [], None, Theta, C=0.5) == [(0, 1), (2, 3), (4, 5)]
    # too near for a dissimilar pair, and inside
    assert meeting_pairs(X, [], pairs, 0, Theta, C=0.5) == [(6, 7)]
    tiny = Theta._replace(local_metrics=[[[1e-200, 0.0], [0.0, 0.0]]])
    assert meeting_pairs(X, pairs, [], 0, tiny, C=0.5) == [(0, 1)]  # of length 8e-100
    assert share_of_metric(X[0], X[1], 0, Theta) == 0.25
    assert share_of_metric(X[0], X[1], None, Theta) == 0.75


@given(problems())
@settings(max_examples=150)
def test_a_ball_out_of_reach_feels_no_pair(problem):
    """Theorem E, Table 3: neither slope of gamma, for any pair; so neither center nor radius moves,
    whatever is active.
    """
    X, similar, dissimilar, Theta = problem
    slope = objective_gradient(X, similar, dissimilar, *Theta, 0.1, 0.5)
    pairs = similar + dissimilar
    for s in range(2):
        if is_out_of_reach(X, pairs, Theta.centers[s], Theta.radii[s]):
            assert all(entry == 0 for entry in slope.centers[s])
            assert slope.radii[s] == 0
            assert slope.local_metrics[s] == shrinkage(Theta.local_metrics[s], 0.1)


@given(problems())
@settings(max_examples=60)
def test_a_ball_of_radius_0_is_out_of_reach(problem):
    """Theorem E: wherever its center is, also on a segment or at an end of it."""
    X, similar, dissimilar, Theta = problem
    for center in (*Theta.centers, *X):
        assert is_out_of_reach(X, similar + dissimilar, center, 0.0)


@pytest.mark.parametrize(("row", "center", "radius", "line", "segment"), ROWS)
def test_out_of_reach_are_the_rows_without_a_share(row, center, radius, line, segment):
    """Theorem E, Table 2: away from the closed ends of the rows, from either end, and for any one
    pair of three.
    """
    is_out = segment[0] == segment[1]
    X = [START, END, fractions(99, 99)]
    far = (2, 2)
    for pair in ((0, 1), (1, 0)):
        for pairs in ([pair, far, far], [far, pair, far], [far, far, pair]):
            assert is_out_of_reach(X, pairs, center, radius) == is_out


def test_an_end_on_the_sphere_is_within_reach():
    """Theorem E, Table 3: gamma = 0 at the closed ends of rows 4 and 7, but its slope is not."""
    segment = [[1.0], [4.0]]
    for pair in ((0, 1), (1, 0)):
        assert not is_out_of_reach(segment, [pair], [0.0], 1.0)
    _, by_radius = ratio_gradient(*segment, [0.0], 1.0)
    assert by_radius > 0
    assert is_out_of_reach([[1.0, 1.0], [-4.0, 1.0]], [(0, 1)], [0.0, 0.0], 1.0)  # tangent
    assert is_out_of_reach(segment, [], [2.0], 1.0)  # no pairs at all
