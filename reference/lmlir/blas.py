"""One BLAS thread inside our functions, whatever the environment allows.

Their matrices have few columns. Threads that share such a product mostly wait for each
other, on a busy machine many times as long as one thread computes. Their number also
changes the order of sums, and with the last digits the path of a descent.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy  # noqa: F401  # loads its BLAS, which the controller finds
from threadpoolctl import ThreadpoolController

_limited = threading.Lock()  # held while a limit of ours is in force


@functools.cache
def _controller(scipy_is_loaded: bool) -> ThreadpoolController:
    """Find the loaded BLAS libraries: NumPy's, and SciPy's own once it is loaded."""
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread, unless a call around this one or in another thread of
    Python has done so.

    BLAS has one number for all threads of Python. If a second call took the limit of
    the first for the number to restore, and ended after it, BLAS would stay limited for
    good. The limit ends with the call that set it; another thread that is still at work
    sets it again when it next enters this context.

    >>> with one_blas_thread():
    ...     {
    ...         library["num_threads"]
    ...         for library in _controller(False).select(user_api="blas").info()
    ...     }
    {1}
    """
    if not _limited.acquire(blocking=False):
        yield
        return
    try:
        with _controller("scipy.linalg" in sys.modules).limit(
            limits=1, user_api="blas"
        ):
            yield
    finally:
        _limited.release()
