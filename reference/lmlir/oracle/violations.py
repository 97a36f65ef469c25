"""What a law raises when a subject breaks it: the calls, the value got and the bracket allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Call:
    """One call of an interface function: its name, its arguments by name, and the answer (None if there was none).

    The calls of a subject in a process of its own are numbered; `single` says that the answer came in float32.
    """

    function: str
    arguments: dict[str, Any]
    answer: Any = None
    number: int = 0
    single: bool = False


@dataclass(eq=False)
class Violation(Exception):
    """A subject broke a law: in words, with the calls that show it, the number got and the bracket allowed.

    Where the answer to its one call is NaN, `nan_at` has the array's number and the indices.
    """

    sentence: str
    calls: Sequence[Call] = ()
    where: str = ""
    got: Any = None
    lower: float | None = None
    upper: float | None = None
    law: str = ""
    said: str = ""
    final: bool = False
    errored: bool = False
    nan_at: tuple[int, ...] = ()
    case: Any = field(default=None, repr=False)
    history: list[Call] = field(default_factory=list, repr=False)

    def __str__(self) -> str:
        return self.sentence

    @classmethod
    def of(cls, failure: SubjectFailure, calls: Sequence[Call]) -> Violation:
        """What a failure to answer is to a law: errored, unless the subject answered with nonsense."""
        errored = not failure.answered
        return cls(failure.sentence, calls, said=failure.said, final=failure.final, errored=errored)


class SubjectFailure(Exception):
    """The subject gave no usable answer to one question: it raised, crashed, hung, or answered nonsense.

    A final failure is not worth repeating with other inputs: each repetition would cost the whole timeout. Where the subject
    `answered`, it did so with nonsense; where it `crashed`, its process ended or broke the rules, which is no way to refuse.
    """

    def __init__(
        self,
        sentence: str,
        said: str = "",
        final: bool = False,
        answered: bool = False,
        crashed: bool = False,
        nan_at: tuple[int, ...] = (),
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.said = said
        self.final = final
        self.answered = answered
        self.crashed = crashed
        self.nan_at = nan_at


class CannotBeJudged(ValueError):
    """The subject cannot be loaded, offers nothing, or crashed at the start."""


class OracleError(AssertionError):
    """The oracle contradicts itself: a bracket without the truth in it. Never the subject's fault."""
