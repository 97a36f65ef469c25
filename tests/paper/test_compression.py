"""Theorem D: tests of `lmlir.compression`.

Expected values: fractions, mpmath, hand computation, all subsets by enumeration.
"""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from lmlir.classifier import predict
from lmlir.compression import (
    MOST_MEMBERS,
    beginnings,
    best_neighbor,
    binomial_tail,
    check_labels,
    class_medoids,
    compressed_prediction,
    compressed_predictions,
    compression_bound,
    compression_level,
    condensed_neighbors,
    greedy_compression,
    larger_class_bound,
    mistakes_outside,
    mistakes_with_one_more,
    net_size_bound,
    separated_net,
    upper_binomial_limit,
)
from lmlir.hull import largest_cost, pairwise_distances

LINE = [], [], [], [[1.0]]  # the Euclidean distance on a line
TABLE = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 3.0], [4.0, 3.0, 0.0]])
Y = [-1, -1, 1]


@st.composite
def samples(draw, least=3, most=9):
    """Points of the plane in general position with both classes, and their table of distances."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    n = draw(st.integers(least, most))
    points = rng.normal(size=(n, 2))
    y = np.where(rng.uniform(size=n) < 0.5, -1, 1)
    y[:2] = -1, 1
    return points, y, cdist(points, points)


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


# ---------------------------------------------------------------------------------- binomial limits


@given(st.integers(0, 6), st.integers(0, 6), st.fractions(0, 1, max_denominator=9))
@settings(max_examples=60)
def test_the_tail_counts_the_outcomes_with_few_mistakes(k, more, p):
    """Theorem D: against the sum over all 2^n outcomes, in fractions."""
    n = k + more
    expected = 0
    for outcome in itertools.product((0, 1), repeat=n):
        mistakes = sum(outcome)
        if mistakes <= k:
            expected += p**mistakes * (1 - p) ** (n - mistakes)
    assert binomial_tail(k, n, p) == expected


@pytest.mark.parametrize(
    ("k", "n"),
    [
        (0, 1),
        (0, 407),
        (6, 407),
        (51, 412),
        (131, 595),
        (30, 31),
        (2, 5),
        (95, 100),
        (598, 600),
    ],
)
@pytest.mark.parametrize("level", [0.5, 0.05, 1e-9, 1e-60, 1e-280])
def test_the_limit_is_the_root_of_the_tail(k, n, level):
    """Theorem D: in 400 digits the tail is above the level just below the limit, and below it just
    above.

    Just: 1e-11 of the distance to 1, or one rounding of a number near 1.
    """
    p = upper_binomial_limit(k, n, level)
    step = 1e-11 * (1 - p) + 2.0**-52
    with mpmath.workdps(400):
        below = mpmath.mpf(p) - step
        above = min(mpmath.mpf(p) + step, mpmath.mpf(1))
        assert binomial_tail(k, n, below) > level
        assert binomial_tail(k, n, above) < level


def test_the_limit_by_hand():
    """Theorem D: no mistake of n leaves 1 - level^(1/n); only mistakes, or no instance, leave 1.

    Level 0 promises nothing; at level 1 the tail must be 1, which it is for p = 0 only.
    """
    assert upper_binomial_limit(0, 10, 0.05) == pytest.approx(1 - 0.05**0.1, rel=1e-14)
    # three mistakes: p^3
    assert upper_binomial_limit(2, 3, 1 - Fraction(1, 8)) == pytest.approx(0.5, rel=1e-14)
    assert upper_binomial_limit(4, 4, 0.05) == 1
    assert upper_binomial_limit(0, 0, 0.05) == 1
    assert upper_binomial_limit(3, 9, 0.0) == 1
    assert upper_binomial_limit(3, 9, 1.0) == 0


def test_the_levels_of_all_subsets_and_rules_add_up_to_delta():
    """Theorem D, its union bound: sum over d = 0, ..., n - 1 of C(n, d) levels, times the rules, in
    fractions.
    """
    tiny = Fraction(1, 10**20)
    deltas = (tiny, Fraction(1, 20), 1 - tiny)
    for n, rules, delta in itertools.product(range(1, 12), (1, 3), deltas):
        total = 0
        for d in range(n):
            count = rules * math.comb(n, d)
            total += count * compression_level(n, d, delta, rules)
        assert total == delta
    # one rule unless said otherwise
    assert compression_level(4, 2, Fraction(3, 4)) == Fraction(1, 32)
    assert compression_level(5000, 2500, 0.05) == 0  # smaller than any float


def test_the_bound_by_hand():
    """Theorem D: n = 4, d = 2, k = 0: 1 - (0.75 / 24)^(1/2); the larger class: 1 - (delta /
    2)^(1/n) when k = 0.
    """
    level = 0.75 / 24
    for rules in (1, 3):
        expected = 1 - math.sqrt(level / rules)
        assert compression_bound(0, 4, 2, 0.75, rules=rules) == pytest.approx(expected, rel=1e-14)
    assert compression_bound(0, 4, 2, 0.75) == compression_bound(0, 4, 2, 0.75, rules=1)
    assert compression_bound(0, 4, 4, 0.75) == 1
    assert larger_class_bound(0, 10, 0.05) == pytest.approx(1 - 0.025**0.1, rel=1e-14)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (binomial_tail, (3, 2, 0.5), "Theorem D needs 0 <= k <= n, got k=3 and n=2"),
        (upper_binomial_limit, (-1, 2, 0.5), "Theorem D needs 0 <= k <= n, got k=-1 and n=2"),
        (upper_binomial_limit, (1, 2, 1.5), "Theorem D needs 0 <= level <= 1, got level=1.5"),
        (upper_binomial_limit, (1, 2, 1 + 1e-15), "Theorem D needs 0 <= level <= 1, got level=1.0"),
        (
            upper_binomial_limit,
            (1, 2, -1e-300),
            "Theorem D needs 0 <= level <= 1, got level=-1e-300",
        ),
        (upper_binomial_limit, (1, 2, math.nan), "Theorem D needs 0 <= level <= 1, got level=nan"),
        (compression_level, (4, 4, 0.5), "Theorem D needs 0 <= d < n, got d=4 and n=4"),
        (compression_bound, (0, 4, 5, 0.5), "Theorem D needs 0 <= d < n, got d=5 and n=4"),
        (compression_level, (4, -1, 0.5), "Theorem D needs 0 <= d < n, got d=-1 and n=4"),
        (compression_level, (4, 2, 1.0), "Theorem D needs 0 < delta < 1, got delta=1.0"),
        (compression_level, (4, 2, 0.0), "Theorem D needs 0 < delta < 1, got delta=0.0"),
        (compression_level, (4, 2, 0.5, 0), "Theorem D needs rules >= 1, got rules=0"),
        (separated_net, ([[0.0]], 0.0), "Theorem D needs gap > 0, got gap=0.0"),
        (net_size_bound, (1.0, 2, 0.0, 1.0), "Theorem D needs g > 0, got g=0.0"),
        (
            mistakes_outside,
            ([[0]], [1], [1], 1),
            r"Theorem D needs different indices from 0 to 0 in S, got S=\[1\]",
        ),
        (mistakes_outside, ([[0]], [1], [-1], 1), r"indices from 0 to 0 in S, got S=\[-1\]"),
        (
            mistakes_outside,
            (TABLE, Y, [0, 1, 0], 1),
            r"indices from 0 to 2 in S, got S=\[0, 1, 0\]",
        ),
        (
            mistakes_outside,
            (TABLE, Y, [0, 1, 3], 1),
            r"indices from 0 to 2 in S, got S=\[0, 1, 3\]",
        ),
        (mistakes_outside, ([[0]], [1], [0, 0], 1), r"indices from 0 to 0 in S, got S=\[0, 0\]"),
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
        (larger_class_bound, (1, 10, 1.5), "Theorem D needs 0 < delta < 1, got delta=1.5"),
        (larger_class_bound, (1, 10, 0.0), "Theorem D needs 0 < delta < 1, got delta=0.0"),
        (larger_class_bound, (1, 10, math.nan), "Theorem D needs 0 < delta < 1, got delta=nan"),
        (
            net_size_bound,
            (-1e-300, 2, 1.0, 1.0),
            "volumes needs a finite diameter >= 0, got diameter=-1e-300",
        ),
        (
            net_size_bound,
            (1.0, 2, 1.0, -1e-300),
            "volumes needs a finite Lambda >= 0, got Lambda=-1e-300",
        ),
        (
            net_size_bound,
            (1.0, 2, 1.0, math.nan),
            "volumes needs a finite Lambda >= 0, got Lambda=nan",
        ),
        (net_size_bound, (1.0, 2, 1.0, math.inf), "Lambda >= 0, got Lambda=inf"),
        (net_size_bound, (1.0, 0, 1.0, 1.0), "volumes needs F >= 1, got F=0"),
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
def test_what_the_theorem_does_not_cover_is_refused(function, arguments, message):
    """Theorem D: one sentence with argument, condition and value."""
    with pytest.raises(ValueError, match=message):
        function(*arguments)


# ------------------------------------------------------------------------ the classifier on S alone


@given(samples(), st.integers(1, 4), st.data())
@settings(max_examples=60)
def test_the_mistakes_are_those_of_equation_10_with_no_more_neighbors_than_s_has(sample, K, data):
    """Theorem D, equation (10): against `predict` on the members of S, where both classes are
    there.
    """
    points, y, D = sample
    points = points.tolist()
    S = data.draw(st.lists(st.integers(0, len(y) - 1), unique=True))
    minus = [points[j] for j in S if y[j] == -1]
    plus = [points[j] for j in S if y[j] == 1]
    neighbors = min(K, len(minus), len(plus))
    euclidean = [], [], [], [[1.0, 0.0], [0.0, 1.0]]
    expected = 0
    for i, x in enumerate(points):
        if i in S:
            continue
        if neighbors:
            predicted = predict(x, minus, plus, neighbors, *euclidean)
        else:
            predicted = 1 if plus else -1
        expected += predicted != y[i]
    assert mistakes_outside(D, y, S, K) == expected


def test_ties_and_single_classes_by_hand():
    """Theorem D, choice C9: a tie is -1 unless said otherwise; one class answers for all; an empty
    S says the tie.
    """
    assert compressed_prediction([1, 5], [1, 2], K=1) == -1
    assert compressed_prediction([1, 5], [1, 2], K=1, tie=1) == 1
    assert compressed_prediction([1, 5], [1, 2], K=2) == 1
    assert compressed_prediction([1, 2], [1, 5], K=2, tie=1) == -1
    assert compressed_prediction([2, 2, 2], [3, 1], K=3) == -1  # K = 2: a tie
    assert compressed_prediction([], [1], K=1) == 1
    assert compressed_prediction([1], [], K=1, tie=1) == -1
    assert compressed_prediction([], [], K=1) == -1
    assert compressed_prediction([], [], K=1, tie=1) == 1


@given(st.integers(0, 2**31), st.integers(1, 3))
@settings(max_examples=40)
def test_a_net_finer_than_the_gap_of_the_classes_makes_no_mistake(seed, F):
    """Theorem D, nets: opposite classes at least g apart in D: a net of gap g / Lambda has k = 0,
    within the size bound.
    """
    rng = np.random.default_rng(seed)
    points = rng.uniform(size=(30, F)).tolist()
    roots = rng.normal(size=(2, F, F))
    local_metric, background_metric = (roots @ roots.transpose(0, 2, 1)).tolist()
    Theta = [[0.5] * F], [0.3], [local_metric], background_metric
    Lambda = largest_cost(*Theta)
    y = np.array([1 if x[0] > 0.5 else -1 for x in points])
    D = pairwise_distances(points, *Theta)
    g = np.min(D, where=y[:, None] != y, initial=math.inf)
    if g == math.inf:  # one class
        g = 1.0
    gap = g / Lambda * (1 - 1e-9)
    net = separated_net(points, gap)
    assert mistakes_outside(D, y, net, K=1) == 0

    gaps = cdist(points, points)
    for i, j in itertools.combinations(net, 2):
        assert gaps[i, j] >= gap
    assert np.all(gaps[:, net].min(axis=1) < gap)
    size_bound = net_size_bound(gaps.max(), F, g, Lambda)
    assert len(net) <= size_bound * (1 + 1e-6)


def test_the_size_of_a_net_by_hand():
    """Theorem D, nets: (1 + 2 * 3 * 2 / 4)^2 = 16; of 0, 1, 2, 5 those at least 2 apart are 0, 2
    and 5.
    """
    assert separated_net([[0], [1], [2], [5]], gap=2) == [0, 2, 3]
    tiny = Fraction(1, 10**20)
    assert separated_net([[0], [2 - tiny], [2]], gap=2) == [0, 2]
    assert separated_net([[0], [tiny], [2 * tiny]], gap=2 * tiny) == [0, 2]
    assert net_size_bound(diameter=2.0, F=2, g=4.0, Lambda=3.0) == 16
    assert net_size_bound(diameter=2.0, F=100, g=1e-9, Lambda=1.0) == math.inf  # beyond the floats


# --------------------------------------------------------------------------------------- the search


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
