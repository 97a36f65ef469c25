"""Items, links and the map: an item that is missing, a link to nothing, a function without an item: each is red."""

import argparse
import ast
import importlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lmlir.commands import map as command
from lmlir.ledger import items, links
from lmlir.ledger.choices import CHOICES
from lmlir.ledger.errata import ERRATA
from lmlir.ledger.map import items as whole_map

ROOT = Path(__file__).parents[2]

# How the paper numbers its statements, counted in its text.
NUMBERED = [
    *(f"Definition {n}" for n in range(1, 10)),
    *(f"Proposition {n}" for n in range(1, 5)),
    "Lemma 1",
    "Corollary 1",
    *(f"Equation ({n})" for n in range(1, 13)),
    *(f"Table {n}" for n in range(1, 6)),
    *(f"Figure {n}" for n in range(1, 4)),
]
# Formulas without a number, in the order of the text.
UNNUMBERED = [
    "Definition 5, footnote",
    "Section 3.1, step 2",
    "Section 3.2, gamma_b",
    "Section 4.1, 1-NN",
    "Section 4.1, D_set",
    "Section 4.1, sumKmin",
    "Section 4.1, sign of f",
    "Section 5.1, neighbors",
    "Section 5.2, gradient descent",
    "Section 5.2, objective g",
    "Section 5.2, gradient of g",
    "Section 5.2, shrinkage",
    "Section 5.2, dD/dM(B)",
    "Section 5.2, dD/dM(A_s)",
    "Section 5.2, dD/do_s",
    "Section 5.2, dD/dr_s",
    "Section 5.2, h(x)",
    "Section 5.2, step 1",
    "Section 5.2, step 2",
    "Section 5.2, step 3",
    "Section 6, protocol",
]
OWN = [f"Theorem {letter}" for letter in "ABCDE"]
SECTIONS = {"beyond the paper", "1", "2", "3.1", "3.2", "4.1", "4.2", "5", "5.1", "5.2", "6"}
ITEMS = whole_map()


def resolve(dotted):
    """What a dotted name stands for."""
    module, name = dotted.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


def test_every_item_of_the_paper_is_there_once():
    """9 + 4 + 1 + 1 statements, 12 equations, 5 tables, 3 figures, unnumbered formulas, our 5 theorems; no repeats."""
    assert [item.item for item in ITEMS] == NUMBERED + UNNUMBERED + OWN
    assert {item.section for item in ITEMS} <= SECTIONS
    assert len({item.title for item in ITEMS}) == len(ITEMS)


# Our own theorems are checked as soon as functions name them.
STATED = [item for item in ITEMS if item.functions or item.item not in OWN]


@pytest.mark.parametrize("item", STATED, ids=lambda item: item.item)
def test_every_item_has_functions_and_evidence(item):
    """A function that computes it, and a law, a proof, a test or an erratum that says what became of it."""
    assert item.functions
    evidence = [*item.laws, *item.proofs, *item.formal, *item.tests, *item.errata]
    assert evidence, f"nothing speaks for {item.item}"
    if item.status == "holds":
        assert [*item.laws, *item.proofs, *item.formal, *item.tests], (
            f"{item.item} is said to hold, but nothing shows it"
        )


@pytest.mark.parametrize("item", [item for item in STATED if item.section != "6"], ids=lambda item: item.item)
def test_every_item_before_the_experiments_has_a_law_or_a_proof_and_a_page(item):
    """Statements and formulas are judged by the oracle or proved, and the book has a place for each."""
    assert item.page
    assert item.laws or item.proofs or item.formal or item.choices, f"neither a law nor a proof for {item.item}"


@pytest.mark.parametrize("function", [name for item in ITEMS for name in item.functions])
def test_every_function_of_the_map_exists(function):
    """A link that points at nothing is red."""
    assert callable(resolve(function))


def test_every_public_function_of_the_paper_modules_is_tied_to_an_item():
    """A function whose docstring begins with no item of the paper is red."""
    for function, named in links.public_functions().items():
        assert named, f"{function} begins with no item that the map knows"


def test_a_function_without_an_item_would_be_noticed(tmp_path, monkeypatch):
    """The check above can fail: an extra module with a function that names nothing."""
    (tmp_path / "stray.py").write_text('def stray():\n    """Returns nothing in particular."""\n')
    monkeypatch.setattr(links, "PACKAGE", tmp_path)
    assert links.public_functions(["stray"]) == {"lmlir.stray.stray": []}


