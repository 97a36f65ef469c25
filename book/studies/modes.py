r"""Data with several modes: where regions help, and where they do not.

A mode is a cloud of instances around a center. Within mode m the classes differ along one direction
$u_m$ of its own and in nothing else: $x = c_m + z$, where z is standard normal across $u_m$, and
along it lies in one of several bands, one apart, whose classes alternate. Directions are random,
not parallel to the axes. A metric that is strict along $u_m$ only is right for mode m and wrong for
the others, which is what local metrics are for.

`separation` is the dial: the smallest distance between two centers, in deviations of a cloud.
`study` compares methods on a grid of such data, and the rest of the module makes tables and a
figure of its records. Every method sees the same features, standardized on the training part;
nothing is scaled to unit length, which would fold modes onto each other.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from scipy.spatial.distance import cdist, pdist

from lmlir.experiments.protocol import (
    FloatArray,
    IntArray,
    K,
    Part,
    Record,
    euclidean,
    nearest_neighbors,
    predictions,
    standardized,
)
from lmlir.experiments.statistics import Difference, mean_of, t_interval
from lmlir.experiments.tables import difference_cell
from lmlir.learning import learn

from .results import RESULTS, read_lines, write_lines

OUT = RESULTS / "modes.jsonl"
NOISE = 0.2  # the deviation within a band
CANDIDATES = 50  # drawn for each center; the best spread ones are kept
MODES = (2, 4, 8)
FEATURES = (2, 10, 20)
SEPARATIONS = (3.0, 8.0)
N_BANDS = (2, 4)
SEEDS = range(8)
FEW_SEEDS = range(3)  # of the larger problems
LARGE = 40  # modes times features above which fits take long, see `seeds_of`
N_TRAIN = 200
N_TEST = 1000
LEVEL = 0.95  # of an interval, or of all of them together


class Modes(NamedTuple):
    """A problem with several modes: their centers (M, F), informative directions (M, F) of length
    1, and bands.
    """

    centers: FloatArray
    directions: FloatArray
    bands: FloatArray

    def draw(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
        """n instances and their classes, 0 or 1; all modes have the same chance, and all bands."""
        mode = rng.integers(len(self.centers), size=n)
        band = rng.integers(len(self.bands), size=n)
        z = rng.normal(size=(n, self.centers.shape[1]))
        u = self.directions[mode]
        along = np.einsum("nf,nf->n", z, u)
        z += (self.bands[band] + (NOISE - 1) * along)[:, None] * u
        return self.centers[mode] + z, band % 2

    def best_classes(self, X: FloatArray) -> IntArray:
        """The more likely class of each instance, given all of the above: no classifier is right
        more often.
        """
        likelihoods = [np.zeros(len(X)), np.zeros(len(X))]
        for center, u in zip(self.centers, self.directions, strict=True):
            offset = X - center
            along = offset @ u
            across = np.exp(-(np.sum(offset**2, axis=1) - along**2) / 2)
            for number, band in enumerate(self.bands):
                likelihoods[number % 2] += across * np.exp(-(((along - band) / NOISE) ** 2) / 2)
        return np.asarray(likelihoods[1] > likelihoods[0]).astype(np.int64)


def modes(n_modes: int, n_features: int, separation: float, seed: int, n_bands: int = 2) -> Modes:
    r"""A problem of two to eight modes in 2 to 20 features; the same seed gives the same problem.

    Centers: of many normal candidates the best spread ones, scaled until the two nearest are
    `separation` apart. Directions: rows of random orthogonal matrices, so that up to n_features
    modes have directions at right angles. With two bands a plane divides the classes of a mode;
    more are stripes.

    >>> problem = modes(2, 10, separation=4.0, seed=0)
    >>> round(float(np.linalg.norm(problem.centers[0] - problem.centers[1])), 12)
    4.0
    >>> round(abs(float(problem.directions[0] @ problem.directions[1])), 12)
    0.0
    """
    for name, value in (("n_modes", n_modes), ("n_features", n_features), ("n_bands", n_bands)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 2:
            raise ValueError(f"{name} must be a whole number from 2, got {name}={value}")
    if not (np.isfinite(separation) and separation >= 0):
        raise ValueError(f"separation must be a finite number from 0, got separation={separation}")
    rng = np.random.default_rng([seed, n_modes, n_features])
    centers = best_spread(rng.normal(size=(CANDIDATES * n_modes, n_features)), n_modes)
    bases = [
        np.linalg.qr(rng.normal(size=(n_features, n_features)))[0].T
        for _ in range(-(-n_modes // n_features))
    ]
    bands = np.linspace(-(n_bands - 1) / 2, (n_bands - 1) / 2, n_bands)
    return Modes(
        centers * separation / pdist(centers).min(), np.concatenate(bases)[:n_modes], bands
    )


def best_spread(candidates: FloatArray, n: int) -> FloatArray:
    """n of the candidates: the first, then again and again the one that is farthest from all
    chosen.

    >>> best_spread(np.array([[0.0], [1.0], [9.0], [5.0]]), 3).ravel()
    array([0., 9., 5.])
    """
    chosen = [0]
    while len(chosen) < n:
        chosen.append(int(cdist(candidates, candidates[chosen]).min(axis=1).argmax()))
    return candidates[chosen]


# ---------------------------------------------------------------------------------------- the study


Predict = Callable[[Part, int, int], IntArray]


def learned(n_passes: int, regions: int | None = None) -> Predict:
    """LMLIR with the default rule; as many regions as there are modes unless a number is given."""

    def predict(part: Part, n_modes: int, seed: int) -> IntArray:
        S = n_modes if regions is None else regions
        fit = learn(
            part.X_train, part.y_train, n_regions=S, n_neighbors=K, n_passes=n_passes, seed=seed
        )
        return predictions(part, fit.parameters)

    return predict


def nca(part: Part, n_modes: int, seed: int) -> IntArray:
    """NCA, then equation (10) in the transformed features."""
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    model = NeighborhoodComponentsAnalysis(random_state=seed).fit(part.X_train, part.y_train)
    moved = part._replace(
        X_train=model.transform(part.X_train), X_test=model.transform(part.X_test)
    )
    return euclidean(moved, seed)[0]


def svm(part: Part, n_modes: int, seed: int) -> IntArray:
    """An SVM with an RBF kernel; C and width by threefold cross-validation on the training part."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    scale = 1 / part.X_train.shape[1]
    grid = {"C": [1.0, 10.0, 100.0], "gamma": [0.1 * scale, 0.3 * scale, scale, 3 * scale]}
    return np.asarray(
        GridSearchCV(SVC(), grid, cv=3).fit(part.X_train, part.y_train).predict(part.X_test)
    )


