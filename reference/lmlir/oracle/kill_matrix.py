"""The kill matrix: which law rejects which mutant.

``python -m lmlir.oracle.kill_matrix`` tries every law on every mutant, prints the matrix and saves it beside this file,
where `lmlir check` (`lmlir.oracle.resemblance`) and the book look it up. Every mutant gets the cases that the runner would
give it, with the same seed; the cases of a law and their brackets are computed once and used for all mutants. The large
batches of the laws about behavior, which take longest, go only to the mutants that are said to misbehave.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle import runner, subjects
from lmlir.oracle.cases import Case
from lmlir.oracle.checker import Checker
from lmlir.oracle.interface import BEHAVIOR
from lmlir.oracle.laws import LAWS, Law, by_name
from lmlir.oracle.mutants import MUTANTS, Mutant, Original
from lmlir.oracle.resemblance import STORED
from lmlir.oracle.violations import SubjectFailure, Violation

Matrix = dict[str, Any]


def cases_of(law: Law, profile: str, seed: int) -> list[Case]:
    """All cases that the runner tries on a subject that satisfies the law."""
    found: list[Case] = []
    watched = replace(law, check=lambda checker, case: found.append(case))
    runner.run_law(watched, subjects.from_module(Original(), "original"), profile, "float64", seed, shrink=False)
    return found


def row_of_law(name: str, mutant_names: list[str], profile: str, seed: int) -> tuple[str, dict[str, int]]:
    """The name of a law, and the mutants that it rejects with the number of the example that showed it."""
    law = by_name(name)
    cases = cases_of(law, profile, seed)
    memory: dict[Any, Any] = {}
    numbers = {mutant: _first_violation(law, MUTANTS[mutant], cases, memory) for mutant in mutant_names}
    return name, {mutant: number for mutant, number in numbers.items() if number}


def _first_violation(law: Law, mutant: Mutant, cases: list[Case], memory: dict[Any, Any]) -> int:
    """The number of the first case on which a fresh mutant violates the law; 0 when it never does."""
    checker = RememberingChecker(subjects.from_module(mutant.make(), mutant.name), memory)
    behaves = law.items == (BEHAVIOR,) and BEHAVIOR not in mutant.items
    for number, case in enumerate(cases, start=1):
        if behaves and "large batch" in case.flags:
            continue
        checker.calls = []
        try:
            with np.errstate(all="ignore"):
                law.check(checker, case)
        except (Violation, SubjectFailure):
            return number
    return 0


class RememberingChecker(Checker):
    """A checker that computes the brackets of a question once and remembers them for the next subject."""

    def __init__(self, subject: subjects.Subject, memory: dict[Any, Any]) -> None:
        super().__init__(subject)
        self.memory = memory

    def allowed(self, function: str, inputs: Mapping[str, Any], **changes: Any) -> Any:
        """The brackets, looked up."""
        key = function, *(_fingerprint(value) for value in {**inputs, **changes}.items())
        if key not in self.memory:
            self.memory[key] = super().allowed(function, inputs, **changes)
        return self.memory[key]


def _fingerprint(item: tuple[str, Any]) -> Any:
    name, value = item
    return (name, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else (name, value)


def matrix_of(mutant_names: list[str], law_names: list[str], profile: str, seed: int, jobs: int) -> Matrix:
    """The whole matrix, with what is needed to read it."""
    arguments = [(name, mutant_names, profile, seed) for name in law_names]
    killed: dict[str, dict[str, int]] = {}
    with ProcessPoolExecutor(jobs) as pool:
        for number, (law, names) in enumerate(pool.map(row_of_law, *zip(*arguments, strict=True)), start=1):
            killed[law] = names
            print(f"{number:3d} of {len(law_names)}  {law}: {len(names)}", file=sys.stderr, flush=True)
    killers = {name: {law: killed[law][name] for law in law_names if name in killed[law]} for name in mutant_names}
    return {
        "profile": profile,
        "seed": seed,
        "laws": law_names,
        "kills": {law: len(killed[law]) for law in law_names},
        "alone": {law: [name for name in mutant_names if list(killers[name]) == [law]] for law in law_names},
        "survivors": [name for name in mutant_names if not killers[name]],
        "mutants": {
            name: {
                "description": MUTANTS[name].description,
                "items": list(MUTANTS[name].items),
                "function": MUTANTS[name].function,
                "killed_by": killers[name],
            }
            for name in mutant_names
        },
    }


# ---- showing ----


def as_text(matrix: Matrix) -> str:
    """The matrix to read: a column per law, a row per mutant, then the laws with their kills."""
    lines = [f"{number:4d}  {law}" for number, law in enumerate(matrix["laws"], start=1)]
    width = max(map(len, matrix["mutants"]), default=0)
    numbers = range(1, len(matrix["laws"]) + 1)
    lines += ["", " " * width + "  " + "".join(str(number // 10 or " ") for number in numbers)]
    lines += [" " * width + "  " + "".join(str(number % 10) for number in numbers)]
    for name, entry in matrix["mutants"].items():
        marks = "".join("x" if law in entry["killed_by"] else "." for law in matrix["laws"])
        lines.append(f"{name:{width}}  {marks}")
    lines += ["", " kills  alone  fewest  law"]
    for law in matrix["laws"]:
        sizes = [len(entry["killed_by"]) for entry in matrix["mutants"].values() if law in entry["killed_by"]]
        kills, alone = matrix["kills"][law], len(matrix["alone"][law])
        lines.append(f"{kills:6d} {alone:6d} {min(sizes, default=0):7d}  {law}")
    survivors = matrix["survivors"]
    lines += ["", f"{len(matrix['mutants'])} mutants, {len(matrix['laws'])} laws, {len(survivors)} survivors"]
    return "\n".join([*lines, *(f"  survives: {name}" for name in survivors)])


def write(matrix: Matrix, path: Path) -> None:
    """Save the matrix as JSON, one mutant a line."""
    head = {key: value for key, value in matrix.items() if key != "mutants"}
    rows = [f"    {json.dumps(name)}: {json.dumps(entry)}" for name, entry in matrix["mutants"].items()]
    text = json.dumps(head, indent=2)[:-2] + ',\n  "mutants": {\n' + ",\n".join(rows) + "\n  }\n}\n"
    path.write_text(text, encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Make, print and save the matrix; exit status 1 when a mutant survives."""
    parser = argparse.ArgumentParser(prog="python -m lmlir.oracle.kill_matrix", description=__doc__.split("\n")[0])
    parser.add_argument("--profile", default="quick", choices=("quick", "default", "thorough"))
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (default: all cores)"
    )
    parser.add_argument("--mutants", nargs="+", metavar="NAME", help="only these; nothing is saved")
    parser.add_argument("--laws", nargs="+", metavar="LAW", help="only these; nothing is saved")
    options = parser.parse_args(arguments)
    names, laws = options.mutants or list(MUTANTS), options.laws or [law.name for law in LAWS]
    matrix = matrix_of(names, laws, options.profile, options.seed, options.jobs)
    print(as_text(matrix))
    if not options.mutants and not options.laws:
        write(matrix, STORED)
    return 1 if matrix["survivors"] else 0


if __name__ == "__main__":
    sys.exit(main())
