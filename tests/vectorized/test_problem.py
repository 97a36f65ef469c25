"""The objective, its gradient and the step: `lmlir.vectorized.problem` against the reference and against differences of g."""

import numpy as np
import pytest
from real_data import EPS, SETS, assert_close, lists, start

from lmlir import descent, gradient, objective, vectorized
from lmlir.scalars import Parameters
from lmlir.vectorized.evaluation import Evaluation


@pytest.mark.parametrize(
    ("name", "printed"),
    [(name, ()) for name in SETS] + [("wdbc", printed) for printed in (("E2",), ("E3",), ("E4",), ("E2", "E3", "E4"))],
)
def test_objective_gradient_and_step_agree_with_the_reference_on_real_data(name, printed):
    """Section 5.2, as it is true and as it is printed."""
    X, y, Theta = start(name, rows=16 if name == "wdbc" else 12, K=2)
    similar, dissimilar = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    problem = (*lists(X, similar, dissimilar, *Theta), 0.1, 0.5)
    g = objective.objective(*problem)
    assert abs(vectorized.objective(X, similar, dissimilar, *Theta, 0.1, 0.5) - g) <= 100 * EPS * g
    expected = gradient.objective_gradient(*problem, printed=printed)
    got = vectorized.objective_gradient(X, similar, dissimilar, *Theta, 0.1, 0.5, printed=printed)
    for part, truth in zip(got, expected, strict=True):
        assert_close(part, truth)
    expected = descent.descent_step(*problem, 0.7, printed=printed)
    got = vectorized.descent_step(X, similar, dissimilar, *Theta, 0.1, 0.5, 0.7, printed=printed)
    for part, truth in zip(got, expected, strict=True):
        assert_close(part, truth)


def central_difference(problem, Theta, part, index, step=1e-6):
    def moved(sign):
        parts = [np.array(each) for each in Theta]
        parts[part][index] += sign * step
        return problem.objective(Parameters(*parts))

    return (moved(1) - moved(-1)) / (2 * step)


def test_the_gradient_is_the_slope_of_the_objective():
    """Section 5.2: central differences of g, in every kind of parameter, away from kinks."""
    rng = np.random.default_rng(3)
    X, pairs = rng.normal(size=(12, 3)), rng.integers(0, 12, size=(2, 20, 2))
    roots = rng.normal(size=(3, 3, 3)) / 2
    metrics = roots @ roots.transpose(0, 2, 1) + 0.1 * np.eye(3)
    Theta = Parameters(rng.normal(size=(2, 3)), np.array([0.9, 1.4]), metrics[:2], metrics[2])
    problem = vectorized.PairProblem(X, pairs[0], pairs[1], 0.3, 0.2)
    slopes = problem.gradient(Theta)
    for part, indices in enumerate(([(0, 0), (1, 2)], [(0,), (1,)], [(0, 1, 1), (1, 2, 2)], [(0, 0), (1, 1)])):
        for index in indices:
            # The difference errs by the third derivative times step^2 and by eps / step: 1e-8 covers both here.
            assert abs(slopes[part][index] - central_difference(problem, Theta, part, index)) < 1e-8
            assert slopes[part][index] != 0


def test_a_problem_can_be_evaluated_again_and_again():
    """A prepared problem gives at every Theta what a fresh one gives, in whatever order it is asked."""
    X, y, Theta = start("wdbc", rows=50)
    pairs = vectorized.similar_pairs(X, y, 4), vectorized.dissimilar_pairs(X, y, 4)
    problem = vectorized.PairProblem(X, *pairs, 0.1, 0.5)
    other = vectorized.descent_step(X, *pairs, *Theta, 0.1, 0.5, 0.5)
    for parameters in (Theta, other, Theta):
        g, slopes = problem.objective_and_gradient(parameters)
        assert g == problem.objective(parameters) == vectorized.objective(X, *pairs, *parameters, 0.1, 0.5)
        for part, truth in zip(slopes, vectorized.objective_gradient(X, *pairs, *parameters, 0.1, 0.5), strict=True):
            assert np.array_equal(part, truth)


def far_off(shift, radii, seed=5):
    """A problem whose data lie around `shift`, with two balls of these radii, and metrics of which one is 0."""
    rng = np.random.default_rng(seed)
    X, pairs = rng.normal(size=(14, 3)) + shift, rng.integers(0, 14, size=(2, 40, 2))
    roots = rng.normal(size=(4, 3, 2))
    metrics = roots @ roots.transpose(0, 2, 1)
    metrics[1] = 0
    centers = np.concatenate([rng.normal(size=(1, 3)), X[:1] - shift + 0.1, rng.normal(size=(1, 3))]) + shift
    return X, pairs, Parameters(centers, np.array(radii), metrics[:3], metrics[3])


