"""A trial: one law on one subject, its corner cases first and then random ones, up to the first
violation.

Hypothesis draws the random cases. With an example database it stores the one that fails and tries
it first the next time. It does not shrink them: it would shrink the structure of a case but not its
coordinates, which come from one seed (`lmlir.oracle.inputs.random_cases`). On eight mutants its
counterexamples had 9 to 36 numbers, those of `inputs.shrinking` 2 to 13 (and once 66), in a tenth
to a half of the time.
"""

from __future__ import annotations

import math
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis.internal.conjecture import data

from lmlir.oracle.inputs import random_cases
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.shrinking import shrunk
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.judging.judgment import PROFILES, Judgment, Settings
from lmlir.oracle.laws import Law
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.laws.law import MAX_SMALL_CASE
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.clock import Stopwatch
from lmlir.oracle.subjects.failures import NotJudged, Violation
from lmlir.terminal import plural

CONFIRMATION_INTERVAL = 20  # verify the brackets of every 20th example against the 50-digit values
CORNER_CASES_FACTOR = 10.0  # the corner cases have this many times the time of a law
MAX_SHRINKING_CRASHES = 4  # stop shrinking after this many crashes


class Watcher:
    """Follows a run; this one does nothing."""

    def begin(
        self,
        report: Judgment,
        law: Law,
        count: int,
    ) -> None:
        """A law begins, one of `count`; the report has the results of those before it."""

    def tick(self, examples: int) -> None:
        """The law tries its next example."""

    def found(self, law: Law, violation: Violation) -> None:
        """A law is violated; the violation is not yet made smaller."""

    def skipped(self, law: Law, reason: str) -> None:
        """A case of a law was not judged, for the first time."""

    def end(self, report: Judgment) -> None:
        """A law has ended; its result is the last in the unfinished report."""


class _Stop(BaseException):
    """Ends a search that is out of time. Hypothesis would catch an Exception."""


class _Found(Exception):
    """Tells Hypothesis that a case fails."""


@contextmanager
def _draws_without_constants() -> Iterator[None]:
    """Keep Hypothesis from mixing constants of imported modules into its draws, so that the seed
    alone decides.

    It would also store them in the working folder. Versions before 6.131 do neither.
    """
    provider: Any = getattr(data, "HypothesisProvider", SimpleNamespace())
    usual = getattr(provider, "_maybe_draw_constant", None)
    provider._maybe_draw_constant = lambda *given, **options: None
    try:
        yield
    finally:
        provider._maybe_draw_constant = usual


