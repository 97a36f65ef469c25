"""Section 5.1: tests of `lmlir.objective`."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from independent import fractions
from scipy.optimize import linprog
from scipy.spatial import cKDTree

from lmlir.distance import distance
from lmlir.objective import (
    average,
    check_weights,
    constrained_objective,
    dissimilar_pairs,
    dissimilar_slack,
    nearest_indices,
    objective,
    other_class_neighbors,
    penalty,
    positive_part,
    printed_dissimilar_slack,
    same_class_neighbors,
    similar_pairs,
    similar_slack,
)

LINE = [fractions(x) for x in (0, 1, 3, 6, 10)]
LABELS = [0, 1, 0, 1, 0]


# ---------------------------------------------------------------------------------------- neighbors


def test_neighbors_by_hand():
    """Section 5.1, neighbors: 0, 3, 10 are one class, 1, 6 the other; nearest first."""
    assert same_class_neighbors(LINE, LABELS, 2, 2) == [0, 4]
    assert other_class_neighbors(LINE, LABELS, 2, 2) == [1, 3]
    assert other_class_neighbors(LINE, LABELS, 1, 3) == [0, 2, 4]
    assert same_class_neighbors(LINE, LABELS, 3, 1) == [1]


def test_equal_distances_are_ordered_by_index():
    """Choice C9: -1 and 1 are equally far from 0, and so are two equal instances."""
    X = [[0], [1], [-1], [1]]
    assert nearest_indices(X, 0, [3, 2, 1], 2) == [1, 2]
    assert nearest_indices(X, 0, [1, 2, 3], 3) == [1, 2, 3]


@given(st.integers(0, 10**9))
@settings(max_examples=20)
def test_neighbors_agree_with_a_tree(seed):
    """Section 5.1, neighbors: scipy's k-d tree on the instances of a class, which never ties on
    random data.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3))
    y = np.repeat([0, 1], 6)
    i = int(rng.integers(12))
    K = int(rng.integers(1, 6))

    same = np.flatnonzero(y == y[i])
    _, nearest = cKDTree(X[same]).query(X[i], k=K + 1)
    expected = same[nearest[1:]].tolist()
    assert same_class_neighbors(X.tolist(), y.tolist(), i, K) == expected

    other = np.flatnonzero(y != y[i])
    _, nearest = cKDTree(X[other]).query(X[i], k=[*range(1, K + 1)])
    expected = other[nearest].tolist()
    assert other_class_neighbors(X.tolist(), y.tolist(), i, K) == expected


def test_the_pairs_of_a_small_line():
    """Equation (12), its index set: N_1 = N_2 = N K ordered pairs, instance first, then its
    neighbor.
    """
    assert similar_pairs(LINE, LABELS, 1) == [(0, 2), (1, 3), (2, 0), (3, 1), (4, 2)]
    assert dissimilar_pairs(LINE, LABELS, 1) == [(0, 1), (1, 0), (2, 1), (3, 2), (4, 3)]
    assert len(dissimilar_pairs(LINE, LABELS, 2)) == 10
    X = [[0], [1], [3], [20], [21], [24]]
    y = [0, 0, 0, 1, 1, 1]
    neighbors = [
        [1, 2],
        [0, 2],
        [1, 0],
        [4, 5],
        [3, 5],
        [4, 3],
    ]
    impostors = [[3, 4, 5]] * 3 + [[2, 1, 0]] * 3
    similar = [(i, j) for i in range(6) for j in neighbors[i]]
    dissimilar = [(i, j) for i in range(6) for j in impostors[i]]
    assert similar_pairs(X, y, 2) == similar
    assert dissimilar_pairs(X, y, 3) == dissimilar
    assert similar_pairs(X, [0] * 6, 5)[:5] == [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]


def test_k_larger_than_a_class_is_an_error():
    """Choice C16: class 1 has two members, so one same-class neighbor and no two."""
    same = "from 1 to 1, the number of other instances in the class of instance 1, got K=2"
    with pytest.raises(ValueError, match=same):
        similar_pairs(LINE, LABELS, 2)
    other = "from 1 to 2, the number of instances outside the class of instance 0, got K=3"
    with pytest.raises(ValueError, match=other):
        dissimilar_pairs(LINE, LABELS, 3)


def test_one_instance_per_class_has_no_similar_pairs():
    """Choice C16: no K is small enough, and the error says so; the dissimilar pair exists."""
    message = "from 1 to 0, the number of other instances in the class of instance 0"
    with pytest.raises(ValueError, match=message):
        similar_pairs([[0], [1]], [0, 1], 1)
    assert dissimilar_pairs([[0], [1]], [0, 1], 1) == [(0, 1), (1, 0)]


# ----------------------------------------------------------------------------- slacks and objective


@given(D=st.floats(0, 5), C=st.floats(0, 0.9))
@settings(max_examples=60)
def test_the_slacks_are_the_smallest_that_the_constraints_allow(D, C):
    """Equation (12) (E1): a linear program minimizes xi under the constraint; as printed it has no
    solution or 0.
    """

    def smallest(coefficient, bound):
        program = linprog([1.0], A_ub=[[coefficient]], b_ub=[bound], bounds=[(0, None)])
        return program.fun if program.success else None

    # D <= 1 - C + xi
    assert similar_slack(D, C) == pytest.approx(smallest(-1.0, 1 - C - D), abs=1e-9)
    # D >= 1 + C - xi
    assert dissimilar_slack(D, C) == pytest.approx(smallest(-1.0, D - 1 - C), abs=1e-9)
    if abs(D - 1 - C) > 1e-6:  # the program has its own tolerance
        assert printed_dissimilar_slack(D, C) == smallest(1.0, D - 1 - C)  # D >= 1 + C + xi


