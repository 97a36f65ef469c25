r"""Learning from data: the paper's descent from start to end, and a learner of ours that never raises the objective.

`learn` does what section 5 describes: pairs, initial values, descent, with every choice that the paper leaves open as an
argument. `rule="fixed"` is the paper's rule (choice C1). `rule="backtracking"` is the default and ours (choice C19): the
gradient is unbounded where a segment touches a sphere, so no fixed rate is safe.

Two engines run the very same loops: "reference", which calls the functions of the paper's modules, and "vectorized".
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmlir import descent, gradient, initialization, objective, vectorized
from lmlir.scalars import Parameters, check_count

Array = NDArray[Any]
Callback = Callable[[int, float, Parameters], None]

# Choice C1: what the fixed rule uses when nothing else is asked for.
FIXED_RATE, FIXED_STEPS = 1.0, 60

# Choice C19: the first rate of every block, how it grows and shrinks, its lower end, how often a block may try in one round,
# and over how many rounds the fall of the objective is measured; how often all metrics may be halved or doubled.
FIRST_RATE, GROWTH, SHRINKAGE, LOWEST_RATE, TRIES, WINDOW, MOST_SCALINGS = 0.1, 2.0, 0.5, 1e-9, 3, 10, 60

# Choice C19: the largest number of steps, how many of them are plain ones (from metrics at their best common scale, and
# from the initial values as printed; fewer in proportion when fewer steps are allowed), and what is running away.
MOST_STEPS, PLAIN_STEPS, FAR_OFF = 900, {True: 200, False: 600}, 1e9


class Block(NamedTuple):
    """Parameters that move together: all "metrics", or the "centers" or "radii" entry of region s."""

    name: str
    s: int = 0


# ------------------------------------------------------------------------------------------------- two engines


class Problem(Protocol):
    """What the loops below ask of an engine: g, its gradient, and a step of some of the parameters."""

    def objective(self, Theta: Parameters) -> float:
        """Section 5.2: g at Theta."""

    def objective_and_gradient(self, Theta: Parameters) -> tuple[float, Parameters]:
        """Section 5.2: g and its gradient at Theta."""

    def moved(self, Theta: Parameters, slope: Parameters, block: Block, beta: float) -> Parameters:
        """Section 5.2: Theta with one block moved against its slope, projected (choices C2 and C3)."""


class ReferenceProblem:
    """The reference's loops behind the three functions that learning needs; slow, and obviously the paper."""

    def __init__(
        self, X: Any, similar: Any, dissimilar: Any, alpha: float, C: float, printed: Collection[str] = ()
    ) -> None:
        pairs = [[(int(i), int(j)) for i, j in kind] for kind in (similar, dissimilar)]
        self.data: Any = (np.asarray(X, dtype=float).tolist(), *pairs)
        self.weights: Any = (alpha, C)
        self.printed = printed

    def objective(self, Theta: Parameters) -> float:
        """Section 5.2: g at Theta."""
        arguments: Any = (*self.data, *_lists(Theta), *self.weights)
        return float(objective.objective(*arguments))

    def objective_and_gradient(self, Theta: Parameters) -> tuple[float, Parameters]:
        """Section 5.2: g and its gradient at Theta."""
        arguments: Any = (*self.data, *_lists(Theta), *self.weights, self.printed)
        return self.objective(Theta), parameter_arrays(gradient.objective_gradient(*arguments))

    def moved(self, Theta: Parameters, slope: Parameters, block: Block, beta: float) -> Parameters:
        """Section 5.2: Theta with one block moved against its slope, projected (choices C2 and C3)."""
        Theta, slope = _lists(Theta), _lists(slope)
        if block.name == "metrics":
            pairs = zip(Theta.local_metrics, slope.local_metrics, strict=True)
            local_metrics = [descent.descended_metric(M, M_slope, beta) for M, M_slope in pairs]
            M_B = descent.descended_metric(Theta.background_metric, slope.background_metric, beta)
            return parameter_arrays(Theta._replace(local_metrics=local_metrics, background_metric=M_B))
        if block.name == "centers":
            center = descent.moved(Theta.centers[block.s], slope.centers[block.s], beta)
            return parameter_arrays(Theta._replace(centers=_with_entry(Theta.centers, block.s, center)))
        radius = descent.nearest_radius(Theta.radii[block.s] - beta * slope.radii[block.s])
        return parameter_arrays(Theta._replace(radii=_with_entry(Theta.radii, block.s, radius)))


