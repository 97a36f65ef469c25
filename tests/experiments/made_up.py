"""Records of a results file, and facts about data sets, made up for the tests."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmlir.experiments.data import cell_text, fingerprint


def made_up(
    dataset: str, method: str, values: Iterable[float], **more: Any
) -> list[dict[str, Any]]:
    """One record a split with these accuracies, and the same other fields in each."""
    return [
        {"dataset": dataset, "split": split, "method": method, "accuracy": value, **more}
        for split, value in enumerate(values)
    ]


def rivals(
    dataset: str, method: str, eq10: Iterable[float], native: float = 0.5
) -> list[dict[str, Any]]:
    """Records of a rival with these accuracies under equation (10), and one native accuracy."""
    return [
        record
        | {
            "accuracy": native,
            "accuracy_k": {"1": native, "10": 0.6},
            "accuracy_eq10": value,
            "fair": value + 0.01,
        }
        for record, value in zip(made_up(dataset, method, eq10), eq10, strict=True)
    ]


def facts_of(X: NDArray[np.float64], y: Sequence[int] | NDArray[np.int64]) -> dict[str, Any]:
    """Return the facts about a data set as `datasets.json` has them for the right copies."""
    labels = np.asarray(y, dtype=float)
    columns = [
        [
            cell_text(column.min()),
            cell_text(column.max()),
            f"{column.sum():.6g}",
            fingerprint(column[:, None])[:8],
        ]
        for column in X.T
    ]
    return {
        "rows": len(X),
        "features": X.shape[1],
        "classes": [int(np.sum(labels == 0)), int(np.sum(labels == 1))],
        "fingerprint": fingerprint(np.column_stack([X, labels])),
        "features_fingerprint": fingerprint(X),
        "columns": columns,
    }
