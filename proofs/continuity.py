"""Section 4.2: Propositions 3 and 4 proved, Lemma 1 and Corollary 1 refuted, and what holds in their place.

Throughout, n_s(u) and n_B(u) are the lengths of u under M(A_s) and M(B), s(M) is the root of M's largest eigenvalue.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy as sp

from lmlir import continuity as section
from lmlir.classifier import decision_value, sum_k_min
from lmlir.distance import approximate_background_ratio, distance, merged_intervals, weighted_lengths
from lmlir.intersection import point_on_line, stable_discriminant
from lmlir.ledger.witnesses import continuity as witnesses
from lmlir.ledger.witnesses.geometry import collapsing_set
from lmlir.regions import mahalanobis_length
from lmlir.scalars import frobenius_norm
from proofs.steps import Proof, proof_of
from proofs.symbols import Form, Sample, Space, Traced, unwrapped, vanishes

ZERO, ONE = Fraction(0), Fraction(1)


def plane_metric(scale: Any) -> list[list[Any]]:
    """A multiple of the identity of the plane, in exact numbers."""
    return [[Fraction(scale), ZERO], [ZERO, Fraction(scale)]]


def has_nonnegative_coefficients(expression: Any) -> bool:
    """Whether a polynomial is a sum of products of its symbols with coefficients >= 0, hence >= 0 for symbols >= 0."""
    expanded = sp.expand(unwrapped(expression))
    if expanded == 0:
        return True
    return all(coefficient >= 0 for coefficient in sp.Poly(expanded, *sorted(expanded.free_symbols, key=str)).coeffs())


# ------------------------------------------------------------------------------------------------- Propositions 3, 4


@proof_of("Definition 9", "Proposition 3")
def prove_lipschitz_constants_of_combinations(proof: Proof) -> None:
    """Definition 9 and Proposition 3: Lip(f ± g) ≤ L_f + L_g and Lip(af) ≤ |a| L_f."""
    proof.given(
        "Two points x ≠ y of the line that stand for any two points: only ‖x − y‖ occurs. f(x), f(y), g(x), g(y), a "
        "are symbols."
    )
    for name, sign, bound in (
        ("f + g", 1, section.sum_lipschitz_bound),
        ("f − g", -1, section.difference_lipschitz_bound),
    ):
        checks = []
        for f_x, g_x in product((-3, -1, 1, 3), (-2, 2)):  # every sign of f(x) - f(y), g(x) - g(y) and their sum
            sample = Sample()
            x, y = sample.vector("x", [5]), sample.vector("y", [1])
            fs = {5: sample.number("f(x)", f_x), 1: sample.number("f(y)", 0)}
            gs = {5: sample.number("g(x)", g_x), 1: sample.number("g(y)", 0)}
            L_f = section.lipschitz_quotient(lambda p, v=fs: v[int(p[0].value)], x, y)
            L_g = section.lipschitz_quotient(lambda p, v=gs: v[int(p[0].value)], x, y)
            both = section.lipschitz_quotient(
                lambda p, v=fs, w=gs, t=sign: v[int(p[0].value)] + t * w[int(p[0].value)], x, y
            )
            gap = bound(L_f, L_g) - both
            checks.append(any(vanishes(gap - slack) for slack in (0, 2 * L_f, 2 * L_g)))
        proof.by_sympy(
            f"L_f + L_g minus the quotient of {name} is 0, 2L_f or 2L_g, whatever the signs are: never negative.",
            *checks,
        )
    checks = []
    for a, f_x in product((-2, 2), (-3, 3)):
        sample = Sample()
        x, y, factor = sample.vector("x", [5]), sample.vector("y", [1]), sample.number("a", a)
        fs = {5: sample.number("f(x)", f_x), 1: sample.number("f(y)", 0)}
        L_f = section.lipschitz_quotient(lambda p, v=fs: v[int(p[0].value)], x, y)
        scaled = section.lipschitz_quotient(lambda p, v=fs, t=factor: t * v[int(p[0].value)], x, y)
        checks.append(vanishes(scaled - section.scaled_lipschitz_bound(factor, L_f)))
    proof.by_sympy("The quotient of af is |a| times that of f.", *checks)
    proof.in_words("The inequalities hold at every pair x ≠ y, so they hold for the suprema of Definition 9.")
    proof.therefore("Proposition 3 is right; (c) is an equality.")


@proof_of("Proposition 4", "Section 4.1, sumKmin")
def prove_the_lipschitz_constant_of_the_k_smallest(proof: Proof) -> None:
    """Proposition 4 and Section 4.1, sumKmin (E13): Lip(sumKmin) ≤ the sum of the K largest L_k, which is sharp,
    and ≤ K max L_k.
    """
    proof.given("n functions f_k with constants L_k, K ≤ n, equal values counted as often as they occur; e = ‖x − y‖.")
    grid = list(product(range(4), repeat=4))
    proof.by_numbers(
        f"sumKmin is the smallest of all sums of K elements, equal ones included: checked on {len(grid)} lists that "
        "show every order of four numbers, for every K.",
        *(
            sum_k_min(values, K) == min(sum(chosen) for chosen in combinations(values, K))
            for values in grid
            for K in range(1, 5)
        ),
    )
    proof.in_words(
        "Let T be the K indices that are smallest at y. Then sumKmin f(x) ≤ Σ_T f_k(x) ≤ Σ_T (f_k(y) + L_k e) = "
        "sumKmin f(y) + e Σ_T L_k, and Σ_T L_k is at most the sum of the K largest. Exchange x and y."
    )
    L = [Fraction(n) for n in (1, 2, 5)]
    for K in (1, 2, 3):
        bound, printed = section.sum_k_min_lipschitz_bound(L, K), section.printed_sum_k_min_bound(L, K)
        steep = sorted(L, reverse=True)[:K]

        def f(x: Any, steep: Any = steep, K: int = K) -> Any:
            return sum_k_min([L_k * x[0] for L_k in steep] + [Fraction(99)] * (3 - len(steep)), K)

        proof.by_numbers(
            f"L = (1, 2, 5), K = {K}: the bound is {bound} and is reached by f_k = L_k x for the K steepest and "
            f"constants otherwise; printed: {printed} ≥ {bound}.",
            section.lipschitz_quotient(f, [ONE], [ZERO]) == bound,
            printed >= bound,
            bound == sum(steep),
        )
    witness = collapsing_set()
    proof.by_numbers(f"E13, where D_set is a set: {witness.text}.", witness.refutes)
    proof.therefore(
        "Proposition 4 is right for multisets, with the sharp constant in place of K max L_k; for sets it is false."
    )


# ------------------------------------------------------------------------------------------------- Lemma 1, refuted


@proof_of("Lemma 1")
def prove_the_lipschitz_constant_of_one_metric(proof: Proof) -> None:
    """Lemma 1, its first step (E5): Lip(d_M(·, z)) = s(M) ≤ √‖M‖_F; the printed bound ‖M‖_F holds exactly when
    ‖M‖_F ≥ s(M).
    """
    proof.given(
        "M positive semi-definite; by the spectral theorem choose coordinates in which it is diagonal, λ_1 ≥ λ_2 ≥ "
        "... ≥ 0."
    )
    proof.in_words("d_M is a seminorm of x − z (proved in regions), so |d_M(x, z) − d_M(y, z)| ≤ d_M(x, y).")
    for F, values in ((2, (4, 1)), (3, (9, 4, 1))):
        sample = Sample()
        eigenvalues, u = (
            [sample.number(f"λ_{f + 1}", value) for f, value in enumerate(values)],
            sample.vector("u", [1] * F),
        )
        M = [[eigenvalues[f] if f == g else ZERO for g in range(F)] for f in range(F)]
        zero = [ZERO] * F
        s = section.spectral_scale(M)
        length = u[0] * u[0] + sum(x * x for x in u[1:])
        gap = s * s * length - square_of_length(u, zero, M)
        expected = sum((eigenvalues[0] - eigenvalues[f]) * u[f] * u[f] for f in range(F))
        first = [ONE if f == 0 else ZERO for f in range(F)]
        proof.by_sympy(
            f"Dimension {F}: s(M)²‖u‖² − u^T M u = Σ (λ_1 − λ_f) u_f² ≥ 0, and it is 0 for the first axis: Lip(d_M) "
            "= s(M) = √λ_1. Also ‖M‖_F² − s(M)⁴ = λ_2² + ... ≥ 0.",
            vanishes(gap - expected),
            vanishes(section.lipschitz_quotient(lambda x, M=M, z=zero: mahalanobis_length(x, z, M), first, zero) - s),
            vanishes(
                sum(entry * entry for row in M for entry in row) - s * s * s * s - sum(e * e for e in eigenvalues[1:])
            ),
        )
    sample = Sample()
    m = sample.number("m", Fraction(1, 16))
    for F in (1, 4):
        M = [[m if f == g else ZERO for g in range(F)] for f in range(F)]
        norm, s = frobenius_norm(M), section.spectral_scale(M)
        proof.by_sympy(
            f"M = mI in dimension {F}: ‖M‖_F = {'m' if F == 1 else '2m'} and s(M) = √m, so the printed step fails "
            f"exactly for 0 < m < {Fraction(1, F)}.",
            vanishes(norm * norm - F * m * m),
            vanishes(s * s - m),
        )
    witness = witnesses.small_metric()
    proof.by_numbers(f"E5: {witness.text}.", witness.refutes)
    proof.therefore(
        "The Lipschitz constant of a Mahalanobis distance is √λ_max. ‖M‖_F bounds it only when ‖M‖_F ≥ √λ_max."
    )


def square_of_length(x: Any, y: Any, M: Any) -> Any:
    """The square of the shipped Mahalanobis length."""
    length = mahalanobis_length(x, y, M)
    return length * length


def tangent_family() -> tuple[Any, ...]:
    """The points of witnesses.TangentFamily for a symbol k: zx touches the ball of radius k² + 1, zy cuts it."""
    k = Sample().number("k", 10)
    radius, z, y = k * k + 1, [-1 * (k * k + 1), k * k - 1], [2 * k, k * k - 1]
    e = 2 * k * k * (y[0] - z[0]) / (k * k * k * k - 1)
    return k, radius, [y[0], y[1] + e], y, z, e


def shown(number: Any) -> str:
    """A factored expression without stars."""
    text = str(sp.factor(unwrapped(number)))
    for power, sign in (("**2", "²"), ("**3", "³"), ("**4", "⁴"), ("*", ""), ("-", "−")):
        text = text.replace(power, sign)
    return text


def limit(number: Any, k: Traced) -> Any:
    """The limit as k grows."""
    return sp.limit(sp.factor(unwrapped(number)), k.expression, sp.oo)


@proof_of("Lemma 1", "Equation (9)", "Equation (10)")
def prove_neither_distance_nor_classifier_is_lipschitz(proof: Proof) -> None:
    """Lemma 1 (E6): with equation (9) neither D(·, z) nor f of equation (10) is Lipschitz: near a tangent their
    quotients grow without bound.
    """
    k, radius, x, y, z, e = tangent_family()
    o = [ZERO, ZERO]
    proof.given(
        "o = 0, r = k² + 1, z = (−k² − 1, k² − 1), y = (2k, k² − 1), x = y + (0, e) with e = 2k²(k + 1)/((k − 1)(k² "
        "+ 1)).",
        "M(A) = 4I, M(B) = I. Divided by r this is the unit ball and points that stay in a bounded set; quotients "
        "do not change.",
    )
    Theta = ([o], [radius], [plane_metric(4)], plane_metric(1))
    D_x, D_y = distance(x, z, *Theta), distance(y, z, *Theta)
    proof.by_sympy(
        "The line zx touches the ball for every k (Δ = 0), the line zy has the height k² − 1 and cuts a chord of "
        "length 4k.",
        vanishes(stable_discriminant(z, x, o, radius)),
        vanishes(D_y - (y[0] - z[0]) - 4 * k),
    )
    quotient = section.lipschitz_quotient(lambda p: distance(p, z, *Theta), x, y)
    bound = section.printed_distance_lipschitz_bound(*Theta[2:])
    proof.by_sympy(
        f"D(x, z) = {shown(D_x)}, D(y, z) = {shown(D_y)}; their quotient {shown(quotient)} → ∞ as k → ∞, while e → "
        f"2, e/r → 0 and the printed bound stays {bound:.2f}.",
        limit(quotient, k) == sp.oo,
        limit(e, k) == 2,
        limit(e / radius, k) == 0,
        limit(quotient / k, k) == 2,
    )
    above = [2 * k, 3 * k * k]
    of_f = section.lipschitz_quotient(lambda p: decision_value(p, [z], [above], 1, *Theta), x, y)
    proof.by_sympy(
        "The classifier with X⁻ = {z}, X⁺ = {(2k, 3k²)}, K = 1: its quotient is that of D minus 1, and tends to ∞ "
        "as well.",
        vanishes(of_f - quotient + 1),
        limit(of_f, k) == sp.oo,
    )
    for witness in (witnesses.not_lipschitz(), witnesses.classifier_not_lipschitz()):
        proof.by_numbers(f"E6: {witness.text}.", witness.refutes)
    proof.in_words(
        "The step that fails is 'D ≤ Σ D_M, hence Lip(D) ≤ Σ Lip(D_M)': a bound on values is none on slopes. It "
        "fails in every dimension ≥ 2 for one ball with r > 0 and M(A) ≠ M(B): then n_A(u) ≠ n_B(u) for some "
        "direction u. Take the line with direction u that touches the ball, z on it before the ball and x behind "
        "it. Moving x by e towards the center's side makes a chord of length of order √(re), which changes D by "
        "|n_A(u) − n_B(u)| times that, while all else moves by O(e)."
    )
    proof.therefore(
        "Lemma 1 is false, and no constant repairs it: D and f move by the order of √e where Lemma 1 says e."
    )


@proof_of("Lemma 1", "Section 3.2, gamma_b")
def prove_the_approximate_background_breaks_the_lemma_on_the_line(proof: Proof) -> None:
    """Lemma 1 and Section 3.2, gamma_b (E7): on the line, with the approximate γ_b, D can fall with slope −2
    s(M(B)), f change with −4.
    """
    sample = Sample()
    x, zero, far = sample.vector("x", [10]), [ZERO], [Fraction(100)]
    Theta = witnesses.three_stacked_balls()
    proof.given("Three balls [9, 11], M(A_s) = 0, M(B) = 1; x between 9 and 11.")
    D = distance(x, zero, *Theta)
    proof.by_sympy(
        "D(x, 0) = 27 − 2x: each ball takes its share from the background, three times over.",
        vanishes(D - 27 + 2 * x[0]),
    )
    f = decision_value(x, [zero], [far], 1, *Theta)
    proof.by_sympy(
        "f(x) with X⁻ = {0}, X⁺ = {100}, K = 1 has slope −4.", vanishes(sp.diff(f.expression, x[0].expression) + 4)
    )
    scales = section.spectral_scale(Theta.background_metric) + sum(map(section.spectral_scale, Theta.local_metrics))
    proof.by_numbers(
        "Lemma 1 allows 1 for D and 2 for f, as printed and with the square roots of E5.",
        scales == 1,
        section.printed_distance_lipschitz_bound(Theta.local_metrics, Theta.background_metric) == 1,
        section.printed_lipschitz_bound(Theta.local_metrics, Theta.background_metric) == 2,
    )
    exact = distance(x, zero, *Theta, exact=True)
    proof.by_sympy("With the exact γ_b D(x, 0) = 9: there is no slope at all.", vanishes(unwrapped(exact) - 9))
    witness = witnesses.stacked_balls()
    proof.by_numbers(f"E7: {witness.text}.", witness.refutes)
    proof.in_words(
        "On the line with the exact γ_b, D(x, z) is the integral from z to x of the cost of a point: s(M(B)) "
        "outside of all balls, Σ s(M(A_s)) over the balls that contain it. So there Lip(D) is the largest cost, and "
        "Lemma 1 with square roots holds."
    )
    proof.therefore("Lemma 1 with square roots is true on the line for the exact γ_b, false for the approximate one.")


# ------------------------------------------------------------------------------------- the theorem in its place


@proof_of("Lemma 1")
def prove_the_longest_piece_of_a_line_in_a_shell(proof: Proof) -> None:
    """Lemma 1, replaced, step 1: of a line, at most τ(e) = 2√(r² − max(r − e, 0)²) ≤ 2√(2re) lies between the
    spheres of radius r − e and r.
    """
    proof.given(
        "A line at distance h ≤ r from the center; its part with r − e < ‖p − o‖ ≤ r has length `shell_piece(r, e, h)`."
    )
    sample = Sample()
    r, e, h = sample.number("r", 25), sample.number("e", 5), sample.number("h", 7)
    piece = section.shell_piece(r, e, h)
    outer, inner = (
        sp.sqrt(r.expression**2 - h.expression**2),
        sp.sqrt((r.expression - e.expression) ** 2 - h.expression**2),
    )
    proof.by_sympy(
        "h < r − e: the piece is 2(√(r² − h²) − √((r − e)² − h²)), and its derivative by h is 2h(1/√((r − e)² − h²) "
        "− 1/√(r² − h²)), positive because the first root is the smaller one: it grows with h up to h = r − e.",
        vanishes((piece.expression - 2 * outer + 2 * inner).subs(same_roots(sample))),
        vanishes(
            (sp.diff(piece.expression, h.expression) - 2 * h.expression * (1 / inner - 1 / outer)).subs(
                same_roots(sample)
            )
        ),
        vanishes(r * r - (r - e) * (r - e) - e * (2 * r - e)),
    )
    sample = Sample()
    r, e, h = sample.number("r", 25), sample.number("e", 5), sample.number("h", 24)
    piece, chord = section.shell_piece(r, e, h), section.shell_chord(r, e)
    proof.by_sympy(
        "h ≥ r − e: the line stays outside of the inner sphere; τ² − piece² = 4(h² − (r − e)²) ≥ 0, so the piece "
        "shrinks with h.",
        vanishes(chord * chord - piece * piece - 4 * (h * h - (r - e) * (r - e))),
    )
    proof.by_sympy(
        "At h = r − e the piece is τ(e): that is the maximum.", vanishes(section.shell_piece(r, e, r - e) - chord)
    )
    proof.by_sympy("τ² = 4e(2r − e) ≤ 8re.", vanishes(chord * chord - 4 * e * (2 * r - e)))
    sample = Sample()
    r, e, h = sample.number("r", 5), sample.number("e", 6), sample.number("h", 3)
    piece, chord = section.shell_piece(r, e, h), section.shell_chord(r, e)
    proof.by_sympy(
        "e ≥ r: the shell is the whole ball; the piece is 2√(r² − h²), and τ² − piece² = 4h² ≥ 0 with τ = 2r.",
        vanishes(chord - 2 * r),
        vanishes(chord * chord - piece * piece - 4 * h * h),
    )
    proof.therefore(
        "No line has more than τ(e) in the shell of thickness e; a line at distance r − e has exactly that."
    )


def same_roots(sample: Sample) -> dict[Any, Any]:
    """Writes the roots of products as products of roots, as the traced numbers have them."""
    r, e, h = (sp.Symbol(name, real=True) for name in "reh")
    split = {}
    for radius in (r, r - e):
        product_of_roots = sp.sqrt(sample.positive(sp.factor(radius + h))) * sp.sqrt(
            sample.positive(sp.factor(radius - h))
        )
        split[sp.sqrt(radius**2 - h**2)] = product_of_roots
    return split


@proof_of("Lemma 1", "Section 3.2, gamma_b")
def prove_the_modulus_of_continuity(proof: Proof) -> None:
    """Lemma 1, replaced, and Section 3.2, gamma_b: |D(x, z) − D(y, z)| ≤ Λe + Σ κ_s τ_s(e) for ‖x − y‖ = e, for
    both kinds of γ_b.
    """
    proof.given(
        "u = x − z, w = y − z, and T_s(x) = {t ∈ [0, 1]: z + tu ∈ A_s}, an interval of length γ_s(x); the same for y.",
        "κ_s = max(s(M(A_s)), s(M(B))), Λ = max(s(M(B)), the sum of s(M(A_s)) over balls with a common point).",
        "ℓ = ‖u‖ ≤ ‖w‖: call x the end of the shorter segment. If ℓ = 0 then D(x, z) = 0, and the second bracket "
        "below, with u = 0, is all that is needed.",
    )
    space = Space()
    z, x, y, t = space.vector("z"), space.vector("x"), space.vector("y"), sp.Symbol("t", real=True)
    gap = point_on_line([z], [x], t)[0] - point_on_line([z], [y], t)[0]
    proof.by_sympy(
        "Points with equal t are at most e apart: ‖(z + tu) − (z + tw)‖² = t²‖x − y‖² ≤ e².",
        vanishes(gap * gap - t**2 * ((x - y) * (x - y))),
    )
    proof.in_words(
        "Let P = T_s(x) \\ T_s(y) and Q = T_s(y) \\ T_s(x). For t in P the point z + tu is in the ball and z + tw, "
        "within e of it, is not: so z + tu lies in the shell of thickness e, and |P| ‖u‖ ≤ τ_s(e) by the longest "
        "piece of a line in a shell. In the same way |Q| ‖w‖ ≤ τ_s(e), and since ℓ = ‖u‖ ≤ ‖w‖, both |P| ℓ ≤ τ_s(e) "
        "and |Q| ℓ ≤ τ_s(e). Comparing at the shorter segment is what makes the division by its length harmless. "
        "Where z lies plays no part: inside of a ball or not."
    )
    proof.in_words(
        "Write Φ(T; u) = γ_b n_B(u) + Σ |T_s| n_s(u). Then D(x, z) − D(y, z) = [Φ(T(x); u) − Φ(T(y); u)] + [Φ(T(y); "
        "u) − Φ(T(y); w)]. In the first bracket exchange T_s(x) for T_s(y) one region after the other."
    )
    exchange_with_approximate_background(proof)
    exchange_with_exact_background(proof)
    proof.in_words(
        "With n_s(u) ≤ s(M(A_s)) ℓ and n_B(u) ≤ s(M(B)) ℓ each exchange costs at most κ_s ℓ max(|P|, |Q|) ≤ κ_s τ_s(e)."
    )
    second_bracket(proof)
    disjoint = section.modulus_of_continuity
    Theta = ([[ZERO], [ONE], [Fraction(9)]], [ONE] * 3, [[[Fraction(4)]], [[Fraction(9)]], [[Fraction(16)]]], [[ONE]])
    proof.by_numbers(
        "The code's Λ: balls [−1, 1], [0, 2] and [8, 10] with s = 2, 3, 4 and s(M(B)) = 1 give Λ = max(1, 2 + 3, 4) "
        "= 5, and κ τ summed is (2 + 3 + 4)·2 for e ≥ 1; in all 5e + 18.",
        section.overlapping_scale(*Theta[:3]) == 5,
        disjoint(Fraction(2), *Theta) == 5 * 2 + 18,
    )
    proof.therefore(
        "|D(x, z) − D(y, z)| ≤ Λe + Σ κ_s τ_s(e). For the approximate γ_b, κ_s = max(s(M(A_s)), sup_u |n_s(u) − "
        "n_B(u)|) is enough."
    )


def exchange_with_approximate_background(proof: Proof) -> None:
    """The first bracket of the theorem, when gamma_b = max(1 - sum gamma, 0)."""
    checks = []
    for total in (Fraction(1, 2), Fraction(5, 4)):
        sample = Sample()
        gamma, rest = sample.number("γ_s", Fraction(1, 4)), sample.number("ρ", total - Fraction(1, 4))
        n_s, n_t, n_B = (sample.number(name, 1) for name in ("n_s", "n_t", "n_B"))
        Phi = weighted_lengths(approximate_background_ratio([gamma, rest]), [gamma, rest], n_B, [n_s, n_t])
        visible = 1 if total < 1 else 0
        checks.append(vanishes(sp.diff(Phi.expression, gamma.expression) - unwrapped(n_s - visible * n_B)))
    proof.by_sympy(
        "Approximate γ_b: Φ is continuous and piecewise linear in γ_s, with slope n_s − n_B where Σγ < 1 and n_s "
        "where Σγ > 1; so |ΔΦ| ≤ max(n_s, |n_s − n_B|) ||P| − |Q|| ≤ max(n_s, n_B) max(|P|, |Q|).",
        *checks,
    )


def exchange_with_exact_background(proof: Proof) -> None:
    """The first bracket of the theorem, when gamma_b is 1 minus the measure of the union."""
    a, b, c, d = sp.symbols("a b c d", nonnegative=True)
    checks = []
    for n_s, n_B in ((c + d, c), (c, c + d)):
        for p, q in ((a + b, a), (a, a + b)):
            for p_free, q_free in product((0, p), (0, q)):
                change = n_s * (p - q) - n_B * (p_free - q_free)
                bound = (c + d) * (a + b)
                checks += [has_nonnegative_coefficients(bound - change), has_nonnegative_coefficients(bound + change)]
    proof.by_sympy(
        "Exact γ_b: let R be what the other regions cover. Φ changes by n_s(|P| − |Q|) − n_B(|P \\ R| − |Q \\ R|), "
        "linear in the two free parts 0 ≤ |P \\ R| ≤ |P| and 0 ≤ |Q \\ R| ≤ |Q|, so its extremes sit at their ends: "
        "in each of the 16 cases max(n_s, n_B) max(|P|, |Q|) ± change is a polynomial with coefficients ≥ 0. P and "
        "Q together cost no more than one of them.",
        *checks,
    )
    intervals = list(combinations(range(6), 2))
    checks = []
    for before, after, other in product(intervals, repeat=3):
        p, q = before[1] - before[0] - common(before, after), after[1] - after[0] - common(before, after)
        covered = length([before, other]) - length([after, other])
        for n_s, n_B in ((3, 1), (1, 3)):
            checks.append(abs(n_s * (p - q) - n_B * covered) <= max(n_s, n_B) * max(p, q))
    proof.by_numbers(
        "The same with the code's own union of intervals: T_s(x), T_s(y) and R with ends at six places, which show "
        f"every order of their ends, and two pairs of lengths: {len(checks)} cases.",
        *checks,
    )


def length(intervals: Any) -> Any:
    """The measure of a union of intervals, by the shipped function."""
    return sum(end - start for start, end in merged_intervals(intervals))


def common(first: Any, second: Any) -> Any:
    """The length that two intervals share."""
    return max(min(first[1], second[1]) - max(first[0], second[0]), 0)


def second_bracket(proof: Proof) -> None:
    """With the parts held fixed, moving the end point costs Lambda e."""
    proof.in_words(
        "Second bracket: |n(u) − n(w)| ≤ n(u − w) ≤ s(M) e for each metric, so it is at most e (γ_b s(M(B)) + Σ "
        "|T_s| s(M(A_s))). With the exact γ_b this is e times the integral over t of the cost of the point at t: "
        "s(M(B)) if no ball contains it, else the sum of s(M(A_s)) over those that do; never more than Λ. The "
        "approximate γ_b is never larger than the exact one (proved in distance)."
    )
    checks = []
    for S in (1, 2, 3):
        scales = sp.symbols(f"s_1:{S + 1}", nonnegative=True)
        for corner in product((0, 1), repeat=S):
            share = weighted_lengths(
                approximate_background_ratio(corner), corner, sp.Symbol("s_B", nonnegative=True), scales
            )
            bound = sum(scales) if any(corner) else sp.Symbol("s_B", nonnegative=True)
            checks.append(has_nonnegative_coefficients(bound - share))
    proof.by_sympy(
        "Another way for the approximate γ_b: max(1 − Σγ, 0) s(M(B)) + Σ γ_s s(M(A_s)) is convex in γ, so on the "
        "cube [0, 1]^S it is largest at a corner: s(M(B)) at 0, a sum of some s(M(A_s)) elsewhere (all corners for "
        "S = 1, 2, 3).",
        *checks,
    )


@proof_of("Lemma 1", "Proposition 2")
def prove_the_modulus_for_disjoint_balls(proof: Proof) -> None:
    """Lemma 1, replaced, for disjoint balls as in Proposition 2: κ_s = sup_u |n_s(u) − n_B(u)| over unit u and Λ =
    max of all s(M).
    """
    proof.given(
        "Disjoint balls, so γ_b = 1 − Σγ on every segment (Proposition 2); notation as for the general theorem."
    )
    sample = Sample()
    gamma = [sample.number(f"γ_{s}", Fraction(1, 4)) for s in (1, 2)]
    other = [sample.number(f"γ'_{s}", Fraction(1, 8)) for s in (1, 2)]
    n, n_B = [sample.number(f"n_{s}", 1) for s in (1, 2)], sample.number("n_B", 2)
    first = weighted_lengths(1 - sum(gamma), gamma, n_B, n) - weighted_lengths(1 - sum(other), other, n_B, n)
    proof.by_sympy(
        "First bracket: Φ(T(x); u) − Φ(T(y); u) = Σ (γ_s(x) − γ_s(y)) (n_s(u) − n_B(u)).",
        vanishes(first - sum((g - h) * (n_s - n_B) for g, h, n_s in zip(gamma, other, n, strict=True))),
    )
    proof.in_words(
        "|γ_s(x) − γ_s(y)| = ||P| − |Q|| ≤ max(|P|, |Q|) ≤ τ_s(e)/ℓ and |n_s(u) − n_B(u)| ≤ κ_s ℓ: at most κ_s "
        "τ_s(e) for each region. Second bracket: the weights γ_b and γ_s are ≥ 0 and sum to 1, so it costs at most "
        "e times the largest s(M)."
    )
    sample = Sample()
    diagonal = [
        [sample.number(f"{name}_{f}", value) for f, value in ((1, v), (2, w))]
        for name, v, w in (("a", 4, 9), ("b", 1, 1))
    ]
    M, N = ([[row[0], ZERO], [ZERO, row[1]]] for row in diagonal)
    difference = section.scale_difference(M, N)
    lagrange = Sample()
    p, q = lagrange.vector("p", (1, 2)), lagrange.vector("q", (3, 1))
    proof.by_sympy(
        "The code's κ_s = ‖M(A_s)^(1/2) − M(B)^(1/2)‖: for diagonal metrics the largest |√a_f − √b_f|, reached on "
        "an axis; in general |‖Pu‖ − ‖Qu‖| ≤ ‖(P − Q)u‖, since (‖p‖‖q‖)² − (p·q)² is a square.",
        vanishes(
            difference * difference
            - (exact(diagonal[0][1]) - exact(diagonal[1][1])) * (exact(diagonal[0][1]) - exact(diagonal[1][1]))
        ),
        vanishes(
            (p[0] * p[0] + p[1] * p[1]) * (q[0] * q[0] + q[1] * q[1])
            - (p[0] * q[0] + p[1] * q[1]) * (p[0] * q[0] + p[1] * q[1])
            - (p[0] * q[1] - p[1] * q[0]) * (p[0] * q[1] - p[1] * q[0])
        ),
    )
    far = ([[ZERO, ZERO], [Fraction(9), ZERO]], [ONE, ONE], [plane_metric(4), plane_metric(9)], plane_metric(1))
    proof.by_numbers(
        "Two unit balls with s = 2 and 3, s(M(B)) = 1, e = 2: Λe + Σκτ = 3·2 + (1 + 2)·2 = 12; the general theorem "
        "says 3·2 + (2 + 3)·2 = 16.",
        section.modulus_of_continuity_disjoint(Fraction(2), *far) == 12,
        section.modulus_of_continuity(Fraction(2), *far) == 16,
    )
    proof.therefore(
        "For disjoint balls |D(x, z) − D(y, z)| ≤ max s(M) e + Σ κ_s τ_s(e): equal metrics leave only the first term."
    )


def exact(number: Traced) -> Traced:
    """The root of a traced number."""
    return number.root()


@proof_of("Lemma 1")
def prove_the_modulus_is_sharp(proof: Proof) -> None:
    """Lemma 1, replaced: neither the exponent 1/2 nor the constant of the modulus can be improved."""
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
    proof.in_words(
        "With S equal balls on a line that touches them all, z far enough before them and x behind the last, moving "
        "x by e makes S such chords at once (each point of the segment near the balls moves by nearly e): the sum "
        "over regions is needed as well."
    )
    proof.therefore("The exponent 1/2 and the factor κ_s of τ_s are best possible, in every dimension ≥ 2.")


def limit_of_root(number: Traced, chord: Traced, k: Traced) -> Any:
    """The limit of number / chord, through its square, which has no roots."""
    return sp.sqrt(limit(number * number / (chord * chord), k))


@proof_of("Lemma 1")
def prove_the_distance_is_lipschitz_from_inside_a_ball(proof: Proof) -> None:
    """Lemma 1, replaced, for z inside of a ball: at depth δ = r − ‖z − o‖ > 0 the chord τ(e) may be replaced by
    (2r/δ − 1)e.
    """
    proof.given(
        "z in the ball at depth δ > 0, p(u) = inf{λ > 0: z + u/λ ∈ A}, the gauge of the ball seen from z; γ(x) = "
        "min(1, 1/p(x − z))."
    )
    proof.in_words(
        "A ball is convex, so p is sublinear: p(u + v) ≤ p(u) + p(v); and p(u) ≤ ‖u‖/δ. Hence |p(u) − p(w)| ≤ e/δ. "
        "Replacing p by max(p, 1) changes neither γ nor that inequality."
    )
    p, q = sp.symbols("p q", positive=True)
    proof.by_sympy("1/p − 1/q = (q − p)/(pq).", vanishes(1 / p - 1 / q - (q - p) / (p * q)))
    proof.in_words(
        "So ℓ|γ(x) − γ(y)| ≤ (ℓ/p) (1/q) e/δ, where ℓ/p is at most the way from z to the sphere, ≤ 2r − δ, and 1/q "
        "≤ 1: at most (2r − δ)/δ times e. This takes the place of τ_s(e) in the first bracket of the theorem."
    )
    lengths = []
    for depth in (Fraction(1, 2), Fraction(1)):
        z, center = [ONE - depth, ZERO], [ZERO, ZERO]
        for e in (Fraction(1, 10), Fraction(1)):
            x, y = [Fraction(3), Fraction(4)], [Fraction(3), 4 - e]
            moved = abs(
                distance(x, z, [center], [ONE], [plane_metric(0)], plane_metric(1))
                - distance(y, z, [center], [ONE], [plane_metric(0)], plane_metric(1))
            )
            lengths.append(bool(moved <= e + (2 / depth - 1) * e))
    proof.by_floats("Tried with r = 1, δ = 1/2 and 1, e = 1/10 and 1, M(A) = 0, M(B) = I.", *lengths)
    proof.therefore(
        "With one ball D(·, z) is Lipschitz for every z strictly inside of it: E6 needs z outside, or on the sphere."
    )


@proof_of("Lemma 1", "Equation (10)")
def prove_the_modulus_of_the_classifier(proof: Proof) -> None:
    """Lemma 1, replaced, and equation (10): f moves by at most w(e), twice the modulus of D."""
    proof.given("Every D(·, x_t) has the same modulus ω(e) = Λe + Σκ_sτ_s(e).")
    proof.in_words(
        "As in Proposition 4, with ω(e) in place of L_k e: sumKmin of D_set moves by at most Kω(e), its K-th part "
        "by ω(e); f is a difference of two such means, so it moves by at most 2ω(e)."
    )
    near = ([[ZERO, ZERO], [ONE, ZERO]], [ONE, ONE], [plane_metric(4), plane_metric(9)], plane_metric(1))
    far = ([[ZERO, ZERO], [Fraction(9), ZERO]], *near[1:])
    e = Fraction(2)
    proof.by_numbers(
        "The code's w(e): twice the modulus for disjoint balls where they are disjoint, else twice that for the "
        "approximate γ_b.",
        section.decision_modulus(e, *far) == 2 * section.modulus_of_continuity_disjoint(e, *far) == 24,
        section.decision_modulus(e, *near)
        == 2 * section.modulus_of_continuity(e, *near, exact=False)
        == 2 * (5 * 2 + (2 + 3) * 2),
    )
    small = ([[ZERO, ZERO], [ONE, ZERO]], [ONE, ONE], [plane_metric(Fraction(1, 4))] * 2, plane_metric(1))
    proof.by_numbers(
        "Where M(A_s) = M(B)/4 the approximate γ_b halves κ_s: 1·e + 2·½·τ against 1·e + 2·1·τ.",
        section.modulus_of_continuity(e, *small, exact=False) == 2 + 2,
        section.modulus_of_continuity(e, *small) == 2 + 4,
    )
    family = witnesses.TangentFamily(10)
    above = [family.y[0], Fraction(300)]
    moved = abs(
        decision_value(family.x, [family.z], [above], 1, *family.Theta)
        - decision_value(family.y, [family.z], [above], 1, *family.Theta)
    )
    allowed = section.decision_modulus(family.x[1] - family.y[1], *family.Theta)
    proof.by_floats(
        f"The witness of E6 moves f by {float(moved):.1f}, within w(e) = {float(allowed):.1f}.",
        bool(moved <= allowed),
    )
    proof.therefore("|f(x) − f(y)| ≤ w(‖x − y‖) with w(e) = 2(Λe + Σκ_sτ_s(e)), which takes the place of Lemma 1.")


# ------------------------------------------------------------------------------------------------------ Corollary 1


@proof_of("Corollary 1", "Equation (11)")
def prove_the_printed_learning_bound_is_false(proof: Proof) -> None:
    """Corollary 1 and equation (11) (E8): the printed bound would let every classifier be certified: scaling all
    metrics removes c.
    """
    sample = Sample()
    space = Space(sample)
    t = sample.number("t", Fraction(1, 4))
    x, y = [space.vector("x", (0, 0))], [space.vector("y", (3, 4))]
    plain, scaled = [[Form("M", 1)]], [[ScaledForm("M", t)]]
    proof.given("All metrics multiplied by t > 0; t → 0.")
    proof.by_sympy(
        "Every length, hence D and f, is multiplied by √t, since γ does not see the metrics: no sign of f changes, "
        "nor does k.",
        vanishes(mahalanobis_length(x, y, scaled) - t.root() * mahalanobis_length(x, y, plain)),
    )
    diameter = sample.number("diam", 1)
    small, c = (section.printed_capacity([[[4 * m]]], [[m]], diameter, 2) for m in (t, ONE))
    proof.by_sympy(
        "The printed c, here with ddim = 2, is multiplied by t^(ddim + 1) → 0.", vanishes(small - t * t * t * c)
    )
    values = [section.deviation_term(1000, 0.05, 10.0**-power) for power in (3, 6, 12, 24)]
    floor = float(sp.sqrt(sp.Rational(2, 1000) * sp.log(80, 2)))
    proof.by_floats(
        f"The deviation falls to √((2/n) log₂(4/δ)) = {floor:.3f} for n = 1000, δ = 0.05: "
        f"{', '.join(f'{v:.3f}' for v in values)} at c = 10⁻³, 10⁻⁶, 10⁻¹², 10⁻²⁴.",
        all(a > b for a, b in zip(values, values[1:], strict=False)),
        abs(values[-1] - floor) < 1e-12,
    )
    proof.in_words(
        "Let labels be fair coins that do not depend on x, and x have a density. Then every classifier errs on a "
        "new instance with probability 1/2. With K = 1 each training instance has distance 0 to itself and more to "
        "the others, so k = 0. The bound says error ≤ 0.112."
    )
    witness = witnesses.vanishing_capacity()
    proof.by_numbers(f"E8: {witness.text}.", witness.refutes)
    c_symbol, n = sp.symbols("c n", positive=True)
    capacity = c_symbol * sp.log(34 * sp.E * n / c_symbol)
    peak = [section.deviation_term(100, 0.05, c) for c in (3399.0, 3400.0, 3401.0)]
    proof.by_sympy(
        "c log(34en/c) grows up to c = 34n and falls beyond, where the bound means nothing (n = 100: the code's "
        "deviation peaks at 3400).",
        vanishes(sp.diff(capacity, c_symbol).subs(c_symbol, 34 * n).simplify()),
        bool(sp.diff(capacity, c_symbol, 2).simplify() == -1 / c_symbol),
        peak[0] < peak[1] > peak[2],
    )
    proof.therefore(
        "Corollary 1 as printed is false. The theorem it cites counts instances with y f(x) < margin, which scaling "
        "does change."
    )


class ScaledForm(Form):
    """The metric t M, for a traced t."""

    def __init__(self, name: str, t: Traced) -> None:
        super().__init__(name)
        self.t = t

    def __mul__(self, vector: Any) -> Any:
        return super().__mul__(vector * self.t)


@proof_of("Corollary 1", "Equation (11)")
def prove_the_learning_bound_with_a_margin(proof: Proof) -> None:
    """Corollary 1 and equation (11), repaired: with k the instances with y f(x) < m, c = (1 + 2 diam / w⁻¹(m/8))^F
    and c ≤ 34n, the bound follows from the cited theorem.
    """
    proof.given(
        "Cited, not proved here: for a class of functions with fat-shattering dimension ≤ c at m/16, error ≤ k/n + "
        "the deviation of (11), with probability 1 − δ, k the instances with y f(x) < m.",
        "The class: all f on a set of diameter diam in R^F with |f(x) − f(y)| ≤ w(‖x − y‖), for w fixed in advance.",
    )
    proof.in_words(
        "Let x_1, ..., x_N be shattered at m/16 with thresholds a_i. For i ≠ j some f has f(x_i) ≥ a_i + m/16 and "
        "f(x_j) ≤ a_j − m/16, another one the reverse; add: one of them differs by at least m/8 between x_i and "
        "x_j, whatever a_i − a_j is. So w(‖x_i − x_j‖) ≥ m/8."
    )
    a_i, a_j, m = sp.symbols("a_i a_j m", positive=True)
    gap = section.SHATTERING_GAP
    proof.by_sympy(
        "((a_i + m/16) − (a_j − m/16)) + ((a_j + m/16) − (a_i − m/16)) = 2·m/8, so the larger of the two is at "
        "least m/8.",
        vanishes((a_i + m / 16) - (a_j - m / 16) + (a_j + m / 16) - (a_i - m / 16) - 2 * m * sp.Rational(gap)),
    )
    Theta = ([[0.0, 0.0]], [1.0], [[[4.0, 0.0], [0.0, 4.0]]], [[1.0, 0.0], [0.0, 1.0]])
    inverse = section.inverse_decision_modulus(0.125, *Theta)
    proof.by_floats(
        "w is continuous and strictly increasing unless all metrics are 0, so they are at least w⁻¹(m/8) apart; the "
        f"code's inverse is from below: w({inverse:.6f}) ≤ 1/8 < w({inverse * (1 + 1e-9):.6f}…).",
        section.decision_modulus(inverse, *Theta) <= 0.125,
        section.decision_modulus(inverse * (1 + 1e-9), *Theta) > 0.125,
    )
    diam, rho, N = sp.symbols("diam ρ N", positive=True)
    proof.in_words(
        "The open balls of radius ρ/2 = w⁻¹(m/8)/2 around the N points are disjoint and lie in the ball of radius "
        "diam + ρ/2 around one of them: N (ρ/2)^F ≤ (diam + ρ/2)^F, that is N ≤ (1 + 2 diam/ρ)^F = c."
    )
    proof.by_sympy("(diam + ρ/2)/(ρ/2) = 1 + 2 diam/ρ.", vanishes((diam + rho / 2) / (rho / 2) - 1 - 2 * diam / rho))
    for F in (1, 2):
        c = section.repaired_capacity(2.0, F, 1.0, *Theta)
        proof.by_floats(
            f"The code, F = {F}, diam = 2, m = 1: c = (1 + 4/w⁻¹(1/8))^{F} = {c:.1f}.",
            abs(c - (1 + 4 / inverse) ** F) <= 1e-9 * c,
        )
    line: tuple[Any, Any, Any, Any] = ([], [], [], [[1.0]])
    quartered: tuple[Any, Any, Any, Any] = ([], [], [], [[0.25]])
    proof.by_floats(
        "Scaling no longer helps: metrics divided by 4 halve f, and with half the margin c is what it was.",
        section.repaired_capacity(2.0, 1, 1.0, *line) == section.repaired_capacity(2.0, 1, 0.5, *quartered) == 65.0,
        section.learning_bound(0, 10, 0.05, 341.0) == section.learning_bound(0, 10, 0.05, 1000.0) == 1.0,
        section.learning_bound(5, 10, 0.05, 1.0) <= 1.0,
        section.learning_bound(0, 10**6, 0.05, 5.0) == section.deviation_term(10**6, 0.05, 5.0),
        section.learning_bound(10**5, 10**6, 0.05, 5.0) == 0.1 + section.deviation_term(10**6, 0.05, 5.0),
    )
    proof.in_words(
        "Metrics and balls are learned from the same data, so w is not fixed in advance: apply the bound to a list "
        "of w's with δ shared among them, for instance δ 2^(−j) for the j-th, and the bound holds for the first one "
        "that fits."
    )
    proof.therefore("What regularises f is √λ_max of the metrics and √r_s of the balls; ‖M‖_F alone says nothing.")
