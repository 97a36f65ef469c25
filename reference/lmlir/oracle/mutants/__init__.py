"""Named wrong subjects, each one plausible slip: what the oracle has to reject.

Every mutant is the original subject of `lmlir.oracle.mutants.original` with one piece replaced. Its docstring says what
is wrong, `items` which statement of the paper that breaks, and its example is an input on which it is known to be wrong.

>>> len(MUTANTS) >= 50
True
>>> MUTANTS["clip_without_upper_end"].description
'lambda is clipped at 0 but not at 1.'
"""

from __future__ import annotations

from lmlir.oracle.mutants import behavior, distances, gradients, objective, one_function, ratios, sizes, tolerances
from lmlir.oracle.mutants.original import Original
from lmlir.oracle.mutants.registry import MUTANTS, Mutant

__all__ = [
    "MUTANTS",
    "Mutant",
    "Original",
    "behavior",
    "distances",
    "gradients",
    "objective",
    "one_function",
    "ratios",
    "sizes",
    "tolerances",
]
