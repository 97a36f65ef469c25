"""The book is a test: it builds strictly, shows the paper's statements once each, and its exercises
are graded.
"""

import importlib
import json
import re
import subprocess
import sys
from collections import Counter
from html import escape, unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
from book_site import BOOK, build_once, pages_in_order, shared_folder

from lmlir.ledger.errata import ERRATA

sys.path.insert(0, str(BOOK / "_ext"))
cards, docstring_math, paper_numbers, slides, solutions = map(
    importlib.import_module, ("cards", "docstring_math", "paper_numbers", "slides", "solutions")
)

GRADED = re.compile(r"^lmlir check (\w+)_stub\.py --only ([\w ]+)$", re.MULTILINE)


def graded_exercises() -> list[tuple[str, tuple[str, ...]]]:
    """List the exercises that the oracle grades: the file without its ending, and the laws."""
    found = [
        match
        for page in pages_in_order()
        for match in GRADED.findall(page.read_text(encoding="utf-8"))
    ]
    return [(name, tuple(laws.split())) for name, laws in found]


# ---------------------------------------------------------------------------------------- the build


@pytest.mark.timeout(900)
def test_the_book_builds_without_a_single_warning(tmp_path_factory):
    """Every cell runs, every reference resolves, every number is the paper's."""
    status, messages, html = build_once(shared_folder(tmp_path_factory))
    assert status == 0, messages
    assert (html / "index.html").exists()
    assert (html / "intersection.html").exists()
    # a kernel that is shut down late may write after it
    assert f"open {(html / 'index.html').as_uri()}\n" in messages


@pytest.mark.timeout(900)
def test_the_stripes_need_regions_only_with_many_neighbors(html):
    """Equation (10): what the page says about one neighbor and about ten is what it prints, against
    a learned metric.
    """
    text = re.sub(r"<[^>]+>", "", (html / "classifier.html").read_text(encoding="utf-8"))
    rows = re.findall(r"^ ?(\d+) +([\d.]+)% +([\d.]+)% +([\d.]+)%$", text, re.MULTILINE)
    gap = {
        int(K): float(regions) - max(float(euclidean), float(learned))
        for K, euclidean, learned, regions in rows
    }
    assert list(gap) == [1, 5, 10]
    assert gap[1] < 2
    assert gap[10] > 5


def test_the_last_cell_of_a_page_is_not_removed():
    """A removed cell runs when a later cell of its page is shown, so the last one would never
    run.
    """
    last_cells = []
    for page in BOOK.glob("*.md"):
        cells = re.findall(
            r"^```\{code-cell\} ipython3\n(.*?)^```$",
            page.read_text(encoding="utf-8"),
            re.MULTILINE | re.DOTALL,
        )
        if cells:
            last_cells.append((page.name, cells[-1]))
    assert len(last_cells) >= 10
    assert [name for name, cell in last_cells if "remove-cell" in cell] == []


def test_every_page_of_the_table_of_contents_exists_and_every_page_is_in_it():
    listed = set(
        re.findall(r"(?:file|root): (\S+)", (BOOK / "_toc.yml").read_text(encoding="utf-8"))
    )
    written = {
        str(path.relative_to(BOOK).with_suffix(""))
        for path in [*BOOK.glob("*.md"), *BOOK.glob("api/*.md")]
    }
    assert len(listed) >= 20
    assert listed == written - {"README"}


# ------------------------------------------------------------------------------ the paper's numbers


@pytest.mark.parametrize(
    ("found", "complaint"),
    [
        (
            [("a", "lemma-1", 2), ("a", "lemma-2", 1)],
            "the paper's lemma 1 would be printed as lemma 2",
        ),
        ([("a", "lemma-1", 1)], "the paper's lemma 2 is missing from the book"),
        (
            [("a", "lemma-1", 1), ("a", "lemma-2", 2), ("b", "lemma-2", 3)],
            "the paper's lemma 2 is shown 2 times",
        ),
        (
            [("a", "lemma-1", 1), ("a", "lemma-2", 2), ("b", "lemma-3", 3)],
            "the paper has no lemma 3",
        ),
        (
            [("a", "lemma-1", 1), ("a", "lemma-2", 2), ("b", "mine", 3)],
            "lemma 'mine' is not one of the paper's",
        ),
    ],
)
def test_a_wrong_missing_repeated_or_foreign_number_is_reported(found, complaint):
    sentences = [sentence for sentence, _ in paper_numbers.compare("lemma", 2, found, "lemma")]
    assert any(sentence.startswith(complaint) for sentence in sentences), sentences
    assert (
        paper_numbers.compare("lemma", 2, [("a", "lemma-1", 1), ("b", "lemma-2", 2)], "lemma") == []
    )


