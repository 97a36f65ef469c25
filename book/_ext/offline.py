"""Let the pages ask for nothing from outside: serve MathJax from the book itself, and leave out
what needs a network.

`_static/fit_math.js` sets formulas smaller where they are wider than their line.
"""

import importlib.util
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

NEEDED = ["tex-chtml.js", "output/chtml/fonts", "input/tex/extensions"]


def copy_mathjax(app: Sphinx, error: Exception | None) -> None:
    """Copy the needed two megabytes of the bundled MathJax next to the pages."""
    if error is not None or app.builder.format != "html":
        return
    bundle = importlib.util.find_spec("sphinx-mathjax-offline")
    assert bundle is not None and bundle.origin is not None, (
        "sphinx-mathjax-offline is not installed"
    )
    source = Path(bundle.origin).parent / "static" / "mathjax"
    target = Path(app.outdir) / "_static" / "mathjax"
    for part in NEEDED:
        destination = target / part
        destination.parent.mkdir(parents=True, exist_ok=True)
        if (source / part).is_dir():
            shutil.copytree(source / part, destination, dirs_exist_ok=True)
        else:
            shutil.copyfile(source / part, destination)


def drop_thebe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Leave out the scripts that would fetch a remote kernel: the pages are executed already."""
    for kind in ("script_files", "css_files"):
        context[kind] = [
            entry
            for entry in context.get(kind, [])
            if "thebe" not in str(getattr(entry, "filename", entry)).lower()
            and "THEBE" not in str(getattr(entry, "attributes", {}).get("body", ""))
        ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Point Sphinx at the local script."""
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    app.connect("build-finished", copy_mathjax)
    app.connect("html-page-context", drop_thebe, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
