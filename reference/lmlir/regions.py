r"""Section 2: influential regions, the background, and the metrics that measure lengths
in them.

| here | in the paper |
|---|---|
| `center`, `radius` | o_s, r_s: the ball A_s |
| `centers`, `radii` | all S balls |
| `local_metric`, `background_metric` | M(A_s), M(B) |

Balls are located by the Euclidean distance; only lengths are measured by the metrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lmlir.scalars import (
    Matrix,
    Numbers,
    Scalar,
    Vector,
    Vectors,
    check_metric,
    check_points,
    check_radius,
    check_regions,
    check_shape,
    diagonal,
    difference,
    dot,
    float_matrix,
    in_float_range,
    is_finite,
    is_negative,
    quadratic_form,
    square_root,
    squared_length,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A quadratic form that exact arithmetic makes 0 may come out a few roundings below it.
NEGATIVE_ROUNDING = 1e-12


def is_in_ball(x: Vector, center: Vector, radius: Scalar) -> bool:
    r"""Definition 1, equation (1): whether $(o_s - x)^T (o_s - x) \le r_s^2$; the ball
    is closed.

    >>> is_in_ball([1, 0], center=[0, 0], radius=1)
    True
    """
    check_points(x=x, center=center)
    check_radius(radius)
    return bool(squared_length(difference(center, x), "center - x") <= radius * radius)


def is_in_background(x: Vector, centers: Vectors, radii: Numbers) -> bool:
    r"""Definition 2: whether x lies in $B = U - \bigcup_s A_s$, that is, in no ball.

    >>> is_in_background([3, 0], centers=[[0, 0], [0, 9]], radii=[1, 1])
    True
    """
    check_regions(centers, radii)
    return not any(
        is_in_ball(x, center, radius)
        for center, radius in zip(centers, radii, strict=True)
    )


def mahalanobis_length(x_i: Vector, x_j: Vector, metric: Matrix) -> Scalar:
    r"""Definition 3, $D_M$: the length $\sqrt{(x_i - x_j)^T M (x_i - x_j)}$, plain, not
    squared.

    >>> mahalanobis_length([0, 0], [3, 4], metric=[[1, 0], [0, 1]])
    5.0
    """
    check_segment_and_metric(x_i, x_j, metric)
    d = difference(x_i, x_j)
    square = not_below_zero(quadratic_form(d, metric), d, metric)
    return square_root(square)


def check_segment_and_metric(x_i: Vector, x_j: Vector, metric: Matrix) -> None:
    """Definition 3: two points of equally many coordinates and a square matrix of that
    size; otherwise an error.

    >>> check_segment_and_metric([0, 0], [3, 4], metric=[[1, 0]])
    Traceback (most recent call last):
    ValueError: metric must be a 2 x 2 matrix, got rows of lengths [2]
    """
    check_points(x_i=x_i, x_j=x_j)
    check_shape("metric", metric, len(x_i))


def not_below_zero(square: Scalar, d: Vector, metric: Matrix) -> Scalar:
    """Definition 3: the squared length of d as it is, or 0 where it is negative by
    rounding; otherwise an error.

    >>> not_below_zero(4, [2], [[1]]), abs(not_below_zero(-1e-17, [1.0], [[1.0]]))
    (4, 0.0)
    """
    if not is_negative(in_float_range("a squared length", square)):
        return square
    largest_entry = max(abs(entry) for row in metric for entry in row)
    if square < -NEGATIVE_ROUNDING * largest_entry * dot(d, d):
        raise ValueError(
            "Definition 3 needs a positive semi-definite metric, got a squared length "
            f"of {square}"
        )
    return 0 * square  # zero, in the number type of the input


def is_diagonal(M: Matrix) -> bool:
    """Erratum E5: whether a metric has 0 everywhere off its diagonal, so that its
    eigenvalues can be read off.

    >>> is_diagonal([[4, 0], [0, 9]]), is_diagonal([[1, 1], [1, 1]])
    (True, False)
    """
    F = len(M)
    lengths = [len(row) for row in M]
    if lengths != [F] * F:
        raise ValueError(
            f"a metric must be a square matrix, got rows of lengths {lengths}"
        )
    for row in range(F):
        for column in range(F):
            if row != column and M[row][column] != 0:
                return False
    for eigenvalue in diagonal(M):
        if not is_finite(eigenvalue):
            raise ValueError(f"a metric needs finite entries, got {eigenvalue}")
        if is_negative(eigenvalue):
            raise ValueError(
                "a metric must be positive semi-definite, "
                f"got an eigenvalue of {eigenvalue}"
            )
    return True


def metric_array(M: Matrix) -> NDArray[np.float64]:
    """Definition 3: a metric as an array of floats, symmetric to the last bit; an error
    if it is none.

    >>> metric_array([[2, 1], [1, 3]])
    array([[2., 1.],
           [1., 3.]])
    """
    import numpy as np  # the only function here that needs it

    check_metric("a metric", M, len(M))
    matrix = np.array(float_matrix(M))
    return np.asarray(matrix / 2 + matrix.T / 2)


def local_length(x_i: Vector, x_j: Vector, local_metric: Matrix) -> Scalar:
    r"""Definition 3, equation (2): the length of a segment inside the region A_s,
    measured by its metric M(A_s).

    Premise: both ends lie in A_s, and with them the whole segment, because a ball is
    convex. It is not checked here, where no ball is given;
    `lmlir.distance.intersection_length` takes p and q, which lie in the ball up to
    rounding.

    >>> local_length([0, 0], [3, 4], local_metric=[[4, 0], [0, 4]])
    10.0
    """
    return mahalanobis_length(x_i, x_j, local_metric)


def background_length(x_i: Vector, x_j: Vector, background_metric: Matrix) -> Scalar:
    r"""Definition 4: the length of a segment inside the background, measured by M(B).

    Premise: the whole segment lies in B. It is not checked here, where no ball is
    given. Equation (4) needs this length for other segments, too (erratum E19). Where a
    segment crosses a region its own length differs: `lmlir.distance.segment_length`.

    >>> background_length([0, 0], [3, 4], background_metric=[[1, 0], [0, 1]])
    5.0
    """
    return mahalanobis_length(x_i, x_j, background_metric)
