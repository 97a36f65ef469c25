"""Fourclass before and after unit length: the counts, and the committed file of them."""

import json

import numpy as np
import pytest

from book.studies import unit_length
from book.studies.__main__ import main
from lmlir.experiments import data


def test_every_row_is_counted_once_and_by_its_direction_alone():
    """E32: rows stretched by any positive factor have the same counts by direction."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(200, 2))
    y = rng.integers(0, 2, size=200)
    by_direction = unit_length.direction_counts(Z, y)
    classes = np.bincount(y).tolist()
    assert (
        np.sum(unit_length.plane_counts(Z, y), axis=(0, 1)).tolist()
        == np.sum(by_direction, axis=0).tolist()
        == classes
    )
    assert unit_length.direction_counts(Z * rng.uniform(0.1, 10, size=(200, 1)), y) == by_direction
    assert unit_length.direction_counts(np.array([[1.0, -1e-17]]), np.array([1]))[-1] == [0, 1]


def test_the_committed_counts_are_all_of_fourclass():
    """E32: 862 rows, 555 and 307; most lie in directions where both classes are."""
    counts = json.loads(unit_length.OUT.read_text(encoding="utf-8"))
    assert (
        np.sum(counts["plane"], axis=(0, 1)).tolist()
        == np.sum(counts["directions"], axis=0).tolist()
        == [555, 307]
    )
    assert 75 < unit_length.best_by_direction(counts["directions"]) < 85
    assert unit_length.mixed_share(counts["directions"]) > 50


def test_the_committed_counts_come_out_again(tmp_path):
    try:
        data.load("fourclass")
    except data.DataError as error:
        pytest.skip(str(error))
    assert main(["unit_length", "--out", str(tmp_path / "again.json")]) == 0
    assert (tmp_path / "again.json").read_text() == unit_length.OUT.read_text()
