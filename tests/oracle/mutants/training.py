"""Mutants of the objective, its gradient and the descent step: section 5."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.mutants.original import Array, Original, Terms
from tests.oracle.mutants.registry import breaks

OBJECTIVE = "objective"
GRADIENT = "objective_gradient"
STEP = "descent_step"


@breaks("Equation (12)", on=OBJECTIVE)
class losses_summed(Original):
    """Sums the losses over the pairs instead of averaging them."""

    def average(self, slacks: Array) -> Any:
        return np.sum(slacks)


@breaks("Equation (12)", on=OBJECTIVE)
class average_of_nothing_is_nan(Original):
    """Divides 0 by 0 when a list of pairs is empty."""

    def average(self, slacks: Array) -> Any:
        return np.mean(slacks) if len(slacks) else np.nan


@breaks("Equation (12)", on=OBJECTIVE)
class dissimilar_hinge_forgotten(Original):
    """Counts dissimilar pairs that are far enough with a negative loss."""

    def dissimilar_slack(self, D: Array, C: float) -> Array:
        return 1 + C - D


@breaks("Equation (12)", on=OBJECTIVE)
class printed_dissimilar_constraint(Original):
    """Uses the constraint as printed (E1), D >= 1 + C + xi, so that every dissimilar slack is 0."""

    def dissimilar_slack(self, D: Array, C: float) -> Array:
        return np.zeros_like(D)


@breaks("Equation (12)", on=OBJECTIVE)
class penalty_forgets_a_region(Original):
    """Leaves the last region's metric out of the penalty."""

    def penalty(self, local_metrics: Array, background_metric: Array, alpha: float) -> Any:
        return super().penalty(local_metrics[:-1], background_metric, alpha)


# ---- the gradient of the objective ----


@breaks("Section 5.2, gradient of g", on=GRADIENT)
class printed_sign_of_dissimilar_term(Original):
    """Uses the sign as printed (E2), a plus for the dissimilar pairs."""

    def dissimilar_weights(self, D: Array, C: float) -> Array:
        return -super().dissimilar_weights(D, C)


@breaks("Section 5.2, dD/do_s", "Section 5.2, dD/dr_s", on=GRADIENT)
class printed_sign_of_background_term(Original):
    """Uses the sign as printed (E3), adding the background length to the local one."""

    def gain(self, terms: Terms) -> Array:
        return terms.lengths + np.where(terms.gamma_b > 0, terms.background_length, 0)[:, None]


@breaks("Section 5.2, shrinkage", on=GRADIENT)
class printed_shrinkage(Original):
    """Uses the shrinkage term as printed (E4), alpha M / (2 norm(M)), which is half of the true
    one.
    """

    def shrinkage(self, metrics: Array, alpha: float) -> Array:
        return super().shrinkage(metrics, alpha) / 2


@breaks("Section 5.2, gradient of g", on=GRADIENT)
class shrinkage_with_a_floor(Original):
    """Divides a metric by at least 1e-15 instead of its smaller norm."""

    def shrinkage(self, metrics: Array, alpha: float) -> Array:
        norms = np.sqrt(np.sum(metrics * metrics, axis=(-2, -1), keepdims=True))
        return alpha * metrics / np.maximum(norms, 1e-15)


@breaks("Section 5.2, dD/dM(B)", "Section 5.2, dD/dM(A_s)", on=GRADIENT)
class metric_gradient_off_diagonal_doubled(Original):
    """Doubles the entries off the diagonal, as if a symmetric matrix had one free entry there."""

    def metric_gradient(self, weights: Array, d: Array, lengths: Array) -> Array:
        full = super().metric_gradient(weights, d, lengths)
        return 2 * full - np.diag(np.diag(full))


@breaks("Section 5.2, gradient of g", on=GRADIENT)
class gradient_of_exact_distance(Original):
    """Uses the exact background ratio in the gradient by the background metric."""

    def weighted_distance_gradients(self, weights: Array, *pairs_and_parameters: Any) -> Any:
        parts = super().weighted_distance_gradients(weights, *pairs_and_parameters)
        terms = self.terms(*pairs_and_parameters)
        exact = self.exact_background_ratios(*pairs_and_parameters[:4])
        return *parts[:3], self.metric_gradient(weights * exact, terms.d, terms.background_length)


@breaks("Section 5.2, dD/do_s", "Section 5.2, dD/dr_s", on=GRADIENT)
class background_indicator_forgotten(Original):
    """Subtracts the background length also where no background is left."""

    def gain(self, terms: Terms) -> Array:
        return terms.lengths - terms.background_length[:, None]


@breaks("Section 5.2, dD/dr_s", on=GRADIENT)
class background_gone_below_1e_8(Original):
    """Treats a background ratio below 1e-8 as 0 in the gradient."""

    def gain(self, terms: Terms) -> Array:
        return terms.lengths - np.where(terms.gamma_b > 1e-8, terms.background_length, 0)[:, None]


# ---- the descent step ----


@breaks("Section 5.2, gradient descent", on=STEP)
class cone_forgotten(Original):
    """Does not project the metrics onto the cone."""

    def projected(self, metrics: Array) -> Array:
        return metrics


@breaks("Section 5.2, gradient descent", on=STEP)
class entries_clipped(Original):
    """Clips the entries of a metric at 0 instead of its eigenvalues."""

    def projected(self, metrics: Array) -> Array:
        return np.maximum(metrics, 0)


@breaks("Section 5.2, gradient descent", on=STEP)
class small_eigenvalues_dropped(Original):
    """Treats eigenvalues below 1e-12 of the largest as rounding errors and sets them to 0."""

    def eigenvalues_kept(self, values: Array) -> Array:
        return np.where(
            values < 1e-12 * np.max(values, axis=-1, keepdims=True, initial=0), 0, values
        )


@breaks("Section 5.2, gradient descent", on=STEP)
class projection_skipped_within_1e_12(Original):
    """Takes a matrix for positive semi-definite when its smallest eigenvalue is above -1e-12."""

    def projected(self, metrics: Array) -> Array:
        return (
            metrics if np.all(np.linalg.eigvalsh(metrics) > -1e-12) else super().projected(metrics)
        )


@breaks("Section 5.2, gradient descent", on=STEP)
class radius_with_a_floor(Original):
    """Clips radii at 1e-3 instead of 0."""

    def projected_radii(self, radii: Array) -> Array:
        return np.maximum(radii, 1e-3)


@breaks("Section 5.2, gradient descent", on=STEP)
class one_part_after_the_other(Original):
    """Moves centers and radii first and takes the metrics' gradient at the new place."""

    def descent_step(self, X: Array, similar: Array, dissimilar: Array, *rest: Any) -> Any:
        new_regions = super().descent_step(X, similar, dissimilar, *rest)[:2]
        return *new_regions, *super().descent_step(X, similar, dissimilar, *new_regions, *rest[2:])[
            2:
        ]
