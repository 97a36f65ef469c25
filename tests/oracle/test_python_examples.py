"""The example subjects in Python, in NumPy, Numba and JAX: against the reference, before the
oracle, and what they refuse.
"""

from pathlib import Path

import numpy as np
import pytest

from lmlir import commands
from lmlir.oracle import subjects
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.judging.judge import run_law
from lmlir.oracle.judging.judgment import PROFILES, Profile
from lmlir.oracle.laws import by_name
from lmlir.oracle.subjects.failures import SubjectFailure
from tests.oracle import agreement

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("numpy", "numba", "jax")
SHORT = Profile("quick", 8, 60.0, 1.0)
FEW = ("PLANE", "NO_REGIONS")  # for JAX, which compiles every new shape


@pytest.fixture(scope="module")
def load():
    """The example subject that uses this package, loaded once."""
    loaded = {}

    def one(name):
        if name not in loaded:
            pytest.importorskip(
                name, reason=f"the example in {name} was not judged: it is not installed here"
            )
            loaded[name] = subjects.load(str(EXAMPLES / f"subject_{name}.py"))
        return loaded[name]

    yield one
    for subject in loaded.values():
        subject.close()


@pytest.mark.parametrize("name", NAMES)
def test_the_subject_agrees_with_the_reference(load, name):
    """Coarsely: near a tangency the root of a rounding error shows, and half the digits are
    lost.
    """
    subject = load(name)
    for example in FEW if name == "jax" else agreement.EXAMPLES:
        agreement.assert_agrees(subject, example, tolerance=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_the_subject_offers_the_whole_interface(load, name):
    assert load(name).offers == list(FUNCTIONS)


@pytest.mark.parametrize(
    ("name", "precision"),
    [("numpy", "float64"), pytest.param("numpy", "float32", marks=pytest.mark.slow)],
)
def test_the_oracle_accepts_the_subject(load, name, precision, capsys, monkeypatch):
    """The formulas as printed lose digits near a tangency, but no more than the brackets allow; all
    laws, in a short run.
    """
    load(name)
    monkeypatch.setitem(PROFILES, "quick", SHORT)
    line = [
        "check",
        str(EXAMPLES / f"subject_{name}.py"),
        "--profile",
        "quick",
        "--precision",
        precision,
    ]
    status = commands.main(line)
    assert status == 0, capsys.readouterr().out


@pytest.mark.slow
def test_the_oracle_accepts_the_compiled_engine(capsys, monkeypatch):
    """The three functions of section 5 by `lmlir.vectorized.compiled`; all laws that concern them,
    in a short run.
    """
    pytest.importorskip("numba", reason="the compiled engine was not judged: there is no Numba")
    monkeypatch.setitem(PROFILES, "quick", SHORT)
    status = commands.main(["check", str(EXAMPLES / "subject_compiled.py"), "--profile", "quick"])
    assert status == 0 and "3 of 9 functions" in (text := capsys.readouterr().out), text


@pytest.mark.parametrize("name", ["numba", "jax"])
def test_the_oracle_accepts_compiled_subjects_on_corner_cases(load, name):
    """On those of one law, by loops and by automatic derivatives; `lmlir check
    examples/subject_jax.py` tries all.
    """
    result = run_law(by_name("ratio_gradients_match_table_3"), load(name), corner_cases_only=True)
    assert result.status == "held" and result.examples > 5, result.violation


def refused(change):
    """Every function whose arguments the change applies to, with them changed."""
    for function in FUNCTIONS:
        arguments = agreement.arguments_of(function, "PLANE")
        changed = change(
            {name: np.copy(value) if np.ndim(value) else value for name, value in arguments.items()}
        )
        if changed is not None:
            yield function, changed


def with_nan(given):
    given["centers"][0, 0] = np.nan
    return given


def with_infinity(given):
    given["radii"][-1] = np.inf
    return given


def with_a_radius_less(given):
    return {**given, "radii": given["radii"][:-1]}


def with_a_feature_more(given):
    name = "X_i" if "X_i" in given else "X"
    return {**given, name: np.pad(given[name], ((0, 0), (0, 1)))}


def with_too_many_neighbors(given):
    return {**given, "K": len(given["X_plus"]) + len(given["X_minus"])} if "K" in given else None


def with_an_index_too_large(given):
    return {**given, "similar": given["similar"] + len(given["X"])} if "similar" in given else None


CHANGES = (
    with_nan,
    with_infinity,
    with_a_radius_less,
    with_a_feature_more,
    with_too_many_neighbors,
    with_an_index_too_large,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_what_the_interface_forbids_is_refused_in_one_sentence(load, name, change):
    """NaN, infinity, shapes that do not fit, K larger than a class: an error, never a number."""
    asked = 0
    for function, arguments in refused(change):
        with pytest.raises(SubjectFailure, match=f"{function} raised ValueError.*: .* (must|got) "):
            load(name).ask(function, arguments)
        asked += 1
    assert asked >= 1


@pytest.mark.parametrize("name", NAMES)
def test_integers_are_taken_and_arguments_left_alone(load, name):
    """Arrays of integers mean the same numbers; gamma of a segment of length 4 whose first quarter
    lies in the ball is 1/4.
    """
    given = [np.array([[0, 0]]), np.array([[4, 0]]), np.array([[0, 0]]), np.array([1])]
    arguments = dict(zip(FUNCTIONS["intersection_ratios"].arguments, given, strict=True))
    assert np.asarray(load(name).ask("intersection_ratios", arguments)).tolist() == [[0.25]]
    assert [part.tolist() for part in given] == [[[0, 0]], [[4, 0]], [[0, 0]], [1]]
