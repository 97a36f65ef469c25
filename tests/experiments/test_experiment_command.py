"""`lmlir experiment`: every reason why it cannot run is one sentence."""

import os
import re

import pytest

pytest.importorskip("joblib", reason="the experiment needs joblib")
pytest.importorskip("tqdm", reason="the experiment needs tqdm")

from lmlir.commands import main
from lmlir.experiments import data, runner

LITTLE = ["experiment", "--only", "monk1", "--methods", "majority", "--splits", "1"]


def test_a_full_disk_is_one_sentence(capsys):
    if not os.path.exists("/dev/full"):
        pytest.skip("/dev/full does not exist on this system")
    assert main([*LITTLE, "--out", "/dev/full"]) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert (
        "/dev/full cannot be written: No space left on device; the results in the file are safe"
        in last
    )


@pytest.mark.parametrize(
    "words, sentence",
    [
        (
            ["--out", "nowhere/out.jsonl"],
            "nowhere/out.jsonl cannot be written: No such file or directory",
        ),
        (["--out", "."], "cannot be written: Is a directory"),
        (["--out", "out.jsonl", "--data", "nowhere"], "the data folder nowhere does not exist"),
        (["--out", "out.jsonl", "--scheduler", "tcp://127.0.0.1:9"], "tcp://127.0.0.1:9"),
    ],
)
def test_a_run_that_cannot_start_is_one_sentence(words, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runner, "CONNECT_SECONDS", 0.5)
    assert main([*LITTLE, *words]) == 2
    error = capsys.readouterr().err.strip()
    assert sentence in error
    assert len(error.splitlines()) == 1
    assert "Traceback" not in error


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["--seed", "-1"], "from 0 to 4294967295, got '-1'"),
        (["--seed", "4294967296"], "from 0 to 4294967295, got '4294967296'"),
        (["--seed", "x"], "from 0"),
        (["--splits", "0"], "from 1"),
        (["--jobs", "0"], "from 1"),
    ],
)
def test_a_number_out_of_bounds_is_refused_before_any_task_is_run(
    words, sentence, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main([*LITTLE, *words])
    assert ended.value.code == 2
    assert re.search(f"{words[0]}: must be a whole number {sentence}", capsys.readouterr().err)
    assert not list(tmp_path.iterdir())


def test_an_unreadable_data_file_is_one_sentence(tmp_path, monkeypatch, capsys):
    """The error is simulated, because the tests may run as a user who can read every file."""
    (tmp_path / "monk1.csv").write_text("1,1,1,1,3,1,1\n")

    def denied(self, *_, **__):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(data.Path, "read_text", denied)
    assert main([*LITTLE, "--out", str(tmp_path / "out.jsonl"), "--data", str(tmp_path)]) == 2
    error = capsys.readouterr().err.strip()
    assert "monk1.csv cannot be read: Permission denied" in error
    assert len(error.splitlines()) == 1
