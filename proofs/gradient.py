"""Section 5.2, proved: Table 3, the gradients of the distance and of g; the printed forms of E2, E3
and E4 refuted.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from lmlir import gradient as section
from lmlir.distance import distance
from lmlir.intersection import (
    intersection_ratio,
    line_coefficients,
    segment_case,
    stable_discriminant,
)
from lmlir.ledger import witnesses
from lmlir.objective import objective
from lmlir.regions import mahalanobis_length
from lmlir.scalars import Parameters, frobenius_norm
from proofs.intersection import ROW_SAMPLES, traced_row
from proofs.steps import Proof, proof_of
from proofs.symbols import (
    Form,
    Sample,
    Space,
    Traced,
    any_triple,
    ball_with_roots,
    unwrapped,
    vanishes,
)

ALL_DIFFERENCES = (
    "x_i = o + w and x_j = o + w + d in any inner product space; v is the direction "
    "in which o moves."
)


def along(gradient: Any, direction: Any) -> Any:
    """The inner product of a gradient with a direction; the shipped rows may return the number
    0.
    """
    return unwrapped(gradient[0] * direction) if gradient[0] != 0 else 0


def derivative(number: Any, parameter: Traced) -> Any:
    """The derivative of a traced number by a parameter."""
    return (
        sp.diff(unwrapped(number), parameter.expression)
        if isinstance(number, Traced)
        else sp.Integer(0)
    )


def derivative_at_rest(number: Any, epsilon: Traced) -> Any:
    """The derivative by ε at ε = 0."""
    return derivative(number, epsilon).subs(epsilon.expression, 0)


def moving_center(row: int) -> tuple[Any, ...]:
    """A triple for which Table 2's row applies, with a center that can move: o + ε v."""
    sample, x_i, x_j, o, r = traced_row(row)
    v = x_i[0].space.vector("v", (1, 2))
    epsilon = sample.number("ε", 0)
    return x_i, x_j, o, [o[0] + v * epsilon], r, v, epsilon


@proof_of("Table 3")
def prove_table_3_row_by_row(proof: Proof) -> None:
    """Table 3: all five rows are the derivatives of γ by o and r, in any dimension."""
    proof.given(
        ALL_DIFFERENCES,
        "γ(ε) is what the code returns for the center o + εv; it is differentiated at ε = 0, and "
        "compared with "
        "∂γ/∂o · v.",
    )
    rows = {
        3: ("2 (λ_u < 0, λ_v < 0: γ = 0)", section.gradient_when_constant),
        5: ("2 (λ_u < 0, λ_v > 1: γ = 1)", section.gradient_when_constant),
        8: ("2 (λ_u > 1, λ_v > 1: γ = 0)", section.gradient_when_constant),
        6: (
            "3 (γ = λ_v − λ_u): ∂γ/∂o = 4Δ^(−1/2) [x_i − (b/2a)(x_j − x_i) − o]",
            section.gradient_within_segment,
        ),
        4: (
            "4 (γ = λ_v): ∂γ/∂o = (1/2a)[2(x_j − x_i) + ½Δ^(−1/2)(−4b(x_j − x_i) − 8a(o − x_i))]",
            section.gradient_around_start,
        ),
        7: (
            "5 (γ = 1 − λ_u): ∂γ/∂o = (1/2a)[−2(x_j − x_i) + ½Δ^(−1/2)(−4b(x_j − x_i) − 8a(o − "
            "x_i))]",
            section.gradient_around_end,
        ),
    }
    by_radius = {
        6: " and ∂γ/∂r = 4Δ^(−1/2) r",
        4: " and ∂γ/∂r = 2Δ^(−1/2) r",
        7: " and ∂γ/∂r = 2Δ^(−1/2) r",
    }
    for row, (text, function) in rows.items():
        x_i, x_j, o, moved, r, v, epsilon = moving_center(row)
        gamma = intersection_ratio(x_i, x_j, moved, r)
        slope_o = derivative_at_rest(gamma, epsilon)
        slope_r = derivative(intersection_ratio(x_i, x_j, o, r), r)
        checks = []
        for gradient in (function(x_i, x_j, o, r), section.ratio_gradient(x_i, x_j, o, r)):
            checks += [
                vanishes(along(gradient[0], v) - slope_o),
                vanishes(unwrapped(gradient[1]) - slope_r),
            ]
        proof.by_sympy(f"Row {text}{by_radius.get(row, ': both derivatives are 0')}.", *checks)
    sample = Sample()
    x_i, x_j, o = any_triple(Space(sample), (-9, 6), (18, 0))
    r = sample.number("r", 5)
    proof.by_sympy(
        "Row 1 (Δ < 0): γ = 0 nearby, both derivatives are 0. (On Δ = 0 see the tangency.)",
        segment_case(x_i, x_j, o, r) == 1,
        intersection_ratio(x_i, x_j, o, r) == 0,
        section.ratio_gradient(x_i, x_j, o, r) == ([0], 0),
        section.gradient_when_missing(x_i, x_j, o, r) == ([0], 0),
    )
    proof.therefore("Table 3 is right inside of its rows, where γ is differentiable.")


