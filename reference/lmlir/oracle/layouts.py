"""Layouts: the same arguments in other memory. Arrays turned, with gaps, backwards, shared, locked, mapped or of integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle.cases import METRICS
from lmlir.oracle.checker import copied
from lmlir.oracle.interface import INTEGER_ARRAYS, POINTS

Arguments = dict[str, Any]
Layout = Callable[[Arguments], Arguments]

# Arguments that may be one and the same object.
TWINS = (("X_i", "X_j"), ("X", "Y"), ("X_minus", "X_plus"), ("similar", "dissimilar"))


def _each(change: Callable[[np.ndarray], np.ndarray], arguments: Arguments) -> Arguments:
    return {name: change(value) if isinstance(value, np.ndarray) else value for name, value in arguments.items()}


def turned_in_memory(arguments: Arguments) -> Arguments:
    """Column by column in place of row by row, and indices of four bytes."""
    return _each(lambda a: np.array(a, dtype=np.int32 if a.dtype.kind == "i" else None, order="F"), arguments)


def with_gaps(arguments: Arguments) -> Arguments:
    """Every second entry along every axis of a larger array."""

    def spread(array: np.ndarray) -> np.ndarray:
        """An array with gaps."""
        larger = np.zeros([2 * size for size in array.shape], array.dtype)
        every_second = (slice(None, None, 2),) * array.ndim
        larger[every_second] = array
        return larger[every_second]

    return _each(spread, arguments)


def backwards(arguments: Arguments) -> Arguments:
    """From the last entry to the first, seen from the other end."""

    def reverse(array: np.ndarray) -> np.ndarray:
        """An array that runs backwards in memory."""
        turned = (slice(None, None, -1),) * array.ndim
        return np.ascontiguousarray(array[turned])[turned]

    return _each(reverse, arguments)


def locked(arguments: Arguments) -> Arguments:
    """Read-only arrays."""
    given = copied(arguments)
    for value in given.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return given


def in_one_array(arguments: Arguments) -> Arguments:
    """Points and centers as parts of one array, one after the other."""
    names = [name for name in POINTS if name in arguments]
    together = np.concatenate([arguments[name] for name in names])
    ends = np.cumsum([0, *(len(arguments[name]) for name in names)])
    return {**arguments, **{name: together[ends[k] : ends[k + 1]] for k, name in enumerate(names)}}


def mapped(folder: Path) -> Layout:
    """Arrays in files of a folder, mapped into memory; those without numbers stay as they are."""

    def into_files(arguments: Arguments) -> Arguments:
        """The arguments, each array in a file of its own."""
        given = dict(arguments)
        for name, value in arguments.items():
            if isinstance(value, np.ndarray) and value.size:
                file = folder / f"{name}.bin"
                file.write_bytes(value.tobytes())
                given[name] = np.memmap(file, dtype=value.dtype, mode="r", shape=value.shape)
        return given

    return into_files


def overlapping(arguments: Arguments) -> Arguments:
    """Another question: points and centers from one array, each a row after the one before, and X and Y equally many."""
    names = [name for name in POINTS if name in arguments]
    together = np.concatenate([arguments[name] for name in names])
    lengths = {name: len(arguments["X" if name == "Y" else name]) for name in names}
    return {**arguments, **{name: together[k : k + lengths[name]] for k, name in enumerate(names)}}


def one_object_twice(arguments: Arguments) -> Iterator[Arguments]:
    """Other questions: two arguments are the same array object."""
    for first, second in TWINS:
        if first in arguments and second in arguments:
            yield {**arguments, second: arguments[first]}


def the_same_row_throughout(arguments: Arguments) -> Arguments:
    """Another question: all rows of the first argument, and all radii, are one number in memory, seen again and again."""
    first = next(iter(arguments))
    seen = {name: np.broadcast_to(arguments[name][:1], arguments[name].shape) for name in (first, "radii")}
    return {**arguments, **seen}


def whole_numbers(arguments: Arguments, dtype: Any) -> Arguments:
    """Another question: every array holds whole numbers, in an integer type."""

    def whole(name: str, array: np.ndarray) -> np.ndarray:
        """Whole numbers in place of an array's; whole metrics that are positive definite."""
        if name in METRICS:
            features = array.shape[-1]
            steps = np.arange(array.size // features**2).reshape(*array.shape[:-2], 1, 1)
            return ((2 + steps % 5) * np.eye(features) + 1).astype(dtype)
        if name in INTEGER_ARRAYS:
            return array.astype(dtype)
        return np.round(3 * (np.abs(array) if name == "radii" else array)).astype(dtype)

    return {name: whole(name, a) if isinstance(a, np.ndarray) else a for name, a in arguments.items()}


def as_floats(arguments: Arguments, dtype: Any) -> Arguments:
    """What integers mean: the same numbers as floats, indices as they are."""
    return {
        name: value.astype(np.intp if name in INTEGER_ARRAYS else dtype) if isinstance(value, np.ndarray) else value
        for name, value in arguments.items()
    }
