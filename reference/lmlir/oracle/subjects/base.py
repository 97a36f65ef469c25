"""The interface through which laws ask an implementation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lmlir.oracle.subjects.failures import Call


class Subject:
    """An implementation under judgment: its name, the functions it offers, and a way to ask them.

    `others` are further public names that it has, and `printed` is what it printed while it
    answered the last question. A subject in another process counts its starts and its questions.
    """

    command: Sequence[str] = ()  # of a program that speaks the line protocol
    starts = 0
    asked = 0
    printed = ""

    def __init__(
        self,
        name: str,
        offers: Iterable[str],
        others: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.offers = list(offers)
        self.others = list(others)

    def ask(self, function: str, arguments: Mapping[str, Any]) -> Any:
        """Return the answer; raises `SubjectFailure` when there is none, and `NotJudged` when it
        was out of time or is not asked for.
        """
        raise NotImplementedError

    def refusal(self, function: str, arguments: Mapping[str, Any] | None = None) -> str:
        """Return why a question is not asked, or '' if it is.

        Without arguments, return why no question of this function is asked.
        """
        return ""

    def processor_seconds(self) -> float:
        """Return the processor time that the subject has used in processes of its own."""
        return 0.0

    def fresh(self) -> Subject | None:
        """Return the same subject in a new process, or None for a subject that has no process of
        its own.
        """
        return None

    def recorded_calls(self) -> list[Call]:
        """Return the questions put to the present process; none are recorded in this one."""
        return []

    def may_search(self) -> bool:
        """Whether another search among earlier calls is allowed.

        Each call of this method uses one up.
        """
        return False

    def close(self) -> None:
        """End the process of the subject, if it has one."""
