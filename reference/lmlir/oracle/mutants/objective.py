"""Mutants of the objective and of the descent step: section 5."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np

from lmlir.oracle.mutants import examples
from lmlir.oracle.mutants.original import Array, Original
from lmlir.oracle.mutants.registry import breaks

OBJECTIVE, STEP = "objective", "descent_step"


# ---- the objective ----


@breaks("Equation (12)", on=OBJECTIVE)
class counts_swapped(Original):
    """1/N_1 and 1/N_2 change places."""

    def objective(self, X: Array, similar: Array, dissimilar: Array, *rest: Any) -> Any:
        *Theta, alpha, C = rest
        near = self.similar_slack(self.distances(*self.ends(X, similar), *Theta), C)
        far = self.dissimilar_slack(self.distances(*self.ends(X, dissimilar), *Theta), C)
        loss = np.sum(near) / max(len(far), 1) + np.sum(far) / max(len(near), 1)
        return loss + self.penalty(Theta[2], Theta[3], alpha)


@breaks("Equation (12)", on=OBJECTIVE)
class counts_merged(Original):
    """One average over all pairs in place of two averages."""

    def objective(self, X: Array, similar: Array, dissimilar: Array, *rest: Any) -> Any:
        *Theta, alpha, C = rest
        near = self.similar_slack(self.distances(*self.ends(X, similar), *Theta), C)
        far = self.dissimilar_slack(self.distances(*self.ends(X, dissimilar), *Theta), C)
        return self.average(np.concatenate([near, far])) + self.penalty(Theta[2], Theta[3], alpha)


@breaks("Equation (12)", on=OBJECTIVE)
class losses_summed(Original):
    """The losses are summed over the pairs, not averaged."""

    def average(self, slacks: Array) -> Any:
        return np.sum(slacks)


@breaks("Equation (12)", on=OBJECTIVE, example=examples.NO_PAIRS)
class average_of_nothing_is_nan(Original):
    """An empty list of pairs gives 0/0."""

    def average(self, slacks: Array) -> Any:
        return np.mean(slacks) if len(slacks) else np.nan


@breaks("Equation (12)", on=OBJECTIVE)
class similar_hinge_forgotten(Original):
    """Similar pairs that are near enough count with a negative loss."""

    def similar_slack(self, D: Array, C: float) -> Array:
        return D - (1 - C)


@breaks("Equation (12)", on=OBJECTIVE, example=examples.SATISFIED)
class dissimilar_hinge_forgotten(Original):
    """Dissimilar pairs that are far enough count with a negative loss."""

    def dissimilar_slack(self, D: Array, C: float) -> Array:
        return 1 + C - D


@breaks("Equation (12)", on=OBJECTIVE)
class squared_hinge(Original):
    """The hinge of similar pairs is squared."""

    def similar_slack(self, D: Array, C: float) -> Array:
        return super().similar_slack(D, C) ** 2


@breaks("Equation (12)", on=OBJECTIVE)
class margins_swapped(Original):
    """1 - C and 1 + C change places."""

    def similar_slack(self, D: Array, C: float) -> Array:
        return super().similar_slack(D, -C)

    def dissimilar_slack(self, D: Array, C: float) -> Array:
        return super().dissimilar_slack(D, -C)


@breaks("Equation (12)", on=OBJECTIVE)
class margin_fixed(Original):
    """C is 1/2, as in the experiments, whatever is given."""

    def similar_slack(self, D: Array, C: float) -> Array:
        return super().similar_slack(D, 0.25)


@breaks("Equation (12)", on=OBJECTIVE)
class printed_dissimilar_constraint(Original):
    """E1 as printed: D >= 1 + C + xi leaves every dissimilar slack at 0."""

    def dissimilar_slack(self, D: Array, C: float) -> Array:
        return np.zeros_like(D)


@breaks("Equation (12)", on=OBJECTIVE)
class labels_swapped(Original):
    """Similar and dissimilar pairs change places."""

    def objective(self, X: Array, similar: Array, dissimilar: Array, *rest: Any) -> Any:
        return super().objective(X, dissimilar, similar, *rest)


@breaks("Equation (12)", on=OBJECTIVE)
class penalty_squared(Original):
    """The penalty is the squared Frobenius norm."""

    def norm(self, metric: Array) -> Any:
        return np.sum(metric * metric)


@breaks("Equation (12)", on=OBJECTIVE)
class penalty_spectral(Original):
    """The penalty is the spectral norm."""

    def norm(self, metric: Array) -> Any:
        return np.linalg.norm(metric, 2)


@breaks("Equation (12)", on=OBJECTIVE)
class penalty_trace(Original):
    """The penalty is the trace."""

    def norm(self, metric: Array) -> Any:
        return np.trace(metric)


@breaks("Equation (12)", on=OBJECTIVE)
class penalty_forgets_background(Original):
    """The background metric is not penalized."""

    def penalty(self, local_metrics: Array, background_metric: Array, alpha: float) -> Any:
        return super().penalty(local_metrics, 0 * np.asarray(background_metric), alpha)


@breaks("Equation (12)", on=OBJECTIVE)
class penalty_forgets_a_region(Original):
    """The last region's metric is not penalized."""

    def penalty(self, local_metrics: Array, background_metric: Array, alpha: float) -> Any:
        return super().penalty(local_metrics[:-1], background_metric, alpha)


