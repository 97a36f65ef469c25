"""What a law raises when a subject breaks it: the calls, the value got and the bracket allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Call:
    """One call of an interface function: its name, its arguments by name, and the answer (None if there was none)."""

    function: str
    arguments: dict[str, Any]
    answer: Any = None


@dataclass(eq=False)
class Violation(Exception):
    """A subject broke a law: in words, with the calls that show it, the number got and the bracket allowed."""

    sentence: str
    calls: Sequence[Call] = ()
    where: str = ""
    got: Any = None
    lower: float | None = None
    upper: float | None = None
    law: str = ""
    said: str = ""
    final: bool = False
    case: Any = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.sentence


class SubjectFailure(Exception):
    """The subject gave no usable answer to one question: it raised, crashed, hung, or answered nonsense.

    A final failure is not worth repeating with other inputs: each repetition would cost the whole timeout.
    """

    def __init__(self, sentence: str, said: str = "", final: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.said = said
        self.final = final


class CannotBeJudged(ValueError):
    """The subject cannot be loaded, offers nothing, or crashed at the start."""


class OracleError(AssertionError):
    """The oracle contradicts itself: a bracket without the truth in it. Never the subject's fault."""
