"""The list of mutants, and the decorator that puts a class on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.mutants.honest import Honest
from lmlir.oracle.mutants.scenes import PLANE, Scene

MUTANTS: dict[str, Mutant] = {}


@dataclass(frozen=True)
class Mutant:
    """A named wrong subject with what it breaks and an input on which it shows."""

    name: str
    description: str
    items: tuple[str, ...]
    make: Callable[[], Honest | OneFunction]
    function: str
    scene: Scene


def breaks(*items: str, on: str, scene: Scene = PLANE, alone: bool = False) -> Callable[[type[Honest]], type[Honest]]:
    """Register a subclass of Honest: the items it breaks, and the function and scene on which that shows.

    With `alone` the slip is in that one function: all others are the honest ones.
    """

    def register(mutant: type[Honest]) -> type[Honest]:
        name = mutant.__name__
        if name in MUTANTS:
            raise ValueError(f"two mutants are named {name}")
        description = (mutant.__doc__ or "").strip()
        make = (lambda: OneFunction(on, mutant())) if alone else mutant
        MUTANTS[name] = Mutant(name, description, items, make, on, scene)
        return mutant

    return register


class OneFunction:
    """Honest in all functions but one, which is taken from a mutant."""

    def __init__(self, function: str, mutant: Honest) -> None:
        honest = Honest()
        for name in FUNCTIONS:
            setattr(self, name, getattr(mutant if name == function else honest, name))
