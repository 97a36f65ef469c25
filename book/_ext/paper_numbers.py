"""Compare the numbers of the book's statements with the paper's, and warn where they differ.

A strict build turns the warning into a failure. Statements and equations keep the numbers that
Sphinx counts, in the order of the table of contents, so the comparison can fail. Figures and tables
of the paper carry the paper's number; our own figures are counted within their chapter, as in
"Figure 3.2", where chapter 0 is the first page after the start.
"""

import re
from collections import Counter

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

logger = logging.getLogger(__name__)

STATEMENTS = {"definition": 9, "proposition": 4, "lemma": 1, "corollary": 1}
EQUATIONS = 12
FLOATS = {"figure": 3, "table": 5}


def complain(message: str, docname: str | None = None) -> None:
    """Warn, which a strict build treats as an error."""
    logger.warning(message, location=docname, type="paper_numbers")


def numbered(env: BuildEnvironment, kind: str) -> list[tuple[str, str, int]]:
    """Every counted item of a kind as (page, label, number), in no particular order."""
    found = []
    for docname, kinds in env.toc_fignumbers.items():
        for label, number in kinds.get(kind, {}).items():
            found.append((docname, label, number[-1]))
    return found


def compare(
    kind: str, last: int, found: list[tuple[str, str, int]], prefix: str
) -> list[tuple[str, str | None]]:
    """What is wrong with the numbers of one kind, as (sentence, page): wrong, foreign, repeated and
    missing numbers.
    """
    faults: list[tuple[str, str | None]] = []
    shown: Counter[int] = Counter()
    for docname, label, number in found:
        match = re.fullmatch(rf"{prefix}-(\d+)", label)
        if match is None:
            faults.append(
                (
                    f"{kind} {label!r} is not one of the paper's: call it {prefix}-N or leave it "
                    "unnumbered",
                    docname,
                )
            )
            continue
        paper_number = int(match.group(1))
        shown[paper_number] += 1
        if paper_number != number:
            faults.append(
                (f"the paper's {kind} {paper_number} would be printed as {kind} {number}", docname)
            )
    for paper_number in range(1, last + 1):
        if shown[paper_number] == 0:
            faults.append((f"the paper's {kind} {paper_number} is missing from the book", None))
        if shown[paper_number] > 1:
            faults.append(
                (f"the paper's {kind} {paper_number} is shown {shown[paper_number]} times", None)
            )
    faults += [
        (f"the paper has no {kind} {number}", None) for number in shown if not 1 <= number <= last
    ]
    return faults


def name_figures(app: Sphinx, doctree: nodes.document) -> None:
    """Give every figure that has no name an anchor; Sphinx counts no figure without one."""
    for number, figure in enumerate(doctree.findall(nodes.figure), start=1):
        if not figure["ids"]:
            figure["ids"].append(f"figure-here-{number}")


def renumber_floats(env: BuildEnvironment, kind: str) -> None:
    """Give a figure or table labeled like figure-2 the paper's number; count our own figures within
    their chapter.
    """
    chapters = {
        page: number
        for number, page in enumerate(env.toctree_includes.get(env.config.root_doc, []))
    }
    for docname, kinds in env.toc_fignumbers.items():
        numbers: dict[str, tuple[int, ...]] = {}
        own = 0
        for label in kinds.get(kind, {}):
            if re.fullmatch(rf"{kind}-[1-{FLOATS[kind]}]", label):
                numbers[label] = (int(label.rsplit("-", 1)[1]),)
            elif kind == "figure" and docname in chapters:
                own += 1
                numbers[label] = (chapters[docname], own)
        kinds[kind] = numbers


def check_numbers(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Run at the end of reading: compare all statements and equations, renumber figures and
    tables.
    """
    for kind, last in STATEMENTS.items():
        for sentence, docname in compare(kind, last, numbered(env, kind), kind):
            complain(sentence, docname)
    equations = [
        (page, label.removeprefix("equation-"), n)
        for page, label, n in numbered(env, "displaymath")
    ]
    for sentence, docname in compare("equation", EQUATIONS, equations, "eq"):
        complain(sentence, docname)
    for kind in FLOATS:
        renumber_floats(env, kind)
    return []


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the check after Sphinx has counted (it counts in the same event, earlier)."""
    app.connect("doctree-read", name_figures)
    app.connect("env-get-updated", check_numbers, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
