"""Tables 4 and 5 and their arithmetic: tests of `lmlir.ledger.tables_4_and_5`."""

import math

import numpy as np
import pytest

from lmlir.experiments.data import FACTS, file_name
from lmlir.ledger import tables_4_and_5 as tables
from lmlir.ledger.tables_4_and_5 import PRINTED, Cell


def printed_as(right, test_rows):
    """The percentage of right answers in ten tests as text, rounded in whole numbers; half a digit
    is rounded both ways.
    """
    below, rest = divmod(1000 * right, test_rows)
    nearest = (
        {below}
        if 2 * rest < test_rows
        else {below + 1}
        if 2 * rest > test_rows
        else {below, below + 1}
    )
    return {f"{hundredths // 100}.{hundredths % 100:02d}" for hundredths in nearest}


def test_the_printed_tables_have_the_marks_that_their_numbers_ask_for():
    """Tables 4 and 5: sizes add up, also in Haberman's wrong row (E9); bold and the count of best
    are the largest means.
    """
    assert len(PRINTED["table_4"]) == 14
    for rows, one, two, features in PRINTED["table_4"].values():
        assert one + two == rows
        assert features >= 2
    best = [0] * 9
    for dataset, means in PRINTED["table_5"].items():
        largest = [column for column, mean in enumerate(means) if mean == max(means, key=float)]
        assert [tables.METHODS[column] for column in largest] == PRINTED["bold"][dataset]
        best[largest[0]] += 1
        assert len(PRINTED["deviations"][dataset]) == len(means) == 9
    assert best == PRINTED["best"] == [0, 0, 0, 0, 1, 0, 1, 4, 8]
    assert list(PRINTED["table_4"]) == list(PRINTED["table_5"]) == list(PRINTED["deviations"])


def test_table_4_disagrees_with_the_data_only_in_haberman():
    """Table 4 (E9): compared with the sizes in the loader's facts. Corrected, all agree."""
    for dataset, row in PRINTED["table_4"].items():
        facts = FACTS[file_name(dataset)]
        true = (facts["rows"], *sorted(facts["classes"]), facts["features"])
        for (rows, one, two, features), is_true in (
            (row, dataset != "haberman"),
            (tables.sizes(dataset), True),
        ):
            assert ((rows, *sorted((one, two)), features) == true) == is_true
        assert tables.majority_share(dataset) == 100 * max(facts["classes"]) / facts["rows"]


def test_a_possible_mean_is_one_that_some_count_of_right_answers_gives():
    """Table 5 (E17): against all counts, one by one, rounded in whole numbers."""
    for test_rows in (5, 73, 80, 123):
        totals = {}
        for right in range(10 * test_rows + 1):
            for mean in printed_as(right, test_rows):
                totals.setdefault(mean, []).append(right)
        for hundredths in range(0, 10001, 7):
            mean = f"{hundredths / 100:.2f}"
            assert list(tables.possible_totals(mean, test_rows)) == totals.get(mean, []), (
                mean,
                test_rows,
            )


def test_three_cells_of_table_5_are_impossible():
    """Table 5 (E17): every cell against every count of right answers on ceil(0.4 N) rows of the
    data set as it is.
    """
    reachable = {}
    for dataset in PRINTED["table_5"]:
        test_rows = math.ceil(0.4 * FACTS[file_name(dataset)]["rows"])
        reachable[dataset] = set().union(
            *(printed_as(right, test_rows) for right in range(10 * test_rows + 1))
        )
    impossible = [
        (dataset, method, mean)
        for dataset, means in PRINTED["table_5"].items()
        for method, mean in zip(PRINTED["methods"], means, strict=True)
        if mean not in reachable[dataset]
    ]
    assert impossible == [
        ("ilpd", "ITML", "68.67"),
        ("ilpd", "NCA", "66.80"),
        ("planning", "GMML", "65.20"),
    ]
    assert impossible == [
        (cell.dataset, cell.method, cell.mean) for cell in tables.impossible_means()
    ]


def test_the_test_size_is_rounded_up():
    """Table 5 (E17): all nine means of Breastcancer fit 274, none 273; nowhere does rounding down
    fit better.
    """
    fits = tables.implied_test_sizes()
    assert fits["breastcancer"] == {"floor": 0, "ceil": 9}
    assert len(fits) == 9
    assert all(fit["ceil"] > fit["floor"] for fit in fits.values())


