"""Table 5, run again, in three views, and the statistics that compare the methods.

The views are those of one run. *As the paper ran them*: every rival with the number of neighbors of
its own program. *One classifier for all*: the same learned distances under equation (10) with K =
10. *On equal terms*: the number of neighbors and all parameters are tuned inside the training part,
and classifiers that users pick are added. Accuracies are in percent.

* Friedman's test on mean ranks, and Nemenyi's critical difference after it, are in
  `lmlir.ledger.ranks`;
* Holm's step-down correction for many tests (Scandinavian Journal of Statistics 6, 1979);
* the Bayesian signed rank test with a region of practical equivalence (Benavoli, Corani, Demsar,
  Zaffalon, JMLR 18, 2017).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from lmlir.experiments import comparison
from lmlir.experiments.comparison import SET_UPS, Scores, agreement, column, sets_with
from lmlir.experiments.protocol import FloatArray, Record
from lmlir.experiments.rivals.users import USERS
from lmlir.experiments.statistics import Difference, difference_of, mean_of
from lmlir.experiments.tables import Table, cell
from lmlir.ledger.ranks import Friedman, friedman
from lmlir.ledger.tables_4_and_5 import PRINTED, majority_share, sizes

Key = TypeVar("Key", bound=Hashable)

LEVEL = 0.05
ROPE = 1.0  # two methods within one percentage point are practically equivalent
PRIOR = 0.5  # weight of the prior observation "no difference" against 1 for each data set
SAMPLES = 50_000

AS_RUN: tuple[str, ...] = tuple(set_up.method for set_up in SET_UPS.values())
# the rivals as published, without faults
METRIC_LEARNERS = tuple(name.lower() for name in SET_UPS if name != "Our")
ONE_CLASSIFIER = (*METRIC_LEARNERS, "euclidean", "lmlir-fixed-rate", "lmlir")
CLASSIFIERS = ("logistic", "svm", "forest", "boosting", "knn")
FAIR = (*METRIC_LEARNERS, "lmlir-tuned", *CLASSIFIERS)
TITLES = {
    **{method: method.upper() for method in METRIC_LEARNERS},
    "itml-inverted": "ITML inverted",
    "mcml-rotation": "MCML rotation",
    "euclidean": "nothing learned",
    "lmlir-fixed-rate": "LMLIR fixed rate",
    "lmlir": "LMLIR",
    "lmlir-tuned": "LMLIR",
    **{"logistic": "logistic regression", "svm": "RBF-SVM", "forest": "random forest"},
    **{"boosting": "gradient boosting", "knn": "k-NN"},
}

# their own classifier is that of equation (10)
BY_EQUATION_10 = ("euclidean", "lmlir", "lmlir-fixed-rate")


def scores(records: Iterable[Record], view: str) -> Scores:
    """The accuracies of a view in percent, by data set and method, then by split."""
    seen = []
    for record in records:
        value = score(record, view)
        if value is not None:
            seen.append({**record, "accuracy": value})
    return comparison.scores(seen)


def score(record: Record, view: str) -> float | None:
    """The accuracy of a record in a view ("native", "eq10", "fair" or a number of neighbors), where
    it has one.

    >>> score(
    ...     {"method": "lmnn", "accuracy": 0.7, "accuracy_k": {"1": 0.7, "5": 0.8}, "fair": 0.9},
    ...     "5",
    ... )
    0.8
    """
    if view == "native":
        return float(record["accuracy"])
    with_one_accuracy: tuple[str, ...] = ()
    if view == "eq10":
        value = record.get("accuracy_eq10")
        with_one_accuracy = BY_EQUATION_10
    elif view == "fair":
        value = record.get("fair")
        with_one_accuracy = (*USERS, "lmlir-tuned")
    else:
        value = record.get("accuracy_k", {}).get(view)
    if value is None and record["method"] in with_one_accuracy:
        value = record["accuracy"]
    return None if value is None else float(value)


def means(table: Scores, methods: Sequence[str]) -> FloatArray:
    """Return mean accuracies, one row per data set on which all methods were run and one column per
    method.

    Rounded to six digits, so that methods with equally many right answers are equal, however these
    fall on the splits.
    """
    rows = [
        [mean_of(table[dataset, m].values()).mean for m in methods]
        for dataset in sets_with(table, methods)
    ]
    return np.round(np.array(rows, dtype=float).reshape(-1, len(methods)), 6)


# -------------------------------------------------------------------------------------------- ranks


def ranked(table: Scores, methods: Sequence[str]) -> Friedman:
    """Friedman's test on the mean accuracies, over the data sets on which all methods were run."""
    return friedman(means(table, methods))


