"""The list of mutants, and the decorator that puts a class on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lmlir.oracle.mutants.honest import Honest
from lmlir.oracle.mutants.scenes import PLANE, Scene

MUTANTS: dict[str, Mutant] = {}


@dataclass(frozen=True)
class Mutant:
    """A named wrong subject with what it breaks and an input on which it shows."""

    name: str
    description: str
    items: tuple[str, ...]
    make: Callable[[], Honest]
    function: str
    scene: Scene


def breaks(*items: str, on: str, scene: Scene = PLANE) -> Callable[[type[Honest]], type[Honest]]:
    """Register a subclass of Honest: the items it breaks, and the function and scene on which that shows."""

    def register(mutant: type[Honest]) -> type[Honest]:
        name = mutant.__name__
        if name in MUTANTS:
            raise ValueError(f"two mutants are named {name}")
        description = (mutant.__doc__ or "").strip()
        MUTANTS[name] = Mutant(name, description, items, mutant, on, scene)
        return mutant

    return register
