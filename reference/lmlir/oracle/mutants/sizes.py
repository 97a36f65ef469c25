"""Mutants that are wrong only beyond, or only at, some size."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import numpy as np

from lmlir.oracle.mutants import examples
from lmlir.oracle.mutants.original import Array, Chords, Original
from lmlir.oracle.mutants.registry import breaks

RATIOS, DISTANCES, EXACT = "intersection_ratios", "distances", "exact_background_ratios"


@breaks("Definition 8", on=RATIOS, example=examples.LARGE)
class coordinates_cut_at_1000(Original):
    """Coordinates beyond 1000 are cut to 1000."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        return super().chords(np.clip(X_i, -1000, 1000), np.clip(X_j, -1000, 1000), centers, radii)


@breaks("Definition 8", on=RATIOS, example=examples.LARGE)
class missing_value_code(Original):
    """Coordinates beyond 9999 are taken as missing and become 0."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        X_i, X_j = np.asarray(X_i), np.asarray(X_j)
        return super().chords(
            np.where(np.abs(X_i) > 9999, 0, X_i), np.where(np.abs(X_j) > 9999, 0, X_j), centers, radii
        )


@breaks("Definition 1", on=RATIOS, example=examples.LARGE)
class radius_cut_at_100(Original):
    """Radii beyond 100 are cut to 100."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        return super().chords(X_i, X_j, centers, np.minimum(radii, 100))


@breaks("Definition 8", on=RATIOS, example=examples.MANY_PAIRS)
class pairs_beyond_64_are_zero(Original):
    """Pairs are worked off in one block of 64; what is left over stays 0."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        gammas[64:] = 0
        return gammas


@breaks("Definition 8", on=RATIOS, example=examples.MANY_PAIRS)
class last_pair_of_a_block_repeats(Original):
    """Every 32nd pair gets the answer of the pair before it."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        gammas[31::32] = gammas[30::32][: len(gammas[31::32])]
        return gammas


@breaks("Definition 8", on=RATIOS, example=examples.MANY_FEATURES)
class features_beyond_four(Original):
    """Squared lengths are unrolled for four features; the others are left out."""

    def square(self, d: Array) -> Array:
        return np.sum(d[..., :4] ** 2, axis=-1)


@breaks("Definition 3", on=DISTANCES, example=examples.MANY_FEATURES)
class metric_features_beyond_six(Original):
    """Mahalanobis lengths look at the first six features only."""

    def length(self, d: Array, metric: Array) -> Array:
        return super().length(d[:, :6], metric[:6, :6])


@breaks("Equation (9)", on=DISTANCES, example=examples.MANY_REGIONS)
class regions_beyond_three(Original):
    """Only the first three regions take away from the background."""

    def background_ratio(self, gammas: Array) -> Array:
        return super().background_ratio(gammas[:, :3])


@breaks("Definition 5", on=EXACT, example=examples.MANY_REGIONS)
class union_of_four(Original):
    """The union is merged over the first four intervals only."""

    def union(self, pieces: list[tuple[float, float]]) -> float:
        return super().union(pieces[:4])


@breaks("Definition 3", on=DISTANCES, example=examples.LARGE)
class long_distances_saturate(Original):
    """Lengths beyond 1000 are cut to 1000."""

    def length(self, d: Array, metric: Array) -> Array:
        return np.minimum(super().length(d, metric), 1000)


@breaks("Definition 8", on=RATIOS, example=examples.NO_REGIONS)
class no_regions_crash(Original):
    """Without regions it fails: it looks at the first center."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        if not np.isfinite(np.asarray(centers)[0]).all():
            raise ValueError("a center is not finite")
        return super().chords(X_i, X_j, centers, radii)


@breaks("Definition 5", on=EXACT, example=examples.NO_REGIONS)
class no_regions_no_background(Original):
    """Without regions the exact background ratio is 0."""

    def exact_background_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        ratios = super().exact_background_ratios(X_i, X_j, centers, radii)
        return ratios if len(centers) else 0 * ratios


@breaks("Subject interface", on=RATIOS, example=examples.NO_PAIRS)
class empty_batch_crashes(Original):
    """A batch without pairs fails: it takes the largest of nothing."""

    def difference(self, X_i: Array, X_j: Array) -> Array:
        d = super().difference(X_i, X_j)
        return d if np.max(np.abs(d)) > 0 else d


@breaks("Definition 8", on=RATIOS, example=examples.ONE_PAIR)
class one_pair_loses_an_axis(Original):
    """A batch of one pair comes back without its first axis."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        return gammas[0] if len(gammas) == 1 else gammas

    def background_ratio(self, gammas: Array) -> Array:
        return super().background_ratio(np.atleast_2d(gammas))


@breaks("Definition 8", on=RATIOS, example=examples.ONE_REGION)
class one_region_loses_an_axis(Original):
    """With one region the answer comes back without its second axis."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        return gammas[:, 0] if gammas.shape[1] == 1 else gammas

    def background_ratio(self, gammas: Array) -> Array:
        return super().background_ratio(gammas.reshape(len(gammas), -1))


@breaks("Definition 8", on=RATIOS, example=examples.ONE_FEATURE)
class one_feature_never_misses(Original):
    """With one feature the line is taken to lie in every ball it comes near: no clip is done."""

    def clip(self, lambda_: Array) -> Array:
        return lambda_ if self.features == 1 else super().clip(lambda_)

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        self.features = np.shape(X_i)[1]
        return super().chords(X_i, X_j, centers, radii)
