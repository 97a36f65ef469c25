"""Section 2, proved: where the balls are, and that every metric measures a seminorm."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from lmlir import regions as section
from lmlir.distance import euclidean_distance
from lmlir.scalars import difference, dot, quadratic_form
from proofs.steps import Proof, proof_of
from proofs.symbols import Form, Sample, Space, vanishes


@proof_of("Definition 1", "Equation (1)", "Equation (2)")
def prove_the_code_computes_an_inner_product(proof: Proof) -> None:
    """Definition 1, equation (1), and equation (2): `dot` is Σ_f u_f v_f and `quadratic_form` is
    Σ_f Σ_g d_f M_fg d_g, so what is proved from inner products alone holds for coordinates, in
    every dimension.
    """
    proof.given("Indexed symbols u[f], v[f], M[f, g]; the sums run over f, g = 0, ..., F − 1.")
    u = sp.IndexedBase("u")
    v = sp.IndexedBase("v")
    M = sp.IndexedBase("M")
    f, g = sp.symbols("f g", integer=True)
    for F in (1, 2, 3, 7):
        a, b = [u[k] for k in range(F)], [v[k] for k in range(F)]
        matrix = [[M[row, column] for column in range(F)] for row in range(F)]
        inner = sp.Sum(u[f] * v[f], (f, 0, F - 1)).doit()
        form = sp.Sum(u[f] * M[f, g] * u[g], (f, 0, F - 1), (g, 0, F - 1)).doit()
        proof.by_sympy(
            f"F = {F}: dot(u, v) = Σ u[f] v[f], quadratic_form(u, M) = ΣΣ u[f] M[f, g] u[g], "
            "difference(u, v)[f] = u[f] − v[f].",
            sp.expand(dot(a, b) - inner) == 0,
            sp.expand(quadratic_form(a, matrix) - form) == 0,
            all(sp.expand(c - (u[k] - v[k])) == 0 for k, c in enumerate(difference(a, b))),
        )
    proof.in_words(
        "The functions are loops over the coordinates that add one term each, so the same holds "
        "for every F. The "
        "sum is bilinear, symmetric and positive: an inner product. A proof that uses nothing else "
        "of x_i, x_j and "
        "o covers every dimension."
    )
    proof.therefore(
        "Vectors of which only inner products are known stand for points with any number of "
        "coordinates."
    )


@proof_of("Definition 1", "Equation (1)", "Definition 2")
def prove_balls_and_background_share_out_the_space(proof: Proof) -> None:
    """Definition 1, equation (1) and Definition 2: a ball is {x: (o − x)·(o − x) ≤ r²}, the sphere
    included; the background is the rest.
    """
    proof.given("x = o + w in any inner product space.")
    for value, inside in ((3, True), (5, True), (7, False)):
        sample = Sample()
        space = Space(sample)
        o = space.vector("o", (0, 0))
        w = space.vector("w", (value, 0))
        r = sample.number("r", 5)
        answer = section.is_in_ball([o + w], [o], r)
        conditions = [condition for condition, _ in sample.conditions]
        square = sp.Symbol("w·w", real=True) - sp.Symbol("r", real=True) ** 2
        proof.by_sympy(
            f"‖w‖ = {value}, r = 5: {'inside' if inside else 'outside'}; what was asked is the "
            "sign of w·w − r² and "
            "that r ≥ 0, no more.",
            answer is inside,
            all(vanishes(c - square) or c == sp.Symbol("r", real=True) for c in conditions),
            any(vanishes(c - square) for c in conditions),
        )
    centers = [[Fraction(0)], [Fraction(3)]]
    radii = [Fraction(1), Fraction(1)]
    places = [Fraction(n, 2) for n in range(-4, 11)]
    proof.by_numbers(
        f"Of {len(places)} points of the line, each is in the background exactly when no ball "
        "contains it; end "
        "points belong to the ball.",
        *(
            section.is_in_background([x], centers, radii) is not (-1 <= x <= 1 or 2 <= x <= 4)
            for x in places
        ),
    )
    space = Space()
    u, v = space.vector("u"), space.vector("v")
    length = euclidean_distance([u], [v])
    proof.by_sympy(
        "Balls are located by the Euclidean distance: its square is (u − v)·(u − v).",
        vanishes(length**2 - (u - v) * (u - v)),
    )
    proof.therefore("Every point is in the background or in a ball, never in both.")


@proof_of("Definition 3", "Definition 4", "Equation (2)")
def prove_every_metric_measures_a_seminorm(proof: Proof) -> None:
    """Definition 3, equation (2) and Definition 4: for positive semi-definite M the length is
    symmetric, homogeneous, and obeys the triangle inequality.
    """
    sample = Sample()
    space = Space(sample)
    x = space.vector("x", (1, 2))
    y = space.vector("y", (4, 6))
    t = sample.number("t", 3)
    M = [[Form("M", 1)]]
    proof.given(
        "u^T M v is any symmetric bilinear form with u^T M u ≥ 0; n(u) = √(u^T M u). Any dimension."
    )
    form = Form("M", 1)
    d = x - y
    for name, length in (
        ("Definition 3", section.local_length),
        ("Definition 4", section.background_length),
    ):
        square = length([x], [y], M) * length([x], [y], M)
        proof.by_sympy(
            f"{name}: l² = (x − y)^T M (x − y), plain and not squared.",
            vanishes(square - d * (form * d)),
        )
    n = section.mahalanobis_length([x], [y], M)
    proof.by_sympy(
        "n(y − x) = n(x − y), and n(t(x − y)) = t n(x − y) for t ≥ 0.",
        vanishes(section.mahalanobis_length([y], [x], M) - n),
        vanishes(section.mahalanobis_length([x * t], [y * t], M) - t * n),
    )
    for F in (2, 3):
        u = sp.symbols(f"u_:{F}", real=True)
        v = sp.symbols(f"v_:{F}", real=True)
        R = sp.Matrix(
            F,
            F,
            lambda row, column: sp.Symbol(f"r_{row}{column}", real=True) if row <= column else 0,
        )
        metric = (R.T * R).tolist()
        zero = [sp.Integer(0)] * F
        minus_v = [-c for c in v]
        uu, vv, both = (
            section.mahalanobis_length(p, q, metric) ** 2
            for p, q in ((u, zero), (v, zero), (u, minus_v))
        )
        uv = (both - uu - vv) / 2
        p, q = list(R * sp.Matrix(u)), list(R * sp.Matrix(v))
        squares = sum((p[i] * q[j] - p[j] * q[i]) ** 2 for i in range(F) for j in range(i))
        proof.by_sympy(
            f"Cauchy–Schwarz in dimension {F}: with M = R^T R, R triangular, n(u)²n(v)² − (u^T M "
            "v)² is a sum of "
            "squares (Lagrange).",
            vanishes(uu * vv - uv**2 - squares),
        )
    a, b, c = sp.symbols("n_u n_v c", real=True)
    proof.by_sympy(
        "(n(u) + n(v))² − n(u + v)² = 2(n(u)n(v) − u^T M v) ≥ 0: the triangle inequality.",
        vanishes((a + b) ** 2 - (a**2 + b**2 + 2 * c) - 2 * (a * b - c)),
    )
    proof.in_words(
        "Every positive semi-definite M is R^T R with a triangular R (Cholesky), and Lagrange's "
        "identity holds with "
        "F(F − 1)/2 squares in dimension F. n(u) = 0 exactly when Ru = 0; only for u = 0 when M is "
        "positive "
        "definite.",
        formal="cauchy_schwarz, triangle",
    )
    signs = [
        section.mahalanobis_length(
            [Fraction(i), Fraction(j)], [Fraction(0), Fraction(0)], [[4, 0], [0, 9]]
        )
        ** 2
        == 4 * i * i + 9 * j * j
        for i, j in product((3, 0), (0, 2))
        if i == 0 or j == 0
    ]
    proof.by_numbers("M = diag(4, 9): lengths 6 on both axes at 3 and at 2, and 0 at 0.", *signs)
    proof.therefore(
        "Each region's length is a seminorm, a norm when its metric is positive definite."
    )
