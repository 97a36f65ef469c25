"""The data that lie beside a module: `errata.toml` beside `errata.py`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any


def toml_beside(module: str) -> dict[str, Any]:
    """Return the content of the TOML file with the name of a module, given its `__file__`."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def json_beside(module: str) -> Any:
    """Return the content of the JSON file with the name of a module, given its `__file__`."""
    return json.loads(Path(module).with_suffix(".json").read_text(encoding="utf-8"))
