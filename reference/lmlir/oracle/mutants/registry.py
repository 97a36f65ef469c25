"""The list of mutants, and the decorator that puts a class on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.mutants.examples import PLANE, Example
from lmlir.oracle.mutants.original import Original

MUTANTS: dict[str, Mutant] = {}


@dataclass(frozen=True)
class Mutant:
    """A named wrong subject with what it breaks and an input on which it shows."""

    name: str
    description: str
    items: tuple[str, ...]
    make: Callable[[], Original | OneFunction]
    function: str
    example: Example


def breaks(
    *items: str, on: str, example: Example = PLANE, alone: bool = False
) -> Callable[[type[Original]], type[Original]]:
    """Register a subclass of Original: the items it breaks, and the function and example on which that shows.

    With `alone` the slip is in that one function: all others are the honest ones.
    """

    def register(mutant: type[Original]) -> type[Original]:
        name = mutant.__name__
        if name in MUTANTS:
            raise ValueError(f"two mutants are named {name}")
        description = (mutant.__doc__ or "").strip()
        make = (lambda: OneFunction(on, mutant())) if alone else mutant
        MUTANTS[name] = Mutant(name, description, items, make, on, example)
        return mutant

    return register


class OneFunction:
    """Original in all functions but one, which is taken from a mutant."""

    def __init__(self, function: str, mutant: Original) -> None:
        honest = Original()
        for name in FUNCTIONS:
            setattr(self, name, getattr(mutant if name == function else honest, name))
