r"""Section 3.1: where a line and a segment cross a ball, and the share gamma of the
segment inside it.

| here | in the paper (Table 1) |
|---|---|
| `quadratic_a`, `quadratic_b`, `quadratic_c` | a, b, c of equation (7) |
| `discriminant` | Delta = b^2 - 4ac |
| `lambda_u`, `lambda_v` | where the line crosses the sphere, lambda_u <= lambda_v |
| `lambda_p`, `lambda_q` | the same, clipped to the segment |
| `gamma` | lambda_q - lambda_p, the intersection ratio |

The printed Delta = b^2 - 4ac subtracts two large numbers when the ball is small and far
away, and then loses more digits than its inputs have (erratum E28).
`squared_half_chord` is Delta / 4a written as r^2 - h^2, with h the distance of the
center from the line; everything else uses it. `printed_line_coefficients` keeps the
formula of the paper runnable.
"""

from __future__ import annotations

from lmlir.scalars import (
    Scalar,
    Vector,
    check_points,
    check_radius,
    difference,
    dot,
    in_float_range,
    square_root,
    squared_length,
)

# where the line enters and leaves, in coefficients lambda
Interval = tuple[Scalar, Scalar]

# b^2 and 4ac are fourth powers of lengths; outside this range of a they overflow or
# vanish.
PRINTED_RANGE_OF_A = (1e-150, 1e150)


# ------------------------------------------------------------- Table 1 and equation (7)


def quadratic_a(x_i: Vector, x_j: Vector) -> Scalar:
    r"""Table 1, a: $(x_j - x_i)^T (x_j - x_i)$.

    >>> quadratic_a([0, 0], [3, 4])
    25
    """
    check_points(x_i=x_i, x_j=x_j)
    return squared_length(difference(x_j, x_i), "x_j - x_i")


def quadratic_b(x_i: Vector, x_j: Vector, center: Vector) -> Scalar:
    r"""Table 1, b: $2 (x_j - x_i)^T (x_i - o_s)$.

    >>> quadratic_b([0, 0], [3, 4], center=[1, 1])
    -14
    """
    check_points(x_i=x_i, x_j=x_j, center=center)
    return 2 * dot(difference(x_j, x_i), difference(x_i, center))


def quadratic_c(x_i: Vector, center: Vector, radius: Scalar) -> Scalar:
    r"""Table 1, c: $(x_i - o_s)^T (x_i - o_s) - r_s^2$.

    >>> quadratic_c([0, 0], center=[3, 4], radius=2)
    21
    """
    check_points(x_i=x_i, center=center)
    check_radius(radius)
    return squared_length(difference(x_i, center), "x_i - center") - radius * radius


