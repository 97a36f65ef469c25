"""The vectorized twin: the same functions as the reference, on whole arrays, hundreds of times
faster.

One segment and one ball cost the same few operations everywhere; what differs is how often Python
interprets a line. In the reference it does so for every number. Here a line of Python handles a
block of pairs, and the loops that remain run over blocks and regions. Eight ideas make it fast;
each comes with the care that keeps it right:

1. *Blocks that stay in the cache* (`pairs`). A processor adds two numbers in a fraction of a
   nanosecond and waits a hundred times as long for memory. All arrays of a block together take
   about 1 MB, the second-level cache, and no array of all pairs times all features is ever made.
2. *Features first* (`pairs`). A block holds one row per feature, so that every operation runs along
   a thousand pairs instead of a few features. Differences are taken before anything is squared: x -
   y is exact to the last digit, |x|^2 - |y|^2 is not.
3. *Matrix products for all pairs* (`cross`). They are ten times faster than differences and lose
   digits only for points that are near each other. Those are few; they are found by one comparison
   and computed from their differences.
4. *Nothing twice* (`problem`). Training evaluates g and its gradient at many Theta and the same
   pairs: differences, squared lengths and repeated pairs are computed once. Sums over pairs are
   matrix products, too.
5. *Nothing kept* (`decision_values`). Of all distances to a class only the K smallest of each row
   are needed; a strip of rows is enough to find them.
6. *Nothing in vain* (`evaluation`). Pairs whose hinge is inactive have no gradient, and pairs that
   do not meet a region need no length in it: their columns are left out where that saves time.
7. *Threads* (`threads`). They share blocks or strips, which do not depend on their number, and sums
   are added in the order of the blocks: `n_jobs` changes no digit.
8. *No Python between two operations* (`compiled`, on request, if Numba is installed). Threads over
   NumPy's short operations take turns; threads over compiled loops do not. The loops are checked
   against the same reference.

Pairs are computed in double precision whatever the input is; `cross_distances` and
`decision_values` work in single precision when all arrays are float32. `checks` validates the
arguments, `nearest` finds neighbors and training pairs.

| here | in the paper |
|---|---|
| `D`, `inverse_a` | x_j - x_i, and 1 / a, a its squared length |
| `middle`, `half` | -b / 2a and sqrt(Delta) / 2a, so that lambda_u, lambda_v = middle -+ half |
| `offset` | x_i + (-b / 2a) (x_j - x_i) - o_s, the bracket of Table 3 |
| `gamma`, `gamma_b` | the intersection ratios |
| `lengths` | D_M(A_s) and, last, D_M(B): the Mahalanobis lengths |
| `metrics` | M(A_s) and, last, M(B) |
"""

from lmlir.vectorized.cross import cross_distances, decision_values, nearest_sums
from lmlir.vectorized.nearest import (
    discriminative_directions,
    dissimilar_pairs,
    neighbors,
    similar_pairs,
)
from lmlir.vectorized.pairs import (
    distances,
    exact_background_ratios,
    intersection_ratios,
    ratio_gradients,
)
from lmlir.vectorized.problem import (
    PairProblem,
    descended,
    descended_metrics,
    descent_step,
    nearest_positive_semidefinite,
    objective,
    objective_gradient,
)

__all__ = [
    "intersection_ratios",
    "ratio_gradients",
    "exact_background_ratios",
    "distances",
    "cross_distances",
    "nearest_sums",
    "decision_values",
    "PairProblem",
    "objective",
    "objective_gradient",
    "nearest_positive_semidefinite",
    "descended",
    "descended_metrics",
    "descent_step",
    "neighbors",
    "similar_pairs",
    "dissimilar_pairs",
    "discriminative_directions",
]
