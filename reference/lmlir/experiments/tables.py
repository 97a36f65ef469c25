"""The tables of the experiment as headers and rows of text, and the report that `lmlir experiment`
prints.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lmlir.experiments.comparison import SET_UPS, Scores, agreement, scores, sets_with
from lmlir.experiments.protocol import Record
from lmlir.experiments.statistics import (
    Difference,
    Mean,
    datasets_in,
    last_column,
    methods_in,
    paired_difference,
    region_summaries,
)
from lmlir.terminal import table

Table = tuple[list[str], list[list[str]]]
WIDTH = 6  # methods side by side in the report
PAIRS = [
    ("lmlir", "euclidean"),
    ("lmlir", "global-metric"),
    ("lmlir", "lmlir-fixed-rate"),
    ("lmlir", "knn-10"),
]


def cell(mean: Mean) -> str:
    """A mean with its deviation, as in the paper.

    >>> cell(Mean(96.456, 2.961, 10)), cell(Mean(math.nan, math.nan, 0))
    ('96.46 ± 2.96', '-')
    """
    if not mean.n:
        return "-"
    if math.isnan(mean.deviation):
        return f"{mean.mean:.2f}"
    return f"{mean.mean:.2f} ± {mean.deviation:.2f}"


def difference_cell(difference: Difference, digits: int = 2) -> str:
    """A mean difference with its interval, in percentage points; ! marks a clear one.

    >>> difference_cell(Difference(5.0, 4.0, 6.0, 3))
    '+5.00 [+4.00, +6.00]!'
    >>> difference_cell(Difference(5.0, math.nan, math.nan, 1))
    '+5.00'
    """
    if difference.n == 0:
        return "-"
    mean = f"{difference.mean:+.{digits}f}"
    if difference.n == 1:
        return mean
    mark = "!" if difference.clear else ""
    return f"{mean} [{difference.low:+.{digits}f}, {difference.high:+.{digits}f}]{mark}"


def comparison_table(records: Sequence[Record], methods: Sequence[str] | None = None) -> Table:
    """The measured table, the paper's last column first; * marks more than one of the paper's
    deviations away.
    """
    chosen = list(methods or methods_in(records))
    body = []
    for row in last_column(records):
        line = [row.dataset, cell(row.paper)]
        for method in chosen:
            mean = row.measured.get(method, Mean(math.nan, math.nan, 0))
            text = cell(mean)
            if mean.n and method.startswith("lmlir") and abs(row.deviations_off(method)) > 1:
                text += "*"
            line.append(text)
        body.append(line)
    return ["", "paper", *chosen], body


def difference_table(records: Sequence[Record], pairs: Sequence[tuple[str, str]] = PAIRS) -> Table:
    """The paired differences: mean and 95 % interval, in percentage points; ! marks clear ones."""
    body = []
    for dataset in datasets_in(records):
        differences = [
            paired_difference(records, dataset, method, other) for method, other in pairs
        ]
        body.append([dataset, *map(difference_cell, differences)])
    return ["", *(f"{method} - {other}" for method, other in pairs)], body


def region_table(records: Sequence[Record], method: str = "lmlir") -> Table:
    """The regions after learning; covered and counted as start -> end."""
    body = [
        [
            dataset,
            f"{summary.dead_regions:.1f}",
            f"{100 * summary.dead_background:.0f} %",
            f"{summary.covered_start:.2f} -> {summary.covered:.2f}",
            f"{summary.counted_start:.2f} -> {summary.counted:.2f}",
        ]
        for dataset, summary in region_summaries(records, method).items()
    ]
    return ["", "dead regions", "dead background", "covered", "counted"], body


def set_up_table(results: Scores) -> Table:
    """Each column of Table 5: the set-up that was run for it, and how well its means come out (Pima
    left out).
    """
    body = []
    for name, set_up in SET_UPS.items():
        if sets_with(results, [set_up.method]):
            cells = agreement(results, name)
            within = f"{cells.within} of {cells.of}"
            worst = f"{cells.worst.dataset} {cells.worst.z:+.2f}"
            body.append([name, set_up.words, str(set_up.k), within, f"{cells.mean_z:.2f}", worst])
    return ["", "set-up", "k", "within one deviation", "mean |z|", "farthest, z"], body


def report(records: Sequence[Record]) -> str:
    """The text that `lmlir experiment` prints at its end: accuracies, paired differences, and the
    regions after learning.
    """
    parts = [
        "Accuracy in percent, mean ± deviation; * more than one of the paper's deviations from the "
        "paper's mean:"
    ]
    methods = methods_in(records)
    parts += [
        table(*comparison_table(records, methods[at : at + WIDTH]))
        for at in range(0, len(methods), WIDTH)
    ]
    as_run = set_up_table(scores(records))
    if as_run[1]:
        parts.append(
            "The columns of Table 5, Pima left out; z is measured minus printed in the paper's "
            "deviations:"
        )
        parts.append(table(*as_run))
    pairs = [pair for pair in PAIRS if set(pair) <= set(methods)]
    if pairs:
        parts.append(
            "Paired differences in percentage points with 95 % intervals; ! the interval excludes "
            "0:"
        )
        parts.append(table(*difference_table(records, pairs)))
    for method in ("lmlir", "lmlir-fixed-rate"):
        header, body = region_table(records, method)
        if body:
            parts.append(
                f"{method}: regions and background that measure less than 1 % of the pairs' "
                "length; coverage:"
            )
            parts.append(table(header, body))
    return "\n\n".join(parts)
