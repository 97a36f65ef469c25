"""Section 5.2, initial values: tests of `lmlir.initialization`."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from independent import fractions

from lmlir.initialization import (
    cluster_labels,
    clustered_parameters,
    discriminative_direction,
    in_order_of_appearance,
    initial_center,
    initial_metric,
    initial_parameters,
    initial_radius,
    percentile,
)
from lmlir.scalars import Parameters

# Two groups far apart; in each the classes differ in the first coordinate only.
GROUPS = [
    [0.0, 0.0],
    [1.0, 0.0],
    [0.0, 1.0],
    [1.0, 1.0],
    [20.0, 0.0],
    [21.0, 0.0],
    [20.0, 1.0],
    [21.0, 1.0],
]
CLASSES = [0, 1, 0, 1, 0, 1, 0, 1]


def test_the_direction_by_hand():
    """Section 5.2, step 1, h(x): from (0, 0) the other class is at (1, 0) and (1, 1), its own at
    (0, 1) and (20, 0).
    """
    assert discriminative_direction(GROUPS, CLASSES, 0, 1) == [1 - 0, 0 - 1]
    assert discriminative_direction(GROUPS, CLASSES, 0, 2) == [1 + 1 - 0 - 20, 0 + 1 - 1 - 0]


@pytest.mark.parametrize("seed", range(5))
def test_the_direction_agrees_with_numpy(seed):
    """Section 5.2, step 1, h(x): with K = 4 of three features, on whole numbers, sorted by their
    distances in numpy.
    """
    rng = np.random.default_rng(seed)
    X = rng.integers(-(10**4), 10**4, size=(12, 3))
    y = np.repeat([0, 1], 6)
    i = int(rng.integers(12))
    K = 4
    moves = abs(X - X[i])
    gaps = np.linalg.norm(moves, axis=1)
    order = np.argsort(gaps)
    same_class = y[order] == y[i]
    other = order[~same_class][:K]
    same = order[same_class][1 : K + 1]
    expected = moves[other].sum(axis=0) - moves[same].sum(axis=0)
    assert discriminative_direction(X.tolist(), y.tolist(), i, K) == expected.tolist()


def test_the_direction_of_unit_length_data_is_at_least_minus_2k():
    """Section 5.2, h(x) (E23): the bound -2K is reached, and 1 + 0.1 h is below 0 for K = 10."""
    X = [fractions(1)] + [fractions(-1)] * 10 + [fractions(1)] * 11
    h = discriminative_direction(X, [0] * 11 + [1] * 11, 0, 10)
    assert h == [-20]
    assert initial_metric([h], Fraction(1, 10)) == [[-1]]


def test_k_larger_than_a_class_is_an_error():
    """Choice C16: the direction needs K neighbors of either kind."""
    same = "the number of other instances in the class of instance 0, got K=4"
    with pytest.raises(ValueError, match=same):
        discriminative_direction(GROUPS, CLASSES, 0, 4)
    other = "the number of instances outside the class of instance 0, got K=5"
    with pytest.raises(ValueError, match=other):
        discriminative_direction(GROUPS, CLASSES, 0, 5)


def test_clusters_see_the_directions():
    """Section 5.2, step 2 (C6): four instances at almost one place, told apart by their directions
    alone.
    """
    X = [[0.0], [0.01], [0.02], [0.03]]
    directions = [[5.0], [-5.0], [5.0], [-5.0]]
    assert cluster_labels(X, directions, S=2) == [0, 1, 0, 1]
    assert cluster_labels(GROUPS, [[0.0, 0.0]] * 8, S=2) == [0, 0, 0, 0, 1, 1, 1, 1]


def test_clusters_are_numbered_as_they_appear_whatever_the_seed():
    """Choice C6: the same clusters for every seed, and the same numbers."""
    assert in_order_of_appearance(["b", "a", "b", "c"]) == [0, 1, 0, 2]
    for seed in range(5):
        labels = cluster_labels(GROUPS, [[0.0, 0.0]] * 8, S=2, seed=seed)
        assert labels == [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("size", [1.0, 2.0**-30])
def test_the_best_of_the_restarts_is_taken(size):
    """Choice C6: on scattered points single runs get stuck; more restarts never end with a larger
    distortion.
    """
    points = np.random.default_rng(0).uniform(size=(36, 2))
    X = (size * points).tolist()

    def distortion(restarts):
        labels = np.array(cluster_labels(X, [[]] * 36, S=12, seed=3, restarts=restarts))
        total = 0
        for s in range(12):
            cluster = points[labels == s]
            total += ((cluster - cluster.mean(axis=0)) ** 2).sum()
        return total

    once = distortion(1)
    five_times = distortion(5)
    many_times = distortion(25)
    assert once >= five_times - 1e-9
    assert five_times >= many_times - 1e-9
    assert once > many_times


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"S": 0}, "S must be a whole number from 1 to 2"),
        (
            {"S": 3},
            r"S must be a whole number from 1 to 2, the number of different rows \[x, h\(x\)\], "
            r"got S=3",
        ),
        ({"S": 1, "restarts": 0}, "restarts must be a whole number"),
    ],
)
def test_a_number_of_clusters_without_meaning_is_an_error(arguments, message):
    """Choice C6: as many clusters as there are different rows, at most."""
    with pytest.raises(ValueError, match=message):
        cluster_labels([[0.0], [1.0], [1.0]], [[7.0]] * 3, **arguments)


@pytest.mark.parametrize("seed", range(5))
def test_clusters_are_those_of_a_hundred_rounds(monkeypatch, seed):
    """Choice C6: k-means stops where it has come to rest, which changes nothing; a single round
    would not do.
    """
    X = np.random.default_rng(seed).normal(size=(300, 2)).tolist()

    def labels():
        return cluster_labels(X, [[0.0]] * 300, S=6, restarts=1)

    stopped = labels()
    monkeypatch.setattr("lmlir.initialization.ROUNDS_PER_CHECK", 100)
    assert labels() == stopped
    monkeypatch.setattr("lmlir.initialization.ROUNDS_PER_CHECK", 1)
    monkeypatch.setattr("lmlir.initialization.MAX_ROUNDS", 2)
    assert labels() != stopped


def test_clusters_that_stay_empty_are_an_error(monkeypatch):
    """Choice C6: when every restart loses a cluster, the error says how many were tried."""
    empty = np.zeros((2, 2)), np.array([0, 0, 0])
    monkeypatch.setattr("scipy.cluster.vq.kmeans2", lambda *arguments, **options: empty)
    message = "k-means left a cluster empty in all 4 restarts: choose fewer than S=2 regions"
    with pytest.raises(ValueError, match=message):
        cluster_labels([[0.0], [1.0], [2.0]], [[0.0]] * 3, S=2, restarts=4)


def test_the_center_is_the_mean():
    """Section 5.2, step 3 (C6): the first F coordinates of the cluster's center."""
    members = [fractions(0, 3, 6), fractions(1, 0, 0), fractions(2, 0, 0)]
    assert initial_center(members) == [1, 1, 2]


