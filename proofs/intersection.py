"""Section 3.1, proved: equation (7), Table 2, and what the ratio gamma is."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import sympy as sp

from lmlir import intersection as section
from proofs.steps import Proof, proof_of
from proofs.symbols import Sample, Space, any_triple, ball_with_roots, unwrapped, vanishes

# Every way in which lambda_u < lambda_v can lie relative to 0 and 1 occurs among the pairs of these
# numbers.
PLACES: list[Any] = [Fraction(n, 4) for n in (-8, -4, 0, 1, 3, 4, 8, 12)]
ORDER_TYPES = list(combinations(PLACES, 2))

# The conditions as Table 2 prints them, by row, for Delta > 0.
PRINTED_CONDITIONS: dict[int, Callable[[Any, Any], bool]] = {
    3: lambda u, v: u < 0 and v < 0,
    4: lambda u, v: u < 0 and 0 <= v <= 1,
    5: lambda u, v: u < 0 and v > 1,
    6: lambda u, v: 0 <= u <= 1 and 0 <= v <= 1,
    7: lambda u, v: 0 <= u <= 1 and v > 1,
    8: lambda u, v: u > 1 and v > 1,
}
# One sample for each row with Delta > 0: w = x_i - o and d = x_j - x_i, for a ball of radius 5.
ROW_SAMPLES = {
    3: ((9, 3), (9, 0)),
    4: ((0, 3), (9, 0)),
    5: ((-1, 3), (2, 0)),
    6: ((-9, 3), (18, 0)),
    7: ((-9, 3), (9, 0)),
    8: ((-20, 3), (9, 0)),
}


def general_position() -> tuple[Sample, Any, Any, Any, Any]:
    """Any three points of any inner product space and any radius; what is asked of them is a > 0, Δ
    > 0 and no more.
    """
    return traced_row(6)


def traced_row(row: int) -> tuple[Sample, Any, Any, Any, Any]:
    """Any three points and any radius for which Table 2's row applies."""
    sample = Sample()
    w, d = ROW_SAMPLES[row]
    x_i, x_j, o = any_triple(Space(sample), w, d)
    return sample, x_i, x_j, o, sample.number("r", 5)


@proof_of("Table 1", "Equation (7)", "Definition 8")
def prove_the_printed_roots_solve_the_quadratic(proof: Proof) -> None:
    """Table 1, equation (7), Definition 8: λ_u, λ_v are the two solutions of ‖x_i + λ(x_j − x_i) −
    o‖² = r², any dimension.
    """
    sample, x_i, x_j, o, r = general_position()
    lambda_ = sample.number("λ", 7)
    proof.given(
        "x_i = o + w and x_j = o + w + d, vectors of any inner product space; r > 0.",
        "All that SymPy knows of the vectors are the inner products d·d, d·w, w·w, so the "
        "dimension plays no part.",
    )
    a = section.quadratic_a(x_i, x_j)
    b = section.quadratic_b(x_i, x_j, o)
    c = section.quadratic_c(x_i, o, r)
    Delta = section.discriminant(x_i, x_j, o, r)
    value = section.sphere_equation(lambda_, x_i, x_j, o, r)
    proof.by_sympy(
        f"‖x_i + λ(x_j − x_i) − o‖² − r² = aλ² + bλ + c with a = {a.expression}, b = "
        f"{b.expression}, c = "
        f"{c.expression}.",
        vanishes(value - (a * lambda_ * lambda_ + b * lambda_ + c)),
        vanishes(a.expression - sp.Symbol("d·d", real=True)),
        vanishes(b.expression - 2 * sp.Symbol("d·w", real=True)),
        vanishes(c.expression - sp.Symbol("w·w", real=True) + sp.Symbol("r", real=True) ** 2),
    )
    stable = section.stable_discriminant(x_i, x_j, o, r)
    offset = section.offset_from_center(x_i, x_j, o)[0]
    proof.by_sympy(
        "b² − 4ac = 4a(r² − h²), h = ‖x_i − (b/2a)(x_j − x_i) − o‖, and that offset is orthogonal "
        "to the line: the "
        "printed Δ and the one that is computed are one number, and h is the distance of o from "
        "the line.",
        vanishes(Delta - (b * b - 4 * a * c)),
        vanishes(stable - Delta),
        vanishes(offset * (x_j[0] - x_i[0])),
        vanishes(stable - 4 * a * (r * r - offset * offset)),
    )
    for name, roots in (
        ("computed", section.line_coefficients),
        ("printed", section.printed_line_coefficients),
    ):
        u, v = roots(x_i, x_j, o, r)
        proof.by_sympy(
            f"The {name} λ_u, λ_v: both solve equation (7), λ_u + λ_v = −b/a, λ_u λ_v = c/a, λ_v − "
            "λ_u = √Δ/a ≥ 0.",
            vanishes(section.sphere_equation(u, x_i, x_j, o, r)),
            vanishes(section.sphere_equation(v, x_i, x_j, o, r)),
            vanishes(u + v + b / a),
            vanishes(u * v - c / a),
            vanishes(v - u - Delta.root() / a),
        )
    proof.by_sympy(
        "The points u and v of Table 1 lie on the sphere: ‖u − o‖² = ‖v − o‖² = r².",
        *(
            vanishes((p[0] - o[0]) * (p[0] - o[0]) - r * r)
            for p in section.line_points(x_i, x_j, o, r)
        ),
    )
    proof.therefore(
        "λ_u ≤ λ_v are all solutions of equation (7) where Δ ≥ 0; a quadratic has no third."
    )


