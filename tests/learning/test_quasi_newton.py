"""The default rule (choice C19): `lmlir.learning.quasi_newton`; and passes, which choose the pairs again (`learn`)."""

import numpy as np
import pytest
from clouds import assert_same, clouds
from hypothesis import given, settings
from hypothesis import strategies as st

from lmlir import distance, objective, vectorized
from lmlir.estimator import LMLIRClassifier
from lmlir.learning import learn
from lmlir.learning.engines import ENGINES, Block, VectorizedProblem, learned_pairs, parameter_arrays
from lmlir.learning.learner import RULES, chosen_blocks
from lmlir.learning.quasi_newton import (
    LAST_STEPS,
    PATIENCE,
    PLAIN_STEPS,
    POSITION_UNIT,
    TRIAL,
    Coordinates,
    background_is_strongest,
    factors,
    quasi_newton_descent,
    revived,
    split,
    stage,
)
from lmlir.learning.rules import Descent, Position, scaled_metrics, take_plain_steps
from lmlir.scalars import Parameters

METRICS = [Block("metrics")]


def visits(X, y, **options):
    """What was learned, and every (g, Theta) that the callback saw."""
    visited = []
    learned = learn(X, y, callback=lambda step, g, Theta: visited.append((g, Theta)), **options)
    return learned, visited


# ------------------------------------------------------------------------------------------- minima found by hand


@pytest.mark.parametrize("start", [64.0, 1.0, 1e-6])
@pytest.mark.parametrize("engine", ENGINES.values())
def test_it_finds_the_minimum_found_by_hand(start, engine):
    """A pair at distance 1 that should be 3/2 apart, alpha = 1/10: g = 3/2 - u + u^2/10 up to u = sqrt(M) = 3/2.

    It falls until there, then the penalty makes it rise: M = 9/4, g = 9/40, on the kink of the hinge.
    """
    problem = engine([[0.0], [1.0]], [], [(0, 1)], alpha=0.1, C=0.5)
    learned = quasi_newton_descent(problem, Parameters([], [], [], [[start]]), METRICS, tol=1e-10)
    assert learned.parameters.background_metric[0, 0] == pytest.approx(2.25, rel=1e-4)
    assert learned.position.g == pytest.approx(0.225, rel=1e-4)


def test_it_finds_a_smooth_minimum_found_by_hand():
    """The same pair, alpha = 1/2: g = 3/2 - u + u^2/2 is least at u = 1, before the kink: M = 1, g = 1."""
    problem = VectorizedProblem([[0.0], [1.0]], [], [(0, 1)], alpha=0.5, C=0.5)
    learned = quasi_newton_descent(problem, Parameters([], [], [], [[64.0]]), METRICS, tol=1e-12)
    assert learned.parameters.background_metric[0, 0] == pytest.approx(1.0, rel=1e-4)
    assert learned.position.g == pytest.approx(1.0, rel=1e-8)


def test_it_finds_two_radii_that_were_found_by_hand():
    """Pairs (-3, 3) around 0 and (95, 105) around 100, M(A) = 0 and C = 0: D = 6 - 2 r and 10 - 2 r.

    Both pairs are similar and dissimilar, so g is the mean of |D - 1|: the best radii are 5/2 and 9/2.
    """
    X, pairs = [[-3.0], [3.0], [95.0], [105.0]], [(0, 1), (2, 3)]
    problem = VectorizedProblem(X, pairs, pairs, alpha=0.0, C=0.0)
    start = Parameters([[0.0], [100.0]], [0.9, 4.0], [[[0.0]], [[0.0]]], [[1.0]])
    learned = quasi_newton_descent(problem, start, [Block("radii", 0), Block("radii", 1)], tol=1e-12)
    np.testing.assert_allclose(learned.parameters.radii, [2.5, 4.5], rtol=1e-3)
    np.testing.assert_array_equal(learned.parameters.centers, start.centers)
    np.testing.assert_array_equal(learned.parameters.local_metrics, start.local_metrics)


# -------------------------------------------------------------------------------------- what holds whatever the data


