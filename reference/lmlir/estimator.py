"""`LMLIRClassifier`: the paper's classifier with scikit-learn's conventions.

The paper prepares its data by standardizing every feature and scaling every instance to
unit length; with scikit-learn that is
`make_pipeline(StandardScaler(), Normalizer(), LMLIRClassifier())`. The classifier
itself does not scale.
"""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError as error:
    sentence = "lmlir.estimator needs scikit-learn: pip install 'lmlir[sklearn]'"
    raise ModuleNotFoundError(sentence, name=error.name) from None

from lmlir import vectorized
from lmlir.learning import learn
from lmlir.scalars import Parameters

Array = NDArray[Any]

PROGRESS_STEPS = 10  # between two lines of progress


# scikit-learn carries no types.
@dataclass(eq=False, repr=False)
class LMLIRClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn local metrics in influential regions; predict the class whose K nearest
    instances are nearest on average.

    Two classes are the paper's case. More than two are our extension (choice C18): the
    class with the smallest mean of the distances to its K nearest instances, which for
    two classes is the sign of equation (10).

    Parameters
    ----------
    n_regions : int, default=4
        Number of influential regions S; 0 learns one global metric.
    n_neighbors : int, default=10
        K, for the training pairs and for the classifier. Where the data allow fewer
        regions or neighbors, `fit` lowers the number with a warning: to the number of
        different instances, or to one less than the size of the smallest class.
    alpha, C : float, default=0.1 and 0.5
        Weight of the penalty and margin of the objective.
    rule : {"quasi-newton", "fixed"}, default="quasi-newton"
        How g is lowered. The default never ends above where it began (choice C19);
        "fixed" is the paper's fixed rate (choice C1), under which g may rise.
    learning_rate : float, default=None
        Rate of the plain steps at the beginning ("quasi-newton", 0.1 if None) or of all
        steps ("fixed", 1.0 if None).
    n_steps : int, default=None
        Largest number of steps ("quasi-newton", 600 if None) or their number ("fixed",
        60 if None), of each pass. The default rule gives a ConvergenceWarning when it
        used all of them.
    tol : float, default=None
        "quasi-newton" ends a stage when an iteration lowers the smoothed objective by
        less than this share of it, or of 1 (2e-5 if None). "fixed" does not use it.
    n_passes : int, default=1
        Largest number of passes: 1 finds the training pairs once, in the Euclidean
        distance, as the paper does; each further pass finds them again in the distance
        learned so far. It ends early when a choice of pairs repeats the one before.
    random_state : int, RandomState instance or None, default=None
        Seed of the k-means clustering that places the regions; nothing else in learning
        is random.
    engine : {"vectorized", "compiled", "reference"}, default="vectorized"
        What computes g and its gradient: NumPy, loops that Numba compiles, or the
        paper's functions, which are hundreds of times slower. The compiled loops need
        the extra `numba`; the first fit on a machine compiles them, which takes some
        seconds. They round differently, so another minimum may be found. Predictions
        always use NumPy.
    n_jobs : int, default=None
        Threads in `fit` (for many pairs only, unless the engine is "compiled"),
        `decision_function` and `predict`: None is 1, -1 all processors. No result
        depends on it.
    verbose : int, default=0
        1 prints the objective every ten steps and a report at the end.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    centers_, radii_, local_metrics_, background_metric_ : ndarrays
        The learned parameters, of shapes (S, F), (S,), (S, F, F) and (F, F).
    objective_trace_ : ndarray
        The objective at the start and after every step, of the last pass.
    n_iter_, n_neighbors_ : int
        Steps taken in the last pass; K as it was used.
    report_ : lmlir.learning.Report
        Norms, radii, which share of the training pairs' length each region measures,
        and warnings.

    There is no `predict_proba`: f is a difference of distances, and nothing in the
    paper makes it a probability.

    A fitted classifier, alone or in a pipeline, can be saved without pickle by
    `skops.io.dump` and loaded by `skops.io.load` with
    `trusted=["lmlir.estimator.LMLIRClassifier", "lmlir.learning.report.Report"]`.

    Examples
    --------
    >>> X = [[0.0, 0.1], [0.1, 0.9], [0.0, 0.5], [1.0, 0.2], [1.1, 0.8], [0.9, 0.4]]
    >>> model = LMLIRClassifier(n_regions=1, n_neighbors=2, random_state=0).fit(
    ...     X, ["a", "a", "a", "b", "b", "b"]
    ... )
    >>> model.predict([[0.1, 0.3], [0.9, 0.6]]).tolist()
    ['a', 'b']

    Cross-validation chooses the numbers of regions and neighbors. Preprocessing belongs
    in the pipeline, so that it uses the training folds only:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(
    ...     StandardScaler(), LMLIRClassifier(random_state=0, tol=1e-3)
    ... )
    >>> grid = {
    ...     "lmlirclassifier__n_regions": [0, 2],
    ...     "lmlirclassifier__n_neighbors": [3, 10],
    ... }
    >>> search = GridSearchCV(model, grid, cv=3).fit(X[::2], y[::2])
    >>> sorted(search.best_params_), bool(search.score(X[1::2], y[1::2]) > 0.9)
    (['lmlirclassifier__n_neighbors', 'lmlirclassifier__n_regions'], True)
    """

    n_regions: int = 4
    n_neighbors: int = 10
    _: KW_ONLY
    alpha: float = 0.1
    C: float = 0.5
    rule: str = "quasi-newton"
    learning_rate: float | None = None
    n_steps: int | None = None
    tol: float | None = None
    n_passes: int = 1
    random_state: Any = None
    engine: str = "vectorized"
    n_jobs: int | None = None
    verbose: int = 0

    # ------------------------------------------------------------------------- learning

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn regions and metrics from instances X (n, F) and their labels y (n,)."""
        instances, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "y must have at least two classes, got one class: "
                f"{self.classes_.tolist()}"
            )
        n_regions, self.n_neighbors_ = self._sizes(instances, codes)
        learned = learn(
            instances,
            codes,
            n_regions=n_regions,
            n_neighbors=self.n_neighbors_,
            alpha=self.alpha,
            C=self.C,
            rule=self.rule,
            learning_rate=self.learning_rate,
            n_steps=self.n_steps,
            tol=self.tol,
            n_passes=self.n_passes,
            seed=self._seed(),
            callback=self._progress if self.verbose else None,
            engine=self.engine,
            n_jobs=self.n_jobs,
        )
        self.centers_, self.radii_, self.local_metrics_, self.background_metric_ = (
            learned.parameters
        )
        self.objective_trace_ = np.array(learned.trace)
        self.n_iter_ = len(learned.trace) - 1
        self.report_ = learned.report()
        self._X = learned.X
        self._codes = codes
        if learned.cut_short:
            sentence = (
                f"the descent used all {self.n_iter_} steps before it settled; "
                "raise "
                "n_steps or tol"
            )
            warnings.warn(sentence, ConvergenceWarning, stacklevel=2)
        if not (self.report_.background_share or any(self.report_.local_shares)):
            warnings.warn(self.report_.warnings[0], stacklevel=2)
        if self.verbose:
            print(self.report_)
        return self

    def _sizes(self, X: Array, codes: Array) -> tuple[int, int]:
        """Return the numbers of regions and neighbors, lowered with a warning to what
        these data allow.
        """
        counts = np.bincount(codes)
        if counts.min() < 2:
            lonely = self.classes_.tolist()[counts.argmin()]
            raise ValueError(
                "every class must have at least 2 instances, got 1 of class "
                f"{lonely!r}; n_samples "
                f"= {len(X)}"
            )
        sizes = []
        for name, most in (
            ("n_regions", len(np.unique(X, axis=0))),
            ("n_neighbors", int(counts.min()) - 1),
        ):
            asked = getattr(self, name)
            if isinstance(asked, (int, np.integer)) and asked > most:
                warnings.warn(
                    f"{name}={asked} is lowered to {most}, the most that these data "
                    "allow",
                    stacklevel=3,
                )
                asked = most
            sizes.append(asked)
        return sizes[0], sizes[1]

    def _seed(self) -> int:
        """Return a seed for `learn`.

        An integer random_state is the seed itself, so that `learn` gives the same
        result.
        """
        if isinstance(self.random_state, (int, np.integer)) and self.random_state >= 0:
            return int(self.random_state)
        try:
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        except ValueError:
            condition = "None, a whole number from 0 on or a RandomState"
            raise ValueError(
                f"random_state must be {condition}, got "
                f"random_state={self.random_state!r}"
            ) from None

    def _progress(self, step: int, objective: float, Theta: Parameters) -> None:
        if step % PROGRESS_STEPS == 0:
            print(f"step {step}: objective {objective:.6f}")

    # ----------------------------------------------------------------------- prediction

    def _mean_distances(self, X: ArrayLike) -> Array:
        """Return the mean distance of every row to its K nearest instances of every
        class, (n, classes).
        """
        check_is_fitted(self)
        rows: Array = validate_data(self, X, dtype=np.float64, reset=False)
        Theta = Parameters(
            self.centers_, self.radii_, self.local_metrics_, self.background_metric_
        )
        members = {
            f"class {code}": self._X[self._codes == code]
            for code in range(len(self.classes_))
        }
        return (
            vectorized.nearest_sums(
                rows, members, self.n_neighbors_, Theta, self.n_jobs
            )
            / self.n_neighbors_
        )

    def decision_function(self, X: ArrayLike) -> Array:
        """Return f of equation (10) for two classes, (n,), above 0 for `classes_[1]`;
        else minus the means, (n, classes).
        """
        means = self._mean_distances(X)
        return np.asarray(
            means[:, 0] - means[:, 1] if len(self.classes_) == 2 else -means
        )

    def predict(self, X: ArrayLike) -> Array:
        """Return the class with the smallest mean distance to its K nearest instances,
        the first of equals (choice C9).
        """
        nearest = np.argmin(self._mean_distances(X), axis=1)
        return np.asarray(self.classes_[nearest])
