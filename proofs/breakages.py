"""Proofs that can fail: small changes to the shipped functions, and the proofs that have to reject
them.

A breakage rewrites a piece of a function's source (a sign, a factor, a row), puts the changed
function everywhere the old one is looked up, and runs a proof. The proof must not go through. A
piece that no longer occurs in the source is an error.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from lmlir.terminal import write_json
from proofs.steps import Rejected, all_proofs


class Breakage(NamedTuple):
    """In `function` (module.name of the reference) the text `old` becomes `new`; `proof` must
    reject it.
    """

    proof: str
    function: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.function}: {self.old}  →  {self.new}".replace("\n", " ")


# By module and proof (without prove_): function, what it says, what the broken one says.
BREAKAGES: dict[str, list[tuple[str, str, str]]] = {
    "regions.the_code_computes_an_inner_product": [
        ("scalars.dot", "u_f * v_f", "u_f * u_f"),
        ("scalars.quadratic_form", "dot(row, d)", "dot(row, row)"),
        ("scalars.difference", "u_f - v_f", "v_f - u_f"),
    ],
    "regions.balls_and_background_share_out_the_space": [
        ("regions.is_in_ball", "<= radius * radius", "< radius * radius"),
        ("regions.is_in_background", "not any(", "any("),
        ("distance.euclidean_distance", "square_root(dot(d, d))", "dot(d, d)"),
    ],
    "regions.every_metric_measures_a_seminorm": [
        ("regions.mahalanobis_length", "return square_root(square)\n", "return square\n"),
        ("regions.local_length", "mahalanobis_length(", "2 * mahalanobis_length("),
        ("regions.background_length", "mahalanobis_length(", "2 * mahalanobis_length("),
    ],
    "intersection.the_printed_roots_solve_the_quadratic": [
        ("intersection.quadratic_b", "return 2 * dot", "return dot"),
        ("intersection.quadratic_c", "- radius * radius", "+ radius * radius"),
        ("intersection.discriminant", "4 * a * c", "2 * a * c"),
        ("intersection.stable_discriminant", "4 * a * square", "2 * a * square"),
        (
            "intersection.line_coefficients",
            "lambda_m - half_chord, lambda_m + half_chord",
            "lambda_m + half_chord, lambda_m - half_chord",
        ),
        ("intersection.printed_line_coefficients", "(-b - root)", "(b - root)"),
        ("intersection.offset_from_center", "from_f + lambda_m", "from_f - lambda_m"),
        ("intersection.sphere_equation", "- radius * radius", "+ radius * radius"),
    ],
    "intersection.the_rows_of_table_2_are_exhaustive_and_exclude_each_other": [
        ("intersection.segment_case", "Delta < 0", "Delta <= 0"),
        ("intersection.segment_case", "4 if lambda_v <= 1 else 5", "4 if lambda_v < 1 else 5"),
        ("intersection.segment_case", "6 if lambda_v <= 1 else 7", "7 if lambda_v <= 1 else 6"),
        ("intersection.segment_case", "if lambda_u < 0", "if lambda_u <= 0"),
    ],
    "intersection.clipping_gives_the_printed_coefficients": [
        ("intersection.ball_around_start", "return 0, lambda_v", "return 0, lambda_u"),
        ("intersection.ball_around_end", "return lambda_u, 1", "return lambda_v, 1"),
        (
            "intersection.ball_within_segment",
            "return lambda_u, lambda_v",
            "return lambda_v, lambda_u",
        ),
        ("intersection.ball_beyond_end", "return 1, 1", "return 0, 1"),
        ("intersection.clipped", "min(max(lambda_, 0), 1)", "min(max(lambda_, 0), 2)"),
    ],
    "intersection.the_segment_is_inside_exactly_between_p_and_q": [
        ("intersection.intersection", "lambda_v < 0 or", "lambda_v <= 0 or"),
        ("intersection.line_coefficients", "square_root(", "2 * square_root("),
    ],
    "intersection.the_conventions_agree_with_the_limit": [
        ("intersection.line_touches", "return 0, 0", "return 0, 1"),
        ("intersection.stable_discriminant", "return a\n", "return a + 1\n"),
    ],
    "intersection.swapping_the_end_points_mirrors_the_roots": [
        ("intersection.middle_coefficient", "-quadratic_b", "quadratic_b"),
        ("intersection.ball_around_end", "return lambda_u, 1", "return 0, 1"),
    ],
    "intersection.the_ratio_is_invariant_under_motions_and_scale_free": [
        (
            "intersection.line_coefficients",
            "return lambda_m",
            "return dot(center, center) + lambda_m",
        ),
        (
            "intersection.line_coefficients",
            "lambda_m + half_chord",
            "lambda_m + radius * half_chord",
        ),
    ],
    "intersection.the_ratio_grows_with_the_radius": [
        ("intersection.line_coefficients", "/ quadratic_a", "/ 4 / quadratic_a"),
        ("intersection.squared_half_chord", "radius * radius - dot", "dot"),
    ],
    "intersection.the_ratio_when_the_center_is_on_the_line": [
        ("intersection.middle_coefficient", "(2 * a)", "(3 * a)"),
    ],
    "distance.the_length_of_an_intersection": [
        ("distance.intersection_length", "local_length(p, q", "local_length(x_i, q"),
        (
            "distance.intersection_length_by_ratio",
            "return gamma",
            "return 2 * gamma",
        ),
        ("intersection.ball_within_segment", "return lambda_u, lambda_v", "return 0, lambda_v"),
    ],
    "distance.the_distance_without_overlap": [
        ("distance.distance_without_overlap", "1 - sum(gamma)", "1 + sum(gamma)"),
        ("distance.balls_are_disjoint", "<= (radii", "< (radii"),
        (
            "distance.background_intersection_length",
            "background_metric) - covered",
            "background_metric) + covered",
        ),
        (
            "distance.segment_length",
            "total = total + intersection_length",
            "total = total - intersection_length",
        ),
    ],
    "distance.a_metric_of_the_segment_exists_and_is_not_unique": [
        ("distance.segment_metric", "length * length", "2 * length"),
    ],
    "distance.the_union_of_intervals": [
        ("distance.merged_intervals", "max(last_end, end)", "end"),
        ("distance.merged_intervals", "start <= merged", "start < merged"),
        ("distance.background_intervals", "reached = end", "reached = start"),
    ],
    "distance.exact_and_approximate_background": [
        ("distance.approximate_background_ratio", "sum(gamma)", "max(gamma)"),
        ("distance.approximate_background_ratio", "max(1 - sum(gamma), 0)", "1 - sum(gamma)"),
        ("distance.exact_background_ratio", "(end - start)", "(start - end)"),
    ],
    "distance.what_overlap_does_to_equal_metrics": [
        ("distance.distance", "if exact:", "if not exact:"),
        ("distance.weighted_lengths", "total + gamma_s", "total - gamma_s"),
    ],
    "distance.symmetry_and_definiteness": [
        ("intersection.ball_around_start", "return 0, lambda_v", "return 0, 1"),
        ("distance.approximate_background_ratio", "sum(gamma)", "2 * sum(gamma)"),
    ],
    "distance.the_triangle_inequality_fails": [
        ("distance.weighted_lengths", "gamma_b * background", "background"),
    ],
    "distance.when_the_triangle_inequality_is_safe": [
        (
            "distance.distance",
            "= exact_background_ratio(x_i, x_j, centers, radii)",
            "= approximate_background_ratio(gamma)",
        ),
        ("intersection.ball_around_end", "return lambda_u, 1", "return 0, 1"),
    ],
    "classifier.one_nearest_neighbor_is_a_sign": [
        ("classifier.nearest_neighbor_value", "to_minus - to_plus", "to_minus + to_plus"),
        ("classifier.predict", "1 if f > 0 else -1", "-1 if f > 0 else 1"),
        ("classifier.predict", "return tie", "return 1"),
    ],
    "classifier.the_classifier_is_odd_in_the_classes": [
        ("classifier.decision_value", "/ K - sum_k_min", "/ K + sum_k_min"),
        ("classifier.decision_value", "sum_k_min(to_minus, K) / K", "sum_k_min(to_minus, K)"),
        ("classifier.sum_k_min", "sorted(values)", "list(values)"),
    ],
    "classifier.distances_must_form_a_multiset": [
        ("classifier.printed_sum_k_min", "list(set(values))", "list(values)"),
        ("classifier.sum_k_min", "[:K]", "[-K:]"),
    ],
    "continuity.lipschitz_constants_of_combinations": [
        ("continuity.sum_lipschitz_bound", "return L_f + L_g", "return max(L_f, L_g)"),
        ("continuity.difference_lipschitz_bound", "return L_f + L_g", "return abs(L_f - L_g)"),
        ("continuity.scaled_lipschitz_bound", "abs(a) * L_f", "a * L_f"),
        ("continuity.lipschitz_quotient", "abs(f(x) - f(y))", "(f(x) - f(y))"),
    ],
    "continuity.the_lipschitz_constant_of_the_k_smallest": [
        ("continuity.sum_k_min_lipschitz_bound", "reverse=True", "reverse=False"),
        ("continuity.printed_sum_k_min_bound", "K * max(L)", "max(L)"),
        ("classifier.sum_k_min", "sorted(values)", "list(values)"),
    ],
    "continuity.the_lipschitz_constant_of_one_metric": [
        ("continuity.spectral_scale", "max(diagonal", "min(diagonal"),
        ("scalars.frobenius_norm", "dot(row, row)", "2 * dot(row, row)"),
    ],
    "continuity.neither_distance_nor_classifier_is_lipschitz": [
        (
            "continuity.printed_distance_lipschitz_bound",
            "total = frobenius_norm",
            "total = 100 * frobenius_norm",
        ),
        ("intersection.squared_half_chord", "radius * radius", "2 * radius * radius"),
    ],
    "continuity.the_approximate_background_breaks_the_lemma_on_the_line": [
        ("distance.approximate_background_ratio", "sum(gamma)", "max(gamma)"),
    ],
    "modulus.the_longest_piece_of_a_line_in_a_shell": [
        ("continuity.shell_chord", "return 2 * square_root", "return square_root"),
        ("continuity.shell_chord", "e * (2 * radius - e)", "e * (2 * radius + e)"),
        (
            "continuity.shell_chord",
            "return 2 * math.sqrt(e) * math.sqrt(2 * radius - e)",
            "return 2 * math.sqrt(e)",
        ),
        ("continuity.shell_chord", "return 2 * radius", "return radius"),
        ("continuity.shell_piece", "return 2 * (", "return ("),
        ("continuity.shell_piece", "inner**2 - h**2", "inner**2 + h**2"),
    ],
    "modulus.how_far_two_metrics_disagree": [
        ("continuity.scale_difference", "max(differences)", "min(differences)"),
        (
            "continuity.scale_difference",
            "max(one_sided)",
            "one_sided[1]",
        ),
        (
            "continuity.scale_difference",
            "max(scales)",
            "0.9 * scales[0]",
        ),
        ("continuity.scale_difference", "math.sqrt(spectral_norm)", "2 + math.sqrt(spectral_norm)"),
        (
            "continuity.largest_excess",
            "(1 - q) * largest_eigenvalue(M - N / q)",
            "largest_eigenvalue(M - N / q)",
        ),
        ("continuity.largest_excess", "M - N / q", "M - N"),
        (
            "continuity.largest_excess",
            "math.sqrt(square) * (1 + SEARCH_PRECISION) + 2 * slack",
            "math.sqrt(square) / 2",
        ),
        (
            "continuity.spectral_scale",
            "return math.sqrt(max(largest, 0.0))",
            "return max(largest, 0.0)",
        ),
        ("continuity.largest_eigenvalue", "[-1]", "[0]"),
    ],
    "modulus.the_modulus_of_continuity": [
        (
            "continuity.overlapping_scale",
            "total = total + spectral_scale",
            "total = total * spectral_scale",
        ),
        ("continuity.overlapping_scale", "range(s + 1, len(centers))", "range(len(centers))"),
        (
            "continuity.overlap_constants",
            "max(spectral_scale(background_metric), overlapping)",
            "overlapping",
        ),
        (
            "continuity.overlap_constants",
            "max(spectral_scale(local_metric), difference)",
            "spectral_scale(local_metric)",
        ),
        (
            "continuity.overlap_constants",
            "max(spectral_scale(local_metric), difference)",
            "difference",
        ),
        (
            "continuity.spectral_scale",
            "return math.sqrt(max(largest, 0.0))",
            "return max(largest, 0.0)",
        ),
        ("continuity.scale_difference", "max(one_sided)", "2 * max(one_sided)"),
        ("distance.approximate_background_ratio", "max(1 - sum(gamma), 0)", "1 - sum(gamma)"),
    ],
    "modulus.the_modulus_for_disjoint_balls": [
        ("continuity.scale_difference", "return max(differences)", "return 1 + max(differences)"),
        ("continuity.disjoint_constants", "return max(scales)", "return sum(scales)"),
        ("continuity.disjoint_constants", "return max(scales)", "return scales[-1]"),
        ("continuity.disjoint_constants", "return max(scales)", "return max(scales[1:])"),
        (
            "continuity.spectral_scale",
            "return math.sqrt(max(largest, 0.0))",
            "return max(largest, 0.0)",
        ),
        ("continuity.scale_difference", "max(one_sided)", "2 * max(one_sided)"),
    ],
    "modulus.the_distance_is_lipschitz_from_inside_a_ball": [
        ("regions.mahalanobis_length", "return square_root(square)\n", "return square\n"),
    ],
    "modulus.the_modulus_of_the_classifier": [
        ("continuity.decision_modulus", "return 2 * summed_modulus(", "return summed_modulus("),
        (
            "continuity.decision_constants",
            "if balls_are_disjoint(centers, radii)",
            "if not centers",
        ),
    ],
    "exact_modulus.the_modulus_for_the_exact_background": [
        (
            "continuity.overlap_constants",
            "max(spectral_scale(local_metric), difference)",
            "2 * difference",
        ),
        ("continuity.shell_chord", "return 2 * math.sqrt(e)", "return math.sqrt(e)"),
        ("distance.weighted_lengths", "total + gamma_s * local_s", "total + gamma_s * background"),
        ("intersection.quadratic_c", "- radius * radius", "+ radius * radius"),
        ("intersection.squared_half_chord", "radius * radius", "2 * radius * radius"),
    ],
    "exact_modulus.no_smaller_kappa_will_do": [
        ("continuity.shell_chord", "return 2 * square_root", "return 4 * square_root"),
        (
            "distance.exact_background_ratio",
            "gamma_b + (end - start)",
            "gamma_b + 2 * (end - start)",
        ),
        ("distance.weighted_lengths", "total + gamma_s * local_s", "total + gamma_s * background"),
    ],
    "exact_modulus.the_modulus_is_sharp": [
        ("continuity.shell_chord", "return 2 * square_root", "return 4 * square_root"),
        ("continuity.shell_chord", "e * (2 * radius - e)", "radius * radius"),
        (
            "continuity.summed_modulus",
            "total + kappa_s * shell_chord",
            "total + 2 * kappa_s * shell_chord",
        ),
    ],
    "continuity.the_printed_learning_bound_is_false": [
        (
            "continuity.printed_distance_lipschitz_bound",
            "total = frobenius_norm",
            "total = 1 + frobenius_norm",
        ),
        ("continuity.printed_deviation_term", "34 * math.e", "34"),
        ("continuity._check_capacity", "c <= 34 * n", "c <= 340 * n"),
        (
            "continuity.printed_learning_bound",
            "k / n + printed_deviation_term",
            "1 + printed_deviation_term",
        ),
    ],
    "continuity.the_learning_bound_with_a_margin": [
        ("continuity.packing_bound", "1 + 2 * Lambda", "1 + Lambda"),
        ("continuity.packing_bound", "** F", "** min(F, 2)"),
        ("continuity.shell_chord", "return 2 * math.sqrt(e)", "return 0 * math.sqrt(e)"),
        ("continuity.learning_bound", "return 1.0", "return 2.0"),
        ("continuity.deviation_term", "math.log(4", "math.log2(4"),
        ("continuity.inverse_decision_modulus", "return low", "return high * 1.01"),
    ],
    "objective.the_objective_solves_the_constraints": [
        ("objective.similar_slack", "D - (1 - C)", "D - (1 + C)"),
        ("objective.dissimilar_slack", "(1 + C) - D", "(1 - C) - D"),
        ("objective.positive_part", "max(x, 0)", "abs(x)"),
        ("objective.penalty", "return alpha * total", "return total"),
        ("objective.average", "sum(values) / len(values)", "sum(values)"),
        ("objective.printed_dissimilar_slack", "1 + C", "1 - C"),
    ],
    "objective.the_problem_is_not_convex_in_the_metrics": [
        ("regions.mahalanobis_length", "return square_root(square)\n", "return square\n"),
    ],
    "objective.stacked_balls_are_cheaper": [
        ("objective.penalty", "total + frobenius_norm", "total + 2 * frobenius_norm"),
        ("distance.weighted_lengths", "total + gamma_s", "total - gamma_s"),
    ],
    "objective.neighbors_and_pairs": [
        ("objective.nearest_indices", "(squared_distance(j), j)", "(j, squared_distance(j))"),
        ("objective.same_class_neighbors", "y[j] == y[i]", "y[j] != y[i]"),
        ("objective.same_class_neighbors", "j != i and ", ""),
        ("objective.other_class_neighbors", "y[j] != y[i]", "y[j] == y[i]"),
    ],
    "gradient.table_3_row_by_row": [
        (
            "gradient.gradient_when_missing",
            "return [0] * len(center), 0",
            "return [0] * len(center), 1",
        ),
        (
            "gradient.gradient_when_constant",
            "return [0] * len(center), 0",
            "return [0] * len(center), 1",
        ),
        ("gradient.gradient_within_segment", "4 * offset_f", "-4 * offset_f"),
        ("gradient.gradient_within_segment", "4 * radius / root", "2 * radius / root"),
        ("gradient.root_gradient", "-4 * b", "4 * b"),
        ("gradient.gradient_around_start", "2 * radius / root", "4 * radius / root"),
        ("gradient.gradient_around_end", "-2 * d_f", "2 * d_f"),
        (
            "gradient.ratio_gradient",
            "GRADIENT_ROWS[row]",
            "gradient_around_start",
        ),
    ],
    "gradient.which_derivatives_jump_between_the_rows": [
        ("gradient.gradient_around_start", "(2 * d_f + g_f)", "(-2 * d_f + g_f)"),
        ("intersection.segment_case", "6 if lambda_v <= 1 else 7", "6 if lambda_v < 1 else 7"),
    ],
    "gradient.the_gradient_is_unbounded_at_a_tangency": [
        ("gradient.gradient_within_segment", "4 * radius / root", "4 * radius"),
        ("gradient.root_gradient", "8 * a * o_f", "4 * a * o_f"),
    ],
    "gradient.the_gradients_by_the_metrics": [
        ("gradient.length_gradient", "(2 * length)", "length"),
        (
            "gradient.distance_gradient_background_metric",
            "(gamma_b,",
            "(1,",
        ),
        ("gradient.distance_gradient_local_metric", "(gamma_s,", "(-gamma_s,"),
    ],
    "gradient.the_gradients_by_center_and_radius": [
        ("gradient.distance_gradient_ratio", "else local - background", "else local + background"),
        ("gradient.distance_gradient_position", "1 - sum(gamma)", "2 - sum(gamma)"),
        ("gradient.distance_gradient_position", "by_ratio * by_radius", "by_radius"),
    ],
    "gradient.the_shrinkage_term": [
        ("gradient.shrinkage", "alpha * entry / denominator", "entry / denominator"),
        ("gradient.shrinkage", "else norm\n", "else norm * norm\n"),
    ],
    "gradient.the_gradient_of_the_objective": [
        ("gradient.active_pairs", "in printed else -1", "in printed else 1"),
        ("gradient.add_share", "entry / count", "entry"),
        ("gradient.active_pairs", "- (1 - C) > 0", "- (1 - C) < 0"),
    ],
    "initialization.when_the_initial_metric_is_a_metric": [
        ("initialization.discriminative_direction", "+ abs(X[k]", "- abs(X[k]"),
        ("initialization.initial_metric", "1 + weight", "1 - weight"),
        ("initialization.clustered_parameters", "max(entry, 0)", "entry"),
    ],
    "initialization.the_initial_center_and_radius": [
        ("initialization.initial_center", "/ len(members)", "/ (len(members) + 1)"),
        ("initialization.percentile", "rest / 100", "rest / 50"),
        ("initialization.percentile", "return ordered[whole] * 1.0", "return ordered[0] * 1.0"),
    ],
    "descent.clipping_eigenvalues_is_the_nearest_metric": [
        ("descent.clipped_spectrum", "max(value, 0)", "abs(value)"),
        ("descent.clipped_spectrum", "[row[k] for row in vectors]", "vectors[k]"),
        ("descent.symmetric_part", "+ M[column][row]", "- M[column][row]"),
        (
            "descent.nearest_positive_semidefinite",
            "min(values) >= rounding",
            "max(values) >= rounding",
        ),
    ],
    "descent.a_step_goes_downhill": [
        ("descent.moved", "theta_f - beta", "theta_f + beta"),
        ("descent.nearest_radius", "max(radius, 0)", "abs(radius)"),
        ("descent.descended", "- beta * slope.radii", "+ beta * slope.radii"),
    ],
    "hull.the_hull_is_the_largest_pseudometric_below_the_distance": [
        ("hull.metric_hull", "rho[i][k] + rho[k][j]", "rho[i][k] + D[k][j]"),
        ("hull.metric_hull", "min(rho[i][j], through_k)", "max(rho[i][j], through_k)"),
        ("hull.chain_length", "total + D[i][j]", "D[i][j]"),
    ],
    "hull.lemma_1_holds_for_the_hull": [
        ("hull.largest_cost", "max(spectral_scale", "min(spectral_scale"),
        ("hull.smallest_cost", "(*local_metrics, background_metric)", "(background_metric,)"),
        ("hull.smallest_scale", "min(diagonal", "max(diagonal"),
        ("hull.hull_distances", "metric_hull(pairwise_distances(", "(pairwise_distances("),
        ("hull.hull_decision_values", "K) / K - sum_k_min", "K) / K + sum_k_min"),
        ("hull.hull_capacity", "margin / 16", "margin / 8"),
        ("distance.weighted_lengths", "gamma_b * background", "background"),
    ],
    "hull.chains_through_a_sample_do_not_inherit_the_constant": [
        ("hull.metric_hull", "rho[i][k] + rho[k][j]", "rho[i][k] + rho[i][j]"),
        ("hull.pairwise_distances", "exact=exact", "exact=True"),
        ("distance.approximate_background_ratio", "sum(gamma)", "max(gamma)"),
    ],
    "compression.the_compression_bound": [
        ("compression.binomial_tail", "range(k + 1)", "range(k)"),
        ("compression.upper_binomial_limit", "k + 1, n - k", "k, n - k + 1"),
        ("compression.compression_level", "rules * n * math", "rules * math"),
        (
            "compression.compression_bound",
            "(k, n - d, level",
            "(k, n, level",
        ),
        ("compression.larger_class_bound", "delta / 2", "delta"),
        ("compression.compressed_prediction", "min(K, len(to_minus), len(to_plus))", "1"),
        ("compression.mistakes_outside", "if i not in S", "if True"),
    ],
    "compression.a_net_makes_no_mistake_when_the_classes_are_apart": [
        ("compression.separated_net", ">= gap for j", ">= 2 * gap for j"),
        ("compression.separated_net", ">= gap for j", "> gap for j"),
        ("compression.net_size_bound", "F, g, Lambda", "F, 2 * g, Lambda"),
        ("compression.compressed_prediction", "1 if f > 0 else -1", "-1 if f > 0 else 1"),
    ],
    "extinction.a_metric_that_no_active_pair_meets_dies_on_time": [
        ("extinction.steps_to_death", "math.ceil", "math.floor"),
        ("extinction.shrunk_metric", ">= norm", "> 2 * norm"),
        ("extinction.shrunk_metric", "steps * alpha", "alpha"),
        ("extinction.meeting_pairs", " and mahalanobis_length(X[i], X[j], M) > 0", ""),
        ("extinction.share_of_metric", "if s is None else gamma[s]", "if s is None else 1"),
        ("gradient.shrinkage", "in printed else norm", "in printed else 2 * norm"),
        (
            "gradient.length_gradient",
            "return [[0] * len(d) for _ in d]",
            "return [[1] * len(d) for _ in d]",
        ),
        ("descent.moved", "theta_f - beta", "theta_f + beta"),
        ("descent.clipped_spectrum", "max(value, 0)", "abs(value)"),
    ],
    "extinction.a_ball_out_of_reach_stays_there": [
        ("extinction.is_out_of_reach", "in OUT_OF_REACH", "in (1, 2, 3)"),
        ("extinction.is_out_of_reach", "in OUT_OF_REACH", "in (1, 2, 3, 4, 8)"),
        ("extinction.is_out_of_reach", "return all(", "return any("),
        ("intersection.squared_half_chord", "radius * radius -", "1 + radius * radius -"),
    ],
    "learning.smoothing_moves_minima_by_at_most_its_width": [
        ("learning.engines.smoothed_hinge", "(2 * width)", "width"),
        ("learning.engines.smoothed_hinge", "t - width / 2", "t - width"),
        ("learning.engines.hinge_slope", "t / width if", "1 if"),
    ],
    "learning.what_a_stationary_factor_is": [
        ("learning.quasi_newton.Coordinates", "2 * G @", "G @"),
        ("learning.quasi_newton.Coordinates", "M = L @ np.swapaxes(L, 1, 2)", "M = L @ L"),
        ("gradient.shrinkage", "alpha * entry / denominator", "entry / denominator"),
    ],
    "learning.a_split_halves_the_penalty_and_changes_no_distance": [
        (
            "learning.quasi_newton.split",
            "local_metrics[strongest] /= 4",
            "local_metrics[strongest] /= 2",
        ),
        (
            "learning.quasi_newton.split",
            "int(norms.argmin())",
            "int(norms.argmax())",
        ),
        ("distance.weighted_lengths", "total + gamma_s", "total - gamma_s"),
        ("objective.penalty", "return alpha * total", "return alpha * total * total"),
    ],
}


def all_breakages() -> list[Breakage]:
    """Every breakage, by the full name of the proof that must reject it."""
    found = []
    for key, changes in BREAKAGES.items():
        module, name = key.split(".")
        found += [
            Breakage(f"proofs.{module}.prove_{name}", function, old, new)
            for function, old, new in changes
        ]
    return found


def broken_function(breakage: Breakage) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The shipped function and its broken twin."""
    module_name, name = breakage.function.rsplit(".", 1)
    module = import_module(f"lmlir.{module_name}")
    original = getattr(module, name)
    source = inspect.getsource(original)
    start = source.index('"""', source.index('"""') + 3)  # leave the docstring alone
    head = source[:start]
    body = source[start:]
    if breakage.old not in body:
        raise ValueError(
            f"{breakage.function} no longer says {breakage.old!r}: bring the breakage up to date"
        )
    defined: dict[str, Any] = {}
    exec(
        compile(head + body.replace(breakage.old, breakage.new), f"<broken {name}>", "exec"),
        vars(module),
        defined,
    )
    return original, defined[name]


