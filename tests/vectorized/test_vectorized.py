"""What holds for every function of `lmlir.vectorized`: precision, blocks, memory, layouts and empty
inputs.
"""

import inspect

import numpy as np
import pytest
from real_data import assert_close, start

from lmlir import subject, vectorized


@pytest.mark.parametrize("reference", subject.FUNCTIONS, ids=lambda function: function.__name__)
def test_the_twin_has_the_signatures_of_the_subject_interface(reference):
    """The same arguments under the same names in the same order; `printed` or `n_jobs`, where it
    can be given, comes last.
    """
    arguments = list(inspect.signature(getattr(vectorized, reference.__name__)).parameters)
    ours = list(inspect.signature(reference).parameters)
    assert arguments[: len(ours)] == ours
    assert arguments[len(ours) :] in ([], ["printed"], ["n_jobs"])


def test_no_module_of_the_package_hides_a_function():
    """A file named like a function would take its place in the package when it is imported."""
    assert not [name for name in vectorized.__all__ if inspect.ismodule(getattr(vectorized, name))]


PAIRED = ("intersection_ratios", "ratio_gradients", "exact_background_ratios")


def calls(X, y, Theta, beta=0.0):
    near = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    half = len(X) // 2
    return {
        **dict.fromkeys(PAIRED, (X[:half], X[half:], *Theta[:2])),
        "distances": (X[:half], X[half:], *Theta),
        "cross_distances": (X, X, *Theta),
        "decision_values": (X, X[:half], X[half:], 3, *Theta),
        "objective": (X, *near, *Theta, 0.1, 0.5),
        "objective_gradient": (X, *near, *Theta, 0.1, 0.5),
        "descent_step": (X, *near, *Theta, 0.1, 0.5, beta),
    }


def parts_of(answer):
    return answer if isinstance(answer, tuple) else (answer,)


def test_every_function_answers_float32_with_float32():
    """The subject interface in single precision: same type out, and near the double precision
    answer.
    """
    X, y, Theta = start("wdbc", rows=30)
    X, *Theta = (np.asarray(array, dtype=np.float32) for array in (X, *Theta))
    single = calls(X, y, Theta, beta=0.1)
    X, *Theta = (array.astype(float) for array in (X, *Theta))
    double = calls(X, y, Theta, beta=0.1)
    single.pop("objective")  # a Python float
    for name, arguments in single.items():
        function = getattr(vectorized, name)
        answer = parts_of(function(*arguments))
        expected = parts_of(function(*double[name]))
        for short, long in zip(answer, expected, strict=True):
            assert short.dtype == np.float32, name
            assert long.dtype == np.float64, name
            tolerance = 200 * 2.0**-23 * np.abs(long).max()
            assert np.abs(short - long).max() <= tolerance, name


def test_pairs_do_not_depend_on_the_others_in_the_batch():
    """Batches are computed in blocks: 4,000 pairs at once give what the first, some in the middle
    and the last give alone.
    """
    X, _, Theta = start("wdbc", rows=100)
    i, j = np.random.default_rng(0).integers(0, 100, size=(2, 4000))
    few = [0, *range(1000, 1300), 3999]
    for name in ("distances", *PAIRED):
        function = getattr(vectorized, name)
        regions = Theta if name == "distances" else Theta[:2]
        together = function(X[i], X[j], *regions)
        apart = function(X[i[few]], X[j[few]], *regions)
        for array, expected in zip(parts_of(together), parts_of(apart), strict=True):
            assert_close(array[few], expected, factor=100)


def test_inputs_are_neither_changed_nor_handed_back():
    """Frozen inputs are accepted, and no answer shares memory with them (a step of rate 0 is
    tempting).
    """
    X, y, Theta = start("wdbc", rows=20)
    inputs = (X, *Theta)
    for array in inputs:
        array.flags.writeable = False
    for name, arguments in calls(X, y, Theta).items():
        answer = getattr(vectorized, name)(*arguments)
        for output in parts_of(answer):
            for array in inputs:
                assert not np.shares_memory(output, array), name


def test_lists_in_any_layout_are_arrays_too():
    """Array-likes: nested lists, Fortran order and slices give what contiguous arrays give."""
    X, y, Theta = start("wdbc", rows=20)
    wide = np.repeat(X, 2, axis=1)[:, ::2]
    for name, arguments in calls(X, y, Theta).items():
        function = getattr(vectorized, name)
        expected = function(*arguments)
        for convert in (np.ndarray.tolist, np.asfortranarray):
            got = function(*(convert(a) if isinstance(a, np.ndarray) else a for a in arguments))
            for part, truth in zip(parts_of(got), parts_of(expected), strict=True):
                assert_close(part, truth, factor=100)
    assert_close(
        vectorized.cross_distances(wide, wide, *Theta),
        vectorized.cross_distances(X, X, *Theta),
        factor=10,
    )


@pytest.mark.parametrize("radius", [1.0, 1.4e154, 1e300])
def test_equal_points_have_no_intersection_whatever_the_radius(radius):
    """Definition 8, x_i = x_j (C21): gamma = 0, the background has everything, D = 0, also where
    r^2 overflows.
    """
    x = [[0.3, 0.2]]
    balls = ([[0.0, 0.0]], [radius])
    metrics = ([4 * np.eye(2)], np.eye(2))
    assert vectorized.intersection_ratios(x, x, *balls).tolist() == [[0.0]]
    assert vectorized.exact_background_ratios(x, x, *balls).tolist() == [1.0]
    assert vectorized.distances(x, x, *balls, *metrics).tolist() == [0.0]
    assert vectorized.cross_distances(x, x, *balls, *metrics).tolist() == [[0.0]]


def test_empty_batches_and_empty_region_lists_have_the_right_shapes():
    """Surface: P = 0, S = 0 and no rows at all are ordinary inputs."""
    none = np.zeros((0, 2))
    three = np.ones((3, 2))
    F = 2
    no_regions = (np.zeros((0, F)), np.zeros(0), np.zeros((0, F, F)), np.eye(F))
    one = (np.zeros((1, F)), np.ones(1), np.eye(F)[None], np.eye(F))
    ball = one[:2]
    assert vectorized.intersection_ratios(none, none, *ball).shape == (0, 1)
    by_center, by_radius = vectorized.ratio_gradients(none, none, *ball)
    assert by_center.shape == (0, 1, 2)
    assert by_radius.shape == (0, 1)
    by_center, _ = vectorized.ratio_gradients(three, three, [], [])
    assert by_center.shape == (3, 0, 2)
    assert vectorized.intersection_ratios([], [], [], []).shape == (0, 0)
    free = vectorized.exact_background_ratios(three, np.zeros((3, 2)), [], [])
    assert free.tolist() == [1, 1, 1]
    assert vectorized.distances(none, none, *one).shape == (0,)
    assert vectorized.cross_distances(none, three, *one).shape == (0, 3)
    assert vectorized.cross_distances(three, none, *one).shape == (3, 0)
    D = vectorized.cross_distances(np.zeros((1, 2)), [[3.0, 4.0]], *no_regions)
    assert D.tolist() == [[5.0]]
    assert vectorized.decision_values(none, three, three, 2, *one).shape == (0,)
    problem = three, [], [], *no_regions, 0.5, 0.5
    assert vectorized.objective(*problem) == pytest.approx(0.5 * 2**0.5)
    shapes = [slope.shape for slope in vectorized.objective_gradient(*problem)]
    assert shapes == [(0, 2), (0,), (0, 2, 2), (2, 2)]
