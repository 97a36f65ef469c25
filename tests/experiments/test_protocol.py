"""The protocol of section 6, and what is computed from the records."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit

from lmlir import classifier, learning
from lmlir.experiments import analysis, data, protocol
from lmlir.scalars import Parameters

# ---------------------------------------------------------------------------------------- preprocessing and splits


def test_standardized_columns_have_mean_0_and_deviation_1():
    X = np.random.default_rng(0).normal(5, 3, size=(40, 3))
    Z = protocol.standardized(X)
    assert np.allclose(Z.mean(axis=0), 0) and np.allclose((Z**2).mean(axis=0), 1)


def test_the_training_part_alone_can_set_mean_and_deviation():
    """Choice C10."""
    X = np.array([[0.0], [2.0], [100.0]])
    y = np.array([0, 1, 1])
    part = protocol.prepared(X, y, (np.array([0, 1]), np.array([2])), "train", unit=False)
    assert part.X_train.ravel().tolist() == [-1, 1] and part.X_test.ravel().tolist() == [99]
    assert part.y_train.tolist() == [-1, 1]
    with pytest.raises(ValueError, match="'all' or 'train', got 'test'"):
        protocol.prepared(X, y, (np.array([0, 1]), np.array([2])), "test")


def test_every_instance_has_unit_length_after_the_preprocessing():
    monk1 = data.load("monk1")
    part = protocol.prepared(monk1.X, monk1.y, protocol.split_rows(556, 0), "all")
    lengths = np.linalg.norm(np.vstack([part.X_train, part.X_test]), axis=1)
    assert len(lengths) == 556 and np.allclose(lengths, 1)


@pytest.mark.parametrize("n, n_test", [(683, 274), (690, 276), (306, 123), (1000, 400), (182, 73), (583, 234)])
def test_the_test_part_is_40_percent_rounded_up(n, n_test):
    """E17: Breastcancer's means fit 274 rows, Haberman's 123, Planning's 73, ILPD's 234."""
    train, test = protocol.split_rows(n, 3)
    assert len(test) == n_test and sorted([*train, *test]) == list(range(n))


def test_splits_differ_by_number_and_seed_and_are_scikit_learns_own():
    """Choice C11. Anybody can draw them again; Diabetes and Pima, one data set (E10), get the same."""
    one = protocol.split_rows(768, 4)[1].tolist()
    assert one == protocol.split_rows(768, 4)[1].tolist()
    assert all(one != rows[1].tolist() for rows in [protocol.split_rows(768, 5), protocol.split_rows(768, 4, seed=1)])
    drawn = next(ShuffleSplit(1, test_size=0.4, random_state=4).split(np.zeros((768, 1))))
    assert [sorted(rows.tolist()) for rows in drawn] == [rows.tolist() for rows in protocol.split_rows(768, 4)]


# --------------------------------------------------------------------------------------------------------- methods


@pytest.fixture
def part():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=50) > 0).astype(int)
    return protocol.prepared(X, y, (np.arange(30), np.arange(30, 50)), "all")


def test_the_euclidean_method_is_equation_10_in_loops(part):
    predicted, _ = protocol.euclidean(part, 0)
    minus, plus = (part.X_train[part.y_train == sign].tolist() for sign in (-1, 1))
    Theta = protocol.euclidean_parameters(3)
    expected = [classifier.predict(x, minus, plus, 10, *Theta) for x in part.X_test.tolist()]
    assert predicted.tolist() == expected and len(set(expected)) == 2


def test_the_majority_is_that_of_the_training_part(part):
    plus = part._replace(y_train=np.array([1, 1, -1] * 10))
    assert set(protocol.majority(plus, 0)[0]) == {1}
    assert set(protocol.majority(plus._replace(y_train=np.array([1, -1] * 15)), 0)[0]) == {-1}


def test_nearest_neighbors_vote(part):
    pytest.importorskip("sklearn", reason="k-NN is scikit-learn's")
    predicted, _ = protocol.nearest_neighbors(5)(part, 0)
    for x, sign in zip(part.X_test, predicted, strict=True):
        near = np.argsort(np.linalg.norm(part.X_train - x, axis=1))[:5]
        assert sign == np.sign(part.y_train[near].sum())


def test_a_dead_region_is_a_hole(part):
    """A ball with metric 0 that no training pair meets makes far points near: the record shows the accuracy without it."""
    F = part.X_train.shape[1]
    hole = Parameters(np.zeros((1, F)), np.array([0.5]), np.zeros((1, F, F)), np.eye(F))
    near = np.array([[i, i] for i in range(3)])  # pairs that meet no ball: a point with itself
    trace = SimpleNamespace(objective=[2.0, 1.5, 1.6])
    fit = learning.Learned(hole, hole, trace, "made up", part.X_train, near, near)
    record = protocol.fit_record(part, fit)
    bare, _ = protocol.euclidean(part, 0)
    assert record["accuracy_without_dead"] == np.mean(bare == part.y_test)
    assert np.any(protocol.predictions(part, hole) != bare)
    assert record["rises"] == 1 and record["objective"] == 1.6 and record["steps"] == 2
    assert record["radii"] == [0.5] and len(record["shares"]) == 2


def test_a_learned_record_tells_what_became_of_the_regions():
    """One real fit with the paper's rule: shares add up, start and end differ, the trace is in the first split only."""
    monk1 = data.load("monk1")
    record = protocol.run_task("monk1", monk1.X, monk1.y, 0, "lmlir-fixed-rate", protocol.Settings())
    assert record["steps"] == 60 and record["objective"] < record["objective_start"]
    assert math.isclose(sum(record["shares"]), 1, abs_tol=0.01) and len(record["shares"]) == 5
    assert record["trace"][0] == [0, record["objective_start"]] and record["trace"][-1] == [60, record["objective"]]
    assert len(record["radii"]) == 4 and len(record["norms"]) == 5 and record["warnings"]