def test_the_modules_of_the_map_are_the_sections_of_the_paper():
    """Every module that the package offers as a section is read."""
    for module in (*links.PAPER_MODULES, *links.OTHER_MODULES):
        assert importlib.import_module(f"lmlir.{module}")


def test_every_law_proof_and_test_of_the_map_exists():
    """The links name laws of the oracle, functions of proofs/ and tests/, and pages of the book."""
    laws = {name for name, _ in links.laws_of_the_oracle()}
    defined = {}
    for name, linked in links.links().items():
        assert name in items.NAMES or items.items_of(name), f"{name} is neither an item nor a ledger id"
        assert set(linked.get("laws", [])) <= laws
        for proof in linked.get("proofs", []):
            _, module, function = proof.split(".")
            defined.setdefault(module, {node for node, _ in links.definitions(ROOT / "proofs" / f"{module}.py")})
            assert function in defined[module]
        for test in linked.get("tests", []):
            file, function = test.split("::")
            defined.setdefault(file, {node for node, _ in links.definitions(ROOT / file)})
            assert function in defined[file]
        for page in linked.get("pages", []):
            file, _, label = page.partition(".html")
            text = (ROOT / "book" / f"{file}.md").read_text(encoding="utf-8")
            assert label.removeprefix("#").removeprefix("equation-") in text


def test_the_links_are_up_to_date():
    """What the oracle, proofs/, tests/ and book/ say now; `make links` brings the file up to date."""
    assert links.links() == links.found_links(ROOT), "run `make links`"


def test_every_law_and_proof_is_tied_to_an_item():
    """No law and no proof without an item; laws about behavior cite the interface, which is no item of the paper."""
    from lmlir.oracle.laws import LAWS

    for law in LAWS:
        assert law.items, f"the law {law.name} cites nothing"
        for text in law.items:
            assert items.mentions(text) or text == "Subject interface", f"the law {law.name} cites {text}"
    proofs = [
        (f"proofs.{path.stem}.{name}", items.mentions(docstring))
        for path in sorted((ROOT / "proofs").glob("*.py"))
        for name, docstring in links.definitions(path)
        if name.startswith("prove_")
    ]
    assert len(proofs) > 10
    for proof, named in proofs:
        assert named, f"{proof} cites no item"


def test_the_status_follows_from_the_ledger(monkeypatch):
    """Refuted before corrected before choice; a remark or a corner case leaves an item standing."""
    assert [items.status(f"Proposition {n}") for n in (1, 2, 3, 4)] == ["holds"] * 4
    assert items.status("Lemma 1") == items.status("Corollary 1") == items.status("Equation (11)") == "refuted"
    assert items.status("Section 5.2, gradient of g") == "corrected"
    assert items.status("Section 5.2, step 2") == "choice"
    assert items.status("Table 2") == "holds"
    remark = replace(ERRATA[0], items={"Definition 2": "remark"})
    correction = replace(remark, items={"Definition 2": "corrected"})
    refutation = replace(remark, items={"Definition 2": "refuted"})
    choice = replace(CHOICES[0], items=("Definition 2",))
    for ledger, choices, expected in [
        ([], [], "holds"),
        ([remark], [], "holds"),
        ([], [replace(choice, kind="corner")], "holds"),
        ([remark], [choice], "choice"),
        ([correction], [choice], "corrected"),
        ([correction, refutation], [choice], "refuted"),
    ]:
        monkeypatch.setattr(items, "ERRATA", tuple(ledger))
        monkeypatch.setattr(items, "CHOICES", tuple(choices))
        assert items.status("Definition 2") == expected


