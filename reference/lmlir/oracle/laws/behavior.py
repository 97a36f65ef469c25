"""The manners: how a subject answers, whatever the numbers; and answers at sizes where programs change their ways."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle import strategies
from lmlir.oracle.brackets import Precision
from lmlir.oracle.cases import Case
from lmlir.oracle.checker import Checker, copied
from lmlir.oracle.interface import FUNCTIONS, PARAMETERS, select, shaped
from lmlir.oracle.laws.registry import law
from lmlir.oracle.laws.relations import cross_inputs, each_offered
from lmlir.oracle.strategies import Spec
from lmlir.oracle.subjects import numbers
from lmlir.oracle.violations import Call, Violation

ALL = " ".join(FUNCTIONS)
BATCHED = "distances intersection_ratios ratio_gradients exact_background_ratios cross_distances decision_values"
POINTS = ("X_i", "X_j", "X", "Y", "X_minus", "X_plus", "centers")
SMALL = Spec(pairs=(3, 2), regions=(2, 1, 3), scales=(0,), shifts=(0.0,))


def offered(checker: Checker, names: str = ALL) -> list[str]:
    """The functions that are both named and offered."""
    return [name for name in names.split() if checker.offers(name)]


@law(
    "a_batch_equals_its_rows_one_by_one",
    "Equation (9); Equation (10); Definition 8",
    "Every row of a batch gets the answer that it gets alone.",
    BATCHED,
    strategies.everything_cases(Spec(pairs=(5, 4, 8), regions=(2, 1, 4), scales=(0, 6), shifts=(0.0, 10.0))),
    any_of=True,
    weight=0.6,
)
@each_offered(BATCHED)
def a_batch_equals_its_rows_one_by_one(checker: Checker, case: Case, function: str) -> None:
    rows = ("X",) if function in ("cross_distances", "decision_values") else ("X_i", "X_j")
    together = checker.ask_all(function, case.inputs)
    allowed = checker.allowed(function, case.inputs)
    for p in range(len(case[rows[0]])):
        alone = checker.ask_all(function, case.inputs, **{name: case[name][p : p + 1] for name in rows})
        for a, b, (low, high) in zip(together, alone, allowed, strict=True):
            calls = checker.calls[:1] + checker.calls[-1:]
            try:
                checker.agree(
                    f"{function}: row {p} of the batch, and the same row alone", a[p], b[0], (low[p], high[p])
                )
            except Violation as violation:
                violation.calls = calls
                raise


@law(
    "the_same_question_gets_the_same_answer",
    "Definition 7",
    "Asked again, also after other questions, a function gives the same answer, and those get their own: nothing "
    "is remembered.",
    ALL,
    strategies.everything_cases(SMALL),
    any_of=True,
    weight=0.25,
)
def the_same_question_gets_the_same_answer(checker: Checker, case: Case) -> None:
    for function in offered(checker):
        first = checker.ask_all(function, case.inputs)
        others = [changes for changes in _others(case) if changes.keys() & set(FUNCTIONS[function].arguments)]
        for changes in others:  # the first question in between, for those who remember the last one only
            checker.judge(function, case.but(**changes).inputs)
            again = checker.ask_all(function, case.inputs)
        for name, a, b in zip(FUNCTIONS[function].answers, again, first, strict=True):
            slack = 256 * checker.precision.eps * np.abs(b) + 1e-300
            scale = 64 * checker.precision.eps * np.abs(b[np.isfinite(b)]).max(initial=0.0)
            lower, upper = b - slack - scale, b + slack + scale
            checker.within(f"{function} asked again: {name}", a, lower, upper, calls=3)


def _others(case: Case) -> list[dict[str, Any]]:
    """What to change for other questions in the same shapes: the points, the regions, or a single plain number."""
    other = _another(case)
    names = set(other.inputs) - {"which", "function"}
    return [
        {name: other[name] for name in names - set(PARAMETERS)},
        {name: other[name] for name in PARAMETERS},
        {"C": 0.5 * case["C"] + 0.125},
        {"alpha": case["alpha"] + 0.25},
        {"beta": 2 * case["beta"] + 0.125},
        {"K": max(1, case["K"] - 1)},
    ]


def _another(case: Case) -> Case:
    """A different question in the same shapes."""
    changed: dict[str, Any] = {name: case[name] * 1.5 + 1 for name in POINTS}
    changed["radii"] = case["radii"] * 2 + 1
    changed["local_metrics"] = case["local_metrics"] * 3
    return case.but(**changed)


@law(
    "an_answer_stays_when_the_next_is_given",
    "Definition 7",
    "An answer does not change when its question's arrays are used for something else, nor when other questions are "
    "asked, of any function: answers share no memory.",
    ALL,
    strategies.everything_cases(SMALL),
    any_of=True,
    weight=0.2,
)
def an_answer_stays_when_the_next_is_given(checker: Checker, case: Case) -> None:
    questions = itertools.cycle((case, _another(case).but(beta=0.0)))  # a zero step might hand its arguments back
    asked = [
        _asked_and_overwritten(checker, function, next(questions)) for function in every_pair_in_a_row(offered(checker))
    ]
    for call, answer in asked:
        checker.calls = [call]
        now = numbers(call.function, answer, call.arguments)
        for name, a, b in zip(FUNCTIONS[call.function].answers, now, call.answer or (), strict=True):
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


def _asked_and_overwritten(checker: Checker, function: str, case: Case) -> tuple[Call, Any]:
    """Ask with arrays of its own, then write ones all over them."""
    arguments = select(shaped(case.inputs), function)
    given = copied(arguments)
    asked = _asked_with(checker, function, arguments, given)
    for value in given.values():
        if isinstance(value, np.ndarray):
            value[...] = 1
    return asked


def _asked_with(checker: Checker, function: str, arguments: Any, given: Any) -> tuple[Call, Any]:
    """Ask with these very arrays: the call, with its answer as numbers, and the answer as the subject gave it."""
    call = Call(function, arguments)
    checker.calls.append(call)
    answer = checker.subject.ask(function, given)
    call.answer = numbers(function, answer, arguments)
    return call, answer


def _agree(
    checker: Checker, function: str, words: str, answers: Any, expected: Any, allowed: Any, calls: int = 2
) -> None:
    """Every array of an answer agrees with that of another answer to the same question."""
    for name, a, b, each in zip(FUNCTIONS[function].answers, answers, expected, allowed, strict=True):
        checker.agree(f"{function} {words}: {name}", a, b, each, calls=calls)


@law(
    "inputs_are_left_unmodified",
    "Definition 7",
    "No function changes the arrays that it is given, be they small or large.",
    ALL,
    strategies.everything_cases(SMALL),
    lambda: [_hundreds_of_everything()],
    any_of=True,
    weight=0.5,
)
def inputs_are_left_unmodified(checker: Checker, case: Case) -> None:
    for function in offered(checker):
        arguments = select(shaped(case.inputs), function)
        given = copied(arguments)
        checker.calls = [Call(function, arguments)]
        checker.subject.ask(function, given)
        for name, value in arguments.items():
            if isinstance(value, np.ndarray) and not np.array_equal(value, given[name]):
                sentence = f"{function} changed its argument {name} from {value.tolist()} to {given[name].tolist()}"
                raise Violation(sentence[:400], checker.calls, where=name)


@law(
    "the_layout_of_the_arrays_does_not_matter",
    "Definition 7",
    "Arrays in another order of memory, with gaps, parts of one array or overlapping, and shorter integers, mean the same.",
    ALL,
    strategies.everything_cases(SMALL),
    any_of=True,
    weight=0.25,
)
@each_offered(ALL)
def the_layout_of_the_arrays_does_not_matter(checker: Checker, case: Case, function: str) -> None:
    arguments = select(shaped(case.inputs), function)
    plain = checker.ask_all(function, case.inputs)
    allowed = checker.allowed(function, case.inputs)
    for laid_out in (_turned_in_memory, _with_gaps, _in_one_array):
        call, _ = _asked_with(checker, function, arguments, laid_out(arguments))
        _agree(checker, function, "with arrays laid out otherwise", call.answer, plain, allowed)
    overlapping = _overlapping(arguments)
    plain, allowed = checker.ask_all(function, overlapping), checker.allowed(function, overlapping)
    call, _ = _asked_with(checker, function, copied(overlapping), overlapping)
    _agree(checker, function, "with arrays that overlap in memory", call.answer, plain, allowed)


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


@law(
    "changed_arrays_are_read_again",
    "Definition 7",
    "When the numbers in the arrays are changed in place and the same arrays are given again, the answer is the new one.",
    ALL,
    strategies.everything_cases(SMALL),
    any_of=True,
    weight=0.25,
)
@each_offered(ALL)
def changed_arrays_are_read_again(checker: Checker, case: Case, function: str) -> None:
    other = _another(case)
    before, after = (select(shaped(each.inputs), function) for each in (case, other))
    given = copied(before)
    _asked_with(checker, function, before, given)
    for name, value in after.items():
        if isinstance(value, np.ndarray):
            given[name][...] = value
    call, _ = _asked_with(checker, function, after, given)
    expected, allowed = checker.ask_all(function, other.inputs), checker.allowed(function, other.inputs)
    _agree(checker, function, "of arrays that were changed in place", call.answer, expected, allowed, calls=3)


@law(
    "empty_batches_get_empty_answers",
    "Section 5.2, objective g; Equation (9)",
    "No pairs, no rows, or empty pair lists are answered with empty arrays, and with the penalty alone.",
    ALL,
    strategies.everything_cases(SMALL),
    any_of=True,
    weight=0.5,
)
def empty_batches_get_empty_answers(checker: Checker, case: Case) -> None:
    none = np.zeros((0, 2), dtype=np.intp)
    for function in offered(checker):
        if function in ("objective", "objective_gradient", "descent_step"):
            checker.judge(function, case.inputs, similar=none, dissimilar=none)
            continue
        names = ("X",) if function in ("cross_distances", "decision_values") else ("X_i", "X_j")
        checker.ask_all(function, case.inputs, **{name: case[name][:0] for name in names})
        if function == "cross_distances":
            checker.ask_all(function, case.inputs, Y=case["Y"][:0])


@law(
    "without_regions_the_background_is_everything",
    "Definition 2; Definition 4; Equation (9)",
    "With S = 0 every function still answers, with the background metric alone.",
    ALL,
    strategies.everything_cases(Spec(regions=(0,), pairs=(3, 2), scales=(0, 5), shifts=(0.0, 10.0))),
    any_of=True,
    weight=0.5,
)
@each_offered(ALL)
def without_regions_the_background_is_everything(checker: Checker, case: Case, function: str) -> None:
    features = case["background_metric"].shape[0]
    dtype = case["background_metric"].dtype
    case = case.but(
        centers=np.zeros((0, features), dtype),
        radii=np.zeros(0, dtype),
        local_metrics=np.zeros((0, features, features), dtype),
    )
    checker.judge(function, case.inputs)


@law(
    "equal_points_are_at_distance_zero",
    "Definition 7; Table 2",
    "For x_i = x_j gamma, its gradients and D are 0, wherever the point lies.",
    "distances intersection_ratios ratio_gradients cross_distances",
    strategies.pair_cases(Spec(pairs=(4, 2))),
    any_of=True,
)
def equal_points_are_at_distance_zero(checker: Checker, case: Case) -> None:
    case = case.but(X_j=case["X_i"])
    for function in offered(checker, "distances intersection_ratios ratio_gradients"):
        for name, got in zip(FUNCTIONS[function].answers, checker.ask_all(function, case.inputs), strict=True):
            checker.within(f"{function}: {name}", got, 0.0, 0.0)
    if checker.offers("cross_distances"):
        inputs = cross_inputs(case)
        got = checker.ask("cross_distances", inputs)
        checker.within("cross_distances: the diagonal", np.diagonal(got), 0.0, 0.0)


# --- Large batches ----------------------------------------------------------------------------------------------------


def _hundreds_of_everything() -> Case:
    """Hundreds of rows and pairs, and five regions, with the inputs of all nine functions."""
    sizes = {"pairs": 300, "X": 300, "Y": 3, "minus": 4, "plus": 3, "K": 2, "similar": 300, "dissimilar": 290}
    inputs: dict[str, Any] = {"which": 0}
    for function in FUNCTIONS:
        inputs |= large_case(function, sizes, regions=5).inputs
    del inputs["function"]
    return Case(inputs, ("large batch",), "hundreds of rows, and five regions")


# Sizes beyond the powers of two at which programs cut their work into blocks.
LARGE_SIZES: list[tuple[str, dict[str, int]]] = [
    ("distances", {"pairs": 4200}),
    ("cross_distances", {"X": 260, "Y": 257}),
    ("cross_distances", {"X": 1030, "Y": 5}),
    ("cross_distances", {"X": 5, "Y": 1030}),
    ("intersection_ratios", {"pairs": 4200}),
    ("ratio_gradients", {"pairs": 1100}),
    ("exact_background_ratios", {"pairs": 4200}),
    ("decision_values", {"X": 2060, "minus": 3, "plus": 2, "K": 2}),
    ("decision_values", {"X": 3, "minus": 530, "plus": 1030, "K": 70}),
    ("objective", {"X": 1100, "similar": 2100, "dissimilar": 1030}),
    ("objective", {"X": 70000, "similar": 7, "dissimilar": 5}),
    ("objective_gradient", {"X": 1100, "similar": 1030, "dissimilar": 1040}),
    ("descent_step", {"X": 1100, "similar": 1040, "dissimilar": 1030}),
]


def large_case(function: str, sizes: dict[str, int], seed: int = 0, features: int = 3, regions: int = 2) -> Case:
    """Random inputs of one function at a given size."""
    random = np.random.default_rng(seed)

    def cloud(count: int) -> np.ndarray:
        return random.normal(size=(count, features))

    A = random.normal(size=(regions + 1, features, features)) / np.sqrt(features)
    M = A @ np.swapaxes(A, 1, 2) * 0.25 + 0.05 * np.eye(features)
    everything = {
        "X_i": cloud(sizes.get("pairs", 1)),
        "X_j": cloud(sizes.get("pairs", 1)),
        "X": cloud(sizes.get("X", 1)),
        "Y": cloud(sizes.get("Y", 1)),
        "X_minus": cloud(sizes.get("minus", 1)),
        "X_plus": cloud(sizes.get("plus", 1)),
        "K": sizes.get("K", 1),
        "similar": random.integers(sizes.get("X", 1), size=(sizes.get("similar", 0), 2)),
        "dissimilar": random.integers(sizes.get("X", 1), size=(sizes.get("dissimilar", 0), 2)),
        "centers": cloud(regions),
        "radii": np.sqrt(features) * random.uniform(0.6, 1.5, size=regions),
        "local_metrics": (M[:-1] + np.swapaxes(M[:-1], 1, 2)) / 2,
        "background_metric": (M[-1] + M[-1].T) / 2,
        "alpha": 0.25,
        "C": 0.25,
        "beta": 0.5,
    }
    return Case(
        {"function": function, **select(everything, function)}, ("large batch",), f"a large batch for {function}"
    )


# Few rows, for many features and regions at once, and for a single feature.
WIDE_SIZES: list[tuple[str, dict[str, int]]] = [
    ("distances", {"pairs": 12}),
    ("cross_distances", {"X": 3, "Y": 4}),
    ("intersection_ratios", {"pairs": 12}),
    ("ratio_gradients", {"pairs": 12}),
    ("exact_background_ratios", {"pairs": 12}),
    ("decision_values", {"X": 2, "minus": 5, "plus": 4, "K": 3}),
    ("objective", {"X": 8, "similar": 7, "dissimilar": 5}),
    ("objective_gradient", {"X": 8, "similar": 5, "dissimilar": 7}),
    ("descent_step", {"X": 8, "similar": 7, "dissimilar": 5}),
]


def _large_kept() -> list[Case]:
    wide = [
        large_case(function, sizes, seed, features, regions)
        for features, regions in ((12, 8), (7, 5), (9, 18), (35, 4), (1, 3))
        for seed, (function, sizes) in enumerate(WIDE_SIZES)
    ]
    return [*wide, *(large_case(function, sizes, seed) for seed, (function, sizes) in enumerate(LARGE_SIZES))]


def _large_cases(precision: Precision) -> Any:
    @st.composite
    def build(draw: Any) -> Case:
        function, sizes = draw(st.sampled_from(LARGE_SIZES))
        smaller = {name: max(1, size // draw(st.sampled_from((3, 2, 5)))) for name, size in sizes.items()}
        if "K" in smaller:
            smaller["K"] = min(smaller["K"], smaller["minus"], smaller["plus"])
        features, regions = draw(st.sampled_from(((8, 6), (12, 8), (20, 10), (1, 3))))
        return large_case(function, smaller, draw(st.integers(0, 2**32 - 1)), features, regions).cast(precision.dtype)

    return build()


@law(
    "large_batches_are_answered_like_small_ones",
    "Equation (9); Equation (10); Section 5.2, objective g; Section 5.2, gradient of g",
    "Hundreds or thousands of rows, many features and many regions get right answers throughout, not only the "
    "first block.",
    ALL,
    _large_cases,
    _large_kept,
    any_of=True,
    weight=0.2,
)
def large_batches_are_answered_like_small_ones(checker: Checker, case: Case) -> None:
    function = case["function"]
    if checker.offers(function):
        checker.judge_case(function, case)
