"""The laws cover the paper, visit every row of the tables and accept honest programs; runs are
deterministic.
"""

import collections
import os
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis.database import InMemoryExampleDatabase

from lmlir import intersection, subject, vectorized
from lmlir.ledger.items import NAMES
from lmlir.oracle import subjects
from lmlir.oracle.allowed.brackets import Geometry
from lmlir.oracle.inputs import cases, corner_cases, random_cases
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.inputs.sizes import common_sizes, edges, swept_sizes
from lmlir.oracle.interface import ARGUMENTS, BEHAVIOR, CONCERNS, FUNCTIONS
from lmlir.oracle.judging.judge import judge, run_law
from lmlir.oracle.judging.judgment import PROFILES, Profile
from lmlir.oracle.laws import LAWS, Law, by_name
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.laws.law import in_range
from lmlir.oracle.precision import PRECISIONS
from lmlir.oracle.subjects.failures import CannotBeJudged
from tests.oracle.mutants import Original
from tests.oracle.mutants.distances import background_ratio_not_clipped

FLOAT64 = PRECISIONS["float64"]


def test_every_law_has_a_name_items_a_sentence_and_functions():
    """Names are unique, items are items of the paper, statements are one sentence."""
    assert len({law.name for law in LAWS}) == len(LAWS) >= 40
    for law in LAWS:
        assert re.fullmatch(r"[a-z0-9_]+", law.name)
        assert law.items and set(law.items) <= {*NAMES, BEHAVIOR}, law.name
        assert all(set(law.functions) & set(CONCERNS[item]) for item in law.items), law.name
        assert law.statement[0].isupper() or law.statement.startswith(("gamma", "f ", "g ", "D")), (
            law.name
        )
        assert (
            law.statement.endswith(".") and law.functions and set(law.functions) <= set(FUNCTIONS)
        )


def test_the_statements_that_the_interface_covers_have_laws():
    """Definitions 1 to 9, Propositions 1 to 4, Theorem A, equations (1) to (10) and (12), Tables 1
    to 3.
    """
    covered = {item for law in LAWS for item in law.items}
    wanted = (
        [f"Definition {n}" for n in range(1, 10)]
        + [f"Proposition {n}" for n in range(1, 5)]
        + ["Theorem A"]
    )
    wanted += [f"Equation ({n})" for n in (*range(1, 11), 12)] + [f"Table {n}" for n in (1, 2, 3)]
    assert [item for item in wanted if item not in covered] == []


def test_an_unknown_law_name_gets_a_suggestion():
    with pytest.raises(
        ValueError,
        match="no law distances_match_equation_8; did you mean distances_match_equation_9",
    ):
        by_name("distances_match_equation_8")


@pytest.mark.parametrize(
    ("name", "table", "rows"),
    [("ratios_match_table_2", 2, 8), ("ratio_gradients_match_table_3", 3, 5)],
)
def test_every_row_of_the_tables_is_visited_and_counted(name, table, rows):
    """Table 2, rows 1 to 8; Table 3, rows 1 to 5: at least three times each in the shortest
    profile.
    """
    result = run_law(by_name(name), subjects.from_module(vectorized))
    assert result.status == "held"
    for row in range(1, rows + 1):
        assert result.rows[f"Table {table}, row {row}"] >= 3, row


def test_the_rows_are_counted_as_the_reference_counts_them():
    """Table 2: the corner case of each row is in that row."""
    law = by_name("ratios_match_table_2")
    found = run_law(law, subjects.from_module(vectorized), corner_cases_only=True)
    for row, case in enumerate(corner_cases.rows_of_table_2(), start=1):
        assert f"row {row}:" in case.reason and found.rows[f"Table 2, row {row}"] >= 1
        assert (
            intersection.segment_case(
                *(case[name][0] for name in ("X_i", "X_j", "centers", "radii"))
            )
            == row
        )


def flags_of(spec, count=400, palette=None):
    """How often random cases have each flag and each number of features and regions."""
    seen = collections.Counter()

    @settings(max_examples=count, database=None, deadline=None, derandomize=True)
    @given(random_cases.pair_cases(spec)(FLOAT64, palette))
    def look(case):
        seen.update(case.flags)
        seen[f"{case['X_i'].shape[1]} features"] += 1
        seen[f"{len(case['radii'])} regions"] += 1
        assert all(np.isfinite(value).all() for value in case.inputs.values())
        for M in (*case["local_metrics"], case["background_metric"]):
            assert np.array_equal(M, M.T) and np.linalg.eigvalsh(M)[0] >= -1e-12 * np.abs(M).max()

    look()
    return seen


