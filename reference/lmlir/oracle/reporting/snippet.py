"""Lines that repeat a violation."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle.interface import FUNCTIONS, place_in
from lmlir.oracle.subjects.failures import Call, SubjectFailure, Violation
from lmlir.oracle.subjects.loading import is_path
from lmlir.oracle.subjects.messages import to_lists
from lmlir.oracle.subjects.process import PROTOCOL_VERSION


def snippet(calls: Sequence[Call], subject: str, program: str = "") -> str:
    """Python lines to paste: they load the subject and repeat calls.

    A program is called by the line protocol.
    """
    lines = ["import numpy as np", *_opening(subject, program), ""]
    for number, call in enumerate(calls, start=1):
        name = f"answer_{number}" if len(calls) > 1 else "answer"
        if program:
            lines.append(f"{name} = subject.ask({call.function!r}, {{")
            for argument, value in call.arguments.items():
                lines.append(f"    {argument!r}: {_literal(value)},")
            lines.append("})")
        else:
            lines.append(f"{name} = subject.{call.function}(")
            for argument, value in call.arguments.items():
                lines.append(f"    {_literal(value)},  # {argument}")
            lines.append(")")
        lines.append(f"print({name})")
    return "\n".join(lines)


def protocol_lines(calls: Sequence[Call]) -> list[str]:
    """The same calls as comments, to pipe into the program."""
    messages = [{"call": "start", "version": PROTOCOL_VERSION}]
    for number, call in enumerate(calls, start=1):
        arguments = {name: to_lists(value) for name, value in call.arguments.items()}
        messages.append({"id": number, "call": call.function, "arguments": arguments})
    return ["# In the line protocol:", *(f"# {json.dumps(message)}" for message in messages)]


def assertion(violation: Violation) -> list[str]:
    """The line that makes a test of one call: what its answer must satisfy, if it is known."""
    if len(violation.calls) != 1:
        return []
    [call] = violation.calls
    function = FUNCTIONS[call.function]
    found = place_in(violation.where, call.function)
    if found is not None:
        number, place = found
        answer = "answer" if function.single else f"answer[{number}]"
        if place:
            answer = f"np.asarray({answer})[{', '.join(map(str, place))}]"
        ends = (_literal(violation.lower), _literal(violation.upper))
        return [f"assert {ends[0]} <= {answer} <= {ends[1]}"]
    if isinstance(violation, SubjectFailure) and function.single and not violation.errored:
        return [f"assert np.shape(answer) == {function.shapes(call.arguments)[0]}"]
    return []


def _opening(subject: str, program: str) -> list[str]:
    """The lines that load the subject."""
    if program:
        return [
            "from lmlir.oracle import subjects",
            f"subject = subjects.start_program({program!r})",
        ]
    if is_path(subject):
        path = Path(subject)
        lines = ["import importlib", "import sys", f"sys.path.insert(0, {str(path.parent)!r})"]
        return [*lines, f"subject = importlib.import_module({path.stem!r})"]
    if all(part.isidentifier() for part in subject.split(".")):
        return [f"import {subject} as subject"]
    return [f"subject = ...  # {subject!r}"]


def _literal(value: Any) -> str:
    """A value as a Python expression with NumPy.

    >>> _literal(np.array([[np.nan, -np.inf]])), _literal(0.5)
    ('np.array([[np.nan, -np.inf]])', '0.5')
    """
    if not isinstance(value, np.ndarray):
        return _with_names(repr(value))
    if value.size == 0 and value.dtype.kind == "f":
        return f"np.zeros({value.shape})"
    if value.size == 0:
        return f"np.zeros({value.shape}, dtype=int)"
    numbers = _with_names(repr(value.tolist()))
    if value.dtype == np.float32:
        return f"np.array({numbers}, dtype=np.float32)"
    return f"np.array({numbers})"


def _with_names(text: str) -> str:
    """Replace the numbers for which Python has no literals by their names in NumPy."""
    return re.sub(r"\b(nan|inf)\b", r"np.\1", text)
