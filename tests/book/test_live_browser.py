"""Code that runs in the page, in a real browser, from disk: all live blocks on one page, and one in
the book itself.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from book_site import BOOK, ROOT
from browsing import NARROW, WIDE, WIDTH, PageFaults
from test_live import EXERCISES, RUNNABLE, text_of

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

SLOW = 90_000  # milliseconds: this machine may be busy; the limits of the page itself are far lower
DONE = (
    "name => document.querySelector(`.live[data-live='${name}'] "
    ".live-verdict`).dataset.verdict !== 'running'"
)
REFUSED = """for (const name of ["getItem", "setItem", "removeItem"]) {
  const honest = Storage.prototype[name];
  Storage.prototype[name] = function (key, ...rest) {
    if (key.startsWith("lmlir")) throw new Error("refused");
    return honest.call(this, key, ...rest);
  };
}"""  # for the drafts alone: Sphinx's own script does not survive a page without any storage


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One page with every live block of the book, built by Sphinx with the book's extension."""
    folder = tmp_path_factory.mktemp("live")
    (folder / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(BOOK / '_ext')!r})\nextensions = ['myst_parser', "
        "'live']\n"
        f"html_static_path = [{str(BOOK / '_static')!r}]\nhtml_js_files = ['live.js']\n"
        "html_css_files = ['live.css']\n"
    )
    (folder / "package").symlink_to(ROOT / "reference" / "lmlir")
    shown = [
        f"```{{literalinclude}} package/{module}.py\n:pyobject: {name}\n```\n"
        for module, name in RUNNABLE
    ]
    asked = [f"```{{live-exercise}} {name}\n- One *hint*.\n- Another.\n```\n" for name in EXERCISES]
    (folder / "index.md").write_text("\n".join(["# Live\n", *shown, *asked]))
    command = [sys.executable, "-m", "sphinx", "-q", "-W", str(folder), str(folder / "html")]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def page(browser: Any, site: Path) -> Iterator[Any]:
    """The page, opened once for all tests of this file: Python starts once."""
    opened = browser.new_page(viewport=WIDE)
    opened.page_faults = PageFaults(opened)
    opened.goto((site / "index.html").as_uri())
    yield opened
    opened.close()


def pressed(page: Any, name: str, button: str, code: str | None = None) -> str:
    """The verdict after a button of a live block was pressed."""
    if code is not None:
        page.evaluate("([name, text]) => lmlirLive.setCode(name, text)", [name, code])
    page.click(f".live[data-live='{name}'] .live-{button}")
    page.wait_for_function(DONE, arg=name, timeout=SLOW)
    return page.get_attribute(f".live[data-live='{name}'] .live-verdict", "data-verdict")


def output(page: Any, name: str) -> str:
    return page.text_content(f".live[data-live='{name}'] .live-output")


def test_nothing_is_loaded_before_it_is_used(page):
    assert (
        page.evaluate(
            "[...document.scripts].some((script) => script.src.includes('live/python.js'))"
        )
        is False
    )
    assert page.locator(".live-verdict[data-verdict='none']").count() == len(EXERCISES) + len(
        RUNNABLE
    )


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_stub_violates_is_drawn_and_the_solution_conforms(page, exercise):
    block = page.locator(f".live[data-exercise='{exercise}']")
    assert pressed(page, exercise, "check") == "violates"
    assert (
        block.locator(".live-counterexample svg line, .live-counterexample svg rect").count() >= 2
    )
    assert pressed(page, exercise, "check", text_of(exercise, "solution")) == "conforms"
    assert block.locator(".live-counterexample svg").count() == 0
    block.locator(".live-reset").click()
    assert page.evaluate("name => lmlirLive.code(name)", exercise) == text_of(exercise, "stub")


def test_every_definition_runs_and_agrees_with_its_docstring(page):
    verdicts = {}
    for module, name in RUNNABLE:
        first = pressed(page, f"{module}.{name}", "run")
        assert output(page, f"{module}.{name}").strip(), name
        verdicts[name] = first, pressed(page, f"{module}.{name}", "check")
    assert set(verdicts.values()) == {("none", "conforms")}, verdicts


