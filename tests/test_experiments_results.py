"""The committed run: it is complete, a re-run gives its numbers, and the statements made about it hold."""

from itertools import product
from pathlib import Path

import pytest

from lmlir.experiments import analysis, data, protocol

runner = pytest.importorskip("lmlir.experiments.runner", reason="the experiment needs joblib and tqdm")

FILE = Path(__file__).parents[1] / "book" / "results" / "experiment.jsonl"
DEFAULT_METHODS = [name for name, method in protocol.METHODS.items() if method.default]


@pytest.fixture(scope="module")
def records():
    return runner.read_records(FILE)


def test_every_data_set_split_and_method_is_there_once(records):
    keys = [runner.key_of(record) for record in records if record["method"] in DEFAULT_METHODS]
    assert len(keys) == len(set(keys)) == 14 * 10 * len(DEFAULT_METHODS)
    assert set(keys) == set(product(data.NAMES, range(10), DEFAULT_METHODS))


def test_every_accuracy_is_a_count_of_right_answers(records):
    for record in records:
        tested = -(-2 * data.FACTS[data.file_name(record["dataset"])]["rows"] // 5)
        right = record["accuracy"] * tested
        assert record["tested"] == tested and abs(right - round(right)) < 1e-3 and 0 <= right <= tested


def test_versions_seed_and_date_are_in_the_file(records):
    assert {record["seed"] for record in records} == {0}
    first = [record for record in records if record["split"] == 0]
    assert all({"date", "lmlir", "python", "numpy", "scipy"} <= set(record["run"]) for record in first)


def test_the_file_is_small():
    assert FILE.stat().st_size < 500_000


@pytest.mark.parametrize("dataset", ["monk1", "wdbc"])
@pytest.mark.parametrize("method", ["majority", "euclidean", "euclidean-train-part"])
def test_a_new_run_gives_the_numbers_of_the_file(records, dataset, method):
    """Nothing is learned here, and no decision value is near 0, so rounding cannot change an answer."""
    found = load(dataset)
    for split in range(10):
        again = protocol.run_task(dataset, found.X, found.y, split, method, protocol.Settings())
        assert again["accuracy"] == analysis.values_of(records, dataset, method)[split]


@pytest.mark.parametrize(
    "dataset, method, split, points",
    [("monk1", "lmlir-fixed-rate", 1, 0.02), ("wdbc", "lmlir-fixed-rate", 2, 0.02), ("monk1", "lmlir", 1, 0.04)],
)
def test_learning_again_gives_the_numbers_of_the_file(records, dataset, method, split, points):
    """On one machine the very same. On another processor the last bit of a sum decides the order of equal distances
    (Monk1's grid has many) and whether a step lowers the objective: with three kernels of the linear algebra the default
    learner's accuracy was seen to differ by 1.8 points and its objective by 0.7 percent; twice that is allowed."""
    found = load(dataset)
    again = protocol.run_task(dataset, found.X, found.y, split, method, protocol.Settings())
    before = next(record for record in records if runner.key_of(record) == (dataset, split, method))
    assert abs(again["accuracy"] - before["accuracy"]) <= points
    assert again["objective"] == pytest.approx(before["objective"], rel=0.015)
    assert again["objective_start"] == pytest.approx(before["objective_start"], rel=1e-3)


def test_the_fixed_rate_reproduces_the_last_column_where_it_is_said_to(records):
    """Two means, German and Pima, are more than one of the paper's deviations off; both are above the paper's."""
    near = set(analysis.within_one_deviation(records))
    assert set(data.NAMES) - near == {"german", "pima"}
    assert not analysis.more_than_one_deviation_below(records, "lmlir-fixed-rate")


def test_other_splits_move_that_count():
    """Three blocks of ten splits; over all thirty, the same two data sets are above."""
    more = runner.read_records(FILE.with_name("fixed-rate-30-splits.jsonl"))
    assert analysis.within_by_blocks(more) == [12, 13, 9]
    assert set(data.NAMES) - set(analysis.within_one_deviation(more)) == {"german", "pima"}
    assert not analysis.more_than_one_deviation_below(more, "lmlir-fixed-rate")


def test_the_default_learner_is_nowhere_far_below_the_paper_and_never_raises_the_objective(records):
    assert not analysis.more_than_one_deviation_below(records, "lmlir")
    fits = [record for record in records if record["method"] == "lmlir"]
    assert len(fits) == 140 and all(fit["rises"] == 0 and fit["objective"] < fit["objective_start"] for fit in fits)


def test_the_default_learner_ends_about_as_low_as_600_small_steps(records):
    """At least as low on 12 data sets; on Haberman and Pima higher, by less than one percent."""
    lower = analysis.lower_objective(records)
    higher = {name for name, is_lower in lower.items() if not is_lower}
    assert len(lower) == 14 and higher == {"haberman", "pima"}
    slow = analysis.objective_means(records, "lmlir-rate-0.1")
    fast = analysis.objective_means(records, "lmlir", range(3))
    assert all(fast[name] < 1.01 * slow[name] for name in higher)


def test_learning_helps_on_three_data_sets_and_hurts_on_none(records):
    assert analysis.gains(records) == {
        "better": ["german", "monk1", "vote"],
        "worse": [],
        "neither": [name for name in data.NAMES if name not in ("german", "monk1", "vote")],
    }


def test_every_finding_can_be_told_from_the_file(records):
    """The book asks for all of them by title."""
    assert len(analysis.findings(records)) == 11
    assert all("nan" not in finding.text.split() for finding in analysis.findings(records))


def load(dataset):
    try:
        return data.load(dataset)
    except data.DataError as error:
        pytest.skip(str(error))
