"""`lmlir check`, `lmlir.check` and `pytest --pyargs lmlir.oracle`: exit statuses, files, streams
and options.
"""

import errno
import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from html import escape, unescape
from xml.etree import ElementTree

import numpy as np
import pytest

import lmlir
from lmlir import commands, terminal, vectorized
from lmlir.commands import check as command
from lmlir.oracle import subjects
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.judging import judge as judge_module
from lmlir.oracle.judging.judge import run_law
from lmlir.oracle.laws import LAWS, by_name, selected
from lmlir.oracle.subjects import process

LAW = "distances_match_equation_9"
RATIOS = "ratios_match_table_2"
GOOD = "from lmlir.vectorized import distances\n"
BAD = (
    "from lmlir import vectorized\ndef distances(*given):\n    return "
    "vectorized.distances(*given) * 1.001\n"
)
RAISING = "def intersection_ratios(*given):\n    raise IndexError('too far')\n"
CRASHING = "import os\ndef intersection_ratios(*given):\n    os._exit(0)\n"
SLOW = "def intersection_ratios(*given):\n    while True: pass\n"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Write a subject into a file in the working directory and return its name."""
    monkeypatch.chdir(tmp_path)

    def write(text, name="mine.py"):
        (tmp_path / name).write_text(text)
        return name

    return write


def check(*arguments):
    return commands.main(["check", *arguments, "--profile", "quick"])


def check_apart(folder, *arguments, **options):
    """The command in a process of its own."""
    line = [sys.executable, "-m", "lmlir", "check", *arguments, "--profile", "quick"]
    return subprocess.run(
        line,
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
        **options,
    )


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "__pycache__")


# --- Exit statuses
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "status", "verdict", "laws"),
    [
        (GOOD, 0, "conforms", ["held", "not offered"]),
        (BAD, 1, "violates", ["violated", "not offered"]),
        (GOOD + RAISING, 3, "errored", ["held", "errored"]),
        (GOOD + CRASHING, 3, "errored", ["held", "errored"]),
        (GOOD + SLOW, 2, "cannot be judged", ["held", "not judged"]),
        (BAD + RAISING, 1, "violates", ["violated", "errored"]),
    ],
)
def test_the_exit_status_is_that_of_the_verdict(
    file, tmp_path, capsys, monkeypatch, text, status, verdict, laws
):
    """The text begins with the verdict; statements of the paper are violated by wrong answers
    alone.
    """
    monkeypatch.setattr(process, "MAX_STARTS", 12)
    assert (
        check(file(text), "--only", LAW, RATIOS, "--json", "out.json", "--timeout", "2") == status
    )
    data = json.loads((tmp_path / "out.json").read_text())
    assert (data["verdict"], [law["status"] for law in data["laws"]]) == (verdict, laws)
    assert capsys.readouterr().out.startswith("Verdict on mine.py: The mathematics ")
    assert ("Equation (9)" in data["statements"]["violated"]) == (status == 1)
    assert "Table 2" not in data["statements"]["violated"]


def test_the_mathematics_can_be_judged_alone(file, capsys):
    """A program that is right but takes NaN for 0: exit status 1, and 0 if the contract is not
    asked for.
    """
    name = file(
        "import numpy\nfrom lmlir import vectorized\ndef distances(*given):\n    return "
        "vectorized.distances(*map(numpy.nan_to_num, given))\n"
    )
    laws = [LAW, "invalid_input_is_rejected"]
    assert check(name, "--only", *laws) == 1
    assert check(name, "--kind", "mathematics", "--only", *laws) == 0
    assert lmlir.check(name, profile="quick", kind="mathematics", only=laws).conforms
    assert not lmlir.check(name, profile="quick", kind="contract", only=laws).conforms


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["no_such_module"], "no_such_module"),
        ([], "give either SUBJECT or --command"),
        (["json", "--command", "cat"], "give either SUBJECT or --command"),
        (["json"], "offers none of the 9 functions"),
        (["lmlir.vectorized", "--only", "no_such_law"], "there is no law no_such_law"),
        (["--command", "no-such-program-anywhere"], "no-such-program-anywhere"),
        (["--command", "cat 'x"], "--command"),
        (["lmlir.vectorized", "--html", "-"], "--html"),
        (["lmlir.vectorized", "--json", "folder"], "folder"),
        (["lmlir.vectorized", "--html", "nowhere/a.html"], "nowhere/a.html"),
    ],
)
def test_what_cannot_be_judged_exits_with_2_and_one_sentence(
    file, tmp_path, arguments, told, capsys
):
    """Before any law runs."""
    file(GOOD)
    (tmp_path / "folder").mkdir()
    assert check(*arguments) == 2
    answer = capsys.readouterr()
    assert told in answer.err
    assert len(answer.err.strip().splitlines()) == 1
    assert answer.out == ""
    assert names(tmp_path) == ["folder", "mine.py"]


def test_a_report_shows_where_an_exception_was_raised(file, tmp_path, capsys):
    """In the text, the data and the page."""
    files = ["--json", "a.json", "--html", "a.html"]
    assert check(file(RAISING), "--only", "ratios_match_table_2", *files) == 3
    frame = "mine.py:2 in intersection_ratios: raise IndexError('too far')"
    data = json.loads((tmp_path / "a.json").read_text())
    assert data["laws"][0]["counterexample"]["traceback"] == [frame]
    assert f"at {frame}" in capsys.readouterr().out
    assert f"at {escape(frame)}" in (tmp_path / "a.html").read_text()


def test_a_failed_import_shows_where_it_was_raised(file, tmp_path, capsys):
    """On standard error, in the data and on the page; no text of the subject begins a line."""
    text = "def f():\n    1 / 0\n"
    text += "f.__code__ = f.__code__.replace(co_name='\\nlmlir check: \x1b')\nf()\n"
    assert check(file(text), "--json", "a.json", "--html", "a.html") == 2
    first, *frames = capsys.readouterr().err.splitlines()
    assert "ZeroDivisionError in mine.py:2" in first
    assert [line[:12] for line in frames] == ["  at mine.py"] * 2
    assert frames[-1].endswith("1 / 0")
    assert "\x1b" not in "".join(frames)
    assert len(json.loads((tmp_path / "a.json").read_text())["traceback"]) == 2
    assert "mine.py:4 in &lt;module&gt;: f()" in (tmp_path / "a.html").read_text()


def test_the_help_lists_the_exit_statuses(capsys):
    with pytest.raises(SystemExit):
        commands.main(["check", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert all(f"{status} {verdict}" in text for verdict, status in command.EXIT_STATUSES.items())
    assert "not a sandbox" in text


def test_a_module_without_interface_functions_gets_suggestions(file, capsys):
    """The nine names, and the near misses."""
    assert (
        check(file("def ratios(*given): ...\ndef descend_step(*given): ...\ndef plot(): ...\n"))
        == 2
    )
    error = capsys.readouterr().err
    assert all(name in error for name in (*FUNCTIONS, "by ratios", "by descend_step"))
    assert "plot" not in error


def test_a_misspelled_name_beside_a_valid_one_is_mentioned(file, tmp_path, capsys):
    assert (
        check(file(GOOD + "def cross_distance(*given): ...\n"), "--only", LAW, "--json", "out.json")
        == 0
    )
    # at any width
    assert "cross_distances by cross_distance" in " ".join(capsys.readouterr().out.split())
    assert json.loads((tmp_path / "out.json").read_text())["near misses"] == {
        "cross_distance": ["cross_distances"]
    }


def test_laws_after_a_subject_is_given_up_are_not_judged(file, tmp_path, monkeypatch, capsys):
    """A subject that crashes in every call: one law errored, the others do not judge the paper."""
    monkeypatch.setattr(process, "MAX_STARTS", 3)
    assert (
        check(file("import os\ndef distances(*given):\n    os._exit(0)\n"), "--json", "out.json")
        == 3
    )
    data = json.loads((tmp_path / "out.json").read_text())
    status = {law["law"]: law["status"] for law in data["laws"]}
    counts, statements = data["counts"], data["statements"]
    assert counts["errored"] == 1
    assert counts["not judged"] > 8
    assert counts["held"] == 0
    assert status[LAW] == "errored"
    assert all("3 times" in law["reason"] for law in data["laws"] if law["status"] == "not judged")
    assert statements["violated"] == statements["held"] == []
    assert "Theorem A" in statements["not judged"]
    assert len(capsys.readouterr().out.splitlines()) <= 80


# --- In the loop
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "laws"),
    [
        ([LAW], [LAW]),
        (["ratios_match_*", LAW], [RATIOS, LAW]),
        (["gradient_in_the_*"], [law.name for law in LAWS if law.name.startswith("gradient_in_")]),
        (["equation (10)"], [law.name for law in LAWS if "Equation (10)" in law.items]),
        (["distances"], [law.name for law in LAWS if "distances" in law.functions]),
        (["distances", "*_table_2", LAW], [LAW]),
        ([], [law.name for law in LAWS]),
    ],
)
def test_laws_are_chosen_by_name_pattern_item_or_function(words, laws):
    assert [law.name for law in selected(words)[0]] == laws


def test_a_function_that_is_chosen_is_judged_alone(file, tmp_path):
    """The other function raises whatever it is asked; after the run it is still on offer."""
    evil = "def intersection_ratios(*given):\n    raise ValueError('no')\n"
    line = ["--only", "distances", "--json", "out.json"]
    assert check(file(GOOD + evil), "--kind", "mathematics", *line) == 0
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["offered"] == ["intersection_ratios", "distances"]
    assert {law["status"] for law in data["laws"]} == {"held", "not offered"}


def test_a_run_can_stop_at_the_first_violation(file, tmp_path, capsys):
    assert check(file(BAD), "-x", "--json", "out.json") == 1
    data = json.loads((tmp_path / "out.json").read_text())
    assert [law["status"] for law in data["laws"] if law["counterexample"]] == ["violated"]
    assert "stopped at the first violation" in capsys.readouterr().out.splitlines()[0]


def test_laws_that_failed_are_tried_again_with_their_inputs(file, tmp_path, capsys):
    """A violation that one random input in thousands shows is found at the first example."""
    name = file(BAD)
    laws = [LAW, "equal_points_are_at_distance_zero"]
    assert check(name, "--only", *laws, "--json", "out.json") == 1
    before = json.loads((tmp_path / "out.json").read_text())["laws"]
    assert check(name, "--again", "out.json", "--json", "again.json") == 1
    (law,) = json.loads((tmp_path / "again.json").read_text())["laws"]
    assert (law["law"], law["examples"]) == (LAW, 1)
    case = before[0]["counterexample"]["case"]
    assert np.size(law["counterexample"]["case"]["inputs"]["X_i"]) <= np.size(case["inputs"]["X_i"])
    assert check(file(GOOD), "--again", "out.json") == 0


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"laws": [{"status": "violated"}]}', '{"laws": []}']
)
def test_what_is_not_a_report_cannot_be_tried_again(file, tmp_path, capsys, text):
    name = file(GOOD)
    (tmp_path / "report.json").write_text(text)
    assert check(name, "--again", "report.json") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "report.json" in line


def test_failures_that_are_expected_do_not_change_the_verdict(file, tmp_path, capsys):
    """And a law that holds although it was expected to fail is counted."""
    name = file(BAD)
    laws = [LAW, "equal_points_are_at_distance_zero"]
    (tmp_path / "known.txt").write_text("# too large\ndistances_match_*  # by a thousandth\n\n")
    line = ["--only", *laws, "--expected-failures", "known.txt", "--json", "out.json"]
    assert check(name, *line) == 0
    data = json.loads((tmp_path / "out.json").read_text())
    assert [law["status"] for law in data["laws"]] == ["expected failure", "held"]
    assert "Equation (9)" in data["statements"]["violated"]
    answer = capsys.readouterr()
    assert "1 expected to fail" in answer.out.splitlines()[0]
    assert "violated" not in answer.err
    assert check(file(GOOD), *line) == 0
    assert "1 law held that should fail" in capsys.readouterr().out.splitlines()[0]
    (tmp_path / "known.txt").write_text("no_such_law")
    assert check(name, *line) == 2
    assert lmlir.check(name, profile="quick", only=laws, expected_failures="distances_*").conforms


def test_junit_has_a_test_case_per_law(file, tmp_path):
    """With control characters and markup in what the subject raises."""
    evil = "def cross_distances(*given):\n    raise ValueError('\\x1b<&>\\x00')\n"
    laws = [LAW, "cross_distances_match_equation_9", RATIOS]
    assert check(file(BAD + evil), "--only", *laws, "--junit", "out.xml") == 1
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()
    found = {case.get("name"): [child.tag for child in case] for case in suite}
    assert found == dict(zip(laws, (["failure"], ["error"], ["skipped"]), strict=True))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert check("no_such_module", "--junit", "out.xml") == 2
    suite = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert "no_such_module" in suite.find("testcase/error").get("message")


def test_a_subject_that_is_watched_is_judged_again_when_it_changes(file, tmp_path):
    """The file is wrong, then mended; Ctrl-C ends the watch."""
    file(BAD)
    line = [sys.executable, "-m", "lmlir", "check", "mine.py", "--watch", "--only", LAW]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as watch:
        verdicts = (text for text in watch.stdout if text.startswith("Verdict"))
        assert "violates" in next(verdicts)
        time.sleep(1.0)
        file(GOOD)
        os.utime(tmp_path / "mine.py", (2e9, 2e9))
        assert "conforms" in next(verdicts)
        watch.send_signal(signal.SIGINT)
        assert watch.wait(60) == 130


def test_the_instant_profile_tries_laws_with_small_corner_cases_alone():
    found = lmlir.check(vectorized, profile="instant")
    assert found.conforms
    assert 10 < len(found.data["laws"]) < len(LAWS)
    assert all(law["examples"] for law in found.data["laws"])


# --- Files
# --------------------------------------------------------------------------------------------------


def test_json_on_standard_output_is_json_alone(file, capsys):
    check(file(BAD), "--only", LAW, "--json", "-")
    assert json.loads(capsys.readouterr().out)["verdict"] == "violates"


def test_a_subject_that_cannot_be_judged_gets_a_report_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert check("no_such_module", "--html", "out.html", "--json", "out.json") == 2
    data = json.loads((tmp_path / "out.json").read_text())
    assert data["verdict"] == "cannot be judged"
    assert "no_such_module" in data["reason"]
    assert data["laws"] == []
    assert data["reason"] in unescape((tmp_path / "out.html").read_text(encoding="utf-8"))


def test_the_report_grows_with_every_law(file, tmp_path, monkeypatch):
    """A run that is killed leaves what it found, marked as not finished, and nothing of a run
    before it.
    """
    (tmp_path / "out.json").write_text('{"verdict": "conforms"}')
    seen = []

    def look(trial):
        seen.append(json.loads((tmp_path / "out.json").read_text()))
        return result_of(trial)

    result_of = judge_module.result_of
    monkeypatch.setattr(judge_module, "result_of", look)
    assert check(file(BAD), "--only", LAW, RATIOS, "--json", "out.json") == 1
    assert [each["verdict"] for each in seen] == ["cannot be judged"] * 2
    assert all(each["reason"].startswith("not finished") for each in seen)
    assert [law["status"] for law in seen[1]["laws"]] == ["violated"]
    assert names(tmp_path) == ["mine.py", "out.json"]


def test_a_missing_report_to_repeat_is_named_as_missing(file, capsys):
    assert check(file(GOOD), "--again", "nothere.json") == 2
    assert os.strerror(errno.ENOENT) in capsys.readouterr().err


@pytest.mark.parametrize("law", [LAW, RATIOS])
def test_an_interrupted_run_reports_what_it_found(law, file, tmp_path, monkeypatch, capsys):
    """Ctrl-C while the violation is replayed, or in the second law: exit status 130, and the files
    are named.
    """

    def interrupted(trial):
        if trial.law.name == law:
            raise KeyboardInterrupt
        return result_of(trial)

    result_of = judge_module.result_of
    monkeypatch.setattr(judge_module, "result_of", interrupted)
    assert (
        check(file(BAD), "--only", LAW, RATIOS, "--json", "out.json", "--html", "out.html") == 130
    )
    data = json.loads((tmp_path / "out.json").read_text())
    assert [law["status"] for law in data["laws"]] == ["violated"]
    assert data["reason"].startswith("not finished")
    answer = capsys.readouterr()
    assert answer.err.splitlines()[-1].endswith(
        "interrupted; the report so far is in out.json and out.html"
    )
    assert "VIOLATED" in answer.out


def test_a_full_disk_does_not_lose_the_verdict(file, tmp_path):
    """Files of at most 2 kB: the last report that fits stays whole, the text is printed, and
    nothing is left beside it.
    """
    file(BAD)
    line = ["mine.py", "--only", LAW, "--json", "out.json", "--html", "out.html"]
    small = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))}
    refused = check_apart(tmp_path, *line, **small)
    # its style alone is larger
    assert refused.returncode == 2
    assert "cannot write out.html" in refused.stderr
    assert names(tmp_path) == ["mine.py", "out.json"]
    (tmp_path / "out.json").write_text("old")
    ran = check_apart(tmp_path, *line[:-2], **small)
    assert ran.returncode == 1
    assert ran.stdout.startswith("Verdict on mine.py: The mathematics violates 1 law.")
    assert f"cannot write out.json: {os.strerror(errno.EFBIG)}" in ran.stderr
    assert json.loads((tmp_path / "out.json").read_text())["reason"].startswith("not finished")
    assert names(tmp_path) == ["mine.py", "out.json"]


def test_a_report_that_cannot_be_written_is_not_a_success(file, capsys):
    assert check(file(GOOD), "--only", LAW, "--json", "/dev/full") == 2
    answer = capsys.readouterr()
    assert answer.out.startswith("Verdict on mine.py: The mathematics conforms (1 law).")
    assert "cannot write /dev/full" in answer.err


def test_a_file_in_a_closed_folder_is_written_in_place(file, tmp_path, monkeypatch, capsys):
    def closed(name, mode="r", *rest, **options):
        if "x" in mode:
            raise PermissionError(errno.EACCES, "Permission denied", name)
        return open(name, mode, *rest, **options)

    monkeypatch.setattr(terminal, "open", closed, raising=False)
    assert check(file(GOOD), "--only", LAW, "--json", "out.json") == 0
    assert json.loads((tmp_path / "out.json").read_text())["verdict"] == "conforms"


def test_a_link_or_a_device_is_written_to_and_never_replaced(tmp_path, monkeypatch, capsys):
    """--html through a link: the link stays, and the page is behind it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.html").symlink_to("page.html")
    line = ["lmlir.vectorized", "--only", "empty_batches_get_empty_answers"]
    assert check(*line, "--html", "link.html", "--json", "/dev/null") == 0
    assert (tmp_path / "link.html").is_symlink()
    assert "conforms" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert names(tmp_path) == ["link.html", "page.html"]


