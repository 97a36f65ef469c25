"""One thread of BLAS inside our functions: `lmlir.blas`."""

import threading

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  # loads SciPy's own BLAS
from threadpoolctl import threadpool_info, threadpool_limits

from lmlir import learning, vectorized
from lmlir.blas import one_blas_thread


def blas_threads():
    """The number of threads of every loaded BLAS."""
    return {
        library["filepath"]: library["num_threads"]
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }


@pytest.fixture
def two_threads():
    """What a user with two processors has, on every machine whose BLAS has threads."""
    with threadpool_limits(2, user_api="blas"):
        if set(blas_threads().values()) != {2}:
            pytest.skip("this BLAS has no threads")
        yield


def two_clouds(n=160, F=40):
    """Data of two classes with so many columns that BLAS would share a product among threads."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return rng.normal(size=(n, F)) + y[:, None], y


@pytest.mark.usefixtures("two_threads")
def test_learning_uses_one_thread_and_restores_two():
    X, y = two_clouds()
    seen = []
    learning.learn(X, y, n_steps=3, callback=lambda *step: seen.extend(blas_threads().values()))
    assert seen
    assert set(seen) == {1}
    assert set(blas_threads().values()) == {2}


@pytest.mark.usefixtures("two_threads")
def test_the_number_of_blas_threads_changes_no_digit_of_a_fit():
    X, y = two_clouds()
    by_two = learning.learn(X, y, n_steps=40)
    with threadpool_limits(1, user_api="blas"):
        by_one = learning.learn(X, y, n_steps=40)
    assert by_two.trace == by_one.trace
    for two, one in zip(by_two.parameters, by_one.parameters, strict=True):
        np.testing.assert_array_equal(two, one)


@pytest.mark.usefixtures("two_threads")
def test_the_twin_restores_the_number_of_threads_after_an_error():
    with pytest.raises(ValueError, match="finite"):
        vectorized.cross_distances([[np.nan]], [[1.0]], [], [], [], [[1.0]])
    assert set(blas_threads().values()) == {2}


def test_a_call_that_outlives_another_leaves_no_limit_behind():
    """The first call ends while the second is running: the next step of the second limits again,
    and nothing stays.
    """
    before = blas_threads()
    first_runs, second_runs = threading.Event(), threading.Event()

    def first():
        with one_blas_thread():
            first_runs.set()
            second_runs.wait(10)

    thread = threading.Thread(target=first)
    thread.start()
    first_runs.wait(10)
    with one_blas_thread():
        second_runs.set()
        thread.join()
        with one_blas_thread():
            assert set(blas_threads().values()) == {1}
    assert blas_threads() == before
