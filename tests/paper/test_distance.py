"""Sections 2 and 3.2: tests of `lmlir.distance`."""

import math
from fractions import Fraction
from itertools import pairwise, permutations

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from independent import EPS, close, fractions, gamma, is_finite, numbers
from scipy.spatial.distance import pdist

from lmlir.distance import (
    all_ratios,
    approximate_background_ratio,
    background_intersection_length,
    background_intervals,
    balls_are_disjoint,
    covered_intervals,
    distance,
    distance_without_overlap,
    euclidean_distance,
    exact_background_ratio,
    intersection_length,
    intersection_length_by_ratio,
    merged_intervals,
    segment_length,
    segment_metric,
    weighted_lengths,
)
from lmlir.regions import background_length, is_in_background

small = st.integers(-24, 24).map(lambda n: Fraction(n, 6))
widths = st.integers(0, 18).map(lambda n: Fraction(n, 6))
eighths = st.integers(0, 16).map(lambda n: Fraction(n, 16))
eighths_in_order = st.tuples(eighths, eighths).map(sorted).map(tuple)
intervals = st.lists(eighths_in_order, max_size=6)
# metrics of the line whose roots are whole
squares = st.integers(0, 5).map(lambda n: Fraction(n * n))


@st.composite
def line_scenes(draw):
    """Two points and up to four balls of the line with metrics that are squares: everything is a
    fraction.
    """
    x_i = [draw(small)]
    x_j = [draw(small)]
    S = draw(st.integers(0, 4))
    centers = [[draw(small)] for _ in range(S)]
    radii = [draw(widths) for _ in range(S)]
    local_metrics = [[[draw(squares)]] for _ in range(S)]
    background_metric = [[draw(squares)]]
    return x_i, x_j, centers, radii, local_metrics, background_metric


@st.composite
def space_scenes(draw, disjoint=False):
    """Two points and up to three balls in F <= 3 dimensions with random metrics, in floats;
    disjoint balls if asked.
    """
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    F = draw(st.integers(1, 3))
    S = draw(st.integers(0, 3))
    x_i, x_j = rng.normal(size=(2, F)).tolist()
    centers = rng.normal(size=(S, F))
    radii = rng.uniform(0, 2, size=S)
    if disjoint:
        centers *= 3
        if S > 1:
            gaps = pdist(centers)
            radii *= min(gaps) / 5  # two radii are at most 4/5 of the smallest gap

    roots = rng.normal(size=(S + 1, F, F))
    *local_metrics, background_metric = [(root.T @ root).tolist() for root in roots]
    return x_i, x_j, centers.tolist(), radii.tolist(), local_metrics, background_metric


# ---------------------------------------------------------------------------------- what is covered


@given(intervals)
@example([(Fraction(0), Fraction(1, 4)), (Fraction(1, 4), Fraction(1, 2))])  # a shared end
@example([(Fraction(0), Fraction(1)), (Fraction(1, 4), Fraction(1, 2))])  # nested
@example([(Fraction(1, 4), Fraction(1, 2)), (Fraction(1, 4), Fraction(1, 2))])  # identical
@example([(Fraction(1, 2), Fraction(1, 2))])  # no length
@settings(max_examples=100)
def test_merging_keeps_the_union_and_leaves_no_overlap(pieces):
    """Definition 5, footnote (C24): every 32nd of [0, 1] is covered before as after, and no two
    pieces touch.
    """
    merged = merged_intervals(pieces)

    def is_covered(point, intervals):
        return any(start < point < end for start, end in intervals)

    for n in range(16):
        middle = Fraction(2 * n + 1, 32)  # between the ends, which are 16ths
        assert is_covered(middle, pieces) == is_covered(middle, merged)
    ends = [end for piece in merged for end in piece]
    for previous, following in pairwise(ends):
        assert previous < following


def test_three_balls_leave_three_pieces():
    """Definition 5, equation (3): balls [1, 3], [2, 4] and [7, 9] on the segment [0, 8]."""
    x_i = [Fraction(0)]
    x_j = [Fraction(8)]
    centers = [fractions(2), fractions(3), fractions(8)]
    radii = [1, 1, 1]
    eighth = Fraction(1, 8)
    covered = [(eighth, 4 * eighth), (7 * eighth, 1)]
    free = [(0, eighth), (4 * eighth, 7 * eighth)]
    assert covered_intervals(x_i, x_j, centers, radii) == covered
    assert background_intervals(x_i, x_j, centers, radii) == free
    assert exact_background_ratio(x_i, x_j, centers, radii) == 4 * eighth