@proof_of("Table 3")
def prove_which_derivatives_jump_between_the_rows(proof: Proof) -> None:
    """Table 3: on the six boundaries between its rows γ is continuous; its derivatives jump by
    ±∇λ_u or ±∇λ_v, never by 0.
    """
    x_i, x_j, o, moved, r, v, epsilon = moving_center(6)
    u, v_ = line_coefficients(x_i, x_j, moved, r)
    by_o = {"u": derivative_at_rest(u, epsilon), "v": derivative_at_rest(v_, epsilon)}
    u, v_ = line_coefficients(x_i, x_j, o, r)
    by_r = {"u": derivative(u, r), "v": derivative(v_, r)}
    root = stable_discriminant(x_i, x_j, o, r).root()
    proof.given(
        ALL_DIFFERENCES,
        "Δ > 0 and r > 0. The rows of Table 3 are formulas; here they are compared as formulas.",
    )
    within = section.gradient_within_segment(x_i, x_j, o, r)
    start = section.gradient_around_start(x_i, x_j, o, r)
    end = section.gradient_around_end(x_i, x_j, o, r)
    proof.by_sympy(
        "Row 4 is ∇λ_v, row 5 is −∇λ_u, row 3 is ∇λ_v − ∇λ_u, both for o and for r.",
        vanishes(along(start[0], v) - by_o["v"]),
        vanishes(unwrapped(start[1]) - by_r["v"]),
        vanishes(along(end[0], v) + by_o["u"]),
        vanishes(unwrapped(end[1]) + by_r["u"]),
        vanishes(along(within[0], v) - by_o["v"] + by_o["u"]),
        vanishes(unwrapped(within[1]) - by_r["v"] + by_r["u"]),
    )
    proof.in_words(
        "Where λ_v passes 0 (γ = 0 | γ = λ_v) or 1 (λ_v | 1, and λ_v − λ_u | 1 − λ_u) the "
        "derivatives jump by ∇λ_v; "
        "where λ_u passes 0 (λ_v | λ_v − λ_u, and 1 | 1 − λ_u) or 1 (1 − λ_u | 0) by ∇λ_u: the six "
        "boundaries of "
        "Table 2."
    )
    proof.by_sympy(
        "∂λ_v/∂r = 2r/√Δ and ∂λ_u/∂r = −2r/√Δ: neither is 0, so ∂γ/∂r jumps on every boundary.",
        vanishes(by_r["v"] - unwrapped(2 * r / root)),
        vanishes(by_r["u"] + unwrapped(2 * r / root)),
    )
    proof.by_sympy(
        "∂λ_v/∂o = 2(v − o)/√Δ with v the crossing point, of length 2r/√Δ, and ∂λ_u/∂o = −2(u − "
        "o)/√Δ: not 0 either.",
        *(
            vanishes(
                sign * by_o[name]
                - unwrapped(2 * ((x_i[0] + (x_j[0] - x_i[0]) * root_at - o[0]) * v) / root)
            )
            for name, root_at, sign in (("v", v_, 1), ("u", u, -1))
        ),
    )
    one = Fraction(1)
    taken = {
        (-one, 0 * one): 4,
        (-one, one): 4,
        (0 * one, one / 2): 6,
        (0 * one, 2 * one): 7,
        (one / 2, one): 6,
        (one, 2 * one): 7,
    }
    proof.by_numbers(
        "On the boundary itself the code takes the row that is closed in Table 2: λ_v = 0 or 1 "
        "belongs to rows 4 "
        "and 6, λ_u = 0 or 1 to rows 6 and 7. It is one of the two one-sided derivatives.",
        *(segment_case(*ball_with_roots(*roots)) == row for roots, row in taken.items()),
    )
    proof.therefore(
        "γ has a kink on every boundary between two rows of Table 2 with Δ > 0; Table 3 gives one "
        "side of it."
    )


