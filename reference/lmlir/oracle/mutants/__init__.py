"""Named wrong subjects, each one plausible slip: what the oracle has to reject.

Every mutant is the honest subject of `lmlir.oracle.mutants.honest` with one piece replaced. Its docstring says what
is wrong, `items` which statement of the paper that breaks, and its witness is an input on which it is known to be wrong.

>>> len(MUTANTS) >= 50
True
>>> MUTANTS["clip_without_upper_end"].description
'lambda is clipped at 0 but not at 1.'
"""

from __future__ import annotations

from lmlir.oracle.mutants import distances, gradients, learning, manners, rare, ratios, single, sizes
from lmlir.oracle.mutants.honest import Honest
from lmlir.oracle.mutants.registry import MUTANTS, Mutant

__all__ = [
    "MUTANTS",
    "Honest",
    "Mutant",
    "distances",
    "gradients",
    "learning",
    "manners",
    "rare",
    "ratios",
    "single",
    "sizes",
]
