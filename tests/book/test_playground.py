"""The playground in a real browser: its numbers are the package's, and mouse, finger and keyboard
move it.
"""

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from browsing import NARROW, PageFaults, drag_by_touch
from moving_figures import open_page, write_page
from scipy.sparse.csgraph import shortest_path

from lmlir import vectorized
from lmlir.classifier import decision_value, sum_k_min
from lmlir.distance import distance, exact_background_ratio, segment_length
from lmlir.intersection import intersection_ratio, segment_case, segment_coefficients
from lmlir.regions import mahalanobis_length

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

SCRIPTS = ("geometry.js", "drawing.js", "scenes.js", "panels.js", "maps.js", "playground.js")
FIGURE = (
    '<figure class="explorable playground" '
    'data-scene="overlap"><figcaption>Try.</figcaption></figure>'
)
SMALL = '<figure class="explorable playground" data-scene="tangency" data-parts="trace"></figure>'
READY = '.playground[data-ready="true"]'
THETA = ("centers", "radii", "local_metrics", "background_metric")


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory) -> Iterator[Any]:
    path = write_page(tmp_path_factory.mktemp("playground"), FIGURE + SMALL, SCRIPTS)
    context = browser.new_context(viewport={"width": 1100, "height": 1200})
    opened = context.new_page()
    page_faults = PageFaults(opened)
    open_page(opened, path, READY)
    yield opened
    context.close()
    assert page_faults.faults == []


def random_state(numbers: random.Random, S: int) -> dict[str, Any]:
    """Balls that are often hit, metrics of any shape, one of them singular, and a few points of
    both classes.
    """

    def point() -> list[float]:
        return [numbers.uniform(-5.5, 5.5), numbers.uniform(-3, 3)]

    def metric(rank: int) -> list[list[float]]:
        A = np.array([[numbers.gauss(0, 1), numbers.gauss(0, 1)] for _ in range(rank)])
        return (A.T @ A).tolist()

    return {
        "x_i": point(),
        "x_j": point(),
        "centers": [[c / 2 for c in point()] for _ in range(S)],
        "radii": [numbers.uniform(0.3, 4) for _ in range(S)],
        "local_metrics": [metric(1 if s == 1 else 2) for s in range(S)],
        "background_metric": metric(2),
        "X_minus": [point() for _ in range(4)],
        "X_plus": [point() for _ in range(3)],
        "K": numbers.randint(1, 3),
        "exact": numbers.random() < 0.5,
    }


def agrees(page: Any) -> dict[str, Any]:
    """Compare every number of the playground with the package's at the same state; return them and
    the state.
    """
    state, found = page.evaluate("() => [lmlirPlayground.state(), lmlirPlayground.numbers()]")
    ends = (state["x_i"], state["x_j"])
    Theta = tuple(state[name] for name in THETA)
    balls = list(zip(state["centers"], state["radii"], strict=True))
    truth = {
        "gamma": [float(intersection_ratio(*ends, o, r)) for o, r in balls],
        "local": [mahalanobis_length(*ends, M) for M in state["local_metrics"]],
        "background": mahalanobis_length(*ends, state["background_metric"]),
        "gamma_b_exact": float(exact_background_ratio(*ends, state["centers"], state["radii"])),
        "D_exact": float(distance(*ends, *Theta, exact=True)),
        "D_approximate": float(distance(*ends, *Theta)),
        "K": min(state["K"], len(state["X_minus"]), len(state["X_plus"])),
    }
    truth["gamma_b_approximate"] = max(1 - sum(truth["gamma"]), 0)
    for name, value in truth.items():
        assert found[name] == pytest.approx(value, abs=1e-9), (name, state)
    assert found["rows"] == [segment_case(*ends, o, r) for o, r in balls]
    for shown, (o, r), row in zip(found["lambda"], balls, found["rows"], strict=True):
        if 3 < row < 8:
            assert shown == pytest.approx(
                [float(t) for t in segment_coefficients(*ends, o, r)], abs=1e-9
            )
    if truth["K"]:
        if state["exact"]:
            far = [
                [distance(ends[0], x, *Theta, exact=True) for x in state[X]]
                for X in ("X_minus", "X_plus")
            ]
            f = (sum_k_min(far[0], truth["K"]) - sum_k_min(far[1], truth["K"])) / truth["K"]
        else:
            f = decision_value(ends[0], state["X_minus"], state["X_plus"], truth["K"], *Theta)
        assert found["f"] == pytest.approx(float(f), abs=1e-9), state
    return found | {"state": state}


