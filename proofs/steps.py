"""What a proof is: what is given, numbered steps, a conclusion; and each step says who checked it.

A step is checked by SymPy (an identity of symbols), by exact numbers (integers and fractions, every
case of a finite list), in floating point where a function has logarithms or eigenvalues, or it is
argued in words. Most checked steps run the shipped functions; some are algebra between two such
steps, and their text names no function. Every proof runs at least one shipped function: it has a
breakage. A check that comes out false ends the proof.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import Any

from lmlir.terminal import wrapped

MODULES = (
    "regions",
    "intersection",
    "distance",
    "classifier",
    "continuity",
    "modulus",
    "exact_modulus",
    "objective",
    "gradient",
    "initialization",
    "descent",
    "hull",
    "compression",
    "extinction",
    "learning",
)
BY_SYMPY = "by SymPy"
BY_NUMBERS = "exact numbers"
BY_FLOATS = "floating point"
IN_WORDS = "in words"


class Rejected(AssertionError):
    """A step of a proof is false."""


@dataclass(frozen=True)
class Step:
    """One numbered step: what it says and how it was checked."""

    number: int
    text: str
    checked: str
    formal: str = ""  # the theorem of proofs/formal that proves this step, too

    def __str__(self) -> str:
        return f"{self.text}  [{self.checked}{f'; formal: {self.formal}' if self.formal else ''}]"


@dataclass
class Proof:
    """A proof while it is written, and when it is done."""

    name: str
    items: tuple[str, ...]
    title: str
    assumptions: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    conclusion: str = ""
    seconds: float = 0.0

    def given(self, *texts: str) -> None:
        """What the proof starts from."""
        self.assumptions.extend(texts)

    def by_sympy(self, text: str, *checks: object, formal: str = "") -> None:
        """A step that SymPy has checked."""
        self._add(text, BY_SYMPY, checks, formal)

    def by_numbers(self, text: str, *checks: object, formal: str = "") -> None:
        """A step that exact arithmetic has checked."""
        self._add(text, BY_NUMBERS, checks, formal)

    def by_floats(self, text: str, *checks: object, formal: str = "") -> None:
        """A step that was tried in floating point, where the function knows nothing else."""
        self._add(text, BY_FLOATS, checks, formal)

    def in_words(self, text: str, formal: str = "") -> None:
        """A step that a reader has to check, or that a formal theorem proves."""
        self.steps.append(Step(len(self.steps) + 1, text, IN_WORDS, formal))

    def therefore(self, text: str) -> None:
        """The conclusion; a proof that has checked nothing has none."""
        if not any(step.checked != IN_WORDS for step in self.steps):
            raise Rejected(f"{self.name} checks nothing")
        self.conclusion = text

    def _add(self, text: str, checked: str, checks: tuple[object, ...], formal: str) -> None:
        if not checks:
            raise Rejected(f"{self.name}, step {len(self.steps) + 1} checks nothing: {text}")
        for check in checks:
            if check is not True:
                raise Rejected(f"{self.name}, step {len(self.steps) + 1} is false: {text}")
        self.steps.append(Step(len(self.steps) + 1, text, checked, formal))

    def __str__(self) -> str:
        lines = [*wrapped(self.title), ""]
        for assumption in self.assumptions:
            lines += wrapped(assumption, "  Given     ")
        for step in self.steps:
            lines += wrapped(str(step), f"  {step.number:>6}.   ")
        lines += wrapped(self.conclusion, "  Therefore ")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """What `--json` writes."""
        return {
            "name": self.name,
            "items": list(self.items),
            "title": self.title,
            "given": self.assumptions,
            "steps": [{**asdict(step), "formal": step.formal or None} for step in self.steps],
            "conclusion": self.conclusion,
            "verdict": "proved",
            "seconds": round(self.seconds, 3),
        }


def proof_of(*items: str) -> Callable[[Callable[[Proof], None]], Callable[[], Proof]]:
    """Turns a function that writes its steps into a Proof into one that runs it; its docstring is
    the theorem.
    """

    def decorate(write: Callable[[Proof], None]) -> Callable[[], Proof]:
        @functools.wraps(write)
        def run() -> Proof:
            title = " ".join((write.__doc__ or "").split())
            proof = Proof(f"{write.__module__}.{write.__name__}", items, title)
            start = time.process_time()
            write(proof)
            proof.seconds = time.process_time() - start
            if not proof.conclusion:
                raise Rejected(f"{proof.name} has no conclusion")
            return proof

        run.items = items  # type: ignore[attr-defined]
        return run

    return decorate


def all_proofs() -> Iterator[tuple[str, Callable[[], Proof]]]:
    """Every `prove_*` of every module, in the order of the paper, by dotted name."""
    for module in MODULES:
        for name, function in vars(import_module(f"proofs.{module}")).items():
            if name.startswith("prove_"):
                yield f"proofs.{module}.{name}", function


def find_proofs(names: list[str]) -> list[tuple[str, Callable[[], Proof]]]:
    """The proofs whose module or name contains one of the names; all when none is given."""
    every = list(all_proofs())
    if not names:
        return every
    found = [(full, run) for full, run in every if any(name in full for name in names)]
    if not found:
        raise ValueError(
            f"no proof is called {' or '.join(names)}; python -m proofs --list names them all"
        )
    return found
