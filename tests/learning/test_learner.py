"""From data to parameters: `lmlir.learning.learn`, its ends and its errors."""

import numpy as np
import pytest
from clouds import clouds

from lmlir.experiments import data, protocol
from lmlir.learning import learn
from lmlir.scalars import Parameters


def test_learning_stops_by_itself_and_says_why():
    for rule, reason in (
        ("quasi-newton", "an iteration lowered the objective by less than 6e-08 of it"),
        ("backtracking", "the last 10 rounds lowered the objective by less than 0.0001 of it"),
    ):
        learned = learn(*clouds(0, n=30), n_regions=2, n_neighbors=3, n_steps=1000, rule=rule)
        assert len(learned.trace.objective) - 1 < 1000
        assert learned.stop == reason
        short = learn(*clouds(0, n=30), n_regions=2, n_neighbors=3, n_steps=2, rule=rule)
        assert (short.stop, len(short.trace.objective)) == ("took all 2 steps", 3)


def test_no_steps_leave_the_initial_values():
    learned = learn(*clouds(0), n_regions=2, n_neighbors=3, n_steps=0)
    assert all(np.array_equal(a, b) for a, b in zip(learned.parameters, learned.initial, strict=True))
    assert len(learned.trace.objective) == 1


def test_the_same_seed_gives_the_same_numbers():
    X, y = clouds(8, n=60, F=3)
    first, again = (learn(X, y, n_neighbors=4, n_steps=10, seed=7) for _ in range(2))
    for part, other in zip(first.parameters, again.parameters, strict=True):
        np.testing.assert_array_equal(part, other)
    assert first.trace.objective == again.trace.objective


@pytest.mark.parametrize("rule", ["quasi-newton", "backtracking", "fixed"])
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


def test_on_monk1_the_default_learner_beats_the_fixed_rate_and_nothing_learned():
    """Section 6. Monk1, first split: lower than the fixed rate of choice C1, and at least ten points above Euclid."""
    raw = data.monk1()
    X, y = raw.features, np.array(raw.labels, dtype=int)
    part = protocol.prepared(X, y, protocol.split_rows(len(X), 0), "all")
    learned = learn(part.X_train, part.y_train)
    fixed = learn(part.X_train, part.y_train, rule="fixed")
    assert learned.trace.objective[-1] <= fixed.trace.objective[-1]
    assert (np.diff(learned.trace.objective) <= 0).all()
    euclidean = protocol.predictions(part, protocol.euclidean_parameters(X.shape[1]))
    right, right_before = (
        np.mean(predicted == part.y_test) for predicted in (protocol.predictions(part, learned.parameters), euclidean)
    )
    assert right >= right_before + 0.1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rule": "newton"}, "rule must be 'quasi-newton' or 'backtracking' or 'fixed', got rule='newton'"),
        ({"engine": "gpu"}, "engine must be 'vectorized' or 'compiled' or 'reference', got engine='gpu'"),
        ({"n_neighbors": 8}, "n_neighbors must be a whole number from 1 to 7"),
        ({"n_neighbors": 0}, "n_neighbors must be a whole number"),
        ({"n_regions": 17}, "n_regions must be a whole number from 1 to 16"),
        ({"n_regions": -1}, "n_regions must be a whole number"),
        ({"learning_rate": 0.0}, "learning_rate must be a finite number above 0, got learning_rate=0.0"),
        ({"learning_rate": float("inf")}, "learning_rate must be a finite number above 0"),
        ({"n_steps": -1}, "n_steps must be a whole number from 0, got n_steps=-1"),
        ({"n_steps": 2.5}, "n_steps must be a whole number from 0, got n_steps=2.5"),
        ({"tol": -1.0}, "tol must be at least 0, got tol=-1.0"),
        ({"n_passes": 0}, "n_passes must be a whole number from 1, got n_passes=0"),
        ({"n_passes": 1.5}, "n_passes must be a whole number from 1, got n_passes=1.5"),
        ({"n_passes": True}, "n_passes must be a whole number from 1, got n_passes=True"),
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