@given(st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=12), st.integers(0, 100))
@settings(max_examples=60)
def test_the_percentile_is_numpys(values, percent):
    """Choice C7: linear interpolation, as numpy's default has it."""
    expected = float(np.percentile(values, percent))
    assert percentile(values, percent) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_radius_by_hand():
    """Section 5.2, step 3 (C7): distances 1 to 6 have the 80th percentile 5; 0 and 10 have 8; one
    member has its own.
    """
    assert initial_radius([[1], [2], [3], [4], [5], [6]], [0]) == 5
    assert initial_radius([fractions(0, 0), fractions(6, 8)], fractions(0, 0)) == 8
    assert initial_radius([[3.0, 4.0]], [0.0, 0.0]) == 5


def test_the_metric_by_hand():
    """Section 5.2, step 3: I + diag(mean h) / 10, the mean of (10, -20) and (30, 0) being (20,
    -10).
    """
    directions = [fractions(10, -20), fractions(30, 0)]
    assert initial_metric(directions, Fraction(1, 10)) == [[3, 0], [0, 0]]
    assert initial_metric([[1.0]]) == [[1.1]]
    assert initial_metric([[10, 20, 30]] * 3, 1) == np.diag([11, 21, 31]).tolist()


def test_all_initial_values_by_hand():
    """Section 5.2, step 1, Section 5.2, step 2 and Section 5.2, step 3 (C4, C8): two groups, K = 1,
    S = 2.

    In a group the other class is 1 away in the first coordinate, the own class 1 away in the
    second: h = (1, -1).
    """
    Theta = initial_parameters(GROUPS, CLASSES, S=2, K=1)
    assert Theta.centers == [[0.5, 0.5], [20.5, 0.5]]
    assert Theta.radii == pytest.approx([math.sqrt(0.5)] * 2, rel=1e-15)
    assert Theta.local_metrics == [[[1.1, 0], [0, 0.9]]] * 2
    assert Theta.background_metric == [[1, 0], [0, 1]]


