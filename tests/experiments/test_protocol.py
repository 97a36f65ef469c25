"""The protocol of section 6: preprocessing, splits, methods, and records."""

import math

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit

from lmlir import classifier, learning
from lmlir.experiments import data, protocol
from lmlir.scalars import Parameters

# ------------------------------------------------------------------------- preprocessing and splits


def test_columns_are_standardized_and_rows_have_unit_length():
    X = np.random.default_rng(0).normal(5, 3, size=(40, 3))
    Z = protocol.standardized(X)
    assert np.allclose(Z.mean(axis=0), 0)
    assert np.allclose((Z**2).mean(axis=0), 1)
    part = protocol.prepared(X, np.arange(40) % 2, protocol.split_rows(40, 0), "all")
    lengths = np.linalg.norm(np.vstack([part.X_train, part.X_test]), axis=1)
    assert len(lengths) == 40
    assert np.allclose(lengths, 1)


def test_the_training_part_alone_can_set_mean_and_deviation():
    """Choice C10."""
    X = np.array([[0.0], [2.0], [100.0]])
    y = np.array([0, 1, 1])
    rows = np.array([0, 1]), np.array([2])
    part = protocol.prepared(X, y, rows, "train", unit=False)
    assert part.X_train.ravel().tolist() == [-1, 1]
    assert part.X_test.ravel().tolist() == [99]
    assert part.y_train.tolist() == [-1, 1]
    with pytest.raises(ValueError, match="'all' or 'train', got 'test'"):
        protocol.prepared(X, y, rows, "test")


@pytest.mark.parametrize(
    "n, n_test",
    [
        (683, 274),
        (690, 276),
        (306, 123),
        (1000, 400),
        (182, 73),
        (583, 234),
    ],
)
def test_the_test_part_is_40_percent_rounded_up(n, n_test):
    """E17: Breastcancer's means fit 274 rows, Haberman's 123, Planning's 73, ILPD's 234."""
    train, test = protocol.split_rows(n, 3)
    assert len(test) == n_test
    assert sorted([*train, *test]) == list(range(n))


def test_splits_differ_by_number_and_seed_and_are_scikit_learns_own():
    """Choice C11.

    Anybody can draw them again; Diabetes and Pima, one data set (E10), get the same.
    """

    def test_rows(number, **options):
        return protocol.split_rows(768, number, **options)[1].tolist()

    rows = test_rows(4)
    assert rows == test_rows(4)
    assert rows != test_rows(5)
    assert rows != test_rows(4, seed=1)
    splitter = ShuffleSplit(1, test_size=0.4, random_state=4)
    (drawn,) = splitter.split(np.zeros((768, 1)))
    for expected, rows in zip(drawn, protocol.split_rows(768, 4), strict=True):
        assert sorted(expected.tolist()) == rows.tolist()


# ------------------------------------------------------------------------------------------ methods


@pytest.fixture
def part():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=50) > 0).astype(int)
    return protocol.prepared(X, y, (np.arange(30), np.arange(30, 50)), "all")


def test_the_euclidean_method_is_equation_10_in_loops(part):
    predicted, _ = protocol.euclidean(part, 0)
    minus = part.X_train[part.y_train == -1].tolist()
    plus = part.X_train[part.y_train == 1].tolist()
    Theta = protocol.euclidean_parameters(3)
    expected = [classifier.predict(x, minus, plus, 10, *Theta) for x in part.X_test.tolist()]
    assert predicted.tolist() == expected
    assert len(set(expected)) == 2


def test_the_majority_is_that_of_the_training_part(part):
    for signs, expected in (
        ([1, 1, -1] * 10, {1}),
        ([1, -1] * 15, {-1}),
    ):
        predicted, _ = protocol.majority(part._replace(y_train=np.array(signs)), 0)
        assert set(predicted) == expected


def test_nearest_neighbors_vote(part):
    pytest.importorskip("sklearn", reason="k-NN is scikit-learn's")
    predicted, _ = protocol.nearest_neighbors(5)(part, 0)
    for x, sign in zip(part.X_test, predicted, strict=True):
        distances = np.linalg.norm(part.X_train - x, axis=1)
        nearest = np.argsort(distances)[:5]
        assert sign == np.sign(part.y_train[nearest].sum())


def test_a_dead_region_is_a_hole(part):
    """A ball with metric 0 that no training pair meets makes far points near: the record shows the
    accuracy without it.
    """
    F = part.X_train.shape[1]
    hole = Parameters(np.zeros((1, F)), np.array([0.5]), np.zeros((1, F, F)), np.eye(F))
    near = np.array([[i, i] for i in range(3)])  # pairs that meet no ball: a point with itself
    objectives = [2.0, 1.5, 1.6]
    fit = learning.Learned(hole, hole, objectives, "made up", False, part.X_train, near, near)
    record = protocol.fit_record(part, fit)
    bare, _ = protocol.euclidean(part, 0)
    assert record["accuracy_without_dead"] == np.mean(bare == part.y_test)
    assert np.any(protocol.predictions(part, hole) != bare)
    assert record["rises"] == 1
    assert record["objective"] == 1.6
    assert record["steps"] == 2
    assert record["radii"] == [0.5]
    assert len(record["shares"]) == 2


def test_a_learned_record_describes_the_regions():
    """One real fit with the paper's rule: shares add up, start and end differ, the trace is in the
    first split only.
    """
    monk1 = data.load("monk1")
    settings = protocol.Settings()
    record = protocol.run_task("monk1", monk1.X, monk1.y, 0, "lmlir-fixed-rate", settings)
    start = record["objective_start"]
    end = record["objective"]
    assert record["steps"] == 60
    assert end < start
    assert math.isclose(sum(record["shares"]), 1, abs_tol=0.01)
    assert len(record["shares"]) == 5
    assert record["trace"][0] == [0, start]
    assert record["trace"][-1] == [60, end]
    assert len(record["radii"]) == 4
    assert len(record["norms"]) == 5
    assert record["warnings"]


def test_a_thinned_trace_keeps_both_ends():
    values = [float(v) for v in range(1000, 0, -1)]
    trace = protocol.thinned(values)
    assert trace[0] == [0, 1000.0]
    assert trace[-1] == [999, 1.0]
    assert len(trace) <= 40
    for step, value in trace:
        assert values[step] == value
    assert protocol.thinned([7.0]) == [[0, 7.0]]


def test_a_record_is_the_same_whenever_it_is_made_and_the_first_split_has_date_and_versions():
    monk1 = data.load("monk1")
    settings = protocol.Settings(preprocessing="train")
    records = []
    for _ in range(2):
        record = protocol.run_task("monk1", monk1.X, monk1.y, 0, "euclidean", settings)
        record.pop("seconds")
        run = record.pop("run")
        records.append(record)
    assert {"date", "lmlir", "python", "numpy", "scipy"} <= set(run)
    assert records == [record, record]
    assert {"dataset", "split", "method", "accuracy"} <= set(record)
    assert record["preprocessing"] == "train"
    assert record["seed"] == 0
    assert record["tested"] == 223
    right = record["accuracy"] * record["tested"]
    assert math.isclose(right, round(right), abs_tol=1e-3)


def test_every_method_of_the_experiment_is_there():
    names = (
        "lmlir lmlir-fixed-rate lmlir-rate-0.1 majority euclidean "
        "global-metric metrics-only regions-only "
        "printed-E2 printed-E3 printed-E4 "
        "knn-1 knn-5 knn-10 nca-knn"
    )
    assert set(names.split()) <= set(protocol.METHODS)
