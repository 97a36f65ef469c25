"""Run one law, or all, against a subject."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lmlir.blas import one_blas_thread
from lmlir.oracle.judging.judgment import Judgment, LawResult, Settings
from lmlir.oracle.judging.replay import asked_again
from lmlir.oracle.judging.trial import Trial, Watcher
from lmlir.oracle.laws import LAWS, Law, by_name
from lmlir.oracle.laws.law import KINDS
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import CannotBeJudged

MIN_MINUTES = 1e-9  # for a law that begins when no time is left
REPLAY_FACTOR = 4.0  # replaying may take this many times as long as shrinking


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

    The failing case is made smaller and, where the subject has a process of its own, replayed in
    fresh ones.
    """
    chosen = Settings(profile, precision, seed, **settings)
    missing = law.needs(subject.offers)
    if missing:
        return LawResult(law, "not offered", reason=f"needs {', '.join(missing)}")
    began = time.monotonic()
    trial = Trial(law, subject, chosen, watch or Watcher())
    refusal = trial.refusal()
    if refusal:
        return LawResult(law, "not judged", reason=refusal)
    trial.search()
    kinks = trial.checker.kinks.count
    if chosen.shrink:
        trial.shrink()
    trial.bracket_nan()
    status, reason = trial.status()
    result = LawResult(law, status, trial.examples, None, kinks, trial.rows, reason=reason)
    if trial.found is not None:
        result.violation = trial.found
        if chosen.shrink and subject.asked:
            seconds = min(
                REPLAY_FACTOR * trial.profile.shrinking, trial.deadline - time.monotonic()
            )
            result.again = asked_again(law, trial.found, subject, precision, seconds)
    result.seconds = time.monotonic() - began
    return result


@one_blas_thread()
def judge(
    subject: Subject,
    profile: str = "default",
    only: Sequence[str] | None = None,
    kinds: Sequence[str] = (),
    watch: Watcher | None = None,
    first_violation_only: bool = False,
    **settings: Any,
) -> Judgment:
    """Run all laws of some kinds (or only those named); `settings` are fields of `Settings`.

    With `first_violation_only` the run stops at the first violation. To find it sooner, the corner
    cases of all laws are tried before any random case.
    """
    watch = watch or Watcher()
    whole = Settings(profile, **settings)
    named = [by_name(name) for name in only] if only else LAWS
    for kind in kinds:
        if kind not in KINDS:
            raise CannotBeJudged(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    chosen = [law for law in named if not kinds or law.kind in kinds]
    if not chosen:
        raise CannotBeJudged(f"none of the chosen laws is about {' or '.join(kinds)}")
    began = time.monotonic()
    report = Judgment(subject, [], whole)
    passes = [whole]
    if first_violation_only:
        passes = [replace(whole, corner_cases_only=True), whole]
    laws_left = len(passes) * sum(not law.needs(subject.offers) for law in chosen)
    for settings_of_pass in passes:
        report.results = []
        for law in chosen:
            watch.begin(report, law, len(chosen))
            if whole.minutes:
                minutes_left = whole.minutes - (time.monotonic() - began) / 60
                share = max(minutes_left / max(laws_left, 1), MIN_MINUTES)
                settings_of_pass = replace(settings_of_pass, minutes=share)
            laws_left -= not law.needs(subject.offers)
            result = run_law(law, subject, watch=watch, **vars(settings_of_pass))
            report.results.append(result)
            report.seconds = time.monotonic() - began
            done = f"{len(report.results)} of {len(chosen)}"
            report.unfinished = f"not finished: {done} laws were run"
            watch.end(report)
            if report.violated and first_violation_only:
                report.unfinished = ""
                return report
    report.unfinished = ""
    return report
