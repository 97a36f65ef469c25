"""Mutants of the intersection ratio, its gradient and the exact background ratio: Definitions 5 and
8, Tables 1 to 3.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.mutants.original import Array, Chords, Original, Pieces
from tests.oracle.mutants.registry import breaks

RATIOS = "intersection_ratios"
RATIO_GRADIENTS = "ratio_gradients"
EXACT = "exact_background_ratios"


@breaks("Definition 8", "Table 2", "Table 2, row 7", "Table 2, row 8", on=RATIOS)
class clip_without_upper_end(Original):
    """Clips lambda at 0 but not at 1."""

    def clip(self, lambda_: Array) -> Array:
        return np.maximum(lambda_, 0)


@breaks("Definition 8", "Table 2", "Table 2, row 3", "Table 2, row 4", on=RATIOS)
class clip_without_lower_end(Original):
    """Clips lambda at 1 but not at 0."""

    def clip(self, lambda_: Array) -> Array:
        return np.minimum(lambda_, 1)


@breaks("Definition 8", "Table 2", "Table 2, row 5", on=RATIOS)
class whole_chord(Original):
    """Takes the whole chord, lambda_v - lambda_u, without clipping it to the segment."""

    def clip(self, lambda_: Array) -> Array:
        return lambda_


@breaks("Table 1", "Equation (7)", on=RATIOS)
class discriminant_without_four(Original):
    """Computes Delta as b^2 - ac instead of b^2 - 4ac."""

    def discriminant(
        self, a: Array, b: Array, from_center: Array, offset: Array, radii: Array
    ) -> Array:
        return b * b - a * (self.square(from_center) - radii**2)


@breaks("Definition 1", on=RATIOS)
class zero_radius_means_one(Original):
    """Treats a radius of 0 as missing and replaces it by 1."""

    def chords(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Chords:
        return super().chords(X_i, X_j, centers, np.where(np.asarray(radii) == 0, 1, radii))


@breaks("Table 2, row 1", on=RATIOS)
class missed_ball_counts(Original):
    """Takes the square root of the absolute value of Delta, so that a missed ball counts."""

    def discriminant(
        self, a: Array, b: Array, from_center: Array, offset: Array, radii: Array
    ) -> Array:
        return np.abs(super().discriminant(a, b, from_center, offset, radii))


@breaks("Table 2, row 6", on=RATIOS)
class both_ends_outside_is_zero(Original):
    """Takes the ball for missed when both end points lie outside it."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        return np.where((chords.lambda_u > 0) & (chords.lambda_v < 1), 0, lambda_q - lambda_p)


@breaks("Definition 8", on=RATIOS)
class coincident_points_are_nan(Original):
    """Divides 0 by 0 when x_i = x_j."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        same = np.all(chords.d == 0, axis=1)[:, None]
        return np.where(same, np.nan, lambda_q - lambda_p)


@breaks("Definition 8", "Table 2, row 2", on=RATIOS)
class coincident_points_inside_are_whole(Original):
    """Returns 1 instead of 0 when x_i = x_j lies inside the ball."""

    def intersection_ratios(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        same = np.all(np.asarray(X_i) == np.asarray(X_j), axis=1)[:, None]
        inside = np.sum((np.asarray(X_i)[:, None] - centers) ** 2, axis=2) <= np.asarray(radii) ** 2
        return np.where(same & inside, 1, gammas)


@breaks("Definition 5", on=RATIOS)
class overlap_shared_out(Original):
    """Divides the ratios of a pair by their sum when that exceeds 1."""

    def intersection_ratios(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        return gammas / np.maximum(np.sum(gammas, axis=1, keepdims=True), 1)


@breaks("Definition 8", on=RATIOS, alone=True)
class ratio_above_one(Original):
    """Lets rounding push the ratio of a segment inside the ball above 1."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        gammas = lambda_q - lambda_p
        return np.where(gammas == 1, 1 + 64 * np.finfo(float).eps, gammas)


