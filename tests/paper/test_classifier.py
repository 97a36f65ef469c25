"""Section 4.1: tests of `lmlir.classifier`."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from independent import fractions

from lmlir.classifier import (
    decision_value,
    distances_to_set,
    nearest_neighbor_value,
    predict,
    printed_sum_k_min,
    sum_k_min,
)
from lmlir.distance import distance

PLAIN = [], [], [], [[Fraction(1)]]  # no regions, M(B) = 1: the Euclidean line
BALL = [fractions(2)], [Fraction(1)], [[[Fraction(4)]]], [[Fraction(1)]]  # [1, 3] counts double

values = st.lists(st.integers(-9, 9), min_size=1, max_size=7)
line = st.lists(st.integers(-9, 9).map(lambda n: [Fraction(n)]), min_size=1, max_size=5)


@given(values, st.data())
@settings(max_examples=60)
def test_sum_k_min_is_the_smallest_sum_of_k_elements(elements, data):
    """Section 4.1, sumKmin: the minimum over all choices of K elements of the multiset."""
    K = data.draw(st.integers(1, len(elements)))
    expected = min(sum(chosen) for chosen in combinations(elements, K))
    assert sum_k_min(elements, K) == expected


def test_equal_elements_count_as_often_as_they_occur():
    """Section 4.1, D_set (E13): {1, 1, 5} with K = 2 is 2; as a set it would be 6."""
    assert sum_k_min([1, 1, 5], 2) == 2
    assert printed_sum_k_min([1, 1, 5], 2) == 6
    assert printed_sum_k_min([1, 2, 5], 2) == sum_k_min([1, 2, 5], 2)


@pytest.mark.parametrize("K", [0, 3, 1.0])
def test_fewer_than_k_elements_are_an_error(K):
    """Choice C16."""
    message = "K must be a whole number from 1 to 2, the number of elements"
    with pytest.raises(ValueError, match=message):
        sum_k_min([1, 1], K)
    with pytest.raises(ValueError, match="from 1 to 1, the number of elements"):
        printed_sum_k_min([1, 1], 2)


def test_distances_keep_the_order_and_the_repeats():
    """Section 4.1, D_set: the ball [1, 3] makes 0 to 4 six long."""
    assert distances_to_set(fractions(0), [[4], [1], [4]], *BALL) == [6, 1, 6]
    assert distances_to_set(fractions(0), [], *BALL) == []


@given(x=st.integers(-12, 12), X_minus=line, X_plus=line)
@settings(max_examples=60)
def test_the_sign_of_the_nearest_neighbor_value_is_1_nn(x, X_minus, X_plus):
    """Section 4.1, 1-NN: the class of the nearest instance, found by sorting all of them."""
    x = [Fraction(x)]
    to_minus = min(abs(x[0] - z[0]) for z in X_minus)
    to_plus = min(abs(x[0] - z[0]) for z in X_plus)
    value = nearest_neighbor_value(x, X_minus, X_plus)
    assert (value == 0) == (to_minus == to_plus)
    assert (value > 0) == (to_plus < to_minus)
    assert decision_value(x, X_minus, X_plus, 1, *PLAIN) == value


def test_the_decision_value_by_hand():
    """Equation (10): from 0 with the ball [1, 3]: to 2 it is 1 + 2 = 3, to 4 it is 6; to -1, -5 and
    -7 it is 1, 5 and 7.
    """
    x = fractions(0)
    minus = [[2], [4]]
    plus = [[-1], [-5], [-7]]
    assert decision_value(x, minus, plus, 2, *BALL) == Fraction(9, 2) - 3
    assert decision_value(x, minus, plus, 1, *BALL) == 3 - 1


@given(st.integers(0, 10**9))
@settings(max_examples=30)
def test_the_decision_value_agrees_with_sorted_distances(seed):
    """Equation (10): numpy's partition on the distances of equation (9)."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(1, 4))
    F = int(rng.integers(1, 4))
    x = rng.normal(size=F).tolist()
    minus = rng.normal(size=(4, F)).tolist()
    plus = rng.normal(size=(3, F)).tolist()
    root = rng.normal(size=(F, F))
    Theta = [x], [0.7], [(root.T @ root).tolist()], np.eye(F).tolist()

    def mean_of_nearest(side):
        distances = [distance(x, z, *Theta) for z in side]
        return np.sort(distances)[:K].mean()

    expected = mean_of_nearest(minus) - mean_of_nearest(plus)
    f = decision_value(x, minus, plus, K, *Theta)
    assert f == pytest.approx(expected, rel=1e-13, abs=1e-13)


@given(x=st.integers(-12, 12), X_minus=line, X_plus=line)
@settings(max_examples=40)
def test_exchanging_the_classes_changes_the_sign(x, X_minus, X_plus):
    """Equation (10): f is antisymmetric in the two classes, and so is its sign away from a tie."""
    x = [Fraction(x)]
    K = min(len(X_minus), len(X_plus))
    f = decision_value(x, X_minus, X_plus, K, *BALL)
    assert decision_value(x, X_plus, X_minus, K, *BALL) == -f
    assume(f != 0)
    expected = 1 if f > 0 else -1
    assert predict(x, X_minus, X_plus, K, *BALL) == expected


def test_a_tie_is_the_negative_class_unless_asked_otherwise():
    """Choice C9, Section 4.1, sign of f: f(0) = 0 between -1 and 1."""
    assert predict(fractions(0), [[1]], [[-1]], 1, *PLAIN) == -1
    assert predict(fractions(0), [[1]], [[-1]], 1, *PLAIN, tie=1) == 1


@pytest.mark.parametrize("size", [Fraction(1, 10**6), Fraction(1, 10**12), Fraction(1, 10**300)])
def test_a_tiny_decision_value_is_not_a_tie(size):
    """Section 4.1, sign of f: between -1 and 1, f(x) = (1 - x) - (1 + x) = -2 x is 0 at x = 0
    alone.
    """
    for tie in (-1, 1):
        assert predict([size], [[1]], [[-1]], 1, *PLAIN, tie=tie) == -1
        assert predict([-size], [[1]], [[-1]], 1, *PLAIN, tie=tie) == 1


def test_one_point_per_class_is_enough_for_k_1():
    """Equation (10) with one instance per class; K = 2 is an error that names the class."""
    x = fractions(3)
    assert predict(x, [[4]], [[-4]], 1, *PLAIN) == -1
    message = "from 1 to 1, the number of instances of the {} class, got K=2"
    with pytest.raises(ValueError, match=message.format("negative")):
        decision_value(x, [[4]], [[-4], [5]], 2, *PLAIN)
    with pytest.raises(ValueError, match=message.format("positive")):
        decision_value(x, [[4], [5]], [[-4]], 2, *PLAIN)


def test_an_empty_class_is_an_error():
    """Section 4.1, 1-NN."""
    message = "1-NN's one neighbor must be .* instances of the smaller class"
    with pytest.raises(ValueError, match=message):
        nearest_neighbor_value([0.0], [], [[1.0]])
    with pytest.raises(ValueError, match=message):
        nearest_neighbor_value([0.0], [[1.0]], [])
