"""One BLAS thread: on a busy machine the threads of several processes wait for each other, thirty times as long."""

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def one_blas_thread() -> Iterator[None]:
    with threadpool_limits(1):
        yield