@proof_of("Table 2")
def prove_the_rows_of_table_2_are_exhaustive_and_exclude_each_other(proof: Proof) -> None:
    """Table 2: exactly one of its eight rows applies to any segment and ball, and the code picks
    it.
    """
    proof.given(
        "λ_u < λ_v where Δ > 0 (Definition 8); rows 1 and 2 are Δ < 0 and Δ = 0, which exclude Δ > "
        "0 and each other."
    )
    seen: set[str] = set()
    for row in ROW_SAMPLES:
        sample, x_i, x_j, o, r = traced_row(row)
        u, v = section.line_coefficients(x_i, x_j, o, r)
        Delta = section.stable_discriminant(x_i, x_j, o, r)
        sample.conditions.clear()
        chosen = section.segment_case(x_i, x_j, o, r)
        a = section.quadratic_a(x_i, x_j)
        known = {"r": r, "a": a, "Δ": Delta, "λ_u": u, "λ_u − 1": u - 1, "λ_v": v, "λ_v − 1": v - 1}
        for condition, _ in sample.conditions:
            names = [
                name for name, number in known.items() if vanishes(condition - number.expression)
            ]
            multiples = (4 * a.expression, 4, -4)  # Δ/4a and Δ/4 have the sign of Δ
            names += ["Δ"] * any(
                vanishes(factor * condition - Delta.expression) for factor in multiples
            )
            seen.update(names or ["something else"])
        seen.add("" if chosen == row else "a wrong row")
    proof.by_sympy(
        "Which row is chosen depends on nothing but the signs of r, a, Δ, λ_u, λ_u − 1, λ_v and "
        "λ_v − 1.",
        seen == {"", "r", "a", "Δ", "λ_u", "λ_u − 1", "λ_v", "λ_v − 1"},
    )
    verdicts = []
    for u, v in ORDER_TYPES:
        rows = [row for row, applies in PRINTED_CONDITIONS.items() if applies(u, v)]
        x_i, x_j, o, r = ball_with_roots(u, v)
        assert section.line_coefficients(x_i, x_j, o, r) == (u, v)
        verdicts.append(len(rows) == 1 and section.segment_case(x_i, x_j, o, r) == rows[0])
    proof.by_numbers(
        f"The {len(ORDER_TYPES)} pairs λ_u < λ_v from {{{', '.join(map(str, PLACES))}}} show every "
        "position relative "
        "to 0 and 1, boundaries included: for each exactly one printed condition holds, and it is "
        "the row that is "
        "chosen.",
        *verdicts,
        len(verdicts) == 28,
    )
    zero = Fraction(0)
    one = Fraction(1)
    two = Fraction(2)
    proof.by_numbers(
        "Height 2 over a ball of radius 1 is row 1, height 1 (tangent) is row 2, x_i = x_j inside "
        "of the ball is row 2.",
        section.segment_case([-two, two], [two, two], [zero, zero], one) == 1,
        section.segment_case([-two, one], [two, one], [zero, zero], one) == 2,
        section.segment_case([zero, zero], [zero, zero], [zero, zero], one) == 2,
    )
    proof.therefore("The eight rows are exhaustive, exclude each other, and are chosen as printed.")


