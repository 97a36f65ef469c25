"""Theorem B: tests of `lmlir.hull`.

Expected values: all chains by enumeration, SciPy's shortest paths, exact fractions.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from independent import fractions
from scipy.sparse.csgraph import csgraph_from_dense, shortest_path
from scipy.spatial.distance import cdist

from lmlir.continuity import repaired_capacity, spectral_scale
from lmlir.distance import distance
from lmlir.hull import (
    chain_length,
    check_dissimilarity,
    hull_capacity,
    hull_decision_values,
    hull_distances,
    largest_cost,
    metric_hull,
    pairwise_distances,
    smallest_cost,
    smallest_scale,
)

I2 = [[1.0, 0.0], [0.0, 1.0]]
# Three coincident balls that cost nothing, from 12 to 16 on the line (as in E7): D(0, 12) = 12,
# D(0, 16) = 4.
FREE_BALLS = (
    [fractions(14)] * 3,
    [Fraction(2)] * 3,
    [[fractions(0)]] * 3,
    [fractions(1)],
)
TANGENT_BALL = [[0.0, 0.0]], [1.0], [[[4.0, 0.0], [0.0, 4.0]]], I2  # erratum E6's ball


@st.composite
def dissimilarities(draw, most=5, largest=12):
    """A symmetric table of fractions >= 0 with zeros on its diagonal."""
    n = draw(st.integers(1, most))
    lengths = draw(st.lists(st.integers(0, largest), min_size=n * n, max_size=n * n))
    table = [[Fraction(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            table[i][j] = table[j][i] = Fraction(lengths[i * n + j], 3)
    return table


@st.composite
def planes(draw):
    """Three to six points and up to three balls, which may overlap, with any positive definite
    metrics, in one to three dimensions.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    F = draw(st.integers(1, 3))
    S = draw(st.integers(0, 3))
    n = draw(st.integers(3, 6))
    roots = rng.normal(size=(S + 1, F, F))
    metrics = roots @ roots.transpose(0, 2, 1) + 0.05 * np.eye(F)
    background_metric, *local_metrics = metrics.tolist()
    points = rng.normal(size=(n, F)).tolist()
    centers = rng.normal(size=(S, F)).tolist()
    radii = rng.uniform(0, 1.5, S).tolist()
    return points, (centers, radii, local_metrics, background_metric)


def grid(n):
    """The points of a square grid around 0, in the plane."""
    side = np.linspace(-3, 3, n).tolist()
    return [[x, y] for x in side for y in side]


def is_pseudometric(d):
    """Symmetric, 0 on the diagonal, with the triangle inequality."""
    n = range(len(d))
    for i in n:
        if d[i][i] != 0:
            return False
    for i, j, k in itertools.product(n, n, n):
        if d[i][j] != d[j][i]:
            return False
        if not 0 <= d[i][j] <= d[i][k] + d[k][j]:
            return False
    return True


def is_below(first, second):
    """Whether no entry of the first table is larger than that of the second."""
    n = range(len(first))
    return all(first[i][j] <= second[i][j] for i in n for j in n)


# ------------------------------------------------------------------------------ on any finite table


@given(dissimilarities())
@settings(max_examples=60)
def test_the_hull_is_the_least_length_over_all_chains(D):
    """Theorem B: against every chain without a repeated stop, by enumeration."""
    n = range(len(D))
    rho = metric_hull(D)
    for i, j in itertools.product(n, n):
        stops = [k for k in n if k not in (i, j)]
        shortest = math.inf
        for size in range(len(stops) + 1):
            for some in itertools.permutations(stops, size):
                hops = itertools.pairwise([i, *some, j])
                length = sum(D[a][b] for a, b in hops)
                shortest = min(shortest, length)
        assert rho[i][j] == shortest


@given(dissimilarities(most=7))
@settings(max_examples=60)
def test_the_hull_is_what_scipy_calls_the_shortest_paths(D):
    """Theorem B: against `scipy.sparse.csgraph`, where a length of 0 is an edge."""
    table = np.array(D, dtype=float)
    graph = csgraph_from_dense(table, null_value=np.inf)
    expected = shortest_path(graph)
    rho = np.array(metric_hull(D), dtype=float)
    np.testing.assert_allclose(rho, expected, rtol=1e-13, atol=1e-15)


