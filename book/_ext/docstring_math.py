"""Docstrings write formulas as $...$, code as `...` and symbol tables as in Markdown; the reference
pages want roles.
"""

import re

from sphinx.application import Sphinx

MATH = re.compile(r"(?<![\\$`])\$([^$\n]+?)\$")
CODE = re.compile(r"(?<![`:\w])`([^`\n]+)`(?![`_\w])")
SPECIAL = re.compile(r"([*|\\]|_(?=\W|$))")


def with_roles(line: str) -> str:
    r"""One line of a docstring with its formulas and code words as roles; doctest lines are left
    alone.

    >>> with_roles("the share $x$ of `x_i`, and |x|")
    'the share :math:`x` of ``x_i``, and \\|x\\|'
    """
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = re.split(r"(\$[^$\n]+?\$|``[^`\n]+``|:\w+:`[^`\n]+`|`[^`\n]+`)", line)
    for k, part in enumerate(parts):
        if MATH.fullmatch(part):
            parts[k] = f":math:`{part[1:-1]}`"
        elif CODE.fullmatch(part):
            parts[k] = f"`{part}`"
        elif k % 2 == 0:
            parts[k] = SPECIAL.sub(r"\\\1", part)
    return "".join(parts)


def cells(row: str) -> list[str]:
    """The cells of one line of a Markdown table; a bar counts only with blanks around it."""
    return [
        cell.strip()
        for cell in re.split(r"\s\|\s", f" {row.strip().removeprefix('|').removesuffix('|')} ")
    ]


def with_list_tables(lines: list[str]) -> list[str]:
    """The lines with every Markdown table turned into a list-table."""
    result: list[str] = []
    for k, line in enumerate(lines):
        if not line.startswith("| ") and not line.startswith("|---"):
            result.append(line)
            continue
        if line.startswith("|---"):
            continue
        first = k == 0 or not lines[k - 1].startswith("|")
        if first:
            result += ["", ".. list-table::", "   :header-rows: 1", ""]
        for column, cell in enumerate(cells(line)):
            result.append(f"   {'*' if column == 0 else ' '} - {with_roles(cell)}")
        if k + 1 == len(lines) or not lines[k + 1].startswith("|"):
            result.append("")
    return result


def process_docstring(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Rewrite a docstring in place before it is parsed; lines of a table are done by their cells,
    doctests not at all.
    """
    done: list[str] = []
    in_doctest = False
    for line in lines:
        in_doctest = bool(line.strip()) and (in_doctest or line.lstrip().startswith(">>>"))
        done.append(line if in_doctest or line.startswith("|") else with_roles(line))
    lines[:] = with_list_tables(done)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register for autodoc."""
    app.connect("autodoc-process-docstring", process_docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
