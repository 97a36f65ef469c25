"""Shrinking: how a failing case is made smaller.

What may be done to an input follows from its declaration in the interface (its kind and the letters
of its shape), so that nothing here names an argument.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.interface import INPUTS, lengths, of_kind

FEATURES = "F"  # the only letter whose length must not become 0
MAX_SINGLE_ROWS = 12  # rows that are tried alone, or left out, one by one
MAX_ROUNDED_NUMBERS = 200  # in an array that is rounded as a whole
MAX_CHANGED_NUMBERS = 24  # in an array whose numbers are changed one by one


def _parts(count: int) -> Iterator[np.ndarray]:
    """Yield smaller index sets: one row alone, then halves, then all rows but one."""
    rows = np.arange(count)
    if count > 1:
        yield from rows[:MAX_SINGLE_ROWS, None]
        yield rows[-1:]
        yield rows[: count // 2]
        yield rows[count // 2 :]
    for row in rows[:MAX_SINGLE_ROWS]:
        yield np.delete(rows, row)


def _kept(case: Case, letter: str, positions: np.ndarray) -> Case:
    """Return the case with only some positions on every axis that is declared with a letter, such
    as S for the regions.
    """
    kept = {}
    for name in case.inputs.keys() & INPUTS.keys():
        array = case[name]
        for axis, axis_letter in enumerate(INPUTS[name].shape):
            if axis_letter == letter:
                array = np.take(array, positions, axis)
        kept[name] = array
    return case.but(**kept)


def _indexed(case: Case) -> list[str]:
    """Return the inputs whose rows others refer to."""
    targets: set[str] = set()
    for name in of_kind(case.inputs, "indices"):
        targets.update(INPUTS[name].of)
    return sorted(targets)


def _fewer_rows(case: Case) -> Iterator[Case]:
    """Shorten one list after the other; lists of one length are shortened together."""
    fixed = {FEATURES, *(INPUTS[target].shape[0] for target in _indexed(case))}
    for letter, length in lengths(case.inputs).items():
        if letter.isalpha() and letter not in fixed:
            for keep in _parts(length):
                yield _kept(case, letter, keep)


def _without_unused_rows(case: Case) -> Iterator[Case]:
    """Leave out the rows that no index refers to, and renumber the indices."""
    for target in _indexed(case):
        names = [name for name in case.inputs if name in INPUTS and INPUTS[name].of == (target,)]
        used = np.unique(np.concatenate([case[name].ravel() for name in names])).astype(np.intp)
        if 0 < len(used) < len(case[target]):
            renumbered = {name: np.searchsorted(used, case[name]) for name in names}
            yield _kept(case, INPUTS[target].shape[0], used).but(**renumbered)


def _fewer_features(case: Case) -> Iterator[Case]:
    for keep in _parts(lengths(case.inputs).get(FEATURES, 0)):
        if len(keep):
            yield _kept(case, FEATURES, keep)


def _plainer_metrics(case: Case) -> Iterator[Case]:
    for name in of_kind(case.inputs, "metrics"):
        M = case[name]
        identity = np.broadcast_to(np.eye(M.shape[-1], dtype=M.dtype), M.shape)
        if np.array_equal(M, identity):
            continue
        yield case.but(**{name: identity.copy()})
        if not np.array_equal(M, M * identity):
            yield case.but(**{name: M * identity})
        elif not np.array_equal(M, 4 * identity):
            yield case.but(**{name: 4 * identity})


def _plainness(value: float) -> tuple[bool, float]:
    """Sort key: whole numbers are plainer than others, whatever their size, and small ones plainer
    than large ones.
    """
    return value != np.round(value), abs(value)


def _rounder_arrays(case: Case) -> Iterator[Case]:
    for name in of_kind([name for name in INPUTS if name in case.inputs], "points", "radii"):
        array = case[name]
        if array.size <= MAX_ROUNDED_NUMBERS:
            for rounded in _rounder(array):
                yield case.but(**{name: rounded})
        if array.size <= MAX_CHANGED_NUMBERS:
            for changed in _with_a_plainer_number(array):
                yield case.but(**{name: changed})


def _rounder(array: np.ndarray) -> Iterator[np.ndarray]:
    for digits in (0, 1, 3):
        with np.errstate(all="ignore"):
            rounded = np.round(array.astype(np.float64), digits).astype(array.dtype)
        rounded = rounded + 0  # not -0.0
        if np.isfinite(rounded).all() and not np.array_equal(rounded, array):
            yield rounded


def _with_a_plainer_number(array: np.ndarray) -> Iterator[np.ndarray]:
    for index in np.ndindex(array.shape):
        value = float(array[index])
        for plain in (0.0, 1.0, float(np.round(value)) + 0, float(np.trunc(value / 2)) + 0):
            if _plainness(plain) < _plainness(value):
                changed = array.copy()
                changed[index] = plain
                yield changed


def _rounder_numbers(case: Case) -> Iterator[Case]:
    for name in of_kind(case.inputs, "number", "count"):
        plain_values: tuple[float, ...] = (0.0, 1.0)
        if INPUTS[name].kind == "count":
            plain_values = (1,)
        for plain in plain_values:
            if _plainness(plain) < _plainness(case[name]):
                yield case.but(**{name: plain})


def _counts_fit(case: Case) -> bool:
    """Whether no count exceeds the list that it counts: such a question has no answer."""
    for name in of_kind(case.inputs, "count"):
        if any(case[name] > len(case[members]) for members in INPUTS[name].of):
            return False
    return True


def smaller(case: Case) -> Iterator[Case]:
    """Yield cases one step simpler than this one: fewer rows, fewer features, plainer metrics,
    rounder numbers.
    """
    steps = (
        _fewer_rows,
        _without_unused_rows,
        _fewer_features,
        _plainer_metrics,
        _rounder_arrays,
        _rounder_numbers,
    )
    return filter(_counts_fit, itertools.chain.from_iterable(step(case) for step in steps))


def shrunk(
    case: Case, still_fails: Callable[[Case], bool], out_of_time: Callable[[], bool]
) -> Case:
    """Return the simplest failing case that single steps reach within the time given."""
    improved = True
    while improved and not out_of_time():
        improved = False
        for candidate in smaller(case):
            if out_of_time():
                break
            if still_fails(candidate):
                case = candidate
                improved = True
                break
    return case
