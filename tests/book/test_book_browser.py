"""The built book in a real browser, opened from disk: every page, wide and narrow, and the
explorable figures.
"""

import json
import math
import random
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
from book_site import pages_in_order
from browsing import NARROW, WIDE, WIDTH, PageFaults, drag_by_touch, visit

from lmlir.intersection import intersection_ratio, segment_case

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

RAW_LATEX = r"""() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const skip = "pre, code, script, style, noscript, textarea, mjx-container, math, [data-frames]";
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest(skip)) continue;
    if (/\\[a-zA-Z]{2,}|\\[()\[\]]|\$[^$\n]+\$/.test(node.textContent))
      found.push(node.textContent.trim().slice(0, 80));
  }
  for (const error of document.querySelectorAll("mjx-merror"))
    found.push("merror: " + error.textContent.slice(0, 80));
  return found;
}"""
PICTURES = """() => [...document.querySelectorAll("main img")]
  .filter((img) => !img.alt || !(img.complete && img.naturalWidth > 0))
  .map((img) => img.src.split("/").pop())"""
LINKS = """() => [[...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href")),
  [...document.querySelectorAll("[id], a[name]")].map((e) => e.id || e.name)]"""

CUT = """() => [...document.querySelectorAll(".bd-article mjx-container")].filter((formula) => {
  const block = formula.closest("div.math, p, li, td, dd, figcaption");
  const math = formula.querySelector("mjx-math");
  const width = math.getBoundingClientRect().width;
  return block && formula.offsetParent && width > block.clientWidth + 1;
}).map((formula) => formula.closest("[id]").id)"""


def all_pages(html: Path) -> list[str]:
    """Every page of the built book, sources of the functions included."""
    pages = [
        str(path.relative_to(html)) for path in html.rglob("*.html") if "_static" not in path.parts
    ]
    return sorted(page for page in pages if not page.startswith("explorable/"))


def broken_links(html: Path, links: dict[str, tuple[list[str], set[str]]]) -> list[str]:
    """Links whose page, file or anchor does not exist."""
    broken = []
    for name, (hrefs, _) in links.items():
        for href in hrefs:
            if re.match(r"[a-z]+:", href) or href == "#":
                continue
            path, anchor = urldefrag(unquote(href.split("?")[0]))
            target = (
                (html / name).parent.joinpath(path).resolve() if path else (html / name).resolve()
            )
            if not target.exists():
                broken.append(f"{name}: {href}")
            elif anchor and target.suffix == ".html":
                known = links.get(str(target.relative_to(html.resolve())), ([], set()))[1]
                if anchor not in known:
                    broken.append(f"{name}: {href}")
    return broken


def test_every_page_is_quiet_complete_narrow_and_linked(wide, html):
    """No console error, no failed or outside request, no raw LaTeX, no sideways scrolling at 390
    px, no dead link.

    In the chapters no formula is wider than its paragraph at 390 px.
    """
    names = all_pages(html)
    assert len(names) >= 30
    chapters = {f"{path.stem}.html" for path in pages_in_order()}
    assert len(chapters & set(names)) == len(chapters)
    page = wide
    page_faults = PageFaults(wide)
    faults = []
    links = {}
    for name in names:
        page.set_viewport_size(WIDE)
        visit(page, html, name)
        faults += [f"{name}: {fault}" for fault in page_faults.faults]
        page_faults.faults.clear()
        faults += [f"{name}: raw LaTeX {text!r}" for text in page.evaluate(RAW_LATEX)]
        faults += [f"{name}: picture {source}" for source in page.evaluate(PICTURES)]
        hrefs, anchors = page.evaluate(LINKS)
        links[name] = (hrefs, set(anchors))
        page.set_viewport_size(NARROW)
        if name in chapters:
            page.wait_for_timeout(50)  # fit_math.js follows the new width
            faults += [f"{name}: {formula}" for formula in page.evaluate(CUT)]
        width = page.evaluate(WIDTH)
        if width > NARROW["width"]:
            faults.append(f"{name}: {width} px wide on a screen of {NARROW['width']}")
    assert faults == []
    assert sum(len(hrefs) for hrefs, _ in links.values()) > 500
    assert broken_links(html, links) == []


# -------------------------------------------------------------------------------- explorable figure


def visit_figure(page: Any, html: Path) -> Any:
    visit(page, html, "intersection.html")
    page.wait_for_selector('#explorable-segment[data-ready="true"]')
    page.locator(".explorable-plane").scroll_into_view_if_needed()
    return page


