"""The ledger and its evidence: tests of `lmlir.errata` and `lmlir.evidence`."""

import argparse
import itertools
import json
from fractions import Fraction

import pytest

from lmlir import errata, evidence, paper
from lmlir.errata import CHOICES, ERRATA
from lmlir.ledger import tables_4_and_5

EFFECTS = {"refuted", "corrected", "remark"}


def parsed(*arguments):
    """The arguments of `lmlir errata`."""
    parser = argparse.ArgumentParser()
    errata.add_arguments(parser)
    return parser.parse_args(arguments)


# ------------------------------------------------------------------------------------------------------------- the ledger


def test_ids_count_up_without_a_gap():
    """Two lists, numbered from 1, with at least the mistakes and choices known when the work began."""
    assert [erratum.id for erratum in ERRATA] == [f"E{n}" for n in range(1, len(ERRATA) + 1)]
    assert [choice.id for choice in CHOICES] == [f"C{n}" for n in range(1, len(CHOICES) + 1)]
    assert len(ERRATA) >= 17
    assert len(CHOICES) >= 20


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.id)
def test_every_mistake_is_told_in_full(erratum):
    """Items that exist, with one of three effects; both readings, what follows, and functions that exist."""
    assert erratum.items
    for item, effect in erratum.items.items():
        assert item in paper.NAMES
        assert effect in EFFECTS
    assert erratum.printed
    assert erratum.true
    assert erratum.consequence.endswith(".")
    for name in (erratum.printed_by, erratum.true_by):
        assert name is None or callable(errata.resolve(name))


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.id)
def test_every_mistake_is_seen_again(erratum):
    """Each witness, run now, contradicts what is printed; more than a remark needs one, and a test, proof or law."""
    witnesses = errata.witnesses_of(erratum)
    assert all(witness.refutes for witness in witnesses)
    assert all(witness.text and "\n" not in witness.text for witness in witnesses)
    if set(erratum.items.values()) != {"remark"}:
        assert witnesses
        assert any(errata.evidence_of(erratum.id).values()), f"nothing but its witness cites {erratum.id}"


def test_every_witness_is_in_the_ledger():
    """No witness is left over, and each stands with its own erratum."""
    from lmlir import witnesses

    used = {name for erratum in ERRATA for name in erratum.witnesses}
    for witness in witnesses.WITNESSES:
        assert f"lmlir.witnesses.{witness.__name__}" in used
    for name, docstring in paper.definitions(paper.PACKAGE / "evidence.py"):
        if paper.is_witness(docstring) and name != "crossed_classes":
            assert f"lmlir.evidence.{name}" in used
    for erratum in ERRATA:
        for witness in errata.witnesses_of(erratum):
            assert witness.id in (erratum.id, "triangle-inequality")


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.id)
def test_every_choice_is_told_in_full(choice):
    """Items that exist, a question, a decision, a reason, and functions that take it."""
    assert set(choice.items) <= set(paper.NAMES)
    assert choice.items
    assert choice.question
    assert choice.decision
    assert choice.why
    assert choice.kind in ("open", "corner")
    assert choice.taken_in
    for name in choice.taken_in:
        assert errata.resolve(name)


def test_every_id_in_the_code_is_in_the_ledger():
    """What a docstring or message of the package cites exists, and the gravest mistakes are cited."""
    import re

    known = {entry.id for entry in (*ERRATA, *CHOICES)}
    cited = set()
    for path in sorted(paper.PACKAGE.rglob("*.py")):
        if path.name == "errata.py":
            continue
        text = path.read_text(encoding="utf-8")
        found = set(re.findall(r"(?:[Ee]rrat(?:um|a)|[Cc]hoices?|\() ?(?:[EC]\d+(?:,| and| to) )*([EC]\d+)\b", text))
        assert found <= known, f"{path.name} cites {sorted(found - known)}"
        cited |= found
    assert {"E1", "E2", "E3", "E4", "E5", "E8", "E13"} <= cited


def test_an_unknown_id_is_an_error():
    """The sentence says which ids there are."""
    assert errata.items_of("C9") == ["Section 4.1, sign of f", "Section 5.1, neighbours"]
    with pytest.raises(ValueError, match=f"errata E1 to E{len(ERRATA)} and choices C1 to C{len(CHOICES)}, got E0"):
        errata.items_of("E0")


