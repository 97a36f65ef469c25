"""From data to parameters: `lmlir.learning.learn`, why it stops, its passes and its errors."""

import re

import numpy as np
import pytest
from clouds import assert_same, clouds, visits
from scipy.optimize import OptimizeResult

from lmlir import distance, vectorized
from lmlir.experiments import data, protocol
from lmlir.learning import RULES, learn, training_pairs
from lmlir.learning.engines import VectorizedProblem, parameter_lists
from lmlir.learning.quasi_newton import LAST_STEPS, LAST_TOL_SHARE, reason
from lmlir.scalars import Parameters


def test_learning_stops_by_itself_and_gives_the_reason():
    """Which of the three reasons it is depends on the last bits, and so on the processor."""
    learned = learn(*clouds(0, n=30), n_regions=2, n_neighbors=3, n_steps=5000)
    assert len(learned.trace) - 1 < 5000
    assert not learned.cut_short
    ends = [
        OptimizeResult(nit=nit, success=success)
        for nit, success in ((LAST_STEPS, False), (1, True), (1, False))
    ]
    assert learned.stop in [reason(end, LAST_STEPS, LAST_TOL_SHARE * 2e-5) for end in ends]


@pytest.mark.parametrize("n_regions", [0, 3])
def test_the_same_seed_gives_the_same_numbers(n_regions):
    X, y = clouds(3, n=50, F=3)
    first, again = (learn(X, y, n_regions=n_regions, n_neighbors=4, seed=7) for _ in range(2))
    assert_same(first.parameters, again.parameters, rtol=0)
    assert first.trace == again.trace


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "free",
    [["metrics"], ["centers"], ["centers", "radii"], ["radii", "metrics"], ["centers", "metrics"]],
)
def test_only_the_free_parameters_are_learned(rule, free):
    """The others keep every bit: centers too, which a split of the default rule would move here to
    lower g.
    """
    learned = learn(
        *clouds(0, n=30),
        n_regions=2,
        n_neighbors=3,
        n_steps=60,
        rule=rule,
        learning_rate=0.05,
        free=free,
    )
    for name in Parameters._fields:
        stays = np.array_equal(getattr(learned.parameters, name), getattr(learned.initial, name))
        assert stays == (("metrics" if "metric" in name else name) not in free), name


def test_on_monk1_the_default_learner_beats_the_fixed_rate_and_nothing_learned():
    """Section 6.

    Monk1, first split: lower than the fixed rate of choice C1, and at least ten points above
    Euclid.
    """
    raw = data.monk1()
    X = raw.features
    y = np.array(raw.labels, dtype=int)
    part = protocol.prepared(X, y, protocol.split_rows(len(X), 0), "all")
    learned = learn(part.X_train, part.y_train)
    fixed = learn(part.X_train, part.y_train, rule="fixed")
    assert learned.trace[-1] <= fixed.trace[-1]
    assert (np.diff(learned.trace) <= 0).all()
    euclidean = protocol.predictions(part, protocol.euclidean_parameters(X.shape[1]))
    assert (
        np.mean(protocol.predictions(part, learned.parameters) == part.y_test)
        >= np.mean(euclidean == part.y_test) + 0.1
    )


# ------------------------------------------------------------------------------------------- passes


def nearest_by_loops(X, y, K, Theta, same):
    """Return the K nearest of the same class (or of others) for every instance, by the reference's
    distance and a sort.
    """
    lists = parameter_lists(Theta)
    pairs = []
    for i in range(len(X)):
        candidates = [j for j in range(len(X)) if j != i and (y[j] == y[i]) == same]
        length = {j: distance.distance(X[i].tolist(), X[j].tolist(), *lists) for j in candidates}
        pairs += [(i, j) for j in sorted(candidates, key=lambda j: (length[j], j))[:K]]
    return pairs


def test_later_pairs_are_the_nearest_in_the_learned_distance():
    """Section 5.1, by the reference's loops."""
    X, y = clouds(6, n=24, F=3, classes=3)
    Theta = learn(X, y, n_regions=2, n_neighbors=3, n_steps=30).parameters
    pairs = training_pairs(X, y, 3, Theta)
    for found, same in zip(pairs, (True, False), strict=True):
        assert sorted(map(tuple, found.tolist())) == sorted(nearest_by_loops(X, y, 3, Theta, same))


