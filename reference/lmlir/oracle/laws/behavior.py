"""Behavior: how a subject answers, whatever the numbers.

Answers are compared with other answers of the same subject only.

Many inputs here are odd on purpose: each is one on which some wrong program, named beside it, gives
itself away.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import sys
import tempfile
import textwrap
import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle.allowed.brackets import Bracket
from lmlir.oracle.inputs import layouts
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import (
    UNSCALED,
    Spec,
    everything_cases,
)
from lmlir.oracle.inputs.sizes import common_sizes, large_case, large_inputs
from lmlir.oracle.interface import ARGUMENTS, BEHAVIOR, FUNCTIONS, lengths, of_kind, select
from lmlir.oracle.laws.checker import Answers, Checker, copied, widths
from lmlir.oracle.laws.law import law
from lmlir.oracle.subjects.answers import numbers, overwrite
from lmlir.oracle.subjects.failures import Call, NotJudged, SubjectFailure, Violation
from lmlir.terminal import plural

ALL = " ".join(FUNCTIONS)
BATCHED = (
    "distances intersection_ratios ratio_gradients exact_background_ratios cross_distances "
    "decision_values"
)
SMALL = Spec(
    pairs=(3, 2),
    regions=(2, 1, 3),
    **UNSCALED,
)
TWO_REGIONS = replace(SMALL, regions=(2,), first=1)

MAX_SENTENCE_CHARACTERS = 200  # of two arrays, the first numbers
Given = dict[str, Any]


def _small_and_large() -> list[Case]:
    """Return a small case for all nine functions, which shows a fault at once, and one with
    thousands of pairs and of rows of X.
    """
    # shapes that random cases have, too: code may be compiled once per shape
    small = {"P": 5, "n": 5, "m": 4, "a": 19, "b": 23, "K": 3, "u": 3, "v": 2, "S": 2, "F": 2}
    sizes: dict[str, int] = {}
    for _, lengths_of_function in common_sizes():
        if lengths_of_function["F"] == 3:
            sizes = {**lengths_of_function, **sizes}
    return [
        Case(large_inputs(small), reason="a few of everything"),
        Case(large_inputs(sizes), ("large batch",), "thousands of pairs and rows"),
    ]


def _all_sizes() -> list[Case]:
    """Return these, then as many rows of Y and members of a class."""
    cases = _small_and_large()
    for letter in "mb":
        function, longest = max(common_sizes(), key=lambda row: row[1].get(letter, 0))
        cases.append(large_case(function, longest))
    return cases


def _is_large(case: Case) -> bool:
    return "large batch" in case.flags


# ---- comparing answers ----


def _check_agreement(
    checker: Checker,
    how: str,
    plain: Call,
    got: Answers,
    expected: Answers,
    allowed: list[Bracket],
) -> None:
    """Raise `Violation` unless the last answer and that of a plain call agree as two honest
    computations do.

    Those differ by at most the width of the bracket. Where the bracket lies does not matter:
    whether the numbers are right is for other laws to judge. A subject whose numbers are too large
    by some factor may differ by that factor more.
    """
    for k, name in enumerate(FUNCTIONS[plain.function].answers):
        b = expected[k]
        low, high = allowed[k]
        with np.errstate(all="ignore"):
            factor = np.abs(b) / np.maximum(np.abs(low), np.abs(high))
            factor = np.maximum(np.nan_to_num(factor, posinf=1.0), 1)
            slack = 2 * widths(allowed[k]) * factor + 16 * checker.precision.eps * np.abs(b)
            is_bounded = np.isfinite(slack) & np.isfinite(b)
            lower = np.where(is_bounded, b - slack, -np.inf)
            upper = np.where(is_bounded, b + slack, np.inf)
        try:
            checker.within(f"{plain.function} {how}: {name}", got[k], lower, upper)
        except Violation as violation:
            violation.calls = [plain, checker.calls[-1]]
            raise


def _check_equality(
    checker: Checker,
    how: str,
    function: str,
    got: Answers,
    expected: Answers,
    calls: int,
) -> None:
    """Raise `Violation` unless answers are equal up to a few roundings: sums may be taken in
    another order.
    """
    for name, a, b in zip(FUNCTIONS[function].answers, got, expected, strict=True):
        largest = np.abs(b[np.isfinite(b)]).max(initial=0.0)
        slack = checker.precision.eps * (256 * np.abs(b) + 64 * largest) + 1e-300
        with np.errstate(all="ignore"):
            checker.near(
                f"{function} {how}: {name}",
                a,
                b,
                slack,
                calls,
            )


# ---- other questions in the same shapes ----


def _another(case: Case) -> Case:
    """Return a different question in the same shapes: every argument has changed."""
    names = case.inputs.keys() & ARGUMENTS.keys()
    return case.but(**{name: _changed(name, case) for name in names})


def _changed(name: str, case: Case) -> Any:
    value = case[name]
    kind = ARGUMENTS[name].kind
    if kind == "indices":
        return (value + 1) % len(case[ARGUMENTS[name].of[0]])
    if kind == "metrics":
        # With the features in reverse order trace, norm and sum are the same, in case a cache looks
        # only at those.
        reverse = value[..., ::-1, ::-1].copy()
        return value * 3 if np.array_equal(value, reverse) else reverse
    if kind == "points":
        return value * 1.5 + 1
    if kind == "radii":
        return value * 2 + 1
    if kind == "number":
        return value * 0.5 + 0.125
    return 1  # a count


def _change_of_one(
    name: str,
    case: Case,
    other: Case,
) -> dict[str, Any]:
    """Return one argument with one row of its counterpart in another case; numbers and single
    metrics change as a whole.

    The row is in the middle, for caches that recognize an array by its ends, and odd, for those
    that look at every second or sixteenth row.
    """
    value = case[name]
    if ARGUMENTS[name].shape in ("", "FF") or not len(value):
        return {name: other[name]}
    row = min((len(value) - 1) // 2 | 1, len(value) - 1)
    changed = value.copy()
    changed[row] = other[name][row]
    return {name: changed}


# ---- the laws ----


@law(
    BEHAVIOR,
    BATCHED,
    everything_cases(
        Spec(
            pairs=(5, 4, 8),
            regions=(2, 4),
            scales=(0, 6),
            shifts=(0.0, 10.0),
            first=1,
        )
    ),
    each=True,
    weight=0.6,
)
def a_batch_equals_its_rows_one_by_one(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """Each row of a batch gets the answer that it gets alone, in whatever order the rows come."""
    batch = FUNCTIONS[function].batch
    count = len(case[batch[0]])
    together = checker.ask_all(function, case)
    allowed = checker.allowed(function, case)
    for rows in (np.arange(count)[::-1], *np.arange(count)[:, None]):
        how = "for the rows in reverse order"
        if len(rows) < count:
            how = f"for row {rows[0]} of the batch alone"
        fewer = case.but(**{name: case[name][rows] for name in batch})
        _check_agreement(
            checker,
            how,
            plain=checker.calls[0],
            got=checker.ask_all(function, fewer),
            expected=tuple(array[rows] for array in together),
            allowed=[(low[rows], high[rows]) for low, high in allowed],
        )


@law(
    BEHAVIOR,
    ALL,
    everything_cases(SMALL),
    _all_sizes,
    each=True,
    weight=0.15,
)
def the_same_question_gets_the_same_answer(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """A function gives the same answer when it is called again after other calls, or with its rows
    in reverse order: no answer depends on earlier calls, whichever argument differs from theirs.
    """
    names = FUNCTIONS[function].arguments
    if _is_large(case):
        names = names[::3]  # large calls take long
    another = _another(case)
    questions = [(case, 0)]  # each with the number of the call that asks it first
    for name in names:
        question = case.but(**_change_of_one(name, case, another))
        # The case comes again in between, for caches of the last call, or of a part of it.
        checker.ask_all(function, case)
        checker.ask_all(function, question)
        questions.insert(1, (question, len(checker.calls) - 1))
        _check_reversed(checker, question, function)

    for question, number in questions:
        _check_equality(
            checker,
            "asked again",
            function,
            got=checker.ask_all(function, question),
            expected=checker.calls[number].answer,
            calls=len(checker.calls) - number,
        )


def _check_reversed(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """Repeat the last call with its batch in reverse order, which is another question for a
    cache.
    """
    plain = checker.calls[-1]
    batch = FUNCTIONS[function].batch
    reverse = case.but(**{name: case[name][::-1] for name in batch})
    got = checker.ask_all(function, reverse)
    if not of_kind(batch, "indices"):
        got = tuple(array[::-1] for array in got)
    _check_agreement(
        checker,
        "with its rows in reverse order",
        plain,
        got,
        expected=plain.answer,
        allowed=checker.allowed(function, case),
    )


@law(
    BEHAVIOR,
    ALL,
    everything_cases(TWO_REGIONS),
    _small_and_large,
    any_of=True,
    weight=0.2,
    in_memory=True,
)
def answers_do_not_share_memory(checker: Checker, case: Case) -> None:
    """An answer does not change when the arrays of its question are overwritten, when other
    functions are called, or when earlier answers are overwritten: answers share no memory.
    """
    # A step of rate 0 might return its own arguments. Without pairs and penalty the gradient is 0,
    # and might be an array that is returned every time.
    another = _another(case)
    questions = [case, another.but(beta=0.0)]
    if not _is_large(case):
        no_pairs = {name: case[name][:0] for name in of_kind(case.inputs, "indices")}
        questions.append(another.but(alpha=0.0, **no_pairs))
    offered = [function for function in FUNCTIONS if checker.offers(function)]
    row = every_pair_in_a_row(offered)
    row = row * (9 // len(row) + 1)  # a subject with one function is also asked nine times
    # In this order of questions an answer changes, whether a subject uses one, two, three or four
    # buffers in turn.
    order = {function: itertools.cycle((0, 1, 2, 1, 0, 2, 1, 0, 2)) for function in offered}

    answers = []
    for function in row:
        question = questions[next(order[function]) % len(questions)]
        answers.append(_ask_and_overwrite(checker, function, question))
    asked = checker.calls
    for call, answer in zip(asked, answers, strict=True):
        now = numbers(call.function, answer, call.arguments)
        checker.calls = [call]
        for name, a, b in zip(FUNCTIONS[call.function].answers, now, call.answer, strict=True):
            checker.within(f"{call.function}, read again later: {name}", a, b, b)

    for answer in answers:
        overwrite(answer)
    last_calls = {call.function: call for call in asked}
    for call in last_calls.values():
        checker.calls = [call]
        _check_equality(
            checker,
            "after its answers were overwritten",
            call.function,
            got=checker.ask_all(call.function, call.arguments),
            expected=call.answer,
            calls=2,
        )


def every_pair_in_a_row(names: Sequence[str]) -> list[str]:
    """Return a row in which each name follows each name, itself included.

    >>> every_pair_in_a_row("abc")
    ['a', 'a', 'b', 'a', 'c', 'b', 'b', 'c', 'c', 'a']
    """
    row = []
    for k, name in enumerate(names):
        row.append(name)
        for later in names[k + 1 :]:
            row += [name, later]
    return [*row, *row[:1]]


def _ask_and_overwrite(
    checker: Checker,
    function: str,
    case: Case,
) -> Any:
    """Ask with arrays of its own, overwrite these with ones, and return the answer as the subject
    gave it.
    """
    arguments = select(case.inputs, function)
    given = copied(arguments)
    _, answer = checker.ask_with(function, arguments, given)
    for value in given.values():
        if isinstance(value, np.ndarray):
            value[...] = 1
    return answer


@law(
    BEHAVIOR,
    ALL,
    everything_cases(SMALL),
    _all_sizes,
    each=True,
    weight=0.5,
    in_memory=True,
)
def inputs_are_left_unmodified(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """No function changes the arrays that it is given, whether small or large."""
    arguments = select(case.inputs, function)
    given = copied(arguments)
    checker.calls = [Call(function, arguments)]
    checker.subject.ask(function, given)
    checker.calls[0].printed = checker.subject.printed
    for name, value in arguments.items():
        if isinstance(value, np.ndarray) and not np.array_equal(value, given[name]):
            change = f"from {value.tolist()} to {given[name].tolist()}"
            sentence = f"{function} changed its argument {name} {change}"
            sentence = textwrap.shorten(sentence, MAX_SENTENCE_CHARACTERS, placeholder=" ...")
            raise Violation(sentence, checker.calls, where=name)


@law(
    BEHAVIOR,
    ALL,
    everything_cases(TWO_REGIONS),
    _all_sizes,
    each=True,
    weight=0.15,
)
def the_layout_of_the_arrays_does_not_matter(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """The answer is the same for arrays in another memory order, with gaps, backwards, read-only,
    mapped from files, parts of one array, overlapping or one object twice, and for integers.
    """
    arguments = select(case.inputs, function)
    dtype = checker.precision.dtype
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for meant, layouts_of_it in _laid_out(arguments, Path(folder), dtype, _is_large(case)):
            expected = checker.ask_all(function, meant)
            allowed = checker.allowed(function, meant)
            plain = checker.calls[-1]
            for how, given in layouts_of_it.items():
                try:
                    got, _ = checker.ask_with(function, meant, given)
                except Violation as violation:
                    violation.sentence += f" ({how})"
                    raise
                _check_agreement(
                    checker,
                    how,
                    plain,
                    got,
                    expected,
                    allowed,
                )


def _laid_out(
    arguments: Given,
    folder: Path,
    dtype: Any,
    large: bool,
) -> Iterator[tuple[Given, dict[str, Given]]]:
    """Yield questions in plain arrays, each with other arrays that mean the same, by what makes
    them special.
    """
    ways = {
        "with arrays in Fortran order": layouts.in_fortran_order,
        "with gaps in the arrays": layouts.with_gaps,
        "with arrays that run backwards": layouts.backwards,
        "with read-only arrays": layouts.read_only,
        "with arrays that are parts of one": layouts.in_one_array,
        "with arrays mapped from files": layouts.mapped_from(folder),
    }
    yield arguments, {how: way(arguments) for how, way in ways.items()}

    whole = {}
    for dtype_name in INTEGERS:
        how = f"with integers ({dtype_name}) instead of floats"
        whole[how] = layouts.whole_numbers(arguments, dtype_name)
    yield layouts.as_floats(next(iter(whole.values())), dtype), whole

    has_points = len(next(iter(arguments.values()))) > 0
    if has_points and not large:
        overlapping = layouts.overlapping(arguments)
        yield copied(overlapping), {"with arrays that overlap": overlapping}
        one_row = layouts.one_row_throughout(arguments)
        yield copied(one_row), {"with the same row throughout": one_row}
    if large:
        if "Y" not in arguments:
            return
        # A program may have a shortcut for a large table of X against itself.
        arguments = {**arguments, "X": arguments["X"][:257]}
    elif not has_points:
        return
    for one_twice in layouts.one_object_twice(arguments):
        yield copied(one_twice), {"with one object twice": one_twice}


INTEGERS = ("int64", "int32")


@law(
    BEHAVIOR,
    ALL,
    everything_cases(SMALL),
    _all_sizes,
    each=True,
    weight=0.15,
)
def changed_arrays_are_read_again(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """After numbers in an array are changed in place the answer is that of the new numbers, and
    after an array is replaced by an equal one it is the old answer.
    """
    arguments = select(case.inputs, function)
    other = select(_another(case).inputs, function)
    given = copied(arguments)
    first, _ = checker.ask_with(function, arguments, given)
    for name, value in given.items():
        if not isinstance(value, np.ndarray):
            continue
        value[...] = other[name]
        meant = {**arguments, name: other[name]}
        got, _ = checker.ask_with(function, meant, given)
        expected = checker.ask_all(function, meant)
        how = f"after {name} was changed in place"
        _check_equality(
            checker,
            how,
            function,
            got,
            expected,
            calls=3,
        )

        given[name] = arguments[name].copy()
        got, _ = checker.ask_with(function, arguments, given)
        how = f"after {name} was replaced by an equal array"
        _check_equality(
            checker,
            how,
            function,
            got,
            first,
            calls=3,
        )


THREADS = 4


@law(
    BEHAVIOR,
    ALL,
    everything_cases(replace(SMALL, first=1)),
    _small_and_large,
    each=True,
    weight=0.1,
    in_memory=True,
)
def threads_do_not_disturb_each_other(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """A function that is called by several threads at once, with different questions, answers each
    as it does alone.
    """
    cases = [case]
    while len(cases) < THREADS:
        cases.append(_another(cases[-1]))
    questions = [select(case.inputs, function) for case in cases]
    expected = [checker.ask_all(function, question) for question in questions]

    rounds = 1 if _is_large(case) else 2
    orders = [questions[k:] + questions[:k] for k in range(THREADS)]
    for thread, answers in enumerate(_ask_at_once(checker, function, orders, rounds)):
        for number, answer in enumerate(answers):
            k = (thread + number) % THREADS
            checker.calls = [Call(function, questions[k], expected[k])]
            if isinstance(answer, Exception):
                raise answer
            how = "called by several threads at once"
            _check_equality(
                checker,
                how,
                function,
                answer,
                expected[k],
                calls=1,
            )


def _ask_at_once(
    checker: Checker,
    function: str,
    questions: Sequence[Sequence[Given]],
    rounds: int,
) -> list[list[Any]]:
    """Ask each list of questions in a thread of its own; return the answers, or failures, of each
    thread.
    """
    answers: list[list[Any]] = [[] for _ in questions]
    start = threading.Barrier(len(questions))

    def work(number: int) -> None:
        start.wait()
        for question in [*questions[number]] * rounds:
            try:
                answer = checker.subject.ask(function, copied(question))
                answers[number].append(numbers(function, answer, question))
            except (SubjectFailure, NotJudged) as failure:
                answers[number].append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(questions))]
    usual = sys.getswitchinterval()
    # seconds; the usual 5e-3 is longer than a call, so that threads would take turns
    sys.setswitchinterval(1e-5)
    try:
        # Each thread redirects output and warnings of the whole process; here both are put back.
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
    everything_cases(TWO_REGIONS),
    _small_and_large,
    kind="contract",
    any_of=True,
    weight=0.05,
)
def invalid_input_is_rejected(checker: Checker, case: Case) -> None:
    """NaN or infinity in an argument, shapes that do not fit and a K larger than a class lead to an
    error, NaN or infinity, never to finite numbers.
    """
    accepted = []
    for function in ALL.split():
        found = None
        if checker.offers(function):
            found = next(_accepted(checker, case, function), None)
        if found is not None:
            accepted.append(found)
    if accepted:
        functions = plural(len(accepted), "function")
        answered = [f"{call.function} although {reason}" for call, reason in accepted]
        sentence = (
            f"invalid input is not rejected by {functions}: finite numbers are returned by "
            f"{', '.join(answered)}"
        )
        raise Violation(sentence, [call for call, _ in accepted])


def _accepted(
    checker: Checker,
    case: Case,
    function: str,
) -> Iterator[tuple[Call, str]]:
    """Yield the invalid questions that get numbers for an answer, each with what is wrong."""
    arguments = select(case.inputs, function)
    questions = _without_an_answer(arguments)
    if _is_large(case):
        questions = itertools.islice(questions, 1)
    for reason, wrong in questions:
        call = Call(function, wrong)
        checker.calls = [call]
        checker.plain += 1
        try:
            answer = checker.subject.ask(function, copied(wrong))
            arrays = numbers(function, answer, arguments)
        except SubjectFailure as failure:
            if failure.crashed:  # a crash is not a refusal
                raise
            continue
        is_finite = all(np.isfinite(array).all() for array in arrays)
        if is_finite and any(array.size for array in arrays):
            call.answer = arrays
            call.printed = checker.subject.printed
            yield call, reason


def _without_an_answer(arguments: Given) -> Iterator[tuple[str, Given]]:
    """Yield arguments that the interface forbids, each with what is wrong."""
    for name in of_kind(arguments, "points", "radii", "metrics"):
        if arguments[name].size == 0:
            continue
        place = [0] * arguments[name].ndim
        for pairs in of_kind(arguments, "indices"):
            if name in ARGUMENTS[pairs].of:  # rows that no pair refers to may hold anything
                place[0] = int(arguments[pairs][0, 0])
                break
        for number in (np.nan, np.inf):
            poisoned = arguments[name].copy()
            poisoned[tuple(place)] = number
            yield f"{name} contains {number}", {**arguments, name: poisoned}

    for name in of_kind(arguments, "count"):
        classes = ARGUMENTS[name].of
        smallest = min(len(arguments[members]) for members in classes)
        reason = f"{name} is {smallest + 1}, but a class has {smallest} members"
        yield reason, {**arguments, name: smallest + 1}
        nobody = arguments[classes[0]][:0]
        yield "a class has no members", {**arguments, name: 1, classes[0]: nobody}

    # Arguments whose rows belong to those of an earlier one, and lists of points of their own
    # length. A few of them suffice: every new shape may cost a subject a compilation.
    letters = [ARGUMENTS[name].shape[:1] for name in arguments]
    belonging = []
    for k, name in enumerate(arguments):
        if letters[k] and letters[k] in letters[:k]:
            belonging.append(name)
    for name in belonging[:2]:
        if len(arguments[name]):
            yield f"{name} has a row fewer than it needs", {**arguments, name: arguments[name][:-1]}

    points = of_kind(arguments, "points")
    lists = [name for name in points if letters.count(ARGUMENTS[name].shape[0]) == 1]
    if len(lists) > 1 and lengths(arguments)["F"] > 1:
        name = lists[-1]
        yield f"{name} has one feature", {**arguments, name: arguments[name][:, :1]}


@law(
    BEHAVIOR,
    ALL,
    everything_cases(TWO_REGIONS),
    each=True,
    weight=0.5,
)
def empty_batches_get_empty_answers(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """For no pairs, no rows or empty lists of pairs the answers are arrays in the shapes of the
    interface.
    """
    empty = case.but(**{name: case[name][:0] for name in FUNCTIONS[function].batch})
    checker.ask_all(function, empty)
    if "Y" in FUNCTIONS[function].arguments:
        checker.ask_all(function, case, Y=case["Y"][:0])
