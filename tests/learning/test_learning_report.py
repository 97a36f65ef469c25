"""What was learned, in numbers: `lmlir.learning.report`."""

import numpy as np
import pytest
from clouds import ONE_BALL, clouds

from lmlir.learning import learn
from lmlir.learning.report import coverage, length_shares, overlapping_balls, share_warnings
from lmlir.scalars import Parameters


def test_shares_of_the_length_by_hand():
    """Equation (9).

    Pair (-2, 4): 1/3 of it at length 12 in the ball, 2/3 at length 6 outside; 4 and 4 of 8.
    """
    assert length_shares([[-2.0], [4.0]], [(0, 1)], ONE_BALL) == ([0.5], 0.5)
    assert length_shares(
        [[-2.0], [4.0]], [(0, 1)], ONE_BALL._replace(background_metric=[[0.0]])
    ) == ([1.0], 0.0)


def test_coverage_counts_overlap_once_and_as_often_as_it_occurs():
    """Definition 8. Two balls on the same third of the pair, a third ball on another third."""
    balls = Parameters([[0.0], [0.0], [3.0]], [1.0, 1.0, 1.0], [[[1.0]]] * 3, [[1.0]])
    assert coverage([[-2.0], [4.0]], [(0, 1)], balls) == pytest.approx((2 / 3, 1.0))


def test_balls_overlap_if_they_share_a_point_and_have_a_size():
    assert overlapping_balls([[0.0], [2.0], [2.1], [0.0]], [1.0, 1.0, 0.0, 0.5]) == 2
    assert overlapping_balls(np.zeros((0, 1)), []) == 0


def test_the_shares_of_the_report_add_up_to_one():
    learned = learn(*clouds(9, n=40), n_regions=3, n_neighbors=4, n_steps=6)
    report = learned.report()
    assert sum(report.local_shares) + report.background_share == pytest.approx(1)
    assert report.objective == (learned.trace[0], learned.trace[-1])
    assert report.n_steps == 6
    assert len(report.radii) == len(report.local_norms) == len(report.local_shares) == 3
    assert report.background_norm == pytest.approx(
        np.sqrt(np.sum(np.square(learned.parameters.background_metric)))
    )
    assert "region 2: radius" in str(report)
    assert "and 1 pair of balls overlaps" in str(report._replace(overlapping=1))
    for several in (0, 2):
        assert f"and {several} pairs of balls overlap" in str(report._replace(overlapping=several))


@pytest.mark.parametrize(
    ("local", "background", "expected"),
    [
        ([0.4, 0.5], 0.1, []),
        ([0.0, 0.4], 0.6, ["1 of 2 regions is not in use: region 0 measures"]),
        ([0.0, 0.0, 0.4], 0.6, ["2 of 3 regions are not in use: regions 0, 1 each measure"]),
        (
            [0.0, 0.0],
            1.0,
            ["none of the 2 regions is in use: what was learned is one global metric"],
        ),
        ([0.5, 0.5], 0.0, ["the background is not in use"]),
        ([1.0, 0.0], 0.0, ["1 of 2 regions is not in use", "the background is not in use"]),
        ([0.0], 0.0, ["every metric reached zero"]),
        ([], 1.0, []),
    ],
)
def test_parts_that_are_not_in_use_get_one_sentence(local, background, expected):
    warnings = share_warnings(local, background)
    assert len(warnings) == len(expected)
    for warning, beginning in zip(warnings, expected, strict=True):
        assert warning.startswith(beginning)
        assert "\n" not in warning


def test_metrics_that_are_zero_are_in_the_report():
    learned = learn(*clouds(1, n=40), n_regions=2, n_neighbors=5, n_steps=0)
    zero = np.zeros((2, 2, 2))
    learned.parameters = learned.parameters._replace(local_metrics=zero)
    assert learned.report().warnings == [
        "none of the 2 regions is in use: what was learned is one global metric"
    ]
    assert "warning: none of the 2 regions is in use" in str(learned.report())
