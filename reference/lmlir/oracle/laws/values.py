"""The value laws: every number that an interface function returns lies in its bracket."""

from __future__ import annotations

import numpy as np

from lmlir.oracle.allowed import brackets
from lmlir.oracle.inputs import corner_cases
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import (
    Spec,
    cross_cases,
    decision_cases,
    everything_cases,
    objective_cases,
    pair_cases,
)
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.laws.law import law


def _rows(
    checker: Checker,
    case: Case,
    table_3: bool,
) -> None:
    """Count which rows of Table 2 (or Table 3) the case visits."""
    with np.errstate(all="ignore"):
        g = brackets.Geometry(
            case["X_i"],
            case["X_j"],
            case["centers"],
            case["radii"],
            checker.precision,
        )
        reach = g.half_chord(g.r) / g.L
    u = g.middle - reach
    v = g.middle + reach
    is_missed = (g.h >= g.r) | g.same[:, None]
    is_near = (g.r_high > g.h) & (g.h > g.r_low)
    is_touched = is_near | g.same[:, None] | (g.h == g.r)

    for place in np.ndindex(g.r.shape):
        if is_touched[place] and is_missed[place]:
            row = 2
        elif is_missed[place]:
            row = 1
        else:
            row = _row_of_chord(u[place], v[place])
        if table_3:
            checker.rows[f"Table 3, row {ROWS_OF_TABLE_3[row]}"] += 1
        else:
            checker.rows[f"Table 2, row {row}"] += 1


ROWS_OF_TABLE_3 = {1: 1, 2: 1, 3: 2, 4: 4, 5: 2, 6: 3, 7: 5, 8: 2}  # by the rows of Table 2


def _row_of_chord(u: float, v: float) -> int:
    """The row of Table 2 for a line that is in the ball between u and v."""
    if u < 0:
        if v < 0:
            return 3
        return 4 if v <= 1 else 5
    if u > 1:
        return 8
    return 6 if v <= 1 else 7


@law(
    "Definition 8; Table 1; Table 2; Equation (7); Definition 1; Definition 5; Equation (1)",
    "intersection_ratios",
    pair_cases(Spec(metrics=("identity",))),
    corner_cases.of("intersection_ratios"),
    weight=2,
)
def ratios_match_table_2(checker: Checker, case: Case) -> None:
    """gamma, the share of the segment that lies in the ball, is the one that the eight rows of
    Table 2 give.
    """
    _rows(checker, case, table_3=False)
    checker.check_values("intersection_ratios", case)


@law(
    "Equation (9); Definition 3; Definition 4; Definition 7; Equation (2); Equation (5); Section "
    "3.2, gamma_b",
    "distances",
    pair_cases(),
    corner_cases.of("distances"),
    weight=2,
)
def distances_match_equation_9(checker: Checker, case: Case) -> None:
    """D is gamma_b times the background length plus the sum of gamma times the local lengths, with
    gamma_b = max(1
    - sum gamma, 0).
    """
    checker.check_values("distances", case)


@law(
    "Table 3",
    "ratio_gradients",
    pair_cases(Spec(metrics=("identity",))),
    corner_cases.of("ratio_gradients"),
    weight=2,
)
def ratio_gradients_match_table_3(checker: Checker, case: Case) -> None:
    """The derivatives of gamma in the center and in the radius are those of the five rows of Table
    3; on a kink, anything between the one-sided ones.
    """
    _rows(checker, case, table_3=True)
    checker.check_values("ratio_gradients", case)


@law(
    "Definition 2; Definition 5; Definition 5, footnote; Equation (3); Equation (4)",
    "exact_background_ratios",
    pair_cases(Spec(metrics=("identity",), regions=(2, 3, 1, 4, 6, 0))),
    corner_cases.of("exact_background_ratios"),
    weight=1.5,
)
def exact_background_ratios_match_the_union(checker: Checker, case: Case) -> None:
    """The exact gamma_b is 1 minus the measure of the union of the intersections, however the balls
    overlap.
    """
    checker.check_values("exact_background_ratios", case)


