"""Subjects made of functions in this process, and what is done with functions in either process."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import SubjectFailure

# The files that are not a subject's: generated code, installed packages, the standard library, and
# this package.
STANDARD_LIBRARY = re.escape(os.path.dirname(os.__file__))
PACKAGE = re.escape(str(Path(__file__).parents[2]))
FOREIGN = re.compile(f"<|.*-packages|{STANDARD_LIBRARY}|{PACKAGE}")
MAX_NAME = 100  # characters of a file's name, which a subject chooses


class LocalSubject(Subject):
    """A subject made of functions in this process: fast, without protection, and for our own
    subjects only.
    """

    def __init__(
        self,
        name: str,
        functions: Mapping[str, Callable[..., Any]],
        others: Sequence[str] = (),
    ) -> None:
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
    """Return the file of a module or, if it belongs to a package, the folder; '' if it has no
    file.
    """
    file = str(getattr(module, "__file__", None) or "")
    return os.path.dirname(file) if getattr(module, "__package__", None) else file


def in_words(error: BaseException, own: str = "") -> str:
    """Return the type of an error, the line of the subject's code that raised it, and the first
    line of its message.

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
    """Return the last line of the traceback that is in the subject's code, as in " in mine.py:2",
    or ''.
    """
    lines = [
        (frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    for file, line in reversed(lines):
        if (own and file.startswith(own)) or not FOREIGN.match(file):
            return f" in {os.path.basename(file)[-MAX_NAME:]}:{line}"
    return ""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Ignore warnings and discard what is printed."""
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


# ---- loading ----
