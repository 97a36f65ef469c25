"""The report as one HTML page: verdict, counts, every violation with its drawing or its numbers, and all laws.

The page is made of the data that `lmlir check --json` writes. It loads nothing, runs nothing, and takes the colors that the
reader's system asks for; whatever the subject says in it is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle import drawing, exact
from lmlir.oracle.interface import FUNCTIONS, meant
from lmlir.oracle.markup import Markup, join, tag
from lmlir.oracle.resemblance import known_slips

Data = Mapping[str, Any]
STYLE = Path(__file__).with_name("page.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # a browser that is asked to load something refuses
MOST_CALLS = 4
LONGEST_VALUE = 500  # characters of an array in a table


def write(content: Data, file: str) -> None:
    """Write the page of a report, as `lmlir.oracle.report.as_json` gives it, into a file."""
    Path(file).write_text(page(content), encoding="utf-8")


def page(content: Data) -> Markup:
    """The whole page."""
    title = f"{content['subject']} {content['verdict']}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Markup(STYLE.read_text(encoding="utf-8"))),
    )
    findings = [law for law in content["laws"] if law.get("counterexample")]
    body = tag(
        "body",
        tag("main", _verdict(content), *map(_finding, findings), _laws(content["laws"]), _statements(content)),
    )
    return join([Markup("<!doctype html>\n"), tag("html", head, body, lang="en"), "\n"])


def _verdict(content: Data) -> Markup:
    settings = [f"{key} {content[key]}" for key in ("profile", "precision", "seed") if key in content]
    if "seconds" in content:
        settings.append(f"{content['seconds']:.1f} s")
    counts = [
        tag("li", tag("b", count), " ", status, class_=_class(status), data_count=status)
        for status, count in content["counts"].items()
    ]
    misses = meant(content.get("near misses", {}))
    kind = {"conforms": "held", "violates": "violated"}.get(content["verdict"], "errored")
    return tag(
        "header",
        tag("p", "lmlir check", class_="kicker"),
        tag("h1", content["subject"], " ", tag("span", content["verdict"], class_=f"verdict {kind}")),
        tag("p", _reason(content), class_="reason"),
        tag("p", ", ".join(settings), class_="settings") if settings else "",
        tag("ul", *counts, class_="counts"),
        tag("p", f"Some names are not in the interface: {misses}", class_="note") if misses else "",
    )


def _reason(content: Data) -> str:
    """The verdict's reason; where the subject conforms, what became of all laws that exist."""
    if content["verdict"] != "conforms":
        return str(content["reason"])
    held, missing = content["counts"]["held"], content["counts"]["not offered"]
    left = content["laws that exist"] - len(content["laws"])
    one, several = ("was run", "were run") if left else ("applies", "apply")
    told = [f"the one law that {one} held" if held == 1 else f"all {held} laws that {several} held"]
    told += [f"{missing} need{'s' * (missing == 1)} functions that it does not offer"] * bool(missing)
    told += [f"{left} {'was' if left == 1 else 'were'} not chosen"] * bool(left)
    return f"{content['reason'].split(':')[0]}: {'; '.join(told)}"


def _class(status: str) -> str:
    """The class of a status: "not offered" is written not-offered.

    >>> _class("not offered")
    'status not-offered'
    """
    return f"status {status.replace(' ', '-')}"


def _finding(law: Data) -> Markup:
    """One violated (or errored) law: what it says, what was found, how to repeat it, and what it resembles."""
    found = law["counterexample"]
    calls = found["calls"]
    shown = [_call(call, found["where"], number, len(calls)) for number, call in enumerate(calls[:MOST_CALLS])]
    more = len(calls) - len(shown)
    return tag(
        "article",
        tag("h2", law["law"].replace("_", " "), " ", tag("span", law["status"], class_=_class(law["status"]))),
        tag("p", law["statement"], class_="statement"),
        tag("p", ", ".join(law["items"]), class_="items"),
        tag("p", found["sentence"], class_="sentence"),
        _bracket(found),
        tag("p", "It said: ", tag("code", found["said"])) if found["said"] else "",
        *(tag("p", told) for told in (found.get("hint"), (found.get("again") or {}).get("sentence")) if told),
        tag("div", *shown, class_="calls"),
        tag("p", f"{more} more calls are in the lines below.", class_="note") if more > 0 else "",
        tag("details", tag("summary", "To repeat it"), tag("pre", tag("code", found["snippet"])), open="open"),
        _resembling(law["resembles"]),
        id=law["law"],
    )


