"""Learning from data. Tests of `lmlir.learning` (choices C1, C5 and C19)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmlir import descent, vectorized
from lmlir.experiments import data, protocol
from lmlir.learning import (
    Block,
    Position,
    Run,
    Trace,
    VectorizedProblem,
    backtracking_descent,
    block_step,
    coverage,
    death_warnings,
    has_settled,
    learn,
    length_shares,
    overlapping_balls,
    parameter_arrays,
    scaled_metrics,
    take_plain_steps,
)
from lmlir.scalars import Parameters

SEED_WITHOUT_KINK = 7
ONE_BALL = Parameters([[0.0]], [1.0], [[[4.0]]], [[1.0]])


def clouds(seed, n=16, F=2, classes=2):
    """Overlapping clouds of points, one a class, all on different places."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, F)) + y[:, None], y


def assert_same(Theta, other, rtol=1e-9):
    for part, other_part in zip(Theta, other, strict=True):
        np.testing.assert_allclose(part, other_part, rtol=rtol, atol=rtol)


# ------------------------------------------------------------------------------------------- the two engines agree


@pytest.mark.parametrize("rule", ["backtracking", "fixed"])
@pytest.mark.parametrize("options", [{}, {"learn_regions": False}, {"learn_metrics": False}, {"n_regions": 0}])
def test_reference_and_twin_take_the_same_steps(rule, options):
    """Section 5.2. Pairs, initial values and every step; differences of rounding grow a little in four steps.

    The clusters have no 6 or 11 members: the radii would begin on a kink (80th percentile), where slopes may differ.
    """
    X, y = clouds(SEED_WITHOUT_KINK, n=12)
    arguments = {"n_regions": 2, "n_neighbors": 2, "n_steps": 4, "rule": rule, "learning_rate": 0.1, **options}
    slow, fast = (learn(X, y, **arguments, engine=engine) for engine in ("reference", "vectorized"))
    assert_same(slow.initial, fast.initial, rtol=1e-12)
    np.testing.assert_array_equal(slow.similar, fast.similar)
    np.testing.assert_array_equal(slow.dissimilar, fast.dissimilar)
    assert len(slow.trace.objective) == 5
    np.testing.assert_allclose(slow.trace.objective, fast.trace.objective, rtol=1e-9)
    assert_same(slow.parameters, fast.parameters, rtol=1e-7)


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


