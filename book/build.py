"""Build the book strictly: `python -m book.build`.

Every warning is an error, every reference must resolve, every cell of every page is run. The pages go to
book/_build/html.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BOOK = Path(__file__).resolve().parent


@contextmanager
def quiet_kernels() -> Iterator[None]:
    """Run the pages without the reader's own IPython settings, and let their kernels speak only of errors."""
    before = os.environ.get("IPYTHONDIR")
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile_default"
        profile.mkdir()
        (profile / "ipython_kernel_config.py").write_text("get_config().IPKernelApp.log_level = 40\n")
        os.environ["IPYTHONDIR"] = folder
        try:
            yield
        finally:
            os.environ.pop("IPYTHONDIR")
            if before is not None:
                os.environ["IPYTHONDIR"] = before


def build(output: Path = BOOK / "_build" / "html", quiet: bool = True, solutions: bool = True) -> int:
    """Build all pages into `output`, without the solutions of the exercises if so wished; 0 when nothing went wrong."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    from jupyter_book.sphinx import build_sphinx

    if (output / "objects.inv").exists():  # an earlier build: nothing of it shall survive
        shutil.rmtree(output)
    with quiet_kernels():
        problem = build_sphinx(
            str(BOOK),
            str(output),
            path_config=str(BOOK / "_config.yml"),
            confoverrides={"nitpicky": True, "latex_individualpages": False, "hide_solutions": not solutions},
            noconfig=True,
            freshenv=True,
            force_all=True,
            warningiserror=True,
            keep_going=True,
            quiet=quiet,
        )
    return int(bool(problem))


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Build the book strictly.")
    parser.add_argument("--output", type=Path, default=BOOK / "_build" / "html", help="where the pages go")
    parser.add_argument("--no-solutions", action="store_true", help="leave the solutions of the exercises out")
    parser.add_argument("--verbose", action="store_true", help="show Sphinx's progress")
    arguments = parser.parse_args()
    start = time.perf_counter()
    status = build(arguments.output, quiet=not arguments.verbose, solutions=not arguments.no_solutions)
    if status:
        print("the book was not built: see the warnings above", file=sys.stderr)
    else:
        print(f"built in {time.perf_counter() - start:.0f} s; open file://{arguments.output / 'index.html'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
