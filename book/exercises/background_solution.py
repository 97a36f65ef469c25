"""Solution: sort the stretches and walk along, adding only the gaps between them."""

from lmlir.intersection import segment_coefficients


def exact_background_ratios(X_i, X_j, centers, radii):
    """One number per pair: the share of the segment that lies in no ball."""
    shares = []
    for x_i, x_j in zip(X_i, X_j, strict=True):
        balls = zip(centers, radii, strict=True)
        stretches = sorted(segment_coefficients(x_i, x_j, o, r) for o, r in balls)
        free = 0.0
        reached = 0.0
        for start, end in stretches:
            free += max(start - reached, 0.0)
            reached = max(reached, end)
        shares.append(free + (1.0 - reached))
    return shares