@proof_of("Table 2", "Section 3.1, step 2", "Definition 8")
def prove_clipping_gives_the_printed_coefficients(proof: Proof) -> None:
    """Table 2 and Section 3.1, step 2: in every row min(max(λ, 0), 1) gives the printed λ_p, λ_q;
    and 0 ≤ λ_p ≤ λ_q ≤ 1 as Definition 8 asks.
    """
    proof.given("Δ > 0; λ_u < λ_v are symbols that obey the row's condition.")
    printed: dict[int, tuple[str, Callable[[Any, Any], Any]]] = {
        3: ("0, 0", lambda u, v: (0, 0)),
        4: ("0, λ_v", lambda u, v: (0, v)),
        5: ("0, 1", lambda u, v: (0, 1)),
        6: ("λ_u, λ_v", lambda u, v: (u, v)),
        7: ("λ_u, 1", lambda u, v: (u, 1)),
        8: ("1, 1", lambda u, v: (1, 1)),
    }
    for row, (text, expected) in printed.items():
        _, x_i, x_j, o, r = traced_row(row)
        u, v = section.line_coefficients(x_i, x_j, o, r)
        p, q = section.segment_coefficients(x_i, x_j, o, r)
        checks = [
            vanishes(unwrapped(left) - unwrapped(right))
            for pair in (
                (p, q),
                (section.clipped(u), section.clipped(v)),
                section.CASES[row - 1](u, v),
            )
            for left, right in zip(pair, expected(u, v), strict=True)
        ]
        proof.by_sympy(
            f"Row {row}: the row's function, clipping and the whole computation all give λ_p, λ_q "
            f"= {text}.",
            *checks,
        )
    in_order = []
    for u, v in ORDER_TYPES:
        p, q = section.segment_coefficients(*ball_with_roots(u, v))
        in_order.append(0 <= p <= q <= 1 and (p, q) == (section.clipped(u), section.clipped(v)))
    proof.by_numbers(
        "On all 28 positions, boundaries included, both agree and 0 ≤ λ_p ≤ λ_q ≤ 1.", *in_order
    )
    proof.therefore("Table 2's column of λ_p and λ_q is right, and is the same as clipping.")


@proof_of("Table 2", "Definition 5", "Definition 6")
def prove_the_segment_is_inside_exactly_between_p_and_q(proof: Proof) -> None:
    """Table 2, Definition 5, Definition 6: for Δ > 0 the point x_i + λ(x_j − x_i), 0 ≤ λ ≤ 1, lies
    in the ball exactly for λ_u ≤ λ ≤ λ_v: that is the segment pq, or nothing.
    """
    sample, x_i, x_j, o, r = general_position()
    lambda_ = sample.number("λ", 7)
    u, v = section.line_coefficients(x_i, x_j, o, r)
    a = section.quadratic_a(x_i, x_j)
    proof.given(
        "Δ > 0, any dimension. A point is in the ball when ‖x − o‖² − r² ≤ 0 (Definition 1)."
    )
    proof.by_sympy(
        "‖x_i + λ(x_j − x_i) − o‖² − r² = a (λ − λ_u)(λ − λ_v), and a > 0: it is ≤ 0 exactly "
        "between the roots.",
        vanishes(
            section.sphere_equation(lambda_, x_i, x_j, o, r) - a * (lambda_ - u) * (lambda_ - v)
        ),
    )
    proof.in_words(
        "So the part inside is [λ_u, λ_v] ∩ [0, 1]. It is empty in rows 3 and 8; else it is [λ_p, "
        "λ_q], because "
        "clipping is monotone and leaves [0, 1] alone.",
        formal="gamma_is_the_length_inside, gamma_is_q_minus_p",
    )
    agree = []
    for s, t in ORDER_TYPES:
        ends = section.intersection(*ball_with_roots(s, t))
        start, end = max(s, Fraction(0)), min(t, Fraction(1))
        expected = [] if start > end else [start] if start == end else [start, end]
        agree.append([point[0] for point in ends] == expected)
        points = section.segment_points(*ball_with_roots(s, t))
        agree.append(points[1][0] - points[0][0] == max(end - start, 0))
    proof.by_numbers(
        "In all 28 positions the computed intersection is [max(λ_u, 0), min(λ_v, 1)]: nothing, one "
        "point or two "
        "ends; and ‖q − p‖ is its length, 0 where it is empty.",
        *agree,
    )
    proof.therefore("γ = λ_q − λ_p is the share of the segment that lies in the ball.")


