"""`LMLIRClassifier`: the paper's classifier behind scikit-learn's conventions.

The paper prepares its data by standardizing every feature and scaling every instance to unit length; with scikit-learn that is
`make_pipeline(StandardScaler(), Normalizer(), LMLIRClassifier())`. Nothing is scaled in here.
"""

from __future__ import annotations

import json
import os
import warnings
import zipfile
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from lmlir import vectorized
from lmlir.learning import Learned, learn
from lmlir.scalars import Parameters, check_parameters

Array = NDArray[Any]

FILE_FORMAT, FILE_VERSION = "lmlir classifier", 1
LINES_EVERY = 10  # steps between two lines of progress

# What a file holds, with the number of dimensions of each array: the fitted attributes, and the instances.
FITTED = {"centers": 2, "radii": 1, "local_metrics": 3, "background_metric": 2, "objective_trace": 1, "classes": 1}
FILE_ARRAYS = {**FITTED, "X": 2, "codes": 1}


class LMLIRClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn carries no types
    """Local metrics in influential regions, and the class whose K nearest instances are nearest on average.

    Two classes are the paper's case. More than two are our extension (choice C18): the class with the smallest mean of
    the distances to its K nearest instances, which for two classes is the sign of equation (10).

    Parameters
    ----------
    n_regions : int, default=4
        Number of influential regions S; 0 learns one global metric. No more than there are different instances.
    n_neighbors : int, default=10
        K, for the training pairs and for the classifier. Lowered, with a warning, to one less than the smallest class has.
    alpha, C : float, default=0.1 and 0.5
        Weight of the penalty and margin of the objective.
    rule : {"quasi-newton", "fixed"}, default="quasi-newton"
        How g is lowered. The default never ends above where it began (choice C19); "fixed" is the paper's fixed rate
        (choice C1), under which g may rise.
    learning_rate : float, default=None
        Rate of the plain steps at the beginning ("quasi-newton", 0.1 if None) or of all steps ("fixed", 1.0 if None).
    n_steps : int, default=None
        Largest number of steps ("quasi-newton", 600 if None) or their number ("fixed", 60 if None), of each pass.
    tol : float, default=None
        "quasi-newton" ends a stage when an iteration lowers the smoothed objective by less than this share of it, or of 1
        (2e-5 if None). "fixed" does not use it.
    n_passes : int, default=1
        Largest number of passes: 1 finds the training pairs once, in the Euclidean distance, as the paper does; each further
        pass finds them again in the distance learned so far. It ends early when a choice of pairs repeats the one before.
    random_state : int, RandomState instance or None, default=None
        Seed of the k-means clustering that places the regions; the only chance in learning.
    engine : {"vectorized", "compiled", "reference"}, default="vectorized"
        What computes g and its gradient: NumPy; loops that Numba compiles (the extra `numba`; the first fit on a machine
        compiles them, which takes some seconds), which round otherwise, so that another minimum may be found; or the
        paper's functions, hundreds of times slower. Predictions are always NumPy's.
    n_jobs : int, default=None
        Threads in `fit` (for many pairs only, unless the engine is "compiled"), `decision_function` and `predict`: None is
        1, -1 all processors. No result depends on it.
    verbose : int, default=0
        1 prints the objective every ten steps and a report at the end.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_ : as everywhere in scikit-learn
    centers_ (S, F), radii_ (S,), local_metrics_ (S, F, F), background_metric_ (F, F) : ndarrays
        The learned parameters.
    objective_trace_ : ndarray
        The objective at the start and after every step, of the last pass.
    n_iter_, n_neighbors_ : int
        Steps taken in the last pass; K as it was used.
    report_ : lmlir.learning.Report
        Norms, radii, where the length of the training pairs is measured, and a sentence if regions or background died.

    There is no `predict_proba`: f is a difference of distances, and nothing in the paper makes it a probability.

    Examples
    --------
    >>> X = [[0.0, 0.1], [0.1, 0.9], [0.0, 0.5], [1.0, 0.2], [1.1, 0.8], [0.9, 0.4]]
    >>> model = LMLIRClassifier(n_regions=1, n_neighbors=2, random_state=0).fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict([[0.1, 0.3], [0.9, 0.6]]).tolist()
    ['a', 'b']

    The number of regions and of neighbors, chosen from data by scikit-learn's own cross-validation; preprocessing belongs into
    the pipeline, so that it sees the training folds only:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LMLIRClassifier(random_state=0, n_steps=20))
    >>> grid = {"lmlirclassifier__n_regions": [0, 2], "lmlirclassifier__n_neighbors": [3, 10]}
    >>> search = GridSearchCV(model, grid, cv=3).fit(X[::2], y[::2])
    >>> sorted(search.best_params_), bool(search.score(X[1::2], y[1::2]) > 0.9)
    (['lmlirclassifier__n_neighbors', 'lmlirclassifier__n_regions'], True)
    """

    def __init__(
        self,
        n_regions: int = 4,
        n_neighbors: int = 10,
        *,
        alpha: float = 0.1,
        C: float = 0.5,
        rule: str = "quasi-newton",
        learning_rate: float | None = None,
        n_steps: int | None = None,
        tol: float | None = None,
        n_passes: int = 1,
        random_state: Any = None,
        engine: str = "vectorized",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_regions = n_regions
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.C = C
        self.rule = rule
        self.learning_rate = learning_rate
        self.n_steps = n_steps
        self.tol = tol
        self.n_passes = n_passes
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ------------------------------------------------------------------------------------------------- learning

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learns regions and metrics from instances X (n, F) and their labels y (n,)."""
        instances, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y needs at least two classes, got one class: {self.classes_.tolist()}")
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
        self._remember(learned, codes)
        if self.verbose:
            print(self.report_)
        return self

    def _sizes(self, X: Array, codes: Array) -> tuple[int, int]:
        """The numbers of regions and neighbors that these data allow, with a warning where they are fewer."""
        counts = np.bincount(codes)
        if counts.min() < 2:
            lonely = self.classes_.tolist()[counts.argmin()]
            raise ValueError(f"every class needs at least 2 instances, got 1 of class {lonely!r}; n_samples = {len(X)}")
        sizes = []
        for name, most in (("n_regions", len(np.unique(X, axis=0))), ("n_neighbors", int(counts.min()) - 1)):
            asked = getattr(self, name)
            if isinstance(asked, (int, np.integer)) and asked > most:
                warnings.warn(f"{name}={asked} is lowered to {most}, the most that these data allow", stacklevel=3)
                asked = most
            sizes.append(asked)
        return sizes[0], sizes[1]

    def _seed(self) -> int:
        """An integer random_state is the seed itself, so that `learn` with that seed does the same."""
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _progress(self, step: int, objective: float, Theta: Parameters) -> None:
        if step % LINES_EVERY == 0:
            print(f"step {step}: objective {objective:.6f}")

    def _remember(self, learned: Learned, codes: Array) -> None:
        self.centers_, self.radii_, self.local_metrics_, self.background_metric_ = learned.parameters
        self.objective_trace_ = np.array(learned.trace)
        self.n_iter_ = len(self.objective_trace_) - 1
        self.report_ = learned.report()
        self._X, self._codes = learned.X, codes

    # ------------------------------------------------------------------------------------------------ prediction

    def _mean_distances(self, X: ArrayLike) -> Array:
        """The mean distance of every row to its K nearest instances of every class, (n, classes)."""
        check_is_fitted(self)
        rows: Array = validate_data(self, X, dtype=np.float64, reset=False)
        Theta = Parameters(self.centers_, self.radii_, self.local_metrics_, self.background_metric_)
        members = {f"class {code}": self._X[self._codes == code] for code in range(len(self.classes_))}
        return vectorized.nearest_sums(rows, members, self.n_neighbors_, Theta, self.n_jobs) / self.n_neighbors_

    def decision_function(self, X: ArrayLike) -> Array:
        """f of equation (10) for two classes, (n,): above 0 is `classes_[1]`. For more, minus the means, (n, classes)."""
        means = self._mean_distances(X)
        return np.asarray(means[:, 0] - means[:, 1] if len(self.classes_) == 2 else -means)

    def predict(self, X: ArrayLike) -> Array:
        """The class with the smallest mean distance to its K nearest instances; on a tie the first (choice C9)."""
        nearest = np.argmin(self._mean_distances(X), axis=1)
        return np.asarray(self.classes_[nearest])

    # ------------------------------------------------------------------------------------------- saving, loading

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the fitted classifier to one npz file, without pickle: arrays, and its settings as JSON text.

        The report and a random_state that is not a number are not kept. Labels must be numbers, booleans or strings.
        """
        check_is_fitted(self)
        classes = np.asarray(self.classes_.tolist()) if self.classes_.dtype == object else self.classes_
        if classes.dtype.kind not in "biufU":
            raise ValueError(f"labels must be numbers, booleans or strings to be saved, got {self.classes_.tolist()}")
        settings = {key: _plain(value) for key, value in self.get_params().items()}
        if not isinstance(settings["random_state"], int):
            settings["random_state"] = None
        header = {"format": FILE_FORMAT, "version": FILE_VERSION, "n_neighbors": int(self.n_neighbors_)}
        header |= {"settings": settings, "features": getattr(self, "feature_names_in_", np.zeros(0)).tolist()}
        arrays = {name: getattr(self, f"{name}_") for name in FITTED} | {"X": self._X, "codes": self._codes}
        arrays |= {"classes": classes, "header": np.array(json.dumps(header))}
        with open(path, "wb") as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads what `save` wrote; a ValueError in one sentence when the file is not that, or does not hold together."""
        header, arrays = _read(path)
        try:
            model = cls(**header["settings"])
            model.n_neighbors_ = header["n_neighbors"]
            names = np.array(header["features"], dtype=object)
        except (KeyError, TypeError) as problem:
            raise ValueError(f"{path} has settings that this version does not know: {problem}") from None
        _check_arrays(path, arrays, model.n_neighbors_, names)
        for name in FITTED:
            setattr(model, f"{name}_", arrays[name])
        model._X, model._codes = arrays["X"], arrays["codes"]
        model.n_features_in_, model.n_iter_ = arrays["X"].shape[1], len(arrays["objective_trace"]) - 1
        if len(names):
            model.feature_names_in_ = names
        return model


def _plain(value: Any) -> Any:
    """A NumPy number as a Python number, everything else as it is; JSON knows the latter only."""
    return value.item() if isinstance(value, np.generic) else value


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays of a file, of the right kinds."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(str(arrays.pop("header")))
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, AttributeError, TypeError):
        raise ValueError(f"{path} is not a saved LMLIRClassifier: it is damaged or something else") from None
    if not isinstance(header, dict) or header.get("format") != FILE_FORMAT:
        raise ValueError(f"{path} is not a saved LMLIRClassifier: its header is not that of one")
    if header.get("version") != FILE_VERSION:
        raise ValueError(f"{path} has version {header.get('version')} of the file format, this is {FILE_VERSION}")
    for name, dimensions in FILE_ARRAYS.items():
        if name not in arrays or arrays[name].ndim != dimensions:
            raise ValueError(f"{path} must hold an array {name!r} of {dimensions} dimensions")
        if name != "classes" and not (arrays[name].dtype.kind in "iuf" and np.isfinite(arrays[name]).all()):
            raise ValueError(f"{path} needs finite numbers in {name!r}")
    return header, arrays


def _check_arrays(path: Any, arrays: dict[str, Array], K: Any, names: Array) -> None:
    """The arrays fit each other: shapes, radii >= 0, metrics in the cone, every class with K instances."""
    X, codes, n_classes = arrays["X"], arrays["codes"], len(arrays["classes"])
    try:
        check_parameters(X.shape[1], *(arrays[name].tolist() for name in Parameters._fields))
    except ValueError as problem:
        raise ValueError(f"{path} does not hold together: {problem}") from None
    if n_classes < 2 or len(np.unique(arrays["classes"])) != n_classes:
        raise ValueError(f"{path} needs two or more different classes, got {arrays['classes'].tolist()}")
    if codes.dtype.kind not in "iu" or codes.shape != (len(X),) or not np.isin(codes, np.arange(n_classes)).all():
        raise ValueError(f"{path} needs one class number per instance, below {n_classes}, in 'codes'")
    if not isinstance(K, int) or not 1 <= K <= np.bincount(codes, minlength=n_classes).min():
        raise ValueError(f"{path} needs n_neighbors from 1 to the size of the smallest class, got {K}")
    if len(names) not in (0, X.shape[1]):
        raise ValueError(f"{path} needs one name per feature, got {len(names)} for {X.shape[1]}")
