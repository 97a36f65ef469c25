"""Settings of the whole suite: the same examples on every run, and no complaints about a busy machine."""

from hypothesis import HealthCheck, settings
from skipped import pytest_addoption, pytest_terminal_summary  # noqa: F401  hooks that pytest finds here

settings.register_profile(
    "lmlir", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
settings.load_profile("lmlir")
