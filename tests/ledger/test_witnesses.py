"""Witnesses refute what is printed, and are not blind: tests of `lmlir.ledger.witnesses`."""

import itertools
import re
from fractions import Fraction

import pytest

from lmlir.continuity import deviation_term
from lmlir.ledger import tables_4_and_5
from lmlir.ledger.errata import ERRATA
from lmlir.ledger.witnesses import WITNESSES, continuity, experiments, geometry, learning, witnesses_of

TABLES = "ledger.tables_4_and_5"
GROUPS = (geometry, continuity, learning, experiments)


@pytest.mark.parametrize(("id", "witness"), WITNESSES, ids=lambda value: getattr(value, "__name__", value))
def test_a_witness_refutes_in_one_line(id, witness):
    """Each is tied to an erratum of the ledger, which its docstring names, too."""
    seen = witness()
    assert seen.refutes is True
    assert "\n" not in seen.text and 20 < len(seen.text) <= 130
    assert seen.id == id and id in {erratum.id for erratum in ERRATA}
    assert re.match(rf"Erratum {id}: ", witness.__doc__)


def test_every_witness_is_registered_once():
    """Every function of the witnesses' files whose docstring speaks of an erratum and that returns a witness."""
    names = [witness.__name__ for _, witness in WITNESSES]
    assert len(set(names)) == len(names) == 30
    for group in GROUPS:
        wrapped = [name for name, value in vars(group).items() if hasattr(value, "__wrapped__")]
        assert wrapped and set(wrapped) <= set(names)
    assert [witness.id for witness in witnesses_of("E17")] == ["E17"] * 3
    assert witnesses_of("E27") == []


CHANGES = {
    learning.hard_constraint: ("objective.printed_dissimilar_slack", "else None", "else 0"),
    learning.dissimilar_sign: ("gradient.active_pairs", "in printed else -1", "in printed else 1"),
    learning.background_sign: (
        "gradient.distance_gradient_ratio",
        "else local - background",
        "else local + background",
    ),
    learning.shrinkage_factor: ("gradient.shrinkage", "in printed else norm", "in printed else 2 * norm"),
    learning.one_term_for_many: ("objective.average", "/ len(values)", ""),
    learning.plain_length_is_not_convex: (
        "regions.mahalanobis_length",
        "return square_root(square)\n",
        "return square\n",
    ),
    continuity.small_metric: ("regions.mahalanobis_length", "return square_root(square)\n", "return square\n"),
    continuity.not_lipschitz: ("intersection.squared_half_chord", "radius * radius", "radius"),
    continuity.classifier_not_lipschitz: ("intersection.squared_half_chord", "radius * radius", "radius"),
    continuity.stacked_balls: ("distance.approximate_background_ratio", "sum(gamma)", "max(gamma)"),
    continuity.vanishing_capacity: ("continuity.printed_learning_bound", "k / n +", "1 +"),
    geometry.collapsing_set: ("classifier.printed_sum_k_min", "sorted(set(values))", "sorted(values)"),
    geometry.overlapping_background: ("distance.approximate_background_ratio", "sum(gamma)", "max(gamma)"),
    geometry.one_point_without_tangent: ("intersection.intersection", "return (p,)", "return (p, q)"),
    geometry.steep_tangent: ("intersection.ball_within_segment", "return lambda_u, lambda_v", "return 0, 0"),
    geometry.triangle_inequality: ("distance.weighted_lengths", "gamma_b * background", "background"),
    geometry.length_outside_the_background: ("distance.background_intersection_length", " - covered", ""),
    geometry.cancelling_discriminant: (
        "intersection.printed_line_coefficients",
        "square_root(discriminant(",
        "square_root(stable_discriminant(",
    ),
    continuity.quotient_at_one_pair: ("regions.mahalanobis_length", "return square_root(square)\n", "return square\n"),
    continuity.shattered_pair: ("continuity.printed_capacity", "(16 *", "(32 *"),
    continuity.empty_bound: ("continuity.deviation_term", "2 / n", "2 / n**2"),
    learning.no_metric_at_the_start: (
        "initialization.discriminative_direction",
        "direction[f] - abs",
        "direction[f] + abs",
    ),
    experiments.haberman_size: (f"{TABLES}.possible_totals", "REPEATS *", "1000 *"),
    experiments.one_data_set_twice: (f"{TABLES}.diabetes_minus_pima", '("diabetes", "pima")', '("pima", "pima")'),
    experiments.impossible_cells: (f"{TABLES}.possible_totals", "REPEATS *", "1000 *"),
    experiments.small_leads: (f"{TABLES}.wins", " - max(means)", ""),
    experiments.majority_wins: (f"{TABLES}.majority_share", "max(one, two)", "min(one, two)"),
    experiments.two_deviations: (f"{TABLES}.is_possible_deviation", "% 2 == 0", "% 1 == 0"),
    experiments.repeated_rows: (f"{TABLES}.sizes", 'else PRINTED["table_4"][dataset]', "else (432, 216, 216, 6)"),
    experiments.selector_as_class: (f"{TABLES}.sizes", 'else PRINTED["table_4"][dataset]', "else (345, 145, 145, 6)"),
}


@pytest.mark.parametrize("witness", CHANGES, ids=lambda witness: witness.__name__)
def test_a_witness_is_not_blind(witness):
    """With the printed mistake put into the true function, or the other way round, each witness stops refuting."""
    pytest.importorskip("sympy", reason="the breakages are those of the proofs, which need SymPy")
    from proofs.breakages import Breakage, broken_function, everywhere

    with everywhere(*broken_function(Breakage("", *CHANGES[witness]))):
        assert not witness().refutes


def test_every_witness_has_a_change_that_blinds_it():
    """None is left out of the test above."""
    assert set(CHANGES) == {witness for _, witness in WITNESSES}


def test_two_points_are_shattered_at_a_sixteenth_with_slope_an_eighth():
    """Corollary 1 (E20): all four sign patterns of {0, 1} by functions of slope 1/8 at most; c = 1 says one point."""
    for signs in itertools.product((-1, 1), repeat=2):
        values = [Fraction(sign, 16) for sign in signs]
        assert abs(values[0] - values[1]) <= Fraction(1, 8)
    assert continuity.shattered_pair().refutes


def test_the_bound_is_empty_at_the_sizes_of_table_4():
    """Corollary 1 and equation (11) (E22): c = 1 gives more than 0.99 on every data set."""
    for dataset in tables_4_and_5.PRINTED["table_4"]:
        rows = tables_4_and_5.sizes(dataset)[0]
        assert deviation_term(rows - tables_4_and_5.rows_for_testing(rows), 0.05, 1.0) > 0.99


def test_equation_4_needs_the_length_of_a_union():
    """Equation (4) (E19): with two separate balls the subtracted length is 2 + 1, the sum over both pieces."""
    assert "= 3, in which no point is in B" in geometry.length_outside_the_background().text


def test_a_quotient_is_no_lipschitz_constant():
    """Definition 9 (E12): the quotient at one pair can be half the supremum."""
    assert "is 1 at x = (0, 1) and 2 at (1, 0); Lip(d_M) = 2" in continuity.quotient_at_one_pair().text
