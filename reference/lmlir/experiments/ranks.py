"""Statistics for several methods on several data sets: ranks, corrected tests, and a Bayesian comparison.

Scores are arrays with one row a data set and one column a method; a larger score is better.

* Friedman's test on mean ranks, and Nemenyi's critical difference after it (Demsar, JMLR 7, 2006);
* the corrected resampled t test over the splits of one data set (Nadeau and Bengio, Machine Learning 52, 2003);
* Holm's step-down correction for many tests (Scandinavian Journal of Statistics 6, 1979);
* the Bayesian signed rank test with a region of practical equivalence (Benavoli, Corani, Demsar, Zaffalon, JMLR 18, 2017).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

FloatArray = NDArray[np.float64]
Key = TypeVar("Key", bound=Hashable)

LEVEL = 0.05
ROPE = 1.0  # two methods within one percentage point are practically equivalent
PRIOR = 0.5  # weight of the prior observation "no difference" against 1 for each data set
SAMPLES = 50_000


class Friedman(NamedTuple):
    """Friedman's test: mean ranks (1 is best), chi-squared corrected for ties, p, and Nemenyi's critical difference."""

    mean_ranks: list[float]
    chi_squared: float
    p: float
    critical_difference: float


class Posterior(NamedTuple):
    """How probable it is that the first method is worse, equivalent or better, and a bound on the Monte Carlo error."""

    worse: float
    equivalent: float
    better: float
    error: float


def ranks(scores: ArrayLike) -> FloatArray:
    """The rank of each method on each data set, 1 for the best; equal scores share the mean of their ranks.

    >>> ranks([[90.0, 80.0, 90.0]]).tolist()
    [[1.5, 3.0, 1.5]]
    """
    return np.asarray(stats.rankdata(-np.asarray(scores, dtype=float), axis=1))


def friedman(scores: ArrayLike, level: float = LEVEL) -> Friedman:
    """Friedman's test that all methods are alike, from three methods on."""
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 3:
        raise ValueError(f"Friedman's test needs two data sets and three methods, got scores of shape {table.shape}")
    found = stats.friedmanchisquare(*table.T)
    difference = critical_difference(table.shape[1], table.shape[0], level)
    return Friedman(ranks(table).mean(axis=0).tolist(), float(found.statistic), float(found.pvalue), difference)


def critical_difference(n_methods: int, n_datasets: int, level: float = LEVEL) -> float:
    """Nemenyi: mean ranks that differ by less cannot be told apart at this level.

    >>> round(critical_difference(4, 14), 2)  # Demsar's example
    1.25
    """
    quantile = float(stats.studentized_range.isf(level, n_methods, np.inf)) / math.sqrt(2)
    return quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


def groups(mean_ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """The bars of a critical-difference diagram: first and last place, counted from 0, of methods that are not told apart.

    Only the longest are kept, and no single method is a group.

    >>> groups([1.0, 3.0, 1.5, 4.0], 1.6)  # in order 1, 1.5, 3, 4
    [(0, 1), (1, 2), (2, 3)]
    """
    ordered = sorted(mean_ranks)
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ordered):
        last = max(place for place, other in enumerate(ordered) if other - rank <= difference)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


# ------------------------------------------------------------------------------------------------ one data set, many tests


def corrected_error(deviation: float, n: int, test_rows: int, training_rows: int) -> float:
    """Nadeau and Bengio: the standard error of a mean difference over n random splits, which share most of their rows.

    >>> corrected_error(2.0, 4, 1, 2)  # 2 sqrt(1/4 + 1/2)
    1.7320508075688772
    """
    return deviation * math.sqrt(1 / n + test_rows / training_rows)


def two_sided_p(mean: float, error: float, degrees: int) -> float:
    """The t test of a mean difference against 0; certain where the differences do not vary at all."""
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return 2 * float(stats.t.sf(abs(mean) / error, degrees))


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Holm's adjusted p values: rejecting those below the level keeps the chance of any false rejection below it.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none is smaller than the one before it.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'c': 0.06, 'b': 0.06}
    """
    adjusted: dict[Key, float] = {}
    largest = 0.0
    for place, key in enumerate(sorted(p_values, key=lambda key: p_values[key])):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[key]))
        adjusted[key] = largest
    return adjusted


# ---------------------------------------------------------------------------------------------------- two methods, Bayes


def signed_rank(differences: ArrayLike, rope: float = ROPE, samples: int = SAMPLES, seed: int = 0) -> Posterior:
    """The Bayesian signed rank test: of two data sets drawn at random, on which side of the rope is the mean difference?

    `differences` has one mean difference a data set, first method minus second. The data sets have Dirichlet weights, one
    prior observation 0 among them; the answer is how often each of the three sides has the largest share.
    """
    z = np.concatenate([[0.0], np.asarray(differences, dtype=float)])
    means = (z[:, None] + z[None, :]) / 2
    weights = np.random.default_rng(seed).dirichlet([PRIOR, *[1.0] * (len(z) - 1)], size=samples)
    sides = [means < -rope, np.abs(means) <= rope, means > rope]
    shares = np.stack([np.einsum("si,ij,sj->s", weights, side.astype(float), weights, optimize=True) for side in sides])
    worse, equivalent, better = (float(np.mean(shares.argmax(axis=0) == side)) for side in range(3))
    return Posterior(worse, equivalent, better, error=0.5 / math.sqrt(samples))
