"""`lmlir experiment`: the paper's section 6 on the data sets at hand, and the ablations."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lmlir.experiments import data
from lmlir.experiments.protocol import METHODS, N_SPLITS, Settings
from lmlir.experiments.runner import Outcome, read_records, run_tasks
from lmlir.experiments.tables import report


def positive(text: str) -> int:
    """A whole number from 1 on, for argparse."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"needs a whole number from 1 on, got {text!r}")
    return int(text)


def jobs_number(text: str) -> int:
    """A whole number from 1 on, or -1 for all cores, for argparse."""
    return -1 if text == "-1" else positive(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `lmlir experiment`."""
    add = parser.add_argument
    add("--data", metavar="DIR", help="a folder with the data sets (or set LMLIR_DATA); see `lmlir data`")
    add("--only", metavar="SET", nargs="+", choices=data.NAMES, help="only these data sets")
    add("--splits", metavar="N", type=positive, default=N_SPLITS, help="random splits (10)")
    unasked = "only these methods; without it the paper's and its ablations, not the rivals: " + ", ".join(METHODS)
    add("--methods", metavar="NAME", nargs="+", choices=list(METHODS), help=unasked)
    tune = "tune rivals and users' methods again; without it the tuned values of the committed run are used where there are any"
    add("--tune", action="store_true", help=tune)
    results = "results, one JSON line a task; an old file is continued"
    add("--out", metavar="FILE", default="experiment.jsonl", help=results)
    add("--jobs", metavar="N", type=jobs_number, default=1, help="processes on this machine, -1 for all")
    add("--scheduler", metavar="ADDRESS", help="run on the Dask cluster of this scheduler instead")
    add("--seed", metavar="N", type=int, default=0, help="of the splits and of everything random (0)")
    fitted = "fitted on all rows as printed, or on the training part"
    add("--preprocessing", choices=["all", "train"], default="all", help=fitted)
    add("--download", action="store_true", help="get missing data sets from LibSVM's page and OpenML")
    add("--figures", metavar="DIR", help="also draw the figures into this folder")


def loaded(arguments: argparse.Namespace) -> list[data.Dataset]:
    """The data sets of the run: one asked for by name must be there; of all 14, the missing ones are left out and named."""
    folder, found = data.data_folder(arguments.data), []
    for name in arguments.only or data.NAMES:
        try:
            found.append(data.load(name, folder, arguments.download))
        except data.DataError as error:
            if arguments.only:
                raise
            print(f"without {name}: {error}", file=sys.stderr)
    return found


@contextmanager
def ending_as_interrupt() -> Iterator[None]:
    """SIGTERM counts as Ctrl-C, so that the workers end too; only the main thread can arrange that."""

    def interrupt(number: int, frame: object) -> None:
        """What Ctrl-C does."""
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
    """Run what is missing in the results file, then print the tables; 1 when a task failed."""
    settings = Settings(
        arguments.seed, arguments.preprocessing, tuple(arguments.methods or ()), arguments.splits, arguments.tune
    )
    try:
        with ending_as_interrupt():
            outcome = run_tasks(loaded(arguments), settings, arguments.out, arguments.jobs, arguments.scheduler)
    except KeyboardInterrupt:
        sentence = f"stopped; what is finished is in {arguments.out}, and the same command goes on from there"
        print(sentence, file=sys.stderr)
        return 130
    print(summary(outcome, arguments.out), file=sys.stderr)
    if Path(arguments.out).is_file():
        records = read_records(arguments.out)
        print(report(records))
        if arguments.figures:
            from lmlir.experiments.figures import draw_all

            for path in draw_all(records, arguments.figures):
                print(f"drawn: {path}", file=sys.stderr)
    return 1 if outcome.failed else 0


def summary(outcome: Outcome, out: str) -> str:
    """One line on how the run ended, and one for each task that failed."""
    lines = [f"{outcome.now} tasks done now, {outcome.before} were in {out} before, {len(outcome.failed)} failed"]
    lines += [f"failed: {r['dataset']} split {r['split']} {r['method']}: {r['error']}" for r in outcome.failed]
    return "\n".join(lines)
