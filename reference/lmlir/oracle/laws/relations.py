"""The relations: answers of a subject held against other answers of the same subject."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle import brackets, strategies
from lmlir.oracle.brackets import Bracket
from lmlir.oracle.cases import Case
from lmlir.oracle.checker import Checker
from lmlir.oracle.interface import FUNCTIONS, PARAMETERS
from lmlir.oracle.laws.registry import law
from lmlir.oracle.strategies import BALLS, OBJECTIVE, TAME, TAME_METRICS, Spec
from lmlir.oracle.violations import Violation

PAIRWISE = ("intersection_ratios", "exact_background_ratios", "distances", "ratio_gradients")
GEOMETRIC = "intersection_ratios exact_background_ratios distances ratio_gradients cross_distances"
WHOLE_METRICS = ("whole", "identity", "diagonal", "rank one", "zero")
UNSCALED: dict[str, Any] = {"scales": (0,), "shifts": (0.0,)}


def each_offered(names: str) -> Callable[[Callable[[Checker, Case, str], None]], Callable[[Checker, Case], None]]:
    """Turn a check of one function into a check of all those that are both named and offered."""

    def every(check: Callable[[Checker, Case, str], None]) -> Callable[[Checker, Case], None]:
        @functools.wraps(check)
        def checks(checker: Checker, case: Case) -> None:
            for name in names.split():
                if checker.offers(name):
                    checker.calls = []
                    check(checker, case, name)

        return checks

    return every


def widths(bracket: Bracket) -> np.ndarray:
    """The width of a bracket, infinite where it has no ends."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nan_to_num(bracket[1] - bracket[0], nan=np.inf, posinf=np.inf))


def cross_inputs(case: Case) -> dict[str, Any]:
    """The pairs of a case as X against Y, with one row fewer in Y."""
    return {**case.inputs, "X": case["X_i"], "Y": case["X_j"][: max(1, len(case["X_j"]) - 1)]}


def inputs_of(case: Case, function: str) -> dict[str, Any]:
    """The inputs of a function out of a pair case."""
    return cross_inputs(case) if function == "cross_distances" else case.inputs


# --- Symmetry and invariance ------------------------------------------------------------------------------------------


@law(
    "swapping_the_end_points_changes_nothing",
    "Definition 7; Definition 8; Equation (9)",
    "D, gamma, its gradients and the exact gamma_b do not change when x_i and x_j are exchanged.",
    GEOMETRIC,
    strategies.pair_cases(Spec(pairs=(5, 3, 9))),
    any_of=True,
    weight=0.7,
)
def swapping_the_end_points_changes_nothing(checker: Checker, case: Case) -> None:
    for function in PAIRWISE:
        if checker.offers(function):
            first = checker.ask_all(function, case.inputs)
            second = checker.ask_all(function, case.inputs, X_i=case["X_j"], X_j=case["X_i"])
            for a, b, allowed in zip(first, second, checker.allowed(function, case.inputs), strict=True):
                checker.agree(f"{function} and its answer with x_i and x_j exchanged", a, b, allowed)
    if checker.offers("cross_distances"):
        inputs = cross_inputs(case)
        first = checker.ask_all("cross_distances", inputs)
        second = checker.ask_all("cross_distances", inputs, X=inputs["Y"], Y=inputs["X"])
        allowed = checker.allowed("cross_distances", inputs)[0]
        checker.agree("cross_distances of X, Y and those of Y, X, transposed", first[0], second[0].T, allowed)


@law(
    "moving_everything_changes_nothing",
    "Definition 1; Equation (9)",
    "Adding one vector to all points and centers changes neither gamma nor its gradients nor gamma_b nor D.",
    GEOMETRIC,
    strategies.whole_pair_cases(
        Spec(whole=(True,), pairs=(3, 1, 6), **UNSCALED),
        shift=st.sampled_from((100.0, 1e6, 1e9, 1e12)),
    ),
    any_of=True,
    weight=0.6,
)
@each_offered(GEOMETRIC)
def moving_everything_changes_nothing(checker: Checker, case: Case, function: str) -> None:
    shift = case["shift"]
    moved = case.but(**{name: case[name] + shift for name in ("X_i", "X_j", "centers")})
    if any((moved[name] - shift != case[name]).any() for name in ("X_i", "X_j", "centers")):
        return  # rounded, so that it is another question
    first = checker.ask_all(function, inputs_of(moved, function))
    second = checker.ask_all(function, inputs_of(case, function))
    allowed = checker.allowed(function, inputs_of(moved, function))
    for a, b, each in zip(first, second, allowed, strict=True):
        checker.agree(f"{function} after moving everything", a, b, each)


def turn(features: int) -> np.ndarray:
    """Five times a rotation with whole entries: 3, 4, 5 in the plane of the first and the last axis."""
    if features == 1:
        return np.array([[-5.0]])
    R = 5.0 * np.eye(features)
    R[0, 0], R[0, -1], R[-1, 0], R[-1, -1] = 3.0, -4.0, 4.0, 3.0
    return R


