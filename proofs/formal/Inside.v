(** Where D(., z) is Lipschitz after all: for a z strictly inside every ball (approximate gamma_b).

    depth                 r - |z - o| > 0, how far inside z lies *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From LMLIR Require Import Geometry Continuity Exact.
Import ListNotations.
Open Scope R_scope.

Section Inside.
Variables (F : nat) (z o : vector) (r : R).
Let depth := r - norm F (sub z o).
Hypothesis D : 0 < depth.

Lemma radius_positive : 0 < r.
Proof. unfold depth in D; assert (0 <= norm F (sub z o)) by apply sqrt_pos; lra. Qed.

(** From inside, the ball takes the beginning of the segment. *)
Lemma beginning x : 0 < norm F (sub x z) -> 0 <= gamma F z x o r <= 1 /\
  forall t, 0 <= t <= 1 -> (norm F (sub (point_on_line z x t) o) <= r <-> t <= gamma F z x o r).
Proof.
  intro P; split; [apply gamma_range|]; pose proof radius_positive.
  assert (Z : norm F (sub (point_on_line z x 0) o) <= r).
  { replace (point_on_line z x 0) with z by (extensionality i; unfold point_on_line; ring); unfold depth in D; lra. }
  destruct (gamma_is_the_length_inside F z x o r) as [(p & q & Hp & Hpq & Hq & E & I) | [_ N]]; [lra | exact P | |].
  - apply I in Z; [|lra]; assert (p = 0) by lra; subst p; rewrite E; intros t T; rewrite I by exact T; split; lra.
  - exfalso; apply (N 0); [lra | exact Z].
Qed.

Lemma one_side x y e : norm F (sub x y) <= e -> 0 < norm F (sub x z) -> 0 < norm F (sub y z) ->
  (gamma F z x o r - gamma F z y o r) * norm F (sub x z) <= (2 * r / depth - 1) * e.
Proof.
  intros He Px Py; pose proof radius_positive as Pr.
  destruct (beginning x Px) as [Q I]; destruct (beginning y Py) as [Q' J].
  set (q := gamma F z x o r) in *; set (q' := gamma F z y o r) in *.
  assert (Pe : 0 <= e) by (eapply Rle_trans; [apply sqrt_pos | exact He]).
  assert (Pn : 0 <= norm F (sub z o)) by apply sqrt_pos.
  set (th := depth / (depth + q * e)); assert (Pd : 0 < depth + q * e) by nra.
  assert (T : th * (depth + q * e) = depth) by (unfold th; field; lra).
  assert (Tr : 0 < th <= 1).
  { split; [apply Rmult_lt_0_compat; [exact D | apply Rinv_0_lt_compat, Pd]|].
    apply Rmult_le_reg_r with (depth + q * e); [exact Pd|]; rewrite T; nra. }
  assert (S : th * q <= q').
  { apply J; [split; nra|].
    assert (H : norm F (sub (point_on_line z x q) o) <= r) by (apply I; lra).
    replace (sub (point_on_line z y (th * q)) o) with
      (fun i => (fun j => th * sub (point_on_line z x q) o j + (1 - th) * sub z o j) i + (th * q) * sub y x i)
      by (extensionality i; unfold sub, point_on_line; ring).
    pose proof (seminorm_sum (dot F) (dot_semi_inner F) (fun j => th * sub (point_on_line z x q) o j + (1 - th) * sub z o j)
      (sub y x) (th * q)) as N1.
    pose proof (seminorm_sum (dot F) (dot_semi_inner F) (fun j => th * sub (point_on_line z x q) o j) (sub z o) (1 - th)) as N2.
    pose proof (seminorm_scale (dot F) (dot_semi_inner F) (sub (point_on_line z x q) o) th) as N3.
    cbv zeta beta in N1, N2, N3 |- *; rewrite N3, !Rabs_pos_eq in N2 by lra; rewrite Rabs_pos_eq in N1 by nra.
    pose proof (norm_swap F y x) as N4; unfold depth in *; unfold norm in *.
    set (a := sqrt (dot F (sub (point_on_line z x q) o) (sub (point_on_line z x q) o))) in *.
    set (c := sqrt (dot F (sub z o) (sub z o))) in *; rewrite N4 in N1.
    eapply Rle_trans; [exact N1|].
    assert (th * a <= th * r) by (apply Rmult_le_compat_l; lra).
    assert (th * q * sqrt (dot F (sub x y) (sub x y)) <= th * q * e) by (apply Rmult_le_compat_l; [nra | exact He]).
    lra. }
  assert (W : q * norm F (sub x z) <= 2 * r - depth).
  { assert (H : norm F (sub (point_on_line z x q) o) <= r) by (apply I; lra).
    pose proof (triangle (dot F) (dot_semi_inner F) (sub (point_on_line z x q) o) (sub o z)) as N1.
    replace (fun i => sub (point_on_line z x q) o i + sub o z i) with (fun i => q * sub x z i) in N1
      by (extensionality i; unfold sub, point_on_line; ring).
    rewrite (seminorm_scale (dot F) (dot_semi_inner F)), Rabs_pos_eq in N1 by lra.
    pose proof (norm_swap F o z) as N2; unfold depth, norm in *; lra. }
  assert (G : (q - q') * depth <= q * (q * e)).
  { apply Rle_trans with ((q - th * q) * depth); [apply Rmult_le_compat_r; lra|].
    replace ((q - th * q) * depth) with (q * (depth - th * depth)) by ring.
    replace (depth - th * depth) with (th * (q * e)) by lra.
    apply Rmult_le_compat_l; [lra|]; assert (0 <= q * e) by (apply Rmult_le_pos; lra); nra. }
  apply Rmult_le_reg_r with depth; [exact D|].
  replace ((2 * r / depth - 1) * e * depth) with ((2 * r - depth) * e) by (field; lra).
  replace ((q - q') * norm F (sub x z) * depth) with ((q - q') * depth * norm F (sub x z)) by ring.
  apply Rle_trans with (q * (q * e) * norm F (sub x z)); [apply Rmult_le_compat_r; [lra | exact G]|].
  replace (q * (q * e) * norm F (sub x z)) with (q * norm F (sub x z) * (q * e)) by ring.
  assert (q * e <= e) by nra; assert (0 <= q * norm F (sub x z)) by (apply Rmult_le_pos; lra).
  apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra.
Qed.

(** Theorem A: seen from inside a ball gamma moves at most linearly. *)
Theorem gamma_moves_from_inside x y e : norm F (sub x y) <= e -> norm F (sub x z) <= norm F (sub y z) ->
  norm F (sub x z) * Rabs (gamma F z x o r - gamma F z y o r) <= (2 * r / depth - 1) * e.
Proof.
  intros He L; pose proof radius_positive as Pr.
  assert (Pe : 0 <= e) by (eapply Rle_trans; [apply sqrt_pos | exact He]).
  assert (Pk : 0 <= (2 * r / depth - 1) * e).
  { apply Rmult_le_pos; [|exact Pe]; assert (0 <= norm F (sub z o)) by apply sqrt_pos.
    assert (2 <= 2 * r / depth); [|lra].
    apply Rmult_le_reg_r with depth; [exact D|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; unfold depth; lra. }
  destruct (Rle_lt_or_eq_dec 0 (norm F (sub x z))) as [P | E]; [apply sqrt_pos | | rewrite <- E; lra].
  pose proof (one_side x y e He P ltac:(lra)) as S1.
  assert (He' : norm F (sub y x) <= e) by (rewrite norm_swap; exact He).
  pose proof (one_side y x e He' ltac:(lra) P) as S2.
  unfold Rabs; destruct Rcase_abs; nra.
Qed.
End Inside.

(** Lemma 1: where a slope exists after all (E6): D(., z) is Lipschitz when z lies strictly inside every ball. *)
Theorem lipschitz_from_inside F B As s_B s z : positive_semidefinite F B -> scale F B s_B ->
  (forall A, In A As -> admissible F s A) -> (forall A, In A As -> norm F (sub z (center A)) < radius A) ->
  exists L, forall x y, Rabs (distance F B As x z - distance F B As y z) <= L * norm F (sub x y).
Proof.
  intros PB SB PA Z.
  set (c := fun A => 2 * radius A / (radius A - norm F (sub z (center A))) - 1).
  set (Lambda := Rmax s_B (overlapping_scale F s As)).
  exists (Lambda + sum_over (fun A => Rmax (s A) s_B * c A) As); intros x y.
  assert (PB' : 0 <= s_B) by apply SB.
  assert (PA' : forall A, In A As -> 0 <= s A) by (intros A I; apply (PA A I)).
  assert (K : forall A, In A As -> 0 <= Rmax (s A) s_B) by (intros A I; pose proof (Rmax_r (s A) s_B); lra).
  assert (C : forall A, In A As -> 0 <= c A).
  { intros A I; specialize (Z A I); assert (0 <= norm F (sub z (center A))) by apply sqrt_pos; unfold c.
    assert (2 <= 2 * radius A / (radius A - norm F (sub z (center A)))); [|lra].
    apply Rmult_le_reg_r with (radius A - norm F (sub z (center A))); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  rewrite Rmult_plus_distr_r, (Rmult_comm (sum_over (fun A => Rmax (s A) s_B * c A) As)), <- sum_scale.
  rewrite (sum_ext (fun A => norm F (sub x y) * (Rmax (s A) s_B * c A)) (fun A => Rmax (s A) s_B * (c A * norm F (sub x y))))
    by (intros; ring).
  apply (modulus_for_any_background F B As s_B s PB SB PA (background_share F As) z
    (fun e => sum_over (fun A => Rmax (s A) s_B * (c A * e)) As)); try assumption; try lra.
  - intros; apply background_share_symmetric; assumption.
  - intros; apply Rmax_r.
  - pose proof (Rmax_l s_B (overlapping_scale F s As)); unfold Lambda; lra.
  - intros; apply approximate_weighted_scale; try assumption; [intros A I; apply (PA A I)|].
    apply overlapping_scale_covers; assumption.
  - intros; apply bound_is_nonneg; [assumption | intros; apply Rmult_le_pos; auto].
  - intros x' y' e' He' [_ L]; apply (moving_approximate_shares F B As (fun A => Rmax (s A) s_B) (fun A => c A * e'));
      try assumption.
    + intros A I; apply gamma_moves_from_inside; try assumption; specialize (Z A I); lra.
    + intros A k I Hk _; destruct (larger_scale F B A (s A) s_B) as (K1 & K2); [apply (PA A I) | exact SB|].
      apply exchange_constant; assumption.
Qed.

