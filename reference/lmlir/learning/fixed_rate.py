r"""The paper's rule, steps of one fixed rate (choice C1), and the record of a descent that both
rules keep.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from lmlir.learning.engines import Array, Problem, parameter_arrays
from lmlir.scalars import Parameters

Callback = Callable[[int, float, Parameters[Array]], None]

# choice C1: the rate and the number of steps unless others are given
FIXED_RATE = 1.0
FIXED_STEPS = 60


class Position(NamedTuple):
    """The parameters at one point of a descent, with g and its gradient there."""

    Theta: Parameters[Array]
    g: float
    slope: Parameters[Array]

    @classmethod
    def at(cls, problem: Problem, Theta: Parameters) -> Self:
        """Evaluate g and its gradient at some parameters."""
        arrays = parameter_arrays(Theta)
        return cls(arrays, *problem.objective_and_gradient(arrays))


@dataclass
class Descent:
    """A descent in progress: its problem, its free parameters, its position, and how it got there.

    `free` holds some of "centers", "radii" and "metrics"; the others keep their values. `trace` is
    g at the start and after every step. `stop` is the reason why the descent ended, and `cut_short`
    is true if it ended because of `max_steps`.
    """

    problem: Problem
    free: Collection[str]
    position: Position
    max_steps: int
    callback: Callback | None = None
    stop: str = ""
    cut_short: bool = False
    trace: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.trace.append(self.position.g)

    @property
    def n_steps(self) -> int:
        """The number of steps taken."""
        return len(self.trace) - 1

    @property
    def steps_left(self) -> int:
        """The number of steps that may still be taken."""
        return self.max_steps - self.n_steps

    def stepped(self, position: Position, beta: float) -> Parameters[Array]:
        r"""Section 5.2: $\Theta - \beta\, \partial g / \partial \Theta$ from a position, projected,
        for the free parameters.
        """
        step = self.problem.descended(position.Theta, position.slope, beta)
        if "centers" not in self.free:
            step = step._replace(centers=position.Theta.centers)
        if "radii" not in self.free:
            step = step._replace(radii=position.Theta.radii)
        if "metrics" not in self.free:
            step = Parameters(step.centers, step.radii, *position.Theta[2:])
        return step

    def move(self, position: Position) -> None:
        """Record a step to a new position."""
        self.trace.append(position.g)
        self.position = position
        if self.callback is not None:
            self.callback(self.n_steps, position.g, position.Theta)


def fixed_rate_descent(
    problem: Problem,
    Theta: Parameters,
    free: Collection[str],
    learning_rate: float = FIXED_RATE,
    n_steps: int = FIXED_STEPS,
    callback: Callback | None = None,
) -> Descent:
    r"""Choice C1: n_steps steps $\Theta^{t+1} = \Theta^t - \beta\, \partial g / \partial \Theta$ of
    one rate, projected.

    The objective may rise, and without bound near a tangency.

    >>> from lmlir.learning.engines import VectorizedProblem
    >>> problem = VectorizedProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1, C=0.5)
    >>> end = fixed_rate_descent(
    ...     problem, Parameters([], [], [], [[1.0]]), ["metrics"], 0.5, n_steps=1
    ... )
    >>> end.position.Theta.background_metric
    array([[0.25]])
    """
    start = Position.at(problem, Theta)
    descent = Descent(problem, free, start, n_steps, callback, stop=f"took all {n_steps} steps")
    for _ in range(n_steps):
        Theta = descent.stepped(descent.position, learning_rate)
        descent.move(Position.at(problem, Theta))
    return descent
