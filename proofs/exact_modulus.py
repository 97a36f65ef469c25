"""Theorem C, a smaller modulus for the exact gamma_b; and which constants of Theorems A and C cannot be smaller."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy as sp

from lmlir import continuity as section
from lmlir.distance import distance
from lmlir.intersection import intersection_ratio, line_coefficients, quadratic_a, quadratic_c, segment_coefficients
from lmlir.ledger.witnesses import continuity as witnesses
from lmlir.regions import mahalanobis_length
from proofs.continuity import limit, plane_metric, tangent_family
from proofs.modulus import has_nonnegative_coefficients, length
from proofs.steps import Proof, proof_of
from proofs.symbols import Sample, Space, Traced, unwrapped, vanishes

ZERO, ONE = Fraction(0), Fraction(1)


# ----------------------------------------------------------------------------------- Theorem C, for the exact gamma_b


@proof_of("Theorem C", "Section 3.2, gamma_b")
def prove_the_modulus_for_the_exact_background(proof: Proof) -> None:
    """Theorem C, and Section 3.2, gamma_b, exact: |D(x, z) − D(y, z)| ≤ √2 Λe + Σ κ'_s τ_s(e) with κ'_s = max(s(M(A_s)),
    sup_u |n_s(u) − n_B(u)|).
    """
    proof.given(
        "Exact γ_b; Λ, τ_s and T_s as in Theorem A; ‖x − y‖ ≤ e. Call x the end of the shorter segment, ℓ = ‖x − z‖, "
        "and let y' be the point of the segment zy with ‖y' − z‖ = ℓ. If ℓ = 0, D(x, z) = 0 and D(y, z) ≤ Λe.",
    )
    space, t = Space(), sp.Symbol("t", nonnegative=True)
    u, v = space.vector("u"), space.vector("v")
    whole, across, along = u - (1 + t) * v, u - v, t * v
    proof.by_sympy(
        "With u = x − z, v = y' − z and y − z = (1 + t)v: ‖x − y‖² − ‖x − y'‖² − ‖y − y'‖² = t‖u − v‖² + t(‖v‖² − "
        "‖u‖²), and ‖u‖ = ‖v‖: so ‖x − y'‖² + ‖y − y'‖² ≤ e².",
        vanishes(whole * whole - across * across - along * along - t * (across * across) - t * (v * v - u * u)),
    )
    a, b = sp.symbols("a b", nonnegative=True)
    proof.by_sympy(
        "2(a² + b²) − (a + b)² = (a − b)², so ‖x − y'‖ + ‖y − y'‖ ≤ √2 e.",
        vanishes(2 * (a**2 + b**2) - (a + b) ** 2 - (a - b) ** 2),
    )
    proof.in_words(
        "From y to y': the exact D adds up along a segment, so D(y, z) − D(y', z) = D(y, y'), at most Λ‖y − y'‖, "
        "because the cost of a point is at most Λ per unit of length.",
        formal="exact_is_additive",
    )
    nested_parts(proof)
    exchange_of_nested_parts(proof)
    proof.in_words(
        "From x to y', both at the distance ℓ: exchange one region after the other, each at most κ'_s ℓ|P| ≤ κ'_s "
        "τ_s(e), since n_s(u) and |n_s(u) − n_B(u)| are at most κ'_s ℓ and ℓ|P| ≤ τ_s(‖x − y'‖) as in Theorem A. Then"
        " turn u into v with the parts held fixed, at most Λ‖x − y'‖. In all Λ(‖x − y'‖ + ‖y − y'‖) + Σ κ'_s τ_s(e).",
        formal="modulus_exact_sharper",
    )
    the_code_of_theorem_c(proof)
    proof.in_words(
        "Whether Λ can stand in place of √2 Λ is open. It can for disjoint balls (Theorem A), where all metrics are "
        "multiples of the identity, and where ‖x − z‖ = ‖y − z‖.",
        formal="modulus_exact_disjoint, modulus_exact_of_round_metrics, modulus_exact_at_equal_lengths",
    )
    proof.therefore("For the exact γ_b the constants of the approximate one are enough, with √2 Λ in place of Λ.")


def nested_parts(proof: Proof) -> None:
    """The power of a point: at equal lengths one of two segments from z spends a part of the other's time in a ball."""
    sample = Sample()
    space = Space(sample)
    z, d, o = space.vector("z", (0, 0)), space.vector("d", (12, 0)), space.vector("o", (5, 1))
    r = sample.number("r", 2)
    lambda_u, lambda_v = line_coefficients([z], [z + d], [o], r)
    proof.by_sympy(
        "Where the line from z meets the sphere, λ_u λ_v ‖x − z‖² = ‖z − o‖² − r², the power of z: it does not depend"
        " on the direction, so λ_u λ_v is the same for x and y', whose distances from z are equal.",
        vanishes(lambda_u * lambda_v * quadratic_a([z], [z + d]) - quadratic_c([z], [o], r)),
        vanishes(unwrapped(quadratic_c([z], [o], r) - ((z - o) * (z - o) - r * r))),
    )
    proof.in_words(
        "z outside of the ball: two intervals of positive numbers whose ends have the same product are nested, for "
        "the one that begins first ends last. z inside or on the sphere: both begin at 0 after clipping, or one is a "
        "single point. Clipping at 1 keeps nesting. So T_s(x) ⊂ T_s(y') or T_s(y') ⊂ T_s(x) for every ball.",
        formal="parts_are_nested",
    )
    directions = [(4.0, 0.0), (2.4, 3.2), (3.2, 2.4), (0.0, 4.0), (-2.4, 3.2)]
    balls = [([a / 2, b / 2], r / 2) for a, b, r in product(range(-3, 6), range(-3, 6), range(1, 6))]
    proof.by_floats(
        f"The code's own coefficients, for all pairs of five directions and {len(balls)} balls, up to 1e−12.",
        *(
            is_nested(segment_coefficients([0.0, 0.0], x, *ball), segment_coefficients([0.0, 0.0], y, *ball))
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


def exchange_of_nested_parts(proof: Proof) -> None:
    """One region's part is exchanged for a part within it, or around it."""
    p, n, d = sp.symbols("p n d", nonnegative=True)
    checks = []
    for n_s, n_B, largest in ((n + d, n, n + d), (n + d, 2 * n + d, n + d), (n, 2 * n + d, n + d)):
        for free in (0, p):
            change = n_s * p - n_B * free
            checks += [
                has_nonnegative_coefficients(largest * p - change),
                has_nonnegative_coefficients(largest * p + change),
            ]
    proof.by_sympy(
        "One of P and Q is empty. Let R be what the other regions cover: Φ changes by n_s|P| − n_B|P \\ R|, linear in"
        " 0 ≤ |P \\ R| ≤ |P|. In the three cases n_B ≤ n_s, n_s ≤ n_B ≤ 2n_s and 2n_s ≤ n_B, at both ends, max(n_s, "
        "|n_s − n_B|)|P| ± the change is a polynomial with coefficients ≥ 0.",
        *checks,
    )
    intervals, checks = list(combinations(range(6), 2)), []
    for outer, inner, other in product(intervals, repeat=3):
        if outer[0] <= inner[0] and inner[1] <= outer[1]:
            lost = outer[1] - outer[0] - (inner[1] - inner[0])
            covered = length([outer, other]) - length([inner, other])
            for n_s, n_B in ((3, 1), (2, 3), (1, 3)):
                checks.append(abs(n_s * lost - n_B * covered) <= max(n_s, abs(n_s - n_B)) * lost)
    proof.by_numbers(
        "The same with the code's own union of intervals: nested T_s(x), T_s(y') and R with ends at six places, and three "
        f"pairs of lengths: {len(checks)} cases.",
        *checks,
    )


def the_code_of_theorem_c(proof: Proof) -> None:
    """What the shipped function returns."""
    sample = Sample()
    r, e = sample.number("r", 5), sample.number("e", 2)
    for value, text in ((1, "s(M(A)) < s(M(B)) − s(M(A))"), (2, "s(M(A)) > s(M(B)) − s(M(A))")):
        m, M = sample.number(f"m_{value}", value * value), sample.number(f"M_{value}", 9)
        Theta = ([[ZERO]], [r], [[[m]]], [[M]])
        kappa = M.root() - m.root() if value == 1 else m.root()
        expected = sp.sqrt(2) * (M.root() * e).expression + (kappa * section.shell_chord(r, e)).expression
        proof.by_sympy(
            f"The code, one ball and {text}: √2 s(M(B)) e + {'(s(M(B)) − s(M(A)))' if value == 1 else 's(M(A))'} τ(e).",
            vanishes(section.exact_modulus_of_continuity(e, *Theta).expression - expected),
        )
    places, unit = [[ZERO], [ONE], [Fraction(9)]], [ONE] * 3
    local = [[[Fraction(4)]], [[Fraction(9)]], [[Fraction(16)]]]
    values = [section.exact_modulus_of_continuity(Fraction(2), places, unit, local, [[b]]) for b in (ONE, Fraction(36))]
    proof.by_floats(
        "Three balls with s = 2, 3, 4, of which the first two meet, e = 2: √2·5·2 + 18 with s(M(B)) = 1 and √2·6·2 + "
        "22 with s(M(B)) = 6.",
        abs(values[0] - (10 * math.sqrt(2) + 18)) < 1e-13,
        abs(values[1] - (12 * math.sqrt(2) + 22)) < 1e-13,
    )
    quarter = ([[ZERO, ZERO]], [ONE], [plane_metric(Fraction(1, 4))], plane_metric(1))
    proof.by_floats(
        "M(A) = I/4, M(B) = I, r = 1, e = 2: √2·2 + ½·2, where Theorem A has 2 + 1·2.",
        abs(section.exact_modulus_of_continuity(Fraction(2), *quarter) - (2 * math.sqrt(2) + 1)) < 1e-15,
        section.modulus_of_continuity(Fraction(2), *quarter) == 4,
    )


# --------------------------------------------------------------------------------- constants that cannot be smaller


@proof_of("Theorem A", "Theorem C")
def prove_no_smaller_kappa_will_do(proof: Proof) -> None:
    """Theorem A, for disjoint balls, and Theorem C: in dimension ≥ 2, whatever the metrics are, no constants smaller than
    sup_u |n_s(u) − n_B(u)|, or κ'_s for the exact γ_b, serve all balls.
    """
    k, radius, x, y, z, e = tangent_family()
    sample, o = k.sample, [ZERO, ZERO]
    A, B, C = (sample.metric(name, [[value, 1], [1, value]]) for name, value in (("a", 4), ("b", 9), ("c", 2)))
    proof.given(
        "M(A), M(B), M(C) any metrics, F ≥ 2; the plane of u, the direction that is to be reached, and any other "
        "direction, with u as first axis: there the metrics are any 2 × 2 matrices. x, y, z, o = 0 and r as in the "
        "tangent family of E6: zy has the direction u.",
    )
    one = ([o], [radius], [A], B)
    n_x, n_y = mahalanobis_length(x, z, B), mahalanobis_length(y, z, B)
    first = A[0][0].root() - B[0][0].root()
    proof.by_sympy(
        "A tangent in free background: D(x, z) = n_B(x − z), and D(y, z) = n_B(y − z) + 4k (n_A(u) − n_B(u)), with "
        "either γ_b.",
        *(vanishes(distance(x, z, *one, exact=exact) - n_x) for exact in (False, True)),
        *(vanishes(distance(y, z, *one, exact=exact) - n_y - 4 * k * first) for exact in (False, True)),
    )
    chord = section.shell_chord(radius, e)
    proof.by_sympy(
        "4k/τ(e) → 1 and e/τ(e) → 0 as k → ∞.",
        limit_of_root(4 * k, chord, k) == 1,
        limit_of_root(e, chord, k) == 0,
    )
    proof.in_words(
        "|n_B(x − z) − n_B(y − z)| ≤ s(M(B))e, so the change of D is |n_A(u) − n_B(u)| τ(e) up to o(τ(e)): for c < "
        "|n_A(u) − n_B(u)| and any L it exceeds Le + cτ(e) in the end. u may be any direction, hence one where the "
        "supremum is reached.",
        formal="difference_of_lengths_is_needed",
    )
    middle, small = [ZERO, y[1]], 2 * k
    two = ([o, middle], [radius, small], [A, C], B)
    alone = ([middle], [small], [C], B)
    proof.by_sympy(
        "A tangent within a small ball, around the chord that zy gains: centered at (0, k² − 1), of radius 2k and "
        "metric M(C). With the exact γ_b the first ball adds nothing to D(x, z), and 4k n_A(u) to D(y, z).",
        vanishes(distance(x, z, *two, exact=True) - distance(x, z, *alone, exact=True)),
        vanishes(distance(y, z, *two, exact=True) - distance(y, z, *alone, exact=True) - 4 * k * A[0][0].root()),
    )
    proof.by_sympy(
        "The small ball's own chord is of a smaller order: τ'(e)/τ(e) → 0 for the radius 2k.",
        limit_of_root(section.shell_chord(small, e), chord, k) == 0,
    )
    proof.in_words(
        "By Theorem C the small ball alone moves D by at most √2 Λe + κ'τ'(e) = o(τ(e)). So the change of D is n_A(u)"
        " τ(e) up to o(τ(e)): for c < n_A(u) and any L and K it exceeds Le + cτ(e) + Kτ'(e) in the end. Take u with "
        "n_A(u) = s(M(A)).",
        formal="length_in_the_region_is_needed",
    )
    proof.therefore(
        "κ_s of Theorem A for disjoint balls and κ'_s of Theorem C are best possible for every choice of metrics. For"
        " the approximate γ_b, and for κ_s = max(s(M(A_s)), s(M(B))), nothing of the kind is claimed."
    )


@proof_of("Theorem A")
def prove_the_modulus_is_sharp(proof: Proof) -> None:
    """Theorem A: for M(A) = 0 and M(B) = I the whole modulus is reached in the limit; so the exponent 1/2 is best possible,
    and the sum over the balls is needed.
    """
    k, radius, x, y, z, e = tangent_family()
    Theta = ([[ZERO, ZERO]], [radius], [plane_metric(0)], plane_metric(1))
    proof.given("The tangent family of E6 with M(A) = 0 and M(B) = I: κ = Λ = 1. Divided by r, e/r → 0.")
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
        f"The share of the modulus that is reached at k = 10, 100, 1000: {', '.join(f'{n:.4f}' for n in numbers)}.",
        numbers[0] < numbers[1] < numbers[2] < 1,
        numbers[2] > 0.998,
    )
    several_balls(proof)
    proof.therefore(
        "The exponent 1/2 is best possible in every dimension ≥ 2, and so is the modulus as a whole for these two "
        "metrics; for other metrics see the proof that no smaller κ will do."
    )


def several_balls(proof: Proof) -> None:
    """S balls whose chords are gained at once."""
    Z, e = Sample().number("Z", 1000), Fraction(2, 5)
    y, z = [Fraction(8), 1 - e], [-1 * Z, ONE]
    w = [a - b for a, b in zip(y, z, strict=True)]
    squared = w[0] * w[0] + w[1] * w[1]
    pieces = [intersection_ratio(z, y, [Fraction(place), ZERO], ONE) for place in (0, 3, 6)]
    proof.by_sympy(
        "Unit balls at (0, 0), (3, 0) and (6, 0), z = (−Z, 1), x = (8, 1), y = (8, 3/5), so that zx touches all three"
        " and e = 2/5: as Z → ∞ the piece of zy in each tends to τ(e) = 8/5.",
        *(sp.limit(unwrapped(piece * piece * squared), Z.expression, sp.oo) == sp.Rational(64, 25) for piece in pieces),
        section.shell_chord(ONE, e) == Fraction(8, 5),
    )
    proof.in_words(
        "In the same way S unit balls at (0, 0), ..., (3S − 3, 0), x = (3S − 1, 1) and any e < 1: above the balls the"
        " segment zy has a height between 1 − e and 1 − e + 3Se/Z, so that as Z → ∞ it gains S chords that tend to "
        "τ(e). With M(A) = 0 and M(B) = I D changes by Sτ(e) up to e and what vanishes with Z, and then, as e → 0, by"
        " Sτ(e) up to smaller order: the sum over the balls is needed.",
        formal="sum_over_the_regions_is_needed",
    )


def limit_of_root(number: Traced, chord: Traced, k: Traced) -> Any:
    """The limit of number / chord, through its square, which has no roots."""
    return sp.sqrt(limit(number * number / (chord * chord), k))
