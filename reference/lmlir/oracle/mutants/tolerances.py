"""Mutants with a tolerance, a limit or a memory in the wrong place: right almost always."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from lmlir.oracle.mutants import examples
from lmlir.oracle.mutants.original import Array, Chords, Original, Pieces, Terms
from lmlir.oracle.mutants.registry import breaks

RATIOS, EXACT, DISTANCES, CROSS = "intersection_ratios", "exact_background_ratios", "distances", "cross_distances"
DECISION, OBJECTIVE, GRADIENT, STEP = "decision_values", "objective", "objective_gradient", "descent_step"


# ---- tolerances ----


@breaks("Section 5.2, dD/dr_s", on=GRADIENT, example=examples.HAIR_LEFT)
class background_gone_below_1e_8(Original):
    """In the gradient, a background ratio below 1e-8 counts as none."""

    def gain(self, terms: Terms) -> Array:
        return terms.lengths - np.where(terms.gamma_b > 1e-8, terms.background_length, 0)[:, None]


@breaks("Section 5.2, dD/dr_s", on=GRADIENT, example=examples.HAIR_TOO_MUCH)
class background_left_up_to_1e_6_beyond(Original):
    """In the gradient, some background is left as long as the ratios add up to less than 1.000001."""

    def gain(self, terms: Terms) -> Array:
        left = np.sum(terms.gammas, axis=1) < 1 + 1e-6
        return terms.lengths - np.where(left, terms.background_length, 0)[:, None]


@breaks("Section 3.2, gamma_b", on=DISTANCES, example=examples.HAIR_LEFT)
class background_ratio_snapped_to_zero(Original):
    """A background ratio below 1e-8 becomes 0."""

    def background_ratio(self, gammas: Array) -> Array:
        gamma_b = super().background_ratio(gammas)
        return np.where(gamma_b < 1e-8, 0, gamma_b)


@breaks("Section 5.2, gradient of g", on=GRADIENT, example=examples.HAIR_BEYOND_HINGE)
class hinge_active_from_1e_10(Original):
    """A pair pulls only when it is more than 1e-10 beyond its hinge."""

    def similar_weights(self, D: Array, C: float) -> Array:
        return np.where(self.similar_slack(D, C) > 1e-10, 1, 0) / max(len(D), 1)


@breaks("Section 5.2, gradient of g", on=GRADIENT, example=examples.NEXT_TO_NO_METRIC)
class shrinkage_with_a_floor(Original):
    """The shrinkage divides by the norm or 1e-15, whichever is larger."""

    def shrinkage(self, metrics: Array, alpha: float) -> Array:
        norms = np.sqrt(np.sum(metrics * metrics, axis=(-2, -1), keepdims=True))
        return alpha * metrics / np.maximum(norms, 1e-15)


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.STEEPER_METRIC)
class smaller_eigenvalues_dropped(Original):
    """Eigenvalues below 1e-12 of the largest count as rounding and become 0."""

    def eigenvalues_kept(self, values: Array) -> Array:
        return np.where(values < 1e-12 * np.max(values, axis=-1, keepdims=True, initial=0), 0, values)


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.HAIR_OUT_OF_THE_CONE)
class projection_skipped_within_1e_12(Original):
    """A matrix whose smallest eigenvalue is above -1e-12 is taken for positive semi-definite."""

    def projected(self, metrics: Array) -> Array:
        if np.all(np.linalg.eigvalsh(metrics) > -1e-12):
            return metrics
        return super().projected(metrics)


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.SMALL_RADIUS)
class small_radii_become_zero(Original):
    """After a step, radii below 1e-10 become 0."""

    def projected_radii(self, radii: Array) -> Array:
        return np.where(radii > 1e-10, radii, 0)


@breaks("Definition 8", on=RATIOS, example=examples.TINY_BALL)
class tiny_balls_dropped(Original):
    """Balls with less than 1e-10 of the largest radius are left out."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        chords = super().chords(X_i, X_j, centers, radii)
        kept = np.asarray(radii) >= 1e-10 * np.max(radii, initial=0)
        return chords._replace(crosses=chords.crosses & kept)


@breaks("Definition 5", on=EXACT, example=examples.HAIR_BETWEEN, alone=True)
class hairs_between_balls_closed(Original):
    """Intervals less than 1e-8 of the segment apart are merged."""

    def union(self, pieces: Pieces) -> float:
        covered, reached = 0.0, 0.0
        for start, end in sorted(piece for piece in pieces if piece[1] > piece[0]):
            start = reached if start - reached < 1e-8 else start
            covered += max(end - max(start, reached), 0)
            reached = max(reached, end)
        return covered


