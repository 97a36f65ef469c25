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
from lmlir.oracle.reporting import drawing
from lmlir.oracle.reporting.data import Data
from lmlir.oracle.reporting.markup import Markup, join, tag
from lmlir.oracle.reporting.text import STATEMENTS, beyond, examples, remarks, settings, summary

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
    statements = [
        _statement(status, items) for status, items in content["statements"].items() if items
    ]
    tables = [_table(title, [*map(_law, laws)]), _table("Statements of the paper", statements)]
    findings = [_finding(law) for law in laws if law["counterexample"]]
    body = tag("body", tag("main", _verdict(content), *findings, *tables))
    return join([Markup("<!doctype html>\n"), tag("html", head, body, lang="en"), "\n"])


def _verdict(content: Data) -> Markup:
    counts = [
        tag("li", tag("b", count), " ", status, class_=_class(status), data_count=status)
        for status, count in content["counts"].items()
    ]
    misses = meant(content["near misses"])
    kind = {"conforms": "held", "violates": "violated"}.get(content["verdict"], "errored")
    return tag(
        "header",
        tag("p", "lmlir check", class_="kicker"),
        tag(
            "h1", content["subject"], " ", tag("span", content["verdict"], class_=f"verdict {kind}")
        ),
        tag("p", content["reason"], class_="reason"),
        tag("p", summary(content), class_="summary"),
        tag("p", ", ".join(settings(content)), class_="settings"),
        tag("ul", *counts, class_="counts"),
        tag("p", f"Some names are not in the interface: {misses}", class_="note") if misses else "",
    )


def _class(status: str) -> str:
    return f"status {status.replace(' ', '-')}"


def _finding(law: Data) -> Markup:
    """One violated or errored law: its statement, what was found, and how to repeat it."""
    found = law["counterexample"]
    calls = found["calls"]
    shown = [
        _call(call, found["where"], number, len(calls))
        for number, call in enumerate(calls[:MAX_CALLS])
    ]
    more = len(calls) - len(shown)
    return tag(
        "article",
        tag(
            "h2",
            law["law"].replace("_", " "),
            " ",
            tag("span", law["status"], class_=_class(law["status"])),
        ),
        tag("p", law["statement"], class_="statement"),
        tag("p", ", ".join(law["items"]), class_="items"),
        tag("p", found["sentence"], class_="sentence"),
        _bracket(found),
        *(tag("p", remark) for remark in remarks(law)),
        tag("div", *shown, class_="calls"),
        tag("p", f"{more} more calls are in the lines below.", class_="note") if more > 0 else "",
        tag(
            "details",
            tag("summary", "To repeat it"),
            tag("pre", tag("code", found["snippet"])),
            open="open",
        ),
        id=law["law"],
    )


def _bracket(found: Data) -> Markup | str:
    """What the subject returned and what is allowed: drawn, and as numbers."""
    if found["allowed"] is None:
        return ""
    # NaN and infinities are strings
    got, lower, upper = map(float, (found["got"], *found["allowed"]))
    rows = [
        ("the subject returned", repr(got)),
        ("allowed", f"{lower!r} to {upper!r}"),
        ("difference", beyond(found)),
    ]
    numbers = [join([tag("dt", name), tag("dd", value)]) for name, value in rows if value]
    return tag(
        "div",
        drawing.gauge(got, lower, upper) or "",
        tag("dl", *numbers, class_="bracket"),
        class_="allowed-and-got",
    )


def _call(call: Data, where: str, number: int, count: int) -> Markup:
    """One call: its drawing where there is one, and its arguments and answer in a table."""
    name = f"Call {number + 1} of {count}: {call['call']}" if count > 1 else call["call"]
    rows = [_row(argument, value) for argument, value in call["arguments"].items()]
    if call["row of Table 2"]:
        rows.append(_row("Table 2", f"row {call['row of Table 2']}"))
    rows += _answer(call)
    picture = drawing.draw(call, where)
    return tag(
        "section",
        tag("h3", tag("code", name) if count == 1 else name),
        picture or "",
        tag("div", tag("table", tag("tbody", *rows)), class_="wide"),
    )


def _answer(call: Data) -> list[Markup]:
    if call["result"] is None:
        return [_row("answer", "none", "answer")]
    names = FUNCTIONS[call["call"]].answers
    parts = [call["result"]] if len(names) == 1 else call["result"]
    return [
        _row(f"answer: {name}", part, "answer") for name, part in zip(names, parts, strict=True)
    ]


def _row(name: str, value: Any, class_: str | None = None) -> Markup:
    return tag(
        "tr", tag("th", name, scope="row"), tag("td", tag("code", shortened(value))), class_=class_
    )


def shortened(value: Any) -> str:
    """An array in one line; of a long one its beginning and how many numbers it has.

    >>> shortened([[0.0, 1.5]]), shortened(list(range(1000)))[-18:]
    ('[[0, 1.5]]', '... (1000 numbers)')
    """
    if not isinstance(value, list):
        return f"{value:.17g}" if isinstance(value, float) else str(value)
    whole = str(_plain(value)).replace("'", "")
    if len(whole) <= MAX_VALUE_CHARACTERS:
        return whole
    return f"{whole[:MAX_VALUE_CHARACTERS].rsplit(',', 1)[0]}, ... ({_count(value)} numbers)"


def _plain(value: Any) -> Any:
    """Whole floats without their point."""
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return (
        int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15
        else value
    )


def _count(value: Any) -> int:
    return sum(map(_count, value)) if isinstance(value, list) else 1


def _law(law: Data) -> tuple[str, list[object]]:
    name = tag("code", law["law"])
    linked = tag("a", name, href=f"#{law['law']}") if law["counterexample"] else name
    items = tag(
        "p", f"{', '.join(law['items'])}. {law['reason'] or examples(law)}.", class_="items"
    )
    return law["status"], [linked, tag("br"), law["statement"], items]


def _statement(status: str, items: Sequence[str]) -> tuple[str, list[object]]:
    return status, [f"{STATEMENTS[status]}: " if status == "violated" else "", ", ".join(items)]


def _table(title: str, rows: Sequence[tuple[str, list[object]]]) -> Markup | str:
    """A table of statuses and what has them, if there is any."""
    if not rows:
        return ""
    body = [
        tag("tr", tag("td", tag("span", status, class_=_class(status))), tag("td", *cell))
        for status, cell in rows
    ]
    return tag("section", tag("h2", title), tag("table", tag("tbody", *body), class_="laws"))
