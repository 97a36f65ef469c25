"""Numbers, vectors and matrices, and the checks that every statement of the paper
shares.

The formulas of the reference run on any number type: floats, `fractions.Fraction`,
mpmath numbers and SymPy symbols. That is why vectors are plain sequences, sums are
loops and the square root below chooses by type: the proofs and the 50-digit truth of
the oracle come from the very lines that compute the floats.

| here | in the paper |
|---|---|
| `Vector`, `Matrix` | a point x, a metric M |
| `Parameters` | Theta = {o_s, r_s, M(A_s), M(B)} |
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from numbers import Integral
from typing import Any, Generic, NamedTuple, TypeVar

Scalar = Any
Vector = Sequence[Scalar]
Matrix = Sequence[Vector]
Numbers = Sequence[Scalar]
Vectors = Sequence[Vector]
Metrics = Sequence[Matrix]
Indices = Sequence[int]
Labels = Sequence[int]  # the classes of the instances
Rows = list[list[Scalar]]  # a matrix that may be changed
Part = TypeVar("Part")

# Squares of lengths must stay clear of overflow and of the subnormal numbers, where
# floats lose their digits.
SMALLEST_SQUARE = 1e-290
SMALLEST_FLOAT = sys.float_info.min  # below it digits are lost
HALF = Fraction(1, 2)
# how far a metric may be from symmetric and positive semi-definite, relative to its
# largest entry
METRIC_ROUNDING = 1e-6


class Parameters(NamedTuple, Generic[Part]):
    """Equation (12), Theta: what is learned, S centers, S radii, S local metrics and
    the background metric.

    The four parts are sequences of numbers, or arrays in a `Parameters[NDArray]`.

    >>> Theta = Parameters(
    ...     centers=[[0, 0]],
    ...     radii=[1],
    ...     local_metrics=[[[4, 0], [0, 4]]],
    ...     background_metric=[[1, 0], [0, 1]],
    ... )
    >>> Theta.radii
    [1]
    """

    centers: Part
    radii: Part
    local_metrics: Part
    background_metric: Part


def square_root(x: Scalar) -> Scalar:
    """The square root in the number type of x; exact for a fraction that is a square,
    else a float.

    >>> square_root(2.25), square_root(Fraction(9, 4)), square_root(Fraction(2))
    (1.5, Fraction(3, 2), 1.4142135623730951)
    """
    if isinstance(x, Fraction):
        numerator = math.isqrt(x.numerator)
        denominator = math.isqrt(x.denominator)
        root = Fraction(numerator, denominator)
        return root if root * root == x else math.sqrt(x)
    if isinstance(x, (int, float)):
        return math.sqrt(x)
    return x**HALF  # mpmath and SymPy: an exact one half keeps all their digits


def difference(u: Vector, v: Vector) -> list[Scalar]:
    """The vector u - v.

    >>> difference([3, 1], [1, 1])
    [2, 0]
    """
    return [u_f - v_f for u_f, v_f in zip(u, v, strict=True)]


def dot(u: Vector, v: Vector) -> Scalar:
    """The inner product of u and v.

    >>> dot([1, 2], [3, 4])
    11
    """
    total = 0
    for u_f, v_f in zip(u, v, strict=True):
        total = total + u_f * v_f
    return total


def squared_length(v: Vector, name: str) -> Scalar:
    """The squared Euclidean length of v; an error where a float would overflow or lose
    its digits.

    >>> squared_length([3, 4], "x_j - x_i")
    25
    """
    square = dot(v, v)
    if isinstance(square, float):
        has_all_digits = SMALLEST_SQUARE <= square < math.inf
        if not has_all_digits and any(v):
            raise ValueError(
                f"{name} must have a length between 1e-145 and 1e150, "
                "where its square is a float with all its digits; "
                f"got {name}={list(v)}"
            )
    return square


def in_float_range(name: str, value: Scalar, *factors: Scalar) -> Scalar:
    """The value as it is; an error where a float has overflowed, or has vanished
    although none of its factors is 0.

    >>> in_float_range("Delta", 64.0)
    64.0
    >>> in_float_range("Delta", 1e-200 * 1e-200, 1e-200, 1e-200)
    Traceback (most recent call last):
    ValueError: Delta left the range of floats, got 0.0; lengths between 1e-70 and 1e70
        are safe
    """
    if isinstance(value, float):
        has_overflowed = not math.isfinite(value)
        has_vanished = abs(value) < SMALLEST_FLOAT and len(factors) > 0 and all(factors)
        if has_overflowed or has_vanished:
            raise ValueError(
                f"{name} left the range of floats, got {value}; "
                "lengths between 1e-70 and 1e70 are safe"
            )
    return value


def quadratic_form(d: Vector, M: Matrix) -> Scalar:
    """The number d^T M d.

    >>> quadratic_form([1, 2], [[1, 0], [0, 3]])
    13
    """
    return dot(d, [dot(row, d) for row in M])


def frobenius_norm(M: Matrix) -> Scalar:
    """Lemma 1: the Frobenius norm of M, the root of the sum of its squared entries.

    >>> frobenius_norm([[3, 0], [0, 4]])
    5.0
    """
    total = 0
    for row in M:
        total = total + dot(row, row)
    return square_root(in_float_range("a squared norm", total))


def identity_matrix(F: int) -> Rows:
    """The F x F identity.

    >>> identity_matrix(2)
    [[1, 0], [0, 1]]
    """
    identity = []
    for row in range(F):
        identity.append([int(row == column) for column in range(F)])
    return identity


def scaled_matrix(factor: Scalar, M: Matrix) -> Rows:
    """The matrix M times a number.

    >>> scaled_matrix(2, [[1, 0], [0, 3]])
    [[2, 0], [0, 6]]
    """
    scaled = []
    for row in M:
        scaled.append([factor * entry for entry in row])
    return scaled


def diagonal(M: Matrix) -> list[Scalar]:
    """The entries of the diagonal of M.

    >>> diagonal([[1, 0], [0, 3]])
    [1, 3]
    """
    return [row[f] for f, row in enumerate(M)]


def float_matrix(M: Matrix) -> list[list[float]]:
    """The matrix M with floats as entries.

    >>> float_matrix([[1, Fraction(1, 2)]])
    [[1.0, 0.5]]
    """
    floats = []
    for row in M:
        floats.append([float(entry) for entry in row])
    return floats


# ------------------------------------------------------------------------------- checks


def is_finite(x: Scalar) -> bool:
    """Whether x is neither infinite nor NaN; true for symbols.

    (x - x is NaN for infinity, else 0, in every type.)

    >>> is_finite(1.5), is_finite(float("inf")), is_finite(Fraction(1, 3))
    (True, False, True)
    """
    return bool(x - x == 0)


def is_negative(x: Scalar) -> bool:
    """Whether x is known to be negative; false for a symbol of unknown sign.

    >>> is_negative(-1), is_negative(0.0)
    (True, False)
    """
    return bool((x < 0) == True)  # noqa: E712  a SymPy comparison may be neither true nor false


def check_points(**points: Vector) -> None:
    """Every point has the same number (at least one) of finite coordinates; otherwise
    an error that names it.

    >>> check_points(x_i=[0, 0], x_j=[1, float("nan")])
    Traceback (most recent call last):
    ValueError: x_j needs finite coordinates, got x_j=[1, nan]
    """
    first_name, first = next(iter(points.items()))
    for name, point in points.items():
        if len(point) == 0:
            raise ValueError(
                f"{name} needs at least one coordinate, got {name}={list(point)}"
            )
        if len(point) != len(first):
            raise ValueError(
                f"{name} needs as many coordinates as {first_name}, "
                f"got {len(point)} and {len(first)}"
            )
        if not all(is_finite(coordinate) for coordinate in point):
            raise ValueError(
                f"{name} needs finite coordinates, got {name}={list(point)}"
            )


def check_radius(radius: Scalar) -> None:
    """Definition 1 needs a finite radius >= 0.

    >>> check_radius(-0.5)
    Traceback (most recent call last):
    ValueError: Definition 1 needs radius >= 0, got radius=-0.5
    """
    if not is_finite(radius):
        raise ValueError(f"Definition 1 needs a finite radius, got radius={radius}")
    if is_negative(radius):
        raise ValueError(f"Definition 1 needs radius >= 0, got radius={radius}")


def check_regions(
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics | None = None,
) -> None:
    """There are as many radii, and as many local metrics if they are given, as centers.

    >>> check_regions([[0, 0]], [1, 2])
    Traceback (most recent call last):
    ValueError: radii needs one radius per center, got 2 radii and 1 centers
    """
    if len(centers) != len(radii):
        raise ValueError(
            "radii needs one radius per center, "
            f"got {len(radii)} radii and {len(centers)} centers"
        )
    if local_metrics is not None and len(local_metrics) != len(centers):
        raise ValueError(
            "local_metrics needs one metric per center, "
            f"got {len(local_metrics)} metrics and {len(centers)} centers"
        )


def check_count(
    name: str,
    value: int,
    largest: int,
    of_what: str,
) -> None:
    """A count such as K lies between 1 and what there is.

    >>> check_count("K", 3, 2, "members of the class")
    Traceback (most recent call last):
    ValueError: K must be a whole number from 1 to 2, the number of members of the
        class, got K=3
    """
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or not 1 <= value <= largest:
        raise ValueError(
            f"{name} must be a whole number from 1 to {largest}, "
            f"the number of {of_what}, got {name}={value}"
        )


def check_shape(name: str, M: Matrix, F: int) -> None:
    """Raise a ValueError unless a matrix, such as a metric, is F x F.

    >>> check_shape("metric", [[1, 0]], F=2)
    Traceback (most recent call last):
    ValueError: metric must be a 2 x 2 matrix, got rows of lengths [2]
    """
    lengths = [len(row) for row in M]
    if lengths != [F] * F:
        raise ValueError(
            f"{name} must be a {F} x {F} matrix, got rows of lengths {lengths}"
        )


def check_metric(name: str, M: Matrix, F: int) -> None:
    """Definitions 3 and 4 need a finite, symmetric, positive semi-definite F x F matrix
    (floats, up to rounding).

    >>> check_metric("background_metric", [[1.0, 0.0], [0.0, -1.0]], F=2)
    Traceback (most recent call last):
    ValueError: background_metric must be positive semi-definite, got a smallest
        eigenvalue of -1.0
    """
    check_shape(name, M, F)
    matrix = float_matrix(M)
    for row in matrix:
        if not all(is_finite(entry) for entry in row):
            raise ValueError(f"{name} needs finite entries, got {name}={matrix}")

    # divided by its largest entry, a metric of any size has a norm near 1
    largest = max(abs(entry) for row in matrix for entry in row)
    if largest == 0:
        return
    scaled = []
    for row in matrix:
        scaled.append([entry / largest for entry in row])

    for f in range(F):
        for g in range(f):
            if abs(scaled[f][g] - scaled[g][f]) > METRIC_ROUNDING:
                raise ValueError(f"{name} must be symmetric, got {name}={matrix}")
    if not is_positive_definite(scaled, shift=METRIC_ROUNDING):
        eigenvalue = smallest_eigenvalue(scaled) * largest
        rounded = float(f"{eigenvalue:.6g}")
        raise ValueError(
            f"{name} must be positive semi-definite, "
            f"got a smallest eigenvalue of {rounded}"
        )


def is_positive_definite(M: Matrix, shift: float) -> bool:
    """Whether the symmetric part of M plus `shift` times the identity has positive
    eigenvalues only.

    Elimination: they all are positive when every pivot is.

    >>> [is_positive_definite([[1.0, 2.0], [2.0, 1.0]], shift) for shift in (0.9, 1.1)]
    [False, True]
    """
    F = len(M)
    rest = []
    for f in range(F):
        rest.append([(M[f][g] + M[g][f]) / 2 + shift * (f == g) for g in range(F)])
    for k in range(F):
        pivot = rest[k][k]
        if pivot <= 0:
            return False
        for f in range(k + 1, F):
            factor = rest[f][k] / pivot
            for g in range(k + 1, F):
                rest[f][g] -= factor * rest[k][g]
    return True


def smallest_eigenvalue(M: Matrix) -> Scalar:
    """The smallest eigenvalue of the symmetric part of M, by bisection.

    >>> round(smallest_eigenvalue([[1.0, 2.0], [2.0, 1.0]]), 9)
    -1.0
    """
    # no eigenvalue is larger than the largest sum of a row
    sums = []
    for row in M:
        sums.append(sum(abs(entry) for entry in row))
    high = max(sums)
    low = -high
    for _ in range(60):  # each halves the interval
        middle = (low + high) / 2
        if is_positive_definite(M, shift=-middle):
            low = middle
        else:
            high = middle
    return high


def check_parameters(
    F: int,
    centers: Vectors,
    radii: Numbers,
    local_metrics: Metrics,
    background_metric: Matrix,
) -> None:
    """Theta is well formed for F features: S centers, S radii >= 0, S local metrics,
    one background metric.

    >>> check_parameters(1, [[0.0]], [1.0], [], [[1.0]])
    Traceback (most recent call last):
    ValueError: local_metrics needs one metric per center, got 0 metrics and 1 centers
    """
    check_regions(centers, radii, local_metrics)
    for center, radius in zip(centers, radii, strict=True):
        check_points(center=center)
        if len(center) != F:
            raise ValueError(
                f"centers must have {F} features as the points have, got {len(center)}"
            )
        check_radius(radius)
    for s, metric in enumerate(local_metrics):
        check_metric(f"local_metrics[{s}]", metric, F)
    check_metric("background_metric", background_metric, F)
