"""Values by other ways than the reference's: the printed formulas in many digits, differences,
cases drawn on paper.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import strategies as st

Vector = Sequence[Any]
EPS = 2.0**-52
DIGITS = 50
# Mixed coordinates from 1e-60 to 1e60: a product of four of them needs 480 digits before a 50-digit
# answer is left.
MANY_DIGITS = 550


def numbers(values: Any) -> Any:
    """The same nested lists with mpmath numbers for entries."""
    if isinstance(values, (list, tuple)):
        return [numbers(value) for value in values]
    return mpmath.mpf(values)


def gamma(x_i: Vector, x_j: Vector, center: Vector, radius: Any, digits: int = DIGITS) -> Any:
    """Table 1 and the clipping of section 3.1 as printed, b^2 - 4ac and all, in many digits."""
    with mpmath.workdps(digits):
        radius = mpmath.mpf(radius)
        x_i = mpmath.matrix(numbers(list(x_i)))
        d = mpmath.matrix(numbers(list(x_j))) - x_i
        f = x_i - mpmath.matrix(numbers(list(center)))
        a = mpmath.fdot(d, d)
        b = 2 * mpmath.fdot(d, f)
        c = mpmath.fdot(f, f) - radius**2
        Delta = b**2 - 4 * a * c
        if radius < 0 or Delta <= 0:
            return mpmath.mpf(0)
        root = mpmath.sqrt(Delta)
        lambda_u = (-b - root) / (2 * a)
        lambda_v = (-b + root) / (2 * a)
        lambda_p = min(max(lambda_u, 0), 1)
        lambda_q = min(max(lambda_v, 0), 1)
        return lambda_q - lambda_p


def largest_length(x_i: Vector, x_j: Vector, center: Vector) -> Any:
    """The largest length of a difference in play, s of the bracket."""
    with mpmath.workdps(MANY_DIGITS):
        lengths = []
        for one, two in itertools.combinations((x_i, x_j, center), 2):
            difference = mpmath.matrix(list(one)) - mpmath.matrix(list(two))
            lengths.append(mpmath.norm(difference))
        return max(lengths)


def is_in_bracket(
    value: Any, x_i: Vector, x_j: Vector, center: Vector, radius: Any, k: int, digits: int = DIGITS
) -> bool:
    """Whether gamma came out as for a radius moved by at most k eps s, up to four roundings of the
    answer itself.
    """
    with mpmath.workdps(digits):
        r = mpmath.mpf(radius)
        move = k * EPS * largest_length(x_i, x_j, center)
        low = gamma(x_i, x_j, center, r - move, digits)
        high = gamma(x_i, x_j, center, r + move, digits)
        rounding = 4 * EPS
        return bool(low - rounding <= value <= high + rounding)


def derivative(function: Callable[[Any], Any], at: Any, digits: int = DIGITS) -> Any:
    """A central difference with a step so small, and digits so many, that 15 digits of the
    derivative are right.
    """
    with mpmath.workdps(digits):
        h = mpmath.mpf(10) ** (-digits // 3)
        rise = function(at + h) - function(at - h)
        return rise / (2 * h)


def close(one: Any, two: Any, tolerance: float = 1e-15) -> bool:
    """Equal up to a tolerance relative to the larger of the two and 1."""
    largest = max(1, abs(one), abs(two))
    return bool(abs(one - two) <= tolerance * largest)


def rotated(
    point: Vector,
    turn: Vector = (Fraction(3, 5), Fraction(4, 5)),
    shift: Vector = (Fraction(7), Fraction(-2)),
) -> list[Any]:
    """A rational rotation and a shift of the plane, which change no length."""
    cosine, sine = turn
    x, y = point
    return [
        cosine * x - sine * y + shift[0],
        sine * x + cosine * y + shift[1],
    ]


def fractions(*coordinates: int | str) -> list[Fraction]:
    """A point with exact coordinates."""
    return [Fraction(coordinate) for coordinate in coordinates]


def is_finite(values: Any) -> bool:
    """Whether every number in nested lists and tuples is finite."""
    if isinstance(values, (list, tuple)):
        return all(is_finite(value) for value in values)
    return math.isfinite(values)


# The segment from (0, 0) to (4, 0), and one ball for every row of Table 2. A ball with o = (o_x, 3)
# and r = 5 cuts the x axis from o_x - 4 to o_x + 4; one with o = (2, 4/5) and r = 1 from 7/5 to
# 13/5.
START = fractions(0, 0)
END = fractions(4, 0)
ROWS = [
    # row, center, radius, lambda_u and lambda_v (None: there are none), lambda_p, lambda_q
    (1, fractions(2, 3), 1, None, (0, 0)),
    (2, fractions(2, 1), 1, (Fraction(1, 2), Fraction(1, 2)), (0, 0)),
    (3, fractions(-5, 3), 5, (Fraction(-9, 4), Fraction(-1, 4)), (0, 0)),
    (4, fractions(-1, 3), 5, (Fraction(-5, 4), Fraction(3, 4)), (0, Fraction(3, 4))),
    (5, fractions(2, 3), 5, (Fraction(-1, 2), Fraction(3, 2)), (0, 1)),
    (
        6,
        fractions(2, "4/5"),
        1,
        (Fraction(7, 20), Fraction(13, 20)),
        (Fraction(7, 20), Fraction(13, 20)),
    ),
    (7, fractions(5, 3), 5, (Fraction(1, 4), Fraction(9, 4)), (Fraction(1, 4), 1)),
    (8, fractions(20, 3), 5, (Fraction(4), Fraction(6)), (1, 1)),
]

sizes = st.floats(-60, 60)
signs = st.sampled_from([-1.0, 1.0])
powers = st.builds(lambda sign, m, e: sign * m * 10.0**e, signs, st.floats(1, 10), sizes)
mixed = st.one_of(st.just(0.0), powers)
# Shares on a grid of 2^-30: a share such as 1e-145 would leave the range of coordinates that the
# tests state.
unit = st.integers(-(2**30), 2**30).map(lambda k: k / 2**30)


@st.composite
def mixed_cases(draw: st.DrawFn) -> tuple[list[float], list[float], list[float], float]:
    """A segment and a ball with coordinates from 1e-60 to 1e60, mixed; in half the cases the ball
    is near the segment.
    """
    F = draw(st.integers(1, 3))
    x_i = [draw(mixed) for _ in range(F)]
    x_j = [draw(mixed) for _ in range(F)]
    radius = abs(draw(mixed))
    if draw(st.booleans()):
        t = 0.5 + draw(unit)
        center = []
        for a, b in zip(x_i, x_j, strict=True):
            center.append(a + t * (b - a) + draw(unit) * radius)
    else:
        center = [draw(mixed) for _ in range(F)]
    return x_i, x_j, center, radius
