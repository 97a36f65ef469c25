"""Five classifiers of scikit-learn that users pick, each tuned over a small grid by stratified
cross-validation.

Features are standardized on the training part, as is usual outside the paper's own protocol;
instances keep their length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lmlir.experiments.rivals.tuning import Part, Record


class User(NamedTuple):
    """A user's choice: words, grid, folds of the cross-validation, and rough cost."""

    words: str
    grid: dict[str, tuple[Any, ...]]
    folds: int
    cost: float


USERS: dict[str, User] = {
    "knn": User("k-NN, k tuned", {"n_neighbors": (1, 3, 5, 7, 9, 11, 15, 21)}, 5, 0.15),
    "logistic": User("logistic regression", {"C": (0.01, 0.1, 1.0, 10.0, 100.0)}, 5, 0.06),
    "svm": User(
        "SVM, Gaussian kernel", {"C": (0.1, 1.0, 10.0, 100.0), "gamma": (0.01, 0.1, 1.0)}, 5, 0.3
    ),
    "forest": User("random forest", {"min_samples_leaf": (1, 5)}, 3, 0.7),
    "boosting": User("gradient boosting", {"max_depth": (1, 3)}, 3, 0.4),
}


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