@proof_of("Table 2", "Definition 6")
def prove_the_conventions_agree_with_the_limit(proof: Proof) -> None:
    """Table 2 and Definition 6: length 0 at Δ ≤ 0 and at x_i = x_j is the limit of the lengths
    nearby; of γ itself only the first is.
    """
    _, x_i, x_j, o, r = general_position()
    u, v = section.line_coefficients(x_i, x_j, o, r)
    a = section.quadratic_a(x_i, x_j)
    Delta = section.discriminant(x_i, x_j, o, r)
    proof.given("0 ≤ γ ≤ λ_v − λ_u, because clipping to [0, 1] never moves two numbers apart.")
    proof.by_sympy(
        "(λ_v − λ_u)² = Δ/a², which tends to 0 with Δ while a stays: γ → 0 at a tangency, as row 2 "
        "says.",
        vanishes((v - u) * (v - u) - Delta / (a * a)),
    )
    same = [Fraction(1), Fraction(2)]
    center = [Fraction(0), Fraction(0)]
    proof.by_numbers(
        "At x_i = x_j: a = b = 0, so the printed Δ is 0, row 2 applies, γ = 0 and no division is "
        "needed.",
        section.quadratic_a(same, same) == 0,
        section.quadratic_b(same, same, center) == 0,
        section.discriminant(same, same, center, Fraction(9)) == 0,
        section.stable_discriminant(same, same, center, Fraction(9)) == 0,
        section.segment_coefficients(same, same, center, Fraction(9)) == (0, 0),
        section.intersection_ratio(same, same, center, Fraction(9)) == 0,
    )
    near = [
        section.intersection_ratio(
            [Fraction(0), Fraction(0)], [Fraction(1, n), Fraction(0)], center, Fraction(1)
        )
        for n in (2, 10, 100)
    ]
    proof.by_numbers(
        "As x_j → x_i = o in the unit ball γ is 1 all the way (tried at 1/2, 1/10, 1/100) and 0 at "
        "the end: γ jumps "
        "there.",
        near == [1, 1, 1],
        section.intersection_ratio(center, center, center, Fraction(1)) == 0,
    )
    proof.in_words(
        "But the length is γ·D_M(x_i, x_j) ≤ D_M(x_i, x_j) → 0 as x_j → x_i: the length does not "
        "jump."
    )
    proof.therefore(
        "Both conventions give the limit of the length; D is continuous there whatever γ is taken "
        "to be."
    )


