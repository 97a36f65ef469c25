"""Ranks, corrected tests and the Bayesian signed rank; the expected values are printed elsewhere or derived by hand."""

import math

import numpy as np
import pytest

from lmlir.experiments import ranks
from lmlir.ledger.tables_4_and_5 import METHODS, PRINTED

# Demsar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006, his Table 6: the ranks in brackets.
DEMSAR = [
    [4, 3, 2, 1],
    [1, 2, 3, 4],
    [4, 1, 2, 3],
    [4, 1, 3, 2],
    [4, 2, 3, 1],
    [1, 2.5, 4, 2.5],
    [3, 2, 4, 1],
    [2.5, 2.5, 4, 1],
    [4, 3, 2, 1],
    [2.5, 2.5, 2.5, 2.5],
    [4, 2.5, 1, 2.5],
    [3, 2, 4, 1],
    [4, 1, 2, 3],
    [3, 1, 4, 2],
]


def test_friedman_gives_the_numbers_of_demsars_example():
    """He prints mean ranks 3.143, 2, 2.893, 1.964 and 9.28 uncorrected; the ties of four rows take 78 of 14 * 4 * 15."""
    found = ranks.friedman(-np.array(DEMSAR))
    assert found.mean_ranks == pytest.approx([3.143, 2.0, 2.893, 1.964], abs=5e-4)
    assert found.chi_squared == pytest.approx(9.28 / (1 - 78 / 840), abs=0.01)
    assert found.p == pytest.approx(
        0.0167, abs=1e-4
    )  # the upper tail of chi-squared with 3 degrees of freedom at 10.23


@pytest.mark.parametrize("shape", [(0, 9), (1, 9), (13, 2), (13,)])
def test_too_few_data_sets_or_methods_have_no_ranks(shape):
    with pytest.raises(ValueError, match=r"needs two data sets and three methods, got scores of shape \("):
        ranks.friedman(np.zeros(shape))


@pytest.mark.parametrize(
    "n_methods, level, quantile",
    [(2, 0.05, 1.960), (4, 0.05, 2.569), (4, 0.10, 2.291), (9, 0.05, 3.102), (10, 0.10, 2.920)],
)
def test_the_critical_difference_uses_the_printed_quantiles(n_methods, level, quantile):
    """Those of his table of critical values; with 14 data sets and 4 methods he finds 1.25 and 1.12."""
    difference = ranks.critical_difference(n_methods, 14, level)
    assert difference == pytest.approx(quantile * math.sqrt(n_methods * (n_methods + 1) / 84), abs=1e-3)


def test_the_best_score_has_rank_one_and_equal_scores_share():
    assert ranks.ranks([[0.9, 0.8, 0.7], [0.5, 0.5, 0.9]]).tolist() == [[1, 2, 3], [2.5, 2.5, 1]]


def test_groups_are_the_longest_runs_within_the_difference():
    """By hand, in order 1, 2, 3, 6, 6.5: the runs 1-2-3 and 6-6.5; the run 2-3 lies inside the first."""
    assert ranks.groups([6, 1, 3, 2, 6.5], 2.0) == [(0, 2), (3, 4)]
    assert ranks.groups([1, 3, 5], 1.0) == []
    assert ranks.groups([1, 2], 1.0) == [(0, 1)]


def test_holm_by_hand():
    """0.01, 0.02, 0.022, 0.5 times 4, 3, 2, 1 are 0.04, 0.06, 0.044, 0.5; the third may not be below the second."""
    found = ranks.holm({"d": 0.5, "a": 0.01, "c": 0.022, "b": 0.02})
    assert found == pytest.approx({"a": 0.04, "b": 0.06, "c": 0.06, "d": 0.5})
    assert ranks.holm({"a": 0.4, "b": 0.9}) == pytest.approx({"a": 0.8, "b": 0.9})
    assert ranks.holm({}) == {}


def test_the_corrected_error_and_its_test_by_hand():
    """Differences 1, 2, 3: deviation 1; 228 test and 341 training rows. t(0.975, 2) = 4.302653 from a table."""
    error = ranks.corrected_error(1.0, 3, 228, 341)
    assert error == pytest.approx(math.sqrt(1 / 3 + 228 / 341))
    assert ranks.two_sided_p(4.302653 * error, error, 2) == pytest.approx(0.05, abs=1e-6)
    assert ranks.two_sided_p(-4.302653 * error, error, 2) == pytest.approx(0.05, abs=1e-6)
    assert ranks.two_sided_p(0.0, 0.0, 9) == 1 and ranks.two_sided_p(0.1, 0.0, 9) == 0


@pytest.mark.parametrize("difference, exact", [(5.0, 2 ** (-1 / 4)), (1.5, math.sqrt(1 - math.sqrt(1 / 2)))])
def test_one_data_set_has_an_exact_signed_rank(difference, exact):
    """The prior's weight w has the distribution function w^(1/2).

    A difference of 5 and 0 have their mean beyond the rope of 1: better wins where w^2 < 1/2. With 1.5 it is within the rope:
    better wins where (1 - w)^2 > 1/2. Four standard errors of 50 000 draws are 0.009.
    """
    found = ranks.signed_rank([difference])
    assert found.better == pytest.approx(exact, abs=4 * found.error) and found.worse == 0
    assert found.worse + found.equivalent + found.better == pytest.approx(1)
    other = ranks.signed_rank([-difference])
    assert (other.worse, other.equivalent, other.better) == (found.better, found.equivalent, found.worse)


@pytest.mark.parametrize("column, equivalent, better", [("SCML", 0.0206, 0.9794), ("R2LML", 0.2806, 0.7194)])
def test_the_signed_rank_of_table_5_is_that_of_another_program(column, equivalent, better):
    """Our minus a rival on the 13 printed rows; made once with baycomp 1.0.3, `SignedRankTest.probs(x, y, rope=1,
    nsamples=200000, random_state=1)`."""
    rows = [row for dataset, row in PRINTED["table_5"].items() if dataset != "pima"]
    found = ranks.signed_rank([float(row[-1]) - float(row[METHODS.index(column)]) for row in rows])
    assert found.equivalent == pytest.approx(equivalent, abs=4 * found.error)
    assert found.better == pytest.approx(better, abs=4 * found.error)
    assert found.error == pytest.approx(0.5 / math.sqrt(50_000))


def test_the_same_seed_gives_the_same_posterior():
    assert ranks.signed_rank([1.0, -2.0, 3.0], seed=3) == ranks.signed_rank([1.0, -2.0, 3.0], seed=3)
