"""Theorem A for the exact gamma_b; and which of its constants cannot be smaller."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy as sp

from lmlir import continuity as section
from lmlir.distance import distance, weighted_lengths
from lmlir.intersection import (
    intersection_ratio,
    line_coefficients,
    quadratic_a,
    quadratic_c,
    segment_coefficients,
    squared_half_chord,
)
from lmlir.ledger.witnesses import continuity as witnesses
from lmlir.regions import mahalanobis_length
from proofs.continuity import limit, plane_metric, tangent_family
from proofs.steps import Proof, proof_of
from proofs.symbols import Sample, Space, Traced, unwrapped, vanishes

ZERO = Fraction(0)
ONE = Fraction(1)


# -------------------------------------------------------------------------------- the exact gamma_b


@proof_of("Theorem A", "Section 3.2, gamma_b")
def prove_the_modulus_for_the_exact_background(proof: Proof) -> None:
    """Theorem A, and Section 3.2, gamma_b, exact: |D(x, z) − D(y, z)| ≤ Λe + Σ κ_s τ_s(e) with the
    exact γ_b, too.
    """
    proof.given(
        "Exact γ_b; Λ, κ_s and τ_s as for the approximate one; ‖x − y‖ ≤ e. Call x the end of the "
        "shorter segment, ℓ "
        "= ‖x − z‖, y' the point of zy with ‖y' − z‖ = ℓ, a = ‖x − y'‖, h = ‖y − y'‖. If ℓ = 0, "
        "D(x, z) = 0 and "
        "D(y, z) ≤ Λe.",
        "N_R(u) is the cost of u in the balls of R: Σ n_s(u) over R, or n_B(u) if R is empty. "
        "P(t), P'(t) and Q(t) "
        "are the balls around the point with parameter t of zy', zx and y'y; p, p' and q are the "
        "shares of these in "
        "one ball.",
    )
    space = Space()
    t = sp.Symbol("t", nonnegative=True)
    u, v = space.vector("u"), space.vector("v")
    whole = u - (1 + t) * v
    across = u - v
    along = t * v
    proof.by_sympy(
        "With u = x − z, v = y' − z and y − z = (1 + t)v: ‖x − y‖² − ‖x − y'‖² − ‖y − y'‖² = t‖u − "
        "v‖² + t(‖v‖² − "
        "‖u‖²), and ‖u‖ = ‖v‖: so a² + h² ≤ e².",
        vanishes(
            whole * whole
            - across * across
            - along * along
            - t * (across * across)
            - t * (v * v - u * u)
        ),
    )
    one_ball_more(proof)
    nested_parts(proof)
    proof.in_words(
        "How far D falls: the exact D adds up along a segment, so D(x, z) − D(y, z) ≤ D(x, z) − "
        "D(y', z). Exchange "
        "P' for P, at most κ_s ℓ|p − p'| ≤ κ_s τ_s(a) for each ball, as with the approximate γ_b; "
        "then turn x − z "
        "into y' − z with the balls held fixed, at most Λa.",
        formal="exact_is_additive, equal_lengths",
    )
    rise_of_the_distance(proof)
    cost_of_one_ball(proof)
    proof.by_numbers(
        "The code: M(A) = I/4, M(B) = I, r = 1, e = 2: 1·2 + ½·2, for either γ_b.",
        section.modulus_of_continuity(Fraction(2), *quarter_ball()) == 3,
    )
    proof.therefore(
        "|D(x, z) − D(y, z)| ≤ Λe + Σ κ_s τ_s(e): Theorem A holds for both kinds of γ_b with the "
        "same constants."
    )


def quarter_ball() -> Any:
    """One unit ball with M(A) = I/4 in a background with M(B) = I."""
    return [[ZERO, ZERO]], [ONE], [plane_metric(Fraction(1, 4))], plane_metric(1)


def one_ball_more(proof: Proof) -> None:
    """The cost of a vector in a set of balls changes by at most kappa_s with each of them."""
    n_B, *n = sp.symbols("n_B n_1:5", nonnegative=True)

    def cost(balls: Any) -> Any:
        """N_R, by the shipped formula with shares of 0 and 1."""
        return weighted_lengths(0 if any(balls) else 1, balls, n_B, n)

    checks = []
    for others in product((0, 1), repeat=3):
        change = cost((1, *others)) - cost((0, *others))
        checks.append(vanishes(change - (n[0] if any(others) else n[0] - n_B)))
    proof.by_sympy(
        "One ball more in R changes N_R(u) by n_s(u), or by n_s(u) − n_B(u) if R was empty (with "
        "up to three other "
        "balls), at most κ_s‖u‖. So |N_R(u) − N_T(u)| ≤ Σ κ_s‖u‖ over the balls of R or T that are "
        "not in both.",
        *checks,
        formal="price_le",
    )


def rise_of_the_distance(proof: Proof) -> None:
    """D(y, z) - D(x, z), in two ways, by what each ball costs."""
    N_P, N_Q, N_R, N_R_x, N_x, c = sp.symbols("N_P N_Q N_R N_R_x N_x c", nonnegative=True)
    parts = (N_P - N_R) + c * (N_Q - N_R) + ((1 + c) * N_R - N_R_x) + (N_R_x - N_x)
    proof.by_sympy(
        "How far D rises, for h ≤ ℓ: let R = P ∩ P' and c = h/ℓ. At any point of zy' and zx and "
        "any point of y'y, "
        "N_P(y' − z) + c N_Q(y' − z) − N_P'(x − z) is the sum of four differences.",
        vanishes(parts - (N_P + c * N_Q - N_x)),
    )
    proof.in_words(
        "The third one is N_R(y − z) − N_R(x − z) ≤ Λe, since y − z = (1 + c)(y' − z) and the "
        "balls of R share a "
        "point. The others cost κ_s ℓ, κ_s h and κ_s ℓ for each ball in one set only. On average "
        "over all pairs of "
        "points that is κ_s times T₀ = ℓ|p − p'| + h(q(1 − p₀) + (1 − q)p₀) with p₀ = min(p, p'), "
        "because the parts "
        "are nested.",
        formal="by_coupling",
    )
    proof.in_words(
        "For h > ℓ: where P is not empty, N_P'(x − z) ≥ 0 is dropped, N_P(y' − z) ≤ Σ κ_s ℓ over "
        "P, and c N_Q(y' − "
        "z) ≤ Λh. Where P is empty, compare P' and Q with the background: n_B(y − z) − n_B(x − z) "
        "≤ Λe, and κ_s ℓ "
        "for each ball of P', κ_s h for each of Q. On average at most κ_s times T₁ = ℓ max(p, p') "
        "+ hq.",
        formal="by_uncoupling",
    )


def cost_of_one_ball(proof: Proof) -> None:
    """T_0 and T_1 are at most tau(e)."""
    sample = Sample()
    space = Space(sample)
    z = space.vector("z", (0, 0))
    d = space.vector("d", (12, 0))
    o = space.vector("o", (5, 1))
    r, s = sample.number("r", 4), sample.number("s", 2)
    outer, inner = (squared_half_chord([z], [z + d], [o], radius) for radius in (r, s))
    proof.by_sympy(
        "The squares of a line's chords in two concentric balls of radii r ≥ s differ by 4(r² − "
        "s²); those of a "
        "segment's parts in them by no more.",
        vanishes(4 * outer - 4 * inner - 4 * (r * r - s * s)),
        formal="shell_squares",
    )
    p, q = sp.symbols("p q", nonnegative=True)
    proof.by_sympy(
        "If 0 ≤ q ≤ p ≤ L, p² − q² ≤ 4E² and h ≤ E, then p − q + hq/L ≤ 2E: it is at most p − q + "
        "Eq/p, and p(p − q) "
        "≤ E(2p − q), for (p + q)(2p − q)² − 4p²(p − q) = q(4p² − 3pq + q²) and 4p² − 3pq + q² = "
        "(q − 3p/2)² + "
        "7p²/4.",
        vanishes(
            (p + q) * (2 * p - q) ** 2 - 4 * p**2 * (p - q) - q * (4 * p**2 - 3 * p * q + q**2)
        ),
        vanishes(4 * p**2 - 3 * p * q + q**2 - (q - 3 * p / 2) ** 2 - 7 * p**2 / 4),
        formal="two_chords",
    )
    proof.in_words(
        "T₁ ≤ τ(e) for h > ℓ: T₁ is at most one chord of the nearer line, 2r = τ(e) if r ≤ e; else "
        "T₁ ≤ ℓ + h ≤ 2e ≤ "
        "τ(e).",
        formal="uncoupled_part",
    )
    proof.in_words(
        "T₀ ≤ τ(e) for h ≤ ℓ. If r ≤ e, T₀ ≤ T₁, at most one chord. Else let E = τ(e)/2 ≥ e ≥ h. "
        "If y'y misses the "
        "ball, the squares of ℓp and ℓp' differ by at most τ(a)²: the inequality of two chords, "
        "with L = ℓ. If it "
        "meets the ball and x is outside, y'y has no point within r − e: the same for ℓp + hq and "
        "ℓp', with L = ℓ + "
        "hq. If x is in the ball, either ℓ|p − p'| ≤ τ(a)/2 and the rest is at most h ≤ E, or the "
        "nearer line has no "
        "point within r − a, and T₀ is at most its chord there, τ(a).",
        formal="coupled_part",
    )
    shares = [largest_share_of_the_chord(turn) for turn in (0.01, 0.1, 0.5, 1.5)]
    proof.by_floats(
        "T₀ and T₁ by the code's own shares: four angles at z, five lengths of zy, 972 balls: at "
        "most "
        f"{max(shares):.3f} τ(e).",
        *(0.5 < share <= 1 + 1e-12 for share in shares),
    )


def largest_share_of_the_chord(turn: float) -> float:
    """The largest T_0 or T_1 divided by tau(e), for segments from 0 that are turned by an angle,
    over many balls.
    """
    largest = 0.0
    z, x = [0.0, 0.0], [1.0, 0.0]
    for m in (1.0, 1.1, 1.5, 2.0, 4.0):
        y_prime = [math.cos(turn), math.sin(turn)]
        y = [m * y_prime[0], m * y_prime[1]]
        e = math.dist(x, y)
        h = m - 1
        for a, b, k in product(range(-2, 7), range(-5, 7), range(1, 10)):
            ball = [a / 3, b / 3], k / 4
            p, p_x, q = (
                intersection_ratio(*ends, *ball) for ends in ((z, y_prime), (z, x), (y_prime, y))
            )
            least = min(p, p_x)
            coupled = abs(p - p_x) + h * (q * (1 - least) + (1 - q) * least)
            uncoupled = max(p, p_x) + h * q
            largest = max(
                largest, (coupled if h <= 1 else uncoupled) / section.shell_chord(ball[1], e)
            )
    return largest


def nested_parts(proof: Proof) -> None:
    """The power of a point: at equal lengths one of two segments from z spends a part of the
    other's time in a ball.
    """
    sample = Sample()
    space = Space(sample)
    z = space.vector("z", (0, 0))
    d = space.vector("d", (12, 0))
    o = space.vector("o", (5, 1))
    r = sample.number("r", 2)
    lambda_u, lambda_v = line_coefficients([z], [z + d], [o], r)
    proof.by_sympy(
        "Where the line from z meets the sphere, λ_u λ_v ‖x − z‖² = ‖z − o‖² − r², the power of z: "
        "it does not depend"
        " on the direction, so λ_u λ_v is the same for x and y', whose distances from z are equal.",
        vanishes(lambda_u * lambda_v * quadratic_a([z], [z + d]) - quadratic_c([z], [o], r)),
        vanishes(unwrapped(quadratic_c([z], [o], r) - ((z - o) * (z - o) - r * r))),
    )
    proof.in_words(
        "z outside the ball: two intervals of positive numbers whose ends have the same product "
        "are nested, for "
        "the one that begins first ends last. z inside or on the sphere: both begin at 0 after "
        "clipping, or one is a "
        "single point. Clipping at 1 keeps nesting. So T_s(x) ⊂ T_s(y') or T_s(y') ⊂ T_s(x) for "
        "every ball.",
        formal="parts_are_nested",
    )
    directions = [(4.0, 0.0), (2.4, 3.2), (3.2, 2.4), (0.0, 4.0), (-2.4, 3.2)]
    balls = [
        ([a / 2, b / 2], r / 2) for a, b, r in product(range(-3, 6), range(-3, 6), range(1, 6))
    ]
    proof.by_floats(
        f"The code's own coefficients, for all pairs of five directions and {len(balls)} balls, up "
        "to 1e−12.",
        *(
            is_nested(
                segment_coefficients([0.0, 0.0], x, *ball),
                segment_coefficients([0.0, 0.0], y, *ball),
            )
            for x, y in combinations(directions, 2)
            for ball in balls
        ),
    )


def is_nested(first: Any, second: Any) -> bool:
    """Whether one of two intervals lies in the other, or one has no length."""
    (a, b), (c, d) = first, second
    rounding = 1e-12
    return (
        min(b - a, d - c) <= rounding
        or (a <= c + rounding and d <= b + rounding)
        or (c <= a + rounding and b <= d + rounding)
    )


# ----------------------------------------------------------------- constants that cannot be smaller


@proof_of("Theorem A")
def prove_no_smaller_kappa_will_do(proof: Proof) -> None:
    """Theorem A: in dimension ≥ 2, whatever the metrics are, no κ_s smaller than sup_u |n_s(u) −
    n_B(u)| serves all disjoint balls, and none smaller than max(s(M(A_s)), sup_u |n_s(u) − n_B(u)|)
    all balls with the exact γ_b.
    """
    k, radius, x, y, z, e = tangent_family()
    sample = k.sample
    o = [ZERO, ZERO]
    A, B, C = (
        sample.metric(name, [[value, 1], [1, value]])
        for name, value in (("a", 4), ("b", 9), ("c", 2))
    )
    proof.given(
        "M(A), M(B), M(C) any metrics, F ≥ 2; the plane of u, the direction that is to be reached, "
        "and any other "
        "direction, with u as first axis: there the metrics are any 2 × 2 matrices. x, y, z, o = 0 "
        "and r as in the "
        "tangent family of E6: zy has the direction u.",
    )
    one = ([o], [radius], [A], B)
    n_x = mahalanobis_length(x, z, B)
    n_y = mahalanobis_length(y, z, B)
    first = A[0][0].root() - B[0][0].root()
    proof.by_sympy(
        "A tangent in free background: D(x, z) = n_B(x − z), and D(y, z) = n_B(y − z) + 4k (n_A(u) "
        "− n_B(u)), with "
        "either γ_b.",
        *(vanishes(distance(x, z, *one, exact=exact) - n_x) for exact in (False, True)),
        *(
            vanishes(distance(y, z, *one, exact=exact) - n_y - 4 * k * first)
            for exact in (False, True)
        ),
    )
    chord = section.shell_chord(radius, e)
    proof.by_sympy(
        "4k/τ(e) → 1 and e/τ(e) → 0 as k → ∞.",
        limit_of_root(4 * k, chord, k) == 1,
        limit_of_root(e, chord, k) == 0,
    )
    proof.in_words(
        "|n_B(x − z) − n_B(y − z)| ≤ s(M(B))e, so the change of D is |n_A(u) − n_B(u)| τ(e) up to "
        "o(τ(e)): for c < "
        "|n_A(u) − n_B(u)| and any L it exceeds Le + cτ(e) in the end. u may be any direction, "
        "hence one where the "
        "supremum is reached.",
        formal="difference_of_lengths_is_needed",
    )
    middle = [ZERO, y[1]]
    small = 2 * k
    two = ([o, middle], [radius, small], [A, C], B)
    alone = ([middle], [small], [C], B)
    proof.by_sympy(
        "A tangent within a small ball, around the chord that zy gains: centered at (0, k² − 1), "
        "of radius 2k and "
        "metric M(C). With the exact γ_b the first ball adds nothing to D(x, z), and 4k n_A(u) to "
        "D(y, z).",
        vanishes(distance(x, z, *two, exact=True) - distance(x, z, *alone, exact=True)),
        vanishes(
            distance(y, z, *two, exact=True)
            - distance(y, z, *alone, exact=True)
            - 4 * k * A[0][0].root()
        ),
    )
    proof.by_sympy(
        "The small ball's own chord is of a smaller order: τ'(e)/τ(e) → 0 for the radius 2k.",
        limit_of_root(section.shell_chord(small, e), chord, k) == 0,
    )
    proof.in_words(
        "By Theorem A the small ball alone moves D by at most Λe + κ'τ'(e) = o(τ(e)). So the "
        "change of D is n_A(u)"
        " τ(e) up to o(τ(e)): for c < n_A(u) and any L and K it exceeds Le + cτ(e) + Kτ'(e) in the "
        "end. Take u with "
        "n_A(u) = s(M(A)).",
        formal="length_in_the_region_is_needed",
    )
    proof.therefore(
        "κ_s is best possible for every choice of metrics: for disjoint balls, and with the exact "
        "γ_b. For the "
        "approximate γ_b and balls that overlap nothing of the kind is claimed."
    )


@proof_of("Theorem A")
def prove_the_modulus_is_sharp(proof: Proof) -> None:
    """Theorem A: for M(A) = 0 and M(B) = I the whole modulus is reached in the limit; so the
    exponent 1/2 is best possible, and the sum over the balls is needed.
    """
    k, radius, x, y, z, e = tangent_family()
    Theta = ([[ZERO, ZERO]], [radius], [plane_metric(0)], plane_metric(1))
    proof.given(
        "The tangent family of E6 with M(A) = 0 and M(B) = I: κ = Λ = 1. Divided by r, e/r → 0."
    )
    change = abs(distance(x, z, *Theta) - distance(y, z, *Theta))
    chord = section.shell_chord(radius, e)
    proof.by_sympy(
        "|D(x, z) − D(y, z)| / τ(e) → 1 and Λe/τ(e) → 0.",
        limit_of_root(change, chord, k) == 1,
        limit_of_root(e, chord, k) == 0,
    )
    for name, modulus in (
        ("general", section.modulus_of_continuity),
        ("disjoint", section.modulus_of_continuity_disjoint),
    ):
        ratio = change / modulus(e, *Theta)
        proof.by_sympy(
            f"The {name} modulus: |D(x, z) − D(y, z)| / (Λe + κτ(e)) → 1.",
            sp.limit(ratio.expression, k.expression, sp.oo) == 1,
            formal="modulus_is_sharp",
        )
    numbers = []
    for value in (10, 100, 1000):
        family = witnesses.TangentFamily(value)
        empty = ([[ZERO, ZERO]], [family.radius], [plane_metric(0)], plane_metric(1))
        gap = family.x[1] - family.y[1]
        moved = abs(distance(family.x, family.z, *empty) - distance(family.y, family.z, *empty))
        numbers.append(float(moved / section.modulus_of_continuity(gap, *empty)))
    proof.by_floats(
        "The share of the modulus that is reached at k = 10, 100, 1000: "
        f"{', '.join(f'{n:.4f}' for n in numbers)}.",
        numbers[0] < numbers[1] < numbers[2] < 1,
        numbers[2] > 0.998,
    )
    several_balls(proof)
    proof.therefore(
        "The exponent 1/2 is best possible in every dimension ≥ 2, and so is the modulus as a "
        "whole for these two "
        "metrics; for other metrics see the proof that no smaller κ will do."
    )


def several_balls(proof: Proof) -> None:
    """S balls whose chords are gained at once."""
    Z = Sample().number("Z", 1000)
    e = Fraction(2, 5)
    y = [Fraction(8), 1 - e]
    z = [-1 * Z, ONE]
    w = [a - b for a, b in zip(y, z, strict=True)]
    squared = w[0] * w[0] + w[1] * w[1]
    pieces = [intersection_ratio(z, y, [Fraction(place), ZERO], ONE) for place in (0, 3, 6)]
    proof.by_sympy(
        "Unit balls at (0, 0), (3, 0) and (6, 0), z = (−Z, 1), x = (8, 1), y = (8, 3/5), so that "
        "zx touches all three"
        " and e = 2/5: as Z → ∞ the piece of zy in each tends to τ(e) = 8/5.",
        *(
            sp.limit(unwrapped(piece * piece * squared), Z.expression, sp.oo) == sp.Rational(64, 25)
            for piece in pieces
        ),
        section.shell_chord(ONE, e) == Fraction(8, 5),
    )
    proof.in_words(
        "In the same way S unit balls at (0, 0), ..., (3S − 3, 0), x = (3S − 1, 1) and any e < 1: "
        "above the balls the"
        " segment zy has a height between 1 − e and 1 − e + 3Se/Z, so that as Z → ∞ it gains S "
        "chords that tend to "
        "τ(e). With M(A) = 0 and M(B) = I D changes by Sτ(e) up to e and what vanishes with Z, and "
        "then, as e → 0, by"
        " Sτ(e) up to smaller order: the sum over the balls is needed.",
        formal="sum_over_the_regions_is_needed",
    )


def limit_of_root(number: Traced, chord: Traced, k: Traced) -> Any:
    """The limit of number / chord, through its square, which has no roots."""
    return sp.sqrt(limit(number * number / (chord * chord), k))