@proof_of("Definition 8")
def prove_swapping_the_end_points_mirrors_the_roots(proof: Proof) -> None:
    """Definition 8: swapping x_i and x_j sends (λ_u, λ_v) to (1 − λ_v, 1 − λ_u), so γ is
    symmetric.
    """
    _, x_i, x_j, o, r = general_position()
    proof.given("x_i = o + w and x_j = o + w + d, any dimension.")
    proof.by_sympy(
        "a and Δ do not change.",
        vanishes(section.quadratic_a(x_j, x_i) - section.quadratic_a(x_i, x_j)),
        vanishes(
            section.stable_discriminant(x_j, x_i, o, r)
            - section.stable_discriminant(x_i, x_j, o, r)
        ),
    )
    (u, v), (u_swapped, v_swapped) = (
        section.line_coefficients(x_i, x_j, o, r),
        section.line_coefficients(x_j, x_i, o, r),
    )
    proof.by_sympy(
        "λ_u of the swapped segment is 1 − λ_v, its λ_v is 1 − λ_u.",
        vanishes(u_swapped - (1 - v)),
        vanishes(v_swapped - (1 - u)),
    )
    proof.by_numbers(
        "clip(1 − λ) = 1 − clip(λ), and γ is the same from either end, in all 28 positions.",
        *(section.clipped(1 - place) == 1 - section.clipped(place) for place in PLACES),
        *(
            section.intersection_ratio(x, y, center, radius)
            == section.intersection_ratio(y, x, center, radius)
            for x, y, center, radius in (ball_with_roots(*roots) for roots in ORDER_TYPES)
        ),
    )
    proof.in_words(
        "So λ_p and λ_q become 1 − λ_q and 1 − λ_p, and their difference is the same.",
        formal="gamma_symmetric",
    )
    proof.therefore("γ(x_i, x_j) = γ(x_j, x_i).")


@proof_of("Definition 8")
def prove_the_ratio_is_invariant_under_motions_and_scale_free(proof: Proof) -> None:
    """Definition 8: γ does not change when points and ball are moved, rotated, reflected, or
    enlarged together.
    """
    sample, x_i, x_j, o, r = general_position()
    t = sample.number("t", 2)
    shift = x_i[0].space.vector("v", (3, 4))
    original = section.line_coefficients(x_i, x_j, o, r)
    proof.given(
        "γ is computed from λ_u and λ_v alone (Table 2), so it is enough that these do not change."
    )
    moved = section.line_coefficients([x_i[0] + shift], [x_j[0] + shift], [o[0] + shift], r)
    proof.by_sympy(
        "Translation by any v, any dimension.",
        *(vanishes(p - q) for p, q in zip(moved, original, strict=True)),
    )
    larger = section.line_coefficients([x_i[0] * t], [x_j[0] * t], [o[0] * t], r * t)
    proof.by_sympy(
        "Enlarging by any t > 0, any dimension: the ratio is scale-free.",
        *(vanishes(p - q) for p, q in zip(larger, original, strict=True)),
    )
    r = r.expression
    for F in (2, 3):
        n = sp.symbols(f"n_:{F}", real=True)
        points = [sp.symbols(f"{name}_:{F}", real=True) for name in ("w", "d")]

        def reflected(point: Any, n: Any = n) -> list[Any]:
            along = 2 * sum(a * b for a, b in zip(n, point, strict=True)) / sum(a * a for a in n)
            return [x - along * m for x, m in zip(point, n, strict=True)]

        start = points[0]
        end = [w + d for w, d in zip(*points, strict=True)]
        zero = [sp.Integer(0)] * F
        before = (
            section.quadratic_a(start, end),
            section.quadratic_b(start, end, zero),
            section.quadratic_c(start, zero, r),
        )
        start, end = reflected(start), reflected(end)
        after = (
            section.quadratic_a(start, end),
            section.quadratic_b(start, end, zero),
            section.quadratic_c(start, zero, r),
        )
        proof.by_sympy(
            f"Reflection at any hyperplane n⊥ in dimension {F}: a, b and c do not change, hence "
            "neither do λ_u and λ_v.",
            *(vanishes(p - q) for p, q in zip(before, after, strict=True)),
        )
    proof.in_words(
        "Every rotation of R^F is a product of reflections, in any dimension F; and a, b, c are "
        "sums of inner "
        "products of differences (first steps), which every reflection preserves.",
        formal="gamma_of_a_similarity",
    )
    proof.therefore("γ is a function of the shape of the figure only.")


