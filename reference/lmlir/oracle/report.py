"""Reports: the data that `lmlir check --json` writes, and the text made from these data (`page` makes HTML from them)."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle import exact
from lmlir.oracle.engine.messages import to_lists
from lmlir.oracle.engine.subjects import is_path
from lmlir.oracle.interface import BEHAVIOR, CONCERNS, FUNCTIONS, meant, near_misses
from lmlir.oracle.laws import LAWS
from lmlir.oracle.markup import visible
from lmlir.oracle.runner import STATUSES, LawResult, Report
from lmlir.oracle.violations import Call, SubjectFailure, Violation
from lmlir.terminal import WIDTH

Data = Mapping[str, Any]

REJECTION_LAW = "invalid_input_is_rejected"
SMALL_ERROR = 1e-6  # relative to the value
MAX_SNIPPET_CHARACTERS = 2400
MAX_LINES = 30  # of a snippet, and of violations after the first
MAX_SHOWN_CHARACTERS = 200  # of an answer in a snippet
CODE = 8 * " "  # the indentation of a snippet in the text
STATEMENTS = {
    "violated": "At least one of these statements is violated",
    "errored": "Statements without an answer",
    "not judged": "Statements not judged",
    "held": "Statements that held",
}


# ---- the data ----


def as_json(report: Report) -> dict[str, Any]:
    """The report as data."""
    settings, offered = report.settings, report.subject.offers
    return {
        **unjudged(report.subject.name, report.reason),
        "offered": offered,
        "near misses": near_misses(report.subject.others, offered),
        "verdict": report.verdict,
        "conclusion": report.conclusion,
        "profile": settings.profile,
        "precision": settings.precision,
        "seed": settings.seed,
        "laws run": len(report.named("held", "violated", "errored")),
        "seconds": round(report.seconds, 3),
        "counts": {status: len(report.named(status)) for status in STATUSES},
        "statements": _statements(report.results, offered),
        "laws": [_law(result, report) for result in report.results],
    }


def unjudged(subject: str, reason: str) -> dict[str, Any]:
    """The data of a report on a subject that cannot be judged."""
    verdict = "cannot be judged"
    return {
        "subject": subject, "offered": [], "near misses": {}, "verdict": verdict, "conclusion": verdict, "reason": reason,
        "laws run": 0, "laws that exist": len(LAWS), "counts": dict.fromkeys(STATUSES, 0), "statements": {}, "laws": [],
    }  # fmt: skip


def _statements(results: Iterable[LawResult], offered: Sequence[str]) -> dict[str, list[str]]:
    """The items by the worst status of the laws that cite them; "not offered" where none of these ran.

    A law counts for an item only if it ran on an offered function that the item concerns, and a violation only if it was
    found in one.
    """
    ranks = ("violated", "errored", "not judged", "held", "not offered")
    worst: dict[str, str] = {}
    for result in results:
        ran = set(result.law.functions) & set(offered)
        if result.violation is not None and result.violation.calls:
            ran = {call.function for call in result.violation.calls}
        for item in result.law.items:
            status = result.status if ran & set(CONCERNS[item]) else "not offered"
            worst[item] = min(status, worst.get(item, status), key=ranks.index)
    worst.pop(BEHAVIOR, None)
    return {status: [item for item in worst if worst[item] == status] for status in STATUSES}


def _law(result: LawResult, report: Report) -> dict[str, Any]:
    found = result.violation
    return {
        "law": result.law.name,
        "items": list(result.law.items),
        "statement": result.law.statement,
        "functions": list(result.law.functions),
        "status": result.status,
        "examples": result.examples,
        "seconds": round(result.seconds, 3),
        "kinks": result.kinks,
        "rows": dict(sorted(result.rows.items())),
        "reason": result.reason,
        "counterexample": None if found is None else _counterexample(result, found, report),
        "resembles": [],  # the format keeps it; slips will be named by their answers
    }


def _counterexample(result: LawResult, found: Violation, report: Report) -> dict[str, Any]:
    """The smallest input found on which a law fails."""
    again, allowed, excess = result.again, None, None
    if found.lower is not None and found.upper is not None:
        allowed = [to_lists(found.lower), to_lists(found.upper)]
        excess = to_lists(max(found.got - found.upper, found.lower - found.got))
    sequence = again.sequence if again is not None else []
    repeat = snippet(sequence or found.calls, report.subject.name, report.program)
    if again is not None and sequence:
        parts = [str(part.tolist()) for part in again.first or ()]
        repeat += f"\n# In a fresh process, the answer to the last call is {', '.join(parts)[:MAX_SHOWN_CHARACTERS] or 'none'}"
    return {
        "sentence": found.sentence,
        "fault": found.sentence.partition(": ")[0] if isinstance(found, SubjectFailure) else "",
        "where": found.where,
        "got": to_lists(found.got),
        "allowed": allowed,
        "excess": excess,
        "said": found.said,
        "calls": [_call(call) for call in found.calls],
        "notes": [*_small_error(found), *_hints(found, report)],
        "again": again
        and {"sentence": again.sentence, "the law failed": again.law, "sequence": [*map(_call, sequence)]},
        "snippet": repeat,
    }


def _call(call: Call) -> dict[str, Any]:
    answer = None
    if call.answer is not None:
        single = FUNCTIONS[call.function].single
        answer = to_lists(call.answer[0]) if single else [to_lists(part) for part in call.answer]
    arguments = {name: to_lists(value) for name, value in call.arguments.items()}
    row = exact.table_2_row(call.function, call.arguments)
    return {"call": call.function, "arguments": arguments, "result": answer, "row of Table 2": row}


def _small_error(found: Violation) -> Iterable[str]:
    """For a single answer that is wrong by little: how much larger its error is than the bracket."""
    if found.lower is None or found.upper is None or len(found.calls) != 1:
        return
    excess, width = max(found.got - found.upper, found.lower - found.got), found.upper - found.lower
    small = 0 < width <= excess < SMALL_ERROR * min(abs(found.lower), abs(found.upper))
    if small and found.where.startswith(f"{found.calls[0].function}: "):
        yield f"The error is small, but {excess / width:.2g} times larger than rounding can explain."


def _hints(found: Violation, report: Report) -> Iterable[str]:
    """Remedies that may apply."""
    if report.violated == [REJECTION_LAW] and not report.program:
        yield "examples/subject_contract.py has a decorator that rejects such input."
    if report.settings.precision == "float64" and any(call.single for call in found.calls):
        yield "The answer is float32; --precision float32 judges it as such."
    if found.errored and found.final:
        yield "--timeout SECONDS waits longer for each answer."


# ---- lines that repeat a violation ----


def snippet(calls: Sequence[Call], subject: str, program: str = "") -> str:
    """Python lines to paste: they load the subject and repeat calls. A program is called by the line protocol."""
    lines = ["import numpy as np", *_opening(subject, program), ""]
    for number, call in enumerate(calls, start=1):
        name = f"answer_{number}" if len(calls) > 1 else "answer"
        if program:
            lines.append(f"{name} = subject.ask({call.function!r}, {{")
            lines += [f"    {argument!r}: {_literal(value)}," for argument, value in call.arguments.items()]
        else:
            lines.append(f"{name} = subject.{call.function}(")
            lines += [f"    {_literal(value)},  # {argument}" for argument, value in call.arguments.items()]
        lines += ["})" if program else ")", f"print({name})"]
    return "\n".join(lines)


def _opening(subject: str, program: str) -> list[str]:
    """The lines that load the subject."""
    if program:
        return ["from lmlir.oracle import subjects", f"subject = subjects.start_program({program!r})"]
    if is_path(subject):
        path = Path(subject)
        lines = ["import importlib", "import sys", f"sys.path.insert(0, {str(path.parent)!r})"]
        return [*lines, f"subject = importlib.import_module({path.stem!r})"]
    if all(part.isidentifier() for part in subject.split(".")):
        return [f"import {subject} as subject"]
    return [f"subject = ...  # {subject!r}"]


def _literal(value: Any) -> str:
    """A value as a Python expression with NumPy.

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
    """Replace the numbers for which Python has no literals by their names in NumPy."""
    return re.sub(r"\b(nan|inf)\b", r"np.\1", text)


