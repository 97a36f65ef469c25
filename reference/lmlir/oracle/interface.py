"""The subject interface, version 1, read off `lmlir.subject`: the functions, their arguments in
order, and their answers.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lmlir import subject
from lmlir.beside import toml_beside

ARGUMENTS = subject.ARGUMENTS
Arguments = Mapping[str, Any]
Shape = tuple[int, ...]

PARAMETERS = ("centers", "radii", "local_metrics", "background_metric")
REGIONS = PARAMETERS[:2]
# Pairs of arguments that a caller may pass as one object.
TWINS = (("X_i", "X_j"), ("X", "Y"), ("X_minus", "X_plus"), ("similar", "dissimilar"))
# What a case may hold: the arguments, and the vector of the law that moves all points.
INPUTS = {**ARGUMENTS, "shift": subject.Argument("points", "F")}
BEHAVIOR = "Subject interface"  # the item of laws that judge how a subject answers, not what


def of_kind(inputs: Iterable[str], *kinds: str) -> list[str]:
    """Return the names of the inputs that are of these kinds.

    >>> of_kind(["X", "K", "centers", "radii"], "points", "count")
    ['X', 'K', 'centers']
    """
    return [name for name in inputs if name in INPUTS and INPUTS[name].kind in kinds]


def lengths(inputs: Arguments) -> dict[str, int]:
    """Return the length that each letter of the declared shapes stands for in these inputs.

    >>> lengths({"X_i": np.zeros((5, 2)), "centers": np.zeros((3, 2)), "K": 1})
    {'P': 5, 'F': 2, 'S': 3}
    """
    length_of: dict[str, int] = {}
    for name, argument in INPUTS.items():
        if argument.shape and name in inputs:
            for letter, length in zip(argument.shape, np.shape(inputs[name]), strict=False):
                length_of.setdefault(letter, length)
    return length_of


@dataclass(frozen=True)
class Function:
    """A function of the interface: its arguments in order, the names of its answers, and their
    shapes in letters.
    """

    name: str
    arguments: tuple[str, ...]
    answers: tuple[str, ...]
    symbols: tuple[str, ...]

    @property
    def single(self) -> bool:
        """Whether the function returns one array (or number) rather than several."""
        return len(self.answers) == 1

    @property
    def batch(self) -> list[str]:
        """The arguments that list what is asked about: pairs, rows of X, or pairs of indices.

        >>> FUNCTIONS["distances"].batch
        ['X_i', 'X_j']
        >>> FUNCTIONS["cross_distances"].batch
        ['X']
        >>> FUNCTIONS["objective"].batch
        ['similar', 'dissimilar']
        """
        counted = self.symbols[0][:1]  # by the first axis of the answer
        pairs = of_kind(self.arguments, "indices")
        return pairs or [name for name in self.arguments if ARGUMENTS[name].shape[:1] == counted]

    def shapes(self, arguments: Arguments) -> tuple[Shape, ...]:
        """Return the shapes of the answers to these arguments."""
        sizes = lengths(arguments)
        shapes = []
        for symbols in self.symbols:
            shapes.append(tuple(sizes[symbol] for symbol in symbols))
        return tuple(shapes)


def _function(
    implementation: Callable[..., Any], answers: tuple[str, ...], *symbols: str
) -> Function:
    return Function(
        implementation.__name__,
        tuple(inspect.signature(implementation).parameters),
        answers,
        symbols,
    )


_PARAMETER_SHAPES = tuple(ARGUMENTS[name].shape for name in PARAMETERS)

FUNCTIONS: dict[str, Function] = {
    function.name: function
    for function in (
        _function(subject.intersection_ratios, ("gamma",), "PS"),
        _function(subject.ratio_gradients, ("center gradient", "radius gradient"), "PSF", "PS"),
        _function(subject.exact_background_ratios, ("gamma_b",), "P"),
        _function(subject.distances, ("D",), "P"),
        _function(subject.cross_distances, ("D",), "nm"),
        _function(subject.decision_values, ("f",), "n"),
        _function(subject.objective, ("g",), ""),
        _function(subject.objective_gradient, PARAMETERS, *_PARAMETER_SHAPES),
        _function(subject.descent_step, PARAMETERS, *_PARAMETER_SHAPES),
    )
}

_CONCERNS = toml_beside(__file__)

# The functions whose answers an item of the paper defines or makes a statement about.
CONCERNS: dict[str, tuple[str, ...]] = {
    **{item: tuple(functions.split()) for item, functions in _CONCERNS.items()},
    BEHAVIOR: tuple(FUNCTIONS),
}


Place = tuple[int, ...]


def place_in(where: str, function: str) -> tuple[int, Place] | None:
    """The number of the answer and the indices that a violation names, or None.

    >>> place_in("ratio_gradients: radius gradient[0, 2]", "ratio_gradients")
    (1, (0, 2))
    >>> place_in("objective: g", "objective"), place_in("two answers[0]", "objective")
    ((0, ()), None)
    """
    for number, answer in enumerate(FUNCTIONS[function].answers):
        match = re.fullmatch(rf"{function}: {answer}(?:\[([\d, ]+)\])?", where)
        if match:
            return number, tuple(map(int, re.findall(r"\d+", match[1] or "")))
    return None


def near_misses(names: Iterable[str], offered: Iterable[str]) -> dict[str, list[str]]:
    """Return the names that resemble functions which are not offered, each with the functions that
    it resembles.

    >>> near_misses(["ratios", "descend_step", "plot"], offered=["distances"])
    {'ratios': ['intersection_ratios', 'exact_background_ratios'], 'descend_step': ['descent_step']}
    """
    missing = [name for name in FUNCTIONS if name not in set(offered)]
    misses = {}
    for name in names:
        if name not in FUNCTIONS:
            misses[name] = _alike(name, missing)
    return {name: alike for name, alike in misses.items() if alike}


def _alike(name: str, functions: list[str]) -> list[str]:
    """Return the functions that have the same words as this name, or end in it, or have nearly the
    same letters.
    """

    def stems(words: Iterable[str]) -> set[str]:
        return {word.removesuffix("s") for word in words}

    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)]
    written = "_".join(words)
    ends = [function for function in functions if function.endswith(f"_{written}")]
    same = [function for function in functions if stems(function.split("_")) == stems(words)]
    return same or ends or difflib.get_close_matches(written, functions, cutoff=0.75)


def meant(misses: Mapping[str, list[str]]) -> str:
    """Return the question that names the near misses, or '' if there are none.

    >>> meant({"ratios": ["intersection_ratios"]})
    'did you mean intersection_ratios by ratios?'
    """
    if not misses:
        return ""
    guesses = [f"{' or '.join(functions)} by {name}" for name, functions in misses.items()]
    return f"did you mean {', '.join(guesses)}?"


def offers_nothing(names: Iterable[str]) -> str:
    """Error message for a subject with no interface function: lists them and suggests near
    misses.
    """
    sentence = (
        f"offers none of the {len(FUNCTIONS)} functions of the subject interface "
        f"({', '.join(FUNCTIONS)})"
    )
    question = meant(near_misses(names, offered=()))
    return f"{sentence}; {question}" if question else sentence


def select(inputs: Arguments, function: str) -> dict[str, Any]:
    """Return the arguments of one function, in its order, from a larger set of inputs.

    >>> list(select({"radii": 1, "X_j": 2, "X_i": 3, "centers": 4, "K": 5}, "intersection_ratios"))
    ['X_i', 'X_j', 'centers', 'radii']
    """
    return {name: inputs[name] for name in FUNCTIONS[function].arguments}
