"""Judge an implementation from Python: `lmlir.check`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from lmlir.oracle.judging.judge import judge
from lmlir.oracle.judging.judgment import Settings
from lmlir.oracle.judging.trial import Watcher
from lmlir.oracle.laws import selected
from lmlir.oracle.reporting import page
from lmlir.oracle.reporting.data import as_json, unjudged
from lmlir.oracle.reporting.markup import tag, visible
from lmlir.oracle.reporting.text import as_text
from lmlir.oracle.subjects import sources
from lmlir.oracle.subjects.base import Subject
from lmlir.oracle.subjects.failures import CannotBeJudged
from lmlir.oracle.subjects.process import TIMEOUT_SECONDS


def judged(
    subject: Subject,
    watch: Watcher | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Judge a subject, end its process, and return the data of the report."""
    try:
        return as_json(judge(subject, watch=watch, **settings))
    finally:
        subject.close()


class Report:
    """The outcome of `check`.

    `data` is what `lmlir check --json` writes; printing it shows the text of `lmlir check`.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    @property
    def verdict(self) -> str:
        """One of "conforms", "violates", "errored" and "cannot be judged"."""
        return str(self.data["verdict"])

    @property
    def conforms(self) -> bool:
        """Whether the subject holds all laws that were tried."""
        return self.verdict == "conforms"

    def __str__(self) -> str:
        return as_text(self.data)

    def __repr__(self) -> str:
        kinds = [f"{kind} {verdict}" for kind, verdict in self.data["kinds"].items()]
        return visible(f"<{self.data['subject']}: {', '.join(kinds) or self.verdict}>")

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its style does not reach the notebook."""
        style = "width: 100%; height: 40em; border: 0"
        return tag("iframe", srcdoc=str(page.page(self.data)), sandbox="", style=style)


def check(
    subject: Any,
    *,
    profile: str = "default",
    precision: str = "float64",
    seed: int = 0,
    only: str | Sequence[str] | None = None,
    kind: str | Sequence[str] | None = None,
    first: bool = False,
    expected_failures: str | Sequence[str] = (),
    timeout: float = TIMEOUT_SECONDS,
    minutes: float | None = None,
    shapes: str = "few",
) -> Report:
    """Judge an implementation and return the report. The options are those of `lmlir check`.

    The subject is a function, a dictionary of functions by name, a module or another object with
    such functions, or, as on the command line, a dotted module name or the path of a file. The
    latter two run in a process of their own, with the timeout; the others run in this process.

    >>> import lmlir.vectorized
    >>> lmlir.check(
    ...     lmlir.vectorized.distances, profile="quick", only="equal_points_are_at_distance_zero"
    ... )
    <distances(): mathematics conforms>
    """
    Settings(profile, precision, seed, shapes, minutes=minutes)
    selected(_listed(only))
    options = {
        "profile": profile,
        "precision": precision,
        "seed": seed,
        "shapes": shapes,
        "minutes": minutes,
        "only": _listed(only),
        "first_violation_only": first,
        "expected_failures": tuple(_listed(expected_failures)),
        "kinds": _listed(kind),
    }
    try:
        return Report(judged(_subject(subject, timeout), Watcher(), **options))
    except CannotBeJudged as problem:
        name = getattr(subject, "__name__", str(subject))
        if isinstance(subject, Mapping):
            name = _name_of_functions(subject)
        return Report(unjudged(name, str(problem), problem.frames))


def _listed(names: str | Sequence[str] | None) -> Sequence[str]:
    return [names] if isinstance(names, str) else names or ()


def _name_of_functions(functions: Mapping[str, Any]) -> str:
    return f"{', '.join(map(str, functions))}()"


def _subject(subject: Any, timeout: float) -> Subject:
    if isinstance(subject, (str, os.PathLike)):
        return sources.start(os.fspath(subject), timeout)
    if isinstance(subject, Mapping):
        return sources.from_functions(subject, _name_of_functions(subject))
    if callable(subject) and not isinstance(subject, (ModuleType, type)):
        name = getattr(subject, "__name__", type(subject).__name__)
        # not as a module: a report must not suggest to import it
        return sources.from_functions({name: subject}, f"{name}()")
    return sources.from_module(subject)
