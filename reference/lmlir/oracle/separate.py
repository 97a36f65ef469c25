"""Subjects in a process of their own: started, watched, ended with all that they started, and started again, up to a point."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any, Self

import numpy as np

from lmlir.oracle.interface import Arguments
from lmlir.oracle.subjects import Subject
from lmlir.oracle.violations import Call, CannotBeJudged, SubjectFailure

STARTS = 25
HANGS = 3
SEARCHES = 3
TIMEOUT = 30.0  # seconds for an answer
START_TIMEOUT = 60.0  # and for the start, in which compilers and large packages are loaded
SHOWN = 300
TAIL = 8000  # bytes of output that are kept
REMEMBERED = 64 << 20  # bytes of earlier questions


@dataclass
class Patience:
    """How often a subject has hung, in all its processes together, and how often its earlier calls were searched: each
    time costs many seconds.
    """

    hangs: int = 0
    searches: int = 0


class Noise:
    """What a process writes to an output that nobody reads: taken off its hands, and only the end kept."""

    def __init__(self) -> None:
        reader, self.writer = os.pipe()
        self.tail = b""
        self.thread = threading.Thread(target=self._drain, args=(reader,), daemon=True)
        self.thread.start()

    def _drain(self, reader: int) -> None:
        with open(reader, "rb", buffering=0) as stream, contextlib.suppress(OSError):
            while block := stream.read(1 << 16):
                self.tail = (self.tail + block)[-TAIL:]

    def close(self) -> None:
        """Give up the end for writing; the process has its own."""
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def last_words(self) -> str:
        """The end of what was written, once the process has ended."""
        self.close()
        self.thread.join(0.5)
        text = self.tail.decode("utf-8", errors="replace").strip()
        _, fatal, dump = text.partition("Fatal Python error: ")
        return _in_short(dump) if fatal else text[-SHOWN:]


def _in_short(dump: str) -> str:
    """What Python says when it crashes, without the lines that are not the subject's.

    >>> _in_short('Segmentation fault\\n\\nThread 1:\\n  File "fast.py", line 2 in f\\n  File "oracle/child.py", line 9 in ask')
    'Segmentation fault: File "fast.py", line 2 in f'
    """
    first, *lines = dump.splitlines()
    files = [line.strip() for line in lines if line.strip().startswith("File ") and "oracle/child.py" not in line]
    return ": ".join([first.strip(), *[", ".join(files)] * bool(files)])[:SHOWN]


class Separate(Subject):
    """A subject in another process. It remembers what it was asked since that process was started."""

    kind = "subject"

    def __init__(self, name: str, timeout: float = TIMEOUT, patience: Patience | None = None) -> None:
        super().__init__(name, {})
        self.timeout = timeout
        self.patience = patience or Patience()
        self.starts = 0
        self.lost = ""
        self.process: subprocess.Popen[Any] | None = None
        self.noise = Noise()
        self.noise.close()
        self.history: deque[Call] = deque()
        self.remembered = 0
        self.asked = 0

    @property
    def given_up(self) -> str:
        """Why no process is started any more; empty while there is hope."""
        if self.patience.hangs >= HANGS:
            return f"the {self.kind} hung {self.patience.hangs} times and is not started again"
        if self.starts >= STARTS and not self.alive:
            return f"the {self.kind} had to be started {self.starts} times and is not started again"
        return self.lost

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self.process is not None and not _over(self.process)

    def remembers(self) -> list[Call]:
        """What its process was asked."""
        return list(self.history)

    def may_search(self) -> bool:
        """Whether there is patience for a search among earlier calls; it is used up by asking."""
        self.patience.searches += 1
        return self.patience.searches <= SEARCHES

    def fresh(self) -> Self:
        """The same subject in a new process, which has been asked nothing yet; hangs are counted together."""
        raise NotImplementedError

    def _spawn(self, command: Sequence[str], stdin: int, stdout: int | None = None, **options: Any) -> None:
        """Start a process in a session of its own; raises `SubjectFailure` when there has been enough of them.

        An output that is not given goes where errors go: the end of it is what the subject said last.
        """
        self._stop()
        if self.given_up:
            raise SubjectFailure(self.given_up, final=True)
        self.starts += 1
        self.history.clear()
        self.remembered = 0
        self.noise = Noise()
        options |= {
            "stdin": stdin,
            "stdout": self.noise.writer if stdout is None else stdout,
            "stderr": self.noise.writer,
        }
        try:
            self.process = subprocess.Popen(command, start_new_session=os.name == "posix", **options)
        except (OSError, ValueError) as error:
            told = getattr(error, "strerror", None) or error
            raise SubjectFailure(f"the {self.kind} cannot be started: {told}", final=True) from error
        finally:
            self.noise.close()

    def _start(self) -> dict[str, Any]:
        """Start the process and hear what it offers."""
        raise NotImplementedError

    def _restart(self) -> None:
        """Start it once more; a subject that can no longer be started is lost."""
        try:
            self._start()
        except (SubjectFailure, CannotBeJudged) as problem:
            self._stop()
            if isinstance(problem, SubjectFailure) and problem.final:
                raise
            self.lost = f"the {self.kind} cannot be started again: {problem}"
            raise SubjectFailure(self.lost, final=True) from problem

    def _hung(self, seconds: float) -> SubjectFailure:
        """End the process, which gave no answer in time."""
        self.patience.hangs += 1
        self._stop()
        told = f"the {self.kind} gave no answer within {seconds:g} seconds and was ended"
        return SubjectFailure(told, final=True)

    def _ended(self) -> SubjectFailure:
        """What there is to say of a process that ended, or closed its output, in place of an answer."""
        told = f"the {self.kind} closed its output without an answer"
        ended = self._wait(1.0)
        status = self._stop()
        if ended and status is not None:
            told = f"the {self.kind} ended with status {_status(status)} without an answer"
        return SubjectFailure(told, said=self.noise.last_words(), crashed=True)

    def _wait(self, seconds: float) -> bool:
        """Whether the process ends by itself in some seconds."""
        end = time.monotonic() + seconds
        while self.alive and time.monotonic() < end:
            time.sleep(0.01)
        return not self.alive

    def _stop(self) -> int | None:
        """Kill the process and its group, and return its exit status.

        The group goes first: as long as nobody took note of its leader's end, no other group can have its number.
        """
        process, self.process = self.process, None
        self.noise.close()
        if process is None:
            return None
        if os.name == "posix" and process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()  # does nothing where its end is known
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5.0)
        for stream in (process.stdin, process.stdout):
            _close(stream)
        return process.returncode

    def _remember(self, function: str, arguments: Arguments) -> Call:
        """Keep a question, and forget the oldest where they fill too much memory."""
        kept = {name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in arguments.items()}
        self.asked += 1
        call = Call(function, kept, number=self.asked)
        self.history.append(call)
        self.remembered += _size(call)
        while self.remembered > REMEMBERED:
            self.remembered -= _size(self.history.popleft())
        return call

    def close(self) -> None:
        """End the process."""
        self._stop()


def _over(process: subprocess.Popen[Any]) -> bool:
    """Whether a process has ended, without taking note of it where the system can tell."""
    if process.returncode is not None or not hasattr(os, "waitid"):
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return process.poll() is not None


def _status(status: int) -> str:
    """An exit status in words.

    >>> _status(3), _status(-11)
    ('3', '-11 (SIGSEGV)')
    """
    if status >= 0:
        return str(status)
    try:
        name = signal.Signals(-status).name
    except ValueError:
        return str(status)
    return f"{status} ({name}{', perhaps because memory ran out' if name == 'SIGKILL' else ''})"


def _close(stream: IO[Any] | None) -> None:
    with contextlib.suppress(OSError, ValueError):
        if stream is not None:
            stream.close()


def _size(call: Call) -> int:
    return sum(value.nbytes for value in call.arguments.values() if isinstance(value, np.ndarray))
