"""Training: objective, gradients and descent step compared with one another, with distances and
with differences.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lmlir.oracle.allowed import brackets
from lmlir.oracle.inputs import random_cases
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import OBJECTIVE, ROWS, TAME, TAME_METRICS, UNSCALED, Spec
from lmlir.oracle.interface import PARAMETERS
from lmlir.oracle.laws.checker import Checker, widths
from lmlir.oracle.laws.law import law
from lmlir.oracle.subjects.failures import Violation


@law(
    "Section 5.2, objective g; Equation (12)",
    "objective",
    random_cases.objective_cases(
        replace(OBJECTIVE, regions=(2, 3), first=1), numbers=(4, 3, 7, 12)
    ),
)
def the_objective_averages_over_its_pairs(checker: Checker, case: Case) -> None:
    """g does not change when pairs are listed in another order, turned round, or when a whole list
    is repeated.
    """
    similar, dissimilar = case["similar"], case["dissimilar"]
    other = case.but(
        similar=np.concatenate([similar[::-1, ::-1], similar]),
        dissimilar=np.concatenate([np.roll(dissimilar, 1, axis=0)] + [dissimilar[:, ::-1]] * 2),
    )
    first = checker.ask("objective", other.inputs)
    second = checker.ask("objective", case.inputs)
    checker.agree(
        "objective with the same pairs listed otherwise",
        first,
        second,
        checker.allowed("objective", case.inputs)[0],
    )


@law(
    "Section 5.2, objective g; Equation (12)",
    "objective distances",
    random_cases.objective_cases(
        replace(OBJECTIVE, regions=(2, 3), first=1), numbers=(30, 41, 64, 90), few=(40, ROWS)
    ),
    weight=0.6,
)
def the_objective_follows_from_the_distances(checker: Checker, case: Case) -> None:
    """g is what the subject's own distances give: the mean hinges plus the penalty."""
    g = checker.ask("objective", case.inputs)
    expected = float(case["alpha"]) * float(
        np.linalg.norm(case["local_metrics"].astype(np.float64), axis=(1, 2)).sum()
        + np.linalg.norm(case["background_metric"].astype(np.float64))
    )
    for name, sign in (("similar", 1.0), ("dissimilar", -1.0)):
        if len(case[name]) == 0:
            continue
        i, j = case[name].T
        D = checker.ask("distances", case.inputs, X_i=case["X"][i], X_j=case["X"][j])
        expected += float(np.maximum(sign * (D - 1 + sign * case["C"]), 0).mean())
    allowed = checker.allowed("objective", case.inputs)[0]
    checker.agree("objective, and g from the distances", g, np.asarray(expected), allowed, calls=3)


@law(
    "Table 3; Definition 8",
    "ratio_gradients intersection_ratios",
    random_cases.pair_cases(
        Spec(
            balls=TAME.balls,
            kinds=("free",),
            metrics=("identity",),
            pairs=(6, 3),
            regions=(2, 1, 5),
            **UNSCALED,
        )
    ),
)
def ratio_gradients_agree_with_differences(checker: Checker, case: Case) -> None:
    """Where they hardly change, the gradients of gamma are the differences of gamma divided by a
    small step.
    """
    step = 1e-5 if checker.precision.name == "float64" else 1e-2
    for axis in range(-1, min(case["X_i"].shape[1], 3)):
        ends = [_displaced(case, axis, -step), _displaced(case, axis, step)]
        slope = _along(checker.ask_all("ratio_gradients", case.inputs), axis)
        gamma = [checker.ask("intersection_ratios", end.inputs) for end in ends]
        key = "radii" if axis < 0 else "centers"
        moved = ends[1][key].astype(np.float64) - ends[0][key]
        moved = moved if axis < 0 else moved[:, axis]
        lows, highs = zip(*checker.allowed("ratio_gradients", case.inputs), strict=True)
        true = _along(lows, axis), _along(highs, axis)
        allowed = [checker.allowed("intersection_ratios", end.inputs)[0] for end in ends]
        with np.errstate(all="ignore"):
            slack = (
                widths(allowed[0]) + widths(allowed[1]) + 16 * checker.precision.eps
            ) / moved + widths(true)
            steady = _steady(
                sum(true) / 2, (sum(allowed[1]) - sum(allowed[0])) / 2 / moved, slack
            ) & (moved > 0)
            quotient = np.where(steady, (gamma[1] - gamma[0]) / moved, 0)
            slack = slack + 0.05 * np.abs(sum(true) / 2)
        lower = np.where(steady, slope - slack, -np.inf)
        upper = np.where(steady, slope + slack, np.inf)
        checker.within(f"differences of gamma in the {key}", quotient, lower, upper, calls=3)


