"""The links: which functions, laws, proofs, formal proofs, tests and pages belong to an item or a ledger id.

The functions of an item are those whose docstring begins with it ("Table 2, row 4: ..."). The rest is read from the oracle,
`proofs/`, `tests/` and `book/` into `links.json` by `python -m lmlir.ledger.links`, because an installed package has none
of the last three beside it.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from lmlir.ledger.choices import Choice
from lmlir.ledger.errata import Erratum
from lmlir.ledger.items import NAMES, items_named, mentions

PACKAGE = Path(__file__).parents[1]
LINKS_FILE = Path(__file__).with_suffix(".json")

Links = dict[str, dict[str, list[str]]]  # item or ledger id: kind of link: links


def existing(*modules: str) -> tuple[str, ...]:
    """Those of the modules, or of the modules in these folders of the package, whose files are there.

    >>> existing("regions", "nothing"), "experiments.data" in existing("experiments")
    (('regions',), True)
    """
    paths = [PACKAGE.joinpath(*module.split(".")) for module in modules]
    files = [file for path in paths for file in (path.with_suffix(".py"), *sorted(path.glob("*.py"))) if file.exists()]
    return tuple(".".join(file.relative_to(PACKAGE).with_suffix("").parts) for file in files if file.stem != "__init__")


# One module per section of the paper, then our own theorems. Every public function in them belongs to an item.
PAPER_MODULES = existing(
    *("regions", "intersection", "distance", "classifier", "continuity", "objective", "gradient", "initialization"),
    *("descent", "hull", "compression", "extinction"),
)
# Modules whose functions may name an item, but need not.
OTHER_MODULES = existing("scalars", "learning", "ledger.tables_4_and_5", "ledger.table_5_again", "experiments")
# Modules whose functions the book explains in the chapter of another one.
CHAPTERS = {"objective": "gradient", "initialization": "descent", "learning": "descent", "ledger": "experiments"}


def definitions(path: Path) -> Iterator[tuple[str, str]]:
    """Name and docstring of every public function and class at the top of a Python file, without importing it."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node.name, ast.get_docstring(node) or ""


def public_functions(modules: Iterable[str] = PAPER_MODULES) -> dict[str, list[str]]:
    """The public functions of some modules of this package by dotted name, with the items that their docstrings name.

    >>> public_functions(["regions"])["lmlir.regions.is_in_ball"]
    ['Definition 1', 'Equation (1)']
    """
    return {
        f"lmlir.{module}.{name}": items_named(docstring)
        for module in modules
        for name, docstring in definitions(PACKAGE.joinpath(*module.split(".")).with_suffix(".py"))
    }


def links(path: Path = LINKS_FILE) -> Links:
    """What `links.json` says: item or ledger id to its laws, proofs, formal proofs, tests and pages."""
    content: Links = json.loads(path.read_text(encoding="utf-8"))
    return content


def evidence_of(entry: Erratum | Choice) -> dict[str, list[str]]:
    """The laws, proofs and tests that cite an erratum or a choice; the tests of its own functions come first.

    >>> from lmlir.ledger.errata import ERRATA
    >>> list(evidence_of(ERRATA[0]))
    ['laws', 'proofs', 'formal', 'tests']
    """
    linked = links().get(entry.id, {})
    functions = entry.taken_in if isinstance(entry, Choice) else (entry.printed_by, entry.true_by)
    mirrored = {f"test_{name.split('(')[0].split('.')[-2]}.py" for name in functions if name}
    found = {kind: linked.get(kind, []) for kind in ("laws", "proofs", "formal", "tests")}
    found["tests"] = sorted(found["tests"], key=lambda test: Path(test.split("::")[0]).name not in mirrored)
    return found


# ------------------------------------------------------------------------------------------------ writing links.json


