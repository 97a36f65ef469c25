"""Run a command of the project and print it with what it printed, as a terminal would."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def command(line: str, expect: int = 0) -> None:
    """Run `lmlir ...` or `python -m ...` from the top of the project; any other exit status than
    `expect` is an error.
    """
    words = shlex.split(line)
    prefix = {"python": [sys.executable], "lmlir": [sys.executable, "-m", "lmlir"]}[words[0]]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", "COLUMNS": "88"}
    done = subprocess.run(
        [*prefix, *words[1:]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode != expect:
        raise RuntimeError(
            f"{line} ended with {done.returncode}, not {expect}:\n{done.stdout}{done.stderr}"
        )
    print(f"$ {line}\n{done.stdout.rstrip()}")
