"""What holds for every function of `lmlir.vectorized`: precision, blocks, memory, layouts and empty inputs."""

import inspect

import numpy as np
import pytest
from real_data import assert_close, start

from lmlir import subject, vectorized
from lmlir.vectorized import cross, pairs


@pytest.mark.parametrize("reference", subject.FUNCTIONS, ids=lambda function: function.__name__)
def test_the_twin_has_the_signatures_of_the_subject_interface(reference):
    """The same arguments under the same names in the same order; `printed` or `n_jobs`, where it can be given, comes last."""
    arguments = list(inspect.signature(getattr(vectorized, reference.__name__)).parameters)
    ours = list(inspect.signature(reference).parameters)
    assert arguments[: len(ours)] == ours
    assert arguments[len(ours) :] in ([], ["printed"], ["n_jobs"])


def test_no_module_of_the_package_hides_a_function():
    """A file named like a function would take its place in the package when it is imported."""
    assert not [name for name in vectorized.__all__ if inspect.ismodule(getattr(vectorized, name))]


def calls(X, y, Theta):
    near = vectorized.similar_pairs(X, y, 2), vectorized.dissimilar_pairs(X, y, 2)
    half = len(X) // 2
    return {
        "intersection_ratios": (X[:half], X[half:], *Theta[:2]),
        "ratio_gradients": (X[:half], X[half:], *Theta[:2]),
        "exact_background_ratios": (X[:half], X[half:], *Theta[:2]),
        "distances": (X[:half], X[half:], *Theta),
        "cross_distances": (X, X, *Theta),
        "decision_values": (X, X[:half], X[half:], 3, *Theta),
        "objective": (X, *near, *Theta, 0.1, 0.5),
        "objective_gradient": (X, *near, *Theta, 0.1, 0.5),
        "descent_step": (X, *near, *Theta, 0.1, 0.5, 0.0),
    }


def parts_of(answer):
    return answer if isinstance(answer, tuple) else (answer,)


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


def test_the_size_of_the_blocks_changes_nothing(monkeypatch):
    """Blocks are for the cache: with blocks that divide nothing evenly the answers stay the same.

    Up to rounding: a matrix product may add in another order at the edge of a block, and a root near 0 enlarges that.
    """
    X, y, Theta = start("wdbc", rows=60)
    D = vectorized.cross_distances(X, X[:37], *Theta)
    f = vectorized.decision_values(X, X[:25], X[25:], 3, *Theta)
    for name, value in (("CROSS_ROWS", 7), ("FEW_ROWS", 7), ("CROSS_COLUMNS", 5), ("STRIP_NUMBERS", 90)):
        monkeypatch.setattr(cross, name, value)
    for name, value in (("BLOCK_NUMBERS", 1), ("PREPARED_BLOCK", 1), ("SMALLEST_BLOCK", 11)):
        monkeypatch.setattr(pairs, name, value)
    assert_close(vectorized.cross_distances(X, X[:37], *Theta), D, factor=100)
    assert_close(vectorized.decision_values(X, X[:25], X[25:], 3, *Theta), f, factor=100)
    near = vectorized.similar_pairs(X, y, 3)
    small = vectorized.objective_gradient(X, near, near, *Theta, 0.1, 0.5)
    monkeypatch.undo()
    for part, truth in zip(small, vectorized.objective_gradient(X, near, near, *Theta, 0.1, 0.5), strict=True):
        assert_close(part, truth, factor=100)


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


@pytest.mark.parametrize("radius", [1.0, 1.4e154, 1e300])
def test_equal_points_have_no_intersection_whatever_the_radius(radius):
    """Definition 8, x_i = x_j (C21): gamma = 0, the background has everything, D = 0, also where r^2 overflows."""
    x, balls, metrics = [[0.3, 0.2]], ([[0.0, 0.0]], [radius]), ([4 * np.eye(2)], np.eye(2))
    assert vectorized.intersection_ratios(x, x, *balls).tolist() == [[0.0]]
    assert vectorized.exact_background_ratios(x, x, *balls).tolist() == [1.0]
    assert vectorized.distances(x, x, *balls, *metrics).tolist() == [0.0]
    assert vectorized.cross_distances(x, x, *balls, *metrics).tolist() == [[0.0]]
    assert vectorized.objective(x * 2, [[0, 1]], [], *balls, *metrics, 0.0, 0.5) == 0.0  # [0 - (1 - C)]_+
    assert vectorized.objective(x * 2, [], [[0, 1]], *balls, *metrics, 0.0, 0.5) == 1.5  # [1 + C - 0]_+


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
