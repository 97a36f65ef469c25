"""Exercise: the share of each segment that no ball covers (Definition 5).

This attempt ignores overlap: repair it.
"""

from lmlir.intersection import segment_coefficients


def exact_background_ratios(X_i, X_j, centers, radii):
    """One number per pair: the share of the segment that lies in no ball."""
    shares = []
    for x_i, x_j in zip(X_i, X_j, strict=True):
        balls = zip(centers, radii, strict=True)
        stretches = [segment_coefficients(x_i, x_j, o, r) for o, r in balls]
        covered = sum(end - start for start, end in stretches)
        shares.append(max(1 - covered, 0))
    return shares
