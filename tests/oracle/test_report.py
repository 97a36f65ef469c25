"""`lmlir check` and `pytest --pyargs lmlir.oracle`: exit codes, JSON, text, and snippets that run."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from lmlir import commands, vectorized
from lmlir.commands import check as command
from lmlir.oracle import report as reports
from lmlir.oracle import runner, subjects
from lmlir.oracle.engine import process
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.laws import LAWS, by_name
from lmlir.oracle.violations import CannotBeJudged
from tests.oracle.arrays import shaped

LAW = "distances_match_equation_9"
RARELY_WRONG = """
from lmlir import vectorized
def distances(*given):
    D = vectorized.distances(*given)
    return D * 1.001 if int(abs(given[0].flat[0] if given[0].size else 0) * 1e6) % 97 in (13, 14) else D
"""
GOOD = "from lmlir.vectorized import distances\n"
BAD = "from lmlir import vectorized\ndef distances(*given):\n    return vectorized.distances(*given) * 1.001\n"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Write a subject into a file in the working directory and name it."""
    monkeypatch.chdir(tmp_path)

    def write(text, name="mine.py"):
        (tmp_path / name).write_text(text)
        return name

    return write


def check(*arguments):
    return commands.main(["check", *arguments, "--profile", "quick"])


def test_a_conforming_subject_exits_with_0(file, capsys):
    """The verdict is the first line, and the number of laws run stands next to the number that exist."""
    assert check(file(GOOD), "--only", LAW) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "Verdict: mine.py conforms in 1 of 9 functions, all that it offers."
    counts = "Held: 1, violated: 0, errored: 0, not offered: 0, not judged: 0."
    assert f"Laws run: 1 of {len(LAWS)} that exist. {counts}" in out


def test_a_violating_subject_exits_with_1_and_a_report_for_people(file, capsys):
    """Equation (9): the statement in words, the input, the value got and the bracket allowed."""
    assert check(file(BAD), "--only", LAW) == 1
    out = capsys.readouterr().out
    for part in (
        "VIOLATED",
        "Statement: D is gamma_b times",
        "Items: Equation (9)",
        "Got: ",
        "Allowed: ",
        "To repeat it:",
        "--json FILE",
    ):
        assert part in out, part
    assert "Known slips" not in out  # one law that fails is no pattern


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["no_such_module"], "there is no module no_such_module"),
        ([], "give either SUBJECT or --command"),
        (["json", "--command", "cat"], "give either SUBJECT or --command"),
        (["json"], "offers none of the 9 functions"),
        (["lmlir.vectorized", "--only", "no_such_law"], "there is no law no_such_law"),
        (["--command", "no-such-program-anywhere"], "cannot be started"),
    ],
)
def test_what_cannot_be_judged_exits_with_2_and_one_sentence(arguments, told, capsys):
    """Not loadable, offers nothing, crashed at the start."""
    assert check(*arguments) == 2
    error = capsys.readouterr().err
    assert told in error and len(error.strip().splitlines()) == 1


def test_the_json_report_has_the_fields_of_the_surface(file, tmp_path):
    """`check --json`: subject, verdict, reason, counts, laws with law, items, status, examples, counterexample, resembles."""
    subject = file(BAD)
    assert check(subject, "--only", LAW, "ratios_match_table_2", "--json", "out.json") == 1
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["subject"] == subject and data["verdict"] == "violates" and LAW in data["reason"]
    assert data["counts"] == {"held": 0, "violated": 1, "errored": 0, "not offered": 1, "not judged": 0}
    violated, absent = data["laws"]
    assert (violated["law"], violated["status"], absent["status"]) == (LAW, "violated", "not offered")
    assert "Equation (9)" in violated["items"] and violated["examples"] >= 1
    assert isinstance(violated["resembles"], list)
    assert absent["counterexample"] is None and absent["examples"] == 0
    found = violated["counterexample"]
    low, high = found["allowed"]
    assert not low <= found["got"] <= high


def test_the_report_says_which_statements_of_the_paper_hold_and_which_do_not():
    """Equation (9) is violated by one law although another holds; Definition 8 is not offered."""
    subject = subjects.from_functions({"distances": lambda *given: vectorized.distances(*given) * 1.001}, name="mine")
    laws = [LAW, "distances_are_continuous", "equal_points_are_at_distance_zero", "ratios_match_table_2"]
    report = runner.judge(subject, profile="quick", only=laws)
    found = reports.statements(report)
    assert "Equation (9)" in found["violated"] and "Table 1" in found["not offered"]
    assert "Table 2" in found["not offered"]  # the law about equal points cites it, but ran on distances alone
    assert "Theorem A" in found["held"] and "Equation (9)" not in found["held"]
    text = " ".join(reports.as_text(report).split())
    assert "Statements that the violated laws rest on, at least one of which is broken: Equation (9)" in text
    assert "Statements held: " in text
    assert "Found after 1 example: " in reports.as_text(report)


