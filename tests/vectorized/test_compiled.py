"""Learning by compiled loops.

`test_problem.py` compares `lmlir.vectorized.compiled` with the reference.
"""

import sys

import pytest
from real_data import EPS, lists, start

from lmlir import learning, objective, vectorized

CompiledEvaluation = pytest.importorskip(
    "lmlir.vectorized.compiled", reason="Numba is not installed: the compiled engine was not tested"
).CompiledEvaluation


def test_the_default_rule_lowers_g_by_compiled_loops_with_any_number_of_threads(monkeypatch):
    """`learn(engine="compiled")`: the same g at the same start, and no digit depends on n_jobs."""
    compiled_sums = CompiledEvaluation.sums
    calls = []
    monkeypatch.setattr(
        CompiledEvaluation, "sums", lambda *block: calls.append(block) or compiled_sums(*block)
    )
    X, y, _ = start("wdbc", rows=40)
    options = {"n_regions": 2, "n_neighbors": 3, "n_steps": 30}
    one, two = (
        learning.learn(X, y, engine="compiled", n_jobs=n_jobs, **options) for n_jobs in (None, 2)
    )
    assert calls
    calls.clear()
    other = learning.learn(X, y, **options)
    assert not calls
    assert one.trace[0] == pytest.approx(other.trace[0], rel=1e4 * EPS)
    assert one.trace[-1] < one.trace[0]
    assert one.trace == two.trace
    given = (*lists(X, one.similar, one.dissimilar, *one.parameters), 0.1, 0.5)
    assert objective.objective(*given) == pytest.approx(min(one.trace), rel=1e4 * EPS)


@pytest.mark.filterwarnings("ignore:the descent used all")
def test_the_classifier_learns_by_the_engine_it_is_given():
    estimator = pytest.importorskip("lmlir.estimator", reason="needs scikit-learn")
    X, y, _ = start("wdbc", rows=40)
    learned = learning.learn(X, y, n_regions=2, n_neighbors=3, n_steps=5, engine="compiled")
    fitted = estimator.LMLIRClassifier(2, 3, n_steps=5, random_state=0, engine="compiled").fit(X, y)
    assert fitted.objective_trace_.tolist() == learned.trace
    with pytest.raises(ValueError, match="engine must be .*'compiled'.*, got engine='fast'"):
        estimator.LMLIRClassifier(2, 3, engine="fast").fit(X, y)


def test_without_numba_the_error_names_the_extra_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "lmlir.vectorized.compiled")
    with pytest.raises(ImportError, match=r"needs Numba: pip install 'lmlir\[numba\]'"):
        vectorized.PairProblem([[0.0], [1.0]], [(0, 1)], [], 0.1, 0.5, compiled=True)
    with pytest.raises(ImportError, match="needs Numba"):
        learning.learn([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], n_neighbors=1, engine="compiled")
