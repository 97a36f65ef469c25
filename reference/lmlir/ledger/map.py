"""The map: every item with its functions, laws, proofs, tests, page, ledger entries and status.

Nothing is typed twice.

A function belongs to the items that its docstring begins with ("Table 2, row 4: ..."). A law, a
proof or a test belongs to the items and ledger ids that it cites, and a page to the items that it
labels. They are read from the files of the checkout. An installed package has no `proofs/`,
`tests/` and `book/` beside it, so `setup.py` writes what they say into `links.json` when it builds
a wheel or an sdist.

Files are matched as text: importing them needs more than the standard library, which is all that a
build has, and parsing them would take five times as long as the 0.07 s that each `lmlir map` and
`lmlir errata` now spends on it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lmlir.ledger.choices import CHOICES, Choice
from lmlir.ledger.errata import ERRATA, Erratum
from lmlir.ledger.items import BEYOND, ENTRIES, NAMES, Entry, items_named, mentions, status

PACKAGE = Path(__file__).parents[1]
LINKS_FILE = Path(__file__).with_name("links.json")

Links = dict[str, dict[str, list[str]]]  # item or ledger id: kind of link: links

# One module per section of the paper, then our own theorems. Every public function in them belongs
# to an item.
PAPER_MODULES = (
    "regions",
    "intersection",
    "distance",
    "classifier",
    "continuity",
    "objective",
    "gradient",
    "initialization",
    "descent",
    "hull",
    "compression",
    "extinction",
)
# Modules and folders whose functions may name an item, but need not.
OTHER_MODULES = (
    "scalars",
    "learning",
    "ledger.tables_4_and_5",
    "ledger.table_5_again",
    "experiments",
)
# The chapter that explains a module or folder, where it has another name.
CHAPTERS = {
    "objective": "gradient",
    "initialization": "descent",
    "learning": "descent",
    "ledger": "experiments",
}

BRACKETS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"  # nested up to three deep
DEFINITION = re.compile(
    rf'^(?:def|class) ([a-zA-Z]\w*)(?:{BRACKETS})?[^\n]*\n(?:    r?"""(.*?)""")?', re.M | re.S
)
LAW = re.compile(r'^@law\(\s*((?:"[^"\n]*"\s*)+),.*?^def (\w+)', re.M | re.S)
FORMAL = re.compile(
    r"\(\*\*\s+(?!\*)((?:(?!\*\)).)*)\*\)\s*(?:Theorem|Lemma|Corollary)\s+([\w']+)", re.S
)
LABEL = re.compile(
    r"(?::label:|name:|\$\$) *\(?([a-z]+(?:-[a-z0-9_]+)+)\)?|^\(([a-z]+-[a-z0-9_-]+)\)=", re.M
)


class Item(NamedTuple):
    """An item with everything that belongs to it in this project."""

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


def items() -> list[Item]:
    """Every item with everything that belongs to it.

    >>> [item.functions for item in items() if item.item == "Definition 2"]
    [['lmlir.regions.is_in_background']]
    """
    return [complete(entry, links()) for entry in ENTRIES]


def complete(entry: Entry, linked: Links) -> Item:
    """One item with everything that belongs to it.

    A figure, remark or footnote has what the items have that it shows.
    """
    names = [entry.item, *entry.shows]

    def gathered(kind: str) -> list[str]:
        """The links of one kind of all names, in their order and each once."""
        links = [link for name in names for link in linked.get(name, {}).get(kind, [])]
        return list(dict.fromkeys(links))

    functions = functions_of_items()
    return Item(
        item=entry.item,
        title=entry.title,
        section=entry.section,
        functions=[function for function, named in functions.items() if set(names) & set(named)],
        laws=sorted(gathered("laws")),
        proofs=sorted(gathered("proofs")),
        formal=sorted(gathered("formal")),
        tests=sorted(gathered("tests")),
        page=next(iter(gathered("pages")), None),
        errata=[erratum.id for erratum in ERRATA if entry.item in erratum.items],
        choices=[choice.id for choice in CHOICES if entry.item in choice.items],
        status=status(entry.item),
    )


def evidence_of(entry: Erratum | Choice) -> dict[str, list[str]]:
    """The laws, proofs and tests that cite an erratum or a choice.

    The tests of its own functions come first.

    >>> list(evidence_of(ERRATA[0]))
    ['laws', 'proofs', 'formal', 'tests']
    """
    linked = links().get(entry.id, {})
    evidence = {kind: linked.get(kind, []) for kind in ("laws", "proofs", "formal", "tests")}
    own_files = tuple(f"/test_{function.split('.')[-2]}.py" for function in entry.functions)
    evidence["tests"] = sorted(
        evidence["tests"], key=lambda test: not test.split("::")[0].endswith(own_files)
    )
    return evidence


@cache
def links() -> Links:
    """The laws, proofs, formal proofs, tests and pages of each item and ledger id."""
    if LINKS_FILE.exists():
        return json.loads(LINKS_FILE.read_text(encoding="utf-8"))
    return found_links(PACKAGE.parents[1])


# ----------------------------------------------------------------------------- reading the checkout


def found_links(root: Path) -> Links:
    """The links of a checkout: what the laws, `proofs/`, `tests/` and `book/` cite."""
    links: Links = {}
    for kind, link, names in (
        *cited_by_python(root),
        *formal_statements(root),
        *pages_of_the_book(root),
    ):
        for name in names:
            links.setdefault(name, {}).setdefault(kind, []).append(link)
    return dict(sorted(links.items()))


def cited_by_python(root: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Every law, proof and test with what it cites."""
    for path in sorted((PACKAGE / "oracle" / "laws").glob("*.py")):
        for strings, name in LAW.findall(path.read_text(encoding="utf-8")):
            sentence = "".join(re.findall(r'"([^"]*)"', strings))
            yield "laws", name, mentions(sentence)
    for path in sorted((root / "proofs").glob("*.py")):
        for name, docstring in definitions(path):
            if name.startswith("prove_"):
                yield "proofs", f"proofs.{path.stem}.{name}", mentions(docstring)
    for path in sorted((root / "tests").rglob("test_*.py")):
        for name, docstring in definitions(path):
            if name.startswith("test_"):
                file = path.relative_to(root).as_posix()
                yield "tests", f"{file}::{name}", mentions(docstring)


