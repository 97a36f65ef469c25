"""Settings of the whole suite: which examples are tried, no complaints about a busy machine, and
what is not traced.
"""

import os
from collections.abc import Generator
from typing import Any

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, is_hypothesis_test, settings

os.environ["COLUMNS"] = "100"  # reports are as wide as the terminal


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--examples",
        type=int,
        default=1,
        metavar="N",
        help="try at least N examples of every property",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The same examples on every run, or those of `--hypothesis-seed`."""
    settings.register_profile(
        "lmlir",
        derandomize=config.getoption("--hypothesis-seed") is None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        database=None,
    )
    settings.load_profile("lmlir")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Raise the number of examples, also where a test names its own; Hypothesis has no public way
    to do that.
    """
    test: Any = getattr(item, "obj", None)
    if is_hypothesis_test(test):
        own = test._hypothesis_internal_use_settings
        more = max(own.max_examples, item.config.getoption("--examples"))
        test._hypothesis_internal_use_settings = settings(own, max_examples=more)


# These run modules that other tests cover; traced, the proofs take twice as long and the loops of
# the reference four times.
NOT_TRACED = (
    "tests/proofs/",
    "tests/oracle/test_c_subject.py",
    "tests/vectorized/test_compiled.py",
    "tests/oracle/test_python_examples.py",
    "::test_the_reference_conforms",
    "::test_objective_gradient_and_step_agree_with_the_reference_on_real_data",
    "::test_reference_and_twin_take_the_same_steps",
    "::test_the_fast_twin_conforms_in_single_precision",
    "::test_no_corner_case_rejects_other_honest_arithmetic",
    "::test_the_oracle_rejects_the_mutant",
    "::test_a_subject_that_is_wrong_by_a_factor_violates_no_law_of_behavior",
    "::test_the_vectors_alone_catch_most_mutants",
    "::test_the_oracle_rejects_the_stub_and_accepts_the_solution",
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Leave coverage out where it costs most and finds nothing new.

    In a worker process pytest-cov traces twice, and its own mark `no_cover` stops only one of the
    two.
    """
    stopped: list[Coverage] = []
    while (
        any(part in item.nodeid for part in NOT_TRACED)
        and (tracing := Coverage.current()) is not None
    ):
        tracing.stop()
        stopped.append(tracing)
    try:
        return (yield)
    finally:
        for tracing in reversed(stopped):
            tracing.start()
