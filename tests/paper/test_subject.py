"""The subject interface on top of the reference: tests of `lmlir.subject`."""

import inspect

import numpy as np
import pytest

from lmlir import classifier as classifier_module
from lmlir import descent, distance, gradient, subject
from lmlir import objective as objective_module
from lmlir.intersection import intersection_ratio

RNG = np.random.default_rng(0)
F = 2
S = 3
P = 4
X_i, X_j = RNG.normal(size=(2, P, F))
CENTERS = RNG.normal(size=(S, F))
RADII = RNG.uniform(0.3, 1, size=S)
ROOTS = RNG.normal(size=(S + 1, F, F))
METRICS = np.einsum("sab,sac->sbc", ROOTS, ROOTS)
THETA = CENTERS, RADII, METRICS[:S], METRICS[S]
LISTS = tuple(part.tolist() for part in THETA)
NONE = np.zeros((0, F)), np.zeros(0), np.zeros((0, F, F)), np.eye(F)  # S = 0
SIMILAR = [[0, 1], [2, 3]]
DISSIMILAR = [[0, 2], [1, 3], [3, 0]]

# The interface, version 1: other people's programs depend on names, arguments and shapes.
BALLS = ["centers", "radii"]
METRIC_NAMES = ["local_metrics", "background_metric"]
PROBLEM = ["X", "similar", "dissimilar", *BALLS, *METRIC_NAMES, "alpha", "C"]
SIGNATURES = {
    "intersection_ratios": ["X_i", "X_j", *BALLS],
    "ratio_gradients": ["X_i", "X_j", *BALLS],
    "exact_background_ratios": ["X_i", "X_j", *BALLS],
    "distances": ["X_i", "X_j", *BALLS, *METRIC_NAMES],
    "cross_distances": ["X", "Y", *BALLS, *METRIC_NAMES],
    "decision_values": ["X", "X_minus", "X_plus", "K", *BALLS, *METRIC_NAMES],
    "objective": PROBLEM,
    "objective_gradient": PROBLEM,
    "descent_step": [*PROBLEM, "beta"],
}


def test_the_interface_has_its_nine_functions_with_their_arguments():
    """Version 1 of the interface: nine functions, positional or by name."""
    assert [function.__name__ for function in subject.FUNCTIONS] == list(SIGNATURES)
    for function in subject.FUNCTIONS:
        assert list(inspect.signature(function).parameters) == SIGNATURES[function.__name__]


def test_ratios_and_their_gradients_are_the_references():
    """Definition 8 and Table 3, pair by pair and region by region."""
    ratios = subject.intersection_ratios(X_i, X_j, CENTERS, RADII)
    by_center, by_radius = subject.ratio_gradients(X_i, X_j, CENTERS, RADII)
    assert ratios.shape == (P, S)
    assert by_radius.shape == (P, S)
    assert by_center.shape == (P, S, F)
    for p, s in np.ndindex(P, S):
        case = X_i[p].tolist(), X_j[p].tolist(), CENTERS[s].tolist(), float(RADII[s])
        assert ratios[p, s] == intersection_ratio(*case)
        expected_by_center, expected_by_radius = gradient.ratio_gradient(*case)
        assert by_center[p, s].tolist() == list(expected_by_center)
        assert by_radius[p, s] == expected_by_radius


def test_distances_are_the_references():
    """Equations (9) and (10), and the exact background ratio of Definition 5."""
    starts = X_i.tolist()
    ends = X_j.tolist()
    distances = []
    background_ratios = []
    for pair in zip(starts, ends, strict=True):
        distances.append(distance.distance(*pair, *LISTS))
        background_ratios.append(distance.exact_background_ratio(*pair, *LISTS[:2]))
    assert subject.distances(X_i, X_j, *THETA).tolist() == distances
    got = subject.exact_background_ratios(X_i, X_j, CENTERS, RADII)
    assert got.tolist() == background_ratios

    table = [[distance.distance(x, y, *LISTS) for y in ends[:3]] for x in starts]
    assert subject.cross_distances(X_i, X_j[:3], *THETA).tolist() == table

    values = []
    for x in starts:
        values.append(classifier_module.decision_value(x, ends[:2], ends[2:], 2, *LISTS))
    assert subject.decision_values(X_i, X_j[:2], X_j[2:], 2, *THETA).tolist() == values


