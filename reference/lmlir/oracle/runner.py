"""The runner: tries every law on a subject, its corner cases first and then random ones, up to the first violation.

Hypothesis draws the random cases and, where there is an example database, keeps the one that fails and tries it first the
next time. It does not shrink them: it would shrink the structure of a case but not its coordinates, which come from one
seed (`lmlir.oracle.strategies`). On eight mutants its counterexamples had 9 to 36 numbers, those of `cases.shrunk` 2 to 13
(and once 66), in a tenth to a half of the time.
"""

from __future__ import annotations

import shlex
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis.database import ExampleDatabase

from lmlir.oracle import strategies
from lmlir.oracle.again import Again, asked_again
from lmlir.oracle.cases import Case, shrunk
from lmlir.oracle.checker import Checker
from lmlir.oracle.draws import by_seed_alone
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws import LAWS, Law, by_name
from lmlir.oracle.precision import PRECISIONS
from lmlir.oracle.subjects import Subject
from lmlir.oracle.violations import CannotBeJudged, SubjectFailure, Violation

CONFIRM_EVERY = 20  # so often is a bracket of a random case held against the truth to 50 digits

AGAIN = 4.0  # asking again may take so many times as long as making a case smaller
CRASHES = 4  # so many crashes may the search for a smaller case cost

Progress = Callable[[str, int, int, int], None]
Tick = Callable[[int], None]

STATUSES = ("held", "violated", "errored", "not offered", "not judged")


@dataclass(frozen=True)
class Profile:
    """How long a run may take: examples of a law with weight 1, seconds a law may run, seconds to make a case smaller."""

    name: str
    examples: int
    seconds: float
    shrinking: float


PROFILES = {
    "quick": Profile("quick", 22, 20.0, 1.5),
    "default": Profile("default", 95, 60.0, 4.0),
    "thorough": Profile("thorough", 1000, 900.0, 15.0),
}


@dataclass
class LawResult:
    """What one law said of a subject."""

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
class Report:
    """What all laws said of a subject."""

    subject: Subject
    results: list[LawResult]
    profile: str
    precision: str
    seed: int
    seconds: float = 0.0
    unfinished: str = ""

    @property
    def program(self) -> str:
        """The command line of a subject that speaks the line protocol, else nothing."""
        return shlex.join(getattr(self.subject, "command", ()))

    def named(self, *statuses: str) -> list[str]:
        """The names of the laws with one of these statuses."""
        return [result.law.name for result in self.results if result.status in statuses]

    @property
    def violated(self) -> list[str]:
        """The names of the laws that were violated, or that got no answer."""
        return self.named("violated", "errored")

    @property
    def judged(self) -> list[str]:
        """The offered functions on which a law ran."""
        ran = {*self.named("held", "violated", "errored")}
        asked = {name for result in self.results if result.law.name in ran for name in result.law.functions}
        return [name for name in self.subject.offers if name in asked]

    @property
    def verdict(self) -> str:
        """Whether the subject "conforms", "violates" or "cannot be judged"."""
        if self.unfinished:
            return "cannot be judged"
        if self.violated:
            return "violates"
        return "conforms" if self.judged and not self.named("not judged") else "cannot be judged"

    @property
    def conclusion(self) -> str:
        """The verdict, and for a subject that was judged in a part of the interface in how large a part."""
        if self.verdict != "conforms" or len(self.judged) == len(FUNCTIONS):
            return self.verdict
        return f"conforms in {len(self.judged)} of {len(FUNCTIONS)} functions"

    @property
    def reason(self) -> str:
        """The verdict's reason, in words."""
        if self.unfinished:
            return self.unfinished
        if self.verdict == "conforms":
            return f"{self.conclusion}: {len(self.named('held'))} of {len(LAWS)} laws held"
        if self.verdict == "violates":
            first = next(result for result in self.results if result.violation is not None)
            return f"{first.law.name}: {first.violation}"
        if left := [result for result in self.results if result.status == "not judged"]:
            laws = f"{len(left)} of {len(self.results)} laws were not judged, {left[0].law.name} among them"
            return f"{laws}: {left[0].reason}"
        return "the subject offers none of the functions that the chosen laws need"


class _Stop(BaseException):
    """Ends a run from inside; not an Exception, so that Hypothesis lets it through."""


class _Found(Exception):
    """Tells Hypothesis that a case fails."""


