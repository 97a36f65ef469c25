"""What a subject refuses, for the Python examples beside this file: shapes that do not fit, NaN, infinity, too large a K."""

import functools
import inspect

import numpy as np

# One letter for each length; the same letter is the same length in all arguments of a call.
SHAPES = {
    "X_i": "PF", "X_j": "PF", "X": "nF", "Y": "mF", "X_minus": "aF", "X_plus": "bF", "similar": "u2", "dissimilar": "v2",
    "centers": "SF", "radii": "S", "local_metrics": "SFF", "background_metric": "FF",
}  # fmt: skip


def checked(function):
    """The function, with its arguments checked and turned into arrays: of indices, or of float64 (float32 stays)."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def wrapper(*values):
        given = {name: _array(name, value) for name, value in zip(names, values, strict=True)}
        _check(given)
        return function(*given.values())

    return wrapper


def _array(name, value):
    if name in ("similar", "dissimilar"):
        return np.asarray(value).astype(np.intp)
    if name == "K":
        return int(value)
    if name not in SHAPES:
        return float(value)
    array = np.asarray(value)
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


def _check(given):
    """Raise `ValueError` with the argument, the condition and the value."""
    lengths = {"2": 2}
    for name, value in given.items():
        if not np.isfinite(value).all():
            raise ValueError(f"{name} must be finite, got {value}")
        letters = SHAPES.get(name, "")
        expected = tuple(
            lengths.setdefault(letter, length) for letter, length in zip(letters, np.shape(value), strict=False)
        )
        if len(letters) != np.ndim(value) or expected != np.shape(value):
            raise ValueError(f"{name} must have shape ({', '.join(letters)}) with {lengths}, got {np.shape(value)}")
    for name in ("similar", "dissimilar"):
        if name in given and given[name].size and not 0 <= given[name].min() <= given[name].max() < lengths["n"]:
            raise ValueError(f"{name} must index rows 0 to {lengths['n'] - 1} of X, got {given[name]}")
    if "K" in given and not 1 <= given["K"] <= min(lengths["a"], lengths["b"]):
        raise ValueError(f"K must be from 1 to the size of the smaller class, got K={given['K']}")
