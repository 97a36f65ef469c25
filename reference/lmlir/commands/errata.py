"""`lmlir errata`: every mistake found in the paper, every choice it leaves open, both readings, and
the evidence, run now.
"""

from __future__ import annotations

import argparse
import itertools
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from lmlir.ledger import witnesses
from lmlir.ledger.choices import CHOICES, Choice
from lmlir.ledger.errata import ERRATA, Erratum
from lmlir.ledger.items import items_of
from lmlir.ledger.map import evidence_of
from lmlir.terminal import WIDTH, wrapped, write_json

COLUMNS = (5, 21, 35, 36)  # id, items, as printed, what is true
Remark = tuple[str, str | None]  # a label and its text, if there is one


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lmlir errata`."""
    parser.add_argument(
        "ids", nargs="*", metavar="ID", help="only these, as in E6 or C9 (default: all)"
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write the ledger as JSON to FILE; - is standard output"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the ledger with its witnesses run again, or write it as JSON."""
    ids = [ledger_id.upper() for ledger_id in arguments.ids]
    for ledger_id in ids:
        items_of(ledger_id)  # raises ValueError if there is no such id
    mistakes = [erratum for erratum in ERRATA if not ids or erratum.id in ids]
    choices = [choice for choice in CHOICES if not ids or choice.id in ids]
    if arguments.json:
        write_json([*map(erratum_as_json, mistakes), *map(choice_as_json, choices)], arguments.json)
        return 0
    listings = []
    if mistakes:
        head = ["", "where", "as printed", "what is true"]
        listings.append(listing(head, map(erratum_as_text, mistakes)))
    if choices:
        head = ["", "where", "left open", "decided"]
        listings.append(listing(head, map(choice_as_text, choices)))
    print("\n\n\n".join(listings))
    return 0


def erratum_as_json(erratum: Erratum) -> dict[str, Any]:
    """An erratum with its evidence, ready for JSON."""
    return {
        "id": erratum.id,
        "title": erratum.title,
        "kind": "erratum",
        "items": dict(erratum.items),
        "printed": {"text": erratum.printed, "function": erratum.printed_by},
        "true": {"text": erratum.true, "function": erratum.true_by},
        "consequence": erratum.consequence,
        "witnesses": [seen._asdict() for seen in witnesses.witnesses_of(erratum.id)],
        **evidence_of(erratum),
        "sources": list(erratum.sources),
        "was": erratum.was,
    }


def choice_as_json(choice: Choice) -> dict[str, Any]:
    """A choice with its evidence, ready for JSON."""
    return {**asdict(choice), "kind": f"choice, {choice.kind}", **evidence_of(choice)}


def listing(head: Sequence[str], entries: Iterable[str]) -> str:
    """Entries under a head and a rule."""
    return "\n".join([*columns(head), "-" * WIDTH, "\n\n".join(entries)])


def erratum_as_text(erratum: Erratum) -> str:
    """An erratum for the terminal: its row of the listing, the consequence, and the evidence, run
    now.
    """
    where = ", ".join(f"{item} ({effect})" for item, effect in erratum.items.items())
    remarks: list[Remark] = [
        ("so", erratum.consequence),
        ("printed", erratum.printed_by),
        ("true", erratum.true_by),
    ]
    for witness in witnesses.witnesses_of(erratum.id):
        remarks.append(("seen" if witness.refutes else "NOT SEEN", witness.text))
    remarks += evidence(erratum)
    for source in erratum.sources:
        remarks.append(("source", source))
    remarks.append(("was", erratum.was))
    return entry([erratum.id, where, erratum.printed, erratum.true], remarks)


def choice_as_text(choice: Choice) -> str:
    """A choice for the terminal."""
    remarks: list[Remark] = [("because", choice.why), ("in", ", ".join(choice.taken_in))]
    remarks += evidence(choice)
    return entry([choice.id, ", ".join(choice.items), choice.question, choice.decision], remarks)


def evidence(cited: Erratum | Choice) -> list[Remark]:
    """The laws, proofs and tests that cite an entry, each kind with its label."""
    names = evidence_of(cited)
    remarks: list[Remark] = []
    for kind in ("proofs", "formal", "laws"):
        remarks.append((kind, ", ".join(names[kind])))
    if names["tests"]:
        first = names["tests"][0].replace("::", ": ")
        remarks.append(("tests", f"{len(names['tests'])}, the first in {first}"))
    return remarks


def entry(cells: Sequence[str], remarks: Sequence[Remark]) -> str:
    """A row of the listing, and below it the remarks that are not empty, each with its label."""
    lines = columns(cells)
    for label, text in remarks:
        lines += wrapped(text or "", f"      {label:<9}")
    return "\n".join(lines)


def columns(cells: Sequence[str]) -> list[str]:
    """One row of the listing: cells wrapped into their columns.

    >>> columns(["E9", "Table 4", "Haberman: 206", "306"])
    ['E9    Table 4               Haberman: 206                       306']
    """
    wrapped_cells = [textwrap.wrap(cell, COLUMNS[k]) for k, cell in enumerate(cells)]
    lines = []
    for row in itertools.zip_longest(*wrapped_cells, fillvalue=""):
        line = " ".join(text.ljust(COLUMNS[k]) for k, text in enumerate(row))
        lines.append(line.rstrip())
    return lines
