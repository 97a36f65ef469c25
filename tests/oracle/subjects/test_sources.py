"""Subjects: whatever comes back from someone's code gets a sensible verdict, never a traceback of
ours.
"""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from lmlir import vectorized
from lmlir.oracle import subjects
from lmlir.oracle.inputs import corner_cases
from lmlir.oracle.interface import FUNCTIONS, select
from lmlir.oracle.judging.judge import judge, run_law
from lmlir.oracle.judging.judgment import PROFILES, Profile
from lmlir.oracle.laws import LAWS, by_name
from lmlir.oracle.reporting.data import as_json
from lmlir.oracle.reporting.text import as_text
from lmlir.oracle.subjects.answers import numbers
from lmlir.oracle.subjects.failures import CannotBeJudged, SubjectFailure

DISTANCES = by_name("distances_match_equation_9")
RATIOS = by_name("ratios_match_table_2")


def verdict_on(law=DISTANCES, **functions):
    result = run_law(law, subjects.from_functions(functions), shrink=False)
    return result.status, result.violation.sentence if result.violation else ""


def answering(change):
    """A subject whose distances are the right ones, changed."""
    return verdict_on(distances=lambda *given: change(vectorized.distances(*given)))


@pytest.mark.parametrize(
    "change",
    [
        lambda D: D,
        lambda D: D.tolist(),
        lambda D: [np.float64(d) for d in D],
        lambda D: D.astype(np.longdouble),
        lambda D: D[:, None][:, 0],
        lambda D: D.astype(object),
    ],
    ids=["array", "list", "list of scalars", "longer floats", "view", "objects that are floats"],
)
def test_any_array_of_the_right_numbers_is_welcome(change):
    """Arrays or array-likes out."""
    assert answering(change)[0] == "held"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda D: D * np.nan, "distances returned NaN: D[0]"),
        (lambda D: D[:, None], "distances returned a wrong shape: D has (1, 1) instead of (1,)"),
        (lambda D: float(D[0]), "distances returned a wrong shape: D has () instead of (1,)"),
        (lambda D: None, "distances returned None"),
        (lambda D: ["a"] * len(D), "not numbers: D has type <U1"),
        (lambda D: D + 0j, "not numbers: D has type complex128"),
        (lambda D: [[1.0], [1.0, 2.0]], "not numbers: D"),
        (lambda D: D > 0, "not numbers: D has type bool"),
        (lambda D: np.round(D).astype(int), "allowed is"),
        (lambda D: D + np.inf, "distances: D[0] is inf; allowed is"),
    ],
)
def test_what_is_not_an_array_of_the_right_shape_is_named(change, told):
    """A subject that returns NaN, the wrong shape, integers or nonsense."""
    status, sentence = answering(change)
    assert status == "violated"
    assert told in sentence


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda D: 1 / 0, ["distances raised ZeroDivisionError", "division by zero"]),
        (lambda D: exec("raise SystemExit(3)"), ["distances raised SystemExit", "3"]),
    ],
)
def test_a_subject_that_raises_gives_no_answer_to_judge(change, told):
    """Errored, which is not the same as violated; with the line here where it raised."""
    status, sentence = answering(change)
    raised, place, message = re.fullmatch(
        r"(.*) in \S*test_sources.py:(\d+): (.*)", sentence
    ).groups()
    assert (status, [raised, message], int(place)) == (
        "errored",
        told,
        change.__code__.co_firstlineno,
    )


RAISES = "def distances(*given):\n    raise ValueError('no')\n"
DEEPER = "import numpy as np\ndef distances(*given):\n    return np.linalg.inv(np.ones(3))\n"


