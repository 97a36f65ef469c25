"""Two engines that take the same steps: `lmlir.learning.engines`."""

import numpy as np
import pytest
from clouds import assert_same, clouds

from lmlir import descent
from lmlir.learning import learn
from lmlir.learning.engines import ENGINES, Block, parameter_arrays
from lmlir.scalars import Parameters

SEED_WITHOUT_KINK = 7


@pytest.mark.parametrize("rule", ["backtracking", "fixed"])
@pytest.mark.parametrize("options", [{}, {"learn_regions": False}, {"learn_metrics": False}, {"n_regions": 0}])
def test_reference_and_twin_take_the_same_steps(rule, options):
    """Section 5.2. Pairs, initial values and every step; differences of rounding grow a little in four steps.

    The clusters have no 6 or 11 members: the radii would begin on a kink (80th percentile), where slopes may differ.
    """
    X, y = clouds(SEED_WITHOUT_KINK, n=12)
    arguments = {"n_regions": 2, "n_neighbors": 2, "n_steps": 4, "rule": rule, "learning_rate": 0.1, **options}
    slow, fast = (learn(X, y, **arguments, engine=engine) for engine in ("reference", "vectorized"))
    assert_same(slow.initial, fast.initial, rtol=1e-12)
    np.testing.assert_array_equal(slow.similar, fast.similar)
    np.testing.assert_array_equal(slow.dissimilar, fast.dissimilar)
    assert len(slow.trace.objective) == 5
    np.testing.assert_allclose(slow.trace.objective, fast.trace.objective, rtol=1e-9)
    assert_same(slow.parameters, fast.parameters, rtol=1e-7)


def test_several_classes_pair_an_instance_with_any_other_class():
    X, y = clouds(6, n=30, classes=3)
    learned = learn(X, y, n_regions=2, n_neighbors=3, n_steps=3)
    assert (y[learned.similar[:, 0]] == y[learned.similar[:, 1]]).all()
    assert (y[learned.dissimilar[:, 0]] != y[learned.dissimilar[:, 1]]).all()
    assert {(int(y[i]), int(y[j])) for i, j in learned.dissimilar} >= {(0, 1), (1, 2)}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("block", [Block("metrics"), Block("centers", 1), Block("radii", 0), Block("radii", 1)])
def test_a_block_moves_as_in_the_step_of_the_reference_and_nothing_else_moves(engine, block):
    """Section 5.2, choices C2 and C3. One radius and two metrics would leave what is allowed and are projected."""
    rng = np.random.default_rng(2)
    Theta = Parameters(rng.normal(size=(2, 3)), np.array([0.4, 2.0]), np.array([np.eye(3)] * 2), 2 * np.eye(3))
    roots = rng.normal(size=(3, 3, 3))
    slope = Parameters(rng.normal(size=(2, 3)), np.array([1.0, -1.0]), *np.split(roots + roots.transpose(0, 2, 1), [2]))
    slope = slope._replace(background_metric=slope.background_metric[0])
    lists = (Parameters(*(part.tolist() for part in which)) for which in (Theta, slope))
    step = parameter_arrays(descent.descended(*lists, 0.5))
    assert step.radii[0] == 0 and np.linalg.eigvalsh(slope.local_metrics).max() > 2
    expected = parameter_arrays(Theta)._asdict()
    if block.name == "metrics":
        expected |= {"local_metrics": step.local_metrics, "background_metric": step.background_metric}
    else:
        expected[block.name][block.s] = getattr(step, block.name)[block.s]
    before = parameter_arrays(Theta)
    problem = ENGINES[engine](np.zeros((1, 3)), [], [], alpha=0.1, C=0.5)
    assert_same(problem.moved(Theta, slope, block, 0.5), Parameters(**expected), rtol=1e-14)
    assert_same(Theta, before, rtol=0)
