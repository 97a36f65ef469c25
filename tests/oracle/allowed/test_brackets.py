"""The brackets: they contain the truth, are as wide as honest errors, and reject what lies just
outside.
"""

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lmlir import intersection
from lmlir.oracle.allowed import brackets, exact
from lmlir.oracle.allowed.brackets import Geometry
from lmlir.oracle.allowed.exact import OracleError, confirm
from lmlir.oracle.inputs import corner_cases, random_cases
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import Spec
from lmlir.oracle.interface import FUNCTIONS, select
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.precision import PRECISIONS, Kinks
from lmlir.oracle.subjects.failures import Violation
from lmlir.oracle.subjects.sources import from_functions

FLOAT64 = PRECISIONS["float64"]
EPS = 2.0**-52


def calm(examples):
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )


# equal points that stay equal have distance 0 and no slack
DISTINCT = ("free", "along an axis", "close")
EVERYTHING = random_cases.everything_cases(Spec(pairs=(2, 1), features=(2, 1, 3, 4)))


def one_pair(x_i, x_j, center, radius):
    return {
        "X_i": np.array([x_i]),
        "X_j": np.array([x_j]),
        "centers": np.array([center]),
        "radii": np.array([radius]),
    }


@pytest.mark.parametrize("precision", PRECISIONS.values(), ids=PRECISIONS)
def test_brackets_of_every_corner_case_contain_the_truth(precision):
    """Definition 8, Table 3 and all that is built on them, at the places where programs go
    wrong.
    """
    count = 0
    for function in FUNCTIONS:
        for case in corner_cases.of(function)():
            arguments = select(case.cast(precision.dtype).inputs, function)
            confirm(function, arguments, brackets.for_call(function, arguments, precision))
            count += 1
    assert count > 150


def test_brackets_are_the_same_where_the_longest_format_is_no_longer_than_float64(monkeypatch):
    """There norms are taken of scaled numbers, because squares could overflow."""
    case = corner_cases.of("objective_gradient")()[-1]
    arguments = select(case.inputs, "objective_gradient")
    usual = brackets.for_call("objective_gradient", arguments)
    monkeypatch.setattr(brackets, "WIDE", False)
    scaled = brackets.for_call("objective_gradient", arguments)
    for bracket, expected in zip(scaled, usual, strict=True):
        np.testing.assert_allclose(
            np.array(expected, float), np.array(bracket, float), rtol=1e-15, atol=1e-18
        )


@calm(60)
@given(EVERYTHING(FLOAT64), st.sampled_from(list(FUNCTIONS)))
def test_brackets_of_random_cases_contain_the_truth(case, function):
    """Equations (9) and (10), Tables 2 and 3, g and its gradient, one function a case."""
    arguments = select(case.inputs, function)
    confirm(function, arguments, brackets.for_call(function, arguments))


@calm(60)
@given(EVERYTHING(PRECISIONS["float32"]), st.sampled_from(list(FUNCTIONS)))
def test_brackets_for_single_precision_contain_those_for_double_precision(case, function):
    """The same argument, scaled: less precise numbers are allowed more."""
    arguments = select(case.inputs, function)
    double = brackets.for_call(function, arguments, "float64")
    single = brackets.for_call(function, arguments, "float32")
    for narrow, wide in zip(double, single, strict=True):
        assert (wide[0] <= narrow[0]).all()
        assert (narrow[1] <= wide[1]).all()


def test_brackets_shrink_with_the_precision():
    """Away from kinks a bracket is as wide as eps: 2^29 times narrower in double than in single
    precision.
    """
    arguments = one_pair([-2.0, 0.5], [3.0, 0.5], [0.25, 0.0], 1.25)
    widths = []
    for precision in ("float64", "float32"):
        low, high = brackets.for_call("intersection_ratios", arguments, precision)[0]
        widths.append(float(high[0, 0] - low[0, 0]))
    assert 2.0**28 < widths[1] / widths[0] < 2.0**30


