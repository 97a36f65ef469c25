import numpy as np


def distances(X_i, X_j, centers, radii, local_metrics, background_metric):
    d = X_j - X_i
    total = np.sqrt(np.einsum("pf,fg,pg->p", d, background_metric, d))
    for o, r, M in zip(centers, radii, local_metrics, strict=True):
        gamma = np.array([share_in_ball(x, v, o, r) for x, v in zip(X_i, d, strict=True)])
        total = total + gamma * (np.sqrt(np.einsum("pf,fg,pg->p", d, M, d)) - total)
    return total


def share_in_ball(x, v, o, r):
    a = v @ v
    b = 2 * v @ (x - o)
    c = (x - o) @ (x - o) - r * r
    Delta = b * b - 4 * a * c
    if Delta <= 0:
        return 0.0
    ends = np.array([-b - np.sqrt(Delta), -b + np.sqrt(Delta)]) / (2 * a)
    return np.diff(np.clip(ends, 0, 1))[0]
