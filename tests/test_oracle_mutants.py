"""The mutants: each one differs from the reference, and the oracle rejects every one of them."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from lmlir import subject as reference
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.mutants import MUTANTS, Honest, scenes

SCENES = {name: scene for name, scene in vars(scenes).items() if name.isupper() and not name.startswith("_")}


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


def misbehaviour(subject, mutant):
    """How far a fresh subject is off on the witness of a mutant: in its answers, early and late, and in its inputs."""
    ask = getattr(subject, mutant.function)
    arguments = scenes.arguments(mutant.function, mutant.scene)
    untouched = scenes.arguments(mutant.function, mutant.scene)
    expected = as_arrays(getattr(reference, mutant.function)(*untouched.values()))
    with np.errstate(all="ignore"):
        try:
            first = ask(*arguments.values())
            early = gap(as_arrays(first), expected)
            other = gap(
                as_arrays(ask(*shifted(untouched).values())), answers(reference, mutant.function, shifted(untouched))
            )
            late = gap(as_arrays(first), expected)
            again = gap(as_arrays(ask(*untouched.values())), expected)
        except (ValueError, IndexError):
            return np.inf
    original = scenes.arguments(mutant.function, mutant.scene)
    changed = any(not np.array_equal(arguments[name], original[name]) for name in original)
    return max(early, other, late, again, np.inf if changed else 0.0)


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


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_honest_subject_takes_the_arguments_of_the_interface(function):
    assert tuple(inspect.signature(getattr(Honest(), function)).parameters) == FUNCTIONS[function].arguments


@pytest.mark.parametrize("scene", SCENES)
def test_the_honest_subject_agrees_with_the_reference_on_every_scene(scene):
    """What is wrong with a mutant is then its one replaced piece, not the base it stands on."""
    for function in FUNCTIONS:
        arguments = scenes.arguments(function, SCENES[scene])
        expected = answers(reference, function, arguments)
        assert expected is not None
        got = answers(Honest(), function, arguments)
        scale = max(1.0, *(float(np.max(np.abs(part), initial=0)) for part in expected))
        tolerance = 1e-9 if scene in ("NEAR_TANGENT", "FAR_FROM_ORIGIN") else 1e-13  # the first loses half its digits
        assert gap(got, expected) <= tolerance * scale, function


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_differs_from_the_reference_on_its_witness(name):
    """Far more than the honest subject does, or in its manners: second answers, inputs, shapes, NaN, errors."""
    mutant = MUTANTS[name]
    assert misbehaviour(mutant.make(), mutant) > 3 * misbehaviour(Honest(), mutant) + 4e-16
