"""The checker: asks the subject, records the calls, and compares answers with brackets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from lmlir.oracle.allowed import brackets
from lmlir.oracle.allowed.brackets import Bracket
from lmlir.oracle.allowed.exact import confirm
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.interface import FUNCTIONS, select
from lmlir.oracle.precision import PRECISIONS, Kinks
from lmlir.oracle.subjects.answers import in_single, numbers
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import Call, SubjectFailure, Violation

Answers = tuple[np.ndarray, ...]
MAX_CONFIRMED_NUMBERS = 400  # in question and answer together
MAX_COMPARABLE = 1e130  # the squares of larger answers may overflow


class Checker:
    """Asks one subject the questions of one law, and counts what was visited.

    `plain` counts the questions whose arrays were made for them.
    """

    def __init__(self, subject: Subject, precision: str = "float64") -> None:
        self.subject = subject
        self.precision = PRECISIONS[precision]
        self.kinks = Kinks()
        self.rows: Counter[str] = Counter()
        self.calls: list[Call] = []
        self.truth_wanted = False
        self.plain = 0

    def offers(self, function: str) -> bool:
        """Whether the subject offers this function."""
        return function in self.subject.offers

    def ask_all(
        self, function: str, inputs: Mapping[str, Any], only: int | None = None, **changes: Any
    ) -> Answers:
        """The answer as a tuple of float64 arrays.

        Raises `Violation` if it, or the `only` array needed, is not usable.
        """
        arguments = select({**inputs, **changes}, function)
        self.plain += 1
        return self.ask_with(function, arguments, copied(arguments), only)[0]

    def ask_with(
        self,
        function: str,
        arguments: dict[str, Any],
        given: dict[str, Any],
        only: int | None = None,
    ) -> tuple[Answers, Any]:
        """Ask with the arrays `given`, which equal the arguments.

        Return the answer as float64 arrays, and unchanged.

        If `only` one array of the answer is needed, the others may contain NaN.
        """
        call = Call(function, arguments)
        self.calls.append(call)
        try:
            answer = self.subject.ask(function, given)
            call.number, call.single = self.subject.asked, in_single(answer)
            call.answer = numbers(function, answer, arguments, only)
        except SubjectFailure as failure:
            call.number = self.subject.asked
            failure.calls = [call]
            raise
        return call.answer, answer

    def outlandish(self) -> bool:
        """Whether some answer is too large to be compared with others."""
        answers = [part for call in self.calls if call.answer is not None for part in call.answer]
        return any(np.abs(part).max(initial=0.0) > MAX_COMPARABLE for part in answers)

    def ask(self, function: str, inputs: Mapping[str, Any], **changes: Any) -> np.ndarray:
        """The only array (or number) of the answer."""
        return self.ask_all(function, inputs, **changes)[0]

    def allowed(self, function: str, inputs: Mapping[str, Any], **changes: Any) -> list[Bracket]:
        """The brackets of the answer, rounded outwards to float64."""
        found = brackets.for_call(function, {**inputs, **changes}, self.precision, self.kinks)
        return [_outwards(each) for each in found]

    def check_values(self, function: str, case: Case, only: int | None = None) -> None:
        """Compare every number of the answer (or of one of its arrays) with its bracket.

        The case caches its brackets for the next subject. In cases of moderate size they are
        verified against the 50-digit values, every now and then and before a violation is raised.
        """
        key = function, self.precision.name
        if key not in case.memo:
            before = self.kinks.count
            allowed = self.allowed(function, case.inputs)
            case.memo[key] = allowed, self.kinks.count - before
            self.kinks.count = before
        allowed, kinks = case.memo[key]
        self.kinks.count += kinks
        if self.truth_wanted:
            self._confirm(function, case)
        answers = self.ask_all(function, case.inputs, only)
        for index, (name, got, bracket) in enumerate(
            zip(FUNCTIONS[function].answers, answers, allowed, strict=True)
        ):
            if only is not None and index != only:
                continue
            try:
                self.within(f"{function}: {name}", got, *bracket)
            except Violation:
                self._confirm(function, case)
                raise

    def _confirm(self, function: str, case: Case) -> None:
        key = function, self.precision.name
        allowed, _ = case.memo[key]
        size = case.size + sum(low.size for low, _ in allowed)
        if size <= MAX_CONFIRMED_NUMBERS and ("confirmed", *key) not in case.memo:
            confirm(function, case.inputs, allowed)
            case.memo["confirmed", *key] = True

    def within(
        self, name: str, got: Any, lower: Any, upper: Any, sentence: str = "", calls: int = 1
    ) -> None:
        """Raise `Violation`, at the worst place, unless lower <= got <= upper everywhere."""
        bad = ~(np.greater_equal(got, lower) & np.less_equal(got, upper))
        if not bad.any():
            return
        got, lower, upper, bad = np.broadcast_arrays(got, lower, upper, bad)
        with np.errstate(all="ignore"):
            excess = np.where(bad, np.maximum(got - upper, lower - got), -1)
        place = np.unravel_index(
            int(np.argmax(np.where(np.isnan(excess), np.inf, excess))), got.shape
        )
        where = f"{name}[{', '.join(str(int(i)) for i in place)}]" if place else name
        value = float(got[place])
        low = float(lower[place])
        high = float(upper[place])
        text = sentence or f"{where} is {value!r}; allowed is {low!r} to {high!r}"
        raise Violation(text, self.calls[-calls:], where, value, low, high)

    def agree(
        self,
        name: str,
        first: np.ndarray,
        second: np.ndarray,
        allowed: Bracket,
        also: Bracket | None = None,
        calls: int = 2,
    ) -> None:
        """Raise `Violation` if two answers to the same question differ by more than the widths of
        their brackets.
        """
        wide = widths(allowed)
        wide = wide + (wide if also is None else widths(also))
        if (np.isinf(first) & np.isfinite(wide)).any():
            raise Violation(f"{name}: an answer is infinite", self.calls[-calls:])
        with np.errstate(invalid="ignore"):
            lower = np.where(np.isinf(wide), -np.inf, second - wide)
            upper = np.where(np.isinf(wide), np.inf, second + wide)
        self.within(name, first, lower, upper, calls=calls)


def widths(bracket: Bracket) -> np.ndarray:
    """The width of a bracket, infinite where it has no ends."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nan_to_num(bracket[1] - bracket[0], nan=np.inf, posinf=np.inf))


def copied(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The same arguments in new arrays."""
    return {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in arguments.items()
    }


def _outwards(bracket: Bracket) -> Bracket:
    """Float64 ends that contain the longer ones."""
    low = bracket[0].astype(np.float64)
    high = bracket[1].astype(np.float64)
    low = np.where(low > bracket[0], np.nextafter(low, -np.inf), low)
    high = np.where(high < bracket[1], np.nextafter(high, np.inf), high)
    return low, high
