"""Serve MathJax from the book itself, so that the pages ask for nothing from outside; copy only the parts they use."""

import importlib.util
import shutil
from pathlib import Path

from sphinx.application import Sphinx

NEEDED = ["tex-chtml.js", "output/chtml/fonts", "input/tex/extensions"]


def copy_mathjax(app: Sphinx, error: Exception | None) -> None:
    """Copy the needed two megabytes of the bundled MathJax next to the pages."""
    if error is not None or app.builder.format != "html":
        return
    bundle = importlib.util.find_spec("sphinx-mathjax-offline")
    assert bundle is not None and bundle.origin is not None, "sphinx-mathjax-offline is not installed"
    source = Path(bundle.origin).parent / "static" / "mathjax"
    target = Path(app.outdir) / "_static" / "mathjax"
    for part in NEEDED:
        destination = target / part
        destination.parent.mkdir(parents=True, exist_ok=True)
        if (source / part).is_dir():
            shutil.copytree(source / part, destination, dirs_exist_ok=True)
        else:
            shutil.copyfile(source / part, destination)


def setup(app: Sphinx) -> dict[str, bool]:
    """Point Sphinx at the local script."""
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
