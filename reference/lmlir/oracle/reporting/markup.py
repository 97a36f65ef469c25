"""Markup: HTML and SVG elements, with everything escaped that is not itself an element made
here.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_EMPTY = ("br", "meta")  # elements of HTML without an end tag

# What can move the cursor, color, hide or reorder text: control characters as their pictures, the
# others by their numbers.
_HIDDEN: dict[int, str | int] = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"},
    0x7F: 0x2421,
    **{code: f"\\x{code:02x}" for code in range(0x80, 0xA0)},
    **{
        code: f"\\u{code:04x}"
        for code in (0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
    },
}


class Markup(str):
    """Text that is already markup and is not escaped again."""


def visible(content: object) -> str:
    r"""Anything as text without control characters, for a terminal or a page.

    Tabs and line ends stay.

    >>> visible("\x1b[2J"), visible("\udcff")
    ('␛[2J', '\\udcff')
    """
    return str(content).translate(_HIDDEN).encode("utf-8", "backslashreplace").decode("utf-8")


def text(content: object) -> Markup:
    """Anything as escaped text, unless it is markup.

    >>> text("a < b"), text(tag("b", "<"))
    ('a &lt; b', '<b>&lt;</b>')
    """
    return content if isinstance(content, Markup) else Markup(escape(visible(content)))


def tag(name: str, /, *content: object, **attributes: object) -> Markup:
    """One element.

    An attribute ``class_`` is written ``class`` and ``stroke_width`` is ``stroke-width``; None is
    left out.

    >>> tag("p", "1 < 2", tag("b", "yes"), class_="so")
    '<p class="so">1 &lt; 2<b>yes</b></p>'
    """
    head = name
    for key, value in attributes.items():
        if value is not None:
            head += f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
    if name in _EMPTY:
        return Markup(f"<{head}>")
    return Markup(f"<{head}>{join(content)}</{name}>")


def join(parts: Sequence[object], between: str = "") -> Markup:
    """Several pieces as one, each escaped unless it is markup."""
    return Markup(text(between).join(map(text, parts)))