@given(dissimilarities(most=6))
@settings(max_examples=60)
def test_the_hull_is_a_pseudometric_below_d_and_its_own_hull(D):
    """Theorem B: symmetry, triangle inequality, rho <= D, idempotent, in exact fractions."""
    rho = metric_hull(D)
    assert is_pseudometric(rho)
    assert is_below(rho, D)
    assert metric_hull(rho) == rho
    assert (rho == D) == is_pseudometric(D)


@given(dissimilarities(most=6), st.data())
@settings(max_examples=80)
def test_every_pseudometric_below_d_is_below_the_hull(D, data):
    """Theorem B: d(i, j) = c max_h |h(i) - h(j)| with the largest c that keeps it below D."""
    n = len(D)
    heights = st.lists(st.integers(-9, 9), min_size=n, max_size=n)
    first = data.draw(heights)
    second = data.draw(heights)
    below = [[Fraction(0)] * n for _ in range(n)]
    c = math.inf
    for i, j in itertools.product(range(n), range(n)):
        d = max(abs(first[i] - first[j]), abs(second[i] - second[j]))
        below[i][j] = Fraction(d)
        if d > 0:
            c = min(c, D[i][j] / d)
    if c < math.inf:
        below = [[c * entry for entry in row] for row in below]
    assert is_pseudometric(below)
    assert is_below(below, D)
    assert is_below(below, metric_hull(D))


@given(dissimilarities(most=6))
@settings(max_examples=40)
def test_more_stops_never_make_a_chain_longer(D):
    """Theorem B: the hull on more points is at most the hull on fewer, and at least a common lower
    bound.
    """
    fewer = metric_hull([row[:-1] for row in D[:-1]])
    more = metric_hull(D)
    without_the_last = [row[:-1] for row in more[:-1]]
    assert is_below(without_the_last, fewer)


def test_a_chain_is_as_long_as_its_hops():
    """Theorem B: 1 + 2 + 5 by hand, and nothing for a single point."""
    D = [[0, 1, 5], [1, 0, 2], [5, 2, 0]]
    assert chain_length(D, [0, 1, 2, 0]) == 8
    assert chain_length(D, [2]) == 0
    assert chain_length(D, []) == 0


@pytest.mark.parametrize(
    ("D", "message"),
    [
        ([[0, 1]], "Theorem B needs a square table, got 1 rows and a row of length 2"),
        ([[1]], r"Theorem B needs D\[i\]\[i\] = 0, got D\[0\]\[0\]=1"),
        ([[0, -1], [-1, 0]], r"Theorem B needs D\[i\]\[j\] >= 0, got D\[1\]\[0\]=-1"),
        (
            [[0, 1], [2, 0]],
            r"Theorem B needs D\[i\]\[j\] = D\[j\]\[i\], got D\[0\]\[1\]=1 and D\[1\]\[0\]=2",
        ),
        (
            [[0, float("nan")], [float("nan"), 0]],
            r"Theorem B needs D\[i\]\[j\] >= 0, got D\[1\]\[0\]=nan",
        ),
    ],
)
def test_a_table_that_is_no_dissimilarity_is_refused(D, message):
    """Theorem B: one sentence with the entry."""
    with pytest.raises(ValueError, match=message):
        check_dissimilarity(D)
    with pytest.raises(ValueError, match=message):
        metric_hull(D)


