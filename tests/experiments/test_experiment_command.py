"""`lmlir experiment`: what cannot be done is said in one sentence. Tests of `lmlir.commands.experiment`."""

import os

import pytest

pytest.importorskip("joblib", reason="the experiment needs joblib")
pytest.importorskip("tqdm", reason="the experiment needs tqdm")

from lmlir.commands import main
from lmlir.experiments import data, runner


def test_a_full_disk_is_one_sentence(capsys):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    words = ["experiment", "--only", "monk1", "--methods", "majority", "--splits", "1", "--out", "/dev/full"]
    assert main(words) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert "/dev/full cannot be written: No space left on device; the 0 results in it are safe" in last


@pytest.mark.parametrize(
    "words, sentence",
    [
        (["--out", "nowhere/out.jsonl"], "nowhere/out.jsonl cannot be written: the folder nowhere does not exist"),
        (["--out", "."], "cannot be written: Is a directory"),
        (["--out", "out.jsonl", "--data", "nowhere"], "the data folder nowhere does not exist"),
        (
            ["--out", "out.jsonl", "--scheduler", "tcp://127.0.0.1:9"],
            "there is no Dask scheduler at 'tcp://127.0.0.1:9'",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence(words, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runner, "SCHEDULER_PATIENCE", "0.5s")
    assert main(["experiment", "--only", "monk1", "--methods", "majority", "--splits", "1", *words]) == 2
    error = capsys.readouterr().err.strip()
    assert sentence in error and len(error.splitlines()) == 1 and "Traceback" not in error


def test_an_unreadable_data_file_is_one_sentence(tmp_path, monkeypatch, capsys):
    """Denied by the system; the tests may run as a user to whom nothing is denied, so the denial is made up."""
    (tmp_path / "monk1.csv").write_text("1,1,1,1,3,1,1\n")

    def denied(self, *_, **__):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(data.Path, "read_text", denied)
    words = ["--only", "monk1", "--methods", "majority", "--out", str(tmp_path / "out.jsonl"), "--data", str(tmp_path)]
    assert main(["experiment", *words]) == 2
    error = capsys.readouterr().err.strip()
    assert "monk1.csv cannot be read: Permission denied" in error and len(error.splitlines()) == 1
