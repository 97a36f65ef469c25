"""The objective, its gradient and the step: `lmlir.vectorized.problem` against the reference and
against differences of g.
"""

import importlib.util

import numpy as np
import pytest
from real_data import EPS, SETS, assert_close, lists, start

from lmlir import descent, gradient, learning, objective, vectorized
from lmlir.scalars import Parameters

# test_compiled.py reports a missing Numba
ENGINES = (False, True) if importlib.util.find_spec("numba") else (False,)
both_engines = pytest.mark.parametrize("compiled", ENGINES)


def assert_agrees(X, similar, dissimilar, Theta, printed=(), factor=1e4):
    """Compare g and its gradient with the reference, which loops over pairs one by one."""
    given = (*lists(X, similar, dissimilar, *Theta), 0.1, 0.5)
    truth = objective.objective(*given)
    true_slopes = learning.parameter_arrays(gradient.objective_gradient(*given, printed=printed))
    for compiled in ENGINES:
        problem = vectorized.PairProblem(
            X, similar, dissimilar, 0.1, 0.5, printed, compiled=compiled
        )
        g, slopes = problem.objective_and_gradient(Theta)
        assert abs(g - truth) <= factor / 100 * EPS * truth
        assert problem.objective(Theta) == g
        for part, slope in zip(slopes, true_slopes, strict=True):
            assert_close(part, slope, factor)


@pytest.mark.parametrize(
    ("name", "printed"),
    [(name, ()) for name in SETS]
    + [("wdbc", printed) for printed in (("E2",), ("E3",), ("E4",), ("E2", "E3", "E4"))],
)
def test_objective_gradient_and_step_agree_with_the_reference_on_real_data(name, printed):
    """Section 5.2, as it is true and as it is printed."""
    X, y, Theta = start(name, rows=12, K=2)
    pairs = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    assert_agrees(X, *pairs, Theta, printed)
    expected = descent.descent_step(*lists(X, *pairs, *Theta), 0.1, 0.5, 0.7, printed=printed)
    got = vectorized.descent_step(X, *pairs, *Theta, 0.1, 0.5, 0.7, printed=printed)
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
    X = rng.normal(size=(12, 3))
    pairs = rng.integers(0, 12, size=(2, 20, 2))
    roots = rng.normal(size=(3, 3, 3)) / 2
    metrics = roots @ roots.transpose(0, 2, 1) + 0.1 * np.eye(3)
    Theta = Parameters(rng.normal(size=(2, 3)), np.array([0.9, 1.4]), metrics[:2], metrics[2])
    problem = vectorized.PairProblem(X, pairs[0], pairs[1], 0.3, 0.2)
    slopes = problem.gradient(Theta)
    for part, indices in enumerate(
        ([(0, 0), (1, 2)], [(0,), (1,)], [(0, 1, 1), (1, 2, 2)], [(0, 0), (1, 1)])
    ):
        for index in indices:
            # The difference errs by the third derivative times step^2 and by eps / step: 1e-8
            # covers both here.
            assert abs(slopes[part][index] - central_difference(problem, Theta, part, index)) < 1e-8
            assert slopes[part][index] != 0


def test_a_problem_has_no_state_between_evaluations():
    """A prepared problem returns at every Theta what a fresh one returns, in any order."""
    X, y, Theta = start("wdbc", rows=50)
    pairs = vectorized.similar_pairs(X, y, 4), vectorized.dissimilar_pairs(X, y, 4)
    problem = vectorized.PairProblem(X, *pairs, 0.1, 0.5)
    other = vectorized.descent_step(X, *pairs, *Theta, 0.1, 0.5, 0.5)
    for parameters in (Theta, other, Theta):
        g, slopes = problem.objective_and_gradient(parameters)
        assert (
            g
            == problem.objective(parameters)
            == vectorized.objective(X, *pairs, *parameters, 0.1, 0.5)
        )
        for part, truth in zip(
            slopes, vectorized.objective_gradient(X, *pairs, *parameters, 0.1, 0.5), strict=True
        ):
            assert np.array_equal(part, truth)


