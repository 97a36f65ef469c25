"""`learn`: what section 5 describes, from data to parameters. Its arguments are checked here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lmlir.blas import one_blas_thread
from lmlir.learning.engines import ENGINES, Array, initial_values, training_pairs
from lmlir.learning.fixed_rate import Callback, Descent, fixed_rate_descent
from lmlir.learning.quasi_newton import quasi_newton_descent
from lmlir.learning.report import Learned

RULES: dict[str, Callable[..., Descent]] = {
    "quasi-newton": quasi_newton_descent,
    "fixed": fixed_rate_descent,
}
FREE = ("centers", "radii", "metrics")
MAX_WEIGHT = 1e100  # of alpha, C and the learning rate: squares of much larger numbers overflow
MIN_RATE = 1e-100


@one_blas_thread()
def learn(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_regions: int = 4,
    n_neighbors: int = 10,
    alpha: float = 0.1,
    C: float = 0.5,
    rule: str = "quasi-newton",
    learning_rate: float | None = None,
    n_steps: int | None = None,
    tol: float | None = None,
    n_passes: int = 1,
    seed: int = 0,
    free: Collection[str] = FREE,
    printed: Collection[str] = (),
    engine: str = "vectorized",
    n_jobs: int | None = None,
    callback: Callback | None = None,
) -> Learned:
    r"""Section 5.2: find pairs and initial values, descend, and return the learned parameters with
    their history.

    `rule` is "quasi-newton" (choice C19; `n_steps` is the largest number of steps, `tol` when to
    stop) or "fixed" (choice C1; rate 1.0 and 60 steps unless others are given). Only the parameters
    in `free` are learned, the others keep their initial values. `printed` trains with the formulas
    of errata E2, E3, E4 as printed. `callback(step, objective, parameters)` is called after each
    step, by the default rule with the lowest position so far. Classes may be any labels; with more
    than two, a dissimilar pair joins any two classes. The same input and seed give the same result.

    The paper finds the pairs once, in the Euclidean distance (choice C5): `n_passes=1`. Each
    further pass finds them again in the distance learned so far and goes on from there. It lowers
    the g of its own pairs; no function of Theta falls throughout, because g before and after a new
    choice of pairs are different functions. It ends early when a choice repeats the one before.
    Trace and pairs are those of the last pass.

    `engine` is what computes g and its gradient: "vectorized", "compiled" (loops by Numba, an
    extra) or "reference". They agree up to rounding, after which descents may part. `n_jobs`
    threads share that work (None is 1, -1 all processors; the reference uses one, and NumPy several
    only where there are many pairs); their number changes no digit of the result.

    >>> X = [[0.0, 0.0], [0.1, 0.3], [0.0, 1.0], [1.0, 0.1], [1.1, 0.4], [1.0, 0.9]]
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> learned = learn(X, y, n_regions=1, n_neighbors=2)
    >>> learned.trace[-1] < learned.trace[0]
    True
    """
    check_choice("rule", rule, RULES)
    check_choice("engine", engine, ENGINES)
    for name in free:
        check_choice("free", name, FREE)
    check_number("alpha", alpha, 0, MAX_WEIGHT)
    check_number("C", C, -MAX_WEIGHT, MAX_WEIGHT)
    check_whole_number("n_passes", n_passes, 1)
    check_whole_number("seed", seed, 0)
    X, y = checked_data(X, y, n_regions, n_neighbors)
    options = checked_options(rule, learning_rate, n_steps, tol)
    free = [name for name in free if n_regions or name == "metrics"]
    pairs = training_pairs(X, y, n_neighbors)
    initial = initial_values(X, y, n_regions, n_neighbors, seed)

    Theta = initial
    for n_passes_left in reversed(range(n_passes)):
        problem = ENGINES[engine](X, *pairs, alpha, C, printed, n_jobs)
        result = RULES[rule](problem, Theta, free, callback=callback, **options)
        Theta = result.position.Theta
        if n_passes_left == 0:
            break
        next_pairs = training_pairs(X, y, n_neighbors, Theta)
        if all(map(np.array_equal, pairs, next_pairs)):
            break
        pairs = next_pairs
    return Learned(Theta, initial, result.trace, result.stop, result.cut_short, X, *pairs)


def checked_data(
    X: ArrayLike, y: ArrayLike, n_regions: int, n_neighbors: int
) -> tuple[Array, Array]:
    """Return X as a float table and y as an array.

    Both must be large enough for the regions and neighbors.

    >>> checked_data([[0.0], [1.0]], [0, 0], 0, 1)
    Traceback (most recent call last):
    ValueError: y must have at least two classes, got 1
    """
    X = np.asarray(X, dtype=float)
    y = np.asarray(y)
    if X.ndim != 2 or X.shape[1] < 1:
        raise ValueError(f"X must be a 2-D array with at least one feature, got shape {X.shape}")
    if not np.isfinite(X).all():
        row, column = np.argwhere(~np.isfinite(X))[0]
        raise ValueError(f"X must be finite, but row {row} contains {X[row, column]}")
    if y.shape != (len(X),):
        raise ValueError(
            f"y must have one label per row of X, got shape {y.shape} for {len(X)} rows"
        )
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"y must have at least two classes, got {len(classes)}")
    smallest = f"the number of other instances in the smallest class {classes[counts.argmin()]}"
    check_whole_number("n_neighbors", n_neighbors, 1, int(counts.min()) - 1, smallest)
    check_whole_number("n_regions", n_regions, 0, len(X), "the number of instances")
    return X, y


def checked_options(
    rule: str, learning_rate: float | None, n_steps: int | None, tol: float | None
) -> dict[str, float | int]:
    """Choices C1 and C19: return the options that were given; a rule has its own defaults for the
    others.

    >>> checked_options("quasi-newton", None, 5, 1e-4)
    {'n_steps': 5, 'tol': 0.0001}
    """
    options: dict[str, float | int] = {}
    if learning_rate is not None:
        check_number("learning_rate", learning_rate, MIN_RATE, MAX_WEIGHT)
        options["learning_rate"] = learning_rate
    if n_steps is not None:
        check_whole_number("n_steps", n_steps, 0)
        options["n_steps"] = n_steps
    if tol is not None:
        check_number("tol", tol, 0)
        if rule != "fixed":
            options["tol"] = tol
    return options


def check_choice(name: str, value: str, choices: Collection[str]) -> None:
    """Raise a ValueError unless an argument is one of the words that it can be.

    >>> check_choice("rule", "newton", ("quasi-newton", "fixed"))
    Traceback (most recent call last):
    ValueError: rule must be 'quasi-newton' or 'fixed', got rule='newton'
    """
    if value not in tuple(choices):
        allowed = " or ".join(map(repr, choices))
        raise ValueError(f"{name} must be {allowed}, got {name}={value!r}")


def check_whole_number(
    name: str, value: Any, low: int, high: float = np.inf, reason: str = ""
) -> None:
    """Raise a ValueError unless an argument is a whole number within its bounds; the reason
    explains the upper one.

    >>> check_whole_number("n_regions", -1, 0, 60, "the number of instances")
    Traceback (most recent call last):
    ValueError: n_regions must be a whole number from 0 to 60, the number of instances, got
        n_regions=-1
    """
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not low <= value <= high:
        bounds = f"from {low} on" if high == np.inf else f"from {low} to {high}, {reason}"
        raise ValueError(f"{name} must be a whole number {bounds}, got {name}={value!r}")


def check_number(name: str, value: Any, low: float, high: float = np.inf) -> None:
    """Raise a ValueError unless an argument is a number within its bounds.

    >>> check_number("alpha", "x", 0, 1e100)
    Traceback (most recent call last):
    ValueError: alpha must be a number from 0 to 1e+100, got alpha='x'
    """
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    if not is_number or not low <= value <= high:
        bounds = f"from {low:g} on" if high == np.inf else f"from {low:g} to {high:g}"
        raise ValueError(f"{name} must be a number {bounds}, got {name}={value!r}")
