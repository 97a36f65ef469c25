"""Python subjects in processes: nothing that they do reaches the judge, keeps it waiting, or stays
behind.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from lmlir import commands
from lmlir.oracle.judging import replay
from lmlir.oracle.judging.judgment import PROFILES, Profile
from lmlir.oracle.subjects import clock, process
from lmlir.oracle.subjects.failures import NotJudged, SubjectFailure
from tests.oracle.subjects.processes import children, wait_for_the_end_of
from tests.oracle.subjects.test_worker import QUESTION, asked

LAW = "ratios_match_table_2"
CALL = "def intersection_ratios(*given):\n    "
# in compiled code, without letting Python run
ENDLESS = "import ctypes\n" + CALL + "ctypes.PyDLL(None).sleep(60)\n"

FAULTS = {
    "crash at import": (
        "raise RuntimeError('no license')",
        2,
        "raised RuntimeError in mine.py:1: no license",
    ),
    "exit at import": (
        "import os; os._exit(0)",
        2,
        "status 0 without an answer while it was imported",
    ),
    "raises": (
        CALL + "raise IndexError('too far')",
        1,
        "intersection_ratios raised IndexError in mine.py:2: too far",
    ),
    "os._exit": ("import os\n" + CALL + "os._exit(0)", 1, "ended with status 0 without an answer"),
    "segfault": (
        "import ctypes\n" + CALL + "ctypes.string_at(0)",
        1,
        "ended with status -11 (SIGSEGV)",
    ),
    "endless loop": (CALL + "while True: pass", 2, "gave no answer within 0.7 s"),
    "endless sleep in compiled code": (ENDLESS, 2, "gave no answer within"),
    "endless stop": (
        "import os, signal\n" + CALL + "os.kill(os.getpid(), signal.SIGSTOP)",
        2,
        "gave no answer within",
    ),
    "abort after a fork": (
        "import os, time\n" + CALL + "os.fork() or time.sleep(60)\n    os.abort()",
        1,
        "ended with status -6 (SIGABRT) without an answer",
    ),
    "two answers after a fork": (
        "import os\nfrom lmlir.vectorized import intersection_ratios as ratios\n"
        + CALL
        + "os.fork(); return ratios(*given)",
        1,
        "disturbed its connection to the judge",
    ),
    "50 MB of output": (
        "import sys\n"
        + CALL
        + "print('y' * 50_000_000); print('the last words', file=sys.stderr); 1 / 0",
        1,
        "raised ZeroDivisionError",
    ),
    "memory exhausted": (
        # never touched
        "import numpy as np\n" + CALL + "a = []\n    while True: a.append(np.empty(1 << 27))",
        1,
        "MemoryError in mine.py:4: Unable to allocate 1.00 GiB",
    ),
    "wrong types": (CALL + "return {'gamma': object()}", 1, "not numbers"),
    "huge answer": (
        "import numpy as np\n" + CALL + "return np.zeros(1 << 27)",
        1,
        "longer than 512 megabytes",
    ),
    "deleted files": (
        "import os\n" + CALL + "os.unlink(__file__); os._exit(3)",
        1,
        "ended with status 3",
    ),
    "closed connection": (
        "import os\n" + CALL + "os.closerange(0, 100); return 1",
        1,
        "ended with status 70",
    ),
    "writes everywhere": (
        "import os\n" + CALL + "[os.write(k, b'x' * 99) for k in range(4, 9)]",
        1,
        "disturbed its connection to the judge",
    ),
}


@pytest.fixture
def judged(tmp_path, monkeypatch, capsys):
    """Judge a text as a subject from the command line: exit status, standard output, standard
    error, JSON.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(process, "MAX_HANGS", 1)
    monkeypatch.setattr(replay, "REPLAYS", 1)
    monkeypatch.setitem(PROFILES, "quick", Profile("quick", 22, 20.0, 0.0))
    before = children()

    def judge(text, *options):
        (tmp_path / "mine.py").write_text(text)
        options = ["--only", LAW, "--profile", "quick", "--json", "out.json", *options]
        status = commands.main(["check", "mine.py", *options])
        captured = capsys.readouterr()
        return status, captured.out, captured.err, json.loads((tmp_path / "out.json").read_text())

    yield judge
    assert children() <= before