@proof_of("Table 3")
def prove_the_gradient_is_unbounded_at_a_tangency(proof: Proof) -> None:
    """Table 3 (E16): ∂γ/∂r and ‖∂γ/∂o‖ grow like Δ^(−1/2) at a tangency; the row Δ ≤ 0 hides an
    infinite slope.
    """
    proof.given(
        "x_i = (−1, 1), x_j = (1, 1), o = 0: the segment touches the ball of radius 1 at its "
        "middle."
    )
    _, x_i, x_j, o, r = traced_row(6)
    root = stable_discriminant(x_i, x_j, o, r).root()
    for row, function, factor in (
        (3, section.gradient_within_segment, 4),
        (4, section.gradient_around_start, 2),
        (5, section.gradient_around_end, 2),
    ):
        by_o, by_r = function(x_i, x_j, o, r)
        square = by_o[0] * by_o[0]
        Delta = root * root
        a = (x_j[0] - x_i[0]) * (x_j[0] - x_i[0])
        along_the_line = 0 if row == 3 else 1
        proof.by_sympy(
            f"Row {row}: √Δ ∂γ/∂r = {factor}r, and Δ‖∂γ/∂o‖² = {factor * factor}(r² − Δ/4a)"
            + (" + Δ/a" if along_the_line else "")
            + f": at Δ → 0 both √Δ ∂γ/∂r and √Δ‖∂γ/∂o‖ tend to {factor}r.",
            vanishes(root * by_r - factor * r),
            vanishes(
                Delta * square
                - factor * factor * (r * r - Delta / (4 * a))
                - along_the_line * Delta / a
            ),
        )
    k = Sample().number("k", 3)
    radius = (k * k + 1) / (k * k - 1)
    x_i, x_j, o = ([Fraction(c) for c in point] for point in ((-1, 1), (1, 1), (0, 0)))
    rise = intersection_ratio(x_i, x_j, o, radius) - intersection_ratio(x_i, x_j, o, Fraction(1))
    proof.by_sympy(
        "Along r = (k² + 1)/(k² − 1) → 1 the quotient (γ(r) − γ(1))/(r − 1) is k: it grows without "
        "bound.",
        vanishes(rise / (radius - 1) - k),
        sp.limit(radius.expression, k.expression, sp.oo) == 1,
    )
    witness = witnesses.geometry.steep_tangent()
    proof.by_numbers(f"E16: {witness.text}.", witness.refutes)
    proof.therefore(
        "A fixed step is unsafe near a tangency, and at one the one-sided ∂γ/∂r is +∞, not 0."
    )


