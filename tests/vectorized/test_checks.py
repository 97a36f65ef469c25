"""Refused and accepted arguments: `lmlir.vectorized.checks`."""

import numpy as np
import pytest
from real_data import EPS

from lmlir import vectorized

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
        ("X_i", [[np.nan, 0.0]], "X_i must be finite, but contains nan"),
        ("X_j", [[0.0, np.inf]], "X_j must be finite, but contains inf"),
        ("X_j", [[0.0]], r"X_j must have .* 2 columns, got .* \(1, 1\)"),
        ("X_j", [[0.0, 1.0]] * 2, "X_j must have as many rows as X_i, got 2 and 1"),
        ("X_i", [[0.0, 1.0], [0.0]], "rectangular"),
        ("X_i", [[1j, 0.0]], "real numbers"),
        ("centers", [[0.0, -np.inf]], "centers must be finite, but contains -inf"),
        ("radii", [-0.5], "Definition 1 needs radius >= 0, got radius=-0.5"),
        ("radii", [np.nan], "radii must be finite, but contains nan"),
        ("radii", [1.0, 1.0], r"radii must have one radius per center, got shape \(2,\) for 1"),
        ("local_metrics", [], r"local_metrics must have shape \(1, 2, 2\)"),
        ("local_metrics", [[[1.0, 0.5], [0.0, 1.0]]], r"local_metrics\[0\] must be symmetric"),
        (
            "background_metric",
            [[1.0, 0.0], [0.0, -1.0]],
            "background_metric must be positive semi-definite.* -1.0",
        ),
        ("background_metric", [[1.0]], r"background_metric must have shape \(2, 2\)"),
        (
            "background_metric",
            [[np.nan, 0.0], [0.0, 1.0]],
            "metric must be finite, but contains nan",
        ),
        ("X_j", [[1e200, 0.0]], "must have a square in the range of float64"),
        ("X_j", [[1e-200, 0.0]], "must have a square in the range of float64"),
        (
            "centers",
            [[0.0, 1e200]],
            "distance to a center must have a square in the range of float64, got center=",
        ),
        (
            "background_metric",
            np.eye(2) * 1e308,
            "metrics must give squared lengths in the range of float64",
        ),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(name, value, message):
    good = {**GOOD, "X_j": [[8.0, 0.0]]}
    assert vectorized.distances(**good) == pytest.approx(8.0)
    with pytest.raises(ValueError, match=message) as refusal:
        vectorized.distances(**{**good, name: value})
    assert "\n" not in str(refusal.value)


def test_a_metric_with_rounding_errors_is_accepted():
    """A learned metric is symmetric and positive semi-definite only up to rounding."""
    root = np.random.default_rng(1).normal(size=(9, 2))
    M = root @ root.T
    assert np.linalg.eigvalsh(M)[0] < 0
    asymmetric = M + np.triu(M) * 4 * EPS
    x = np.ones((1, 9))
    assert vectorized.distances(x, 0 * x, [], [], [], asymmetric)[0] == pytest.approx(
        np.sqrt(M.sum())
    )