@pytest.mark.parametrize(
    ("docstring", "named"),
    [
        ("Definition 8: the share.", ["Definition 8"]),
        ("Definition 1, equation (1): whether x is inside, see Table 2.", ["Definition 1", "Equation (1)"]),
        ("Definitions 3 and 4 need a matrix.", ["Definition 3", "Definition 4"]),
        ("Table 2, row 4: the part from x_i to v.", ["Table 2"]),
        ("Proposition 3(a): a sum.", ["Proposition 3"]),
        ("Definition 5, footnote: the union.", ["Definition 5", "Definition 5, footnote"]),
        (r"Section 3.2, $\gamma_b$, exact: 1 minus the union.", ["Section 3.2, gamma_b"]),
        (r"Section 4.1, $D_{set}(x, X)$: the distances.", ["Section 4.1, D_set"]),
        ("Section 5.2, dD/do_s and dD/dr_s: both.", ["Section 5.2, dD/do_s", "Section 5.2, dD/dr_s"]),
        ("Section 5.2: everything.", []),
        ("Section 6: preprocessing.", ["Section 6, protocol"]),
        ("Theorem C: the sharp modulus.", ["Theorem C"]),
        ("Theorems A and B, equation (9): both.", ["Equation (9)", "Theorem A", "Theorem B"]),
        ("Theorem 7: there is none.", []),
        ("Erratum E9: a size.", ["Table 4"]),
        ("Choice C6: the clusters.", ["Section 5.2, step 2"]),
        ("The vector of Definition 3.", []),
        ("Definition 10: there is none.", []),
        ("", []),
    ],
)
def test_the_items_of_a_docstring_are_those_it_begins_with(docstring, named):
    """House style: the first line names the paper's item, then says what is returned."""
    assert items.items_named(docstring) == named


def test_an_unknown_ledger_id_in_a_docstring_is_an_error():
    """The sentence says which ids the ledger has."""
    with pytest.raises(ValueError, match="the ledger has errata E1 to E.* got E99"):
        items.items_named("Erratum E99: something.")


def test_mentions_are_found_anywhere_in_a_sentence():
    """Proofs and tests cite items in the middle of a docstring, ledger ids in brackets."""
    found = items.mentions(
        "Against Lemma 1 and equations (9) and (10), see Section 5.2, h(x) (E6, C14). By Theorem A. Table 9 is none."
    )
    assert found == ["Equation (10)", "Equation (9)", "Lemma 1", "Section 5.2, h(x)", "Theorem A", "C14", "E6"]


def test_labels_of_the_book_are_found(tmp_path):
    """Statements, equations, figures and headings of the book, and pages that show a function."""
    (tmp_path / "one.md").write_text(":label: definition-1\n$$a$$ (eq-1)\n    name: figure-2\n(section-6-protocol)=\n")
    (tmp_path / "two.md").write_text(":label: definition-1\n:pyobject: is_in_background\n")
    (tmp_path / "distance.md").write_text("no labels\n")
    pages = dict(links.pages_of_the_book(tmp_path))
    assert pages["Definition 1"] == "one.html#definition-1"
    assert pages["Equation (1)"] == "one.html#equation-eq-1"
    assert pages["Figure 2"] == "one.html#figure-2"
    assert pages["Section 6, protocol"] == "one.html#section-6-protocol"
    assert pages["Definition 2"] == "two.html"
    assert pages["Section 3.2, gamma_b"] == "distance.html"
    assert "Lemma 1" not in pages


def test_links_are_written_and_read_back(tmp_path, monkeypatch, capsys):
    """`python -m lmlir.ledger.links` in a checkout with one proof, one formal proof, one test and one page."""
    for folder, file, text in [
        ("proofs", "one.py", 'def prove_it():\n    """Lemma 1 (E5): so."""\ndef helper():\n    """Lemma 1."""\n'),
        ("proofs/formal", "One.v", "(** Lemma 1; Theorem A: so. *)\nTheorem its_modulus : True.\n"),
        ("tests", "test_one.py", 'def test_it():\n    """Table 2."""\ndef other():\n    """Table 2."""\n'),
        ("book", "one.md", ":label: lemma-1\n"),
    ]:
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / file).write_text(text)
    monkeypatch.setattr(links, "laws_of_the_oracle", lambda: [("a_law", ["Table 2"])])
    assert links.found_links(tmp_path) == {
        "E5": {"proofs": ["proofs.one.prove_it"]},
        "Lemma 1": {"proofs": ["proofs.one.prove_it"], "formal": ["its_modulus"], "pages": ["one.html#lemma-1"]},
        "Table 2": {"laws": ["a_law"], "tests": ["tests/test_one.py::test_it"]},
        "Theorem A": {"formal": ["its_modulus"]},
    }
    links.write_links(tmp_path, tmp_path / "links.json")
    assert links.links(tmp_path / "links.json") == links.found_links(tmp_path)
    lemma = next(item for item in whole_map(tmp_path / "links.json") if item.item == "Lemma 1")
    assert (lemma.proofs, lemma.formal, lemma.laws) == (["proofs.one.prove_it"], ["its_modulus"], [])
    assert lemma.page == "one.html#lemma-1"
    assert capsys.readouterr().out == "wrote links.json: 4 items and ledger entries\n"
    assert "  formal     its_modulus" in command.as_text(lemma)


