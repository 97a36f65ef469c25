"""Agreement of a subject with the loops of the reference, on the examples that show what the mutants get wrong."""

from __future__ import annotations

from functools import cache

import numpy as np

from lmlir import subject as reference
from lmlir.oracle import subjects
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.mutants import examples
from lmlir.oracle.subjects import Subject

EXAMPLE_INPUTS = {
    name: example for name, example in vars(examples).items() if name.isupper() and not name.startswith("_")
}


@cache
def truth(function: str, example: str) -> tuple[np.ndarray, ...]:
    """What the loops of the reference answer; asked once for all subjects."""
    answer = getattr(reference, function)(*examples.arguments(function, EXAMPLE_INPUTS[example]).values())
    return answer if isinstance(answer, tuple) else (np.asarray(answer),)


def assert_agrees(subject: Subject, example: str, tolerance: float) -> None:
    """Every function, on one example, against the loops of the reference."""
    for function in FUNCTIONS:
        arguments = examples.arguments(function, EXAMPLE_INPUTS[example])
        got = subjects.numbers(function, subject.ask(function, arguments), arguments)
        for ours, theirs in zip(got, truth(function, example), strict=True):
            largest = max(1.0, float(np.max(np.abs(theirs), initial=0)))
            message = f"{function} on {example}"
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * largest, err_msg=message)
