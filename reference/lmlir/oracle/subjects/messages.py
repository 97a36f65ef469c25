"""Messages between the judge and a subject's process: one JSON object per line, in both directions.

A program gets arrays as nested lists (`to_lists`, `from_lists`). The worker of a Python module gets
references to arrays, and their numbers follow the line as blocks of bytes (`write`, `read`). The
judge's arrays are its `Originals`, and the worker has `Copies` of them: one object stays one object
from call to call, views share memory, and order, gaps, number type, read-only flags and memory maps
are the same. JSON contains no classes, so that a subject cannot make the judge run anything.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import re
import reprlib
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

import numpy as np

MAX_LINE_BYTES = 1 << 26
MAX_BLOCK_BYTES = 1 << 29
MAX_DEPTH = 8  # of the lists in an answer
MAX_VALUES = 1 << 22  # in them
SHOWN_CHARACTERS = 300
# of what a subject printed during one call
PRINTED_CHARACTERS = 400
PRINTED_LINES = 10
KINDS = "biufcmMSUV"  # the types of NumPy whose arrays are blocks of bytes
DTYPE = re.compile(rf"[<>|][{KINDS}]\d{{1,9}}(\[\w+\])?")
DISPLAY = reprlib.Repr()  # shows any value, also one that contains itself, in a short time
DISPLAY.maxother = DISPLAY.maxstring = 1000

Message = dict[str, Any]
Blocks = list[bytes]


class Malformed(Exception):
    """A reply that breaks the rules: what the subject did, and the reply."""

    def __init__(self, problem: str, reply: Any) -> None:
        super().__init__(problem)
        self.said = shortened(reply if isinstance(reply, str) else DISPLAY.repr(reply))


def shortened(text: str) -> str:
    """Return the beginning of a text."""
    text = text.strip()
    if len(text) <= SHOWN_CHARACTERS:
        return text
    return text[:SHOWN_CHARACTERS] + "..."


def first_lines(text: str, size: int) -> str:
    """Return the first lines of what a subject printed, and how many characters were left out.

    The text has `size` characters, of which the last may be missing.

    >>> first_lines("gamma = 0.5\\n", 12)
    'gamma = 0.5'
    """
    missing = size - len(text)
    text = text.strip()
    lines = text[:PRINTED_CHARACTERS].split("\n")[:PRINTED_LINES]
    beginning = "\n".join(lines)
    if beginning == text and not missing:
        return text
    if len(beginning) == PRINTED_CHARACTERS:
        beginning = re.sub(r"(?<=\s)\S*\Z", "", beginning)  # whole words, if there are several
    beginning = beginning.rstrip()
    return f"{beginning}\n... and {len(text) + missing - len(beginning)} more characters"


def write(message: Message, blocks: Blocks) -> bytes:
    """Return a message as bytes: its line, with the lengths of its blocks, and the blocks."""
    line = json.dumps({**message, "blocks": [len(block) for block in blocks]}).encode()
    if len(line) >= MAX_LINE_BYTES:
        raise MemoryError("the answer is longer than 64 megabytes without its arrays")
    return b"".join([line, b"\n", *blocks])


def read_line(stream: IO[bytes], **options: Any) -> Message:
    """Read one JSON object; raises `EOFError` at the end of the stream and `Malformed` for anything
    else.
    """
    line = stream.readline(MAX_LINE_BYTES)
    if not line:
        raise EOFError
    text = line.decode("utf-8", errors="replace")
    try:
        message = json.loads(text, **options)
    except (ValueError, RecursionError):
        raise Malformed("printed a line that is not JSON", text) from None
    if not isinstance(message, dict):
        raise Malformed("answered with JSON that is not an object", text)
    return message


def read(stream: IO[bytes]) -> tuple[Message, Blocks]:
    """Read what `write` returned."""
    message = read_line(stream)
    lengths = message.pop("blocks", None)
    if not _are_counts(lengths) or sum(lengths) > MAX_BLOCK_BYTES:
        raise Malformed("announced blocks of bytes that it cannot send", lengths)
    blocks = [stream.read(length) for length in lengths]
    if [len(block) for block in blocks] != lengths:
        raise EOFError
    return message, blocks


def _are_counts(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    return all(type(number) is int and number >= 0 for number in value)


# ---- values ----


def to_lists(value: Any) -> Any:
    """Return arrays as nested lists, and the numbers that JSON lacks as strings.

    >>> to_lists(np.array([1.0, np.inf]))
    [1.0, 'Infinity']
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            value = value.astype(np.float64)
        numbers = value.tolist()
        return numbers if np.isfinite(value).all() else to_lists(numbers)
    if isinstance(value, (list, tuple)):
        return [to_lists(entry) for entry in value]
    if isinstance(value, (bool, str)) or value is None:
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    number = float(value)
    if math.isfinite(number):
        return number
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


