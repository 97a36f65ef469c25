"""Output that the commands share: files, wrapped lines and tables, and messages on
standard error.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WIDTH = 100  # columns
MAX_WIDTH = 120  # of a report, on a wide terminal
CANNOT_RUN = 2  # exit statuses
INTERRUPTED = 130


def write_json(content: object, destination: str | None) -> None:
    """Write JSON to a file, to standard output for "-", or nowhere for None.

    NaN and infinities raise a ValueError.
    """
    if destination is None:
        return
    text = json_text(content)
    if destination == "-":
        sys.stdout.write(text)
    else:
        Path(destination).write_text(text, encoding="utf-8")


def json_text(content: object) -> str:
    """The text of a JSON file."""
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def is_device(file: str) -> bool:
    """Whether a file cannot be replaced: it is a pipe or a device."""
    if not os.path.exists(file):
        return False
    return not os.path.isfile(file) and not os.path.isdir(file)


def write_file(file: str, text: str, in_place: bool) -> None:
    """Write a file, if possible in one step: by a new file beside it that takes its
    place.
    """
    # a lone surrogate, as in a file name; in JSON that is its escape
    data = text.encode("utf-8", "backslashreplace")
    target = os.path.realpath(file)
    beside = f"{target}.{os.getpid()}"
    if not in_place:
        with contextlib.suppress(OSError):
            os.unlink(beside)  # left by a process of the same number that was killed
        try:
            with open(beside, "xb") as stream:
                stream.write(data)
            os.replace(beside, target)
            return
        except PermissionError:
            pass  # the folder is closed to us, but the file may not be
        finally:
            with contextlib.suppress(OSError):
                os.unlink(beside)
    with open(target, "wb") as stream:
        stream.write(data)


def on_terminal() -> bool:
    """Whether standard error is a terminal; it is None after ``2>&-``."""
    return sys.stderr is not None and sys.stderr.isatty()


def say(text: str, end: str = "\n") -> None:
    """Print on standard error, over a line of progress.

    A message that cannot be printed is not an error.
    """
    if sys.stderr is None:
        return
    start_of_line = "\r\x1b[K" if on_terminal() else ""
    with contextlib.suppress(OSError):
        print(start_of_line + text, end=end, file=sys.stderr, flush=True)


def columns(stream: Any = None) -> int:
    """The columns of a terminal: that of a stream, or the one of the environment."""
    count = 0
    with contextlib.suppress(OSError, ValueError, AttributeError):
        count = os.get_terminal_size(stream.fileno()).columns
    return min(count or shutil.get_terminal_size((WIDTH, 24)).columns, MAX_WIDTH)


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
    widths = []
    for column in range(len(header)):
        widths.append(max(len(row[column]) for row in (header, *rows)))
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
