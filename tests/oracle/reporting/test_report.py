"""Reports: the data, that the lines to paste run, and one text word for word."""

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from lmlir import subject as reference
from lmlir import vectorized
from lmlir.oracle import subjects
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.judging.judge import judge
from lmlir.oracle.judging.judgment import PROFILES, Judgment, LawResult, Profile, Settings
from lmlir.oracle.laws import LAWS, by_name
from lmlir.oracle.reporting import page
from lmlir.oracle.reporting.data import REJECTION_LAW, as_json
from lmlir.oracle.reporting.snippet import snippet
from lmlir.oracle.reporting.text import as_text
from lmlir.oracle.subjects.failures import Call, SubjectFailure, Violation
from tests.oracle.arrays import shaped
from tests.oracle.mutants import MUTANTS

LAW = "distances_match_equation_9"
SWAP = "swapping_the_end_points_changes_nothing"
REGION = {"centers": np.array([[0.0]]), "radii": np.array([1.0])}
QUICK = Settings("quick")


def judged(functions, *laws, **options):
    """The data of the report on functions that run in this process."""
    subject = subjects.from_functions(functions, name="mine")
    return as_json(judge(subject, "quick", only=laws or None, **options))


def made_up(*results, **options):
    """The data of a report with these results of the law about distances: violations, or a
    status.
    """
    subject = subjects.from_functions({"distances": vectorized.distances}, name="mine")
    laws = [by_name(LAW), *(law for law in LAWS if law.name != LAW)]
    found = [
        LawResult(law, each)
        if isinstance(each, str)
        else LawResult(law, "errored" if each.errored else "violated", 1, each)
        for law, each in zip(laws, results, strict=False)
    ]
    return as_json(Judgment(subject, found, Settings("quick", **options)))


def violation(*arguments, **options):
    """A violation by one call of distances."""
    return Violation(
        "wrong", [Call("distances", {"X_i": [], "X_j": [], **REGION})], *arguments, **options
    )


def slightly_wrong(*given):
    return vectorized.distances(*given) * 1.001


# --- The data
# --------------------------------------------------------------------------------------------------


def test_the_data_have_the_fields_of_the_surface():
    """`check --json`: subject, offered, verdict, reason, counts, and laws with their
    counterexamples.
    """
    data = judged({"distances": slightly_wrong}, LAW, "ratios_match_table_2")
    assert (data["subject"], data["offered"], data["verdict"]) == (
        "mine",
        ["distances"],
        "violates",
    )
    assert LAW in data["reason"]
    assert data["counts"] == {
        "held": 0,
        "violated": 1,
        "errored": 0,
        "not offered": 1,
        "not judged": 0,
    }
    violated, absent = data["laws"]
    assert (violated["law"], violated["status"], absent["status"]) == (
        LAW,
        "violated",
        "not offered",
    )
    assert "Equation (9)" in violated["items"]
    assert violated["examples"] >= 1
    assert violated["resembles"] == []
    assert absent["counterexample"] is None
    assert absent["examples"] == 0
    found = violated["counterexample"]
    low, high = found["allowed"]
    assert found["got"] > high >= low
    assert found["excess"] == found["got"] - high
    (call,) = found["calls"]
    assert np.array_equal(slightly_wrong(*shaped(call["arguments"]).values()), call["result"])
    assert json.loads(json.dumps(data, allow_nan=False)) == data


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        (["held"], "conforms"),
        (["held", "not offered"], "conforms"),
        (["held", "not judged"], "cannot be judged"),
        (["not offered"], "cannot be judged"),
        ([violation(errored=True), "held", "not judged"], "errored"),
        ([violation(errored=True), violation()], "violates"),
        ([violation(), "not judged"], "violates"),
    ],
)
def test_a_wrong_answer_outweighs_a_missing_one(results, verdict):
    assert made_up(*results)["verdict"] == verdict


def accepting(function):
    """The function of the fast twin, with invalid numbers replaced by 0."""

    def answer(*given):
        return getattr(vectorized, function)(*map(np.nan_to_num, given))

    return answer


