"""What a release promises: documents that name only what is there, one version, pinned packages,
the same two commands.
"""

import contextlib
import functools
import importlib.util
import io
import json
import os
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

import lmlir
from lmlir.commands import COMMANDS, main

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ["README.md", "CONTRIBUTING.md"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z][\w-]*):", MAKEFILE, re.MULTILINE))
FILE_NAME = re.compile(
    r"[\w.*/-]*(/|\.(cff|json|jsonl|md|py|toml|txt|yml))|[\w.-]+(/[\w.*-]+)+|Makefile"
)


def read(name):
    """A document of the top folder."""
    return (ROOT / name).read_text(encoding="utf-8")


# ------------------------------------------------------------------------------ what documents name


def links(text):
    """The targets of a document's links and pictures, addresses on the web left out."""
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]


def fragments(text):
    """The code of a document: spans in backticks and the lines of indented blocks."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`]+)`", prose) + re.findall(r"^ {4}(\S.*)$", prose, re.MULTILINE)


@functools.cache
def help_of(*command):
    """What `--help` of a subcommand of lmlir, of a module or of pytest prints."""
    if command[0] == "lmlir":
        with contextlib.redirect_stdout(io.StringIO()) as page, contextlib.suppress(SystemExit):
            main([*command[1:], "--help"])
        return page.getvalue()
    return subprocess.run(
        [sys.executable, "-m", *command, "--help"], cwd=ROOT, capture_output=True, text=True
    ).stdout


def unknown_options(words, page):
    """The options among the words that a help page does not have."""
    options = [word.split("=")[0] for word in words if word.startswith("--")]
    return [option for option in options if not re.search(rf"(?<![\w-]){option}(?![\w-])", page)]


def exists(module):
    """Whether `python -m module` finds something to run."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def resolves(name):
    """Whether a dotted name is a module or something in one."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def missing(fragment):
    """What a fragment of code names and the project does not have; None where the fragment names
    nothing of the project.
    """
    match fragment.split():
        case ["make", *words]:
            return [
                word
                for word in words_before_comment(words)
                if "=" not in word and word not in TARGETS
            ]
        case ["lmlir", command, *words]:
            words = words_before_comment(words)
            return (
                unknown_options(words, help_of("lmlir", command))
                if command in COMMANDS
                else [f"lmlir {command}"]
            )
        case ["python", "-m", module, *words]:
            return (
                unknown_options(words_before_comment(words), help_of(module))
                if exists(module)
                else [module]
            )
        case ["pytest", *words]:
            modules = [word for word in words if word.startswith("lmlir.") and not resolves(word)]
            return unknown_options(words, help_of("pytest")) + modules
        case ["pip", "install", *words]:
            return [
                extra for extra in re.findall(r"\[(\w+)\]", " ".join(words)) if extra not in EXTRAS
            ]
        case [word] if re.fullmatch(r"(lmlir)?\[\w+\]", word):
            return [word] if re.findall(r"\w+", word)[-1] not in EXTRAS else []
        case [word] if re.fullmatch(r"lmlir(\.\w+)+", word):
            return [] if resolves(word) else [word]
        case [word] if FILE_NAME.fullmatch(word):
            return [] if any(ROOT.glob(word.rstrip("/"))) else [word]
    return None


def words_before_comment(words):
    """The words of a command line as a shell reads them."""
    return shlex.split(" ".join(words), comments=True)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_path_and_command_that_a_document_names_exists(name):
    """README and CONTRIBUTING: make targets, subcommands and their options, modules, extras, files
    and folders.
    """
    verdicts = {fragment: missing(fragment) for fragment in fragments(read(name))}
    assert {fragment: lacks for fragment, lacks in verdicts.items() if lacks} == {}
    assert sum(lacks is not None for lacks in verdicts.values()) >= 8
    assert [link for link in links(read(name)) if not (ROOT / link).exists()] == []


@pytest.mark.parametrize(
    "fragment, lacks",
    [
        ("make test nothing CONSTRAINTS=", ["nothing"]),
        ("make quick  # the inner loop", []),
        ("lmlir chek FILE", ["lmlir chek"]),
        ("lmlir map --jsn FILE", ["--jsn"]),
        ('lmlir check --command "./program --fast"', []),
        ("python -m lmlir.nothing", ["lmlir.nothing"]),
        ("python -m proofs --lst", ["--lst"]),
        ("pytest --pyargs lmlir.oracel --sbject mine", ["--sbject", "lmlir.oracel"]),
        ("pip install '.[orakel]'", ["orakel"]),
        ("[orakel]", ["[orakel]"]),
        ("lmlir.vectorization", ["lmlir.vectorization"]),
        ("reference/lmlir/oracle/laws.py", ["reference/lmlir/oracle/laws.py"]),
        ("proofs/*.py", []),
        ("prove_*", None),
    ],
)
def test_what_does_not_exist_is_found(fragment, lacks):
    """The test above would see a slip."""
    assert missing(fragment) == lacks


def test_the_code_of_a_document_is_found_in_spans_and_blocks_and_its_links_are_files():
    """Fenced blocks are shown, not run."""
    text = (
        "A `span`, [a file](README.md), [the web](https://example.org).\n\n    make test  # "
        "all\n\n```python\nx = `1`\n```\n"
    )
    assert fragments(text) == ["span", "make test  # all"]
    assert links(text) == ["README.md"]


def test_the_readme_shows_what_check_prints(capsys, monkeypatch):
    """The block of output, its verdict and its dots left out, stands in the report in this
    order.
    """
    shown = re.search(
        r"^```text\nVerdict on .*?\n(.*?)\.\.\.\n```$", read("README.md"), re.MULTILINE | re.DOTALL
    )[1]
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    assert (
        main(
            [
                "check",
                "book/subjects/first_try.py",
                "--profile",
                "quick",
                "--only",
                "distances_match_equation_9",
            ]
        )
        == 1
    )
    printed = iter(capsys.readouterr().out.splitlines())
    assert [line for line in shown.splitlines() if line and line not in printed] == []


# ----------------------------------------------------------------------------- version and citation


def test_the_version_is_written_once():
    """In lmlir.__version__; pyproject.toml reads it from there."""
    assert "version" not in PROJECT["project"]
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "lmlir.__version__"}
    sources = [
        ROOT / "pyproject.toml",
        ROOT / "Makefile",
        *(ROOT / "reference").rglob("*.py"),
        *ROOT.glob("book/*.py"),
    ]
    written = [
        path.name
        for path in sources
        if f'"{lmlir.__version__}"' in path.read_text(encoding="utf-8")
    ]
    assert written == ["__init__.py"]


def test_citation_and_changelog_agree_with_the_version():
    """The newest section of the changelog is this version; sections go back to 1.0.0, and each has
    a date or is open.
    """
    yaml = pytest.importorskip("yaml", reason="CITATION.cff is read with PyYAML")
    assert yaml.safe_load(read("CITATION.cff"))["version"] == lmlir.__version__
    sections = re.findall(r"^## (\S+) - (\S+)$", read("CHANGELOG.md"), re.MULTILINE)
    assert len(sections) == read("CHANGELOG.md").count("\n## ")
    assert (sections[0][0], sections[-1][0]) == (lmlir.__version__, "1.0.0")
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for _, date in sections[1:])


def test_the_paper_is_cited_as_in_the_bibliography_of_the_book():
    """Authors, title, journal, volume, number, pages and year."""
    yaml = pytest.importorskip("yaml", reason="CITATION.cff is read with PyYAML")
    database = pytest.importorskip("pybtex.database", reason="the bibliography is read with pybtex")
    cited = yaml.safe_load(read("CITATION.cff"))["preferred-citation"]
    entry = database.parse_file(str(ROOT / "book" / "references.bib")).entries["dong2020learning"]
    authors = [
        (" ".join(person.first_names), " ".join(person.last_names))
        for person in entry.persons["author"]
    ]
    assert [
        (author["given-names"], author["family-names"]) for author in cited["authors"]
    ] == authors
    numbers = [str(cited[name]) for name in ("volume", "issue", "year")] + [
        f"{cited['start']}--{cited['end']}"
    ]
    assert numbers == [entry.fields[name] for name in ("volume", "number", "year", "pages")]
    assert (cited["title"], cited["journal"]) == (entry.fields["title"], entry.fields["journal"])
    assert cited["identifiers"][0]["value"] == "arXiv:" + entry.fields["eprint"]
    assert PROJECT["project"]["urls"]["Paper"] == cited["url"]


# ----------------------------------------------------------------------------- constraints and make


def test_the_constraints_pin_every_package_that_the_project_asks_for_within_its_bounds():
    """constraints.txt: name==version and nothing else; no address, no path."""
    requirements = pytest.importorskip(
        "packaging.requirements", reason="bounds are read with packaging"
    )
    canonical = pytest.importorskip("packaging.utils").canonicalize_name
    lines = [line for line in read("constraints.txt").splitlines() if not line.startswith("#")]
    pins = {canonical(name): version for name, version in (line.split("==") for line in lines)}
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    assert len(pins) == len(lines)
    asked = [
        requirements.Requirement(text)
        for text in sum(EXTRAS.values(), PROJECT["project"]["dependencies"])
    ]
    others = [requirement for requirement in asked if requirement.name != "lmlir"]
    assert len(others) > 20
    for requirement in others:
        assert requirement.specifier.contains(pins[canonical(requirement.name)]), requirement


def test_every_pinned_version_runs_on_the_oldest_python():
    """Debian 12 has Python 3.11.2, and hosted CI only the newest 3.11: a pin that needs 3.11.5 was
    seen by nobody.
    """
    specifiers = pytest.importorskip(
        "packaging.specifiers", reason="bounds are read with packaging"
    )
    names = re.findall(r"^([\w.-]+)==", read("constraints.txt"), re.MULTILINE)
    found = {name: metadata(name).get("Requires-Python") for name in names if installed(name)}
    assert len(found) > 100
    assert {
        name: bound
        for name, bound in found.items()
        if bound and not specifiers.SpecifierSet(bound).contains("3.11.0")
    } == {}


@pytest.mark.parametrize("state", ["none", "whole", "without pip", "without its interpreter"])
def test_make_repairs_a_broken_environment_in_a_folder_with_a_space(tmp_path, state):
    """Python and pip are stand-ins that log their arguments; `-m venv` puts such a stand-in into
    .venv.
    """
    folder = tmp_path / "a b é"
    make_environment = "{ rm -r .venv; mkdir -p .venv/bin; cp python .venv/bin/python; }"
    stand_in = f'#!/bin/sh\necho "$@" >> log\n[ "$2" != venv ] || {make_environment}\n'
    (folder / ".venv" / "bin").mkdir(parents=True)
    for name, text in {
        "Makefile": MAKEFILE,
        "pyproject.toml": "",
        "constraints.txt": "",
        "python": stand_in,
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "python").chmod(0o755)
    if state == "whole":
        shutil.copy(folder / "python", folder / ".venv" / "bin" / "python")
    elif state == "without pip":
        (folder / ".venv" / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
        (folder / ".venv" / "bin" / "python").chmod(0o755)
    elif state == "without its interpreter":
        (folder / ".venv" / "bin" / "python").symlink_to("nowhere")
    if state != "none":
        (folder / ".venv" / ".book-installed").touch()
    done = subprocess.run(
        ["make", "book", "PYTHON=./python"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    log = (folder / "log").read_text().splitlines()
    assert ("-m venv --clear .venv" in log) == (state != "whole")
    assert any(line.startswith("-m pip install") for line in log) == (state != "whole")
    assert log[-1] == "-m book.build"


def installed(name):
    """Whether a distribution is installed here."""
    try:
        return bool(metadata(name))
    except PackageNotFoundError:
        return False


def dry_run(*arguments):
    """What make would do from scratch."""
    done = subprocess.run(
        ["make", "--dry-run", "--always-make", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_make_installs_the_pinned_versions_unless_told_otherwise():
    """`make test` and `make book` with constraints.txt; `CONSTRAINTS=` without."""
    for target in ("test", "book", "quick"):
        assert "--constraint constraints.txt" in dry_run(target)
        assert "--constraint" not in dry_run(target, "CONSTRAINTS=")


def test_make_runs_tests_that_exist():
    """The folders and files of `make test` and `make quick`."""
    for target in ("test", "quick"):
        named = re.findall(r"(?<= )tests[\w/*.]*", dry_run(target))
        assert named
        assert [path for path in named if not any(ROOT.glob(path))] == []


def test_make_help_lists_every_target():
    """And every target is declared phony: none of them is a file."""
    declared = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split()
    listed = re.findall(
        r"^make (\S+)",
        subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True).stdout,
        re.M,
    )
    assert set(declared) == TARGETS == {*listed, "help"}


# ---------------------------------------------------------------------------------------- hosted CI

WORKFLOWS = [".github/workflows/test.yml", ".github/workflows/release.yml", "examples/workflow.yml"]


def steps_of(workflow):
    """All steps of all jobs of a workflow."""
    yaml = pytest.importorskip("yaml", reason="workflows are read with PyYAML")
    return [
        step for job in yaml.safe_load(read(workflow))["jobs"].values() for step in job["steps"]
    ]


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_the_commands_of_a_workflow_exist_and_its_actions_are_pinned(workflow):
    """Every step either uses an action by its hash or runs commands of which those of this project
    exist.
    """
    steps = steps_of(workflow)
    scripts = [
        re.sub(r"\$\{\{.*?\}\}", "", step.get("run", "")) for step in steps
    ]  # without the workflow's own expressions
    verdicts = [
        missing(command)
        for script in scripts
        for command in re.split(r"\n| && ", script)
        if command
    ]
    assert [lacks for lacks in verdicts if lacks] == []
    assert any(lacks == [] for lacks in verdicts)
    actions = [step["uses"] for step in steps if "uses" in step]
    assert [
        action for action in actions if not re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action)
    ] == []


def test_hosted_ci_runs_the_two_commands_of_the_readme():
    """It runs them on the oldest Python that pyproject.toml allows, in a folder with a space and an
    accent.
    """
    yaml = pytest.importorskip("yaml", reason="the workflow is read with PyYAML")
    job = yaml.safe_load(read(".github/workflows/test.yml"))["jobs"]["test"]
    assert all(
        any(step.get("run", "").startswith(command) for step in job["steps"])
        for command in ("make test", "make book")
    )
    assert PROJECT["project"]["requires-python"] == f">={job['strategy']['matrix']['python'][0]}"
    assert " " in job["defaults"]["run"]["working-directory"]
    assert not job["defaults"]["run"]["working-directory"].isascii()


def tracked_files():
    """Return the names of the files in the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is not a git checkout")
    return listed.stdout.rstrip("\0").split("\0")


