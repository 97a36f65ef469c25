"""What the experiment shows: the measured table against the paper's (`lmlir.ledger.tables_4_and_5`), paired differences.

Everything is computed from the records of a results file (`runner.read_records`). Accuracies are in percent, as in the
paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from lmlir import vectorized
from lmlir.experiments.data import FACTS, NAMES, file_name
from lmlir.experiments.protocol import ALPHA, METHODS, C, Record, S
from lmlir.ledger import tables_4_and_5
from lmlir.ledger.tables_4_and_5 import REPEATS, printed_deviation, printed_mean
from lmlir.scalars import Parameters

DEAD_SHARE = 0.01  # a region that measures less than one percent of the pairs' length counts as dead


class Mean(NamedTuple):
    """A mean over splits, its standard deviation (n - 1, choice C15) and the number of splits."""

    mean: float
    deviation: float
    n: int


class Difference(NamedTuple):
    """A mean paired difference between two methods, with a confidence interval."""

    mean: float
    low: float
    high: float
    n: int

    @property
    def clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0


# ------------------------------------------------------------------------------------------------ measured numbers


def values_of(records: Iterable[Record], dataset: str, method: str, field: str = "accuracy") -> dict[int, float]:
    """A field of one method on one data set, by split."""
    return {
        int(record["split"]): float(record[field])
        for record in records
        if record["dataset"] == dataset and record["method"] == method and record.get(field) is not None
    }


def mean_of(values: Iterable[float]) -> Mean:
    """Mean and standard deviation.

    >>> mean_of([1.0, 3.0])
    Mean(mean=2.0, deviation=1.4142135623730951, n=2)
    """
    array = np.array(list(values), dtype=float)
    deviation = float(array.std(ddof=1)) if len(array) > 1 else math.nan
    return Mean(float(array.mean()) if len(array) else math.nan, deviation, len(array))


def accuracy(records: Iterable[Record], dataset: str, method: str) -> Mean:
    """The accuracy of a method on a data set, in percent."""
    return mean_of(100 * value for value in values_of(records, dataset, method).values())


def datasets_in(records: Iterable[Record]) -> list[str]:
    """The data sets that occur, in the order of Table 4."""
    present = {record["dataset"] for record in records}
    return [name for name in NAMES if name in present]


def methods_in(records: Iterable[Record]) -> list[str]:
    """The methods that occur, in the order of the protocol."""
    present = {record["method"] for record in records}
    return [name for name in METHODS if name in present]


def paired_difference(
    records: Sequence[Record], dataset: str, method: str, other: str, field: str = "accuracy", level: float = 0.95
) -> Difference:
    """Method minus other on the same splits; accuracies in percentage points.

    Random splits of one data set share most of their rows, so the plain t interval is too narrow. This is Nadeau and
    Bengio's corrected one: the variance of the mean is (1/n + test rows / training rows) times that of a difference.
    """
    one, two = (values_of(records, dataset, name, field) for name in (method, other))
    scale = 100.0 if field == "accuracy" else 1.0
    differences = np.array([scale * (one[split] - two[split]) for split in sorted(one.keys() & two.keys())])
    n = len(differences)
    if n < 2:
        return Difference(float(differences.mean()) if n else math.nan, math.nan, math.nan, n)
    rows = FACTS[file_name(dataset)]["rows"]
    n_test = tables_4_and_5.rows_for_testing(rows)
    error = math.sqrt((1 / n + n_test / (rows - n_test)) * float(differences.var(ddof=1)))
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * error
    mean = float(differences.mean())
    return Difference(mean, mean - half, mean + half, n)


# ------------------------------------------------------------------------------------------ against the last column


class Row(NamedTuple):
    """One data set: the paper's mean and deviation, and what was measured, by method."""

    dataset: str
    paper: Mean
    measured: dict[str, Mean]

    def deviations_off(self, method: str) -> float:
        """Measured minus printed, in the paper's standard deviations."""
        return (self.measured[method].mean - self.paper.mean) / self.paper.deviation


