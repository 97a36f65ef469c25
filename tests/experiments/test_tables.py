"""The tables of the experiment, and the report."""

import pytest

from lmlir.experiments import statistics, tables
from tests.experiments.made_up import made_up


def test_the_table_marks_means_beyond_one_deviation():
    """The paper has Monk1 96.46 ± 2.96 and WDBC 97.28 ± 0.92."""
    records = made_up("monk1", "lmlir", [0.95, 0.96]) + made_up("wdbc", "lmlir", [0.95, 0.96])
    off = {row.dataset: row.deviations_off("lmlir") for row in statistics.last_column(records)}
    assert off == pytest.approx({"monk1": (95.5 - 96.46) / 2.96, "wdbc": (95.5 - 97.28) / 0.92})
    _, rows = tables.comparison_table(records)
    assert rows[0] == ["monk1", "96.46 ± 2.96", "95.50 ± 0.71"]
    assert rows[1][-1] == "95.50 ± 0.71*"


def test_the_report_is_text_even_for_one_record():
    text = tables.report(made_up("monk1", "majority", [0.5]))
    assert "monk1  96.46 ± 2.96     50.00" in text


def test_the_report_has_every_table_that_its_records_allow():
    """By hand: the differences are 1, 2 and 3 points, the interval is that of `test_statistics`; 4
    of 5 shares are dead.
    """
    fit = {
        "shares": [0.0, 1.0, 0.0, 0.0, 0.0],
        "covered_start": 0.9,
        "covered": 0.5,
        "counted_start": 2,
        "counted": 1.25,
    }
    records = made_up("wdbc", "lmlir", [0.91, 0.93, 0.95], **fit) + made_up(
        "wdbc", "euclidean", [0.90, 0.91, 0.92]
    )
    text = " ".join(tables.report(records).split())
    assert "wdbc +2.00 [-2.31, +6.31]" in text
    assert "wdbc 3.0 100 % 0.90 -> 0.50 2.00 -> 1.25" in text
    assert "lmlir - euclidean" in text
    assert "lmlir - knn-10" not in text


def test_a_clear_difference_is_marked():
    records = made_up("wdbc", "lmlir", [0.95, 0.95]) + made_up("wdbc", "euclidean", [0.90, 0.90])
    assert tables.difference_table(records, [("lmlir", "euclidean")])[1] == [
        ["wdbc", "+5.00 [+5.00, +5.00]!"]
    ]


@pytest.mark.parametrize(
    ("rival", "expected"),
    [
        ([0.90], "+5.00"),
        ([], "-"),
    ],
)
def test_a_difference_on_fewer_than_two_splits_has_no_interval(rival, expected):
    records = made_up("wdbc", "lmlir", [0.95]) + made_up("wdbc", "euclidean", rival)
    assert tables.difference_table(records, [("lmlir", "euclidean")])[1] == [["wdbc", expected]]
