"""The report as text, made from its data."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence

from lmlir.oracle.interface import meant
from lmlir.oracle.judging.judgment import EXPECTED
from lmlir.oracle.precision import within
from lmlir.oracle.reporting.data import Data
from lmlir.oracle.reporting.markup import visible
from lmlir.terminal import WIDTH, plural

MAX_SNIPPET_CHARACTERS = 2400
MAX_NAMES = 8  # of laws that share a status; --verbose lists more
MAX_LINES = 30  # of a snippet, and of violations after the first
CODE = 8 * " "  # the indentation of a snippet in the text
STATEMENTS = {
    "violated": "At least one of these statements is violated",
    "errored": "Statements without an answer",
    "not judged": "Statements not judged",
    "held": "Statements that held",
}
ROWS = {"Table 2": 8, "Table 3": 5}
KINK_RULE = "Gradient entries judged by the kink rule (any value between the one-sided derivatives)"


def as_text(
    content: Data,
    json: str | None = None,
    html: str | None = None,
    width: int = WIDTH,
    verbose: bool = False,
) -> str:
    """The report for a person: the verdict first, and last, where a terminal shows it, the first
    violation and the counts. The first one of each function is in full, each other in a sentence.

    `json` and `html` are the files to which it was also written, '' for an option that was not
    given, and None where there are no such options.
    """
    failed = failures(content)
    in_full = _first_of_each_function(failed)
    # one line, whatever the width, for those who read the first line alone
    verdict = " ".join(f"Verdict on {content['subject']}: {content['conclusion']}".split())

    summaries = _listed(content["laws"], verbose)
    for status, name in STATEMENTS.items():
        items = content["statements"].get(status)
        if items:
            summaries.append(f"{name}: {', '.join(items)}")
    if verbose:
        summaries += _visits(content["laws"])
    if content["near misses"]:
        summaries.append(f"Names that are not in the interface: {meant(content['near misses'])}")

    paragraphs = [[*_remarks(content), *diagnosis(content)], summaries]
    paragraphs.append(_others(failed, in_full))
    for law in reversed(in_full):
        paragraphs.append(_violation(law, json or html or json))
    paragraphs.append([summary(content)])
    if failed and (json, html) != (None, None):
        paragraphs[-1].append(f"All inputs and answers: {_written(json, html)}.")
    fitted = ["\n".join(_fitted(lines, width)) for lines in paragraphs if lines]
    return visible("\n".join([verdict, "\n\n".join(fitted)]))


def failures(content: Data) -> list[Data]:
    """The laws that are violated or errored, without those that were expected to."""
    return [law for law in content["laws"] if law["status"] in ("violated", "errored")]


def _first_of_each_function(failed: Sequence[Data]) -> list[Data]:
    """The first violation that each function shows, without repetitions of a fault."""
    seen: set[str] = set()
    firsts: list[Data] = []
    for law in failed:
        counterexample = law["counterexample"]
        functions = {call["call"] for call in counterexample["calls"]}
        is_new = not firsts or not functions <= seen
        if is_new and counterexample["fault"] not in seen:
            firsts.append(law)
        seen |= functions
        if counterexample["fault"]:
            seen.add(counterexample["fault"])
    return firsts


def _remarks(content: Data) -> list[str]:
    lines = []
    has_reasons = any(law["status"] == "not judged" for law in content["laws"])
    if content["verdict"] == "cannot be judged" and not has_reasons:
        lines.append(f"Reason: {content['reason']}")
    if settings(content):
        lines.append(f"({', '.join(settings(content))})")
    return [*lines, *raised_at(content)]


def raised_at(content: Data) -> list[str]:
    """The frames of the traceback of an exception, innermost last, one per line."""
    return [f"at {' '.join(frame.split())}" for frame in content["traceback"]]


def diagnosis(content: Data) -> list[str]:
    """The known slips whose answers are those of the subject, in a sentence."""
    if not content["slips"]:
        return []
    slips = " or ".join(slip["sentence"] for slip in content["slips"])
    count = plural(content["slips"][0]["count"], "wrong number")
    head = f"The answers to the corner cases, with {count}, are those of a program in which"
    return [f"{head} {slips}."]


def _fitted(lines: Iterable[str], width: int) -> Iterable[str]:
    """Wrap lines, except those of a snippet.

    Further lines are indented, so that no text of a subject begins one.
    """
    wrapper = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
    for line in lines:
        if line.startswith(CODE):
            yield line.rstrip()
            continue
        text = line.lstrip()
        wrapper.initial_indent = line[: len(line) - len(text)]
        wrapper.subsequent_indent = wrapper.initial_indent + "  "
        yield from wrapper.wrap(text)


def settings(content: Data) -> list[str]:
    """The settings of a run, if it was begun."""
    if "profile" not in content:
        return []
    return [f"profile {content['profile']}", content["precision"], f"seed {content['seed']}"]


def summary(content: Data) -> str:
    """How many laws ran, and with which results.

    >>> counts = {"held": 1, "violated": 1, "errored": 0}
    >>> summary({"laws run": 2, "laws that exist": 50, "counts": counts})
    'Ran 2 of 50 laws: 1 held, 1 violated.'
    """
    counts = [f"{count} {status}" for status, count in content["counts"].items() if count]
    ran = [count for count in counts if " not " not in count]
    not_run = [count for count in counts if " not " in count]
    sentence = f"Ran {content['laws run']} of {content['laws that exist']} laws"
    if ran:
        sentence += f": {', '.join(ran)}"
    sentence = "; ".join([sentence, *not_run]) + "."
    if "seconds" in content:
        sentence += f" {content['seconds']:.1f} s."
    return sentence


def examples(law: Data) -> str:
    """The number of examples, as "1 example"."""
    return plural(law["examples"], "example")


def beyond(counterexample: Data) -> str:
    """By how much a number lies outside its bracket, or ''."""
    excess = counterexample["excess"]
    if not isinstance(excess, float):
        return ""  # there is no bracket, or the difference is not finite
    is_large = counterexample["got"] > float(counterexample["allowed"][1])
    return f"too {'large' if is_large else 'small'} by {excess:.3g}"


def remarks(law: Data) -> list[str]:
    """What there is to add to a violation: where it was raised, other output of the subject,
    remedies, and the outcome of replaying it.
    """
    counterexample = law["counterexample"]
    lines = raised_at(counterexample)
    if counterexample["said"]:
        lines.append(f"{counterexample['source']}: {counterexample['said']}")
    if counterexample["printed"]:
        first, *others = counterexample["printed"].split("\n")
        lines += [f"Printed: {first}", *("  " + line for line in others)]
    lines += counterexample["notes"]
    if counterexample["again"]:
        lines.append(counterexample["again"]["sentence"])
    return lines


def _violation(law: Data, file: str | None) -> list[str]:
    """The law, the lines that repeat the violation, and what they show."""
    counterexample = law["counterexample"]
    found = counterexample["sentence"]
    if counterexample["allowed"]:
        found = counterexample["where"]  # the numbers have lines of their own
    lines = [
        f"Statement: {law['statement']}",
        f"Items: {', '.join(law['items'])}",
        *_repetition(counterexample["snippet"], file),
        f"Found after {examples(law)}: {found}",
    ]
    if counterexample["allowed"]:
        lower, upper = map(float, counterexample["allowed"])
        lines.append(f"Got:     {counterexample['got']}")
        lines.append(f"Allowed: {within(lower, upper)}")
    for number, step in enumerate(counterexample["working"]):
        lines.append(f"  {step}" if number else f"Working: {step}")
    rows = [call["row of Table 2"] for call in counterexample["calls"] if call["row of Table 2"]]
    distinct = [str(row) for row in dict.fromkeys(rows)]
    if distinct:
        noun = "row" if len(distinct) == 1 else "rows"
        lines.append(f"Table 2: {noun} {', '.join(distinct)}")
    lines += remarks(law)

    title = f"{law['status'].upper()}  {law['law'].replace('_', ' ')}  ({law['law']})"
    return [title, *("    " + line for line in lines)]


def _repetition(snippet: str, file: str | None) -> list[str]:
    """The lines that repeat a violation, or where they are if they are many."""
    if len(snippet) <= MAX_SNIPPET_CHARACTERS and snippet.count("\n") < MAX_LINES:
        return ["To repeat it:", *(CODE[4:] + line for line in snippet.splitlines())]
    place = "the lines that repeat it are left out"
    if file == "":
        place = "--json FILE writes the lines that repeat it"
    elif file:
        place = f"the lines that repeat it are in {file}"
    return [f"The input has {len(snippet)} characters: {place}."]


def _others(failed: Sequence[Data], in_full: Sequence[Data]) -> list[str]:
    """The violations that are not shown in full. A fault under several laws is listed once."""
    counts = Counter(law["counterexample"]["fault"] for law in failed)
    shown = {law["counterexample"]["fault"] for law in in_full} - {""}
    others = []
    for law in failed:
        fault = law["counterexample"]["fault"]
        if law not in in_full and fault not in shown:
            others.append(law)
        if fault:
            shown.add(fault)

    lines = [_in_short(law) for law in others[:MAX_LINES]]
    if len(others) > MAX_LINES:
        lines.append(f"  and {len(others) - MAX_LINES} more")
    for fault, count in counts.items():
        if fault and count > 1:
            more = plural(count - 1, "other law")
            lines.append(f"  {more} failed in the same way; fix this first: {fault}")
    return lines


def _in_short(law: Data) -> str:
    """A violation in one sentence, its numbers first."""
    counterexample = law["counterexample"]
    head = f"  {law['status']}  {law['law']}:"
    outside = beyond(counterexample)
    if outside:
        return f"{head} got {counterexample['got']:.6g}, {outside} ({counterexample['where']})"
    return f"{head} {' '.join(counterexample['sentence'].split())}"


def _listed(laws: Sequence[Data], verbose: bool) -> list[str]:
    """The laws that are neither violated nor errored, by status and by why they were cut short;
    those without a reason only if all are wanted.
    """
    lines = []
    for status in ("not judged", EXPECTED, "not offered", "held"):
        names_by_reason: dict[str, list[str]] = {}
        for law in laws:
            if law["status"] == status:
                reason = "" if status == "not offered" else law["reason"]
                names_by_reason.setdefault(reason, []).append(law["law"])
        for reason, names in names_by_reason.items():
            if not reason and status != EXPECTED and not verbose:
                continue
            head = f"{status.capitalize()} ({len(names)})"
            if reason:
                head += f", {reason}"
            if verbose or len(names) <= MAX_NAMES:
                head += f": {', '.join(names)}"
            lines.append(head)
    return lines


def _visits(laws: Sequence[Data]) -> list[str]:
    lines = []
    for table, count in ROWS.items():
        visits: Counter[int] = Counter()
        for row in range(1, count + 1):
            visits[row] = sum(law["rows"].get(f"{table}, row {row}", 0) for law in laws)
        if visits.total():
            by_row = ", ".join(f"{row}: {number}" for row, number in visits.items())
            lines.append(f"{table}, visits by row: {by_row}")
    kinks = sum(law["kinks"] for law in laws)
    if kinks:
        lines.append(f"{KINK_RULE}: {kinks}")
    return lines


def _written(json: str | None, html: str | None) -> str:
    """Where the inputs and answers are, or which option writes them."""
    if json and html:
        return f"written to {json} and {html}"
    if json:
        return f"written to {json}; --html FILE draws them"
    if html:
        return f"written to {html}; --json FILE writes them as data"
    return "--json FILE writes them, --html FILE draws them"