@breaks("Equation (12)", on=OBJECTIVE)
class penalty_of_the_stack(Original):
    """One Frobenius norm over the stack of all local metrics in place of the sum of their norms."""

    def penalty(self, local_metrics: Array, background_metric: Array, alpha: float) -> Any:
        return alpha * (self.norm(np.asarray(local_metrics)) + self.norm(np.asarray(background_metric)))


@breaks("Equation (12)", on=OBJECTIVE)
class penalty_averaged(Original):
    """The penalty of the regions is divided by S."""

    def penalty(self, local_metrics: Array, background_metric: Array, alpha: float) -> Any:
        local = super().penalty(local_metrics, 0 * np.asarray(background_metric), alpha)
        return local / max(len(local_metrics), 1) + alpha * self.norm(np.asarray(background_metric))


@breaks("Equation (12)", on=OBJECTIVE)
class alpha_forgotten_for_background(Original):
    """The background's norm is added without alpha."""

    def penalty(self, local_metrics: Array, background_metric: Array, alpha: float) -> Any:
        rest = super().penalty(local_metrics, 0 * np.asarray(background_metric), alpha)
        return rest + self.norm(np.asarray(background_metric))


@breaks("Equation (12)", on=OBJECTIVE, example=examples.REPEATED_PAIRS)
class repeated_pairs_collapsed(Original):
    """A pair that occurs twice counts once."""

    def ends(self, X: Array, pairs: Array) -> tuple[Array, Array]:
        pairs = np.asarray(pairs, dtype=int).reshape(-1, 2)
        return super().ends(X, np.unique(pairs, axis=0) if len(pairs) else pairs)


@breaks("Equation (12)", on=OBJECTIVE)
class mirrored_pairs_collapsed(Original):
    """A pair and its mirror image count once."""

    def ends(self, X: Array, pairs: Array) -> tuple[Array, Array]:
        pairs = np.asarray(pairs, dtype=int).reshape(-1, 2)
        kept = [pair for k, pair in enumerate(pairs) if pair[::-1].tolist() not in pairs[:k].tolist()]
        return super().ends(X, np.array(kept, dtype=int))


@breaks("Equation (12)", on=OBJECTIVE)
class pairs_index_from_one(Original):
    """Pairs are read as indices from 1, and wrap around at 0."""

    def ends(self, X: Array, pairs: Array) -> tuple[Array, Array]:
        return super().ends(X, np.asarray(pairs, dtype=int).reshape(-1, 2) - 1)


@breaks("Equation (12)", on=OBJECTIVE)
class objective_off_by_1e_9(Original):
    """The objective is wrong by 1e-9."""

    def objective(self, *arguments: Any) -> Any:
        return super().objective(*arguments) + 1e-9


# ---- the descent step ----


@breaks("Section 5.2, gradient descent", on=STEP)
class ascent(Original):
    """The step goes uphill."""

    def moved(self, part: Array, slope: Array, beta: float) -> Array:
        return part + beta * slope


@breaks("Section 5.2, gradient descent", on=STEP)
class rate_squared(Original):
    """The step uses beta squared."""

    def moved(self, part: Array, slope: Array, beta: float) -> Array:
        return part - beta * beta * slope


@breaks("Section 5.2, gradient descent", on=STEP)
class rate_halved(Original):
    """The step is half as long."""

    def moved(self, part: Array, slope: Array, beta: float) -> Array:
        return part - 0.5 * beta * slope