def discriminant(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> Scalar:
    r"""Table 1, Delta, as printed: $\Delta = b^2 - 4 a c$.

    >>> discriminant([0, 0], [4, 0], center=[2, 0], radius=1)
    64
    """
    a = quadratic_a(x_i, x_j)
    b = quadratic_b(x_i, x_j, center)
    c = quadratic_c(x_i, center, radius)
    if isinstance(a, float) and a != 0:
        smallest, largest = PRINTED_RANGE_OF_A
        is_in_range = smallest < a < largest and abs(c) < largest
        if not is_in_range:
            raise ValueError(
                "Table 1's b^2 - 4ac needs lengths between 1e-75 and 1e75, "
                f"got a={a}, c={c}; stable_discriminant has the wider range"
            )
    return in_float_range("Delta", b * b - 4 * a * c)


def sphere_equation(
    lambda_: Scalar,
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> Scalar:
    r"""Equation (7): $\|x_i + \lambda (x_j - x_i) - o_s\|_2^2 - r_s^2$, zero where the
    line meets the sphere.

    >>> sphere_equation(0.25, [0, 0], [4, 0], center=[2, 0], radius=1)
    0.0
    """
    check_radius(radius)
    to_center = difference(point_on_line(x_i, x_j, lambda_), center)
    return dot(to_center, to_center) - radius * radius


# -------------------------------------------------------------------- the line: u and v


def middle_coefficient(x_i: Vector, x_j: Vector, center: Vector) -> Scalar:
    r"""Table 3, $\frac{-b}{2a}$: the coefficient of the point of the line that is
    nearest to the center.

    >>> middle_coefficient([0, 0], [4, 0], center=[1, 5])
    0.25
    """
    a = quadratic_a(x_i, x_j)
    if a == 0:
        raise ValueError(
            "middle_coefficient needs two different points, got x_i = x_j = "
            f"{list(x_i)}"
        )
    lambda_m = -quadratic_b(x_i, x_j, center) / (2 * a)
    return in_float_range("-b / 2a", lambda_m)


def offset_from_center(x_i: Vector, x_j: Vector, center: Vector) -> list[Scalar]:
    r"""Table 3, $x_i + \frac{-b}{2a} (x_j - x_i) - o$: from the center straight to the
    line.

    Written as (x_i - o) + lambda (x_j - x_i), because differences are all that floats
    keep exactly.

    >>> offset_from_center([0, 0], [4, 0], center=[1, 5])
    [0.0, -5.0]
    """
    lambda_m = middle_coefficient(x_i, x_j, center)
    from_center = difference(x_i, center)
    direction = difference(x_j, x_i)
    offset = []
    for from_f, d_f in zip(from_center, direction, strict=True):
        offset.append(from_f + lambda_m * d_f)
    return offset


def squared_half_chord(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> Scalar:
    r"""Table 1, $\frac{\Delta}{4a} = r^2 - h^2$: the square of half the line's chord,
    negative when it misses the ball.

    Its sign is that of Delta, but it is a square of lengths and not a fourth power: it
    stays in the range of floats.

    >>> squared_half_chord([0, 0], [4, 0], center=[2, 3], radius=5)
    16.0
    """
    check_radius(radius)
    offset = offset_from_center(x_i, x_j, center)
    square = radius * radius - dot(offset, offset)
    return in_float_range("r^2 - h^2", square)


def stable_discriminant(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> Scalar:
    r"""Table 1, Delta, without cancellation: $\Delta = 4 a (r^2 - h^2)$, h the distance
    of the center from the line.

    Zero when x_i = x_j, as the printed formula has it (there a = b = 0).

    >>> stable_discriminant([0, 0], [4, 0], center=[2, 0], radius=1)
    64.0
    """
    check_points(x_i=x_i, x_j=x_j, center=center)
    check_radius(radius)
    a = quadratic_a(x_i, x_j)
    if a == 0:
        return a
    square = squared_half_chord(x_i, x_j, center, radius)
    return in_float_range("Delta", 4 * a * square, a, square)


def line_coefficients(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> Interval:
    r"""Definition 8: $\lambda_u = \frac{-b - \sqrt\Delta}{2a}$ and
    $\lambda_v = \frac{-b + \sqrt\Delta}{2a} \ge \lambda_u$ of the line.

    Needs Delta >= 0: the line meets the ball.

    >>> line_coefficients([0, 0], [4, 0], center=[2, 0], radius=1)
    (0.25, 0.75)
    """
    lambda_m = middle_coefficient(x_i, x_j, center)
    square = squared_half_chord(x_i, x_j, center, radius)
    half_chord = square_root(square / quadratic_a(x_i, x_j))
    return lambda_m - half_chord, lambda_m + half_chord


def printed_line_coefficients(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> Interval:
    r"""Table 1, $\lambda_u$ and $\lambda_v$, as printed:
    $\frac{-b \mp \sqrt{b^2 - 4ac}}{2a}$.

    >>> printed_line_coefficients([0, 0], [4, 0], center=[2, 0], radius=1)
    (0.25, 0.75)
    """
    a = quadratic_a(x_i, x_j)
    b = quadratic_b(x_i, x_j, center)
    root = square_root(discriminant(x_i, x_j, center, radius))
    lambda_u = (-b - root) / (2 * a)
    lambda_v = (-b + root) / (2 * a)
    return lambda_u, lambda_v


# -------------------------------------------------------- Table 2: the segment, p and q


def line_misses(lambda_u: Scalar, lambda_v: Scalar) -> Interval:
    r"""Table 2, row 1: $\Delta < 0$, the line misses the ball; nothing of the segment
    is inside.

    >>> line_misses(None, None)
    (0, 0)
    """
    return 0, 0


def line_touches(lambda_u: Scalar, lambda_v: Scalar) -> Interval:
    r"""Table 2, row 2: $\Delta = 0$, the line is tangent to the ball (or x_i = x_j); a
    point has no length.

    >>> line_touches(0.5, 0.5)
    (0, 0)
    """
    return 0, 0


def ball_behind_start(lambda_u: Scalar, lambda_v: Scalar) -> Interval:
    r"""Table 2, row 3: $\lambda_u < 0, \lambda_v < 0$, the ball lies behind x_i.

    >>> ball_behind_start(-2, -1)
    (0, 0)
    """
    return 0, 0


def ball_around_start(lambda_u: Scalar, lambda_v: Scalar) -> Interval:
    r"""Table 2, row 4: $\lambda_u < 0, 0 \le \lambda_v \le 1$, the part from x_i to v
    is inside.

    >>> ball_around_start(-1, 0.5)
    (0, 0.5)
    """
    return 0, lambda_v


def ball_around_segment(lambda_u: Scalar, lambda_v: Scalar) -> Interval:
    r"""Table 2, row 5: $\lambda_u < 0, \lambda_v > 1$, the whole segment is inside.

    >>> ball_around_segment(-1, 2)
    (0, 1)
    """
    return 0, 1


def ball_within_segment(lambda_u: Scalar, lambda_v: Scalar) -> Interval:
    r"""Table 2, row 6: $0 \le \lambda_u \le 1, 0 \le \lambda_v \le 1$, the part from u
    to v is inside.

    >>> ball_within_segment(0.25, 0.75)
    (0.25, 0.75)
    """
    return lambda_u, lambda_v


def ball_around_end(lambda_u: Scalar, lambda_v: Scalar) -> Interval:
    r"""Table 2, row 7: $0 \le \lambda_u \le 1, \lambda_v > 1$, the part from u to x_j
    is inside.

    >>> ball_around_end(0.5, 2)
    (0.5, 1)
    """
    return lambda_u, 1


def ball_beyond_end(lambda_u: Scalar, lambda_v: Scalar) -> Interval:
    r"""Table 2, row 8: $\lambda_u > 1, \lambda_v > 1$, the ball lies beyond x_j.

    >>> ball_beyond_end(2, 3)
    (1, 1)
    """
    return 1, 1


CASES = (
    line_misses,
    line_touches,
    ball_behind_start,
    ball_around_start,
    ball_around_segment,
    ball_within_segment,
    ball_around_end,
    ball_beyond_end,
)


def segment_case(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> int:
    r"""Table 2, left columns: which row, 1 to 8, applies to this segment and ball.

    >>> segment_case([0, 0], [4, 0], center=[2, 0], radius=1)
    6
    """
    check_points(x_i=x_i, x_j=x_j, center=center)
    check_radius(radius)
    if quadratic_a(x_i, x_j) == 0:
        return 2
    sign_of_Delta = squared_half_chord(x_i, x_j, center, radius)
    if sign_of_Delta < 0:
        return 1
    if sign_of_Delta == 0:
        return 2
    lambda_u, lambda_v = line_coefficients(x_i, x_j, center, radius)
    if lambda_u < 0:
        if lambda_v < 0:
            return 3
        return 4 if lambda_v <= 1 else 5
    if lambda_u <= 1:
        return 6 if lambda_v <= 1 else 7
    return 8


def clipped(lambda_: Scalar) -> Scalar:
    r"""Section 3.1, step 2: $\min(\max(\lambda, 0), 1)$, the nearest coefficient on the
    segment.

    >>> clipped(-0.5), clipped(0.5), clipped(1.5)
    (0, 0.5, 1)
    """
    return min(max(lambda_, 0), 1)


def segment_coefficients(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> Interval:
    r"""Definition 8: $\lambda_p \le \lambda_q$ of the segment, by the row of Table 2
    that applies.

    >>> segment_coefficients([0, 0], [4, 0], center=[0, 0], radius=1)
    (0, 0.25)
    """
    row = segment_case(x_i, x_j, center, radius)
    clip = CASES[row - 1]
    if row <= 2:
        return clip(None, None)
    lambda_u, lambda_v = line_coefficients(x_i, x_j, center, radius)
    return clip(lambda_u, lambda_v)


def intersection_ratio(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> Scalar:
    r"""Definition 8: the share $\gamma = \lambda_q - \lambda_p$ of the segment that
    lies in the ball.

    Zero when the line misses or touches the ball (Table 2, rows 1 and 2), and when x_i
    = x_j.

    >>> intersection_ratio([0, 0], [4, 0], center=[0, 0], radius=1)
    0.25
    """
    lambda_p, lambda_q = segment_coefficients(x_i, x_j, center, radius)
    return lambda_q - lambda_p


# ------------------------------------------------------------------------------- points


def point_on_line(x_i: Vector, x_j: Vector, lambda_: Scalar) -> list[Scalar]:
    r"""Definition 8: the point $x_i + \lambda (x_j - x_i)$.

    >>> point_on_line([0, 0], [4, 2], 0.5)
    [2.0, 1.0]
    """
    check_points(x_i=x_i, x_j=x_j)
    direction = difference(x_j, x_i)
    point = []
    for x_f, d_f in zip(x_i, direction, strict=True):
        point.append(x_f + lambda_ * d_f)
    return point


def line_points(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> tuple[list[Scalar], list[Scalar]]:
    r"""Table 1, u and v: where the line crosses the sphere.

    >>> line_points([0, 0], [4, 0], center=[0, 0], radius=1)
    ([-1.0, 0.0], [1.0, 0.0])
    """
    lambda_u, lambda_v = line_coefficients(x_i, x_j, center, radius)
    u = point_on_line(x_i, x_j, lambda_u)
    v = point_on_line(x_i, x_j, lambda_v)
    return u, v


def segment_points(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> tuple[list[Scalar], list[Scalar]]:
    r"""Table 1, p and q: the ends of the part of the segment that lies in the ball.

    >>> segment_points([0, 0], [4, 0], center=[0, 0], radius=1)
    ([0, 0], [1.0, 0.0])
    """
    lambda_p, lambda_q = segment_coefficients(x_i, x_j, center, radius)
    p = point_on_line(x_i, x_j, lambda_p)
    q = point_on_line(x_i, x_j, lambda_q)
    return p, q


def intersection(
    x_i: Vector,
    x_j: Vector,
    center: Vector,
    radius: Scalar,
) -> tuple[list[Scalar], ...]:
    r"""Definition 5: $A_s \cap \overline{x_i x_j}$ as (), one point, or its two ends
    (p, q).

    One point is what the paper calls tangent; an end point on the sphere gives one too
    (erratum E16).

    >>> intersection([0, 1], [4, 1], center=[2, 0], radius=1)
    ([2.0, 1.0],)
    """
    if quadratic_a(x_i, x_j) == 0:
        is_inside = quadratic_c(x_i, center, radius) <= 0
        return (list(x_i),) if is_inside else ()
    if squared_half_chord(x_i, x_j, center, radius) < 0:
        return ()
    lambda_u, lambda_v = line_coefficients(x_i, x_j, center, radius)
    if lambda_v < 0 or lambda_u > 1:
        return ()
    lambda_p = clipped(lambda_u)
    lambda_q = clipped(lambda_v)
    p = point_on_line(x_i, x_j, lambda_p)
    q = point_on_line(x_i, x_j, lambda_q)
    if lambda_p == lambda_q:
        return (p,)
    return p, q
