"""The palette, the style and the shapes that the figures of the book share.

The colors follow Okabe and Ito's palette, which readers with any common color blindness can tell
apart; orange, sky and purple are darker than theirs, so that thin lines are seen on a light page
and, turned over by the filter of `book.css`, on a dark one. No figure relies on color alone.
Grounds are transparent.
"""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib_inline.backend_inline import set_matplotlib_formats

BLUE = "#0072b2"
ORANGE = "#b87700"
GREEN = "#009e73"
VERMILLION = "#d55e00"
SKY = "#2f8fc4"
PURPLE = "#b0478b"
YELLOW = "#8a6d00"
GREY = "#757b86"
INK = "#22262c"
FAINT = "#b2b8c2"

REGION_COLORS = [BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY]
"""One color per influential region."""

DIVERGING = LinearSegmentedColormap.from_list(
    "blue_to_orange", ["#0072b2", "#8cc6e8", "#f7f7f5", "#f3b57d", "#d55e00"]
)
"""Blue for the negative class, orange for the positive one, white between."""

set_matplotlib_formats("svg")
plt.rcParams.update(
    {
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
        "legend.facecolor": "none",
        "legend.frameon": False,
        "svg.hashsalt": "lmlir",
        "font.size": 10,
        "mathtext.fontset": "cm",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": GREY,
        "axes.labelcolor": INK,
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.grid": False,
        "lines.linewidth": 2,
        "axes.prop_cycle": plt.cycler(color=[BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, GREY]),
    }
)


def plane(
    width: float = 6.4, height: float = 4.0, columns: int = 1, rows: int = 1, **options: Any
) -> Any:
    """A figure of equal scales without axes, for drawings; returns (figure, axes)."""
    figure, axes = plt.subplots(
        rows, columns, figsize=(width, height), layout="constrained", **options
    )
    for one in np.atleast_1d(axes).flat:
        one.set_aspect("equal")
        one.axis("off")
    return figure, axes


def ball(
    axes: Any,
    center: Sequence[float],
    radius: float,
    color: str = BLUE,
    label: str = "",
    alpha: float = 0.16,
) -> None:
    """A closed ball of the plane, with its name at the top."""
    axes.add_patch(
        plt.Circle(tuple(center), radius, facecolor=color, alpha=alpha, edgecolor="none")
    )
    axes.add_patch(
        plt.Circle(tuple(center), radius, facecolor="none", edgecolor=color, linewidth=1.6)
    )
    if label:
        axes.annotate(
            label,
            (center[0], center[1] + radius),
            color=color,
            ha="center",
            va="bottom",
            xytext=(0, 3),
            textcoords="offset points",
            fontsize=12,
        )


def point(
    axes: Any,
    x: Sequence[float],
    label: str = "",
    offset: tuple[float, float] = (0, 8),
    color: str = INK,
    marker: str = "o",
    size: float = 6,
) -> None:
    """A point of the plane with its name beside it."""
    axes.plot([x[0]], [x[1]], marker, color=color, markersize=size, zorder=5)
    if label:
        axes.annotate(
            label,
            (x[0], x[1]),
            color=color,
            ha="center",
            va="center",
            xytext=offset,
            textcoords="offset points",
            fontsize=12,
        )


def stroke(
    axes: Any,
    x: Sequence[float],
    y: Sequence[float],
    color: str = INK,
    width: float = 2.0,
    **options: Any,
) -> None:
    """The straight piece from x to y."""
    axes.plot(
        [x[0], y[0]], [x[1], y[1]], color=color, linewidth=width, solid_capstyle="round", **options
    )


def unit_ellipse(metric: Sequence[Sequence[float]], count: int = 200) -> np.ndarray:
    """The points u with u^T M u = 1, for a positive definite 2 x 2 metric: the metric's unit
    circle.
    """
    values, vectors = np.linalg.eigh(np.asarray(metric, dtype=float))
    angles = np.linspace(0, 2 * np.pi, count)
    return (vectors / np.sqrt(values)) @ np.array([np.cos(angles), np.sin(angles)])


def metric_ellipse(
    axes: Any,
    center: Sequence[float],
    metric: Sequence[Sequence[float]],
    scale: float = 1.0,
    color: str = BLUE,
    **options: Any,
) -> None:
    """The curve of points that lie `scale` away from the center under the metric."""
    curve = np.asarray(center, dtype=float)[:, None] + scale * unit_ellipse(metric)
    axes.plot(curve[0], curve[1], color=color, **{"linewidth": 1.4, **options})
