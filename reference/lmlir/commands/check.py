"""`lmlir check`: judge an implementation from the command line."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lmlir.oracle.allowed.exact import OracleError
from lmlir.oracle.api import judged
from lmlir.oracle.inputs.cases import from_data
from lmlir.oracle.judging.judgment import PROFILES, Judgment, LawResult
from lmlir.oracle.judging.trial import Watcher
from lmlir.oracle.laws import Law, selected
from lmlir.oracle.laws.law import KINDS
from lmlir.oracle.precision import PRECISIONS
from lmlir.oracle.reporting import page
from lmlir.oracle.reporting.data import as_json, unjudged
from lmlir.oracle.reporting.junit import as_junit
from lmlir.oracle.reporting.markup import visible
from lmlir.oracle.reporting.text import as_text, raised_at
from lmlir.oracle.subjects import process, sources
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import CannotBeJudged, Violation
from lmlir.oracle.subjects.loading import is_path
from lmlir.terminal import (
    CANNOT_RUN,
    INTERRUPTED,
    columns,
    is_device,
    json_text,
    on_terminal,
    say,
    write_file,
)

Formats = dict[str | None, Callable[[dict[str, Any]], str]]

WATCH_SECONDS = 0.3  # between two looks at the files of a subject
REFRESH_SECONDS = 0.3  # between two updates of the progress line
SILENCE_SECONDS = 20.0  # after which a line is printed where there is no terminal
EXIT_STATUSES = {"conforms": 0, "violates": 1, "cannot be judged": 2, "errored": 3}
HELP = (
    "Exit status: 0 conforms (in all that was asked for), 1 violates (a wrong answer), 2 cannot be "
    "judged, 3 errored (the subject raised or crashed), 130 interrupted. `lmlir laws` "
    "lists the laws. SUBJECT runs with your rights: this is not a sandbox."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lmlir check`."""
    parser.epilog = HELP
    add = parser.add_argument
    add(
        "subject", nargs="?", metavar="SUBJECT", help="a dotted module name or a path to a .py file"
    )
    add(
        "--command",
        dest="program",
        metavar='"PROGRAM ARGS"',
        help="a program that speaks the line protocol",
    )
    add("--verbose", action="store_true", help="list the laws that held and the rows visited, too")
    add("--json", metavar="FILE", help="write the report as JSON to FILE; - is standard output")
    add("--html", metavar="FILE", help="write the report as one HTML page, with drawings, to FILE")
    add("--junit", metavar="FILE", help="write the report as JUnit XML to FILE, for hosted CI")
    add(
        "--profile",
        choices=list(PROFILES),
        help="search effort (default: default, with --watch instant: small corner cases alone)",
    )
    add(
        "--precision",
        choices=list(PRECISIONS),
        default="float64",
        help="its number format (default: float64)",
    )
    add(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="the same seed tries the same inputs (default: 0)",
    )
    add(
        "--shapes",
        choices=("few", "many"),
        default="few",
        help="how many different sizes of arrays (default: few)",
    )
    about = "run only these laws: names, patterns such as gradient_*, items, or functions"
    add("--only", nargs="+", metavar="LAW", help=about)
    add("-x", "--first", action="store_true", help="stop at the first violation")
    add("--watch", action="store_true", help="judge again whenever a file of SUBJECT changes")
    about = "run the laws that failed in this report, written by --json, its inputs first"
    add("--again", metavar="REPORT", help=about)
    about = "laws known to be violated, one name or pattern per line of FILE, # for comments"
    add("--expected-failures", metavar="FILE", help=about)
    add(
        "--kind",
        action="append",
        choices=KINDS,
        help="run only laws about this (may be given more than once)",
    )
    waiting = "processor time for each answer (default: %(default)g)"
    add(
        "--timeout",
        type=_positive,
        default=process.TIMEOUT_SECONDS,
        metavar="SECONDS",
        help=waiting,
    )
    add(
        "--minutes",
        type=_positive,
        metavar="N",
        help="limit of the whole run, shared among the laws (default: none)",
    )


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e6:
        raise argparse.ArgumentTypeError(f"must be more than 0, got {text}")
    return number


