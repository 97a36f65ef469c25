"""The vectors are valid, the same bytes every time, true, and strict enough to reject mutants."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from lmlir import commands, subject, vectorized
from lmlir.oracle import subjects
from lmlir.oracle.allowed import exact
from lmlir.oracle.interface import BEHAVIOR, FUNCTIONS
from lmlir.oracle.laws import LAWS
from lmlir.oracle.precision import PRECISIONS
from lmlir.oracle.subjects.answers import numbers
from lmlir.oracle.subjects.failures import SubjectFailure
from tests.oracle.arrays import shaped
from tests.oracle.mutants import MUTANTS, Original

jsonschema = pytest.importorskip("jsonschema")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What `lmlir vectors DIR` writes."""
    folder = tmp_path_factory.mktemp("vectors") / "new" / "folder"
    assert commands.main(["vectors", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def files(folder):
    return {name: json.loads((folder / f"{name}.json").read_text()) for name in FUNCTIONS}


@pytest.fixture(scope="module")
def short_files(files):
    """The files with only their first vector, to validate variations quickly."""
    return {
        name: {**document, "vectors": document["vectors"][:1]} for name, document in files.items()
    }


@pytest.fixture(scope="module")
def validator(folder):
    schema = json.loads((folder / "vectors.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def bounds(vector):
    """The lower and upper arrays of a vector, one pair for each array of the answer."""
    return [
        # float("Infinity") is infinite
        tuple(np.array(entry[end], dtype=float) for end in ("lower", "upper"))
        for entry in vector["allowed"]
    ]


def failures(functions, questions):
    """Yield the ids of the vectors that a subject fails, by the rule of the README: every number
    within its bounds.
    """
    for function, vector, arguments, allowed in questions:
        given = {
            name: np.array(value) if np.ndim(value) else value for name, value in arguments.items()
        }
        try:
            arrays = numbers(function, functions.ask(function, given), arguments)
        except SubjectFailure:
            yield vector["id"]
            continue
        pairs = [
            (got, low.reshape(got.shape), high.reshape(got.shape))
            for got, (low, high) in zip(arrays, allowed, strict=True)
        ]
        if not all(((low <= got) & (got <= high)).all() for got, low, high in pairs):
            yield vector["id"]


@pytest.fixture(scope="module")
def questions(files):
    """All vectors as function, vector, arguments as arrays, and bounds as arrays."""
    return [
        (function, vector, shaped(vector["arguments"]), bounds(vector))
        for function, document in files.items()
        for vector in document["vectors"]
    ]


def test_every_file_is_valid_by_the_schema(files, validator):
    for document in files.values():
        validator.validate(document)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_schema_is_strict(short_files, validator, function):
    """No field can be left out, and none added, at any level."""
    document = short_files[function]

    def parts(root):
        vector = root["vectors"][0]
        return root, vector, vector["arguments"], vector["allowed"][0]

    for level in range(4):
        for field in parts(document)[level]:
            broken = copy.deepcopy(document)
            del parts(broken)[level][field]
            assert not validator.is_valid(broken), f"without {field}"
        broken = copy.deepcopy(document)
        parts(broken)[level]["remark"] = "one too many"
        assert not validator.is_valid(broken)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "Distances/Upper Case"),
        ("why", ""),
        ("items", []),
        ("laws", []),
        ("flags", ["a", "a"]),
        ("allowed", []),
    ],
)
def test_the_schema_refuses_wrong_values(short_files, validator, field, value):
    broken = copy.deepcopy(short_files["distances"])
    broken["vectors"][0][field] = value
    assert not validator.is_valid(broken)


@pytest.mark.parametrize("value", ["NaN", None, "one", [[True]]])
def test_the_schema_refuses_bounds_that_are_not_numbers(short_files, validator, value):
    broken = copy.deepcopy(short_files["distances"])
    broken["vectors"][0]["allowed"][0]["lower"] = value
    assert not validator.is_valid(broken)


def test_the_same_bytes_every_time(folder, tmp_path):
    """Another process, another hash seed, another folder."""
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    subprocess.run(
        [sys.executable, "-m", "lmlir", "vectors", str(tmp_path)],
        check=True,
        env=environment,
        timeout=120,
    )
    first, second = (
        {path.name: path.read_bytes() for path in each.iterdir()} for each in (folder, tmp_path)
    )
    assert first == second
    assert set(first) == {
        *(f"{name}.json" for name in FUNCTIONS),
        "vectors.schema.json",
        "README.md",
    }


def test_ids_are_unique_and_every_vector_says_why(files):
    ids = [vector["id"] for document in files.values() for vector in document["vectors"]]
    assert len(ids) == len(set(ids)) >= 150


def test_every_law_about_values_with_corner_cases_of_ordinary_size_has_vectors(files):
    named = {
        law
        for document in files.values()
        for vector in document["vectors"]
        for law in vector["laws"]
    }
    judging = [law for law in LAWS if law.check.__module__.endswith((".values", ".sizes"))]
    small = {
        law.name
        for law in judging
        if any(case.size <= 500 for case in law.corner_cases(PRECISIONS["float64"]))
    }
    assert named == small
    assert len(named) >= 12


def test_the_vectors_contain_the_cases_that_programs_get_wrong(files):
    flags = {
        flag
        for document in files.values()
        for vector in document["vectors"]
        for flag in vector["flags"]
    }
    wanted = {
        "tangent",
        "end point on the sphere",
        "nested",
        "coincident points",
        "large scale",
        "small scale",
    }
    wanted |= {
        "touching",
        "no regions",
        "one feature",
        "radius zero",
        "empty list",
        "zero metric",
        "kink",
        "projection",
    }
    assert wanted <= flags


def test_the_vectors_visit_all_eight_rows_of_table_2(files):
    reasons = " ".join(vector["why"] for vector in files["intersection_ratios"]["vectors"])
    assert all(f"Table 2, row {row}:" in reasons for row in range(1, 9))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_true_answers_lie_between_the_bounds(files, function):
    """Truth to 50 digits, for all vectors; on a kink the reference takes one of the values
    allowed.
    """
    for vector in files[function]["vectors"]:
        answers = exact.for_call(function, shaped(vector["arguments"]))
        for true, (low, high) in zip(answers, bounds(vector), strict=True):
            for number, lower, upper in zip(
                *(np.ravel(each) for each in (true, low, high)), strict=True
            ):
                assert lower <= number <= upper, vector["id"]


@pytest.mark.parametrize(
    "honest", [subject, vectorized, Original()], ids=["reference", "twin", "base of the mutants"]
)
def test_honest_subjects_pass_all_vectors(questions, honest):
    assert list(failures(subjects.from_module(honest), questions)) == []


def test_the_vectors_alone_reject_most_mutants(questions):
    """Nine of ten with wrong numbers.

    Vectors are single small questions: size limits and behavior need the laws.
    """
    away = []
    wrong_numbers = {
        name: mutant for name, mutant in MUTANTS.items() if BEHAVIOR not in mutant.items
    }
    for name, mutant in wrong_numbers.items():
        own_function_first = sorted(questions, key=lambda question: question[0] != mutant.function)
        if (
            next(failures(subjects.from_module(mutant.make(), name), own_function_first), None)
            is None
        ):
            away.append(name)
    assert len(away) <= len(wrong_numbers) // 10, away


def test_a_folder_that_cannot_be_made_gets_a_one_line_error(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert commands.main(["vectors", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_guide_counts_the_vectors(folder, files):
    text = (folder / "README.md").read_text()
    for name, document in files.items():
        assert f"| `{name}.json` | {len(document['vectors'])} |" in text
