"""The pytest options of the oracle: `pytest --pyargs lmlir.oracle --subject mypackage.fast`, one test for each law."""

from __future__ import annotations

from typing import Any


def pytest_addoption(parser: Any) -> None:
    """The options; they do nothing unless the tests of `lmlir.oracle` are collected."""
    group = parser.getgroup("lmlir oracle")
    group.addoption("--subject", default=None, help="the implementation to judge: a dotted module name or a .py file")
    group.addoption("--subject-command", default=None, help="a program to judge that speaks the line protocol")
    group.addoption("--subject-profile", default="default", help="quick, default or thorough")
    group.addoption("--subject-precision", default="float64", help="float64 or float32")
    group.addoption("--subject-seed", default=0, type=int, help="the same seed tries the same inputs")
    group.addoption("--subject-timeout", default=30.0, type=float, help="how many seconds an answer may take")
