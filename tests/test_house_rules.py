"""Rules for the whole package: doctests run and exist, every module is reached.

`make lint` checks the layers.
"""

import ast
import doctest
import importlib
import pkgutil
from pathlib import Path

import grimp
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
    """Every example in a docstring says what happens; a long line of output is wrapped there."""
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("name", PAPER_MODULES)
def test_every_public_function_of_the_paper_modules_has_a_doctest(name):
    """House style: one small doctest each, in the function's own docstring."""
    tree = ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))
    functions = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    assert functions
    for function in functions:
        assert ">>>" in (ast.get_docstring(function) or ""), (
            f"{name}.{function.name} has no doctest"
        )


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
    entries = {f"lmlir.{name}" for name in (*public, *by_name, *PAPER_MODULES)}
    graph = grimp.build_graph("lmlir")
    reached = entries.union(*map(graph.find_upstream_modules, entries))
    packages_around = {
        ".".join(parts[:n])
        for parts in (name.split(".") for name in reached)
        for n in range(len(parts))
    }
    assert graph.modules - reached - packages_around == set()
