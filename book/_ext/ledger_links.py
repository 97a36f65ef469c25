"""Link every "erratum E6" and "choice C14" of the prose to its entry on the page of the ledger."""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

ENTRY = re.compile(r"\b(?:erratum|choice)\s+([EC]\d+)\b")
LEDGER = "errata"


def split_at_entries(text: str) -> list[tuple[str, str | None]]:
    """The text in pieces, each with the id of the entry that it names or None.

    >>> split_at_entries("false (erratum E6).")
    [('false (', None), ('erratum E6', 'E6'), (').', None)]
    """
    pieces: list[tuple[str, str | None]] = []
    last = 0
    for match in ENTRY.finditer(text):
        pieces += [(text[last : match.start()], None), (match[0], match[1])]
        last = match.end()
    return [(piece, entry) for piece, entry in [*pieces, (text[last:], None)] if piece]


def link_entries(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Turn the entries that are named in the prose of a page into links; titles and code stay as they are."""
    ledger = app.builder.get_relative_uri(docname, LEDGER)
    for text in list(doctree.findall(nodes.Text)):
        closed = (nodes.reference, nodes.literal, nodes.literal_block, nodes.title, nodes.raw)
        if not ENTRY.search(text) or any(isinstance(parent, closed) for parent in ancestors(text)):
            continue
        linked = [
            nodes.reference("", piece, refuri=f"{ledger}#{entry}", internal=True) if entry else nodes.Text(piece)
            for piece, entry in split_at_entries(str(text))
        ]
        text.parent.replace(text, linked)


def ancestors(node: nodes.Node) -> list[nodes.Node]:
    """All nodes around this one, the nearest first."""
    found = []
    while node.parent is not None:
        node = node.parent
        found.append(node)
    return found


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect to Sphinx."""
    app.connect("doctree-resolved", link_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
