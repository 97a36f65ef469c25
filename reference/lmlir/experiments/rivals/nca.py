r"""NCA, neighborhood components analysis (Goldberger, Roweis, Hinton, Salakhutdinov 2005), as
scikit-learn has it.

The transform L that makes the expected accuracy of a random neighbor largest, a neighbor j of i
being drawn with probability proportional to $e^{-\|L(x_i - x_j)\|^2}$. Defaults: scikit-learn's, no
reduction of the dimension; 1-NN.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from lmlir.experiments.rivals.base import FloatArray, IntArray, MetricRival


@dataclass(eq=False, repr=False)
class NCA(MetricRival):
    """Neighborhood components analysis, then k-NN."""

    max_iterations: int = 50
    n_neighbors: int = 1
    random_state: int | None = 0

    def learn_metric(self, X: FloatArray, codes: IntArray) -> None:
        """Scikit-learn's transform; that it stops before convergence is its default, and no warning
        is needed.
        """
        learner = NeighborhoodComponentsAnalysis(
            max_iter=self.max_iterations, random_state=self.random_state
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.components_ = learner.fit(X, codes).components_
