"""Files of `book/results`: where they are, and how a study reads and writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from lmlir.experiments.protocol import Record

RESULTS = Path(__file__).parents[1] / "results"


def read_lines(path: str | Path) -> list[Record]:
    """Return the records of a file that has one JSON object per line."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write the lines one by one, and replace the file when all of them are written.

    A study may run for hours. Until it ends, its lines are in a file with the suffix `.part`, so
    that an interrupted run does not damage the committed results.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    with partial.open("w", encoding="utf-8") as file:
        for line in lines:
            print(line, file=file, flush=True)
    partial.replace(path)