@given(st.integers(0, 10_000), st.integers(0, 3), st.integers(2, 3), st.sampled_from([0.1, 30.0]))
@settings(max_examples=15, deadline=None)
def test_it_never_raises_the_objective(seed, n_regions, classes, spread):
    """g is computed anew from the parameters of every step; they stay what Definition 1 and a metric allow."""
    X, y = clouds(seed, n=24, F=3, classes=classes)
    learned, visited = visits(X * spread, y, n_regions=n_regions, n_neighbors=3, n_steps=40)
    pairs = learned.similar, learned.dissimilar
    values = [vectorized.objective(X * spread, *pairs, *Theta, 0.1, 0.5) for _, Theta in visited]
    np.testing.assert_allclose(values, [g for g, _ in visited], rtol=1e-9)
    assert (np.diff([g for g, _ in visited]) <= 0).all() and (np.diff(learned.trace.objective) <= 0).all()
    start = vectorized.objective(X * spread, *pairs, *learned.initial, 0.1, 0.5)
    assert learned.trace.objective[0] == pytest.approx(start, rel=1e-12)
    assert visited[-1][0] == learned.trace.objective[-1]
    assert_same(learned.parameters, visited[-1][1], rtol=0)
    for _, Theta in visited:
        assert (np.asarray(Theta.radii) >= 0).all()
        for M in (*Theta.local_metrics, Theta.background_metric):
            np.testing.assert_allclose(M, M.T, rtol=1e-12, atol=1e-12 * np.abs(M).max())
            assert np.linalg.eigvalsh(M)[0] >= -1e-9 * np.abs(M).max()


@pytest.mark.parametrize("n_regions", [0, 3])
def test_the_same_input_gives_the_same_end(n_regions):
    X, y = clouds(3, n=50, F=3)
    first, again = (learn(X, y, n_regions=n_regions, n_neighbors=4, seed=7) for _ in range(2))
    assert_same(first.parameters, again.parameters, rtol=0)
    assert first.trace.objective == again.trace.objective


@pytest.mark.parametrize("n_steps", [0, 1, 2, 7, 30, 61])
@pytest.mark.parametrize("n_regions", [0, 3])
def test_it_takes_no_more_steps_than_allowed(n_steps, n_regions):
    X, y = clouds(5, n=40)
    learned, visited = visits(X, y, n_regions=n_regions, n_neighbors=3, n_steps=n_steps, tol=0.0)
    steps = len(learned.trace.objective) - 1
    assert steps <= n_steps and len(visited) <= n_steps * (2 if n_regions else 1)
    if n_steps <= 7:  # too few for any stage to end by itself
        assert (steps, learned.stop) == (n_steps, f"took all {n_steps} steps")


@pytest.mark.parametrize("seed", range(3))
def test_an_end_is_never_above_any_of_its_plain_steps(seed):
    """Twenty plain steps of rate 0.1 from the best common scale are part of the rule, and nothing after them raises g."""
    X, y = clouds(seed, n=30)
    learned = learn(X, y, n_regions=2, n_neighbors=3)
    problem = VectorizedProblem(X, learned.similar, learned.dissimilar, 0.1, 0.5)
    plain = Descent(scaled_metrics(problem, Position.at(problem, learned.initial)))
    take_plain_steps(problem, plain, chosen_blocks(2, True, True), 0.1, 20)
    assert learned.trace.objective[-1] <= plain.position.g < learned.trace.objective[0]


@pytest.mark.parametrize("seed", range(3))
def test_there_is_one_beginning_where_the_regions_live(seed):
    learned, visited = visits(*clouds(seed, n=40), n_regions=3, n_neighbors=3)
    assert len(visited) == len(learned.trace.objective) - 1


def islands(seed):
    """Four small islands in the plane, two of each class: nearly all neighbors are on the same island."""
    rng = np.random.default_rng(seed)
    middles, island = rng.uniform(-1, 1, (4, 2)), rng.integers(0, 4, 120)
    return middles[island] + 0.02 * rng.normal(size=(120, 2)), island % 2


@pytest.mark.parametrize("seed", range(3))
def test_where_the_regions_are_dying_a_second_beginning_costs_a_trial_and_no_more(seed):
    """It takes the step to its best common scale, the plain steps and the iterations of a trial; the rest is in the trace."""
    learned, visited = visits(*islands(seed), n_regions=4, n_neighbors=5)
    left = len(visited) - (len(learned.trace.objective) - 1)
    assert 1 + PLAIN_STEPS < left <= 1 + PLAIN_STEPS + TRIAL + 1  # the last: a lower g found within a line search