# ---- the text ----


def as_text(content: Data, json: str = "", html: str = "", width: int = WIDTH) -> str:
    """The report for a person, at most two screens: the verdict, the first violation in full, one line for each other.

    `json` and `html` are the files to which it was also written, if any.
    """
    found = [law for law in content["laws"] if law["counterexample"]]
    reason = [content["reason"]] if content["verdict"] == "cannot be judged" else []
    cited = ((name, content["statements"].get(status)) for status, name in STATEMENTS.items())
    statements = [f"{name}: {', '.join(items)}" for name, items in cited if items]
    paragraphs = [
        [f"Verdict: {content['subject']} {content['conclusion']}.", f"({', '.join(reason + settings(content))})"],
        *(_violation(law, json or html) for law in found[:1]),
        _others(found, width),
        [*_listed(content["laws"]), *statements, *_visits(content["laws"]), summary(content)],
    ]
    if content["near misses"]:
        paragraphs[-1].append(f"Names that are not in the interface: {meant(content['near misses'])}")
    if found:
        paragraphs[-1].append(f"All inputs and answers: {_written(json, html)}.")
    return visible("\n\n".join("\n".join(_fitted(lines, width)) for lines in paragraphs if lines))


def _fitted(lines: Iterable[str], width: int) -> Iterable[str]:
    """Wrap lines, except those of a snippet. Further lines are indented, so that no text of a subject begins one."""
    wrapper = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
    for line in lines:
        text = line.lstrip()
        wrapper.initial_indent = line[: len(line) - len(text)]
        wrapper.subsequent_indent = wrapper.initial_indent + "  "
        yield from [line.rstrip()] if line.startswith(CODE) else wrapper.wrap(text)


