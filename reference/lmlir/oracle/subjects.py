"""Subjects: load someone's module or file, ask its functions, and take whatever comes back with care."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lmlir.oracle.interface import FUNCTIONS, Arguments, Shape, near_misses, offers_nothing
from lmlir.oracle.violations import CannotBeJudged, SubjectFailure

LONGEST_CALL = 60.0


class _Late(BaseException):
    """A function of the subject takes too long; not an Exception, so that the subject does not catch it."""


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without warnings, and with what the subject prints thrown away."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `_Late` after some seconds, where the system has such a clock and nobody else uses it."""
    possible = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not possible or signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ring(number: int, frame: Any) -> None:
    raise _Late


class Subject:
    """An implementation under judgment: a name, the functions it offers, and a way to ask them.

    Of the other names that it has, those that look like a missing function of the interface are its near misses.
    """

    def __init__(self, name: str, functions: Mapping[str, Callable[..., Any]], others: Iterable[str] = ()) -> None:
        self.name = name
        self.functions = {key: functions[key] for key in FUNCTIONS if key in functions}
        self.near_misses = near_misses(others, self.functions)

    @property
    def offers(self) -> list[str]:
        """The names of the interface functions that the subject offers, in the order of the interface."""
        return list(self.functions)

    def ask(self, function: str, arguments: Arguments) -> Any:
        """The raw answer; raises `SubjectFailure` when there is none."""
        try:
            with _quiet(), _time_limit(LONGEST_CALL):
                answer = self.functions[function](*arguments.values())
                return tuple(answer) if hasattr(answer, "__next__") else answer
        except _Late:
            late = f"{function} gave no answer within {LONGEST_CALL:g} seconds"
            raise SubjectFailure(late, final=True) from None
        except (Exception, SystemExit) as error:
            raise SubjectFailure(f"{function} raised {type(error).__name__}: {_first_line(error)}") from error

    def close(self) -> None:
        """Nothing to end; subjects in another process end it here."""


def from_functions(functions: Mapping[str, Callable[..., Any]], name: str = "functions") -> Subject:
    """A subject made of the given functions, by their interface names."""
    unknown = sorted(set(functions) - set(FUNCTIONS))
    if unknown:
        raise CannotBeJudged(f"the subject interface has no function {', '.join(unknown)}")
    return Subject(name, functions)


def from_module(module: Any, name: str | None = None) -> Subject:
    """A subject made of the interface functions that a module (or any object) has."""
    found = {key: getattr(module, key) for key in FUNCTIONS if callable(getattr(module, key, None))}
    return Subject(name or str(getattr(module, "__name__", type(module).__name__)), found, _public_callables(module))


def _public_callables(module: Any) -> list[str]:
    return [name for name in vars(module) if not name.startswith("_") and callable(getattr(module, name, None))]


def load(target: str) -> Subject:
    """The subject with this dotted module name, or in this `.py` file; raises `CannotBeJudged` with the reason."""
    try:
        with _quiet():
            module = _module_from_file(Path(target)) if _is_a_path(target) else _module_by_name(target)
    except CannotBeJudged:
        raise
    except (Exception, SystemExit) as error:
        raise CannotBeJudged(f"importing {target} raised {type(error).__name__}: {_first_line(error)}") from error
    subject = from_module(module, name=target)
    if not subject.offers:
        raise CannotBeJudged(f"{target} {offers_nothing(_public_callables(module))}")
    return subject


def _is_a_path(target: str) -> bool:
    return target.endswith(".py") or "/" in target or "\\" in target


def _module_from_file(path: Path) -> Any:
    if not path.is_file():
        raise CannotBeJudged(f"there is no file {path}")
    name = f"lmlir_subject_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CannotBeJudged(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # to stay: the subject may import more when it is called
    spec.loader.exec_module(module)
    return module


def _module_by_name(name: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # to stay: the subject may import more when it is called
    if name not in sys.modules:
        _check_there_is(name)
    return importlib.import_module(name)


def _check_there_is(name: str) -> None:
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        prefix = ".".join(parts[:end])
        try:
            spec = importlib.util.find_spec(prefix)
        except (ValueError, ModuleNotFoundError):
            spec = None
        if spec is None:
            raise CannotBeJudged(f"there is no module {prefix}")


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:300] if text else "(no message)"


def numbers(function: str, answer: Any, arguments: Arguments) -> tuple[np.ndarray, ...]:
    """The answer as float64 arrays of the right shapes, copied; raises `SubjectFailure` that says what is wrong."""
    interface = FUNCTIONS[function]
    shapes = interface.shapes(arguments)
    if interface.single:
        return (_array(function, interface.answers[0], answer, shapes[0]),)
    try:
        parts = [answer[index] for index in range(len(answer))] if hasattr(answer, "__getitem__") else list(answer)
    except Exception:
        parts = [answer]
    if isinstance(answer, dict) or len(parts) != len(shapes):
        told = "a dictionary" if isinstance(answer, dict) else f"{len(parts)}"
        raise SubjectFailure(f"{function} must return {len(shapes)} arrays, got {told}", said=_shown(answer))
    return tuple(
        _array(function, name, part, shape) for name, part, shape in zip(interface.answers, parts, shapes, strict=True)
    )


def _array(function: str, name: str, answer: Any, shape: Shape) -> np.ndarray:
    def failure(what: str) -> SubjectFailure:
        return SubjectFailure(f"{function} returned {what}", said=_shown(answer))

    if answer is None:
        raise failure(f"None for {name}")
    try:
        array = np.array(answer)
        array = array.astype(np.float64) if array.dtype == object else array
    except Exception as error:
        raise failure(f"for {name} what is no array of numbers") from error
    if array.size == 0 and 0 in shape:
        return np.zeros(shape)
    if array.dtype.kind not in "fiu":
        raise failure(f"for {name} values of type {array.dtype}, not numbers")
    if array.shape != shape:
        raise failure(f"for {name} the shape {array.shape} in place of {shape}")
    array = array.astype(np.float64)
    if np.isnan(array).any():
        where = ", ".join(str(int(i)) for i in np.argwhere(np.isnan(array))[0])
        raise failure(f"NaN for {name}{f'[{where}]' if where else ''}")
    return array


def _shown(answer: Any) -> str:
    try:
        text = repr(answer)
    except Exception:
        text = f"<{type(answer).__name__}>"
    return text if len(text) <= 400 else text[:400] + "..."