def test_a_partial_subject_is_not_told_of_statements_about_what_it_does_not_offer():
    """A subject that offers intersection_ratios alone: a law about all functions says nothing of equation (9)."""
    subject = subjects.from_functions({"intersection_ratios": vectorized.intersection_ratios}, name="mine")
    report = runner.judge(subject, profile="quick")
    found = reports.statements(report)
    assert set(found["held"]) == {"Definition 1", "Definition 5", "Definition 8", "Equation (1)", "Equation (7)"} | {
        "Table 1",
        "Table 2",
    }
    assert found["violated"] == []
    for item in (
        "Equation (9)",
        "Equation (10)",
        "Theorem A",
        "Section 5.2, objective g",
        "Section 5.2, gradient of g",
    ):
        assert item in found["not offered"]


def test_a_violation_in_one_function_says_nothing_of_the_others():
    """Definition 7 is violated by distances that are not symmetric; Definition 8, cited by the same law, is not."""

    def distances(*given):
        return vectorized.distances(*given) * (1 + 1e-3 * (given[0][:, 0] > given[1][:, 0]))

    functions = {"distances": distances, "intersection_ratios": vectorized.intersection_ratios}
    laws = ["swapping_the_end_points_changes_nothing", "ratios_match_table_2"]
    report = runner.judge(subjects.from_functions(functions), profile="quick", only=laws)
    found = reports.statements(report)
    assert "Definition 7" in found["violated"] and "Equation (9)" in found["violated"]
    assert "Definition 8" in found["held"]


def test_a_partial_subject_conforms_in_a_part_of_the_interface(file, tmp_path, capsys):
    """In the text and in the reason of the JSON; the verdict itself stays one of three."""
    assert check(file(GOOD), "--only", LAW, "--json", "out.json") == 0
    assert capsys.readouterr().out.startswith("Verdict: mine.py conforms in 1 of 9 functions, all that it offers.\n")
    data = json.loads((tmp_path / "out.json").read_text())
    assert (data["verdict"], data["offered"]) == ("conforms", ["distances"])
    assert data["reason"] == f"conforms in 1 of 9 functions: 1 of {len(LAWS)} laws held"


def test_a_whole_subject_conforms_without_more_ado(monkeypatch):
    """All nine functions offered, and judged."""
    monkeypatch.setitem(runner.PROFILES, "quick", runner.Profile("quick", 1, 60.0, 0.1))
    report = runner.judge(subjects.from_module(vectorized), "quick", only=["empty_batches_get_empty_answers"])
    assert report.conclusion == "conforms" and len(report.judged) == 9


def test_a_subject_without_any_of_the_names_hears_the_names_and_what_it_may_have_meant(file, capsys):
    """Exit status 2, one sentence: the nine names, and the near misses."""
    assert check(file("def ratios(*given): ...\ndef descend_step(*given): ...\ndef plot(): ...\n")) == 2
    error = capsys.readouterr().err
    assert all(name in error for name in FUNCTIONS) and error.count("\n") == 1
    assert (
        "intersection_ratios or exact_background_ratios by ratios" in error and "descent_step by descend_step" in error
    )
    assert "plot" not in error


def test_a_misspelt_name_beside_a_valid_one_is_mentioned(file, tmp_path, capsys):
    """The subject is judged by what it offers, and told."""
    subject = file(GOOD + "def cross_distance(*given): ...\n")
    assert check(subject, "--only", LAW, "--json", "out.json") == 0
    assert "did you mean cross_distances by cross_distance?" in capsys.readouterr().out
    assert json.loads((tmp_path / "out.json").read_text())["near misses"] == {"cross_distance": ["cross_distances"]}


def test_a_subject_with_all_nine_names_has_no_near_misses():
    assert subjects.load("lmlir.vectorized").near_misses == {}


def test_the_json_vector_repeats_the_violation(file, tmp_path):
    """The arguments in the report, asked again, give the value in the report."""
    check(file(BAD), "--only", LAW, "--json", "out.json")
    call = json.loads((tmp_path / "out.json").read_text())["laws"][0]["counterexample"]["calls"][0]
    again = vectorized.distances(*shaped(call["arguments"]).values()) * 1.001
    assert np.array_equal(again, call["result"])