def test_a_program_that_only_accepts_invalid_input_conforms_in_its_mathematics():
    """The verdict by kind names the number of functions; no statement of the paper is violated."""
    functions = {name: accepting(name) for name in ("intersection_ratios", "distances")}
    laws = [LAW, "empty_batches_get_empty_answers", REJECTION_LAW]
    data = judged(functions, *laws)
    assert data["kinds"] == {
        "mathematics": "conforms",
        "behavior": "conforms",
        "contract": "violates",
    }
    assert data["verdict"] == "violates"
    first_line = as_text(data).splitlines()[0]
    assert "The mathematics conforms (1 law)." in first_line
    assert "Contract: invalid input is not rejected by 2 functions." in first_line
    assert data["statements"]["violated"] == []
    assert "Equation (9)" in data["statements"]["held"]
    found = data["laws"][-1]["counterexample"]
    assert [call["call"] for call in found["calls"]] == ["intersection_ratios", "distances"]
    assert data["conclusion"] in page.page(data)


def test_laws_that_were_cut_short_are_counted_in_the_verdict():
    results = [LawResult(law, "held", 5, reason="stopped") for law in LAWS[:2]]
    subject = subjects.from_module(vectorized)
    report = Judgment(subject, [*results, LawResult(LAWS[2], "held", 5)], QUICK)
    assert report.conclusion.startswith("The mathematics conforms (3 laws, 2 cut short).")


def test_statements_have_the_worst_status_of_the_laws_that_cite_them():
    """Equation (9) is violated by one law although another holds; Definition 8 is not offered."""
    laws = [
        LAW,
        "distances_are_continuous",
        "equal_points_are_at_distance_zero",
        "ratios_match_table_2",
    ]
    found = judged({"distances": slightly_wrong}, *laws)["statements"]
    assert "Equation (9)" in found["violated"]
    assert "Table 1" in found["not offered"]
    # the law about equal points cites it, but ran on distances alone
    assert "Table 2" in found["not offered"]
    assert "Theorem A" in found["held"]
    assert "Equation (9)" not in found["held"]


def test_laws_about_one_function_do_not_judge_statements_about_others():
    """A subject that offers intersection_ratios alone: a law about all functions does not judge
    equation (9).
    """
    found = judged({"intersection_ratios": vectorized.intersection_ratios})["statements"]
    ratios = {
        "Definition 1",
        "Definition 5",
        "Definition 8",
        "Equation (1)",
        "Equation (7)",
        "Table 1",
        "Table 2",
    }
    assert set(found["held"]) == ratios
    assert found["violated"] == []
    assert {"Equation (9)", "Equation (10)", "Theorem A", "Section 5.2, gradient of g"} <= set(
        found["not offered"]
    )


def test_a_violation_in_one_function_does_not_judge_the_others():
    """Definition 7 is violated by distances that are not symmetric; Definition 8, cited by the same
    law, is not.
    """

    def distances(*given):
        return vectorized.distances(*given) * (1 + 1e-3 * (given[0][:, 0] > given[1][:, 0]))

    functions = {"distances": distances, "intersection_ratios": vectorized.intersection_ratios}
    found = judged(functions, SWAP, "ratios_match_table_2")["statements"]
    assert {"Definition 7", "Equation (9)"} <= set(found["violated"])
    assert "Definition 8" in found["held"]


@pytest.mark.parametrize(
    ("offered", "law", "part"),
    [
        (["distances"], LAW, " 1 of 9 functions, all that it offers."),
        (FUNCTIONS, LAW, " 1 of 9 functions, all that the chosen laws concern."),
        (FUNCTIONS, "empty_batches_get_empty_answers", "The behavior conforms (1 law)."),
    ],
)
def test_the_conclusion_says_how_much_of_the_interface_was_judged(offered, law, part):
    data = judged({name: getattr(vectorized, name) for name in offered}, law)
    assert data["verdict"] == "conforms"
    assert data["conclusion"].endswith(part)