def settings(content: Data) -> list[str]:
    """The settings of a run, if it was begun."""
    if "profile" not in content:
        return []
    return [f"profile {content['profile']}", content["precision"], f"seed {content['seed']}"]


def summary(content: Data) -> str:
    """How many laws ran, and with which results.

    >>> summary({"laws run": 2, "laws that exist": 50, "counts": {"held": 1, "violated": 1, "errored": 0}})
    'Ran 2 of 50 laws: 1 held, 1 violated.'
    """
    counts = [f"{count} {status}" for status, count in content["counts"].items() if count]
    ran = [each for each in counts if " not " not in each]
    left = "".join(f"; {each}" for each in counts if " not " in each)
    seconds = f" {content['seconds']:.1f} s." if "seconds" in content else ""
    laws = f"{content['laws run']} of {content['laws that exist']} laws"
    return f"Ran {laws}{': ' * bool(ran)}{', '.join(ran)}{left}.{seconds}"


def examples(law: Data) -> str:
    """The number of examples, as "1 example"."""
    return f"{law['examples']} example{'s' * (law['examples'] != 1)}"


def beyond(found: Data) -> str:
    """By how much a number lies outside its bracket, or ''."""
    if not isinstance(found["excess"], float):  # there is no bracket, or the difference is not finite
        return ""
    return f"too {'large' if found['got'] > float(found['allowed'][1]) else 'small'} by {found['excess']:.3g}"


def remarks(law: Data) -> list[str]:
    """What there is to add to a violation: other output of the subject, remedies, and the outcome of replaying it."""
    found = law["counterexample"]
    output = "Error output" if law["status"] == "errored" else "Returned"
    said = found["said"] and f"{output}: {found['said']}"
    again = found["again"] and found["again"]["sentence"]
    return list(filter(None, [said, *found["notes"], again]))


