"""The pages made from the ledger: their links and the corrected entries."""

import re
from html import unescape
from pathlib import Path

from book import ledger
from lmlir.ledger.errata import ERRATA
from lmlir.ledger.map import PACKAGE, definitions

BOOK = Path(ledger.__file__).parent


def test_every_link_to_a_function_finds_its_entry():
    """The page documents the module with its members, and the function is defined there."""
    pages = ledger.map_page() + ledger.errata_page() + ledger.choices_page()
    targets = set(re.findall(r'href="api/(\w+)\.html#([\w.]+)"', pages))
    assert len(targets) > 100
    for page, target in targets:
        module, _, name = target.rpartition(".")
        assert f"automodule:: {module}\n   :members:" in (BOOK / "api" / f"{page}.md").read_text(
            encoding="utf-8"
        )
        path = PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
        assert name in {defined for defined, _ in definitions(path)}, target


def test_a_corrected_entry_shows_its_old_words_on_the_page():
    page = unescape(ledger.errata_page())
    corrected = [erratum for erratum in ERRATA if erratum.was]
    assert corrected
    assert page.count("<dt>was</dt>") == len(corrected)
    assert all(erratum.was in page for erratum in corrected)
