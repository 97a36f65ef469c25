"""The mutants: each one differs from the reference, and the oracle rejects every one of them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lmlir import subject as reference
from lmlir.oracle import kill_matrix, resemblance, runner, subjects
from lmlir.oracle.interface import CONCERNS, FUNCTIONS
from lmlir.oracle.laws import LAWS, by_name
from lmlir.oracle.mutants import MUTANTS, Original, examples

FEW = 7  # laws of 50: one that rejects nothing but what more than these reject adds little
LAW_NAMES = [law.name for law in LAWS]

EXAMPLE_INPUTS = {
    name: example for name, example in vars(examples).items() if name.isupper() and not name.startswith("_")
}


def answers(subject, function, arguments):
    """What the subject returns, as a list of float arrays; None when it raises."""
    try:
        return as_arrays(getattr(subject, function)(*arguments.values()))
    except (ValueError, IndexError):
        return None


def gap(got, expected):
    """The largest difference between two lists of arrays; infinite when a shape differs or a number is NaN."""
    if got is None or len(got) != len(expected):
        return np.inf
    largest = 0.0
    for ours, theirs in zip(got, expected, strict=True):
        if ours.shape != theirs.shape or np.isnan(ours).any():
            return np.inf
        largest = max(largest, float(np.max(np.abs(ours - theirs), initial=0)))
    return largest


def as_arrays(answer):
    """The answer of a subject, one array or several, as a list of fresh float arrays."""
    return [np.array(part, dtype=float) for part in (answer if isinstance(answer, tuple) else (answer,))]


def shifted(arguments):
    """The same question with the points moved a little."""
    return {name: value + 0.125 if name in ("X_i", "X") else value for name, value in arguments.items()}


def misbehavior(subject, mutant):
    """How far a fresh subject is off on the example of a mutant: in its answers, early and late, and in its inputs."""
    ask = getattr(subject, mutant.function)
    arguments = examples.arguments(mutant.function, mutant.example)
    untouched = examples.arguments(mutant.function, mutant.example)
    expected = as_arrays(getattr(reference, mutant.function)(*untouched.values()))
    with np.errstate(all="ignore"):
        try:
            first = ask(*arguments.values())
            early = gap(as_arrays(first), expected)
            other = gap(
                as_arrays(ask(*shifted(untouched).values())), answers(reference, mutant.function, shifted(untouched))
            )
            again = gap(as_arrays(ask(*untouched.values())), expected)
            ask(*shifted(untouched).values())
            ask(*shifted(untouched).values())
            original = examples.arguments(mutant.function, mutant.example)
            changed = any(not np.array_equal(arguments[name], original[name]) for name in original)
            overwrite(arguments)
            late = gap(as_arrays(first), expected)
            early = max(early, *asked_by_another_thread_of_locked_arrays(ask, mutant, expected))
            early = max(early, asked_for_more_neighbors_than_there_are(ask, mutant))
            pairs = [
                asked_again_in_place(ask, mutant),
                asked_with_other_numbers(ask, mutant),
                asked_with_overlapping_arrays(ask, mutant),
                asked_with_integers(ask, mutant),
                *asked_before_every_other_function(subject, mutant),
            ]
        except (ValueError, IndexError):
            return np.inf
    return max(early, other, late, again, np.inf if changed else 0.0, *(gap(*pair) for pair in pairs))


def overwrite(arguments):
    """Use the arrays of a question for something else."""
    for value in arguments.values():
        if isinstance(value, np.ndarray):
            value[...] = 1


def asked_again_in_place(ask, mutant):
    """What a subject says, and what is right, when the points in its arrays were changed between two questions."""
    arguments = examples.arguments(mutant.function, mutant.example)
    ask(*arguments.values())
    for name in ("X_i", "X"):
        if name in arguments:
            arguments[name] += 0.125
    fresh = {name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in arguments.items()}
    return as_arrays(ask(*arguments.values())), answers(reference, mutant.function, fresh)


def asked_with_other_numbers(ask, mutant):
    """What a subject says, and what is right, when only C, or for a step beta, differs from the question before."""
    arguments = examples.arguments(mutant.function, mutant.example)
    ask(*arguments.values())
    for name in ("C", "beta"):
        if name == list(arguments)[-1]:
            arguments[name] = arguments[name] / 2 + 0.125
    return as_arrays(ask(*arguments.values())), answers(reference, mutant.function, arguments)


def asked_by_another_thread_of_locked_arrays(ask, mutant, expected):
    """How far the answer is off when another thread asks, and when the arrays are read-only."""
    with ThreadPoolExecutor(1) as pool:
        arguments = examples.arguments(mutant.function, mutant.example)
        yield gap(as_arrays(pool.submit(ask, *arguments.values()).result()), expected)
    for value in arguments.values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    yield gap(as_arrays(ask(*arguments.values())), expected)


def asked_for_more_neighbors_than_there_are(ask, mutant):
    """Infinite when there is an answer."""
    arguments = examples.arguments(mutant.function, mutant.example)
    if "K" not in arguments:
        return 0.0
    arguments["K"] = 1 + max(len(arguments["X_minus"]), len(arguments["X_plus"]))
    try:
        ask(*arguments.values())
    except ValueError:
        return 0.0
    return np.inf


def asked_with_integers(ask, mutant):
    """What a subject says, and what is right, when the points are whole numbers, in integers."""
    arguments = examples.arguments(mutant.function, mutant.example)
    points = [name for name in ("X_i", "X_j", "X") if name in arguments]
    whole = {**arguments, **{name: np.round(arguments[name]) for name in points}}
    if "gradient" in mutant.function or any(np.abs(whole[name]).max(initial=0) > 1e9 for name in points):
        return [], []  # on a kink there are several answers, and integers end somewhere
    integers = {**whole, **{name: whole[name].astype(int) for name in points}}
    return as_arrays(ask(*integers.values())), answers(reference, mutant.function, whole)


def asked_with_overlapping_arrays(ask, mutant):
    """What a subject says, and what is right, when X and Y are equally many and Y begins one row after X."""
    arguments = examples.arguments(mutant.function, mutant.example)
    if "Y" in arguments:
        arguments["X"], arguments["Y"] = arguments["X"][:-1], arguments["X"][1:]
    fresh = {name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in arguments.items()}
    return as_arrays(ask(*arguments.values())), answers(reference, mutant.function, fresh)


def asked_before_every_other_function(subject, mutant):
    """An answer looked at after another function was asked something else, and what it was before."""
    for function in FUNCTIONS:
        answer = getattr(subject, mutant.function)(*examples.arguments(mutant.function, mutant.example).values())
        before = as_arrays(answer)
        getattr(subject, function)(*shifted(examples.arguments(function, mutant.example)).values())
        yield as_arrays(answer), before


def test_there_are_at_least_fifty_mutants_with_a_sentence_and_an_item_each():
    assert len(MUTANTS) >= 50
    for name, mutant in MUTANTS.items():
        assert mutant.name == name
        assert mutant.description.endswith(".") and "\n" not in mutant.description, name
        assert mutant.items and all(mutant.items), name


def test_no_two_mutants_have_the_same_description():
    descriptions = [mutant.description for mutant in MUTANTS.values()]
    assert len(set(descriptions)) == len(descriptions)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_of_the_interface_has_mutants(function):
    assert sum(mutant.function == function for mutant in MUTANTS.values()) >= 3


@pytest.mark.parametrize("example", EXAMPLE_INPUTS)
def test_the_honest_subject_agrees_with_the_reference_on_every_example(example):
    """What is wrong with a mutant is then its one replaced piece, not the base it stands on."""
    for function in FUNCTIONS:
        arguments = examples.arguments(function, EXAMPLE_INPUTS[example])
        expected = answers(reference, function, arguments)
        assert expected is not None
        got = answers(Original(), function, arguments)
        scale = max(1.0, *(float(np.max(np.abs(part), initial=0)) for part in expected))
        assert gap(got, expected) <= examples.closeness(example) * scale, function


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_differs_from_the_reference_on_its_example(name):
    """Far more than the honest subject does, or in its behavior: second answers, inputs, shapes, NaN, errors."""
    mutant = MUTANTS[name]
    assert misbehavior(mutant.make(), mutant) > 3 * misbehavior(Original(), mutant) + 4e-16


# ---- the kill matrix ----


@pytest.mark.parametrize("name", MUTANTS)
def test_the_oracle_rejects_the_mutant(name):
    """Profile quick, up to the first violation; the laws that rejected it before are tried first."""
    first = [law for law in resemblance.likely_killers(name) if law in LAW_NAMES]
    order = [*first, *(law for law in LAW_NAMES if law not in first)]
    subject = subjects.from_module(MUTANTS[name].make(), name)
    report = runner.judge(subject, profile="quick", only=order, first_violation_only=True, shrink=False)
    assert report.verdict == "violates", f"{name} survives: {MUTANTS[name].description}"


def test_the_stored_matrix_has_all_laws_and_mutants():
    """When this fails: make mutants, and commit what it writes."""
    assert resemblance.stored()["laws"] == LAW_NAMES
    assert list(resemblance.stored()["mutants"]) == list(MUTANTS)


def test_no_mutant_survives_in_the_stored_matrix():
    assert resemblance.stored()["survivors"] == []


@pytest.mark.parametrize("name", MUTANTS)
def test_a_law_whose_sentence_fits_the_slip_rejects_the_mutant(name):
    """One of its killers is asked of the mutant's own function, and both are about the same item."""
    mutant = MUTANTS[name]
    killers = [by_name(law) for law in resemblance.stored()["mutants"][name]["killed_by"]]
    assert any(mutant.function in law.functions and related(law.items, mutant.items) for law in killers), mutant.items


