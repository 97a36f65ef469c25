"""g and its gradient by compiled loops: `lmlir.vectorized.compiled` against the reference, and what does not change a digit."""

import sys

import numpy as np
import pytest
from real_data import EPS, SETS, assert_close, lists, start
from test_problem import far_off

from lmlir import gradient, learning, objective, vectorized
from lmlir.scalars import Parameters

compiled = pytest.importorskip(
    "lmlir.vectorized.compiled", reason="the compiled engine was not tried: there is no Numba"
)


def compiled_problem(*given, **options):
    return vectorized.PairProblem(*given, **options, compiled=True)


def assert_agrees(X, similar, dissimilar, Theta, printed=(), factor=1e4):
    """g and its gradient against the reference, which loops over pairs one by one."""
    problem = (*lists(X, similar, dissimilar, *Theta), 0.1, 0.5)
    found = compiled_problem(X, similar, dissimilar, 0.1, 0.5, printed)
    g, slopes = found.objective_and_gradient(Theta)
    truth = objective.objective(*problem)
    assert abs(g - truth) <= factor * EPS * truth and found.objective(Theta) == g
    expected = learning.parameter_arrays(gradient.objective_gradient(*problem, printed=printed))
    for part, slope in zip(slopes, expected, strict=True):
        assert_close(part, slope, factor)


@pytest.mark.parametrize(
    ("name", "printed"),
    [(name, ()) for name in SETS] + [("wdbc", printed) for printed in (("E2",), ("E3",), ("E4",), ("E2", "E3", "E4"))],
)
def test_objective_and_gradient_agree_with_the_reference_on_real_data(name, printed):
    """Section 5.2, as it is true and as it is printed."""
    X, y, Theta = start(name, rows=16 if name == "wdbc" else 12, K=2)
    assert_agrees(X, vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2), Theta, printed)


@pytest.mark.parametrize("shift", [0.0, 1e5])
@pytest.mark.parametrize("radii", [[3.0, 4.0, 5.0], [0.7, 0.4, 0.3], [0.5, 3.5, 0.0], [1e6, 2.0, 0.1]])
def test_wide_and_narrow_balls_agree_with_the_reference(shift, radii):
    """Far from the origin, too, where the points have lost five digits; one of the metrics is 0, and pairs miss a ball."""
    X, pairs, Theta = far_off(shift, radii)
    assert_agrees(X, *pairs, Theta, factor=1e4 * max(shift, 1) * max(radii))


@pytest.mark.parametrize("radius", [1.0, 1.4e154, 1e300])
def test_equal_points_are_at_distance_0_whatever_the_radius(radius):
    """Definition 8, x_i = x_j (C21): the hinge of a dissimilar pair is 1 + C, also where r^2 overflows."""
    Theta = Parameters(np.zeros((1, 2)), np.array([radius]), 4 * np.eye(2)[None], np.eye(2))
    problem = compiled_problem(np.full((2, 2), 0.3), np.empty((0, 2), dtype=int), np.array([[0, 1]]), 0.0, 0.5)
    assert problem.objective(Theta) == 1.5


@pytest.mark.parametrize(("tile", "filled"), [(1, 0), (8, 2), (512, 0)])
def test_the_size_of_a_tile_changes_nothing_but_rounding(tile, filled, monkeypatch):
    """What fills up the last tile counts for nothing; each tile has the same size."""
    monkeypatch.setattr(compiled, "TILE", tile)
    X, pairs, Theta = far_off(0.0, [0.7, 3.0, 0.3])
    problem = compiled_problem(X, *pairs, 0.1, 0.5)
    ((_, tiles),) = problem._kept
    assert tiles.shape[2] <= tile and tiles.shape[0] * tiles.shape[2] - len(problem.rows) == filled
    assert not tiles[-1, :, tiles.shape[2] - filled :].any()  # neither length nor weight
    assert_agrees(X, *pairs, Theta)


def test_equal_points_no_regions_one_feature_and_no_pairs_are_no_special_cases():
    """A pair of equal points has the length 0 and no slope; without pairs g is the penalty."""
    X, Theta = [[0.0], [2.0], [2.0], [5.0]], Parameters([], [], [], np.array([[0.3]]))
    assert_agrees(X, [(1, 2), (0, 1)], [(2, 1), (0, 3)], learning.parameter_arrays(Theta))
    assert_agrees(X, [(1, 2), (0, 1)], [(2, 1), (0, 3)], Parameters([[1.0]], [1.5], [[[2.0]]], [[0.3]]))
    g, slopes = compiled_problem(X, [], [], 0.1, 0.5).objective_and_gradient(Theta)
    assert g == pytest.approx(0.03, abs=EPS) and slopes.background_metric == pytest.approx(0.1, abs=EPS)


