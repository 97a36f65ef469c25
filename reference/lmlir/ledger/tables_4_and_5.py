r"""Tables 4 and 5 as printed, and their arithmetic.

A mean of ten accuracies on n test rows is a whole number of right answers divided by 10 n, and ten
whole numbers with a given sum have a sum of squares that is whole and of the same parity. Two
printed decimals are enough to see when no such numbers exist. `tables_4_and_5.json` holds means and
deviations as text, so that nothing is rounded before it is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from lmlir.beside import json_beside

PRINTED: dict[str, Any] = json_beside(__file__)
METHODS: list[str] = PRINTED["methods"]
REPEATS = 10
HALF_A_DIGIT = Fraction(1, 200)  # printed with two decimals
HABERMAN = (306, 81, 225, 3)  # printed as 206 (81, 125) (E9)


class Cell(NamedTuple):
    """Table 5, one cell: data set, method, mean and standard deviation as printed, and the size of
    the test part.
    """

    dataset: str
    method: str
    mean: str
    deviation: str
    test_rows: int


class Win(NamedTuple):
    """Table 5, one best mean: data set, lead over the second best, and the deviation printed beside
    it.
    """

    dataset: str
    lead: Decimal
    deviation: Decimal


def sizes(dataset: str) -> tuple[int, int, int, int]:
    """Table 4: rows, rows of either class, and features, with Haberman's row corrected (E9).

    >>> sizes("monk1"), sizes("haberman")
    ((556, 278, 278, 6), (306, 81, 225, 3))
    """
    if dataset == "haberman":
        return HABERMAN
    rows, one, two, features = PRINTED["table_4"][dataset]
    return rows, one, two, features


def printed_mean(dataset: str, method: str = "Our") -> float:
    """Table 5: a mean, in percent.

    >>> printed_mean("monk1"), printed_mean("monk1", "SCML")
    (96.46, 97.53)
    """
    return float(PRINTED["table_5"][dataset][METHODS.index(method)])


def printed_deviation(dataset: str, method: str = "Our") -> float:
    """Table 5: a standard deviation, in percent.

    >>> printed_deviation("monk1")
    2.96
    """
    return float(PRINTED["deviations"][dataset][METHODS.index(method)])


def majority_share(dataset: str) -> float:
    """Table 4: the share of the larger class, in percent.

    >>> round(majority_share("planning"), 2)
    71.43
    """
    rows, one, two, _ = sizes(dataset)
    return 100 * max(one, two) / rows


def below_majority() -> dict[str, list[str]]:
    """Table 5: the methods that score less than the larger class, by data set (E17).

    >>> [dataset for dataset, methods in below_majority().items() if len(methods) == 9]
    ['ilpd', 'planning']
    """
    methods: dict[str, list[str]] = {}
    for cell in cells():
        if float(cell.mean) < majority_share(cell.dataset):
            methods.setdefault(cell.dataset, []).append(cell.method)
    return methods


def wins(method: str = "Our") -> list[Win]:
    """Table 5: where a method is best, by how much, and its deviation there (E17).

    >>> len(wins()), wins()[-1]
    (8, Win(dataset='wdbc', lead=Decimal('0.31'), deviation=Decimal('0.92')))
    """
    best = []
    column = METHODS.index(method)
    for dataset, row in PRINTED["table_5"].items():
        others = list(map(Decimal, row))
        own = others.pop(column)
        lead = own - max(others)
        if lead > 0:
            deviation = PRINTED["deviations"][dataset][column]
            best.append(Win(dataset, lead, Decimal(deviation)))
    return best


def diabetes_minus_pima() -> dict[str, Decimal]:
    """Table 5: the difference between the two means of one data set under two names, by method
    (E10).

    >>> diabetes_minus_pima()["Our"]
    Decimal('0.87')
    """
    means = PRINTED["table_5"]
    differences = {}
    for method, one, two in zip(METHODS, means["diabetes"], means["pima"], strict=True):
        differences[method] = Decimal(one) - Decimal(two)
    return differences


# ---------------------------------------------------------- which means and deviations are possible


def rows_for_testing(rows: int) -> int:
    """Section 6, protocol: the number of test rows, 40 percent rounded up (E17).

    >>> rows_for_testing(683)
    274
    """
    return -(-2 * rows // 5)


def cells() -> Iterator[Cell]:
    """Table 5: its 126 cells.

    >>> len(list(cells()))
    126
    """
    for dataset, means in PRINTED["table_5"].items():
        test_rows = rows_for_testing(sizes(dataset)[0])
        deviations = PRINTED["deviations"][dataset]
        for method, mean, deviation in zip(METHODS, means, deviations, strict=True):
            yield Cell(dataset, method, mean, deviation, test_rows)


def possible_totals(mean: str, test_rows: int) -> range:
    """Table 5: the numbers of right answers in ten tests that would be printed as this percentage.

    >>> possible_totals("97.15", 274), len(possible_totals("97.15", 273))
    (range(2662, 2663), 0)
    """
    per_percent = Fraction(REPEATS * test_rows, 100)
    low = Fraction(mean) - HALF_A_DIGIT
    high = Fraction(mean) + HALF_A_DIGIT
    return whole_numbers(low * per_percent, high * per_percent)


def whole_numbers(low: Fraction, high: Fraction) -> range:
    """The whole numbers from low to high.

    >>> whole_numbers(Fraction(1, 2), Fraction(2))
    range(1, 3)
    """
    return range(math.ceil(low), math.floor(high) + 1)


def possible_means(dataset: str, test_rows: int) -> int:
    """Table 5: how many of the nine means of a row ten tests of that size can have.

    >>> possible_means("breastcancer", 274), possible_means("breastcancer", 273)
    (9, 0)
    """
    return sum(len(possible_totals(mean, test_rows)) > 0 for mean in PRINTED["table_5"][dataset])


def implied_test_sizes() -> dict[str, dict[str, int]]:
    """Table 5: how many of nine means fit 40 percent rounded down and up, where that is not a whole
    number (E17).

    >>> implied_test_sizes()["ilpd"]
    {'floor': 3, 'ceil': 7}
    """
    table = {}
    for dataset in PRINTED["table_5"]:
        rows = sizes(dataset)[0]
        up = rows_for_testing(rows)
        if 5 * up != 2 * rows:
            table[dataset] = {
                "floor": possible_means(dataset, up - 1),
                "ceil": possible_means(dataset, up),
            }
    return table


def is_possible_deviation(cell: Cell, degrees: int) -> bool:
    """Table 5: whether ten whole numbers of right answers can have this mean and this standard
    deviation.

    `degrees` is what the sum of squared differences was divided by: 10 (n) or 9 (n - 1). The sum
    of the squares is total^2 / 10 + degrees deviation^2, a whole number, and odd exactly where the
    total is odd.

    >>> planning = Cell("planning", "Our", "67.40", "3.81", 73)
    >>> is_possible_deviation(planning, 9), is_possible_deviation(planning, 10)
    (True, False)
    """
    deviation = Fraction(cell.deviation)
    scale = Fraction(degrees * cell.test_rows**2, 100**2)
    low = max(deviation - HALF_A_DIGIT, Fraction(0)) ** 2 * scale
    high = (deviation + HALF_A_DIGIT) ** 2 * scale

    for total in possible_totals(cell.mean, cell.test_rows):
        least = Fraction(total * total, REPEATS)  # the sum of the squares of ten equal numbers
        sums_of_squares = whole_numbers(least + low, least + high)
        if any((squares - total) % 2 == 0 for squares in sums_of_squares):
            return True
    return False


def impossible_means() -> list[Cell]:
    """Table 5: the cells whose mean is impossible for ten tests of the size that the other cells
    imply (E17).

    >>> [(cell.dataset, cell.mean) for cell in impossible_means()]
    [('ilpd', '68.67'), ('ilpd', '66.80'), ('planning', '65.20')]
    """
    return [cell for cell in cells() if not possible_totals(cell.mean, cell.test_rows)]


def impossible_deviations(degrees: int) -> dict[str, int]:
    """Table 5: per method, how many cells with a possible mean have a deviation that these degrees
    rule out (E24).

    >>> impossible_deviations(9)
    {'LMNN': 5, 'ITML': 6, 'NCA': 0, 'MCML': 0, 'GMML': 0, 'RVML': 4, 'SCML': 0, 'R2LML': 0, 'Our':
    0}
    """
    counts = dict.fromkeys(METHODS, 0)
    for cell in cells():
        has_possible_mean = len(possible_totals(cell.mean, cell.test_rows)) > 0
        if has_possible_mean and not is_possible_deviation(cell, degrees):
            counts[cell.method] += 1
    return counts
