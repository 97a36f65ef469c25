"""Run one law, or all, against a subject."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from lmlir.blas import one_blas_thread
from lmlir.oracle.judging.judgment import EXPECTED, PROFILES, Judgment, LawResult, Settings
from lmlir.oracle.judging.replay import asked_again
from lmlir.oracle.judging.slips import recognized
from lmlir.oracle.judging.trial import Trial, Watcher
from lmlir.oracle.laws import Law, selected
from lmlir.oracle.laws.law import KINDS
from lmlir.oracle.precision import PRECISIONS
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import CannotBeJudged

Stage = Callable[[Trial], None]
STAGES: tuple[Stage, ...] = (Trial.search_first, Trial.search_further)
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
    trial = Trial(law, subject, Settings(profile, precision, seed, **settings), watch or Watcher())
    for stage in STAGES:
        run_stage(trial, stage)
    return result_of(trial)


def run_stage(trial: Trial, stage: Stage) -> None:
    """Search for a violation, and make the failing case smaller; nothing if the law is decided."""
    if trial.missing or trial.found or trial.out_of_time:
        return
    began = time.monotonic()
    trial.start_clock()
    refusal = trial.refusal()
    trial.not_judged = trial.not_judged or refusal
    if not refusal:
        stage(trial)
    if trial.found and trial.settings.shrink:
        trial.shrink()
    trial.bracket_nan()
    trial.seconds += time.monotonic() - began


def result_of(trial: Trial) -> LawResult:
    """What a trial found; a violation is replayed."""
    began = time.monotonic()
    status, reason = trial.status()
    if trial.found is not None and trial.settings.expects_failure(trial.law):
        status = EXPECTED
    result = LawResult(trial.law, status, trial.examples, trial.found, reason=reason)
    result.kinks = trial.checker.kinks.count
    result.rows = trial.rows
    if trial.found is not None and trial.settings.shrink and trial.subject.asked:
        seconds = min(REPLAY_FACTOR * trial.profile.shrinking, trial.deadline - began)
        precision = trial.settings.precision
        result.again = asked_again(trial.law, trial.found, trial.subject, precision, seconds)
    result.seconds = trial.seconds + time.monotonic() - began
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

    The small corner cases of all laws are tried before anything else, so that the first violation
    is found soon. With `first_violation_only` the run stops there.
    """
    watch = watch or Watcher()
    whole = Settings(profile, **settings)
    named, functions = selected(only or list(whole.again))
    for kind in kinds:
        if kind not in KINDS:
            raise CannotBeJudged(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    chosen = [law for law in named if not kinds or law.kind in kinds]
    if not PROFILES[whole.profile].examples:
        chosen = [law for law in chosen if law.has_small_case(PRECISIONS[whole.precision])]
    if not chosen:
        raise CannotBeJudged("no law is left of those chosen by only, kind and profile")
    began = time.monotonic()
    report = Judgment(subject, [], whole)
    if functions:
        subject.offers = [name for name in subject.offers if name in functions]
    trials = [Trial(law, subject, whole, watch) for law in chosen]
    results: dict[Law, LawResult] = {}
    for stage in STAGES:
        waiting = [trial for trial in trials if trial.law not in results]
        for number, trial in enumerate(waiting):
            report.unfinished = f"not finished: {len(results)} of {len(chosen)} laws were completed"
            watch.begin(report, trial.law, len(chosen))
            if whole.minutes:
                stages_left = len(waiting) - number + len(trials) * (stage is not STAGES[-1])
                seconds_left = 60 * whole.minutes - (time.monotonic() - began)
                trial.deadline = time.monotonic() + seconds_left / stages_left
            run_stage(trial, stage)
            if trial.found or stage is STAGES[-1]:
                results[trial.law] = result_of(trial)
            report.results = [results[law] for law in chosen if law in results]
            report.seconds = time.monotonic() - began
            if trial.law in results:
                watch.end(report)
            if report.violated and first_violation_only:
                return _completed(report, began, "The run stopped at the first violation.")
    return _completed(report, began)


def _completed(report: Judgment, began: float, stopped: str = "") -> Judgment:
    """The report of a run that has ended by itself."""
    report.unfinished = ""
    report.stopped = stopped
    mathematics = report.by_kind.get("mathematics")
    is_wrong = mathematics is not None and mathematics.verdict == "violates"
    if is_wrong and report.settings.precision == "float64" and report.settings.shrink:
        report.slips = recognized(report.subject)
    report.seconds = time.monotonic() - began
    return report
