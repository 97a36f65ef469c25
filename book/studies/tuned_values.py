"""The tuned values of the rivals, which `lmlir experiment` reads, from the records of a run with
`--tune`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from lmlir.experiments.protocol import Record
from lmlir.experiments.rivals.tuning import KEPT
from lmlir.experiments.runner import read_records

from .results import RESULTS, write_lines

OUT = KEPT


def values_to_keep(records: Iterable[Record]) -> dict[str, dict[str, list[Record]]]:
    """Return the tuned values of a complete run by method and data set, one per split.

    >>> record = {"dataset": "vote", "split": 0, "method": "knn", "accuracy": 0.9}
    >>> values_to_keep([{**record, "tuned": {"n_neighbors": 3}}])
    {'knn': {'vote': [{'n_neighbors': 3}]}}
    """
    found: dict[str, dict[str, list[Record]]] = {}
    for record in sorted(
        records, key=lambda record: (record["method"], record["dataset"], record["split"])
    ):
        values = found.setdefault(record["method"], {}).setdefault(record["dataset"], [])
        if record["split"] != len(values):
            raise ValueError(
                f"{record['method']} on {record['dataset']} has no split {len(values)}"
            )
        values.append(record["tuned"])
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the argument of this study."""
    parser.add_argument(
        "file", nargs="?", type=Path, default=RESULTS / "rivals.jsonl", help="results file to read"
    )


def run(options: argparse.Namespace) -> None:
    """Write the tuned values, one line per method and data set."""
    text = json.dumps(values_to_keep(read_records(options.file)), separators=(",", ":"))
    write_lines(options.out, [text.replace('],"', '],\n"')])
