"""The runner: tries every law on a subject, its corner cases first and then random ones, up to the first violation.

Hypothesis draws the random cases. With an example database it stores the one that fails and tries it first the next time. It
does not shrink them: it would shrink the structure of a case but not its coordinates, which come from one seed
(`lmlir.oracle.strategies`). On eight mutants its counterexamples had 9 to 36 numbers, those of `cases.shrunk` 2 to 13 (and
once 66), in a tenth to a half of the time.
"""

from __future__ import annotations

import shlex
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis.database import ExampleDatabase
from hypothesis.internal.conjecture import data

from lmlir.blas import one_blas_thread
from lmlir.oracle import strategies
from lmlir.oracle.again import Again, asked_again
from lmlir.oracle.cases import Case, shrunk
from lmlir.oracle.checker import Checker
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws import LAWS, Law, by_name
from lmlir.oracle.precision import PRECISIONS
from lmlir.oracle.subjects import Subject
from lmlir.oracle.violations import CannotBeJudged, Violation

CONFIRMATION_INTERVAL = 20  # verify the brackets of every 20th example against the 50-digit values
REPLAY_FACTOR = 4.0  # replaying may take this many times as long as shrinking
MAX_SHRINKING_CRASHES = 4  # stop shrinking after this many crashes

STATUSES = ("held", "violated", "errored", "not offered", "not judged")
VERDICTS = {"violated": "violates", "errored": "errored", "not judged": "cannot be judged"}  # by the worst status


