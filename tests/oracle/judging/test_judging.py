"""A trial: the same seed tries the same inputs."""

import importlib
import sys
from dataclasses import replace

from lmlir import vectorized
from lmlir.oracle import subjects
from lmlir.oracle.judging.judge import run_law
from lmlir.oracle.laws import by_name


def drawn():
    """The inputs of a law in profile quick, as bytes."""
    found = []
    law = replace(
        by_name("distances_match_equation_9"), check=lambda checker, case: found.append(case)
    )
    run_law(law, subjects.from_module(vectorized), "quick", seed=3)
    return [b"".join(value.tobytes() for value in case.inputs.values()) for case in found]


def test_what_is_imported_does_not_change_what_is_drawn(tmp_path, monkeypatch):
    """Hypothesis would mix the numbers of a new module into its draws."""
    before = drawn()
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "many_numbers.py").write_text(f"NUMBERS = {list(range(4000))}\n")
    importlib.import_module("many_numbers")
    assert len(before) > 40
    assert drawn() == before
    del sys.modules["many_numbers"]
