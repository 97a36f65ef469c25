"""How a witness is written and found: `@witness("E6")` ties a function to its erratum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps

from lmlir.scalars import Scalar

ONE = Fraction(1)
Shown = tuple[str, bool]  # what a witness returns: its line of numbers, and whether they contradict what is printed


@dataclass(frozen=True)
class Witness:
    """What contradicts a printed statement: the erratum's id, one line of numbers, and whether they do contradict it."""

    id: str
    text: str
    refutes: bool


WITNESSES: list[tuple[str, Callable[[], Witness]]] = []  # ids and functions, in the order of the files


def witness(id: str) -> Callable[[Callable[[], Shown]], Callable[[], Witness]]:
    """Registers a function as a witness of an erratum."""

    def register(show: Callable[[], Shown]) -> Callable[[], Witness]:
        """Put the function on the list of witnesses."""

        @wraps(show)
        def run() -> Witness:
            return Witness(id, *show())

        WITNESSES.append((id, run))
        return run

    return register


def scaled_identity(scale: Scalar, F: int) -> list[list[Scalar]]:
    """The metric that measures every length of R^F as sqrt(scale) times the Euclidean one.

    >>> scaled_identity(4, 2)
    [[4, 0], [0, 4]]
    """
    return [[scale if row == column else 0 * scale for column in range(F)] for row in range(F)]


def vector(*coordinates: Scalar) -> list[Fraction]:
    """A point with exact coordinates.

    >>> vector(1, 2)
    [Fraction(1, 1), Fraction(2, 1)]
    """
    return [Fraction(coordinate) for coordinate in coordinates]


def shown(point: Sequence[Scalar]) -> str:
    """A point as the text of a witness writes it.

    >>> shown(vector(1, Fraction(1, 2)))
    '(1, 1/2)'
    """
    return "(" + ", ".join(str(coordinate) for coordinate in point) + ")"
