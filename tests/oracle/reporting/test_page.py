"""`lmlir check --html`: what the page shows, that nothing in it is unescaped, and drawings whose
coordinates are the case's.
"""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmlir import commands
from lmlir.oracle.allowed import exact
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.reporting import drawing, page
from lmlir.oracle.reporting.markup import tag, text

NASTY = "<script>alert('x')</script> & \"quotes\" ]]> </style> \x00\x1b[31m \ud800"
PAIR = {
    "X_i": [[0.0, 0.0]],
    "X_j": [[4.0, 0.0]],
    "centers": [[1.0, 0.0], [3.0, 2.0]],
    "radii": [1.0, 0.5],
}
METRICS = {
    "local_metrics": [[[1.0, 0.0], [0.0, 1.0]]] * 2,
    "background_metric": [[1.0, 0.0], [0.0, 1.0]],
}
LINE = {
    "X_i": [[0.0]],
    "X_j": [[4.0]],
    "centers": [[1.0]],
    "radii": [2.0],
}
AGAIN = {"sentence": "It depends on earlier calls.", "sequence": []}
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Collects elements with their attributes and text, and complains about tags that do not
    match.
    """

    def __init__(self, source):
        super().__init__()
        self.open = []
        self.elements = []
        self.words = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, name, attributes):
        self.elements.append([name, dict(attributes), ""])
        if name not in VOID:
            self.open.append(self.elements[-1])

    def handle_endtag(self, name):
        assert self.open.pop()[0] == name

    def handle_data(self, data):
        self.words.append(data)
        for element in self.open:
            element[2] += data

    def find(self, name, class_=None):
        """The elements with this name, and this word in their class."""
        return [
            (attributes, words)
            for element, attributes, words in self.elements
            if element == name
            and (class_ is None or class_ in (attributes.get("class") or "").split())
        ]


def law(name, status, calls=None, **found):
    """One law of a made-up report."""
    example = None
    if calls is not None:
        common = {
            "sentence": f"{name} is wrong",
            "where": "",
            "got": None,
            "allowed": None,
            "excess": None,
        }
        example = {
            **common,
            "said": "",
            "source": "Error output",
            "traceback": [],
            "printed": "",
            "working": [],
            "notes": [],
            "again": None,
            "snippet": "x",
            "calls": calls,
            **found,
        }
    statement = f"The sentence of {name}."
    return {
        "law": name,
        "items": ["Definition 8"],
        "statement": statement,
        "status": status,
        "examples": 3,
        "reason": "",
        "counterexample": example,
        "resembles": [],
    }


def made_up(*laws):
    """A report in the form of `lmlir check --json`."""
    statuses = ("held", "violated", "errored", "not judged", "not offered")
    counts = {status: sum(law["status"] == status for law in laws) for status in statuses}
    return {
        "subject": NASTY,
        "verdict": "violates",
        "slips": [{"name": "name", "sentence": "gamma is ...", "count": 3}],
        "conclusion": "The mathematics violates 1 of 3 laws.",
        "reason": NASTY,
        "traceback": [NASTY],
        "laws run": 5,
        "laws that exist": 50,
        "profile": "quick",
        "precision": "float64",
        "seed": 0,
        "seconds": 1.25,
        "counts": counts,
        "near misses": {"distanse": ["distances"]},
        "laws": list(laws),
        "statements": {"held": ["Table 2"], "violated": ["Definition 8"]},
    }


def ratios(arguments, result):
    row = exact.table_2_row("intersection_ratios", arguments)
    return {
        "call": "intersection_ratios",
        "arguments": arguments,
        "result": result,
        "row of Table 2": row,
    }


@pytest.fixture(scope="module")
def report():
    """One law of each status; violations in one, two and three dimensions, one with an error, one
    with NaN.
    """
    high = {
        "X_i": [[0.0] * 3],
        "X_j": [[0.125, 0.0, 0.0]],
        "centers": [[0.0] * 3],
        "radii": ["NaN"],
    }
    where = "intersection_ratios: gamma[0, 0]"
    return made_up(
        law(
            "in_the_plane",
            "violated",
            [ratios(PAIR, [[0.75, 0.0]])],
            got=0.75,
            allowed=[0.5, 0.5000001],
            excess=0.2499999,
            where=where,
        ),
        law(
            "on_the_line",
            "violated",
            [ratios(LINE, [[0.5]]), ratios(LINE, [[0.25]])],
            got="NaN",
            allowed=[0, "Infinity"],
        ),
        law("in_space", "violated", [ratios(high, [["Infinity"]])], snippet=NASTY),
        law(
            "with_an_error",
            "errored",
            [ratios(PAIR, None)],
            said=NASTY,
            sentence=NASTY,
            notes=["A <hint>."],
            again=AGAIN,
        ),
        law("that_held", "held"),
        law("that_gave_up", "not judged"),
        law("without_functions", "not offered"),
    )


@pytest.fixture(scope="module")
def read(report):
    return Reader(page.page(report))


def test_every_law_is_on_the_page_with_its_sentence_and_status(report, read):
    rows = read.find("table", "laws")[0][1]
    for each in report["laws"]:
        assert each["law"] in rows
        assert each["statement"] in rows
        assert each["status"] in rows
    for status, count in report["counts"].items():
        assert f"{count} {status}" in [words for _, words in read.find("li", "status")]


def test_statements_are_listed_by_status_and_settings_and_counts_in_the_head(read):
    """A violated law violates one of its statements, not all."""
    held, violated = read.find("table", "laws")[1][1].split("violated", 1)
    assert held == "heldTable 2"
    assert violated == "At least one of these statements is violated: Definition 8"
    head = read.find("header")[0][1]
    assert "profile quick, float64, seed 0" in head
    assert "Ran 5 of 50 laws: 1 held, 3 violated, 1 errored;" in head


def test_every_violation_is_on_the_page_with_what_was_found(report, read):
    """The sentence, the number, the bracket, the arguments, the answer, and the lines to repeat
    it.
    """
    articles = {attributes["id"]: words for attributes, words in read.find("article")}
    assert list(articles) == ["in_the_plane", "on_the_line", "in_space", "with_an_error"]
    for part in (
        "in_the_plane is wrong",
        "0.75",
        "0.5 within 1e-07",
        "too large by 0.25",
        "[[1, 0], [3, 2]]",
        "[1, 0.5]",
    ):
        assert part in articles["in_the_plane"]
    assert "[[0.125, 0, 0]]" in articles["in_space"]
    assert "[NaN]" in articles["in_space"]
    assert "Call 2 of 2" in articles["on_the_line"]
    assert "nan" in articles["on_the_line"]
    for part in ("answernone", "A <hint>.", "It depends on earlier calls."):
        assert part in articles["with_an_error"]


def test_one_pair_and_one_region_have_a_row_of_table_2(read):
    """The ball from -1 to 3 holds the start of the segment from 0 to 4: row 4.

    Two regions have no one row, NaN has none.
    """
    articles = {attributes["id"]: words for attributes, words in read.find("article")}
    assert articles["on_the_line"].count("Table 2row 4") == 2
    assert [name for name, words in articles.items() if "Table 2row" in words] == ["on_the_line"]


@pytest.mark.parametrize(
    ("center", "radius", "row"),
    [
        ((2, 2), 1, 1),
        ((2, 1), 1, 2),
        ((-2, 0), 1, 3),
        ((0, 0), 1, 4),
        ((2, 0), 3, 5),
        ((2, 0), 1, 6),
        ((4, 0), 1, 7),
        ((6, 0), 1, 8),
    ],
)
def test_the_eight_rows_of_table_2_by_hand(center, radius, row):
    """The segment from (0, 0) to (4, 0): missed, touched, and the six ways in which its line enters
    the ball.
    """
    call = {
        "X_i": [[0.0, 0.0]],
        "X_j": [[4.0, 0.0]],
        "centers": [center],
        "radii": [radius],
    }
    assert exact.table_2_row("distances", call) == row
    assert exact.table_2_row("ratio_gradients", call) is None
    assert exact.table_2_row("distances", {**call, "radii": [-radius]}) is None


def test_what_the_subject_says_is_text_and_nothing_else(read):
    """No element but those of the page; markup, quotes and control characters come out as they went
    in, or as pictures.
    """
    known = (
        "html head meta title style body main header article section p h1 h2 h3 span b ul li "
        "code pre a br div dl dt dd"
    )
    known += " details summary table tbody tr td th svg rect circle line path text"
    assert {name for name, *_ in read.elements} <= set(known.split())
    assert "".join(read.words).count("<script>alert('x')</script> & \"quotes\"") == 7
    assert "\x00" not in "".join(read.words)
    assert "\x1b" not in "".join(read.words)
    assert "␀␛[31m \\ud800" in read.find("h1")[0][1]


def test_the_page_loads_nothing(read):
    """No address but of places in the page, no handlers, no style that fetches, and a policy that
    forbids it.
    """
    for name, attributes, _ in read.elements:
        assert not {"src", "srcset", "action", "data", "style"} & set(attributes)
        assert not any(key.startswith("on") for key in attributes)
        assert name != "a" or attributes["href"].startswith("#")
    style = read.find("style")[0][1]
    assert "url(" not in style
    assert "@import" not in style
    assert any(
        "default-src 'none'" in (attributes.get("content") or "")
        for attributes, _ in read.find("meta")
    )


def test_two_dimensions_and_one_are_drawn_and_three_are_a_table(read):
    """A drawing of each call: in_the_plane 1, on_the_line 2, with_an_error 1."""
    titles = [words for _, words in read.find("title")]
    assert len([words for words in titles if words.startswith("Drawing of")]) == 4


def test_the_command_writes_the_page_of_a_violation(tmp_path, monkeypatch, capsys):
    """Twice the ratio: the drawing is that of the counterexample in the JSON report."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from lmlir import vectorized\n"
        "def intersection_ratios(*given):\n    return 2 * vectorized.intersection_ratios(*given)\n"
    )
    line = "check mine.py --profile quick --only ratios_match_table_2 --html a.html --json a.json"
    assert commands.main(line.split()) == 1
    (found,) = json.loads((tmp_path / "a.json").read_text())["laws"]
    told = Reader((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert found["counterexample"]["sentence"] in told.find("article")[0][1]
    assert told.find("svg", "drawing")
    assert repr(found["counterexample"]["got"]) in told.find("dl")[0][1]


def numbers(attributes, *names):
    return [float(attributes[name]) for name in names]


def affine(read, axis):
    """Value to pixel as the ticks of a drawing say: the slope and the value at 0."""
    one, other = ("x1", "x2") if axis == "x" else ("y1", "y2")
    lines = [
        attributes
        for attributes, _ in read.find("line", "tick")
        if attributes[one] == attributes[other]
    ]
    texts = [(attributes, words) for attributes, words in read.find("text", "number")]
    texts = [
        float(words)
        for attributes, words in texts
        if (attributes["text-anchor"] == "middle") == (axis == "x")
    ]
    assert len(lines) == len(texts) >= 2
    slope, start = np.polyfit(texts, [float(line[one]) for line in lines], 1)
    return slope, start


def test_the_drawing_of_the_plane_has_the_coordinates_of_the_case():
    """Against its own ticks: points, balls, and the part of the segment in the first ball, 0 to 2
    of 4.
    """
    read = Reader(drawing.draw(ratios(PAIR, [[0.5, 0.0]])))
    (a, b), (c, d) = affine(read, "x"), affine(read, "y")
    assert a == pytest.approx(-c)  # equal scales, and the second coordinate upwards
    points = [numbers(attributes, "cx", "cy") for attributes, _ in read.find("circle", "point")]
    np.testing.assert_allclose(points, [[b, d], [4 * a + b, d]], atol=0.01)
    balls = [numbers(attributes, "cx", "cy", "r") for attributes, _ in read.find("circle", "ball")]
    np.testing.assert_allclose(balls, [[a + b, d, a], [3 * a + b, 2 * c + d, 0.5 * a]], atol=0.01)
    (inside,) = [
        numbers(attributes, "x1", "y1", "x2", "y2") for attributes, _ in read.find("line", "inside")
    ]
    np.testing.assert_allclose(inside, [b, d, 2 * a + b, d], atol=0.01)
    labels = {words for _, words in read.find("text", "label")}
    assert labels == {"X_i[0]", "X_j[0]", "region 0", "region 1"}


def test_the_drawing_of_the_line_has_the_coordinates_of_the_case():
    """The ball reaches from -1 to 3, so that three quarters of the segment from 0 to 4 lie in
    it.
    """
    read = Reader(drawing.draw(ratios(LINE, [[0.75]])))
    a, b = affine(read, "x")
    (start,), (end,) = ([float(attributes["cx"])] for attributes, _ in read.find("circle", "point"))
    assert (start, end) == pytest.approx((b, 4 * a + b), abs=0.01)
    (stripe,) = (numbers(attributes, "x", "width") for attributes, _ in read.find("rect", "ball"))
    assert stripe == pytest.approx([b - a, 4 * a], abs=0.01)
    (inside,) = (numbers(attributes, "x1", "x2") for attributes, _ in read.find("line", "inside"))
    assert inside == pytest.approx([b, 3 * a + b], abs=0.01)


@pytest.mark.parametrize(
    ("centers", "radii"),
    [
        ([1.0], [2.0]),
        ([2.0], [2.0]),  # as long as the segment: as little room on both sides
        ([2.0], [100.0]),
        ([40.0], [1.0]),
        ([-40.0], [1.0]),
        ([1.0, 3.0, 0.0, 1e6], [1.0, 3.0, 9.0, 2e6]),
    ],
)
def test_the_labels_of_regions_on_the_line_are_in_the_frame(centers, radii):
    """In the larger letters of a narrow page "region 0" is 62 wide and 15 high (DejaVu Sans,
    measured in Chromium).
    """
    line = {**LINE, "centers": [[center] for center in centers], "radii": radii}
    read = Reader(drawing.draw(ratios(line, None)))
    ((frame, _),) = read.find("rect", "frame")
    left, top, width, height = numbers(frame, "x", "y", "width", "height")
    labels = [attributes for attributes, _ in read.find("text", "region")]
    assert len(labels) == len(radii)
    for attributes in labels:
        x, y = numbers(attributes, "x", "y")
        start = x - {"start": 0, "middle": 31, "end": 62}[attributes["text-anchor"]]
        assert left <= start <= left + width - 62
        assert top + 15 <= y <= top + height


def test_the_pair_that_a_violation_names_is_drawn_alone():
    """gamma[1, 0] is of the second pair; a note says that another one is left out."""
    two = {**PAIR, "X_i": [[0.0, 0.0], [1.0, 1.0]], "X_j": [[4.0, 0.0], [2.0, 1.0]]}
    read = Reader(drawing.draw(ratios(two, None), "intersection_ratios: gamma[1, 0]"))
    assert {"X_i[1]", "X_j[1]"} <= {words for _, words in read.find("text", "label")}
    assert len(read.find("line", "segment")) == 1
    assert [words for _, words in read.find("p", "note")] == ["1 of 2 pairs are not drawn."]
    of_another_call = drawing.draw(ratios(two, None), "intersection_ratios: gamma[5, 0]")
    assert len(Reader(of_another_call).find("line", "segment")) == 2


def test_pairs_of_the_objective_rows_of_cross_distances_and_classes_are_drawn():
    """Similar and dissimilar pairs as segments, the named entry of a table as one, classes as
    points of their own.
    """
    Theta = {
        "centers": [],
        "radii": [],
        "local_metrics": [],
        "background_metric": [[1.0]],
    }
    lists = {
        "X": [[0.0], [1.0], [3.0]],
        "similar": [[0, 1]],
        "dissimilar": [[0, 2], [1, 2]],
        **Theta,
        "alpha": 0.0,
        "C": 0.5,
    }
    read = Reader(drawing.draw({"call": "objective", "arguments": lists, "result": 0.0}))
    assert (len(read.find("line", "similar")), len(read.find("line", "dissimilar"))) == (1, 2)
    table = {"X": [[0.0], [1.0]], "Y": [[3.0], [4.0], [5.0]], **Theta}
    read = Reader(
        drawing.draw(
            {"call": "cross_distances", "arguments": table, "result": None},
            "cross_distances: D[1, 2]",
        )
    )
    assert {words for _, words in read.find("text", "label")} == {"X[1]", "Y[2]"}
    read = Reader(
        drawing.draw(
            {"call": "cross_distances", "arguments": table, "result": None},
            "cross_distances: D[1, 3]",
        )
    )
    assert {words for _, words in read.find("text", "label")} == {"X[1]", "Y[0]", "Y[1]", "Y[2]"}
    classes = {"X": [[0.0]], "X_minus": [[3.0]], "X_plus": [[4.0], [4.0]], "K": 1, **Theta}
    read = Reader(drawing.draw({"call": "decision_values", "arguments": classes, "result": None}))
    assert (len(read.find("circle", "X_minus")), len(read.find("circle", "X_plus"))) == (1, 2)
    assert "X_plus[0], X_plus[1]" in {words for _, words in read.find("text", "label")}


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e-12, 1.0, 1e12, 1e200, 1e301])
@pytest.mark.parametrize("shift", [0.0, 1.0, 1e9])
@pytest.mark.parametrize("source", [PAIR, LINE])
def test_no_scale_makes_a_drawing_with_numbers_that_are_not_finite(scale, shift, source):
    """Tiny, huge, far from the origin, and far balls: a drawing with finite numbers, or none."""
    centers = [*source["centers"], [1e6] * len(source["centers"][0])]
    moved = {
        name: (np.array(value) * scale + shift).tolist()
        for name, value in {**source, "centers": centers}.items()
    }
    moved["radii"] = [scale * radius for radius in (*source["radii"], 2e6)]
    picture = drawing.draw(ratios(moved, None))
    assert scale not in (1e-12, 1.0, 1e12) or shift == 1e9 or picture is not None
    if picture is not None:
        coordinates = [
            float(number)
            for number in re.findall(r' (?:c?[xy][12]?|r|width|height)="([^"]*)"', picture)
        ]
        assert len(coordinates) > 10
        assert np.isfinite(coordinates).all()


