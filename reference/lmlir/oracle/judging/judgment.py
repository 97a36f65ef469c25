"""What is found about a subject: the result of each law, and the verdict of all."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from hypothesis.database import ExampleDatabase

from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.judging.replay import Again
from lmlir.oracle.laws import LAWS, Law
from lmlir.oracle.precision import PRECISIONS
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import CannotBeJudged, Violation
from lmlir.terminal import plural

STATUSES = ("held", "violated", "errored", "not offered", "not judged")


# by the worst status
VERDICTS = {"violated": "violates", "errored": "errored", "not judged": "cannot be judged"}


@dataclass(frozen=True)
class Profile:
    """The search effort: examples of a law of weight 1, seconds per law, and seconds for
    shrinking.
    """

    name: str
    examples: int
    seconds: float
    shrinking: float


PROFILES = {
    "quick": Profile("quick", 22, 20.0, 1.5),
    "default": Profile("default", 95, 60.0, 4.0),
    "thorough": Profile("thorough", 1000, 900.0, 15.0),
}


@dataclass(frozen=True)
class Settings:
    """How laws are tried; raises `CannotBeJudged` for a choice that does not exist.

    The random cases of a seed are always the same. A `database` stores cases that fail and supplies
    those of earlier runs.
    """

    profile: str = "default"
    precision: str = "float64"
    seed: int = 0
    shapes: str = "few"
    shrink: bool = True
    corner_cases_only: bool = False
    database: ExampleDatabase | None = None

    def __post_init__(self) -> None:
        allowed: dict[str, Collection[str]] = {
            "profile": PROFILES,
            "precision": PRECISIONS,
            "shapes": ("few", "many"),
        }
        for name, choices in allowed.items():
            value = getattr(self, name)
            if value not in choices:
                raise CannotBeJudged(f"{name} must be one of {', '.join(choices)}, got {value!r}")


@dataclass
class LawResult:
    """What one law found out about a subject."""

    law: Law
    status: str
    examples: int = 0
    violation: Violation | None = None
    kinks: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    reason: str = ""
    again: Again | None = None


@dataclass
class Judgment:
    """What all laws found out about a subject."""

    subject: Subject
    results: list[LawResult]
    settings: Settings
    seconds: float = 0.0
    unfinished: str = ""

    @property
    def program(self) -> str:
        """The command line of a subject that speaks the line protocol, or ''."""
        return shlex.join(self.subject.command)

    def named(self, *statuses: str) -> list[str]:
        """The names of the laws with one of these statuses."""
        return [result.law.name for result in self.results if result.status in statuses]

    @property
    def violated(self) -> list[str]:
        """The names of the laws that were violated or got no answer."""
        return self.named("violated", "errored")

    @property
    def judged(self) -> list[str]:
        """The offered functions on which a law ran."""
        asked: set[str] = set()
        for result in self.results:
            if result.status in ("held", "violated", "errored"):
                asked.update(result.law.functions)
        return [name for name in self.subject.offers if name in asked]

    @property
    def verdict(self) -> str:
        """One of "conforms", "violates", "errored" and "cannot be judged".

        A wrong answer outweighs a missing one.
        """
        if self.unfinished or not self.judged:
            return "cannot be judged"
        for status, verdict in VERDICTS.items():
            if self.named(status):
                return verdict
        return "conforms"

    @property
    def conclusion(self) -> str:
        """The verdict, and how many laws or functions it is about."""
        if self.verdict == "violates":
            return f"violates {plural(len(self.named('violated')), 'law')}"
        if self.verdict == "errored":
            return f"errored in {plural(len(self.named('errored')), 'law')}"
        if self.verdict != "conforms" or len(self.judged) == len(FUNCTIONS):
            return self.verdict
        limit = "the chosen laws concern"
        if len(self.judged) == len(self.subject.offers):
            limit = "it offers"
        return f"conforms in {len(self.judged)} of {len(FUNCTIONS)} functions, all that {limit}"

    @property
    def reason(self) -> str:
        """The reason for the verdict, in words."""
        if self.unfinished:
            return self.unfinished
        if self.verdict == "conforms":
            return f"{self.conclusion}: {len(self.named('held'))} of {len(LAWS)} laws held"
        for status in VERDICTS:
            results = [result for result in self.results if result.status == status]
            if not results:
                continue
            first = results[0]
            sentence = f"{first.law.name}: {first.violation or first.reason}"
            if status != "not judged":
                return sentence
            return f"{len(results)} of {len(self.results)} laws were not judged; {sentence}"
        return "the subject offers none of the functions that the chosen laws need"
