"""A subject with a mistake of a chosen size."""

from typing import Any

from lmlir import vectorized
from lmlir.oracle import subjects
from lmlir.oracle.subjects.base import Subject


def wrong_by(error: float) -> Subject:
    """Distances wrong by a relative error for the second and later pairs of a batch."""

    def distances(*arguments: Any) -> Any:
        D = vectorized.distances(*arguments)
        D[1:] *= 1 + error
        return D

    return subjects.from_functions({"distances": distances}, name="wrong")
