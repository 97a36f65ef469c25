"""A search for points that move D by more than Theorem A allows.

It finds none; how near do they come?

The search draws regions and metrics, many triples x, y, z for each, and moves every triple uphill:
a random change is kept when it raises |D(x, z) - D(y, z)| divided by the modulus at |x - y|.
Regions overlap, touch, lie within each other, are equal or disjoint; metrics have every rank, 0
included. The same run compares `continuity.scale_difference` of singular integer metrics with the
largest difference that a climb over the sphere finds.

In floating point, lengths in the kernel of a singular metric err by the root of a rounding. So what
rounding can do is subtracted from every change, and the largest shares that are reported are
computed again in 50 digits by the reference.

| here | in the theorems |
|---|---|
| `shares` | the change of D divided by each modulus, at most 1 |
| `placement` | how the balls lie |
| `disagreement` | n_M(u) - n_N(u) |
"""

from __future__ import annotations

import argparse
import json
import math
from typing import Any, NamedTuple

import mpmath
import numpy as np
from numpy.typing import NDArray

from lmlir import continuity, vectorized
from lmlir.distance import balls_are_disjoint, distance
from lmlir.scalars import Parameters
from proofs.sphere import steepest_directions

from .results import RESULTS, write_lines

Array = NDArray[np.float64]

OUT = RESULTS / "modulus_search.json"
PLACEMENTS = ("random", "touching", "nested", "equal", "disjoint")
MODULI = {
    "approximate": "Theorem A, approximate gamma_b",
    "exact": "Theorem A, exact gamma_b",
    "disjoint": "Theorem A, disjoint balls",
}
TRIPLES = 128
ROUNDS = 24
SMALLEST_STEP = 1e-5  # below it rounding is no longer small beside the modulus
EPSILON = float(np.finfo(float).eps)


# --------------------------------------------------------------------------------- regions, triples


def random_metric(rng: np.random.Generator, F: int) -> Array:
    """A metric of any rank from 0 to F, exactly positive semi-definite: its root has entries in
    eighths.
    """
    root = rng.integers(-8, 9, size=(F, F)) / 8 * 2.0 ** rng.integers(-3, 2)
    root[rng.integers(0, F + 1) :] = 0
    metric: Array = root.T @ root
    return metric


def random_regions(rng: np.random.Generator, placement: str) -> Parameters:
    """Up to five balls in one to six dimensions, placed in one of the five ways, and their
    metrics.
    """
    F = int(rng.integers(1, 7))
    S = int(rng.integers(1, 6))
    centers = rng.normal(size=(S, F))
    radii = rng.uniform(0.2, 1.5, size=S)
    directions = rng.normal(size=(S, F))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    if placement == "touching":  # the first ball, from outside or from inside
        inside = (rng.integers(0, 2, size=S) == 1) & (radii < radii[0])
        centers[1:] = (
            centers[0] + np.where(inside, radii[0] - radii, radii[0] + radii)[:, None] * directions
        )[1:]
    if placement == "nested":
        radii = np.sort(radii)[::-1]
        for s in range(1, S):
            centers[s] = (
                centers[s - 1] + rng.uniform(0, 1) * (radii[s - 1] - radii[s]) * directions[s]
            )
    if placement == "equal":
        centers[:] = centers[0]
        radii[:] = radii[0]
    if placement == "disjoint":
        centers[:, 0] = np.cumsum(2.1 * radii + np.roll(radii, 1))
        centers[:, 1:] *= 0.1
    metrics = np.stack([random_metric(rng, F) for _ in range(S + 1)])
    if rng.integers(0, 4) == 0:  # nearly equal metrics
        metrics[1:] = metrics[0] + metrics[1:] * 2.0 ** -rng.integers(0, 30)
    parts: list[Any] = [centers, radii, metrics[1:], metrics[0]]
    return Parameters(*parts)


class Triples(NamedTuple):
    """Points x, the steps y - x, and points z, one per row."""

    X: Array
    steps: Array
    Z: Array