class VectorizedProblem(vectorized.PairProblem):
    """The twin's arrays behind the same three functions."""

    def moved(self, Theta: Parameters, slope: Parameters, block: Block, beta: float) -> Parameters:
        """Section 5.2: Theta with one block moved against its slope, projected (choices C2 and C3)."""
        parts: dict[str, Any] = {}
        if block.name == "metrics":
            for name in ("local_metrics", "background_metric"):
                M = getattr(Theta, name) - beta * getattr(slope, name)
                parts[name] = vectorized.nearest_positive_semidefinite(M)
        else:
            entry = getattr(Theta, block.name)[block.s] - beta * getattr(slope, block.name)[block.s]
            entry = np.maximum(entry, 0) if block.name == "radii" else entry
            parts[block.name] = np.array(_with_entry(getattr(Theta, block.name), block.s, entry))
        return Theta._replace(**parts)


ENGINES: dict[str, Any] = {"vectorized": VectorizedProblem, "reference": ReferenceProblem}


def _lists(Theta: Parameters) -> Parameters:
    return Parameters(*(np.asarray(part).tolist() for part in Theta))


def _with_entry(entries: Any, s: int, entry: Any) -> list[Any]:
    return [*entries[:s], entry, *entries[s + 1 :]]


def parameter_arrays(Theta: Parameters) -> Parameters:
    """Theta as four float arrays, of shapes (S, F), (S,), (S, F, F) and (F, F) even when there is no region.

    >>> parameter_arrays(Parameters([], [], [], [[1]])).centers.shape
    (0, 1)
    """
    S, F = len(Theta.radii), len(Theta.background_metric)
    shapes: list[Any] = [(S, F), (S,), (S, F, F), (F, F)]
    parts: list[Any] = [np.array(part, dtype=float).reshape(shape) for part, shape in zip(Theta, shapes, strict=True)]
    return Parameters(*parts)


# ----------------------------------------------------------------------------------------------- what is recorded


@dataclass
class Trace:
    """What happened, step by step: the objective (one more value than steps), and how far every parameter moved.

    `movement["centers"]` and the other three are lists with one entry a step: the length of the move of every center,
    radius and local metric (S numbers) and of the background metric (one number).
    """

    objective: list[float] = field(default_factory=list)
    movement: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in Parameters._fields})

    def add(self, before: Parameters, after: Parameters, g: float) -> None:
        """Records one step that ended at objective g."""
        self.objective.append(g)
        for name, old, new in zip(Parameters._fields, before, after, strict=True):
            move = np.asarray(new) - np.asarray(old)
            axes = tuple(range(0 if name == "background_metric" else 1, move.ndim))
            self.movement[name].append(np.sqrt(np.sum(move**2, axis=axes)).tolist())


class Descent(NamedTuple):
    """Where a descent ended, how it went, and why it stopped."""

    parameters: Parameters
    trace: Trace
    stop: str


# ------------------------------------------------------------------------------------------------------ two rules


