"""The checker: asks the subject, keeps the record of the calls, and compares answers with brackets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lmlir.oracle import brackets
from lmlir.oracle.brackets import PRECISIONS, Bracket, Kinks
from lmlir.oracle.cases import Case
from lmlir.oracle.interface import FUNCTIONS, select, shaped
from lmlir.oracle.subjects import Subject, numbers
from lmlir.oracle.violations import Call, JudgeError, SubjectFailure, Violation

Answers = tuple[np.ndarray, ...]
LARGEST_CONFIRMED = 400
OUTLANDISH = 1e130


class Checker:
    """A subject in front of one law: its answers, the brackets, and counts of what was visited."""

    def __init__(self, subject: Subject, precision: str = "float64") -> None:
        self.subject = subject
        self.precision = PRECISIONS[precision]
        self.kinks = Kinks()
        self.rows: Counter[str] = Counter()
        self.calls: list[Call] = []
        self.truth_wanted = False

    def offers(self, function: str) -> bool:
        """Whether the subject offers this function."""
        return function in self.subject.functions

    def ask_all(self, function: str, inputs: Mapping[str, Any], **changes: Any) -> Answers:
        """The answer as a tuple of float64 arrays; raises `Violation` when there is no usable one."""
        arguments = select(shaped({**inputs, **changes}), function)
        given = copied(arguments)
        call = Call(function, arguments)
        self.calls.append(call)
        try:
            answer = numbers(function, self.subject.ask(function, given), arguments)
        except SubjectFailure as failure:
            raise Violation(failure.sentence, self.calls[-1:], said=failure.said, final=failure.final) from failure
        call.answer = answer
        return answer

    def outlandish(self) -> bool:
        """Whether some answer is so large that comparing it with others may fail."""
        answers = [part for call in self.calls if call.answer is not None for part in call.answer]
        return any(np.abs(part).max(initial=0.0) > OUTLANDISH for part in answers)

    def ask(self, function: str, inputs: Mapping[str, Any], **changes: Any) -> np.ndarray:
        """The only array (or number) of the answer."""
        return self.ask_all(function, inputs, **changes)[0]

    def allowed(self, function: str, inputs: Mapping[str, Any], **changes: Any) -> list[Bracket]:
        """The brackets of the answer, rounded outwards to float64."""
        arguments = select(shaped({**inputs, **changes}), function)
        return [_outwards(each) for each in brackets.for_call(function, arguments, self.precision, self.kinks)]

    def judge(self, function: str, inputs: Mapping[str, Any], only: int | None = None, **changes: Any) -> Answers:
        """Ask, and hold every number of the answer (or of one of its arrays) against its bracket."""
        answers = self.ask_all(function, inputs, **changes)
        allowed = self.allowed(function, inputs, **changes)
        for index, (name, got, bracket) in enumerate(zip(FUNCTIONS[function].answers, answers, allowed, strict=True)):
            if only is None or index == only:
                self.within(f"{function}: {name}", got, *bracket)
        return answers

    def judge_case(self, function: str, case: Case, only: int | None = None) -> None:
        """Ask about a case as it is, hold the answer against the brackets, and those against the truth where that is due."""
        arguments = select(shaped(case.inputs), function)
        key = function, self.precision.name
        if key not in case.memo:
            kinks = Kinks()
            allowed = [_outwards(each) for each in brackets.for_call(function, arguments, self.precision, kinks)]
            if self.truth_wanted and case.size <= LARGEST_CONFIRMED:
                confirm(function, arguments, allowed)
            case.memo[key] = allowed, kinks.count
        allowed, count = case.memo[key]
        self.kinks.count += count
        answers = self.ask_all(function, case.inputs)
        for index, (name, got, bracket) in enumerate(zip(FUNCTIONS[function].answers, answers, allowed, strict=True)):
            if only is not None and index != only:
                continue
            try:
                self.within(f"{function}: {name}", got, *bracket)
            except Violation:
                if case.size <= LARGEST_CONFIRMED:
                    confirm(function, arguments, allowed)
                raise

    def within(self, name: str, got: Any, lower: Any, upper: Any, sentence: str = "", calls: int = 1) -> None:
        """Raise `Violation` unless lower <= got <= upper everywhere; the worst place is named."""
        bad = ~(np.greater_equal(got, lower) & np.less_equal(got, upper))
        if not bad.any():
            return
        got, lower, upper, bad = np.broadcast_arrays(got, lower, upper, bad)
        with np.errstate(all="ignore"):
            excess = np.where(bad, np.maximum(got - upper, lower - got), -1)
        place = np.unravel_index(int(np.argmax(np.where(np.isnan(excess), np.inf, excess))), got.shape)
        where = f"{name}[{', '.join(str(int(i)) for i in place)}]" if place else name
        value, low, high = float(got[place]), float(lower[place]), float(upper[place])
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
        """Raise `Violation` unless two answers to what is one question differ by no more than their brackets' widths."""
        with np.errstate(invalid="ignore"):
            width = allowed[1] - allowed[0]
            width = width + (width if also is None else also[1] - also[0])
        width = np.where(np.isnan(width), np.inf, width)
        infinite = np.isinf(first) & np.isfinite(width)
        if infinite.any():
            raise Violation(f"{name}: an answer is infinite", self.calls[-calls:])
        with np.errstate(invalid="ignore"):
            lower, upper = second - width, second + width
        self.within(name, first, np.nan_to_num(lower, nan=-np.inf, posinf=np.inf, neginf=-np.inf), upper, calls=calls)


def confirm(function: str, arguments: Mapping[str, Any], allowed: list[Bracket]) -> None:
    """Check that the brackets contain the truth, to 50 digits; a `JudgeError` says that the oracle itself is wrong."""
    from lmlir.oracle import exact

    for true, (low, high) in zip(exact.for_call(function, arguments), allowed, strict=True):
        true = true.reshape(low.shape)
        for place in np.ndindex(low.shape):
            if not float(low[place]) <= true[place] <= float(high[place]):
                raise JudgeError(
                    f"the oracle is wrong: its bracket for {function} at {place}, {low[place]} to {high[place]}, "
                    f"does not contain the truth {true[place]}"
                )


def copied(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The same arguments, in arrays of their own."""
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in arguments.items()}


def _outwards(bracket: Bracket) -> Bracket:
    """Float64 ends that contain the longer ones."""
    low, high = bracket[0].astype(np.float64), bracket[1].astype(np.float64)
    low = np.where(low > bracket[0], np.nextafter(low, -np.inf), low)
    high = np.where(high < bracket[1], np.nextafter(high, np.inf), high)
    return low, high


Check = Callable[[Checker, Any], None]
