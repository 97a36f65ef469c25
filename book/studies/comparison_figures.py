"""Figures of the whole comparison: Table 5 at once, critical-difference diagrams, the neighbors,
and Fourclass.

Grounds are transparent, nothing relies on color alone, and no color is near the middle of the
scale, so that a figure can be inverted for a dark page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lmlir.experiments.comparison import SET_UPS, Scores, column
from lmlir.ledger.ranks import Friedman
from lmlir.ledger.table_5_again import SETS

from .experiment_figures import BLUE, GREY, RED
from .views import METRIC_LEARNERS, TITLES, groups, means

BAND = "#d9dde3"  # one deviation
# deviations shown in a panel of Table 5; what lies beyond is drawn at the edge, as a triangle
MAX_DEVIATIONS = 3.2
RAY = np.radians(52)  # a direction in which both classes lie
# none too light, on either page
LINE_COLORS = (BLUE, "#946200", "#00785a", "#a3467f", RED, "#4b4bb8", GREY, "#8a1c1c")
OWN = ("LMLIR", "LMLIR fixed rate")


def table_5_figure(scores: Scores) -> Figure:
    """Draw all of Table 5: a panel per column, a row per data set, a mark per cell, at measured
    minus printed in deviations.

    Above each column its number of neighbors, and how many of its means come out within one
    deviation. A filled mark is the set-up that gives the column, blue within one deviation and red
    beyond; a ring is the right ITML or MCML where the column needs a fault.
    """
    figure = Figure(figsize=(9.2, 5.0), layout="constrained")
    panels = figure.subplots(1, len(SET_UPS), sharey=True)
    heights = {dataset: -place for place, dataset in enumerate(SETS)}
    for axes, (name, set_up) in zip(panels, SET_UPS.items(), strict=True):
        cells = column(scores, name)
        axes.axvspan(-1, 1, color=BAND, linewidth=0, zorder=0)
        axes.axvline(0, color=GREY, linewidth=0.8, zorder=1)
        right = name.lower()
        if right != set_up.method and right in METRIC_LEARNERS:
            draw_cells(
                axes, {c.dataset: c.z for c in column(scores, name, right)}, heights, ring=True
            )
        draw_cells(axes, {c.dataset: c.z for c in cells}, heights)
        axes.set_xlim(-MAX_DEVIATIONS - 0.3, MAX_DEVIATIONS + 0.3)
        axes.set_ylim(-len(SETS) + 0.4, 0.6)
        axes.set_xticks([-2, 0, 2])
        within = sum(abs(cell.z) <= 1 for cell in cells)
        letter = "K" if name == "Our" else "k"
        axes.set_title(f"{name}\n{letter} = {set_up.k}\n{within} of {len(cells)}", fontsize=9.5)
        axes.tick_params(labelsize=9, length=0)
        axes.grid(axis="y", color="#e3e6ea", linewidth=0.6)
        axes.set_axisbelow(True)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
    panels[0].set_yticks(list(heights.values()), list(heights))
    figure.supxlabel("measured minus printed, in the paper's standard deviations", fontsize=10)
    return figure


def draw_cells(
    axes: Axes, z: Mapping[str, float], heights: Mapping[str, int], ring: bool = False
) -> None:
    """The marks of one column: dots within one deviation, diamonds beyond, triangles at the edge;
    rings are hollow.
    """
    for dataset, value in z.items():
        beyond = abs(value) > MAX_DEVIATIONS
        marker = (
            (">" if value > 0 else "<") if beyond else "D" if abs(value) > 1 and not ring else "o"
        )
        color = GREY if ring else RED if abs(value) > 1 else BLUE
        face: dict[str, Any] = {"markerfacecolor": "none", "markeredgewidth": 1.2} if ring else {}
        place = float(np.clip(value, -MAX_DEVIATIONS, MAX_DEVIATIONS))
        size = 6.5 if ring else 5.5
        axes.plot(
            [place],
            [heights[dataset]],
            marker,
            color=color,
            markersize=size,
            zorder=3 - ring,
            **face,
        )


# ----------------------------------------------------------------------------- critical differences


class Panel(NamedTuple):
    """One critical-difference diagram: its title, the names of the methods and Friedman's test of
    them.
    """

    title: str
    names: Sequence[str]
    test: Friedman


def rank_figure(panels: Sequence[Panel], own: Sequence[str] = OWN) -> Figure:
    """Draw critical-difference diagrams one below the other.

    Rank 1 is best; a bar joins methods that do not differ clearly.
    """
    sizes = [0.26 * (len(panel.names) + 1) // 2 + 1.5 for panel in panels]
    figure = Figure(figsize=(8.4, sum(sizes)), layout="constrained")
    all_axes = figure.subplots(len(panels), 1, squeeze=False, height_ratios=sizes)[:, 0]
    for axes, panel in zip(all_axes, panels, strict=True):
        draw_ranks(axes, panel, own)
    return figure


def draw_ranks(axes: Axes, panel: Panel, own: Sequence[str]) -> None:
    """One diagram: the scale, a bracket as long as the critical difference, bars, and a line to the
    name of each method.
    """
    n = len(panel.names)
    test = panel.test
    order = sorted(range(n), key=lambda place: test.mean_ranks[place])
    bars = groups(test.mean_ranks, test.critical_difference)
    # where the names begin below the scale, and how far apart they are
    top = 0.7 + 0.45 * len(bars)
    step = 0.95
    axes.plot([1, n], [0, 0], color="black", linewidth=1)
    for tick in range(1, n + 1):
        axes.plot([tick, tick], [0, 0.2], color="black", linewidth=1)
        axes.text(tick, 0.3, str(tick), ha="center", va="bottom", fontsize=9)
    axes.plot(
        [1, 1 + test.critical_difference],
        [1.9, 1.9],
        "|-",
        color="black",
        linewidth=1.2,
        markersize=7,
    )
    label = f"critical difference {test.critical_difference:.2f}"
    axes.text(1 + test.critical_difference + 0.15, 1.9, label, va="center", fontsize=9)
    half = (n + 1) // 2
    for place, method in enumerate(order):
        rank = test.mean_ranks[method]
        name = panel.names[method]
        left = place < half
        down = -top - step * (place if left else n - 1 - place)
        end = 0.6 if left else n + 0.4
        style: dict[str, Any] = (
            {"color": BLUE, "weight": "bold"} if name in own else {"color": "black"}
        )
        axes.plot(
            [rank, rank, end],
            [0, down, down],
            color=style["color"],
            linewidth=1.6 if name in own else 0.9,
        )
        text = f"{name}  {rank:.1f}" if left else f"{rank:.1f}  {name}"
        axes.text(
            end + (-0.1 if left else 0.1),
            down,
            text,
            ha="right" if left else "left",
            va="center",
            fontsize=9.5,
            **style,
        )
    ordered = sorted(test.mean_ranks)
    for number, (first, last) in enumerate(bars):
        height = -0.42 - 0.45 * number
        axes.plot(
            [ordered[first] - 0.07, ordered[last] + 0.07],
            [height, height],
            color=RED,
            linewidth=4,
            alpha=0.9,
        )
    axes.set_title(panel.title, fontsize=10.5, loc="left")
    axes.set_xlim(1 - 0.45 * n, n + 0.45 * n)
    axes.set_ylim(-top - step * half + 0.3, 2.5)
    axes.axis("off")


# ---------------------------------------------------------------------------------------- neighbors


def neighbors_figure(by_k: Mapping[int, Scores], equation_10: Scores, own: str = "lmlir") -> Figure:
    """Mean accuracy over the data sets of each rival's learned distance, by the number of neighbors
    that then decide.

    A ring is the k with which the rival stands in Table 5; at the right the same distances under
    equation (10).
    """
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    axes = figure.subplots()
    ks = sorted(by_k)
    native = {name.lower(): set_up.k for name, set_up in SET_UPS.items()}
    styles = zip(LINE_COLORS, "os^DvPX*", strict=True)
    ends = {}
    for method, (color, marker) in zip(METRIC_LEARNERS, styles, strict=True):
        heights = [float(means(by_k[k], [method]).mean()) for k in ks]
        last = float(means(equation_10, [method]).mean())
        axes.plot(
            range(len(ks)), heights, "-", color=color, linewidth=1.4, marker=marker, markersize=5
        )
        axes.plot(
            [len(ks) - 1, len(ks)],
            [heights[-1], last],
            ":",
            color=color,
            linewidth=1.4,
            marker=marker,
            markersize=5,
        )
        start = ks.index(native[method])
        axes.plot(
            [start],
            [heights[start]],
            "o",
            color="black",
            markersize=12,
            markerfacecolor="none",
            markeredgewidth=1.2,
        )
        ends[method] = (last, color)
    level = float(means(equation_10, [own]).mean())
    axes.plot([-0.3, len(ks) + 0.05], [level, level], "--", color="black", linewidth=1)
    places = spread([*(height for height, _ in ends.values()), level], 0.32)
    for (method, (_, color)), place in zip(ends.items(), places, strict=False):
        axes.text(len(ks) + 0.12, place, TITLES[method], color=color, va="center", fontsize=9.5)
    axes.text(len(ks) + 0.12, places[-1], TITLES[own], va="center", fontsize=9.5, weight="bold")
    axes.set_xlim(-0.3, len(ks) + 0.95)
    axes.set_ylim(top=max(axes.get_ylim()[1], max(places) + 0.2))
    axes.set_xticks(range(len(ks) + 1), [*(f"k = {k}" for k in ks), "equation (10),\nK = 10"])
    axes.set_ylabel("mean accuracy in percent, 13 data sets")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Places for labels: near their heights, in the same order, and at least a gap apart.

    >>> spread([1.0, 1.1, 5.0], 0.5)
    [0.8, 1.3, 5.0]
    """
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    places = np.array([heights[place] for place in order])
    for _ in range(200):
        for low in range(len(places) - 1):
            missing = gap - (places[low + 1] - places[low])
            if missing > 1e-9:
                places[low] -= missing / 2
                places[low + 1] += missing / 2
    found = [0.0] * len(heights)
    for place, value in zip(order, places, strict=True):
        found[place] = round(float(value), 6)
    return found


