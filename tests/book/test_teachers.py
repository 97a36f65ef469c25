"""The teachers' chapter: its grading loop prints what its table says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from book_site import BOOK

CHAPTER = (BOOK / "teachers.md").read_text(encoding="utf-8")
HEAD = "def intersection_ratios(X_i, X_j, centers, radii):\n    "
SUBMISSIONS = {  # the verdict that each one deserves, and its text; the stub forgets to clip
    "right": ("conforms", (BOOK / "exercises/ratios_solution.py").read_text(encoding="utf-8")),
    "wrong formula": ("violates", (BOOK / "exercises/ratios_stub.py").read_text(encoding="utf-8")),
    "raises": ("errored", f"{HEAD}raise NotImplementedError\n"),
    "hangs": ("cannot be judged", f"{HEAD}while True:\n        pass\n"),
    "syntax error": ("cannot be judged", "def intersection_ratios(:\n"),
    "lacks the function": ("cannot be judged", "x = 1\n"),
    "imports the answer": ("not run", "from lmlir.vectorized import intersection_ratios\n"),
}


def statuses_of_the_table() -> dict[str, str]:
    """What the loop prints by verdict, from the rows of the chapter's table."""
    (table,) = re.findall(r"^\| it prints \|.*\n\|[-|]+\n((?:\|.*\n)+)", CHAPTER, re.MULTILINE)
    rows = [row.strip("|").split("|") for row in table.splitlines()]
    return {verdict.strip(): status.strip() for status, verdict, _ in rows}


def printed_by_the_loop(
    folder: Path, exercise: str, law: str, submissions: dict[str, str]
) -> dict[str, str]:
    """What the chapter's loop prints for each student, with another exercise and its law."""
    (loop,) = re.findall(r"^```shell\n(.*?^done\n)```$", CHAPTER, re.MULTILINE | re.DOTALL)
    for old, new in {
        r"^stub=\w+\.py$": f"stub={exercise}_stub.py",
        r"^laws=.*$": f"laws={law}",
    }.items():
        loop, count = re.subn(old, new, loop, flags=re.MULTILINE)
        assert count == 1, old

    stub = f"{exercise}_stub.py"
    (folder / stub).write_bytes((BOOK / "exercises" / stub).read_bytes())
    for student, text in submissions.items():
        (folder / student).mkdir()
        (folder / student / stub).write_text(text, encoding="utf-8", newline="")
    programs = folder / "programs"
    programs.mkdir()
    (programs / "lmlir").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m lmlir "$@"\n', encoding="utf-8"
    )
    (programs / "lmlir").chmod(0o755)

    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", loop],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.stderr == ""
    return dict(re.findall(rf"^(.*)/{stub} (\w+)$", done.stdout, re.MULTILINE))


@pytest.mark.slow
def test_the_grading_loop_prints_what_the_table_says(tmp_path):
    """Every judged student gets a report as text and as a page."""
    submissions = {student: text for student, (_, text) in SUBMISSIONS.items()}
    status_of = statuses_of_the_table()
    printed = printed_by_the_loop(tmp_path, "ratios", "ratios_match_table_2", submissions)
    assert printed == {student: status_of[verdict] for student, (verdict, _) in SUBMISSIONS.items()}
    assert {verdict for verdict, _ in SUBMISSIONS.values()} == set(status_of)

    with_page = {path.parent.name for path in tmp_path.glob("*/ratios_stub.html")}
    with_text = {
        path.parent.name for path in tmp_path.glob("*/ratios_stub.txt") if path.read_text().strip()
    }
    assert with_page == with_text == set(SUBMISSIONS) - {"imports the answer"}


def test_the_grading_loop_lets_a_student_keep_the_imports_of_the_stub(tmp_path):
    """The stub of the distances imports a function of the paper's modules."""
    solution = (BOOK / "exercises/distances_solution.py").read_text(encoding="utf-8")
    assert "from lmlir" in solution
    submissions = {
        "keeps": solution,
        "keeps, on Windows": solution.replace("\n", "\r\n"),
        "adds": f"import lmlir.vectorized\n{solution}",
    }
    printed = printed_by_the_loop(tmp_path, "distances", "distances_match_equation_9", submissions)
    status_of = statuses_of_the_table()
    conforms = status_of["conforms"]
    assert printed == {
        "keeps": conforms,
        "keeps, on Windows": conforms,
        "adds": status_of["not run"],
    }
