"""A run that is killed, starved of disk or handed a broken file loses nothing and says what is wrong in one sentence."""

import io
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("joblib", reason="the experiment needs joblib")
pytest.importorskip("tqdm", reason="the experiment needs tqdm")

from lmlir.experiments import data, runner
from lmlir.experiments.protocol import Settings

CHEAP = Settings(methods=("majority", "euclidean"), splits=4)


class Quiet:
    """No progress bar."""

    def __init__(self, tasks):
        pass

    def advance(self, key):
        pass

    def close(self):
        pass


@pytest.fixture(scope="module")
def monk1():
    return [data.load("monk1")]


def run(datasets, out, settings=CHEAP, **more):
    return runner.run_tasks(datasets, settings, out, progress=Quiet, **more)


def contents(path):
    """The records without what differs from run to run, sorted."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        record.pop("seconds")
        record.pop("run", None)
    return sorted(records, key=runner.key_of)


@pytest.fixture(scope="module")
def whole(monk1, tmp_path_factory):
    """The file of a run that nobody disturbed."""
    path = tmp_path_factory.mktemp("whole") / "out.jsonl"
    assert run(monk1, path) == runner.Outcome(0, 8, [])
    return path


def test_every_task_is_one_line_with_the_promised_fields(whole):
    lines = whole.read_text().splitlines()
    assert len(lines) == 8
    for line in lines:
        record = json.loads(line)
        assert record["dataset"] == "monk1" and 0 <= record["split"] < 4 and 0 <= record["accuracy"] <= 1


def test_nothing_is_done_twice(monk1, whole):
    before = whole.read_bytes()
    assert run(monk1, whole) == runner.Outcome(8, 0, [])
    assert whole.read_bytes() == before


def test_more_splits_and_methods_are_added_to_an_old_file(monk1, tmp_path):
    path = tmp_path / "out.jsonl"
    run(monk1, path, CHEAP._replace(splits=2, methods=("majority",)))
    assert run(monk1, path) == runner.Outcome(2, 6, [])


# ----------------------------------------------------------------------------------------------------------- killed


def in_a_child(action):
    """Fork, act, and leave without cleaning up; the child's process id."""
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


def test_killed_at_random_moments_and_resumed_the_file_is_the_same(monk1, whole, tmp_path):
    """SIGKILL, real processes: at a random number of results and a random moment after, until twelve kills have hit."""
    chance = random.Random(6)
    hits, tries, sizes = 0, 0, set()
    path = tmp_path / "out.jsonl"
    while hits < 12:
        tries += 1
        assert tries < 100, f"only {hits} kills hit an unfinished run"
        goal, deadline = chance.randint(lines_in(path), 7), time.monotonic() + 30
        child = in_a_child(lambda: run(monk1, path))
        while lines_in(path) < goal and time.monotonic() < deadline:
            time.sleep(0.0005)
        time.sleep(chance.uniform(0, 0.01))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        sizes.add(lines_in(path))
        hits += lines_in(path) < 8
        if lines_in(path) >= 7:  # finished, or nearly: again from a random beginning
            run(monk1, path)
            assert contents(path) == contents(whole)
            path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[: chance.randrange(6)]))
    run(monk1, path)
    assert contents(path) == contents(whole)
    assert len(sizes) > 2, "the kills came at different stages"


def test_the_command_with_two_jobs_survives_a_kill_of_all_its_processes(whole, tmp_path):
    path = tmp_path / "out.jsonl"
    words = [
        "--only",
        "monk1",
        "--splits",
        "4",
        "--methods",
        "majority",
        "euclidean",
        "--out",
        str(path),
        "--jobs",
        "2",
    ]
    command = [sys.executable, "-m", "lmlir", "experiment", *words]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if path.exists() and path.read_bytes().count(b"\n") >= 2:
            break
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert path.read_bytes().count(b"\n") >= 2
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert contents(path) == contents(whole)
    assert "monk1" in done.stdout and "96.46 ± 2.96" in done.stdout
    assert "failed" in done.stderr.splitlines()[-1]


@pytest.fixture
def long_run(tmp_path):
    """A run with two workers that has begun to write; its process, its workers, its file."""
    path = tmp_path / "out.jsonl"
    words = ["--only", "monk1", "--splits", "999", "--methods", "euclidean", "--out", str(path), "--jobs", "2"]
    command = [sys.executable, "-m", "lmlir", "experiment", *words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (path.exists() and path.read_bytes()) and time.monotonic() < deadline:
        time.sleep(0.02)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    workers = [int(child) for child in children if "popen_loky" in Path(f"/proc/{child}/cmdline").read_text()]
    yield process, workers, path
    process.kill()
    process.wait()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to find the workers")
@pytest.mark.parametrize(
    "whom, status, sentence",
    [("worker", 2, "a worker process died"), ("run", 130, "stopped; what is finished is in")],
)
def test_a_worker_killed_or_a_run_asked_to_end_is_one_sentence(long_run, whom, status, sentence):
    """A worker dies as when the system is out of memory; a run that is asked to end takes its workers with it."""
    process, workers, path = long_run
    assert len(workers) == 2
    os.kill(workers[0] if whom == "worker" else process.pid, signal.SIGKILL if whom == "worker" else signal.SIGTERM)
    said = process.communicate(timeout=60)[1].strip().splitlines()[-1]
    assert process.returncode == status and sentence in said
    assert 0 < len(runner.read_records(path)) < 999 and path.read_bytes().endswith(b"\n")
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{worker}/cmdline").exists() for worker in workers)


def test_a_last_line_torn_anywhere_is_repaired(monk1, whole, tmp_path):
    """Every byte of the last line as the place of the tear; the other lines stay as they are."""
    content = whole.read_bytes()
    start = content[:-1].rindex(b"\n") + 1
    for cut in range(start, len(content)):
        path = tmp_path / "out.jsonl"
        path.write_bytes(content[:cut])
        with runner.ResultsFile(path) as results:
            complete = cut == len(content) - 1  # only the newline is missing
            assert len(results.records) == 7 + complete
        assert path.read_bytes() == (content if complete else content[:start])


def test_a_torn_line_is_done_again(monk1, whole, tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_bytes(whole.read_bytes()[:-20])
    assert run(monk1, path) == runner.Outcome(7, 1, [])
    assert contents(path) == contents(whole)


def test_a_broken_line_in_the_middle_is_named_and_left_alone(monk1, whole, tmp_path):
    path = tmp_path / "out.jsonl"
    lines = whole.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b"{not json\n", *lines[3:]]))
    before = path.read_bytes()
    with pytest.raises(runner.ResultsError, match="out.jsonl line 4 is not a result"):
        run(monk1, path)
    assert path.read_bytes() == before


