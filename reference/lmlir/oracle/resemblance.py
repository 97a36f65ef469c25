"""Resemblance: which known slips fail the same laws as a subject.

The slips and the laws that each violates are in `known_slips.json`, which `make mutants` writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TypedDict

STORED = Path(__file__).with_name("known_slips.json")
MAX_NAMED = 5
MIN_SIMILARITY = 0.75
MIN_LAWS = 10  # fewer laws make no pattern


class Slip(TypedDict):
    """A known slip in one sentence, and the names of the laws that it violates, sorted."""

    slip: str
    violates: list[str]


@cache
def known_slips() -> dict[str, Slip]:
    """The known slips by name.

    >>> known_slips()["clip_without_upper_end"]["slip"]
    'Clips lambda at 0 but not at 1.'
    """
    slips: dict[str, Slip] = json.loads(STORED.read_text(encoding="utf-8"))
    return slips


def similarity(pattern: Iterable[str], other: Iterable[str]) -> float:
    """The share of the laws violated in either pattern that are violated in both.

    >>> similarity({"a", "b"}, {"b", "c"}) == 1 / 3
    True
    """
    one, two = set(pattern), set(other)
    return len(one & two) / len(one | two) if one | two else 0.0


def resembling(violated: Iterable[str], law: str, ran: Iterable[str]) -> list[str]:
    """Names of the slips that violate `law` and otherwise nearly the laws in `violated`, the most similar first.

    Only the laws that `ran` are compared. The list is empty when these are fewer than MIN_LAWS.

    >>> resembling([], "no_such_law", ran=[])
    []
    """
    pattern, compared = set(violated), set(ran)
    if len(compared) < MIN_LAWS:
        return []
    found = [
        (-similarity(pattern, compared & set(slip["violates"])), name)
        for name, slip in known_slips().items()
        if law in slip["violates"]
    ]
    return [name for closeness, name in sorted(found) if -closeness >= MIN_SIMILARITY][:MAX_NAMED]
