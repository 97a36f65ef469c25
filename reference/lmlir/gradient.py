r"""Section 5.2: the gradient, row by row of Table 3, then of the distance, then of the
objective g.

| here | in the paper |
|---|---|
| `ratio_gradient` | d gamma / d o, d gamma / d r (Table 3) |
| `distance_gradient_background_metric` | dD/dM(B) |
| `distance_gradient_local_metric` | dD/dM(A_s) |
| `distance_gradient_center`, `distance_gradient_radius` | dD/do_s, dD/dr_s |
| `shrinkage` | the gradient of alpha ||M||_F |
| `objective_gradient` | dg/dTheta |

Three printed signs and factors are wrong. `printed=("E2",)`, `("E3",)`, `("E4",)` give
the formula as printed instead of the true one. On a kink we take the value of Table 3's
own row; where a length or a norm is 0 its gradient is 0.
"""

from __future__ import annotations

from collections.abc import Collection

from lmlir.distance import all_ratios, approximate_background_ratio, distance
from lmlir.intersection import (
    intersection_ratio,
    offset_from_center,
    quadratic_a,
    quadratic_b,
    segment_case,
    stable_discriminant,
)
from lmlir.objective import Pairs, check_weights
from lmlir.regions import mahalanobis_length
from lmlir.scalars import (
    Matrix,
    Metrics,
    Numbers,
    Parameters,
    Rows,
    Scalar,
    Vector,
    Vectors,
    difference,
    frobenius_norm,
    in_float_range,
    scaled_matrix,
    square_root,
)

RatioGradient = tuple[list[Scalar], Scalar]

PRINTED_MISTAKES = frozenset({"E2", "E3", "E4"})


def check_printed(printed: Collection[str]) -> None:
    """Errata E2, E3, E4: the mistakes that can be asked for; otherwise an error that
    names the other one.

    >>> check_printed(["E9"])
    Traceback (most recent call last):
    ValueError: printed may hold E2, E3 and E4, got printed=['E9']
    """
    if not set(printed) <= PRINTED_MISTAKES:
        raise ValueError(
            f"printed may hold E2, E3 and E4, got printed={sorted(printed)}"
        )


# ------------------------------------------------------------------------------ Table 3


