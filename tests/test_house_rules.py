"""Rules for the whole package: doctests run and exist, there are no circular imports, every module is reached."""

import ast
import doctest
import graphlib
import importlib
import importlib.util
import pkgutil
from pathlib import Path

import pytest

import lmlir
from lmlir.commands import COMMANDS
from lmlir.experiments.rivals.catalog import RIVALS
from lmlir.ledger.map import PAPER_MODULES

PACKAGE = Path(lmlir.__file__).parent
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(lmlir.__path__, "lmlir.")
    if not module.name.split(".")[-1].startswith(("test_", "__main__"))
)


@pytest.mark.parametrize("name", MODULES)
def test_the_doctests_of_every_module_run(name):
    """Every example in a docstring says what happens."""
    module = importlib.import_module(name)
    result = doctest.testmod(module, raise_on_error=False)
    assert result.failed == 0


@pytest.mark.parametrize("name", PAPER_MODULES)
def test_every_public_function_of_the_paper_modules_has_a_doctest(name):
    """House style: one small doctest each, in the function's own docstring."""
    tree = ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    assert functions
    for function in functions:
        assert ">>>" in (ast.get_docstring(function) or ""), f"{name}.{function.name} has no doctest"


def code_that_runs(node):
    """Every node of a syntax tree but those under `if TYPE_CHECKING`, which only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            child = ast.Module(child.orelse, [])
        yield child
        yield from code_that_runs(child)


def imported(node, package, modules):
    """The names that one node of a module in `package` imports; `from a import b` names a.b where that is a module."""
    match node:
        case ast.Import():
            return {alias.name for alias in node.names}
        case ast.ImportFrom():
            source = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            inner = {f"{source}.{alias.name}" for alias in node.names}
            return inner & modules | ({source} if inner - modules else set())
        case ast.Call(
            func=ast.Name("import_module") | ast.Attribute(attr="import_module"), args=[ast.Constant(name), *_]
        ):
            return {name}
    return set()


def import_graph(folder):
    """For each module of a package the modules of it that its code imports, at the top or inside a function."""
    paths = {".".join(path.relative_to(folder.parent).with_suffix("").parts): path for path in folder.rglob("*.py")}
    packages = {name: name.rpartition(".")[0] for name in paths}
    modules = {name.removesuffix(".__init__") for name in paths}
    graph = {}
    for name, path in paths.items():
        nodes = code_that_runs(ast.parse(path.read_text(encoding="utf-8")))
        imports = {target for node in nodes for target in imported(node, packages[name], modules)}
        graph[name.removesuffix(".__init__")] = imports & modules
    return graph


def import_cycle(folder):
    """Modules of which each imports the next, and the last the first; none where imports only go one way."""
    try:
        graphlib.TopologicalSorter(import_graph(folder)).prepare()
    except graphlib.CycleError as error:
        return error.args[1][::-1]
    return []


def test_there_are_no_circular_imports():
    """Not even inside a function; what is imported for the type checker alone does not count."""
    assert sum(map(len, import_graph(PACKAGE).values())) > 100
    assert " imports ".join(import_cycle(PACKAGE)) == ""


@pytest.mark.parametrize(
    "line, cycle",
    [
        ("from p.a import f", True),
        ("def g():\n    from p import a", True),
        ("def g():\n    from . import a", True),
        ("import importlib\na = importlib.import_module('p.a')", True),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import f", False),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    f = 1\nelse:\n    from p.a import f", True),
        ("from p import VERSION", False),
        ("import os.path, fractions", False),
    ],
)
def test_circular_imports_are_found(tmp_path, line, cycle):
    """Module a imports b; b imports a, or not."""
    folder = tmp_path / "p"
    folder.mkdir()
    for name, source in (("__init__", "VERSION = 1"), ("a", "from p.b import g\nf = 1"), ("b", line)):
        (folder / f"{name}.py").write_text(source + "\n")
    assert sorted(set(import_cycle(folder))) == (["p.a", "p.b"] if cycle else [])


# --------------------------------------------------------------------------------------------- nothing is out of reach


def reached(graph, entries):
    """The modules that the entries import, directly or not; importing a module also runs the packages around it."""
    found, waiting = set(), list(entries)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [*graph.get(name, ()), *([name.rpartition(".")[0]] if "." in name else [])]
    return found


def test_every_module_is_reached_from_a_command_a_public_function_the_estimator_or_the_plugin():
    """What only a page of the book needs is in book/, what only a test needs is in tests/."""
    public = [
        "__main__",
        "estimator",
        "subject",
        "vectorized",
        "learning",
        "oracle.pytest_plugin",
        "oracle.test_subject",
        "oracle.subjects.worker",  # run as a script in the process of a subject
    ]
    by_name = [f"commands.{name}" for name in COMMANDS] + [
        f"experiments.rivals.{rival.place.split('.')[0]}" for rival in RIVALS.values()
    ]
    entries = [f"lmlir.{name}" for name in (*public, *by_name, *PAPER_MODULES)]
    graph = import_graph(PACKAGE)
    assert set(graph) - reached(graph, entries) == set()


def test_a_module_that_nothing_imports_is_out_of_reach():
    graph = {"p": set(), "p.a": {"p.q.b"}, "p.q": {"p.c"}, "p.q.b": set(), "p.c": set(), "p.d": {"p.a"}}
    assert set(graph) - reached(graph, ["p.a"]) == {"p.d"}