def _violation(law: Data, file: str) -> list[str]:
    found, repeat = law["counterexample"], law["counterexample"]["snippet"]
    lines = [
        f"Statement: {law['statement']}",
        f"Items: {', '.join(law['items'])}",
        f"Found after {examples(law)}: {found['sentence']}",
    ]
    if found["allowed"]:
        lines += [f"Got:     {found['got']}", f"Allowed: {found['allowed'][0]} to {found['allowed'][1]}"]
    if rows := list(dict.fromkeys(str(call["row of Table 2"]) for call in found["calls"] if call["row of Table 2"])):
        lines.append(f"Table 2: row{'s' * (len(rows) > 1)} {', '.join(rows)}")
    lines += remarks(law)
    if len(repeat) <= MAX_SNIPPET_CHARACTERS and repeat.count("\n") < MAX_LINES:
        lines += ["To repeat it:", *(CODE[4:] + line for line in repeat.splitlines())]
    else:
        place = f"the lines that repeat it are in {file}" if file else "--json FILE writes the lines that repeat it"
        lines.append(f"The input has {len(repeat)} characters: {place}.")
    title = f"{law['status'].upper()}  {law['law'].replace('_', ' ')}  ({law['law']})"
    return [title, *("    " + line for line in lines)]


def _others(found: Sequence[Data], width: int) -> list[str]:
    """The violations after the first, one per line. A fault under several laws is listed once."""
    faults = [law["counterexample"]["fault"] for law in found]
    others = [law for k, law in enumerate(found) if k and not (faults[k] and faults[k] in faults[:k])]
    lines = [_one_line(law, width) for law in others[:MAX_LINES]]
    if len(others) > MAX_LINES:
        lines.append(f"  and {len(others) - MAX_LINES} more")
    for fault, count in Counter(filter(None, faults)).items():
        if count > 1:
            lines.append(f"  {fault} under {count - 1} other law{'s' * (count > 2)} too; fix that first")
    return lines


def _one_line(law: Data, width: int) -> str:
    """A violation with its numbers first. What comes after them is cut off at the end of the line."""
    found = law["counterexample"]
    head, rest = f"  {law['status']}  {law['law']}: ", " ".join(found["sentence"].split())
    if outside := beyond(found):
        head, rest = f"{head}got {found['got']:.6g}, {outside}", f" ({found['where']})"
    room = width - len(head)
    return head + (rest if len(rest) <= room else f"{rest[: room - 3]}..." if room > 3 else "")


def _listed(laws: Sequence[Data]) -> list[str]:
    """The laws that are neither violated nor errored, by status and by why they were cut short."""
    lines = []
    for status in ("not judged", "not offered", "held"):
        names: dict[str, list[str]] = {}
        for law in (law for law in laws if law["status"] == status):
            names.setdefault("" if status == "not offered" else law["reason"], []).append(law["law"])
        for reason, each in names.items():
            lines.append(f"{status.capitalize()} ({len(each)}){', ' * bool(reason)}{reason}: {', '.join(each)}")
    return lines


def _visits(laws: Sequence[Data]) -> list[str]:
    lines = []
    for table, rows in (("Table 2", 8), ("Table 3", 5)):
        total = [sum(law["rows"].get(f"{table}, row {row}", 0) for law in laws) for row in range(1, rows + 1)]
        if any(total):
            lines.append(f"{table}, visits by row: {', '.join(f'{row}: {n}' for row, n in enumerate(total, start=1))}")
    if kinks := sum(law["kinks"] for law in laws):
        rule = "Gradient entries judged by the kink rule (any value between the one-sided derivatives)"
        lines.append(f"{rule}: {kinks}")
    return lines


def _written(json: str, html: str) -> str:
    """Where the inputs and answers are, or which option writes them."""
    if json and html:
        return f"written to {json} and {html}"
    if json or html:
        return f"written to {json or html}; {'--html FILE draws them' if json else '--json FILE writes them as data'}"
    return "--json FILE writes them, --html FILE draws them"
