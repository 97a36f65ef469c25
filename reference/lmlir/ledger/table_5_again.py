"""Table 5 run again: the measured means that the errata E29 to E32 rest on, and what follows from
them.

`table_5_again.json` holds mean accuracies in percent over ten splits, by view, method and data set
(Pima left out, E10): "native" with each program's own number of neighbors, "eq10" with equation
(10) and K = 10 on the same learned distances. It is written from the records of the committed run
by `python -m book.studies table_5_again`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lmlir.ledger.ranks import Friedman, friedman
from lmlir.ledger.tables_4_and_5 import METHODS, PRINTED, printed_deviation, printed_mean

Means = dict[str, dict[str, dict[str, float]]]  # by view, method and data set

FILE = Path(__file__).with_suffix(".json")
SETS: tuple[str, ...] = tuple(dataset for dataset in PRINTED["table_5"] if dataset != "pima")
NEIGHBORS = {
    "LMNN": 1,
    "ITML": 1,
    "NCA": 1,
    "MCML": 1,
    "GMML": 5,
    "RVML": 1,
    "SCML": 3,
    "R2LML": 5,
    "Our": 10,
}
"""The number of neighbors with which each column of Table 5 comes out (E29)."""


@cache
def measured() -> Means:
    """The measured means, in percent."""
    means: Means = json.loads(FILE.read_text(encoding="utf-8"))
    return means


def within_one_deviation(column: str, method: str) -> int:
    """Table 5: how many of the 13 means of a column lie within one printed deviation of a method's
    measured mean (E30, E31).
    """
    count = 0
    for dataset in SETS:
        gap = measured()["native"][method][dataset] - printed_mean(dataset, column)
        if abs(gap) <= printed_deviation(dataset, column):
            count += 1
    return count


def printed_ranks() -> Friedman:
    """Table 5: Friedman's test of the printed means, its nine columns in their order (E29).

    >>> [round(rank, 1) for rank in printed_ranks().mean_ranks][-2:]
    [2.9, 1.5]
    """
    rows = []
    for dataset in SETS:
        rows.append([printed_mean(dataset, method) for method in METHODS])
    return friedman(rows)


def measured_ranks(view: str, methods: Sequence[str]) -> Friedman:
    """Table 5 run again: Friedman's test of the measured means of these methods in a view (E29)."""
    means = measured()[view]
    rows = []
    for dataset in SETS:
        rows.append([means[method][dataset] for method in methods])
    return friedman(rows)