def turned(case: Case) -> Case:
    """The case turned and stretched by 5; exact for whole numbers. Lengths grow by 5, and the metrics' lengths by 25."""
    R = turn(case["X_i"].shape[1]).astype(case["X_i"].dtype)
    moved: dict[str, Any] = {name: case[name] @ R.T for name in ("X_i", "X_j", "centers")}
    return case.but(
        **moved,
        radii=case["radii"] * 5,
        local_metrics=R @ case["local_metrics"] @ R.T,
        background_metric=R @ case["background_metric"] @ R.T,
    )


@law(
    "turning_everything_changes_nothing",
    "Definition 1; Definition 3; Equation (9)",
    "Turning points, centers and metrics together changes no gamma and no D, and turns the gradients.",
    GEOMETRIC,
    strategies.whole_pair_cases(Spec(whole=(True,), metrics=WHOLE_METRICS, pairs=(2, 1, 5), **UNSCALED)),
    any_of=True,
    weight=0.6,
)
@each_offered(GEOMETRIC)
def turning_everything_changes_nothing(checker: Checker, case: Case, function: str) -> None:
    other = turned(case)
    first = checker.ask_all(function, inputs_of(other, function))
    second = checker.ask_all(function, inputs_of(case, function))
    allowed = checker.allowed(function, inputs_of(case, function))
    also = checker.allowed(function, inputs_of(other, function))
    if function == "ratio_gradients":
        R = turn(case["X_i"].shape[1])
        back = (first[0] @ R, first[1] * 5)
        for a, b, each, wider in zip(
            back, second, allowed, (_turned_widths(also[0], R), widths(also[1]) * 5), strict=True
        ):
            checker.agree("ratio_gradients after turning, turned back", a, b, each, (np.zeros_like(wider), wider))
        return
    factor = 25.0 if function in ("distances", "cross_distances") else 1.0
    wide = also[0][0] / factor, also[0][1] / factor
    checker.agree(f"{function} after turning everything", first[0] / factor, second[0], allowed[0], wide)


def _turned_widths(bracket: Bracket, R: np.ndarray) -> np.ndarray:
    """How wide a bracket of vectors is after a turn."""
    wide = widths(bracket)
    unbounded = np.isinf(wide).any(axis=-1, keepdims=True)
    return np.asarray(np.where(unbounded, np.inf, 0) + np.where(np.isinf(wide), 0, wide) @ abs(R))


@law(
    "scaling_everything_scales_the_distance",
    "Definition 1; Definition 3; Equation (9)",
    "When all lengths grow by one factor, from 1e-60 to 1e60, gamma and gamma_b stay, D grows by it, and the "
    "gradients of gamma "
    "shrink by it.",
    GEOMETRIC,
    strategies.whole_pair_cases(Spec(pairs=(3, 1), **UNSCALED), power=st.sampled_from((1.0, -1.0, 0.5, -0.5))),
    any_of=True,
    weight=0.6,
)
@each_offered(GEOMETRIC)
def scaling_everything_scales_the_distance(checker: Checker, case: Case, function: str) -> None:
    factor = 2.0 ** round(case["power"] * (checker.precision.scale_exponent - 2))
    grown = {name: case[name] * case[name].dtype.type(factor) for name in ("X_i", "X_j", "centers", "radii")}
    first = checker.ask_all(function, inputs_of(case.but(**grown), function))
    second = checker.ask_all(function, inputs_of(case, function))
    allowed = checker.allowed(function, inputs_of(case, function))
    expected = {"distances": factor, "cross_distances": factor, "ratio_gradients": 1 / factor}.get(function, 1.0)
    for a, b, each in zip(first, second, allowed, strict=True):
        checker.agree(f"{function} after scaling by {factor:.3g}, scaled back", a / expected, b, each)


REGIONAL = (
    "distances cross_distances exact_background_ratios intersection_ratios decision_values objective objective_gradient"
)


@law(
    "the_order_of_regions_does_not_matter",
    "Definition 2; Definition 7; Equation (9)",
    "Listing the regions in another order changes no value and reorders the gradients with them.",
    REGIONAL,
    strategies.everything_cases(Spec(regions=(3, 2, 6, 5), pairs=(2, 3), scales=(0,), shifts=(0.0,))),
    any_of=True,
    weight=0.8,
)
@each_offered(REGIONAL)
def the_order_of_regions_does_not_matter(checker: Checker, case: Case, function: str) -> None:
    order = np.roll(np.arange(len(case["radii"]))[::-1], 1)
    other = case.but(**{name: case[name][order] for name in ("centers", "radii", "local_metrics")})
    first, second = checker.ask_all(function, other.inputs), checker.ask_all(function, case.inputs)
    allowed = checker.allowed(function, case.inputs)
    for name, a, b, each in zip(FUNCTIONS[function].answers, first, second, allowed, strict=True):
        if name in ("centers", "radii", "local_metrics"):
            b, each = b[order], (each[0][order], each[1][order])
        elif function == "intersection_ratios":
            b, each = b[:, order], (each[0][:, order], each[1][:, order])
        checker.agree(f"{function} with the regions in another order: {name}", a, b, each)


# --- Geometry ---------------------------------------------------------------------------------------------------------


