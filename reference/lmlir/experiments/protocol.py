"""The protocol of the paper's section 6: preprocessing, splits, and the methods that are compared.

A task is one (data set, split, method); `run_task` does it and returns one record, a flat
dictionary that goes into the results file as one line. A record depends on nothing but the data,
the seed and the settings, so tasks can run in any order and anywhere.
"""

from __future__ import annotations

import contextlib
import datetime
import importlib.metadata
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lmlir import __version__, learning, vectorized
from lmlir.experiments.rivals.catalog import RIVALS
from lmlir.experiments.rivals.own import measured_lmlir
from lmlir.experiments.rivals.tuning import kept_values, measured_rival
from lmlir.experiments.rivals.users import USERS, measured_user
from lmlir.scalars import Parameters

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Record = dict[str, Any]

K = 10  # neighbors of the classifier, and of the pairs (choice C5)
ALPHA = 0.1
C = 0.5
S = 4
N_SPLITS = 10
TRACE_POINTS = 40  # of the objective, kept in the record of the first split


class Settings(NamedTuple):
    """What a run is free to choose; everything else is the paper's."""

    seed: int = 0
    # or "train": mean and deviation of the training part only (choice C10)
    preprocessing: str = "all"
    methods: tuple[str, ...] = ()
    splits: int = N_SPLITS
    tune: bool = False  # also where tuned values are kept


class Part(NamedTuple):
    """One split, preprocessed; labels are -1 and +1."""

    X_train: FloatArray
    y_train: IntArray
    X_test: FloatArray
    y_test: IntArray


# arguments: part, seed and, if tuned, the kept values or None
Predict = Callable[..., tuple[IntArray, Record]]


@dataclass(frozen=True)
class Method:
    """A method of the comparison: a description, how it predicts, its rough cost, and whether a run
    includes it by default.

    A `tuned` method chooses parameters inside the training part; its seed is the split's.
    """

    name: str
    words: str
    predict: Predict
    cost: float = 1.0
    default: bool = True
    unit_length: bool = True
    fitted_on: str = ""
    tuned: bool = False


# ------------------------------------------------------------------------- preprocessing and splits


def standardized(X: FloatArray, fitted_on: FloatArray | None = None) -> FloatArray:
    """Section 6: minus the mean, divided by the standard deviation, column by column; a constant
    column becomes 0.

    >>> standardized(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    base = X if fitted_on is None else fitted_on
    scale = base.std(axis=0)
    scale[scale == 0] = 1.0
    return (X - base.mean(axis=0)) / scale


def unit_length(X: FloatArray) -> FloatArray:
    """Section 6: each instance divided by its length; an instance of length 0 is not changed.

    >>> unit_length(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths == 0, 1.0, lengths)


def split_rows(n: int, split: int, seed: int = 0) -> tuple[IntArray, IntArray]:
    """Choice C11: scikit-learn's plain random 60/40 split, random_state 1000 seed + split.

    Training rows, then test rows.

    The test part has ceil(0.4 n) rows (E17).

    >>> [len(rows) for rows in split_rows(683, 0)]
    [409, 274]
    """
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(np.arange(n), test_size=0.4, random_state=1000 * seed + split)
    return np.sort(train), np.sort(test)


def prepared(
    X: FloatArray, y: IntArray, rows: tuple[IntArray, IntArray], fitted_on: str, unit: bool = True
) -> Part:
    """One split after the preprocessing of section 6, fitted on "all" rows or on the "train"
    part.
    """
    if fitted_on not in ("all", "train"):
        raise ValueError(f"preprocessing must be 'all' or 'train', got {fitted_on!r}")
    train, test = rows
    Z = standardized(X, X[train] if fitted_on == "train" else None)
    if unit:
        Z = unit_length(Z)
    signs = np.where(y == 1, 1, -1)
    return Part(Z[train], signs[train], Z[test], signs[test])


# ------------------------------------------------------------------------------------------ methods


def predictions(part: Part, Theta: Parameters) -> IntArray:
    """Equation (10) with K = 10 on the test part; f = 0 is the negative class (choice C9)."""
    X_minus = part.X_train[part.y_train < 0]
    X_plus = part.X_train[part.y_train > 0]
    f = vectorized.decision_values(part.X_test, X_minus, X_plus, K, *Theta)
    return np.where(f > 0, 1, -1)


def majority(part: Part, seed: int) -> tuple[IntArray, Record]:
    """The larger class of the training part for every test instance; the negative one when both are
    equal.
    """
    sign = 1 if np.sum(part.y_train) > 0 else -1
    return np.full(len(part.y_test), sign), {}


def euclidean_parameters(F: int) -> Parameters:
    """No regions and the identity: equation (9) is the Euclidean distance."""
    return learning.parameter_arrays(Parameters([], [], [], np.eye(F).tolist()))


