"""A trial finds the same input for the same seed, makes it smaller, and stops in time."""

import importlib
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis.database import InMemoryExampleDatabase

from lmlir import vectorized
from lmlir.oracle import subjects
from lmlir.oracle.judging.judge import run_law
from lmlir.oracle.judging.judgment import PROFILES, Profile
from lmlir.oracle.laws import by_name
from lmlir.oracle.precision import PRECISIONS
from tests.oracle.judging.wrong import wrong_by

FLOAT64 = PRECISIONS["float64"]


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


def drawn():
    """The inputs of a law in profile quick, as bytes."""
    found = []
    law = replace(
        by_name("distances_match_equation_9"), check=lambda checker, case: found.append(case)
    )
    run_law(law, subjects.from_module(vectorized), "quick", seed=3)
    return [b"".join(value.tobytes() for value in case.inputs.values()) for case in found]


def test_what_is_imported_does_not_change_what_is_drawn(tmp_path, monkeypatch):
    """Hypothesis would mix the numbers of a new module into its draws."""
    before = drawn()
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "many_numbers.py").write_text(f"NUMBERS = {list(range(4000))}\n")
    importlib.import_module("many_numbers")
    assert len(before) > 40
    assert drawn() == before
    del sys.modules["many_numbers"]


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


def test_a_law_stops_when_its_time_is_up(monkeypatch):
    monkeypatch.setitem(PROFILES, "quick", Profile("quick", 10_000, 1.0, 0.1))
    result = run_law(by_name("distances_match_equation_9"), subjects.from_module(vectorized))
    assert result.status == "held" and 0 < result.examples < 10_000
    assert result.reason == f"cut short after {result.examples} examples"


@pytest.mark.parametrize(("factor", "status"), [(1, "not judged"), (1.001, "violated")])
def test_a_law_with_a_question_out_of_time_is_tried_on_its_other_cases(tmp_path, factor, status):
    """It is not judged unless one of these violates it."""
    path = tmp_path / "mine.py"
    path.write_text(
        "from lmlir import vectorized\ndef distances(*given):\n"
        "    while sum(array.size for array in given) > 200: pass\n"
        f"    return {factor} * vectorized.distances(*given)\n"
    )
    subject = subjects.start(str(path), timeout=1.0)
    result = run_law(by_name("distances_match_equation_9"), subject)
    subject.close()
    assert result.status == status
    assert subject.tally.hangs <= 1
    if status == "not judged":
        assert result.examples > 60
        assert result.violation is None
        for told in ("distances", "within 1 s", "--timeout"):
            assert told in result.reason


def test_a_law_on_several_functions_is_tried_on_those_that_answer(tmp_path):
    """The first one hangs, and the second never gives the same answer twice."""
    path = tmp_path / "mine.py"
    path.write_text(
        "import itertools, numpy as np\nnumbers = itertools.count(1.0)\n"
        "def intersection_ratios(*given):\n    while True: pass\n"
        "def distances(X_i, *given):\n    return np.full(len(X_i), next(numbers))\n"
    )
    subject = subjects.start(str(path), timeout=1.0)
    result = run_law(by_name("the_same_question_gets_the_same_answer"), subject, shrink=False)
    subject.close()
    assert result.status == "violated"


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
