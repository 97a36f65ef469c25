"""A bibliography that is sorted and labeled by author and year, as the citations in the text
are.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from pybtex.database import Entry
from pybtex.plugin import register_plugin
from pybtex.richtext import Text
from pybtex.style.formatting.plain import Style
from pybtex.style.labels import BaseLabelStyle
from sphinx.application import Sphinx


def label(entry: Entry) -> str:
    """The names as a citation has them, and the year."""
    names = [
        str(Text.from_latex(" ".join(person.prelast_names + person.last_names)))
        for person in entry.persons["author"]
    ]
    authors = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{authors}, {entry.fields['year']}"


class AuthorYearLabels(BaseLabelStyle):
    """Labels like "Cover and Hart, 1967"."""

    def format_labels(self, sorted_entries: Iterable[Entry]) -> Iterator[str]:
        """One label for each entry."""
        return (label(entry) for entry in sorted_entries)


class AuthorYear(Style):
    """The plain style, which sorts by author and year, with labels of author and year."""

    default_label_style = AuthorYearLabels


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the style."""
    register_plugin("pybtex.style.formatting", "author_year", AuthorYear)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
