"""`lmlir errata`: every mistake found in the paper, every choice it leaves open, both readings, and the evidence, run now."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from lmlir.ledger import witnesses
from lmlir.ledger.choices import CHOICES, Choice
from lmlir.ledger.errata import ERRATA, Erratum
from lmlir.ledger.items import items_of
from lmlir.ledger.map import evidence_of
from lmlir.terminal import WIDTH, wrapped, write_json

COLUMNS = (5, 21, 35, 36)  # id, items, as printed, what is true


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lmlir errata`."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these, as in E6 or C9 (default: all)")
    parser.add_argument("--json", metavar="FILE", help="write the ledger as JSON, to standard output if FILE is -")


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
    parts = []
    if mistakes:
        parts.append(listing(["", "where", "as printed", "what is true"], list(map(erratum_as_text, mistakes))))
    if choices:
        parts.append(listing(["", "where", "left open", "decided"], list(map(choice_as_text, choices))))
    print("\n\n\n".join(parts))
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
        "witnesses": [{"text": seen.text, "refutes": seen.refutes} for seen in witnesses.witnesses_of(erratum.id)],
        **evidence_of(erratum),
        "sources": list(erratum.sources),
        "was": erratum.was,
    }


def choice_as_json(choice: Choice) -> dict[str, Any]:
    """A choice with its evidence, ready for JSON."""
    return {**asdict(choice), "kind": f"choice, {choice.kind}", **evidence_of(choice)}


def columns(cells: Sequence[str]) -> list[str]:
    """One row of the listing: cells wrapped into their columns.

    >>> columns(["E9", "Table 4", "Haberman: 206", "306"])
    ['E9    Table 4               Haberman: 206                       306']
    """
    parts = [textwrap.wrap(cell, width) for cell, width in zip(cells, COLUMNS, strict=True)]
    lines = []
    for row in range(max(map(len, parts))):
        line = [(part[row] if row < len(part) else "").ljust(width) for part, width in zip(parts, COLUMNS, strict=True)]
        lines.append(" ".join(line).rstrip())
    return lines


def remark(name: str, text: str) -> list[str]:
    """A wrapped text below a row of the listing, labeled with a name. There are no lines if the text is empty.

    >>> remark("so", "names only"), remark("laws", "")
    (['      so       names only'], [])
    """
    return wrapped(text, f"      {name:<9}")


def evidence_lines(entry: Erratum | Choice) -> list[str]:
    """The laws, proofs and tests that cite an entry, for the terminal."""
    evidence = evidence_of(entry)
    lines = [line for kind in ("proofs", "formal", "laws") for line in remark(kind, ", ".join(evidence[kind]))]
    if evidence["tests"]:
        file, name = evidence["tests"][0].split("::")
        lines += remark("tests", f"{len(evidence['tests'])}, the first in {file}: {name}")
    return lines


def erratum_as_text(erratum: Erratum) -> str:
    """An erratum for the terminal: its row of the listing, the consequence, and the evidence, run now."""
    where = ", ".join(f"{item} ({effect})" for item, effect in erratum.items.items())
    lines = columns([erratum.id, where, erratum.printed, erratum.true]) + remark("so", erratum.consequence)
    lines += remark("printed", erratum.printed_by or "") + remark("true", erratum.true_by or "")
    for witness in witnesses.witnesses_of(erratum.id):
        lines += remark("seen" if witness.refutes else "NOT SEEN", witness.text)
    lines += evidence_lines(erratum)
    for source in erratum.sources:
        lines += remark("source", source)
    return "\n".join(lines + remark("was", erratum.was or ""))


def choice_as_text(choice: Choice) -> str:
    """A choice for the terminal."""
    lines = columns([choice.id, ", ".join(choice.items), choice.question, choice.decision])
    lines += remark("because", choice.why) + remark("in", ", ".join(choice.taken_in))
    return "\n".join(lines + evidence_lines(choice))


def listing(head: Sequence[str], rows: Sequence[str]) -> str:
    """Rows under a head and a rule."""
    return "\n".join([*columns(head), "-" * WIDTH, "\n\n".join(rows)])
