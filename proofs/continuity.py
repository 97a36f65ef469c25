"""Section 4.2: Propositions 3 and 4 proved, Lemma 1 and Corollary 1 refuted, and what holds in
place of the corollary.

Throughout, n_s(u) and n_B(u) are the lengths of u under M(A_s) and M(B), s(M) is the root of M's
largest eigenvalue.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy as sp

from lmlir import continuity as section
from lmlir.classifier import decision_value, sum_k_min
from lmlir.distance import distance
from lmlir.intersection import stable_discriminant
from lmlir.ledger.witnesses import continuity as witnesses
from lmlir.ledger.witnesses.geometry import collapsing_set
from lmlir.regions import mahalanobis_length
from lmlir.scalars import frobenius_norm
from proofs.steps import Proof, proof_of
from proofs.symbols import Form, Sample, Space, Traced, unwrapped, vanishes

ZERO = Fraction(0)
ONE = Fraction(1)


def plane_metric(scale: Any) -> list[list[Any]]:
    """A multiple of the identity of the plane, in exact numbers."""
    return [[Fraction(scale), ZERO], [ZERO, Fraction(scale)]]


# -------------------------------------------------------------------------------- Propositions 3, 4


@proof_of("Definition 9", "Proposition 3")
def prove_lipschitz_constants_of_combinations(proof: Proof) -> None:
    """Definition 9 and Proposition 3: Lip(f ± g) ≤ L_f + L_g and Lip(af) ≤ |a| L_f."""
    proof.given(
        "Two points x ≠ y of the line that stand for any two points: only ‖x − y‖ occurs. f(x), "
        "f(y), g(x), g(y), a "
        "are symbols."
    )
    for name, sign, bound in (
        ("f + g", 1, section.sum_lipschitz_bound),
        ("f − g", -1, section.difference_lipschitz_bound),
    ):
        checks = []
        for f_x, g_x in product((-3, -1, 1, 3), (-2, 2)):
            # every sign of f(x) - f(y), g(x) - g(y) and their sum
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
            f"L_f + L_g minus the quotient of {name} is 0, 2L_f or 2L_g, whatever the signs are: "
            "never negative.",
            *checks,
        )
    checks = []
    for a, f_x in product((-2, 2), (-3, 3)):
        sample = Sample()
        x = sample.vector("x", [5])
        y = sample.vector("y", [1])
        factor = sample.number("a", a)
        fs = {5: sample.number("f(x)", f_x), 1: sample.number("f(y)", 0)}
        L_f = section.lipschitz_quotient(lambda p, v=fs: v[int(p[0].value)], x, y)
        scaled = section.lipschitz_quotient(lambda p, v=fs, t=factor: t * v[int(p[0].value)], x, y)
        checks.append(vanishes(scaled - section.scaled_lipschitz_bound(factor, L_f)))
    proof.by_sympy("The quotient of af is |a| times that of f.", *checks)
    proof.in_words(
        "The inequalities hold at every pair x ≠ y, so they hold for the suprema of Definition 9.",
        formal="lipschitz_constants_of_sums_and_multiples",
    )
    proof.therefore("Proposition 3 is right; (c) is an equality.")


@proof_of("Proposition 4", "Section 4.1, sumKmin")
def prove_the_lipschitz_constant_of_the_k_smallest(proof: Proof) -> None:
    """Proposition 4 and Section 4.1, sumKmin (E13): Lip(sumKmin) ≤ the sum of the K largest L_k,
    which is sharp, and ≤ K max L_k.
    """
    proof.given(
        "n functions f_k with constants L_k, K ≤ n, equal values counted as often as they occur; e "
        "= ‖x − y‖."
    )
    grid = list(product(range(4), repeat=4))
    proof.by_numbers(
        "sumKmin is the smallest of all sums of K elements, equal ones included: checked on "
        f"{len(grid)} lists that "
        "show every order of four numbers, for every K.",
        *(
            sum_k_min(values, K) == min(sum(chosen) for chosen in combinations(values, K))
            for values in grid
            for K in range(1, 5)
        ),
    )
    proof.in_words(
        "Let T be the K indices that are smallest at y. Then sumKmin f(x) ≤ Σ_T f_k(x) ≤ Σ_T "
        "(f_k(y) + L_k e) = "
        "sumKmin f(y) + e Σ_T L_k, and Σ_T L_k is at most the sum of the K largest. Exchange x and "
        "y.",
        formal="sum_of_the_largest_constants_is_enough",
    )
    L = [Fraction(n) for n in (1, 2, 5)]
    for K in (1, 2, 3):
        bound = section.sum_k_min_lipschitz_bound(L, K)
        printed = section.printed_sum_k_min_bound(L, K)
        steep = sorted(L, reverse=True)[:K]

        def f(x: Any, steep: Any = steep, K: int = K) -> Any:
            return sum_k_min([L_k * x[0] for L_k in steep] + [Fraction(99)] * (3 - len(steep)), K)

        proof.by_numbers(
            f"L = (1, 2, 5), K = {K}: the bound is {bound} and is reached by f_k = L_k x for the K "
            "steepest and "
            f"constants otherwise; printed: {printed} ≥ {bound}.",
            section.lipschitz_quotient(f, [ONE], [ZERO]) == bound,
            printed >= bound,
            bound == sum(steep),
            formal="sum_of_the_largest_constants_is_reached",
        )
    witness = collapsing_set()
    proof.by_numbers(f"E13, where D_set is a set: {witness.text}.", witness.refutes)
    proof.therefore(
        "Proposition 4 is right for multisets, with the sharp constant in place of K max L_k; for "
        "sets it is false."
    )


# --------------------------------------------------------------------------------- Lemma 1, refuted


@proof_of("Lemma 1")
def prove_the_lipschitz_constant_of_one_metric(proof: Proof) -> None:
    """Lemma 1, its first step (E5): Lip(d_M(·, z)) = s(M) ≤ √‖M‖_F; the printed bound ‖M‖_F holds
    exactly when ‖M‖_F ≥ s(M).
    """
    proof.given(
        "M positive semi-definite; by the spectral theorem choose coordinates in which it is "
        "diagonal, λ_1 ≥ λ_2 ≥ "
        "... ≥ 0."
    )
    proof.in_words(
        "d_M is a seminorm of x − z (proved in regions), so |d_M(x, z) − d_M(y, z)| ≤ d_M(x, y).",
        formal="triangle",
    )
    for F, values in ((2, (4, 1)), (3, (9, 4, 1))):
        sample = Sample()
        eigenvalues = [sample.number(f"λ_{f + 1}", value) for f, value in enumerate(values)]
        u = sample.vector("u", [1] * F)
        M = [[eigenvalues[f] if f == g else ZERO for g in range(F)] for f in range(F)]
        zero = [ZERO] * F
        s = section.spectral_scale(M)
        length = u[0] * u[0] + sum(x * x for x in u[1:])
        gap = s * s * length - square_of_length(u, zero, M)
        expected = sum((eigenvalues[0] - eigenvalues[f]) * u[f] * u[f] for f in range(F))
        first = [ONE if f == 0 else ZERO for f in range(F)]
        proof.by_sympy(
            f"Dimension {F}: s(M)²‖u‖² − u^T M u = Σ (λ_1 − λ_f) u_f² ≥ 0, and it is 0 for the "
            "first axis: Lip(d_M) "
            "= s(M) = √λ_1. Also ‖M‖_F² − s(M)⁴ = λ_2² + ... ≥ 0.",
            vanishes(gap - expected),
            vanishes(
                section.lipschitz_quotient(
                    lambda x, M=M, z=zero: mahalanobis_length(x, z, M), first, zero
                )
                - s
            ),
            vanishes(
                sum(entry * entry for row in M for entry in row)
                - s * s * s * s
                - sum(e * e for e in eigenvalues[1:])
            ),
            formal="largest_eigenvalue, frobenius_scale",
        )
    sample = Sample()
    m = sample.number("m", Fraction(1, 16))
    for F in (1, 4):
        M = [[m if f == g else ZERO for g in range(F)] for f in range(F)]
        norm = frobenius_norm(M)
        s = section.spectral_scale(M)
        proof.by_sympy(
            f"M = mI in dimension {F}: ‖M‖_F = {'m' if F == 1 else '2m'} and s(M) = √m, so the "
            "printed step fails "
            f"exactly for 0 < m < {Fraction(1, F)}.",
            vanishes(norm * norm - F * m * m),
            vanishes(s * s - m),
        )
    witness = witnesses.small_metric()
    proof.by_numbers(
        f"E5: {witness.text}.", witness.refutes, formal="frobenius_norm_does_not_bound_the_slope"
    )
    proof.therefore(
        "The Lipschitz constant of a Mahalanobis distance is √λ_max. ‖M‖_F bounds it only when "
        "‖M‖_F ≥ √λ_max."
    )


def square_of_length(x: Any, y: Any, M: Any) -> Any:
    """The square of the shipped Mahalanobis length."""
    length = mahalanobis_length(x, y, M)
    return length * length


def tangent_family() -> tuple[Any, ...]:
    """The points of witnesses.TangentFamily for a symbol k: zx touches the ball of radius k² + 1,
    zy cuts it.
    """
    k = Sample().number("k", 10)
    radius = k * k + 1
    z = [-1 * (k * k + 1), k * k - 1]
    y = [2 * k, k * k - 1]
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
    """Lemma 1 (E6): with equation (9) neither D(·, z) nor f of equation (10) is Lipschitz: near a
    tangent their quotients grow without bound.
    """
    k, radius, x, y, z, e = tangent_family()
    o = [ZERO, ZERO]
    proof.given(
        "o = 0, r = k² + 1, z = (−k² − 1, k² − 1), y = (2k, k² − 1), x = y + (0, e) with e = 2k²(k "
        "+ 1)/((k − 1)(k² "
        "+ 1)).",
        "M(A) = 4I, M(B) = I. Divided by r this is the unit ball and points that stay in a bounded "
        "set; quotients "
        "do not change.",
    )
    Theta = ([o], [radius], [plane_metric(4)], plane_metric(1))
    D_x, D_y = distance(x, z, *Theta), distance(y, z, *Theta)
    proof.by_sympy(
        "The line zx touches the ball for every k (Δ = 0), the line zy has the height k² − 1 and "
        "cuts a chord of "
        "length 4k.",
        vanishes(stable_discriminant(z, x, o, radius)),
        vanishes(D_y - (y[0] - z[0]) - 4 * k),
    )
    quotient = section.lipschitz_quotient(lambda p: distance(p, z, *Theta), x, y)
    bound = section.printed_distance_lipschitz_bound(*Theta[2:])
    proof.by_sympy(
        f"D(x, z) = {shown(D_x)}, D(y, z) = {shown(D_y)}; their quotient {shown(quotient)} → ∞ as "
        "k → ∞, while e → "
        f"2, e/r → 0 and the printed bound stays {bound:.2f}.",
        limit(quotient, k) == sp.oo,
        limit(e, k) == 2,
        limit(e / radius, k) == 0,
        limit(quotient / k, k) == 2,
    )
    above = [2 * k, 3 * k * k]
    of_f = section.lipschitz_quotient(lambda p: decision_value(p, [z], [above], 1, *Theta), x, y)
    proof.by_sympy(
        "The classifier with X⁻ = {z}, X⁺ = {(2k, 3k²)}, K = 1: its quotient is that of D minus 1, "
        "and tends to ∞ "
        "as well.",
        vanishes(of_f - quotient + 1),
        limit(of_f, k) == sp.oo,
    )
    for witness in (witnesses.not_lipschitz(), witnesses.classifier_not_lipschitz()):
        proof.by_numbers(f"E6: {witness.text}.", witness.refutes)
    proof.in_words(
        "The step that fails is 'D ≤ Σ D_M, hence Lip(D) ≤ Σ Lip(D_M)': a bound on values is none "
        "on slopes. It fails"
        " for a fixed z, too: one unit ball, M(A) = 4I, M(B) = I, z = (−3, 1), in every dimension "
        "≥ 2.",
        formal="distance_is_not_lipschitz, classifier_is_not_lipschitz, "
        "lemma_1_as_printed_is_false",
    )
    proof.in_words(
        "For any ball with r > 0 in dimension ≥ 2 and any M(A) ≠ M(B): then n_A(u) ≠ n_B(u) for "
        "some unit u. In units"
        " of r, and in the plane of o and a line that touches the ball in the direction u, let the "
        "tangent point be "
        "(0, 1), z = (−p, 1) and x = (q, 1) with p, q > 0, y = (q, 1 − ε). At the first coordinate "
        "0 the line zy has "
        "the height 1 − δ, δ = εp/(p + q); so its distance from o is at most 1 − δ, its chord at "
        "least 2√(1 − (1 − "
        "δ)²) ≥ 2√δ, and for small ε the chord lies within the segment. With w = y − z and g = "
        "n_A(w) − n_B(w), D(y, "
        "z) = n_B(w) + γg with γ‖w‖ ≥ 2√δ, and D(x, z) = n_B(x − z). As ε → 0, ‖w‖ → p + q, "
        "|n_B(w) − n_B(x − z)| ≤ "
        "s(M(B))ε and |g| → (p + q)|n_A(u) − n_B(u)| > 0: D changes by at least a positive "
        "multiple of √ε, minus "
        "s(M(B))ε, for this one z. (Formally: no constant serves all x, y, z.)",
        formal="one_ball_is_never_lipschitz",
    )
    proof.therefore(
        "Lemma 1 is false, and no constant repairs it: D and f move by the order of √e where Lemma "
        "1 says e."
    )


@proof_of("Lemma 1", "Section 3.2, gamma_b")
def prove_the_approximate_background_breaks_the_lemma_on_the_line(proof: Proof) -> None:
    """Lemma 1 and Section 3.2, gamma_b (E7): on the line, with the approximate γ_b, D can fall with
    slope −2 s(M(B)), f change with −4.
    """
    sample = Sample()
    x = sample.vector("x", [10])
    zero = [ZERO]
    far = [Fraction(100)]
    Theta = witnesses.three_stacked_balls()
    proof.given("Three balls [9, 11], M(A_s) = 0, M(B) = 1; x between 9 and 11.")
    D = distance(x, zero, *Theta)
    proof.by_sympy(
        "D(x, 0) = 27 − 2x: each ball takes its share from the background, three times over.",
        vanishes(D - 27 + 2 * x[0]),
    )
    f = decision_value(x, [zero], [far], 1, *Theta)
    proof.by_sympy(
        "f(x) with X⁻ = {0}, X⁺ = {100}, K = 1 has slope −4.",
        vanishes(sp.diff(f.expression, x[0].expression) + 4),
    )
    scales = section.spectral_scale(Theta.background_metric) + sum(
        map(section.spectral_scale, Theta.local_metrics)
    )
    proof.by_numbers(
        "Lemma 1 allows 1 for D and 2 for f, as printed and with the square roots of E5.",
        scales == 1,
        section.printed_distance_lipschitz_bound(Theta.local_metrics, Theta.background_metric) == 1,
        section.printed_lipschitz_bound(Theta.local_metrics, Theta.background_metric) == 2,
    )
    exact = distance(x, zero, *Theta, exact=True)
    proof.by_sympy(
        "With the exact γ_b D(x, 0) = 9: there is no slope at all.", vanishes(unwrapped(exact) - 9)
    )
    witness = witnesses.stacked_balls()
    proof.by_numbers(
        f"E7: {witness.text}.",
        witness.refutes,
        formal="distance_falls_as_points_part, lemma_1_with_square_roots_is_false",
    )
    proof.in_words(
        "On the line with the exact γ_b, D(x, z) is the integral from z to x of the cost of a "
        "point: s(M(B)) outside "
        "of all balls, Σ s(M(A_s)) over the balls that contain it. So Lip(D) is the essential "
        "supremum of the cost, "
        "the largest cost on an interval (a point where balls only touch has no weight); it is at "
        "most s(M(B)) + Σ "
        "s(M(A_s)), and Lemma 1 with square roots holds there.",
        formal="exact_is_additive, lemma_1_holds_on_a_line",
    )
    proof.therefore(
        "Lemma 1 with square roots is true on the line for the exact γ_b, false for the "
        "approximate one."
    )


# -------------------------------------------------------------------------------------- Corollary 1


@proof_of("Corollary 1", "Equation (11)")
def prove_the_printed_learning_bound_is_false(proof: Proof) -> None:
    """Corollary 1 and equation (11) (E8, E20): the printed bound would let every classifier be
    certified: scaling all metrics removes c.
    """
    sample = Sample()
    space = Space(sample)
    t = sample.number("t", Fraction(1, 4))
    x, y = [space.vector("x", (0, 0))], [space.vector("y", (3, 4))]
    plain = [[Form("M", 1)]]
    scaled = [[ScaledForm("M", t)]]
    proof.given("All metrics multiplied by t > 0; t → 0.")
    proof.by_sympy(
        "Every length, hence D and f, is multiplied by √t, since γ does not see the metrics: no "
        "sign of f changes, "
        "nor does k.",
        vanishes(mahalanobis_length(x, y, scaled) - t.root() * mahalanobis_length(x, y, plain)),
    )
    diameter = sample.number("diam", 1)
    small, c = (section.printed_capacity([[[4 * m]]], [[m]], diameter, 2) for m in (t, ONE))
    proof.by_sympy(
        "The printed c, here with ddim = 2, is multiplied by t^(ddim + 1) → 0.",
        vanishes(small - t * t * t * c),
    )
    values = [section.printed_deviation_term(1000, 0.05, 10.0**-power) for power in (3, 6, 12, 24)]
    floor = float(sp.sqrt(sp.Rational(2, 1000) * sp.log(80, 2)))
    proof.by_floats(
        f"The deviation falls to √((2/n) log₂(4/δ)) = {floor:.3f} for n = 1000, δ = 0.05: "
        f"{', '.join(f'{v:.3f}' for v in values)} at c = 10⁻³, 10⁻⁶, 10⁻¹², 10⁻²⁴.",
        all(a > b for a, b in zip(values, values[1:], strict=False)),
        abs(values[-1] - floor) < 1e-12,
    )
    proof.in_words(
        "Let labels be fair coins that do not depend on x, and x have a density. Then every "
        "classifier errs on a "
        "new instance with probability 1/2. With K = 1 each training instance has distance 0 to "
        "itself and more to "
        "the others, so k = 0. The bound says error ≤ 0.112."
    )
    witness = witnesses.vanishing_capacity()
    proof.by_numbers(f"E8: {witness.text}.", witness.refutes)
    c_symbol, n = sp.symbols("c n", positive=True)
    capacity = c_symbol * sp.log(34 * sp.E * n / c_symbol)
    grows = [section.printed_deviation_term(100, 0.05, c) for c in (3300.0, 3399.0, 3400.0)]
    proof.by_sympy(
        "c log(34en/c) grows up to c = 34n and falls beyond, where the bound means nothing; the "
        "code refuses such c "
        "(n = 100: 3400 is allowed, 3401 is not).",
        vanishes(sp.diff(capacity, c_symbol).subs(c_symbol, 34 * n).simplify()),
        bool(sp.diff(capacity, c_symbol, 2).simplify() == -1 / c_symbol),
        grows[0] < grows[1] < grows[2],
        is_refused(100, 3401.0),
    )
    proof.in_words(
        "E20: a function of constant L that tells two points apart at 1/16 has values 1/8 apart on "
        "them, so N shattered "
        "points are at least 1/(8L) apart. Halve the radii of balls that cover the space until no "
        "ball holds two of the "
        "points: N ≤ (4 diam · 8L)^ddim."
    )
    L, diam, ddim = sp.symbols("L diam ddim", positive=True)
    proof.by_sympy(
        "That is 4^ddim / (8 L diam) times the printed c = (8 L diam)^(ddim + 1), which is "
        "therefore large enough if "
        "8 L diam ≥ 4^ddim.",
        vanishes(
            sp.powsimp((4 * diam * 8 * L) ** ddim / (8 * L * diam) ** ddim, force=True) - 4**ddim
        ),
    )
    shattered = witnesses.shattered_pair()
    proof.by_numbers(f"For smaller L diam it can fail: {shattered.text}.", shattered.refutes)
    proof.therefore(
        "Corollary 1 as printed is false. The theorem behind it counts instances with y f(x) < "
        "margin, which scaling "
        "does change."
    )


def is_refused(n: int, c: float) -> bool:
    """Whether equation (11) is refused."""
    try:
        section.printed_deviation_term(n, 0.05, c)
    except ValueError:
        return True
    return False


class ScaledForm(Form):
    """The metric t M, for a traced t."""

    def __init__(self, name: str, t: Traced) -> None:
        super().__init__(name)
        self.t = t

    def __mul__(self, vector: Any) -> Any:
        return super().__mul__(vector * self.t)


@proof_of("Corollary 1", "Equation (11)")
def prove_the_learning_bound_with_a_margin(proof: Proof) -> None:
    """Corollary 1 and equation (11), repaired (E33): with k the instances with y f(x) < m, c = (1 +
    2 diam / w⁻¹(m/8))^F and c ≤ 34n, the bound follows from the theorem behind (11).
    """
    proof.given(
        "Cited, not proved here (Bartlett 1998, theorem 2): for a class of functions with "
        "fat-shattering dimension ≤ c "
        "at m/16, m < 1, error ≤ k/n + √(2/n (c ln(34en/c) log₂(578n) + ln(4/δ))), with "
        "probability 1 − δ, k the "
        "instances with y f(x) < m. For m ≥ 1 take f/(2m) and the margin 1/2.",
        "The class: all f on a set of diameter diam in R^F with |f(x) − f(y)| ≤ w(‖x − y‖), for w "
        "fixed in advance.",
    )
    proof.in_words(
        "Let x_1, ..., x_N be shattered at m/16 with thresholds a_i. For i ≠ j some f has f(x_i) ≥ "
        "a_i + m/16 and "
        "f(x_j) ≤ a_j − m/16, another one the reverse; add: one of them differs by at least m/8 "
        "between x_i and "
        "x_j, whatever a_i − a_j is. So w(‖x_i − x_j‖) ≥ m/8."
    )
    a_i, a_j, m = sp.symbols("a_i a_j m", positive=True)
    gap = section.SHATTERING_GAP
    proof.by_sympy(
        "((a_i + m/16) − (a_j − m/16)) + ((a_j + m/16) − (a_i − m/16)) = 2·m/8, so the larger of "
        "the two is at "
        "least m/8.",
        vanishes(
            (a_i + m / 16)
            - (a_j - m / 16)
            + (a_j + m / 16)
            - (a_i - m / 16)
            - 2 * m * sp.Rational(gap)
        ),
    )
    Theta = ([[0.0, 0.0]], [1.0], [[[4.0, 0.0], [0.0, 4.0]]], [[1.0, 0.0], [0.0, 1.0]])
    inverse = section.inverse_decision_modulus(0.125, *Theta)
    proof.by_floats(
        "w is continuous and strictly increasing unless all metrics are 0, so they are at least "
        "w⁻¹(m/8) apart; the "
        f"code's inverse is from below: w({inverse:.6f}) ≤ 1/8 < w({inverse * (1 + 1e-9):.6f}…).",
        section.decision_modulus(inverse, *Theta) <= 0.125,
        section.decision_modulus(inverse * (1 + 1e-9), *Theta) > 0.125,
    )
    diam, apart, N = sp.symbols("diam ε N", positive=True)
    proof.in_words(
        "Let ε = w⁻¹(m/8). The open balls of radius ε/2 around the N points are disjoint and lie "
        "in the ball of radius "
        "diam + ε/2 around one of them: N (ε/2)^F ≤ (diam + ε/2)^F, that is N ≤ (1 + 2 diam/ε)^F = "
        "c."
    )
    proof.by_sympy(
        "(diam + ε/2)/(ε/2) = 1 + 2 diam/ε.",
        vanishes((diam + apart / 2) / (apart / 2) - 1 - 2 * diam / apart),
    )
    for F in (1, 2, 3):
        c = section.repaired_capacity(2.0, F, 1.0, *Theta)
        proof.by_floats(
            f"The code, F = {F}, diam = 2, m = 1: c = (1 + 4/w⁻¹(1/8))^{F} = {c:.1f}.",
            abs(c - (1 + 4 / inverse) ** F) <= 1e-9 * c,
        )
    small = section.repaired_capacity(2.0, 2, 1e-7, *Theta)
    proof.by_floats(
        "A margin of 10⁻⁷: w(e) is nearly 4√(2e), so w⁻¹(m/8) is m²/2048 and c = (1 + 4·2048/m²)² "
        "= 6.7·10³⁵, up to 10⁻⁶; "
        f"the code says {small:.3g}.",
        abs(small / (1 + 4 * 2048 / 1e-14) ** 2 - 1) < 1e-6,
    )
    line: tuple[Any, Any, Any, Any] = ([], [], [], [[1.0]])
    quartered: tuple[Any, Any, Any, Any] = ([], [], [], [[0.25]])
    proof.by_floats(
        "Scaling no longer helps: metrics divided by 4 halve f, and with half the margin c is what "
        "it was.",
        section.repaired_capacity(2.0, 1, 1.0, *line)
        == section.repaired_capacity(2.0, 1, 0.5, *quartered)
        == 65.0,
        section.learning_bound(0, 10, 0.05, 341.0)
        == section.learning_bound(0, 10, 0.05, 1000.0)
        == 1.0,
        section.learning_bound(5, 10, 0.05, 1.0) <= 1.0,
        section.learning_bound(0, 10**6, 0.05, 5.0) == section.deviation_term(10**6, 0.05, 5.0),
        section.learning_bound(10**5, 10**6, 0.05, 5.0)
        == 0.1 + section.deviation_term(10**6, 0.05, 5.0),
    )
    n, c, delta = sp.symbols("n c δ", positive=True)
    cited = 2 / n * (c * sp.log(34 * sp.E * n / c) * sp.log(578 * n, 2) + sp.log(4 / delta))
    printed = 2 / n * (c * sp.log(34 * sp.E * n / c, 2) * sp.log(578 * n, 2) + sp.log(4 / delta, 2))
    at = {n: 10**6, c: 5, delta: sp.Rational(1, 20)}
    proof.by_sympy(
        "E33: with three binary logarithms, as printed, the deviation is 1/√(ln 2) times that of "
        "the theorem behind it.",
        vanishes(sp.expand(printed * sp.log(2) - cited)),
        abs(section.deviation_term(10**6, 0.05, 5.0) - float(sp.sqrt(cited.subs(at)))) < 1e-14,
        abs(section.printed_deviation_term(10**6, 0.05, 5.0) - float(sp.sqrt(printed.subs(at))))
        < 1e-14,
    )
    proof.in_words(
        "Metrics and balls are learned from the same data, and a margin may be chosen after "
        "looking at it, so neither"
        " w nor m is fixed in advance: write down a list of pairs (w, m) beforehand, give the j-th "
        "δ 2^(−j), and the "
        "bound holds for all of them at once with probability 1 − δ, hence for the first one whose "
        "w is a modulus of "
        "the f that was learned."
    )
    proof.therefore(
        "What regularizes f is √λ_max of the metrics and √r_s of the balls; ‖M‖_F alone says "
        "nothing."
    )
