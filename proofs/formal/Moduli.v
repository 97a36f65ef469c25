(** Theorem A with the constants of the package: for the approximate gamma_b, for disjoint balls, and for the exact gamma_b,
    where one region after the other is exchanged.

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

(** Theorem A; Theorem C: the same for the exact gamma_b, which is the approximate one there: no root of 2 is needed. *)
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

(** One exchange: the weight omega says what the other regions leave free. *)
Lemma one_exchange (i j omega : R -> R) n m P : 0 <= n -> 0 <= m ->
  multiplier i -> multiplier j -> multiplier omega ->
  (forall t, i t = 0 \/ i t = 1) -> (forall t, j t = 0 \/ j t = 1) -> (forall t, 0 <= omega t <= 1) ->
  integral (fun t => i t * (1 - j t)) <= P -> integral (fun t => j t * (1 - i t)) <= P ->
  Rabs (integral (fun t => (i t - j t) * (n - omega t * m))) <= Rmax n m * P.
Proof.
  intros Pn Pm Mi Mj Mo Ci Cj Co HP HQ.
  assert (Ip : integrable (fun t => i t * (1 - j t))) by (apply (multiplier_complement j Mj), multiplier_integrable, Mi).
  assert (Iq : integrable (fun t => j t * (1 - i t))) by (apply (multiplier_complement i Mi), multiplier_integrable, Mj).
  assert (I : integrable (fun t => (i t - j t) * (n - omega t * m))).
  { apply integrable_ext with (fun t => n * (i t - j t) - m * ((i t - j t) * omega t)); [intros; ring|].
    assert (integrable (fun t => i t - j t)) by (apply integrable_minus; apply multiplier_integrable; assumption).
    apply integrable_minus; apply integrable_scale; [assumption | apply Mo; assumption]. }
  set (d := Rmax (m - n) 0).
  assert (D : 0 <= d /\ m - n <= d /\ n + d = Rmax n m) by (unfold d, Rmax; repeat destruct Rle_dec; lra).
  destruct D as (D0 & D1 & D2).
  assert (B : forall (f g : R -> R), integrable f -> integrable g -> integral f <= P -> integral g <= P ->
              integral (fun t => n * f t + d * g t) <= Rmax n m * P).
  { intros f g If Ig Lf Lg; rewrite integral_plus, !integral_scale by (try apply integrable_scale; assumption).
    pose proof (Rmult_le_compat_l n _ _ Pn Lf); pose proof (Rmult_le_compat_l d _ _ D0 Lg); rewrite <- D2; lra. }
  assert (W : forall t, 0 <= omega t * m <= m).
  { intro t; destruct (Co t) as [W0 W1]; split; [apply Rmult_le_pos; assumption|].
    pose proof (Rmult_le_compat_r m _ _ Pm W1); lra. }
  apply Rabs_le; split.
  - apply Ropp_le_cancel; rewrite Ropp_involutive.
    replace (- integral _) with (-1 * integral (fun t => (i t - j t) * (n - omega t * m))) by ring.
    rewrite <- integral_scale by exact I.
    eapply Rle_trans; [|apply (B _ _ Iq Ip HQ HP)].
    apply integral_le; [apply integrable_scale, I | apply integrable_plus; apply integrable_scale; assumption|].
    intros t _; specialize (W t); destruct (Ci t) as [E | E]; destruct (Cj t) as [E' | E']; rewrite E, E'; lra.
  - eapply Rle_trans; [|apply (B _ _ Ip Iq HP HQ)].
    apply integral_le; [exact I | apply integrable_plus; apply integrable_scale; assumption|].
    intros t _; specialize (W t); destruct (Ci t) as [E | E]; destruct (Cj t) as [E' | E']; rewrite E, E'; lra.
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

(** Theorem A: the exact gamma_b, any number of balls, overlapping or not. *)
Theorem modulus_exact F B As s_B s Lambda x y z e :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) ->
  covers_cost F As s_B s Lambda ->
  norm F (sub x y) <= e ->
  Rabs (exact_distance F B As x z - exact_distance F B As y z)
  <= Lambda * e + sum_over (fun A => Rmax (s A) s_B * shell_chord (radius A) e) As.