def random_triples(rng: np.random.Generator, Theta: Parameters, count: int) -> Triples:
    """Triples of which about half belong to a segment that touches a ball, where D is steepest."""
    centers, radii, metrics, background = (np.asarray(part, dtype=float) for part in Theta)
    S, F = centers.shape
    X, Z, steps = rng.normal(size=(3, count, F)) * 2
    e = 10 ** rng.uniform(math.log10(SMALLEST_STEP), 0.3, size=(count, 1))
    steps *= e / np.linalg.norm(steps, axis=1, keepdims=True)
    if F > 1:
        chosen = rng.integers(0, S, size=count)
        aligned = np.linalg.eigh(metrics[chosen] - background)[1][
            np.arange(count), :, rng.integers(0, F, size=count)
        ]
        u = np.where(rng.integers(0, 2, size=(count, 1)) == 1, aligned, rng.normal(size=(count, F)))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        t = rng.normal(size=(count, F))
        t -= (t * u).sum(axis=1, keepdims=True) * u
        t /= np.linalg.norm(t, axis=1, keepdims=True)
        r = radii[chosen][:, None]
        touching = centers[chosen] + r * t
        half = np.sqrt(2 * r * e) * rng.uniform(0, 2, size=(count, 1))
        aimed = rng.integers(0, 2, size=(count, 1)) == 1
        X = np.where(aimed, touching + half * u, X)
        Z = np.where(aimed, touching - 10 ** rng.uniform(-1, 1.5, size=(count, 1)) * u, Z)
        steps = np.where(aimed, -e * t, steps)
    return Triples(X, steps, Z)


def changed(rng: np.random.Generator, triples: Triples) -> Triples:
    """Every triple with some of its points moved and its step turned or stretched, by a little or
    by much.
    """
    count = len(triples.X)

    def noise(part: Array) -> Array:
        # of many sizes, relative to the length of each row, for about half of the rows
        size = np.linalg.norm(part, axis=1, keepdims=True) * 10 ** rng.uniform(
            -5, 0, size=(count, 1)
        )
        noise: Array = size * rng.normal(size=part.shape) * rng.integers(0, 2, size=(count, 1))
        return noise

    X = triples.X + noise(triples.steps)
    steps = triples.steps + noise(triples.steps)
    Z = triples.Z + noise(triples.Z)
    steps *= 1 + rng.integers(0, 2, size=(count, 1)) * rng.uniform(-0.5, 1, size=(count, 1))
    lengths = np.linalg.norm(steps, axis=1, keepdims=True)
    return Triples(X, steps * np.clip(lengths, SMALLEST_STEP, 3) / np.maximum(lengths, 1e-300), Z)


# ------------------------------------------------------------------------------------------- shares


class Moduli(NamedTuple):
    """The constants of every modulus that applies to some regions: names, Lambda (moduli,), kappa
    (moduli, S), radii.
    """

    names: list[str]
    Lambda: Array
    kappa: Array
    radii: Array

    def at(self, e: Array) -> Array:
        """The moduli (moduli, triples) at steps of length e."""
        r = self.radii[:, None]
        chords = 2 * np.sqrt(np.where(e < r, e * (2 * r - e), r * r))
        moduli: Array = self.Lambda[:, None] * e + self.kappa @ chords
        return moduli


def moduli_of(Theta: Parameters) -> Moduli:
    """The constants by the reference, once for all triples."""
    overlapping = continuity.overlap_constants(*Theta)
    constants = {"approximate": overlapping, "exact": overlapping}
    if balls_are_disjoint(Theta.centers, Theta.radii):
        constants["disjoint"] = continuity.disjoint_constants(*Theta)
    Lambda = np.array([float(constant[0]) for constant in constants.values()])
    kappa = np.array([constant[1] for constant in constants.values()], dtype=float)
    return Moduli(list(constants), Lambda, kappa, np.asarray(Theta.radii))


