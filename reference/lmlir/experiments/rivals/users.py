"""Five classifiers of scikit-learn that users pick, each tuned over a small grid by stratified
cross-validation.

Features are standardized on the training part, as is usual outside the paper's own protocol;
instances keep their length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lmlir.beside import toml_beside
from lmlir.experiments.rivals.tuning import Part, Record


class User(NamedTuple):
    """A user's choice: words, grid, folds of the cross-validation, and rough cost."""

    words: str
    grid: dict[str, list[Any]]
    folds: int
    cost: float


_ENTRIES = toml_beside(__file__)
USERS = {name: User(**fields) for name, fields in _ENTRIES.items()}


def estimator(name: str, seed: int) -> Any:
    """The unfitted classifier of scikit-learn behind a name.

    >>> estimator("knn", 0)
    KNeighborsClassifier()
    """
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC

    return {
        "knn": KNeighborsClassifier(),
        "logistic": LogisticRegression(max_iter=1000),
        "svm": SVC(random_state=seed),
        "forest": RandomForestClassifier(random_state=seed),
        "boosting": GradientBoostingClassifier(random_state=seed),
    }[name]


def measured_user(name: str, part: Part, seed: int, kept: Record | None) -> tuple[Any, Record]:
    """The predictions on the test part after tuning, or with kept values; native and fair are the
    same.
    """
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    X, y, X_test, y_test = part
    model = estimator(name, seed)
    tuned = kept
    if tuned is None:
        folds = StratifiedKFold(USERS[name].folds, shuffle=True, random_state=seed)
        tuned = GridSearchCV(model, USERS[name].grid, cv=folds, refit=False).fit(X, y).best_params_
    predicted = model.set_params(**tuned).fit(X, y).predict(X_test)
    return predicted, {"fair": float(np.mean(predicted == y_test)), "tuned": tuned}
