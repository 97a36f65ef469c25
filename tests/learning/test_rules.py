"""Two rules of descent, the paper's and one that never raises g: `lmlir.learning.rules` (choices C1 and C19)."""

import numpy as np
import pytest
from clouds import ONE_BALL, assert_same, clouds
from hypothesis import given, settings
from hypothesis import strategies as st

from lmlir import descent, vectorized
from lmlir.learning import learn
from lmlir.learning.engines import Block, VectorizedProblem, parameter_arrays
from lmlir.learning.rules import (
    Descent,
    Position,
    Trace,
    backtracking_descent,
    block_step,
    has_settled,
    scaled_metrics,
    take_plain_steps,
)
from lmlir.scalars import Parameters


@pytest.mark.parametrize("printed", [(), ("E2",), ("E3",), ("E4",)])
def test_the_fixed_rule_repeats_the_step_of_the_reference(printed):
    """Choice C1. Against `descent_step`, called again and again, with the true formulas and with the printed ones."""
    X, y = clouds(5, n=12)
    learned = learn(X, y, n_regions=2, n_neighbors=2, rule="fixed", learning_rate=0.2, n_steps=4, printed=printed)
    Theta = Parameters(*(part.tolist() for part in learned.initial))
    for _ in range(4):
        pairs = learned.similar.tolist(), learned.dissimilar.tolist()
        Theta = descent.descent_step(X.tolist(), *pairs, *Theta, 0.1, 0.5, 0.2, printed)
    assert_same(learned.parameters, parameter_arrays(Theta))


def test_trained_as_printed_every_metric_dies():
    """Erratum E2. With a plus before the dissimilar pairs all pairs pull the metrics down; g is then 1 + C."""
    learned = learn(*clouds(1, n=40), n_regions=2, n_neighbors=5, rule="fixed", n_steps=60, printed=("E2",))
    assert max(np.abs(M).max() for M in (*learned.parameters.local_metrics, learned.parameters.background_metric)) < 0.2
    assert learned.trace.objective[-1] > 1.4


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(2, 3), st.sampled_from([0.1, 30.0]))
@settings(max_examples=15, deadline=None)
def test_backtracking_never_raises_the_objective(seed, n_regions, classes, spread):
    """Choice C19. g is computed anew from the parameters of every step; they stay what Definition 1 and a metric allow."""
    X, y = clouds(seed, n=24, F=3, classes=classes)
    X, visited = X * spread, []
    learned = learn(
        X,
        y,
        n_regions=n_regions,
        n_neighbors=3,
        n_steps=15,
        rule="backtracking",
        callback=lambda step, g, Theta: visited.append((g, Theta)),
    )
    pairs = learned.similar, learned.dissimilar
    values = [vectorized.objective(X, *pairs, *Theta, 0.1, 0.5) for _, Theta in visited]
    np.testing.assert_allclose(values, [g for g, _ in visited], rtol=1e-9)
    assert (np.diff([g for g, _ in visited]) <= 0).all() and (np.diff(learned.trace.objective) <= 0).all()
    assert visited[-1][0] == learned.trace.objective[-1]
    assert_same(learned.parameters, visited[-1][1], rtol=0)
    for _, Theta in visited:
        assert (np.asarray(Theta.radii) >= 0).all()
        for M in (*Theta.local_metrics, Theta.background_metric):
            assert np.linalg.eigvalsh(M)[0] >= -1e-9 * np.abs(M).max()


@pytest.mark.parametrize("start", [64.0, 1.0, 1e-6])
def test_backtracking_finds_the_minimum_found_by_hand(start):
    """Choice C19. A pair at distance 1 that should be 3/2 apart, alpha = 1/10: g = 3/2 - u + u^2/10 up to u = 3/2.

    It falls until D = u = sqrt(M) = 3/2, then the penalty makes it rise: M = 9/4, g = 9/40.
    """
    problem = VectorizedProblem([[0.0], [1.0]], [], [(0, 1)], alpha=0.1, C=0.5)
    learned = backtracking_descent(problem, Parameters([], [], [], [[start]]), [Block("metrics")], tol=1e-8)
    assert learned.parameters.background_metric[0, 0] == pytest.approx(2.25, rel=1e-3)
    assert learned.trace.objective[-1] == pytest.approx(0.225, rel=1e-3)


