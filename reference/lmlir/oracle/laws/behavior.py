"""Behavior: how a subject answers, whatever the numbers. An answer is held against the subject's own answers alone."""

from __future__ import annotations

import contextlib
import io
import itertools
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle import strategies
from lmlir.oracle.brackets import Bracket
from lmlir.oracle.cases import METRICS, Case
from lmlir.oracle.checker import Answers, Checker, copied, widths
from lmlir.oracle.interface import BEHAVIOR, FUNCTIONS, INTEGER_ARRAYS, POINTS, select
from lmlir.oracle.laws import layouts
from lmlir.oracle.laws.registry import law
from lmlir.oracle.laws.sizes import common_sizes, large_case, large_inputs
from lmlir.oracle.strategies import UNSCALED, Spec
from lmlir.oracle.subjects import numbers, overwrite
from lmlir.oracle.violations import Call, SubjectFailure, Violation

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
            larger = np.abs(b) / np.maximum(np.abs(ends[0]), np.abs(ends[1]))
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


def _large() -> list[Case]:
    """Thousands of pairs and of rows of X for all nine functions; then as many rows of Y and members of a class."""
    sizes: dict[str, int] = {}
    for _, each in common_sizes():
        if each["features"] == 3:
            sizes = {**each, **sizes}
    longest = [max(common_sizes(), key=lambda each: each[1].get(name, 0)) for name in ("Y", "plus")]
    cases = [Case(large_inputs(sizes), ("large batch",), "thousands of pairs and rows")]
    return [*cases, *(large_case(*each) for each in longest)]


def _is_large(case: Case) -> bool:
    return "large batch" in case.flags


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


@law(BEHAVIOR, ALL, strategies.everything_cases(SMALL), _large, each=True, weight=0.15)
def the_same_question_gets_the_same_answer(checker: Checker, case: Case, function: str) -> None:
    """Asked again, after other questions, or with its rows from last to first, a function gives the same answer: nothing is
    remembered, whatever differs from the questions before.
    """
    others = [case.but(**change) for change in _changes(case, function)]
    asked = []
    for other in others:  # the case in between, for those who remember the last question only, or a part of it
        checker.ask_all(function, case.inputs)
        checker.ask_all(function, other.inputs)
        asked.append(len(checker.calls))
        _same_backwards(checker, other, function)
    checker.ask_all(function, case.inputs)
    _same_call(checker, checker.calls[0], checker.calls)
    for other, number in zip(others[::-1], asked[::-1], strict=True):
        checker.ask_all(function, other.inputs)
        _same_call(checker, checker.calls[number - 1], checker.calls[number - 1 :])


def _same_backwards(checker: Checker, case: Case, function: str) -> None:
    """The last question again with its rows, or its pairs, from last to first: another question to whoever remembers."""
    due, plain = checker.calls[-1].answer, checker.calls[-1]
    names = [name for name in ("X_i", "X_j", *INTEGER_ARRAYS) if name in FUNCTIONS[function].arguments] or ["X"]
    turned = case.but(**{name: case[name][::-1] for name in names})
    got = checker.ask_all(function, turned.inputs)
    if "similar" not in names:
        got = tuple(each[::-1] for each in got)
    allowed = checker.allowed(function, case.inputs)
    _same(checker, "with its rows from last to first", function, got, due, allowed, [plain, checker.calls[-1]])


def _same_call(checker: Checker, first: Call, between: Sequence[Call]) -> None:
    """The last call has the numbers of the first: a few roundings apart at most, in case sums are taken in another order."""
    for name, a, b in zip(FUNCTIONS[first.function].answers, checker.calls[-1].answer, first.answer, strict=True):
        _nearly_equal(checker, f"{first.function} asked again: {name}", a, b, len(between))


def _nearly_equal(checker: Checker, name: str, a: np.ndarray, b: np.ndarray, calls: int) -> None:
    largest = np.abs(b[np.isfinite(b)]).max(initial=0.0)
    slack = checker.precision.eps * (256 * np.abs(b) + 64 * largest) + 1e-300
    with np.errstate(all="ignore"):
        checker.within(name, a, b - slack, b + slack, calls=calls)