@breaks("Section 5.2, gradient descent", on=STEP)
class normalized_step(Original):
    """Every gradient is divided by its length before the step."""

    def moved(self, part: Array, slope: Array, beta: float) -> Array:
        length = np.sqrt(np.sum(slope * slope))
        return part - beta * slope / length if length > 0 else part + 0


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class cone_forgotten(Original):
    """Metrics may leave the cone."""

    def projected(self, metrics: Array) -> Array:
        return metrics


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class eigenvalues_made_positive(Original):
    """Negative eigenvalues change sign instead of becoming 0."""

    def eigenvalues_kept(self, values: Array) -> Array:
        return np.abs(values)


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class entries_clipped(Original):
    """The entries of a metric are clipped at 0 instead of its eigenvalues."""

    def projected(self, metrics: Array) -> Array:
        return np.maximum(metrics, 0)


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class diagonal_clipped(Original):
    """Only the diagonal of a metric is kept non-negative."""

    def projected(self, metrics: Array) -> Array:
        eye = np.eye(metrics.shape[-1], dtype=bool)
        return np.where(eye, np.maximum(metrics, 0), metrics)


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class eigenvalues_with_a_floor(Original):
    """Eigenvalues are raised to 1e-6 so that the metric stays definite."""

    def eigenvalues_kept(self, values: Array) -> Array:
        return np.maximum(values, 1e-6)


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class eigenvectors_transposed(Original):
    """The projection puts the eigenvectors together as V^T diag V."""

    def projected(self, metrics: Array) -> Array:
        values, vectors = np.linalg.eigh(metrics)
        return (np.swapaxes(vectors, -1, -2) * self.eigenvalues_kept(values)[..., None, :]) @ vectors


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class background_not_projected(Original):
    """Only the local metrics are projected."""

    def projected(self, metrics: Array) -> Array:
        return super().projected(metrics) if metrics.ndim == 3 else metrics


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class indefinite_metric_becomes_zero(Original):
    """A metric with a negative eigenvalue is set to 0."""

    def eigenvalues_kept(self, values: Array) -> Array:
        return np.where(np.min(values, axis=-1, keepdims=True) < 0, 0, values)


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class negative_radius_kept(Original):
    """Radii may become negative."""

    def projected_radii(self, radii: Array) -> Array:
        return radii


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class negative_radius_mirrored(Original):
    """A negative radius changes sign."""

    def projected_radii(self, radii: Array) -> Array:
        return np.abs(radii)


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class radius_with_a_floor(Original):
    """Radii are kept above 1e-3."""

    def projected_radii(self, radii: Array) -> Array:
        return np.maximum(radii, 1e-3)


@breaks("Section 5.2, gradient descent", on=STEP)
class one_part_after_the_other(Original):
    """The metrics' gradient is taken after centers and radii have moved."""

    def descent_step(self, X: Array, similar: Array, dissimilar: Array, *rest: Any) -> Any:
        new_centers, new_radii, *_ = super().descent_step(X, similar, dissimilar, *rest)
        *_, locals_, background = super().descent_step(X, similar, dissimilar, new_centers, new_radii, *rest[2:])
        return new_centers, new_radii, locals_, background


@breaks("Section 5.2, gradient descent", on=STEP)
class background_stays(Original):
    """The background metric is never moved."""

    def descent_step(self, *arguments: Any) -> Any:
        return *super().descent_step(*arguments)[:3], np.array(arguments[6])


@breaks("Section 5.2, gradient descent", on=STEP)
class centers_stay(Original):
    """The centers are never moved."""

    def descent_step(self, *arguments: Any) -> Any:
        return np.array(arguments[3]), *super().descent_step(*arguments)[1:]


@breaks("Section 5.2, gradient descent", on=STEP, example=examples.BIG_STEP)
class step_refused_when_it_rises(Original):
    """A step that would raise the objective is not taken."""

    def descent_step(self, X: Array, similar: Array, dissimilar: Array, *rest: Any) -> Any:
        problem, (*Theta, alpha, C, _) = (X, similar, dissimilar), rest
        after = super().descent_step(*problem, *rest)
        if self.objective(*problem, *after, alpha, C) > self.objective(*problem, *Theta, alpha, C):
            return tuple(np.array(part) for part in Theta)
        return after


@breaks("Section 5.2, gradient descent", on=STEP)
class weight_decay_on_radii(Original):
    """The radii are shrunk by one in a hundred at every step."""

    def projected_radii(self, radii: Array) -> Array:
        return np.maximum(radii * 0.99, 0)


@breaks("Section 5.2, gradient descent", on=STEP)
class trace_kept(Original):
    """After the projection a metric is scaled back to the trace it had before it."""

    def projected(self, metrics: Array) -> Array:
        inside = super().projected(metrics)
        before, after = np.trace(metrics, axis1=-2, axis2=-1), np.trace(inside, axis1=-2, axis2=-1)
        scale = np.divide(before, after, out=np.ones_like(after), where=after > 0)
        return inside * scale[..., None, None]
