"""One Chromium for each file of tests, and the built book."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from book_site import build_once, shared_folder
from browsing import CHROMIUM, FLAGS, WIDE


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A running Chromium; tests that need it are skipped where it is not installed."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as engine:
        instance = engine.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield instance
        instance.close()


@pytest.fixture
def wide(browser: Any) -> Iterator[Any]:
    """An empty wide page."""
    page = browser.new_page(viewport=WIDE)
    yield page
    page.close()


@pytest.fixture(scope="session")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built book."""
    status, messages, folder = build_once(shared_folder(tmp_path_factory))
    assert status == 0, messages[-2000:]
    return folder