def comparison(records: Sequence[Record]) -> list[Row]:
    """The measured table against the paper's last column."""
    return [
        Row(
            dataset,
            Mean(printed_mean(dataset), printed_deviation(dataset), REPEATS),
            {method: accuracy(records, dataset, method) for method in methods_in(records)},
        )
        for dataset in datasets_in(records)
    ]


def within_one_deviation(records: Sequence[Record], method: str = "lmlir-fixed-rate") -> list[str]:
    """The data sets whose measured mean is within one of the paper's deviations of the paper's mean."""
    return [row.dataset for row in comparison(records) if abs(row.deviations_off(method)) <= 1]


def within_by_blocks(records: Sequence[Record], method: str = "lmlir-fixed-rate", size: int = REPEATS) -> list[int]:
    """How many data sets are within one deviation, for each block of so many splits: what other splits would have given."""
    n_blocks = max((record["split"] for record in records if record["method"] == method), default=-1) // size + 1
    blocks = [[r for r in records if r["split"] // size == block] for block in range(n_blocks)]
    return [len(within_one_deviation(block, method)) for block in blocks]


def more_than_one_deviation_below(records: Sequence[Record], method: str = "lmlir") -> list[str]:
    """The data sets whose measured mean is more than one of the paper's deviations below the paper's mean."""
    return [row.dataset for row in comparison(records) if row.deviations_off(method) < -1]


# --------------------------------------------------------------------------------------------------------- findings


def differences(records: Sequence[Record], method: str, other: str, field: str = "accuracy") -> dict[str, Difference]:
    """The paired difference on every data set."""
    return {name: paired_difference(records, name, method, other, field) for name in datasets_in(records)}


def gains(records: Sequence[Record], method: str = "lmlir", other: str = "euclidean") -> dict[str, list[str]]:
    """The data sets where a method is clearly better, clearly worse, or neither, by the paired intervals."""
    table: dict[str, list[str]] = {"better": [], "worse": [], "neither": []}
    for dataset, difference in differences(records, method, other).items():
        table["neither" if not difference.clear else "better" if difference.mean > 0 else "worse"].append(dataset)
    return table


class Fate(NamedTuple):
    """What became of regions and background on one data set, as means over the splits.

    `dead_regions` of S and `dead_background` (0 to 1) measure less than one percent of the pairs' length; `covered` is the
    share of a pair's segment inside some region, `counted` the sum of gamma, which is larger where regions overlap.
    """

    dead_regions: float
    dead_background: float
    covered_start: float
    covered: float
    counted_start: float
    counted: float


def fates(records: Sequence[Record], method: str = "lmlir") -> dict[str, Fate]:
    """What became of the regions, per data set."""
    table = {}
    for dataset in datasets_in(records):
        fits = [r for r in records if r["dataset"] == dataset and r["method"] == method and "counted_start" in r]
        if fits:
            dead = [[share < DEAD_SHARE for share in fit["shares"]] for fit in fits]
            table[dataset] = Fate(
                float(np.mean([sum(marks[1:]) for marks in dead])),
                float(np.mean([marks[0] for marks in dead])),
                *(
                    float(np.mean([fit[field] for fit in fits]))
                    for field in ("covered_start", "covered", "counted_start", "counted")
                ),
            )
    return table


def hole_cost(records: Sequence[Record], method: str = "lmlir") -> dict[str, Mean]:
    """What dead regions cost in accuracy, in percentage points: without them minus with them, over the splits.

    No training pair meets a dead region, so the objective does not see it; segments between far points may cross it, and a
    region with metric 0 is a hole that makes whatever lies behind it near.
    """
    table = {}
    for dataset in datasets_in(records):
        kept = values_of(records, dataset, method)
        without = values_of(records, dataset, method, "accuracy_without_dead")
        table[dataset] = mean_of(100 * (without[split] - kept[split]) for split in sorted(without.keys() & kept.keys()))
    return {dataset: mean for dataset, mean in table.items() if mean.n}


def mean_shares(records: Sequence[Record], dataset: str, method: str, field: str = "shares") -> list[float]:
    """Background's share of the pairs' length, then the regions' from the largest to the smallest, mean over splits."""
    fits = [r[field] for r in records if r["dataset"] == dataset and r["method"] == method and field in r]
    ordered = [[fit[0], *sorted(fit[1:], reverse=True)] for fit in fits]
    return [float(value) for value in np.mean(ordered, axis=0)] if ordered else []


def objective_means(records: Sequence[Record], method: str, splits: Iterable[int] | None = None) -> dict[str, float]:
    """The mean final objective per data set, over the given splits."""
    table = {}
    for dataset in datasets_in(records):
        values = values_of(records, dataset, method, "objective")
        chosen = [value for split, value in values.items() if splits is None or split in set(splits)]
        if chosen:
            table[dataset] = float(np.mean(chosen))
    return table


def lower_objective(records: Sequence[Record], method: str = "lmlir", other: str = "lmlir-rate-0.1") -> dict[str, bool]:
    """Per data set, whether the method's mean final objective is at least as low as the other's on the same splits."""
    table = {}
    for dataset in datasets_in(records):
        one, two = (values_of(records, dataset, name, "objective") for name in (method, other))
        both = sorted(one.keys() & two.keys())
        if both:
            table[dataset] = float(np.mean([one[s] for s in both])) <= float(np.mean([two[s] for s in both]))
    return table


class Sight(NamedTuple):
    """Where a printed mistake can be seen: data sets with a clear accuracy or objective difference, gradient error."""

    accuracy: list[str]
    objective: list[str]
    gradient_error: float


def mistakes_seen(records: Sequence[Record]) -> dict[str, Sight]:
    """E2, E3, E4: which of the printed gradient mistakes show in accuracy, which in the objective, which in a check."""
    return {
        mistake: Sight(
            [n for n, d in differences(records, f"printed-{mistake}", "lmlir-fixed-rate").items() if d.clear],
            [
                n
                for n, d in differences(records, f"printed-{mistake}", "lmlir-fixed-rate", "objective").items()
                if d.clear
            ],
            gradient_error((mistake,)),
        )
        for mistake in ("E2", "E3", "E4")
        if any(record["method"] == f"printed-{mistake}" for record in records)
    }


def small_problem(seed: int) -> tuple[tuple[Any, ...], list[Any]]:
    """A random problem in the plane with two balls: rows and pairs, and the four parameters."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2))
    similar, dissimilar = (rng.choice(12, size=(20, 2)) for _ in range(2))
    metrics = np.array([2 * np.eye(2), np.eye(2) / 2])
    return (X, similar, dissimilar), [rng.normal(size=(2, 2)), np.array([0.7, 0.4]), metrics, np.eye(2)]


def gradient_error(printed: tuple[str, ...] = (), seed: int = 0, step: float = 1e-6) -> float:
    """The largest difference between the gradient of g (with mistakes as printed) and central differences of g.

    Relative to the largest entry of the true gradient; metrics are moved on their diagonals only.

    >>> gradient_error() < 1e-6 < gradient_error(("E4",))
    True
    """
    pairs, Theta = small_problem(seed)
    problem: dict[str, Any] = {"alpha": ALPHA, "C": C, **dict(zip(("X", "similar", "dissimilar"), pairs, strict=True))}
    given = vectorized.objective_gradient(
        **problem, **dict(zip(Parameters._fields, Theta, strict=True)), printed=printed
    )
    errors, sizes = [], []
    for position, array in enumerate(Theta):
        for index in np.ndindex(array.shape):
            if position >= 2 and index[-1] != index[-2]:
                continue
            ends = []
            for sign in (1, -1):
                moved = [part.copy() for part in Theta]
                moved[position][index] += sign * step
                ends.append(float(vectorized.objective(**problem, **dict(zip(Parameters._fields, moved, strict=True)))))
            true = (ends[0] - ends[1]) / (2 * step)
            errors.append(abs(float(np.asarray(given[position])[index]) - true))
            sizes.append(abs(true))
    return max(errors) / max(sizes)


def preprocessing_cost(records: Sequence[Record]) -> dict[str, Difference]:
    """What scaling each instance to unit length costs the classifier with nothing learned, in percentage points."""
    return differences(records, "euclidean-standardized", "euclidean")


def nearest_plain_method(records: Sequence[Record], column: str) -> dict[str, float]:
    """Mean absolute difference between a column of Table 5 and plain k-NN as measured here, by k."""
    names = datasets_in(records)
    table = {}
    for method in ("knn-1", "knn-5", "knn-10", "euclidean"):
        gaps = [abs(accuracy(records, name, method).mean - printed_mean(name, column)) for name in names]
        table[method] = float(np.mean(gaps))
    return table


def block_means(records: Sequence[Record], dataset: str, method: str, size: int = REPEATS) -> list[float]:
    """The mean accuracy in percent of each block of so many splits: what ten other splits would have given.

    >>> records = [{"dataset": "a", "method": "m", "split": k, "accuracy": k / 4} for k in range(4)]
    >>> block_means(records, "a", "m", size=2)
    [12.5, 62.5]
    """
    values = values_of(records, dataset, method)
    blocks = sorted({split // size for split in values})
    return [100 * float(np.mean([values[split] for split in values if split // size == block])) for block in blocks]


# ---------------------------------------------------------------------------------------------------------- tables


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns of text, the first to the left and the others to the right.

    >>> print(text_table(["a", "b"], [["x", "1.5"]]))
    a    b
    x  1.5
    """
    widths = [max(len(line[column]) for line in [header, *rows]) for column in range(len(header))]
    lines = []
    for line in [header, *rows]:
        cells = [
            line[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def cell(mean: Mean) -> str:
    """A mean with its deviation, as in the paper.

    >>> cell(Mean(96.456, 2.961, 10)), cell(Mean(math.nan, math.nan, 0))
    ('96.46 ± 2.96', '-')
    """
    if not mean.n:
        return "-"
    return f"{mean.mean:.2f}" if math.isnan(mean.deviation) else f"{mean.mean:.2f} ± {mean.deviation:.2f}"


def comparison_table(
    records: Sequence[Record], methods: Sequence[str] | None = None
) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the measured table, the paper's last column first; * marks more than one deviation away."""
    rows = comparison(records)
    chosen = list(methods or methods_in(records))
    body = []
    for row in rows:
        line = [row.dataset, cell(row.paper)]
        for method in chosen:
            mean = row.measured.get(method, Mean(math.nan, math.nan, 0))
            far = mean.n and method.startswith("lmlir") and abs(row.deviations_off(method)) > 1
            line.append(cell(mean) + ("*" if far else ""))
        body.append(line)
    return ["", "paper", *chosen], body


def difference_table(records: Sequence[Record], pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the paired differences: mean and 95 % interval, in percentage points; ! marks clear ones."""
    header = ["", *(f"{method} - {other}" for method, other in pairs)]
    body = []
    for dataset in datasets_in(records):
        found = [paired_difference(records, dataset, method, other) for method, other in pairs]
        body.append([dataset, *(f"{d.mean:+.2f} [{d.low:+.2f}, {d.high:+.2f}]" + "!" * d.clear for d in found)])
    return header, body


def report(records: Sequence[Record]) -> str:
    """The text that `lmlir experiment` prints at its end: table, paired differences, and what became of the regions."""
    parts = ["Accuracy in percent, mean ± deviation; * more than one of the paper's deviations from the paper's mean:"]
    parts.append(text_table(*comparison_table(records)))
    present = set(methods_in(records))
    pairs = [("lmlir", "euclidean"), ("lmlir", "global-metric"), ("lmlir", "lmlir-fixed-rate"), ("lmlir", "knn-10")]
    pairs = [pair for pair in pairs if present.issuperset(pair)]
    if pairs:
        parts.append("Paired differences in percentage points with 95 % intervals; ! the interval leaves 0 out:")
        parts.append(text_table(*difference_table(records, pairs)))
    for method in ("lmlir", "lmlir-fixed-rate"):
        table = fates(records, method)
        if table:
            parts.append(f"{method}: regions and background that measure less than 1 % of the pairs' length; coverage:")
            parts.append(text_table(["", "dead regions", "dead background", "covered", "counted"], fate_rows(table)))
    return "\n\n".join(parts)


def fate_rows(table: Mapping[str, Fate]) -> list[list[str]]:
    """Rows of text for the fates; covered and counted as start -> end."""
    return [
        [
            dataset,
            f"{fate.dead_regions:.1f}",
            f"{100 * fate.dead_background:.0f} %",
            f"{fate.covered_start:.2f} -> {fate.covered:.2f}",
            f"{fate.counted_start:.2f} -> {fate.counted:.2f}",
        ]
        for dataset, fate in table.items()
    ]


# --------------------------------------------------------------------------------------------------- plain findings


class Finding(NamedTuple):
    """One plain statement of what the experiment or the arithmetic shows, with its numbers in the text."""

    title: str
    text: str


def listed(names: Sequence[str]) -> str:
    """Names as words in a sentence.

    >>> listed(["monk1", "vote", "wdbc"]), listed([])
    ('monk1, vote and wdbc', 'none')
    """
    if len(names) < 2:
        return names[0] if names else "none"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def findings(records: Sequence[Record]) -> list[Finding]:
    """Everything the records and the paper's own numbers allow to say, in plain sentences."""
    present = set(methods_in(records))
    parts: list[tuple[set[str], Any]] = [
        ({"lmlir-fixed-rate"}, reproduction_finding),
        ({"lmlir", "euclidean"}, learning_finding),
        ({"lmlir", "global-metric", "metrics-only", "regions-only"}, regions_finding),
        ({"lmlir", "lmlir-fixed-rate"}, fates_finding),
        ({"lmlir", "lmlir-rate-0.1"}, objective_finding),
        ({"printed-E2", "printed-E3", "printed-E4", "lmlir-fixed-rate"}, mistakes_finding),
        ({"euclidean", "euclidean-standardized", "euclidean-train-part"}, preprocessing_finding),
        ({"majority", "euclidean"}, majority_finding),
        ({"euclidean", "knn-1", "knn-5", "knn-10"}, neighbours_finding),
    ]
    found = [make(records) for needed, make in parts if needed <= present]
    return [*found, noise_finding(records), arithmetic_finding()]


def reproduction_finding(records: Sequence[Record]) -> Finding:
    """How many means are within one of the paper's deviations, and on which side the others are."""
    lines = []
    for method in ("lmlir-fixed-rate", "lmlir"):
        rows = [row for row in comparison(records) if row.measured.get(method, Mean(0, 0, 0)).n]
        if rows:
            off = {row.dataset: row.deviations_off(method) for row in rows}
            near = sum(abs(value) <= 1 for value in off.values())
            above, below = [n for n in off if off[n] > 1], [n for n in off if off[n] < -1]
            lines.append(
                f"{method}: the mean is within one of the paper's standard deviations of the paper's on {near} of "
                f"{len(rows)} data sets, above that on {listed(above)}, below it on {listed(below)}."
            )
    return Finding("Does Table 5's last column reproduce?", " ".join(lines))


def learning_finding(records: Sequence[Record]) -> Finding:
    """Where learning helps."""
    found = gains(records, "lmlir", "euclidean")
    sizes = differences(records, "lmlir", "euclidean")
    helped = [f"{name} ({sizes[name].mean:+.1f})" for name in found["better"]]
    largest = max(found["neither"], key=lambda name: sizes[name].mean, default="")
    among = f" (the largest gain among them: {largest}, {sizes[largest].mean:+.1f})" if largest else ""
    return Finding(
        "Where does learning help?",
        "Against the same classifier with the Euclidean distance and nothing learned, the default learner is clearly better "
        f"on {listed(helped)}, clearly worse on {listed(found['worse'])}; on the other {len(found['neither'])} data sets the "
        f"95 % interval of the paired difference (in percentage points) holds 0{among}.",
    )


def regions_finding(records: Sequence[Record]) -> Finding:
    """Whether several local metrics do better than one, and which half of the learning matters."""
    lines = []
    for other in ("global-metric", "metrics-only", "regions-only"):
        table = {name: found for name, found in differences(records, "lmlir", other).items() if found.n}
        n = min((difference.n for difference in table.values()), default=0)
        mean = float(np.mean([difference.mean for difference in table.values()])) if table else math.nan
        line = f"Against {other}, LMLIR gains {mean:+.2f} points on average (data sets: {len(table)}, splits: {n}"
        if n < 3:
            lines.append(f"{line}, too few for intervals).")
        else:
            found = gains(records, "lmlir", other)
            lines.append(f"{line}); clearly on {listed(found['better'])}, and it loses on {listed(found['worse'])}.")
    return Finding("Do local metrics and regions matter?", " ".join(lines))


def fates_finding(records: Sequence[Record]) -> Finding:
    """Regions die or overlap."""
    lines = []
    for method in ("lmlir-fixed-rate", "lmlir"):
        table = fates(records, method)
        all_dead = [name for name, fate in table.items() if fate.dead_regions > S - 0.5]
        no_background = [name for name, fate in table.items() if fate.dead_background > 0.5]
        overlapping = [
            name for name, fate in table.items() if fate.counted > 1.05 * fate.covered and fate.covered > 0.01
        ]
        lines.append(
            f"With {method} all {S} regions end up measuring less than 1 % of the pairs' length on {listed(all_dead)}; the "
            f"background does on {listed(no_background)}; regions overlap at the end on {len(overlapping)} of {len(table)}."
        )
        cost = {name: mean.mean for name, mean in hole_cost(records, method).items() if abs(mean.mean) >= 0.5}
        holes = [f"{name} ({value:+.1f} points)" for name, value in cost.items()]
        lines.append(f"Taking the dead regions away changes its accuracy by half a point or more on {listed(holes)}.")
    start = fates(records, "lmlir").values()
    counted = [fate.counted_start for fate in start]
    lines.append(
        f"At the start the gammas of a training pair add up to {min(counted):.2f} to {max(counted):.2f} on average, and to "
        f"more than 1 on {sum(value > 1 for value in counted)} of {len(counted)} data sets: the regions overlap, where "
        "equation (9) counts the shared part once for each region."
    )
    return Finding("What becomes of the regions?", " ".join(lines))


def objective_finding(records: Sequence[Record]) -> Finding:
    """The default learner's objective against the fixed rates."""
    lower = lower_objective(records, "lmlir", "lmlir-rate-0.1")
    splits = {record["split"] for record in records if record["method"] == "lmlir-rate-0.1"}
    fixed = lower_objective(records, "lmlir", "lmlir-fixed-rate")
    rises = sum(record.get("rises", 0) for record in records if record["method"] == "lmlir")
    higher = [name for name, is_lower in lower.items() if not is_lower]
    return Finding(
        "How low does the objective get?",
        f"The default learner ends at least as low as rate 0.1 with 600 steps on {sum(lower.values())} of {len(lower)} data "
        f"sets ({len(splits)} splits; higher on {listed(higher)}), and as rate 1.0 with "
        f"60 steps on {sum(fixed.values())} of {len(fixed)}; in all "
        f"its fits the objective rose {rises} times.",
    )


def mistakes_finding(records: Sequence[Record]) -> Finding:
    """Which printed gradient mistakes can be seen where."""
    lines = [
        f"{mistake}: a clear difference in accuracy on {len(sight.accuracy)} and in the final objective on "
        f"{len(sight.objective)} of {len(datasets_in(records))} data sets, a gradient check is off by "
        f"{100 * sight.gradient_error:.0f} % of the largest entry."
        for mistake, sight in mistakes_seen(records).items()
    ]
    return Finding("Which printed mistakes can be seen?", " ".join(lines))


def preprocessing_finding(records: Sequence[Record]) -> Finding:
    """What unit length costs, and what it changes that the test part is seen."""
    cost = preprocessing_cost(records)
    clear = [f"{name} ({d.mean:+.1f} points without it)" for name, d in cost.items() if d.clear]
    peek = differences(records, "euclidean-train-part", "euclidean")
    largest = max(peek, key=lambda name: abs(peek[name].mean))
    return Finding(
        "What does the preprocessing cost?",
        f"Scaling instances to unit length makes a clear difference with nothing learned on {listed(clear)}. Mean and "
        f"deviation from the training part alone change the mean accuracy by at most {abs(peek[largest].mean):.2f} points "
        f"({largest}), clearly on {listed([name for name, d in peek.items() if d.clear])}.",
    )


def majority_finding(records: Sequence[Record]) -> Finding:
    """What the larger class scores."""
    method = "lmlir" if "lmlir" in methods_in(records) else "euclidean"
    beaten = [n for n, d in differences(records, "majority", method).items() if d.mean > 0]
    printed = {name: methods for name, methods in tables_4_and_5.below_majority().items() if "Our" in methods}
    return Finding(
        "What does the majority class score?",
        f"In Table 5 the paper's method is below the larger class on {listed(list(printed))}; here {method} is on "
        f"{listed(beaten)}. Methods of Table 5 below it anywhere: "
        + "; ".join(f"{len(methods)} of 9 on {name}" for name, methods in tables_4_and_5.below_majority().items())
        + ".",
    )


def neighbours_finding(records: Sequence[Record]) -> Finding:
    """Which plain k-NN each column of Table 5 looks like."""
    lines = []
    for column in tables_4_and_5.METHODS:
        gaps = nearest_plain_method(records, column)
        best = min(gaps, key=lambda method: gaps[method])
        lines.append(f"{column} {best} ({gaps[best]:.1f})")
    return Finding(
        "What do the compared methods look like?",
        "The plain method, measured here with nothing learned, that is nearest to each column of Table 5, with the mean "
        f"absolute difference in points: {', '.join(lines)}. How many neighbours vote explains much of the table.",
    )


def noise_finding(records: Sequence[Record], method: str = "lmlir-fixed-rate") -> Finding:
    """Diabetes and Pima, and what other splits give."""
    printed = tables_4_and_5.diabetes_minus_pima()
    text = (
        "Diabetes and Pima are one data set. In Table 5 their means differ by "
        f"{min(map(abs, printed.values())):.2f} to {max(map(abs, printed.values())):.2f} points, method by method; here they "
        "have the same splits, and so the same numbers"
    )
    spans = {name: np.ptp(means) for name in datasets_in(records) if (means := block_means(records, name, method))}
    counts = within_by_blocks(records, method)
    if len(counts) > 1:
        text += (
            f". Ten other splits move the mean of the paper's rule on Diabetes by up to {spans.get('diabetes', math.nan):.2f} "
            f"points, and on any data set by up to {max(spans.values()):.2f}; from {len(counts)} times ten splits, the number "
            f"of means within one of the paper's deviations is {listed([str(count) for count in counts])} of {len(spans)}"
        )
    return Finding("How large is the noise?", text + ".")


def arithmetic_finding() -> Finding:
    """E17 and E9."""
    cells = listed([f"{cell.dataset} {cell.mean} ({cell.method})" for cell in tables_4_and_5.impossible_means()])
    sizes = tables_4_and_5.implied_test_sizes()
    fits = {rule: sum(row[rule] for row in sizes.values()) for rule in ("floor", "ceil")}
    wins = tables_4_and_5.wins()
    large = [win.dataset for win in wins if win.lead > win.deviation]
    haberman = [tables_4_and_5.possible_means("haberman", rows) for rows in (82, 83, 123)]  # 40 % of 206, and of 306
    return Finding(
        "What does the arithmetic of Table 5 say?",
        f"No ten test parts give {cells}. Where 40 % of the rows is no whole number, {fits['ceil']} of {9 * len(sizes)} means "
        f"fit a test part rounded up and {fits['floor']} one rounded down. Haberman's nine means fit 306 rows {haberman[2]} "
        f"times and the printed 206 {max(haberman[:2])} times. Of the {len(wins)} wins {len(large)} exceed the method's own "
        f"deviation ({listed(large)}).",
    )