def test_all_numbers_are_the_packages_at_random_positions(page):
    """Definition 8, equations (9) and (10), both kinds of gamma_b: no region to four, a singular
    metric among them.
    """
    numbers = random.Random(17)
    overlaps = 0
    met = set()
    for k in range(40):
        page.evaluate("(state) => lmlirPlayground.setState(state)", random_state(numbers, k % 5))
        found = agrees(page)
        overlaps += found["gamma_b_exact"] > found["gamma_b_approximate"] + 0.05
        met |= set(found["rows"])
    assert overlaps >= 6
    assert met >= {1, 3, 4, 5, 6, 7, 8}


def test_the_pieces_of_the_segment_add_up_to_definition_7(page):
    """Each piece is measured by the metrics of the balls around it, and the sum is the package's
    segment length.
    """
    numbers = random.Random(3)
    several = 0
    for _ in range(10):
        state = random_state(numbers, 3)
        parts = page.evaluate("(s) => lmlirGeometry.pieces(s.x_i, s.x_j, s)", state)
        assert parts[0]["from"] == 0
        assert parts[-1]["to"] == 1
        assert all(a["to"] == b["from"] for a, b in zip(parts, parts[1:], strict=False))
        lengths = [
            mahalanobis_length(state["x_i"], state["x_j"], M) for M in state["local_metrics"]
        ]
        background = mahalanobis_length(state["x_i"], state["x_j"], state["background_metric"])
        total = sum(
            (part["to"] - part["from"])
            * (sum(lengths[s] for s in part["by"]) if part["by"] else background)
            for part in parts
        )
        truth = segment_length(state["x_i"], state["x_j"], *(state[name] for name in THETA))
        assert total == pytest.approx(float(truth), abs=1e-9)
        several += any(len(part["by"]) > 1 for part in parts)
    assert several >= 3


def shown_sums(page: Any) -> tuple[list[float], float, dict[str, float]]:
    """The numbers on the segment, the D below it, and the share of the lambda axis under each kind
    of bar.
    """
    return page.evaluate(
        """() => {
            const figure = document.querySelector(".playground");
            const all = (names) => [...figure.querySelectorAll(names)];
            const length = (line) => line.x2.baseVal.value - line.x1.baseVal.value;
            const total = (names) => all(names).map(length).reduce((a, b) => a + b, 0);
            const share = (names) => total(names) / length(figure.querySelector(".lane.empty"));
            return [
                all(".labels text").map((text) => Number(text.textContent)),
                Number(figure.querySelector(".pg-sum").textContent.split("=")[1]),
                { background: share(".lane.background"), bites: share(".lane.bite") },
            ];
        }"""
    )


@pytest.mark.parametrize("scene", ["pieces", "overlap", "shortcut", "covered twice"])
@pytest.mark.parametrize("counted", ["twice", "once"])
def test_the_numbers_on_the_segment_add_up_to_the_distance_in_both_ways_of_counting(
    page, scene, counted
):
    """Equation (9), E14: the background is drawn with the gamma_b that is chosen; hatched is what
    overlap takes from it.
    """
    page.evaluate(
        "(scene) => lmlirPlayground.show(scene)", "overlap" if scene == "covered twice" else scene
    )
    if scene == "covered twice":
        # the shared stretch is longer than what no ball covers, so gamma_b is 0
        page.evaluate("lmlirPlayground.setState({ radii: [3.5, 3.5] })")
    page.locator(f".pg-tools input[value={counted}]").first.check()
    page.evaluate("lmlirPlayground.frame()")
    found = agrees(page)
    labels, total, shares = shown_sums(page)
    assert total == pytest.approx(
        found["D_exact" if counted == "once" else "D_approximate"], abs=1e-4
    )
    # labels have two digits
    assert sum(labels) == pytest.approx(total, abs=0.005 * len(labels) + 1e-4)
    gamma_b = found["gamma_b_exact" if counted == "once" else "gamma_b_approximate"]
    assert shares["background"] == pytest.approx(gamma_b, abs=1e-6)
    assert shares["background"] + shares["bites"] == pytest.approx(found["gamma_b_exact"], abs=1e-6)
    overlaps = scene != "pieces"
    assert (found["gamma_b_exact"] > found["gamma_b_approximate"] + 0.05) == overlaps
    assert (shares["bites"] > 0) == (overlaps and counted == "twice")
    if scene == "covered twice":
        assert found["gamma_b_exact"] > 0 == found["gamma_b_approximate"]