@law(
    "ratios_lie_between_0_and_1",
    "Definition 8",
    "gamma is at least 0 and at most 1, also where the arithmetic is worst.",
    "intersection_ratios",
    strategies.pair_cases(
        Spec(pairs=(40, 10), regions=(6, 3), balls=BALLS[7:], scales=(0, 8, -8, 20), shifts=(0.0, 1e3, 1e6))
    ),
)
def ratios_lie_between_0_and_1(checker: Checker, case: Case) -> None:
    got = checker.ask("intersection_ratios", case.inputs)
    checker.within("intersection_ratios: gamma", got, 0.0, 1.0)


@law(
    "a_larger_ball_holds_no_less_of_the_segment",
    "Definition 8; Table 2",
    "gamma does not fall when the radius grows.",
    "intersection_ratios",
    strategies.pair_cases(Spec(regions=(1, 2, 3), pairs=(2, 4))),
)
def a_larger_ball_holds_no_less_of_the_segment(checker: Checker, case: Case) -> None:
    steps = np.array([0.0, 1e-6, 0.01, 0.5, 0.9, 1.0, 1.0 + 1e-5, 1.1, 2.0, 5.0, 40.0], dtype=case["radii"].dtype)
    for s in range(len(case["radii"])):
        radii = np.sort(np.append(case["radii"][s] * steps, np.abs(case["centers"][s]).sum()))
        centers = np.repeat(case["centers"][s : s + 1], len(radii), axis=0)
        got = checker.ask("intersection_ratios", case.inputs, centers=centers, radii=radii)
        wide = widths(checker.allowed("intersection_ratios", case.inputs, centers=centers, radii=radii)[0])
        lower = got[:, :-1] - wide[:, :-1] - wide[:, 1:]
        checker.within("intersection_ratios with growing radii: gamma", got[:, 1:], lower, np.inf)


FAR = "distances exact_background_ratios cross_distances decision_values objective objective_gradient"


def _with_a_missed_region(case: Case) -> Case:
    """One more region, in front, that no segment between any two points of the case comes near."""
    names = ("X_i", "X_j", "X", "Y", "X_minus", "X_plus")
    everyone = np.concatenate([case[name] for name in names if name in case.inputs])
    middle = everyone.mean(axis=0)
    reach = np.abs(everyone - middle).sum(axis=1).max(initial=0.0) + 1
    features = everyone.shape[1]
    center = middle + 10 * reach * np.where(np.arange(features) == 0, 1, 0)
    dtype = everyone.dtype
    return case.but(
        centers=np.concatenate([center[None].astype(dtype), case["centers"]]),
        radii=np.concatenate([np.array([4 * reach], dtype=dtype), case["radii"]]),
        local_metrics=np.concatenate([9 * np.eye(features, dtype=dtype)[None], case["local_metrics"]]),
    )


@law(
    "a_missed_region_changes_nothing",
    "Table 2; Definition 6; Equation (9)",
    "A region that no segment meets changes no distance, no gamma_b, no f, and g only by its penalty.",
    FAR,
    strategies.everything_cases(Spec(regions=(1, 0, 2, 3), scales=(0,), shifts=(0.0,))),
    any_of=True,
    weight=0.7,
)
@each_offered(FAR)
def a_missed_region_changes_nothing(checker: Checker, case: Case, function: str) -> None:
    case = case.but(alpha=0.0)
    other = _with_a_missed_region(case)
    first, second = checker.ask_all(function, other.inputs), checker.ask_all(function, case.inputs)
    allowed = checker.allowed(function, case.inputs)
    for name, a, b, each in zip(FUNCTIONS[function].answers, first, second, allowed, strict=True):
        if name in ("centers", "radii", "local_metrics"):
            checker.within(f"{function}: {name} of the missed region", a[:1], 0.0, 0.0, calls=2)
            a = a[1:]
        checker.agree(f"{function} with a region more that is missed: {name}", a, b, each)


@law(
    "a_ball_around_both_points_gives_the_local_length",
    "Definition 3; Definition 6; Equation (2)",
    "When one ball holds both points and no other meets the segment, D is the local Mahalanobis length.",
    "distances",
    strategies.pair_cases(Spec(regions=(1,), balls=("large",), pairs=(4, 2), kinds=("free", "along an axis"))),
)
def a_ball_around_both_points_gives_the_local_length(checker: Checker, case: Case) -> None:
    everyone = np.concatenate([case["X_i"], case["X_j"]])
    center = everyone.mean(axis=0).astype(everyone.dtype)[None]
    radius = np.array([2 * np.abs(everyone - center).sum(axis=1).max()], dtype=everyone.dtype)
    inside = case.but(centers=center, radii=radius)
    alone = case.but(
        centers=center[:0],
        radii=radius[:0],
        local_metrics=case["local_metrics"][:0],
        background_metric=case["local_metrics"][0],
    )
    first, second = checker.ask("distances", inside.inputs), checker.ask("distances", alone.inputs)
    # Both brackets: a gamma a rounding below 1 leaves some of the background's length in the first.
    allowed, also = (checker.allowed("distances", each.inputs)[0] for each in (alone, inside))
    checker.agree("distances inside the ball, and with its metric everywhere", first, second, allowed, also)


