"""`lmlir data`: tests of `lmlir.commands.data`."""

import pytest

from lmlir.commands import main
from lmlir.experiments import data


def lines_of(capsys, *words):
    """The lines of standard output; the command ends well."""
    assert main(["data", *words]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.fixture
def no_files(monkeypatch, tmp_path):
    """No folder is named, and the cache is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("LMLIR_DATA", raising=False)


def test_the_command_works_with_no_source_at_all(no_files, monkeypatch, capsys):
    monkeypatch.setattr(data, "from_packages", lambda name: None)
    lines = lines_of(capsys)
    assert lines[-1] == "0 of 14 data sets can be loaded."
    assert max(map(len, lines)) <= 100
    entries = " ".join(lines[:-1]).split(" not found: ")
    assert len(entries) == 15
    assert all("--data or LMLIR_DATA" in " ".join(entry.split()) for entry in entries[1:])


def test_the_command_finds_monk1_and_wdbc_without_any_file(no_files, capsys):
    pytest.importorskip("sklearn", reason="WDBC's rows come with scikit-learn")
    lines = lines_of(capsys)
    found = [
        line.split()[0] for line in lines if "from" in line.split() and "not" not in line.split()
    ]
    assert {"monk1", "wdbc"} <= set(found)
    assert "monk1             556 rows   6 features   from its rule and training ids" in lines


@pytest.mark.parametrize("command", ["data", "experiment"])
@pytest.mark.parametrize("by_variable", [False, True])
def test_a_missing_folder_is_an_error(command, by_variable, monkeypatch, tmp_path, capsys):
    """One sentence, whether the folder was named by --data or by LMLIR_DATA."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LMLIR_DATA", "nowhere" if by_variable else "")
    little = (
        ["--only", "monk1", "--methods", "majority", "--splits", "1"]
        if command == "experiment"
        else []
    )
    assert main([command, *little, *([] if by_variable else ["--data", "nowhere"])]) == 2
    sentence = f"lmlir {command}: the data folder nowhere does not exist or is not a folder\n"
    assert capsys.readouterr().err == sentence