@contextmanager
def everywhere(original: Any, replacement: Any) -> Iterator[None]:
    """Puts a replacement wherever a module of the package or of the proofs looks the original up,
    also in tables of functions.
    """
    changed: list[tuple[Any, str, Any]] = []
    for module_name, module in list(sys.modules.items()):
        if module_name.split(".")[0] not in ("lmlir", "proofs"):
            continue
        for name, value in list(vars(module).items()):
            new = value
            if value is original:
                new = replacement
            elif isinstance(value, tuple) and any(member is original for member in value):
                new = tuple(replacement if member is original else member for member in value)
            elif (
                isinstance(value, dict)
                and not name.startswith("__")
                and any(member is original for member in value.values())
            ):
                new = {
                    key: replacement if member is original else member
                    for key, member in value.items()
                }
            if new is not value:
                changed.append((module, name, value))
                setattr(module, name, new)
    try:
        yield
    finally:
        for module, name, value in changed:
            setattr(module, name, value)


def is_caught(breakage: Breakage) -> str:
    """How the proof took it: 'rejected' by a false step, 'stopped' by an error on the way, or
    'proved', which must not be.
    """
    run = dict(all_proofs())[breakage.proof]
    original, broken = broken_function(breakage)
    with everywhere(original, broken):
        try:
            run()
        except Rejected:
            return "rejected"
        except Exception:
            return "stopped"
    return "proved"


def report(names: list[str], destination: str | None = None) -> int:
    """Tries the breakages of the named proofs, prints what became of each and the count; 0 when all
    are caught.
    """
    chosen = [breakage for breakage in all_breakages() if breakage.proof in names]
    outcomes = []
    for breakage in chosen:
        outcome = is_caught(breakage)
        outcomes.append({**breakage._asdict(), "outcome": outcome})
        if destination != "-":
            print(f"{outcome:<9} {breakage.proof}\n          {breakage}")
    caught = sum(outcome["outcome"] != "proved" for outcome in outcomes)
    content = {"tried": len(outcomes), "caught": caught, "breakages": outcomes}
    write_json(content, destination)
    if destination != "-":
        print(f"{caught} of {len(outcomes)} breakages caught")
    return 0 if caught == len(outcomes) else 1
