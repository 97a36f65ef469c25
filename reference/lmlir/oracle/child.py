"""The child process of a Python subject: loads the subject under its own name and answers what the judge asks.

It is run as a script and imports nothing else of the package, so that little is there for a subject to disturb. Questions and
answers go through a socket of their own, because a subject may print.

frame       a pickle and raw blocks of numbers, each with its length in front (`send`, `receive`)
mirror      the judge's arrays, rebuilt here: the same object stays the same object from call to call, views share memory,
            and order, gaps, number type, read-only flags and memory maps are those of the judge's arrays (`Mirror`)
held        an answer as the subject gave it, kept as long as the judge keeps its own, to be looked at again (`Child`)
plain       an answer in builtin types and arrays of numbers, which is all that the judge opens (`plain`)
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import itertools
import os
import pickle
import queue
import socket
import struct
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

TURNS, STRIDE, MOST_LINES = 12, 7, 1000  # of the lines at which threads take turns
LONGEST = 1 << 29  # bytes of a message
TOO_LONG = "the answer is longer than 512 megabytes"

Blocks = list[Any]  # of bytes, or of memory that holds them


class NotLoadable(Exception):
    """There is no such subject; the message says what is missing."""


class Garbled(pickle.UnpicklingError):
    """What came through the socket is no message, or holds more than builtin types and arrays."""


# ---- frames ----


def send(sock: socket.socket, content: bytes, blocks: Blocks) -> None:
    """One frame: how long it is, the number of parts, their lengths, the parts."""
    lengths = [len(content), *map(len, blocks)]
    head = struct.pack(f"<I{len(lengths)}Q", len(lengths), *lengths)
    sock.sendall(b"".join([struct.pack("<Q", len(head) + sum(lengths)), head, content, *blocks]))


def receive(sock: socket.socket) -> tuple[memoryview, Blocks]:
    """The next frame: its pickle and its blocks; an `EOFError` when the other side has gone."""
    (length,) = struct.unpack("<Q", _exactly(sock, 8))
    if length > LONGEST:
        raise Garbled(f"a message has {length} bytes")
    frame = memoryview(_exactly(sock, length))
    (count,) = struct.unpack_from("<I", frame)
    lengths = struct.unpack_from(f"<{count}Q", frame, 4)
    ends = list(itertools.accumulate(lengths, initial=4 + 8 * count))
    content, *blocks = [frame[start:end] for start, end in itertools.pairwise(ends)]
    return content, blocks


def _exactly(sock: socket.socket, count: int) -> bytearray:
    buffer = bytearray(count)
    view = memoryview(buffer)
    while view:
        received = sock.recv_into(view)
        if received == 0:
            raise EOFError("the other side has gone")
        view = view[received:]
    return buffer


class Packer(pickle.Pickler):
    """Pickles a message; an array goes where `reference` puts it and leaves what it returns."""

    def __init__(self, file: io.BytesIO, reference: Callable[[np.ndarray], Any]) -> None:
        super().__init__(file, protocol=5)
        self.reference = reference

    def persistent_id(self, value: Any) -> Any:
        """What stands for an array in the pickle."""
        return self.reference(value) if isinstance(value, np.ndarray) else None


class Opener(pickle.Unpickler):
    """Opens a message: arrays by their references, and classes only where the sender is trusted."""

    def __init__(self, content: Any, array: Callable[[Any], np.ndarray], trusted: bool) -> None:
        super().__init__(io.BytesIO(content))
        self.array, self.trusted = array, trusted

    def persistent_load(self, reference: Any) -> Any:
        """The array that a reference stands for."""
        return self.array(reference)

    def find_class(self, module: str, name: str) -> Any:
        """The class or function of that name, for messages of the judge alone."""
        if not self.trusted:
            raise Garbled(f"an answer holds a {module}.{name}")
        return super().find_class(module, name)


def packed(message: Any, reference: Callable[[np.ndarray], Any]) -> bytes:
    """The pickle of a message, without its arrays."""
    file = io.BytesIO()
    Packer(file, reference).dump(message)
    return file.getvalue()


# ---- arrays ----


def memory(array: np.ndarray) -> bytes:
    """The numbers of a contiguous array, in the order of its memory."""
    return array.tobytes(order="A")


def overwrite(array: np.ndarray, block: Any) -> None:
    """Write what `memory` gave into an array of the same kind, also into a read-only one."""
    locked = not array.flags.writeable
    if locked:
        array.flags.writeable = True
    if len(block):
        array.reshape(-1, order="A").view(np.uint8)[...] = np.frombuffer(block, dtype=np.uint8)
    if locked:
        array.flags.writeable = False


class Mirror:
    """Arrays that stand for those of the judge, by their numbers."""

    def __init__(self) -> None:
        self.arrays: dict[int, np.ndarray] = {}
        self.known: dict[int, bytes] = {}

    def follow(self, changed: Iterable[tuple[int, int]], gone: Iterable[int], blocks: Blocks) -> None:
        """Write what the judge wrote into its arrays; let go of those that it no longer has."""
        for number, block in changed:
            self.known[number] = bytes(blocks[block])
            overwrite(self.arrays[number], blocks[block])
        for number in gone:
            del self.arrays[number]
            self.known.pop(number, None)

    def build(self, number: int, kind: str, details: dict[str, Any], locked: bool, blocks: Blocks) -> None:
        """An array like the judge's: one with memory of its own, a view of another one, or a memory map."""
        if kind == "own":
            array = np.empty(details["shape"], dtype=details["dtype"], order=details["order"])
            overwrite(array, blocks[details["block"]])
            self.known[number] = bytes(blocks[details["block"]])
        elif kind == "map":
            array = np.memmap(**details)
        else:
            owner = self.arrays[details.pop("owner")]
            array = np.ndarray(buffer=owner.T if owner.flags.fnc else owner, **details)
        if locked:
            array.flags.writeable = False
        self.arrays[number] = array

    def changes(self, numbers: Iterable[int]) -> list[tuple[int, bytes]]:
        """Which of these arrays no longer hold what the judge knows, and what they hold now."""
        found = []
        for number in numbers:
            now = memory(self.arrays[number])
            if now != self.known[number]:
                self.known[number] = now
                found.append((number, now))
        return found


