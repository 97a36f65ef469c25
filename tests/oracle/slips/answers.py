"""The wrong answers of every slip to the corner cases: writes `lmlir/oracle/slips.json`.

    python -m tests.oracle.slips.answers

`slips.toml` has the slips as edits of the reference. A number that changes when the inputs are
changed by a few roundings, or for which the edited reference raises, is ignored: another program
with the same slip may round otherwise there.
"""

from __future__ import annotations

import inspect
import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import numpy as np

from lmlir import subject
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.interface import FUNCTIONS, select
from lmlir.oracle.judging.slips import (
    NO_ANSWER,
    NOT_A_NUMBER,
    brackets,
    compared,
    fingerprint,
)
from lmlir.oracle.subjects.local import quiet
from proofs.breakages import everywhere

SOURCE = Path(__file__).with_name("slips.toml")
CHANGES = (0.0, 1.0, -1.7)  # of the inputs, in units of RELATIVE_CHANGE
RELATIVE_CHANGE = 1e-13
MAX_VALUE_CHANGE = 1e-8  # of a scaled value, by that change of the inputs
CERTAIN_FACTOR = 10  # certainly wrong, or right, if it is so with margins larger, or smaller, by it
MIN_NUMBERS = 2

Edit = tuple[str, str, str]
Rows = dict[str, list[list[Any]]]


def read_slips() -> dict[str, dict[str, Any]]:
    """The slips by their names."""
    with SOURCE.open("rb") as file:
        return {slip["name"]: slip for slip in tomllib.load(file)["slip"]}


@contextmanager
def edited(edits: list[Edit]) -> Iterator[None]:
    """Edit functions of the reference wherever they are looked up; raises ValueError for a text
    that does not occur.
    """
    changes: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for function, old, new in edits:
        changes[function].append((old, new))
    replacements = []
    for function, texts in changes.items():
        module_name, name = function.split(".")
        module = import_module(f"lmlir.{module_name}")
        original = getattr(module, name)
        source = inspect.getsource(original)
        start = source.index('"""', source.index('"""') + 3)  # leave the docstring alone
        head = source[:start]
        body = source[start:]
        for old, new in texts:
            if old not in body:
                raise ValueError(f"{function} must contain {old!r}: bring the slip up to date")
            body = body.replace(old, new)
        defined: dict[str, Any] = {}
        exec(compile(head + body, f"<slip in {name}>", "exec"), vars(module), defined)
        replacements.append((original, defined[name]))
    with ExitStack() as stack:
        for original, replacement in replacements:
            stack.enter_context(everywhere(original, replacement))
        yield


def changed(value: Any, size: float) -> Any:
    """The numbers of an input changed by a few roundings; equal ones stay equal."""
    is_array = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    if size and (is_array or isinstance(value, float)):
        factor = 1 + RELATIVE_CHANGE * size * np.sin(12345.678 * np.mod(value, 1) + value)
        return value * factor if is_array else float(value * factor)
    return value


def answer(function: str, case: Case, change: float) -> Any:
    """The answer of the reference as it is now: arrays, or what stands for none."""
    arguments = select(case.inputs, function).values()
    try:
        result = getattr(subject, function)(*(changed(value, change) for value in arguments))
    except Exception:
        return NO_ANSWER
    arrays = list(result) if isinstance(result, tuple) else [result]
    arrays = [np.asarray(array, dtype=float) for array in arrays]
    shapes = FUNCTIONS[function].shapes(select(case.inputs, function))
    if [array.shape for array in arrays] != list(shapes):
        return NOT_A_NUMBER
    return arrays if all(np.isfinite(array).all() for array in arrays) else NOT_A_NUMBER


def uncertain(numbers: list[np.ndarray]) -> list[int]:
    """The places that may be right or wrong, or have another value, by rounding."""
    (values, excess), *others = numbers
    found = (excess > 1 / CERTAIN_FACTOR) & (excess < CERTAIN_FACTOR)
    found |= values == NO_ANSWER
    for other_values, other_excess in others:
        moved = np.abs(other_values - values) > MAX_VALUE_CHANGE
        found |= moved & ((excess > 1) | (other_excess > 1))
    return [int(place) for place in np.flatnonzero(found)]


def rows_of(edits: list[Edit]) -> Rows:
    """The fingerprint of the wrong numbers of each function that has some."""
    rows: Rows = {}
    with edited(edits), quiet():
        for function in FUNCTIONS:
            numbers = []
            for change in CHANGES:
                answers = [answer(function, case, change) for case, *_ in brackets(function)]
                numbers.append(compared(function, answers))
                if not (numbers[0][1] > 1).any():
                    break
            ignored = uncertain(numbers)
            count, places, *sums = fingerprint(numbers[0], ignored)
            if count:
                rounded = [round(value, 7) for value in sums]
                rows[function] = [[count, places, *rounded, ignored]]
    return rows


def answers_of_slip(slip: dict[str, Any]) -> Rows:
    """The fingerprints of all variants of a slip, by function."""
    rows: Rows = {}
    for edits in slip["variants"]:
        for function, found in rows_of(edits).items():
            if found[0] not in rows.setdefault(function, []):
                rows[function] += found
    return rows


def as_text(slips: dict[str, tuple[str, Rows]]) -> str:
    """The file: a slip per line."""
    lines = [
        f"{json.dumps(name)}: {json.dumps(slip, separators=(',', ':'))}"
        for name, slip in slips.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    """Write the file, and print the slips that are left out."""
    slips: dict[str, tuple[str, Rows]] = {}
    names: dict[str, str] = {}
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(answers_of_slip, read_slips().values(), chunksize=4))
    for (name, slip), rows in zip(read_slips().items(), found, strict=True):
        key = json.dumps(rows)
        if sum(found[0][0] for found in rows.values()) < MIN_NUMBERS:
            print(f"{name} is left out: it is not wrong in the corner cases")
        elif key in names:
            print(f"{name} is left out: it has the answers of {names[key]}")
        else:
            names[key] = name
            slips[name] = (slip["sentence"], rows)
    path = resources.files("lmlir.oracle").joinpath("slips.json")
    Path(str(path)).write_text(as_text(slips), encoding="utf-8")
    print(f"{len(slips)} slips")


if __name__ == "__main__":
    main()
