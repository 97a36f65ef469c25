"""The kill matrix: which law rejects which mutant.

``make mutants`` tries every law on every mutant, prints the matrix and writes it to
`known_slips.json`, beside this file. Every mutant gets the cases that the runner draws for it. The
cases of a law and their brackets are computed once for all mutants.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from lmlir.oracle import subjects
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.judging.judge import run_law
from lmlir.oracle.laws import LAWS, Law, by_name
from lmlir.oracle.laws.checker import Checker, Inputs
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import SubjectFailure, Violation
from tests.oracle.mutants import MUTANTS, Original

STORED = Path(__file__).with_name("known_slips.json")


class Slip(TypedDict):
    """A known slip in one sentence, and the names of the laws that it violates, sorted."""

    slip: str
    violates: list[str]


@cache
def known_slips() -> dict[str, Slip]:
    """The matrix that was written last, by the names of the mutants."""
    slips: dict[str, Slip] = json.loads(STORED.read_text(encoding="utf-8"))
    return slips


def cases_of(law: Law, profile: str, seed: int) -> list[Case]:
    """All cases that the runner tries on a subject that satisfies the law."""
    found: list[Case] = []
    watched = replace(law, check=lambda checker, case: found.append(case))
    run_law(
        watched,
        subjects.from_module(Original(), "original"),
        profile,
        "float64",
        seed,
        shrink=False,
    )
    return found


def rejected_by(name: str, mutants: list[str]) -> list[str]:
    """The mutants that the law with this name rejects; raises AssertionError when it rejects the
    honest original.
    """
    law = by_name(name)
    cases = cases_of(law, "quick", seed=0)
    memory: dict[Any, Any] = {}
    assert not _rejects(law, Original(), cases, memory), f"{name} rejects the original"
    return [mutant for mutant in mutants if _rejects(law, MUTANTS[mutant].make(), cases, memory)]


def _rejects(law: Law, subject: Any, cases: list[Case], memory: dict[Any, Any]) -> bool:
    """Whether the law finds a violation in one of the cases."""
    checker = RememberingChecker(subjects.from_module(subject), memory)
    for case in cases:
        checker.calls = []
        try:
            with np.errstate(all="ignore"):
                law.check(checker, case)
        except (Violation, SubjectFailure):
            return True
    return False


class RememberingChecker(Checker):
    """A checker that looks up brackets that were computed for another subject."""

    def __init__(self, subject: Subject, memory: dict[Any, Any]) -> None:
        super().__init__(subject)
        self.memory = memory

    def allowed(self, function: str, inputs: Inputs, **changes: Any) -> Any:
        """The brackets of a question."""
        arrays = {name: np.asarray(value) for name, value in {**inputs, **changes}.items()}
        key = function, *((name, value.shape, value.tobytes()) for name, value in arrays.items())
        if key not in self.memory:
            self.memory[key] = super().allowed(function, inputs, **changes)
        return self.memory[key]


def as_text(slips: Mapping[str, Slip], laws: list[str]) -> str:
    """The matrix, one row per mutant and one column per law, then the laws, then the mutants that
    no law rejects.
    """
    width = max(map(len, slips))
    marks = {
        name: "".join("x" if law in slip["violates"] else "." for law in laws)
        for name, slip in slips.items()
    }
    lines = [f"{name:{width}}  {row}" for name, row in marks.items()]
    for column, law in enumerate(laws):
        kills = sum(row[column] == "x" for row in marks.values())
        lines.append(f"column {column + 1:2d}, {kills:2d} kills: {law}")
    survivors = [name for name, slip in slips.items() if not slip["violates"]]
    return "\n".join(
        [*lines, f"{len(slips)} mutants, {len(laws)} laws, {len(survivors)} survivors", *survivors]
    )


def main() -> int:
    """Make, print and store the matrix; return 1 when a mutant survives."""
    laws = sorted(law.name for law in LAWS)
    slips: dict[str, Slip] = {
        name: {"slip": mutant.slip, "violates": []} for name, mutant in MUTANTS.items()
    }
    with ProcessPoolExecutor() as pool:
        for law, rejected in zip(
            laws, pool.map(rejected_by, laws, repeat(list(MUTANTS))), strict=True
        ):
            print(f"{law}: {len(rejected)}", file=sys.stderr, flush=True)
            for name in rejected:
                slips[name]["violates"].append(law)
    print(as_text(slips, laws))
    rows = [f"{json.dumps(name)}: {json.dumps(slip)}" for name, slip in slips.items()]
    STORED.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    return 0 if all(slip["violates"] for slip in slips.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
