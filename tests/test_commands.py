"""The command `lmlir`: tests of `lmlir.commands`."""

import importlib
import json
import os
import shlex
import subprocess
import sys
import types
from importlib import metadata

import pytest

import lmlir
from lmlir import commands
from lmlir.oracle.interface import near_misses
from lmlir.oracle.laws import LAWS


def test_the_overview_names_every_command(capsys):
    """`lmlir --help`: the commands and what they do."""
    with pytest.raises(SystemExit) as stop:
        commands.main(["--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    for name, (_, purpose) in commands.COMMANDS.items():
        assert f"  {name}" in text
        assert purpose in text
    assert list(commands.COMMANDS) == [
        "map",
        "errata",
        "check",
        "laws",
        "vectors",
        "experiment",
        "data",
        "book",
    ]


def test_the_version_is_that_of_the_package(capsys):
    """`lmlir --version`."""
    with pytest.raises(SystemExit):
        commands.main(["--version"])
    assert capsys.readouterr().out == f"lmlir {lmlir.__version__}\n"


@pytest.mark.parametrize("name", list(commands.COMMANDS))
def test_every_command_has_arguments_and_help(name, capsys):
    """Each module behind a command has add_arguments and run, and `lmlir COMMAND --help` works."""
    module = importlib.import_module(f"lmlir.commands.{name}")
    assert callable(module.add_arguments)
    assert callable(module.run)
    with pytest.raises(SystemExit) as stop:
        commands.main([name, "--help"])
    assert stop.value.code == 0
    assert f"usage: lmlir {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["--version"], ["errata", "E6"], ["map"], ["laws"], ["data"]]
)
def test_a_command_starts_without_statistics_and_scikit_learn(arguments):
    """SciPy's statistics and scikit-learn take a second to load, and these commands do not need
    them.
    """
    script = (
        "import contextlib, sys\n"
        "from lmlir.commands import main\n"
        "with contextlib.suppress(SystemExit): main(sys.argv[1:])\n"
        "print(sorted({'scipy.stats', 'sklearn'} & set(sys.modules)), file=sys.stderr)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stderr) == (0, "[]\n")
    assert answer.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["dance"], "lmlir: there is no command dance; see `lmlir --help`"),
        (["chek"], "lmlir: there is no command chek (did you mean check?); see `lmlir --help`"),
        (["map", "--dance"], "lmlir map: unrecognized arguments: --dance; see `lmlir map --help`"),
        (
            ["vectors"],
            "lmlir vectors: the following arguments are required: DIR; see `lmlir vectors --help`",
        ),
        (
            ["check", "json", "--minutes", "nan"],
            "argument --minutes: must be more than 0, got nan",
        ),
        (
            ["check", "json", "--timeout", "x"],
            "argument --timeout: must be more than 0, got x",
        ),
    ],
)
def test_an_unknown_command_or_option_is_one_sentence_with_exit_status_2(
    arguments, sentence, capsys
):
    """Usage errors: what is wrong, and where to read more."""
    with pytest.raises(SystemExit) as stop:
        commands.main(arguments)
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_lmlir_alone_shows_the_overview(capsys):
    """On standard error, because nothing was done: exit status 2."""
    assert commands.main([]) == 2
    answer = capsys.readouterr()
    assert answer.out == ""
    assert all(f"  {name}" in answer.err for name in commands.COMMANDS)


def test_items_of_the_map_need_no_quotes(capsys):
    """`lmlir map Definition 5`, as the shell splits it; a word that names nothing is an error."""
    assert commands.main(["map", "Definition 5"]) == 0
    quoted = capsys.readouterr().out
    assert commands.main(["map", "Definition", "5"]) == 0
    assert capsys.readouterr().out == quoted
    assert quoted.startswith("Definition 5")
    assert commands.main(["map", "Table 2", "Definition 5"]) == 0
    assert {"Table 2", "Definition 5"} <= {
        line.split(",")[0] for line in capsys.readouterr().out.splitlines()
    }
    assert commands.main(["map", "Definition", "55"]) == 2
    assert "the paper has no item 55;" in capsys.readouterr().err


def fake(monkeypatch, run):
    """Replace every command by one that calls `run`."""
    module = types.SimpleNamespace(add_arguments=lambda parser: None, run=run)
    monkeypatch.setattr(commands.importlib, "import_module", lambda name: module)


def raising(error):
    """A function that raises."""

    def run(arguments):
        raise error

    return run


def test_the_exit_status_is_that_of_the_command(monkeypatch):
    """`lmlir check` returns 0, 1 or 2, and so does `main`."""
    fake(monkeypatch, lambda arguments: 1)
    assert commands.main(["map"]) == 1


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            ValueError("K must be\n a whole number, got K=0"),
            "lmlir map: K must be a whole number, got K=0\n",
        ),
        (
            FileNotFoundError(2, "No such file or directory", "nowhere"),
            "lmlir map: nowhere: No such file or directory\n",
        ),
        (BrokenPipeError(32, "Broken pipe"), "lmlir map: [Errno 32] Broken pipe\n"),
    ],
)
def test_an_error_is_one_sentence_on_standard_error(monkeypatch, capsys, error, sentence):
    """ValueError and OSError: exit status 2, one line, no traceback."""
    fake(monkeypatch, raising(error))
    assert commands.main(["map"]) == 2
    assert capsys.readouterr() == ("", sentence)