def test_slacks_by_hand():
    """Equation (12): C = 1/2; the positive part of D - 1/2, and of 3/2 - D; as printed (E1) 0 from
    D = 3/2.
    """
    half = Fraction(1, 2)
    assert similar_slack(Fraction(0), half) == 0
    assert similar_slack(half, half) == 0
    assert similar_slack(Fraction(2), half) == 3 * half
    assert dissimilar_slack(Fraction(0), half) == 3 * half
    assert dissimilar_slack(3 * half, half) == 0
    assert dissimilar_slack(Fraction(2), half) == 0
    assert positive_part(Fraction(-1, 3)) == 0
    below = 3 * half - Fraction(1, 10**20)
    assert printed_dissimilar_slack(3 * half, half) == 0
    assert printed_dissimilar_slack(below, half) is None


def test_the_penalty_by_hand():
    """Equation (12): alpha (||diag(3, 4)||_F + ||[[0, 2], [2, 1]]||_F) = (5 + 3) / 4."""
    assert penalty([[[3, 0], [0, 4]]], [[0, 2], [2, 1]], Fraction(1, 4)) == 2
    assert penalty([], [[0.0]], 7.0) == 0
    assert penalty([[[1]], [[2]], [[3]], [[4]]], [[5]], 1) == 15


def test_no_pairs_contribute_nothing():
    """Choice C20: an empty list has the average 0, and g is the penalty alone."""
    assert average([]) == 0
    assert average([Fraction(1), Fraction(2)]) == Fraction(3, 2)
    assert objective(LINE, [], [], [], [], [], [[Fraction(1)]], 2, Fraction(1, 2)) == 2


def test_the_objective_by_hand():
    """Section 5.2, objective g (E11): the ball [1, 3] with M(A) = 4 on the line, M(B) = 1, alpha =
    1/10, C = 1/2.

    D(0, 3) = 1 + 4 = 5 and D(3, 10) = 7 give slacks 9/2 and 13/2; D(0, 1) = 1 and D(3, 6) = 3 give
    1/2 and 0.
    """
    half = Fraction(1, 2)
    alpha = Fraction(1, 10)
    metrics = [[[Fraction(4)]]], [[Fraction(1)]]
    Theta = [fractions(2)], [1], *metrics
    similar = [(0, 2), (2, 4)]
    dissimilar = [(0, 1), (2, 3)]
    g = objective(LINE, similar, dissimilar, *Theta, alpha, half)
    assert g == Fraction(11, 2) + Fraction(1, 4) + Fraction(5, 10)
    slacks = [9 * half, 13 * half], [half, 0 * half]
    assert constrained_objective(*slacks, *metrics, alpha) == g


@given(st.integers(0, 10**9))
@settings(max_examples=20)
def test_the_objective_is_the_value_of_the_problem(seed):
    """Equation (12) and Section 5.2, objective g: numpy's averages of the hinges plus numpy's
    norms.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2)).tolist()
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    roots = rng.normal(size=(3, 2, 2))
    metrics = roots.transpose(0, 2, 1) @ roots
    *local_metrics, background_metric = metrics.tolist()
    centers = rng.normal(size=(2, 2)).tolist()
    radii = rng.uniform(0, 1, 2).tolist()
    Theta = centers, radii, local_metrics, background_metric
    similar = similar_pairs(X, y, 2)
    dissimilar = dissimilar_pairs(X, y, 2)

    near = np.array([distance(X[i], X[j], *Theta) for i, j in similar])
    far = np.array([distance(X[i], X[j], *Theta) for i, j in dissimilar])
    expected = np.maximum(near - 0.5, 0).mean()
    expected += np.maximum(1.5 - far, 0).mean()
    expected += 0.1 * np.linalg.norm(metrics, axis=(1, 2)).sum()
    g = objective(X, similar, dissimilar, *Theta, 0.1, 0.5)
    assert g == pytest.approx(expected, rel=1e-13)


def test_metrics_of_zero_cost_one_plus_c():
    """Section 5.2, objective g (E2): all metrics 0 always reach 1 + C, where training as printed
    ends.
    """
    zero = [[0.0, 0.0], [0.0, 0.0]]
    Theta = [[0.0, 0.0]], [1.0], [zero], zero
    X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    assert objective(X, [(0, 1)], [(0, 2), (1, 2)], *Theta, 0.1, 0.5) == 1.5


@pytest.mark.parametrize(
    ("alpha", "C", "message"),
    [
        (-1.0, 0.5, r"equation \(12\) needs alpha >= 0, got alpha=-1.0"),
        (math.nan, 0.5, r"equation \(12\) needs alpha >= 0, got alpha=nan"),
        (math.inf, 0.5, r"equation \(12\) needs alpha >= 0, got alpha=inf"),
        (0.1, math.nan, r"equation \(12\) needs a finite C, got C=nan"),
        (0.1, math.inf, r"equation \(12\) needs a finite C, got C=inf"),
    ],
)
def test_weights_without_meaning_are_an_error(alpha, C, message):
    """Equation (12)."""
    with pytest.raises(ValueError, match=message):
        check_weights(alpha, C)
    with pytest.raises(ValueError, match=message):
        objective([[0.0]], [], [], [], [], [], [[1.0]], alpha, C)
