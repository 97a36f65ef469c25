"""`lmlir data`: which of the 14 data sets can be loaded from where, and how to get the others."""

from __future__ import annotations

import argparse

from lmlir.experiments.data import NAMES, DataError, data_folder, load
from lmlir.terminal import wrapped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lmlir data`."""
    parser.add_argument(
        "--data", metavar="DIR", help="a folder with NAME.csv files (or set LMLIR_DATA)"
    )
    parser.add_argument(
        "--download", action="store_true", help="download missing data sets from LibSVM and OpenML"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print for each data set where it was found, or how to get it."""
    folder = data_folder(arguments.data)
    loaded = 0
    for name in NAMES:
        try:
            dataset = load(name, folder, arguments.download)
        except (DataError, OSError) as error:
            reason = str(error).removeprefix(f"{name} was ")
            print("\n".join(wrapped(reason, f"{name:15} ")), flush=True)
            continue
        loaded += 1
        rows, features = dataset.X.shape
        print(f"{name:15} {rows:5} rows {features:3} features   from {dataset.source}", flush=True)
    print(f"{loaded} of {len(NAMES)} data sets can be loaded.")
    return 0
