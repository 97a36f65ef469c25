"""Subjects in a process of their own: started, asked, timed out, restarted up to a point, and ended with all they started."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from lmlir.oracle.engine import messages
from lmlir.oracle.engine.messages import Blocks, Malformed, Message, Originals, shortened
from lmlir.oracle.engine.subjects import RemoteAnswer, Subject
from lmlir.oracle.violations import Call, CannotBeJudged, SubjectFailure

PROTOCOL_VERSION = 1
MAX_STARTS = 25
MAX_HANGS = 3
MAX_SEARCHES = 3
TIMEOUT_SECONDS = 30.0  # for an answer
START_SECONDS = 60.0  # for the start of a Python module, which may load compilers and large packages
TAIL_BYTES = 8000  # of the error output
PIPE_BYTES = 4096  # a message of this size does not wait for its reader
HISTORY_BYTES = 64 << 20

# The worker gets the judge's path before it imports anything else, so that it finds what the judge finds.
WORKER = """
import json, sys
sys.path[:], *options = json.loads(sys.argv[1])
from lmlir.oracle.engine import worker
worker.main(*options)
"""


class ProgramCodec:
    """How a program is started and asked: by the line protocol, with arrays as nested lists."""

    kind = "program"
    fault = "the program"
    refusal = "answered with the error:"
    stop: bytes | None = b'{"call": "stop"}\n'
    forgotten: list[int]  # numbers of answers that the worker need no longer keep

    def __init__(self, target: str, functions: Sequence[str]) -> None:
        self.command = split_command(target)
        self.start: Message = {"call": "start", "version": PROTOCOL_VERSION}

    def encode(self, message: Message) -> bytes:
        """Return a question as bytes."""
        given = {name: messages.to_lists(value) for name, value in message.get("arguments", {}).items()}
        return json.dumps({**message, "arguments": given} if given else message, allow_nan=False).encode() + b"\n"

    def read(self, stream: IO[bytes]) -> tuple[Message, Blocks]:
        """Read one reply."""
        return messages.read_line(stream, parse_constant=_no_constant), []

    def decode(self, reply: Message, blocks: Blocks) -> Any:
        """Return the answer in a reply; raises `Malformed` for a reply that breaks the rules."""
        return messages.from_lists(reply.get("result"))


class ModuleCodec(ProgramCodec):
    """How the worker of a Python module is started and asked: with arrays by reference and their numbers in blocks."""

    kind = "subject"
    fault = "the subject disturbed its connection to the judge: it"
    refusal = "raised"
    stop = None  # it has nothing to put in order before it is ended

    def __init__(self, target: str, functions: Sequence[str]) -> None:
        # the system ends a worker with the thread that started it, so that other threads than the main one do not ask for that
        judge = os.getpid() if threading.current_thread() is threading.main_thread() else 0
        options = json.dumps([sys.path, judge, _memory_limit()])
        self.command = [sys.executable, "-P", "-X", "faulthandler", "-c", WORKER, options]
        self.start = {"call": "start", "version": PROTOCOL_VERSION, "target": target, "functions": list(functions)}
        self.originals = Originals()
        self.changing = threading.Lock()
        self.forgotten = []

    def encode(self, message: Message) -> bytes:
        """Return a question as bytes."""
        blocks: Blocks = []
        main = threading.current_thread() is threading.main_thread()
        self.forgotten, forgotten = [], self.forgotten
        with self.changing:
            packed = self.originals.packed(message.get("arguments", {}), blocks)
        thread = {"thread": 0 if main else threading.get_ident(), "forgotten": forgotten}
        return messages.write({**message, **packed, **thread}, blocks)

    def read(self, stream: IO[bytes]) -> tuple[Message, Blocks]:
        """Read one reply with its blocks."""
        return messages.read(stream)

    def decode(self, reply: Message, blocks: Blocks) -> Any:
        """Return the answer in a reply, after writing into the judge's arrays what the subject wrote into them."""
        with self.changing:
            self.originals.follow(reply.get("changed", []), blocks)
        return messages.from_plain(reply.get("result"), blocks)


def split_command(command: str) -> list[str]:
    """Return the words of a command line; raises `CannotBeJudged` if there are none.

    >>> split_command("python 'my program.py'")
    ['python', 'my program.py']
    """
    try:
        words = shlex.split(command, posix=os.name == "posix")  # else backslashes in paths are lost
    except ValueError as problem:
        raise CannotBeJudged(f"--command cannot be read: {problem}: {command}") from problem
    if not words:
        raise CannotBeJudged("--command needs a program, got an empty string")
    return words if os.name == "posix" else [word.strip('"') for word in words]