def far_off(shift, radii, seed=5):
    """A problem whose data lie around `shift`, with two balls of these radii, and metrics of which
    one is 0.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(14, 3)) + shift
    pairs = rng.integers(0, 14, size=(2, 40, 2))
    roots = rng.normal(size=(4, 3, 2))
    metrics = roots @ roots.transpose(0, 2, 1)
    metrics[1] = 0
    centers = (
        np.concatenate([rng.normal(size=(1, 3)), X[:1] - shift + 0.1, rng.normal(size=(1, 3))])
        + shift
    )
    return X, pairs, Parameters(centers, np.array(radii), metrics[:3], metrics[3])


@pytest.mark.parametrize("shift", [0.0, 1e5])
@pytest.mark.parametrize(
    "radii", [[3.0, 4.0, 5.0], [0.7, 0.4, 0.3], [0.5, 3.5, 0.0], [1e6, 2.0, 0.1]]
)
def test_wide_and_narrow_balls_agree_with_the_reference(shift, radii):
    """Section 5.2: a wide ball may be computed from inner products, a narrow one only from
    differences.

    At 1e5 the points have lost 5 digits to the origin before anything is computed, and the
    reference loses them, too.
    """
    X, pairs, Theta = far_off(shift, radii)
    assert_agrees(X, *pairs, Theta, factor=1e4 * max(shift, 1) * max(radii))


@both_engines
def test_a_tiny_ball_on_a_segment_keeps_its_digits(compiled):
    """Definition 8: gamma = 2 r / |d|, so dg/dr = (5 - 2.5) 2 / 2.5; inner products would lose all
    but four digits.
    """
    Theta = Parameters([[2.0, 1.05]], [1e-6], [4 * np.eye(2)], np.eye(2))
    X = [[1.0, 0.3], [3.0, 1.8], [7.1, -3.3]]
    problem = vectorized.PairProblem(X, [(0, 1)], [], 0.0, 0.5, compiled=compiled)
    assert problem.gradient(Theta).radii[0] == pytest.approx(2, rel=1e-8)


@pytest.mark.parametrize("scale", [1e-4, 0.1, 1.0, 1e4])
def test_active_and_inactive_hinges_agree_with_the_reference(scale):
    """Equation (12): short distances activate only dissimilar pairs, long ones only similar pairs;
    few pairs meet a ball.
    """
    X, y, Theta = start("wdbc", rows=12, K=2)
    pairs = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    metrics = {
        "local_metrics": scale * Theta.local_metrics,
        "background_metric": scale * Theta.background_metric,
    }
    assert_agrees(X, *pairs, Theta._replace(radii=0.6 * Theta.radii, **metrics))


@both_engines
def test_many_pairs_are_the_mean_of_fewer_with_any_number_of_threads(compiled):
    """Equation (12): 70,480 pairs of 60 features, too many to keep; no digit depends on the number
    of threads.
    """
    rng = np.random.default_rng(8)
    X = rng.normal(size=(400, 60)) / 8
    pairs = np.argwhere(np.triu(np.ones((400, 400)), 1))
    similar, dissimilar = rng.permutation(pairs)[:70480].reshape(2, 40, 881, 2)
    metrics = np.array([np.eye(60), np.diag(rng.uniform(size=60)), np.cov(X.T) * 60])
    Theta = Parameters(X[:2], np.array([0.8, 1.2]), metrics[:2], metrics[2])

    def evaluated(similar, dissimilar, n_jobs=None):
        given = X, similar.reshape(-1, 2), dissimilar.reshape(-1, 2), 0.1, 0.5
        problem = vectorized.PairProblem(*given, n_jobs=n_jobs, compiled=compiled)
        smoothed, slopes, g = problem.smoothed(Theta, 0.05)
        if n_jobs:
            with pytest.raises(
                ValueError, match="distance to a center must have a square in the range of float64"
            ):
                problem.objective(Theta._replace(centers=1e200 * X[:2]))
        return [np.array([smoothed, g]), *slopes]

    one = evaluated(similar, dissimilar)
    assert all(map(np.array_equal, evaluated(similar, dissimilar, n_jobs=2), one))
    parts = map(evaluated, similar, dissimilar)
    for whole, *few in zip(one, *parts, strict=True):
        assert_close(whole, np.mean(few, axis=0))


@both_engines
@pytest.mark.parametrize("radius", [1.0, 1.4e154, 1e300])
def test_equal_points_are_at_distance_0_whatever_the_radius(compiled, radius):
    """Definition 8, x_i = x_j (C21): [0 - (1 - C)]_+ = 0 and [1 + C - 0]_+ = 1.5, also where r^2
    overflows.
    """
    Theta = Parameters(np.zeros((1, 2)), np.array([radius]), 4 * np.eye(2)[None], np.eye(2))
    for similar, dissimilar, g in (([(0, 1)], [], 0.0), ([], [(0, 1)], 1.5)):
        problem = vectorized.PairProblem(
            np.full((2, 2), 0.3), similar, dissimilar, 0.0, 0.5, compiled=compiled
        )
        assert problem.objective(Theta) == g


def test_repeated_pairs_equal_points_no_regions_and_one_feature_agree_with_the_reference():
    """Equation (12): averages over the list, so a repeated or mirrored pair weighs more; equal
    points have no slope.
    """
    X = [[0.0], [2.0], [2.0], [5.0]]
    similar = [(1, 2), (0, 1), (1, 0), (0, 1)]
    dissimilar = [(2, 1), (0, 3), (3, 0)]
    for Theta in (Parameters([], [], [], [[0.3]]), Parameters([[1.0]], [1.5], [[[2.0]]], [[0.3]])):
        assert_agrees(X, similar, dissimilar, Theta)


@both_engines
def test_without_pairs_the_objective_is_the_penalty(compiled):
    Theta = Parameters([], [], [], [[0.3]])
    g, slopes = vectorized.PairProblem(
        [[0.0]], [], [], 0.1, 0.5, compiled=compiled
    ).objective_and_gradient(Theta)
    assert g == pytest.approx(0.03, abs=EPS)
    assert slopes.background_metric == pytest.approx(0.1, abs=EPS)


@both_engines
@pytest.mark.parametrize(
    ("Theta", "message"),
    [
        (
            ([[1e200, 0.0]], [1.0], [np.eye(2)], np.eye(2)),
            "distance to a center must have a square .*, got center=",
        ),
        (
            ([[1.0, 0.0]], [1.0], [np.eye(2)], 1e150 * np.eye(2)),
            "metrics must give squared lengths in the range",
        ),
        (
            ([], [], [], 1e200 * np.eye(2)),
            r"metrics must have norms in the range of float64, .* 1e\+200",
        ),
    ],
)
def test_parameters_whose_squares_overflow_are_refused(compiled, Theta, message):
    """Section 5.2: otherwise infinities would cancel, or be multiplied by alpha = 0, to NaN."""
    problem = vectorized.PairProblem(
        1e100 * np.eye(4)[:, :2], [(0, 1), (1, 2)], [], 0.0, 0.5, compiled=compiled
    )
    with pytest.raises(ValueError, match=message):
        problem.objective(Parameters(*Theta))


def test_metrics_are_checked_unless_they_are_declared_definite():
    """Definition 3: a negative metric is refused; the learner's L L^T need not be checked."""
    problem = vectorized.PairProblem([[0.0], [2.0]], [(0, 1)], [], 0.0, 0.5)
    Theta = Parameters([], [], [], [[-1.0]])
    for call in (problem.objective, problem.gradient, lambda Theta: problem.smoothed(Theta, 0.1)):
        with pytest.raises(ValueError, match="background_metric must be positive semi-definite"):
            call(Theta)
    assert problem.smoothed(Theta, 0.1, definite=True)[2] == 0