KINDS = (*random_cases.BALLS, *random_cases.PAIRS, *random_cases.METRICS)


def test_random_cases_contain_every_kind_of_ball_pair_and_metric_and_every_size():
    """Tangents, end points on spheres, nested balls, zero metrics, 1 to 8 features, 0 to 6
    regions.
    """
    seen = flags_of(random_cases.ANY)
    sizes = [
        *(f"{count} features" for count in range(1, 9)),
        *(f"{count} regions" for count in range(7)),
    ]
    assert [flag for flag in (*KINDS, *sizes) if seen[flag] < 5] == []


def test_a_palette_limits_the_sizes_and_nothing_else():
    seen = flags_of(random_cases.ANY, palette=random_cases.SHORT)
    assert {int(flag.split()[0]) for flag in seen if flag.endswith("features")} == {2, 3}
    assert [flag for flag in KINDS if seen[flag] < 5] == []


def test_tangent_balls_are_tangent_and_end_points_lie_on_their_spheres():
    """Table 2, row 2: exactly, for a segment along an axis; to rounding elsewhere."""
    random = np.random.default_rng(0)
    x_i = np.array([0.25, 1.0])
    x_j = np.array([2.25, 1.0])
    for _ in range(20):
        center, radius = placed_ball("tangent", random, x_i, x_j)
        assert abs(center[1] - 1.0) == radius > 0
        center, radius = placed_ball("through an end point", random, x_i, x_j)
        nearest = min(abs(np.linalg.norm(x - center) - radius) for x in (x_i, x_j))
        assert nearest < 1e-15


def placed_ball(position, random, x_i, x_j):
    """A ball in a position relative to the segment, with no ball before it."""
    return random_cases.POSITIONS[position](random, random_cases.Segment(x_i, x_j, before=None))


@pytest.mark.parametrize(
    ("kind", "u_range", "v_range"),
    [
        ("behind the start", (-np.inf, 0), (-np.inf, 0)),  # Table 2, row 3
        ("around the start", (-np.inf, 0), (0, 1)),  # Table 2, row 4
        ("around the segment", (-np.inf, 0), (1, np.inf)),  # Table 2, row 5
        ("within the segment", (0, 1), (0, 1)),  # Table 2, row 6
        ("around the end", (0, 1), (1, np.inf)),  # Table 2, row 7
        ("beyond the end", (1, np.inf), (1, np.inf)),  # Table 2, row 8
    ],
)
def test_balls_are_where_their_names_say(kind, u_range, v_range):
    """Table 2, rows 3 to 8: roots of equation (7) in the intended order."""
    random = np.random.default_rng(1)
    x_i, x_j = random.normal(size=(2, 3))
    for _ in range(20):
        center, radius = placed_ball(kind, random, x_i, x_j)
        g = Geometry(x_i[None], x_j[None], center[None], np.array([radius]), FLOAT64)
        reach = g.half_chord(g.r) / g.L
        u = float((g.middle - reach)[0, 0])
        v = float((g.middle + reach)[0, 0])
        assert u_range[0] < u < u_range[1]
        assert v_range[0] < v < v_range[1]
        assert u < v


# How far the longer profiles sweep each size: the largest power of two.
POWERS = {"P": 14, "m": 10, "a": 10, "b": 10, "K": 9, "u": 14, "v": 14, "S": 7, "F": 7}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_longer_profiles_take_every_size_to_every_power_of_two_and_beside_it(function):
    """Mistakes at block edges, in tiles, in masks and in short indices show at these sizes."""
    tried = collections.defaultdict(set)
    for name, sizes in swept_sizes():
        for letter, size in sizes.items() if name == function else ():
            tried[letter].add(size)
    letters = {
        letter
        for name in FUNCTIONS[function].arguments
        for letter in ARGUMENTS[name].shape or [name]
    }
    for letter in letters & POWERS.keys():
        assert set(edges(*range(3, POWERS[letter] + 1))) - tried[letter] <= {7, 8, 9}, letter
    if "u" in letters:
        assert tried["u"] == tried["v"] and max(tried["n"]) > 65_536 and max(tried["u"]) == 20_000
    elif "n" in letters:
        assert set(edges(*range(3, 11))) <= tried["n"] and max(tried["n"]) >= 1500
    else:
        assert max(tried["P"]) == 20_000