@pytest.mark.parametrize(
    ("results", "part"),
    [
        ([violation()], "violates 1 law."),
        ([violation(), violation()], "violates all 2 laws."),
        ([violation(errored=True)] * 2, "gives no answer in any of 2 laws."),
        ([violation(), "held"], "violates 1 of 2 laws."),
    ],
)
def test_a_conclusion_about_all_laws_of_a_kind_says_all(results, part):
    assert part in made_up(*results)["conclusion"]


def test_infinite_numbers_are_strings():
    data = judged({"distances": lambda *given: vectorized.distances(*given) + np.inf}, LAW)
    assert data["laws"][0]["counterexample"]["got"] == "Infinity"
    assert json.dumps(data, allow_nan=False)


def test_large_counterexamples_are_whole_in_the_data_and_left_out_of_the_text():
    """A mistake that shows only in large batches."""

    def distances(*given):
        D = vectorized.distances(*given)
        D[600:] += 1
        return D

    data = judged({"distances": distances}, "large_batches_are_answered_like_small_ones")
    found = data["laws"][0]["counterexample"]
    assert len(found["calls"][0]["arguments"]["X_i"]) > 600
    assert len(found["snippet"]) > 15_000
    assert len(as_text(data)) < 5_000


def test_a_law_that_is_cut_short_says_so_in_the_verdict(monkeypatch):
    """It is held on the cases that were tried, and the verdict counts it."""
    monkeypatch.setitem(PROFILES, "quick", Profile("quick", 6, 0.0, 0.1))
    data = judged({"distances": vectorized.distances}, LAW)
    assert (data["laws"][0]["status"], data["verdict"]) == ("held", "conforms")
    assert data["laws"][0]["reason"]
    assert "(1 law, 1 cut short)" in as_text(data).splitlines()[0]


def test_nan_in_one_block_of_the_gradient_is_the_fault_of_that_block_alone():
    """Section 5.2: a law about one array of an answer does not look at the others."""

    def gradient(*given):
        blocks = vectorized.objective_gradient(*given)
        return blocks[0] * np.nan, *blocks[1:]

    laws = [law.name for law in LAWS if law.name.startswith("gradient_in_the_")]
    data = judged({"objective_gradient": gradient}, *laws, shrink=False)
    violated = [law["law"] for law in data["laws"] if law["status"] == "violated"]
    assert len(laws) == 4
    assert violated == ["gradient_in_the_centers"]


def test_rows_of_the_tables_and_kinks_are_counted():
    functions = {
        name: getattr(vectorized, name) for name in ("intersection_ratios", "ratio_gradients")
    }
    ratios, slopes = judged(functions, "ratios_match_table_2", "ratio_gradients_match_table_3")[
        "laws"
    ]
    assert min(ratios["rows"][f"Table 2, row {row}"] for row in range(1, 9)) > 0
    assert min(slopes["rows"][f"Table 3, row {row}"] for row in range(1, 6)) > 0
    assert slopes["kinks"] > 0


def test_a_counterexample_has_its_row_of_table_2():
    """Wrong only where the ball lies within the segment, row 6."""

    def distances(*given):
        gamma = vectorized.intersection_ratios(*given[:4])
        inside = [
            vectorized.intersection_ratios(X, X + 1e-9, *given[2:4]).sum(1) == 0 for X in given[:2]
        ]
        return vectorized.distances(*given) + (gamma.sum(1) > 0) * inside[0] * inside[1] * (
            gamma.max(1, initial=0) < 1
        )

    (law,) = judged({"distances": distances}, LAW)["laws"]
    assert [call["row of Table 2"] for call in law["counterexample"]["calls"]] == [6]


def test_the_row_of_a_counterexample_is_among_the_rows_visited():
    """A subject that is always wrong fails in its first example; the smaller case that is shown
    counts as well.
    """
    functions = {"intersection_ratios": lambda *given: vectorized.intersection_ratios(*given) + 1}
    (law,) = judged(functions, "ratios_match_table_2")["laws"]
    (call,) = law["counterexample"]["calls"]
    assert law["rows"][f"Table 2, row {call['row of Table 2']}"] >= 1
    # the one found and the one shown, not all that were tried in between
    assert sum(law["rows"].values()) == 2