def test_a_metric_of_norm_zero_has_the_slope_zero():
    """Where a length or a norm is 0 its gradient is taken as 0; a learned metric can be 0
    exactly.
    """
    X = [[0.0, 0.0], [2.0, 0.0]]
    nothing = np.zeros((2, 2))
    slopes = vectorized.objective_gradient(
        X, [], [(0, 1)], [[0.0, 0.0]], [1.0], [nothing], nothing, 0.1, 0.5
    )
    assert all(np.all(part == 0) for part in slopes)


def test_the_projection_is_the_nearest_positive_semidefinite_matrix():
    """Choice C2, by hand: reflect (2, 0; 0, -1) by 45 degrees; its positive part is 2 times the
    projector on (1, 1).
    """
    M = np.array([[0.5, 1.5], [1.5, 0.5]])
    assert np.allclose(
        vectorized.nearest_positive_semidefinite([M, np.eye(2)]), [[[1, 1], [1, 1]], np.eye(2)]
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"similar": [(0, 2)]}, "similar must have row numbers from 0 to 1, got 0 to 2"),
        ({"dissimilar": [(-1, 0)]}, "dissimilar must have row numbers from 0 to 1, got -1 to 0"),
        ({"similar": [(0, 0.5)]}, "similar must have two row numbers per pair"),
        ({"similar": [0, 1]}, "similar must have two row numbers per pair"),
        ({"alpha": -1.0}, "needs alpha >= 0, got alpha=-1.0"),
        ({"C": float("nan")}, "needs a finite C, got C=nan"),
        ({"printed": ("E9",)}, r"printed may hold E2, E3 and E4, got printed=\['E9'\]"),
    ],
)
def test_invalid_pairs_and_weights_are_refused(change, message):
    """Section 5: pairs name rows of X."""
    good = {"X": [[0.0], [1.0]], "similar": [(0, 1)], "dissimilar": [], "alpha": 0.1, "C": 0.5}
    Theta = {"centers": [], "radii": [], "local_metrics": [], "background_metric": [[1.0]]}
    with pytest.raises(ValueError, match=message):
        vectorized.objective_gradient(**{**good, **Theta, **change})
