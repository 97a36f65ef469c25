"""A run that is killed, meets a full disk or gets a broken file loses nothing and reports the
reason in one sentence.
"""

import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("joblib", reason="the experiment needs joblib")
pytest.importorskip("tqdm", reason="the experiment needs tqdm")

from lmlir.commands import main
from lmlir.experiments import data, runner
from lmlir.experiments.protocol import Settings

# a killed child could hold tqdm's own lock, which forked children share
runner.tqdm.set_lock(threading.RLock())
CHEAP = Settings(methods=("majority", "euclidean"), splits=4)


@pytest.fixture(scope="module")
def monk1():
    return [data.load("monk1")]


def run(datasets, out, settings=CHEAP, **more):
    return runner.run_tasks(datasets, settings, out, **more)


def contents(path):
    """Return the records, sorted, without what differs from run to run."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        record.pop("seconds")
        record.pop("run", None)
    return sorted(records, key=runner.key_of)


@pytest.fixture(scope="module")
def whole(monk1, tmp_path_factory):
    """Return the file of a run that was not interrupted."""
    path = tmp_path_factory.mktemp("whole") / "out.jsonl"
    assert run(monk1, path) == runner.Outcome(0, 8, [])
    return path


def test_every_task_is_one_line_with_the_documented_fields(whole):
    records = [json.loads(line) for line in whole.read_text().splitlines()]
    assert len(records) == 8
    assert all(0 <= record["accuracy"] <= 1 for record in records)
    assert {runner.key_of(record) for record in records} == {
        ("monk1", s, m) for s in range(4) for m in CHEAP.methods
    }


def test_finished_tasks_are_not_run_again(monk1, whole):
    before = whole.read_bytes()
    assert run(monk1, whole) == runner.Outcome(8, 0, [])
    assert whole.read_bytes() == before


def test_more_splits_and_methods_are_added_to_an_existing_file(monk1, tmp_path):
    path = tmp_path / "out.jsonl"
    run(monk1, path, CHEAP._replace(splits=2, methods=("majority",)))
    assert run(monk1, path) == runner.Outcome(2, 6, [])


# ------------------------------------------------------------------------------------------- killed


def in_a_child(action):
    """Fork, act, and exit without cleaning up; return the child's process id."""
    child = os.fork()
    if child:
        return child
    try:
        action()
        os._exit(0)
    except BaseException:
        os._exit(1)


def lines_in(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_run_that_is_killed_at_random_moments_gives_the_same_file(monk1, whole, tmp_path):
    """SIGKILL after a random number of results and a random delay, until twelve kills have hit an
    unfinished run.
    """
    chance = random.Random(6)
    hits = 0
    tries = 0
    sizes = set()
    path = tmp_path / "out.jsonl"
    while hits < 12:
        tries += 1
        assert tries < 100, f"only {hits} kills hit an unfinished run"
        goal = chance.randint(lines_in(path), 7)
        deadline = time.monotonic() + 30
        child = in_a_child(lambda: run(monk1, path))
        while lines_in(path) < goal and time.monotonic() < deadline:
            time.sleep(0.0005)
        time.sleep(chance.uniform(0, 0.01))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        sizes.add(lines_in(path))
        hits += lines_in(path) < 8
        if lines_in(path) >= 7:  # finished, or nearly: start again from a random part of the file
            run(monk1, path)
            assert contents(path) == contents(whole)
            path.write_bytes(
                b"".join(path.read_bytes().splitlines(keepends=True)[: chance.randrange(6)])
            )
    run(monk1, path)
    assert contents(path) == contents(whole)
    assert len(sizes) > 2, "the kills came at different stages"


def command(path, methods, splits):
    """Return the words that start `lmlir experiment` on Monk1 with two processes."""
    words = [
        "--only",
        "monk1",
        "--methods",
        *methods,
        "--splits",
        str(splits),
        "--out",
        str(path),
        "--jobs",
        "2",
    ]
    return [sys.executable, "-m", "lmlir", "experiment", *words]


def test_a_run_with_two_processes_resumes_after_all_of_them_were_killed(whole, tmp_path, capsys):
    path = tmp_path / "out.jsonl"
    words = command(path, CHEAP.methods, CHEAP.splits)
    process = subprocess.Popen(
        words, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline and lines_in(path) < 2:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert lines_in(path) >= 2
    assert main([*words[3:], "--jobs", "1"]) == 0
    assert contents(path) == contents(whole)
    shown = capsys.readouterr()
    assert "monk1" in shown.out
    assert "96.46 ± 2.96" in shown.out
    assert "0 failed" in shown.err.splitlines()[-1]


@pytest.fixture
def long_run(tmp_path):
    """Start a run with two workers and wait for its first result; return its process, its workers
    and its file.
    """
    path = tmp_path / "out.jsonl"
    words = command(path, ["euclidean"], 999)
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (path.exists() and path.read_bytes()) and time.monotonic() < deadline:
        time.sleep(0.02)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    workers = [
        int(child)
        for child in children
        if "popen_loky" in Path(f"/proc/{child}/cmdline").read_text()
    ]
    yield process, workers, path
    process.kill()
    process.wait()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to find the workers")
@pytest.mark.parametrize(
    "killed, status, sentence",
    [
        ("worker", 2, "a worker process ended early"),
        ("run", 130, "stopped; finished results are in"),
    ],
)
def test_a_killed_worker_and_a_terminated_run_are_one_sentence(long_run, killed, status, sentence):
    """A worker is killed as when the system is out of memory.

    A run that gets SIGTERM ends its workers.
    """
    process, workers, path = long_run
    assert len(workers) == 2
    os.kill(
        workers[0] if killed == "worker" else process.pid,
        signal.SIGKILL if killed == "worker" else signal.SIGTERM,
    )
    messages = process.communicate(timeout=60)[1]
    assert process.returncode == status
    assert sentence in messages
    assert 0 < len(runner.read_records(path)) < 999
    assert path.read_bytes().endswith(b"\n")
    deadline = time.monotonic() + 20
    while (
        any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers)
        and time.monotonic() < deadline
    ):
        time.sleep(0.05)
    assert not any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers)


