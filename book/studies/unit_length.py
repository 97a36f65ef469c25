"""What unit length does to Fourclass: counts of its rows in the plane, and by direction alone.

Fourclass has two features. Scaled to unit length a row keeps its direction and nothing else, and
both classes lie in most directions. The file holds counts of rows, not rows: `plane[i][j]` is
[class 0, class 1] in cell (i, j) of a square grid over the standardized features, and
`directions[i]` the same in sector i of the circle, beginning at the positive first axis.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmlir.experiments import data
from lmlir.experiments.protocol import standardized

from .results import RESULTS, write_lines

OUT = RESULTS / "fourclass.json"
EDGE = 1.9  # the standardized features lie within this of 0
CELLS = 24
SECTORS = 72


def plane_counts(
    Z: NDArray[np.float64], y: NDArray[np.int64], cells: int = CELLS, edge: float = EDGE
) -> list[Any]:
    """How many rows of either class lie in each cell of a square grid; rows beyond the edge count
    in its last cell.

    >>> plane_counts(
    ...     np.array([[-1.0, -1.0], [1.0, -1.0], [1.5, -1.0]]), np.array([0, 1, 1]), cells=2
    ... )
    [[[1, 0], [0, 0]], [[0, 2], [0, 0]]]
    """
    places = np.clip(((Z + edge) / (2 * edge) * cells).astype(int), 0, cells - 1)
    counts = np.zeros((cells, cells, 2), dtype=int)
    np.add.at(counts, (places[:, 0], places[:, 1], y), 1)
    return list(counts.tolist())


def direction_counts(
    Z: NDArray[np.float64], y: NDArray[np.int64], sectors: int = SECTORS
) -> list[list[int]]:
    """How many rows of either class lie in each sector of directions.

    >>> direction_counts(
    ...     np.array([[1.0, 0.1], [5.0, 0.5], [-1.0, 0.1], [0.1, -1.0]]),
    ...     np.array([0, 1, 1, 0]),
    ...     sectors=4,
    ... )
    [[1, 1], [0, 1], [0, 0], [1, 0]]
    """
    angles = np.arctan2(Z[:, 1], Z[:, 0]) % (2 * np.pi)
    places = np.minimum((angles / (2 * np.pi) * sectors).astype(int), sectors - 1)
    counts = np.zeros((sectors, 2), dtype=int)
    np.add.at(counts, (places, y), 1)
    return [[int(zero), int(one)] for zero, one in counts]


def best_by_direction(directions: Sequence[Sequence[int]]) -> float:
    """The percentage of rows that are right if the answer in every sector is its own larger class.

    >>> best_by_direction([[3, 1], [0, 4]])
    87.5
    """
    counts = np.asarray(directions)
    return float(100 * counts.max(axis=1).sum() / counts.sum())


def mixed_share(directions: Sequence[Sequence[int]]) -> float:
    """The percentage of rows in sectors that have rows of both classes.

    >>> mixed_share([[3, 1], [0, 4]])
    50.0
    """
    counts = np.asarray(directions)
    return float(100 * counts[counts.min(axis=1) > 0].sum() / counts.sum())


def pictured(name: str) -> dict[str, Any]:
    """The counts of a data set with two features."""
    dataset = data.load(name)
    Z = standardized(dataset.X)
    return {
        "dataset": name,
        "edge": EDGE,
        "plane": plane_counts(Z, dataset.y),
        "directions": direction_counts(Z, dataset.y),
    }


def run(options: argparse.Namespace) -> None:
    """Write the counts of Fourclass."""
    write_lines(options.out, [json.dumps(pictured("fourclass"), separators=(",", ":"))])