def test_a_crash_names_the_lines_of_the_thread_that_crashed(judged):
    """Other threads are in long paths of the standard library."""
    waiting = "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    _, _, _, data = judged(f"import os, threading, time\n{CALL}{waiting}\n    os.abort()")
    said = data["laws"][0]["counterexample"]["said"]
    assert re.search('mine.py", line 4 in intersection_ratios$', said)
    assert "threading.py" not in said


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_module_gets_a_verdict(judged, fault):
    """A clear sentence, the last question, exit status 1, 2 or 3; no traceback, and nothing left
    running.
    """
    text, due, told = FAULTS[fault]
    status, out, err, data = judged(text, "--timeout", "0.7" if "endless" in fault else "20")
    assert told in err
    assert "Traceback" not in out + err
    assert sum(not line.startswith("  at ") for line in err.splitlines()) == 1
    if fault == "segfault":
        assert data["laws"][0]["counterexample"]["said"].startswith("Segmentation fault: File ")
    assert (
        (status, data["verdict"]) in ((1, "violates"), (3, "errored"))
        if due == 1
        else status == due
    )
    if due == 1:
        assert data["laws"][0]["counterexample"]["calls"][-1]["call"] == "intersection_ratios"


def test_a_function_that_was_out_of_time_is_asked_smaller_questions_only(start):
    """A question of the same size is not asked; the reason names function, limit and option."""
    subject = start(
        "def intersection_ratios(X_i, *given):\n    while len(X_i) > 1: pass\n"
        "    return X_i[:, :1]",
        timeout=1.0,
    )
    for _ in range(3):
        with pytest.raises(NotJudged, match="intersection_ratios .* within 1 .*--timeout"):
            asked(subject)
    assert subject.tally.hangs == 1
    small = {"X_i": np.ones((1, 2)), "X_j": np.ones((1, 2))}
    assert asked(subject, **small).tolist() == [[1]]
    assert not subject.refusal("intersection_ratios")


def test_a_function_that_is_out_of_time_twice_is_not_asked_again(start):
    """The second time by a smaller question. Other functions are still asked."""
    text = "def distances(X_i, *given):\n    return X_i[:, 0]\n"
    subject = start(text + CALL + "while True: pass", timeout=1.0)
    for size in (2, 1, 0):
        with pytest.raises(NotJudged, match="gave no answer within"):
            asked(subject, X_i=np.ones((size, 2)))
    assert subject.tally.hangs == 2
    assert subject.refusal("intersection_ratios")
    assert subject.ask("distances", QUESTION).look().tolist() == [-2, 0]


def test_an_endless_import_is_named(judged, monkeypatch):
    """The limit of the start is another than that of an answer."""
    monkeypatch.setattr(process, "MIN_START_SECONDS", 0.7)
    status, _, err, _ = judged("while True: pass", "--timeout", "0.2")
    assert status == 2
    assert "gave no answer within 0.7 s" in err
    assert "while it was imported" in err


def test_a_busy_machine_does_not_use_up_the_time_of_a_subject(start, monkeypatch):
    """A sleeping subject stands for one that gets no processor: it answers after its limit."""
    subject = start("import time\n" + CALL + "time.sleep(1.5); return 0", timeout=0.5)
    assert subject.ask("intersection_ratios", QUESTION).look() == 0
    monkeypatch.setattr(clock, "IDLE_FACTOR", 1.0)
    with pytest.raises(NotJudged, match="gave no answer within 0.5 s"):
        subject.ask("intersection_ratios", QUESTION)


@pytest.mark.skipif(not clock.HAS_STAT, reason="processor time is read from /proc")
def test_the_processor_time_of_all_processes_of_a_subject_counts(start):
    """A subject that waits for a helper is out of time when the helper has used it."""
    spin = "'while True: pass'"
    text = f"import subprocess, sys\n{CALL}subprocess.run([sys.executable, '-c', {spin}])"
    subject = start(text, timeout=1.0)
    with pytest.raises(NotJudged, match="gave no answer within 1 s of processor time"):
        asked(subject)


@pytest.mark.skipif(not clock.HAS_STAT, reason="processor time is read from /proc")
def test_the_processor_time_of_processes_that_ended_is_kept(start):
    """The budget of a law counts it, too."""
    spin = "while time.process_time() < 1: pass"
    subject = start(
        f"import os, time\ndef distances(X_i, *given): return X_i[:, 0]\n{CALL}{spin}\n"
        "    os._exit(9)"
    )
    with pytest.raises(SubjectFailure, match="ended with status 9"):
        asked(subject)
    assert subject.processor_seconds() > 0.9
    subject.ask("distances", QUESTION)
    assert subject.starts == 2
    assert subject.processor_seconds() > 0.9


