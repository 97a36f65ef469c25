"""The map: every item of the paper with its functions, laws, proofs, tests, page and status.

An item is a numbered statement, equation, table or figure, or one of the paper's unnumbered formulas, which go by section
and a key word, as in "Section 5.2, shrinkage". Nothing here is typed twice:

- the functions of an item are those whose docstring begins with it ("Table 2, row 4: ..."),
- its laws, proofs, tests and page are read from the oracle, `proofs/`, `tests/` and `book/` into `links.json` by
  `python -m lmlir.paper --write-links`, because an installed package has none of the last three beside it,
- its status is computed from the ledger of mistakes and choices, `lmlir.errata`.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from lmlir import errata

PACKAGE = Path(__file__).parent
LINKS_FILE = PACKAGE / "links.json"
WIDTH = 100

# One module per section of the paper. Every public function in them belongs to an item.
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
)
# Modules whose functions may name an item, but need not.
OTHER_MODULES = ("scalars", "learning", "ledger.tables_4_and_5", "experiments.protocol", "experiments.data")


# Modules whose functions the book explains in the chapter of another one.
CHAPTERS = {
    "objective": "gradient",
    "initialization": "descent",
    "learning": "descent",
    "ledger": "experiments",
}


class Entry(NamedTuple):
    """What the paper itself says about an item: its name, its content in our words, its section, what it illustrates."""

    item: str
    title: str
    section: str
    shows: tuple[str, ...] = ()


class Item(NamedTuple):
    """An entry with everything that belongs to it in this project."""

    item: str
    title: str
    section: str
    functions: list[str]
    laws: list[str]
    proofs: list[str]
    tests: list[str]
    page: str | None
    errata: list[str]
    choices: list[str]
    status: str


ENTRIES = (
    Entry("Definition 1", "influential regions are closed Euclidean balls", "2"),
    Entry("Definition 2", "the background is everything outside the balls", "2"),
    Entry("Definition 3", "a region has its own metric, which measures segments inside it", "2"),
    Entry("Definition 4", "the background has a metric, which measures segments inside it", "2"),
    Entry("Definition 5", "what a segment has in common with a region, and with the background", "2"),
    Entry("Definition 6", "the length of what a segment has in common with a region, or with the background", "2"),
    Entry("Definition 7", "a segment is as long as its background part and its region parts together", "2"),
    Entry("Definition 8", "intersection points, their coefficients, and the ratio gamma", "3.1"),
    Entry("Definition 9", "the Lipschitz constant of a function", "4.2"),
    Entry("Proposition 1", "a region's part of a segment is gamma times the segment's length in its metric", "3.1"),
    Entry("Proposition 2", "the distance when the regions do not overlap", "3.2"),
    Entry("Proposition 3", "Lipschitz constants of a sum, a difference and a multiple", "4.2"),
    Entry("Proposition 4", "a Lipschitz constant of the sum of the K smallest", "4.2"),
    Entry("Lemma 1", "a Lipschitz constant of the classifier", "4.2"),
    Entry("Corollary 1", "a bound on the error of the classifier", "4.2"),
    Entry("Equation (1)", "the points of a ball", "2"),
    Entry("Equation (2)", "the length of a segment inside a region", "2"),
    Entry("Equation (3)", "the background's part of a segment: what no ball covers", "2"),
    Entry("Equation (4)", "the length of the background's part", "2"),
    Entry("Equation (5)", "the length of a segment as a sum over the regions", "2"),
    Entry("Equation (6)", "the length of an intersection by its ratio", "3.1"),
    Entry("Equation (7)", "the quadratic equation for the points where a line meets a sphere", "3.1"),
    Entry("Equation (8)", "the distance without overlap, by ratios", "3.2"),
    Entry("Equation (9)", "the distance with overlap, by ratios", "3.2"),
    Entry("Equation (10)", "the classifier: mean distance to the K nearest of either class, subtracted", "4.1"),
    Entry("Equation (11)", "the learning bound", "4.2"),
    Entry("Equation (12)", "the optimisation problem: hinge losses of pairs plus a penalty on the metrics", "5.1"),
    Entry("Table 1", "the notation of the intersection: a, b, c, Delta, lambda, u, v, p, q, gamma", "3.1"),
    Entry("Table 2", "the eight positions of a segment and a ball", "3.1"),
    Entry("Table 3", "the gradient of gamma by center and radius, in five rows", "5"),
    Entry("Table 4", "the fourteen data sets", "6"),
    Entry("Table 5", "accuracies of nine methods on the fourteen data sets", "6"),
    Entry("Figure 1", "the distance along a segment through two regions", "1", ("Definition 7",)),
    Entry("Figure 2", "what a local metric can do for two classes", "1", ("Definition 3", "Section 5.2, objective g")),
    Entry("Figure 3", "the positions of u, v, p, q in the eight cases", "3.1", ("Table 2",)),
    Entry("Definition 5, footnote", "a union of intervals as intervals that do not overlap", "2"),
    Entry("Section 3.1, step 2", "the coefficients clipped to the segment", "3.1"),
    Entry("Section 3.2, gamma_b", "the background's ratio, exact and approximate", "3.2"),
    Entry("Section 4.1, 1-NN", "the nearest neighbour rule as the sign of a function", "4.1"),
    Entry("Section 4.1, D_set", "the distances from a point to all instances of a class", "4.1"),
    Entry("Section 4.1, sumKmin", "the sum of the K smallest elements", "4.1"),
    Entry("Section 4.1, sign of f", "the predicted class", "4.1"),
    Entry("Section 5.1, neighbours", "the K nearest in the same class, and in the other", "5.1"),
    Entry("Section 5.2, gradient descent", "one step of the descent", "5.2"),
    Entry("Section 5.2, objective g", "the problem without constraints", "5.2"),
    Entry("Section 5.2, gradient of g", "the sum over the pairs with an active hinge", "5.2"),
    Entry("Section 5.2, shrinkage", "the gradient of the penalty", "5.2"),
    Entry("Section 5.2, dD/dM(B)", "how the distance moves with the background metric", "5.2"),
    Entry("Section 5.2, dD/dM(A_s)", "how the distance moves with a local metric", "5.2"),
    Entry("Section 5.2, dD/do_s", "how the distance moves with a center", "5.2"),
    Entry("Section 5.2, dD/dr_s", "how the distance moves with a radius", "5.2"),
    Entry("Section 5.2, h(x)", "the local discriminative direction of an instance", "5.2"),
    Entry("Section 5.2, step 1", "initial values: a direction for every instance", "5.2"),
    Entry("Section 5.2, step 2", "initial values: clusters of instances and their directions", "5.2"),
    Entry("Section 5.2, step 3", "initial values: centers, radii and metrics from the clusters", "5.2"),
    Entry("Section 6, protocol", "preprocessing, splits, parameters, and what is reported", "6"),
)
NAMES = tuple(entry.item for entry in ENTRIES)


# ----------------------------------------------------------------------------------------------- reading an item's name


def plain(text: str) -> str:
    r"""The text without TeX's dollars, backslashes and braces.

    >>> plain(r"Section 3.2, $\gamma_b$, exact")
    'Section 3.2, gamma_b, exact'
    """
    return re.sub(r"[$\\{}]", "", text)


def items_named(text: str) -> list[str]:
    r"""The items that a text begins with, up to its first colon; none when it begins otherwise.

    >>> items_named("Definition 5, equation (3): what no ball covers.")
    ['Definition 5', 'Equation (3)']
    >>> items_named("Definitions 3 and 4 need a matrix."), items_named("The vector u - v.")
    (['Definition 3', 'Definition 4'], [])
    >>> items_named(r"Section 5.2, dD/do_s and dD/dr_s together: one row of Table 3.")
    ['Section 5.2, dD/do_s', 'Section 5.2, dD/dr_s']
    """
    head = plain(text.split("\n")[0]).split(": ")[0]
    if not re.match(r"(Definition|Proposition|Lemma|Corollary|Equation|Table|Figure|Section|Errat|Choice)", head):
        return []
    found = [f"{kind} {number}" for kind, numbers in numbered_mentions(head) for number in numbers]
    found += [name for name in NAMES if name.startswith("Section") and is_named_in(name, head)]
    if head.startswith("Definition 5, footnote"):
        found.append("Definition 5, footnote")
    for ledger_id in re.findall(r"\b[EC]\d+\b", head):
        found += [item for item in errata.items_of(ledger_id) if item not in found]
    return [name for name in NAMES if name in found]


def numbered_mentions(text: str) -> Iterator[tuple[str, list[str]]]:
    """The kinds and numbers of all numbered items in a text.

    >>> list(numbered_mentions("Definitions 3 and 4, equation (2), Proposition 3(a)"))
    [('Definition', ['3', '4']), ('Equation', ['(2)']), ('Proposition', ['3'])]
    """
    pattern = r"\b(definition|proposition|lemma|corollary|equation|table|figure)s? ((?:\(?\d+\)?(?:, | and )?)+)"
    for kind, numbers in re.findall(pattern, text, flags=re.IGNORECASE):
        digits = re.findall(r"\d+", numbers)
        yield kind.capitalize(), [f"({n})" if kind.lower() == "equation" else n for n in digits]


def is_named_in(name: str, head: str) -> bool:
    """Whether a head names an unnumbered item: the same section, and its key word in it.

    >>> is_named_in("Section 5.2, h(x)", "Section 5.2, step 1, h(x)"), is_named_in("Section 6, protocol", "Section 6")
    (True, True)
    """
    section, key = name.split(", ", 1)
    if not re.match(rf"{re.escape(section)}(,|$)", head):
        return False
    return section == "Section 6" or key in head


# ---------------------------------------------------------------------------------------------- functions and links


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
        f"lmlir.{module}.{name}": [] if is_witness(docstring) else items_named(docstring)
        for module in modules
        for name, docstring in definitions(PACKAGE.joinpath(*module.split(".")).with_suffix(".py"))
    }


def is_witness(docstring: str) -> bool:
    """Whether a docstring is that of a witness: it speaks against an item, it does not state it.

    >>> is_witness("Erratum E9, witness: the means know the number of rows.")
    True
    """
    return re.match(r"Erratum E\d+, witness", docstring) is not None


def links(path: Path = LINKS_FILE) -> dict[str, dict[str, list[str]]]:
    """What `links.json` says: item or ledger id to its laws, proofs, tests and pages."""
    content: dict[str, dict[str, list[str]]] = json.loads(path.read_text(encoding="utf-8"))
    return content


def status(item: str) -> str:
    """What has become of an item: "refuted", "corrected", "choice" or "holds", computed from the ledger.

    The gravest word wins: an erratum refutes the item or corrects it, a choice fills what it leaves open. An erratum that
    only concerns the wording leaves the statement standing.

    >>> status("Lemma 1"), status("Proposition 1")
    ('refuted', 'holds')
    """
    effects = {erratum.items[item] for erratum in errata.ERRATA if item in erratum.items}
    for effect in ("refuted", "corrected"):
        if effect in effects:
            return effect
    is_open = any(item in choice.items and choice.kind == "open" for choice in errata.CHOICES)
    return "choice" if is_open else "holds"


def items(path: Path = LINKS_FILE) -> list[Item]:
    """Every item of the paper with everything that belongs to it.

    >>> [item.functions for item in items() if item.item == "Definition 2"]
    [['lmlir.regions.is_in_background']]
    """
    functions = public_functions((*PAPER_MODULES, *OTHER_MODULES))
    linked = links(path)
    return [complete(entry, functions, linked) for entry in ENTRIES]


def complete(
    entry: Entry, functions: Mapping[str, Collection[str]], linked: Mapping[str, Mapping[str, list[str]]]
) -> Item:
    """One entry with everything that belongs to it; a figure has what the items have that it shows."""
    names = (entry.item, *entry.shows)

    def gathered(kind: str) -> list[str]:
        return sorted({link for name in names for link in linked.get(name, {}).get(kind, [])})

    pages = linked.get(entry.item, {}).get("pages", [])
    return Item(
        item=entry.item,
        title=entry.title,
        section=entry.section,
        functions=[function for function, tied in functions.items() if any(name in tied for name in names)],
        laws=gathered("laws"),
        proofs=gathered("proofs"),
        tests=gathered("tests"),
        page=pages[0] if pages else None,
        errata=[erratum.id for erratum in errata.ERRATA if entry.item in erratum.items],
        choices=[choice.id for choice in errata.CHOICES if entry.item in choice.items],
        status=status(entry.item),
    )


# ------------------------------------------------------------------------------------------------ writing links.json


def mentions(text: str) -> list[str]:
    """The items and ledger ids that a sentence mentions anywhere, as the docstrings of proofs and tests do.

    >>> mentions("Lemma 1 and equation (9): the quotient grows (E6).")
    ['Equation (9)', 'Lemma 1', 'E6']
    """
    sentence = plain(text)
    numbered = {f"{kind} {number}" for kind, numbers in numbered_mentions(sentence) for number in numbers}
    numbered |= {name for name in NAMES if ", " in name and name in sentence}
    ids = re.findall(r"\b[EC]\d+\b", sentence)
    return sorted(numbered & set(NAMES)) + sorted(set(ids), key=lambda i: (i[0], int(i[1:])))


def found_links(root: Path) -> dict[str, dict[str, list[str]]]:
    """The links as they are in a checkout: what the oracle, proofs/, tests/ and book/ say about each item and ledger id."""
    found: dict[str, dict[str, list[str]]] = {}

    def tie(kind: str, link: str, names: Iterable[str]) -> None:
        for name in names:
            found.setdefault(name, {}).setdefault(kind, []).append(link)

    for law, law_items in laws_of_the_oracle():
        tie("laws", law, law_items)
    for path in sorted((root / "proofs").glob("*.py")):
        for name, docstring in definitions(path):
            if name.startswith("prove_"):
                tie("proofs", f"proofs.{path.stem}.{name}", mentions(docstring))
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
        places = [labels[label] for label in labels_of(name) if label in labels]
        places += [shown[parts[-1]] for parts in tied if parts[-1] in shown]
        chapters = [CHAPTERS.get(parts[1], parts[1]) for parts in tied]
        places += [f"{chapter}.html" for chapter in chapters if (book / f"{chapter}.md").exists()]
        if places:
            yield name, places[0]


def labels_of(name: str) -> list[str]:
    """How the book labels an item.

    >>> labels_of("Equation (3)"), labels_of("Section 5.2, dD/dM(B)")
    (['eq-3'], ['section-5-2-dd-dm-b'])
    """
    if name.startswith("Equation"):
        return [f"eq-{re.findall(r'[0-9]+', name)[0]}"]
    return [re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")]


def write_links(root: Path, path: Path = LINKS_FILE) -> None:
    """Brings `links.json` up to date with a checkout."""
    path.write_text(json.dumps(found_links(root), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# ------------------------------------------------------------------------------------------------------- the command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `lmlir map`."""
    parser.add_argument("items", nargs="*", metavar="ITEM", help='only these, as in "Definition 5" (default: all)')
    parser.add_argument("--json", metavar="FILE", help="write the map as JSON, to standard output if FILE is -")


