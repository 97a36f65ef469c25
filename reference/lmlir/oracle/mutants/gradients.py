"""Mutants of Table 3 and of the gradient of the objective."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lmlir.oracle.mutants import examples
from lmlir.oracle.mutants.original import Array, Chords, Original, Terms
from lmlir.oracle.mutants.registry import breaks

RATIO_GRADIENTS, GRADIENT = "ratio_gradients", "objective_gradient"


# ---- Table 3 ----


@breaks("Table 3, row 1", on=RATIO_GRADIENTS)
class missed_ball_has_a_gradient(Original):
    """Table 3, row 1: the root of the absolute value of Delta gives missed balls a gradient; gamma stays right."""

    def ratio_gradients(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> tuple[Array, Array]:
        return _AbsoluteDelta().ratio_gradients(X_i, X_j, centers, radii)


class _AbsoluteDelta(Original):
    def discriminant(self, a: Array, b: Array, from_center: Array, offset: Array, radii: Array) -> Array:
        return np.abs(super().discriminant(a, b, from_center, offset, radii))


@breaks("Table 3, row 2", on=RATIO_GRADIENTS)
class constant_ratio_has_a_gradient(Original):
    """Table 3, row 2: the row for a ball within the segment is used wherever the line crosses the ball."""

    def gradient_rows(self, chords: Chords, radii: Array) -> Sequence[tuple[Array, tuple[Array, Array]]]:
        return [(chords.crosses, self.row_within(chords, radii)), *super().gradient_rows(chords, radii)[1:]]


@breaks("Table 3, row 2", on=RATIO_GRADIENTS)
class only_lambda_v_is_looked_at(Original):
    """Table 3: the row for a ball around the start is used whenever lambda_v lies on the segment."""

    def gradient_rows(self, chords: Chords, radii: Array) -> Sequence[tuple[Array, tuple[Array, Array]]]:
        v_inside = (chords.lambda_v >= 0) & (chords.lambda_v <= 1)
        rows = super().gradient_rows(chords, radii)
        return [rows[0], (chords.crosses & v_inside, rows[1][1]), rows[2]]


@breaks("Table 3, row 3", on=RATIO_GRADIENTS)
class within_half(Original):
    """Table 3, row 3: 2 in place of 4."""

    def row_within(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        return self.slope_of_half(chords, radii)


@breaks("Table 3, row 3", on=RATIO_GRADIENTS)
class within_center_sign(Original):
    """Table 3, row 3: o minus the foot point instead of the foot point minus o."""

    def row_within(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        by_center, by_radius = super().row_within(chords, radii)
        return -by_center, by_radius


@breaks("Table 3, row 3", on=RATIO_GRADIENTS)
class within_radius_forgets_r(Original):
    """Table 3, row 3: d gamma / d r lacks the factor r."""

    def row_within(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        return super().row_within(chords, radii)[0], 4 * self.inverse_root(chords)


@breaks("Table 3, row 3", on=RATIO_GRADIENTS)
class within_from_x_i(Original):
    """Table 3, row 3: x_i - o in place of the foot point minus o."""

    def row_within(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        by_center, by_radius = super().row_within(chords, radii)
        middle = (chords.lambda_u + chords.lambda_v)[..., None] / 2
        return by_center - 4 * self.inverse_root(chords)[..., None] * middle * chords.d[:, None, :], by_radius


@breaks("Table 3, row 3", on=RATIO_GRADIENTS)
class within_over_delta(Original):
    """Table 3, row 3: Delta ** -1 in place of Delta ** (-1/2)."""

    def row_within(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        by_center, by_radius = super().row_within(chords, radii)
        return by_center * self.inverse_root(chords)[..., None], by_radius * self.inverse_root(chords)


@breaks("Table 3, row 4", on=RATIO_GRADIENTS)
class around_start_sign(Original):
    """Table 3, row 4: minus 2 (x_j - x_i), which belongs to row 5."""

    def row_around_start(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        return super().row_around_end(chords, radii)


@breaks("Table 3, row 4", on=RATIO_GRADIENTS)
class around_start_radius_doubled(Original):
    """Table 3, row 4: d gamma / d r has the 4 of row 3."""

    def row_around_start(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        by_center, by_radius = super().row_around_start(chords, radii)
        return by_center, 2 * by_radius


@breaks("Table 3, row 4", on=RATIO_GRADIENTS)
class around_start_middle_forgotten(Original):
    """Table 3, row 4: the term 2 (x_j - x_i) is missing."""

    def row_around_start(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        return self.slope_of_half(chords, radii)


@breaks("Table 3, row 4", on=RATIO_GRADIENTS)
class around_start_without_two_a(Original):
    """Table 3, row 4: the term 2 (x_j - x_i) is not divided by 2a."""

    def row_around_start(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        by_center, by_radius = self.slope_of_half(chords, radii)
        return by_center + 2 * chords.d[:, None, :], by_radius


@breaks("Table 3, row 5", on=RATIO_GRADIENTS)
class around_end_sign(Original):
    """Table 3, row 5: plus 2 (x_j - x_i), which belongs to row 4."""

    def row_around_end(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        return super().row_around_start(chords, radii)


@breaks("Table 3, row 5", on=RATIO_GRADIENTS)
class around_end_is_slope_of_lambda_u(Original):
    """Table 3, row 5: the derivatives of lambda_u instead of 1 - lambda_u."""

    def row_around_end(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        by_center, by_radius = super().row_around_end(chords, radii)
        return -by_center, -by_radius


@breaks("Table 3, row 5", on=RATIO_GRADIENTS)
class around_end_has_no_gradient(Original):
    """Table 3, row 5 is left out."""

    def gradient_rows(self, chords: Chords, radii: Array) -> Sequence[tuple[Array, tuple[Array, Array]]]:
        return super().gradient_rows(chords, radii)[:2]


@breaks("Table 3", on=RATIO_GRADIENTS, example=examples.NEAR_TANGENT)
class ratio_gradient_clipped(Original):
    """Derivatives of gamma beyond 100 are cut to 100."""

    def ratio_gradients(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> tuple[Array, Array]:
        by_center, by_radius = super().ratio_gradients(X_i, X_j, centers, radii)
        return np.clip(by_center, -100, 100), np.clip(by_radius, -100, 100)


@breaks("Table 3", on=RATIO_GRADIENTS, example=examples.NEAR_TANGENT)
class epsilon_in_the_inverse_root(Original):
    """(Delta + 1e-8) ** (-1/2), against division by zero near a tangency."""

    def inverse_root(self, chords: Chords) -> Array:
        return np.where(chords.crosses, 1 / np.sqrt(chords.root**2 + 1e-8), 0)


@breaks("Table 3", on=RATIO_GRADIENTS)
class ratio_gradient_by_differences(Original):
    """Table 3 is replaced by central differences of gamma with step 1e-6."""

    def ratio_gradients(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> tuple[Array, Array]:
        centers, radii, step = np.asarray(centers), np.asarray(radii), 1e-6

        def slope(shift: Array, radius_shift: float) -> Array:
            forward = self.intersection_ratios(X_i, X_j, centers + shift, radii + radius_shift)
            backward = self.intersection_ratios(X_i, X_j, centers - shift, radii - radius_shift)
            return (forward - backward) / (2 * step)

        features = range(centers.shape[1])
        by_center = np.stack([slope(step * np.eye(centers.shape[1])[f], 0) for f in features], axis=2)
        return by_center, slope(np.zeros(centers.shape[1]), step)


@breaks("Table 3", on=RATIO_GRADIENTS)
class ratio_gradient_off_by_1e_9(Original):
    """The gradients of gamma are wrong by a factor 1 + 1e-9."""

    def inverse_root(self, chords: Chords) -> Array:
        return super().inverse_root(chords) * (1 + 1e-9)


# ---- the gradient of the objective ----


@breaks("Section 5.2, gradient of g", on=GRADIENT)
class printed_sign_of_dissimilar_term(Original):
    """E2 as printed: the dissimilar pairs enter the gradient with a plus."""

    def dissimilar_weights(self, D: Array, C: float) -> Array:
        return -super().dissimilar_weights(D, C)


@breaks("Section 5.2, dD/do_s", "Section 5.2, dD/dr_s", on=GRADIENT)
class printed_sign_of_background_term(Original):
    """E3 as printed: the background length is added to the local one."""

    def gain(self, terms: Terms) -> Array:
        return terms.lengths + np.where(terms.gamma_b > 0, terms.background_length, 0)[:, None]


@breaks("Section 5.2, shrinkage", on=GRADIENT)
class printed_shrinkage(Original):
    """E4 as printed: the shrinkage term is alpha M / (2 norm(M))."""

    def shrinkage(self, metrics: Array, alpha: float) -> Array:
        return super().shrinkage(metrics, alpha) / 2


@breaks("Section 5.2, shrinkage", on=GRADIENT)
class shrinkage_forgotten(Original):
    """The penalty has no gradient."""

    def shrinkage(self, metrics: Array, alpha: float) -> Array:
        return np.zeros_like(metrics)


@breaks("Section 5.2, shrinkage", on=GRADIENT)
class shrinkage_of_squared_norm(Original):
    """The shrinkage term is that of alpha norm(M)^2 / 2: alpha M."""

    def shrinkage(self, metrics: Array, alpha: float) -> Array:
        return alpha * metrics


@breaks("Section 5.2, shrinkage", on=GRADIENT)
class shrinkage_by_common_norm(Original):
    """All local metrics are divided by one common norm, that of the stack."""

    def shrinkage(self, metrics: Array, alpha: float) -> Array:
        norm = self.norm(metrics)
        return alpha * metrics / norm if norm > 0 else np.zeros_like(metrics)


@breaks("Section 5.2, shrinkage", on=GRADIENT, example=examples.ZERO_METRIC)
class shrinkage_of_zero_is_nan(Original):
    """A metric that has shrunk to zero gives 0/0."""

    def shrinkage(self, metrics: Array, alpha: float) -> Array:
        with np.errstate(invalid="ignore"):
            return alpha * metrics / np.sqrt(np.sum(metrics * metrics, axis=(-2, -1), keepdims=True))


@breaks("Section 5.2, dD/dM(B)", "Section 5.2, dD/dM(A_s)", on=GRADIENT)
class metric_gradient_without_half(Original):
    """The derivative of a length by its metric lacks the factor 1/2."""

    def metric_gradient(self, weights: Array, d: Array, lengths: Array) -> Array:
        return 2 * super().metric_gradient(weights, d, lengths)


@breaks("Section 5.2, dD/dM(B)", "Section 5.2, dD/dM(A_s)", on=GRADIENT)
class metric_gradient_upper_triangle(Original):
    """Only the upper triangle of the derivative by a metric is filled."""

    def metric_gradient(self, weights: Array, d: Array, lengths: Array) -> Array:
        return np.triu(super().metric_gradient(weights, d, lengths))


@breaks("Section 5.2, dD/dM(B)", "Section 5.2, dD/dM(A_s)", on=GRADIENT)
class metric_gradient_off_diagonal_doubled(Original):
    """The entries off the diagonal count twice, as if a symmetric matrix had one free entry there."""

    def metric_gradient(self, weights: Array, d: Array, lengths: Array) -> Array:
        full = super().metric_gradient(weights, d, lengths)
        return 2 * full - np.diag(np.diag(full))


@breaks("Section 5.2, dD/dM(B)", "Section 5.2, dD/dM(A_s)", on=GRADIENT)
class metric_gradient_over_squared_length(Original):
    """The derivative of a length by its metric is divided by the squared length."""

    def metric_gradient(self, weights: Array, d: Array, lengths: Array) -> Array:
        return super().metric_gradient(weights, d, lengths**2)


@breaks("Section 5.2, dD/dM(B)", on=GRADIENT, example=examples.FLAT_METRIC)
class zero_length_is_nan(Original):
    """Two points at Mahalanobis length 0 give 0/0 in the derivative by the metric."""

    def metric_gradient(self, weights: Array, d: Array, lengths: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.einsum("p,pf,pg->fg", weights / (2 * lengths), d, d)


@breaks("Section 5.2, dD/dM(B)", on=GRADIENT)
class background_gradient_without_ratio(Original):
    """dD/dM(B) lacks the factor gamma_b."""

    def weighted_distance_gradients(self, weights: Array, *pairs_and_parameters: Any) -> Any:
        parts = super().weighted_distance_gradients(weights, *pairs_and_parameters)
        terms = self.terms(*pairs_and_parameters)
        whole = self.metric_gradient(weights * (terms.gamma_b > 0), terms.d, terms.background_length)
        return *parts[:3], whole


@breaks("Section 5.2, dD/dM(B)", on=GRADIENT, example=examples.ALL_COVERED)
class background_gradient_when_covered(Original):
    """dD/dM(B) uses 1 - sum gamma also where that is negative."""

    def weighted_distance_gradients(self, weights: Array, *pairs_and_parameters: Any) -> Any:
        parts = super().weighted_distance_gradients(weights, *pairs_and_parameters)
        terms = self.terms(*pairs_and_parameters)
        gamma_b = 1 - np.sum(terms.gammas, axis=1)
        return *parts[:3], self.metric_gradient(weights * gamma_b, terms.d, terms.background_length)


@breaks("Section 5.2, dD/do_s", "Section 5.2, dD/dr_s", on=GRADIENT, example=examples.ALL_COVERED)
class background_indicator_forgotten(Original):
    """dD/do_s and dD/dr_s take off the background length also where no background is left."""

    def gain(self, terms: Terms) -> Array:
        return terms.lengths - terms.background_length[:, None]


@breaks("Section 5.2, dD/do_s", "Section 5.2, dD/dr_s", on=GRADIENT)
class background_term_forgotten(Original):
    """dD/do_s and dD/dr_s forget that gamma_b depends on gamma_s."""

    def gain(self, terms: Terms) -> Array:
        return terms.lengths


@breaks("Section 5.2, dD/do_s", "Section 5.2, dD/dr_s", on=GRADIENT)
class background_left_by_this_region_alone(Original):
    """The indicator asks for gamma_s < 1 instead of sum gamma < 1."""

    def gain(self, terms: Terms) -> Array:
        return terms.lengths - np.where(terms.gammas < 1, terms.background_length[:, None], 0)


@breaks("Section 5.2, dD/do_s", on=GRADIENT)
class center_gradient_sign(Original):
    """The derivative by the centers has the wrong sign; Table 3 itself is right."""

    def objective_gradient(self, *arguments: Any) -> Any:
        by_center, *others = super().objective_gradient(*arguments)
        return -by_center, *others


@breaks("Section 5.2, dD/dr_s", on=GRADIENT)
class radius_gradient_forgotten(Original):
    """The radii get no gradient."""

    def objective_gradient(self, *arguments: Any) -> Any:
        by_center, by_radius, *others = super().objective_gradient(*arguments)
        return by_center, 0 * by_radius, *others


@breaks("Section 5.2, gradient of g", on=GRADIENT)
class first_region_alone_has_a_gradient(Original):
    """Only the first region's center gets a gradient."""

    def objective_gradient(self, *arguments: Any) -> Any:
        by_center, *others = super().objective_gradient(*arguments)
        by_center[1:] = 0
        return by_center, *others


