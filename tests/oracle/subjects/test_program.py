"""The line protocol: programs that behave, and programs that crash, hang, make noise or answer out
of turn.
"""

import json
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lmlir import commands
from lmlir.oracle import subjects
from lmlir.oracle.judging import replay
from lmlir.oracle.judging.judge import judge, run_law
from lmlir.oracle.judging.judgment import PROFILES, Profile
from lmlir.oracle.laws import by_name
from lmlir.oracle.reporting.data import as_json
from lmlir.oracle.reporting.text import as_text
from lmlir.oracle.subjects import messages, process
from lmlir.oracle.subjects.failures import CannotBeJudged, NotJudged, SubjectFailure
from tests.oracle.subjects.processes import children

HONEST = """
import json, sys
import numpy as np
from lmlir import vectorized
sys.path.append({folder!r})
from arrays import shaped
NAMES = {names}
def arrays(arguments):
    return list(shaped(arguments).values())
def answer(line):
    question = json.loads(line)
    if question["call"] == "start":
        return {{"version": 1, "name": "honest", "language": "Python", "offers": NAMES}}
    if question["call"] == "stop":
        sys.exit(0)
    result = getattr(vectorized, question["call"])(*arrays(question["arguments"]))
    if isinstance(result, tuple):
        plain = [np.asarray(part).tolist() for part in result]
    else:
        plain = np.asarray(result).tolist()
    return {{"id": question["id"], "result": plain}}
for line in sys.stdin:
    reply = json.dumps(answer(line))
    {spoil}
    print(reply, flush=True)
"""
QUESTION = {
    "X_i": np.array([[-2.0, 0.0]]),
    "X_j": np.array([[2.0, 0.0]]),
    "centers": np.array([[0.0, 0.0]]),
    "radii": np.array([1.0]),
}


@pytest.fixture
def program(tmp_path):
    """Start a program: the honest one with a line that spoils it."""
    started = []

    def start(spoil="pass", names=("intersection_ratios",), timeout=20.0):
        path = tmp_path / f"program_{len(started)}.py"
        path.write_text(
            HONEST.format(names=list(names), spoil=spoil, folder=str(Path(__file__).parents[1]))
        )
        started.append(
            subjects.start_program(shlex.join([sys.executable, str(path)]), timeout=timeout)
        )
        return started[-1]

    yield start
    for each in started:
        each.close()
        assert each.run is None


def test_an_honest_program_conforms(program):
    """Definition 8, judged across a pipe."""
    subject = program(names=("intersection_ratios", "ratio_gradients"))
    assert (subject.name, subject.language, subject.offers) == (
        "honest",
        "Python",
        ["intersection_ratios", "ratio_gradients"],
    )
    result = run_law(by_name("ratios_match_table_2"), subject)
    assert result.status == "held"
    assert result.examples > 40


def test_a_wrong_program_is_shrunk_across_the_pipe(program):
    """Table 2: the smallest input that still fails, found by asking the program again and again."""
    subject = program(spoil="reply = reply.replace('0.', '0.1')")
    result = run_law(by_name("ratios_match_table_2"), subject)
    assert result.status == "violated"
    assert result.violation.case.size <= 20
    assert len(result.violation.calls[0].arguments["X_i"]) == 1


def test_the_snippet_asks_the_program_again_when_pasted(program):
    """The Python lines of the report start the program, ask the same question, print the value got
    and fail; the comments below them are the lines of the protocol.
    """
    judged = judge(
        program(spoil="reply = reply.replace('0.', '0.1')"), only=["ratios_match_table_2"]
    )
    found = as_json(judged)["laws"][0]["counterexample"]
    ran = subprocess.run(
        [sys.executable, "-c", found["snippet"]], capture_output=True, text=True, timeout=60
    )
    assert ran.stderr.endswith("AssertionError\n")
    printed = [
        float(part)
        for part in ran.stdout.replace("[", " ").replace("]", " ").replace(",", " ").split()
    ]
    assert any(value == pytest.approx(found["got"], rel=1e-6) for value in printed)
    start, question = [
        json.loads(line[2:]) for line in found["snippet"].splitlines() if line.startswith("# {")
    ]
    assert start == {"call": "start", "version": 1}
    (call,) = found["calls"]
    assert question == {"id": 1, "call": call["call"], "arguments": call["arguments"]}


