"""`lmlir book`: open the built book in a browser."""

from __future__ import annotations

import argparse
import webbrowser
from importlib import metadata
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]  # of an editable install


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lmlir book`."""
    parser.add_argument(
        "--print", dest="only_print", action="store_true", help="print the address, do not open it"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the address of the built book and open it."""
    page = CHECKOUT / "book" / "_build" / "html" / "index.html"
    if not page.is_file():
        raise ValueError(f"there is no built copy of the book here; {how_to_get_one()}")
    print(page.as_uri(), flush=True)
    if not arguments.only_print:
        webbrowser.open(page.as_uri())
    return 0


def how_to_get_one() -> str:
    """Where to read the book, or how to build it.

    The address is the one that `[project.urls]` of pyproject.toml records.
    """
    if (CHECKOUT / "book" / "index.md").is_file():
        return f"run `make book` in {CHECKOUT}"
    try:
        recorded = metadata.metadata("lmlir").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:  # a package that was copied, not installed
        recorded = []
    addresses = dict(line.split(", ", 1) for line in recorded)
    online = f"read it at {addresses['Documentation']}, or " if "Documentation" in addresses else ""
    return f"{online}clone the project and run `make book` in the clone"