def test_a_thinned_trace_keeps_both_ends():
    values = [float(v) for v in range(1000, 0, -1)]
    trace = protocol.thinned(values)
    assert trace[0] == [0, 1000.0] and trace[-1] == [999, 1.0] and len(trace) <= 40
    assert all(values[step] == value for step, value in trace)
    assert protocol.thinned([7.0]) == [[0, 7.0]]


def test_a_record_is_the_same_whenever_it_is_made():
    monk1 = data.load("monk1")
    records = [protocol.run_task("monk1", monk1.X, monk1.y, 2, "euclidean", protocol.Settings()) for _ in range(2)]
    for record in records:
        record.pop("seconds")
    assert records[0] == records[1]
    assert {"dataset", "split", "method", "accuracy"} <= set(records[0])
    right = records[0]["accuracy"] * records[0]["tested"]
    assert records[0]["tested"] == 223 and math.isclose(right, round(right), abs_tol=1e-3)


def test_date_and_versions_are_in_the_records_of_the_first_split():
    monk1 = data.load("monk1")
    first = protocol.run_task("monk1", monk1.X, monk1.y, 0, "majority", protocol.Settings(preprocessing="train"))
    assert {"date", "lmlir", "python", "numpy", "scipy"} <= set(first["run"]) and first["preprocessing"] == "train"
    assert first["seed"] == 0


def test_every_method_of_the_experiment_is_there():
    names = "lmlir lmlir-fixed-rate majority euclidean global-metric metrics-only regions-only printed-E2 printed-E3 "
    names += "printed-E4 knn-1 knn-5 knn-10 nca-knn lmlir-rate-0.1"
    assert set(names.split()) <= set(protocol.METHODS)


# ----------------------------------------------------------------------------------------- against Table 5, and noise