@dataclass(frozen=True)
class Profile:
    """The search effort: examples of a law of weight 1, seconds per law, and seconds for shrinking."""

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

    The random cases of a seed are always the same. A `database` stores cases that fail and supplies those of earlier runs.
    """

    profile: str = "default"
    precision: str = "float64"
    seed: int = 0
    shapes: str = "few"
    shrink: bool = True
    corner_cases_only: bool = False
    database: ExampleDatabase | None = None

    def __post_init__(self) -> None:
        for name, choices in (("profile", PROFILES), ("precision", PRECISIONS), ("shapes", ("few", "many"))):
            if (value := getattr(self, name)) not in choices:
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
class Report:
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
        ran = {*self.named("held", "violated", "errored")}
        asked = {name for result in self.results if result.law.name in ran for name in result.law.functions}
        return [name for name in self.subject.offers if name in asked]

    @property
    def verdict(self) -> str:
        """One of "conforms", "violates", "errored" and "cannot be judged". A wrong answer outweighs a missing one."""
        if self.unfinished or not self.judged:
            return "cannot be judged"
        return next((VERDICTS[status] for status in VERDICTS if self.named(status)), "conforms")

    @property
    def conclusion(self) -> str:
        """The verdict, and how many laws or functions it is about."""
        count = len(self.named("violated" if self.verdict == "violates" else "errored"))
        if self.verdict in ("violates", "errored"):
            return f"{'violates' if self.verdict == 'violates' else 'errored in'} {count} law{'s' * (count > 1)}"
        if self.verdict != "conforms" or len(self.judged) == len(FUNCTIONS):
            return self.verdict
        limit = "it offers" if len(self.judged) == len(self.subject.offers) else "the chosen laws concern"
        return f"conforms in {len(self.judged)} of {len(FUNCTIONS)} functions, all that {limit}"

    @property
    def reason(self) -> str:
        """The reason for the verdict, in words."""
        if self.unfinished:
            return self.unfinished
        if self.verdict == "conforms":
            return f"{self.conclusion}: {len(self.named('held'))} of {len(LAWS)} laws held"
        for status in VERDICTS:
            if found := [result for result in self.results if result.status == status]:
                sentence = f"{found[0].law.name}: {found[0].violation or found[0].reason}"
                many = f"{len(found)} of {len(self.results)} laws were not judged; " if status == "not judged" else ""
                return f"{many}{sentence}"
        return "the subject offers none of the functions that the chosen laws need"


class Watcher:
    """Follows a run; this one does nothing."""

    def begin(self, report: Report, law: Law, count: int) -> None:
        """A law begins, one of `count`; the report has the results of those before it."""

    def tick(self, examples: int) -> None:
        """The law tries its next example."""

    def end(self, report: Report) -> None:
        """A law has ended; its result is the last in the unfinished report."""


class _Stop(BaseException):
    """Ends a search that is out of time. Hypothesis would catch an Exception."""


class _Found(Exception):
    """Tells Hypothesis that a case fails."""


@contextmanager
def _draws_without_constants() -> Iterator[None]:
    """Keep Hypothesis from mixing constants of imported modules into its draws, so that the seed alone decides.

    It would also store them in the working folder. Versions before 6.131 do neither.
    """
    provider: Any = getattr(data, "HypothesisProvider", SimpleNamespace())
    usual = getattr(provider, "_maybe_draw_constant", None)
    provider._maybe_draw_constant = lambda *given, **options: None
    try:
        yield
    finally:
        provider._maybe_draw_constant = usual


class _Trial:
    """One law against one subject: tries cases, and keeps the smallest that fails."""

    def __init__(self, law: Law, subject: Subject, settings: Settings, watch: Watcher) -> None:
        self.law, self.subject, self.settings, self.watch = law, subject, settings, watch
        self.profile = PROFILES[settings.profile]
        self.checker = Checker(subject, settings.precision)
        self.examples = 0
        self.found: Violation | None = None
        self.rows: Counter[str] = self.checker.rows
        self.corner_cases_done = False
        self.end = time.monotonic() + self.profile.seconds
        self.out_of_time = False

    def violation(self, case: Case) -> Violation | None:
        """The violation that this case shows, if any."""
        asked, self.checker.calls = self.subject.asked, []
        try:
            with np.errstate(all="ignore"):
                self.law.check(self.checker, case)
        except Violation as found:
            violation = found
        except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
            if not self.checker.outlandish():
                raise
            sentence = f"the answers are too large to compute with ({type(error).__name__}: {error})"
            violation = Violation(sentence)
        else:
            return None
        violation.case, violation.calls = case, list(violation.calls or self.checker.calls[-1:])
        violation.history = self.subject.remembers()
        violation.given_up = bool(self.subject.given_up) and self.subject.asked == asked  # no question reached it
        return violation

    def attempt(self, case: Case, extra_seconds: float = 0.0) -> None:
        """Try a case. Raise if it, or one before it, shows a violation, or if the time is up."""
        if self.found is None:
            self.examples += 1
            self.watch.tick(self.examples)
            self.checker.truth_wanted = self.examples % CONFIRMATION_INTERVAL == 0
            self.found = self.violation(case)
            self.out_of_time = time.monotonic() > self.end + extra_seconds
        if self.found is not None:
            raise _Found
        if self.out_of_time:
            raise _Stop

    def search(self) -> None:
        """Try the corner cases, then those in the database, then random ones."""
        precision = self.checker.precision
        with suppress(_Stop, _Found):
            for case in self.law.first_cases(precision, self.profile.name != "quick"):
                self.attempt(case, 9 * self.profile.seconds)
            self.corner_cases_done = True
            if not self.settings.corner_cases_only:
                self._search_at_random(
                    self.law.cases(precision, strategies.palette(self.profile.name, self.settings.shapes))
                )

    def _search_at_random(self, cases: Any) -> None:
        def attempt(case: Case) -> None:
            self.attempt(case)

        # Gives every law its own part of the database; Hypothesis uses it to tell parametrized tests apart.
        name = f"{self.law.name} {self.settings.precision}"
        attempt._hypothesis_internal_add_digest = name.encode()  # type: ignore[attr-defined]
        settings = hypothesis.settings(
            max_examples=max(4, round(self.profile.examples * self.law.weight)),
            database=self.settings.database,
            derandomize=False,
            deadline=None,
            phases=(Phase.reuse, Phase.generate),
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )
        seed = hypothesis.seed(zlib.crc32(f"{self.settings.seed} {self.law.name}".encode()))
        with _draws_without_constants():
            settings(seed(hypothesis.given(cases)(attempt)))()  # type: ignore[no-untyped-call]

    def shrink(self) -> None:
        """Make the failing case smaller as long as it fails in the same way, within the limits of time and crashes."""
        if self.found is None or self.found.final:
            return
        subject, errored = self.subject, self.found.errored
        end, last_start = time.monotonic() + self.profile.shrinking, subject.starts + MAX_SHRINKING_CRASHES
        visited = Counter(self.rows)

        def enough() -> bool:
            return time.monotonic() > end or subject.starts > last_start or bool(subject.given_up)

        def still_fails(case: Case) -> bool:
            self.checker.rows = Counter(visited)
            try:
                violation = self.violation(case)
            except Exception:  # the smaller case is not a valid input of this law
                return False
            if violation is None or violation.errored != errored or subject.given_up:
                return False
            self.found, self.rows = violation, self.checker.rows  # the last case that fails is the smallest
            return True

        shrunk(self.found.case, still_fails, enough)

    def bracket_nan(self) -> None:
        """Where the answer was NaN, add what is allowed."""
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
        """The law's status, and the reason where it needs one."""
        if self.found is not None:
            if self.found.given_up:
                return "not judged", self.found.sentence
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
    watch: Watcher | None = None,
    **settings: Any,
) -> LawResult:
    """Run one law against a subject up to its first violation, with `Settings`.

    The failing case is made smaller and, where the subject has a process of its own, replayed in fresh ones.
    """
    chosen = Settings(profile, precision, seed, **settings)
    if missing := law.needs(subject.offers):
        return LawResult(law, "not offered", reason=f"needs {', '.join(missing)}")
    if subject.given_up:
        return LawResult(law, "not judged", reason=subject.given_up)
    began = time.monotonic()
    trial = _Trial(law, subject, chosen, watch or Watcher())
    trial.search()
    kinks = trial.checker.kinks.count
    if chosen.shrink:
        trial.shrink()
    trial.bracket_nan()
    status, reason = trial.status()
    result = LawResult(law, status, trial.examples, None, kinks, trial.rows, reason=reason)
    if trial.found is not None and status != "not judged":
        result.violation = trial.found
        if chosen.shrink and subject.asked:
            seconds = REPLAY_FACTOR * trial.profile.shrinking
            result.again = asked_again(law, trial.found, subject, precision, seconds)
    result.seconds = time.monotonic() - began
    return result


@one_blas_thread()
def judge(
    subject: Subject,
    profile: str = "default",
    only: Sequence[str] | None = None,
    watch: Watcher | None = None,
    first_violation_only: bool = False,
    **settings: Any,
) -> Report:
    """Run all laws (or only those named) against a subject, with `Settings`.

    Up to the first violation only: the corner cases of all laws come before the random ones of any, which is faster.
    """
    watch, whole = watch or Watcher(), Settings(profile, **settings)
    chosen = [by_name(name) for name in only] if only else list(LAWS)
    began = time.monotonic()
    report = Report(subject, [], whole)
    for part in (replace(whole, corner_cases_only=True), whole) if first_violation_only else (whole,):
        report.results = []
        for law in chosen:
            watch.begin(report, law, len(chosen))
            report.results.append(run_law(law, subject, watch=watch, **vars(part)))
            report.seconds = time.monotonic() - began
            report.unfinished = f"not finished: {len(report.results)} of {len(chosen)} laws were run"
            watch.end(report)
            if report.violated and first_violation_only:
                report.unfinished = ""
                return report
    report.unfinished = ""
    return report