def test_a_nan_has_the_bracket_of_the_number():
    """The bracket is that of the equation: D of the pair in the report, by the reference."""
    (law,) = judged({"distances": lambda *given: vectorized.distances(*given) * np.nan}, LAW)[
        "laws"
    ]
    found = law["counterexample"]
    assert found["where"].startswith("distances: D[")
    assert found["got"] == "NaN"
    pair = int(found["where"].split("[")[1].rstrip("]"))
    low, high = found["allowed"]
    assert (
        low
        <= reference.distances(*shaped(found["calls"][0]["arguments"]).values())[pair]
        <= high
        < low + 1e-9
    )


# --- Notes
# --------------------------------------------------------------------------------------------------


def notes(data):
    return " ".join(data["laws"][0]["counterexample"]["notes"])


def test_float32_answers_get_the_option_that_judges_them():
    data = judged(
        {"distances": lambda *given: vectorized.distances(*given).astype(np.float32)}, LAW
    )
    assert "--precision float32" in notes(data)


def test_a_subject_that_accepts_invalid_input_gets_the_decorator():
    """If nothing else is wrong with it. The decorator exists."""

    def ratios(*given):
        return np.nan_to_num(vectorized.intersection_ratios(*map(np.nan_to_num, given)))

    def told(*laws):
        functions = {"intersection_ratios": ratios, "distances": lambda *given: 1.0}
        return notes(judged(functions, REJECTION_LAW, *laws, shrink=False))

    assert "examples/subject_contract.py" in told()
    assert "subject_contract" not in told(LAW)
    assert (
        "def checked(function):"
        in (Path(__file__).parents[3] / "examples" / "subject_contract.py").read_text()
    )


@pytest.mark.parametrize(
    ("got", "where", "times"),
    [
        (1 + 2**-30, "distances: D[0]", "1e+06"),  # the bracket is 1 to 1 + 2**-50
        (1 - 2**-48, "distances: D[0]", "4"),
        (1 + 2**-49 - 2**-52, "distances: D[0]", None),  # three quarters of the width
        (1 + 2**-19, "distances: D[0]", None),  # two millionths are not so small
        (np.nan, "distances: D[0]", None),
        (1 + 2**-30, "distances after x_i moved[0]", None),  # that bracket is not rounding alone
    ],
)
def test_a_small_error_is_counted_in_widths_of_the_bracket(got, where, times):
    told = notes(made_up(violation(where, got, 1.0, 1 + 2**-50)))
    assert (f"small, but {times} times" in told) if times else (told == "")


def without_local_roots(X_i, X_j, centers, radii, local_metrics, background_metric):
    """Equation (9), but the square root of the local lengths is forgotten."""
    gamma = vectorized.intersection_ratios(X_i, X_j, centers, radii)
    d = X_j - X_i
    local_squares = np.einsum("pf,sfg,pg->ps", d, local_metrics, d)
    background_squares = np.einsum("pf,fg,pg->p", d, background_metric, d)
    gamma_b = np.maximum(1 - gamma.sum(axis=1), 0)
    return gamma_b * np.sqrt(np.maximum(background_squares, 0)) + (gamma * local_squares).sum(
        axis=1
    )


def in_single_precision(*given):
    return vectorized.distances(*given).astype(np.float32)


def as_a_column(*given):
    return vectorized.distances(*given)[:, None]


def with_invalid_numbers_accepted(*given):
    return vectorized.distances(*map(np.nan_to_num, given))


def with_an_argument_changed(*given):
    D = vectorized.distances(*given)
    given[0][:] = 0
    return D


@pytest.mark.parametrize(
    "wrong",
    [
        without_local_roots,
        in_single_precision,
        as_a_column,
        with_invalid_numbers_accepted,
        with_an_argument_changed,
    ],
)
def test_a_report_names_no_slip_that_the_subject_does_not_have(wrong):
    """None of these is a mutant, but each violates nearly the same laws as one."""
    functions = {"intersection_ratios": vectorized.intersection_ratios, "distances": wrong}
    data = judged(functions, shrink=False)
    assert data["verdict"] == "violates"
    assert data["laws run"] >= 20
    for shown in (json.dumps(data), as_text(data, width=10_000), page.page(data)):
        assert [
            name for name, mutant in MUTANTS.items() if name in shown or mutant.slip in shown
        ] == []


