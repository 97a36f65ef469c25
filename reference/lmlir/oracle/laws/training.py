"""Training: objective, gradients and descent step compared with one another, with distances and
with differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lmlir.oracle.allowed import brackets
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import (
    OBJECTIVE,
    ROWS,
    TAME,
    TAME_METRICS,
    UNSCALED,
    Spec,
    objective_cases,
    pair_cases,
)
from lmlir.oracle.interface import PARAMETERS
from lmlir.oracle.laws.checker import Checker, widths
from lmlir.oracle.laws.law import law
from lmlir.oracle.subjects.failures import Violation


@law(
    "Section 5.2, objective g; Equation (12)",
    "objective",
    objective_cases(replace(OBJECTIVE, regions=(2, 3), first=1), numbers=(4, 3, 7, 12)),
)
def the_objective_averages_over_its_pairs(checker: Checker, case: Case) -> None:
    """g does not change when pairs are listed in another order, turned round, or when a whole list
    is repeated.
    """
    similar = case["similar"]
    twice = np.concatenate([similar[::-1, ::-1], similar])
    dissimilar = case["dissimilar"]
    turned = dissimilar[:, ::-1]
    thrice = np.concatenate([np.roll(dissimilar, 1, axis=0), turned, turned])

    otherwise = case.but(similar=twice, dissimilar=thrice)
    checker.agree(
        "objective with the same pairs listed otherwise",
        checker.ask("objective", otherwise),
        checker.ask("objective", case),
        checker.allowed("objective", case)[0],
    )


@law(
    "Section 5.2, objective g; Equation (12)",
    "objective distances",
    objective_cases(
        replace(OBJECTIVE, regions=(2, 3), first=1), numbers=(30, 41, 64, 90), few=(40, ROWS)
    ),
    weight=0.6,
)
def the_objective_follows_from_the_distances(checker: Checker, case: Case) -> None:
    """g is what the subject's own distances give: the mean hinges plus the penalty."""
    g = checker.ask("objective", case)

    local = np.linalg.norm(case["local_metrics"].astype(np.float64), axis=(1, 2)).sum()
    background = np.linalg.norm(case["background_metric"].astype(np.float64))
    expected = float(case["alpha"]) * float(local + background)
    X = case["X"]
    for name, sign in (("similar", 1.0), ("dissimilar", -1.0)):
        if len(case[name]) == 0:
            continue
        i, j = case[name].T
        D = checker.ask("distances", case, X_i=X[i], X_j=X[j])
        hinges = np.maximum(sign * (D - 1 + sign * case["C"]), 0)
        expected += float(hinges.mean())

    checker.agree(
        "objective, and g from the distances",
        g,
        np.asarray(expected),
        checker.allowed("objective", case)[0],
        calls=3,
    )


