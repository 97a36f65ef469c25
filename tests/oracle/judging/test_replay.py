"""Replaying: failures that repeat in fresh processes are separated from those that depend on
earlier calls, which are found.
"""

import json
import random
import subprocess
import sys

import numpy as np
import pytest

from lmlir import vectorized
from lmlir.oracle import subjects
from lmlir.oracle.judging import judge as judge_module
from lmlir.oracle.judging.judge import judge, run_law
from lmlir.oracle.judging.replay import _same
from lmlir.oracle.laws import by_name
from lmlir.oracle.reporting.data import as_json
from lmlir.oracle.reporting.text import as_text
from lmlir.oracle.subjects.failures import Call
from lmlir.oracle.subjects.local import LocalSubject

LAW = "distances_match_equation_9"
LAYOUT = "the_layout_of_the_arrays_does_not_matter"
# Wrong right after a question about points with 3 features, whatever it is asked then.
REMEMBERS = """
from lmlir.vectorized import distances as right
before = 0
def distances(*given):
    global before
    wrong, before = before == 3, given[0].shape[1]
    return right(*given) * (1.5 if wrong else 1.0)
"""


class Renewable(LocalSubject):
    """A subject in this process of which there are fresh copies: what a child process is, without
    the time it takes.
    """

    def __init__(self, make):
        super().__init__("renewable", {"distances": make()})
        self.make = make
        self.history = []

    def ask(self, function, arguments):
        self.asked += 1
        self.history.append(
            Call(
                function,
                {name: np.array(each) for name, each in arguments.items()},
                number=self.asked,
            )
        )
        return super().ask(function, arguments)

    def recorded_calls(self):
        return list(self.history)

    def may_search(self):
        return True

    def fresh(self):
        return Renewable(self.make)


def asked_again(wrong, law=LAW):
    """What came of asking again about a subject whose distances are wrong when `wrong(arguments)`
    says so.
    """

    def make():
        state = wrong()
        return lambda *given: vectorized.distances(*given) * (1.5 if state(*given) else 1.0)

    return run_law(by_name(law), Renewable(make)).again


def test_what_is_simply_wrong_repeats_on_three_fresh_subjects():
    """The same answers each time."""
    found = asked_again(lambda: lambda *given: True)
    assert found.law == [True, True, True]
    assert found.same
    assert not found.special
    assert found.sequence == []
    assert found.sentence == "Reproduced in 3 fresh processes."


def test_an_answer_that_depends_on_six_calls_is_told_with_seven():
    """No fewer show it."""

    def counting():
        calls = []
        return lambda *given: calls.append(1) or len(calls) > 6

    found = asked_again(counting)
    assert not found.repeats
    assert len(found.sequence) == 7
    assert not _same(found.sequence[-1].answer, found.first, 1e-16)


def test_chance_is_not_mistaken_for_a_sequence_of_calls():
    """Sometimes the law fails, sometimes it does not; no sequence of calls shows it each time."""
    dice = random.Random(2)
    found = asked_again(lambda: lambda *given: dice.random() < 0.5)
    assert found.sequence == []
    assert len(found.law) == 3
    assert not found.repeats


def test_what_only_the_law_can_show_is_said_to_be_so():
    """Wrong for arrays that lie column by column: the calls of the report, with arrays of their
    own, are answered rightly.
    """
    found = asked_again(lambda: lambda *given: not given[0].flags.c_contiguous, LAYOUT)
    assert found.law == [True, True, True]
    assert found.special
    assert not found.sequence
    assert "may not show it" in found.sentence


def test_noise_repeats_with_other_answers():
    """Wrong each time, and each time otherwise."""
    dice = random.Random(2)

    def make():
        return lambda *given: vectorized.distances(*given) * (1.5 + dice.random())

    found = run_law(by_name(LAW), Renewable(make)).again
    assert found.repeats
    assert not found.same
    assert "other answers" in found.sentence


def test_an_answer_that_depends_on_the_call_before_is_told_with_the_two_calls(
    tmp_path, monkeypatch
):
    """Judged in child processes: the report says so, and its script, run by itself, prints the
    wrong answer.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(judge_module, "REPLAY_FACTOR", 100.0)  # a slow machine gets its time
    (tmp_path / "mine.py").write_text(REMEMBERS)
    subject = subjects.start("mine.py")
    try:
        judgment = judge(subject, "quick", only=[LAW])
    finally:
        subject.close()
    found = judgment.results[0].again
    assert found.law == [False, False, False]
    assert len(found.sequence) == 2
    assert found.sequence[0].arguments["X_i"].shape[1] == 3
    data = as_json(judgment)
    assert found.sentence in " ".join(as_text(data).split())
    counterexample = data["laws"][0]["counterexample"]
    assert len(counterexample["again"]["sequence"]) == 2
    assert json.dumps(counterexample, allow_nan=False)
    ran = subprocess.run(
        [sys.executable, "-c", counterexample["snippet"]], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    printed = [float(number) for number in ran.stdout.rpartition("[")[2].strip("]\n").split()]
    assert printed == pytest.approx([1.5 * number for number in found.first[0]], rel=1e-6)


def test_two_answers_are_the_same_but_for_roundings():
    """NaN is no answer; infinite equals infinite."""
    eps = np.finfo(float).eps
    assert _same((np.array([1.0, np.inf]),), (np.array([1 + 8 * eps, np.inf]),), eps)
    assert not _same((np.ones(2),), (np.array([1.0, 1 + 1e-9]),), eps)
    assert not _same((np.ones(2),), None, eps)
    assert _same(None, None, eps)
    assert _same((np.array([np.nan]),), None, eps)


def test_a_law_run_in_this_process_is_not_asked_again():
    """A subject made of functions has no fresh copy."""
    result = run_law(
        by_name(LAW), subjects.from_functions({"distances": lambda *given: given[0][:, 0]})
    )
    assert result.status == "violated"
    assert result.again is None
