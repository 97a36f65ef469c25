"""Continuity: how far distances and decision values may move when a point moves, by Theorem A with
its constants.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lmlir import continuity
from lmlir.oracle.inputs import corner_cases
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import (
    UNSCALED,
    Spec,
    pair_cases,
)
from lmlir.oracle.interface import PARAMETERS
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.laws.geometry import lengths_of
from lmlir.oracle.laws.law import law

TANGENTIAL = Spec(
    balls=(
        "tangent",
        "through an end point",
        "almost tangent",
        "tangent",
        "free",
        "within the segment",
    ),
    kinds=("along an axis", "free"),
    pairs=(2, 1, 3),
    regions=(1, 2, 3, 2, 4),
    first=2,
    metrics=(
        "zero",
        "full",
        "nearly equal",
        "identity",
        "rank deficient",
        "diagonal",
        "nearly equal",
    ),
    **UNSCALED,
)


STEPS = (1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3, 0.1, -1.0)  # across the segment, in its lengths


def neighbors(case: Case) -> tuple[Case, np.ndarray, np.ndarray]:
    """Every pair once for each step, the points to which X_i moves, and how far that is."""
    X_i = np.repeat(case["X_i"], len(STEPS), axis=0)
    X_j = np.repeat(case["X_j"], len(STEPS), axis=0)
    d = X_j - X_i
    signs = np.where(np.arange(d.shape[1]) % 2, 1, -1)
    across = np.roll(d, 1, axis=1) * signs
    steps = np.resize(STEPS, len(d))[:, None]

    there = (X_i + across * steps).astype(X_i.dtype)
    way = (there.astype(np.longdouble) - X_i).astype(np.float64)
    return case.but(X_i=X_i, X_j=X_j), there, np.linalg.norm(way, axis=1)


def modulus(e: np.ndarray, case: Case) -> np.ndarray:
    """How far D may move when an end point moves by e, by Theorem A: for either gamma_b."""
    Theta: Any = [case[name].astype(np.float64).tolist() for name in PARAMETERS]
    if "constants" not in case.memo:
        case.memo["constants"] = continuity.decision_constants(*Theta)
    Lambda, kappa = case.memo["constants"]
    radii = Theta[1]
    return np.array([continuity.summed_modulus(step, Lambda, kappa, radii) for step in e.tolist()])


@law(
    "Theorem A",
    "distances cross_distances",
    pair_cases(TANGENTIAL),
    corner_cases.tangents,
    each=True,
    weight=0.6,
)
def distances_are_continuous(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """When an end point moves by e, D moves by no more than Lambda e + sum kappa tau(e), with the
    constants of Theorem A; also for metrics that are singular or nearly equal.
    """
    repeated, there, e = neighbors(case)
    bound = modulus(e, case) * (1 + 64 * checker.precision.eps)
    name = "X_i"
    if function == "cross_distances":
        name = "X"
        repeated = case.but(X=repeated["X_i"], Y=case["X_j"])
        bound = bound[:, None]
    moved = repeated.but(**{name: there})
    first = checker.ask(function, repeated)
    second = checker.ask(function, moved)
    slack = checker.slack(function, repeated) + checker.slack(function, moved)
    checker.within(
        f"{function} after {name} moved",
        second,
        first - bound - slack,
        first + bound + slack,
        calls=2,
    )


@law(
    "Theorem A; Definition 9; Proposition 3; Proposition 4",
    "decision_values",
    pair_cases(TANGENTIAL),
    corner_cases.tangents,
    weight=0.6,
)
def decision_values_are_continuous(checker: Checker, case: Case) -> None:
    """When x moves by e, f moves by no more than twice as far as a distance may, by Theorem A."""
    if not len(case["X_j"]):
        return
    half = max(1, len(case["X_j"]) // 2)
    X_minus = case["X_j"][:half]
    X_plus = case["X_j"][-half:]
    repeated, there, e = neighbors(case)
    start = case.but(
        X=repeated["X_i"],
        X_minus=X_minus,
        X_plus=X_plus,
        K=max(1, half // 2),
    )
    end = start.but(X=there)

    first = checker.ask("decision_values", start)
    second = checker.ask("decision_values", end)
    slack = checker.slack("decision_values", start) + checker.slack("decision_values", end)
    bound = 2 * modulus(e, case) * (1 + 64 * checker.precision.eps)
    checker.near(
        "decision_values after x moved",
        second,
        first,
        bound + slack,
        calls=2,
    )


@law(
    "Theorem A",
    "intersection_ratios exact_background_ratios",
    pair_cases(TANGENTIAL),
    corner_cases.tangents,
    weight=0.6,
)
def exact_distances_are_continuous(checker: Checker, case: Case) -> None:
    """D with the exact gamma_b, put together from the subject's ratios, moves by no more than
    Lambda e + sum kappa tau(e) when an end point moves by e, with the constants of Theorem A.
    """
    start, there, e = neighbors(case)
    first, first_slack = _exact_distances(checker, start)
    second, second_slack = _exact_distances(checker, start.but(X_i=there))
    bound = modulus(e, case) * (1 + 64 * checker.precision.eps)
    checker.near(
        "D with the exact gamma_b after x_i moved",
        second,
        first,
        bound + first_slack + second_slack,
        calls=4,
    )


def _exact_distances(checker: Checker, case: Case) -> tuple[np.ndarray, np.ndarray]:
    """gamma_b n_B + sum gamma_s n_s with the exact gamma_b, and by how much it may honestly be
    off.
    """
    metrics = np.concatenate([case["background_metric"][None], case["local_metrics"]])
    n = lengths_of(case, metrics)
    names = ("exact_background_ratios", "intersection_ratios")
    shares = np.column_stack([checker.ask(name, case) for name in names])
    slack = np.column_stack([checker.slack(name, case) for name in names])
    # Where d is almost in the null space of M, the root of a rounded square is off by the root of
    # the rounding.
    scales = np.sqrt(np.linalg.norm(metrics.astype(np.float64), axis=(1, 2)).sum())
    d = np.linalg.norm(case["X_j"].astype(np.float64) - case["X_i"], axis=1)
    rounding = 4 * float(np.finfo(np.longdouble).eps) ** 0.5 * scales * d * len(metrics)
    return (shares * n).sum(axis=1), (slack * n).sum(axis=1) + rounding
