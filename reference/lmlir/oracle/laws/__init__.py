"""The laws: what every implementation of the paper's distance, classifier, objective and descent
step must satisfy.

Three kinds. Laws about values (`values`, and `sizes` at large ones) hold every number against its
bracket. Relations hold answers of the subject against other answers of the same subject: swapped,
moved, turned, scaled (`symmetry`), in special positions and split (`geometry`), at neighboring
points (`continuity`), with the classes exchanged (`classifier`), between objective, gradient and
step (`training`). Laws about behavior (`behavior`) look at how it answers, whatever the numbers:
the same answer twice, inputs left alone. Each law goes where the others do not, so that a slip that
shows only there is seen.
"""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Sequence

from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws import (
    behavior,
    classifier,
    continuity,
    geometry,
    sizes,
    symmetry,
    training,
    values,
)
from lmlir.oracle.laws.law import REGISTERED, Law

FILES = (
    values,
    symmetry,
    geometry,
    continuity,
    classifier,
    training,
    sizes,
    behavior,
)  # in the order in which laws run
LAWS = tuple(law for file in FILES for law in REGISTERED if law.check.__module__ == file.__name__)

__all__ = ["FILES", "LAWS", "Law", "by_name", "selected"]


def selected(words: Sequence[str]) -> tuple[list[Law], set[str]]:
    """Return the laws that words choose, and the functions among the words.

    A word is the name of a law, a pattern such as ``gradient_*``, an item of the paper, or a
    function of the interface, which chooses the laws about it. No words choose all laws.

    >>> laws, functions = selected(["distances", "equal_points_*"])
    >>> [law.name for law in laws], functions
    (['equal_points_are_at_distance_zero'], {'distances'})
    """
    functions = {word for word in words if word in FUNCTIONS}
    laws: list[Law] = []
    for word in words:
        if word not in functions:
            laws += [law for law in LAWS if _is_meant(law, word)] or [by_name(word)]
    if len(functions) == len(words):
        laws = list(LAWS)
    if functions:
        laws = [law for law in laws if functions & set(law.functions)]
    return list(dict.fromkeys(laws)), functions


def _is_meant(law: Law, word: str) -> bool:
    if fnmatch.fnmatchcase(law.name, word):
        return True
    return word.lower() in [item.lower() for item in law.items]


def by_name(name: str) -> Law:
    """Return the law with this name, or raise a `ValueError` that names similar ones."""
    laws = {law.name: law for law in LAWS}
    if name in laws:
        return laws[name]
    written = "_".join(name.lower().replace("-", " ").split())
    similar = difflib.get_close_matches(written, laws, 1, 0.8)
    if not similar and written:
        similar = [known for known in laws if written in known][:3]
    if not similar:
        similar = difflib.get_close_matches(written, laws, 3, 0.5)
    hint = f"; did you mean {' or '.join(similar)}?" if similar else ";"
    raise ValueError(f"there is no law {name}{hint} `lmlir laws` lists all {len(LAWS)}")
