"""Monk1's repeated rows (E25): the committed counts agree with the committed run, and come out
again.
"""

import numpy as np
import pytest

from book.studies import leak
from book.studies.__main__ import main
from book.studies.results import RESULTS, read_lines
from lmlir.experiments import statistics


@pytest.fixture(scope="module")
def counts():
    return read_lines(leak.OUT)


def test_known_and_new_rows_make_up_the_accuracy_of_the_run(counts):
    """Right answers on both kinds of rows, over the rows of both, are the accuracies of
    `experiment.jsonl`.
    """
    runner = pytest.importorskip(
        "lmlir.experiments.runner", reason="the experiment needs joblib and tqdm"
    )
    run = runner.read_records(RESULTS / "experiment.jsonl")
    for method in leak.COMPARED:
        accuracies = statistics.values_of(run, "monk1", method)
        found = {
            r["split"]: np.divide(*np.sum([r["known"], r["new"]], axis=0))
            for r in counts
            if r["method"] == method
        }
        assert found == pytest.approx(accuracies, abs=1e-6)
        assert len(found) == 10


def test_two_methods_give_the_committed_counts_again(counts):
    """Nothing is learned in these two, so every processor gives the same."""
    for method in ("knn-1", "euclidean"):
        assert leak.record(3, method) == next(
            r for r in counts if (r["method"], r["split"]) == (method, 3)
        )


def test_a_quarter_of_the_test_rows_is_known_and_one_neighbor_never_errs_on_them(counts):
    """E25: 26 percent of the test rows; on new rows the learned distance keeps its lead."""
    one = leak.shares(counts, "knn-1")
    learned = leak.shares(counts, "lmlir")
    assert 24 < one["share"] < 29
    assert one["known"] == 100
    assert one["new"] < 75
    assert learned["new"] > 95
    assert leak.shares(counts, "euclidean")["new"] < 76


def test_the_lines_are_written_for_every_split_and_method(tmp_path, monkeypatch):
    monkeypatch.setattr(leak, "COMPARED", ("majority",))
    assert main(["leak", "--out", str(tmp_path / "lines.jsonl")]) == 0
    lines = read_lines(tmp_path / "lines.jsonl")
    assert [line["split"] for line in lines] == list(range(10))
    # 40 % of 556, rounded up
    assert all(line["known"][1] + line["new"][1] == 223 for line in lines)