@pytest.fixture
def figure(wide, html) -> Any:
    return visit_figure(wide, html)


def shown(page: Any) -> tuple[dict[str, Any], float, int, str, str]:
    """Read the figure's state, gamma and row, and the two as displayed."""
    values = page.evaluate(
        """() => {
          const f = document.getElementById("explorable-segment");
          const text = (name) => f.querySelector(`[data-name="${name}"]`).textContent;
          return [f.dataset.state, f.dataset.gamma, f.dataset.row, text("gamma"), text("row")];
        }"""
    )
    return json.loads(values[0]), float(values[1]), int(values[2]), values[3], values[4]


def agrees(page: Any) -> tuple[dict[str, Any], int]:
    """Compare the figure's gamma and row with the package's; return its state and row."""
    state, gamma, row, gamma_text, row_text = shown(page)
    truth = float(intersection_ratio(state["x_i"], state["x_j"], state["o"], state["r"]))
    assert gamma == pytest.approx(truth, abs=1e-9), state
    assert gamma_text == f"{truth:.4f}" or abs(float(gamma_text) - truth) < 5.1e-5, state
    assert (
        row == segment_case(state["x_i"], state["x_j"], state["o"], state["r"]) == int(row_text)
    ), state
    return state, row


def knob(page: Any, name: str) -> tuple[float, float]:
    box = page.locator(f".handle-{name} .knob").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_gamma_is_the_packages_for_twenty_positions_driven_by_the_mouse(figure):
    """Table 2: dragging each handle about, with real mouse events; several rows are met."""
    random_numbers = random.Random(8)
    area = figure.locator(".explorable-plane").bounding_box()
    rows, states = set(), set()
    for k in range(20):
        name = ["x_i", "x_j", "o", "r"][k % 4]
        target = (
            area["x"] + area["width"] * random_numbers.uniform(0.12, 0.88),
            area["y"] + area["height"] * random_numbers.uniform(0.12, 0.88),
        )
        figure.mouse.move(*knob(figure, name))
        figure.mouse.down()
        figure.mouse.move(*target, steps=4)
        figure.mouse.up()
        state, row = agrees(figure)
        rows.add(row)
        states.add(json.dumps(state))
    assert len(states) == 20
    assert len(rows) >= 3, rows


def test_gamma_is_the_packages_when_driven_by_the_keyboard(figure):
    """Tab reaches all four handles; arrows move by a tenth, with Shift by a hundredth; the radius
    grows and shrinks.
    """
    figure.locator(".handle-x_i").focus()
    steps = {
        "x_i": ("ArrowDown", [0.0, -0.1]),
        "x_j": ("ArrowLeft", [-0.1, 0.0]),
        "o": ("Shift+ArrowUp", [0.0, 0.01]),
    }
    for name, (key, move) in steps.items():
        assert figure.evaluate(f"document.activeElement.classList.contains('handle-{name}')")
        before = shown(figure)[0][name]
        for _ in range(7):
            figure.keyboard.press(key)
            agrees(figure)
        after = shown(figure)[0][name]
        assert after == pytest.approx([before[0] + 7 * move[0], before[1] + 7 * move[1]], abs=1e-9)
        figure.keyboard.press("Tab")
    before = shown(figure)[0]["r"]
    for key in ["ArrowRight"] * 6 + ["ArrowDown"] * 2:
        figure.keyboard.press(key)
        agrees(figure)
    assert shown(figure)[0]["r"] == pytest.approx(before + 0.4, abs=1e-9)


def test_each_row_of_table_2_has_a_button_that_shows_it(figure):
    """Table 2: all eight rows, tangency included, each at a press of Enter."""
    for row in range(1, 9):
        figure.locator(f'.explorable-rows button[data-row="{row}"]').focus()
        figure.keyboard.press("Enter")
        assert agrees(figure)[1] == row
        assert figure.locator(".explorable-rows button[aria-pressed=true]").get_attribute(
            "data-row"
        ) == str(row)


def test_a_finger_can_drag_the_end_of_the_segment(browser, html):
    """On a phone: touch events move the handle and do not scroll the page."""
    context = browser.new_context(viewport=NARROW, has_touch=True, is_mobile=True)
    page = visit_figure(context.new_page(), html)
    before = shown(page)[0]
    scrolled = page.evaluate("scrollY")
    drag_by_touch(context, page, *knob(page, "x_j"), -60, 40)
    state, _ = agrees(page)
    assert math.dist(state["x_j"], before["x_j"]) > 1
    assert page.evaluate("scrollY") == scrolled
    context.close()


# ------------------------------------------------------------------------------ what the theme does


