"""The laws cover the paper, visit every row of the tables and accept honest programs; runs are
deterministic.
"""

import os
import re
from dataclasses import replace

import numpy as np
import pytest

from lmlir import subject, vectorized
from lmlir.ledger.items import NAMES
from lmlir.oracle import subjects
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.interface import BEHAVIOR, CONCERNS, FUNCTIONS
from lmlir.oracle.judging.judge import judge, run_law
from lmlir.oracle.judging.judgment import PROFILES, Profile
from lmlir.oracle.laws import LAWS, Law, by_name
from lmlir.oracle.laws.checker import Checker
from tests.oracle.mutants import Original


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


def test_mathematics_behavior_and_contract_are_told_apart():
    """Laws about values and relations judge the paper; the other two kinds judge the interface."""
    for law in LAWS:
        assert (law.kind == "mathematics") == (law.items != (BEHAVIOR,)), law.name
    assert [law.name for law in LAWS if law.kind == "contract"] == ["invalid_input_is_rejected"]


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


# --- Fairness
# --------------------------------------------------------------------------------------------------

FAST = Profile("quick", 8, 60.0, 1.0)


@pytest.mark.slow
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


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("variant", "precision"),
    [
        (Original, "float64"),
        (Original, "float32"),
        (Printed, "float64"),
        slow(Printed, "float32"),
        (Backwards, "float64"),
        slow(Backwards, "float32"),
        (ByFactor, "float64"),
        slow(ByFactor, "float32"),
    ],
)
def test_no_corner_case_rejects_other_honest_arithmetic(variant, precision):
    """The brackets contain the rounding errors of different programs, at every special place."""
    honest = subjects.from_module(variant(), variant.__name__)
    for law in LAWS:
        result = run_law(law, honest, precision=precision, corner_cases_only=True, shrink=False)
        assert result.status == "held", result.violation