class Trial:
    """One law against one subject: tries cases, and keeps the smallest that fails."""

    def __init__(
        self,
        law: Law,
        subject: Subject,
        settings: Settings,
        watch: Watcher,
    ) -> None:
        self.law = law
        self.subject = subject
        self.settings = settings
        self.watch = watch
        self.missing = law.needs(subject.offers)
        if law.in_memory and subject.command:
            self.missing = ["memory that the judge shares, which a program does not have"]
        self.profile = PROFILES[settings.profile]
        self.checker = Checker(subject, settings.precision)
        self.examples = 0
        self.seconds = 0.0
        self.found: Violation | None = None
        self.rows: Counter[str] = self.checker.rows
        self.corner_cases_done = False
        self.start_clock()
        self.deadline = time.monotonic() + 60 * (settings.minutes or math.inf)
        self.out_of_time = False
        self.not_judged = ""  # why some case was not

    def start_clock(self) -> None:
        """Let the time for the law begin."""
        subject = self.subject
        self.stopwatch = Stopwatch(lambda: time.process_time() + subject.processor_seconds())

    def refusal(self) -> str:
        """Return why the subject is not asked what the law needs, or '' if it is."""
        refusals = {name: self.subject.refusal(name) for name in self.subject.offers}
        missing = self.law.needs([name for name, refusal in refusals.items() if not refusal])
        return next((refusals[name] for name in missing if name in refusals), "")

    def violation(self, case: Case) -> Violation | None:
        """The violation that this case shows, if any; raises `NotJudged`."""
        self.checker.calls = []
        try:
            with np.errstate(all="ignore"):
                self.law.check(self.checker, case)
        except Violation as raised:
            violation = raised
        except (ArithmeticError, ValueError, np.linalg.LinAlgError) as error:
            if not self.checker.has_huge_answers():
                raise
            reason = f"{type(error).__name__}: {error}"
            violation = Violation(f"the answers are too large to compute with ({reason})")
        else:
            return None
        violation.case = case
        violation.calls = list(violation.calls or self.checker.calls[-1:])
        violation.history = self.subject.recorded_calls()
        return violation

    def attempt(self, case: Case, factor: float = 1.0) -> None:
        """Try a case. Raise if it, or one before it, shows a violation, or if the time is up."""
        if time.monotonic() > self.deadline:
            self.out_of_time = True
        elif self.found is None:
            self.examples += 1
            self.watch.tick(self.examples)
            self.checker.truth_wanted = self.examples % CONFIRMATION_INTERVAL == 0
            try:
                self.found = self.violation(case)
            except NotJudged as problem:
                self.examples -= 1
                if not self.not_judged:
                    self.watch.skipped(self.law, str(problem))
                self.not_judged = self.not_judged or str(problem)
                if self.refusal():
                    raise _Stop from None
            self.out_of_time = bool(self.stopwatch.reached(factor * self.profile.seconds))
            if self.found is not None and not self.settings.expects_failure(self.law):
                self.watch.found(self.law, self.found)
        if self.found is not None:
            raise _Found
        if self.out_of_time:
            raise _Stop

    def search_first(self) -> None:
        """Try the small corner cases, which take a moment."""
        with suppress(_Stop, _Found):
            for case in self._corner_cases():
                if case.size <= MAX_SMALL_CASE:
                    self.attempt(case, CORNER_CASES_FACTOR)

    def search_further(self) -> None:
        """Try the large corner cases, then those in the database, then random ones."""
        if not self.profile.examples:
            return
        with suppress(_Stop, _Found):
            for case in self._corner_cases():
                if case.size > MAX_SMALL_CASE:
                    self.attempt(case, CORNER_CASES_FACTOR)
            self.corner_cases_done = True
            if not self.settings.corner_cases_only:
                palette = random_cases.palette(self.profile.name, self.settings.shapes)
                self._search_at_random(self.law.cases(self.checker.precision, palette))

    def _corner_cases(self) -> Iterator[Case]:
        if self.law.name in self.settings.again:
            yield self.settings.again[self.law.name].cast(self.checker.precision.dtype)
        is_long = self.profile.name in ("default", "thorough")
        yield from self.law.first_cases(self.checker.precision, is_long)

    def _search_at_random(self, cases: Any) -> None:
        def attempt(case: Case) -> None:
            self.attempt(case)

        # Gives every law its own part of the database; Hypothesis uses it to tell parametrized
        # tests apart.
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
        """Make the failing case smaller as long as it fails in the same way, within the limits of
        time and crashes.
        """
        if self.found is None:
            return
        subject = self.subject
        errored = self.found.errored
        functions = self.found.functions
        end = min(time.monotonic() + self.profile.shrinking, self.deadline)
        last_start = subject.starts + MAX_SHRINKING_CRASHES
        visited = Counter(self.rows)

        def enough() -> bool:
            return time.monotonic() > end or subject.starts > last_start or bool(self.refusal())

        def still_fails(case: Case) -> bool:
            self.checker.rows = Counter(visited)
            try:
                violation = self.violation(case)
            except Exception:  # it is not a valid input of this law, or out of time
                return False
            if violation is None or violation.errored != errored:
                return False
            if violation.functions != functions:
                return False
            # the last case that fails is the smallest
            self.found = violation
            self.rows = self.checker.rows
            return True

        shrunk(self.found.case, still_fails, enough)

    def bracket_nan(self) -> None:
        """Where the answer was NaN, add what is allowed."""
        if self.found is None or not self.found.nan_at:
            return
        [call] = self.found.calls
        answer, *place = self.found.nan_at
        with np.errstate(all="ignore"):
            lower, upper = self.checker.allowed(call.function, call.arguments)[answer]
        self.found.where = f"{call.function}: {FUNCTIONS[call.function].answers[answer]}"
        if place:
            self.found.where += f"[{', '.join(map(str, place))}]"
        self.found.got = np.nan
        self.found.lower = float(lower[tuple(place)])
        self.found.upper = float(upper[tuple(place)])

    def status(self) -> tuple[str, str]:
        """The law's status, and the reason where it needs one."""
        if self.missing:
            return "not offered", f"needs {', '.join(self.missing)}"
        if self.found is not None:
            return "errored" if self.found.errored else "violated", ""
        if self.not_judged:
            return "not judged", self.not_judged
        if not self.out_of_time:
            return "held", ""
        if not self.examples:
            return "not judged", "no time was left"
        kind = "example" if self.corner_cases_done else "corner case"
        return "held", f"cut short after {plural(self.examples, kind)}"
