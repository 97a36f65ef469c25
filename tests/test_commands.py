"""The command `lmlir`: tests of `lmlir.commands`."""

import importlib
import json
import subprocess
import sys
import types

import pytest

import lmlir
from lmlir import commands
from lmlir.oracle.interface import near_misses
from lmlir.oracle.laws import LAWS


def test_the_overview_names_every_command(capsys):
    """`lmlir --help`: the seven commands and what they do."""
    with pytest.raises(SystemExit) as stop:
        commands.main(["--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    for name, (_, _, purpose) in commands.COMMANDS.items():
        assert f"  {name}" in text
        assert purpose in text
    assert list(commands.COMMANDS) == ["map", "errata", "check", "laws", "vectors", "experiment", "data"]


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


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["dance"], "lmlir: there is no command dance; `lmlir --help` says more"),
        (["chek"], "lmlir: there is no command chek; did you mean check?; `lmlir --help` says more"),
        (["map", "--dance"], "lmlir map: unrecognized arguments: --dance; `lmlir map --help` says more"),
        (["vectors"], "lmlir vectors: the following arguments are required: DIR; `lmlir vectors --help` says more"),
        (["check", "json", "--timeout", "x"], "argument --timeout: must be more than 0 seconds, got x"),
    ],
)
def test_an_unknown_command_or_option_is_one_sentence_with_exit_status_2(arguments, told, capsys):
    """Usage errors: what is wrong, and where more is said."""
    with pytest.raises(SystemExit) as stop:
        commands.main(arguments)
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_lmlir_alone_shows_the_overview(capsys):
    """On standard error, because nothing was done: exit status 2."""
    assert commands.main([]) == 2
    answer = capsys.readouterr()
    assert answer.out == "" and all(f"  {name}" in answer.err for name in commands.COMMANDS)


def test_items_of_the_map_need_no_quotes(capsys):
    """`lmlir map Definition 5`, as the shell splits it; a word that names nothing is an error."""
    assert commands.main(["map", "Definition 5"]) == 0
    quoted = capsys.readouterr().out
    assert commands.main(["map", "Definition", "5"]) == 0
    assert capsys.readouterr().out == quoted and quoted.startswith("Definition 5")
    assert commands.main(["map", "Table 2", "Definition 5"]) == 0
    assert {"Table 2", "Definition 5"} <= {line.split(",")[0] for line in capsys.readouterr().out.splitlines()}
    assert commands.main(["map", "Definition", "55"]) == 2
    assert "the paper has no item 55;" in capsys.readouterr().err


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


def test_the_laws_are_listed_with_their_sentences_items_and_functions(capsys):
    """`lmlir laws`: every law, and how many there are."""
    assert commands.main(["laws"]) == 0
    listed = capsys.readouterr().out
    text = " ".join(listed.split())
    for law in LAWS:
        assert f"\n{law.name}\n" in f"\n{listed}" and law.statement in text and "; ".join(law.items) in text
    assert f"{len(LAWS)} laws. To judge by some of them: lmlir check SUBJECT --only {LAWS[0].name}" in listed
    assert max(map(len, listed.splitlines())) <= 100


@pytest.mark.parametrize(
    ("word", "found", "not_found"),
    [
        ("table_2", "ratios_match_table_2", "distances_match_equation_9"),
        ("Equation (10)", "decision_values_match_equation_10", "distances_match_equation_9"),
        ("descent_step", "descent_step_is_the_projected_step", "distances_match_equation_9"),
        ("Equation (1)", "ratios_match_table_2", "decision_values_match_equation_10"),
    ],
)
def test_laws_are_found_by_name_item_and_function(word, found, not_found, capsys):
    """`lmlir laws "Definition 8"`; the data are those of the list."""
    assert commands.main(["laws", word, "--json", "-"]) == 0
    names = {entry["law"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert found in names and not_found not in names
    law = next(law for law in LAWS if law.name == found)
    assert names[found] == {
        "law": law.name, "statement": law.statement, "items": list(law.items), "functions": list(law.functions),
        "any function": law.any_of,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["laws", "ratio_match_table2"], "did you mean ratios_match_table_2?"),
        (["check", "json", "--only", "table_2"], "did you mean ratios_match_table_2?"),
        (["check", "json", "--only", "Distances match equation-9"], "did you mean distances_match_equation_9?"),
        (["check", "json", "--only", "empty_batch"], "did you mean empty_batches_get_empty_answers?"),
        (["check", "json", "--only", "xyz"], "there is no law xyz; `lmlir laws` lists all"),
        (["check", "--only", "ratios_match_table_2", "mine.py"], "put SUBJECT before --only"),
    ],
)
def test_a_misspelt_law_gets_a_question_back(arguments, told, capsys):
    """By nearly the same letters, by a part of the name, or by words with spaces; else where to look."""
    assert commands.main(arguments) == 2
    answer = capsys.readouterr()
    assert told in answer.err and answer.err.count("\n") == 1 and answer.out == ""


@pytest.mark.parametrize(
    ("name", "functions"),
    [
        ("intersection_ratio", ["intersection_ratios"]),
        ("IntersectionRatios", ["intersection_ratios"]),
        ("gradient_objective", ["objective_gradient"]),
        ("background_ratios", ["exact_background_ratios"]),
        ("Distances", ["distances"]),
        ("step", ["descent_step"]),
        ("ratio_gradients_jit", ["ratio_gradients"]),
        ("exact_background", ["exact_background_ratios"]),
        ("segment_coefficients", []),
        ("lengths", []),
    ],
)
def test_a_name_like_a_function_of_the_interface_is_a_near_miss(name, functions):
    """Plural, capitals, order of words, a part, a suffix; helpers with names of their own are left in peace."""
    assert near_misses([name], offered=()).get(name, []) == functions


def test_a_file_that_cannot_be_written_is_said_in_one_sentence(tmp_path):
    """`lmlir map --json` into a folder that is not there."""
    target = tmp_path / "nowhere" / "map.json"
    answer = subprocess.run(
        [sys.executable, "-m", "lmlir", "map", "--json", str(target)], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 2
    assert answer.stderr.startswith("lmlir map: ")
    assert answer.stderr.count("\n") == 1