def both_distances(X: Array, Z: Array, Theta: Parameters) -> tuple[Array, Array]:
    """Equation (9) with the approximate and with the exact gamma_b."""
    F = X.shape[1]
    approximate = vectorized.distances(X, Z, *Theta)
    background = vectorized.distances(
        X, Z, np.empty((0, F)), [], np.empty((0, F, F)), Theta.background_metric
    )
    gamma = vectorized.intersection_ratios(X, Z, Theta.centers, Theta.radii)
    exact_gamma_b = vectorized.exact_background_ratios(X, Z, Theta.centers, Theta.radii)
    gamma_b = np.maximum(1 - gamma.sum(axis=1), 0)
    return approximate, approximate + (exact_gamma_b - gamma_b) * background


def shares(triples: Triples, Theta: Parameters, moduli: Moduli) -> Array:
    """The change of D over every modulus, (moduli, triples), less what rounding can do to it."""
    X, steps, Z = triples
    count, F = X.shape
    Y = X + steps
    e = np.linalg.norm(Y - X, axis=1)
    approximate, exact = (
        np.abs(D[:count] - D[count:])
        for D in both_distances(np.concatenate([X, Y]), np.concatenate([Z, Z]), Theta)
    )
    size = np.linalg.norm(X - Z, axis=1) + e
    extent = (
        np.abs(Theta.centers).max()
        + np.max(Theta.radii)
        + np.abs(X).max(axis=1)
        + np.abs(Z).max(axis=1)
    )
    rounding = 4 * math.sqrt(F * EPSILON) * moduli.Lambda.min() * size
    changes = np.stack([exact if name == "exact" else approximate for name in moduli.names])
    allowed = moduli.at(e + 8 * EPSILON * extent)
    result: Array = np.divide(
        changes - rounding, allowed, out=np.zeros_like(allowed), where=allowed > 0
    )
    return result


def climbed(
    rng: np.random.Generator, Theta: Parameters, count: int, rounds: int
) -> tuple[Triples, Array, Moduli]:
    """Triples moved uphill, each with respect to one modulus; their shares (moduli, triples) and
    the moduli.
    """
    moduli = moduli_of(Theta)
    aim = np.arange(count) % len(moduli.names), np.arange(count)
    triples = random_triples(rng, Theta, count)
    reached = shares(triples, Theta, moduli)
    for _ in range(rounds):
        tried = changed(rng, triples)
        values = shares(tried, Theta, moduli)
        better = values[aim] > reached[aim]
        triples = Triples(
            *(np.where(better[:, None], new, old) for new, old in zip(tried, triples, strict=True))
        )
        reached = np.where(better, values, reached)
    return triples, reached, moduli


def precise_share(name: str, x: Array, y: Array, z: Array, Theta: Parameters) -> float:
    """One share in 50 digits, by the reference."""

    def precise(numbers: Any) -> Any:  # the same numbers in mpmath, in lists of lists
        return (
            mpmath.mpf(float(numbers))
            if np.ndim(numbers) == 0
            else [precise(part) for part in numbers]
        )

    moduli = moduli_of(Theta)
    row = moduli.names.index(name)
    with mpmath.workdps(50):
        start = precise(x)
        end = precise(y)
        far = precise(z)
        parameters = Parameters(*map(precise, Theta))
        e = mpmath.norm([a - b for a, b in zip(start, end, strict=True)])
        exact = name == "exact"
        before = distance(start, far, *parameters, exact=exact)
        after = distance(end, far, *parameters, exact=exact)
        allowed = continuity.summed_modulus(
            e, mpmath.mpf(moduli.Lambda[row]), precise(moduli.kappa[row]), parameters.radii
        )
        return float(abs(before - after) / allowed)


