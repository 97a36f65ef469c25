"""A time limit is not used up by other programs."""

import math
from types import SimpleNamespace

import pytest

from lmlir.oracle.subjects import clock


@pytest.mark.parametrize(
    ("wall", "processor", "reached"),
    [
        (9, 20, False),  # in many threads
        (39, 9, False),  # on a busy machine
        (10, 10, True),
        (40, 0, True),  # it sleeps
    ],
)
def test_a_limit_is_reached_in_wall_time_and_in_processor_time(
    monkeypatch, wall, processor, reached
):
    now = {"wall": 5.0, "processor": 3.0}
    monkeypatch.setattr(clock, "time", SimpleNamespace(monotonic=lambda: now["wall"]))
    stopwatch = clock.Stopwatch(lambda: now["processor"])
    assert stopwatch.reached(math.inf) == ""
    now["wall"] += wall
    now["processor"] += processor
    assert bool(stopwatch.reached(10.0)) == reached