def test_the_snippet_repeats_the_violation_when_pasted(file, tmp_path):
    """The Python lines of the report run as they are and print the value got."""
    check(file(BAD, "pasted_subject.py").removesuffix(".py"), "--only", LAW, "--json", "out.json")
    found = json.loads((tmp_path / "out.json").read_text())["laws"][0]["counterexample"]
    ran = subprocess.run([sys.executable, "-c", found["snippet"]], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    printed = [float(part) for part in ran.stdout.replace("[", " ").replace("]", " ").split()]
    assert any(value == pytest.approx(found["got"], rel=1e-6) for value in printed)


def test_json_on_standard_output_is_json_alone(file, capsys):
    """`--json -`: nothing else is written there."""
    check(file(BAD), "--only", LAW, "--json", "-")
    assert json.loads(capsys.readouterr().out)["verdict"] == "violates"


def test_a_subject_that_cannot_be_judged_gets_a_json_report_too(tmp_path):
    """The verdict and the reason."""
    target = tmp_path / "out.json"
    check("no_such_module", "--json", str(target))
    data = json.loads(target.read_text())
    assert data["verdict"] == "cannot be judged" and "no_such_module" in data["reason"] and data["laws"] == []


def test_infinite_values_are_valid_json():
    """Numbers that JSON lacks become strings."""
    subject = subjects.from_functions(
        {"distances": lambda *given: vectorized.distances(*given) + np.inf}, name="infinite"
    )
    report = runner.judge(subject, profile="quick", only=[LAW])
    text = json.dumps(reports.as_json(report), allow_nan=False)
    assert json.loads(text)["laws"][0]["counterexample"]["got"] == "Infinity"


def test_large_counterexamples_are_cut_in_the_text_and_whole_in_the_json():
    """A slip that shows only in large batches."""

    def distances(*given):
        D = vectorized.distances(*given)
        D[600:] += 1
        return D

    subject = subjects.from_functions({"distances": distances}, name="mine")
    report = runner.judge(subject, profile="quick", only=["large_batches_are_answered_like_small_ones"])
    assert report.verdict == "violates"
    assert len(reports.as_text(report)) < 15_000
    call = reports.as_json(report)["laws"][0]["counterexample"]["calls"][0]
    assert len(call["arguments"]["X_i"]) > 600


def test_the_report_counts_rows_and_kinks(capsys):
    """Table 2 and Table 3: visits by row, and how often the kink rule was used."""
    check("lmlir.vectorized", "--only", "ratios_match_table_2", "ratio_gradients_match_table_3")
    out = capsys.readouterr().out
    assert "Table 2, visits by row: 1: " in out and "Table 3, visits by row: 1: " in out
    assert "kink rule" in out


def test_progress_is_told_while_the_laws_run():
    """A live line: which law, which number, of how many."""
    told = []
    subject = subjects.from_functions({"distances": vectorized.distances})
    runner.judge(subject, profile="quick", only=[LAW, "ratios_match_table_2"], progress=lambda *line: told.append(line))
    assert told == [(LAW, 0, 2, 0), ("ratios_match_table_2", 1, 2, 0)]


def test_the_line_of_progress_is_one_line_on_a_terminal(file, monkeypatch, capsys):
    """The law, its number and, every now and then, its examples; wiped off at the end."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(command, "EVERY", 0.0)
    assert check(file(GOOD), "--only", LAW) == 0
    err = capsys.readouterr().err
    assert "\n" not in err and err.endswith("\r\x1b[K")
    assert "[1/1] distances match equation 9 ..." in err and "[1/1] distances match equation 9 ... 2" in err


def test_the_first_violation_is_told_before_the_next_law_runs():
    """A broken subject hears of it in a few seconds, not with the report."""
    told = []
    subject = subjects.from_functions({"distances": lambda *given: vectorized.distances(*given) * 1.001})
    runner.judge(
        subject,
        profile="quick",
        only=[LAW, "swapping_the_end_points_changes_nothing"],
        progress=lambda name, *line: told.append(name),
        violated=lambda result: told.append(result.status),
    )
    assert told == [LAW, "violated", "swapping_the_end_points_changes_nothing"]


def test_the_first_violation_is_one_line_on_standard_error(file, capsys):
    """The law, and what was wrong; a second violation waits for the report; a conforming subject gets no line."""
    check(file(BAD), "--only", LAW, "large_batches_are_answered_like_small_ones")
    captured = capsys.readouterr()
    assert captured.out.count("VIOLATED") == 1 and captured.out.count("\n  violated  large_batches_are") == 1
    assert captured.err.startswith(f"lmlir check: violated: {LAW}: distances: D[0] is ")
    assert captured.err.count("\n") == 1
    check(file(GOOD), "--only", LAW)
    assert capsys.readouterr().err == ""


# --- Statuses -----------------------------------------------------------------------------------------------------------


def test_a_law_without_an_answer_is_errored_and_counts_against_the_subject(file, tmp_path, capsys):
    """Exit status 1; the statement of the paper is not said to be violated."""
    text = "from lmlir.vectorized import distances\ndef intersection_ratios(*given):\n    raise IndexError('too far')\n"
    assert check(file(text), "--only", LAW, "ratios_match_table_2", "--json", "out.json") == 1
    data = json.loads((tmp_path / "out.json").read_text())
    assert [each["status"] for each in data["laws"]] == ["held", "errored"] and data["counts"]["errored"] == 1
    assert "Table 2" in data["statements"]["errored"] and data["statements"]["violated"] == []
    assert "ERRORED  ratios match table 2" in capsys.readouterr().out


def test_laws_after_a_subject_is_given_up_are_not_judged(file, tmp_path, monkeypatch, capsys):
    """A subject that crashes in every call: one law errored, the others say nothing of the paper."""
    monkeypatch.setattr(process, "MAX_STARTS", 3)
    text = "import os\ndef distances(*given):\n    os._exit(0)\n"
    assert check(file(text), "--json", "out.json") == 1
    data = json.loads((tmp_path / "out.json").read_text())
    status = {each["law"]: each["status"] for each in data["laws"]}
    reasons = {each["reason"] for each in data["laws"] if each["status"] == "not judged"}
    assert data["counts"]["errored"] == 1 and data["counts"]["not judged"] > 8 and data["counts"]["held"] == 0
    assert status[LAW] == "errored" and reasons == {"the subject had to be started 3 times and is not started again"}
    assert (
        data["statements"]["violated"] == data["statements"]["held"] == []
        and "Theorem A" in data["statements"]["not judged"]
    )
    assert len(capsys.readouterr().out.splitlines()) <= 80


def test_a_law_that_stops_before_its_corner_cases_are_done_is_not_judged(monkeypatch):
    """Out of time: then nobody says that the subject conforms."""
    monkeypatch.setitem(runner.PROFILES, "quick", runner.Profile("quick", 6, 0.0, 0.1))
    report = runner.judge(subjects.from_functions({"distances": vectorized.distances}), "quick", only=[LAW])
    assert (report.results[0].status, report.verdict) == ("not judged", "cannot be judged")
    assert report.reason.startswith(
        "1 of 1 laws were not judged, distances_match_equation_9 among them: stopped after 1"
    )


def test_nan_in_one_block_of_the_gradient_is_the_fault_of_that_block_alone():
    """Section 5.2: a law about one array of an answer does not look at the others."""

    def gradient(*given):
        blocks = vectorized.objective_gradient(*given)
        return blocks[0] * np.nan, *blocks[1:]

    subject = subjects.from_functions({"objective_gradient": gradient})
    laws = [law.name for law in LAWS if law.name.startswith("gradient_in_the_")]
    report = runner.judge(subject, "quick", only=laws, shrink=False)
    assert len(laws) == 4 and report.violated == ["gradient_in_the_centers"]


def test_the_report_of_a_grossly_wrong_subject_has_at_most_two_screens():
    """The first violation in full, the others a line each."""
    random = np.random.default_rng(0)

    def dice(function):
        def answer(*given):
            shapes = function.shapes(dict(zip(function.arguments, given, strict=True)))
            return random.random(shapes[0]) if function.single else tuple(random.random(shape) for shape in shapes)

        return answer

    subject = subjects.from_functions({name: dice(function) for name, function in FUNCTIONS.items()}, name="dice")
    report = runner.judge(subject, "quick", shrink=False)
    lines = reports.as_text(report).splitlines()
    assert len(report.violated) > 36 and len(lines) <= 80 and max(map(len, lines)) <= 120
    assert sum(line.startswith("  violated  ") for line in lines) == min(len(report.violated) - 1, reports.MOST_LINES)
    assert sum(line.startswith("VIOLATED") for line in lines) == 1


def test_the_json_report_grows_with_every_law(file, tmp_path, monkeypatch):
    """A run that is killed leaves what it found, marked as not finished, and nothing of a run before it."""
    (tmp_path / "out.json").write_text('{"verdict": "conforms"}')
    seen = []

    def look(law, *rest, **options):
        seen.append(json.loads((tmp_path / "out.json").read_text()))
        return run_law(law, *rest, **options)

    run_law = runner.run_law
    monkeypatch.setattr(runner, "run_law", look)
    assert check(file(BAD), "--only", LAW, "ratios_match_table_2", "--json", "out.json") == 1
    assert [each["verdict"] for each in seen] == ["cannot be judged"] * 2
    assert [each["reason"] for each in seen] == ["not finished: no law was run", "not finished: 1 of 2 laws were run"]
    assert seen[1]["laws"][0]["status"] == "violated"
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != "") == ["mine.py", "out.json"]


# --- pytest -------------------------------------------------------------------------------------------------------------


def run_pytest(tmp_path, *arguments):
    line = [sys.executable, "-m", "pytest", "--pyargs", "lmlir.oracle", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, timeout=280)


def test_pytest_runs_one_test_for_each_law(tmp_path):
    """In other projects' CI: passed, failed with the report, skipped where not offered."""
    (tmp_path / "bad_subject.py").write_text(BAD)
    ran = run_pytest(
        tmp_path,
        "--subject",
        "bad_subject",
        "--subject-profile",
        "quick",
        "-k",
        f"{LAW} or ratios_match or in_the_cone",
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "1 failed, 4 skipped" in ran.stdout
    assert "Statement: D is gamma_b" in ran.stdout and "Traceback" not in ran.stdout


def test_pytest_passes_for_a_conforming_subject(tmp_path):
    """Exit status 0; the pattern also names the law of the cross distances."""
    ran = run_pytest(tmp_path, "--subject", "lmlir.vectorized", "--subject-profile", "quick", "-k", LAW)
    assert ran.returncode == 0 and "2 passed" in ran.stdout, ran.stdout + ran.stderr


def test_pytest_tries_first_what_failed_the_last_time(tmp_path):
    """Hypothesis keeps the failing case in the project's example database: a seed that would miss it finds it, too."""
    (tmp_path / "rarely.py").write_text(RARELY_WRONG)
    subject = subjects.load(str(tmp_path / "rarely.py"))

    def status(seed):
        return runner.run_law(by_name(LAW), subject, seed=seed, shrink=False).status

    finds = next(seed for seed in range(40) if status(seed) == "violated")
    misses = next(seed for seed in range(finds + 1, 80) if status(seed) == "held")
    options = ["--subject", "rarely", "-k", f"{LAW} and not cross", "--subject-profile", "quick"]
    options += ["--hypothesis-profile", "default", "--subject-seed"]  # the one for hosted CI keeps no database
    assert run_pytest(tmp_path, *options, str(finds)).returncode == 1
    assert (tmp_path / ".hypothesis").is_dir()
    assert run_pytest(tmp_path, *options, str(misses)).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "told"), [(["--subject", "no_such_module"], "there is no module"), ([], "give --subject")]
)
def test_pytest_says_once_why_a_subject_cannot_be_judged(tmp_path, arguments, told):
    """One sentence in place of a traceback, and one failure in place of one for each law."""
    ran = run_pytest(tmp_path, *arguments)
    assert ran.returncode == 1 and told in ran.stdout and "Traceback" not in ran.stdout
    assert f"1 failed, {len(LAWS) - 1} skipped" in ran.stdout


