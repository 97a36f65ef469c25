"""Leave the solutions out of a page when it is read: its notebook and the search index follow."""

import re

from sphinx.application import Sphinx

SOLUTION = re.compile(r"^(`{3,})\{solution\}.*?^\1`*[ \t]*$", re.MULTILINE | re.DOTALL)


def drop_solutions(app: Sphinx, docname: str, content: list[str]) -> None:
    """Take the solutions out of the page's text where the build hides them."""
    if app.config.hide_solutions:
        content[0] = SOLUTION.sub("", content[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("source-read", drop_solutions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