@pytest.mark.parametrize("exact", [False, True])
def test_rho_is_the_metric_hull_on_the_points_of_the_grid(page, exact):
    """Theorem B: all shortest chains by SciPy, on the package's distances, for both kinds of
    gamma_b.
    """
    balls = {
        "centers": [[0, 0], [1, 1]],
        "radii": [1.8, 1.5],
        "local_metrics": [[[9, 0], [0, 9]], [[0.3, 0.1], [0.1, 0.2]]],
    }
    ends = {"x_i": [-4, -0.3], "x_j": [4.4, 0.4], "background_metric": [[1, 0.2], [0.2, 1]]}
    state = random_state(random.Random(5), 2) | balls | ends | {"exact": exact}
    page.evaluate("(state) => lmlirPlayground.setState(state)", state)
    found = page.evaluate("lmlirPlayground.numbers()")
    points = np.array([state["x_i"], state["x_j"], *found["hull_points"]])
    assert len(points) > 300
    Theta = tuple(np.array(state[name]) for name in THETA)
    rows, columns = np.triu_indices(len(points), 1)
    X_i, X_j = points[rows], points[columns]
    hops = vectorized.distances(X_i, X_j, *Theta)
    if exact:
        gamma = vectorized.intersection_ratios(X_i, X_j, *Theta[:2])
        outside = vectorized.exact_background_ratios(X_i, X_j, *Theta[:2])
        shares = np.column_stack([gamma, outside])
        metrics = [*Theta[2], Theta[3]]
        lengths = np.column_stack(
            [np.sqrt(np.einsum("pf,fg,pg->p", X_j - X_i, M, X_j - X_i)) for M in metrics]
        )
        hops = (shares * lengths).sum(axis=1)
    D = np.zeros((len(points), len(points)))
    D[rows, columns] = D[columns, rows] = hops
    truth = shortest_path(D, directed=False, indices=0)[1]
    assert found["rho"] == pytest.approx(truth, abs=1e-9)
    assert truth < D[0, 1] - 0.01


def test_the_python_of_the_page_prints_its_numbers(page, capsys):
    """What a reader can copy is a program on the package that gives the distance and f that are
    shown.
    """
    page.evaluate("lmlirPlayground.show('classes')")
    page.wait_for_selector('.playground[data-scene="overlap"][data-refined="true"]', timeout=30_000)
    found = agrees(page)
    exec(page.locator(".pg-python pre").first.text_content(), {})
    printed = [float(line) for line in capsys.readouterr().out.split()]
    assert printed == pytest.approx([found["D_approximate"], found["f"]], abs=1e-9)


def test_the_maps_are_the_packages_at_every_node(page):
    """Equations (9) and (10) on whole grids; the hull is nowhere above D."""
    state = random_state(random.Random(11), 2) | {
        "exact": False,
        "layers": ["circles", "hull", "map"],
    }
    view = {
        "width": 600,
        "height": 360,
        "halfWidth": 6,
        "halfHeight": 3.6,
    }
    maps = page.evaluate(
        """([state, view]) => {
          const steps = lmlirMaps.compute(state, view, 2, { D: 20, rho: 10, f: 20 });
          const maps = lmlirGeometry.finish(steps);
          return { D: [...maps.D.values], rho: [...maps.rho.values], f: [...maps.f.values] };
        }""",
        [state, view],
    )
    nodes = np.array([[x, y] for y in np.linspace(3.6, -3.6, 13) for x in np.linspace(-6, 6, 21)])
    Theta = tuple(np.array(state[name]) for name in THETA)
    D = vectorized.cross_distances(np.array([state["x_i"]]), nodes, *Theta)[0]
    f = vectorized.decision_values(
        nodes, np.array(state["X_minus"]), np.array(state["X_plus"]), 2, *Theta
    )
    assert maps["D"] == pytest.approx(D.tolist(), abs=1e-9)
    assert maps["f"] == pytest.approx(f.tolist(), abs=1e-9)
    assert all(rho <= length for rho, length in zip(maps["rho"], maps["D"], strict=True))
    assert min(f) < 0 < max(f)


