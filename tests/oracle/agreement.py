"""Agreement of a subject with the loops of the reference, on the examples that show what the mutants get wrong."""

from __future__ import annotations

import numpy as np

from lmlir import subject as reference
from lmlir.oracle import subjects
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.mutants import examples
from lmlir.oracle.subjects import Subject

EXAMPLE_INPUTS = {
    name: example for name, example in vars(examples).items() if name.isupper() and not name.startswith("_")
}


def assert_agrees(subject: Subject, example: str, tolerance: float) -> None:
    """Every function, on one example, against the loops of the reference."""
    for function in FUNCTIONS:
        arguments = examples.arguments(function, EXAMPLE_INPUTS[example])
        expected = getattr(reference, function)(*arguments.values())
        expected = expected if isinstance(expected, tuple) else (np.asarray(expected),)
        got = subjects.numbers(function, subject.ask(function, arguments), arguments)
        for ours, theirs in zip(got, expected, strict=True):
            largest = max(1.0, float(np.max(np.abs(theirs), initial=0)))
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * largest, err_msg=function)