# ---- answers ----


def plain(value: Any, depth: int = 0) -> Any:
    """An answer in builtin types and arrays of numbers; what cannot be put so is sent as the text that shows it.

    >>> plain((np.float64(0.5), [1, None]))
    (array(0.5), [1, None])
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, (list, tuple)) and depth < 9:
        parts = [plain(part, depth + 1) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, dict):
        return {str(key): plain(part, depth + 1) for key, part in value.items()}
    array = np.asarray(value)
    if array.nbytes > LONGEST:
        raise MemoryError(TOO_LONG)
    if array.dtype.kind != "O":
        return array
    if array.ndim:
        return plain(array.tolist(), depth + 1)
    try:
        return float(value)
    except Exception:
        return repr(value)[:1000]


def overwrite_answer(answer: Any) -> None:
    """Write ones all over the arrays of an answer, as their owner may, where they can be written to.

    >>> kept = np.zeros(2)
    >>> overwrite_answer((kept, 0.5))
    >>> kept
    array([1., 1.])
    """
    for part in answer if isinstance(answer, (list, tuple)) else (answer,):
        if isinstance(part, np.ndarray) and part.flags.writeable:
            part[...] = 1


def first_line(error: BaseException) -> str:
    """The first line of an error's message."""
    try:
        text = str(error).strip()
    except Exception:
        text = ""
    return text.splitlines()[0][:300] if text else "(no message)"


# ---- loading ----


def is_a_path(target: str) -> bool:
    """Whether a subject is named by its file."""
    return target.endswith(".py") or "/" in target or "\\" in target


def load(target: str) -> Any:
    """The module of this dotted name, or in this file; raises `NotLoadable`, or whatever its import raises."""
    return _module_from_file(Path(target)) if is_a_path(target) else _module_by_name(target)


