"""Tests of `proofs.sphere`."""

import doctest

import numpy as np

from proofs import sphere


def test_the_climb_over_the_sphere_by_hand():
    """|u_1 + u_2| - |u_1| is largest at (0, 1); for diagonal metrics the largest difference sits on
    an axis.
    """
    M = np.array([[[1.0, 1.0], [1.0, 1.0]], [[9.0, 0.0], [0.0, 1.0]]])
    N = np.array([[[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 4.0]]])
    values, u = sphere.steepest_directions(M, N)
    np.testing.assert_allclose(values, [1, 2], rtol=1e-9)
    np.testing.assert_allclose(np.abs(u), [[0, 1], [1, 0]], atol=1e-4)


def test_the_doctests_of_the_sphere_run():
    assert doctest.testmod(sphere).failed == 0
