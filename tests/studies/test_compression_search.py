"""The search for a subset of Theorem D: tests of `book.studies.compression_search`.

Expected values: the loops of `lmlir.compression`, hand computation, all subsets by enumeration.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from book.studies.compression_search import (
    MOST_MEMBERS,
    beginnings,
    best_neighbor,
    check_labels,
    class_medoids,
    compressed_predictions,
    condensed_neighbors,
    greedy_compression,
    mistakes_with_one_more,
)
from lmlir.compression import compressed_prediction, compression_bound, mistakes_outside
from tests.paper.test_compression import TABLE, Y, samples


def gaps_on_a_line(points):
    """The table of distances of points of a line."""
    return abs(points[:, None] - points)


def bound_of(D, y, S, K):
    """The bound of Theorem D for the subset S with delta = 1/2, by the loops."""
    return compression_bound(mistakes_outside(D, y, S, K), len(y), len(S), 0.5)


def neighboring_subsets(S, n):
    """The subsets of fewer than n members with one less, one more, or one exchanged."""
    outside = [i for i in range(n) if i not in S]
    subsets = [list(S)]
    for i in S:
        without = [j for j in S if j != i]
        subsets.append(without)
    neighbors = subsets[1:]
    for subset in subsets:
        for i in outside:
            neighbors.append([*subset, i])
    return [T for T in neighbors if len(T) < n]


@pytest.mark.parametrize(
    "function, arguments, message",
    [
        (
            greedy_compression,
            ([[0]], [1], 0.05),
            "Theorem D needs one label a row and at least 3 rows",
        ),
        (
            greedy_compression,
            (TABLE[1:, 1:], Y[1:], 0.05),
            r"at least 3 rows, got \(2,\) labels and 2 rows",
        ),
        (
            greedy_compression,
            (TABLE - 1e-300, Y, 0.05),
            "Theorem D needs distances >= 0, got D with -1e-300",
        ),
        (greedy_compression, (TABLE, Y, 0.05, 0), "Theorem D needs K >= 1, got K=0"),
        (
            greedy_compression,
            (TABLE * math.nan, Y, 0.05),
            "Theorem D needs distances >= 0, got D with nan",
        ),
        (
            greedy_compression,
            (TABLE[:, :2], Y, 0.05),
            r"Theorem D needs a square table, got D of shape \(3, 2\)",
        ),
        (
            check_labels,
            (np.array([1, 1, 1]), 3),
            r"Theorem D needs the classes -1 and \+1, got y with \[1\]",
        ),
        (
            check_labels,
            (np.array([-1, 0, 1]), 3),
            r"the classes -1 and \+1, got y with \[-1, 0, 1\]",
        ),
        (
            check_labels,
            (np.array([[-1], [1], [1]]), 3),
            r"one label a row .* got \(3, 1\) labels and 3 rows",
        ),
        (
            greedy_compression,
            (np.zeros((3, 4)), Y, 0.05),
            r"Theorem D needs a square table, got D of shape \(3, 4\)",
        ),
        (check_labels, (np.array([1, -1]), 3), r"at least 3 rows, got \(2,\) labels and 3 rows"),
    ],
)
def test_a_table_that_the_search_cannot_use_is_refused(function, arguments, message):
    """Theorem D: one sentence with argument, condition and value."""
    with pytest.raises(ValueError, match=message):
        function(*arguments)


@given(samples())
@settings(max_examples=40)
def test_condensed_neighbors_make_no_mistake(sample):
    """Theorem D, search: k = 0 by the loops of `mistakes_outside`."""
    _, y, D = sample
    S = condensed_neighbors(D, y)
    assert mistakes_outside(D, y, S, K=1) == 0


def test_condensed_neighbors_with_one_point_in_both_classes():
    """Theorem D, search: the tie says -1, so the positive twin joins, and stays wrong inside S,
    where nothing counts.
    """
    assert condensed_neighbors([[0, 0, 1], [0, 0, 1], [1, 1, 0]], [-1, 1, -1]) == [0, 1]


@given(st.integers(0, 2**31), st.integers(1, 4), st.data())
@settings(max_examples=60)
def test_predictions_by_arrays_are_those_by_loops(seed, K, data):
    """Theorem D, search: on small multiples of 2^-60, where ties are many, for every S and K."""
    rng = np.random.default_rng(seed)
    D = rng.integers(0, 4, size=(8, 8)) * 2.0**-60
    y = rng.choice([-1, 1], 8)
    S = data.draw(st.lists(st.integers(0, 7), unique=True))
    expected = []
    for row in D:
        minus = [row[j] for j in S if y[j] < 0]
        plus = [row[j] for j in S if y[j] > 0]
        expected.append(compressed_prediction(minus, plus, K))
    assert compressed_predictions(D, y, S, K).tolist() == expected


@pytest.mark.parametrize("K", [1, 2, 3, 4])
def test_predictions_by_arrays_find_the_nearest_of_thousands(K):
    """Theorem D, search: two thousand members of either class, too many for a partition that is a
    full sort.
    """
    D = np.random.default_rng(K).uniform(size=(40, 4000))
    y = np.repeat([-1, 1], 2000)
    expected = []
    for row in D.tolist():
        expected.append(compressed_prediction(row[:2000], row[2000:], K))
    assert compressed_predictions(D, y, range(4000), K).tolist() == expected


def test_the_search_begins_with_the_larger_class_medoids_and_condensed_neighbors():
    """Theorem D, search: by hand on the line 0, 1, 4 with two of one class, either way round."""
    D = [[0, 1, 4], [1, 0, 3], [4, 3, 0]]
    assert beginnings(D, [-1, -1, 1]) == [[0], [0, 2], [0, 1, 2], [0], [0, 2]]
    assert beginnings(D, [-1, 1, 1])[0] == [1]


def test_the_search_begins_with_up_to_three_medoids_of_either_class():
    """Theorem D, search: four and five points of the classes on a line: all pairs of one to three
    medoids, once each.
    """
    y = np.repeat([-1, 1], [4, 5])
    subsets = beginnings(gaps_on_a_line(np.arange(9.0)), y)
    medoids = subsets[1:10]
    condensed = subsets[10:]
    sizes = [(sum(y[S] < 0), sum(y[S] > 0)) for S in medoids]
    assert sizes == list(itertools.product((1, 2, 3), repeat=2))
    largest = condensed[-1]
    assert condensed == [largest[:d] for d in range(1, len(condensed) + 1)]


def test_medoids_by_hand():
    """Theorem D, search: of 0, 1, 2, 9, 10 first 2 (sum 18), then 9 (1 + 1 + 2 left over), the
    other class left alone.
    """
    D = gaps_on_a_line(np.array([0.0, 1.0, 2.0, 9.0, 10.0, 5.0]))
    y = [1, 1, 1, 1, 1, -1]
    assert class_medoids(D, y, label=1, count=2) == [2, 3]
    assert class_medoids(D, y, label=-1, count=1) == [5]
    message = "count must be a whole number from 1 to 1, the number of members of class -1"
    with pytest.raises(ValueError, match=message):
        class_medoids(D, y, label=-1, count=2)


@given(samples(), st.integers(1, 3))
@settings(max_examples=30)
def test_what_the_search_finds_is_what_it_says_and_no_neighbor_is_better(sample, K):
    """Theorem D, search: k by the loops, the bound by its formula, and no subset that differs in
    one member is below.
    """
    _, y, D = sample
    n = len(y)
    best = greedy_compression(D, y, 0.5, K)
    assert best.mistakes == mistakes_outside(D, y, best.members, K)
    assert best.bound == compression_bound(best.mistakes, n, len(best.members), 0.5)
    for S in neighboring_subsets(best.members, n):
        assert bound_of(D, y, S, K) >= best.bound


@given(samples(most=6))
@settings(max_examples=30)
def test_the_search_is_never_worse_than_the_larger_class_or_better_than_all_subsets(sample):
    """Theorem D, search: between the best of all 2^n subsets and one instance of the larger
    class.
    """
    _, y, D = sample
    n = len(y)
    best = 1
    for d in range(n):
        for S in itertools.combinations(range(n), d):
            best = min(best, bound_of(D, y, S, 1))
    smaller_class = min(np.sum(y > 0), np.sum(y < 0))
    one = compression_bound(smaller_class, n, 1, 0.5)
    assert best <= greedy_compression(D, y, 0.5).bound <= one


@given(st.integers(0, 2**31), st.integers(1, 4), st.data())
@settings(max_examples=60)
def test_one_more_member_is_counted_as_by_the_loops(seed, K, data):
    """Theorem D, search: k of S with every other instance added, on multiples of 2^-60, against
    `mistakes_outside`.
    """
    rng = np.random.default_rng(seed)
    D = rng.integers(0, 4, size=(8, 8)) * 2.0**-60
    y = rng.choice([-1, 1], 8)
    S = data.draw(st.lists(st.integers(0, 7), unique=True, max_size=7))
    expected = []
    for j in range(8):
        mistakes = 9 if j in S else mistakes_outside(D, y, [*S, j], K)
        expected.append(mistakes)
    assert mistakes_with_one_more(D, y, tuple(S), K).tolist() == expected


@pytest.mark.parametrize("label", [-1, 1])
def test_one_more_member_of_a_class_that_s_lacks_votes_alone(label):
    """Theorem D, search, K = 3, by hand on the line: 0, 1, 2 in S and 4 are of one class, 10 is of
    the other.

    With 10 in S as well, each class has one vote: 4 is 2 from its own class and 6 from 10; three
    votes would sum to 9. With 4 in S instead, 10 is taken for the other class.
    """
    D = gaps_on_a_line(np.array([0.0, 1.0, 2.0, 4.0, 10.0]))
    y = label * np.array([1, 1, 1, 1, -1])
    assert mistakes_with_one_more(D, y, [0, 1, 2], K=3).tolist() == [6, 6, 6, 1, 0]


@given(samples(), st.data())
@settings(max_examples=40)
def test_the_best_neighbor_is_the_best_of_all(sample, data):
    """Theorem D, search: against every subset that differs in one member, by the loops; never all
    instances.
    """
    _, y, D = sample
    n = len(y)
    S = data.draw(st.lists(st.integers(0, n - 1), unique=True, min_size=1, max_size=n - 1))
    expected = min(bound_of(D, y, T, 2) for T in neighboring_subsets(S, n))
    assert best_neighbor(D, y, tuple(S), 2, 0.5).bound == expected


def test_a_neighbor_may_leave_out_one_instance_only():
    """Theorem D, search, by hand: of 0, 1, 4 with classes - - +, {0, 1} has neighbors of two
    members without a mistake.

    They have the bound 1 - 1/18, and those of one member make at least one mistake of two: the root
    of 1 - 1/18.
    """
    best = best_neighbor(TABLE, np.array(Y), [0, 1], K=1, delta=0.5)
    assert sorted(best.members) in [[0, 2], [1, 2]]
    assert best.mistakes == 0
    assert best.bound == pytest.approx(17 / 18, rel=1e-14)


def test_a_subset_is_not_a_neighbor_of_itself():
    """Theorem D, search: on the line 0, 1, 2, 3 with classes + + - +, {1, 2, 3} makes no mistake,
    all neighbors one.
    """
    D = gaps_on_a_line(np.arange(4.0))
    y = np.array([1, 1, -1, 1])
    S = [1, 2, 3]
    assert mistakes_outside(D, y, S, 1) == 0
    neighbor = best_neighbor(D, y, S, 1, 0.5)
    assert sorted(neighbor.members) in map(sorted, neighboring_subsets(S, 4))


def test_three_clusters_on_a_line_need_three_members():
    """Theorem D, search: - + - in a row: three members, no mistake."""
    cluster = np.arange(40.0)
    points = np.concatenate([cluster, 60 + cluster, 120 + cluster])
    y = np.repeat([-1, 1, -1], 40)
    best = greedy_compression(gaps_on_a_line(points), y, 0.05)
    assert len(best.members) == 3
    assert best.mistakes == 0
    level = 0.05 / (120 * math.comb(120, 3))
    assert best.bound == pytest.approx(1 - level ** (1 / 117), rel=1e-12)


def test_a_large_subset_is_left_as_it_begins():
    """Theorem D, search: fourteen blocks of 20 points on a line, the classes in turn; the condensed
    neighbors stay.
    """
    D = gaps_on_a_line(np.arange(280.0))
    y = np.tile(np.repeat([-1, 1], 20), 7)
    best = greedy_compression(D, y, 0.05)
    assert len(best.members) > MOST_MEMBERS
    assert best.mistakes == mistakes_outside(D, y, best.members, 1)
    condensed = condensed_neighbors(D, y)
    assert sorted(best.members) == sorted(condensed[: len(best.members)])
    # all of them make no mistake
    assert best.bound <= compression_bound(0, 280, len(condensed), 0.05)
