"""How fast the vectorized twin and the learner are, and how their times grow.

`make bench` runs this.

Nearly everything is a ratio of two measurements of the same run, in processor time, since seconds
depend on the machine. The two tasks of a ratio alternate and the median over the tries is taken, so
that a slow moment of the machine affects both. Our functions let BLAS use one thread;
scikit-learn's NCA uses as many as BLAS has, so these two are compared on the clock. What two
threads gain is measured on the clock, too, and needs two idle processors; there the shortest try of
each task counts.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import math
import multiprocessing
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from lmlir import learning, subject, vectorized
from lmlir.blas import one_blas_thread
from lmlir.experiments import data, protocol
from lmlir.experiments.protocol import ALPHA, FIXED, C, K, S
from lmlir.scalars import Parameters
from lmlir.terminal import table, wrapped, write_json
from lmlir.vectorized.threads import processors

from .experiment_figures import BLUE, GREEN, RED
from .results import RESULTS

Array = NDArray[np.float64]
Task = Callable[[], Any]

N = 600  # German: 60 % of 1,000 instances
F = 24  # its features
BETA = FIXED["learning_rate"]
STEPS = FIXED["n_steps"]
MIB = 2**20
OUT = RESULTS / "bench.json"


# ------------------------------------------------------------------------- times and rows of tables


def seconds(task: Task) -> float:
    """The processor time of one run of a task."""
    begin = time.process_time()
    task()
    return time.process_time() - begin


def elapsed(task: Task) -> float:
    """The time on the clock of one run of a task: what several threads can shorten."""
    begin = time.perf_counter()
    task()
    return time.perf_counter() - begin


def ratio(task: Task, other: Task, tries: int, measure: Callable[[Task], float] = seconds) -> float:
    """How many times as long a task takes as another one: the median over tries in which both
    alternate.
    """
    return float(np.median([measure(task) / measure(other) for _ in range(tries)]))


def load() -> str:
    """Return the load of the machine as text, because threads need idle processors."""
    return f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""


def best_seconds(tasks: Sequence[Task], tries: int) -> list[float]:
    """The best time of each task; the tasks alternate."""
    times = [[seconds(task) for task in tasks] for _ in range(tries)]
    return [min(column) for column in zip(*times, strict=True)]


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The slope of log time against log size, by least squares.

    >>> round(exponent([1, 2, 4], [3.0, 12.0, 48.0]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def row(
    name: str, measured: float, limit: float, larger: bool, unit: str, note: str = ""
) -> dict[str, Any]:
    """One line of the table of targets."""
    reached = measured >= limit if larger else measured <= limit
    target = f"{'>=' if larger else '<='} {limit:g}"
    return {
        "what": name,
        "measured": measured,
        "target": target,
        "unit": unit,
        "reached": reached,
        "note": note,
    }


def line(name: str, measured: float) -> dict[str, Any]:
    """One line of a table without a target."""
    return {"what": name, "measured": measured, "unit": "x"}


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes; `getrusage` on Linux would begin
    with the parent's.
    """
    import resource

    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )


def in_fresh_process(task: Callable[..., Any], *arguments: Any) -> Any:
    """Run a function of a module in a new process, whose peak memory is its own, and return the
    result.
    """
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(task, *arguments).result()


# --------------------------------------------------------------------------------------------- data


def german(whole: bool = False) -> tuple[Array, NDArray[np.int64], str]:
    """The first training part of German as section 6 has it, or all of it; random numbers of the
    same size without the file.
    """
    try:
        found = data.load("german")
    except ValueError:
        rng = np.random.default_rng(0)
        n = 1000 if whole else N
        X = rng.normal(size=(n, F))
        y = rng.permutation(np.arange(n) % 10 < 3).astype(np.int64)
        return protocol.unit_length(X), y, "random"
    if whole:
        return protocol.unit_length(protocol.standardized(found.X)), found.y, "german"
    part = protocol.prepared(found.X, found.y, protocol.split_rows(len(found.y), 0), "all")
    return part.X_train, part.y_train, "german"