def test_every_profile_crosses_the_commonest_edges():
    """32 and 64 regions, features and neighbors, 64, 256, 1024 and 4096 pairs, 65,536 rows of X."""
    sizes = [size for _, size in common_sizes()]
    assert {function for function, _ in common_sizes()} == set(FUNCTIONS)
    wanted = {
        "S": {33, 65},
        "F": {32, 65},
        "K": {17, 32, 33, 65, 257},
        "n": {65, 70_000},
        "m": {33, 64, 1030},
    }
    for letter, numbers in {**wanted, "P": {64, 256, 1025, 4200}}.items():
        assert numbers <= {size.get(letter) for size in sizes}, letter
    assert any(min(s.get("n", 0), s.get("m", 0)) > 256 for s in sizes)


def shapes_asked(profile, **options):
    """The different combinations of function and argument shapes in a run on the fast twin."""
    seen = set()

    def watched(function):
        def answer(*given):
            seen.add((function, *map(np.shape, given)))
            return getattr(vectorized, function)(*given)

        return answer

    subject = subjects.from_functions({function: watched(function) for function in FUNCTIONS})
    report = judge(subject, profile=profile, **options)
    assert report.verdict == "conforms" and all(
        result.status == "held" for result in report.results
    )
    return seen


def test_the_fast_twin_conforms_and_the_profile_quick_asks_few_shapes():
    """Code that is compiled once per shape can be judged in minutes."""
    assert len(shapes_asked("quick", seed=3)) <= 200


def test_many_shapes_are_asked_on_request():
    law = ["distances_match_equation_9"]
    assert (
        len(shapes_asked("quick", only=law))
        < 20
        < len(shapes_asked("quick", only=law, shapes="many"))
    )


# --- A trial
# --------------------------------------------------------------------------------------------------


def wrong_by(error):
    """Distances wrong by a relative error for the second and later pairs of a batch."""

    def distances(*given):
        D = vectorized.distances(*given)
        D[1:] *= 1 + error
        return D

    return subjects.from_functions({"distances": distances}, name="wrong")


def test_the_same_seed_finds_the_same_input():
    """Two runs agree in every number; another seed asks other questions."""
    law = by_name("the_same_question_gets_the_same_answer")
    tried = []
    for seed in (0, 0, 1):
        seen = []

        def watch(*given, seen=seen):
            seen.append([np.asarray(part).tolist() for part in given])
            return vectorized.distances(*given)

        run_law(law, subjects.from_functions({"distances": watch}), seed=seed)
        tried.append(seen)
    assert tried[0] == tried[1] != tried[2]


def test_a_failing_case_in_the_database_is_tried_before_any_random_one():
    """A seed that does not find it finds it with the database, as the first case after the corner
    cases.
    """
    law = by_name("distances_match_equation_9")
    database = InMemoryExampleDatabase()

    def distances(*given):
        D = vectorized.distances(*given)
        return D * 1.001 if given[0].shape == (3, 7) and len(given[3]) == 4 else D

    subject = subjects.from_functions({"distances": distances})
    found = next(seed for seed in range(50) if _fails(law, subject, seed, database))
    corners = len(law.corner_cases(FLOAT64))
    clean = next(seed for seed in range(found + 1, 50) if not _fails(law, subject, seed))
    again = run_law(law, subject, seed=clean, database=database, shrink=False, shapes="many")
    assert (again.status, again.examples) == ("violated", corners + 1)


def _fails(law, subject, seed, database=None):
    return (
        run_law(
            law, subject, "quick", seed=seed, database=database, shrink=False, shapes="many"
        ).status
        == "violated"
    )


def test_a_violation_comes_with_the_smallest_input_found():
    """Two pairs are needed to show the mistake, and two are left."""
    result = run_law(by_name("distances_match_equation_9"), wrong_by(1e-3))
    case = result.violation.case
    assert len(case["X_i"]) == 2 and len(case["radii"]) == 0
    assert result.violation.where == "distances: D[1]"
    assert result.violation.upper < result.violation.got


def test_without_shrinking_the_input_is_as_it_was_found():
    result = run_law(by_name("distances_match_equation_9"), wrong_by(1e-3), shrink=False)
    assert result.status == "violated" and result.violation.case.size >= 10


def test_judging_up_to_the_first_violation_stops_there():
    report = judge(wrong_by(1e-3), profile="quick", first_violation_only=True, shrink=False)
    assert report.verdict == "violates" and report.violated == [report.results[-1].law.name]


