"""A run judges the chosen laws, counts what was judged, and refuses unknown options."""

import math
import time

import numpy as np
import pytest

from lmlir import vectorized
from lmlir.oracle import subjects
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.judging.judge import judge
from lmlir.oracle.judging.trial import Watcher
from lmlir.oracle.laws import LAWS
from lmlir.oracle.laws.law import KINDS
from lmlir.oracle.subjects.failures import CannotBeJudged
from tests.oracle.judging.wrong import wrong_by


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


def test_judging_up_to_the_first_violation_stops_there():
    report = judge(wrong_by(1e-3), profile="quick", first_violation_only=True, shrink=False)
    assert report.verdict == "violates" and report.violated == [report.results[-1].law.name]


class Diary(Watcher):
    """Notes what happens in a run."""

    def __init__(self):
        self.events = []

    def begin(self, report, law, count):
        self.events.append(("begin", law.name))

    def found(self, law, violation):
        self.events.append(("found", law.name))

    def end(self, report):
        self.events.append(("end", len(report.results)))


def test_small_corner_cases_of_all_laws_come_before_anything_else():
    """A violation of the last law is found before a random case of the first is tried."""
    first, last = "distances_match_equation_9", "invalid_input_is_rejected"
    accepting = {"distances": lambda *given: vectorized.distances(*map(np.nan_to_num, given))}
    diary = Diary()
    subject = subjects.from_functions(accepting)
    report = judge(subject, "quick", only=[first, last], watch=diary, shrink=False)
    assert diary.events[:2] == [("begin", first), ("begin", last)]
    assert diary.events[-1] == ("end", 2)
    assert [result.law.name for result in report.results] == [first, last]
    assert [result.status for result in report.results] == ["held", "violated"]


def test_a_report_on_some_laws_counts_the_functions_that_were_judged():
    report = judge(wrong_by(0.0), profile="quick", only=["equal_points_are_at_distance_zero"])
    assert (report.verdict, len(report.results)) == ("conforms", 1)
    assert report.judged == ["distances"]


def test_a_subject_without_the_needed_functions_cannot_be_judged():
    report = judge(wrong_by(0.0), profile="quick", only=["ratios_match_table_2"])
    assert report.verdict == "cannot be judged"


def test_the_laws_of_a_run_share_its_minutes():
    """Each is tried for its share; without them, this profile would take minutes."""

    def distances(*given):
        time.sleep(0.02)
        return vectorized.distances(*given)

    subject = subjects.from_functions({"distances": distances})
    laws = ["distances_match_equation_9", "rotation_changes_nothing"]
    report = judge(subject, profile="thorough", only=laws, minutes=0.05)
    assert report.verdict == "conforms"
    for result in report.results:
        assert result.examples > 0
        assert "cut short" in result.reason
    assert report.seconds < 60


def test_laws_that_begin_when_no_time_is_left_are_not_judged():
    report = judge(wrong_by(1e-3), profile="quick", minutes=1e-9)
    assert report.verdict == "cannot be judged"
    assert {result.status for result in report.results} == {"not judged", "not offered"}


@pytest.mark.parametrize(
    "options",
    [
        {"profile": "fast"},
        {"precision": "float16"},
        {"minutes": 0},
        {"minutes": -1},
        {"minutes": math.nan},
    ],
)
def test_bad_options_are_rejected_with_what_is_expected(options):
    with pytest.raises(CannotBeJudged, match="must be (one of|more than 0)"):
        judge(wrong_by(0.0), **{"profile": "quick", **options})


@pytest.mark.parametrize("kind", KINDS)
def test_one_kind_is_judged_alone(kind):
    report = judge(wrong_by(0.0), profile="quick", kinds=[kind], shrink=False)
    ran = [result.law for result in report.results]
    assert ran == [law for law in LAWS if law.kind == kind]
    assert list(report.by_kind) == [kind]


def test_a_kind_without_a_chosen_law_is_refused():
    with pytest.raises(CannotBeJudged, match="no law is left"):
        judge(wrong_by(0.0), only=["distances_match_equation_9"], kinds=["behavior"])
    with pytest.raises(CannotBeJudged, match="mathematics, behavior, contract, got 'style'"):
        judge(wrong_by(0.0), kinds=["style"])