def random_parameters(F: int, S: int, spread: float, seed: int = 0) -> Parameters:
    """Balls that hold about half of normally distributed points, and metrics of full rank."""
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(S + 1, F, F)) / np.sqrt(F)
    metrics = roots @ roots.transpose(0, 2, 1)
    centers = 0.2 * spread * rng.normal(size=(S, F))
    radii = spread * np.sqrt(F) * rng.uniform(0.8, 1.2, size=S)
    parts: Any = centers, radii, metrics[:S], metrics[S]
    return Parameters(*parts)


def starting_point(X: Array, y: NDArray[np.int64]) -> tuple[tuple[Array, Array], Parameters]:
    """Sections 5.1 and 5.2: the similar and the dissimilar pairs, and the initial values."""
    pairs = learning.training_pairs(X, y, K)
    return pairs, learning.initial_values(X, y, S, K, seed=0)


# ------------------------------------------------------------------------------------------ targets


def gradient_target(X: Array, y: NDArray[np.int64], share: int) -> dict[str, Any]:
    """`objective_gradient` at German's size, twin against reference; the reference may be given one
    pair in `share`.
    """
    pairs, Theta = starting_point(X, y)
    few = pairs[0][::share], pairs[1][::share]
    slow = seconds(lambda: subject.objective_gradient(X, *few, *Theta, ALPHA, C))
    slow *= sum(map(len, pairs)) / sum(map(len, few))
    (fast,) = best_seconds([lambda: vectorized.objective_gradient(X, *pairs, *Theta, ALPHA, C)], 10)
    size = (
        f"{len(X)} points, {X.shape[1]} features, {S} regions, {len(pairs[0])} + "
        f"{len(pairs[1])} pairs"
    )
    note = size + (
        f"; the reference on one pair in {share}, which it computes one by one" if share > 1 else ""
    )
    return row(
        "objective_gradient: times faster than the reference", slow / fast, 500, True, "x", note
    )


def floor_rows(X: Array, y: NDArray[np.int64]) -> list[dict[str, Any]]:
    """A prepared gradient against the matrix products that no implementation can do without."""
    pairs, Theta = starting_point(X, y)
    problem = vectorized.PairProblem(X, *pairs, ALPHA, C)
    i, j = problem.rows.T
    D = (X[j] - X[i]).T.copy()
    metrics = np.concatenate([Theta.local_metrics, np.array(Theta.background_metric)[None]])

    @one_blas_thread()
    def products() -> None:
        for M in metrics:
            (M @ D) @ D.T

    whole = partial(problem.gradient, Theta)
    value = partial(problem.objective, Theta)
    return [
        line(
            "prepared gradient, in units of its matrix products alone", ratio(whole, products, 21)
        ),
        line("prepared objective, in units of the prepared gradient", ratio(value, whole, 21)),
    ]


def cross_target(n: int, tries: int) -> list[dict[str, Any]]:
    """`cross_distances` against five plain Euclidean `cdist` calls, in double and in single
    precision.
    """
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, F))
    Y = rng.normal(size=(n, F))
    Theta = random_parameters(F, S, 1.0)
    short: Any = [np.asarray(part, dtype=np.float32) for part in (X, Y, *Theta)]

    def five() -> None:
        for _ in range(S + 1):  # one for each metric: S regions and the background
            cdist(X, Y)

    double = ratio(lambda: vectorized.cross_distances(X, Y, *Theta), five, tries)
    single = ratio(lambda: vectorized.cross_distances(*short), five, tries)
    note = f"{n} x {n}, {F} features, {S} regions, one thread"
    name = "cross_distances, in units of five Euclidean cdist calls"
    return [row(name, double, 1.0, False, "x", note), line(name + ", float32", single)]