def fixed_rate_descent(
    problem: Problem,
    Theta: Parameters,
    blocks: Sequence[Block],
    learning_rate: float = FIXED_RATE,
    n_steps: int = FIXED_STEPS,
    callback: Callback | None = None,
) -> Descent:
    r"""Choice C1: n_steps steps $\Theta^{t+1} = \Theta^t - \beta\, \partial g / \partial \Theta$ of one rate, projected.

    The objective may rise, and without bound near a tangency. Parameters outside the blocks stay as they are.

    >>> problem = VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> end = fixed_rate_descent(problem, Parameters([], [], [], [[1.0]]), [Block("metrics")], 0.5, n_steps=1)
    >>> end.parameters.background_metric
    array([[0.25]])
    """
    Theta = parameter_arrays(Theta)
    g, slope = problem.objective_and_gradient(Theta)
    trace = Trace([g])
    for step in range(1, n_steps + 1):
        before = Theta
        for block in blocks:
            Theta = problem.moved(Theta, slope, block, learning_rate)
        g, slope = problem.objective_and_gradient(Theta)
        trace.add(before, Theta, g)
        if callback is not None:
            callback(step, g, Theta)
    return Descent(Theta, trace, f"took all {n_steps} steps")


class Position(NamedTuple):
    """Where the learner stands: the parameters, and g and its gradient there."""

    Theta: Parameters
    g: float
    slope: Parameters


def scaled_metrics(problem: Problem, position: Position) -> Position:
    r"""Choice C19: all metrics halved together as long as g falls, or else doubled.

    g is convex in the root of their common scale (hinges of multiples of it, plus a multiple of its square), so this finds
    the best power of two.

    >>> problem = VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=0.1, C=0.5)
    >>> start = parameter_arrays(Parameters([], [], [], [[4.0]]))
    >>> scaled_metrics(problem, Position(start, *problem.objective_and_gradient(start))).Theta.background_metric
    array([[0.0625]])
    """
    best, lowest = position.Theta, position.g
    for factor in (0.5, 2.0):
        for _ in range(MOST_SCALINGS):
            metrics: dict[str, Any] = {name: factor * getattr(best, name) for name in best._fields[2:]}
            candidate = best._replace(**metrics)
            g = problem.objective(candidate)
            if not g < lowest:
                break
            best, lowest = candidate, g
    return Position(best, *problem.objective_and_gradient(best)) if best is not position.Theta else position


def block_step(problem: Problem, position: Position, block: Block, beta: float) -> tuple[Position, float]:
    r"""Choice C19: one block's step, its rate halved until g falls, at most three tries; and the rate for its next step.

    The next rate is doubled when the first try was good. When no try was, nothing moves.

    >>> problem = VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> start = parameter_arrays(Parameters([], [], [], [[1.0]]))
    >>> start = Position(start, *problem.objective_and_gradient(start))
    >>> position, beta = block_step(problem, start, Block("metrics"), 0.1)
    >>> position.Theta.background_metric, beta
    (array([[0.85]]), 0.2)
    """
    Theta, g, slope = position
    if block.name != "metrics" and not np.any(getattr(slope, block.name)[block.s]):
        return position, beta
    for attempt in range(TRIES):
        candidate = problem.moved(Theta, slope, block, beta)
        if problem.objective(candidate) < g:
            reached = Position(candidate, *problem.objective_and_gradient(candidate))
            return reached, beta * GROWTH if attempt == 0 else beta
        beta = max(beta * SHRINKAGE, LOWEST_RATE)
    return position, beta


@dataclass
class Run:
    """A descent under way: the lowest position so far, how it got there, and whom to tell."""

    position: Position
    trace: Trace
    tell: Callable[[Position], None]

    def move(self, position: Position) -> None:
        """Records a step to a new position."""
        self.trace.add(self.position.Theta, position.Theta, position.g)
        self.position = position
        self.tell(position)

    def steps(self) -> int:
        """How many steps were recorded."""
        return len(self.trace.objective) - 1


def is_far_off(Theta: Parameters, start: Parameters) -> bool:
    """Choice C19: whether some parameter is a billion times larger than the largest at the start, or no number.

    >>> start = Parameters([[0.0]], [1.0], [[[1.0]]], [[1.0]])
    >>> is_far_off(start._replace(radii=[2e9]), start), is_far_off(start._replace(radii=[2.0]), start)
    (True, False)
    """
    size, size_at_start = (max(float(np.abs(part).max(initial=0)) for part in which) for which in (Theta, start))
    return not size <= FAR_OFF * size_at_start


