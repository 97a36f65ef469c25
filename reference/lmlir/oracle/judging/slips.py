"""Known slips: wrong programs that give exactly the subject's answers to the corner cases.

`slips.json` describes the wrong answers of each slip, function by function, as `fingerprint` does;
`python -m tests.oracle.slips.answers` writes it.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from lmlir.oracle.allowed.brackets import for_call
from lmlir.oracle.inputs import corner_cases
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws.checker import Checker, widths
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import NotJudged, SubjectFailure

MIN_WRONG_NUMBERS = 2
MAX_NAMED_SLIPS = 2  # more of them would not be a diagnosis
WIDTHS_OUTSIDE = 1e3  # of its bracket: a number farther outside is wrong by more than rounding
SHARE_OUTSIDE = 1e-9  # of the largest number of its array: the same for a bracket without width
SUM_ROUNDING = 1e-6
# What stands for every number of an answer that has none; numbers are scaled below 1.
NOT_A_NUMBER = 200.0  # an answer with NaN or of a wrong shape
NO_ANSWER = 300.0  # an error


@dataclass(frozen=True)
class Slip:
    """A known slip: its name, what is wrong, and how many numbers of the subject are wrong."""

    name: str
    sentence: str
    count: int


@cache
def brackets(function: str) -> list[Any]:
    """Each corner case with the ends of its brackets, their scale, and how far outside a number is
    wrong by more than rounding.
    """
    rows = []
    for case in corner_cases.of(function)():
        parts = []
        for low, high in for_call(function, case.inputs):
            ends = np.abs([low, high])
            scale = np.max(ends, where=np.isfinite(ends), initial=0) or 1
            margin = WIDTHS_OUTSIDE * widths((low, high)) + SHARE_OUTSIDE * scale
            part = np.array([low, high, np.full(low.shape, scale), margin], dtype=float)
            parts.append(part.reshape(4, -1))
        rows.append((case, *np.concatenate(parts, axis=1)))
    return rows


def compared(function: str, answers: list[Any]) -> np.ndarray:
    """The numbers of the answers to the corner cases, scaled to -1 to 1, and how far each is
    outside its bracket: above 1 it is wrong.

    A single number stands for an answer that has none.
    """
    parts = []
    for answer, (_, low, high, scale, margin) in zip(answers, brackets(function), strict=True):
        if isinstance(answer, float):
            parts.append(np.full((2, len(scale)), answer))
            continue
        got = np.concatenate([np.ravel(array) for array in answer])
        outside = np.maximum(low - got, got - high)
        parts.append(
            np.array([got / (np.abs(got) + scale), np.where(outside > 0, outside, 0) / margin])
        )
    return np.concatenate(parts, axis=1)


def fingerprint(numbers: np.ndarray, ignored: list[int]) -> list[float]:
    """How many numbers are wrong outside the ignored places, a checksum of their places, and two
    sums of their values with generic weights.
    """
    values, excess = numbers
    places = np.setdiff1d(np.flatnonzero(excess > 1), ignored).astype("<i4")
    sums = [float(np.sin(k + 7.0 * places) @ values[places]) for k in (1, 2)]
    return [len(places), zlib.crc32(places.tobytes()), *sums]


def _numbers_of(subject: Subject, function: str) -> np.ndarray:
    answers: list[Any] = []
    for case, *_ in brackets(function):
        try:
            answer = Checker(subject).ask_all(function, case)
            is_finite = all(np.isfinite(array).all() for array in answer)
            answers.append(answer if is_finite else NOT_A_NUMBER)
        except SubjectFailure as failure:
            answers.append(NO_ANSWER if failure.errored else NOT_A_NUMBER)
    return compared(function, answers)


@cache
def library() -> dict[str, Any]:
    """By the names of the slips: what is wrong, and the fingerprints by function, each with the
    places to ignore, where rounding decides.
    """
    text = resources.files("lmlir.oracle").joinpath("slips.json").read_text(encoding="utf-8")
    slips: dict[str, Any] = json.loads(text)
    return slips


def recognized(subject: Subject) -> list[Slip]:
    """The slips whose wrong answers to the corner cases are exactly those of the subject.

    Every function that is wrong has to be wrong as the slip makes it. Of several such slips those
    are returned of which the fewest functions are right in the subject, or none if they are many.
    A subject that has no time left, or is not asked any more, has none.
    """
    wrong = {}
    try:
        for function in sorted(set(FUNCTIONS) & set(subject.offers)):
            numbers = _numbers_of(subject, function)
            if (numbers[1] > 1).any():
                wrong[function] = numbers
    except NotJudged:
        return []
    count = sum(int((excess > 1).sum()) for _, excess in wrong.values())
    if count < MIN_WRONG_NUMBERS:
        return []

    named: dict[int, list[Slip]] = {}
    for name, (sentence, known) in library().items():
        if all(_match(numbers, known.get(function, ())) for function, numbers in wrong.items()):
            right = len(set(known) & set(subject.offers) - set(wrong))
            named.setdefault(right, []).append(Slip(name, sentence, count))
    closest = named[min(named)] if named else []
    return closest if len(closest) <= MAX_NAMED_SLIPS else []


def _match(numbers: np.ndarray, known: list[list[Any]]) -> bool:
    for *expected, ignored in known:
        found = fingerprint(numbers, ignored)
        if np.allclose(found, expected, rtol=0, atol=SUM_ROUNDING):
            return True
    return False
