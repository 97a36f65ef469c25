"""Pairs of points: `lmlir.vectorized.pairs` against the reference."""

import numpy as np
import pytest
from real_data import SETS, assert_close, lists, start

from lmlir import distance, gradient, intersection, vectorized


@pytest.mark.parametrize("name", SETS)
def test_every_pair_function_agrees_with_the_reference_on_real_data(name):
    """Definition 8, Table 3, Definition 5 and equation (9), pair by pair."""
    X, y, Theta = start(name, rows=40)
    X_i = X[:20]
    X_j = X[20:]
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
    rest = [
        distance.exact_background_ratio(*lists(p, q, *balls)) for p, q in zip(X_i, X_j, strict=True)
    ]
    assert_close(vectorized.exact_background_ratios(X_i, X_j, *balls), rest)
    D = [distance.distance(*lists(p, q, *Theta)) for p, q in zip(X_i, X_j, strict=True)]
    assert_close(vectorized.distances(X_i, X_j, *Theta), D)
