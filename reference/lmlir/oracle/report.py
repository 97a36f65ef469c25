"""Reports: what the laws said, for a person and for a program."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle import exact
from lmlir.oracle.again import Again
from lmlir.oracle.engine.messages import to_lists
from lmlir.oracle.engine.subjects import is_path
from lmlir.oracle.interface import BEHAVIOR, CONCERNS, FUNCTIONS, meant
from lmlir.oracle.laws import LAWS
from lmlir.oracle.resemblance import resembling
from lmlir.oracle.runner import STATUSES, LawResult, Report
from lmlir.oracle.violations import Call, Violation
from lmlir.terminal import WIDTH, wrapped

LONGEST_SNIPPET = 2400
STATEMENTS = {"violated": "Statements that the violated laws rest on, at least one of which is broken"}
REFUSAL = "what_has_no_answer_is_refused"
SMALL = 1e-6  # a difference, relative to the value
MOST_LINES = 30  # of a snippet, and of laws that are violated besides the first


def _call_json(call: Call) -> dict[str, Any]:
    answer = None
    if call.answer is not None:
        single = FUNCTIONS[call.function].single
        answer = to_lists(call.answer[0]) if single else [to_lists(part) for part in call.answer]
    return {"call": call.function, "arguments": {k: to_lists(v) for k, v in call.arguments.items()}, "result": answer}


def _again_json(again: Again) -> dict[str, Any]:
    return {
        "sentence": again.sentence,
        "the law failed": again.law,
        "sequence": [_call_json(call) for call in again.sequence],
    }


def _counterexample(result: LawResult, report: Report) -> dict[str, Any]:
    """The smallest input found on which a law fails, as data."""
    violation = result.violation
    assert violation is not None
    return {
        "sentence": violation.sentence,
        "where": violation.where,
        "got": to_lists(violation.got),
        "allowed": None if violation.lower is None else [to_lists(violation.lower), to_lists(violation.upper)],
        "said": violation.said,
        "calls": [_call_json(call) for call in violation.calls],
        "hint": _hint(violation, report),
        "again": None if result.again is None else _again_json(result.again),
        "snippet": _snippet_of(result, report),
    }


def _law_json(result: LawResult, report: Report) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "law": result.law.name,
        "items": list(result.law.items),
        "statement": result.law.statement,
        "functions": list(result.law.functions),
        "status": result.status,
        "examples": result.examples,
        "seconds": round(result.seconds, 3),
        "kinks": result.kinks,
        "rows": dict(sorted(result.rows.items())),
        "counterexample": None,
        "resembles": [],
    }
    if result.reason:
        entry["reason"] = result.reason
    if result.violation is not None:
        entry["counterexample"] = _counterexample(result, report)
        entry["resembles"] = _resembling(result, report)
    return entry


def as_json(report: Report) -> dict[str, Any]:
    """The report as the data that `lmlir check --json` writes."""
    return {
        "subject": report.subject.name,
        "offered": report.subject.offers,
        "near misses": report.subject.near_misses,
        "verdict": report.verdict,
        "reason": report.reason,
        "profile": report.profile,
        "precision": report.precision,
        "seed": report.seed,
        "laws run": len(_run(report)),
        "laws that exist": len(LAWS),
        "seconds": round(report.seconds, 3),
        "counts": {status: _count(report, status) for status in STATUSES},
        "statements": statements(report),
        "laws": [_law_json(result, report) for result in report.results],
    }


def statements(report: Report) -> dict[str, list[str]]:
    """The items by the worst that the laws that cite them found out; "not offered" where none of them ran.

    A law speaks of an item only where it ran on an offered function that the item concerns, and a violation only where
    it was found in one.
    """
    ranks = ("violated", "errored", "not judged", "held", "not offered")
    said: dict[str, str] = {}
    for result in report.results:
        ran = set(result.law.functions) & set(report.subject.offers)
        if result.violation is not None and result.violation.calls:
            ran = {call.function for call in result.violation.calls}
        for item in result.law.items:
            status = result.status if ran & set(CONCERNS[item]) else "not offered"
            said[item] = min(status, said.get(item, status), key=ranks.index)
    said.pop(BEHAVIOR, None)
    return {status: [item for item in said if said[item] == status] for status in STATUSES}


def unjudged(subject: str, reason: str) -> dict[str, Any]:
    """The JSON report on a subject that could not be judged."""
    counts = dict.fromkeys(STATUSES, 0)
    return {
        "subject": subject, "offered": [], "verdict": "cannot be judged", "reason": reason, "counts": counts, "laws": []
    }  # fmt: skip


def _count(report: Report, status: str) -> int:
    return sum(result.status == status for result in report.results)


def _literal(value: Any) -> str:
    """A value as Python lines with NumPy write it.

    >>> _literal(np.array([[np.nan, -np.inf]])), _literal(0.5)
    ('np.array([[np.nan, -np.inf]])', '0.5')
    """
    if not isinstance(value, np.ndarray):
        return _with_names(repr(value))
    if value.size == 0:
        return f"np.zeros({value.shape})" if value.dtype.kind == "f" else f"np.zeros({value.shape}, dtype=int)"
    kind = ", dtype=np.float32" if value.dtype == np.float32 else ""
    numbers = value.astype(np.float64) if value.dtype == np.float32 else value
    return f"np.array({_with_names(repr(numbers.tolist()))}{kind})"


def _with_names(text: str) -> str:
    """The numbers that Python has no literals for, by their names in NumPy."""
    return re.sub(r"\b(nan|inf)\b", r"np.\1", text)


def _opening(subject: str, program: str) -> list[str]:
    """Python lines that make the subject: it and NumPy are all they need, and for a program the line protocol."""
    if program:
        return ["from lmlir.oracle import subjects", f"subject = subjects.start_program({program!r})"]
    if is_path(subject):
        path = Path(subject)
        lines = ["import importlib", "import sys", f"sys.path.insert(0, {str(path.parent)!r})"]
        return [*lines, f"subject = importlib.import_module({path.stem!r})"]
    if subject.replace(".", "").replace("_", "").isalnum():
        return [f"import {subject} as subject"]
    return [f"subject = ...  # {subject}"]


def _call_text(call: Call, program: str, name: str) -> list[str]:
    if program:
        lines = [f"{name} = subject.ask({call.function!r}, {{"]
        lines += [f"    {argument!r}: {_literal(value)}," for argument, value in call.arguments.items()]
        return [*lines, "})"]
    lines = [f"{name} = subject.{call.function}("]
    lines += [f"    {_literal(value)},  # {argument}" for argument, value in call.arguments.items()]
    return [*lines, ")"]


def snippet(calls: Sequence[Call], subject: str, program: str = "") -> str:
    """Python lines to paste: they repeat calls; to a program through the line protocol."""
    lines = ["import numpy as np", *_opening(subject, program), ""]
    for number, call in enumerate(calls):
        name = f"answer_{number + 1}" if len(calls) > 1 else "answer"
        lines += [*_call_text(call, program, name), f"print({name})"]
    return "\n".join(lines)


def _snippet_of(result: LawResult, report: Report) -> str:
    """The lines that show a violation: its calls, or the sequence of calls that it depends on."""
    assert result.violation is not None
    if result.again is None or not result.again.sequence:
        return snippet(result.violation.calls, report.subject.name, report.program)
    first = result.again.first
    told = "no answer" if first is None else ", ".join(str(np.asarray(part).tolist()) for part in first)
    lines = snippet(result.again.sequence, report.subject.name, report.program)
    return f"{lines}\n# When the last call is the first one, the answer is {told[:200]}"


def _hint(violation: Violation, report: Report) -> str:
    """What else might help."""
    if report.violated == [REFUSAL] and not report.program:
        return "examples/subject_contract.py has a decorator that refuses such input."
    if report.precision == "float64" and any(call.single for call in violation.calls):
        return "The answer is float32; --precision float32 judges it as such."
    return ""


def _small(violation: Violation) -> str:
    """What to say of a number outside its bracket by little: by how many widths; nothing of other violations."""
    lower, upper = violation.lower, violation.upper
    assert lower is not None and upper is not None
    of_a_call = len(violation.calls) == 1 and violation.where.startswith(f"{violation.calls[0].function}: ")
    beyond, width = _beyond(violation), upper - lower
    if not of_a_call or not 0 < width <= beyond < SMALL * min(abs(lower), abs(upper)):
        return ""
    times = beyond / width
    told = f"{times:.1f}" if times < 10 else f"{times:,.0f}"
    return f"The difference is small, but {told} times the width of what rounding explains."


def _beyond(violation: Violation) -> float:
    """By how much a number lies outside its bracket."""
    assert violation.lower is not None and violation.upper is not None
    return float(max(violation.got - violation.upper, violation.lower - violation.got))


def _violation_text(result: LawResult, report: Report, files: Sequence[str]) -> list[str]:
    violation = result.violation
    assert violation is not None
    lines = [
        f"{result.status.upper()}  {result.law.name.replace('_', ' ')}  ({result.law.name})",
        *_indented(f"Statement: {result.law.statement}"),
        f"    Items: {', '.join(result.law.items)}",
        *_indented(f"Found after {_examples(result)}: {violation.sentence}"),
    ]
    if violation.lower is not None:
        lines += [f"    Got:     {violation.got!r}", f"    Allowed: {violation.lower!r} to {violation.upper!r}"]
        lines += _indented(_small(violation))
    rows = [exact.table_2_row(call.function, call.arguments) for call in violation.calls]
    if told := ", ".join(str(row) for row in dict.fromkeys(rows) if row):
        lines.append(f"    Table 2: row{'s' * (',' in told)} {told}")
    if violation.said:
        lines += _indented(f"It said: {violation.said}")
    if hint := _hint(violation, report):
        lines += _indented(hint)
    if result.again is not None and result.again.sentence:
        lines += _indented(result.again.sentence)
    repeat = _snippet_of(result, report)
    if len(repeat) <= LONGEST_SNIPPET and repeat.count("\n") < MOST_LINES:
        lines += ["    To repeat it:", textwrap.indent(repeat, "        ")]
    else:
        where = (
            f"the lines that repeat it are in {files[0]}" if files else "--json FILE writes the lines that repeat it"
        )
        lines += _indented(f"The input has {len(repeat)} characters: {where}.")
    if resembles := _resembling(result, report):
        lines += _indented(f"Known slips that fail in the same pattern: {', '.join(resembles)}")
    return [*lines, ""]


def _indented(text: str) -> list[str]:
    return wrapped(" ".join(text.split()), "    ")


def _visits(report: Report) -> list[str]:
    lines = []
    for table, rows in (("Table 2", 8), ("Table 3", 5)):
        total = [sum(result.rows[f"{table}, row {row}"] for result in report.results) for row in range(1, rows + 1)]
        if any(total):
            lines.append(f"{table}, visits by row: {', '.join(f'{row + 1}: {n}' for row, n in enumerate(total))}")
    kinks = sum(result.kinks for result in report.results)
    lines.append(f"Gradient entries judged by the kink rule (any value between the one-sided derivatives): {kinks}")
    return lines


def _examples(result: LawResult) -> str:
    return f"{result.examples} example{'s' * (result.examples != 1)}"


def _run(report: Report) -> list[str]:
    return report.named("held", "violated", "errored")


def _resembling(result: LawResult, report: Report) -> list[str]:
    return resembling(report.violated, result.law.name, _run(report))


def _one_line(result: LawResult) -> str:
    """A violation in a line, its numbers first: where the line is full the rest is cut off, the numbers never are."""
    violation = result.violation
    assert violation is not None
    head, rest = f"  {result.status}  {result.law.name}: ", " ".join(str(violation).split())
    if violation.lower is not None and np.isfinite(_beyond(violation)):
        side = "large" if violation.got > violation.upper else "small"
        head += f"got {violation.got:.6g}, too {side} by {_beyond(violation):.2g}"
        rest = f" ({violation.where})"
    room = WIDTH - len(head)
    return head + (rest if len(rest) <= room else f"{rest[: room - 3]}..." if room > 3 else "")


def _nan_from(result: LawResult) -> str:
    """The function that returned NaN, where that is the violation."""
    violation = result.violation
    return violation.calls[0].function if violation is not None and violation.nan_at else ""


def _others(found: Sequence[LawResult]) -> list[str]:
    """The violations after the first, a line each; NaN from one function is told once."""
    nan = [_nan_from(result) for result in found]
    others = [result for k, result in enumerate(found) if k and not (nan[k] and nan[k] in nan[:k])]
    lines = [_one_line(result) for result in others[:MOST_LINES]]
    if len(others) > MOST_LINES:
        lines.append(f"  and {len(others) - MOST_LINES} more")
    for function in filter(None, dict.fromkeys(nan)):
        if again := nan.count(function) - 1:
            lines.append(f"  {function} returned NaN in {again} other law{'s' * (again > 1)}; mend it first")
    return lines


def _written(json: str, html: str) -> str:
    """Where the inputs and answers are, or which option writes them."""
    if json and html:
        return f"written to {json} and {html}"
    if json or html:
        return f"written to {json or html}; {'--html FILE draws them' if json else '--json FILE writes them as data'}"
    return "--json FILE writes them, --html FILE draws them"


def _listed(report: Report) -> list[str]:
    """The laws that are neither violated nor errored, by status."""
    lines = []
    for status in ("not judged", "not offered", "held"):
        if names := report.named(status):
            lines += wrapped(f"{status.capitalize()} ({len(names)}): {', '.join(names)}")
    stopped = [
        f"{result.law.name}: {result.reason}"
        for result in report.results
        if result.status in ("held", "not judged") and result.reason
    ]
    if stopped:
        more = f" (and {len(stopped) - 1} more)" if len(stopped) > 1 else ""
        lines += wrapped(f"Cut short: {stopped[0]}{more}")
    return lines


def _conclusion(report: Report) -> str:
    """The verdict; for a subject that conforms in a part of the interface, also why it is that part."""
    if report.conclusion == report.verdict:
        return report.verdict
    whole = len(report.judged) == len(report.subject.offers)
    return f"{report.conclusion}, all that {'it offers' if whole else 'the chosen laws concern'}"


def as_text(report: Report, json: str = "", html: str = "") -> str:
    """The report for a person, at most two screens: the verdict, the first violation in full, the others a line each.

    `json` and `html` are the files to which it was also written, if any.
    """
    lines = [
        f"Verdict: {report.subject.name} {_conclusion(report)}.",
        f"(profile {report.profile}, {report.precision}, seed {report.seed})",
        "",
    ]
    found = [result for result in report.results if result.violation is not None]
    for result in found[:1]:
        lines += _violation_text(result, report, [file for file in (json, html) if file])
    others = _others(found)
    lines += [*others, *[""] * bool(others), *_listed(report)]
    for status, items in statements(report).items():
        if items and status != "not offered":
            lines += wrapped(f"{STATEMENTS.get(status, f'Statements {status}')}: {', '.join(items)}")
    lines += _visits(report)
    counts = ", ".join(f"{status}: {_count(report, status)}" for status in STATUSES)
    lines.append(
        f"Laws run: {len(_run(report))} of {len(LAWS)} that exist. {counts.capitalize()}. {report.seconds:.1f} s."
    )
    if report.subject.near_misses:
        lines.append(f"Names that are not in the interface: {meant(report.subject.near_misses)}")
    if found:
        lines.append(f"All inputs and answers: {_written(json, html)}.")
    return "\n".join(lines)
