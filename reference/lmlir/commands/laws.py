"""`lmlir laws`: what the oracle requires of an implementation, one sentence per law."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from lmlir.oracle.laws import LAWS, Law, by_name
from lmlir.terminal import wrapped, write_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lmlir laws`."""
    about = (
        "only laws with WORD in their name, functions or items, as in distances or "
        '"Definition 8" (default: all)'
    )
    parser.add_argument("words", nargs="*", metavar="WORD", help=about)
    parser.add_argument(
        "--json", metavar="FILE", help="write the laws as JSON to FILE; - is standard output"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the laws, or write them as JSON."""
    chosen = chosen_laws(arguments.words)
    if arguments.json:
        write_json([as_json(law) for law in chosen], arguments.json)
    else:
        print("\n\n".join(map(as_text, chosen)), "", summary(chosen), sep="\n")
    return 0


def chosen_laws(words: Sequence[str]) -> list[Law]:
    """The laws that are about one of the words, or all laws if there are no words.

    A `ValueError` suggests near misses.

    >>> [law.name for law in chosen_laws(["table_2", "Equation (10)"])][:2]
    ['ratios_match_table_2', 'decision_values_match_equation_10']
    """
    if not words:
        return list(LAWS)
    chosen = []
    for law in LAWS:
        if any(is_about(law, word) for word in words):
            chosen.append(law)
    return chosen or [by_name(word) for word in words]


def is_about(law: Law, word: str) -> bool:
    """Whether a word is part of the law's name, or the beginning of one of its items or
    functions.
    """
    small = word.lower()
    starts = law.items + law.functions
    if small.replace(" ", "_") in law.name:
        return True
    return any(start.lower().startswith(small) for start in starts)


def as_json(law: Law) -> dict[str, object]:
    """One law as data."""
    return {
        "law": law.name,
        "statement": law.statement,
        "items": list(law.items),
        "functions": list(law.functions),
        "any function": law.any_of,
    }


def as_text(law: Law) -> str:
    """One law for the terminal."""
    needs = ", ".join(law.functions)
    if law.any_of:
        needs = f"any of {needs}"
    rows = {"items": "; ".join(law.items), "needs": needs}
    lines = [law.name, *wrapped(law.statement, "  ")]
    for name, value in rows.items():
        lines += wrapped(value, f"  {name:<6} ")
    return "\n".join(lines)


def summary(chosen: Sequence[Law]) -> str:
    """How many laws were listed, and how to run them."""
    count = f"{len(LAWS)} laws"
    if len(chosen) < len(LAWS):
        count = f"{len(chosen)} of {count}"
    return f"{count}. To run some of them: lmlir check SUBJECT --only {chosen[0].name}"
