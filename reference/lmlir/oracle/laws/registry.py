"""The registry: what a law is, and how one is entered."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle.cases import METRICS, POINTS, Case
from lmlir.oracle.checker import Checker
from lmlir.oracle.corner_cases import Cases
from lmlir.oracle.precision import Precision
from lmlir.oracle.strategies import Palette, Strategy

Check = Callable[..., None]  # of a checker and a case, and for a law that is asked of each function its name


@dataclass(frozen=True)
class Law:
    """One statement that a subject must satisfy, with the inputs on which it is tried."""

    name: str
    items: tuple[str, ...]
    statement: str
    functions: tuple[str, ...]
    check: Check
    strategy: Strategy
    corners: Cases | None = None
    any_of: bool = False
    weight: float = 1.0
    sweep: Callable[[], Iterator[Case]] | None = None  # in longer profiles in place of the corner cases

    def cases(self, precision: Precision, palette: Palette | None = None) -> st.SearchStrategy[Case]:
        """The strategy that finds inputs, in a number format and with the sizes of a palette."""
        return _strategy(self.strategy, precision, palette)

    def corner_cases(self, precision: Precision) -> list[Case]:
        """The corner cases that the number format can hold; made once, so that their brackets serve every subject."""
        return _corner_cases(self.corners, precision)

    def first_cases(self, precision: Precision, long: bool) -> Iterator[Case]:
        """What a run tries before random cases: the corner cases or, in long runs of a law that has one, its sweep."""
        if self.sweep is None or not long:
            return iter(self.corner_cases(precision))
        return (case.cast(precision.dtype) for case in self.sweep())

    def needs(self, offered: list[str]) -> list[str]:
        """The functions that this law misses among those offered (all of its functions when it can do with any)."""
        missing = [name for name in self.functions if name not in offered]
        return [] if self.any_of and len(missing) < len(self.functions) else missing


@functools.cache
def _strategy(strategy: Strategy, precision: Precision, palette: Palette | None) -> st.SearchStrategy[Case]:
    return strategy(precision, palette)


@functools.cache
def _corner_cases(corners: Cases | None, precision: Precision) -> list[Case]:
    return [case.cast(precision.dtype) for case in (corners() if corners else []) if in_range(case, precision)]


def in_range(case: Case, precision: Precision) -> bool:
    """Whether the points, radii and metrics of a case have sizes at which an honest program in this number format can work.

    A corner case is made for float64; in float32 the squares of its smallest numbers may vanish.
    """
    inputs = case.inputs
    lengths = [np.linalg.norm(inputs[name], axis=-1) for name in POINTS if name in inputs]
    norms = [np.linalg.norm(inputs[name], axis=(-2, -1)) for name in METRICS if name in inputs]
    for sizes, power in (([*lengths, inputs.get("radii", 0.0)], 1), (norms, 2)):
        limit = 2.0 ** (power * precision.scale_exponent)
        if any(np.any((size > limit) | ((size > 0) & (size < 1 / limit))) for size in sizes):
            return False
    return True


LAWS: list[Law] = []


def law(
    items: str, functions: str, cases: Strategy, corners: Cases | None = None, each: bool = False, **options: Any
) -> Callable[[Check], Check]:
    """Register a check as a law: its name is the law's, its docstring the statement.

    Items are separated by ``;``, functions by spaces. With `each` the check is asked of each function that is offered.
    """
    names = tuple(functions.split())

    def register(check: Check) -> Check:
        """The check itself, after it was made a law."""

        @functools.wraps(check)
        def of_each(checker: Checker, case: Case) -> None:
            for function in names:
                if checker.offers(function) and case.inputs.get("function", function) == function:
                    checker.calls = []
                    check(checker, case, function)

        parts = tuple(item.strip() for item in items.split(";"))
        statement = " ".join((check.__doc__ or "").split())
        if each:
            options["any_of"] = True
        asked = of_each if each else check
        LAWS.append(Law(check.__name__, parts, statement, names, asked, cases, corners, **options))
        return check

    return register


def by_name(name: str) -> Law:
    """The law with this name; a `ValueError` names those that come close."""
    for each in LAWS:
        if each.name == name:
            return each
    names, written = [each.name for each in LAWS], "_".join(name.lower().replace("-", " ").split())
    close = difflib.get_close_matches(written, names, n=1, cutoff=0.8)
    close = close or [each for each in names if written and written in each][:3]
    close = close or difflib.get_close_matches(written, names, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(close)}?" if close else ";"
    raise ValueError(f"there is no law {name}{hint} `lmlir laws` lists all {len(LAWS)}")