def test_a_report_on_some_laws_counts_the_functions_that_were_judged():
    report = judge(wrong_by(0.0), profile="quick", only=["equal_points_are_at_distance_zero"])
    assert (report.verdict, len(report.results)) == ("conforms", 1)
    assert report.conclusion.startswith("conforms in 1 of 9 functions")


def test_a_subject_without_the_needed_functions_cannot_be_judged():
    report = judge(wrong_by(0.0), profile="quick", only=["ratios_match_table_2"])
    assert report.verdict == "cannot be judged"


@pytest.mark.parametrize("options", [{"profile": "fast"}, {"precision": "float16"}])
def test_unknown_options_are_rejected_with_the_choices(options):
    with pytest.raises(CannotBeJudged, match="must be one of"):
        judge(wrong_by(0.0), **{"profile": "quick", **options})


def test_a_law_stops_when_its_time_is_up(monkeypatch):
    monkeypatch.setitem(PROFILES, "quick", Profile("quick", 10_000, 3.0, 0.1))
    result = run_law(by_name("distances_match_equation_9"), subjects.from_module(vectorized))
    assert result.status == "held" and 0 < result.examples < 10_000
    assert result.reason == "stopped after 3 s"


def test_kinks_are_counted():
    """Table 3: on kinks any value between the one-sided derivatives is right, and the report says
    how often.
    """
    result = run_law(
        by_name("ratio_gradients_match_table_3"),
        subjects.from_module(vectorized),
        corner_cases_only=True,
    )
    assert 3 <= result.kinks <= 40


# --- Making cases smaller
# ------------------------------------------------------------------------------------------------


def test_shrinking_keeps_what_matters_and_drops_the_rest():
    """A case fails when some radius exceeds 2: no pair, one region, one feature and plain numbers
    are left.
    """
    random = np.random.default_rng(0)
    inputs = {
        "X_i": random.normal(size=(6, 3)),
        "X_j": random.normal(size=(6, 3)),
        "centers": random.normal(size=(4, 3)),
        "radii": np.array([0.5, 2.7310001, 1.0, 0.1]),
        "local_metrics": np.stack([np.eye(3) * 2.5] * 4),
        "background_metric": np.eye(3) * 0.3,
    }
    small = cases.shrunk(Case(inputs), lambda case: bool((case["radii"] > 2).any()), lambda: False)
    assert small["X_i"].shape == (0, 1) and small["radii"].tolist() == [3.0]
    assert small["centers"].tolist() == [[0.0]] and small["background_metric"].tolist() == [[1.0]]