def test_an_initial_metric_outside_of_the_cone_is_clipped():
    """Choice C8 (E23): K = 10 makes the lonely instance's entry 1 - 2 = -1; it starts at 0."""
    X = [[1.0]] + [[-1.0]] * 10 + [[1.0]] * 11
    y = [0] * 11 + [1] * 11
    Theta = initial_parameters(X, y, S=3, K=10)
    assert Theta.local_metrics[0] == [[0]]
    assert Theta.centers[0] == [1.0]
    assert Theta.radii[0] == 0
    for metric in Theta.local_metrics:
        assert metric[0][0] >= 0


def test_every_cluster_becomes_a_region():
    """Section 5.2, step 3: three clusters of three features, the members of a cluster apart in the
    list, by hand.
    """
    X = [
        [0, 0, 2],
        [9, 9, 9],
        [-6, 0, 0],
        [0, 0, 0],
        [-6, 0, 4],
        [0, 0, 4],
    ]
    directions = [
        [10, 20, 30],
        [0, 0, 0],
        [-20, 10, 10],
        [30, 20, 10],
        [-20, 10, 10],
        [20, 20, 20],
    ]
    Theta = clustered_parameters(X, directions, labels=[0, 1, 2, 0, 2, 0])
    assert Theta.centers == [[0, 0, 2], [9, 9, 9], [-6, 0, 2]]
    assert Theta.radii == pytest.approx([2, 0, 2], rel=1e-15)
    diagonals = [np.diag(M).tolist() for M in Theta.local_metrics]
    assert diagonals == [[3, 3, 3], [1, 1, 1], [0, 2, 2]]
    assert Theta.background_metric == np.eye(3).tolist()


def test_without_regions_only_the_background_starts():
    """Section 5.2, step 3 with S = 0 (C4): no neighbors are needed."""
    Theta = initial_parameters([[0.0, 1.0]], [0], S=0, K=1)
    assert Theta == Parameters([], [], [], [[1, 0], [0, 1]])


def test_instances_that_are_no_points_are_named():
    """Section 5.2, step 1: finite coordinates, and some of them."""
    for i in range(3):
        X = [[0.0], [0.0], [0.0]]
        X[i] = [math.nan]
        with pytest.raises(ValueError, match=rf"X\[{i}\] needs finite coordinates"):
            initial_parameters(X, [0, 1, 0], S=1, K=1)


def test_the_start_is_the_same_for_the_same_seed():
    """Choice C6: nothing but the seed decides, and it does, where a single run gets stuck."""
    X = np.random.default_rng(1).normal(size=(30, 2)).tolist()
    y = [0, 1] * 15

    def start(seed, **options):
        return initial_parameters(
            X,
            y,
            S=4,
            K=3,
            seed=seed,
            **options,
        )

    assert start(5) == start(5)
    first, *starts = (start(seed, restarts=1) for seed in range(20))
    assert any(start != first for start in starts)
    with pytest.raises(ValueError, match="restarts must be a whole number"):
        initial_parameters(X, y, S=4, K=3, restarts=0)