def test_a_background_is_strongest_when_its_norm_is_larger_than_that_of_every_region():
    eye = np.eye(2)
    Theta = Parameters(np.zeros((2, 2)), np.ones(2), np.array([3 * eye, eye]), 2 * eye)
    assert not background_is_strongest(Theta)
    assert background_is_strongest(Theta._replace(background_metric=4 * eye))
    assert not background_is_strongest(some_parameters(S=0))  # no region can die


@pytest.mark.parametrize(("patience", "steps"), [(PATIENCE, PATIENCE), (3, 3), (np.inf, 25)])
def test_a_stage_that_never_comes_below_its_beginning_is_left(patience, steps):
    """The descent claims to be at g = -1, below all that there is."""
    X, y = clouds(1, n=40)
    learned = learn(X, y, n_regions=2, n_neighbors=3, n_steps=0)
    problem = VectorizedProblem(X, learned.similar, learned.dissimilar, 0.1, 0.5)
    descent = Descent(Position.at(problem, learned.initial)._replace(g=-1.0))
    stage(problem, descent, learned.initial, chosen_blocks(2, True, True), 0.1, 25, 0.0, patience)
    assert descent.n_steps == steps


def test_the_last_stage_is_short_also_without_a_tolerance():
    """g has kinks, on which L-BFGS could go on for long."""
    learned = learn(*clouds(0, n=60, F=10), n_regions=3, n_neighbors=3, tol=0.0)
    assert learned.stop == f"the stage took all of its {LAST_STEPS} iterations"


def test_with_nothing_to_learn_it_stays_and_says_so():
    X, y = clouds(0, n=20)
    for options in ({"learn_regions": False, "learn_metrics": False}, {"n_regions": 0, "learn_metrics": False}):
        learned = learn(X, y, **{"n_regions": 2, "n_neighbors": 3, **options})
        assert learned.stop == "nothing was to be learned" and len(learned.trace.objective) == 1
        assert_same(learned.parameters, learned.initial, rtol=0)


@pytest.mark.parametrize("kept", [["metrics"], ["centers"], ["radii"], ["centers", "radii"], ["metrics", "radii"]])
def test_blocks_that_are_not_to_move_stay_bit_for_bit(kept):
    """Also centers, which a split would move: here one would lower g."""
    X, y = clouds(0, n=30)
    start = learn(X, y, n_regions=2, n_neighbors=3, n_steps=0)
    blocks = [Block("metrics"), *(Block(name, s) for name in ("centers", "radii") for s in range(2))]
    problem = VectorizedProblem(X, start.similar, start.dissimilar, 0.1, 0.5)
    free = [block for block in blocks if block.name not in kept]
    end = quasi_newton_descent(problem, start.initial, free, n_steps=60).parameters
    for name in Parameters._fields:
        stays = np.array_equal(getattr(end, name), getattr(start.initial, name))
        assert stays == (("metrics" if "metric" in name else name) in kept), name


# ----------------------------------------------------------------------------------------------------- coordinates


def some_parameters(seed=0, S=3, F=2):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(S + 1, F, F))
    metrics = roots @ roots.transpose(0, 2, 1)
    return Parameters(rng.normal(size=(S, F)), rng.random(S) + 0.2, metrics[:S], metrics[S])


def test_factors_give_the_metric_back_also_without_full_rank():
    Theta = some_parameters(F=4)
    line = np.outer([1.0, 2.0, 0.0, -1.0], [1.0, 2.0, 0.0, -1.0])
    for M in (*Theta.local_metrics, line, np.zeros((4, 4))):
        L = factors(M)
        np.testing.assert_allclose(L @ L.T, M, atol=1e-13)


@pytest.mark.parametrize(
    "blocks",
    [METRICS, [Block("centers", 1)], [Block("radii", 2), Block("metrics")], [Block("centers", 0), Block("radii", 0)]],
)
def test_coordinates_come_back_as_the_parameters_they_were(blocks):
    Theta = some_parameters()
    coordinates = Coordinates(Theta, blocks)
    sizes = {"metrics": 4 * 4, "centers": 2, "radii": 1}
    assert len(coordinates.start) == len(coordinates.bounds.lb) == sum(sizes[block.name] for block in blocks)
    assert_same(coordinates.parameters(coordinates.start), Theta, rtol=1e-13)
    assert np.sum(coordinates.bounds.lb == 0) == sum(block.name == "radii" for block in blocks)


