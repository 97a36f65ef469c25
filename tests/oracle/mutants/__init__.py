"""Mutants: wrong subjects with one plausible slip each, which the laws of the oracle must reject.

A mutant is `Original` with one piece replaced. Its docstring says the misconception in one
sentence.
"""

from __future__ import annotations

from tests.oracle.mutants import behavior, distances, ratios, training
from tests.oracle.mutants.original import Original
from tests.oracle.mutants.registry import MUTANTS, Mutant

__all__ = ["MUTANTS", "Mutant", "Original", "behavior", "distances", "ratios", "training"]
