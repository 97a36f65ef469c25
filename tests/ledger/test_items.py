"""The items and the map: tests of `lmlir.ledger.items`, `lmlir.ledger.map` and `lmlir map`."""

import argparse
import ast
import importlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from lmlir.commands import map as command
from lmlir.ledger import items
from lmlir.ledger import map as paper_map
from lmlir.ledger.choices import CHOICES
from lmlir.ledger.errata import ERRATA

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
ITEMS = paper_map.items()


def resolve(dotted):
    """What a dotted name stands for."""
    module, name = dotted.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


def test_every_item_of_the_paper_occurs_once():
    """9 + 4 + 1 + 1 statements, 12 equations, 5 tables, 3 figures, unnumbered formulas, our 5 theorems; no repeats."""
    assert [item.item for item in ITEMS] == NUMBERED + UNNUMBERED + OWN
    assert {item.section for item in ITEMS} <= SECTIONS
    assert len({item.title for item in ITEMS}) == len(ITEMS)


# Our own theorems are checked as soon as functions name them.
STATED = [item for item in ITEMS if item.functions or item.item not in OWN]


@pytest.mark.parametrize("item", STATED, ids=lambda item: item.item)
def test_every_item_has_functions_and_evidence(item):
    """A function that computes it, and a law, a proof, a test or an erratum."""
    assert item.functions
    evidence = [*item.laws, *item.proofs, *item.formal, *item.tests, *item.errata]
    assert evidence, f"there is no evidence for {item.item}"
    if item.status == "holds":
        assert [*item.laws, *item.proofs, *item.formal, *item.tests], (
            f"{item.item} has the status holds, but no law, proof or test"
        )


@pytest.mark.parametrize("item", [item for item in STATED if item.section != "6"], ids=lambda item: item.item)
def test_every_item_before_the_experiments_has_a_law_or_a_proof_and_a_page(item):
    """Statements and formulas are judged by the oracle or proved, and the book has a place for each."""
    assert item.page
    assert item.laws or item.proofs or item.formal or item.choices, f"neither a law nor a proof for {item.item}"


@pytest.mark.parametrize("function", [name for item in ITEMS for name in item.functions])
def test_every_function_of_the_map_exists(function):
    """A name in the map can be imported."""
    assert callable(resolve(function))


def test_every_public_function_of_the_paper_modules_is_tied_to_an_item():
    """The docstring of each begins with an item of the paper."""
    for function, named in paper_map.public_functions().items():
        assert named, f"the docstring of {function} begins with no item of the paper"


def test_a_function_without_an_item_would_be_noticed(tmp_path, monkeypatch):
    """The check above can fail: an extra module with functions that name nothing."""
    (tmp_path / "stray.py").write_text(
        'def stray():\n    """Returns nothing."""\n\n\ndef silent(x=(1, (2,))):\n    return x\n'
    )
    monkeypatch.setattr(paper_map, "PACKAGE", tmp_path)
    assert paper_map.public_functions(("stray",)) == {"lmlir.stray.stray": [], "lmlir.stray.silent": []}


