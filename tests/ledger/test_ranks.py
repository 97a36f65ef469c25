"""Ranks, corrected tests and the Bayesian signed rank; the expected values are printed elsewhere or
derived by hand.
"""

import math

import numpy as np
import pytest

from lmlir.ledger import ranks

# Demsar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006, his Table
# 6: the ranks in brackets.
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
    """He prints mean ranks 3.143, 2, 2.893, 1.964 and 9.28 uncorrected; the ties of four rows take
    78 of 14 * 4 * 15.
    """
    found = ranks.friedman(-np.array(DEMSAR))
    assert found.mean_ranks == pytest.approx([3.143, 2.0, 2.893, 1.964], abs=5e-4)
    assert found.chi_squared == pytest.approx(9.28 / (1 - 78 / 840), abs=0.01)
    assert found.p == pytest.approx(
        0.0167, abs=1e-4
    )  # the upper tail of chi-squared with 3 degrees of freedom at 10.23


@pytest.mark.parametrize("shape", [(0, 9), (1, 9), (13, 2), (13,)])
def test_too_few_data_sets_or_methods_have_no_ranks(shape):
    with pytest.raises(
        ValueError, match=r"needs two data sets and three methods, got scores of shape \("
    ):
        ranks.friedman(np.zeros(shape))


@pytest.mark.parametrize(
    "n_methods, level, quantile",
    [
        (2, 0.05, 1.960),
        (4, 0.05, 2.569),
        (4, 0.10, 2.291),
        (9, 0.05, 3.102),
        (10, 0.10, 2.920),
    ],
)
def test_the_critical_difference_uses_the_printed_quantiles(n_methods, level, quantile):
    """Those of his table of critical values; with 14 data sets and 4 methods he finds 1.25 and
    1.12.
    """
    difference = ranks.critical_difference(n_methods, 14, level)
    assert difference == pytest.approx(
        quantile * math.sqrt(n_methods * (n_methods + 1) / 84), abs=1e-3
    )


def test_the_best_score_has_rank_one_and_equal_scores_share():
    assert ranks.ranks([[0.9, 0.8, 0.7], [0.5, 0.5, 0.9]]).tolist() == [[1, 2, 3], [2.5, 2.5, 1]]
