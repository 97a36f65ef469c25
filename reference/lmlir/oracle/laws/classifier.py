"""The classifier: decision values compared with cross distances, and with exchanged classes."""

from __future__ import annotations

import numpy as np

from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import (
    UNSCALED,
    Spec,
    decision_cases,
)
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.laws.law import law


@law(
    "Proposition 3; Proposition 4; Equation (10)",
    "decision_values cross_distances",
    decision_cases(
        Spec(
            pairs=(2, 4),
            regions=(2, 3, 4),
            first=1,
            **UNSCALED,
        ),
        neighbors=(8, 11, 16),
        more=2,
    ),
    weight=0.6,
)
def decision_values_move_no_more_than_their_distances(checker: Checker, case: Case) -> None:
    """Between two points, f changes by no more than the largest change of a distance in one class
    plus that in the other.
    """
    f = checker.ask("decision_values", case)
    bound = 2 * checker.slack("decision_values", case).max(initial=0.0)
    for members in (case["X_minus"], case["X_plus"]):
        D = checker.ask("cross_distances", case, Y=members)
        slack = checker.slack("cross_distances", case, Y=members).max(initial=0.0)
        differences = np.abs(D[:, None] - D[None, :])
        bound = bound + differences.max(axis=2) + 2 * slack
    checker.within(
        "differences of decision_values",
        f[:, None] - f[None, :],
        -bound,
        bound,
        calls=3,
    )


@law(
    "Equation (10)",
    "decision_values cross_distances",
    decision_cases(
        Spec(
            pairs=(12, 5),
            regions=(2, 3, 4),
            first=1,
            **UNSCALED,
        ),
        neighbors=(7, 10, 20),
        more=25,
    ),
    weight=0.6,
)
def decision_values_follow_from_the_distances(checker: Checker, case: Case) -> None:
    """f is what the subject's own cross distances give: mean of the K smallest to X_minus, minus
    that to X_plus.
    """
    K = case["K"]
    f = checker.ask("decision_values", case)
    means = []
    for members in (case["X_minus"], case["X_plus"]):
        D = checker.ask("cross_distances", case, Y=members)
        nearest = np.sort(D, axis=1)[:, :K]
        means.append(nearest.sum(axis=1) / K)
    checker.agree(
        "decision_values, and f from the cross distances",
        f,
        means[0] - means[1],
        checker.allowed("decision_values", case)[0],
        calls=3,
    )


@law(
    "Equation (10); Section 4.1, 1-NN",
    "decision_values",
    decision_cases(Spec(pairs=(6, 3), first=1), neighbors=(1, 4, 6), more=4),
    weight=0.8,
)
def swapping_the_classes_flips_the_sign(checker: Checker, case: Case) -> None:
    """Exchanging X_minus and X_plus changes the sign of f and nothing else."""
    exchanged = case.but(X_minus=case["X_plus"], X_plus=case["X_minus"])
    checker.agree(
        "decision_values, and minus those with the classes exchanged",
        checker.ask("decision_values", case),
        -checker.ask("decision_values", exchanged),
        checker.allowed("decision_values", case)[0],
    )
