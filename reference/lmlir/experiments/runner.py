"""Runs the tasks of the experiment and stores each result as soon as it is there, so that a killed run can go on.

The results file has one JSON object a line. A line is appended with one write and forced to the disk; an incomplete last
line (power cut in the middle of that write) is removed at the next start; a write that fails is undone. What the file
already holds is not done again.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import joblib
from joblib.externals.loky import get_reusable_executor
from numpy.linalg import LinAlgError
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from lmlir.experiments.data import Dataset
from lmlir.experiments.protocol import METHODS, Record, Settings, run_task

Key = tuple[str, int, str]
SCHEDULER_PATIENCE = "10s"


class ResultsError(OSError):
    """The results file cannot be read or written; the message says why and what is safe."""


class WorkerError(OSError):
    """A worker process died; the message says what is safe."""


class Task(NamedTuple):
    """One (data set, split, method), with the data."""

    dataset: Dataset
    split: int
    method: str

    @property
    def key(self) -> Key:
        """What identifies the task in the results file."""
        return self.dataset.name, self.split, self.method

    @property
    def cost(self) -> float:
        """A rough cost, for the time left: that of the method, times rows, times features and a constant."""
        rows, features = self.dataset.X.shape
        return float(METHODS[self.method].cost * rows * (features + 5))


# ---------------------------------------------------------------------------------------------------- results file


def key_of(record: Record) -> Key:
    """Data set, split and method of a record."""
    return record["dataset"], record["split"], record["method"]


def parsed_lines(content: bytes, path: Path) -> tuple[list[Record], int]:
    """The records in the file and the length of its valid part; only the last line may be incomplete."""
    records: list[Record] = []
    valid = 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        if line.strip():
            try:
                record = json.loads(line)
                key_of(record)
            except (ValueError, KeyError, TypeError):
                if not content[valid + len(line) :].strip():
                    break
                shown = line.rstrip()[:40]
                raise ResultsError(f"{path} line {number} is not a result: {shown!r}; it was left as it is") from None
            records.append(record)
        valid += len(line)
    return records, valid


def read_records(path: str | Path) -> list[Record]:
    """All records of a results file; an incomplete last line is ignored, the file is not changed."""
    try:
        return parsed_lines(Path(path).read_bytes(), Path(path))[0]
    except ResultsError:
        raise
    except OSError as error:
        raise ResultsError(f"{path} cannot be read: {error.strerror or error}") from None


COMMITTED = (
    "experiment.jsonl",
    "rivals.jsonl",
)  # the paper's method with its ablations; its rivals and what users pick


def read_run(folder: str | Path) -> list[Record]:
    """All records of the committed run, which is in two files of one folder."""
    return [record for name in COMMITTED for record in read_records(Path(folder) / name)]


class ResultsFile:
    """A results file open for appending, with what it already holds; one run at a time."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise ResultsError(f"{self.path} cannot be written: the folder {self.path.parent} does not exist")
        try:
            self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise ResultsError(f"{self.path} cannot be written: {error.strerror}") from None
        try:
            self.regular = stat.S_ISREG(os.fstat(self.descriptor).st_mode)
            self._lock()
            self.records = self._repaired() if self.regular else []
        except BaseException:
            os.close(self.descriptor)
            raise

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self.descriptor)

    def _lock(self) -> None:
        """One writer at a time; the lock ends with the process."""
        try:
            import fcntl
        except ImportError:  # pragma: no cover - not a POSIX system
            return
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ResultsError(f"{self.path} is being written by another run") from None
        except OSError:  # a file system without locks
            return

    def _repaired(self) -> list[Record]:
        """The records in the file, after an incomplete last line was removed or a missing last newline written."""
        content = self.path.read_bytes()
        records, valid = parsed_lines(content, self.path)
        if valid < len(content):
            os.ftruncate(self.descriptor, valid)
        elif content and not content.endswith(b"\n"):
            self._write(b"\n")
        return records

    def append(self, record: Record) -> None:
        """Add one record as one line; when that fails, the file is as it was before."""
        self._write(json.dumps(record, separators=(",", ":"), allow_nan=False).encode() + b"\n")
        self.records.append(record)

    def _write(self, line: bytes) -> None:
        before = os.fstat(self.descriptor).st_size
        try:
            written = os.write(self.descriptor, line)
            while written < len(line):
                written += os.write(self.descriptor, line[written:])
            if self.regular:
                os.fsync(self.descriptor)
        except OSError as error:
            if self.regular:
                os.ftruncate(self.descriptor, before)
            raise ResultsError(
                f"{self.path} cannot be written: {error.strerror}; the {len(self.records)} results in it are safe, "
                "and the same command goes on from there"
            ) from None


# ----------------------------------------------------------------------------------------------------------- tasks


