"""Code that runs in the page: definitions that can be edited and run, exercises that are judged,
offline and from disk.

A listing of a function of the paper becomes a live block when the examples of its docstring run
without numpy. The directive `live-exercise NAME` shows the editor of an exercise with the text of
exercises/NAME_stub.py; the list in its body holds the hints, one an item. The pages load
_static/live/python.js on first use: Brython from its installed package, the modules of the paper,
the judge, and the vectors that `lmlir vectors` would write, all as strings.
"""

import ast
import builtins
import doctest
import functools
import html
import importlib
import importlib.util
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import docutils.nodes as nodes
import numpy as np
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude
from sphinx.util.docutils import SphinxDirective

from lmlir.ledger.map import PAPER_MODULES
from lmlir.oracle import vectors
from lmlir.oracle.interface import FUNCTIONS

BOOK = Path(__file__).resolve().parent.parent
PACKAGE = BOOK.parent / "reference" / "lmlir"
MAX_QUESTION_NUMBERS = 60  # larger questions are slow in the page and hard to read

# Two lines of Brython that fail in a worker made from a string and opened from disk, and on a
# generic named tuple.
BRYTHON_REPAIRS = [
    ("brython.js", 'console.log(Error().stack)\nthrow Error("not a url: "+url)', "return url"),
    ("brython_stdlib.js", "nm_tpl.__init_subclass__()", "pass"),
]
WITHOUT_NUMPY = """
import doctest, importlib, json, sys
sys.modules.update(dict.fromkeys(["numpy", "scipy"]))
finder, passed = doctest.DocTestFinder(recurse=False), {}
for name in sys.argv[1:]:
    try:
        module = importlib.import_module(f"lmlir.{name}")
    except ImportError:
        continue
    passed[name] = []
    for key, value in vars(module).items():
        if getattr(value, "__module__", None) == module.__name__ and callable(value):
            (test,) = finder.find(value, key, module, vars(module)) or [None]
            runner = doctest.DocTestRunner(verbose=False)
            if test and test.examples and not runner.run(test, out=lambda text: None).failed:
                passed[name].append(key)
print(json.dumps(passed))
"""


# ---------------------------------------------------------------------------------- what can be run


@functools.cache
def runnable() -> dict[str, list[str]]:
    """Return the modules of the paper that run without numpy, each with the functions whose
    examples run.
    """
    command = [sys.executable, "-c", WITHOUT_NUMPY, "scalars", *PAPER_MODULES]
    path = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=path, timeout=120
    )
    return dict(json.loads(done.stdout))


def examples_of(function: Any) -> list[tuple[str, str]]:
    """The examples of a docstring, as (expression, what it shows); a statement shows nothing,
    errors are left out.
    """
    found = doctest.DocTestParser().get_examples(inspect.getdoc(function) or "")
    return [
        (without_comment(each.source), each.want.strip()) for each in found if each.exc_msg is None
    ]


def without_comment(source: str) -> str:
    """One statement without the comment behind it.

    >>> without_comment("f(1)  # why")
    'f(1)'
    """
    return ast.get_source_segment(source, ast.parse(source).body[0]) or source


def origins(module: Any) -> dict[str, str]:
    """For every name that a module imports, the line that imports it."""
    lines = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ImportFrom):
            lines |= {
                alias.asname or alias.name: f"from {node.module} import {alias.name}"
                for alias in node.names
            }
        elif isinstance(node, ast.Import):
            lines |= {alias.asname or alias.name: f"import {alias.name}" for alias in node.names}
    return lines


def needed_imports(module: Any, sources: list[str]) -> list[str]:
    """Return the import lines of a module that these texts from it need to run on their own."""
    trees = [ast.parse(source) for source in sources]
    defined = {
        node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
    }
    used = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imported = origins(module)
    plain = set()
    grouped = {}
    for name in sorted(used - defined - set(dir(builtins))):
        line = imported.get(
            name, f"from {module.__name__} import {name}" if hasattr(module, name) else ""
        )
        if line.startswith("from"):
            grouped.setdefault(line.split()[1], []).append(name)
        elif line:
            plain.add(line)
    return sorted(plain) + [
        f"from {source} import {', '.join(names)}" for source, names in sorted(grouped.items())
    ]


