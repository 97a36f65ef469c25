r"""Learning from data: the paper's descent from start to end, and a rule of ours that never raises
the objective.

`learn` does what section 5 describes: pairs, initial values, descent, with every choice that the
paper leaves open as an argument. `rule="fixed"` is the paper's rule (choice C1).
`rule="quasi-newton"` is the default and ours (choice C19): the gradient is unbounded where a
segment touches a sphere, so no fixed rate is safe.

Three `engines` compute g and its gradient for the same descents: "reference" calls the functions of
the paper's modules, "vectorized" and "compiled" are fast. `fixed_rate` and `quasi_newton` descend,
`report` describes what was learned, and `learner` puts them together.
"""

from lmlir.learning.engines import (
    ENGINES,
    Problem,
    ReferenceProblem,
    VectorizedProblem,
    initial_values,
    parameter_arrays,
    training_pairs,
)
from lmlir.learning.fixed_rate import FIXED_RATE, FIXED_STEPS, Descent, Position, fixed_rate_descent
from lmlir.learning.learner import RULES, learn
from lmlir.learning.quasi_newton import quasi_newton_descent
from lmlir.learning.report import SMALL_SHARE, Learned, Report, coverage, length_shares

__all__ = [
    "ENGINES",
    "FIXED_RATE",
    "FIXED_STEPS",
    "RULES",
    "SMALL_SHARE",
    "Descent",
    "Learned",
    "Position",
    "Problem",
    "ReferenceProblem",
    "Report",
    "VectorizedProblem",
    "coverage",
    "fixed_rate_descent",
    "initial_values",
    "learn",
    "length_shares",
    "parameter_arrays",
    "quasi_newton_descent",
    "training_pairs",
]
