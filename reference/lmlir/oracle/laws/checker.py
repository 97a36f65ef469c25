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
from lmlir.oracle.precision import PRECISIONS, Kinks, within
from lmlir.oracle.subjects.answers import in_single, numbers
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import Call, NotJudged, SubjectFailure, Violation

Answers = tuple[np.ndarray, ...]
Inputs = Case | Mapping[str, Any]
MAX_CONFIRMED_NUMBERS = 400  # in question and answer together
MAX_COMPARABLE = 1e130  # the squares of larger answers may overflow


class Checker:
    """Asks one subject the questions of one law, and counts what was visited.

    `plain` counts the questions whose arrays were made for them.
    """

    def __init__(
        self,
        subject: Subject,
        precision: str = "float64",
    ) -> None:
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
        self,
        function: str,
        inputs: Inputs,
        only: int | None = None,
        **changes: Any,
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
            call.single = in_single(answer)
            call.answer = numbers(function, answer, arguments, only)
        except SubjectFailure as failure:
            failure.calls = [call]
            raise
        finally:
            call.number = self.subject.asked
            call.printed = self.subject.printed
        return call.answer, answer

    def has_huge_answers(self) -> bool:
        """Whether some answer is too large to be compared with others."""
        for call in self.calls:
            for array in call.answer or ():
                if np.abs(array).max(initial=0.0) > MAX_COMPARABLE:
                    return True
        return False

    def ask(
        self,
        function: str,
        inputs: Inputs,
        **changes: Any,
    ) -> np.ndarray:
        """The only array (or number) of the answer."""
        return self.ask_all(function, inputs, **changes)[0]

    def allowed(
        self,
        function: str,
        inputs: Inputs,
        **changes: Any,
    ) -> list[Bracket]:
        """The brackets of the answer, rounded outwards to float64."""
        changed = {**inputs, **changes}
        brackets_of_call = brackets.for_call(function, changed, self.precision, self.kinks)
        return [_outwards(bracket) for bracket in brackets_of_call]

    def slack(
        self,
        function: str,
        inputs: Inputs,
        **changes: Any,
    ) -> np.ndarray:
        """How far two honest answers may differ: the width of the bracket of the only array."""
        return widths(self.allowed(function, inputs, **changes)[0])

    def check_values(
        self,
        function: str,
        case: Case,
        only: int | None = None,
    ) -> None:
        """Compare every number of the answer (or of one of its arrays) with its bracket.

        The case caches its brackets for the next subject. In cases of moderate size they are
        verified against the 50-digit values, every now and then and before a violation is raised.
        """
        refusal = self.subject.refusal(function, select(case.inputs, function))
        if refusal:  # before the brackets are computed
            raise NotJudged(refusal)
        key = function, self.precision.name
        if key not in case.memo:
            before = self.kinks.count
            allowed = self.allowed(function, case)
            case.memo[key] = allowed, self.kinks.count - before
            self.kinks.count = before
        allowed, kinks = case.memo[key]
        self.kinks.count += kinks
        if self.truth_wanted:
            self._confirm(function, case)
        answers = self.ask_all(function, case, only)
        names = FUNCTIONS[function].answers
        for index in range(len(names)) if only is None else [only]:
            lower, upper = allowed[index]
            try:
                self.within(f"{function}: {names[index]}", answers[index], lower, upper)
            except Violation:
                self._confirm(function, case)
                raise

    def _confirm(
        self,
        function: str,
        case: Case,
    ) -> None:
        key = function, self.precision.name
        allowed, _ = case.memo[key]
        size = case.size + sum(low.size for low, _ in allowed)
        if size <= MAX_CONFIRMED_NUMBERS and ("confirmed", *key) not in case.memo:
            confirm(function, case.inputs, allowed)
            case.memo["confirmed", *key] = True

    def within(
        self,
        name: str,
        got: Any,
        lower: Any,
        upper: Any,
        calls: int = 1,
    ) -> None:
        """Raise `Violation`, at the worst place, unless lower <= got <= upper everywhere.

        The last `calls` calls show it.
        """
        outside = ~(np.greater_equal(got, lower) & np.less_equal(got, upper))
        if not outside.any():
            return

        got, lower, upper, outside = np.broadcast_arrays(got, lower, upper, outside)
        with np.errstate(all="ignore"):
            excess = np.maximum(got - upper, lower - got)
        excess = np.where(np.isnan(excess), np.inf, excess)
        worst = np.argmax(np.where(outside, excess, -1))
        place = np.unravel_index(worst, got.shape)

        where = name
        if place:
            where = f"{name}[{', '.join(str(i) for i in place)}]"
        value = float(got[place])
        low = float(lower[place])
        high = float(upper[place])
        sentence = f"{where} is {value!r}; allowed is {within(low, high)}"
        raise Violation(
            sentence,
            self.calls[-calls:],
            where,
            value,
            low,
            high,
        )

    def near(
        self,
        name: str,
        got: Any,
        expected: Any,
        slack: Any,
        calls: int = 1,
    ) -> None:
        """Raise `Violation` if an entry of the answer is further than the slack from what is
        expected.

        The last `calls` calls show it.
        """
        self.within(name, got, expected - slack, expected + slack, calls)

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
        slack = widths(allowed) + widths(allowed if also is None else also)
        if (np.isinf(first) & np.isfinite(slack)).any():
            raise Violation(f"{name}: an answer is infinite", self.calls[-calls:])
        with np.errstate(invalid="ignore"):
            lower = np.where(np.isinf(slack), -np.inf, second - slack)
            upper = np.where(np.isinf(slack), np.inf, second + slack)
        self.within(name, first, lower, upper, calls)


def widths(bracket: Bracket) -> np.ndarray:
    """The width of a bracket, infinite where it has no ends."""
    low, high = bracket
    with np.errstate(invalid="ignore"):
        width = np.asarray(high - low)
    return np.nan_to_num(width, nan=np.inf, posinf=np.inf)


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