def test_the_objective_and_what_follows_from_it_are_the_references():
    """Section 5.2, objective g, Section 5.2, gradient of g and Section 5.2, gradient descent."""
    problem = X_i, SIMILAR, DISSIMILAR, *THETA, 0.1, 0.5
    lists = X_i.tolist(), SIMILAR, DISSIMILAR, *LISTS, 0.1, 0.5
    assert subject.objective(*problem) == objective_module.objective(*lists)
    slope = subject.objective_gradient(*problem)
    step = subject.descent_step(*problem, 0.3)
    expected_slope = gradient.objective_gradient(*lists)
    expected_step = descent.descent_step(*lists, 0.3)
    for answer, expected in ((slope, expected_slope), (step, expected_step)):
        assert [array.shape for array in answer] == [(S, F), (S,), (S, F, F), (F, F)]
        for array, numbers in zip(answer, expected, strict=True):
            assert array.tolist() == np.array(numbers, dtype=float).tolist()


def test_without_regions_every_shape_stays():
    """S = 0: arrays without rows, or an empty list in their place."""
    expected = np.linalg.norm(X_i - X_j, axis=1)
    for Theta in (NONE, ([], [], [], np.eye(F))):
        balls = Theta[:2]
        assert subject.intersection_ratios(X_i, X_j, *balls).shape == (P, 0)
        assert subject.ratio_gradients(X_i, X_j, *balls)[0].shape == (P, 0, F)
        assert subject.exact_background_ratios(X_i, X_j, *balls).tolist() == [1] * P
        assert subject.distances(X_i, X_j, *Theta) == pytest.approx(expected, rel=1e-14)
        slope = subject.objective_gradient(X_i, SIMILAR, DISSIMILAR, *Theta, 0.1, 0.5)
        assert [array.shape for array in slope] == [(0, F), (0,), (0, F, F), (F, F)]


def test_without_pairs_every_shape_stays():
    """P = 0: no rows in, no rows out; and no pairs leave the penalty (C20)."""
    nothing = np.zeros((0, F))
    assert subject.distances(nothing, nothing, *THETA).shape == (0,)
    assert subject.intersection_ratios(nothing, nothing, CENTERS, RADII).shape == (0, S)
    assert subject.ratio_gradients(nothing, nothing, CENTERS, RADII)[0].shape == (0, S, F)
    assert subject.cross_distances(nothing, X_j, *THETA).shape == (0, P)
    assert subject.cross_distances(X_i, nothing, *THETA).shape == (P, 0)
    penalty = 0.1 * sum(np.linalg.norm(metric) for metric in METRICS)
    no_pairs = np.zeros((0, 2), dtype=int)
    objective = subject.objective(X_i, [], no_pairs, *THETA, 0.1, 0.5)
    assert objective == pytest.approx(penalty, rel=1e-14)