@proof_of("Definition 8")
def prove_the_ratio_grows_with_the_radius(proof: Proof) -> None:
    """Definition 8: 0 ≤ γ ≤ 1, and γ does not decrease when r grows."""
    _, x_i, x_j, o, r = general_position()
    u, v = section.line_coefficients(x_i, x_j, o, r)
    Delta = section.discriminant(x_i, x_j, o, r)
    proof.given("Any dimension; where Δ ≤ 0, γ = 0, and Δ grows with r.")
    root = Delta.root()
    radius = r.expression
    proof.by_sympy(
        "∂Δ/∂r = 8ar ≥ 0.",
        vanishes(
            sp.diff(Delta.expression, radius) - (8 * section.quadratic_a(x_i, x_j) * r).expression
        ),
    )
    proof.by_sympy(
        "∂λ_v/∂r = 2r/√Δ ≥ 0 and ∂λ_u/∂r = −2r/√Δ ≤ 0 where Δ > 0.",
        vanishes(sp.diff(v.expression, radius) - (2 * r / root).expression),
        vanishes(sp.diff(u.expression, radius) + (2 * r / root).expression),
    )
    proof.by_numbers(
        "Clipping never reverses an order and stays in [0, 1] (tried on every pair of positions).",
        *(0 <= section.clipped(s) <= section.clipped(t) <= 1 for s, t in ORDER_TYPES),
    )
    growing = []
    for w, d in ROW_SAMPLES.values():
        x = [Fraction(c) for c in w]
        y = [Fraction(c + e) for c, e in zip(w, d, strict=True)]
        ratios = [
            section.intersection_ratio(x, y, [Fraction(0)] * 2, radius)
            for radius in map(Fraction, (2, 3, 5))
        ]
        growing.append(0 <= ratios[0] <= ratios[1] <= ratios[2] <= 1)
    proof.by_numbers(
        "On a segment of each row γ grows from r = 2 (Δ < 0) over 3 (Δ = 0) to 5, within [0, 1].",
        *growing,
    )
    proof.in_words(
        "So λ_q = clip(λ_v) does not decrease and λ_p = clip(λ_u) does not increase: γ = λ_q − λ_p "
        "grows from 0, "
        "and stays ≤ 1.",
        formal="gamma_grows_with_the_radius, gamma_range",
    )
    proof.therefore(
        "0 ≤ γ ≤ 1 and γ is non-decreasing in r; the oracle brackets γ by γ(r − δ) and γ(r + δ)."
    )


@proof_of("Definition 8")
def prove_the_ratio_when_the_center_is_on_the_line(proof: Proof) -> None:
    """Definition 8: with o = x_i + μ(x_j − x_i), γ is the length of [μ − ρ, μ + ρ] ∩ [0, 1], ρ =
    r/‖x_j − x_i‖.
    """
    space = Space()
    start, direction = space.vector("x"), space.vector("d")
    mu = sp.Symbol("μ", real=True)
    rho = sp.Symbol("ρ", positive=True)
    length = sp.Symbol("ℓ", positive=True)
    u, v = section.line_coefficients(
        [start], [start + direction], [start + direction * mu], rho * length
    )
    d_d = direction * direction
    proof.given("The center is on the line, any dimension; ℓ = ‖x_j − x_i‖, r = ρℓ.")
    proof.by_sympy(
        "λ_u = μ − ρ and λ_v = μ + ρ.",
        vanishes(u.subs(d_d, length**2) - (mu - rho)),
        vanishes(v.subs(d_d, length**2) - (mu + rho)),
    )
    proof.by_numbers(
        "γ is the common length with [0, 1], tried for all 28 positions of [μ − ρ, μ + ρ].",
        *(
            section.intersection_ratio([Fraction(0)], [Fraction(1)], [(s + t) / 2], (t - s) / 2)
            == max(min(t, 1) - max(s, 0), 0)
            for s, t in ORDER_TYPES
        ),
    )
    proof.therefore(
        "In one dimension every center is on the line: γ = max(min(μ + ρ, 1) − max(μ − ρ, 0), 0)."
    )