COQ = """
(** Equation (9), for all regions. A comment at the head of a file, with a colon: it is tied to nothing. *)
Require Import Reals.
(** Lemma 1 (E5);
    Equation (9): false in the plane, as in Theorem A
    and E6. *)
Theorem E6_distance F :
  F > 1 -> True.
(** Proposition 3: a sum. *)
Definition not_a_statement := 3.
(** No item: nothing. *)
Lemma helper : True.
(* Lemma 1: a plain comment *)
Lemma plain : True.
(** Theorem B: *) Corollary hull' : True.
(** ** Lemma 1: a heading *)

Lemma under_a_heading : True.
"""


def test_formal_statements_are_tied_to_the_items_that_their_comment_begins_with():
    """Items before the colon and ledger ids anywhere; only the comment that stands directly before a statement counts."""
    assert list(links.formal_statements(COQ)) == [
        ("E6_distance", ["Equation (9)", "Lemma 1", "E5", "E6"]),
        ("hull'", ["Theorem B"]),
    ]


# ------------------------------------------------------------------------------------------------------------ the command


def lmlir(*arguments, **options):
    """Runs `python -m lmlir` as a user would."""
    return subprocess.run(
        [sys.executable, "-m", "lmlir", *arguments], capture_output=True, text=True, check=False, **options
    )


def test_the_map_as_json_has_the_promised_fields():
    """`lmlir map --json -`: item, title, section, functions, laws, proofs, page and status of every item."""
    answer = lmlir("map", "--json", "-")
    assert (answer.returncode, answer.stderr) == (0, "")
    rows = json.loads(answer.stdout)
    assert [row["item"] for row in rows] == NUMBERED + UNNUMBERED + OWN
    for row in rows:
        assert {"item", "title", "section", "functions", "laws", "proofs", "formal", "page", "status"} <= set(row)
        assert row["status"] in ("holds", "corrected", "refuted", "choice")
        assert all(name.startswith("lmlir.") for name in row["functions"])


def test_the_map_needs_neither_the_oracle_nor_the_checkout(tmp_path):
    """An installed package has no proofs/ and perhaps no hypothesis; the map is read from links.json."""
    script = (
        "import sys\n"
        "for name in ('hypothesis', 'mpmath', 'sympy', 'pytest', 'sklearn', 'matplotlib'): sys.modules[name] = None\n"
        "from lmlir.commands import main\n"
        "sys.exit(main(['map', 'Lemma 1']) or main(['errata', 'E6', '--json', '-']))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "reference")}
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "proofs.continuity." in answer.stdout


def test_the_map_fits_a_terminal(capsys):
    """`lmlir map`: no line is longer than 100 columns; every item is there, and a count of the statuses at the end."""
    parser_of_map = argparse.ArgumentParser()
    command.add_arguments(parser_of_map)
    assert command.run(parser_of_map.parse_args([])) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[-1].startswith(f"{len(ITEMS) - 5} items of the paper and 5 theorems beyond it: ")
    for item in ITEMS:
        assert any(line.startswith(item.item) for line in lines)


def test_one_item_is_found_by_its_name(capsys, tmp_path):
    """`lmlir map "definition 5"`: the definition and its footnote, whatever the case; also as JSON in a file."""
    parser_of_map = argparse.ArgumentParser()
    command.add_arguments(parser_of_map)
    assert command.run(parser_of_map.parse_args(["definition 5"])) == 0
    text = capsys.readouterr().out
    assert text.startswith("Definition 5, section 2: corrected\n")
    assert "lmlir.intersection.intersection" in text
    assert "2 items of the paper" in text
    target = tmp_path / "map.json"
    assert command.run(parser_of_map.parse_args(["Lemma", "--json", str(target)])) == 0
    assert [row["item"] for row in json.loads(target.read_text())] == ["Lemma 1"]
    with pytest.raises(
        ValueError, match="the paper has no item Theorem 7; items are named like Definition 5 or Table 2"
    ):
        command.run(parser_of_map.parse_args(["Theorem 7"]))


def test_the_sections_of_the_functions_are_those_of_the_items():
    """Functions are read from the files as they are: every name in the map is a definition at the top of its module."""
    for function in {name for item in ITEMS for name in item.functions}:
        module, name = function.rsplit(".", 1)
        source = Path(importlib.import_module(module).__file__).read_text(encoding="utf-8")
        tops = {node.name for node in ast.parse(source).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        assert name in tops