def test_a_unit_of_a_position_counts_as_said():
    Theta = some_parameters()
    coordinates = Coordinates(Theta, [Block("centers", 1), Block("radii", 2)])
    moved = coordinates.parameters(coordinates.start + np.array([1.0, 0.0, 2.0]))
    np.testing.assert_allclose(moved.centers - Theta.centers, [[0, 0], [POSITION_UNIT, 0], [0, 0]], atol=1e-15)
    np.testing.assert_allclose(moved.radii - Theta.radii, [0, 0, 2 * POSITION_UNIT], atol=1e-15)


@pytest.mark.parametrize("width", [0.1, 1.0])
def test_the_slope_in_coordinates_is_its_difference_quotient(width):
    """Over factors it is 2 G L, in positions the unit times the slope; every coordinate on its own."""
    X, y = clouds(11, n=14)
    pairs = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    problem, Theta = VectorizedProblem(X, *pairs, 0.1, 0.5), some_parameters(1)
    blocks = [Block("metrics"), *(Block(name, s) for name in ("centers", "radii") for s in range(3))]
    coordinates, h = Coordinates(Theta, blocks), 1e-6
    free = coordinates.start

    def value(free):
        return problem.smoothed(coordinates.parameters(free), width)[0]

    slope = coordinates.slope(free, problem.smoothed(coordinates.parameters(free), width)[1])
    quotients = [(value(free + h * e) - value(free - h * e)) / (2 * h) for e in np.eye(len(free))]
    np.testing.assert_allclose(slope, quotients, rtol=1e-5, atol=1e-7)
    assert np.abs(slope).min() > 0


# ---------------------------------------------------------------------------------------------------------- splits


def test_a_split_leaves_every_distance_and_halves_the_penalty():
    """Exact numbers. Two balls around everything and M(B) = 0: the strong one (metric 8 I) takes in the weak one (0)."""
    eye = np.eye(2)
    Theta = Parameters(np.array([[0.0, 0.0], [7.0, 7.0]]), np.array([16.0, 1.0]), np.array([8 * eye, 0 * eye]), 0 * eye)
    parted = split(Theta, growth=1.0)
    assert parted.radii.tolist() == [16.0, 16.0] and parted.centers.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert parted.local_metrics.tolist() == [(2 * eye).tolist()] * 2
    points = [[0.0, 0.0], [1.0, 1.0], [3.0, -4.0], [-5.0, 1.0]]
    before, after = (Parameters(*(part.tolist() for part in which)) for which in (Theta, parted))
    for x in points:
        for z in points:
            assert distance.distance(x, z, *after) == pytest.approx(distance.distance(x, z, *before), rel=1e-15)
    assert distance.distance([0.0, 0.0], [1.0, 1.0], *before) == pytest.approx(4.0, rel=1e-15)
    assert objective.penalty(*before[2:], 1.0) == pytest.approx(8 * 2**0.5, rel=1e-15)
    assert objective.penalty(*after[2:], 1.0) == pytest.approx(4 * 2**0.5, rel=1e-15)
    assert_same(Theta, Theta._replace(radii=np.array([16.0, 1.0])), rtol=0)  # the argument is not changed


def test_a_split_takes_the_weakest_and_the_strongest_and_no_other():
    Theta = some_parameters()._replace(local_metrics=np.array([np.eye(2), 4 * np.eye(2), 0.1 * np.eye(2)]))
    parted = split(Theta)
    assert np.array_equal(parted.centers[2], Theta.centers[1]) and parted.radii[2] > parted.radii[1] == Theta.radii[1]
    np.testing.assert_array_equal(parted.local_metrics, [np.eye(2)] * 3)
    for part, other in zip(parted[:2], Theta[:2], strict=True):
        np.testing.assert_array_equal(part[:2], other[:2])
    same = Theta._replace(local_metrics=np.array([np.eye(2)] * 3))
    assert_same(split(same), same, rtol=0)


def test_regions_that_are_about_to_die_are_put_onto_the_strongest():
    """Exact numbers: of norms 16, 1, 1/2 and 1/4 the last two are weak; 1/4 takes 16, which is 4 then, and 1/2 stays."""
    eye = np.array([[1.0, 0.0], [0.0, 0.0]])
    Theta = some_parameters(S=4)._replace(local_metrics=np.array([16 * eye, eye, eye / 2, eye / 4]))
    alive = revived(Theta)
    assert alive.local_metrics[:, 0, 0].tolist() == [4.0, 1.0, 0.5, 4.0]
    assert np.array_equal(alive.centers[3], Theta.centers[0]) and np.array_equal(alive.centers[:3], Theta.centers[:3])
    assert_same(revived(alive), alive, rtol=0)