def test_a_case_without_pairs_violates_no_law_and_raises_no_warning():
    """Shrinking may leave out every pair."""
    once = settings(
        max_examples=1,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    tried = 0
    for law in LAWS:
        case = find(
            law.cases(FLOAT64, random_cases.palette("quick", "few")),
            lambda case: True,
            settings=once,
        )
        if "X_i" in case.inputs:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("error")
                law.check(
                    Checker(subjects.from_module(vectorized)),
                    case.but(X_i=case["X_i"][:0], X_j=case["X_j"][:0]),
                )
            tried += 1
    assert tried > 25


def test_shrinking_prefers_small_whole_numbers():
    """A program that does not clip gamma_b fails where balls overlap: two unit balls and a unit
    segment show it best.
    """
    result = run_law(
        by_name("distances_match_equation_9"), subjects.from_module(background_ratio_not_clipped())
    )
    for value in result.violation.case.inputs.values():
        assert (
            set(np.unique(value)) <= {-1.0, 0.0, 1.0, 2.0}
            and not np.signbit(value[value == 0]).any()
        )


def test_shrinking_leaves_every_class_its_k_members():
    """Equation (10): a K larger than a class has no answer."""
    small = cases.shrunk(
        corner_cases.decision_cases()[2], lambda case: case["K"] == 3, lambda: False
    )
    assert len(small["X_minus"]) == len(small["X_plus"]) == 3 and len(small["X"]) == 0


def test_shrinking_an_objective_drops_points_that_no_pair_mentions():
    """Pairs are renumbered with their points."""
    inputs = {
        "X": np.arange(8.0).reshape(8, 1),
        "similar": np.array([[3, 6], [6, 3]]),
        "dissimilar": np.array([[1, 3]]),
        "alpha": 0.5,
    }
    small = cases.shrunk(
        Case(inputs),
        lambda case: (
            len(case["similar"]) > 0 and bool((case["X"][case["similar"][:, 1]] == 6).any())
        ),
        lambda: False,
    )
    assert small["X"].tolist() == [[0.0], [6.0]] and small["similar"].tolist() == [[0, 1]]


# --- Fairness
# --------------------------------------------------------------------------------------------------

FAST = Profile("quick", 8, 60.0, 1.0)


def test_the_fast_twin_conforms_in_single_precision(monkeypatch):
    monkeypatch.setitem(PROFILES, "quick", FAST)
    report = judge(subjects.from_module(vectorized), profile="quick", precision="float32", seed=1)
    assert report.violated == [] and report.verdict == "conforms"
    assert all(result.status == "held" for result in report.results)


def test_the_reference_conforms(monkeypatch):
    """The explicit loops of the reference are too slow for large batches."""

    def small_cases(law, precision, long):
        return [case for case in law.corner_cases(precision) if "large batch" not in case.flags]

    monkeypatch.setitem(PROFILES, "quick", replace(FAST, examples=4))
    monkeypatch.setattr(Law, "first_cases", small_cases)
    report = judge(
        subjects.from_module(subject), profile="quick", seed=int(os.environ.get("LMLIR_SEED", "0"))
    )
    assert report.violated == [] and report.verdict == "conforms"


def test_large_batches_meet_their_balls():
    """Definition 8: in every large corner case some ratios lie strictly between 0 and 1, also with
    many features.
    """
    for case in by_name("large_batches_are_answered_like_small_ones").corner_cases(FLOAT64):
        pairs = (
            (case["X_i"], case["X_j"]) if "X_i" in case.inputs else (case["X"][:1], case["X"][1:2])
        )
        ratios = vectorized.intersection_ratios(*pairs, case["centers"], case["radii"])
        assert len(ratios) < 10 or 0.1 < np.mean((ratios > 0) & (ratios < 1)) < 0.95, case[
            "function"
        ]


def test_a_step_over_a_whole_segment_is_no_violation():
    """Table 3: gamma jumps from 0 to 1 within one step of a large radius, and both ends have the
    gradient 0.
    """
    inputs = {"X_i": [[-0.2]], "X_j": [[-0.166]], "centers": [[-6.133]], "radii": [5.926]}
    case = Case({name: np.array(value, dtype=np.float32) for name, value in inputs.items()})
    checker = Checker(subjects.from_module(vectorized), "float32")
    by_name("ratio_gradients_agree_with_differences").check(checker, case)
    assert checker.calls[1].answer[0][0, 0] == 0 and checker.calls[2].answer[0][0, 0] == 1


# --- other honest arithmetic
# ------------------------------------------------------------------------------------------


class Printed(Original):
    """Delta as printed, b^2 - 4ac."""

    def discriminant(self, a, b, from_center, offset, radii):
        return b * b - 4 * a * (self.square(from_center) - radii**2)


class Backwards(Original):
    """All sums over features from the last to the first."""

    def square(self, d):
        return np.cumsum((d * d)[..., ::-1], axis=-1)[..., -1]

    def length(self, d, metric):
        return super().length(d[:, ::-1], metric[::-1, ::-1])


class ByFactor(Original):
    """Lengths by a factor of the metric."""

    def length(self, d, metric):
        values, vectors = np.linalg.eigh(metric)
        return np.sqrt(self.square(d @ (vectors * np.sqrt(np.maximum(values, 0)))))


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("variant", [Original, Printed, Backwards, ByFactor])
def test_no_corner_case_rejects_other_honest_arithmetic(variant, precision):
    """The brackets contain the rounding errors of different programs, at every special place."""
    honest = subjects.from_module(variant(), variant.__name__)
    for law in LAWS:
        result = run_law(law, honest, precision=precision, corner_cases_only=True, shrink=False)
        assert result.status == "held", result.violation


def test_corner_cases_are_tried_where_the_number_format_can_hold_them():
    """All of them in float64; in float32 not those whose squares vanish or overflow, but most."""
    every = [case for law in LAWS if law.corners for case in law.corners()]
    assert all(in_range(case, FLOAT64) for case in every)
    left_out = [case for case in every if not in_range(case, PRECISIONS["float32"])]
    assert "everything small, and metrics as large" in {case.reason for case in left_out}
    assert len(left_out) < len(every) / 8