def test_the_counterexample_can_be_zoomed_by_keyboard(wide, html):
    """Erratum E6: every zoom shows a steeper quotient, and the last one is beyond ten thousand."""
    visit(wide, html, "continuity.html")
    wide.locator("#zoom-lemma input").focus()
    quotients = []
    for _ in range(9):
        text = wide.locator("#zoom-lemma output").inner_text()
        quotients.append(int(re.search(r"quotient of ([\d,]+)", text).group(1).replace(",", "")))
        wide.keyboard.press("ArrowRight")
    assert quotients == sorted(quotients)
    assert quotients[-1] > 10_000
    assert wide.locator("#zoom-lemma .curve").get_attribute("d").count("L") > 100


ZOOM = """() => {
  const find = (name) => document.querySelector("#zoom-lemma " + name);
  const ticks = [...document.querySelectorAll("#zoom-lemma .tick")]
    .map((t) => [Number(t.textContent), Number(t.dataset.y)]);
  const curve = find(".curve"), end = curve.getPointAtLength(curve.getTotalLength());
  return { ticks, end: [end.x, end.y], touch: Number(find(".touch").getAttribute("x1")) };
}"""
SHADED = """([x, y]) => document.querySelector("#zoom-lemma .allowed")
  .isPointInFill(new DOMPoint(x, y))"""


def test_the_zoom_figure_shades_what_the_printed_bound_allows(wide, html):
    """Lemma 1 as printed allows |dD| <= 5 sqrt(2) |t|: by the y axis, points below that are shaded,
    those above are not.
    """
    visit(wide, html, "continuity.html")
    wide.locator("#zoom-lemma input").focus()
    for exponent in range(1, 5):
        drawn = wide.evaluate(ZOOM)
        (low, y_low), (high, y_high) = drawn["ticks"][0], drawn["ticks"][-1]
        assert low == 0
        assert len(drawn["ticks"]) >= 3
        (x_end, y_end), touch, step = drawn["end"], drawn["touch"], 10.0**-exponent
        value = (y_end - y_low) / (y_high - y_low) * high
        # of the origin above the line through (-3, 1) and (3, 1 - step)
        height = 3 * (2 - step) / math.hypot(6, step)
        # in the ball lengths double: the chord is added to the plain length
        chord = 2 * math.sqrt(1 - height**2)
        assert value == pytest.approx(math.hypot(6, step) + chord - 6, rel=0.01)
        for t in (-0.5, 0.5):
            for share, allowed in [(0.5, True), (2.0, False)]:
                y = y_low + share * 5 * math.sqrt(2) * abs(t) * step / high * (y_high - y_low)
                assert wide.evaluate(SHADED, [touch + t * (x_end - touch), y]) == allowed, (
                    exponent,
                    t,
                    share,
                )
        wide.keyboard.press("ArrowRight")


def test_the_mouse_wheel_scrolls_the_page_over_the_zoom_figure(wide, html):
    visit(wide, html, "continuity.html")
    wide.locator("#zoom-lemma svg").scroll_into_view_if_needed()
    wide.locator("#zoom-lemma svg").hover()
    before, frame = (
        wide.evaluate("scrollY"),
        wide.locator("#zoom-lemma").get_attribute("data-frame"),
    )
    wide.mouse.wheel(0, 200)
    wide.wait_for_function(f"scrollY > {before} + 100", timeout=5_000)
    assert wide.locator("#zoom-lemma").get_attribute("data-frame") == frame


def test_search_finds_dark_mode_switches_solutions_open_and_code_can_be_copied(wide, html):
    """The promises of every page, from disk."""
    wide.goto((html / "search.html").as_uri() + "?q=tangency")
    wide.wait_for_selector("#search-results li", timeout=10_000)
    visit(wide, html, "regions.html")
    themes = {wide.evaluate("document.documentElement.dataset.theme")}
    for _ in range(3):
        wide.locator(".theme-switch-button").first.click()
        themes.add(wide.evaluate("document.documentElement.dataset.theme"))
    assert themes == {"light", "dark"}
    solution = wide.locator(".solution.dropdown, .admonition.solution").first
    assert not solution.locator("p").nth(1).is_visible()
    solution.locator("button.toggle-button").first.click()
    assert solution.locator("p").nth(1).is_visible()
    assert wide.locator("button.copybtn").count() >= 5
    assert wide.locator(".prev-next-area a").count() == 2
    visit(wide, html, "api/regions.html")
    assert wide.locator("a.viewcode-link, .viewcode-link").count() >= 5
