"""What goes wrong with a subject: it cannot be judged, gives no answer, or violates a law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Call:
    """One call of an interface function: its name, its arguments by name, and the answer, or None.

    The calls of a subject in a process of its own are numbered. `single` is true if the answer came
    in float32. `printed` is what the subject printed meanwhile.
    """

    function: str
    arguments: dict[str, Any]
    answer: Any = None
    number: int = 0
    single: bool = False
    printed: str = ""


@dataclass(eq=False)
class Violation(Exception):
    """A subject violated a law: a sentence, the calls that show it, the number got and the bracket
    allowed.

    A violation is `errored` if there was no answer. `said` is what came instead, and `source` names
    where it came from. Of an exception, `frames` has the last frames
    in the subject's code. Where the answer to its one call is NaN, `nan_at` has the array's number
    and the indices.
    """

    sentence: str
    calls: Sequence[Call] = ()
    where: str = ""
    got: Any = None
    lower: float | None = None
    upper: float | None = None
    said: str = ""
    source: str = "Error output"
    frames: list[str] = field(default_factory=list)
    errored: bool = False
    nan_at: tuple[int, ...] = ()
    case: Any = field(default=None, repr=False)
    history: list[Call] = field(default_factory=list, repr=False)

    def __str__(self) -> str:
        return self.sentence

    @property
    def functions(self) -> set[str]:
        """The functions whose answers show the violation."""
        return {call.function for call in self.calls}


@dataclass(eq=False)
class SubjectFailure(Violation):
    """The subject gave no usable answer to one question: it raised, crashed, or answered nonsense.

    In the sentence, a colon separates the fault from details that differ from input to input. The
    failure is `errored` unless there was an answer, and `crashed` if the process ended or broke the
    protocol, which is not a refusal.
    """

    errored: bool = True
    crashed: bool = False


class NotJudged(Exception):
    """A question tells nothing about the subject: it was out of time, or was not asked."""


class CannotBeJudged(ValueError):
    """The subject cannot be loaded, offers nothing, or crashed at the start: a sentence and, of an
    exception, the last frames in the subject's code.
    """

    def __init__(self, sentence: str, frames: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.frames = list(frames)
