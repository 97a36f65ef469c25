"""Tuning and records of the rivals, of what users pick, and of LMLIR tuned alike; a run of theirs
that is killed goes on.
"""

import json

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict

pytest.importorskip("joblib", reason="the experiment needs joblib")
pytest.importorskip("tqdm", reason="the experiment needs tqdm")

from lmlir.commands import main
from lmlir.experiments import protocol, runner
from lmlir.experiments.rivals import own, tuning, users
from lmlir.experiments.rivals.catalog import RIVALS


@pytest.fixture
def part():
    """One split of 90 points in three features, of which one matters."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(90, 3)) * [1, 2, 2]
    y = (X[:, 0] + 0.4 * rng.normal(size=90) > 0).astype(int)
    return protocol.prepared(X, y, (np.arange(60), np.arange(60, 90)), "all")


def test_every_promised_method_exists_and_none_runs_by_default():
    names = "lmnn itml nca mcml gmml rvml scml r2lml itml-inverted mcml-rotation r2lml-full-step "
    names += "logistic svm forest boosting knn lmlir-tuned"
    tuned = {name: method.default for name, method in protocol.METHODS.items() if method.tuned}
    assert tuned == dict.fromkeys(names.split(), False)


def test_the_grids_are_the_papers():
    """Section 6."""
    assert RIVALS["lmnn"].grid == RIVALS["gmml"].grid == [0.1, 0.3, 0.5, 0.7, 0.9]
    assert RIVALS["itml"].grid == RIVALS["itml-inverted"].grid == [0.25, 0.5, 1, 2, 4]
    assert RIVALS["rvml"].grid == [10.0**e for e in range(-5, 2)]


# ------------------------------------------------------------------------------------------- tuning


def test_right_answers_are_those_of_scikit_learns_cross_validation(part):
    rival = RIVALS["gmml"]
    counts = tuning.right_answers(rival, part.X_train, part.y_train, seed=7)
    folds = StratifiedKFold(rival.folds, shuffle=True, random_state=7)
    for row, t in enumerate(rival.grid):
        for column, k in enumerate(tuning.TRIED_NEIGHBORS):
            model = rival.estimator(7, t).set_params(n_neighbors=k)
            predicted = cross_val_predict(model, part.X_train, part.y_train, cv=folds)
            assert counts[row, column] == np.sum(predicted == part.y_train)


@pytest.mark.parametrize(
    "name, counts, expected",
    [
        (
            "lmnn",
            [[5, 0, 0, 9], [5, 9, 9, 5], [4, 8, 8, 3]],
            {"push_weight": 0.1, "fair_push_weight": 0.1, "fair_k": 10},
        ),
        (
            "lmnn",
            [[5, 7, 0, 0], [6, 8, 8, 0], [6, 8, 0, 0]],
            {"push_weight": 0.3, "fair_push_weight": 0.3, "fair_k": 3},
        ),
        ("nca", [[1, 3, 3, 2]], {"fair_k": 3}),  # no grid: only k is tuned
    ],
)
def test_the_best_value_for_the_own_k_and_the_best_pair_ties_to_the_first(
    name, counts, expected, monkeypatch
):
    """LMNN's own k is 1, the first column."""
    monkeypatch.setattr(tuning, "right_answers", lambda *_: np.array(counts))
    assert tuning.tuned_values(RIVALS[name], None, None, 0) == expected


def test_a_users_choice_is_that_of_a_grid_search(part):
    _, details = users.measured_user("knn", part, 3, None)
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    search = GridSearchCV(users.estimator("knn", 3), users.USERS["knn"].grid, cv=folds).fit(
        part.X_train, part.y_train
    )
    assert details == {"fair": search.score(part.X_test, part.y_test), "tuned": search.best_params_}


@pytest.mark.parametrize("name", users.USERS)
def test_kept_values_of_a_users_choice_are_used_without_a_search(name, part):
    kept = {parameter: values[-1] for parameter, values in users.USERS[name].grid.items()}
    predicted, details = users.measured_user(name, part, 3, kept)
    expected = (
        users.estimator(name, 3)
        .set_params(**kept)
        .fit(part.X_train, part.y_train)
        .predict(part.X_test)
    )
    assert details["tuned"] == kept
    assert np.array_equal(predicted, expected)


def test_lmlir_with_the_papers_s_and_k_is_the_method_lmlir(part):
    predicted, details = own.measured_lmlir(part, 0, {"S": 4, "K": 10})
    expected, _ = protocol.METHODS["lmlir"].predict(part, 0)
    assert np.array_equal(predicted, expected)
    assert details["fair"] == np.mean(expected == part.y_test)


