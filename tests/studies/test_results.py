"""The committed runs: they are complete, a re-run gives their numbers, and the statements made
about them hold.
"""

from itertools import product

import numpy as np
import pytest

from book.studies import findings
from book.studies.results import RESULTS
from lmlir.experiments import data, protocol, statistics
from lmlir.experiments.rivals.catalog import RIVALS
from lmlir.experiments.rivals.users import USERS
from lmlir.ledger.tables_4_and_5 import METHODS

runner = pytest.importorskip(
    "lmlir.experiments.runner", reason="the experiment needs joblib and tqdm"
)

DEFAULT_METHODS = [name for name, method in protocol.METHODS.items() if method.default]
SETS = [name for name in data.NAMES if name != "pima"]  # Diabetes under a second name


@pytest.fixture(scope="module")
def records():
    return runner.read_records(RESULTS / "experiment.jsonl")


@pytest.fixture(scope="module")
def rivals():
    return runner.read_records(RESULTS / "rivals.jsonl")


def run_again(dataset, split, method):
    """Return the record of a new run, with one thread as in the committed one."""
    try:
        task = runner.Task(data.load(dataset), split, method)
    except data.DataError as error:
        pytest.skip(str(error))
    return runner.run_one(task, protocol.Settings())


def committed(records, *key):
    return next(record for record in records if runner.key_of(record) == key)


def test_every_data_set_split_and_method_is_there_once(records, rivals):
    keys = [runner.key_of(record) for record in records if record["method"] in DEFAULT_METHODS]
    assert sorted(keys) == sorted(product(data.NAMES, range(10), DEFAULT_METHODS))
    keys = [runner.key_of(record) for record in rivals]
    methods = {method for _, _, method in keys}
    assert (
        {*RIVALS, *USERS}
        <= methods
        <= {name for name, method in protocol.METHODS.items() if method.tuned}
    )
    assert sorted(keys) == sorted(product(SETS, range(10), methods))