@pytest.mark.parametrize(
    ("radius", "smallest", "largest"),
    [
        (1.25, 1e-15, 1e-13),
        (0.5, 1e-8, 1e-6),
    ],
)
def test_brackets_are_wide_at_a_tangency_and_narrow_elsewhere(radius, smallest, largest):
    """Definition 8: near a tangency gamma's error is the square root of the rounding error."""
    arguments = one_pair([-2.0, 0.5], [3.0, 0.5], [0.25, 0.0], radius)
    low, high = brackets.for_call("intersection_ratios", arguments)[0]
    assert smallest < float(high[0, 0] - low[0, 0]) < largest


@calm(80)
@given(random_cases.pair_cases(Spec(pairs=(1,), regions=(1,), metrics=("identity",)))(FLOAT64))
def test_bracket_ends_are_the_reference_at_moved_radii(case):
    """Definition 8: [gamma(r - d), gamma(r + d)] to 50 digits, by the reference's own lines."""
    g = Geometry(case["X_i"], case["X_j"], case["centers"], case["radii"], FLOAT64)
    x_i, x_j, o = (exact.as_mpmath(case[name][0]) for name in ("X_i", "X_j", "centers"))
    low, high = g.ratios()
    width = float(high[0, 0] - low[0, 0])
    with mpmath.workdps(50):
        for radius in (g.r_low, g.r_high):
            digits = np.format_float_positional(radius[0, 0], unique=True, precision=40)
            expected = intersection.intersection_ratio(x_i, x_j, o, mpmath.mpf(digits))
            error = float(g.ratio(radius)[0, 0]) - float(expected)
            assert abs(error) <= 0.05 * width + 1e-18


def printed_ratio(x_i, x_j, o, r):
    """gamma by the printed b^2 - 4ac, in whatever precision the arrays have."""
    d = x_j - x_i
    v = x_i - o
    a = d @ d
    b = 2 * (d @ v)
    c = v @ v - r * r
    Delta = b * b - 4 * a * c
    if a == 0 or Delta <= 0:
        return 0.0
    root = np.sqrt(Delta)
    lambda_p = np.clip((-b - root) / (2 * a), 0, 1)
    lambda_q = np.clip((-b + root) / (2 * a), 0, 1)
    return float(lambda_q - lambda_p)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_printed_discriminant_stays_within_the_bracket(dtype):
    """Table 1, Definition 8: b^2 - 4ac errs like a radius moved by k eps s max(1, s / r), also for
    small balls far away.
    """
    random = np.random.default_rng(5)
    precision = np.dtype(dtype).name
    worst = 0.0
    for _ in range(3000):
        F = int(random.integers(1, 9))
        x_i, x_j, o = (random.normal(size=F).astype(dtype) for _ in range(3))
        o = (o * 10.0 ** random.integers(0, 3)).astype(dtype)
        d = (x_j - x_i).astype(float)
        t = random.uniform(-0.5, 1.5)
        h = np.linalg.norm(x_i + t * d - o)
        distance_from_tangency = random.choice([0, 1e-7, -1e-7, 1e-3, 0.3]) * random.normal() ** 2
        r = abs(dtype(h * (1 + distance_from_tangency)))

        arguments = one_pair(x_i, x_j, o, r)
        low, high = brackets.for_call("intersection_ratios", arguments, precision)[0]
        ratio = printed_ratio(x_i, x_j, o, r)
        assert low[0, 0] <= ratio <= high[0, 0]
        middle = float(low[0, 0] + high[0, 0]) / 2
        half = float(high[0, 0] - low[0, 0]) / 2
        if half:
            worst = max(worst, abs(ratio - middle) / half)
    assert worst > 0.1, "the printed formula uses at least a tenth of what it is allowed"


def test_a_gram_matrix_trick_falls_outside_the_bracket():
    """Equation (9): |x|^2 + |y|^2 - 2xy loses half the digits for points 1e-8 apart."""
    x = np.array([[1.3, 0.7]])
    y = np.array([[1.3 + 1e-8, 0.7 - 2e-8]])
    arguments = {
        "X_i": x,
        "X_j": y,
        "centers": np.zeros((0, 2)),
        "radii": np.zeros(0),
        "local_metrics": np.zeros((0, 2, 2)),
        "background_metric": np.eye(2),
    }
    low, high = brackets.for_call("distances", arguments)[0]
    square = (x**2).sum() + (y**2).sum() - 2 * (x * y).sum()
    gram = math.sqrt(max(float(square), 0.0))
    assert low[0] <= np.linalg.norm(y - x) <= high[0]
    assert not low[0] <= gram <= high[0]


