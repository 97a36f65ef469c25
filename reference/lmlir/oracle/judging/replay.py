"""Replaying: a counterexample is tried in fresh processes, and one that does not repeat is traced
to earlier calls.

The law is tried again on the same case. If it does no more than ask, with arrays made for each
question, its calls are replayed as well, because the report shows them. If the answer depends on
calls of earlier cases or laws, the recorded calls are searched for the fewest after which a call of
the counterexample gets another answer than in a fresh process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws import Law
from lmlir.oracle.laws.checker import Answers, Checker, copied
from lmlir.oracle.precision import PRECISIONS
from lmlir.oracle.subjects.answers import numbers
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import (
    Call,
    CannotBeJudged,
    NotJudged,
    SubjectFailure,
    Violation,
)
from lmlir.oracle.subjects.process import RemoteAnswer

REPLAYS = 3
MAX_SUSPECTS = 3  # only the last calls of a counterexample are examined
SPECIAL = (
    "The calls below may not show it, because this law also changes arrays, memory layouts or "
    "threads."
)


@dataclass
class Again:
    """The outcome of replaying: in which fresh processes the law failed, and whether its calls got
    the same answers.

    A `special` law does more than ask. If an answer depends on earlier calls, `sequence` has them
    and the call itself, and `first` is the answer in a fresh process.
    """

    law: list[bool] = field(default_factory=list)
    special: bool = False
    same: bool = False
    sequence: list[Call] = field(default_factory=list)
    first: Answers | None = None
    problem: str = ""

    @property
    def repeats(self) -> bool:
        """Whether the law failed in every fresh process."""
        return bool(self.law) and all(self.law)

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        if not self.law:
            return f"It could not be replayed: {self.problem}."
        processes = "1 fresh process" if len(self.law) == 1 else f"{len(self.law)} fresh processes"
        if self.repeats and self.same:
            return f"Reproduced in {processes}."
        if self.repeats and self.special:
            return f"Reproduced in {processes}. {SPECIAL}"

        failed = f"the law failed in {sum(self.law)} of {processes}"
        outcome = f"It depends on earlier calls or on threads: {failed}."
        if self.repeats:
            outcome = f"The law fails again in {processes}, but with other answers."
        if not self.sequence:
            return f"{outcome} No sequence of calls was found that shows it."
        length = f"{len(self.sequence)} calls"
        return f"{outcome} The shortest sequence of calls found that shows it has {length}."


def asked_again(
    law: Law,
    found: Violation,
    subject: Subject,
    precision: str,
    seconds: float,
) -> Again:
    """Replay a violation in up to `REPLAYS` fresh processes, and start no more of them after some
    seconds.
    """
    again = Again()
    end = time.monotonic() + seconds
    eps = PRECISIONS[precision].eps
    history = found.history
    try:
        for number in range(REPLAYS):
            if number and time.monotonic() > end:
                break
            with _fresh(subject) as other:
                failure, again.special = _tried(law, found.case, other, precision)
                again.law.append(failure is not None)
                history = other.recorded_calls() if again.repeats else found.history
        if again.repeats and again.special:
            return again
        if again.repeats:
            with _fresh(subject) as other:
                agreements = (_same(_answer(other, call), call.answer, eps) for call in found.calls)
                again.same = all(agreements)
        if not again.same and subject.may_search():
            _search(again, found, history, subject, eps, end)
    except (CannotBeJudged, NotJudged) as problem:
        again.problem = str(problem)
    return again


@contextmanager
def _fresh(subject: Subject) -> Iterator[Subject]:
    other = subject.fresh()
    if other is None:
        raise CannotBeJudged("a subject in this process cannot be started afresh")
    other.offers = subject.offers
    try:
        yield other
    finally:
        other.close()


def _answer(subject: Subject, call: Call) -> Answers | None:
    """The answer to a call, or None.

    It may contain NaN and, if the call was answered before, have any shapes.
    """
    try:
        answer = subject.ask(call.function, copied(call.arguments))
        if call.answer is None:
            return numbers(call.function, answer, call.arguments, only=-1)
        answer = answer.look() if isinstance(answer, RemoteAnswer) else answer
        parts = (answer,) if FUNCTIONS[call.function].single else tuple(answer)
        return tuple(np.array(part, dtype=np.float64) for part in parts)
    except (SubjectFailure, TypeError, ValueError, LookupError):
        return None


def _same(one: Answers | None, two: Answers | None, eps: float) -> bool:
    """Whether two answers agree up to a few roundings, as from sums in another order.

    An answer with NaN counts as none.
    """
    one = _without_nan(one)
    two = _without_nan(two)
    if one is None or two is None:
        return one is two
    if len(one) != len(two):
        return False
    for a, b in zip(one, two, strict=True):
        if a.size == b.size == 0:
            continue
        if a.shape != b.shape:
            return False
        with np.errstate(all="ignore"):
            largest = np.abs(b[np.isfinite(b)]).max(initial=0.0)
            slack = eps * (256 * np.abs(b) + 64 * largest) + 1e-300
            if not np.all((a == b) | (np.abs(a - b) <= slack)):
                return False
    return True


def _without_nan(answer: Answers | None) -> Answers | None:
    """Return an answer without NaN as it is, and None for others."""
    if answer is None or any(np.isnan(array).any() for array in answer):
        return None
    return answer


def _tried(
    law: Law,
    case: Case,
    subject: Subject,
    precision: str,
) -> tuple[Exception | None, bool]:
    """How the law fails on this case again, if it does, and whether it did more than ask."""
    checker = Checker(subject, precision)
    failure = None
    try:
        with np.errstate(all="ignore"):
            law.check(checker, case)
    except (Violation, ArithmeticError, ValueError) as error:
        failure = error  # the last two: answers too large to compute with
    return failure, subject.asked != checker.plain


def _search(
    again: Again,
    found: Violation,
    history: Sequence[Call],
    subject: Subject,
    eps: float,
    end: float,
) -> None:
    """Store the shortest sequence of earlier calls after which a call gets another answer, if one
    is found.
    """
    for call in reversed(found.calls[-MAX_SUSPECTS:]):
        with _fresh(subject) as other:
            first = _answer(other, call)
        if _same(call.answer, first, eps):
            continue
        earlier = [before for before in history if before.number < call.number] or list(history)
        sequence = _shortest(earlier, call, first, subject, eps, end)
        if sequence:
            again.sequence = sequence
            again.first = first
            return


def _shortest(
    earlier: list[Call],
    call: Call,
    first: Answers | None,
    subject: Subject,
    eps: float,
    end: float,
) -> list[Call]:
    shown: list[Call] = []

    def shows(before: list[Call]) -> bool:
        with _fresh(subject) as other:
            answered = [replace(one, answer=_answer(other, one)) for one in [*before, call]]
        if _same(answered[-1].answer, first, eps):
            return False
        shown[:] = answered
        return True

    length = 1
    while not shows(earlier[-length:]):
        if length >= len(earlier) or time.monotonic() > end:
            return []
        length *= 2
    before = fewer(earlier[-length:], shows, lambda: time.monotonic() > end)
    # a sequence that shows it only once was chance
    return shown if all(shows(before) for _ in range(REPLAYS)) else []


def fewer(
    calls: list[Any], shows: Callable[[list[Any]], bool], out_of_time: Callable[[], bool]
) -> list[Any]:
    """Leave out parts of a sequence, in halves, quarters and so on, as long as the rest still shows
    something.

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
