"""What the tests of the engine share: subjects started from a text, which are ended with the
test.
"""

import pytest

from lmlir.oracle import subjects


@pytest.fixture
def start(tmp_path):
    """Start a Python subject with the given text; at the end, see that its process is gone."""
    started = []

    def begin(text, name="mine.py", timeout=20.0):
        (tmp_path / name).write_text(text)
        subject = subjects.start(str(tmp_path / name), timeout)
        started.append((subject, subject.run.process))
        return subject

    yield begin
    for subject, process in started:
        subject.close()
        assert process.returncode is not None
