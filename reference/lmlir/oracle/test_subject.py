"""The laws as pytest tests, for other projects' CI: `pytest --pyargs lmlir.oracle --subject mypackage.fast`.

What makes all tests impossible (a package or an option that is missing, a subject that cannot be judged) is one error while the
tests are collected, in one sentence, rather than one for each law.
"""

from __future__ import annotations

import pytest

try:
    from hypothesis import settings

    from lmlir.oracle import module, program, report, runner
    from lmlir.oracle.interface import meant
    from lmlir.oracle.laws import LAWS, Law
    from lmlir.oracle.subjects import Subject
    from lmlir.oracle.violations import CannotBeJudged
except ModuleNotFoundError as error:
    if error.name is None or error.name.startswith("lmlir"):
        raise
    raise pytest.Collector.CollectError(
        f"lmlir.oracle needs the package {error.name}: pip install 'lmlir[oracle]'"
    ) from None

SUBJECT = pytest.StashKey["Subject"]()


def start(config: pytest.Config) -> Subject:
    """The subject named by --subject or --subject-command, started; the other options checked."""
    name, command = config.getoption("--subject"), config.getoption("--subject-command")
    if bool(name) == bool(command):
        raise CannotBeJudged("give --subject NAME or --subject-command 'PROGRAM ARGS'")
    runner.check_options(config.getoption("--subject-profile"), config.getoption("--subject-precision"))
    return module.start(name) if name else program.start(command)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each law, of a subject that is started once and ended with the run."""
    config = metafunc.config
    try:
        config.stash[SUBJECT] = start(config)
    except CannotBeJudged as problem:
        raise pytest.Collector.CollectError(f"the subject cannot be judged: {problem}") from None
    config.add_cleanup(config.stash[SUBJECT].close)
    metafunc.parametrize("law", LAWS, ids=lambda law: law.name)


def test_law(law: Law, request: pytest.FixtureRequest) -> None:
    """The subject keeps this law; skipped when it does not offer the functions that the law needs."""
    option, subject = request.config.getoption, request.config.stash[SUBJECT]
    profile, precision, seed = option("--subject-profile"), option("--subject-precision"), option("--subject-seed")
    database = settings().database  # that of the project under test, unless its Hypothesis profile has none
    result = runner.run_law(law, subject, profile, precision, seed, database=database)
    if result.status == "not offered":
        question = meant(subject.near_misses)
        pytest.skip(f"not offered: {result.reason}{'; ' * bool(question)}{question}")
    if result.status == "not judged":
        pytest.skip(f"not judged: {result.reason}")
    if result.violation is not None:
        pytest.fail(report.as_text(runner.Report(subject, [result], profile, precision, seed)), pytrace=False)