# --- Subjects that write to the connection themselves ---

# Subjects that find the connection of their worker.
FORGED = """
import gc, json, os, time
import numpy as np
from lmlir.oracle.subjects.worker import Worker
worker = next(each for each in gc.get_objects() if isinstance(each, Worker))
def send(content):
    worker.replies.write(content)
    worker.replies.flush()
def reply(**fields):
    send(json.dumps({"id": 1, "changed": [], "blocks": [], **fields}).encode() + b"\\n")
"""
ATTACKS = {
    "a pickle": r"send(b'\x80\x04}]\x8c\x01a\x8c\x01bs\x86b.\n')",
    "a reply without an answer": "reply()",
    "lists nested 900 "
    "levels": "send(b'{\"id\": 1, \"result\": ' + b'[' * 900 + b']' * 900 + b', \"blocks\": "
    "[]}\\n')",
    "an array without numbers": "reply(result={'array': [0, '<f8', [1]]})",
    "changes of other arrays": "reply(result=1, changed=[[0, 5]])",
    "an id that is a list": "reply(id=[1], result=1)",
    "a line without an end": "send(b'y' * (1 << 26))",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_forged_reply_gets_a_verdict(judged, attack):
    """One sentence, never a traceback, and nothing is run for the subject."""
    status, out, err, _ = judged(
        FORGED + CALL + ATTACKS[attack] + "\n    time.sleep(60)", "--timeout", "5"
    )
    assert status in (1, 3)
    assert "Traceback" not in out + err
    assert err.count("\n") == 1
    assert "disturbed its connection to the judge: it " in err or "not numbers" in err


@pytest.mark.parametrize(
    "fields",
    ["version=[], offers=[]", "version=1, offers=[7]", "version=1, offers=[], others=[[]]"],
)
def test_a_forged_start_cannot_be_judged(judged, fields):
    """Offers that are not names, or none at all."""
    status, out, err, _ = judged(FORGED + f"reply(id=None, {fields}); time.sleep(60)")
    assert status == 2
    assert "Traceback" not in out + err
    assert err.count("\n") == 1
    assert "mine.py: it" in err


def test_a_reply_that_comes_byte_by_byte_is_ended_in_time(start):
    """The time limit is for the whole reply."""
    subject = start(
        FORGED + CALL + "for _ in range(600):\n        send(b' ')\n        time.sleep(0.1)",
        timeout=1.5,
    )
    began = time.monotonic()
    with pytest.raises(NotJudged, match="gave no answer within"):
        asked(subject)
    assert time.monotonic() - began < 30


def test_a_question_that_is_not_read_is_ended_in_time(start):
    """A stopped process reads nothing, and a long question does not fit into the pipe."""
    subject = start(CALL + "return 0", timeout=1.5)
    os.kill(subject.run.process.pid, signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(NotJudged, match="gave no answer within"):
        asked(subject, X_i=np.zeros((100_000, 2)))
    assert time.monotonic() - began < 30


def test_an_answer_that_contains_itself_is_refused_in_a_moment(start):
    """Well before its time limit."""
    subject = start(CALL + "a = []; a += [a, a]; return a")
    began = time.monotonic()
    with pytest.raises(SubjectFailure, match="not numbers"):
        asked(subject)
    assert time.monotonic() - began < 5


# --- What a subject leaves behind ---

GLOBALS = """
import os, random, signal, sys, warnings
import numpy as np
def intersection_ratios(*given):
    np.set_printoptions(precision=1, suppress=True)
    np.seterr(all="raise")
    np.random.seed(1)
    random.seed(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.chdir("/")
    os.environ["OMP_NUM_THREADS"] = "7"
    sys.path.clear()
    sys.stdout = sys.stderr = None
    np.linalg.norm = np.sum = np.maximum = None
    os.umask(0o777)
    return np.zeros((len(given[0]), len(given[3])))
"""


def test_nothing_that_a_subject_changes_reaches_the_judge(judged):
    """Print options, error state, random state, signal handlers, working directory, environment,
    functions of NumPy.
    """

    def state():
        handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        settings = (
            np.get_printoptions(),
            np.geterr(),
            handlers,
            os.getcwd(),
            dict(os.environ),
            list(sys.path),
        )
        return *settings, np.linalg.norm, np.sum, np.maximum

    random.seed(5)
    before = state()
    status = judged(GLOBALS)[0]
    assert status == 1
    assert state() == before


def test_processes_that_a_subject_starts_are_ended_with_it(start):
    """All that is in its group."""
    subject = start(
        "import subprocess, numpy as np\nhelper = subprocess.Popen(['sleep', '60'])\n"
        "def intersection_ratios(X_i, *given):\n    return np.full((len(X_i), 1), "
        "float(helper.pid))\n"
    )
    pid = int(asked(subject)[0, 0])
    os.kill(pid, 0)
    subject.close()
    wait_for_the_end_of(pid)


def test_the_process_ends_with_a_judge_that_is_killed(tmp_path):
    """Also while it computes in compiled code."""
    (tmp_path / "mine.py").write_text(ENDLESS)
    code = (
        "import sys\nfrom lmlir.oracle import subjects\nfrom tests.oracle.subjects.test_worker "
        "import QUESTION\n"
        "subject = subjects.start(sys.argv[1])\nprint(subject.run.process.pid, flush=True)\n"
        "subject.ask('intersection_ratios', QUESTION)\n"
    )
    judge = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "mine.py")], stdout=subprocess.PIPE, text=True
    )
    pid = int(judge.stdout.readline())
    time.sleep(0.3)
    judge.kill()
    judge.wait()
    judge.stdout.close()
    wait_for_the_end_of(pid)


