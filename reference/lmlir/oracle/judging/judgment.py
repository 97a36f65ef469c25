"""What is found about a subject: the result of each law, and the verdict of all."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from hypothesis.database import ExampleDatabase

from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.judging.replay import Again
from lmlir.oracle.judging.slips import Slip
from lmlir.oracle.laws import LAWS, Law
from lmlir.oracle.laws.law import KINDS
from lmlir.oracle.precision import PRECISIONS
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import CannotBeJudged, Violation
from lmlir.terminal import plural

EXPECTED = "expected failure"  # a status that occurs on request alone
STATUSES = ("held", "violated", "errored", "not offered", "not judged")


# by the worst status
VERDICTS = {"violated": "violates", "errored": "errored", "not judged": "cannot be judged"}
VERBS = {
    "violated": "violates",
    "errored": "gives no answer in",
    "not judged": "was not judged in",
}


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
    "instant": Profile("instant", 0, 20.0, 0.5),  # small corner cases alone
    "quick": Profile("quick", 22, 20.0, 1.5),
    "default": Profile("default", 95, 60.0, 4.0),
    "thorough": Profile("thorough", 1000, 900.0, 15.0),
}


@dataclass(frozen=True)
class Settings:
    """How laws are tried; raises `CannotBeJudged` for a choice that does not exist.

    The random cases of a seed are always the same. A `database` stores cases that fail and supplies
    those of earlier runs. The laws that are run share the `minutes` of wall time. The names or
    patterns in `expected_failures` are those of laws that are known
    to be violated; `again` has cases to try first, by the names of laws.
    """

    profile: str = "default"
    precision: str = "float64"
    seed: int = 0
    shapes: str = "few"
    shrink: bool = True
    corner_cases_only: bool = False
    database: ExampleDatabase | None = None
    minutes: float | None = None
    expected_failures: tuple[str, ...] = ()
    again: Mapping[str, Case] = field(default_factory=dict)

    def expects_failure(self, law: Law) -> bool:
        """Whether it is known that this law is violated."""
        return any(fnmatchcase(law.name, pattern) for pattern in self.expected_failures)

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
        if self.minutes is not None and not self.minutes > 0:
            raise CannotBeJudged(f"minutes must be more than 0, got {self.minutes!r}")


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
    stopped: str = ""
    offered: list[str] = field(default_factory=list)
    slips: list[Slip] = field(default_factory=list)

    def __post_init__(self) -> None:
        # as long as a run is about some functions, the subject offers these alone
        self.offered = self.offered or list(self.subject.offers)

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
            if result.status in ("held", "violated", "errored", EXPECTED):
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
    def by_kind(self) -> dict[str, Judgment]:
        """The part of this judgment that is about each kind of law, where any of it ran."""
        parts = {}
        for kind in KINDS:
            results = [
                result
                for result in self.results
                if result.law.kind == kind and result.status != "not offered"
            ]
            if results:
                parts[kind] = replace(self, results=results)
        return parts

    @property
    def conclusion(self) -> str:
        """What each kind of law found out, and how many functions it is about."""
        sentences = [part._sentence(kind) for kind, part in self.by_kind.items()]
        if self.stopped:
            sentences.append(self.stopped)
        judged = len(self.judged)
        limit = "the chosen laws concern"
        if judged == len(self.offered):
            limit = "it offers"
        if 0 < judged < len(FUNCTIONS):
            count = f"{judged} of {len(FUNCTIONS)} functions"
            sentences.append(f"This is about {count}, all that {limit}.")
        held = [result.law for result in self.results if result.status == "held"]
        unexpected = sum(map(self.settings.expects_failure, held))
        if unexpected:
            sentences.append(f"{plural(unexpected, 'law')} held that should fail.")
        return " ".join(sentences) or "It cannot be judged."

    def _sentence(self, kind: str) -> str:
        """What the laws of one kind found out, in words."""
        laws = plural(len(self.results), "law")
        if kind == "contract" and self.named("violated"):
            sentence = str(self.results[0].violation).partition(":")[0]
            return f"Contract: {sentence}."

        counts = {verb: len(self.named(status)) for status, verb in VERBS.items()}
        for verb, count in counts.items():
            if count == len(self.results) > 1:
                quantifier = "all" if verb == VERBS["violated"] else "any of"
                return f"The {kind} {verb} {quantifier} {laws}."
        parts = [f"{verb} {count}" for verb, count in counts.items() if count]
        if parts:
            scope = " law" if len(self.results) == 1 else f" of {laws}"
            return f"The {kind} {' and '.join(parts)}{scope}."

        cut_short = sum(bool(result.reason) for result in self.results)
        counts = {"cut short": cut_short, "expected to fail": len(self.named(EXPECTED))}
        remarks = [f", {count} {what}" for what, count in counts.items() if count]
        return f"The {kind} conforms ({laws}{''.join(remarks)})."

    @property
    def reason(self) -> str:
        """The reason for the verdict, in words."""
        if self.unfinished:
            return self.unfinished
        if self.verdict == "conforms":
            return f"{len(self.named('held'))} of {len(LAWS)} laws held"
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
