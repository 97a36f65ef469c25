"""Two other processors than this one, for tests: `python -m tests.other_kernels COMMAND` runs a
command on each.

OpenBLAS and NumPy choose their code by the processor, and sums come out with other last digits. Two
variables make them choose what another processor would get: one that this processor can run, and
the oldest, without AVX and fused multiply-add.
"""

import os
import platform
import shlex
import subprocess
import sys

import numpy as np
from threadpoolctl import threadpool_info

# OpenBLAS's kernels, and NumPy's names, old and new, of what a processor needs for them
NEEDS = {
    "SkylakeX": {"AVX512_SKX", "X86_V4"},
    "Haswell": {"AVX2", "X86_V3"},
    "Nehalem": {"SSE42", "X86_V2"},
}


def other_environments() -> list[dict[str, str]]:
    """Variables for two other processors; none where BLAS is not OpenBLAS, or the processor not one
    of the x86 family.
    """
    own = {
        library["architecture"]
        for library in threadpool_info()
        if library["internal_api"] == "openblas"
    }
    if not own or platform.machine().lower() not in ("x86_64", "amd64"):
        return []
    features = np.show_config(mode="dicts")["SIMD Extensions"]
    optional = features.get("found", [])
    available = {*features["baseline"], *optional}
    others = [name for name, needs in NEEDS.items() if needs & available and name not in own]
    oldest = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": " ".join(optional)}
    return [*({"OPENBLAS_CORETYPE": name} for name in others[:1]), oldest]


def main(command: list[str]) -> int:
    """Run the command on each, up to the first failure, and print how to repeat it."""
    environments = other_environments()
    if not environments:
        print("skipped: this machine's BLAS has no kernels of other processors")
    for variables in environments:
        setting = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
        print(f"with {setting}:", flush=True)
        status = subprocess.run(command, env={**os.environ, **variables}).returncode
        if status:
            print(f"to repeat it: {setting} {shlex.join(command)}")
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
