"""The items and the map: tests of `lmlir.ledger.items`, `lmlir.ledger.map` and `lmlir map`."""

import argparse
import ast
import json
import os
import pkgutil
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
COUNTS = {
    "Definition {}": 9,
    "Proposition {}": 4,
    "Lemma {}": 1,
    "Corollary {}": 1,
    "Equation ({})": 12,
}
COUNTS |= {"Table {}": 5, "Figure {}": 3}
NUMBERED = [name.format(n) for name, count in COUNTS.items() for n in range(1, count + 1)]
# Formulas without a number, in the order of the text.
UNNUMBERED = [
    *(f"Definition 3, footnote {n}" for n in (1, 2)),
    *(f"Definition 4, remark {n}" for n in (1, 2)),
    *[
        "Definition 5, footnote",
        "Section 3.1, step 2",
        "Section 3.1, footnote",
        "Section 3.2, gamma_b",
    ],
    *(f"Section 4.1, {name}" for name in ("1-NN", "D_set", "sumKmin", "sign of f")),
    "Lemma 1, footnote",
    "Section 5.1, neighbors",
    *(
        f"Section 5.2, {name}"
        for name in ("gradient descent", "objective g", "gradient of g", "shrinkage")
    ),
    *(f"Section 5.2, {name}" for name in ("dD/dM(B)", "dD/dM(A_s)", "dD/do_s", "dD/dr_s", "h(x)")),
    *(f"Section 5.2, step {n}" for n in (1, 2, 3)),
    "Section 6, protocol",
    *(
        f"Section 7, {name}"
        for name in ("classes", "optimization", "regions", "knowledge", "bounds")
    ),
]
OWN = [f"Theorem {letter}" for letter in "ABDE"]
SECTIONS = {"beyond the paper", "1", "2", "3.1", "3.2", "4.1", "4.2", "5", "5.1", "5.2", "6", "7"}
ITEMS = paper_map.items()


def test_every_item_of_the_paper_occurs_once():
    assert [item.item for item in ITEMS] == NUMBERED + UNNUMBERED + OWN
    assert {item.section for item in ITEMS} <= SECTIONS
    assert len({item.title for item in ITEMS}) == len(ITEMS)


# Our own theorems are checked as soon as functions name them.
STATED = [item for item in ITEMS if item.functions or item.item not in OWN]


@pytest.mark.parametrize("item", STATED, ids=lambda item: item.item)
def test_every_item_has_functions_and_evidence(item):
    """A law, a proof, a test or an erratum; before the experiments also a page, and a law, a proof
    or a choice.
    """
    assert item.functions
    judged = item.laws or item.proofs or item.formal
    assert judged or item.tests or (item.errata and item.status != "holds"), (
        "there is no law, proof or test"
    )
    if item.section != "6":
        assert item.page
        assert judged or item.choices


@pytest.mark.parametrize("function", [name for item in ITEMS for name in item.functions])
def test_every_function_of_the_map_exists(function):
    assert callable(pkgutil.resolve_name(function))


def test_every_public_function_of_the_paper_modules_is_tied_to_an_item():
    functions = paper_map.public_functions()
    assert functions
    assert not [function for function, named in functions.items() if not named]


def test_a_function_without_an_item_would_be_noticed(tmp_path, monkeypatch):
    """The check above can fail: an extra module with functions that name nothing."""
    (tmp_path / "stray.py").write_text(
        'def stray():\n    """Returns nothing."""\n\n\ndef silent(x=(1, (2,))):\n    return x\n'
    )
    monkeypatch.setattr(paper_map, "PACKAGE", tmp_path)
    assert paper_map.public_functions(("stray",)) == {
        "lmlir.stray.stray": [],
        "lmlir.stray.silent": [],
    }


