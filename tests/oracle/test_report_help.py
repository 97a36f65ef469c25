"""What a report on a subject adds for a person: the lines that repeat a violation, its row of Table 2, and hints."""

from pathlib import Path

import numpy as np
import pytest

from lmlir import vectorized
from lmlir.oracle import report as reports
from lmlir.oracle import runner, subjects
from lmlir.oracle.laws import by_name
from lmlir.oracle.violations import Call, Violation

LAW = "distances_match_equation_9"
REGION = {"centers": np.array([[0.0]]), "radii": np.array([1.0])}


def test_a_subject_that_offers_more_than_the_chosen_laws_concern_is_not_said_to_offer_less(monkeypatch):
    """--only with a law about one function of nine."""
    monkeypatch.setitem(runner.PROFILES, "quick", runner.Profile("quick", 1, 60.0, 0.1))
    text = reports.as_text(runner.judge(subjects.from_module(vectorized), "quick", only=["ratios_lie_between_0_and_1"]))
    assert " conforms in 1 of 9 functions, all that the chosen laws concern.\n" in text


def test_the_snippet_of_a_question_with_nan_or_infinity_runs(tmp_path, monkeypatch):
    """Python has no literals for these numbers: the lines get them from NumPy, in arrays and alone."""
    radii = np.array([np.nan, -np.inf, np.inf, 1.5])
    question = {"centers": np.full((4, 1), np.nan, np.float32), "radii": radii, "alpha": np.inf, "K": 3}
    (tmp_path / "echo_subject.py").write_text("def objective(*given):\n    return given\n")
    monkeypatch.syspath_prepend(tmp_path)
    made = {}
    exec(reports.snippet([Call("objective", question)], "echo_subject"), made)
    for value, got in zip(question.values(), made["answer"], strict=True):
        np.testing.assert_array_equal(got, value)
        assert np.asarray(got).dtype == np.asarray(value).dtype


def test_the_row_of_table_2_of_a_counterexample_is_told():
    """Wrong only where the ball lies within the segment, row 6; and twice with a pair that is swapped, rows 4 and 7."""

    def distances(*given):
        gamma = vectorized.intersection_ratios(*given[:4])
        inside = [vectorized.intersection_ratios(X, X + 1e-9, *given[2:4]).sum(1) == 0 for X in given[:2]]
        return vectorized.distances(*given) + (gamma.sum(1) > 0) * inside[0] * inside[1] * (gamma.max(1, initial=0) < 1)

    subject = subjects.from_functions({"distances": distances})
    text = reports.as_text(runner.judge(subject, "quick", only=[LAW]))
    assert "\n    Table 2: row 6\n" in text
    calls = [Call("distances", {"X_i": np.array([[a]]), "X_j": np.array([[4.0 - a]]), **REGION}) for a in (0.0, 4.0)]
    result = runner.LawResult(by_name(LAW), "violated", 1, Violation("wrong", calls))
    text = reports.as_text(runner.Report(subject, [result], "quick", "float64", 0))
    assert "\n    Table 2: rows 4, 7\n" in text


def test_float32_answers_get_a_hint():
    """In float64 they are wrong by their rounding; the option is named."""
    subject = subjects.from_functions({"distances": lambda *given: vectorized.distances(*given).astype(np.float32)})
    text = reports.as_text(runner.judge(subject, "quick", only=[LAW]))
    assert "The answer is float32; --precision float32 judges it as such." in text


def test_a_subject_that_refuses_nothing_hears_of_the_decorator():
    """Where nothing else is wrong with it; and the decorator is there."""

    def ratios(*given):
        return np.nan_to_num(vectorized.intersection_ratios(*map(np.nan_to_num, given)))

    def told(law):
        subject = subjects.from_functions({"intersection_ratios": ratios, "distances": lambda *given: 1.0})
        return reports.as_text(
            runner.judge(subject, "quick", only=["what_has_no_answer_is_refused", *law], shrink=False)
        )

    sentence = "examples/subject_contract.py has a decorator that refuses such input."
    assert sentence in told([]) and sentence not in told([LAW])
    assert "def checked(function):" in (Path(__file__).parents[2] / "examples" / "subject_contract.py").read_text()


@pytest.mark.parametrize(
    ("got", "where", "told"),
    [
        (1 + 2**-30, "distances: D[0]", "1,048,575 times"),  # the bracket is 1 to 1 + 2**-50
        (1 - 2**-48, "distances: D[0]", "4.0 times"),
        (1 + 2**-49 - 2**-52, "distances: D[0]", None),  # three quarters of the width
        (1 + 2**-19, "distances: D[0]", None),  # two millionths are not so small
        (np.nan, "distances: D[0]", None),
        (1 + 2**-30, "distances after x_i moved[0]", None),  # that bracket is not rounding alone
    ],
)
def test_a_small_difference_is_counted_in_widths_of_the_bracket(got, where, told):
    violation = Violation("wrong", [Call("distances", {**REGION, "X_i": [], "X_j": []})], where, got, 1.0, 1 + 2**-50)
    result = runner.LawResult(by_name(LAW), "violated", 1, violation)
    subject = subjects.from_functions({"distances": vectorized.distances})
    text = reports.as_text(runner.Report(subject, [result], "quick", "float64", 0))
    sentence = f"The difference is small, but {told} the width of what rounding explains."
    assert (sentence in text) if told else ("The difference is small" not in text)