@pytest.mark.parametrize("rule", RULES)
def test_a_second_pass_goes_on_from_the_first_with_new_pairs(rule):
    """Two passes by hand: learn, choose the pairs again, and the rule from where the first pass
    ended.
    """
    X, y = clouds(7, n=30, F=3)
    options = {"n_regions": 2, "n_neighbors": 3, "rule": rule, "n_steps": 20}
    first = learn(X, y, **options)
    both = learn(X, y, **options, n_passes=2)
    again = training_pairs(X, y, 3, first.parameters)
    assert not np.array_equal(again[0], first.similar)
    problem = VectorizedProblem(X, *again, 0.1, 0.5)
    second = RULES[rule](problem, first.parameters, ["centers", "radii", "metrics"], n_steps=20)
    assert_same(both.parameters, second.position.Theta, rtol=0)
    assert both.trace == second.trace
    np.testing.assert_array_equal(both.similar, again[0])
    np.testing.assert_array_equal(both.dissimilar, again[1])
    assert_same(both.initial, first.initial, rtol=0)


def test_passes_end_when_the_pairs_repeat():
    """Two instances per class, far apart on a line: the neighbors are the same in every metric.

    No second pass calls back.
    """
    X = np.array([[0.0], [1.0], [10.0], [11.5]])
    y = np.array([0, 0, 1, 1])
    one, once = visits(X, y, n_regions=0, n_neighbors=1)
    many, often = visits(X, y, n_regions=0, n_neighbors=1, n_passes=50)
    assert len(often) == len(once) > 0
    assert_same(one.parameters, many.parameters, rtol=0)


def test_trace_and_pairs_are_those_of_the_last_pass():
    X, y = clouds(1, n=40, F=3)
    learned, visited = visits(X, y, n_regions=2, n_neighbors=3, n_passes=3, n_steps=60)
    g = vectorized.objective(X, learned.similar, learned.dissimilar, *learned.parameters, 0.1, 0.5)
    assert learned.trace[-1] == pytest.approx(g, rel=1e-12)
    assert (
        np.diff([g for g, _ in visited]) > 0
    ).sum() <= 2  # g can rise only where a new pass begins, with other pairs


# ---------------------------------------------------------------------------------- wrong arguments

FROM_0 = "a whole number from 0 on"
FROM_1 = "a whole number from 1 on"
REFUSED = {
    "rule": ("'quasi-newton' or 'fixed'", ["newton", ["fixed"]]),
    "engine": ("'vectorized' or 'compiled' or 'reference'", ["gpu"]),
    "n_neighbors": (
        "a whole number from 1 to 7, the number of other instances in the smallest class 0",
        [8, 0, "3", None],
    ),
    "n_regions": ("a whole number from 0 to 16, the number of instances", [17, -1, 2.0]),
    "learning_rate": ("a number from 1e-100 to 1e+100", [0.0, float("inf"), "fast"]),
    "n_steps": (FROM_0, [-1, 2.5]),
    "tol": ("a number from 0 on", [-1.0, "x"]),
    "n_passes": (FROM_1, [0, 1.5, True]),
    "alpha": ("a number from 0 to 1e+100", [-1.0, "x", None, 1e300, float("nan")]),
    "C": ("a number from -1e+100 to 1e+100", ["x", 1e300]),
    "seed": (FROM_0, [-1]),
}
MESSAGES = [
    *(
        ({n: v}, f"{n} must be {what}, got {n}={v!r}")
        for n, (what, values) in REFUSED.items()
        for v in values
    ),
    ({"tol": "x", "rule": "fixed"}, "got tol='x'"),
    ({"free": ["metric"]}, "free must be 'centers' or 'radii' or 'metrics', got free='metric'"),
    ({"printed": ("E9",)}, "E9"),
    ({"y": np.zeros(16)}, "y must have at least two classes, got 1"),
    ({"y": np.zeros(3)}, "y must have one label per row of X, got shape (3,) for 16 rows"),
    ({"X": np.zeros(16)}, "X must be a 2-D array with at least one feature, got shape (16,)"),
    ({"X": np.full((16, 2), np.nan)}, "X must be finite, but row 0 contains nan"),
]


@pytest.mark.parametrize(("changes", "message"), MESSAGES)
def test_a_wrong_argument_is_named_with_its_condition_and_value(changes, message):
    X, y = clouds(0)
    with pytest.raises(ValueError, match=re.escape(message)):
        learn(**{"X": X, "y": y, "n_neighbors": 2, "n_regions": 2, **changes})


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("changes", [{"alpha": 1e100}, {"alpha": 0}, {"C": 1e100}, {"C": -1e100}])
def test_the_largest_weights_that_are_allowed_give_finite_parameters(rule, changes):
    learned = learn(*clouds(0), n_neighbors=2, n_regions=2, rule=rule, **changes)
    assert all(np.isfinite(part).all() for part in learned.parameters)