# ----------------------------------------------------------------------------------- the rule that never raises g


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(2, 3), st.sampled_from([0.1, 30.0]))
@settings(max_examples=15, deadline=None)
def test_backtracking_never_raises_the_objective(seed, n_regions, classes, spread):
    """Choice C19. g is computed anew from the parameters of every step; they stay what Definition 1 and a metric allow."""
    X, y = clouds(seed, n=24, F=3, classes=classes)
    X, visited = X * spread, []
    learned = learn(
        X, y, n_regions=n_regions, n_neighbors=3, n_steps=15, callback=lambda step, g, Theta: visited.append((g, Theta))
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
    Theta = parameter_arrays(Parameters([X[0] * spread], [spread], [np.eye(2)], 2 * np.eye(2)))
    reached = scaled_metrics(problem, Position(Theta, *problem.objective_and_gradient(Theta)))
    tried = [
        problem.objective(
            Theta._replace(local_metrics=2.0**k * np.eye(2)[None], background_metric=2.0**k * 2 * np.eye(2))
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
    Theta = parameter_arrays(ONE_BALL)
    start = Position(Theta, *problem.objective_and_gradient(Theta))
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
    Theta = parameter_arrays(Parameters([[0.0]], [2.2], [[[0.0]]], [[1.0]]))
    start = Position(Theta, *problem.objective_and_gradient(Theta))
    position, beta = block_step(problem, start, Block("radii", 0), 0.1)
    assert (position.Theta.radii[0], beta) == (pytest.approx(2.4), 0.2)
    position, beta = block_step(problem, start, Block("radii", 0), 0.8)
    assert (position.Theta.radii[0], beta) == (pytest.approx(2.6), 0.2)


def test_of_plain_steps_the_lowest_counts():
    """Choice C19. Pair (-3, 3) around 0, M(A) = 0: g = |5 - 2 r| up to r = 3; slope -2, then +2.

    Rate 0.4 goes from r = 1.9 (g = 1.2) to 2.7 (0.4), 1.9 (1.2), 2.7, ...: the first step is never beaten.
    """
    problem = VectorizedProblem([[-3.0], [3.0]], [(0, 1)], [(0, 1)], alpha=0.0, C=0.0)
    Theta = parameter_arrays(Parameters([[0.0]], [1.9], [[[0.0]]], [[1.0]]))
    told = []
    run = Run(Position(Theta, *problem.objective_and_gradient(Theta)), Trace([1.2]), told.append)
    take_plain_steps(problem, run, [Block("radii", 0)], 0.4, n_steps=4)
    assert run.position.Theta.radii[0] == pytest.approx(2.7)
    assert run.trace.objective == pytest.approx([1.2, 0.4, 0.4, 0.4, 0.4])
    assert run.trace.movement["radii"] == [[pytest.approx(0.8)], [0.0], [0.0], [0.0]]
    assert [position.g for position in told] == pytest.approx([0.4] * 4)


def test_plain_steps_that_run_away_end():
    """Choice C19. A rate of 1e12 sends the metric further than any data; no step counts, nothing breaks."""
    problem = VectorizedProblem([[0.0], [1.0]], [], [(0, 1)], alpha=0.0, C=0.5)
    Theta = parameter_arrays(Parameters([], [], [], [[1.0]]))
    run = Run(Position(Theta, *problem.objective_and_gradient(Theta)), Trace([0.5]), lambda position: None)
    take_plain_steps(problem, run, [Block("metrics")], 1e12, n_steps=5)
    assert (run.position.g, run.trace.objective) == (0.5, [0.5])


@pytest.mark.parametrize("seed", range(4))
def test_the_default_learner_ends_at_least_as_low_as_the_small_fixed_rate(seed):
    """Choice C19. By construction: 600 plain steps of rate 0.1 are part of it, and nothing after them raises g."""
    X, y = clouds(seed, n=30)
    options = {"n_regions": 2, "n_neighbors": 3, "learning_rate": 0.1}
    fixed = learn(X, y, rule="fixed", n_steps=600, **options)
    assert learn(X, y, **options).trace.objective[-1] <= min(fixed.trace.objective)


def test_settled_means_ten_rounds_without_a_fall_of_the_share():
    """Choice C19. Ten rounds of 1e-4 in total, of an objective of 1, are just enough to go on or to stop."""
    falling = [1 + 1e-5 * k for k in range(20, -1, -1)]
    assert has_settled(falling, tol=1.1e-4)
    assert not has_settled(falling, tol=0.9e-4)
    assert not has_settled([1.0] * 10, tol=1.0)


def test_learning_stops_by_itself_and_says_why():
    learned = learn(*clouds(0, n=30), n_regions=2, n_neighbors=3, n_steps=1000)
    steps = len(learned.trace.objective) - 1
    assert steps < 1000
    assert learned.stop == "the last 10 rounds lowered the objective by less than 0.0001 of it"
    assert learn(*clouds(0, n=30), n_regions=2, n_neighbors=3, n_steps=2).stop == "took all 2 steps"


def test_no_steps_leave_the_initial_values():
    learned = learn(*clouds(0), n_regions=2, n_neighbors=3, n_steps=0)
    assert all(np.array_equal(a, b) for a, b in zip(learned.parameters, learned.initial, strict=True))
    assert len(learned.trace.objective) == 1


# ------------------------------------------------------------------------------------------------- what is learned


def test_the_same_seed_gives_the_same_numbers():
    X, y = clouds(8, n=60, F=3)
    first, again = (learn(X, y, n_neighbors=4, n_steps=10, seed=7) for _ in range(2))
    for part, other in zip(first.parameters, again.parameters, strict=True):
        np.testing.assert_array_equal(part, other)
    assert first.trace.objective == again.trace.objective


@pytest.mark.parametrize("rule", ["backtracking", "fixed"])
def test_what_is_not_to_be_learned_stays(rule):
    X, y = clouds(2, n=30)
    options = {"n_regions": 2, "n_neighbors": 3, "n_steps": 12, "rule": rule, "learning_rate": 0.05}
    metrics_only, regions_only = (
        learn(X, y, learn_regions=False, **options),
        learn(X, y, learn_metrics=False, **options),
    )
    kept = (metrics_only, ["centers", "radii"]), (regions_only, ["local_metrics", "background_metric"])
    for learned, names in kept:
        for name in Parameters._fields:
            stays = np.array_equal(getattr(learned.parameters, name), getattr(learned.initial, name))
            assert stays == (name in names), name


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


def test_several_classes_pair_an_instance_with_any_other_class():
    X, y = clouds(6, n=30, classes=3)
    learned = learn(X, y, n_regions=2, n_neighbors=3, n_steps=3)
    assert (y[learned.similar[:, 0]] == y[learned.similar[:, 1]]).all()
    assert (y[learned.dissimilar[:, 0]] != y[learned.dissimilar[:, 1]]).all()
    assert {(int(y[i]), int(y[j])) for i, j in learned.dissimilar} >= {(0, 1), (1, 2)}


def test_on_monk1_the_default_learner_ends_lower_than_a_small_fixed_rate_and_classifies_better_than_nothing_learned():
    """Section 6. Monk1, first split: lower than rate 0.1 with 600 steps, and at least ten points above Euclid."""
    raw = data.monk1()
    X, y = raw.features, np.array(raw.labels, dtype=int)
    part = protocol.prepared(X, y, protocol.split_rows(len(X), 0), "all")
    learned = learn(part.X_train, part.y_train)
    fixed = learn(part.X_train, part.y_train, rule="fixed", learning_rate=0.1, n_steps=600)
    assert learned.trace.objective[-1] <= fixed.trace.objective[-1]
    assert (np.diff(learned.trace.objective) <= 0).all()
    euclidean = protocol.predictions(part, protocol.euclidean_parameters(X.shape[1]))
    right, right_before = (
        np.mean(predicted == part.y_test) for predicted in (protocol.predictions(part, learned.parameters), euclidean)
    )
    assert right >= right_before + 0.1


# ------------------------------------------------------------------------------------------------------ the report


def test_shares_of_the_length_by_hand():
    """Equation (9). Pair (-2, 4): 1/3 of it at length 12 in the ball, 2/3 at length 6 outside; 4 and 4 of 8."""
    assert length_shares([[-2.0], [4.0]], [(0, 1)], ONE_BALL) == ([0.5], 0.5)
    assert length_shares([[-2.0], [4.0]], [(0, 1)], ONE_BALL._replace(background_metric=[[0.0]])) == ([1.0], 0.0)


def test_coverage_counts_overlap_once_and_then_as_often_as_it_occurs():
    """Definition 8. Two balls on the same third of the pair, a third ball on another third."""
    balls = Parameters([[0.0], [0.0], [3.0]], [1.0, 1.0, 1.0], [[[1.0]]] * 3, [[1.0]])
    assert coverage([[-2.0], [4.0]], [(0, 1)], balls) == pytest.approx((2 / 3, 1.0))


def test_balls_overlap_when_they_share_a_point_and_have_a_size():
    assert overlapping_balls([[0.0], [2.0], [2.1], [0.0]], [1.0, 1.0, 0.0, 0.5]) == 2
    assert overlapping_balls(np.zeros((0, 1)), []) == 0


def test_the_report_adds_up():
    learned = learn(*clouds(9, n=40), n_regions=3, n_neighbors=4, n_steps=6)
    report = learned.report()
    assert sum(report.local_shares) + report.background_share == pytest.approx(1)
    assert report.objective == (learned.trace.objective[0], learned.trace.objective[-1])
    assert report.n_steps == 6
    assert len(report.radii) == len(report.local_norms) == len(report.local_shares) == 3
    assert report.background_norm == pytest.approx(np.sqrt(np.sum(np.square(learned.parameters.background_metric))))
    assert "region 2: radius" in str(report)


@pytest.mark.parametrize(
    ("local", "background", "expected"),
    [
        ([0.4, 0.5], 0.1, []),
        ([0.0, 0.4], 0.6, ["1 of 2 regions died: region 0 measures"]),
        ([0.0, 0.0, 0.4], 0.6, ["2 of 3 regions died: regions 0, 1 each measure"]),
        ([0.0, 0.0], 1.0, ["all 2 regions died: what was learned is one global metric"]),
        ([0.5, 0.5], 0.0, ["the background died"]),
        ([1.0, 0.0], 0.0, ["1 of 2 regions died", "the background died"]),
        ([0.0], 0.0, ["every metric died"]),
        ([], 1.0, []),
    ],
)
def test_the_report_says_in_one_sentence_who_died(local, background, expected):
    warnings = death_warnings(local, background, len(local))
    assert len(warnings) == len(expected)
    for warning, beginning in zip(warnings, expected, strict=True):
        assert warning.startswith(beginning)
        assert "\n" not in warning


def test_a_dead_metric_is_in_the_report():
    learned = learn(*clouds(1, n=40), n_regions=2, n_neighbors=5, n_steps=0)
    zero = np.zeros((2, 2, 2))
    learned.parameters = learned.parameters._replace(local_metrics=zero)
    assert learned.report().warnings == ["all 2 regions died: what was learned is one global metric"]
    assert "warning: all 2 regions died" in str(learned.report())


# ---------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rule": "newton"}, "rule must be 'backtracking' or 'fixed', got rule='newton'"),
        ({"engine": "gpu"}, "engine must be 'vectorized' or 'reference', got engine='gpu'"),
        ({"n_neighbors": 8}, "n_neighbors must be a whole number from 1 to 7"),
        ({"n_neighbors": 0}, "n_neighbors must be a whole number"),
        ({"n_regions": 17}, "n_regions must be a whole number from 1 to 16"),
        ({"n_regions": -1}, "n_regions must be a whole number"),
        ({"learning_rate": 0.0}, "learning_rate must be a finite number above 0, got learning_rate=0.0"),
        ({"learning_rate": float("inf")}, "learning_rate must be a finite number above 0"),
        ({"n_steps": -1}, "n_steps must be a whole number from 0, got n_steps=-1"),
        ({"n_steps": 2.5}, "n_steps must be a whole number from 0, got n_steps=2.5"),
        ({"tol": -1.0}, "tol must be at least 0, got tol=-1.0"),
        ({"alpha": -1.0}, "needs alpha >= 0, got alpha=-1.0"),
        ({"printed": ("E9",)}, "E9"),
        ({"y": np.zeros(16)}, "y needs at least two classes, got 1"),
        ({"y": np.zeros(3)}, "y needs one label per row of X, got shape \\(3,\\) for 16 rows"),
        ({"X": np.zeros(16)}, "X needs one instance of at least one feature a row, got shape \\(16,\\)"),
        ({"X": np.full((16, 2), np.nan)}, "X needs finite numbers, got nan among them"),
    ],
)
def test_a_wrong_argument_is_named_with_its_value(changes, message):
    X, y = clouds(0)
    arguments = {"X": X, "y": y, "n_neighbors": 2, "n_regions": 2, **changes}
    with pytest.raises(ValueError, match=message):
        learn(**arguments)
