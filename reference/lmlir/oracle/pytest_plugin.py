"""The pytest options of the oracle: `pytest --pyargs lmlir.oracle --lmlir-subject mypackage.fast`,
one test for each law.
"""

from __future__ import annotations

import sys
from typing import Any

OPTIONS: dict[str, dict[str, Any]] = {
    "subject": {
        "default": None,
        "help": "the implementation to judge: a dotted module name or a .py file",
    },
    "command": {"default": None, "help": "a program to judge that speaks the line protocol"},
    "kind": {"default": None, "help": "mathematics, behavior or contract alone"},
    "profile": {"default": "default", "help": "search effort: quick, default or thorough"},
    "precision": {"default": "float64", "help": "float64 or float32"},
    "seed": {"default": 0, "type": int, "help": "the same seed tries the same inputs"},
    "timeout": {
        "default": 30.0,
        "type": float,
        "help": "processor time for each answer",
    },
}


def pytest_addoption(parser: Any) -> None:
    """Add the options, which do nothing unless the tests of `lmlir.oracle` are collected.

    The older names --subject, --subject-profile and so on are added only if the command line has
    both them and `lmlir.oracle`: every project that has lmlir installed gets these options, and may
    use --subject for its own purposes.
    """
    group = parser.getgroup("lmlir oracle")
    ours = any("lmlir.oracle" in word for word in sys.argv)
    used = {word.partition("=")[0] for word in sys.argv}
    for name, details in OPTIONS.items():
        old = "--subject" if name == "subject" else f"--subject-{name}"
        group.addoption(f"--lmlir-{name}", *[old] * (ours and old in used), **details)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print each violated law with its number; pytest's own summary is cut at the terminal's
    width.
    """
    for report in terminalreporter.stats.get("failed", []):
        law = report.nodeid.partition("test_subject.py::test_law[")[2].rstrip("]")
        if law:
            terminalreporter.line(f"{law}: {report.longreprtext.partition(chr(10))[0]}")
