"""The built book, made once per test run, however many processes the run has."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"


def pages_in_order() -> list[Path]:
    """The sources of the book's own pages, reference pages left out."""
    return sorted(path for path in BOOK.glob("*.md") if path.name != "README.md")


def build_once(folder: Path, *options: str) -> tuple[int, str, Path]:
    """Build the book strictly into `folder` unless another process has; exit status, messages, and
    the pages.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        status, messages = folder / "status", folder / "messages"
        if not status.exists():
            command = [
                sys.executable,
                "-m",
                "book.build",
                "--output",
                str(folder / "html"),
                *options,
            ]
            done = subprocess.run(
                command,
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=900,
            )
            messages.write_text(done.stdout + done.stderr, encoding="utf-8")
            status.write_text(str(done.returncode), encoding="utf-8")
        return int(status.read_text()), messages.read_text(encoding="utf-8"), folder / "html"


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """A folder that all the processes of this run share and no other run does; its name is not a
    plain URI.
    """
    base = factory.getbasetemp()
    return (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "the book é"
