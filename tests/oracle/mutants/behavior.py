"""Mutants that change their inputs, share or remember answers, or refuse what is legal, although
their numbers may be right.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import threading
from typing import Any

import numpy as np

from lmlir.oracle.interface import BEHAVIOR
from tests.oracle.mutants.original import Array, Chords, Original
from tests.oracle.mutants.registry import breaks

RATIOS = "intersection_ratios"
EXACT = "exact_background_ratios"
CROSS = "cross_distances"


@breaks(BEHAVIOR, on=RATIOS)
class empty_batch_crashes(Original):
    """Takes the maximum of an empty batch and crashes."""

    def difference(self, X_i: Array, X_j: Array) -> Array:
        d = super().difference(X_i, X_j)
        return d if np.max(np.abs(d)) > 0 else d


@breaks(BEHAVIOR, on=RATIOS, alone=True)
class arrays_read_row_by_row(Original):
    """Reads the memory of an array as if its rows followed each other."""

    def chords(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Chords:
        X_i, X_j, centers = (
            np.ravel(each, order="K").reshape(np.shape(each)) for each in (X_i, X_j, centers)
        )
        return super().chords(X_i, X_j, centers, radii)


@breaks(BEHAVIOR, on=RATIOS, alone=True)
class read_only_arrays_refused(Original):
    """Writes to its arguments, even if only the same numbers, and fails on read-only arrays."""

    def intersection_ratios(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Array:
        radii[...] = radii + 0.0
        return super().intersection_ratios(X_i, X_j, centers, radii)


@breaks(BEHAVIOR, on=RATIOS)
class answer_in_a_shared_buffer(Original):
    """Reuses one output array per shape, so that the next call overwrites an answer."""

    def __init__(self) -> None:
        self.buffers: dict[tuple[int, ...], Array] = {}

    def intersection_ratios(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Array:
        gammas = super().intersection_ratios(X_i, X_j, centers, radii)
        buffer = self.buffers.setdefault(gammas.shape, gammas)
        buffer[...] = gammas
        return buffer


@breaks(BEHAVIOR, on=RATIOS)
class buffer_shared_by_two_functions(Original):
    """Computes the exact background ratio in the array that the ratios were returned in."""

    def __init__(self) -> None:
        self.workspace: Array = np.zeros((0, 0))

    def intersection_ratios(
        self,
        X_i: Array,
        X_j: Array,
        centers: Array,
        radii: Array,
    ) -> Array:
        self.workspace = super().intersection_ratios(X_i, X_j, centers, radii)
        return self.workspace

    def exact_background_ratios(
        self, X_i: Array, X_j: Array, centers: Array, radii: Array
    ) -> Array:
        if self.workspace.shape == (len(X_i), len(radii)):
            self.workspace[:] = super().intersection_ratios(X_i, X_j, centers, radii)
        return super().exact_background_ratios(X_i, X_j, centers, radii)


@breaks(BEHAVIOR, on=EXACT, alone=True)
class union_remembered_by_radii(Original):
    """Caches answers by the radii and the number of pairs, without the points."""

    def __init__(self) -> None:
        self.memory: dict[Any, Array] = {}

    def exact_background_ratios(
        self, X_i: Array, X_j: Array, centers: Array, radii: Array
    ) -> Array:
        key = len(X_i), tuple(np.asarray(radii).tolist()), np.shape(centers)
        return self.memory.setdefault(
            key, super().exact_background_ratios(X_i, X_j, centers, radii)
        ).copy()


@breaks(BEHAVIOR, on=EXACT, alone=True)
class answers_in_the_type_of_the_points(Original):
    """Returns an array of the points' type, which cuts off the fractions when that is an integer
    type.
    """

    def exact_background_ratios(
        self, X_i: Array, X_j: Array, centers: Array, radii: Array
    ) -> Array:
        ratios = super().exact_background_ratios(X_i, X_j, centers, radii)
        return ratios.astype(np.asarray(X_i).dtype)


@breaks(BEHAVIOR, on="distances", alone=True)
class ready_in_one_thread_only(Original):
    """Keeps its state in the thread that loaded it and fails in every other thread."""

    def __init__(self) -> None:
        self.local = threading.local()
        self.local.one = 1.0

    def distances(self, X_i: Array, X_j: Array, *Theta: Array) -> Array:
        return super().distances(X_i, X_j, *Theta) * self.local.one


@breaks(BEHAVIOR, on=CROSS, alone=True)
class overlapping_arrays_taken_for_one(Original):
    """Takes X and Y for the same points when they share memory."""

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        D = super().cross_distances(X, Y, *Theta)
        if np.shares_memory(X, Y) and len(X) == len(Y):
            D = np.triu(D, 1) + np.triu(D, 1).T
        return D


@breaks(BEHAVIOR, on=CROSS, alone=True)
class remembered_by_identity(Original):
    """Caches answers by the array objects X and Y, although their contents may have changed."""

    def __init__(self) -> None:
        self.memory: tuple[Any, Any, Array] | None = None

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        if self.memory is None or self.memory[0] is not X or self.memory[1] is not Y:
            self.memory = X, Y, super().cross_distances(X, Y, *Theta)
        return self.memory[2].copy()


@breaks(BEHAVIOR, on="decision_values")
class training_set_sorted_in_place(Original):
    """Reorders the training points in place."""

    def cross_distances(self, X: Array, Y: Array, *Theta: Array) -> Array:
        D = super().cross_distances(X, Y, *Theta)
        Y[...] = Y[::-1].copy()
        return D


@breaks(BEHAVIOR, on="decision_values", alone=True)
class small_classes_averaged(Original):
    """Averages the whole class when it has fewer than K members, instead of raising an error."""

    def decision_values(
        self, X: Array, X_minus: Array, X_plus: Array, K: int, *Theta: Array
    ) -> Array:
        near = [
            self.mean_of_nearest(self.cross_distances(X, Y, *Theta), min(K, len(Y)))
            for Y in (X_minus, X_plus)
        ]
        return self.decision(*near)


@breaks(BEHAVIOR, on="objective", alone=True)
class last_objective_remembered_without_its_margin(Original):
    """Caches the last answer by all arguments except C."""

    def __init__(self) -> None:
        self.key: Any = None
        self.answer: Any = None

    def objective(self, *arguments: Any) -> Any:
        key = [(np.shape(each), np.asarray(each).tobytes()) for each in arguments[:-1]]
        if key != self.key:
            self.key, self.answer = key, super().objective(*arguments)
        return self.answer


@breaks(BEHAVIOR, on="objective_gradient", alone=True)
class gradient_parts_in_another_order(Original):
    """Returns the gradients by the metrics before those by centers and radii."""

    def objective_gradient(self, *arguments: Any) -> Any:
        by_center, by_radius, by_local, by_background = super().objective_gradient(*arguments)
        return by_local, by_background, by_center, by_radius


@breaks(BEHAVIOR, on="descent_step", alone=True)
class zero_step_gives_its_arguments_back(Original):
    """Returns the arrays that it was given, not copies, when beta is 0."""

    def descent_step(self, *arguments: Any) -> Any:
        return arguments[3:7] if arguments[-1] == 0 else super().descent_step(*arguments)


@breaks(BEHAVIOR, on="descent_step")
class parameters_moved_in_place(Original):
    """Overwrites the parameters that it was given."""

    def descent_step(self, X: Array, similar: Array, dissimilar: Array, *rest: Any) -> Any:
        after = super().descent_step(X, similar, dissimilar, *rest)
        for part, new in zip(rest[:4], after, strict=True):
            part[...] = new
        return rest[:4]