def evaluations(**options):
    X, y, Theta = start("wdbc", rows=200)
    pairs = vectorized.similar_pairs(X, y, 8), vectorized.dissimilar_pairs(X, y, 8)
    problem = compiled_problem(X, *pairs, 0.1, 0.5, **options)
    smoothed, slopes, g = problem.smoothed(Theta, 0.05)
    return problem, [np.array([smoothed, g]), *slopes, *problem.gradient(Theta)]


def test_neither_threads_nor_blocks_that_are_not_kept_change_a_digit(monkeypatch):
    """Sums are added in the order of the blocks; every pair is in one of them."""
    monkeypatch.setattr(compiled, "BLOCK", 300)
    problem, one = evaluations()
    assert len(problem.slices) == 10 and problem.threads == 1
    rows = np.concatenate([problem.rows[block] for block in problem.slices])
    assert np.array_equal(np.unique(rows, axis=0), np.unique(problem.rows, axis=0)) and len(rows) == len(problem.rows)
    for n_jobs in (2, 5):
        problem, several = evaluations(n_jobs=n_jobs)
        assert problem.threads == n_jobs and all(map(np.array_equal, several, one))
    monkeypatch.setattr("lmlir.vectorized.problem.KEPT_NUMBERS", 0)
    problem, made = evaluations(n_jobs=2)
    assert problem._kept is None and all(map(np.array_equal, made, one))


@pytest.mark.parametrize(
    ("Theta", "message"),
    [
        (([[1e200, 0.0]], [1.0], [np.eye(2)], np.eye(2)), "distance to a center must have a square .*, got center="),
        (([[1.0, 0.0]], [1.0], [np.eye(2)], 1e150 * np.eye(2)), "metrics must give squared lengths in the range"),
    ],
)
def test_what_leaves_the_range_of_the_numbers_is_refused_in_the_same_sentence(Theta, message):
    """The loops notice it, and NumPy's evaluation says what it is."""
    X, pairs = 1e100 * np.eye(4)[:, :2], [(0, 1), (1, 2)]
    for evaluated in (vectorized.PairProblem, compiled_problem):
        with pytest.raises(ValueError, match=message):
            evaluated(X, pairs, [], 0.1, 0.5).objective(Parameters(*Theta))


def test_the_default_rule_lowers_g_by_compiled_loops_with_any_number_of_threads():
    """`learn(engine="compiled")`: the same objective at the same start, never above it, and no digit depends on n_jobs."""
    X, y, _ = start("wdbc", rows=60)
    one, two = (learning.learn(X, y, n_regions=2, n_neighbors=3, engine="compiled", n_jobs=n) for n in (None, 2))
    other = learning.learn(X, y, n_regions=2, n_neighbors=3)
    assert one.trace[0] == pytest.approx(other.trace[0], rel=1e4 * EPS)
    assert one.trace[-1] < one.trace[0] and one.trace == two.trace
    given = (*lists(X, one.similar, one.dissimilar, *one.parameters), 0.1, 0.5)
    assert objective.objective(*given) == pytest.approx(min(one.trace), rel=1e4 * EPS)


def test_the_classifier_learns_by_the_engine_it_is_given():
    """`LMLIRClassifier(engine=...)` passes it on; a word that is none gets the sentence of `learn`."""
    estimator = pytest.importorskip("lmlir.estimator", reason="needs scikit-learn")
    X, y, _ = start("wdbc", rows=60)
    traces = {
        engine: estimator.LMLIRClassifier(2, 3, random_state=0, engine=engine).fit(X, y).objective_trace_.tolist()
        for engine in ("vectorized", "compiled")
    }
    learned = learning.learn(X, y, n_regions=2, n_neighbors=3, engine="compiled")
    assert traces["compiled"] == learned.trace != traces["vectorized"]
    with pytest.raises(ValueError, match="engine must be 'vectorized' or 'compiled' or 'reference', got engine='fast'"):
        estimator.LMLIRClassifier(2, 3, engine="fast").fit(X, y)


def test_without_numba_one_sentence_says_what_to_install(monkeypatch):
    """An extra that is not installed is named."""
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "lmlir.vectorized.compiled")
    with pytest.raises(ImportError, match=r"compiled evaluation needs Numba: pip install 'lmlir\[numba\]'"):
        compiled_problem([[0.0], [1.0]], [(0, 1)], [], 0.1, 0.5)
    with pytest.raises(ImportError, match="compiled evaluation needs Numba"):
        learning.learn([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], n_neighbors=1, engine="compiled")
