"""`LMLIRClassifier`: scikit-learn's conventions, several classes, and files without pickle."""

import json

import numpy as np
import pytest
from clouds import clouds as overlapping_clouds
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from lmlir import classifier, vectorized
from lmlir.estimator import LMLIRClassifier
from lmlir.learning import learn


def clouds(seed=0, n=40, classes=2):
    """Clouds in three features, far enough apart for a classifier."""
    return overlapping_clouds(seed, n, F=3, classes=classes, gap=1.5)


@pytest.fixture(scope="module")
def fitted():
    X, y = clouds()
    return LMLIRClassifier(n_regions=2, n_neighbors=4, n_steps=6, random_state=3).fit(X, y)


@pytest.mark.filterwarnings("ignore")  # the checks' own small data make it lower n_neighbors, with a warning
@parametrize_with_checks([LMLIRClassifier()])
def test_scikit_learns_own_checks_pass(estimator, check):
    """All of them, none expected to fail; two need a package or a setting and are skipped where that is missing."""
    check(estimator)


def test_it_learns_what_learn_learns(fitted):
    X, y = clouds()
    learned = learn(X, y, n_regions=2, n_neighbors=4, n_steps=6, seed=3)
    np.testing.assert_array_equal(fitted.centers_, learned.parameters.centers)
    np.testing.assert_array_equal(fitted.radii_, learned.parameters.radii)
    np.testing.assert_array_equal(fitted.local_metrics_, learned.parameters.local_metrics)
    np.testing.assert_array_equal(fitted.background_metric_, learned.parameters.background_metric)
    np.testing.assert_array_equal(fitted.objective_trace_, learned.trace)
    assert fitted.n_iter_ == 6
    assert fitted.report_ == learned.report()


def test_two_classes_follow_equation_10_of_the_reference(fitted):
    """Equation (10), computed by the reference's loops."""
    X, y = clouds()
    Z, _ = clouds(seed=1, n=8)
    Theta = [
        part.tolist() for part in (fitted.centers_, fitted.radii_, fitted.local_metrics_, fitted.background_metric_)
    ]
    f = [classifier.decision_value(z, X[y == 0].tolist(), X[y == 1].tolist(), 4, *Theta) for z in Z.tolist()]
    np.testing.assert_allclose(fitted.decision_function(Z), f, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(Z), (np.array(f) > 0).astype(int))


def test_a_tie_goes_to_the_first_class():
    """Choice C9. x = 0 lies in the middle of two mirrored classes, and no region breaks the symmetry."""
    X, y = [[-1.0], [-2.0], [1.0], [2.0]], ["left", "left", "right", "right"]
    model = LMLIRClassifier(n_regions=0, n_neighbors=1).fit(X, y)
    assert model.decision_function([[0.0]]) == [0.0]
    assert model.predict([[0.0]]) == ["left"]


def test_several_classes_take_the_smallest_mean_of_the_k_nearest():
    """Choice C18, with distances from the twin and a sort of all of them."""
    X, y = clouds(classes=3, n=45)
    model = LMLIRClassifier(n_regions=2, n_neighbors=3, n_steps=5, random_state=0).fit(X, y)
    Z, _ = clouds(seed=2, n=20)
    Theta = model.centers_, model.radii_, model.local_metrics_, model.background_metric_
    table = vectorized.cross_distances(Z, X, *Theta)
    means = np.array([np.sort(table[:, y == c], axis=1)[:, :3].mean(axis=1) for c in range(3)]).T
    np.testing.assert_array_equal(model.predict(Z), means.argmin(axis=1))
    np.testing.assert_allclose(model.decision_function(Z), -means)
    assert len(set(model.predict(Z))) == 3


def test_iris_in_a_pipeline_as_the_paper_prepares_its_data():
    """Every second flower to learn from, the others to test: well above a third, what guessing would give."""
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), Normalizer(), LMLIRClassifier(n_steps=10, random_state=0))
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.7


def test_there_is_no_probability():
    assert not hasattr(LMLIRClassifier(), "predict_proba")


def test_too_many_neighbors_or_regions_are_lowered_with_a_warning():
    X, y = [[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]], [0, 0, 0, 1, 1, 1]
    with pytest.warns(UserWarning) as caught:
        model = LMLIRClassifier(n_regions=9, n_neighbors=5, n_steps=1, random_state=0).fit(X, y)
    assert [str(warning.message) for warning in caught] == [
        "n_regions=9 is lowered to 6, the most that these data allow",
        "n_neighbors=5 is lowered to 2, the most that these data allow",
    ]
    assert model.n_neighbors_ == 2
    assert model.radii_.shape == (6,)


def test_a_class_of_one_instance_is_an_error():
    with pytest.raises(ValueError, match="every class needs at least 2 instances, got 1 of class 'b'"):
        LMLIRClassifier().fit([[0.0], [1.0], [2.0]], ["a", "a", "b"])


