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
    function: str,
    answer: Any,
    arguments: Arguments,
    only: int | None = None,
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
        values = list(answer)
    except Exception:
        values = [answer]
    if isinstance(answer, dict) or len(values) != len(shapes):
        returned = "a dictionary" if isinstance(answer, dict) else str(len(values))
        sentence = f"{function} returned {returned} instead of {len(shapes)} arrays"
        raise SubjectFailure(sentence, said=_shown(answer), source="Returned", errored=False)
    arrays = []
    for k, name in enumerate(interface.answers):
        may_be_nan = only not in (None, k)
        arrays.append(_array(function, name, values[k], shapes[k], may_be_nan))
    return tuple(arrays)


def overwrite(answer: Any) -> None:
    """Write ones into all arrays of an answer, where it is: it belongs to the caller."""
    if isinstance(answer, RemoteAnswer):
        answer.overwrite()
    else:
        write_ones(answer)


def in_single(answer: Any) -> bool:
    """Whether an answer, or a part of it, came in float32."""
    if isinstance(answer, RemoteAnswer):
        answer = answer.given
    if not isinstance(answer, (tuple, list)) or len(answer) > 4:
        answer = (answer,)
    return any(getattr(array, "dtype", None) == np.float32 for array in answer)


def _array(
    function: str,
    name: str,
    answer: Any,
    shape: Shape,
    nan: bool = False,
) -> np.ndarray:
    def failure(what: str, nan_at: tuple[int, ...] = ()) -> SubjectFailure:
        """The failure to return what is due, with what was returned instead."""
        return SubjectFailure(
            f"{function} returned {what}",
            said=_shown(answer),
            source="Returned",
            errored=False,
            nan_at=nan_at,
        )

    if answer is None:
        raise failure(f"None: {name} must be an array of numbers")
    try:
        array = np.array(answer)
        if array.dtype == object:
            array = array.astype(np.float64)
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
        where = f"[{', '.join(map(str, place))}]" if place else ""
        number = FUNCTIONS[function].answers.index(name)
        raise failure(f"NaN: {name}{where}", (number, *place))
    return array


def _shown(answer: Any) -> str:
    try:
        return shortened(repr(answer))
    except Exception:
        return f"<{type(answer).__name__}>"
