"""Every choice that the paper leaves open, from `choices.toml`: the question, the decision, the
reason, and the functions.

A choice is "open" (something that the paper needs but does not state) or a "corner" (a case that
its formulas leave out).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lmlir.beside import toml_beside


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A question that the paper leaves open, the decision, its reason, and the functions that take
    it.
    """

    id: str
    items: Sequence[str]
    question: str
    decision: str
    why: str
    taken_in: Sequence[str]
    kind: str = "open"

    @property
    def functions(self) -> list[str]:
        """The dotted names of the functions that take the decision, as an erratum has those of its
        readings.
        """
        return list(self.taken_in)


_ENTRIES = toml_beside(__file__)
CHOICES: tuple[Choice, ...] = tuple(Choice(id=id, **fields) for id, fields in _ENTRIES.items())
