"""The paper's rule (choice C1): `lmlir.learning.fixed_rate`."""

import numpy as np
import pytest
from clouds import assert_same, clouds

from lmlir import descent
from lmlir.learning import learn
from lmlir.learning.engines import ENGINES, parameter_arrays, parameter_lists
from lmlir.learning.fixed_rate import Descent, Position
from lmlir.scalars import Parameters


@pytest.mark.parametrize("printed", [(), ("E2",), ("E3",), ("E4",)])
def test_the_fixed_rule_repeats_the_step_of_the_reference(printed):
    """Choice C1.

    Against repeated calls of `descent_step`, with the true formulas and with the printed ones.
    """
    X, y = clouds(5, n=12)
    learned = learn(
        X,
        y,
        n_regions=2,
        n_neighbors=2,
        rule="fixed",
        learning_rate=0.2,
        n_steps=4,
        printed=printed,
    )
    Theta = parameter_lists(learned.initial)
    for _ in range(4):
        pairs = learned.similar.tolist(), learned.dissimilar.tolist()
        Theta = descent.descent_step(X.tolist(), *pairs, *Theta, 0.1, 0.5, 0.2, printed)
    assert_same(learned.parameters, parameter_arrays(Theta))


def test_every_metric_shrinks_when_trained_as_printed():
    """Erratum E2.

    With a plus before the dissimilar pairs all pairs pull the metrics down; g is then 1 + C.
    """
    learned = learn(
        *clouds(1, n=40), n_regions=2, n_neighbors=5, rule="fixed", n_steps=60, printed=("E2",)
    )
    assert (
        max(
            np.abs(M).max()
            for M in (*learned.parameters.local_metrics, learned.parameters.background_metric)
        )
        < 0.2
    )
    assert learned.trace[-1] > 1.4


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "free", [["metrics"], ["centers"], ["radii"], ["centers", "radii", "metrics"], []]
)
def test_free_parameters_move_as_in_the_step_of_the_reference_and_the_others_do_not(engine, free):
    """Section 5.2, choices C2 and C3.

    One radius and two metrics would leave their domains and are projected.
    """
    rng = np.random.default_rng(2)
    Theta = Parameters(
        rng.normal(size=(2, 3)), np.array([0.4, 2.0]), np.array([np.eye(3)] * 2), 2 * np.eye(3)
    )
    roots = rng.normal(size=(3, 3, 3))
    slope = Parameters(
        rng.normal(size=(2, 3)),
        np.array([1.0, -1.0]),
        *np.split(roots + roots.transpose(0, 2, 1), [2]),
    )
    slope = slope._replace(background_metric=slope.background_metric[0])
    step = parameter_arrays(descent.descended(parameter_lists(Theta), parameter_lists(slope), 0.5))
    assert step.radii[0] == 0
    assert np.linalg.eigvalsh(slope.local_metrics).max() > 2
    names = [
        name for name in Parameters._fields if ("metrics" if "metric" in name else name) in free
    ]
    expected = Theta._replace(**{name: getattr(step, name) for name in names})
    before = parameter_arrays(Theta)
    problem = ENGINES[engine](np.zeros((1, 3)), [], [], alpha=0.1, C=0.5)
    position = Position(Theta, 0.0, slope)
    found = Descent(problem, free, position, max_steps=1).stepped(position, 0.5)
    assert_same(found, expected, rtol=1e-14)
    assert_same(Theta, before, rtol=0)
