"""Data with several modes: the generator, the statistics of the study, and its committed
records.
"""

import itertools

import numpy as np
import pytest

modes = pytest.importorskip(
    "book.studies.modes", reason="the study needs scikit-learn and matplotlib"
)

from lmlir.experiments.protocol import Part  # noqa: E402


@pytest.fixture(scope="module")
def records():
    return modes.read_records(modes.OUT)


# ---------------------------------------------------------------------------------------- generator


@pytest.mark.parametrize(("n_modes", "n_features"), [(2, 2), (4, 3), (8, 2), (3, 20), (8, 20)])
@pytest.mark.parametrize("separation", [0.5, 6.0])
def test_the_nearest_centers_are_as_far_apart_as_asked(n_modes, n_features, separation):
    problem = modes.modes(n_modes, n_features, separation, seed=5)
    apart = [np.linalg.norm(one - two) for one, two in itertools.combinations(problem.centers, 2)]
    assert problem.centers.shape == problem.directions.shape == (n_modes, n_features)
    assert min(apart) == pytest.approx(separation, rel=1e-12)


def test_directions_have_length_one_and_stand_at_right_angles_as_far_as_there_is_room():
    U = modes.modes(5, 3, 1.0, seed=0).directions
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(U[:3] @ U[:3].T, np.eye(3), atol=1e-14)
    assert (np.abs(U) > 0.01).all()  # parallel to no axis and in no plane of axes


def test_the_same_seed_gives_the_same_data_and_another_seed_others():
    (X, y), (Z, t), (other, _) = (
        modes.modes(3, 4, 2.0, s).draw(50, np.random.default_rng(0)) for s in (1, 1, 2)
    )
    assert np.array_equal(X, Z) and np.array_equal(y, t) and not np.allclose(X, other)


@pytest.mark.parametrize("n_bands", [2, 4])
def test_a_class_lies_in_bands_along_the_direction_of_its_mode_and_is_standard_normal_across(
    n_bands,
):
    """Modes so far apart that the nearest center is the mode; 40,000 instances, so means are right
    to 0.02 or so.
    """
    problem = modes.modes(2, 3, 1000.0, seed=3, n_bands=n_bands)
    X, y = problem.draw(40_000, np.random.default_rng(1))
    far = np.linalg.norm(X[:, None] - problem.centers, axis=2)
    mode = far.argmin(axis=1)
    assert [mode.mean(), y.mean()] == pytest.approx([0.5, 0.5], abs=0.02)
    for m in range(2):
        offset = X[mode == m] - problem.centers[m]
        along = offset @ problem.directions[m]
        band = np.round(along + (n_bands - 1) / 2)
        inside = (band >= 0) & (band < n_bands)
        # 2.5 deviations to the middle between bands
        assert np.mean(band[inside] % 2 == y[mode == m][inside]) > 0.98
        spread = along - (band - (n_bands - 1) / 2)
        assert spread[inside].std() == pytest.approx(modes.NOISE, abs=0.01)
        across = offset - np.outer(along, problem.directions[m])
        assert np.trace(np.cov(across.T)) == pytest.approx(2, abs=0.06)


def test_the_best_classes_are_those_of_bayes_rule():
    """By hand: far from each other's modes only the nearest band counts; and no rule of the study
    beats it here.
    """
    problem = modes.Modes(np.array([[0.0, 0.0], [100.0, 0.0]]), np.eye(2), np.array([-0.5, 0.5]))
    points = [[-0.4, 3.0], [0.1, -3.0], [103.0, -0.2], [97.0, 0.2]]
    assert problem.best_classes(np.array(points)).tolist() == [0, 1, 0, 1]
    X, y = problem.draw(20_000, np.random.default_rng(0))
    # Phi(0.5 / 0.2)
    assert np.mean(problem.best_classes(X) == y) == pytest.approx(0.99379, abs=0.003)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 2, 1.0, 0), "n_modes must be a whole number from 2, got n_modes=1"),
        ((2, 1, 1.0, 0), "n_features must be a whole number from 2, got n_features=1"),
        ((2, 2.5, 1.0, 0), "n_features must be a whole number from 2, got n_features=2.5"),
        ((2, 2, -1.0, 0), "separation must be a finite number from 0, got separation=-1.0"),
        ((2, 2, float("nan"), 0), "separation must be a finite number from 0, got separation=nan"),
        ((2, 2, 1.0, 0, 1), "n_bands must be a whole number from 2, got n_bands=1"),
    ],
)
def test_a_wrong_argument_is_named_with_its_value(arguments, message):
    with pytest.raises(ValueError, match=message):
        modes.modes(*arguments)


