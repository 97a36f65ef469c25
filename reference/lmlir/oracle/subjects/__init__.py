"""Who is judged: anyone's implementation, loaded or started, asked, and its answers read with care.

- `base`: the interface through which laws ask a subject
- `sources`: a subject from a module, a file, a program, or functions
- `local`: a subject made of functions in this process
- `process`: a subject in another process, which is started, asked, timed out, restarted and ended
- `worker`: the loop in the child process of a Python module
- `loading`: imports the module of a subject, in either process
- `messages`: what travels between the two, one JSON object per line, for Python modules followed by
  the numbers of arrays
- `answers`: reads an answer, whatever object it is
- `failures`: a subject that cannot be judged, gives no answer, or violates a law
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """Import a function of `sources` when it is first used: the child process imports this package
    and needs none.
    """
    if name not in ("from_functions", "from_module", "load", "start", "start_program"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lmlir.oracle.subjects import sources

    return getattr(sources, name)
