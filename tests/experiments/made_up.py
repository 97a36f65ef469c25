"""Records as a results file holds them, made up for the tests."""

from collections.abc import Iterable
from typing import Any


def made_up(dataset: str, method: str, values: Iterable[float], **more: Any) -> list[dict[str, Any]]:
    """One record a split with these accuracies, and the same other fields in each."""
    return [
        {"dataset": dataset, "split": split, "method": method, "accuracy": value, **more}
        for split, value in enumerate(values)
    ]
