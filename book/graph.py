"""What depends on what, as a graph that can be read: one column per section, few crossings, one
item highlighted at a time.

The arrows are the calls between the functions of the items (`ledger.dependencies`), without those
that follow from others. All of them are drawn faintly; the pointer or the keyboard on an item
brings out what it needs and what needs it.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ledger import dependencies, item_anchor, reduced

from lmlir.ledger.items import ENTRIES
from lmlir.ledger.map import Item, items

SECTIONS = {
    "section 2": ("2",),
    "section 3.1": ("3.1",),
    "section 3.2": ("3.2",),
    "section 4.1": ("4.1",),
    "section 4.2": ("4.2",),
    "section 5.1": ("5", "5.1"),
    "section 5.2": ("5.2",),
    "our own": ("beyond the paper",),
}
# distances between boxes, their size, and room for the heads
COLUMN = 124
ROW = 42
WIDTH = 92
HEIGHT = 26
TOP = 40
SWEEPS = 12


def short(name: str) -> str:
    """The name of an item as it fits a box.

    >>> short("Equation (9)"), short("Section 5.2, dD/dM(B)"), short("Definition 5, footnote")
    ('eq. (9)', 'dD/dM(B)', 'Def. 5, note')
    """
    if name.startswith("Section"):
        return name.split(", ", 1)[1].replace("gradient descent", "descent")
    for long, brief in (
        ("Definition", "Def."),
        ("Proposition", "Prop."),
        ("Equation", "eq."),
        ("footnote", "note"),
    ):
        name = name.replace(long, brief)
    return name


def ordered(columns: list[list[str]], arrows: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The columns with their boxes moved towards the mean height of their neighbors, SWEEPS
    times.
    """
    joined: dict[str, set[str]] = {}
    for one, other in arrows:
        joined.setdefault(one, set()).add(other)
        joined.setdefault(other, set()).add(one)
    for _ in range(SWEEPS):
        height = {
            name: (k + 0.5) / len(column) for column in columns for k, name in enumerate(column)
        }
        mean = {
            name: sum(height[other] for other in joined.get(name, {name}))
            / len(joined.get(name, {name}))
            for name in height
        }
        columns = [
            sorted(column, key=lambda name: (mean[name], height[name])) for column in columns
        ]
    return columns


def graph() -> str:
    """The graph as an SVG whose boxes are links to the list below it."""
    with_code = [
        entry.item for entry in ENTRIES if not entry.shows
    ]  # figures, remarks and footnotes have that of others
    drawn = [item for item in items() if item.functions and item.item in with_code]
    found: dict[str, Item] = {item.item: item for item in drawn}
    arrows = sorted(
        (user, used) for user, used in reduced(dependencies()) if user in found and used in found
    )
    heads = {
        head: [item.item for item in drawn if item.section in parts]
        for head, parts in SECTIONS.items()
    }
    heads = {head: column for head, column in heads.items() if column}
    columns = ordered(list(heads.values()), arrows)
    tallest = max(map(len, columns))
    place = {
        name: (COLUMN * x + COLUMN // 2, TOP + ROW * tallest * (k + 0.5) / len(column))
        for x, column in enumerate(columns)
        for k, name in enumerate(column)
    }
    size = (COLUMN * len(columns), TOP + ROW * tallest)
    labels = "".join(
        f'<text class="head" x="{COLUMN * x + COLUMN // 2}" y="16">{head}</text>'
        for x, head in enumerate(heads)
    )
    return (
        f'<div class="map-graph"><svg viewBox="0 0 {size[0]} {size[1]:.0f}" role="group" '
        'aria-label="The items of the paper '
        f'in columns by section; arrows lead from an item to what its functions call.">'
        '<defs><marker id="map-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker></defs>'
        f"{labels}{''.join(arrow(place, *pair) for pair in arrows)}"
        f"{''.join(box(found[name], *place[name]) for name in place)}"
        '</svg></div><script src="_static/map_graph.js" defer></script>'
    )


def arrow(place: dict[str, tuple[float, float]], user: str, used: str) -> str:
    """A curve from the box of an item to the box of what it needs."""
    (x1, y1), (x2, y2) = place[user], place[used]
    if x1 == x2:
        edge = x1 - WIDTH / 2
        bend = edge - 16
        path = f"M{edge} {y1:.0f}C{bend} {y1:.0f} {bend} {y2:.0f} {edge} {y2:.0f}"
    else:
        side = 1 if x2 > x1 else -1
        start = x1 + side * WIDTH / 2
        end = x2 - side * WIDTH / 2
        bend = side * max(30, abs(end - start) / 2)
        path = (
            f"M{start} {y1:.0f}C{start + bend:.0f} {y1:.0f} {end - bend:.0f} {y2:.0f} {end} "
            f"{y2:.0f}"
        )
    return (
        f'<path class="arrow" data-from="{escape(user)}" data-to="{escape(used)}" d="{path}" '
        'marker-end="url(#map-arrow)"/>'
    )


def box(item: Item, x: float, y: float) -> str:
    """The box of an item, linked to its row in the list."""
    return (
        f'<a href="#{item_anchor(item.item)}" class="box {item.status}" '
        f'data-item="{escape(item.item)}">'
        f"<title>{escape(item.item)}, {item.status}: {escape(item.title)}</title>"
        f'<rect x="{x - WIDTH / 2}" y="{y - HEIGHT / 2:.1f}" width="{WIDTH}" height="{HEIGHT}" '
        'rx="4"/>'
        f'<text x="{x}" y="{y + 4:.1f}">{escape(short(item.item))}</text></a>'
    )
