"""Section 5.2, gradient descent, proved: the projections are the nearest points, and a step goes
downhill.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from lmlir import descent as section
from lmlir.gradient import objective_gradient
from lmlir.objective import objective
from lmlir.scalars import Parameters
from proofs.steps import Proof, proof_of
from proofs.symbols import Sample, unwrapped, vanishes

ZERO = Fraction(0)
ONE = Fraction(1)


def inner(A: Any, B: Any) -> Any:
    """The Frobenius inner product."""
    return sum(
        unwrapped(a) * unwrapped(b)
        for row, other in zip(A, B, strict=True)
        for a, b in zip(row, other, strict=True)
    )


def minus(A: Any, B: Any) -> list[list[Any]]:
    """The difference of two matrices."""
    return [
        [unwrapped(a) - unwrapped(b) for a, b in zip(row, other, strict=True)]
        for row, other in zip(A, B, strict=True)
    ]


@proof_of("Section 5.2, gradient descent")
def prove_clipping_eigenvalues_is_the_nearest_metric(proof: Proof) -> None:
    """Section 5.2, gradient descent (C2): the positive semi-definite matrix nearest to a symmetric
    M in the Frobenius norm is M with its negative eigenvalues replaced by 0.
    """
    proof.given(
        "M = λ_1 v_1 v_1^T + λ_2 v_2 v_2^T, v_1 = (c, s), v_2 = (−s, c), c = (1 − t²)/(1 + t²), s "
        "= 2t/(1 + t²); M₊ "
        "is what the code returns, M₋ = M₊ − M; P is any symmetric matrix.",
    )
    for signs, text in (
        ((3, -2), "λ_1 > 0 > λ_2"),
        ((-3, -2), "0 > λ_1, λ_2"),
        ((3, 2), "λ_1, λ_2 > 0"),
    ):
        sample = Sample()
        t = sample.number("t", Fraction(1, 2))
        values = [sample.number(f"λ_{k + 1}", sign) for k, sign in enumerate(signs)]
        c = (1 - t * t) / (1 + t * t)
        s = 2 * t / (1 + t * t)
        vectors = [[c, -s], [s, c]]
        P = sample.metric("p", [[1, 0], [0, 1]])
        M = [
            [sum(values[k] * vectors[f][k] * vectors[g][k] for k in range(2)) for g in range(2)]
            for f in range(2)
        ]
        plus = section.clipped_spectrum(values, vectors)
        below = minus(plus, M)
        negative = sum(
            max(-values[k].value, ZERO)
            / -values[k].value
            * -values[k]
            * quadratic(P, [vectors[0][k], vectors[1][k]])
            for k in range(2)
            if values[k].value < 0
        )
        proof.by_sympy(
            f"{text}: ‖M − P‖² = ‖M₊ − P‖² + ‖M₋‖² + 2⟨P, M₋⟩, and ⟨P, M₋⟩ = Σ |λ_k| v_k^T P v_k "
            "over the negative λ_k.",
            vanishes(
                inner(minus(M, P), minus(M, P))
                - inner(minus(plus, P), minus(plus, P))
                - inner(below, below)
                - 2 * inner(P, below)
            ),
            vanishes(inner(P, below) - unwrapped(negative)),
            vanishes(inner(plus, below)),
        )
    proof.in_words(
        "For positive semi-definite P each v_k^T P v_k ≥ 0, so ‖M − P‖² ≥ ‖M₋‖² = ‖M − M₊‖², with "
        "equality only for "
        "P = M₊. In dimension F the same two lines: M = M₊ − M₋ with ⟨M₊, M₋⟩ = 0, because "
        "eigenvectors are "
        "orthogonal, and ⟨P, M₋⟩ = Σ |λ_k| v_k^T P v_k ≥ 0.",
        formal="clipping_is_the_nearest_metric, spectral_theorem",
    )
    skew = [[ZERO, ONE], [-ONE, ZERO]]
    sample = Sample()
    A = [[sample.number(f"a_{f}{g}", f + 2 * g) for g in range(2)] for f in range(2)]
    part = section.symmetric_part(A)
    proof.by_sympy(
        "A matrix that is not symmetric: ‖A − P‖² = ‖sym A − P‖² + ‖A − sym A‖² for symmetric P, "
        "so the symmetric "
        "part comes first.",
        vanishes(inner(minus(A, part), part)),
        vanishes(unwrapped(part[0][1] - part[1][0])),
        section.symmetric_part(skew) == [[0, 0], [0, 0]],
    )
    tried = section.nearest_positive_semidefinite([[1.0, 2.0], [2.0, 1.0]])
    proof.by_floats(
        "The whole function: [[1, 2], [2, 1]] has eigenvalues 3 and −1 and goes to 3/2 in every "
        "entry, up to 1e−15; "
        "a metric is left alone.",
        all(abs(entry - 1.5) < 1e-15 for row in tried for entry in row),
        section.nearest_positive_semidefinite([[2.0, 1.0], [1.0, 2.0]]) == [[2.0, 1.0], [1.0, 2.0]],
        section.nearest_positive_semidefinite([[2.0, 0.0], [0.0, -1.0]])
        == [[2.0, 0.0], [0.0, 0.0]],
    )
    proof.therefore("Clipping eigenvalues is the projection onto the cone of metrics (choice C2).")


def quadratic(P: Any, v: Any) -> Any:
    """v^T P v."""
    return sum(v[f] * P[f][g] * v[g] for f in range(len(v)) for g in range(len(v)))


@proof_of("Section 5.2, gradient descent")
def prove_a_step_goes_downhill(proof: Proof) -> None:
    """Section 5.2, gradient descent (C3): Θ − β ∂g/∂Θ moves every parameter against its slope, so g
    falls at the rate ‖∂g/∂Θ‖² where no projection acts; negative radii become 0, the nearest
    allowed.
    """
    sample = Sample()
    theta = sample.vector("θ", (1, 2))
    slope = sample.vector("g", (3, 4))
    beta = sample.number("β", Fraction(1, 10))
    moved = section.moved(theta, slope, beta)
    proof.given("Θ with its slope ∂g/∂Θ, a rate β > 0.")
    proof.by_sympy(
        "θ' = θ − β ∂g/∂θ, so ⟨∂g/∂θ, θ' − θ⟩ = −β ‖∂g/∂θ‖² ≤ 0.",
        *(vanishes(new - old + beta * g) for new, old, g in zip(moved, theta, slope, strict=True)),
    )
    Theta = Parameters([[ZERO]], [ONE], [[[4.0]]], [[1.0]])
    slopes = Parameters([[ONE]], [Fraction(-2)], [[[2.0]]], [[-1.0]])
    step = section.descended(Theta, slopes, Fraction(1, 2))
    proof.by_numbers(
        "All four kinds of parameters move: o = 0, r = 1, M(A) = 4, M(B) = 1 with slopes 1, −2, 2, "
        "−1 and β = 1/2 "
        "go to −1/2, 2, 3, 3/2.",
        step.centers == [[Fraction(-1, 2)]],
        step.radii == [2],
        step.local_metrics == [[[3.0]]],
        step.background_metric == [[1.5]],
    )
    places = [Fraction(n, 2) for n in range(-4, 5)]
    proof.by_numbers(
        "For r < 0 the nearest radius ≥ 0 is 0, for r ≥ 0 it is r: against every candidate of a "
        "grid.",
        *(
            abs(section.nearest_radius(r) - r) <= abs(p - r)
            for r in places
            for p in places
            if p >= 0
        ),
        *(section.nearest_radius(r) >= 0 for r in places),
    )
    X = [[ZERO], [Fraction(2)], [ONE]]
    similar = [(0, 1)]
    dissimilar = [(0, 2)]
    start: Parameters[Any] = Parameters([[ZERO]], [ONE / 2], [[[ONE]]], [[ONE]])
    gradient = objective_gradient(X, similar, dissimilar, *start, ONE / 10, ONE / 2)
    before = objective(X, similar, dissimilar, *start, ONE / 10, ONE / 2)
    after = section.descent_step(
        X, similar, dissimilar, *start, ONE / 10, ONE / 2, Fraction(1, 100)
    )
    value = objective(X, similar, dissimilar, *after, 0.1, 0.5)
    rate = sum(
        float(x) ** 2
        for x in (
            gradient.centers[0][0],
            gradient.radii[0],
            gradient.local_metrics[0][0][0],
            gradient.background_metric[0][0],
        )
    )
    proof.by_floats(
        f"A step of rate 1/100 on the line: g falls from {float(before):.6f} to "
        f"{float(value):.6f}, at the rate "
        f"‖∂g/∂Θ‖² = {rate:.4f} up to 2 %.",
        bool(value < before),
        abs((float(before) - float(value)) / 0.01 - rate) < 0.02 * rate,
    )
    proof.in_words(
        "Where g is differentiable, g(Θ − βG) = g(Θ) − β‖G‖² + o(β) with G = ∂g/∂Θ: that is the "
        "definition of a "
        "gradient, and for G ≠ 0 it is less than g(Θ) for all small enough β. How small depends on "
        "Θ: near a tangency"
        " the gradient is unbounded (Table 3). On kinks nothing is claimed."
    )
    b, L, t, G = sp.symbols("β L t G", positive=True)
    rise = sp.integrate(L * b * t * G * b * G, (t, 0, 1))
    proof.in_words(
        "Let ∂g/∂Θ be Lipschitz with constant L on the segment from Θ to Θ − βG. Then g(Θ − βG) − "
        "g(Θ) is the "
        "integral over t from 0 to 1 of ⟨∂g/∂Θ(Θ − tβG), −βG⟩; replacing the gradient by G, its "
        "value at t = 0, gives"
        " −β‖G‖² and costs at most the integral of L tβ‖G‖ · β‖G‖."
    )
    proof.by_sympy(
        "That integral is β²L‖G‖²/2. So g falls by at least β‖G‖² − β²L‖G‖²/2 = β(1 − βL/2)‖G‖², "
        "which is positive "
        "for β < 2/L and largest at β = 1/L.",
        vanishes(rise - b**2 * L * G**2 / 2),
        vanishes(b * G**2 - rise - b * (1 - b * L / 2) * G**2),
        sp.solve(b * (1 - b * L / 2), b) == [2 / L],
        sp.solve(sp.diff(b * (1 - b * L / 2), b), b) == [1 / L],
        sp.diff(b * (1 - b * L / 2), b, 2) == -L,
    )
    proof.therefore(
        "Where g is smooth, descent with small enough steps lowers it; how small is not known in "
        "advance, so a rule "
        "that must not raise g (backtracking) is the least one needs."
    )
