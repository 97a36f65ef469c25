"""Python subjects in a child process: calls go through a socket, and the judge's arrays have their mirror there (`child`)."""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np

from lmlir.oracle import child, separate, subjects
from lmlir.oracle.interface import FUNCTIONS, Arguments, near_misses, offers_nothing
from lmlir.oracle.separate import Patience, Separate
from lmlir.oracle.subjects import Held, Subject
from lmlir.oracle.violations import CannotBeJudged, SubjectFailure

Reply = dict[str, Any]

BROKEN = (OSError, EOFError, pickle.UnpicklingError, struct.error, ValueError, LookupError, TypeError, MemoryError)


class Originals:
    """The judge's arrays that a child mirrors, by their numbers; kept until nobody else has them and their end is told."""

    def __init__(self) -> None:
        self.arrays: dict[int, np.ndarray] = {}
        self.numbers: dict[int, int] = {}
        self.known: dict[int, bytes] = {}
        self.count = itertools.count(1)

    def packed(self, message: dict[str, Any], forgotten: list[int]) -> tuple[bytes, child.Blocks]:
        """A message with its arrays as references, and the blocks and the head that let the child rebuild them."""
        blocks: child.Blocks = []
        changed, gone = self._news(blocks)
        new: list[Any] = []
        owners: set[int] = set()

        def reference(array: np.ndarray) -> int:
            """The number of an array, which is described to the child if it is new."""
            if id(array) not in self.numbers:
                new.extend(self._described(array, blocks))
            owner = self.numbers[id(owner_of(array))]
            if owner in self.known:
                owners.add(owner)
            return self.numbers[id(array)]

        content = child.packed(message, reference)
        head = {"changed": changed, "gone": gone, "new": new, "owners": sorted(owners), "forgotten": forgotten}
        return content, [*blocks, pickle.dumps(head, protocol=5)]

    def _news(self, blocks: child.Blocks) -> tuple[list[tuple[int, int]], list[int]]:
        """Which arrays hold other numbers than the child knows, and which have no other holder than this object.

        Those are told from last to first, so that an array that takes their place in the child is likely to have their
        address, too: a subject must not recognize arrays by it.
        """
        changed, gone = [], []
        for number in reversed(list(self.arrays)):
            array = self.arrays[number]
            if number in self.known and (now := child.memory(array)) != self.known[number]:
                self.known[number] = now
                changed.append((number, len(blocks)))
                blocks.append(now)
            if sys.getrefcount(array) <= 3:  # the dictionary, the name, the argument
                gone.append(number)
                del self.arrays[number], self.numbers[id(array)]
                self.known.pop(number, None)
        return changed, gone

    def _described(self, array: np.ndarray, blocks: child.Blocks) -> Iterator[Any]:
        """What the child needs to build an array and, before it, the one whose memory it shows."""
        owner = owner_of(array)
        locked = not array.flags.writeable
        if owner is not array:
            if id(owner) not in self.numbers:
                yield from self._described(owner, blocks)
            offset = _address(array) - _address(owner)
            details = {"shape": array.shape, "dtype": array.dtype, "strides": array.strides, "offset": offset}
            yield self._entered(array), "view", {**details, "owner": self.numbers[id(owner)]}, locked
        elif isinstance(array, np.memmap) and array.filename is not None and array.mode != "c":
            mode = "r" if array.mode == "r" else "r+"
            details = {"filename": str(array.filename), "mode": mode, "offset": array.offset}
            details |= {"shape": array.shape, "dtype": array.dtype, "order": _order(array)}
            yield self._entered(array), "map", details, locked
        else:
            number = self._entered(array)
            self.known[number] = child.memory(array)
            details = {"shape": array.shape, "dtype": array.dtype, "order": _order(array), "block": len(blocks)}
            blocks.append(self.known[number])
            yield number, "own", details, locked

    def _entered(self, array: np.ndarray) -> int:
        number = next(self.count)
        self.arrays[number], self.numbers[id(array)] = array, number
        return number

    def follow(self, changed: list[tuple[int, int]], blocks: child.Blocks) -> None:
        """Write into the judge's arrays what the subject wrote into their mirrors."""
        for number, from_the_end in changed:
            if number in self.arrays:
                self.known[number] = bytes(blocks[-from_the_end])
                child.overwrite(self.arrays[number], blocks[-from_the_end])


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array whose memory this one shows: itself, when it has its own."""
    base = array.base
    base = base if isinstance(base, np.ndarray) else getattr(base, "base", None)  # as_strided puts an object in between
    owner = owner_of(base) if isinstance(base, np.ndarray) else array
    return owner if owner.flags.forc else array


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def _order(array: np.ndarray) -> str:
    return "F" if array.flags.fnc else "C"


class Connection:
    """The judge's end of the socket to one child: several threads may ask, and whoever waits reads for all."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.originals = Originals()
        self.ids = itertools.count(1)
        self.sending = threading.Lock()
        self.arrived = threading.Condition()
        self.replies: dict[int, Reply] = {}
        self.reading = False
        self.broken = False
        self.failure: SubjectFailure | None = None

    def exchange(self, message: dict[str, Any], seconds: float, forgotten: list[int]) -> Reply:
        """Send a message and wait for its reply; raises one of `BROKEN` when there is none."""
        end = time.monotonic() + seconds
        main = threading.current_thread() is threading.main_thread()
        with self.sending:
            number = next(self.ids)
            message = {**message, "id": number, "thread": 0 if main else threading.get_ident()}
            content, blocks = self.originals.packed(message, forgotten)
            self.sock.settimeout(seconds)
            child.send(self.sock, content, blocks)
        while True:
            with self.arrived:
                while number not in self.replies and self.reading:
                    self.arrived.wait()
                if number in self.replies:
                    return self.replies.pop(number)
                if self.broken:
                    raise EOFError("another thread found the connection broken")
                self.reading = True
            self._read_one(end)

    def _read_one(self, end: float) -> None:
        """Read the next reply, whosever it is."""
        reply = None
        try:
            self.sock.settimeout(max(end - time.monotonic(), 0.001))
            content, blocks = child.receive(self.sock)
            found = child.Opener(content, lambda where: _array(where, blocks), trusted=False).load()
            with self.sending:
                self.originals.follow(found["changed"], blocks)
            reply = {"id": found["id"], **found}
        finally:
            with self.arrived:
                self.reading = False
                self.broken = reply is None
                if reply is not None:
                    self.replies[reply["id"]] = reply
                self.arrived.notify_all()