@law(
    "without_a_background_only_the_regions_count",
    "Proposition 1; Definition 6; Equation (6)",
    "With M(B) = 0, D is the sum of gamma times the local Mahalanobis lengths.",
    "distances intersection_ratios",
    strategies.pair_cases(Spec(regions=(1, 2, 5), pairs=(3, 6), **UNSCALED)),
)
def without_a_background_only_the_regions_count(checker: Checker, case: Case) -> None:
    case = case.but(background_metric=np.zeros_like(case["background_metric"]))
    got = checker.ask("distances", case.inputs)
    gamma = checker.ask("intersection_ratios", case.inputs)
    allowed = checker.allowed("distances", case.inputs)[0]
    n = _lengths(checker, case, case["local_metrics"])
    checker.agree(
        "distances with M(B) = 0, and the sum of gamma times local lengths", got, (gamma * n).sum(axis=1), allowed
    )


def _lengths(checker: Checker, case: Case, metrics: np.ndarray) -> np.ndarray:
    """The Mahalanobis lengths of all pairs under all metrics."""
    d = case["X_j"].astype(np.longdouble) - case["X_i"]
    square = np.einsum("pf,sfg,pg->ps", d, metrics.astype(np.longdouble), d)
    return np.asarray(np.sqrt(np.maximum(square, 0)), dtype=np.float64)


@law(
    "equal_metrics_count_every_shared_part_again",
    "Equation (9); Definition 7",
    "When all metrics are equal, D is max(1, sum gamma) times the plain Mahalanobis length: equation (9) counts "
    "overlap once per region.",
    "distances intersection_ratios",
    strategies.pair_cases(
        Spec(regions=(3, 2, 4, 6), pairs=(3, 5), metrics=("full", "diagonal", "identity", "rank one"))
    ),
)
def equal_metrics_count_every_shared_part_again(checker: Checker, case: Case) -> None:
    M = case["background_metric"]
    case = case.but(local_metrics=np.repeat(M[None], len(case["radii"]), axis=0))
    got = checker.ask("distances", case.inputs)
    gamma = checker.ask("intersection_ratios", case.inputs)
    expected = np.maximum(1, gamma.sum(axis=1)) * _lengths(checker, case, M[None])[:, 0]
    allowed = checker.allowed("distances", case.inputs)[0]
    checker.agree("distances with equal metrics, and max(1, sum gamma) times the length", got, expected, allowed)


@law(
    "the_exact_background_is_no_smaller_than_the_approximation",
    "Section 3.2, gamma_b; Definition 5",
    "The exact gamma_b is at least max(1 - sum gamma, 0) and at most 1 minus the largest gamma.",
    "exact_background_ratios intersection_ratios",
    strategies.pair_cases(Spec(regions=(2, 3, 6), pairs=(8, 3), metrics=("identity",))),
)
def the_exact_background_is_no_smaller_than_the_approximation(checker: Checker, case: Case) -> None:
    gamma = checker.ask("intersection_ratios", case.inputs)
    got = checker.ask("exact_background_ratios", case.inputs)
    wide = widths(checker.allowed("intersection_ratios", case.inputs)[0])
    own = widths(checker.allowed("exact_background_ratios", case.inputs)[0]) + 4 * checker.precision.eps
    lower = np.maximum(1 - gamma.sum(axis=1) - wide.sum(axis=1), 0) - own
    upper = 1 - gamma.max(axis=1, initial=0.0) + wide.max(axis=1, initial=0.0) + own
    checker.within("exact_background_ratios: gamma_b", got, lower, upper, calls=2)


def _disjoint(case: Case) -> Case:
    """The case with radii made smaller until no two balls meet."""
    centers, radii = case["centers"].astype(np.float64), case["radii"].astype(np.float64)
    count = len(radii)
    for s in range(count):
        for t in range(s):
            gap = float(np.linalg.norm(centers[s] - centers[t])) * 0.999
            if radii[s] + radii[t] > gap:
                radii[s], radii[t] = (min(radii[s], gap / 2), min(radii[t], gap / 2))
    return case.but(radii=radii.astype(case["radii"].dtype))


@law(
    "disjoint_regions_share_the_segment_with_the_background",
    "Proposition 2; Equation (8); Equation (4)",
    "When no two regions meet, the exact gamma_b is 1 - sum gamma, and D adds up the pieces exactly.",
    "distances intersection_ratios exact_background_ratios",
    strategies.pair_cases(
        Spec(
            regions=(2, 3, 6), pairs=(3, 6), balls=("free", "within the segment", "around the start", "around the end")
        )
    ),
)
def disjoint_regions_share_the_segment_with_the_background(checker: Checker, case: Case) -> None:
    case = _disjoint(case)
    gamma = checker.ask("intersection_ratios", case.inputs)
    exact = checker.ask("exact_background_ratios", case.inputs)
    D = checker.ask("distances", case.inputs)
    wide = widths(checker.allowed("intersection_ratios", case.inputs)[0]).sum(axis=1) + 8 * checker.precision.eps
    rest = 1 - gamma.sum(axis=1)
    checker.within("exact_background_ratios of disjoint regions", exact, rest - 2 * wide, rest + 2 * wide, calls=3)
    n_B = _lengths(checker, case, case["background_metric"][None])[:, 0]
    pieces = exact * n_B + (gamma * _lengths(checker, case, case["local_metrics"])).sum(axis=1)
    allowed = checker.allowed("distances", case.inputs)[0]
    slack = 2 * wide * n_B
    checker.agree(
        "distances of disjoint regions, and the sum of their pieces", D, pieces, allowed, (0 * slack, slack), calls=3
    )


