"""The proofs go through, and they can fail: every one rejects a broken function.

Expected values of the framework's own tests are worked out by hand.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
from fractions import Fraction

import pytest

sp = pytest.importorskip("sympy", reason="the proofs need SymPy: pip install lmlir[proofs]")

from lmlir import terminal  # noqa: E402
from lmlir.distance import distance  # noqa: E402
from lmlir.ledger import witnesses  # noqa: E402
from lmlir.ledger.items import NAMES, mentions  # noqa: E402
from proofs import steps  # noqa: E402
from proofs.__main__ import command, main, summarized  # noqa: E402
from proofs.breakages import (  # noqa: E402
    Breakage,
    all_breakages,
    broken_function,
    everywhere,
    is_caught,
)
from proofs.symbols import Sample, Space, vanishes  # noqa: E402

PROOFS = dict(steps.all_proofs())
REFUTED = ("E2", "E3", "E4", "E5", "E6", "E7", "E8", "E13", "E14", "E18")


@functools.cache
def proved(name: str) -> steps.Proof:
    return PROOFS[name]()


# ----------------------------------------------------------------------------------- all the proofs


@pytest.mark.parametrize("name", PROOFS)
def test_a_proof_goes_through_and_prints_within_a_hundred_columns(name):
    proof = proved(name)
    assert proof.conclusion
    assert any(step.checked in (steps.BY_SYMPY, steps.BY_NUMBERS) for step in proof.steps)
    assert [step.number for step in proof.steps] == list(range(1, len(proof.steps) + 1))
    assert max(map(len, str(proof).splitlines())) <= terminal.WIDTH


@pytest.mark.parametrize("name", PROOFS)
def test_a_proof_names_the_items_that_its_docstring_begins_with(name):
    function = PROOFS[name]
    assert function.items
    assert set(function.items) <= set(NAMES)
    assert set(function.items) <= set(mentions(" ".join(function.__doc__.split())))
    assert re.match(
        r"(Definition|Proposition|Lemma|Corollary|Equation|Table|Section|Theorem) [0-9(A-E]",
        function.__doc__,
    )


@pytest.mark.parametrize(
    "breakage", all_breakages(), ids=lambda b: f"{b.proof.split('.prove_')[1]}-{b.function}"
)
def test_a_proof_rejects_a_broken_function(breakage):
    assert is_caught(breakage) == "rejected", f"{breakage.proof} lets this pass: {breakage}"


def test_every_proof_has_a_breakage():
    assert {breakage.proof for breakage in all_breakages()} == set(PROOFS)
    assert len(PROOFS) >= 50
    assert len(all_breakages()) >= 140


def test_every_refuted_statement_has_a_witness_in_a_proof():
    with_witnesses = [name for name in PROOFS if "witness.text" in inspect.getsource(PROOFS[name])]
    printed = " ".join(step.text for name in with_witnesses for step in proved(name).steps)
    for id in REFUTED:
        found = witnesses.witnesses_of(id)
        assert found and all(witness.text in printed for witness in found), id


# -------------------------------------------------------------------------------------- the command


def test_the_command_writes_names_items_steps_verdicts_and_seconds(tmp_path, capsys):
    file = tmp_path / "proofs.json"
    assert main(["swapping", "--json", str(file)]) == 0
    (result,) = json.loads(file.read_text(encoding="utf-8"))
    assert result["name"] == "proofs.intersection.prove_swapping_the_end_points_mirrors_the_roots"
    assert result["items"] == ["Definition 8"]
    assert result["verdict"] == "proved"
    assert result["seconds"] >= 0
    assert [step["number"] for step in result["steps"]] == [1, 2, 3, 4]
    assert {step["checked"] for step in result["steps"]} == {
        "by SymPy",
        "exact numbers",
        "in words",
    }
    output = capsys.readouterr().out
    assert "1 of 1 proved" in output
    assert "Therefore γ(x_i, x_j) = γ(x_j, x_i)." in output
    assert "4 steps, 3 checked by machine, 1 in words; " in output
    assert output.endswith(
        "\nSteps that are proved formally, too: 1 (25%). Steps that are in words only: 0.\n"
    )
    assert max(map(len, output.splitlines())) <= terminal.WIDTH


def test_the_command_counts_the_words_that_no_formal_theorem_closes(capsys):
    """Two steps in words, of which a formal theorem closes one; a machine step with a formal
    theorem is not in words.
    """
    result = {"verdict": "proved", "seconds": 0.0, "steps": []}
    for checked, formal in (
        (steps.IN_WORDS, None),
        (steps.IN_WORDS, "triangle"),
        (steps.BY_SYMPY, "triangle"),
    ):
        result["steps"].append({"checked": checked, "formal": formal})
    assert summarized([result], quiet=False) == 0
    output = capsys.readouterr().out
    assert "3 steps, 1 checked by machine, 2 in words; " in output
    assert "formally, too: 2 (67%). Steps that are in words only: 1." in output


def test_the_command_writes_only_json_to_standard_output_when_asked(capsys):
    assert main(["stacked_balls_are_cheaper", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["verdict"] == "proved"


def test_the_command_fails_when_a_proof_is_rejected(capsys):
    change = Breakage("", "objective.penalty", "total + frobenius_norm", "total - frobenius_norm")
    with everywhere(*broken_function(change)):
        assert main(["stacked_balls_are_cheaper"]) == 1
    output = capsys.readouterr().out
    assert "REJECTED" in output
    assert "step 1 is false" in output
    assert "0 of 1 proved" in output


def test_the_command_says_in_one_sentence_that_there_is_no_such_proof(capsys):
    assert main(["no_such_thing"]) == 2
    assert (
        capsys.readouterr().err
        == "no proof is called no_such_thing; python -m proofs --list names them all\n"
    )


def test_the_command_says_in_one_sentence_that_a_file_cannot_be_written(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(
        "sys.argv",
        ["proofs", "stacked_balls_are_cheaper", "--json", str(tmp_path / "no" / "such.json")],
    )
    assert command() == 2
    assert capsys.readouterr().err.startswith("cannot write: ")


def test_the_command_counts_breakages(tmp_path, capsys):
    file = tmp_path / "breakages.json"
    assert main(["triangle_inequality_fails", "--breakages", "--json", str(file)]) == 0
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content["tried"] == content["caught"] == 1
    assert content["breakages"][0]["outcome"] == "rejected"
    assert "1 of 1 breakages caught" in capsys.readouterr().out


def test_the_command_lists_all_proofs(capsys):
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.split() == list(PROOFS)


# ------------------------------------------------------------------------------------ the framework


@pytest.mark.parametrize("check", [False, 0, None, "yes", 1])
def test_a_check_counts_only_when_it_is_true(check):
    proof = steps.Proof("a proof", ("Table 2",), "a title")
    with pytest.raises(steps.Rejected, match="a proof, step 1 is false: one"):
        proof.by_sympy("one", True, check)


def test_a_step_or_a_proof_that_checks_nothing_is_rejected():
    proof = steps.Proof("a proof", ("Table 2",), "a title")
    with pytest.raises(steps.Rejected, match="checks nothing"):
        proof.by_numbers("one")
    proof.in_words("only words")
    with pytest.raises(steps.Rejected, match="checks nothing"):
        proof.therefore("all is well")


def test_a_proof_without_a_conclusion_is_rejected():
    @steps.proof_of("Table 2")
    def prove_half(proof):
        """Table 2: half a proof."""
        proof.by_numbers("two is two", 1 + 1 == 2)

    with pytest.raises(steps.Rejected, match="has no conclusion"):
        prove_half()


def test_a_breakage_that_no_longer_applies_is_an_error():
    with pytest.raises(ValueError, match="no longer says"):
        broken_function(Breakage("", "intersection.clipped", "max(min(", ""))


# -------------------------------------------------------------------------------------- the symbols


x, y = sp.symbols("x y", positive=True)


@pytest.mark.parametrize(
    ("expression", "zero"),
    [
        ((x + y) ** 2 - x**2 - 2 * x * y - y**2, True),
        (1 / (sp.sqrt(x) - 1) - (sp.sqrt(x) + 1) / (x - 1), True),
        (sp.sqrt(x) * sp.sqrt(y) * sp.sqrt(x) - x * sp.sqrt(y), True),
        (sp.sqrt(x + y) - sp.sqrt(x) - sp.sqrt(y), False),
        (sp.sqrt(x) + x, False),
        (x - y, False),
        (sp.Integer(1), False),
        (sp.Integer(0), True),
    ],
)
def test_vanishing_is_decided_with_square_roots(expression, zero):
    assert vanishes(expression) is zero


def test_a_traced_number_takes_the_branch_of_its_sample_and_writes_it_down():
    sample = Sample()
    a = sample.number("a", -3)
    assert abs(a).value == 3
    assert vanishes(abs(a) + a)
    assert max(a, 0) == 0
    assert sample.conditions[-1][1] == "<"
    root = (a * a * 4) ** Fraction(1, 2)
    assert root.value == 6
    assert vanishes(root + 2 * a)
    assert sample.conditions[-1] == (a.expression, "<")  # sqrt(4 a^2) is -2 a, because a < 0


def test_the_signs_under_a_root_are_conditions():
    """sqrt(x^2 (y - z)) = x sqrt(y - z) where x > 0 and y > z; the root of a number adds none."""
    sample = Sample()
    x, y, z = (sample.number(name, value) for name, value in (("x", 2), ("y", 7), ("z", 3)))
    before = len(sample.conditions)
    assert (x * x * (y - z)).root().value == 4
    expected = {(x.expression, ">"), (y.expression - z.expression, ">")}
    assert set(sample.conditions[before:]) == expected
    (0 * x + 4).root()
    assert len(sample.conditions) == before + 2


def test_a_traced_number_takes_only_exact_numbers():
    with pytest.raises(TypeError):
        Sample().number("a", 1) + 0.5


def test_a_vector_knows_only_inner_products():
    """|u + v|^2 = u.u + 2 u.v + v.v, and a distance without regions is its root."""
    space = Space()
    u, v = space.vector("u"), space.vector("v")
    assert vanishes((u + v) * (u + v) - (u * u + 2 * (u * v) + v * v))
    assert not vanishes((u + v) * (u + v) - (u * u + v * v))
    assert (u - u) == 0
    assert not (u - u)
    assert u


def test_a_broken_function_is_put_back():
    before = distance([0], [2], [], [], [], [[1]])
    with everywhere(
        *broken_function(
            Breakage(
                "", "regions.mahalanobis_length", "return square_root(square)\n", "return square\n"
            )
        )
    ):
        assert distance([0], [2], [], [], [], [[1]]) == 4
    assert distance([0], [2], [], [], [], [[1]]) == before == 2
