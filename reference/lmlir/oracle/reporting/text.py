"""The report as text, made from its data."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence

from lmlir.oracle.interface import meant
from lmlir.oracle.reporting.data import Data
from lmlir.oracle.reporting.markup import visible
from lmlir.terminal import WIDTH

MAX_SNIPPET_CHARACTERS = 2400
MAX_LINES = 30  # of a snippet, and of violations after the first
CODE = 8 * " "  # the indentation of a snippet in the text
STATEMENTS = {
    "violated": "At least one of these statements is violated",
    "errored": "Statements without an answer",
    "not judged": "Statements not judged",
    "held": "Statements that held",
}


# ---- the data ----


# ---- lines that repeat a violation ----


# ---- the text ----


def as_text(content: Data, json: str = "", html: str = "", width: int = WIDTH) -> str:
    """The report for a person, at most two screens: the verdict, the first violation in full, one
    line for each other.

    `json` and `html` are the files to which it was also written, if any.
    """
    found = [law for law in content["laws"] if law["counterexample"]]
    reason = [content["reason"]] if content["verdict"] == "cannot be judged" else []
    cited = ((name, content["statements"].get(status)) for status, name in STATEMENTS.items())
    statements = [f"{name}: {', '.join(items)}" for name, items in cited if items]
    paragraphs = [
        [
            f"Verdict: {content['subject']} {content['conclusion']}.",
            f"({', '.join(reason + settings(content))})",
        ],
        *(_violation(law, json or html) for law in found[:1]),
        _others(found, width),
        [*_listed(content["laws"]), *statements, *_visits(content["laws"]), summary(content)],
    ]
    if content["near misses"]:
        paragraphs[-1].append(
            f"Names that are not in the interface: {meant(content['near misses'])}"
        )
    if found:
        paragraphs[-1].append(f"All inputs and answers: {_written(json, html)}.")
    return visible("\n\n".join("\n".join(_fitted(lines, width)) for lines in paragraphs if lines))


def _fitted(lines: Iterable[str], width: int) -> Iterable[str]:
    """Wrap lines, except those of a snippet.

    Further lines are indented, so that no text of a subject begins one.
    """
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

    >>> counts = {"held": 1, "violated": 1, "errored": 0}
    >>> summary({"laws run": 2, "laws that exist": 50, "counts": counts})
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
    if not isinstance(found["excess"], float):
        # there is no bracket, or the difference is not finite
        return ""
    return (
        f"too {'large' if found['got'] > float(found['allowed'][1]) else 'small'} by "
        f"{found['excess']:.3g}"
    )


def remarks(law: Data) -> list[str]:
    """What there is to add to a violation: other output of the subject, remedies, and the outcome
    of replaying it.
    """
    found = law["counterexample"]
    output = "Error output" if law["status"] == "errored" else "Returned"
    said = found["said"] and f"{output}: {found['said']}"
    again = found["again"] and found["again"]["sentence"]
    return list(filter(None, [said, *found["notes"], again]))


def _violation(law: Data, file: str) -> list[str]:
    found = law["counterexample"]
    repeat = law["counterexample"]["snippet"]
    lines = [
        f"Statement: {law['statement']}",
        f"Items: {', '.join(law['items'])}",
        f"Found after {examples(law)}: {found['sentence']}",
    ]
    if found["allowed"]:
        lines += [
            f"Got:     {found['got']}",
            f"Allowed: {found['allowed'][0]} to {found['allowed'][1]}",
        ]
    if rows := list(
        dict.fromkeys(
            str(call["row of Table 2"]) for call in found["calls"] if call["row of Table 2"]
        )
    ):
        lines.append(f"Table 2: row{'s' * (len(rows) > 1)} {', '.join(rows)}")
    lines += remarks(law)
    if len(repeat) <= MAX_SNIPPET_CHARACTERS and repeat.count("\n") < MAX_LINES:
        lines += ["To repeat it:", *(CODE[4:] + line for line in repeat.splitlines())]
    else:
        place = (
            f"the lines that repeat it are in {file}"
            if file
            else "--json FILE writes the lines that repeat it"
        )
        lines.append(f"The input has {len(repeat)} characters: {place}.")
    title = f"{law['status'].upper()}  {law['law'].replace('_', ' ')}  ({law['law']})"
    return [title, *("    " + line for line in lines)]


def _others(found: Sequence[Data], width: int) -> list[str]:
    """The violations after the first, one per line. A fault under several laws is listed once."""
    faults = [law["counterexample"]["fault"] for law in found]
    others = [
        law for k, law in enumerate(found) if k and not (faults[k] and faults[k] in faults[:k])
    ]
    lines = [_one_line(law, width) for law in others[:MAX_LINES]]
    if len(others) > MAX_LINES:
        lines.append(f"  and {len(others) - MAX_LINES} more")
    for fault, count in Counter(filter(None, faults)).items():
        if count > 1:
            lines.append(
                f"  {fault} under {count - 1} other law{'s' * (count > 2)} too; fix that first"
            )
    return lines


def _one_line(law: Data, width: int) -> str:
    """A violation with its numbers first.

    What comes after them is cut off at the end of the line.
    """
    found = law["counterexample"]
    head = f"  {law['status']}  {law['law']}: "
    rest = " ".join(found["sentence"].split())
    if outside := beyond(found):
        head = f"{head}got {found['got']:.6g}, {outside}"
        rest = f" ({found['where']})"
    room = width - len(head)
    return head + (rest if len(rest) <= room else f"{rest[: room - 3]}..." if room > 3 else "")


def _listed(laws: Sequence[Data]) -> list[str]:
    """The laws that are neither violated nor errored, by status and by why they were cut short."""
    lines = []
    for status in ("not judged", "not offered", "held"):
        names: dict[str, list[str]] = {}
        for law in (law for law in laws if law["status"] == status):
            names.setdefault("" if status == "not offered" else law["reason"], []).append(
                law["law"]
            )
        for reason, each in names.items():
            lines.append(
                f"{status.capitalize()} ({len(each)}){', ' * bool(reason)}{reason}: "
                f"{', '.join(each)}"
            )
    return lines


def _visits(laws: Sequence[Data]) -> list[str]:
    lines = []
    for table, rows in (("Table 2", 8), ("Table 3", 5)):
        total = [
            sum(law["rows"].get(f"{table}, row {row}", 0) for law in laws)
            for row in range(1, rows + 1)
        ]
        if any(total):
            lines.append(
                f"{table}, visits by row: "
                f"{', '.join(f'{row}: {n}' for row, n in enumerate(total, start=1))}"
            )
    if kinks := sum(law["kinks"] for law in laws):
        rule = (
            "Gradient entries judged by the kink rule (any value between the one-sided derivatives)"
        )
        lines.append(f"{rule}: {kinks}")
    return lines


def _written(json: str, html: str) -> str:
    """Where the inputs and answers are, or which option writes them."""
    if json and html:
        return f"written to {json} and {html}"
    if json or html:
        return (
            f"written to {json or html}; "
            f"{'--html FILE draws them' if json else '--json FILE writes them as data'}"
        )
    return "--json FILE writes them, --html FILE draws them"
