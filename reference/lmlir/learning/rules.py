"""Two rules of descent: the paper's fixed rate (choice C1), and backtracking, which never raises the objective (choice C19)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

import lmlir.learning.engines as engines
from lmlir.learning.engines import Array, Block, Problem
from lmlir.scalars import Parameters

Callback = Callable[[int, float, Parameters[Array]], None]

# Choice C1: what the fixed rule uses when nothing else is asked for.
FIXED_RATE, FIXED_STEPS = 1.0, 60

# Choice C19: the first rate of every block, how it grows and shrinks, its lower end, how often a block may try in one round,
# and over how many rounds the fall of the objective is measured; how often all metrics may be halved or doubled.
FIRST_RATE, GROWTH, SHRINKAGE, LOWEST_RATE, TRIES, WINDOW, MOST_SCALINGS = 0.1, 2.0, 0.5, 1e-9, 3, 10, 60

# Choice C19: the largest number of steps, how many of them are plain ones (from metrics at their best common scale, and
# from the initial values as printed; fewer in proportion when fewer steps are allowed), and what is running away.
MOST_STEPS, PLAIN_STEPS, FAR_OFF = 900, {True: 200, False: 600}, 1e9


class Position(NamedTuple):
    """A place of the descent: the parameters, and g and its gradient there."""

    Theta: Parameters[Array]
    g: float
    slope: Parameters[Array]

    @classmethod
    def at(cls, problem: Problem, Theta: Parameters) -> Self:
        """The position at some parameters."""
        arrays = engines.parameter_arrays(Theta)
        return cls(arrays, *problem.objective_and_gradient(arrays))


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


@dataclass
class Descent:
    """A descent: its position, what is called after every step, how it got there, and why it stopped."""

    position: Position
    callback: Callback | None = None
    trace: Trace = field(default_factory=Trace)
    stop: str = ""

    def __post_init__(self) -> None:
        self.trace.objective.append(self.position.g)

    @property
    def parameters(self) -> Parameters[Array]:
        """The parameters at its position."""
        return self.position.Theta

    @property
    def n_steps(self) -> int:
        """How many steps were taken."""
        return len(self.trace.objective) - 1

    def move(self, position: Position) -> None:
        """Records a step to a new position."""
        self.trace.add(self.parameters, position.Theta, position.g)
        self.position = position
        if self.callback is not None:
            self.callback(self.n_steps, position.g, position.Theta)


def numbered(callback: Callback) -> Callback:
    """The callback for several descents: it gets a number that counts all steps, and the lowest g so far.

    >>> call = numbered(lambda step, g, Theta: print(step, g, Theta.background_metric))
    >>> call(1, 0.5, Parameters([], [], [], [[2.0]])), call(1, 0.7, Parameters([], [], [], [[3.0]]))
    1 0.5 [[2.0]]
    2 0.5 [[2.0]]
    (None, None)
    """
    numbers = itertools.count(1)
    lowest: list[tuple[float, Parameters[Array]]] = []

    def call(step: int, g: float, Theta: Parameters[Array]) -> None:
        """Passes on the number of the step and the lowest g so far, with its parameters."""
        if not lowest or g < lowest[0][0]:
            lowest[:] = [(g, Theta)]
        callback(next(numbers), *lowest[0])

    return call


def all_moved(problem: Problem, position: Position, blocks: Sequence[Block], beta: float) -> Parameters[Array]:
    r"""Section 5.2: $\Theta - \beta\, \partial g / \partial \Theta$, projected; parameters outside the blocks stay."""
    Theta = position.Theta
    for block in blocks:
        Theta = problem.moved(Theta, position.slope, block, beta)
    return Theta


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

    >>> problem = engines.VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> end = fixed_rate_descent(problem, Parameters([], [], [], [[1.0]]), [Block("metrics")], 0.5, n_steps=1)
    >>> end.parameters.background_metric
    array([[0.25]])
    """
    descent = Descent(Position.at(problem, Theta), callback, stop=f"took all {n_steps} steps")
    for _ in range(n_steps):
        descent.move(Position.at(problem, all_moved(problem, descent.position, blocks, learning_rate)))
    return descent


def scaled_metrics(problem: Problem, position: Position) -> Position:
    r"""Choice C19: all metrics halved together as long as g falls, or else doubled.

    g is convex in the root of their common scale (hinges of multiples of it, plus a multiple of its square), so this finds
    the best power of two.

    >>> problem = engines.VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=0.1, C=0.5)
    >>> start = Position.at(problem, Parameters([], [], [], [[4.0]]))
    >>> scaled_metrics(problem, start).Theta.background_metric
    array([[0.0625]])
    """
    best, lowest = position.Theta, position.g
    for factor in (0.5, 2.0):
        for _ in range(MOST_SCALINGS):
            candidate = best._replace(
                local_metrics=factor * best.local_metrics, background_metric=factor * best.background_metric
            )
            g = problem.objective(candidate)
            if not g < lowest:
                break
            best, lowest = candidate, g
        if best is not position.Theta:
            return Position.at(problem, best)
    return position


