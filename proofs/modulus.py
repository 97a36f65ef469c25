"""Theorem A: how far D can move, instead of Lemma 1; for the exact gamma_b see `exact_modulus`.

Throughout, n_s(u) and n_B(u) are the lengths of u under M(A_s) and M(B), s(M) is the root of M's
largest eigenvalue.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import sympy as sp

from lmlir import continuity as section
from lmlir.classifier import decision_value
from lmlir.distance import approximate_background_ratio, distance, weighted_lengths
from lmlir.intersection import point_on_line
from lmlir.ledger.witnesses import continuity as witnesses
from proofs.continuity import plane_metric
from proofs.steps import Proof, proof_of
from proofs.symbols import Sample, Space, unwrapped, vanishes

ZERO = Fraction(0)
ONE = Fraction(1)
# Metrics of the plane with eigenvectors (3, 4)/5 and (-4, 3)/5: eigenvalues 9, 1 and 1, 4.
TURNED = (
    [[Fraction(97, 25), Fraction(96, 25)], [Fraction(96, 25), Fraction(153, 25)]],
    [[Fraction(73, 25), Fraction(-36, 25)], [Fraction(-36, 25), Fraction(52, 25)]],
)


def has_nonnegative_coefficients(expression: Any) -> bool:
    """Whether a polynomial is a sum of products of its symbols with coefficients >= 0, hence >= 0
    for symbols >= 0.
    """
    expanded = sp.expand(unwrapped(expression))
    if expanded == 0:
        return True
    return all(
        coefficient >= 0
        for coefficient in sp.Poly(expanded, *sorted(expanded.free_symbols, key=str)).coeffs()
    )


# ------------------------------------------------------------------------- the parts of the modulus


@proof_of("Theorem A")
def prove_the_longest_piece_of_a_line_in_a_shell(proof: Proof) -> None:
    """Theorem A, step 1: of a line, at most τ(e) = 2√(e(2r − e)) ≤ 2√(2re) lies between the spheres
    of radius r − e and r; 2r for e ≥ r.
    """
    proof.given(
        "A line at distance h ≤ r from the center; its part with r − e < ‖p − o‖ ≤ r has length "
        "`shell_piece(r, e, h)`."
    )
    sample = Sample()
    r = sample.number("r", 25)
    e = sample.number("e", 5)
    h = sample.number("h", 7)
    piece = section.shell_piece(r, e, h)
    outer = sp.sqrt(r.expression**2 - h.expression**2)
    inner = sp.sqrt((r.expression - e.expression) ** 2 - h.expression**2)
    proof.by_sympy(
        "h < r − e: the piece is 2(√(r² − h²) − √((r − e)² − h²)), and its derivative by h is "
        "2h(1/√((r − e)² − h²) "
        "− 1/√(r² − h²)), positive because the first root is the smaller one: it grows with h up "
        "to h = r − e.",
        vanishes((piece.expression - 2 * outer + 2 * inner).subs(same_roots(sample))),
        vanishes(
            (
                sp.diff(piece.expression, h.expression) - 2 * h.expression * (1 / inner - 1 / outer)
            ).subs(same_roots(sample))
        ),
        vanishes(r * r - (r - e) * (r - e) - e * (2 * r - e)),
    )
    sample = Sample()
    r = sample.number("r", 25)
    e = sample.number("e", 5)
    h = sample.number("h", 24)
    piece = section.shell_piece(r, e, h)
    chord = section.shell_chord(r, e)
    proof.by_sympy(
        "h ≥ r − e: the line stays outside of the inner sphere; τ² − piece² = 4(h² − (r − e)²) ≥ "
        "0, so the piece "
        "shrinks with h.",
        vanishes(chord * chord - piece * piece - 4 * (h * h - (r - e) * (r - e))),
    )
    proof.by_sympy(
        "At h = r − e the piece is τ(e): that is the maximum.",
        vanishes(section.shell_piece(r, e, r - e) - chord),
        formal="shell_piece",
    )
    proof.by_sympy(
        "τ² = 4e(2r − e) = 4(r² − (r − e)²) ≤ 8re.",
        vanishes(chord * chord - 4 * e * (2 * r - e)),
        vanishes(chord * chord - 4 * (r * r - (r - e) * (r - e))),
        formal="shell_chord_below_a_root",
    )
    sample = Sample()
    r = sample.number("r", 5)
    e = sample.number("e", 6)
    h = sample.number("h", 3)
    piece = section.shell_piece(r, e, h)
    chord = section.shell_chord(r, e)
    proof.by_sympy(
        "e ≥ r: the shell is the whole ball; the piece is 2√(r² − h²), and τ² − piece² = 4h² ≥ 0 "
        "with τ = 2r.",
        vanishes(chord - 2 * r),
        vanishes(chord * chord - piece * piece - 4 * h * h),
    )
    thin = [
        section.shell_chord(r, r * 1e-300) / (2 * math.sqrt(2) * r * 1e-150)
        for r in (1e-3, 1.0, 7.0)
    ]
    proof.by_floats(
        "In floats the chord is a product of two roots, so that thin shells keep their digits: at "
        "e = 10⁻³⁰⁰ r it is "
        "2√2 · 10⁻¹⁵⁰ r up to 1e−15.",
        *(abs(share - 1) < 1e-15 for share in thin),
    )
    proof.therefore(
        "No line has more than τ(e) in the shell of thickness e; a line at distance r − e has "
        "exactly that."
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


@proof_of("Theorem A")
def prove_how_far_two_metrics_disagree(proof: Proof) -> None:
    """Theorem A, κ_s: the code's supremum of |n_M(u) − n_N(u)| over unit u: sup (n_M − n_N)₊² = sup
    (1 − q) λ_max(M − N/q) over 0 < q < 1.
    """
    proof.given(
        "Metrics M and N, unit vectors u; a = u^T M u, b = u^T N u, so that n_M = √a and n_N = √b."
    )
    a, b, q = sp.symbols("a b q", positive=True)
    x, h = sp.symbols("x h", real=True)
    proof.by_sympy(
        "(√a − √b)² − (1 − q)(a − b/q) = (√(qa) − √(b/q))² ≥ 0, and it is 0 at q = √(b/a).",
        vanishes(
            (sp.sqrt(a) - sp.sqrt(b)) ** 2
            - (1 - q) * (a - b / q)
            - (sp.sqrt(q * a) - sp.sqrt(b / q)) ** 2
        ),
        vanishes(
            ((1 - q) * (a - b / q)).subs(q, sp.sqrt(b) / sp.sqrt(a))
            - (sp.sqrt(a) - sp.sqrt(b)) ** 2
        ),
    )
    proof.in_words(
        "Where a > b that q lies between 0 and 1, or q → 0 when b = 0: (√a − √b)² is the supremum "
        "over q. Where a ≤ "
        "b, (1 − q)(a − b/q) ≤ 0 for every q. Two suprema may be taken in either order, and over u "
        "the bracket a − "
        "b/q has the supremum λ_max(M − N/q)."
    )
    bracket = a + b - a * sp.exp(x) - b * sp.exp(-x)
    tangent = bracket + h * sp.diff(bracket, x)
    proof.by_sympy(
        "With q = e^x the bracket (1 − q)(a − b/q) = a + b − a e^x − b e^−x has the second "
        "derivative −(a e^x + b "
        "e^−x) < 0, so it lies below its tangent, (1 − q(1 + h)) a + (1 − (1 − h)/q) b at x + h.",
        vanishes(bracket.subs(x, sp.log(q)) - (1 - q) * (a - b / q)),
        vanishes(sp.diff(bracket, x, 2) + a * sp.exp(x) + b * sp.exp(-x)),
        vanishes(tangent.subs(x, sp.log(q)) - (1 - q * (1 + h)) * a - (1 - (1 - h) / q) * b),
    )
    proof.in_words(
        "λ_max of a matrix that is affine in h is convex in h, so between x − h and x + h nothing "
        "exceeds the larger "
        "of the two ends. The code halves intervals until none of them can hold more than the "
        "largest value found, up"
        " to its precision. What it returns is at least the supremum, as long as numpy's "
        "eigenvalues err by no more "
        "than the 4F roundings that the code allows for; that is not proved here."
    )
    sample = Sample()
    diagonal = [
        [sample.number(f"{name}_{f}", value) for f, value in ((1, v), (2, w))]
        for name, v, w in (("a", 4, 9), ("b", 1, 1))
    ]
    M, N = ([[row[0], ZERO], [ZERO, row[1]]] for row in diagonal)
    difference = section.scale_difference(M, N)
    gap = diagonal[0][1].root() - diagonal[1][1].root()
    proof.by_sympy(
        "Diagonal metrics need no search: with weights p_f = u_f² that sum to 1, (√Σ a_f p_f − √Σ "
        "b_f p_f)² ≤ Σ (√a_f"
        " − √b_f)² p_f, for the difference of the sides is 2(√Σ a_f p_f √Σ b_f p_f − Σ √a_f √b_f "
        "p_f) ≥ 0. So the "
        "largest |√a_f − √b_f|, reached on an axis, is the supremum, and that is what the code "
        "returns.",
        vanishes(difference * difference - gap * gap),
        cauchy_schwarz_of_two(),
    )
    turned = section.scale_difference(*TURNED)
    skew = section.scale_difference([[1, 1], [1, 1]], [[1, 0], [0, 0]])
    proof.by_floats(
        "Metrics with eigenvalues 9, 1 and 1, 4 on common axes, but not on those of the "
        "coordinates: |3 − 1| = 2, "
        "from either side. |u_1 + u_2| − |u_1| ≤ |u_2| ≤ 1 is reached at (0, 1), where n_N "
        "vanishes. Both up to 1e−6,"
        " from above.",
        0 <= turned - 2 < 1e-6,
        0 <= section.scale_difference(*TURNED[::-1]) - 2 < 1e-6,
        0 <= skew - 1 < 1e-6,
    )
    v = (3, -2, 4, 0, -1)
    reached = (4.1617, 4.1623)
    singular = [[p * r for r in v] for p in v]
    other = [
        [3, 1, 2, -4, 0],
        [1, 14, -3, -6, 2],
        [2, -3, 5, -1, -2],
        [-4, -6, -1, 7, -1],
        [0, 2, -2, -1, 2],
    ]
    proof.by_floats(
        "M = vv^T with v = (3, −2, 4, 0, −1), singular, and a metric N of rank 4: between 4.1617, "
        "which a unit "
        "vector reaches, and 4.1623. Equal metrics, singular or not: 0.",
        reached[0] <= section.scale_difference(singular, other) <= reached[1],
        section.scale_difference(singular, singular)
        == section.scale_difference(TURNED[0], TURNED[0])
        == 0,
    )
    proof.by_floats(
        "The scale of a metric that is not diagonal: s = 3 and s = 2 for the two above, √30 for "
        "vv^T, up to 1e−14.",
        abs(section.spectral_scale(TURNED[0]) - 3) < 1e-14,
        abs(section.spectral_scale(TURNED[1]) - 2) < 1e-14,
        abs(section.spectral_scale(singular) - math.sqrt(30)) < 1e-14,
    )
    proof.therefore(
        "κ_s is the supremum itself, rounded upwards: for singular and nearly equal metrics, too."
    )


def cauchy_schwarz_of_two() -> bool:
    """|p|² |q|² − (p·q)² is a square in the plane."""
    lagrange = Sample()
    p, q = lagrange.vector("p", (1, 2)), lagrange.vector("q", (3, 1))
    return vanishes(
        (p[0] * p[0] + p[1] * p[1]) * (q[0] * q[0] + q[1] * q[1])
        - (p[0] * q[0] + p[1] * q[1]) * (p[0] * q[0] + p[1] * q[1])
        - (p[0] * q[1] - p[1] * q[0]) * (p[0] * q[1] - p[1] * q[0])
    )


# ---------------------------------------------------------------------------------------- Theorem A


@proof_of("Theorem A", "Lemma 1")
def prove_the_modulus_of_continuity(proof: Proof) -> None:
    """Theorem A, instead of Lemma 1: |D(x, z) − D(y, z)| ≤ Λe + Σ κ_s τ_s(e) for ‖x − y‖ = e, with
    the approximate γ_b.
    """
    proof.given(
        "u = x − z, w = y − z, and T_s(x) = {t ∈ [0, 1]: z + tu ∈ A_s}, an interval of length "
        "γ_s(x); the same for y.",
        "κ_s = max(s(M(A_s)), sup_u |n_s(u) − n_B(u)|) over unit u, Λ = max(s(M(B)), the sum of "
        "s(M(A_s)) over balls "
        "with a common point).",
        "ℓ = ‖u‖ ≤ ‖w‖: call x the end of the shorter segment. If ℓ = 0 then D(x, z) = 0, and the "
        "second bracket "
        "below, with u = 0, is all that is needed.",
    )
    space = Space()
    z = space.vector("z")
    x = space.vector("x")
    y = space.vector("y")
    t = sp.Symbol("t", real=True)
    gap = point_on_line([z], [x], t)[0] - point_on_line([z], [y], t)[0]
    proof.by_sympy(
        "Points with equal t are at most e apart: ‖(z + tu) − (z + tw)‖² = t²‖x − y‖² ≤ e².",
        vanishes(gap * gap - t**2 * ((x - y) * (x - y))),
    )
    proof.in_words(
        "Let P = T_s(x) \\ T_s(y) and Q = T_s(y) \\ T_s(x). For t in P the point z + tu is in the "
        "ball and z + tw, "
        "within e of it, is not: so z + tu lies in the shell of thickness e, and |P| ‖u‖ ≤ τ_s(e) "
        "by the longest "
        "piece of a line in a shell. In the same way |Q| ‖w‖ ≤ τ_s(e), and since ℓ = ‖u‖ ≤ ‖w‖, "
        "both |P| ℓ ≤ τ_s(e) "
        "and |Q| ℓ ≤ τ_s(e). Comparing at the shorter segment is what makes the division by its "
        "length harmless. "
        "Where z lies plays no part: inside of a ball or not.",
        formal="gamma_moves",
    )
    proof.in_words(
        "Write Φ(T; u) = γ_b n_B(u) + Σ |T_s| n_s(u). Then D(x, z) − D(y, z) = [Φ(T(x); u) − "
        "Φ(T(y); u)] + [Φ(T(y); "
        "u) − Φ(T(y); w)]. In the first bracket exchange T_s(x) for T_s(y) one region after the "
        "other."
    )
    exchange_with_approximate_background(proof)
    proof.in_words(
        "n_s(u) and |n_s(u) − n_B(u)| are at most κ_s ℓ, so each exchange costs at most κ_s ℓ "
        "max(|P|, |Q|) ≤ κ_s "
        "τ_s(e)."
    )
    second_bracket(proof)
    proof.in_words("Both brackets together: Λe + Σ κ_s τ_s(e).", formal="modulus_approximate")
    constants_of_the_code(proof)
    proof.therefore("|D(x, z) − D(y, z)| ≤ Λe + Σ κ_s τ_s(e) for the approximate γ_b.")


def exchange_with_approximate_background(proof: Proof) -> None:
    """The first bracket of the theorem, when gamma_b = max(1 - sum gamma, 0)."""
    checks = []
    for total in (Fraction(1, 2), Fraction(5, 4)):
        sample = Sample()
        gamma = sample.number("γ_s", Fraction(1, 4))
        rest = sample.number("ρ", total - Fraction(1, 4))
        n_s, n_t, n_B = (sample.number(name, 1) for name in ("n_s", "n_t", "n_B"))
        Phi = weighted_lengths(
            approximate_background_ratio([gamma, rest]), [gamma, rest], n_B, [n_s, n_t]
        )
        visible = 1 if total < 1 else 0
        checks.append(
            vanishes(sp.diff(Phi.expression, gamma.expression) - unwrapped(n_s - visible * n_B))
        )
    proof.by_sympy(
        "Approximate γ_b: Φ is continuous and piecewise linear in γ_s, with slope n_s − n_B where "
        "Σγ < 1 and n_s "
        "where Σγ > 1; so |ΔΦ| ≤ max(n_s, |n_s − n_B|) ||P| − |Q||.",
        *checks,
    )


def second_bracket(proof: Proof) -> None:
    """With the parts held fixed, moving the end point costs Lambda e."""
    proof.in_words(
        "Second bracket: |n(u) − n(w)| ≤ n(u − w) ≤ s(M) e for each metric, so it is at most e "
        "(γ_b s(M(B)) + Σ "
        "|T_s| s(M(A_s))). With the exact γ_b this is e times the integral over t of the cost of "
        "the point at t: "
        "s(M(B)) if no ball contains it, else the sum of s(M(A_s)) over those that do; never more "
        "than Λ. The "
        "approximate γ_b is never larger than the exact one (proved in distance).",
        formal="approximate_le_exact",
    )


def constants_of_the_code(proof: Proof) -> None:
    """What the shipped functions take for Lambda and kappa_s."""
    modulus = section.modulus_of_continuity
    places = [[ZERO], [ONE], [Fraction(9)]]
    unit = [ONE] * 3
    local = [[[Fraction(4)]], [[Fraction(9)]], [[Fraction(16)]]]
    proof.by_numbers(
        "The code's Λ: balls [−1, 1], [0, 2] and [8, 10] with s = 2, 3, 4 and s(M(B)) = 1 give Λ = "
        "max(1, 2 + 3, 4) ="
        " 5, and κ τ summed is (2 + 3 + 4)·2 for e ≥ 1; in all 5e + 18. With s(M(B)) = 6: Λ = 6 "
        "and κ = max(2, |2 − "
        "6|), max(3, |3 − 6|), max(4, |4 − 6|); in all 6e + 22.",
        section.overlapping_scale(places, unit, local) == 5,
        modulus(Fraction(2), places, unit, local, [[ONE]]) == 5 * 2 + 18,
        modulus(Fraction(2), places, unit, local, [[Fraction(36)]]) == 6 * 2 + (4 + 3 + 4) * 2,
        modulus(Fraction(2), [], [], [], [[Fraction(36)]]) == 6 * 2,
    )
    row = [[ZERO], [Fraction(3, 2)], [Fraction(3)]]
    proof.by_numbers(
        "Three balls in a row, of which the first and the last do not meet: in this order no ball "
        "and the later ones "
        "that meet it have more than 3 + 4; with the middle one first it is 3 + 2 + 4.",
        section.overlapping_scale(row, unit, local) == 7,
        section.overlapping_scale([row[1], row[0], row[2]], unit, [local[1], local[0], local[2]])
        == 9,
    )
    proof.by_floats(
        "Metrics that are not diagonal, s(M(B)) = 3, s(M(A)) = 2, sup |n_s − n_B| = 2: 3·2 + 2·2, "
        "up to 1e−5.",
        abs(modulus(2.0, [[0.0, 0.0]], [1.0], [TURNED[1]], TURNED[0]) - 10) < 1e-5,
    )


@proof_of("Theorem A", "Proposition 2")
def prove_the_modulus_for_disjoint_balls(proof: Proof) -> None:
    """Theorem A, for disjoint balls as in Proposition 2: κ_s = sup_u |n_s(u) − n_B(u)| over unit u
    and Λ = max of all s(M).
    """
    proof.given(
        "Disjoint balls, so γ_b = 1 − Σγ on every segment (Proposition 2); notation as for the "
        "general theorem."
    )
    sample = Sample()
    gamma = [sample.number(f"γ_{s}", Fraction(1, 4)) for s in (1, 2)]
    other = [sample.number(f"γ'_{s}", Fraction(1, 8)) for s in (1, 2)]
    n = [sample.number(f"n_{s}", 1) for s in (1, 2)]
    n_B = sample.number("n_B", 2)
    first = weighted_lengths(1 - sum(gamma), gamma, n_B, n) - weighted_lengths(
        1 - sum(other), other, n_B, n
    )
    proof.by_sympy(
        "First bracket: Φ(T(x); u) − Φ(T(y); u) = Σ (γ_s(x) − γ_s(y)) (n_s(u) − n_B(u)).",
        vanishes(
            first - sum((g - h) * (n_s - n_B) for g, h, n_s in zip(gamma, other, n, strict=True))
        ),
    )
    proof.in_words(
        "|γ_s(x) − γ_s(y)| = ||P| − |Q|| ≤ max(|P|, |Q|) ≤ τ_s(e)/ℓ and |n_s(u) − n_B(u)| ≤ κ_s ℓ: "
        "at most κ_s "
        "τ_s(e) for each region. Second bracket: the weights γ_b and γ_s are ≥ 0 and sum to 1, so "
        "it costs at most "
        "e times the largest s(M).",
        formal="modulus_disjoint, exact_is_approximate",
    )
    far = (
        [[ZERO, ZERO], [Fraction(9), ZERO]],
        [ONE, ONE],
        [plane_metric(4), plane_metric(9)],
        plane_metric(1),
    )
    proof.by_numbers(
        "Two unit balls with s = 2 and 3, s(M(B)) = 1, e = 2: Λe + Σκτ = 3·2 + (1 + 2)·2 = 12; the "
        "general theorem "
        "says 3·2 + (2 + 3)·2 = 16.",
        section.modulus_of_continuity_disjoint(Fraction(2), *far) == 12,
        section.modulus_of_continuity(Fraction(2), *far) == 16,
    )
    swapped = (
        [[ZERO, ZERO], [Fraction(9), ZERO]],
        [ONE, ONE],
        [plane_metric(9), plane_metric(4)],
        plane_metric(1),
    )
    proof.by_numbers(
        "The order of the balls plays no part, nor who is largest: with s(M(B)) = 5, 5·2 + (2 + "
        "3)·2 = 20.",
        section.modulus_of_continuity_disjoint(Fraction(2), *swapped) == 12,
        section.modulus_of_continuity_disjoint(Fraction(2), *far[:3], plane_metric(25)) == 20,
    )
    turned = section.modulus_of_continuity_disjoint(
        2.0, [[0.0, 0.0]], [1.0], [TURNED[0]], TURNED[1]
    )
    proof.by_floats(
        "Metrics that are not diagonal, with s = 3 and 2 and sup |n_s − n_B| = 2: 3·2 + 2·2, up to "
        "1e−5.",
        abs(turned - 10) < 1e-5,
    )
    proof.therefore(
        "For disjoint balls |D(x, z) − D(y, z)| ≤ max s(M) e + Σ κ_s τ_s(e): equal metrics leave "
        "only the first term."
    )


@proof_of("Theorem A", "Equation (10)")
def prove_the_modulus_of_the_classifier(proof: Proof) -> None:
    """Theorem A and equation (10): f moves by at most w(e), twice the modulus of D."""
    proof.given("Every D(·, x_t) has the same modulus ω(e) = Λe + Σκ_sτ_s(e).")
    proof.in_words(
        "As in Proposition 4, with ω(e) in place of L_k e: sumKmin of D_set moves by at most "
        "Kω(e), its K-th part "
        "by ω(e); f is a difference of two such means, so it moves by at most 2ω(e).",
        formal="classifier_modulus",
    )
    near = (
        [[ZERO, ZERO], [ONE, ZERO]],
        [ONE, ONE],
        [plane_metric(4), plane_metric(9)],
        plane_metric(1),
    )
    far = ([[ZERO, ZERO], [Fraction(9), ZERO]], *near[1:])
    e = Fraction(2)
    proof.by_numbers(
        "The code's w(e): twice the modulus for disjoint balls where they are disjoint, else twice "
        "the general one.",
        section.decision_modulus(e, *far)
        == 2 * section.modulus_of_continuity_disjoint(e, *far)
        == 24,
        section.decision_modulus(e, *near)
        == 2 * section.modulus_of_continuity(e, *near)
        == 2 * (5 * 2 + (2 + 3) * 2),
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
    proof.therefore(
        "|f(x) − f(y)| ≤ w(‖x − y‖) with w(e) = 2(Λe + Σκ_sτ_s(e)), which takes the place of Lemma "
        "1."
    )


@proof_of("Theorem A")
def prove_the_distance_is_lipschitz_from_inside_a_ball(proof: Proof) -> None:
    """Theorem A, for z inside of a ball: at depth δ = r − ‖z − o‖ > 0 the chord τ(e) may be
    replaced by (2r/δ − 1)e.
    """
    proof.given(
        "z in the ball at depth δ > 0, p(u) = inf{λ > 0: z + u/λ ∈ A}, the gauge of the ball seen "
        "from z; γ(x) = "
        "min(1, 1/p(x − z))."
    )
    proof.in_words(
        "A ball is convex, so p is sublinear: p(u + v) ≤ p(u) + p(v); and p(u) ≤ ‖u‖/δ. Hence "
        "|p(u) − p(w)| ≤ e/δ. "
        "Replacing p by max(p, 1) changes neither γ nor that inequality."
    )
    p, q = sp.symbols("p q", positive=True)
    proof.by_sympy("1/p − 1/q = (q − p)/(pq).", vanishes(1 / p - 1 / q - (q - p) / (p * q)))
    proof.in_words(
        "So ℓ|γ(x) − γ(y)| ≤ (ℓ/p) (1/q) e/δ, where ℓ/p is at most the way from z to the sphere, ≤ "
        "2r − δ, and 1/q "
        "≤ 1: at most (2r − δ)/δ times e. This takes the place of τ_s(e) in the first bracket of "
        "the theorem.",
        formal="gamma_moves_from_inside",
    )
    lengths = []
    for depth in (Fraction(1, 2), Fraction(1)):
        z = [ONE - depth, ZERO]
        center = [ZERO, ZERO]
        for e in (Fraction(1, 10), Fraction(1)):
            x = [Fraction(3), Fraction(4)]
            y = [Fraction(3), 4 - e]
            moved = abs(
                distance(x, z, [center], [ONE], [plane_metric(0)], plane_metric(1))
                - distance(y, z, [center], [ONE], [plane_metric(0)], plane_metric(1))
            )
            lengths.append(bool(moved <= e + (2 / depth - 1) * e))
    proof.by_floats(
        "Tried with r = 1, δ = 1/2 and 1, e = 1/10 and 1, M(A) = 0, M(B) = I.", *lengths
    )
    proof.therefore(
        "With one ball D(·, z) is Lipschitz for every z strictly inside of it: E6 needs z outside, "
        "or on the sphere."
    )
