"""Numbers from the records of a results file (`runner.read_records`): means, paired differences,
and summaries of fits.

Accuracies are in percent, as in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from lmlir.experiments.data import FACTS, NAMES, file_name
from lmlir.experiments.protocol import METHODS, Record
from lmlir.ledger.tables_4_and_5 import REPEATS, printed_deviation, printed_mean, rows_for_testing

# a region that measures less than one percent of the pairs' length counts as dead
DEAD_SHARE = 0.01


class Mean(NamedTuple):
    """A mean over splits, its standard deviation (n - 1, choice C15) and the number of splits."""

    mean: float
    deviation: float
    n: int


class Difference(NamedTuple):
    """A mean paired difference between two methods, with a 95 % interval and the p value of no
    difference.
    """

    mean: float
    low: float
    high: float
    n: int
    p: float = math.nan

    @property
    def clear(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


# ------------------------------------------------------------------------------ means and intervals


def datasets_in(records: Iterable[Record]) -> list[str]:
    """The data sets that occur, in the order of Table 4."""
    present = {record["dataset"] for record in records}
    return [name for name in NAMES if name in present]


def methods_in(records: Iterable[Record]) -> list[str]:
    """The methods that occur, in the order of the protocol."""
    present = {record["method"] for record in records}
    return [name for name in METHODS if name in present]


def records_of(
    records: Iterable[Record], dataset: str, method: str, field: str = "accuracy"
) -> list[Record]:
    """The records of one method on one data set that have a field."""
    chosen = []
    for record in records:
        is_of_method = record["dataset"] == dataset and record["method"] == method
        if is_of_method and record.get(field) is not None:
            chosen.append(record)
    return chosen


def values_of(
    records: Iterable[Record], dataset: str, method: str, field: str = "accuracy"
) -> dict[int, float]:
    """A field of one method on one data set, by split."""
    chosen = records_of(records, dataset, method, field)
    return {int(record["split"]): float(record[field]) for record in chosen}


def mean_of(values: Iterable[float]) -> Mean:
    """Mean and standard deviation.

    >>> mean_of([1.0, 3.0])
    Mean(mean=2.0, deviation=1.4142135623730951, n=2)
    """
    array = np.array(list(values), dtype=float)
    n = len(array)
    mean = float(array.mean()) if n > 0 else math.nan
    deviation = float(array.std(ddof=1)) if n > 1 else math.nan
    return Mean(mean, deviation, n)


def accuracy(records: Iterable[Record], dataset: str, method: str) -> Mean:
    """The accuracy of a method on a data set, in percent."""
    values = values_of(records, dataset, method).values()
    return mean_of(100 * value for value in values)


def t_interval(mean: float, error: float, n: int, level: float = 0.95) -> Difference:
    """Return the t interval of a mean of n differences with this standard error, and the p value of
    a mean of 0.

    >>> [round(number, 3) for number in t_interval(2.0, 1.0, 3)]
    [2.0, -2.303, 6.303, 3, 0.184]
    """
    if error == 0:  # all differences are equal
        return Difference(mean, mean, mean, n, float(mean == 0))
    t = stats.t(n - 1)
    half = float(t.ppf((1 + level) / 2)) * error
    p = 2 * float(t.sf(abs(mean) / error))
    return Difference(mean, mean - half, mean + half, n, p)


def difference_of(one: Mapping[int, float], two: Mapping[int, float], dataset: str) -> Difference:
    """One minus two on the splits that both have.

    Random splits of one data set share most of their rows, so the plain t interval is too narrow;
    this one has Nadeau and Bengio's correction.
    """
    common = sorted(one.keys() & two.keys())
    mean, deviation, n = mean_of(one[split] - two[split] for split in common)
    if n < 2:
        return Difference(mean, math.nan, math.nan, n)

    n_rows = FACTS[file_name(dataset)]["rows"]
    n_test = rows_for_testing(n_rows)
    correction = n_test / (n_rows - n_test)
    return t_interval(mean, deviation * math.sqrt(1 / n + correction), n)


def paired_difference(
    records: Sequence[Record], dataset: str, method: str, other: str, field: str = "accuracy"
) -> Difference:
    """Method minus other on the same splits; accuracies in percentage points."""
    scale = 100.0 if field == "accuracy" else 1.0

    def scaled_values(name: str) -> dict[int, float]:
        values = values_of(records, dataset, name, field)
        return {split: scale * value for split, value in values.items()}

    return difference_of(scaled_values(method), scaled_values(other), dataset)


# --------------------------------------------------------------- against the last column of Table 5


class Row(NamedTuple):
    """One data set: the paper's mean and deviation, and what was measured, by method."""

    dataset: str
    paper: Mean
    measured: dict[str, Mean]

    def deviations_off(self, method: str) -> float:
        """Measured minus printed, in the paper's standard deviations."""
        return (self.measured[method].mean - self.paper.mean) / self.paper.deviation


def last_column(records: Sequence[Record]) -> list[Row]:
    """The measured table against the paper's last column."""
    methods = methods_in(records)
    rows = []
    for dataset in datasets_in(records):
        measured = {method: accuracy(records, dataset, method) for method in methods}
        rows.append(Row(dataset, printed(dataset), measured))
    return rows


def printed(dataset: str, column: str = "Our") -> Mean:
    """The mean and the deviation that Table 5 prints in a cell."""
    return Mean(printed_mean(dataset, column), printed_deviation(dataset, column), REPEATS)


# --------------------------------------------------------------------------------- what was learned


class RegionSummary(NamedTuple):
    """Regions and background after learning on one data set, as means over the splits.

    `dead_regions` of S and `dead_background` (0 to 1) measure less than one percent of the pairs'
    length; `covered` is the share of a pair's segment inside some region, `counted` the sum of
    gamma, which is larger where regions overlap.
    """

    dead_regions: float
    dead_background: float
    covered_start: float
    covered: float
    counted_start: float
    counted: float


def region_summaries(records: Sequence[Record], method: str = "lmlir") -> dict[str, RegionSummary]:
    """The regions after learning, for every data set on which the method learned."""
    table = {}
    for dataset in datasets_in(records):
        fits = records_of(records, dataset, method, "counted_start")
        if fits:
            is_dead = [np.array(fit["shares"]) < DEAD_SHARE for fit in fits]
            dead_background, *dead_regions = np.mean(is_dead, axis=0)
            means = {}
            for field in ("covered_start", "covered", "counted_start", "counted"):
                means[field] = float(np.mean([fit[field] for fit in fits]))
            table[dataset] = RegionSummary(
                dead_regions=float(np.sum(dead_regions)),
                dead_background=float(dead_background),
                **means,
            )
    return table
