"""Cases: the inputs of a law."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np


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


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(dtype)
    if isinstance(value, float):
        return float(dtype(value))
    return value
