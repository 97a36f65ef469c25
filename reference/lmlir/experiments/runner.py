"""Run the tasks of the experiment and store each result at once, so that the same command resumes a
run that was killed.

The results file has one JSON object per line. An incomplete last line, which a full disk can
leave, is removed at the next start. Tasks whose results are in the file are not run again.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import joblib
from numpy.linalg import LinAlgError
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from lmlir.experiments.data import Dataset
from lmlir.experiments.protocol import METHODS, Record, Settings, run_task

Key = tuple[str, int, str]
CONNECT_SECONDS = 10
RESUMES = "the results in the file are safe, and the same command resumes the run"
BAR = "{desc}{percentage:3.0f}% |{bar}| {elapsed} gone, {remaining} left{postfix}"
REFRESH_SECONDS = {True: 0.3, False: 20}  # of the bar: on a terminal, and in a log


class ResultsError(OSError):
    """The results file cannot be read or written, or a worker process ended early; the message
    tells what is safe.
    """


class Task(NamedTuple):
    """One data set, split and method, with the data."""

    dataset: Dataset
    split: int
    method: str

    @property
    def key(self) -> Key:
        """The name of the task in the results file."""
        return self.dataset.name, self.split, self.method

    @property
    def cost(self) -> float:
        """A rough cost, for the time left: that of the method, times rows, times features and a
        constant.
        """
        rows, features = self.dataset.X.shape
        return float(METHODS[self.method].cost * rows * (features + 5))


class Outcome(NamedTuple):
    """How a run ended: the number of tasks found done, the number done now, and the records of
    those that failed.
    """

    before: int
    now: int
    failed: list[Record]


# ------------------------------------------------------------------------------------- results file


def key_of(record: Record) -> Key:
    """Return data set, split and method of a record."""
    return record["dataset"], record["split"], record["method"]


def parsed_lines(content: bytes, path: Path) -> tuple[list[Record], int]:
    """Return the records of a file and the length of its valid part.

    Only the last line may be incomplete.
    """
    records: list[Record] = []
    valid = 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        if line.strip():
            try:
                record = json.loads(line)
                key_of(record)
            except (ValueError, KeyError, TypeError):
                if line.startswith(b"{") and not line.endswith(b"\n"):
                    # only the last line has no newline
                    break
                shown = line.rstrip()[:40]
                raise ResultsError(
                    f"{path} line {number} is not a result: {shown!r}; the file was not changed"
                ) from None
            records.append(record)
        valid += len(line)
    return records, valid


def read_records(path: str | Path) -> list[Record]:
    """Return all records of a results file.

    An incomplete last line is ignored, and the file is not changed.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ResultsError(f"{path} cannot be read: {error.strerror}") from None
    return parsed_lines(content, Path(path))[0]


def resumed_records(path: Path) -> list[Record]:
    """Return the records of a file that a run adds to.

    An incomplete last line is removed, and a missing last newline is added.
    """
    append("", path)  # raises an error if the file cannot be written
    if not path.is_file():  # a device, such as /dev/null
        return []
    content = path.read_bytes()
    records, valid = parsed_lines(content, path)
    os.truncate(path, valid)
    if valid and content[valid - 1 : valid] != b"\n":
        append("\n", path)
    return records


def append(text: str, path: Path) -> None:
    """Write text to the end of a file."""
    try:
        with path.open("a") as file:
            file.write(text)
    except OSError as error:
        raise ResultsError(f"{path} cannot be written: {error.strerror}; {RESUMES}") from None


# -------------------------------------------------------------------------------------------- tasks


def all_tasks(datasets: Sequence[Dataset], settings: Settings) -> list[Task]:
    """Return every task of a run, method by method in the order of the protocol, so that tables
    fill up from the left.
    """
    chosen = settings.methods or tuple(name for name, method in METHODS.items() if method.default)
    unknown = [name for name in chosen if name not in METHODS]
    if unknown:
        raise ValueError(f"there is no method {unknown[0]!r}; the methods are {', '.join(METHODS)}")
    methods = [name for name in METHODS if name in chosen]
    return [
        Task(dataset, split, name)
        for name in methods
        for dataset in datasets
        for split in range(settings.splits)
    ]


def check_same_settings(records: Iterable[Record], settings: Settings, path: Path) -> None:
    """Raise a ValueError if a file has results of another seed or preprocessing."""
    for record in records:
        seed = record.get("seed", 0)
        preprocessing = record.get("preprocessing", "all")
        if (seed, preprocessing) != (settings.seed, settings.preprocessing):
            raise ValueError(
                f"{path} holds results of seed {seed} and preprocessing {preprocessing!r}, this "
                "run has seed "
                f"{settings.seed} and {settings.preprocessing!r}: choose another file with --out"
            )


def run_one(task: Task, settings: Settings) -> Record:
    """Run one task with one thread.

    A failure is returned as a record with `error`, so that the other tasks are run.
    """
    try:
        with threadpool_limits(limits=1):
            dataset = task.dataset
            return run_task(dataset.name, dataset.X, dataset.y, task.split, task.method, settings)
    except (ValueError, ArithmeticError, LinAlgError) as error:
        return {
            "dataset": task.dataset.name,
            "split": task.split,
            "method": task.method,
            "error": f"{type(error).__name__}: {error}",
        }


@contextmanager
def workers(jobs: int, scheduler: str | None) -> Iterator[None]:
    """Let joblib use processes of this machine, or the Dask cluster of a scheduler."""
    if scheduler is None:
        with joblib.parallel_config(n_jobs=jobs):
            yield
        return
    from distributed import Client

    client = Client(scheduler, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call]
    with client, joblib.parallel_config(backend="dask", client=client, n_jobs=-1):
        yield


def run_tasks(
    datasets: Sequence[Dataset],
    settings: Settings,
    out: str | Path,
    jobs: int = 1,
    scheduler: str | None = None,
) -> Outcome:
    """Run the tasks whose results are not in the file yet, and write each result as soon as it is
    known.

    The bar shows the time left, estimated from the cost of the tasks rather than from their number.
    """
    path = Path(out)
    records = resumed_records(path)
    check_same_settings(records, settings, path)
    done = {key_of(record) for record in records}
    tasks = all_tasks(datasets, settings)
    left = {task.key: task for task in tasks if task.key not in done}
    failed: list[Record] = []
    refresh_seconds = REFRESH_SECONDS[sys.stderr.isatty()]
    try:
        with (
            workers(jobs, scheduler),
            tqdm(
                total=sum(task.cost for task in left.values()),
                bar_format=BAR,
                mininterval=refresh_seconds,
                smoothing=0.1,
                disable=not left,
            ) as bar,
        ):
            run = joblib.Parallel(return_as="generator_unordered", pre_dispatch="2*n_jobs")
            calls = [joblib.delayed(run_one)(task, settings) for task in left.values()]
            # no name for the records: a killed run must release them, and so its workers
            for number, record in enumerate(run(calls), 1):
                key = key_of(record)
                if "error" in record:
                    failed.append(record)
                else:
                    line = json.dumps(record, separators=(",", ":"), allow_nan=False)
                    append(f"{line}\n", path)
                bar.set_description(f"{number}/{len(left)} tasks", refresh=False)
                bar.set_postfix_str(" ".join(map(str, key)), refresh=False)
                bar.update(left[key].cost)
    except BrokenExecutor as error:
        raise ResultsError(
            f"a worker process ended early ({type(error).__name__}); {RESUMES}"
        ) from None
    return Outcome(len(tasks) - len(left), len(left) - len(failed), failed)
