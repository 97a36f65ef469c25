"""Large inputs: sizes at which programs change their algorithms, and random inputs of such sizes.

Programs cut their work into blocks and tiles, keep regions in bit masks and indices in short
integers. So every dimension of every function is taken through the powers of two, the numbers
beside them and some round ones, up to what training and prediction use. One call tries several
dimensions at once: while one size grows, another falls, and the work stays small. Sizes are named
by the letters of `lmlir.subject.ARGUMENTS`, and by K.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lmlir.beside import toml_beside
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.interface import ARGUMENTS, FUNCTIONS, select

Sizes = dict[str, int]

PAIRED = tuple(name for name in FUNCTIONS if "X_i" in FUNCTIONS[name].arguments)
TRAINING = tuple(name for name in FUNCTIONS if "similar" in FUNCTIONS[name].arguments)


def edges(*powers: int) -> list[int]:
    """Return powers of two and the numbers beside them.

    >>> edges(4, 5)
    [15, 16, 17, 31, 32, 33]
    """
    return [2**k + beside for k in powers for beside in (-1, 0, 1)]


# Up to what training and prediction use, in every profile but quick.
PAIRS = sorted([*edges(*range(4, 15)), 100, 1000, 1536, 3000, 10_000, 20_000])
ROWS = sorted([*edges(*range(3, 11)), 100, 1000, 1500])
REGIONS = FEATURES = [*range(3, 7), *edges(3, 4, 5, 6, 7)]
# the longer, the fewer features
LISTS = [4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 32, 33, 48, 63, 64, 65]

# The commonest edges, in every profile, by the functions that try them.
COMMON: dict[str, list[Sizes]] = toml_beside(__file__)


def common_sizes() -> Iterator[tuple[str, Sizes]]:
    """Yield the sizes that every run tries, each with its function."""
    functions = {"paired": PAIRED, "training": TRAINING}
    for group, rows in COMMON.items():
        for sizes in rows:
            for function in functions.get(group, (group,)):
                yield function, sizes


def swept_sizes() -> Iterator[tuple[str, Sizes]]:
    """Yield the sizes that longer profiles try instead: each dimension through all of its edges."""
    wide = list(zip(REGIONS, FEATURES[::-1], strict=True))
    for P, (S, F) in zip(PAIRS, _formats(wide, len(PAIRS)), strict=True):
        for function in PAIRED:
            yield function, {"P": P, "S": S, "F": F}
    formats = [*wide[:6], *_formats(wide[6:], len(ROWS))]
    few = [{"n": 2, "m": 3, "a": 4, "b": 3, "K": 3}] * 6  # as long as regions and features are many
    tables = [{"n": n, "m": m} for n, m in zip(ROWS, ROWS[::-1], strict=True)]
    for table, (S, F) in zip(few + tables, formats, strict=True):
        yield "cross_distances", {**table, "S": S, "F": F}
    yield "cross_distances", {"n": 1500, "m": 1400, "S": 2, "F": 3}
    classes = []
    for k, n in enumerate(ROWS[::-1]):
        a = ROWS[k]
        b = ROWS[(k + 1) % len(ROWS)]
        K = min(ROWS[max(0, k - 2 * (k % 2))], b)  # often a whole class
        classes.append({"n": n, "a": a, "b": b, "K": K})
    for counts, (S, F) in zip(few + classes, formats, strict=True):
        yield "decision_values", {**counts, "S": S, "F": F}
    # as in prediction
    yield "decision_values", {"n": 33, "a": 1500, "b": 1100, "K": 2, "S": 4, "F": 8}
    yield from _swept_lists(wide)


def _formats(wide: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Return numbers of regions and features: first many, then few."""
    few = itertools.cycle(((2, 3), (4, 2), (1, 5), (3, 4)))
    return list(itertools.islice(itertools.chain(wide, few), count))


def _swept_lists(wide: Sequence[tuple[int, int]]) -> Iterator[tuple[str, Sizes]]:
    """Yield sizes for the training functions, whose work grows with the square of the number of
    features.
    """
    sizes = []
    for k, (S, F) in enumerate(wide):
        sizes.append({"n": 10 + k, "u": LISTS[k], "v": LISTS[k - 1], "S": S, "F": F})
    long = [P for P in PAIRS if P > 64]
    rows = itertools.cycle((5, 65_600, 1100, 300))
    formats = itertools.cycle(((2, 2), (1, 3), (3, 1), (2, 2), (1, 4)))
    for u, v in zip(long, long[::-1], strict=True):
        S, F = next(formats)
        sizes.append({"n": next(rows), "u": u, "v": v, "S": S, "F": F})
    for lengths in sizes:
        for function in TRAINING:
            yield function, lengths


def large_inputs(sizes: Sizes, seed: int = 0) -> dict[str, Any]:
    """Return random inputs of all nine functions at given sizes; a size that is not given is 1, and
    0 for index pairs.
    """
    random = np.random.default_rng(seed)
    S = sizes["S"]
    F = sizes["F"]
    A = random.normal(size=(S + 1, F, F)) / np.sqrt(F)
    M = (A @ np.swapaxes(A, 1, 2) * 0.25 + 0.05 * np.eye(F)) * min(1, 3 / F)
    M = (M + np.swapaxes(M, 1, 2)) / 2
    inputs: dict[str, Any] = {}
    for name, argument in ARGUMENTS.items():
        letter = argument.shape[:1]
        if argument.kind == "points":
            inputs[name] = random.normal(size=(sizes.get(letter, 1), F))
        elif argument.kind == "indices":
            inputs[name] = _index_pairs(random, sizes.get(letter, 0), sizes.get("n", 1))
        elif argument.kind == "radii":
            inputs[name] = np.sqrt(F) * random.uniform(0.6, 1.5, size=S)
    K = sizes.get("K", 1)
    return {
        **inputs,
        "local_metrics": M[:-1],
        "background_metric": M[-1],
        "K": K,
        "alpha": 0.25,
        "C": 0.25,
        "beta": 0.5,
    }


def _index_pairs(random: np.random.Generator, count: int, rows: int) -> np.ndarray:
    """Return random pairs of row numbers in groups of three: a pair, one beside it, and the pair
    reversed.

    Programs that encode a pair as one number may confuse a pair with the one beside it, and
    programs that count a pair once miss the reversed one.
    """
    pairs = random.integers(rows, size=(count, 2))
    firsts = pairs[::3]
    beside = pairs[1::3]
    beside[...] = (firsts[: len(beside)] + (0, 1)) % rows
    reverse = pairs[2::3]
    reverse[...] = firsts[: len(reverse), ::-1]
    return pairs


def large_case(function: str, sizes: Sizes, seed: int = 0) -> Case:
    """Return random inputs of one function at given sizes."""
    inputs = {"function": function, **select(large_inputs(sizes, seed), function)}
    return Case(inputs, ("large batch",), f"a large batch for {function}")
