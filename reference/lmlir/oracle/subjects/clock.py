"""Time that other programs on a busy machine do not use up: processor time, within limits."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

# A process that sleeps uses no processor time: this many times the limit of wall time is the end.
IDLE_FACTOR = 4.0
HAS_STAT = sys.platform == "linux"
UNIT = "s of processor time" if HAS_STAT else "s"
STAT_SESSION = 3  # number of the field in /proc/PID/stat after the name
STAT_TIMES = slice(11, 15)  # user and system time of a process, and of its children that ended


def processor_seconds(session: int) -> float:
    """Return the processor time of all processes of a session; where the system does not tell it,
    the wall time.
    """
    if not HAS_STAT:
        return time.monotonic()
    ticks = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # the process has ended
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
            if int(fields[STAT_SESSION]) == session:
                ticks += sum(map(int, fields[STAT_TIMES]))
    return ticks / os.sysconf("SC_CLK_TCK")


class Stopwatch:
    """Measures how long something takes, by the wall clock and in processor time.

    A time limit is reached when both have passed it. Wall time alone would punish a subject for
    what else the machine does, and processor time alone one that computes in many threads.
    """

    def __init__(self, processor: Callable[[], float]) -> None:
        self.processor = processor
        self.wall_start = time.monotonic()
        self.processor_start = processor()

    def reached(self, seconds: float) -> str:
        """Return the limit in words if it is reached, or ''."""
        wall = time.monotonic() - self.wall_start
        if wall < seconds:
            return ""
        if self.processor() - self.processor_start >= seconds:
            return f"{seconds:g} {UNIT}"
        if wall >= IDLE_FACTOR * seconds:
            return f"{IDLE_FACTOR * seconds:g} s"
        return ""
