"""Every point against every point: `lmlir.vectorized.cross` against the reference and against
60-digit arithmetic.
"""

import itertools
import tracemalloc
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from real_data import EPS, SETS, assert_close, lists, start

from lmlir import classifier, distance, vectorized
from lmlir.scalars import Parameters


@pytest.mark.parametrize("name", SETS)
def test_cross_distances_and_decision_values_agree_with_the_reference_on_real_data(name):
    """Equations (9) and (10): a set against itself, so that coincident and near points occur."""
    X, y, Theta = start(name, rows=20)
    D = [[distance.distance(*lists(p, q, *Theta)) for q in X] for p in X]
    got = vectorized.cross_distances(X, X, *Theta)
    assert_close(got, D)
    assert np.all(np.diag(got) == 0)
    minus = X[:7]
    plus = X[7:14]
    f = [classifier.decision_value(*lists(x, minus, plus), 5, *lists(*Theta)) for x in X[:6]]
    assert_close(vectorized.decision_values(X[:6], minus, plus, 5, *Theta), f)


def true_ratio(x, y, center, radius):
    """gamma by the roots of equation (7) in 60 digits; 0 for a radius that has been moved below
    0.
    """
    x = mpmath.matrix(x)
    d = mpmath.matrix(y) - x
    w = x - mpmath.matrix(center)
    a = mpmath.fdot(d, d)
    half_b = mpmath.fdot(d, w)
    c = mpmath.fdot(w, w) - radius**2
    quarter = half_b**2 - a * c
    if a == 0 or quarter <= 0 or radius <= 0:
        return mpmath.mpf(0)
    root = mpmath.sqrt(quarter)
    lambda_u = (-half_b - root) / a
    lambda_v = (-half_b + root) / a
    return min(max(lambda_v, 0), 1) - min(max(lambda_u, 0), 1)


def true_bracket(x, y, Theta, eps):
    """The least and largest distance when radii, metrics and sums err as rounding allows (k eps, k
    = F + 4).
    """
    centers, radii, local_metrics, background_metric = (array.tolist() for array in Theta)
    x = mpmath.matrix(x.tolist())
    y = mpmath.matrix(y.tolist())
    k = len(x) + 4
    d = y - x
    length2 = mpmath.fdot(d, d)

    def length(M, sign):
        M = mpmath.matrix(M)
        square = mpmath.fdot(d, M * d)
        norm = mpmath.mnorm(M, "f")
        return mpmath.sqrt(max(square + sign * 2 * k * eps * norm * length2, 0))

    gammas = []
    for center, radius in zip(centers, radii, strict=True):
        o = mpmath.matrix(center)
        r = mpmath.mpf(radius)
        s = max(mpmath.norm(x - o), mpmath.norm(y - o), mpmath.sqrt(length2))
        move = 2 * k * eps * s * max(s, r)
        smaller = mpmath.sqrt(max(r**2 - move, 0))
        larger = mpmath.sqrt(max(r**2 + move, 0))
        gammas.append([true_ratio(x, y, o, smaller), true_ratio(x, y, o, larger)])

    ends = []
    for sign, low_or_high in ((-1, min), (1, max)):
        local = [length(M, sign) for M in local_metrics]
        background = length(background_metric, sign)
        values = []
        for gamma in itertools.product(*gammas):
            free = max(1 - mpmath.fsum(gamma), 0)
            values.append(free * background + mpmath.fdot(gamma, local))
        ends.append(low_or_high(values) * (1 + sign * 16 * eps))
    return ends


def tangent_ball(x, y, center, nudge):
    """A center moved so that the ball of the returned radius touches the segment, up to a nudge."""
    d = y - x
    foot = x + 0.4 * d
    away = center - foot
    away = away - (away @ d) / (d @ d) * d
    return foot + away, np.linalg.norm(away) * (1 + nudge)


def hard_points(kind, rng, F):
    """Points and balls on which matrix products lose digits, or lengths leave the comfortable
    range.
    """
    X = rng.normal(size=(6, F))
    Y = rng.normal(size=(6, F))
    centers = rng.normal(size=(2, F))
    radii = rng.uniform(0.5, 2, size=2)
    if kind == "far from the origin":
        X = X + 1e7
        Y = Y + 1e7
        centers = centers + 1e7
    elif kind == "near each other":
        near = X[rng.permutation(6)]
        moves = rng.normal(size=(6, F))
        Y = near + moves * 10.0 ** -rng.integers(1, 15, size=(6, 1))
        radii = np.linalg.norm(X[:2] - centers, axis=1)
    elif kind == "in far clusters":
        X = X * 1e-4
        Y = Y * 1e-4
        centers = centers * 1e-4
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


