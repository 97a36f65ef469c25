"""The tables of the experiment as headers and rows of text, and the report that `lmlir experiment` prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from lmlir.experiments.comparison import (
    SET_UPS,
    TITLES,
    Scores,
    against,
    agreement,
    column,
    decided,
    means,
    posterior,
    ranked,
    scores,
    sets_with,
)
from lmlir.experiments.protocol import Record
from lmlir.experiments.statistics import (
    Mean,
    datasets_in,
    last_column,
    mean_of,
    methods_in,
    paired_difference,
    region_summaries,
)
from lmlir.ledger.tables_4_and_5 import PRINTED, majority_share, sizes
from lmlir.terminal import table

Table = tuple[list[str], list[list[str]]]
WIDTH = 6  # methods side by side in the report
PAIRS = [("lmlir", "euclidean"), ("lmlir", "global-metric"), ("lmlir", "lmlir-fixed-rate"), ("lmlir", "knn-10")]


def cell(mean: Mean) -> str:
    """A mean with its deviation, as in the paper.

    >>> cell(Mean(96.456, 2.961, 10)), cell(Mean(math.nan, math.nan, 0))
    ('96.46 ± 2.96', '-')
    """
    if not mean.n:
        return "-"
    return f"{mean.mean:.2f}" if math.isnan(mean.deviation) else f"{mean.mean:.2f} ± {mean.deviation:.2f}"


def table_4() -> Table:
    """Table 4: the sizes of the data sets, the printed ones beside the true ones where they differ (E9).

    >>> table_4()[1][5]
    ['haberman', '306 (printed: 206)', '81, 225 (printed: 81, 125)', '3', '73.53']
    """
    body = []
    for dataset, printed in PRINTED["table_4"].items():
        texts = [[str(rows), f"{one}, {two}", str(features)] for rows, one, two, features in (sizes(dataset), printed)]
        cells = [true if true == wrong else f"{true} (printed: {wrong})" for true, wrong in zip(*texts, strict=True)]
        body.append([dataset, *cells, f"{majority_share(dataset):.2f}"])
    return ["", "instances", "classes", "features", "larger class"], body


def comparison_table(records: Sequence[Record], methods: Sequence[str] | None = None) -> Table:
    """The measured table, the paper's last column first; * marks more than one of the paper's deviations away."""
    chosen = list(methods or methods_in(records))
    body = []
    for row in last_column(records):
        line = [row.dataset, cell(row.paper)]
        for method in chosen:
            mean = row.measured.get(method, Mean(math.nan, math.nan, 0))
            far = mean.n and method.startswith("lmlir") and abs(row.deviations_off(method)) > 1
            line.append(cell(mean) + ("*" if far else ""))
        body.append(line)
    return ["", "paper", *chosen], body


def difference_table(records: Sequence[Record], pairs: Sequence[tuple[str, str]] = PAIRS) -> Table:
    """The paired differences: mean and 95 % interval, in percentage points; ! marks clear ones."""
    body = []
    for dataset in datasets_in(records):
        found = [paired_difference(records, dataset, method, other) for method, other in pairs]
        body.append([dataset, *(f"{d.mean:+.2f} [{d.low:+.2f}, {d.high:+.2f}]" + "!" * d.clear for d in found)])
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


# ------------------------------------------------------------------------------------------------- the whole of Table 5


def set_up_table(results: Scores) -> Table:
    """Each column of Table 5: the set-up that was run for it, and how well its means come out (Pima left out)."""
    body = []
    for name, set_up in SET_UPS.items():
        if sets_with(results, [set_up.method]):
            found = agreement(results, name)
            within = f"{found.within} of {found.of}"
            worst = f"{found.worst.dataset} {found.worst.z:+.2f}"
            body.append([name, set_up.words, str(set_up.k), within, f"{found.mean_z:.2f}", worst])
    return ["", "set-up", "k", "within one deviation", "mean |z|", "farthest, z"], body


def reproduction_table(results: Scores) -> Table:
    """Table 5 as printed and as measured, and the difference z in printed deviations: three lines a data set."""
    names = [name for name, set_up in SET_UPS.items() if sets_with(results, [set_up.method])]
    lines: dict[str, list[list[str]]] = {}
    for name in names:
        for found in column(results, name):
            three = lines.setdefault(found.dataset, [[], [], []])
            for line, text in zip(three, (cell(found.printed), cell(found.measured), f"{found.z:+.2f}"), strict=True):
                line.append(text)
    body = [
        [label, *line]
        for dataset, three in lines.items()
        for label, line in zip((f"{dataset}, printed", "measured", "z"), three, strict=True)
    ]
    return ["", *names], body


def neighbors_table(by_k: Mapping[int, Scores]) -> Table:
    """How many means of each rival's column come out within one deviation when k neighbors vote; * marks the k taken."""
    body = []
    for name, set_up in SET_UPS.items():
        if name != "Our":
            counts = {k: agreement(results, name) for k, results in by_k.items()}
            body.append([name, *(f"{found.within}{'*' * (k == set_up.k)}" for k, found in counts.items())])
    return ["", *(f"k = {k}" for k in by_k)], body


def view_table(results: Scores, methods: Sequence[str]) -> Table:
    """Mean and deviation of each method on each data set, then the mean over the data sets and the mean rank."""
    sets = sets_with(results, methods)
    body = [[dataset, *(cell(mean_of(results[dataset, m].values())) for m in methods)] for dataset in sets]
    body.append(["mean", *(f"{mean:.2f}" for mean in means(results, methods).mean(axis=0))])
    body.append(["mean rank", *(f"{rank:.2f}" for rank in ranked(results, methods).mean_ranks)])
    return ["", *(TITLES[m] for m in methods)], body


def duel_table(results: Scores, method: str, others: Sequence[str]) -> Table:
    """A method against each other: mean difference in points, data sets decided after Holm, and the signed rank in percent."""
    differences = against(results, method, others)
    body = []
    for other in others:
        mean = (means(results, [method]) - means(results, [other])).mean()
        won = decided(differences, other)
        chances = [f"{100 * share:.0f}" for share in posterior(results, method, other)[:3]]
        body.append(
            [TITLES[other], f"{mean:+.2f}", *(", ".join(won[side]) or "-" for side in ("better", "worse")), *chances]
        )
    return ["", "points", "better on", "worse on", "P(worse)", "P(equivalent)", "P(better)"], body


def report(records: Sequence[Record]) -> str:
    """The text that `lmlir experiment` prints at its end: accuracies, paired differences, and the regions after learning."""
    parts = ["Accuracy in percent, mean ± deviation; * more than one of the paper's deviations from the paper's mean:"]
    methods = methods_in(records)
    parts += [table(*comparison_table(records, methods[at : at + WIDTH])) for at in range(0, len(methods), WIDTH)]
    as_run = set_up_table(scores(records))
    if as_run[1]:
        parts.append("The columns of Table 5, Pima left out; z is measured minus printed in the paper's deviations:")
        parts.append(table(*as_run))
    pairs = [pair for pair in PAIRS if set(pair) <= set(methods_in(records))]
    if pairs:
        parts.append("Paired differences in percentage points with 95 % intervals; ! the interval excludes 0:")
        parts.append(table(*difference_table(records, pairs)))
    for method in ("lmlir", "lmlir-fixed-rate"):
        header, body = region_table(records, method)
        if body:
            parts.append(f"{method}: regions and background that measure less than 1 % of the pairs' length; coverage:")
            parts.append(table(header, body))
    return "\n\n".join(parts)
