"""Times, ratios of times and the rows of the tables that `bench` makes of them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Task = Callable[[], Any]
MIB = 2**20


def seconds(task: Task) -> float:
    """The processor time of one run of a task."""
    begin = time.process_time()
    task()
    return time.process_time() - begin


def ratio(task: Task, other: Task, tries: int) -> float:
    """How many times as long a task takes as another one: the median over tries in which both alternate."""
    return float(np.median([seconds(task) / seconds(other) for _ in range(tries)]))


def elapsed(task: Task) -> float:
    """The time on the clock of one run of a task: what several threads can shorten."""
    begin = time.perf_counter()
    task()
    return time.perf_counter() - begin


def load() -> str:
    """How busy the machine was, since threads need idle processors."""
    return f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""


def best_seconds(tasks: Sequence[Task], tries: int) -> list[float]:
    """The best time of each task; the tasks alternate."""
    times = [[seconds(task) for task in tasks] for _ in range(tries)]
    return [min(column) for column in zip(*times, strict=True)]


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The slope of log time against log size, by least squares.

    >>> round(exponent([1, 2, 4], [3.0, 12.0, 48.0]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def row(name: str, measured: float, limit: float, larger: bool, unit: str, note: str = "") -> dict[str, Any]:
    """One line of the table of targets."""
    reached = measured >= limit if larger else measured <= limit
    target = f"{'>=' if larger else '<='} {limit:g}"
    return {"what": name, "measured": measured, "target": target, "unit": unit, "reached": reached, "note": note}


def line(name: str, measured: float) -> dict[str, Any]:
    """One line of a table without a target."""
    return {"what": name, "measured": measured, "unit": "x"}


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes; `getrusage` on Linux would begin with the parent's."""
    import resource

    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _answer(task: Callable[..., Any], arguments: tuple[Any, ...], answer: Any) -> None:
    answer.put(task(*arguments))


def in_fresh_process(task: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of a module returns when a new process runs it: its peak memory is its own."""
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=_answer, args=(task, arguments, answer))
    process.start()
    while True:
        is_running = process.is_alive()  # before the look, so that an answer given in between is found
        try:
            result = answer.get(timeout=1)
        except queue.Empty:
            if not is_running:
                raise RuntimeError(
                    f"{task.__name__} gave no answer: its process ended with {process.exitcode}"
                ) from None
        else:
            process.join()
            return result
