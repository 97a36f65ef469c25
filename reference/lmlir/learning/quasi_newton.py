r"""Choice C19: the default rule, a quasi-Newton descent that is made for what g is.

*A cone.* A metric is positive semi-definite exactly when it is $L L^\top$. Over the factors L there
is no constraint and no projection, and all parameters can move together; the slope in L is $2 G L$,
with G the gradient in M. Where L is invertible, a stationary L has $G = 0$, so that M is
stationary, too. Where it is not, $G L = 0$ leaves open whether g would fall in a direction that L
lacks: L = 0 is stationary whatever G is (`proofs.learning`). A metric that is 0 stays 0 in a stage;
only the plain steps, which need no factors, and `split` can bring it back.

*Hinges.* L-BFGS needs a continuous slope. Each hinge becomes a quadratic over a width that shrinks
in `WIDTHS` and then to `LAST_WIDTH` (`lmlir.learning.engines`). The last stage is g itself, kinks
and all, and is short.

*Spheres.* At a tangency the slope of gamma is infinite, and wherever a sphere meets an end point it
jumps. A quasi-Newton step there leads far away, usually to balls that hold everything, where no
center or radius has a slope any more. So the descent begins with `PLAIN_STEPS` small steps of the
subgradient method, which let the balls settle, and afterwards a unit of a center or a radius counts
as `POSITION_UNIT`.

*Regions that die out.* A metric without pairs shrinks by a constant amount each step until it is 0
(Theorem E), and many minima have such regions. Where the background becomes the strongest metric,
the descent begins again with larger balls. `split` puts the weakest region onto the strongest and
gives each a quarter of its metric: where the background does not count, two equal balls change no
distance, since $2 \sqrt{M/4} = \sqrt M$, and the penalty of the two is half of $\alpha \|M\|_F$.
That is the reward for counting a shared part twice (erratum E14), which is in g as printed. The
copy is made a little larger, so that the two have different slopes and can part.

The rule returns the lowest position it met, so it never ends above where it began. The same input
gives the same end.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping

import numpy as np
from scipy.optimize import Bounds, OptimizeResult, minimize

from lmlir.learning.engines import Array, Problem
from lmlir.learning.fixed_rate import Callback, Descent, Position
from lmlir.scalars import Parameters

MAX_STEPS = 600
MAX_SCALINGS = 60  # halvings or doublings of all metrics before the first step
PLAIN_STEPS = 20  # of 600; fewer in proportion when fewer steps are allowed
PLAIN_RATE = 0.1
# Plain steps end when a parameter is this many times larger than the largest at their start.
RUNAWAY_FACTOR = 1e9
TRIAL_STEPS = 10  # iterations before the strengths of regions and background are compared
SECOND_GROWTH = 1.2  # of the initial radii, for a second beginning
WIDTHS = (0.1, 0.03)
LAST_WIDTH = 0.003  # of the last smoothed stage
LAST_WIDTH_TOL_SHARE = 0.2  # of the tolerance, at which that stage ends
LAST_STEPS = 20  # of the last stage, on g itself
LAST_TOL_SHARE = 0.003  # of the tolerance, at which it ends
# At a kink, more of them did not lower g on the data of section 6.
LINE_SEARCH_EVALUATIONS = 8
MEMORY_STEPS = 20  # steps from which L-BFGS-B estimates the curvature
POSITION_UNIT = 0.15
# a region is weak if its metric has less than this share of the strongest one's norm
WEAK_SHARE = 0.05
SPLIT_GROWTH = 1.05  # of the copy's radius, so that the two regions can part
SPLIT_GAIN = 1e-3  # the share of g that a split must save for another to be tried
PATIENCE_STEPS = 10  # iterations within which a split must have lowered g


def quasi_newton_descent(
    problem: Problem,
    Theta: Parameters,
    free: Collection[str],
    learning_rate: float = PLAIN_RATE,
    n_steps: int = MAX_STEPS,
    tol: float = 2e-5,
    callback: Callback | None = None,
) -> Descent:
    r"""Choice C19: plain steps and a few iterations, from a second beginning if need be; then
    stages and splits.

    `learning_rate` is the rate of the plain steps. A stage ends when an iteration lowers the
    smoothed g by less than the share `tol` of it, or of 1; the last two stages end at smaller
    shares, and the very last after `LAST_STEPS` iterations at most. The descent has at most
    `n_steps` steps, plain steps and iterations together. The trace is that of the beginning that
    led lower, and never rises; `callback` is called after every step of both.

    >>> from lmlir.learning.engines import VectorizedProblem
    >>> problem = VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> learned = quasi_newton_descent(problem, Parameters([], [], [], [[1.0]]), ["metrics"])
    >>> learned.trace[0], round(learned.position.g, 6)
    (3.0, 1.3125)
    """
    start = Position.at(problem, Theta)
    callback = numbered(callback) if callback is not None else None
    descent = Descent(problem, free, start, n_steps, callback)
    if not free:
        descent.stop = "nothing was to be learned"
        return descent
    may_split = {"centers", "radii", "metrics"} <= set(free)
    Theta = take_trial(descent, start, learning_rate, tol)
    if may_split and background_is_strongest(Theta):
        second = Descent(problem, free, start, n_steps, callback)
        larger = start.Theta._replace(radii=SECOND_GROWTH * start.Theta.radii)
        second_Theta = take_trial(second, Position.at(problem, larger), learning_rate, tol)
        if second.position.g < descent.position.g:
            descent = second
            Theta = second_Theta

    if may_split:
        Theta = revived(Theta)
    for width in WIDTHS:
        Theta = take_stage(descent, Theta, width, tol)
    if may_split:
        take_splits(descent, tol)
    Theta = take_stage(descent, descent.position.Theta, LAST_WIDTH, LAST_WIDTH_TOL_SHARE * tol)
    take_stage(descent, Theta, 0.0, LAST_TOL_SHARE * tol, LAST_STEPS)
    if descent.steps_left <= 0:
        descent.stop = f"took all {n_steps} steps"
        descent.cut_short = True
    return descent


def numbered(callback: Callback) -> Callback:
    """Wrap a callback for several descents: it gets a number that counts all steps, and the lowest
    g so far.

    >>> call = numbered(lambda step, g, Theta: print(step, g, Theta.background_metric))
    >>> call(1, 0.5, Parameters([], [], [], [[2.0]])), call(1, 0.7, Parameters([], [], [], [[3.0]]))
    1 0.5 [[2.0]]
    2 0.5 [[2.0]]
    (None, None)
    """
    numbers = itertools.count(1)
    lowest: list[tuple[float, Parameters[Array]]] = []

    def call(step: int, g: float, Theta: Parameters[Array]) -> None:
        if not lowest or g < lowest[0][0]:
            lowest[:] = [(g, Theta)]
        callback(next(numbers), *lowest[0])

    return call


# --------------------------------------------------------------------------------------- beginnings


def take_trial(
    descent: Descent, begin: Position, learning_rate: float, tol: float
) -> Parameters[Array]:
    """Try one starting point and return where it ended.

    Rescale the metrics if they are free, then take plain steps and `TRIAL_STEPS` iterations.
    """
    if descent.max_steps == 0:
        return begin.Theta
    if "metrics" in descent.free:
        begin = with_scaled_metrics(descent.problem, begin)
    n_steps = descent.max_steps * PLAIN_STEPS // MAX_STEPS
    begin = take_plain_steps(descent, begin, learning_rate, n_steps)
    return take_stage(descent, begin.Theta, WIDTHS[0], tol, TRIAL_STEPS)


def with_scaled_metrics(problem: Problem, position: Position) -> Position:
    r"""Choice C19: halve all metrics together as long as g falls, or else double them.

    g is convex in the root of their common scale (hinges of multiples of it, plus a multiple of its
    square), so this finds the best power of two.

    >>> from lmlir.learning.engines import VectorizedProblem
    >>> problem = VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=0.1, C=0.5)
    >>> start = Position.at(problem, Parameters([], [], [], [[4.0]]))
    >>> with_scaled_metrics(problem, start).Theta.background_metric
    array([[0.0625]])
    """
    best = position.Theta
    lowest = position.g
    for factor in (0.5, 2.0):
        for _ in range(MAX_SCALINGS):
            candidate = best._replace(
                local_metrics=factor * best.local_metrics,
                background_metric=factor * best.background_metric,
            )
            g = problem.objective(candidate)
            if not g < lowest:
                break
            best = candidate
            lowest = g
        if best is not position.Theta:
            return Position.at(problem, best)
    return position


def take_plain_steps(descent: Descent, begin: Position, beta: float, n_steps: int) -> Position:
    r"""Choice C19: take steps of one small rate, as in `fixed_rate_descent`, and return the lowest
    position met.

    That is the subgradient method: a single step may raise g, so it can cross the kinks at which a
    descent gets stuck. With every step the descent moves to the lowest position so far. Steps that
    run away end early.

    >>> from lmlir.learning.engines import VectorizedProblem
    >>> problem = VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> start = Position.at(problem, Parameters([], [], [], [[1.0]]))
    >>> descent = Descent(problem, ["metrics"], start, max_steps=9)
    >>> take_plain_steps(descent, start, 0.5, n_steps=3).g, descent.trace
    (1.5, [3.0, 3.0, 1.75, 1.5, 1.5])
    """
    lowest = position = begin
    descent.move(lower_of(descent.position, begin))
    for _ in range(n_steps):
        Theta = descent.stepped(position, beta)
        if is_far_off(Theta, begin.Theta):
            break
        position = Position.at(descent.problem, Theta)
        lowest = lower_of(lowest, position)
        descent.move(lower_of(descent.position, lowest))
    return lowest


def lower_of(one: Position, other: Position) -> Position:
    """Return the position with the lower g, the first of equals."""
    return other if other.g < one.g else one


def is_far_off(Theta: Parameters, start: Parameters) -> bool:
    """Choice C19: whether some parameter is a billion times larger than the largest at the start,
    or not a number.

    >>> start = Parameters([[0.0]], [1.0], [[[1.0]]], [[1.0]])
    >>> is_far_off(start._replace(radii=[2e9]), start)
    True
    >>> is_far_off(start._replace(radii=[2.0]), start)
    False
    """

    def largest(Theta: Parameters) -> float:
        return max(float(np.abs(values).max(initial=0)) for values in Theta)

    return not largest(Theta) <= RUNAWAY_FACTOR * largest(start)


def background_is_strongest(Theta: Parameters[Array]) -> bool:
    """Whether the background's metric has a larger norm than any region's, a sign that the regions
    are dying out.
    """
    norms = np.linalg.norm(Theta.local_metrics, axis=(1, 2))
    return bool(norms.size and norms.max() < np.linalg.norm(Theta.background_metric))


# ------------------------------------------------------------------------------------------- splits


def take_splits(descent: Descent, tol: float) -> None:
    """Split a region and run a stage from there, again and again while that lowers g by more than
    `SPLIT_GAIN`.
    """
    while len(descent.position.Theta.radii) > 1 and descent.steps_left > 0:
        before = descent.position.g
        take_stage(descent, split(descent.position.Theta), WIDTHS[-1], tol, patience=PATIENCE_STEPS)
        if before - descent.position.g <= SPLIT_GAIN * abs(before):
            break


def revived(Theta: Parameters[Array]) -> Parameters[Array]:
    """Put the weak regions (`WEAK_SHARE`) onto the strongest, one after the other.

    >>> local = np.array([[[8.0]], [[1.0]], [[0.1]]])
    >>> revived(
    ...     Parameters(np.zeros((3, 1)), np.ones(3), local, np.zeros((1, 1)))
    ... ).local_metrics.ravel()
    array([2., 1., 2.])
    """
    for _ in Theta.radii[1:]:
        norms = np.linalg.norm(Theta.local_metrics, axis=(1, 2))
        if norms.min() < WEAK_SHARE * norms.max():
            Theta = split(Theta)
    return Theta


def split(Theta: Parameters[Array], growth: float = SPLIT_GROWTH) -> Parameters[Array]:
    r"""Choice C19: put the weakest region, by the norm of its metric, onto the
    strongest, each with a quarter of its metric.

    Nothing changes when all metrics have the same norm, for example when all are 0.

    >>> Theta = Parameters(
    ...     np.array([[0.0], [5.0]]),
    ...     np.array([1.0, 2.0]),
    ...     np.array([[[8.0]], [[0.0]]]),
    ...     np.zeros((1, 1)),
    ... )
    >>> split(Theta).centers.ravel(), split(Theta).local_metrics.ravel()
    (array([0., 0.]), array([2., 2.]))
    """
    norms = np.linalg.norm(Theta.local_metrics, axis=(1, 2))
    weakest = int(norms.argmin())
    strongest = int(norms.argmax())
    centers = Theta.centers.copy()
    radii = Theta.radii.copy()
    local_metrics = Theta.local_metrics.copy()
    if weakest != strongest:
        centers[weakest] = centers[strongest]
        radii[weakest] = growth * radii[strongest]
        local_metrics[strongest] /= 4
        local_metrics[weakest] = local_metrics[strongest]
    return Theta._replace(centers=centers, radii=radii, local_metrics=local_metrics)


# ------------------------------------------------------------------------------------------- stages


def take_stage(
    descent: Descent,
    Theta: Parameters[Array],
    width: float,
    tol: float,
    max_iterations: int | None = None,
    patience: float = np.inf,
) -> Parameters[Array]:
    """Run L-BFGS-B on g smoothed over one width and return where it ended.

    Every iteration is a step of the descent. Gives up if g has not decreased within `patience`
    iterations.
    """
    limit = descent.steps_left
    if max_iterations is not None:
        limit = min(max_iterations, limit)
    if limit <= 0:
        return Theta
    coordinates = Coordinates(Theta, descent.free)
    lowest = descent.position
    g_at_start = lowest.g
    last_without_gain = descent.n_steps + patience

    def value(vector: Array) -> tuple[float, Array]:
        """The smoothed g and its slope; the lowest g met is kept."""
        nonlocal lowest
        Theta = coordinates.parameters(vector)
        smoothed, slope, g = descent.problem.smoothed(Theta, width)
        if g < lowest.g:
            # the slope is that of the smoothed g; no later step uses it
            lowest = Position(Theta, g, slope)
        return smoothed, coordinates.slope(vector, slope)

    def step(intermediate_result: OptimizeResult) -> None:
        descent.move(lowest)
        if descent.n_steps >= last_without_gain and not lowest.g < g_at_start:
            raise StopIteration  # which makes SciPy end the minimization

    result = minimize(
        value,
        coordinates.start,
        jac=True,
        method="L-BFGS-B",
        bounds=coordinates.bounds,
        callback=step,
        options={
            "maxiter": limit,
            "ftol": tol,
            "gtol": 0.0,
            "maxcor": MEMORY_STEPS,
            "maxls": LINE_SEARCH_EVALUATIONS,
        },
    )
    if result.nit < limit and lowest.g < descent.position.g:
        # met in a line search that did not end in an iteration
        descent.move(lowest)
    descent.stop = reason(result, limit, tol)
    return coordinates.parameters(result.x)


def reason(result: OptimizeResult, limit: int, tol: float) -> str:
    """Return the reason why L-BFGS-B ended."""
    if result.nit >= limit:
        return f"the stage took all of its {limit} iterations"
    if result.success:
        return f"an iteration lowered the objective by less than {tol:g} of it"
    return "a line search found nothing lower"


class Coordinates:
    """The free parameters as one vector: centers and radii in units of `POSITION_UNIT`, then
    factors of the metrics.
    """

    def __init__(self, Theta: Parameters[Array], free: Collection[str]) -> None:
        metrics = np.concatenate([Theta.local_metrics, Theta.background_metric[None]])
        arrays = {
            "centers": Theta.centers / POSITION_UNIT,
            "radii": Theta.radii / POSITION_UNIT,
            "metrics": factors(metrics),
        }
        self.initial = Theta
        self.arrays = {name: arrays[name] for name in arrays if name in free}
        self.start = self._joined(self.arrays)
        lower = {name: np.full_like(array, -np.inf) for name, array in self.arrays.items()}
        if "radii" in lower:
            lower["radii"][:] = 0
        self.bounds = Bounds(self._joined(lower), np.inf)

    def _joined(self, arrays: Mapping[str, Array]) -> Array:
        """Join arrays by name into one vector of all free parameters."""
        return np.concatenate([arrays[name].ravel() for name in self.arrays])

    def _split(self, vector: Array) -> dict[str, Array]:
        """Cut a vector of all free parameters into arrays by name."""
        pieces = {}
        begin = 0
        for name, array in self.arrays.items():
            end = begin + array.size
            pieces[name] = vector[begin:end].reshape(array.shape)
            begin = end
        return pieces

    def parameters(self, vector: Array) -> Parameters[Array]:
        """Return Theta at a vector of free parameters; the others keep their values."""
        Theta = self.initial
        moved = self._split(vector)
        if "centers" in moved:
            Theta = Theta._replace(centers=POSITION_UNIT * moved["centers"])
        if "radii" in moved:
            Theta = Theta._replace(radii=POSITION_UNIT * moved["radii"])
        if "metrics" in moved:
            L = moved["metrics"]
            M = L @ np.swapaxes(L, 1, 2)
            Theta = Theta._replace(local_metrics=M[:-1], background_metric=M[-1])
        return Theta

    def slope(self, vector: Array, slope: Parameters[Array]) -> Array:
        """Return the slope in the free parameters; a slope G in M becomes 2 G L."""
        slopes = {"centers": POSITION_UNIT * slope.centers, "radii": POSITION_UNIT * slope.radii}
        if "metrics" in self.arrays:
            G = np.concatenate([slope.local_metrics, slope.background_metric[None]])
            slopes["metrics"] = 2 * G @ self._split(vector)["metrics"]
        return self._joined(slopes)


def factors(metrics: Array) -> Array:
    r"""Return L with $L L^\top = M$ for each of (..., F, F) positive semi-definite matrices.

    >>> factors(np.array([[4.0, 0.0], [0.0, 9.0]]))
    array([[2., 0.],
           [0., 3.]])
    """
    values, vectors = np.linalg.eigh(metrics)
    roots = np.sqrt(np.maximum(values, 0))
    return vectors * roots[..., None, :]
