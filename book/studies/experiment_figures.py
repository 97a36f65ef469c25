"""Figures of saved results: accuracy, objective, where length is measured, and how times grow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from lmlir.experiments.protocol import Record
from lmlir.experiments.statistics import (
    datasets_in,
    last_column,
    records_of,
    region_summaries,
)

BLUE = "#0072b2"
ORANGE = "#e69f00"
GREEN = "#009e73"
GREY = "#666666"
RED = "#d55e00"
ACCURACY_MARKS = {  # method: marker and color; none relies on color alone
    "lmlir": ("o", BLUE),
    "lmlir-fixed-rate": ("s", ORANGE),
    "euclidean": ("x", GREEN),
    "majority": ("|", GREY),
}
OBJECTIVE_LINES = {
    "lmlir": ("-", BLUE),
    "lmlir-fixed-rate": ("--", ORANGE),
    "lmlir-rate-0.1": (":", GREEN),
}
SHARE_COLORS = {
    "background": "#bbbbbb",
    "region 1": "#0072b2",
    "region 2": "#56b4e9",
    "region 3": "#009e73",
    "region 4": "#f0e442",
}


def accuracy_figure(records: Sequence[Record]) -> Figure:
    """Accuracy per data set: the paper's mean and deviation as a bar, the measured means on it."""
    rows = last_column(records)
    figure = Figure(figsize=(8, 0.42 * len(rows) + 1.4), layout="constrained")
    axes = figure.subplots()
    heights = np.arange(len(rows))[::-1]
    printed = np.array([row.paper.mean for row in rows])
    deviations = np.array([row.paper.deviation for row in rows])
    axes.barh(
        heights,
        2 * deviations,
        left=printed - deviations,
        height=0.6,
        color="#dddddd",
        label="paper, one deviation",
    )
    axes.vlines(printed, heights - 0.3, heights + 0.3, color="black", label="paper, mean")
    for method, (marker, color) in ACCURACY_MARKS.items():
        means = [row.measured[method].mean if method in row.measured else np.nan for row in rows]
        axes.plot(means, heights, marker, color=color, label=method, markersize=6)
    axes.set_yticks(heights, [row.dataset for row in rows])
    axes.set_xlabel("accuracy in percent")
    axes.grid(axis="x", color="#eeeeee")
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def objective_figure(records: Sequence[Record]) -> Figure:
    """The objective against the step, first split of each data set; the step axis is logarithmic,
    beginning at 1.
    """
    names = datasets_in(records)
    n_columns = 4
    n_rows = -(-len(names) // n_columns)
    figure = Figure(figsize=(9, 1.9 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    in_legend = set()
    for axes, name in zip(panels, names, strict=False):
        for method, (style, color) in OBJECTIVE_LINES.items():
            for record in records_of(records, name, method, "trace"):
                steps, values = np.array(record["trace"], dtype=float).T
                label = None if method in in_legend else method
                axes.plot(steps + 1, values, style, color=color, label=label)
                in_legend.add(method)
        axes.set_xscale("log")
        axes.set_title(name, fontsize=9)
        axes.tick_params(labelsize=7)
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    figure.supxlabel("step + 1", fontsize=9)
    figure.supylabel("objective g", fontsize=9)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def mean_shares(records: Sequence[Record], dataset: str, method: str, field: str) -> list[float]:
    """Background's share of the pairs' length, then the regions' from the largest to the smallest,
    mean over splits.
    """
    ordered = []
    for record in records_of(records, dataset, method, field):
        background, *regions = record[field]
        ordered.append([background, *sorted(regions, reverse=True)])
    return np.mean(ordered, axis=0).tolist() if ordered else []


def shares_figure(records: Sequence[Record]) -> Figure:
    """Where the length of the training pairs is measured: at the start and after learning; and the
    overlap.
    """
    names = datasets_in(records)
    heights = np.arange(len(names))[::-1]
    figure = Figure(figsize=(10, 0.42 * len(names) + 1.4), layout="constrained")
    start, end, overlap = figure.subplots(1, 3, sharey=True)
    for axes, field, title in (
        (start, "shares_start", "length, at the start"),
        (end, "shares", "length, after learning"),
    ):
        table = np.zeros((len(names), len(SHARE_COLORS)))
        for row, name in enumerate(names):
            shares = mean_shares(records, name, "lmlir", field)
            table[row, : len(shares)] = shares
        left = np.zeros(len(names))
        for column, (label, color) in enumerate(SHARE_COLORS.items()):
            widths = table[:, column]
            shown_label = label if axes is start else None  # one legend for both
            axes.barh(heights, widths, left=left, color=color, label=shown_label)
            left += widths
        axes.set_title(title, fontsize=9)
        axes.set_xlim(0, 1)

    summaries = region_summaries(records)
    starts = []
    ends = []
    places = []
    for name, height in zip(names, heights, strict=True):
        if name in summaries:
            regions = summaries[name]
            starts.append(regions.counted_start)
            ends.append(regions.counted)
            places.append(height)
    overlap.plot([starts, ends], [places, places], color="#cccccc")
    overlap.plot(starts, places, "o", color=GREY, label="gammas, start")
    overlap.plot(ends, places, "o", color=RED, label="gammas, learned")
    overlap.axvline(1, color="black", linewidth=0.8)
    overlap.set_xlim(left=0)
    overlap.set_title("mean sum of gamma (overlap beyond 1)", fontsize=9)
    start.set_yticks(heights, names)
    figure.legend(loc="outside upper center", ncols=7, frameon=False, fontsize=8)
    return figure
