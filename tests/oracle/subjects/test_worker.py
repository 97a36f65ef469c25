"""The worker: Python subjects see the judge's arrays as they are, and its threads, and are loaded
under their own names.
"""

from __future__ import annotations

import os
import sys
import threading

import numpy as np
import pytest

from lmlir import vectorized
from lmlir.oracle import subjects
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.subjects import worker
from lmlir.oracle.subjects.answers import numbers, overwrite
from lmlir.oracle.subjects.failures import SubjectFailure
from lmlir.oracle.subjects.messages import Originals, read, write

QUESTION = {
    "X_i": np.array([[-2.0, 0.0], [0.0, 0.0]]),
    "X_j": np.array([[2.0, 0.0], [4.0, 0.0]]),
    "centers": np.zeros((1, 2)),
    "radii": np.ones(1),
}


def asked(subject, **changes):
    """The answer of intersection_ratios, as float64 numbers."""
    arguments = {**QUESTION, **changes}
    return numbers("intersection_ratios", subject.ask("intersection_ratios", arguments), arguments)[
        0
    ]


def in_threads(count, work):
    """Run the same work in several threads, each with its number."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)


def test_all_functions_answer_as_in_this_process():
    """The answers of the fast twin, bit by bit."""
    subject = subjects.start("lmlir.vectorized")
    try:
        assert subject.offers == list(FUNCTIONS)
        got = asked(subject)
        due = vectorized.intersection_ratios(*QUESTION.values())
        assert np.array_equal(got, due)
        assert due.tolist() == [[0.5], [0.25]]
    finally:
        subject.close()


# A subject that returns what it sees of its arguments, as numbers.
SEES = """
import numpy as np
kept = []
def intersection_ratios(X_i, X_j, centers, radii):
    kept.append(X_i)
    first = next(k for k, a in enumerate(kept) if a is X_i)
    seen = [X_i is X_j, np.shares_memory(X_i, X_j), X_i.flags.writeable, X_i.flags.f_contiguous,
            isinstance(X_i, np.memmap), X_i.strides[0], first, float(X_i.sum())]
    return np.array(seen, dtype=float)