def test_a_report_names_the_slip_whose_answers_the_subject_gives():
    """gamma without its clips, judged by one law: text, page and data have the sentence."""

    def distances(X_i, X_j, centers, radii, local_metrics, background_metric):
        gamma = vectorized.intersection_ratios(X_i, X_j, centers, radii)
        d = X_j - X_i
        local = np.einsum("pf,sfg,pg->ps", d, local_metrics, d)
        background = np.einsum("pf,fg,pg->p", d, background_metric, d)
        gamma_b = 1 - gamma.sum(axis=1)
        lengths = np.sqrt(np.maximum(local, 0))
        return gamma_b * np.sqrt(np.maximum(background, 0)) + (gamma * lengths).sum(axis=1)

    data = judged({"distances": distances}, LAW)
    [slip] = data["slips"]
    [law] = data["laws"]
    assert "gamma_b" in slip["sentence"]
    assert law["resembles"] == [slip["sentence"]]
    assert slip["sentence"] in " ".join(as_text(data).split())
    assert slip["sentence"] in unescape(page.page(data))


# --- Snippets
# --------------------------------------------------------------------------------------------------


def test_the_snippet_repeats_the_violation_and_is_a_test(tmp_path):
    """The Python lines of the report run as they are, print the value got, and end in an assertion
    that fails until the subject is mended.
    """
    file = tmp_path / "pasted_subject.py"
    wrong = "from lmlir.vectorized import distances as D\ndef distances(*given):\n    return "
    file.write_text(f"{wrong}D(*given) * 1.001\n")
    data = as_json(judge(subjects.load(str(file)), "quick", only=[LAW]))
    found = data["laws"][0]["counterexample"]

    def ran():
        line = [sys.executable, "-B", "-c", found["snippet"]]
        return subprocess.run(line, capture_output=True, text=True, timeout=60)

    before = ran()
    assert before.stderr.endswith("AssertionError\n")
    printed = [float(part) for part in before.stdout.replace("[", " ").replace("]", " ").split()]
    assert any(value == pytest.approx(found["got"], rel=1e-6) for value in printed)
    file.write_text(f"{wrong}D(*given)\n")
    assert ran().returncode == 0


def test_the_snippet_of_a_question_with_nan_or_infinity_runs(tmp_path, monkeypatch):
    """Python has no literals for these numbers: the lines get them from NumPy, in arrays and
    alone.
    """
    radii = np.array([np.nan, -np.inf, np.inf, 1.5])
    question = {
        "centers": np.full((4, 1), np.nan, np.float32),
        "radii": radii,
        "alpha": np.inf,
        "K": 3,
    }
    (tmp_path / "echo_subject.py").write_text("def objective(*given):\n    return given\n")
    monkeypatch.syspath_prepend(tmp_path)
    made = {}
    exec(snippet([Call("objective", question)], "echo_subject"), made)
    for value, got in zip(question.values(), made["answer"], strict=True):
        np.testing.assert_array_equal(got, value)
        assert np.asarray(got).dtype == np.asarray(value).dtype


def test_the_name_of_a_subject_is_not_code_in_the_snippet():
    compile(snippet([], "functions\nraise SystemExit"), "snippet", "exec")
    assert "\nraise" not in snippet([], "functions\nraise SystemExit")


# --- The text
# --------------------------------------------------------------------------------------------------

