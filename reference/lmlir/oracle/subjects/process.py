"""Subjects in a process of their own: started, asked, timed out, restarted up to a point, and ended
with all they started.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import queue
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

from lmlir.oracle.subjects import messages
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.clock import Stopwatch, processor_seconds
from lmlir.oracle.subjects.failures import Call, CannotBeJudged, NotJudged, SubjectFailure
from lmlir.oracle.subjects.local import MAX_FRAMES
from lmlir.oracle.subjects.messages import (
    Blocks,
    Malformed,
    Message,
    Originals,
    first_lines,
    shortened,
)

PROTOCOL_VERSION = 1
MAX_STARTS = 25
MAX_HANGS = 3
MAX_SMALL_QUESTION = 2000  # numbers in a question at which no program should be slow
MAX_SEARCHES = 3
TIMEOUT_SECONDS = 30.0  # for an answer
# The start may load compilers and large packages: it has twice the time of an answer, and more if
# that was made short.
START_FACTOR = 2.0
MIN_START_SECONDS = 10.0
REMEDY = "--timeout N waits longer"
POLL_SECONDS = 0.2  # between two looks at a process that gives no answer
# for an answer on its way when the process ends
GRACE_SECONDS = 1.0
STOP_SECONDS = 2.0  # for a program that is asked to stop
ERROR_BYTES = 8000  # of the error output, at its beginning and at its end
# a message of this size fits into an empty pipe, so that writing it does not wait for its reader
PIPE_BYTES = 4096
HISTORY_BYTES = 64 << 20
DRAIN_SECONDS = 0.2  # for error output on its way
DRAIN_PAUSE_SECONDS = 0.0001
FATAL = "Fatal Python error: "  # begins what Python prints when it crashes

# What a subject printed is not buffered, so that it comes before the answer.
WORKER_OPTIONS = ("-P", "-u", "-X", "faulthandler")

# The worker gets the judge's path before it imports anything else, so that it finds what the judge
# finds.
WORKER = """
import json, sys
sys.path[:], judge = json.loads(sys.argv[1])
from lmlir.oracle.subjects import worker
worker.main(judge)
"""


def unprotected(system: str = sys.platform) -> str:
    """Return a sentence that names the faults of a subject that cannot be contained on this system,
    or ''.

    >>> unprotected("darwin")
    'on darwin the memory of a subject is not limited, and it may outlive a judge that is killed'
    """
    if system == "linux":
        return ""
    faults = "the memory of a subject is not limited, and it may outlive a judge that is killed"
    if system == "win32":
        faults += "; processes that it starts are not ended with it"
    return f"on {system} {faults}"


def split_command(command: str) -> list[str]:
    """Return the words of a command line; raises `CannotBeJudged` if there are none.

    >>> split_command("python 'my program.py'")
    ['python', 'my program.py']
    """
    try:
        # the other rules keep the backslashes of paths
        words = shlex.split(command, posix=os.name == "posix")
    except ValueError as problem:
        raise CannotBeJudged(f"--command cannot be read: {problem}: {command}") from problem
    if not words:
        raise CannotBeJudged("--command needs a program, got an empty string")
    return words if os.name == "posix" else [word.strip('"') for word in words]


class ProgramCodec:
    """How a program is started and asked: by the line protocol, with arrays as nested lists."""

    kind = "program"
    fault = "the program"
    refusal = "answered with an error,"
    starting = " when it was started"
    stop: bytes = b'{"call": "stop"}\n'

    def __init__(self, target: str, functions: Sequence[str]) -> None:
        self.command = split_command(target)
        self.start: Message = {"call": "start", "version": PROTOCOL_VERSION}
        # numbers of answers that the worker of a module need no longer keep
        self.forgotten: list[int] = []

    def encode(self, message: Message) -> bytes:
        """Return a question as bytes."""
        if message.get("arguments"):
            lists = {name: messages.to_lists(value) for name, value in message["arguments"].items()}
            message = {**message, "arguments": lists}
        return json.dumps(message, allow_nan=False).encode() + b"\n"

    def read(self, stream: IO[bytes]) -> tuple[Message, Blocks]:
        """Read one reply; raises `EOFError` or `Malformed`."""

        def refuse(name: str) -> None:
            raise Malformed(f'printed {name}, which must be written as the string "{name}"', name)

        return messages.read_line(stream, parse_constant=refuse), []

    def decode(self, reply: Message, blocks: Blocks) -> Any:
        """Return the answer in a reply; raises `Malformed` if it breaks the rules."""
        return messages.from_lists(reply.get("result"))


class ModuleCodec(ProgramCodec):
    """How the worker of a Python module is started and asked: with arrays by reference and their
    numbers in blocks.
    """

    kind = "subject"
    fault = "the subject disturbed its connection to the judge: it"
    refusal = "raised"
    starting = " while it was imported"
    stop = b""  # the worker has nothing to put in order before it is ended

    def __init__(self, target: str, functions: Sequence[str]) -> None:
        # The system would end the worker with the thread that started it, so that only the main
        # thread makes use of this.
        judge = 0 if _thread() else os.getpid()
        options = json.dumps([list(map(str, sys.path)), judge])
        self.command = [sys.executable, *WORKER_OPTIONS, "-c", WORKER, options]
        self.start = {
            "call": "start",
            "version": PROTOCOL_VERSION,
            "target": target,
            "functions": functions,
        }
        self.forgotten = []
        self.originals = Originals()
        self.lock = threading.Lock()

    def encode(self, message: Message) -> bytes:
        blocks: Blocks = []
        self.forgotten, forgotten = [], self.forgotten
        with self.lock:
            packed = self.originals.packed(message.get("arguments", {}), blocks)
        state = {"thread": _thread(), "forgotten": forgotten}
        return messages.write({**message, **packed, **state}, blocks)

    def read(self, stream: IO[bytes]) -> tuple[Message, Blocks]:
        return messages.read(stream)

    def decode(self, reply: Message, blocks: Blocks) -> Any:
        with self.lock:
            self.originals.follow(reply.get("changed", []), blocks)
        return messages.from_plain(reply.get("result"), blocks)


def _thread() -> int:
    """Return the number of this thread, which is 0 for the main thread."""
    if threading.current_thread() is threading.main_thread():
        return 0
    return threading.get_ident()


class Run:
    """One running process, of which one thread reads the replies and another the error output.

    No process keeps the caller longer than it allows, also if it reads nothing or writes one byte
    per second. Several threads may ask at the same time.
    """

    def __init__(self, codec: ProgramCodec) -> None:
        self.process: Any = subprocess.Popen(
            codec.command,
            start_new_session=os.name == "posix",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.codec = codec
        self.numbers = itertools.count(1)
        self.sending = threading.Lock()
        self.receiving = threading.Lock()
        self.waiting: dict[int | None, queue.SimpleQueue[Any]] = {}
        self.problem: Exception | None = None
        self.failure: SubjectFailure | NotJudged | None = None
        self.spent = 0.0  # seconds of processor time, once it is stopped
        self.errors = b""
        self.printed = b""  # the beginning of the error output since the last question
        self.printed_bytes = 0
        self.writer: threading.Thread | None = None
        self.drainer = threading.Thread(target=self._drain, daemon=True)
        self.drainer.start()
        threading.Thread(target=self._read, daemon=True).start()

    def exchange(
        self,
        message: Message,
        seconds: float,
        number: int | None = None,
    ) -> tuple[Message, Blocks]:
        """Send a message and return its reply; raises `TimeoutError`, `EOFError` or `Malformed`
        when there is none.
        """
        limit = Limit(self, seconds)
        inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        if number is not None:
            message = {"id": number, **message}
        with self.receiving:
            if self.problem is not None:
                raise self.problem
            self.waiting[number] = inbox
        try:
            with self.sending:  # in the order in which the codec describes arrays
                self.send(self.codec.encode(message), limit)
            while True:
                with contextlib.suppress(queue.Empty):
                    reply = inbox.get(timeout=POLL_SECONDS)
                    break
                limit.check()
        finally:
            self.waiting.pop(number, None)
        if isinstance(reply, Exception):
            raise reply
        return reply  # type: ignore[no-any-return]

    def send(self, content: bytes, limit: Limit) -> None:
        """Write to the process; a long message in a thread, which is left behind if the process
        does not read in time.
        """

        def write() -> None:
            with contextlib.suppress(OSError, ValueError):
                # the process has ended, which is found where it is read
                self.process.stdin.write(content)
                self.process.stdin.flush()

        if len(content) <= PIPE_BYTES:
            write()
        else:
            self.writer = threading.Thread(target=write, daemon=True)
            self.writer.start()
            self.writer.join(POLL_SECONDS)
            while self.writer.is_alive():
                limit.check()
                self.writer.join(POLL_SECONDS)

    def _read(self) -> None:
        """Hand every reply to the thread that waits for it; end at the first that breaks the
        rules.
        """
        problem: Exception = EOFError()
        with self.process.stdout as stream:
            try:
                while True:
                    reply = self.codec.read(stream)
                    with self.receiving:
                        self._waiter(reply[0]).put(reply)
            except Malformed as malformed:
                problem = malformed
            except (EOFError, OSError, ValueError, MemoryError):
                pass
        with self.receiving:
            self.problem = problem
            for inbox in list(self.waiting.values()):
                inbox.put(problem)

    def _waiter(self, reply: Message) -> queue.SimpleQueue[Any]:
        waiting = list(self.waiting)
        for number in waiting:
            if number == reply.get("id"):
                inbox = self.waiting.pop(number, None)
                if inbox is not None:
                    return inbox
        problem = "printed a line that nothing asked for"
        if waiting:
            asked = ", ".join(map(str, waiting))
            if "id" not in reply:
                problem = f"gave an answer without an id; it must repeat the id {asked}"
                raise Malformed(f"{problem} of the question", json.dumps(reply))
            answered = shortened(repr(reply.get("id")))
            problem = f"answered out of turn: question {asked}, answer id {answered}"
        raise Malformed(problem, json.dumps(reply))

    def _drain(self) -> None:
        with self.process.stderr as stream, contextlib.suppress(OSError):
            while block := os.read(stream.fileno(), 1 << 16):
                self.printed_bytes += len(block)
                self.printed += block[: ERROR_BYTES - len(self.printed)]
                self.errors += block
                if len(self.errors) > 2 * ERROR_BYTES:
                    self.errors = self.errors[:ERROR_BYTES] + self.errors[-ERROR_BYTES:]

    def forget_printed(self) -> None:
        """Begin to keep what is printed during the next question."""
        self.printed = b""
        self.printed_bytes = 0

    def printed_text(self) -> str:
        """Return the beginning of what was printed since the last question.

        What was printed before the answer may still be in the pipe.
        """
        end = time.monotonic() + DRAIN_SECONDS
        with contextlib.suppress(OSError, ValueError):  # it is closed, or cannot be asked
            while select.select([self.process.stderr], [], [], 0)[0] and time.monotonic() < end:
                time.sleep(DRAIN_PAUSE_SECONDS)
        if self.errors:
            time.sleep(DRAIN_PAUSE_SECONDS)  # for a block that was read and is not stored
        text = self.printed.decode("utf-8", errors="replace").partition(FATAL)[0]
        missing = self.printed_bytes - len(self.printed)
        return first_lines(text, len(text) + missing)

    @property
    def alive(self) -> bool:
        """Whether the process runs; where the system can tell without collecting its end, that is
        left to `stop`.
        """
        if self.process.returncode is None and hasattr(os, "waitid"):
            options = os.WEXITED | os.WNOHANG | os.WNOWAIT
            with contextlib.suppress(ChildProcessError):
                return os.waitid(os.P_PID, self.process.pid, options) is None
        return self.process.poll() is None

    def wait(self, seconds: float) -> bool:
        """Whether the process ends by itself within some seconds."""
        end = time.monotonic() + seconds
        while self.alive and time.monotonic() < end:
            time.sleep(0.01)
        return not self.alive

    def stop(self) -> int | None:
        """Kill the process and its group, and return its exit status.

        The group comes first: until the end of its leader is collected, no other group can have its
        number.
        """
        if self.process.returncode is None:
            self.spent = processor_seconds(self.process.pid)
        if os.name == "posix" and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()  # does nothing when the end was collected
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5.0)
        if self.writer is None or not self.writer.is_alive():
            with contextlib.suppress(OSError, ValueError):
                self.process.stdin.close()
        return self.process.returncode

    def error_output(self) -> str:
        """Return both ends of the error output, once the process has ended; of a crash of Python
        the subject's lines.

        ``Segmentation fault: File "fast.py", line 2 in f``
        """
        self.drainer.join(0.5)
        text = self.errors.decode("utf-8", errors="replace").strip()
        _, fatal, dump = text.partition(FATAL)
        cause = dump.partition("\n")[0]
        if not fatal:
            size = messages.SHOWN_CHARACTERS
            if len(text) <= 2 * size:
                return text
            return f"{text[:size]} ... {text[-size:]}"
        files = []
        for line in dump.rpartition("Current thread")[2].splitlines():
            if line.strip().startswith("File ") and not any(own in line for own in OWN_FRAMES):
                files.append(line.strip())
        return f"{cause}: {', '.join(files[:MAX_FRAMES])}".rstrip(": ")


class Limit:
    """Ends the wait for an answer of a process when its time is up or the process has ended.

    A process that ends closes its output, unless it has started another that keeps it open.
    """

    def __init__(self, run: Run, seconds: float) -> None:
        self.run = run
        self.seconds = seconds
        self.watch: Stopwatch | None = None  # not started for answers that come at once
        self.last_look = math.inf

    def check(self) -> None:
        """Raise `TimeoutError` with the limit in words, or `EOFError`."""
        if time.monotonic() > self.last_look:
            raise EOFError
        if self.watch is None:
            self.watch = Stopwatch(lambda: processor_seconds(self.run.process.pid))
        reached = self.watch.reached(self.seconds)
        if reached:
            raise TimeoutError(reached)
        if not self.run.alive:
            self.last_look = min(self.last_look, time.monotonic() + GRACE_SECONDS)


OWN_FRAMES = (os.path.join("subjects", "worker.py"), '"<string>"')


@dataclass
class Tally:
    """How often a subject has hung at small questions, in all its processes, and how often its
    earlier calls were searched.

    For each function that hung, `slow` has the size from which it is not asked, and why: the size
    of the question; after a second one a quarter of its size, or zero if it was small.
    """

    hangs: int = 0
    searches: int = 0
    slow: dict[str, tuple[int, str]] = field(default_factory=dict)


class Process(Subject):
    """A subject in another process. It records what it was asked since that process was started."""

    def __init__(
        self,
        target: str,
        functions: Sequence[str],
        codec: type[ProgramCodec] = ModuleCodec,
        timeout: float = TIMEOUT_SECONDS,
        tally: Tally | None = None,
    ) -> None:
        super().__init__(target, ())
        self.target = target
        self.functions = functions
        self.codec = codec
        self.timeout = timeout
        self.is_program = codec is ProgramCodec
        self.command = split_command(target) if self.is_program else ()
        self.tally = tally or Tally()
        self.restart_failure = ""  # why the process could not be started again
        self.run: Run | None = None
        self.spent = 0.0  # seconds of processor time in earlier processes
        self.changing = threading.RLock()
        self.asking = threading.RLock()
        self.history: deque[Call] = deque()
        self.history_bytes = 0
        try:
            reply = self._start()
        except (SubjectFailure, CannotBeJudged) as problem:
            self._stop()
            if isinstance(problem, CannotBeJudged):
                raise
            said = f" (its {problem.source.lower()}: {problem.said})" if problem.said else ""
            raise CannotBeJudged(f"{target}: {problem}{said}") from problem
        self.offers = [name for name in functions if name in reply["offers"]]
        self.others = reply["others" if "others" in reply else "offers"]
        self.name = shortened(str(reply.get("name") or target))
        self.language = shortened(str(reply.get("language") or ""))
        self.imports_lmlir = reply.get("imports_lmlir") is True

    def fresh(self) -> Process:
        """Return the same subject in a new process, which has been asked nothing; hangs are counted
        together.
        """
        return Process(self.target, self.functions, self.codec, self.timeout, self.tally)

    def refusal(self, function: str, arguments: Mapping[str, Any] | None = None) -> str:
        """Return why a question, or without arguments every question, of a function is not
        asked.
        """
        size, reason = self.tally.slow.get(function, (math.inf, ""))
        return reason if _entries(arguments or {}) >= size else self.given_up

    @property
    def given_up(self) -> str:
        """Why the subject will not be restarted, or '' if it may be.

        A process that hung is ended, so its hangs count at once. The last start counts when the
        process that it made has ended, too.
        """
        kind = self.codec.kind
        hangs = self.tally.hangs
        if hangs >= MAX_HANGS:
            return f"the {kind} hung {hangs} times and is not asked again; {REMEDY}"
        if self.starts >= MAX_STARTS and not self.alive:
            return f"the {kind} had to be started {self.starts} times and is not started again"
        return self.restart_failure

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.run is not None and self.run.alive

    def processor_seconds(self) -> float:
        """Return the processor time that the subject has used in all its processes."""
        run = self.run
        if run is None:
            return self.spent
        return self.spent + (run.spent or processor_seconds(run.process.pid))

    def recorded_calls(self) -> list[Call]:
        """Return what the process was asked."""
        return list(self.history)

    def may_search(self) -> bool:
        """Whether another search among earlier calls is allowed.

        Each call of this method uses one up.
        """
        self.tally.searches += 1
        return self.tally.searches <= MAX_SEARCHES

    def ask(self, function: str, arguments: Mapping[str, Any]) -> Any:
        """Return the answer, which for a Python module is a `RemoteAnswer`; raises `SubjectFailure`
        or `NotJudged` when there is none.
        """
        with self.asking if self.is_program else contextlib.nullcontext():
            # a program is asked one question at a time
            with self.changing:
                refusal = self.refusal(function, arguments)
                if refusal:
                    raise NotJudged(refusal)
                if not self.alive:
                    self._restart()
                run = self.run
                assert run is not None
                self._record(function, arguments)
            run.forget_printed()
            question = {"call": function, "arguments": arguments}
            try:
                number, answer = self._answer(run, question, function)
            finally:
                self.printed = run.printed_text()
        return answer if self.is_program else RemoteAnswer(self, run, number, answer)

    def ask_about(
        self,
        run: Run,
        answer: int,
        call: str,
    ) -> Any:
        """Look at an earlier answer again, or overwrite it."""
        if run is not self.run or not self.alive:
            raise SubjectFailure("an answer was lost with the process that gave it")
        return self._answer(run, {"call": call, "answer": answer}, "an answer, looked at again,")[1]

    def _answer(
        self,
        run: Run,
        message: Message,
        what: str,
    ) -> tuple[int, Any]:
        number = next(run.numbers)
        reply, answer = self._exchange(run, message, self.timeout, number)
        if "error" in reply:
            sentence = f"{what} {self.codec.refusal} {shortened(str(reply['error']))}"
            raise SubjectFailure(sentence, frames=_frames(reply))
        return number, answer

    def _exchange(
        self,
        run: Run,
        message: Message,
        seconds: float,
        number: int | None = None,
    ) -> tuple[Message, Any]:
        """Return a reply and the answer in it.

        When there is none, the process is ended, once for all threads.
        """
        try:
            reply, blocks = run.exchange(message, seconds, number)
            if number is not None and not {"error", "result"} & reply.keys():
                raise Malformed("answered with neither result nor error", reply)
            try:
                return reply, run.codec.decode(reply, blocks)
            except RecursionError:
                raise Malformed("answered with lists that are nested too deeply", "") from None
        except (TimeoutError, EOFError, Malformed) as problem:
            with self.changing:
                when = self.codec.starting if number is None else ""
                run.failure = run.failure or self._failure(run, problem, message, when)
                raise run.failure from None

    def _failure(
        self,
        run: Run,
        problem: Exception,
        message: Message,
        when: str,
    ) -> SubjectFailure | NotJudged:
        """End the process, and return why there is no answer."""
        kind = self.codec.kind
        if isinstance(problem, TimeoutError):
            run.stop()
            if message["call"] == "start":
                self.tally.hangs += 1
                return SubjectFailure(f"the {kind} gave no answer within {problem}{when}")
            return self._out_of_time(message, str(problem))
        if isinstance(problem, Malformed):
            run.stop()
            sentence = f"{self.codec.fault} {problem}{when}"
            return SubjectFailure(sentence, said=problem.said, source="Output", crashed=True)
        has_ended = run.wait(1.0)
        status = run.stop()
        event = "closed its output"
        if has_ended and status is not None:
            event = f"ended with status {_status(status)}"
        if message["call"] in self.functions:
            when = f" to {message['call']}"
        sentence = f"the {kind} {event} without an answer{when}"
        return SubjectFailure(sentence, said=run.error_output(), crashed=True)

    def _out_of_time(self, question: Message, limit: str) -> NotJudged:
        """Return why a question has no answer, and do not ask for as much again."""
        function = question["call"]
        size = _entries(question.get("arguments", {}))
        asked = f"{function} gave no answer within {limit} to a question of {size} numbers"
        reason = f"{asked}; {REMEDY}"
        is_small = size <= MAX_SMALL_QUESTION
        # a program that is slow at large questions, in each of its functions, is asked small ones
        self.tally.hangs += is_small
        if function in self.tally.slow:
            size = 0 if is_small else size // 4
        self.tally.slow[function] = (size, reason)
        return NotJudged(reason)

    def _start(self) -> Message:
        """Start the process and return its answer; raises `SubjectFailure` or `CannotBeJudged` if
        that fails.
        """
        self._stop()
        self.starts += 1
        self.history.clear()
        self.history_bytes = 0
        codec = self.codec(self.target, self.functions)
        try:
            self.run = Run(codec)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SubjectFailure(f"the {codec.kind} cannot be started: {reason}") from error
        seconds = max(START_FACTOR * self.timeout, MIN_START_SECONDS)
        reply, _ = self._exchange(self.run, codec.start, seconds)
        self.run.printed_text()  # waits for it, so that it does not belong to the first question
        if "error" in reply:
            refusal = str(reply["error"])
            if self.is_program:
                refusal = f"the program refused to start: {refusal}"
            raise CannotBeJudged(shortened(refusal), _frames(reply))
        problem = _problem_at_start(reply)
        if problem:
            raise CannotBeJudged(f"{self.target}: {shortened(problem)}")
        return reply

    def _restart(self) -> None:
        """Start once more; a subject that can no longer be started is lost."""
        try:
            self._start()
        except (SubjectFailure, CannotBeJudged) as problem:
            self._stop()
            self.restart_failure = f"the {self.codec.kind} cannot be started again: {problem}"
            raise NotJudged(self.restart_failure) from problem

    def _record(self, function: str, arguments: Mapping[str, Any]) -> None:
        """Keep a question, and drop the oldest when they fill too much memory."""
        copies = {}
        for name, value in arguments.items():
            copies[name] = np.array(value) if isinstance(value, np.ndarray) else value
        self.asked += 1
        self.history.append(Call(function, copies, number=self.asked))
        self.history_bytes += _size(self.history[-1])
        while self.history_bytes > HISTORY_BYTES:
            self.history_bytes -= _size(self.history.popleft())

    def close(self) -> None:
        """End the process; a program is asked to stop first."""
        if self.run is not None and self.codec.stop and self.alive:
            self.run.send(self.codec.stop, Limit(self.run, STOP_SECONDS))
            self.run.wait(STOP_SECONDS)
        self._stop()

    def _stop(self) -> None:
        run = self.run
        self.run = None
        if run is not None:
            run.stop()
            self.spent += run.spent


def _frames(reply: Message) -> list[str]:
    """Return the frames that come with an error."""
    frames = reply.get("frames")
    if not isinstance(frames, list):
        return []
    return [shortened(frame) for frame in frames[-MAX_FRAMES:] if isinstance(frame, str)]


def _problem_at_start(reply: Message) -> str:
    """Return what is wrong with an answer to start, or ''."""
    version = reply.get("version")
    if version is None:
        return f'its answer to start has no "version", which must be {PROTOCOL_VERSION}'
    if version != PROTOCOL_VERSION:
        return f"it speaks version {version!r} of the line protocol, not {PROTOCOL_VERSION}"
    lists = {"others": reply.get("others", []), "offers": reply.get("offers")}
    for key, names in lists.items():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            return f"its answer to start needs a list of names as {key}, got {names!r}"
    return ""


class RemoteAnswer:
    """An answer in the process of a Python module, which keeps it as long as this object exists."""

    def __init__(
        self,
        process: Process,
        run: Run,
        number: int,
        given: Any,
    ) -> None:
        self.process = process
        self.run = run
        self.number = number
        self.given = given
        self.seen = False

    def look(self) -> Any:
        """Return the value: the first time as it was given, later as it is now."""
        if self.seen:
            return self.process.ask_about(self.run, self.number, "look")
        self.seen = True
        return self.given

    def overwrite(self) -> None:
        """Write ones into all its arrays."""
        self.process.ask_about(self.run, self.number, "overwrite")

    def __del__(self) -> None:
        self.run.codec.forgotten.append(self.number)


def _entries(arguments: Mapping[str, Any]) -> int:
    """Return the number of numbers in a question."""
    return sum(np.size(value) for value in arguments.values())


def _size(call: Call) -> int:
    return sum(value.nbytes for value in call.arguments.values() if isinstance(value, np.ndarray))


def _status(status: int) -> str:
    """Return an exit status in words.

    >>> _status(3), _status(-11)
    ('3', '-11 (SIGSEGV)')
    """
    names = {-number: number.name for number in signal.Signals}
    if status not in names:
        return str(status)
    name = names[status]
    if name == "SIGKILL":
        name += ", perhaps because memory ran out"
    return f"{status} ({name})"