def test_other_splits_tell_the_noise():
    """By hand: Monk1's two blocks of ten have means 96 and 90, and only the first is near the paper's 96.46 ± 2.96."""
    records = made_up("monk1", "lmlir-fixed-rate", [0.95, 0.97] * 5 + [0.9] * 10)
    assert analysis.block_means(records, "monk1", "lmlir-fixed-rate") == pytest.approx([96, 90])
    text = analysis.noise_finding(records).text
    assert "on any data set by up to 6.00; from 2 times ten splits" in text
    assert "deviations is 1 and 0 of 1." in text
    assert "ten splits" not in analysis.noise_finding(records[:10]).text


# ---------------------------------------------------------------------------------------------------------- records


def made_up(dataset, method, values, **more):
    return [
        {"dataset": dataset, "split": split, "method": method, "accuracy": value, **more}
        for split, value in enumerate(values)
    ]


def test_a_paired_difference_has_the_corrected_interval():
    """By hand: differences 1, 2, 3 points; WDBC has 228 test and 341 training rows; t(0.975, 2) = 4.302653."""
    records = made_up("wdbc", "lmlir", [0.91, 0.93, 0.95]) + made_up("wdbc", "euclidean", [0.90, 0.91, 0.92])
    difference = analysis.paired_difference(records, "wdbc", "lmlir", "euclidean")
    half = 4.302653 * math.sqrt(1 / 3 + 228 / 341)
    assert math.isclose(difference.mean, 2) and math.isclose(difference.high - 2, half, rel_tol=1e-6)
    assert math.isclose(2 - difference.low, half, rel_tol=1e-6) and difference.n == 3 and not difference.clear


def test_only_common_splits_are_paired():
    records = made_up("wdbc", "lmlir", [0.91, 0.93, 0.95]) + made_up("wdbc", "euclidean", [0.90])
    difference = analysis.paired_difference(records, "wdbc", "lmlir", "euclidean")
    assert difference.n == 1 and math.isclose(difference.mean, 1) and not difference.clear
    assert analysis.paired_difference(records, "wdbc", "lmlir", "knn-1").n == 0


def test_gains_are_clear_differences():
    records = []
    for dataset, shift in (("wdbc", 0.1), ("vote", -0.1), ("heart", 0.0)):
        records += made_up(dataset, "lmlir", [0.8 + shift, 0.81 + shift, 0.805 + shift])
        records += made_up(dataset, "euclidean", [0.8, 0.811, 0.805])
    assert analysis.gains(records) == {"better": ["wdbc"], "worse": ["vote"], "neither": ["heart"]}


def test_the_table_marks_means_beyond_one_deviation():
    """The paper has Monk1 96.46 ± 2.96 and WDBC 97.28 ± 0.92."""
    records = made_up("monk1", "lmlir", [0.95, 0.96]) + made_up("wdbc", "lmlir", [0.95, 0.96])
    assert analysis.within_one_deviation(records, "lmlir") == ["monk1"]
    assert analysis.more_than_one_deviation_below(records) == ["wdbc"]
    _, rows = analysis.comparison_table(records)
    assert rows[0] == ["monk1", "96.46 ± 2.96", "95.50 ± 0.71"] and rows[1][-1] == "95.50 ± 0.71*"


def test_other_splits_are_counted_block_by_block():
    """WDBC, 97.28 ± 0.92: near in the first block of two splits, far in the second."""
    records = made_up("wdbc", "lmlir-fixed-rate", [0.97, 0.97, 0.90, 0.91])
    assert analysis.within_by_blocks(records, size=2) == [1, 0] and analysis.within_by_blocks([]) == []


def test_a_dead_region_is_one_that_measures_almost_nothing():
    more = {"covered_start": 0.9, "covered": 0.5, "counted_start": 2.0, "counted": 0.5}
    records = made_up("monk1", "lmlir", [0.9], shares=[0.5, 0.5, 0.0, 0.009, 0.0], **more)
    records += [{**r, "split": 1} for r in made_up("monk1", "lmlir", [0.9], shares=[0.001, 0.3, 0.3, 0.3, 0.1], **more)]
    fate = analysis.fates(records)["monk1"]
    assert fate.dead_regions == 1.5 and fate.dead_background == 0.5 and fate.counted_start == 2.0
    assert analysis.mean_shares(records, "monk1", "lmlir") == pytest.approx([0.2505, 0.4, 0.1545, 0.15, 0.05])


