"""Asking again: a counterexample is put to fresh subjects, and one that does not repeat is traced to earlier calls.

First the calls that the report shows are asked again, with arrays of their own. Where the answers are others than before, the
whole law is tried again on the same case. What then depends on calls of earlier cases, or of other laws, is looked for among
the calls that the subject remembers: the fewest of them after which the last call of the counterexample gets another answer
than when it is asked first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lmlir.oracle.brackets import PRECISIONS
from lmlir.oracle.cases import Case
from lmlir.oracle.checker import Answers, Checker, copied
from lmlir.oracle.laws import Law
from lmlir.oracle.subjects import Subject, numbers
from lmlir.oracle.violations import Call, CannotBeJudged, SubjectFailure, Violation

TIMES = 3
CULPRITS = 3  # so many of the calls may be the one that depends on others
DEPENDS = "It depends on earlier calls or on threads"


@dataclass
class Again:
    """What came of asking again: on how many fresh subjects the calls, or else the law, showed the same.

    Where earlier calls were found on which the answer depends, they and the last call are the sequence, and `first` is what
    that last call is answered when it is the first one.
    """

    calls: list[bool] = field(default_factory=list)
    law: list[bool] = field(default_factory=list)
    sequence: list[Call] = field(default_factory=list)
    first: Any = None
    problem: str = ""

    @property
    def repeats(self) -> bool:
        """Whether the calls by themselves showed the same each time."""
        return bool(self.calls) and all(self.calls)

    @property
    def sentence(self) -> str:
        """What there is to say, in words."""
        if not self.calls:
            return f"It could not be asked again: {self.problem}." if self.problem else ""
        if self.repeats:
            return f"Asked again on {_subjects(len(self.calls))}: the same."
        if self.law and all(self.law):
            told = f"On {_subjects(len(self.law))} the law fails again"
            told += "; its calls alone, with arrays of their own, do not show it"
        else:
            told = f"{DEPENDS}: on {_subjects(len(self.law) or len(self.calls))} the law failed {_times(sum(self.law))}"
        if self.sequence:
            return f"{told}. The shortest sequence found that shows it has {len(self.sequence)} calls."
        return f"{told}. No sequence of calls was found that shows it."


def _subjects(count: int) -> str:
    return "a fresh subject" if count == 1 else f"{count} fresh subjects"


def _times(count: int) -> str:
    return {0: "not once", 1: "once", 2: "twice"}.get(count, f"{count} times")


def asked_again(law: Law, found: Violation, subject: Subject, precision: str, seconds: float) -> Again:
    """Ask fresh subjects what one subject answered wrongly; at least one, and no more after some seconds."""
    again, end = Again(), time.monotonic() + seconds
    eps = PRECISIONS[precision].eps
    history = found.history
    try:
        for number in range(TIMES):
            if number and (found.final or time.monotonic() > end):
                break
            with _fresh(subject) as other:
                again.calls.append(_repeated(other, found.calls, eps))
            if not again.calls[-1]:
                break
        if again.repeats or found.final:
            return again
        for number in range(TIMES):
            if number and time.monotonic() > end:
                break
            with _fresh(subject) as other:
                again.law.append(_fails(law, found.case, other, precision))
                if again.law[-1]:
                    history = other.remembers() if all(again.law) else history
        if subject.may_search():
            _Search(subject, eps, end).fill(again, found.calls, history)
    except (CannotBeJudged, SubjectFailure) as problem:
        again.problem = str(problem)
    return again


@contextmanager
def _fresh(subject: Subject) -> Iterator[Subject]:
    other = subject.fresh()
    if other is None:
        raise CannotBeJudged("a subject in this process cannot be made afresh")
    try:
        yield other
    finally:
        other.close()


def _answer(subject: Subject, call: Call) -> Answers | None:
    """The answer to a call, NaN allowed; None when there is none."""
    try:
        return numbers(call.function, subject.ask(call.function, copied(call.arguments)), call.arguments, only=-1)
    except SubjectFailure:
        if subject.given_up:
            raise
        return None


def _same(one: Answers | None, two: Answers | None, eps: float) -> bool:
    """Whether two answers are the same but for a few roundings, in case sums are taken in another order."""
    one, two = (None if each is None or any(np.isnan(part).any() for part in each) else each for each in (one, two))
    if one is None or two is None:
        return one is two
    with np.errstate(all="ignore"):
        for a, b in zip(one, two, strict=True):
            slack = eps * (256 * np.abs(b) + 64 * np.abs(b[np.isfinite(b)]).max(initial=0.0)) + 1e-300
            if not np.all((a == b) | (np.abs(a - b) <= slack)):
                return False
    return True


def _repeated(subject: Subject, calls: Sequence[Call], eps: float) -> bool:
    return all(_same(_answer(subject, call), call.answer, eps) for call in calls)


def _fails(law: Law, case: Case, subject: Subject, precision: str) -> bool:
    """Whether the law fails on this case again."""
    try:
        with np.errstate(all="ignore"):
            law.check(Checker(subject, precision), case)
    except (Violation, SubjectFailure, ArithmeticError, ValueError):  # the last two: answers too large to compute with
        return True
    return False


class _Search:
    """Looks for the shortest sequence of earlier calls after which a call gets another answer."""

    def __init__(self, subject: Subject, eps: float, end: float) -> None:
        self.subject, self.eps, self.end = subject, eps, end

    def fill(self, again: Again, calls: Sequence[Call], history: Sequence[Call]) -> None:
        """Enter what is found."""
        for call in reversed(calls[-CULPRITS:]):
            with _fresh(self.subject) as other:
                first = _answer(other, call)
            if _same(call.answer, first, self.eps):
                continue
            earlier = [each for each in history if each.number < call.number] or list(history)
            found = self._shortest(earlier, call, first)
            if found:
                again.sequence, again.first = found, first
                return

    def _shortest(self, earlier: list[Call], call: Call, first: Answers | None) -> list[Call]:
        shown: list[Call] = []

        def shows(before: list[Call]) -> bool:
            with _fresh(self.subject) as other:
                answered = [replace(each, answer=_answer(other, each)) for each in [*before, call]]
            if _same(answered[-1].answer, first, self.eps):
                return False
            shown[:] = answered
            return True

        length = 1
        while not shows(earlier[-length:]):
            if length >= len(earlier) or time.monotonic() > self.end:
                return []
            length *= 2
        before = fewer(earlier[-length:], shows, lambda: time.monotonic() > self.end)
        return shown if all(shows(before) for _ in range(TIMES)) else []  # else it was chance


def fewer(calls: list[Any], shows: Callable[[list[Any]], bool], out_of_time: Callable[[], bool]) -> list[Any]:
    """A sequence without the parts, ever smaller ones, that can be left out while it still shows something.

    >>> fewer(list(range(9)), lambda part: {2, 7} <= set(part), lambda: False)
    [2, 7]
    """
    size = (len(calls) + 1) // 2
    while size and not out_of_time():
        start = 0
        while start < len(calls) and not out_of_time():
            part = calls[:start] + calls[start + size :]
            if part and shows(part):
                calls = part
            else:
                start += size
        size //= 2
    return calls
