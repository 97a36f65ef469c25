"""The formal proofs of `proofs/formal`, without Coq: their definitions agree with the package, and
what cites them finds them.

Both sides run on 50-digit numbers, so that a difference is one of meaning: at a tangent a root
halves the digits, and 25 are left.
"""

import ast
import json
import math
import random
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import mpmath
import numpy as np
import pytest
from formal_definitions import (
    TRANSCRIBED,
    Region,
    background_gradient,
    background_share,
    decision_value,
    discriminant,
    distance,
    distance_with,
    exact_background_share,
    exact_distance,
    frobenius,
    lambda_u,
    lambda_v,
    local_gradient,
    norm,
    objective,
    overlapping_scale,
    quadratic_a,
    share,
    shell_chord,
    sub,
)

from lmlir import classifier, continuity, intersection
from lmlir import descent as shipped_descent
from lmlir import distance as shipped_distance
from lmlir import gradient as shipped_gradient
from lmlir import objective as shipped_objective
from lmlir.scalars import Parameters

ROOT = Path(__file__).parents[2]
FORMAL = ROOT / "proofs" / "formal"
STATEMENTS = (FORMAL / "statements.txt").read_text(encoding="utf-8")
SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FORMAL.glob("*.v"))}
DIGITS = 50
# 25 digits are left at a tangent, and a sum of lengths below 100 costs a few of them
CLOSE = mpmath.mpf(10) ** -20


# ----------------------------------------------------------------------------------- configurations


def numbers(values):
    """The same nested lists with 50-digit numbers for entries."""
    return (
        [numbers(value) for value in values]
        if isinstance(values, (list, tuple))
        else mpmath.mpf(values)
    )


def random_metric(draw, F, entry):
    """P^T P, often singular; sometimes 0, sometimes a multiple of the identity."""
    kind = draw.random()
    if kind < 0.2:
        return [
            [draw.choice([0, 1, 4]) * (i == j) if kind < 0.1 else 0 for j in range(F)]
            for i in range(F)
        ]
    P = [[entry() for _ in range(F)] for _ in range(F)]
    return [[sum(P[k][i] * P[k][j] for k in range(F)) for j in range(F)] for i in range(F)]


def configurations(count, seed):
    """Parameters and points: half of them whole numbers, where tangents, equal points and equal
    balls abound.
    """
    draw = random.Random(seed)
    for number in range(count):
        F = draw.randint(1, 3)
        S = draw.randint(0, 3)
        entry = (lambda: draw.randint(-2, 2)) if number % 2 else (lambda: draw.uniform(-2, 2))
        centers = [[entry() for _ in range(F)] for _ in range(S)]
        if S > 1 and draw.random() < 0.2:
            centers[1] = centers[0]
        radii = [abs(entry()) for _ in range(S)]
        Theta = Parameters(
            centers,
            radii,
            [random_metric(draw, F, entry) for _ in range(S)],
            random_metric(draw, F, entry),
        )
        yield Theta, [[entry() for _ in range(F)] for _ in range(6)]


def regions(Theta):
    """The same parameters as Coq has them: M(B), and a list of regions."""
    return numbers(Theta.background_metric), [
        Region(*region) for region in zip(*numbers(list(Theta[:3])), strict=True)
    ]


def differ(ours, theirs):
    """The largest difference between two numbers or nested lists of them."""
    if isinstance(theirs, (list, tuple)):
        return max((differ(a, b) for a, b in zip(ours, theirs, strict=True)), default=0)
    return abs(ours - theirs)


# `make full` tries all configurations, everything else the first third of them.
a_third_or_all = pytest.mark.parametrize("part", [3, pytest.param(1, marks=pytest.mark.slow)])


@pytest.fixture(autouse=True)
def many_digits():
    """Every test here computes with 50 digits."""
    with mpmath.workdps(DIGITS):
        yield


# ----------------------------------------------------------------------- agreement with the package


@pytest.mark.parametrize("definition", TRANSCRIBED, ids=lambda definition: definition.__name__)
def test_a_transcribed_definition_quotes_what_coq_has(definition):
    """What is transcribed here is what the proofs are about."""
    quoted = " ".join(definition.__doc__.split("\n\n")[0].split())
    assert quoted in " ".join(STATEMENTS.split())


