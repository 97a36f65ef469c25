"""Subjects of this paper's interface: load or start someone's implementation, and read its answers with care."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from lmlir.oracle.engine.messages import shortened
from lmlir.oracle.engine.process import TIMEOUT_SECONDS, ModuleCodec, Process, ProgramCodec
from lmlir.oracle.engine.process import RemoteAnswer as RemoteAnswer
from lmlir.oracle.engine.subjects import LocalSubject as LocalSubject
from lmlir.oracle.engine.subjects import Subject as Subject
from lmlir.oracle.engine.subjects import load_module, public_callables, quiet, write_ones
from lmlir.oracle.interface import FUNCTIONS, Arguments, Shape, offers_nothing
from lmlir.oracle.violations import CannotBeJudged, SubjectFailure

S = TypeVar("S", bound=Subject)


def start(target: str, timeout: float = TIMEOUT_SECONDS) -> Process:
    """Start a Python subject, given by its dotted module name or its `.py` file, in a process of its own."""
    return _useful(Process(target, list(FUNCTIONS), ModuleCodec, timeout), target)


def start_program(command: str, timeout: float = TIMEOUT_SECONDS) -> Process:
    """Start a program that speaks the line protocol."""
    return _useful(Process(command, list(FUNCTIONS), ProgramCodec, timeout), command)


def load(target: str) -> LocalSubject:
    """Load a Python subject into this process: fast and without protection, for subjects of our own."""
    with quiet():
        return _useful(from_module(load_module(target), target), target)


def from_module(module: Any, name: str | None = None) -> LocalSubject:
    """Return a subject made of the interface functions that a module (or any other object) has."""
    found = {each: getattr(module, each) for each in FUNCTIONS if callable(getattr(module, each, None))}
    name = name or str(getattr(module, "__name__", type(module).__name__))
    return LocalSubject(name, found, public_callables(module))


def from_functions(functions: Mapping[str, Callable[..., Any]], name: str = "functions") -> LocalSubject:
    """Return a subject made of the given functions, by their interface names."""
    unknown = sorted(set(functions) - set(FUNCTIONS))
    if unknown:
        raise CannotBeJudged(f"the subject interface has no function {', '.join(unknown)}")
    return LocalSubject(name, {key: functions[key] for key in FUNCTIONS if key in functions})


def _useful(subject: S, target: str) -> S:
    """Return the subject; raises `CannotBeJudged` if it offers nothing."""
    if not subject.offers:
        subject.close()
        raise CannotBeJudged(f"{target} {offers_nothing(subject.others)}")
    return subject


def numbers(function: str, answer: Any, arguments: Arguments, only: int | None = None) -> tuple[np.ndarray, ...]:
    """The answer as float64 arrays of the right shapes, copied; raises `SubjectFailure` that says what is wrong.

    NaN is wrong, in the array that alone is asked for, or in any.
    """
    if isinstance(answer, RemoteAnswer):
        answer = answer.look()
    interface = FUNCTIONS[function]
    shapes = interface.shapes(arguments)
    if interface.single:
        return (_array(function, interface.answers[0], answer, shapes[0]),)
    try:
        parts = list(answer)
    except Exception:
        parts = [answer]
    if isinstance(answer, dict) or len(parts) != len(shapes):
        told = "a dictionary" if isinstance(answer, dict) else f"{len(parts)}"
        sentence = f"{function} returned {told} instead of {len(shapes)} arrays"
        raise SubjectFailure(sentence, said=_shown(answer), errored=False)
    named = enumerate(zip(interface.answers, parts, shapes, strict=True))
    return tuple(_array(function, *each, nan=only not in (None, k)) for k, each in named)


def overwrite(answer: Any) -> None:
    """Write ones into all arrays of an answer, where it is: it belongs to the caller."""
    answer.overwrite() if isinstance(answer, RemoteAnswer) else write_ones(answer)


def in_single(answer: Any) -> bool:
    """Whether an answer, or a part of it, came in float32."""
    answer = answer.given if isinstance(answer, RemoteAnswer) else answer
    parts = answer if isinstance(answer, (tuple, list)) and len(answer) <= 4 else (answer,)
    return any(getattr(part, "dtype", None) == np.float32 for part in parts)


def _array(function: str, name: str, answer: Any, shape: Shape, nan: bool = False) -> np.ndarray:
    def failure(what: str, nan_at: tuple[int, ...] = ()) -> SubjectFailure:
        """The failure to return what is due, with what was returned instead."""
        return SubjectFailure(f"{function} returned {what}", said=_shown(answer), errored=False, nan_at=nan_at)

    if answer is None:
        raise failure(f"None: {name} must be an array of numbers")
    try:
        array = np.array(answer)
        array = array.astype(np.float64) if array.dtype == object else array
    except Exception as error:
        raise failure(f"values that are not numbers: {name} cannot be read as an array") from error
    if array.size == 0 and 0 in shape:
        return np.zeros(shape)
    if array.dtype.kind not in "fiu":
        raise failure(f"values that are not numbers: {name} has type {array.dtype}")
    if array.shape != shape:
        raise failure(f"a wrong shape: {name} has {array.shape} instead of {shape}")
    array = array.astype(np.float64)
    if not nan and np.isnan(array).any():
        place = [int(i) for i in np.argwhere(np.isnan(array))[0]]
        where = ", ".join(map(str, place))
        part = FUNCTIONS[function].answers.index(name)
        raise failure(f"NaN: {name}{f'[{where}]' if where else ''}", (part, *place))
    return array


def _shown(answer: Any) -> str:
    try:
        return shortened(repr(answer))
    except Exception:
        return f"<{type(answer).__name__}>"
