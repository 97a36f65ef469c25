"""One test for each law, against a subject: `pytest --pyargs lmlir.oracle --lmlir-subject NAME`.

The subject runs in a process of its own. One that cannot be judged is one failure; the other tests
are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

try:
    from hypothesis import settings

    from lmlir.oracle.interface import meant, near_misses
    from lmlir.oracle.judging.judge import run_law
    from lmlir.oracle.judging.judgment import Judgment, Settings
    from lmlir.oracle.laws import LAWS, Law
    from lmlir.oracle.reporting.data import as_json
    from lmlir.oracle.reporting.text import as_text
    from lmlir.oracle.subjects import sources
    from lmlir.oracle.subjects.base import Subject
    from lmlir.oracle.subjects.failures import CannotBeJudged
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.split(".")[0] == "lmlir":
        raise
    pytest.fail(
        f"the laws need the package {missing.name}: pip install 'lmlir[oracle]'", pytrace=False
    )


@pytest.fixture(scope="module")
def judging(request: pytest.FixtureRequest) -> Iterator[tuple[Subject, Settings] | list[str]]:
    """The subject and the settings of the command line, or a list with the reason why it cannot be
    judged.
    """
    option = request.config.getoption
    name = option("--lmlir-subject")
    command = option("--lmlir-command")
    try:
        if bool(name) == bool(command):
            raise CannotBeJudged("give --lmlir-subject NAME or --lmlir-command 'PROGRAM ARGS'")
        # the database is that of the project under test, unless its Hypothesis profile has none
        chosen = Settings(
            profile=option("--lmlir-profile"),
            precision=option("--lmlir-precision"),
            seed=option("--lmlir-seed"),
            database=settings().database,
        )
        timeout = option("--lmlir-timeout")
        start = sources.start if name else sources.start_program
        subject = start(name or command, timeout)
    except CannotBeJudged as problem:
        yield ["\n  at ".join([f"the subject cannot be judged: {problem}", *problem.frames])]
        return
    yield subject, chosen
    subject.close()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_law(
    law: Law, judging: tuple[Subject, Settings] | list[str], request: pytest.FixtureRequest
) -> None:
    """The subject holds this law. Skipped if it does not offer the functions that the law needs."""
    if isinstance(judging, list):
        if judging:
            pytest.fail(judging.pop(), pytrace=False)
        pytest.skip("there is no subject to judge")
    subject, chosen = judging
    kind = request.config.getoption("--lmlir-kind")
    if kind not in (None, law.kind):
        pytest.skip(f"this law is about {law.kind}, not about {kind}")
    result = run_law(law, subject, **vars(chosen))
    if result.status in ("not offered", "not judged"):
        question = meant(near_misses(subject.others, subject.offers))
        pytest.skip("; ".join(filter(None, (f"{result.status}: {result.reason}", question))))
    if result.violation is not None:
        text = as_text(as_json(Judgment(subject, [result], chosen)))
        # pytest's summary shows the first line
        pytest.fail(f"{result.violation}\n\n{text}", pytrace=False)
