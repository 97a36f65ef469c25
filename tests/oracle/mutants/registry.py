"""The list of mutants, and the decorator that adds a class to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from lmlir.oracle.interface import FUNCTIONS
from tests.oracle.mutants.original import Original

MUTANTS: dict[str, Mutant] = {}


@dataclass(frozen=True)
class Mutant:
    """A wrong subject: its slip in one sentence, the items it contradicts, and the function in
    which that shows.
    """

    name: str
    slip: str
    items: tuple[str, ...]
    function: str
    make: Callable[[], Any]


def breaks(*items: str, on: str, alone: bool = False) -> Callable[[type[Original]], type[Original]]:
    """Register a subclass of Original that contradicts `items` in the function `on`.

    With `alone`, all other functions are the honest ones, as if each function had its own copy of
    the formulas.
    """

    def register(mutant: type[Original]) -> type[Original]:
        def make() -> Any:
            wrong = mutant()
            others = Original() if alone else wrong
            return SimpleNamespace(
                **{name: getattr(wrong if name == on else others, name) for name in FUNCTIONS}
            )

        MUTANTS[mutant.__name__] = Mutant(
            mutant.__name__, " ".join(str(mutant.__doc__).split()), items, on, make
        )
        return mutant

    return register
