"""The figures of the experiment."""

import pytest

from tests.experiments.made_up import made_up


def test_figures_are_drawn_and_repeat_exactly(tmp_path):
    figures = pytest.importorskip("lmlir.experiments.figures", reason="figures need matplotlib")
    fit = {
        **{
            "shares_start": [0.1, 0.9],
            "shares": [0.0, 1.0],
            "covered_start": 0.9,
            "covered": 1.0,
        },
        **{"counted_start": 1.8, "counted": 1.2, "trace": [[0, 2.0], [10, 1.0]]},
    }
    records = made_up("monk1", "lmlir", [0.9, 0.8], **fit) + made_up("wdbc", "euclidean", [0.9])
    one, two = (figures.draw_all(records, tmp_path / name) for name in "ab")
    assert [path.name for path in one] == ["accuracy.svg", "objective.svg", "shares.svg"]
    assert all(
        a.read_bytes() == b.read_bytes() and a.stat().st_size > 5000
        for a, b in zip(one, two, strict=True)
    )
