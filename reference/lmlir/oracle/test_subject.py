"""One test for each law, against the subject named on the command line: `pytest --pyargs lmlir.oracle --subject NAME`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from lmlir.oracle import module, program, report, runner
from lmlir.oracle.laws import LAWS, Law
from lmlir.oracle.subjects import Subject
from lmlir.oracle.violations import CannotBeJudged


@pytest.fixture(scope="module")
def subject(request: pytest.FixtureRequest) -> Iterator[Subject]:
    """The subject named by --subject or --subject-command."""
    name, command = request.config.getoption("--subject"), request.config.getoption("--subject-command")
    if bool(name) == bool(command):
        pytest.fail("give --subject NAME or --subject-command 'PROGRAM ARGS'", pytrace=False)
    try:
        found = module.start(name) if name else program.start(command)
    except CannotBeJudged as problem:
        pytest.fail(f"the subject cannot be judged: {problem}", pytrace=False)
    yield found
    found.close()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_law(law: Law, subject: Subject, request: pytest.FixtureRequest) -> None:
    """The subject keeps this law; skipped when it does not offer the functions that the law needs."""
    option = request.config.getoption
    profile, precision, seed = option("--subject-profile"), option("--subject-precision"), option("--subject-seed")
    try:
        runner.check_options(profile, precision)
    except CannotBeJudged as problem:
        pytest.fail(str(problem), pytrace=False)
    database = settings().database  # that of the project under test, unless its Hypothesis profile has none
    result = runner.run_law(law, subject, profile, precision, seed, database=database)
    if result.status == "not offered":
        pytest.skip(f"not offered: {result.reason}")
    if result.status == "not judged":
        pytest.skip(f"not judged: {result.reason}")
    if result.violation is not None:
        pytest.fail(report.as_text(runner.Report(subject, [result], profile, precision, seed)), pytrace=False)
