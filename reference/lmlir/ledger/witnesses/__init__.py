r"""Witnesses: for each false statement of the paper a small example that a reader can check by
hand.

Every witness runs the shipped functions, the true one and the printed one, on fractions where
possible, or the arithmetic of Tables 4 and 5. `text` is one line with the computed numbers, and
`refutes` is whether they contradict what is printed. No result is typed by hand: if a function
changes, its witness changes or fails.
"""

from __future__ import annotations

from lmlir.ledger.witnesses import continuity, experiments, geometry, learning
from lmlir.ledger.witnesses.registry import WITNESSES, Witness

__all__ = [
    "WITNESSES",
    "Witness",
    "continuity",
    "experiments",
    "geometry",
    "learning",
    "witnesses_of",
]


def witnesses_of(id: str) -> list[Witness]:
    """The witnesses of one erratum, run now.

    >>> [witness.refutes for witness in witnesses_of("E6")]
    [True, True]
    """
    return [run() for erratum, run in WITNESSES if erratum == id]
