"""A verdict does not depend on the processor: subjects are judged with the kernels of others."""

import json
import os
import subprocess
import sys

import pytest

from tests.other_kernels import other_environments


def judged(subject, variables):
    """Return what a short run of the oracle finds: the verdict, and the status of each law."""
    command = [sys.executable, "-m", "lmlir", "check", subject, "--profile", "quick", "--json", "-"]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True)
    report = json.loads(done.stdout)
    return report["verdict"], {law["law"]: law["status"] for law in report["laws"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("subject", "verdict"),
    [
        ("lmlir.vectorized", "conforms"),
        ("examples/subject_numpy.py", "conforms"),
        ("book/subjects/first_try.py", "violates"),
    ],
)
def test_other_kernels_do_not_change_a_verdict(subject, verdict):
    environments = other_environments()
    if not environments:
        pytest.skip("this machine's BLAS has no kernels of other processors")
    own = judged(subject, {})
    assert own[0] == verdict
    for variables in environments:
        assert judged(subject, variables) == own, variables
