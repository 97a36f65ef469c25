"""Corner cases are in the rows that they name, and are tried where the number format holds them."""

from lmlir import intersection, vectorized
from lmlir.oracle import subjects
from lmlir.oracle.inputs import corner_cases
from lmlir.oracle.judging.judge import run_law
from lmlir.oracle.laws import LAWS, by_name
from lmlir.oracle.laws.law import in_range
from lmlir.oracle.precision import PRECISIONS

FLOAT64 = PRECISIONS["float64"]


def test_the_rows_are_counted_as_the_reference_counts_them():
    """Table 2: the corner case of each row is in that row."""
    law = by_name("ratios_match_table_2")
    found = run_law(law, subjects.from_module(vectorized), corner_cases_only=True)
    for row, case in enumerate(corner_cases.pairs("rows_of_table_2"), start=1):
        assert f"row {row}:" in case.reason and found.rows[f"Table 2, row {row}"] >= 1
        assert (
            intersection.segment_case(
                *(case[name][0] for name in ("X_i", "X_j", "centers", "radii"))
            )
            == row
        )


def test_corner_cases_are_tried_where_the_number_format_can_hold_them():
    """All of them in float64; in float32 not those whose squares vanish or overflow, but most."""
    every = [case for law in LAWS if law.corners for case in law.corners()]
    assert all(in_range(case, FLOAT64) for case in every)
    left_out = [case for case in every if not in_range(case, PRECISIONS["float32"])]
    assert "everything small, and metrics as large" in {case.reason for case in left_out}
    assert len(left_out) < len(every) / 8