def test_a_subject_whose_name_is_not_text_gets_a_report(tmp_path):
    """A file name that is not UTF-8."""
    name = os.fsdecode(b"n\xff.py")
    (tmp_path / name).write_text(GOOD)
    ran = check_apart(tmp_path, name, "--only", LAW, "--json", "out.json", "--html", "out.html")
    assert ran.returncode == 0, ran.stderr
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["subject"] == name
    assert names(tmp_path) == sorted([name, "out.html", "out.json"])


# --- Streams
# --------------------------------------------------------------------------------------------------


def test_a_closed_standard_error_does_not_change_the_verdict(file, tmp_path):
    """And nothing is left in the working folder: Hypothesis would store constants there."""
    file(GOOD)
    ran = check_apart(tmp_path, "mine.py", "--only", LAW, preexec_fn=lambda: os.close(2))
    assert ran.returncode == 0
    assert ran.stdout.startswith("Verdict on mine.py: The mathematics conforms (1 law).")
    assert names(tmp_path) == ["mine.py"]


@pytest.mark.parametrize("stream", ["none", "full"])
def test_messages_that_cannot_be_printed_are_dropped(file, monkeypatch, capsys, stream):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "stderr", Full() if stream == "full" else None)
    assert check(file(BAD), "--only", LAW) == 1
    assert "lmlir check:" not in capsys.readouterr().out