def run(arguments: argparse.Namespace) -> int:
    """Judge a subject, once or after every change, and return the exit status."""
    arguments.profile = arguments.profile or ("instant" if arguments.watch else "default")
    status = _run_once(arguments)
    while arguments.watch and status != INTERRUPTED:
        before = _last_change(arguments)
        say("lmlir check: waiting for a change; Ctrl-C ends this")
        while _last_change(arguments) == before:
            time.sleep(WATCH_SECONDS)
        status = _run_once(arguments)
    return status


def _last_change(arguments: argparse.Namespace) -> float:
    """When a file of the subject was changed last: beside its file, or in the working folder."""
    target = arguments.subject or ""
    folder = Path(target).parent if is_path(target) else Path()
    times = [0.0]
    for file in folder.glob("*" if arguments.program else "*.py"):
        with contextlib.suppress(OSError):  # it was removed
            times.append(file.stat().st_mtime)
    return max(times)


def _run_once(arguments: argparse.Namespace) -> int:
    """Judge a subject, write the report, and return the exit status."""
    name = arguments.program or arguments.subject or ""
    content = unjudged(name, "not finished: no law was run")
    formats: Formats = {
        arguments.json: json_text,
        arguments.html: page.page,
        arguments.junit: as_junit,
    }
    files = Files(formats)
    # Written at once, so that an old report does not outlive a run that is killed, and a bad file
    # name is found early.
    _, problems = files.write(content)
    if problems:
        return _print_problems(problems)
    note = process.unprotected()
    if note:
        say(f"lmlir check: {note}")
    progress = Progress(files)
    interrupted = False
    names = ("profile", "precision", "seed", "shapes", "minutes", "only")
    options = {name: getattr(arguments, name) for name in names}
    try:
        options |= _options(arguments)
        content = judged(_start(arguments), progress, **options)
    except KeyboardInterrupt:
        interrupted = True
        if progress.report:
            content = as_json(progress.interrupted())
    except (CannotBeJudged, OracleError) as problem:
        content = unjudged(name, str(problem), getattr(problem, "frames", ()))
    finally:
        say("", end="")  # over the line of progress

    written, problems = files.write(content, last=True)
    if arguments.json != "-" and (content["laws"] or interrupted):
        to_json = arguments.json if arguments.json in written else ""
        to_html = arguments.html if arguments.html in written else ""
        print(as_text(content, to_json, to_html, columns(), arguments.verbose))
    if interrupted:
        place = f"; the report so far is in {' and '.join(written)}" if written else ""
        _print_problems([*problems, f"interrupted{place}"])
        return INTERRUPTED
    if content["verdict"] == "cannot be judged" and not progress.reasons:
        problems.append(content["reason"])
    _print_problems(problems)
    for line in raised_at(content):
        say(visible(f"  {line}"))
    return EXIT_STATUSES[content["verdict"]] or (CANNOT_RUN if problems else 0)


