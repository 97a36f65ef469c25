"""Settings of the whole suite: the same examples on every run, no complaints about a busy machine, and what is not traced."""

import os
from collections.abc import Generator

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings

os.environ["COLUMNS"] = "100"  # reports are as wide as the terminal

settings.register_profile(
    "lmlir", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
settings.load_profile("lmlir")

# These run modules that other tests cover; traced, the proofs take twice as long and the loops of the reference four times.
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

    In a worker process pytest-cov traces twice, and its own mark `no_cover` stops only one of the two.
    """
    stopped: list[Coverage] = []
    while any(part in item.nodeid for part in NOT_TRACED) and (tracing := Coverage.current()) is not None:
        tracing.stop()
        stopped.append(tracing)
    try:
        return (yield)
    finally:
        for tracing in reversed(stopped):
            tracing.start()
