"""Continuity: how far distances and decision values may move when a point moves."""

from __future__ import annotations

import numpy as np

from lmlir.oracle import strategies
from lmlir.oracle.cases import Case
from lmlir.oracle.checker import Checker, widths
from lmlir.oracle.laws.registry import law
from lmlir.oracle.strategies import UNSCALED, Spec


def _modulus(e: np.ndarray, case: Case) -> np.ndarray:
    """How far D may move when an end point moves by e: the theorem in place of Lemma 1."""
    local = np.sqrt(np.maximum(np.linalg.eigvalsh(case["local_metrics"].astype(np.float64)), 0)).max(
        axis=1, initial=0.0
    )
    background = float(np.sqrt(max(np.linalg.eigvalsh(case["background_metric"].astype(np.float64)).max(), 0)))
    r = case["radii"].astype(np.float64)[None, :]
    shell = np.maximum(r - e[:, None], 0)
    tau = 2 * np.sqrt(np.maximum((r - shell) * (r + shell), 0))
    return np.asarray(max(background, float(local.sum())) * e + (np.maximum(local, background) * tau).sum(axis=1))


def _neighbors(case: Case) -> np.ndarray:
    """A point close to each X_i, at distances from 1e-9 to 1 times the length of the pair."""
    d = case["X_j"] - case["X_i"]
    powers = 10.0 ** -(np.arange(len(d)) % 10)[:, None].astype(np.float64)
    across = np.roll(d, 1, axis=1) * np.where(np.arange(d.shape[1]) % 2, 1, -1)
    return np.asarray((case["X_i"] + across * powers).astype(case["X_i"].dtype))


TANGENTIAL = Spec(
    balls=("tangent", "through an end point", "almost tangent", "tangent", "free", "within the segment"),
    kinds=("along an axis", "free"),
    pairs=(10, 5),
    metrics=("zero", "full", "identity", "diagonal"),
    **UNSCALED,
)


@law("Lemma 1; Definition 9", "distances", strategies.pair_cases(TANGENTIAL))
def distances_are_continuous(checker: Checker, case: Case) -> None:
    """When an end point moves by e, D moves by no more than Lambda e + sum kappa tau(e), the theorem in place of
    Lemma 1.
    """
    moved = case.but(X_i=_neighbors(case))
    first, second = checker.ask("distances", case.inputs), checker.ask("distances", moved.inputs)
    e = np.linalg.norm((moved["X_i"].astype(np.longdouble) - case["X_i"]).astype(np.float64), axis=1)
    slack = widths(checker.allowed("distances", case.inputs)[0]) + widths(checker.allowed("distances", moved.inputs)[0])
    bound = _modulus(e, case) * (1 + 64 * checker.precision.eps) + slack
    checker.within("distances after x_i moved", second, first - bound, first + bound, calls=2)


@law("Lemma 1; Definition 9; Proposition 3; Proposition 4", "decision_values", strategies.pair_cases(TANGENTIAL))
def decision_values_are_continuous(checker: Checker, case: Case) -> None:
    """When x moves by e, f moves by no more than twice Lambda e + sum kappa tau(e)."""
    half = max(1, len(case["X_j"]) // 2)
    sets = {"X_minus": case["X_j"][:half], "X_plus": case["X_j"][-half:], "K": max(1, half // 2)}
    here, there = case["X_i"], _neighbors(case)
    inputs = {**case.inputs, **sets}
    first, second = checker.ask("decision_values", inputs, X=here), checker.ask("decision_values", inputs, X=there)
    e = np.linalg.norm((there.astype(np.longdouble) - here).astype(np.float64), axis=1)
    slack = widths(checker.allowed("decision_values", inputs, X=here)[0])
    slack = slack + widths(checker.allowed("decision_values", inputs, X=there)[0])
    bound = 2 * _modulus(e, case) * (1 + 64 * checker.precision.eps) + slack
    checker.within("decision_values after x moved", second, first - bound, first + bound, calls=2)