@breaks("Section 5.2, gradient of g", on=GRADIENT, example=examples.SATISFIED)
class similar_indicator_forgotten(Original):
    """Similar pairs that are near enough still pull."""

    def similar_weights(self, D: Array, C: float) -> Array:
        return np.ones(len(D)) / max(len(D), 1)


@breaks("Section 5.2, gradient of g", on=GRADIENT, example=examples.SATISFIED)
class dissimilar_indicator_forgotten(Original):
    """Dissimilar pairs that are far enough still push."""

    def dissimilar_weights(self, D: Array, C: float) -> Array:
        return -np.ones(len(D)) / max(len(D), 1)


@breaks("Section 5.2, gradient of g", on=GRADIENT, example=examples.SATISFIED)
class gradient_averages_active_pairs(Original):
    """The gradient is averaged over the active pairs instead of all."""

    def similar_weights(self, D: Array, C: float) -> Array:
        active = self.similar_slack(D, C) > 0
        return active / max(int(np.sum(active)), 1)


@breaks("Section 5.2, gradient of g", on=GRADIENT)
class gradient_not_averaged(Original):
    """The gradient is a sum over the pairs; the objective is right."""

    def similar_weights(self, D: Array, C: float) -> Array:
        return super().similar_weights(D, C) * len(D)

    def dissimilar_weights(self, D: Array, C: float) -> Array:
        return super().dissimilar_weights(D, C) * len(D)


