"""`lmlir-tuned`: the paper's own method, tuned inside the training part like its rivals.

The number of regions S and the K of the classifier, equation (10), are tuned. Everything else is
the learner's default; since the K of the training pairs is among the defaults, one fit serves every
K of the classifier. Ties go to the first S, then the smallest K.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lmlir import learning, vectorized
from lmlir.experiments.rivals.tuning import (
    TRIED_NEIGHBORS,
    Part,
    Record,
    best_cell,
    count_right_answers,
)

REGIONS = (0, 2, 4)  # 0 is one global metric, 4 the paper's number
FOLDS = 3


def squared_distances(S: int, X: Any, y: Any, X_test: Any, seed: int) -> Any:
    """Squares of equation (9) from every test instance to every training instance, after learning
    with S regions.
    """
    fit = learning.learn(X, y, n_regions=S, seed=seed)
    return np.square(vectorized.cross_distances(X_test, X, *fit.parameters))


def tuned_regions_and_neighbors(X: Any, y: Any, seed: int) -> Record:
    """The S and the K with the most right answers in stratified cross-validation."""
    from lmlir.experiments.rivals.base import mean_of_nearest_vote

    counts = count_right_answers(
        squared_distances, REGIONS, mean_of_nearest_vote, FOLDS, X, y, seed
    )
    row, column = best_cell(counts)
    return {"S": REGIONS[row], "K": TRIED_NEIGHBORS[column]}


def measured_lmlir(part: Part, seed: int, kept: Record | None) -> tuple[Any, Record]:
    """The predictions of equation (10) on the test part after tuning, or with kept values; native
    and fair are the same.
    """
    from lmlir.experiments.rivals.base import mean_of_nearest_vote

    X, y, X_test, y_test = part
    tuned = kept or tuned_regions_and_neighbors(X, y, seed)
    squares = squared_distances(tuned["S"], X, y, X_test, seed)
    predicted = mean_of_nearest_vote(squares, y, tuned["K"])
    return predicted, {"fair": float(np.mean(predicted == y_test)), "tuned": tuned}
