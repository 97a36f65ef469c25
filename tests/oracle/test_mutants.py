"""The mutants: the oracle rejects every one, and none is superfluous."""

from __future__ import annotations

import pytest

from lmlir.oracle import subjects
from lmlir.oracle.interface import CONCERNS, FUNCTIONS
from lmlir.oracle.judging.judge import run_law
from lmlir.oracle.laws import LAWS, by_name
from tests.oracle.mutants import MUTANTS
from tests.oracle.mutants.matrix import as_text, known_slips, rejected_by

LAW_NAMES = [law.name for law in LAWS]
WITNESSES = 3  # mutants kept for each law: those that the fewest laws reject
FEW = 7  # laws; one that only rejects what more than these reject adds little

# Kept although others are harder to find, because a user may well have made the same mistake.
WELL_KNOWN = {
    "clip_without_upper_end",
    "clip_without_lower_end",
    "whole_chord",
    "missed_ball_counts",
    "approximate_for_exact",
    "squared_length",
    "cholesky_on_the_wrong_side",
    "metrics_mixed_under_one_root",
    "neighbors_of_both_classes",
    "printed_dissimilar_constraint",
    "printed_sign_of_dissimilar_term",
    "printed_sign_of_background_term",
    "printed_shrinkage",
    "metric_gradient_off_diagonal_doubled",
}


def violated_by(name):
    return set(known_slips()[name]["violates"])


def rejected_mutants(law):
    """Those that a law rejects according to the table, the ones that the fewest laws reject
    first.
    """
    return sorted(
        (name for name in MUTANTS if law in violated_by(name)),
        key=lambda name: len(violated_by(name)),
    )


def without_row(items):
    """The items, with a table instead of its rows."""
    return {item.split(", row")[0] for item in items}


def likeliest_law(mutant):
    """The law about the mutant's item that asks its function and fewest others."""
    laws = [by_name(law) for law in known_slips()[mutant.name]["violates"]]
    fitting = [law for law in laws if mutant.function in law.functions]
    related = [law for law in fitting if without_row(law.items) & without_row(mutant.items)]
    return min(related, key=lambda law: len(law.functions))


def test_every_mutant_has_its_own_sentence_and_items_that_concern_its_function():
    assert len({mutant.slip for mutant in MUTANTS.values()}) == len(MUTANTS)
    for name, mutant in MUTANTS.items():
        assert mutant.slip.endswith(".") and "\n" not in mutant.slip, name
        assert mutant.items and all(mutant.function in CONCERNS[item] for item in mutant.items), (
            name
        )


def test_the_table_has_every_mutant_and_only_laws_that_exist():
    """When this fails: make mutants, and commit the table that it writes."""
    assert {name: slip["slip"] for name, slip in known_slips().items()} == {
        name: mutant.slip for name, mutant in MUTANTS.items()
    }
    for name, slip in known_slips().items():
        assert slip["violates"] == sorted(slip["violates"]), name
        assert slip["violates"] and set(slip["violates"]) <= set(LAW_NAMES), name


@pytest.mark.parametrize("name", MUTANTS)
def test_the_oracle_rejects_the_mutant(name):
    """By the law that fits best; `make mutants` tries every law on every mutant."""
    law = likeliest_law(MUTANTS[name])
    result = run_law(law, subjects.from_module(MUTANTS[name].make(), name), "quick", shrink=False)
    assert result.status in ("violated", "errored"), (
        f"{law.name} no longer rejects {name}: {MUTANTS[name].slip}"
    )


@pytest.mark.parametrize("law", LAW_NAMES)
def test_every_law_rejects_a_mutant_that_few_others_reject(law):
    """A law that never rejects, or only what everyone rejects, would be useless."""
    rejected = rejected_mutants(law)
    assert len(rejected) >= 2
    assert len(violated_by(rejected[0])) <= FEW


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_has_mutants(function):
    assert sum(mutant.function == function for mutant in MUTANTS.values()) >= 3


def test_no_mutant_is_superfluous():
    """One that is easier to find than another needs a reason: an item that it alone breaks, a law,
    or that many make it.
    """
    witnesses = {name for law in LAW_NAMES for name in rejected_mutants(law)[:WITNESSES]}
    for name, mutant in MUTANTS.items():
        others = [
            other
            for other in MUTANTS.values()
            if other.function == mutant.function and other is not mutant
        ]
        hardest = not any(violated_by(other) < violated_by(name) for other in MUTANTS)
        only_one = any(all(item not in other.items for other in others) for item in mutant.items)
        assert hardest or only_one or name in witnesses or name in WELL_KNOWN, name


def test_the_matrix_says_what_the_runner_says():
    """It replays cases and looks up brackets; on a sample it must give the verdicts of the
    runner.
    """
    names = ["clip_without_upper_end", "union_not_sorted", "empty_batch_crashes"]
    for law in LAW_NAMES[:4:3] + LAW_NAMES[-2:]:
        made = {name: subjects.from_module(MUTANTS[name].make(), name) for name in names}
        results = {name: run_law(by_name(law), made[name], "quick", shrink=False) for name in names}
        assert rejected_by(law, names) == [name for name in names if results[name].status != "held"]


def test_the_text_of_a_matrix_names_survivors():
    slips = {"a": {"slip": "", "violates": ["first"]}, "b": {"slip": "", "violates": []}}
    text = as_text(slips, ["first", "second"])
    assert "a  x.\nb  ..\n" in text
    assert text.endswith("2 mutants, 2 laws, 1 survivors\nb")