def test_every_accuracy_is_a_count_of_right_answers(records, rivals):
    for record in records + rivals:
        tested = -(-2 * data.FACTS[data.file_name(record["dataset"])]["rows"] // 5)
        found = [record["accuracy"], *record.get("accuracy_k", {}).values()]
        found += [record[field] for field in ("fair", "accuracy_eq10") if field in record]
        assert record.get("tested", tested) == tested
        assert all(
            abs(tested * value - round(tested * value)) < 1e-3 and 0 <= value <= 1
            for value in found
        )


def test_the_accuracy_of_a_rival_is_that_of_its_own_k_and_the_others_have_one_accuracy(rivals):
    own_k = {name: rival.estimator(0).n_neighbors for name, rival in RIVALS.items()}
    assert set(own_k.values()) == {1, 3, 5}
    for record in rivals:
        method = record["method"]
        expected = record["accuracy_k"][str(own_k[method])] if method in RIVALS else record["fair"]
        assert record["accuracy"] == expected
        assert ("accuracy_eq10" in record) == (method in RIVALS)


def test_mcml_without_lengths_has_the_numbers_of_1_nn(records, rivals):
    """And under equation (10) those of the method `euclidean`.

    On average over the splits: where instances of two classes are equal, as in Haberman, the order
    decides who is nearest.
    """
    for name, (field, other) in product(
        SETS, [("accuracy", "knn-1"), ("accuracy_eq10", "euclidean")]
    ):
        rotation = statistics.values_of(rivals, name, "mcml-rotation", field)
        mean = statistics.accuracy(records, name, other).mean / 100
        assert np.mean(list(rotation.values())) == pytest.approx(mean, abs=0.01)


def test_two_names_of_the_same_data_give_the_same_numbers(records):
    """Diabetes and Pima are one data set under two names, split alike."""
    numbers = {
        name: {
            runner.key_of(record)[1:]: {
                k: v for k, v in record.items() if k not in ("dataset", "seconds")
            }
            for record in records
            if record["dataset"] == name
        }
        for name in ("diabetes", "pima")
    }
    assert len(numbers["pima"]) >= 10 * len(DEFAULT_METHODS)
    assert numbers["diabetes"] == numbers["pima"]


def test_versions_seed_and_date_are_in_the_file(records):
    assert {record["seed"] for record in records} == {0}
    first = [record for record in records if record["split"] == 0]
    assert all(
        {"date", "lmlir", "python", "numpy", "scipy"} <= set(record["run"]) for record in first
    )


@pytest.mark.parametrize("file", ["experiment.jsonl", "rivals.jsonl"])
def test_the_files_are_small(file):
    assert (RESULTS / file).stat().st_size < 500_000


@pytest.mark.parametrize("dataset", ["monk1", "wdbc"])
@pytest.mark.parametrize("method", ["majority", "euclidean", "euclidean-train-part"])
def test_a_new_run_gives_the_numbers_of_the_file(records, dataset, method):
    """Nothing is learned here, and no decision value is near 0, so rounding cannot change an
    answer.
    """
    for split in range(10):
        assert (
            run_again(dataset, split, method)["accuracy"]
            == committed(records, dataset, split, method)["accuracy"]
        )


@pytest.mark.parametrize(
    "dataset, split",
    [
        ("monk1", 0),
        ("wdbc", 2),
    ],
)
def test_learning_again_begins_as_in_the_file_and_ends_in_the_same_order(records, dataset, split):
    """On one machine the numbers are the very same.

    On another the last bit of a sum decides which minimum a descent finds.

    With noise of a few units in the last place, the default's objective was seen to change by 3
    percent on Monk1.
    """
    fixed, default = (run_again(dataset, split, method) for method in ("lmlir-fixed-rate", "lmlir"))
    for again in (fixed, default):
        before = committed(records, dataset, split, again["method"])
        assert again["objective_start"] == pytest.approx(before["objective_start"], rel=1e-5)
    assert (
        default["objective"]
        < committed(records, dataset, split, "lmlir-rate-0.1")["objective"]
        < fixed["objective"]
    )
    assert fixed["objective"] < fixed["objective_start"]


@pytest.mark.parametrize("method", ["lmlir-fixed-rate", "lmlir"])
def test_learning_again_on_monk1_gains_ten_points_over_euclid(records, method):
    euclidean = committed(records, "monk1", 0, "euclidean")["accuracy"]
    assert run_again("monk1", 0, method)["accuracy"] >= euclidean + 0.1


LEARNERS = ["gmml", "rvml", "nca", "lmnn", "mcml-rotation", "logistic", "svm"]


@pytest.mark.parametrize(
    ("dataset", "method"), [*product(["monk1", "wdbc"], LEARNERS), ("wdbc", "knn")]
)
def test_a_new_run_of_the_rivals_gives_the_numbers_of_the_file(rivals, dataset, method):
    """With the kept values.

    On one machine the very same; elsewhere the last bit of a sum may choose among equal neighbors.

    Monk1 has many equal neighbors: with other last bits, the accuracy of k-NN changes by five
    points.
    """
    for split in (0, 7):
        again = run_again(dataset, split, method)
        before = committed(rivals, dataset, split, method)
        for field in ("accuracy", "fair", "accuracy_eq10"):
            assert again.get(field, 0) == pytest.approx(before.get(field, 0), abs=0.01)


def test_the_fixed_rate_reproduces_the_last_column_on_13_of_14_data_sets(records):
    """German's mean is more than one of the paper's deviations off: above the paper's."""
    assert set(data.NAMES) - set(findings.within_one_deviation(records)) == {"german"}
    assert (
        min(row.deviations_off("lmlir-fixed-rate") for row in statistics.last_column(records)) >= -1
    )


def test_no_run_of_the_fixed_rate_explodes(records):
    """A metric that a step cannot tell from zero is zero: if its rest stayed, the slope of a length
    could be enormous.

    Version 1.0.0 kept such rests, and runs on German ended at an objective of 1e15.
    """
    more = runner.read_records(RESULTS / "fixed-rate-30-splits.jsonl")
    runs = [record for record in records + more if record["method"] == "lmlir-fixed-rate"]
    assert len(runs) == 140 + 420
    assert max(record["objective"] for record in runs) < 100


def test_the_first_ten_of_thirty_splits_are_those_of_the_run(records):
    """The two files keep the same numbers."""
    more = runner.read_records(RESULTS / "fixed-rate-30-splits.jsonl")
    first = {runner.key_of(record): record for record in more if record["split"] < 10}
    for key, record in first.items():
        run = committed(records, *key)
        assert all(run[field] == value for field, value in record.items())
    assert len(first) == 140


def test_other_splits_move_that_count():
    """Three blocks of ten splits, of which the first is the committed run; over all thirty, German
    alone is above.
    """
    more = runner.read_records(RESULTS / "fixed-rate-30-splits.jsonl")
    assert findings.within_by_blocks(more) == [13, 12, 12]
    assert set(data.NAMES) - set(findings.within_one_deviation(more)) == {"german"}


def test_the_default_learner_is_nowhere_far_below_the_paper_and_never_raises_the_objective(records):
    assert min(row.deviations_off("lmlir") for row in statistics.last_column(records)) >= -1
    fits = [record for record in records if record["method"] == "lmlir"]
    assert len(fits) == 140
    assert all(fit["rises"] == 0 and fit["objective"] < fit["objective_start"] for fit in fits)


def test_the_default_learner_ends_about_as_low_as_600_small_steps(records):
    """On the mean of nearly every data set lower; on no split higher by much more than a
    percent.
    """
    fast, slow = (
        {(r["dataset"], r["split"]): r["objective"] for r in records if r["method"] == method}
        for method in ("lmlir", "lmlir-rate-0.1")
    )
    assert {name for name, _ in slow} == set(data.NAMES)
    assert all(fast[key] <= 1.011 * slow[key] for key in slow)
    assert sum(fast[key] > slow[key] for key in slow) <= 10
    assert len(slow) == 42
    gaps = [
        findings.differences(records, "lmlir", other, "objective")
        for other in ("lmlir-fixed-rate", "lmlir-rate-0.1")
    ]
    assert all(d.mean < 0 for d in gaps[0].values())
    assert sum(d.mean < 0 for d in gaps[1].values()) >= 10
    assert max(d.mean for d in gaps[1].values()) < 0.02


def test_learning_helps_on_one_data_set_or_two_and_hurts_on_none(records):
    """As far as ten splits can tell, on Monk1; on German the interval begins near 0.

    On Vote it gains 2.7 points, but the interval holds 0.
    """
    found = findings.gains(records)
    assert {"monk1"} <= set(found["better"]) <= {"german", "monk1"}
    assert found["worse"] == []
    on_german = statistics.paired_difference(records, "german", "lmlir", "euclidean")
    assert 1 < on_german.mean < 2
    assert abs(on_german.low) < 0.2
    on_vote = statistics.paired_difference(records, "vote", "lmlir", "euclidean")
    assert 2 < on_vote.mean < 4
    assert -1 < on_vote.low < 0


def test_only_one_column_of_table_5_is_as_near_to_1_nn_as_other_splits(records):
    """MCML; the other three that are nearest to 1-NN differ by more than splits explain."""
    apart = {column: findings.mean_squared_z(records, column, "knn-1") for column in METHODS}
    assert sorted(apart, key=apart.get)[:4] == ["MCML", "ITML", "LMNN", "NCA"]
    assert apart["MCML"] < 1.3
    assert min(value for column, value in apart.items() if column != "MCML") > 3


def test_regions_gain_little_over_one_metric(records):
    """Less than a point in the mean, clearly on no data set; the metrics matter more than the
    regions do.
    """
    assert findings.gains(records, "lmlir", "global-metric")["neither"] == list(data.NAMES)
    gain = {
        o: findings.mean_gain(records, "lmlir", o)
        for o in ("global-metric", "metrics-only", "regions-only")
    }
    assert 0 < gain["global-metric"] < 0.7
    assert 0 < gain["metrics-only"] < 0.7 < gain["regions-only"] < 3
    assert [findings.gains(records, "lmlir", o)["worse"] for o in gain] == [[], [], []]


def test_regions_die_at_the_fixed_rate_and_pile_up_with_the_default_learner(records):
    fixed, default = (
        findings.learned_regions(records, method) for method in ("lmlir-fixed-rate", "lmlir")
    )
    assert len(fixed.all_dead) >= 7
    assert default.all_dead == []
    assert default.no_background == default.overlapping == list(data.NAMES)


def test_dead_regions_do_harm_on_monk1_alone(records):
    """With the fixed rate; the default learner leaves no dead region."""
    gains = {
        m: findings.gain_without_dead_regions(records, m) for m in ("lmlir-fixed-rate", "lmlir")
    }
    large = {
        m: [name for name, gain in table.items() if abs(gain.mean) >= 0.5]
        for m, table in gains.items()
    }
    assert large == {"lmlir-fixed-rate": ["monk1"], "lmlir": []}
    assert gains["lmlir-fixed-rate"]["monk1"].mean > 1


def test_only_one_of_three_printed_mistakes_shows_in_the_accuracy(records):
    """E2 on most data sets; E3 nowhere, not even in the objective; E4 in the objective alone."""
    seen = findings.seen_mistakes(records)
    assert len(seen["E2"].in_accuracy) >= 10
    assert seen["E3"].in_accuracy == seen["E4"].in_accuracy == []
    assert seen["E3"].in_objective == []
    assert len(seen["E4"].in_objective) >= 5


def test_unit_length_costs_twenty_points_on_fourclass_and_little_elsewhere(records):
    """E32, with nothing learned. What the preprocessing sees of the test part matters nowhere."""
    cost = findings.differences(records, "euclidean-standardized", "euclidean")
    assert [name for name, d in cost.items() if d.clear] == ["fourclass"]
    assert 20 < cost["fourclass"].mean < 21
    peek = findings.differences(records, "euclidean-train-part", "euclidean")
    assert not any(d.clear for d in peek.values())
    assert max(abs(d.mean) for d in peek.values()) < 0.3


def test_the_larger_class_wins_on_three_data_sets(records):
    assert findings.below_majority(records) == ["haberman", "ilpd", "planning"]
