"""Markup: HTML and SVG elements, with everything escaped that is not itself an element made here."""

from __future__ import annotations

from html import escape

# A control character means something to some browsers; its picture (U+2400 and on) means itself.
_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"}
_EMPTY = ("br", "meta")  # elements of HTML without an end tag


class Markup(str):
    """Text that is already markup and is not escaped again."""


def text(content: object) -> Markup:
    """Anything as text: escaped, unless it is markup.

    >>> text("a < b"), text(tag("b", "<"))
    ('a &lt; b', '<b>&lt;</b>')
    """
    if isinstance(content, Markup):
        return content
    shown = str(content).translate(_PICTURES).encode("utf-8", "backslashreplace").decode("utf-8")
    return Markup(escape(shown))


def tag(name: str, /, *content: object, **attributes: object) -> Markup:
    """One element. An attribute ``class_`` is written ``class`` and ``stroke_width`` is ``stroke-width``; None is left out.

    >>> tag("p", "1 < 2", tag("b", "yes"), class_="so")
    '<p class="so">1 &lt; 2<b>yes</b></p>'
    """
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    head = name + "".join(f' {key}="{text(value)}"' for key, value in given.items())
    if name in _EMPTY:
        return Markup(f"<{head}>")
    return Markup(f"<{head}>{join(content)}</{name}>")


def join(parts: object, between: str = "") -> Markup:
    """Several pieces as one, each escaped unless it is markup."""
    assert isinstance(parts, (list, tuple))
    return Markup(text(between).join(text(part) for part in parts))