def missing(name):
    """The error of an import that finds no package."""
    return ModuleNotFoundError(f"No module named '{name}'", name=name)


@pytest.mark.parametrize("late", [False, True])
def test_a_missing_package_is_named_with_its_extra(monkeypatch, capsys, late):
    """`lmlir check` without hypothesis, which it imports at once or while it runs."""
    fake(monkeypatch, raising(missing("hypothesis")))
    if not late:
        monkeypatch.setattr(commands.importlib, "import_module", raising(missing("hypothesis")))
    assert commands.main(["check"]) == 2
    assert (
        capsys.readouterr().err
        == "lmlir check needs the package hypothesis: pip install 'lmlir[oracle]'\n"
    )


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("map", ZeroDivisionError("a bug")),
        ("check", MemoryError()),
        ("check", missing("lmlir.nothing")),
        ("map", missing("sklearn")),  # no extra of this command would help
    ],
)
def test_an_internal_error_has_a_traceback_and_exit_status_70(monkeypatch, capsys, command, error):
    """Exit status 1 is kept for a subject that violates a law."""
    fake(monkeypatch, raising(error))
    assert commands.main([command]) == 70
    printed = capsys.readouterr().err
    assert printed.startswith("Traceback")
    assert printed.splitlines()[
        -1
    ] == f"lmlir: internal error: {type(error).__name__}: {error}".removesuffix(": ")


def test_an_interrupt_is_one_word_and_exit_status_130(monkeypatch, capsys):
    """Ctrl-C."""
    fake(monkeypatch, raising(KeyboardInterrupt()))
    assert commands.main(["map"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


LMLIR = shlex.join([sys.executable, "-m", "lmlir"])


def shell(script, **variables):
    """Run a line of bash. Its exit status is that of the first command of the pipe that fails."""
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **variables},
    )


def test_a_closed_pipe_is_not_an_error():
    """`lmlir errata | head -1`: the command ends with its own status and prints no complaint."""
    answer = shell(f"{LMLIR} errata | head -1")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "as printed" in answer.stdout


TALKATIVE = """
import sys, types
from lmlir import commands

def run(arguments):
    print("x" * 100_000, flush=True)
    print("y" * 100_000, file=sys.stderr, flush=True)
    return 1

command = types.SimpleNamespace(add_arguments=lambda parser: None, run=run)
commands.importlib.import_module = lambda name: command
sys.argv[1:] = ["map"]
sys.exit(commands.main())
"""


@pytest.mark.parametrize("streams", ["", ">&-", "2>&-", "<&- >&- 2>&-", "| true", "2>&1 | true"])
def test_closed_streams_do_not_change_the_exit_status(streams):
    """A command ends with its own status, whether or not anybody reads its output."""
    answer = shell(f"{shlex.join([sys.executable, '-c', TALKATIVE])} {streams}")
    assert answer.returncode == 1
    assert "Error" not in answer.stderr


@pytest.mark.parametrize(
    ("source", "streams", "status"),
    [
        ("from lmlir.vectorized import distances\n", "2>&-", 0),
        ("def distances(X_i, *rest):\n    return [0.0] * len(X_i)\n", "| true", 1),
    ],
    ids=["conforms", "violates"],
)
def test_closed_streams_do_not_change_a_verdict(tmp_path, source, streams, status):
    """`lmlir check` without standard error, and with a reader that has gone."""
    subject = tmp_path / "a subject.py"
    subject.write_text(source)
    script = (
        f"{LMLIR} check {shlex.quote(str(subject))} --profile quick --only "
        f"distances_match_equation_9 {streams}"
    )
    assert shell(script).returncode == status


def test_a_character_that_the_output_cannot_encode_is_escaped():
    """A report is not lost because a name in it has an accent."""
    script = (
        "import sys; from lmlir import commands; commands.open_streams(); print('é'); "
        "print('é', file=sys.stderr)"
    )
    answer = shell(shlex.join([sys.executable, "-c", script]), PYTHONIOENCODING="ascii")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "\\xe9\n", "\\xe9\n")


def test_a_full_disk_is_one_sentence():
    """`lmlir map > /dev/full`: what was not written is an error."""
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    answer = shell(f"{LMLIR} map > /dev/full")
    assert (answer.returncode, answer.stderr) == (
        2,
        "lmlir map: [Errno 28] No space left on device\n",
    )


def test_python_m_lmlir_is_the_same_command():
    """`python -m lmlir --version`."""
    answer = subprocess.run(
        [sys.executable, "-m", "lmlir", "--version"], capture_output=True, text=True, check=False
    )
    assert (answer.returncode, answer.stdout) == (0, f"lmlir {lmlir.__version__}\n")


