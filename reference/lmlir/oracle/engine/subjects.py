"""Subjects: the interface through which laws ask an implementation, and subjects made of functions in this process."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import io
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle.violations import Call, CannotBeJudged, SubjectFailure

# The files that are not a subject's: generated code, installed packages, the standard library, and this package.
FOREIGN = re.compile(
    f"<|.*-packages|{re.escape(os.path.dirname(os.__file__))}|{re.escape(str(Path(__file__).parents[2]))}"
)
MAX_NAME = 100  # characters of a file's name, which a subject chooses


class Subject:
    """An implementation under judgment: its name, the functions it offers, and a way to ask them.

    `others` are further public names that it has. A subject in another process counts its starts and its questions.
    """

    command: Sequence[str] = ()  # of a program that speaks the line protocol
    starts = 0
    asked = 0

    def __init__(self, name: str, offers: Iterable[str], others: Iterable[str] = ()) -> None:
        self.name, self.offers, self.others = name, list(offers), list(others)

    def ask(self, function: str, arguments: Mapping[str, Any]) -> Any:
        """Return the answer; raises `SubjectFailure` when there is none."""
        raise NotImplementedError

    @property
    def given_up(self) -> str:
        """Why the subject will not be restarted, or '' if it may be."""
        return ""

    def fresh(self) -> Subject | None:
        """Return the same subject in a new process, or None for a subject that has no process of its own."""
        return None

    def remembers(self) -> list[Call]:
        """Return the questions put to the present process; none are recorded in this one."""
        return []

    def may_search(self) -> bool:
        """Whether another search among earlier calls is allowed. Each call of this method uses one up."""
        return False

    def close(self) -> None:
        """End the process of the subject, if it has one."""


class LocalSubject(Subject):
    """A subject made of functions in this process: fast, without protection, and for our own subjects only."""

    def __init__(self, name: str, functions: Mapping[str, Callable[..., Any]], others: Sequence[str] = ()) -> None:
        super().__init__(name, functions, others)
        self.functions = functions

    def ask(self, function: str, arguments: Mapping[str, Any]) -> Any:
        """Call the function; raises `SubjectFailure` when it raises."""
        try:
            with quiet():
                return unrolled(self.functions[function](*arguments.values()))
        except (Exception, SystemExit) as error:
            own = own_code(inspect.getmodule(self.functions[function]))
            raise SubjectFailure(f"{function} raised {in_words(error, own)}") from error


def unrolled(answer: Any) -> Any:
    """Return an answer, with the values of an iterator in a tuple."""
    return tuple(answer) if hasattr(answer, "__next__") else answer


def write_ones(answer: Any) -> None:
    """Write ones into all writable arrays of an answer: it belongs to the caller.

    >>> kept = np.zeros(2)
    >>> write_ones((kept, 0.5))
    >>> kept
    array([1., 1.])
    """
    for part in answer if isinstance(answer, (list, tuple)) else (answer,):
        if isinstance(part, np.ndarray) and part.flags.writeable:
            part[...] = 1


def own_code(module: Any) -> str:
    """Return the file of a module or, if it belongs to a package, the folder; '' if it has no file."""
    file = str(getattr(module, "__file__", None) or "")
    return os.path.dirname(file) if getattr(module, "__package__", None) else file


def in_words(error: BaseException, own: str = "") -> str:
    """Return the type of an error, the line of the subject's code that raised it, and the first line of its message.

    The subject's code is the file or folder `own`, and whatever is not installed.

    >>> in_words(ValueError("too far"))
    'ValueError: too far'
    """
    place = text = ""
    with contextlib.suppress(Exception):  # the subject may have written these methods
        place = _place(error, own)
        text = str(error).strip().partition("\n")[0][:300]
    return f"{type(error).__name__}{place}: {text or '(no message)'}"


def _place(error: BaseException, own: str) -> str:
    """Return the last line of the traceback that is in the subject's code, as in " in mine.py:2", or ''."""
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    for file, line in reversed(lines):
        if (own and file.startswith(own)) or not FOREIGN.match(file):
            return f" in {os.path.basename(file)[-MAX_NAME:]}:{line}"
    return ""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Ignore warnings and discard what is printed."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


# ---- loading ----


def is_path(target: str) -> bool:
    """Whether a subject is given by its file rather than by a dotted name."""
    return target.endswith(".py") or "/" in target or "\\" in target


def load_module(target: str) -> Any:
    """Import a module by its dotted name or its file; raises `CannotBeJudged` with the reason if that fails."""
    try:
        return _module_from_file(Path(target)) if is_path(target) else _module_by_name(target)
    except CannotBeJudged:
        raise
    except (Exception, SystemExit) as error:
        raise CannotBeJudged(f"importing {target} raised {in_words(error)}") from error


def public_callables(module: Any) -> list[str]:
    """Return the names of what can be called in a module, without those that begin with an underscore."""
    return [name for name in list(vars(module)) if not name.startswith("_") and callable(getattr(module, name, None))]


def _module_name(path: Path) -> str:
    """Return the name under which a file is imported: its own, unless another module has it.

    >>> _module_name(Path("somewhere/fast.py")), _module_name(Path("somewhere/queue.py"))
    ('fast', 'lmlir_subject_queue')
    """
    present = sys.modules.get(path.stem)
    taken = present is not None and getattr(present, "__file__", None) != str(path)
    return f"lmlir_subject_{path.stem}" if taken or path.stem in sys.stdlib_module_names else path.stem


def _module_from_file(path: Path) -> Any:
    if not path.is_file():
        raise CannotBeJudged(f"{path} is not a file" if path.exists() else f"there is no file {path}")
    path = path.resolve()
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CannotBeJudged(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))  # for good: the subject may import more when it is called
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _module_by_name(name: str) -> Any:
    folder = str(Path.cwd())
    if name[:1] in ("", "."):
        raise CannotBeJudged(f"there is no module {name}")
    if folder not in sys.path:
        sys.path.append(folder)  # for good: the subject may import more when it is called
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):  # not a module that the subject imports
            raise CannotBeJudged(f"there is no module {error.name}") from error
        raise
