"""The formal proofs, compiled by Coq."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_formal_proofs_compile():
    """`make formal` also fails where something is assumed, or where a statement is not the
    committed one.
    """
    if subprocess.run(["make", "--dry-run", "formal"], cwd=ROOT, capture_output=True).returncode:
        pytest.skip("the formal proofs were not compiled: Coq with Coquelicot was not found")
    done = subprocess.run(["make", "formal"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
