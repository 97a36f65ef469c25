"""Reports: what the laws said, for a person and for a program."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import numpy as np

from lmlir.oracle.interface import BEHAVIOR, CONCERNS, FUNCTIONS, meant
from lmlir.oracle.laws import LAWS
from lmlir.oracle.program import encoded
from lmlir.oracle.resemblance import resembling
from lmlir.oracle.runner import LawResult, Report
from lmlir.oracle.violations import Call, Violation
from lmlir.terminal import wrapped

LONGEST_SNIPPET = 4000
STATUSES = ("held", "violated", "not offered")


def _call_json(call: Call) -> dict[str, Any]:
    answer = None
    if call.answer is not None:
        single = FUNCTIONS[call.function].single
        answer = encoded(call.answer[0]) if single else [encoded(part) for part in call.answer]
    return {"call": call.function, "arguments": {k: encoded(v) for k, v in call.arguments.items()}, "result": answer}


def _counterexample(violation: Violation, report: Report) -> dict[str, Any]:
    """The smallest input found on which a law fails, as data."""
    return {
        "sentence": violation.sentence,
        "where": violation.where,
        "got": encoded(violation.got),
        "allowed": None if violation.lower is None else [encoded(violation.lower), encoded(violation.upper)],
        "said": violation.said,
        "calls": [_call_json(call) for call in violation.calls],
        "snippet": snippet(violation, report.subject.name, report.program),
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
        entry["counterexample"] = _counterexample(result.violation, report)
        entry["resembles"] = resembling(report.violated, result.law.name)
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
        "laws run": sum(result.status != "not offered" for result in report.results),
        "laws that exist": len(LAWS),
        "seconds": round(report.seconds, 3),
        "counts": {status: _count(report, status) for status in STATUSES},
        "statements": statements(report),
        "laws": [_law_json(result, report) for result in report.results],
    }


def statements(report: Report) -> dict[str, list[str]]:
    """The items by what the laws that cite them found out: "violated", else "held", else "not offered".

    A law speaks of an item only where it ran on an offered function that the item concerns, and a violation only where
    it was found in one.
    """
    said: dict[str, str] = {}
    for result in report.results:
        ran = set(result.law.functions) & set(report.subject.offers)
        if result.violation is not None and result.violation.calls:
            ran = {call.function for call in result.violation.calls}
        for item in result.law.items:
            concerned = result.status != "not offered" and bool(ran & set(CONCERNS[item]))
            status = result.status if concerned else "not offered"
            if said.get(item) != "violated" and (status != "not offered" or item not in said):
                said[item] = status
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
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.size == 0:
        return f"np.zeros({value.shape})" if value.dtype.kind == "f" else f"np.zeros({value.shape}, dtype=int)"
    kind = ", dtype=np.float32" if value.dtype == np.float32 else ""
    numbers = value.astype(np.float64) if value.dtype == np.float32 else value
    return f"np.array({numbers.tolist()!r}{kind})"


def _opening(subject: str, program: str) -> str:
    """Python lines that make the subject."""
    if program:
        return f"from lmlir.oracle import program\nsubject = program.start({program!r})"
    if subject.endswith(".py"):
        return f"from lmlir.oracle import subjects\nsubject = subjects.load({subject!r})  # ask as subject.functions[name](...)"
    if subject.replace(".", "").replace("_", "").isalnum():
        return f"import {subject} as subject"
    return f"subject = ...  # {subject}"


def _call_text(call: Call, subject: str, program: str, name: str) -> str:
    if program:
        lines = [f"{name} = subject.ask({call.function!r}, {{"]
        lines += [f"    {argument!r}: {_literal(value)}," for argument, value in call.arguments.items()]
        return "\n".join([*lines, "})"])
    function = f"subject.functions[{call.function!r}]" if subject.endswith(".py") else f"subject.{call.function}"
    lines = [f"{name} = {function}("]
    lines += [f"    {_literal(value)},  # {argument}" for argument, value in call.arguments.items()]
    return "\n".join([*lines, ")"])


def snippet(violation: Violation, subject: str, program: str = "") -> str:
    """Python lines to paste: they repeat the calls of a violation; to a program through the line protocol."""
    parts = ["import numpy as np", _opening(subject, program), ""]
    several = len(violation.calls) > 1
    for number, call in enumerate(violation.calls):
        name = f"answer_{number + 1}" if several else "answer"
        parts += [_call_text(call, subject, program, name), f"print({name})"]
    text = "\n".join(parts)
    if len(text) > LONGEST_SNIPPET:
        return text[:LONGEST_SNIPPET] + "\n# ... cut; the JSON report has the whole input"
    return text


def _violation_text(result: LawResult, report: Report) -> list[str]:
    violation = result.violation
    assert violation is not None
    lines = [
        f"VIOLATED  {result.law.name.replace('_', ' ')}  ({result.law.name})",
        *_indented(f"Statement: {result.law.statement}"),
        f"    Items: {', '.join(result.law.items)}",
        *_indented(f"Found after {_examples(result)}: {violation.sentence}"),
    ]
    if violation.lower is not None:
        lines += [f"    Got:     {violation.got!r}", f"    Allowed: {violation.lower!r} to {violation.upper!r}"]
    if violation.said:
        lines += _indented(f"It said: {violation.said}")
    repeat = snippet(violation, report.subject.name, report.program)
    vector = json.dumps([_call_json(call) for call in violation.calls])
    shown = vector if len(vector) <= LONGEST_SNIPPET else vector[:LONGEST_SNIPPET] + "... (cut; --json FILE has all)"
    lines += ["    To repeat it:", textwrap.indent(repeat, "        "), "    As JSON:", f"        {shown}"]
    resembles = resembling(report.violated, result.law.name)
    if resembles:
        lines += _indented(f"Known slips that fail in the same pattern: {', '.join(resembles)}")
    return [*lines, ""]


def _indented(text: str) -> list[str]:
    return wrapped(text, "    ", 116)


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


def as_text(report: Report) -> str:
    """The report for a person: one line a law, then each violation with its input, then the counts and the verdict."""
    name = report.subject.name
    lines = [f"Subject: {name}  (profile {report.profile}, {report.precision}, seed {report.seed})", ""]
    for result in report.results:
        told = _examples(result) if result.status != "not offered" else ""
        told = ", ".join(part for part in (told, result.reason) if part)
        lines.append(f"  {result.status:<12} {result.law.name}  [{'; '.join(result.law.items)}]  {told}")
    lines.append("")
    for result in report.results:
        if result.status == "violated":
            lines += _violation_text(result, report)
    for status, items in statements(report).items():
        if items:
            lines += wrapped(f"Statements {status}: {', '.join(items)}", width=116)
    lines += _visits(report)
    counts = ", ".join(f"{status}: {_count(report, status)}" for status in STATUSES)
    run = sum(result.status != "not offered" for result in report.results)
    lines.append(f"Laws run: {run} of {len(LAWS)} that exist. {counts.capitalize()}. {report.seconds:.1f} s.")
    if report.subject.near_misses:
        question = meant(report.subject.near_misses)
        lines.append(f"Names that are not in the interface: {question}")
    lines.append(f"Verdict: {name} {report.conclusion}.")
    return "\n".join(lines)
