"""Mutants whose numbers may be right, but which change their inputs, depend on the batch or remember earlier calls."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import threading
from typing import Any

import numpy as np

from lmlir.oracle.mutants import examples
from lmlir.oracle.mutants.original import Array, Chords, Original, Terms
from lmlir.oracle.mutants.registry import breaks

RATIOS, DISTANCES, GRADIENT, STEP = "intersection_ratios", "distances", "objective_gradient", "descent_step"


@breaks("Definition 8", on=RATIOS, example=examples.APART)
class batch_normalized(Original):
    """The ratios are divided by the largest of the batch."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        gammas = lambda_q - lambda_p
        largest = np.max(gammas, initial=0)
        return gammas / largest if largest > 0 else gammas


@breaks("Table 2", on=RATIOS)
class first_pair_decides_for_all(Original):
    """A region that the first pair's line misses is skipped for the whole batch."""

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        return np.where(chords.crosses[:1], lambda_q - lambda_p, 0)


@breaks("Equation (9)", on=DISTANCES)
class pairs_answered_in_sorted_order(Original):
    """The distances come back sorted."""

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        return np.sort(super().distances(X_i, X_j, *Theta))


@breaks("Subject interface", on=RATIOS)
class input_shifted_in_place(Original):
    """X_j is overwritten with X_j - X_i."""

    def difference(self, X_i: Array, X_j: Array) -> Array:
        d = super().difference(X_i, X_j)
        X_j[...] = d
        return d


@breaks("Subject interface", on=STEP)
class parameters_moved_in_place(Original):
    """The step overwrites the parameters it was given."""

    def descent_step(self, X: Array, similar: Array, dissimilar: Array, *rest: Any) -> Any:
        after = super().descent_step(X, similar, dissimilar, *rest)
        for part, new in zip(rest[:4], after, strict=True):
            part[...] = new
        return rest[:4]


@breaks("Subject interface", on="decision_values")
class training_set_sorted_in_place(Original):
    """X_minus is sorted in place; its order does not matter to the answer."""

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        D = super().cross_distances(X, Y, *Theta)
        Y[...] = Y[::-1].copy()
        return D


@breaks("Subject interface", on=DISTANCES)
class answer_remembered_by_shape(Original):
    """Distances are remembered by the shape of the batch alone."""

    def __init__(self) -> None:
        self.memory: dict[tuple[Any, ...], Array] = {}

    def combined(self, terms: Terms) -> Array:
        key = terms.gammas.shape, terms.d.shape
        return self.memory.setdefault(key, super().combined(terms)).copy()


@breaks("Subject interface", on=RATIOS)
class answer_in_a_shared_buffer(Original):
    """Batches of one shape share one output array: an answer changes when the next is computed."""

    def __init__(self) -> None:
        self.buffers: dict[tuple[int, ...], Array] = {}

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        buffer = self.buffers.setdefault(gammas.shape, gammas)
        buffer[...] = gammas
        return buffer


@breaks("Subject interface", on=DISTANCES)
class answers_drift(Original):
    """Every call adds to a running mean of the metric: the same question gets another answer each time."""

    def __init__(self) -> None:
        self.calls = 0

    def combined(self, terms: Terms) -> Array:
        self.calls += 1
        return super().combined(terms) * (1 + 1e-7 * (self.calls - 1))


@breaks("Subject interface", on=RATIOS)
class random_noise(Original):
    """gamma is estimated with noise of 1e-7."""

    def __init__(self) -> None:
        self.draw = np.random.default_rng(0)

    def ratio(self, lambda_p: Array, lambda_q: Array, chords: Chords) -> Array:
        gammas = lambda_q - lambda_p
        return np.clip(gammas + 1e-7 * self.draw.normal(size=gammas.shape), 0, 1)


@breaks("Equation (9)", on=DISTANCES)
class single_precision(Original):
    """The distance is computed in float32."""

    def combined(self, terms: Terms) -> Array:
        return super().combined(Terms(*(part.astype(np.float32) for part in terms))).astype(float)


