r"""A hinge without its kink: $[t]_+$ replaced by a quadratic over a width e, in any number type.

$$h_e(t) = 0 \ (t \le 0), \qquad \tfrac{t^2}{2e} \ (0 \le t \le e), \qquad t - \tfrac e2 \ (t \ge e)$$

It is convex, has a continuous slope, and lies at most e/2 below the hinge: $[t]_+ - \frac e2 \le h_e(t) \le [t]_+$. The
objective has two averages of hinges, so that smoothed it obeys $g - e \le g_e \le g$ everywhere. What is within
$\varepsilon$ of the least value of $g_e$ is therefore within $\varepsilon + e$ of the least value of g (`proofs.learning`).
"""

from __future__ import annotations

from lmlir.scalars import Scalar


def smoothed_hinge(t: Scalar, width: Scalar) -> Scalar:
    """Choice C19: the smoothed hinge; the hinge itself for width 0.

    >>> [smoothed_hinge(t, 1.0) for t in (-1.0, 0.5, 2.0)], smoothed_hinge(2.0, 0.0)
    ([0, 0.125, 1.5], 2.0)
    """
    if t <= 0:
        return 0
    return t * t / (2 * width) if t < width else t - width / 2


def hinge_slope(t: Scalar, width: Scalar) -> Scalar:
    """Choice C19: the slope of the smoothed hinge, from 0 to 1; of the hinge itself for width 0, and 0 on its kink (C14).

    >>> [hinge_slope(t, 1.0) for t in (-1.0, 0.5, 2.0)], hinge_slope(0.0, 0.0)
    ([0, 0.5, 1], 0)
    """
    if t <= 0:
        return 0
    return t / width if t < width else 1
