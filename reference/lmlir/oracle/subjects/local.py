"""Subjects made of functions in this process, and what is done with functions in either process."""

from __future__ import annotations

import contextlib
import inspect
import io
import linecache
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
from lmlir.oracle.subjects.messages import first_lines, shortened

# The files that are not a subject's: generated code, installed packages, the standard library, and
# this package.
STANDARD_LIBRARY = re.escape(os.path.dirname(os.__file__))
PACKAGE = re.escape(str(Path(__file__).parents[2]))
FOREIGN = re.compile(f"<|.*-packages|{STANDARD_LIBRARY}|{PACKAGE}")
MAX_NAME = 100  # characters of a file's name, which a subject chooses
MAX_FRAMES = 5  # of a traceback


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
        output = io.StringIO()
        try:
            with quiet(output):
                return unrolled(self.functions[function](*arguments.values()))
        except (Exception, SystemExit) as error:
            own = own_code(inspect.getmodule(self.functions[function]))
            sentence = f"{function} raised {in_words(error, own)}"
            raise SubjectFailure(sentence, frames=frames(error, own)) from error
        finally:
            text = output.getvalue()
            self.printed = first_lines(text, len(text))


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
        for file, line, _ in _own_frames(error, own)[-1:]:
            place = f" in {_base_name(file)}:{line}"
        text = str(error).strip().partition("\n")[0][:300]
    return f"{type(error).__name__}{place}: {text or '(no message)'}"


def frames(error: BaseException, own: str = "") -> list[str]:
    """Return the last frames of the traceback that are in the subject's code, innermost last.

    ``mine.py:2 in distances: return 1 / 0``
    """
    shown = []
    with contextlib.suppress(Exception):  # as above
        for file, line, function in _own_frames(error, own)[-MAX_FRAMES:]:
            source = linecache.getline(file, line).strip()
            shown.append(shortened(f"{_base_name(file)}:{line} in {function}: {source}"))
        if isinstance(error, SyntaxError):
            source = (error.text or "").strip()
            shown.append(shortened(f"{_base_name(error.filename)}:{error.lineno}: {source}"))
    return shown[-MAX_FRAMES:]


def _own_frames(error: BaseException, own: str) -> list[tuple[str, int, str]]:
    """Return the file, the line and the function of each frame that is in the subject's code."""
    own_frames = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if (own and file.startswith(own)) or not FOREIGN.match(file):
            own_frames.append((file, line, frame.f_code.co_name))
    return own_frames


def _base_name(file: str | None) -> str:
    return os.path.basename(file or "")[-MAX_NAME:]


@contextlib.contextmanager
def quiet(output: io.StringIO | None = None) -> Iterator[None]:
    """Ignore warnings, and keep what is printed in `output`, or discard it."""
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(output or io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


# ---- loading ----