@proof_of("Section 5.2, dD/dM(B)", "Section 5.2, dD/dM(A_s)")
def prove_the_gradients_by_the_metrics(proof: Proof) -> None:
    """Section 5.2, dD/dM(B) and Section 5.2, dD/dM(A_s): both are as printed."""
    proof.given("Every entry of M is a symbol of its own, γ does not depend on M, and d^T M d > 0.")
    for point in ((3, 4), (2, 3, 6)):
        sample = Sample()
        F = len(point)
        x_i = sample.vector("x", point)
        x_j = sample.vector("y", [0] * F)
        M = [[sample.number(f"m_{f + 1}{g + 1}", int(f == g)) for g in range(F)] for f in range(F)]
        length = mahalanobis_length(x_i, x_j, M)
        gradient = section.length_gradient(x_i, x_j, M)
        proof.by_sympy(
            f"∂D_M/∂M = ½ (d^T M d)^(−1/2) d d^T, all {F * F} entries in dimension {F}; one entry "
            "looks like any other.",
            *(
                vanishes(unwrapped(gradient[f][g]) - derivative(length, M[f][g]))
                for f in range(F)
                for g in range(F)
            ),
        )
    for visible, radius in ((True, 1), (False, 3)):
        sample = Sample()
        x_i = sample.vector("x", (-2, 0))
        x_j = sample.vector("y", (2, 0))
        metrics = [
            sample.metric(name, [[scale, 0], [0, scale]])
            for name, scale in (("A", 4), ("A'", 9), ("B", 1))
        ]
        Theta = ([[Fraction(0)] * 2] * 2, [Fraction(radius, 2)] * 2, metrics[:2], metrics[2])
        D = distance(x_i, x_j, *Theta)
        gradients = [section.distance_gradient_local_metric(x_i, x_j, s, *Theta) for s in (0, 1)]
        gradients.append(section.distance_gradient_background_metric(x_i, x_j, *Theta))
        checks = []
        for M, gradient in zip(metrics, gradients, strict=True):
            for f, g in ((0, 0), (0, 1), (1, 1)):
                # a symmetric M: its two equal entries move together
                twice = 1 if f == g else 2
                checks.append(vanishes(twice * unwrapped(gradient[f][g]) - derivative(D, M[f][g])))
        proof.by_sympy(
            "Two balls, any x_i and x_j, any symmetric metrics in the plane, γ_b "
            f"{'> 0' if visible else '= 0'}: "
            "∂D/∂M(A_s) = γ_s ∂D_M(A_s)/∂M(A_s), ∂D/∂M(B) = γ_b ∂D_M(B)/∂M(B)"
            + ("." if visible else " = 0."),
            *checks,
            visible or gradients[2] == [[0, 0], [0, 0]],
        )
    zero = [Fraction(0)] * 2
    proof.by_numbers(
        "Where x_i = x_j, or M d = 0, the length has no derivative, and 0 is taken.",
        section.length_gradient(zero, zero, [[1, 0], [0, 1]]) == [[0, 0], [0, 0]],
        section.length_gradient(zero, [Fraction(1)] * 2, [[0, 0], [0, 0]]) == [[0, 0], [0, 0]],
    )
    proof.therefore(
        "Both printed gradients are right; the indicator in ∂D/∂M(B) is redundant, since γ_b = 0 "
        "where it is 0."
    )


def two_balls(row: int, visible: bool) -> tuple[Any, Any, Parameters, Any, Any, Any]:
    """Two regions, the first in the given row of Table 2 and with a movable center; all metrics and
    points are symbols.
    """
    sample = Sample()
    space = Space(sample)
    w, d = ROW_SAMPLES[row]
    x_i, x_j, o = any_triple(space, w, d)
    v = space.vector("v", (1, 2))
    shift = space.vector("p", (w[0] + d[0], w[1]))
    epsilon = sample.number("ε", 0)
    r = sample.number("r", 5)
    r_2 = sample.number("r'", 1 if visible else 100)
    metrics = [[[Form("A", 9)]], [[Form("A'", 4)]], [[Form("B", 1)]]]
    moved = [o[0] + v * epsilon]
    other = [o[0] + shift]
    Theta = Parameters([o, other], [r, r_2], metrics[:2], metrics[2])
    return x_i, x_j, Theta, Theta._replace(centers=[moved, other]), v, epsilon