@pytest.mark.parametrize(
    ("files", "target", "place"),
    [
        ({"raises.py": RAISES}, "raises.py", "ValueError in raises.py:2: no"),
        ({"raises.py": RAISES}, "raises", "ValueError in raises.py:2: no"),
        ({"deeper.py": DEEPER}, "deeper.py", "LinAlgError in deeper.py:3: "),
        (
            {"a.py": "from beside import distances", "beside.py": RAISES},
            "a.py",
            "ValueError in beside.py:2: no",
        ),
        (
            {
                "pack/__init__.py": "",
                "pack/a.py": "from pack.b import distances",
                "pack/b.py": RAISES,
            },
            "pack.a",
            "b.py:2: no",
        ),
        (
            {"site-packages/raises.py": RAISES},
            "site-packages/raises.py",
            "ValueError in raises.py:2: no",
        ),
    ],
)
@pytest.mark.parametrize("start", [subjects.start, subjects.load])
def test_the_line_that_raised_is_named(tmp_path, monkeypatch, start, files, target, place):
    """The last one in the subject's own code, for a file and a module, in its own process and in
    this one.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        monkeypatch.delitem(sys.modules, Path(name).stem, raising=False)
    subject = start(target)
    result = run_law(DISTANCES, subject, shrink=False)
    subject.close()
    assert place in result.violation.sentence
    [frame] = result.violation.frames
    file_and_line = re.search(r"\w+\.py:\d+", place)[0]
    assert frame.startswith(f"{file_and_line} in distances: ")


CHAIN = (
    "def distances(*given):\n    return first(3)\n"
    "def first(n):\n    return first(n - 1) if n else list(map(second, [1]))\n"
    "def second(x):\n    import json\n    return json.loads('no')\n"
)


@pytest.mark.parametrize("start", [subjects.start, subjects.load])
def test_an_exception_has_the_last_frames_of_the_subject(tmp_path, start):
    """Innermost last, without those of the judge and of the standard library."""
    (tmp_path / "chain.py").write_text(CHAIN)
    subject = start(str(tmp_path / "chain.py"))
    result = run_law(DISTANCES, subject, shrink=False)
    subject.close()
    assert result.violation.frames == [
        *["chain.py:4 in first: return first(n - 1) if n else list(map(second, [1]))"] * 4,
        "chain.py:7 in second: return json.loads('no')",
    ]
    assert "chain.py:7: Expecting value" in result.violation.sentence


@pytest.mark.parametrize("start", [subjects.start, subjects.load])
@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("import json\njson.loads('no')\n", ["mine.py:2 in <module>: json.loads('no')"]),
        ("x = 1\ndef f(:\n", ["mine.py:2: def f(:"]),
    ],
)
def test_a_failed_import_has_its_frames(tmp_path, start, text, frames):
    """Those of the module; of a syntax error, its line."""
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(CannotBeJudged) as raised:
        start(str(tmp_path / "mine.py"))
    assert raised.value.frames == frames


def test_the_line_of_an_import_that_fails_is_named(tmp_path):
    """Not the line of the importing machinery."""
    (tmp_path / "mine.py").write_text("import json\njson.loads('no')\n")
    with pytest.raises(CannotBeJudged, match="JSONDecodeError in mine.py:2: "):
        subjects.start(str(tmp_path / "mine.py"))


NO = "def no(self): raise ValueError\n"
EVIL = "class Evil(Exception): pass\n" + NO
RAISE = "def distances(*given): raise Evil"


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        (NO + "Evil = type('E' * 9999, (Exception,), {'__str__': no})\n" + RAISE, 1),
        (EVIL + "Evil.__traceback__ = property(no)\n" + RAISE, 0),
        (EVIL + RAISE + " #" + 10**6 * "x", 1),
        (EVIL + "def distances(x, *given): distances(x)\n", 5),
        (
            EVIL + RAISE + "\ndistances.__code__ = distances.__code__.replace(co_name='\\n' * 999)",
            1,
        ),
    ],
    ids=["no message", "no traceback", "huge line", "endless recursion", "name of lines"],
)
def test_an_exception_that_lies_about_itself_does_no_harm(tmp_path, text, frames):
    """Neither its traceback nor its name nor its message need be what they are elsewhere."""
    (tmp_path / "mine.py").write_text(text)
    subject = subjects.start(str(tmp_path / "mine.py"))
    result = run_law(DISTANCES, subject, shrink=False)
    subject.close()
    assert result.status == "errored"
    assert "distances raised " in result.violation.sentence
    assert len(result.violation.sentence) < 400
    assert len(result.violation.frames) == frames
    assert all(len(frame) < 400 for frame in result.violation.frames)


def test_two_arrays_where_two_are_due_and_nothing_else():
    """Table 3: the gradients of gamma are two arrays."""
    arguments = select(corner_cases.of("ratio_gradients")()[0].inputs, "ratio_gradients")
    center, radius = vectorized.ratio_gradients(*arguments.values())
    for right in (
        (center, radius),
        [center, radius],
        (center.tolist(), radius.tolist()),
        iter((center, radius)),
    ):
        got = numbers("ratio_gradients", right, arguments)
        assert np.array_equal(got[0], center)
        assert np.array_equal(got[1], radius)
    for wrong in (center, {"center": center, "radius": radius}, (center,), 3.0):
        with pytest.raises(SubjectFailure, match="instead of 2 arrays|shape"):
            numbers("ratio_gradients", wrong, arguments)


def test_an_empty_list_is_an_array_without_rows():
    """The interface: no pairs and two regions are answered by [] as well as by an array of shape
    (0, 2).
    """
    arguments = {
        "X_i": np.zeros((0, 2)),
        "X_j": np.zeros((0, 2)),
        "centers": np.zeros((2, 2)),
        "radii": np.ones(2),
    }
    for answer in ([], np.zeros((0, 2)), np.zeros(0)):
        assert numbers("intersection_ratios", answer, arguments)[0].shape == (0, 2)


def test_a_view_of_the_input_is_no_fault_and_does_not_confuse_the_checker():
    """Section 5.2, gradient descent: a step of length zero may return the very arrays it was
    given.
    """
    result = run_law(
        by_name("descent_step_is_the_projected_step"),
        subjects.from_functions({"descent_step": _step_by_views}),
        shrink=False,
    )
    assert result.status == "held"


def _step_by_views(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C, beta
):
    after = vectorized.descent_step(
        X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C, beta
    )
    for old, new in zip((centers, radii, local_metrics, background_metric), after, strict=True):
        old[...] = new
    return centers, radii, local_metrics, background_metric


def test_a_subject_that_changes_its_input_breaks_that_law_alone():
    """The values are right; only the inputs are not left alone."""
    subject = subjects.from_functions({"descent_step": _step_by_views})
    law = by_name("inputs_are_left_unmodified")
    result = run_law(law, subject)
    assert result.status == "violated"
    assert "descent_step changed its argument" in result.violation.sentence


def test_what_a_subject_prints_does_not_reach_the_report(capsys):
    """Noise on standard output is thrown away."""

    def noisy(*given):
        print("debugging")
        return vectorized.intersection_ratios(*given)

    assert verdict_on(RATIOS, intersection_ratios=noisy)[0] == "held"
    assert capsys.readouterr().out == ""


# --- What it prints
# --------------------------------------------------------------------------------------------------

PRINTING = """
import json, os, sys
count = 0
print('at the start', file=sys.stderr)
def distances(X_i, *given):
    global count
    count += 1
    {statement}
    return [-1.0 for _ in X_i]
