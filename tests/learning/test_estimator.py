"""`LMLIRClassifier`: scikit-learn's conventions, several classes, warnings, and files without
pickle.
"""

import io
import re
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest
from clouds import clouds as overlapping_clouds
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from lmlir import classifier, vectorized
from lmlir.estimator import LMLIRClassifier
from lmlir.learning import learn


def clouds(seed=0, n=40, classes=2):
    """Return clouds in three features, far enough apart for a classifier."""
    return overlapping_clouds(seed, n, F=3, classes=classes, gap=1.5)


@pytest.fixture(scope="module")
def fitted():
    X, y = clouds()
    return LMLIRClassifier(n_regions=2, n_neighbors=4, random_state=3).fit(X, y)


# on the small data of the checks n_neighbors is lowered, with a warning
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([LMLIRClassifier()])
def test_scikit_learns_own_checks_pass(estimator, check):
    """None is expected to fail; two need a package or a setting and are skipped where that is
    missing.
    """
    check(estimator)


@pytest.mark.filterwarnings("ignore:the descent used all")
def test_the_attributes_are_what_learn_returns():
    """With other options than the defaults; a second pass over these data chooses other pairs."""
    X, y = overlapping_clouds(7, n=30, F=3)
    options = {"n_regions": 2, "n_neighbors": 3, "n_steps": 20, "n_passes": 2}
    model = LMLIRClassifier(**options, random_state=3).fit(X, y)
    learned = learn(X, y, **options, seed=3)
    for name, part in learned.parameters._asdict().items():
        np.testing.assert_array_equal(getattr(model, f"{name}_"), part)
    np.testing.assert_array_equal(model.objective_trace_, learned.trace)
    assert model.n_iter_ == len(learned.trace) - 1
    assert model.report_ == learned.report()


def test_two_classes_follow_equation_10_of_the_reference(fitted):
    """Equation (10), computed by the reference's loops."""
    X, y = clouds()
    Z, _ = clouds(seed=1, n=8)
    Theta = [
        part.tolist()
        for part in (
            fitted.centers_,
            fitted.radii_,
            fitted.local_metrics_,
            fitted.background_metric_,
        )
    ]
    f = [
        classifier.decision_value(z, X[y == 0].tolist(), X[y == 1].tolist(), 4, *Theta)
        for z in Z.tolist()
    ]
    np.testing.assert_allclose(fitted.decision_function(Z), f, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(Z), (np.array(f) > 0).astype(int))


def test_a_tie_goes_to_the_first_class():
    """Choice C9. x = 0 lies in the middle of two mirrored classes, and no region breaks the
    symmetry.
    """
    X = [[-1.0], [-2.0], [1.0], [2.0]]
    y = ["left", "left", "right", "right"]
    model = LMLIRClassifier(n_regions=0, n_neighbors=1).fit(X, y)
    assert model.decision_function([[0.0]]) == [0.0]
    assert model.predict([[0.0]]) == ["left"]


def test_several_classes_take_the_smallest_mean_of_the_k_nearest():
    """Choice C18, with distances from the twin and a sort of all of them."""
    X, y = clouds(classes=3, n=45)
    model = LMLIRClassifier(n_regions=2, n_neighbors=3, random_state=0).fit(X, y)
    Z, _ = clouds(seed=2, n=20)
    Theta = model.centers_, model.radii_, model.local_metrics_, model.background_metric_
    table = vectorized.cross_distances(Z, X, *Theta)
    means = np.array([np.sort(table[:, y == c], axis=1)[:, :3].mean(axis=1) for c in range(3)]).T
    np.testing.assert_array_equal(model.predict(Z), means.argmin(axis=1))
    np.testing.assert_allclose(model.decision_function(Z), -means)
    assert len(set(model.predict(Z))) == 3


def test_iris_in_a_pipeline_as_the_paper_prepares_its_data():
    """Learn from every second flower and test on the others: well above a third, what guessing
    would give.
    """
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), Normalizer(), LMLIRClassifier(random_state=0))
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.7


def test_there_is_no_predict_proba():
    assert not hasattr(LMLIRClassifier(), "predict_proba")


