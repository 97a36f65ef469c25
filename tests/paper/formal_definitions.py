"""The definitions of `proofs/formal`, transcribed from Coq by hand, on 50-digit numbers.

Each docstring quotes Coq's own text, which must stand in `proofs/formal/statements.txt`. Coq's root
of a negative number and its quotient by 0 are 0.
"""

import inspect
import itertools
from functools import partial
from typing import Any, NamedTuple

import mpmath


class Region(NamedTuple):
    """Record region : Set := Region { center : vector; radius : R; metric : matrix }."""

    center: list[Any]
    radius: Any
    metric: list[Any]


def root(x: Any) -> Any:
    """Coq's sqrt."""
    return mpmath.sqrt(x) if x > 0 else mpmath.mpf(0)


def over(x: Any, y: Any) -> Any:
    """Coq's x / y."""
    return x / y if y != 0 else mpmath.mpf(0)


def sub(u: Any, v: Any) -> Any:
    """sub = fun (u v : vector) (i : nat) => u i - v i"""
    return [u_i - v_i for u_i, v_i in zip(u, v, strict=True)]


def point_on_line(x_i: Any, x_j: Any, t: Any) -> Any:
    """fun (x_i x_j : vector) (t : R) (i : nat) => x_i i + t * (x_j i - x_i i)"""
    return [a + t * (b - a) for a, b in zip(x_i, x_j, strict=True)]


def dot(u: Any, v: Any) -> Any:
    """dot = fun (F : nat) (u v : vector) => total F (fun i : nat => u i * v i)"""
    return sum((u_i * v_i for u_i, v_i in zip(u, v, strict=True)), mpmath.mpf(0))


def form(M: Any, u: Any, v: Any) -> Any:
    """total F (fun i : nat => u i * total F (fun j : nat => M i j * v j))"""
    return dot(u, [dot(row, v) for row in M])


def norm(u: Any) -> Any:
    """norm = fun (F : nat) (u : vector) => sqrt (dot F u u)"""
    return root(dot(u, u))


def mahalanobis(M: Any, u: Any) -> Any:
    """mahalanobis = fun (F : nat) (M : matrix) (u : vector) => sqrt (form F M u u)"""
    return root(form(M, u, u))


def quadratic_a(x_i: Any, x_j: Any) -> Any:
    """quadratic_a = fun (F : nat) (x_i x_j : vector) => dot F (sub x_j x_i) (sub x_j x_i)"""
    d = sub(x_j, x_i)
    return dot(d, d)


def quadratic_b(x_i: Any, x_j: Any, o: Any) -> Any:
    """fun (F : nat) (x_i x_j o : vector) => 2 * dot F (sub x_j x_i) (sub x_i o)"""
    return 2 * dot(sub(x_j, x_i), sub(x_i, o))


def quadratic_c(x_i: Any, o: Any, r: Any) -> Any:
    """fun (F : nat) (x_i o : vector) (r : R) => dot F (sub x_i o) (sub x_i o) - r * r"""
    v = sub(x_i, o)
    return dot(v, v) - r * r


def discriminant(x_i: Any, x_j: Any, o: Any, r: Any) -> Any:
    """quadratic_b F x_i x_j o * quadratic_b F x_i x_j o - 4 * quadratic_a F x_i x_j * quadratic_c F
    x_i o r
    """
    a = quadratic_a(x_i, x_j)
    b = quadratic_b(x_i, x_j, o)
    c = quadratic_c(x_i, o, r)
    return b**2 - 4 * a * c


def lambda_u(x_i: Any, x_j: Any, o: Any, r: Any) -> Any:
    """(- quadratic_b F x_i x_j o - sqrt (discriminant F x_i x_j o r)) / (2 * quadratic_a F x_i
    x_j)
    """
    a = quadratic_a(x_i, x_j)
    b = quadratic_b(x_i, x_j, o)
    Delta = discriminant(x_i, x_j, o, r)
    return over(-b - root(Delta), 2 * a)


def lambda_v(x_i: Any, x_j: Any, o: Any, r: Any) -> Any:
    """(- quadratic_b F x_i x_j o + sqrt (discriminant F x_i x_j o r)) / (2 * quadratic_a F x_i
    x_j)
    """
    a = quadratic_a(x_i, x_j)
    b = quadratic_b(x_i, x_j, o)
    Delta = discriminant(x_i, x_j, o, r)
    return over(-b + root(Delta), 2 * a)