@law(
    "splitting_a_segment_adds_up",
    "Definition 5; Definition 7; Equation (5)",
    "Split at a point inside, the lengths in each ball and in the exact background add up; D adds up too where no "
    "regions overlap (the approximate gamma_b spoils it elsewhere).",
    "intersection_ratios exact_background_ratios distances",
    strategies.whole_pair_cases(
        Spec(whole=(True,), pairs=(3, 2), regions=(1, 2, 3), kinds=("free", "along an axis"), **UNSCALED),
        at=st.sampled_from((0.5, 0.25, 0.75)),
    ),
    any_of=True,
)
def splitting_a_segment_adds_up(checker: Checker, case: Case) -> None:
    t = case["at"]
    x_i, x_j = case["X_i"], case["X_j"]
    z = (x_i + t * (x_j - x_i)).astype(x_i.dtype)
    for function in ("intersection_ratios", "exact_background_ratios", "distances"):
        if not checker.offers(function):
            continue
        whole = _disjoint(case) if function == "distances" else case
        shares = (1.0, 1.0) if function == "distances" else (t, 1 - t)
        parts = [whole.inputs, {**whole.inputs, "X_j": z}, {**whole.inputs, "X_i": z}]
        total, first, second = (checker.ask(function, each) for each in parts)
        wide = [widths(checker.allowed(function, each)[0]) for each in parts]
        slack = wide[1] * shares[0] + wide[2] * shares[1]
        checker.agree(
            f"{function} of the whole and of its two parts", total, first * shares[0] + second * shares[1],
            (0 * slack, wide[0]), (0 * slack, slack), calls=3,
        )  # fmt: skip


# --- Continuity -------------------------------------------------------------------------------------------------------


def _modulus(e: np.ndarray, case: Case) -> np.ndarray:
    """How far D may move when an end point moves by e: the theorem in place of Lemma 1."""
    local = np.sqrt(np.maximum(np.linalg.eigvalsh(case["local_metrics"].astype(np.float64)), 0)).max(
        axis=1, initial=0.0
    )
    background = float(np.sqrt(max(np.linalg.eigvalsh(case["background_metric"].astype(np.float64)).max(), 0)))
    r = case["radii"].astype(np.float64)[None, :]
    shell = np.maximum(r - e[:, None], 0)
    tau = 2 * np.sqrt(np.maximum((r - shell) * (r + shell), 0))
    return np.asarray(max(background, float(local.sum())) * e + (np.maximum(local, background) * tau).sum(axis=1))


def _neighbors(case: Case) -> np.ndarray:
    """A point close to each X_i, at distances from 1e-9 to 1 times the length of the pair."""
    d = case["X_j"] - case["X_i"]
    length = np.linalg.norm(d.astype(np.float64), axis=1)[:, None]
    powers = 10.0 ** -(np.arange(len(d)) % 10)[:, None].astype(np.float64)
    across = np.roll(d, 1, axis=1) * np.where(np.arange(d.shape[1]) % 2, 1, -1)
    return np.asarray((case["X_i"] + across * powers + 0 * length).astype(case["X_i"].dtype))


TANGENTIAL = Spec(
    balls=("tangent", "through an end point", "almost tangent", "tangent", "free", "within the segment"),
    kinds=("along an axis", "free"),
    pairs=(10, 5),
    metrics=("zero", "full", "identity", "diagonal"),
    **UNSCALED,
)


@law(
    "distances_are_continuous",
    "Lemma 1; Definition 9",
    "When an end point moves by e, D moves by no more than Lambda e + sum kappa tau(e), the theorem in place of "
    "Lemma 1.",
    "distances",
    strategies.pair_cases(TANGENTIAL),
)
def distances_are_continuous(checker: Checker, case: Case) -> None:
    moved = case.but(X_i=_neighbors(case))
    first, second = checker.ask("distances", case.inputs), checker.ask("distances", moved.inputs)
    e = np.linalg.norm((moved["X_i"].astype(np.longdouble) - case["X_i"]).astype(np.float64), axis=1)
    slack = widths(checker.allowed("distances", case.inputs)[0]) + widths(checker.allowed("distances", moved.inputs)[0])
    bound = _modulus(e, case) * (1 + 64 * checker.precision.eps) + slack
    checker.within("distances after x_i moved", second, first - bound, first + bound, calls=2)