def definitions(path: Path) -> list[tuple[str, str]]:
    """Name and docstring of every public function and class at the top of a Python file."""
    return DEFINITION.findall(path.read_text(encoding="utf-8"))


@cache
def public_functions(modules: tuple[str, ...] = PAPER_MODULES) -> dict[str, list[str]]:
    """The public functions of some modules and folders by dotted name, with the items that their
    docstrings begin with.

    Those whose docstring begins with an erratum or a choice come last: they belong to its items
    only by way of the ledger.

    >>> public_functions(("regions",))["lmlir.regions.is_in_ball"]
    ['Definition 1', 'Equation (1)']
    """
    docstrings = {}
    for module in modules:
        path = PACKAGE.joinpath(*module.split("."))
        files = sorted(path.glob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
        for file in files:
            if file.stem == "__init__":
                continue
            parts = file.relative_to(PACKAGE).with_suffix("").parts
            for name, docstring in definitions(file):
                docstrings[".".join(("lmlir", *parts, name))] = docstring

    names = sorted(docstrings, key=lambda name: docstrings[name].startswith(("Erratum", "Choice")))
    return {name: items_named(docstrings[name]) for name in names}


def functions_of_items() -> dict[str, list[str]]:
    """The public functions of all modules that may name an item, with the items they name."""
    return public_functions((*PAPER_MODULES, *OTHER_MODULES))


def formal_statements(root: Path) -> Iterator[tuple[str, str, list[str]]]:
    """The Coq statements whose comment begins with items, as in "Lemma 1; E6: ...", with these
    items and all its ids.
    """
    for path in sorted((root / "proofs" / "formal").glob("*.v")):
        for comment, name in FORMAL.findall(path.read_text(encoding="utf-8")):
            head, colon, sentence = " ".join(comment.split()).partition(":")
            ids = [cited for cited in mentions(sentence) if cited not in NAMES]
            if colon:
                yield "formal", name, list(dict.fromkeys([*mentions(head), *ids]))


def pages_of_the_book(root: Path) -> Iterator[tuple[str, str, list[str]]]:
    """The place where the book states an item: its label, or else the page that shows or explains
    one of its functions.
    """
    labels: dict[str, str] = {}
    chapters_that_show: dict[str, str] = {}
    for path in sorted((root / "book").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for name in map("".join, LABEL.findall(text)):
            anchor = f"equation-{name}" if name.startswith("eq-") else name  # as Sphinx calls it
            labels.setdefault(name, f"{path.stem}.html#{anchor}")
        for function in re.findall(r":pyobject: (\w+)", text):
            chapters_that_show.setdefault(function, f"{path.stem}.html")

    functions = functions_of_items()
    for name in NAMES:
        own = [function.split(".") for function, named in functions.items() if name in named]
        places = [labels.get(label_of(name))]
        for parts in own:
            places.append(chapters_that_show.get(parts[-1]))
        for parts in own:
            chapter = CHAPTERS.get(parts[1], parts[1])
            if (root / "book" / f"{chapter}.md").exists():
                places.append(f"{chapter}.html")
        first = next(filter(None, places), None)
        if first:
            yield "pages", first, [name]


def label_of(name: str) -> str:
    """How the book labels an item.

    >>> label_of("Equation (3)"), label_of("Section 5.2, dD/dM(B)")
    ('eq-3', 'section-5-2-dd-dm-b')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("equation", "eq")).strip("-")
