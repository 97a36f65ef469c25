"""The number formats in which a subject can be judged, and the count of numbers that a kink leaves
open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Precision:
    """A number format: its name, NumPy type, and the ranges of scales within which honest programs
    can work.
    """

    name: str
    dtype: Any
    eps: float
    scale_exponent: int  # lengths up to 2 to this power, and down to 2 to minus this power
    closeness: float  # how near two distinct points come, relative to their scale


PRECISIONS = {
    "float64": Precision("float64", np.float64, 2.0**-52, 200, 1e-8),
    "float32": Precision("float32", np.float32, 2.0**-23, 16, 1e-3),
}


@dataclass
class Kinks:
    """How many numbers were judged by the kink rule."""

    count: int = 0

    def add(self, uncertain: np.ndarray) -> None:
        """Count the places where more than one one-sided derivative is possible."""
        self.count += int(np.count_nonzero(uncertain))


def within(lower: float, upper: float) -> str:
    """A bracket as its shortest number and how far from it is allowed.

    >>> within(1.999999999999988, 2.0000000000000093), within(-0.25, 0.5), within(3.0, 3.0)
    ('2 within 1e-14', '-0.25 to 0.5', '3')
    """
    middle = lower / 2 + upper / 2
    if lower == upper:
        return f"{middle:.17g}" if math.isinf(middle) else repr(middle).removesuffix(".0")
    if not upper - lower < 1e-3 * abs(middle):
        return f"{lower!r} to {upper!r}"
    for digits in range(1, 18):
        text = f"{middle:.{digits}g}"
        if lower <= float(text) <= upper:
            break
    slack = max(float(text) - lower, upper - float(text))
    return f"{text} within {slack:.1g}"