@law(
    "decision_values_are_continuous",
    "Lemma 1; Definition 9; Proposition 3; Proposition 4",
    "When x moves by e, f moves by no more than twice Lambda e + sum kappa tau(e).",
    "decision_values",
    strategies.pair_cases(TANGENTIAL),
)
def decision_values_are_continuous(checker: Checker, case: Case) -> None:
    half = max(1, len(case["X_j"]) // 2)
    sets = {"X_minus": case["X_j"][:half], "X_plus": case["X_j"][-half:], "K": max(1, half // 2)}
    here, there = case["X_i"], _neighbors(case)
    inputs = {**case.inputs, **sets}
    first, second = checker.ask("decision_values", inputs, X=here), checker.ask("decision_values", inputs, X=there)
    e = np.linalg.norm((there.astype(np.longdouble) - here).astype(np.float64), axis=1)
    slack = widths(checker.allowed("decision_values", inputs, X=here)[0])
    slack = slack + widths(checker.allowed("decision_values", inputs, X=there)[0])
    bound = 2 * _modulus(e, case) * (1 + 64 * checker.precision.eps) + slack
    checker.within("decision_values after x moved", second, first - bound, first + bound, calls=2)


# --- Classifier -------------------------------------------------------------------------------------------------------


@law(
    "decision_values_move_no_more_than_their_distances",
    "Proposition 3; Proposition 4; Equation (10)",
    "Between two points, f changes by no more than the largest change of a distance in one class plus that in the "
    "other.",
    "decision_values cross_distances",
    strategies.decision_cases(Spec(pairs=(2, 4), regions=(1, 2, 3), **UNSCALED), neighbors=(8, 11, 16), more=2),
    weight=0.6,
)
def decision_values_move_no_more_than_their_distances(checker: Checker, case: Case) -> None:
    f = checker.ask("decision_values", case.inputs)
    slack = widths(checker.allowed("decision_values", case.inputs)[0])
    bound: Any = 2 * slack.max(initial=0.0)
    for name in ("X_minus", "X_plus"):
        D = checker.ask("cross_distances", case.inputs, Y=case[name])
        wide = widths(checker.allowed("cross_distances", case.inputs, Y=case[name])[0]).max(initial=0.0)
        bound = bound + np.abs(D[:, None] - D[None, :]).max(axis=2) + 2 * wide
    checker.within("differences of decision_values", f[:, None] - f[None, :], -bound, bound, calls=3)


@law(
    "decision_values_follow_from_the_distances",
    "Equation (10)",
    "f is what the subject's own cross distances give: mean of the K smallest to X_minus, minus that to X_plus.",
    "decision_values cross_distances",
    strategies.decision_cases(Spec(pairs=(12, 5), regions=(2, 1, 4), **UNSCALED), neighbors=(7, 10, 20), more=25),
    weight=0.6,
)
def decision_values_follow_from_the_distances(checker: Checker, case: Case) -> None:
    K = case["K"]
    f = checker.ask("decision_values", case.inputs)
    means = []
    for name in ("X_minus", "X_plus"):
        D = checker.ask("cross_distances", case.inputs, Y=case[name])
        means.append(np.sort(D, axis=1)[:, :K].sum(axis=1) / K)
    allowed = checker.allowed("decision_values", case.inputs)[0]
    checker.agree("decision_values, and f from the cross distances", f, means[0] - means[1], allowed, calls=3)


@law(
    "swapping_the_classes_flips_the_sign",
    "Equation (10); Section 4.1, 1-NN",
    "Exchanging X_minus and X_plus changes the sign of f and nothing else.",
    "decision_values",
    strategies.decision_cases(Spec(pairs=(6, 3)), neighbors=(1, 4, 6), more=4),
    weight=0.8,
)
def swapping_the_classes_flips_the_sign(checker: Checker, case: Case) -> None:
    first = checker.ask("decision_values", case.inputs)
    second = checker.ask("decision_values", case.inputs, X_minus=case["X_plus"], X_plus=case["X_minus"])
    allowed = checker.allowed("decision_values", case.inputs)[0]
    checker.agree("decision_values, and minus those with the classes exchanged", first, -second, allowed)


# --- Objective, gradient and descent ----------------------------------------------------------------------------------


@law(
    "the_objective_averages_over_its_pairs",
    "Section 5.2, objective g; Equation (12)",
    "g does not change when pairs are listed in another order, turned round, or when a whole list is repeated.",
    "objective",
    strategies.objective_cases(numbers=(4, 3, 7, 12)),
)
def the_objective_averages_over_its_pairs(checker: Checker, case: Case) -> None:
    similar, dissimilar = case["similar"], case["dissimilar"]
    other = case.but(
        similar=np.concatenate([similar[::-1, ::-1], similar]),
        dissimilar=np.concatenate([np.roll(dissimilar, 1, axis=0)] + [dissimilar[:, ::-1]] * 2),
    )
    first, second = checker.ask("objective", other.inputs), checker.ask("objective", case.inputs)
    checker.agree(
        "objective with the same pairs listed otherwise", first, second, checker.allowed("objective", case.inputs)[0]
    )


@law(
    "the_objective_follows_from_the_distances",
    "Section 5.2, objective g; Equation (12)",
    "g is what the subject's own distances give: the mean hinges plus the penalty.",
    "objective distances",
    strategies.objective_cases(numbers=(30, 41, 64, 90)),
    weight=0.6,
)
def the_objective_follows_from_the_distances(checker: Checker, case: Case) -> None:
    g = checker.ask("objective", case.inputs)
    expected = float(case["alpha"]) * float(
        np.linalg.norm(case["local_metrics"].astype(np.float64), axis=(1, 2)).sum()
        + np.linalg.norm(case["background_metric"].astype(np.float64))
    )
    for name, sign in (("similar", 1.0), ("dissimilar", -1.0)):
        if len(case[name]) == 0:
            continue
        i, j = case[name].T
        D = checker.ask("distances", case.inputs, X_i=case["X"][i], X_j=case["X"][j])
        expected += float(np.maximum(sign * (D - 1 + sign * case["C"]), 0).mean())
    allowed = checker.allowed("objective", case.inputs)[0]
    checker.agree("objective, and g from the distances", g, np.asarray(expected), allowed, calls=3)


@law(
    "ratio_gradients_agree_with_differences",
    "Table 3; Definition 8",
    "Where they hardly change, the gradients of gamma are the differences of gamma divided by a small step.",
    "ratio_gradients intersection_ratios",
    strategies.pair_cases(
        Spec(balls=TAME.balls, kinds=("free",), metrics=("identity",), pairs=(6, 3), regions=(2, 1, 5), **UNSCALED)
    ),
)
def ratio_gradients_agree_with_differences(checker: Checker, case: Case) -> None:
    step = 1e-5 if checker.precision.name == "float64" else 1e-2
    for axis in range(-1, min(case["X_i"].shape[1], 3)):
        ends = [_displaced(case, axis, -step), _displaced(case, axis, step)]
        slope = _along(checker.ask_all("ratio_gradients", case.inputs), axis)
        gamma = [checker.ask("intersection_ratios", end.inputs) for end in ends]
        key = "radii" if axis < 0 else "centers"
        moved = ends[1][key].astype(np.float64) - ends[0][key]
        moved = moved if axis < 0 else moved[:, axis]
        lows, highs = zip(*checker.allowed("ratio_gradients", case.inputs), strict=True)
        true = _along(lows, axis), _along(highs, axis)
        allowed = [checker.allowed("intersection_ratios", end.inputs)[0] for end in ends]
        with np.errstate(all="ignore"):
            slack = (widths(allowed[0]) + widths(allowed[1]) + 16 * checker.precision.eps) / moved + widths(true)
            steady = _steady(sum(true) / 2, (sum(allowed[1]) - sum(allowed[0])) / 2 / moved, slack) & (moved > 0)
            quotient = np.where(steady, (gamma[1] - gamma[0]) / moved, 0)
            slack = slack + 0.05 * np.abs(sum(true) / 2)
        lower, upper = np.where(steady, slope - slack, -np.inf), np.where(steady, slope + slack, np.inf)
        checker.within(f"differences of gamma in the {key}", quotient, lower, upper, calls=3)


def _steady(slope: Any, quotient: Any, slack: Any) -> Any:
    """Whether the true slope is the true quotient to 1 %: else the step leads over a kink, or the slope changes too fast."""
    return np.isfinite(slope) & np.isfinite(slack) & (np.abs(quotient - slope) <= 0.01 * np.abs(slope) + slack)


def _along(gradients: Any, axis: int) -> np.ndarray:
    """The derivative in the radius (axis -1) or in one coordinate of the center."""
    return np.asarray(gradients[1] if axis < 0 else gradients[0][:, :, axis])


def _displaced(case: Case, axis: int, step: float) -> Case:
    """The case with all radii (axis -1) or all centers along an axis moved by a relative step."""
    if axis < 0:
        return case.but(radii=(case["radii"] * (1 + step)).astype(case["radii"].dtype))
    centers = case["centers"].copy()
    centers[:, axis] += (case["radii"] * step).astype(centers.dtype)
    return case.but(centers=centers)


SMOOTH = Spec(
    balls=TAME.balls,
    kinds=("free",),
    metrics=TAME_METRICS[:1],
    pairs=(3, 2),
    regions=(1, 2, 3),
    scales=(0,),
    shifts=(0.0,),
    whole=(False,),
)


@law(
    "the_gradient_agrees_with_differences_of_the_objective",
    "Section 5.2, gradient of g; Section 5.2, objective g",
    "Where it hardly changes, the gradient along a direction is the subject's own difference of g divided by a "
    "small step.",
    "objective_gradient objective",
    strategies.objective_cases(SMOOTH, numbers=(3, 1, 6, 20)),
    weight=0.5,
)
def the_gradient_agrees_with_differences_of_the_objective(checker: Checker, case: Case) -> None:
    step = 1e-6 if checker.precision.name == "float64" else 1e-2
    for block, name in enumerate(PARAMETERS):
        if case[name].size == 0:
            continue
        direction = _direction(case, block)
        ends = [case.but(**{name: (case[name] + sign * step * direction).astype(case[name].dtype)}) for sign in (-1, 1)]
        path = (ends[1][name].astype(np.float64) - ends[0][name]) / 2
        slope = float((checker.ask_all("objective_gradient", case.inputs)[block] * path).sum())
        g = [float(checker.ask("objective", end.inputs)) for end in ends]
        low, high = (end * path for end in checker.allowed("objective_gradient", case.inputs)[block])
        true = float((low + high).sum()) / 2
        allowed = [checker.allowed("objective", end.inputs)[0] for end in ends]
        rounding = float(widths(allowed[0]) + widths(allowed[1]))
        slack = rounding + float(np.abs(high - low).sum())
        half = float(sum(allowed[1]) - sum(allowed[0])) / 4
        if not _steady(true, half, slack) or rounding > 0.05 * abs(true):
            continue
        slack += 0.05 * abs(true)
        checker.within(
            f"half the difference of g along the {name}", (g[1] - g[0]) / 2, slope - slack, slope + slack, calls=3
        )


def _direction(case: Case, block: int) -> np.ndarray:
    """A fixed direction in the shape of a parameter: as long as the radii, or half as long as would leave the cone."""
    parameter = case[PARAMETERS[block]].astype(np.float64)
    numbers = np.cos(1.0 + np.arange(parameter.size)).reshape(parameter.shape)
    if block < 2:
        radii = case["radii"].astype(np.float64)
        return np.asarray(numbers * (radii[:, None] if block == 0 else radii))
    numbers = numbers + np.swapaxes(numbers, -1, -2)
    smallest = np.linalg.eigvalsh(parameter)[..., 0]
    return np.asarray(numbers * (smallest / np.abs(numbers).sum(axis=(-2, -1)))[..., None, None])


STEPS = Spec(
    balls=OBJECTIVE.balls, pairs=(3, 2, 5), features=(3, 2, 5, 8, 1), regions=(2, 1, 4), scales=(0,), shifts=(0.0,)
)


@law(
    "a_descent_step_stays_in_the_cone",
    "Section 5.2, gradient descent; Equation (12)",
    "After a step, however long, every metric is symmetric positive semi-definite and every radius at least 0.",
    "descent_step",
    strategies.objective_cases(STEPS, rates=(1.0, 5.0, 60.0, 1e3)),
)
def a_descent_step_stays_in_the_cone(checker: Checker, case: Case) -> None:
    _, radii, local, background = checker.ask_all("descent_step", case.inputs)
    checker.within("descent_step: radii", radii, 0.0, np.inf)
    slope = checker.allowed("objective_gradient", case.inputs)
    for name, got, before, (low, high) in (
        ("local_metrics", local, case["local_metrics"], slope[2]),
        ("background_metric", background[None], case["background_metric"][None], tuple(end[None] for end in slope[3])),
    ):
        size = np.abs(before).sum(axis=(1, 2)) + case["beta"] * np.maximum(np.abs(low), np.abs(high)).sum(axis=(1, 2))
        slack = (
            (got.shape[-1] * 4 + 16)
            * checker.precision.eps
            * np.where(np.isfinite(size), size, np.abs(got).sum(axis=(1, 2)))
        )
        if not np.isfinite(got).all():
            raise Violation(f"descent_step returned infinite {name}", checker.calls[-1:])
        skew = np.abs(got - np.swapaxes(got, 1, 2)).max(axis=(1, 2), initial=0.0)
        checker.within(f"descent_step: asymmetry of {name}", skew, 0.0, slack)
        smallest = np.linalg.eigvalsh((got + np.swapaxes(got, 1, 2)) / 2)[:, 0] if got.size else np.zeros(0)
        checker.within(f"descent_step: smallest eigenvalue of {name}", smallest, -slack, np.inf)


@law(
    "the_descent_step_follows_from_the_gradient",
    "Section 5.2, gradient descent",
    "The step is what the subject's own gradient gives: Theta - beta times it, projected.",
    "descent_step objective_gradient",
    strategies.objective_cases(STEPS, numbers=(12, 20), rates=(0.5, 0.05, 3.0, 0.0)),
    weight=0.8,
)
def the_descent_step_follows_from_the_gradient(checker: Checker, case: Case) -> None:
    slopes = checker.ask_all("objective_gradient", case.inputs)
    after = checker.ask_all("descent_step", case.inputs)
    eps, beta = checker.precision.eps, case["beta"]
    if not all(np.isfinite(slope).all() for slope in slopes):
        return
    allowed = checker.allowed("objective_gradient", case.inputs)  # on a kink the step may have chosen otherwise
    for block, name in enumerate(PARAMETERS):
        before = case[name].astype(np.float64)
        expected = before - beta * slopes[block]
        other = beta * widths(allowed[block]) if beta > 0 else np.zeros_like(before)
        slack = 64 * eps * (np.abs(before) + np.abs(beta * slopes[block])) + other
        if block == 1:
            expected = np.maximum(expected, 0)
        if block > 1:
            expected = brackets.projected(expected)
            size = (before**2).sum(axis=(-2, -1)) ** 0.5 + beta * (slopes[block] ** 2).sum(axis=(-2, -1)) ** 0.5
            size = (8 * before.shape[-1] + 64) * eps * size + (other**2).sum(axis=(-2, -1)) ** 0.5
            slack = size[..., None, None]
        checker.within(f"descent_step: {name}", after[block], expected - slack, expected + slack, calls=2)
