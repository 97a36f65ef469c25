"""`lmlir check`: judge an implementation from the command line."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from lmlir.oracle.violations import CannotBeJudged, JudgeError

PROFILES = ("quick", "default", "thorough")
PRECISIONS = ("float64", "float32")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `lmlir check`."""
    parser.add_argument("subject", nargs="?", metavar="SUBJECT", help="a dotted module name or a path to a .py file")
    parser.add_argument(
        "--command", dest="program", metavar='"PROGRAM ARGS"', help="a program that speaks the line protocol"
    )
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON to FILE; - is standard output")
    parser.add_argument("--profile", choices=PROFILES, default="default", help="how long to look (default: default)")
    parser.add_argument("--precision", choices=PRECISIONS, default="float64", help="the number format of the subject")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="the same seed tries the same inputs (default: 0)"
    )
    parser.add_argument("--only", nargs="+", metavar="LAW", help="run these laws alone")
    parser.add_argument(
        "--timeout", type=float, default=10.0, metavar="SECONDS", help="how long a program may take to answer"
    )


def run(arguments: argparse.Namespace) -> int:
    """Judge; 0 when the subject conforms, 1 when it violates a law, 2 when it cannot be judged."""
    from lmlir.oracle import report as reports

    named = arguments.program or arguments.subject or ""
    try:
        found = _judged(arguments)
    except (CannotBeJudged, JudgeError) as problem:
        print(f"lmlir check: {problem}", file=sys.stderr)
        if arguments.json:
            reports.write_json(reports.unjudged(named, str(problem)), arguments.json)
        return 2
    if arguments.json:
        reports.write_json(reports.as_json(found), arguments.json)
    if arguments.json != "-":
        print(reports.as_text(found))
    if found.verdict == "cannot be judged":
        print(f"lmlir check: {found.reason}", file=sys.stderr)
    return {"conforms": 0, "violates": 1}.get(found.verdict, 2)


def _judged(arguments: argparse.Namespace) -> Any:
    if bool(arguments.program) == bool(arguments.subject):
        raise CannotBeJudged("give either SUBJECT or --command, not both and not neither")
    try:
        from lmlir.oracle import program, runner, subjects
        from lmlir.oracle.laws import by_name
    except ModuleNotFoundError as error:
        raise CannotBeJudged(f"the oracle needs the package {error.name}: pip install 'lmlir[oracle]'") from error
    for name in arguments.only or ():
        try:
            by_name(name)
        except ValueError as problem:
            raise CannotBeJudged(str(problem)) from problem
    if arguments.program:
        subject: Any = program.start(arguments.program, arguments.timeout)
    else:
        subject = subjects.load(arguments.subject)
    try:
        return runner.judge(
            subject,
            profile=arguments.profile,
            precision=arguments.precision,
            seed=arguments.seed,
            only=arguments.only,
            progress=_progress if sys.stderr.isatty() else None,
            violated=_first_violation,
        )
    finally:
        subject.close()
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _progress(name: str, number: int, count: int, violated: int) -> None:
    tail = f", {violated} violated" if violated else ""
    print(f"\r\x1b[K[{number + 1}/{count}{tail}] {name.replace('_', ' ')} ...", end="", file=sys.stderr, flush=True)


def _first_violation(result: Any) -> None:
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    sentence = " ".join(result.violation.sentence.split())
    print(f"{clear}lmlir check: violated: {result.law.name}: {sentence}", file=sys.stderr, flush=True)
