"""Geometry: balls that grow, hold the segment, are missed or apart; segments of length zero, or
split in two.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.random_cases import (
    BALLS,
    UNSCALED,
    Spec,
    everything_cases,
    inputs_of,
    pair_cases,
    whole_pair_cases,
)
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.laws.law import law


@law(
    "Definition 8",
    "intersection_ratios",
    pair_cases(
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
    got = checker.ask("intersection_ratios", case)
    checker.within("intersection_ratios: gamma", got, 0.0, 1.0)


# factors of a radius
GROWTH = (0.0, 1e-6, 0.01, 0.5, 0.9, 1.0, 1.0 + 1e-5, 1.1, 2.0, 5.0, 40.0)


@law(
    "Definition 8; Table 2",
    "intersection_ratios",
    pair_cases(
        Spec(
            regions=(1, 2, 3),
            pairs=(2, 4),
            first=2,
        )
    ),
)
def ratios_do_not_fall_when_the_radius_grows(checker: Checker, case: Case) -> None:
    """gamma does not fall when the radius grows."""
    factors = np.array(GROWTH, dtype=case["radii"].dtype)
    for center, radius in zip(case["centers"], case["radii"], strict=True):
        radii = np.sort(np.append(radius * factors, np.abs(center).sum()))
        centers = np.repeat(center[None], len(radii), axis=0)
        grown = case.but(centers=centers, radii=radii)
        gamma = checker.ask("intersection_ratios", grown)
        slack = checker.slack("intersection_ratios", grown)
        checker.within(
            "intersection_ratios with growing radii: gamma",
            gamma[:, 1:],
            gamma[:, :-1] - slack[:, :-1] - slack[:, 1:],
            np.inf,
        )


def _with_a_missed_region(case: Case) -> Case:
    """One more region, in front, that no segment between any two points of the case comes near."""
    names = ("X_i", "X_j", "X", "Y", "X_minus", "X_plus")
    points = np.concatenate([case[name] for name in names if name in case.inputs])
    identity = np.eye(points.shape[1])
    middle = points.mean(axis=0)
    reach = np.abs(points - middle).sum(axis=1).max(initial=0.0) + 1

    center = middle + 10 * reach * identity[0]
    region = {"centers": center, "radii": 4 * reach, "local_metrics": 9 * identity}
    lists = {}
    for name, value in region.items():
        first = np.array([value], dtype=points.dtype)
        lists[name] = np.concatenate([first, case[name]])
    return case.but(**lists)


@law(
    "Definition 5; Definition 6; Equation (9); Equation (10); Section 5.2, objective g; Section "
    "5.2, gradient of g",
    "distances exact_background_ratios cross_distances decision_values objective "
    "objective_gradient",
    everything_cases(
        Spec(
            regions=(1, 0, 2, 3),
            first=3,
            **UNSCALED,
        )
    ),
    each=True,
    weight=0.7,
)
def a_missed_region_changes_nothing(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """A region that no segment meets changes no distance, no gamma_b, no f, and g only by its
    penalty.
    """
    case = case.but(alpha=0.0)
    other = _with_a_missed_region(case)
    first = checker.ask_all(function, other)
    second = checker.ask_all(function, case)
    allowed = checker.allowed(function, case)
    for k, name in enumerate(FUNCTIONS[function].answers):
        with_it = first[k]
        if name in ("centers", "radii", "local_metrics"):
            checker.within(
                f"{function}: {name} of the missed region",
                with_it[:1],
                0.0,
                0.0,
                2,
            )
            with_it = with_it[1:]
        checker.agree(
            f"{function} with a region more that is missed: {name}",
            with_it,
            second[k],
            allowed[k],
        )


@law(
    "Definition 3; Definition 6; Equation (2)",
    "distances",
    pair_cases(
        Spec(
            regions=(1,),
            balls=("large",),
            pairs=(4, 2),
            kinds=("free", "along an axis"),
        )
    ),
)
def a_ball_around_both_points_gives_the_local_length(checker: Checker, case: Case) -> None:
    """When one ball holds both points and no other meets the segment, D is the local Mahalanobis
    length.
    """
    points = np.concatenate([case["X_i"], case["X_j"]])
    if not len(points):
        return
    centers = points.mean(axis=0).astype(points.dtype)[None]
    reach = np.abs(points - centers).sum(axis=1).max()
    radii = np.array([2 * reach], dtype=points.dtype)

    inside = case.but(centers=centers, radii=radii)
    everywhere = case.but(
        centers=centers[:0],
        radii=radii[:0],
        local_metrics=case["local_metrics"][:0],
        background_metric=case["local_metrics"][0],
    )
    # Both brackets: a gamma a rounding below 1 leaves some of the background's length in the first.
    checker.agree(
        "distances inside the ball, and with its metric everywhere",
        checker.ask("distances", inside),
        checker.ask("distances", everywhere),
        checker.allowed("distances", everywhere)[0],
        checker.allowed("distances", inside)[0],
    )


@law(
    "Proposition 1; Definition 6; Equation (6)",
    "distances intersection_ratios",
    pair_cases(
        Spec(
            regions=(1, 2, 5),
            pairs=(3, 6),
            **UNSCALED,
        )
    ),
)
def without_a_background_only_the_regions_count(checker: Checker, case: Case) -> None:
    """With M(B) = 0, D is the sum of gamma times the local Mahalanobis lengths."""
    case = case.but(background_metric=np.zeros_like(case["background_metric"]))
    D = checker.ask("distances", case)
    gamma = checker.ask("intersection_ratios", case)
    n = lengths_of(case, case["local_metrics"])
    checker.agree(
        "distances with M(B) = 0, and the sum of gamma times local lengths",
        D,
        (gamma * n).sum(axis=1),
        checker.allowed("distances", case)[0],
    )


def lengths_of(case: Case, metrics: np.ndarray) -> np.ndarray:
    """The Mahalanobis lengths of all pairs under all metrics."""
    d = case["X_j"].astype(np.longdouble) - case["X_i"]
    square = np.einsum("pf,sfg,pg->ps", d, metrics.astype(np.longdouble), d)
    return np.asarray(np.sqrt(np.maximum(square, 0)), dtype=np.float64)


@law(
    "Equation (9); Definition 7",
    "distances intersection_ratios",
    pair_cases(
        Spec(
            regions=(3, 2, 4, 6),
            pairs=(3, 5),
            metrics=("full", "diagonal", "identity", "rank one"),
        )
    ),
)
def equal_metrics_count_overlap_once_per_region(checker: Checker, case: Case) -> None:
    """When all metrics are equal, D is max(1, sum gamma) times the plain Mahalanobis length:
    equation (9) counts overlap once per region.
    """
    M = case["background_metric"]
    case = case.but(local_metrics=np.repeat(M[None], len(case["radii"]), axis=0))
    D = checker.ask("distances", case)
    gamma = checker.ask("intersection_ratios", case)
    n = lengths_of(case, M[None])[:, 0]
    checker.agree(
        "distances with equal metrics, and max(1, sum gamma) times the length",
        D,
        np.maximum(1, gamma.sum(axis=1)) * n,
        checker.allowed("distances", case)[0],
    )


@law(
    "Section 3.2, gamma_b; Definition 5",
    "exact_background_ratios intersection_ratios",
    pair_cases(
        Spec(
            regions=(2, 3, 6),
            pairs=(8, 3),
            metrics=("identity",),
        )
    ),
)
def exact_background_is_at_least_the_approximation(checker: Checker, case: Case) -> None:
    """The exact gamma_b is at least max(1 - sum gamma, 0) and at most 1 minus the largest gamma."""
    gamma = checker.ask("intersection_ratios", case)
    gamma_b = checker.ask("exact_background_ratios", case)
    slack = checker.slack("intersection_ratios", case)
    slack_b = checker.slack("exact_background_ratios", case) + 4 * checker.precision.eps

    approximate = np.maximum(1 - gamma.sum(axis=1) - slack.sum(axis=1), 0)
    largest_gamma = gamma.max(axis=1, initial=0.0)
    largest_slack = slack.max(axis=1, initial=0.0)
    checker.within(
        "exact_background_ratios: gamma_b",
        gamma_b,
        approximate - slack_b,
        1 - largest_gamma + largest_slack + slack_b,
        calls=2,
    )


def _disjoint(case: Case) -> Case:
    """The case with radii made smaller until no two balls meet."""
    centers = case["centers"].astype(np.float64)
    radii = case["radii"].astype(np.float64)
    for s in range(len(radii)):
        for t in range(s):
            gap = float(np.linalg.norm(centers[s] - centers[t])) * 0.999
            if radii[s] + radii[t] > gap:
                radii[s] = min(radii[s], gap / 2)
                radii[t] = min(radii[t], gap / 2)
    return case.but(radii=radii.astype(case["radii"].dtype))


@law(
    "Proposition 2; Equation (8); Equation (4)",
    "distances intersection_ratios exact_background_ratios",
    pair_cases(
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
    gamma = checker.ask("intersection_ratios", case)
    gamma_b = checker.ask("exact_background_ratios", case)
    D = checker.ask("distances", case)
    rounding = checker.slack("intersection_ratios", case).sum(axis=1)
    slack = 2 * (rounding + 8 * checker.precision.eps)
    checker.near(
        "exact_background_ratios of disjoint regions",
        gamma_b,
        1 - gamma.sum(axis=1),
        slack,
        calls=3,
    )

    n = lengths_of(case, case["local_metrics"])
    n_B = lengths_of(case, case["background_metric"][None])[:, 0]
    checker.agree(
        "distances of disjoint regions, and the sum of their pieces",
        D,
        gamma_b * n_B + (gamma * n).sum(axis=1),
        checker.allowed("distances", case)[0],
        (0 * slack, slack * n_B),
        calls=3,
    )


@law(
    "Definition 5; Definition 7; Definition 8; Equation (5)",
    "intersection_ratios exact_background_ratios distances",
    whole_pair_cases(
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
def splitting_a_segment_adds_up(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """Split at a point inside, the lengths in each ball and in the exact background add up; D adds
    up too where no regions overlap (the approximate gamma_b spoils it elsewhere).
    """
    t = case["at"]
    x_i = case["X_i"]
    z = (x_i + t * (case["X_j"] - x_i)).astype(x_i.dtype)
    weights = [1, t, 1 - t]  # ratios are shares of their own segment
    if function == "distances":
        case = _disjoint(case)
        weights = [1, 1, 1]

    segments = [case, case.but(X_j=z), case.but(X_i=z)]
    answers = []
    slacks = []
    for segment, weight in zip(segments, weights, strict=True):
        answers.append(weight * checker.ask(function, segment))
        slacks.append(weight * checker.slack(function, segment))
    checker.near(
        f"{function} of the whole and of its two parts",
        answers[0],
        answers[1] + answers[2],
        sum(slacks),
        calls=3,
    )


@law(
    "Definition 7; Definition 8; Table 2; Table 3",
    "distances intersection_ratios ratio_gradients cross_distances",
    pair_cases(Spec(pairs=(4, 2))),
    each=True,
)
def equal_points_are_at_distance_zero(
    checker: Checker,
    case: Case,
    function: str,
) -> None:
    """For x_i = x_j gamma, its gradients and D are 0, wherever the point lies."""
    answers = checker.ask_all(function, inputs_of(case.but(X_j=case["X_i"]), function))
    for name, got in zip(FUNCTIONS[function].answers, answers, strict=True):
        if function == "cross_distances":
            got = np.diagonal(got)
        checker.within(f"{function} of equal points: {name}", got, 0.0, 0.0)
