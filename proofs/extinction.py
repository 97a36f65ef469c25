"""Theorem E, proved: a metric that no active pair meets loses alpha beta of its norm a step, and
dies on time.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from lmlir import extinction as section
from lmlir.descent import clipped_spectrum, descended_metric, descent_step, moved
from lmlir.gradient import objective_gradient, ratio_gradient, shrinkage
from lmlir.intersection import intersection_ratio, offset_from_center, squared_half_chord
from lmlir.scalars import Parameters, dot, frobenius_norm
from proofs.steps import Proof, proof_of
from proofs.symbols import Sample, Space, any_triple, ball_with_roots, unwrapped, vanishes

ZERO = Fraction(0)
ONE = Fraction(1)
HALF = Fraction(1, 2)
TENTH = Fraction(1, 10)
I1 = [[ONE]]
M9 = [[Fraction(3), Fraction(2)], [Fraction(2), Fraction(8)]]  # norm 9, determinant 20
I2 = [[ONE, ZERO], [ZERO, ONE]]


def entries(M: Any) -> list[Any]:
    """The entries of a matrix, row by row."""
    return [entry for row in M for entry in row]


def unmet_slopes() -> list[tuple[Any, Any, Any]]:
    """On symbols: a metric, its slope in g and alpha, in the five ways in which no active pair
    meets a metric.
    """
    found = []
    for case in ("elsewhere", "tangent", "short", "flat", "covered"):
        sample = Sample()
        M: Any = sample.metric("m", [[2, 1], [1, 3]])
        alpha = sample.number("α", TENTH)
        x = sample.number("x", 9)
        # its norm and its length of (1, 0) are whole
        other = [[Fraction(16), ZERO], [ZERO, Fraction(12)]]
        if case == "elsewhere":  # too long, and its segment passes the ball by
            X = [[x, ZERO], [x + 4, ZERO]]
            Theta = Parameters[Any]([[ZERO, ZERO]], [ONE], [M], other)
        elif case == "tangent":  # too long, and touching the ball from aside
            X = [[-x, ONE], [x, ONE]]
            Theta = Parameters[Any]([[ZERO, ZERO]], [ONE], [M], other)
        elif case == "short":  # inside the ball, and near enough
            X = [[ZERO, ZERO], [x / 1000, ZERO]]
            Theta = Parameters[Any]([[ZERO, ZERO]], [ONE], [M], other)
        elif case == "flat":
            # too long, and across the ball in a direction in which M has no length
            M = [[ZERO, ZERO], [ZERO, M[1][1]]]
            X = [[-x, ZERO], [x, ZERO]]
            Theta = Parameters[Any]([[ZERO, ZERO]], [ONE], [M], other)
        else:  # too long, and inside two balls that coincide: nothing is left to the background
            X = [[ZERO, ZERO], [x / 10, ZERO]]
            Theta = Parameters[Any]([[ZERO, ZERO]] * 2, [ONE] * 2, [other] * 2, M)
        s = None if case == "covered" else 0
        slope = objective_gradient(X, [(0, 1)], [], *Theta, alpha, HALF)
        if section.meeting_pairs(X, [(0, 1)], [], s, Theta, HALF) == []:
            found.append(
                (M, slope.background_metric if s is None else slope.local_metrics[0], alpha)
            )
    return found


@proof_of("Theorem E")
def prove_a_metric_that_no_active_pair_meets_dies_on_time(proof: Proof) -> None:
    """Theorem E: a metric that no active pair meets moves by −αβM/‖M‖_F in a step, so its norm
    falls by αβ, and after ⌈‖M‖_F/(αβ)⌉ such steps it is 0, where it stays (C2, C14).
    """
    proof.given(
        "M ≠ 0 positive semi-definite, α > 0, β > 0. A pair meets M if its hinge is active, γ > 0 "
        "and n_M(d) > 0."
    )
    slopes = unmet_slopes()
    proof.by_sympy(
        "The slope of g in M is αM/‖M‖_F alone, in the plane, for a pair that is active and passes "
        "the ball by, is "
        "active and touches it from aside, crosses it and is not active, is active and crosses it "
        "where n_M(d) = 0 (C14), and, "
        "for M(B), is active inside balls that leave γ_b = 0.",
        len(slopes) == 5,
        *(
            vanishes(slope_entry - alpha * entry / frobenius_norm(M))
            for M, slope, alpha in slopes
            for entry, slope_entry in zip(entries(M), entries(slope), strict=True)
        ),
        formal="unmet_local_gradient",
    )
    sample = Sample()
    M = sample.metric("m", [[2, 1], [1, 3]])
    alpha = sample.number("α", TENTH)
    beta = sample.number("β", 1)
    norm = frobenius_norm(M)
    slope = shrinkage(M, alpha)
    after = [moved(row, slope_row, beta) for row, slope_row in zip(M, slope, strict=True)]
    proof.by_sympy(
        "So a step without projection gives (1 − αβ/‖M‖_F) M, of squared norm (‖M‖_F − αβ)²; "
        "`shrunk_metric` is the same.",
        *(
            vanishes(new - (1 - alpha * beta / norm) * old)
            for new, old in zip(entries(after), entries(M), strict=True)
        ),
        vanishes(
            sum(unwrapped(entry) ** 2 for entry in entries(after))
            - unwrapped(norm - alpha * beta) ** 2
        ),
        *(
            vanishes(new - foretold)
            for new, foretold in zip(
                entries(after), entries(section.shrunk_metric(M, alpha, beta)), strict=True
            )
        ),
    )
    projection_of_a_multiple(proof)
    the_shipped_step(proof)
    proof.in_words(
        "By induction: after k steps ‖M‖_F is max(‖M‖_F − kαβ, 0), in the same direction. The "
        "least k that makes it 0 "
        "is ⌈‖M‖_F/(αβ)⌉.",
        formal="regions_die",
    )
    dead_stays_dead(proof)
    proof.therefore(
        "Without active pairs that meet it a metric dies after exactly ⌈‖M‖_F/(αβ)⌉ steps, and for "
        "good."
    )


def projection_of_a_multiple(proof: Proof) -> None:
    """Choice C2 on c M, for c > 0 and for c < 0, with the eigenvectors turned by any angle."""
    sample = Sample()
    t = sample.number("t", HALF)
    c = sample.number("c", 2)
    values = [sample.number("λ_1", 3), sample.number("λ_2", 5)]
    cosine = (1 - t * t) / (1 + t * t)
    sine = 2 * t / (1 + t * t)
    vectors = [[cosine, -sine], [sine, cosine]]
    M = [
        [sum(values[k] * vectors[f][k] * vectors[g][k] for k in range(2)) for g in range(2)]
        for f in range(2)
    ]
    kept = clipped_spectrum([c * value for value in values], vectors)
    lost = clipped_spectrum([-c * value for value in values], vectors)
    proof.by_sympy(
        "The projection (C2) leaves cM as it is for c > 0, so it changes nothing while ‖M‖_F > αβ; "
        "for c < 0 it gives "
        "0, which is the last step, where ‖M‖_F < αβ.",
        *(vanishes(new - c * old) for new, old in zip(entries(kept), entries(M), strict=True)),
        *(vanishes(entry) for entry in entries(lost)),
        formal="nearest_to_a_multiple",
    )
    proof.by_floats(
        "The whole projection: [[3, 2], [2, 8]] less 1/3 of itself is left as it is, less 4/3 of "
        "itself becomes 0.",
        descended_metric([[3.0, 2.0], [2.0, 8.0]], [[3.0, 2.0], [2.0, 8.0]], 1 / 3)[1][1]
        == 8 - 8 / 3,
        descended_metric([[3.0, 2.0], [2.0, 8.0]], [[3.0, 2.0], [2.0, 8.0]], 4 / 3)
        == [[0, 0], [0, 0]],
    )


def the_shipped_step(proof: Proof) -> None:
    """`descent_step` itself, step by step, in fractions, to the death and beyond."""
    X = [[ZERO, ZERO], [Fraction(1, 9), ZERO]]
    pairs = [(0, 1)]
    checks, counts = [], []
    for beta in (
        Fraction(9),
        Fraction(30),
        Fraction(45),
        Fraction(50),
        Fraction(90),
        Fraction(200),
    ):
        Theta = Parameters[Any]([[ZERO, ZERO]], [ONE], [M9], I2)
        last = section.steps_to_death(M9, TENTH, beta)
        counts.append(last)
        for step in range(1, last + 3):
            alive = frobenius_norm(Theta.local_metrics[0]) > 0
            checks.append(alive is (step <= last))
            Theta = descent_step(X, pairs, [], *Theta, TENTH, HALF, beta)
            checks.append(Theta.local_metrics[0] == section.shrunk_metric(M9, TENTH, beta, step))
    proof.by_numbers(
        "The shipped step in fractions: M = [[3, 2], [2, 8]] has the norm 9; at α = 1/10 and β = "
        "9, 30, 45, 50, 90, "
        "200 it dies after 10, 3, 2, 2, 1, 1 steps, neither earlier nor later, and is cM all the "
        "way.",
        counts == [10, 3, 2, 2, 1, 1],
        *checks,
    )
    identity = [[[int(f == g) for g in range(F)] for f in range(F)] for F in (1, 6, 30)]
    proof.by_numbers(
        "From the identity at α = 1/10 and β = 1: 10 steps for F = 1, 25 for F = 6, 55 for F = 30, "
        "since 24² < 600 ≤ "
        "25² and 54² < 3000 ≤ 55².",
        [section.steps_to_death(M, TENTH, ONE) for M in identity] == [10, 25, 55],
    )


def dead_stays_dead(proof: Proof) -> None:
    """Choice C14: where a length or a norm is 0 its gradient is 0."""
    Theta = Parameters[Any]([[ZERO]], [ONE], [[[ZERO]]], I1)
    X = [[Fraction(-2)], [Fraction(2)]]
    pairs = [(0, 1)]
    slope = objective_gradient(X, pairs, [], *Theta, TENTH, HALF)
    after = descent_step(X, pairs, [], *Theta, TENTH, HALF, ONE)
    proof.by_numbers(
        "M = 0 stays, although an active pair crosses its ball: every length under it is 0, so "
        "nobody meets it (C14). "
        "Here [−1, 1] on the segment from −2 to 2; its radius moves, M(A) does not.",
        intersection_ratio(X[0], X[1], [ZERO], ONE) == HALF,
        section.meeting_pairs(X, pairs, [], 0, Theta, HALF) == [],
        section.meeting_pairs(X, pairs, [], None, Theta, HALF) == [(0, 1)],
        slope.local_metrics[0] == [[0]],
        slope.radii[0] != 0,
        after.local_metrics[0] == [[0]],
        formal="regions_die",
    )


@proof_of("Theorem E", "Table 3")
def prove_a_ball_out_of_reach_stays_there(proof: Proof) -> None:
    """Theorem E, Table 3: a ball that no training pair crosses, or touches with an end, feels no
    pair; so it never moves, and its metric dies on time. A ball of radius 0 is such a ball.
    """
    proof.given(
        "The pairs are fixed (C5). λ_u < λ_v are the coefficients at which a pair's line meets the "
        "sphere."
    )
    grid = [Fraction(n, 4) for n in range(-4, 9)]
    checks = []
    for lambda_u, lambda_v in product(grid, grid):
        if lambda_u < lambda_v:
            x_i, x_j, center, radius = ball_with_roots(lambda_u, lambda_v)
            is_out = lambda_v < 0 or lambda_u > 1
            by_center, by_radius = ratio_gradient(x_i, x_j, center, radius)
            still = by_radius == 0 and all(entry == 0 for entry in by_center)
            checks.append(section.is_out_of_reach([x_i, x_j], [(0, 1)], center, radius) is is_out)
            checks.append(
                not is_out or (still and intersection_ratio(x_i, x_j, center, radius) == 0)
            )
            checks.append(is_out or not still or (lambda_u < 0 and lambda_v > 1))
    proof.by_numbers(
        f"All rows of Table 2 in which the line crosses the ball, {len(checks) // 3} pairs of "
        "roots in quarters from "
        "−1 to 2: out of reach exactly when λ_v < 0 or λ_u > 1, and then γ and both its slopes are "
        "0. In all others a "
        "slope is not 0, but for the segment that lies inside.",
        *checks,
    )
    space = Space()
    x_i, x_j, o = any_triple(space)
    offset = offset_from_center(x_i, x_j, o)
    proof.by_sympy(
        "Radius 0: r² − h² = −h² ≤ 0 in every dimension, h the distance of the center from the "
        "line; so the ball is "
        "missed or touched, rows 1 and 2, where γ and its slopes are 0.",
        vanishes(squared_half_chord(x_i, x_j, o, 0) + dot(offset, offset)),
    )
    places = [[Fraction(n)] for n in range(-1, 4)]
    proof.by_numbers(
        "The code agrees on the line, center before, at, on and beyond the ends of the segment "
        "from 0 to 2; two pairs "
        "count only if both are out of reach.",
        *(
            section.is_out_of_reach([[ZERO], [Fraction(2)]], [(0, 1)], place, ZERO)
            for place in places
        ),
        not section.is_out_of_reach(
            [[ZERO], [Fraction(2)], [Fraction(9)]], [(0, 1), (1, 2)], [ONE], HALF
        ),
    )
    proof.in_words(
        "By dD/do_s and dD/dr_s (a multiple of the slopes of γ) and dD/dM(A_s) (a multiple of γ) "
        "no pair, active or "
        "not, moves center, radius or metric; only the penalty does. So after the step the ball is "
        "where it was, out "
        "of reach of the same pairs, and the argument repeats until the metric is 0."
    )
    proof.therefore(
        "Once a ball is out of reach the step of its death is certain, whatever the other "
        "parameters do: ⌈‖M‖_F/(αβ)⌉ from "
        "there."
    )
