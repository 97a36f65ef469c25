(** Theorem A for the approximate gamma_b and for disjoint balls; for the exact gamma_b, how one region after the other is
    exchanged.

    z, x, y               the common end of two segments, and their other ends, at most e apart
    i, j                  indicators of the parameters at which zx, and zy, lie in one ball
    omega                 what the other regions leave free, between 0 and 1
    n, m                  the lengths of a segment under the metric of the ball, and under M(B) *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From LMLIR Require Import Geometry Continuity Integral Exact.
Import ListNotations.
Open Scope R_scope.

Opaque integral integrable.

(** ** The approximate gamma_b, and disjoint balls *)

(** Theorem A: the approximate gamma_b, with kappa_s = max(s(M(A_s)), sup |n_s - n_B|) and the Lambda of overlapping balls. *)
Theorem modulus_approximate F B As s_B s kappa Lambda x y z e :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) ->
  covers_cost F As s_B s Lambda ->
  (forall A u, In A As -> mahalanobis F (metric A) u <= kappa A * norm F u) ->
  (forall A u, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa A * norm F u) ->
  (forall A, In A As -> 0 <= kappa A) ->
  norm F (sub x y) <= e ->
  Rabs (distance F B As x z - distance F B As y z)
  <= Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intros PB SB PA L K1 K2 K0 He.
  assert (PR : forall A, In A As -> 0 <= radius A) by (intros A I; apply (PA A I)).
  assert (PB' : 0 <= s_B) by apply SB.
  apply (modulus_for_any_background F B As s_B s PB SB PA (background_share F As) z
    (fun e => sum_over (fun A => kappa A * shell_chord (radius A) e) As)); try assumption.
  - intros; apply background_share_symmetric; assumption.
  - intros; apply Rmax_r.
  - destruct L; lra.
  - intros; apply approximate_weighted_scale; assumption.
  - intros; apply bound_is_nonneg; [assumption | intros; apply shell_chord_nonneg].
  - intros x' y' e' He' [_ L']; apply (moving_approximate_shares F B As kappa (fun A => shell_chord (radius A) e'));
      try assumption;
      [intros A I; apply gamma_moves; auto|].
    intros A c I C _; apply exchange_constant; auto.
Qed.

(** Theorem A: disjoint balls, with kappa_s = sup |n_s - n_B| and Lambda the largest of all scales. *)
Theorem modulus_disjoint F B As s_B s kappa Lambda x y z e :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) -> disjoint F As ->
  s_B <= Lambda -> (forall A, In A As -> s A <= Lambda) ->
  (forall A u, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa A * norm F u) ->
  (forall A, In A As -> 0 <= kappa A) ->
  norm F (sub x y) <= e ->
  Rabs (distance F B As x z - distance F B As y z)
  <= Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intros PB SB PA D LB LA K2 K0 He.
  assert (PR : forall A, In A As -> 0 <= radius A) by (intros A I; apply (PA A I)).
  assert (PB' : 0 <= s_B) by apply SB.
  assert (L : covers_cost F As s_B s Lambda).
  { split; [exact LB | intro p]; eapply Rle_trans;
      [apply sum_le with (g := fun A => Lambda * in_ball F p (center A) (radius A)) | rewrite sum_scale; specialize (D p); nra].
    intros A I; specialize (LA A I); destruct (in_ball_cases F p (center A) (radius A)) as [E | E]; rewrite E; lra. }
  apply (modulus_for_any_background F B As s_B s PB SB PA (background_share F As) z
    (fun e => sum_over (fun A => kappa A * shell_chord (radius A) e) As)); try assumption.
  - intros; apply background_share_symmetric; assumption.
  - intros; apply Rmax_r.
  - lra.
  - intros; apply approximate_weighted_scale; assumption.
  - intros; apply bound_is_nonneg; [assumption | intros; apply shell_chord_nonneg].
  - intros x' y' e' He' [P L']; apply (moving_approximate_shares F B As kappa (fun A => shell_chord (radius A) e'));
      try assumption;
      [intros A I; apply gamma_moves; auto|].
    intros A c I C C1 u.
    rewrite C1 by (apply disjoint_shares; try assumption; lra); rewrite Rmult_1_l; apply K2, I.
Qed.

(** Theorem A: the same for the exact gamma_b, which is the approximate one there. *)
Corollary modulus_exact_disjoint F B As s_B s kappa Lambda x y z e :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) -> disjoint F As ->
  s_B <= Lambda -> (forall A, In A As -> s A <= Lambda) ->
  (forall A u, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa A * norm F u) ->
  (forall A, In A As -> 0 <= kappa A) ->
  norm F (sub x y) <= e ->
  Rabs (exact_distance F B As x z - exact_distance F B As y z)
  <= Lambda * e + sum_over (fun A => kappa A * shell_chord (radius A) e) As.
