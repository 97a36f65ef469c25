"""Mutants of the intersection ratio: Tables 1 and 2, Definition 8."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np

from lmlir.oracle.mutants import examples
from lmlir.oracle.mutants.original import Array, Chords, Original
from lmlir.oracle.mutants.registry import breaks

RATIOS = "intersection_ratios"


@breaks("Definition 8", "Table 2", on=RATIOS)
class clip_without_upper_end(Original):
    """lambda is clipped at 0 but not at 1."""

    def clip(self, lambda_: Array) -> Array:
        return np.maximum(lambda_, 0)


@breaks("Definition 8", "Table 2", on=RATIOS)
class clip_without_lower_end(Original):
    """lambda is clipped at 1 but not at 0."""

    def clip(self, lambda_: Array) -> Array:
        return np.minimum(lambda_, 1)


@breaks("Definition 8", "Table 2", on=RATIOS)
class whole_chord(Original):
    """gamma is the whole chord, lambda_v - lambda_u, never clipped."""

    def clip(self, lambda_: Array) -> Array:
        return lambda_


@breaks("Definition 8", on=RATIOS)
class clip_of_the_difference(Original):
    """lambda_v - lambda_u is clipped instead of lambda_u and lambda_v."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        return np.where(chords.crosses, np.clip(chords.lambda_v - chords.lambda_u, 0, 1), 0)


@breaks("Definition 8", on=RATIOS)
class clip_swapped(Original):
    """min and max change places: max(min(lambda, 0), 1) is always 1."""

    def clip(self, lambda_: Array) -> Array:
        return np.maximum(np.minimum(lambda_, 0), 1)


@breaks("Definition 8", on=RATIOS)
class ratio_negative(Original):
    """gamma is lambda_p - lambda_q."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        return lambda_p - lambda_q


@breaks("Definition 8", on=RATIOS)
class ratio_is_a_length(Original):
    """gamma is the Euclidean length of the part inside, not its share of the segment."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        return (lambda_q - lambda_p) * np.sqrt(np.sum(chords.d**2, axis=1))[:, None]


@breaks("Table 1", "Equation (7)", on=RATIOS)
class discriminant_with_plus(Original):
    """Delta is b^2 + 4ac."""

    def discriminant(self, a: Array, b: Array, from_center: Array, offset: Array, radii: Array) -> Array:
        return b * b + 4 * a * (self.square(from_center) - radii**2)


@breaks("Table 1", "Equation (7)", on=RATIOS)
class discriminant_without_four(Original):
    """Delta is b^2 - ac."""

    def discriminant(self, a: Array, b: Array, from_center: Array, offset: Array, radii: Array) -> Array:
        return b * b - a * (self.square(from_center) - radii**2)


@breaks("Table 1", "Equation (7)", on=RATIOS)
class radius_not_squared(Original):
    """c subtracts r instead of r^2."""

    def discriminant(self, a: Array, b: Array, from_center: Array, offset: Array, radii: Array) -> Array:
        return 4 * a * (radii - self.square(offset))


@breaks("Table 1", on=RATIOS)
class b_without_two(Original):
    """b lacks its factor 2."""

    def quadratic_b(self, d: Array, from_center: Array) -> Array:
        return super().quadratic_b(d, from_center) / 2


@breaks("Table 1", on=RATIOS)
class b_with_wrong_sign(Original):
    """b is taken with o - x_i instead of x_i - o."""

    def roots(self, a: Array, b: Array, root: Array) -> tuple[Array, Array]:
        return (b - root) / (2 * a), (b + root) / (2 * a)


@breaks("Table 1", on=RATIOS)
class roots_over_a(Original):
    """The roots are divided by a instead of 2a."""

    def roots(self, a: Array, b: Array, root: Array) -> tuple[Array, Array]:
        return (-b - root) / a, (-b + root) / a


@breaks("Table 1", on=RATIOS)
class roots_without_square_root(Original):
    """The roots use Delta instead of its square root."""

    def roots(self, a: Array, b: Array, root: Array) -> tuple[Array, Array]:
        return (-b - root**2) / (2 * a), (-b + root**2) / (2 * a)


@breaks("Definition 1", on=RATIOS)
class diameter_for_radius(Original):
    """The ball has diameter r."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        return super().chords(X_i, X_j, centers, np.asarray(radii) / 2)


@breaks("Definition 1", on=RATIOS, example=examples.POINT_BALL)
class zero_radius_means_one(Original):
    """A radius of 0 counts as not given, and becomes 1."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        return super().chords(X_i, X_j, centers, np.where(np.asarray(radii) == 0, 1, radii))


