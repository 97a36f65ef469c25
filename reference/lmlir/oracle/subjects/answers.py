"""Read a subject's answers with care: any object may come, and its methods may be the subject's."""

from __future__ import annotations

from typing import Any

import numpy as np

from lmlir.oracle.interface import FUNCTIONS, Arguments, Shape
from lmlir.oracle.subjects.failures import SubjectFailure
from lmlir.oracle.subjects.local import write_ones
from lmlir.oracle.subjects.messages import shortened
from lmlir.oracle.subjects.process import RemoteAnswer


def numbers(
    function: str, answer: Any, arguments: Arguments, only: int | None = None
) -> tuple[np.ndarray, ...]:
    """The answer as float64 arrays of the right shapes, copied; raises `SubjectFailure` that says
    what is wrong.

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
        return SubjectFailure(
            f"{function} returned {what}", said=_shown(answer), errored=False, nan_at=nan_at
        )

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