def _memory_limit() -> int:
    """Return half of the memory that this machine, or the group of processes that we are in, has."""
    sizes = []
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            sizes.append(int(Path(name).read_text()))
    return min(sizes, default=1 << 62) // 2


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON; the line protocol writes it as a string")


def unprotected(system: str = sys.platform) -> str:
    """Return a sentence that names the faults of a subject that cannot be contained on this system, or ''.

    >>> unprotected("linux")
    ''
    >>> unprotected("darwin")
    'on darwin the memory of a subject is not limited, and it may outlive a judge that is killed'
    """
    if system == "linux":
        return ""
    sentence = f"on {system} the memory of a subject is not limited, and it may outlive a judge that is killed"
    return f"{sentence}; processes that it starts are not ended with it" if system == "win32" else sentence


class Run:
    """One running process. Threads write its questions, read its replies and drain its error output.

    No reply and no question keeps the caller longer than it allows, also when the process reads nothing or writes one byte
    per second. Several threads may ask at the same time.
    """

    def __init__(self, command: Sequence[str], codec: ProgramCodec) -> None:
        pipe = subprocess.PIPE
        group = os.name == "posix"
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=group)
        self.codec = codec
        self.numbers = itertools.count(1)
        self.lock, self.sending = threading.Lock(), threading.Lock()
        self.waiting: dict[int | None, queue.SimpleQueue[Any]] = {}
        self.problem: Exception | None = None
        self.failure: SubjectFailure | None = None
        self.tail = b""
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._drain)]
        for thread in self.threads:
            thread.start()

    def exchange(self, message: Message, seconds: float, number: int | None = None) -> tuple[Message, Blocks]:
        """Send a message and return its reply; raises `TimeoutError`, `EOFError` or `Malformed` when there is none."""
        end = time.monotonic() + seconds
        reply: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with self.lock:
            if self.problem is not None:
                raise self.problem
            self.waiting[number] = reply
        with self.sending:  # in the order in which the codec described the arrays
            self.send(self.codec.encode(message if number is None else {"id": number, **message}), seconds)
        try:
            found = reply.get(timeout=max(end - time.monotonic(), 0.0))
        except queue.Empty:
            raise TimeoutError from None
        finally:
            self.waiting.pop(number, None)
        if isinstance(found, Exception):
            raise TimeoutError if time.monotonic() >= end else found
        message, blocks = found
        return message, blocks

    def send(self, content: bytes, seconds: float) -> None:
        """Write to the process. If it does not read in time, it is killed, which ends the writing."""
        assert self.process.stdin is not None
        watch = threading.Timer(seconds, self.kill) if len(content) > PIPE_BYTES else None
        if watch is not None:
            watch.start()
        with contextlib.suppress(OSError, ValueError):  # it has ended, which is found by the thread that reads
            self.process.stdin.write(content)
            self.process.stdin.flush()
        if watch is not None:
            watch.cancel()

    def _read(self) -> None:
        """Hand every reply to the thread that waits for it; end at the first that breaks the rules."""
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            try:
                while True:
                    message, blocks = self.codec.read(stream)
                    with self.lock:
                        self._waiter(message).put((message, blocks))
            except (Malformed, EOFError) as problem:
                self._break(problem)
            except (OSError, ValueError, MemoryError):
                self._break(EOFError())

    def _waiter(self, message: Message) -> queue.SimpleQueue[Any]:
        number = message.get("id")
        for each in list(self.waiting):
            if each == number:
                return self.waiting[each]
        asked = ", ".join(str(each) for each in list(self.waiting) if each is not None)
        if not asked:
            raise Malformed("printed a line that nothing asked for", json.dumps(message))
        raise Malformed(f"answered out of turn: question {asked}, answer id {number!r}", json.dumps(message))

    def _break(self, problem: Exception) -> None:
        with self.lock:
            self.problem = problem
            for each in list(self.waiting.values()):
                each.put(problem)

    def _drain(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as stream, contextlib.suppress(OSError):
            while block := os.read(stream.fileno(), 1 << 16):
                self.tail = (self.tail + block)[-TAIL_BYTES:]

    @property
    def alive(self) -> bool:
        """Whether the process runs; its end stays unreported to the system where that is possible (see `stop`)."""
        if self.process.returncode is None and hasattr(os, "waitid"):
            with contextlib.suppress(ChildProcessError):
                return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        return self.process.poll() is None

    def wait(self, seconds: float) -> bool:
        """Whether the process ends by itself within some seconds."""
        end = time.monotonic() + seconds
        while self.alive and time.monotonic() < end:
            time.sleep(0.01)
        return not self.alive

    def kill(self) -> None:
        """Kill the process and its group.

        The group comes first: until the end of its leader is collected, no other group can have its number.
        """
        if os.name == "posix" and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()  # does nothing when the end was collected

    def stop(self) -> int | None:
        """Kill the process, and return its exit status."""
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5.0)
        with contextlib.suppress(OSError, ValueError):
            cast(IO[bytes], self.process.stdin).close()
        return self.process.returncode

    def last_words(self) -> str:
        """Return the end of the error output, once the process has ended."""
        self.threads[-1].join(0.5)
        text = self.tail.decode("utf-8", errors="replace").strip()
        _, fatal, dump = text.partition("Fatal Python error: ")
        return _in_short(dump) if fatal else text[-messages.SHOWN_CHARACTERS :]