@breaks("Definition 8", on=RATIOS, alone=True)
class room_for_ten_regions(Original):
    """Stores ratios in a table for ten regions and leaves the other regions at 0."""

    def intersection_ratios(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        gammas[:, 10:] = 0
        return gammas


@breaks("Definition 8", on=RATIOS)
class last_pair_of_a_block_repeats(Original):
    """Processes pairs in blocks of 32 and gives the last of a block the answer of the one before
    it.
    """

    def intersection_ratios(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        gammas[31::32] = gammas[30::32][: len(gammas[31::32])]
        return gammas


# ---- Table 3 ----


@breaks("Table 3, row 1", on=RATIO_GRADIENTS, alone=True)
class missed_ball_has_a_gradient(missed_ball_counts):  # type: ignore[misc, valid-type]
    """Takes the square root of the absolute value of Delta, so that a missed ball has a
    gradient.
    """


@breaks("Table 3, row 2", on=RATIO_GRADIENTS)
class constant_ratio_has_a_gradient(Original):
    """Uses the row for a ball within the segment wherever the line crosses the ball."""

    def gradient_rows(self, chords: Chords, radii: Array) -> Any:
        return [
            (chords.crosses, self.row_within(chords, radii)),
            *super().gradient_rows(chords, radii)[1:],
        ]


@breaks("Table 3, row 3", on=RATIO_GRADIENTS, alone=True)
class ratio_gradient_of_half_a_chord(Original):
    """Counts one end of a chord within the segment instead of both: 2 instead of 4."""

    def row_within(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        return self.slope_of_half(chords, radii)


@breaks("Table 3, row 4", on=RATIO_GRADIENTS)
class around_start_middle_forgotten(Original):
    """Forgets the term 2 (x_j - x_i) when the ball holds x_i."""

    def row_around_start(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        return self.slope_of_half(chords, radii)


@breaks("Table 3, row 5", on=RATIO_GRADIENTS)
class around_end_sign(Original):
    """Adds 2 (x_j - x_i) instead of subtracting it when the ball holds x_j."""

    def row_around_end(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        return super().row_around_start(chords, radii)


@breaks("Table 3", on=RATIO_GRADIENTS, alone=True)
class short_segments_have_no_ratio_gradient(Original):
    """Returns a gradient of 0 for segments shorter than 1e-6."""

    def gradient_rows(self, chords: Chords, radii: Array) -> Any:
        return [
            (here & (chords.a >= 1e-12), row) for here, row in super().gradient_rows(chords, radii)
        ]


@breaks("Table 3", on=RATIO_GRADIENTS, alone=True)
class flat_features_have_no_ratio_gradient(Original):
    """Skips features in which both points are equal, so that the gradient by the center is 0
    there.
    """

    def ratio_gradients(
        self, X_i: Array, X_j: Array, centers: Array, radii: Array
    ) -> tuple[Array, Array]:
        by_center, by_radius = super().ratio_gradients(X_i, X_j, centers, radii)
        return np.where((self.difference(X_i, X_j) != 0)[:, None, :], by_center, 0), by_radius


# ---- the exact background ratio ----


@breaks("Definition 5", on=EXACT)
class approximate_for_exact(Original):
    """Returns the approximation max(1 - sum gamma, 0) as the exact background ratio."""

    def exact_background_ratios(
        self, X_i: Array, X_j: Array, centers: Array, radii: Array
    ) -> Array:
        return self.background_ratio(self.intersection_ratios(X_i, X_j, centers, radii))


@breaks("Definition 5", on=EXACT)
class union_not_sorted(Original):
    """Merges the intervals in the order of the regions instead of sorting them by their starts."""

    def in_order(self, pieces: Pieces) -> Pieces:
        return pieces


@breaks("Definition 5", on=EXACT)
class gaps_are_covered(Original):
    """Measures the union from the first start to the last end, gaps included."""

    def union(self, pieces: Pieces) -> float:
        kept = [(start, end) for start, end in pieces if end > start]
        return max(end for _, end in kept) - min(start for start, _ in kept) if kept else 0.0


@breaks("Definition 5", on=EXACT)
class no_regions_no_background(Original):
    """Returns a background ratio of 0 when there are no regions."""

    def exact_background_ratios(
        self, X_i: Array, X_j: Array, centers: Array, radii: Array
    ) -> Array:
        ratios = super().exact_background_ratios(X_i, X_j, centers, radii)
        return ratios if len(centers) else 0 * ratios


@breaks("Definition 5", on=EXACT, alone=True)
class union_of_points_in_single_precision(Original):
    """Stores points and centers in float32 before it measures the union."""

    def chords(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Chords:
        X_i, X_j, centers = (np.float32(each).astype(float) for each in (X_i, X_j, centers))
        return super().chords(X_i, X_j, centers, radii)


@breaks("Definition 5, footnote", on=EXACT, alone=True)
class intervals_sorted_in_single_precision(Original):
    """Sorts the intervals by their starts in float32."""

    def in_order(self, pieces: Pieces) -> Pieces:
        return sorted(pieces, key=lambda piece: np.float32(piece[0]))


@breaks("Theorem A", on=EXACT, alone=True)
class grazed_balls_rounded_up(Original):
    """Rounds chords up to a hundredth of the segment when it grazes several balls."""

    def in_order(self, pieces: Pieces) -> Pieces:
        grazed = [0 < end - start < 0.01 for start, end in pieces]
        rounded = [
            (a, a + 0.01 if short else b) for (a, b), short in zip(pieces, grazed, strict=True)
        ]
        return sorted(rounded if sum(grazed) > 1 else pieces)