def build_sdist(folder):
    """Build an sdist from a copy of the tracked files: what earlier builds left in the checkout
    would get into it.
    """
    for name in tracked_files():
        (folder / "clean" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "clean" / name)
    build = "import sys, setuptools.build_meta as backend; backend.build_sdist(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", build, str(folder)],
        cwd=folder / "clean",
        check=True,
        capture_output=True,
    )
    return next(folder.glob("*.tar.gz"))


@pytest.mark.slow
def test_the_workflow_for_other_projects_can_install_and_judge(tmp_path):
    """A project with the wheel in its folder `vendor` runs the example's install step in an
    environment of its own.
    """
    wheel = [
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(tmp_path / "vendor"),
        str(build_sdist(tmp_path)),
    ]
    subprocess.run([sys.executable, "-m", "pip", *wheel], check=True)
    package = tmp_path / "mypackage"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "fast.py").write_text("from lmlir.vectorized import distances\n")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "mypackage"\nversion = "1"\n[tool.setuptools]\npackages = '
        '["mypackage"]\n'
    )
    venv.create(tmp_path / "environment", with_pip=True)
    install, check = [step["run"] for step in steps_of("examples/workflow.yml") if "run" in step]
    settings = os.environ | {"PATH": f"{tmp_path / 'environment' / 'bin'}:{os.environ['PATH']}"}
    settings.pop("PYTHONPATH", None)
    for command in (install, f"{check} --only distances_match_equation_9"):
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=settings, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((tmp_path / "report.json").read_text())["verdict"] == "conforms"


@pytest.mark.slow
def test_the_sdist_has_every_file_that_testing_needs(tmp_path):
    """Every tracked file but those that only the repository uses."""
    with tarfile.open(build_sdist(tmp_path)) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in tracked_files() if not name.startswith(".")} - packed == set()


def test_words_are_spelled_as_in_the_code():
    """The code says neighbors, so prose and names do; a title in the bibliography keeps its own
    spelling.
    """
    folders = [ROOT / name for name in ("reference", "proofs", "tests", "book", "examples")]
    files = [
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in (".py", ".md", ".v")
    ]
    files = [path for path in files if "_build" not in path.parts] + [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
    ]
    assert len(files) > 150
    british = re.compile(
        "neighb" + "our(?!hood})|behavi" + "our|optimi" + "s[ei]|vectori" + "sed", re.IGNORECASE
    )
    found = [
        str(path.relative_to(ROOT))
        for path in files
        if british.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []
