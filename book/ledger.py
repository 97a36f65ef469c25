"""The ledger and the map of the paper as pages: HTML from `lmlir.ledger`, nothing typed twice."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path

import lmlir
from lmlir.ledger.choices import CHOICES, Choice
from lmlir.ledger.errata import ERRATA, Erratum, function_of
from lmlir.ledger.map import PAPER_MODULES, Item, evidence_of, items, public_functions
from lmlir.ledger.witnesses import witnesses_of

PACKAGE = Path(lmlir.__file__).parent
PLANS = "7"  # the section of what the paper leaves for later, which is neither true nor false
PRINTED, TRUE = tomllib.loads(
    (Path(__file__).parent / "formulas.toml").read_text(encoding="utf-8")
).values()
# The modules whose functions have an entry among the functions, with the page.
DOCUMENTED = {
    module: page.stem
    for page in (Path(__file__).parent / "api").glob("*.md")
    for module in re.findall(r"automodule:: (\S+)\n +:members:", page.read_text(encoding="utf-8"))
}


def function_link(dotted: str) -> str:
    """The name of a function, linked to its entry among the functions where it has one."""
    module, _, name = function_of(dotted).rpartition(".")
    home = getattr(import_module(module), name).__module__
    text = f"<code>{escape(dotted.removeprefix('lmlir.'))}</code>"
    return (
        f'<a href="api/{DOCUMENTED[home]}.html#{home}.{name}">{text}</a>'
        if home in DOCUMENTED
        else text
    )


def status_badge(status: str) -> str:
    """One word, one color, one sign: the status of an item."""
    sign = {"holds": "✓", "corrected": "✎", "refuted": "✗", "choice": "?", "remark": "·"}[status]
    return f'<span class="status {status}">{sign} {status}</span>'


def item_link(item: str) -> str:
    """The item, linked to its row of the map."""
    return f'<a href="map.html#{item_anchor(item)}">{escape(item)}</a>'


def item_anchor(item: str) -> str:
    """The anchor of an item's row: its name in lower case, with hyphens."""
    return "item-" + "".join(c if c.isalnum() else "-" for c in item.lower()).strip("-")


def definition_list(rows: Iterable[tuple[str, str]]) -> str:
    """Rows of a name and an HTML text; line ends keep the words apart for the search, which strips
    the tags.
    """
    return (
        "<dl>"
        + "\n".join(f"<dt>{name}</dt> <dd>{text}</dd>" for name, text in rows if text)
        + "</dl>"
    )


def erratum_card(erratum: Erratum) -> str:
    """One mistake: both readings, what follows, and the witnesses, run again for this page."""
    where = ", ".join(
        f"{item_link(item)} {status_badge(verdict)}" for item, verdict in erratum.items.items()
    )
    witnesses = witnesses_of(erratum.id)
    rows = [
        ("where", where),
        ("as printed", escape(erratum.printed) + runs(erratum.printed_by)),
        ("what is true", escape(erratum.true) + runs(erratum.true_by)),
        ("what follows", escape(erratum.consequence)),
        ("witness", "<br>".join(escape(witness.text) for witness in witnesses)),
        ("source", "<br>".join(escape(source) for source in erratum.sources)),
        ("was", escape(erratum.was or "")),
    ]
    return (
        f'<section class="ledger" id="{erratum.id}"><p class="ledger-id">{erratum.id}: '
        f"{escape(erratum.title)}</p>\n"
        f"{definition_list(rows)}{evidence(erratum)}</section>\n"
    )


def evidence(erratum: Erratum) -> str:
    """The proofs and tests of an entry, folded away under their numbers."""
    found = {kind: names for kind, names in evidence_of(erratum).items() if names}
    title = ", ".join(f"{kind}: {len(names)}" for kind, names in found.items())
    rows = [
        (kind, ", ".join(f"<code>{escape(name)}</code>" for name in names))
        for kind, names in found.items()
    ]
    return f"<details><summary>{title}</summary>{definition_list(rows)}</details>" if found else ""


def runs(name: str | None) -> str:
    """The function that computes a reading, in brackets."""
    return f' <span class="runs">({function_link(name)})</span>' if name else ""


def choice_card(choice: Choice) -> str:
    """One open question: what was decided and why, and where the decision is taken."""
    rows = [
        ("where", ", ".join(item_link(item) for item in choice.items)),
        ("decided", escape(choice.decision)),
        ("because", escape(choice.why)),
        ("taken in", ", ".join(function_link(name) for name in choice.taken_in)),
    ]
    title = f"{choice.id}: {escape(choice.question)}"
    return (
        f'<section class="ledger" id="{choice.id}"><p class="ledger-id">{title}</p>\n'
        f"{definition_list(rows)}</section>\n"
    )


def errata_page() -> str:
    """All mistakes, in the order of their ids."""
    return "".join(erratum_card(erratum) for erratum in ERRATA)


def choices_page() -> str:
    """All choices, in the order of their ids."""
    return "".join(choice_card(choice) for choice in CHOICES)


