"""Threads: how many, and in which order their results come: `lmlir.vectorized.threads`."""

import multiprocessing
import threading
import time

import numpy as np
import pytest

from lmlir import learning
from lmlir.vectorized import threads


@pytest.mark.parametrize(
    ("n_jobs", "count"), [(None, 1), (1, 1), (3, 3), (-1, 8), (-2, 7), (-8, 1), (-20, 1)]
)
def test_threads_are_counted_as_in_scikit_learn(n_jobs, count, monkeypatch):
    """joblib's rule on eight processors: n_processors + 1 + n_jobs below 0, never less than one."""
    monkeypatch.setattr(threads, "processors", lambda: 8)
    assert threads.thread_count(n_jobs) == count


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_no_other_number_of_threads_is_accepted(n_jobs):
    with pytest.raises(
        ValueError, match=f"n_jobs must be None or a whole number other than 0, got n_jobs={n_jobs}"
    ):
        threads.thread_count(n_jobs)


def test_results_come_in_the_order_of_the_items_and_no_scratch_is_shared():
    """The first item takes longest; while a call has a scratch, no other call has it."""
    in_use = set()
    seen = []

    def work(item, scratch):
        assert id(scratch) not in in_use
        in_use.add(id(scratch))
        time.sleep(0.02 if item == 0 else 0.001)
        in_use.discard(id(scratch))
        seen.append((item, threading.get_ident()))
        return item * item

    assert list(threads.mapped(work, range(12), 3)) == [item * item for item in range(12)]
    assert [item for item, _ in seen] != list(range(12))
    assert len({thread for _, thread in seen}) > 1


def test_the_calling_thread_takes_part():
    """Two threads are the caller and one more; each computes an item while the other does."""
    both_at_work = threading.Barrier(2, timeout=10)

    def work(item, scratch):
        both_at_work.wait()
        return threading.get_ident()

    assert threading.get_ident() in (idents := list(threads.mapped(work, range(2), 2)))
    assert len(set(idents)) == 2


def test_no_item_is_started_after_an_error():
    """Item 3 fails: the results before it are returned, its error is raised, and most of the
    thousand never start.
    """
    started, answers = [], []

    def work(item, scratch):
        started.append(item)
        time.sleep(0.001)
        if item == 3:
            raise ValueError("item 3")
        return item

    with pytest.raises(ValueError, match="item 3"):
        for answer in threads.mapped(work, range(1000), 2):
            answers.append(answer)
    time.sleep(0.01)  # until the other thread has finished its item
    assert answers == [0, 1, 2]
    assert len(started) < 500


def answer_of_a_copy(queue):
    queue.put(list(threads.mapped(lambda item, scratch: item + 1, range(4), 2)))


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="processes are not copied here"
)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_copy_of_the_process_starts_threads_of_its_own():
    """Threads may be kept for the next call, and do not exist in a forked process: it must not wait
    for them.
    """
    assert list(threads.mapped(lambda item, scratch: item, range(4), 2)) == [0, 1, 2, 3]
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=answer_of_a_copy, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == [1, 2, 3, 4]
    process.join()


def test_one_thread_starts_no_other():
    idents = list(threads.mapped(lambda item, scratch: threading.get_ident(), range(3), 1))
    assert set(idents) == {threading.get_ident()}


@pytest.mark.filterwarnings("ignore:the descent used all")
def test_what_is_learned_and_predicted_does_not_depend_on_the_threads():
    """`learn` and `LMLIRClassifier` pass n_jobs on: 0 is refused where the work is, and no digit
    changes.
    """
    estimator = pytest.importorskip("lmlir.estimator", reason="needs scikit-learn")
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = np.arange(80) % 2
    one, two = (
        estimator.LMLIRClassifier(2, 3, n_steps=20, random_state=0, n_jobs=n_jobs).fit(X, y)
        for n_jobs in (None, 2)
    )
    assert np.array_equal(one.objective_trace_, two.objective_trace_)
    assert np.array_equal(one.decision_function(X), two.decision_function(X))
    one.set_params(n_jobs=0)
    for call in (lambda: one.decision_function(X), lambda: one.fit(X, y)):
        with pytest.raises(ValueError, match="got n_jobs=0"):
            call()


def test_the_reference_engine_accepts_threads_and_uses_one():
    """Both engines take the same arguments."""
    X = [[0.0], [0.2], [0.5], [1.0], [1.3], [1.5]]
    y = [0, 0, 0, 1, 1, 1]
    options = {"n_regions": 1, "n_neighbors": 1, "n_steps": 1, "engine": "reference"}
    one, two = (learning.learn(X, y, n_jobs=n_jobs, **options) for n_jobs in (None, 2))
    assert one.trace == two.trace
    with pytest.raises(ValueError, match="got n_jobs=0"):
        learning.learn(X, y, n_jobs=0, **options)
