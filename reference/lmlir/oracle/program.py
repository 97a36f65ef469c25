"""The line protocol, version 1: drive a program in any language, and never wait for ever."""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import shlex
import subprocess
import tempfile
import threading
from typing import IO, Any

import numpy as np

from lmlir.oracle.interface import FUNCTIONS, Arguments, near_misses, offers_nothing
from lmlir.oracle.subjects import Subject
from lmlir.oracle.violations import CannotBeJudged, SubjectFailure

VERSION = 1
SHOWN = 300
STARTS = 25
HANGS = 3
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


class Program(Subject):
    """A program on the other side of the line protocol; restarted after a crash or a hang."""

    def __init__(self, command: str, timeout: float = 10.0) -> None:
        super().__init__(command, {})
        self.command = shlex.split(command)
        self.timeout = timeout
        self.starts = 0
        self.hangs = 0
        self.process: subprocess.Popen[str] | None = None
        self.questions: queue.Queue[str | None] = queue.Queue()
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.stderr = _temporary_file()
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

    def _start(self) -> dict[str, Any]:
        self.starts += 1
        if self.starts > STARTS or self.hangs >= HANGS:
            times = f"hung {self.hangs} times" if self.hangs >= HANGS else f"had to be started {STARTS} times"
            raise SubjectFailure(f"the program {times} and is not started again", final=True)
        self.questions.put(None)  # ends the thread that wrote to the program before
        self.questions, self.lines = queue.Queue(), queue.Queue(maxsize=1000)
        self.stderr.close()
        self.stderr = _temporary_file()
        try:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.stderr,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            raise SubjectFailure(f"the program cannot be started: {error.strerror or error}") from error
        for work, stream, lines in (
            (_send_lines, self.process.stdin, self.questions),
            (_collect_lines, self.process.stdout, self.lines),
        ):
            threading.Thread(target=work, args=(stream, lines), daemon=True).start()
        return self._exchange({"call": "start", "version": VERSION})

    def ask(self, function: str, arguments: Arguments) -> Any:
        """The decoded result; raises `SubjectFailure` with what was said."""
        if self.process is None or self.process.poll() is not None:
            self._start()
        self.number += 1
        question = {"id": self.number, "call": function, "arguments": {k: encoded(v) for k, v in arguments.items()}}
        answer = self._exchange(question)
        if "id" not in answer or answer["id"] != self.number:
            self._stop()
            raise SubjectFailure(
                f"the program answered out of turn: question {self.number}, answer id {answer.get('id')!r}",
                said=_short(json.dumps(answer)),
            )
        if "error" in answer:
            raise SubjectFailure(f"{function} answered with the error: {_short(str(answer['error']))}")
        if "result" not in answer:
            self._stop()
            raise SubjectFailure(
                f"{function}: the answer has neither result nor error", said=_short(json.dumps(answer))
            )
        return decoded(answer["result"])

    def _exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        self._check_silence()
        self.questions.put(json.dumps(message, allow_nan=False) + "\n")
        try:
            line = self.lines.get(timeout=self.timeout)
        except queue.Empty:
            self.hangs += 1
            self._stop()
            told = f"the program gave no answer within {self.timeout:g} seconds and was ended"
            raise SubjectFailure(told, final=True) from None
        if line is None:
            raise SubjectFailure(f"the program ended{self._status()} without an answer", said=self._last_words())
        try:
            answer = json.loads(line, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            self._stop()
            raise SubjectFailure("the program printed a line that is not JSON", said=_short(line)) from None
        if not isinstance(answer, dict):
            self._stop()
            raise SubjectFailure("the program answered with JSON that is not an object", said=_short(line))
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
        raise SubjectFailure("the program printed a line that nothing asked for", said=_short(line))

    def _status(self) -> str:
        if self.process is None:
            return ""
        try:
            return f" with status {self.process.wait(timeout=1.0)}"
        except subprocess.TimeoutExpired:
            self._stop()
            return " its output"

    def _last_words(self) -> str:
        """The end of what the program wrote to stderr: a file cannot fill up and block it, as a pipe would."""
        size = self.stderr.seek(0, os.SEEK_END)
        self.stderr.seek(max(0, size - SHOWN))
        return self.stderr.read().decode("utf-8", errors="replace").strip()

    def _stop(self) -> None:
        process, self.process = self.process, None
        self.questions.put(None)
        if process is None:
            return
        if process.poll() is None:
            process.kill()
        try:
            process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            return
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError, ValueError):
                if stream is not None:
                    stream.close()

    def close(self) -> None:
        """Ask the program to stop, give it two seconds, then end it."""
        if self.process is not None and self.process.poll() is None:
            self.questions.put(json.dumps({"call": "stop"}) + "\n")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=2.0)
        self._stop()


def start(command: str, timeout: float = 10.0) -> Program:
    """Start a program that speaks the line protocol; raises `CannotBeJudged` when it does not."""
    if not shlex.split(command):
        raise CannotBeJudged("--command needs a program, got an empty string")
    return Program(command, timeout)


def _temporary_file() -> IO[bytes]:
    return tempfile.TemporaryFile()


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
