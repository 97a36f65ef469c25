"""The laws of behavior judge behavior, not numbers, and each rejects subjects that break it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from lmlir import vectorized
from lmlir.oracle import subjects
from lmlir.oracle.inputs import random_cases
from lmlir.oracle.inputs.random_cases import UNSCALED, Spec
from lmlir.oracle.interface import FUNCTIONS
from lmlir.oracle.judging.judge import judge, run_law
from lmlir.oracle.laws import LAWS, by_name
from lmlir.oracle.laws.checker import Checker
from lmlir.oracle.precision import PRECISIONS

BEHAVIOR = [law for law in LAWS if law.check.__module__ == "lmlir.oracle.laws.behavior"]


def scaled(factor):
    """The fast twin with all answers multiplied by a factor: its behavior is right, its numbers are
    wrong.
    """

    def wrong(function):
        def answer(*given):
            right = getattr(vectorized, function)(*given)
            return (
                tuple(part * factor for part in right)
                if isinstance(right, tuple)
                else right * factor
            )

        return answer

    return subjects.from_functions(
        {function: wrong(function) for function in FUNCTIONS}, name="scaled"
    )


@pytest.mark.parametrize("factor", [1 + 1e-6, pytest.param(-3.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("law", BEHAVIOR, ids=lambda law: law.name)
def test_a_subject_that_is_wrong_by_a_factor_violates_no_law_of_behavior(law, factor):
    result = run_law(law, scaled(factor), shrink=False)
    assert result.status == "held", result.violation


@pytest.mark.parametrize("factor", [1 + 1e-6, 0.5])
def test_a_subject_that_is_wrong_by_a_factor_violates_the_laws_about_values(factor):
    wrong = {"ratios_match_table_2", "distances_match_equation_9", "objective_matches_g"}
    report = judge(scaled(factor), profile="quick", shrink=False, only=sorted(wrong))
    assert set(report.violated) == wrong


def test_the_laws_of_behavior_cite_the_interface_and_nothing_of_the_paper():
    assert len(BEHAVIOR) >= 7
    assert {law.items for law in BEHAVIOR} == {("Subject interface",)}
    assert all("Subject interface" not in law.items for law in LAWS if law not in BEHAVIOR)


def cached_by(key):
    """Distances cached by a part of the question."""
    memory = {}

    def distances(*given):
        return memory.setdefault(key(*given), vectorized.distances(*given)).copy()

    return distances


def cached_without_a_copy():
    """Distances cached by the whole question; the cache and its callers share the arrays."""
    kept = {}

    def distances(*given):
        return kept.setdefault(
            tuple(np.asarray(each).tobytes() for each in given), vectorized.distances(*given)
        )

    return distances


def last_call_cached_without_its_last_argument():
    last = {}

    def objective(*given):
        key = tuple(np.asarray(each).tobytes() for each in given[:-1])
        if last.get("key") != key:
            last.update(key=key, answer=vectorized.objective(*given))
        return last["answer"]

    return objective


def counting():
    calls = []

    def distances(*given):
        calls.append(1)
        return vectorized.distances(*given) * (1 + 1e-7 * len(calls))

    return distances


def above(size, wrong):
    """The fast twin for few pairs, something else for more."""
    return lambda *given: (wrong if len(given[0]) > size else vectorized.distances)(*given)


def contiguous(X_i, *others):
    """The first points, read in the order in which they lie in memory."""
    return vectorized.distances(np.ravel(X_i, order="K").reshape(X_i.shape), *others)


def by_its_ends(*given):
    """The first and the last row of every array."""
    return tuple(np.asarray(each)[[0, -1]].tobytes() if len(each) else b"" for each in given)


def pairs_once(X, similar, *others):
    """The objective, with similar pairs counted by a key in single precision, in which neighbors
    coincide.
    """
    keys = similar[:, 0].astype(np.float32) * np.float32(len(X)) + similar[:, 1].astype(np.float32)
    _, first, again = np.unique(keys, return_index=True, return_inverse=True)
    return vectorized.objective(X, similar[first[again]], *others)


def one_buffer():
    buffers = {}

    def distances(*given):
        D = vectorized.distances(*given)
        buffer = buffers.setdefault(D.shape, D)
        buffer[...] = D
        return buffer

    return distances


def steps_in(count):
    """Steps whose background metrics are written to some buffers in turn."""
    buffers = {}

    def descent_step(*given):
        *others, M = vectorized.descent_step(*given)
        ring = buffers.setdefault(M.shape, [np.empty(M.shape) for _ in range(count)])
        ring.append(ring.pop(0))
        ring[-1][...] = M
        return *others, ring[-1]

    return descent_step


def one_zero():
    """Gradients of which all that are 0 share their arrays."""
    zeros = {}

    def objective_gradient(*given):
        gradient = vectorized.objective_gradient(*given)
        if any(part.any() for part in gradient):
            return gradient
        return zeros.setdefault(tuple(part.shape for part in gradient), gradient)

    return objective_gradient


def shared_by_threads():
    """Distances that keep their arguments in memory shared by all threads."""
    place = {}

    def distances(*given):
        place["given"] = given
        vectorized.distances(*given)
        return vectorized.distances(*place["given"])

    return distances


def of_one_class(X, X_minus, X_plus, K, *Theta):
    """Decision values that are 0 where a class has no members."""
    return (
        np.zeros(len(X))
        if not len(X_minus)
        else vectorized.decision_values(X, X_minus, X_plus, K, *Theta)
    )


def taken_for_one_set(X, Y, *others):
    """Cross distances that take sets of one size with the same first row for one set."""
    return vectorized.cross_distances(
        X, X if X.shape == Y.shape and (X[:1] == Y[:1]).all() else Y, *others
    )


WHOLE = {function: getattr(vectorized, function) for function in FUNCTIONS}


@pytest.mark.parametrize(
    ("law", "functions"),
    [
        (
            "a_batch_equals_its_rows_one_by_one",
            {"distances": cached_by(lambda *given: given[0].shape)},
        ),
        (
            "a_batch_equals_its_rows_one_by_one",
            {"distances": lambda *given: np.sort(vectorized.distances(*given))},
        ),
        (
            "the_same_question_gets_the_same_answer",
            {"objective": last_call_cached_without_its_last_argument()},
        ),
        ("the_same_question_gets_the_same_answer", {"distances": counting()}),
        (
            "the_same_question_gets_the_same_answer",
            {"distances": cached_by(lambda *given: given[5].tobytes())},
        ),
        ("the_same_question_gets_the_same_answer", {"distances": cached_by(by_its_ends)}),
        ("answers_do_not_share_memory", {"distances": cached_without_a_copy()}),
        ("the_layout_of_the_arrays_does_not_matter", {"distances": above(1000, contiguous)}),
        ("answers_do_not_share_memory", {"distances": above(1000, one_buffer())}),
        *(
            ("answers_do_not_share_memory", {**WHOLE, "descent_step": steps_in(count)})
            for count in (1, 2, 3, 4)
        ),
        ("answers_do_not_share_memory", {**WHOLE, "objective_gradient": one_zero()}),
        ("threads_do_not_disturb_each_other", {"distances": shared_by_threads()}),
        ("cross_distances_match_equation_9", {"cross_distances": taken_for_one_set}),
        (
            "invalid_input_is_rejected",
            {"distances": lambda *given: vectorized.distances(*map(np.nan_to_num, given))},
        ),
        (
            "invalid_input_is_rejected",
            {
                "distances": above(
                    1000, lambda *given: vectorized.distances(*map(np.nan_to_num, given))
                )
            },
        ),
        ("invalid_input_is_rejected", {"decision_values": of_one_class}),
        (
            "empty_batches_get_empty_answers",
            {"distances": lambda *given: vectorized.distances(*given) + given[0].max()},
        ),
    ],
)
def test_a_subject_that_misbehaves_is_rejected(law, functions):
    result = run_law(by_name(law), subjects.from_functions(functions), shrink=False)
    assert result.status in ("violated", "errored")


def too_large_for(wrong):
    """Distances that are too large for arguments of one kind."""
    return subjects.from_functions(
        {"distances": lambda *given: vectorized.distances(*given) + 9 * wrong(*given)}
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda X_i, *_: X_i.dtype == np.int32, "with integers (int32) instead of floats"),
        (lambda X_i, *_: X_i.dtype == np.int64, "with integers (int64) instead of floats"),
        (
            lambda X_i, *_: X_i.flags.f_contiguous and not X_i.flags.c_contiguous,
            "with arrays in Fortran order",
        ),
        (lambda X_i, *_: X_i.strides[0] > X_i.shape[1] * X_i.itemsize, "with gaps in the arrays"),
        (lambda X_i, *_: X_i.strides[0] < 0, "with arrays that run backwards"),
        (
            lambda X_i, *_: (
                type(X_i) is np.ndarray and not X_i.flags.writeable and X_i.flags.owndata
            ),
            "with read-only arrays",
        ),
        (lambda X_i, *_: isinstance(X_i, np.memmap), "with arrays mapped from files"),
        (
            lambda X_i, X_j, *_: X_i.base is not None and X_i.base is X_j.base,
            "with arrays that are parts of one",
        ),
        (
            lambda X_i, X_j, *_: X_i is not X_j and np.may_share_memory(X_i, X_j),
            "with arrays that overlap",
        ),
        (lambda X_i, *_: X_i.strides[0] == 0, "with the same row throughout"),
        (lambda X_i, X_j, *_: X_i is X_j, "with one object twice"),
    ],
)
def test_the_layout_that_fails_is_named(wrong, words):
    """The report repeats a call with plain arrays, so that the sentence must name the layout."""
    law = by_name("the_layout_of_the_arrays_does_not_matter")
    result = run_law(law, too_large_for(wrong), shrink=False)
    assert f"distances {words}: D[" in str(result.violation)


def test_an_error_for_a_layout_names_the_layout():
    def distances(*given):
        if isinstance(given[0], np.memmap):
            raise TypeError("no files, please")
        return vectorized.distances(*given)

    law = by_name("the_layout_of_the_arrays_does_not_matter")
    result = run_law(law, subjects.from_functions({"distances": distances}), shrink=False)
    assert str(result.violation).endswith(": no files, please (with arrays mapped from files)")


def test_pairs_that_differ_by_one_in_one_index_are_counted_separately():
    law = by_name("large_batches_are_answered_like_small_ones")
    assert (
        run_law(law, subjects.from_functions({"objective": pairs_once}), shrink=False).status
        == "violated"
    )


ONE_FEATURE = Spec(features=(1,), regions=(2,), pairs=(3,), **UNSCALED)


@settings(max_examples=2, deadline=None, database=None)
@given(random_cases.everything_cases(ONE_FEATURE)(PRECISIONS["float64"]))
def test_points_with_one_feature_are_valid_where_all_points_have_one(case):
    """A run with many shapes has such cases."""
    by_name("invalid_input_is_rejected").check(Checker(subjects.from_module(vectorized)), case)
