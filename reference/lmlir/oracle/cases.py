"""Cases: the inputs of a law, how to make one smaller, and how to write one down."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Inputs = Mapping[str, Any]

ROWS_OF_REGIONS = ("centers", "radii", "local_metrics")
ROWS_OF_PAIRS = ("X_i", "X_j")
LISTS = ("Y", "X_minus", "X_plus", "similar", "dissimilar")
POINTS = ("X_i", "X_j", "X", "Y", "X_minus", "X_plus", "centers", "shift")
METRICS = ("local_metrics", "background_metric")


@dataclass(frozen=True, eq=False)
class Case:
    """One input of a law: arrays and numbers by their names in the interface, and why it is there."""

    inputs: dict[str, Any]
    flags: tuple[str, ...] = ()
    reason: str = ""
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.inputs[name]

    def __repr__(self) -> str:
        return f"Case({', '.join(self.inputs)})"

    def but(self, **inputs: Any) -> Case:
        """The same case with some inputs replaced."""
        return replace(self, inputs={**self.inputs, **inputs}, memo={})

    def cast(self, dtype: Any) -> Case:
        """The same case in another number format."""
        return replace(self, inputs={name: _cast(value, dtype) for name, value in self.inputs.items()}, memo={})

    @property
    def size(self) -> int:
        """How many numbers the case holds."""
        return sum(np.size(value) for value in self.inputs.values())


def inputs_of(case: Case, function: str) -> dict[str, Any]:
    """The inputs of a function out of a case with pairs; for cross distances X against Y, with one row fewer in Y."""
    if function != "cross_distances":
        return case.inputs
    return {**case.inputs, "X": case["X_i"], "Y": case["X_j"][: max(1, len(case["X_j"]) - 1)]}


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(dtype)
    return float(dtype(value)) if isinstance(value, float) else value


def _without(case: Case, names: tuple[str, ...], keep: np.ndarray) -> Case:
    return case.but(**{name: case[name][keep] for name in names if name in case.inputs})


def _halves(count: int) -> Iterator[np.ndarray]:
    """Index sets that leave something out: one row alone, then halves, then all but one."""
    if count > 1:
        for one in (*range(min(count, 12)), count - 1):
            yield np.array([one])
        for part in (slice(0, count // 2), slice(count // 2, count)):
            yield np.arange(count)[part]
    for one in range(min(count, 12)):
        yield np.delete(np.arange(count), one)


def _smaller_rows(case: Case) -> Iterator[Case]:
    for names in (ROWS_OF_PAIRS, ROWS_OF_REGIONS, *((name,) for name in LISTS), ("X",)):
        present = [name for name in names if name in case.inputs]
        if not present or (names == ("X",) and "similar" in case.inputs):
            continue
        for keep in _halves(len(case[present[0]])):
            yield _without(case, names, keep)


def _without_unused_points(case: Case) -> Iterator[Case]:
    """The objective's points that no pair mentions left out, and the pairs renumbered."""
    if "similar" not in case.inputs or "X_i" in case.inputs:
        return
    used = np.unique(np.concatenate([case["similar"].ravel(), case["dissimilar"].ravel()])).astype(np.intp)
    if 0 < len(used) < len(case["X"]):
        lists = {name: np.searchsorted(used, case[name]) for name in ("similar", "dissimilar")}
        yield case.but(X=case["X"][used], **lists)


def _fewer_features(case: Case) -> Iterator[Case]:
    name = next((name for name in ("X_i", "X") if name in case.inputs), None)
    features = case[name].shape[1] if name else 1
    for left_out in range(features if features > 1 else 0):
        keep = np.delete(np.arange(features), left_out)
        changed = {p: case[p][..., keep] for p in POINTS if p in case.inputs}
        changed |= {m: case[m][..., keep, :][..., keep] for m in METRICS if m in case.inputs}
        yield case.but(**changed)


def _plainer_metrics(case: Case) -> Iterator[Case]:
    for name in METRICS:
        if name not in case.inputs or case[name].size == 0:
            continue
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
    """Whole numbers are plainer than others, whatever their size, and small ones plainer than large ones."""
    return value != np.round(value), abs(value)


def _rounder_numbers(case: Case) -> Iterator[Case]:
    for name in (*POINTS, "radii"):
        if name not in case.inputs or case[name].size == 0 or case[name].size > 200:
            continue
        array = case[name]
        for digits in (0, 1, 3):
            with np.errstate(all="ignore"):
                rounded = np.round(array.astype(np.float64), digits).astype(array.dtype) + 0  # not -0.0
            if np.isfinite(rounded).all() and not np.array_equal(rounded, array):
                yield case.but(**{name: rounded})
        for index in np.ndindex(array.shape) if array.size <= 24 else ():
            value = float(array[index])
            for plain in (0.0, 1.0, float(np.round(value)) + 0, float(np.trunc(value / 2)) + 0):
                if _plainness(plain) < _plainness(value):
                    changed = array.copy()
                    changed[index] = plain
                    yield case.but(**{name: changed})
    for name in ("alpha", "C", "beta", "K"):
        value = case.inputs.get(name, 0)
        if value != 0 and name != "K":
            yield case.but(**{name: 0.0})
        if value not in (0, 1):
            yield case.but(**{name: type(value)(1)})


def smaller(case: Case) -> Iterator[Case]:
    """Cases one step simpler than this one: fewer rows, fewer features, plainer metrics, rounder numbers.

    A class keeps K members: with fewer there is no answer.
    """
    steps = (_smaller_rows, _without_unused_points, _fewer_features, _plainer_metrics, _rounder_numbers)
    for candidate in itertools.chain.from_iterable(step(case) for step in steps):
        classes = [len(candidate[name]) for name in ("X_minus", "X_plus") if name in candidate.inputs]
        if min(classes, default=np.inf) >= candidate.inputs.get("K", 0):
            yield candidate


def shrunk(case: Case, still_fails: Callable[[Case], bool], out_of_time: Callable[[], bool]) -> Case:
    """The simplest case found by repeated single steps that still fails, within the time given."""
    improved = True
    while improved and not out_of_time():
        improved = False
        for candidate in smaller(case):
            if out_of_time():
                break
            if still_fails(candidate):
                case, improved = candidate, True
                break
    return case
