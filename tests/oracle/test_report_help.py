"""What a report on a subject adds for a person: the lines that repeat a violation, its row of Table 2, and hints."""

from pathlib import Path

import numpy as np
import pytest

from lmlir import subject as reference
from lmlir import vectorized
from lmlir.oracle import report as reports
from lmlir.oracle import runner, subjects
from lmlir.oracle.laws import LAWS, by_name
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


def test_the_row_of_a_counterexample_is_among_the_rows_visited():
    """A subject that is always wrong fails in its first example; the smaller case that is shown counts, too."""
    subject = subjects.from_functions(
        {"intersection_ratios": lambda *given: vectorized.intersection_ratios(*given) + 1}
    )
    text = reports.as_text(runner.judge(subject, "quick", only=["ratios_match_table_2"]))
    row = text.split("\n    Table 2: row ")[1].split("\n")[0]
    counts = dict(entry.split(": ") for entry in text.split("Table 2, visits by row: ")[1].split("\n")[0].split(", "))
    assert int(counts[row]) >= 1
    assert sum(map(int, counts.values())) == 2  # the one found and the one shown, not all that were tried in between


NAN = subjects.from_functions({"distances": lambda *given: vectorized.distances(*given) * np.nan})
ABOUT_DISTANCES = [LAW, "swapping_the_end_points_changes_nothing", "a_batch_equals_its_rows_one_by_one"]


def test_beside_nan_stands_what_is_allowed():
    """The bracket is that of the equation: D of the pair in the report, by the reference."""
    report = runner.judge(NAN, "quick", only=[LAW])
    (violation,) = (result.violation for result in report.results)
    (call,) = violation.calls
    assert violation.where.startswith("distances: D[") and np.isnan(violation.got)
    pair = int(violation.where.split("[")[1].rstrip("]"))
    assert violation.lower <= reference.distances(*call.arguments.values())[pair] <= violation.upper
    assert violation.upper - violation.lower < 1e-9
    text = reports.as_text(report)
    assert f"\n    Got:     nan\n    Allowed: {violation.lower!r} to {violation.upper!r}\n" in text
    assert reports.as_json(report)["laws"][0]["counterexample"]["allowed"] == [violation.lower, violation.upper]


def test_one_function_that_returns_nan_is_told_once():
    """Three laws, one cause."""
    report = runner.judge(NAN, "quick", only=ABOUT_DISTANCES, shrink=False)
    text = reports.as_text(report)
    assert len(report.violated) == 3 and text.count("returned NaN") == 2
    assert "\n  distances returned NaN in 2 other laws; mend it first\n" in text
    assert "\n  violated  " not in text


@pytest.mark.parametrize("number", [0.25, 1e300, -1.0])
def test_the_numbers_of_further_violations_are_not_cut_off(number):
    """The law with the longest name, and a long place."""
    law = by_name(max((law.name for law in LAWS), key=len))
    where = "exact_background_ratios of disjoint regions, and much that is to be said of them[0, 1]"
    calls = [Call("distances", {**REGION, "X_i": [], "X_j": []})]
    violation = Violation(f"{where} is {number!r}; allowed is 0.5 to 0.75", calls, where, number, 0.5, 0.75)
    results = [runner.LawResult(each, "violated", 1, violation) for each in (by_name(LAW), law)]
    subject = subjects.from_functions({"distances": vectorized.distances})
    lines = reports.as_text(runner.Report(subject, results, "quick", "float64", 0)).splitlines()
    (line,) = (line for line in lines if line.startswith("  violated  "))
    told = {0.25: "got 0.25, too small by 0.25", 1e300: "got 1e+300, too large by 1e+300"}
    assert f": {told.get(number, 'got -1, too small by 1.5')}" in line and len(line) <= 102


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "--json FILE writes them, --html FILE draws them."),
        ({"html": "a.html"}, "written to a.html; --json FILE writes them as data."),
        ({"json": "a.json"}, "written to a.json; --html FILE draws them."),
        ({"json": "a.json", "html": "a.html"}, "written to a.json and a.html."),
    ],
)
def test_the_last_line_names_the_files_that_were_written(files, told):
    """Nobody is told of an option that was given."""
    calls = [Call("distances", {**REGION, "X_i": np.zeros((900, 1)), "X_j": np.zeros((900, 1))})]
    result = runner.LawResult(by_name(LAW), "violated", 1, Violation("wrong", calls))
    subject = subjects.from_functions({"distances": vectorized.distances})
    text = reports.as_text(runner.Report(subject, [result], "quick", "float64", 0), **files)
    assert text.splitlines()[-1] == f"All inputs and answers: {told}"
    lines = f"the lines that repeat it are in {next(iter(files.values()), '')}."
    assert (lines if files else "--json FILE writes the lines that repeat it.") in text


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
