"""Theorem D on the paper's data sets: the compression bound beside equation (11), Corollary 1
repaired and the larger class.

What is fixed before the n instances, the 60 % part of a split, are seen: the mean, the deviation
and, where it is learned, the distance come from the other 40 %; delta = 0.05; K. So one line of the
file is one application of the theorem. The union bound covers the choice of S; it does not cover a
choice between lines.

The file has one JSON object per line: `bound` for `d` kept instances and `k` mistakes on the
others, `larger_class` the bound for the larger class with its `larger_class_k`, `measured` the
error on the 40 % part (which gave no label to a Euclidean line, and is left out where the distance
was learned there), `equation_11` as printed (null where c > 34 n and the formula means nothing) and
`corollary_1` repaired, at the best of four margins.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from lmlir import vectorized
from lmlir.compression import larger_class_bound
from lmlir.continuity import (
    learning_bound,
    printed_capacity,
    printed_learning_bound,
    repaired_capacity,
)
from lmlir.experiments import data
from lmlir.experiments.protocol import (
    N_SPLITS,
    K,
    Part,
    Record,
    euclidean_parameters,
    prepared,
    rounded,
    split_rows,
)
from lmlir.learning import learn
from lmlir.ledger.table_5_again import SETS
from lmlir.scalars import Parameters

from .compression_search import compressed_predictions, greedy_compression
from .results import RESULTS, write_lines

DELTA = 0.05
DIAMETER = 2.0  # of instances of unit length, at most
MARGINS = (0.1, 0.5, 1.0, 2.0)
OUT = RESULTS / "compression.jsonl"


def swapped_part(dataset: data.Dataset, split: int) -> Part:
    """The split with its parts exchanged: the 40 % part to prepare and to learn with, the 60 % part
    as the n instances.
    """
    train, test = split_rows(len(dataset.X), split)
    return prepared(dataset.X, dataset.y, (test, train), fitted_on="train")


def compressed(part: Part, Theta: Parameters, K: int) -> tuple[Record, float]:
    """Theorem D for one distance: d, k and the bound; and the error of the same classifier on the
    40 % part.
    """
    X = part.X_test
    y = part.y_test
    found = greedy_compression(vectorized.cross_distances(X, X, *Theta), y, DELTA, K)
    to_sample = vectorized.cross_distances(part.X_train, X, *Theta)
    measured = np.mean(compressed_predictions(to_sample, y, found.members, K) != part.y_train)
    return {"d": len(found.members), "k": found.mistakes, "bound": found.bound}, float(measured)


def other_bounds(part: Part) -> Record:
    """The larger class, equation (11) as printed and repaired, for the Euclidean distance and K =
    10.
    """
    X = part.X_test
    y = part.y_test
    n, F = X.shape
    Theta = euclidean_parameters(F)
    f = vectorized.decision_values(X, X[y < 0], X[y > 0], K, *Theta)
    c = printed_capacity([], Theta.background_metric, DIAMETER, doubling_dimension=F)
    wrong = int(np.sum(y * f <= 0))
    repaired = [
        learning_bound(
            int(np.sum(y * f < margin)),
            n,
            DELTA,
            repaired_capacity(DIAMETER, F, margin, [], [], [], np.eye(F).tolist()),
        )
        for margin in MARGINS
    ]
    smaller = int(min(np.sum(y > 0), np.sum(y < 0)))
    return {
        "larger_class_k": smaller,
        "larger_class": larger_class_bound(smaller, n, DELTA),
        "equation_11": printed_learning_bound(wrong, n, DELTA, c) if c <= 34 * n else None,
        "corollary_1": min(repaired),
    }


def records(name: str, splits: int = N_SPLITS) -> Iterator[Record]:
    """All lines of one data set: Euclidean 1-NN on every split; equation (10) and a learned
    distance on the first.
    """
    dataset = data.load(name)
    for split in range(splits):
        part = swapped_part(dataset, split)
        head: Record = {"dataset": name, "split": split, "n": len(part.X_test)}
        others = other_bounds(part)
        euclidean: Any = euclidean_parameters(part.X_train.shape[1])
        for neighbors in (1, K) if split == 0 else (1,):
            found, measured = compressed(part, euclidean, neighbors)
            yield {
                **head,
                "distance": "euclidean",
                "K": neighbors,
                **found,
                "measured": measured,
                **others,
            }
        if split == 0:
            learned = learn(
                part.X_train, part.y_train, n_neighbors=min(K, smallest_class(part) - 1)
            ).parameters
            found, _ = compressed(part, learned, 1)
            yield {**head, "distance": "learned", "K": 1, **found, **others}


def smallest_class(part: Part) -> int:
    """How many instances the smaller class of the 40 % part has."""
    return int(min(np.sum(part.y_train > 0), np.sum(part.y_train < 0)))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this study."""
    parser.add_argument(
        "--only", nargs="+", metavar="SET", choices=SETS, default=SETS, help="these data sets only"
    )
    parser.add_argument(
        "--splits", type=int, default=N_SPLITS, metavar="N", help="the first N splits"
    )


def run(options: argparse.Namespace) -> None:
    """Write the lines of all data sets."""
    found = (record for name in options.only for record in records(name, options.splits))
    write_lines(options.out, (json.dumps(rounded(record)) for record in found))
