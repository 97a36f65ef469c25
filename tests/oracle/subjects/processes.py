"""Which processes run, read off /proc; where there is none, nothing is said."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path


def stat(pid: int | str) -> list[str]:
    """State and parent of a process; nothing once it is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()[:2]
    return []


def children() -> set[str]:
    """The processes started by this one that still run."""
    numbers = [path.name for path in Path("/proc").glob("[0-9]*")]
    return {number for number in numbers if stat(number)[1:] == [str(os.getpid())]}


def wait_for_the_end_of(pid: int) -> None:
    """Until a process has ended; nobody may be there to take note."""
    end = time.monotonic() + 10
    while stat(pid)[:1] not in ([], ["Z"]):
        assert time.monotonic() < end
        time.sleep(0.02)
