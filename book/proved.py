"""What is proved where, as a picture: one row per statement, one column per kind of evidence,
counted by running the proofs.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
from figures import BLUE, FAINT, GREEN, GREY, INK, ORANGE

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))

from proofs.steps import BY_FLOATS, BY_NUMBERS, BY_SYMPY, IN_WORDS, find_proofs  # noqa: E402

CHECKED = {BY_SYMPY: "SymPy", BY_NUMBERS: "exact numbers", BY_FLOATS: "floats"}
COLUMNS = ("in words", *CHECKED.values(), "Coq", "search")
ROW_HEIGHT = 0.36  # inches
FORMAL_STATEMENTS = set(
    (ROOT / "proofs" / "formal" / "statements.txt").read_text(encoding="utf-8").split()
)


class Statement(NamedTuple):
    """A row: the statement, its proof in `proofs/`, the formal theorems that state it, and whether
    it was searched.
    """

    text: str
    proof: str
    formal: tuple[str, ...] = ()
    searched: bool = False


def evidence(statement: Statement) -> Counter[str]:
    """How many steps of its proof each kind of evidence has; one for each formal theorem, and one
    for a search.
    """
    (proof,) = (run() for _, run in find_proofs([f".prove_{statement.proof}"]))
    counts = Counter(CHECKED[step.checked] for step in proof.steps if step.checked in CHECKED)
    counts["in words"] = sum(step.checked == IN_WORDS and not step.formal for step in proof.steps)
    unknown = set(statement.formal) - FORMAL_STATEMENTS
    if unknown:
        raise ValueError(f"no formal theorem is called {' or '.join(sorted(unknown))}")
    counts["Coq"] = len(statement.formal)
    counts["search"] = int(statement.searched)
    return counts


def evidence_figure(statements: Sequence[Statement]) -> Any:
    """Draw the table: a number of steps for what was checked or argued, a tick for the whole
    statement.
    """
    colors = dict.fromkeys(CHECKED.values(), BLUE) | {
        "in words": ORANGE,
        "Coq": GREEN,
        "search": GREY,
    }
    figure, axes = plt.subplots(
        figsize=(7.4, ROW_HEIGHT * (len(statements) + 1.6)), layout="constrained"
    )
    for row, statement in enumerate(statements):
        axes.axhline(row + 0.5, color=FAINT, linewidth=0.6)
        counts = evidence(statement)
        for column, kind in enumerate(COLUMNS):
            if not counts[kind]:
                continue
            mark = "✓" if kind in ("Coq", "search") else str(counts[kind])
            axes.plot(column, row, "o", color=colors[kind], markersize=15, alpha=0.25)
            axes.text(column, row, mark, ha="center", va="center_baseline", color=INK, fontsize=10)
    axes.set_yticks(
        range(len(statements)), [statement.text for statement in statements], fontsize=9.5
    )
    axes.set_xticks(range(len(COLUMNS)), COLUMNS, fontsize=9.5)
    axes.set(xlim=(-0.5, len(COLUMNS) - 0.5), ylim=(len(statements) - 0.5, -0.5))
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure
