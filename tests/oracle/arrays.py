"""Arrays in the shapes of the interface out of the nested lists of the line protocol and the test vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lmlir.oracle.interface import INTEGER_ARRAYS, POINTS


def shaped(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs with every array-like turned into an array of the shape the interface gives it.

    Lists without rows, which carry no shape, get one: the number of features is read off the points or metrics.

    >>> shaped({"X_i": [[0.0, 1.0]], "X_j": [[1.0, 1.0]], "centers": [], "radii": []})["centers"].shape
    (0, 2)
    """
    wide = [np.shape(inputs[name]) for name in ("background_metric", *POINTS) if name in inputs]
    features = next((shape[1] for shape in wide if len(shape) == 2 and shape[1] > 0), 1)
    shapes = {
        **dict.fromkeys(POINTS, (-1, features)),
        "radii": (-1,),
        "local_metrics": (-1, features, features),
        "background_metric": (features, features),
        **dict.fromkeys(INTEGER_ARRAYS, (-1, 2)),
    }
    result = dict(inputs)
    for name in inputs.keys() & shapes.keys():
        array = np.asarray(inputs[name], dtype=np.intp if name in INTEGER_ARRAYS else None)
        if name not in INTEGER_ARRAYS and array.dtype.kind != "f":
            array = array.astype(np.float64)
        result[name] = array.reshape([0 if length == -1 and array.size == 0 else length for length in shapes[name]])
    return result