# ---------------------------------------------------------------------------------------- Fourclass


def fourclass_figure(counts: Mapping[str, Any]) -> Figure:
    """Fourclass before and after unit length: squares in the plane, and bars on the circle by
    direction.

    The area of a mark and the length of a bar grow with the number of rows; class 0 points inward,
    class 1 outward. The dashed ray is one direction: all rows on it become one point.
    """
    figure = Figure(figsize=(8.4, 4.3), layout="constrained")
    plane, circle = figure.subplots(1, 2)
    table = np.array(counts["plane"])
    edge = counts["edge"]
    cells = len(table)
    width = 2 * edge / cells
    for label, color, marker in ((0, BLUE, "s"), (1, RED, "D")):
        first, second = np.nonzero(table[:, :, label])
        x, y = (-edge + width * (place + 0.5) for place in (first, second))
        area = 6 + 5 * table[first, second, label]
        plane.scatter(x, y, s=area, c=color, marker=marker, linewidths=0, label=f"class {label}")
    direction = np.array([np.cos(RAY), np.sin(RAY)])
    for axes, ends in ((plane, [0, 2.1]), (circle, [0.45, 1.45])):
        axes.plot(*np.outer(direction, ends), "--", color="black", linewidth=1)
    plane.plot([0], [0], "+", color="black", markersize=9)
    figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9.5)
    plane.set_title("two features, standardized", fontsize=10.5)
    plane.set_xlabel("first feature", fontsize=9.5)
    plane.set_ylabel("second feature", fontsize=9.5)
    plane.tick_params(labelsize=8.5)
    plane.spines[["top", "right"]].set_visible(False)
    draw_directions(circle, counts["directions"])
    for axes in (plane, circle):
        axes.set_aspect("equal")
    return figure


def draw_directions(axes: Axes, directions: Sequence[Sequence[int]]) -> None:
    """The circle of unit length with a bar for each class in each sector: class 0 inward, class 1
    outward.
    """
    sectors = len(directions)
    scale = 0.55 / max(map(max, directions))
    for place, (zero, one) in enumerate(directions):
        angles = 2 * np.pi * (place + np.array([0.1, 0.9])) / sectors
        corner = np.array([np.cos(angles), np.sin(angles)])
        for count, color, sign in ((zero, BLUE, -1), (one, RED, 1)):
            ring = np.concatenate([corner, (1 + sign * scale * count) * corner[:, ::-1]], axis=1)
            axes.fill(*ring, color=color, linewidth=0)
    turn = np.linspace(0, 2 * np.pi, 200)
    axes.plot(np.cos(turn), np.sin(turn), color="black", linewidth=1)
    axes.text(
        -0.05, -0.05, "class 0\ninward,\nclass 1\noutward", ha="center", va="center", fontsize=9
    )
    axes.set_title("the same rows at unit length", fontsize=10.5)
    axes.axis("off")