OUTER_QUARTERS = [
    (0, Fraction(1, 4)),
    (Fraction(3, 4), 1),
]


@pytest.mark.parametrize(
    ("centers", "radii", "pieces"),
    [
        ([], [], [(0, 1)]),  # S = 0
        ([[4]], [4], []),  # one ball covers all
        ([[0], [8]], [4, 4], []),  # two balls meet in the middle
        ([[4], [4]], [1, 2], OUTER_QUARTERS),  # nested
        ([[4], [4]], [2, 2], OUTER_QUARTERS),  # identical
    ],
)
def test_the_background_of_special_scenes(centers, radii, pieces):
    """Definition 5, equation (3): no ball, a covering ball, touching, nested and identical
    balls.
    """
    assert background_intervals(fractions(0), fractions(8), centers, radii) == pieces


def test_pieces_and_gaps_of_any_length_count():
    """Definition 5: on [0, 1] the balls leave 2 t in the middle, t at the end or t at the start, t
    = 1e-20.
    """
    t = Fraction(1, 10**20)
    half = Fraction(1, 2)
    two_pieces = [(Fraction(0), t), (2 * t, Fraction(1))]
    assert merged_intervals(two_pieces) == two_pieces

    start = fractions(0)
    end = fractions(1)
    assert background_intervals(start, end, [start, end], [half - t] * 2) == [(half - t, half + t)]
    assert background_intervals(start, end, [start], [1 - t]) == [(1 - t, 1)]
    assert background_intervals(start, end, [end], [1 - t]) == [(0, t)]


@given(line_scenes())
@settings(max_examples=80)
def test_the_exact_background_ratio_counts_what_no_ball_covers(scene):
    """Section 3.2, gamma_b: against counting cells of width 1/6; all balls and segments end on a
    multiple of it.
    """
    x_i, x_j, centers, radii, _, _ = scene
    start = x_i[0]
    width = x_j[0] - start
    assume(width != 0)
    cells = int(abs(width) * 6)
    free = 0
    for n in range(cells):
        middle = start + (n + Fraction(1, 2)) * width / cells
        if all(abs(middle - o[0]) > r for o, r in zip(centers, radii, strict=True)):
            free += 1
    assert exact_background_ratio(x_i, x_j, centers, radii) == Fraction(free, cells)


def test_the_approximate_ratio_counts_an_overlap_once_per_ball():
    """Section 3.2, gamma_b (E14): S balls on the same part, 1 - 1/S of the segment is lost."""
    for S in (1, 2, 5):
        centers = [fractions(1)] * S
        radii = [1] * S
        share = Fraction(1, S)
        exact = exact_background_ratio(fractions(0), fractions(2 * S), centers, radii)
        approximate = approximate_background_ratio([share] * S)
        assert exact - approximate == 1 - share
    third = Fraction(1, 3)
    assert approximate_background_ratio([]) == 1
    assert approximate_background_ratio([third, third]) == third


@pytest.mark.parametrize(
    ("centers", "radii", "disjoint"),
    [
        ([], [], True),
        ([[0, 0]], [5], True),
        ([[0, 0], [3, 4]], [2, 2], True),
        ([[0, 0], [3, 4]], [2, 3], False),
        ([[0, 0], [3, 4]], [3, 2], False),
        ([[0, 0], [3, 4]], [1, 3], True),
    ],
)
def test_touching_balls_overlap(centers, radii, disjoint):
    """Proposition 2's premise (C23): balls are closed, so two that touch share a point."""
    assert balls_are_disjoint(centers, radii) is disjoint


FOUR_CENTERS = [
    fractions(0, 0),
    fractions(3, 4),
    fractions(99, 0),
    fractions(0, 99),
]


@pytest.mark.parametrize("centers", list(permutations(FOUR_CENTERS)))
def test_an_overlap_of_any_two_of_four_balls_counts(centers):
    """Proposition 2's premise is for all i != j: two balls touch, whichever the places of these two
    in the list.
    """
    touching = Fraction(5, 2)
    apart = touching - Fraction(1, 10**20)
    assert balls_are_disjoint(centers, [touching] * 4) is False
    assert balls_are_disjoint(centers, [apart] * 4) is True


# ------------------------------------------------------------------------------------------ lengths