def forest(part: Part, n_modes: int, seed: int) -> IntArray:
    """A random forest, scikit-learn's defaults."""
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(random_state=seed).fit(part.X_train, part.y_train)
    return np.asarray(model.predict(part.X_test))


PREDICTORS: dict[str, Predict] = {
    "regions": learned(1),
    "regions, 3 passes": learned(3),
    "global": learned(1, regions=0),
    "global, 3 passes": learned(3, regions=0),
    "nca": nca,
    "nca, k-nn": lambda part, n_modes, seed: nearest_neighbors(K, transform=True)(part, seed)[0],
    "svm": svm,
    "forest": forest,
    "euclidean": lambda part, n_modes, seed: euclidean(part, seed)[0],
}
OTHERS = ("global", "global, 3 passes", "nca", "nca, k-nn", "svm", "forest")


def drawn_part(problem: Modes, seed: int) -> tuple[Part, FloatArray]:
    """A training and a test part, standardized on the training part; and the test part as it was
    drawn.
    """
    rng = np.random.default_rng([seed, 1])
    (X, y), (Z, t) = problem.draw(N_TRAIN, rng), problem.draw(N_TEST, rng)
    return Part(standardized(X), 2 * y - 1, standardized(Z, X), 2 * t - 1), Z


def records_of(
    n_modes: int, n_features: int, separation: float, seed: int, n_bands: int = 2
) -> Iterator[Record]:
    """One record for each method on one problem, and one for the best possible classifier."""
    problem = modes(n_modes, n_features, separation, seed, n_bands)
    part, Z = drawn_part(problem, seed)
    facts = {
        "bands": n_bands,
        "modes": n_modes,
        "features": n_features,
        "separation": separation,
        "seed": seed,
    }
    best = 2 * problem.best_classes(Z) - 1
    yield {**facts, "method": "best possible", "accuracy": float(np.mean(best == part.y_test))}
    for method, predict in PREDICTORS.items():
        start = time.process_time()
        predicted = predict(part, n_modes, seed)
        used = round(time.process_time() - start, 3)
        yield {
            **facts,
            "method": method,
            "accuracy": float(np.mean(predicted == part.y_test)),
            "seconds": used,
        }