def test_each_radius_is_found_at_its_own_pace():
    """Choice C19. Pairs (-3, 3) around 0 and (95, 105) around 100, M(A) = 0 and C = 0: D = 6 - 2 r and 10 - 2 r.

    Both pairs are similar and dissimilar, so g is the mean of |D - 1|: the best radii are 5/2 and 9/2.
    """
    X, pairs = [[-3.0], [3.0], [95.0], [105.0]], [(0, 1), (2, 3)]
    problem = VectorizedProblem(X, pairs, pairs, alpha=0.0, C=0.0)
    start = Parameters([[0.0], [100.0]], [0.9, 4.0], [[[0.0]], [[0.0]]], [[1.0]])
    learned = backtracking_descent(problem, start, [Block("radii", 0), Block("radii", 1)], tol=1e-9)
    np.testing.assert_allclose(learned.parameters.radii, [2.5, 4.5], rtol=1e-4)
    np.testing.assert_array_equal(learned.parameters.centers, start.centers)


@given(st.integers(0, 10_000), st.sampled_from([1e-3, 1.0, 1e3]))
@settings(max_examples=20, deadline=None)
def test_the_common_scale_is_the_best_power_of_two(seed, spread):
    """Choice C19. Against all powers from 2^-50 to 2^50."""
    X, y = clouds(seed, n=12)
    pairs = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    problem = VectorizedProblem(X * spread, *pairs, alpha=0.1, C=0.5)
    start = Position.at(problem, Parameters([X[0] * spread], [spread], [np.eye(2)], 2 * np.eye(2)))
    reached = scaled_metrics(problem, start)
    tried = [
        problem.objective(
            start.Theta._replace(local_metrics=2.0**k * np.eye(2)[None], background_metric=2.0**k * 2 * np.eye(2))
        )
        for k in range(-50, 51)
    ]
    assert reached.g == pytest.approx(min(tried), rel=1e-12)
    ratio = reached.Theta.background_metric[0, 0] / 2
    assert reached.Theta.local_metrics[0, 0, 0] == ratio
    assert np.log2(ratio) == round(np.log2(ratio))


def test_a_step_that_cannot_be_good_moves_nothing_and_shrinks_the_rate():
    """Choice C19. A slope of 0 is not tried; against a slope of the wrong sign three tries fail."""
    problem = VectorizedProblem([[-2.0], [4.0]], [], [(0, 1)], alpha=0.0, C=7.5)  # D = 8 < 8.5: grow r a little
    start = Position.at(problem, ONE_BALL)
    position, beta = block_step(problem, start, Block("centers", 0), 0.1)
    assert position is start  # the slope of the center is 0: nothing to try
    assert beta == 0.1
    wrong = start._replace(slope=start.slope._replace(radii=-np.asarray(start.slope.radii)))
    position, beta = block_step(problem, wrong, Block("radii", 0), 0.1)
    assert position is wrong
    assert beta == 0.1 / 8


def test_the_rate_doubles_after_a_good_first_try_and_halves_until_one_is_good():
    """Choice C19. Pair (-3, 3) around 0, M(A) = 0: g = |5 - 2 r| up to r = 3, then 1; at r = 2.2 the slope is -2.

    Rate 0.1 goes to 2.4, lower at once. Rate 0.8 would go to 3.8 and 0.4 to 3, both higher; 0.2 goes to 2.6, lower.
    """
    problem = VectorizedProblem([[-3.0], [3.0]], [(0, 1)], [(0, 1)], alpha=0.0, C=0.0)
    start = Position.at(problem, Parameters([[0.0]], [2.2], [[[0.0]]], [[1.0]]))
    position, beta = block_step(problem, start, Block("radii", 0), 0.1)
    assert (position.Theta.radii[0], beta) == (pytest.approx(2.4), 0.2)
    position, beta = block_step(problem, start, Block("radii", 0), 0.8)
    assert (position.Theta.radii[0], beta) == (pytest.approx(2.6), 0.2)


