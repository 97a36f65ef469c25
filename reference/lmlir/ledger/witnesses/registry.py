"""What a witness is, how `@witness("E6")` ties one to its erratum, and the points and metrics that
witnesses are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from lmlir.scalars import Scalar

ONE = Fraction(1)


class Witness(NamedTuple):
    """One line of numbers, and whether they contradict what is printed."""

    text: str
    refutes: bool


Show = Callable[[], Witness]

# ids and functions, in the order of the files
WITNESSES: list[tuple[str, Show]] = []


def witness(id: str) -> Callable[[Show], Show]:
    """Register a function as a witness of an erratum."""

    def register(show: Show) -> Show:
        WITNESSES.append((id, show))
        return show

    return register


def scaled_identity(scale: Scalar, F: int) -> list[list[Scalar]]:
    """The metric of R^F in which every length is sqrt(scale) times the Euclidean one.

    >>> scaled_identity(4, 2)
    [[4, 0], [0, 4]]
    """
    rows = [[0 * scale] * F for _ in range(F)]
    for i in range(F):
        rows[i][i] = scale
    return rows


def vector(*coordinates: Scalar) -> list[Fraction]:
    """A point with exact coordinates.

    >>> vector(1, 2)
    [Fraction(1, 1), Fraction(2, 1)]
    """
    return [Fraction(coordinate) for coordinate in coordinates]


def shown(point: Sequence[Scalar]) -> str:
    """A point as text.

    >>> shown(vector(1, Fraction(1, 2)))
    '(1, 1/2)'
    """
    return f"({', '.join(map(str, point))})"
