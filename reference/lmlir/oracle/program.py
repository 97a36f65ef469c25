"""The line protocol, version 1: drive a program in any language, and never wait for ever."""

from __future__ import annotations

import contextlib
import json
import math
import queue
import shlex
import subprocess
import threading
from typing import IO, Any, Self

import numpy as np

from lmlir.oracle.interface import FUNCTIONS, Arguments, near_misses, offers_nothing
from lmlir.oracle.separate import SHOWN, TIMEOUT, Patience, Separate
from lmlir.oracle.violations import CannotBeJudged, SubjectFailure

VERSION = 1
LINES = 8  # lines that wait to be read; a program that prints more has to wait
LONGEST_LINE = 1 << 26


def encoded(value: Any) -> Any:
    """Arrays as nested lists, and the numbers that JSON lacks as strings.

    >>> encoded(np.array([1.0, np.inf]))
    [1.0, 'Infinity']
    """
    if isinstance(value, np.ndarray):
        numbers = (value.astype(np.float64) if value.dtype.kind == "f" else value).tolist()
        return numbers if np.isfinite(value).all() else encoded(numbers)
    if isinstance(value, (list, tuple)):
        return [encoded(part) for part in value]
    if isinstance(value, (bool, str)) or value is None:
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    number = float(value)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return number


def decoded(value: Any) -> Any:
    """The inverse of `encoded`, as nested lists of numbers.

    >>> decoded([1, "-Infinity"])
    [1, -inf]
    """
    if isinstance(value, list):
        return [decoded(part) for part in value]
    if isinstance(value, str) and value in ("NaN", "Infinity", "-Infinity"):
        return float(value.replace("Infinity", "inf"))
    return value


class Program(Separate):
    """A program on the other side of the line protocol; restarted after a crash or a hang."""

    kind = "program"

    def __init__(self, command: str, timeout: float = TIMEOUT, patience: Patience | None = None) -> None:
        super().__init__(command, timeout, patience)
        self.line = command
        self.command = shlex.split(command)
        self.questions: queue.Queue[str | None] = queue.Queue()
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.asking = threading.RLock()
        self.number = 0
        self.language = ""
        try:
            hello = self._start()
        except SubjectFailure as failure:
            self.close()
            said = f" (it said: {failure.said})" if failure.said else ""
            raise CannotBeJudged(f"{command}: {failure.sentence}{said}") from failure
        self._greet(hello)

    def _greet(self, hello: dict[str, Any]) -> None:
        offers = hello.get("offers")
        problem = ""
        if hello.get("version") != VERSION:
            problem = f"it speaks version {hello.get('version')!r} of the line protocol, not {VERSION}"
        elif not isinstance(offers, list) or not all(isinstance(name, str) for name in offers):
            problem = f"its answer to start needs a list of names as offers, got {offers!r}"
        elif not set(offers) & set(FUNCTIONS):
            problem = f"it {offers_nothing(offers)}"
        if problem:
            self.close()
            raise CannotBeJudged(f"{shlex.join(self.command)}: {problem}")
        self.name = str(hello.get("name") or self.name)
        self.language = str(hello.get("language") or "")
        self.functions = {name: _unused for name in FUNCTIONS if name in (offers or ())}
        self.near_misses = near_misses(offers or (), self.functions)

    def fresh(self) -> Self:
        """The same program, started once more."""
        return type(self)(self.line, self.timeout, self.patience)

    def _start(self) -> dict[str, Any]:
        text = {"text": True, "encoding": "utf-8", "errors": "replace"}
        self._spawn(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **text)
        self.questions, self.lines = queue.Queue(), queue.Queue(maxsize=LINES)
        assert self.process is not None
        for work, stream, lines in (
            (_send_lines, self.process.stdin, self.questions),
            (_collect_lines, self.process.stdout, self.lines),
        ):
            threading.Thread(target=work, args=(stream, lines), daemon=True).start()
        return self._exchange({"call": "start", "version": VERSION})

    def ask(self, function: str, arguments: Arguments) -> Any:
        """The decoded result; raises `SubjectFailure` with what was said. One question at a time."""
        with self.asking:
            if not self.alive:
                self._restart()
            self._remember(function, arguments)
            self.number = number = self.number + 1
            given = {name: encoded(value) for name, value in arguments.items()}
            answer = self._exchange({"id": number, "call": function, "arguments": given})
        problem = ""
        if "id" not in answer or answer["id"] != number:
            problem = f"the program answered out of turn: question {number}, answer id {answer.get('id')!r}"
        elif "error" in answer:
            raise SubjectFailure(f"{function} answered with the error: {_short(str(answer['error']))}")
        elif "result" not in answer:
            problem = f"{function}: the answer has neither result nor error"
        if problem:
            self._stop()
            raise SubjectFailure(problem, said=_short(json.dumps(answer)), crashed=True)
        return decoded(answer["result"])

    def _exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        self._check_silence()
        self.questions.put(json.dumps(message, allow_nan=False) + "\n")
        try:
            line = self.lines.get(timeout=self.timeout)
        except queue.Empty:
            raise self._hung(self.timeout) from None
        if line is None:
            raise self._ended()
        try:
            answer = json.loads(line, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            self._stop()
            raise SubjectFailure(
                "the program printed a line that is not JSON", said=_short(line), crashed=True
            ) from None
        if not isinstance(answer, dict):
            self._stop()
            raise SubjectFailure(
                "the program answered with JSON that is not an object", said=_short(line), crashed=True
            )
        return answer

    def _check_silence(self) -> None:
        try:
            line = self.lines.get_nowait()
        except queue.Empty:
            return
        if line is None:
            self.lines.put(None)  # it has ended, which is told in place of the answer
            return
        self._stop()
        raise SubjectFailure("the program printed a line that nothing asked for", said=_short(line), crashed=True)

    def _stop(self) -> int | None:
        self.questions.put(None)  # ends the thread that writes to the program
        return super()._stop()

    def close(self) -> None:
        """Ask the program to stop, give it two seconds, then end it."""
        if self.alive:
            self.questions.put(json.dumps({"call": "stop"}) + "\n")
            self._wait(2.0)
        self._stop()


def start(command: str, timeout: float = TIMEOUT) -> Program:
    """Start a program that speaks the line protocol; raises `CannotBeJudged` when it does not."""
    if not shlex.split(command):
        raise CannotBeJudged("--command needs a program, got an empty string")
    return Program(command, timeout)


def _unused(*arguments: Any) -> Any:
    raise NotImplementedError("a program is asked through the line protocol")


def _send_lines(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    """In a thread of its own, because a program that does not read blocks who writes to it."""
    with contextlib.suppress(OSError, ValueError):
        while line := lines.get():
            stream.write(line)
            stream.flush()


def _collect_lines(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    with contextlib.suppress(OSError, ValueError, queue.Full):
        while line := stream.readline(LONGEST_LINE):
            lines.put(line, timeout=60.0)
        lines.put(None, timeout=60.0)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON; the line protocol writes it as a string")


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."