def from_lists(value: Any) -> Any:
    """Return nested lists of numbers: the inverse of `to_lists`.

    >>> from_lists([1, "-Infinity"])
    [1, -inf]
    """
    if isinstance(value, list):
        return [from_lists(entry) for entry in value]
    if value in ("NaN", "Infinity", "-Infinity"):
        return float(value)
    return value


def to_plain(value: Any, blocks: Blocks) -> Any:
    """Return an answer as JSON, with the numbers of its arrays in blocks.

    A tuple, a dictionary and an array become an object with one key. Anything else, also a list
    that contains itself, is replaced by text that shows it.

    >>> to_plain((np.float64(0.5), [1, None]), blocks := [])
    {'tuple': [{'array': [0, '<f8', ()]}, [1, None]]}
    """
    count = 0

    def encode(value: Any, depth: int) -> Any:
        nonlocal count
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, (list, tuple, dict)):
            count += len(value)
            if depth > MAX_DEPTH:
                return DISPLAY.repr(value)
            if count > MAX_VALUES:
                raise MemoryError(f"the answer has more than {MAX_VALUES} values in lists")
            if isinstance(value, dict):
                entries = {str(key): encode(entry, depth + 1) for key, entry in value.items()}
                return {"dict": entries}
            values = [encode(entry, depth + 1) for entry in value]
            return values if isinstance(value, list) else {"tuple": values}
        array = np.asarray(value)
        if sum(map(len, blocks)) + array.nbytes > MAX_BLOCK_BYTES:
            raise MemoryError("the answer is longer than 512 megabytes")
        if array.dtype.kind in KINDS:
            blocks.append(array.tobytes())
            return {"array": [len(blocks) - 1, array.dtype.str, array.shape]}
        if array.ndim:  # of strings, of objects
            return encode(array.tolist(), depth + 1)
        try:
            return float(value)
        except Exception:
            return DISPLAY.repr(value)

    return encode(value, 0)


def from_plain(value: Any, blocks: Blocks) -> Any:
    """Return the answer that `to_plain` was given; raises `Malformed` for anything else."""
    if isinstance(value, list):
        return [from_plain(entry, blocks) for entry in value]
    match value:
        case {"tuple": list(entries), **others} if not others:
            return tuple(from_plain(entry, blocks) for entry in entries)
        case {"dict": dict(entries), **others} if not others:
            return {key: from_plain(entry, blocks) for key, entry in entries.items()}
        case {"array": [number, str(dtype), list(shape)]} if _are_counts(
            [number, *shape]
        ) and DTYPE.fullmatch(dtype):
            with contextlib.suppress(ValueError, TypeError, LookupError):
                return np.frombuffer(blocks[number], dtype).reshape(shape)
        case None | bool() | int() | float() | str():
            return value
    raise Malformed("sent an answer that cannot be read", value)


# ---- arrays ----


def memory(array: np.ndarray) -> bytes:
    """Return the numbers of a contiguous array, in the order of its memory."""
    return array.tobytes(order="A")


def write_memory(array: np.ndarray, block: bytes) -> None:
    """Write what `memory` returned into an array of the same kind, also into a read-only one."""
    writeable = array.flags.writeable
    array.flags.writeable = True
    if len(block):
        array.reshape(-1, order="A").view(np.uint8)[...] = np.frombuffer(block, dtype=np.uint8)
    array.flags.writeable = writeable


def owner_of(array: np.ndarray) -> np.ndarray:
    """Return the array whose memory this one shows: itself, when it has its own."""
    base = array.base
    if not isinstance(base, np.ndarray):
        base = getattr(base, "base", None)  # as_strided puts an object in between
    if not isinstance(base, np.ndarray):
        return array
    owner = owner_of(base)
    return owner if owner.flags.forc else array


class Original:
    """One array of the judge, by weak reference; `sent` is what its copy contains, or None if the
    two share a file.
    """

    def __init__(
        self,
        number: int,
        array: np.ndarray,
        sent: bytes | None,
    ) -> None:
        self.number = number
        self.array = weakref.ref(array)
        self.sent = sent