Proof.
  intros PB SB PA L He.
  assert (PR : forall A, In A As -> 0 <= radius A) by (intros A I; apply (PA A I)).
  assert (PB' : 0 <= s_B) by apply SB.
  assert (K : forall A, In A As -> 0 <= Rmax (s A) s_B) by (intros A I; pose proof (Rmax_r (s A) s_B); lra).
  apply (modulus_for_any_background F B As s_B s PB SB PA (exact_background_share F As) z
    (fun e => sum_over (fun A => Rmax (s A) s_B * shell_chord (radius A) e) As)); try assumption.
  - intros; apply exact_symmetric; assumption.
  - intros; apply exact_nonneg; assumption.
  - destruct L; lra.
  - intros; apply exact_weighted_scale; assumption.
  - intros; apply bound_is_nonneg; [assumption | intros; apply shell_chord_nonneg].
  - clear x y e He; intros x y e He [P Hl]; assert (Py : 0 < norm F (sub y z)) by lra.
    rewrite phi_difference; apply exchanges; try assumption; [|apply multiplier_one | intros; lra].
    intros A w I Mw Cw; set (tau := shell_chord (radius A) e).
    replace (Rmax (s A) s_B * tau) with (Rmax (s A) s_B * norm F (sub x z) * (tau / norm F (sub x z))) by (field; lra).
    pose proof (inside_multiplier F z x As P PR A I) as Mi; pose proof (inside_multiplier F z y As Py PR A I) as Mj.
    eapply Rle_trans; [apply one_exchange with (P := tau / norm F (sub x z)); try assumption; try apply sqrt_pos;
      try (intro; apply inside_cases)|].
    + apply quotient_le, (lost_part F z x y (center A) (radius A)); auto.
    + apply quotient_le; [exact P|]; eapply Rle_trans; [apply Rmult_le_compat_l; [|exact Hl]|].
      * rewrite <- (integral_const 0); apply integral_le;
          [apply integrable_const | apply (multiplier_complement _ Mi), multiplier_integrable, Mj|].
        intros t _; destruct (inside_cases F z x A t) as [E | E]; destruct (inside_cases F z y A t) as [E' | E']; rewrite E, E';
          lra.
      * rewrite norm_swap in He; apply (lost_part F z y x (center A) (radius A)); auto.
    + apply Rmult_le_compat_r; [apply Rmult_le_pos; [apply shell_chord_nonneg | left; apply Rinv_0_lt_compat, P]|].
      destruct (larger_scale F B A (s A) s_B) as (K1 & K2 & _); [apply (PA A I) | exact SB | apply Rmax_lub;
        [apply K1 | apply K2]].
Qed.

(** Theorem A: the constants of the package's `modulus_of_continuity(exact=True)`, for both kinds of gamma_b. *)
Theorem modulus_with_the_overlapping_scale F B As s_B s x y z e :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) -> norm F (sub x y) <= e ->
  let w := Rmax s_B (overlapping_scale F s As) * e + sum_over (fun A => Rmax (s A) s_B * shell_chord (radius A) e) As in
  Rabs (distance F B As x z - distance F B As y z) <= w /\
  Rabs (exact_distance F B As x z - exact_distance F B As y z) <= w.
Proof.
  intros PB SB PA He w.
  assert (L : covers_cost F As s_B s (Rmax s_B (overlapping_scale F s As)))
    by (apply overlapping_scale_covers; intros A I; apply (PA A I)).
  assert (K : forall A, In A As -> 0 <= Rmax (s A) s_B) by (intros A I; eapply Rle_trans; [apply SB | apply Rmax_r]).
  split; [|apply modulus_exact; assumption].
  apply modulus_approximate with (s_B := s_B) (s := s); try assumption;
    intros A u I; destruct (larger_scale F B A (s A) s_B) as (K1 & _ & K2); try apply (PA A I); try exact SB;
      [apply K1 | apply K2].
Qed.