def decision_memory(n: int) -> int:
    """By how many bytes the largest resident size of this process grows while `decision_values`
    runs.
    """
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 10))
    Y = rng.normal(size=(n, 10))
    Theta = random_parameters(10, S, 1.0)
    vectorized.decision_values(
        X[:64], Y[:64], Y[64:128], K, *Theta
    )  # so that the libraries allocate their own buffers before the measurement
    before = peak_memory()
    vectorized.decision_values(X, Y[: n // 2], Y[n // 2 :], K, *Theta)
    return peak_memory() - before


def memory_target(n: int) -> dict[str, Any]:
    """How much the largest resident size of a fresh process grows while `decision_values` runs."""
    peak = in_fresh_process(decision_memory, n) / MIB
    note = (
        f"{n} points against {n}, 10 features, {S} regions; all distances would take "
        f"{n * n * 8 / MIB:.0f} MiB"
    )
    return row("decision_values: peak additional memory", peak, 1024, False, "MiB", note)


def thread_targets(X: Array, y: NDArray[np.int64], n: int, tries: int) -> list[dict[str, Any]]:
    """Two threads against one, on the clock: German's gradient by compiled loops, and decision
    values of n points against n.

    NumPy's own gradient uses one thread for so few pairs. Without Numba there is no row for the
    gradient.
    """
    rng = np.random.default_rng(6)
    U = rng.normal(size=(n, F))
    V = rng.normal(size=(n, F))
    balls = random_parameters(F, S, 1.0)

    def decisions(n_jobs: int) -> None:
        vectorized.decision_values(U, V[: n // 2], V[n // 2 :], K, *balls, n_jobs=n_jobs)

    rows = [
        speedup_row(
            f"decision values, {n} x {n}", partial(decisions, 1), partial(decisions, 2), tries
        )
    ]
    if has_numba():
        by_one = gradients(X, y, n_jobs=1)
        by_two = gradients(X, y, n_jobs=2)
        rows.insert(
            0, speedup_row("gradient at German's size, compiled", by_one, by_two, 6 * tries)
        )
    return rows


def speedup_row(name: str, one: Task, two: Task, tries: int) -> dict[str, Any]:
    """Two threads against one by the shortest of some alternating tries each, which other programs
    disturbed least.
    """
    times = np.array([(elapsed(one), elapsed(two)) for _ in range(tries)])
    speedup = np.divide(*times.min(axis=0))
    usual = np.median(times[:, 0] / times[:, 1])
    note = (
        f"on the clock, the shortest of {tries} alternating tries each; the median of their ratios "
        f"is {usual:.2f}; "
        f"{processors()} processors{load()}"
    )
    return row(f"{name}: two threads against one", float(speedup), 1.6, True, "x", note)


def has_numba() -> bool:
    """Whether the compiled engine can be measured."""
    return importlib.util.find_spec("numba") is not None


def gradients(X: Array, y: NDArray[np.int64], n_jobs: int = 1, compiled: bool = True) -> Task:
    """Return a task of ten gradients at the initial values, because one takes only milliseconds.

    It has run once before.
    """
    pairs, Theta = starting_point(X, y)
    problem = vectorized.PairProblem(X, *pairs, ALPHA, C, n_jobs=n_jobs, compiled=compiled)

    def ten() -> None:
        for _ in range(10):
            problem.gradient(Theta)

    ten()
    return ten


def compiled_rows(X: Array, y: NDArray[np.int64], tries: int) -> list[dict[str, Any]]:
    """Compare compiled loops with NumPy in one thread: a gradient and a default fit.

    Without Numba there are no rows.
    """
    if not has_numba():
        return []
    compiled, other = (
        partial(learning.learn, X, y, engine=engine) for engine in ("compiled", "vectorized")
    )
    gradient = ratio(gradients(X, y), gradients(X, y, compiled=False), 3 * tries)
    return [
        line("compiled gradient at German's size, in units of NumPy's", gradient),
        line(
            "compiled default fit, in units of a default fit by NumPy",
            ratio(compiled, other, tries),
        ),
    ]


def train(X: Array, y: NDArray[np.int64]) -> None:
    """One training as in section 5.2, with the paper's fixed rate and parameters."""
    learning.learn(X, y, n_regions=S, n_neighbors=K, alpha=ALPHA, C=C, **FIXED)


def training_shares(X: Array, y: NDArray[np.int64]) -> dict[str, float]:
    """Where the time of a training goes, in percent."""
    whole = seconds(lambda: train(X, y))
    pairs = seconds(lambda: learning.training_pairs(X, y, K))
    start = seconds(lambda: learning.initial_values(X, y, S, K, seed=0))
    parts = {"pairs": pairs, "initial values": start, "steps": whole - pairs - start}
    return {part: 100 * value / whole for part, value in parts.items()}


def nca(X: Array, y: NDArray[np.int64], **options: Any) -> Task | None:
    """Fitting scikit-learn's neighborhood components analysis; None without scikit-learn."""
    try:
        from sklearn.neighbors import NeighborhoodComponentsAnalysis
    except ImportError:
        return None

    def fit() -> None:
        with warnings.catch_warnings():
            # about a limit on iterations that is reached on purpose
            warnings.simplefilter("ignore")
            NeighborhoodComponentsAnalysis(random_state=0, **options).fit(X, y)

    return fit


def training_targets(X: Array, y: NDArray[np.int64], name: str, tries: int) -> list[dict[str, Any]]:
    """Compare a fit by the paper's rule and a default fit with scikit-learn's NCA.

    Without scikit-learn there are no rows.
    """
    equally_long = nca(X, y, max_iter=STEPS, tol=0.0)
    other = nca(X, y)
    if equally_long is None or other is None:
        return []
    fixed = ratio(lambda: train(X, y), equally_long, tries, elapsed)
    share = ", ".join(f"{part} {percent:.0f} %" for part, percent in training_shares(X, y).items())
    note = f"{name}, {STEPS} steps against {STEPS} iterations; time goes to {share}"
    default = in_fresh_process(default_ratio, len(X), tries)
    here = ratio(lambda: learning.learn(X, y), other, tries, elapsed)
    by = (
        f"{name}, scikit-learn's NCA, median of {tries} alternating tries in a fresh "
        f"process{load()}; {here:.2f} in the "
        "process of the bench, where NCA is faster because memory that was freed before is kept "
        "for it"
    )
    return [
        row("training at the fixed rate, in units of fitting NCA", fixed, 1.0, False, "x", note),
        row("default fit, in units of a default NCA fit", default, 3.0, False, "x", by),
    ]


def default_ratio(rows: int, tries: int) -> float:
    """Measure a default fit in units of an NCA fit, on the first rows of German, in a process that
    does nothing else.
    """
    X, y, _ = german()
    fit = nca(X[:rows], y[:rows])
    return (
        ratio(lambda: learning.learn(X[:rows], y[:rows]), fit, tries, elapsed)
        if fit
        else float("nan")
    )


# -------------------------------------------------------------------------------------- a large fit


def large_data(copies: int) -> tuple[Array, NDArray[np.int64]]:
    """Repeat German `copies` times, with noise of deviation 0.01 on every number."""
    X, y, _ = german(whole=True)
    noise = np.random.default_rng(7).normal(size=(copies * len(X), X.shape[1]))
    return np.tile(X, (copies, 1)) + 0.01 * noise, np.tile(y, copies)


def large_fit(copies: int) -> dict[str, float]:
    """One default fit: its minutes of processor time, the steps it took, and by how much the
    process grew.
    """
    X, y = large_data(copies)
    learning.learn(X[:200], y[:200], n_steps=2)
    before = peak_memory()
    fits = list[learning.Learned]()
    taken = seconds(lambda: fits.append(learning.learn(X, y)))
    return {
        "minutes": taken / 60,
        "steps": len(fits[0].trace) - 1,
        "growth": peak_memory() - before,
    }


def large_rows(copies: int) -> list[dict[str, Any]]:
    """A default fit on `copies` times German, in a fresh process: its time, and the memory it
    takes.
    """
    found = in_fresh_process(large_fit, copies)
    name = german(whole=True)[2]
    note = (
        f"{name} {copies} times with small noise, {K} neighbors, {S} regions, "
        f"{found['steps']:.0f} steps, one thread"
    )
    return [
        row("a large fit: processor time", found["minutes"], 30, False, "minutes", note),
        row("a large fit: peak additional memory", found["growth"] / MIB, 1024, False, "MiB", note),
    ]


# ----------------------------------------------------------------------------- function by function


def interface_tasks(
    module: Any, X: Array, pairs: NDArray[np.int64], rows: int, Theta: Parameters
) -> dict[str, tuple[Task, int]]:
    """Every function of the subject interface as a module offers it, with the number of pairs that
    it is given.

    Where a function compares every row with every row, it is given the first `rows` rows.
    """
    X_i = X[pairs[:, 0]]
    X_j = X[pairs[:, 1]]
    some = X[:rows]
    count = len(pairs)
    ratios = (X_i, X_j, *Theta[:2])
    problem = (X, pairs[: count // 2], pairs[count // 2 :], *Theta, ALPHA, C)
    arguments: dict[str, tuple[tuple[Any, ...], int]] = {
        "intersection_ratios": (ratios, count),
        "ratio_gradients": (ratios, count),
        "exact_background_ratios": (ratios, count),
        "distances": ((X_i, X_j, *Theta), count),
        "cross_distances": ((some, some, *Theta), rows**2),
        "decision_values": ((some, some[: rows // 2], some[rows // 2 :], K, *Theta), rows**2),
        "objective": (problem, count),
        "objective_gradient": (problem, count),
        "descent_step": ((*problem, BETA), count),
    }
    return {
        name: (partial(getattr(module, name), *given), n) for name, (given, n) in arguments.items()
    }


def speedups() -> list[dict[str, Any]]:
    """Every function of the interface, twin against reference, per pair: the reference on few
    pairs, the twin on many.
    """
    rng = np.random.default_rng(3)
    X = rng.normal(size=(240, F))
    Theta = random_parameters(F, S, 1.0)
    pairs = rng.integers(0, len(X), size=(12000, 2))
    reference = interface_tasks(subject, X, pairs[:40], 2 * K, Theta)
    twin = interface_tasks(vectorized, X, pairs, len(X), Theta)
    return [
        line(name, ratio(slow, twin[name][0], 7) * twin[name][1] / count)
        for name, (slow, count) in reference.items()
    ]


# ------------------------------------------------------------------------------------------- growth


def _gradient_task(P: int = 4000, F: int = 24, S: int = 4) -> Task:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2 * P, F))
    pairs = rng.permutation(2 * P).reshape(P, 2)
    Theta = random_parameters(F, S, 1.0)
    problem = vectorized.PairProblem(X, pairs[: P // 2], pairs[P // 2 :], ALPHA, C)
    return lambda: problem.objective_and_gradient(Theta)


def _cross_task(P: int = 700**2, F: int = 24, S: int = 4) -> Task:
    rng = np.random.default_rng(5)
    n = math.isqrt(P)
    X = rng.normal(size=(n, F))
    Y = rng.normal(size=(n, F))
    Theta = random_parameters(F, S, 1.0)
    return partial(vectorized.cross_distances, X, Y, *Theta)


def _training_task(n: int = 1000, F: int = 24, S: int = 4, K: int = 10) -> Task:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(n, F))
    y = np.arange(n) % 2
    return partial(
        learning.learn,
        X,
        y,
        n_regions=S,
        n_neighbors=K,
        rule="fixed",
        n_steps=10,
        learning_rate=0.01,
    )


def growth(tries: int) -> list[dict[str, Any]]:
    """Every curve: sizes, times in units of the first, and the fitted exponent with what it should
    be at most.
    """
    names = {"P": "pairs", "F": "features", "S": "regions", "n": "rows", "K": "neighbors"}
    limits = {"P": 1, "F": 2, "S": 1, "n": 2, "K": 1}
    features, regions = [8, 16, 32, 64, 128], [1, 2, 4, 8, 16]
    plans: dict[str, tuple[Callable[..., Task], dict[str, list[int]]]] = {
        "gradient": (
            _gradient_task,
            {"P": [2000, 4000, 8000, 16000, 32000], "F": features, "S": regions},
        ),
        "cross distances": (
            _cross_task,
            {"P": [250**2, 500**2, 1000**2, 2000**2], "F": features, "S": regions},
        ),
        "training": (
            _training_task,
            {
                "n": [500, 1000, 2000, 4000],
                "F": features[:4],
                "S": regions[:4],
                "K": [5, 10, 20, 40],
            },
        ),
    }
    curves = []
    for what, (task, all_sizes) in plans.items():
        for letter, sizes in all_sizes.items():
            times = best_seconds([task(**{letter: size}) for size in sizes], tries)
            curve = {
                "what": what,
                "with": names[letter],
                "sizes": sizes,
                "times": [each / times[0] for each in times],
            }
            curves.append({**curve, "exponent": exponent(sizes, times), "at_most": limits[letter]})
    return curves


# ------------------------------------------------------------------------------------- all together


def measure(quick: bool = False, progress: Callable[[str], None] = print) -> dict[str, Any]:
    """All measurements; `quick` makes every size small, for trying out."""
    X, y, name = german()
    if quick:
        X = X[:120]
        y = y[:120]
    tries = 2 if quick else 7
    progress("objective_gradient against the reference ...")
    targets = [gradient_target(X, y, share=20 if quick else 1)]
    progress("cross_distances against cdist ...")
    cross = cross_target(300 if quick else 2000, tries)
    targets.append(cross[0])
    progress("the memory of decision_values ...")
    targets.append(memory_target(1000 if quick else 20000))
    progress("training against NCA ...")
    targets += training_targets(X, y, name, 1 if quick else 5)
    progress("two threads against one ...")
    targets += thread_targets(X, y, 500 if quick else 5000, tries)
    progress("every function against the reference ...")
    each = speedups()
    progress("growth ...")
    return {
        "targets": targets,
        "large": [],
        "floors": [*floor_rows(X, y), *compiled_rows(X, y, tries), cross[1]],
        "speedups": each,
        "growth": growth(tries),
        "machine": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "system": f"{platform.system()} {platform.machine()}",
            "data": name,
            "quick": quick,
        },
    }


def as_text(results: dict[str, Any]) -> str:
    """The results as tables for the terminal."""
    rows = results["targets"] + results["large"]
    targets = [
        [
            each["what"],
            f"{each['measured']:.2f} {each['unit']}",
            each["target"],
            "reached" if each["reached"] else "missed",
        ]
        for each in rows
    ]
    floors = [[each["what"], f"{each['measured']:.2f} x"] for each in results["floors"]]
    faster = [[each["what"], f"{each['measured']:.0f} x"] for each in results["speedups"]]
    growth = [
        [
            f"{curve['what']} with {curve['with']}",
            f"{curve['exponent']:.2f}",
            f"{curve['at_most']:g}",
        ]
        for curve in results["growth"]
    ]
    parts = [
        table(["target", "measured", "aim", ""], targets),
        "\n".join(
            text
            for each in results["targets"] + results["large"]
            for text in wrapped(f"{each['what']}: {each['note']}")
        ),
        table(["floor", "measured"], floors),
        table(["per pair", "times faster than the reference"], faster),
        table(["growth", "fitted exponent", "expected at most"], growth),
    ]
    return "\n\n".join(parts)


def growth_figure(results: Mapping[str, Any]) -> Figure:
    """The growth curves of saved results on logarithmic axes, one panel for each quantity that
    grows.
    """
    figure = Figure(figsize=(8.5, 5.6), layout="constrained")
    panels = figure.subplots(2, 3).ravel()
    panels[-1].remove()
    marks = {"gradient": ("o-", BLUE), "cross distances": ("s--", RED), "training": ("^:", GREEN)}
    for axes, grows in zip(
        panels[:-1], ("pairs", "features", "regions", "rows", "neighbors"), strict=True
    ):
        for curve in (each for each in results["growth"] if each["with"] == grows):
            mark, color = marks[curve["what"]]
            label = f"{curve['what']}: {curve['exponent']:.2f}"
            axes.loglog(
                curve["sizes"], curve["times"], mark, color=color, label=label, markersize=4
            )
        axes.set_xlabel(grows)
        axes.legend(
            title="fitted exponent", frameon=False, fontsize="small", title_fontsize="small"
        )
    for axes in panels[[0, 3]]:
        axes.set_ylabel("time, relative to the smallest")
    return figure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this study."""
    parser.add_argument("--quick", action="store_true", help="small sizes, for trying out")
    parser.add_argument(
        "--large",
        action="store_true",
        help="only the fit on 50,000 rows, added to the results in the file",
    )


def run(options: argparse.Namespace) -> None:
    """Measure, print the tables and write the file.

    The large fit and the rest each keep the other's part of the file.
    """
    before = json.loads(options.out.read_text()) if options.out.exists() else {}
    if options.large:
        results = {**before, "large": large_rows(2 if options.quick else 50)}
    else:
        results = measure(options.quick, progress=lambda text: print(text, file=sys.stderr))
        results["large"] = before.get("large", [])
    print(as_text(results))
    write_json(results, str(options.out))
    print(f"\nwritten to {options.out}")