def groups(mean_ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """The bars of a critical-difference diagram: first and last place, counted from 0, of methods
    that do not differ clearly.

    Only the longest are kept, and no single method is a group.

    >>> groups([1.0, 3.0, 1.5, 4.0], 1.6)  # in order 1, 1.5, 3, 4
    [(0, 1), (1, 2), (2, 3)]
    """
    ordered = sorted(mean_ranks)
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ordered):
        last = max(place for place, other in enumerate(ordered) if other - rank <= difference)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


# --------------------------------------------------------------------------------------- many tests


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Holm's adjusted p values: rejecting those below the level keeps the chance of any false
    rejection below it.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none is smaller than the one
    before it.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'c': 0.06, 'b': 0.06}
    """
    adjusted: dict[Key, float] = {}
    largest = 0.0
    for place, key in enumerate(sorted(p_values, key=lambda key: p_values[key])):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[key]))
        adjusted[key] = largest
    return adjusted


def against(table: Scores, method: str, others: Sequence[str]) -> dict[tuple[str, str], Difference]:
    """Method minus each other on each data set, with p values corrected by Holm over all of them
    together.
    """
    found = {
        (other, dataset): difference_of(table[dataset, method], table[dataset, other], dataset)
        for other in others
        for dataset in sets_with(table, [method, other])
    }
    adjusted = holm({key: difference.p for key, difference in found.items()})
    return {key: difference._replace(p=adjusted[key]) for key, difference in found.items()}


def decided(
    differences: Mapping[tuple[str, str], Difference], other: str, level: float = 0.05
) -> dict[str, list[str]]:
    """The data sets on which the method is better or worse than another, after Holm's
    correction.
    """
    rows = {
        dataset: d for (name, dataset), d in differences.items() if name == other and d.p < level
    }
    return {
        "better": [dataset for dataset, d in rows.items() if d.mean > 0],
        "worse": [dataset for dataset, d in rows.items() if d.mean < 0],
    }


# ------------------------------------------------------------------------------- two methods, Bayes


class Posterior(NamedTuple):
    """How probable it is that the first method is worse, equivalent or better, and a bound on the
    Monte Carlo error.
    """

    worse: float
    equivalent: float
    better: float
    error: float


def signed_rank(
    differences: ArrayLike, rope: float = ROPE, samples: int = SAMPLES, seed: int = 0
) -> Posterior:
    """The Bayesian signed rank test: of two data sets drawn at random, on which side of the rope is
    the mean difference?

    `differences` has one mean difference a data set, first method minus second. The data sets have
    Dirichlet weights, one prior observation 0 among them; the answer is how often each of the three
    sides has the largest share.
    """
    z = np.concatenate([[0.0], np.asarray(differences, dtype=float)])
    means = (z[:, None] + z[None, :]) / 2
    weights = np.random.default_rng(seed).dirichlet([PRIOR, *[1.0] * (len(z) - 1)], size=samples)
    sides = [means < -rope, np.abs(means) <= rope, means > rope]
    shares = np.stack(
        [
            np.einsum("si,ij,sj->s", weights, side.astype(float), weights, optimize=True)
            for side in sides
        ]
    )
    worse, equivalent, better = (float(np.mean(shares.argmax(axis=0) == side)) for side in range(3))
    return Posterior(worse, equivalent, better, error=0.5 / math.sqrt(samples))


def posterior(table: Scores, method: str, other: str) -> Posterior:
    """The Bayesian signed rank of method against other, with a rope of one point."""
    one, two = means(table, [method, other]).T
    return signed_rank(one - two)


# ------------------------------------------------------------------------------------------- tables


def table_4() -> Table:
    """Table 4: the sizes of the data sets, the printed ones beside the true ones where they differ
    (E9).

    >>> table_4()[1][5]
    ['haberman', '306 (printed: 206)', '81, 225 (printed: 81, 125)', '3', '73.53']
    """
    body = []
    for dataset, printed in PRINTED["table_4"].items():
        texts = [
            [str(rows), f"{one}, {two}", str(features)]
            for rows, one, two, features in (sizes(dataset), printed)
        ]
        cells = [
            true if true == wrong else f"{true} (printed: {wrong})"
            for true, wrong in zip(*texts, strict=True)
        ]
        body.append([dataset, *cells, f"{majority_share(dataset):.2f}"])
    return ["", "instances", "classes", "features", "larger class"], body


def reproduction_table(results: Scores) -> Table:
    """Table 5 as printed and as measured, and the difference z in printed deviations: three lines
    per data set.
    """
    names = [name for name, set_up in SET_UPS.items() if sets_with(results, [set_up.method])]
    lines: dict[str, list[list[str]]] = {}
    for name in names:
        for found in column(results, name):
            three = lines.setdefault(found.dataset, [[], [], []])
            for line, text in zip(
                three, (cell(found.printed), cell(found.measured), f"{found.z:+.2f}"), strict=True
            ):
                line.append(text)
    body = [
        [label, *line]
        for dataset, three in lines.items()
        for label, line in zip((f"{dataset}, printed", "measured", "z"), three, strict=True)
    ]
    return ["", *names], body


def neighbors_table(by_k: Mapping[int, Scores]) -> Table:
    """How many means of each rival's column come out within one deviation when k neighbors vote; *
    marks the k taken.
    """
    body = []
    for name, set_up in SET_UPS.items():
        if name != "Our":
            counts = {k: agreement(results, name) for k, results in by_k.items()}
            body.append(
                [name, *(f"{found.within}{'*' * (k == set_up.k)}" for k, found in counts.items())]
            )
    return ["", *(f"k = {k}" for k in by_k)], body


def view_table(results: Scores, methods: Sequence[str]) -> Table:
    """Mean and deviation of each method on each data set, then the mean over the data sets and the
    mean rank.
    """
    sets = sets_with(results, methods)
    body = [
        [dataset, *(cell(mean_of(results[dataset, m].values())) for m in methods)]
        for dataset in sets
    ]
    body.append(["mean", *(f"{mean:.2f}" for mean in means(results, methods).mean(axis=0))])
    body.append(["mean rank", *(f"{rank:.2f}" for rank in ranked(results, methods).mean_ranks)])
    return ["", *(TITLES[m] for m in methods)], body


def duel_table(results: Scores, method: str, others: Sequence[str]) -> Table:
    """A method against each other: mean difference in points, data sets decided after Holm, and the
    signed rank in percent.
    """
    differences = against(results, method, others)
    body = []
    for other in others:
        mean = (means(results, [method]) - means(results, [other])).mean()
        won = decided(differences, other)
        chances = [f"{100 * share:.0f}" for share in posterior(results, method, other)[:3]]
        body.append(
            [
                TITLES[other],
                f"{mean:+.2f}",
                *(", ".join(won[side]) or "-" for side in ("better", "worse")),
                *chances,
            ]
        )
    return ["", "points", "better on", "worse on", "P(worse)", "P(equivalent)", "P(better)"], body
