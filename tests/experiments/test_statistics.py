"""Means, paired differences and summaries of fits, from records that were made up."""

import math

import pytest

from lmlir.experiments import statistics
from tests.experiments.made_up import made_up


def test_a_paired_difference_has_the_corrected_interval():
    """By hand: differences 1, 2, 3 points; WDBC has 228 test and 341 training rows; t(0.975, 2) =
    4.302653.
    """
    records = made_up("wdbc", "lmlir", [0.91, 0.93, 0.95]) + made_up(
        "wdbc", "euclidean", [0.90, 0.91, 0.92]
    )
    difference = statistics.paired_difference(records, "wdbc", "lmlir", "euclidean")
    error = math.sqrt(1 / 3 + 228 / 341)
    half = 4.302653 * error
    assert difference[:4] == pytest.approx((2, 2 - half, 2 + half, 3), rel=1e-6)
    assert not difference.clear
    for mean in (half, -half):
        found = statistics.t_interval(mean, error, 3)
        assert found.p == pytest.approx(0.05, abs=1e-6)
        assert min(abs(found.low), abs(found.high)) < 1e-5


def test_only_common_splits_are_paired():
    records = made_up("wdbc", "lmlir", [0.91, 0.93, 0.95]) + made_up("wdbc", "euclidean", [0.90])
    difference = statistics.paired_difference(records, "wdbc", "lmlir", "euclidean")
    assert difference.n == 1
    assert math.isclose(difference.mean, 1)
    assert not difference.clear
    assert statistics.paired_difference(records, "wdbc", "lmlir", "knn-1").n == 0


def test_a_dead_region_is_one_that_measures_almost_nothing():
    more = {
        "covered_start": 0.9,
        "covered": 0.5,
        "counted_start": 2.0,
        "counted": 0.5,
    }
    records = made_up("monk1", "lmlir", [0.9], shares=[0.5, 0.5, 0.0, 0.009, 0.0], **more)
    records += [
        {**r, "split": 1}
        for r in made_up("monk1", "lmlir", [0.9], shares=[0.001, 0.3, 0.3, 0.3, 0.1], **more)
    ]
    regions = statistics.region_summaries(records)["monk1"]
    assert regions == (1.5, 0.5, 0.9, 0.5, 2.0, 0.5)


def test_equal_differences_have_an_interval_of_length_0():
    """The error is 0: the interval is a point, and p is 1 where that point is 0 and 0 elsewhere."""
    assert statistics.t_interval(0.0, 0.0, 10) == (0, 0, 0, 10, 1)
    assert statistics.t_interval(0.1, 0.0, 10) == (0.1, 0.1, 0.1, 10, 0)
