"""Settings of the whole suite: the same examples on every run, no complaints about a busy machine, and what is not traced."""

import pytest
from hypothesis import HealthCheck, settings
from skipped import pytest_addoption, pytest_terminal_summary  # noqa: F401  hooks that pytest finds here

settings.register_profile(
    "lmlir", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
settings.load_profile("lmlir")

# These run the paper's modules, which their own tests cover; traced, the proofs take twice as long and the second four times.
NOT_TRACED = ("tests/proofs/", "::test_the_reference_conforms")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave coverage out where it costs most and finds nothing new."""
    for item in items:
        if any(part in item.nodeid for part in NOT_TRACED):
            item.add_marker(pytest.mark.no_cover)
