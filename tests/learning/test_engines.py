"""Three engines that compute the same: `lmlir.learning.engines`; and hinges without their kink
(choice C19).
"""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from clouds import assert_same, clouds
from hypothesis import given
from hypothesis import strategies as st

from lmlir import initialization, objective
from lmlir.learning import learn
from lmlir.learning.engines import (
    ENGINES,
    ReferenceProblem,
    VectorizedProblem,
    hinge_slope,
    smoothed_hinge,
)
from lmlir.scalars import Parameters

SEED_WITHOUT_KINK = 7


@pytest.mark.parametrize("rule", ["quasi-newton", "fixed"])
@pytest.mark.parametrize(
    "options", [{}, {"free": ["metrics"]}, {"free": ["centers", "radii"]}, {"n_regions": 0}]
)
def test_the_reference_and_the_vectorized_engine_take_the_same_steps(rule, options):
    """Section 5.2. Every step agrees; differences of rounding grow a little in four steps.

    No cluster has 6 or 11 members: the radii would begin on a kink (80th percentile), where slopes
    may differ.
    """
    X, y = clouds(SEED_WITHOUT_KINK, n=12)
    arguments = {
        "n_regions": 2,
        "n_neighbors": 2,
        "n_steps": 4,
        "rule": rule,
        "learning_rate": 0.1,
        **options,
    }
    slow, fast = (learn(X, y, **arguments, engine=engine) for engine in ("reference", "vectorized"))
    assert len(slow.trace) == 5
    np.testing.assert_allclose(slow.trace, fast.trace, rtol=1e-9)
    assert_same(slow.parameters, fast.parameters, rtol=1e-7)


@pytest.mark.parametrize("n_regions, classes", [(0, 2), (2, 2), (2, 3)])
def test_pairs_and_initial_values_are_those_of_the_reference(n_regions, classes):
    """Sections 5.1 and 5.2, steps 1 to 3, by the loops of the paper's modules."""
    X, y = clouds(SEED_WITHOUT_KINK, n=12, classes=classes)
    learned = learn(X, y, n_regions=n_regions, n_neighbors=2, n_steps=0, seed=3)
    lists = X.tolist(), y.tolist()
    assert learned.similar.tolist() == [list(pair) for pair in objective.similar_pairs(*lists, 2)]
    assert learned.dissimilar.tolist() == [
        list(pair) for pair in objective.dissimilar_pairs(*lists, 2)
    ]
    expected = initialization.initial_parameters(*lists, n_regions, 2, seed=3)
    for name in Parameters._fields:
        np.testing.assert_allclose(
            getattr(learned.initial, name).tolist(), getattr(expected, name), rtol=1e-12
        )


# ---------------------------------------------------------------------------------- smoothed hinges

fractions = st.fractions(-5, 5, max_denominator=50)
widths = st.fractions(Fraction(1, 50), 3, max_denominator=50)


def problem_and_parameters(seed, engine=VectorizedProblem, F=3, S=2, **options):
    """Return seven instances with pairs (one twice, one in both directions) and two regions that
    many segments cross.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(7, F))
    similar = [(0, 1), (1, 0), (2, 3), (3, 5), (3, 5)]
    dissimilar = [(0, 4), (1, 5), (2, 6), (6, 3)]
    roots = rng.normal(size=(S + 1, F, F))
    metrics = 0.3 * roots @ roots.transpose(0, 2, 1)
    Theta = Parameters(0.4 * rng.normal(size=(S, F)), 0.6 + rng.random(S), metrics[:S], metrics[S])
    return engine(X, similar, dissimilar, 0.1, 0.5, **options), Theta


@given(fractions, widths)
def test_the_smoothed_hinge_is_the_integral_of_a_ramp(t, width):
    """Exact: the slope is the ramp clip(t / e, 0, 1), and its integral from 0 is t^2 / 2e up to e,
    then t - e / 2.
    """
    ramp = min(max(t / width, 0), 1)
    assert hinge_slope(t, width) == ramp
    assert smoothed_hinge(t, width) == (ramp * t / 2 if t <= width else width / 2 + (t - width))


@given(fractions)
def test_width_zero_gives_the_hinge(t):
    assert smoothed_hinge(t, Fraction(0)) == max(t, 0)
    assert hinge_slope(t, Fraction(0)) == (1 if t > 0 else 0)


def distance_in_many_digits(x, y, Theta):
    """Return equation (9) with the roots of the quadratic as printed, in mpmath's numbers."""
    d = y - x
    gammas = []
    total = mpmath.mpf(0)
    for o, r, M in zip(Theta.centers, Theta.radii, Theta.local_metrics, strict=True):
        f = x - o
        a = d @ d
        b = 2 * (d @ f)
        c = f @ f - r * r
        Delta = b * b - 4 * a * c
        inside = mpmath.mpf(0)
        if Delta > 0:
            low, high = ((-b + sign * mpmath.sqrt(Delta)) / (2 * a) for sign in (-1, 1))
            inside = min(max(high, 0), 1) - min(max(low, 0), 1)
        gammas.append(inside)
        total += inside * mpmath.sqrt(d @ M @ d)
    return total + max(1 - sum(gammas), 0) * mpmath.sqrt(d @ Theta.background_metric @ d)