@pytest.mark.parametrize(
    ("spoil", "told", "said"),
    [
        ("print('loading model', flush=True)", "printed a line that is not JSON", "loading model"),
        ("reply = reply[:-3]", "printed a line that is not JSON", "version"),
        ("reply = '[1, 2]'", "JSON that is not an object", "[1, 2]"),
        ("reply = '{\"offers\": []}'", 'has no "version", which must be 1', ""),
        ("sys.stderr.write('out of memory'); sys.exit(3)", "ended with status 3", "out of memory"),
        ("import os; os.abort()", "ended with status -6", ""),
        ("\n    while True: pass", "gave no answer within 1 s", ""),
    ],
)
def test_a_program_that_misbehaves_at_the_start_cannot_be_judged(
    program, monkeypatch, spoil, told, said
):
    """The reason and what it said are named."""
    monkeypatch.setattr(process, "MIN_START_SECONDS", 1.0)
    timeout = 0.5 if "while" in spoil else 20.0
    with pytest.raises(CannotBeJudged, match=told) as raised:
        program(spoil=spoil, timeout=timeout)
    assert said in str(raised.value)


def test_a_program_that_fills_stderr_is_not_blocked(program):
    """A megabyte for each question neither stops it nor reaches the report, except for the
    beginning and the end.
    """
    subject = program(
        spoil="sys.stderr.write('SyntaxError:' + 'x' * 2**20 + 'the end'); sys.stderr.flush()"
    )
    assert subject.ask("intersection_ratios", QUESTION) == [[0.5]]
    run = subject.run
    subject.close()
    words = run.error_output()
    assert words.startswith("SyntaxError:xxx")
    assert words.endswith("xxxthe end")
    assert len(words) < 3 * messages.SHOWN_CHARACTERS


@pytest.mark.parametrize("lines", [1, 9, 99, 9999])
def test_the_error_output_is_shown_from_its_first_line_on(program, lines):
    """As Node prints it: the message comes first, and then where it was.

    Python prints the message last.
    """
    spoil = (
        f"print('TypeError: no', *['    at Module.load'] * {lines}, 'Node', sep='\\n', "
        "file=sys.stderr); sys.exit(1)"
    )
    with pytest.raises(CannotBeJudged) as raised:
        program(spoil=spoil)
    assert "TypeError: no\n    at Module.load" in str(raised.value)
    assert "Node)" in str(raised.value)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("no-such-program-anywhere", "cannot be started: No such file"),
        ("", "needs a program"),
        (shlex.join([sys.executable, "-c", "pass"]), "ended with status 0"),
        ("python 'unfinished", "--command cannot be read: No closing quotation"),
    ],
)
def test_a_program_that_is_not_there_cannot_be_judged(command, told):
    """Not loadable."""
    with pytest.raises(CannotBeJudged, match=told):
        subjects.start_program(command)


@pytest.mark.parametrize(
    ("hello", "told"),
    [
        ({"version": 2, "offers": ["distances"]}, "speaks version 2"),
        ({"version": 1}, "needs a list of names as offers, got None"),
        ({"version": 1, "offers": "distances"}, "needs a list of names"),
        ({"version": 1, "offers": ["predict"]}, "offers none of the 9 functions"),
        ({"version": 1, "offers": ["distance"]}, "did you mean distances by distance?"),
        ({"error": "no license"}, "^the program refused to start: no license"),
    ],
)
def test_a_program_with_another_greeting_cannot_be_judged(hello, told):
    """The answer to start needs version 1 and a list of names."""
    code = (
        f"import sys; sys.stdin.readline(); print({json.dumps(json.dumps(hello))}, "
        "flush=True); sys.stdin.readline()"
    )
    with pytest.raises(CannotBeJudged, match=told):
        subjects.start_program(shlex.join([sys.executable, "-c", code]))