class _PartOfDatabase(ExampleDatabase):
    """One law's part of an example database."""

    def __init__(self, whole: ExampleDatabase, name: str) -> None:
        super().__init__()
        self.whole, self.name = whole, name.encode()

    def save(self, key: bytes, value: bytes) -> None:
        """Keep an example."""
        self.whole.save(key + self.name, value)

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """All examples of this law."""
        return self.whole.fetch(key + self.name)

    def delete(self, key: bytes, value: bytes) -> None:
        """Forget an example."""
        self.whole.delete(key + self.name, value)


class _Trial:
    """One law against one subject: tries cases, and keeps the smallest that fails."""

    def __init__(
        self, law: Law, subject: Subject, profile: Profile, precision: str, shapes: str, tick: Tick | None = None
    ) -> None:
        self.law = law
        self.palette = strategies.palette(profile.name, shapes)
        self.profile = profile
        self.checker = Checker(subject, precision)
        self.examples = 0
        self.found: Violation | None = None
        self.rows: Counter[str] = self.checker.rows
        self.corner_cases_done = False
        self.tick = tick
        self.end = time.monotonic() + profile.seconds
        self.out_of_time = False

    def violation(self, case: Case) -> Violation | None:
        """The violation that this case shows, if any."""
        self.checker.calls = []
        try:
            with np.errstate(all="ignore"):
                self.law.check(self.checker, case)
        except Violation as found:
            violation = found
        except SubjectFailure as failure:
            violation = Violation.of(failure, self.checker.calls[-1:])
        except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
            if not self.checker.outlandish():
                raise
            told = f"the answers are too large to compute with ({type(error).__name__}: {error})"
            violation = Violation(told, self.checker.calls[-1:])
        else:
            return None
        violation.law, violation.case = self.law.name, case
        violation.calls = list(violation.calls)
        violation.history = self.checker.subject.remembers()
        return violation

    def attempt(self, case: Case, patience: float = 0.0) -> None:
        """Try a case: raise when it, or one before it, shows a violation, or time (and patience, in seconds) is up."""
        if self.found is None:
            self.examples += 1
            if self.tick is not None:
                self.tick(self.examples)
            self.checker.truth_wanted = self.examples % CONFIRM_EVERY == 0
            self.found = self.violation(case)
            self.out_of_time = time.monotonic() > self.end + patience
        if self.found is not None:
            raise _Found
        if self.out_of_time:
            raise _Stop

    def search(self, seed: int, corner_cases_only: bool, database: ExampleDatabase | None) -> None:
        """The corner cases, then those in the database, then random ones."""
        precision = self.checker.precision
        try:
            for case in self.law.first_cases(precision, self.profile.name != "quick"):
                self.attempt(case, 9 * self.profile.seconds)
            self.corner_cases_done = True
            if not corner_cases_only:
                settings = hypothesis.settings(
                    max_examples=max(4, round(self.profile.examples * self.law.weight)),
                    database=database and _PartOfDatabase(database, f"{self.law.name} {precision.name}"),
                    derandomize=False,
                    deadline=None,
                    phases=(Phase.reuse, Phase.generate),
                    suppress_health_check=list(HealthCheck),
                    verbosity=Verbosity.quiet,
                )
                run = hypothesis.given(self.law.cases(precision, self.palette))(lambda case: self.attempt(case))
                with by_seed_alone():
                    settings(hypothesis.seed(zlib.crc32(f"{seed} {self.law.name}".encode()))(run))()
        except (_Stop, _Found):
            pass

    def shrink(self) -> None:
        """Make the failing case smaller, as long as it fails in the same way, and there is time and patience for crashes."""
        if self.found is None or self.found.final:
            return
        subject, errored = self.checker.subject, self.found.errored
        end, last_start = time.monotonic() + self.profile.shrinking, subject.starts + CRASHES
        visited = Counter(self.rows)

        def enough() -> bool:
            """Whether time or patience is up."""
            return time.monotonic() > end or subject.starts > last_start or bool(subject.given_up)

        def still_fails(case: Case) -> bool:
            """Whether a smaller case fails in the same way; it is then the one found."""
            self.checker.rows = Counter(visited)
            try:
                violation = self.violation(case)
            except Exception:  # the smaller case is no valid input of this law
                return False
            if violation is None or violation.errored != errored or subject.given_up:
                return False
            self.found, self.rows = violation, self.checker.rows  # of what is tried, the last that fails counts
            return True

        shrunk(self.found.case, still_fails, enough)

    def bracket_nan(self) -> None:
        """Where the answer was NaN, say what is allowed."""
        if self.found is None or not self.found.nan_at:
            return
        (call,), (part, *place) = self.found.calls, self.found.nan_at
        with np.errstate(all="ignore"):
            allowed = self.checker.allowed(call.function, call.arguments)[part]
        low, high = (float(end[tuple(place)]) for end in allowed)
        name = f"{call.function}: {FUNCTIONS[call.function].answers[part]}"
        self.found.where = f"{name}[{', '.join(map(str, place))}]" if place else name
        self.found.got, self.found.lower, self.found.upper = np.nan, low, high

    def status(self) -> tuple[str, str]:
        """The law's status, and what there is to add."""
        given_up = self.checker.subject.given_up
        if self.found is not None and str(self.found) == given_up:
            return "not judged", given_up
        if self.found is not None:
            return "errored" if self.found.errored else "violated", ""
        if self.out_of_time and not self.corner_cases_done:
            return "not judged", f"stopped after {self.examples} corner cases, out of time"
        return "held", f"stopped after {self.profile.seconds:g} s" if self.out_of_time else ""


