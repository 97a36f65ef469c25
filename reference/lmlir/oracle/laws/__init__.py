"""The laws: what every implementation of the paper's distance, classifier, objective and descent step must satisfy.

Three kinds. Value laws (`values`) hold every number against its bracket. Relations (`relations`) hold answers of the
subject against other answers of the same subject: swapped, moved, turned, scaled, split, with the classes exchanged.
Laws of behavior (`behavior`) look at how it answers: empty batches, large batches, the same answer twice, inputs left
alone. Each law goes where the others do not, so that a slip that shows only there is heard.
"""

from __future__ import annotations

from lmlir.oracle.laws import registry, values  # isort: skip
from lmlir.oracle.laws import relations  # isort: skip
from lmlir.oracle.laws import behavior  # isort: skip
from lmlir.oracle.laws.registry import Law, by_name

LAWS: tuple[Law, ...] = tuple(registry.LAWS)

__all__ = ["LAWS", "Law", "behavior", "by_name", "relations", "values"]
