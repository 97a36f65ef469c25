"""The benchmark: its arithmetic, what it saved, and how that is shown.

It is run by `make bench`, not here.
"""

import json
import math
import os
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="the experiments need scikit-learn")

from book.studies import bench
from book.studies.__main__ import main
from book.studies.results import RESULTS
from lmlir import subject, vectorized


@pytest.fixture(scope="module")
def saved():
    return json.loads((RESULTS / "bench.json").read_text())


def test_the_exponent_is_the_slope_on_logarithmic_axes():
    """t = 5 n^1.5 has the slope 1.5, whatever the unit of time."""
    sizes = np.array([3.0, 10.0, 50.0, 400.0])
    assert bench.exponent(sizes, 5 * sizes**1.5) == pytest.approx(1.5, abs=1e-12)


@pytest.mark.parametrize("at_least", [True, False])
def test_a_target_is_reached_on_the_right_side_of_its_limit(at_least):
    reached = [
        bench.row("what", measured, 500, at_least, "unit")["reached"] for measured in (501, 499)
    ]
    assert reached == [at_least, not at_least]


def test_a_ratio_compares_two_tasks():
    """Ten times the work takes more than twice the time, even on a busy machine."""
    numbers = np.arange(20000)[::-1] % 977
    assert (
        bench.ratio(lambda: [np.sort(numbers) for _ in range(10)], lambda: np.sort(numbers), 5) > 2
    )


def test_a_speedup_compares_the_shortest_tries(monkeypatch):
    """6, 8 and 5 seconds by one thread, 4, 2 and 5 by two: 5 / 2, and the median of 3/2, 4 and 1
    stands in the note.
    """
    times = iter([6.0, 4.0, 8.0, 2.0, 5.0, 5.0])
    monkeypatch.setattr(bench, "elapsed", lambda task: next(times))
    found = bench.speedup_row("work", None, None, 3)
    assert found["measured"] == 2.5
    assert found["reached"]
    assert "the median of their ratios is 1.50" in found["note"]


def test_without_numba_nothing_compiled_is_measured(monkeypatch):
    monkeypatch.setattr(bench, "has_numba", lambda: False)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.arange(40) % 2
    assert bench.compiled_rows(X, y, 1) == []
    assert [row["what"] for row in bench.thread_targets(X, y, 40, 1)] == [
        "decision values, 40 x 40: two threads against one"
    ]