@pytest.mark.parametrize("folder", ["proofs", "reference", "tests"])
def test_definitions_are_found_as_a_parser_finds_them(folder):
    """The map matches text, because a parser is slow. The names and docstrings are those of `ast`, strings with code aside."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parsed = {
            node.name: "".join((ast.get_docstring(node) or "").split())
            for node in tree.body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
        }
        matched = {name: "".join(docstring.split()) for name, docstring in paper_map.definitions(path)}
        assert parsed.keys() <= matched.keys(), path
        for name, docstring in parsed.items():
            assert "\\" in matched[name] or docstring == matched[name], (path, name)


def test_the_laws_are_found_as_the_oracle_registers_them():
    """Every law of the map cites what the law itself cites, and no law is left out."""
    from lmlir.oracle.laws import LAWS

    cited = {law.name: {name for text in law.items for name in items.mentions(text)} for law in LAWS}
    found = {name for linked in paper_map.links().values() for name in linked.get("laws", [])}
    assert found == {name for name, names in cited.items() if names}
    for name, linked in paper_map.links().items():
        assert {law for law, names in cited.items() if name in names} == set(linked.get("laws", []))


def test_every_link_names_an_item_or_a_ledger_id():
    """What a law, a proof, a test or a page cites exists in the ledger."""
    assert len(paper_map.links()) > 80
    for name in paper_map.links():
        assert name in items.NAMES or items.items_of(name), f"{name} is neither an item nor a ledger id"


def test_every_page_of_the_map_has_its_label():
    """A link into the book finds its anchor."""
    for item in ITEMS:
        if item.page:
            file, _, label = item.page.partition(".html")
            text = (ROOT / "book" / f"{file}.md").read_text(encoding="utf-8")
            assert label.removeprefix("#").removeprefix("equation-") in text


def test_every_law_and_proof_cites_an_item():
    """Laws about behavior cite the interface, which is not an item of the paper."""
    from lmlir.oracle.laws import LAWS

    for law in LAWS:
        assert law.items, f"the law {law.name} cites nothing"
        for text in law.items:
            assert items.mentions(text) or text == "Subject interface", f"the law {law.name} cites {text}"
    proofs = [
        (f"{path.stem}.{name}", items.mentions(docstring))
        for path in sorted((ROOT / "proofs").glob("*.py"))
        for name, docstring in paper_map.definitions(path)
        if name.startswith("prove_")
    ]
    assert len(proofs) > 10
    for proof, named in proofs:
        assert named, f"{proof} cites no item"


def test_the_status_follows_from_the_ledger(monkeypatch):
    """Refuted before corrected before choice. A remark or a corner case does not change the status."""
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
    """The message names the ids that exist."""
    with pytest.raises(ValueError, match="the ledger has errata E1 to E.* got E99"):
        items.items_named("Erratum E99: something.")


def test_mentions_are_found_anywhere_in_a_sentence():
    """Proofs and tests cite items in the middle of a docstring, ledger ids in brackets."""
    found = items.mentions(
        "Against Lemma 1 and equations (9) and (10), see Section 5.2, h(x) (E6, C14). By Theorem A. Table 9 is none."
    )
    assert found == ["Equation (10)", "Equation (9)", "Lemma 1", "Section 5.2, h(x)", "Theorem A", "C14", "E6"]


COQ = """
(** Equation (9), for all regions. A comment at the head of a file, with a colon: it belongs to no statement. *)
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


def test_the_book_page_of_an_item_is_its_label_or_the_page_of_a_function(tmp_path):
    """Statements, equations, figures and headings have labels. Without one, the page that shows or explains a function."""
    book = tmp_path / "book"
    book.mkdir()
    (book / "one.md").write_text(":label: definition-1\n$$a$$ (eq-1)\n    name: figure-2\n(section-6-protocol)=\n")
    (book / "two.md").write_text(":label: definition-1\n:pyobject: is_in_background\n")
    (book / "distance.md").write_text("no labels\n")
    pages = {name: page for _, page, names in paper_map.pages_of_the_book(tmp_path) for name in names}
    assert pages["Definition 1"] == "one.html#definition-1"
    assert pages["Equation (1)"] == "one.html#equation-eq-1"
    assert pages["Figure 2"] == "one.html#figure-2"
    assert pages["Section 6, protocol"] == "one.html#section-6-protocol"
    assert pages["Definition 2"] == "two.html"
    assert pages["Section 3.2, gamma_b"] == "distance.html"
    assert "Lemma 1" not in pages