@pytest.mark.parametrize(
    ("F", "scale"), [(1, 1.0), (2, 1.0), (5, 1.0), (2, 2.0**-200), (2, 2.0**200)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_cross_distances_are_right_to_the_last_digits(kind, F, scale):
    """Equation (9) in 60 digits: no more error than differences of points have, at every scale."""
    X, Y, Theta = hard_case(kind, F, scale)
    D = vectorized.cross_distances(X, Y, *Theta)
    with mpmath.workdps(60):
        assert outside(D, X, Y, Theta, mpmath.mpf(EPS)) == []


def fused_products(X, Y):
    """x.y for all points of a plane, with a fused multiply-add, whatever processor this is."""
    products = np.empty((len(X), len(Y)))
    for i, j in np.ndindex(products.shape):
        rounded = Fraction(X[i, 1] * Y[j, 1])
        products[i, j] = float(Fraction(X[i, 0]) * Fraction(Y[j, 0]) + rounded)
    return products


@pytest.mark.parametrize("kind", ["near each other", "in far clusters", "equal"])
def test_matrix_products_alone_would_lose_digits(kind):
    """The companion: |x|^2 + |y|^2 - 2 x.y is outside the brackets, so the test above can fail.

    The products are fused, as many processors do it: the first is not rounded before the second is
    added.
    """
    X, Y, Theta = hard_case(kind, 2, 1.0)
    Theta = Parameters(Theta.centers[:0], Theta.radii[:0], Theta.local_metrics[:0], np.eye(2))
    squares = (X**2).sum(axis=1)[:, None] + (Y**2).sum(axis=1) - 2 * fused_products(X, Y)
    with mpmath.workdps(60):
        assert outside(np.sqrt(np.abs(squares)), X, Y, Theta, mpmath.mpf(EPS))


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_in_single_precision_out(kind):
    """Equation (9) in float32: accurate to float32's digits, for the numbers that float32 was
    given.
    """
    X, Y, Theta = hard_case(kind, 3, 1.0)
    if kind == "far from the origin":
        X = X - 1e7 + 1e3
        Y = Y - 1e7 + 1e3
        Theta = Theta._replace(centers=Theta.centers - 1e7 + 1e3)
    X, Y, *parts = (np.asarray(array, dtype=np.float32) for array in (X, Y, *Theta))
    Theta = Parameters(*parts)
    D = vectorized.cross_distances(X, Y, *Theta)
    assert D.dtype == np.float32
    paired = vectorized.distances(X, Y, *Theta)[:, None]
    with mpmath.workdps(60):
        eps = mpmath.mpf(2.0**-23)
        assert outside(D, X, Y, Theta, eps) == []
        assert outside(paired, X, Y[:1], Theta, eps)[6:] == []


@pytest.mark.parametrize("scale", [2.0**-90, 2.0**-40, 2.0**40, 2.0**90])
def test_single_precision_does_not_square_its_way_out_of_its_range(scale):
    """Equation (9): the square of 2^90 is not a float32, but a distance of 5 x 2^90 is."""
    X = np.float32([[0.0, 0.0], [3.0, 0.0]])
    Y = np.float32([[3.0, 4.0], [0.0, 0.0]])
    eye = np.eye(2, dtype=np.float32)
    scale = np.float32(scale)
    D = vectorized.cross_distances(
        X * scale, Y * scale, 0 * eye[:1], scale * eye[0, :1], 4 * eye[None], eye
    )
    assert D.dtype == np.float32
    # One unit of every segment that begins in the origin is in the ball, where lengths count
    # double.
    assert D / scale == pytest.approx(np.array([[6.0, 0.0], [4.0, 4.0]]), rel=1e-6)


def test_decision_values_never_hold_all_distances():
    """Equation (10): the distances of 1,200 points to 2 x 1,200 would take 23 MB."""
    X = np.random.default_rng(0).normal(size=(1200, 4))
    Theta = [np.zeros((1, 4)), np.ones(1), np.eye(4)[None], np.eye(4)]
    tracemalloc.start()
    try:
        vectorized.decision_values(X, X, X, 5, *Theta)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12e6


def test_the_number_of_threads_changes_no_digit():
    """Equations (9) and (10)."""
    X, _, Theta = start("wdbc", rows=120)
    D = vectorized.cross_distances(X, X[:50], *Theta)
    f = vectorized.decision_values(X, X[:50], X[50:], 3, *Theta)
    for n_jobs in (2, 5, -1):
        assert np.array_equal(vectorized.cross_distances(X, X[:50], *Theta, n_jobs=n_jobs), D)
        assert np.array_equal(
            vectorized.decision_values(X, X[:50], X[50:], 3, *Theta, n_jobs=n_jobs), f
        )


@pytest.mark.parametrize(("n", "m"), [(100, 1200), (9999, 9)])
def test_all_pairs_at_once_agree_with_pairs_one_by_one(n, m):
    """Definition 8 and equation (9): half of the points are in all balls, some in none, in more
    than one block each way.
    """
    rng = np.random.default_rng(9)
    X = rng.normal(size=(n, 3))
    Y = rng.normal(size=(m, 3))
    centers = rng.normal(size=(3, 3)) / 5
    roots = rng.normal(size=(4, 3, 3))
    metrics = roots @ roots.transpose(0, 2, 1)
    Theta = Parameters(centers, np.array([1.5, 2.5, 3.0]), metrics[:3], metrics[3])
    D = vectorized.cross_distances(X, Y, *Theta)
    (i, j) = np.divmod(np.arange(n * m), m)
    assert_close(D.ravel(), vectorized.distances(X[i], Y[j], *Theta))

    half = m // 2
    K = min(half, 5)
    to_minus = np.sort(D[:, :half], axis=1)[:, :K].mean(axis=1)
    to_plus = np.sort(D[:, half:], axis=1)[:, :K].mean(axis=1)
    f = vectorized.decision_values(X, Y[:half], Y[half:], K, *Theta)
    assert_close(f, to_minus - to_plus)


@pytest.mark.parametrize("K", [0, -1, 3, 1.5, True])
def test_a_class_needs_K_members(K):
    """Erratum E13: sumKmin of fewer than K numbers is undefined."""
    X_minus = np.ones((2 + (K == 3), 1))
    X_plus = np.ones((2, 1))
    message = f"K must be a whole number from 1 to 2, the number of rows of X_.*, got K={K}"
    with pytest.raises(ValueError, match=message):
        vectorized.decision_values([[0.0]], X_minus, X_plus, K, [], [], [], [[1.0]])
