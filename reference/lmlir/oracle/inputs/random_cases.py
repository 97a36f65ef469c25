"""Random cases: scenes of points, balls and metrics that visit every row of the tables and whatever
breaks programs.

Hypothesis draws the structure (how many features, regions and pairs, where each ball lies, which
metrics, what scale) and one seed. The coordinates come from a generator with that seed, so that a
scene costs a dozen draws, however many numbers it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from typing import Any, Concatenate, ParamSpec

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.interface import of_kind
from lmlir.oracle.precision import Precision

Random = np.random.Generator
Ball = tuple[np.ndarray, float]  # center and radius
Strategy = Callable[..., st.SearchStrategy[Case]]  # takes a precision and an optional palette

FEATURES = (2, 1, 3, 2, 4, 3, 5, 8, 6, 7)
REGIONS = (1, 2, 3, 2, 0, 4, 6, 5)
PAIRS = ("free", "free", "along an axis", "close", "coincident")
METRICS = ("full", "full", "identity", "diagonal", "rank one", "zero", "tiny")
TAME_METRICS = ("full", "full", "diagonal", "identity")
SHIFTS = (0.0, 0.0, 0.0, 10.0, 1e3, 1e6)

# The numbers of regions and features in the scenes of a run, few enough for code that is compiled
# once per shape. Without a palette, sizes vary freely.
Palette = tuple[tuple[int, int], ...]

# The numbers of rows below differ from these and from one another: exchanged axes change the shape.
SHORT: Palette = ((1, 2), (2, 2), (0, 2), (3, 2), (4, 3))
WIDER: Palette = (*SHORT, (2, 1), (6, 8), (1, 3), (2, 6), (1, 1), (0, 1))
ROWS = 5  # pairs, and rows of X
COLUMNS = 4  # rows of Y
CLASSES = (19, 23)  # members of X_minus and X_plus
NEIGHBORS = (3, 1, 16)


def palette(profile: str, shapes: str) -> Palette | None:
    """Return the palette of a run: a short one in the profile quick, a longer one in the others,
    none for many shapes.
    """
    if shapes == "many":
        return None
    return SHORT if profile == "quick" else WIDER


@dataclass(frozen=True)
class Source:
    """What a case is drawn from: the function that Hypothesis supplies, a number format and the
    palette of the run.
    """

    draw: Callable[[st.SearchStrategy[Any]], Any]
    precision: Precision
    palette: Palette | None

    def one_of(self, *choices: Any) -> Any:
        """Draw one of the choices."""
        return self.draw(_sampled_from(*choices))

    def up_to(self, largest: int) -> int:
        """Draw a whole number from 0 to the largest."""
        return int(self.draw(_up_to(largest)))


# Strategies are cached, because making one costs more than drawing from it.
@lru_cache(maxsize=None, typed=True)  # typed, because 0 equals 0.0
def _sampled_from(*choices: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(choices)


@cache
def _up_to(largest: int) -> st.SearchStrategy[int]:
    return st.integers(0, largest)


# ---- where balls lie ----


@dataclass(frozen=True)
class Segment:
    """The segment near which a ball is placed, and the ball before it, if there is one."""

    x_i: np.ndarray
    x_j: np.ndarray
    before: Ball | None

    @property
    def d(self) -> np.ndarray:
        """The difference of the end points."""
        return self.x_j - self.x_i

    @property
    def length(self) -> float:
        """The length of the segment, or 1 where its end points coincide."""
        return float(np.linalg.norm(self.d)) or 1.0

    @property
    def sides(self) -> float:
        """1.0 where points lie beside the segment, 0.0 on a line."""
        return float(self.x_i.size > 1)


def _across(random: Random, d: np.ndarray) -> np.ndarray:
    """Return a unit vector at right angles to d, or zero in one dimension."""
    length = float(np.linalg.norm(d))
    if d.size == 1 or length == 0:
        return np.zeros_like(d)
    if np.count_nonzero(d) == 1:
        other = np.zeros_like(d)
        other[(int(np.flatnonzero(d)[0]) + 1) % d.size] = 1.0
        return other
    v = random.normal(size=d.size)
    v = v - d * float(v @ d) / length**2
    return v / float(np.linalg.norm(v))


# Places a ball in one position relative to the segment, or to the ball before it.
Placing = Callable[[Random, Segment], Ball]


def _free(random: Random, segment: Segment) -> Ball:
    center = segment.x_i + segment.length * random.normal(size=segment.d.size)
    return center, segment.length * float(np.abs(random.normal()))


def _with_roots(u_range: tuple[float, float], v_range: tuple[float, float]) -> Placing:
    """Return a placing of balls that the line enters at u and leaves at v, with their centers a
    little off the line.
    """

    def place(random: Random, segment: Segment) -> Ball:
        d = segment.d
        length = float(np.linalg.norm(d))
        u = float(random.uniform(*u_range))
        v = float(random.uniform(*v_range))
        height = float(random.uniform(0, 1.5)) * length * segment.sides
        center = segment.x_i + (u + v) / 2 * d + height * _across(random, d)
        return center, float(np.hypot((v - u) / 2 * length, height))

    return place


def _missed(random: Random, segment: Segment) -> Ball:
    length = segment.length
    along = float(random.uniform(-0.5, 1.5)) * segment.d
    center = segment.x_i + along + 2 * length * _across(random, segment.d)
    return center, length * segment.sides


def _tangent(random: Random, segment: Segment) -> Ball:
    height = float(random.integers(1, 9)) / 4.0
    along = float(random.integers(-1, 6)) / 4.0 * segment.d
    center = segment.x_i + along + height * _across(random, segment.d)
    return center, height * segment.sides


def _through_an_end_point(random: Random, segment: Segment) -> Ball:
    x_i = segment.x_i
    center = x_i + np.round(random.normal(size=x_i.size) * segment.length * 4) / 4
    end = x_i if random.integers(2) else segment.x_j
    return center, float(np.linalg.norm(end - center))


def _almost(place: Placing) -> Placing:
    """Return a placing whose radii miss by 2^-6 to 2^-45 of themselves."""

    def place_nearly(random: Random, segment: Segment) -> Ball:
        center, radius = place(random, segment)
        sign = float(random.choice((1, 1, -1)))
        power = float(random.integers(6, 46))
        return center, (radius or segment.length) * (1 + sign * 2.0**-power)

    return place_nearly


def _beside_the_one_before(shift: float, share: float) -> Placing:
    """Return a placing of balls that have a share of the radius of the ball before, and a center
    that lies a multiple of that radius along the segment from its center; free ones if there is no
    ball before.
    """

    def place(random: Random, segment: Segment) -> Ball:
        if segment.before is None:
            return _free(random, segment)
        center, radius = segment.before
        return center + segment.d / segment.length * radius * shift, radius * share

    return place


def _radius_zero(random: Random, segment: Segment) -> Ball:
    along = float(random.integers(-1, 6)) / 4.0 * segment.d
    return segment.x_i + along, 0.0


def _small_and_far(random: Random, segment: Segment) -> Ball:
    length = segment.length
    center = segment.x_i + 100 * length * random.normal(size=segment.d.size)
    return center, length * float(random.uniform(0.01, 0.1))


def _large(random: Random, segment: Segment) -> Ball:
    center = segment.x_i + segment.length * random.normal(size=segment.d.size)
    return center, segment.length * float(random.uniform(2, 40))


POSITIONS: dict[str, Placing] = {
    "free": _free,
    "within the segment": _with_roots((0.05, 0.5), (0.5, 0.95)),
    "around the start": _with_roots((-1.5, -0.1), (0.1, 0.9)),
    "around the end": _with_roots((0.1, 0.9), (1.1, 2.5)),
    "around the segment": _with_roots((-1.5, -0.1), (1.1, 2.5)),
    "behind the start": _with_roots((-3.0, -1.5), (-1.2, -0.1)),
    "beyond the end": _with_roots((1.1, 2.0), (2.2, 3.0)),
    "missed": _missed,
    "tangent": _tangent,
    "almost tangent": _almost(_tangent),
    "through an end point": _through_an_end_point,
    "almost through an end point": _almost(_through_an_end_point),
    "nested": _beside_the_one_before(0.0, 0.5),
    "identical": _beside_the_one_before(0.0, 1.0),
    "radius zero": _radius_zero,
    "small and far": _small_and_far,
    "touching the one before": _beside_the_one_before(1.5, 0.5),
    "large": _large,
}
BALLS = tuple(POSITIONS)
TAME_BALLS = (*BALLS[:5], "nested", "large")


# ---- scenes ----


@dataclass(frozen=True)
class Spec:
    """What the scenes of a law may contain.

    With a palette a scene has `rows` pairs, and its regions and features are one of the `first`
    formats of the palette that this specification allows.
    """

    features: tuple[int, ...] = FEATURES
    regions: tuple[int, ...] = REGIONS
    pairs: tuple[int, ...] = (1, 2, 3)
    rows: int = ROWS
    first: int | None = None
    balls: tuple[str, ...] = BALLS
    kinds: tuple[str, ...] = PAIRS
    metrics: tuple[str, ...] = METRICS
    scales: tuple[int, ...] = (0, 0, 0, 0, -3, 5, -20, 20)
    shifts: tuple[float, ...] = SHIFTS
    whole: tuple[bool, ...] = (True, False, False)

    def formats(self, palette: Palette) -> Palette:
        """Return the formats of a palette that the scenes may have."""
        fitting = [(S, F) for S, F in palette if S in self.regions and F in self.features]
        return tuple(fitting[: self.first])


UNSCALED: dict[str, Any] = {"scales": (0,), "shifts": (0.0,)}
TAME = Spec(balls=TAME_BALLS, kinds=("free",), metrics=TAME_METRICS, whole=(False,), **UNSCALED)


@dataclass
class Scene:
    """The six arrays of a distance by name, how they are to be shifted and scaled, and the
    generator for more points.
    """

    arrays: dict[str, np.ndarray]
    random: Random
    scale: float
    shift: np.ndarray
    flags: tuple[str, ...]

    def inputs(self) -> dict[str, Any]:
        """Return the six arrays, shifted and scaled."""
        inputs: dict[str, Any] = {**self.arrays, "radii": self.arrays["radii"] * self.scale}
        return inputs | {name: self.placed(inputs[name]) for name in of_kind(inputs, "points")}

    def placed(self, points: np.ndarray) -> np.ndarray:
        """Return points of the scene, shifted and scaled."""
        return (points + self.shift) * self.scale

    def more(self, count: int) -> np.ndarray:
        """Return other random points, shifted and scaled."""
        return self.placed(points(self.random, count, len(self.shift), False))


def points(
    random: Random,
    count: int,
    features: int,
    whole: bool,
) -> np.ndarray:
    """Return random points around the origin: multiples of 1/4, or any numbers."""
    if whole:
        return random.integers(-12, 13, size=(count, features)) / 4.0
    return random.normal(size=(count, features)) * 1.5


def metric(
    random: Random,
    kind: str,
    features: int,
    background: np.ndarray | None = None,
) -> np.ndarray:
    """Return a random positive semi-definite matrix; a singular one is exactly singular, in either
    number format.
    """
    factor = random.integers(-6, 7, size=(features, features)) / 4.0
    if kind == "nearly equal" and background is not None:
        return background + 2.0**-10 * np.outer(factor[0], factor[0])
    if kind == "rank deficient":
        return factor[:, 1:] @ factor[:, 1:].T
    if kind == "identity":
        return np.eye(features)
    if kind == "zero":
        return np.zeros((features, features))
    if kind == "diagonal":
        return np.diag(random.integers(0, 9, size=features) / 2.0)
    if kind == "whole":
        return factor @ factor.T
    if kind == "tiny":
        return factor @ factor.T * 2.0**-40
    if kind == "rank one":
        return np.outer(factor[0], factor[0])
    A = random.normal(size=(features, features))
    M = A @ A.T * float(np.exp(random.normal())) + 0.2 * np.eye(features)
    return (M + M.T) / 2


def _other_end(
    random: Random,
    kind: str,
    x_i: np.ndarray,
    free: np.ndarray,
    closeness: float,
) -> np.ndarray:
    if kind == "coincident":
        return x_i.copy()
    if kind == "close":
        return x_i + closeness * (1 + np.abs(x_i).max()) * random.normal(size=x_i.size)
    if kind == "along an axis":
        end = x_i.copy()
        axis = int(random.integers(x_i.size))
        end[axis] += float(random.integers(1, 13)) / 2.0
        return end
    return free


def _draw_sizes(source: Source, spec: Spec) -> tuple[int, int, int]:
    """Draw the numbers of features, pairs and regions of a scene."""
    if source.palette is not None:
        regions, features = source.one_of(*spec.formats(source.palette))
        return features, spec.rows, regions
    features = source.one_of(*spec.features)
    pairs = source.one_of(*spec.pairs)
    return features, pairs, source.one_of(*spec.regions)


def _extended(
    names: list[str],
    choices: tuple[str, ...],
    count: int,
    random: Random,
) -> list[str]:
    """Return the names that Hypothesis has drawn, and random ones up to the count."""
    more = range(count - len(names))
    return names + [choices[int(random.integers(len(choices)))] for _ in more]


def draw_scene(source: Source, spec: Spec) -> Scene:
    """Draw a scene: structure from Hypothesis, coordinates from a seed."""
    precision = source.precision
    features, pairs, regions = _draw_sizes(source, spec)
    whole = source.one_of(*spec.whole)
    kind = source.one_of(*spec.kinds)
    placings = [source.one_of(*spec.balls) for _ in range(min(regions, 3))]
    metrics = [source.one_of(*spec.metrics) for _ in range(min(regions, 2) + 1)]
    exponent = source.one_of(*spec.scales)
    shift_size = source.one_of(*spec.shifts)
    random = np.random.default_rng(source.up_to(2**32 - 1))

    X_i = points(random, pairs, features, whole)
    X_j = points(random, pairs, features, whole)
    for p in range(pairs):
        chosen = kind if p == 0 else spec.kinds[int(random.integers(len(spec.kinds)))]
        X_j[p] = _other_end(random, chosen, X_i[p], X_j[p], precision.closeness)

    placings = _extended(placings, spec.balls, regions, random)
    metrics = _extended(metrics, spec.metrics, regions + 1, random)
    centers = np.zeros((regions, features))
    radii = np.zeros(regions)
    before = None
    for s, name in enumerate(placings):
        p = int(random.integers(pairs)) if s else 0
        before = POSITIONS[name](random, Segment(X_i[p], X_j[p], before))
        centers[s], radii[s] = before

    background = metric(random, metrics[0], features)
    local = np.zeros((regions, features, features))
    for s, name in enumerate(metrics[1:]):
        local[s] = metric(random, name, features, background)

    largest_shift = 1e6 if precision.name == "float64" else 1e2
    shift = np.round(random.normal(size=features) * min(shift_size, largest_shift))
    limit = precision.scale_exponent // 2
    return Scene(
        arrays={
            "X_i": X_i,
            "X_j": X_j,
            "centers": centers,
            "radii": radii,
            "local_metrics": local,
            "background_metric": background,
        },
        random=random,
        scale=float(2.0 ** np.clip(exponent, -limit, limit)),
        shift=shift,
        flags=tuple(dict.fromkeys([*placings, kind, *metrics])),
    )


# ---- cases ----

Options = ParamSpec("Options")


def _strategy(build: Callable[Concatenate[Source, Options], Case]) -> Callable[Options, Strategy]:
    """Turn a function that draws one case into one that takes its options and returns the strategy
    of such cases.
    """

    @st.composite
    def cases(
        draw: Any,
        precision: Precision,
        palette: Palette | None,
        options: Any,
    ) -> Case:
        args, kwargs = options
        return build(Source(draw, precision, palette), *args, **kwargs).cast(precision.dtype)

    @wraps(build)
    def with_options(*args: Options.args, **kwargs: Options.kwargs) -> Strategy:
        return lambda precision, palette=None: cases(precision, palette, (args, kwargs))

    return with_options


ANY = Spec()


@_strategy
def pair_cases(source: Source, spec: Spec = ANY) -> Case:
    """Draw the six arrays of a distance."""
    scene = draw_scene(source, spec)
    return Case(scene.inputs(), scene.flags)


def inputs_of(case: Case, function: str) -> dict[str, Any]:
    """Return the inputs of a function for a case with pairs: cross distances get X against Y, with
    one row fewer in Y.
    """
    if function != "cross_distances":
        return case.inputs
    return {**case.inputs, "X": case["X_i"], "Y": case["X_j"][: max(1, len(case["X_j"]) - 1)]}


@_strategy
def cross_cases(source: Source, spec: Spec = ANY) -> Case:
    """Draw X and Y: different numbers of rows, and rows of Y that are equal or close to rows of
    X.
    """
    scene = draw_scene(source, spec)
    extra = source.up_to(2)
    inputs = scene.inputs()
    X = inputs.pop("X_i")
    Y = inputs.pop("X_j")
    if source.palette is not None:
        Y = Y[: COLUMNS - 2 * extra]
    Y = np.concatenate([Y, scene.more(extra), X[:extra]])
    return Case({"X": X, "Y": Y, **inputs}, scene.flags)


@_strategy
def decision_cases(
    source: Source,
    spec: Spec = ANY,
    neighbors: tuple[int, ...] = (1, 2, 3, 5),
    more: int = 3,
) -> Case:
    """Draw inputs of the classifier: classes with at least K members, among them copies of one
    another and of x.
    """
    scene = draw_scene(source, spec)
    if source.palette is None:
        K = source.one_of(*neighbors)
        sizes = [K + source.up_to(more), K + source.up_to(more)]
    else:
        K = source.one_of(*NEIGHBORS)
        sizes = [*CLASSES]
    doubles = source.draw(st.booleans())
    inputs = scene.inputs()
    X = inputs.pop("X_i")
    start = inputs.pop("X_j")
    classes = []
    for size in sizes:
        members = scene.more(size)
        members[: min(len(start), size)] = start[:size]
        if doubles:
            members[-1] = members[0]
        classes.append(scene.random.permutation(members))
    inputs = {"X": X, "X_minus": classes[0], "X_plus": classes[1], "K": K, **inputs}
    return Case(inputs, scene.flags)


NUMBER_OF_PAIRS = (2, 1, 3, 0, 5)
FEW_PAIRS = (3, 2)
ALPHAS = (0.5, 0.0, 0.03, 2.0)
MARGINS = (0.25, 0.0, 0.5, 1.0, 1.75)
RATES = (0.1, 0.0, 0.01, 1.0, 20.0)
OBJECTIVE = Spec(
    scales=(0, 0, 0, 0, -3, 5),
    shifts=(0.0, 0.0, 0.0, 10.0),
    features=(2, 3, 1, 2, 4, 8),
    pairs=(2, 3, 1),
    rows=2,
)


@_strategy
def objective_cases(
    source: Source,
    spec: Spec = OBJECTIVE,
    numbers: tuple[int, ...] = NUMBER_OF_PAIRS,
    rates: tuple[float, ...] = RATES,
    few: tuple[int, int] = FEW_PAIRS,
) -> Case:
    """Draw inputs of the objective and of the descent step; distances are brought near 1, where the
    hinges are.
    """
    scene = draw_scene(source, spec)
    if source.palette is not None:
        return _objective_case(source, scene, few, rates)
    counts = source.one_of(*numbers), source.one_of(*numbers)
    return _objective_case(source, scene, counts, rates, len(scene.arrays["X_i"]), 3)


def _objective_case(
    source: Source,
    scene: Scene,
    counts: tuple[int, int],
    rates: tuple[float, ...],
    natural: int = 2,
    extra: int = 1,
) -> Case:
    """Make a case of the objective from a scene: the first of its pairs, then random pairs of their
    points and others.
    """
    alpha = float(source.one_of(*ALPHAS))
    C = float(source.one_of(*MARGINS))
    beta = float(source.one_of(*rates))
    inputs = scene.inputs()
    X_i = inputs.pop("X_i")[:natural]
    X_j = inputs.pop("X_j")[:natural]
    X = np.concatenate([X_i, X_j, scene.more(extra)])
    pairs = np.arange(2 * len(X_i)).reshape(2, len(X_i)).T
    lists = []
    for count in counts:
        indices = scene.random.integers(len(X), size=(count, 2))
        indices[: min(count, len(pairs))] = scene.random.permutation(pairs)[:count]
        lists.append(indices)

    longest = float(np.linalg.norm(X_j - X_i, axis=1).max(initial=0.0))
    longest = max(longest, 1e-3 * scene.scale)
    # A power of two, so that singular metrics stay singular.
    factor = float(2.0 ** np.round(2 * np.log2(0.5 / longest)))
    inputs |= {name: inputs[name] * factor for name in of_kind(inputs, "metrics")}
    inputs = {
        "X": X,
        "similar": lists[0],
        "dissimilar": lists[1],
        **inputs,
        "alpha": alpha,
        "C": C,
        "beta": beta,
    }
    return Case(inputs, scene.flags)


@_strategy
def whole_pair_cases(source: Source, /, spec: Spec, **extra: st.SearchStrategy[Any]) -> Case:
    """Draw pairs whose coordinates are multiples of 1/8, so that moving, turning and halving them
    is exact.
    """
    scene = draw_scene(source, spec)
    more = {name: source.draw(strategy) for name, strategy in extra.items()}
    for name in of_kind(scene.arrays, "points"):
        scene.arrays[name] = np.round(scene.arrays[name] * 8) / 8
    if "shift" in more:
        limit = 2.0**40 if source.precision.name == "float64" else 2.0**8
        size = min(more["shift"], limit)
        more["shift"] = np.round(scene.random.normal(size=len(scene.shift)) * size)
    return Case({**scene.inputs(), **more}, scene.flags)


@_strategy
def everything_cases(source: Source, spec: Spec) -> Case:
    """Draw inputs of all nine functions."""
    scene = draw_scene(source, spec)
    if source.palette is not None:
        K = source.one_of(*NEIGHBORS)
        sizes = (COLUMNS, *CLASSES)
        case = _objective_case(source, scene, FEW_PAIRS, RATES)
    else:
        K = source.one_of(1, 2, 3)
        sizes = (K + 2, K, K + 1)
        counts = source.one_of(2, 1, 3), source.one_of(2, 1, 3)
        case = _objective_case(source, scene, counts, RATES, len(scene.arrays["X_i"]), 3)
    Y, X_minus, X_plus = (scene.more(size) for size in sizes)
    inputs = scene.inputs()
    return case.but(X_i=inputs["X_i"], X_j=inputs["X_j"], K=K, Y=Y, X_minus=X_minus, X_plus=X_plus)
