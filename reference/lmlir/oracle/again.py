"""Asking again: a counterexample is put to fresh subjects, and one that does not repeat is traced to earlier calls.

The law is tried again on the same case. Where it does no more than ask, with arrays made for each question, its calls are asked
again, too, because the report shows them. What depends on calls of earlier cases, or of other laws, is looked for among the
calls that the subject remembers: the fewest of them after which a call of the counterexample gets another answer than when it
is asked first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lmlir.oracle.cases import Case
from lmlir.oracle.checker import Answers, Checker, copied
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws import Law
from lmlir.oracle.precision import PRECISIONS
from lmlir.oracle.subjects import RemoteAnswer, Subject, numbers
from lmlir.oracle.violations import Call, CannotBeJudged, SubjectFailure, Violation

TIMES = 3
CULPRITS = 3  # so many of the calls may be the one that depends on others
DEPENDS = "It depends on earlier calls or on threads"


@dataclass
class Again:
    """What came of asking again: on which fresh subjects the law failed, and whether its calls got the same answers.

    A special law does more than ask. Where earlier calls were found on which an answer depends, they and the last call are
    the sequence, and `first` is what that last call is answered when it is the first one.
    """

    law: list[bool] = field(default_factory=list)
    special: bool = False
    same: bool = False
    sequence: list[Call] = field(default_factory=list)
    first: Answers | None = None
    problem: str = ""

    @property
    def repeats(self) -> bool:
        """Whether the law failed on every fresh subject."""
        return bool(self.law) and all(self.law)

    @property
    def sentence(self) -> str:
        """What there is to say, in words."""
        if not self.law:
            return f"It could not be asked again: {self.problem}."
        told = f"On {_subjects(len(self.law))} the law fails again"
        if self.repeats and self.special:
            return f"{told}; the calls alone need not show it, because the law does more than ask."
        if self.repeats and self.same:
            return f"Asked again on {_subjects(len(self.law))}: the same."
        if self.repeats:
            told += ", but its calls get other answers"
        else:
            told = f"{DEPENDS}: on {_subjects(len(self.law))} the law failed {_times(sum(self.law))}"
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
                fails, again.special = _tried(law, found.case, other, precision)
                again.law.append(fails)
                history = other.remembers() if again.repeats else found.history
        if found.final or (again.repeats and again.special):
            return again
        if again.repeats:
            with _fresh(subject) as other:
                again.same = all(_same(_answer(other, call), call.answer, eps) for call in found.calls)
        if not again.same and subject.may_search():
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
    """The answer to a call, NaN allowed, in whatever shapes where the call had an answer before; None when there is none."""
    try:
        answer = subject.ask(call.function, copied(call.arguments))
        if call.answer is None:
            return numbers(call.function, answer, call.arguments, only=-1)
        answer = answer.look() if isinstance(answer, RemoteAnswer) else answer
        parts = (answer,) if FUNCTIONS[call.function].single else tuple(answer)
        return tuple(np.array(part, dtype=np.float64) for part in parts)
    except SubjectFailure:
        if subject.given_up:
            raise
    except (TypeError, ValueError, LookupError):
        pass
    return None


def _same(one: Answers | None, two: Answers | None, eps: float) -> bool:
    """Whether two answers are the same but for a few roundings, in case sums are taken in another order."""
    one, two = (None if each is None or any(np.isnan(part).any() for part in each) else each for each in (one, two))
    if one is None or two is None:
        return one is two
    if len(one) != len(two) or any(a.shape != b.shape and a.size + b.size for a, b in zip(one, two, strict=True)):
        return False
    with np.errstate(all="ignore"):
        for a, b in ((a, b) for a, b in zip(one, two, strict=True) if a.size):
            slack = eps * (256 * np.abs(b) + 64 * np.abs(b[np.isfinite(b)]).max(initial=0.0)) + 1e-300
            if not np.all((a == b) | (np.abs(a - b) <= slack)):
                return False
    return True


def _tried(law: Law, case: Case, subject: Subject, precision: str) -> tuple[bool, bool]:
    """Whether the law fails on this case again, and whether it did more than ask."""
    checker = Checker(subject, precision)
    try:
        with np.errstate(all="ignore"):
            law.check(checker, case)
        fails = False
    except (Violation, SubjectFailure, ArithmeticError, ValueError):  # the last two: answers too large to compute with
        fails = True
    return fails, subject.asked != checker.plain


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
            """Whether the answer after these calls differs from the first; the calls with their answers are kept if so."""
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
