"""Descents in the plane, recorded step by step, for the film in the book.

Two data sets, three rules, one, two or four regions, the true gradient and those printed in the
paper (errata E2, E3, E4, and all three). One JSON object: `settings`; `data`, the training points
of each set with their classes; and `films`, by the name that `film_name` makes. A film has the
`objective` after every step, from step 0; and at the `steps` that are shown `Theta` (for each
region o, r and the three entries of M, then the background's), `accuracy` on fresh points, `shares`
of the pairs' length (the background last), `covered` and `counted` (`lmlir.learning.coverage`) and
`dead`, the metrics that are 0. `deaths` are Theorem E's: a metric, the step when it `died`, and
from the step when it was `unmet` for good the step that is `predicted`.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmlir import vectorized
from lmlir.experiments.protocol import ALPHA, C
from lmlir.learning import Learned, coverage, learn, length_shares
from lmlir.scalars import Parameters

from .extinction import ZERO_NORM, life, watched
from .results import RESULTS, write_lines

Array = NDArray[Any]

OUT = RESULTS / "descents.json"
N_TRAIN = 120
N_FRESH = 400
K = 5
N_FRAMES = 16
# Seeds of the training points; the fresh points have the next seed. At the rate 1.0, the metric of
# one of four regions reaches 0 for three of the seeds 0 to 13, of which 4 is the first.
SEEDS = {"stripes": 3, "clouds": 4}
RULES: dict[str, dict[str, Any]] = {
    "1.0": {"rule": "fixed", "learning_rate": 1.0},
    "0.1": {"rule": "fixed", "learning_rate": 0.1},
    "default": {},
}
REGIONS = (1, 2, 4)
GRADIENTS = {"true": (), "E2": ("E2",), "E3": ("E3",), "E4": ("E4",), "printed": ("E2", "E3", "E4")}


def stripes(n: int, seed: int) -> tuple[Array, Array]:
    """Points of two classes in stripes that lie flat on the left and stand upright on the right.

    >>> X, y = stripes(50, seed=0); X.shape, sorted(set(y.tolist()))
    ((50, 2), [0, 1])
    """
    rng = np.random.default_rng(seed)
    left = rng.random(n) < 0.5
    across = rng.integers(0, 4, n)
    along = rng.uniform(-1.2, 1.2, n)
    stripe = (across - 1.5) * 0.6 + rng.normal(scale=0.09, size=n)
    X = np.where(
        left[:, None],
        np.column_stack([along - 1.6, stripe]),
        np.column_stack([stripe + 1.6, along]),
    )
    return X.round(2), across % 2


def clouds(n: int, seed: int) -> tuple[Array, Array]:
    """Points of two classes, each a cloud around its center; the clouds overlap.

    >>> X, y = clouds(50, seed=0); X.shape, sorted(set(y.tolist()))
    ((50, 2), [0, 1])
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 2)) * [1.2, 0.8] + np.column_stack([(2 * y - 1) * 0.9, 0 * y])
    return X.round(2), y


DATA = {"stripes": stripes, "clouds": clouds}


def film_name(data: str, rule: str, S: int, gradient: str) -> str:
    """The name of a film, as its switches are set.

    >>> film_name("stripes", "1.0", 2, "true")
    'stripes 1.0 2 true'
    """
    return f"{data} {rule} {S} {gradient}"


def shown_steps(n_steps: int, marked: Sequence[int] = ()) -> list[int]:
    """Evenly spread steps from the first to the last, and those that are marked.

    >>> shown_steps(60, [9, 70])[:5]
    [0, 4, 8, 9, 12]
    """
    even = {round(step) for step in np.linspace(0, n_steps, N_FRAMES).tolist()}
    return sorted(even | {step for step in marked if step <= n_steps})


def flat(Theta: Parameters) -> list[float]:
    """For each region its center, radius and the entries of its metric above and on the diagonal;
    then the background's.

    >>> flat(Parameters([[1, 2]], [3], [[[4, 5], [5, 6]]], [[7, 8], [8, 9]]))
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    """
    numbers: list[float] = []
    for o, r, M in zip(Theta.centers, Theta.radii, Theta.local_metrics, strict=True):
        numbers += [round(float(value), 2) for value in (*o, r)] + entries(M)
    return numbers + entries(Theta.background_metric)