@pytest.mark.parametrize("source", [PAIR, LINE])
def test_equal_points_are_drawn_as_one_with_both_labels(source):
    """A segment without length takes its scale from the balls."""
    read = Reader(drawing.draw(ratios({**source, "X_j": source["X_i"]}, None)))
    assert "X_i[0], X_j[0]" in {words for _, words in read.find("text", "label")}
    assert read.find("line", "tick")
    assert not read.find("line", "inside")


@pytest.mark.parametrize(
    "change",
    [
        {"radii": ["NaN", 1.0]},
        {"radii": [1.0]},
        {"X_i": [[0.0, 0.0, 0.0]]},
        {"X_i": [[0.0], [0.0, 1.0]]},
        {"centers": [[0.0]]},
        {"radii": [-1.0, 1.0]},
    ],
)
def test_what_does_not_fit_is_not_drawn(change):
    """Questions that are wrong on purpose."""
    assert drawing.draw(ratios({**PAIR, **change}, None)) is None


def test_a_row_without_features_is_not_drawn():
    """Beside a point of the line, where an empty list of points would be drawn as none."""
    sets = {"X": [], "X_minus": [[0.0]], "X_plus": [[]]}
    others = {
        "K": 1,
        "centers": [],
        "radii": [],
        "local_metrics": [],
        "background_metric": [[1.0]],
    }
    call = {
        "call": "decision_values",
        "arguments": {**sets, **others},
        "result": None,
        "row of Table 2": None,
    }
    assert drawing.draw(call) is None
    call["arguments"]["X_plus"] = []
    assert drawing.draw(call) is not None


