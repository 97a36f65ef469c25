"""`python -m proofs [NAME...] [--json FILE]`: runs the proofs, prints them step by step; exit
status 0 when all are proved.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from typing import Any

from lmlir.terminal import WIDTH, write_json
from proofs.steps import IN_WORDS, find_proofs


def main(argv: list[str] | None = None) -> int:
    """Runs what was asked for; 0 all proved, 1 some rejected, 2 no such proof."""
    parser = argparse.ArgumentParser(
        prog="python -m proofs", description="Runs the proofs, step by step."
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="parts of names, such as intersection or table_2 (default: all)",
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write names, items, steps, verdicts and seconds; - is standard output",
    )
    parser.add_argument("--list", action="store_true", help="only name the proofs")
    parser.add_argument(
        "--breakages", action="store_true", help="break the functions and see each proof reject it"
    )
    arguments = parser.parse_args(argv)
    try:
        chosen = find_proofs(arguments.names)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if arguments.list:
        print("\n".join(name for name, _ in chosen))
        return 0
    if arguments.breakages:
        from proofs.breakages import report

        return report([name for name, _ in chosen], arguments.json)
    results = [run_one(name, run, quiet=arguments.json == "-") for name, run in chosen]
    write_json(results, arguments.json)
    return summarized(results, quiet=arguments.json == "-")


def run_one(name: str, run: Any, quiet: bool) -> dict[str, Any]:
    """One proof: printed when it succeeds, and the reason when it does not."""
    try:
        proof = run()
    except Exception as error:
        reason = traceback.format_exception_only(error)[-1].strip()
        if not quiet:
            print(f"{name}\n  REJECTED  {reason}\n")
        return {
            "name": name,
            "items": list(run.items),
            "steps": [],
            "verdict": "rejected",
            "reason": reason,
            "seconds": 0.0,
        }
    if not quiet:
        print(f"{'─' * WIDTH}\n{name}\n{proof}\n")
    content: dict[str, Any] = proof.as_json()
    return content


def summarized(results: list[dict[str, Any]], quiet: bool) -> int:
    """Counts proofs and steps; the exit status."""
    proved = sum(result["verdict"] == "proved" for result in results)
    steps = [step["checked"] for result in results for step in result["steps"]]
    in_words = steps.count(IN_WORDS)
    seconds = sum(result["seconds"] for result in results)
    formal = [
        step["checked"]
        for result in results
        for step in result["steps"]
        if step["formal"] is not None
    ]
    left = in_words - formal.count(IN_WORDS)
    if not quiet:
        print(
            f"{proved} of {len(results)} proved: {len(steps)} steps, {len(steps) - in_words} "
            "checked by machine, "
            f"{in_words} in words; {seconds:.1f} s\n"
            f"Steps that are proved formally, too: {len(formal)} "
            f"({len(formal) / max(len(steps), 1):.0%}). "
            f"Steps that are in words only: {left}."
        )
    return 0 if proved == len(results) else 1


def command() -> int:
    """`main`, without a traceback when a file cannot be written or a reader has seen enough."""
    try:
        return main()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        print(f"cannot write: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(command())