@law(
    "Equation (9)",
    "cross_distances",
    cross_cases(),
    corner_cases.of("cross_distances"),
    weight=1.5,
)
def cross_distances_match_equation_9(checker: Checker, case: Case) -> None:
    """Entry (i, j) of the cross distances is D between row i of X and row j of Y, also for rows
    that nearly or exactly coincide.
    """
    checker.check_values("cross_distances", case)


@law(
    "Equation (10); Section 4.1, 1-NN",
    "decision_values",
    decision_cases(),
    corner_cases.of("decision_values"),
    weight=1.5,
)
def decision_values_match_equation_10(checker: Checker, case: Case) -> None:
    """f is the mean of the K smallest distances to the negative class minus that of the K smallest
    to the positive class, equal distances counted as often as they occur.
    """
    checker.check_values("decision_values", case)


@law(
    "Section 5.2, objective g; Equation (12)",
    "objective",
    objective_cases(),
    corner_cases.of("objective"),
    weight=2,
)
def objective_matches_g(checker: Checker, case: Case) -> None:
    """g is the mean hinge of the similar pairs plus the mean hinge of the dissimilar pairs plus
    alpha times the Frobenius norms.
    """
    checker.check_values("objective", case)


_GRADIENT = (
    "objective_gradient",
    objective_cases(),
    corner_cases.of("objective_gradient"),
)


@law(
    "Section 5.2, gradient of g; Section 5.2, dD/dM(B); Section 5.2, shrinkage",
    *_GRADIENT,
    weight=1.5,
)
def gradient_in_the_background_metric(checker: Checker, case: Case) -> None:
    """The gradient of g in the background metric is the true one; on a kink, anything between the
    one-sided derivatives.
    """
    checker.check_values("objective_gradient", case, only=3)


@law(
    "Section 5.2, gradient of g; Section 5.2, dD/dM(A_s); Section 5.2, shrinkage",
    *_GRADIENT,
    weight=1.5,
)
def gradient_in_the_local_metrics(checker: Checker, case: Case) -> None:
    """The gradient of g in each local metric is the true one; on a kink, anything between the
    one-sided derivatives.
    """
    checker.check_values("objective_gradient", case, only=2)


@law("Section 5.2, gradient of g; Section 5.2, dD/do_s; Table 3", *_GRADIENT, weight=1.5)
def gradient_in_the_centers(checker: Checker, case: Case) -> None:
    """The gradient of g in each center is the true one; on a kink, anything between the one-sided
    derivatives.
    """
    checker.check_values("objective_gradient", case, only=0)


@law("Section 5.2, gradient of g; Section 5.2, dD/dr_s; Table 3", *_GRADIENT, weight=1.5)
def gradient_in_the_radii(checker: Checker, case: Case) -> None:
    """The gradient of g in each radius is the true one; on a kink, anything between the one-sided
    derivatives.
    """
    checker.check_values("objective_gradient", case, only=1)


@law(
    "Section 5.2, gradient descent",
    "descent_step",
    objective_cases(),
    corner_cases.of("descent_step"),
    weight=1.5,
)
def descent_step_is_the_projected_step(checker: Checker, case: Case) -> None:
    """The step is Theta - beta times the gradient of g, its metrics projected onto the positive
    semi-definite cone and its radii onto r >= 0.
    """
    checker.check_values("descent_step", case)


@law(
    "Definition 2; Definition 4; Equation (9); Equation (10); Section 5.2, objective g; Section "
    "5.2, gradient of g; "
    "Section 5.2, gradient descent",
    " ".join(FUNCTIONS),
    everything_cases(
        Spec(
            regions=(0,),
            pairs=(3, 2),
            scales=(0, 5),
            shifts=(0.0, 10.0),
        )
    ),
    each=True,
    weight=0.5,
)
def without_regions_only_the_background_counts(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """With S = 0 every function still answers, with the background metric alone."""
    checker.check_values(function, case)