LATER = "if 'id' in reply: "


@pytest.mark.parametrize(
    ("spoil", "told", "said"),
    [
        (LATER + "print('warning: slow')", "printed a line that is not JSON", "warning: slow"),
        (
            LATER + "reply = json.dumps({'id': 99, 'result': [[0.5]]})",
            "answered out of turn: question 1, answer id 99",
            "99",
        ),
        (
            LATER + "reply = json.dumps({'result': [[0.5]]})",
            "gave an answer without an id; it must repeat the id 1 of the question",
            "0.5",
        ),
        (LATER + "reply = json.dumps({'id': 1})", "neither result nor error", ""),
        (
            LATER + "reply = json.dumps({'id': 1, 'error': 'no idea'})",
            "answered with an error, no idea",
            "",
        ),
        (LATER + "reply = 'NaN'", 'as the string "NaN"', "NaN"),
        (
            LATER + 'reply = \'{"id": [], "result": 1}\'',
            "answered out of turn: question 1, answer id",
            "",
        ),
        (LATER + "reply = '[' * 100000", "not JSON", "[[["),
        (LATER + "sys.exit(4)", "ended with status 4", ""),
    ],
)
def test_a_bad_answer_is_reported_with_what_was_said(program, spoil, told, said):
    """Crash, noise, out of turn, neither result nor error."""
    subject = program(spoil=spoil)
    with pytest.raises(SubjectFailure, match=told) as raised:
        subject.ask("intersection_ratios", QUESTION)
    assert said in raised.value.said


@pytest.mark.parametrize(
    ("spoil", "source"),
    [
        (LATER + "print('warning: slow')", "Output"),
        (LATER + "sys.exit('warning: slow')", "Error output"),
        (LATER + "reply = json.dumps({'id': 1, 'result': 'warning: slow'})", "Returned"),
    ],
)
def test_a_report_names_where_the_words_of_a_program_came_from(program, spoil, source):
    """Its output, its error output or its answer."""
    report = judge(program(spoil=spoil), only=["ratios_match_table_2"], shrink=False)
    text = as_text(as_json(report))
    assert re.search(rf"^ *{source}: '?warning: slow", text, re.MULTILINE)


def test_laws_about_shared_memory_are_not_held_by_a_program(program):
    """They cannot fail through a pipe. Laws about answers are still judged."""
    laws = ["answers_do_not_share_memory", "the_same_question_gets_the_same_answer"]
    report = judge(program(), only=laws, profile="quick")
    assert report.named("not offered") == laws[:1]
    assert report.named("held") == laws[1:]
    assert "memory" in report.results[0].reason


def test_a_program_that_says_too_much_is_caught_at_the_next_question(program):
    """One answer a question: a second line is out of turn."""
    subject = program(spoil="if 'id' in reply: print(reply, flush=True)")
    subject.ask("intersection_ratios", QUESTION)
    time.sleep(0.3)
    with pytest.raises(SubjectFailure, match="a line that nothing asked for"):
        subject.ask("intersection_ratios", QUESTION)


def test_a_program_that_crashed_is_started_again(program):
    """Restarted where that helps: the next question is answered."""
    subject = program(spoil="if '\"id\": 2,' in reply: sys.exit(9)")
    assert subject.ask("intersection_ratios", QUESTION) == [[0.5]]
    with pytest.raises(SubjectFailure, match="ended with status 9"):
        subject.ask("intersection_ratios", QUESTION)
    assert subject.ask("intersection_ratios", QUESTION) == [[0.5]]
    assert subject.starts == 2


