"""Every mistake found in the paper, from `errata.toml`: both readings, the consequence, and the
functions that run them.

An erratum has an effect on each item that it concerns: "refuted" (false, and replaced), "corrected"
(true after the change) or "remark" (the statement is true, but its words, a claim beside it or its
arithmetic need a note). A printed formula can still be run. The evidence is not listed there: it is
every witness, proof, law and test that cites the id. Where an entry itself was wrong, `was` has its
old words, the last version that had them, and why they are wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lmlir.beside import toml_beside


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """A mistake: where it is, the words of both readings, the consequence, the functions that run
    both, and sources.
    """

    id: str
    title: str
    items: Mapping[str, str]
    printed: str
    true: str
    consequence: str
    printed_by: str | None = None
    true_by: str | None = None
    sources: Sequence[str] = ()
    was: str | None = None

    @property
    def functions(self) -> list[str]:
        """The dotted names of the functions that run the readings, without arguments."""
        return [function_of(reading) for reading in (self.printed_by, self.true_by) if reading]


def function_of(reading: str) -> str:
    """The dotted name of the function that runs a reading.

    >>> function_of('lmlir.gradient.shrinkage(printed=["E4"])')
    'lmlir.gradient.shrinkage'
    """
    return reading.partition("(")[0]


_ENTRIES = toml_beside(__file__)
ERRATA: tuple[Erratum, ...] = tuple(Erratum(id=id, **fields) for id, fields in _ENTRIES.items())