GOLDEN = """\
Verdict on mine: The mathematics violates 1 and gives no answer in 1 of 3 laws. \
This is about 1 of 9 functions, all that it offers.
(profile quick, float64, seed 7)

Not offered (1): NAME
Held (1): NAME
At least one of these statements is violated: ITEMS

  errored  NAME: 2 + 2

VIOLATED  distances match equation 9  (distances_match_equation_9)
    Statement: D is gamma_b times the background length plus the sum of gamma
      times the local lengths, with gamma_b = max(1 - sum gamma, 0).
    Items: Equation (9), Definition 3, Definition 4, Definition 7, Equation (2),
      Equation (5), Section 3.2, gamma_b
    To repeat it:
        import numpy as np
        import mine as subject

        answer_1 = subject.distances(
            np.array([[0.0]]),  # X_i
            np.array([[4.0]]),  # X_j
            np.array([[0.0]]),  # centers
            np.array([1.0]),  # radii
        )
        print(answer_1)
        answer_2 = subject.distances(
            np.array([[4.0]]),  # X_i
            np.array([[0.0]]),  # X_j
            np.array([[0.0]]),  # centers
            np.array([1.0]),  # radii
        )
        print(answer_2)
    Found after 1 example: distances: D[0]
    Got:     1.000001
    Allowed: 1 within 1e-10
    Table 2: rows 4, 7
    Returned: [1.000001]

Ran 3 of COUNT laws: 1 held, 1 violated, 1 errored; 1 not offered. 0.0 s.
All inputs and answers: written to a.json; --html FILE draws them.
"""


def test_the_text_word_for_word():
    calls = [
        Call("distances", {"X_i": np.array([[a]]), "X_j": np.array([[4.0 - a]]), **REGION})
        for a in (0.0, 4.0)
    ]
    wrong = Violation(
        "D is wrong",
        calls,
        "distances: D[0]",
        1.000001,
        1.0,
        1.0000000001,
        "[1.000001]",
        "Returned",
    )
    data = made_up(wrong, Violation("2 + 2", calls, errored=True), "not offered", "held", seed=7)
    names = [law["law"] for law in data["laws"]]
    assert len(set(names)) == 4
    golden = GOLDEN.replace("COUNT", str(len(LAWS)))
    for name in (names[2], names[3], names[1]):
        golden = golden.replace("NAME", name, 1)
    text = as_text(data, json="a.json", width=80, verbose=True)
    beginning, end = golden.strip().split("ITEMS")
    assert text.startswith(beginning)
    assert text.endswith(end)
    assert "\nHeld" not in as_text(data)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_lines_fit_the_terminal(width):
    """Except for the verdict, lines of code and words that are longer."""
    data = made_up(
        violation("distances: D[0]", 2.0, 0.5, 0.75),
        violation(),
        "held",
        "not judged",
        *["held"] * 30,
    )
    lines = [
        line for line in as_text(data, width=width).splitlines() if not line.startswith(8 * " ")
    ]
    del lines[0]  # the verdict is one line, whatever the width
    assert all(len(line) <= width or len(line.split()) == 1 for line in lines), max(lines, key=len)
    assert max(map(len, lines)) > width - 12


def test_control_characters_are_made_visible():
    """In an exception, in the name of the subject, in a near miss: a terminal is not cleared, and
    no line is added.
    """
    evil = "\x1b[2J\rVerdict on evil.py: conforms\x9b8m\u202e\nVerdict on evil.py: conforms"
    data = made_up(
        Violation(evil, [Call("objective", {})], said=evil, errored=True),
        Violation(evil, errored=True),
    )
    data |= {"subject": evil, "near misses": {evil: ["distances"]}}
    text = as_text(data)
    assert not set("\x1b\r\x9b\u202e") & set(text)
    assert "␛[2J" in text
    assert "\\x9b8m" in text
    assert sum(line.startswith("Verdict") for line in text.splitlines()) == 1


def test_the_first_violation_of_each_function_is_shown_in_full_and_the_first_of_all_last():
    """The others are one sentence each, and the verdict is the first line."""
    random = np.random.default_rng(0)

    def dice(function):
        def answer(*given):
            shapes = function.shapes(dict(zip(function.arguments, given, strict=True)))
            return (
                random.random(shapes[0])
                if function.single
                else tuple(random.random(shape) for shape in shapes)
            )

        return answer

    data = judged({name: dice(function) for name, function in FUNCTIONS.items()}, shrink=False)
    lines = as_text(data).splitlines()
    assert data["counts"]["violated"] > 36
    assert sum(line.startswith("  violated  ") for line in lines) <= 30
    titles = [line for line in lines if line.startswith("VIOLATED")]
    assert len(titles) == len(FUNCTIONS)
    first = next(law for law in data["laws"] if law["counterexample"])
    assert titles[-1].endswith(f"({first['law']})")
    assert "mathematics" in lines[0]