@pytest.mark.parametrize("i", range(4))
@pytest.mark.parametrize("j", range(4))
def test_one_bad_length_anywhere_spoils_a_table(i, j):
    """Theorem B: a single length is crooked, or not 0 from a point to itself, by any amount; or it
    is negative.
    """
    tiny = Fraction(1, 10**20)
    crooked = r"= D\[j\]\[i\], got"
    negative = r">= 0, got"
    if i == j:
        crooked = negative = r"= 0, got"
    for change in (tiny, -tiny):
        D = [[Fraction(int(row != column)) for column in range(4)] for row in range(4)]
        check_dissimilarity(D)
        D[i][j] += change
        with pytest.raises(ValueError, match=crooked):
            check_dissimilarity(D)
        D[i][j] = D[j][i] = -tiny
        with pytest.raises(ValueError, match=negative):
            check_dissimilarity(D)


# ---------------------------------------------------------------------------------- of equation (9)


@given(planes(), st.booleans())
@settings(max_examples=60)
def test_values_are_bounded_by_the_largest_and_the_smallest_cost(plane, exact):
    """Theorem B: mu |x - y| <= rho <= D <= Lambda |x - y|, and Lambda <= s(M(B)) + sum s(M(A_s))
    (E5).
    """
    points, Theta = plane
    *_, local_metrics, background_metric = Theta
    Lambda = largest_cost(*Theta)
    mu = smallest_cost(local_metrics, background_metric)
    scales = [spectral_scale(M) for M in (*local_metrics, background_metric)]
    assert Lambda <= sum(scales) * (1 + 1e-12)

    D = pairwise_distances(points, *Theta, exact=exact)
    rho = hull_distances(points, *Theta, exact=exact)
    for i, x in enumerate(points):
        for j, y in enumerate(points):
            gap = math.dist(x, y)
            # gamma's error near a tangency is the root of the rounding error
            slack = 1e-9 * (1 + gap)
            assert mu * gap - slack <= rho[i][j]
            assert rho[i][j] <= D[i][j]
            assert D[i][j] <= Lambda * gap + slack

    least = np.linalg.eigvalsh(background_metric)[0]
    assert smallest_scale(background_metric) == pytest.approx(math.sqrt(least), rel=1e-9)


@given(planes())
@settings(max_examples=40)
def test_no_point_costs_more_than_the_largest_cost(plane):
    """Theorem B: at random points, s(M(B)) outside all balls, else the sum of the s(M(A_s)) of the
    balls around it.
    """
    _, Theta = plane
    centers, radii, local_metrics, background_metric = Theta
    F = len(background_metric)
    places = np.random.default_rng(0).normal(size=(50, F)).tolist() + centers
    for place in places:
        around = []
        for o, r, M in zip(centers, radii, local_metrics, strict=True):
            if math.dist(o, place) <= r:
                around.append(M)
        if not around:
            around = [background_metric]
        cost = sum(math.sqrt(np.linalg.norm(M, 2)) for M in around)
        assert cost <= largest_cost(*Theta) * (1 + 1e-12)


def test_the_costs_by_hand():
    """Theorem B: balls at 0 and 1 meet and cost 2 + 3, the one at 9 costs 4; the least scale is the
    background's 1.
    """
    Theta = [[0], [1], [9]], [1, 1, 1], [[[4]], [[9]], [[16]]], [[1]]
    assert largest_cost(*Theta) == 5
    assert smallest_cost(*Theta[2:]) == 1
    assert largest_cost([], [], [], [[Fraction(49)]]) == 7
    for place in range(3):
        M = [fractions(1, 0, 0), fractions(0, 1, 0), fractions(0, 0, 1)]
        M[place][place] = Fraction(1, 9)
        assert smallest_scale(M) == Fraction(1, 3)
    # eigenvalues 3 and 1
    assert smallest_scale([[2.0, 1.0], [1.0, 2.0]]) == pytest.approx(1, rel=1e-15)
    assert smallest_scale([[1.0, 1.0], [1.0, 1.0]]) == pytest.approx(0, abs=1e-7)
    assert smallest_scale([[1.0, 1 + 1e-8], [1 + 1e-8, 1.0]]) == 0  # an eigenvalue of -1e-8