Proof.
  intros PB SB PA Dis LB LA K2 K0 He.
  assert (E : forall p, exact_distance F B As p z = distance F B As p z).
  { intro p; destruct (Rle_lt_or_eq_dec 0 (norm F (sub z p))) as [P | Z]; [apply sqrt_pos | |].
    - unfold exact_distance, distance; rewrite exact_is_approximate; [reflexivity | exact P | | exact Dis].
      intros A I; apply (PA A I).
    - assert (Z' : norm F (sub p z) = 0) by (rewrite norm_swap; lra).
      transitivity 0; [|symmetry]; apply (phi_zero F B As s_B s SB PA _ _ _ Z'). }
  rewrite !E; apply modulus_disjoint with (s_B := s_B) (s := s); assumption.
Qed.

(** ** The exact gamma_b: exchange one region after the other *)

(** The part of zx that lies in the ball while zy does not, at the same parameter. *)
Lemma lost_part F z v w o r e : 0 <= r -> norm F (sub v w) <= e -> 0 < norm F (sub v z) -> 0 < norm F (sub w z) ->
  let i := fun t => in_ball F (point_on_line z v t) o r in
  let j := fun t => in_ball F (point_on_line z w t) o r in
  integral (fun t => i t * (1 - j t)) * norm F (sub v z) <= shell_chord r e.
Proof.
  intros Pr H Pv Pw i j.
  assert (Pe : 0 <= e) by (eapply Rle_trans; [apply sqrt_pos | exact H]).
  assert (Hr : 0 <= Rmax (r - e) 0 <= r) by (unfold Rmax; destruct Rle_dec; lra).
  destruct (ball_multiplier F z v o r Pr Pv) as [Mi Ii]; fold i in Mi, Ii.
  destruct (ball_multiplier F z w o r Pr Pw) as [Mj _]; fold j in Mj.
  destruct (ball_multiplier F z v o (Rmax (r - e) 0) (proj1 Hr) Pv) as [Mk Ik].
  set (k := fun t => in_ball F (point_on_line z v t) o (Rmax (r - e) 0)) in *.
  eapply Rle_trans; [|apply (shell_piece F z v o r _ Hr)].
  apply Rmult_le_compat_r; [lra|]; rewrite <- Ii.
  assert (IL : integrable (fun t => i t * (1 - j t))) by (apply (multiplier_complement j Mj), multiplier_integrable, Mi).
  destruct (Rle_lt_dec (r - e) 0) as [N | N].
  - rewrite Rmax_right, gamma_of_a_point, Rminus_0_r by lra.
    apply integral_le; [exact IL | apply multiplier_integrable, Mi|].
    intros t _; unfold i, j; destruct (in_ball_cases F (point_on_line z v t) o r) as [E | E];
      destruct (in_ball_cases F (point_on_line z w t) o r) as [E' | E']; rewrite E, E'; lra.
  - rewrite <- Ik, <- integral_minus by (apply multiplier_integrable; assumption).
    apply integral_le; [exact IL | apply integrable_minus; apply multiplier_integrable; assumption|].
    intros t T; unfold i, j, k, in_ball; rewrite Rmax_left by lra.
    pose proof (same_parameter F z v w o t T).
    repeat destruct Rle_dec; lra.
Qed.

(** All of them, when c_s bounds the exchange of region s under any weight. *)
Lemma exchanges F x y z As (n c : region -> R) m omega : 0 < norm F (sub x z) -> 0 < norm F (sub y z) ->
  (forall A, In A As -> 0 <= radius A) ->
  (forall A w, In A As -> multiplier w -> (forall t, 0 <= w t <= 1) ->
     Rabs (integral (fun t => (inside F z x A t - inside F z y A t) * (n A - w t * m))) <= c A) ->
  multiplier omega -> (forall t, 0 <= omega t <= 1) ->
  Rabs ((integral (fun t => omega t * uncovered F z x As t) - integral (fun t => omega t * uncovered F z y As t)) * m
        + sum_over (fun A => (share F z x A - share F z y A) * n A) As) <= sum_over c As.
Proof.
  intros Px Py; revert omega; induction As as [|A As IH]; intros omega PR C Mo Co; simpl.
  - replace (_ + 0) with 0 by ring; rewrite Rabs_R0; lra.
  - assert (PR' : forall C, In C As -> 0 <= radius C) by (intros; apply PR; right; assumption).
    assert (HA : In A (A :: As)) by (left; reflexivity).
    pose proof (inside_multiplier F z x (A :: As) Px PR A HA) as Mi; pose proof (inside_multiplier F z y (A :: As) Py PR A HA)
      as Mj.
    pose proof (inside_integral F z x (A :: As) Px PR A HA) as Ii; pose proof (inside_integral F z y (A :: As) Py PR A HA)
      as Ij.
    set (i := inside F z x A) in *; set (j := inside F z y A) in *.
    set (U := uncovered F z x As) in *; set (V := uncovered F z y As) in *.
    assert (MU : multiplier U) by (apply uncovered_multiplier; assumption).
    assert (MV : multiplier V) by (apply uncovered_multiplier; assumption).
    assert (Co' : forall t, 0 <= omega t * (1 - j t) <= 1).
    { intro t; specialize (Co t); destruct (inside_cases F z y A t) as [E | E]; unfold j; rewrite E; lra. }
    assert (CoU : forall t, 0 <= omega t * U t <= 1).
    { intro t; specialize (Co t); pose proof (uncovered_range F z x As t) as R; fold (U t) in R; nra. }
    pose proof (IH (fun t => omega t * (1 - j t)) PR' (fun A w I => C A w (or_intror I))
      (multiplier_times _ _ Mo (multiplier_complement j Mj)) Co') as H1.
    pose proof (C A (fun t => omega t * U t) HA (multiplier_times _ _ Mo MU) CoU) as H2; fold i j in H2.
    assert (E : (integral (fun t => omega t * ((1 - i t) * U t)) - integral (fun t => omega t * ((1 - j t) * V t))) * m
                + ((share F z x A - share F z y A) * n A + sum_over (fun C => (share F z x C - share F z y C) * n C) As)
              = integral (fun t => (i t - j t) * (n A - omega t * U t * m))
                + ((integral (fun t => omega t * (1 - j t) * U t) - integral (fun t => omega t * (1 - j t) * V t)) * m
                   + sum_over (fun C => (share F z x C - share F z y C) * n C) As)).
    { assert (IO : integrable omega) by (apply multiplier_integrable, Mo).
      assert (IOU : integrable (fun t => omega t * U t)) by (apply MU, multiplier_integrable, Mo).
      assert (IOUi : integrable (fun t => omega t * U t * i t)) by (apply Mi, IOU).
      assert (IOUj : integrable (fun t => omega t * U t * j t)) by (apply Mj, IOU).
      assert (Iij : integrable (fun t => i t - j t)) by (apply integrable_minus; apply multiplier_integrable; assumption).
      rewrite (integral_ext (fun t => omega t * ((1 - i t) * U t)) (fun t => omega t * U t - omega t * U t * i t)) by (intros;
        ring).
      rewrite (integral_ext (fun t => omega t * (1 - j t) * U t) (fun t => omega t * U t - omega t * U t * j t)) by (intros;
        ring).
      rewrite (integral_ext (fun t => (i t - j t) * (n A - omega t * U t * m))
                 (fun t => n A * (i t - j t) - m * (omega t * U t * i t - omega t * U t * j t))) by (intros; ring).
      rewrite (integral_ext (fun t => omega t * ((1 - j t) * V t)) (fun t => omega t * (1 - j t) * V t)) by (intros; ring).
      rewrite !integral_minus, !integral_scale, !integral_minus by
        (repeat (assumption || apply integrable_scale || apply integrable_minus); apply multiplier_integrable; assumption).
      rewrite Ii, Ij; ring. }
    rewrite E; eapply Rle_trans; [apply Rabs_triang | apply Rplus_le_compat; [exact H2 | exact H1]].
Qed.


Lemma quotient_le q l tau : 0 < l -> q * l <= tau -> q <= tau / l.
Proof. intros P H; apply Rmult_le_reg_r with l; [exact P|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. Qed.

(** The first bracket of the modulus is one sum of exchanges. *)
Lemma phi_difference F B As x y z u :
  phi F B As (exact_background_share F As z x) (share F z x) u - phi F B As (exact_background_share F As z y) (share F z y) u
  = (integral (fun t => 1 * uncovered F z x As t) - integral (fun t => 1 * uncovered F z y As t)) * mahalanobis F B u
    + sum_over (fun A => (share F z x A - share F z y A) * mahalanobis F (metric A) u) As.
Proof.
  unfold phi, weighted_lengths, exact_background_share.
  rewrite !(integral_ext (fun t => 1 * uncovered F _ _ As t) (uncovered F _ _ As)) by (intros; ring).
  rewrite (sum_ext (fun A => (share F z x A - share F z y A) * mahalanobis F (metric A) u)
    (fun A => share F z x A * mahalanobis F (metric A) u + (-1) * (share F z y A * mahalanobis F (metric A) u))) by (intros;
      ring).
  rewrite sum_plus, sum_scale; ring.
Qed.
