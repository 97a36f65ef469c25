"""Geometry: balls that grow, hold the segment, are missed or apart; segments of length zero, or
split in two.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle.inputs import random_cases
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import BALLS, UNSCALED, Spec, inputs_of
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws.checker import Checker, widths
from lmlir.oracle.laws.law import law


@law(
    "Definition 8",
    "intersection_ratios",
    random_cases.pair_cases(
        Spec(
            pairs=(40, 10),
            regions=(6, 3, 4),
            balls=BALLS[7:],
            scales=(0, 8, -8, 20),
            shifts=(0.0, 1e3, 1e6),
            rows=40,
        )
    ),
)
def ratios_lie_between_0_and_1(checker: Checker, case: Case) -> None:
    """gamma is at least 0 and at most 1, also where the arithmetic is worst."""
    got = checker.ask("intersection_ratios", case.inputs)
    checker.within("intersection_ratios: gamma", got, 0.0, 1.0)


@law(
    "Definition 8; Table 2",
    "intersection_ratios",
    random_cases.pair_cases(Spec(regions=(1, 2, 3), pairs=(2, 4), first=2)),
)
def ratios_do_not_fall_when_the_radius_grows(checker: Checker, case: Case) -> None:
    """gamma does not fall when the radius grows."""
    steps = np.array(
        [0.0, 1e-6, 0.01, 0.5, 0.9, 1.0, 1.0 + 1e-5, 1.1, 2.0, 5.0, 40.0], dtype=case["radii"].dtype
    )
    for s in range(len(case["radii"])):
        radii = np.sort(np.append(case["radii"][s] * steps, np.abs(case["centers"][s]).sum()))
        centers = np.repeat(case["centers"][s : s + 1], len(radii), axis=0)
        got = checker.ask("intersection_ratios", case.inputs, centers=centers, radii=radii)
        wide = widths(
            checker.allowed("intersection_ratios", case.inputs, centers=centers, radii=radii)[0]
        )
        lower = got[:, :-1] - wide[:, :-1] - wide[:, 1:]
        checker.within("intersection_ratios with growing radii: gamma", got[:, 1:], lower, np.inf)


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
        local_metrics=np.concatenate(
            [9 * np.eye(features, dtype=dtype)[None], case["local_metrics"]]
        ),
    )


@law(
    "Definition 5; Definition 6; Equation (9); Equation (10); Section 5.2, objective g; Section "
    "5.2, gradient of g",
    "distances exact_background_ratios cross_distances decision_values objective "
    "objective_gradient",
    random_cases.everything_cases(Spec(regions=(1, 0, 2, 3), first=3, **UNSCALED)),
    each=True,
    weight=0.7,
)
def a_missed_region_changes_nothing(checker: Checker, case: Case, function: str) -> None:
    """A region that no segment meets changes no distance, no gamma_b, no f, and g only by its
    penalty.
    """
    case = case.but(alpha=0.0)
    other = _with_a_missed_region(case)
    first = checker.ask_all(function, other.inputs)
    second = checker.ask_all(function, case.inputs)
    allowed = checker.allowed(function, case.inputs)
    for name, a, b, each in zip(FUNCTIONS[function].answers, first, second, allowed, strict=True):
        if name in ("centers", "radii", "local_metrics"):
            checker.within(f"{function}: {name} of the missed region", a[:1], 0.0, 0.0, calls=2)
            a = a[1:]
        checker.agree(f"{function} with a region more that is missed: {name}", a, b, each)


@law(
    "Definition 3; Definition 6; Equation (2)",
    "distances",
    random_cases.pair_cases(
        Spec(regions=(1,), balls=("large",), pairs=(4, 2), kinds=("free", "along an axis"))
    ),
)
def a_ball_around_both_points_gives_the_local_length(checker: Checker, case: Case) -> None:
    """When one ball holds both points and no other meets the segment, D is the local Mahalanobis
    length.
    """
    everyone = np.concatenate([case["X_i"], case["X_j"]])
    if not len(everyone):
        return
    center = everyone.mean(axis=0).astype(everyone.dtype)[None]
    radius = np.array([2 * np.abs(everyone - center).sum(axis=1).max()], dtype=everyone.dtype)
    inside = case.but(centers=center, radii=radius)
    alone = case.but(
        centers=center[:0],
        radii=radius[:0],
        local_metrics=case["local_metrics"][:0],
        background_metric=case["local_metrics"][0],
    )
    first = checker.ask("distances", inside.inputs)
    second = checker.ask("distances", alone.inputs)
    # Both brackets: a gamma a rounding below 1 leaves some of the background's length in the first.
    allowed, also = (checker.allowed("distances", each.inputs)[0] for each in (alone, inside))
    checker.agree(
        "distances inside the ball, and with its metric everywhere", first, second, allowed, also
    )


@law(
    "Proposition 1; Definition 6; Equation (6)",
    "distances intersection_ratios",
    random_cases.pair_cases(Spec(regions=(1, 2, 5), pairs=(3, 6), **UNSCALED)),
)
def without_a_background_only_the_regions_count(checker: Checker, case: Case) -> None:
    """With M(B) = 0, D is the sum of gamma times the local Mahalanobis lengths."""
    case = case.but(background_metric=np.zeros_like(case["background_metric"]))
    got = checker.ask("distances", case.inputs)
    gamma = checker.ask("intersection_ratios", case.inputs)
    allowed = checker.allowed("distances", case.inputs)[0]
    n = lengths_of(case, case["local_metrics"])
    checker.agree(
        "distances with M(B) = 0, and the sum of gamma times local lengths",
        got,
        (gamma * n).sum(axis=1),
        allowed,
    )


def lengths_of(case: Case, metrics: np.ndarray) -> np.ndarray:
    """The Mahalanobis lengths of all pairs under all metrics."""
    d = case["X_j"].astype(np.longdouble) - case["X_i"]
    square = np.einsum("pf,sfg,pg->ps", d, metrics.astype(np.longdouble), d)
    return np.asarray(np.sqrt(np.maximum(square, 0)), dtype=np.float64)


@law(
    "Equation (9); Definition 7",
    "distances intersection_ratios",
    random_cases.pair_cases(
        Spec(
            regions=(3, 2, 4, 6), pairs=(3, 5), metrics=("full", "diagonal", "identity", "rank one")
        )
    ),
)
def equal_metrics_count_overlap_once_per_region(checker: Checker, case: Case) -> None:
    """When all metrics are equal, D is max(1, sum gamma) times the plain Mahalanobis length:
    equation (9) counts overlap once per region.
    """
    M = case["background_metric"]
    case = case.but(local_metrics=np.repeat(M[None], len(case["radii"]), axis=0))
    got = checker.ask("distances", case.inputs)
    gamma = checker.ask("intersection_ratios", case.inputs)
    expected = np.maximum(1, gamma.sum(axis=1)) * lengths_of(case, M[None])[:, 0]
    allowed = checker.allowed("distances", case.inputs)[0]
    checker.agree(
        "distances with equal metrics, and max(1, sum gamma) times the length",
        got,
        expected,
        allowed,
    )


@law(
    "Section 3.2, gamma_b; Definition 5",
    "exact_background_ratios intersection_ratios",
    random_cases.pair_cases(Spec(regions=(2, 3, 6), pairs=(8, 3), metrics=("identity",))),
)
def exact_background_is_at_least_the_approximation(checker: Checker, case: Case) -> None:
    """The exact gamma_b is at least max(1 - sum gamma, 0) and at most 1 minus the largest gamma."""
    gamma = checker.ask("intersection_ratios", case.inputs)
    got = checker.ask("exact_background_ratios", case.inputs)
    wide = widths(checker.allowed("intersection_ratios", case.inputs)[0])
    own = (
        widths(checker.allowed("exact_background_ratios", case.inputs)[0])
        + 4 * checker.precision.eps
    )
    lower = np.maximum(1 - gamma.sum(axis=1) - wide.sum(axis=1), 0) - own
    upper = 1 - gamma.max(axis=1, initial=0.0) + wide.max(axis=1, initial=0.0) + own
    checker.within("exact_background_ratios: gamma_b", got, lower, upper, calls=2)


def _disjoint(case: Case) -> Case:
    """The case with radii made smaller until no two balls meet."""
    centers = case["centers"].astype(np.float64)
    radii = case["radii"].astype(np.float64)
    count = len(radii)
    for s in range(count):
        for t in range(s):
            gap = float(np.linalg.norm(centers[s] - centers[t])) * 0.999
            if radii[s] + radii[t] > gap:
                radii[s], radii[t] = (min(radii[s], gap / 2), min(radii[t], gap / 2))
    return case.but(radii=radii.astype(case["radii"].dtype))


@law(
    "Proposition 2; Equation (8); Equation (4)",
    "distances intersection_ratios exact_background_ratios",
    random_cases.pair_cases(
        Spec(
            regions=(2, 3, 6),
            pairs=(3, 6),
            balls=("free", "within the segment", "around the start", "around the end"),
        )
    ),
)
def disjoint_regions_share_the_segment_with_the_background(checker: Checker, case: Case) -> None:
    """When no two regions meet, the exact gamma_b is 1 - sum gamma, and D adds up the pieces
    exactly.
    """
    case = _disjoint(case)
    gamma = checker.ask("intersection_ratios", case.inputs)
    exact = checker.ask("exact_background_ratios", case.inputs)
    D = checker.ask("distances", case.inputs)
    wide = (
        widths(checker.allowed("intersection_ratios", case.inputs)[0]).sum(axis=1)
        + 8 * checker.precision.eps
    )
    rest = 1 - gamma.sum(axis=1)
    checker.within(
        "exact_background_ratios of disjoint regions",
        exact,
        rest - 2 * wide,
        rest + 2 * wide,
        calls=3,
    )
    n_B = lengths_of(case, case["background_metric"][None])[:, 0]
    pieces = exact * n_B + (gamma * lengths_of(case, case["local_metrics"])).sum(axis=1)
    allowed = checker.allowed("distances", case.inputs)[0]
    slack = 2 * wide * n_B
    checker.agree(
        "distances of disjoint regions, and the sum of their pieces",
        D,
        pieces,
        allowed,
        (0 * slack, slack),
        calls=3,
    )


@law(
    "Definition 5; Definition 7; Definition 8; Equation (5)",
    "intersection_ratios exact_background_ratios distances",
    random_cases.whole_pair_cases(
        Spec(
            whole=(True,),
            pairs=(3, 2),
            regions=(1, 2, 3),
            kinds=("free", "along an axis"),
            **UNSCALED,
        ),
        at=st.sampled_from((0.5, 0.25, 0.75)),
    ),
    each=True,
)
def splitting_a_segment_adds_up(checker: Checker, case: Case, function: str) -> None:
    """Split at a point inside, the lengths in each ball and in the exact background add up; D adds
    up too where no regions overlap (the approximate gamma_b spoils it elsewhere).
    """
    t = case["at"]
    z = (case["X_i"] + t * (case["X_j"] - case["X_i"])).astype(case["X_i"].dtype)
    whole, shares = (_disjoint(case), (1.0, 1.0)) if function == "distances" else (case, (t, 1 - t))
    parts = [whole.inputs, {**whole.inputs, "X_j": z}, {**whole.inputs, "X_i": z}]
    total, first, second = (checker.ask(function, each) for each in parts)
    wide = [widths(checker.allowed(function, each)[0]) for each in parts]
    slack = wide[0] + wide[1] * shares[0] + wide[2] * shares[1]
    expected = first * shares[0] + second * shares[1]
    name = f"{function} of the whole and of its two parts"
    checker.within(name, total, expected - slack, expected + slack, calls=3)


@law(
    "Definition 7; Definition 8; Table 2; Table 3",
    "distances intersection_ratios ratio_gradients cross_distances",
    random_cases.pair_cases(Spec(pairs=(4, 2))),
    each=True,
)
def equal_points_are_at_distance_zero(checker: Checker, case: Case, function: str) -> None:
    """For x_i = x_j gamma, its gradients and D are 0, wherever the point lies."""
    answers = checker.ask_all(function, inputs_of(case.but(X_j=case["X_i"]), function))
    for name, got in zip(FUNCTIONS[function].answers, answers, strict=True):
        got = np.diagonal(got) if function == "cross_distances" else got
        checker.within(f"{function} of equal points: {name}", got, 0.0, 0.0)
