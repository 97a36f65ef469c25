"""The report as one HTML page: verdict, counts, every violation with its drawing or its numbers,
and all laws.

The page is made from the data that `lmlir check --json` writes. It loads nothing, runs nothing,
follows the color scheme of the reader's system, and escapes all text that comes from the subject.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lmlir.oracle.interface import FUNCTIONS, meant
from lmlir.oracle.precision import within
from lmlir.oracle.reporting import drawing
from lmlir.oracle.reporting.data import Data
from lmlir.oracle.reporting.markup import Markup, join, tag
from lmlir.oracle.reporting.text import (
    STATEMENTS,
    beyond,
    diagnosis,
    examples,
    raised_at,
    remarks,
    settings,
    summary,
)

STYLE = Path(__file__).with_name("page.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # makes a browser refuse to load anything
MAX_CALLS = 4
MAX_VALUE_CHARACTERS = 500  # of an array in a table


def page(content: Data) -> Markup:
    """The whole page."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", content["subject"], " ", content["verdict"]),
        tag("style", Markup(STYLE.read_text(encoding="utf-8"))),
    )
    laws = content["laws"]
    title = "The one law" if len(laws) == 1 else f"All {len(laws)} laws"
    statements = []
    for status, items in content["statements"].items():
        if items:
            statements.append(_statement(status, items))
    body = tag(
        "main",
        _verdict(content),
        *(_finding(law) for law in laws if law["counterexample"]),
        _table(title, [_law(law) for law in laws]),
        _table("Statements of the paper", statements),
    )
    html = tag("html", head, tag("body", body), lang="en")
    return join([Markup("<!doctype html>\n"), html, "\n"])


def _verdict(content: Data) -> Markup:
    kind = {"conforms": "held", "violates": "violated"}.get(content["verdict"], "errored")
    verdict = tag("span", content["verdict"], class_=f"verdict {kind}")
    counts = []
    for status, count in content["counts"].items():
        number = tag("b", count)
        counts.append(tag("li", number, " ", status, class_=_class(status), data_count=status))
    misses = ""
    if content["near misses"]:
        misses = f"Some names are not in the interface: {meant(content['near misses'])}"
    return tag(
        "header",
        tag("p", "lmlir check", class_="kicker"),
        tag("h1", content["subject"], " ", verdict),
        tag("p", content["conclusion"], class_="conclusion"),
        tag("p", content["reason"], class_="reason"),
        *(tag("p", line) for line in raised_at(content)),
        tag("p", summary(content), class_="summary"),
        tag("p", ", ".join(settings(content)), class_="settings"),
        tag("ul", *counts, class_="counts"),
        *(_note(sentence) for sentence in diagnosis(content)),
        _note(misses),
    )


def _note(text: str) -> Markup | str:
    return tag("p", text, class_="note") if text else ""


def _class(status: str) -> str:
    return f"status {status.replace(' ', '-')}"


def _finding(law: Data) -> Markup:
    """One violated or errored law: its statement, what was found, and how to repeat it."""
    counterexample = law["counterexample"]
    calls = counterexample["calls"]
    shown = []
    for number, call in enumerate(calls[:MAX_CALLS], start=1):
        name = call["call"]
        if len(calls) > 1:
            name = f"Call {number} of {len(calls)}: {name}"
        shown.append(_call(call, counterexample["where"], name))
    more = ""
    if len(calls) > MAX_CALLS:
        more = f"{len(calls) - MAX_CALLS} more calls are in the lines below."

    title = law["law"].replace("_", " ")
    status = tag("span", law["status"], class_=_class(law["status"]))
    lines = tag("pre", tag("code", counterexample["snippet"]))
    return tag(
        "article",
        tag("h2", title, " ", status),
        tag("p", law["statement"], class_="statement"),
        tag("p", ", ".join(law["items"]), class_="items"),
        tag("p", counterexample["sentence"], class_="sentence"),
        _bracket(counterexample),
        _working(counterexample["working"]),
        *(tag("p", remark) for remark in remarks(law)),
        tag("div", *shown, class_="calls"),
        _note(more),
        tag("details", tag("summary", "To repeat it"), lines, open="open"),
        id=law["law"],
    )