# --------------------------------------------------------------------------------------- statistics


def made_up(pairs, cell=(2, 2, 3.0)):
    keys = dict(zip(("modes", "features", "separation"), cell, strict=True))
    return [
        {**keys, "seed": seed, "method": method, "accuracy": value}
        for seed, values in enumerate(pairs)
        for method, value in zip(("a", "b"), values, strict=True)
    ]


def test_an_interval_by_hand():
    """Differences 10, 10, 20 points: mean 40/3, deviation 10/sqrt(3), t(0.975, 2) = 4.302653 from a
    table.
    """
    found = modes.difference(made_up([(0.9, 0.8), (0.8, 0.7), (0.9, 0.7)]), (2, 2, 3.0), "a", "b")
    half = 4.302653 * 10 / 3
    assert found[:3] == pytest.approx((40 / 3, 40 / 3 - half, 40 / 3 + half), abs=1e-5)
    assert not found.clear
    strict = modes.difference(
        made_up([(0.9, 0.8), (0.8, 0.7), (0.9, 0.7)]), (2, 2, 3.0), "a", "b", comparisons=5
    )
    assert strict.high - strict.mean == pytest.approx(9.924843 * 10 / 3, abs=1e-5)  # t(0.995, 2)


def test_counts_distinguish_better_worse_and_neither():
    better = made_up([(0.9, 0.80), (0.9, 0.81), (0.9, 0.79), (0.9, 0.80)], (2, 2, 3.0))
    worse = made_up([(0.7, 0.80), (0.7, 0.81), (0.7, 0.79), (0.7, 0.80)], (4, 2, 3.0))
    neither = made_up([(0.9, 0.80), (0.7, 0.81), (0.9, 0.79), (0.7, 0.80)], (8, 2, 3.0))
    assert modes.counts(better + worse + neither, "a", "b", ["b"]) == (1, 1, 1)


# ---------------------------------------------------------------------------------- methods and run


def test_every_method_learns_an_easy_problem():
    """Two modes far apart in the plane, two bands: well above one half, for each method with its
    own seed.
    """
    problem = modes.modes(2, 2, 8.0, seed=0)
    part, _ = modes.drawn_part(problem, 0)
    part = Part(part.X_train, part.y_train, part.X_test[:200], part.y_test[:200])
    for name, predict in modes.PREDICTORS.items():
        assert np.mean(predict(part, 2, 0) == part.y_test) > 0.85, name


def test_the_training_part_alone_gives_the_scale():
    part, _ = modes.drawn_part(modes.modes(3, 4, 3.0, seed=0), 0)
    np.testing.assert_allclose(part.X_train.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(part.X_train.std(axis=0), 1, rtol=1e-12)
    assert np.abs(part.X_test.mean(axis=0)).min() > 1e-4


@pytest.mark.parametrize("n_bands", modes.N_BANDS)
def test_every_kind_of_data_seed_and_method_is_in_the_file_once(n_bands):
    found = modes.read_records(modes.OUT, n_bands)
    keys = [(r["modes"], r["features"], r["separation"], r["seed"], r["method"]) for r in found]
    grid = itertools.product(
        modes.MODES, modes.FEATURES, modes.SEPARATIONS, ["best possible", *modes.PREDICTORS]
    )
    expected = [(m, f, s, k, name) for m, f, s, name in grid for k in modes.seeds_of(n_bands, m, f)]
    assert len(keys) == len(set(keys)) and set(keys) == set(expected)


@pytest.mark.parametrize("method", ["global", "nca", "euclidean", "regions"])
def test_a_new_run_gives_the_number_of_the_file(records, method):
    """Two modes in the plane, three instances in a thousand may fall otherwise on another
    machine.
    """
    part, _ = modes.drawn_part(modes.modes(2, 2, 8.0, 1), 1)
    key = {"modes": 2, "features": 2, "separation": 8.0, "seed": 1, "method": method}
    (kept,) = [record["accuracy"] for record in records if key.items() <= record.items()]
    assert np.mean(modes.PREDICTORS[method](part, 2, 1) == part.y_test) == pytest.approx(
        kept, abs=0.003
    )


def test_tables_and_figure_show_every_kind_of_data(records):
    for header, body in (
        modes.difference_table(records, "regions, 3 passes"),
        modes.accuracy_table(records),
    ):
        assert len(body) == 18 and all(len(row) == len(header) for row in body)
    figure = modes.difference_figure(records, "regions, 3 passes")
    assert len(figure.axes) == len(modes.OTHERS) and all(
        len(axes.texts) == 18 for axes in figure.axes
    )