def _changes(case: Case, function: str) -> list[dict[str, Any]]:
    """What to change for other questions in the same shapes: every argument in turn; of a large case every third.

    Of an array one row changes, neither the first nor the last where there are others, so that a subject that recognizes an
    array by its ends takes it for the one before.
    """
    other = _another(case)
    takes = FUNCTIONS[function].arguments
    changes = [{name: _with_a_row_of(other[name], case[name], name)} for name in takes if name in other.inputs]
    return changes[:: 3 if _is_large(case) else 1]


def _with_a_row_of(other: Any, value: Any, name: str) -> Any:
    """An array with one row of another, and an odd one, in case every second or sixteenth is looked at; all of a metric."""
    if not isinstance(value, np.ndarray) or name == "background_metric" or not len(value):
        return other
    row = min((len(value) - 1) // 2 | 1, len(value) - 1)
    changed = value.copy()
    changed[row] = other[row]
    return changed


def _another(case: Case) -> Case:
    """A different question in the same shapes: every argument has changed."""
    inputs = case.inputs
    changed: dict[str, Any] = {name: inputs[name] * 1.5 + 1 for name in POINTS if name in inputs}
    changed |= {name: (inputs[name] + 1) % len(inputs["X"]) for name in INTEGER_ARRAYS if name in inputs}
    changed |= {name: 0.5 * inputs[name] + 0.125 for name in ("alpha", "C", "beta") if name in inputs}
    changed |= {"K": 1} if "K" in inputs else {}
    metrics = {name: _other_metric(inputs[name]) for name in METRICS if name in inputs}
    return case.but(**changed, **metrics, radii=inputs["radii"] * 2 + 1)


def _other_metric(M: np.ndarray) -> np.ndarray:
    """The features in the opposite order: the same trace, norm and sum; or a multiple, where that changes nothing."""
    turned = M[..., ::-1, ::-1].copy()
    return M * 3 if np.array_equal(M, turned) else turned


@law(
    BEHAVIOR,
    ALL,
    strategies.everything_cases(replace(SMALL, regions=(2,), first=1)),
    lambda: _large()[:1],
    any_of=True,
    weight=0.2,
)
def an_answer_stays_when_the_next_is_given(checker: Checker, case: Case) -> None:
    """An answer does not change when its question's arrays are used for something else, nor when other questions
    are asked, of any function, nor when earlier answers are written to: answers share no memory.
    """
    nothing = {"similar": case["similar"][:0], "dissimilar": case["dissimilar"][:0], "alpha": 0.0}
    still = (
        [{"beta": 0.0}] if _is_large(case) else [{"beta": 0.0}, nothing]
    )  # such a step might hand its arguments back
    questions = [case, *(_another(case).but(**each) for each in still)]
    offered = [function for function in FUNCTIONS if checker.offers(function)]
    row = every_pair_in_a_row(offered)
    row = row * (9 // len(row) + 1)  # so that every question is asked, be there but one function
    # an irregular order: no small number of buffers, used in turn, gets the same question again and again
    next_one = {function: itertools.cycle((0, 1, 2, 1, 0, 2, 1, 0, 2)) for function in offered}
    answers = [
        _asked_and_overwritten(checker, function, questions[next(next_one[function]) % len(questions)])
        for function in row
    ]
    asked = checker.calls
    for call, answer in zip(asked, answers, strict=True):
        now = numbers(call.function, answer, call.arguments)
        checker.calls = [call]
        for name, a, b in zip(FUNCTIONS[call.function].answers, now, call.answer, strict=True):
            checker.within(f"{call.function}, looked at again later: {name}", a, b, b)
    for answer in answers:
        overwrite(answer)
    for call in {call.function: call for call in asked}.values():
        checker.calls = [call]
        checker.ask_all(call.function, call.arguments)
        for name, a, b in zip(FUNCTIONS[call.function].answers, checker.calls[-1].answer, call.answer, strict=True):
            _nearly_equal(checker, f"{call.function} after its answers were written to: {name}", a, b, 2)


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


@law(BEHAVIOR, ALL, strategies.everything_cases(replace(SMALL, regions=(2,), first=1)), _large, each=True, weight=0.15)
def the_layout_of_the_arrays_does_not_matter(checker: Checker, case: Case, function: str) -> None:
    """Arrays in another order of memory, with gaps, backwards, read-only, mapped from files, parts of one array, overlapping
    or one object twice, and integers, mean the same.
    """
    arguments = select(case.inputs, function)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for meant, given in _laid_out(arguments, Path(folder), checker.precision.dtype, _is_large(case)):
            due, allowed = checker.ask_all(function, meant), checker.allowed(function, meant)
            plain = checker.calls[-1]
            for words, each in given.items():
                try:
                    got, _ = checker.ask_with(function, meant, each)
                except Violation as violation:
                    violation.sentence += f" ({words})"
                    raise
                _same(checker, words, function, got, due, allowed, [plain, checker.calls[-1]])


def _laid_out(
    arguments: dict[str, Any], folder: Path, dtype: Any, large: bool
) -> Iterator[tuple[dict[str, Any], dict[str, dict[str, Any]]]]:
    """Questions in plain arrays, each with other arrays that mean the same, by what there is to say of them."""
    ways = {
        "with arrays in Fortran order": layouts.turned_in_memory,
        "with gaps in the arrays": layouts.with_gaps,
        "with arrays that run backwards": layouts.backwards,
        "with read-only arrays": layouts.locked,
        "with arrays that are parts of one": layouts.in_one_array,
        "with arrays mapped from files": layouts.mapped(folder),
    }
    yield arguments, {words: way(arguments) for words, way in ways.items()}
    whole = {each: layouts.whole_numbers(arguments, each) for each in ("int64", "int32")}
    plain = layouts.as_floats(whole["int64"], dtype)
    yield plain, {f"with integers ({each}) in place of floats": given for each, given in whole.items()}
    if large:  # a large table of X against itself is worth a shortcut
        several = {**arguments, "X": arguments["X"][:257]} if "Y" in arguments else {}
        for given in layouts.one_object_twice(several):
            yield copied(given), {"with one object twice": given}
    if large or not len(next(iter(arguments.values()))):  # without points there is nothing to share
        return
    shared = [("with arrays that overlap", layouts.overlapping(arguments))]
    shared += [("with the same row throughout", layouts.the_same_row_throughout(arguments))]
    shared += [("with one object twice", each) for each in layouts.one_object_twice(arguments)]
    for words, given in shared:
        yield copied(given), {words: given}


@law(BEHAVIOR, ALL, strategies.everything_cases(SMALL), _large, each=True, weight=0.15)
def changed_arrays_are_read_again(checker: Checker, case: Case, function: str) -> None:
    """When the numbers in one of the arrays are changed in place and the same arrays are given again, the answer is the
    new one; when an array is replaced by an equal one, it is the old one.
    """
    arguments, other = select(case.inputs, function), select(_another(case).inputs, function)
    given = copied(arguments)
    first, _ = checker.ask_with(function, arguments, given)
    for name, value in given.items():
        if not isinstance(value, np.ndarray):
            continue
        value[...] = other[name]
        meant = {**arguments, name: other[name]}
        got, _ = checker.ask_with(function, meant, given)
        due = checker.ask_all(function, meant)
        for part, a, b in zip(FUNCTIONS[function].answers, got, due, strict=True):
            _nearly_equal(checker, f"{function} after {name} was changed in place: {part}", a, b, 3)
        given[name] = arguments[name].copy()
        got, _ = checker.ask_with(function, arguments, given)
        for part, a, b in zip(FUNCTIONS[function].answers, got, first, strict=True):
            _nearly_equal(checker, f"{function} after {name} was replaced by an equal array: {part}", a, b, 3)


THREADS = 4


@law(
    BEHAVIOR,
    ALL,
    strategies.everything_cases(replace(SMALL, first=1)),
    lambda: _large()[:1],
    each=True,
    weight=0.1,
)
def threads_do_not_disturb_each_other(checker: Checker, case: Case, function: str) -> None:
    """Asked different questions by several threads at once, a function answers each as it does alone."""
    questions = [select(each.inputs, function) for each in itertools.islice(_questions(case), THREADS)]
    due = [checker.ask_all(function, question) for question in questions]
    rounds = 1 if _is_large(case) else 2
    answers = _asked_at_once(checker, function, [questions[k:] + questions[:k] for k in range(THREADS)], rounds)
    for thread, found in enumerate(answers):
        for number, answer in enumerate(found):
            k = (thread + number) % THREADS
            checker.calls = [Call(function, questions[k], due[k])]
            if isinstance(answer, SubjectFailure):
                raise answer
            for name, a, b in zip(FUNCTIONS[function].answers, answer, due[k], strict=True):
                _nearly_equal(checker, f"{function} asked by several threads at once: {name}", a, b, 1)


def _questions(case: Case) -> Iterator[Case]:
    """The case, and other questions in its shapes."""
    while True:
        yield case
        case = _another(case)


def _asked_at_once(
    checker: Checker, function: str, questions: Sequence[Sequence[dict[str, Any]]], rounds: int
) -> list[list[Any]]:
    """What each of several threads hears, one for each list of questions; a failure in place of an answer."""
    answers: list[list[Any]] = [[] for _ in questions]
    start = threading.Barrier(len(questions))

    def work(number: int) -> None:
        """What one thread does."""
        start.wait()
        for question in [*questions[number]] * rounds:
            try:
                answer = checker.subject.ask(function, copied(question))
                answers[number].append(numbers(function, answer, question))
            except SubjectFailure as failure:
                answers[number].append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(questions))]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        # what threads change of the process one after the other, is put back here
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(usual)
    return answers