def entries(M: Any) -> list[float]:
    """The three entries of a symmetric 2 x 2 matrix.

    >>> entries([[1, 2], [2, 3]])
    [1.0, 2.0, 3.0]
    """
    return [round(float(value), 3) for value in (M[0][0], M[0][1], M[1][1])]


def deaths(
    fit: Learned, history: Sequence[Parameters], rule: str, gradient: str
) -> list[dict[str, Any]]:
    """Theorem E on a film of a fixed rate: which metrics reached 0 or were no longer met, when, and
    the predicted step.

    As printed (E4) the penalty is half as strong, which has the effect of half the rate.
    """
    seen = [watched(fit, Theta) for Theta in history]
    beta = RULES[rule].get("learning_rate")
    found = []
    for m in range(len(history[0].radii) + 1):
        record = life(seen, m, (beta or 1.0) / (2 if "E4" in GRADIENTS[gradient] else 1))
        if record["died"] is None and "unmet" not in record:
            continue
        names = ("died", "unmet", "predicted") if beta else ("died",)
        found.append({"metric": m, **{name: record[name] for name in names if name in record}})
    return [death for death in found if beta or death["died"] is not None]


def film(data: str, rule: str, S: int, gradient: str) -> dict[str, Any]:
    """One descent, recorded."""
    X, y = DATA[data](N_TRAIN, SEEDS[data])
    fresh, classes = DATA[data](N_FRESH, SEEDS[data] + 1)
    passed: list[tuple[float, Parameters]] = []
    fit = learn(
        X,
        y,
        n_regions=S,
        n_neighbors=K,
        alpha=ALPHA,
        C=C,
        seed=0,
        printed=GRADIENTS[gradient],
        callback=lambda step, g, Theta: passed.append((g, Theta)),
        **RULES[rule],
    )
    history = [fit.initial, *(Theta for _, Theta in passed)]
    died = deaths(fit, history, rule, gradient)
    steps = shown_steps(len(passed), [death["died"] for death in died if death["died"] is not None])
    pairs = np.concatenate([fit.similar, fit.dissimilar])
    frames = [frame(history[step], X, y, fresh, classes, pairs) for step in steps]
    return {
        "objective": [round(g, 3) for g in (fit.trace[0], *(g for g, _ in passed))],
        "steps": steps,
        **{name: [one[name] for one in frames] for name in frames[0]},
        "deaths": died,
    }


def frame(
    Theta: Parameters, X: Array, y: Array, fresh: Array, classes: Array, pairs: Array
) -> dict[str, Any]:
    """Return what the film shows of one step."""
    local, background = length_shares(X, pairs, Theta)
    covered, counted = coverage(X, pairs, Theta)
    f = vectorized.decision_values(fresh, X[y == 0], X[y == 1], K, *Theta)
    norms = [np.linalg.norm(M) for M in (*Theta.local_metrics, Theta.background_metric)]
    return {
        "Theta": flat(Theta),
        "accuracy": round(float(np.mean((f > 0) == (classes == 1))), 4),
        "shares": [round(share, 3) for share in (*local, background)],
        "covered": round(covered, 3),
        "counted": round(counted, 3),
        "dead": [m for m, norm in enumerate(norms) if norm <= ZERO_NORM],
    }


def films() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every film with its name."""
    for switches in itertools.product(DATA, RULES, REGIONS, GRADIENTS):
        yield film_name(*switches), film(*switches)


def run(options: argparse.Namespace) -> None:
    """Record all films and write them."""
    data = {}
    for name, draw in DATA.items():
        X, y = draw(N_TRAIN, SEEDS[name])
        data[name] = {"X": X.tolist(), "y": y.tolist()}
    settings = {"alpha": ALPHA, "C": C, "K": K, "n_train": N_TRAIN, "n_fresh": N_FRESH}
    recorded = {"settings": settings, "data": data, "films": dict(films())}
    write_lines(options.out, [json.dumps(recorded, separators=(",", ":")).replace('},"', '},\n"')])
