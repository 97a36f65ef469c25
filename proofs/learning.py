"""The default learner (choice C19), proved: what smoothing does to minima, stationary factors, what
a split changes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from lmlir.distance import distance
from lmlir.gradient import objective_gradient
from lmlir.learning.engines import ReferenceProblem, hinge_slope, parameter_arrays, smoothed_hinge
from lmlir.learning.quasi_newton import Coordinates, split
from lmlir.objective import objective, penalty
from lmlir.scalars import Parameters
from proofs.steps import Proof, proof_of
from proofs.symbols import Sample, unwrapped, vanishes

ZERO = Fraction(0)
ONE = Fraction(1)


@proof_of("Section 5.2, objective g")
def prove_smoothing_moves_minima_by_at_most_its_width(proof: Proof) -> None:
    """Section 5.2, objective g (C19): the smoothed hinge [·]_η is convex with a continuous slope
    and lies at most η/2 below the hinge, so g − η ≤ g_η ≤ g, and what is lowest for g_η is within η
    of the lowest g.
    """
    proof.given(
        "t a slack and η > 0 a width, symbols; g_η is g with [·]_η in the place of each hinge."
    )
    pieces, slopes = [], []
    for value in (-1, Fraction(1, 2), 2):
        sample = Sample()
        t = sample.number("t", value)
        width = sample.number("η", 1)
        pieces.append(sp.sympify(unwrapped(smoothed_hinge(t, width))))
        slopes.append(sp.sympify(unwrapped(hinge_slope(t, width))))
    t, width = sp.Symbol("t", real=True), sp.Symbol("η", real=True)
    proof.by_sympy(
        "[t]_η = 0 for t ≤ 0, t²/(2η) for 0 < t < η, t − η/2 for t > η; its slope is 0, t/η, 1, "
        "and the code's "
        "slope is the derivative of the code's value.",
        *(
            vanishes(found - expected)
            for found, expected in zip(pieces, (0, t**2 / (2 * width), t - width / 2), strict=True)
        ),
        *(vanishes(sp.diff(piece, t) - slope) for piece, slope in zip(pieces, slopes, strict=True)),
    )
    proof.by_sympy(
        "Where the pieces meet, at t = 0 and at t = η, values and slopes agree: [·]_η is "
        "continuous with its slope.",
        *(
            vanishes((below - above).subs(t, place))
            for parts in (pieces, slopes)
            for below, above, place in ((parts[0], parts[1], 0), (parts[1], parts[2], width))
        ),
    )
    proof.by_sympy(
        "The slope rises with rate 0, 1/η, 0, never falls, and [·]_η is convex.",
        *(
            vanishes(sp.diff(slope, t) - rate)
            for slope, rate in zip(slopes, (0, 1 / width, 0), strict=True)
        ),
    )
    proof.by_sympy(
        "[t]_+ − [t]_η is 0, t(2η − t)/(2η) = η/2 − (η − t)²/(2η), η/2: between 0 and η/2 in each "
        "piece.",
        vanishes(pieces[0]),
        vanishes(t - pieces[1] - t * (2 * width - t) / (2 * width)),
        vanishes(t - pieces[1] - width / 2 + (width - t) ** 2 / (2 * width)),
        vanishes(t - pieces[2] - width / 2),
    )
    problem = ReferenceProblem([[0.0], [2.0], [1.0]], [(0, 1)], [(0, 2)], alpha=1.0, C=0.5)
    Theta: Parameters[Any] = Parameters([], [], [], [[1.0]])
    found = [problem.smoothed(Theta, width) for width in (1.0, 0.0)]
    proof.by_floats(
        "The engine: slacks 3/2 and 1/2 with penalty 1 and η = 1 give g_η = 1 + 1/8 + 1 = 17/8 and "
        "g = 3; with width "
        "0 both are g. The numbers have finite binary fractions, so nothing is rounded.",
        (found[0][0], found[0][2]) == (2.125, 3.0),
        (found[1][0], found[1][2]) == (3.0, 3.0),
    )
    proof.in_words(
        "g has two averages of hinges, each lowered by at most η/2: g − η ≤ g_η ≤ g everywhere. If "
        "g_η(Θ) ≤ inf g_η + "
        "ε, then g(Θ) ≤ g_η(Θ) + η ≤ inf g_η + ε + η ≤ inf g + ε + η, over the whole domain or "
        "over any part of it. "
        "That bounds values; minimizers may be far from each other where g is flat."
    )
    proof.therefore(
        "With widths that shrink to 0 the lowest values of g_η approach that of g; the last stage "
        "is g."
    )


def symbol_matrix(name: str) -> Any:
    """A 2 x 2 matrix of symbols, symmetric if its name is G, as an array of objects."""
    entries = [
        [f"{min(f, g)}{max(f, g)}" if name == "G" else f"{f}{g}" for g in (1, 2)] for f in (1, 2)
    ]
    return np.array(
        [[sp.Symbol(f"{name}_{entry}", real=True) for entry in row] for row in entries],
        dtype=object,
    )


def background_slope(L: Any, G: Any) -> Any:
    """The slope in L that the learner hands to its minimizer, when the slope in M(B) is G and there
    is no region.
    """
    coordinates = Coordinates(parameter_arrays(Parameters([], [], [], np.eye(2))), ["metrics"])
    empty = np.zeros((0, 2)), np.zeros(0), np.zeros((0, 2, 2))
    return coordinates.slope(np.asarray(L).ravel(), Parameters(*empty, np.asarray(G))).reshape(2, 2)


def are_zero(entries: Any) -> list[bool]:
    """Whether each entry of an array of expressions vanishes."""
    return [vanishes(sp.sympify(entry)) for entry in np.asarray(entries).ravel()]


@proof_of("Section 5.2, gradient descent")
def prove_what_a_stationary_factor_is(proof: Proof) -> None:
    """Section 5.2, gradient descent (C19): over M = L L^T the slope is 2GL.

    A stationary L has GM = 0; first-order optimality over the cone needs G ≥ 0 besides, which an
    invertible L and every local minimum have, and L = 0 need not have.
    """
    proof.given(
        "G = ∂g/∂M at M = L L^T, symmetric; symbols of size 2 x 2, and the same lines in any size. "
        "g differentiable at M.",
    )
    L = symbol_matrix("L")
    G = symbol_matrix("G")
    coordinates = Coordinates(parameter_arrays(Parameters([], [], [], np.eye(2))), ["metrics"])
    M = coordinates.parameters(L.ravel()).background_metric
    slope = background_slope(L, G)
    linear = sum((G * M).ravel())
    proof.by_sympy(
        "The learner's M is L L^T, and its slope, the derivative of ⟨G, L L^T⟩ by each entry of L, "
        "is 2GL.",
        *are_zero(M - L @ L.T),
        *are_zero(slope - np.vectorize(lambda entry: sp.diff(linear, entry), otypes=[object])(L)),
        *are_zero(slope - 2 * G @ L),
    )
    adjugate = np.array([[L[1, 1], -L[0, 1]], [-L[1, 0], L[0, 0]]], dtype=object)
    determinant = L[0, 0] * L[1, 1] - L[0, 1] * L[1, 0]
    proof.by_sympy(
        "2GL adj(L) = 2 det(L) G: where L is invertible, a slope of 0 means G = 0, and M is "
        "stationary, too.",
        *are_zero(slope @ adjugate - 2 * determinant * G),
    )
    proof.by_sympy("2GL L^T = 2GM: a stationary L has GM = 0.", *are_zero(slope @ L.T - 2 * G @ M))
    proof.by_sympy(
        "At L = 0 the slope is 0 whatever G is: a metric that is 0 stays 0.",
        *are_zero(background_slope(np.zeros((2, 2), dtype=object), G)),
    )
    A = symbol_matrix("A")
    B = symbol_matrix("B")
    proof.by_sympy(
        "⟨A A^T, B B^T⟩ = ‖A^T B‖² ≥ 0: for G ≥ 0 with GM = 0 and any metric N, g changes from M "
        "towards N at the "
        "rate ⟨G, N − M⟩ = ⟨G, N⟩ ≥ 0. That is first-order optimality over the cone.",
        *are_zero(sum(((A @ A.T) * (B @ B.T)).ravel()) - sum(((A.T @ B) ** 2).ravel())),
    )
    counterexample(proof)
    a, b, c, s, t = sp.symbols("a b c s t", real=True)
    v = np.array([[a], [b]], dtype=object)
    w = np.array([[-s], [c]], dtype=object)
    # lost @ w = 0
    lost = np.array([[L[0, 0]], [L[1, 0]]], dtype=object) @ np.array([[c, s]], dtype=object)
    moved = lost + t * v @ w.T
    proof.by_sympy(
        "If Lw = 0 for w = (−s, c) ≠ 0, then (L + t v w^T)(L + t v w^T)^T = M + t² ‖w‖² v v^T for "
        "every v.",
        *are_zero(lost @ w),
        *are_zero(moved @ moved.T - lost @ lost.T - t**2 * (c**2 + s**2) * v @ v.T),
    )
    proof.in_words(
        "At a local minimum L without full rank that gives g(M + t² v v^T) ≥ g(M) for small t, so "
        "v^T G v ≥ 0 for every "
        "v. So every local minimum of the factored problem has G ≥ 0 and GM = 0. Saddle points "
        "such as the one above "
        "need not; there the descent can stop, too."
    )
    proof.therefore(
        "Every local minimum over factors meets the first-order conditions over the cone; "
        "stationary points of low rank "
        "need not, L = 0 among them."
    )


def counterexample(proof: Proof) -> None:
    """A stationary factor at which g falls in a direction that the factor lacks, on the shipped
    functions.
    """
    X: list[list[Any]] = [[ZERO, ZERO], [ONE, ONE], [ONE, -ONE]]
    pairs = [(0, 1), (0, 2)]
    half = Fraction(1, 2)
    C = Fraction(1, 2)
    low = [[ONE, ZERO], [ZERO, ZERO]]
    G = objective_gradient(X, [], pairs, [], [], [], low, half, C).background_metric
    values = [
        objective(X, [], pairs, [], [], [], [[ONE, ZERO], [ZERO, t]], half, C)
        for t in (ZERO, Fraction(9, 16))
    ]
    proof.by_numbers(
        "G ≥ 0 does not follow from GM = 0: two dissimilar pairs with differences (1, 1) and (1, "
        "−1), α = C = 1/2, M = "
        "diag(1, 0). There G = diag(0, −1/2), so 2GL = 0 for L = diag(1, 0).",
        [[0, 0], [0, -half]] == G,
        *are_zero(background_slope(np.array(low, dtype=object), np.array(G, dtype=object))),
        values[0] == 1,
    )
    proof.by_floats(
        f"And g falls from 1 at diag(1, 0) to {float(values[1]):.4f} at diag(1, 9/16).",
        float(values[1]) < 0.83,
    )


@proof_of("Section 5.2, gradient descent", "Equation (9)")
def prove_a_split_halves_the_penalty_and_changes_no_distance(proof: Proof) -> None:
    """Section 5.2, gradient descent (C19), and equation (9): two equal balls with a quarter of the
    metric each measure what one ball with all of it measures, where the background does not count,
    at half of the penalty.
    """
    proof.given(
        "A ball with the metric M, M(B) = 0; the split puts a second ball onto it, each with M/4."
    )
    for text, end in (
        ("The segment inside the ball", (1, 0)),
        ("A quarter of the segment inside", (4, 0)),
    ):
        sample = Sample()
        M = sample.metric("m", [[2, 1], [1, 3]])
        quarter = [[entry / 4 for entry in row] for row in M]
        x = [ZERO, ZERO]
        y = [Fraction(z) for z in end]
        o = [ZERO, ZERO]
        r = ONE
        nothing = [[ZERO, ZERO], [ZERO, ZERO]]
        one = distance(x, y, [o], [r], [M], nothing)
        two = distance(x, y, [o, o], [r, r], [quarter, quarter], nothing)
        proof.by_sympy(
            f"{text}: 2 γ √(d^T (M/4) d) = γ √(d^T M d), for every M.", vanishes(two - one)
        )
    sample = Sample()
    M = sample.metric("m", [[2, 1], [1, 3]])
    alpha = sample.number("α", 1)
    quarter = [[entry / 4 for entry in row] for row in M]
    nothing = [[ZERO, ZERO], [ZERO, ZERO]]
    proof.by_sympy(
        "The penalty goes from α‖M‖_F to 2α‖M/4‖_F = α‖M‖_F/2.",
        vanishes(penalty([quarter, quarter], nothing, alpha) - penalty([M], nothing, alpha) / 2),
    )
    Theta = Parameters(
        np.array([[0.0], [5.0]]),
        np.array([1.0, 2.0]),
        np.array([[[16.0]], [[1.0]]]),
        np.zeros((1, 1)),
    )
    parted = split(Theta, growth=1.0)
    proof.by_floats(
        "The learner's split of metrics 16 and 1: both balls where the stronger one was, with "
        "metric 4 each. The numbers "
        "have finite binary fractions, so nothing is rounded.",
        [part.tolist() for part in parted]
        == [[[0.0], [0.0]], [1.0, 1.0], [[[4.0]], [[4.0]]], [[0.0]]],
    )
    x = [ZERO]
    y = [Fraction(4)]
    ball = ([ZERO], ONE)
    lengths = [
        distance(x, y, [ball[0]] * n, [ball[1]] * n, [[[Fraction(4, n * n)]]] * n, [[ONE]])
        for n in (1, 2)
    ]
    proof.by_numbers(
        "The background counts where it measures something: with M = 4, M(B) = 1 and a quarter of "
        "a segment of length 4 "
        "inside, D goes from 5 to 4, because γ_b = 1 − Σγ loses the shared part twice.",
        lengths == [5, 4],
    )
    proof.in_words(
        "In any dimension only d^T M d enters, and (9) adds γ_s √(d^T M(A_s) d). The learner makes "
        "the copy 5 % larger, "
        "which changes distances a little; it keeps a split only when g ends lower."
    )
    proof.therefore(
        "A split takes the reward of erratum E14: half of the strongest region's penalty, for a "
        "region that hardly counted."
    )
