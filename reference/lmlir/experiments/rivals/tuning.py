"""Tunes a method inside the training part, and measures it on the test part.

For a rival, stratified cross-validation counts right answers for every value of its grid and every
k of `TRIED_NEIGHBORS`. It fits once per fold and value: other k cost nothing once the distances are
computed. Two choices come out of it: the value that is best with the rival's own k, which is how
the paper ran it, and the best pair of value and k, which is the fair way. The seed of folds and
fits is the split's; ties go to the first value, then to the smallest k.

Tuned values are kept in `tuned.json`, so that a run repeats the committed one without repeating the
tuning. After a run with `--tune`, `python -m book.studies tuned_values` writes it again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.experiments.rivals.catalog import Rival

Record = dict[str, Any]
Part = tuple[Any, Any, Any, Any]  # training instances and classes, test instances and classes

TRIED_NEIGHBORS = (1, 3, 5, 10)
K = 10  # of equation (10)
KEPT = Path(__file__).with_name("tuned.json")


@cache
def all_kept() -> dict[str, dict[str, list[Record]]]:
    """Return the tuned values of the committed run by method and data set, one per split."""
    if not KEPT.is_file():
        return {}
    return json.loads(KEPT.read_text(encoding="utf-8"))


def kept_values(method: str, dataset: str, split: int) -> Record | None:
    """Return the kept tuned values of one task of the run with seed 0, or None if there are
    none.
    """
    values = all_kept().get(method, {}).get(dataset, [])
    return values[split] if split < len(values) else None


def right_answers(rival: Rival, X: Any, y: Any, seed: int) -> Any:
    """In cross-validation, the right answers for every value of the grid (rows) and every k of
    `TRIED_NEIGHBORS` (columns).
    """
    from lmlir.experiments.rivals.base import nearest_vote

    def squared_distances(value: float | None, X: Any, y: Any, X_test: Any, seed: int) -> Any:
        return rival.estimator(seed, value).fit(X, y).distances(X_test)

    values = rival.grid or (None,)
    return count_right_answers(squared_distances, values, nearest_vote, rival.folds, X, y, seed)


def count_right_answers(
    squared_distances: Callable[..., Any],
    values: Sequence[Any],
    vote: Callable[..., Any],
    n_folds: int,
    X: Any,
    y: Any,
    seed: int,
) -> Any:
    """Count right answers in cross-validation, for every value (rows) and every k of
    `TRIED_NEIGHBORS` (columns).

    `squared_distances(value, X, y, X_test, seed)` learns from X and y, and `vote(squares, y, k)`
    predicts.
    """
    from sklearn.model_selection import StratifiedKFold

    counts = np.zeros((len(values), len(TRIED_NEIGHBORS)), dtype=int)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for train, held in folds.split(X, y):
        for row, value in enumerate(values):
            squares = squared_distances(value, X[train], y[train], X[held], seed)
            for column, k in enumerate(TRIED_NEIGHBORS):
                predicted = vote(squares, y[train], k)
                counts[row, column] += np.sum(predicted == y[held])
    return counts


def tuned_values(rival: Rival, X: Any, y: Any, seed: int) -> Record:
    """The value that is best with the rival's own k, then the best value and k together; a rival
    without a grid has only k.
    """
    counts = right_answers(rival, X, y, seed)
    row, column = best_cell(counts)
    fair_k = TRIED_NEIGHBORS[column]
    if not rival.grid:
        return {"fair_k": fair_k}

    own = TRIED_NEIGHBORS.index(rival.estimator(seed).n_neighbors)
    return {
        rival.parameter: rival.grid[int(np.argmax(counts[:, own]))],
        f"fair_{rival.parameter}": rival.grid[row],
        "fair_k": fair_k,
    }


def best_cell(counts: Any) -> tuple[Any, ...]:
    """Return row and column of the largest count, the first of equals.

    >>> best_cell(np.array([[1, 2], [2, 0]])) == (0, 1)
    True
    """
    return np.unravel_index(np.argmax(counts), counts.shape)


def measured_rival(rival: Rival, part: Part, seed: int, kept: Record | None) -> tuple[Any, Record]:
    """The predictions on the test part with the rival's own k, and the other accuracies for its
    record.
    """
    from lmlir.experiments.rivals.base import mean_of_nearest_vote, nearest_vote

    X, y, X_test, y_test = part
    tuned = kept or tuned_values(rival, X, y, seed)
    value = tuned.get(rival.parameter)
    fair_value = tuned.get(f"fair_{rival.parameter}")
    model = rival.estimator(seed, value).fit(X, y)
    squares = model.distances(X_test)
    fair_squares = squares
    if value != fair_value:
        fair_squares = rival.estimator(seed, fair_value).fit(X, y).distances(X_test)

    def accuracy(vote: Callable[..., Any], squares: Any, k: int) -> float:
        return float(np.mean(vote(squares, y, k) == y_test))

    details = {
        "accuracy_k": {str(k): accuracy(nearest_vote, squares, k) for k in TRIED_NEIGHBORS},
        "accuracy_eq10": accuracy(mean_of_nearest_vote, squares, K),
        "fair": accuracy(nearest_vote, fair_squares, tuned["fair_k"]),
        "tuned": tuned,
    }
    return nearest_vote(squares, y, model.n_neighbors), details