def test_the_cost_of_holes_is_what_their_removal_brings():
    records = made_up("monk1", "lmlir", [0.90, 0.94], accuracy_without_dead=0.95) + made_up("wdbc", "lmlir", [0.9])
    cost = analysis.hole_cost(records)
    assert list(cost) == ["monk1"] and math.isclose(cost["monk1"].mean, 3) and cost["monk1"].n == 2


def test_objectives_are_compared_on_the_same_splits():
    records = made_up("monk1", "lmlir", [1, 1], objective=0.8) + made_up("monk1", "lmlir-rate-0.1", [1], objective=0.9)
    records[1]["objective"] = 5.0  # split 1 has no counterpart
    assert analysis.lower_objective(records) == {"monk1": True}
    assert analysis.objective_means(records, "lmlir") == {"monk1": 2.9}
    records[0]["objective"] = 0.95
    assert analysis.lower_objective(records) == {"monk1": False}


def test_the_gradient_check_sees_every_printed_mistake():
    """E2, E3 and E4: each makes the gradient wrong by more than a tenth of its largest entry."""
    assert analysis.gradient_error() < 1e-6
    assert all(analysis.gradient_error((mistake,)) > 0.1 for mistake in ("E2", "E3", "E4"))


def test_the_report_is_text_even_for_one_record():
    text = analysis.report(made_up("monk1", "majority", [0.5]))
    assert "monk1  96.46 ± 2.96     50.00" in text


def test_findings_without_any_run_are_the_arithmetic():
    titles = [finding.title for finding in analysis.findings([])]
    assert titles == ["How large is the noise?", "What does the arithmetic of Table 5 say?"]
    text = analysis.arithmetic_finding().text
    assert "ilpd 68.67 (ITML), ilpd 66.80 (NCA) and planning 65.20 (GMML)" in text
    assert "Of the 8 wins 2 exceed the method's own deviation (fourclass and pima)" in text


def test_findings_tell_the_side_of_a_miss():
    records = made_up("monk1", "lmlir-fixed-rate", [0.95, 0.96]) + made_up("wdbc", "lmlir-fixed-rate", [0.95, 0.96])
    records += made_up("pima", "lmlir-fixed-rate", [0.80, 0.81])
    text = analysis.reproduction_finding(records).text
    assert "on 1 of 3 data sets, above that on pima, below it on wdbc" in text


def test_too_few_splits_give_no_intervals():
    records = [r for m in ("lmlir", "global-metric", "metrics-only") for r in made_up("wdbc", m, [0.9, 0.91, 0.92])]
    records += made_up("wdbc", "regions-only", [0.8])
    text = analysis.regions_finding(records).text
    assert "Against regions-only, LMLIR gains +10.00 points on average (data sets: 1, splits: 1, too few" in text
    assert (
        "Against global-metric, LMLIR gains +0.00 points on average (data sets: 1, splits: 3); clearly on none" in text
    )


def test_figures_are_drawn_and_repeat_exactly(tmp_path):
    figures = pytest.importorskip("lmlir.experiments.figures", reason="figures need matplotlib")
    fit = {
        **{"shares_start": [0.1, 0.9], "shares": [0.0, 1.0], "covered_start": 0.9, "covered": 1.0},
        **{"counted_start": 1.8, "counted": 1.2, "trace": [[0, 2.0], [10, 1.0]]},
    }
    records = made_up("monk1", "lmlir", [0.9, 0.8], **fit) + made_up("wdbc", "euclidean", [0.9])
    one, two = (figures.draw_all(records, tmp_path / name) for name in "ab")
    assert [path.name for path in one] == ["accuracy.svg", "objective.svg", "shares.svg"]
    assert all(a.read_bytes() == b.read_bytes() and a.stat().st_size > 5000 for a, b in zip(one, two, strict=True))
