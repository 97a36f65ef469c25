"""The subject interface, version 1: names, arguments in order, and the shapes of the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Arguments = Mapping[str, Any]
Shape = tuple[int, ...]

PAIRS = ("X_i", "X_j")
REGIONS = ("centers", "radii")
PARAMETERS = (*REGIONS, "local_metrics", "background_metric")
INTEGER_ARRAYS = ("similar", "dissimilar")
WHOLE_NUMBERS = ("K",)
NUMBERS = ("alpha", "C", "beta")


@dataclass(frozen=True)
class Function:
    """One function of the interface: its argument names in order and the shapes of what it returns."""

    name: str
    arguments: tuple[str, ...]
    shapes: Callable[[Arguments], tuple[Shape, ...]]
    answers: tuple[str, ...]

    @property
    def single(self) -> bool:
        """Whether the function returns one array (or number) rather than several."""
        return len(self.answers) == 1


def _pairs(arguments: Arguments) -> int:
    return len(arguments["X_i"])


def _regions(arguments: Arguments) -> int:
    return len(arguments["centers"])


def _features(arguments: Arguments) -> int:
    for name in ("X_i", "X"):
        if name in arguments:
            return int(np.shape(arguments[name])[1])
    raise KeyError("X")


def _ratio_shapes(arguments: Arguments) -> tuple[Shape, ...]:
    return ((_pairs(arguments), _regions(arguments)),)


def _ratio_gradient_shapes(arguments: Arguments) -> tuple[Shape, ...]:
    pairs, regions = _pairs(arguments), _regions(arguments)
    return (pairs, regions, _features(arguments)), (pairs, regions)


def _pair_shapes(arguments: Arguments) -> tuple[Shape, ...]:
    return ((_pairs(arguments),),)


def _cross_shapes(arguments: Arguments) -> tuple[Shape, ...]:
    return ((len(arguments["X"]), len(arguments["Y"])),)


def _decision_shapes(arguments: Arguments) -> tuple[Shape, ...]:
    return ((len(arguments["X"]),),)


def _number_shapes(arguments: Arguments) -> tuple[Shape, ...]:
    return ((),)


def _parameter_shapes(arguments: Arguments) -> tuple[Shape, ...]:
    regions, features = _regions(arguments), _features(arguments)
    return (regions, features), (regions,), (regions, features, features), (features, features)


_OBJECTIVE = ("X", "similar", "dissimilar", *PARAMETERS, "alpha", "C")

FUNCTIONS: dict[str, Function] = {
    function.name: function
    for function in (
        Function("intersection_ratios", (*PAIRS, *REGIONS), _ratio_shapes, ("gamma",)),
        Function("ratio_gradients", (*PAIRS, *REGIONS), _ratio_gradient_shapes, ("center gradient", "radius gradient")),
        Function("exact_background_ratios", (*PAIRS, *REGIONS), _pair_shapes, ("gamma_b",)),
        Function("distances", (*PAIRS, *PARAMETERS), _pair_shapes, ("D",)),
        Function("cross_distances", ("X", "Y", *PARAMETERS), _cross_shapes, ("D",)),
        Function("decision_values", ("X", "X_minus", "X_plus", "K", *PARAMETERS), _decision_shapes, ("f",)),
        Function("objective", _OBJECTIVE, _number_shapes, ("g",)),
        Function("objective_gradient", _OBJECTIVE, _parameter_shapes, PARAMETERS),
        Function("descent_step", (*_OBJECTIVE, "beta"), _parameter_shapes, PARAMETERS),
    )
}


def select(inputs: Arguments, function: str) -> dict[str, Any]:
    """The arguments of one function, in its order, out of a larger set of inputs.

    >>> list(select({"radii": 1, "X_j": 2, "X_i": 3, "centers": 4, "K": 5}, "intersection_ratios"))
    ['X_i', 'X_j', 'centers', 'radii']
    """
    return {name: inputs[name] for name in FUNCTIONS[function].arguments}


def shaped(inputs: Arguments) -> dict[str, Any]:
    """The inputs with every array-like turned into an array of the shape the interface gives it.

    Lists without rows, which carry no shape, get one: the number of features is read off the points or metrics.

    >>> shaped({"X_i": [[0.0, 1.0]], "X_j": [[1.0, 1.0]], "centers": [], "radii": []})["centers"].shape
    (0, 2)
    """
    features = _number_of_features(inputs)
    shapes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(("X_i", "X_j", "X", "Y", "X_minus", "X_plus", "centers"), (-1, features)),
        "radii": (-1,),
        "local_metrics": (-1, features, features),
        "background_metric": (features, features),
        **dict.fromkeys(INTEGER_ARRAYS, (-1, 2)),
    }
    result: dict[str, Any] = {}
    for name, value in inputs.items():
        if name not in shapes:
            result[name] = value
            continue
        array = np.asarray(value, dtype=np.intp if name in INTEGER_ARRAYS else None)
        if name not in INTEGER_ARRAYS and array.dtype.kind != "f":
            array = array.astype(np.float64)
        size = [0 if length == -1 and array.size == 0 else length for length in shapes[name]]
        result[name] = array.reshape(size)
    return result


def _number_of_features(inputs: Arguments) -> int:
    for name in ("background_metric", "X_i", "X_j", "X", "Y", "X_minus", "X_plus", "centers"):
        if name in inputs and np.ndim(inputs[name]) == 2 and np.shape(inputs[name])[1] > 0:
            return int(np.shape(inputs[name])[1])
    return 1
