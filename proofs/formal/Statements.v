(** The headline theorems as Coq reads them, the definitions they are written in, and the axioms they rest on; compared with
    statements.txt. *)
From Coq Require Import Reals.
From LMLIR Require Import Geometry Continuity Matrices Scales Classifier Integral Exact Moduli
  Inside Refuted Hull Segments Sharpest Tangent Sharpness Propositions Extinction Spectrum Descent.
Set Printing Width 120.
Open Scope R_scope.

(** ** What the words mean *)

(* Geometry *)
Print vector.
Print matrix.
Print total.
Print sub.
Print point_on_line.
Print dot.
Print form.
Print norm.
Print mahalanobis.
Print symmetric.
Print positive_semidefinite.
Print semi_inner.
Print quadratic_a.
Print quadratic_b.
Print quadratic_c.
Print discriminant.
Print lambda_u.
Print lambda_v.
Print gamma.
Print shell_chord.
(* Continuity *)
Print region.
Print sum_over.
Print share.
Print background_share.
Print weighted_lengths.
Print distance_with.
Print distance.
Print scale.
Print admissible.
Print phi.
Print bounds_exchange.
(* Matrices *)
Print scaled_identity.
Print frobenius.
Print inner.
Print combine.
Print times.
Print equal.
Print set_last.
Print cleared.
(* Scales *)
Print act.
Print unit_vector.
Print lower_scale.
(* Classifier *)
Print insert.
Print sort.
Print sum.
Print sum_k_min.
Print sorted.
Print decision_value.
Print shattered.
(* Integral *)
Print integrable.
Print integral.
Print multiplier.
(* Exact *)
Print in_ball.
Print inside.
Print uncovered.
Print exact_background_share.
Print exact_distance.
Print cost.
Print covers_cost.
Print disjoint.
Print meet.
Print meeting_scale.
Print overlapping_scale.
(* Refuted *)
Print plane.
Print line.
Print one_ball.
Print three_balls.
Print printed_bound.
(* Hull *)
Print chain_length.
Print below_chains.
Print hull.
Print pseudometric.
Print dissimilarity.
(* Sharpest *)
Print y_is_nearer.
Print x_is_nearer.
Print coupled.
Print free.
Print price.
Print binary.
Print family.
(* Tangent *)
Print span.
Print frame.
(* Sharpness *)
Print hole.
Print row.
(* Propositions *)
Print lambda_p.
Print lambda_q.
Print lipschitz.
Print sum_k_max.
Print positive_definite.
(* Extinction *)
Print nearest_psd.
Print penalty_step.
(* Spectrum *)
Print outer.
Print weigh.
Print spectrum.
Print orthonormal.
Print eigen.
Print clipped.
Print residual.
Print shifted.
(* Descent *)
Print pair.
Print hinge.
Print average.
Print pair_distance.
Print objective.
Print direction.
Print length_gradient.
Print is_above.
Print metric_gradient.
Print local_gradient.
Print background_gradient.
Print smooth.
Print unmet.
Print descended.
Print descent_step.

(** ** What holds *)

(* Geometry *)
Check cauchy_schwarz.
Check triangle.
Check sphere_equation.
Check gamma_range.
Check gamma_is_the_length_inside.
Check gamma_symmetric.
Check chord_length.
Check shell_piece.
Check gamma_of_equal_ends.
Check gamma_grows_with_the_radius.
Check gamma_of_a_similarity.
Check gamma_moves.
(* Continuity *)
Check shell_chord_below_a_root.
(* Matrices *)
Check inner_of_psd.
(* Scales *)
Check frobenius_scale.
Check eigenvalue_below_scale.
Check least_scale.
Check largest_eigenvalue.
Check scale_difference.
(* Classifier *)
Check shattered_points_are_apart.
(* Exact *)
Check uncovered_means.
Check approximate_le_exact.
Check error_of_the_approximation.
Check exact_is_approximate.
(* Moduli *)
Check modulus_approximate.
Check modulus_disjoint.
Check modulus_exact_disjoint.
(* Inside *)
Check gamma_moves_from_inside.
Check lipschitz_from_inside.
(* Refuted *)
Check frobenius_norm_does_not_bound_the_slope.
Check distance_is_not_lipschitz.
Check classifier_is_not_lipschitz.
Check distance_falls_as_points_part.
Check lemma_1_as_printed_is_false.
Check lemma_1_with_square_roots_is_false.
(* Hull *)
Check hull_is_the_infimum.
Check hull_pseudometric.
Check hull_largest.
Check hull_of_a_pseudometric.
Check hull_lipschitz.
Check hull_lower.
Check hull_classifier.
Check lemma_1_holds_for_the_hull.
Check hull_classifier_lipschitz.
Check hull_is_definite.
Check lemma_1_with_square_roots_holds_for_the_hull.
(* Segments *)
Check exact_is_additive.
Check parts_are_nested.
(* Sharpest *)
Check modulus_exact_sharpest.
Check modulus_of_continuity.
Check classifier_modulus.
Check modulus_with_the_overlapping_scale.
Check exact_is_a_metric_on_a_line.
Check lemma_1_holds_on_a_line.
(* Sharpness *)
Check modulus_is_sharp.
Check difference_of_lengths_is_needed.
Check sum_over_the_regions_is_needed.
Check one_ball_is_never_lipschitz.
Check triangle_inequality_with_one_ball.
Check length_in_the_region_is_needed.
(* Propositions *)
Check gamma_is_q_minus_p.
Check length_of_an_intersection.
Check distance_without_overlap.
Check error_of_the_approximation_is_reached.
Check lipschitz_constants_of_sums_and_multiples.
Check sum_of_the_smallest_is_lipschitz.
Check sum_of_the_largest_constants_is_enough.
Check sum_of_the_largest_constants_is_reached.
Check distance_is_a_dissimilarity.
Check distance_is_definite.
Check distance_between_bounds.
Check triangle_inequality_fails.
Check distance_is_no_metric.
Check hull_goes_around.
(* Extinction *)
Check nearest_of_two_parts.
Check nearest_to_a_multiple.
Check frobenius_gradient.
Check one_penalty_step.
Check penalty_step_exists.
Check extinction.
Check dead_after.
Check unmet_metric_does_not_count.
(* Spectrum *)
Check clipping_is_the_nearest_metric.
Check spectral_theorem.
Check nearest_metric_exists.
(* Descent *)
Check gradient_by_a_local_metric.
Check gradient_by_the_background_metric.
Check unmet_local_gradient.
Check unmet_background_gradient.
Check objective_feels_only_the_penalty.
Check descent_step_exists.
Check regions_die.
Check background_dies.
Check stacked_balls_are_cheaper.