def smoothed_in_many_digits(problem, Theta, width):
    """Return g with smoothed hinges in 50 digits; mpmath computes the hinge as an integral."""
    many = np.vectorize(mpmath.mpf, otypes=[object])
    X = many(np.array(problem.X))
    Theta = Parameters(*map(many, Theta))
    width = mpmath.mpf(width)
    total = mpmath.mpf(0)
    for M in (*Theta.local_metrics, Theta.background_metric):
        total += mpmath.mpf(problem.alpha) * mpmath.sqrt(sum(entry**2 for entry in M.ravel()))
    for pairs, sign, limit in ((problem.similar, 1, "0.5"), (problem.dissimilar, -1, "1.5")):
        for i, j in pairs:
            t = sign * (distance_in_many_digits(X[i], X[j], Theta) - mpmath.mpf(limit))
            if t > 0:
                total += mpmath.quad(lambda u: min(u / width, 1), [0, min(t, width), t]) / len(
                    pairs
                )
    return total


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("width", [1.0, 0.1])
def test_the_smoothed_objective_agrees_with_fifty_digits(seed, width):
    """Choice C19. Both engines, to 13 digits: a sum of fourteen terms with one root or two each."""
    slow, Theta = problem_and_parameters(seed, ReferenceProblem)
    fast, _ = problem_and_parameters(seed)
    with mpmath.workdps(50):
        truth = float(smoothed_in_many_digits(slow, Theta, width))
    for problem in (slow, fast):
        assert problem.smoothed(Theta, width)[0] == pytest.approx(truth, rel=1e-13)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("width", [0.0, 0.01, 0.3, 5.0])
@pytest.mark.parametrize("printed", [(), ("E2",), ("E3", "E4")])
def test_all_engines_smooth_alike(seed, width, printed):
    problems = (
        problem_and_parameters(seed, engine, printed=printed) for engine in ENGINES.values()
    )
    (one, slope, g), *others = (problem.smoothed(Theta, width) for problem, Theta in problems)
    assert len(others) == 2
    for other, other_slope, other_g in others:
        assert (one, g) == (pytest.approx(other, rel=1e-13), pytest.approx(other_g, rel=1e-13))
        assert_same(slope, other_slope, rtol=1e-11)


@pytest.mark.parametrize("engine", ENGINES.values())
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("width", [0.05, 1.0])
def test_the_slope_of_the_smoothed_objective_is_its_difference_quotient(engine, seed, width):
    """Choice C19.

    Central differences in random directions; the random spheres meet no end point nearby.
    """
    problem, Theta = problem_and_parameters(seed, engine)
    rng = np.random.default_rng(seed)
    h = 1e-6
    _, slope, _ = problem.smoothed(Theta, width)
    for name in Parameters._fields:
        direction = rng.normal(size=getattr(Theta, name).shape)
        if "metric" in name:
            direction = direction + np.swapaxes(direction, -1, -2)
        ends = [
            Theta._replace(**{name: getattr(Theta, name) + step * direction}) for step in (h, -h)
        ]
        quotient = (problem.smoothed(ends[0], width)[0] - problem.smoothed(ends[1], width)[0]) / (
            2 * h
        )
        assert np.sum(getattr(slope, name) * direction) == pytest.approx(
            quotient, rel=1e-6, abs=1e-8
        ), name


@pytest.mark.parametrize("engine", ENGINES.values())
@pytest.mark.parametrize("seed", range(5))
def test_the_smoothed_objective_lies_at_most_the_width_below_g(engine, seed):
    """Choice C19. g - e <= g_e <= g, closer for smaller widths; width 0 gives g and its
    gradient.
    """
    problem, Theta = problem_and_parameters(seed, engine)
    g, slope = problem.objective_and_gradient(Theta)
    assert g == pytest.approx(problem.objective(Theta), rel=1e-15)
    found = [problem.smoothed(Theta, width) for width in (3.0, 0.3, 0.03, 0.0)]
    for (value, _, true), width in zip(found, (3.0, 0.3, 0.03, 0.0), strict=True):
        assert true == g
        assert g - width - 1e-15 <= value <= g + 1e-15
    values = [value for value, _, _ in found]
    assert values == sorted(values)
    assert values[0] < values[-1]
    assert_same(found[-1][1], slope, rtol=1e-14)