@breaks("Section 5.2, gradient of g", on=GRADIENT)
class similar_margin_in_the_wrong_place(Original):
    """The indicator of a similar pair compares with 1 + C; the objective is right."""

    def similar_weights(self, D: Array, C: float) -> Array:
        return super().similar_weights(D, -C)


@breaks("Section 5.2, gradient of g", on=GRADIENT)
class descent_direction_for_gradient(Original):
    """The gradient comes with a minus, as the direction of descent; the step is right."""

    def objective_gradient(self, *arguments: Any) -> Any:
        return tuple(-part for part in super().objective_gradient(*arguments))

    def moved(self, part: Array, slope: Array, beta: float) -> Array:
        return part + beta * slope


@breaks("Section 5.2, gradient of g", on=GRADIENT, example=examples.NEAR_TANGENT)
class gradient_clipped(Original):
    """Entries of the gradient beyond 10 are cut to 10."""

    def objective_gradient(self, *arguments: Any) -> Any:
        return tuple(np.clip(part, -10, 10) for part in super().objective_gradient(*arguments))


@breaks("Section 5.2, gradient of g", on=GRADIENT)
class gradient_of_exact_distance(Original):
    """The gradient of a distance with the exact gamma_b in its value, as if the two background ratios were one."""

    def weighted_distance_gradients(self, weights: Array, *pairs_and_parameters: Any) -> Any:
        parts = super().weighted_distance_gradients(weights, *pairs_and_parameters)
        terms = self.terms(*pairs_and_parameters)
        exact = self.exact_background_ratios(*pairs_and_parameters[:4])
        return *parts[:3], self.metric_gradient(weights * exact, terms.d, terms.background_length)
