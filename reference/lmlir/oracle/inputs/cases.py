"""Cases: the inputs of a law."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lmlir.oracle.interface import of_kind
from lmlir.oracle.subjects.messages import from_lists, to_lists


@dataclass(frozen=True, eq=False)
class Case:
    """One input of a law: arrays and numbers by their names in the interface, and why it is
    tried.
    """

    inputs: dict[str, Any]
    flags: tuple[str, ...] = ()
    reason: str = ""
    # brackets, computed once for all subjects
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.inputs[name]

    def keys(self) -> Iterable[str]:
        """Return the names of the inputs, so that ``{**case}`` is a dictionary of them."""
        return self.inputs.keys()

    def __repr__(self) -> str:
        return f"Case({', '.join(self.inputs)})"

    def but(self, **inputs: Any) -> Case:
        """Return the case with some inputs replaced."""
        return replace(self, inputs={**self.inputs, **inputs}, memo={})

    def cast(self, dtype: Any) -> Case:
        """Return the case in another number format."""
        return replace(
            self, inputs={name: _cast(value, dtype) for name, value in self.inputs.items()}, memo={}
        )

    @property
    def size(self) -> int:
        """The number of numbers in the case."""
        return sum(np.size(value) for value in self.inputs.values())


def as_data(case: Case) -> dict[str, Any]:
    """Return a case as JSON, from which `from_data` makes it again."""
    shapes = {name: list(np.shape(value)) for name, value in case.inputs.items()}
    values = {name: to_lists(value) for name, value in case.inputs.items()}
    return {"inputs": values, "shapes": shapes, "flags": list(case.flags)}


def from_data(data: Mapping[str, Any]) -> Case:
    """Return the case that `as_data` wrote.

    >>> case = Case({"X": np.zeros((0, 2)), "similar": np.array([[0, 1]]), "K": 1})
    >>> again = from_data(as_data(case))
    >>> again["X"].shape, again["similar"].dtype.kind, again["K"]
    ((0, 2), 'i', 1)
    """
    inputs = {}
    for name, value in data["inputs"].items():
        shape = data["shapes"][name]
        inputs[name] = from_lists(value)
        if shape:
            is_index = name in of_kind([name], "indices")
            inputs[name] = np.array(inputs[name], dtype=int if is_index else float).reshape(shape)
    return Case(inputs, tuple(data["flags"]))


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(dtype)
    if isinstance(value, float):
        return float(dtype(value))
    return value
