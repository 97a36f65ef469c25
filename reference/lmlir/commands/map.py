"""`lmlir map`: every item of the paper and every theorem beyond it, with its functions, laws,
proofs, tests and page.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from lmlir.ledger.items import BEYOND
from lmlir.ledger.map import Item, items
from lmlir.terminal import wrapped, write_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lmlir map`."""
    parser.add_argument(
        "items", nargs="*", metavar="ITEM", help='only these, as in "Definition 5" (default: all)'
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the map as JSON to FILE; - is standard output"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the map, or write it as JSON."""
    chosen = chosen_items(arguments.items)
    if arguments.json:
        write_json([item._asdict() for item in chosen], arguments.json)
    else:
        print("\n\n".join(map(as_text, chosen)), summary(chosen), sep="\n\n")
    return 0


def chosen_items(names: Sequence[str]) -> list[Item]:
    """The items whose name contains one of the given names, or all items if there are none.

    Case does not matter, and the words of one name may come separately, as a shell splits
    `lmlir map Definition 5`.
    """
    known = items()

    def find(*words: str) -> list[Item]:
        matching = []
        for item in known:
            if any(word.lower() in item.item.lower() for word in words):
                matching.append(item)
        return matching

    chosen = find(" ".join(names))
    absent = [name for name in names if not find(name)]
    if not chosen and absent:
        problem = f"the paper has no item {' or '.join(absent)}"
        raise ValueError(f"{problem}; items are named like Definition 5 or Table 2")
    return chosen or find(*names)


def as_text(item: Item) -> str:
    """One item for a terminal."""
    place = "" if item.item.startswith("Section") else f", {item.place}"
    lines = [f"{item.item}{place}: {item.status}", f"  {item.title}"]
    rows = {
        "functions": item.functions,
        "laws": item.laws,
        "proofs": item.proofs,
        "formal": item.formal,
        "tests": [f"{len(item.tests)} in tests/"] if item.tests else [],
        "page": [item.page] if item.page else [],
        "ledger": [*item.errata, *item.choices],
    }
    for name, values in rows.items():
        lines += wrapped(", ".join(values), f"  {name:<10} ")
    return "\n".join(lines)


def summary(chosen: Sequence[Item]) -> str:
    """How many items have which status.

    >>> summary(items()).split(":")[0]
    '67 items of the paper and 4 theorems beyond it'
    """
    count_beyond = sum(item.section == BEYOND for item in chosen)
    beyond = f" and {count_beyond} theorems beyond it" if count_beyond else ""
    counts = []
    for status in ("holds", "corrected", "refuted", "choice"):
        count = sum(item.status == status for item in chosen)
        counts.append(f"{count} {status}")
    return f"{len(chosen) - count_beyond} items of the paper{beyond}: {', '.join(counts)}"