@pytest.mark.parametrize("exact", [False, True])
def test_the_hull_is_lipschitz_on_a_grid_and_the_distance_is_not(exact):
    """Theorem B, against Lemma 1 (E6): one expensive and one cheap ball; every x, y, z of a
    grid.
    """
    expensive = [[16.0, 0.0], [0.0, 9.0]]
    cheap = [[0.01, 0.0], [0.0, 0.04]]
    Theta = [[0.0, 0.0], [1.5, 0.5]], [1.0, 1.0], [expensive, cheap], I2
    points = grid(7)
    D = pairwise_distances(points, *Theta, exact=exact)
    rho = metric_hull(D)
    Lambda = largest_cost(*Theta)
    gaps = cdist(points, points)
    apart = gaps > 0

    def steepest(table):
        d = np.array(table)
        rises = np.abs(d[:, None, :] - d[None, :, :]).max(axis=2)
        quotients = rises[apart] / gaps[apart]
        return float(quotients.max())

    assert steepest(rho) <= Lambda * (1 + 1e-12)
    assert steepest(D) > Lambda


def test_the_hull_goes_around_an_expensive_ball():
    """Theorem B: from (-2, 0) to (2, 0) past a unit ball of cost 10: 22 straight, 2 sqrt 3 + pi/3
    around it at best; twelve stops on an arc just outside come within 2 %, from above.
    """
    Theta = [[0.0, 0.0]], [1.0], [[[100.0, 0.0], [0.0, 100.0]]], I2
    ends = [[-2.0, 0.0], [2.0, 0.0]]
    arc = []
    for t in np.linspace(math.pi / 3, 2 * math.pi / 3, 12):
        arc.append([1.01 * math.cos(t), 1.01 * math.sin(t)])
    rho = hull_distances(ends + arc, *Theta)[0][1]
    around = 2 * math.sqrt(3) + math.pi / 3
    assert distance(*ends, *Theta) == pytest.approx(22, rel=1e-12)
    assert around <= rho <= 1.02 * around


# ---------------------------------------------------------------------------- chains and new points


def test_a_new_point_through_the_sample_alone_has_no_lipschitz_bound():
    """Theorem B: the sample P = {0}, Lambda = 1.

    To add 12 alone gives rho = 12, to add 16 alone gives 4: a slope of 2. Added together both are 4
    away. In fractions.
    """
    z = fractions(0)
    x = fractions(12)
    y = fractions(16)
    sample = [z, x, y]
    assert largest_cost(*FREE_BALLS) == 1
    x_alone = hull_distances([z, x], *FREE_BALLS)[0][1]
    y_alone = hull_distances([z, y], *FREE_BALLS)[0][1]
    assert x_alone == 12
    assert y_alone == 4
    assert abs(x_alone - y_alone) > 1 * 4
    assert pairwise_distances(sample, *FREE_BALLS)[0][1:] == [12, 4]
    assert hull_distances(sample, *FREE_BALLS)[0][1:] == [4, 4]
    # the exact gamma_b counts balls once
    assert hull_distances(sample, *FREE_BALLS, exact=True)[0][1:] == [12, 12]