def program(module: Any, name: str) -> str:
    """Return a function as a program of its own: its imports, its source, and its examples in
    `print` calls.
    """
    function = getattr(module, name)
    source = inspect.getsource(function).rstrip()
    examples = examples_of(function)
    shown = "\n".join(f"print({text})" if value else text for text, value in examples)
    imports = "\n".join(needed_imports(module, [source, shown]))
    if " | " in source.split('"""')[0]:
        imports = f"from __future__ import annotations\n\n{imports}"
    return f"{imports}\n\n\n{source}\n\n\n{shown}\n".lstrip()


# ---------------------------------------------------------------------------------------- exercises


def stub(name: str) -> Path:
    """The file of an exercise; its name is in the command that the page prints, and the reader's
    download has it, too.
    """
    return BOOK / "exercises" / f"{name}_stub.py"


def exercise_function(name: str) -> str:
    """The function of the subject interface that an exercise asks for: the one that its stub
    defines.
    """
    tree = ast.parse(stub(name).read_text(encoding="utf-8"))
    (found,) = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} & set(
        FUNCTIONS
    )
    return found


def size(value: Any) -> int:
    """Count the numbers in nested lists."""
    return sum(map(size, value)) if isinstance(value, list) else 1


@functools.cache
def all_vectors() -> dict[str, list[dict[str, Any]]]:
    """The vectors of `lmlir vectors`."""
    return vectors.collected()


def page_vectors(name: str) -> list[dict[str, Any]]:
    """The questions by which a page judges an exercise: small ones, those in the plane and without
    a special flag first.
    """

    def order(vector: dict[str, Any]) -> tuple[bool, bool]:
        points = vector["arguments"].get("X_i", vector["arguments"].get("X"))
        return len(points) == 0 or len(points[0]) != 2, bool(vector["flags"])

    small = [
        each
        for each in all_vectors()[exercise_function(name)]
        if size(list(each["arguments"].values())) <= MAX_QUESTION_NUMBERS
    ]
    kept = [
        {key: each[key] for key in ("why", "arguments", "allowed")}
        for each in sorted(small, key=order)
    ]
    if not kept:
        raise ValueError(f"the exercise {name} has no vector")
    return [*kept, rounding_question()] if name == "distances" else kept


@functools.cache
def rounding_question() -> dict[str, Any]:
    """A step in the null space of the metric: computed plainly, its squared length is below 0 by a
    rounding.
    """
    arguments = {
        "X_i": np.array([[0.3, 0.0]]),
        "X_j": np.array([[0.0, 0.1]]),
        "centers": np.zeros((0, 2)),
        "radii": np.zeros(0),
        "local_metrics": np.zeros((0, 2, 2)),
        "background_metric": np.array([[1.0, 3.0], [3.0, 9.0]]),
    }
    ((lower, upper),) = vectors.WritingChecker().allowed("distances", arguments)
    return {
        "why": "a step of length 0 in a singular metric",
        "arguments": {name: value.tolist() for name, value in arguments.items()},
        "allowed": [{"name": "D", "lower": lower.tolist(), "upper": upper.tolist()}],
    }


def example_call(name: str) -> str:
    """Return the call that the button Run shows for an exercise: its function on the first
    question.
    """
    arguments = page_vectors(name)[0]["arguments"].values()
    return f"{exercise_function(name)}({', '.join(map(repr, arguments))})"


# -------------------------------------------------------------------------------------------- nodes


class live(nodes.General, nodes.Element):
    """A live block: what is inside, then the editor with its buttons."""


class live_hint(nodes.General, nodes.Element):
    """One hint, closed until asked for."""


def block(
    name: str, code: str, data: dict[str, Any], children: list[nodes.Node], is_open: bool
) -> live:
    """A live block with these children, the code in its editor, and the data that its buttons
    need.
    """
    element = live("", *children)
    element["live"] = name
    element["code"] = code
    element["data"] = data
    element["is_open"] = is_open
    return element