def test_haberman_has_306_rows_in_table_5():
    """Table 5 (E9): nine means fit 40 % of 306 rows, at most two 40 % of the printed 206."""
    assert [tables.possible_means("haberman", rows) for rows in (82, 83, 123)] == [2, 0, 9]


def test_the_majority_beats_every_method_on_planning_and_ilpd():
    """Table 5 (E17): 130 of 182 rows of Planning and 416 of 583 of ILPD are of one class."""
    below = tables.below_majority()
    assert [dataset for dataset, methods in below.items() if len(methods) == 9] == [
        "ilpd",
        "planning",
    ]
    assert below["ilpd"] == below["planning"] == tables.METHODS
    assert 130 / 182 > 0.674 and 416 / 583 > 0.6927  # the best means of the two rows


def test_two_of_eight_wins_exceed_the_deviation():
    """Table 5 (E17): Fourclass and Pima; a win is a bold mean, and the leads are those of the
    printed digits.
    """
    wins = tables.wins()
    assert [win.dataset for win in wins if win.lead > win.deviation] == ["fourclass", "pima"]
    assert {win.dataset: str(win.lead) for win in wins}["fourclass"] == "3.59"  # 79.71 - 76.12
    for method, count in zip(tables.METHODS, PRINTED["best"], strict=True):
        won = [win.dataset for win in tables.wins(method)]
        assert won == [dataset for dataset, bold in PRINTED["bold"].items() if bold == [method]]
        assert len(won) == count


def test_diabetes_and_pima_differ_by_noise():
    """Table 5 (E10): 75.19 - 74.32 for the paper's method, 68.47 - 65.91 for NCA."""
    noise = tables.diabetes_minus_pima()
    assert (str(noise["Our"]), str(noise["NCA"])) == ("0.87", "2.56")
    assert max(noise.values()) == noise["NCA"]
    assert min(noise.values()) > 0


def test_possible_deviations_are_those_of_ten_whole_numbers():
    """Table 5 (E24): every deviation that ten right-answer counts can have is called possible, and
    some others are not.
    """
    rng = np.random.default_rng(0)
    for _ in range(200):
        rows = int(rng.integers(20, 130))
        counts = rng.binomial(rows, 0.7, size=10)
        accuracies = 100 * counts / rows
        for degrees in (9, 10):
            printed = f"{accuracies.mean():.2f}", f"{accuracies.std(ddof=10 - degrees):.2f}"
            assert tables.is_possible_deviation(Cell("", "", *printed, rows), degrees)
    # five rows, mean 50 %: the counts sum to 25; deviations by n are sqrt(SS / 10) * 20, SS = Q -
    # 62.5, Q odd
    possible = {f"{20 * math.sqrt((Q - 62.5) / 10):.2f}" for Q in range(63, 126, 2)}
    for hundredths in range(1000, 1600, 7):
        deviation = f"{hundredths / 100:.2f}"
        assert tables.is_possible_deviation(Cell("", "", "50.00", deviation, 5), 10) == (
            deviation in possible
        )
    # nothing has this mean (E17)
    assert not tables.is_possible_deviation(Cell("", "", "65.20", "5.49", 73), 9)


def test_two_conventions_share_table_5():
    """Table 5 (E24): with n - 1 only LMNN, ITML and RVML have impossible cells, with n only the
    other six.
    """
    by_nine = tables.impossible_deviations(9)
    by_ten = tables.impossible_deviations(10)
    assert {method for method, count in by_nine.items() if count} == {"LMNN", "ITML", "RVML"}
    assert {method for method, count in by_ten.items() if count} == {
        "NCA",
        "MCML",
        "GMML",
        "SCML",
        "R2LML",
        "Our",
    }


def test_monk1_has_432_different_instances():
    """Table 4 (E25): all combinations of its features' values; 556 rows need repeats."""
    assert math.prod((3, 3, 2, 3, 4, 2)) == 432 == tables.sizes("monk1")[0] - 124


def test_a_quarter_of_the_test_rows_of_monk1_are_trained_on():
    """Section 6, protocol (E25): random splits of 308 single rows and 124 pairs, against the
    formula's 26.8 %.
    """
    rng = np.random.default_rng(0)
    instance = np.array([*range(432), *range(124)])
    shares = []
    for _ in range(200):
        order = rng.permutation(556)
        test = instance[order[:223]]
        train = instance[order[223:]]
        shares.append(np.isin(test, train).mean())
    assert np.mean(shares) == pytest.approx(0.268, abs=0.01)
