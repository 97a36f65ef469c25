"""The number of regions S and of neighbors K chosen from data, by scikit-learn's own GridSearchCV,
on the sets of section 6.

A split is that of the protocol. The search sees its training part only: threefold cross-validation
over the grid, with the preprocessing of section 6 inside the pipeline; then the best setting is
fitted on the whole training part and judged once on the test part, beside the usual S = 4, K = 10.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from lmlir.estimator import LMLIRClassifier
from lmlir.experiments import data, protocol
from lmlir.experiments.protocol import FloatArray, IntArray, Record
from lmlir.ledger.table_5_again import SETS

from .results import RESULTS, write_lines

GRID = {"n_regions": [0, 1, 2, 4], "n_neighbors": [5, 10]}
OUT = RESULTS / "grid_search.jsonl"


def prepared_classifier(seed: int = 0, **settings: Any) -> Any:
    """Section 6's preprocessing and the classifier, as one estimator of scikit-learn."""
    return make_pipeline(
        StandardScaler(), Normalizer(), LMLIRClassifier(random_state=seed, **settings)
    )


def grid_search(seed: int = 0, grid: dict[str, list[int]] = GRID) -> Any:
    """The search over S and K: three folds that keep the classes' shares; fitted like any
    estimator.

    >>> search = grid_search(grid={"n_regions": [0, 1], "n_neighbors": [1]})
    >>> X = [[0.0, 1.0], [1.0, 1.1], [0.5, 1.2], [0.1, -1.0], [1.0, -1.2], [0.6, -0.9]] * 2
    >>> y = [0, 0, 0, 1, 1, 1] * 2
    >>> search.fit(X, y).predict([[0.4, 1.0], [0.4, -1.0]]).tolist()
    [0, 1]
    """
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    steps = {f"lmlirclassifier__{name}": values for name, values in grid.items()}
    return GridSearchCV(prepared_classifier(seed), steps, cv=folds)


def record_of(name: str, X: FloatArray, y: IntArray, split: int) -> Record:
    """What the search chose on one split and what that gave on the test part, beside S = 4 and K =
    10.
    """
    train, test = protocol.split_rows(len(X), split)
    start = time.process_time()
    search = grid_search().fit(X[train], y[train])
    seconds = time.process_time() - start
    usual = prepared_classifier(n_regions=protocol.S, n_neighbors=protocol.K).fit(
        X[train], y[train]
    )
    chosen = {
        key.removeprefix("lmlirclassifier__"): value for key, value in search.best_params_.items()
    }
    return {
        "dataset": name,
        "split": split,
        **chosen,
        "validated": round(float(search.best_score_), 6),
        "accuracy": round(float(search.score(X[test], y[test])), 6),
        "usual": round(float(usual.score(X[test], y[test])), 6),
        "tested": len(test),
        "seconds": round(seconds, 2),
    }


def records(splits: int) -> Iterator[Record]:
    """The records of all data sets, split by split."""
    for split in range(splits):
        for name in SETS:
            loaded = data.load(name)
            yield record_of(name, loaded.X, np.asarray(loaded.y), split)


def table(found: Sequence[Record]) -> tuple[list[str], list[list[str]]]:
    """What was chosen on each split, and mean accuracies in percent: the chosen setting, S = 4 with
    K = 10, and what cross-validation promised.
    """
    body = []
    for name in dict.fromkeys(record["dataset"] for record in found):
        rows = [record for record in found if record["dataset"] == name]
        chosen = ", ".join(f"({row['n_regions']}, {row['n_neighbors']})" for row in rows)
        means = [
            100 * float(np.mean([row[key] for row in rows]))
            for key in ("accuracy", "usual", "validated")
        ]
        body.append(
            [name, chosen, *(f"{mean:.2f}" for mean in means), f"{means[0] - means[1]:+.2f}"]
        )
    return ["", "chosen (S, K)", "chosen", "S = 4, K = 10", "validated", "gain"], body


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the option of this study."""
    parser.add_argument("--splits", type=int, default=2, metavar="N", help="the first N splits")


def run(options: argparse.Namespace) -> None:
    """Search on all data sets, and write one record per line."""
    write_lines(
        options.out,
        (json.dumps(record, separators=(",", ":")) for record in records(options.splits)),
    )
