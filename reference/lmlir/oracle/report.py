"""Reports: what the laws said, for a person and for a program."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.program import encoded
from lmlir.oracle.runner import LawResult, Report
from lmlir.oracle.violations import Call, Violation

LONGEST_SNIPPET = 4000


def _resembling(violated: list[str], law: str) -> list[str]:
    """Mutants that fail in the same pattern, if the kill matrix is there."""
    try:
        from lmlir.oracle import kill_matrix

        return [str(name) for name in kill_matrix.resembling(violated, law)]
    except (ImportError, AttributeError, OSError, ValueError):
        return []


def _call_json(call: Call) -> dict[str, Any]:
    answer = None
    if call.answer is not None:
        single = FUNCTIONS[call.function].single
        answer = encoded(call.answer[0]) if single else [encoded(part) for part in call.answer]
    return {"call": call.function, "arguments": {k: encoded(v) for k, v in call.arguments.items()}, "result": answer}


def counterexample(violation: Violation, subject: str, program: str = "") -> dict[str, Any]:
    """The smallest input found on which a law fails, as data."""
    return {
        "sentence": violation.sentence,
        "where": violation.where,
        "got": encoded(violation.got),
        "allowed": None if violation.lower is None else [encoded(violation.lower), encoded(violation.upper)],
        "said": violation.said,
        "calls": [_call_json(call) for call in violation.calls],
        "snippet": snippet(violation, subject, program),
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
        entry["counterexample"] = counterexample(result.violation, report.subject, report.program)
        entry["resembles"] = _resembling(report.violated, result.law.name)
    return entry


def as_json(report: Report) -> dict[str, Any]:
    """The report as the data that `lmlir check --json` writes."""
    return {
        "subject": report.subject,
        "verdict": report.verdict,
        "reason": report.reason,
        "profile": report.profile,
        "precision": report.precision,
        "seed": report.seed,
        "laws run": sum(result.status != "not offered" for result in report.results),
        "laws that exist": report.laws,
        "seconds": round(report.seconds, 3),
        "counts": {status: _count(report, status) for status in ("held", "violated", "not offered")},
        "statements": statements(report),
        "laws": [_law_json(result, report) for result in report.results],
    }


def statements(report: Report) -> dict[str, list[str]]:
    """The items of the paper by what the laws that cite them say: "violated" by any, else "held" by any, else "not offered"."""
    said: dict[str, set[str]] = {}
    for result in report.results:
        for item in result.law.items:
            said.setdefault(item, set()).add(result.status)
    order = ("violated", "held", "not offered")
    worst = {item: next(status for status in order if status in found) for item, found in said.items()}
    return {status: [item for item in worst if worst[item] == status] for status in ("held", "violated", "not offered")}


def unjudged(subject: str, reason: str) -> dict[str, Any]:
    """The JSON report on a subject that could not be judged."""
    return {
        "subject": subject,
        "verdict": "cannot be judged",
        "reason": reason,
        "counts": {"held": 0, "violated": 0, "not offered": 0},
        "laws": [],
    }


def write_json(data: dict[str, Any], target: str) -> None:
    """Write a report to a file, or to standard output when the file is named -."""
    text = json.dumps(data, indent=2, allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        Path(target).write_text(text, encoding="utf-8")


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


def _violation_text(result: LawResult, report: Report) -> str:
    violation = result.violation
    assert violation is not None
    lines = [
        f"VIOLATED  {result.law.name.replace('_', ' ')}  ({result.law.name})",
        _wrapped(f"Statement: {result.law.statement}"),
        f"    Paper: {', '.join(result.law.items)}",
        _wrapped(f"Found after {_examples(result)}: {violation.sentence}"),
    ]
    if violation.lower is not None:
        lines += [f"    Got:     {violation.got!r}", f"    Allowed: {violation.lower!r} to {violation.upper!r}"]
    if violation.said:
        lines.append(_wrapped(f"It said: {violation.said}"))
    lines += ["    To repeat it:", textwrap.indent(snippet(violation, report.subject, report.program), "        ")]
    vector = json.dumps([_call_json(call) for call in violation.calls])
    shown = vector if len(vector) <= LONGEST_SNIPPET else vector[:LONGEST_SNIPPET] + "... (cut; --json FILE has all)"
    lines += ["    As JSON:", f"        {shown}"]
    resembles = _resembling(report.violated, result.law.name)
    if resembles:
        lines.append(_wrapped(f"Known slips that fail in the same pattern: {', '.join(resembles)}"))
    return "\n".join(lines)


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 116, initial_indent="    ", subsequent_indent="        ", break_long_words=False)


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
    lines = [f"Subject: {report.subject}  (profile {report.profile}, {report.precision}, seed {report.seed})", ""]
    for result in report.results:
        told = _examples(result) if result.status != "not offered" else ""
        told = ", ".join(part for part in (told, result.reason) if part)
        lines.append(f"  {result.status:<12} {result.law.name}  [{'; '.join(result.law.items)}]  {told}")
    lines.append("")
    for result in report.results:
        if result.status == "violated":
            lines += [_violation_text(result, report), ""]
    run = sum(result.status != "not offered" for result in report.results)
    for status, items in statements(report).items():
        if items:
            lines.append(_wrapped(f"Statements of the paper {status}: {', '.join(items)}").lstrip())
    lines += _visits(report)
    lines.append(
        f"Laws run: {run} of {report.laws} that exist. Held: {_count(report, 'held')}, violated: "
        f"{_count(report, 'violated')}, not offered: {_count(report, 'not offered')}. {report.seconds:.1f} s."
    )
    lines.append(f"Verdict: {report.subject} {report.verdict}.")
    return "\n".join(lines)
