"""Print one line per page while the book is built: its number, its name and how long its cells
took.

Building takes minutes, and Sphinx prints nothing when it is quiet.
"""

import time

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


class Progress:
    """Counts the pages that have been read."""

    def __init__(self) -> None:
        self.pages = 0
        self.page = 0
        self.start = 0.0

    def count(self, app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
        """Store how many pages there are."""
        self.pages = len(docnames)

    def begin(self, app: Sphinx, docname: str, content: list[str]) -> None:
        """Print a page's number and name before its cells run."""
        self.page += 1
        self.start = time.perf_counter()
        print(f"{self.page}/{self.pages} {docname} ...", end=" ", flush=True)

    def end(self, app: Sphinx, doctree: object) -> None:
        """Print how long the page took."""
        print(f"{time.perf_counter() - self.start:.0f} s", flush=True)


def connect(app: Sphinx) -> None:
    """Print progress only where the build asks for it."""
    if app.config.progress:
        progress = Progress()
        app.connect("env-before-read-docs", progress.count)
        app.connect("source-read", progress.begin)
        app.connect("doctree-read", progress.end)
        app.connect("env-updated", lambda app, env: print("writing the pages ...", flush=True))


def setup(app: Sphinx) -> dict[str, bool]:
    """Declare the setting."""
    app.add_config_value("progress", False, "")
    app.connect("builder-inited", connect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
