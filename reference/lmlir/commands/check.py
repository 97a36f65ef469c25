"""`lmlir check`: judge an implementation from the command line."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

from lmlir.oracle import page, report, runner, subjects
from lmlir.oracle.engine import process
from lmlir.oracle.laws import by_name
from lmlir.oracle.precision import PRECISIONS
from lmlir.oracle.violations import CannotBeJudged, OracleError
from lmlir.terminal import write_json

EVERY = 0.3  # seconds between two looks at the line of progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `lmlir check`."""
    parser.epilog = "Exit status: 0 conforms, 1 violates a law, 2 cannot be judged. `lmlir laws` lists the laws."
    add = parser.add_argument
    add("subject", nargs="?", metavar="SUBJECT", help="a dotted module name or a path to a .py file")
    add("--command", dest="program", metavar='"PROGRAM ARGS"', help="a program that speaks the line protocol")
    add("--json", metavar="FILE", help="write the report as JSON to FILE; - is standard output")
    add("--html", metavar="FILE", help="write the report as one HTML page, with drawings, to FILE")
    add("--profile", choices=list(runner.PROFILES), default="default", help="how long to look (default: default)")
    add("--precision", choices=list(PRECISIONS), default="float64", help="its number format (default: float64)")
    add("--seed", type=int, default=0, metavar="N", help="the same seed tries the same inputs (default: 0)")
    add("--shapes", choices=("few", "many"), default="few", help="how many different sizes of arrays (default: few)")
    add("--only", nargs="+", metavar="LAW", help="run these laws alone")
    add(
        "--timeout",
        type=_seconds,
        default=process.TIMEOUT_SECONDS,
        metavar="SECONDS",
        help="for an answer (default: %(default)g)",
    )


def _seconds(text: str) -> float:
    """A positive number of seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise argparse.ArgumentTypeError(f"must be more than 0 seconds, got {text}")
    return seconds


def run(arguments: argparse.Namespace) -> int:
    """Judge; 0 when the subject conforms, 1 when it violates a law, 2 when it cannot be judged."""
    named = arguments.program or arguments.subject or ""
    growing = Growing(arguments.json, arguments.html)
    growing.write(report.unjudged(named, "not finished: no law was run"))
    try:
        found = _judged(arguments, growing)
    except (CannotBeJudged, OracleError) as problem:
        print(f"lmlir check: {problem}", file=sys.stderr)
        _write(report.unjudged(named, str(problem)), arguments)
        return 2
    _write(report.as_json(found), arguments)
    if arguments.json != "-":
        print(report.as_text(found, arguments.json or "", arguments.html or ""))
    if found.verdict == "cannot be judged":
        print(f"lmlir check: {found.reason}", file=sys.stderr)
    return {"conforms": 0, "violates": 1}.get(found.verdict, 2)


def _write(content: dict[str, Any], arguments: argparse.Namespace) -> None:
    """The report as JSON and as HTML, where they are wanted."""
    write_json(content, arguments.json)
    if arguments.html:
        page.write(content, arguments.html)


def _judged(arguments: argparse.Namespace, growing: Growing) -> runner.Report:
    if bool(arguments.program) == bool(arguments.subject):
        order = "; put SUBJECT before --only, which takes all that follows it as laws" if arguments.only else ""
        raise CannotBeJudged(f"give either SUBJECT or --command, as in `lmlir check my_module.py`{order}")
    for name in arguments.only or ():
        try:
            by_name(name)
        except ValueError as problem:
            raise CannotBeJudged(str(problem)) from problem
    start = subjects.start_program if arguments.program else subjects.start
    subject = start(arguments.program or arguments.subject, arguments.timeout)
    if note := process.unprotected():
        print(f"lmlir check: {note}", file=sys.stderr)
    line = Line()
    try:
        return runner.judge(
            subject,
            profile=arguments.profile,
            precision=arguments.precision,
            seed=arguments.seed,
            only=arguments.only,
            shapes=arguments.shapes,
            progress=line.begin if sys.stderr.isatty() else None,
            tick=line.tick if sys.stderr.isatty() else None,
            violated=_first_violation,
            grown=growing.add,
        )
    finally:
        subject.close()
        print(_clear(), end="", file=sys.stderr, flush=True)


class Growing:
    """The report in files while it grows: whole at every moment, so that a run that is killed leaves what it found."""

    def __init__(self, json: str | None, html: str | None) -> None:
        named = ((write_json, json), (page.write, html))
        self.files = [(write, os.path.realpath(file)) for write, file in named if file and _is_plain(file)]
        self.next = 0.0

    def add(self, unfinished: runner.Report) -> None:
        """Replace the files after a law, but spend no more than a tenth of the time on it."""
        began = time.monotonic()
        if self.files and began >= self.next:
            self.write(report.as_json(unfinished))
            self.next = time.monotonic() + 9 * (time.monotonic() - began)

    def write(self, content: dict[str, Any]) -> None:
        """Replace each file in one step."""
        for write, file in self.files:
            beside = f"{file}.{os.getpid()}"
            try:
                write(content, beside)
                os.replace(beside, file)
            except OSError:  # no file can be made beside it
                write(content, file)


def _is_plain(file: str) -> bool:
    """Whether this is a file that can be replaced: not standard output, not a pipe."""
    return file != "-" and (os.path.isfile(file) or not os.path.exists(file))


def _clear() -> str:
    """What wipes the line of progress off a terminal."""
    return "\r\x1b[K" if sys.stderr.isatty() else ""


class Line:
    """The line of progress on a terminal."""

    def __init__(self) -> None:
        self.text = ""
        self.shown = 0.0

    def begin(self, name: str, number: int, count: int, violated: int) -> None:
        """A law begins."""
        tail = f", {violated} violated" if violated else ""
        self.text = f"[{number + 1}/{count}{tail}] {name.replace('_', ' ')} ..."
        self._show(self.text)

    def tick(self, examples: int) -> None:
        """It tries another example; told a few times a second."""
        if time.monotonic() > self.shown + EVERY:
            self._show(f"{self.text} {examples}")

    def _show(self, text: str) -> None:
        self.shown = time.monotonic()
        print(_clear() + text, end="", file=sys.stderr, flush=True)


def _first_violation(result: runner.LawResult) -> None:
    sentence = " ".join(str(result.violation).split())
    print(f"{_clear()}lmlir check: {result.status}: {result.law.name}: {sentence}", file=sys.stderr, flush=True)