def test_lmlir_takes_the_first_best_number_of_regions_and_neighbors(part, monkeypatch):
    """The distances are made up: with two regions every class is far from the other."""
    asked = []

    def squared_distances(S, X, y, X_test, seed):
        asked.append((S, len(X), len(X_test)))
        classes = np.where(X_test[:, :1] > 0, 1, -1)
        return np.where(classes == y, 1.0, 9.0 if S == 2 else 1.0)

    monkeypatch.setattr(own, "squared_distances", squared_distances)
    X = part.X_train
    y = np.where(part.X_train[:, 0] > 0, 1, -1)
    assert own.tuned_regions_and_neighbors(X, y, 0) == {"S": 2, "K": 1}
    assert asked == [(S, 40, 20) for _ in range(3) for S in own.REGIONS]


# ------------------------------------------------------------------------------------------ records


def test_the_record_of_a_rival_agrees_with_scikit_learn_on_its_distances(part):
    rival = RIVALS["gmml"]
    kept = {"t": 0.3, "fair_t": 0.7, "fair_k": 3}
    predicted, details = tuning.measured_rival(rival, part, 5, kept)
    for k in tuning.TRIED_NEIGHBORS:
        model = rival.estimator(5, 0.3).set_params(n_neighbors=k).fit(part.X_train, part.y_train)
        assert details["accuracy_k"][str(k)] == model.score(part.X_test, part.y_test)
    assert np.mean(predicted == part.y_test) == details["accuracy_k"]["5"]
    fair = rival.estimator(5, 0.7).set_params(n_neighbors=3).fit(part.X_train, part.y_train)
    assert details["fair"] == fair.score(part.X_test, part.y_test)
    assert details["tuned"] == kept


def test_without_learning_equation_10_gives_the_accuracy_of_the_method_euclidean(part):
    details = tuning.measured_rival(RIVALS["mcml-rotation"], part, 0, {"fair_k": 1})[1]
    assert details["accuracy_eq10"] == np.mean(protocol.euclidean(part, 0)[0] == part.y_test)


def test_kept_values_are_used_for_seed_0_and_the_same_preprocessing_unless_tuning_is_requested(
    monkeypatch,
):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = np.arange(50) % 2
    monkeypatch.setattr(tuning, "all_kept", lambda: {"knn": {"heart": [{"n_neighbors": 2}]}})

    def tuned(dataset, split, **settings):
        return protocol.run_task(dataset, X, y, split, "knn", protocol.Settings(**settings))[
            "tuned"
        ]

    assert tuned("heart", 0) == {"n_neighbors": 2}
    others = [
        tuned("heart", 1),
        tuned("vote", 0),
        tuned("heart", 0, tune=True),
        tuned("heart", 0, seed=1),
    ]
    assert all(
        values["n_neighbors"] != 2 for values in others + [tuned("heart", 0, preprocessing="train")]
    )


def test_users_methods_see_the_training_part_standardized_and_rivals_see_unit_length(monkeypatch):
    seen = {}
    rng = np.random.default_rng(0)
    X = rng.normal(3, 2, size=(50, 2))
    y = np.arange(50) % 2
    for name in ("knn", "gmml"):

        def predict(part, seed, kept, name=name):
            seen[name] = part, seed
            return part.y_test, {}

        method = protocol.METHODS[name]
        monkeypatch.setitem(
            protocol.METHODS, name, type(method)(**{**vars(method), "predict": predict})
        )
        protocol.run_task("heart", X, y, 3, name, protocol.Settings(seed=2))
    (standardized, seed), (unit, _) = seen["knn"], seen["gmml"]
    assert seed == 2003  # the split's own
    assert np.allclose(standardized.X_train.mean(axis=0), 0)
    assert np.allclose(standardized.X_train.std(axis=0), 1)
    assert np.allclose(np.linalg.norm(unit.X_test, axis=1), 1)


# -------------------------------------------------------------------------------------- the command


def without_times(path):
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return [
        {key: value for key, value in record.items() if key not in ("seconds", "run")}
        for record in records
    ]


def test_a_run_of_rivals_that_was_killed_goes_on_and_gives_the_same_file(tmp_path, capsys):
    """Cut in the middle of a line; tuned again on both sides of the cut."""
    words = [
        "experiment",
        "--only",
        "monk1",
        "--methods",
        "gmml",
        "logistic",
        "--splits",
        "2",
        "--tune",
    ]
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    assert main([*words, "--out", str(whole)]) == 0
    assert "gmml" in capsys.readouterr().out
    assert {tuple(sorted(record)) for record in without_times(whole)} == {
        ("accuracy", "accuracy_eq10", "accuracy_k", "dataset", "fair", "method", "split", "tuned"),
        ("accuracy", "dataset", "fair", "method", "split", "tuned"),
    }
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size * 5 // 8])
    assert len(runner.read_records(cut)) in (1, 2, 3)
    assert main([*words, "--out", str(cut)]) == 0
    assert without_times(cut) == without_times(whole)
