"""Arrays in the shapes of the interface from the nested lists of the line protocol and the test
vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lmlir.subject import ARGUMENTS


def shaped(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs with every array-like as an array of the declared shape.

    An empty list has no shape of its own: the number of features is read off the other arguments.

    >>> shaped({"X_i": [[0.0, 1.0]], "X_j": [[1.0, 1.0]], "centers": [], "radii": []})[
    ...     "centers"
    ... ].shape
    (0, 2)
    """
    lengths = {"F": 1, "2": 2}
    for name, value in inputs.items():
        lengths |= zip(ARGUMENTS[name].shape, np.shape(value), strict=False)
    result = dict(inputs)
    for name, value in inputs.items():
        if letters := ARGUMENTS[name].shape:
            array = np.asarray(value)
            number = (
                np.intp
                if ARGUMENTS[name].kind == "indices"
                else np.promote_types(array.dtype, np.float32)
            )
            result[name] = array.astype(number).reshape([lengths[letter] for letter in letters])
    return result