@law(
    "Table 3; Definition 8",
    "ratio_gradients intersection_ratios",
    pair_cases(
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
    double = checker.precision.name == "float64"
    step = 1e-5 if double else 1e-2  # about the cube root of eps, where a difference is best
    for direction in [RADIUS, *range(min(case["X_i"].shape[1], 3))]:
        before = _displaced(case, direction, -step)
        after = _displaced(case, direction, step)
        name, moved = _displacement(before, after, direction)

        slope = _component(checker.ask_all("ratio_gradients", case), direction)
        first = checker.ask("intersection_ratios", before)
        second = checker.ask("intersection_ratios", after)

        gradients = checker.allowed("ratio_gradients", case)
        low = _component([lower for lower, _ in gradients], direction)
        high = _component([upper for _, upper in gradients], direction)
        [first_allowed] = checker.allowed("intersection_ratios", before)
        [second_allowed] = checker.allowed("intersection_ratios", after)
        with np.errstate(all="ignore"):
            true_slope = (low + high) / 2
            true_difference = (sum(second_allowed) - sum(first_allowed)) / 2
            roundings = widths(first_allowed) + widths(second_allowed) + 16 * checker.precision.eps
            slack = roundings / moved + widths((low, high))
            is_steady = _is_steady(true_slope, true_difference / moved, slack) & (moved > 0)
            quotient = np.where(is_steady, (second - first) / moved, 0)
            slack = np.where(is_steady, slack + 0.05 * np.abs(true_slope), np.inf)
        checker.near(
            f"differences of gamma in the {name}",
            quotient,
            np.where(is_steady, slope, 0),
            slack,
            calls=3,
        )


def _is_steady(
    slope: Any,
    quotient: Any,
    slack: Any,
) -> Any:
    """Whether the true slope is the true quotient to 1 %: else the step leads over a kink, or the
    slope changes too fast.
    """
    is_close = np.abs(quotient - slope) <= 0.01 * np.abs(slope) + slack
    return np.isfinite(slope) & np.isfinite(slack) & is_close


RADIUS = -1  # the direction in which every radius grows; the others are axes, for the centers


def _component(gradients: Sequence[Any], direction: int) -> np.ndarray:
    """The derivative in the radius or in one coordinate of the center."""
    in_center, in_radius = gradients
    if direction == RADIUS:
        return in_radius
    return in_center[:, :, direction]


def _displaced(
    case: Case,
    direction: int,
    step: float,
) -> Case:
    """The case with all radii, or all centers along an axis, moved by a step relative to the
    radii.
    """
    if direction == RADIUS:
        return case.but(radii=(case["radii"] * (1 + step)).astype(case["radii"].dtype))
    centers = case["centers"].copy()
    centers[:, direction] += (case["radii"] * step).astype(centers.dtype)
    return case.but(centers=centers)


def _displacement(
    before: Case,
    after: Case,
    direction: int,
) -> tuple[str, np.ndarray]:
    """What has moved from one displaced case to the other, and by how much after rounding."""
    if direction == RADIUS:
        return "radii", after["radii"].astype(np.float64) - before["radii"]
    moved = after["centers"].astype(np.float64) - before["centers"]
    return "centers", moved[:, direction]


SMOOTH = replace(TAME, metrics=TAME_METRICS[:1], pairs=(3, 2), regions=(1, 2, 3))


@law(
    "Section 5.2, gradient of g; Section 5.2, objective g",
    "objective_gradient objective",
    objective_cases(SMOOTH, numbers=(3, 1, 6, 20)),
    weight=0.5,
)
def the_gradient_agrees_with_differences_of_the_objective(checker: Checker, case: Case) -> None:
    """Where it hardly changes, the gradient along a direction is the subject's own difference of g
    divided by a small step.
    """
    double = checker.precision.name == "float64"
    step = 1e-6 if double else 1e-2
    for block, name in enumerate(PARAMETERS):
        value = case[name]
        if value.size == 0:
            continue
        path = step * _direction(case, name)
        before = case.but(**{name: (value - path).astype(value.dtype)})
        after = case.but(**{name: (value + path).astype(value.dtype)})
        half_path = (after[name].astype(np.float64) - before[name]) / 2

        gradient = checker.ask_all("objective_gradient", case)[block]
        slope = float((gradient * half_path).sum())
        first = float(checker.ask("objective", before))
        second = float(checker.ask("objective", after))

        lower, upper = checker.allowed("objective_gradient", case)[block]
        low = lower * half_path
        high = upper * half_path
        true_slope = float((low + high).sum()) / 2
        [first_allowed] = checker.allowed("objective", before)
        [second_allowed] = checker.allowed("objective", after)
        true_half = float(sum(second_allowed) - sum(first_allowed)) / 4

        rounding = float(widths(first_allowed) + widths(second_allowed))
        slack = rounding + float(np.abs(high - low).sum())
        is_lost = rounding > 0.05 * abs(true_slope)
        if is_lost or not _is_steady(true_slope, true_half, slack):
            continue
        checker.near(
            f"half the difference of g along the {name}",
            (second - first) / 2,
            slope,
            slack + 0.05 * abs(true_slope),
            calls=3,
        )


def _direction(case: Case, name: str) -> np.ndarray:
    """A fixed direction in the shape of a parameter: as long as the radii, or half as long as would
    leave the cone.
    """
    parameter = case[name].astype(np.float64)
    numbers = np.cos(1.0 + np.arange(parameter.size)).reshape(parameter.shape)
    radii = case["radii"].astype(np.float64)
    if name == "centers":
        return numbers * radii[:, None]
    if name == "radii":
        return numbers * radii
    numbers = numbers + np.swapaxes(numbers, -1, -2)
    smallest_eigenvalue = np.linalg.eigvalsh(parameter)[..., 0]
    length = smallest_eigenvalue / np.abs(numbers).sum(axis=(-2, -1))
    return numbers * length[..., None, None]


STEPS = Spec(
    balls=OBJECTIVE.balls,
    pairs=(3, 2, 5),
    features=(3, 2, 5, 8, 1),
    regions=(2, 1, 4),
    **UNSCALED,
)


@law(
    "Section 5.2, gradient descent; Equation (12)",
    "descent_step",
    objective_cases(STEPS, rates=(1.0, 5.0, 60.0, 1e3)),
)
def a_descent_step_stays_in_the_cone(checker: Checker, case: Case) -> None:
    """After a step, however long, every metric is symmetric positive semi-definite and every radius
    at least 0.
    """
    answers = checker.ask_all("descent_step", case)
    gradients = checker.allowed("objective_gradient", case)
    checker.within("descent_step: radii", answers[1], 0.0, np.inf)
    for block in (2, 3):
        name = PARAMETERS[block]
        metrics = _as_list(answers[block])
        if not np.isfinite(metrics).all():
            raise Violation(f"descent_step returned infinite {name}", checker.calls[-1:])

        low, high = gradients[block]
        slope = _sums(np.maximum(np.abs(_as_list(low)), np.abs(_as_list(high))))
        size = _sums(np.abs(_as_list(case[name]))) + case["beta"] * slope
        size = np.where(np.isfinite(size), size, _sums(np.abs(metrics)))
        slack = (metrics.shape[-1] * 4 + 16) * checker.precision.eps * size

        transposed = np.swapaxes(metrics, 1, 2)
        asymmetry = np.abs(metrics - transposed).max(axis=(1, 2), initial=0.0)
        checker.within(f"descent_step: asymmetry of {name}", asymmetry, 0.0, slack)
        smallest = np.zeros(len(metrics))
        if metrics.size:
            smallest = np.linalg.eigvalsh((metrics + transposed) / 2)[:, 0]
        checker.within(f"descent_step: smallest eigenvalue of {name}", smallest, -slack, np.inf)


def _as_list(metrics: np.ndarray) -> np.ndarray:
    """A single metric as a list of one."""
    return metrics.reshape(-1, *metrics.shape[-2:])


def _sums(matrices: np.ndarray) -> np.ndarray:
    """The sum of the entries of each matrix."""
    return matrices.sum(axis=(-2, -1))


def _norms(matrices: np.ndarray) -> np.ndarray:
    """The Frobenius norm of each matrix."""
    return _sums(matrices**2) ** 0.5


@law(
    "Section 5.2, gradient descent",
    "descent_step objective_gradient",
    objective_cases(STEPS, numbers=(12, 20), rates=(0.5, 0.05, 3.0, 0.0)),
    weight=0.8,
)
def the_descent_step_follows_from_the_gradient(checker: Checker, case: Case) -> None:
    """The step is what the subject's own gradient gives: Theta - beta times it, projected."""
    gradients = checker.ask_all("objective_gradient", case)
    answers = checker.ask_all("descent_step", case)
    if not all(np.isfinite(gradient).all() for gradient in gradients):
        return
    # On a kink the step may have chosen otherwise.
    allowed = checker.allowed("objective_gradient", case)
    eps = checker.precision.eps
    beta = case["beta"]
    for block, name in enumerate(PARAMETERS):
        before = case[name].astype(np.float64)
        change = beta * gradients[block]
        expected = before - change
        choice = np.zeros_like(before)
        if beta > 0:
            choice = beta * widths(allowed[block])

        slack = 64 * eps * (np.abs(before) + np.abs(change)) + choice
        if name == "radii":
            expected = np.maximum(expected, 0)
        if name in ("local_metrics", "background_metric"):
            expected = brackets.projected(expected)
            size = _norms(before) + beta * _norms(gradients[block])
            roundings = (8 * before.shape[-1] + 64) * eps
            slack = (roundings * size + _norms(choice))[..., None, None]
        checker.near(
            f"descent_step: {name}",
            answers[block],
            expected,
            slack,
            calls=2,
        )
