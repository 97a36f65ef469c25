"""Monk1 by memory: how often a method is right on test rows that it has trained on, and on the
others (E25).

Of Monk1's 556 rows 124 occur twice, so a random split has some of its test rows in its training
part. The file has one JSON object per line: the split, the method, and [right, of] for test rows in
the training part (`known`) and for the others (`new`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lmlir.experiments import data
from lmlir.experiments.protocol import METHODS, N_SPLITS, FloatArray, Record, prepared, split_rows

from .results import RESULTS, write_lines

OUT = RESULTS / "monk1_leak.jsonl"
COMPARED = ("knn-1", "euclidean", "lmlir")


def known_rows(X_train: FloatArray, X_test: FloatArray) -> NDArray[np.bool_]:
    """Which test rows occur in the training part.

    >>> known_rows(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[3.0, 4.0], [4.0, 3.0]])).tolist()
    [True, False]
    """
    trained = {tuple(row) for row in X_train.tolist()}
    return np.array([tuple(row) in trained for row in X_test.tolist()])


def record(split: int, method: str, name: str = "monk1") -> Record:
    """Right answers of one method on one split, on known and on new test rows."""
    dataset = data.load(name)
    rows = split_rows(len(dataset.X), split)
    part = prepared(dataset.X, dataset.y, rows, "all")
    predicted, _ = METHODS[method].predict(part, 0)
    known = known_rows(dataset.X[rows[0]], dataset.X[rows[1]])
    right = predicted == part.y_test
    counts = {
        kind: [int(np.sum(right & rows)), int(np.sum(rows))]
        for kind, rows in (("known", known), ("new", ~known))
    }
    return {"split": split, "method": method, **counts}


def shares(records: Sequence[Record], method: str) -> dict[str, float]:
    """The percentage of right answers on known and on new rows, over all splits, and the percentage
    of known rows.

    >>> shares([{"split": 0, "method": "m", "known": [3, 4], "new": [6, 12]}], "m")
    {'known': 75.0, 'new': 50.0, 'share': 25.0}
    """
    totals = {
        kind: np.sum([r[kind] for r in records if r["method"] == method], axis=0)
        for kind in ("known", "new")
    }
    found = {kind: float(100 * right / of) for kind, (right, of) in totals.items()}
    return {
        **found,
        "share": float(100 * totals["known"][1] / (totals["known"][1] + totals["new"][1])),
    }


def run(options: argparse.Namespace) -> None:
    """Write the lines of all splits and methods."""
    write_lines(
        options.out,
        (json.dumps(record(split, method)) for method in COMPARED for split in range(N_SPLITS)),
    )
