"""The figures of the comparison: every cell, method and class is drawn, in its place."""

import pytest

from book.studies import views
from lmlir.experiments import comparison
from lmlir.ledger.ranks import Friedman
from lmlir.ledger.tables_4_and_5 import printed_deviation, printed_mean
from tests.experiments.made_up import made_up

figures = pytest.importorskip("book.studies.comparison_figures", reason="figures need matplotlib")


def as_printed(z):
    """One record a cell of Table 5, each so many printed deviations above what is printed, capped
    at 100 percent.
    """
    records = []
    for name, set_up in comparison.SET_UPS.items():
        for dataset in comparison.SETS:
            value = printed_mean(dataset, name) + z * printed_deviation(dataset, name)
            records += made_up(dataset, set_up.method, [value / 100])
    return comparison.scores(records)


@pytest.mark.parametrize(
    "z, marker, place, within",
    [
        (0.5, "o", 0.5, 13),
        (-1.5, "D", -1.5, 0),
        (-5, "<", -3.2, 0),
    ],
)
def test_all_of_table_5_is_drawn(z, marker, place, within):
    """Nine panels with 13 marks each, at z; beyond the edge a triangle."""
    panels = figures.table_5_figure(as_printed(z)).axes
    assert len(panels) == 9
    assert panels[0].get_title() == f"LMNN\nk = 1\n{within} of 13"
    for axes in panels:
        marks = [line for line in axes.lines if line.get_marker() == marker]
        assert [line.get_xdata()[0] for line in marks] == pytest.approx([place] * 13)


def test_the_right_method_is_a_ring_where_a_column_needs_a_fault():
    table = as_printed(0) | comparison.scores(made_up("wdbc", "itml", [0.96]))
    axes = figures.table_5_figure(table).axes[1]
    rings = [line for line in axes.lines if line.get_markerfacecolor() == "none"]
    assert [line.get_xdata()[0] for line in rings] == pytest.approx([(96 - 94.91) / 0.92])


def test_a_diagram_has_every_method_and_a_bar_for_each_group():
    """By hand: 1, 1.5 and 3 with a difference of 1.6: the bars 1 to 1.5 and 1.5 to 3."""
    panel = figures.Panel("ranks", ["a", "b", "LMLIR"], Friedman([1.5, 3.0, 1.0], 1.0, 0.5, 1.6))
    (axes,) = figures.rank_figure([panel]).axes
    texts = [text.get_text() for text in axes.texts]
    assert {"LMLIR  1.0", "a  1.5", "3.0  b", "critical difference 1.60"} <= set(texts)
    bars = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 4]
    assert [list(bar) for bar in bars] == [pytest.approx([0.93, 1.57]), pytest.approx([1.43, 3.07])]


def test_the_neighbors_are_drawn_for_every_rival():
    """Eight lines over k, each with a ring at its own k, eight to equation (10), and our level."""
    scores = {
        k: {("wdbc", m): {0: 80.0 + k + place} for place, m in enumerate(views.METRIC_LEARNERS)}
        for k in (1, 3, 5, 10)
    }
    equation_10 = {**scores[10], ("wdbc", "lmlir"): {0: 91.0}}
    (axes,) = figures.neighbors_figure(scores, equation_10).axes
    rings = [line for line in axes.lines if line.get_markerfacecolor() == "none"]
    places = {m: line.get_xdata()[0] for m, line in zip(views.METRIC_LEARNERS, rings, strict=True)}
    assert {m: [1, 3, 5, 10][place] for m, place in places.items()} == {
        **dict.fromkeys(("lmnn", "itml", "nca", "mcml", "rvml"), 1),
        **{"gmml": 5, "scml": 3, "r2lml": 5},
    }
    assert len([line for line in axes.lines if line.get_linestyle() == ":"]) == 8
    assert [text.get_text() for text in axes.texts][-1] == "LMLIR"


def test_labels_are_moved_apart_and_keep_their_order():
    places = figures.spread([3.0, 1.0, 1.0, 1.05], 0.5)
    order = sorted(places)
    assert min(b - a for a, b in zip(order, order[1:], strict=False)) >= 0.5 - 1e-5
    assert places[0] == order[3]
    assert places[3] == order[2]


def test_fourclass_is_drawn_from_its_counts():
    """Two rows of class 0 in one cell and one of class 1 in another; four sectors with two bars
    each.
    """
    counts = {
        "edge": 1.0,
        "plane": [[[2, 0], [0, 0]], [[0, 0], [0, 1]]],
        "directions": [
            [0, 1],
            [0, 0],
            [2, 0],
            [0, 0],
        ],
    }
    plane, circle = figures.fourclass_figure(counts).axes
    assert [marks.get_offsets().tolist() for marks in plane.collections] == [
        [[-0.5, -0.5]],
        [[0.5, 0.5]],
    ]
    assert len(circle.patches) == 8
