"""The data that lie beside a module: `errata.toml` beside `errata.py`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any


def toml_beside(module: str) -> dict[str, Any]:
    """Return the content of the TOML file that is named like a module's file."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def json_beside(module: str) -> Any:
    """Return the content of the JSON file that is named like a module's file."""
    return json.loads(Path(module).with_suffix(".json").read_text(encoding="utf-8"))