ONE_TO_THREE = (1, 2, 3)
DISTINCT_PAIRS = random_cases.pair_cases(
    Spec(
        pairs=(1,),
        regions=ONE_TO_THREE,
        features=ONE_TO_THREE,
        kinds=DISTINCT,
    )
)


@calm(60)
@given(DISTINCT_PAIRS(FLOAT64), st.integers(0, 2**32 - 1))
def test_moving_the_inputs_by_their_rounding_stays_within_the_bracket(case, seed):
    """Equation (9): the distance at radii, metrics and points moved by an eps, to 50 digits."""
    random = np.random.default_rng(seed)
    low, high = brackets.for_call("distances", select(case.inputs, "distances"))[0]
    moved = {}
    for name in ("X_i", "X_j", "centers", "radii"):
        array = case[name]
        signs = random.choice([-1, 0, 1], size=array.shape)
        moved[name] = array * (1 + EPS / 2 * signs)
    with mpmath.workdps(50):
        inputs = select(case.but(**moved).inputs, "distances")
        expected = exact.for_call("distances", inputs)[0][0]
    assert float(low[0]) <= expected <= float(high[0])


def test_the_bracket_of_a_distance_is_its_range_over_the_box_of_ratios():
    """Equation (9): D is convex in gamma, so its largest value sits at a corner; the lower end is
    no higher than any corner.
    """
    random = np.random.default_rng(3)
    for _ in range(200):
        S = int(random.integers(1, 4))
        center = random.uniform(0, 1, size=S)
        low = center - 0.05
        high = center + 0.05
        local = random.uniform(0, 3, size=S)
        background = random.uniform(0, 3)
        lengths = brackets.Lengths(
            (low[None], high[None]),
            (local[None], local[None]),
            np.zeros((1, S), bool),
            (np.array([background]), np.array([background])),
            np.zeros(1, bool),
            0.0,
        )
        (lower,), (upper,) = lengths.distance()

        def distances(ratios, local=local, background=background):
            free = np.maximum(1 - ratios.sum(axis=1), 0)
            return free * background + ratios @ local

        corners = np.array(list(product(*zip(low, high, strict=True))))
        at_corners = distances(corners)
        assert upper == pytest.approx(at_corners.max(), rel=1e-14)
        assert lower <= at_corners.min() + 1e-12
        inside = distances(random.uniform(low, high, size=(50, S)))
        assert (inside >= lower - 1e-12).all()
        assert (inside <= upper + 1e-12).all()


def judged(function, arguments, answer):
    checker = Checker(from_functions({function: lambda *given: answer}))
    checker.check_values(function, Case(dict(arguments)))


@pytest.mark.parametrize(
    "function", ["intersection_ratios", "distances", "exact_background_ratios", "cross_distances"]
)
def test_the_ends_of_a_bracket_pass_and_the_next_number_outside_does_not(function):
    """Equation (9), Definition 8: the checker is exactly as strict as its brackets."""
    case = corner_cases.of(function)()[9]
    checker = Checker(from_functions({function: lambda *given: None}))
    low, high = checker.allowed(function, case.inputs)[0]
    judged(function, case.inputs, low)
    judged(function, case.inputs, high)

    above = high.copy()
    above.flat[-1] = np.nextafter(high.flat[-1], np.inf)
    with pytest.raises(Violation) as raised:
        judged(function, case.inputs, above)
    assert raised.value.got == above.flat[-1]
    assert raised.value.upper == high.flat[-1]
    assert raised.value.got > raised.value.upper

    below = low.copy()
    below.flat[-1] = np.nextafter(low.flat[-1], -np.inf)
    with pytest.raises(Violation):
        judged(function, case.inputs, below)


