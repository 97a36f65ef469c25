"""The runner: the same seed tries the same inputs."""

import importlib
import sys

from lmlir.oracle.laws import by_name
from tests.oracle.mutants.matrix import cases_of


def drawn():
    """The inputs of a law in profile quick, as bytes."""
    cases = cases_of(by_name("distances_match_equation_9"), "quick", seed=3)
    return [b"".join(value.tobytes() for value in case.inputs.values()) for case in cases]


def test_what_is_imported_does_not_change_what_is_drawn(tmp_path, monkeypatch):
    """Hypothesis would mix the numbers of a new module into its draws."""
    before = drawn()
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "many_numbers.py").write_text(f"NUMBERS = {list(range(1000, 4000, 70))}\n")
    importlib.import_module("many_numbers")
    assert len(before) > 40 and drawn() == before
    del sys.modules["many_numbers"]
