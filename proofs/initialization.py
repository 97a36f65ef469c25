"""Section 5.2, initial values, proved: when the first metrics are metrics, and when the start lies
on a kink.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from lmlir import initialization as section
from lmlir.intersection import intersection_ratio
from proofs.steps import Proof, proof_of
from proofs.symbols import Sample, unwrapped, vanishes

ZERO = Fraction(0)
ONE = Fraction(1)
TENTH = Fraction(1, 10)


def lonely_instance(K: int) -> tuple[list[list[Fraction]], list[int]]:
    """Unit-length data of the line: one instance at 1 whose class is at -1, among K + 1 of the
    other class at 1.
    """
    return [[ONE], *([[-ONE]] * K), *([[ONE]] * (K + 1))], [0, *([0] * K), *([1] * (K + 1))]


@proof_of("Section 5.2, h(x)", "Section 5.2, step 1", "Section 5.2, step 3")
def prove_when_the_initial_metric_is_a_metric(proof: Proof) -> None:
    """Section 5.2, h(x), Section 5.2, step 1 and Section 5.2, step 3: on unit-length data I + 0.1
    diag(mean h) is positive semi-definite for K ≤ 5, and need not be for K ≥ 6.
    """
    sample = Sample()
    X = [sample.vector("x", (0, 0)), sample.vector("y", (1, 2)), sample.vector("z", (2, -3))]
    h = section.discriminative_direction(X, [0, 0, 1], 0, 1)
    proof.given("K neighbors of each kind; ‖x‖ = 1 for every instance, so |x[f]| ≤ 1.")
    proof.by_sympy(
        "h(x)[f] = Σ |x_k[f] − x[f]| − Σ |x_j[f] − x[f]|, others minus own class; for K = 1 in the "
        "plane |z_f − "
        "x_f| − |y_f − x_f|.",
        vanishes(unwrapped(h[0]) - unwrapped((X[2][0] - X[0][0]) - (X[1][0] - X[0][0]))),
        vanishes(unwrapped(h[1]) - unwrapped((X[0][1] - X[2][1]) - (X[1][1] - X[0][1]))),
    )
    proof.in_words(
        "Each own-class term is at most 2 and each other one at least 0, so h[f] ≥ −2K, and so is "
        "every mean: 1 + "
        "0.1 mean h[f] ≥ 1 − K/5."
    )
    values = {}
    for K in (1, 5, 6, 10):
        X_K, y = lonely_instance(K)
        direction = section.discriminative_direction(X_K, y, 0, K)
        values[K] = section.initial_metric([direction], TENTH)[0][0]
    proof.by_numbers(
        "The bound is reached by an instance at 1 whose class is at −1, alone in its cluster, with "
        "the other class at 1: "
        + ", ".join(f"1 + h/10 = {value} for K = {K}" for K, value in values.items())
        + ".",
        *(value == 1 - Fraction(K, 5) for K, value in values.items()),
        values[5] == 0 > values[6],
    )
    sample = Sample()
    first = sample.vector("h", (1, 2))
    second = sample.vector("h'", (3, 4))
    M = section.initial_metric([first, second], TENTH)
    proof.by_sympy(
        "The metric is diagonal, with 1 + (mean h[f])/10 on the diagonal: its eigenvalues are its "
        "entries.",
        vanishes(M[0][0] - 1 - (first[0] + second[0]) / 20),
        vanishes(M[1][1] - 1 - (first[1] + second[1]) / 20),
        M[0][1] == 0 == M[1][0],
    )
    X_6, y = lonely_instance(6)
    moved = [[float(x[0]) + 0.001 * i] for i, x in enumerate(X_6)]
    start = section.initial_parameters(moved, y, S=3, K=6)
    proof.by_numbers(
        "Choice C8: what leaves the cone is put on its boundary, so every initial metric is one (K "
        "= 6, three clusters).",
        all(M[0][0] >= 0 for M in start.local_metrics),
        any(M[0][0] == 0 for M in start.local_metrics),
    )
    proof.therefore(
        "With the paper's K = 10 the printed initial metric can have a negative eigenvalue, down "
        "to −1; for K ≤ 5 "
        "it cannot."
    )


@proof_of("Section 5.2, step 3")
def prove_the_initial_center_and_radius(proof: Proof) -> None:
    """Section 5.2, step 3: the initial center is the point of least squared distances; the initial
    sphere passes exactly through an instance whenever the cluster has 5n + 1 members, and then the
    start lies on a kink of γ.
    """
    sample = Sample()
    members: list[Any] = [
        sample.vector(name, place) for name, place in (("x", (0, 0)), ("y", (2, 0)), ("z", (1, 3)))
    ]
    center = section.initial_center(members)
    c = sample.vector("c", (1, 1))
    total = sum((x[f] - c[f]) * (x[f] - c[f]) for x in members for f in range(2))
    at_center = [
        sp.diff(unwrapped(total), c[f].expression).subs(
            {c[g].expression: center[g].expression for g in range(2)}
        )
        for f in range(2)
    ]
    proof.given(
        "A cluster of m members; the percentile interpolates linearly between ranks (choice C7)."
    )
    proof.by_sympy(
        "The gradient of Σ ‖x − c‖² vanishes at the mean, which is the cluster center's first F "
        "coordinates.",
        *map(vanishes, at_center),
    )
    exact = [
        section.percentile([Fraction(n * n) for n in range(m)], 80)
        in {Fraction(n * n) for n in range(m)}
        for m in range(1, 61)
    ]
    proof.by_numbers(
        "Distances 0, 1, 4, ..., (m − 1)²: the 80th percentile is one of them exactly for m = 1, "
        "6, 11, ..., 56.",
        exact == [(m - 1) % 5 == 0 for m in range(1, 61)],
    )
    proof.in_words(
        "80(m − 1)/100 = 4(m − 1)/5 is whole exactly when 5 divides m − 1; else the percentile "
        "lies strictly "
        "between two neighboring distances, if they differ."
    )
    line = [[Fraction(n)] for n in (1, 2, 3, 4, 5, 6)]
    radius = section.initial_radius(line, [ZERO])
    left, right = (
        (
            intersection_ratio([ZERO], [Fraction(5)], [ZERO], 5 + side)
            - intersection_ratio([ZERO], [Fraction(5)], [ZERO], Fraction(5))
        )
        / side
        for side in (-TENTH, TENTH)
    )
    proof.by_numbers(
        f"m = 6 on the line, distances 1, ..., 6 from 0: r = {radius:g}, through the instance at "
        "5. From 0 to it γ "
        f"has slope {left} for smaller r, {right} for larger.",
        radius == 5,
        left == Fraction(1, 5),
        right == 0,
    )
    held = []
    for m in range(1, 61):
        members = [[Fraction(n * n)] for n in range(m)]
        held.append(
            sum(x[0] <= section.percentile([y[0] for y in members], 80) for x in members)
            == 4 * (m - 1) // 5 + 1
        )
    proof.by_numbers(
        "The ball holds ⌊4(m − 1)/5⌋ + 1 of the m members: 5 of 6, but 2 of 3, which is less than "
        "80 %.",
        *held,
    )
    proof.therefore(
        "A central difference at such a start disagrees with every formula: one must choose a "
        "side, as Table 3 does."
    )
