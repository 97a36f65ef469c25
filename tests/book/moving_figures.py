"""A page with nothing but one of the figures that can be moved, opened from disk without building
the book.
"""

from pathlib import Path
from typing import Any

from book_site import BOOK

STYLES = ("playground.css", "explorable.css")  # in the order in which the book loads them


def write_page(folder: Path, figure: str, scripts: tuple[str, ...]) -> Path:
    """An HTML file with the book's own styles and scripts around `figure`."""
    styles = "".join(
        f'<link rel="stylesheet" href="{(BOOK / "_static" / name).as_uri()}">' for name in STYLES
    )
    sources = "".join(
        f'<script src="{(BOOK / "_extra" / "explorable" / name).as_uri()}"></script>'
        for name in scripts
    )
    path = folder / "figure.html"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width">{styles}'
    path.write_text(
        f'<!doctype html><html data-theme="light"><head>{head}</head><body '
        f'class="bd-content">{figure}{sources}</body></html>'
    )
    return path


def open_page(page: Any, path: Path, ready: str) -> None:
    """Goes to the page and waits until its figure is ready."""
    page.goto(path.as_uri())
    page.wait_for_selector(ready, timeout=20_000)