def map_row(item: Item) -> str:
    """One item of the paper with everything that belongs to it."""
    title = f'<a href="{item.page}">{escape(item.title)}</a>' if item.page else escape(item.title)
    ledger = ", ".join(map(ledger_link, [*item.errata, *item.choices]))
    rows = [
        ("functions", ", ".join(function_link(name) for name in item.functions)),
        ("laws", ", ".join(f"<code>{escape(law)}</code>" for law in item.laws)),
        ("proofs", ", ".join(f"<code>{escape(proof)}</code>" for proof in item.proofs)),
        ("formal", ", ".join(f"<code>{escape(name)}</code>" for name in item.formal)),
        ("ledger", ledger),
    ]
    return (
        f'<section class="ledger" id="{item_anchor(item.item)}"><p '
        f'class="ledger-id">{escape(item.item)} '
        f"{status_badge(item.status)}</p>\n<p>{title}, {item.place}</p>\n"
        f"{definition_list(rows)}</section>\n"
    )


def map_page() -> str:
    """Every item of the paper."""
    return "".join(map_row(item) for item in items())


# ----------------------------------------------------------------------- the paper beside its truth


def formula(tex: str | None) -> str:
    """A formula for MathJax."""
    return (
        f'<span class="math notranslate nohighlight">\\(\\displaystyle {escape(tex)}\\)</span>'
        if tex
        else ""
    )


def printed_and_true(item: Item) -> str:
    """One statement as printed, the verdict, what is true instead, a witness, the code and the
    formal theorem.
    """
    errata = [erratum for erratum in ERRATA if item.item in erratum.items]
    changed = [erratum for erratum in errata if erratum.items[item.item] != "remark"]
    witnesses = [witness.text for erratum in changed for witness in witnesses_of(erratum.id)[:1]]
    unchanged = "" if item.section == PLANS else "as printed"
    true = (
        "<br>".join(f"{ledger_link(erratum.id)} {escape(erratum.true)}" for erratum in changed)
        or unchanged
    )
    open_questions = [choice for choice in CHOICES if choice.id in item.choices]
    rows = [
        ("the paper", f"{escape(item.title)}<br>{formula(PRINTED.get(item.item))}"),
        ("what is true", "<br>".join(filter(None, [formula(TRUE.get(item.item)), true]))),
        ("witness", "<br>".join(escape(text) for text in witnesses)),
        (
            "notes",
            ", ".join(f"{ledger_link(e.id)} {escape(e.title)}" for e in errata if e not in changed),
        ),
        (
            "decided",
            "<br>".join(
                f"{ledger_link(choice.id)} {escape(choice.decision)}" for choice in open_questions
            ),
        ),
        ("code", ", ".join(function_link(name) for name in item.functions[:3])),
        ("formal", ", ".join(f"<code>{escape(name)}</code>" for name in item.formal[:2])),
        ("explained", f'<a href="{item.page}">in its chapter</a>' if item.page else ""),
    ]
    return (
        f'<section class="ledger beside" id="beside-{item_anchor(item.item)}"><p '
        f'class="ledger-id">{escape(item.item)} '
        f"{status_badge(item.status)}</p>\n{definition_list(rows)}</section>\n"
    )


def ledger_link(entry: str) -> str:
    """The id of an erratum or a choice, linked to its card."""
    return f'<a href="errata.html#{entry}">{entry}</a>'


def beside_page(*sections: str) -> str:
    """Every item of some sections of the paper that states something, printed and true."""
    stated = [
        item for item in items() if item.section in sections and not item.item.startswith("Figure")
    ]
    return "".join(map(printed_and_true, stated))


# ----------------------------------------------------------------------------- what depends on what


@cache
def calls() -> dict[str, set[str]]:
    """For each public function of the paper's modules, the other ones that its source names."""
    known = {name.rsplit(".", 1)[1]: name for name in public_functions()}
    found: dict[str, set[str]] = {}
    for module in PAPER_MODULES:
        for node in ast.parse((PACKAGE / f"{module}.py").read_text()).body:
            if isinstance(node, ast.FunctionDef):
                names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
                found[f"lmlir.{module}.{node.name}"] = {
                    known[name] for name in names & set(known)
                } - {known.get(node.name)}
    return found


def dependencies() -> set[tuple[str, str]]:
    """Pairs (item, item it needs): some function of the first calls a function of the second."""
    owners: dict[str, list[str]] = {}
    for item in items():
        for function in item.functions:
            owners.setdefault(function, []).append(item.item)
    return {
        (user, used)
        for function, needed in calls().items()
        for callee in needed
        for user in owners.get(function, [])
        for used in owners.get(callee, [])
        if user != used
    }


def reduced(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The same order without the arrows that follow from others (loops of items that share a
    function fall away).
    """
    below: dict[str, set[str]] = {}
    for user, used in pairs:
        if (used, user) not in pairs:
            below.setdefault(user, set()).add(used)

    def reach(start: str) -> set[str]:
        found: set[str] = set()
        waiting = [start]
        while waiting:
            new = below.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return found

    return {
        (user, used)
        for user, all_used in below.items()
        for used in all_used
        if not any(used in reach(other) for other in all_used - {used})
    }
