"""The rivals of Table 5: name, description, class and fixed parameters, grid, and cost.

Grids are the paper's (section 6); the paper tunes nothing for NCA, MCML, SCML and R2LML. The number
of neighbors with which a column of Table 5 comes out is the default of the class. Nothing here
imports scikit-learn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any


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
    grid: tuple[float, ...] = ()
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


TENTHS = (0.1, 0.3, 0.5, 0.7, 0.9)
GAMMAS = (0.25, 0.5, 1.0, 2.0, 4.0)
RIDGES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)

RIVALS: dict[str, Rival] = {
    rival.name: rival
    for rival in [
        Rival("gmml", "geometric mean, random pairs", "gmml.GMML", "GMML", {}, "t", TENTHS, 5, 0.3),
        Rival("rvml", "virtual points, kernel", "rvml.RVML", "RVML", {}, "ridge", RIDGES, 5, 1.5),
        Rival("nca", "scikit-learn's NCA", "nca.NCA", "NCA", cost=0.6),
        Rival(
            "lmnn",
            "large margin nearest neighbor",
            "lmnn.LMNN",
            "LMNN",
            {},
            "push_weight",
            TENTHS,
            3,
            4,
        ),
        Rival("itml", "information-theoretic", "itml.ITML", "", {}, "gamma", GAMMAS, 3, 1.2),
        Rival(
            "itml-inverted",
            "ITML, A inverted",
            "itml.ITML",
            "ITML",
            {"inverted": True},
            "gamma",
            GAMMAS,
            3,
            1.2,
        ),
        Rival(
            "mcml-rotation",
            "MCML, lengths dropped",
            "mcml.MCML",
            "MCML",
            {"rotation": True, "max_iterations": 10},
        ),
        Rival("mcml", "collapsing classes", "mcml.MCML", cost=0.7),
        Rival("scml", "sparse compositional, local", "scml.SCML", "SCML", cost=4),
        Rival("r2lml", "reduced rank, five metrics", "r2lml.R2LML", "R2LML", cost=3),
        Rival(
            "r2lml-full-step",
            "R2LML, full step",
            "r2lml.R2LML",
            "",
            {"membership_step": 1.0},
            cost=3,
        ),
    ]
}