def related(items, others):
    """Whether two lists of items have one in common; a row of a table is a part of it."""
    return {item.split(", row")[0] for item in items} & {item.split(", row")[0] for item in others}


def test_every_item_of_a_mutant_concerns_its_function():
    assert [
        (name, item)
        for name, mutant in MUTANTS.items()
        for item in mutant.items
        if mutant.function not in CONCERNS[item]
    ] == []


@pytest.mark.parametrize("law", LAW_NAMES)
def test_the_law_rejects_a_mutant_that_few_others_reject(law):
    """A law that never kills, or kills only what everyone kills, would be of no use."""
    entries = resemblance.stored()["mutants"].values()
    assert min((len(entry["killed_by"]) for entry in entries if law in entry["killed_by"]), default=99) <= FEW


def test_the_matrix_says_what_the_runner_says():
    """The replay of remembered cases is a shortcut; on a sample it has to give the same verdicts."""
    laws, names = LAW_NAMES[:4:3] + LAW_NAMES[-4:-2], ["clip_without_upper_end", "union_not_sorted", "answers_drift"]
    matrix = kill_matrix.matrix_of(names, laws, "quick", seed=0, jobs=1)
    for name in names:
        subject_of = {law: subjects.from_module(MUTANTS[name].make(), name) for law in laws}
        results = {law: runner.run_law(by_name(law), subject_of[law], "quick", shrink=False) for law in laws}
        said = {law: result.examples for law, result in results.items() if result.status == "violated"}
        assert matrix["mutants"][name]["killed_by"] == said