def public_callables(module: Any) -> list[str]:
    """The names of what can be called in a module, without those that begin with an underscore."""
    return [name for name in list(vars(module)) if not name.startswith("_") and callable(getattr(module, name, None))]


def module_name(path: Path) -> str:
    """The name under which a file is imported: its own, unless another module has it.

    >>> module_name(Path("somewhere/fast.py")), module_name(Path("somewhere/queue.py"))
    ('fast', 'lmlir_subject_queue')
    """
    there = sys.modules.get(path.stem)
    taken = there is not None and getattr(there, "__file__", None) != str(path)
    return f"lmlir_subject_{path.stem}" if taken or path.stem in sys.stdlib_module_names else path.stem


def _module_from_file(path: Path) -> Any:
    if not path.is_file():
        raise NotLoadable(f"there is no file {path}")
    path = path.resolve()
    name = module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise NotLoadable(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))  # to stay: the subject may import more when it is called
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
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
            raise NotLoadable(f"there is no module {prefix}")


# ---- serving ----


class Child:
    """Serves one judge: loads a subject, calls its functions, holds its answers.

    What the judge asks in its main thread is answered in the main thread here, and what it asks in another thread in a
    thread that stands for it.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.sending = threading.Lock()
        self.mirror = Mirror()
        self.answers: dict[int, Any] = {}
        self.threads: dict[int, queue.SimpleQueue[dict[str, Any]]] = {}
        self.together = threading.Condition()
        self.alone, self.begin = False, 0.0
        self.lines: dict[str, list[int]] = {}
        self.module: Any = None
        self.folder = ""

    def serve(self) -> None:
        """Answer until the judge is gone, which raises an `EOFError`."""
        while True:
            content, blocks = receive(self.sock)
            message = self._opened(content, blocks)
            del content, blocks
            if message["thread"]:
                self._in_thread(message)
            else:
                self._reply(message)

    def _opened(self, content: memoryview, blocks: Blocks) -> dict[str, Any]:
        head: dict[str, Any] = pickle.loads(blocks.pop())
        self.mirror.follow(head["changed"], head["gone"], blocks)
        for number in head["forgotten"]:
            self.answers.pop(number, None)
        for number, kind, details, locked in head["new"]:
            self.mirror.build(number, kind, details, locked, blocks)
        message: dict[str, Any] = Opener(content, self.mirror.arrays.__getitem__, trusted=True).load()
        return {**message, "owners": head["owners"]}

    def _in_thread(self, message: dict[str, Any]) -> None:
        number = message["thread"]
        if number not in self.threads:
            _sleep_exactly()
            self.threads[number] = queue.SimpleQueue()
            threading.Thread(target=self._answer_all, args=(self.threads[number],), daemon=True).start()
        self.threads[number].put(message)

    def _answer_all(self, messages: queue.SimpleQueue[dict[str, Any]]) -> None:
        """Answer in a thread, at the same time as another one where a question for that comes in a few milliseconds."""
        with np.errstate(all="ignore"):
            while True:
                message = messages.get()
                with self.together:
                    self.alone = not self.alone
                    if self.alone:
                        self.together.wait_for(lambda: not self.alone, timeout=0.005)
                        self.alone = False
                    else:
                        self.begin = time.monotonic() + 0.0003  # by then the other one is awake
                        self.together.notify_all()
                time.sleep(max(0.0, self.begin - time.monotonic()))
                self._reply(message)

    def _reply(self, message: dict[str, Any]) -> None:
        try:
            reply = {"answer": getattr(self, "_" + message["call"])(message)}
        except NotLoadable as missing:
            reply = {"missing": str(missing)}
        except BaseException as error:
            reply = {"raised": f"{type(error).__name__}: {first_line(error)}"}
        changes = self.mirror.changes(message["owners"])
        blocks: Blocks = []

        def reference(array: np.ndarray) -> Any:
            """Which block has the numbers of an array, their type and its shape."""
            blocks.append(array.tobytes())
            return len(blocks) - 1, array.dtype.str, array.shape

        reply |= {"id": message["id"], "changed": [(number, len(changes) - k) for k, (number, _) in enumerate(changes)]}
        content = packed(reply, reference)
        blocks += [block for _, block in changes]
        if sum(map(len, blocks)) > LONGEST:
            content, blocks = (
                packed({"id": message["id"], "changed": [], "raised": f"MemoryError: {TOO_LONG}"}, reference),
                [],
            )
        with self.sending:
            send(self.sock, content, blocks)

    def _load(self, message: dict[str, Any]) -> dict[str, Any]:
        sys.path[:] = message["path"]
        sys.argv = [message["target"]]
        self.module = load(message["target"])
        self.folder = os.path.dirname(str(getattr(self.module, "__file__", "")))
        names = [name for name in message["functions"] if callable(getattr(self.module, name, None))]
        return {"offers": names, "others": public_callables(self.module)}

    def _ask(self, message: dict[str, Any]) -> Any:
        counted = self.lines.setdefault(message["function"], [0])
        with taking_turns(self.folder, message["id"], counted) if message["thread"] else contextlib.nullcontext():
            answer = getattr(self.module, message["function"])(*message["given"])
            answer = tuple(answer) if hasattr(answer, "__next__") else answer
        self.answers[message["id"]] = answer
        return plain(answer)

    def _look(self, message: dict[str, Any]) -> Any:
        return plain(self.answers[message["answer"]])

    def _overwrite(self, message: dict[str, Any]) -> None:
        overwrite_answer(self.answers[message["answer"]])


@contextlib.contextmanager
def taking_turns(folder: str, phase: int, counted: list[int]) -> Iterator[None]:
    """Let the other threads run between some lines of the subject, so that threads that disturb one another do it soon.

    Those are a few in a row, each time others, among as many as the last call had; how many that were is kept.
    """
    lines = itertools.count()
    first = phase * STRIDE % max(counted[0] - TURNS // 2, 1)

    def turn(frame: Any, event: str, argument: Any) -> Any:
        """Called by Python at every line: a short sleep at some of the subject's."""
        if not frame.f_code.co_filename.startswith(folder):
            return None
        number = next(lines) if event == "line" else -1
        if first <= number < first + TURNS:
            time.sleep(5e-5)
        return turn if number < MOST_LINES else None

    before = sys.gettrace()
    sys.settrace(turn)
    try:
        yield
    finally:
        sys.settrace(before)
        counted[0] = min(next(lines), MOST_LINES)