def test_the_line_of_progress_is_one_line_on_a_terminal(file, monkeypatch, capsys):
    """The law, its number and, every now and then, its examples; never wider than the terminal, and
    wiped at the end.
    """
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(command, "REFRESH_SECONDS", 0.0)
    for columns, told in (
        ("80", "[1/1] distances match equation 9 ... 2"),
        ("20", "[1/1] distances mat"),
    ):
        monkeypatch.setenv("COLUMNS", columns)
        assert check(file(GOOD), "--only", LAW) == 0
        lines = capsys.readouterr().err.split("\r\x1b[K")
        assert told in lines
        assert lines[-1] == ""
        assert "\n" not in "".join(lines)
        assert max(map(len, lines)) < int(columns)


def test_the_first_violation_of_each_function_is_one_line_on_standard_error(file, capsys):
    """As soon as it is found; a conforming subject gets no line."""
    evil = "def cross_distances(*given):\n    raise ValueError('\\x1b[2Jconforms')\n"
    laws = ["cross_distances_match_equation_9", LAW, "equal_points_are_at_distance_zero"]
    assert check(file(BAD + evil), "--only", *laws) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"lmlir check: errored: {laws[0]}: ")
    assert lines[1].startswith(f"lmlir check: violated: {laws[1]}: ")
    assert len(lines) == 2
    assert "\x1b" not in lines[0]
    check(file(GOOD), "--only", LAW)
    assert capsys.readouterr().err == ""


