"""One BLAS thread: on a busy machine the threads of several processes wait for each other, thirty times as long."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def one_blas_thread():
    with threadpool_limits(1):
        yield