def gradient_when_missing(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> RatioGradient:
    r"""Table 3, row 1: $\Delta \le 0$, both derivatives are 0.

    On a tangency the one-sided derivative by r is infinite when the point lies on the
    segment (erratum E16).

    >>> gradient_when_missing([0, 0], [4, 0], center=[2, 5], radius=1)
    ([0, 0], 0)
    """
    return [0] * len(center), 0


def gradient_when_constant(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> RatioGradient:
    r"""Table 3, row 2: $\gamma$ is 0 or 1 all around (Table 2, rows 3, 5 and 8), both
    derivatives are 0.

    >>> gradient_when_constant([0, 0], [4, 0], center=[2, 0], radius=9)
    ([0, 0], 0)
    """
    return [0] * len(center), 0


def gradient_within_segment(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> RatioGradient:
    r"""Table 3, row 3: $\gamma = \lambda_v - \lambda_u$.

    $\frac{\partial\gamma}{\partial o} =$
    $4 \Delta^{-1/2} [x_i + \frac{-b}{2a} (x_j - x_i) - o]$,
    $\frac{\partial\gamma}{\partial r} = 4 \Delta^{-1/2} r$.

    >>> gradient_within_segment([0, 0], [4, 0], center=[2, 0], radius=1)
    ([0.0, 0.0], 0.5)
    """
    root = square_root(stable_discriminant(x_i, x_j, center, radius))
    offset = offset_from_center(x_i, x_j, center)
    by_center = [4 * offset_f / root for offset_f in offset]
    return by_center, 4 * radius / root


def root_gradient(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> list[Scalar]:
    r"""Table 3, $\frac12 \Delta^{-1/2} (-4b(x_j - x_i) - 8a(o - x_i))$: the gradient of
    $\sqrt\Delta$ by the center.

    >>> root_gradient([0, 0], [4, 0], center=[1, 3], radius=5)
    [0.0, -6.0]
    """
    a = quadratic_a(x_i, x_j)
    b = quadratic_b(x_i, x_j, center)
    root = square_root(stable_discriminant(x_i, x_j, center, radius))
    direction = difference(x_j, x_i)
    to_center = difference(center, x_i)
    by_center = []
    for d_f, o_f in zip(direction, to_center, strict=True):
        by_center.append((-4 * b * d_f - 8 * a * o_f) / (2 * root))
    return by_center


def gradient_around_start(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> RatioGradient:
    r"""Table 3, row 4: $\gamma = \lambda_v$.

    $\frac{\partial\gamma}{\partial o} =$
    $\frac1{2a} [2(x_j - x_i) + \frac12 \Delta^{-1/2} (-4b(x_j - x_i) - 8a(o - x_i))]$,
    $\frac{\partial\gamma}{\partial r} = 2 \Delta^{-1/2} r$.

    >>> gradient_around_start([0, 0], [4, 0], center=[0, 0], radius=1)
    ([0.25, 0.0], 0.25)
    """
    a = quadratic_a(x_i, x_j)
    root = square_root(stable_discriminant(x_i, x_j, center, radius))
    by_root = root_gradient(x_i, x_j, center, radius)
    direction = difference(x_j, x_i)
    by_center = []
    for d_f, g_f in zip(direction, by_root, strict=True):
        by_center.append((2 * d_f + g_f) / (2 * a))
    return by_center, 2 * radius / root


def gradient_around_end(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> RatioGradient:
    r"""Table 3, row 5: $\gamma = 1 - \lambda_u$.

    $\frac{\partial\gamma}{\partial o} =$
    $\frac1{2a} [-2(x_j - x_i) + \frac12 \Delta^{-1/2} (-4b(x_j - x_i) - 8a(o - x_i))]$,
    $\frac{\partial\gamma}{\partial r} = 2 \Delta^{-1/2} r$.

    >>> gradient_around_end([0, 0], [4, 0], center=[4, 0], radius=1)
    ([-0.25, 0.0], 0.25)
    """
    a = quadratic_a(x_i, x_j)
    root = square_root(stable_discriminant(x_i, x_j, center, radius))
    by_root = root_gradient(x_i, x_j, center, radius)
    direction = difference(x_j, x_i)
    by_center = []
    for d_f, g_f in zip(direction, by_root, strict=True):
        by_center.append((-2 * d_f + g_f) / (2 * a))
    return by_center, 2 * radius / root


# Which row of Table 3 belongs to each row of Table 2.
GRADIENT_ROWS = {
    1: gradient_when_missing,
    2: gradient_when_missing,
    3: gradient_when_constant,
    4: gradient_around_start,
    5: gradient_when_constant,
    6: gradient_within_segment,
    7: gradient_around_end,
    8: gradient_when_constant,
}


def ratio_gradient(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> RatioGradient:
    r"""Table 3:
    $(\frac{\partial\gamma}{\partial o}, \frac{\partial\gamma}{\partial r})$ by the row
    that applies.

    >>> ratio_gradient([0, 0], [4, 0], center=[0, 0], radius=1)
    ([0.25, 0.0], 0.25)
    """
    row = segment_case(x_i, x_j, center, radius)
    by_center, by_radius = GRADIENT_ROWS[row](x_i, x_j, center, radius)
    for entry in by_center:
        in_float_range("d gamma / d o", entry)
    in_float_range("d gamma / d r", by_radius)
    return by_center, by_radius


# ------------------------------------------------------------------ of the distance (9)


def length_gradient(x_i: Vector, x_j: Vector, metric: Matrix) -> Rows:
    r"""Section 5.2, dD/dM(B) and dD/dM(A_s): their factor
    $\frac{\partial D_M}{\partial M} = \frac12 [d^T M d]^{-1/2} d d^T$.

    With d = x_i - x_j; 0 where $D_M = 0$.

    >>> length_gradient([2, 0], [0, 0], metric=[[1, 0], [0, 1]])
    [[1.0, 0.0], [0.0, 0.0]]
    """
    d = difference(x_i, x_j)
    length = mahalanobis_length(x_i, x_j, metric)
    if length == 0:
        return [[0] * len(d) for _ in d]
    by_metric = []
    for d_f in d:
        row = [d_f * d_g / (2 * length) for d_g in d]
        by_metric.append([in_float_range("dD/dM", entry) for entry in row])
    return by_metric


def distance_gradient_background_metric(
    x_i: Vector,
    x_j: Vector,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Rows:
    r"""Section 5.2, dD/dM(B):
    $\frac{1[\gamma_b > 0]}{2} \gamma_b [d^T M(B) d]^{-1/2} d d^T$, d = x_i - x_j.

    >>> distance_gradient_background_metric(
    ...     [2], [0], [[0]], [1], [[[4]]], background_metric=[[1]]
    ... )
    [[0.5]]
    """
    gamma_b = approximate_background_ratio(all_ratios(x_i, x_j, centers, radii))
    return scaled_matrix(gamma_b, length_gradient(x_i, x_j, background_metric))


def distance_gradient_local_metric(
    x_i: Vector,
    x_j: Vector,
    s: int,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> Rows:
    r"""Section 5.2, dD/dM(A_s): $\frac{\gamma_s}{2} [d^T M(A_s) d]^{-1/2} d d^T$, d =
    x_i - x_j.

    >>> distance_gradient_local_metric(
    ...     [2], [0], 0, [[0]], [1], [[[4]]], background_metric=[[1]]
    ... )
    [[0.25]]
    """
    gamma_s = intersection_ratio(x_i, x_j, centers[s], radii[s])
    return scaled_matrix(gamma_s, length_gradient(x_i, x_j, local_metrics[s]))


def distance_gradient_ratio(
    background_is_visible: bool,
    background: Scalar,
    local: Scalar,
    printed: Collection[str] = (),
) -> Scalar:
    r"""Section 5.2, dD/do_s and dD/dr_s: their factor
    $\frac{\partial D}{\partial \gamma_s}$.

    $D_{M(A_s)} - 1[1 - \sum_s \gamma_s > 0] D_{M(B)}$.

    Printed with a plus (erratum E3): but what a region gains, the background loses.

    >>> distance_gradient_ratio(True, background=1, local=3)
    2
    >>> distance_gradient_ratio(True, 1, 3, printed=["E3"])
    4
    """
    if not background_is_visible:
        return local
    return local + background if "E3" in printed else local - background


def distance_gradient_position(
    x_i: Vector,
    x_j: Vector,
    s: int,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    printed: Collection[str] = (),
) -> RatioGradient:
    r"""Section 5.2, dD/do_s and dD/dr_s together: dD/dgamma_s times the row of Table 3.

    >>> distance_gradient_position(
    ...     [0, 0], [4, 0], 0, [[0, 0]], [1], [[[4, 0], [0, 4]]], [[1, 0], [0, 1]]
    ... )
    ([1.0, 0.0], 1.0)
    """
    check_printed(printed)
    gamma = all_ratios(x_i, x_j, centers, radii)
    background_is_visible = 1 - sum(gamma) > 0
    background = mahalanobis_length(x_i, x_j, background_metric)
    local = mahalanobis_length(x_i, x_j, local_metrics[s])
    by_ratio = distance_gradient_ratio(
        background_is_visible, background, local, printed
    )
    by_center, by_radius = ratio_gradient(x_i, x_j, centers[s], radii[s])
    by_center = [by_ratio * entry for entry in by_center]
    return by_center, by_ratio * by_radius


def distance_gradient_center(
    x_i: Vector,
    x_j: Vector,
    s: int,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    printed: Collection[str] = (),
) -> list[Scalar]:
    r"""Section 5.2, dD/do_s:
    $(D_{M(A_s)} - 1[1 - \sum_s \gamma_s > 0] D_{M(B)})$
    $\frac{\partial\gamma_s}{\partial o_s}$.

    >>> distance_gradient_center(
    ...     [0, 0], [4, 0], 0, [[0, 0]], [1], [[[4, 0], [0, 4]]], [[1, 0], [0, 1]]
    ... )
    [1.0, 0.0]
    """
    Theta = (centers, radii, local_metrics, background_metric)
    by_center, _ = distance_gradient_position(x_i, x_j, s, *Theta, printed)
    return by_center


def distance_gradient_radius(
    x_i: Vector,
    x_j: Vector,
    s: int,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    printed: Collection[str] = (),
) -> Scalar:
    r"""Section 5.2, dD/dr_s:
    $(D_{M(A_s)} - 1[1 - \sum_s \gamma_s > 0] D_{M(B)})$
    $\frac{\partial\gamma_s}{\partial r_s}$.

    >>> distance_gradient_radius(
    ...     [0, 0], [4, 0], 0, [[0, 0]], [1], [[[4, 0], [0, 4]]], [[1, 0], [0, 1]]
    ... )
    1.0
    """
    Theta = (centers, radii, local_metrics, background_metric)
    _, by_radius = distance_gradient_position(x_i, x_j, s, *Theta, printed)
    return by_radius


# --------------------------------------------------------------------- of the objective


def shrinkage(M: Matrix, alpha: Scalar, printed: Collection[str] = ()) -> Rows:
    r"""Section 5.2, shrinkage: $\alpha M / \|M\|_F$, the gradient of $\alpha \|M\|_F$;
    0 where M = 0.

    Printed as half of it (erratum E4).

    >>> shrinkage([[3, 0], [0, 4]], alpha=1)
    [[0.6, 0.0], [0.0, 0.8]]
    >>> shrinkage([[3, 0], [0, 4]], alpha=1, printed=["E4"])
    [[0.3, 0.0], [0.0, 0.4]]
    """
    check_printed(printed)
    norm = frobenius_norm(M)
    if norm == 0:
        return [[0] * len(row) for row in M]
    denominator = 2 * norm if "E4" in printed else norm
    by_metric = []
    for row in M:
        by_metric.append([alpha * entry / denominator for entry in row])
    return by_metric


def active_pairs(
    X: Vectors,
    similar: Pairs,
    dissimilar: Pairs,
    Theta: Parameters,
    C: Scalar,
    printed: Collection[str] = (),
) -> list[tuple[int, int, int]]:
    r"""Section 5.2, gradient of g: each pair whose hinge is active, with its weight's
    denominator $N_1$ or $-N_2$.

    Printed with a plus for the dissimilar pairs (erratum E2).

    >>> Theta = Parameters([], [], [], [[1]])
    >>> active_pairs([[0], [2], [1]], [(0, 1)], [(0, 2), (1, 2)], Theta, C=0.5)
    [(0, 1, 1), (0, 2, -2), (1, 2, -2)]
    """
    active = []
    for i, j in similar:
        D = distance(X[i], X[j], *Theta)
        if D - (1 - C) > 0:
            active.append((i, j, len(similar)))
    sign = 1 if "E2" in printed else -1
    for m, n in dissimilar:
        D = distance(X[m], X[n], *Theta)
        if (1 + C) - D > 0:
            active.append((m, n, sign * len(dissimilar)))
    return active


def objective_gradient(
    X: Vectors,
    similar: Pairs,
    dissimilar: Pairs,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
    alpha: Scalar,
    C: Scalar,
    printed: Collection[str] = (),
) -> Parameters:
    r"""Section 5.2, gradient of g: the weighted sum of dD/dTheta over the active pairs,
    plus the shrinkage terms.

    >>> g = objective_gradient(
    ...     [[0], [2], [1]], [(0, 1)], [(0, 2)], [], [], [], [[1]], alpha=1, C=0.5
    ... )
    >>> g.background_metric
    [[1.5]]
    """
    check_printed(printed)
    check_weights(alpha, C)
    Theta = Parameters(centers, radii, local_metrics, background_metric)
    by_center = [[0] * len(center) for center in centers]
    by_radius = [0] * len(centers)
    by_local = [shrinkage(metric, alpha, printed) for metric in local_metrics]
    by_background = shrinkage(background_metric, alpha, printed)
    total = Parameters(by_center, by_radius, by_local, by_background)
    for i, j, count in active_pairs(X, similar, dissimilar, Theta, C, printed):
        add_pair(total, X[i], X[j], Theta, count, printed)
    return total


def add_pair(
    total: Parameters,
    x_i: Vector,
    x_j: Vector,
    Theta: Parameters,
    count: Scalar,
    printed: Collection[str] = (),
) -> None:
    """Section 5.2, gradient of g: adds dD/dTheta of one pair, divided by a number of
    pairs, to a running total, in place.

    >>> total = Parameters([], [], [], [[0.0]])
    >>> add_pair(total, [0], [4], Parameters([], [], [], [[1]]), count=2)
    >>> total.background_metric
    [[1.0]]
    """
    by_background = distance_gradient_background_metric(x_i, x_j, *Theta)
    add_share(total.background_metric, by_background, count)
    for s in range(len(Theta.centers)):
        by_local = distance_gradient_local_metric(x_i, x_j, s, *Theta)
        add_share(total.local_metrics[s], by_local, count)
        by_center, by_radius = distance_gradient_position(x_i, x_j, s, *Theta, printed)
        add_share([total.centers[s]], [by_center], count)
        total.radii[s] = total.radii[s] + by_radius / count


def add_share(total: Rows, matrix: Matrix, count: Scalar) -> None:
    """Section 5.2, gradient of g: adds a matrix, divided by a number of pairs, to a
    running total, in place.

    >>> total = [[1.0, 2.0]]
    >>> add_share(total, [[1, 1]], count=2); total
    [[1.5, 2.5]]
    """
    for total_row, row in zip(total, matrix, strict=True):
        for column, entry in enumerate(row):
            share = entry / count
            total_row[column] = total_row[column] + share
