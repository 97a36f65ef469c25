"""The package's own compiled engine as a subject: what `LMLIRClassifier(engine="compiled")` learns
by.

    lmlir check examples/subject_compiled.py

It offers the three functions of section 5; the other six are NumPy's, which
`lmlir check lmlir.vectorized` judges.
"""

from lmlir.scalars import Parameters
from lmlir.vectorized import PairProblem, descended


def objective(X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C):
    """Section 5.2: g."""
    Theta = Parameters(centers, radii, local_metrics, background_metric)
    return PairProblem(X, similar, dissimilar, alpha, C, compiled=True).objective(Theta)


def objective_gradient(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C
):
    """Section 5.2: the gradient of g."""
    Theta = Parameters(centers, radii, local_metrics, background_metric)
    return PairProblem(X, similar, dissimilar, alpha, C, compiled=True).gradient(Theta)


def descent_step(
    X, similar, dissimilar, centers, radii, local_metrics, background_metric, alpha, C, beta
):
    """Section 5.2: one step of gradient descent, projected."""
    Theta = Parameters(centers, radii, local_metrics, background_metric)
    return descended(
        Theta, PairProblem(X, similar, dissimilar, alpha, C, compiled=True).gradient(Theta), beta
    )