class RemoteAnswer(Held):
    """An answer that a child holds: as it was when it was given, and after that as it is now."""

    def __init__(self, module: Module, connection: Connection, reply: Reply) -> None:
        self.module, self.connection, self.number = module, connection, reply["id"]
        self.given: list[Any] = [reply["answer"]]

    def look(self) -> Any:
        """The answer in plain types: at first as it was given, later as it is."""
        return self.given.pop() if self.given else self.module.about(self, "look")

    def as_given(self) -> Any:
        """The answer as it was given, before it is looked at."""
        return self.given[0] if self.given else None

    def overwrite(self) -> None:
        """Write ones all over it, where the child holds it."""
        self.module.about(self, "overwrite")

    def __del__(self) -> None:
        self.module.forgotten.append(self.number)


class Module(Separate):
    """A Python subject in a child process, restarted after a crash or a hang; it can be asked from several threads."""

    connection: Connection

    def __init__(self, target: str, timeout: float = separate.TIMEOUT, patience: Patience | None = None) -> None:
        super().__init__(target, timeout, patience)
        self.forgotten: list[int] = []
        self.changing = threading.RLock()
        try:
            loaded = self._start()
            if not loaded["offers"]:
                raise CannotBeJudged(f"{target} {offers_nothing(loaded['others'])}")
        except SubjectFailure as failure:
            self.close()
            said = f" (it said: {failure.said})" if failure.said else ""
            raise CannotBeJudged(f"{target}: {failure.sentence}{said}") from failure
        except CannotBeJudged:
            self.close()
            raise
        self.functions = dict.fromkeys(loaded["offers"], _unused)
        self.near_misses = near_misses(loaded["others"], self.functions)

    def fresh(self) -> Self:
        """The same subject in a new process."""
        return type(self)(self.name, self.timeout, self.patience)

    def _start(self) -> dict[str, Any]:
        """Start the child and let it load the subject; raises `CannotBeJudged` when that has no prospect."""
        ours, theirs = socket.socketpair()
        watched = os.getpid() if threading.current_thread() is threading.main_thread() else 0
        arguments = (theirs.fileno(), watched, _memory_limit())
        command = [sys.executable, "-P", "-X", "faulthandler", child.__file__, *map(str, arguments)]
        with theirs:
            self._spawn(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
        self.connection = Connection(ours)
        self.forgotten = []
        load = {"call": "load", "target": self.name, "path": sys.path, "functions": list(FUNCTIONS)}
        reply = self._exchange(self.connection, load, max(separate.START_TIMEOUT, self.timeout))
        if "missing" in reply:
            raise CannotBeJudged(str(reply["missing"]))
        if "raised" in reply:
            raise CannotBeJudged(f"importing {self.name} raised {reply['raised']}")
        loaded: dict[str, Any] = reply["answer"]
        return loaded

    def ask(self, function: str, arguments: Arguments) -> Any:
        """The answer, held by the child; raises `SubjectFailure` when there is none."""
        with self.changing:
            if not self.alive:
                self._restart()
            connection = self.connection
            self._remember(function, arguments)
        question = {"call": "ask", "function": function, "given": tuple(arguments.values())}
        reply = self._exchange(connection, question, self.timeout)
        if "raised" in reply:
            raise SubjectFailure(f"{function} raised {reply['raised']}")
        return RemoteAnswer(self, connection, reply)

    def about(self, answer: RemoteAnswer, call: str) -> Any:
        """Look at an earlier answer again, or overwrite it: what the child says."""
        if answer.connection is not self.connection or not self.alive:
            raise SubjectFailure("an answer was lost with the process that gave it")
        reply = self._exchange(answer.connection, {"call": call, "answer": answer.number}, self.timeout)
        if "raised" in reply:
            raise SubjectFailure(f"an answer, looked at again, raised {reply['raised']}")
        return reply["answer"]

    def _exchange(self, connection: Connection, message: dict[str, Any], seconds: float) -> Reply:
        """The reply to a message; where there is none, the child is ended, once, and every thread is told why."""
        forgotten, self.forgotten = self.forgotten, []
        try:
            return connection.exchange(message, seconds, forgotten)
        except BROKEN as error:
            with self.changing:
                if connection.failure is None:
                    connection.failure = self._failed(error, seconds)
                    connection.sock.close()
                raise connection.failure from None

    def _failed(self, error: Exception, seconds: float) -> SubjectFailure:
        if isinstance(error, TimeoutError):
            return self._hung(seconds)
        if isinstance(error, (EOFError, OSError)):
            return self._ended()
        self._stop()
        return SubjectFailure(f"the {self.kind} disturbed its connection to the judge: {error}", crashed=True)

    def close(self) -> None:
        """End the child."""
        self._stop()
        if hasattr(self, "connection"):
            self.connection.sock.close()


def _array(where: tuple[int, str, tuple[int, ...]], blocks: child.Blocks) -> np.ndarray:
    block, dtype, shape = where
    return np.frombuffer(blocks[block], dtype=np.dtype(dtype)).reshape(shape)


def _unused(*arguments: Any) -> Any:
    raise NotImplementedError("a subject in another process is asked by ask()")


def _memory_limit() -> int:
    """Half of the memory that this machine, or the group of processes that we are in, has."""
    sizes = []
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            sizes.append(int(Path(name).read_text()))
    return min(sizes, default=1 << 62) // 2


def start(target: str, timeout: float = separate.TIMEOUT) -> Subject:
    """A Python subject in a child process; where the system cannot pass a socket on, in this one."""
    return Module(target, timeout) if os.name == "posix" else subjects.load(target)