def test_a_build_with_statements_in_the_wrong_order_fails(tmp_path):
    """The check is wired to Sphinx: definitions 1 and 2 exchanged, all others missing."""
    (tmp_path / "conf.py").write_text(
        f"import sys; sys.path.insert(0, {str(BOOK / '_ext')!r})\n"
        "extensions = ['sphinx_proof', 'paper_numbers']\nnumfig = True\nnumfig_secnum_depth = 0\n"
    )
    (tmp_path / "index.rst").write_text(
        "Title\n=====\n\n.. prf:definition::\n   :label: definition-2\n\n   Two.\n\n"
        ".. prf:definition::\n   :label: definition-1\n\n   One.\n"
    )
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        str(tmp_path),
        str(tmp_path / "html"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    for found in (
        "definition 2 would be printed as definition 1",
        "definition 9 is missing",
        "equation 12 is missing",
    ):
        assert f"the paper's {found}" in done.stderr


def test_docstrings_get_their_formulas_and_tables_as_roles():
    with_roles = docstring_math.with_roles
    assert with_roles(r"the share $\gamma$ of `x_i`") == r"the share :math:`\gamma` of ``x_i``"
    assert with_roles(">>> f('$x$')") == ">>> f('$x$')"
    table = docstring_math.with_list_tables(
        ["| here | there |", "|---|---|", "| `a` | the norm ||a|| |"]
    )
    cells = [line.strip() for line in table if " - " in line]
    assert cells == ["* - here", "- there", "* - ``a``", r"- the norm \|\|a\|\|"]


def test_slides_are_numbered_and_say_which_figures_are_the_papers():
    """The first one names the keys; the book's own figures have a point in their number."""
    caption = '<span class="caption-number">Figure {} </span><span class="caption-text">c</span>'
    figure = f'<figure id="f"><img src="a.png">{caption}</figure>'
    html = f"<h1>T#</h1><article>{figure.format('3')}{figure.format('2.1')}</article>"
    first, second = slides.numbered(slides.slides_of(html, "t.html")).splitlines()
    assert "T · the paper&#x27;s Figure 3<" in first and "1 / 2<" in first and "Arrow keys" in first
    assert "T · Figure 2.1<" in second
    assert "2 / 2<" in second
    assert "Arrow keys" not in second


@pytest.mark.timeout(900)
def test_statements_and_entries_of_the_ledger_are_linked_where_the_prose_names_them(html):
    """On a page, and on a page of functions in a folder below."""
    split = cards.split_at_mentions
    assert split("choice C14 or E2") == [("choice C14", "C14"), (" or ", None), ("E2", "E2")]
    assert split("an erratum E, Table 99, DE15") == [("an erratum E, Table 99, DE15", None)]
    assert split("By Theorem A") == [("By ", None), ("Theorem A", "Theorem A")]
    assert 'href="errata.html#E6">erratum E6</a>' in (html / "continuity.html").read_text(
        encoding="utf-8"
    )
    assert 'href="../errata.html#C' in (html / "api" / "learning.html").read_text(encoding="utf-8")


@pytest.mark.timeout(900)
def test_every_link_to_an_entry_has_a_card(html):
    """The card has the ledger's words; a search for the id finds the page of the ledger."""
    data = (html / "_static" / "cards_data.js").read_text(encoding="utf-8")
    shown = json.loads(data.removeprefix("window.lmlirCards = ").rstrip(";\n"))
    for erratum in ERRATA:
        assert escape(erratum.title) in shown[erratum.id]
        assert escape(erratum.true) in shown[erratum.id]
    assert "Definition 8" in shown["definition-8"]
    assert "refuted" in shown["lemma-1"]
    index = json.loads(
        re.sub(
            r"^Search.setIndex\(|\)$",
            "",
            (html / "searchindex.js").read_text(encoding="utf-8").strip(),
        )
    )
    pages = index["terms"]["e15"]
    assert "errata" in [
        index["docnames"][number] for number in (pages if isinstance(pages, list) else [pages])
    ]


# ---------------------------------------------------------------------------------------- the prose


def prose(text: str) -> str:
    """Return a page without its front matter, code, formulas, roles and link targets."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(
        r"^(`{3,})\{?(?:code-cell|literalinclude|bibliography|raw|eval-rst).*?^\1$",
        "",
        text,
        flags=re.M | re.S,
    )
    text = re.sub(
        r"^```(?:shell|python|text|json|c)\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL
    )
    text = re.sub(r"^[`:]{3,}.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\$\$.*?\$\$|\$[^$]+\$", "", text, flags=re.DOTALL)
    return re.sub(r"\{[\w:+-]+\}`[^`]*`|`[^`]*`|\]\([^)]*\)", "", text)


def test_prose_leaves_only_the_words():
    page = "---\na: 1.5\n---\nIt is {eval}`1.5` or $2.5$ or `3.5`.\n```{code-cell}\n4.5\n```\n"
    assert prose(page).strip() == "It is  or  or ."


@pytest.mark.parametrize("page", pages_in_order(), ids=lambda page: page.stem)
def test_no_measured_number_is_typed_into_the_prose(page):
    """Decimals, percentages and long numbers come from code; section numbers, years and versions
    may be typed.
    """
    words = prose(page.read_text(encoding="utf-8"))
    number = r"\d(?:\.\d)?"
    words = re.sub(
        rf"[Ss]ections?\s+{number}(?:(?:,|\s+and)\s+{number})*|Python 3\.\d+|\b(?:19|20)\d\d\b",
        "",
        words,
    )
    assert re.findall(r"(?<![\w.-])\d+\.\d+|\d+\s?%|(?<![\w.])\d{3,}(?!\w)", words) == []


@pytest.mark.parametrize("page", pages_in_order(), ids=lambda page: page.stem)
def test_every_figure_has_alternative_text_and_its_code(page):
    """A cell that draws has an alternative text; pictures come from cells, never from files."""
    text = page.read_text(encoding="utf-8")
    cells = re.findall(r"^```\{code-cell\}.*?^```$", text, re.MULTILINE | re.DOTALL)
    assert [
        cell
        for cell in cells
        if "plt.show()" in cell and not re.search(r"^ +alt: \S.{20,}", cell, re.M)
    ] == []
    assert not re.search(r"```\{(?:image|figure)\}|!\[", text)


# ---------------------------------------------------------------------------------------- exercises


def test_there_are_enough_exercises_each_with_a_hidden_solution():
    """At least twenty in all, some in each chapter from the second to the gradient, and eight
    graded.
    """
    exercises: Counter[str] = Counter()
    for page in pages_in_order():
        text = page.read_text(encoding="utf-8")
        asked = re.findall(r"^`{3,}\{exercise\}.*\n:label: (\S+)", text, re.MULTILINE)
        solved = re.findall(r"^`{3,}\{solution\} (\S+)\n:class: dropdown", text, re.MULTILINE)
        assert sorted(asked) == sorted(solved), page.name
        exercises[page.stem] = len(asked)
    chapters = ["regions", "intersection", "distance", "classifier", "continuity", "gradient"]
    assert all(exercises[chapter] >= 3 for chapter in chapters), exercises
    assert exercises.total() >= 20
    assert len(set(graded_exercises())) >= 8


def run_check(path: str, laws: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lmlir", "check", path, "--profile", "quick", "--only", *laws]
    return subprocess.run(
        command, cwd=BOOK / "exercises", capture_output=True, text=True, timeout=200
    )


def solution_phrases() -> dict[str, str]:
    """The longest run of words of each solution, and the longest new line of each solution file."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages_in_order())
    block = r"^(`{3,})\{solution\} (\S+)\n:class: dropdown\n(.*?)^\1$"
    blocks = re.findall(block, text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == text.count("{solution") > 0

    phrases = {"directive": words("{solution}")}
    for _, label, solution in blocks:
        sentences = re.sub(r"```\{literalinclude\} \S+_solution\.py\n```", "", solution).strip()
        if sentences:
            runs = re.findall(r"[A-Za-z]+(?:,?\s[A-Za-z]+)+", sentences)
            phrases[label] = words(max(runs, key=len))
    for path in BOOK.glob("exercises/*_solution.py"):
        stub = path.with_name(path.name.replace("solution", "stub")).read_text(encoding="utf-8")
        lines = set(path.read_text(encoding="utf-8").splitlines()) - set(stub.splitlines())
        phrases[path.name] = words(max((line for line in lines if '"""' not in line), key=len))
    return phrases


def words(text: str) -> str:
    """The words and brackets of a page, a notebook or a script, without tags and escapes."""
    text = re.sub(r"</?[a-z][^<>]*>", "", text)
    return " ".join(re.findall(r"\w+|[][(){}]", re.sub(r"\\[nrt]", " ", unescape(text))))


def solutions_found(folder: Path) -> dict[str, list[str]]:
    """For every solution that occurs anywhere in a built book: the files with its phrase."""
    found: dict[str, list[str]] = {}
    phrases = solution_phrases()
    for path in sorted(filter(Path.is_file, folder.rglob("*"))):
        content = words(path.read_text(encoding="utf-8", errors="replace"))
        for name, phrase in phrases.items():
            if phrase in content:
                found.setdefault(name, []).append(str(path.relative_to(folder)))
    return found


def dropped(text: str, hidden: bool) -> str:
    """The text of a page as Sphinx reads it when the build hides or shows the solutions."""
    content = [text]
    app = SimpleNamespace(config=SimpleNamespace(hide_solutions=hidden))
    solutions.drop_solutions(app, "page", content)
    return content[0]


def test_only_the_solutions_are_dropped_and_only_where_they_are_hidden():
    """A fence ends at the next one that is at least as long."""
    solution = "````{solution} a\nIt is 2.\n\n```{literalinclude} a.py\n```\n`````  "
    text = f"```{{exercise}}\n1 + 1?\n```\n\n{solution}\n\n```{{solution}} b\n3\n```\n\n# Next\n"
    assert dropped(text, hidden=False) == text
    assert dropped(text, hidden=True) == "```{exercise}\n1 + 1?\n```\n\n\n\n\n\n# Next\n"


@pytest.mark.parametrize("page", pages_in_order(), ids=lambda page: page.stem)
def test_a_page_without_solutions_neither_shows_nor_offers_one(page):
    """A file with a solution is included or linked only inside a solution."""
    text = dropped(page.read_text(encoding="utf-8"), hidden=True)
    assert not re.search(r"\{solution|\} ?`?exercises/\w+_solution", text)


@pytest.mark.timeout(900)
def test_the_book_has_every_solution(html):
    """The phrases that the next test looks for are found where there are solutions."""
    assert solutions_found(html).keys() == solution_phrases().keys()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_book_without_solutions_has_none_in_any_file(tmp_path):
    """A teacher may publish the folder that `make book SOLUTIONS=no` builds."""
    status, messages, html = build_once(tmp_path, "--no-solutions")
    assert status == 0, messages
    assert solutions_found(html) == {}
    assert (html / "_notebooks" / "intersection.ipynb").exists()


@pytest.mark.parametrize(
    ("name", "laws"), graded_exercises(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_oracle_rejects_the_stub_and_accepts_the_solution(name, laws):
    """The command is the one that the page prints."""
    stub = run_check(f"{name}_stub.py", laws)
    solution = run_check(f"{name}_solution.py", laws)
    assert stub.returncode == 1, stub.stdout + stub.stderr
    assert solution.returncode == 0, solution.stdout + solution.stderr