def test_a_foreign_file_is_not_touched(monk1, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("my notes\nthat nobody else has\n")
    with pytest.raises(runner.ResultsError, match="line 1 is not a result"):
        run(monk1, path)
    assert path.read_text() == "my notes\nthat nobody else has\n"


def test_two_runs_do_not_write_into_one_file(monk1, tmp_path):
    path = tmp_path / "out.jsonl"
    with runner.ResultsFile(path), pytest.raises(runner.ResultsError, match="is being written by another run"):
        run(monk1, path)


def test_a_file_of_another_seed_is_not_continued(monk1, whole, tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_bytes(whole.read_bytes())
    with pytest.raises(ValueError, match="holds results of seed 0 .* this run has seed 1"):
        run(monk1, path, CHEAP._replace(seed=1))
    assert path.read_bytes() == whole.read_bytes()


# ------------------------------------------------------------------------------------------------------------- disk


def test_a_disk_that_fills_up_in_the_middle_of_a_line_loses_nothing(monk1, whole, tmp_path):
    """A limit on the file's size, in a child: the write stops in the middle of a line, as on a full disk."""
    path = tmp_path / "out.jsonl"
    limit = len(b"".join(whole.read_bytes().splitlines(keepends=True)[:3])) + 40
    said = tmp_path / "said"

    def starved():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            run(monk1, path)
        except runner.ResultsError as error:
            resource_free = os.open(said, os.O_CREAT | os.O_WRONLY)
            os.write(resource_free, str(error).encode())

    os.waitpid(in_a_child(starved), 0)
    assert "cannot be written: File too large; the " in said.read_text() and " are safe" in said.read_text()
    lines = path.read_bytes().splitlines(keepends=True)
    assert 2 <= len(lines) <= 4 and all(json.loads(line) and line.endswith(b"\n") for line in lines)
    run(monk1, path)
    assert contents(path) == contents(whole)


def test_an_unreadable_results_file_is_one_sentence(tmp_path):
    with pytest.raises(runner.ResultsError, match="cannot be read: Is a directory"):
        runner.read_records(tmp_path)


def test_a_task_that_fails_does_not_take_the_others_with_it(monk1, tmp_path, monkeypatch):
    def fails(part, seed):
        raise ValueError("no neighbors")

    broken = runner.METHODS["majority"].__class__("majority", "fails", fails)
    monkeypatch.setitem(runner.METHODS, "majority", broken)
    outcome = run(monk1, tmp_path / "out.jsonl")
    assert outcome.now == 4 and [record["error"] for record in outcome.failed] == ["ValueError: no neighbors"] * 4
    assert len(contents(tmp_path / "out.jsonl")) == 4


def test_an_unknown_method_is_named(monk1, tmp_path):
    with pytest.raises(ValueError, match="there is no method 'perceptron'; the methods are majority"):
        run(monk1, tmp_path / "out.jsonl", Settings(methods=("perceptron",)))


# --------------------------------------------------------------------------------------------- progress and clusters


def test_the_bar_tells_tasks_done_and_time_left(monk1):
    tasks = runner.all_tasks(monk1, CHEAP)
    stream = io.StringIO()
    bar = runner.Progress(tasks, stream)
    bar.bar.mininterval = 0
    for task in tasks[:4]:
        bar.advance(task.key)
    bar.bar.refresh()
    assert "4/8 tasks" in stream.getvalue() and " left" in stream.getvalue() and "monk1 3 majority" in stream.getvalue()
    percent = 100 * sum(t.cost for t in tasks[:4]) / sum(t.cost for t in tasks)
    assert f"{percent:3.0f}%" in stream.getvalue().split("\r")[-1]
    bar.close()


def test_costly_methods_weigh_more_in_the_time_left(monk1):
    cheap, dear = (runner.Task(monk1[0], 0, method).cost for method in ("majority", "lmlir"))
    assert dear > 100 * cheap


def test_a_dask_cluster_gives_the_same_file(monk1, whole, tmp_path):
    distributed = pytest.importorskip("distributed", reason="the cluster needs Dask")
    path = tmp_path / "out.jsonl"
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        assert run(monk1, path, scheduler=cluster.scheduler_address) == runner.Outcome(0, 8, [])
    assert contents(path) == contents(whole)