def unique_name(env: Any, name: str) -> str:
    """The name of a live block, with a number where the page has one of that name."""
    used = env.temp_data.setdefault("live_names", [])
    used.append(name)
    count = used.count(name)
    return name if count == 1 else f"{name}-{count}"


class LiveInclude(LiteralInclude):
    """`literalinclude`, live where it shows one function of the paper that runs without numpy."""

    def run(self) -> list[nodes.Node]:
        """The listing, in a live block if it can be run."""
        shown = super().run()
        path = Path(self.env.relfn2path(self.arguments[0])[1]).resolve()
        name = self.options.get("pyobject", "")
        if path.parent != PACKAGE or name not in runnable().get(path.stem, []):
            return shown
        module = importlib.import_module(f"lmlir.{path.stem}")
        data = {"examples": examples_of(getattr(module, name))}
        return [
            block(
                unique_name(self.env, f"{path.stem}.{name}"),
                program(module, name),
                data,
                shown,
                is_open=False,
            )
        ]


class LiveExercise(SphinxDirective):
    """The editor of an exercise, and its hints."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The live block."""
        name = self.arguments[0]
        path = stub(name)
        self.env.note_dependency(str(path))
        data = {
            "exercise": name,
            "function": exercise_function(name),
            "example": example_call(name),
        }
        used = self.env.metadata[self.env.docname].setdefault("live_exercises", [])
        used.append(name)
        hints = self.hints()
        return [
            block(
                unique_name(self.env, name),
                path.read_text(encoding="utf-8"),
                data,
                hints,
                is_open=True,
            )
        ]

    def hints(self) -> list[live_hint]:
        """Return the items of the list in the body as hints."""
        body = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, body)
        items = list(body.findall(nodes.list_item))
        if not items:
            raise self.error("live-exercise needs a list with one hint per item")
        hints = [live_hint("", *item.children) for item in items]
        for number, hint in enumerate(hints, 1):
            hint["title"] = f"Hint {number} of {len(hints)}"
        return hints


BUTTONS = """<div class="live-buttons">
<button type="button" class="live-run">{run}</button>
<button type="button" class="live-check">Check</button>
<button type="button" class="live-stop" disabled>Stop</button>
<button type="button" class="live-reset">Reset</button>
{download}<span class="live-verdict" data-verdict="none" role="status" aria-live="polite"></span>
</div>
"""
DOWNLOAD = """<button type="button" class="live-download" data-file="{file}"
 title="Save the code above as {file}">
Download</button>
"""
EDITOR = """<div class="live-edit"><pre class="live-lines" aria-hidden="true"></pre>
<textarea class="live-editor"
 aria-label="Python code of {name}; Escape, then Tab leaves the editor"
 rows="{rows}" wrap="off" spellcheck="false"
 autocapitalize="off" autocomplete="off" autocorrect="off">
{code}</textarea></div>
"""
REST = '<pre class="live-output" hidden></pre>\n<div class="live-counterexample" hidden></div>\n'


def open_block(translator: Any, node: live) -> None:
    """The element, and for an exercise the editor before the hints."""
    data = node["data"]
    exercise = f' data-exercise="{data["exercise"]}"' if "exercise" in data else ""
    state = " live-open" if node["is_open"] else ""
    values = html.escape(json.dumps(data), quote=True)
    translator.body.append(
        f'<div class="live{state}" data-live="{node["live"]}"{exercise} data-values="{values}">\n'
    )
    if node["is_open"]:
        translator.body.append(editor(node))


def close_block(translator: Any, node: live) -> None:
    """For a definition the editor after its listing, then the end of the element."""
    if not node["is_open"]:
        translator.body.append(editor(node))
    translator.body.append("</div>\n")