@breaks("Definition 1", on=RATIOS)
class first_center_for_all(Original):
    """Every region sits at the first center."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        return super().chords(X_i, X_j, np.broadcast_to(np.asarray(centers)[:1], np.shape(centers)), radii)


@breaks("Definition 1", on=RATIOS)
class first_radius_for_all(Original):
    """Every region has the first radius."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        return super().chords(X_i, X_j, centers, np.broadcast_to(np.asarray(radii)[:1], np.shape(radii)))


@breaks("Table 2, row 1", on=RATIOS)
class missed_ball_counts(Original):
    """The square root of the absolute value of Delta: a ball that the line misses counts."""

    def discriminant(self, a: Array, b: Array, from_center: Array, offset: Array, radii: Array) -> Array:
        return np.abs(super().discriminant(a, b, from_center, offset, radii))


@breaks("Table 2, row 2", on=RATIOS, example=examples.TANGENT)
class tangent_is_whole(Original):
    """A line that touches the ball counts as lying in it."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        touches = (self.discriminant_again(chords) == 0) & np.any(chords.d != 0, axis=1)[:, None]
        return np.where(touches, 1, lambda_q - lambda_p)

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        self.radii = np.asarray(radii)
        return super().chords(X_i, X_j, centers, radii)

    def discriminant_again(self, chords: Chords) -> Array:
        """r^2 - h^2, 0 at a tangency."""
        return self.radii**2 - self.square(chords.offset)


@breaks("Table 2, row 3", on=RATIOS)
class ball_behind_start_is_negative(Original):
    """Row 3: lambda_q is not clipped when the ball lies behind x_i."""

    def segment_coefficients(self, chords: Chords) -> tuple[Array, Array]:
        lambda_p, lambda_q = super().segment_coefficients(chords)
        return lambda_p, np.where(chords.crosses & (chords.lambda_v < 0), chords.lambda_v, lambda_q)


@breaks("Table 2, row 4", on=RATIOS)
class ball_around_start_is_rest(Original):
    """Row 4: when the ball holds x_i the ratio is 1 - lambda_v."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        here = chords.crosses & (chords.lambda_u < 0) & (chords.lambda_v > 0) & (chords.lambda_v < 1)
        return np.where(here, 1 - lambda_q, lambda_q - lambda_p)


@breaks("Table 2, row 5", on=RATIOS)
class ball_around_segment_is_zero(Original):
    """Row 5: no root lies on the segment, so the ball is taken as missed."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        return np.where((chords.lambda_u < 0) & (chords.lambda_v > 1), 0, lambda_q - lambda_p)


@breaks("Table 2, row 6", on=RATIOS)
class both_ends_outside_is_zero(Original):
    """Row 6: when both end points lie outside, the ball is taken as missed."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        return np.where((chords.lambda_u > 0) & (chords.lambda_v < 1), 0, lambda_q - lambda_p)


@breaks("Table 2, row 7", on=RATIOS)
class ball_around_end_is_rest(Original):
    """Row 7: when the ball holds x_j the ratio is lambda_u."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        here = chords.crosses & (chords.lambda_u > 0) & (chords.lambda_u < 1) & (chords.lambda_v > 1)
        return np.where(here, lambda_p, lambda_q - lambda_p)


@breaks("Table 2, row 8", on=RATIOS)
class ball_beyond_end_is_negative(Original):
    """Row 8: lambda_p is not clipped when the ball lies beyond x_j."""

    def segment_coefficients(self, chords: Chords) -> tuple[Array, Array]:
        lambda_p, lambda_q = super().segment_coefficients(chords)
        return np.where(chords.crosses & (chords.lambda_u > 1), chords.lambda_u, lambda_p), lambda_q


@breaks("Table 2, row 8", on=RATIOS)
class ball_beyond_end_is_whole(Original):
    """Row 8: the start is clipped at 0 only from below and the end at 1 only from above, and p is set to 0 beyond x_j."""

    def segment_coefficients(self, chords: Chords) -> tuple[Array, Array]:
        lambda_p, lambda_q = super().segment_coefficients(chords)
        return np.where(chords.crosses & (chords.lambda_u > 1), 0, lambda_p), lambda_q


@breaks("Definition 8", on=RATIOS, example=examples.COINCIDENT)
class coincident_points_are_nan(Original):
    """x_i = x_j divides 0 by 0."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        same = np.all(chords.d == 0, axis=1)[:, None]
        return np.where(same, np.nan, lambda_q - lambda_p)


