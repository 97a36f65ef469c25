"""Data with several modes: the generator, the statistics of the study, and its committed
records.
"""

import itertools

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

modes = pytest.importorskip(
    "book.studies.modes", reason="the study needs scikit-learn and matplotlib"
)

from lmlir.experiments.protocol import Part  # noqa: E402


@pytest.fixture(scope="module")
def records():
    return modes.read_records(modes.OUT)


# ---------------------------------------------------------------------------------------- generator


@pytest.mark.parametrize(
    ("n_modes", "n_features"),
    [
        (2, 2),
        (4, 3),
        (8, 2),
        (3, 20),
        (8, 20),
    ],
)
@pytest.mark.parametrize("separation", [0.5, 6.0])
def test_the_nearest_centers_are_as_far_apart_as_asked(n_modes, n_features, separation):
    problem = modes.modes(n_modes, n_features, separation, seed=5)
    assert problem.centers.shape == (n_modes, n_features)
    assert problem.directions.shape == (n_modes, n_features)
    assert pdist(problem.centers).min() == pytest.approx(separation, rel=1e-12)


def test_directions_have_length_one_and_stand_at_right_angles_as_far_as_there_is_room():
    U = modes.modes(5, 3, 1.0, seed=0).directions
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(U[:3] @ U[:3].T, np.eye(3), atol=1e-14)
    assert (np.abs(U) > 0.01).all()  # parallel to no axis and in no plane of axes


def test_the_same_seed_gives_the_same_data_and_another_seed_others():

    def draw(seed):
        problem = modes.modes(3, 4, 2.0, seed)
        return problem.draw(50, np.random.default_rng(0))

    X, y = draw(1)
    X_again, y_again = draw(1)
    X_other, _ = draw(2)
    assert np.array_equal(X, X_again)
    assert np.array_equal(y, y_again)
    assert not np.allclose(X, X_other)


@pytest.mark.parametrize("n_bands", [2, 4])
def test_a_class_lies_in_bands_along_the_direction_of_its_mode_and_is_standard_normal_across(
    n_bands,
):
    """Modes so far apart that the nearest center is the mode; 40,000 instances, so means are right
    to 0.02 or so.
    """
    problem = modes.modes(2, 3, 1000.0, seed=3, n_bands=n_bands)
    X, y = problem.draw(40_000, np.random.default_rng(1))
    mode = cdist(X, problem.centers).argmin(axis=1)
    assert mode.mean() == pytest.approx(0.5, abs=0.02)
    assert y.mean() == pytest.approx(0.5, abs=0.02)
    middle = (n_bands - 1) / 2
    for m in range(2):
        classes = y[mode == m]
        direction = problem.directions[m]
        offset = X[mode == m] - problem.centers[m]
        along = offset @ direction
        band = np.round(along + middle)
        inside = (band >= 0) & (band < n_bands)
        # 2.5 deviations to the middle between bands
        assert np.mean(band[inside] % 2 == classes[inside]) > 0.98
        spread = along - (band - middle)
        assert spread[inside].std() == pytest.approx(modes.NOISE, abs=0.01)
        across = offset - np.outer(along, direction)
        assert np.trace(np.cov(across.T)) == pytest.approx(2, abs=0.06)


def test_the_best_classes_are_those_of_bayes_rule():
    """By hand: far from each other's modes only the nearest band counts; and no rule of the study
    beats it here.
    """
    centers = np.array([[0.0, 0.0], [100.0, 0.0]])
    problem = modes.Modes(centers, np.eye(2), np.array([-0.5, 0.5]))
    points = np.array(
        [
            [-0.4, 3.0],
            [0.1, -3.0],
            [103.0, -0.2],
            [97.0, 0.2],
        ]
    )
    assert problem.best_classes(points).tolist() == [0, 1, 0, 1]
    X, y = problem.draw(20_000, np.random.default_rng(0))
    accuracy = np.mean(problem.best_classes(X) == y)
    assert accuracy == pytest.approx(0.99379, abs=0.003)  # Phi(0.5 / 0.2)


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
    n_modes, n_features, separation = cell
    records = []
    for seed, values in enumerate(pairs):
        for method, accuracy in zip("ab", values, strict=True):
            record = {
                "modes": n_modes,
                "features": n_features,
                "separation": separation,
                "seed": seed,
                "method": method,
                "accuracy": accuracy,
            }
            records.append(record)
    return records