def editor(node: live) -> str:
    """The editor, its buttons and the places for what comes out."""
    rows = min(len(node["code"].splitlines()) + 1, 34)
    text = EDITOR.format(name=node["live"], rows=rows, code=html.escape(node["code"]))
    exercise = node["data"].get("exercise")
    download = DOWNLOAD.format(file=stub(exercise).name) if exercise else ""
    return (
        text
        + BUTTONS.format(run="Run" if node["is_open"] else "Edit and run", download=download)
        + REST
    )


def open_hint(translator: Any, node: live_hint) -> None:
    """Open the element of a hint with its number."""
    translator.body.append(f'<details class="live-hint"><summary>{node["title"]}</summary>\n')


def close_hint(translator: Any, node: live_hint) -> None:
    """The end of the hint."""
    translator.body.append("</details>\n")


def nothing(translator: Any, node: nodes.Node) -> None:
    """Add nothing: formats other than HTML show only the listing."""


# ------------------------------------------------------------------------------------------ scripts


def brython_source(file: str) -> str:
    """A script of the installed package brython, with its repairs."""
    package = importlib.util.find_spec("brython")
    assert package is not None and package.origin is not None, "brython is not installed"
    text = (Path(package.origin).parent / "data" / file).read_text(encoding="utf-8")
    for where, old, new in BRYTHON_REPAIRS:
        if where == file:
            if text.count(old) != 1:
                raise ValueError(
                    f"{file} of brython has the line {old!r} {text.count(old)} times, not once"
                )
            text = text.replace(old, new)
    return text


NUMPY = (
    'raise ModuleNotFoundError("numpy does not run in the page; lmlir check runs files that '
    'use it")\n'
)
START = """
import json
import sys
from browser import self as worker
import live_judge

def receive(event):
    request = json.loads(event.data)
    def post(**message):
        worker.postMessage(json.dumps({"id": request["id"], **message}))
    post(started=True)
    post(answer=live_judge.answered(request, lambda number: post(progress=number)))

sys.path.clear()  # a page from disk can import only from memory
worker.onmessage = receive
worker.postMessage(json.dumps({"ready": True}))
"""


def virtual_files() -> dict[str, list[Any]]:
    """What Brython imports from memory, by name: the modules of the paper, the judge, and an error
    instead of numpy.
    """
    sources = {
        f"lmlir.{name}": (PACKAGE / f"{name}.py").read_text(encoding="utf-8") for name in runnable()
    }
    sources["live_judge"] = (BOOK / "_ext" / "live_judge.py").read_text(encoding="utf-8")
    files: dict[str, list[Any]] = {name: [".py", text, []] for name, text in sources.items()}
    files |= {name: [".py", NUMPY.replace("numpy", name, 1), []] for name in ("numpy", "scipy")}
    package = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    return {"lmlir": [".py", package, [], 1], **files}


def worker_source() -> str:
    """The whole program of the worker."""
    return "\n;\n".join(
        [
            brython_source("brython.js"),
            brython_source("brython_stdlib.js"),
            f"__BRYTHON__.update_VFS({json.dumps(virtual_files())})",
            f'__BRYTHON__.runPythonSource({json.dumps(START)}, "start")',
        ]
    )


def script(exercises: list[str]) -> str:
    """The script that a page loads on first use: the worker's program as a string, and the vectors
    of the exercises.
    """
    questions = {name: page_vectors(name) for name in exercises}
    return f"window.lmlirLive.receive({json.dumps(worker_source())}, {json.dumps(questions)});\n"


def write_script(app: Sphinx, error: Exception | None) -> None:
    """Write _static/live/python.js."""
    if error is not None or app.builder.format != "html":
        return
    exercises = sorted(
        {name for page in app.env.metadata.values() for name in page.get("live_exercises", [])}
    )
    folder = Path(app.outdir) / "_static" / "live"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "python.js").write_text(script(exercises), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives and the nodes."""
    app.add_directive("literalinclude", LiveInclude, override=True)
    app.add_directive("live-exercise", LiveExercise)
    others = dict.fromkeys(("latex", "text", "man", "texinfo"), (nothing, nothing))
    app.add_node(live, html=(open_block, close_block), **others)
    app.add_node(live_hint, html=(open_hint, close_hint), **others)
    app.connect("build-finished", write_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