@pytest.mark.parametrize("shift", [0.0, 1e5])
@pytest.mark.parametrize("radii", [[3.0, 4.0, 5.0], [0.7, 0.4, 0.3], [0.5, 3.5, 0.0], [1e6, 2.0, 0.1]])
def test_wide_and_narrow_balls_agree_with_the_reference(shift, radii):
    """Section 5.2: inner products for wide balls, differences for the others, far from the origin, too.

    At 1e5 the points have lost 5 digits to the origin before anything is computed, and the reference loses them, too.
    """
    X, (similar, dissimilar), Theta = far_off(shift, radii)
    problem = (*lists(X, similar, dissimilar, *Theta), 0.1, 0.5)
    g, slopes = vectorized.PairProblem(X, similar, dissimilar, 0.1, 0.5).objective_and_gradient(Theta)
    tolerance = 1e4 * max(shift, 1) * max(radii)
    assert abs(g - objective.objective(*problem)) <= tolerance * EPS * g
    for part, truth in zip(slopes, gradient.objective_gradient(*problem), strict=True):
        assert_close(part, truth, factor=tolerance)


def test_every_ball_is_narrow_or_wide_and_both_occur():
    """The companion: which way a ball is computed depends on its radius, the reach of the data and its center."""
    found = []
    for radii in ([3.0, 4.0, 5.0], [0.7, 0.4, 0.3], [0.5, 3.5, 0.0]):
        X, pairs, Theta = far_off(0.0, radii)
        problem = vectorized.PairProblem(X, *pairs, 0.1, 0.5)
        metrics = np.concatenate([Theta.local_metrics, Theta.background_metric[None]])
        found.append(Evaluation(problem, [*Theta[:2], metrics], 0.0, True).narrow.tolist())
    assert found == [[], [0, 1, 2], [0, 2]]


def test_leaving_out_columns_changes_nothing_but_rounding(monkeypatch):
    """Pairs with an inactive hinge and regions that a pair does not meet: with all columns, with some, with only those."""
    X, y, Theta = start("wdbc", rows=24)
    pairs = vectorized.similar_pairs(X, y, 3), vectorized.dissimilar_pairs(X, y, 3)
    Theta = Theta._replace(radii=0.6 * Theta.radii)
    expected = gradient.objective_gradient(*lists(X, *pairs, *Theta), 0.1, 0.5)
    for few in (0.0, 0.6, 2.0):
        monkeypatch.setattr("lmlir.vectorized.evaluation.FEW", few)
        for part, truth in zip(vectorized.objective_gradient(X, *pairs, *Theta, 0.1, 0.5), expected, strict=True):
            assert_close(part, truth)


def evaluations(n_jobs):
    X, y, Theta = start("wdbc", rows=200)
    pairs = vectorized.similar_pairs(X, y, 8), vectorized.dissimilar_pairs(X, y, 8)
    problem = vectorized.PairProblem(X, *pairs, 0.1, 0.5, n_jobs=n_jobs)
    smoothed, slopes, g = problem.smoothed(Theta, 0.05)
    return problem, [np.array([smoothed, g]), *slopes, *problem.gradient(Theta)]


def test_the_number_of_threads_changes_no_digit(monkeypatch):
    """Sums are added in the order of the blocks, whoever computed them."""
    assert evaluations(2)[0].threads == 1  # few pairs are left to one
    monkeypatch.setattr("lmlir.vectorized.pairs.MANY_NUMBERS", 0)
    monkeypatch.setattr("lmlir.vectorized.pairs.PREPARED_BLOCK", 1)
    problem, one = evaluations(None)
    assert len(problem.slices) > 5
    assert evaluations(2)[0].threads == 2
    for n_jobs in (2, 5, -1):
        assert all(np.array_equal(got, truth) for got, truth in zip(evaluations(n_jobs)[1], one, strict=True))


def test_blocks_that_are_not_kept_are_the_same(monkeypatch):
    """With many pairs the blocks are made at each evaluation: the memory does not grow with the pairs, the result stays."""
    kept, expected = evaluations(None)
    monkeypatch.setattr("lmlir.vectorized.problem.KEPT_NUMBERS", 0)
    made, got = evaluations(2)
    assert kept._kept is not None and made._kept is None
    assert all(np.array_equal(part, truth) for part, truth in zip(got, expected, strict=True))


