r"""Learning from data: the paper's descent from start to end, and a learner of ours that never raises the objective.

`learn` does what section 5 describes: pairs, initial values, descent, with every choice that the paper leaves open as an
argument. `rule="fixed"` is the paper's rule (choice C1). `rule="quasi-newton"` is the default and ours (choice C19): the
gradient is unbounded where a segment touches a sphere, so no fixed rate is safe. `rule="backtracking"` was the default until
version 1.0.0.

Three `engines` serve the very same descents: "reference", which calls the functions of the paper's modules, "vectorized" and
"compiled". The `rules` and `quasi_newton` descend, the `report` says what was learned, the `learner` puts them together.
"""

from lmlir.learning.engines import (
    ENGINES,
    Block,
    Problem,
    ReferenceProblem,
    VectorizedProblem,
    initial_values,
    learned_pairs,
    parameter_arrays,
    training_pairs,
)
from lmlir.learning.learner import RULES, learn
from lmlir.learning.quasi_newton import quasi_newton_descent
from lmlir.learning.report import SMALL_SHARE, Learned, Report, coverage, length_shares
from lmlir.learning.rules import (
    FIXED_RATE,
    FIXED_STEPS,
    Descent,
    Position,
    Trace,
    backtracking_descent,
    fixed_rate_descent,
)

__all__ = [
    "ENGINES",
    "FIXED_RATE",
    "FIXED_STEPS",
    "RULES",
    "SMALL_SHARE",
    "Block",
    "Descent",
    "Learned",
    "Position",
    "Problem",
    "ReferenceProblem",
    "Report",
    "Trace",
    "VectorizedProblem",
    "backtracking_descent",
    "coverage",
    "fixed_rate_descent",
    "initial_values",
    "learn",
    "learned_pairs",
    "length_shares",
    "parameter_arrays",
    "quasi_newton_descent",
    "training_pairs",
]
