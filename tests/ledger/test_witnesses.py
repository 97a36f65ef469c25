"""Witnesses refute what is printed, and fail when it is true: tests of `lmlir.ledger.witnesses`."""

import itertools
import re
import sys
from collections import Counter
from fractions import Fraction

import mpmath
import pytest

from lmlir.continuity import deviation_term, printed_deviation_term
from lmlir.experiments.data import FACTS, DataError, load
from lmlir.ledger import tables_4_and_5
from lmlir.ledger.errata import ERRATA
from lmlir.ledger.witnesses import (
    WITNESSES,
    continuity,
    experiments,
    geometry,
    learning,
    witnesses_of,
)

TABLES = "ledger.tables_4_and_5"
AGAIN = "ledger.table_5_again"
GROUPS = (geometry, continuity, learning, experiments)


@pytest.mark.parametrize(
    ("id", "witness"), WITNESSES, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_witness_refutes_in_one_line(id, witness):
    """Each belongs to an erratum of the ledger, which its docstring names, too."""
    seen = witness()
    assert seen.refutes is True
    assert "\n" not in seen.text and 20 < len(seen.text) <= 130
    assert id in {erratum.id for erratum in ERRATA}
    assert re.match(rf"Erratum {id}: ", witness.__doc__)


def test_every_witness_is_registered_once():
    """Every function of the witnesses' files that returns a witness, and no other."""
    registered = [witness for _, witness in WITNESSES]
    returned = [
        value
        for group in GROUPS
        for value in vars(group).values()
        if getattr(value, "__annotations__", {}).get("return") == "Witness"
    ]
    assert len(registered) == 37 and set(registered) == set(returned)
    assert len(witnesses_of("E17")) == 3
    assert witnesses_of("E27") == []


CHANGES = {
    learning.hard_constraint: ("objective.printed_dissimilar_slack", "else None", "else 0"),
    learning.dissimilar_sign: ("gradient.active_pairs", "in printed else -1", "in printed else 1"),
    learning.background_sign: (
        "gradient.distance_gradient_ratio",
        "else local - background",
        "else local + background",
    ),
    learning.shrinkage_factor: (
        "gradient.shrinkage",
        "in printed else norm",
        "in printed else 2 * norm",
    ),
    learning.one_term_for_many: ("objective.average", "/ len(values)", ""),
    learning.plain_length_is_not_convex: (
        "regions.mahalanobis_length",
        "return square_root(square)\n",
        "return square\n",
    ),
    continuity.small_metric: (
        "regions.mahalanobis_length",
        "return square_root(square)\n",
        "return square\n",
    ),
    continuity.not_lipschitz: ("intersection.squared_half_chord", "radius * radius", "radius"),
    continuity.classifier_not_lipschitz: (
        "intersection.squared_half_chord",
        "radius * radius",
        "radius",
    ),
    continuity.stacked_balls: ("distance.approximate_background_ratio", "sum(gamma)", "max(gamma)"),
    continuity.vanishing_capacity: ("continuity.printed_learning_bound", "k / n +", "1 +"),
    geometry.collapsing_set: ("classifier.printed_sum_k_min", "list(set(values))", "list(values)"),
    geometry.overlapping_background: (
        "distance.approximate_background_ratio",
        "sum(gamma)",
        "max(gamma)",
    ),
    geometry.one_point_without_tangent: (
        "intersection.intersection",
        "return (p,)",
        "return (p, q)",
    ),
    geometry.steep_tangent: (
        "intersection.ball_within_segment",
        "return lambda_u, lambda_v",
        "return 0, 0",
    ),
    geometry.triangle_inequality: (
        "distance.weighted_lengths",
        "gamma_b * background",
        "background",
    ),
    geometry.length_outside_the_background: (
        "distance.background_intersection_length",
        " - covered",
        "",
    ),
    geometry.cancelling_discriminant: (
        "intersection.printed_line_coefficients",
        "square_root(discriminant(",
        "square_root(stable_discriminant(",
    ),
    continuity.quotient_at_one_pair: (
        "regions.mahalanobis_length",
        "return square_root(square)\n",
        "return square\n",
    ),
    continuity.shattered_pair: ("continuity.printed_capacity", "(16 *", "(32 *"),
    continuity.empty_bound: ("continuity.printed_deviation_term", "2 / n", "2 / n**2"),
    continuity.three_binary_logarithms: (
        "continuity.printed_deviation_term",
        "math.log2(4",
        "math.log(4",
    ),
    learning.no_metric_at_the_start: (
        "initialization.discriminative_direction",
        "total - abs",
        "total + abs",
    ),
    experiments.haberman_size: (f"{TABLES}.possible_totals", "REPEATS *", "1000 *"),
    experiments.one_data_set_twice: (
        f"{TABLES}.diabetes_minus_pima",
        'means["diabetes"]',
        'means["pima"]',
    ),
    experiments.impossible_cells: (f"{TABLES}.possible_totals", "REPEATS *", "1000 *"),
    experiments.small_leads: (f"{TABLES}.wins", " - max(others)", ""),
    experiments.majority_wins: (f"{TABLES}.majority_share", "max(one, two)", "min(one, two)"),
    experiments.two_deviations: (f"{TABLES}.is_possible_deviation", "% 2 == 0", "% 1 == 0"),
    experiments.repeated_rows: (
        f"{TABLES}.sizes",
        'PRINTED["table_4"][dataset]',
        "(432, 216, 216, 6)",
    ),
    experiments.selector_as_class: (
        f"{TABLES}.sizes",
        'PRINTED["table_4"][dataset]',
        "(345, 176, 169, 6)",
    ),
    experiments.columns_in_the_order_of_neighbors: (
        f"{AGAIN}.printed_ranks",
        "in METHODS]",
        "in METHODS[::-1]]",
    ),
    experiments.one_classifier_for_all: (
        f"{AGAIN}.measured_ranks",
        "means[method][dataset]",
        "printed_mean(dataset, METHODS[methods.index(method)])",
    ),
    experiments.column_of_a_rotation: (
        f"{AGAIN}.within_one_deviation",
        "[method][dataset]",
        '["mcml"][dataset]',
    ),
    experiments.column_of_an_inverse: (
        f"{AGAIN}.within_one_deviation",
        "[method][dataset]",
        '["itml"][dataset]',
    ),
    experiments.unit_length_of_two_features: (
        f"{AGAIN}.measured",
        "return means",
        'return {"native": dict.fromkeys(means["native"], means["native"]["euclidean"])}',
    ),
    geometry.overflowing_discriminant: ("intersection.quadratic_b", "return 2 *", "return 0 *"),
}


@pytest.mark.parametrize(
    "witness", [witness for _, witness in WITNESSES], ids=lambda witness: witness.__name__
)
def test_a_witness_fails_when_the_printed_statement_is_true(witness):
    """With the printed mistake in the true function, or the correction in the printed one, the
    witness stops refuting.
    """
    pytest.importorskip("sympy", reason="the breakages are those of the proofs, which need SymPy")
    from proofs.breakages import Breakage, broken_function, everywhere

    with everywhere(*broken_function(Breakage("", *CHANGES[witness]))):
        assert not witness().refutes


def test_two_points_are_shattered_at_a_sixteenth_with_slope_an_eighth():
    """Corollary 1 (E20): all four sign patterns of {0, 1} by functions of slope 1/8 at most; c = 1
    says one point.
    """
    for signs in itertools.product((-1, 1), repeat=2):
        values = [Fraction(sign, 16) for sign in signs]
        assert abs(values[0] - values[1]) <= Fraction(1, 8)
    half = Fraction(1, 16)  # the sum of the norms, L / 2
    assert (16 * half * 1) ** (1 + 1) == 1 < 2
    assert "c = 1" in continuity.shattered_pair().text


def deviation(n, c, base=2):
    """Equation (11) at delta = 1/20 in 50 digits; no number where its radicand is negative."""
    with mpmath.workdps(50):
        radicand = c * mpmath.log(34 * mpmath.e * n / c, base) * mpmath.log(
            578 * n, 2
        ) + mpmath.log(80, base)
        return mpmath.sqrt(2 * radicand / n) if radicand >= 0 else mpmath.nan


@pytest.mark.parametrize("dataset", tables_4_and_5.PRINTED["table_4"])
def test_the_bound_is_empty_at_the_sizes_of_table_4(dataset):
    """Corollary 1 and equation (11) (E22): more than 0.99 for 1 <= c <= 34 n on every data set; far
    beyond, nothing.

    With the natural logarithms of its source (E33) it is more than 0.82.
    """
    rows = tables_4_and_5.sizes(dataset)[0]
    n = rows - tables_4_and_5.rows_for_testing(rows)
    tried = [(34 * n) ** (mpmath.mpf(step) / 40) for step in range(41)]
    values = [deviation(n, c) for c in tried]
    assert min(values) == values[0] > 0.99
    assert values == sorted(values)
    assert deviation(n, mpmath.mpf(34 * n) * 2) < values[-1]  # it falls beyond 34 n
    assert deviation(n, 34 * mpmath.e * n) < 0.6 and mpmath.isnan(deviation(n, mpmath.mpf(100 * n)))
    assert printed_deviation_term(n, 0.05, 1.0) == pytest.approx(float(values[0]), rel=1e-14)
    from_source = [deviation(n, c, mpmath.e) for c in tried]
    assert min(from_source) == from_source[0] > 0.82
    assert deviation_term(n, 0.05, 1.0) == pytest.approx(float(from_source[0]), rel=1e-14)
    # with the 40 % for testing it would say something on German
    assert 0.80 < deviation(1000, 1) < 0.81


def test_both_forms_of_the_discriminant_overflow_where_their_fourth_power_does():
    """Table 1 (E28): x_i = 0, x_j = o = r = s: Delta = 4 s^4; on the way to h there is b = -2
    s^2.
    """
    largest = mpmath.mpf(sys.float_info.max)
    fourth, second = (
        f"{float(end):.2e}" for end in (mpmath.root(largest / 4, 4), mpmath.sqrt(largest / 2))
    )
    ends = f"up to s = {fourth}, 4a(r^2 - h^2) up to {fourth}, r^2 - h^2 up to {second}".replace(
        "e+", "e"
    )
    assert geometry.overflowing_discriminant().text.endswith(ends)


def test_ilpd_has_the_mean_68_67_on_one_row_less():
    """Table 5 (E17): 1600 of 2330 answers; the impossible means are impossible for the test size of
    the other cells.
    """
    assert f"{100 * 1600 / 2330:.2f}" == "68.67"
    assert list(tables_4_and_5.possible_totals("68.67", 233)) == [1600]
    assert tables_4_and_5.implied_test_sizes()["ilpd"] == {"floor": 3, "ceil": 7}
    assert "of the size that the other cells imply" in experiments.impossible_cells().text


def test_the_drinks_agree_with_the_facts_of_the_loader():
    """Table 4 (E26): smallest, largest and total of the sixth column; the seventh has the printed
    class sizes.
    """
    facts = FACTS["liverdisorders"]
    assert sum(experiments.DRINKS.values()) == facts["rows"]
    smallest, largest, total, _ = facts["columns"][5]
    assert (min(experiments.DRINKS), max(experiments.DRINKS)) == (float(smallest), float(largest))
    assert sum(value * rows for value, rows in experiments.DRINKS.items()) == float(total)
    assert sorted(facts["classes"]) == [145, 200]


def test_the_drinks_are_counted_from_the_data_set():
    """Table 4 (E26), where the data set is available."""
    try:
        found = load("liverdisorders")
    except DataError as error:
        pytest.skip(str(error))
    assert Counter(found.X[:, 5].tolist()) == experiments.DRINKS


def test_no_number_of_drinks_divides_the_rows_as_table_4_does():
    """Table 4 (E26): at most 1 drink 134 rows, 2 drinks 169, 3 drinks 190, 4 drinks 240: 145 and
    200 lie between.
    """
    at_most = list(itertools.accumulate(rows for _, rows in sorted(experiments.DRINKS.items())))
    assert {145, 200}.isdisjoint(at_most) and {134, 169, 190, 240} <= set(at_most)
    assert "134 + 211 and 190 + 155" in experiments.selector_as_class().text


def test_equation_4_needs_the_length_of_a_union():
    """Equation (4) (E19): with two separate balls the subtracted length is 2 + 1, the sum over both
    pieces.
    """
    assert (
        "subtracts 3, the length of points outside B"
        in geometry.length_outside_the_background().text
    )


def test_a_quotient_at_one_pair_is_not_the_lipschitz_constant():
    """Definition 9 (E12): the quotient at one pair can be half the supremum."""
    assert (
        "is 1 at x = (0, 1) and 2 at (1, 0); Lip(d_M) = 2" in continuity.quotient_at_one_pair().text
    )
