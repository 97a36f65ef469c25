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
    assert ratios.shape == by_radius.shape == (P, S)
    assert by_center.shape == (P, S, F)
    for p in range(P):
        for s in range(S):
            case = X_i[p].tolist(), X_j[p].tolist(), CENTERS[s].tolist(), float(RADII[s])
            assert ratios[p, s] == intersection_ratio(*case)
            expected = gradient.ratio_gradient(*case)
            assert (by_center[p, s].tolist(), by_radius[p, s]) == (list(expected[0]), expected[1])


def test_distances_are_the_references():
    """Equations (9) and (10), and the exact background ratio of Definition 5."""
    pairs = [(a.tolist(), b.tolist()) for a, b in zip(X_i, X_j, strict=True)]
    assert subject.distances(X_i, X_j, *THETA).tolist() == [
        distance.distance(*pair, *LISTS) for pair in pairs
    ]
    assert subject.exact_background_ratios(X_i, X_j, CENTERS, RADII).tolist() == [
        distance.exact_background_ratio(*pair, *LISTS[:2]) for pair in pairs
    ]
    table = subject.cross_distances(X_i, X_j[:3], *THETA)
    assert table.tolist() == [
        [distance.distance(x, y, *LISTS) for y in X_j[:3].tolist()] for x in X_i.tolist()
    ]
    f = subject.decision_values(X_i, X_j[:2], X_j[2:], 2, *THETA)
    expected = [
        classifier_module.decision_value(x, X_j[:2].tolist(), X_j[2:].tolist(), 2, *LISTS)
        for x in X_i.tolist()
    ]
    assert f.tolist() == expected


def test_the_objective_and_what_follows_from_it_are_the_references():
    """Section 5.2, objective g, Section 5.2, gradient of g and Section 5.2, gradient descent."""
    X = X_i.tolist()
    assert subject.objective(
        X_i, SIMILAR, DISSIMILAR, *THETA, 0.1, 0.5
    ) == objective_module.objective(X, SIMILAR, DISSIMILAR, *LISTS, 0.1, 0.5)
    slope = subject.objective_gradient(X_i, SIMILAR, DISSIMILAR, *THETA, 0.1, 0.5)
    step = subject.descent_step(X_i, SIMILAR, DISSIMILAR, *THETA, 0.1, 0.5, 0.3)
    expected_slope = gradient.objective_gradient(X, SIMILAR, DISSIMILAR, *LISTS, 0.1, 0.5)
    expected_step = descent.descent_step(X, SIMILAR, DISSIMILAR, *LISTS, 0.1, 0.5, 0.3)
    for got, expected in ((slope, expected_slope), (step, expected_step)):
        assert [part.shape for part in got] == [(S, F), (S,), (S, F, F), (F, F)]
        for part, other in zip(got, expected, strict=True):
            assert part.tolist() == np.array(other, dtype=float).tolist()


def test_without_regions_every_shape_stays():
    """S = 0: arrays without rows, or an empty list in their place."""
    for Theta in (NONE, ([], [], [], np.eye(F))):
        assert subject.intersection_ratios(X_i, X_j, *Theta[:2]).shape == (P, 0)
        assert subject.ratio_gradients(X_i, X_j, *Theta[:2])[0].shape == (P, 0, F)
        assert subject.exact_background_ratios(X_i, X_j, *Theta[:2]).tolist() == [1] * P
        assert subject.distances(X_i, X_j, *Theta) == pytest.approx(
            np.linalg.norm(X_i - X_j, axis=1), rel=1e-14
        )
        slope = subject.objective_gradient(X_i, SIMILAR, DISSIMILAR, *Theta, 0.1, 0.5)
        assert [part.shape for part in slope] == [(0, F), (0,), (0, F, F), (F, F)]


def test_without_pairs_every_shape_stays():
    """P = 0: no rows in, no rows out; and no pairs leave the penalty (C20)."""
    nothing = np.zeros((0, F))
    assert subject.distances(nothing, nothing, *THETA).shape == (0,)
    assert subject.intersection_ratios(nothing, nothing, CENTERS, RADII).shape == (0, S)
    assert subject.ratio_gradients(nothing, nothing, CENTERS, RADII)[0].shape == (0, S, F)
    assert subject.cross_distances(nothing, X_j, *THETA).shape == (0, P)
    assert subject.cross_distances(X_i, nothing, *THETA).shape == (P, 0)
    penalty = 0.1 * sum(np.linalg.norm(metric) for metric in METRICS)
    assert subject.objective(
        X_i, [], np.zeros((0, 2), dtype=int), *THETA, 0.1, 0.5
    ) == pytest.approx(penalty, rel=1e-14)


def test_integers_and_single_precision_are_taken_as_they_are():
    """Arrays of integers and float32 are array-likes too; the answer is in double precision."""
    assert subject.intersection_ratios([[0, 0]], [[4, 0]], [[0, 0]], [1]).tolist() == [[0.25]]
    single = subject.distances(*(part.astype(np.float32) for part in (X_i, X_j)), *THETA)
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
        assert np.shape(value) == tuple(
            lengths.setdefault(letter, length)
            for letter, length in zip(letters, np.shape(value), strict=True)
        )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("function", subject.FUNCTIONS, ids=lambda function: function.__name__)
def test_nan_and_infinity_are_refused_in_every_argument(function, bad):
    """The interface: an error, never a number. The arrays themselves stay as they are."""
    names = [
        name for name in SIGNATURES[function.__name__] if name not in ("K", "similar", "dissimilar")
    ]
    for name in names:
        given = {each: np.copy(NAMED[each]) for each in SIGNATURES[function.__name__]}
        given[name].flat[-1] = bad
        given = {each: value if value.ndim else value.item() for each, value in given.items()}
        with pytest.raises(ValueError):
            function(**given)


@pytest.mark.parametrize("function", subject.FUNCTIONS, ids=lambda function: function.__name__)
def test_arrays_in_any_memory_layout_and_the_same_object_twice_are_taken(function):
    """The interface: read-only, not contiguous, in Fortran's order; the answer is that of plain
    arrays.
    """
    names = SIGNATURES[function.__name__]
    odd = dict(NAMED)
    for name in names:
        if isinstance(NAMED[name], np.ndarray):
            spread = np.zeros(
                [2 * length for length in NAMED[name].shape], NAMED[name].dtype, order="F"
            )
            odd[name] = spread[tuple(slice(None, None, 2) for _ in spread.shape)]
            odd[name][...] = NAMED[name]
            odd[name].flags.writeable = False
    expected, got = (function(**{name: given[name] for name in names}) for given in (NAMED, odd))
    for ours, plain in zip(
        *(each if isinstance(each, tuple) else (each,) for each in (got, expected)), strict=True
    ):
        np.testing.assert_array_equal(ours, plain)
    if "Y" in names:
        # the very same object twice
        np.testing.assert_array_equal(np.diag(function(X_i, X_i, *THETA)), 0)