def euclidean(part: Part, seed: int) -> tuple[IntArray, Record]:
    """The paper's classifier with the Euclidean distance and nothing learned."""
    return predictions(part, euclidean_parameters(part.X_train.shape[1])), {}


def nearest_neighbors(
    k: int, transform: bool = False
) -> Callable[[Part, int], tuple[IntArray, Record]]:
    """Plain k-NN of scikit-learn, after its neighborhood components analysis if `transform`."""

    def predict(part: Part, seed: int) -> tuple[IntArray, Record]:
        from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
        from sklearn.pipeline import make_pipeline

        model = KNeighborsClassifier(n_neighbors=k)
        if transform:
            model = make_pipeline(NeighborhoodComponentsAnalysis(random_state=seed), model)
        model.fit(part.X_train, part.y_train)
        return model.predict(part.X_test), {}

    return predict


def learned(**options: Any) -> Callable[[Part, int], tuple[IntArray, Record]]:
    """The paper's method: learn on the training part with these options, then equation (10) on the
    test part.
    """

    def predict(part: Part, seed: int) -> tuple[IntArray, Record]:
        arguments = {
            "n_regions": S,
            "n_neighbors": K,
            "alpha": ALPHA,
            "C": C,
            "seed": seed,
            **options,
        }
        fit = learning.learn(part.X_train, part.y_train, **arguments)
        return predictions(part, fit.parameters), fit_record(part, fit)

    return predict


FIXED: dict[str, Any] = {
    "rule": "fixed",
    "learning_rate": learning.FIXED_RATE,
    "n_steps": learning.FIXED_STEPS,
}

METHODS = {
    method.name: method
    for method in [
        Method("majority", "the larger class", majority, 0.01),
        Method("euclidean", "equation (10), Euclidean distance, nothing learned", euclidean, 0.1),
        Method(
            "euclidean-standardized",
            "the same without unit length",
            euclidean,
            0.1,
            unit_length=False,
        ),
        Method(
            "euclidean-train-part",
            "the same, preprocessed on the training part",
            euclidean,
            0.1,
            fitted_on="train",
        ),
        Method("knn-1", "1-NN", nearest_neighbors(1), 0.05),
        Method("knn-5", "5-NN", nearest_neighbors(5), 0.05),
        Method("knn-10", "10-NN", nearest_neighbors(10), 0.05),
        Method("nca-knn", "NCA, then 10-NN", nearest_neighbors(10, transform=True), 5),
        Method("lmlir-fixed-rate", "LMLIR, rate 1.0, 60 steps", learned(**FIXED), 4),
        Method("printed-E2", "fixed rate, E2 as printed", learned(**FIXED, printed=("E2",)), 4),
        Method("printed-E3", "fixed rate, E3 as printed", learned(**FIXED, printed=("E3",)), 4),
        Method("printed-E4", "fixed rate, E4 as printed", learned(**FIXED, printed=("E4",)), 4),
        Method("lmlir", "LMLIR, the default learner", learned(), 2),
        Method("lmlir-3-passes", "the same, pairs chosen three times", learned(n_passes=3), 4),
        Method("global-metric", "one metric, no regions", learned(n_regions=0), 1),
        Method("metrics-only", "regions stay where they start", learned(free=("metrics",)), 2),
        Method("regions-only", "metrics stay as they start", learned(free=("centers", "radii")), 2),
        Method(
            "lmlir-rate-0.1",
            "rate 0.1, 600 steps",
            learned(rule="fixed", learning_rate=0.1, n_steps=600),
            cost=40,
            default=False,
        ),
        *(
            Method(
                name,
                user.words,
                partial(measured_user, name),
                cost=user.cost,
                default=False,
                unit_length=False,
                fitted_on="train",
                tuned=True,
            )
            for name, user in USERS.items()
        ),
        *(
            Method(
                name,
                rival.words,
                partial(measured_rival, rival),
                cost=rival.cost,
                default=False,
                tuned=True,
            )
            for name, rival in RIVALS.items()
        ),
        Method(
            "lmlir-tuned",
            "LMLIR, S and K tuned",
            measured_lmlir,
            cost=8,
            default=False,
            tuned=True,
        ),
    ]
}
"""The methods by name: those of a run by default, the cheap ones first; then users' classifiers,
rivals and tuned LMLIR.
"""


# --------------------------------------------------------------------------------- what was learned


