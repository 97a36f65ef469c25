"""Messages: values and arrays arrive as what they are, and a reply that breaks the rules is named,
whatever it contains.
"""

from __future__ import annotations

import io
import json
from fractions import Fraction

import numpy as np
import pytest

from lmlir.oracle.subjects import messages
from lmlir.oracle.subjects.messages import Copies, Malformed, Originals


def test_numbers_that_json_lacks_travel_as_strings():
    """NaN, Infinity and -Infinity, both ways."""
    sent = messages.to_lists(np.array([[1.5, np.inf], [-np.inf, np.nan]]))
    assert json.loads(json.dumps(sent, allow_nan=False)) == [
        [1.5, "Infinity"],
        ["-Infinity", "NaN"],
    ]
    back = messages.from_lists(sent)
    assert back[0] == [1.5, np.inf]
    assert back[1][0] == -np.inf
    assert np.isnan(back[1][1])


def test_floats_in_lists_keep_all_their_digits():
    """Single precision numbers are sent as the doubles that equal them."""
    values = np.array([0.1, 1 / 3], dtype=np.float32)
    assert [np.float32(v) for v in json.loads(json.dumps(messages.to_lists(values)))] == list(
        values
    )


class Sequence:
    """NumPy reads this as a sequence."""

    def __len__(self):
        return 2

    def __getitem__(self, k):
        return [0.5, 0.25][k]


class Opaque:
    """This is not a number."""

    def __repr__(self):
        return "<opaque>"


def sent(answer):
    """An answer after its way from the worker to the judge."""
    blocks = []
    reply = {"result": messages.to_plain(answer, blocks)}
    message, blocks = messages.read(io.BytesIO(messages.write(reply, blocks)))
    return messages.from_plain(message["result"], blocks)


