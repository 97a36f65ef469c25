"""Mutants of one function alone, where others look right: the slip is in that function's own copy of a formula."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np

from lmlir.oracle.mutants import examples
from lmlir.oracle.mutants.original import Array, Chords, Original, Pieces, Terms
from lmlir.oracle.mutants.registry import breaks

RATIOS, RATIO_GRADIENTS, EXACT = "intersection_ratios", "ratio_gradients", "exact_background_ratios"
DISTANCES, DECISION = "distances", "decision_values"


@breaks("Definition 8", on=RATIOS, example=examples.INSIDE, alone=True)
class ratio_above_one(Original):
    """A segment inside the ball gets a ratio a hair above 1."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        gammas = lambda_q - lambda_p
        return np.where(gammas == 1, 1 + 64 * np.finfo(float).eps, gammas)


@breaks("Definition 8", "Table 2, row 5", on=RATIOS, example=examples.HUGE_BALL, alone=True)
class huge_balls_do_not_count(Original):
    """A ball more than ten times as large as the segment is taken for the whole space, and left out."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        length = np.sqrt(self.square(self.difference(X_i, X_j)))[:, None]
        return np.where(np.asarray(radii) > 10 * length, 0, gammas)


@breaks("Definition 5", on=EXACT, example=examples.FAR_FROM_ORIGIN, alone=True)
class union_of_points_in_single_precision(Original):
    """The exact background ratio stores points and centers in float32 before it looks at them."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        X_i, X_j, centers = (np.float32(each).astype(float) for each in (X_i, X_j, centers))
        return super().chords(X_i, X_j, centers, radii)


@breaks("Definition 5", on=EXACT, alone=True)
class union_skips_balls_beside_the_box(Original):
    """Balls whose center lies outside the box around the segment are left out of the union."""

    def segment_coefficients(self, chords: Chords) -> tuple[Array, Array]:
        lambda_p, lambda_q = super().segment_coefficients(chords)
        return lambda_p, np.where(self.in_box, lambda_q, lambda_p)

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        low, high = np.minimum(X_i, X_j)[:, None], np.maximum(X_i, X_j)[:, None]
        self.in_box = np.all((low <= centers) & (centers <= high), axis=2)
        return super().chords(X_i, X_j, centers, radii)


@breaks("Table 3", on=RATIO_GRADIENTS, example=examples.SMALL, alone=True)
class short_segments_have_no_ratio_gradient(Original):
    """Table 3 returns 0 for segments shorter than 1e-6."""

    def gradient_rows(self, chords: Chords, radii: Array) -> Any:
        long_enough = chords.a >= 1e-12
        return [(here & long_enough, row) for here, row in super().gradient_rows(chords, radii)]


@breaks("Subject interface", on=EXACT, alone=True)
class union_remembered_by_radii(Original):
    """Exact background ratios are remembered by the radii and the number of pairs, the points are not looked at."""

    def __init__(self) -> None:
        self.memory: dict[Any, Array] = {}

    def exact_background_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        key = len(X_i), tuple(np.asarray(radii).tolist()), np.shape(centers)
        return self.memory.setdefault(key, super().exact_background_ratios(X_i, X_j, centers, radii)).copy()


@breaks("Definition 6", on=DISTANCES, alone=True)
class ball_around_both_ends_is_background(Original):
    """When a ball holds the whole segment, the distance is measured with the background metric alone."""

    def combined(self, terms: Terms) -> Array:
        whole = np.any(terms.gammas == 1, axis=1)
        return np.where(whole, terms.background_length, super().combined(terms))


@breaks("Definition 4", on=DISTANCES, example=examples.ZERO_BACKGROUND, alone=True)
class zero_background_metric_means_euclid(Original):
    """A background metric of zero counts as not given, and becomes the identity."""

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        metric = Theta[3] if np.any(Theta[3]) else np.eye(len(Theta[3]))
        return super().distances(X_i, X_j, *Theta[:3], metric)


@breaks("Equation (9)", on=DISTANCES, example=examples.NEAR_TANGENT, alone=True)
class short_chords_do_not_count(Original):
    """Parts shorter than a twentieth of the segment are left to the background."""

    def terms(self, X_i: Array, X_j: Array, *Theta: Array) -> Terms:
        terms = super().terms(X_i, X_j, *Theta)
        gammas = np.where(terms.gammas < 0.05, 0, terms.gammas)
        return terms._replace(gammas=gammas, gamma_b=self.background_ratio(gammas))


@breaks("Equation (10)", on=DECISION, alone=True)
class positive_class_in_single_precision(Original):
    """The distances to the positive class are kept in float32."""

    def decision(self, to_minus: Array, to_plus: Array) -> Array:
        return to_minus - to_plus.astype(np.float32).astype(float)