(** ** What it rests on *)

Definition all :=
  (@cauchy_schwarz,
   @triangle,
   @sphere_equation,
   @gamma_range,
   @gamma_is_the_length_inside,
   @gamma_symmetric,
   @chord_length,
   @shell_piece,
   @gamma_of_equal_ends,
   @gamma_grows_with_the_radius,
   @gamma_of_a_similarity,
   @gamma_moves,
   @shell_chord_below_a_root,
   @inner_of_psd,
   @frobenius_scale,
   @eigenvalue_below_scale,
   @least_scale,
   @largest_eigenvalue,
   @scale_difference,
   @shattered_points_are_apart,
   @uncovered_means,
   @approximate_le_exact,
   @error_of_the_approximation,
   @exact_is_approximate,
   @modulus_approximate,
   @modulus_disjoint,
   @modulus_exact_disjoint,
   @gamma_moves_from_inside,
   @lipschitz_from_inside,
   @frobenius_norm_does_not_bound_the_slope,
   @distance_is_not_lipschitz,
   @classifier_is_not_lipschitz,
   @distance_falls_as_points_part,
   @lemma_1_as_printed_is_false,
   @lemma_1_with_square_roots_is_false,
   @hull_is_the_infimum,
   @hull_pseudometric,
   @hull_largest,
   @hull_of_a_pseudometric,
   @hull_lipschitz,
   @hull_lower,
   @hull_classifier,
   @lemma_1_holds_for_the_hull,
   @hull_classifier_lipschitz,
   @hull_is_definite,
   @lemma_1_with_square_roots_holds_for_the_hull,
   @exact_is_additive,
   @parts_are_nested,
   @modulus_exact_sharpest,
   @modulus_of_continuity,
   @classifier_modulus,
   @modulus_with_the_overlapping_scale,
   @exact_is_a_metric_on_a_line,
   @lemma_1_holds_on_a_line,
   @modulus_is_sharp,
   @difference_of_lengths_is_needed,
   @sum_over_the_regions_is_needed,
   @one_ball_is_never_lipschitz,
   @triangle_inequality_with_one_ball,
   @length_in_the_region_is_needed,
   @gamma_is_q_minus_p,
   @length_of_an_intersection,
   @distance_without_overlap,
   @error_of_the_approximation_is_reached,
   @lipschitz_constants_of_sums_and_multiples,
   @sum_of_the_smallest_is_lipschitz,
   @sum_of_the_largest_constants_is_enough,
   @sum_of_the_largest_constants_is_reached,
   @distance_is_a_dissimilarity,
   @distance_is_definite,
   @distance_between_bounds,
   @triangle_inequality_fails,
   @distance_is_no_metric,
   @hull_goes_around,
   @nearest_of_two_parts,
   @nearest_to_a_multiple,
   @frobenius_gradient,
   @one_penalty_step,
   @penalty_step_exists,
   @extinction,
   @dead_after,
   @unmet_metric_does_not_count,
   @clipping_is_the_nearest_metric,
   @spectral_theorem,
   @nearest_metric_exists,
   @gradient_by_a_local_metric,
   @gradient_by_the_background_metric,
   @unmet_local_gradient,
   @unmet_background_gradient,
   @objective_feels_only_the_penalty,
   @descent_step_exists,
   @regions_die,
   @background_dies,
   @stacked_balls_are_cheaper).
Print Assumptions all.