@proof_of("Section 5.2, dD/do_s", "Section 5.2, dD/dr_s")
def prove_the_gradients_by_center_and_radius(proof: Proof) -> None:
    """Section 5.2, dD/do_s and Section 5.2, dD/dr_s (E3): (D_M(A_s) − 1[1 − Σγ > 0] D_M(B)) times
    Table 3; with the printed plus both are false.
    """
    proof.given(
        ALL_DIFFERENCES,
        "Two regions with any metrics; the other one keeps its place. γ_b = max(1 − Σγ, 0), away "
        "from its kink.",
    )
    for row, name in ((6, "within the segment"), (4, "around its start"), (7, "around its end")):
        checks: list[bool] = []
        refuted: list[bool] = []
        for visible in (True, False):
            x_i, x_j, Theta, moved, v, epsilon = two_balls(row, visible)
            by_o = derivative_at_rest(distance(x_i, x_j, *moved), epsilon)
            by_r = derivative(distance(x_i, x_j, *Theta), Theta.radii[0])
            for printed, verdicts in (((), checks), (("E3",), refuted)):
                center = section.distance_gradient_center(x_i, x_j, 0, *Theta, printed=printed)
                radius = section.distance_gradient_radius(x_i, x_j, 0, *Theta, printed=printed)
                verdicts += [vanishes(along(center, v) - by_o), vanishes(unwrapped(radius) - by_r)]
        proof.by_sympy(
            f"The ball lies {name}: ∂D/∂o_s and ∂D/∂r_s are the derivatives of D, for γ_b > 0 and "
            "for γ_b = 0.",
            *checks,
        )
        proof.by_sympy(
            "The printed forms are not, where γ_b > 0; where γ_b = 0 the sign does not show.",
            refuted == [False, False, True, True],
        )
    witness = witnesses.learning.background_sign()
    proof.by_numbers(f"E3: {witness.text}.", witness.refutes)
    proof.therefore(
        "What region s gains, the background loses: the sign of the background's term is minus."
    )


@proof_of("Section 5.2, shrinkage")
def prove_the_shrinkage_term(proof: Proof) -> None:
    """Section 5.2, shrinkage (E4): the gradient of α‖M‖_F is αM/‖M‖_F, twice what is printed."""
    proof.given("Every entry of M is a symbol of its own; M ≠ 0.")
    samples: dict[int, list[list[int]]] = {
        1: [[2]],
        2: [[1, 2], [4, 10]],
        3: [[1, 0, 2], [2, 4, 0], [0, 0, 0]],
    }
    for F, values in samples.items():
        sample = Sample()
        M = [[sample.number(f"m_{f + 1}{g + 1}", values[f][g]) for g in range(F)] for f in range(F)]
        alpha = sample.number("α", 1)
        norm = frobenius_norm(M)
        true = section.shrinkage(M, alpha)
        printed = section.shrinkage(M, alpha, printed=["E4"])
        pairs = [(f, g) for f in range(F) for g in range(F)]
        slopes = {(f, g): derivative(alpha * norm, M[f][g]) for f, g in pairs}
        proof.by_sympy(
            f"Dimension {F}: ∂(α‖M‖_F)/∂m_fg = α m_fg/‖M‖_F for every entry; the printed one is "
            "half of it.",
            *(vanishes(unwrapped(true[f][g]) - slopes[f, g]) for f, g in pairs),
            *(vanishes(2 * unwrapped(printed[f][g]) - slopes[f, g]) for f, g in pairs),
        )
    proof.in_words(
        "In dimension F the norm is the root of a sum of F² squares; the derivative of each is the "
        "same one.",
        formal="frobenius_gradient",
    )
    witness = witnesses.learning.shrinkage_factor()
    proof.by_numbers(f"E4: {witness.text}.", witness.refutes)
    proof.by_numbers(
        "At M = 0 there is no gradient; 0 is taken.", section.shrinkage([[0]], Fraction(1)) == [[0]]
    )
    proof.therefore("The shrinkage term is αM/‖M‖_F.")


