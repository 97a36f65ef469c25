"""The command `lmlir`: picks the subcommand, imports only what that one needs, and turns errors into one sentence."""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import lmlir

# name: (module with add_arguments and run, the extra it needs, what it does)
COMMANDS = {
    "map": ("lmlir.commands.map", None, "every item of the paper with its functions, laws, proofs, page and status"),
    "errata": (
        "lmlir.commands.errata",
        None,
        "every mistake found in the paper, every choice it leaves open, the evidence",
    ),
    "check": ("lmlir.commands.check", "oracle", "judges an implementation against the laws of the paper"),
    "laws": ("lmlir.commands.laws", "oracle", "the laws that `lmlir check` tries, one sentence each"),
    "vectors": ("lmlir.commands.vectors", "oracle", "writes the test vectors and their JSON Schema"),
    "experiment": ("lmlir.commands.experiment", "experiments", "the paper's section 6, and the ablations"),
    "data": ("lmlir.commands.data", None, "which of the 14 data sets can be loaded from where"),
}


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one sentence, and where more is said."""

    def error(self, message: str) -> NoReturn:
        """Exit status 2."""
        sys.exit(fail(f"{self.prog}: {message}; `{self.prog} --help` says more"))


def overview() -> Parser:
    """The parser of `lmlir` itself, which knows the subcommands only by name and purpose."""
    lines = [f"  {name:<12}{purpose}" for name, (_, _, purpose) in COMMANDS.items()]
    parser = Parser(
        prog="lmlir",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Learning Local Metrics and Influential Regions: the paper, runnable.",
        epilog="commands:\n" + "\n".join(lines) + "\n\n`lmlir COMMAND --help` says more about one of them.",
    )
    parser.add_argument("--version", action="version", version=f"lmlir {lmlir.__version__}")
    parser.add_argument("command", metavar="COMMAND", help="one of the commands below")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="its own arguments")
    return parser


def unknown_command(name: str) -> str:
    """What is said of a command that does not exist.

    >>> unknown_command("chek")
    'there is no command chek; did you mean check?'
    """
    close = difflib.get_close_matches(name, COMMANDS, n=1)
    return f"there is no command {name}" + (f"; did you mean {close[0]}?" if close else "")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one subcommand and returns its exit status; 2 where it could not be run."""
    parser = overview()
    if not (sys.argv[1:] if argv is None else argv):
        parser.print_help(sys.stderr)
        return 2
    chosen = parser.parse_args(argv)
    if chosen.command not in COMMANDS:
        parser.error(unknown_command(chosen.command))
    module_name, extra, purpose = COMMANDS[chosen.command]
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        return missing_package(chosen.command, error)
    parser = Parser(prog=f"lmlir {chosen.command}", description=purpose[0].upper() + purpose[1:] + ".")
    module.add_arguments(parser)
    arguments = parser.parse_args(chosen.arguments)
    try:
        return int(module.run(arguments))
    except BrokenPipeError:
        # The reader (head, less) has seen enough. Point stdout elsewhere so that the interpreter's last flush is quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return fail("interrupted")
    except (ValueError, OSError, ModuleNotFoundError) as error:
        if isinstance(error, ModuleNotFoundError) and extra is not None:
            return missing_package(chosen.command, error)
        return fail(f"lmlir {chosen.command}: {error}")


def missing_package(command: str, error: ModuleNotFoundError) -> int:
    """Says which extra brings the package that a subcommand could not import; a module of ours is a fault of ours."""
    extra = COMMANDS[command][1]
    if error.name is None or error.name.split(".")[0] == "lmlir" or extra is None:
        raise error
    return fail(f"lmlir {command} needs the package {error.name}: pip install 'lmlir[{extra}]'")


def fail(sentence: str) -> int:
    """Says one sentence on standard error; the exit status of a command that could not be run."""
    print(" ".join(sentence.split()), file=sys.stderr)
    return 2
