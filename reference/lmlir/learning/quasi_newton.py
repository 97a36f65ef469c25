r"""Choice C19: the default rule, a quasi-Newton descent that is made for what g is.

*A cone.* A metric is positive semi-definite exactly when it is $L L^\top$. Over the factors L there is no constraint and no
projection, and all parameters can move together; the slope in L is $2 G L$, with G the gradient in M. Where L is
invertible, a stationary L has $G = 0$, so that M is stationary, too. Where it is not, $G L = 0$ leaves open whether g
would fall in a direction that L lacks: L = 0 is stationary whatever G is (`proofs.learning`). A metric that is 0 stays 0
in a stage; only the plain steps, which need no factors, and `split` can bring it back.

*Hinges.* L-BFGS wants a continuous slope. Each hinge becomes a quadratic over a width that shrinks in `WIDTHS` and then
to `LAST_WIDTH` (`lmlir.learning.smoothing`). The last stage is g itself, kinks and all, and is short.

*Spheres.* At a tangency the slope of gamma is infinite, and wherever a sphere meets an end point it jumps. A quasi-Newton
step there leads far away, usually to balls that hold everything, where no center or radius has a slope any more. So the
descent begins with `PLAIN_STEPS` small steps of the subgradient method, which let the balls settle, and afterwards a unit
of a center or a radius counts as `POSITION_UNIT`.

*Regions that die.* A metric without pairs shrinks by a constant amount each step until it is 0 (Theorem E), and minima
with dead regions are many. Where the background becomes the strongest metric, the descent begins again with larger balls.
`split` puts the weakest region onto the strongest and gives each a quarter of its metric: where the background does not
count, two equal balls change no distance, since $2 \sqrt{M/4} = \sqrt M$, and the penalty of the two is half of
$\alpha \|M\|_F$. That is the reward for counting a shared part twice (erratum E14), which is in g as printed. The copy is
made a little larger, so that the two have different slopes and can part.

The lowest position found is what counts: the rule never ends above where it began, and the same input gives the same end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import Bounds, OptimizeResult, minimize

from lmlir.learning.engines import Array, Block, Problem
from lmlir.learning.rules import Callback, Descent, Position, numbered, scaled_metrics, take_plain_steps
from lmlir.scalars import Parameters

FIRST_RATE = 0.1  # of the plain steps
MOST_STEPS = 600
PLAIN_STEPS = 20  # of 600; fewer in proportion when fewer steps are allowed
TRIAL = 10  # iterations, after which the regions are looked at
SECOND_GROWTH = 1.2  # of the initial radii, for a second beginning
WIDTHS = (0.1, 0.03)
LAST_WIDTH, SHARPER = 0.003, 0.2  # of the stage before the last, at this share of the tolerance
LAST_STEPS, SHARPEST = 20, 0.003  # of the last stage, on g itself
LINE_SEARCH = (
    8  # evaluations at most; more of them, where a kink is in the way, did not lower g on the data of section 6
)
MEMORY = 20  # pairs of steps and changes of slope, from which L-BFGS-B estimates the curvature
POSITION_UNIT = 0.15
WEAK = 0.05  # a region whose metric has less than this share of the strongest one's norm counts as dying
SPLIT_GROWTH = 1.05  # of the copy's radius, so that the two regions can part
SPLIT_GAIN = 1e-3  # the share of g that a split must save for another to be tried
PATIENCE = 10  # iterations after which a split must have lowered g


def quasi_newton_descent(
    problem: Problem,
    Theta: Parameters,
    blocks: Sequence[Block],
    learning_rate: float = FIRST_RATE,
    n_steps: int = MOST_STEPS,
    tol: float = 2e-5,
    callback: Callback | None = None,
) -> Descent:
    r"""Choice C19: plain steps and a few iterations, from a second beginning if need be; then stages, splits, last stages.

    `learning_rate` is the rate of the plain steps. A stage ends when an iteration lowers the smoothed g by less than the
    share `tol` of it, or of 1; the last two stages end at smaller shares, and the very last after `LAST_STEPS` iterations
    at most. The descent has at most `n_steps` steps, plain steps and iterations together. The trace is that of the
    beginning that led lower, and never rises; `callback` is called after every step of both.

    >>> from lmlir.learning.engines import VectorizedProblem
    >>> problem = VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> learned = quasi_newton_descent(problem, Parameters([], [], [], [[1.0]]), [Block("metrics")])
    >>> learned.trace.objective[0], round(learned.position.g, 6)
    (3.0, 1.3125)
    """
    start = Position.at(problem, Theta)
    if not blocks:
        return Descent(start, stop="nothing was to be learned")
    callback = numbered(callback) if callback is not None else None
    may_split = {block.name for block in blocks} == {"metrics", "centers", "radii"}
    descent, Theta = trial(problem, Descent(start, callback), 1.0, blocks, learning_rate, n_steps, tol)
    if may_split and background_is_strongest(Theta):
        second = trial(problem, Descent(start, callback), SECOND_GROWTH, blocks, learning_rate, n_steps, tol)
        descent, Theta = min((descent, Theta), second, key=lambda each: each[0].position.g)
    Theta = revived(Theta) if may_split else Theta
    take_stages(problem, descent, Theta, blocks, n_steps, tol, WIDTHS)
    if may_split:
        take_splits(problem, descent, blocks, n_steps, tol)
    Theta = take_stages(problem, descent, descent.parameters, blocks, n_steps, SHARPER * tol, [LAST_WIDTH])
    take_stages(problem, descent, Theta, blocks, min(descent.n_steps + LAST_STEPS, n_steps), SHARPEST * tol, [0.0])
    if descent.n_steps >= n_steps:
        descent.stop = f"took all {n_steps} steps"
    return descent


def trial(
    problem: Problem,
    descent: Descent,
    growth: float,
    blocks: Sequence[Block],
    learning_rate: float,
    n_steps: int,
    tol: float,
) -> tuple[Descent, Parameters[Array]]:
    """One beginning: radii that are free grown, metrics that are free scaled, plain steps, `TRIAL` iterations; its end."""
    begin = descent.position
    if n_steps == 0:
        return descent, begin.Theta
    if growth != 1 and any(block.name == "radii" for block in blocks):
        begin = Position.at(problem, begin.Theta._replace(radii=growth * begin.Theta.radii))
    begin = scaled_metrics(problem, begin) if Block("metrics") in blocks else begin
    begin = plain_steps(problem, descent, begin, blocks, learning_rate, n_steps * PLAIN_STEPS // MOST_STEPS)
    most = min(descent.n_steps + TRIAL, n_steps)
    return descent, take_stages(problem, descent, begin.Theta, blocks, most, tol, WIDTHS[:1])


def background_is_strongest(Theta: Parameters[Array]) -> bool:
    """Whether the background's metric has a larger norm than any region's, which is taken for a sign that they are dying."""
    norms = np.linalg.norm(Theta.local_metrics, axis=(1, 2))
    return bool(norms.size and norms.max() < np.linalg.norm(Theta.background_metric))


def plain_steps(
    problem: Problem, descent: Descent, begin: Position, blocks: Sequence[Block], beta: float, n_steps: int
) -> Position:
    """The lowest of some plain steps from a beginning; with each the descent moves to the lowest position so far."""
    descent.move(lower_of(descent.position, begin))
    plain = Descent(begin, lambda step, g, Theta: descent.move(lower_of(descent.position, plain.position)))
    take_plain_steps(problem, plain, blocks, beta, n_steps)
    return plain.position


def lower_of(one: Position, other: Position) -> Position:
    """The position with the lower g, the first of equals."""
    return min(one, other, key=lambda position: position.g)


def take_splits(problem: Problem, descent: Descent, blocks: Sequence[Block], n_steps: int, tol: float) -> None:
    """The weakest region put onto the strongest, and a stage from there, while that lowers g by more than `SPLIT_GAIN`."""
    while len(descent.parameters.radii) > 1 and descent.n_steps < n_steps:
        before = descent.position.g
        take_stages(problem, descent, split(descent.parameters), blocks, n_steps, tol, WIDTHS[-1:], PATIENCE)
        if before - descent.position.g <= SPLIT_GAIN * abs(before):
            break


def revived(Theta: Parameters[Array]) -> Parameters[Array]:
    """Regions that are dying (`WEAK`) put onto the strongest, one after the other.

    >>> local = np.array([[[8.0]], [[1.0]], [[0.1]]])
    >>> revived(Parameters(np.zeros((3, 1)), np.ones(3), local, np.zeros((1, 1)))).local_metrics.ravel()
    array([2., 1., 2.])
    """
    for _ in Theta.radii[1:]:
        norms = np.linalg.norm(Theta.local_metrics, axis=(1, 2))
        if norms.min() < WEAK * norms.max():
            Theta = split(Theta)
    return Theta


def split(Theta: Parameters[Array], growth: float = SPLIT_GROWTH) -> Parameters[Array]:
    r"""Choice C19: the weakest region, by the norm of its metric, put onto the strongest, each with a quarter of its metric.

    Nothing changes when all metrics have the same norm, the zero metrics among them.

    >>> Theta = Parameters(np.array([[0.0], [5.0]]), np.array([1.0, 2.0]), np.array([[[8.0]], [[0.0]]]), np.zeros((1, 1)))
    >>> split(Theta).centers.ravel(), split(Theta).local_metrics.ravel()
    (array([0., 0.]), array([2., 2.]))
    """
    norms = np.linalg.norm(Theta.local_metrics, axis=(1, 2))
    weakest, strongest = int(norms.argmin()), int(norms.argmax())
    centers, radii, local_metrics = (part.copy() for part in Theta[:3])
    if weakest != strongest:
        centers[weakest], radii[weakest] = centers[strongest], growth * radii[strongest]
        local_metrics[strongest] /= 4
        local_metrics[weakest] = local_metrics[strongest]
    return Theta._replace(centers=centers, radii=radii, local_metrics=local_metrics)


def take_stages(
    problem: Problem,
    descent: Descent,
    Theta: Parameters[Array],
    blocks: Sequence[Block],
    n_steps: int,
    tol: float,
    widths: Sequence[float],
    patience: float = np.inf,
) -> Parameters[Array]:
    """L-BFGS-B at every width in turn, each from where the one before ended, and where the last did.

    Every iteration is a step of the descent, which has at most `n_steps` of them in all.
    """
    for width in widths:
        if descent.n_steps < n_steps:
            most = n_steps - descent.n_steps
            Theta, descent.stop = stage(problem, descent, Theta, blocks, width, most, tol, patience)
    return Theta


def stage(
    problem: Problem,
    descent: Descent,
    Theta: Parameters[Array],
    blocks: Sequence[Block],
    width: float,
    most: int,
    tol: float,
    patience: float,
) -> tuple[Parameters[Array], str]:
    """L-BFGS-B on g smoothed over one width: where it ended, and why. It is left when g has not fallen in time."""
    coordinates = Coordinates(Theta, blocks)
    lowest = start = descent.position
    first = descent.n_steps

    def value(free: Array) -> tuple[float, Array]:
        """The smoothed g and its slope; the lowest true g is noted on the way."""
        nonlocal lowest
        at = coordinates.parameters(free)
        smoothed, slope, g = problem.smoothed(at, width)
        if g < lowest.g:
            lowest = Position(at, g, slope)  # the slope is that of the smoothed g; no later step uses it
        return smoothed, coordinates.slope(free, slope)

    def step(intermediate_result: OptimizeResult) -> None:
        """An iteration ended: the descent moves to the lowest position so far."""
        descent.move(lowest)
        if descent.n_steps - first >= patience and not lowest.g < start.g:
            raise StopIteration

    found = minimize(
        value,
        coordinates.start,
        jac=True,
        method="L-BFGS-B",
        bounds=coordinates.bounds,
        callback=step,
        options={"maxiter": most, "ftol": tol, "gtol": 0.0, "maxcor": MEMORY, "maxls": LINE_SEARCH},
    )
    if found.nit < most and lowest.g < descent.position.g:  # found in a line search that did not end in an iteration
        descent.move(lowest)
    return coordinates.parameters(found.x), reason(found, most, tol)


def reason(found: OptimizeResult, most: int, tol: float) -> str:
    """Why L-BFGS-B ended."""
    if found.nit >= most:
        return f"the stage took all of its {most} iterations"
    if found.success:
        return f"an iteration lowered the objective by less than {tol:g} of it"
    return "a line search found nothing lower"


class Coordinates:
    """The free parameters as one vector: factors of the metrics, and centers and radii in units of `POSITION_UNIT`."""

    def __init__(self, Theta: Parameters[Array], blocks: Sequence[Block]) -> None:
        metrics = np.concatenate([Theta.local_metrics, Theta.background_metric[None]])
        self.fixed, self.shape = Theta, metrics.shape
        self.centers = [block.s for block in blocks if block.name == "centers"]
        self.radii = [block.s for block in blocks if block.name == "radii"]
        self.metrics = Block("metrics") in blocks
        parts = [Theta.centers[self.centers].ravel() / POSITION_UNIT, Theta.radii[self.radii] / POSITION_UNIT]
        self.ends = np.cumsum([part.size for part in parts])
        self.start = np.concatenate([*parts, *([factors(metrics).ravel()] if self.metrics else [])])
        lower = np.full(len(self.start), -np.inf)
        lower[self.ends[0] : self.ends[1]] = 0
        self.bounds = Bounds(lower, np.inf)

    def _split(self, free: Array) -> tuple[Array, Array, Array]:
        return free[: self.ends[0]], free[self.ends[0] : self.ends[1]], free[self.ends[1] :]

    def parameters(self, free: Array) -> Parameters[Array]:
        """Theta at a vector of free parameters; what is not free stays."""
        moved_centers, moved_radii, flat = self._split(free)
        centers, radii, local, background = self.fixed
        centers, radii = centers.copy(), radii.copy()
        centers[self.centers] = POSITION_UNIT * moved_centers.reshape(-1, centers.shape[1])
        radii[self.radii] = POSITION_UNIT * moved_radii
        if self.metrics:
            L = flat.reshape(self.shape)
            M = L @ np.swapaxes(L, 1, 2)
            local, background = M[:-1], M[-1]
        return Parameters(centers, radii, local, background)

    def slope(self, free: Array, slope: Parameters[Array]) -> Array:
        """The slope in the free parameters: that in M becomes 2 G L."""
        parts = [POSITION_UNIT * slope.centers[self.centers].ravel(), POSITION_UNIT * slope.radii[self.radii]]
        if self.metrics:
            G = np.concatenate([slope.local_metrics, slope.background_metric[None]])
            parts.append((2 * G @ self._split(free)[2].reshape(self.shape)).ravel())
        return np.concatenate(parts)


def factors(metrics: Array) -> Array:
    r"""L with $L L^\top = M$ for each of (..., F, F) positive semi-definite matrices.

    >>> factors(np.array([[4.0, 0.0], [0.0, 9.0]]))
    array([[2., 0.],
           [0., 3.]])
    """
    values, vectors = np.linalg.eigh(metrics)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0))[..., None, :])