def all_tasks(datasets: Sequence[Dataset], settings: Settings) -> list[Task]:
    """Every task of a run, method by method in the order of the protocol, so that a table fills up from the left."""
    chosen = settings.methods or tuple(name for name, method in METHODS.items() if method.default)
    unknown = [name for name in chosen if name not in METHODS]
    if unknown:
        raise ValueError(f"there is no method {unknown[0]!r}; the methods are {', '.join(METHODS)}")
    return [
        Task(dataset, split, method)
        for method in METHODS
        if method in chosen
        for dataset in datasets
        for split in range(settings.splits)
    ]


def check_same_settings(records: Iterable[Record], settings: Settings, path: Path) -> None:
    """A file holds results of one seed and one preprocessing; others belong into another file."""
    for record in records:
        seed, preprocessing = record.get("seed", 0), record.get("preprocessing", "all")
        if (seed, preprocessing) != (settings.seed, settings.preprocessing):
            raise ValueError(
                f"{path} holds results of seed {seed} and preprocessing {preprocessing!r}, this run has seed "
                f"{settings.seed} and {settings.preprocessing!r}: choose another file with --out"
            )


def run_one(task: Task, settings: Settings) -> Record:
    """One task with one thread; a failure comes back as a record with `error`, so that the others go on."""
    try:
        with threadpool_limits(limits=1):
            return run_task(task.dataset.name, task.dataset.X, task.dataset.y, task.split, task.method, settings)
    except (ValueError, ArithmeticError, LinAlgError) as error:
        dataset, split, method = task.key
        return {"dataset": dataset, "split": split, "method": method, "error": f"{type(error).__name__}: {error}"}


@contextmanager
def workers(jobs: int, scheduler: str | None) -> Iterator[Any]:
    """joblib's Parallel on this machine, or on the Dask cluster at the scheduler's address."""
    if scheduler is None:
        try:
            yield joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs")
        except BaseException:
            if jobs != 1:  # else the workers would finish tasks whose results are lost
                get_reusable_executor().shutdown(wait=False, kill_workers=True)
            raise
        return
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("--scheduler needs Dask: pip install 'lmlir[experiments]'") from None
    try:
        client: Any = Client(scheduler, timeout=SCHEDULER_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(f"there is no Dask scheduler at {scheduler!r}: {error}") from None
    with client, joblib.parallel_config(backend="dask", client=client):
        yield joblib.Parallel(n_jobs=-1, return_as="generator_unordered", pre_dispatch="2*n_jobs")


def worker_deaths() -> tuple[type[Exception], ...]:
    """The exceptions by which joblib and, where it is loaded, Dask report that a worker died."""
    distributed = sys.modules.get("distributed")
    return (BrokenExecutor, *([distributed.KilledWorker] if distributed else []))


class Progress:
    """A bar with the tasks done and the time left, which is estimated from the cost of the tasks, not their number."""

    FORMAT = "{desc}{percentage:3.0f}% |{bar}| {elapsed} gone, {remaining} left{postfix}"

    def __init__(self, tasks: Sequence[Task], stream: TextIO | None = None):
        stream = stream or sys.stderr
        self.done, self.count = 0, len(tasks)
        self.costs = {task.key: task.cost for task in tasks}
        self.bar = tqdm(
            total=sum(self.costs.values()),
            desc=f"0/{self.count} tasks",
            bar_format=self.FORMAT,
            file=stream,
            mininterval=0.3 if stream.isatty() else 20,
            smoothing=0.1,
        )

    def advance(self, key: Key) -> None:
        """One task is finished."""
        self.done += 1
        self.bar.set_description(f"{self.done}/{self.count} tasks", refresh=False)
        self.bar.set_postfix_str(" ".join(map(str, key)), refresh=False)
        self.bar.update(self.costs[key])

    def close(self) -> None:
        """Stop updating the bar."""
        self.bar.close()


class Outcome(NamedTuple):
    """How a run ended: tasks found done, done now, and those that failed with their reasons."""

    before: int
    now: int
    failed: list[Record]


def run_tasks(
    datasets: Sequence[Dataset],
    settings: Settings,
    out: str | Path,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: Callable[[Sequence[Task]], Progress] = Progress,
) -> Outcome:
    """Do what the results file does not hold yet; each result is in the file as soon as it is there."""
    tasks = all_tasks(datasets, settings)
    with ResultsFile(out) as results:
        check_same_settings(results.records, settings, results.path)
        done = {key_of(record) for record in results.records}
        left = [task for task in tasks if task.key not in done]
        failed: list[Record] = []
        if not left:
            return Outcome(len(tasks), 0, failed)
        with workers(jobs, scheduler) as parallel:
            bar = progress(left)
            try:
                for record in parallel(joblib.delayed(run_one)(task, settings) for task in left):
                    if "error" in record:
                        failed.append(record)
                    else:
                        results.append(record)
                    bar.advance(key_of(record))
            except worker_deaths() as error:
                raise WorkerError(
                    f"a worker process died ({type(error).__name__}); the {len(results.records)} results in "
                    f"{results.path} are safe, and the same command goes on from there"
                ) from None
            finally:
                bar.close()
    return Outcome(len(tasks) - len(left), len(left) - len(failed), failed)