def test_integers_and_single_precision_are_taken_as_they_are():
    """Arrays of integers and float32 are array-likes too; the answer is in double precision."""
    assert subject.intersection_ratios([[0, 0]], [[4, 0]], [[0, 0]], [1]).tolist() == [[0.25]]
    single = subject.distances(X_i.astype(np.float32), X_j.astype(np.float32), *THETA)
    assert single.dtype == np.float64
    assert single == pytest.approx(subject.distances(X_i, X_j, *THETA), rel=1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: subject.distances(X_i[0], X_j, *THETA),
            r"X_i must have 2 dimensions, got shape \(2,\)",
        ),
        (
            lambda: subject.distances(X_i[:3], X_j, *THETA),
            "X_j must have as many rows as X_i, got 4 and 3",
        ),
        (
            lambda: subject.distances(X_i * np.nan, X_j, *THETA),
            "X_i must be finite, but contains nan",
        ),
        (
            lambda: subject.distances(X_i, X_j, CENTERS, RADII[:2], *THETA[2:]),
            "radii needs one radius per center",
        ),
        (
            lambda: subject.distances(X_i, X_j, CENTERS, -RADII, *THETA[2:]),
            "Definition 1 needs radius >= 0",
        ),
        (
            lambda: subject.distances(X_i, X_j, *THETA[:2], METRICS[:2], METRICS[S]),
            "one metric per center",
        ),
        (
            lambda: subject.distances(X_i, X_j, *THETA[:2], -METRICS[:S], METRICS[S]),
            r"local_metrics\[0\] must be pos",
        ),
        (
            lambda: subject.distances(X_i, X_j, *NONE[:3], np.ones((2, 3))),
            "background_metric must be a 2 x 2 matrix",
        ),
        (lambda: subject.distances(X_i[:, :1], X_j[:, :1], *NONE), "metric must be a 1 x 1 matrix"),
        (
            lambda: subject.decision_values(X_i, X_i, X_j, 5, *THETA),
            "K must be a whole number from 1 to 4",
        ),
        (
            lambda: subject.decision_values(X_i[:0], X_i, X_j, 5, *THETA),
            "K must be a whole number from 1 to 4",
        ),
        (
            lambda: subject.objective(X_i, [[0, 4]], [], *THETA, 0.1, 0.5),
            "similar must index rows 0 to 3 of X",
        ),
        (
            lambda: subject.objective(X_i, [[-1, 0]], [], *THETA, 0.1, 0.5),
            "similar must index rows 0 to 3 of X",
        ),
        (
            lambda: subject.objective(X_i, [[0.5, 0]], [], *THETA, 0.1, 0.5),
            "similar must index rows 0 to 3 of X",
        ),
        (
            lambda: subject.objective(X_i, [], [[0, 1, 2]], *THETA, 0.1, 0.5),
            r"dissimilar must have .* got \(1, 3\)",
        ),
        (
            lambda: subject.objective(X_i, [], [], *THETA, -0.1, 0.5),
            r"equation \(12\) needs alpha >= 0",
        ),
        (
            lambda: subject.descent_step(X_i, [], [], *THETA, 0.1, 0.5, np.nan),
            "gradient descent needs a finite rate",
        ),
    ],
)
def test_invalid_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


NAMED = {
    "X_i": X_i,
    "X_j": X_j,
    "X": X_i,
    "Y": X_j,
    "X_minus": X_i,
    "X_plus": X_j,
    "K": 2,
    "similar": np.array(SIMILAR),
    "dissimilar": np.array(DISSIMILAR),
    "centers": CENTERS,
    "radii": RADII,
    "local_metrics": METRICS[:S],
    "background_metric": METRICS[S],
    "alpha": 0.1,
    "C": 0.5,
    "beta": 0.25,
}


def test_the_arguments_have_their_declared_shapes():
    """Equal letters are equal lengths."""
    assert NAMED.keys() == subject.ARGUMENTS.keys()
    lengths = {"2": 2}
    for name, value in NAMED.items():
        letters = subject.ARGUMENTS[name].shape
        for letter, length in zip(letters, np.shape(value), strict=True):
            assert lengths.setdefault(letter, length) == length


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("function", subject.FUNCTIONS, ids=lambda function: function.__name__)
def test_nan_and_infinity_are_refused_in_every_argument(function, bad):
    """The interface: an error, never a number. The arrays themselves stay as they are."""
    names = SIGNATURES[function.__name__]
    for name in names:
        if name in ("K", "similar", "dissimilar"):
            continue
        arguments = {other: np.copy(NAMED[other]) for other in names}
        arguments[name].flat[-1] = bad
        for other, value in arguments.items():
            if not value.ndim:
                arguments[other] = value.item()
        with pytest.raises(ValueError):
            function(**arguments)


@pytest.mark.parametrize("function", subject.FUNCTIONS, ids=lambda function: function.__name__)
def test_arrays_in_any_memory_layout_and_the_same_object_twice_are_taken(function):
    """The interface: read-only, not contiguous, in Fortran's order; the answer is that of plain
    arrays.
    """
    names = SIGNATURES[function.__name__]
    plain = {name: NAMED[name] for name in names}
    odd = dict(plain)
    for name, value in plain.items():
        if isinstance(value, np.ndarray):
            spread = np.zeros([2 * length for length in value.shape], value.dtype, order="F")
            every_second = tuple(slice(None, None, 2) for _ in spread.shape)
            odd[name] = spread[every_second]
            odd[name][...] = value
            odd[name].flags.writeable = False
    expected = function(**plain)
    answer = function(**odd)
    if not isinstance(answer, tuple):
        expected = (expected,)
        answer = (answer,)
    for array, expected_array in zip(answer, expected, strict=True):
        np.testing.assert_array_equal(array, expected_array)
    if "Y" in names:
        # the very same object twice
        np.testing.assert_array_equal(np.diag(function(X_i, X_i, *THETA)), 0)
