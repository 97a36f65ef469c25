"""Helpers of the tests in a browser: where Chromium is, how a page is opened, and what must not
happen on it.
"""

import shutil
from pathlib import Path
from typing import Any

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
FLAGS = [
    *["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    *["--disable-background-networking", "--disable-component-update", "--disable-sync"],
]
WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 390, "height": 844}

# The width of the page. Figures are drawn again some time after the window became narrower,
# so it waits for up to three seconds.
WIDTH = """async () => {
    const width = () => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth);
    for (let tries = 0; tries < 60 && width() > window.innerWidth; tries++)
        await new Promise((next) => setTimeout(next, 50));
    return width();
}"""
TYPESET = (
    "() => window.MathJax && MathJax.startup ? MathJax.startup.promise.then(() => true) : true"
)


class PageFaults:
    """Records what must not happen on a page: console errors, failed requests, requests that leave
    the disk.
    """

    def __init__(self, page: Any) -> None:
        self.faults: list[str] = []
        page.on("console", self.message)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("requestfailed", lambda request: self.faults.append(f"failed: {request.url}"))
        page.on("request", self.request)

    def message(self, message: Any) -> None:
        if message.type == "error":
            self.faults.append(f"console: {message.text}")

    def request(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.faults.append(f"leaves the machine: {request.url}")


def visit(page: Any, html: Path, name: str) -> None:
    """Open a page of the built book and wait until its formulas are set."""
    page.goto((html / name).as_uri(), wait_until="load")
    page.evaluate(TYPESET)


def drag_by_touch(
    context: Any,
    page: Any,
    x: float,
    y: float,
    dx: float,
    dy: float,
) -> None:
    """Touch the page at (x, y), move by (dx, dy) in two steps, and lift the finger."""
    device = context.new_cdp_session(page)
    for kind, share in [("touchStart", 0), ("touchMove", 0.5), ("touchMove", 1)]:
        point = {"x": x + share * dx, "y": y + share * dy}
        device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    device.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
