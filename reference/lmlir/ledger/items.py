"""The items: the names of the paper's statements and of this project's theorems, and how a sentence
names them.

An item is a numbered statement, equation, table or figure, or one of the paper's unnumbered
formulas, remarks, footnotes and plans, which are named by section and key word, as in "Section 5.2,
shrinkage". Footnotes that only name a web page or a source are left out. The theorems beyond the
paper have letters; C became a part of A.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lmlir.ledger.choices import CHOICES, Choice
from lmlir.ledger.errata import ERRATA, Erratum

BEYOND = "beyond the paper"  # the section of a theorem of this project


class Entry(NamedTuple):
    """An item's name, its statement in our words, its section, and the items that it illustrates or
    remarks on.
    """

    item: str
    title: str
    section: str
    shows: tuple[str, ...] = ()


ENTRIES = (
    Entry("Definition 1", "influential regions are closed Euclidean balls", "2"),
    Entry("Definition 2", "the background is everything outside the balls", "2"),
    Entry("Definition 3", "a region has its own metric, which measures segments inside it", "2"),
    Entry("Definition 4", "the background has a metric, which measures segments inside it", "2"),
    Entry(
        "Definition 5", "what a segment has in common with a region, and with the background", "2"
    ),
    Entry(
        "Definition 6",
        "the length of what a segment has in common with a region, or with the background",
        "2",
    ),
    Entry(
        "Definition 7",
        "a segment is as long as its background part and its region parts together",
        "2",
    ),
    Entry("Definition 8", "intersection points, their coefficients, and the ratio gamma", "3.1"),
    Entry("Definition 9", "the Lipschitz constant of a function", "4.2"),
    Entry(
        "Proposition 1",
        "a region's part of a segment is gamma times the segment's length in its metric",
        "3.1",
    ),
    Entry("Proposition 2", "the distance when the regions do not overlap", "3.2"),
    Entry("Proposition 3", "Lipschitz constants of a sum, a difference and a multiple", "4.2"),
    Entry("Proposition 4", "a Lipschitz constant of the sum of the K smallest", "4.2"),
    Entry("Lemma 1", "a Lipschitz constant of the classifier", "4.2"),
    Entry("Corollary 1", "a bound on the error of the classifier", "4.2"),
    Entry("Equation (1)", "the points of a ball", "2"),
    Entry("Equation (2)", "the length of a segment inside a region", "2"),
    Entry("Equation (3)", "the background's part of a segment: what no ball covers", "2"),
    Entry("Equation (4)", "the length of the background's part", "2"),
    Entry("Equation (5)", "the length of a segment as a sum over the regions", "2"),
    Entry("Equation (6)", "the length of an intersection by its ratio", "3.1"),
    Entry(
        "Equation (7)", "the quadratic equation for the points where a line meets a sphere", "3.1"
    ),
    Entry("Equation (8)", "the distance without overlap, by ratios", "3.2"),
    Entry("Equation (9)", "the distance with overlap, by ratios", "3.2"),
    Entry(
        "Equation (10)",
        "the classifier: mean distance to the K nearest of either class, subtracted",
        "4.1",
    ),
    Entry("Equation (11)", "the learning bound", "4.2"),
    Entry(
        "Equation (12)",
        "the optimization problem: hinge losses of pairs plus a penalty on the metrics",
        "5.1",
    ),
    Entry(
        "Table 1",
        "the notation of the intersection: a, b, c, Delta, lambda, u, v, p, q, gamma",
        "3.1",
    ),
    Entry("Table 2", "the eight positions of a segment and a ball", "3.1"),
    Entry("Table 3", "the gradient of gamma by center and radius, in five rows", "5"),
    Entry("Table 4", "the fourteen data sets", "6"),
    Entry("Table 5", "accuracies of nine methods on the fourteen data sets", "6"),
    Entry("Figure 1", "the distance along a segment through two regions", "1", ("Definition 7",)),
    Entry(
        "Figure 2",
        "what a local metric can do for two classes",
        "1",
        ("Definition 3", "Section 5.2, objective g"),
    ),
    Entry("Figure 3", "the positions of u, v, p, q in the eight cases", "3.1", ("Table 2",)),
    Entry(
        "Definition 3, footnote 1",
        "a ball holds the whole segment between two of its points",
        "2",
        ("Definition 1",),
    ),
    Entry(
        "Definition 3, footnote 2",
        "the plain length instead of its square is convenient",
        "2",
        ("Definition 3",),
    ),
    Entry(
        "Definition 4, remark 1",
        "the Euclidean distance locates the regions, not a metric",
        "2",
        ("Definition 1",),
    ),
    Entry(
        "Definition 4, remark 2",
        "a segment that leaves the background has another length",
        "2",
        ("Definition 7",),
    ),
    Entry("Definition 5, footnote", "a union of intervals as intervals that do not overlap", "2"),
    Entry("Section 3.1, step 2", "the coefficients clipped to the segment", "3.1"),
    Entry(
        "Section 3.1, footnote",
        "u or v is on the segment exactly if its lambda is in [0, 1]",
        "3.1",
        ("Section 3.1, step 2",),
    ),
    Entry("Section 3.2, gamma_b", "the background's ratio, exact and approximate", "3.2"),
    Entry("Section 4.1, 1-NN", "the nearest neighbor rule as the sign of a function", "4.1"),
    Entry("Section 4.1, D_set", "the distances from a point to all instances of a class", "4.1"),
    Entry("Section 4.1, sumKmin", "the sum of the K smallest elements", "4.1"),
    Entry("Section 4.1, sign of f", "the predicted class", "4.1"),
    Entry(
        "Lemma 1, footnote",
        "the Frobenius norm is consistent with the Euclidean one",
        "4.2",
        ("Lemma 1",),
    ),
    Entry("Section 5.1, neighbors", "the K nearest in the same class, and in the other", "5.1"),
    Entry("Section 5.2, gradient descent", "one step of the descent", "5.2"),
    Entry("Section 5.2, objective g", "the problem without constraints", "5.2"),
    Entry("Section 5.2, gradient of g", "the sum over the pairs with an active hinge", "5.2"),
    Entry("Section 5.2, shrinkage", "the gradient of the penalty", "5.2"),
    Entry("Section 5.2, dD/dM(B)", "how the distance moves with the background metric", "5.2"),
    Entry("Section 5.2, dD/dM(A_s)", "how the distance moves with a local metric", "5.2"),
    Entry("Section 5.2, dD/do_s", "how the distance moves with a center", "5.2"),
    Entry("Section 5.2, dD/dr_s", "how the distance moves with a radius", "5.2"),
    Entry("Section 5.2, h(x)", "the local discriminative direction of an instance", "5.2"),
    Entry("Section 5.2, step 1", "initial values: a direction for every instance", "5.2"),
    Entry(
        "Section 5.2, step 2", "initial values: clusters of instances and their directions", "5.2"
    ),
    Entry(
        "Section 5.2, step 3", "initial values: centers, radii and metrics from the clusters", "5.2"
    ),
    Entry("Section 6, protocol", "preprocessing, splits, parameters, and what is reported", "6"),
    Entry("Section 7, classes", "future work: more than two classes", "7", ("Equation (10)",)),
    Entry(
        "Section 7, optimization",
        "future work: better optimization",
        "7",
        ("Section 5.2, gradient descent",),
    ),
    Entry(
        "Section 7, regions",
        "future work: other metrics, other types of regions",
        "7",
        ("Definition 1", "Definition 3"),
    ),
    Entry(
        "Section 7, knowledge",
        "future work: domain knowledge in the regions",
        "7",
        ("Section 5.2, step 2",),
    ),
    Entry(
        "Section 7, bounds",
        "future work: tighter bounds, and their penalties",
        "7",
        ("Corollary 1", "Theorem D"),
    ),
    Entry("Theorem A", "the modulus of continuity, instead of Lemma 1", BEYOND),
    Entry("Theorem B", "the metric hull, for which Lemma 1 holds", BEYOND),
    Entry("Theorem D", "a compression bound on the error", BEYOND),
    Entry("Theorem E", "extinction: why regions die", BEYOND),
)
NAMES = tuple(entry.item for entry in ENTRIES)
UNNUMBERED = tuple(name for name in NAMES if ", " in name)


def items_of(ledger_id: str) -> list[str]:
    """The items that an erratum or a choice concerns. An unknown id raises a ValueError.

    >>> items_of("E9"), items_of("C4")
    (['Table 4'], ['Section 5.2, step 3'])
    """
    entries: list[Erratum | Choice] = [*ERRATA, *CHOICES]
    for entry in entries:
        if entry.id == ledger_id:
            return list(entry.items)
    raise ValueError(
        f"the ledger has errata E1 to E{len(ERRATA)} and choices C1 to C{len(CHOICES)}, got "
        f"{ledger_id}"
    )


def status(item: str) -> str:
    """The status of an item, computed from the ledger: "refuted", "corrected", "choice" or "holds".

    The first of these that applies counts: an erratum refutes the item or corrects it, or a choice
    decides what it leaves open. Remarks and corner cases do not change the status.

    >>> status("Lemma 1"), status("Proposition 1")
    ('refuted', 'holds')
    """
    effects = {erratum.items[item] for erratum in ERRATA if item in erratum.items}
    for effect in ("refuted", "corrected"):
        if effect in effects:
            return effect
    is_open = any(item in choice.items and choice.kind == "open" for choice in CHOICES)
    return "choice" if is_open else "holds"


# --------------------------------------------------------------------------- reading an item's name

KINDS = "definition|proposition|lemma|corollary|equation|table|figure|theorem"
NUMBERED = re.compile(rf"\b({KINDS})s? ((?:(?:\(?\d+\)?|[A-Z]\b)(?:, | and )?)+)", re.IGNORECASE)
BEGINNING = re.compile(rf"({KINDS}|section|errat|choice)", re.IGNORECASE)


def mentions(text: str) -> list[str]:
    """The items and ledger ids that a sentence mentions anywhere, as the docstrings of proofs and
    tests do.

    >>> mentions("Lemma 1 and equations (9) and (10): the quotient grows (E6), Theorem A, Table 9.")
    ['Equation (10)', 'Equation (9)', 'Lemma 1', 'Theorem A', 'E6']
    """
    sentence = re.sub(r"[$\\{}]", "", text)  # TeX's signs
    found = {name for name in UNNUMBERED if name in sentence}
    for kind, numbers in NUMBERED.findall(sentence):
        form = "Equation ({})" if kind.lower() == "equation" else f"{kind.capitalize()} {{}}"
        found |= {form.format(number) for number in re.findall(r"\d+|\b[A-Z]\b", numbers)}
    ids = set(re.findall(r"\b[EC]\d+\b", sentence))
    return sorted(found & set(NAMES)) + sorted(ids, key=lambda i: (i[0], int(i[1:])))


def items_named(text: str) -> list[str]:
    r"""The items that a docstring begins with, up to its first colon; none when it begins
    otherwise.

    An unnumbered item may be named by its section and key word apart from each other. An erratum or
    a choice stands for the items that it concerns.

    >>> items_named("Definition 5, equation (3): what no ball covers.")
    ['Definition 5', 'Equation (3)']
    >>> items_named(r"Section 5.2, dD/do_s and dD/dr_s together: one row of Table 3.")
    ['Section 5.2, dD/do_s', 'Section 5.2, dD/dr_s']
    >>> items_named("Erratum E9: a size."), items_named("The vector of Definition 3.")
    (['Table 4'], [])
    """
    head = re.sub(r"[$\\{}]", "", text.split("\n")[0]).split(": ")[0]
    if not BEGINNING.match(head):
        return []
    found = {
        item for name in mentions(head) for item in ([name] if name in NAMES else items_of(name))
    }
    section, _, words = head.partition(", ")
    for name in NAMES:
        place, _, key = name.partition(", ")
        if place == section and (key in words or place == "Section 6"):
            found.add(name)
    return [name for name in NAMES if name in found]
