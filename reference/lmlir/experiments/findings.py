"""What the experiment shows, in plain sentences with their numbers: each finding is computed from the records."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lmlir import vectorized
from lmlir.experiments.protocol import ALPHA, C, Record, S
from lmlir.experiments.statistics import (
    accuracy,
    block_means,
    comparison,
    datasets_in,
    differences,
    gain_without_dead_regions,
    gains,
    lower_objective,
    methods_in,
    region_summaries,
    within_by_blocks,
)
from lmlir.ledger import tables_4_and_5
from lmlir.scalars import Parameters


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
    """Every finding for which the records hold the methods, then those about noise and the arithmetic of Table 5."""
    present = set(methods_in(records))
    parts: list[tuple[set[str], Callable[[Sequence[Record]], Finding]]] = [
        ({"lmlir-fixed-rate"}, reproduction_finding),
        ({"lmlir", "euclidean"}, learning_finding),
        ({"lmlir", "global-metric", "metrics-only", "regions-only"}, regions_finding),
        ({"lmlir", "lmlir-fixed-rate"}, learned_regions_finding),
        ({"lmlir", "lmlir-rate-0.1"}, objective_finding),
        ({"printed-E2", "printed-E3", "printed-E4", "lmlir-fixed-rate"}, mistakes_finding),
        ({"euclidean", "euclidean-standardized", "euclidean-train-part"}, preprocessing_finding),
        ({"majority", "euclidean"}, majority_finding),
        ({"euclidean", "knn-1", "knn-5", "knn-10"}, neighbors_finding),
    ]
    found = [make(records) for needed, make in parts if needed <= present]
    return [*found, noise_finding(records), arithmetic_finding()]


def reproduction_finding(records: Sequence[Record]) -> Finding:
    """How many means are within one of the paper's deviations, and on which side the others are."""
    lines = []
    for method in ("lmlir-fixed-rate", "lmlir"):
        rows = [row for row in comparison(records) if method in row.measured and row.measured[method].n]
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
        f"95 % interval of the paired difference (in percentage points) contains 0{among}.",
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


def learned_regions_finding(records: Sequence[Record]) -> Finding:
    """How many regions are dead after learning, and how many overlap."""
    lines = []
    for method in ("lmlir-fixed-rate", "lmlir"):
        table = region_summaries(records, method)
        all_dead = [name for name, regions in table.items() if regions.dead_regions > S - 0.5]
        no_background = [name for name, regions in table.items() if regions.dead_background > 0.5]
        overlapping = sum(r.counted > 1.05 * r.covered and r.covered > 0.01 for r in table.values())
        lines.append(
            f"With {method} all {S} regions end up measuring less than 1 % of the pairs' length on {listed(all_dead)}; the "
            f"background does on {listed(no_background)}; regions overlap at the end on {overlapping} of {len(table)}."
        )
        gain = {name: mean.mean for name, mean in gain_without_dead_regions(records, method).items()}
        large = [f"{name} ({points:+.1f} points)" for name, points in gain.items() if abs(points) >= 0.5]
        lines.append(f"Taking the dead regions away changes its accuracy by half a point or more on {listed(large)}.")
    counted = [regions.counted_start for regions in region_summaries(records, "lmlir").values()]
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
    """E2, E3, E4: which of the printed gradient mistakes show in accuracy, in the objective, and in a gradient check."""
    lines = []
    for mistake in ("E2", "E3", "E4"):
        in_accuracy, in_objective = (
            sum(d.clear for d in differences(records, f"printed-{mistake}", "lmlir-fixed-rate", field).values())
            for field in ("accuracy", "objective")
        )
        lines.append(
            f"{mistake}: a clear difference in accuracy on {in_accuracy} and in the final objective on "
            f"{in_objective} of {len(datasets_in(records))} data sets, a gradient check is off by "
            f"{100 * gradient_error((mistake,)):.0f} % of the largest entry."
        )
    return Finding("Which printed mistakes can be seen?", " ".join(lines))


def preprocessing_finding(records: Sequence[Record]) -> Finding:
    """What unit length costs, and what it changes that the test part is seen."""
    cost = differences(records, "euclidean-standardized", "euclidean")
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


def neighbors_finding(records: Sequence[Record]) -> Finding:
    """Which plain k-NN each column of Table 5 looks like."""
    lines = []
    for column in tables_4_and_5.METHODS:
        gaps = plain_method_gaps(records, column)
        best = min(gaps, key=lambda method: gaps[method])
        lines.append(f"{column} {best} ({gaps[best]:.1f})")
    apart = {column: mean_squared_z(records, column, "knn-1") for column in tables_4_and_5.METHODS}
    same, *others = sorted(apart, key=lambda column: apart[column])
    return Finding(
        "What do the compared methods look like?",
        "The plain method, measured here with nothing learned, that is nearest to each column of Table 5, with the mean "
        f"absolute difference in points: {', '.join(lines)}. Near is not equal: the squared difference from 1-NN, in units of "
        f"its variance over splits, is {apart[same]:.1f} for {same} in the mean over the data sets, where about 1 is expected "
        f"of 1-NN itself, and {apart[others[0]]:.1f} ({others[0]}) or more for the other columns.",
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
        f"No ten test parts of the size that the other cells imply give {cells}. Where 40 % of the rows is no whole number, "
        f"{fits['ceil']} of {9 * len(sizes)} means fit a test part rounded up and {fits['floor']} one rounded down. Haberman's "
        f"nine means fit 306 rows {haberman[2]} times and the printed 206 {max(haberman[:2])} times. Of the {len(wins)} wins "
        f"{len(large)} exceed the method's own deviation ({listed(large)}).",
    )


# ------------------------------------------------------------------------------------------- what the findings need


def gradient_error(printed: tuple[str, ...] = (), seed: int = 0, step: float = 1e-6) -> float:
    """The largest difference between the gradient of g (with mistakes as printed) and central differences of g.

    On a random problem in the plane with two balls, relative to the largest entry of the true gradient; metrics are moved
    on their diagonals only.

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
    """Mean over the data sets of (measured - printed)^2 / (variance of either mean): about 1 for one method, other splits.

    Splits are drawn independently, so a mean of n of them has the variance of one divided by n. Pima is left out (E10).
    """
    squares = []
    for name in datasets_in(records):
        if name != "pima":
            measured, deviation = accuracy(records, name, method), tables_4_and_5.printed_deviation(name, column)
            variance = measured.deviation**2 / measured.n + deviation**2 / tables_4_and_5.REPEATS
            squares.append((measured.mean - tables_4_and_5.printed_mean(name, column)) ** 2 / variance)
    return float(np.mean(squares))


def plain_method_gaps(records: Sequence[Record], column: str) -> dict[str, float]:
    """Mean absolute difference between a column of Table 5 and each plain method as measured here."""
    table = {}
    for method in ("knn-1", "knn-5", "knn-10", "euclidean"):
        printed = {name: tables_4_and_5.printed_mean(name, column) for name in datasets_in(records)}
        table[method] = float(np.mean([abs(accuracy(records, name, method).mean - printed[name]) for name in printed]))
    return table
