"""Resemblance: which mutants fail in the same pattern of laws as a subject, looked up in the stored kill matrix."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

STORED = Path(__file__).with_name("kill_matrix.json")
MOST_NAMED = 5
ALIKE = 0.75
FEWEST_LAWS = 10  # that ran; fewer make no pattern


@cache
def stored() -> dict[str, Any]:
    """The matrix that lies beside this file.

    ``{"laws": [...], "mutants": {name: {"killed_by": {law: number of the example that showed it}, ...}}, ...}``
    """
    matrix: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    return matrix


def similarity(pattern: Iterable[str], other: Iterable[str]) -> float:
    """The share of the laws violated in either pattern that are violated in both.

    >>> similarity({"a", "b"}, {"b", "c"}) == 1 / 3
    True
    """
    one, two = set(pattern), set(other)
    return len(one & two) / len(one | two) if one | two else 0.0


def resembling(violated: Iterable[str], law: str, ran: Iterable[str]) -> list[str]:
    """Names of the mutants that violate `law` and otherwise nearly the laws in `violated`, the most alike first.

    Of the laws that a mutant violates, those that `ran` are compared; where these are few, nothing is said.

    >>> resembling([], "no_such_law", ran=[])
    []
    """
    pattern, compared = set(violated), set(ran)
    if len(compared) < FEWEST_LAWS:
        return []
    found = [
        (-similarity(pattern, compared & set(entry["killed_by"])), name)
        for name, entry in stored()["mutants"].items()
        if law in entry["killed_by"]
    ]
    return [name for closeness, name in sorted(found) if -closeness >= ALIKE][:MOST_NAMED]


def likely_killers(name: str) -> list[str]:
    """The laws that rejected a mutant when the stored matrix was made; those that needed the fewest examples first."""
    killed_by: dict[str, int] = stored()["mutants"].get(name, {}).get("killed_by", {})
    return sorted(killed_by, key=lambda law: killed_by[law])