def test_the_lengths_of_the_parts_by_hand():
    """Definitions 6 and 7, equations (4), (5) and (6): [0, 8], balls [1, 3] and [2, 4], metrics 4,
    9 and M(B) = 1.
    """
    x_i = fractions(0)
    x_j = fractions(8)
    centers = [fractions(2), fractions(3)]
    radii = [1, 1]
    four = [[Fraction(4)]]
    nine = [[Fraction(9)]]
    one = [[Fraction(1)]]
    assert intersection_length(x_i, x_j, centers[0], 1, four) == 4
    assert intersection_length_by_ratio(x_i, x_j, centers[1], 1, nine) == 6
    assert background_intersection_length(x_i, x_j, centers, radii, one) == 5
    assert segment_length(x_i, x_j, centers, radii, [four, nine], one) == 5 + 4 + 6


@pytest.mark.parametrize(
    ("in_the_ball", "length"),
    [
        (4, 10),
        (0, 6),
        (1, 8),
    ],
)
def test_a_segment_that_leaves_the_background_has_another_length(in_the_ball, length):
    """Definition 4, remark 2: from -4 to 4 through the ball [-1, 1], M(B) = 1; by hand 6 + 2
    sqrt(M(A)).
    """
    x_i = fractions(-4)
    x_j = fractions(4)
    ball = [[0]], [1]
    assert is_in_background(x_i, *ball)
    assert is_in_background(x_j, *ball)
    through_a_ball = segment_length(x_i, x_j, *ball, [[[in_the_ball]]], [[1]])
    in_the_background = background_length(x_i, x_j, [[1]])
    assert through_a_ball == length
    assert (through_a_ball == in_the_background) == (in_the_ball == 1)


@pytest.mark.parametrize("center", [fractions(2, 1), fractions(2, 3), fractions(-4, 3)])
def test_a_tangent_and_a_miss_have_no_length(center):
    """Definition 6: tangent, no intersection, and an end point on the sphere."""
    radius = 5 if center[0] < 0 else 1
    x_i = fractions(0, 0)
    x_j = fractions(4, 0)
    assert intersection_length(x_i, x_j, center, radius, [[1, 0], [0, 1]]) == 0


@given(line_scenes())
@settings(max_examples=80)
def test_the_ratio_times_the_length_is_the_length_of_the_part(scene):
    """Proposition 1, equation (6): the part from p to q, and gamma times the whole, in exact
    fractions.
    """
    x_i, x_j, centers, radii, local_metrics, _ = scene
    for region in zip(centers, radii, local_metrics, strict=True):
        expected = intersection_length(x_i, x_j, *region)
        assert intersection_length_by_ratio(x_i, x_j, *region) == expected


@given(line_scenes())
@settings(max_examples=80)
def test_equation_9_with_the_exact_ratio_is_definition_7(scene):
    """Equation (9) and Definition 7, equation (5): the same number from ratios and from pieces,
    overlap or not.
    """
    assert distance(*scene, exact=True) == segment_length(*scene)


@given(space_scenes())
@settings(max_examples=60)
def test_equation_9_with_the_exact_ratio_is_definition_7_in_space(scene):
    """Equation (9) and Definition 7 in up to three dimensions with random metrics."""
    expected = segment_length(*scene)
    assert distance(*scene, exact=True) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(space_scenes(disjoint=True))
@settings(max_examples=60)
def test_without_overlap_all_forms_agree(scene):
    """Proposition 2, equation (8): from pieces, with either gamma_b, and by the ratios alone."""
    _, _, centers, radii, _, _ = scene
    assume(balls_are_disjoint(centers, radii))
    expected = pytest.approx(distance_without_overlap(*scene), rel=1e-12, abs=1e-12)
    assert distance(*scene) == expected
    assert distance(*scene, exact=True) == expected
    assert segment_length(*scene) == expected


def test_four_balls_without_overlap_by_hand():
    """Proposition 2, equation (8): [0, 16], four balls of length 2, metrics 4, 9, 16, 25, M(B) = 1:
    8 + 2 (2 + 3 + 4 + 5).
    """
    centers = [[1], [5], [9], [13]]
    radii = [1, 1, 1, 1]
    metrics = [[[4]], [[9]], [[16]], [[25]]]
    scene = fractions(0), fractions(16), centers, radii, metrics, [[1]]
    assert distance_without_overlap(*scene) == 36
    assert distance(*scene) == 36
    assert segment_length(*scene) == 36


def test_overlap_is_refused_where_the_proposition_needs_none():
    """Proposition 2."""
    with pytest.raises(ValueError, match="Proposition 2 needs balls that do not overlap"):
        distance_without_overlap([0], [8], [[2], [3]], [1, 1], [[[1]], [[1]]], [[1]])