def test_a_program_that_hangs_is_ended_and_given_up_after_three_times(program):
    """Never waits for ever: three timeouts, then every question fails at once."""
    subject = program(spoil="\n    while 'id' in reply: pass")
    subject.timeout = 0.3
    small = {**QUESTION, "X_i": np.zeros((0, 2)), "X_j": np.zeros((0, 2))}
    questions = [
        ("intersection_ratios", QUESTION),
        ("ratio_gradients", QUESTION),
        ("intersection_ratios", small),
    ]
    for function, arguments in questions:
        with pytest.raises(NotJudged, match=f"{function} gave no answer within 0.3 s"):
            subject.ask(function, arguments)
    starts = subject.starts
    with pytest.raises(NotJudged, match="hung 3 times and is not asked again"):
        subject.ask("objective", QUESTION)
    assert subject.starts == starts == 3


def test_a_program_that_never_stops_printing_is_ended(program):
    """Endless noise neither fills the memory nor blocks the oracle."""
    with pytest.raises(CannotBeJudged, match="not JSON"):
        program(spoil="\n    while True: print('y' * 1000)")


def test_a_crashing_program_is_errored_with_the_question_that_it_was_asked(program):
    """The report has the question and the last words."""
    subject = program(spoil="if 'id' in reply: sys.exit('index out of range')")
    result = run_law(by_name("ratios_match_table_2"), subject, shrink=False)
    assert result.status == "errored"
    assert "ended with status 1" in result.violation.sentence
    assert result.violation.said == "index out of range"
    assert result.violation.calls[0].function == "intersection_ratios"


FAULTS = {
    "not there": (None, 2, "cannot be started: No such file or directory"),
    "crash at the start": (
        "sys.exit('no license')",
        2,
        "ended with status 1 without an answer when it was started (its error output: no license)",
    ),
    "hang at the start": ("\n    while True: pass", 2, "gave no answer within 3 s"),
    "endless loop": (LATER + "\n        while True: pass", 2, "gave no answer within 1.5 s"),
    "50 MB of output": (LATER + "reply = 'y' * 50_000_000", 1, "printed a line that is not JSON"),
    "50 MB of errors": (
        LATER + "sys.stderr.write('y' * 50_000_000); sys.exit(5)",
        1,
        "ended with status 5",
    ),
    "wrong types": (
        LATER + "reply = json.dumps({'id': json.loads(reply)['id'], 'result': {'a': 1}})",
        1,
        "array",
    ),
    "deleted itself": (
        LATER + "import os; os.unlink(sys.argv[0]); os._exit(6)",
        1,
        "ended with status 6",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_program_gets_a_verdict(fault, tmp_path, monkeypatch, capsys):
    """A clear sentence, the last question, exit status 1, 2 or 3; no traceback of ours, and nothing
    left running.
    """
    spoil, due, told = FAULTS[fault]
    monkeypatch.setattr(process, "MAX_HANGS", 1)
    monkeypatch.setattr(process, "MIN_START_SECONDS", 1.5)
    monkeypatch.setattr(replay, "REPLAYS", 1)
    monkeypatch.setitem(PROFILES, "quick", Profile("quick", 22, 20.0, 0.0))
    before = children()
    target = tmp_path / "program.py"
    if spoil is not None:
        names = ["intersection_ratios"]
        target.write_text(
            HONEST.format(names=names, spoil=spoil, folder=str(Path(__file__).parents[1]))
        )
    command = shlex.join([sys.executable, str(target)] if spoil is not None else [str(target)])
    patience = "1.5" if "hang" in fault or "endless" in fault else "20"
    options = ["--profile", "quick", "--timeout", patience, "--json", str(tmp_path / "out")]
    status = commands.main(
        ["check", "--command", command, "--only", "ratios_match_table_2", *options]
    )
    err = capsys.readouterr().err
    assert status in (due, due + 2)
    assert told in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    data = json.loads((tmp_path / "out").read_text())
    if due == 1:
        assert (status, data["laws"][0]["status"]) in ((1, "violated"), (3, "errored"))
        assert data["laws"][0]["counterexample"]["calls"][-1]["call"] == "intersection_ratios"
    assert children() <= before
