"""Mutants of the background ratio, the distance and the classifier: Definitions 3 to 7, equations (9) and (10)."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import numpy as np

from lmlir.oracle.mutants import examples
from lmlir.oracle.mutants.original import Array, Original, Pieces, Terms
from lmlir.oracle.mutants.registry import breaks

EXACT, DISTANCES, CROSS, DECISION = "exact_background_ratios", "distances", "cross_distances", "decision_values"


# ---- the background ratio ----


@breaks("Section 3.2, gamma_b", "Equation (9)", on=DISTANCES)
class background_ratio_not_clipped(Original):
    """gamma_b is 1 - sum gamma, also below 0."""

    def background_ratio(self, gammas: Array) -> Array:
        return 1 - np.sum(gammas, axis=1)


@breaks("Section 3.2, gamma_b", "Equation (9)", on=DISTANCES)
class background_ratio_absolute(Original):
    """gamma_b is the absolute value of 1 - sum gamma."""

    def background_ratio(self, gammas: Array) -> Array:
        return np.abs(1 - np.sum(gammas, axis=1))


@breaks("Section 3.2, gamma_b", "Equation (9)", on=DISTANCES)
class background_ratio_by_largest(Original):
    """gamma_b is 1 - max gamma."""

    def background_ratio(self, gammas: Array) -> Array:
        return 1 - np.max(gammas, axis=1, initial=0)


@breaks("Section 3.2, gamma_b", "Equation (9)", on=DISTANCES)
class background_ratio_by_product(Original):
    """gamma_b is the product of all 1 - gamma."""

    def background_ratio(self, gammas: Array) -> Array:
        return np.prod(1 - gammas, axis=1)


@breaks("Equation (9)", on=DISTANCES)
class background_counts_whole(Original):
    """The background length is added whole, the regions on top."""

    def background_ratio(self, gammas: Array) -> Array:
        return np.ones(len(gammas))


@breaks("Section 3.2, gamma_b", "Equation (9)", on=DISTANCES)
class exact_background_in_distance(Original):
    """The distance uses the exact gamma_b instead of the approximation."""

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        terms = self.terms(X_i, X_j, *Theta)
        return self.combined(terms._replace(gamma_b=self.exact_background_ratios(X_i, X_j, *Theta[:2])))


@breaks("Definition 5", on=EXACT)
class approximate_for_exact(Original):
    """The exact background ratio is max(1 - sum gamma, 0)."""

    def exact_background_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        return self.background_ratio(self.intersection_ratios(X_i, X_j, centers, radii))


@breaks("Definition 5", on=EXACT)
class union_instead_of_rest(Original):
    """The measure of the union is returned, not 1 minus it."""

    def exact_background_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        return 1 - super().exact_background_ratios(X_i, X_j, centers, radii)


@breaks("Definition 5", on=EXACT, example=examples.NESTED)
class nested_ball_ends_the_union(Original):
    """A ball inside another cuts the outer one short: the union reaches the last end, not the largest."""

    def union(self, pieces: Pieces) -> float:
        covered, reached = 0.0, 0.0
        for start, end in sorted(pieces):
            covered += max(end - max(start, reached), 0)
            reached = end
        return covered


@breaks("Definition 5", on=EXACT, example=examples.APART)
class union_not_sorted(Original):
    """The intervals are merged in the order of the regions, not of their starts."""

    def union(self, pieces: Pieces) -> float:
        covered, reached = 0.0, 0.0
        for start, end in pieces:
            covered += max(end - max(start, reached), 0)
            reached = max(reached, end)
        return covered


@breaks("Definition 5", on=EXACT, example=examples.APART)
class gaps_are_covered(Original):
    """The union runs from the first start to the last end, gaps included."""

    def union(self, pieces: Pieces) -> float:
        kept = [(start, end) for start, end in pieces if end > start]
        return max(end for _, end in kept) - min(start for start, _ in kept) if kept else 0.0


@breaks("Definition 5", on=EXACT, example=examples.STACKED)
class union_by_pairs(Original):
    """Inclusion and exclusion stop after pairs, which is wrong where three balls meet."""

    def union(self, pieces: Pieces) -> float:
        shared = [
            max(min(end, other_end) - max(start, other_start), 0)
            for k, (start, end) in enumerate(pieces)
            for other_start, other_end in pieces[:k]
        ]
        return sum(end - start for start, end in pieces) - sum(shared)


@breaks("Definition 5", on=EXACT)
class union_of_whole_line(Original):
    """The union is measured on the line, before the clip to the segment, and then cut at 1."""

    def exact_background_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        chords = self.chords(X_i, X_j, centers, radii)
        rows = zip(chords.lambda_u, chords.lambda_v, chords.crosses, strict=True)
        kept = [[(u, v) for u, v, hit in zip(*row, strict=True) if hit] for row in rows]
        shifted = [[(u - min(row)[0], v - min(row)[0]) for u, v in row] for row in kept]
        return np.array([max(1 - self.union(row), 0) for row in shifted])


# ---- lengths ----


@breaks("Definition 3", "Definition 4", on=DISTANCES)
class squared_length(Original):
    """Mahalanobis lengths are squared."""

    def length(self, d: Array, metric: Array) -> Array:
        return np.einsum("pf,fg,pg->p", d, metric, d)


@breaks("Definition 3", on=DISTANCES)
class cholesky_on_the_wrong_side(Original):
    """With M = L L^T the length is |L d| instead of |L^T d|."""

    def length(self, d: Array, metric: Array) -> Array:
        try:
            L = np.linalg.cholesky(metric)
        except np.linalg.LinAlgError:
            return super().length(d, metric)
        return np.sqrt(self.square(d @ L.T))


@breaks("Definition 3", on=DISTANCES)
class inverse_metric(Original):
    """The metric is inverted, as a covariance matrix would be."""

    def length(self, d: Array, metric: Array) -> Array:
        return super().length(d, np.linalg.pinv(metric))


@breaks("Definition 3", "Definition 4", on=DISTANCES)
class diagonal_metric(Original):
    """Only the diagonal of a metric is used."""

    def length(self, d: Array, metric: Array) -> Array:
        return super().length(d, np.diag(np.diag(metric)))


@breaks("Definition 3", "Definition 4", on=DISTANCES)
class upper_triangle_metric(Original):
    """The sum over the upper triangle of a metric lacks the factor 2 off the diagonal."""

    def length(self, d: Array, metric: Array) -> Array:
        return super().length(d, np.triu(metric))


@breaks("Definition 3", "Definition 4", on=DISTANCES)
class metric_applied_twice(Original):
    """The length is |M d|, as if M were its own square root."""

    def length(self, d: Array, metric: Array) -> Array:
        return np.sqrt(self.square(d @ metric))


@breaks("Definition 3", on=DISTANCES, example=examples.FAR_FROM_ORIGIN)
class lengths_by_gram_matrix(Original):
    """Mahalanobis lengths by x M x + y M y - 2 x M y lose their digits far from the origin."""

    def terms(self, X_i: Array, X_j: Array, *Theta: Array) -> Terms:
        self.points = np.asarray(X_i), np.asarray(X_j)
        return super().terms(X_i, X_j, *Theta)

    def length(self, d: Array, metric: Array) -> Array:
        x, y = self.points
        square = np.sum(x @ metric * x, axis=1) + np.sum(y @ metric * y, axis=1) - 2 * np.sum(x @ metric * y, axis=1)
        return np.sqrt(np.maximum(square, 0))


@breaks("Definition 3", "Definition 4", on=DISTANCES)
class epsilon_in_the_length(Original):
    """sqrt(d M d + 1e-10), so that the root has a derivative at 0."""

    def length(self, d: Array, metric: Array) -> Array:
        return np.sqrt(super().length(d, metric) ** 2 + 1e-10)


@breaks("Definition 3", on=DISTANCES)
class background_metric_in_regions(Original):
    """The regions are measured with the background metric."""

    def local_lengths(self, d: Array, local_metrics: Array, background_metric: Array) -> Array:
        return super().local_lengths(d, np.broadcast_to(background_metric, np.shape(local_metrics)), background_metric)


@breaks("Definition 3", on=DISTANCES)
class first_metric_for_all(Original):
    """Every region is measured with the first local metric."""

    def local_lengths(self, d: Array, local_metrics: Array, background_metric: Array) -> Array:
        first = np.broadcast_to(np.asarray(local_metrics)[:1], np.shape(local_metrics))
        return super().local_lengths(d, first, background_metric)


@breaks("Definition 3", on=DISTANCES)
class metrics_in_reverse_order(Original):
    """The local metrics are attached to the regions in reverse order."""

    def local_lengths(self, d: Array, local_metrics: Array, background_metric: Array) -> Array:
        return super().local_lengths(d, np.asarray(local_metrics)[::-1], background_metric)


@breaks("Definition 4", on=DISTANCES)
class euclidean_background(Original):
    """The background metric is the identity, whatever is given."""

    def terms(self, X_i: Array, X_j: Array, *Theta: Array) -> Terms:
        return super().terms(X_i, X_j, *Theta[:3], np.eye(X_i.shape[1]))


# ---- the distance ----


@breaks("Equation (9)", on=DISTANCES)
class metrics_mixed_under_one_root(Original):
    """The metrics are averaged with weights gamma, then one root is taken of the whole."""

    def combined(self, terms: Terms) -> Array:
        squares = terms.gamma_b * terms.background_length**2 + np.sum(terms.gammas * terms.lengths**2, axis=1)
        return np.sqrt(squares)


@breaks("Proposition 1", on=DISTANCES)
class ratio_under_the_root(Original):
    """gamma goes under the root, so that its root multiplies the length."""

    def combined(self, terms: Terms) -> Array:
        parts = np.sum(np.sqrt(np.maximum(terms.gammas, 0)) * terms.lengths, axis=1)
        return terms.gamma_b * terms.background_length + parts


@breaks("Equation (9)", on=DISTANCES)
class regions_averaged(Original):
    """The region parts are averaged over S instead of added."""

    def combined(self, terms: Terms) -> Array:
        mean = np.sum(terms.gammas * terms.lengths, axis=1) / max(terms.gammas.shape[1], 1)
        return terms.gamma_b * terms.background_length + mean


@breaks("Equation (9)", on=DISTANCES)
class largest_region_only(Original):
    """Only the region with the largest part counts."""

    def combined(self, terms: Terms) -> Array:
        return terms.gamma_b * terms.background_length + np.max(terms.gammas * terms.lengths, axis=1, initial=0)


@breaks("Equation (9)", on=DISTANCES)
class background_forgotten(Original):
    """The background part is left out."""

    def combined(self, terms: Terms) -> Array:
        return np.sum(terms.gammas * terms.lengths, axis=1)


@breaks("Equation (9)", on=DISTANCES, example=examples.ONE_REGION)
class ratios_swapped(Original):
    """With one region: gamma goes with the background, gamma_b with the region."""

    def combined(self, terms: Terms) -> Array:
        if terms.gammas.shape[1] != 1:
            return super().combined(terms)
        return terms.gammas[:, 0] * terms.background_length + terms.gamma_b * terms.lengths[:, 0]


@breaks("Equation (9)", on=DISTANCES)
class distance_off_by_1e_9(Original):
    """Every distance is wrong by a factor 1 + 1e-9."""

    def combined(self, terms: Terms) -> Array:
        return super().combined(terms) * (1 + 1e-9)


@breaks("Equation (9)", on=DISTANCES)
class midpoint_decides(Original):
    """A pair is measured with the metric of the region that holds its midpoint, or of the background."""

    def terms(self, X_i: Array, X_j: Array, *Theta: Array) -> Terms:
        terms, (centers, radii, *_) = super().terms(X_i, X_j, *Theta), Theta
        middle = (np.asarray(X_i) + np.asarray(X_j)) / 2
        inside = np.sum((middle[:, None] - centers) ** 2, axis=2) <= np.asarray(radii) ** 2
        gammas = inside & (np.cumsum(inside, axis=1) == 1)
        return terms._replace(gammas=gammas.astype(float), gamma_b=1 - np.sum(gammas, axis=1))


@breaks("Equation (9)", on=CROSS)
class cross_distances_transposed(Original):
    """cross_distances returns (m, n)."""

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        return super().cross_distances(X, Y, *Theta).T


@breaks("Equation (9)", on=CROSS, example=examples.SQUARE_BATCH)
class cross_distances_mirrored(Original):
    """When X and Y have equally many rows only the upper triangle is computed and mirrored, as if Y were X."""

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        D = super().cross_distances(X, Y, *Theta)
        return np.triu(D) + np.triu(D, 1).T if len(D) == D.shape[1] else D


@breaks("Equation (9)", on=CROSS, example=examples.SQUARE_BATCH)
class cross_distances_with_zero_diagonal(Original):
    """The diagonal of cross_distances is set to 0, as if Y were X."""

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        D = super().cross_distances(X, Y, *Theta)
        if len(D) == D.shape[1]:
            np.fill_diagonal(D, 0)
        return D


@breaks("Equation (9)", on=CROSS)
class cross_distances_without_regions(Original):
    """cross_distances uses the background metric alone, while distances is right."""

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        d = np.asarray(Y)[None] - np.asarray(X)[:, None]
        return np.sqrt(np.maximum(np.einsum("nmf,fg,nmg->nm", d, Theta[3], d), 0))


# ---- the classifier ----


@breaks("Equation (10)", on=DECISION)
class decision_with_wrong_sign(Original):
    """f is the distance to the positive class minus that to the negative one."""

    def decision(self, to_minus: Array, to_plus: Array) -> Array:
        return to_plus - to_minus


@breaks("Equation (10)", on=DECISION)
class decision_is_its_sign(Original):
    """Only the sign of f is returned."""

    def decision(self, to_minus: Array, to_plus: Array) -> Array:
        return np.sign(to_minus - to_plus)


@breaks("Equation (10)", on=DECISION)
class decision_relative(Original):
    """f is divided by the sum of both means."""

    def decision(self, to_minus: Array, to_plus: Array) -> Array:
        total = to_minus + to_plus
        return np.divide(to_minus - to_plus, total, out=np.zeros_like(total), where=total > 0)


@breaks("Equation (10)", on=DECISION)
class neighbors_summed(Original):
    """The factor 1/K is missing."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return np.sum(np.sort(D, axis=1)[:, :K], axis=1)


