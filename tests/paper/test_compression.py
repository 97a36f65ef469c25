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
    binomial_tail,
    compressed_prediction,
    compression_bound,
    compression_level,
    larger_class_bound,
    mistakes_outside,
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