@a_third_or_all
def test_ratios_and_distances_agree(part):
    """gamma, both kinds of gamma_b and D with either, on 1,440 configurations, among them tangents
    and single points.
    """
    seen = dict.fromkeys(["tangent", "equal ends", "overlap"], 0)
    for Theta, (x, z, *_) in configurations(1440 // part, seed=1):
        B, As = regions(Theta)
        x = numbers(x)
        z = numbers(z)
        Theta = Parameters(*numbers(list(Theta)))
        gammas = [share(x, z, A) for A in As]
        assert differ(gammas, shipped_distance.all_ratios(x, z, *Theta[:2])) < CLOSE
        exact = exact_background_share(As, x, z)
        if x != z:  # between equal ends there is no share to speak of, and each length is 0
            assert differ(exact, shipped_distance.exact_background_ratio(x, z, *Theta[:2])) < CLOSE
        assert differ(distance(B, As, x, z), shipped_distance.distance(x, z, *Theta)) < CLOSE
        assert (
            differ(
                distance_with(B, As, exact, x, z),
                shipped_distance.distance(x, z, *Theta, exact=True),
            )
            < CLOSE
        )
        seen["tangent"] += any(
            discriminant(x, z, A.center, A.radius) == 0 < quadratic_a(x, z) for A in As
        )
        seen["equal ends"] += x == z
        seen["overlap"] += abs(exact - background_share(As, x, z)) > CLOSE
    assert min(seen.values()) >= 20, seen


def test_coefficients_agree_where_the_line_meets_the_ball():
    """lambda_u and lambda_v, wherever Delta > 0, on 500 configurations."""
    met = 0
    for Theta, (x, z, *_) in configurations(500, seed=2):
        x, z = numbers(x), numbers(z)
        for A in regions(Theta)[1]:
            if discriminant(x, z, A.center, A.radius) > CLOSE and x != z:
                ours = lambda_u(x, z, A.center, A.radius), lambda_v(x, z, A.center, A.radius)
                assert (
                    differ(ours, intersection.line_coefficients(x, z, A.center, A.radius)) < CLOSE
                )
                met += 1
    assert met >= 200


def scales(metrics):
    """s(M) for each metric: the root of the largest singular value, in floats."""
    return [math.sqrt(np.linalg.norm(np.array(M, dtype=float), 2)) for M in metrics]


@a_third_or_all
def test_the_modulus_agrees_and_bounds_both_distances(part):
    """The right side of `modulus_with_the_overlapping_scale` on 810 configurations, and the theorem
    itself.

    The scales are floats on both sides; an eigenvalue and a singular value of a 3 x 3 matrix differ
    by a few roundings.
    """
    for Theta, (x, y, z, *_) in configurations(810 // part, seed=3):
        B, As = regions(Theta)
        x = numbers(x)
        y = numbers(y)
        z = numbers(z)
        (s_B,), s = scales([Theta.background_metric]), scales(Theta.local_metrics)
        e = norm(sub(x, y))
        w = max(s_B, overlapping_scale(s, As)) * e
        kappa = [
            max(s_A, continuity.scale_difference(M, Theta.background_metric))
            for s_A, M in zip(s, Theta.local_metrics, strict=True)
        ]
        w += sum(kappa_A * shell_chord(A.radius, e) for A, kappa_A in zip(As, kappa, strict=True))
        assert abs(w - continuity.modulus_of_continuity(float(e), *Theta)) <= 1e-13 * (1 + w)
        for D in (distance, exact_distance):
            assert abs(D(B, As, x, z) - D(B, As, y, z)) <= w * (1 + 1e-13)


def test_the_scale_is_the_least_one():
    """`scale` and `largest_eigenvalue`: spectral_scale bounds the length of every vector, and one
    vector reaches it.
    """
    draw = np.random.default_rng(4)
    for Theta, _ in configurations(200, seed=4):
        M = np.array(Theta.background_metric, dtype=float)
        s = float(continuity.spectral_scale(Theta.background_metric))
        directions = draw.normal(size=(50, len(M)))
        lengths = np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", directions, M, directions), 0))
        assert (lengths <= s * np.linalg.norm(directions, axis=1) * (1 + 1e-12)).all()
        top = np.linalg.svd(M)[2][0]
        # a root of a rounding: 1e-8
        assert abs(math.sqrt(max(top @ M @ top, 0)) - s) <= 1e-7 * (1 + s)


@a_third_or_all
def test_the_classifier_agrees(part):
    """sumKmin and f with K = 1 and 2, on 120 configurations with repeated points."""
    for Theta, (x, *X) in configurations(120 // part, seed=5):
        B, As = regions(Theta)
        x = numbers(x)
        X = numbers(X)
        Theta = Parameters(*numbers(list(Theta)))
        X_minus, X_plus = [X[0], X[1], X[1]], [X[2], X[3], X[2]]
        for K in (1, 2):
            ours = decision_value(partial(distance, B, As), X_minus, X_plus, K, x)
            assert differ(ours, classifier.decision_value(x, X_minus, X_plus, K, *Theta)) < CLOSE


@a_third_or_all
def test_the_objective_and_its_gradient_by_the_metrics_agree(part):
    """g, its gradient by every M(A_s) and by M(B), on 120 configurations; some metrics are 0 and
    some pairs coincide.
    """
    for Theta, X in configurations(120 // part, seed=6):
        B, As = regions(Theta)
        X = numbers(X)
        Theta = Parameters(*numbers(list(Theta)))
        similar = [(0, 1), (2, 3)]
        dissimilar = [(0, 2), (1, 4), (5, 3)]
        pairs = [[(X[i], X[j]) for i, j in indices] for indices in (similar, dissimilar)]
        alpha, C = mpmath.mpf("0.25"), mpmath.mpf("0.5")
        arguments = X, similar, dissimilar, *Theta, alpha, C
        assert (
            differ(objective(alpha, C, *pairs, B, As), shipped_objective.objective(*arguments))
            < CLOSE
        )
        slope = shipped_gradient.objective_gradient(*arguments)
        assert (
            differ([local_gradient(alpha, C, *pairs, B, As, A) for A in As], slope.local_metrics)
            < CLOSE
        )
        assert differ(background_gradient(alpha, C, *pairs, B, As), slope.background_metric) < CLOSE


def test_a_region_that_no_pair_meets_dies_at_the_step_of_the_theorem():
    """`regions_die` on the package's own descent: the norm falls by alpha beta each step, to 0,
    where it stays.
    """
    X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    similar = [(0, 1)]
    dissimilar = [(0, 2), (1, 2)]
    for M in ([[1.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [1.0, 1.0]], [[4.0, 2.0], [2.0, 1.0]]):
        # the last is singular
        Theta = Parameters([[9.0, 9.0], [0.5, 0.5]], [1.0, 1.0], [M, M], [[1.0, 0.0], [0.0, 1.0]])
        alpha = 0.25
        beta = 0.5
        size = float(frobenius(numbers(M)))
        for step in range(1, math.ceil(size / (alpha * beta)) + 3):
            Theta = shipped_descent.descent_step(X, similar, dissimilar, *Theta, alpha, 0.5, beta)
            left = max(size - step * alpha * beta, 0)
            expected = [[left / size * entry for entry in row] for row in M]
            # eigh finds the zero eigenvalue of a singular metric to one rounding of its norm, at
            # each step
            assert differ(Theta.local_metrics[0], expected) <= 50 * 2.0**-52 * size
        assert not np.any(Theta.local_metrics[0])


# ------------------------------------------------------------------------------ the theorems' names


HEADLINE = re.compile(
    r"\(\*\* ([A-Z](?:[^*:]|\*(?!\)))*): (?:[^*]|\*(?!\)))*\*\)\n(?:Theorem|Lemma|Corollary) (\w+)"
)
NAMED = re.compile(r"^(?:Theorem|Lemma|Corollary|Definition|Fixpoint|Record|Inductive) (\w+)", re.M)
ITEM = r"(?:Definition|Proposition|Lemma|Corollary|Equation|Table|Section|Theorem) "


def headlines():
    """Every theorem whose comment begins with items, and these items."""
    found = {}
    for source in SOURCES.values():
        for items, name in HEADLINE.findall(source):
            if re.match(ITEM, items):
                assert name not in found
                found[name] = items.split("; ")
    return found


def test_nothing_is_assumed():
    """No proof is left out and nothing is postulated; `make formal` refuses it, too."""
    assumed = re.search(r"ASSUMED := (.*)", (FORMAL / "Makefile").read_text(encoding="utf-8"))[1]
    assert {"Admitted", "admit", "Abort", "Axioms?", "Parameters?"} <= set(assumed.split("|"))
    for name, source in SOURCES.items():
        assert not re.search(rf"\b({assumed})\b", source), name


def test_the_statements_are_the_commented_theorems():
    """Each headline theorem is printed and asked for its axioms; and nothing else is."""
    checked = re.findall(r"^Check (\w+)\.$", SOURCES["Statements"], re.M)
    axioms_of = re.findall(r"@(\w+)", SOURCES["Statements"])
    assert len(checked) >= 80
    assert sorted(checked) == sorted(axioms_of) == sorted(headlines())
    assert all(re.search(rf"^{name} *\n? +: ", STATEMENTS, re.M) for name in checked)


def test_the_statements_print_every_definition():
    """A changed definition changes statements.txt, as a changed theorem does."""
    defined = re.findall(
        r"^(?:Definition|Fixpoint|Record|Inductive) (\w+)", "\n".join(SOURCES.values()), re.M
    )
    printed = re.findall(r"^Print (\w+)\.$", SOURCES["Statements"], re.M)
    assert sorted(printed) == sorted(set(defined) - {"all"})


def test_the_axioms_are_those_of_the_real_numbers():
    """Three, from Coq's own library."""
    axioms = STATEMENTS[STATEMENTS.index("\nAxioms:\n") :]
    assert re.findall(r"^(\w+\.\w+)", axioms, re.M) == [
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
    ]


def test_every_headline_names_items_of_the_map():
    """The items are spelled as `lmlir map` spells them."""
    known = json.loads(
        subprocess.check_output([sys.executable, "-m", "lmlir", "map", "--json", "-"], text=True)
    )
    names = {item["item"] for item in known} | {f"Theorem {letter}" for letter in "ABDE"}
    for theorem, items in headlines().items():
        assert set(items) <= names, theorem


def test_what_is_cited_exists():
    """Steps of proofs cite formal theorems by `formal="..."`; documents and comments by file or in
    brackets.
    """
    theorems = set(NAMED.findall("\n".join(SOURCES.values())))
    for path in sorted((ROOT / "proofs").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.keyword(arg="formal", value=ast.Constant(value=names)):
                    cited = set(names.split(", "))
                    assert cited <= theorems, f"{path.name} cites {cited}"
    for name, source in SOURCES.items():
        for cited in re.findall(
            r"\[(?:\w+\.)?(\w{5,})\]", " ".join(re.findall(r"\(\*\*.*?\*\)", source, re.S))
        ):
            assert cited in theorems | {f"{stem}" for stem in SOURCES}, f"{name} cites {cited}"
    documents = [*ROOT.glob("*.md"), *(ROOT / "book").glob("*.md"), FORMAL / "README.md"]
    for path in documents:
        text = path.read_text(encoding="utf-8")
        cited = re.findall(r"proofs/formal/([\w.]+\w)", text)
        cited += re.findall(r"\]\(([\w.]+\w)\)", text) if path.parent == FORMAL else []
        assert all((FORMAL / name).exists() for name in cited), path.name
    assert (
        set(re.findall(r"`(\w+_\w+)`", (FORMAL / "README.md").read_text(encoding="utf-8")))
        <= theorems
    )


def test_the_readme_lists_every_file():
    """No proof without a line that says what it proves."""
    readme = (FORMAL / "README.md").read_text(encoding="utf-8")
    assert set(SOURCES) == {name for name in SOURCES if f"[{name}]({name}.v)" in readme}
