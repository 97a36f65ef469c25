r"""Learning from data: the paper's descent from start to end, and a learner of ours that never raises the objective.

`learn` does what section 5 describes: pairs, initial values, descent, with every choice that the paper leaves open as an
argument. `rule="fixed"` is the paper's rule (choice C1). `rule="backtracking"` is the default and ours (choice C19): the
gradient is unbounded where a segment touches a sphere, so no fixed rate is safe.

Two `engines` run the very same loops: "reference", which calls the functions of the paper's modules, and "vectorized".
The `rules` descend, the `report` says what was learned, the `learner` puts them together.
"""

from lmlir.learning.engines import *  # noqa: F403
from lmlir.learning.learner import *  # noqa: F403
from lmlir.learning.report import *  # noqa: F403
from lmlir.learning.rules import *  # noqa: F403