@dataclass
class Patience:
    """How often a subject has hung, in all its processes, and how often its earlier calls were searched."""

    hangs: int = 0
    searches: int = 0


class Process(Subject):
    """A subject in another process. It records what it was asked since that process was started."""

    def __init__(
        self,
        target: str,
        functions: Sequence[str],
        codec: type[ProgramCodec] = ModuleCodec,
        timeout: float = TIMEOUT_SECONDS,
        patience: Patience | None = None,
    ) -> None:
        super().__init__(target, ())
        self.target, self.functions, self.codec, self.timeout = target, functions, codec, timeout
        self.command = split_command(target) if codec is ProgramCodec else ()
        self.patience = patience or Patience()
        self.lost = ""
        self.run: Run | None = None
        self.changing = threading.RLock()
        one_at_a_time: contextlib.AbstractContextManager[Any] = threading.RLock()
        self.turn = one_at_a_time if codec is ProgramCodec else contextlib.nullcontext()
        self.history: deque[Call] = deque()
        self.history_bytes = 0
        try:
            found = self._start()
        except SubjectFailure as failure:
            self._stop()
            said = f" (it said: {failure.said})" if failure.said else ""
            raise CannotBeJudged(f"{target}: {failure.sentence}{said}") from failure
        except CannotBeJudged:
            self._stop()
            raise
        self.offers = [name for name in functions if name in found["offers"]]
        self.others = found["others" if "others" in found else "offers"]
        self.name = shortened(str(found.get("name") or target))
        self.language = shortened(str(found.get("language") or ""))
        self.imports_lmlir = found.get("imports_lmlir") is True

    def fresh(self) -> Process:
        """Return the same subject in a new process, which has been asked nothing; hangs are counted together."""
        return Process(self.target, self.functions, self.codec, self.timeout, self.patience)

    @property
    def given_up(self) -> str:
        """Why the subject will not be restarted, or '' if it may be."""
        kind = self.codec.kind
        if self.patience.hangs >= MAX_HANGS:
            return f"the {kind} hung {self.patience.hangs} times and is not started again"
        if self.starts >= MAX_STARTS and not self.alive:
            return f"the {kind} had to be started {self.starts} times and is not started again"
        return self.lost

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.run is not None and self.run.alive

    def remembers(self) -> list[Call]:
        """Return what the process was asked."""
        return list(self.history)

    def may_search(self) -> bool:
        """Whether another search among earlier calls is allowed. Each call of this method uses one up."""
        self.patience.searches += 1
        return self.patience.searches <= MAX_SEARCHES

    def ask(self, function: str, arguments: Mapping[str, Any]) -> Any:
        """Return the answer, which for a Python module is a `RemoteAnswer`; raises `SubjectFailure` when there is none."""
        with self.turn:
            with self.changing:
                if not self.alive:
                    self._restart()
                run = self.run
                assert run is not None
                self._record(function, arguments)
            number = next(run.numbers)
            answer = self._answer(run, {"call": function, "arguments": dict(arguments)}, number, function)
        return answer if self.codec is ProgramCodec else _Answer(self, run, number, answer)

    def about(self, run: Run, answer: int, call: str) -> Any:
        """Look at an earlier answer again, or overwrite it."""
        if run is not self.run or not self.alive:
            raise SubjectFailure("an answer was lost with the process that gave it")
        return self._answer(run, {"call": call, "answer": answer}, next(run.numbers), "an answer, looked at again,")

    def _answer(self, run: Run, message: Message, number: int, what: str) -> Any:
        reply, answer = self._exchange(run, message, self.timeout, number)
        if "error" in reply:
            raise SubjectFailure(f"{what} {self.codec.refusal} {shortened(str(reply['error']))}")
        return answer

    def _exchange(self, run: Run, message: Message, seconds: float, number: int | None = None) -> tuple[Message, Any]:
        """Return a reply and the answer in it. When there is none, the process is ended, once for all threads."""
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
                run.failure = run.failure or self._failure(run, problem, seconds)
                raise run.failure from None

    def _failure(self, run: Run, problem: Exception, seconds: float) -> SubjectFailure:
        """End the process, and return why."""
        kind = self.codec.kind
        if isinstance(problem, TimeoutError):
            self.patience.hangs += 1
            run.stop()
            return SubjectFailure(f"the {kind} gave no answer within {seconds:g} seconds and was ended", final=True)
        if isinstance(problem, Malformed):
            run.stop()
            return SubjectFailure(f"{self.codec.fault} {problem.problem}", said=problem.said, crashed=True)
        ended, status = run.wait(1.0), run.stop()
        sentence = f"the {kind} closed its output without an answer"
        if ended and status is not None:
            sentence = f"the {kind} ended with status {_status(status)} without an answer"
        return SubjectFailure(sentence, said=run.last_words(), crashed=True)

    def _start(self) -> Message:
        """Start the process and return what it says of itself; raises if it cannot be started or loaded."""
        self._stop()
        if self.given_up:
            raise SubjectFailure(self.given_up, final=True)
        self.starts += 1
        self.history.clear()
        self.history_bytes = 0
        codec = self.codec(self.target, self.functions)
        try:
            self.run = Run(codec.command, codec)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SubjectFailure(f"the {codec.kind} cannot be started: {reason}", final=True) from error
        seconds = self.timeout if self.codec is ProgramCodec else max(START_SECONDS, self.timeout)
        found = self._exchange(self.run, codec.start, seconds)[0]
        if problem := self._problem(found):
            raise CannotBeJudged(problem)
        return found

    def _problem(self, found: Message) -> str:
        """Return what is wrong with the answer to start, or ''."""
        if "error" in found:
            error = shortened(str(found["error"]))
            return error if self.codec is ModuleCodec else f"{self.target}: start {self.codec.refusal} {error}"
        if found.get("version") != PROTOCOL_VERSION:
            version = shortened(repr(found.get("version")))
            return f"{self.target}: it speaks version {version} of the line protocol, not {PROTOCOL_VERSION}"
        for key in ("offers", "others") if "others" in found else ("offers",):
            names = found.get(key)
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                got = shortened(repr(names))
                return f"{self.target}: its answer to start needs a list of names as {key}, got {got}"
        return ""

    def _restart(self) -> None:
        """Start once more; a subject that can no longer be started is lost."""
        try:
            self._start()
        except (SubjectFailure, CannotBeJudged) as problem:
            self._stop()
            if isinstance(problem, SubjectFailure) and problem.final:
                raise
            self.lost = f"the {self.codec.kind} cannot be started again: {problem}"
            raise SubjectFailure(self.lost, final=True) from problem

    def _record(self, function: str, arguments: Mapping[str, Any]) -> None:
        """Keep a question, and drop the oldest when they fill too much memory."""
        kept = {name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in arguments.items()}
        self.asked += 1
        self.history.append(Call(function, kept, number=self.asked))
        self.history_bytes += _size(self.history[-1])
        while self.history_bytes > HISTORY_BYTES:
            self.history_bytes -= _size(self.history.popleft())

    def close(self) -> None:
        """End the process; a program is asked to stop and has two seconds for it."""
        if self.run is not None and self.codec.stop and self.alive:
            self.run.send(self.codec.stop, 2.0)
            self.run.wait(2.0)
        self._stop()

    def _stop(self) -> None:
        run, self.run = self.run, None
        if run is not None:
            run.stop()