def test_the_laws_are_listed_with_their_sentences_items_and_functions(capsys):
    """`lmlir laws`: every law, and how many there are."""
    assert commands.main(["laws"]) == 0
    listed = capsys.readouterr().out
    text = " ".join(listed.split())
    for law in LAWS:
        assert f"\n{law.name}\n" in f"\n{listed}"
        assert law.statement in text
        assert "; ".join(law.items) in text
    assert (
        f"{len(LAWS)} laws. To run some of them: lmlir check SUBJECT --only {LAWS[0].name}"
        in listed
    )
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
    assert found in names
    assert not_found not in names
    law = next(law for law in LAWS if law.name == found)
    assert names[found] == {
        "law": law.name,
        "statement": law.statement,
        "items": list(law.items),
        "functions": list(law.functions),
        "any function": law.any_of,
    }


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["laws", "ratio_match_table2"], "did you mean ratios_match_table_2?"),
        (["check", "json", "--only", "table_2"], "did you mean ratios_match_table_2?"),
        (
            ["check", "json", "--only", "Distances match equation-9"],
            "did you mean distances_match_equation_9?",
        ),
        (
            ["check", "json", "--only", "empty_batch"],
            "did you mean empty_batches_get_empty_answers?",
        ),
        (["check", "json", "--only", "xyz"], "there is no law xyz; `lmlir laws` lists all"),
        (["check", "--only", "ratios_match_table_2", "mine.py"], "put SUBJECT before --only"),
    ],
)
def test_a_misspelled_law_gets_a_suggestion(arguments, suggestion, capsys):
    """By nearly the same letters, by a part of the name, or by words with spaces.

    Otherwise, where the laws are listed.
    """
    assert commands.main(arguments) == 2
    answer = capsys.readouterr()
    assert suggestion in answer.err
    assert answer.err.count("\n") == 1
    assert answer.out == ""


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
    """Plural, capitals, order of words, a part, a suffix.

    A helper with a name of its own is not a near miss.
    """
    assert near_misses([name], offered=()).get(name, []) == functions


def test_a_file_that_cannot_be_written_or_read_is_one_sentence(tmp_path, capsys):
    """A folder that does not exist, a folder instead of a file, a name that is empty."""
    nowhere = tmp_path / "nowhere" / "map.json"
    for arguments, sentence in [
        (["map", "--json", str(nowhere)], f"lmlir map: {nowhere}: No such file or directory\n"),
        (["map", "--json", str(tmp_path)], f"lmlir map: {tmp_path}: Is a directory\n"),
        (["vectors", ""], "lmlir vectors: DIR must be the name of a folder, but it is empty\n"),
    ]:
        assert commands.main(arguments) == 2
        assert capsys.readouterr() == ("", sentence)


# --------------------------------------------------------------------------------------- lmlir book


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with a book that is not built, and a browser that records what it opens."""
    opened = []
    monkeypatch.setattr("lmlir.commands.book.CHECKOUT", tmp_path)
    monkeypatch.setattr("webbrowser.open", opened.append)
    (tmp_path / "book" / "_build" / "html").mkdir(parents=True)
    (tmp_path / "book" / "index.md").write_text("# The book\n")
    return types.SimpleNamespace(root=tmp_path, opened=opened)


@pytest.mark.parametrize("options", [[], ["--print"]])
def test_the_built_book_is_opened(checkout, capsys, options):
    """`lmlir book` prints the address and opens it; `lmlir book --print` only prints it."""
    page = checkout.root / "book" / "_build" / "html" / "index.html"
    page.write_text("<html>")
    assert commands.main(["book", *options]) == 0
    assert capsys.readouterr() == (f"{page.as_uri()}\n", "")
    assert checkout.opened == ([] if options else [page.as_uri()])


def test_a_book_that_is_not_built_names_the_command_that_builds_it(checkout, capsys):
    """In a checkout: `make book`, and where."""
    assert commands.main(["book"]) == 2
    assert f"run `make book` in {checkout.root}\n" in capsys.readouterr().err
    assert not checkout.opened


@pytest.mark.parametrize(
    ("addresses", "advice"),
    [
        # a package that was copied, not installed
        (None, "; clone the project and run `make book` in the clone"),
        ([], "; clone the project and run `make book` in the clone"),
        (
            ["Paper, https://paper.example", "Documentation, https://book.example/a, b"],
            "; read it at https://book.example/a, b, or",
        ),
    ],
)
def test_without_a_checkout_the_recorded_address_is_named(
    checkout, capsys, monkeypatch, addresses, advice
):
    """The address of the documentation is read from the metadata of the installed package."""
    (checkout.root / "book" / "index.md").unlink()
    recorded = types.SimpleNamespace(get_all=lambda key: {"Project-URL": addresses or None}[key])
    absent = raising(metadata.PackageNotFoundError("lmlir"))
    monkeypatch.setattr(
        "importlib.metadata.metadata", absent if addresses is None else lambda name: recorded
    )
    assert commands.main(["book"]) == 2
    assert advice in capsys.readouterr().err
    assert not checkout.opened
