"""Rules that hold for the whole package: doctests run and exist, functions are short."""

import ast
import doctest
import graphlib
import importlib
import pkgutil
from pathlib import Path

import pytest

import lmlir
from lmlir.ledger.links import PAPER_MODULES

PACKAGE = Path(lmlir.__file__).parent
LONGEST = 40  # lines of code of a public function, its docstring left out
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(lmlir.__path__, "lmlir.")
    if not module.name.split(".")[-1].startswith(("test_", "__main__"))
)


def public_functions(source):
    """Every public function and method of a file, as syntax trees."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node


def lines_of_code(node, source):
    """The lines of a function from `def` to its end, without its docstring, blank lines and comments."""
    lines = source.splitlines()
    used = set(range(node.lineno, node.end_lineno + 1))
    if ast.get_docstring(node) is not None:
        used -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return sum(1 for number in used if lines[number - 1].strip() and not lines[number - 1].strip().startswith("#"))


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


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_public_function_is_long(path):
    """At most 40 lines of code, the docstring left out."""
    source = path.read_text(encoding="utf-8")
    for function in public_functions(source):
        length = lines_of_code(function, source)
        assert length <= LONGEST, f"{function.name} has {length} lines of code"


def test_lines_are_counted_as_a_reader_would():
    """The docstring, a blank line and a comment do not count; the signature does."""
    source = 'def f(\n    x,\n):\n    """Doc.\n\n    More.\n    """\n\n    # why\n    return x\n'
    (function,) = public_functions(source)
    assert lines_of_code(function, source) == 4


def imports_of(name):
    """The modules of the package that a module imports, at its top or inside a function."""
    path = PACKAGE.joinpath(*name.split(".")[1:])
    source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            members = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (member if member in MODULES else node.module for member in members)


def test_no_module_imports_itself_on_a_way_round():
    """No cycle of imports, not even one that is closed inside a function."""
    needed = {name: {other for other in imports_of(name) if other in MODULES and other != name} for name in MODULES}
    assert sum(map(len, needed.values())) > 100
    graphlib.TopologicalSorter(needed).prepare()  # raises CycleError, with the modules on the way


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_and_every_public_function_of_a_module_says_what_it_does(path):
    """A docstring at the top, and one for each public function; a law says what it does in its decorator."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            assert ast.get_docstring(node) or node.decorator_list, f"{node.name} has no docstring"
