"""The figures of the experiment: every data set is drawn, in its place."""

import pytest

from tests.experiments.made_up import made_up

figures = pytest.importorskip("book.studies.experiment_figures", reason="figures need matplotlib")

FIT = {
    "shares_start": [0.1, 0.9],
    "shares": [0.0, 1.0],
    "covered_start": 0.9,
    "covered": 1.0,
    "counted_start": 1.8,
    "counted": 1.2,
    "trace": [[0, 2.0], [10, 1.0]],
}
RECORDS = made_up("monk1", "lmlir", [0.9, 0.8], **FIT) + made_up("wdbc", "euclidean", [0.9])


def test_the_mean_accuracy_is_drawn_on_the_line_of_its_data_set():
    """Monk1 above WDBC; a method that was not run on a data set has no mark there."""
    (axes,) = figures.accuracy_figure(RECORDS).axes
    (marks,) = [line for line in axes.lines if line.get_label() == "lmlir"]
    assert marks.get_xdata() == pytest.approx([85.0, float("nan")], nan_ok=True)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["monk1", "wdbc"]


def test_the_objective_is_drawn_from_step_1_on_a_logarithmic_axis():
    """The trace [[0, 2], [10, 1]] goes from (1, 2) to (11, 1)."""
    panel = figures.objective_figure(RECORDS).axes[0]
    assert panel.lines[0].get_xdata().tolist() == [1, 11]
    assert panel.lines[0].get_ydata().tolist() == [2, 1]
    assert panel.get_xscale() == "log"


def test_the_shares_of_length_are_drawn_before_and_after_learning():
    """Background, then regions: 0.1 and 0.9 at the start, 0 and 1 after learning."""
    start, end, overlap = figures.shares_figure(RECORDS).axes
    for axes, shares in ((start, FIT["shares_start"]), (end, FIT["shares"])):
        widths = [bars[0].get_width() for bars in axes.containers]
        assert widths[:2] == pytest.approx(shares)
    assert overlap.lines[1].get_xdata() == pytest.approx([1.8])


def test_shares_are_means_over_the_splits_with_the_regions_by_size():
    """The regions of every split are sorted before the mean is taken."""
    records = made_up("monk1", "lmlir", [0.9], shares=[0.5, 0.5, 0.0, 0.009, 0.0])
    records += made_up("monk1", "lmlir", [0.9], shares=[0.001, 0.3, 0.3, 0.3, 0.1])
    shares = figures.mean_shares(records, "monk1", "lmlir", "shares")
    assert shares == pytest.approx([0.2505, 0.4, 0.1545, 0.15, 0.05])