def test_a_wrong_clip_is_drawn(page):
    """The dashed piece, what was said, is longer than the segment; the thick one, what is true, is
    not.
    """
    wrong = text_of("ratios", "solution").replace(
        "min(max(middle + half, 0.0), 1.0)", "max(middle + half, 0.0)"
    )
    assert pressed(page, "ratios", "check", wrong) == "violates"
    length = (
        "role => document.querySelector(`.live-counterexample .live-part-${role}`).getTotalLength()"
    )
    segment, said, true = (page.evaluate(length, role) for role in ("segment", "said", "true"))
    assert said > 1.1 * segment
    assert true == pytest.approx(segment)
    sentence = page.locator(".live[data-live='ratios'] .live-counterexample p").first.inner_text()
    assert sentence.startswith("For gamma you said 1.")


def test_errors_are_reported_with_their_line_and_the_page_lives_on(page):
    assert pressed(page, "ratios", "check", "x = 1\ndef f(:\n    pass\n") == "error"
    assert output(page, "ratios").startswith("line 2: SyntaxError")
    assert page.locator(".live[data-live='ratios'] .live-lines span").all_inner_texts() == [
        "1",
        "2",
        "3",
        "4",
    ]
    assert page.locator(".live[data-live='ratios'] .live-wrong").inner_text() == "2"
    assert pressed(page, "ratios", "run", "print('before')\n\n1 / 0\n") == "error"
    assert output(page, "ratios") == "before\nline 3: ZeroDivisionError: division by zero"
    assert pressed(page, "ratios", "check", "import numpy\n") == "error"
    assert "numpy does not run in the page" in output(page, "ratios")
    assert pressed(page, "ratios", "run", "import nowhere\n") == "error"
    assert "No module named 'nowhere'" in output(page, "ratios")


def test_an_exception_is_told_as_such_and_its_line_stands_out(page):
    """Nothing was said: no sentence, no bar and no caption is about an answer.

    The picture shows the question.
    """
    code = "def intersection_ratios(X_i, X_j, centers, radii):\n    P = 1\n    return X_i.shape\n"
    assert pressed(page, "ratios", "check", code) == "violates"
    block = page.locator(".live[data-live='ratios']")
    told = block.locator(".live-counterexample p").first.inner_text()
    assert (
        told == "Your code raised AttributeError in line 3: 'list' object has no attribute 'shape'"
    )
    assert "47 made your code raise an exception" in block.locator(".live-verdict").inner_text()
    assert block.locator(".live-counterexample svg .live-part-segment").count() == 1
    assert block.locator(".live-counterexample").inner_text().count("said") == 0
    assert block.locator(".live-counterexample .live-legend").count() == 0
    assert block.locator(".live-wrong").inner_text() == "3"


def test_a_draft_is_kept_until_reset_and_set_code_wins(wide, site):
    """What `setCode` sets is not a draft, and a draft that cannot be stored is not an error."""
    # reloading interrupts requests, so failed ones are not a fault here
    page = wide
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((site / "index.html").as_uri())
    area = page.locator(".live[data-live='ratios'] .live-editor")
    area.fill("x = 1\nif x:")
    area.press("Enter")
    area.type("y")
    page.reload()
    assert area.input_value() == "x = 1\nif x:\n    y"
    assert page.locator(".live[data-live='ratios'] .live-lines span").count() == 3
    assert "Reset" in page.locator(".live[data-live='ratios'] .live-verdict").inner_text()
    assert page.locator(".live-verdict[data-verdict='none']").count() == len(EXERCISES) + len(
        RUNNABLE
    )
    assert page.locator(".live[data-live='distances'] .live-editor").input_value() == text_of(
        "distances", "stub"
    )
    page.evaluate("lmlirLive.setCode('ratios', 'z = 2')")
    assert area.input_value() == "z = 2"
    page.click(".live[data-live='ratios'] .live-reset")
    assert area.input_value() == text_of("ratios", "stub")
    page.reload()
    assert area.input_value() == text_of("ratios", "stub")
    page.evaluate("lmlirLive.setCode('ratios', 'z = 2')")
    page.reload()
    assert area.input_value() == text_of("ratios", "stub")
    page.add_init_script(REFUSED)
    page.reload()
    area.fill("x = 3")
    page.click(".live[data-live='ratios'] .live-reset")
    assert area.input_value() == text_of("ratios", "stub")
    assert errors == []