def test_a_run_without_a_terminal_is_not_silent_for_long(file, monkeypatch, capsys):
    monkeypatch.setattr(command, "SILENCE_SECONDS", 0.0)
    assert check(file(GOOD), "--only", LAW) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2
    assert all("distances match equation 9" in line for line in lines)


# --- From Python
# --------------------------------------------------------------------------------------------------


def distances(*given):
    return vectorized.distances(*given) * 1.001


@pytest.mark.parametrize(
    ("subject", "verdict"),
    [
        (distances, "violates"),
        (
            {"distances": vectorized.distances, "intersection_ratios": lambda *given: 1 / 0},
            "errored",
        ),
        (vectorized, "conforms"),
        ("lmlir.vectorized", "conforms"),
        ("no_such_file.py", "cannot be judged"),
        (len, "cannot be judged"),
        (json, "cannot be judged"),
    ],
)
def test_python_judges_functions_modules_and_paths(subject, verdict):
    found = lmlir.check(subject, profile="quick", only=[LAW, RATIOS])
    assert (found.verdict, found.conforms) == (verdict, verdict == "conforms")
    assert found.data["verdict"] == verdict
    assert str(found).startswith("Verdict on ")
    assert verdict in repr(found)


def test_python_judges_a_path(file, tmp_path):
    file(BAD)
    assert lmlir.check(tmp_path / "mine.py", profile="quick", only=LAW).verdict == "violates"


