"""Mutants of the distance and of the classifier: Definitions 3, 4 and 6, equations (9) and (10)."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import numpy as np

from tests.oracle.mutants.original import Array, Original, Terms
from tests.oracle.mutants.registry import breaks

DISTANCES = "distances"
CROSS = "cross_distances"
DECISION = "decision_values"


@breaks("Section 3.2, gamma_b", "Equation (9)", on=DISTANCES)
class background_ratio_not_clipped(Original):
    """Computes gamma_b as 1 - sum gamma without clipping it at 0."""

    def background_ratio(self, gammas: Array) -> Array:
        return 1 - np.sum(gammas, axis=1)


@breaks("Definition 3", "Definition 4", on=DISTANCES)
class squared_length(Original):
    """Forgets the square root of a Mahalanobis length."""

    def length(self, d: Array, metric: Array) -> Array:
        return np.einsum("pf,fg,pg->p", d, metric, d)


@breaks("Definition 3", on=DISTANCES)
class squares_taken_for_positive(Original):
    """Takes the square root of a squared length that rounding has made negative."""

    def length(self, d: Array, metric: Array) -> Array:
        return np.sqrt(np.einsum("pf,fg,pg->p", d, metric, d))


@breaks("Definition 3", on=DISTANCES)
class cholesky_on_the_wrong_side(Original):
    """Computes |L d| instead of |L^T d| for a metric M = L L^T."""

    def length(self, d: Array, metric: Array) -> Array:
        try:
            L = np.linalg.cholesky(metric)
        except np.linalg.LinAlgError:
            return super().length(d, metric)
        return np.sqrt(self.square(d @ L.T))


@breaks("Definition 3", on=DISTANCES)
class lengths_by_gram_matrix(Original):
    """Expands the square to x M x + y M y - 2 x M y, which loses its digits far from the origin."""

    def terms(self, X_i: Array, X_j: Array, *Theta: Array) -> Terms:
        self.points = np.asarray(X_i), np.asarray(X_j)
        return super().terms(X_i, X_j, *Theta)

    def length(self, d: Array, metric: Array) -> Array:
        x, y = self.points
        square = (
            np.sum(x @ metric * x, axis=1)
            + np.sum(y @ metric * y, axis=1)
            - 2 * np.sum(x @ metric * y, axis=1)
        )
        return np.sqrt(np.maximum(square, 0))


@breaks("Definition 3", "Equation (9)", on=DISTANCES, alone=True)
class room_for_32_features(Original):
    """Measures lengths in the first 32 features and ignores the others."""

    def length(self, d: Array, metric: Array) -> Array:
        return super().length(d[:, :32], metric[:32, :32])


@breaks("Definition 3", on=DISTANCES, alone=True)
class length_inside_the_only_ball_in_single_precision(Original):
    """Measures a segment inside the only ball in float32."""

    def combined(self, terms: Terms) -> Array:
        D = super().combined(terms)
        if terms.gammas.shape[1] != 1:
            return D
        return np.where(terms.gammas[:, 0] == 1, terms.lengths[:, 0].astype(np.float32), D)


@breaks("Definition 4", on=DISTANCES, alone=True)
class zero_background_metric_means_euclid(Original):
    """Treats a background metric of zero as missing and replaces it by the identity."""

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        metric = Theta[3] if np.any(Theta[3]) else np.eye(len(Theta[3]))
        return super().distances(X_i, X_j, *Theta[:3], metric)


@breaks("Proposition 1", "Equation (9)", on=DISTANCES)
class metrics_mixed_under_one_root(Original):
    """Averages the squared lengths with weights gamma and takes one square root of the sum."""

    def combined(self, terms: Terms) -> Array:
        squares = terms.gamma_b * terms.background_length**2 + np.sum(
            terms.gammas * terms.lengths**2, axis=1
        )
        return np.sqrt(squares)


@breaks("Definition 6", on=DISTANCES, alone=True)
class ball_around_both_ends_is_background(Original):
    """Measures a segment that lies in a ball with the background metric alone."""

    def combined(self, terms: Terms) -> Array:
        whole = np.any(terms.gammas == 1, axis=1)
        return np.where(whole, terms.background_length, super().combined(terms))


@breaks("Equation (9)", on=DISTANCES, alone=True)
class equal_metrics_need_no_regions(Original):
    """Skips the regions when all metrics are equal, so that shared parts are counted once."""

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        *_, local_metrics, background_metric = Theta
        if all(np.array_equal(M, background_metric) for M in np.asarray(local_metrics)):
            return self.length(self.difference(X_i, X_j), np.asarray(background_metric))
        return super().distances(X_i, X_j, *Theta)


@breaks("Equation (6)", "Equation (9)", on=DISTANCES, alone=True)
class shared_parts_divided_without_background(Original):
    """Divides ratios that sum to more than 1 by their sum when the background metric is zero."""

    def combined(self, terms: Terms) -> Array:
        shared = np.maximum(np.sum(terms.gammas, axis=1), 1)
        return super().combined(terms) / np.where(np.any(terms.background_length), 1, shared)


@breaks("Theorem A", on=DISTANCES)
class chords_in_nearly_equal_metrics_rounded_up(Original):
    """Rounds chords up to a twentieth of the segment where the local metric is close to the
    background's.
    """

    def terms(self, X_i: Array, X_j: Array, *Theta: Array) -> Terms:
        terms = super().terms(X_i, X_j, *Theta)
        (*_, local_metrics, background_metric) = Theta
        limit = 0.01 * self.norm(np.asarray(background_metric))
        alike = [self.norm(np.asarray(M) - background_metric) < limit for M in local_metrics]
        short = np.array(alike, dtype=bool) & (terms.gammas > 0) & (terms.gammas < 0.05)
        gammas = np.where(short, 0.05, terms.gammas)
        return terms._replace(gammas=gammas, gamma_b=self.background_ratio(gammas))


@breaks("Equation (9)", on=CROSS)
class cross_distances_transposed(Original):
    """Returns the cross distances in the shape (m, n) instead of (n, m)."""

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        return super().cross_distances(X, Y, *Theta).T


@breaks("Equation (9)", on=CROSS)
class cross_distances_mirrored(Original):
    """Computes one triangle and mirrors it when X and Y have equally many rows, as if Y were X."""

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        D = super().cross_distances(X, Y, *Theta)
        return np.triu(D) + np.triu(D, 1).T if len(D) == D.shape[1] else D


# ---- the classifier ----


@breaks("Equation (10)", on=DECISION)
class decision_with_wrong_sign(Original):
    """Subtracts the distance to the negative class from that to the positive class."""

    def decision(self, to_minus: Array, to_plus: Array) -> Array:
        return to_plus - to_minus


@breaks("Equation (10)", on=DECISION)
class neighbors_summed(Original):
    """Forgets the factor 1/K."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return np.sum(np.sort(D, axis=1)[:, :K], axis=1)


