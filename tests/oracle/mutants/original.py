"""An honest subject in NumPy, cut into small pieces, so that a mutant is one piece replaced.

P pairs, S regions, F features, as in the subject interface. `d` is x_j - x_i, one row per pair;
`Theta` is centers, radii, local metrics and background metric.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray
Pieces = list[tuple[float, float]]
Parameters = tuple[Array, Array, Array, Array]


class Chords(NamedTuple):
    """What Table 1 names, for P lines and S balls."""

    d: Array  # (P, F)
    a: Array  # (P, 1), with 1 instead of 0 for coincident points
    offset: Array  # (P, S, F), from the center to the nearest point of the line
    root: Array  # (P, S), the square root of Delta, 0 where the line does not cross the ball
    lambda_u: Array  # (P, S)
    lambda_v: Array  # (P, S)
    crosses: Array  # (P, S), True where Delta > 0


class Terms(NamedTuple):
    """The terms of equation (9), for P pairs."""

    d: Array
    gammas: Array  # (P, S)
    gamma_b: Array  # (P,)
    lengths: Array  # (P, S), under the local metrics
    background_length: Array  # (P,)


class Original:
    """The whole subject interface, followed by the pieces that mutants replace."""

    def intersection_ratios(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Array:
        """Definition 8: gamma, (P, S)."""
        chords = self.chords(X_i, X_j, centers, radii)
        return self.ratio(*self.segment_coefficients(chords), chords)

    def ratio_gradients(
        self, X_i: Array, X_j: Array, centers: Array, radii: Array
    ) -> tuple[Array, Array]:
        """Table 3: the derivatives of gamma by the center, (P, S, F), and by the radius, (P, S)."""
        chords = self.chords(X_i, X_j, centers, radii)
        by_center = np.zeros_like(chords.offset)
        by_radius = np.zeros_like(chords.lambda_u)
        for here, (center_row, radius_row) in self.gradient_rows(chords, np.asarray(radii)):
            by_center = np.where(here[..., None], center_row, by_center)
            by_radius = np.where(here, radius_row, by_radius)
        return by_center, by_radius

    def exact_background_ratios(
        self, X_i: Array, X_j: Array, centers: Array, radii: Array
    ) -> Array:
        """Definition 5: 1 minus the measure of the union, (P,)."""
        lambda_p, lambda_q = self.segment_coefficients(self.chords(X_i, X_j, centers, radii))
        covered = []
        for p, q in zip(lambda_p, lambda_q, strict=True):
            pieces = list(zip(p, q, strict=True))
            covered.append(self.union(pieces))
        return 1 - np.array(covered, dtype=lambda_p.dtype)

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        """Equation (9), (P,)."""
        return self.combined(self.terms(X_i, X_j, *Theta))

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        """Equation (9), every row of X against every row of Y, (n, m)."""
        X = np.asarray(X)
        Y = np.asarray(Y)
        n = len(X)
        m = len(Y)
        X_i = np.repeat(X, m, axis=0)
        X_j = np.tile(Y, (n, 1))
        return self.distances(X_i, X_j, *Theta).reshape(n, m)

    def decision_values(
        self, X: Array, X_minus: Array, X_plus: Array, K: int, *Theta: Array
    ) -> Array:
        """Equation (10), (n,)."""
        if min(len(X_minus), len(X_plus)) < K:
            raise ValueError(f"a class has fewer than K={K} members")
        D_minus = self.cross_distances(X, X_minus, *Theta)
        D_plus = self.cross_distances(X, X_plus, *Theta)
        to_minus = self.mean_of_nearest(D_minus, K)
        to_plus = self.mean_of_nearest(D_plus, K)
        return self.decision(to_minus, to_plus)

    def objective(self, X: Array, similar: Array, dissimilar: Array, *rest: Any) -> Any:
        """Section 5: the objective g."""
        *Theta, alpha, C = rest
        near = self.distances(*self.ends(X, similar), *Theta)
        far = self.distances(*self.ends(X, dissimilar), *Theta)
        similar_slack = np.maximum(near - (1 - C), 0)
        dissimilar_slack = self.dissimilar_slack(far, C)
        loss = self.average(similar_slack) + self.average(dissimilar_slack)
        return loss + self.penalty(Theta[2], Theta[3], alpha)

    def objective_gradient(
        self, X: Array, similar: Array, dissimilar: Array, *rest: Any
    ) -> Parameters:
        """Section 5: the derivatives of g by centers, radii, local metrics and background
        metric.
        """
        *Theta, alpha, C = rest
        near = self.ends(X, similar)
        excess = self.distances(*near, *Theta) - (1 - C)
        near_weights = np.where(excess > 0, 1, 0) / max(len(similar), 1)
        near_slopes = self.weighted_distance_gradients(near_weights, *near, *Theta)

        far = self.ends(X, dissimilar)
        far_weights = self.dissimilar_weights(self.distances(*far, *Theta), C)
        far_slopes = self.weighted_distance_gradients(far_weights, *far, *Theta)

        by_center = near_slopes[0] + far_slopes[0]
        by_radius = near_slopes[1] + far_slopes[1]
        by_local = near_slopes[2] + far_slopes[2]
        by_background = near_slopes[3] + far_slopes[3]
        by_local = by_local + self.shrinkage(np.asarray(Theta[2]), alpha)
        by_background = by_background + self.shrinkage(np.asarray(Theta[3]), alpha)
        return by_center, by_radius, by_local, by_background

    def descent_step(self, X: Array, similar: Array, dissimilar: Array, *rest: Any) -> Parameters:
        """Section 5: one step of gradient descent, projected."""
        *parameters, beta = rest
        slopes = self.objective_gradient(X, similar, dissimilar, *parameters)
        moved = []
        for parameter, slope in zip(parameters[:4], slopes, strict=True):
            moved.append(np.asarray(parameter) - beta * slope)
        centers, radii, local_metrics, background_metric = moved
        return (
            centers,
            self.projected_radii(radii),
            self.projected(local_metrics),
            self.projected(background_metric),
        )

    def check(self, *expected: tuple[Array, tuple[int, ...]]) -> None:
        """Raise ValueError for arrays of the wrong shape, NaN and infinity."""
        for array, shape in expected:
            if np.shape(array) != shape or not np.isfinite(array).all():
                raise ValueError(
                    f"an array must be finite in the shape {shape}, but has the shape "
                    f"{np.shape(array)}"
                )

    def difference(self, X_i: Array, X_j: Array) -> Array:
        """x_j - x_i, (P, F)."""
        return np.asarray(X_j) - np.asarray(X_i)

    def square(self, d: Array) -> Array:
        """The squared Euclidean length over the last axis."""
        return np.sum(d * d, axis=-1)

    def discriminant(
        self, a: Array, b: Array, from_center: Array, offset: Array, radii: Array
    ) -> Array:
        """Table 1: Delta, (P, S), by the distance h of the line from the center instead of b^2 -
        4ac.
        """
        h = np.sqrt(self.square(offset))
        return 4 * a * (radii - h) * (radii + h)

    def chords(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Chords:
        """Table 1, for every pair and ball."""
        P, F = np.shape(X_i)
        S = len(centers)
        self.check((X_i, (P, F)), (X_j, (P, F)), (centers, (S, F)), (radii, (S,)))
        d = self.difference(X_i, X_j)
        a = self.square(d)[:, None]
        apart = a > 0
        a = np.where(apart, a, 1)
        from_center = np.asarray(X_i)[:, None, :] - np.asarray(centers)[None, :, :]
        b = 2 * np.einsum("pf,psf->ps", d, from_center)
        nearest = -b / (2 * a)  # the coefficient of the point of the line nearest to the center
        offset = from_center + nearest[..., None] * d[:, None, :]

        Delta = self.discriminant(a, b, from_center, offset, np.asarray(radii))
        crosses = (Delta > 0) & apart
        root = np.sqrt(np.where(crosses, Delta, 0))
        lambda_u = (-b - root) / (2 * a)
        lambda_v = (-b + root) / (2 * a)
        return Chords(d, a, offset, root, lambda_u, lambda_v, crosses)

    def clip(self, lambda_: Array) -> Array:
        """Section 3.1: min(max(lambda, 0), 1)."""
        return np.minimum(np.maximum(lambda_, 0), 1)

    def segment_coefficients(self, chords: Chords) -> tuple[Array, Array]:
        """Table 2: lambda_p and lambda_q, (P, S)."""
        lambda_p = np.where(chords.crosses, self.clip(chords.lambda_u), 0)
        lambda_q = np.where(chords.crosses, self.clip(chords.lambda_v), 0)
        return lambda_p, lambda_q

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        """Definition 8: gamma."""
        return lambda_q - lambda_p

    def gradient_rows(
        self, chords: Chords, radii: Array
    ) -> Sequence[tuple[Array, tuple[Array, Array]]]:
        """Table 3: where each row holds, and its two derivatives."""
        u = chords.lambda_u
        v = chords.lambda_v
        u_inside = chords.crosses & (u >= 0) & (u <= 1)
        v_inside = chords.crosses & (v >= 0) & (v <= 1)
        return (
            (u_inside & v_inside, self.row_within(chords, radii)),
            ((u < 0) & v_inside, self.row_around_start(chords, radii)),
            (u_inside & (v > 1), self.row_around_end(chords, radii)),
        )

    def slope_of_half(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        """The derivatives of sqrt(Delta) / (2 a) by center and radius."""
        root = chords.root
        inverse = np.divide(1, root, out=np.zeros_like(root), where=root > 0)
        by_center = 2 * inverse[..., None] * chords.offset
        by_radius = 2 * inverse * radii
        return by_center, by_radius

    def row_within(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        """Table 3, row 3: gamma = lambda_v - lambda_u."""
        by_center, by_radius = self.slope_of_half(chords, radii)
        return 2 * by_center, 2 * by_radius

    def row_around_start(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        """Table 3, row 4: gamma = lambda_v."""
        by_center, by_radius = self.slope_of_half(chords, radii)
        end_slope = chords.d / chords.a
        return by_center + end_slope[:, None, :], by_radius

    def row_around_end(self, chords: Chords, radii: Array) -> tuple[Array, Array]:
        """Table 3, row 5: gamma = 1 - lambda_u."""
        by_center, by_radius = self.slope_of_half(chords, radii)
        end_slope = chords.d / chords.a
        return by_center - end_slope[:, None, :], by_radius

    def in_order(self, pieces: Pieces) -> Pieces:
        """The intervals in the order in which `union` merges them."""
        return sorted(pieces)

    def union(self, pieces: Pieces) -> float:
        """Footnote to Definition 5: the length of a union of intervals."""
        covered = 0.0
        reached = 0.0
        for start, end in self.in_order(pieces):
            covered += max(end - max(start, reached), 0)
            reached = max(reached, end)
        return covered

    def background_ratio(self, gammas: Array) -> Array:
        """Section 3.2: gamma_b = max(1 - sum gamma, 0), (P,)."""
        return np.maximum(1 - np.sum(gammas, axis=1), 0)

    def length(self, d: Array, metric: Array) -> Array:
        """Definitions 3 and 4: the Mahalanobis length of each row of d, (P,)."""
        squares = np.einsum("pf,fg,pg->p", d, metric, d)
        return np.sqrt(np.maximum(squares, 0))

    def terms(self, X_i: Array, X_j: Array, *Theta: Array) -> Terms:
        """The terms of equation (9)."""
        centers, radii, local_metrics, background_metric = map(np.asarray, Theta)
        S, F = np.shape(centers)
        self.check((local_metrics, (S, F, F)), (background_metric, (F, F)))
        d = self.difference(X_i, X_j)
        gammas = self.intersection_ratios(X_i, X_j, centers, radii)
        lengths = np.zeros((len(d), S), dtype=d.dtype)
        if S:
            lengths = np.stack([self.length(d, metric) for metric in local_metrics], axis=1)
        return Terms(
            d=d,
            gammas=gammas,
            gamma_b=self.background_ratio(gammas),
            lengths=lengths,
            background_length=self.length(d, background_metric),
        )

    def combined(self, terms: Terms) -> Array:
        """Equation (9)."""
        in_background = terms.gamma_b * terms.background_length
        in_regions = np.sum(terms.gammas * terms.lengths, axis=1)
        return in_background + in_regions

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        """Equation (10): the mean of the K smallest of each row."""
        nearest = np.sort(D, axis=1)[:, :K]
        return np.sum(nearest, axis=1) / np.asarray(K, dtype=D.dtype)

    def decision(self, to_minus: Array, to_plus: Array) -> Array:
        """Equation (10): f."""
        return to_minus - to_plus

    def ends(self, X: Array, pairs: Array) -> tuple[Array, Array]:
        """The two rows of X that each pair indexes."""
        X = np.asarray(X)
        i, j = np.asarray(pairs, dtype=int).reshape(-1, 2).T
        return X[i], X[j]

    def dissimilar_slack(self, D: Array, C: float) -> Array:
        """Equation (12), corrected by E1: the slack of a dissimilar pair."""
        return np.maximum(1 + C - D, 0)

    def average(self, slacks: Array) -> Any:
        """The mean of the slacks, 0 when there is none."""
        return np.sum(slacks) / max(len(slacks), 1)

    def norm(self, metric: Array) -> Any:
        """The Frobenius norm."""
        return np.sqrt(np.sum(metric * metric))

    def penalty(self, local_metrics: Array, background_metric: Array, alpha: float) -> Any:
        """Equation (12): alpha times the sum of all Frobenius norms."""
        norms = [self.norm(np.asarray(M)) for M in (*local_metrics, background_metric)]
        return alpha * sum(norms)

    def dissimilar_weights(self, D: Array, C: float) -> Array:
        """The derivative of the dissimilar loss by each distance (E2 corrected)."""
        is_active = self.dissimilar_slack(D, C) > 0
        return -np.where(is_active, 1, 0) / max(len(D), 1)

    def weighted_distance_gradients(
        self, weights: Array, X_i: Array, X_j: Array, *Theta: Array
    ) -> Parameters:
        """The sum over the pairs of weight times the derivatives of D."""
        terms = self.terms(X_i, X_j, *Theta)
        centers, radii, local_metrics, _ = Theta
        by_center, by_radius = self.ratio_gradients(X_i, X_j, centers, radii)
        gain = weights[:, None] * self.gain(terms)
        by_local = []
        for gamma, length in zip(terms.gammas.T, terms.lengths.T, strict=True):
            by_local.append(self.metric_gradient(weights * gamma, terms.d, length))
        free = weights * terms.gamma_b
        return (
            np.einsum("ps,psf->sf", gain, by_center),
            np.sum(gain * by_radius, axis=0),
            np.array(by_local).reshape(np.shape(local_metrics)),
            self.metric_gradient(free, terms.d, terms.background_length),
        )

    def gain(self, terms: Terms) -> Array:
        """dD / d gamma_s: the local length, less the background's where some background is left (E3
        corrected).
        """
        lost = np.where(terms.gamma_b > 0, terms.background_length, 0)
        return terms.lengths - lost[:, None]

    def metric_gradient(self, weights: Array, d: Array, lengths: Array) -> Array:
        """dD / dM: the sum of weight d d^T / (2 length), 0 where the length is 0."""
        scale = np.divide(weights, 2 * lengths, out=np.zeros(len(d)), where=lengths > 0)
        return np.einsum("p,pf,pg->fg", scale, d, d)

    def shrinkage(self, metrics: Array, alpha: float) -> Array:
        """The derivative of alpha norm_F(M) (E4 corrected), 0 where the norm is 0, for one metric
        or a stack of them.
        """
        squares = np.sum(metrics * metrics, axis=(-2, -1), keepdims=True)
        norms = np.sqrt(squares)
        zero = np.zeros_like(metrics, dtype=norms.dtype)
        return alpha * np.divide(metrics, norms, out=zero, where=norms > 0)

    def projected_radii(self, radii: Array) -> Array:
        """Choice C3: radii clipped at 0."""
        return np.maximum(radii, 0)

    def eigenvalues_kept(self, values: Array) -> Array:
        """Choice C2: eigenvalues clipped at 0."""
        return np.maximum(values, 0)

    def projected(self, metrics: Array) -> Array:
        """Choice C2: the nearest positive semi-definite matrices."""
        symmetric = (metrics + np.swapaxes(metrics, -1, -2)) / 2
        values, vectors = np.linalg.eigh(symmetric)
        kept = self.eigenvalues_kept(values)
        return (vectors * kept[..., None, :]) @ np.swapaxes(vectors, -1, -2)
