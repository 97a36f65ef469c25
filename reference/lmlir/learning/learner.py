"""`learn`: what section 5 describes, from data to parameters; its arguments are checked here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lmlir.learning.engines import ENGINES, Array, Block, initial_values, learned_pairs, training_pairs
from lmlir.learning.quasi_newton import quasi_newton_descent
from lmlir.learning.report import Learned
from lmlir.learning.rules import Callback, Descent, backtracking_descent, fixed_rate_descent
from lmlir.scalars import check_count

RULES: dict[str, Callable[..., Descent]] = {
    "quasi-newton": quasi_newton_descent,
    "backtracking": backtracking_descent,
    "fixed": fixed_rate_descent,
}


def checked_data(X: ArrayLike, y: ArrayLike, n_regions: int, n_neighbors: int) -> tuple[Array, Array]:
    """X as a finite float table, y as one label a row, of at least two classes, each large enough for K neighbors.

    >>> checked_data([[0.0], [1.0]], [0, 0], 0, 1)
    Traceback (most recent call last):
    ValueError: y needs at least two classes, got 1
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if X.ndim != 2 or X.shape[1] < 1:
        raise ValueError(f"X needs one instance of at least one feature a row, got shape {X.shape}")
    if not np.isfinite(X).all():
        raise ValueError(f"X needs finite numbers, got {X[~np.isfinite(X)][0]} among them")
    if y.shape != (len(X),):
        raise ValueError(f"y needs one label per row of X, got shape {y.shape} for {len(X)} rows")
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"y needs at least two classes, got {len(classes)}")
    smallest = f"other instances in the smallest class {classes[counts.argmin()]}"
    check_count("n_neighbors", n_neighbors, int(counts.min()) - 1, smallest)
    if n_regions != 0:
        check_count("n_regions", n_regions, len(X), "instances")
    return X, y


def chosen_blocks(n_regions: int, learn_regions: bool, learn_metrics: bool) -> list[Block]:
    """Choice C19: all metrics, then every center, then every radius; only what exists and is to be learned.

    >>> chosen_blocks(1, learn_regions=True, learn_metrics=False)
    [Block(name='centers', s=0), Block(name='radii', s=0)]
    """
    blocks = [Block("metrics")] if learn_metrics else []
    if learn_regions:
        blocks += [Block(name, s) for name in ("centers", "radii") for s in range(n_regions)]
    return blocks


def check_choice(name: str, value: str, choices: Collection[str]) -> None:
    """One of the words that an argument can be.

    >>> check_choice("rule", "newton", ("backtracking", "fixed"))
    Traceback (most recent call last):
    ValueError: rule must be 'backtracking' or 'fixed', got rule='newton'
    """
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}, got {name}={value!r}")


def descent_options(learning_rate: float | None, n_steps: int | None, tol: float | None) -> dict[str, Any]:
    """Choices C1 and C19: rate, number of steps and tolerance, checked; where None was given the rule's own holds.

    >>> descent_options(None, 5, 1e-4)
    {'n_steps': 5, 'tol': 0.0001}
    """
    if learning_rate is not None and not (np.isfinite(learning_rate) and learning_rate > 0):
        raise ValueError(f"learning_rate must be a finite number above 0, got learning_rate={learning_rate}")
    if n_steps is not None and (not isinstance(n_steps, (int, np.integer)) or isinstance(n_steps, bool) or n_steps < 0):
        raise ValueError(f"n_steps must be a whole number from 0, got n_steps={n_steps}")
    if tol is not None and not tol >= 0:
        raise ValueError(f"tol must be at least 0, got tol={tol}")
    options = {"learning_rate": learning_rate, "n_steps": n_steps, "tol": tol}
    return {name: value for name, value in options.items() if value is not None}


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
    seed: int = 0,
    printed: Collection[str] = (),
    learn_regions: bool = True,
    learn_metrics: bool = True,
    engine: str = "vectorized",
    callback: Callback | None = None,
    n_passes: int = 1,
    n_jobs: int | None = None,
) -> Learned:
    r"""Section 5.2: pairs, initial values and descent; the learned parameters with their history.

    `rule` is "quasi-newton" (choice C19; `n_steps` is the largest number of steps, `tol` when to stop), "backtracking" (the
    default until version 1.0.0) or "fixed" (choice C1; rate 1.0, 60 steps unless said otherwise). `printed` trains with the
    formulas of errata E2, E3, E4 as printed. Regions or metrics can be kept as they start.
    `callback(step, objective, parameters)` is called after each step, by the default rule with the lowest so far. Classes may
    be any labels; with more than two, a dissimilar pair joins any two classes. Same input, same seed: same result.

    The paper finds the pairs once, in the Euclidean distance (choice C5): `n_passes=1`. Each further pass finds them again in
    the distance learned so far and goes on from there. It lowers the g of its own pairs; no function of Theta falls
    throughout, because g before and after a new choice of pairs are different functions. It ends early when a choice
    repeats the one before. Trace and pairs are those of the last pass.

    `engine` says what computes g and its gradient: "vectorized", "compiled" (loops by Numba, an extra) or "reference". They
    agree but for rounding, after which descents may part. `n_jobs` threads share that work (None is 1, -1 all processors; the
    reference uses one, and NumPy where there are many pairs); their number changes no digit of the result.

    >>> X, y = [[0.0, 0.0], [0.1, 0.3], [0.0, 1.0], [1.0, 0.1], [1.1, 0.4], [1.0, 0.9]], [0, 0, 0, 1, 1, 1]
    >>> learned = learn(X, y, n_regions=1, n_neighbors=2)
    >>> learned.trace.objective[-1] < learned.trace.objective[0]
    True
    """
    check_choice("rule", rule, RULES)
    check_choice("engine", engine, ENGINES)
    if not isinstance(n_passes, (int, np.integer)) or isinstance(n_passes, bool) or n_passes < 1:
        raise ValueError(f"n_passes must be a whole number from 1, got n_passes={n_passes}")
    X, y = checked_data(X, y, n_regions, n_neighbors)
    options = descent_options(learning_rate, n_steps, None if rule == "fixed" else tol)
    blocks = chosen_blocks(n_regions, learn_regions, learn_metrics)
    pairs = training_pairs(X, y, n_neighbors, engine)
    initial = Theta = initial_values(X, y, n_regions, n_neighbors, seed, engine)
    for number in range(n_passes):
        problem = ENGINES[engine](X, *pairs, alpha, C, printed, n_jobs)
        result = RULES[rule](problem, Theta, blocks, callback=callback, **options)
        Theta = result.parameters
        again = learned_pairs(X, y, n_neighbors, Theta) if number + 1 < n_passes else pairs
        if all(np.array_equal(old, new) for old, new in zip(pairs, again, strict=True)):
            break
        pairs = again
    return Learned(Theta, initial, result.trace, result.stop, X, *pairs)