@breaks("Equation (10)", on=DECISION)
class neighbors_of_both_classes(Original):
    """Takes the K nearest of both classes together instead of K of each class."""

    def decision_values(
        self, X: Array, X_minus: Array, X_plus: Array, K: int, *Theta: Array
    ) -> Array:
        D = self.cross_distances(X, np.concatenate([X_minus, X_plus]), *Theta)
        kth = np.sort(D, axis=1)[:, K - 1 : K]
        near = np.where(kth >= D, D, 0)
        return (
            np.sum(near[:, : len(X_minus)], axis=1) - np.sum(near[:, len(X_minus) :], axis=1)
        ) / K


@breaks("Equation (10)", "Proposition 4", on=DECISION)
class equal_distances_collapsed(Original):
    """Counts equal distances once, as if D_set were a set."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return np.array([np.sum(np.unique(row)[:K]) for row in D]) / K


@breaks("Equation (10)", on=DECISION)
class the_point_itself_is_left_out(Original):
    """Leaves out neighbors at distance 0, as if they were the point itself."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return super().mean_of_nearest(
            np.where(D == 0, np.max(D, axis=1, initial=0, keepdims=True), D), K
        )


@breaks("Equation (10)", on=DECISION, alone=True)
class positive_class_in_single_precision(Original):
    """Stores the distances to the positive class in float32."""

    def decision(self, to_minus: Array, to_plus: Array) -> Array:
        return to_minus - to_plus.astype(np.float32).astype(float)


@breaks("Equation (10)", on=DECISION, alone=True)
class nearest_found_in_single_precision(Original):
    """Sorts the neighbors by their distances in float32."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        nearest = np.argsort(D.astype(np.float32), axis=1, kind="stable")[:, :K]
        return np.sum(np.take_along_axis(D, nearest, axis=1), axis=1) / K
