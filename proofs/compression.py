"""Theorem D, proved: the compression bound, and what separated classes give."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import sympy as sp

from lmlir import compression as section
from lmlir.classifier import predict
from lmlir.hull import largest_cost, pairwise_distances
from proofs.steps import Proof, proof_of
from proofs.symbols import vanishes

ZERO = Fraction(0)
ONE = Fraction(1)
# A small world for an exact test: points of the line with a class, and their chances.
WORLD = {
    (0, -1): Fraction(2, 5),
    (0, 1): Fraction(1, 10),
    (1, 1): Fraction(3, 10),
    (1, -1): Fraction(1, 5),
}
SIZE = 4


def subsets(n: int) -> Iterator[tuple[int, ...]]:
    """Every subset of n instances that leaves one out."""
    for d in range(n):
        yield from combinations(range(n), d)


def error(S: list[tuple[int, int]]) -> Fraction:
    """The chance that the classifier built on S is wrong in the small world."""
    wrong = ZERO
    for (x, label), chance in WORLD.items():
        to_minus, to_plus = (
            [abs(x - other) for other, its_label in S if its_label == side] for side in (-1, 1)
        )
        wrong += chance * (section.compressed_prediction(to_minus, to_plus, K=1) != label)
    return wrong


def chance_of_failure(delta: Fraction, with_union: bool = True) -> Fraction:
    """The chance of a sample for which some S has an error above its limit, over all samples of the
    small world.

    An error p is above the limit for k of n - d exactly when the chance of k or fewer mistakes at p
    is below the level.
    """
    total = ZERO
    for sample in product(WORLD, repeat=SIZE):
        D = [[abs(x - other) for other, _ in sample] for x, _ in sample]
        y = [label for _, label in sample]
        failed = False
        for S in subsets(SIZE):
            k = section.mistakes_outside(D, y, S, K=1)
            level = section.compression_level(SIZE, len(S), delta) if with_union else delta
            failed = (
                failed
                or section.binomial_tail(k, SIZE - len(S), error([sample[i] for i in S])) < level
            )
        total += math.prod((WORLD[instance] for instance in sample), start=ONE) * failed
    return total


@proof_of("Theorem D")
def prove_the_compression_bound(proof: Proof) -> None:
    """Theorem D: with probability at least 1 − δ over n independent instances, for all S of d of
    them at once, the classifier built on S alone has an error of at most the upper binomial limit
    for its k mistakes on the other n − d, at the level δ/(n C(n, d)).
    """
    proof.given(
        "n independent instances of one distribution; the distance, K and δ are fixed without "
        "looking at them.",
        "F(k; m, p) is the chance of at most k mistakes of m at the error p; the limit at a level "
        "is the largest p "
        "with F(k; m, p) ≥ level.",
    )
    p = sp.Symbol("p")
    proof.by_sympy(
        "∂F/∂p = −(k + 1) C(m, k + 1) p^k (1 − p)^{m − k − 1} ≤ 0, for all k < m ≤ 6: F falls in "
        "p, so the p with F ≥ "
        "level are those up to the limit.",
        *(
            vanishes(
                sp.diff(section.binomial_tail(k, m, p), p)
                + (k + 1) * math.comb(m, k + 1) * p**k * (1 - p) ** (m - k - 1)
            )
            for m in range(1, 7)
            for k in range(m)
        ),
    )
    proof.by_floats(
        "The code's limit is that p: F there is the level, up to 1e−9 of it.",
        *(
            math.isclose(
                section.binomial_tail(k, m, section.upper_binomial_limit(k, m, level)),
                level,
                rel_tol=1e-9,
            )
            for m in (1, 5, 40)
            for k in range(0, m, 3)
            for level in (0.5, 0.05, 1e-6)
        ),
        section.upper_binomial_limit(5, 5, 0.05) == 1,
    )
    levels = [Fraction(1, 20), Fraction(1, 3), Fraction(9, 10)]
    cases = [
        (m, Fraction(tenths, 10), level)
        for m in range(1, 7)
        for tenths in range(11)
        for level in levels
    ]
    proof.by_numbers(
        "One classifier, fixed beforehand, of error p: the chance that F(k; m, p) < level, where "
        "k is its number of "
        f"mistakes, is at most the level. {len(cases)} cases with m ≤ 6, summed over k.",
        *(
            sum(
                section.binomial_tail(k, m, p_) - (section.binomial_tail(k - 1, m, p_) if k else 0)
                for k in range(m + 1)
                if section.binomial_tail(k, m, p_) < level
            )
            <= level
            for m, p_, level in cases
        ),
    )
    proof.in_words(
        "In general: if k* is the largest k with F(k) < level, the chance is that of k ≤ k*, which "
        "is F(k*) < level."
    )
    proof.in_words(
        "Fix a set of d indices. The classifier depends on these instances only; given them, the "
        "other n − d are "
        "independent of it, so k is binomial with its error, and the step before applies. It "
        "applies to each of the "
        "C(n, d) sets of each size. No other property of the classifier is used: no continuity, no "
        "metric, no dimension."
    )
    proof.by_numbers(
        "The levels of all sets of all sizes 0, …, n − 1, and of m rules, add up to δ: n ≤ 10, m = "
        "1, 2.",
        *(
            sum(
                m * math.comb(n, d) * section.compression_level(n, d, Fraction(1, 20), m)
                for d in range(n)
            )
            == Fraction(1, 20)
            for n in range(1, 11)
            for m in (1, 2)
        ),
    )
    proof.in_words(
        "So with probability 1 − δ no set at all fails, and S may be chosen with all instances in "
        "view, as the best "
        "of as many candidates as one likes. A choice between distances, K or δ is another matter; "
        "m of them cost the factor m."
    )
    the_classifier_on_a_subset(proof)
    the_whole_theorem_in_a_small_world(proof)
    proof.therefore("The bound of Theorem D holds for every S at once, whatever way S was found.")


def the_whole_theorem_in_a_small_world(proof: Proof) -> None:
    """All samples of four instances, all subsets, exactly; and that the union bound is needed."""
    chances = {delta: chance_of_failure(delta) for delta in (Fraction(1, 2), Fraction(9, 10))}
    without = chance_of_failure(Fraction(1, 2), with_union=False)
    proof.by_numbers(
        "The whole theorem, exactly, in a world of two points with two classes: over all 256 "
        "samples of 4 and all 15 "
        "sets of each, the chance that some set fails is "
        + " and ".join(f"{float(chance):.3f} for δ = {delta}" for delta, chance in chances.items())
        + ". With the level δ = 1/2 for every set, without the union bound, it is "
        f"{float(without):.3f}: too much.",
        *(0 < chance <= delta for delta, chance in chances.items() if delta > Fraction(1, 2)),
        *(chance <= delta for delta, chance in chances.items()),
        without > Fraction(1, 2),
    )
    proof.by_floats(
        "The code's bound: n = 4, d = 2, k = 0, δ = 3/4 give 1 − (1/32)^{1/2}; the larger class, k "
        "= 0 of 2: 1 − (δ/2)^{1/2}.",
        math.isclose(
            section.compression_bound(0, 4, 2, 0.75), 1 - math.sqrt(1 / 32), rel_tol=1e-12
        ),
        math.isclose(section.larger_class_bound(0, 2, 0.5), 0.5, rel_tol=1e-12),
    )


def the_classifier_on_a_subset(proof: Proof) -> None:
    """The classifier is equation (10) on S, with K cut down to what S has."""
    places = [[Fraction(place)] for place in (0, 1, 3, 4, 9)]
    D = pairwise_distances(places, [], [], [], [[ONE]])
    checks = []
    for y in product((-1, 1), repeat=5):
        for S in subsets(5):
            minus, plus = ([places[j] for j in S if y[j] == side] for side in (-1, 1))
            K_S = min(2, len(minus), len(plus))
            outside = [i for i in range(5) if i not in S]
            if K_S:
                answers = [
                    predict(places[i], minus, plus, K_S, [], [], [], [[ONE]]) for i in outside
                ]
            else:
                answers = [1 if plus else -1] * len(outside)
            wrong = sum(answer != y[i] for answer, i in zip(answers, outside, strict=True))
            checks.append(section.mistakes_outside(D, y, S, K=2) == wrong)
    proof.by_numbers(
        "The code's k is that of equation (10) on S alone with K = 2 or what S allows, one class "
        "answering for all "
        f"where S has one: all {len(checks)} labels and subsets of five points of the line.",
        *checks,
    )


@proof_of("Theorem D")
def prove_a_net_makes_no_mistake_when_the_classes_are_apart(proof: Proof) -> None:
    """Theorem D: if opposite classes are at least g apart in D, and D ≤ Λ‖x − y‖, then instances
    that are g/Λ apart and nearer than g/Λ to all others have k = 0, and there are at most (1 + 2Λ
    diam/g)^F of them.
    """
    proof.given(
        "Points that are pairwise at least ε = g/Λ apart, as many as there is room for: all others "
        "are nearer than ε."
    )
    proof.in_words(
        "Let s be the net's point near x: D(x, s) ≤ Λ‖x − s‖ < g. Opposite classes are at least g "
        "apart, so s has x's "
        "class, and every member of the other class is farther from x than s. So 1-NN on the net "
        "is right."
    )
    Theta: Any = ([[Fraction(3)]], [ONE], [[[Fraction(4)]]], [[ONE]])
    places = [[Fraction(place)] for place in (0, 1, 2, 4, 5, 7)]
    D = pairwise_distances(places, *Theta)
    Lambda = largest_cost(*Theta)
    checks, sizes = [], []
    for y in product((-1, 1), repeat=6):
        gaps = [D[i][j] for i in range(6) for j in range(i) if y[i] != y[j]]
        if gaps:
            net = section.separated_net(places, min(gaps) / Lambda)
            checks.append(section.mistakes_outside(D, y, net, K=1) == 0)
            sizes.append(
                len(net) <= section.net_size_bound(7.0, 1, float(min(gaps)), float(Lambda))
            )
    proof.by_numbers(
        f"The code on the line, with a ball of cost 2 in the middle: all {len(checks)} ways to "
        "give six points two classes.",
        *checks,
        *sizes,
    )
    proof.by_numbers(
        "A net is as large as it can be: of 0, 1, 2, 5 those at least 2 apart are 0, 2, 5.",
        section.separated_net([[0], [1], [2], [5]], 2) == [0, 2, 3],
    )
    diameter, epsilon, Lambda_, g = sp.symbols("diam ε Λ g", positive=True)
    ratio = (diameter + epsilon / 2) / (epsilon / 2)
    proof.by_sympy(
        "Volumes: the balls of radius ε/2 around the net are disjoint and lie in one of radius "
        "diam + ε/2; the ratio "
        "of the radii is 1 + 2 diam/ε = 1 + 2Λ diam/g.",
        vanishes(ratio.subs(epsilon, g / Lambda_) - (1 + 2 * Lambda_ * diameter / g)),
    )
    proof.by_numbers(
        "The code: diam = 2, F = 3, g = 4, Λ = 3 give (1 + 2·3·2/4)³ = 64.",
        section.net_size_bound(2, 3, 4, 3) == 64,
    )
    proof.therefore(
        "Separated classes have a compression of k = 0 whose size grows like (1/g)^F; the repaired "
        "Corollary 1 grows like "
        "(1/m)^{2F} for small margins m, because its modulus is a square root there."
    )