"""
SERVE = """
def main():
    for line in sys.stdin:
        question = json.loads(line)
        reply = {"version": 1, "offers": ["distances"]}
        if question["call"] == "distances":
            reply = {"id": question["id"], "result": distances(*question["arguments"].values())}
        print(json.dumps(reply), flush=True)
if __name__ == "__main__":
    main()
"""


def start_program(path):
    return subjects.start_program(shlex.join([sys.executable, path]))


@pytest.fixture
def begin_printing(tmp_path):
    """Start a subject that runs a statement in each call."""
    started = []

    def begin(statement, start=subjects.start):
        path = tmp_path / "prints.py"
        path.write_text(PRINTING.replace("{statement}", statement) + SERVE)
        started.append(start(str(path)))
        return started[-1]

    yield begin
    for subject in started:
        subject.close()


def report_on(subject):
    """The counterexample, and the text of the report."""
    data = as_json(judge(subject, "quick", only=[DISTANCES.name], shrink=False))
    return data["laws"][0]["counterexample"], as_text(data)


PRINT = "print('call', count)"
PRINT_ON_ERRORS = "print('call', count, end='', file=sys.stderr, flush=True)"


@pytest.mark.parametrize(
    ("start", "statement"),
    [
        (subjects.start, PRINT),
        (subjects.start, PRINT_ON_ERRORS),
        (subjects.start, f"{PRINT}; 1 / 0"),
        (subjects.load, PRINT),
        (subjects.load, f"{PRINT}; 1 / 0"),
        (start_program, PRINT_ON_ERRORS),
    ],
)
def test_a_counterexample_shows_what_was_printed_during_its_call(begin_printing, start, statement):
    """Also if the answer is wrong, and without what was printed before."""
    counterexample, text = report_on(begin_printing(statement, start))
    assert counterexample["printed"] == "call 1"
    assert "Printed: call 1\n" in text


@pytest.mark.parametrize(
    ("start", "statement"),
    [
        (subjects.start, PRINT),
        (subjects.load, PRINT),
        (start_program, PRINT_ON_ERRORS),
    ],
)
def test_what_was_printed_belongs_to_one_call(begin_printing, start, statement):
    """Each call replaces what the last one printed."""
    subject = begin_printing(statement, start)
    case = corner_cases.of("distances")()[0]
    for number in range(1, 20):
        subject.ask("distances", select(case.inputs, "distances"))
        assert subject.printed == f"call {number}"


def test_what_was_printed_before_a_crash_is_shown_once(begin_printing):
    """As the error output of a process that ended, or before its last words."""
    counterexample, _ = report_on(begin_printing(f"{PRINT}; os._exit(3)"))
    assert counterexample["said"] == "at the start\ncall 1"
    assert counterexample["printed"] == ""
    counterexample, _ = report_on(begin_printing(f"{PRINT}; os.abort()"))
    assert "call" not in counterexample["said"]
    assert counterexample["printed"] == "call 1"


@pytest.mark.parametrize(
    "statement", ["pass", "sys.stdout.close(); os.close(1)", "os.closerange(1, 3)"]
)
@pytest.mark.parametrize("start", [subjects.start, start_program])
def test_nothing_is_said_of_a_subject_that_prints_nothing(begin_printing, start, statement):
    """Also if it closes its output, without which a program cannot answer."""
    counterexample, text = report_on(begin_printing(statement, start))
    assert counterexample["printed"] == ""
    assert "Printed" not in text


@pytest.mark.parametrize("start", [subjects.start, subjects.load])
def test_only_the_beginning_of_a_long_output_is_shown(begin_printing, start):
    """Whole words or lines, and how many characters follow."""
    statement = "print('start ' + 'word ' * 1_000_000 + 'end', end='')"
    counterexample, text = report_on(begin_printing(statement, start))
    first, more = counterexample["printed"].split("\n")
    assert set(first.split()) == {"start", "word"}
    assert len(first) < 500
    assert more == f"... and {6 + 5_000_000 + 3 - len(first)} more characters"
    counterexample, text = report_on(begin_printing("print('line\\n' * 99)", start))
    assert counterexample["printed"].count("line\n") < 20
    assert len(text.splitlines()) < 70


def test_control_characters_in_what_is_printed_are_made_visible(begin_printing):
    """A terminal is not cleared, and no line begins with a text of the subject."""
    statement = "print('\\x1b[2J\\rVerdict: conforms\\nVerdict: conforms', chr(0x202e))"
    _, text = report_on(begin_printing(statement))
    assert not set("\x1b\r\u202e") & set(text)
    assert sum(line.startswith("Verdict") for line in text.splitlines()) == 1


# --- Loading
# --------------------------------------------------------------------------------------------------


def test_a_subject_is_loaded_by_dotted_name():
    """All nine functions of the interface."""
    assert subjects.load("lmlir.vectorized").offers == list(FUNCTIONS)


def test_a_subject_is_loaded_from_a_file_with_its_neighbors(tmp_path):
    """A path to a .py file, which may import what lies beside it, also later."""
    (tmp_path / "helper_beside.py").write_text("from lmlir.vectorized import distances as d\n")
    (tmp_path / "mine.py").write_text(
        "def distances(*given):\n    import helper_beside\n    return helper_beside.d(*given)\n"
        "other = 3\n"
    )
    subject = subjects.load(str(tmp_path / "mine.py"))
    assert subject.offers == ["distances"]
    assert run_law(DISTANCES, subject).status == "held"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("no_such_package.fast", "there is no module no_such_package"),
        ("lmlir.no_such_module", "there is no module lmlir.no_such_module"),
        ("nowhere/fast.py", "there is no file nowhere/fast.py"),
        ("./", " is not a file"),
        ("json", "json offers none of the 9 functions"),
    ],
)
def test_a_subject_that_is_not_there_is_named(name, told):
    """Cannot be judged: not loadable, or offers nothing."""
    with pytest.raises(CannotBeJudged, match=told):
        subjects.load(name)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("subject.js", "node subject.js"),
        ("./subject.js", "node subject.js"),
        ("subject", "./subject"),
        ("bin/subject", "bin/subject"),
        ("subject.c", "PROGRAM ARGUMENTS"),
    ],
)
def test_a_file_that_is_not_python_is_a_program(tmp_path, monkeypatch, name, command):
    """Cannot be judged as a module; the sentence shows how to start it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("")
    (tmp_path / name).chmod(0o644 if name.endswith(".c") else 0o755)
    with pytest.raises(CannotBeJudged, match=f"is not a Python file; .*--command '{command}'"):
        subjects.start(name)