def test_an_incomplete_last_line_is_removed(monk1, whole, tmp_path):
    """Cut the last line at every byte; the other lines are kept."""
    content = whole.read_bytes()
    start = content[:-1].rindex(b"\n") + 1
    for cut in range(start, len(content)):
        path = tmp_path / "out.jsonl"
        path.write_bytes(content[:cut])
        complete = cut == len(content) - 1  # only the newline is missing
        assert len(runner.resumed_records(path)) == 7 + complete
        assert path.read_bytes() == (content if complete else content[:start])


def test_the_task_of_an_incomplete_line_is_run_again(monk1, whole, tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_bytes(whole.read_bytes()[:-20])
    assert run(monk1, path) == runner.Outcome(7, 1, [])
    assert contents(path) == contents(whole)


def test_a_broken_line_in_the_middle_is_named_and_the_file_is_not_changed(monk1, whole, tmp_path):
    path = tmp_path / "out.jsonl"
    lines = whole.read_bytes().splitlines(keepends=True)
    broken = b"".join([*lines[:3], b"{not json\n", *lines[3:]])
    path.write_bytes(broken)
    with pytest.raises(runner.ResultsError, match="out.jsonl line 4 is not a result"):
        run(monk1, path)
    assert path.read_bytes() == broken


@pytest.mark.parametrize(
    "text", ["my notes\nthat nobody else has\n", "one line\n", "no newline", "[1, 2]\n", "{}\n"]
)
def test_a_file_of_another_kind_is_not_changed(monk1, tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(runner.ResultsError, match="line 1 is not a result"):
        run(monk1, path)
    assert path.read_text() == text


def test_a_file_of_another_seed_is_not_resumed(monk1, whole, tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_bytes(whole.read_bytes())
    with pytest.raises(ValueError, match="holds results of seed 0 .* this run has seed 1"):
        run(monk1, path, CHEAP._replace(seed=1))
    assert path.read_bytes() == whole.read_bytes()


# --------------------------------------------------------------------------------------------- disk


def test_a_disk_that_is_full_in_the_middle_of_a_line_loses_nothing(monk1, whole, tmp_path):
    """A limit on the file's size, in a child process, ends the write in the middle of a line, as a
    full disk does.
    """
    path = tmp_path / "out.jsonl"
    limit = len(b"".join(whole.read_bytes().splitlines(keepends=True)[:3])) + 40
    message = tmp_path / "message"

    def run_with_limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            run(monk1, path)
        except runner.ResultsError as error:
            message.write_text(str(error)[:limit])

    os.waitpid(in_a_child(run_with_limit), 0)
    assert "cannot be written: File too large; the results in the file are safe" in (
        message.read_text()
    )
    assert 2 <= len(runner.read_records(path)) <= 4
    run(monk1, path)
    assert contents(path) == contents(whole)


def test_an_unreadable_results_file_is_one_sentence(tmp_path):
    with pytest.raises(runner.ResultsError, match="cannot be read: Is a directory"):
        runner.read_records(tmp_path)


def test_the_other_tasks_are_run_when_one_fails(monk1, tmp_path, monkeypatch):
    def fails(part, seed):
        raise ValueError("no neighbors")

    broken = runner.METHODS["majority"].__class__("majority", "fails", fails)
    monkeypatch.setitem(runner.METHODS, "majority", broken)
    outcome = run(monk1, tmp_path / "out.jsonl")
    assert outcome.now == 4
    assert [record["error"] for record in outcome.failed] == ["ValueError: no neighbors"] * 4
    assert len(contents(tmp_path / "out.jsonl")) == 4


def test_an_unknown_method_is_named(monk1, tmp_path):
    with pytest.raises(
        ValueError, match="there is no method 'perceptron'; the methods are majority"
    ):
        run(monk1, tmp_path / "out.jsonl", Settings(methods=("perceptron",)))


# ---------------------------------------------------------------------------- progress and clusters


def test_the_bar_shows_the_tasks_done_and_their_share_of_the_cost(
    monk1, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(runner, "REFRESH_SECONDS", {True: 0, False: 0})
    run(monk1, tmp_path / "out.jsonl")
    shown = re.findall(
        r"(\d)/8 tasks: +(\d+)% .* left, monk1 \d \w+", capsys.readouterr().err.replace("\r", "\n")
    )
    costs = [task.cost for task in runner.all_tasks(monk1, CHEAP)]
    assert len(set(shown)) > 2
    for number, percent in shown:
        assert int(percent) == pytest.approx(100 * sum(costs[: int(number)]) / sum(costs), abs=0.51)


def test_slow_methods_weigh_more_in_the_time_left(monk1):
    fast, slow = (runner.Task(monk1[0], 0, method).cost for method in ("majority", "lmlir"))
    assert slow > 100 * fast


@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_dask_cluster_gives_the_same_file(monk1, whole, tmp_path, processes):
    distributed = pytest.importorskip("distributed", reason="the cluster needs Dask")
    path = tmp_path / "out.jsonl"
    options = {
        "processes": processes,
        "protocol": "tcp",
        "threads_per_worker": 1,
        "dashboard_address": None,
    }
    with distributed.LocalCluster(n_workers=2, **options) as cluster:
        assert run(monk1, path, scheduler=cluster.scheduler_address) == runner.Outcome(0, 8, [])
    assert contents(path) == contents(whole)