@pytest.mark.parametrize("folder", ["proofs", "reference", "tests"])
def test_definitions_are_found_as_a_parser_finds_them(folder):
    """The map matches text, because a parser is slow.

    The names and docstrings are those of `ast`, strings with code aside.
    """
    for path in sorted((ROOT / folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parsed = {
            node.name: "".join((ast.get_docstring(node) or "").split())
            for node in tree.body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
        }
        matched = {
            name: "".join(docstring.split()) for name, docstring in paper_map.definitions(path)
        }
        assert parsed.keys() <= matched.keys(), path
        for name, docstring in parsed.items():
            assert "\\" in matched[name] or docstring == matched[name], (path, name)


def test_the_laws_are_found_as_the_oracle_registers_them():
    """Every law of the map cites what the law itself cites, and no law is left out; laws about
    behavior cite no item.
    """
    from lmlir.oracle.laws import LAWS

    for law in LAWS:
        assert law.items and all(
            items.mentions(text) or text == "Subject interface" for text in law.items
        ), law.name
    cited = {
        law.name: {name for text in law.items for name in items.mentions(text)} for law in LAWS
    }
    found = {name for linked in paper_map.links().values() for name in linked.get("laws", [])}
    assert found == {name for name, names in cited.items() if names}
    for name, linked in paper_map.links().items():
        assert {law for law, names in cited.items() if name in names} == set(linked.get("laws", []))


def test_every_link_names_an_item_or_a_ledger_id():
    assert len(paper_map.links()) > 80
    for name in paper_map.links():
        assert name in items.NAMES or items.items_of(name), (
            f"{name} is neither an item nor a ledger id"
        )


def test_every_page_of_the_map_has_its_label():
    for item in ITEMS:
        if item.page:
            file, _, label = item.page.partition(".html")
            text = (ROOT / "book" / f"{file}.md").read_text(encoding="utf-8")
            assert label.removeprefix("#").removeprefix("equation-") in text


def test_every_proof_cites_an_item():
    proofs = {
        f"{path.stem}.{name}": items.mentions(docstring)
        for path in sorted((ROOT / "proofs").glob("*.py"))
        for name, docstring in paper_map.definitions(path)
        if name.startswith("prove_")
    }
    assert len(proofs) > 10 and all(proofs.values()), proofs


def test_the_status_follows_from_the_ledger(monkeypatch):
    """Refuted before corrected before choice.

    A remark or a corner case does not change the status.
    """
    assert [items.status(f"Proposition {n}") for n in (1, 2, 3, 4)] == ["holds"] * 4
    assert (
        items.status("Lemma 1")
        == items.status("Corollary 1")
        == items.status("Equation (11)")
        == "refuted"
    )
    assert items.status("Section 5.2, gradient of g") == "corrected"
    assert items.status("Section 5.2, step 2") == "choice"
    assert items.status("Table 2") == "holds"
    effects = ("remark", "corrected", "refuted")
    remark, correction, refutation = (
        replace(ERRATA[0], items={"Definition 2": effect}) for effect in effects
    )
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
        (
            "Definition 1, equation (1): whether x is inside, see Table 2.",
            ["Definition 1", "Equation (1)"],
        ),
        ("Definitions 3 and 4 need a matrix.", ["Definition 3", "Definition 4"]),
        ("Table 2, row 4: the part from x_i to v.", ["Table 2"]),
        ("Proposition 3(a): a sum.", ["Proposition 3"]),
        ("Definition 5, footnote: the union.", ["Definition 5", "Definition 5, footnote"]),
        (r"Section 3.2, $\gamma_b$, exact: 1 minus the union.", ["Section 3.2, gamma_b"]),
        (r"Section 4.1, $D_{set}(x, X)$: the distances.", ["Section 4.1, D_set"]),
        (
            "Section 5.2, dD/do_s and dD/dr_s: both.",
            ["Section 5.2, dD/do_s", "Section 5.2, dD/dr_s"],
        ),
        ("Section 5.2: everything.", []),
        ("Section 6: preprocessing.", ["Section 6, protocol"]),
        ("Theorem D: a bound.", ["Theorem D"]),
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
    with pytest.raises(ValueError, match="the ledger has errata E1 to E.* got E99"):
        items.items_named("Erratum E99: something.")


def test_a_mention_may_be_broken_over_two_lines():
    """Docstrings are wrapped wherever a line ends."""
    text = "Corollary\n    1 on all, and Section 5.2,\n    dD/dr_s."
    assert items.mentions(text) == ["Corollary 1", "Section 5.2, dD/dr_s"]


def test_mentions_are_found_anywhere_in_a_sentence():
    """Proofs and tests cite items in the middle of a docstring, ledger ids in brackets."""
    found = items.mentions(
        "Against Lemma 1 and equations (9) and (10), see Section 5.2, h(x) (E6, C14). By Theorem "
        "A. Table 9 is none."
    )
    assert found == [
        "Equation (10)",
        "Equation (9)",
        "Lemma 1",
        "Section 5.2, h(x)",
        "Theorem A",
        "C14",
        "E6",
    ]


COQ = """
(** Equation (9), for all regions. A comment at the head of a file, with a colon:
    it belongs to no statement. *)
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
    """Statements, equations, figures and headings have labels.

    Without one, the page that shows or explains a function.
    """
    book = tmp_path / "book"
    book.mkdir()
    (book / "one.md").write_text(
        ":label: definition-1\n$$a$$ (eq-1)\n    name: figure-2\n(section-6-protocol)=\n"
    )
    (book / "two.md").write_text(":label: definition-1\n:pyobject: is_in_background\n")
    (book / "distance.md").write_text("no labels\n")
    pages = {
        name: page for _, page, names in paper_map.pages_of_the_book(tmp_path) for name in names
    }
    expected = {
        "Definition 1": "one.html#definition-1",
        "Equation (1)": "one.html#equation-eq-1",
        "Figure 2": "one.html#figure-2",
        "Section 6, protocol": "one.html#section-6-protocol",
        "Definition 2": "two.html",
        "Section 3.2, gamma_b": "distance.html",
    }
    assert {name: pages.get(name) for name in [*expected, "Lemma 1"]} == expected | {
        "Lemma 1": None
    }


def test_the_links_of_a_checkout_are_those_of_its_files(tmp_path, monkeypatch):
    """A checkout with two laws, one proof, one formal proof, one test and one page."""
    for file, text in {
        "reference/lmlir/oracle/laws/one.py": '@law(\n    "Table 2; "\n    "Lemma 1",\n    X)\ndef '
        "a_law():\n    pass\n\n\n"
        '@law(BEHAVIOR, "Table 3")\ndef other():\n    pass\n',
        "proofs/one.py": 'def prove_it():\n    """Lemma 1 (E5): so."""\ndef helper():\n    '
        '"""Lemma 1."""\n',
        "proofs/formal/One.v": COQ,
        "tests/deep/test_one.py": 'def test_it():\n    """Table 2."""\ndef other():\n    """Table '
        '2."""\n',
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
    assert (lemma.proofs, lemma.formal, lemma.laws) == (
        ["proofs.one.prove_it"],
        ["E6_distance"],
        ["a_law"],
    )
    assert lemma.page == "one.html#lemma-1" and "E6_distance" in command.as_text(lemma)


# -------------------------------------------------------------------------------------- the command


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, **options
    )


def parsed(*arguments):
    """Parse the arguments of `lmlir map`."""
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(arguments)


def test_the_map_as_json_has_the_promised_fields():
    """`lmlir map --json -`: item, title, section, functions, laws, proofs, page and status of every
    item.
    """
    answer = python("-m", "lmlir", "map", "--json", "-")
    assert (answer.returncode, answer.stderr) == (0, "")
    rows = json.loads(answer.stdout)
    assert [row["item"] for row in rows] == NUMBERED + UNNUMBERED + OWN
    for row in rows:
        assert {
            "item",
            "title",
            "section",
            "functions",
            "laws",
            "proofs",
            "formal",
            "page",
            "status",
        } <= set(row)
        assert row["status"] in ("holds", "corrected", "refuted", "choice")
        assert all(name.startswith("lmlir.") for name in row["functions"])


def test_the_map_needs_nothing_but_the_standard_library(tmp_path):
    """A build has nothing else, and so `setup.py` can write the links."""
    script = (
        "import sys\n"
        "for name in ('numpy', 'scipy', 'hypothesis', 'mpmath', 'sympy', 'pytest', 'sklearn'): "
        "sys.modules[name] = None\n"
        "from lmlir.commands import main\n"
        "sys.exit(main(['map', 'Lemma 1']))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "reference")}
    answer = python("-c", script, cwd=tmp_path, env=environment)
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
    build = (
        "from setuptools import build_meta; build_meta.build_sdist('dist'); "
        "build_meta.build_wheel('dist')"
    )
    built = python("-c", build, cwd=source)
    assert built.returncode == 0, built.stderr
    with tarfile.open(next((source / "dist").glob("*.tar.gz"))) as archive:
        (member,) = [
            name
            for name in archive.getnames()
            if name.endswith("/reference/lmlir/ledger/links.json")
        ]
        assert json.load(archive.extractfile(member)) == paper_map.links()
    installed = tmp_path / "installed"
    shutil.unpack_archive(next((source / "dist").glob("*.whl")), installed, "zip")
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    for arguments in (["map", "--json", "-"], ["errata", "E6", "C14", "--json", "-"]):
        answer = python("-m", "lmlir", *arguments, cwd=tmp_path, env=environment)
        assert (answer.returncode, answer.stderr) == (0, "")
        assert json.loads(answer.stdout) == json.loads(python("-m", "lmlir", *arguments).stdout)
    book = python("-m", "lmlir", "book", cwd=tmp_path, env=environment)
    assert book.returncode == 2
    assert "clone the project and run `make book`" in book.stderr


def test_the_map_fits_a_terminal(capsys):
    """`lmlir map`: no line is longer than 100 columns.

    Every item is listed, and the statuses are counted at the end.
    """
    assert command.run(parsed()) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[-1].startswith(f"{len(ITEMS) - 4} items of the paper and 4 theorems beyond it: ")
    for item in ITEMS:
        assert any(line.startswith(item.item) for line in lines)


def test_one_item_is_found_by_its_name(capsys, tmp_path):
    """`lmlir map "definition 5"`: the definition and its footnote, whatever the case; also as JSON
    in a file.

    Functions whose docstring names the item come before those that belong to it by way of an
    erratum.
    """
    assert command.run(parsed("definition 5")) == 0
    text = capsys.readouterr().out
    assert text.startswith("Definition 5, section 2: corrected\n")
    assert "lmlir.intersection.intersection" in text
    assert "2 items of the paper" in text
    target = tmp_path / "map.json"
    assert command.run(parsed("Lemma", "--json", str(target))) == 0
    lemma, footnote = json.loads(target.read_text())
    assert (lemma["item"], footnote["item"]) == ("Lemma 1", "Lemma 1, footnote")
    assert lemma["functions"][:2] == [
        "lmlir.continuity.printed_distance_lipschitz_bound",
        "lmlir.continuity.printed_lipschitz_bound",
    ]
    with pytest.raises(ValueError, match="no item Theorem 7; items are named like Definition 5"):
        command.run(parsed("Theorem 7"))