def take_plain_steps(problem: Problem, run: Run, blocks: Sequence[Block], beta: float, n_steps: int) -> None:
    r"""Choice C19: steps of one small rate for everything, as in `fixed_rate_descent`; where they were lowest counts.

    That is the subgradient method: a single step may raise g, so it can cross the kinks at which a descent gets stuck.
    Where the steps run away, they end.

    >>> problem = VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> start = parameter_arrays(Parameters([], [], [], [[1.0]]))
    >>> run = Run(Position(start, *problem.objective_and_gradient(start)), Trace([3.0]), tell=lambda position: None)
    >>> take_plain_steps(problem, run, [Block("metrics")], 0.5, n_steps=3)
    >>> run.trace.objective
    [3.0, 1.75, 1.5, 1.5]
    """
    start = Theta = run.position.Theta
    slope = run.position.slope
    for _ in range(n_steps):
        for block in blocks:
            Theta = problem.moved(Theta, slope, block, beta)
        if is_far_off(Theta, start):
            break
        g, slope = problem.objective_and_gradient(Theta)
        run.move(Position(Theta, g, slope) if g < run.position.g else run.position)


def take_rounds(problem: Problem, run: Run, blocks: Sequence[Block], beta: float, n_steps: int, tol: float) -> str:
    r"""Choice C19: rounds of block steps, each block with its own rate, until g has settled; why they ended.

    >>> problem = VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> start = parameter_arrays(Parameters([], [], [], [[1.0]]))
    >>> run = Run(Position(start, *problem.objective_and_gradient(start)), Trace([3.0]), tell=lambda position: None)
    >>> take_rounds(problem, run, [Block("metrics")], 0.1, n_steps=1, tol=1e-4), run.position.Theta.background_metric
    ('took all 1 steps', array([[0.85]]))
    """
    rates, values = [beta] * len(blocks), [run.position.g]
    while not has_settled(values, tol):
        if run.steps() >= n_steps:
            return f"took all {n_steps} steps"
        position = run.position
        for index, block in enumerate(blocks):
            position, rates[index] = block_step(problem, position, block, rates[index])
        run.move(position)
        values.append(position.g)
    return f"the last {WINDOW} rounds lowered the objective by less than {tol:g} of it"