def test_the_editor_s_text_is_saved_under_the_name_in_the_command(page, tmp_path):
    page.evaluate("lmlirLive.setCode('ratios', 'x = 1  # \u03b3\\n')")
    with page.expect_download() as started:
        page.click(".live[data-live='ratios'] .live-download")
    assert started.value.suggested_filename == "ratios_stub.py"
    started.value.save_as(tmp_path / "saved.py")
    assert (tmp_path / "saved.py").read_bytes() == "x = 1  # \u03b3\n".encode()
    assert page.locator(".live-download").count() == len(EXERCISES)


def test_an_endless_loop_is_stopped_by_the_page_and_by_the_reader(page):
    """Within ten seconds without being asked; at once when asked; afterwards Python starts
    again.
    """
    start = time.monotonic()
    assert pressed(page, "ratios", "check", "while True:\n    pass\n") == "stopped"
    assert time.monotonic() - start < 10
    page.evaluate("lmlirLive.setCode('ratios', 'while True:\\n    print(1)\\n')")
    page.click(".live[data-live='ratios'] .live-run")
    page.wait_for_timeout(300)
    page.click(".live[data-live='ratios'] .live-stop")
    assert (
        page.get_attribute(".live[data-live='ratios'] .live-verdict", "data-verdict") == "stopped"
    )
    assert pressed(page, "ratios", "check", text_of("ratios", "solution")) == "conforms"


def test_the_tab_key_indents_and_hints_open_one_after_the_other(page):
    area = page.locator(".live[data-live='ratios'] .live-editor")
    page.evaluate("lmlirLive.setCode('ratios', '')")
    area.press("Tab")
    area.type("x")
    assert area.input_value() == "    x"
    hints = page.locator(".live[data-live='ratios'] .live-hint")
    assert hints.nth(0).is_visible()
    assert not hints.nth(1).is_visible()
    hints.nth(0).locator("summary").click()
    assert hints.nth(1).is_visible()


def test_nothing_leaves_the_disk_nothing_complains_and_all_fits_on_a_phone(page):
    """After everything above, with every block open."""
    assert page.page_faults.faults == []
    page.set_viewport_size(NARROW)
    assert page.evaluate(WIDTH) <= NARROW["width"]
    page.set_viewport_size(WIDE)


def test_the_book_itself_judges_offers_stubs_and_notebooks(wide, html):
    """One chapter of the real book, from disk: the extension, the script and the hints are
    wired.
    """
    page_faults = PageFaults(wide)
    wide.goto((html / "intersection.html").as_uri())
    assert wide.locator(".live[data-exercise='ratios'] .live-hint a").count() >= 1
    assert (
        wide.locator(".live[data-live='intersection.line_coefficients'] .live-run").inner_text()
        == "Edit and run"
    )
    assert pressed(wide, "ratios", "check", text_of("ratios", "solution")) == "conforms"
    assert page_faults.faults == []
    assert len(list(html.glob("_downloads/*/ratios_stub.py"))) == 1
    for chapter in ("regions", "intersection", "distance", "classifier", "gradient"):
        assert f'href="_notebooks/{chapter}.ipynb" download' in (
            html / f"{chapter}.html"
        ).read_text(encoding="utf-8")
        assert '"outputs": [\n    {' in (html / "_notebooks" / f"{chapter}.ipynb").read_text(
            encoding="utf-8"
        )
