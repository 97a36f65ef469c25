"""The items: the names of the paper's statements and of this project's theorems, from `items.toml`,
and how a sentence names them.

An item is a numbered statement, equation, table or figure, or one of the paper's unnumbered
formulas, remarks, footnotes and plans, which are named by section and key word, as in "Section 5.2,
shrinkage". Footnotes that only name a web page or a source are left out. The theorems beyond the
paper have letters; C became a part of A.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from lmlir.beside import toml_beside
from lmlir.ledger.choices import CHOICES, Choice
from lmlir.ledger.errata import ERRATA, Erratum

BEYOND = "beyond the paper"  # the section of a theorem of this project


class Entry(NamedTuple):
    """An item's name, its statement in our words, its section, and the items that it illustrates or
    remarks on.
    """

    item: str
    title: str
    section: str
    shows: Sequence[str] = ()


_ITEMS = toml_beside(__file__)
ENTRIES = tuple(Entry(item, **fields) for item, fields in _ITEMS.items())
NAMES = tuple(entry.item for entry in ENTRIES)
UNNUMBERED = tuple(name for name in NAMES if ", " in name)


def items_of(ledger_id: str) -> list[str]:
    """The items that an erratum or a choice concerns. An unknown id raises a ValueError.

    >>> items_of("E9"), items_of("C4")
    (['Table 4'], ['Section 5.2, step 3'])
    """
    entries: list[Erratum | Choice] = [*ERRATA, *CHOICES]
    for entry in entries:
        if entry.id == ledger_id:
            return list(entry.items)
    raise ValueError(
        f"the ledger has errata E1 to E{len(ERRATA)} and choices C1 to C{len(CHOICES)}, got "
        f"{ledger_id}"
    )


def status(item: str) -> str:
    """The status of an item, computed from the ledger: "refuted", "corrected", "choice" or "holds".

    The first of these that applies counts: an erratum refutes the item or corrects it, or a choice
    decides what it leaves open. Remarks and corner cases do not change the status.

    >>> status("Lemma 1"), status("Proposition 1")
    ('refuted', 'holds')
    """
    effects = {erratum.items[item] for erratum in ERRATA if item in erratum.items}
    for effect in ("refuted", "corrected"):
        if effect in effects:
            return effect
    is_open = any(item in choice.items and choice.kind == "open" for choice in CHOICES)
    return "choice" if is_open else "holds"


# --------------------------------------------------------------------------- reading an item's name

KINDS = "definition|proposition|lemma|corollary|equation|table|figure|theorem"
NUMBERED = re.compile(rf"\b({KINDS})s? ((?:(?:\(?\d+\)?|[A-Z]\b)(?:, | and )?)+)", re.IGNORECASE)
BEGINNING = re.compile(rf"({KINDS}|section|errat|choice)", re.IGNORECASE)


def mentions(text: str) -> list[str]:
    """The items and ledger ids that a sentence mentions anywhere, as the docstrings of proofs and
    tests do.

    >>> mentions("Lemma 1 and equations (9) and (10): the quotient grows (E6), Theorem A, Table 9.")
    ['Equation (10)', 'Equation (9)', 'Lemma 1', 'Theorem A', 'E6']
    """
    sentence = " ".join(without_tex_signs(text).split())
    names = {name for name in UNNUMBERED if name in sentence}
    for kind, numbers in NUMBERED.findall(sentence):
        for number in re.findall(r"\d+|\b[A-Z]\b", numbers):
            if kind.lower() == "equation":
                number = f"({number})"
            names.add(f"{kind.capitalize()} {number}")
    ids = set(re.findall(r"\b[EC]\d+\b", sentence))
    return sorted(names & set(NAMES)) + sorted(ids, key=lambda id: (id[0], int(id[1:])))


def without_tex_signs(text: str) -> str:
    """The text without $, backslashes and braces."""
    return re.sub(r"[$\\{}]", "", text)


def items_named(text: str) -> list[str]:
    r"""The items that a docstring begins with, up to its first colon; none when it begins
    otherwise.

    An unnumbered item may be named by its section and key word apart from each other. An erratum or
    a choice stands for the items that it concerns.

    >>> items_named("Definition 5, equation (3): what no ball covers.")
    ['Definition 5', 'Equation (3)']
    >>> items_named(r"Section 5.2, dD/do_s and dD/dr_s together: one row of Table 3.")
    ['Section 5.2, dD/do_s', 'Section 5.2, dD/dr_s']
    >>> items_named("Erratum E9: a size."), items_named("The vector of Definition 3.")
    (['Table 4'], [])
    """
    first_line = without_tex_signs(text.split("\n")[0])
    head = first_line.split(": ")[0]
    if not BEGINNING.match(head):
        return []
    items = set()
    for name in mentions(head):
        items.update([name] if name in NAMES else items_of(name))
    section, _, rest = head.partition(", ")
    for name in NAMES:
        place, _, key = name.partition(", ")
        if place == section and (key in rest or place == "Section 6"):
            items.add(name)
    return [name for name in NAMES if name in items]