def test_a_notebook_shows_the_page_in_a_frame():
    report = lmlir.check(distances, profile="quick", only=LAW)
    assert "import distances" not in str(report) and "subject = ...  # " in str(report)
    html = report._repr_html_()
    assert html.startswith("<iframe srcdoc=")
    assert html.count("<") == 2
    assert "&lt;svg" in html


@pytest.mark.parametrize(
    "option", [{"profile": "fast"}, {"precision": "float16"}, {"shapes": "all"}, {"only": "law"}]
)
def test_python_refuses_options_that_do_not_exist(option):
    with pytest.raises(ValueError, match="must be one of|there is no law"):
        lmlir.check(distances, **option)


def test_importing_the_package_imports_nothing_else():
    code = (
        "import sys, lmlir; assert not {'numpy', 'hypothesis', 'argparse'} & set(sys.modules); "
        "lmlir.nothing"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (
        ran.stderr.splitlines()[-1] == "AttributeError: module 'lmlir' has no attribute 'nothing'"
    )


# --- pytest
# --------------------------------------------------------------------------------------------------


def run_pytest(folder, *arguments):
    line = [
        sys.executable,
        "-m",
        "pytest",
        "--pyargs",
        "lmlir.oracle",
        "-q",
        "-p",
        "no:cacheprovider",
        *arguments,
    ]
    return subprocess.run(
        line,
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=280,
    )


def test_pytest_runs_one_test_for_each_law(tmp_path):
    """In other projects' CI: passed, failed with the report, skipped where not offered, with what
    may have been meant.
    """
    (tmp_path / "mine.py").write_text(BAD + "def cross_distance(*given): ...\n")
    laws = f"{LAW} or ratios_match or in_the_cone"
    options = ["--lmlir-subject", "mine", "--lmlir-profile", "quick", "-rsf", "-k", laws]
    ran = run_pytest(tmp_path, *options)
    assert ran.returncode == 1 and "1 failed, 4 skipped" in ran.stdout, ran.stdout + ran.stderr
    assert "Statement: D is gamma_b" in ran.stdout
    assert re.search(rf"^{LAW}: distances: D\[\d+\] is ", ran.stdout, re.MULTILINE), ran.stdout
    assert "Traceback" not in ran.stdout
    assert "cross_distances by cross_distance" in ran.stdout


@pytest.mark.parametrize(
    "conftest", ["", "def pytest_addoption(parser):\n    parser.addoption('--subject')\n"]
)
def test_pytest_leaves_the_short_option_to_a_project_that_has_it(tmp_path, conftest):
    """`--subject` means the same as `--lmlir-subject` unless the project has an option of that
    name.
    """
    (tmp_path / "conftest.py").write_text(conftest)
    option = "--lmlir-subject" if conftest else "--subject"
    ran = run_pytest(
        tmp_path, option, "lmlir.vectorized", "--lmlir-profile=quick", "-k", f"{LAW} and not cross"
    )
    assert ran.returncode == 0 and "1 passed" in ran.stdout, ran.stdout + ran.stderr


def test_pytest_tries_first_what_failed_the_last_time(tmp_path):
    """Hypothesis keeps the failing case in the project's example database: a seed that would miss
    it finds it, too.
    """
    (tmp_path / "rarely.py").write_text(
        "from lmlir import vectorized\n"
        "def distances(*given):\n"
        "    first = abs(given[0].flat[0] if given[0].size else 0)\n"
        "    return vectorized.distances(*given) * (1.001 if int(first * 1e6) % 97 in (13, 14) "
        "else 1)\n"
    )
    subject = subjects.load(str(tmp_path / "rarely.py"))

    def status(seed):
        return run_law(by_name(LAW), subject, seed=seed, shrink=False).status

    finds = next(seed for seed in range(40) if status(seed) == "violated")
    misses = next(seed for seed in range(finds + 1, 80) if status(seed) == "held")
    options = ["--subject", "rarely", "-k", f"{LAW} and not cross", "--subject-profile", "quick"]
    # the one for hosted CI keeps no database
    options += ["--hypothesis-profile", "default", "--subject-seed"]
    assert run_pytest(tmp_path, *options, str(finds)).returncode == 1
    assert (tmp_path / ".hypothesis").is_dir()
    assert run_pytest(tmp_path, *options, str(misses)).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--lmlir-subject", "no_such_module"], "no_such_module"),
        (["--lmlir-subject", "json", "--lmlir-profile", "fast"], "profile must be one of"),
        ([], "give --lmlir-subject"),
    ],
)
def test_pytest_fails_once_if_a_subject_cannot_be_judged(tmp_path, arguments, told):
    """One sentence instead of a traceback, and one failure instead of one for each law."""
    ran = run_pytest(tmp_path, *arguments)
    assert ran.returncode == 1
    assert told in ran.stdout
    assert "Traceback" not in ran.stdout
    assert f"1 failed, {len(LAWS) - 1} skipped" in ran.stdout


def test_pytest_names_the_extra_that_is_missing(tmp_path, monkeypatch):
    """Without Hypothesis: one sentence, and not a success."""
    (tmp_path / "hypothesis").mkdir()
    (tmp_path / "hypothesis" / "__init__.py").write_text(
        "raise ModuleNotFoundError('none', name='hypothesis')"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    ran = run_pytest(tmp_path, "--lmlir-subject", "json", "-p", "no:hypothesispytest")
    assert ran.returncode == 2
    assert "Traceback" not in ran.stdout
    assert "the laws need the package hypothesis: pip install 'lmlir[oracle]'" in ran.stdout