def seeds_of(n_bands: int, n_modes: int, n_features: int) -> range:
    """The seeds of one kind of data: few for four bands, and where modes times features is large
    and fits take long.
    """
    return SEEDS if n_bands == 2 and n_modes * n_features <= LARGE else FEW_SEEDS


def study(progress: Callable[[str], None] = print) -> Iterator[Record]:
    """Yield the records of the whole grid."""
    for n_bands, n_modes, n_features, separation in itertools.product(
        N_BANDS, MODES, FEATURES, SEPARATIONS
    ):
        start = time.process_time()
        cell = (n_modes, n_features, separation)
        for seed in seeds_of(n_bands, n_modes, n_features):
            yield from records_of(*cell, seed, n_bands)
        progress(
            f"{n_bands} bands, {cell_words(cell)}: {time.process_time() - start:.0f} processor "
            "seconds"
        )


# -------------------------------------------------------------------------------- tables and figure


Cell = tuple[int, int, float]


def read_records(path: str | Path, n_bands: int = 2) -> list[Record]:
    """Return the records of a results file for data with `n_bands` bands."""
    return [record for record in read_lines(path) if record["bands"] == n_bands]


def cells_in(records: Sequence[Record]) -> list[Cell]:
    """Modes, features and separation of the records, in order."""
    return sorted({(r["modes"], r["features"], r["separation"]) for r in records})


def accuracies(records: Sequence[Record], cell: Cell, method: str) -> FloatArray:
    """The accuracies of a method on one kind of data, in percent, by seed."""
    chosen = [
        r
        for r in records
        if (r["modes"], r["features"], r["separation"]) == cell and r["method"] == method
    ]
    return 100 * np.array([r["accuracy"] for r in sorted(chosen, key=lambda r: r["seed"])])


def difference(
    records: Sequence[Record], cell: Cell, method: str, other: str, comparisons: int = 1
) -> Difference:
    """Method minus other on the same seeds, with a t interval of level 0.95, corrected by
    Bonferroni for several comparisons.

    >>> records = [
    ...     {"modes": 2, "features": 2, "separation": 1.0, "seed": s, "method": m, "accuracy": a}
    ...     for s, both in enumerate([(0.9, 0.8), (0.8, 0.7), (0.9, 0.7)])
    ...     for m, a in zip("ab", both)
    ... ]
    >>> [round(x, 2) for x in difference(records, (2, 2, 1.0), "a", "b")[:3]]
    [13.33, -1.01, 27.68]
    """
    mean, deviation, n = mean_of(
        accuracies(records, cell, method) - accuracies(records, cell, other)
    )
    if n < 2:
        return Difference(mean, math.nan, math.nan, n)
    return t_interval(mean, deviation / math.sqrt(n), n, 1 - (1 - LEVEL) / comparisons)


def differences(
    records: Sequence[Record], method: str, rivals: Sequence[str] = OTHERS, together: bool = False
) -> dict[tuple[Cell, str], Difference]:
    """A method against rivals on all kinds of data: intervals of level 0.95, each for itself or all
    `together`.
    """
    compared = list(itertools.product(cells_in(records), rivals))
    comparisons = sum(cell[0] * cell[1] <= LARGE for cell, _ in compared) if together else 1
    return {
        (cell, rival): difference(records, cell, method, rival, comparisons)
        for cell, rival in compared
    }