def backtracking_descent(
    problem: Problem,
    Theta: Parameters,
    blocks: Sequence[Block],
    learning_rate: float = FIRST_RATE,
    n_steps: int = MOST_STEPS,
    tol: float = 1e-4,
    callback: Callback | None = None,
) -> Descent:
    r"""Choice C19: plain steps of which the lowest counts, then rounds of block steps; from two beginnings, the lower end.

    A round is one step for all metrics together, one for every center and one for every radius, each with the gradient
    where it stands and with a rate of its own (`block_step`). One rate for everything would be ruled by the worst kink: a
    sphere meets training points and tangent segments, and no step of its center or radius is short enough there, while
    all others could go on. Rounds alone take the first valley they find; the plain steps before them (`take_plain_steps`)
    are slow and look further.

    The initial distances are usually far too long. As long as they are, regions lower g by vanishing, and many do; so one
    descent begins with all metrics at their best common scale. Where the pairs are so short that this scale is next to 0,
    the initial values as printed are the better beginning; so another begins there, with more plain steps.

    All rates begin with `learning_rate`. A descent stops when ten rounds together lowered g by less than the share `tol`,
    or after `n_steps` steps. The trace is that of the descent that ended lower, and never rises. `callback` hears of every
    step of both: its number, and the lowest g so far with its parameters.

    >>> problem = VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> learned = backtracking_descent(problem, Parameters([], [], [], [[1.0]]), [Block("metrics")])
    >>> learned.trace.objective[0], learned.trace.objective[-1]
    (3.0, 1.3125)
    """
    Theta = parameter_arrays(Theta)
    start = Position(Theta, *problem.objective_and_gradient(Theta))
    tell = numbered(callback)
    ends = []
    for scaling, plain_steps in PLAIN_STEPS.items():
        if scaling and Block("metrics") not in blocks:
            continue
        run = Run(start, Trace([start.g]), tell)
        if scaling and n_steps > 0:
            run.move(scaled_metrics(problem, start))
        take_plain_steps(problem, run, blocks, learning_rate, n_steps * plain_steps // MOST_STEPS)
        stop = take_rounds(problem, run, blocks, learning_rate, n_steps, tol)
        ends.append(Descent(run.position.Theta, run.trace, stop))
    return min(ends, key=lambda end: end.trace.objective[-1])


def numbered(callback: Callback | None) -> Callable[[Position], None]:
    """The callback, or nobody, told at every step of the lowest position so far, with a number that counts up from 1.

    >>> tell, Theta = numbered(lambda step, g, Theta: print(step, g)), Parameters([], [], [], [[1.0]])
    >>> tell(Position(Theta, 0.5, Theta)), tell(Position(Theta, 0.7, Theta))
    1 0.5
    2 0.5
    (None, None)
    """
    numbers = itertools.count(1)
    lowest: list[Position] = []

    def tell(position: Position) -> None:
        """Pass on the number of the step and the lowest position so far."""
        if callback is not None:
            lowest[:] = [min([*lowest, position], key=lambda known: known.g)]
            callback(next(numbers), lowest[0].g, lowest[0].Theta)

    return tell


def has_settled(values: Sequence[float], tol: float, window: int = WINDOW) -> bool:
    r"""Choice C19: whether the last rounds lowered the objective by less than the share tol.

    >>> has_settled([2.0, 1.0, 1.0, 1.0], tol=1e-4, window=2), has_settled([2.0, 1.0, 1.0], tol=1e-4, window=2)
    (True, False)
    """
    return len(values) > window and values[-1 - window] - values[-1] <= tol * abs(values[-1])


# ---------------------------------------------------------------------------------------------- what was learned


class Report(NamedTuple):
    """What was learned, in numbers: norms, radii, who measures the length of the training pairs, overlap; and warnings."""

    objective: tuple[float, float]
    stop: str
    n_steps: int
    radii: list[float]
    local_norms: list[float]
    background_norm: float
    local_shares: list[float]
    background_share: float
    covered: float
    counted: float
    overlapping: int
    warnings: list[str]

    def __str__(self) -> str:
        lines = [
            f"objective {self.objective[0]:.4f} -> {self.objective[1]:.4f} in {self.n_steps} steps: {self.stop}",
            f"background: norm {self.background_norm:.3f}, measures {self.background_share:.1%} of the pairs' length",
        ]
        for s, (radius, norm, share) in enumerate(zip(self.radii, self.local_norms, self.local_shares, strict=True)):
            lines.append(f"region {s}: radius {radius:.3f}, norm {norm:.3f}, measures {share:.1%} of the pairs' length")
        lines.append(
            f"regions cover {self.covered:.1%} of a pair's segment on average, count {self.counted:.2f} times its length, "
            f"and {self.overlapping} pairs of balls overlap"
        )
        return "\n".join(lines + [f"warning: {warning}" for warning in self.warnings])


def length_shares(X: ArrayLike, pairs: ArrayLike, Theta: Parameters) -> tuple[list[float], float]:
    r"""Equation (9): the share of the pairs' total length that each region measures, and that of the background.

    >>> length_shares([[0.0], [4.0]], [(0, 1)], Parameters([[0.0]], [1.0], [[[4.0]]], [[1.0]]))
    ([0.4], 0.6)
    """
    X, rows = np.asarray(X, dtype=float), np.asarray(pairs, dtype=int)
    X_i, X_j = X[rows[:, 0]], X[rows[:, 1]]
    gamma = vectorized.intersection_ratios(X_i, X_j, Theta.centers, Theta.radii)
    ratios = [*gamma.T, np.maximum(1 - gamma.sum(axis=1), 0)]
    parts = []
    for ratio, M in zip(ratios, [*Theta.local_metrics, Theta.background_metric], strict=True):
        squares = np.einsum("pf,fg,pg->p", X_j - X_i, np.asarray(M), X_j - X_i)
        parts.append(float(ratio @ np.sqrt(np.maximum(squares, 0))))
    total = sum(parts)
    shares = [part / total if total > 0 else 0.0 for part in parts]
    return shares[:-1], shares[-1]


def coverage(X: ArrayLike, pairs: ArrayLike, Theta: Parameters) -> tuple[float, float]:
    r"""Definition 8: the mean share of a pair's segment inside some region, and the mean of $\sum_s \gamma_s$.

    The second counts overlap as often as it occurs; where it exceeds 1 the background has no say (erratum E14).

    >>> coverage([[0.0], [4.0]], [(0, 1)], Parameters([[0.0], [0.0]], [1.0, 1.0], [[[1.0]], [[1.0]]], [[1.0]]))
    (0.25, 0.5)
    """
    X, rows = np.asarray(X, dtype=float), np.asarray(pairs, dtype=int)
    X_i, X_j = X[rows[:, 0]], X[rows[:, 1]]
    gamma = vectorized.intersection_ratios(X_i, X_j, Theta.centers, Theta.radii)
    outside = vectorized.exact_background_ratios(X_i, X_j, Theta.centers, Theta.radii)
    return float(np.mean(1 - outside)), float(np.mean(gamma.sum(axis=1)))


def overlapping_balls(centers: ArrayLike, radii: ArrayLike) -> int:
    r"""Section 3.2: how many pairs of balls with a radius above 0 have a point in common.

    >>> overlapping_balls([[0.0], [3.0], [9.0]], [1.0, 2.0, 1.0])
    1
    """
    o, r = np.asarray(centers, dtype=float), np.asarray(radii, dtype=float)
    alive = [s for s in range(len(r)) if r[s] > 0]
    return sum(bool(np.linalg.norm(o[s] - o[t]) <= r[s] + r[t]) for s in alive for t in alive if s < t)


SMALL_SHARE = 1e-3


def death_warnings(local_shares: Sequence[float], background_share: float, S: int) -> list[str]:
    r"""Choice C19: one sentence each when regions or the background measure next to nothing (under 0.1 %) of the pairs' length.

    >>> death_warnings([0.0, 0.4], background_share=0.6, S=2)
    ['1 of 2 regions died: region 0 measures less than 0.1% of the length of the training pairs']
    """
    if sum(local_shares) + background_share == 0:
        return ["every metric died: all distances are 0 and all instances get the same class"]
    warnings = []
    dead = [s for s, share in enumerate(local_shares) if share < SMALL_SHARE]
    if dead and len(dead) == S:
        warnings.append(f"all {S} regions died: what was learned is one global metric")
    elif dead:
        who = f"region {dead[0]} measures" if len(dead) == 1 else f"regions {', '.join(map(str, dead))} each measure"
        warnings.append(f"{len(dead)} of {S} regions died: {who} less than 0.1% of the length of the training pairs")
    if S and background_share < SMALL_SHARE:
        warnings.append("the background died: it measures less than 0.1% of the length of the training pairs")
    return warnings


@dataclass
class Learned:
    """What `learn` returns: the parameters, where they began, the trace, why it stopped, and a report on demand."""

    parameters: Parameters
    initial: Parameters
    trace: Trace
    stop: str
    X: Array
    similar: Array
    dissimilar: Array

    def report(self) -> Report:
        """Norms, radii, shares of the training pairs' length, overlap, and a sentence when regions or background died."""
        Theta = self.parameters
        pairs = np.concatenate([self.similar, self.dissimilar])
        local_shares, background_share = length_shares(self.X, pairs, Theta)
        covered, counted = coverage(self.X, pairs, Theta)
        return Report(
            objective=(self.trace.objective[0], self.trace.objective[-1]),
            stop=self.stop,
            n_steps=len(self.trace.objective) - 1,
            radii=[float(radius) for radius in Theta.radii],
            local_norms=[float(np.linalg.norm(M)) for M in Theta.local_metrics],
            background_norm=float(np.linalg.norm(Theta.background_metric)),
            local_shares=local_shares,
            background_share=background_share,
            covered=covered,
            counted=counted,
            overlapping=overlapping_balls(Theta.centers, Theta.radii),
            warnings=death_warnings(local_shares, background_share, len(Theta.radii)),
        )


# ---------------------------------------------------------------------------------------------------------- learn


def checked_data(X: ArrayLike, y: ArrayLike, n_regions: int, n_neighbors: int) -> tuple[Array, Array]:
    """X as a finite float table, y as one label a row, of at least two classes, each large enough for K neighbours.

    >>> checked_data([[0.0], [1.0]], [0, 0], 0, 1)
    Traceback (most recent call last):
    ValueError: y needs at least two classes, got 1
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if X.ndim != 2 or X.shape[1] < 1:
        raise ValueError(f"X needs one instance of at least one feature a row, got shape {X.shape}")
    if not np.isfinite(X).all():
        raise ValueError(f"X needs finite numbers, got {X[~np.isfinite(X)][0]} among them")
    if y.shape != (len(X),):
        raise ValueError(f"y needs one label per row of X, got shape {y.shape} for {len(X)} rows")
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"y needs at least two classes, got {len(classes)}")
    smallest = f"other instances in the smallest class {classes[counts.argmin()]}"
    check_count("n_neighbors", n_neighbors, int(counts.min()) - 1, smallest)
    if n_regions != 0:
        check_count("n_regions", n_regions, len(X), "instances")
    return X, y


def initial_values(X: Array, y: Array, S: int, K: int, seed: int, engine: str) -> Parameters:
    r"""Section 5.2, step 1, step 2 and step 3: the initial values, by loops or with the twin's directions.

    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 1, 0, 1])
    >>> initial_values(X, y, 1, 1, seed=0, engine="vectorized").centers
    array([[2.5]])
    """
    if engine == "reference" or S == 0:
        Theta = initialization.initial_parameters(X.tolist(), y.tolist(), S, K, seed)
    else:
        directions = vectorized.discriminative_directions(X, y, K).tolist()
        labels = initialization.cluster_labels(X.tolist(), directions, S, seed)
        Theta = initialization.clustered_parameters(X.tolist(), directions, labels)
    return parameter_arrays(Theta)


def training_pairs(X: Array, y: Array, K: int, engine: str) -> tuple[Array, Array]:
    r"""Section 5.1: the similar and the dissimilar pairs, in the Euclidean distance, built once (choice C5).

    >>> training_pairs(np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1]), 1, "reference")[0].tolist()
    [[0, 1], [1, 0], [2, 3], [3, 2]]
    """
    if engine == "vectorized":
        return vectorized.similar_pairs(X, y, K), vectorized.dissimilar_pairs(X, y, K)
    lists = X.tolist(), y.tolist(), K
    return np.array(objective.similar_pairs(*lists)), np.array(objective.dissimilar_pairs(*lists))


def chosen_blocks(n_regions: int, learn_regions: bool, learn_metrics: bool) -> list[Block]:
    """Choice C19: all metrics, then every center, then every radius; only what exists and is to be learned.

    >>> chosen_blocks(1, learn_regions=True, learn_metrics=False)
    [Block(name='centers', s=0), Block(name='radii', s=0)]
    """
    blocks = [Block("metrics")] if learn_metrics else []
    if learn_regions:
        blocks += [Block(name, s) for name in ("centers", "radii") for s in range(n_regions)]
    return blocks


def check_choice(name: str, value: str, choices: Collection[str]) -> None:
    """One of the words that an argument can be.

    >>> check_choice("rule", "newton", ("backtracking", "fixed"))
    Traceback (most recent call last):
    ValueError: rule must be 'backtracking' or 'fixed', got rule='newton'
    """
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}, got {name}={value!r}")


def learn(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_regions: int = 4,
    n_neighbors: int = 10,
    alpha: float = 0.1,
    C: float = 0.5,
    rule: str = "backtracking",
    learning_rate: float | None = None,
    n_steps: int | None = None,
    tol: float = 1e-4,
    seed: int = 0,
    printed: Collection[str] = (),
    learn_regions: bool = True,
    learn_metrics: bool = True,
    engine: str = "vectorized",
    callback: Callback | None = None,
) -> Learned:
    r"""Section 5.2: pairs, initial values and descent; the learned parameters with their history.

    `rule` is "backtracking" (choice C19; `learning_rate` is the first rate, `n_steps` the largest number of steps, `tol`
    when to stop) or "fixed" (choice C1; rate 1.0, 60 steps unless said otherwise). `printed` trains with the formulas of
    errata E2, E3, E4 as printed. Regions or metrics can be kept as they start. `callback(step, objective, parameters)` is
    called after each step, by the default rule with the lowest so far. Classes may be any labels; with more than two, a
    dissimilar pair joins any two classes. Same input, same seed: same result.

    >>> X, y = [[0.0, 0.0], [0.1, 0.3], [0.0, 1.0], [1.0, 0.1], [1.1, 0.4], [1.0, 0.9]], [0, 0, 0, 1, 1, 1]
    >>> learned = learn(X, y, n_regions=1, n_neighbors=2)
    >>> learned.trace.objective[-1] < learned.trace.objective[0]
    True
    """
    check_choice("rule", rule, ("backtracking", "fixed"))
    check_choice("engine", engine, tuple(ENGINES))
    X, y = checked_data(X, y, n_regions, n_neighbors)
    similar, dissimilar = training_pairs(X, y, n_neighbors, engine)
    Theta = initial_values(X, y, n_regions, n_neighbors, seed, engine)
    problem = ENGINES[engine](X, similar, dissimilar, alpha, C, printed)
    options = descent_options(rule, learning_rate, n_steps, tol)
    descend = fixed_rate_descent if rule == "fixed" else backtracking_descent
    blocks = chosen_blocks(n_regions, learn_regions, learn_metrics)
    result = descend(problem, Theta, blocks, callback=callback, **options)
    return Learned(result.parameters, Theta, result.trace, result.stop, X, similar, dissimilar)


def descent_options(rule: str, learning_rate: float | None, n_steps: int | None, tol: float) -> dict[str, Any]:
    """Choices C1 and C19: rate, number of steps and tolerance, checked; the rule's own where None was given.

    >>> descent_options("fixed", None, 5, 1e-4)
    {'learning_rate': 1.0, 'n_steps': 5}
    """
    rate, steps = (FIXED_RATE, FIXED_STEPS) if rule == "fixed" else (FIRST_RATE, MOST_STEPS)
    rate = rate if learning_rate is None else learning_rate
    steps = steps if n_steps is None else n_steps
    if not (np.isfinite(rate) and rate > 0):
        raise ValueError(f"learning_rate must be a finite number above 0, got learning_rate={rate}")
    if not isinstance(steps, (int, np.integer)) or isinstance(steps, bool) or steps < 0:
        raise ValueError(f"n_steps must be a whole number from 0, got n_steps={steps}")
    if not tol >= 0:
        raise ValueError(f"tol must be at least 0, got tol={tol}")
    options: dict[str, Any] = {"learning_rate": rate, "n_steps": int(steps)}
    return options if rule == "fixed" else {**options, "tol": tol}
