"""One Chromium for each file of tests."""

from collections.abc import Iterator
from typing import Any

import pytest
from browsing import CHROMIUM, FLAGS


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A running Chromium; the tests that want it are skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as engine:
        instance = engine.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield instance
        instance.close()
