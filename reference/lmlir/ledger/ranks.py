"""Friedman's test on the mean ranks of several methods, and Nemenyi's critical difference after it
(Demsar, JMLR 7, 2006).

Scores are arrays with one row per data set and one column per method; a larger score is better.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy  # SciPy loads its statistics when they are first used: that takes a second
from numpy.typing import ArrayLike, NDArray


class Friedman(NamedTuple):
    """Friedman's test: mean ranks (1 is best), chi-squared corrected for ties, p, and Nemenyi's
    critical difference.
    """

    mean_ranks: list[float]
    chi_squared: float
    p: float
    critical_difference: float


def ranks(scores: ArrayLike) -> NDArray[np.float64]:
    """The rank of each method on each data set, 1 for the best; equal scores share the mean of
    their ranks.

    >>> ranks([[90.0, 80.0, 90.0]]).tolist()
    [[1.5, 3.0, 1.5]]
    """
    return scipy.stats.rankdata(-np.asarray(scores, dtype=float), axis=1)


def friedman(scores: ArrayLike) -> Friedman:
    """Friedman's test that all methods are alike, from three methods on."""
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 3:
        raise ValueError(
            "Friedman's test needs two data sets and three methods, got scores of shape "
            f"{table.shape}"
        )
    test = scipy.stats.friedmanchisquare(*table.T)
    n_datasets, n_methods = table.shape
    return Friedman(
        mean_ranks=ranks(table).mean(axis=0).tolist(),
        chi_squared=float(test.statistic),
        p=float(test.pvalue),
        critical_difference=critical_difference(n_methods, n_datasets),
    )


def critical_difference(n_methods: int, n_datasets: int, level: float = 0.05) -> float:
    """Nemenyi: mean ranks that differ by less than this do not differ significantly at this level.

    >>> round(critical_difference(4, 14), 2)  # Demsar's example
    1.25
    """
    studentized = scipy.stats.studentized_range.isf(level, n_methods, np.inf)
    quantile = float(studentized) / math.sqrt(2)
    return quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))
