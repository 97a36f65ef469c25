"""The film of recorded descents: the recordings can be repeated, obey Theorem E, and are what the
browser shows.
"""

import itertools
import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from book_site import BOOK
from browsing import NARROW, PageFaults
from moving_figures import open_page, write_page

from book.studies import films

RECORDED = json.loads((BOOK / "results" / "descents.json").read_text(encoding="utf-8"))
SCRIPTS = ("geometry.js", "drawing.js", "film.js")


def metric_norms(film: dict[str, Any], m: int) -> dict[int, float]:
    """The Frobenius norm of metric m at each step that is shown."""
    norms = {}
    for step, numbers in zip(film["steps"], film["Theta"], strict=True):
        S = (len(numbers) - 3) // 6
        a, b, c = numbers[6 * m + 3 : 6 * m + 6] if m < S else numbers[-3:]
        norms[step] = math.sqrt(a * a + 2 * b * b + c * c)
    return norms


def test_there_is_a_film_for_every_setting_of_the_switches_in_a_small_file():
    wanted = {
        films.film_name(*s)
        for s in itertools.product(films.DATA, films.RULES, films.REGIONS, films.GRADIENTS)
    }
    assert set(RECORDED["films"]) == wanted
    assert len(wanted) == 90
    assert (BOOK / "results" / "descents.json").stat().st_size < 300_000
    for film in RECORDED["films"].values():
        assert film["steps"][0] == 0
        assert film["steps"][-1] == len(film["objective"]) - 1
        assert all(
            len(film[name]) == len(film["steps"])
            for name in ("Theta", "accuracy", "shares", "dead", "counted")
        )


@pytest.mark.parametrize(
    "switches", [("stripes", "1.0", 4, "true"), ("stripes", "1.0", 1, "printed")]
)
def test_a_recording_can_be_repeated(switches):
    """Up to the rounding of the file, and what the last digit of a float may do to it."""
    again = films.film(*switches)
    kept = RECORDED["films"][films.film_name(*switches)]
    assert again["steps"] == kept["steps"]
    assert again["deaths"] == kept["deaths"]
    assert again["dead"] == kept["dead"]
    for name in ("objective", "Theta", "shares", "covered", "counted", "accuracy"):
        np.testing.assert_allclose(np.array(again[name]), np.array(kept[name]), atol=0.011)


def test_a_metric_that_nobody_meets_dies_in_the_predicted_step():
    """Theorem E, on the recorded norms alone: from `unmet` on they fall along a line that reaches 0
    when predicted.
    """
    lines = 0
    for name, film in RECORDED["films"].items():
        _, rule, _, gradient = name.split()
        for death in film["deaths"]:
            assert rule != "default" or "predicted" not in death
            if "predicted" not in death:
                continue
            pull = 0.1 * float(rule) / (2 if gradient in ("E4", "printed") else 1)
            norms = {
                t: norm
                for t, norm in metric_norms(film, death["metric"]).items()
                if t >= death["unmet"]
            }
            for step, norm in norms.items():
                left = death["predicted"] - step
                assert pull * (left - 1) - 0.002 < norm < max(pull * left, 0) + 0.002, (
                    name,
                    death,
                    step,
                )
                lines += left > 0
            assert death["died"] == (
                death["predicted"] if death["predicted"] <= film["steps"][-1] else None
            )
    assert lines > 80


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory) -> Iterator[Any]:
    data = json.dumps(RECORDED)
    figure = (
        f'<figure class="explorable film"><script type="application/json">{data}</script></figure>'
    )
    opened = browser.new_page(viewport=NARROW)
    page_faults = PageFaults(opened)
    open_page(
        opened,
        write_page(tmp_path_factory.mktemp("film"), figure, SCRIPTS),
        '.film[data-ready="true"]',
    )
    yield opened
    opened.close()
    assert page_faults.faults == []


@pytest.mark.browser
def test_the_film_shows_what_was_recorded(page):
    """Switches by the mouse, frames by the keyboard: balls, holes, text and charts are those of the
    recording.
    """
    for switch, value in [("data", "clouds"), ("rule", "1.0"), ("S", "4"), ("gradient", "true")]:
        page.locator(f'input[name="film-{switch}"][value="{value}"]').check()
    film = RECORDED["films"]["clouds 1.0 4 true"]
    page.locator(".film-bar input").focus()
    page.keyboard.press("Home")
    for k, step in enumerate(film["steps"]):
        assert (
            page.locator(".film-bar output").text_content() == f"step {step} of {film['steps'][-1]}"
        )
        radii = page.eval_on_selector_all(
            ".film circle.ball", "(balls) => balls.map((b) => Number(b.getAttribute('r')))"
        )
        assert radii == pytest.approx([100 * film["Theta"][k][6 * s + 2] for s in range(4)])
        assert page.locator(".film .hole").count() == len(film["dead"][k])
        sentence = page.locator(".film-sentence").text_content()
        assert f"g = {film['objective'][step]:.3f}" in sentence
        assert ("hole" in sentence) == bool(film["dead"][k])
        page.keyboard.press("ArrowRight")
    assert page.locator(".film .share").count() == 5
    assert page.locator(".film text.death").count() == len(film["deaths"]) == 2
    page.locator('input[name="film-data"][value="stripes"]').check()
    assert page.locator(".film .predicted").count() == 1
    sentence = page.locator(".film-sentence").text_content()
    assert "Theorem E predicts its death for step 15, and it died in step 15" in sentence
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.browser
def test_the_film_plays_and_respects_a_wish_for_less_motion(page):
    """Play goes on by itself and Pause stops it; with reduced motion the button goes one frame
    further, and no more.
    """
    button = page.locator(".film-bar button")
    page.evaluate("lmlirFilm.choose({ frame: 0 })")
    button.click()
    page.wait_for_function("lmlirFilm.state().frame >= 2", timeout=10_000)
    button.click()
    assert button.text_content() == "Play"
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("lmlirFilm.choose({ frame: 0 })")
    assert button.text_content() == "Next"
    button.click()
    page.wait_for_timeout(800)
    assert page.evaluate("lmlirFilm.state().frame") == 1