@pytest.mark.parametrize(
    ("answer", "due"),
    [
        (None, None),
        (True, True),
        ([1, 2.5, "a", float("inf")], [1, 2.5, "a", float("inf")]),
        ((np.float32(0.5), np.ones((1, 2))), (0.5, [[1.0, 1.0]])),
        ({1: Fraction(1, 2)}, {"1": 0.5}),
        (np.array([Fraction(1, 2), 3], dtype=object), [0.5, 3]),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array([1 + 2j]), [1 + 2j]),
        (np.zeros((0, 3)), np.zeros((0, 3)).tolist()),
        (Sequence(), [0.5, 0.25]),
        (Opaque(), "<opaque>"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_answer_arrives_in_builtin_types_and_arrays(answer, due):
    """Tuples stay tuples, arrays keep type and shape, anything else becomes numbers or text."""

    def plain(value):
        return (
            type(value)(map(plain, value))
            if isinstance(value, (list, tuple))
            else getattr(value, "tolist", lambda: value)()
        )

    assert plain(sent(answer)) == due
    assert sent(np.float32(0.5)).dtype == np.float32


def test_an_answer_that_contains_itself_is_sent_as_text():
    """Also one with 2 to the power of 40 leaves, in a moment."""
    answer = []
    shared = [0.5]
    answer += [answer, answer]
    for _ in range(40):
        shared = [shared, shared]
    assert "..." in str(sent(answer))
    assert "..." in str(sent(shared))


def test_an_answer_that_is_too_long_is_refused(monkeypatch):
    """Many lists, though each is small, or a long text; a long array is refused, too."""
    answer = [0.5] * 1000
    for _ in range(4):
        answer = [answer] * 1000
    with pytest.raises(MemoryError, match="values in lists"):
        messages.to_plain(answer, [])
    monkeypatch.setattr(messages, "MAX_LINE_BYTES", 1000)
    with pytest.raises(MemoryError, match="64 megabytes"):
        sent("y" * 1000)


DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"", "EOF"),
        (b"hello\n", "printed a line that is not JSON"),
        (b"\xff\xfe\n", "printed a line that is not JSON"),
        (b"[1, 2]\n", "answered with JSON that is not an object"),
        (b'{"result": ' + DEEP + b', "blocks": []}\n', "printed a line that is not JSON"),
        (b'{"id": ' + b"9" * 5000 + b', "blocks": []}\n', "printed a line that is not JSON"),
        (b'{"id": 1}\n', "announced blocks of bytes that it cannot send"),
        (b'{"blocks": [-1]}\n', "announced blocks of bytes that it cannot send"),
        (b'{"blocks": [1.5]}\n', "announced blocks of bytes that it cannot send"),
        (b'{"blocks": 7}\n', "announced blocks of bytes that it cannot send"),
        (b'{"blocks": [99999999999999]}\n', "announced blocks of bytes that it cannot send"),
        (b'{"blocks": [9]}\nshort', "EOF"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_line_that_breaks_the_rules_is_named(line, problem):
    """Never another exception."""
    with pytest.raises((Malformed, EOFError)) as raised:
        messages.read(io.BytesIO(line))
    assert str(raised.value) == problem or (problem == "EOF" and raised.type is EOFError)


ARRAYS = [
    1,
    [0, "<f8"],
    [1, "<f8", [1]],
    [-1, "<f8", [1]],
    [[0], "<f8", [1]],
    [0, "O", [1]],
    [0, "|O8", [1]],
]
ARRAYS += [
    [0, "<f8,O", [1]],
    [0, ["<f8"], [1]],
    [0, "<f99", [1]],
    [0, "<U0", [1]],
    [0, "<f8", [2]],
    [0, "<f8", [-1]],
]
ARRAYS += [
    [0, "f8,(", [1]],
    [0, "<f8", "1"],
    [0, "<f8", [1] * 100],
    [0, "<M8[nonsense]", [1]],
]
OTHERS = [{}, {"tuple": 1}, {"dict": []}, {"class": "os.system"}, {"tuple": [], "dict": {}}]


@pytest.mark.parametrize("result", [*OTHERS, *({"array": content} for content in ARRAYS)], ids=str)
def test_an_answer_that_breaks_the_rules_is_named(result):
    """Wrong tags, blocks, types and shapes."""
    with pytest.raises(Malformed, match="sent an answer that cannot be read"):
        messages.from_plain([result], [bytes(8)])


class Wire:
    """The judge's arrays and the worker's copies, without a process between them."""

    def __init__(self):
        self.originals, self.copies = Originals(), Copies()

    def ask(self, **arguments):
        """The worker's arguments."""
        blocks = []
        message, blocks = messages.read(
            io.BytesIO(messages.write(self.originals.packed(arguments, blocks), blocks))
        )
        self.owners = message["owners"]
        return dict(zip(arguments, self.copies.receive(message, blocks), strict=True))

    def answer(self):
        """Bring back what was written into the arguments of the last question."""
        blocks = []
        self.originals.follow(
            [list(pair) for pair in self.copies.changes(self.owners, blocks)], blocks
        )


def laid_out(tmp_path):
    """Arrays of every layout, by name."""
    a = np.arange(12.0).reshape(6, 2).copy()
    locked = a.copy()
    locked.flags.writeable = False
    a.tofile(tmp_path / "numbers")
    return {
        "plain": a,
        "view": a[1:3],
        "Fortran": np.asfortranarray(a),
        "backwards": np.asfortranarray(a)[::-2],
        "gaps": np.zeros((6, 4))[:, ::2],
        "locked": locked,
        "mapped": np.memmap(tmp_path / "numbers", dtype=float, mode="r", shape=(6, 2)),
        "integers": a.astype(np.int32),
        "single": a.astype(np.float32),
        "one row": np.broadcast_to(a[0], (6, 2)),
        "empty": np.zeros((0, 2)),
        "strided": np.lib.stride_tricks.as_strided(a, (5, 2), (8, 8)),
    }


def test_copies_have_the_layout_of_their_originals(tmp_path):
    """Shape, type, strides, flags and class are the same, and so are the numbers."""
    given = laid_out(tmp_path)
    got = Wire().ask(**given)
    for name, array in given.items():
        copy = got[name]
        assert (
            type(copy) is type(array)
            and copy.dtype == array.dtype
            and copy.strides == array.strides
        ), name
        assert (
            copy.flags.writeable == array.flags.writeable
            and copy.flags.owndata == array.flags.owndata
        ), name
        assert np.array_equal(copy, array), name
        for other in given:
            assert np.shares_memory(copy, got[other]) == np.shares_memory(array, given[other]), (
                name,
                other,
            )


def test_scalars_keep_their_types():
    """Python's numbers and those of NumPy."""
    given = {
        "K": 3,
        "alpha": 0.5,
        "C": np.float32(0.1),
        "beta": np.int64(2),
        "nothing": None,
    }
    got = Wire().ask(**given)
    assert got == given
    assert [type(got[name]) for name in given] == [type(value) for value in given.values()]


def test_one_array_stays_one_object_and_follows_what_is_written():
    """Changed in place between two questions, also through a view; an equal copy is another
    object.
    """
    wire = Wire()
    a = np.ones((3, 2))
    first = wire.ask(x=a, y=a)
    assert first["x"] is first["y"]
    assert wire.ask(x=a)["x"] is first["x"]
    assert wire.ask(x=a.copy())["x"] is not first["x"]
    a[0] = 5
    view = a[1:]
    view[...] = 0
    assert wire.ask(x=view)["x"].tolist() == [[0, 0], [0, 0]]
    assert first["x"].tolist() == [
        [5, 5],
        [0, 0],
        [0, 0],
    ]


def test_an_array_that_is_changed_and_dropped_is_changed_before_its_copy_is_dropped():
    """Whoever keeps the copy sees the change; the worker itself keeps nothing."""
    wire = Wire()
    a = np.ones(3)
    copy = wire.ask(x=a)["x"]
    a[...] = 7
    del a
    wire.ask()
    assert copy.tolist() == [7, 7, 7]
    assert not wire.copies.arrays
    assert not wire.originals.entries


def test_what_is_written_into_a_copy_comes_back():
    """Also through a view, and into the copy of a read-only array."""
    wire = Wire()
    a = np.zeros(2)
    whole = np.zeros((4, 2))
    a.flags.writeable = False
    got = wire.ask(x=a, y=whole[2:])
    got["x"].flags.writeable = True
    got["x"][0] = got["y"][0] = 7
    wire.answer()
    assert a.tolist() == [7, 0]
    assert whole.tolist() == [[0, 0], [0, 0], [7, 7], [0, 0]]


@pytest.mark.parametrize(
    "changed",
    [7, None, [7], [[0]], [[0, 1]], [[0, "0"]], [[0, 0, 0]], [[0, 0]], [[[0], 0]]],
    ids=str,
)
def test_changes_that_break_the_rules_are_named(changed):
    """No such block, no such form, or a block of the wrong length; the arrays stay as they are."""
    wire = Wire()
    a = np.zeros(2)
    wire.ask(x=a)
    with pytest.raises(Malformed, match="sent changes of arrays that cannot be read"):
        wire.originals.follow(changed, [b"short"])
    assert a.tolist() == [0, 0]