def cell_words(cell: Cell) -> str:
    """Describe one kind of data.

    >>> cell_words((2, 10, 8.0))
    '2 modes, 10 features, 8 apart'
    """
    return f"{cell[0]} modes, {cell[1]} features, {cell[2]:g} apart"


def accuracy_table(
    records: Sequence[Record], methods: Sequence[str] = ()
) -> tuple[list[str], list[list[str]]]:
    """The mean accuracy of every method on every kind of data, in percent."""
    chosen = list(methods) or ["best possible", *PREDICTORS]
    body = [
        [cell_words(cell), *(f"{accuracies(records, cell, m).mean():.1f}" for m in chosen)]
        for cell in cells_in(records)
    ]
    return ["", *chosen], body


def difference_table(
    records: Sequence[Record], method: str, rivals: Sequence[str] = OTHERS
) -> tuple[list[str], list[list[str]]]:
    """Method minus each rival, in percentage points with its interval; ! where that excludes 0."""
    found = differences(records, method, rivals)
    body = []
    for cell in cells_in(records):
        body.append(
            [cell_words(cell), *(difference_cell(found[cell, rival], digits=1) for rival in rivals)]
        )
    return ["", *(f"- {rival}" for rival in rivals)], body


def counts(
    records: Sequence[Record],
    method: str,
    rival: str,
    among: Sequence[str] = OTHERS,
    together: bool = False,
) -> tuple[int, int, int]:
    """On how many kinds of data the method is clearly better than a rival, clearly worse, and
    neither.
    """
    found = [
        d for (_, name), d in differences(records, method, among, together).items() if name == rival
    ]
    better = sum(d.low > 0 for d in found)
    worse = sum(d.high < 0 for d in found)
    return better, worse, len(found) - better - worse


def difference_figure(
    records: Sequence[Record], method: str, rivals: Sequence[str] = OTHERS
) -> Figure:
    """Method minus each rival as a map of kinds of data, in points; bold with a frame where the
    interval excludes 0.
    """
    found = differences(records, method, rivals)
    cells = cells_in(records)
    names = (
        sorted({m for m, _, _ in cells}),
        sorted({f for _, f, _ in cells}),
        sorted({s for _, _, s in cells}),
    )
    columns = list(itertools.product(names[2], names[1]))
    height = -(-len(rivals) // 2)
    figure = Figure(
        figsize=(8.2, 0.75 + height * (0.75 + 0.36 * len(names[0]))), layout="constrained"
    )
    for axes, rival in zip(figure.subplots(height, 2, squeeze=False).flat, rivals, strict=False):
        grid = [[found[(m, f, s), rival] for s, f in columns] for m in names[0]]
        axes.imshow(
            [[d.mean for d in row] for row in grid], cmap="PuOr_r", vmin=-25, vmax=25, aspect="auto"
        )
        for (i, row), (j, d) in itertools.product(enumerate(grid), enumerate(grid[0])):
            d = row[j]
            axes.text(
                j,
                i,
                f"{d.mean:+.1f}",
                ha="center",
                va="center",
                fontsize=8.5,
                weight="bold" if d.clear else "normal",
                color="white" if abs(d.mean) > 13 else "#22262c",
                bbox={
                    "boxstyle": "round,pad=0.25",
                    "facecolor": "none",
                    "edgecolor": "#22262c" if d.clear else "none",
                },
            )
        axes.set_xticks(range(len(columns)), [f"{f}" for _, f in columns], fontsize=8.5)
        axes.set_yticks(range(len(names[0])), [f"{m} modes" for m in names[0]], fontsize=8.5)
        axes.set_title(f"minus {rival}", fontsize=10)
        axes.axvline(len(names[1]) - 0.5, color="white", linewidth=3)
        words = "      |      ".join(f"features, modes {s:g} apart" for s in names[2])
        axes.set_xlabel(words, fontsize=8.5)
    return figure


def run(options: argparse.Namespace) -> None:
    """Run the study and write one record per line."""
    write_lines(options.out, (json.dumps(record, separators=(",", ":")) for record in study()))