def _sleep_exactly() -> None:
    """Let the threads that this one starts sleep for microseconds where they ask for no more."""
    with contextlib.suppress(OSError, AttributeError, ImportError):
        import ctypes

        ctypes.CDLL(None).prctl(29, 1000)  # PR_SET_TIMERSLACK in nanoseconds, for this thread and those that it starts


def _die_with(parent: int) -> None:
    """End when the judge ends, however it ends; and be the first to go where memory runs out."""
    with contextlib.suppress(OSError, AttributeError, ImportError):
        import ctypes

        ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
    if os.getppid() != parent:
        os._exit(1)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _limit_memory(limit: int) -> None:
    """An allocation beyond the limit fails; no file is left by a crash."""
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (limit if hard == -1 else min(limit, hard), hard))


def main(descriptor: int, parent: int, limit: int) -> None:
    """Serve the judge at the other end of a socket, `parent` being its process (0: not to be watched)."""
    if parent:
        _die_with(parent)
    _limit_memory(limit)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    sock = socket.socket(fileno=descriptor)
    try:
        Child(sock).serve()
    except EOFError:
        pass
    except OSError as error:
        with contextlib.suppress(OSError):
            os.write(2, f"the connection to the judge is closed: {first_line(error)}".encode())
        os._exit(70)
    os._exit(0)  # threads of the subject do not keep the process alive


if __name__ == "__main__":
    main(*map(int, itertools.islice(sys.argv, 1, 4)))
