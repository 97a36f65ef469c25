"""`lmlir vectors DIR`: write the test vectors."""

from __future__ import annotations

import argparse
from pathlib import Path

from lmlir.oracle import vectors


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lmlir vectors`."""
    parser.add_argument(
        "directory",
        metavar="DIR",
        help="the folder to write to; it is created if it does not exist",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the vectors and print how many there are."""
    if not arguments.directory:
        raise ValueError("DIR must be the name of a folder, but it is empty")
    counts = vectors.write(Path(arguments.directory))
    print(
        f"{sum(counts.values())} vectors for {len(counts)} functions written to "
        f"{arguments.directory}"
    )
    return 0
