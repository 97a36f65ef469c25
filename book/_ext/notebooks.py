"""Let readers download each chapter as an executed notebook."""

import json
import shutil
from pathlib import Path
from typing import Any

from myst_nb.sphinx_ext import OUTPUT_FOLDER
from sphinx.application import Sphinx

FOLDER = "_notebooks"
LINK = """<p class="notebook-download"><a href="{address}" download>Download this page as an
executed notebook</a>. To run it, put it into the folder <code>book/</code> of the repository,
whose modules and files it reads, and use the Python of <code>.venv</code>.</p>
"""


def executed(app: Sphinx, pagename: str) -> Path | None:
    """The notebook that MyST-NB wrote when it ran the page; None for a page without code."""
    path = Path(app.outdir).parent / OUTPUT_FOLDER / f"{pagename}.ipynb"
    if not path.exists():
        return None
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return path if any(cell["cell_type"] == "code" for cell in cells) else None


def offer(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Copy the page's notebook next to the pages, and end the page with a link to it."""
    is_chapter = doctree is not None and pagename != app.config.root_doc
    source = executed(app, pagename) if is_chapter else None
    if source is None:
        return
    target = Path(app.outdir) / FOLDER / f"{pagename}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    address = context["pathto"](f"{FOLDER}/{pagename}.ipynb", resource=True)
    context["body"] += LINK.format(address=address)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("html-page-context", offer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
