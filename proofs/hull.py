"""Theorem B, proved: the metric hull of D is the largest pseudometric below it, and for it Lemma 1
holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import sympy as sp

from lmlir import hull as section
from lmlir.distance import weighted_lengths
from proofs.steps import Proof, proof_of
from proofs.symbols import Sample, vanishes

ZERO = Fraction(0)
ONE = Fraction(1)
Table = list[list[Any]]


def tables(n: int, entries: tuple[int, ...]) -> Iterator[Table]:
    """Every symmetric table of n points with these entries and zeros on its diagonal."""
    pairs = [(i, j) for i in range(n) for j in range(i)]
    for values in product(entries, repeat=len(pairs)):
        table = [[ZERO] * n for _ in range(n)]
        for (i, j), value in zip(pairs, values, strict=True):
            table[i][j] = table[j][i] = Fraction(value)
        yield table


def is_pseudometric(d: Table) -> bool:
    """Symmetric, not negative, 0 on the diagonal, and the triangle inequality."""
    n = range(len(d))
    return all(d[i][i] == 0 for i in n) and all(
        d[i][j] == d[j][i] and 0 <= d[i][j] <= d[i][k] + d[k][j] for i in n for j in n for k in n
    )


def is_below(d: Table, other: Table) -> bool:
    """Entry by entry."""
    return all(
        a <= b
        for row, other_row in zip(d, other, strict=True)
        for a, b in zip(row, other_row, strict=True)
    )


def shortest_by_enumeration(D: Table, i: int, j: int) -> Any:
    """The least length over all chains from i to j that repeat no stop."""
    stops = [k for k in range(len(D)) if k not in (i, j)]
    chains = ((i, *some, j) for size in range(len(stops) + 1) for some in permutations(stops, size))
    return min(section.chain_length(D, chain) for chain in chains)


def line_configurations() -> Iterator[tuple[Any, Any, Any, Any]]:
    """Balls on the line that are apart, overlap and coincide, expensive and cheap, in fractions."""
    for background in (ONE, Fraction(9)):
        for places in ((2, 6), (2, 3), (3, 3)):
            for costs in ((4, 0), (Fraction(1, 4), 16)):
                centers = [[Fraction(place)] for place in places]
                yield centers, [ONE, ONE], [[[Fraction(cost)]] for cost in costs], [[background]]


@proof_of("Theorem B")
def prove_the_hull_is_the_largest_pseudometric_below_the_distance(proof: Proof) -> None:
    """Theorem B: ρ(x, y) = inf D(p_0, p_1) + … + D(p_{k−1}, p_k) over chains from x to y is a
    pseudometric, ρ ≤ D, and every pseudometric below D is below ρ; on finitely many points it is
    the table of shortest paths.
    """
    proof.given(
        "D is symmetric, not negative, and D(x, x) = 0; a chain is a finite sequence of points."
    )
    sample = Sample()
    a, b, c = (sample.number(name, value) for name, value in (("a", 1), ("b", 5), ("c", 2)))
    hull = section.metric_hull([[0, a, b], [a, 0, c], [b, c, 0]])
    proof.by_sympy(
        "Three points with b > a + c: the hull replaces b by a + c, both ways, and leaves a and c.",
        vanishes(hull[0][2] - a - c),
        vanishes(hull[2][0] - a - c),
        vanishes(hull[0][1] - a),
        vanishes(hull[1][2] - c),
    )
    found = [(D, section.metric_hull(D)) for D in (*tables(3, (0, 1, 2, 5)), *tables(4, (0, 1, 4)))]
    proof.by_numbers(
        f"The code's loops are the least length over all chains, by enumeration: all {len(found)} "
        "tables of 3 points "
        "with lengths 0, 1, 2, 5 and of 4 points with 0, 1, 4.",
        *(
            rho[i][j] == shortest_by_enumeration(D, i, j)
            for D, rho in found
            for i in range(len(D))
            for j in range(len(D))
        ),
    )
    proof.in_words(
        "In general: after stop k is allowed, ρ[i][j] is the least over chains with stops up to k. "
        "A chain that "
        "passes k twice is not shorter than one that passes it once, and one that passes it once "
        "is two chains "
        "without it. Updating in place is harmless, because row and column k do not change while "
        "ρ[k][k] = 0."
    )
    proof.in_words(
        "One link: ρ ≤ D. A chain read backwards: symmetry. A chain to y continued by one from y "
        "to z: ρ(x, z) ≤ ρ(x, "
        "y) + ρ(y, z).",
        formal="hull_pseudometric",
    )
    proof.by_numbers(
        "On the same tables: the hull is a pseudometric, below D, its own hull, and D itself "
        "exactly when D is one.",
        *(is_pseudometric(rho) for _, rho in found),
        *(is_below(rho, D) for D, rho in found),
        *(section.metric_hull(rho) == rho for _, rho in found),
        *((rho == D) is is_pseudometric(D) for D, rho in found),
    )
    proof.in_words(
        "A pseudometric d ≤ D: d(x, y) ≤ Σ d(p_i, p_{i+1}) ≤ Σ D(p_i, p_{i+1}) along every chain, "
        "so d ≤ ρ.",
        formal="hull_largest",
    )
    small = [d for d in tables(3, (0, 1, 2, 5)) if is_pseudometric(d)]
    proof.by_numbers(
        f"On three points: each of the {len(small)} pseudometrics among the tables, below each D "
        "that it is below.",
        *(is_below(d, rho) for D, rho in found if len(D) == 3 for d in small if is_below(d, D)),
    )
    proof.therefore("ρ is the largest pseudometric that is nowhere above D.")


@proof_of("Theorem B")
def prove_lemma_1_holds_for_the_hull(proof: Proof) -> None:
    """Theorem B, what Lemma 1 should have said (E5): |ρ(x, z) − ρ(y, z)| ≤ ρ(x, y) ≤ D(x, y) ≤ Λ‖x
    − y‖ for both kinds of γ_b, f on ρ has the constant 2Λ, and μ‖x − y‖ ≤ ρ(x, y).
    """
    proof.given(
        "Λ is at least s(M(B)), and at least the sum of s(M(A_s)) over the balls around any one "
        "point.",
        "μ‖u‖ ≤ n_M(u) for all metrics M.",
    )
    proof.in_words(
        "The triangle inequality of ρ, twice: ρ(x, z) − ρ(y, z) ≤ ρ(x, y) and ρ(y, z) − ρ(x, z) ≤ "
        "ρ(y, x) = ρ(x, y). "
        "This is the step from values to slopes that fails for D.",
        formal="hull_lipschitz",
    )
    gamma, e, s_A, s_B, Lambda = sp.symbols("γ e s_A s_B Λ", nonnegative=True)
    proof.by_sympy(
        "One ball: n_B ≤ s_B e and n_A ≤ s_A e give D ≤ (1 − γ) s_B e + γ s_A e = Λe − (1 − γ)(Λ − "
        "s_B)e − γ(Λ − s_A)e ≤ Λe.",
        vanishes(
            weighted_lengths(1 - gamma, [gamma], s_B * e, [s_A * e])
            - (Lambda * e - (1 - gamma) * (Lambda - s_B) * e - gamma * (Lambda - s_A) * e)
        ),
    )
    proof.in_words(
        "Any number of balls, exact γ_b: D is at most the integral along the segment of the cost "
        "of the point, "
        "s(M(B)) outside of all balls and else the sum of the s(M(A_s)) of those around it, and "
        "that is at most Λ "
        "everywhere. The approximate γ_b is not larger than the exact one.",
        formal="lemma_1_holds_for_the_hull",
    )
    places = [[Fraction(place)] for place in range(7)]
    checks: list[bool] = []
    for Theta in line_configurations():
        Lambda_ = section.largest_cost(*Theta)
        mu = section.smallest_cost(*Theta[2:])
        for exact in (False, True):
            D = section.pairwise_distances(places, *Theta, exact=exact)
            rho = section.hull_distances(places, *Theta, exact=exact)
            for i, j in product(range(7), repeat=2):
                checks.append(mu * abs(i - j) <= rho[i][j] <= D[i][j] <= Lambda_ * abs(i - j))
                checks += [abs(rho[i][z] - rho[j][z]) <= Lambda_ * abs(i - j) for z in range(7)]
    proof.by_numbers(
        "The code on the line, 12 configurations of two balls that are apart, overlap or "
        "coincide, both γ_b, seven "
        f"points: all {len(checks)} inequalities.",
        *checks,
    )
    three = (
        [[ZERO], [ONE], [Fraction(9)]],
        [ONE] * 3,
        [[[Fraction(4)]], [[Fraction(9)]], [[Fraction(16)]]],
    )
    proof.by_numbers(
        "The code's Λ: balls [−1, 1] and [0, 2] with s = 2 and 3 meet, [8, 10] has s = 4: Λ = 5 "
        "for s(M(B)) = 1 and 6 "
        "for s(M(B)) = 6; μ = 1 and 2; diag(4, 25) has the least scale 2.",
        section.largest_cost(*three, [[ONE]]) == 5,
        section.largest_cost(*three, [[Fraction(36)]]) == 6,
        section.smallest_cost(three[2], [[ONE]]) == 1,
        section.smallest_cost(three[2], [[Fraction(36)]]) == 2,
        section.smallest_scale([[Fraction(4), ZERO], [ZERO, Fraction(25)]]) == 2,
    )
    proof.in_words(
        "The lower bound: γ_b + Σγ_s ≥ 1, so D ≥ μ‖x − y‖; the right side is a pseudometric below "
        "D, so it is below ρ.",
        formal="hull_is_definite",
    )
    classifier_and_capacity(proof)
    proof.therefore(
        "Lemma 1 with the square roots of E5 holds for ρ: constant Λ ≤ s(M(B)) + Σ s(M(A_s)), and "
        "2Λ for f."
    )


def classifier_and_capacity(proof: Proof) -> None:
    """What follows for equation (10) and for Corollary 1."""
    free = ([[Fraction(14)]] * 3, [Fraction(2)] * 3, [[[ZERO]]] * 3, [[ONE]])
    X = [[Fraction(place)] for place in range(4, 26, 3)]
    f = section.hull_decision_values(X, [[ZERO], [ONE]], [[Fraction(28)], [Fraction(20)]], 2, *free)
    rho = section.hull_distances([*X, [ZERO], [ONE], [Fraction(28)], [Fraction(20)]], *free)
    proof.by_numbers(
        "f on ρ is the mean of the K least ρ to either class, subtracted, and |f(x) − f(y)| ≤ 2Λ|x "
        "− y|: three free "
        "balls on the line, Λ = 1, K = 2, eight points.",
        section.largest_cost(*free) == 1,
        *(f[i] == (rho[i][8] + rho[i][9]) / 2 - (rho[i][10] + rho[i][11]) / 2 for i in range(8)),
        *(abs(f[i] - f[j]) <= 2 * abs(X[i][0] - X[j][0]) for i in range(8) for j in range(8)),
        formal="hull_classifier_lipschitz",
    )
    diameter, margin, Lambda = sp.symbols("diam m Λ", positive=True)
    proof.by_sympy(
        "Corollary 1 repaired needs points that are w^{-1}(m/8) apart. With w(e) = 2Λe these are "
        "m/(16Λ), and "
        "1 + 2 diam/(m/(16Λ)) = 1 + 32Λ diam/m.",
        vanishes(
            1 + 2 * diameter / (margin / (16 * Lambda)) - (1 + 32 * Lambda * diameter / margin)
        ),
        vanishes(2 * Lambda * (margin / (16 * Lambda)) - margin / 8),
    )
    proof.by_numbers(
        "The code: diam = 2, m = 4, Λ = 5, F = 3 give (1 + 32·5·2/4)³ = 81³.",
        section.hull_capacity(2, 3, 4, 5) == 81**3,
    )


@proof_of("Theorem B")
def prove_chains_through_a_sample_do_not_inherit_the_constant(proof: Proof) -> None:
    """Theorem B: ρ_P, the hull of D on finitely many points P, has ρ ≤ ρ_P ≤ D and the constant Λ
    between points of P; but x ↦ ρ_{P ∪ {x}}(x, z) has none.
    """
    proof.given(
        "P = {0} on the line; three coincident balls [12, 16] with M(A) = 0, M(B) = 1, approximate "
        "γ_b: Λ = 1."
    )
    free = ([[Fraction(14)]] * 3, [Fraction(2)] * 3, [[[ZERO]]] * 3, [[ONE]])
    z = [ZERO]
    x = [Fraction(12)]
    y = [Fraction(16)]
    alone = [section.hull_distances([z, point], *free)[0][1] for point in (x, y)]
    together = section.hull_distances([z, x, y], *free)
    proof.by_numbers(
        "Each new point alone: ρ_{P ∪ {12}}(12, 0) = 12 and ρ_{P ∪ {16}}(16, 0) = 4. They differ "
        "by 8, Λ|12 − 16| is 4.",
        section.largest_cost(*free) == 1,
        alone == [12, 4],
    )
    proof.by_numbers(
        "Both together: ρ_P(12, 16) = 0, so both are 4 away from 0. More points make ρ_P smaller, "
        "never larger.",
        together == [[0, 4, 4], [4, 0, 0], [4, 0, 0]],
    )
    e = 10**-8
    ball = ([[0.0, 0.0]], [1.0], [[[4.0, 0.0], [0.0, 4.0]]], [[1.0, 0.0], [0.0, 1.0]])
    steep = [
        section.hull_distances([[-3.0, 1.0], point], *ball, exact=True)[0][1]
        for point in ([3.0, 1.0], [3.0, 1 - e])
    ]
    proof.by_floats(
        f"The exact γ_b is no better in the plane: the ball of E6, P = {{(−3, 1)}}, x = (3, 1), y "
        "= (3, 1 − 10^−8): "
        f"the two values differ by {abs(steep[0] - steep[1]) / e:.0f} e, and Λ = 2.",
        abs(steep[0] - steep[1]) / e > 19000,
        math.isclose(section.largest_cost(*ball), 2),
    )
    proof.in_words(
        "Why: ρ_{P ∪ {x}} and ρ_{P ∪ {y}} are hulls on two different sets, and the triangle "
        "inequality that gives the "
        "slope is about one. On one set P that has x, y and z it gives |ρ_P(x, z) − ρ_P(y, z)| ≤ "
        "ρ_P(x, y) ≤ D(x, y) ≤ "
        "Λ‖x − y‖."
    )
    proof.therefore(
        "Shortest paths through a sample bound ρ from above; a classifier on them is Lipschitz "
        "among the points of "
        "one computation only."
    )