class _Answer(RemoteAnswer):
    """An answer in the process of a Python module, which keeps it as long as this object exists."""

    def __init__(self, process: Process, run: Run, number: int, given: Any) -> None:
        self.process, self.run, self.number, self.given = process, run, number, given
        self.seen = False

    def look(self) -> Any:
        """Return the value: the first time as it was given, later as it is now."""
        if self.seen:
            return self.process.about(self.run, self.number, "look")
        self.seen = True
        return self.given

    def overwrite(self) -> None:
        """Write ones into all its arrays."""
        self.process.about(self.run, self.number, "overwrite")

    def __del__(self) -> None:
        self.run.codec.forgotten.append(self.number)


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
    return f"{status} ({names[status]}{', perhaps because memory ran out' if names[status] == 'SIGKILL' else ''})"


def _in_short(dump: str) -> str:
    """Return what Python writes when it crashes, without the lines that are not the subject's.

    >>> _in_short('Segmentation fault\\n\\nThread 1:\\n  File "fast.py", line 2 in f\\n  File "worker.py", line 9 in ask')
    'Segmentation fault: File "fast.py", line 2 in f'
    """
    first, *lines = dump.splitlines()
    ours = ("worker.py", '"<string>"')
    files = [
        line.strip() for line in lines if line.strip().startswith("File ") and not any(own in line for own in ours)
    ]
    return ": ".join([first.strip(), *[", ".join(files)] * bool(files)])[: messages.SHOWN_CHARACTERS]
