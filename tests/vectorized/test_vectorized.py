"""The vectorised twin against the reference, against 60-digit arithmetic, and against what it promises about its inputs."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import mpmath
import numpy as np
import pytest

from lmlir import classifier, descent, distance, gradient, initialization, intersection, objective, vectorized
from lmlir.scalars import Parameters

sklearn_datasets = pytest.importorskip("sklearn.datasets", reason="WDBC comes with scikit-learn")

EPS = 2.0**-52


# ------------------------------------------------------------------------------------------------- what is compared


def preprocessed(X):
    """Section 6: standardised, then every instance scaled to length 1."""
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) == 0, 1, X.std(axis=0))
    return X / np.linalg.norm(X, axis=1)[:, None]


def real_sets():
    """WDBC, and whichever of the paper's sets lie in LMLIR_DATA."""
    X, y = sklearn_datasets.load_breast_cancer(return_X_y=True)
    sets = {"wdbc": (preprocessed(X), y)}
    for path in sorted(Path(os.environ.get("LMLIR_DATA", "no folder")).glob("*.csv")):
        table = np.loadtxt(path, delimiter=",")
        sets[path.stem] = (preprocessed(table[:, :-1]), table[:, -1].astype(int))
    return sets


SETS = real_sets()


def start(name, rows, S=3, K=3):
    """Points of a real set and the paper's initial parameters on them; a metric that is not diagonal, too.

    The radii are a little larger: an 80th percentile can pass exactly through a point, where gamma has a kink.
    """
    X, y = SETS[name]
    shuffled = np.random.default_rng(0).permutation(len(X))
    chosen = np.sort(np.concatenate([shuffled[y[shuffled] == label][: rows // 2] for label in (0, 1)]))
    X, y = X[chosen], y[chosen]
    Theta = Parameters(*map(np.array, initialization.initial_parameters(X.tolist(), y.tolist(), S, K)))
    turned = np.cov(X.T) * 20 + 0.1 * np.eye(X.shape[1])
    metrics = np.concatenate([Theta.local_metrics[:-1], turned[None]])
    return X, y, Theta._replace(radii=1.01 * Theta.radii + 0.01, local_metrics=metrics)


def lists(*arrays):
    return [np.asarray(array).tolist() for array in arrays]


def assert_close(got, expected, factor=1e4):
    """Sums of some thousand terms in another order: 1e4 eps of the largest is far above rounding, far below a mistake."""
    got, expected = np.asarray(got, dtype=float), np.asarray(expected, dtype=float)
    assert got.shape == expected.shape
    assert np.abs(got - expected).max(initial=0) <= factor * EPS * np.abs(expected).max(initial=1e-300)


# ------------------------------------------------------------------------------------------ the same as the reference


@pytest.mark.parametrize("name", SETS)
def test_every_pair_function_agrees_with_the_reference_on_real_data(name):
    """Definition 8, Table 3, Definition 5 and equation (9), pair by pair."""
    X, y, Theta = start(name, rows=40)
    X_i, X_j = X[:20], X[20:]
    balls = Theta.centers, Theta.radii
    gamma = [
        [intersection.intersection_ratio(*lists(p, q, o, r)) for o, r in zip(*balls, strict=True)]
        for p, q in zip(X_i, X_j, strict=True)
    ]
    assert_close(vectorized.intersection_ratios(X_i, X_j, *balls), gamma)
    assert np.count_nonzero(gamma) > 0
    slopes = [
        [gradient.ratio_gradient(*lists(p, q, o, r)) for o, r in zip(*balls, strict=True)]
        for p, q in zip(X_i, X_j, strict=True)
    ]
    by_center, by_radius = vectorized.ratio_gradients(X_i, X_j, *balls)
    assert_close(by_center, [[slope[0] for slope in row] for row in slopes])
    assert_close(by_radius, [[slope[1] for slope in row] for row in slopes])
    rest = [distance.exact_background_ratio(*lists(p, q, *balls)) for p, q in zip(X_i, X_j, strict=True)]
    assert_close(vectorized.exact_background_ratios(X_i, X_j, *balls), rest)
    D = [distance.distance(*lists(p, q, *Theta)) for p, q in zip(X_i, X_j, strict=True)]
    assert_close(vectorized.distances(X_i, X_j, *Theta), D)


@pytest.mark.parametrize("name", SETS)
def test_cross_distances_and_decision_values_agree_with_the_reference_on_real_data(name):
    """Equations (9) and (10): a set against itself, so that coincident and near points occur."""
    X, y, Theta = start(name, rows=20)
    D = [[distance.distance(*lists(p, q, *Theta)) for q in X] for p in X]
    got = vectorized.cross_distances(X, X, *Theta)
    assert_close(got, D)
    assert np.all(np.diag(got) == 0)
    minus, plus = X[:7], X[7:14]
    f = [classifier.decision_value(*lists(x, minus, plus), 5, *lists(*Theta)) for x in X[:6]]
    assert_close(vectorized.decision_values(X[:6], minus, plus, 5, *Theta), f)


@pytest.mark.parametrize(
    ("name", "printed"),
    [(name, ()) for name in SETS] + [("wdbc", printed) for printed in (("E2",), ("E3",), ("E4",), ("E2", "E3", "E4"))],
)
def test_objective_gradient_and_step_agree_with_the_reference_on_real_data(name, printed):
    """Section 5.2, as it is true and as it is printed."""
    X, y, Theta = start(name, rows=16 if name == "wdbc" else 12, K=2)
    similar, dissimilar = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    problem = (*lists(X, similar, dissimilar, *Theta), 0.1, 0.5)
    g = objective.objective(*problem)
    assert abs(vectorized.objective(X, similar, dissimilar, *Theta, 0.1, 0.5) - g) <= 100 * EPS * g
    expected = gradient.objective_gradient(*problem, printed=printed)
    got = vectorized.objective_gradient(X, similar, dissimilar, *Theta, 0.1, 0.5, printed=printed)
    for part, truth in zip(got, expected, strict=True):
        assert_close(part, truth)
    expected = descent.descent_step(*problem, 0.7, printed=printed)
    got = vectorized.descent_step(X, similar, dissimilar, *Theta, 0.1, 0.5, 0.7, printed=printed)
    for part, truth in zip(got, expected, strict=True):
        assert_close(part, truth)


@pytest.mark.parametrize("name", SETS)
def test_neighbours_and_directions_are_those_of_the_reference_on_real_data(name):
    """Section 5: j -> i, k -/> i, the pairs and h(x)."""
    X, y, _ = start(name, rows=40)
    X_list, y_list = lists(X, y)
    same, other = vectorized.neighbors(X, y, 4)
    for i in range(len(X)):
        assert same[i].tolist() == objective.same_class_neighbors(X_list, y_list, i, 4)
        assert other[i].tolist() == objective.other_class_neighbors(X_list, y_list, i, 4)
    assert_close(
        vectorized.discriminative_directions(X, y, 4),
        [initialization.discriminative_direction(X_list, y_list, i, 4) for i in range(len(X))],
    )
    assert lists(vectorized.similar_pairs(X, y, 4))[0] == [list(p) for p in objective.similar_pairs(X_list, y_list, 4)]
    pairs = [list(p) for p in objective.dissimilar_pairs(X_list, y_list, 4)]
    assert lists(vectorized.dissimilar_pairs(X, y, 4))[0] == pairs


def test_neighbours_at_equal_distances_come_by_index():
    """Choice C9, where it matters: on a grid nearly all distances are tied, and points repeat."""
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 3, size=(60, 3)) / 3, rng.integers(0, 2, size=60)
    same, other = vectorized.neighbors(X, y, 7)
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    assert (np.diff(np.sort(squares[0])) == 0).sum() > 30
    for i in range(len(X)):
        assert same[i].tolist() == objective.same_class_neighbors(*lists(X, y), i, 7)
        assert other[i].tolist() == objective.other_class_neighbors(*lists(X, y), i, 7)


def test_similar_pairs_need_no_second_class():
    """Section 5.1: one class has similar pairs and no dissimilar ones."""
    assert vectorized.similar_pairs([[0.0], [1.0], [3.0]], [0, 0, 0], 1).tolist() == [[0, 1], [1, 0], [2, 1]]
    with pytest.raises(ValueError, match="K must be a whole number from 1 to 0"):
        vectorized.dissimilar_pairs([[0.0], [1.0], [3.0]], [0, 0, 0], 1)


# --------------------------------------------------------------------------------------------- digits: 60 of them


def true_ratio(x, y, center, radius):
    """gamma by the roots of equation (7) in 60 digits; 0 for a radius that has been moved below 0."""
    d, w = [q - p for p, q in zip(x, y, strict=True)], [p - o for p, o in zip(x, center, strict=True)]
    a, half_b = mpmath.fsum(v * v for v in d), mpmath.fsum(p * q for p, q in zip(d, w, strict=True))
    quarter = half_b**2 - a * (mpmath.fsum(v * v for v in w) - radius**2)
    if a == 0 or quarter <= 0 or radius <= 0:
        return mpmath.mpf(0)
    ends = [(-half_b + sign * mpmath.sqrt(quarter)) / a for sign in (-1, 1)]
    return min(max(ends[1], 0), 1) - min(max(ends[0], 0), 1)


def true_bracket(x, y, Theta, eps):
    """The least and largest distance when radii, metrics and sums err as rounding allows (k eps, k = F + 4)."""
    x, y, centers = [mpmath.mpf(float(v)) for v in x], [mpmath.mpf(float(v)) for v in y], Theta[0].tolist()
    k = len(x) + 4
    d = [q - p for p, q in zip(x, y, strict=True)]
    length2 = mpmath.fsum(v * v for v in d)

    def lengths(M, sign):
        M = [[mpmath.mpf(float(entry)) for entry in row] for row in M]
        q = mpmath.fsum(d[f] * M[f][g] * d[g] for f in range(len(d)) for g in range(len(d)))
        norm = mpmath.sqrt(mpmath.fsum(entry**2 for row in M for entry in row))
        return mpmath.sqrt(max(q + sign * 2 * k * eps * norm * length2, 0))

    gammas = []
    for center, radius in zip(centers, Theta[1].tolist(), strict=True):
        reach = [mpmath.sqrt(mpmath.fsum((v - o) ** 2 for v, o in zip(p, center, strict=True))) for p in (x, y)]
        s, r = max(*reach, mpmath.sqrt(length2)), mpmath.mpf(float(radius))
        move = 2 * k * eps * s * max(s, r)
        gammas.append([true_ratio(x, y, center, mpmath.sqrt(max(r**2 + sign * move, 0))) for sign in (-1, 1)])
    ends = []
    for sign, low_or_high in ((-1, min), (1, max)):
        local, background = [lengths(M, sign) for M in Theta[2]], lengths(Theta[3], sign)
        values = []
        for corner in np.ndindex(*(2,) * len(gammas)):
            gamma = [ends_of[which] for ends_of, which in zip(gammas, corner, strict=True)]
            values.append(max(1 - mpmath.fsum(gamma), 0) * background + mpmath.fdot(gamma, local))
        ends.append(low_or_high(values) * (1 + sign * 16 * eps))
    return ends


def tangent_ball(x, y, center, nudge):
    """A center moved so that the ball of the returned radius touches the segment, up to a nudge."""
    foot = x + 0.4 * (y - x)
    away = center - foot
    away = away - (away @ (y - x)) / ((y - x) @ (y - x)) * (y - x)
    return foot + away, np.linalg.norm(away) * (1 + nudge)


def hard_points(kind, rng, F):
    """Points and balls on which matrix products lose digits, or lengths leave the comfortable range."""
    X, Y = rng.normal(size=(6, F)), rng.normal(size=(6, F))
    centers, radii = rng.normal(size=(2, F)), rng.uniform(0.5, 2, size=2)
    if kind == "far from the origin":
        X, Y, centers = X + 1e7, Y + 1e7, centers + 1e7
    elif kind == "near each other":
        Y = X[rng.permutation(6)] + rng.normal(size=(6, F)) * 10.0 ** -rng.integers(1, 15, size=(6, 1))
        radii = np.linalg.norm(X[:2] - centers, axis=1)
    elif kind == "in far clusters":
        X, Y, centers = X * 1e-4, Y * 1e-4, centers * 1e-4
        X[::2] += 50
        Y[::2] += 50
        centers[1] += 50
        radii = radii * 1e-4
    elif kind == "tangent":
        for s, nudge in enumerate((0.0, 1e-14)):
            centers[s], radii[s] = tangent_ball(X[s], Y[s], centers[s], nudge)
    elif kind == "equal":
        Y = X.copy()
    elif kind == "a huge ball":
        centers[0] *= 1e9
        radii[0] = np.linalg.norm(centers[0])
    elif kind == "a point for a ball":
        radii = np.array([0.0, 1e-9])
        centers[1] = (X[0] + Y[0]) / 2
    return X, Y, centers, radii


KINDS = [
    "ordinary",
    "far from the origin",
    "near each other",
    "in far clusters",
    "tangent",
    "equal",
    "a huge ball",
    "a point for a ball",
]


def hard_case(kind, F, scale, seed=0):
    rng = np.random.default_rng(seed)
    X, Y, centers, radii = (part * scale for part in hard_points(kind, rng, F))
    roots = rng.normal(size=(3, F, max(F - 1, 1)))
    roots[1] *= kind != "ordinary"  # a metric that is 0
    metrics = roots @ roots.transpose(0, 2, 1)
    return X, Y, Parameters(centers, radii, metrics[:2], metrics[2])


def outside(D, X, Y, Theta, eps):
    """The pairs whose distance is outside its bracket."""
    found = []
    for i, j in np.ndindex(D.shape):
        low, high = true_bracket(X[i], Y[j], Theta, eps)
        if not low <= mpmath.mpf(float(D[i, j])) <= high:
            found.append((i, j, float(low), float(D[i, j]), float(high)))
    return found


@pytest.mark.parametrize(("F", "scale"), [(1, 1.0), (2, 1.0), (5, 1.0), (2, 2.0**-200), (2, 2.0**200)])
@pytest.mark.parametrize("kind", KINDS)
def test_cross_distances_are_right_to_the_last_digits(kind, F, scale):
    """Equation (9) in 60 digits: no more error than differences of points have, at every scale."""
    X, Y, Theta = hard_case(kind, F, scale)
    with mpmath.workdps(60):
        assert outside(vectorized.cross_distances(X, Y, *Theta), X, Y, Theta, mpmath.mpf(EPS)) == []


@pytest.mark.parametrize("kind", ["near each other", "in far clusters", "equal"])
def test_matrix_products_alone_would_lose_digits(kind, monkeypatch):
    """The companion: without the pairs that are computed again the test above fails, so it can."""
    monkeypatch.setattr(vectorized, "NEAR", -1.0)
    X, Y, Theta = hard_case(kind, 2, 1.0)
    with mpmath.workdps(60):
        assert outside(vectorized.cross_distances(X, Y, *Theta), X, Y, Theta, mpmath.mpf(EPS))


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_in_single_precision_out(kind):
    """Equation (9) in float32: accurate to float32's digits, for the numbers that float32 was given."""
    X, Y, Theta = hard_case(kind, 3, 1.0)
    if kind == "far from the origin":
        X, Y, Theta = X - 1e7 + 1e3, Y - 1e7 + 1e3, Theta._replace(centers=Theta.centers - 1e7 + 1e3)
    X, Y, *parts = (np.asarray(part, dtype=np.float32) for part in (X, Y, *Theta))
    Theta = Parameters(*parts)
    D = vectorized.cross_distances(X, Y, *Theta)
    assert D.dtype == np.float32
    with mpmath.workdps(60):
        assert outside(D, X, Y, Theta, mpmath.mpf(2.0**-23)) == []
        assert outside(vectorized.distances(X, Y, *Theta)[:, None], X, Y[:1], Theta, mpmath.mpf(2.0**-23))[6:] == []


@pytest.mark.parametrize("scale", [2.0**-90, 2.0**-40, 2.0**40, 2.0**90])
def test_single_precision_does_not_square_its_way_out_of_its_range(scale):
    """Equation (9): the square of 2^90 is no float32, but a distance of 5 x 2^90 is."""
    X, Y = np.float32([[0.0, 0.0], [3.0, 0.0]]), np.float32([[3.0, 4.0], [0.0, 0.0]])
    balls = np.zeros((1, 2), dtype=np.float32), np.float32([1.0])
    eye = np.eye(2, dtype=np.float32)
    D = vectorized.cross_distances(
        X * np.float32(scale), Y * np.float32(scale), balls[0], balls[1] * np.float32(scale), 4 * eye[None], eye
    )
    assert D.dtype == np.float32
    # One unit of every segment that begins in the origin is in the ball, where lengths count double.
    assert D / np.float32(scale) == pytest.approx(np.array([[6.0, 0.0], [4.0, 4.0]]), rel=1e-6)


def test_every_function_answers_float32_with_float32():
    """The subject interface in single precision: same type out, and near the double precision answer."""
    X, y, Theta = start("wdbc", rows=30)
    similar, dissimilar = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    short = [np.asarray(part, dtype=np.float32) for part in (X, *Theta)]
    same = [part.astype(np.float64) for part in short]

    def answers(X, *Theta):
        yield vectorized.intersection_ratios(X[:15], X[15:], *Theta[:2])
        yield from vectorized.ratio_gradients(X[:15], X[15:], *Theta[:2])
        yield vectorized.exact_background_ratios(X[:15], X[15:], *Theta[:2])
        yield vectorized.distances(X[:15], X[15:], *Theta)
        yield vectorized.cross_distances(X, X, *Theta)
        yield vectorized.decision_values(X, X[:15], X[15:], 3, *Theta)
        yield from vectorized.objective_gradient(X, similar, dissimilar, *Theta, 0.1, 0.5)
        yield from vectorized.descent_step(X, similar, dissimilar, *Theta, 0.1, 0.5, 0.1)

    count = 0
    for single, double in zip(answers(*short), answers(*same), strict=True):
        count += 1
        assert single.dtype == np.float32 and double.dtype == np.float64
        assert np.abs(single - double).max() <= 200 * 2.0**-23 * np.abs(double).max()
    assert count == 15


# ------------------------------------------------------------------------------------- blocks, memory, repeated use


def test_the_size_of_the_blocks_changes_nothing(monkeypatch):
    """Blocks are for the cache: with blocks that divide nothing evenly the answers stay the same."""
    X, y, Theta = start("wdbc", rows=60)
    D = vectorized.cross_distances(X, X[:37], *Theta)
    f = vectorized.decision_values(X, X[:25], X[25:], 3, *Theta)
    for name, value in (("CROSS_ROWS", 7), ("CROSS_COLUMNS", 5), ("STRIP_NUMBERS", 90), ("BLOCK_NUMBERS", 1)):
        monkeypatch.setattr(vectorized, name, value)
    monkeypatch.setattr(vectorized, "SMALLEST_BLOCK", 11)
    assert_close(vectorized.cross_distances(X, X[:37], *Theta), D, factor=10)
    assert_close(vectorized.decision_values(X, X[:25], X[25:], 3, *Theta), f, factor=10)
    pairs = vectorized.similar_pairs(X, y, 3)
    small = vectorized.objective_gradient(X, pairs, pairs, *Theta, 0.1, 0.5)
    monkeypatch.undo()
    for part, truth in zip(small, vectorized.objective_gradient(X, pairs, pairs, *Theta, 0.1, 0.5), strict=True):
        assert_close(part, truth, factor=100)


def test_decision_values_never_hold_all_distances(monkeypatch):
    """Equation (10): the distances of 1,200 points to 2 x 1,200 would take 23 MB; the strips of this test take 1 MB."""
    monkeypatch.setattr(vectorized, "STRIP_NUMBERS", 2**17)
    X = np.random.default_rng(0).normal(size=(1200, 4))
    Theta = [np.zeros((1, 4)), np.ones(1), np.eye(4)[None], np.eye(4)]
    tracemalloc.start()
    try:
        vectorized.decision_values(X, X, X, 5, *Theta)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12e6


def central_difference(problem, Theta, part, index, step=1e-6):
    def moved(sign):
        parts = [np.array(each) for each in Theta]
        parts[part][index] += sign * step
        return problem.objective(Parameters(*parts))

    return (moved(1) - moved(-1)) / (2 * step)


def test_the_gradient_is_the_slope_of_the_objective():
    """Section 5.2: central differences of g, in every kind of parameter, away from kinks."""
    rng = np.random.default_rng(3)
    X, pairs = rng.normal(size=(12, 3)), rng.integers(0, 12, size=(2, 20, 2))
    roots = rng.normal(size=(3, 3, 3)) / 2
    metrics = roots @ roots.transpose(0, 2, 1) + 0.1 * np.eye(3)
    Theta = Parameters(rng.normal(size=(2, 3)), np.array([0.9, 1.4]), metrics[:2], metrics[2])
    problem = vectorized.PairProblem(X, pairs[0], pairs[1], 0.3, 0.2)
    slopes = problem.gradient(Theta)
    for part, indices in enumerate(([(0, 0), (1, 2)], [(0,), (1,)], [(0, 1, 1), (1, 2, 2)], [(0, 0), (1, 1)])):
        for index in indices:
            # The difference errs by the third derivative times step^2 and by eps / step: 1e-8 covers both here.
            assert abs(slopes[part][index] - central_difference(problem, Theta, part, index)) < 1e-8
            assert slopes[part][index] != 0


def test_a_problem_can_be_evaluated_again_and_again():
    """A prepared problem gives at every Theta what a fresh one gives, in whatever order it is asked."""
    X, y, Theta = start("wdbc", rows=50)
    pairs = vectorized.similar_pairs(X, y, 4), vectorized.dissimilar_pairs(X, y, 4)
    problem = vectorized.PairProblem(X, *pairs, 0.1, 0.5)
    other = vectorized.descent_step(X, *pairs, *Theta, 0.1, 0.5, 0.5)
    for parameters in (Theta, other, Theta):
        g, slopes = problem.objective_and_gradient(parameters)
        assert g == problem.objective(parameters) == vectorized.objective(X, *pairs, *parameters, 0.1, 0.5)
        for part, truth in zip(slopes, vectorized.objective_gradient(X, *pairs, *parameters, 0.1, 0.5), strict=True):
            assert np.array_equal(part, truth)


def test_a_pair_counts_as_often_as_it_is_listed():
    """Equation (12): averages over the list, so a repeated or mirrored pair weighs more; the reference loops over all."""
    X = [[0.0], [2.0], [5.0]]
    similar, dissimilar = [(0, 1), (1, 0), (0, 1), (1, 2)], [(2, 0), (0, 2), (1, 1)]
    Theta = ([[1.0]], [1.5], [[[2.0]]], [[0.3]])
    assert np.isclose(
        vectorized.objective(X, similar, dissimilar, *Theta, 0.1, 0.5),
        objective.objective(X, similar, dissimilar, *Theta, 0.1, 0.5),
        rtol=10 * EPS,
    )


def test_a_metric_of_norm_zero_has_the_slope_zero():
    """Where a length or a norm is 0 its gradient is taken as 0; a learned metric can be 0 exactly."""
    X, nothing = [[0.0, 0.0], [2.0, 0.0]], np.zeros((2, 2))
    slopes = vectorized.objective_gradient(X, [], [(0, 1)], [[0.0, 0.0]], [1.0], [nothing], nothing, 0.1, 0.5)
    assert all(np.all(part == 0) for part in slopes)


def test_the_projection_is_the_nearest_positive_semidefinite_matrix():
    """Choice C2, by hand: reflect (2, 0; 0, -1) by 45 degrees; its positive part is 2 times the projector on (1, 1)."""
    M = np.array([[0.5, 1.5], [1.5, 0.5]])
    assert np.allclose(vectorized.nearest_positive_semidefinite([M, np.eye(2)]), [[[1, 1], [1, 1]], np.eye(2)])


# ------------------------------------------------------------------------------------------- what goes in stays whole


def calls(X, y, Theta):
    pairs = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    half = len(X) // 2
    return {
        "intersection_ratios": (X[:half], X[half:], *Theta[:2]),
        "ratio_gradients": (X[:half], X[half:], *Theta[:2]),
        "exact_background_ratios": (X[:half], X[half:], *Theta[:2]),
        "distances": (X[:half], X[half:], *Theta),
        "cross_distances": (X, X, *Theta),
        "decision_values": (X, X[:half], X[half:], 3, *Theta),
        "objective": (X, *pairs, *Theta, 0.1, 0.5),
        "objective_gradient": (X, *pairs, *Theta, 0.1, 0.5),
        "descent_step": (X, *pairs, *Theta, 0.1, 0.5, 0.0),
    }


def parts_of(answer):
    return answer if isinstance(answer, tuple) else (answer,)


def test_inputs_are_neither_changed_nor_handed_back():
    """Frozen inputs are accepted, and no answer shares memory with them (a step of rate 0 is tempting)."""
    X, y, Theta = start("wdbc", rows=20)
    for array in (X, *Theta):
        array.flags.writeable = False
    seen = 0
    for name, arguments in calls(X, y, Theta).items():
        answer = getattr(vectorized, name)(*arguments)
        for part in parts_of(answer):
            for array in (X, *Theta):
                assert not np.shares_memory(part, array), name
            seen += 1
    assert seen == 16


def test_lists_in_any_layout_are_arrays_too():
    """Array-likes: nested lists, Fortran order and slices give what contiguous arrays give."""
    X, y, Theta = start("wdbc", rows=20)
    wide = np.repeat(X, 2, axis=1)[:, ::2]
    for name, arguments in calls(X, y, Theta).items():
        function = getattr(vectorized, name)
        expected = function(*arguments)
        for convert in (np.ndarray.tolist, np.asfortranarray):
            parts = [convert(a) if isinstance(a, np.ndarray) else a for a in arguments]
            got = function(*parts)
            for part, truth in zip(parts_of(got), parts_of(expected), strict=True):
                assert_close(part, truth, factor=100)
    assert_close(vectorized.cross_distances(wide, wide, *Theta), vectorized.cross_distances(X, X, *Theta), factor=10)


def test_empty_batches_and_empty_region_lists_have_the_right_shapes():
    """Surface: P = 0, S = 0 and no rows at all are ordinary inputs."""
    none, F = np.zeros((0, 2)), 2
    no_regions = (np.zeros((0, F)), np.zeros(0), np.zeros((0, F, F)), np.eye(F))
    one = (np.zeros((1, F)), np.ones(1), np.eye(F)[None], np.eye(F))
    assert vectorized.intersection_ratios(none, none, *one[:2]).shape == (0, 1)
    assert [part.shape for part in vectorized.ratio_gradients(none, none, *one[:2])] == [(0, 1, 2), (0, 1)]
    assert vectorized.ratio_gradients(np.ones((3, 2)), np.ones((3, 2)), [], [])[0].shape == (3, 0, 2)
    assert vectorized.intersection_ratios([], [], [], []).shape == (0, 0)
    assert vectorized.exact_background_ratios(np.ones((3, 2)), np.zeros((3, 2)), [], []).tolist() == [1, 1, 1]
    assert vectorized.distances(none, none, *one).shape == (0,)
    assert vectorized.cross_distances(none, np.ones((3, 2)), *one).shape == (0, 3)
    assert vectorized.cross_distances(np.ones((3, 2)), none, *one).shape == (3, 0)
    assert vectorized.cross_distances(np.zeros((1, 2)), [[3.0, 4.0]], *no_regions).tolist() == [[5.0]]
    assert vectorized.decision_values(none, np.ones((3, 2)), np.ones((3, 2)), 2, *one).shape == (0,)
    assert vectorized.objective(np.ones((3, 2)), [], [], *no_regions, 0.5, 0.5) == pytest.approx(0.5 * 2**0.5)
    shapes = [part.shape for part in vectorized.objective_gradient(np.ones((3, 2)), [], [], *no_regions, 0.5, 0.5)]
    assert shapes == [(0, 2), (0,), (0, 2, 2), (2, 2)]


# -------------------------------------------------------------------------------------------------- what is refused

GOOD = {
    "X_i": [[0.0, 0.0]],
    "X_j": [[1.0, 0.0]],
    "centers": [[0.0, 0.0]],
    "radii": [1.0],
    "local_metrics": [np.eye(2)],
    "background_metric": np.eye(2),
}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("X_i", [[np.nan, 0.0]], "X_i needs finite numbers, got nan"),
        ("X_j", [[0.0, np.inf]], "X_j needs finite numbers, got inf"),
        ("X_j", [[0.0]], r"X_j needs one point a row, of 2 features, got an array of shape \(1, 1\)"),
        ("X_j", [[0.0, 1.0]] * 2, "X_j needs as many rows as X_i, got 2 and 1"),
        ("X_i", [[0.0, 1.0], [0.0]], "rectangular"),
        ("X_i", [[1j, 0.0]], "real numbers"),
        ("centers", [[0.0, -np.inf]], "centers needs finite numbers, got -inf"),
        ("radii", [-0.5], "Definition 1 needs radius >= 0, got radius=-0.5"),
        ("radii", [np.nan], "radii needs finite numbers, got nan"),
        ("radii", [1.0, 1.0], r"radii needs one radius per center, got shape \(2,\) for 1 centers"),
        ("local_metrics", [], r"local_metrics needs shape \(1, 2, 2\)"),
        ("local_metrics", [[[1.0, 0.5], [0.0, 1.0]]], r"local_metrics\[0\] must be symmetric"),
        ("background_metric", [[1.0, 0.0], [0.0, -1.0]], "background_metric must be positive semi-definite.* -1.0"),
        ("background_metric", [[1.0]], r"background_metric needs shape \(2, 2\)"),
        ("background_metric", [[np.nan, 0.0], [0.0, 1.0]], "needs finite numbers, got nan"),
        ("X_j", [[1e200, 0.0]], "must have a square in the range of float64"),
        ("X_j", [[1e-200, 0.0]], "must have a square in the range of float64"),
        ("centers", [[0.0, 1e200]], "distance to a center must have a square in the range of float64, got center="),
        ("background_metric", np.eye(2) * 1e308, "metrics must give squared lengths in the range of float64"),
    ],
)
def test_what_no_distance_has_is_refused_in_one_sentence(name, value, message):
    """Errors name the argument, the condition and the value."""
    good = {**GOOD, "X_j": [[8.0, 0.0]]}
    assert vectorized.distances(**good) == pytest.approx(8.0)
    with pytest.raises(ValueError, match=message) as refusal:
        vectorized.distances(**{**good, name: value})
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("K", [0, -1, 3, 1.5, True])
def test_a_class_needs_K_members(K):
    """Erratum E13: sumKmin of fewer than K numbers is undefined."""
    with pytest.raises(
        ValueError, match=f"K must be a whole number from 1 to 2, the number of rows of X_.*, got K={K}"
    ):
        vectorized.decision_values([[0.0]], np.ones((2 + (K == 3), 1)), np.ones((2, 1)), K, [], [], [], [[1.0]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"similar": [(0, 2)]}, "similar needs row numbers from 0 to 1, got 0 to 2"),
        ({"dissimilar": [(-1, 0)]}, "dissimilar needs row numbers from 0 to 1, got -1 to 0"),
        ({"similar": [(0, 0.5)]}, "similar needs two row numbers a pair"),
        ({"similar": [0, 1]}, "similar needs two row numbers a pair"),
        ({"alpha": -1.0}, "needs alpha >= 0, got alpha=-1.0"),
        ({"C": float("nan")}, "needs a finite C, got C=nan"),
        ({"printed": ("E9",)}, r"printed may hold E2, E3 and E4, got printed=\['E9'\]"),
    ],
)
def test_an_objective_needs_pairs_of_rows(change, message):
    """Section 5: pairs name rows of X."""
    good = {"X": [[0.0], [1.0]], "similar": [(0, 1)], "dissimilar": [], "alpha": 0.1, "C": 0.5}
    Theta = {"centers": [], "radii": [], "local_metrics": [], "background_metric": [[1.0]]}
    with pytest.raises(ValueError, match=message):
        vectorized.objective_gradient(**{**good, **Theta, **change})


def test_rounding_is_no_reason_to_refuse_a_metric():
    """A learned metric is symmetric and positive semi-definite only up to rounding."""
    root = np.random.default_rng(1).normal(size=(9, 2))
    M = root @ root.T
    assert np.linalg.eigvalsh(M)[0] < 0
    crooked = M + np.triu(M) * 4 * EPS
    x = np.ones((1, 9))
    assert vectorized.distances(x, 0 * x, [], [], [], crooked)[0] == pytest.approx(np.sqrt(M.sum()))
