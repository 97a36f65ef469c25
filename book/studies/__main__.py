"""The command line of the studies, `python -m book.studies NAME [options]`.

A study is a module with the file that it writes, `OUT`, a function `run(options)` that returns None
or an exit status, and, where it has options of its own, `add_arguments(parser)`. All of them have
`--out` and `--data`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from lmlir.experiments.data import DataError

STUDIES = (
    *(
        "bench",
        "compression",
        "extinction",
        "films",
        "grid_search",
        "leak",
        "modes",
        "modulus_search",
    ),
    *("table_5_again", "tuned_values", "unit_length"),
)


def study(name: str) -> Any:
    """Import the module of a study.

    A module is imported only when it is needed, because some take seconds.
    """
    return import_module(f"{__package__}.{name}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one study, or list all of them."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="python -m book.studies", description="Run a study of the book again."
    )
    parser.add_argument(
        "name", nargs="?", choices=STUDIES, metavar="NAME", help=f"one of {', '.join(STUDIES)}"
    )
    parser.add_argument(
        "--list", action="store_true", help="describe the studies and the files that they write"
    )
    name = parser.parse_args(words[:1] or ["--list"]).name
    if name is None:
        for each in STUDIES:
            print(
                f"{each} -> {os.path.relpath(study(each).OUT)}\n    "
                f"{study(each).__doc__.splitlines()[0]}"
            )
        return 0
    module = study(name)
    parser = argparse.ArgumentParser(
        prog=f"python -m book.studies {name}", description=module.__doc__.splitlines()[0]
    )
    default = os.path.relpath(module.OUT)
    parser.add_argument(
        "--out", type=Path, default=module.OUT, metavar="FILE", help=f"results file ({default})"
    )
    parser.add_argument(
        "--data",
        metavar="DIR",
        help="folder with NAME.csv files (default: the variable LMLIR_DATA)",
    )
    if hasattr(module, "add_arguments"):
        module.add_arguments(parser)
    options = parser.parse_args(words[1:])
    if options.data:
        os.environ["LMLIR_DATA"] = options.data  # also for processes that a study starts
    try:
        return int(module.run(options) or 0)
    except DataError as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    sys.exit(main())
