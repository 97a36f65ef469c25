"""Section 5.1, proved: the slacks, the objective g as the solution of (12) in the slacks, and that
it is not convex.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from lmlir import objective as section
from lmlir.distance import distance
from lmlir.ledger import witnesses
from lmlir.scalars import frobenius_norm
from proofs.steps import Proof, proof_of
from proofs.symbols import Sample, unwrapped, vanishes

ZERO = Fraction(0)
ONE = Fraction(1)


@proof_of("Equation (12)", "Section 5.2, objective g")
def prove_the_objective_solves_the_constraints(proof: Proof) -> None:
    """Equation (12) and Section 5.2, objective g (E1, E11): for given Θ the best slacks are the
    hinges, so g is (12) without its constraints; with the printed + ξ_mn that is false.
    """
    proof.given(
        "D and C symbols. (12) is increasing in every ξ, so the best ξ is the smallest feasible "
        "one."
    )
    for value, active in ((2, True), (Fraction(1, 4), False)):
        sample = Sample()
        D = sample.number("D", value)
        C = sample.number("C", Fraction(1, 2))
        slack = section.similar_slack(D, C)
        proof.by_sympy(
            f"Similar, D {'>' if active else '<'} 1 − C: ξ_ij = {'D − (1 − C)' if active else '0'} "
            "is the smallest ξ "
            "≥ 0 with D ≤ 1 − C + ξ.",
            vanishes(unwrapped(slack) - (unwrapped(D - (1 - C)) if active else 0)),
        )
        D = sample.number("D", Fraction(1, 4) if active else 2)
        slack = section.dissimilar_slack(D, C)
        proof.by_sympy(
            f"Dissimilar, D {'<' if active else '>'} 1 + C: ξ_mn = "
            f"{'1 + C − D' if active else '0'} is the smallest "
            "ξ ≥ 0 with D ≥ 1 + C − ξ.",
            vanishes(unwrapped(slack) - (unwrapped(1 + C - D) if active else 0)),
        )
    sample = Sample()
    X = [sample.vector("x", [0]), sample.vector("y", [3]), sample.vector("z", [1])]
    M = sample.metric("B", [[1]])
    alpha = sample.number("α", 1)
    C = sample.number("C", Fraction(1, 2))
    similar = [(0, 1)]
    dissimilar = [(0, 2), (2, 1)]
    g = section.objective(X, similar, dissimilar, [], [], [], M, alpha, C)
    D_of = {pair: distance(X[pair[0]], X[pair[1]], [], [], [], M) for pair in similar + dissimilar}
    expected = (
        (D_of[0, 1] - (1 - C)) / 1 + ((1 + C - D_of[0, 2]) + 0) / 2 + alpha * frobenius_norm(M)
    )
    proof.by_sympy(
        "g = (1/N_1) Σ [D − (1 − C)]_+ + (1/N_2) Σ [1 + C − D]_+ + α Σ ‖M‖_F, averages over the "
        "pairs (printed "
        "without the sums, E11): one similar and two dissimilar pairs of the line, of which one is "
        "far enough apart.",
        vanishes(g - expected),
    )
    A = sample.metric("A", [[4]])
    proof.by_sympy(
        "The penalty is α(‖M(B)‖_F + Σ‖M(A_s)‖_F).",
        vanishes(section.penalty([A], M, alpha) - alpha * (frobenius_norm(A) + frobenius_norm(M))),
        vanishes(
            section.constrained_objective([C], [C, 3 * C], [A], M, alpha)
            - 3 * C
            - alpha * (frobenius_norm(A) + frobenius_norm(M))
        ),
    )
    proof.by_numbers(
        "Without pairs of a kind their average is 0.",
        section.objective([[ZERO], [ONE]], [], [], [], [], [], [[ONE]], ONE, ONE / 2) == 1,
    )
    witness = witnesses.learning.hard_constraint()
    proof.by_numbers(f"E1: {witness.text}.", witness.refutes)
    proof.by_numbers(
        "As printed the slack of a dissimilar pair is 0 wherever there is one, on a grid of D and "
        "C.",
        *(
            section.printed_dissimilar_slack(D, C) == (0 if D >= 1 + C else None)
            for D, C in product(
                [Fraction(n, 4) for n in range(9)], [Fraction(n, 4) for n in range(3)]
            )
        ),
    )
    proof.therefore("g is the minimum of (12) over its slacks, with E1 corrected.")


@proof_of("Section 5.2, objective g", "Equation (12)", "Definition 3")
def prove_the_problem_is_not_convex_in_the_metrics(proof: Proof) -> None:
    """Section 5.2, objective g, equation (12) and the footnote of Definition 3 (E15): with plain
    lengths the similar pairs make g non-convex even for fixed balls; with squared lengths it would
    be convex.
    """
    proof.given("One segment, no region: D = √(d^T M d), and M → d^T M d is linear in M.")
    sample = Sample()
    d = sample.vector("d", (3, 4))
    M = sample.metric("m", [[1, 0], [0, 1]])
    N = sample.metric("n", [[4, 0], [0, 4]])
    t = sample.number("t", 0)
    mixed = [
        [m + t * (n - m) for m, n in zip(*rows, strict=True)] for rows in zip(M, N, strict=True)
    ]
    D = distance(d, [ZERO, ZERO], [], [], [], mixed)
    q = unwrapped(D * D)
    slope = sp.diff(q, unwrapped(t))
    curve = sp.diff(q, unwrapped(t), 2)
    proof.by_sympy("Along M + t(N − M) the squared length is linear in t.", vanishes(curve))
    second = sp.diff(unwrapped(D), unwrapped(t), 2)
    proof.by_sympy(
        "The plain length has the second derivative −(d^T(N − M)d)²/(4D³) ≤ 0: it is concave, and "
        "so is its hinge "
        "where active.",
        vanishes(second + slope**2 / (4 * unwrapped(D) ** 3)),
    )
    witness = witnesses.learning.plain_length_is_not_convex()
    proof.by_numbers(f"E15: {witness.text}.", witness.refutes)
    proof.in_words(
        "[D² − c]_+ is convex in M as the positive part of a linear function; but [c − D²]_+ is "
        "too, and both stay "
        "so with fixed γ: for fixed balls the problem with squared lengths of the pieces would be "
        "convex. The paper "
        "is right that its own problem is not."
    )
    proof.therefore("For fixed balls it is the plain distance that makes the problem non-convex.")


@proof_of("Equation (12)", "Equation (9)")
def prove_stacked_balls_are_cheaper(proof: Proof) -> None:
    """Equation (12) and equation (9): S equal balls reach the length √m inside of them at 1/S of
    the penalty of one ball.
    """
    checks = []
    sample = Sample()
    m, alpha = sample.number("m", 4), sample.number("α", 1)
    x, y = [ZERO], [ONE]
    for S in (1, 2, 3, 5):
        metrics = [[[m / (S * S)]]] * S
        inside = distance(x, y, [[ZERO]] * S, [Fraction(2)] * S, metrics, [[ZERO]])
        checks.append(vanishes(inside - m.root()))
        checks.append(vanishes(section.penalty(metrics, [[ZERO]], alpha) - alpha * m / S))
    proof.given("S balls that all contain the segment, with M(A_s) = m/S²; M(B) = 0.")
    proof.by_sympy(
        "D = S √(m/S²) = √m, and the penalty is α S m/S² = αm/S (S = 1, 2, 3, 5).", *checks
    )
    proof.in_words(
        "For any S, any metric M and any segment d within all the balls: (9) with M(A_s) = M/S² "
        "adds S lengths √(d^T "
        "M d)/S, in all √(d^T M d); the penalty adds S norms α‖M‖_F/S², in all α‖M‖_F/S.",
        formal="stacked_balls_are_cheaper",
    )
    proof.therefore(
        "The penalty does not price a scale: S stacked regions reach it at 1/S of the price of one."
    )


@proof_of("Section 5.1, neighbors", "Equation (12)")
def prove_neighbors_and_pairs(proof: Proof) -> None:
    """Section 5.1, neighbors, and the index set of equation (12): the K chosen are no farther than
    any other candidate; never x itself; every instance gives K pairs of each kind.
    """
    places = [ZERO, ONE, Fraction(2), Fraction(4), Fraction(7)]
    checks, counted = [], []
    for labels in product((0, 1), repeat=5):
        if not 2 <= sum(labels) <= 3:
            continue
        X = [[place] for place in places]
        for i in range(5):
            for K, same, chosen in (
                (1, True, section.same_class_neighbors(X, labels, i, 1)),
                (2, False, section.other_class_neighbors(X, labels, i, 2)),
            ):
                candidates = [j for j in range(5) if j != i and (labels[j] == labels[i]) is same]
                if not set(chosen) <= set(candidates):
                    checks.append(False)
                    continue
                gaps = {j: abs(places[j] - places[i]) for j in candidates}
                others = [gaps[j] for j in candidates if j not in chosen]
                checks.append(len(set(chosen)) == K)
                checks.append(all(gaps[j] <= other for j in chosen for other in others))
                checks.append([gaps[j] for j in chosen] == sorted(gaps[j] for j in chosen))
        counted.append(
            len(section.similar_pairs(X, labels, 1)) == 5
            and len(section.dissimilar_pairs(X, labels, 2)) == 10
        )
        counted.append(
            all(labels[i] == labels[j] and i != j for i, j in section.similar_pairs(X, labels, 1))
        )
        counted.append(
            all(labels[n] != labels[m] for n, m in section.dissimilar_pairs(X, labels, 2))
        )
    proof.given("Five points of the line, all 20 ways to label them with 2 or 3 in a class.")
    proof.by_numbers(
        "Every choice of K = 1 in the same and K = 2 in the other class is a set of nearest ones, "
        "nearest first.",
        *checks,
    )
    proof.by_numbers(
        "N_1 = 5·1 and N_2 = 5·2, similar pairs within a class, dissimilar ones across.", *counted
    )
    ties = [[ZERO], [ONE], [-ONE], [ONE]]
    proof.by_numbers(
        "Equal distances: the lower index first (choice C9).",
        section.nearest_indices(ties, 0, [3, 2, 1], 2) == [1, 2],
    )
    proof.therefore(
        "The pairs of (12) are as the text says; ties are settled by the order of the instances."
    )