@breaks("Definition 5, footnote", on=EXACT, example=examples.NEARLY_THE_SAME_BEGINNING, alone=True)
class intervals_sorted_in_single_precision(Original):
    """The intervals are sorted by their beginnings in float32."""

    def union(self, pieces: Pieces) -> float:
        covered, reached = 0.0, 0.0
        for start, end in sorted(pieces, key=lambda piece: np.float32(piece[0])):
            covered += max(end - max(start, reached), 0)
            reached = max(reached, end)
        return covered


@breaks("Equation (10)", on=DECISION, example=examples.NEARLY_TIED, alone=True)
class nearest_found_in_single_precision(Original):
    """The K nearest are found by their distances in float32."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        nearest = np.argsort(D.astype(np.float32), axis=1, kind="stable")[:, :K]
        return np.sum(np.take_along_axis(D, nearest, axis=1), axis=1) / K


@breaks("Equation (9)", on=DISTANCES, example=examples.EQUAL_NORMS, alone=True)
class metrics_of_equal_norm_are_equal(Original):
    """When all metrics have the same norm they are taken for equal, and the regions are passed over."""

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        *_, local_metrics, background_metric = Theta
        norms = [self.norm(np.asarray(M)) for M in (*local_metrics, background_metric)]
        if len(norms) > 1 and np.allclose(norms, norms[0], rtol=1e-14, atol=0) and norms[0] > 0:
            return self.length(self.difference(X_i, X_j), np.asarray(background_metric))
        return super().distances(X_i, X_j, *Theta)


@breaks("Definition 3", on=DISTANCES, example=examples.ALMOST_NULL)
class squares_taken_for_positive(Original):
    """The square root of a squared length is taken without a look at its sign, which rounding may turn."""

    def length(self, d: Array, metric: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return np.sqrt(np.einsum("pf,fg,pg->p", d, metric, d))


@breaks("Definition 8", "Table 2, row 7", on=RATIOS, example=examples.HUGE_SPHERE, alone=True)
class huge_balls_hold_what_they_meet(Original):
    """A ball more than fifty times as large as the segment holds all of it if it holds its middle."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        middle = (np.asarray(X_i) + np.asarray(X_j))[:, None] / 2 - np.asarray(centers)
        length = np.sqrt(self.square(self.difference(X_i, X_j)))[:, None]
        inside = np.sqrt(self.square(middle)) < radii
        return np.where(inside & (np.asarray(radii) > 50 * length) & (length > 0), 1, gammas)


@breaks("Theorem A", on=DISTANCES, example=examples.NEARLY_EQUAL_METRICS)
class chords_in_nearly_equal_metrics_rounded_up(Original):
    """Where a metric is nearly the background's, a chord counts as at least a twentieth of the segment."""

    def terms(self, X_i: Array, X_j: Array, *Theta: Array) -> Terms:
        terms, (*_, local_metrics, background_metric) = super().terms(X_i, X_j, *Theta), Theta
        limit = 0.01 * self.norm(np.asarray(background_metric))
        alike = [self.norm(np.asarray(M) - background_metric) < limit for M in local_metrics]
        short = np.array(alike, dtype=bool) & (terms.gammas > 0) & (terms.gammas < 0.05)
        gammas = np.where(short, 0.05, terms.gammas)
        return terms._replace(gammas=gammas, gamma_b=self.background_ratio(gammas))


@breaks("Theorem C", on=EXACT, example=examples.TWO_GRAZED, alone=True)
class grazed_balls_rounded_up(Original):
    """When a segment grazes several balls, each chord below a hundredth counts as a hundredth in the union."""

    def union(self, pieces: Pieces) -> float:
        grazed = [0 < end - start < 0.01 for start, end in pieces]
        if sum(grazed) > 1:
            pieces = [(a, a + 0.01 if short else b) for (a, b), short in zip(pieces, grazed, strict=True)]
        return super().union(pieces)


# ---- limits ----


@breaks("Definition 3", "Equation (9)", on=DISTANCES, example=examples.MANY_MORE_FEATURES, alone=True)
class room_for_32_features(Original):
    """Lengths are measured in the first 32 features."""

    def length(self, d: Array, metric: Array) -> Array:
        return super().length(d[:, :32], metric[:32, :32])


