"""The pages in a real browser: figures that scroll, cards beside links, the map, and slides."""

import pytest
from browsing import NARROW, visit

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


def test_a_figure_that_scrolls_on_a_phone_has_a_note_and_scrolls_by_keyboard(browser, html):
    """On a wide page nothing scrolls, and no figure stops the Tab key."""
    page = browser.new_page(viewport=NARROW)
    visit(page, html, "why.html")
    page.wait_for_selector("#figure-why-neighbors.scrolls")
    figure = page.locator("#figure-why-neighbors")
    assert "scroll" in figure.evaluate("(f) => getComputedStyle(f, '::before').content")
    figure.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0", timeout=5_000)
    page.set_viewport_size({"width": 1400, "height": 900})
    page.wait_for_selector("#figure-why-neighbors:not(.scrolls)")
    assert figure.get_attribute("tabindex") is None
    page.close()


def test_a_card_opens_beside_a_link_and_closes(browser, html):
    """With the pointer and with the keyboard; its words are the ledger's."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    visit(page, html, "continuity.html")
    link = page.locator("a.has-card", has_text="erratum E6").first
    link.hover()
    card = page.locator(".hover-card")
    card.wait_for(state="visible")
    assert "E6: the distance has no Lipschitz constant" in card.inner_text()
    page.keyboard.press("Escape")
    assert card.is_hidden()
    link.focus()
    assert card.is_visible()
    assert link.get_attribute("aria-describedby") == "hover-card"


def test_the_map_highlights_what_an_item_needs(browser, html):
    """Equation (9) needs Table 2, through gamma; Definition 9 has nothing to do with it."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    visit(page, html, "map.html")
    page.locator("[data-item='Equation (9)']").hover()
    lit = page.evaluate(
        "() => [...document.querySelectorAll('.box.lit')].map((box) => box.dataset.item)"
    )
    assert {"Equation (9)", "Table 2", "Definition 8"} <= set(lit)
    assert "Definition 9" not in lit


def test_every_figure_of_the_chapters_is_a_slide(browser, html):
    """Each has a caption, and no request fails."""
    page = browser.new_page()
    failed = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    visit(page, html, "slides.html")
    count = "(s) => [s.querySelector('img').naturalWidth, s.innerText.length]"
    shown = page.evaluate(f"() => [...document.querySelectorAll('section')].map({count})")
    assert len(shown) > 30
    assert all(width > 0 and words > 20 for width, words in shown)
    assert failed == []