def test_a_subject_that_crashed_is_started_again(start):
    """The next question is answered by a new process; the answers of the old one are lost."""
    subject = start(
        "import os\ndef intersection_ratios(X_i, *given):\n    return X_i[:, :1] if X_i[0, 0] else "
        "os._exit(9)"
    )
    first = subject.ask("intersection_ratios", QUESTION)
    assert first.look().tolist() == [[-2], [0]]
    with pytest.raises(SubjectFailure, match="ended with status 9"):
        asked(subject, X_i=np.zeros((2, 2)))
    assert asked(subject, X_i=np.ones((2, 2))).tolist() == [[1], [1]]
    assert subject.starts == 2
    with pytest.raises(SubjectFailure, match="lost with the process that gave it"):
        first.look()


def test_a_subject_that_keeps_crashing_is_given_up(start, monkeypatch):
    """After a number of starts."""
    monkeypatch.setattr(process, "MAX_STARTS", 2)
    subject = start("import os\n" + CALL + "os._exit(9)")
    for _ in range(2):
        with pytest.raises(SubjectFailure, match="ended with status 9"):
            asked(subject)
    with pytest.raises(NotJudged, match="had to be started 2 times and is not started") as raised:
        asked(subject)
    assert subject.given_up == str(raised.value)


def test_a_subject_that_can_no_longer_be_loaded_is_given_up(start, tmp_path):
    """It deleted its own file."""
    subject = start("import os\n" + CALL + "os.unlink(__file__); os._exit(3)")
    with pytest.raises(SubjectFailure, match="ended with status 3"):
        asked(subject)
    with pytest.raises(NotJudged, match="cannot be started again: there is no file"):
        asked(subject)
    assert "cannot be started again" in subject.given_up


def test_only_recent_questions_are_recorded(start, monkeypatch):
    """The oldest are dropped when they fill too much memory, and all of them at a restart."""
    subject = start("def intersection_ratios(X_i, *given):\n    return X_i[:, :1]")
    monkeypatch.setattr(process, "HISTORY_BYTES", 200)
    for number in range(4):
        asked(subject, X_i=np.full((2, 2), float(number)))
    assert [call.number for call in subject.recorded_calls()] == [3, 4]
    assert subject.asked == 4
    assert subject.recorded_calls()[0].arguments["X_i"].tolist() == [[2, 2], [2, 2]]


def test_what_a_system_cannot_contain_is_said_in_one_line(judged, monkeypatch):
    """Before the laws are run."""
    note = process.unprotected("win32")
    assert "memory" in note
    assert "processes" in note
    monkeypatch.setattr(process, "unprotected", lambda: note)
    assert f"lmlir check: {note}\n" in judged(CALL + "return 0")[2]