@breaks("Equation (10)", on=DECISION)
class one_neighbor_less(Original):
    """The sum runs over K - 1 neighbors, divided by K."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return np.sum(np.sort(D, axis=1)[:, : K - 1], axis=1) / K


@breaks("Equation (10)", on=DECISION)
class one_neighbor_more(Original):
    """The mean runs over K + 1 neighbors where there are so many."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return np.mean(np.sort(D, axis=1)[:, : K + 1], axis=1)


@breaks("Equation (10)", on=DECISION)
class kth_neighbor_alone(Original):
    """The K-th smallest distance in place of the mean of the K smallest."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return np.sort(D, axis=1)[:, K - 1]


@breaks("Equation (10)", on=DECISION)
class farthest_neighbors(Original):
    """The K largest distances are averaged."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return super().mean_of_nearest(-D, K) * -1


@breaks("Equation (10)", on=DECISION)
class whole_class_averaged(Original):
    """The mean runs over the whole class."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return np.mean(D, axis=1)


@breaks("Equation (10)", on=DECISION)
class first_k_rows(Original):
    """The first K of the class are taken, not the nearest K."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return np.mean(D[:, :K], axis=1)


@breaks("Equation (10)", "Proposition 4", on=DECISION)
class equal_distances_collapsed(Original):
    """D_set is a set: equal distances count once."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        smallest = [np.unique(row)[:K] for row in D]
        return np.array([np.sum(row) for row in smallest]) / K


@breaks("Equation (10)", on=DECISION, example=examples.TRAINING_POINT)
class the_point_itself_is_left_out(Original):
    """Distances of 0 are left out, as if x were its own neighbor in training."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return super().mean_of_nearest(np.where(D == 0, np.max(D, axis=1, initial=0, keepdims=True), D), K)


@breaks("Equation (10)", on=DECISION, example=examples.ONE_NEIGHBOR)
class neighbors_by_euclid(Original):
    """The K neighbors are chosen by the Euclidean distance and measured by D."""

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        D = super().cross_distances(X, Y, *Theta)
        self.euclid = np.sum((np.asarray(X)[:, None] - np.asarray(Y)[None]) ** 2, axis=2)
        return D

    def decision_values(self, X: Array, X_minus: Array, X_plus: Array, K: int, *Theta: Array) -> Array:
        means = []
        for Y in (X_minus, X_plus):
            D = self.cross_distances(X, Y, *Theta)
            nearest = np.argsort(self.euclid, axis=1, kind="stable")[:, :K]
            means.append(np.mean(np.take_along_axis(D, nearest, axis=1), axis=1))
        return self.decision(*means)


@breaks("Equation (10)", on=DECISION)
class decision_ignores_regions(Original):
    """f uses the background metric alone."""

    def decision_values(self, X: Array, X_minus: Array, X_plus: Array, K: int, *Theta: Array) -> Array:
        nothing = (np.asarray(part)[:0] for part in Theta[:3])
        return super().decision_values(X, X_minus, X_plus, K, *nothing, Theta[3])
