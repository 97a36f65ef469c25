"""Python subjects in a child process: the arrays arrive as they are, and nothing that a subject does reaches the judge."""

from __future__ import annotations

import json
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
from fractions import Fraction

import numpy as np
import pytest

from lmlir import commands, vectorized
from lmlir.oracle import again, child, module, runner, separate
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.subjects import numbers
from lmlir.oracle.violations import CannotBeJudged, SubjectFailure
from tests.oracle.processes import children, wait_for_the_end_of

LAW = "ratios_match_table_2"
RIGHT = "from lmlir.vectorized import intersection_ratios as right\n"
QUESTION = {
    "X_i": np.array([[-2.0, 0.0], [0.0, 0.0]]),
    "X_j": np.array([[2.0, 0.0], [4.0, 0.0]]),
    "centers": np.zeros((1, 2)),
    "radii": np.ones(1),
}


@pytest.fixture
def start(tmp_path):
    """Start a subject with the given text; at the end, see that its processes are gone."""
    started = []

    def begin(text, name="mine.py", timeout=20.0):
        (tmp_path / name).write_text(text)
        started.append(module.start(str(tmp_path / name), timeout))
        return started[-1]

    yield begin
    for each in started:
        process = each.process
        each.close()
        assert process is None or process.returncode is not None


def asked(subject, **changes):
    """The answer of intersection_ratios, as float64 numbers."""
    arguments = {**QUESTION, **changes}
    return numbers("intersection_ratios", subject.ask("intersection_ratios", arguments), arguments)[0]


def test_all_nine_functions_answer_as_in_this_process():
    """The answers of the twin, across the socket, bit by bit."""
    subject = module.start("lmlir.vectorized")
    try:
        assert subject.offers == list(FUNCTIONS)
        got, due = asked(subject), vectorized.intersection_ratios(*QUESTION.values())
        assert np.array_equal(got, due) and due.tolist() == [[0.5], [0.25]]
    finally:
        subject.close()


class Sequence:
    """What NumPy takes for a sequence."""

    def __len__(self):
        return 2

    def __getitem__(self, k):
        return [0.5, 0.25][k]


class Opaque:
    """What is no number."""

    def __repr__(self):
        return "<opaque>"


