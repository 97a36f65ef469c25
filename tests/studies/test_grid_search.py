"""S and K chosen by scikit-learn's GridSearchCV, and the committed records of that search."""

import functools
import itertools

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from book.studies import grid_search
from book.studies.results import read_lines
from lmlir.estimator import LMLIRClassifier
from lmlir.experiments import data, protocol
from tests.learning.clouds import clouds


def test_the_choice_is_the_best_mean_over_the_folds():
    """GridSearchCV against a loop over settings and folds."""
    X, y = clouds(0, n=40, F=3)
    model = LMLIRClassifier(random_state=0, rule="fixed", n_steps=10)
    grid = {"n_regions": [0, 2], "n_neighbors": [2, 5]}
    folds = StratifiedKFold(3)
    search = GridSearchCV(model, grid, cv=folds).fit(X, y)
    means = {}
    for S, K in itertools.product(*grid.values()):
        fits = [
            (clone(model).set_params(n_regions=S, n_neighbors=K).fit(X[a], y[a]), b)
            for a, b in folds.split(X, y)
        ]
        means[S, K] = np.mean([fit.score(X[test], y[test]) for fit, test in fits])
    chosen = search.best_params_["n_regions"], search.best_params_["n_neighbors"]
    assert means[chosen] == max(means.values()) == pytest.approx(search.best_score_)
    assert len(set(means.values())) > 1
    assert search.best_estimator_.n_regions == chosen[0]


def test_the_search_of_section_6_fits_the_preprocessing_on_each_training_fold():
    """The scaler is a step of the pipeline that is fitted."""
    search = grid_search.grid_search()
    assert [name for name, _ in search.estimator.steps] == [
        "standardscaler",
        "normalizer",
        "lmlirclassifier",
    ]
    assert search.param_grid == {
        "lmlirclassifier__n_regions": [0, 1, 2, 4],
        "lmlirclassifier__n_neighbors": [5, 10],
    }
    assert search.cv.get_n_splits() == 3


def test_the_choice_does_not_depend_on_the_test_part(monkeypatch):
    """Other labels in the test part give the same choice and the same answers."""
    small = functools.partial(
        grid_search.grid_search, grid={"n_regions": [0, 1], "n_neighbors": [2, 5]}
    )
    monkeypatch.setattr(grid_search, "grid_search", small)
    X, y = clouds(1, n=60)
    _, test = protocol.split_rows(len(X), 0)
    other = y.copy()
    other[test] = 1 - other[test]
    first, second = (grid_search.record_of("made up", X, labels, 0) for labels in (y, other))
    for name in ("n_regions", "n_neighbors", "validated"):
        assert first[name] == second[name]
    assert first["accuracy"] == pytest.approx(1 - second["accuracy"], abs=2e-6)


def test_every_data_set_and_split_is_in_the_file_once():
    records = read_lines(grid_search.OUT)
    keys = [(record["dataset"], record["split"]) for record in records]
    splits = {split for _, split in keys}
    assert len(splits) >= 2
    assert sorted(keys) == sorted(itertools.product(grid_search.SETS, splits))
    for record in records:
        assert record["n_regions"] in grid_search.GRID["n_regions"]
        assert record["n_neighbors"] in grid_search.GRID["n_neighbors"]
        assert record["tested"] == -(
            -2 * data.FACTS[data.file_name(record["dataset"])]["rows"] // 5
        )


def test_the_table_by_hand():
    made_up = [
        {
            "dataset": "a",
            "split": s,
            "n_regions": S,
            "n_neighbors": 5,
            "validated": 0.9,
            "accuracy": a,
            "usual": 0.75,
        }
        for s, S, a in ((0, 2, 0.8), (1, 0, 0.6))
    ]
    assert grid_search.table(made_up)[1] == [
        ["a", "(2, 5), (0, 5)", "70.00", "75.00", "90.00", "-5.00"]
    ]
