"""The search for a violation of Theorem A: that it can see one, and what the committed run
found.
"""

import json

import numpy as np
import pytest

pytest.importorskip("mpmath", reason="the search recomputes its best in 50 digits")

from book.studies import modulus_search
from book.studies.__main__ import main
from lmlir import continuity
from lmlir.distance import balls_are_disjoint, distance
from lmlir.scalars import Parameters


def test_a_short_search_finds_no_violation_and_comes_near():
    """Theorem A: 640 triples, moved uphill; some reach nine tenths of what is allowed."""
    results = modulus_search.search(640, seed=3, count=64, rounds=12)
    assert results["configurations"] == 640
    assert results["evaluations"] == 640 * 13
    for name in modulus_search.MODULI:
        assert results["above 1"][name] == 0
        assert 0.9 < results["largest share"][name]["in 50 digits"] <= 1


@pytest.mark.parametrize("constants", ["overlap_constants", "disjoint_constants"])
def test_a_modulus_with_smaller_constants_is_broken(monkeypatch, constants):
    """Theorem A: with four fifths of kappa_s the same search finds triples above 1."""
    true = getattr(continuity, constants)

    def smaller(*Theta):
        Lambda, kappa = true(*Theta)
        return Lambda, [0.8 * kappa_s for kappa_s in kappa]

    monkeypatch.setattr(continuity, constants, smaller)
    above = modulus_search.search(640, seed=3, count=64, rounds=12)["above 1"]
    assert (above["disjoint"] > 0) is (constants == "disjoint_constants")
    assert (above["approximate"] > 0 and above["exact"] > 0) is (constants == "overlap_constants")


def test_the_moduli_on_arrays_are_those_of_the_reference():
    """Theorem A: the constants and chords of a whole batch of steps."""
    rng = np.random.default_rng(0)
    for placement in modulus_search.PLACEMENTS:
        Theta = modulus_search.random_regions(rng, placement)
        moduli = modulus_search.moduli_of(Theta)
        e = np.array([1e-5, 0.1, 0.5, 3.0])
        assert ("disjoint" in moduli.names) is balls_are_disjoint(Theta.centers, Theta.radii)
        for name, row in zip(moduli.names, moduli.at(e), strict=True):
            modulus = continuity.modulus_of_continuity
            if name == "disjoint":
                modulus = continuity.modulus_of_continuity_disjoint
            expected = [modulus(gap, *Theta) for gap in e.tolist()]
            np.testing.assert_allclose(row, expected, rtol=1e-12)


def test_the_placements_are_what_they_are_called():
    """Balls that touch, lie within each other, are equal, or disjoint."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        centers, radii = modulus_search.random_regions(rng, "touching")[:2]
        gaps = np.linalg.norm(centers[1:] - centers[0], axis=1)
        sums = radii[1:] + radii[0]
        differences = radii[0] - radii[1:]
        assert np.all(np.isclose(gaps, sums) | np.isclose(gaps, differences))
        centers, radii = modulus_search.random_regions(rng, "nested")[:2]
        assert np.all(np.linalg.norm(np.diff(centers, axis=0), axis=1) <= -np.diff(radii) + 1e-12)
        centers, radii = modulus_search.random_regions(rng, "equal")[:2]
        assert np.all(centers == centers[0])
        assert np.all(radii == radii[0])
        assert balls_are_disjoint(*modulus_search.random_regions(rng, "disjoint")[:2])


def test_both_distances_are_those_of_the_reference():
    """Equation (9) with either gamma_b, on the search's own regions."""
    rng = np.random.default_rng(2)
    for placement in modulus_search.PLACEMENTS:
        Theta = modulus_search.random_regions(rng, placement)
        lists = [array.tolist() for array in Theta]
        triples = modulus_search.random_triples(rng, Theta, 8)
        rows = modulus_search.both_distances(triples.X, triples.Z, Theta)
        for exact, row in zip((False, True), rows, strict=True):
            expected = []
            for x, z in zip(triples.X.tolist(), triples.Z.tolist(), strict=True):
                expected.append(distance(x, z, *lists, exact=exact))
            np.testing.assert_allclose(row, expected, rtol=1e-7, atol=1e-7)


def test_a_share_in_50_digits_by_hand():
    """Theorem A, disjoint: r = 1, M(A) = 0, M(B) = I, z = (-1, 0), x = (1, 0), y = (2, 0): D moves
    by 1 of 1 + 2 at e = 1.
    """
    Theta = Parameters(np.zeros((1, 2)), np.ones(1), np.zeros((1, 2, 2)), np.eye(2))
    points = (np.array([1.0, 0.0]), np.array([2.0, 0.0]), np.array([-1.0, 0.0]))
    for name in ("disjoint", "exact"):  # s(M(A)) = 0, so both have kappa = 1
        assert modulus_search.precise_share(name, *points, Theta) == pytest.approx(1 / 3, rel=1e-15)


def test_a_scale_difference_that_is_too_small_is_seen(monkeypatch):
    """Theorem A, kappa_s: the comparison is near 0 for the shipped function and negative for one
    that is 1 % less.
    """
    assert -1e-12 < modulus_search.compare_pairs(60)["smallest gap"] < 1e-6
    true = continuity.scale_difference
    monkeypatch.setattr(continuity, "scale_difference", lambda M, N: 0.99 * true(M, N))
    assert modulus_search.compare_pairs(60)["smallest gap"] < -1e-3


def test_the_command_writes_its_results_and_fails_when_a_theorem_is_violated(
    tmp_path, capsys, monkeypatch
):
    file = tmp_path / "search.json"
    arguments = ["modulus_search", "--configurations", "128", "--pairs", "5", "--out", str(file)]
    assert main(arguments) == 0
    assert json.loads(file.read_text())["configurations"] == 128
    assert "0 above 1" in capsys.readouterr().out
    true = continuity.scale_difference
    monkeypatch.setattr(continuity, "scale_difference", lambda M, N: 0.9 * true(M, N))
    assert main(arguments) == 1


def test_the_committed_search_is_large_and_found_nothing():
    """Theorem A: a million configurations, none above 1; 20,000 singular pairs, none too small."""
    saved = json.loads(modulus_search.OUT.read_text())
    assert saved["configurations"] >= 1_000_000
    assert saved["evaluations"] > saved["configurations"]
    for name in modulus_search.MODULI:
        shares = saved["largest share"][name]
        assert set(shares) == {"in 50 digits", *modulus_search.PLACEMENTS}
        assert saved["above 1"][name] == 0
        assert 0.99 < shares["in 50 digits"] <= 1
    pairs = saved["scale_difference"]
    assert pairs["pairs"] == 20_000
    assert pairs["errors"] == 0
    assert pairs["smallest gap"] > -1e-12
