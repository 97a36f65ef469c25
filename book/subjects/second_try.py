import numpy as np


def distances(X_i, X_j, centers, radii, local_metrics, background_metric):
    (P, F), S = np.shape(X_i), len(radii)
    X_i, X_j, centers, radii = (
        array(X_i, P, F),
        array(X_j, P, F),
        array(centers, S, F),
        array(radii, S),
    )
    local_metrics, background_metric = array(local_metrics, S, F, F), array(background_metric, F, F)
    d = X_j - X_i
    total, gamma_b = np.zeros(P), np.ones(P)
    for o, r, M in zip(centers, radii, local_metrics, strict=True):
        gamma = np.array([share_in_ball(x, v, o, r) for x, v in zip(X_i, d, strict=True)])
        total = total + gamma * length(d, M)
        gamma_b = gamma_b - gamma
    return total + np.maximum(gamma_b, 0) * length(d, background_metric)


def array(value, *shape):
    value = np.asarray(value, dtype=float)
    if value.shape != shape or not np.isfinite(value).all():
        raise ValueError(f"finite numbers in shape {shape} are needed, got {value.tolist()}")
    return value


def length(d, M):
    return np.sqrt(np.maximum(np.einsum("pf,fg,pg->p", d, M, d), 0))


def share_in_ball(x, v, o, r):
    a, b, c = v @ v, 2 * v @ (x - o), (x - o) @ (x - o) - r * r
    Delta = b * b - 4 * a * c
    if Delta <= 0:
        return 0.0
    ends = np.array([-b - np.sqrt(Delta), -b + np.sqrt(Delta)]) / (2 * a)
    return np.diff(np.clip(ends, 0, 1))[0]
