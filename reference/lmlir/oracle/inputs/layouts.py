"""Layouts: the same arguments in other memory, or other arguments in memory that they share.

Every function takes the arguments of a call and returns new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle.interface import ARGUMENTS, TWINS, of_kind

Arguments = dict[str, Any]


def _each(change: Callable[[np.ndarray], np.ndarray], arguments: Arguments) -> Arguments:
    return {
        name: change(value) if isinstance(value, np.ndarray) else value
        for name, value in arguments.items()
    }


# ---- the same question ----


def in_fortran_order(arguments: Arguments) -> Arguments:
    """Store arrays column by column, and indices in four bytes."""
    return _each(
        lambda a: np.array(a, dtype=np.int32 if a.dtype.kind == "i" else None, order="F"), arguments
    )


def with_gaps(arguments: Arguments) -> Arguments:
    """Take every second entry along every axis of a larger array."""

    def spread(array: np.ndarray) -> np.ndarray:
        every_second = (slice(None, None, 2),) * array.ndim
        larger = np.zeros([2 * size for size in array.shape], array.dtype)
        larger[every_second] = array
        return larger[every_second]

    return _each(spread, arguments)


def backwards(arguments: Arguments) -> Arguments:
    """Store arrays from the last entry to the first, with negative strides."""

    def reverse(array: np.ndarray) -> np.ndarray:
        turned = (slice(None, None, -1),) * array.ndim
        return np.ascontiguousarray(array[turned])[turned]

    return _each(reverse, arguments)


def read_only(arguments: Arguments) -> Arguments:
    """Copy the arrays and lock the copies."""

    def locked(array: np.ndarray) -> np.ndarray:
        array = array.copy()
        array.flags.writeable = False
        return array

    return _each(locked, arguments)


def in_one_array(arguments: Arguments) -> Arguments:
    """Make points and centers parts of one array, one after the other."""
    names = of_kind(arguments, "points")
    together = np.concatenate([arguments[name] for name in names])
    ends = np.cumsum([len(arguments[name]) for name in names])
    return {**arguments, **dict(zip(names, np.split(together, ends[:-1]), strict=True))}


def mapped_from(folder: Path) -> Callable[[Arguments], Arguments]:
    """Return a layout that writes arrays to files of a folder and maps them into memory; empty
    arrays stay.
    """

    def into_files(arguments: Arguments) -> Arguments:
        given = dict(arguments)
        for name, value in arguments.items():
            if isinstance(value, np.ndarray) and value.size:
                file = folder / f"{name}.bin"
                file.write_bytes(value.tobytes())
                given[name] = np.memmap(file, dtype=value.dtype, mode="r", shape=value.shape)
        return given

    return into_files


# ---- other questions ----


def overlapping(arguments: Arguments) -> Arguments:
    """Take all points and centers from one array, each list starting one row after the one before.

    Y gets as many rows as X: a program may take two overlapping arrays of one shape for the same
    array.
    """
    names = of_kind(arguments, "points")
    together = np.concatenate([arguments[name] for name in names])
    rows = {name: len(arguments["X" if name == "Y" else name]) for name in names}
    return {**arguments, **{name: together[k : k + rows[name]] for k, name in enumerate(names)}}


def one_object_twice(arguments: Arguments) -> Iterator[Arguments]:
    """Pass one array object as two arguments."""
    for first, second in TWINS:
        if first in arguments and second in arguments:
            yield {**arguments, second: arguments[first]}


def one_row_throughout(arguments: Arguments) -> Arguments:
    """Repeat the first row of the first argument, and the first radius, with strides of 0."""
    names = (next(iter(arguments)), *of_kind(arguments, "radii"))
    return {
        **arguments,
        **{name: np.broadcast_to(arguments[name][:1], arguments[name].shape) for name in names},
    }


def whole_numbers(arguments: Arguments, dtype: Any) -> Arguments:
    """Replace every number in an array by a whole number, in an integer type."""

    def whole(kind: str, array: np.ndarray) -> np.ndarray:
        if kind == "indices":
            return array.astype(dtype)
        if kind == "metrics":  # positive definite ones
            features = array.shape[-1]
            steps = np.arange(array.size // features**2).reshape(*array.shape[:-2], 1, 1)
            return ((2 + steps % 5) * np.eye(features) + 1).astype(dtype)
        return np.round(3 * (np.abs(array) if kind == "radii" else array)).astype(dtype)

    return {
        n: whole(ARGUMENTS[n].kind, a) if isinstance(a, np.ndarray) else a
        for n, a in arguments.items()
    }


def as_floats(arguments: Arguments, dtype: Any) -> Arguments:
    """Return the floats that equal the integers of the arrays; indices stay integers."""
    changed = {
        name: arguments[name].astype(dtype)
        for name in of_kind(arguments, "points", "radii", "metrics")
    }
    return {
        **arguments,
        **changed,
        **{name: arguments[name].astype(np.intp) for name in of_kind(arguments, "indices")},
    }