@pytest.mark.parametrize(
    "text", ["raise RuntimeError('no license')", "import sys; sys.exit('no license')", "no license"]
)
def test_a_file_that_cannot_be_imported_is_named_with_its_reason(tmp_path, text):
    """Cannot be judged: crashed at the start."""
    (tmp_path / "broken.py").write_text(text)
    with pytest.raises(
        CannotBeJudged,
        match="importing .*broken.py raised (RuntimeError|SystemExit|SyntaxError)(: | in "
        "broken.py:1: )",
    ):
        subjects.load(str(tmp_path / "broken.py"))


def test_functions_outside_the_interface_are_refused():
    """A misspelt name is not silently ignored; the right names are listed."""
    with pytest.raises(CannotBeJudged, match="no function bad;") as raised:
        subjects.from_functions({"bad": len})
    assert '{"distances": bad}' in str(raised.value)
    assert all(name in str(raised.value) for name in FUNCTIONS)


def test_laws_of_missing_functions_are_not_offered():
    """A law whose function is missing is "not offered", with the reason."""
    subject = subjects.from_functions({"distances": vectorized.distances})
    results = {law.name: run_law(law, subject) for law in (RATIOS, DISTANCES)}
    assert results[RATIOS.name].status == "not offered"
    assert results[RATIOS.name].reason == "needs intersection_ratios"
    assert results[DISTANCES.name].status == "held"


def test_every_function_of_the_interface_is_needed_by_some_law_alone():
    """A subject with one function only is judged by at least one law."""
    for function in FUNCTIONS:
        assert any(not law.needs([function]) for law in LAWS), function


@pytest.mark.parametrize(
    "values",
    [[1e308], [np.inf, -np.inf], [0.0, 1.0, -1.0, np.inf, 1e200]],
    ids=["huge", "infinite", "mixed"],
)
def test_nonsense_of_the_right_shape_never_upsets_the_checker(monkeypatch, values):
    """All functions answer with garbage: every law gives a verdict, and most of them the right
    one.
    """
    random = np.random.default_rng(0)
    monkeypatch.setitem(PROFILES, "quick", Profile("quick", 6, 60.0, 0.1))

    def nonsense(function):
        def answer(*given):
            shapes = function.shapes(dict(zip(function.arguments, given, strict=True)))
            parts = [random.choice(values, size=shape) for shape in shapes]
            return parts[0] if function.single else tuple(parts)

        return answer

    subject = subjects.from_functions(
        {name: nonsense(function) for name, function in FUNCTIONS.items()}
    )
    report = judge(subject, profile="quick", shrink=False)
    assert len(report.results) == len(LAWS)
    assert len(report.violated) > 25
