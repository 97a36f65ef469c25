"""Settings of the whole suite: which examples are tried, and no complaints about a busy machine."""

import os
from typing import Any

import pytest
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
