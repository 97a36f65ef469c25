"""How times grow with one size, the others fixed: of a gradient, of cross distances, of a training of ten steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lmlir import learning, vectorized
from lmlir.experiments.measuring import Task, best_seconds, exponent
from lmlir.experiments.protocol import ALPHA, C
from lmlir.scalars import Parameters


def random_parameters(F: int, S: int, spread: float, seed: int = 0) -> Parameters:
    """Balls that hold about half of normally distributed points, and metrics of full rank."""
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(S + 1, F, F)) / np.sqrt(F)
    metrics = roots @ roots.transpose(0, 2, 1)
    centers, radii = 0.2 * spread * rng.normal(size=(S, F)), spread * np.sqrt(F) * rng.uniform(0.8, 1.2, size=S)
    parts: Any = centers, radii, metrics[:S], metrics[S]
    return Parameters(*parts)


def _gradient_task(P: int = 4000, F: int = 24, S: int = 4) -> Task:
    rng = np.random.default_rng(4)
    X, pairs = rng.normal(size=(2 * P, F)), rng.permutation(2 * P).reshape(P, 2)
    Theta = random_parameters(F, S, 1.0)
    problem = vectorized.PairProblem(X, pairs[: P // 2], pairs[P // 2 :], ALPHA, C)
    return lambda: problem.objective_and_gradient(Theta)


def _cross_task(P: int = 700**2, F: int = 24, S: int = 4) -> Task:
    rng = np.random.default_rng(5)
    n = math.isqrt(P)
    X, Y, Theta = rng.normal(size=(n, F)), rng.normal(size=(n, F)), random_parameters(F, S, 1.0)
    return partial(vectorized.cross_distances, X, Y, *Theta)


def _training_task(n: int = 1000, F: int = 24, S: int = 4, K: int = 10) -> Task:
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(n, F)), np.arange(n) % 2
    return partial(learning.learn, X, y, n_regions=S, n_neighbors=K, rule="fixed", n_steps=10, learning_rate=0.01)


def growth(tries: int) -> list[dict[str, Any]]:
    """Every curve: sizes, times in units of the first, and the fitted exponent with what it should be at most."""
    names = {"P": "pairs", "F": "features", "S": "regions", "n": "rows", "K": "neighbors"}
    limits = {"P": 1, "F": 2, "S": 1, "n": 2, "K": 1}
    features, regions = [8, 16, 32, 64, 128], [1, 2, 4, 8, 16]
    plans: dict[str, tuple[Callable[..., Task], dict[str, list[int]]]] = {
        "gradient": (_gradient_task, {"P": [2000, 4000, 8000, 16000, 32000], "F": features, "S": regions}),
        "cross distances": (_cross_task, {"P": [250**2, 500**2, 1000**2, 2000**2], "F": features, "S": regions}),
        "training": (
            _training_task,
            {"n": [500, 1000, 2000, 4000], "F": features[:4], "S": regions[:4], "K": [5, 10, 20, 40]},
        ),
    }
    curves = []
    for what, (task, all_sizes) in plans.items():
        for letter, sizes in all_sizes.items():
            times = best_seconds([task(**{letter: size}) for size in sizes], tries)
            curve = {"what": what, "with": names[letter], "sizes": sizes, "times": [each / times[0] for each in times]}
            curves.append({**curve, "exponent": exponent(sizes, times), "at_most": limits[letter]})
    return curves