def knob(page: Any, kind: str, number: int = 0) -> tuple[float, float]:
    box = page.locator(f".handle-{kind} .knob").nth(number).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_mouse_and_keyboard_move_balls_ellipses_and_points(page):
    """Real events; after each the numbers are the package's, and exactly one thing has changed."""
    page.evaluate("lmlirPlayground.show('classes')")
    before = page.evaluate("lmlirPlayground.state()")
    drags = [
        ("x_j", 0, "x_j"),
        ("center", 0, "centers"),
        ("radius", 1, "radii"),
        ("axis", 1, "local_metrics"),
        ("axis", 4, "background_metric"),
        ("negative", 2, "X_minus"),
        ("positive", 3, "X_plus"),
    ]
    for kind, number, name in drags:
        x, y = knob(page, kind, number)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 14, y - 19, steps=3)
        page.mouse.up()
        after = agrees(page)["state"]
        assert {key for key in after if after[key] != before[key]} == {name}
        before = after
    dragged = before
    keys = [
        ("x_i", "ArrowRight", "x_i"),
        ("center", "Shift+ArrowUp", "centers"),
        ("radius", "ArrowDown", "radii"),
        ("axis", "ArrowLeft", "local_metrics"),
        ("axis", "ArrowUp", "local_metrics"),
    ]
    for kind, key, name in keys:
        page.locator(f".handle-{kind}").first.focus()
        page.keyboard.press(key)
        after = agrees(page)["state"]
        assert {other for other in after if after[other] != before[other]} == {name}
        before = after
    assert before["x_i"] == pytest.approx([-1.5, 2.4], abs=1e-9)
    assert before["centers"][0][1] == pytest.approx(dragged["centers"][0][1] + 0.01, abs=1e-9)
    assert before["radii"][0] == pytest.approx(dragged["radii"][0] - 0.1, abs=1e-9)


def test_an_ellipse_is_the_unit_circle_of_its_metric(page):
    """Turning and stretching keeps the drawn curve at length 1 from the center, for region and
    background.
    """
    page.evaluate("lmlirPlayground.show('pieces')")
    page.locator(".handle-axis").nth(2).focus()
    for key in ["ArrowRight"] * 3 + ["ArrowUp"] * 2:
        page.keyboard.press(key)
    state = page.evaluate("() => { lmlirPlayground.frame(); return lmlirPlayground.state(); }")
    path = page.locator(".ellipse.region-1").first.get_attribute("d")
    circle = page.locator("circle.ball.region-1").first
    cx, cy, r = (float(circle.get_attribute(name)) for name in ("cx", "cy", "r"))
    scale = state["radii"][1] / r
    points = [tuple(map(float, corner.split())) for corner in path.strip("MZ").split("L")]
    assert len(points) > 40
    for x, y in points:
        length = mahalanobis_length(
            [0, 0], [(x - cx) * scale, (cy - y) * scale], state["local_metrics"][1]
        )
        assert length == pytest.approx(1, abs=0.01)


def test_each_region_has_a_color_of_its_own(page):
    """The styles of the playground win over those of every explorable, in the order in which the
    book loads them.
    """
    page.evaluate("lmlirPlayground.show('pieces')")
    names = [f"{shape}.region-{s}" for shape in ("circle.ball", "line.piece") for s in (0, 1)]
    strokes = page.evaluate(
        "(names) => names.map((n) => getComputedStyle(document.querySelector(n)).stroke)", names
    )
    assert strokes[:2] == strokes[2:]
    assert strokes[0] != strokes[1]


def test_points_and_regions_are_added_and_removed(page):
    """By buttons, by double click and by Delete; the decision map needs both classes."""
    page.evaluate("lmlirPlayground.show('classes')")
    first = page.evaluate("lmlirPlayground.state()")
    page.locator('[data-action="minus"]').first.click()
    page.locator('[data-action="plus"]').first.click()
    page.locator('[data-action="region"]').first.click()
    box = page.locator(".pg-plane svg").first.bounding_box()
    page.mouse.dblclick(box["x"] + box["width"] * 0.51, box["y"] + 12)
    state = agrees(page)["state"]
    more = {name: len(state[name]) - len(first[name]) for name in ("X_minus", "X_plus", "radii")}
    assert more == {"X_minus": 1, "X_plus": 2, "radii": 1}
    page.keyboard.press("Delete")
    page.locator('[data-action="noregion"]').first.click()
    for _ in state["X_minus"]:
        page.locator(".handle-negative").first.focus()
        page.keyboard.press("Delete")
    state = agrees(page)["state"]
    assert [len(state[name]) for name in ("X_minus", "X_plus", "radii")] == [
        0,
        len(first["X_plus"]) + 1,
        2,
    ]
    assert page.evaluate("lmlirPlayground.numbers().f") is None