@breaks("Definition 5", on=EXACT, example=examples.SMALL_GAP, alone=True)
class small_gaps_are_closed(Original):
    """Intervals less than a millionth of the segment apart are merged."""

    def union(self, pieces: Pieces) -> float:
        covered, reached = 0.0, 0.0
        for start, end in sorted(piece for piece in pieces if piece[1] > piece[0]):
            start = reached if start - reached < 1e-6 else start
            covered += max(end - max(start, reached), 0)
            reached = max(reached, end)
        return covered


@breaks("Section 5.2, dD/do_s", "Section 5.2, dD/dr_s", on="objective_gradient", example=examples.SLIVER)
class sliver_of_background_ignored(Original):
    """The indicator asks for gamma_b > 0.001 instead of gamma_b > 0."""

    def gain(self, terms: Terms) -> Array:
        return terms.lengths - np.where(terms.gamma_b > 1e-3, terms.background_length, 0)[:, None]


@breaks("Section 5.2, gradient descent", on="descent_step", example=examples.STEEP_METRIC)
class small_eigenvalues_dropped(Original):
    """Eigenvalues below 1e-8 of the largest count as rounding and become 0."""

    def eigenvalues_kept(self, values: Array) -> Array:
        return np.where(values < 1e-8 * np.max(values, axis=-1, keepdims=True, initial=0), 0, values)


@breaks("Definition 8", on=RATIOS, example=examples.TWELVE_REGIONS, alone=True)
class room_for_ten_regions(Original):
    """Ratios go into a table with room for ten regions; those beyond stay 0."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        gammas[:, 10:] = 0
        return gammas


@breaks("Table 3", on=RATIO_GRADIENTS, example=examples.ALONG_AN_AXIS, alone=True)
class flat_features_have_no_ratio_gradient(Original):
    """Features in which both points are equal are skipped: the gradient by the center is 0 there."""

    def ratio_gradients(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> tuple[Array, Array]:
        by_center, by_radius = super().ratio_gradients(X_i, X_j, centers, radii)
        return np.where((self.difference(X_i, X_j) != 0)[:, None, :], by_center, 0), by_radius


@breaks("Table 3, row 3", on=RATIO_GRADIENTS, alone=True)
class ratio_gradient_of_half_a_chord(Original):
    """Row 3 of Table 3, for a chord within the segment, counts one end of the two; only in the ratio gradients."""

    def row_within(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        return self.slope_of_half(chords, radii)


@breaks("Definition 5", on=EXACT, example=examples.BEYOND_INTEGERS, alone=True)
class union_of_points_beyond_four_bytes(Original):
    """The exact background ratio cuts coordinates to what a four-byte integer can hold."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        X_i, X_j, centers = (np.clip(each, -(2.0**31), 2.0**31) for each in (X_i, X_j, centers))
        return super().chords(X_i, X_j, centers, radii)


@breaks("Equation (9)", on=DISTANCES, example=examples.EQUAL_METRICS, alone=True)
class equal_metrics_need_no_regions(Original):
    """When all metrics are equal the regions are passed over, and shared parts are counted once."""

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        *_, local_metrics, background_metric = Theta
        if all(np.array_equal(M, background_metric) for M in np.asarray(local_metrics)):
            return self.length(self.difference(X_i, X_j), np.asarray(background_metric))
        return super().distances(X_i, X_j, *Theta)


@breaks("Equation (6)", "Equation (9)", on=DISTANCES, example=examples.STACKED_ON_NOTHING, alone=True)
class shared_parts_divided_without_background(Original):
    """When the background metric is zero, ratios that sum to more than 1 are divided by their sum."""

    def combined(self, terms: Terms) -> Array:
        shared = np.maximum(np.sum(terms.gammas, axis=1), 1)
        without = np.where(np.any(terms.background_length), 1, shared)
        return super().combined(terms) / without


@breaks("Definition 3", on=DISTANCES, example=examples.INSIDE, alone=True)
class length_inside_the_only_ball_in_single_precision(Original):
    """A segment inside the only ball takes a short cut, which measures it in float32."""

    def combined(self, terms: Terms) -> Array:
        D = super().combined(terms)
        if terms.gammas.shape[1] != 1:
            return D
        return np.where(terms.gammas[:, 0] == 1, terms.lengths[:, 0].astype(np.float32), D)


@breaks("Equation (9)", on=DISTANCES, example=examples.TOUCHING, alone=True)
class a_touch_counts_as_the_diameter(Original):
    """A line that comes within a billionth of a radius of touching the ball counts as crossing it along a diameter."""

    def terms(self, X_i: Array, X_j: Array, *Theta: Array) -> Terms:
        terms = super().terms(X_i, X_j, *Theta)
        chords, radii = self.chords(X_i, X_j, *Theta[:2]), np.asarray(Theta[1])
        touches = np.abs(np.sqrt(self.square(chords.offset)) - radii) < 1e-9 * radii
        diameter = np.minimum(2 * radii / np.sqrt(chords.a), 1)
        gammas = np.where(touches & (terms.gammas > 0), diameter, terms.gammas)
        return terms._replace(gammas=gammas, gamma_b=self.background_ratio(gammas))
