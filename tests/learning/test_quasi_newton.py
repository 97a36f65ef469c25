"""The default rule (choice C19): `lmlir.learning.quasi_newton`."""

import numpy as np
import pytest
from clouds import assert_same, clouds, visits
from hypothesis import given, settings
from hypothesis import strategies as st

from lmlir import distance, objective, vectorized
from lmlir.learning import learn
from lmlir.learning.engines import ENGINES, VectorizedProblem
from lmlir.learning.fixed_rate import Descent, Position
from lmlir.learning.quasi_newton import (
    PLAIN_STEPS,
    TRIAL_STEPS,
    Coordinates,
    background_is_strongest,
    quasi_newton_descent,
    revived,
    split,
    take_plain_steps,
    take_stage,
    with_scaled_metrics,
)
from lmlir.scalars import Parameters

METRICS = ["metrics"]
ALL = ["centers", "radii", "metrics"]


# ----------------------------------------------------------------------------- minima found by hand


@pytest.mark.parametrize("start", [64.0, 1.0, 1e-6])
@pytest.mark.parametrize("engine", ENGINES.values())
def test_it_finds_a_minimum_on_a_kink_that_was_found_by_hand(start, engine):
    """A pair at distance 1 that should be 3/2 apart, alpha = 1/10: g = 3/2 - u + u^2/10 up to u =
    sqrt(M) = 3/2.

    It falls until there, then the penalty makes it rise: M = 9/4, g = 9/40, on the kink of the
    hinge.
    """
    problem = engine([[0.0], [1.0]], [], [(0, 1)], alpha=0.1, C=0.5)
    learned = quasi_newton_descent(problem, Parameters([], [], [], [[start]]), METRICS, tol=1e-10)
    assert learned.position.Theta.background_metric[0, 0] == pytest.approx(2.25, rel=1e-4)
    assert learned.position.g == pytest.approx(0.225, rel=1e-4)


def test_it_finds_a_smooth_minimum_that_was_found_by_hand():
    """The same pair, alpha = 1/2: g = 3/2 - u + u^2/2 is least at u = 1, before the kink: M = 1, g
    = 1.
    """
    problem = VectorizedProblem([[0.0], [1.0]], [], [(0, 1)], alpha=0.5, C=0.5)
    learned = quasi_newton_descent(problem, Parameters([], [], [], [[64.0]]), METRICS, tol=1e-12)
    assert learned.position.Theta.background_metric[0, 0] == pytest.approx(1.0, rel=1e-4)
    assert learned.position.g == pytest.approx(1.0, rel=1e-8)


def test_it_finds_two_radii_that_were_found_by_hand():
    """Pairs (-3, 3) around 0 and (95, 105) around 100, M(A) = 0 and C = 0: D = 6 - 2 r and 10 - 2
    r.

    Both pairs are similar and dissimilar, so g is the mean of |D - 1|: the best radii are 5/2 and
    9/2.
    """
    X = [[-3.0], [3.0], [95.0], [105.0]]
    pairs = [(0, 1), (2, 3)]
    problem = VectorizedProblem(X, pairs, pairs, alpha=0.0, C=0.0)
    start = Parameters([[0.0], [100.0]], [0.9, 4.0], [[[0.0]], [[0.0]]], [[1.0]])
    end = quasi_newton_descent(problem, start, ["radii"], tol=1e-12).position.Theta
    np.testing.assert_allclose(end.radii, [2.5, 4.5], rtol=1e-3)
    np.testing.assert_array_equal(end.centers, start.centers)
    np.testing.assert_array_equal(end.local_metrics, start.local_metrics)


# ------------------------------------------------------------------------------------- for all data


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(2, 3), st.sampled_from([0.1, 30.0]))
@settings(max_examples=15, deadline=None)
def test_it_never_raises_the_objective(seed, n_regions, classes, spread):
    """g is computed again from the parameters of every step; radii and metrics stay in their
    domains.
    """
    X, y = clouds(seed, n=24, F=3, classes=classes)
    learned, visited = visits(X * spread, y, n_regions=n_regions, n_neighbors=3, n_steps=40)
    pairs = learned.similar, learned.dissimilar
    values = [vectorized.objective(X * spread, *pairs, *Theta, 0.1, 0.5) for _, Theta in visited]
    np.testing.assert_allclose(values, [g for g, _ in visited], rtol=1e-9)
    assert (np.diff([g for g, _ in visited]) <= 0).all()
    assert (np.diff(learned.trace) <= 0).all()
    start = vectorized.objective(X * spread, *pairs, *learned.initial, 0.1, 0.5)
    assert learned.trace[0] == pytest.approx(start, rel=1e-12)
    assert visited[-1][0] == learned.trace[-1]
    assert_same(learned.parameters, visited[-1][1], rtol=0)
    for _, Theta in visited:
        assert (np.asarray(Theta.radii) >= 0).all()
        for M in (*Theta.local_metrics, Theta.background_metric):
            np.testing.assert_allclose(M, M.T, rtol=1e-12, atol=1e-12 * np.abs(M).max())
            assert np.linalg.eigvalsh(M)[0] >= -1e-9 * np.abs(M).max()


