"""The cell magic `%%lmlir`, after `%load_ext lmlir`: judges the functions that a cell defines.

The cell runs in a process of its own, so that an endless loop ends and a crash leaves the notebook
as it is. It sees what earlier cells imported, and nothing else of them.
"""

from __future__ import annotations

import argparse
import ast
import shlex
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from IPython.core.error import UsageError
from IPython.display import display

from lmlir.oracle.api import Report, judged
from lmlir.oracle.judging.judgment import PROFILES, Judgment
from lmlir.oracle.judging.trial import Watcher
from lmlir.oracle.laws import Law
from lmlir.oracle.laws.law import KINDS
from lmlir.oracle.reporting.data import unjudged
from lmlir.oracle.subjects import sources
from lmlir.oracle.subjects.failures import CannotBeJudged

TIMEOUT_SECONDS = 10.0  # in a notebook, someone waits
REFRESH_SECONDS = 0.3
NAME = "this cell"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        """Raise the error that a notebook shows without a traceback."""
        raise UsageError(f"%%lmlir: {message}")


def _options(line: str) -> argparse.Namespace:
    parser = _Parser(prog="%%lmlir", add_help=False)
    parser.add_argument("--profile", choices=list(PROFILES), default="quick")
    parser.add_argument("--kind", dest="kinds", action="append", choices=KINDS, default=[])
    parser.add_argument("--only", nargs="+", metavar="LAW")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=TIMEOUT_SECONDS)
    try:
        return parser.parse_args(shlex.split(line))
    except ValueError as error:
        raise UsageError(f"%%lmlir: {error}") from error


class _Progress(Watcher):
    """Shows below the cell which law is tried."""

    def __init__(self) -> None:
        first = {"text/plain": "judging ..."}
        self.handle: Any = display(first, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        self.next_refresh = 0.0

    def begin(
        self,
        report: Judgment,
        law: Law,
        count: int,
    ) -> None:
        """Show the law that begins."""
        if time.monotonic() > self.next_refresh:
            done = f"{len(report.results)} of {count} laws"
            self.show(f"{done}, {len(report.violated)} violated: {law.name} ...")
            self.next_refresh = time.monotonic() + REFRESH_SECONDS

    def show(self, text: str) -> None:
        """Replace the line below the cell."""
        self.handle.update({"text/plain": text}, raw=True)


def imports_of(cells: Iterable[str]) -> str:
    """Return the import statements of cells, in one line.

    >>> imports_of(["import numpy as np; x = 1", "%matplotlib inline", "from math import pi"])
    'import numpy as np; from math import pi'
    """
    statements: dict[str, None] = {}
    for cell in cells:
        try:
            body = ast.parse(cell).body
        except SyntaxError:  # a magic, or a cell that failed
            continue
        for statement in body:
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                statements[ast.unparse(statement)] = None
    return "; ".join(statements)


def judge_cell(shell: Any, line: str, cell: str) -> Report:
    """Judge the functions of a cell; those of a cell that could be judged are then defined in the
    notebook, too.
    """
    settings = vars(_options(line))
    timeout = settings.pop("timeout")
    progress = _Progress()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "cell.py")
        # in place of the line with the magic, so that lines keep their numbers
        file.write_text(f"{imports_of(shell.history_manager.input_hist_parsed)}\n{cell}")
        try:
            subject = sources.start(str(file), timeout)
            subject.name = NAME
            data = judged(subject, progress, **settings)
        except (CannotBeJudged, ValueError) as problem:
            data = unjudged(NAME, str(problem).replace(str(file), NAME))
    report = Report(data)
    progress.show(repr(report))
    if data["offered"]:
        shell.ex(cell)
    return report


def load(shell: Any) -> None:
    """Add the magic to a notebook's shell."""

    def lmlir(line: str, cell: str) -> Report:
        """Judge the functions that the cell defines: %%lmlir [--only LAW ...] [--kind KIND]
        [--profile PROFILE] [--seed N] [--timeout SECONDS].
        """
        return judge_cell(shell, line, cell)

    shell.register_magic_function(lmlir, "cell")