def _number(value: Any) -> float:
    """A number of the JSON report, in which NaN and infinities are strings."""
    return float(value)


def _bracket(found: Data) -> Markup | str:
    """What the subject said and what is allowed: drawn, and as numbers."""
    if found["allowed"] is None:
        return ""
    got, lower, upper = map(_number, (found["got"], *found["allowed"]))
    rows = [("the subject said", repr(got)), ("allowed", f"{lower!r} to {upper!r}")]
    with np.errstate(all="ignore"):
        beyond = max(got - upper, lower - got)
    if np.isfinite(beyond):
        rows.append(("too " + ("large" if got > upper else "small") + " by", f"{beyond:.3g}"))
    numbers = tag("dl", *(join([tag("dt", name), tag("dd", value)]) for name, value in rows), class_="bracket")
    return tag("div", drawing.gauge(got, lower, upper) or "", numbers, class_="allowed-and-got")


def _call(call: Data, where: str, number: int, count: int) -> Markup:
    """One call: its drawing where there is one, and its arguments and answer in a table."""
    name = f"Call {number + 1} of {count}: {call['call']}" if count > 1 else call["call"]
    rows = [_row(argument, value) for argument, value in call["arguments"].items()]
    if row := exact.table_2_row(call["call"], call["arguments"]):
        rows.append(_row("Table 2", f"row {row}"))
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
    return [_row(f"answer: {name}", part, "answer") for name, part in zip(names, parts, strict=True)]


def _row(name: str, value: Any, class_: str | None = None) -> Markup:
    return tag("tr", tag("th", name, scope="row"), tag("td", tag("code", shortened(value))), class_=class_)


def shortened(value: Any) -> str:
    """An array in one line; of a long one its beginning and how many numbers it has.

    >>> shortened([[0.0, 1.5]]), shortened(list(range(1000)))[-18:]
    ('[[0, 1.5]]', '... (1000 numbers)')
    """
    if not isinstance(value, list):
        return f"{value:.17g}" if isinstance(value, float) else str(value)
    whole = str(_plain(value)).replace("'", "")
    if len(whole) <= LONGEST_VALUE:
        return whole
    return f"{whole[:LONGEST_VALUE].rsplit(',', 1)[0]}, ... ({_count(value)} numbers)"


def _plain(value: Any) -> Any:
    """Whole floats without their point."""
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


def _count(value: Any) -> int:
    return sum(map(_count, value)) if isinstance(value, list) else 1


def _resembling(names: Sequence[str]) -> Markup | str:
    """Known slips that fail in the same pattern of laws, folded."""
    if not names:
        return ""
    rows = [tag("li", tag("code", name), ": ", known_slips()[name]["slip"]) for name in names]
    summary = tag("summary", f"Known slips that fail in the same pattern: {len(names)}")
    return tag("details", summary, tag("ul", *rows), class_="slips")


def _laws(laws: Sequence[Data]) -> Markup:
    """Every law with its sentence, items, and status."""
    rows = []
    for law in laws:
        name = tag("code", law["law"])
        linked = tag("a", name, href=f"#{law['law']}") if law.get("counterexample") else name
        told = law.get("reason") or f"{law['examples']} example{'s' * (law['examples'] != 1)}"
        rows.append(
            tag(
                "tr",
                tag("td", tag("span", law["status"], class_=_class(law["status"]))),
                tag(
                    "td",
                    linked,
                    tag("br"),
                    law["statement"],
                    tag("p", f"{', '.join(law['items'])}. {told}.", class_="items"),
                ),
            )
        )
    if not rows:
        return Markup()
    title = "The one law" if len(laws) == 1 else f"All {len(laws)} laws"
    return tag("section", tag("h2", title), tag("table", tag("tbody", *rows), class_="laws"))


def _statements(content: Data) -> Markup | str:
    """What that says about the statements of the paper."""
    found = {status: items for status, items in content.get("statements", {}).items() if items}
    if not found:
        return ""
    told = {"violated": "The violated laws rest on these, at least one of which is broken: "}
    rows = [
        tag(
            "tr",
            tag("td", tag("span", status, class_=_class(status))),
            tag("td", told.get(status, ""), ", ".join(items)),
        )
        for status, items in found.items()
    ]
    return tag("section", tag("h2", "Statements of the paper"), tag("table", tag("tbody", *rows), class_="laws"))
