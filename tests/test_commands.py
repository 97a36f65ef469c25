"""The command `lmlir`: tests of `lmlir.commands`."""

import importlib
import subprocess
import sys
import types

import pytest

import lmlir
from lmlir import commands


def test_the_overview_names_every_command(capsys):
    """`lmlir --help`: the six commands and what they do."""
    with pytest.raises(SystemExit) as stop:
        commands.main(["--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    for name, (_, _, purpose) in commands.COMMANDS.items():
        assert f"  {name}" in text
        assert purpose in text
    assert list(commands.COMMANDS) == ["map", "errata", "check", "vectors", "experiment", "data"]


def test_the_version_is_that_of_the_package(capsys):
    """`lmlir --version`."""
    with pytest.raises(SystemExit):
        commands.main(["--version"])
    assert capsys.readouterr().out == f"lmlir {lmlir.__version__}\n"


@pytest.mark.parametrize("name", list(commands.COMMANDS))
def test_every_command_offers_arguments_and_runs(name, capsys):
    """Each module behind a command has add_arguments and run, and `lmlir COMMAND --help` works."""
    module = importlib.import_module(commands.COMMANDS[name][0])
    assert callable(module.add_arguments)
    assert callable(module.run)
    with pytest.raises(SystemExit) as stop:
        commands.main([name, "--help"])
    assert stop.value.code == 0
    assert f"usage: lmlir {name}" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["dance"], ["map", "--dance"]])
def test_an_unknown_command_or_option_has_exit_status_2(arguments, capsys):
    """Usage errors: one usage line, one sentence, no traceback."""
    with pytest.raises(SystemExit) as stop:
        commands.main(arguments)
    assert stop.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def fake(monkeypatch, run):
    """A command `map` that does what it is told."""
    module = types.SimpleNamespace(add_arguments=lambda parser: None, run=run)
    monkeypatch.setattr(commands.importlib, "import_module", lambda name: module)


def raising(error):
    """A function that raises."""

    def run(arguments):
        raise error

    return run


def test_the_exit_status_is_that_of_the_command(monkeypatch):
    """`lmlir check` returns 0, 1 or 2; the front passes it on."""
    fake(monkeypatch, lambda arguments: 1)
    assert commands.main(["map"]) == 1


@pytest.mark.parametrize(
    "error",
    [
        ValueError("K must be\n a whole number, got K=0"),
        FileNotFoundError(2, "No such file or directory", "nowhere"),
        ModuleNotFoundError("No module named 'sklearn'", name="sklearn"),
    ],
)
def test_an_error_is_one_sentence_on_standard_error(monkeypatch, capsys, error):
    """ValueError, OSError and a missing package: exit status 2, one line, no traceback."""
    fake(monkeypatch, raising(error))
    assert commands.main(["map"]) == 2
    answer = capsys.readouterr()
    assert answer.out == ""
    assert answer.err.startswith("lmlir map: ")
    assert answer.err.count("\n") == 1


def test_a_package_missed_only_while_running_is_named_with_its_extra(monkeypatch, capsys):
    """`lmlir check` imports hypothesis late; the sentence is the same as for a package missed at once."""
    fake(monkeypatch, raising(ModuleNotFoundError("No module named 'hypothesis'", name="hypothesis")))
    assert commands.main(["check"]) == 2
    assert capsys.readouterr().err == "lmlir check needs the package hypothesis: pip install 'lmlir[oracle]'\n"


def test_an_error_of_the_program_itself_is_not_hidden(monkeypatch):
    """A bug shows its traceback: it is not the user's mistake."""
    fake(monkeypatch, raising(ZeroDivisionError("a bug")))
    with pytest.raises(ZeroDivisionError):
        commands.main(["map"])


def test_an_interrupt_is_said_in_one_word(monkeypatch, capsys):
    """Ctrl-C."""
    fake(monkeypatch, raising(KeyboardInterrupt()))
    assert commands.main(["map"]) == 2
    assert capsys.readouterr().err == "interrupted\n"


def test_a_missing_extra_is_named(monkeypatch, capsys):
    """`lmlir check` without hypothesis says what to install; a missing module of the package itself is a bug."""

    def missing(name):
        raise ModuleNotFoundError("No module named 'hypothesis'", name="hypothesis")

    monkeypatch.setattr(commands.importlib, "import_module", missing)
    assert commands.main(["check"]) == 2
    assert capsys.readouterr().err == "lmlir check needs the package hypothesis: pip install 'lmlir[oracle]'\n"
    with pytest.raises(ModuleNotFoundError):
        commands.main(["map"])  # needs no extra, so nothing helps

    def broken(name):
        raise ModuleNotFoundError("No module named 'lmlir.nothing'", name="lmlir.nothing")

    monkeypatch.setattr(commands.importlib, "import_module", broken)
    with pytest.raises(ModuleNotFoundError):
        commands.main(["check"])


def test_a_reader_who_has_seen_enough_is_no_error():
    """`lmlir errata | head -1`: the pipe closes, the command ends quietly."""
    script = f"{sys.executable} -m lmlir errata | head -1"
    answer = subprocess.run(["bash", "-c", f"set -o pipefail; {script}"], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "as printed" in answer.stdout


def test_a_closed_pipe_sends_what_is_left_nowhere(monkeypatch, capfd):
    """The same inside one process: standard output is pointed at the null device, and the status is 0."""
    pointed = []
    monkeypatch.setattr(commands.os, "dup2", lambda new, old: pointed.append((new, old)))
    fake(monkeypatch, raising(BrokenPipeError()))
    assert commands.main(["map"]) == 0
    assert pointed[0][1] == sys.stdout.fileno()


def test_python_m_lmlir_is_the_same_command():
    """`python -m lmlir --version`."""
    answer = subprocess.run([sys.executable, "-m", "lmlir", "--version"], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout) == (0, f"lmlir {lmlir.__version__}\n")


def test_a_file_that_cannot_be_written_is_said_in_one_sentence(tmp_path):
    """`lmlir map --json` into a folder that is not there."""
    target = tmp_path / "nowhere" / "map.json"
    answer = subprocess.run(
        [sys.executable, "-m", "lmlir", "map", "--json", str(target)], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 2
    assert answer.stderr.startswith("lmlir map: ")
    assert answer.stderr.count("\n") == 1
