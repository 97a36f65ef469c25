"""What was left out: `pytest --skips FILE` adds one reason a line, `python tests/skipped.py FILE` says it in one sentence."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

NO_COQ = "the formal proofs were not compiled: there is no Coq on this machine"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that names the file."""
    parser.addoption("--skips", metavar="FILE", help="add the reason of every skipped test to FILE, one a line")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Once a run: where several processes share the tests, the one that reports."""
    config = terminalreporter.config
    file = config.getoption("--skips")
    if file and not hasattr(config, "workerinput"):
        reasons = [reason_of(report) for report in terminalreporter.stats.get("skipped", [])]
        with open(file, "a", encoding="utf-8") as lines:
            lines.writelines(f"{reason}\n" for reason in reasons)


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The reason alone, on one line."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return " ".join(reason.split()).removeprefix("Skipped: ")


def sentence(reasons: list[str], with_coq: bool) -> str:
    """How many were skipped and why, the most frequent reason first.

    >>> sentence(["no Chromium", "no gcc", "no Chromium"], with_coq=True)
    'skipped: 3 tests (2: no Chromium; 1: no gcc)'
    >>> sentence([], with_coq=True)
    'nothing was skipped'
    """
    counts = Counter(reasons).most_common()
    parts = [f"{count}: {reason}" for reason, count in counts]
    told = f"skipped: {len(reasons)} test{'s' * (len(reasons) != 1)} ({'; '.join(parts)})" if reasons else ""
    coq = "" if with_coq or any("Coq" in reason for reason in reasons) else NO_COQ
    return "; ".join(filter(None, [told, coq])) or "nothing was skipped"


if __name__ == "__main__":
    file = Path(sys.argv[1])
    print(sentence(file.read_text(encoding="utf-8").splitlines(), with_coq=shutil.which("coqc") is not None))
