"""Neighbors, training pairs and directions: `lmlir.vectorized.nearest` against the reference."""

import numpy as np
import pytest
from real_data import SETS, assert_close, lists, start

from lmlir import initialization, objective, vectorized


def assert_same_neighbors(X, y, K):
    same, other = vectorized.neighbors(X, y, K)
    for i in range(len(X)):
        assert same[i].tolist() == objective.same_class_neighbors(*lists(X, y), i, K)
        assert other[i].tolist() == objective.other_class_neighbors(*lists(X, y), i, K)


@pytest.mark.parametrize("name", SETS)
def test_neighbors_and_directions_are_those_of_the_reference_on_real_data(name):
    """Section 5: j -> i, k -/> i, the pairs and h(x)."""
    X, y, _ = start(name, rows=40)
    assert_same_neighbors(X, y, 4)
    X_list, y_list = lists(X, y)
    directions = [
        initialization.discriminative_direction(X_list, y_list, i, 4) for i in range(len(X))
    ]
    assert_close(vectorized.discriminative_directions(X, y, 4), directions)
    for ours, theirs in (
        (vectorized.similar_pairs, objective.similar_pairs),
        (vectorized.dissimilar_pairs, objective.dissimilar_pairs),
    ):
        assert ours(X, y, 4).tolist() == [list(pair) for pair in theirs(X_list, y_list, 4)]


def test_neighbors_at_equal_distances_come_by_index():
    """Choice C9, where it matters: on a grid nearly all distances are tied, and points repeat."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, size=(60, 3)) / 3
    y = rng.integers(0, 2, size=60)
    assert len(np.unique(((X[0] - X) ** 2).sum(axis=1))) < 30
    assert_same_neighbors(X, y, 7)


def test_neighbors_are_right_where_a_matrix_product_has_no_digits_left():
    """Section 5.1: points 1e-9 apart and 1 from the middle; a product of them errs by more than
    their squared distances.
    """
    rng = np.random.default_rng(6)
    X = rng.integers(0, 2, size=(60, 3)) + 1e-9 * rng.normal(size=(60, 3))
    y = rng.integers(0, 2, size=60)
    assert_same_neighbors(X, y, 3)


def test_a_difference_without_a_square_is_refused():
    with pytest.raises(
        ValueError,
        match=r"X must have differences with a square in the range of float64, got 1e\+200",
    ):
        vectorized.neighbors([[0.0], [1e200], [1.0], [2.0]], [0, 0, 1, 1], 1)


def test_similar_pairs_need_no_second_class():
    """Section 5.1: one class has similar pairs and no dissimilar ones."""
    assert vectorized.similar_pairs([[0.0], [1.0], [3.0]], [0, 0, 0], 1).tolist() == [
        [0, 1],
        [1, 0],
        [2, 1],
    ]
    with pytest.raises(ValueError, match="K must be a whole number from 1 to 0"):
        vectorized.dissimilar_pairs([[0.0], [1.0], [3.0]], [0, 0, 0], 1)