@pytest.mark.parametrize("function", list(FUNCTIONS))
def test_a_relative_error_of_1e_12_is_seen_in_every_function(function):
    """All interface functions, at a plain input away from every kink."""
    inputs = plain_inputs()
    true = [array.astype(float) for array in exact.for_call(function, select(inputs, function))]

    def judge(arrays):
        answer = arrays[0] if FUNCTIONS[function].single else arrays
        judged(function, inputs, answer)

    judge(true)
    for index, array in enumerate(true):
        place = np.unravel_index(np.argmax(np.abs(array)), array.shape)
        for error in (1e-12, -1e-12):
            wrong = [array.copy() for array in true]
            wrong[index][place] *= 1 + error
            with pytest.raises(Violation):
                judge(wrong)


def plain_inputs():
    """Inputs of all nine functions, with every ratio strictly between 0 and 1, similar pairs active
    and dissimilar ones not.
    """
    return {
        "X_i": np.array([[-2.0, 0.5], [-1.75, 0.25]]),
        "X_j": np.array([[3.0, 0.25], [2.5, -0.5]]),
        "X": np.array(
            [
                [-2.0, 0.5],
                [3.0, 0.25],
                [-1.75, 0.25],
                [2.5, -0.5],
            ]
        ),
        "Y": np.array([[3.0, 0.25], [2.5, -0.5], [2.0, 1.0]]),
        "X_minus": np.array([[3.0, 0.25], [2.5, -0.5], [2.75, 0.0]]),
        "X_plus": np.array([[2.0, 0.75], [3.0, -1.0]]),
        "K": 2,
        "similar": np.array([[0, 1], [2, 3]]),
        "dissimilar": np.array([[0, 3]]),
        "centers": np.array([[-0.5, 0.0], [1.25, 0.25]]),
        "radii": np.array([1.25, 0.75]),
        "local_metrics": np.array(
            [
                [[0.5, 0.125], [0.125, 0.25]],
                [[0.25, -0.0625], [-0.0625, 0.5]],
            ]
        ),
        "background_metric": np.array([[0.375, 0.0625], [0.0625, 0.25]]),
        "alpha": 0.5,
        "C": 0.5,
        "beta": 0.0625,
    }


# --- Kinks
# --------------------------------------------------------------------------------------------------


def gradient_brackets(x_i, x_j, center, radius):
    kinks = Kinks()
    arguments = one_pair(x_i, x_j, center, radius)
    by_center, by_radius = brackets.for_call("ratio_gradients", arguments, kinks=kinks)
    return by_center, by_radius, kinks.count


def test_on_a_kink_everything_between_the_one_sided_derivatives_is_allowed():
    """Table 3: x_i on the sphere; d gamma / d r is 1/L on one side of the kink and 2/L on the other
    (chord through o).
    """
    _, (low, high), count = gradient_brackets([-1.0, 0.0], [3.0, 0.0], [0.0, 0.0], 1.0)
    assert count == 1
    assert float(low[0, 0]) == pytest.approx(1 / 4, rel=1e-12)
    assert float(high[0, 0]) == pytest.approx(2 / 4, rel=1e-12)


def test_beside_a_kink_only_the_derivative_of_that_side_is_allowed():
    """Table 3: a millionth away from the kink the bracket is narrow again, and nothing is
    counted.
    """
    for radius, slope in ((1 - 1e-6, 2 / 4), (1 + 1e-6, 1 / 4)):
        _, (low, high), count = gradient_brackets([-1.0, 0.0], [3.0, 0.0], [0.0, 0.0], radius)
        assert count == 0
        assert float(high[0, 0] - low[0, 0]) < 1e-12
        assert float(low[0, 0]) == pytest.approx(slope, rel=1e-9)


def test_at_a_tangent_point_of_the_segment_the_derivative_is_unbounded():
    """Table 3, first row (E16): one-sided derivatives 0 and infinity, so anything not negative
    passes in the radius.
    """
    _, (low, high), count = gradient_brackets([-1.0, 1.0], [3.0, 1.0], [0.0, 0.0], 1.0)
    assert low[0, 0] == 0
    assert high[0, 0] == np.inf
    assert count == 1


def test_a_tangent_point_outside_the_segment_leaves_the_derivative_at_zero():
    """Table 3, first row: the ball touches the line beyond x_j."""
    by_center, by_radius, count = gradient_brackets([1.0, 1.0], [3.0, 1.0], [0.0, 0.0], 1.0)
    for low, high in (by_center, by_radius):
        assert (low == 0).all()
        assert (high == 0).all()
    assert count == 0