def run_law(
    law: Law,
    subject: Subject,
    profile: str = "quick",
    precision: str = "float64",
    seed: int = 0,
    shrink: bool = True,
    corner_cases_only: bool = False,
    database: ExampleDatabase | None = None,
    tick: Tick | None = None,
    shapes: str = "few",
) -> LawResult:
    """Run one law against a subject up to its first violation; a Hypothesis database keeps what fails for the next run.

    The failing case is made smaller and, where the subject has a process of its own, put to fresh ones. With every example,
    `tick` is told how many there have been.
    """
    missing = law.needs(subject.offers)
    if missing:
        return LawResult(law, "not offered", reason=f"needs {', '.join(missing)}")
    if subject.given_up:
        return LawResult(law, "not judged", reason=subject.given_up)
    began = time.monotonic()
    trial = _Trial(law, subject, PROFILES[profile], precision, shapes, tick)
    trial.search(seed, corner_cases_only, database)
    kinks = trial.checker.kinks.count
    if shrink:
        trial.shrink()
    trial.bracket_nan()
    status, reason = trial.status()
    result = LawResult(law, status, trial.examples, None, kinks, trial.rows, reason=reason)
    if trial.found is not None and status != "not judged":
        result.violation = trial.found
        if shrink and subject.asked:
            result.again = asked_again(law, trial.found, subject, precision, AGAIN * PROFILES[profile].shrinking)
    result.seconds = time.monotonic() - began
    return result


def judge(
    subject: Subject,
    profile: str = "default",
    precision: str = "float64",
    seed: int = 0,
    only: Sequence[str] | None = None,
    first_violation_only: bool = False,
    shrink: bool = True,
    progress: Progress | None = None,
    violated: Callable[[LawResult], None] | None = None,
    tick: Tick | None = None,
    grown: Callable[[Report], None] | None = None,
    shapes: str = "few",
) -> Report:
    """Run all laws (or only those named) against a subject.

    `violated` is told of the first violation at once, `progress` of every law that begins, `tick` of its examples, and
    `grown` gets the unfinished report after every law.

    Up to the first violation only: the corner cases of all laws come before the random ones of any, which is faster.
    """
    check_options(profile, precision)
    chosen = [by_name(name) for name in only] if only else list(LAWS)
    began = time.monotonic()
    report = Report(subject, [], profile, precision, seed)
    for corner_cases_only in (True, False) if first_violation_only else (False,):
        report.results = []
        for number, law in enumerate(chosen):
            if progress is not None:
                progress(law.name, number, len(chosen), len(report.violated))
            result = run_law(
                law, subject, profile, precision, seed, shrink, corner_cases_only, tick=tick, shapes=shapes
            )
            report.results.append(result)
            report.seconds = time.monotonic() - began
            if len(report.violated) == 1 and report.results[-1].violation is not None and violated is not None:
                violated(report.results[-1])
            if report.violated and first_violation_only:
                break
            if grown is not None:
                report.unfinished = f"not finished: {number + 1} of {len(chosen)} laws were run"
                grown(report)
        if report.violated:
            break
    report.unfinished = ""
    return report


def check_options(profile: str, precision: str) -> None:
    """A `CannotBeJudged` for a profile or a precision that does not exist."""
    if profile not in PROFILES:
        raise CannotBeJudged(f"profile must be one of {', '.join(PROFILES)}, got {profile!r}")
    if precision not in PRECISIONS:
        raise CannotBeJudged(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