def _print_problems(problems: Sequence[str]) -> int:
    for problem in problems:
        say(visible(f"lmlir check: {' '.join(problem.split())}"))
    return CANNOT_RUN


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `judge` that are read from files, and those without a name there."""
    options: dict[str, Any] = {"kinds": arguments.kind or ()}
    options["first_violation_only"] = arguments.first
    if arguments.expected_failures:
        lines = _content(arguments.expected_failures).splitlines()
        names = [line.partition("#")[0].strip() for line in lines]
        options["expected_failures"] = tuple(filter(None, names))
        selected(options["expected_failures"])
    if arguments.again:
        text = _content(arguments.again)
        try:
            laws = json.loads(text)["laws"]
            options["again"] = {
                law["law"]: from_data(law["counterexample"]["case"])
                for law in laws
                if law["status"] in ("violated", "errored")
            }
        except (ValueError, LookupError, TypeError) as error:
            sentence = f"{arguments.again} is not a report of `lmlir check --json`"
            raise CannotBeJudged(sentence) from error
        if not options["again"]:
            raise CannotBeJudged(f"{arguments.again} has no law that is violated or errored")
    return options


def _content(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotBeJudged(f"cannot read {file}: {error}") from error


def _start(arguments: argparse.Namespace) -> Subject:
    """Start the chosen subject. Raises `CannotBeJudged` if the arguments do not make sense."""
    if bool(arguments.program) == bool(arguments.subject):
        advice = "give either SUBJECT or --command, as in `lmlir check my_module.py`"
        if arguments.only:
            advice += "; put SUBJECT before --only, which takes all that follows it as laws"
        raise CannotBeJudged(advice)
    try:
        selected(arguments.only or ())
    except ValueError as error:
        raise CannotBeJudged(str(error)) from error
    if arguments.subject:
        return sources.start(arguments.subject, arguments.timeout)
    return sources.start_program(arguments.program, arguments.timeout)


class Files:
    """The files of a report.

    Those that can be replaced are whole at every moment, so that a run may be killed.
    """

    def __init__(self, formats: Formats) -> None:
        self.formats = {file: as_format for file, as_format in formats.items() if file}

    def write(self, content: dict[str, Any], last: bool = False) -> tuple[list[str], list[str]]:
        """Write the report.

        Return the names of the files, and a sentence for each that could not be written.

        Standard output, pipes and devices are written once, with the last report.
        """
        written: list[str] = []
        problems: list[str] = []
        for file, as_format in self.formats.items():
            if file == "-":
                if as_format is not json_text:
                    option = "--html" if as_format is page.page else "--junit"
                    problems.append(f"{option} needs the name of a file, got -")
                elif last:
                    sys.stdout.write(as_format(content))
                continue
            in_place = is_device(file)
            if in_place and not last:
                continue
            try:
                write_file(file, as_format(content), in_place)
                written.append(file)
            except OSError as error:
                problems.append(f"cannot write {file}: {error.strerror}")
        return written, problems


class Progress(Watcher):
    """Shows how far a run is, prints the first violation of each function as soon as it is found,
    and keeps the files up to date.
    """

    def __init__(self, files: Files) -> None:
        self.files = files
        self.report: Judgment | None = None
        self.result: LawResult | None = None  # of a law that is still made smaller or replayed
        self.line = ""
        self.functions: set[str] = set()
        self.reasons: set[str] = set()
        self.next_refresh = self.next_write = 0.0
        self.next_line = time.monotonic() + SILENCE_SECONDS

    def begin(
        self,
        report: Judgment,
        law: Law,
        count: int,
    ) -> None:
        """Show the law that begins."""
        self.report = report
        failed = f", {len(report.violated)} failed" if report.violated else ""
        self.line = f"[{len(report.results) + 1}/{count}{failed}] {law.name.replace('_', ' ')} ..."
        self._show(self.line)

    def tick(self, examples: int) -> None:
        """Show the number of examples, a few times a second."""
        if time.monotonic() > self.next_refresh:
            self._show(f"{self.line} {examples}")

    def found(self, law: Law, violation: Violation) -> None:
        """Print a violation if it is the first of its functions."""
        status = "errored" if violation.errored else "violated"
        self.result = LawResult(law, status, violation=violation)
        if violation.functions <= self.functions:
            return
        self.functions |= violation.functions
        self._print(f"{status}: {law.name}: {violation}")

    def skipped(self, law: Law, reason: str) -> None:
        """Print why cases are not judged, once."""
        if reason not in self.reasons:
            self.reasons.add(reason)
            self._print(f"not judged: {law.name}: {reason}")

    def end(self, report: Judgment) -> None:
        """Replace the files if that takes less than a tenth of the time."""
        self.result = None
        began = time.monotonic()
        if self.files.formats and began >= self.next_write:
            self.files.write(as_json(report))  # a disk that is full now may have room at the end
            self.next_write = time.monotonic() + 9 * (time.monotonic() - began)

    def interrupted(self) -> Judgment:
        """The unfinished report, with a violation whose law has not ended."""
        assert self.report is not None
        results = [*self.report.results, *filter(None, [self.result])]
        return replace(self.report, results=results)

    def _show(self, text: str) -> None:
        self.next_refresh = time.monotonic() + REFRESH_SECONDS
        if on_terminal():
            say(text[: columns(sys.stderr) - 1], end="")
        elif time.monotonic() > self.next_line:
            self._print(text)

    def _print(self, text: str) -> None:
        self.next_line = time.monotonic() + SILENCE_SECONDS
        _print_problems([text])
