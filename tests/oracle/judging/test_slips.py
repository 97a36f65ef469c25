"""Known slips are named by their exact wrong answers, and nothing else is named."""

from pathlib import Path

import numpy as np
import pytest

from lmlir import subject, vectorized
from lmlir.oracle import subjects
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.judging.slips import SUM_ROUNDING, library, recognized
from tests.oracle.mutants import MUTANTS, Original
from tests.oracle.slips.answers import answers_of_slip, read_slips

EXAMPLES = Path(__file__).parents[3] / "examples"


def functions_of(implementation):
    return {name: getattr(implementation, name) for name in FUNCTIONS}


def names(functions):
    return [slip.name for slip in recognized(subjects.from_functions(functions))]


def mutant(name):
    return functions_of(MUTANTS[name].make())


# The mutants are NumPy programs, written apart from the edits of the reference in slips.toml.
PAIRS = {
    "background_ratio_not_clipped": "background_ratio_not_clipped",
    "squared_length": "length_squared",
    "cholesky_on_the_wrong_side": "length_cholesky_wrong_side",
    "metrics_mixed_under_one_root": "one_root_for_all",
    "ball_around_both_ends_is_background": "ball_around_both_is_background",
    "cross_distances_mirrored": "cross_mirrored",
    "decision_with_wrong_sign": "decision_sign",
    "neighbors_summed": "decision_not_divided",
    "neighbors_of_both_classes": "decision_joint_neighbors",
    "equal_distances_collapsed": "decision_of_sets",
    "the_point_itself_is_left_out": "decision_skips_zero",
    "clip_without_upper_end": "no_upper_clip",
    "clip_without_lower_end": "no_lower_clip",
    "whole_chord": "whole_chord",
    "discriminant_without_four": "discriminant_without_four",
    "zero_radius_means_one": "radius_zero_is_one",
    "missed_ball_counts": "missed_balls_count",
    "both_ends_outside_is_zero": "both_ends_outside_is_nothing",
    "coincident_points_inside_are_whole": "coincident_points_are_one_inside",
    "overlap_shared_out": "overlap_shared_out",
    "missed_ball_has_a_gradient": "missed_balls_count",
    "constant_ratio_has_a_gradient": "row_3_for_constant",
    "ratio_gradient_of_half_a_chord": "within_two_for_four",
    "around_start_middle_forgotten": "start_middle_forgotten",
    "around_end_sign": "end_middle_sign",
    "approximate_for_exact": "approximate_for_exact",
    "union_not_sorted": "union_not_sorted",
    "gaps_are_covered": "gaps_are_covered",
    "losses_summed": "losses_summed",
    "average_of_nothing_is_nan": "empty_average_is_nan",
    "dissimilar_hinge_forgotten": "dissimilar_hinge_forgotten",
    "printed_dissimilar_constraint": "dissimilar_printed",
    "penalty_forgets_a_region": "penalty_without_last_region",
    "printed_sign_of_dissimilar_term": "printed_sign_of_dissimilar",
    "printed_sign_of_background_term": "printed_sign_of_background",
    "printed_shrinkage": "printed_shrinkage",
    "metric_gradient_off_diagonal_doubled": "length_gradient_off_diagonal_doubled",
    "gradient_of_exact_distance": "background_gradient_exact",
    "background_indicator_forgotten": "background_indicator_forgotten",
    "cone_forgotten": "cone_forgotten",
    "entries_clipped": "entries_clipped",
    "radius_with_a_floor": "radius_floor_thousandth",
    "one_part_after_the_other": "one_part_after_the_other",
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_program_with_a_known_slip_is_named(name):
    assert names(mutant(name)) == [PAIRS[name]]


def test_no_other_mutant_is_named():
    """A mutant that the library does not have must not get the name of another slip."""
    named = [name for name in MUTANTS if name not in PAIRS and names(mutant(name))]
    assert named == []


@pytest.mark.parametrize("honest", [subject, vectorized, Original()])
def test_honest_programs_are_not_named(honest):
    assert names(functions_of(honest)) == []


def test_the_printed_formulas_are_not_named():
    """The example computes Delta as printed, which loses digits, but has no slip."""
    assert recognized(subjects.load(str(EXAMPLES / "subject_numpy.py"))) == []


def test_one_function_is_enough():
    """Without the other functions the slip is named all the same."""
    functions = mutant("whole_chord")
    only = {"intersection_ratios": functions["intersection_ratios"]}
    assert names(only) == ["whole_chord"]


def test_the_wrong_numbers_are_counted():
    wrong = {"decision_values": mutant("decision_with_wrong_sign")["decision_values"]}
    (slip,) = recognized(subjects.from_functions(wrong))
    assert slip.count >= 2
    assert slip.sentence == library()[slip.name][0]


def changed(function, change):
    """The slip whole_chord, with one function's answers changed."""
    functions = mutant("whole_chord")
    original = functions[function]
    return {**functions, function: lambda *given: change(np.array(original(*given)))}


def test_another_wrong_number_prevents_the_name():
    def first_is_wrong(answer):
        if answer.shape == (1, 1):
            answer[0, 0] += 0.5
        return answer

    assert names(changed("intersection_ratios", first_is_wrong)) == []


@pytest.mark.parametrize("function", ["distances", "decision_values", "objective"])
def test_a_wrong_number_in_another_function_prevents_the_name(function):
    assert names(changed(function, lambda answer: answer + 0.25)) == []


@pytest.mark.parametrize("factor", [1.001, 0.5, 3.0])
def test_a_scaled_slip_is_not_named(factor):
    assert names(changed("intersection_ratios", lambda answer: factor * answer)) == []


def test_rounding_does_not_prevent_the_name():
    assert names(changed("intersection_ratios", lambda answer: answer * (1 + 1e-13))) == [
        "whole_chord"
    ]


@pytest.mark.parametrize("answer", [np.nan, None, "text", [1.0, 2.0, 3.0]])
def test_useless_answers_are_not_named(answer):
    assert names({name: lambda *given: answer for name in FUNCTIONS}) == []


def test_a_program_that_raises_is_not_named():
    def fail(*given):
        raise ValueError("not today")

    assert names(dict.fromkeys(FUNCTIONS, fail)) == []


def test_a_program_that_returns_nans_for_one_slip_only_is_named():
    functions = {"objective": mutant("average_of_nothing_is_nan")["objective"]}
    assert names(functions) == ["empty_average_is_nan"]


def test_more_than_two_slips_with_the_same_answers_are_no_diagnosis(monkeypatch):
    only = {"intersection_ratios": mutant("whole_chord")["intersection_ratios"]}
    slip = library()["whole_chord"]
    for count, named in ((2, 2), (3, 0)):
        copies = {f"copy {k}": slip for k in range(count)}
        monkeypatch.setattr("lmlir.oracle.judging.slips.library", lambda copies=copies: copies)
        assert len(names(only)) == named


def test_the_file_has_the_answers_of_the_slips():
    """Some slips are computed again; `make mutants` writes the file."""
    slips = read_slips()
    assert set(library()) <= set(slips)
    assert len(library()) >= 150
    sentences = {sentence for sentence, _ in library().values()}
    assert len(sentences) == len(library())
    for name in list(library())[::70]:
        sentence, known = library()[name]
        computed = answers_of_slip(slips[name])
        assert sentence == slips[name]["sentence"]
        assert set(computed) == set(known), name
        for function, rows in computed.items():
            for row, expected in zip(rows, known[function], strict=True):
                assert row[:2] == expected[:2], (name, function)
                assert row[2:4] == pytest.approx(expected[2:4], abs=SUM_ROUNDING)