def test_pytest_names_the_extra_that_is_missing(tmp_path, monkeypatch):
    """Without Hypothesis: one sentence, and not a success."""
    (tmp_path / "hypothesis").mkdir()
    (tmp_path / "hypothesis" / "__init__.py").write_text("raise ModuleNotFoundError('none', name='hypothesis')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    ran = run_pytest(tmp_path, "--subject", "json", "-p", "no:hypothesispytest")
    assert ran.returncode == 2 and "Traceback" not in ran.stdout
    assert "the laws need the package hypothesis: pip install 'lmlir[oracle]'" in ran.stdout


def test_pytest_asks_about_a_misspelt_name(tmp_path):
    """A law that is skipped because its function is missing says what may have been meant."""
    (tmp_path / "misspelt.py").write_text(GOOD + "def cross_distance(*given): ...\n")
    ran = run_pytest(
        tmp_path, "--subject", "misspelt", "-rs", "-k", "cross_distances_match", "--subject-profile", "quick"
    )
    assert ran.returncode == 0 and "did you mean cross_distances by cross_distance?" in ran.stdout, ran.stdout


def test_options_are_checked_by_the_runner():
    """--subject-profile with a slip of the pen."""
    with pytest.raises(CannotBeJudged, match="profile must be one of quick, default, thorough"):
        runner.check_options("fast", "float64")