def _steady(slope: Any, quotient: Any, slack: Any) -> Any:
    """Whether the true slope is the true quotient to 1 %: else the step leads over a kink, or the
    slope changes too fast.
    """
    return (
        np.isfinite(slope)
        & np.isfinite(slack)
        & (np.abs(quotient - slope) <= 0.01 * np.abs(slope) + slack)
    )


def _along(gradients: Any, axis: int) -> np.ndarray:
    """The derivative in the radius (axis -1) or in one coordinate of the center."""
    return np.asarray(gradients[1] if axis < 0 else gradients[0][:, :, axis])


def _displaced(case: Case, axis: int, step: float) -> Case:
    """The case with all radii (axis -1) or all centers along an axis moved by a relative step."""
    if axis < 0:
        return case.but(radii=(case["radii"] * (1 + step)).astype(case["radii"].dtype))
    centers = case["centers"].copy()
    centers[:, axis] += (case["radii"] * step).astype(centers.dtype)
    return case.but(centers=centers)


SMOOTH = replace(TAME, metrics=TAME_METRICS[:1], pairs=(3, 2), regions=(1, 2, 3))


@law(
    "Section 5.2, gradient of g; Section 5.2, objective g",
    "objective_gradient objective",
    random_cases.objective_cases(SMOOTH, numbers=(3, 1, 6, 20)),
    weight=0.5,
)
def the_gradient_agrees_with_differences_of_the_objective(checker: Checker, case: Case) -> None:
    """Where it hardly changes, the gradient along a direction is the subject's own difference of g
    divided by a small step.
    """
    step = 1e-6 if checker.precision.name == "float64" else 1e-2
    for block, name in enumerate(PARAMETERS):
        if case[name].size == 0:
            continue
        direction = _direction(case, block)
        ends = [
            case.but(**{name: (case[name] + sign * step * direction).astype(case[name].dtype)})
            for sign in (-1, 1)
        ]
        path = (ends[1][name].astype(np.float64) - ends[0][name]) / 2
        slope = float((checker.ask_all("objective_gradient", case.inputs)[block] * path).sum())
        g = [float(checker.ask("objective", end.inputs)) for end in ends]
        low, high = (
            end * path for end in checker.allowed("objective_gradient", case.inputs)[block]
        )
        true = float((low + high).sum()) / 2
        allowed = [checker.allowed("objective", end.inputs)[0] for end in ends]
        rounding = float(widths(allowed[0]) + widths(allowed[1]))
        slack = rounding + float(np.abs(high - low).sum())
        half = float(sum(allowed[1]) - sum(allowed[0])) / 4
        if not _steady(true, half, slack) or rounding > 0.05 * abs(true):
            continue
        slack += 0.05 * abs(true)
        checker.within(
            f"half the difference of g along the {name}",
            (g[1] - g[0]) / 2,
            slope - slack,
            slope + slack,
            calls=3,
        )


def _direction(case: Case, block: int) -> np.ndarray:
    """A fixed direction in the shape of a parameter: as long as the radii, or half as long as would
    leave the cone.
    """
    parameter = case[PARAMETERS[block]].astype(np.float64)
    numbers = np.cos(1.0 + np.arange(parameter.size)).reshape(parameter.shape)
    if block < 2:
        radii = case["radii"].astype(np.float64)
        return np.asarray(numbers * (radii[:, None] if block == 0 else radii))
    numbers = numbers + np.swapaxes(numbers, -1, -2)
    smallest = np.linalg.eigvalsh(parameter)[..., 0]
    return np.asarray(numbers * (smallest / np.abs(numbers).sum(axis=(-2, -1)))[..., None, None])