@pytest.mark.parametrize("n_steps", [0, 1, 2, 7, 30, 61])
@pytest.mark.parametrize("n_regions", [0, 3])
def test_it_takes_no_more_steps_than_allowed(n_steps, n_regions):
    X, y = clouds(5, n=40)
    learned, visited = visits(X, y, n_regions=n_regions, n_neighbors=3, n_steps=n_steps, tol=0.0)
    steps = len(learned.trace) - 1
    assert steps <= n_steps
    assert len(visited) <= n_steps * (2 if n_regions else 1)
    if n_steps <= 7:  # too few for any stage to end by itself
        assert (steps, learned.stop) == (n_steps, f"took all {n_steps} steps")
    if n_steps == 0:
        assert_same(learned.parameters, learned.initial, rtol=0)


@pytest.mark.parametrize("seed", range(3))
def test_the_end_is_never_above_any_of_the_plain_steps(seed):
    """Twenty plain steps of rate 0.1 from the best common scale are part of the rule, and nothing
    after them raises g.
    """
    X, y = clouds(seed, n=30)
    learned = learn(X, y, n_regions=2, n_neighbors=3)
    problem = VectorizedProblem(X, learned.similar, learned.dissimilar, 0.1, 0.5)
    begin = with_scaled_metrics(problem, Position.at(problem, learned.initial))
    lowest = take_plain_steps(Descent(problem, ALL, begin, max_steps=30), begin, 0.1, 20)
    assert learned.trace[-1] <= lowest.g < learned.trace[0]


@pytest.mark.parametrize("seed", range(3))
def test_there_is_one_beginning_where_the_regions_stay_strong(seed):
    learned, visited = visits(*clouds(seed, n=40), n_regions=3, n_neighbors=3)
    assert len(visited) == len(learned.trace) - 1


def islands(seed):
    """Return four small islands in the plane, two of each class: nearly all neighbors are on the
    same island.
    """
    rng = np.random.default_rng(seed)
    middles = rng.uniform(-1, 1, (4, 2))
    island = rng.integers(0, 4, 120)
    return middles[island] + 0.02 * rng.normal(size=(120, 2)), island % 2


@pytest.mark.parametrize("seed", range(3))
def test_where_the_regions_are_dying_out_a_second_beginning_costs_one_trial(seed):
    """It takes the step to its best common scale, the plain steps and the iterations of a trial;
    the rest is in the trace.
    """
    learned, visited = visits(*islands(seed), n_regions=4, n_neighbors=5)
    left = len(visited) - (len(learned.trace) - 1)
    # the last: a lower g found within a line search
    assert 1 + PLAIN_STEPS < left <= 1 + PLAIN_STEPS + TRIAL_STEPS + 1


def test_the_background_is_strongest_if_its_norm_exceeds_that_of_every_region():
    eye = np.eye(2)
    Theta = Parameters(np.zeros((2, 2)), np.ones(2), np.array([3 * eye, eye]), 2 * eye)
    assert not background_is_strongest(Theta)
    assert background_is_strongest(Theta._replace(background_metric=4 * eye))
    assert not background_is_strongest(some_parameters(S=0))  # there are no regions


@pytest.mark.parametrize(
    ("options", "least", "most"),
    [({"patience": 3}, 3, 3), ({"max_iterations": 7}, 1, 7), ({}, 8, 25)],
)
def test_a_stage_ends_at_its_limits(options, least, most):
    """The position claims g = -1, below all possible values, so patience ends; without limits the
    descent's own counts.
    """
    X, y = clouds(1, n=40)
    learned = learn(X, y, n_regions=2, n_neighbors=3, n_steps=0)
    problem = VectorizedProblem(X, learned.similar, learned.dissimilar, 0.1, 0.5)
    descent = Descent(
        problem, ALL, Position.at(problem, learned.initial)._replace(g=-1.0), max_steps=25
    )
    take_stage(descent, learned.initial, 0.1, tol=0.0, **options)
    assert least <= descent.n_steps <= most


