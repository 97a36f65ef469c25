"""`lmlir vectors DIR`: write the test vectors from the command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from lmlir.oracle import vectors


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `lmlir vectors`."""
    parser.add_argument("directory", metavar="DIR", help="where to write; made when it is not there")


def run(arguments: argparse.Namespace) -> int:
    """Write the vectors, say how many, return 0."""
    counts = vectors.write(Path(arguments.directory))
    print(f"{sum(counts.values())} vectors for {len(counts)} functions written to {arguments.directory}")
    return 0