def raising(D):
    """A message that is another for every input."""
    raise ValueError(f"{D} is not {len(D)}")


@pytest.mark.parametrize(
    ("spoiled", "fault"),
    [
        (lambda D: D * np.nan, "distances returned NaN"),
        (lambda D: D[None], "distances returned a wrong shape"),
        (lambda D: None, "distances returned None"),
        (lambda D: ["a"] * len(D), "distances returned values that are not numbers"),
        (raising, f"test_report.py:{raising.__code__.co_firstlineno + 2}"),
    ],
)
def test_the_same_fault_of_a_function_is_listed_once(spoiled, fault):
    """Three laws, one cause."""
    functions = {"distances": lambda *given: spoiled(vectorized.distances(*given))}
    data = judged(functions, LAW, SWAP, "a_batch_equals_its_rows_one_by_one", shrink=False)
    text = as_text(data)
    assert data["counts"]["violated"] + data["counts"]["errored"] == 3
    assert not re.search("^  (violated|errored)  ", text, re.MULTILINE)
    [paragraph] = re.findall(r"^  2 other laws(?:.+\n)+", text, re.MULTILINE)
    assert fault in " ".join(paragraph.split())
    assert fault in str(page.page(data))


def test_different_faults_of_a_function_are_listed_one_by_one():
    """Another exception is another cause, and a wrong number is not a fault of this kind."""
    wrong = violation("distances: D[0]", 2.0, 0.5, 0.75)
    faults = [SubjectFailure(f"distances raised {name}: no") for name in ("KeyError", "TypeError")]
    text = as_text(made_up(wrong, *faults, wrong, wrong))
    assert text.count("\n  errored  ") == 2
    assert text.count("\n  violated  ") == 2
    assert "other law" not in text


@pytest.mark.parametrize("number", [0.25, 1e300, -1.0])
def test_the_numbers_of_further_violations_are_not_cut_off(number):
    """The law with the longest name, and a long place."""
    where = "exact_background_ratios of disjoint regions, and much that is to be said of them[0, 1]"
    data = made_up(violation(), violation(where, number, 0.5, 0.75))
    data["laws"][1]["law"] = max((law.name for law in LAWS), key=len)
    told = {0.25: "got 0.25, too small by 0.25", 1e300: "got 1e+300, too large by 1e+300"}
    assert f": {told.get(number, 'got -1, too small by 1.5')} " in " ".join(as_text(data).split())


@pytest.mark.parametrize(
    "files",
    [{"json": ""}, {"html": "a.html"}, {"json": "a.json"}, {"json": "a.json", "html": "a.html"}],
    ids=str,
)
def test_the_report_names_the_files_that_were_written_and_the_options_that_were_not_given(files):
    calls = [Call("distances", {**REGION, "X_i": np.zeros((900, 1)), "X_j": np.zeros((900, 1))})]
    lines = as_text(made_up(Violation("wrong", calls)), **files).splitlines()
    [named] = [line for line in lines if line.startswith("All inputs")]
    for option in ("json", "html"):
        assert (f"a.{option}" in named) == bool(files.get(option)) != (f"--{option} FILE" in named)
    where = next(line for line in lines if "The input has" in line)
    assert next(iter(files.values()), "--json FILE") in where


def test_a_report_outside_the_command_line_names_no_options():
    """Python and pytest have none, whether the input is small or large."""
    for rows in (1, 900):
        arguments = {**REGION, "X_i": np.zeros((rows, 1)), "X_j": np.zeros((rows, 1))}
        text = as_text(made_up(Violation("wrong", [Call("distances", arguments)])))
        assert "--json" not in text
        assert "--html" not in text