def test_of_plain_steps_the_lowest_counts():
    """Choice C19. Pair (-3, 3) around 0, M(A) = 0: g = |5 - 2 r| up to r = 3; slope -2, then +2.

    Rate 0.4 goes from r = 1.9 (g = 1.2) to 2.7 (0.4), 1.9 (1.2), 2.7, ...: the first step is never beaten.
    """
    problem = VectorizedProblem([[-3.0], [3.0]], [(0, 1)], [(0, 1)], alpha=0.0, C=0.0)
    called = []
    start = Position.at(problem, Parameters([[0.0]], [1.9], [[[0.0]]], [[1.0]]))
    run = Descent(start, callback=lambda step, g, Theta: called.append((step, g)))
    take_plain_steps(problem, run, [Block("radii", 0)], 0.4, n_steps=4)
    assert run.position.Theta.radii[0] == pytest.approx(2.7)
    assert run.trace.objective == pytest.approx([1.2, 0.4, 0.4, 0.4, 0.4])
    assert run.trace.movement["radii"] == [[pytest.approx(0.8)], [0.0], [0.0], [0.0]]
    assert called == [(step, pytest.approx(0.4)) for step in (1, 2, 3, 4)]


def test_plain_steps_that_run_away_end():
    """Choice C19. A rate of 1e12 sends the metric further than any data; no step counts, nothing breaks."""
    problem = VectorizedProblem([[0.0], [1.0]], [], [(0, 1)], alpha=0.0, C=0.5)
    start = Position.at(problem, Parameters([], [], [], [[1.0]]))
    run = Descent(start)
    take_plain_steps(problem, run, [Block("metrics")], 1e12, n_steps=5)
    assert (run.position.g, run.trace.objective) == (0.5, [0.5])


@pytest.mark.parametrize("seed", range(4))
def test_backtracking_ends_at_least_as_low_as_the_small_fixed_rate(seed):
    """Choice C19. By construction: 600 plain steps of rate 0.1 are part of it, and nothing after them raises g."""
    X, y = clouds(seed, n=30)
    options = {"n_regions": 2, "n_neighbors": 3, "learning_rate": 0.1}
    fixed = learn(X, y, rule="fixed", n_steps=600, **options)
    assert learn(X, y, rule="backtracking", **options).trace.objective[-1] <= min(fixed.trace.objective)


def test_settled_means_ten_rounds_without_a_fall_of_the_share():
    """Choice C19. Ten rounds of 1e-4 in total, of an objective of 1, are just enough to go on or to stop."""
    falling = [1 + 1e-5 * k for k in range(20, -1, -1)]
    assert has_settled(falling, tol=1.1e-4)
    assert not has_settled(falling, tol=0.9e-4)
    assert not has_settled([1.0] * 10, tol=1.0)


def test_the_trace_knows_how_far_every_parameter_moved():
    """By hand: a center by (3, 4), a radius by -1, a metric by 2 on both diagonals, the background not at all."""
    eye = np.eye(2)
    before = Parameters(np.zeros((2, 2)), np.array([1.0, 2.0]), np.array([eye, eye]), eye)
    after = Parameters(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([0.0, 2.0]), np.array([eye, 3 * eye]), eye)
    trace = Trace([1.0])
    trace.add(before, after, 0.5)
    assert trace.objective == [1.0, 0.5]
    assert trace.movement["centers"] == [[0.0, 5.0]]
    assert trace.movement["radii"] == [[1.0, 0.0]]
    assert trace.movement["local_metrics"] == [[0.0, pytest.approx(8**0.5)]]
    assert trace.movement["background_metric"] == [0.0]


def test_movement_has_an_entry_for_every_step_and_parameter():
    learned = learn(*clouds(4, n=30), n_regions=3, n_neighbors=3, n_steps=5)
    for name, moves in learned.trace.movement.items():
        assert np.shape(moves) == ((5,) if name == "background_metric" else (5, 3)), name
