"""The command `lmlir`: picks the subcommand, imports only what that one needs, and turns errors
into one sentence.

Exit statuses: what the subcommand returns, 2 if it could not run, 70 after an error in lmlir
itself, 130 if interrupted.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import lmlir
from lmlir.terminal import CANNOT_RUN, INTERRUPTED

# Each command is a module of this package with `add_arguments` and `run`. Here: the extra that it
# needs, and its purpose.
COMMANDS = {
    "map": (None, "every item of the paper with its functions, laws, proofs, page and status"),
    "errata": (None, "every mistake found in the paper, every choice it leaves open, the evidence"),
    "check": ("oracle", "judges an implementation against the laws of the paper"),
    "laws": ("oracle", "the laws that `lmlir check` tries, one sentence each"),
    "vectors": ("oracle", "writes the test vectors and their JSON Schema"),
    "experiment": ("experiments", "the paper's section 6, and the ablations"),
    "data": (None, "which of the 14 data sets can be loaded from where"),
    "book": (None, "opens the built book in a browser"),
}
INTERNAL_ERROR = 70  # an exit status: EX_SOFTWARE of sysexits.h


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        sys.exit(fail(f"{self.prog}: {message}; see `{self.prog} --help`"))


class Stream(io.FileIO):
    """Standard output or standard error that outlives its reader.

    When `| head` has gone, the rest goes to the null device, so that the command ends with its own
    exit status.
    """

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return len(data)


def open_streams() -> None:
    """Make standard output and standard error safe to write to: open, without broken pipes, and for
    any character.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        # it took the place of a stream that was closed, as by `2>&-`
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for number, name in enumerate(("stdout", "stderr"), start=1):
        old = getattr(sys, name)  # None if it was closed
        encoding, by_line = (
            (old.encoding, old.line_buffering or old.write_through) if old else ("utf-8", False)
        )
        binary = io.BufferedWriter(Stream(number, "wb", closefd=False))
        setattr(
            sys,
            name,
            io.TextIOWrapper(binary, encoding, "backslashreplace", line_buffering=by_line),
        )


def overview() -> Parser:
    """The parser of `lmlir` itself, which lists the subcommands without importing them."""
    lines = [f"  {name:<12}{purpose}" for name, (_, purpose) in COMMANDS.items()]
    parser = Parser(
        prog="lmlir",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Learning Local Metrics and Influential Regions: the paper, runnable.",
        epilog="commands:\n"
        + "\n".join(lines)
        + "\n\nSee `lmlir COMMAND --help` for the arguments of a command.",
    )
    parser.add_argument("--version", action="version", version=f"lmlir {lmlir.__version__}")
    parser.add_argument("command", metavar="COMMAND", help="one of the commands below")
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="...", help="its own arguments"
    )
    return parser


def unknown_command(name: str) -> str:
    """The error message for a command that does not exist.

    >>> unknown_command("chek")
    'there is no command chek (did you mean check?)'
    """
    close = difflib.get_close_matches(name, COMMANDS, n=1)
    return f"there is no command {name}" + (f" (did you mean {close[0]}?)" if close else "")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit status."""
    if argv is None:
        open_streams()
        argv = sys.argv[1:]
    parser = overview()
    if not argv:
        parser.print_help(sys.stderr)
        return CANNOT_RUN
    chosen = parser.parse_args(argv)
    if chosen.command not in COMMANDS:
        parser.error(unknown_command(chosen.command))
    try:
        status = run(chosen.command, chosen.arguments)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return fail("interrupted", INTERRUPTED)
    except Exception as error:
        sentence = explanation(chosen.command, error)
        if sentence:
            return fail(f"lmlir {chosen.command}{sentence}")
        traceback.print_exc()
        return fail(
            f"lmlir: internal error: {traceback.format_exception_only(error)[-1]}", INTERNAL_ERROR
        )


def run(command: str, arguments: Sequence[str]) -> int:
    """Import a subcommand, parse its arguments and run it."""
    module = importlib.import_module(f"lmlir.commands.{command}")
    purpose = COMMANDS[command][1]
    parser = Parser(prog=f"lmlir {command}", description=f"{purpose[0].upper()}{purpose[1:]}.")
    module.add_arguments(parser)
    return int(module.run(parser.parse_args(arguments)))


def explanation(command: str, error: Exception) -> str:
    """How the sentence about an error goes on after the command's name, or "" if the error is a bug
    in lmlir.
    """
    if isinstance(error, ModuleNotFoundError):
        extra = COMMANDS[command][0]
        package = (error.name or "lmlir").split(".")[0]
        return (
            f" needs the package {package}: pip install 'lmlir[{extra}]'"
            if extra and package != "lmlir"
            else ""
        )
    if isinstance(error, OSError) and error.filename:
        return f": {error.filename}: {error.strerror}"
    return f": {error}" if isinstance(error, (OSError, ValueError)) else ""


def fail(sentence: str, status: int = CANNOT_RUN) -> int:
    """Print one sentence on standard error and return the exit status."""
    print(" ".join(sentence.split()), file=sys.stderr)
    return status
