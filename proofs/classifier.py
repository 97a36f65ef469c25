"""Section 4.1, proved: the classifier is 1-NN's sign for K = 1, odd in the classes, and needs
multisets.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from lmlir import classifier as section
from lmlir.ledger import witnesses
from proofs.steps import Proof, proof_of
from proofs.symbols import Sample, vanishes

ZERO = Fraction(0)
ONE = Fraction(1)
IDENTITY = [[ONE, ZERO], [ZERO, ONE]]


@proof_of("Section 4.1, 1-NN", "Equation (10)", "Section 4.1, sign of f")
def prove_one_nearest_neighbor_is_a_sign(proof: Proof) -> None:
    """Section 4.1, 1-NN, equation (10), Section 4.1, sign of f: with K = 1, no region and M(B) = I,
    f is the difference of the two smallest distances, and its sign is the class of the nearest
    instance.
    """
    proof.given(
        "x, two instances of the negative and one of the positive class, symbols in the plane; "
        "M(B) = I, no regions."
    )
    for nearest, positive in (("negative", (6, 8)), ("positive", (0, 2))):
        sample = Sample()
        x = sample.vector("x", (0, 0))
        X_minus = [sample.vector("a", (3, 4)), sample.vector("b", (5, 12))]
        X_plus = [sample.vector("c", positive)]
        f = section.decision_value(x, X_minus, X_plus, 1, [], [], [], IDENTITY)
        sign = section.nearest_neighbor_value(x, X_minus, X_plus)
        proof.by_sympy(
            "f(x) = min D_set(x, X⁻) − min D_set(x, X⁺), as printed; here the nearest instance is "
            f"{nearest}, and so "
            "is the sign.",
            vanishes(f - sign),
            (f > 0) is (nearest == "positive"),
            section.predict(x, X_minus, X_plus, 1, [], [], [], IDENTITY)
            == (1 if nearest == "positive" else -1),
        )
    places = [[Fraction(n)] for n in range(-3, 4)]
    checks = []
    for a, b, c in product(places, repeat=3):
        f = section.nearest_neighbor_value([ZERO], [a, b], [c])
        to_minus = min(abs(a[0]), abs(b[0]))
        to_plus = abs(c[0])
        checks.append((f < 0) is (to_minus < to_plus) and (f > 0) is (to_plus < to_minus))
    proof.by_numbers(
        f"{len(checks)} positions of three instances on the line, ties included: f < 0, = 0, > 0 "
        "as 1-NN says.",
        *checks,
    )
    proof.by_numbers(
        "f = 0 is a tie, and the class is what `tie` says, the negative one unless told otherwise.",
        section.predict([ZERO], [[ONE]], [[-ONE]], 1, [], [], [], [[ONE]]) == -1,
        section.predict([ZERO], [[ONE]], [[-ONE]], 1, [], [], [], [[ONE]], tie=1) == 1,
    )
    proof.therefore(
        "The printed function gives the same classes as 1-NN, and (10) is it for K = 1."
    )


@proof_of("Equation (10)", "Section 4.1, D_set")
def prove_the_classifier_is_odd_in_the_classes(proof: Proof) -> None:
    """Equation (10) and Section 4.1, D_set: exchanging the classes changes the sign of f; f is a
    difference of two means.
    """
    sample = Sample()
    x = sample.vector("x", [0])
    X_minus = [sample.vector(name, [place]) for name, place in (("a", 9), ("b", 2), ("c", 5))]
    X_plus = [sample.vector(name, [place]) for name, place in (("p", -4), ("q", -3), ("s", -8))]
    Theta: Any = (
        [[ONE]],
        [sample.number("r", 1)],
        [sample.metric("A", [[4]])],
        sample.metric("B", [[1]]),
    )
    proof.given("Three instances of each class on the line, one region, everything a symbol.")
    to_minus = section.distances_to_set(x, X_minus, *Theta)
    to_plus = section.distances_to_set(x, X_plus, *Theta)
    proof.by_sympy(
        "K = 1, 2, 3: f is the mean of the K smallest of D_set(x, X⁻) minus that of D_set(x, X⁺), "
        "in whatever order "
        "they are listed.",
        *(
            vanishes(
                section.decision_value(x, X_minus, X_plus, K, *Theta)
                - sum(to_minus[i] for i in (1, 2, 0)[:K]) / K
                + sum(to_plus[i] for i in (1, 0, 2)[:K]) / K
            )
            for K in (1, 2, 3)
        ),
    )
    proof.by_sympy(
        "f(x; X⁻, X⁺) + f(x; X⁺, X⁻) = 0 for K = 1, 2, 3.",
        *(
            vanishes(
                section.decision_value(x, X_minus, X_plus, K, *Theta)
                + section.decision_value(x, X_plus, X_minus, K, *Theta)
            )
            for K in (1, 2, 3)
        ),
    )
    proof.therefore("Which class is called positive does not matter, except on ties.")


@proof_of("Section 4.1, sumKmin", "Section 4.1, D_set")
def prove_distances_must_form_a_multiset(proof: Proof) -> None:
    """Section 4.1, sumKmin and Section 4.1, D_set (E13): with equal distances collapsed sumKmin
    jumps; with repetition it is continuous.
    """
    proof.given("Three distances 1, 1 + h, 5 and K = 2.")
    sample = Sample()
    h = sample.number("h", Fraction(1, 10))
    multiset = section.sum_k_min([ONE, 1 + h, Fraction(5)], 2)
    proof.by_sympy("For small h > 0 both readings give 2 + h.", vanishes(multiset - 2 - h))
    proof.by_numbers(
        "At h = 0 the multiset gives 2, its limit; the set {1, 5} gives 6.",
        section.sum_k_min([ONE, ONE, Fraction(5)], 2) == 2,
        section.printed_sum_k_min([ONE, ONE, Fraction(5)], 2) == 6,
    )
    witness = witnesses.geometry.collapsing_set()
    proof.by_numbers(f"E13: {witness.text}.", witness.refutes)
    refused = False
    try:
        section.sum_k_min([ONE], 2)
    except ValueError:
        refused = True
    proof.by_numbers(
        "A class with fewer than K members has no K smallest distances: it is refused.", refused
    )
    proof.therefore(
        "D_set has to be a multiset; Lemma 1 and Proposition 4 would fail at every tie otherwise."
    )
