"""The working: what a true number is made of, from the reference's own functions.

It is computed in floats, for people to read; no verdict depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lmlir import classifier, descent, distance, gradient, intersection, objective
from lmlir.oracle.interface import FUNCTIONS, PARAMETERS, Place, place_in
from lmlir.regions import mahalanobis_length
from lmlir.scalars import Parameters

Data = Mapping[str, Any]

MAX_LINES = 8  # regions, pairs or terms of a sum
PROJECTION = ", projected onto the positive semi-definite cone"
MAX_PAIRS = 200  # for which the loops of the reference take a moment


def working(call: Data, where: str, got: Any) -> list[str]:
    """The steps that lead to the true number at a place of the answer, or none."""
    found = place_in(where, call["call"])
    if found is None:
        return []
    number, place = found
    try:
        first, *others = STEPS[call["call"]](call["arguments"], number, place)
    except (ValueError, TypeError, LookupError, ArithmeticError):  # asked on purpose
        return []
    if not first.endswith(f" = {_show(got)}"):  # else they differ in later digits alone
        first += f", you: {_show(got)}"
    return [first, *_fewer(others)]


def _show(number: Any) -> str:
    return f"{float(number):.6g}"


def _fewer(lines: Iterable[str]) -> list[str]:
    lines = list(lines)
    if len(lines) > MAX_LINES:
        return [*lines[:MAX_LINES], f"({len(lines) - MAX_LINES} more)"]
    return lines


def _sum(terms: Iterable[str]) -> str:
    return " + ".join(_fewer(terms))


def _pair(arguments: Data, place: Place) -> tuple[Any, Any]:
    """The segment that a place of the answer is about."""
    if "X_i" in arguments:
        return arguments["X_i"][place[0]], arguments["X_j"][place[0]]
    return arguments["X"][place[0]], arguments["Y"][place[1]]


def _theta(arguments: Data) -> Parameters:
    return Parameters(*[arguments[name] for name in PARAMETERS])


def _region(segment: tuple[Any, Any], arguments: Data, s: int) -> str:
    """Where the line enters and leaves a ball, and the row of Table 2."""
    ball = arguments["centers"][s], arguments["radii"][s]
    row = intersection.segment_case(*segment, *ball)
    if row <= 2:
        return f"region {s}: the line does not enter the ball -> row {row}"
    lambda_u, lambda_v = map(_show, intersection.line_coefficients(*segment, *ball))
    return f"region {s}: lambda_u = {lambda_u}, lambda_v = {lambda_v} -> row {row}"


def _regions(segment: tuple[Any, Any], arguments: Data) -> list[str]:
    return [_region(segment, arguments, s) for s in range(len(arguments["radii"]))]


def _ratio_steps(arguments: Data, number: int, place: Place) -> Iterator[str]:
    segment = _pair(arguments, place)
    ball = arguments["centers"][place[1]], arguments["radii"][place[1]]
    lambda_p, lambda_q = intersection.segment_coefficients(*segment, *ball)
    difference = f"{_show(lambda_q)} - {_show(lambda_p)}"
    yield f"gamma = lambda_q - lambda_p = {difference} = {_show(lambda_q - lambda_p)}"
    yield _region(segment, arguments, place[1])


def _slope_steps(arguments: Data, number: int, place: Place) -> Iterator[str]:
    segment = _pair(arguments, place)
    ball = arguments["centers"][place[1]], arguments["radii"][place[1]]
    slope = gradient.ratio_gradient(*segment, *ball)[number]
    variable = "r" if number else f"o[{place[2]}]"
    yield f"d gamma / d {variable} = {_show(_entry(slope, place[2:]))}"
    yield _region(segment, arguments, place[1])


def _exact_steps(arguments: Data, number: int, place: Place) -> Iterator[str]:
    segment = _pair(arguments, place)
    balls = arguments["centers"], arguments["radii"]
    covered = distance.covered_intervals(*segment, *balls)
    union = ", ".join(f"[{_show(start)}, {_show(end)}]" for start, end in covered)
    ratio = distance.exact_background_ratio(*segment, *balls)
    yield f"gamma_b = 1 - measure of the union of {union or 'nothing'} = {_show(ratio)}"
    yield from _regions(segment, arguments)


def _distance_steps(arguments: Data, number: int, place: Place) -> Iterator[str]:
    segment = _pair(arguments, place)
    Theta = _theta(arguments)
    gamma = distance.all_ratios(*segment, Theta.centers, Theta.radii)
    gamma_b = distance.approximate_background_ratio(gamma)
    shares = [gamma_b, *gamma]
    terms = []
    for share, metric in zip(shares, [Theta.background_metric, *Theta.local_metrics], strict=True):
        terms.append(f"{_show(share)} * {_show(mahalanobis_length(*segment, metric))}")
    D = distance.distance(*segment, *Theta)
    yield f"D = gamma_b n_B + sum of gamma_s n_s = {_sum(terms)} = {_show(D)}"
    yield from _regions(segment, arguments)


def _decision_steps(arguments: Data, number: int, place: Place) -> Iterator[str]:
    x = arguments["X"][place[0]]
    K = arguments["K"]
    X_minus = arguments["X_minus"]
    X_plus = arguments["X_plus"]
    averages = []
    for members in (X_minus, X_plus):
        lengths = classifier.distances_to_set(x, members, *_theta(arguments))
        averages.append(f"({_sum(map(_show, sorted(lengths)[:K]))}) / {K}")
    f = classifier.decision_value(x, X_minus, X_plus, K, *_theta(arguments))
    yield f"f = the K smallest D of each class = {' - '.join(averages)} = {_show(f)}"


def _hinges(arguments: Data) -> Iterator[tuple[str, tuple[Any, Any], int]]:
    """Every pair: in words, its points, and the divisor of its part of g, which is 0 if it has
    none.
    """
    X = arguments["X"]
    if len(arguments["similar"]) + len(arguments["dissimilar"]) > MAX_PAIRS:
        return
    for kind, sign in (("similar", 1), ("dissimilar", -1)):
        for i, j in arguments[kind]:
            D = distance.distance(X[i], X[j], *_theta(arguments))
            slack = getattr(objective, f"{kind}_slack")(D, arguments["C"])
            words = f"pair ({i}, {j}), {kind}: D = {_show(D)}, slack = {_show(slack)}"
            yield words, (X[i], X[j]), sign * len(arguments[kind]) if slack > 0 else 0


def _objective_steps(arguments: Data, number: int, place: Place) -> Iterator[str]:
    yield f"g = average slacks + penalty = {_show(objective.objective(**arguments))}"
    metrics = arguments["local_metrics"], arguments["background_metric"]
    yield f"penalty: {_show(objective.penalty(*metrics, arguments['alpha']))}"
    yield from (words for words, _, _ in _hinges(arguments))


def _gradient_steps(arguments: Data, number: int, place: Place) -> Iterator[str]:
    Theta = _theta(arguments)
    slope = gradient.objective_gradient(**arguments)
    yield f"the sum of what pairs and penalty add = {_show(_entry(slope[number], place))}"
    if number >= 2:
        metric = _entry(Theta[number], place[:-2])
        entry = _entry(gradient.shrinkage(metric, arguments["alpha"]), place[-2:])
        yield f"penalty: adds alpha M / |M| = {_show(entry)}"
    for words, segment, divisor in _hinges(arguments):
        part = Parameters(*map(_zeros, Theta))
        if divisor:
            gradient.add_pair(part, *segment, Theta, divisor)
        yield f"{words}, adds {_show(_entry(part[number], place))}"


def _step_steps(arguments: Data, number: int, place: Place) -> Iterator[str]:
    training = {name: arguments[name] for name in FUNCTIONS["objective"].arguments}
    slope = gradient.objective_gradient(**training)
    new = descent.descent_step(**training, beta=arguments["beta"])
    old = _show(_entry(arguments[PARAMETERS[number]], place))
    difference = f"{old} - {_show(arguments['beta'])} * {_show(_entry(slope[number], place))}"
    constraint = ("", ", not below 0", PROJECTION, PROJECTION)[number]
    yield f"{difference}{constraint} = {_show(_entry(new[number], place))}"


def _zeros(values: Any) -> Any:
    return [_zeros(value) for value in values] if isinstance(values, list) else 0.0


def _entry(values: Any, place: Place) -> Any:
    for index in place:
        values = values[index]
    return values


STEPS = {
    "intersection_ratios": _ratio_steps,
    "ratio_gradients": _slope_steps,
    "exact_background_ratios": _exact_steps,
    "distances": _distance_steps,
    "cross_distances": _distance_steps,
    "decision_values": _decision_steps,
    "objective": _objective_steps,
    "objective_gradient": _gradient_steps,
    "descent_step": _step_steps,
}