def test_an_interval_by_hand():
    """Differences 10, 10, 20 points: mean 40/3, deviation 10/sqrt(3), t(0.975, 2) = 4.302653 from a
    table.
    """
    cell = (2, 2, 3.0)
    records = made_up([(0.9, 0.8), (0.8, 0.7), (0.9, 0.7)], cell)
    interval = modes.difference(records, cell, "a", "b")
    half = 4.302653 * 10 / 3
    assert interval.mean == pytest.approx(40 / 3, abs=1e-5)
    assert interval.low == pytest.approx(40 / 3 - half, abs=1e-5)
    assert interval.high == pytest.approx(40 / 3 + half, abs=1e-5)
    assert not interval.clear
    strict = modes.difference(records, cell, "a", "b", comparisons=5)
    half = 9.924843 * 10 / 3  # t(0.995, 2)
    assert strict.high - strict.mean == pytest.approx(half, abs=1e-5)


def test_counts_distinguish_better_worse_and_neither():
    b = [0.80, 0.81, 0.79, 0.80]
    records = []
    for n_modes, a in (
        (2, [0.9, 0.9, 0.9, 0.9]),
        (4, [0.7, 0.7, 0.7, 0.7]),
        (8, [0.9, 0.7, 0.9, 0.7]),
    ):
        records += made_up(zip(a, b, strict=True), (n_modes, 2, 3.0))
    assert modes.counts(records, "a", "b", ["b"]) == (1, 1, 1)


# ---------------------------------------------------------------------------------- methods and run


def test_every_method_learns_an_easy_problem():
    """Two modes far apart in the plane, two bands: well above one half, for each method with its
    own seed.
    """
    problem = modes.modes(2, 2, 8.0, seed=0)
    part, _ = modes.drawn_part(problem, 0)
    part = Part(part.X_train, part.y_train, part.X_test[:200], part.y_test[:200])
    for name, predict in modes.PREDICTORS.items():
        accuracy = np.mean(predict(part, 2, 0) == part.y_test)
        assert accuracy > 0.85, name


def test_the_training_part_alone_gives_the_scale():
    part, _ = modes.drawn_part(modes.modes(3, 4, 3.0, seed=0), 0)
    np.testing.assert_allclose(part.X_train.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(part.X_train.std(axis=0), 1, rtol=1e-12)
    assert np.abs(part.X_test.mean(axis=0)).min() > 1e-4


@pytest.mark.parametrize("n_bands", modes.N_BANDS)
def test_every_kind_of_data_seed_and_method_is_in_the_file_once(n_bands):
    keys = []
    for record in modes.read_records(modes.OUT, n_bands):
        names = ("modes", "features", "separation", "seed", "method")
        keys.append(tuple(record[name] for name in names))

    expected = set()
    methods = ["best possible", *modes.PREDICTORS]
    for m, f in itertools.product(modes.MODES, modes.FEATURES):
        seeds = modes.seeds_of(n_bands, m, f)
        expected.update(itertools.product([m], [f], modes.SEPARATIONS, seeds, methods))
    assert len(keys) == len(set(keys))
    assert set(keys) == expected


@pytest.mark.parametrize("method", ["global", "nca", "euclidean", "regions"])
def test_a_new_run_gives_the_number_of_the_file(records, method):
    """Two modes in the plane, three instances in a thousand may fall otherwise on another
    machine.
    """
    part, _ = modes.drawn_part(modes.modes(2, 2, 8.0, 1), 1)
    key = {
        "modes": 2,
        "features": 2,
        "separation": 8.0,
        "seed": 1,
        "method": method,
    }
    (expected,) = [record["accuracy"] for record in records if key.items() <= record.items()]
    accuracy = np.mean(modes.PREDICTORS[method](part, 2, 1) == part.y_test)
    assert accuracy == pytest.approx(expected, abs=0.003)


def test_tables_and_figure_show_every_kind_of_data(records):
    method = "regions, 3 passes"
    for header, body in (
        modes.difference_table(records, method),
        modes.accuracy_table(records),
    ):
        assert len(body) == 18
        assert all(len(row) == len(header) for row in body)
    figure = modes.difference_figure(records, method)
    assert len(figure.axes) == len(modes.OTHERS)
    assert all(len(axes.texts) == 18 for axes in figure.axes)