"""
NAMES = ("same", "shared", "writeable", "Fortran", "map", "stride", "first seen", "sum")


def test_arrays_arrive_as_what_they_are(start, tmp_path):
    """Identity from call to call, shared memory, order, read-only flags, memory maps, and what is
    written between calls.
    """
    subject = start(SEES)

    def seen(X_i, X_j=None):
        answer = subject.ask(
            "intersection_ratios", {**QUESTION, "X_i": X_i, "X_j": X_i if X_j is None else X_j}
        )
        return dict(zip(NAMES, answer.look().tolist(), strict=True))

    a = np.arange(12.0).reshape(6, 2).copy()
    a.tofile(tmp_path / "numbers")
    mapped = np.memmap(tmp_path / "numbers", dtype=float, mode="r", shape=(6, 2))
    assert seen(a) == dict(zip(NAMES, (1, 1, 1, 0, 0, 16, 0, 66), strict=True))
    assert [seen(a[1:3], a[2:4])[name] for name in ("same", "shared", "sum")] == [0, 1, 14]
    assert [seen(np.asfortranarray(a))[name] for name in ("Fortran", "stride", "shared")] == [
        1,
        8,
        1,
    ]
    assert [seen(mapped)[name] for name in ("map", "writeable", "sum")] == [1, 0, 66]
    a[0] = 5
    assert [seen(a)[name] for name in ("first seen", "sum")] == [0, 75]


def test_what_a_subject_writes_into_its_arguments_comes_back(start):
    """Also from a call that raises."""
    subject = start(
        "def intersection_ratios(X_i, X_j, *given):\n    X_i[0] = 7\n    return 1 / X_j[0, "
        "0].item()\n"
    )
    a, b = np.zeros((2, 2)), np.zeros((2, 2))
    subject.ask("intersection_ratios", {**QUESTION, "X_i": a})
    with pytest.raises(SubjectFailure, match="raised ZeroDivisionError"):
        subject.ask("intersection_ratios", {**QUESTION, "X_i": b, "X_j": np.zeros((2, 2))})
    assert a.tolist() == b.tolist() == [[7, 7], [0, 0]]


BUFFER = (
    "import numpy as np\nbuffer = np.zeros((2, 1))\ndef intersection_ratios(X_i, X_j, "
    "centers, radii):\n    "
)


def test_answers_can_be_read_again_later(start):
    """An answer that shares memory with the next answer, or with the arguments, changes."""
    reusing = start(BUFFER + "buffer[...] = X_i[:, :1]\n    return buffer")
    first = reusing.ask("intersection_ratios", QUESTION)
    assert first.look().tolist() == [[-2], [0]]
    reusing.ask("intersection_ratios", {**QUESTION, "X_i": np.ones((2, 2))})
    assert first.look().tolist() == [[1], [1]]
    view = start(BUFFER + "return X_i[:, :1]", "view.py")
    given = {name: value.copy() for name, value in QUESTION.items()}
    answer = view.ask("intersection_ratios", given)
    given["X_i"][...] = 3
    del given
    assert answer.look().tolist() == [[-2], [0]]
    assert answer.look().tolist() == [[3], [3]]


def test_answers_can_be_overwritten_where_they_are(start):
    """As their owner may; a subject that hands out what it keeps is found out by its next
    answer.
    """
    subject = start(BUFFER + "return buffer")
    overwrite(subject.ask("intersection_ratios", QUESTION))
    assert asked(subject).tolist() == [[1], [1]]


def test_questions_from_two_threads_are_answered_at_the_same_time(start):
    """Each waits until the other has been asked, too; one after the other would never end."""
    subject = start(
        "import threading, numpy as np\nboth = threading.Barrier(2, timeout=15)\n"
        "def intersection_ratios(X_i, X_j, centers, radii):\n"
        "    both.wait()\n    return X_i[:, :1] + 0 * radii\n"
    )
    got = {}
    in_threads(
        2,
        lambda number: got.update(
            {number: asked(subject, X_i=np.full((2, 2), float(number))).tolist()}
        ),
    )
    assert got == {0: [[0], [0]], 1: [[1], [1]]}


@pytest.mark.parametrize("shared", [True, False])
def test_threads_that_share_a_buffer_are_found_out(start, shared):
    """Threads take turns line by line, so that even a short moment is enough; with their own
    buffers they do no harm.
    """
    buffer = "buffer" if shared else "np.empty((2, 1))"
    subject = start(
        BUFFER
        + f"kept = {buffer}\n    kept[...] = X_i[:, :1]\n    kept += 1\n    kept -= 1\n    return "
        "kept.copy()\n"
    )
    wrong = []

    def work(number):
        for _ in range(40):
            wrong.append((asked(subject, X_i=np.full((2, 2), float(number))) != number).any())

    in_threads(4, work)
    assert len(wrong) == 160
    assert any(wrong) == shared


def test_threads_take_turns_at_every_line_sooner_or_later(tmp_path, monkeypatch):
    """A few lines in a row in every call, others in the next: a call of a hundred lines has no line
    without a turn.
    """
    (tmp_path / "long.py").write_text("def f():\n" + "    n = 0\n" * 100)
    scope = {}
    turns = []
    calls = []
    exec(compile((tmp_path / "long.py").read_text(), str(tmp_path / "long.py"), "exec"), scope)
    monkeypatch.setattr(
        worker.time, "sleep", lambda seconds: turns.append(sys._getframe(1).f_back.f_lineno)
    )
    serving = worker.Worker(None, None)
    serving.folder = str(tmp_path)
    for phase in range(1, 60):
        with serving._taking_turns("f", phase):
            scope["f"]()
        calls.append(len(turns) - sum(calls))
    assert set(turns) == set(range(2, 102))
    assert max(calls) == 12
    assert min(calls) >= 6


def test_a_file_is_loaded_under_its_own_name(start):
    """What it stores under its name, such as compiled functions, is found by a later import."""
    subject = start(
        "import fast_code\ndef intersection_ratios(*given):\n    raise KeyError(__name__, "
        "fast_code.__file__)",
        "fast_code.py",
    )
    with pytest.raises(
        SubjectFailure, match="raised KeyError in fast_code.py:3: .'fast_code', '.*fast_code.py'"
    ):
        asked(subject)


@pytest.mark.parametrize(
    ("line", "due"),
    [
        ("", False),
        ("from lmlir.vectorized import distances", True),
    ],
)
def test_a_subject_that_imports_lmlir_is_marked(start, line, due):
    """A solution that calls the reference is not a solution."""
    assert start(f"{line}\ndef intersection_ratios(*given):\n    return 0").imports_lmlir is due


def test_a_worker_serves_until_its_judge_is_gone(monkeypatch, tmp_path):
    """Both ends in one process: loading, asking, reading again, raising."""
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    (tmp_path / "served.py").write_text(SEES + "def distances(*given):\n    raise KeyError('no')\n")
    pipes = [os.pipe() for _ in range(2)]
    (questions, ask), (replies, reply) = [
        (os.fdopen(r, "rb"), os.fdopen(w, "wb")) for r, w in pipes
    ]
    ends = []

    def serve():
        with pytest.raises(EOFError), questions, reply:
            worker.Worker(questions, reply).serve()
        ends.append("served")

    thread = threading.Thread(target=serve)
    thread.start()
    originals = Originals()

    def exchange(arguments=QUESTION, **message):
        blocks = []
        packed = originals.packed(arguments, blocks)
        ask.write(
            write(
                {"id": 1, "version": 1, "thread": 0, "forgotten": [], **message, **packed}, blocks
            )
        )
        ask.flush()
        return read(replies)[0]

    with replies, ask:
        start = {"call": "start", "functions": list(FUNCTIONS)}
        assert exchange(**start, target="nowhere.py")["error"] == "there is no file nowhere.py"
        loaded = exchange(**start, target=str(tmp_path / "served.py"))
        assert loaded["offers"] == loaded["others"] == ["intersection_ratios", "distances"]
        first = exchange(call="intersection_ratios")
        assert (
            exchange({}, call="look", answer=1)["result"]
            == first["result"]
            == {"array": [0, "<f8", [8]]}
        )
        assert exchange(call="distances")["error"].endswith(": 'no'")
    thread.join(20)
    assert ends == ["served"]