# ---------------------------------------------------------------------------------------------------------- passes


def nearest_by_loops(X, y, K, Theta, same):
    """The K nearest of the same class (or of others) for every instance, by the reference's distance and a sort."""
    lists = Parameters(*(np.asarray(part).tolist() for part in Theta))
    pairs = []
    for i in range(len(X)):
        candidates = [j for j in range(len(X)) if j != i and (y[j] == y[i]) == same]
        length = {j: distance.distance(X[i].tolist(), X[j].tolist(), *lists) for j in candidates}
        pairs += [(i, j) for j in sorted(candidates, key=lambda j: (length[j], j))[:K]]
    return pairs


def test_pairs_are_the_nearest_in_the_learned_distance():
    """Section 5.1, by the reference's loops."""
    X, y = clouds(6, n=24, F=3, classes=3)
    Theta = learn(X, y, n_regions=2, n_neighbors=3, n_steps=30).parameters
    pairs = learned_pairs(X, y, 3, Theta)
    for found, same in zip(pairs, (True, False), strict=True):
        assert sorted(map(tuple, found.tolist())) == sorted(nearest_by_loops(X, y, 3, Theta, same))


@pytest.mark.parametrize("rule", ["quasi-newton", "backtracking", "fixed"])
def test_a_second_pass_goes_on_from_the_first_with_new_pairs(rule):
    """Two passes by hand: learn, choose the pairs again, and the rule from where the first pass ended."""
    X, y = clouds(7, n=30, F=3)
    options = {"n_regions": 2, "n_neighbors": 3, "rule": rule, "n_steps": 20}
    first, both = learn(X, y, **options), learn(X, y, **options, n_passes=2)
    again = learned_pairs(X, y, 3, first.parameters)
    assert not np.array_equal(again[0], first.similar)
    problem = VectorizedProblem(X, *again, 0.1, 0.5)
    second = RULES[rule](problem, first.parameters, chosen_blocks(2, True, True), n_steps=20)
    assert_same(both.parameters, second.parameters, rtol=0)
    assert both.trace.objective == second.trace.objective
    np.testing.assert_array_equal(both.similar, again[0])
    np.testing.assert_array_equal(both.dissimilar, again[1])
    assert_same(both.initial, first.initial, rtol=0)


def test_passes_end_when_the_pairs_repeat():
    """Far apart on a line, two to a class: whatever the metric, the neighbors stay. No third pass calls back."""
    X, y = np.array([[0.0], [1.0], [10.0], [11.5]]), np.array([0, 0, 1, 1])
    one, once = visits(X, y, n_regions=0, n_neighbors=1)
    many, often = visits(X, y, n_regions=0, n_neighbors=1, n_passes=50)
    assert len(often) == len(once) > 0
    assert_same(one.parameters, many.parameters, rtol=0)


def test_passes_end_at_last_and_the_last_pairs_are_those_of_the_trace():
    X, y = clouds(1, n=40, F=3)
    learned, visited = visits(X, y, n_regions=2, n_neighbors=3, n_passes=3, n_steps=60)
    g = vectorized.objective(X, learned.similar, learned.dissimilar, *learned.parameters, 0.1, 0.5)
    assert learned.trace.objective[-1] == pytest.approx(g, rel=1e-12)
    falls = np.diff([g for g, _ in visited])
    assert (falls > 0).sum() <= 2  # g can rise only where a new pass begins, with other pairs


def test_the_classifier_passes_its_passes_on():
    X, y = clouds(7, n=30, F=3)
    model = LMLIRClassifier(n_regions=2, n_neighbors=3, n_steps=20, n_passes=2, random_state=0).fit(X, y)
    learned = learn(X, y, n_regions=2, n_neighbors=3, n_steps=20, n_passes=2, seed=0)
    assert_same(
        Parameters(model.centers_, model.radii_, model.local_metrics_, model.background_metric_), learned.parameters, 0
    )
    assert parameter_arrays(learned.parameters).centers.shape == (2, 3)
    with pytest.raises(ValueError, match="n_passes must be a whole number from 1, got n_passes=0"):
        LMLIRClassifier(n_passes=0).fit(X, y)