def test_the_reference_and_the_twin_are_given_the_same_work():
    """All nine functions, and on the same pairs they give the same numbers."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20, 3))
    pairs = rng.integers(0, 20, size=(6, 2))
    Theta = bench.random_parameters(3, 2, 0.5)
    slow, fast = (
        bench.interface_tasks(module, X, pairs, 20, Theta) for module in (subject, vectorized)
    )
    assert list(slow) == [function.__name__ for function in subject.FUNCTIONS] == list(fast)
    for name, (task, count) in slow.items():
        other, other_count = fast[name]
        assert (
            count == other_count == (400 if name in ("cross_distances", "decision_values") else 6)
        )
        answers = (
            answer if isinstance(answer, tuple) else (answer,) for answer in (task(), other())
        )
        assert all(np.allclose(one, two) for one, two in zip(*answers, strict=True)), name


def test_the_time_of_a_training_is_divided_among_its_parts():
    rng = np.random.default_rng(0)
    shares = bench.training_shares(rng.normal(size=(60, 3)), np.arange(60) % 2)
    assert sum(shares.values()) == pytest.approx(100)
    assert shares["steps"] > shares["pairs"]


def test_a_large_set_is_german_many_times_with_a_little_noise():
    """Every copy has the labels of the first, and no number moves by more than six deviations of
    the noise.
    """
    X, y, name = bench.german(whole=True)
    many, labels = bench.large_data(3)
    assert len(X) == 1000
    assert many.shape == (3000, 24)
    assert np.array_equal(labels.reshape(3, -1), [y, y, y])
    assert 0 < np.abs(many.reshape(3, *X.shape) - X).max() < 0.06


def test_a_fresh_process_returns_its_result_and_one_that_ends_early_is_an_error():
    assert bench.in_fresh_process(math.hypot, 3.0, 4.0) == 5.0
    with pytest.raises(BrokenProcessPool):
        bench.in_fresh_process(os._exit, 3)


def test_a_large_fit_reports_its_time_and_its_memory(monkeypatch):
    """Steps within the limit of the rule; the data are smaller than those of a measurement."""
    small = np.random.default_rng(0).normal(size=(220, 3)), np.arange(220) % 2
    monkeypatch.setattr(bench, "large_data", lambda copies: small)
    found = bench.large_fit(1)
    assert 0 < found["minutes"] < 30
    assert 0 < found["steps"] <= 600
    assert found["growth"] >= 0


def test_a_run_keeps_the_large_fit_of_the_file_and_a_large_fit_keeps_the_run(
    tmp_path, monkeypatch, capsys
):
    """The large fit is measured apart: each of the two replaces its own part of the file."""
    parts = ("targets", "floors", "speedups", "growth")
    monkeypatch.setattr(bench, "measure", lambda quick, progress: {part: [] for part in parts})
    monkeypatch.setattr(
        bench, "large_rows", lambda copies: [bench.row(f"{copies} copies", 1, 2, False, "MiB")]
    )
    out = tmp_path / "bench.json"
    for arguments, rows in (([], []), (["--large"], ["50 copies"]), ([], ["50 copies"])):
        assert main(["bench", "--out", str(out), *arguments]) == 0
        assert [row["what"] for row in json.loads(out.read_text())["large"]] == rows
    assert "50 copies" in capsys.readouterr().out


def test_the_saved_run_says_which_targets_it_reached(saved):
    """What the book says about speed is what was measured, on the full sizes; a missed target says
    so.
    """
    assert not saved["machine"]["quick"]
    assert len(saved["targets"]) == 7
    assert len(saved["large"]) == 2
    for row in saved["targets"] + saved["large"]:
        sign, limit = row["target"].split()
        reached = (
            row["measured"] >= float(limit) if sign == ">=" else row["measured"] <= float(limit)
        )
        assert row["reached"] is reached, row


def test_the_saved_run_grows_as_promised(saved):
    """Linear in pairs, regions and neighbors, at most quadratic in features and rows; 0.15 is what
    a fit may err.
    """
    found = {(curve["what"], curve["with"]) for curve in saved["growth"]}
    assert found == {
        *(
            (what, grows)
            for what in ("gradient", "cross distances")
            for grows in ("pairs", "features", "regions")
        ),
        *(("training", grows) for grows in ("rows", "features", "regions", "neighbors")),
    }
    for curve in saved["growth"]:
        assert curve["exponent"] <= curve["at_most"] + 0.15
        assert bench.exponent(curve["sizes"], curve["times"]) == pytest.approx(
            curve["exponent"], abs=1e-9
        )


def test_every_function_is_in_the_table_and_the_table_in_the_text(saved):
    """Nine functions of the interface, each some hundred times faster than the reference."""
    names = [row["what"] for row in saved["speedups"]]
    assert len(set(names)) == 9
    assert all(row["measured"] > 100 for row in saved["speedups"])
    text = bench.as_text(saved)
    assert all(name in text for name in names)


def test_the_figure_shows_every_curve(saved):
    """One panel for each quantity that grows, exponents in the legends."""
    figure = bench.growth_figure(saved)
    assert [len(axes.get_lines()) for axes in figure.axes] == [2, 3, 3, 1, 1]
    assert (
        f"{saved['growth'][0]['exponent']:.2f}"
        in figure.axes[0].get_legend().get_texts()[0].get_text()
    )
