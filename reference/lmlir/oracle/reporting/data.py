"""The data of a report, which `lmlir check --json` writes; `text` and `page` are made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lmlir.oracle.allowed import exact
from lmlir.oracle.inputs.cases import as_data
from lmlir.oracle.interface import CONCERNS, FUNCTIONS, near_misses
from lmlir.oracle.judging.judgment import EXPECTED, STATUSES, Judgment, LawResult
from lmlir.oracle.judging.replay import Again
from lmlir.oracle.laws import LAWS
from lmlir.oracle.reporting.snippet import assertion, protocol_lines, snippet
from lmlir.oracle.reporting.working import working
from lmlir.oracle.subjects.failures import Call, SubjectFailure, Violation
from lmlir.oracle.subjects.messages import to_lists

Data = Mapping[str, Any]

REJECTION_LAW = "invalid_input_is_rejected"
SMALL_ERROR = 1e-6  # relative to the value
MAX_PRINTING_CALLS = 3
MAX_SHOWN_CHARACTERS = 200  # of an answer in a snippet


def as_json(report: Judgment) -> dict[str, Any]:
    """The report as data."""
    settings = report.settings
    offered = report.offered
    return {
        **unjudged(report.subject.name, report.reason),
        "offered": offered,
        "near misses": near_misses(report.subject.others, offered),
        "verdict": report.verdict,
        "conclusion": report.conclusion,
        "kinds": {kind: part.verdict for kind, part in report.by_kind.items()},
        "profile": settings.profile,
        "precision": settings.precision,
        "seed": settings.seed,
        "laws run": len(report.named("held", "violated", "errored", EXPECTED)),
        "seconds": round(report.seconds, 3),
        "counts": _counts(report),
        "slips": [asdict(slip) for slip in report.slips],
        "statements": _statements(report.results, offered),
        "laws": [_law(result, report) for result in report.results],
    }


def _counts(report: Judgment) -> dict[str, int]:
    counts = {status: len(report.named(status)) for status in STATUSES}
    if report.named(EXPECTED):
        counts[EXPECTED] = len(report.named(EXPECTED))
    return counts


def unjudged(subject: str, reason: str, frames: Sequence[str] = ()) -> dict[str, Any]:
    """The data of a report on a subject that cannot be judged."""
    verdict = "cannot be judged"
    return {
        "subject": subject,
        "offered": [],
        "near misses": {},
        "verdict": verdict,
        "conclusion": "It cannot be judged.",
        "kinds": {},
        "reason": reason,
        "traceback": list(frames),
        "laws run": 0,
        "laws that exist": len(LAWS),
        "counts": dict.fromkeys(STATUSES, 0),
        "slips": [],
        "statements": {},
        "laws": [],
    }


def _statements(results: Iterable[LawResult], offered: Sequence[str]) -> dict[str, list[str]]:
    """The items by the worst status of the mathematical laws that cite them; "not offered" where
    none of these ran.

    A law counts for an item only if it ran on an offered function that the item concerns, and a
    violation only if it was found in one.
    """
    ranks = ("violated", "errored", "not judged", "held", "not offered")
    worst: dict[str, str] = {}
    for result in results:
        ran = set(result.law.functions) & set(offered)
        if result.violation is not None and result.violation.calls:
            ran = result.violation.functions
        if result.law.kind != "mathematics":
            continue
        found = "violated" if result.status == EXPECTED else result.status
        for item in result.law.items:
            status = found if ran & set(CONCERNS[item]) else "not offered"
            worst[item] = min(status, worst.get(item, status), key=ranks.index)
    by_status: dict[str, list[str]] = {status: [] for status in STATUSES}
    for item, status in worst.items():
        by_status[status].append(item)
    return by_status


def _law(result: LawResult, report: Judgment) -> dict[str, Any]:
    counterexample = None
    resembles = []
    if result.status == "violated" and result.law.kind == "mathematics":
        resembles = [slip.sentence for slip in report.slips]
    if result.violation is not None:
        counterexample = _counterexample(result, result.violation, report)
    return {
        "law": result.law.name,
        "kind": result.law.kind,
        "items": list(result.law.items),
        "statement": result.law.statement,
        "functions": list(result.law.functions),
        "status": result.status,
        "examples": result.examples,
        "seconds": round(result.seconds, 3),
        "kinks": result.kinks,
        "rows": dict(sorted(result.rows.items())),
        "reason": result.reason,
        "counterexample": counterexample,
        "resembles": resembles,
    }


def _counterexample(result: LawResult, violation: Violation, report: Judgment) -> dict[str, Any]:
    """The smallest input found on which a law fails."""
    allowed = None
    excess = None
    if violation.lower is not None and violation.upper is not None:
        allowed = [to_lists(violation.lower), to_lists(violation.upper)]
        excess = to_lists(_excess(violation))
    calls = [_call(call) for call in violation.calls]
    steps = []
    if allowed is not None and len(calls) == 1:
        steps = working(calls[0], violation.where, violation.got)
    fault = ""
    if isinstance(violation, SubjectFailure):
        fault = violation.sentence.partition(": ")[0]
    again = None
    if result.again is not None:
        again = {
            "sentence": result.again.sentence,
            "the law failed": result.again.law,
            "sequence": [_call(call) for call in result.again.sequence],
        }
    return {
        "sentence": violation.sentence,
        "fault": fault,
        "where": violation.where,
        "got": to_lists(violation.got),
        "allowed": allowed,
        "excess": excess,
        "working": steps,
        "said": violation.said,
        "source": violation.source,
        "traceback": violation.frames,
        "printed": _printed(violation),
        "calls": calls,
        "case": as_data(violation.case) if violation.case else None,
        "notes": [*_small_error(violation), *_hints(violation, report)],
        "again": again,
        "snippet": _snippet(result.again, violation, report),
    }


def _printed(violation: Violation) -> str:
    """What the subject printed during the calls, unless its last words have it already."""
    texts = [call.printed for call in violation.calls if call.printed not in violation.said]
    return "\n".join(texts[:MAX_PRINTING_CALLS])


def _excess(violation: Violation) -> Any:
    """How far outside its bracket the number lies."""
    return max(violation.got - violation.upper, violation.lower - violation.got)


def _snippet(again: Again | None, violation: Violation, report: Judgment) -> str:
    """The lines that repeat the violation: its calls, or the sequence of calls that shows it."""
    if again is None or not again.sequence:
        lines = snippet(violation.calls, report.subject.name, report.program)
        by_protocol = protocol_lines(violation.calls) if report.program else []
        return "\n".join([lines, *assertion(violation), *by_protocol])
    lines = snippet(again.sequence, report.subject.name, report.program)
    answer = ", ".join(str(array.tolist()) for array in again.first or ())
    answer = answer[:MAX_SHOWN_CHARACTERS] or "none"
    return f"{lines}\n# In a fresh process, the answer to the last call is {answer}"


def _call(call: Call) -> dict[str, Any]:
    answer = None
    if call.answer is not None:
        answer = [to_lists(array) for array in call.answer]
        if FUNCTIONS[call.function].single:
            [answer] = answer
    return {
        "call": call.function,
        "arguments": {name: to_lists(value) for name, value in call.arguments.items()},
        "result": answer,
        "row of Table 2": exact.table_2_row(call.function, call.arguments),
    }


def _small_error(violation: Violation) -> Iterable[str]:
    """For a single answer that is wrong by little: how much larger its error is than the
    bracket.
    """
    lower = violation.lower
    upper = violation.upper
    if lower is None or upper is None or len(violation.calls) != 1:
        return
    excess = _excess(violation)
    width = upper - lower
    is_small = 0 < width <= excess < SMALL_ERROR * min(abs(lower), abs(upper))
    if is_small and violation.where.startswith(f"{violation.calls[0].function}: "):
        times = f"{excess / width:.2g} times"
        yield f"The error is small, but {times} larger than rounding can explain."


def _hints(violation: Violation, report: Judgment) -> Iterable[str]:
    """Remedies that may apply."""
    if report.violated == [REJECTION_LAW] and not report.program:
        yield "examples/subject_contract.py has a decorator that rejects such input."
    if report.settings.precision == "float64" and any(call.single for call in violation.calls):
        yield "The answer is float32; --precision float32 judges it as such."