class Originals:
    """The arrays of the judge that the worker has copies of, by identity."""

    def __init__(self) -> None:
        self.entries: dict[int, Original] = {}
        # keeps the arrays of the last message, which may be changed and dropped
        self.recent: list[np.ndarray] = []
        self.count = itertools.count()

    def packed(self, values: Mapping[str, Any], blocks: Blocks) -> Message:
        """Return values with arrays as references, and what the worker needs to have the same
        arrays as the judge.
        """
        changed = list(self._changes(blocks))
        self.recent.clear()
        # Newest first, so that the next array is likely to get the address in the worker that the
        # last one had: a subject must not recognize arrays by their addresses.
        dropped = [key for key, entry in reversed(self.entries.items()) if entry.array() is None]
        gone = [self.entries.pop(key).number for key in dropped]
        new: list[Message] = []
        for value in values.values():
            if isinstance(value, np.ndarray):
                new += self._new(value, blocks)
        owners = {self.entries[id(owner_of(array))].number for array in self.recent}
        return {
            "changed": changed,
            "gone": gone,
            "new": new,
            "owners": sorted(owners),
            "arguments": {name: self._reference(value) for name, value in values.items()},
        }

    def _reference(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return {"array": self.entries[id(value)].number}
        if isinstance(value, np.generic):
            return {"scalar": [value.dtype.str, value.item()]}
        return value

    def _changes(self, blocks: Blocks) -> Iterator[tuple[int, int]]:
        """Append what each array that was written to contains now, and yield its number and that of
        its block.
        """
        for entry in list(self.entries.values()):
            array = entry.array()
            if array is None or entry.sent is None:
                continue
            now = memory(array)
            if now != entry.sent:
                entry.sent = now
                blocks.append(now)
                yield entry.number, len(blocks) - 1

    def _new(self, array: np.ndarray, blocks: Blocks) -> Iterator[Message]:
        """Yield what the worker needs to build an array: first the array whose memory it shows, if
        it is a view.
        """
        self.recent.append(array)
        if id(array) in self.entries:
            return
        owner = owner_of(array)
        sent = None
        details: Message = {"order": "F" if array.flags.fnc else "C"}
        if owner is not array:
            yield from self._new(owner, blocks)
            details = {
                "owner": self.entries[id(owner)].number,
                "strides": array.strides,
                "offset": _address(array) - _address(owner),
            }
        elif isinstance(array, np.memmap) and array.filename is not None and array.mode != "c":
            details |= {
                "file": str(array.filename),
                "offset": array.offset,
                "mode": "r" if array.mode == "r" else "r+",
            }
        else:
            sent = memory(array)
            details["block"] = len(blocks)
            blocks.append(sent)
        number = next(self.count)
        self.entries[id(array)] = Original(number, array, sent)
        yield {
            "number": number,
            "shape": array.shape,
            "dtype": array.dtype.str,
            "locked": not array.flags.writeable,
            **details,
        }

    def follow(self, changed: Any, blocks: Blocks) -> None:
        """Write into the judge's arrays what the subject wrote into its copies of them; raises
        `Malformed` for a bad list.
        """
        if not isinstance(changed, list):
            raise Malformed("sent changes of arrays that cannot be read", changed)
        if not changed:
            return
        by_number = {entry.number: entry for entry in self.entries.values()}
        for pair in changed:
            match pair:
                case [int(number), int(block)] if number in by_number and 0 <= block < len(blocks):
                    entry = by_number[number]
                    content = blocks[block]
                case _:
                    raise Malformed("sent changes of arrays that cannot be read", changed)
            if entry.sent is None or len(content) != len(entry.sent):
                raise Malformed("sent changes of arrays that cannot be read", changed)
            entry.sent = content
            array = entry.array()
            if array is not None:
                write_memory(array, content)


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


class Copies:
    """The arrays of the worker that stand for those of the judge, by their numbers."""

    def __init__(self) -> None:
        self.arrays: dict[int, np.ndarray] = {}
        self.known: dict[int, bytes] = {}  # what the judge's arrays contain

    def receive(self, message: Message, blocks: Blocks) -> list[Any]:
        """Follow the judge's arrays, and return the arguments of its question."""
        for number, block in message["changed"]:
            self.known[number] = blocks[block]
            write_memory(self.arrays[number], blocks[block])
        for number in message["gone"]:
            del self.arrays[number]
            self.known.pop(number, None)
        for description in message["new"]:
            self._build(**description, blocks=blocks)
        return [self._value(reference) for reference in message["arguments"].values()]

    def _value(self, value: Any) -> Any:
        match value:
            case {"array": number}:
                return self.arrays[number]
            case {"scalar": [dtype, number]}:
                return np.dtype(dtype).type(number)
        return value

    def _build(
        self,
        number: int,
        shape: list[int],
        dtype: str,
        locked: bool,
        blocks: Blocks,
        **details: Any,
    ) -> None:
        if "block" in details:
            self.known[number] = blocks[details["block"]]
            array = np.empty(shape, dtype, order=details["order"])
            write_memory(array, self.known[number])
        elif "file" in details:
            array = np.memmap(details.pop("file"), shape=tuple(shape), dtype=dtype, **details)
        else:
            owner = self.arrays[details.pop("owner")]
            contiguous = owner.T if owner.flags.fnc else owner
            array = np.ndarray(shape, dtype, buffer=contiguous, **details)
        if locked:
            array.flags.writeable = False
        self.arrays[number] = array

    def changes(self, owners: Iterable[int], blocks: Blocks) -> Iterator[tuple[int, int]]:
        """Yield the numbers of the arrays that the subject wrote to, each with the block of what
        they contain now.
        """
        for number in owners:
            if number not in self.known:
                continue
            now = memory(self.arrays[number])
            if now != self.known[number]:
                self.known[number] = now
                blocks.append(now)
                yield number, len(blocks) - 1
