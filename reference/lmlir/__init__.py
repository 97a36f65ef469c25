"""Learning Local Metrics and Influential Regions, the reference implementation."""

from typing import Any

__version__ = "1.1.0"


def __getattr__(name: str) -> Any:
    """Import `lmlir.check` when it is first used, because the oracle takes a while to
    import.
    """
    if name != "check":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lmlir.oracle.api import check

    return check


def load_ipython_extension(shell: Any) -> None:
    """Add the cell magic `%%lmlir` to a notebook, for `%load_ext lmlir`."""
    from lmlir.oracle.notebook import load

    load(shell)
