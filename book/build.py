"""Build the book strictly: `python -m book.build`.

Every warning is an error, every reference must resolve, every cell of every page is run. The pages
go to book/_build/html.
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
    """Run the pages without the reader's own settings of IPython and Matplotlib, and let their
    kernels log only errors.
    """
    before = {name: os.environ.get(name) for name in ("IPYTHONDIR", "MPLCONFIGDIR")}
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile_default"
        profile.mkdir()
        (profile / "ipython_kernel_config.py").write_text(
            "get_config().IPKernelApp.log_level = 40\n"
        )
        os.environ.update(dict.fromkeys(before, folder))
        # It lists the fonts once; a stale list of the reader's would print warnings.
        import matplotlib.font_manager  # noqa: F401

        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value


def build(output: Path, quiet: bool = True, solutions: bool = True, progress: bool = False) -> int:
    """Build all pages into `output`, with or without the solutions of the exercises.

    Return 0 if nothing went wrong.
    """
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    from jupyter_book.sphinx import build_sphinx

    if (output / "objects.inv").exists():  # remove an earlier build
        shutil.rmtree(output)
    with quiet_kernels():
        problem = build_sphinx(
            str(BOOK),
            str(output),
            path_config=str(BOOK / "_config.yml"),
            confoverrides={
                "nitpicky": True,
                "latex_individualpages": False,
                "hide_solutions": not solutions,
                "progress": progress,
            },
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
    parser.add_argument(
        "--output", type=Path, default=BOOK / "_build" / "html", help="where the pages go"
    )
    parser.add_argument(
        "--no-solutions", action="store_true", help="leave the solutions of the exercises out"
    )
    parser.add_argument("--verbose", action="store_true", help="show Sphinx's progress")
    arguments = parser.parse_args()
    start = time.perf_counter()
    status = build(
        arguments.output,
        not arguments.verbose,
        not arguments.no_solutions,
        progress=sys.stdout.isatty(),
    )
    if status:
        print("the book was not built: see the warnings above", file=sys.stderr)
    else:
        print(
            f"built in {time.perf_counter() - start:.0f} s; open "
            f"{(arguments.output / 'index.html').resolve().as_uri()}"
        )
    return status


if __name__ == "__main__":
    sys.exit(main())
