"""How many examples of a property are tried, and which: the options of tests/conftest.py that `make
seeds` uses.
"""

import shutil
import subprocess
import sys
from pathlib import Path

PROPERTY = """
from hypothesis import given, settings, strategies as st

@given(st.integers())
@settings(max_examples=5)
def test_a_property(number):
    with open("numbers.txt", "a") as file:
        print(number, file=file)
"""


def numbers_tried(folder, *options):
    """Run one property under the settings of this suite and return its examples."""
    shutil.copy(Path(__file__).with_name("conftest.py"), folder)
    (folder / "test_one.py").write_text(PROPERTY)
    (folder / "numbers.txt").write_text("")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return (folder / "numbers.txt").read_text().split()


def test_a_seed_chooses_the_examples_and_an_option_raises_their_number(tmp_path):
    usual = numbers_tried(tmp_path)
    assert len(usual) == 5
    assert numbers_tried(tmp_path) == usual
    first = numbers_tried(tmp_path, "--hypothesis-seed=1", "--examples=40")
    second = numbers_tried(tmp_path, "--hypothesis-seed=2", "--examples=40")
    assert len(first) == len(second) == 40
    assert len({tuple(usual), tuple(first[:5]), tuple(second[:5])}) == 3