ENTRIES = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 5e-324, 1e308, 0.1, 2**70, "NaN", "-Infinity", None]),
    st.floats(),
)
LISTS = st.recursive(ENTRIES, lambda inner: st.lists(inner, max_size=3), max_leaves=12)
ROWS = st.integers(1, 3).flatmap(
    lambda F: st.lists(st.lists(st.floats(-9, 9), min_size=F, max_size=F), max_size=3)
)


@given(st.sampled_from(list(FUNCTIONS)), st.data(), st.integers(0, 4), st.integers(0, 4))
def test_whatever_was_asked_the_page_is_whole(function, data, first, second):
    """Arguments of any shape and value, and places that they do not have."""
    lists = st.one_of(LISTS, ROWS, ROWS)
    arguments = {name: data.draw(lists) for name in FUNCTIONS[function].arguments}
    call = {
        "call": function,
        "arguments": arguments,
        "result": None,
        "row of Table 2": None,
    }
    where = f"{function}: {FUNCTIONS[function].answers[0]}[{first}, {second}]"
    Reader(page.page(made_up(law("odd", "violated", [call], where=where))))


def test_markup_escapes_what_is_not_markup():
    assert text('<a & "b">') == "&lt;a &amp; &quot;b&quot;&gt;"
    assert tag("p", tag("b", "<"), "<", class_='"') == '<p class="&quot;"><b>&lt;</b>&lt;</p>'


def test_a_long_array_is_cut_and_counted():
    told = page.shortened([[0.5] * 100] * 10)
    assert len(told) < 600
    assert told.endswith("... (1000 numbers)")
    assert told.startswith("[[0.5, 0.5")