def search(
    configurations: int, seed: int = 0, count: int = TRIPLES, rounds: int = ROUNDS
) -> dict[str, Any]:
    """The whole search: how many triples were moved uphill, and the largest share of each modulus
    and placement.
    """
    rng = np.random.default_rng(seed)
    largest: dict[str, dict[str, float]] = {name: {} for name in MODULI}
    best: dict[str, tuple[Any, ...]] = {}
    above = dict.fromkeys(MODULI, 0)
    regions = -(-configurations // count)
    for k in range(regions):
        placement = PLACEMENTS[k % len(PLACEMENTS)]
        Theta = random_regions(rng, placement)
        triples, reached, moduli = climbed(rng, Theta, count, rounds)
        for name, row in zip(moduli.names, reached, strict=True):
            above[name] += int((row > 1).sum())
            top = int(row.argmax())
            if row[top] > max(largest[name].values(), default=0.0):
                x, step, z = (part[top] for part in triples)
                best[name] = (x, x + step, z, Theta)
            largest[name][placement] = max(largest[name].get(placement, 0.0), float(row[top]))
    return {
        "seed": seed,
        "regions": regions,
        "configurations": regions * count,
        "evaluations": regions * count * (rounds + 1),
        "above 1": above,
        "largest share": {
            name: {
                "in 50 digits": precise_share(name, *best[name]),
                **{placement: round(share, 6) for placement, share in largest[name].items()},
            }
            for name in MODULI
            if name in best
        },
    }


def singular_pairs(rng: np.random.Generator, count: int, F: int) -> tuple[Array, Array]:
    """Pairs of integer metrics of which at least one is singular, each of rank at least 1."""
    ranks = rng.integers(1, F + 1, size=(2, count))
    ranks[0] = np.minimum(ranks[0], F - 1)
    roots = (
        rng.integers(-4, 5, size=(2, count, F, F))
        * (np.arange(F) < ranks[:, :, None])[:, :, :, None]
    )
    M, N = np.einsum("abkf,abkg->abfg", roots, roots).astype(float)
    return M, N


def compare_pairs(count: int, seed: int = 0, batch: int = 500) -> dict[str, Any]:
    """`scale_difference` of singular integer metrics minus the largest difference found, in parts
    of the larger scale.
    """
    rng = np.random.default_rng(seed)
    gaps: list[float] = []
    errors = 0
    while len(gaps) + errors < count:
        M, N = singular_pairs(rng, min(batch, count - len(gaps) - errors), int(rng.integers(2, 7)))
        for first, second, found in zip(M, N, steepest_directions(M, N)[0], strict=True):
            try:
                value = continuity.scale_difference(first.tolist(), second.tolist())
            except np.linalg.LinAlgError:
                errors += 1
                continue
            scale = max(
                continuity.spectral_scale(first.tolist()),
                continuity.spectral_scale(second.tolist()),
                1e-300,
            )
            gaps.append((value - float(found)) / scale)
    return {
        "pairs": count,
        "errors": errors,
        "smallest gap": min(gaps),
        "median gap": float(np.median(gaps)),
    }


# -------------------------------------------------------------------------------------- the command


def as_text(results: dict[str, Any]) -> str:
    """The results as a table."""
    lines = [
        f"{results['configurations']:,} configurations, {results['evaluations']:,} evaluations"
    ]
    for name, text in MODULI.items():
        if name in results["largest share"]:
            share = results["largest share"][name]["in 50 digits"]
            lines.append(f"{text}: largest share {share:.6f}, {results['above 1'][name]} above 1")
    pairs = results["scale_difference"]
    lines.append(
        f"scale_difference of {pairs['pairs']:,} singular pairs: {pairs['errors']} errors; less "
        "the largest difference"
    )
    lines.append(
        f"that was found, in parts of the larger scale: at least {pairs['smallest gap']:.1e}"
    )
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this study."""
    parser.add_argument(
        "--configurations", type=int, default=1_000_000, metavar="N", help="triples to move uphill"
    )
    parser.add_argument(
        "--pairs",
        type=int,
        default=20_000,
        metavar="N",
        help="pairs of singular metrics to compare",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")


def run(options: argparse.Namespace) -> int:
    """Search, print the table and write the file; return 1 if a theorem was violated."""
    results = search(options.configurations, options.seed)
    results["scale_difference"] = compare_pairs(options.pairs, options.seed)
    print(as_text(results))
    write_lines(options.out, [json.dumps(results, indent=1)])
    violated = any(results["above 1"].values())
    return int(violated or results["scale_difference"]["smallest gap"] < -1e-12)
