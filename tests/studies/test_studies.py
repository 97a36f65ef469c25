"""The command line of the studies, and what all of them share."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import book.studies
from book.studies import tuned_values
from book.studies.__main__ import STUDIES, main
from book.studies.results import RESULTS, read_lines, write_lines
from lmlir.experiments.rivals import tuning

MODULES = [
    module.name
    for module in pkgutil.iter_modules(book.studies.__path__)
    if module.name != "__main__"
]


@pytest.mark.parametrize("name", MODULES)
def test_the_doctests_of_every_study_run(name):
    assert doctest.testmod(importlib.import_module(f"book.studies.{name}")).failed == 0


def test_every_module_that_writes_a_file_is_a_study_and_the_file_is_committed(capsys):
    writing = [
        name for name in MODULES if hasattr(importlib.import_module(f"book.studies.{name}"), "run")
    ]
    assert sorted(STUDIES) == sorted(writing)
    assert main(["--list"]) == 0
    listed = [line.split(" -> ") for line in capsys.readouterr().out.splitlines() if " -> " in line]
    assert [name for name, _ in listed] == list(STUDIES)
    assert all(Path(file).is_file() for _, file in listed)


def test_the_command_line_works_from_the_top_of_a_checkout():
    command = [sys.executable, "-m", "book.studies", "modes", "--help"]
    done = subprocess.run(command, cwd=RESULTS.parents[1], capture_output=True, text=True)
    assert done.returncode == 0
    assert "modes.jsonl" in done.stdout
    assert "--data" in done.stdout


@pytest.mark.parametrize("words", [["nothing"], ["--nothing"], ["leak", "--nothing"]])
def test_an_unknown_study_or_option_is_refused(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "nothing" in capsys.readouterr().err


def test_a_missing_data_folder_is_named_in_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LMLIR_DATA", "")
    with pytest.raises(SystemExit) as ended:
        main(["unit_length", "--data", str(tmp_path / "none"), "--out", str(tmp_path / "out.json")])
    assert ended.value.code == 1
    assert (
        capsys.readouterr().err
        == f"the data folder {tmp_path / 'none'} does not exist or is not a folder\n"
    )


def test_an_interrupted_study_leaves_the_file_as_it_was(tmp_path):
    file = tmp_path / "lines.jsonl"
    file.write_text('{"old": 1}\n')

    def interrupted():
        yield '{"new": 1}'
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_lines(file, interrupted())
    assert read_lines(file) == [{"old": 1}]
    write_lines(file, ['{"new": 1}', '{"new": 2}'])
    assert read_lines(file) == [{"new": 1}, {"new": 2}]
    assert list(tmp_path.iterdir()) == [file]


def test_the_tuned_values_of_the_package_are_those_of_the_committed_run(tmp_path):
    assert main(["tuned_values", "--out", str(tmp_path / "tuned.json")]) == 0
    assert (tmp_path / "tuned.json").read_text() == tuning.KEPT.read_text(encoding="utf-8")


def test_tuned_values_of_a_run_with_a_missing_split_are_refused():
    records = read_lines(RESULTS / "rivals.jsonl")
    with pytest.raises(ValueError, match="gmml on heart has no split 3"):
        tuned_values.values_to_keep(
            r for r in records if (r["dataset"], r["split"], r["method"]) != ("heart", 3, "gmml")
        )
