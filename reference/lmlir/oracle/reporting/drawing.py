"""SVG drawings of a call: its points, balls and segments in one or two dimensions.

A call has the form that it has in the JSON report: ``{"call": "distances", "arguments": {...},
"result": ...}``. Both axes have the same scale. Labels name array rows: ``X_i[0]`` is the first row
of ``X_i``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lmlir.intersection import segment_coefficients
from lmlir.oracle.interface import FUNCTIONS, of_kind, place_in
from lmlir.oracle.reporting.markup import Markup, join, tag

# All lengths are in pixels.
WIDTH = 440
LEFT = 58  # margins
RIGHT = 16
TOP = 16
BOTTOM = 30
MIN_HEIGHT = 150  # of the inner part of a drawing of the plane
MAX_HEIGHT = 330
LABEL_WIDTH = 58  # room for the label of a point at the edge
LABEL_HEIGHT = 20
LANE_HEIGHT = 34  # in a drawing of the line
REGION_HEIGHT = 24
REGION_LABEL_WIDTH = 72  # beside its bracket, in the larger letters of a narrow page
MAX_SEGMENTS = 6
MAX_REGIONS = 6
MAX_DOTS = 24
MAX_REACH = 4  # a ball that reaches further than this many lengths of the rest is cut off
COLORS = 6
Point = tuple[float, float]


@dataclass
class Segment:
    """A segment between two labeled points; that of a dissimilar pair is dashed."""

    labels: tuple[str, str]
    ends: np.ndarray
    kind: str = "pair"


@dataclass
class Scene:
    """What is drawn: segments, single points by label, balls by number, and notes on what is left
    out.
    """

    dimension: int
    segments: list[Segment] = field(default_factory=list)
    dots: list[tuple[str, np.ndarray, str]] = field(default_factory=list)
    balls: list[tuple[int, np.ndarray, float]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def place(where: str, function: str) -> dict[str, int]:
    """Return the indices in "function: name[0, 1]" by the letters of the answer's axes.

    >>> place("intersection_ratios: gamma[2, 0]", "intersection_ratios")
    {'P': 2, 'S': 0}
    >>> place("objective: g", "objective")
    {}
    """
    found = place_in(where, function)
    if found is None:
        return {}
    number, indices = found
    return dict(zip(FUNCTIONS[function].symbols[number], indices, strict=False))


def scene(call: Mapping[str, Any], where: str = "") -> Scene | None:
    """Return what to draw of a call, or None if its points have more than two features or do not
    fit together.
    """
    arguments = call["arguments"]
    arrays = {}
    pairs = {}
    try:
        for name in of_kind(arguments, "points", "radii"):
            arrays[name] = np.asarray(arguments[name], float)
        for name in of_kind(arguments, "indices"):
            pairs[name] = np.asarray(arguments[name], int).reshape(-1, 2)
    except (ValueError, TypeError, OverflowError):  # a law asked what has no answer
        return None
    features = next((array.shape[1] for array in arrays.values() if array.ndim == 2), 0)
    if features not in (1, 2) or not _fit(arrays, pairs, features):
        return None
    result = Scene(features)
    _add_points(result, arrays, pairs, place(where, call["call"]))
    for s in _first("region", len(arrays["radii"]), MAX_REGIONS, result.notes):
        result.balls.append((s, arrays["centers"][s], float(arrays["radii"][s])))
    return result


def _fit(arrays: dict[str, np.ndarray], pairs: dict[str, np.ndarray], features: int) -> bool:
    """Whether all points have this many features, all numbers are finite, and radii and indices are
    valid.
    """
    for name in of_kind(arrays, "points"):
        points = arrays[name]
        if points.shape[:1] != (0,) and (points.ndim != 2 or points.shape[1] != features):
            return False
    if not all(np.isfinite(array).all() for array in arrays.values()):
        return False
    radii = arrays["radii"]
    if radii.shape != (len(arrays["centers"]),) or not (radii >= 0).all():
        return False
    return all(((rows >= 0) & (rows < len(arrays["X"]))).all() for rows in pairs.values())


def _first(
    noun: str,
    count: int,
    most: int,
    notes: list[str],
    named: int | None = None,
) -> list[int]:
    """Return the first indices, or only the named one, and note how many are left out."""
    chosen = list(range(min(count, most)))
    if named is not None and named < count:
        chosen = [named]
    if count > len(chosen):
        notes.append(f"{count - len(chosen)} of {count} {noun}s are not drawn")
    return chosen


def _add_points(
    result: Scene,
    arrays: dict[str, np.ndarray],
    pairs: dict[str, np.ndarray],
    named: dict[str, int],
) -> None:
    if "X_i" in arrays:
        X_i = arrays["X_i"]
        X_j = arrays["X_j"]
        count = min(len(X_i), len(X_j))
        for p in _first("pair", count, MAX_SEGMENTS, result.notes, named.get("P")):
            ends = np.stack([X_i[p], X_j[p]])
            result.segments.append(Segment((f"X_i[{p}]", f"X_j[{p}]"), ends))
        return
    for kind, rows in pairs.items():
        for number in _first(f"{kind} pair", len(rows), MAX_SEGMENTS, result.notes):
            i, j = rows[number].tolist()
            result.segments.append(Segment((f"X[{i}]", f"X[{j}]"), arrays["X"][[i, j]], kind))
    if pairs:
        return
    i = named.get("n", 0)
    j = named.get("m", 0)
    if "m" in named and i < len(arrays["X"]) and j < len(arrays["Y"]):
        ends = np.stack([arrays["X"][i], arrays["Y"][j]])
        result.segments.append(Segment((f"X[{i}]", f"Y[{j}]"), ends))
        return
    for name in ("X", "Y", "X_minus", "X_plus"):
        rows = arrays.get(name, np.zeros((0, result.dimension)))
        only = named.get("n") if name == "X" else None
        for row in _first(f"row of {name}", len(rows), MAX_DOTS, result.notes, only):
            result.dots.append((f"{name}[{row}]", rows[row], name))


@dataclass
class View:
    """The map from coordinates to pixels: a corner of the inner part, one scale, and how large the
    inner part is.
    """

    corner: np.ndarray
    scale: float
    width: float
    height: float

    def at(self, point: Sequence[float] | np.ndarray) -> Point:
        """Return where a point lies in the drawing; points of the line have height 0."""
        x, *y = ((np.asarray(point, float) - self.corner) * self.scale).tolist()
        return LEFT + x, TOP + self.height - sum(y)


def _extent(result: Scene) -> tuple[np.ndarray, np.ndarray, float]:
    """Return opposite corners of a box with all points and the balls near them, and a length that
    is not 0.
    """
    points = [end for segment in result.segments for end in segment.ends]
    points += [point for _, point, _ in result.dots]
    if not points:
        points = [center for _, center, _ in result.balls] or [np.zeros(result.dimension)]
    lowest = np.min(points, axis=0)
    highest = np.max(points, axis=0)
    span = float(np.max(highest - lowest))
    if span == 0:
        span = min((radius for *_, radius in result.balls if radius > 0), default=1.0)

    low = lowest
    high = highest
    for _, center, radius in result.balls:
        start = center - radius
        end = center + radius
        reach = MAX_REACH * span
        if (start >= lowest - reach).all() and (end <= highest + reach).all():
            low = np.minimum(low, start)
            high = np.maximum(high, end)
    return low, high, span


def view(result: Scene) -> View | None:
    """Return a view of all points and of all balls but those far larger or far away, or None if no
    scale is finite.
    """
    inner = WIDTH - LEFT - RIGHT
    room = inner - 2 * LABEL_WIDTH
    with np.errstate(all="ignore"):
        low, high, span = _extent(result)
        sizes = np.maximum(high - low, 0.3 * float(np.max(high - low)) or span)
        scale = float(room / sizes[0])
        height = 0.0
        if result.dimension == 2:
            fitting = room * sizes[1] / sizes[0] + 2 * LABEL_HEIGHT
            height = float(np.clip(fitting, MIN_HEIGHT, MAX_HEIGHT))
            scale = min(scale, float((height - 2 * LABEL_HEIGHT) / sizes[1]))
        shown = np.array([inner, height][: result.dimension]) / scale
        corner = (low + high) / 2 - shown / 2
    if not np.isfinite(corner).all() or not 0 < scale < math.inf:
        return None
    if not (corner + shown > corner).all():
        return None
    return View(corner, scale, inner, height)


def draw(call: Mapping[str, Any], where: str = "") -> Markup | None:
    """Return the drawing of a call and its notes, or None if there is nothing to draw."""
    what = scene(call, where)
    if what is None or not (what.segments or what.dots or what.balls):
        return None
    seen = view(what)
    if seen is None:
        return None
    notes = list(what.notes)
    for number, center, radius in what.balls:
        if not _reaches(what, seen, center, radius):
            notes.append(f"region {number} lies outside the picture")
    drawn = [_plane(what, seen) if what.dimension == 2 else _line(what, seen)]
    for note in notes:
        drawn.append(tag("p", note[0].upper() + note[1:], ".", class_="note"))
    return join(drawn)


def _reaches(
    what: Scene,
    seen: View,
    center: np.ndarray,
    radius: float,
) -> bool:
    """Whether a ball has a point in the picture."""
    with np.errstate(over="ignore"):
        extent = np.array([seen.width, seen.height][: what.dimension]) / seen.scale
        below = seen.corner - center
        above = center - seen.corner - extent
        beyond = np.maximum(np.maximum(below, above), 0)
        return bool(np.linalg.norm(beyond) <= radius)


def _svg(height: float, title: str, *content: object) -> Markup:
    size = f"0 0 {WIDTH} {_px(height)}"
    return tag("svg", tag("title", title), *content, viewBox=size, role="img", class_="drawing")


def _px(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".")


def _mark(
    name: str,
    class_: str,
    *content: object,
    **numbers: float,
) -> Markup:
    pixels = {key: _px(value) for key, value in numbers.items()}
    return tag(name, *content, class_=class_, **pixels)


def _label(
    text: str,
    x: float,
    y: float,
    anchor: str = "middle",
    class_: str = "label",
) -> Markup:
    return tag("text", text, x=_px(x), y=_px(y), text_anchor=anchor, class_=class_)


def ticks(low: float, high: float, steps: int = 5) -> list[tuple[float, str]]:
    """Return round numbers from low to high, at most `steps` steps apart, each with its text.

    >>> ticks(-0.3, 2.1)
    [(0.0, '0'), (0.5, '0.5'), (1.0, '1'), (1.5, '1.5'), (2.0, '2')]
    """
    rough = (high - low) / steps
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    largest = max(abs(low), abs(high))
    if step == 0 or largest / step > 1e14:  # too small for floats
        return []
    digits = max(1, math.ceil(math.log10(largest / step)) + 1)
    numbers = range(math.ceil(low / step), math.floor(high / step) + 1)
    return [(step * number, f"{step * number:.{digits}g}") for number in numbers]


def _axes(seen: View, bottom: float) -> list[Markup]:
    """Draw the numbers below the picture and, for the plane, to its left, each with a line through
    the picture.
    """
    left, *lower = seen.corner.tolist()
    drawn = []
    for value, text in ticks(left, left + seen.width / seen.scale, 4):
        x = LEFT + (value - left) * seen.scale
        drawn.append(_stroke("tick", (x, TOP), (x, bottom)))
        drawn.append(_label(text, x, bottom + 18, "middle", "number"))
    for low in lower:
        for value, text in ticks(low, low + seen.height / seen.scale, 4):
            y = bottom - (value - low) * seen.scale
            drawn.append(_stroke("tick", (LEFT, y), (LEFT + seen.width, y)))
            drawn.append(_label(text, LEFT - 7, y + 4, "end", "number"))
    return drawn


def _window(seen: View, height: float, content: Iterable[Markup]) -> list[Markup]:
    """Return a frame and the inner part of a drawing, which cuts off what does not fit."""
    box = f"{LEFT} {TOP} {_px(seen.width)} {_px(height)}"
    return [
        _mark("rect", "frame", x=LEFT, y=TOP, width=seen.width, height=height),
        tag("svg", *content, x=LEFT, y=TOP, width=_px(seen.width), height=_px(height), viewBox=box),
    ]


def _plane(what: Scene, seen: View) -> Markup:
    balls = []
    labels = Labels(seen)
    for number, center, radius in what.balls:
        x, y = seen.at(center)
        r = radius * seen.scale
        if r < 1e5 and max(abs(x), abs(y)) < 1e6:
            color = f"r{number % COLORS}"
            balls.append(_mark("circle", f"ball {color}", cx=x, cy=y, r=r))
            balls.append(_cross(x, y, number))
            edge = (x + 0.7 * r, y - 0.7 * r)
            labels.add(f"region {number}", edge, (1, -1), f"label region {color}")
    points = _segments_and_dots(what, seen.scale, labels, lambda point, lane: seen.at(point))
    bottom = TOP + seen.height
    inner = _window(seen, seen.height, [*balls, *points, *labels.drawn()])
    return _svg(bottom + BOTTOM, _words(what), *_axes(seen, bottom), *inner)


def _segments_and_dots(
    what: Scene,
    scale: float,
    labels: Labels,
    at: Callable[[np.ndarray, int], Point],
) -> list[Markup]:
    """Draw segments, their parts in the balls, and points; `at` maps a point in a lane to
    pixels.
    """
    lines = []
    points = []
    for lane, segment in enumerate(what.segments):
        start = at(segment.ends[0], lane)
        end = at(segment.ends[1], lane)
        balls = [(number, at(center, lane), r * scale) for number, center, r in what.balls]
        lines.append(_stroke(f"segment {segment.kind}", start, end))
        lines += _inside(start, end, balls)
        for name, here, other in zip(segment.labels, (start, end), (end, start), strict=True):
            points.append(_dot(here))
            labels.add(name, here, (here[0] - other[0], here[1] - other[1]))
    kinds = sorted({kind for *_, kind in what.dots})
    for name, point, kind in what.dots:
        here = at(point, len(what.segments) + kinds.index(kind))
        points.append(_dot(here, kind))
        labels.add(name, here, (0, -1))
    return [*lines, *points]


class Labels:
    """Labels beside their points, kept in the picture; points in one place share a label, and so do
    regions.
    """

    def __init__(self, seen: View) -> None:
        self.right = LEFT + seen.width
        self.places: dict[tuple[int, int, bool], tuple[Point, Point, list[str], str]] = {}

    def add(
        self,
        name: str,
        at: Point,
        toward: Point,
        class_: str = "label",
    ) -> None:
        """Add a label for a point, and the direction in which there is room for it."""
        key = round(at[0] / 3), round(at[1] / 3), class_ == "label"
        at, side, names, class_ = self.places.get(key, (at, toward, [], class_))
        if not any(side):
            side = toward
        if name not in names:
            self.places[key] = at, side, [*names, name], class_

    def drawn(self) -> list[Markup]:
        """Return all labels."""
        return [self._label(*place) for place in self.places.values()]

    def _label(
        self,
        at: Point,
        toward: Point,
        names: list[str],
        class_: str,
    ) -> Markup:
        text = ", ".join(names[:2])
        if len(names) > 2:
            text += f" and {len(names) - 2} more"
        width = 7.2 * len(text)

        length = math.hypot(*toward)
        dx = 9 * toward[0] / length if length else 0.0
        dy = 13 * toward[1] / length if length else -13.0
        anchor = "middle"
        before = width / 2  # how much of the label is left of its anchor
        if dx > 4:
            anchor = "start"
            before = 0.0
        elif dx < -4:
            anchor = "end"
            before = width
        x = min(max(at[0] + dx, LEFT + 4 + before), self.right - 4 - width + before)
        y = max(at[1] + dy + 4, TOP + 12)
        return _label(text, x, y, anchor, class_)


def _cross(x: float, y: float, number: int) -> Markup:
    d = f"M{_px(x - 4)} {_px(y)}h8M{_px(x)} {_px(y - 4)}v8"
    return tag("path", d=d, class_=f"center r{number % COLORS}")


def _stroke(class_: str, start: Point, end: Point) -> Markup:
    return _mark("line", class_, x1=start[0], y1=start[1], x2=end[0], y2=end[1])


def _inside(start: Point, end: Point, balls: Sequence[tuple[int, Any, float]]) -> list[Markup]:
    """Return the parts of a segment that lie in the balls, computed in pixels, where no square
    overflows.
    """
    drawn = []
    for number, center, radius in balls:
        if not all(abs(value) < 1e9 for value in (*center, radius)):
            continue
        p, q = segment_coefficients(start, end, center, radius)
        if q > p:
            way = np.subtract(end, start)
            entry = start + p * way
            exit = start + q * way
            drawn.append(_stroke(f"inside r{number % COLORS}", tuple(entry), tuple(exit)))
    return drawn


def _dot(at: Point, kind: str = "") -> Markup:
    return _mark("circle", f"point {kind}".rstrip(), cx=at[0], cy=at[1], r=4)


def _line(what: Scene, seen: View) -> Markup:
    """Draw regions as brackets above, one per row, and as stripes through the lanes of segments and
    points below.
    """
    lanes = len(what.segments) + len({kind for *_, kind in what.dots})
    first = TOP + REGION_HEIGHT * len(what.balls)
    bottom = first + LANE_HEIGHT * max(lanes, 1) + 6
    stripes: list[Markup] = []
    for row, ball in enumerate(what.balls):
        stripes += _stripe(seen, row, ball, bottom)
    labels = Labels(seen)

    def at(point: np.ndarray, lane: int) -> Point:
        label = 6 if lane >= len(what.segments) else 0  # the labels of single points are above them
        return seen.at(point)[0], first + LANE_HEIGHT * (lane + 0.5) + 6 + label

    points = _segments_and_dots(what, seen.scale, labels, at)
    inner = _window(seen, bottom - TOP, [*stripes, *points, *labels.drawn()])
    return _svg(bottom + BOTTOM, _words(what), *_axes(seen, bottom), *inner)


def _stripe(
    seen: View,
    row: int,
    ball: tuple[int, np.ndarray, float],
    bottom: float,
) -> list[Markup]:
    number, center, radius = ball
    color = f"r{number % COLORS}"
    y = TOP + REGION_HEIGHT * row + 18
    low, middle, high = [
        min(max(seen.at(point)[0], -1e6), 1e6)
        for point in (center - radius, center, center + radius)
    ]
    return [
        _mark("rect", f"ball {color}", x=low, y=y, width=high - low, height=bottom - y),
        _stroke(f"bracket {color}", (low, y), (high, y)),
        _cross(middle, y, number),
        _region_label(number, low, high, y, LEFT + seen.width),
    ]


def _region_label(
    number: int,
    low: float,
    high: float,
    y: float,
    right: float,
) -> Markup:
    """Put the label beside the bracket if there is room, else above it."""
    text = f"region {number}"
    class_ = f"label region r{number % COLORS}"
    if right - high > REGION_LABEL_WIDTH:
        return _label(text, max(high, LEFT) + 6, y + 4, "start", class_)
    if low - LEFT > REGION_LABEL_WIDTH:
        return _label(text, min(low, right) - 6, y + 4, "end", class_)
    middle = (max(low, LEFT) + min(high, right)) / 2
    return _label(text, middle + 36, y - 3, "middle", class_)


def _words(what: Scene) -> str:
    """Describe the drawing in words, for readers who cannot see it."""
    ends = [f"a segment from {' to '.join(segment.labels)}" for segment in what.segments]
    dots = [name for name, *_ in what.dots]
    balls = [f"region {number}" for number, *_ in what.balls]
    return f"Drawing of {', '.join([*ends, *dots, *balls])}"
