"""The columns of Table 5 against the methods of a run.

Accuracies are in percent; Pima is left out, since it is Diabetes (E10).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from lmlir.experiments.protocol import Record
from lmlir.experiments.statistics import Mean, mean_of, printed
from lmlir.ledger.table_5_again import NEIGHBORS, SETS
from lmlir.ledger.tables_4_and_5 import rows_for_testing, sizes

# by data set and method: the accuracy of each split
Scores = dict[tuple[str, str], dict[int, float]]


class SetUp(NamedTuple):
    """The set-up that gives a column of Table 5: the method of our run, the number of neighbors,
    and a description.
    """

    method: str
    k: int
    words: str


SET_UPS: dict[str, SetUp] = {
    name: SetUp(method, NEIGHBORS[name], words)
    for name, method, words in (
        ("LMNN", "lmnn", "push weight tuned, 3 target neighbors"),
        ("ITML", "itml-inverted", "gamma tuned, and the metric inverted"),
        ("NCA", "nca", "scikit-learn's, full dimension"),
        ("MCML", "mcml-rotation", "the learned metric without its lengths: a rotation"),
        ("GMML", "gmml", "t tuned, 40 c (c - 1) random pairs"),
        ("RVML", "rvml", "kernel version, virtual points by optimal transport, lambda tuned"),
        ("SCML", "scml", "local version, 400 bases"),
        ("R2LML", "r2lml", "lambda 1, 5 metrics, half steps"),
        ("Our", "lmlir-fixed-rate", "equation (10), fixed rate (choice C1)"),
    )
}


def exact_share(value: float, n: int) -> float:
    """Return the share of n test rows that a record keeps with six digits; another value is
    returned as it is.

    >>> exact_share(0.333333, 276) == 92 / 276, exact_share(0.3342, 276)
    (True, 0.3342)
    """
    count = value * n
    whole = round(count)
    return whole / n if abs(count - whole) < 1e-3 else value


def scores(records: Iterable[Record]) -> Scores:
    """The accuracies in percent, by data set and method, then by split."""
    tested = {dataset: rows_for_testing(sizes(dataset)[0]) for dataset in SETS}
    table: Scores = {}
    for record in records:
        dataset = record["dataset"]
        if dataset in tested:
            by_split = table.setdefault((dataset, record["method"]), {})
            accuracy = exact_share(record["accuracy"], tested[dataset])
            by_split[int(record["split"])] = 100 * accuracy
    return table


def sets_with(table: Scores, methods: Sequence[str]) -> list[str]:
    """The data sets on which every one of the methods was run."""
    complete = []
    for dataset in SETS:
        if all((dataset, method) in table for method in methods):
            complete.append(dataset)
    return complete


# ------------------------------------------------------------------------- printed against measured


class Cell(NamedTuple):
    """Table 5, one cell run again: what is printed, what was measured, and the difference in
    printed deviations.
    """

    dataset: str
    printed: Mean
    measured: Mean

    @property
    def z(self) -> float:
        """Measured minus printed, in the paper's standard deviations."""
        return (self.measured.mean - self.printed.mean) / self.printed.deviation


def column(table: Scores, name: str, method: str | None = None) -> list[Cell]:
    """A column of Table 5 against the method that gives it, or against another."""
    method = method or SET_UPS[name].method
    cells = []
    for dataset in sets_with(table, [method]):
        measured = mean_of(table[dataset, method].values())
        cells.append(Cell(dataset, printed(dataset, name), measured))
    return cells


class Agreement(NamedTuple):
    """How well a column comes out: cells within one deviation, cells, mean |z|, and the cell that
    is farthest off.
    """

    within: int
    of: int
    mean_z: float
    worst: Cell


def agreement(table: Scores, name: str, method: str | None = None) -> Agreement:
    """The agreement of a column of Table 5 with the method that gives it, or with another."""
    cells = column(table, name, method)
    distances = [abs(cell.z) for cell in cells]
    return Agreement(
        within=sum(distance <= 1 for distance in distances),
        of=len(cells),
        mean_z=float(np.mean(distances)),
        worst=cells[int(np.argmax(distances))],
    )