@pytest.mark.parametrize(
    ("e", "quotient"),
    [
        (1e-2, 20),
        (1e-4, 200),
        (1e-6, 2000),
        (1e-8, 20000),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_a_new_point_near_a_tangent_can_be_as_steep_as_one_likes(e, quotient, exact):
    """Theorem B, E6: sample {(-3, 1), (3, -3)}, Lambda = 2; added alone, (3, 1) and (3, 1 - e)
    differ by sqrt e.
    """
    sample = [[-3.0, 1.0], [3.0, -3.0]]
    x = [3.0, 1.0]
    y = [3.0, 1 - e]
    x_alone = hull_distances([x, *sample], *TANGENT_BALL, exact=exact)[0][1]
    y_alone = hull_distances([y, *sample], *TANGENT_BALL, exact=exact)[0][1]
    from_x, from_y, *_ = hull_distances([x, y, *sample], *TANGENT_BALL, exact=exact)
    assert largest_cost(*TANGENT_BALL) == 2
    assert abs(x_alone - y_alone) / e == pytest.approx(quotient, rel=0.01)
    assert abs(from_x[2] - from_y[2]) <= 2 * e * (1 + 1e-6)


# -------------------------------------------------------------------------- classifier and capacity


def test_the_classifier_on_the_hull_by_hand():
    """Theorem B, equation (10): 0 and 28 mirror each other around the free balls; each point alone,
    then together.
    """
    scene = [fractions(0)], [fractions(28)], 1, *FREE_BALLS
    assert hull_decision_values([[12]], *scene) == [8]
    assert hull_decision_values([[16]], *scene) == [-8]
    assert hull_decision_values([[12], [16]], *scene) == [0, 0]
    assert hull_decision_values([[12]], *scene, exact=True) == [0]
    without = [], [], [], [[1.0]]
    minus = [[1.0], [3.0]]
    assert hull_decision_values([[0.0]], minus, [[-4.0], [-6.0]], 2, *without) == [-3.0]
    message = "K must be a whole number from 1 to 1, the number of instances of the "
    with pytest.raises(ValueError, match=message + "positive"):
        hull_decision_values([[0.0]], minus, [[-4.0]], 2, *without)
    with pytest.raises(ValueError, match=message + "negative"):
        hull_decision_values([[0.0]], [[1.0]], [[-4.0], [2.0]], 2, *without)


@given(planes(), st.data())
@settings(max_examples=60)
def test_the_classifier_on_the_hull_is_lipschitz_with_twice_the_cost(plane, data):
    """Theorem B, equation (10): |f(x) - f(y)| <= 2 Lambda |x - y| for all x and y of one call."""
    points, Theta = plane
    F = len(points[0])
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31)))
    X_minus, X_plus = rng.normal(size=(2, 3, F)).tolist()
    K = data.draw(st.integers(1, 3))
    values = hull_decision_values(points, X_minus, X_plus, K, *Theta)
    steepest = 2 * largest_cost(*Theta)
    for x, f_x in zip(points, values, strict=True):
        for y, f_y in zip(points, values, strict=True):
            bound = steepest * math.dist(x, y)
            assert abs(f_x - f_y) <= bound * (1 + 1e-9) + 1e-9


def test_the_capacity_is_that_of_the_repaired_corollary_for_a_lipschitz_function():
    """Theorem B, Corollary 1: by hand 1 + 32 * 3 * 2 / 8 = 25, squared; without regions
    `repaired_capacity` agrees.
    """
    assert hull_capacity(diameter=2.0, F=2, margin=8.0, Lambda=3.0) == 625
    assert hull_capacity(diameter=1.0, F=1, margin=64.0, Lambda=1.0) == 1.5
    assert hull_capacity(0.0, 5, 1.0, 1.0) == 1
    assert hull_capacity(1.0, 5, 1.0, 0.0) == 1
    assert hull_capacity(1.0, 1, 2.0**-300, 1.0) == 2.0**305
    without_regions = [], [], [], (16 * np.eye(30)).tolist()
    repaired = repaired_capacity(2.0, 30, 0.5, *without_regions)
    assert hull_capacity(2.0, 30, 0.5, 4.0) == pytest.approx(repaired, rel=1e-9)
    assert hull_capacity(1e200, 2, 1.0, 1.0) == math.inf


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, 2, 0.0, 1.0), "Theorem B needs margin > 0, got margin=0.0"),
        (
            (-1e-300, 2, 1.0, 1.0),
            "a comparison of volumes needs a finite diameter >= 0, got diameter=-1e-300",
        ),
        (
            (math.inf, 2, 1.0, 1.0),
            "a comparison of volumes needs a finite diameter >= 0, got diameter=inf",
        ),
        (
            (1.0, 2, 1.0, -1e-300),
            "a comparison of volumes needs a finite Lambda >= 0, got Lambda=-1e-300",
        ),
        ((1.0, 0, 1.0, 1.0), "a comparison of volumes needs F >= 1, got F=0"),
    ],
)
def test_a_capacity_without_sense_is_refused(arguments, message):
    """Theorem B: one sentence with argument and value."""
    with pytest.raises(ValueError, match=message):
        hull_capacity(*arguments)
