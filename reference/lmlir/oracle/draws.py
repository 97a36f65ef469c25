"""Draws that depend on the seed alone.

Newer versions of Hypothesis mix constants that they find in imported modules into their draws, so that the same seed would try
other inputs under pytest than on the command line. Versions without such constants need nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAME = "hypothesis"


@contextmanager
def by_seed_alone() -> Iterator[None]:
    """Without constants from anywhere; as before afterwards."""
    try:
        from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
    except ImportError:
        yield
        return

    class WithoutConstants(HypothesisProvider):
        """The usual draws, none of which is a constant found somewhere."""

        def _maybe_draw_constant(self, *details: Any, **options: Any) -> None:
            return None

    usual = AVAILABLE_PROVIDERS[NAME]
    AVAILABLE_PROVIDERS[NAME] = WithoutConstants
    try:
        yield
    finally:
        AVAILABLE_PROVIDERS[NAME] = usual