@breaks("Definition 8", on=RATIOS)
class integers_returned(Original):
    """gamma is converted to integers."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        return super().intersection_ratios(X_i, X_j, centers, radii).astype(int)


@breaks("Equation (9)", on=DISTANCES)
class distances_as_a_column(Original):
    """distances returns (P, 1)."""

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        return super().distances(X_i, X_j, *Theta)[:, None]

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        return Original().cross_distances(X, Y, *Theta)


@breaks("Table 2, row 1", on=RATIOS)
class missed_ball_is_nan(Original):
    """A ball that the line misses has the ratio NaN."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        chords = self.chords(X_i, X_j, centers, radii)
        return np.where(chords.crosses, super().intersection_ratios(X_i, X_j, centers, radii), np.nan)

    def terms(self, X_i: Array, X_j: Array, *Theta: Array) -> Terms:
        return Original().terms(X_i, X_j, *Theta)


@breaks("Equation (9)", on=DISTANCES, example=examples.NESTED)
class overlap_refused(Original):
    """Overlapping regions are refused, as if Proposition 2 were all there is."""

    def terms(self, X_i: Array, X_j: Array, *Theta: Array) -> Terms:
        centers, radii, *_ = Theta
        gaps = np.sqrt(np.sum((np.asarray(centers)[:, None] - np.asarray(centers)[None]) ** 2, axis=2))
        reach = np.asarray(radii)[:, None] + np.asarray(radii)[None]
        if np.any(np.triu(gaps < reach, 1)):
            raise ValueError("the regions overlap")
        return super().terms(X_i, X_j, *Theta)


@breaks("Subject interface", on=GRADIENT)
class gradient_parts_in_another_order(Original):
    """The gradient comes as metrics first, then centers and radii."""

    def objective_gradient(self, *arguments: Any) -> Any:
        by_center, by_radius, by_local, by_background = super().objective_gradient(*arguments)
        return by_local, by_background, by_center, by_radius

    def descent_step(self, *arguments: Any) -> Any:
        return Original().descent_step(*arguments)


@breaks("Subject interface", on="decision_values", alone=True)
class small_classes_averaged(Original):
    """Where a class has fewer than K members, all of them are averaged."""

    def decision_values(self, X: Array, X_minus: Array, X_plus: Array, K: int, *Theta: Array) -> Array:
        to_minus, to_plus = (self.cross_distances(X, Y, *Theta) for Y in (X_minus, X_plus))
        return self.mean_of_nearest(to_minus, min(K, len(X_minus))) - self.mean_of_nearest(to_plus, min(K, len(X_plus)))


@breaks("Subject interface", on=DISTANCES, alone=True)
class ready_in_one_thread_only(Original):
    """What the distances need is there in the thread that loaded the subject, and in no other."""

    def __init__(self) -> None:
        self.local = threading.local()
        self.local.one = 1.0

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        try:
            return super().distances(X_i, X_j, *Theta) * self.local.one
        except AttributeError as error:
            raise ValueError(str(error)) from error


@breaks("Subject interface", on=RATIOS, alone=True)
class read_only_arrays_refused(Original):
    """The radii are put into order in place, and back again: arrays that cannot be written to are refused."""

    def intersection_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        radii[...] = radii + 0.0
        return super().intersection_ratios(X_i, X_j, centers, radii)


@breaks("Subject interface", on="exact_background_ratios", alone=True)
class answers_in_the_type_of_the_points(Original):
    """The answer is put into an array of the points' type: of integers, if these are integers."""

    def exact_background_ratios(self, X_i: Array, X_j: Array, centers: Array, radii: Array) -> Array:
        ratios = super().exact_background_ratios(X_i, X_j, centers, radii)
        return ratios.astype(np.asarray(X_i).dtype)


@breaks("Subject interface", on=GRADIENT, alone=True)
class remembered_by_the_identity_of_the_metrics(Original):
    """The gradient is remembered for the array objects that hold the local metrics and the pairs."""

    def __init__(self) -> None:
        self.memory: tuple[Any, Any] | None = None

    def objective_gradient(self, *arguments: Any) -> Any:
        key = arguments[5], arguments[1]
        if self.memory is None or any(a is not b for a, b in zip(self.memory[0], key, strict=True)):
            self.memory = key, super().objective_gradient(*arguments)
        return tuple(part.copy() for part in self.memory[1])
