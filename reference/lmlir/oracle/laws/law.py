"""What a law is, and how one is registered."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.corner_cases import Cases
from lmlir.oracle.inputs.random_cases import Palette, Strategy
from lmlir.oracle.interface import BEHAVIOR, of_kind
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.precision import Precision
from lmlir.oracle.subjects.failures import NotJudged

MAX_SMALL_CASE = 2000  # numbers in a corner case that is tried before any random case
KINDS = ("mathematics", "behavior", "contract")

# takes a checker and a case, and the name of a function if the law is tried on each
Check = Callable[..., None]


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
    kind: str = "mathematics"
    any_of: bool = False
    weight: float = 1.0
    # it is about memory or threads, which the judge does not share with a program
    in_memory: bool = False
    # longer profiles try it instead of the corner cases
    sweep: Callable[[], Iterator[Case]] | None = None

    def cases(
        self,
        precision: Precision,
        palette: Palette | None = None,
    ) -> st.SearchStrategy[Case]:
        """Return the strategy that draws inputs, in a number format and with the sizes of a
        palette.
        """
        return _strategy(self.strategy, precision, palette)

    def corner_cases(self, precision: Precision) -> list[Case]:
        """Return the corner cases that the number format can hold; cached, so that brackets are
        computed once.
        """
        return _corner_cases(self.corners, precision)

    def first_cases(
        self,
        precision: Precision,
        long: bool,
    ) -> Iterator[Case]:
        """Return what a run tries before random cases: the corner cases or, in long runs, the sweep
        if there is one.
        """
        if self.sweep is None or not long:
            return iter(self.corner_cases(precision))
        return (case.cast(precision.dtype) for case in self.sweep())

    def has_small_case(self, precision: Precision) -> bool:
        """Whether a corner case is small."""
        return any(case.size <= MAX_SMALL_CASE for case in self.corner_cases(precision))

    def needs(self, offered: list[str]) -> list[str]:
        """Return the functions that the law needs and the subject does not offer; any one will do
        if `any_of` is set.
        """
        missing = [name for name in self.functions if name not in offered]
        if self.any_of and len(missing) < len(self.functions):
            return []
        return missing


@functools.cache
def _strategy(
    strategy: Strategy,
    precision: Precision,
    palette: Palette | None,
) -> st.SearchStrategy[Case]:
    return strategy(precision, palette)


@functools.cache
def _corner_cases(corners: Cases | None, precision: Precision) -> list[Case]:
    if corners is None:
        return []
    return [case.cast(precision.dtype) for case in corners() if in_range(case, precision)]


def in_range(case: Case, precision: Precision) -> bool:
    """Whether an honest program in this number format can work with points, radii and metrics of
    these sizes.

    A corner case is made for float64; in float32 the squares of its smallest numbers may underflow.
    """
    longest = 2.0**precision.scale_exponent
    for name in of_kind(case.inputs, "points"):
        if not _all_within(np.linalg.norm(case[name], axis=-1), longest):
            return False
    for name in of_kind(case.inputs, "radii"):
        if not _all_within(case[name], longest):
            return False
    for name in of_kind(case.inputs, "metrics"):
        if not _all_within(np.linalg.norm(case[name], axis=(-2, -1)), longest**2):
            return False
    return True


def _all_within(sizes: np.ndarray, largest: float) -> bool:
    """Whether sizes that are not 0 lie between 1 / largest and largest."""
    is_outside = (sizes > largest) | ((sizes > 0) & (sizes < 1 / largest))
    return not is_outside.any()


REGISTERED: list[Law] = []


def law(
    items: str,
    functions: str,
    cases: Strategy,
    corners: Cases | None = None,
    each: bool = False,
    **options: Any,
) -> Callable[[Check], Check]:
    """Register a check as a law: its name is the law's name, its docstring the statement.

    Items are separated by ``;``, functions by spaces. With `each` the check runs once per function
    that is offered.
    """
    names = tuple(functions.split())
    if items == BEHAVIOR:
        options.setdefault("kind", "behavior")

    def register(check: Check) -> Check:
        @functools.wraps(check)
        def check_each(checker: Checker, case: Case) -> None:
            not_judged = None
            for function in names:
                if checker.offers(function) and case.inputs.get("function", function) == function:
                    checker.calls = []
                    try:
                        check(checker, case, function)
                    except NotJudged as reason:
                        not_judged = not_judged or reason
            if not_judged is not None:
                raise not_judged

        if each:
            options["any_of"] = True
        registered = Law(
            name=check.__name__,
            items=tuple(item.strip() for item in items.split(";")),
            statement=" ".join((check.__doc__ or "").split()),
            functions=names,
            check=check_each if each else check,
            strategy=cases,
            corners=corners,
            **options,
        )
        REGISTERED.append(registered)
        return check

    return register