def is_far_off(Theta: Parameters, start: Parameters) -> bool:
    """Choice C19: whether some parameter is a billion times larger than the largest at the start, or no number.

    >>> start = Parameters([[0.0]], [1.0], [[[1.0]]], [[1.0]])
    >>> is_far_off(start._replace(radii=[2e9]), start), is_far_off(start._replace(radii=[2.0]), start)
    (True, False)
    """
    size, size_at_start = (max(float(np.abs(part).max(initial=0)) for part in which) for which in (Theta, start))
    return not size <= FAR_OFF * size_at_start


def take_plain_steps(problem: Problem, descent: Descent, blocks: Sequence[Block], beta: float, n_steps: int) -> None:
    r"""Choice C19: steps of one small rate for everything, as in `fixed_rate_descent`; where they were lowest counts.

    That is the subgradient method: a single step may raise g, so it can cross the kinks at which a descent gets stuck.
    Where the steps run away, they end.

    >>> problem = engines.VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> descent = Descent(Position.at(problem, Parameters([], [], [], [[1.0]])))
    >>> take_plain_steps(problem, descent, [Block("metrics")], 0.5, n_steps=3)
    >>> descent.trace.objective
    [3.0, 1.75, 1.5, 1.5]
    """
    start = position = descent.position
    for _ in range(n_steps):
        Theta = all_moved(problem, position, blocks, beta)
        if is_far_off(Theta, start.Theta):
            break
        position = Position.at(problem, Theta)
        descent.move(min(descent.position, position, key=lambda known: known.g))


def block_step(problem: Problem, position: Position, block: Block, beta: float) -> tuple[Position, float]:
    r"""Choice C19: one block's step, its rate halved until g falls, at most three tries; and the rate for its next step.

    The next rate is doubled when the first try was good. When no try was, nothing moves.

    >>> problem = engines.VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> start = Position.at(problem, Parameters([], [], [], [[1.0]]))
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
            return Position.at(problem, candidate), beta * GROWTH if attempt == 0 else beta
        beta = max(beta * SHRINKAGE, LOWEST_RATE)
    return position, beta


def take_rounds(
    problem: Problem, descent: Descent, blocks: Sequence[Block], beta: float, n_steps: int, tol: float
) -> str:
    r"""Choice C19: rounds of block steps, each block with its own rate, until g has settled; why they ended.

    >>> problem = engines.VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> descent = Descent(Position.at(problem, Parameters([], [], [], [[1.0]])))
    >>> take_rounds(problem, descent, [Block("metrics")], 0.1, n_steps=1, tol=1e-4), descent.parameters.background_metric
    ('took all 1 steps', array([[0.85]]))
    """
    rates, values = [beta] * len(blocks), [descent.position.g]
    while not has_settled(values, tol):
        if descent.n_steps >= n_steps:
            return f"took all {n_steps} steps"
        position = descent.position
        for index, block in enumerate(blocks):
            position, rates[index] = block_step(problem, position, block, rates[index])
        descent.move(position)
        values.append(position.g)
    return f"the last {WINDOW} rounds lowered the objective by less than {tol:g} of it"


def has_settled(values: Sequence[float], tol: float, window: int = WINDOW) -> bool:
    r"""Choice C19: whether the last rounds lowered the objective by less than the share tol.

    >>> has_settled([2.0, 1.0, 1.0, 1.0], tol=1e-4, window=2), has_settled([2.0, 1.0, 1.0], tol=1e-4, window=2)
    (True, False)
    """
    return len(values) > window and values[-1 - window] - values[-1] <= tol * abs(values[-1])


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
    or after `n_steps` steps. The trace is that of the descent that ended lower, and never rises. `callback` is called after
    every step of both, with its number, and the lowest g so far with its parameters.

    >>> problem = engines.VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> learned = backtracking_descent(problem, Parameters([], [], [], [[1.0]]), [Block("metrics")])
    >>> learned.trace.objective[0], learned.trace.objective[-1]
    (3.0, 1.3125)
    """
    start = Position.at(problem, Theta)
    callback = numbered(callback) if callback is not None else None
    ends = []
    for scaling, plain_steps in PLAIN_STEPS.items():
        if scaling and Block("metrics") not in blocks:
            continue
        descent = Descent(start, callback)
        if scaling and n_steps > 0:
            descent.move(scaled_metrics(problem, start))
        take_plain_steps(problem, descent, blocks, learning_rate, n_steps * plain_steps // MOST_STEPS)
        descent.stop = take_rounds(problem, descent, blocks, learning_rate, n_steps, tol)
        ends.append(descent)
    return min(ends, key=lambda end: end.position.g)