def gamma(x_i: Any, x_j: Any, o: Any, r: Any) -> Any:
    """Rmax 0 (Rmin 1 (lambda_v F x_i x_j o r) - Rmax 0 (lambda_u F x_i x_j o r))"""
    u = lambda_u(x_i, x_j, o, r)
    v = lambda_v(x_i, x_j, o, r)
    return max(0, min(1, v) - max(0, u))


def shell_chord(r: Any, e: Any) -> Any:
    """shell_chord = fun r e : R => 2 * sqrt (r * r - Rmax (r - e) 0 * Rmax (r - e) 0)"""
    inner = max(r - e, 0)
    return 2 * root(r * r - inner * inner)


def share(x_i: Any, x_j: Any, A: Any) -> Any:
    """fun (F : nat) (x_i x_j : vector) (A : region) => gamma F x_i x_j (center A) (radius A)"""
    return gamma(x_i, x_j, A.center, A.radius)


def background_share(As: Any, x_i: Any, x_j: Any) -> Any:
    """fun (F : nat) (As : list region) (x_i x_j : vector) => Rmax (1 - sum_over (share F x_i x_j)
    As) 0
    """
    return max(1 - sum(share(x_i, x_j, A) for A in As), 0)


def uncovered(x_i: Any, x_j: Any, As: Any, t: Any) -> Any:
    """List.fold_right (fun (A : region) (rest : R) => (1 - inside F x_i x_j A t) * rest) 1 As"""
    x = point_on_line(x_i, x_j, t)
    for A in As:
        if norm(sub(x, A.center)) <= A.radius:
            return 0
    return 1


def exact_background_share(As: Any, x_i: Any, x_j: Any) -> Any:
    """fun (F : nat) (As : list region) (x_i x_j : vector) => integral (uncovered F x_i x_j As)

    The integrand is constant between the roots of the quadratics, so one value between each two is
    enough.
    """
    cuts = {0, 1}
    for A in As:
        for end in (lambda_u, lambda_v):
            t = end(x_i, x_j, A.center, A.radius)
            if 0 < t < 1:
                cuts.add(t)
    total = 0
    for a, b in itertools.pairwise(sorted(cuts)):
        total += (b - a) * uncovered(x_i, x_j, As, (a + b) / 2)
    return total


def distance_with(
    B: Any,
    As: Any,
    g_b: Any,
    x_i: Any,
    x_j: Any,
) -> Any:
    """weighted_lengths As g_b (share F x_i x_j) (mahalanobis F B (sub x_i x_j))
    (fun A : region => mahalanobis F (metric A) (sub x_i x_j))"""
    d = sub(x_i, x_j)
    total = g_b * mahalanobis(B, d)
    for A in As:
        total += share(x_i, x_j, A) * mahalanobis(A.metric, d)
    return total


def distance(B: Any, As: Any, x_i: Any, x_j: Any) -> Any:
    """distance_with F B As (background_share F As x_i x_j) x_i x_j"""
    return distance_with(B, As, background_share(As, x_i, x_j), x_i, x_j)


def exact_distance(B: Any, As: Any, x_i: Any, x_j: Any) -> Any:
    """distance_with F B As (exact_background_share F As x_i x_j) x_i x_j"""
    return distance_with(B, As, exact_background_share(As, x_i, x_j), x_i, x_j)


def meeting_scale(s_A: Any, s: Any, As: Any, A: Any) -> Any:
    """s A + sum_over (fun C : region => if Rle_dec (norm F (sub (center A) (center C))) (radius A +
    radius C) then s C else 0) As
    """
    total = s_A
    for s_C, C in zip(s, As, strict=True):
        if norm(sub(A.center, C.center)) <= A.radius + C.radius:
            total += s_C
    return total


def overlapping_scale(s: Any, As: Any) -> Any:
    """(A :: later)%list => Rmax (meeting_scale F s later A) (overlapping_scale F s later)"""
    if not As:
        return 0
    A, *later = As
    s_A, *s_later = s
    meeting = meeting_scale(s_A, s_later, later, A)
    return max(meeting, overlapping_scale(s_later, later))


def sum_k_min(values: Any, K: Any) -> Any:
    """sum_k_min = fun (l : list R) (K : nat) => sum (List.firstn K (sort l))"""
    return sum(sorted(values)[:K])