@pytest.mark.parametrize(
    ("answer", "due"),
    [
        (None, None),
        (True, True),
        ([1, 2.5, "a"], [1, 2.5, "a"]),
        ((np.float32(0.5), np.ones((1, 2))), (0.5, [[1.0, 1.0]])),
        ({1: Fraction(1, 2)}, {"1": 0.5}),
        (np.array([Fraction(1, 2), 3], dtype=object), [0.5, 3]),
        (Sequence(), [0.5, 0.25]),
        (Opaque(), "<opaque>"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_answers_travel_in_builtin_types_and_arrays(answer, due):
    """Whatever a subject returns, the judge opens nothing else."""
    sent = child.packed(child.plain(answer), lambda array: array.tolist())
    assert child.Opener(sent, lambda array: array, trusted=False).load() == due


def test_a_pickle_with_a_class_in_it_is_not_opened():
    """A subject that writes to the socket does not make the judge run anything."""
    with pytest.raises(child.Garbled, match="an answer holds a fractions.Fraction"):
        child.Opener(pickle.dumps(Fraction(1, 2)), list, trusted=False).load()


def test_a_child_serves_until_its_judge_is_gone(monkeypatch, tmp_path):
    """The two ends of a socket in one process: loading, asking, looking again, raising, missing."""
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    (tmp_path / "served.py").write_text(SEES + "def distances(*given):\n    raise KeyError('no')\n")
    ours, theirs = socket.socketpair()
    ends = []

    def serve():
        with pytest.raises(EOFError), theirs:
            child.Child(theirs).serve()
        ends.append("served")

    thread = threading.Thread(target=serve)
    thread.start()
    judge = module.Connection(ours)

    def say(**message):
        return judge.exchange({"path": sys.path, "functions": list(FUNCTIONS), **message}, 20.0, [])

    with ours:
        assert say(call="load", target="nowhere.py")["missing"] == "there is no file nowhere.py"
        loaded = say(call="load", target=str(tmp_path / "served.py"))["answer"]
        assert loaded == {
            "offers": ["intersection_ratios", "distances"],
            "others": ["intersection_ratios", "distances"],
        }
        given = tuple(QUESTION.values())
        reply = say(call="ask", function="intersection_ratios", given=given)
        later = say(call="look", answer=reply["id"])
        assert np.array_equal(reply["answer"], later["answer"])
        assert say(call="ask", function="distances", given=given)["raised"] == "KeyError: 'no'"
    thread.join(20)
    assert ends == ["served"]


# A subject that says what it sees of its arguments, as numbers.
SEES = """
import numpy as np
kept = []
def intersection_ratios(X_i, X_j, centers, radii):
    kept.append((X_i, X_j))
    again = [k for k, (a, b) in enumerate(kept) if a is X_i]
    seen = [X_i is X_j, np.shares_memory(X_i, X_j), X_i.flags.writeable, X_i.flags.c_contiguous, X_i.flags.f_contiguous,
            X_i.flags.owndata, isinstance(X_i, np.memmap), X_i.itemsize, X_i.dtype.kind == "i", X_i.strides[0], again[0],
            float(X_i.sum())]
    return np.array(seen, dtype=float).reshape(-1, 1)
"""
NAMES = ("same", "shared", "writeable", "C", "F", "own", "map", "bytes", "integer", "stride", "first seen", "sum")


def seen(subject, X_i, X_j=None):
    """What the subject sees of these two arrays."""
    X_j = X_i if X_j is None else X_j
    answer = subject.ask("intersection_ratios", {**QUESTION, "X_i": X_i, "X_j": X_j})
    return dict(zip(NAMES, np.ravel(answer.look()).tolist(), strict=True))


def test_arrays_arrive_as_what_they_are(start, tmp_path):
    """Identity, views of one memory, order, gaps, read-only flags, memory maps, number types."""
    subject = start(SEES)
    a = np.arange(12.0).reshape(6, 2).copy()
    assert [seen(subject, a)[key] for key in ("same", "shared", "own", "C", "sum", "bytes")] == [1, 1, 1, 1, 66, 8]
    assert seen(subject, a, a.copy())["shared"] == 0
    assert [seen(subject, a[1:3], a[2:4])[key] for key in ("same", "shared", "own", "sum")] == [0, 1, 0, 14]
    turned = np.asfortranarray(a)
    assert [seen(subject, turned)[key] for key in ("C", "F", "own", "stride")] == [0, 1, 1, 8]
    assert [seen(subject, turned[::-2])[key] for key in ("C", "stride", "sum")] == [0, -16, 10 + 11 + 6 + 7 + 2 + 3]
    locked = a.copy()
    locked.flags.writeable = False
    assert seen(subject, locked)["writeable"] == 0 and seen(subject, a)["writeable"] == 1
    a.tofile(tmp_path / "numbers")
    mapped = np.memmap(tmp_path / "numbers", dtype=float, mode="r", shape=(6, 2))
    assert [seen(subject, mapped)[key] for key in ("map", "writeable", "sum")] == [1, 0, 66]
    assert [seen(subject, a.astype(np.int32))[key] for key in ("integer", "bytes")] == [1, 4]
    assert seen(subject, a.astype(np.float32))["bytes"] == 4
    assert seen(subject, np.broadcast_to(a[0], (6, 2)))["stride"] == 0
    assert seen(subject, np.zeros((0, 2)))["sum"] == 0


def test_the_same_array_is_the_same_object_in_the_next_call_and_holds_what_was_written(start):
    """Changed in place between two calls; an equal copy is another object."""
    subject = start(SEES)
    a, b = np.ones((3, 2)), np.ones((3, 2))
    assert [seen(subject, x)["first seen"] for x in (a, b, a, b)] == [0, 1, 0, 1]
    a[0] = 5
    assert (seen(subject, a)["first seen"], seen(subject, a)["sum"]) == (0, 14)
    view = a[:2]
    view[...] = 0
    assert seen(subject, a)["sum"] == 2 and seen(subject, view)["sum"] == 0


def test_what_a_subject_writes_into_its_arguments_comes_back(start):
    """So that the law about unmodified inputs can see it, also through a view."""
    subject = start("def intersection_ratios(X_i, X_j, centers, radii):\n    X_i[0] = 7\n    return X_i @ centers.T\n")
    a, whole = np.zeros((2, 2)), np.zeros((4, 2))
    subject.ask("intersection_ratios", {**QUESTION, "X_i": a})
    subject.ask("intersection_ratios", {**QUESTION, "X_i": whole[2:]})
    assert a.tolist() == [[7, 7], [0, 0]] and whole.tolist() == [[0, 0], [0, 0], [7, 7], [0, 0]]


def test_an_answer_can_be_looked_at_laterlater(start):
    """One that shares memory with the next answer, or with the arguments, changes; one of its own stays."""
    text = "import numpy as np\nbuffer = np.zeros((2, 1))\ndef intersection_ratios(X_i, X_j, centers, radii):\n    "
    reusing = start(text + "buffer[...] = X_i[:, :1]\n    return buffer")
    first = reusing.ask("intersection_ratios", QUESTION)
    assert first.look().tolist() == [[-2], [0]]
    reusing.ask("intersection_ratios", {**QUESTION, "X_i": np.ones((2, 2))})
    assert first.look().tolist() == [[1], [1]]
    view = start(text + "return X_i[:, :1]", "view.py")
    given = {name: value.copy() for name, value in QUESTION.items()}
    answer = view.ask("intersection_ratios", given)
    given["X_i"][...] = 3
    del given
    assert answer.look().tolist() == [[-2], [0]] and answer.look().tolist() == [[3], [3]]


def test_questions_from_two_threads_are_answered_at_the_same_time(start):
    """Each waits until the other has been asked, too; one after the other would never end."""
    subject = start(
        "import threading, numpy as np\nboth = threading.Barrier(2, timeout=15)\n"
        "def intersection_ratios(X_i, X_j, centers, radii):\n"
        "    both.wait()\n    return X_i[:, :1] + 0 * radii\n"
    )
    got = {}

    def ask(number):
        got[number] = asked(subject, X_i=np.full((2, 2), float(number)))

    threads = [threading.Thread(target=ask, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert {number: answer.tolist() for number, answer in got.items()} == {1: [[1], [1]], 2: [[2], [2]]}


def test_threads_take_turns_at_every_line_sooner_or_later(tmp_path, monkeypatch):
    """A few lines in a row in every call, others in the next: a call of a hundred lines has no place without a turn."""
    (tmp_path / "long.py").write_text("def f():\n" + "    n = 0\n" * 100)
    scope, turns, counted = {}, [], [0]
    exec(compile((tmp_path / "long.py").read_text(), str(tmp_path / "long.py"), "exec"), scope)
    monkeypatch.setattr(child.time, "sleep", lambda seconds: turns.append(sys._getframe(1).f_back.f_lineno))
    calls = []
    for phase in range(1, 60):
        with child.taking_turns(str(tmp_path), phase, counted):
            scope["f"]()
        calls.append(len(turns) - sum(calls))
    assert set(turns) == set(range(2, 102)) and max(calls) == 12 and min(calls) >= 6


@pytest.mark.parametrize("shared", [True, False])
def test_threads_that_share_a_buffer_are_caught_at_it(start, shared):
    """In a child the threads take turns line by line, so that even a short moment is enough; others get their own answers."""
    buffer = "buffer" if shared else "np.empty((2, 1))"
    subject = start(
        "import numpy as np\nbuffer = np.empty((2, 1))\n"
        "def intersection_ratios(X_i, X_j, centers, radii):\n"
        f"    kept = {buffer}\n    kept[...] = X_i[:, :1]\n    kept += 1\n    kept -= 1\n    return kept.copy()\n"
    )
    wrong = []

    def ask(number):
        for _ in range(40):
            wrong.append((asked(subject, X_i=np.full((2, 2), float(number))) != number).any())

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(wrong) == 160 and any(wrong) == shared


def test_a_file_is_loaded_under_its_own_name(start):
    """So that what it stores under its name, such as compiled functions, is found by a later import."""
    subject = start(
        "import fast_code\ndef intersection_ratios(*given):\n    raise KeyError(__name__, fast_code.__file__)",
        "fast_code.py",
    )
    with pytest.raises(SubjectFailure, match="raised KeyError: .'fast_code', '.*fast_code.py'"):
        asked(subject)


# --- Ten faults of a module ---------------------------------------------------------------------------------------------

CALL = "def intersection_ratios(*given):\n    "
ENDLESS = "import ctypes\n" + CALL + "ctypes.PyDLL(None).sleep(60)\n"  # in compiled code, without letting Python run
MEMORY = "import numpy as np\n" + CALL + "a = []\n    while True: a.append(np.empty(1 << 27))"  # never touched
FAULTS = {
    "crash at import": ("raise RuntimeError('no license')", 2, "importing mine.py raised RuntimeError: no license"),
    "exit at import": ("import os; os._exit(0)", 2, "ended with status 0 without an answer"),
    "raises": (CALL + "raise IndexError('too far')", 1, "intersection_ratios raised IndexError: too far"),
    "os._exit": ("import os\n" + CALL + "os._exit(0)", 1, "ended with status 0 without an answer"),
    "segfault": ("import ctypes\n" + CALL + "ctypes.string_at(0)", 1, "ended with status -11 (SIGSEGV)"),
    "endless compiled loop": (ENDLESS, 1, "gave no answer within 0.7 seconds and was ended"),
    "50 MB of output": (
        RIGHT + "import sys\n" + CALL + "print('y' * 50_000_000); print('the last words', file=sys.stderr); 1 / 0",
        1,
        "raised ZeroDivisionError",
    ),
    "memory exhausted": (MEMORY, 1, "raised MemoryError: Unable to allocate 1.00 GiB"),
    "wrong types": (CALL + "return {'gamma': object()}", 1, "what is no array of numbers"),
    "huge answer": ("import numpy as np\n" + CALL + "return np.zeros(1 << 27)", 1, "longer than 512 megabytes"),
    "deleted files": ("import os\n" + CALL + "os.unlink(__file__); os._exit(3)", 1, "ended with status 3"),
    "closed connection": ("import os\n" + CALL + "os.closerange(0, 100); return 1", 1, "ended with status 70"),
    "writes everywhere": ("import os\n" + CALL + "[os.write(k, b'x' * 99) for k in range(3, 9) if k < 20]", 1, ""),
}


@pytest.fixture
def judged(tmp_path, monkeypatch, capsys):
    """Judge a text as a subject from the command line: exit status, standard output, standard error, JSON."""
    monkeypatch.chdir(tmp_path)
    before = children()

    def judge(text, *options):
        (tmp_path / "mine.py").write_text(text)
        status = commands.main(
            ["check", "mine.py", "--only", LAW, "--profile", "quick", "--json", "out.json", *options]
        )
        captured = capsys.readouterr()
        return status, captured.out, captured.err, json.loads((tmp_path / "out.json").read_text())

    yield judge
    assert children() <= before


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_module_gets_a_verdict(judged, fault, monkeypatch):
    """A clear sentence, the last question, exit status 1 or 2; no traceback, and nothing left running."""
    text, due, told = FAULTS[fault]
    monkeypatch.setattr(separate, "HANGS", 1)
    monkeypatch.setattr(again, "TIMES", 1)
    monkeypatch.setitem(runner.PROFILES, "quick", runner.Profile("quick", 22, 20.0, 0.0))
    status, out, err, data = judged(text, "--timeout", "0.7" if "endless" in fault else "20")
    assert status == due and told in err
    assert "Traceback" not in out + err and err.count("\n") == 1
    if fault == "segfault":
        assert data["laws"][0]["counterexample"]["said"].startswith("Segmentation fault: File ")
    if due == 1:
        assert data["verdict"] == "violates" and data["laws"][0]["status"] in ("errored", "violated")
        assert data["laws"][0]["counterexample"]["calls"][-1]["call"] == "intersection_ratios"


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


def test_nothing_that_a_subject_changes_reaches_the_judge(judged, tmp_path):
    """Print options, error state, random state, signal handlers, working directory, environment, functions of NumPy."""
    import random
    import signal

    def state():
        handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        settings = np.get_printoptions(), np.geterr(), handlers, os.getcwd(), dict(os.environ), list(sys.path)
        return *settings, np.linalg.norm, np.sum, np.maximum

    random.seed(5)
    before, status = state(), judged(GLOBALS)[0]
    assert status == 1
    assert state() == before


def test_a_subject_that_leaves_processes_behind_does_not_leave_them_to_us(start):
    """What it started is ended with it."""
    subject = start(
        "import subprocess, numpy as np\nhelper = subprocess.Popen(['sleep', '60'])\n"
        "def intersection_ratios(X_i, *given):\n    return np.full((len(X_i), 1), float(helper.pid))\n"
    )
    pid = int(asked(subject)[0, 0])
    os.kill(pid, 0)
    subject.close()
    wait_for_the_end_of(pid)


def test_the_child_ends_with_a_judge_that_is_killed(tmp_path):
    """Also while it computes in compiled code."""
    (tmp_path / "mine.py").write_text(ENDLESS)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from lmlir.oracle import module\nfrom tests.oracle.test_module import QUESTION\n"
        "subject = module.start(sys.argv[1] + '/mine.py')\nprint(subject.process.pid, flush=True)\n"
        "subject.ask('intersection_ratios', QUESTION)\n"
    )
    judge = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    pid = int(judge.stdout.readline())
    time.sleep(0.3)
    judge.kill()
    judge.wait()
    judge.stdout.close()
    wait_for_the_end_of(pid)


def test_a_subject_that_crashed_is_started_again(start):
    """The next question is answered by a new process."""
    subject = start(
        "import os, numpy as np\ndef intersection_ratios(X_i, *given):\n    return X_i[:, :1] if X_i[0, 0] else os._exit(9)"
    )
    assert asked(subject, X_i=np.ones((2, 2))).tolist() == [[1], [1]]
    with pytest.raises(SubjectFailure, match="ended with status 9"):
        asked(subject, X_i=np.zeros((2, 2)))
    assert asked(subject, X_i=np.ones((2, 2))).tolist() == [[1], [1]] and subject.starts == 2


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("no_such_package.fast", "there is no module no_such_package"),
        ("nowhere/fast.py", "there is no file nowhere/fast.py"),
        ("json", "json offers none of the 9 functions"),
    ],
)
def test_a_subject_that_is_not_there_is_named(name, told):
    """Cannot be judged: not loadable, or offers nothing."""
    with pytest.raises(CannotBeJudged, match=told):
        module.start(name)