def chosen_items(names: Sequence[str]) -> list[Item]:
    """The items asked for, all when none is; "definition 5" also finds its footnote."""
    every = items()
    if not names:
        return every
    chosen = [item for item in every if any(name.lower() in item.item.lower() for name in names)]
    if not chosen:
        raise ValueError(f"the paper has no item {' or '.join(names)}; items are named like Definition 5 or Table 2")
    return chosen


def as_text(item: Item) -> str:
    """One item for a terminal."""
    place = "" if item.item.startswith("Section") else f", section {item.section}"
    lines = [f"{item.item}{place}: {item.status}", f"  {item.title}"]
    rows = {
        "functions": item.functions,
        "laws": item.laws,
        "proofs": item.proofs,
        "tests": [f"{len(item.tests)} in tests/"] if item.tests else [],
        "page": [item.page] if item.page else [],
        "ledger": [*item.errata, *item.choices],
    }
    for name, values in rows.items():
        if values:
            lines += textwrap.wrap(
                ", ".join(values),
                WIDTH,
                initial_indent=f"  {name:<10} ",
                subsequent_indent=" " * 13,
                break_on_hyphens=False,
            )
    return "\n".join(lines)


def summary(chosen: Sequence[Item]) -> str:
    """How many items have which status.

    >>> summary(items()).split(":")[0]
    '56 items of the paper'
    """
    words = ("holds", "corrected", "refuted", "choice")
    counts = ", ".join(f"{sum(item.status == word for item in chosen)} {word}" for word in words)
    return f"{len(chosen)} items of the paper: {counts}"


def write_json(content: object, destination: str) -> None:
    """JSON into a file, or to standard output for "-"."""
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    if destination == "-":
        sys.stdout.write(text)
    else:
        Path(destination).write_text(text, encoding="utf-8")


def run(arguments: argparse.Namespace) -> int:
    """`lmlir map`: prints the map, or writes it as JSON."""
    chosen = chosen_items(arguments.items)
    if arguments.json:
        write_json([item._asdict() for item in chosen], arguments.json)
    else:
        print("\n\n".join(map(as_text, chosen)), summary(chosen), sep="\n\n")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """`python -m lmlir.paper --write-links`: brings `links.json` up to date; needs a checkout."""
    parser = argparse.ArgumentParser(prog="python -m lmlir.paper", description=main.__doc__)
    parser.add_argument("--write-links", action="store_true", required=True, help="write reference/lmlir/links.json")
    parser.parse_args(argv)
    write_links(PACKAGE.parents[1])
    print(f"wrote {LINKS_FILE.name}: {len(links())} items and ledger entries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
