"""Sections 2 and 3.2, proved: Propositions 1 and 2, both kinds of gamma_b, and what kind of
distance D is.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy as sp

from lmlir import distance as section
from lmlir.intersection import intersection_ratio, segment_case, stable_discriminant
from lmlir.ledger import witnesses
from lmlir.regions import mahalanobis_length
from lmlir.scalars import quadratic_form
from proofs.intersection import traced_row
from proofs.steps import Proof, proof_of
from proofs.symbols import Form, Sample, Space, unwrapped, vanishes

ZERO = Fraction(0)
ONE = Fraction(1)


def metric(name: str, scale: int) -> list[list[Form]]:
    """Any metric of any dimension; at the sample it is a multiple of the identity."""
    return [[Form(name, scale)]]


def two_regions(first: tuple[int, int], second: tuple[int, int], size: int = 1) -> tuple[Any, ...]:
    """Any segment and two balls; at the sample the segment is [0, 12] and the balls are centered on
    it, with radius `size`.
    """
    sample = Sample()
    space = Space(sample)
    x_i, d = space.vector("x", (0, 0)), space.vector("d", (12, 0))
    o, p = space.vector("o", first), space.vector("p", second)
    radii = [sample.number("r", size), sample.number("r'", size)]
    return [x_i], [x_i + d], [[o], [p]], radii, [metric("A", 4), metric("A'", 9)], metric("B", 1)


# ----------------------------------------------------------------------------- Propositions 1 and 2


@proof_of("Proposition 1", "Equation (6)", "Definition 6")
def prove_the_length_of_an_intersection(proof: Proof) -> None:
    """Proposition 1, equation (6), from Definition 6: the length of A ∩ x_i x_j is γ √((x_i −
    x_j)^T M(A) (x_i − x_j)).
    """
    proof.given(
        "Any segment, ball and metric, any dimension; Definition 6 measures the segment pq itself, "
        "Proposition 1 "
        "multiplies."
    )
    M = metric("A", 1)
    for row in (4, 5, 6, 7):
        _, x_i, x_j, o, r = traced_row(row)
        by_ends, by_ratio = (
            f(x_i, x_j, o, r, M)
            for f in (section.intersection_length, section.intersection_length_by_ratio)
        )
        gamma = intersection_ratio(x_i, x_j, o, r)
        proof.by_sympy(
            f"Table 2, row {row}: √((q − p)^T M (q − p)) = γ √((x_i − x_j)^T M (x_i − x_j)).",
            vanishes(unwrapped(by_ends - by_ratio)),
            vanishes(unwrapped(by_ratio - gamma * mahalanobis_length(x_i, x_j, M))),
            segment_case(x_i, x_j, o, r) == row,
            formal="length_of_an_intersection",
        )
    proof.by_sympy(
        "Rows 3 and 8: both are 0.",
        *(
            vanishes(unwrapped(f(*traced_row(row)[1:], M)))
            for row in (3, 8)
            for f in (section.intersection_length, section.intersection_length_by_ratio)
        ),
        formal="length_of_an_intersection",
    )
    x_i = [-ONE, ONE]
    x_j = [ONE, ONE]
    o = [ZERO, ZERO]
    identity = [[ONE, ZERO], [ZERO, ONE]]
    proof.by_numbers(
        "Rows 1 and 2 (missed, tangent): both are 0.",
        *(
            f(x_i, x_j, o, radius, identity) == 0
            for radius in (ONE / 2, ONE)
            for f in (section.intersection_length, section.intersection_length_by_ratio)
        ),
        formal="length_of_an_intersection",
    )
    proof.therefore("Proposition 1 is right in all eight rows of Table 2.")


@proof_of("Proposition 2", "Equation (8)", "Definition 7", "Equation (5)", "Equation (4)")
def prove_the_distance_without_overlap(proof: Proof) -> None:
    """Proposition 2, equation (8), from Definition 7, equation (5), and equation (4): disjoint
    balls give (1 − Σγ) D_M(B) + Σ γ_s D_M(A_s).
    """
    proof.given(
        "Two disjoint balls, any metrics, any dimension; Definition 7 adds the lengths of the "
        "pieces themselves."
    )
    places = {
        "both within the segment": ((3, 0), (8, 0)),
        "one around each end": ((0, 0), (12, 0)),
        "one within, one beyond the end": ((4, 0), (20, 0)),
    }
    for name, (first, second) in places.items():
        x_i, x_j, centers, radii, local_metrics, background_metric = two_regions(first, second)
        Theta = (centers, radii, local_metrics, background_metric)
        pieces = section.segment_length(x_i, x_j, *Theta)
        formula = section.distance_without_overlap(x_i, x_j, *Theta)
        gamma = [intersection_ratio(x_i, x_j, o, r) for o, r in zip(centers, radii, strict=True)]
        free = section.background_intersection_length(x_i, x_j, centers, radii, background_metric)
        proof.by_sympy(
            f"Balls {name}: the sum of the pieces, equation (8) and equation (9) with either γ_b "
            "are one number; and "
            "the background's length, equation (4), is (1 − Σγ) D_M(B).",
            vanishes(pieces - formula),
            vanishes(section.distance(x_i, x_j, *Theta) - formula),
            vanishes(section.distance(x_i, x_j, *Theta, exact=True) - formula),
            vanishes(
                unwrapped(free - (1 - sum(gamma)) * mahalanobis_length(x_i, x_j, background_metric))
            ),
        )
    proof.in_words(
        "Disjoint balls cut disjoint pieces from a segment, in any number: |∪ T_s| = Σγ_s, so γ_b "
        "= 1 − Σγ_s; the "
        "rest is Proposition 1 for each.",
        formal="distance_without_overlap",
    )
    refused = False
    try:
        section.distance_without_overlap(
            [ZERO], [ONE], [[ZERO], [ONE]], [ONE, ONE], [[[ONE]]] * 2, [[ONE]]
        )
    except ValueError:
        refused = True
    proof.by_numbers(
        "Balls that overlap or touch are refused.",
        refused,
        section.balls_are_disjoint([[ZERO], [Fraction(3)]], [ONE, ONE]),
        not section.balls_are_disjoint([[ZERO], [Fraction(2)]], [ONE, ONE]),
    )
    proof.therefore("Proposition 2 is right.")


@proof_of("Definition 7")
def prove_a_metric_of_the_segment_exists_and_is_not_unique(proof: Proof) -> None:
    """Definition 7: one metric M(x_i x_j) with √(d^T M d) = l always exists, and in dimension ≥ 2
    it is not unique.
    """
    sample = Sample()
    x_i, x_j = sample.vector("x", (0, 0)), sample.vector("y", (12, 0))
    A = sample.metric("A", [[4, 0], [0, 4]])
    B = sample.metric("B", [[1, 0], [0, 1]])
    Theta = ([[Fraction(6), ZERO]], [ONE], [A], B)
    M = section.segment_metric(x_i, x_j, *Theta)
    length = section.segment_length(x_i, x_j, *Theta)
    d = [a - b for a, b in zip(x_i, x_j, strict=True)]
    proof.given(
        "x_i ≠ x_j in the plane that cross a unit ball, any metrics; l is the length of Definition "
        "7."
    )
    proof.by_sympy(
        "M = (l²/‖d‖²) I gives d^T M d = l².",
        vanishes(unwrapped(quadratic_form(d, M) - length * length)),
    )
    across = [-d[1], d[0]]
    other = [[M[f][g] + across[f] * across[g] for g in range(2)] for f in range(2)]
    proof.by_sympy(
        "So does M + vv^T for v orthogonal to d.",
        vanishes(unwrapped(quadratic_form(d, other) - length * length)),
    )
    same = section.segment_metric([ZERO], [ZERO], [], [], [], [[ONE]])
    proof.by_numbers("For x_i = x_j the identity is taken; any metric would do.", same == [[1]])
    proof.therefore(
        "Definition 7 is not empty; its M depends on the segment and is only determined on its "
        "direction."
    )


# ----------------------------------------------------------------------------------- the background


def measure(intervals: Any) -> Any:
    """The measure of the union of intervals with ends in fifths, cell by cell."""
    return sum(
        (Fraction(1, 5) for n in range(5) if any(a <= Fraction(n, 5) < b for a, b in intervals)),
        ZERO,
    )


@proof_of("Definition 5, footnote", "Definition 5", "Equation (3)")
def prove_the_union_of_intervals(proof: Proof) -> None:
    """Definition 5, footnote, and equation (3): joining overlapping pieces gives disjoint intervals
    with the same union; the background is what is left.
    """
    places = [Fraction(n, 5) for n in range(6)]
    intervals = list(combinations(places, 2))
    proof.given(
        "Intervals with ends in {0, 1/5, ..., 1}. Joining only compares ends, and six places show "
        "every order of "
        "the ends of three intervals."
    )
    triples = list(product(intervals, repeat=3))
    merged = [section.merged_intervals(triple) for triple in triples]
    proof.by_numbers(
        f"All {len(triples)} triples: the result is in order, with gaps between, and covers the "
        "same cells.",
        all(a < b for result in merged for a, b in result),
        all(
            first[1] < second[0]
            for result in merged
            for first, second in zip(result, result[1:], strict=False)
        ),
        all(
            sum(b - a for a, b in result) == measure(triple) == measure(result)
            for triple, result in zip(triples, merged, strict=True)
        ),
        section.merged_intervals([(ONE, ONE)]) == [],
    )
    checks = []
    for pair in product(intervals, repeat=2):
        centers = [[(a + b) / 2] for a, b in pair]
        radii = [(b - a) / 2 for a, b in pair]
        covered = section.covered_intervals([ZERO], [ONE], centers, radii)
        free = section.background_intervals([ZERO], [ONE], centers, radii)
        checks.append(covered == section.merged_intervals(pair))
        checks.append(
            section.merged_intervals([*covered, *free]) == [(0, 1)]
            and measure(covered) + measure(free) == 1
        )
    proof.by_numbers(
        f"For all {len(intervals) ** 2} pairs of balls on the segment [0, 1] the covered and the "
        "free intervals "
        "share it out.",
        *checks,
    )
    proof.in_words(
        "More intervals are joined one at a time in the order of their starts: the last joined one "
        "is all that the "
        "next can meet."
    )
    proof.therefore("The footnote is right, and equation (3) is the complement in the segment.")


@proof_of("Section 3.2, gamma_b")
def prove_exact_and_approximate_background(proof: Proof) -> None:
    """Section 3.2, gamma_b: the exact γ_b is never below max(1 − Σγ, 0), and equals 1 − Σγ exactly
    when the pieces do not overlap.
    """
    places = [Fraction(n, 5) for n in range(6)]
    intervals = list(combinations(places, 2))
    proof.given("T_s the piece of region s, |T_s| = γ_s; exact γ_b = 1 − |∪ T_s|.")
    proof.in_words(
        "|∪ T_s| ≤ Σ |T_s| and |∪ T_s| ≤ 1, so 1 − |∪ T_s| ≥ max(1 − Σγ, 0). Equality in the first "
        "holds exactly "
        "when all overlaps have measure 0.",
        formal="approximate_le_exact",
    )
    below = []
    equal = []
    distances = []
    for triple in product(intervals[::3], repeat=3):
        centers = [[(a + b) / 2] for a, b in triple]
        radii = [(b - a) / 2 for a, b in triple]
        gamma = [
            intersection_ratio([ZERO], [ONE], o, r) for o, r in zip(centers, radii, strict=True)
        ]
        exact = section.exact_background_ratio([ZERO], [ONE], centers, radii)
        approximate = section.approximate_background_ratio(gamma)
        overlap = any(min(s[1], t[1]) > max(s[0], t[0]) for s, t in combinations(triple, 2))
        below.append(
            exact >= approximate == max(1 - sum(gamma), 0) and exact == 1 - measure(triple)
        )
        equal.append((exact == 1 - sum(gamma)) is not overlap)
        Theta = (centers, radii, [[[ONE]], [[Fraction(4)]], [[Fraction(9)]]], [[ONE]])
        distances.append(
            section.distance([ZERO], [ONE], *Theta)
            <= section.distance([ZERO], [ONE], *Theta, exact=True)
        )
    proof.by_numbers(
        f"{len(below)} triples of balls on [0, 1]: exact ≥ approximate, and exact = 1 − Σγ exactly "
        "where nothing "
        "overlaps.",
        *below,
        *equal,
    )
    proof.by_numbers(
        "So the approximate D never exceeds the exact one, on the same triples with metrics 1, 4, "
        "9 and 1.",
        *distances,
    )
    proof.therefore("The approximation errs to one side only, and not at all without overlap.")


@proof_of("Section 3.2, gamma_b", "Equation (9)")
def prove_what_overlap_does_to_equal_metrics(proof: Proof) -> None:
    """Section 3.2, gamma_b and equation (9) (E14): the error of γ_b reaches 1 − 1/S; with equal
    metrics D is max(1, Σγ) or 1 − |∪T| + Σγ lengths.
    """
    proof.given("All metrics equal to M(B); S regions with pieces T_s of the segment; U = |∪ T_s|.")
    for size, text in ((1, "Σγ ≤ 1"), (6, "Σγ > 1")):
        x_i, x_j, centers, radii, _, background = two_regions((4, 0), (5, 0), size)
        Theta = (centers, radii, [background, background], background)
        length = mahalanobis_length(x_i, x_j, background)
        gamma = [intersection_ratio(x_i, x_j, o, r) for o, r in zip(centers, radii, strict=True)]
        union = sum(
            (end - start for start, end in section.covered_intervals(x_i, x_j, centers, radii)),
            ZERO,
        )
        approximate = length if size == 1 else sum(gamma) * length
        proof.by_sympy(
            f"Two overlapping balls, {text}: approximate D = max(1, Σγ) D_M(B), exact D = (1 − U + "
            "Σγ) D_M(B).",
            vanishes(unwrapped(section.distance(x_i, x_j, *Theta) - approximate)),
            vanishes(
                unwrapped(
                    section.distance(x_i, x_j, *Theta, exact=True)
                    - (1 - union + sum(gamma)) * length
                )
            ),
        )
    proof.in_words(
        "U ≥ max γ_s ≥ Σγ/S. If Σγ ≥ 1 the approximation is 0 and the exact γ_b = 1 − U ≤ 1 − 1/S; "
        "if Σγ < 1 the "
        "error is Σγ − U ≤ (1 − 1/S)Σγ < 1 − 1/S. S equal balls with γ = 1/S reach it.",
        formal="error_of_the_approximation",
    )
    errors = []
    for S in (1, 2, 3, 10):
        centers = [[Fraction(1, 2 * S)]] * S
        radii = [Fraction(1, 2 * S)] * S
        gamma = [
            intersection_ratio([ZERO], [ONE], o, r) for o, r in zip(centers, radii, strict=True)
        ]
        error = section.exact_background_ratio(
            [ZERO], [ONE], centers, radii
        ) - section.approximate_background_ratio(gamma)
        errors.append(error == 1 - Fraction(1, S))
    proof.by_numbers("S = 1, 2, 3, 10 equal balls with γ = 1/S: the error is 1 − 1/S.", *errors)
    witness = witnesses.geometry.overlapping_background()
    proof.by_numbers(f"E14: {witness.text}.", witness.refutes)
    proof.therefore(
        "'Slightly different' can be almost everything; and overlap counts a shared part once per "
        "region, with "
        "either γ_b."
    )


# ---------------------------------------------------------------------------- what kind of distance


@proof_of("Equation (9)", "Definition 7")
def prove_symmetry_and_definiteness(proof: Proof) -> None:
    """Equation (9) and Definition 7: D is symmetric and ≥ 0, D(x, x) = 0, and D = 0 only for equal
    points when all metrics are positive definite.
    """
    proof.given("Two regions, any metrics, any dimension, both kinds of γ_b.")
    for size, text in ((1, "Σγ ≤ 1"), (7, "Σγ > 1")):
        x_i, x_j, centers, radii, local_metrics, background_metric = two_regions(
            (0, 0), (8, 0), size
        )
        Theta = (centers, radii, local_metrics, background_metric)
        proof.by_sympy(
            f"D(x_i, x_j) = D(x_j, x_i), {text}.",
            *(
                vanishes(
                    section.distance(x_i, x_j, *Theta, exact=e)
                    - section.distance(x_j, x_i, *Theta, exact=e)
                )
                for e in (False, True)
            ),
        )
    proof.in_words(
        "In general: γ_s is symmetric (Definition 8), hence γ_b, and so is each length; D is a sum "
        "of products of "
        "numbers ≥ 0.",
        formal="distance_is_a_dissimilarity",
    )
    gammas = list(product([Fraction(n, 4) for n in range(5)], repeat=2))
    proof.by_numbers(
        "The weights sum to at least 1: max(1 − Σγ, 0) + Σγ ≥ 1 (tried on a grid; it is 1 or Σγ), "
        "and the exact γ_b "
        "is never smaller.",
        *(section.approximate_background_ratio(gamma) + sum(gamma) >= 1 for gamma in gammas),
    )
    proof.in_words(
        "So with positive definite metrics and x ≠ y some weight > 0 meets a length > 0: D(x, y) > "
        "0. With μ² the "
        "smallest eigenvalue of all, D ≥ μ‖x − y‖.",
        formal="distance_is_definite, distance_between_bounds",
    )
    zero = [ZERO, ZERO]
    Theta = ([zero], [ONE], [[[4, 0], [0, 4]]], [[1, 0], [0, 1]])
    singular = ([zero], [Fraction(5)], [[[0, 0], [0, 0]]], [[1, 0], [0, 1]])
    proof.by_numbers(
        "D(x, x) = 0; with M(A) = 0 different points of the ball have distance 0.",
        section.distance(zero, zero, *Theta) == 0,
        section.distance(zero, [ONE, ZERO], *singular) == 0,
    )
    proof.therefore("D is a symmetric, non-negative dissimilarity, definite when its metrics are.")


@proof_of("Equation (9)")
def prove_the_triangle_inequality_fails(proof: Proof) -> None:
    """Equation (9): D is not a metric, but it is one up to a factor: D(x, y) ≤ (Λ/μ)(D(x, q) + D(q,
    y)).
    """
    witness = witnesses.geometry.triangle_inequality()
    proof.given(
        "M(A) and M(B) positive definite, one ball: nothing is degenerate, and both γ_b agree."
    )
    proof.by_numbers(
        f"{witness.text}.",
        witness.refutes,
        formal="triangle_inequality_fails, distance_is_no_metric",
    )
    Theta = witnesses.continuity.three_stacked_balls()
    points = [[Fraction(n)] for n in (0, 9, 11)]
    D = {
        (a, b): section.distance(points[a], points[b], *Theta) for a, b in combinations(range(3), 2)
    }
    proof.by_numbers(
        f"With the approximate γ_b it fails even on the line (E7): D(0, 9) = {D[0, 1]} > D(0, 11) "
        "+ D(11, 9) = "
        f"{D[0, 2]} + {D[1, 2]}.",
        D[0, 1] > D[0, 2] + D[1, 2],
    )
    proof.in_words(
        "What remains: μ‖x − y‖ ≤ D(x, y) ≤ Λ‖x − y‖ with μ² the smallest eigenvalue of all "
        "metrics and Λ as in "
        "continuity, so D(x, y) ≤ Λ(‖x − q‖ + ‖q − y‖) ≤ (Λ/μ)(D(x, q) + D(q, y)).",
        formal="distance_between_bounds",
    )
    proof.therefore(
        "Nearest neighbors are well defined, but bounds that need the triangle inequality do not "
        "hold for D."
    )


@proof_of("Equation (9)")
def prove_when_the_triangle_inequality_is_safe(proof: Proof) -> None:
    """Equation (9): with the exact γ_b the triangle inequality holds on the line always, and in
    dimension ≥ 2 only when D(x, y) = n_B(x − y) everywhere.
    """
    proof.given(
        "Exact γ_b. Write n_B(v) = √(vᵀM(B)v) and n_s(v) = √(vᵀM(A_s)v) for the length of a vector "
        "v under each "
        "metric, and N_p for the sum of the n_s over the balls that contain the point p, N_p = n_B "
        "if none does. Then "
        "D(x, y) is the mean of N_p(x − y) over the points p of the segment from x to y. At a "
        "sphere, n_in and n_out "
        "are N_p just inside and just outside of it.",
    )
    places = [Fraction(n) for n in range(-1, 8)]
    Theta = (
        [[Fraction(2)], [Fraction(3)]],
        [ONE, Fraction(3, 2)],
        [[[Fraction(4)]], [[ZERO]]],
        [[ONE]],
    )
    proof.by_numbers(
        "So D adds up along a line, D(x, q) + D(q, y) = D(x, y) for q between them: all "
        f"{len(list(combinations(places, 3)))} triples of nine points, two overlapping balls with "
        "metrics 4 and 0.",
        *(
            section.distance([x], [q], *Theta, exact=True)
            + section.distance([q], [y], *Theta, exact=True)
            == section.distance([x], [y], *Theta, exact=True)
            for x, q, y in combinations(places, 3)
        ),
    )
    proof.in_words(
        "On the line that is the triangle inequality: a point q that is not between x and y only "
        "adds.",
        formal="exact_is_a_metric_on_a_line",
    )
    detours(proof)
    proof.in_words(
        "So in dimension ≥ 2 the triangle inequality forces n_in(v) = n_out(v) for every tangent "
        "direction v at "
        "every point of a sphere that lies on no other sphere. Let n_A be the sum of n_s over all "
        "regions equal to "
        "the ball A, r > 0. (i) Where A's sphere runs inside of other balls, n_in − n_out = n_A; "
        "(ii) where it runs "
        "outside of all others, n_in = n_A and n_out = n_B."
    )
    a, b, c = sp.symbols("a b c", real=True)
    vandermonde = sp.Matrix([[1, 2 * t, t**2] for t in (a, b, c)]).det()
    proof.by_sympy(
        "A quadratic form that is 0 on an open set of directions is 0: in the plane three of them, "
        "(1, a), (1, b), "
        "(1, c), suffice, for their determinant is 2(b − a)(c − a)(c − b). So (i) on a piece of "
        "the sphere means "
        "M(A_s) = 0, for its tangent directions contain an open set.",
        vanishes(vandermonde - 2 * (b - a) * (c - a) * (c - b)),
    )
    proof.in_words(
        "If all of the sphere is as in (ii), every direction is tangent somewhere, and n_A = n_B. "
        "If both happen, n_A"
        " = 0 by (i), and n_B = 0 on an open set by (ii), so M(B) = 0 and n_A = n_B again. If all "
        "is as in (i), n_A ="
        " 0. In each case crossing the sphere away from other spheres does not change N_p, as a "
        "function of "
        "directions. Different spheres meet in sets of dimension F − 2 at most, so from almost "
        "every pair x, y the "
        "segment meets no two different spheres at one point and touches none, and neither does a "
        "ray from y to far "
        "away, where N_p = n_B: then N_p = n_B for almost all p of the segment, and D(x, y) = "
        "n_B(x − y). Both sides "
        "are continuous in x and y (D by Theorem A), so they agree for all pairs. Conversely n_B(x "
        "− y) is a "
        "seminorm."
    )
    equal = (
        [[ZERO, ZERO], [Fraction(3), ZERO]],
        [ONE, ONE],
        [[[ONE, ZERO], [ZERO, ONE]]] * 2,
        [[ONE, ZERO], [ZERO, ONE]],
    )
    proof.by_numbers(
        "For example disjoint balls with M(A_s) = M(B): D is the length, 5 from (0, 0) to (3, 4).",
        section.distance([ZERO, ZERO], [Fraction(3), Fraction(4)], *equal) == 5,
    )
    proof.therefore(
        "The triangle inequality is safe on the line (exact γ_b); in dimension ≥ 2 it is safe only "
        "where the "
        "regions make no difference at all. For disjoint balls, with either γ_b: exactly when "
        "M(A_s) = M(B) for "
        "every ball with r_s > 0."
    )


def detours(proof: Proof) -> None:
    """Where the metrics inside and outside disagree on a tangent direction, a small detour is
    shorter.
    """
    center = [ZERO, ZERO]
    sample = Sample()
    t = sample.number("t", Fraction(1, 10))
    sigma = sample.number("σ", Fraction(1, 2))
    width = 2 * t / (1 + t * t)
    depth = 2 * t * t / ((1 + t * t) * (1 - sigma))
    x = [-1 * width / sigma, ONE]
    y = [width / sigma, ONE]
    q = [ZERO, 1 - depth]
    proof.by_sympy(
        "Inside is cheaper, n_in(v) < n_out(v) for a tangent direction v: unit ball, x, y = (∓ε, "
        "1) on the tangent, "
        "q = (0, 1 − δ) inside, with ε = 2t/(σ(1 + t²)), δ = 2t²/((1 − σ)(1 + t²)). No part of xy "
        "is inside, but "
        "exactly the share σ of xq and of qy. The straight way costs 2ε n_out(v), the detour 2ε(σ "
        "n_in(v) + (1 − σ) "
        "n_out(v)) + O(δ), and δ/ε → 0 as t → 0: less for small t.",
        vanishes(unwrapped(intersection_ratio(x, q, center, ONE)) - sigma.expression),
        vanishes(unwrapped(intersection_ratio(q, y, center, ONE)) - sigma.expression),
        unwrapped(intersection_ratio(x, y, center, ONE)) == 0,
        sp.limit(unwrapped(depth / width), t.expression, 0) == 0,
    )
    cosine = (1 - t * t) / (1 + t * t)
    sine = 2 * t / (1 + t * t)
    x = [-1 * sine, cosine]
    y = [sine, cosine]
    q = [ZERO, 1 / cosine]
    proof.by_sympy(
        "Outside is cheaper, n_out(v) < n_in(v): x, y = (∓sin θ, cos θ) on the sphere, q = (0, "
        "1/cos θ), where "
        "their tangents meet (t = tan(θ/2)). All of xy is inside, nothing of xq and qy. The "
        "straight way costs 2 "
        "sin θ n_in(v), the detour 2 sin θ n_out(v) + O(θ²): less for small θ.",
        vanishes(unwrapped(intersection_ratio(x, y, center, ONE)) - 1),
        unwrapped(intersection_ratio(x, q, center, ONE)) == 0,
        unwrapped(intersection_ratio(q, y, center, ONE)) == 0,
        vanishes(stable_discriminant(x, q, center, ONE)),
        sp.limit(unwrapped((1 / cosine - cosine) / sine), t.expression, 0) == 0,
    )
    proof.in_words(
        "In any dimension take the plane through o, p and v; no other sphere is near p, and the "
        "radius only scales "
        "the figure. These triangles are small and see one sphere only, so when no two balls are "
        "equal they rule "
        "out the approximate γ_b too."
    )