def _bracket(counterexample: Data) -> Markup | str:
    """What the subject returned, and what is allowed."""
    if counterexample["allowed"] is None:
        return ""
    # NaN and infinities are strings
    got = float(counterexample["got"])
    lower, upper = map(float, counterexample["allowed"])
    rows = {
        "the subject returned": repr(got),
        "allowed": within(lower, upper),
        "difference": beyond(counterexample),
    }
    numbers = [join([tag("dt", name), tag("dd", value)]) for name, value in rows.items() if value]
    return tag("dl", *numbers, class_="bracket")


def _working(steps: Sequence[str]) -> Markup | str:
    """What the true number is made of."""
    return tag("ul", *(tag("li", step) for step in steps), class_="working") if steps else ""


def _call(call: Data, where: str, name: str) -> Markup:
    """One call: its drawing where there is one, and its arguments and answer in a table."""
    rows = [_row(argument, value) for argument, value in call["arguments"].items()]
    if call["row of Table 2"]:
        rows.append(_row("Table 2", f"row {call['row of Table 2']}"))
    rows += _answer(call)
    picture = drawing.draw(call, where)
    return tag(
        "section",
        tag("h3", tag("code", name) if name == call["call"] else name),
        picture or "",
        tag("div", tag("table", tag("tbody", *rows)), class_="wide"),
    )


def _answer(call: Data) -> list[Markup]:
    if call["result"] is None:
        return [_row("answer", "none", "answer")]
    names = FUNCTIONS[call["call"]].answers
    arrays = [call["result"]] if len(names) == 1 else call["result"]
    named = zip(names, arrays, strict=True)
    return [_row(f"answer: {name}", array, "answer") for name, array in named]


def _row(name: str, value: Any, class_: str | None = None) -> Markup:
    cell = tag("td", tag("code", shortened(value)))
    return tag("tr", tag("th", name, scope="row"), cell, class_=class_)


def shortened(value: Any) -> str:
    """An array in one line; of a long one its beginning and how many numbers it has.

    >>> shortened([[0.0, 1.5]]), shortened(list(range(1000)))[-18:]
    ('[[0, 1.5]]', '... (1000 numbers)')
    """
    if isinstance(value, float):
        return f"{value:.17g}"
    if not isinstance(value, list):
        return str(value)
    whole = str(_plain(value)).replace("'", "")
    if len(whole) <= MAX_VALUE_CHARACTERS:
        return whole
    beginning = whole[:MAX_VALUE_CHARACTERS].rsplit(",", 1)[0]
    return f"{beginning}, ... ({_count(value)} numbers)"


def _plain(value: Any) -> Any:
    """Whole floats without their point."""
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def _count(value: Any) -> int:
    return sum(map(_count, value)) if isinstance(value, list) else 1


def _law(law: Data) -> tuple[str, list[object]]:
    name = tag("code", law["law"])
    if law["counterexample"]:
        name = tag("a", name, href=f"#{law['law']}")
    remark = law["reason"] or examples(law)
    items = tag("p", f"{', '.join(law['items'])}. {remark}.", class_="items")
    return law["status"], [name, tag("br"), law["statement"], items]


def _statement(status: str, items: Sequence[str]) -> tuple[str, list[object]]:
    listed = ", ".join(items)
    if status == "violated":
        listed = f"{STATEMENTS[status]}: {listed}"
    return status, [listed]


def _table(title: str, rows: Sequence[tuple[str, list[object]]]) -> Markup | str:
    """A table of statuses and what has them, if there is any."""
    if not rows:
        return ""
    body = []
    for status, content in rows:
        first = tag("td", tag("span", status, class_=_class(status)))
        body.append(tag("tr", first, tag("td", *content)))
    return tag("section", tag("h2", title), tag("table", tag("tbody", *body), class_="laws"))
