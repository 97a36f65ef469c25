"""The worker: runs in the child process of a Python subject, loads it under its own name and
answers the judge's questions.

Questions come through the standard input and answers go through the standard output with which the
process was started. The subject has neither: it reads nothing, and what it prints goes to standard
error.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from lmlir.oracle.subjects import messages
from lmlir.oracle.subjects.failures import CannotBeJudged
from lmlir.oracle.subjects.loading import load_module, public_callables
from lmlir.oracle.subjects.local import frames, in_words, own_code, unrolled, write_ones
from lmlir.oracle.subjects.messages import Blocks, Copies, Message

CONNECTION_LOST = 70  # exit status
PAIRING_SECONDS = 0.005
WAKING_SECONDS = 0.0003
TURN_SECONDS = 0.00005
TURN_LINES = 12  # of a subject's code that one thread runs before the other takes its turn
STRIDE_LINES = 7
MAX_LINES = 1000
TIMER_SLACK_NANOSECONDS = 1000
PR_SET_PDEATHSIG = 1
PR_SET_TIMERSLACK = 29


class Worker:
    """Serves one judge: loads a subject, calls its functions, keeps its answers as long as the
    judge does.

    A question from the judge's main thread is answered in the main thread here, and a question from
    another thread in a thread that stands for it.
    """

    def __init__(self, questions: IO[bytes], replies: IO[bytes]) -> None:
        self.questions = questions
        self.replies = replies
        self.sending = threading.Lock()
        self.copies = Copies()
        self.answers: dict[int, Any] = {}
        self.threads: dict[int, queue.SimpleQueue[tuple[Message, list[Any]]]] = {}
        self.pairing = threading.Condition()
        self.alone = False
        self.begin = 0.0
        self.lines: dict[str, int] = {}
        self.module: Any = None
        self.folder = ""

    def serve(self) -> None:
        """Answer until the judge is gone, which raises an `EOFError`."""
        while True:
            message, blocks = messages.read(self.questions)
            arguments = self.copies.receive(message, blocks)
            for number in message["forgotten"]:
                self.answers.pop(number, None)
            del blocks
            if message["thread"]:
                self._in_thread(message, arguments)
            else:
                self._reply(message, arguments)
            del arguments  # the arrays may end before the next question

    def _in_thread(self, message: Message, arguments: list[Any]) -> None:
        number = message["thread"]
        if number not in self.threads:
            # for this thread and those that it starts
            _control(PR_SET_TIMERSLACK, TIMER_SLACK_NANOSECONDS)
            self.threads[number] = queue.SimpleQueue()
            questions = (self.threads[number],)
            threading.Thread(target=self._answer_all, args=questions, daemon=True).start()
        self.threads[number].put((message, arguments))

    def _answer_all(self, questions: queue.SimpleQueue[tuple[Message, list[Any]]]) -> None:
        """Answer in a thread; a question waits a few milliseconds for one of another thread, to be
        answered together.
        """
        with np.errstate(all="ignore"):
            while True:
                question = questions.get()
                with self.pairing:
                    self.alone = not self.alone
                    if self.alone:
                        self.pairing.wait_for(lambda: not self.alone, timeout=PAIRING_SECONDS)
                        self.alone = False
                    else:
                        self.begin = time.monotonic() + WAKING_SECONDS
                        self.pairing.notify_all()
                time.sleep(max(0.0, self.begin - time.monotonic()))
                self._reply(*question)
                del question

    def _reply(self, message: Message, arguments: list[Any]) -> None:
        blocks: Blocks = []
        numbered = {"id": message.get("id")}
        try:
            reply = self._answer(message, arguments, blocks)
            changed = list(self.copies.changes(message["owners"], blocks))
            content = messages.write({**numbered, **reply, "changed": changed}, blocks)
        except BaseException as error:
            blocks = []
            changed = list(self.copies.changes(message["owners"], blocks))
            own = own_code(self.module)
            reply = {"error": in_words(error, own), "frames": frames(error, own)}
            content = messages.write({**numbered, **reply, "changed": changed}, blocks)
        try:
            with self.sending:
                self.replies.write(content)
                self.replies.flush()
        except OSError as error:
            _leave(error)

    def _answer(
        self,
        message: Message,
        arguments: list[Any],
        blocks: Blocks,
    ) -> Message:
        call = message["call"]
        if call == "start":
            return self._start(message)
        if call == "overwrite":
            write_ones(self.answers[message["answer"]])
            return {"result": None}
        if call == "look":
            return {"result": messages.to_plain(self.answers[message["answer"]], blocks)}
        turns: Any = contextlib.nullcontext()
        if message["thread"]:
            turns = self._taking_turns(call, message["id"])
        with turns:
            answer = unrolled(getattr(self.module, call)(*arguments))
        self.answers[message["id"]] = answer
        return {"result": messages.to_plain(answer, blocks)}

    def _start(self, message: Message) -> Message:
        """Load the subject; the reply says what it offers and whether it imports this package."""
        target = message["target"]
        before = set(sys.modules)
        sys.argv = [target]
        try:
            self.module = load_module(target)
        except CannotBeJudged as problem:
            return {"error": str(problem), "frames": problem.frames}
        self.folder = os.path.dirname(str(getattr(self.module, "__file__", "")))
        others = public_callables(self.module)
        functions = message["functions"]
        imported = set(sys.modules) - before
        return {
            "version": message["version"],
            "name": target,
            "language": "Python",
            "offers": [name for name in functions if callable(getattr(self.module, name, None))],
            "others": others,
            "imports_lmlir": any(name.startswith("lmlir.") for name in imported),
        }

    @contextlib.contextmanager
    def _taking_turns(self, function: str, phase: int) -> Iterator[None]:
        """Let other threads run between some lines of the subject, so that threads that disturb one
        another do it soon.

        Each call sleeps at a different window of lines, among as many as the last call of the
        function executed.
        """
        lines = itertools.count()
        first = phase * STRIDE_LINES % max(self.lines.get(function, 0) - TURN_LINES // 2, 1)

        def turn(frame: Any, event: str, argument: Any) -> Any:
            if not frame.f_code.co_filename.startswith(self.folder):
                return None
            number = next(lines) if event == "line" else -1
            if first <= number < first + TURN_LINES:
                time.sleep(TURN_SECONDS)
            return turn if number < MAX_LINES else None

        before = sys.gettrace()
        sys.settrace(turn)
        try:
            yield
        finally:
            sys.settrace(before)
            self.lines[function] = min(next(lines), MAX_LINES)


def _control(option: int, value: int) -> None:
    """Call prctl, on Linux."""
    with contextlib.suppress(OSError, AttributeError, ImportError, TypeError):
        import ctypes

        ctypes.CDLL(None).prctl(option, value)


def _end_with(judge: int) -> None:
    """End when the judge ends, however it ends; and be the first process to be ended when memory
    runs out.
    """
    _control(PR_SET_PDEATHSIG, 9)
    if sys.platform == "linux" and os.getppid() != judge:  # it ended before that call
        os._exit(1)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _limit_memory() -> None:
    """Let allocations fail beyond half of the memory of this machine or group of processes; write
    no file after a crash.
    """
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
        for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
            with contextlib.suppress(OSError, ValueError):
                sizes.append(int(Path(name).read_text()))
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        limit = min(sizes) // 2
        resource.setrlimit(
            resource.RLIMIT_DATA,
            (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard),
        )


def _leave(error: OSError) -> None:
    with contextlib.suppress(OSError):
        os.write(2, f"the connection to the judge is closed: {in_words(error)}".encode())
    os._exit(CONNECTION_LOST)


def main(judge: int) -> None:
    """Serve the judge; `judge` is its process (0: do not end with it)."""
    if judge:
        _end_with(judge)
    _limit_memory()
    questions = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # the subject reads an empty input
    os.dup2(2, 1)  # and its output goes where its errors go
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    try:
        Worker(questions, replies).serve()
    except EOFError:
        os._exit(0)  # threads of the subject do not keep the process alive
    except OSError as error:
        _leave(error)