def test_the_links_of_a_checkout_are_those_of_its_files(tmp_path, monkeypatch):
    """A checkout with two laws, one proof, one formal proof, one test and one page."""
    for file, text in {
        "reference/lmlir/oracle/laws/one.py": '@law(\n    "Table 2; "\n    "Lemma 1",\n    X)\ndef a_law():\n    pass\n\n\n'
        '@law(BEHAVIOR, "Table 3")\ndef other():\n    pass\n',
        "proofs/one.py": 'def prove_it():\n    """Lemma 1 (E5): so."""\ndef helper():\n    """Lemma 1."""\n',
        "proofs/formal/One.v": COQ,
        "tests/deep/test_one.py": 'def test_it():\n    """Table 2."""\ndef other():\n    """Table 2."""\n',
        "book/one.md": ":label: lemma-1\n",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    monkeypatch.setattr(paper_map, "PACKAGE", tmp_path / "reference" / "lmlir")
    monkeypatch.setattr(paper_map, "public_functions", lambda modules: {})
    found = paper_map.found_links(tmp_path)
    assert found == {
        "E5": {"proofs": ["proofs.one.prove_it"], "formal": ["E6_distance"]},
        "E6": {"formal": ["E6_distance"]},
        "Equation (9)": {"formal": ["E6_distance"]},
        "Lemma 1": {
            "laws": ["a_law"],
            "proofs": ["proofs.one.prove_it"],
            "formal": ["E6_distance"],
            "pages": ["one.html#lemma-1"],
        },
        "Table 2": {"laws": ["a_law"], "tests": ["tests/deep/test_one.py::test_it"]},
        "Theorem B": {"formal": ["hull'"]},
    }
    entry = next(entry for entry in items.ENTRIES if entry.item == "Lemma 1")
    lemma = paper_map.complete(entry, found)
    assert (lemma.proofs, lemma.formal, lemma.laws) == (["proofs.one.prove_it"], ["E6_distance"], ["a_law"])
    assert lemma.page == "one.html#lemma-1"
    assert "  formal     E6_distance" in command.as_text(lemma)


# ------------------------------------------------------------------------------------------------------------ the command


def lmlir(*arguments, **options):
    """Run `python -m lmlir` as a user would."""
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


def test_the_map_needs_nothing_but_the_standard_library(tmp_path):
    """A build has nothing else, and so `setup.py` can write the links."""
    script = (
        "import sys\n"
        "for name in ('numpy', 'scipy', 'hypothesis', 'mpmath', 'sympy', 'pytest', 'sklearn'): sys.modules[name] = None\n"
        "from lmlir.commands import main\n"
        "sys.exit(main(['map', 'Lemma 1']))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "reference")}
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "proofs.continuity." in answer.stdout


def test_an_installed_package_has_the_map_of_its_checkout(tmp_path):
    """A wheel and an sdist hold the links, which `setup.py` writes when it builds them."""
    source = tmp_path / "a checkout"
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "_build", "results", "links.json")
    for folder in ("reference", "proofs", "tests", "book"):
        shutil.copytree(ROOT / folder, source / folder, ignore=ignored)
    for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    build = "from setuptools import build_meta; build_meta.build_sdist('dist'); build_meta.build_wheel('dist')"
    built = subprocess.run([sys.executable, "-c", build], cwd=source, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    with tarfile.open(next((source / "dist").glob("*.tar.gz"))) as archive:
        (member,) = [name for name in archive.getnames() if name.endswith("/reference/lmlir/ledger/links.json")]
        assert json.load(archive.extractfile(member)) == paper_map.links()
    installed = tmp_path / "installed"
    shutil.unpack_archive(next((source / "dist").glob("*.whl")), installed, "zip")
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    for arguments in (["map", "--json", "-"], ["errata", "E6", "C14", "--json", "-"]):
        answer = lmlir(*arguments, cwd=tmp_path, env=environment)
        assert (answer.returncode, answer.stderr) == (0, "")
        assert json.loads(answer.stdout) == json.loads(lmlir(*arguments).stdout)
    book = lmlir("book", cwd=tmp_path, env=environment)
    assert book.returncode == 2 and "clone the project and run `make book`" in book.stderr


def test_the_map_fits_a_terminal(capsys):
    """`lmlir map`: no line is longer than 100 columns. Every item is listed, and the statuses are counted at the end."""
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