def test_with_nothing_to_learn_the_initial_values_are_returned():
    X, y = clouds(0, n=20)
    for options in ({"free": []}, {"n_regions": 0, "free": ["centers", "radii"]}):
        learned = learn(X, y, **{"n_regions": 2, "n_neighbors": 3, **options})
        assert learned.stop == "nothing was to be learned"
        assert len(learned.trace) == 1
        assert_same(learned.parameters, learned.initial, rtol=0)


# --------------------------------------------------------------------------------------- beginnings


@given(st.integers(0, 10_000), st.sampled_from([1e-3, 1.0, 1e3]))
@settings(max_examples=20, deadline=None)
def test_the_common_scale_is_the_best_power_of_two(seed, spread):
    """Against all powers from 2^-50 to 2^50."""
    X, y = clouds(seed, n=12)
    pairs = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    problem = VectorizedProblem(X * spread, *pairs, alpha=0.1, C=0.5)
    start = Position.at(problem, Parameters([X[0] * spread], [spread], [np.eye(2)], 2 * np.eye(2)))
    reached = with_scaled_metrics(problem, start)
    tried = [
        problem.objective(
            start.Theta._replace(
                local_metrics=2.0**k * np.eye(2)[None], background_metric=2.0**k * 2 * np.eye(2)
            )
        )
        for k in range(-50, 51)
    ]
    assert reached.g == pytest.approx(min(tried), rel=1e-12)
    ratio = reached.Theta.background_metric[0, 0] / 2
    assert reached.Theta.local_metrics[0, 0, 0] == ratio
    assert np.log2(ratio) == round(np.log2(ratio))


def test_plain_steps_return_the_lowest_position():
    """Pair (-3, 3) around 0, M(A) = 0: g = |5 - 2 r| up to r = 3; slope -2, then +2.

    Rate 0.4 goes from r = 1.9 (g = 1.2) to 2.7 (0.4), 1.9 (1.2), 2.7, ...: no later step is lower
    than the first.
    """
    problem = VectorizedProblem([[-3.0], [3.0]], [(0, 1)], [(0, 1)], alpha=0.0, C=0.0)
    called = []
    start = Position.at(problem, Parameters([[0.0]], [1.9], [[[0.0]]], [[1.0]]))
    descent = Descent(
        problem, ["radii"], start, 9, callback=lambda step, g, Theta: called.append((step, g))
    )
    lowest = take_plain_steps(descent, start, 0.4, n_steps=4)
    assert lowest.Theta.radii[0] == descent.position.Theta.radii[0] == pytest.approx(2.7)
    assert descent.trace == pytest.approx([1.2, 1.2, 0.4, 0.4, 0.4, 0.4])
    assert called == [(step, pytest.approx(g)) for step, g in enumerate(descent.trace[1:], 1)]


def test_plain_steps_that_run_away_end():
    """A rate of 1e12 sends the metric further than any data: the steps end, and none counts."""
    problem = VectorizedProblem([[0.0], [1.0]], [], [(0, 1)], alpha=0.0, C=0.5)
    start = Position.at(problem, Parameters([], [], [], [[1.0]]))
    descent = Descent(problem, METRICS, start, max_steps=9)
    assert take_plain_steps(descent, start, 1e12, n_steps=5) is start
    assert descent.trace == pytest.approx([0.5, 0.5])


# -------------------------------------------------------------------------------------- coordinates


def some_parameters(seed=0, S=3, F=2):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(S + 1, F, F))
    metrics = roots @ roots.transpose(0, 2, 1)
    return Parameters(rng.normal(size=(S, F)), rng.random(S) + 0.2, metrics[:S], metrics[S])


@pytest.mark.parametrize("free", [METRICS, ["centers"], ["radii", "metrics"], ["centers", "radii"]])
def test_coordinates_give_the_parameters_back(free):
    """Metrics without full rank, too."""
    Theta = some_parameters()
    Theta.local_metrics[0] = [[1.0, -2.0], [-2.0, 4.0]]
    Theta.local_metrics[1] = 0
    coordinates = Coordinates(Theta, free)
    sizes = {"metrics": 4 * 4, "centers": 3 * 2, "radii": 3}
    assert len(coordinates.start) == len(coordinates.bounds.lb) == sum(sizes[name] for name in free)
    assert_same(coordinates.parameters(coordinates.start), Theta, rtol=1e-13)
    assert np.sum(coordinates.bounds.lb == 0) == (3 if "radii" in free else 0)


