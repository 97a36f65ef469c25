"""The ledger of mistakes and choices, and the command: tests of `lmlir.ledger.errata`, `.choices`
and `lmlir errata`.
"""

import argparse
import json
import pkgutil
import re
from pathlib import Path

import pytest

import lmlir
from lmlir.commands import errata as command
from lmlir.gradient import PRINTED_MISTAKES
from lmlir.ledger.choices import CHOICES
from lmlir.ledger.errata import ERRATA
from lmlir.ledger.items import NAMES, items_of
from lmlir.ledger.map import evidence_of
from lmlir.ledger.witnesses import Witness, witnesses_of

PACKAGE = Path(lmlir.__file__).parent
ROOT = Path(__file__).parents[2]


def parsed(*arguments):
    """Parse the arguments of `lmlir errata`."""
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(arguments)


# --------------------------------------------------------------------------------------- the ledger


def test_ids_count_up_without_a_gap():
    for letter, entries, least in (("E", ERRATA, 17), ("C", CHOICES, 20)):
        assert [entry.id for entry in entries] == [
            f"{letter}{n}" for n in range(1, len(entries) + 1)
        ]
        assert len(entries) >= least


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.id)
def test_every_erratum_is_complete(erratum):
    """Items that exist, with one of three effects; both readings, the consequence, and functions
    that exist.
    """
    assert erratum.items
    assert set(erratum.items) <= set(NAMES)
    assert set(erratum.items.values()) <= {"refuted", "corrected", "remark"}
    assert erratum.printed
    assert erratum.true
    assert erratum.consequence.endswith(".")
    assert all(callable(pkgutil.resolve_name(name)) for name in erratum.functions)


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.id)
def test_every_witness_still_refutes_its_erratum(erratum):
    """An erratum that is more than a remark needs a witness, and a test, a proof or a law."""
    witnesses = witnesses_of(erratum.id)
    assert all(witness.refutes for witness in witnesses)
    if set(erratum.items.values()) != {"remark"}:
        assert witnesses
        assert any(evidence_of(erratum).values())


@pytest.mark.parametrize("entry", [*ERRATA, *CHOICES], ids=lambda entry: entry.id)
def test_the_tests_of_its_own_functions_come_first(entry):
    """A test that cites an entry comes first if its file is named like a module of the entry's
    functions.
    """
    tests = [test.split("::")[0] for test in evidence_of(entry)["tests"]]
    mirrors = {f"/test_{name.split('.')[-2]}.py" for name in entry.functions}
    own = [test for test in tests if any(test.endswith(mirror) for mirror in mirrors)]
    assert tests[: len(own)] == own


def test_the_first_test_of_an_erratum_is_in_the_mirrored_file():
    """Two errata about formulas, and one about a table, which has no function of the paper."""
    first = {entry.id: next(iter(evidence_of(entry)["tests"]), "") for entry in ERRATA}
    assert first["E6"].startswith("tests/paper/test_continuity.py::")
    assert first["E28"].startswith("tests/paper/test_intersection.py::")
    assert first["E24"].startswith("tests/ledger/test_tables_4_and_5.py::")


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.id)
def test_every_choice_is_complete(choice):
    """Items that exist, a question, a decision, a reason, and functions that exist."""
    assert choice.items
    assert set(choice.items) <= set(NAMES)
    assert choice.question
    assert choice.decision
    assert choice.why
    assert choice.kind in ("open", "corner")
    assert choice.functions
    assert all(pkgutil.resolve_name(name) for name in choice.functions)


def test_every_id_in_the_code_is_in_the_ledger():
    """What a docstring or message of the package cites exists, and the most serious errata are
    cited.
    """
    known = {entry.id for entry in (*ERRATA, *CHOICES)}
    cited = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found = set(
            re.findall(
                r"(?:[Ee]rrat(?:um|a)|[Cc]hoices?|\() ?(?:[EC]\d+(?:,| and| to) )*([EC]\d+)\b", text
            )
        )
        assert found <= known, f"{path.name} cites {sorted(found - known)}"
        cited |= found
    assert {"E1", "E2", "E3", "E4", "E5", "E8", "E13"} <= cited


def test_an_unknown_id_is_an_error():
    assert items_of("C9") == ["Section 4.1, sign of f", "Section 5.1, neighbors"]
    with pytest.raises(
        ValueError, match=f"errata E1 to E{len(ERRATA)} and choices C1 to C{len(CHOICES)}, got E0"
    ):
        items_of("E0")


