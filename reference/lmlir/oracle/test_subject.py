"""One test for each law, against the subject named on the command line: `pytest --pyargs lmlir.oracle --subject NAME`.

The subject runs in a process of its own. One that cannot be judged is one failure; the other tests are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

try:
    from hypothesis import settings

    from lmlir.oracle import report, runner, subjects
    from lmlir.oracle.interface import meant
    from lmlir.oracle.laws import LAWS, Law
    from lmlir.oracle.subjects import Subject
    from lmlir.oracle.violations import CannotBeJudged
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.split(".")[0] == "lmlir":
        raise
    pytest.fail(f"the laws need the package {missing.name}: pip install 'lmlir[oracle]'", pytrace=False)


@dataclass
class Problem:
    """Why there is no subject to judge; a sentence that is said once."""

    sentence: str
    said: bool = False

    def say(self) -> None:
        """Fail the first test, and skip the others."""
        if self.said:
            pytest.skip("there is no subject to judge")
        self.said = True
        pytest.fail(self.sentence, pytrace=False)


@pytest.fixture(scope="module")
def subject(request: pytest.FixtureRequest) -> Iterator[Subject | Problem]:
    """The subject named by --subject or --subject-command."""
    option = request.config.getoption
    name, command = option("--subject"), option("--subject-command")
    if bool(name) == bool(command):
        yield Problem("give --subject NAME or --subject-command 'PROGRAM ARGS'")
        return
    try:
        runner.check_options(option("--subject-profile"), option("--subject-precision"))
        start, target = (subjects.start, name) if name else (subjects.start_program, command)
        found: Subject = start(target, option("--subject-timeout"))
    except CannotBeJudged as problem:
        yield Problem(f"the subject cannot be judged: {problem}")
        return
    yield found
    found.close()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_law(law: Law, subject: Subject | Problem, request: pytest.FixtureRequest) -> None:
    """The subject keeps this law; skipped when it does not offer the functions that the law needs."""
    if isinstance(subject, Problem):
        subject.say()
        return
    option = request.config.getoption
    profile, precision, seed = option("--subject-profile"), option("--subject-precision"), option("--subject-seed")
    database = settings().database  # that of the project under test, unless its Hypothesis profile has none
    result = runner.run_law(law, subject, profile, precision, seed, database=database)
    if result.status in ("not offered", "not judged"):
        pytest.skip("; ".join(filter(None, (f"{result.status}: {result.reason}", meant(subject.near_misses)))))
    if result.violation is not None:
        pytest.fail(report.as_text(runner.Report(subject, [result], profile, precision, seed)), pytrace=False)