def learning_problem() -> tuple[Any, Any, Any, Parameters, Any, Any]:
    """Three points of the line, two regions, one similar and two dissimilar pairs; every number is
    a symbol.
    """
    sample = Sample()
    X = [sample.vector("x", [0]), sample.vector("y", [8]), sample.vector("z", [2])]
    Theta = Parameters(
        [sample.vector("o", [0]), sample.vector("o'", [4])],
        [sample.number("r", 1), sample.number("r'", 2)],
        [sample.metric("A", [[Fraction(1, 16)]]), sample.metric("A'", [[Fraction(1, 4)]])],
        sample.metric("B", [[Fraction(1, 9)]]),
    )
    return (
        X,
        [(0, 1)],
        [(0, 2), (2, 1)],
        Theta,
        sample.number("α", Fraction(1, 10)),
        sample.number("C", Fraction(1, 2)),
    )


def parameter_slopes(g: Traced, Theta: Parameters, gradient: Parameters) -> list[bool]:
    """For every number in Theta (one feature): whether the gradient is the derivative of g by
    it.
    """
    verdicts = []
    for s in range(len(Theta.radii)):
        verdicts.append(
            vanishes(unwrapped(gradient.centers[s][0]) - derivative(g, Theta.centers[s][0]))
        )
        verdicts.append(vanishes(unwrapped(gradient.radii[s]) - derivative(g, Theta.radii[s])))
        verdicts.append(
            vanishes(
                unwrapped(gradient.local_metrics[s][0][0])
                - derivative(g, Theta.local_metrics[s][0][0])
            )
        )
    verdicts.append(
        vanishes(
            unwrapped(gradient.background_metric[0][0])
            - derivative(g, Theta.background_metric[0][0])
        )
    )
    return verdicts


@proof_of("Section 5.2, gradient of g")
def prove_the_gradient_of_the_objective(proof: Proof) -> None:
    """Section 5.2, gradient of g (E2, E3, E4): the true gradient has a minus before the dissimilar
    pairs; each printed mistake is refuted.
    """
    X, similar, dissimilar, Theta, alpha, C = learning_problem()
    g = objective(X, similar, dissimilar, *Theta, alpha, C)
    proof.given(
        "Three points of the line, one similar and two dissimilar pairs with active hinges, two "
        "regions; all "
        "points, o_s, r_s, M(A_s), M(B), α and C are symbols.",
    )
    true = section.objective_gradient(X, similar, dissimilar, *Theta, alpha, C)
    proof.by_sympy(
        "∂g/∂Θ as computed is the derivative of g by each of its 7 parameters.",
        *parameter_slopes(g, Theta, true),
    )
    for mistake in ("E2", "E3", "E4"):
        printed = section.objective_gradient(
            X, similar, dissimilar, *Theta, alpha, C, printed=[mistake]
        )
        verdicts = parameter_slopes(g, Theta, printed)
        proof.by_sympy(f"With {mistake} as printed it is not.", not all(verdicts))
    far: Parameters[Any] = Parameters([], [], [], [[Fraction(100)]])
    exact = [[Fraction(0)], [Fraction(1)]]
    idle = section.objective_gradient(exact, [], [(0, 1)], *far, Fraction(0), Fraction(1, 2))
    proof.by_numbers(
        "A dissimilar pair further apart than 1 + C, or a similar one nearer than 1 − C, "
        "contributes nothing.",
        idle.background_metric == [[0]],
        section.objective_gradient(
            exact, [(0, 1)], [], [], [], [], [[Fraction(1, 100)]], 0, Fraction(1, 2)
        ).background_metric
        == [[0]],
    )
    proof.in_words(
        "g is a sum over pairs and metrics, so its gradient is the sum of what was derived above "
        "in any dimension: "
        "weights 1/N_1 and −1/N_2 times ∂D/∂Θ where the hinge is active, plus the shrinkage terms."
    )
    witness = witnesses.learning.dissimilar_sign()
    proof.by_numbers(f"E2: {witness.text}.", witness.refutes)
    proof.therefore("The gradient of g is the printed one with E2, E3 and E4 corrected.")
