"""Output that the commands share: JSON files, wrapped lines and tables."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

WIDTH = 100  # columns
CANNOT_RUN = 2  # exit statuses
INTERRUPTED = 130


def write_json(content: object, destination: str | None) -> None:
    """Write JSON to a file, to standard output for "-", or nowhere for None.

    NaN and infinities raise a ValueError.
    """
    if destination is None:
        return
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if destination == "-":
        sys.stdout.write(text)
    else:
        Path(destination).write_text(text, encoding="utf-8")


def wrapped(text: str, label: str = "", width: int = WIDTH) -> list[str]:
    """Lines of at most `width` columns, indented under the label.

    Words and names with hyphens are not broken.

    >>> wrapped("one two three", "so  ", width=11)
    ['so  one two', '    three']
    """
    return textwrap.wrap(
        text,
        width,
        initial_indent=label,
        subsequent_indent=" " * len(label),
        break_long_words=False,
        break_on_hyphens=False,
    )


def plural(count: int, noun: str) -> str:
    """A number of things.

    >>> plural(1, "law"), plural(0, "law")
    ('1 law', '0 laws')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with aligned columns: the first to the left, the others to the right.

    >>> print(table(["set", "n"], [["monk1", "556"], ["wdbc", "569"]]))
    set      n
    monk1  556
    wdbc   569
    """
    widths = [
        max(len(row[column]) for row in (header, *rows))
        for column in range(len(header))
    ]
    lines = []
    for row in (header, *rows):
        first, *others = row
        cells = [
            first.ljust(widths[0]),
            *(
                cell.rjust(width)
                for cell, width in zip(others, widths[1:], strict=True)
            ),
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
