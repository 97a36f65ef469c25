"""Link every mention of a statement, an erratum or a choice, and show a card when the pointer rests
on such a link.

"Definition 8", "equation (9)", "Theorem A", "E15" or "choice C19" in the prose of a page becomes a
link: items of the paper to the place where the book states them, ledger entries to their card in
the ledger. `_static/cards.js` shows the card; its contents are written by `write_cards` as a
script, because a page that was opened from disk cannot fetch a file.
"""

import json
import re
import tomllib
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from lmlir.ledger.choices import CHOICES
from lmlir.ledger.errata import ERRATA
from lmlir.ledger.items import NAMES
from lmlir.ledger.map import items

LEDGER = "errata"
PRINTED = tomllib.loads((Path(__file__).parents[1] / "formulas.toml").read_text(encoding="utf-8"))[
    "printed"
]
MENTION = re.compile(
    r"\b(?:(?:erratum|errata|choice)\s+)?([EC]\d+)\b"
    r"|\b((?:Definition|Proposition|Lemma|Corollary|Table|Theorem) (?:\d+|[A-E]))\b"
    r"|\b([Ee]quation \(\d+\))"
)
CLOSED = (
    nodes.reference,
    nodes.literal,
    nodes.literal_block,
    nodes.title,
    nodes.raw,
    nodes.math,
    nodes.caption,
)


def known_ids() -> set[str]:
    """The ids of the ledger."""
    return {entry.id for entry in (*ERRATA, *CHOICES)}


def split_at_mentions(text: str) -> list[tuple[str, str | None]]:
    """The text in pieces, each with the ledger id or the item that it names, or None.

    >>> split_at_mentions("false (erratum E6), see equation (9).")
    [('false (', None), ('erratum E6', 'E6'), ('), see ', None), ('equation (9)', 'Equation (9)'),
     ('.', None)]
    >>> split_at_mentions("in E99 dimensions")
    [('in E99 dimensions', None)]
    """
    pieces: list[tuple[str, str | None]] = []
    last = 0
    for match in MENTION.finditer(text):
        name = match[1] or match[2] or match[3].capitalize()
        if name in known_ids() or name in NAMES:
            pieces += [(text[last : match.start()], None), (match[0], name)]
            last = match.end()
    return [(piece, name) for piece, name in [*pieces, (text[last:], None)] if piece]


def targets() -> dict[str, str]:
    """For each ledger id and each item with a place in the book: page and anchor, as in
    "regions.html#definition-1".
    """
    found = {name: f"{LEDGER}.html#{name}" for name in known_ids()}
    return {**found, **{item.item: item.page for item in items() if item.page}}


def link_mentions(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Turn what is mentioned in the prose of a page into links; titles, formulas and code stay as
    they are.
    """
    places = targets()
    for text in list(doctree.findall(nodes.Text)):
        pieces = split_at_mentions(str(text))
        if not any(name in places for _, name in pieces) or any(
            isinstance(node, CLOSED) for node in ancestors(text)
        ):
            continue
        text.parent.replace(
            text, [linked(app, docname, piece, places.get(name or "")) for piece, name in pieces]
        )


def linked(app: Sphinx, docname: str, piece: str, place: str | None) -> nodes.Node:
    """A piece of text, as a link where it names a place."""
    if place is None:
        return nodes.Text(piece)
    page, _, anchor = place.partition("#")
    uri = app.builder.get_relative_uri(docname, page.removesuffix(".html"))
    return nodes.reference("", piece, refuri=f"{uri}#{anchor}", internal=True)


def ancestors(node: nodes.Node) -> list[nodes.Node]:
    """All nodes around this one, the nearest first."""
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def cards() -> dict[str, str]:
    """The contents of the cards as HTML, by the anchor that a link points at."""
    found = {}
    for erratum in ERRATA:
        found[erratum.id] = card(
            f"{erratum.id}: {erratum.title}", f"Printed: {erratum.printed}", f"True: {erratum.true}"
        )
    for choice in CHOICES:
        found[choice.id] = card(f"{choice.id}: {choice.question}", f"Decided: {choice.decision}")
    for item in items():
        if item.page:
            formula = f"\\({PRINTED[item.item]}\\)" if item.item in PRINTED else ""
            notes = ", ".join(item.errata) and f"See {', '.join(item.errata)}."
            anchor = item.page.partition("#")[2]
            # Remarks and footnotes come after the items whose place they share.
            found.setdefault(
                anchor, card(f"{item.item}: {item.status}", item.title, formula, notes)
            )
    return found


def card(title: str, *lines: str) -> str:
    """A title and some lines, escaped."""
    return f"<strong>{escape(title)}</strong>" + "".join(
        f"<p>{escape(line)}</p>" for line in lines if line
    )


def write_cards(app: Sphinx, exception: Exception | None) -> None:
    """Write the cards beside the other scripts of the built book."""
    if exception is None and app.builder.name == "html":
        script = f"window.lmlirCards = {json.dumps(cards(), ensure_ascii=False)};\n"
        (Path(app.outdir) / "_static" / "cards_data.js").write_text(script, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect to Sphinx."""
    app.connect("doctree-resolved", link_mentions)
    app.connect("build-finished", write_cards)
    # files in _static, such as cards.js, are on every page already
    app.add_js_file("cards_data.js")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