def fit_record(part: Part, fit: learning.Learned) -> Record:
    """Return what a record keeps of a fit: objective, steps, and where length is measured before
    and after.

    `accuracy_without_dead` is the accuracy without the dead regions. No training pair meets them,
    but segments between distant points may, and a region with metric 0 adds nothing to the length
    of a segment through it.
    """
    report = fit.report()
    Theta = fit.parameters
    pairs = np.concatenate([fit.similar, fit.dissimilar])
    local_start, background_start = learning.length_shares(fit.X, pairs, fit.initial)
    covered_start, counted_start = learning.coverage(fit.X, pairs, fit.initial)

    alive = np.array(report.local_shares) >= learning.SMALL_SHARE
    living_radii = np.where(alive, Theta.radii, 0.0)
    without_dead = predictions(part, Theta._replace(radii=living_radii))  # type: ignore[arg-type]

    return {
        "objective_start": float(fit.trace[0]),
        "objective": float(fit.trace[-1]),
        "steps": len(fit.trace) - 1,
        "rises": int(np.sum(np.diff(fit.trace) > 0)),
        "accuracy_without_dead": float(np.mean(without_dead == part.y_test)),
        "shares_start": [background_start, *local_start],
        "shares": [report.background_share, *report.local_shares],
        "covered_start": covered_start,
        "covered": report.covered,
        "counted_start": counted_start,
        "counted": report.counted,
        "overlapping": report.overlapping,
        "radii": report.radii,
        "norms": [report.background_norm, *report.local_norms],
        "warnings": [warning.split(":")[0] for warning in report.warnings],
        "trace": thinned([float(value) for value in fit.trace]),
    }


def thinned(values: Sequence[float]) -> list[list[float]]:
    """Some [step, value] pairs of a trace, dense at its beginning; the first and the last always.

    >>> thinned([5.0, 4.0, 3.0])
    [[0, 5.0], [1, 4.0], [2, 3.0]]
    """
    steps = np.round(np.geomspace(1, len(values), TRACE_POINTS) - 1).astype(int)
    return [[int(step), values[step]] for step in np.unique(steps)]


# -------------------------------------------------------------------------------------------- tasks


def rounded(value: Any, digits: int = 6) -> Any:
    """Round all numbers in nested lists and dictionaries to significant digits, which keeps the
    file small; NaN becomes None.

    >>> rounded({"a": [0.123456789, 3]})
    {'a': [0.123457, 3]}
    """
    if isinstance(value, float | np.floating):
        return float(f"{value:.{digits}g}") if np.isfinite(value) else None
    if isinstance(value, dict):
        return {key: rounded(inner, digits) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(inner, digits) for inner in value]
    return value


def run_facts() -> Record:
    """Date and versions, kept in the records of the first split."""
    facts = {
        "date": datetime.date.today().isoformat(),
        "lmlir": __version__,
        "python": platform.python_version(),
    }
    for package in ("numpy", "scipy", "scikit-learn"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            facts[package] = importlib.metadata.version(package)
    return facts


MAIN_FIELDS = (  # which only the main methods keep
    "objective_start",
    "shares_start",
    "covered_start",
    "counted_start",
    "covered",
    "counted",
    "radii",
    "norms",
    "overlapping",
    "accuracy_without_dead",
    "warnings",
    "trace",
)


def fields_to_omit(method: str) -> tuple[str, ...]:
    """The fields that a record leaves out to keep the file small.

    The start is the same for all methods of a split.
    """
    if method == "lmlir":
        return ()
    if method in ("lmlir-fixed-rate", "lmlir-rate-0.1"):
        return ("shares_start",)
    if method.startswith(("printed-", "lmlir-")):
        return (*MAIN_FIELDS, "shares")
    return MAIN_FIELDS


THREE_DIGITS = [
    "shares",
    "shares_start",
    "radii",
    "norms",
    "covered",
    "covered_start",
    "counted",
    "counted_start",
    "seconds",
]


def run_task(
    dataset: str, X: FloatArray, y: IntArray, split: int, method: str, settings: Settings
) -> Record:
    """One (data set, split, method): its record, with at least `dataset`, `split`, `method` and
    `accuracy`.
    """
    chosen = METHODS[method]
    rows = split_rows(len(X), split, settings.seed)
    fitted_on = chosen.fitted_on or settings.preprocessing
    part = prepared(X, y, rows, fitted_on, chosen.unit_length)

    start = time.process_time()
    if chosen.tuned:
        as_committed = not settings.tune and settings.seed == 0 and settings.preprocessing == "all"
        kept = kept_values(method, dataset, split) if as_committed else None
        predicted, details = chosen.predict(part, 1000 * settings.seed + split, kept)
    else:
        predicted, details = chosen.predict(part, settings.seed)
    seconds = time.process_time() - start

    if split:
        details.pop("trace", None)
    else:
        details["run"] = run_facts()
    for name in fields_to_omit(method):
        details.pop(name, None)

    record: Record = {
        "dataset": dataset,
        "split": split,
        "method": method,
        "accuracy": float(np.mean(predicted == part.y_test)),
    }
    if not chosen.tuned or settings.seed:  # the file of the rivals has to stay small
        record |= {"tested": len(part.y_test), "seed": settings.seed}
    record |= {"seconds": seconds, **details}
    if settings.preprocessing != "all":
        record["preprocessing"] = settings.preprocessing
    return {key: rounded(value, 3 if key in THREE_DIGITS else 6) for key, value in record.items()}