@pytest.mark.parametrize("width", [0.1, 1.0])
def test_the_slope_in_coordinates_is_its_difference_quotient(width):
    """It is 2 G L for factors and the unit times the slope for positions; every coordinate is
    checked.
    """
    X, y = clouds(11, n=14)
    pairs = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    problem = VectorizedProblem(X, *pairs, 0.1, 0.5)
    Theta = some_parameters(1)
    coordinates = Coordinates(Theta, ALL)
    h = 1e-6
    free = coordinates.start

    def value(free):
        return problem.smoothed(coordinates.parameters(free), width)[0]

    slope = coordinates.slope(free, problem.smoothed(coordinates.parameters(free), width)[1])
    quotients = [(value(free + h * e) - value(free - h * e)) / (2 * h) for e in np.eye(len(free))]
    np.testing.assert_allclose(slope, quotients, rtol=1e-5, atol=1e-7)
    assert np.abs(slope).min() > 0


# ------------------------------------------------------------------------------------------- splits


def test_a_split_keeps_every_distance_and_halves_the_penalty():
    """Exact numbers.

    Two balls around everything and M(B) = 0: the weak one (metric 0) is put onto the strong one (8
    I).
    """
    eye = np.eye(2)
    Theta = Parameters(
        np.array([[0.0, 0.0], [7.0, 7.0]]),
        np.array([16.0, 1.0]),
        np.array([8 * eye, 0 * eye]),
        0 * eye,
    )
    parted = split(Theta, growth=1.0)
    assert parted.radii.tolist() == [16.0, 16.0]
    assert parted.centers.tolist() == [
        [0.0, 0.0],
        [0.0, 0.0],
    ]
    assert parted.local_metrics.tolist() == [(2 * eye).tolist()] * 2
    points = [[0.0, 0.0], [1.0, 1.0], [3.0, -4.0], [-5.0, 1.0]]
    before, after = (Parameters(*(part.tolist() for part in which)) for which in (Theta, parted))
    for x in points:
        for z in points:
            assert distance.distance(x, z, *after) == pytest.approx(
                distance.distance(x, z, *before), rel=1e-15
            )
    assert distance.distance([0.0, 0.0], [1.0, 1.0], *before) == pytest.approx(4.0, rel=1e-15)
    assert objective.penalty(*before[2:], 1.0) == pytest.approx(8 * 2**0.5, rel=1e-15)
    assert objective.penalty(*after[2:], 1.0) == pytest.approx(4 * 2**0.5, rel=1e-15)
    # the argument is not changed
    assert_same(Theta, Theta._replace(radii=np.array([16.0, 1.0])), rtol=0)


def test_a_split_changes_only_the_weakest_and_the_strongest_region():
    Theta = some_parameters()._replace(
        local_metrics=np.array([np.eye(2), 4 * np.eye(2), 0.1 * np.eye(2)])
    )
    parted = split(Theta)
    assert np.array_equal(parted.centers[2], Theta.centers[1])
    assert parted.radii[2] > parted.radii[1] == Theta.radii[1]
    np.testing.assert_array_equal(parted.local_metrics, [np.eye(2)] * 3)
    for part, other in zip(parted[:2], Theta[:2], strict=True):
        np.testing.assert_array_equal(part[:2], other[:2])
    same = Theta._replace(local_metrics=np.array([np.eye(2)] * 3))
    assert_same(split(same), same, rtol=0)


def test_weak_regions_are_put_onto_the_strongest():
    """Exact numbers: of norms 16, 1, 1/2 and 1/4 the last two are weak; 1/4 becomes 16/4, and then
    1/2 is not weak.
    """
    eye = np.array([[1.0, 0.0], [0.0, 0.0]])
    Theta = some_parameters(S=4)._replace(local_metrics=np.array([16 * eye, eye, eye / 2, eye / 4]))
    alive = revived(Theta)
    assert alive.local_metrics[:, 0, 0].tolist() == [4.0, 1.0, 0.5, 4.0]
    assert np.array_equal(alive.centers[3], Theta.centers[0])
    assert np.array_equal(alive.centers[:3], Theta.centers[:3])
    assert_same(revived(alive), alive, rtol=0)