def decision_value(
    D: Any,
    X_minus: Any,
    X_plus: Any,
    K: Any,
    x: Any,
) -> Any:
    """sum_k_min (List.map (D x) X_minus) K / INR K - sum_k_min (List.map (D x) X_plus) K / INR K"""
    to_minus = [D(x, z) for z in X_minus]
    to_plus = [D(x, z) for z in X_plus]
    return sum_k_min(to_minus, K) / K - sum_k_min(to_plus, K) / K


def frobenius(M: Any) -> Any:
    """sqrt (total F (fun i : nat => total F (fun j : nat => M i j * M i j)))"""
    return root(sum(entry * entry for row in M for entry in row))


def hinge(x: Any) -> Any:
    """hinge = fun x : R => Rmax x 0"""
    return max(x, 0)


def average(values: Any) -> Any:
    """average = fun l : list R => sum l / INR (length l)"""
    return over(sum(values), len(values))


def objective(
    alpha: Any,
    C: Any,
    similar: Any,
    dissimilar: Any,
    B: Any,
    As: Any,
) -> Any:
    """average (List.map (fun p : pair => hinge (pair_distance F B As p - (1 - C))) similar) +
    average (List.map (fun p : pair => hinge (1 + C - pair_distance F B As p)) dissimilar) +
    alpha * (frobenius F B + sum_over (fun A : region => frobenius F (metric A)) As)"""
    near = average([hinge(distance(B, As, *p) - (1 - C)) for p in similar])
    far = average([hinge(1 + C - distance(B, As, *p)) for p in dissimilar])
    norms = frobenius(B) + sum(frobenius(A.metric) for A in As)
    return near + far + alpha * norms


def length_gradient(M: Any, d: Any, i: Any, j: Any) -> Any:
    """fun (F : nat) (M : matrix) (d : vector) (i j : nat) => d i * d j / (2 * mahalanobis F M d)"""
    return over(d[i] * d[j], 2 * mahalanobis(M, d))


def metric_gradient(
    alpha: Any, C: Any, similar: Any, dissimilar: Any, D: Any, w: Any, M: Any
) -> Any:
    """average (List.map (fun p : pair => is_above (D p) (1 - C) * (w p * length_gradient F M
    (direction p) i j)) similar) - average (List.map (fun p : pair => is_above (1 + C) (D p) * (w p
    * length_gradient F M (direction p) i j)) dissimilar) + alpha * (/ frobenius F M * M i j)
    """
    near = [(D(*p) > 1 - C) * w(*p) for p in similar]
    far = [(D(*p) < 1 + C) * w(*p) for p in dissimilar]
    size = frobenius(M)

    def mean_slope(weights: Any, pairs: Any, i: Any, j: Any) -> Any:
        slopes = []
        for weight, p in zip(weights, pairs, strict=True):
            slopes.append(weight * length_gradient(M, sub(*p), i, j))
        return average(slopes)

    gradient = mpmath.zeros(len(M)).tolist()
    for i, row in enumerate(M):
        for j, entry in enumerate(row):
            pull = mean_slope(near, similar, i, j)
            push = mean_slope(far, dissimilar, i, j)
            gradient[i][j] = pull - push + alpha * over(entry, size)
    return gradient


def local_gradient(
    alpha: Any, C: Any, similar: Any, dissimilar: Any, B: Any, As: Any, A: Any
) -> Any:
    """metric_gradient F alpha C similar dissimilar (pair_distance F B As)
    (fun p : pair => share F (fst p) (snd p) A) (metric A)"""
    D = partial(distance, B, As)

    def w(x: Any, y: Any) -> Any:
        return share(x, y, A)

    return metric_gradient(alpha, C, similar, dissimilar, D, w, A.metric)


def background_gradient(
    alpha: Any,
    C: Any,
    similar: Any,
    dissimilar: Any,
    B: Any,
    As: Any,
) -> Any:
    """metric_gradient F alpha C similar dissimilar (pair_distance F B As)
    (fun p : pair => background_share F As (fst p) (snd p)) B"""
    D = partial(distance, B, As)
    w = partial(background_share, As)
    return metric_gradient(alpha, C, similar, dissimilar, D, w, B)


TRANSCRIBED = []
for name, value in list(globals().items()):
    if inspect.isfunction(value) and name not in ("NamedTuple", "root", "over"):
        TRANSCRIBED.append(value)
