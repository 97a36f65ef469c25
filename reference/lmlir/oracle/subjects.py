"""Subjects: load someone's module or file, ask its functions, and take whatever comes back with care."""

from __future__ import annotations

import contextlib
import io
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from lmlir.oracle import child
from lmlir.oracle.child import first_line, public_callables
from lmlir.oracle.interface import FUNCTIONS, Arguments, Shape, near_misses, offers_nothing
from lmlir.oracle.violations import Call, CannotBeJudged, SubjectFailure

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


class Held:
    """An answer that another process holds."""

    def look(self) -> Any:
        """What it is at this moment."""
        raise NotImplementedError

    def as_given(self) -> Any:
        """What it was when it was given; nothing, once it has been looked at."""
        return None

    def overwrite(self) -> None:
        """Write ones all over it."""
        raise NotImplementedError


class Subject:
    """An implementation under judgment: a name, the functions it offers, and a way to ask them.

    Of the other names that it has, those that look like a missing function of the interface are its near misses. A subject
    in a process of its own counts how often it is started and asked.
    """

    asked = 0
    starts = 0

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
            raise SubjectFailure(f"{function} raised {type(error).__name__}: {first_line(error)}") from error

    @property
    def given_up(self) -> str:
        """Why this subject is asked no more; subjects in another process may be given up."""
        return ""

    def fresh(self) -> Subject | None:
        """The same subject, asked nothing yet; none for a subject in this process."""
        return None

    def remembers(self) -> list[Call]:
        """What it was asked, as far as it remembers: nothing in this process."""
        return []

    def may_search(self) -> bool:
        """Whether to look for earlier calls on which an answer depends."""
        return False

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
    return Subject(name or str(getattr(module, "__name__", type(module).__name__)), found, public_callables(module))


def load(target: str) -> Subject:
    """The subject with this dotted module name, or in this `.py` file, in this very process: fast, for subjects of our own.

    Raises `CannotBeJudged` with the reason. To judge somebody else's, use `lmlir.oracle.module.start`.
    """
    try:
        with _quiet():
            module = child.load(target)
    except child.NotLoadable as problem:
        raise CannotBeJudged(str(problem)) from problem
    except (Exception, SystemExit) as error:
        raise CannotBeJudged(f"importing {target} raised {type(error).__name__}: {first_line(error)}") from error
    subject = from_module(module, name=target)
    if not subject.offers:
        raise CannotBeJudged(f"{target} {offers_nothing(public_callables(module))}")
    return subject


def numbers(function: str, answer: Any, arguments: Arguments, only: int | None = None) -> tuple[np.ndarray, ...]:
    """The answer as float64 arrays of the right shapes, copied; raises `SubjectFailure` that says what is wrong.

    NaN is wrong, in the array that alone is asked for, or in any.
    """
    if isinstance(answer, Held):
        answer = answer.look()
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
        sentence = f"{function} must return {len(shapes)} arrays, got {told}"
        raise SubjectFailure(sentence, said=_shown(answer), answered=True)
    named = enumerate(zip(interface.answers, parts, shapes, strict=True))
    return tuple(_array(function, *each, nan=only not in (None, k)) for k, each in named)


def overwrite(answer: Any) -> None:
    """Write ones all over an answer: it belongs to whoever asked."""
    answer.overwrite() if isinstance(answer, Held) else child.overwrite_answer(answer)


def in_single(answer: Any) -> bool:
    """Whether an answer, or a part of it, came in float32."""
    answer = answer.as_given() if isinstance(answer, Held) else answer
    parts = answer if isinstance(answer, (tuple, list)) and len(answer) <= 4 else (answer,)
    return any(getattr(part, "dtype", None) == np.float32 for part in parts)


def _array(function: str, name: str, answer: Any, shape: Shape, nan: bool = False) -> np.ndarray:
    def failure(what: str, nan_at: tuple[int, ...] = ()) -> SubjectFailure:
        """The failure to return what is due, with what was returned instead."""
        return SubjectFailure(f"{function} returned {what}", said=_shown(answer), answered=True, nan_at=nan_at)

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
    if not nan and np.isnan(array).any():
        place = [int(i) for i in np.argwhere(np.isnan(array))[0]]
        where = ", ".join(map(str, place))
        part = FUNCTIONS[function].answers.index(name)
        raise failure(f"NaN for {name}{f'[{where}]' if where else ''}", (part, *place))
    return array


def _shown(answer: Any) -> str:
    try:
        text = repr(answer)
    except Exception:
        text = f"<{type(answer).__name__}>"
    return text if len(text) <= 400 else text[:400] + "..."