# ----------------------------------------------------------------------------------------- distance


def test_the_distance_by_hand():
    """Equation (9), Figure 1: [0, 8], balls [1, 3] and [6, 7], metrics 4 and 9, M(B) = 1: 5 + 2*2 +
    1*3.
    """
    half = Fraction(1, 2)
    regions = {
        "centers": [fractions(2), fractions("13/2")],
        "radii": [1, half],
        "local_metrics": [[[4]], [[9]]],
        "background_metric": [[1]],
    }
    eighth = Fraction(1, 8)
    assert distance(fractions(0), fractions(8), **regions) == 12
    assert weighted_lengths(5 * eighth, [2 * eighth, eighth], 8, [16, 24]) == 12


def test_stacked_regions_by_hand():
    """Equation (9) (E7, E14): three balls [0, 1] on [0, 3], all metrics 1: 3 with the approximate
    gamma_b, 5 exact.
    """
    half = Fraction(1, 2)
    centers = [[half]] * 3
    radii = [half] * 3
    scene = fractions(0), fractions(3), centers, radii, [[[1]]] * 3, [[1]]
    assert distance(*scene) == 3
    assert distance(*scene, exact=True) == 5


@given(space_scenes())
@settings(max_examples=60)
def test_the_distance_agrees_with_fifty_digits(scene):
    """Equation (9): the same formula written once more, with Table 1 as printed, in mpmath."""
    x_i, x_j, centers, radii, local_metrics, background_metric = scene
    with mpmath.workdps(50):
        d = mpmath.matrix(x_i) - mpmath.matrix(x_j)

        def length(M):
            square = d.T * mpmath.matrix(M) * d
            return mpmath.sqrt(square[0])

        free = mpmath.mpf(1)
        expected = mpmath.mpf(0)
        for o, r, M in zip(centers, radii, local_metrics, strict=True):
            ratio = gamma(x_i, x_j, o, r)
            free -= ratio
            expected += ratio * length(M)
        expected += max(free, 0) * length(background_metric)
        exact = distance(*map(numbers, scene))
        assert close(exact, expected, 1e-40)
        # tangents cost half the digits
        assert distance(*scene) == pytest.approx(float(expected), rel=1e-6, abs=1e-6)


@given(space_scenes(), st.booleans())
@settings(max_examples=60)
def test_the_distance_is_symmetric_and_not_negative(scene, exact):
    """Section 2 and equation (9): D(x_i, x_j) = D(x_j, x_i) >= 0, and 0 for equal points."""
    x_i, x_j, *Theta = scene
    there = distance(x_i, x_j, *Theta, exact=exact)
    back = distance(x_j, x_i, *Theta, exact=exact)
    assert there == pytest.approx(back, rel=1e-6, abs=1e-6)  # a tangent rounds like a square root
    assert there >= 0
    assert distance(x_i, x_i, *Theta, exact=exact) == 0


@given(line_scenes(), st.booleans())
@settings(max_examples=60)
def test_the_distance_is_exactly_symmetric_in_fractions(scene, exact):
    """Equation (9): no rounding, no difference."""
    x_i, x_j, *Theta = scene
    there = distance(x_i, x_j, *Theta, exact=exact)
    back = distance(x_j, x_i, *Theta, exact=exact)
    assert there == back


@given(line_scenes())
@settings(max_examples=60)
def test_the_approximate_distance_never_exceeds_the_exact_one(scene):
    """Equation (9) (E14): sum gamma is at least the measure of the union."""
    assert distance(*scene) <= distance(*scene, exact=True)


@given(line_scenes())
@settings(max_examples=60)
def test_equal_metrics_do_not_give_back_the_length_where_regions_overlap(scene):
    """Equation (9) (E14): max(1, sum gamma) times the length, or 1 - union + sum gamma times it
    with the exact gamma_b.
    """
    x_i, x_j, centers, radii, _, _ = scene
    Theta = centers, radii, [[[1]]] * len(radii), [[1]]
    start, end = sorted([x_i[0], x_j[0]])
    length = end - start
    in_balls = 0
    for o, r in zip(centers, radii, strict=True):
        overlap = min(end, o[0] + r) - max(start, o[0] - r)
        in_balls += max(overlap, 0)
    assert distance(x_i, x_j, *Theta) == max(length, in_balls)
    if length:
        free = exact_background_ratio(x_i, x_j, centers, radii) * length
        assert distance(x_i, x_j, *Theta, exact=True) == free + in_balls


