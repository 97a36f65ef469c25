"""Where a subject comes from: a module, a file, a program that is started, or functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from lmlir.oracle.interface import FUNCTIONS, offers_nothing
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import CannotBeJudged
from lmlir.oracle.subjects.loading import load_module, public_callables
from lmlir.oracle.subjects.local import LocalSubject, quiet
from lmlir.oracle.subjects.process import TIMEOUT_SECONDS, ModuleCodec, Process, ProgramCodec

S = TypeVar("S", bound=Subject)


def start(target: str, timeout: float = TIMEOUT_SECONDS) -> Process:
    """Start a Python subject, given by its dotted module name or its `.py` file, in a process of
    its own.
    """
    return _useful(Process(target, list(FUNCTIONS), ModuleCodec, timeout), target)


def start_program(command: str, timeout: float = TIMEOUT_SECONDS) -> Process:
    """Start a program that speaks the line protocol."""
    return _useful(Process(command, list(FUNCTIONS), ProgramCodec, timeout), command)


def load(target: str) -> LocalSubject:
    """Load a Python subject into this process: fast and without protection, for subjects of our
    own.
    """
    with quiet():
        return _useful(from_module(load_module(target), target), target)


def from_module(module: Any, name: str | None = None) -> LocalSubject:
    """Return a subject made of the interface functions that a module (or any other object) has."""
    functions = {}
    for function in FUNCTIONS:
        if callable(getattr(module, function, None)):
            functions[function] = getattr(module, function)
    name = name or str(getattr(module, "__name__", type(module).__name__))
    return LocalSubject(name, functions, public_callables(module))


def from_functions(
    functions: Mapping[str, Callable[..., Any]], name: str = "functions"
) -> LocalSubject:
    """Return a subject made of the given functions, by their interface names."""
    unknown = sorted(set(functions) - set(FUNCTIONS))
    if unknown:
        sentence = f"the subject interface has no function {', '.join(unknown)}"
        advice = f'name yours by one of them, as in {{"distances": {unknown[0]}}}'
        raise CannotBeJudged(f"{sentence}; it has {', '.join(FUNCTIONS)}; {advice}")
    return LocalSubject(name, {key: functions[key] for key in FUNCTIONS if key in functions})


def _useful(subject: S, target: str) -> S:
    """Return the subject; raises `CannotBeJudged` if it offers nothing."""
    if not subject.offers:
        subject.close()
        raise CannotBeJudged(f"{target} {offers_nothing(subject.others)}")
    return subject
