"""Means, paired differences and summaries of fits, from records that were made up."""

import math

import pytest

from lmlir.experiments import statistics
from tests.experiments.made_up import made_up


def test_a_paired_difference_has_the_corrected_interval():
    """By hand: differences 1, 2, 3 points; WDBC has 228 test and 341 training rows; t(0.975, 2) = 4.302653."""
    records = made_up("wdbc", "lmlir", [0.91, 0.93, 0.95]) + made_up("wdbc", "euclidean", [0.90, 0.91, 0.92])
    difference = statistics.paired_difference(records, "wdbc", "lmlir", "euclidean")
    half = 4.302653 * math.sqrt(1 / 3 + 228 / 341)
    assert math.isclose(difference.mean, 2) and math.isclose(difference.high - 2, half, rel_tol=1e-6)
    assert math.isclose(2 - difference.low, half, rel_tol=1e-6) and difference.n == 3 and not difference.clear


def test_only_common_splits_are_paired():
    records = made_up("wdbc", "lmlir", [0.91, 0.93, 0.95]) + made_up("wdbc", "euclidean", [0.90])
    difference = statistics.paired_difference(records, "wdbc", "lmlir", "euclidean")
    assert difference.n == 1 and math.isclose(difference.mean, 1) and not difference.clear
    assert statistics.paired_difference(records, "wdbc", "lmlir", "knn-1").n == 0


def test_gains_are_clear_differences():
    records = []
    for dataset, shift in (("wdbc", 0.1), ("vote", -0.1), ("heart", 0.0)):
        records += made_up(dataset, "lmlir", [0.8 + shift, 0.81 + shift, 0.805 + shift])
        records += made_up(dataset, "euclidean", [0.8, 0.811, 0.805])
    assert statistics.gains(records) == {"better": ["wdbc"], "worse": ["vote"], "neither": ["heart"]}


def test_other_splits_are_counted_block_by_block():
    """WDBC, 97.28 ± 0.92: near in the first block of two splits, far in the second."""
    records = made_up("wdbc", "lmlir-fixed-rate", [0.97, 0.97, 0.90, 0.91])
    assert statistics.within_by_blocks(records, size=2) == [1, 0] and statistics.within_by_blocks([]) == []


def test_a_dead_region_is_one_that_measures_almost_nothing():
    more = {"covered_start": 0.9, "covered": 0.5, "counted_start": 2.0, "counted": 0.5}
    records = made_up("monk1", "lmlir", [0.9], shares=[0.5, 0.5, 0.0, 0.009, 0.0], **more)
    records += [{**r, "split": 1} for r in made_up("monk1", "lmlir", [0.9], shares=[0.001, 0.3, 0.3, 0.3, 0.1], **more)]
    regions = statistics.region_summaries(records)["monk1"]
    assert regions == (1.5, 0.5, 0.9, 0.5, 2.0, 0.5)
    assert statistics.mean_shares(records, "monk1", "lmlir") == pytest.approx([0.2505, 0.4, 0.1545, 0.15, 0.05])


def test_the_gain_without_dead_regions_is_the_mean_over_the_splits_that_have_it():
    records = made_up("monk1", "lmlir", [0.90, 0.94], accuracy_without_dead=0.95) + made_up("wdbc", "lmlir", [0.9])
    gain = statistics.gain_without_dead_regions(records)
    assert list(gain) == ["monk1"] and math.isclose(gain["monk1"].mean, 3) and gain["monk1"].n == 2


def test_objectives_are_compared_on_the_same_splits():
    records = made_up("monk1", "lmlir", [1, 1], objective=0.8) + made_up("monk1", "lmlir-rate-0.1", [1], objective=0.9)
    records[1]["objective"] = 5.0  # split 1 has no counterpart
    assert statistics.lower_objective(records) == {"monk1": True}
    assert statistics.differences(records, "lmlir", "lmlir-rate-0.1", "objective")["monk1"].mean == pytest.approx(-0.1)
    records[0]["objective"] = 0.95
    assert statistics.lower_objective(records) == {"monk1": False}