@law(
    BEHAVIOR,
    ALL,
    strategies.everything_cases(replace(SMALL, regions=(2,), first=1)),
    lambda: _large()[:1],
    each=True,
    weight=0.05,
)
def what_has_no_answer_is_refused(checker: Checker, case: Case, function: str) -> None:
    """NaN or infinity in an argument, shapes that do not fit and a K larger than a class get an error, NaN or infinity,
    never a finite number.
    """
    arguments = select(case.inputs, function)
    questions = _without_an_answer(arguments)
    for words, wrong in itertools.islice(questions, 1) if _is_large(case) else questions:
        checker.calls = [Call(function, wrong)]
        try:
            answer = checker.subject.ask(function, copied(wrong))
            parts = numbers(function, answer, arguments)
        except SubjectFailure as failure:
            if failure.final or failure.crashed:  # a crash is no refusal
                raise
            continue
        if all(np.isfinite(part).all() for part in parts):
            checker.calls[0].answer = parts
            raise Violation(f"{function} answered, where an error is due: {words}", checker.calls)


def _without_an_answer(arguments: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Arguments that the interface forbids, and what is wrong with them."""
    for name, value in arguments.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            row = int(arguments["similar"][0, 0]) if name == "X" and "similar" in arguments else 0
            for number in (np.nan, np.inf):
                poisoned = value.copy()
                poisoned[(row, *[0] * (value.ndim - 1))] = number
                yield f"{name} holds {number}", {**arguments, name: poisoned}
    if "K" in arguments:
        few = min(len(arguments["X_minus"]), len(arguments["X_plus"]))
        yield f"K is {few + 1} and a class has {few} members", {**arguments, "K": few + 1}
        yield "a class has no members", {**arguments, "K": 1, "X_minus": arguments["X_minus"][:0]}
    shorter = "X_j" if "X_j" in arguments else "local_metrics"
    for name in ("radii", shorter):
        yield f"{name} has a row fewer than it needs", {**arguments, name: arguments[name][:-1]}
    for name in {"Y", "X_plus"} & arguments.keys():
        yield f"{name} has one feature", {**arguments, name: arguments[name][:, :1]}


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