def test_the_trace_shows_a_square_root_at_every_zoom(page):
    """Section 3.1: on a picture of an r axis a hundred times finer the curve has the same shape and
    a tenth of the height.
    """
    page.evaluate("lmlirPlayground.all[1].show('tangency')")
    trace = page.locator(".playground").nth(1).locator(".pg-trace")
    shapes = []
    for level in (1, 3):
        trace.locator("input").nth(1).evaluate(
            f"(range) => {{ range.value = {level}; range.dispatchEvent(new Event('input')); "
            f"lmlirPlayground.all[1].frame(); }}"
        )
        top = [
            float(text) for text in trace.locator("svg text").all_text_contents() if text[:1] == "0"
        ][-1]
        path = trace.locator(".gamma").get_attribute("d")
        shapes.append(
            (top, [tuple(map(float, corner.split())) for corner in path.strip("M").split("L")])
        )
    (top_1, curve_1), (top_3, curve_3) = shapes
    assert top_1 / top_3 == pytest.approx(10, rel=0.3)
    assert max(abs(a[1] - b[1]) for a, b in zip(curve_1, curve_3, strict=True)) < 4
    slopes = [
        (curve_3[k][1] - curve_3[k + 1][1]) / max(curve_3[k + 1][0] - curve_3[k][0], 1e-3)
        for k in (61, 100, 250)
    ]
    assert slopes[0] > 3 * slopes[1] > 3 * slopes[2] > 0
    assert "square root" in trace.locator("p").inner_text()


def test_a_redraw_fits_into_a_frame(page):
    """Two regions with circles, hull, decision map and all: a sixtieth of a second is enough, on
    coarser grids if need be.
    """
    page.evaluate("lmlirPlayground.show('classes')")
    page.evaluate("lmlirPlayground.setState({ layers: ['pieces', 'circles', 'hull', 'map'] })")
    times = []
    while min(times, default=math.inf) > 1000 / 60 and len(times) < 300:
        # a busy machine has slow moments
        times += page.evaluate("Array.from({ length: 20 }, () => lmlirPlayground.frame())")
    assert min(times) < 1000 / 60
    page.wait_for_selector('.playground[data-scene="overlap"][data-refined="true"]', timeout=30_000)


BOXES = """(names) => names.map((name) => [...document.querySelectorAll(name)].map((element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return [left, right, top, bottom]; }))"""


def test_names_lie_beside_numbers_and_ellipses_on_a_phone(browser, tmp_path):
    """At 390 px: neither end's name covers a length of the segment, either way round, and
    `background` is off its ellipse.
    """
    page = browser.new_page(viewport=NARROW)
    open_page(page, write_page(tmp_path, FIGURE, SCRIPTS), READY)
    for scene in ("overlap", "pieces"):
        page.evaluate(f"lmlirPlayground.show('{scene}')")
        for _ in range(2):
            names = [
                ".handle-x_i text",
                ".handle-x_j text",
                ".labels text",
                "text.corner",
                ".ellipse.background",
            ]
            (x_i,), (x_j,), lengths, (word,), (ellipse,) = page.evaluate(BOXES, names)
            assert len(lengths) >= 3
            assert not any(overlap(end, one) for end in (x_i, x_j) for one in lengths)
            assert not overlap(word, ellipse)
            page.evaluate(
                "(({ x_i, x_j }) => lmlirPlayground.setState({ x_i: x_j, x_j: x_i "
                "}))(lmlirPlayground.state())"
            )
    page.close()


def overlap(one: list[float], other: list[float]) -> bool:
    """Whether two boxes (left, right, top, bottom) have a point in common."""
    return one[0] <= other[1] and other[0] <= one[1] and one[2] <= other[3] and other[2] <= one[3]


def test_a_finger_moves_a_ball_on_a_phone_and_nothing_is_cut(browser, tmp_path):
    """At 390 px: touch moves the center and not the page, and the page has no sideways scroll."""
    context = browser.new_context(viewport=NARROW, has_touch=True, is_mobile=True)
    page = context.new_page()
    page_faults = PageFaults(page)
    open_page(page, write_page(tmp_path, FIGURE, SCRIPTS), READY)
    page.locator(".pg-plane").scroll_into_view_if_needed()
    before = page.evaluate("lmlirPlayground.state()")
    scrolled = page.evaluate("scrollY")
    drag_by_touch(context, page, *knob(page, "center"), -40, 30)
    assert math.dist(agrees(page)["state"]["centers"][0], before["centers"][0]) > 0.5
    assert page.evaluate("scrollY") == scrolled
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(
        "[...document.querySelectorAll('.handle')].every((h) => h.getAttribute('aria-label'))"
    )
    assert page_faults.faults == []
    context.close()
