"""The formulas of the paper's items, in `book/formulas.toml`."""

import re
import tomllib

import pytest
from book_site import BOOK

from lmlir.ledger.errata import ERRATA
from lmlir.ledger.items import BEYOND, ENTRIES, NAMES

FORMULAS = tomllib.loads((BOOK / "formulas.toml").read_text(encoding="utf-8"))
PRINTED = FORMULAS["printed"]
TRUE = FORMULAS["true"]
WORDS_ONLY = {
    "Table 4",
    "Table 5",
    "Definition 5, footnote",
    "Section 5.1, neighbors",
    "Section 5.2, h(x)",
}
WORDS_ONLY |= {"Section 5.2, step 1", "Section 5.2, step 2", "Section 6, protocol"}
WORDS_ONLY |= {"Definition 3, footnote 2", "Definition 4, remark 1"}


def test_every_item_has_a_formula_or_is_known_to_need_none():
    """Figures, plans, and our own theorems, which their chapter states, have none either."""
    stated = [entry.item for entry in ENTRIES if entry.section not in (BEYOND, "7")]
    wanted = {item for item in stated if not item.startswith("Figure")}
    assert set(PRINTED) == wanted - WORDS_ONLY


def test_a_formula_that_differs_from_the_printed_one_has_an_erratum():
    for item, formula in TRUE.items():
        assert item in NAMES
        assert formula != PRINTED[item]
        assert any(item in erratum.items for erratum in ERRATA), item


@pytest.mark.parametrize("tex", [*PRINTED.values(), *TRUE.values()])
def test_braces_and_brackets_are_closed(tex):
    """MathJax would show them in red."""
    assert tex.count("{") == tex.count("}")
    assert len(re.findall(r"\\[bB]ig\(", tex)) == len(re.findall(r"\\[bB]ig\)", tex))


def test_every_erratum_has_a_short_title():
    """For headings, cards and the search; no two alike."""
    titles = [erratum.title for erratum in ERRATA]
    assert len(set(titles)) == len(titles)
    assert all(0 < len(title) <= 70 and title[-1] not in ".,;:" for title in titles)