@breaks("Equation (9)", on=DISTANCES, example=examples.MANY_MORE_REGIONS, alone=True)
class a_mask_of_16_regions(Original):
    """A mask of two bytes says which regions a segment meets; the others are taken for missed."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        gammas[:, 16:] = 0
        return gammas


@breaks("Equation (10)", on=DECISION, example=examples.MANY_NEIGHBORS, alone=True)
class a_heap_of_32_neighbors(Original):
    """At most 32 neighbors are kept, whatever K."""

    def mean_of_nearest(self, D: Array, K: int) -> Array:
        return super().mean_of_nearest(D, min(K, 32))


# ---- memory ----


@breaks("Subject interface", on=RATIOS, example=examples.COLUMN_BY_COLUMN, alone=True)
class arrays_read_row_by_row(Original):
    """Arrays are read as they lie in memory, as if row by row."""

    def chords(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Chords:
        X_i, X_j, centers = (np.ravel(each, order="K").reshape(np.shape(each)) for each in (X_i, X_j, centers))
        return super().chords(X_i, X_j, centers, radii)


@breaks("Subject interface", on=CROSS, alone=True)
class overlapping_arrays_taken_for_one(Original):
    """X and Y that share memory are taken for the same points: half of the distances are worked out, and mirrored."""

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        D = super().cross_distances(X, Y, *Theta)
        if np.shares_memory(X, Y) and len(X) == len(Y):
            D = np.triu(D, 1) + np.triu(D, 1).T
        return D


@breaks("Subject interface", on=CROSS, alone=True)
class remembered_by_identity(Original):
    """Cross distances are remembered for the array object X, whatever it holds by now."""

    def __init__(self) -> None:
        self.memory: tuple[Any, Any, Array] | None = None

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        if self.memory is None or self.memory[0] is not X or self.memory[1] is not Y:
            D = super().cross_distances(X, Y, *Theta)
            self.memory = X, Y, D
        return self.memory[2].copy()


class RemembersTheLastCall(Original):
    """Gives its last answer again when all arguments but the last one are the same."""

    def __init__(self) -> None:
        self.key: Any = None
        self.answer: Any = None

    def remembered(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """The last answer of a function, or a new one."""
        key = [(np.shape(each), np.asarray(each).tobytes()) for each in arguments[:-1]]
        if key != self.key:
            self.key, self.answer = key, function(*arguments)
        return copy.deepcopy(self.answer)


@breaks("Subject interface", on=OBJECTIVE, alone=True)
class last_objective_remembered_without_its_margin(RemembersTheLastCall):
    """The last value of g is remembered by all arguments but C."""

    def objective(self, *arguments: Any) -> Any:
        return self.remembered(super().objective, arguments)


@breaks("Subject interface", on=STEP, alone=True)
class last_step_remembered_without_its_rate(RemembersTheLastCall):
    """The last step is remembered by all arguments but beta."""

    def descent_step(self, *arguments: Any) -> Any:
        return self.remembered(super().descent_step, arguments)


@breaks("Subject interface", on=DISTANCES, example=examples.HUNDREDS, alone=True)
class large_batches_moved_in_place(Original):
    """Batches of more than 256 pairs are moved to their middle in place."""

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        D = super().distances(X_i, X_j, *Theta)
        if len(X_i) > 256:
            X_i -= np.mean(X_i, axis=0)
        return D


@breaks("Subject interface", on=DISTANCES, alone=True)
class two_buffers_in_turn(Original):
    """Distances are written into two buffers in turn, which answers share."""

    def __init__(self) -> None:
        self.buffers: dict[Any, Array] = {}
        self.turn = 0

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        D = super().distances(X_i, X_j, *Theta)
        self.turn = 1 - self.turn
        buffer = self.buffers.setdefault((len(D), self.turn), np.zeros_like(D))
        buffer[:] = D
        return buffer


@breaks("Subject interface", on=RATIOS)
class buffer_shared_by_two_functions(Original):
    """The exact background ratio is worked out in the array in which the ratios were last given away."""

    def __init__(self) -> None:
        self.workspace: Array = np.zeros((0, 0))

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        self.workspace = super().intersection_ratios(X_i, X_j, centers, radii)
        return self.workspace

    def exact_background_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        if self.workspace.shape == (len(X_i), len(radii)):
            self.workspace[:] = super().intersection_ratios(X_i, X_j, centers, radii)
        return super().exact_background_ratios(X_i, X_j, centers, radii)


@breaks("Subject interface", on=STEP, example=examples.ZERO_STEP, alone=True)
class zero_step_gives_its_arguments_back(Original):
    """A step of length zero returns the very arrays that it was given."""

    def descent_step(self, *arguments: Any) -> Any:
        return arguments[3:7] if arguments[-1] == 0 else super().descent_step(*arguments)
