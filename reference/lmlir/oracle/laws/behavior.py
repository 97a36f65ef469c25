"""Behavior: how a subject answers, whatever the numbers. An answer is held against the subject's own answers alone."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lmlir.oracle import strategies
from lmlir.oracle.brackets import Bracket
from lmlir.oracle.cases import Case
from lmlir.oracle.checker import Answers, Checker, copied, widths
from lmlir.oracle.interface import BEHAVIOR, FUNCTIONS, PARAMETERS, POINTS, select
from lmlir.oracle.laws.registry import law
from lmlir.oracle.laws.sizes import common_sizes, large_case, large_inputs
from lmlir.oracle.strategies import UNSCALED, Spec
from lmlir.oracle.subjects import numbers
from lmlir.oracle.violations import Call, Violation

ALL = " ".join(FUNCTIONS)
BATCHED = "distances intersection_ratios ratio_gradients exact_background_ratios cross_distances decision_values"
SMALL = Spec(pairs=(3, 2), regions=(2, 1, 3), **UNSCALED)


def _same(
    checker: Checker,
    words: str,
    function: str,
    got: Answers,
    due: Answers,
    allowed: list[Bracket],
    calls: Sequence[Call],
) -> None:
    """Raise `Violation` unless two answers to one question agree as two honest ways to compute it would.

    Those differ by no more than the bracket is wide; where it lies does not matter, and a subject that is wrong by some
    factor may differ by as much more.
    """
    for name, a, b, ends in zip(FUNCTIONS[function].answers, got, due, allowed, strict=True):
        with np.errstate(all="ignore"):
            larger = np.maximum(np.abs(a), np.abs(b)) / np.maximum(np.abs(ends[0]), np.abs(ends[1]))
            slack = 2 * widths(ends) * np.maximum(np.nan_to_num(larger, posinf=1.0), 1)
            slack = np.where(
                np.isfinite(slack) & np.isfinite(b), slack + 16 * checker.precision.eps * np.abs(b), np.inf
            )
            lower, upper = (np.where(np.isinf(slack), -sign * np.inf, b - sign * slack) for sign in (1, -1))
        try:
            checker.within(f"{function} {words}: {name}", a, lower, upper)
        except Violation as violation:
            violation.calls = calls
            raise


@law(
    BEHAVIOR,
    BATCHED,
    strategies.everything_cases(Spec(pairs=(5, 4, 8), regions=(2, 4), scales=(0, 6), shifts=(0.0, 10.0), first=1)),
    each=True,
    weight=0.6,
)
def a_batch_equals_its_rows_one_by_one(checker: Checker, case: Case, function: str) -> None:
    """Every row of a batch gets the answer that it gets alone, and in whatever order the rows come."""
    rows = ("X",) if function in ("cross_distances", "decision_values") else ("X_i", "X_j")
    count = len(case[rows[0]])
    together = checker.ask_all(function, case.inputs)
    allowed = checker.allowed(function, case.inputs)
    for keep in (np.arange(count)[::-1], *(np.array([p]) for p in range(count))):
        words = f"for row {keep[0]} of the batch alone" if len(keep) < count else "for the rows from last to first"
        got = checker.ask_all(function, case.inputs, **{name: case[name][keep] for name in rows})
        due = tuple(each[keep] for each in together)
        ends = [(low[keep], high[keep]) for low, high in allowed]
        _same(checker, words, function, got, due, ends, [checker.calls[0], checker.calls[-1]])


@law(BEHAVIOR, ALL, strategies.everything_cases(SMALL), each=True, weight=0.25)
def the_same_question_gets_the_same_answer(checker: Checker, case: Case, function: str) -> None:
    """Asked again, after other questions, a function gives the same answer: nothing is remembered."""
    takes = set(FUNCTIONS[function].arguments)
    others = [case.but(**changes) for changes in _changes(case) if changes.keys() & takes]
    for other in others:  # the case in between, for those who remember the last question only, or a part of it
        checker.ask_all(function, case.inputs)
        checker.ask_all(function, other.inputs)
    checker.ask_all(function, case.inputs)
    checker.ask_all(function, _another(case).inputs)
    for other in others:
        checker.ask_all(function, other.inputs)
    first, last = checker.calls[0], checker.calls[2 * len(others)]
    _same_call(checker, first, last, checker.calls[: 2 * len(others) + 1])
    for number in range(len(others)):
        asked = 2 * number + 1
        _same_call(
            checker, checker.calls[asked], checker.calls[2 * len(others) + 2 + number], checker.calls[asked - 1 :]
        )


def _same_call(checker: Checker, first: Call, again: Call, between: Sequence[Call]) -> None:
    """The same arrays of numbers twice: a few roundings apart at most, in case sums are taken in another order."""
    for name, a, b in zip(FUNCTIONS[first.function].answers, again.answer, first.answer, strict=True):
        largest = np.abs(b[np.isfinite(b)]).max(initial=0.0)
        slack = checker.precision.eps * (256 * np.abs(b) + 64 * largest) + 1e-300
        with np.errstate(all="ignore"):
            checker.within(f"{first.function} asked again: {name}", a, b - slack, b + slack, calls=len(between))


def _changes(case: Case) -> list[dict[str, Any]]:
    """What to change for other questions in the same shapes: the points, the regions, or a single plain number."""
    other = _another(case)
    return [
        {name: other[name] for name in other.inputs if name not in PARAMETERS},
        {name: other[name] for name in PARAMETERS},
        {"C": 0.5 * case["C"] + 0.125},
        {"alpha": case["alpha"] + 0.25},
        {"beta": 2 * case["beta"] + 0.125},
        {"K": 1},
    ]


def _another(case: Case) -> Case:
    """A different question in the same shapes."""
    changed: dict[str, Any] = {name: case[name] * 1.5 + 1 for name in POINTS}
    return case.but(**changed, radii=case["radii"] * 2 + 1, local_metrics=case["local_metrics"] * 3)


@law(BEHAVIOR, ALL, strategies.everything_cases(SMALL), any_of=True, weight=0.2)
def an_answer_stays_when_the_next_is_given(checker: Checker, case: Case) -> None:
    """An answer does not change when its question's arrays are used for something else, nor when other questions
    are asked, of any function: answers share no memory.
    """
    questions = itertools.cycle((case, _another(case).but(beta=0.0)))  # a zero step might hand its arguments back
    offered = [function for function in FUNCTIONS if checker.offers(function)]
    answers = [_asked_and_overwritten(checker, function, next(questions)) for function in every_pair_in_a_row(offered)]
    for call, answer in zip(checker.calls, answers, strict=True):
        now = numbers(call.function, answer, call.arguments)
        checker.calls = [call]
        for name, a, b in zip(FUNCTIONS[call.function].answers, now, call.answer, strict=True):
            checker.within(f"{call.function}, looked at again later: {name}", a, b, b)


def every_pair_in_a_row(names: Sequence[str]) -> list[str]:
    """A row in which each name comes right after each name, itself included.

    >>> every_pair_in_a_row("abc")
    ['a', 'a', 'b', 'a', 'c', 'b', 'b', 'c', 'c', 'a']
    """
    row = []
    for k, name in enumerate(names):
        row.append(name)
        for later in names[k + 1 :]:
            row += [name, later]
    return [*row, *row[:1]]


def _asked_and_overwritten(checker: Checker, function: str, case: Case) -> Any:
    """Ask with arrays of its own, then write ones all over them: the answer as the subject gave it."""
    arguments = select(case.inputs, function)
    given = copied(arguments)
    _, answer = checker.ask_with(function, arguments, given)
    for value in given.values():
        if isinstance(value, np.ndarray):
            value[...] = 1
    return answer


def _large() -> list[Case]:
    """Thousands of pairs and of rows of X for all nine functions; then hundreds of rows of Y and members of the classes."""
    sizes = {name: size for function, each in common_sizes() if each["features"] == 3 for name, size in each.items()}
    reason = "thousands of pairs and rows"
    cases = [Case(large_inputs(sizes), ("large batch",), reason)]
    longest = [max(common_sizes(), key=lambda each: each[1].get(name, 0)) for name in ("Y", "plus")]
    return [*cases, *(large_case(*each) for each in longest)]


@law(BEHAVIOR, ALL, strategies.everything_cases(SMALL), _large, each=True, weight=0.5)
def inputs_are_left_unmodified(checker: Checker, case: Case, function: str) -> None:
    """No function changes the arrays that it is given, be they small or large."""
    arguments = select(case.inputs, function)
    given = copied(arguments)
    checker.calls = [Call(function, arguments)]
    checker.subject.ask(function, given)
    for name, value in arguments.items():
        if isinstance(value, np.ndarray) and not np.array_equal(value, given[name]):
            sentence = f"{function} changed its argument {name} from {value.tolist()} to {given[name].tolist()}"
            raise Violation(sentence[:400], checker.calls, where=name)


@law(BEHAVIOR, ALL, strategies.everything_cases(replace(SMALL, first=2)), each=True, weight=0.25)
def the_layout_of_the_arrays_does_not_matter(checker: Checker, case: Case, function: str) -> None:
    """Arrays in another order of memory, with gaps, parts of one array or overlapping, and shorter integers, mean
    the same.
    """
    arguments = select(case.inputs, function)
    overlapping = _overlapping(arguments)
    others = [laid_out(arguments) for laid_out in (_turned_in_memory, _with_gaps, _in_one_array)]
    for meant, layouts in ((arguments, others), (copied(overlapping), [overlapping])):
        due, allowed = checker.ask_all(function, meant), checker.allowed(function, meant)
        plain = checker.calls[-1]
        for given in layouts:
            got, _ = checker.ask_with(function, meant, given)
            _same(checker, "with arrays laid out otherwise", function, got, due, allowed, [plain, checker.calls[-1]])


def _turned_in_memory(arguments: dict[str, Any]) -> dict[str, Any]:
    """Column by column in place of row by row, and indices of four bytes."""
    return {
        name: np.array(value, dtype=np.int32 if value.dtype.kind == "i" else None, order="F")
        if isinstance(value, np.ndarray)
        else value
        for name, value in arguments.items()
    }


def _with_gaps(arguments: dict[str, Any]) -> dict[str, Any]:
    """Every second entry along every axis of a larger array."""
    given = {}
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            larger = np.zeros([2 * size for size in value.shape], value.dtype)
            every_second = (slice(None, None, 2),) * value.ndim
            larger[every_second] = value
            value = larger[every_second]
        given[name] = value
    return given


def _in_one_array(arguments: dict[str, Any]) -> dict[str, Any]:
    """Points and centers as parts of one array, one after the other."""
    names = [name for name in POINTS if name in arguments]
    together = np.concatenate([arguments[name] for name in names])
    ends = np.cumsum([0, *(len(arguments[name]) for name in names)])
    return {**arguments, **{name: together[ends[k] : ends[k + 1]] for k, name in enumerate(names)}}


def _overlapping(arguments: dict[str, Any]) -> dict[str, Any]:
    """Another question: points and centers from one array, each a row after the one before, and X and Y equally many."""
    names = [name for name in POINTS if name in arguments]
    together = np.concatenate([arguments[name] for name in names])
    lengths = {name: len(arguments["X" if name == "Y" else name]) for name in names}
    return {**arguments, **{name: together[k : k + lengths[name]] for k, name in enumerate(names)}}


@law(BEHAVIOR, ALL, strategies.everything_cases(SMALL), each=True, weight=0.25)
def changed_arrays_are_read_again(checker: Checker, case: Case, function: str) -> None:
    """When the numbers in the arrays are changed in place and the same arrays are given again, the answer is the
    new one.
    """
    before, after = (select(each.inputs, function) for each in (case, _another(case)))
    given = copied(before)
    checker.ask_with(function, before, given)
    for name, value in after.items():
        if isinstance(value, np.ndarray):
            given[name][...] = value
    got, _ = checker.ask_with(function, after, given)
    due, allowed = checker.ask_all(function, after), checker.allowed(function, after)
    _same(checker, "of arrays that were changed in place", function, got, due, allowed, checker.calls)


@law(BEHAVIOR, ALL, strategies.everything_cases(replace(SMALL, regions=(2,), first=1)), each=True, weight=0.5)
def empty_batches_get_empty_answers(checker: Checker, case: Case, function: str) -> None:
    """No pairs, no rows and empty lists of pairs are answered, with arrays in the shapes that the interface gives
    them.
    """
    together = {"X_i": ("X_i", "X_j"), "similar": ("similar", "dissimilar"), "X": ("X",), "Y": ("Y",)}
    takes = FUNCTIONS[function].arguments
    for first, names in together.items():
        if first in takes and not (first == "X" and "similar" in takes):
            checker.ask_all(function, case.inputs, **{name: case[name][:0] for name in names})