def test_too_many_neighbors_or_regions_are_lowered_with_a_warning():
    X = [[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]]
    y = [0, 0, 0, 1, 1, 1]
    with pytest.warns(UserWarning) as caught:
        model = LMLIRClassifier(n_regions=9, n_neighbors=5, random_state=0).fit(X, y)
    assert [str(warning.message) for warning in caught] == [
        "n_regions=9 is lowered to 6, the most that these data allow",
        "n_neighbors=5 is lowered to 2, the most that these data allow",
    ]
    assert model.n_neighbors_ == 2
    assert model.radii_.shape == (6,)


def test_a_class_of_one_instance_is_an_error():
    with pytest.raises(
        ValueError, match="every class must have at least 2 instances, got 1 of class 'b'"
    ):
        LMLIRClassifier().fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])


def test_verbose_prints_progress_and_a_report(capsys):
    X, y = clouds()
    LMLIRClassifier(n_regions=2, n_neighbors=4, random_state=0, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("step 10: objective ")
    assert any(line.startswith("region 1: radius ") for line in lines)
    LMLIRClassifier(n_regions=2, n_neighbors=4, random_state=0).fit(X, y)
    assert capsys.readouterr().out == ""


# ----------------------------------------------------------------------------------------- warnings


def test_a_descent_that_uses_all_its_steps_gives_a_convergence_warning():
    X, y = clouds()
    with pytest.warns(
        ConvergenceWarning, match="used all 6 steps before it settled; raise n_steps or tol"
    ):
        LMLIRClassifier(n_regions=2, n_neighbors=4, n_steps=6, random_state=3).fit(X, y)


def test_there_is_no_warning_after_a_descent_that_settled_nor_at_the_fixed_rate():
    """The fixed rate always takes all of its steps."""
    X, y = clouds()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LMLIRClassifier(n_regions=2, n_neighbors=4, random_state=3).fit(X, y)
        LMLIRClassifier(n_regions=2, n_neighbors=4, random_state=3, rule="fixed", n_steps=5).fit(
            X, y
        )


def test_metrics_that_all_reached_zero_give_a_warning():
    """A rate far too large: one step sets every metric to 0, where all slopes are 0."""
    X, y = clouds()
    with pytest.warns(UserWarning, match="every metric reached zero: all distances are 0"):
        model = LMLIRClassifier(
            n_regions=2, n_neighbors=4, random_state=0, rule="fixed", learning_rate=50
        ).fit(X, y)
    assert not model.local_metrics_.any()
    assert not model.background_metric_.any()
    assert len(set(model.predict(X))) == 1


@pytest.mark.parametrize("value", [-1, "x", 1.5])
def test_a_random_state_that_is_not_a_seed_is_named_with_its_value(value):
    X, y = clouds()
    condition = (
        "random_state must be None, a whole number from 0 on or a RandomState, got random_state="
    )
    with pytest.raises(ValueError, match=re.escape(f"{condition}{value!r}")):
        LMLIRClassifier(n_neighbors=4, random_state=value).fit(X, y)


def test_without_scikit_learn_the_import_names_the_extra():
    hidden = "import sys; sys.modules['sklearn'] = None; import lmlir.estimator"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "lmlir.estimator needs scikit-learn: pip install 'lmlir[sklearn]'"
    )


# ------------------------------------------------------------------------------------------- saving


@pytest.mark.parametrize(
    "labels",
    [[0, 1], ["no", "yes"], np.array(["no", "yes"], dtype=object), [-1.0, 2.0], [False, True]],
)
def test_a_pipeline_that_skops_saved_predicts_the_same_after_loading(labels):
    """The file holds JSON and arrays, no pickle; the two classes of this package are the only ones
    that need trust.
    """
    skops = pytest.importorskip("skops.io", reason="needs skops")
    X, y = clouds()
    model = make_pipeline(
        StandardScaler(), LMLIRClassifier(n_regions=2, n_neighbors=4, random_state=np.int64(5))
    )
    file = skops.dumps(model.fit(X, np.array(labels)[y]))
    loaded = skops.loads(
        file, trusted=["lmlir.estimator.LMLIRClassifier", "lmlir.learning.report.Report"]
    )
    Z, _ = clouds(seed=1)
    np.testing.assert_array_equal(loaded.predict(Z), model.predict(Z))
    np.testing.assert_array_equal(loaded.decision_function(Z), model.decision_function(Z))
    assert loaded[-1].get_params() == model[-1].get_params()
    assert loaded[-1].report_ == model[-1].report_
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        arrays = [name for name in archive.namelist() if name != "schema.json"]
        assert arrays
        assert all(name.endswith(".npy") for name in arrays)
        for name in arrays:
            np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
