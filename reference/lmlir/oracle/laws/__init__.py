"""The laws: what every implementation of the paper's distance, classifier, objective and descent step must satisfy.

Three kinds. Laws about values (`values`, and `sizes` at large ones) hold every number against its bracket. Relations hold
answers of the subject against other answers of the same subject: swapped, moved, turned, scaled (`symmetry`), in special
positions and split (`geometry`), at neighboring points (`continuity`), with the classes exchanged (`classifier`), between
objective, gradient and step (`training`). Laws about behavior (`behavior`) look at how it answers, whatever the numbers: the
same answer twice, inputs left alone. Each law goes where the others do not, so that a slip that shows only there is seen.
"""

from __future__ import annotations

from lmlir.oracle.laws import registry

# The order of these imports is the order in which the laws run.
from lmlir.oracle.laws import values  # isort: skip
from lmlir.oracle.laws import symmetry, geometry  # isort: skip
from lmlir.oracle.laws import continuity, classifier, training  # isort: skip
from lmlir.oracle.laws import sizes, behavior  # isort: skip
from lmlir.oracle.laws.registry import Law, by_name

LAWS: tuple[Law, ...] = tuple(registry.LAWS)

__all__ = [
    "LAWS", "Law", "behavior", "by_name", "classifier", "continuity", "geometry", "sizes", "symmetry", "training", "values"
]  # fmt: skip