def found_links(root: Path) -> Links:
    """The links as they are in a checkout: what the oracle, proofs/, tests/ and book/ say about each item and ledger id."""
    found: Links = {}

    def tie(kind: str, link: str, names: Iterable[str]) -> None:
        """Note a law, a proof or a test for each name that it cites."""
        for name in names:
            found.setdefault(name, {}).setdefault(kind, []).append(link)

    for law, law_items in laws_of_the_oracle():
        tie("laws", law, law_items)
    for path in sorted((root / "proofs").glob("*.py")):
        for name, docstring in definitions(path):
            if name.startswith("prove_"):
                tie("proofs", f"proofs.{path.stem}.{name}", mentions(docstring))
    for path in sorted((root / "proofs" / "formal").glob("*.v")):
        for name, proved in formal_statements(path.read_text(encoding="utf-8")):
            tie("formal", name, proved)
    for path in sorted((root / "tests").rglob("test_*.py")):
        for name, docstring in definitions(path):
            if name.startswith("test_"):
                tie("tests", f"{path.relative_to(root).as_posix()}::{name}", mentions(docstring))
    for name, page in pages_of_the_book(root / "book"):
        tie("pages", page, [name])
    return {name: found[name] for name in sorted(found)}


def laws_of_the_oracle() -> list[tuple[str, list[str]]]:
    """Every law's name with the items that it cites."""
    from lmlir.oracle import laws

    return [(law.name, [name for text in law.items for name in mentions(text)]) for law in laws.LAWS]


def formal_statements(source: str) -> Iterator[tuple[str, list[str]]]:
    """The statements of a Coq file whose comment begins with items, as in "Lemma 1; E6: ...", with these.

    >>> list(formal_statements("(** Lemma 1; Theorem A: so (E6). *)\\nTheorem modulus : True."))
    [('modulus', ['Lemma 1', 'Theorem A', 'E6'])]
    """
    comment = r"\(\*\*\s+(?!\*)((?:(?!\*\)).)*)\*\)\s*(?:Theorem|Lemma|Corollary)\s+([\w']+)"
    for text, name in re.findall(comment, source, re.S):
        head, colon, sentence = " ".join(text.split()).partition(":")
        ids = [cited for cited in mentions(sentence) if cited not in NAMES]
        named = list(dict.fromkeys([*mentions(head), *ids]))
        if colon and named:
            yield name, named


def pages_of_the_book(book: Path) -> Iterator[tuple[str, str]]:
    """Items with the place where the book states them: a label, or else the page that shows or explains a function."""
    labels: dict[str, str] = {}
    shown: dict[str, str] = {}
    for path in sorted(book.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for label in re.findall(
            r"(?::label:|name:|\$\$) *\(?([a-z]+(?:-[a-z0-9_]+)+)\)?|^\(([a-z]+-[a-z0-9_-]+)\)=", text, re.M
        ):
            name = "".join(label)
            anchor = f"equation-{name}" if name.startswith("eq-") else name  # as Sphinx calls it
            labels.setdefault(name, f"{path.stem}.html#{anchor}")
        for function in re.findall(r":pyobject: (\w+)", text):
            shown.setdefault(function, f"{path.stem}.html")
    functions = public_functions((*PAPER_MODULES, *OTHER_MODULES))
    for name in NAMES:
        tied = [function.split(".") for function, its in functions.items() if name in its]
        places = [labels[label] for label in [label_of(name)] if label in labels]
        places += [shown[parts[-1]] for parts in tied if parts[-1] in shown]
        chapters = [CHAPTERS.get(parts[1], parts[1]) for parts in tied]
        places += [f"{chapter}.html" for chapter in chapters if (book / f"{chapter}.md").exists()]
        if places:
            yield name, places[0]


def label_of(name: str) -> str:
    """How the book labels an item.

    >>> label_of("Equation (3)"), label_of("Section 5.2, dD/dM(B)")
    ('eq-3', 'section-5-2-dd-dm-b')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("equation", "eq")).strip("-")


def write_links(root: Path = PACKAGE.parents[1], path: Path = LINKS_FILE) -> None:
    """Brings `links.json` up to date with a checkout."""
    path.write_text(json.dumps(found_links(root), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"wrote {path.name}: {len(links(path))} items and ledger entries")


if __name__ == "__main__":
    write_links()
