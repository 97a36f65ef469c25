"""The working: its number is the truth, and its parts add up to it."""

import re

import numpy as np
import pytest

from lmlir.oracle.allowed import exact
from lmlir.oracle.inputs import corner_cases
from lmlir.oracle.interface import FUNCTIONS, select
from lmlir.oracle.precision import within
from lmlir.oracle.reporting.working import working
from lmlir.oracle.subjects.messages import to_lists

NUMBER = r"-?[\d.]+(?:e[+-]\d+)?"
TWO_BALLS = {
    "X_i": [[1.0]],
    "X_j": [[0.0]],
    "centers": [[0.0], [0.0]],
    "radii": [1.0, 0.5],
    "local_metrics": [[[4.0]], [[9.0]]],
    "background_metric": [[1.0]],
}


def cases_of(function, count=25):
    """Corner cases of a function, evenly spread, without those of many numbers or sizes."""
    small = []
    for case in corner_cases.of(function)():
        arguments = select(case.inputs, function)
        numbers = [np.abs(value[value != 0]) for value in map(np.asarray, arguments.values())]
        sizes = np.concatenate([np.ravel(each) for each in numbers])
        is_ordinary = sizes.min(initial=1) > 1e-5 and sizes.max(initial=1) < 1e5
        if case.size < 60 and is_ordinary:
            small.append(arguments)
    return small[:: max(1, len(small) // count)]


def steps(function, arguments, number, place, got=0.0):
    lists = {name: to_lists(value) for name, value in arguments.items()}
    where = f"{function}: {FUNCTIONS[function].answers[number]}"
    if place:
        where += f"[{', '.join(map(str, place))}]"
    return working({"call": function, "arguments": lists}, where, got)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_working_ends_in_the_number_of_fifty_digits(function):
    """At every place of every answer to ordinary corner cases."""
    compared = 0
    for arguments in cases_of(function):
        shapes = FUNCTIONS[function].shapes(arguments)
        for number, true in enumerate(exact.for_call(function, arguments)):
            true = true.reshape(shapes[number])
            for place in np.ndindex(true.shape):
                first = steps(function, arguments, number, place)[0]
                shown = float(re.search(rf" = ({NUMBER})(, you: 0)?$", first)[1])
                assert shown == pytest.approx(float(true[place]), rel=2e-5, abs=1e-9), first
                compared += 1
    assert compared >= 10


def test_an_answer_that_looks_like_the_true_number_is_not_repeated():
    first, *_ = steps("distances", TWO_BALLS, 0, (0,), got=3.5000001)
    assert first.endswith(" = 3.5")


def test_the_parts_of_a_distance_add_up():
    """Two balls around x_j: the background has no share, the local lengths are 2 and 3."""
    first, *regions = steps("distances", TWO_BALLS, 0, (0,), got=2.5)
    sum_of_terms = first.split(" = ")[2]
    assert eval(sum_of_terms) == 1 * 2 + 0.5 * 3
    assert first.endswith(" = 3.5, you: 2.5")
    assert regions == [
        "region 0: lambda_u = 0, lambda_v = 2 -> row 7",
        "region 1: lambda_u = 0.5, lambda_v = 1.5 -> row 7",
    ]


def test_the_parts_of_a_gradient_add_up():
    """What penalty and pairs add is the entry, at every place of the corner cases."""
    sums = 0
    for arguments in cases_of("objective_gradient", 12):
        for number, shape in enumerate(FUNCTIONS["objective_gradient"].shapes(arguments)):
            for place in np.ndindex(shape):
                first, *parts = steps("objective_gradient", arguments, number, place)
                total = float(re.search(rf" = ({NUMBER})(,|$)", first)[1])
                added = [re.search(rf"adds (?:.* = )?({NUMBER})$", part) for part in parts]
                if all(added):
                    summed = sum(float(match[1]) for match in added)
                    assert summed == pytest.approx(total, rel=1e-3, abs=1e-4)
                    sums += total != 0
    assert sums >= 20


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({**TWO_BALLS, "radii": ["NaN", 1.0]}, "distances: D[0]"),
        ({**TWO_BALLS, "centers": [[0.0]]}, "distances: D[0]"),
        (TWO_BALLS, "distances: D[7]"),
        (TWO_BALLS, "distances after x_i moved[0]"),
        (TWO_BALLS, ""),
    ],
)
def test_questions_without_a_true_number_have_no_working(arguments, where):
    assert working({"call": "distances", "arguments": arguments}, where, 0.0) == []


def test_many_terms_are_cut_off():
    regions = {"centers": [[0.0]] * 50, "radii": [1.0] * 50, "local_metrics": [[[1.0]]] * 50}
    first, *others = steps("distances", {**TWO_BALLS, **regions}, 0, (0,))
    assert len(others) < 12
    assert len(first) < 250
    assert first.endswith(" = 50, you: 0")


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        (0.0, 0.0, "0"),
        (-1e-300, 1e-300, "-1e-300 to 1e-300"),
        (0.1, 0.1, "0.1"),
        (1 / 3 - 1e-12, 1 / 3 + 1e-12, "0.333333333333 within 1e-12"),
        (5.0, np.inf, "5.0 to inf"),
        (-1e200, -0.9999e200, "-1e+200 within 1e+196"),
    ],
)
def test_a_bracket_is_shown_by_its_shortest_number(lower, upper, words):
    assert within(lower, upper) == words
