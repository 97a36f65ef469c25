"""Test vectors for programs without Python at run time, with a strict JSON Schema.

The vectors are the questions of the laws on their corner cases: a checker without a subject records
every question that a law would judge, with the bracket of every number of the answer. No second
generator exists that could disagree with `check`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lmlir import subject
from lmlir.oracle.inputs.cases import Case
from lmlir.oracle.interface import ARGUMENTS, CONCERNS, FUNCTIONS, Function, select
from lmlir.oracle.laws import LAWS, Law
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.subjects.messages import to_lists
from lmlir.oracle.subjects.sources import from_module

HERE = Path(__file__).parent
VERSION = 1
MAX_NUMBERS = 500
DRAFT = "https://json-schema.org/draft/2020-12/schema"

Vector = dict[str, Any]


# ---- collecting ----


def collected() -> dict[str, list[Vector]]:
    """Return all vectors by function: what the laws judge on corner cases of at most MAX_NUMBERS
    numbers.
    """
    vectors: dict[str, dict[str, Vector]] = {name: {} for name in FUNCTIONS}
    for law in LAWS:
        checker = WritingChecker()
        for case in law.corner_cases(checker.precision):
            if case.size > MAX_NUMBERS:
                continue
            checker.questions.clear()
            law.check(checker, case)
            for function, arguments, allowed in checker.questions:
                vector = _vector(function, arguments, allowed, law, case)
                _add(vectors[function], vector, law)
    return {function: _with_ids(function, vectors[function].values()) for function in FUNCTIONS}


class WritingChecker(Checker):
    """A checker that records what it would judge; the reference answers all other questions of a
    law.
    """

    def __init__(self) -> None:
        super().__init__(from_module(subject))
        self.questions: list[tuple[str, Mapping[str, Any], Any]] = []

    def check_values(
        self,
        function: str,
        case: Case,
        only: int | None = None,
    ) -> None:
        """Record the question and the brackets of its answer."""
        allowed = self.allowed(function, case)
        self.questions.append((function, select(case.inputs, function), allowed))


def _vector(
    function: str,
    arguments: Mapping[str, Any],
    allowed: Any,
    law: Law,
    case: Case,
) -> Vector:
    brackets = []
    for name, (low, high) in zip(FUNCTIONS[function].answers, allowed, strict=True):
        lower = to_lists(low + 0.0)  # 0.0 instead of -0.0
        upper = to_lists(high + 0.0)
        brackets.append({"name": name, "lower": lower, "upper": upper})
    return {
        "laws": [law.name],
        "items": [item for item in law.items if function in CONCERNS[item]],
        "flags": list(case.flags),
        "why": case.reason,
        "arguments": {name: to_lists(value) for name, value in arguments.items()},
        "allowed": brackets,
    }


def _add(vectors: dict[str, Vector], vector: Vector, law: Law) -> None:
    """Add a vector; laws that ask the same question share one vector."""
    same = vectors.setdefault(json.dumps(vector["arguments"]), vector)
    if law.name not in same["laws"]:
        same["laws"].append(law.name)
        same["items"] += [item for item in vector["items"] if item not in same["items"]]


def _with_ids(function: str, vectors: Iterable[Vector]) -> list[Vector]:
    """Add ids made of the function and the reason, numbered where a reason occurs again."""
    used: Counter[str] = Counter()
    result = []
    for vector in vectors:
        name = re.sub(r"[^a-z0-9]+", "-", vector["why"].lower()).strip("-")
        used[name] += 1
        if used[name] > 1:
            name = f"{name}-{used[name]}"
        result.append({"id": f"{function}/{name}", **vector})
    return result


# ---- the schema ----


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the files: one kind of file per function, all fields required, no
    others allowed.
    """
    return {
        "$schema": DRAFT,
        "$id": "vectors.schema.json",
        "title": "Test vectors of the subject interface, version 1",
        "type": "object",
        "properties": {"function": {"enum": list(FUNCTIONS)}},
        "required": ["function"],
        "allOf": [
            {
                "if": {"properties": {"function": {"const": function.name}}},
                "then": _file_schema(function),
            }
            for function in FUNCTIONS.values()
        ],
        "$defs": json.loads((HERE / "vectors_definitions.json").read_text(encoding="utf-8")),
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _argument_schema(name: str) -> dict[str, str]:
    kind = ARGUMENTS[name].kind
    axes = len(ARGUMENTS[name].shape)
    definition = {
        "indices": "index pairs",
        "radii": "numbers",
        "metrics": "metric" if axes == 2 else "metrics",
    }
    return {"$ref": f"#/$defs/{definition.get(kind, kind)}"}


def _file_schema(function: Function) -> dict[str, Any]:
    answers = [
        _object(
            {
                "name": {"const": name},
                "lower": {"$ref": "#/$defs/bounds"},
                "upper": {"$ref": "#/$defs/bounds"},
            }
        )
        for name in function.answers
    ]
    vector = _object(
        {
            "id": {"type": "string", "pattern": f"^{function.name}/[a-z0-9-]+$"},
            "laws": {"$ref": "#/$defs/words", "minItems": 1},
            "items": {"$ref": "#/$defs/words", "minItems": 1},
            "flags": {"$ref": "#/$defs/words"},
            "why": {"type": "string", "minLength": 1},
            "arguments": _object({name: _argument_schema(name) for name in function.arguments}),
            "allowed": {
                "type": "array",
                "prefixItems": answers,
                "items": False,
                "minItems": len(answers),
            },
        }
    )
    return _object(
        {
            "version": {"const": VERSION},
            "function": {"const": function.name},
            "precision": {"const": "float64"},
            "vectors": {"type": "array", "items": vector, "minItems": 1},
        }
    )


# ---- writing ----


def file_text(function: str, vectors: list[Vector]) -> str:
    """Return a file of vectors: one vector per line, so that a difference between two versions is
    readable.
    """
    head = f'"version": {VERSION}, "function": "{function}", "precision": "float64"'
    lines = ",\n".join(json.dumps(vector, allow_nan=False) for vector in vectors)
    return f'{{{head}, "vectors": [\n{lines}\n]}}\n'


def write(directory: Path) -> dict[str, int]:
    """Write all files, and return how many vectors each function has."""
    vectors = collected()
    counts = {function: len(vectors[function]) for function in vectors}
    directory.mkdir(parents=True, exist_ok=True)
    files = {f"{function}.json": file_text(function, vectors[function]) for function in vectors}
    files["vectors.schema.json"] = json.dumps(schema(), indent=2) + "\n"
    files["README.md"] = guide(counts)
    for name, text in files.items():
        (directory / name).write_bytes(text.encode("utf-8"))
    return counts


def guide(counts: Mapping[str, int]) -> str:
    """Return the README of the vectors: what they hold and how to use them without Python."""
    table = "\n".join(f"| `{name}.json` | {count} |" for name, count in counts.items())
    text = (HERE / "vectors_guide.txt").read_text(encoding="utf-8")
    return text.format(version=VERSION, table=table)