def test_the_departures_of_the_gradient_are_in_the_ledger():
    """Errata E2, E3 and E4: the gradient takes as `printed=` the ids that the ledger runs with
    it.
    """
    runnable = {
        erratum.id for erratum in ERRATA if erratum.printed_by and "printed=" in erratum.printed_by
    }
    assert runnable == PRINTED_MISTAKES


def test_a_corrected_entry_keeps_what_it_was(capsys):
    """`was` holds the old words, the last version that had them and why they are wrong.

    The command prints it.
    """
    corrected = {erratum.id: erratum.was for erratum in ERRATA if erratum.was}
    assert list(corrected) == ["E17", "E20", "E22", "E26", "E28"]
    assert all(
        re.match(r'".+" until version \d+\.\d+\.\d+: .+\.$', was) for was in corrected.values()
    )
    command.run(parsed("E20"))
    assert " ".join(corrected["E20"].split()) in " ".join(capsys.readouterr().out.split())
    command.run(parsed("E20", "E1", "--json", "-"))
    assert [row["was"] and row["was"][:9] for row in json.loads(capsys.readouterr().out)] == [
        None,
        '"refuted:',
    ]


def test_no_corrected_claim_is_repeated():
    """The old words of corrected entries occur nowhere else in the package, the proofs or the
    book.
    """
    wrong = (
        "factor 2 was lost",
        "for every c >= 1",
        "overflows beyond lengths of 1e75",
        "No ten test parts give",
    )
    for folder in ("reference", "proofs", "book"):
        for path in [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).glob("*.md")]:
            text = " ".join(path.read_text(encoding="utf-8").split())
            assert not [claim for claim in wrong if claim in text], path


# -------------------------------------------------------------------------------------- the command


def test_the_ledger_fits_a_terminal(capsys):
    """`lmlir errata`: no line is longer than 100 columns, every id begins a row, and every witness
    refutes.
    """
    assert command.run(parsed()) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    for entry in (*ERRATA, *CHOICES):
        assert sum(line.startswith(f"{entry.id} ") for line in lines) == 1
    assert not any("NOT SEEN" in line for line in lines)


def test_a_witness_that_no_longer_refutes_is_shown(capsys, monkeypatch):
    """The listing has a mark where a change of the code makes an erratum false."""
    monkeypatch.setattr(
        command.witnesses, "witnesses_of", lambda id: [Witness("nothing to see", refutes=False)]
    )
    command.run(parsed("E9"))
    assert "NOT SEEN nothing to see" in capsys.readouterr().out


def test_single_entries_are_printed_on_request(capsys):
    """`lmlir errata ID`: only this entry, in either case of the letter, and only the listing that
    is needed.
    """
    for id, shown, hidden in (("e6", "as printed", "left open"), ("C9", "left open", "as printed")):
        command.run(parsed(id))
        text = capsys.readouterr().out
        assert shown in text
        assert hidden not in text
        assert ("lmlir.continuity.printed_lipschitz_bound" in text) == (id == "e6")
    with pytest.raises(ValueError, match="got X1"):
        command.run(parsed("X1"))


def test_the_ledger_as_json_has_both_readings_and_the_evidence(tmp_path, capsys):
    """`lmlir errata --json FILE`: both readings, witnesses, laws, proofs and tests; choices with
    their reasons.
    """
    target = tmp_path / "errata.json"
    assert command.run(parsed("--json", str(target))) == 0
    rows = {row["id"]: row for row in json.loads(target.read_text(encoding="utf-8"))}
    assert list(rows) == [entry.id for entry in (*ERRATA, *CHOICES)]
    assert rows["E1"]["kind"] == "erratum"
    assert rows["E1"]["printed"]["function"] == "lmlir.objective.printed_dissimilar_slack"
    assert all(witness["refutes"] for row in rows.values() for witness in row.get("witnesses", []))
    assert {"laws", "proofs", "tests", "sources", "consequence", "true"} <= set(rows["E6"])
    assert rows["C14"]["kind"] == "choice, corner"
    assert {"question", "decision", "why", "taken_in"} <= set(rows["C1"])
    command.run(parsed("E9", "--json", "-"))
    assert [row["id"] for row in json.loads(capsys.readouterr().out)] == ["E9"]
