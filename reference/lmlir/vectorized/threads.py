"""Work on blocks by several threads.

Neither the results nor their order depend on the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from lmlir.vectorized.pairs import Scratch

Item = TypeVar("Item")
Result = TypeVar("Result")


def thread_count(n_jobs: int | None) -> int:
    """scikit-learn's convention: None is 1, -1 all processors, -2 all but one; never fewer than 1.

    >>> thread_count(None), thread_count(3)
    (1, 3)
    >>> thread_count(0)
    Traceback (most recent call last):
    ValueError: n_jobs must be None or a whole number other than 0, got n_jobs=0
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, (int, np.integer)) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a whole number other than 0, got n_jobs={n_jobs}")
    return int(n_jobs) if n_jobs > 0 else max(processors() + 1 + int(n_jobs), 1)


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# by the number of threads, kept because starting a thread takes 0.2 ms
_pools: dict[int, ThreadPoolExecutor] = {}
_making = threading.Lock()
if hasattr(os, "register_at_fork"):
    # the threads of a process do not exist in its copies
    os.register_at_fork(after_in_child=_pools.clear)


def pool_of(threads: int) -> ThreadPoolExecutor:
    """Return the pool of `threads` threads, created on first use.

    Its tasks never wait for other tasks of the pool.
    """
    with _making:
        if threads not in _pools:
            _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="lmlir")
        return _pools[threads]


def mapped(
    function: Callable[[Item, Scratch], Result], items: Sequence[Item], threads: int
) -> Iterator[Result]:
    """Yield function(item, scratch) for every item, in order.

    No two simultaneous calls share a scratch.

    The calling thread is one of them: it computes an item whenever the next result is not ready.

    >>> list(mapped(lambda item, scratch: item**2, range(4), threads=2))
    [0, 1, 4, 9]
    """
    threads = min(threads, len(items))
    if threads <= 1:
        scratch = Scratch()
        yield from (function(item, scratch) for item in items)
        return
    results: deque[Future[Result]] = deque(Future() for _ in items)
    waiting = deque(zip(items, results, strict=True))

    def compute_one(scratch: Scratch) -> bool:
        """Compute the next item and return whether there was one."""
        try:
            item, result = waiting.popleft()
        except IndexError:
            return False
        try:
            result.set_result(function(item, scratch))
        except Exception as error:
            result.set_exception(error)
        return True

    def help_out() -> None:
        """Compute items until none is left."""
        scratch = Scratch()
        while compute_one(scratch):
            pass

    for _ in range(threads - 1):
        pool_of(threads - 1).submit(help_out)
    try:
        scratch = Scratch()
        while results:
            while not results[0].done() and compute_one(scratch):
                pass
            yield results.popleft().result()
    finally:
        waiting.clear()  # start no item after an error
