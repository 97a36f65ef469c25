"""Argument checks for the Python examples in this folder: shapes that do not fit, NaN, infinity and
a K that is too large.

`lmlir.subject.ARGUMENTS` declares kind and shape of every argument. A program that must run without
lmlir can copy that table.
"""

import functools
import inspect

import numpy as np

from lmlir.subject import ARGUMENTS


def checked(function):
    """Return the function with its arguments checked and converted to arrays: of indices, or of
    float64 (float32 stays).
    """
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def wrapper(*values):
        given = {
            name: _converted(ARGUMENTS[name].kind, value)
            for name, value in zip(names, values, strict=True)
        }
        _check(given)
        return function(*given.values())

    return wrapper


def _converted(kind, value):
    if kind in ("count", "number"):
        return int(value) if kind == "count" else float(value)
    array = np.asarray(value)
    if kind == "indices":
        return array.astype(np.intp)
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _check(given):
    """Raise `ValueError` with the argument, the condition and the value."""
    lengths = {"2": 2}  # by letter; the same letter is the same length in all arguments of a call
    for name, value in given.items():
        letters = ARGUMENTS[name].shape
        shape = np.shape(value)
        if not np.isfinite(value).all():
            raise ValueError(f"{name} must be finite, got {value}")
        expected = tuple(
            lengths.setdefault(letter, length)
            for letter, length in zip(letters, shape, strict=False)
        )
        if len(letters) != len(shape) or expected != shape:
            raise ValueError(
                f"{name} must have shape ({', '.join(letters)}) with {lengths}, got {shape}"
            )
    for name, value in given.items():
        rows = [len(given[other]) for other in ARGUMENTS[name].of]
        if ARGUMENTS[name].kind == "count" and not 1 <= value <= min(rows):
            raise ValueError(
                f"{name} must be from 1 to the size of the smaller class, {min(rows)}, got {value}"
            )
        if (
            ARGUMENTS[name].kind == "indices"
            and value.size
            and not 0 <= value.min() <= value.max() < rows[0]
        ):
            raise ValueError(
                f"{name} must index rows 0 to {rows[0] - 1} of {ARGUMENTS[name].of[0]}, got {value}"
            )
