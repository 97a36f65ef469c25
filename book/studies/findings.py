"""The numbers behind the sentences of the chapter on the experiments, each computed from the
records of a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lmlir import vectorized
from lmlir.experiments.protocol import ALPHA, C, Record, S
from lmlir.experiments.statistics import (
    Difference,
    Mean,
    accuracy,
    datasets_in,
    last_column,
    mean_of,
    paired_difference,
    records_of,
    region_summaries,
    values_of,
)
from lmlir.ledger.tables_4_and_5 import REPEATS, printed_deviation, printed_mean
from lmlir.scalars import Parameters

MISTAKES = ("E2", "E3", "E4")


class Seen(NamedTuple):
    """Where a printed mistake shows: the data sets with a clear difference in accuracy and in the
    final objective, and the error that a gradient check finds, relative to the largest entry.
    """

    in_accuracy: list[str]
    in_objective: list[str]
    gradient: float


def seen_mistakes(records: Sequence[Record]) -> dict[str, Seen]:
    """E2, E3, E4: training with each as printed against training with the fixed rate, and a
    gradient check.
    """
    table = {}
    for mistake in MISTAKES:
        in_accuracy, in_objective = (
            [
                name
                for name, d in differences(
                    records, f"printed-{mistake}", "lmlir-fixed-rate", field
                ).items()
                if d.clear
            ]
            for field in ("accuracy", "objective")
        )
        table[mistake] = Seen(in_accuracy, in_objective, gradient_error((mistake,)))
    return table


def differences(
    records: Sequence[Record], method: str, other: str, field: str = "accuracy"
) -> dict[str, Difference]:
    """The paired difference on every data set."""
    return {
        name: paired_difference(records, name, method, other, field)
        for name in datasets_in(records)
    }


def gains(
    records: Sequence[Record], method: str = "lmlir", other: str = "euclidean"
) -> dict[str, list[str]]:
    """The data sets where a method is clearly better, clearly worse, or neither, by the paired
    intervals.
    """
    table: dict[str, list[str]] = {"better": [], "worse": [], "neither": []}
    for dataset, difference in differences(records, method, other).items():
        table[
            "neither" if not difference.clear else "better" if difference.mean > 0 else "worse"
        ].append(dataset)
    return table


def mean_gain(records: Sequence[Record], method: str, other: str) -> float:
    """Method minus other in percentage points, the mean over the data sets."""
    return float(np.mean([d.mean for d in differences(records, method, other).values() if d.n]))


def below_majority(records: Sequence[Record], method: str = "lmlir") -> list[str]:
    """The data sets on which naming the larger class of the training part scores more than the
    method.
    """
    return [name for name, d in differences(records, "majority", method).items() if d.mean > 0]


class Regions(NamedTuple):
    """After learning, the data sets where (in the mean over splits) every region, or the
    background, measures less than one percent of the pairs' length, and those where regions
    overlap.
    """

    all_dead: list[str]
    no_background: list[str]
    overlapping: list[str]


def learned_regions(records: Sequence[Record], method: str) -> Regions:
    """What became of the regions on each data set."""
    table = region_summaries(records, method)
    return Regions(
        [name for name, regions in table.items() if regions.dead_regions > S - 0.5],
        [name for name, regions in table.items() if regions.dead_background > 0.5],
        [name for name, r in table.items() if r.counted > 1.05 * r.covered and r.covered > 0.01],
    )


def gain_without_dead_regions(records: Sequence[Record], method: str = "lmlir") -> dict[str, Mean]:
    """The accuracy without the dead regions minus that with them, over the splits, in percentage
    points.

    No training pair meets a dead region, so the objective does not depend on it; segments between
    distant points may cross it, and a region with metric 0 adds nothing to their length.
    """
    table = {}
    for dataset in datasets_in(records):
        fits = records_of(records, dataset, method, "accuracy_without_dead")
        if fits:
            table[dataset] = mean_of(
                100 * (fit["accuracy_without_dead"] - fit["accuracy"]) for fit in fits
            )
    return table


def block_means(
    records: Sequence[Record], dataset: str, method: str, size: int = REPEATS
) -> list[float]:
    """The mean accuracy in percent of each block of `size` splits, that is, with other splits.

    >>> records = [{"dataset": "a", "method": "m", "split": k, "accuracy": k / 4} for k in range(4)]
    >>> block_means(records, "a", "m", size=2)
    [12.5, 62.5]
    """
    values = values_of(records, dataset, method)
    blocks = sorted({split // size for split in values})
    return [
        100 * float(np.mean([values[split] for split in values if split // size == block]))
        for block in blocks
    ]


def within_one_deviation(records: Sequence[Record], method: str = "lmlir-fixed-rate") -> list[str]:
    """The data sets whose measured mean is within one of the paper's deviations of the paper's
    mean.
    """
    return [row.dataset for row in last_column(records) if abs(row.deviations_off(method)) <= 1]


def within_by_blocks(
    records: Sequence[Record], method: str = "lmlir-fixed-rate", size: int = REPEATS
) -> list[int]:
    """How many data sets are within one deviation, for each block of `size` splits, that is, with
    other splits.
    """
    n_blocks = (
        max((record["split"] for record in records if record["method"] == method), default=-1)
        // size
        + 1
    )
    blocks = [[r for r in records if r["split"] // size == block] for block in range(n_blocks)]
    return [len(within_one_deviation(block, method)) for block in blocks]


def moved_by_other_splits(
    records: Sequence[Record], method: str = "lmlir-fixed-rate"
) -> dict[str, float]:
    """How far the mean of ten splits moves between one block of ten splits and another, by data
    set, in points.
    """
    return {
        name: float(np.ptp(block_means(records, name, method))) for name in datasets_in(records)
    }


def gradient_error(printed: tuple[str, ...] = (), seed: int = 0, step: float = 1e-6) -> float:
    """The largest difference between the gradient of g (with mistakes as printed) and central
    differences of g.

    On a random problem in the plane with two balls, relative to the largest entry of the true
    gradient; metrics are moved on their diagonals only.

    >>> gradient_error() < 1e-6 < gradient_error(("E4",))
    True
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2))
    similar, dissimilar = (rng.choice(12, size=(20, 2)) for _ in range(2))
    problem = vectorized.PairProblem(X, similar, dissimilar, ALPHA, C, printed)
    metrics = np.array([2 * np.eye(2), np.eye(2) / 2])
    Theta: list[Any] = [rng.normal(size=(2, 2)), np.array([0.7, 0.4]), metrics, np.eye(2)]
    given = problem.gradient(Parameters(*Theta))
    errors, sizes = [], []
    for position, array in enumerate(Theta):
        for index in np.ndindex(array.shape):
            if position >= 2 and index[-1] != index[-2]:
                continue
            ends = []
            for sign in (1, -1):
                moved = [part.copy() for part in Theta]
                moved[position][index] += sign * step
                ends.append(problem.objective(Parameters(*moved)))
            true = (ends[0] - ends[1]) / (2 * step)
            errors.append(abs(float(np.asarray(given[position])[index]) - true))
            sizes.append(abs(true))
    return max(errors) / max(sizes)


def mean_squared_z(records: Sequence[Record], column: str, method: str) -> float:
    """Mean over the data sets of (measured - printed)^2 / (variance of either mean): about 1 for
    one method, other splits.

    Splits are drawn independently, so a mean of n of them has the variance of one divided by n.
    Pima is left out (E10).
    """
    squares = []
    for name in datasets_in(records):
        if name != "pima":
            measured = accuracy(records, name, method)
            deviation = printed_deviation(name, column)
            variance = measured.deviation**2 / measured.n + deviation**2 / REPEATS
            squares.append((measured.mean - printed_mean(name, column)) ** 2 / variance)
    return float(np.mean(squares))