def test_verbose_prints_progress_and_a_report(capsys):
    X, y = clouds()
    LMLIRClassifier(n_regions=2, n_neighbors=4, n_steps=20, tol=0.0, random_state=0, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("step 10: objective ")
    assert any(line.startswith("region 1: radius ") for line in lines)
    LMLIRClassifier(n_regions=2, n_neighbors=4, n_steps=1, random_state=0).fit(X, y)
    assert capsys.readouterr().out == ""


# ------------------------------------------------------------------------------------------------ saving, loading


@pytest.mark.parametrize("labels", [[0, 1], ["no", "yes"], [-1.0, 2.0], [False, True]])
def test_a_saved_classifier_predicts_the_same_after_loading(tmp_path, labels):
    X, y = clouds()
    model = LMLIRClassifier(n_regions=2, n_neighbors=4, n_steps=2, random_state=np.int64(5)).fit(X, np.array(labels)[y])
    model.save(tmp_path / "model.npz")
    loaded = LMLIRClassifier.load(tmp_path / "model.npz")
    Z, _ = clouds(seed=1)
    np.testing.assert_array_equal(loaded.predict(Z), model.predict(Z))
    np.testing.assert_array_equal(loaded.decision_function(Z), model.decision_function(Z))
    assert loaded.get_params() == model.get_params()
    assert loaded.n_iter_ == 2
    with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
        assert all(file[name].dtype.kind != "O" for name in file.files)


def test_string_labels_of_type_object_are_saved_as_strings(tmp_path):
    X, y = clouds()
    model = LMLIRClassifier(n_regions=0, n_neighbors=2, n_steps=1).fit(X, np.array(["a", "b"], dtype=object)[y])
    model.save(tmp_path / "model.npz")
    assert LMLIRClassifier.load(tmp_path / "model.npz").predict(X[:1]).tolist() == model.predict(X[:1]).tolist()


def test_a_classifier_that_is_not_fitted_cannot_be_saved(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        LMLIRClassifier().save(tmp_path / "model.npz")


def rewritten(fitted, path, header=(), **changes):
    """A saved file with some arrays or header entries changed; None leaves an array out."""
    fitted.save(path)
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    entries = json.loads(str(arrays["header"])) | dict(header)
    arrays |= {"header": np.array(json.dumps(entries)), **changes}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


@pytest.mark.parametrize(
    ("header", "changes", "message"),
    [
        ({}, {"radii": None}, "must hold an array 'radii' of 1 dimensions"),
        ({}, {"radii": np.array([-1.0, 1.0])}, "Definition 1 needs radius >= 0, got radius=-1.0"),
        ({}, {"radii": np.array([1.0])}, "radii needs one radius per center"),
        ({}, {"background_metric": -np.eye(3)}, "background_metric must be positive semi-definite"),
        ({}, {"background_metric": np.full((3, 3), np.nan)}, "needs finite numbers in 'background_metric'"),
        ({}, {"background_metric": np.eye(2)}, "background_metric must be a 3 x 3 matrix"),
        ({}, {"centers": np.zeros((2, 2))}, "centers must have 3 features"),
        ({}, {"codes": np.full(40, 2)}, "needs one class number per instance, below 2"),
        ({}, {"codes": np.zeros(3, dtype=int)}, "needs one class number per instance"),
        ({}, {"classes": np.array([1, 1])}, "needs two or more different classes"),
        ({"n_neighbors": 21}, {}, "needs n_neighbors from 1 to the size of the smallest class, got 21"),
        ({"n_neighbors": "4"}, {}, "needs n_neighbors from 1 to the size"),
        ({"features": ["a"]}, {}, "needs one name per feature, got 1 for 3"),
        ({"settings": {"depth": 3}}, {}, "has settings that this version does not know"),
        ({"version": 2}, {}, "has version 2 of the file format, this is 1"),
        ({"format": "other"}, {}, "its header is not that of one"),
    ],
)
def test_a_file_that_does_not_hold_together_is_refused(fitted, tmp_path, header, changes, message):
    path = tmp_path / "model.npz"
    rewritten(fitted, path, header, **changes)
    with pytest.raises(ValueError, match=message) as caught:
        LMLIRClassifier.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"not a file", b"PK\x03\x04 broken", b"\x93NUMPY\x01\x00"])
def test_a_file_of_another_kind_is_refused_in_one_sentence(tmp_path, content):
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a saved LMLIRClassifier"):
        LMLIRClassifier.load(path)


def test_an_array_file_and_a_pickle_are_refused(tmp_path):
    np.save(tmp_path / "array.npy", np.zeros(3))
    np.savez(tmp_path / "pickle.npz", header=np.array([{"format": "lmlir classifier"}], dtype=object))
    for name in ("array.npy", "pickle.npz"):
        with pytest.raises(ValueError, match="is not a saved LMLIRClassifier"):
            LMLIRClassifier.load(tmp_path / name)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        LMLIRClassifier.load(tmp_path / "nothing.npz")
