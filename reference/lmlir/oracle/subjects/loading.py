"""Import the Python module of a subject, by its dotted name or its file."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from lmlir.oracle.subjects.failures import CannotBeJudged
from lmlir.oracle.subjects.local import frames, in_words

# for a sentence that shows how to start a program, by the end of its name
INTERPRETERS = {
    ".jl": "julia",
    ".js": "node",
    ".mjs": "node",
    ".r": "Rscript",
    ".rb": "ruby",
    ".sh": "sh",
}


def is_path(target: str) -> bool:
    """Whether a subject is given by its file rather than by a dotted name."""
    return target.endswith(".py") or "/" in target or "\\" in target


def load_module(target: str) -> Any:
    """Import a module by its dotted name or its file; raises `CannotBeJudged` with the reason if
    that fails.
    """
    try:
        return _module_from_file(Path(target)) if is_path(target) else _module_by_name(target)
    except CannotBeJudged:
        raise
    except (Exception, SystemExit) as error:
        sentence = f"importing {target} raised {in_words(error)}"
        raise CannotBeJudged(sentence, frames(error)) from error


def public_callables(module: Any) -> list[str]:
    """Return the names of what can be called in a module, without those that begin with an
    underscore.
    """
    return [
        name
        for name in list(vars(module))
        if not name.startswith("_") and callable(getattr(module, name, None))
    ]


def _module_name(path: Path) -> str:
    """Return the name under which a file is imported: its own, unless another module has it.

    >>> _module_name(Path("somewhere/fast.py")), _module_name(Path("somewhere/queue.py"))
    ('fast', 'lmlir_subject_queue')
    """
    present = sys.modules.get(path.stem)
    taken = present is not None and getattr(present, "__file__", None) != str(path)
    return (
        f"lmlir_subject_{path.stem}" if taken or path.stem in sys.stdlib_module_names else path.stem
    )


def _module_from_file(path: Path) -> Any:
    if not path.is_file():
        raise CannotBeJudged(
            f"{path} is not a file" if path.exists() else f"there is no file {path}"
        )
    given = path
    path = path.resolve()
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise _not_python(given)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        # for good: the subject may import more when it is called
        sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _not_python(path: Path) -> CannotBeJudged:
    """Return the error for a file that is not a module: it may be a program."""
    command = "PROGRAM ARGUMENTS"
    interpreter = INTERPRETERS.get(path.suffix.lower())
    if interpreter:
        command = f"{interpreter} {path}"
    elif os.access(path, os.X_OK):
        command = str(path if path.parent.name or path.is_absolute() else f"./{path}")
    advice = f"for a program use --command, as in --command '{command}'"
    return CannotBeJudged(f"{path} is not a Python file; {advice}")


def _module_by_name(name: str) -> Any:
    folder = str(Path.cwd())
    if name[:1] in ("", "."):
        raise CannotBeJudged(f"there is no module {name}")
    if folder not in sys.path:
        sys.path.append(folder)  # for good: the subject may import more when it is called
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            # not a module that the subject imports
            if Path(name).is_file():
                raise _not_python(Path(name)) from error
            raise CannotBeJudged(f"there is no module {error.name}") from error
        raise
