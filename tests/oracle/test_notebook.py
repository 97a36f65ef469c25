"""`%%lmlir` in a notebook, run by nbclient."""

import re

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytestmark = pytest.mark.slow  # the notebook takes twenty seconds

LAW = "distances_match_equation_9"
IMPORTS = "import os\nfrom lmlir import vectorized\nscale = 1.001"
GOOD = """%%lmlir --only distances_match_equation_9
def distances(*given):
    return vectorized.distances(*given)
"""
BAD = GOOD.replace("vectorized.distances(*given)", "1.001 * vectorized.distances(*given)")
LOOP = """%%lmlir --timeout 1 --only distances_match_equation_9
def distances(*given):
    while True:
        pass
"""
RAISING = """%%lmlir --only distances_match_equation_9
def distances(*given):
    return scale * vectorized.distances(*given)
"""
LOOP_ON_LOADING = "%%lmlir --timeout 1\nwhile True:\n    pass\n"
AFTERWARDS = "print(distances([[0.0]], [[2.0]], [], [], [], [[1.0]]))\nprint('alive')"


@pytest.fixture(scope="module")
def cells():
    """The cells of a notebook after it was run."""
    sources = ["%load_ext lmlir", IMPORTS, BAD, GOOD, LOOP, RAISING, LOOP_ON_LOADING]
    sources += ["%%lmlir --only no_such_law\nx = 1", "%%lmlir --kind style\nx = 1", AFTERWARDS]
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, sources)))
    nbclient.NotebookClient(notebook, timeout=180, allow_errors=True).execute()
    return dict(zip(sources, notebook.cells, strict=True))


def shown(cell):
    """All text that the outputs of a cell have."""
    texts = []
    for output in cell.outputs:
        texts += [output.get("text", ""), "".join(output.get("traceback", ()))]
        texts += map(str, output.get("data", {}).values())
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(texts))


def test_a_wrong_cell_gets_the_page_with_a_drawing(cells):
    text = shown(cells[BAD])
    assert "mathematics violates" in text
    assert "&lt;svg" in text
    assert LAW in text


def test_a_right_cell_conforms_and_defines_its_functions(cells):
    """What it imports comes from an earlier cell."""
    assert "mathematics conforms" in shown(cells[GOOD])


@pytest.mark.parametrize("cell", [LOOP, LOOP_ON_LOADING])
def test_an_endless_loop_ends_and_leaves_the_notebook_alive(cells, cell):
    assert "cannot be judged" in shown(cells[cell])
    assert "alive" in shown(cells[AFTERWARDS])


def test_a_name_of_another_cell_is_reported_with_its_line(cells):
    """Variables of other cells do not exist for the judge; the line is that of the cell."""
    text = shown(cells[RAISING])
    assert "NameError" in text
    assert "cell.py:3" in text


def test_wrong_options_are_one_sentence(cells):
    for source, cell in cells.items():
        if "no_such_law" in source or "style" in source:
            assert "Traceback" not in shown(cell)
            assert re.search("no_such_law|style", shown(cell))
