"""`lmlir check`: judge an implementation from the command line."""

from __future__ import annotations

import argparse
import sys

from lmlir.oracle import program, report, runner, subjects
from lmlir.oracle.brackets import PRECISIONS
from lmlir.oracle.laws import by_name
from lmlir.oracle.violations import CannotBeJudged, OracleError
from lmlir.terminal import write_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `lmlir check`."""
    add = parser.add_argument
    add("subject", nargs="?", metavar="SUBJECT", help="a dotted module name or a path to a .py file")
    add("--command", dest="program", metavar='"PROGRAM ARGS"', help="a program that speaks the line protocol")
    add("--json", metavar="FILE", help="write the report as JSON to FILE; - is standard output")
    add("--profile", choices=list(runner.PROFILES), default="default", help="how long to look (default: default)")
    add("--precision", choices=list(PRECISIONS), default="float64", help="the number format of the subject")
    add("--seed", type=int, default=0, metavar="N", help="the same seed tries the same inputs (default: 0)")
    add("--shapes", choices=("few", "many"), default="few", help="how many different sizes of arrays (default: few)")
    add("--only", nargs="+", metavar="LAW", help="run these laws alone")
    add("--timeout", type=float, default=10.0, metavar="SECONDS", help="how long a program may take to answer")


def run(arguments: argparse.Namespace) -> int:
    """Judge; 0 when the subject conforms, 1 when it violates a law, 2 when it cannot be judged."""
    try:
        found = _judged(arguments)
    except (CannotBeJudged, OracleError) as problem:
        print(f"lmlir check: {problem}", file=sys.stderr)
        named = arguments.program or arguments.subject or ""
        write_json(report.unjudged(named, str(problem)), arguments.json)
        return 2
    write_json(report.as_json(found), arguments.json)
    if arguments.json != "-":
        print(report.as_text(found))
    if found.verdict == "cannot be judged":
        print(f"lmlir check: {found.reason}", file=sys.stderr)
    return {"conforms": 0, "violates": 1}.get(found.verdict, 2)


def _judged(arguments: argparse.Namespace) -> runner.Report:
    if bool(arguments.program) == bool(arguments.subject):
        raise CannotBeJudged("give either SUBJECT or --command, not both and not neither")
    for name in arguments.only or ():
        try:
            by_name(name)
        except ValueError as problem:
            raise CannotBeJudged(str(problem)) from problem
    if arguments.program:
        subject: subjects.Subject = program.start(arguments.program, arguments.timeout)
    else:
        subject = subjects.load(arguments.subject)
    try:
        return runner.judge(
            subject,
            profile=arguments.profile,
            precision=arguments.precision,
            seed=arguments.seed,
            only=arguments.only,
            shapes=arguments.shapes,
            progress=_progress if sys.stderr.isatty() else None,
            violated=_first_violation,
        )
    finally:
        subject.close()
        print(_clear(), end="", file=sys.stderr, flush=True)


def _clear() -> str:
    """What wipes the line of progress off a terminal."""
    return "\r\x1b[K" if sys.stderr.isatty() else ""


def _progress(name: str, number: int, count: int, violated: int) -> None:
    tail = f", {violated} violated" if violated else ""
    line = f"[{number + 1}/{count}{tail}] {name.replace('_', ' ')} ..."
    print(_clear() + line, end="", file=sys.stderr, flush=True)


def _first_violation(result: runner.LawResult) -> None:
    sentence = " ".join(str(result.violation).split())
    print(f"{_clear()}lmlir check: violated: {result.law.name}: {sentence}", file=sys.stderr, flush=True)