def test_an_error_in_a_thread_is_an_error(monkeypatch):
    """A center whose distance has no square: the same sentence from two threads as from one."""
    monkeypatch.setattr("lmlir.vectorized.pairs.MANY_NUMBERS", 0)
    monkeypatch.setattr("lmlir.vectorized.pairs.PREPARED_BLOCK", 1)
    monkeypatch.setattr("lmlir.vectorized.pairs.SMALLEST_BLOCK", 1)
    problem = vectorized.PairProblem(np.eye(4)[:, :2] + 1, [(0, 1), (1, 2)], [(2, 0)], 0.1, 0.5, n_jobs=2)
    assert len(problem.slices) == 3
    with pytest.raises(ValueError, match="distance to a center must have a square in the range of float64"):
        problem.objective(Parameters([[1e200, 0.0]], [1.0], [np.eye(2)], np.eye(2)))


def test_metrics_are_looked_at_unless_they_are_known_to_be_metrics():
    """Definition 3: a negative metric is refused; the learner's L L^T need not be looked at."""
    problem = vectorized.PairProblem([[0.0], [2.0]], [(0, 1)], [], 0.0, 0.5)
    Theta = Parameters([], [], [], [[-1.0]])
    for call in (problem.objective, problem.gradient, lambda Theta: problem.smoothed(Theta, 0.1)):
        with pytest.raises(ValueError, match="background_metric must be positive semi-definite"):
            call(Theta)
    assert problem.smoothed(Theta, 0.1, definite=True)[2] == 0


def test_a_metric_whose_norm_is_beyond_all_numbers_is_refused():
    """Section 5.2: 0 times infinity, the penalty of such a metric for alpha = 0, would be NaN."""
    with pytest.raises(ValueError, match=r"metrics must have norms in the range of float64, got entries up to 1e\+200"):
        vectorized.objective([[0.0], [1e-90]], [(0, 1)], [], [], [], [], [[1e200]], 0.0, 0.5)


def test_a_pair_counts_as_often_as_it_is_listed():
    """Equation (12): averages over the list, so a repeated or mirrored pair weighs more; the reference loops over all."""
    X = [[0.0], [2.0], [5.0]]
    similar, dissimilar = [(0, 1), (1, 0), (0, 1), (1, 2)], [(2, 0), (0, 2), (1, 1)]
    Theta = ([[1.0]], [1.5], [[[2.0]]], [[0.3]])
    assert np.isclose(
        vectorized.objective(X, similar, dissimilar, *Theta, 0.1, 0.5),
        objective.objective(X, similar, dissimilar, *Theta, 0.1, 0.5),
        rtol=10 * EPS,
    )


def test_a_metric_of_norm_zero_has_the_slope_zero():
    """Where a length or a norm is 0 its gradient is taken as 0; a learned metric can be 0 exactly."""
    X, nothing = [[0.0, 0.0], [2.0, 0.0]], np.zeros((2, 2))
    slopes = vectorized.objective_gradient(X, [], [(0, 1)], [[0.0, 0.0]], [1.0], [nothing], nothing, 0.1, 0.5)
    assert all(np.all(part == 0) for part in slopes)


def test_the_projection_is_the_nearest_positive_semidefinite_matrix():
    """Choice C2, by hand: reflect (2, 0; 0, -1) by 45 degrees; its positive part is 2 times the projector on (1, 1)."""
    M = np.array([[0.5, 1.5], [1.5, 0.5]])
    assert np.allclose(vectorized.nearest_positive_semidefinite([M, np.eye(2)]), [[[1, 1], [1, 1]], np.eye(2)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"similar": [(0, 2)]}, "similar needs row numbers from 0 to 1, got 0 to 2"),
        ({"dissimilar": [(-1, 0)]}, "dissimilar needs row numbers from 0 to 1, got -1 to 0"),
        ({"similar": [(0, 0.5)]}, "similar needs two row numbers a pair"),
        ({"similar": [0, 1]}, "similar needs two row numbers a pair"),
        ({"alpha": -1.0}, "needs alpha >= 0, got alpha=-1.0"),
        ({"C": float("nan")}, "needs a finite C, got C=nan"),
        ({"printed": ("E9",)}, r"printed may hold E2, E3 and E4, got printed=\['E9'\]"),
    ],
)
def test_an_objective_needs_pairs_of_rows(change, message):
    """Section 5: pairs name rows of X."""
    good = {"X": [[0.0], [1.0]], "similar": [(0, 1)], "dissimilar": [], "alpha": 0.1, "C": 0.5}
    Theta = {"centers": [], "radii": [], "local_metrics": [], "background_metric": [[1.0]]}
    with pytest.raises(ValueError, match=message):
        vectorized.objective_gradient(**{**good, **Theta, **change})
