"""`lmlir experiment`: the paper's section 6 on the data sets that are found, and the ablations."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from lmlir.experiments import data
from lmlir.experiments.protocol import METHODS, N_SPLITS, Settings
from lmlir.experiments.runner import Outcome, read_records, run_tasks
from lmlir.experiments.tables import report
from lmlir.terminal import INTERRUPTED

MAX_SEED = 2**32 - 1  # the largest that scikit-learn takes
MAX_COUNT = 10**6  # of splits and processes


def whole_number(low: int, high: int, text: str) -> int:
    """Parse a whole number within bounds, for argparse."""
    if not (text.isdecimal() and low <= int(text) <= high):
        raise argparse.ArgumentTypeError(
            f"must be a whole number from {low} to {high}, got {text!r}"
        )
    return int(text)


def jobs_number(text: str) -> int:
    """Parse a number of processes, -1 for one per core, for argparse."""
    return -1 if text == "-1" else whole_number(1, MAX_COUNT, text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lmlir experiment`."""
    add = parser.add_argument
    add(
        "--data",
        metavar="DIR",
        help="folder with the data sets (or set LMLIR_DATA); see `lmlir data`",
    )
    add("--only", metavar="SET", nargs="+", choices=data.NAMES, help="only these data sets")
    add(
        "--splits",
        metavar="N",
        type=partial(whole_number, 1, MAX_COUNT),
        default=N_SPLITS,
        help="number of random splits (default: 10)",
    )
    methods = (
        "only these methods (default: the paper's and its ablations, without the rivals): "
        + ", ".join(METHODS)
    )
    add("--methods", metavar="NAME", nargs="+", choices=list(METHODS), help=methods)
    tune = (
        "tune rivals and users' methods again instead of using the tuned values of the "
        "committed run"
    )
    add("--tune", action="store_true", help=tune)
    results = "results, one JSON object per line; an existing file is resumed"
    add("--out", metavar="FILE", default="experiment.jsonl", help=results)
    jobs = "number of processes on this machine, -1 for one per core (default: 1)"
    add("--jobs", metavar="N", type=jobs_number, default=1, help=jobs)
    add("--scheduler", metavar="ADDRESS", help="run on the Dask cluster of this scheduler instead")
    add(
        "--seed",
        metavar="N",
        type=partial(whole_number, 0, MAX_SEED),
        default=0,
        help="random seed (default: 0)",
    )
    fitted = "fit the preprocessing on all rows, as printed, or on the training part"
    add("--preprocessing", choices=["all", "train"], default="all", help=fitted)
    add(
        "--download",
        action="store_true",
        help="download missing data sets from LibSVM's page and OpenML",
    )


def load_datasets(arguments: argparse.Namespace) -> list[data.Dataset]:
    """Load the data sets of the run.

    A set given by name must be found. Where none is given, those that are not found are left out,
    with a line on standard error.
    """
    folder = data.data_folder(arguments.data)
    datasets = []
    for name in arguments.only or data.NAMES:
        try:
            datasets.append(data.load(name, folder, arguments.download))
        except data.DataError as error:
            if arguments.only:
                raise
            print(f"without {name}: {error}", file=sys.stderr)
    return datasets


@contextmanager
def ending_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, so that the workers end too. Only the main thread can do so."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run(arguments: argparse.Namespace) -> int:
    """Run what is missing in the results file and print the tables. Return 1 if a task failed."""
    settings = Settings(
        arguments.seed,
        arguments.preprocessing,
        tuple(arguments.methods or ()),
        arguments.splits,
        arguments.tune,
    )
    try:
        with ending_as_interrupt():
            outcome = run_tasks(
                load_datasets(arguments),
                settings,
                arguments.out,
                arguments.jobs,
                arguments.scheduler,
            )
    except KeyboardInterrupt:
        place = f"finished results are in {arguments.out}"
        print(f"stopped; {place}, and the same command resumes the run", file=sys.stderr)
        return INTERRUPTED
    print(summary(outcome, arguments.out), file=sys.stderr)
    if Path(arguments.out).is_file():
        print(report(read_records(arguments.out)))
    return 1 if outcome.failed else 0


def summary(outcome: Outcome, out: str) -> str:
    """Return one line about how the run ended, and one for each task that failed."""
    counts = f"{outcome.now} tasks done, {outcome.before} found in {out}"
    lines = [f"{counts}, {len(outcome.failed)} failed"]
    for record in outcome.failed:
        task = f"{record['dataset']} split {record['split']} {record['method']}"
        lines.append(f"failed: {task}: {record['error']}")
    return "\n".join(lines)