def test_a_name_of_the_ledger_is_a_function_a_module_or_an_error():
    """Dotted names with arguments behind them, modules, and names of nothing."""
    assert errata.resolve('lmlir.gradient.shrinkage(printed=["E4"])') is errata.resolve("lmlir.gradient.shrinkage")
    assert errata.resolve("lmlir.errata") is errata
    with pytest.raises(AttributeError):
        errata.resolve("lmlir.errata.nothing")


def test_the_departures_of_the_gradient_are_in_the_ledger():
    """Errata E2, E3 and E4: what `printed=` takes is what the ledger says can be run as printed."""
    from lmlir.gradient import PRINTED_MISTAKES

    runnable = {erratum.id for erratum in ERRATA if erratum.printed_by and "printed=" in erratum.printed_by}
    assert runnable == PRINTED_MISTAKES


# ---------------------------------------------------------------------------------------------------------- the command


def test_the_ledger_fits_a_terminal(capsys):
    """`lmlir errata`: no line is longer than 100 columns, every id begins a row, and every witness was seen."""
    assert errata.run(parsed()) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    for entry in (*ERRATA, *CHOICES):
        assert sum(line.startswith(f"{entry.id} ") for line in lines) == 1
    assert not any("NOT SEEN" in line for line in lines)


def test_a_witness_that_no_longer_refutes_is_shown(capsys, monkeypatch):
    """The table says so when a change of the code makes an erratum vanish."""
    from lmlir.witnesses import Witness

    monkeypatch.setattr(errata, "witnesses_of", lambda erratum: [Witness("E9", "nothing to see", refutes=False)])
    errata.run(parsed("E9"))
    assert "NOT SEEN nothing to see" in capsys.readouterr().out


def test_single_entries_are_printed_on_request(capsys):
    """`lmlir errata ID`: only this one, and only the table that is needed."""
    errata.run(parsed("E6"))
    text = capsys.readouterr().out
    assert "as printed" in text
    assert "left open" not in text
    assert "lmlir.continuity.printed_lipschitz_bound" in text
    errata.run(parsed("C9"))
    text = capsys.readouterr().out
    assert "left open" in text
    assert "as printed" not in text
    with pytest.raises(ValueError, match="got X1"):
        errata.run(parsed("X1"))


def test_the_ledger_as_json_has_both_readings_and_the_evidence(tmp_path, capsys):
    """`lmlir errata --json FILE`: both readings, witnesses, laws, proofs and tests; choices with their reasons."""
    target = tmp_path / "errata.json"
    assert errata.run(parsed("--json", str(target))) == 0
    rows = {row["id"]: row for row in json.loads(target.read_text(encoding="utf-8"))}
    assert list(rows) == [entry.id for entry in (*ERRATA, *CHOICES)]
    assert rows["E1"]["kind"] == "erratum"
    assert rows["E1"]["printed"]["function"] == "lmlir.objective.printed_dissimilar_slack"
    assert all(witness["refutes"] for row in rows.values() for witness in row.get("witnesses", []))
    assert {"laws", "proofs", "tests", "sources", "consequence", "true"} <= set(rows["E6"])
    assert rows["C14"]["kind"] == "choice, corner"
    assert {"question", "decision", "why", "taken_in"} <= set(rows["C1"])
    errata.run(parsed("E9", "--json", "-"))
    assert [row["id"] for row in json.loads(capsys.readouterr().out)] == ["E9"]


# ---------------------------------------------------------------------------------------------------------- witnesses


def test_two_points_are_shattered_at_a_sixteenth_with_slope_an_eighth():
    """Corollary 1 (E20): all four sign patterns of {0, 1} by functions of slope 1/8 at most; c = 1 says one point."""
    for signs in itertools.product((-1, 1), repeat=2):
        values = [Fraction(sign, 16) for sign in signs]
        assert abs(values[0] - values[1]) <= Fraction(1, 8)
    assert evidence.shattered_pair().refutes


def test_the_bound_is_empty_at_the_sizes_of_table_4():
    """Corollary 1 and equation (11) (E22): c = 1 gives more than 0.99 on every data set."""
    from lmlir.continuity import deviation_term

    for rows, *_ in tables_4_and_5.PRINTED["table_4"].values():
        assert deviation_term(rows - tables_4_and_5.rows_for_testing(rows), 0.05, 1.0) > 0.99


def test_equation_4_needs_the_length_of_a_union():
    """Equation (4) (E19): with two separate balls the subtracted length is the sum over both pieces."""
    assert evidence.length_outside_the_background().refutes


def test_a_quotient_is_no_lipschitz_constant():
    """Definition 9 (E12): the quotient at one pair can be half the supremum."""
    assert evidence.quotient_at_one_pair().refutes