STEPS = Spec(
    balls=OBJECTIVE.balls, pairs=(3, 2, 5), features=(3, 2, 5, 8, 1), regions=(2, 1, 4), **UNSCALED
)


@law(
    "Section 5.2, gradient descent; Equation (12)",
    "descent_step",
    random_cases.objective_cases(STEPS, rates=(1.0, 5.0, 60.0, 1e3)),
)
def a_descent_step_stays_in_the_cone(checker: Checker, case: Case) -> None:
    """After a step, however long, every metric is symmetric positive semi-definite and every radius
    at least 0.
    """
    _, radii, local, background = checker.ask_all("descent_step", case.inputs)
    checker.within("descent_step: radii", radii, 0.0, np.inf)
    slope = checker.allowed("objective_gradient", case.inputs)
    for name, got, before, (low, high) in (
        ("local_metrics", local, case["local_metrics"], slope[2]),
        (
            "background_metric",
            background[None],
            case["background_metric"][None],
            tuple(end[None] for end in slope[3]),
        ),
    ):
        size = np.abs(before).sum(axis=(1, 2)) + case["beta"] * np.maximum(
            np.abs(low), np.abs(high)
        ).sum(axis=(1, 2))
        size = np.where(np.isfinite(size), size, np.abs(got).sum(axis=(1, 2)))
        slack = (got.shape[-1] * 4 + 16) * checker.precision.eps * size
        if not np.isfinite(got).all():
            raise Violation(f"descent_step returned infinite {name}", checker.calls[-1:])
        skew = np.abs(got - np.swapaxes(got, 1, 2)).max(axis=(1, 2), initial=0.0)
        checker.within(f"descent_step: asymmetry of {name}", skew, 0.0, slack)
        smallest = (
            np.linalg.eigvalsh((got + np.swapaxes(got, 1, 2)) / 2)[:, 0]
            if got.size
            else np.zeros(0)
        )
        checker.within(f"descent_step: smallest eigenvalue of {name}", smallest, -slack, np.inf)


@law(
    "Section 5.2, gradient descent",
    "descent_step objective_gradient",
    random_cases.objective_cases(STEPS, numbers=(12, 20), rates=(0.5, 0.05, 3.0, 0.0)),
    weight=0.8,
)
def the_descent_step_follows_from_the_gradient(checker: Checker, case: Case) -> None:
    """The step is what the subject's own gradient gives: Theta - beta times it, projected."""
    slopes = checker.ask_all("objective_gradient", case.inputs)
    after = checker.ask_all("descent_step", case.inputs)
    eps = checker.precision.eps
    beta = case["beta"]
    if not all(np.isfinite(slope).all() for slope in slopes):
        return
    # on a kink the step may have chosen otherwise
    allowed = checker.allowed("objective_gradient", case.inputs)
    for block, name in enumerate(PARAMETERS):
        before = case[name].astype(np.float64)
        expected = before - beta * slopes[block]
        other = beta * widths(allowed[block]) if beta > 0 else np.zeros_like(before)
        slack = 64 * eps * (np.abs(before) + np.abs(beta * slopes[block])) + other
        if block == 1:
            expected = np.maximum(expected, 0)
        if block > 1:
            expected = brackets.projected(expected)
            size = (before**2).sum(axis=(-2, -1)) ** 0.5 + beta * (slopes[block] ** 2).sum(
                axis=(-2, -1)
            ) ** 0.5
            size = (8 * before.shape[-1] + 64) * eps * size + (other**2).sum(axis=(-2, -1)) ** 0.5
            slack = size[..., None, None]
        checker.within(
            f"descent_step: {name}", after[block], expected - slack, expected + slack, calls=2
        )
