"""The runner: tries every law on a subject, with Hypothesis, up to the first violation of each law."""

from __future__ import annotations

import shlex
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings

from lmlir.oracle.brackets import PRECISIONS
from lmlir.oracle.cases import Case, shrunk
from lmlir.oracle.checker import Checker
from lmlir.oracle.laws import LAWS, Law, by_name
from lmlir.oracle.subjects import Subject
from lmlir.oracle.violations import CannotBeJudged, SubjectFailure, Violation

CONFIRM_EVERY = 20  # so often is a bracket of a random case held against the truth to 50 digits

Progress = Callable[[str, int, int, int], None]


@dataclass(frozen=True)
class Profile:
    """How long a run may take: examples of a law with weight 1, seconds a law may run, seconds to make a case smaller."""

    name: str
    examples: int
    seconds: float
    shrinking: float


PROFILES = {
    "quick": Profile("quick", 22, 20.0, 1.5),
    "default": Profile("default", 120, 60.0, 4.0),
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


@dataclass
class Report:
    """What all laws said of a subject."""

    subject: str
    verdict: str
    reason: str
    results: list[LawResult]
    profile: str
    precision: str
    seed: int
    laws: int
    seconds: float = 0.0
    program: str = ""  # the command line of a subject that speaks the line protocol

    @property
    def violated(self) -> list[str]:
        """The names of the violated laws."""
        return [result.law.name for result in self.results if result.status == "violated"]


class _Stop(BaseException):
    """Ends a Hypothesis run from inside; not an Exception, so that Hypothesis lets it through."""


class _Trial:
    """One law against one subject: tries cases, and keeps the smallest that fails."""

    def __init__(self, law: Law, subject: Subject, profile: Profile, precision: str) -> None:
        self.law = law
        self.profile = profile
        self.checker = Checker(subject, precision)
        self.examples = 0
        self.found: Violation | None = None
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
            violation = Violation(failure.sentence, self.checker.calls[-1:], said=failure.said, final=failure.final)
        except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
            if not self.checker.outlandish():
                raise
            told = f"the answers are too large to compute with ({type(error).__name__}: {error})"
            violation = Violation(told, self.checker.calls[-1:])
        else:
            return None
        violation.law, violation.case = self.law.name, case
        violation.calls = list(violation.calls)
        return violation

    def attempt(self, case: Case, patience: float = 0.0) -> None:
        """Try a case: stop at the first violation, or when time (and patience, in seconds) is up."""
        self.examples += 1
        self.checker.truth_wanted = self.examples % CONFIRM_EVERY == 0
        self.found = self.violation(case)
        self.out_of_time = time.monotonic() > self.end + patience
        if self.found is not None or self.out_of_time:
            raise _Stop

    def search(self, start: int, kept_only: bool = False) -> None:
        """The kept cases, then random ones."""
        try:
            for case in self.law.examples(self.checker.precision):
                self.attempt(case, patience=9 * self.profile.seconds)
            if not kept_only:
                self._random(start)
        except _Stop:
            pass

    def _random(self, start: int) -> None:
        phases = (Phase.generate,)
        runs = max(4, round(self.profile.examples * self.law.weight))
        run = given(self.law.cases(self.checker.precision))(lambda case: self.attempt(case))
        run = settings(
            max_examples=runs,
            database=None,
            deadline=None,
            phases=phases,
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
            print_blob=False,
        )(run)
        seed(zlib.crc32(f"{start} {self.law.name}".encode()))(run)()

    def shrink(self) -> None:
        """Make the failing case smaller, as long as it fails and there is time."""
        if self.found is None or self.found.final:
            return
        end = time.monotonic() + self.profile.shrinking

        def still_fails(case: Case) -> bool:
            violation = self._quietly(case)
            if violation is not None:
                self.found = violation
            return violation is not None

        shrunk(self.found.case, still_fails, lambda: time.monotonic() > end)

    def _quietly(self, case: Case) -> Violation | None:
        try:
            return self.violation(case)
        except Exception:  # the smaller case is no valid input of this law
            return None


def run_law(
    law: Law,
    subject: Subject,
    profile: str = "quick",
    precision: str = "float64",
    seed: int = 0,
    shrink: bool = True,
    kept_only: bool = False,
) -> LawResult:
    """Run one law against a subject up to its first violation."""
    missing = law.needs(subject.offers)
    if missing:
        return LawResult(law, "not offered", reason=f"needs {', '.join(missing)}")
    began = time.monotonic()
    trial = _Trial(law, subject, PROFILES[profile], precision)
    trial.search(seed, kept_only)
    kinks, rows = trial.checker.kinks.count, Counter(trial.checker.rows)
    if shrink:
        trial.shrink()
    status = "held" if trial.found is None else "violated"
    reason = f"stopped after {PROFILES[profile].seconds:g} s" if trial.out_of_time and status == "held" else ""
    return LawResult(law, status, trial.examples, trial.found, kinks, rows, time.monotonic() - began, reason)


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
) -> Report:
    """Run all laws (or only those named) against a subject; `violated` is told of the first violation at once.

    Up to the first violation only: the kept cases of all laws come before the random ones of any, which is faster.
    """
    check_options(profile, precision)
    chosen = [by_name(name) for name in only] if only else list(LAWS)
    began = time.monotonic()
    results: list[LawResult] = []
    for kept_only in (True, False) if first_violation_only else (False,):
        results, broken = [], 0
        for number, law in enumerate(chosen):
            if progress is not None:
                progress(law.name, number, len(chosen), broken)
            results.append(run_law(law, subject, profile, precision, seed, shrink, kept_only))
            if results[-1].status == "violated":
                broken += 1
                if violated is not None and broken == 1:
                    violated(results[-1])
                if first_violation_only:
                    break
        if broken:
            break
    verdict, reason = _verdict(results)
    seconds, program = time.monotonic() - began, shlex.join(getattr(subject, "command", ()))
    return Report(subject.name, verdict, reason, results, profile, precision, seed, len(LAWS), seconds, program)


def check_options(profile: str, precision: str) -> None:
    """A `CannotBeJudged` for a profile or a precision that does not exist."""
    if profile not in PROFILES:
        raise CannotBeJudged(f"profile must be one of {', '.join(PROFILES)}, got {profile!r}")
    if precision not in PRECISIONS:
        raise CannotBeJudged(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")


def _verdict(results: list[LawResult]) -> tuple[str, str]:
    violated = [result for result in results if result.status == "violated"]
    held = [result for result in results if result.status == "held"]
    if violated:
        first = violated[0].violation
        return "violates", f"{violated[0].law.name}: {first.sentence if first else ''}"
    if not held:
        return "cannot be judged", "the subject offers none of the functions that the chosen laws need"
    return "conforms", f"{len(held)} of {len(LAWS)} laws held"
