"""A failing case is made smaller without losing what makes it fail."""

import warnings

import numpy as np
from hypothesis import HealthCheck, Phase, find, settings

from lmlir import vectorized
from lmlir.oracle import subjects
from lmlir.oracle.inputs import corner_cases, random_cases
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.shrinking import shrunk
from lmlir.oracle.judging.judge import run_law
from lmlir.oracle.laws import LAWS, by_name
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.precision import PRECISIONS
from tests.oracle.mutants.distances import background_ratio_not_clipped

FLOAT64 = PRECISIONS["float64"]


def test_shrinking_keeps_what_matters_and_drops_the_rest():
    """A case fails when some radius exceeds 2: no pair, one region, one feature and plain numbers
    are left.
    """
    random = np.random.default_rng(0)
    inputs = {
        "X_i": random.normal(size=(6, 3)),
        "X_j": random.normal(size=(6, 3)),
        "centers": random.normal(size=(4, 3)),
        "radii": np.array([0.5, 2.7310001, 1.0, 0.1]),
        "local_metrics": np.stack([np.eye(3) * 2.5] * 4),
        "background_metric": np.eye(3) * 0.3,
    }
    small = shrunk(Case(inputs), lambda case: bool((case["radii"] > 2).any()), lambda: False)
    assert small["X_i"].shape == (0, 1) and small["radii"].tolist() == [3.0]
    assert small["centers"].tolist() == [[0.0]] and small["background_metric"].tolist() == [[1.0]]


def test_a_case_without_pairs_violates_no_law_and_raises_no_warning():
    """Shrinking may leave out every pair."""
    once = settings(
        max_examples=1,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    tried = 0
    for law in LAWS:
        case = find(
            law.cases(FLOAT64, random_cases.palette("quick", "few")),
            lambda case: True,
            settings=once,
        )
        if "X_i" in case.inputs:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("error")
                law.check(
                    Checker(subjects.from_module(vectorized)),
                    case.but(X_i=case["X_i"][:0], X_j=case["X_j"][:0]),
                )
            tried += 1
    assert tried > 25


def test_shrinking_prefers_small_whole_numbers():
    """A program that does not clip gamma_b fails where balls overlap: two unit balls and a unit
    segment show it best.
    """
    result = run_law(
        by_name("distances_match_equation_9"), subjects.from_module(background_ratio_not_clipped())
    )
    for value in result.violation.case.inputs.values():
        assert (
            set(np.unique(value)) <= {-1.0, 0.0, 1.0, 2.0}
            and not np.signbit(value[value == 0]).any()
        )


def test_shrinking_leaves_every_class_its_k_members():
    """Equation (10): a K larger than a class has no answer."""
    small = shrunk(corner_cases.decision_cases()[2], lambda case: case["K"] == 3, lambda: False)
    assert len(small["X_minus"]) == len(small["X_plus"]) == 3 and len(small["X"]) == 0


def test_shrinking_an_objective_drops_points_that_no_pair_mentions():
    """Pairs are renumbered with their points."""
    inputs = {
        "X": np.arange(8.0).reshape(8, 1),
        "similar": np.array([[3, 6], [6, 3]]),
        "dissimilar": np.array([[1, 3]]),
        "alpha": 0.5,
    }
    small = shrunk(
        Case(inputs),
        lambda case: (
            len(case["similar"]) > 0 and bool((case["X"][case["similar"][:, 1]] == 6).any())
        ),
        lambda: False,
    )
    assert small["X"].tolist() == [[0.0], [6.0]] and small["similar"].tolist() == [[0, 1]]
