"""The rivals of Table 5: name, description, class and fixed parameters, grid, and cost.

Grids are the paper's (section 6); the paper tunes nothing for NCA, MCML, SCML and R2LML. The number
of neighbors with which a column of Table 5 comes out is the default of the class. Nothing here
imports scikit-learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from lmlir.beside import toml_beside


@dataclass(frozen=True)
class Rival:
    """A rival: `place` is "file.Class" in this package; `parameter` is tuned over `grid` in `folds`
    folds.
    """

    name: str
    words: str
    place: str
    column: str = ""  # of Table 5
    fixed: dict[str, Any] = field(default_factory=dict)
    parameter: str = ""
    grid: Sequence[float] = ()
    folds: int = 3
    cost: float = 1.0

    def estimator(self, seed: int, value: float | None = None) -> Any:
        """The unfitted estimator, with this seed if it takes one and this value of the tuned
        parameter.
        """
        module, name = self.place.split(".")
        kind = getattr(import_module(f"lmlir.experiments.rivals.{module}"), name)
        parameters = dict(self.fixed)
        if value is not None:
            parameters[self.parameter] = value

        model = kind(**parameters)
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        return model


_ENTRIES = toml_beside(__file__)
RIVALS = {name: Rival(name, **fields) for name, fields in _ENTRIES.items()}
