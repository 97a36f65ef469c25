"""Random cases visit every kind of ball, pair and metric, and balls are where their names say."""

import collections

import numpy as np
import pytest
from hypothesis import given, settings

from lmlir.oracle.allowed.brackets import Geometry
from lmlir.oracle.inputs import random_cases
from lmlir.oracle.precision import PRECISIONS

FLOAT64 = PRECISIONS["float64"]


def flags_of(spec, count=400, palette=None):
    """How often random cases have each flag and each number of features and regions."""
    seen = collections.Counter()

    @settings(max_examples=count, database=None, deadline=None, derandomize=True)
    @given(random_cases.pair_cases(spec)(FLOAT64, palette))
    def look(case):
        seen.update(case.flags)
        seen[f"{case['X_i'].shape[1]} features"] += 1
        seen[f"{len(case['radii'])} regions"] += 1
        assert all(np.isfinite(value).all() for value in case.inputs.values())
        for M in (*case["local_metrics"], case["background_metric"]):
            assert np.array_equal(M, M.T) and np.linalg.eigvalsh(M)[0] >= -1e-12 * np.abs(M).max()

    look()
    return seen


KINDS = (*random_cases.BALLS, *random_cases.PAIRS, *random_cases.METRICS)


def test_random_cases_contain_every_kind_of_ball_pair_and_metric_and_every_size():
    """Tangents, end points on spheres, nested balls, zero metrics, 1 to 8 features, 0 to 6
    regions.
    """
    seen = flags_of(random_cases.ANY)
    sizes = [
        *(f"{count} features" for count in range(1, 9)),
        *(f"{count} regions" for count in range(7)),
    ]
    assert [flag for flag in (*KINDS, *sizes) if seen[flag] < 5] == []


def test_a_palette_limits_the_sizes_and_nothing_else():
    seen = flags_of(random_cases.ANY, palette=random_cases.SHORT)
    assert {int(flag.split()[0]) for flag in seen if flag.endswith("features")} == {2, 3}
    assert [flag for flag in KINDS if seen[flag] < 5] == []


def test_tangent_balls_are_tangent_and_end_points_lie_on_their_spheres():
    """Table 2, row 2: exactly, for a segment along an axis; to rounding elsewhere."""
    random = np.random.default_rng(0)
    x_i = np.array([0.25, 1.0])
    x_j = np.array([2.25, 1.0])
    for _ in range(20):
        center, radius = placed_ball("tangent", random, x_i, x_j)
        assert abs(center[1] - 1.0) == radius > 0
        center, radius = placed_ball("through an end point", random, x_i, x_j)
        nearest = min(abs(np.linalg.norm(x - center) - radius) for x in (x_i, x_j))
        assert nearest < 1e-15


def placed_ball(position, random, x_i, x_j):
    """A ball in a position relative to the segment, with no ball before it."""
    return random_cases.POSITIONS[position](random, random_cases.Segment(x_i, x_j, before=None))


@pytest.mark.parametrize(
    ("kind", "u_range", "v_range"),
    [
        ("behind the start", (-np.inf, 0), (-np.inf, 0)),  # Table 2, row 3
        ("around the start", (-np.inf, 0), (0, 1)),  # Table 2, row 4
        ("around the segment", (-np.inf, 0), (1, np.inf)),  # Table 2, row 5
        ("within the segment", (0, 1), (0, 1)),  # Table 2, row 6
        ("around the end", (0, 1), (1, np.inf)),  # Table 2, row 7
        ("beyond the end", (1, np.inf), (1, np.inf)),  # Table 2, row 8
    ],
)
def test_balls_are_where_their_names_say(kind, u_range, v_range):
    """Table 2, rows 3 to 8: roots of equation (7) in the intended order."""
    random = np.random.default_rng(1)
    x_i, x_j = random.normal(size=(2, 3))
    for _ in range(20):
        center, radius = placed_ball(kind, random, x_i, x_j)
        g = Geometry(x_i[None], x_j[None], center[None], np.array([radius]), FLOAT64)
        reach = g.half_chord(g.r) / g.L
        u = float((g.middle - reach)[0, 0])
        v = float((g.middle + reach)[0, 0])
        assert u_range[0] < u < u_range[1]
        assert v_range[0] < v < v_range[1]
        assert u < v
