"""The map: every item with its functions, laws, proofs, tests, page, ledger entries and status; nothing typed twice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from lmlir.ledger.choices import CHOICES
from lmlir.ledger.errata import ERRATA
from lmlir.ledger.items import BEYOND, ENTRIES, Entry, status
from lmlir.ledger.links import LINKS_FILE, OTHER_MODULES, PAPER_MODULES, Links, links, public_functions


class Item(NamedTuple):
    """An entry with everything that belongs to it in this project."""

    item: str
    title: str
    section: str
    functions: list[str]
    laws: list[str]
    proofs: list[str]
    formal: list[str]
    tests: list[str]
    page: str | None
    errata: list[str]
    choices: list[str]
    status: str

    @property
    def place(self) -> str:
        """Where the item is stated, in words."""
        return self.section if self.section == BEYOND else f"section {self.section}"


def items(path: Path = LINKS_FILE) -> list[Item]:
    """Every item with everything that belongs to it.

    >>> [item.functions for item in items() if item.item == "Definition 2"]
    [['lmlir.regions.is_in_background']]
    """
    functions = public_functions((*PAPER_MODULES, *OTHER_MODULES))
    linked = links(path)
    return [complete(entry, functions, linked) for entry in ENTRIES]


def complete(entry: Entry, functions: Mapping[str, Collection[str]], linked: Links) -> Item:
    """One entry with everything that belongs to it; a figure has what the items have that it shows."""
    names = (entry.item, *entry.shows)

    def gathered(kind: str) -> list[str]:
        """All links of one kind, sorted, each once."""
        return sorted({link for name in names for link in linked.get(name, {}).get(kind, [])})

    return Item(
        item=entry.item,
        title=entry.title,
        section=entry.section,
        functions=[function for function, tied in functions.items() if any(name in tied for name in names)],
        laws=gathered("laws"),
        proofs=gathered("proofs"),
        formal=gathered("formal"),
        tests=gathered("tests"),
        page=next(iter(linked.get(entry.item, {}).get("pages", [])), None),
        errata=[erratum.id for erratum in ERRATA if entry.item in erratum.items],
        choices=[choice.id for choice in CHOICES if entry.item in choice.items],
        status=status(entry.item),
    )
