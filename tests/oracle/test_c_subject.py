"""The example subject in C, behind the line protocol, against the reference and before the
oracle.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from lmlir import commands
from lmlir.oracle import subjects
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.judging.judgment import PROFILES, Profile
from lmlir.oracle.laws import LAWS
from tests.oracle import agreement

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The C subject, built by its own Makefile."""
    for tool in ("make", "cc"):
        if shutil.which(tool) is None:
            pytest.skip(f"the C subject cannot be built: there is no {tool}")
    folder = tmp_path_factory.mktemp("c_subject")
    for name in ("subject.c", "Makefile"):
        shutil.copy(EXAMPLES / "c_subject" / name, folder)
    built = subprocess.run(["make", "-C", str(folder)], capture_output=True, text=True)
    assert built.returncode == 0 and "warning" not in built.stderr, built.stderr
    return folder / "subject"


@pytest.fixture(scope="module")
def c_subject(program):
    subject = subjects.start_program(shlex.quote(str(program)))
    yield subject
    subject.close()


@pytest.mark.parametrize("example", agreement.EXAMPLES)
def test_the_c_subject_agrees_with_the_reference(c_subject, example):
    """Near a tangency the root of a rounding error shows, and far out the coordinates themselves
    are rounded.
    """
    agreement.assert_agrees(c_subject, example, agreement.closeness(example))


def test_the_c_subject_offers_the_whole_interface(c_subject):
    assert c_subject.offers == list(FUNCTIONS)
    assert (c_subject.name, c_subject.language) == ("C example", "C99")


@pytest.mark.slow
def test_the_oracle_accepts_the_c_subject(program, capsys, monkeypatch):
    """All laws over the line protocol, in a short run."""
    monkeypatch.setitem(PROFILES, "quick", Profile("quick", 8, 60.0, 1.0))
    status = commands.main(["check", "--command", shlex.quote(str(program)), "--profile", "quick"])
    text = capsys.readouterr().out
    assert status == 0, text
    judged = sum(not law.in_memory for law in LAWS)
    assert f"{judged} of {len(LAWS)}" in text


def converse(program, *lines):
    """What the program prints, line by line, when these lines are its whole input."""
    result = subprocess.run(
        [str(program)], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=20
    )
    assert result.returncode == 0
    return [json.loads(line) for line in result.stdout.splitlines()]


QUESTION = {
    "X_i": [[0, 0]],
    "X_j": [[4, 0]],
    "centers": [[2, 0]],
    "radii": [1],
}


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({"id": 3, "call": "dance", "arguments": {}}, "there is no such function"),
        ({"id": 3}, "the request has no call"),
        ({"id": 3, "call": "distances", "arguments": QUESTION}, "an argument is missing"),
        ({"id": 3, "call": "intersection_ratios"}, "an argument is missing"),
        (
            {"id": 3, "call": "intersection_ratios", "arguments": {**QUESTION, "X_j": []}},
            "X_i and X_j differ",
        ),
        (
            {"id": 3, "call": "intersection_ratios", "arguments": {**QUESTION, "radii": [1, 2]}},
            "centers and radii differ",
        ),
        (
            {"id": 3, "call": "intersection_ratios", "arguments": {**QUESTION, "radii": ["one"]}},
            "a finite number was expected",
        ),
        (
            {"id": 3, "call": "intersection_ratios", "arguments": {**QUESTION, "radii": ["NaN"]}},
            "a finite number was expected",
        ),
        (
            {"id": 3, "call": "intersection_ratios", "arguments": {**QUESTION, "X_i": [[0]]}},
            "do not fit together",
        ),
    ],
)
def test_the_c_subject_answers_nonsense_with_an_error_and_goes_on(program, request_, error):
    good = {"id": 4, "call": "intersection_ratios", "arguments": QUESTION}
    refused, answered = converse(program, json.dumps(request_), json.dumps(good))
    assert refused["id"] == 3
    assert error in refused["error"]
    assert answered == {"id": 4, "result": [[0.5]]}


@pytest.mark.parametrize(
    "noise", ["", "hello", "[", '{"call": "start"', '{"call" "start"}', "[" * 100, '"\\u0041"']
)
def test_the_c_subject_survives_lines_that_are_not_json(program, noise):
    refused, answered = converse(program, noise, '{"call": "start", "version": 1}')
    assert "error" in refused
    assert answered["offers"] == list(FUNCTIONS)


def test_the_c_subject_writes_the_numbers_that_json_lacks_as_strings(program):
    """The square of a length overflows: infinity, and where it is multiplied by a share of 0,
    NaN.
    """
    far = {
        **QUESTION,
        "X_i": [[-1e200, 9]],
        "X_j": [[1e200, 9]],
        "local_metrics": [[[1, 0], [0, 1]]],
    }
    request = {
        "id": 1,
        "call": "distances",
        "arguments": {**far, "background_metric": [[1, 0], [0, 1]]},
    }
    nothing = {
        "id": 1,
        "call": "distances",
        "arguments": {**far, "centers": [], "radii": [], "local_metrics": []},
    }
    nothing["arguments"]["background_metric"] = [[1, 0], [0, 1]]
    nan, infinity = converse(program, json.dumps(request), json.dumps(nothing))
    assert nan == {"id": 1, "result": ["NaN"]}
    assert infinity == {"id": 1, "result": ["Infinity"]}


def test_the_c_subject_reads_lines_longer_than_its_first_buffer(program):
    many = 5000
    question = {
        "X_i": [[0.125, 0]] * many,
        "X_j": [[4.125, 0]] * many,
        "centers": [[2.125, 0]],
        "radii": [1],
    }
    (answered,) = converse(
        program, json.dumps({"id": 1, "call": "intersection_ratios", "arguments": question})
    )
    assert answered["result"] == [[0.5]] * many