def test_the_matrix_is_written_as_json_and_read_back(tmp_path):
    kill_matrix.write(resemblance.stored(), tmp_path / "matrix.json")
    assert json.loads((tmp_path / "matrix.json").read_text()) == resemblance.stored()


def test_a_mutant_resembles_itself():
    for name, entry in resemblance.stored()["mutants"].items():
        for law in entry["killed_by"]:
            found = resemblance.resembling(entry["killed_by"], law, LAW_NAMES)
            patterns = [set(resemblance.stored()["mutants"][other]["killed_by"]) for other in found]
            assert name in found or all(pattern == set(entry["killed_by"]) for pattern in patterns)
            assert 1 <= len(found) <= resemblance.MOST_NAMED


def test_a_pattern_like_no_other_resembles_nothing():
    unheard_of = [f"law number {number}" for number in range(50)]
    assert resemblance.resembling([LAW_NAMES[0], *unheard_of], LAW_NAMES[0], LAW_NAMES) == []


def test_a_pattern_is_compared_over_the_laws_that_ran(monkeypatch):
    """Of two mutants that violate the same one of the ten laws that ran, the one that violates another of them differs."""
    mutants = {"a": ["l0", "l20", "l21"], "b": ["l0", "l1", "l20"], "c": ["l20"]}
    stored = {"mutants": {name: {"killed_by": dict.fromkeys(laws, 1)} for name, laws in mutants.items()}}
    monkeypatch.setattr(resemblance, "stored", lambda: stored)
    ran = [f"l{number}" for number in range(10)]
    assert resemblance.resembling(["l0"], "l0", ran) == ["a"]
    assert resemblance.resembling(["l0", "l1"], "l0", ran) == ["b"]
    assert resemblance.resembling(["l0"], "l0", ran[:9]) == []


def test_the_text_of_a_matrix_names_survivors():
    matrix = {
        "laws": ["first", "second"],
        "kills": {"first": 1, "second": 0},
        "alone": {"first": ["a"], "second": []},
        "survivors": ["b"],
        "mutants": {"a": {"killed_by": {"first": 1}}, "b": {"killed_by": {}}},
    }
    text = kill_matrix.as_text(matrix)
    assert "a  x.\nb  ..\n" in text
    assert text.endswith("2 mutants, 2 laws, 1 survivors\n  survives: b")