@breaks("Definition 8", "Table 2, row 2", on=RATIOS, example=examples.COINCIDENT)
class coincident_points_inside_are_whole(Original):
    """x_i = x_j inside the ball gives gamma = 1 instead of 0."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        same = np.all(np.asarray(X_i) == np.asarray(X_j), axis=1)[:, None]
        inside = np.sum((np.asarray(X_i)[:, None] - centers) ** 2, axis=2) <= np.asarray(radii) ** 2
        return np.where(same & inside, 1, gammas)


@breaks("Table 2", on=RATIOS, example=examples.SMALL)
class tangent_within_tolerance(Original):
    """Delta below 1e-12 is taken as tangent, however small the scene."""

    def crosses(self, Delta: Array) -> Array:
        return Delta > 1e-12


@breaks("Definition 8", on=RATIOS, example=examples.SMALL)
class short_segments_are_points(Original):
    """Segments shorter than 1e-6 are taken as points."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        return np.where(chords.a < 1e-12, 0, lambda_q - lambda_p)


@breaks("Table 1", on=RATIOS, example=examples.SMALL)
class epsilon_in_the_denominator(Original):
    """2a + 1e-12 instead of 2a, against division by zero."""

    def roots(self, a: Array, b: Array, root: Array) -> tuple[Array, Array]:
        return (-b - root) / (2 * a + 1e-12), (-b + root) / (2 * a + 1e-12)


@breaks("Table 1", on=RATIOS, example=examples.SMALL)
class epsilon_in_the_root(Original):
    """sqrt(Delta + 1e-12) instead of sqrt(Delta)."""

    def roots(self, a: Array, b: Array, root: Array) -> tuple[Array, Array]:
        root = np.where(root > 0, np.sqrt(root**2 + 1e-12), 0)
        return super().roots(a, b, root)


@breaks("Definition 8", on=RATIOS)
class ratio_off_by_1e_9(Original):
    """gamma is wrong by a factor 1 + 1e-9 unless it is 0 or 1."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        gammas = lambda_q - lambda_p
        return np.minimum(gammas * (1 + 1e-9), 1)


@breaks("Definition 8", on=RATIOS)
class ratio_off_by_1e_12(Original):
    """gamma is wrong by a factor 1 - 1e-12."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        return (lambda_q - lambda_p) * (1 - 1e-12)


@breaks("Definition 8", on=RATIOS)
class ratio_rounded(Original):
    """gamma is rounded to ten decimals."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        return np.round(lambda_q - lambda_p, 10)


@breaks("Definition 8", on=RATIOS)
class roots_in_single_precision(Original):
    """The roots are kept in float32."""

    def roots(self, a: Array, b: Array, root: Array) -> tuple[Array, Array]:
        lambda_u, lambda_v = super().roots(a, b, root)
        return lambda_u.astype(np.float32).astype(float), lambda_v.astype(np.float32).astype(float)


@breaks("Definition 8", on=RATIOS)
class sampled_segment(Original):
    """gamma is the share of 1001 points of the segment that lie in the ball."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        t = np.linspace(0, 1, 1001)[:, None, None]
        points = np.asarray(X_i) + t * (np.asarray(X_j) - np.asarray(X_i))
        squares = np.sum((points[:, :, None] - np.asarray(centers)) ** 2, axis=3)
        return np.mean(squares < np.asarray(radii) ** 2, axis=0)


@breaks("Table 1", on=RATIOS, example=examples.FAR_FROM_ORIGIN)
class a_by_gram_matrix(Original):
    """a is |x_i|^2 + |x_j|^2 - 2 x_i x_j, which loses its digits far from the origin."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        X_i, X_j = np.asarray(X_i), np.asarray(X_j)
        self.gram = np.sum(X_i**2, axis=1) + np.sum(X_j**2, axis=1) - 2 * np.sum(X_i * X_j, axis=1)
        return super().chords(X_i, X_j, centers, radii)

    def roots(self, a: Array, b: Array, root: Array) -> tuple[Array, Array]:
        gram = np.where(self.gram > 0, self.gram, 1)[:, None]
        return super().roots(gram, b, root)


@breaks("Definition 8", on=RATIOS)
class last_region_forgotten(Original):
    """The loop over the regions stops one too early."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas: Any = super().intersection_ratios(X_i, X_j, centers, radii)
        gammas[:, -1:] = 0
        return gammas


@breaks("Definition 8", on=RATIOS)
class only_first_region(Original):
    """Only the first region is looked at."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        gammas[:, 1:] = 0
        return gammas


@breaks("Definition 5", on=RATIOS)
class overlap_shared_out(Original):
    """When the ratios of a pair add up to more than 1 they are divided by their sum."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        return gammas / np.maximum(np.sum(gammas, axis=1, keepdims=True), 1)
