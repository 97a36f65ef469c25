"""Checks of the arguments: real, finite numbers, shapes that fit each other, and positive
semi-definite metrics.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmlir.blas import one_blas_thread

Array = NDArray[Any]
Indices = NDArray[np.intp]
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def quiet(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Run the function with one BLAS thread and without NumPy's warnings, because its results are
    checked for overflow.
    """

    @functools.wraps(function)
    def quietly(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with one_blas_thread(), np.errstate(all="ignore"):
            return function(*args, **kwargs)

    return quietly


def floats(*arrays: ArrayLike) -> list[Array]:
    """Convert the arrays to their common precision: float32 when all are float32, else float64.

    >>> [array.dtype.name for array in floats(np.float32([1]), [])]
    ['float32', 'float32']
    >>> floats(np.float32([1]), [2])[0].dtype.name
    'float64'
    """
    try:
        converted = [np.asarray(array) for array in arrays]
        if any(array.dtype.kind == "c" for array in converted):
            raise TypeError
        types = {array.dtype for array in converted if array.size}
        dtype = np.float32 if types == {np.dtype(np.float32)} else np.float64
        return [np.asarray(array, dtype=dtype) for array in converted]
    except (TypeError, ValueError):
        raise ValueError("every array must be rectangular and contain only real numbers") from None


def double(*arrays: Array) -> list[Array]:
    """Convert the arrays to double precision, in which pairs are computed, because squares of
    float32 overflow easily.
    """
    return [array.astype(np.float64, copy=False) for array in arrays]


def checked(sets: Mapping[str, ArrayLike], *Theta: ArrayLike) -> tuple[list[Array], list[Array]]:
    """Check sets of points, named by their argument, and parameters; return them in their common
    precision.

    >>> checked({"X": [[0.0, 0.0]], "Y": [[1.0]]}, [], [])
    Traceback (most recent call last):
    ValueError: Y must have one row per point and 2 columns, got an array of shape (1, 1)
    """
    arrays = floats(*sets.values(), *Theta)
    F = width(*arrays)
    tables = [checked_points(name, X, F) for name, X in zip(sets, arrays, strict=False)]
    return tables, checked_parameters(F, *arrays[len(sets) :])


def width(*arrays: Array) -> int:
    """Return the number of features, from the first array that has rows, or 1."""
    return next((array.shape[-1] for array in arrays if array.ndim > 1 and array.shape[-1]), 1)


def checked_points(name: str, X: Array, F: int) -> Array:
    """Return X as an array with one row of F finite coordinates per point."""
    if X.shape == (0,):
        X = X.reshape(0, F)
    if X.ndim != 2 or X.shape[1] != F:
        raise ValueError(
            f"{name} must have one row per point and {F} columns, got an array of shape {X.shape}"
        )
    check_finite(name, X)
    return X


def check_finite(name: str, array: Array) -> None:
    """Raise an error for NaN or infinity.

    The sum is tested first, which costs a tenth of testing each number.
    """
    if not np.isfinite(array.sum()) and not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, but contains {array[~np.isfinite(array)][0]}")


def checked_parameters(
    F: int,
    centers: Array,
    radii: Array,
    *metrics: Array,
    definite: bool = False,
) -> list[Array]:
    """Return centers (S, F), radii (S,) and, if given, all metrics in one array (S + 1, F, F), the
    background's last.

    With `definite` the metrics are taken to be symmetric and positive semi-definite.
    """
    centers = checked_points("centers", centers, F)
    S = len(centers)
    if radii.shape != (S,):
        raise ValueError(
            f"radii must have one radius per center, got shape {radii.shape} for {S} centers"
        )
    check_finite("radii", radii)
    if S and radii.min() < 0:
        raise ValueError(f"Definition 1 needs radius >= 0, got radius={radii.min()}")
    if not metrics:
        return [centers, radii]
    local_metrics, background_metric = metrics
    if S == 0 and local_metrics.size == 0:
        local_metrics = local_metrics.reshape(0, F, F)
    if local_metrics.shape != (S, F, F):
        raise ValueError(f"local_metrics must have shape {(S, F, F)}, got {local_metrics.shape}")
    if background_metric.shape != (F, F):
        raise ValueError(
            f"background_metric must have shape {(F, F)}, got {background_metric.shape}"
        )
    together = np.concatenate([local_metrics, background_metric[None]])
    check_finite("local_metrics or background_metric", together)
    if not definite:
        check_semidefinite(together)
    return [centers, radii, together]


def check_semidefinite(metrics: Array) -> None:
    """Check symmetry and definiteness up to rounding, by a Cholesky factorization, ten times faster
    than eigenvalues.
    """
    F = metrics.shape[-1]
    largest = np.abs(metrics).max(axis=(1, 2), keepdims=True)
    scaled = metrics / np.where(largest == 0, 1, largest)
    tolerance = max(1e-6, 8 * F * float(np.finfo(metrics.dtype).eps))
    names = [f"local_metrics[{s}]" for s in range(len(metrics) - 1)] + ["background_metric"]
    asymmetric = np.abs(scaled - scaled.transpose(0, 2, 1)).max(axis=(1, 2)) > tolerance
    if asymmetric.any():
        raise ValueError(
            f"{names[int(asymmetric.argmax())]} must be symmetric, got "
            f"{metrics[asymmetric][0].tolist()}"
        )
    try:
        np.linalg.cholesky(scaled + 2 * tolerance * np.eye(F, dtype=metrics.dtype))
    except np.linalg.LinAlgError:
        smallest = np.linalg.eigvalsh(scaled)[:, 0]
        worst = int(smallest.argmin())
        value = smallest[worst] * largest[worst, 0, 0]
        raise ValueError(
            f"{names[worst]} must be positive semi-definite, got a smallest eigenvalue of {value}"
        ) from None


def checked_indices(name: str, pairs: ArrayLike, n: int) -> Indices:
    """Return pairs of row numbers below n as an array (P, 2)."""
    indices = np.asarray(pairs)
    if indices.size == 0:
        return np.zeros((0, 2), dtype=np.intp)
    if (
        indices.ndim != 2
        or indices.shape[1] != 2
        or not np.array_equal(indices, indices.astype(np.intp))
    ):
        raise ValueError(
            f"{name} must have two row numbers per pair, got an array of shape {indices.shape}"
        )
    indices = indices.astype(np.intp)
    if indices.min() < 0 or indices.max() >= n:
        raise ValueError(
            f"{name} must have row numbers from 0 to {n - 1}, got {indices.min()} to "
            f"{indices.max()}"
        )
    return indices
