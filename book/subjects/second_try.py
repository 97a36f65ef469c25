import numpy as np


def distances(X_i, X_j, centers, radii, local_metrics, background_metric):
    (P, F), S = np.shape(X_i), len(radii)
    X_i = array(X_i, P, F)
    X_j = array(X_j, P, F)
    centers = array(centers, S, F)
    radii = array(radii, S)
    local_metrics = array(local_metrics, S, F, F)
    background_metric = array(background_metric, F, F)
    d = X_j - X_i
    total = np.zeros(P)
    gamma_b = np.ones(P)
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
    a = v @ v
    b = 2 * v @ (x - o)
    c = (x - o) @ (x - o) - r * r
    Delta = b * b - 4 * a * c
    if Delta <= 0:
        return 0.0
    ends = np.array([-b - np.sqrt(Delta), -b + np.sqrt(Delta)]) / (2 * a)
    return np.diff(np.clip(ends, 0, 1))[0]
