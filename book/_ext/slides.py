"""Slides for a lecture: `slides.html` in the built book has every figure of the chapters with its
caption, one to a screen.

They are made from the finished pages, so that a slide shows what the chapter shows. Arrow keys and
the space bar turn the page, as scrolling does; the title of a slide links to its place in the book,
and its number says how many there are.
"""

import re
from html import escape
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Slides: every figure of the book</title>
<style>
html {{ scroll-snap-type: y mandatory; font-family: system-ui, sans-serif; color: #22262c;
  background: #fff; color-scheme: light dark; }}
body {{ margin: 0; }}
section {{ min-height: 100vh; box-sizing: border-box; padding: 2vh 4vw; scroll-snap-align: start;
  display: flex; flex-direction: column; justify-content: center; break-after: page; }}
h2 {{ font-size: 1.3rem; font-weight: 600; margin: 0 0 2vh; }}
h2 a {{ color: inherit; text-decoration: none; }}
img {{ max-width: 100%; height: 66vh; object-fit: contain; align-self: center; }}
p {{ font-size: 1.05rem; line-height: 1.4; max-width: 60rem; align-self: center;
  overflow-wrap: anywhere; }}
.number, .keys {{ font-size: .85rem; color: #5a6068; }}
.number {{ align-self: flex-end; }}
@media (max-width: 600px) {{
  section {{ justify-content: flex-start; padding-top: 1rem; }}
  img {{ height: auto; max-height: 60vh; }}
}}
@media screen and (prefers-color-scheme: dark) {{
  /* lightness turned over, hues kept, as in the book */
  html {{ color: #ced6dd; background: #14181e; }}
  img {{ filter: invert(.9) hue-rotate(180deg); }}
  .number, .keys {{ color: #9ca4af; }}
}}
@media print {{ .keys {{ display: none; }} }}
</style>
{mathjax}
<script>
addEventListener("keydown", (event) => {{
  const step = {{ ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 }}[event.key];
  if (!step) return;
  event.preventDefault();
  const slides = [...document.querySelectorAll("section")];
  const here = slides.findIndex((slide) => slide.getBoundingClientRect().bottom > innerHeight / 2);
  slides[Math.min(Math.max(here + step, 0), slides.length - 1)].scrollIntoView();
}});
</script></head><body>
{slides}
</body></html>
"""


KEYS = (
    '<p class="keys">Arrow keys or the space bar turn the page; the title leads to the place '
    "in the book.</p>"
)


def figure_name(number: str) -> str:
    """The number of a figure, with a word on whose it is: a plain number is the paper's.

    >>> figure_name("Figure 3"), figure_name("Figure 2.1")
    ("the paper's Figure 3", 'Figure 2.1')
    """
    return f"the paper's {number}" if re.fullmatch(r"Figure \d+", number) else number


def slides_of(html: str, page: str) -> list[str]:
    """The figures of one finished page as contents of slides: the chapter's title, the picture and
    the caption.
    """
    soup = BeautifulSoup(html, "html.parser")
    heading = soup.find("h1")
    if not isinstance(heading, Tag):
        return []
    title = heading.get_text().removesuffix("#").strip()
    found = []
    for figure in soup.select("article figure[id]"):
        picture = figure.find("img")
        caption = figure.select_one(".caption-text")
        if isinstance(picture, Tag) and caption is not None:
            number = figure.select_one(".caption-number")
            name = " · ".join(
                filter(None, [title, figure_name(number.get_text().strip()) if number else ""])
            )
            image = f'<img src="{picture["src"]}" alt="{escape(str(picture.get("alt", "")))}">'
            link = f'<a href="{page}#{figure["id"]}">{escape(name)}</a>'
            found.append(f"<h2>{link}</h2>{image}<p>{caption.decode_contents()}</p>")
    return found


def numbered(slides: list[str]) -> str:
    """The contents as sections, each with its number; the first says which keys turn the page.

    >>> print(numbered(["a", "b"]).replace(KEYS, "KEYS"))
    <section>aKEYS<div class="number">1 / 2</div></section>
    <section>b<div class="number">2 / 2</div></section>
    """
    return "\n".join(
        f'<section>{slide}{KEYS if n == 1 else ""}<div class="number">{n} / '
        f"{len(slides)}</div></section>"
        for n, slide in enumerate(slides, start=1)
    )


def write_slides(app: Sphinx, exception: Exception | None) -> None:
    """Write the slides beside the pages, in the order of the table of contents."""
    if exception is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir)
    chapters = [
        name for name in app.env.toctree_includes.get(app.config.root_doc, []) if "/" not in name
    ]
    pages = {
        name: (folder / f"{name}.html").read_text(encoding="utf-8")
        for name in [app.config.root_doc, *chapters]
    }
    slides = [slide for name, html in pages.items() for slide in slides_of(html, f"{name}.html")]
    scripts = [
        script
        for html in pages.values()
        for script in BeautifulSoup(html, "html.parser").find_all("script")
    ]
    mathjax = {str(script): None for script in scripts if "mathjax" in str(script).lower()}
    (folder / "slides.html").write_text(
        PAGE.format(mathjax="\n".join(mathjax), slides=numbered(slides)), encoding="utf-8"
    )


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect to Sphinx."""
    app.connect("build-finished", write_slides)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