def test_without_regions_the_distance_is_the_background_length():
    """Equation (9) with S = 0."""
    assert distance(fractions(0, 0), fractions(3, 4), [], [], [], [[4, 0], [0, 4]]) == 10
    assert distance([0.0], [2.0], [], [], [], [[0.0]]) == 0


def test_a_zero_metric_makes_a_region_free():
    """Equation (9) with M(A) = 0: only the background counts."""
    Theta = [fractions(2)], [1], [[[0]]], [[1]]
    assert distance(fractions(0), fractions(8), *Theta) == 6


def test_the_segment_metric_gives_the_segment_its_length():
    """Definition 7 (C25): d^T M d = l^2; the identity where x_i = x_j."""
    identity = np.eye(3, dtype=int)
    four = (4 * identity).tolist()
    Theta = [fractions(2, 0, 0)], [1], [four], identity.tolist()
    x_i = fractions(0, 0, 0)
    x_j = fractions(8, 0, 0)
    assert segment_length(x_i, x_j, *Theta) == 6 + 2 * 2
    scale = Fraction(10**2, 8**2)
    assert segment_metric(x_i, x_j, *Theta) == (scale * identity).tolist()
    assert segment_metric(x_i, x_i, *Theta) == identity.tolist()
    near = [0, Fraction(1, 10**20), 0]
    assert segment_metric(x_i, near, [], [], [], four) == four


@given(st.lists(st.floats(-60, 60), min_size=4, max_size=4), st.integers(0, 10**9))
@settings(max_examples=60)
def test_lengths_from_1e_minus_60_to_1e60_are_finite_and_homogeneous(exponents, seed):
    """Equation (9) in floats: finite for mixed coordinates, and D(t x, t y) = t D(x, y) for balls
    scaled along.
    """
    rng = np.random.default_rng(seed)
    x_i, x_j, center = [rng.normal(size=2) * 10.0**e for e in exponents[:3]]
    radius = 10.0 ** exponents[3]
    local_metrics = [[[2.0, 0.5], [0.5, 1.0]]]
    identity = [[1.0, 0.0], [0.0, 1.0]]

    def D(t):
        points = (t * x_i).tolist(), (t * x_j).tolist()
        return distance(*points, [(t * center).tolist()], [t * radius], local_metrics, identity)

    assert is_finite(D(1.0))
    t = 2.0**-7  # a power of 2 rounds nothing
    assert D(t) == t * D(1.0)


def test_the_euclidean_distance_by_hand():
    """Definition 1: the distance that locates the regions."""
    assert euclidean_distance(fractions(1, 1), fractions(4, 5)) == 5
    assert euclidean_distance([0.0, 0.0, 0.0], [1.0, 2.0, 2.0]) == 3


def test_regions_that_do_not_fit_together_are_refused():
    """Equation (9): as many radii as centers, as many metrics as both."""
    with pytest.raises(ValueError, match="radii needs one radius per center"):
        distance([0.0], [1.0], [[0.0]], [], [[[1.0]]], [[1.0]])
    with pytest.raises(ValueError, match="radii needs one radius per center"):
        balls_are_disjoint([[0.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="radii needs one radius per center"):
        covered_intervals([0.0], [1.0], [[0.0]], [1.0, 2.0])
    no_radius = "radii needs one radius per center, got 0 radii and 1 centers"
    with pytest.raises(ValueError, match=no_radius):
        all_ratios([0.0], [1.0], [[0.0]], [])
    no_metric = "local_metrics needs one metric per center, got 0 metrics and 1 centers"
    for length in (distance, segment_length, distance_without_overlap):
        with pytest.raises(ValueError, match=no_metric):
            length([0.0], [1.0], [[0.0]], [1.0], [], [[1.0]])


def test_the_triangle_inequality_fails():
    """Equation (9) (E18): through an expensive ball it is 22, around it two times the root of 8."""
    Theta = [[0.0, 0.0]], [1.0], [[[100.0, 0.0], [0.0, 100.0]]], [[1.0, 0.0], [0.0, 1.0]]
    start = [-2.0, 0.0]
    end = [2.0, 0.0]
    detour = [0.0, 2.0]
    straight = distance(start, end, *Theta)
    around = distance(start, detour, *Theta) + distance(detour, end, *Theta)
    assert straight == pytest.approx(22, rel=4 * EPS)
    assert around == pytest.approx(2 * math.sqrt(8), rel=4 * EPS)