def test_equal_points_have_no_gradient_and_no_slack():
    """Table 2, row 2: x_i = x_j gives ratio 0 and gradient 0, exactly."""
    by_center, by_radius, _ = gradient_brackets([0.5, 0.0], [0.5, 0.0], [0.0, 0.0], 1.0)
    for low, high in (by_center, by_radius):
        assert (low == 0).all()
        assert (high == 0).all()


def test_a_pair_on_its_hinge_may_count_fully_or_not_at_all():
    """Section 5.2, gradient of g: D = 1 + C exactly, so the gradient in M(B) lies between 0 and
    that of the pair.
    """
    inputs = {
        "X": np.array([[0.0], [3.0]]),
        "similar": np.zeros((0, 2), int),
        "dissimilar": np.array([[0, 1]]),
        "centers": np.zeros((0, 1)),
        "radii": np.zeros(0),
        "local_metrics": np.zeros((0, 1, 1)),
        "background_metric": np.array([[0.25]]),
        "alpha": 0.0,
        "C": 0.5,
    }
    kinks = Kinks()
    low, high = brackets.for_call("objective_gradient", inputs, kinks=kinks)[3]
    assert kinks.count == 1
    assert float(low[0, 0]) == pytest.approx(-9 / (2 * 1.5), rel=1e-12)
    assert abs(float(high[0, 0])) < 1e-12


# --- Classifier, objective and step
# --------------------------------------------------------------------------------------


@given(
    st.lists(st.floats(0, 10), min_size=3, max_size=7),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
@calm(100)
def test_sums_of_the_smallest_are_bracketed_by_those_of_the_ends(values, K, random):
    """Equation (10): sumKmin is monotone in every distance."""
    low = np.array(values)
    widths = np.array([random.random() for _ in values])
    shares = np.array([random.random() for _ in values])
    high = low + widths
    inside = low + widths * shares
    lower, upper = brackets.sum_of_smallest((low, high), K)
    assert lower - 1e-12 <= sum(sorted(inside)[:K]) <= upper + 1e-12


@pytest.mark.parametrize("features", [1, 2, 3, 5])
def test_the_projection_is_the_one_of_50_digits(features):
    """Section 5.2, gradient descent: eigenvalues clipped at 0 (C2), against mpmath's
    eigenvalues.
    """
    random = np.random.default_rng(features)
    A = random.normal(size=(features, features))
    M = A + A.T
    with mpmath.workdps(50):
        values, Q = mpmath.eigsy(mpmath.matrix(M.tolist()))
        clipped = mpmath.diag([max(v, 0) for v in values])
        expected = Q * clipped * Q.T
    expected = np.array(expected.tolist(), dtype=float)
    tolerance = 1e-14 * np.abs(M).sum()
    assert np.allclose(brackets.projected(M), expected, rtol=0, atol=tolerance)


def test_a_bracket_without_the_truth_is_the_fault_of_the_oracle():
    """No subject is blamed for a mistake of the oracle."""
    arguments = one_pair([-2.0, 0.5], [3.0, 0.5], [0.25, 0.0], 1.25)
    low, high = brackets.for_call("intersection_ratios", arguments)[0]
    with pytest.raises(OracleError, match="the oracle is wrong"):
        confirm("intersection_ratios", arguments, [(low + 1e-9, high + 1e-9)])


def test_the_background_may_be_a_rounding_below_0_and_no_more():
    """Definition 5.

    Three intervals cover [0, 2.2] exactly; 1 - 2/2.2 - 0.2/2.2 in floats is -2^-54, an honest
    answer.
    """
    case = {
        "X_i": np.array([[0.0]]),
        "X_j": np.array([[2.2]]),
        "centers": np.array([[-1.0], [-3.0], [0.0]]),
        "radii": np.array([3.0, 4.0, 4.0]),
    }
    [(lower, upper)] = brackets.for_call("exact_background_ratios", case)
    assert -1e-14 < lower[0] <= -(2.0**-54)
    assert 0 <= upper[0] < 1e-14
