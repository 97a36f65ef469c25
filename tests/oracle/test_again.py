"""Asking again: what repeats on fresh subjects is told from what depends on earlier calls, and those calls are found."""

import json
import subprocess
import sys

import numpy as np
import pytest

from lmlir.oracle import again, module, report, runner
from lmlir.oracle.laws import by_name

LAW = "distances_match_equation_9"
START = "import numpy as np\nfrom lmlir.vectorized import distances as right\n"
WRONG = START + "def distances(*given):\n    return right(*given) * 1.001\n"
# Wrong right after a question about two points that are 3 features wide, whatever it is asked then.
REMEMBERS = START + (
    "before = 0\n"
    "def distances(*given):\n"
    "    global before\n"
    "    wrong, before = before == 3, given[0].shape[1]\n"
    "    return right(*given) * (1.5 if wrong else 1.0)\n"
)
COUNTS = START + (
    "calls = []\ndef distances(*given):\n    calls.append(1)\n    return right(*given) * (1.5 if len(calls) > 6 else 1.0)\n"
)
DICE = START + "def distances(*given):\n    return right(*given) * np.random.default_rng().choice([1, 1.5])\n"


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Judge a subject by some laws, in a child process."""
    monkeypatch.chdir(tmp_path)

    monkeypatch.setitem(runner.PROFILES, "quick", runner.Profile("quick", 22, 20.0, 0.2))
    monkeypatch.setattr(runner, "AGAIN", 300.0)  # a slow machine gets its time

    def judge(text, *laws):
        (tmp_path / "mine.py").write_text(text)
        subject = module.start("mine.py")
        try:
            return runner.judge(subject, "quick", only=laws or (LAW,))
        finally:
            subject.close()

    return judge


def test_what_is_simply_wrong_repeats_on_three_fresh_subjects(judged):
    """The same answers from three new processes."""
    found = judged(WRONG).results[0].again
    assert found.calls == [True, True, True] and found.repeats and found.law == [] and found.sequence == []
    assert found.sentence == "Asked again on 3 fresh subjects: the same."


def test_a_crash_is_asked_again_too(judged):
    """The same end from three new processes."""
    result = judged("import os\ndef distances(*given):\n    os._exit(0)\n").results[0]
    assert result.status == "errored" and result.again.calls == [True, True, True]


def test_an_answer_that_depends_on_the_call_before_is_told_with_the_two_calls(judged, tmp_path):
    """The report says so, and its script, run by itself, prints the wrong answer and names the right one."""
    judgment = judged(REMEMBERS)
    found = judgment.results[0].again
    assert not found.repeats and found.law == [False, False, False]
    assert found.sentence.startswith(f"{again.DEPENDS}: on 3 fresh subjects the law failed not once.")
    assert [call.arguments["X_i"].shape[1] == 3 for call in found.sequence] in ([True, False], [True, True])
    counterexample = report.as_json(judgment)["laws"][0]["counterexample"]
    assert again.DEPENDS in report.as_text(judgment) and len(counterexample["again"]["sequence"]) == 2
    assert len(report.as_text(judgment).splitlines()) <= 80
    ran = subprocess.run(
        [sys.executable, "-c", counterexample["snippet"]], capture_output=True, text=True, cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
    printed = [float(x) for x in ran.stdout.split("\n")[-2].strip("[]").split()]
    assert printed == pytest.approx([1.5 * x for x in found.first[0]], rel=1e-6)
    assert json.dumps(counterexample["again"], allow_nan=False)


def test_an_answer_that_depends_on_six_calls_is_told_with_seven(judged):
    """No fewer show it."""
    found = judged(COUNTS).results[0].again
    assert not found.repeats and len(found.sequence) == 7


def test_chance_is_not_mistaken_for_a_sequence_of_calls(judged):
    """Sometimes the law fails, sometimes it does not; the sentence says so and promises nothing."""
    found = judged(DICE).results[0].again
    assert found.sentence.startswith((again.DEPENDS, "Asked again on 3", "On 3 fresh subjects the law fails again"))
    assert len(found.calls) + len(found.law) >= 3


def test_what_only_the_law_can_show_is_said_to_be_so(judged):
    """Wrong for arrays that lie column by column: the calls of the report, with arrays of their own, are answered rightly."""
    text = START + (
        "def distances(*given):\n    return right(*given) * (1.0 if given[0].flags.c_contiguous else 1.5)\n"
    )
    found = judged(text, "the_layout_of_the_arrays_does_not_matter").results[0].again
    assert found.law == [True, True, True] and not found.sequence
    assert "the law fails again; its calls alone, with arrays of their own, do not show it" in found.sentence


@pytest.mark.parametrize("one", [np.array([1.0, np.inf]), None])
def test_two_answers_are_the_same_but_for_roundings(one):
    """NaN is no answer; infinite equals infinite."""
    eps = np.finfo(float).eps
    assert again._same(one if one is None else (one,), one if one is None else (one * (1 + 8 * eps),), eps)
    assert not again._same((np.ones(2),), (np.array([1.0, 1 + 1e-9]),), eps)
    assert not again._same((np.ones(2),), None, eps)
    assert again._same((np.array([np.nan]),), None, eps)


def test_a_law_run_in_this_process_is_not_asked_again():
    """A subject made of functions has no fresh copy."""
    from lmlir.oracle import subjects

    result = runner.run_law(by_name(LAW), subjects.from_functions({"distances": lambda *given: given[0][:, 0]}))
    assert result.status == "violated" and result.again is None
