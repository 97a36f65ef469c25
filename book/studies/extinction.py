"""Theorem E on real runs: the predicted and the measured step of death of every metric, at the
paper's fixed rate.

The first split of each data set, alpha = 0.1, rate 1.0, 60 steps. The file has one JSON object per
line, for one metric (`region` 0 to 3, or null for the background):

* `norm_start` and `steps_left_start`, the theorem's number of steps if no active pair met the
  metric from the start;
* `died`, the first step after which its norm is 0 up to rounding (null if there is none);
* `out_of_reach` (regions only), the first step after which no training pair crosses or touches the
  ball, with the `radius` there and the step of death `foretold` at that moment;
* `unmet`, the step after which no active pair met the metric again, and the step of death
  `predicted` then.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lmlir import vectorized
from lmlir.experiments import data
from lmlir.experiments.protocol import ALPHA, FIXED, C, K, Record, S, prepared, rounded, split_rows
from lmlir.extinction import steps_to_death
from lmlir.learning import FIXED_RATE, Learned, learn
from lmlir.ledger.table_5_again import SETS
from lmlir.scalars import Parameters

from .results import RESULTS, write_lines

ZERO_NORM = 1e-12  # a smaller norm is 0 up to rounding
OUT = RESULTS / "extinction.jsonl"


class Watched(NamedTuple):
    """The state of all metrics after one step, the background last: norms, whether an active pair
    meets the metric, and whether a pair reaches its ball.
    """

    metrics: list[NDArray[np.float64]]
    norms: list[float]
    met: list[bool]
    reached: list[bool]
    radii: list[float]


def watched(fit: Learned, Theta: Parameters) -> Watched:
    """Theorem E's conditions at one step, for all training pairs at once."""
    pairs = np.concatenate([fit.similar, fit.dissimilar])
    X_i, X_j = fit.X[pairs[:, 0]], fit.X[pairs[:, 1]]
    D = vectorized.distances(X_i, X_j, *Theta)
    is_similar = np.arange(len(pairs)) < len(fit.similar)
    active = np.where(is_similar, D > 1 - C, D < 1 + C)
    gamma = vectorized.intersection_ratios(X_i, X_j, Theta.centers, Theta.radii)
    by_center, by_radius = vectorized.ratio_gradients(X_i, X_j, Theta.centers, Theta.radii)
    reached = (gamma > 0) | (by_radius != 0) | (by_center != 0).any(axis=2)
    shares = np.column_stack([gamma, np.maximum(1 - gamma.sum(axis=1), 0)])
    metrics = [np.asarray(M) for M in (*Theta.local_metrics, Theta.background_metric)]
    squares = np.stack([np.einsum("pf,fg,pg->p", X_i - X_j, M, X_i - X_j) for M in metrics], axis=1)
    met: NDArray[np.bool_] = np.any((shares > 0) & (squares > 0) & active[:, None], axis=0)
    return Watched(
        metrics=metrics,
        norms=[float(np.linalg.norm(M)) for M in metrics],
        met=met.tolist(),
        # the background is wherever the balls are not
        reached=[*reached.any(axis=0).tolist(), True],
        radii=[*(float(radius) for radius in Theta.radii), np.nan],
    )


def first(truths: Sequence[bool]) -> int | None:
    """The first index that is true.

    >>> first([False, True, True]), first([False])
    (1, None)
    """
    return next((index for index, truth in enumerate(truths) if truth), None)


def life(history: Sequence[Watched], m: int, beta: float = FIXED_RATE) -> Record:
    """Return the record of metric m at the rate beta: the step at which it reached 0, and the steps
    that Theorem E predicts.
    """
    norms = [step.norms[m] for step in history]
    died = first([norm <= ZERO_NORM for norm in norms])
    end = len(history) if died is None else died
    unmet = 1 + max((t for t in range(end) if history[t].met[m]), default=-1)
    out = first([not step.reached[m] for step in history[:end]])
    record: Record = {
        "norm_start": norms[0],
        "steps_left_start": steps_left(history[0], m, beta),
        "died": died,
    }
    if out is not None:
        record |= {
            "out_of_reach": out,
            "radius": history[out].radii[m],
            "foretold": out + steps_left(history[out], m, beta),
        }
    if unmet < end:
        record |= {
            "unmet": unmet,
            "norm": norms[unmet],
            "predicted": unmet + steps_left(history[unmet], m, beta),
        }
    return record


def steps_left(step: Watched, m: int, beta: float = FIXED_RATE) -> int:
    """Theorem E: the steps that metric m has left from here, if no active pair meets it."""
    return steps_to_death(step.metrics[m].tolist(), ALPHA, beta)


def records(name: str) -> Iterator[Record]:
    """The lines of one data set: the four regions and the background."""
    dataset = data.load(name)
    part = prepared(dataset.X, dataset.y, split_rows(len(dataset.X), 0), "all")
    passed: list[Parameters] = []
    options: dict[str, Any] = {"n_regions": S, "n_neighbors": K, "alpha": ALPHA, "C": C, **FIXED}
    fit = learn(
        part.X_train, part.y_train, callback=lambda step, g, Theta: passed.append(Theta), **options
    )
    history = [watched(fit, Theta) for Theta in (fit.initial, *passed)]
    for m in range(S + 1):
        yield {
            "dataset": name,
            "region": m if m < S else None,
            "steps": FIXED["n_steps"],
            **life(history, m),
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the option of this study."""
    parser.add_argument(
        "--only", nargs="+", metavar="SET", choices=SETS, default=SETS, help="these data sets only"
    )


def run(options: argparse.Namespace) -> None:
    """Write the lines of all data sets."""
    write_lines(
        options.out,
        (json.dumps(rounded(record)) for name in options.only for record in records(name)),
    )
