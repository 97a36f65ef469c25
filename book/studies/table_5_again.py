"""The measured means on which the ledger's entries about Table 5 rest, from the records of the
committed run.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from lmlir.experiments.protocol import Record
from lmlir.experiments.runner import read_records
from lmlir.experiments.statistics import mean_of
from lmlir.ledger.table_5_again import FILE, SETS

from .results import RESULTS, write_lines
from .views import METRIC_LEARNERS, scores

OUT = FILE
FILES = [RESULTS / "experiment.jsonl", RESULTS / "rivals.jsonl"]
KEPT = {
    "native": (
        "itml",
        "itml-inverted",
        "mcml",
        "mcml-rotation",
        "euclidean",
        "euclidean-standardized",
    ),
    "eq10": (*METRIC_LEARNERS, "lmlir-fixed-rate"),
}


def kept_means(records: Sequence[Record]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the means that the ledger keeps: by view, method and data set, with four decimals."""
    table: dict[str, dict[str, dict[str, float]]] = {}
    for view, methods in KEPT.items():
        found = scores(records, view)
        table[view] = {
            m: {d: round(mean_of(found[d, m].values()).mean, 4) for d in SETS} for m in methods
        }
    return table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the argument of this study."""
    parser.add_argument(
        "files", nargs="*", type=Path, default=FILES, metavar="FILE", help="results files to read"
    )


def run(options: argparse.Namespace) -> None:
    """Write the means that the ledger keeps."""
    records = [record for file in options.files for record in read_records(file)]
    write_lines(options.out, [json.dumps(kept_means(records))])
