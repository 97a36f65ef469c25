(** Section 3.2, equation (9), and the theorem that stands in place of Lemma 1, for any number of balls in any dimension.

    As, B                 the regions (center, radius, metric), a list; the background metric M(B)
    share F x_i x_j A     gamma_s
    background_share      gamma_b, approximate: max(1 - sum gamma_s, 0)
    distance_with, distance   equation (9), for a given gamma_b and for the approximate one
    scale F M s           s bounds the length under M: sqrt(u^T M u) <= s |u|; the least such s is the root of the
                          largest eigenvalue ([Scales.largest_eigenvalue]), and every bound below is least there
    s_B, s A              scales of M(B) and of the metric of A
    e                     |x - y|, or more
    Lambda, kappa, tau    the constants of the modulus Lambda e + sum_s kappa_s tau_s(e) *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From LMLIR Require Import Geometry.
Import ListNotations.
Open Scope R_scope.

Record region := Region { center : vector; radius : R; metric : matrix }.

Definition sum_over (f : region -> R) (As : list region) : R := fold_right (fun A rest => f A + rest) 0 As.

Definition share F (x_i x_j : vector) (A : region) : R := gamma F x_i x_j (center A) (radius A).

Definition background_share F As x_i x_j : R := Rmax (1 - sum_over (share F x_i x_j) As) 0.

Definition weighted_lengths As (g_b : R) (g : region -> R) (n_b : R) (n : region -> R) : R :=
  g_b * n_b + sum_over (fun A => g A * n A) As.

Definition distance_with F B As (g_b : R) x_i x_j : R :=
  weighted_lengths As g_b (share F x_i x_j)
    (mahalanobis F B (sub x_i x_j)) (fun A => mahalanobis F (metric A) (sub x_i x_j)).
Definition distance F B As x_i x_j : R := distance_with F B As (background_share F As x_i x_j) x_i x_j.

Definition scale F (M : matrix) (s : R) : Prop := 0 <= s /\ forall u, mahalanobis F M u <= s * norm F u.

Definition admissible F (s : region -> R) (A : region) : Prop :=
  0 <= radius A /\ positive_semidefinite F (metric A) /\ scale F (metric A) (s A).

(** ** Sums over regions *)

Lemma sum_le f g As : (forall A, In A As -> f A <= g A) -> sum_over f As <= sum_over g As.
Proof.
  intro H; induction As as [|A As IH]; simpl; [lra|].
  apply Rplus_le_compat; [apply H; left; reflexivity | apply IH; intros; apply H; right; assumption].
Qed.

Lemma sum_nonneg f As : (forall A, In A As -> 0 <= f A) -> 0 <= sum_over f As.
Proof.
  intro H; replace 0 with (sum_over (fun _ => 0) As) by (induction As; simpl; rewrite ?IHAs; try lra; intros; apply H; right;
    assumption).
  apply sum_le, H.
Qed.

Lemma sum_ext f g As : (forall A, In A As -> f A = g A) -> sum_over f As = sum_over g As.
Proof. intro H; apply Rle_antisym; apply sum_le; intros; right; [|symmetry]; apply H; assumption. Qed.

Lemma sum_plus f g As : sum_over (fun A => f A + g A) As = sum_over f As + sum_over g As.
Proof. induction As as [|A As IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_scale c f As : sum_over (fun A => c * f A) As = c * sum_over f As.
Proof. induction As as [|A As IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_abs f g As : (forall A, In A As -> Rabs (f A) <= g A) -> Rabs (sum_over f As) <= sum_over g As.
Proof.
  intro H; induction As as [|A As IH]; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|].
  apply Rplus_le_compat; [apply H; left; reflexivity | apply IH; intros; apply H; right; assumption].
Qed.

Lemma sum_member f As A : (forall A, In A As -> 0 <= f A) -> In A As -> f A <= sum_over f As.
Proof.
  intros H I; induction As as [|C As IH]; simpl in *; [contradiction|].
  assert (0 <= sum_over f As) by (apply sum_nonneg; intros; apply H; right; assumption).
  destruct I as [E | I]; [subst; lra|].
  assert (0 <= f C) by (apply H; left; reflexivity).
  assert (f A <= sum_over f As) by (apply IH; [intros; apply H; right |]; assumption); lra.
Qed.

(** ** Lengths *)

Lemma sub_swap u v : sub u v = (fun i => (-1) * sub v u i).
Proof. extensionality i; unfold sub; ring. Qed.

Lemma mahalanobis_swap F M u v : positive_semidefinite F M -> mahalanobis F M (sub u v) = mahalanobis F M (sub v u).
Proof. intro P; apply (seminorm_sub_swap (form F M) (form_semi_inner F M P)). Qed.

Lemma norm_swap F u v : norm F (sub u v) = norm F (sub v u).
Proof. apply (seminorm_sub_swap (dot F) (dot_semi_inner F)). Qed.

Lemma mahalanobis_moves F M x y z : positive_semidefinite F M ->
  Rabs (mahalanobis F M (sub x z) - mahalanobis F M (sub y z)) <= mahalanobis F M (sub x y).
Proof.
  intro P; replace (sub x y) with (sub (sub x z) (sub y z)) by (extensionality i; unfold sub; ring).
  apply (reverse_triangle (form F M) (form_semi_inner F M P)).
Qed.

Lemma mahalanobis_zero F M s u : scale F M s -> norm F u = 0 -> mahalanobis F M u = 0.
Proof. intros [_ S] E; specialize (S u); rewrite E in S; pose proof (sqrt_pos (form F M u u)); unfold mahalanobis in *; lra.
  Qed.

Lemma distance_symmetric F B As s_B s (beta : vector -> vector -> R) x y :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) ->
  (0 < norm F (sub x y) -> beta x y = beta y x) ->
  distance_with F B As (beta x y) x y = distance_with F B As (beta y x) y x.
Proof.
  intros PB SB PA Eb; unfold distance_with, weighted_lengths.
  destruct (Rle_lt_or_eq_dec 0 (norm F (sub x y))) as [P | E]; [apply sqrt_pos| |].
  - assert (E : share F x y = share F y x).
    { extensionality A; apply gamma_symmetric; exact P. }
    rewrite E, (Eb P), (mahalanobis_swap F B) by assumption; f_equal.
    apply sum_ext; intros A I; destruct (PA A I) as (_ & P' & _); rewrite mahalanobis_swap; auto.
  - assert (E' : norm F (sub y x) = 0) by (rewrite norm_swap; lra); symmetry in E.
    rewrite !(mahalanobis_zero F B s_B) by assumption; f_equal; [lra|].
    apply sum_ext; intros A I; destruct (PA A I) as (_ & _ & S).
    rewrite !(mahalanobis_zero F (metric A) (s A)) by assumption; lra.
Qed.

(** ** The theorem, for any gamma_b whose first bracket is bounded *)

Section Modulus.
Variables (F : nat) (B : matrix) (As : list region) (s_B : R) (s : region -> R).
Hypothesis PB : positive_semidefinite F B.
Hypothesis SB : scale F B s_B.
Hypothesis PA : forall A, In A As -> admissible F s A.

(** Phi(T; u): the shares of one segment with the direction of another. *)
Definition phi (g_b : R) (g : region -> R) (u : vector) : R :=
  weighted_lengths As g_b g (mahalanobis F B u) (fun A => mahalanobis F (metric A) u).

(** The second bracket: fixed shares, moving end point; t_B and t A bound what the lengths change by. *)
Lemma moving_lengths g_b g t_B t e u v : 0 <= g_b -> (forall A, In A As -> 0 <= g A) ->
  Rabs (mahalanobis F B u - mahalanobis F B v) <= t_B * e ->
  (forall A, In A As -> Rabs (mahalanobis F (metric A) u - mahalanobis F (metric A) v) <= t A * e) ->
  Rabs (phi g_b g u - phi g_b g v) <= weighted_lengths As g_b g t_B t * e.
Proof.
  intros Pb Pg MB MA; unfold phi, weighted_lengths.
  set (n := fun A => mahalanobis F (metric A) u) in *; set (n' := fun A => mahalanobis F (metric A) v) in *.
  replace (g_b * _ + _ - _) with
    (g_b * (mahalanobis F B u - mahalanobis F B v) + sum_over (fun A => g A * n A + (-1) * (g A * n' A)) As)
    by (rewrite sum_plus, sum_scale; unfold n, n'; ring).
  rewrite Rmult_plus_distr_r, (Rmult_comm (sum_over _ _) e), <- sum_scale.
  eapply Rle_trans; [apply Rabs_triang | apply Rplus_le_compat].
  - rewrite Rabs_mult, (Rabs_pos_eq g_b), Rmult_assoc by assumption; apply Rmult_le_compat_l; assumption.
  - apply sum_abs; intros A I; replace (g A * n A + _) with (g A * (n A - n' A)) by ring.
    rewrite Rabs_mult, Rabs_pos_eq by (apply Pg, I); replace (e * (g A * t A)) with (g A * (t A * e)) by ring.
    apply Rmult_le_compat_l; [apply Pg, I | apply MA, I].
Qed.

Lemma moving_end x y z g_b g e : norm F (sub x y) <= e -> 0 <= g_b -> (forall A, In A As -> 0 <= g A) ->
  Rabs (phi g_b g (sub x z) - phi g_b g (sub y z)) <= weighted_lengths As g_b g s_B s * e.
Proof.
  intros He Pb Pg.
  assert (M : forall M c, positive_semidefinite F M -> scale F M c ->
            Rabs (mahalanobis F M (sub x z) - mahalanobis F M (sub y z)) <= c * e).
  { intros M c P [Pc S]; eapply Rle_trans; [apply mahalanobis_moves, P|].
    eapply Rle_trans; [apply S | apply Rmult_le_compat_l; assumption]. }
  apply moving_lengths; try assumption; [apply M; assumption | intros A I; apply M; apply (PA A I)].
Qed.

Lemma phi_zero g_b g u : norm F u = 0 -> phi g_b g u = 0.
Proof.
  intro E; unfold phi, weighted_lengths; rewrite (mahalanobis_zero F B s_B) by assumption.
  rewrite (sum_ext _ (fun A => 0 * g A)), sum_scale; [ring|].
  intros A I; destruct (PA A I) as (_ & _ & S); rewrite (mahalanobis_zero F (metric A) (s A)) by assumption; ring.
Qed.

Lemma phi_swap g_b g x y : phi g_b g (sub x y) = phi g_b g (sub y x).
Proof.
  unfold phi, weighted_lengths; rewrite mahalanobis_swap by assumption; f_equal; apply sum_ext; intros A I.
  destruct (PA A I) as (_ & P & _); rewrite mahalanobis_swap by assumption; reflexivity.
Qed.

Variables (beta : vector -> vector -> R) (z : vector) (bound : R -> R) (Lambda : R).
Hypothesis beta_symmetric : forall x y, 0 < norm F (sub x y) -> beta x y = beta y x.
Hypothesis beta_nonneg : forall x y, 0 < norm F (sub y x) -> 0 <= beta x y.
Hypothesis Lambda_nonneg : 0 <= Lambda.
Hypothesis Lambda_bounds : forall x y, 0 < norm F (sub y x) -> weighted_lengths As (beta x y) (share F x y) s_B s <= Lambda.
Hypothesis bound_nonneg : forall e, 0 <= e -> 0 <= bound e.
(** The first bracket: fixed end point, moving shares. *)
Hypothesis moving_shares : forall x y e, norm F (sub x y) <= e -> 0 < norm F (sub x z) <= norm F (sub y z) ->
  Rabs (phi (beta z x) (share F z x) (sub x z) - phi (beta z y) (share F z y) (sub x z)) <= bound e.

Lemma modulus_at_the_shorter_segment x y e : norm F (sub x y) <= e -> norm F (sub x z) <= norm F (sub y z) ->
  Rabs (distance_with F B As (beta z x) z x - distance_with F B As (beta z y) z y) <= Lambda * e + bound e.
Proof.
  intros He Hl.
  change (Rabs (phi (beta z x) (share F z x) (sub z x) - phi (beta z y) (share F z y) (sub z y)) <= Lambda * e + bound e).
  rewrite !(phi_swap _ _ z).
  assert (Pe : 0 <= e) by (eapply Rle_trans; [apply sqrt_pos | exact He]).
  pose proof (bound_nonneg e Pe) as PK.
  pose proof (Rmult_le_pos _ _ Lambda_nonneg Pe).
  assert (Px : 0 <= norm F (sub x z)) by apply sqrt_pos.
  destruct (Rle_lt_or_eq_dec 0 (norm F (sub y z))) as [Py | Ey]; [apply sqrt_pos | |].
  - assert (H1 : Rabs (phi (beta z x) (share F z x) (sub x z) - phi (beta z y) (share F z y) (sub x z)) <= bound e).
    { destruct (Rle_lt_or_eq_dec _ _ Px) as [Q | Q]; [apply (moving_shares x y e He); lra|].
      rewrite !phi_zero by (symmetry; exact Q); rewrite Rminus_0_r, Rabs_R0; exact PK. }
    pose proof (moving_end x y z (beta z y) (share F z y) e He (beta_nonneg z y Py)
      (fun A _ => proj1 (gamma_range F z y (center A) (radius A)))) as H2.
    pose proof (Rmult_le_compat_r e _ _ Pe (Lambda_bounds z y Py)) as H3.
    match type of H1 with Rabs (?a - ?b) <= _ => match type of H2 with Rabs (_ - ?c) <= _ =>
      replace (a - c) with ((a - b) + (b - c)) by ring end end.
    eapply Rle_trans; [apply Rabs_triang | lra].
  - rewrite !phi_zero by lra; rewrite Rminus_0_r, Rabs_R0; lra.
Qed.

Theorem modulus_for_any_background x y e : norm F (sub x y) <= e ->
  Rabs (distance_with F B As (beta x z) x z - distance_with F B As (beta y z) y z) <= Lambda * e + bound e.
Proof.
  intro He; rewrite !(distance_symmetric F B As s_B s beta _ z) by (assumption || apply beta_symmetric).
  destruct (Rle_lt_dec (norm F (sub x z)) (norm F (sub y z))).
  - apply modulus_at_the_shorter_segment; assumption.
  - rewrite Rabs_minus_sym; apply modulus_at_the_shorter_segment; [rewrite norm_swap; assumption | lra].
Qed.
End Modulus.

(** ** The approximate gamma_b *)

(** Moving all shares at once: the slope of max(1 - sum, 0) is some number between -1 and 0. *)
Lemma slope_of_background p q : exists c, 0 <= c <= 1 /\ (p <= 1 -> q <= 1 -> c = 1) /\
  Rmax (1 - p) 0 - Rmax (1 - q) 0 = - c * (p - q).
Proof.
  destruct (Rle_lt_dec p 1); destruct (Rle_lt_dec q 1).
  - exists 1; rewrite !Rmax_left by lra; lra.
  - exists ((1 - p) / (q - p)); rewrite Rmax_left, Rmax_right by lra; repeat split; [| |lra|field; lra].
    + apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
    + apply Rmult_le_reg_r with (q - p); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
  - exists ((1 - q) / (p - q)); rewrite Rmax_right, Rmax_left by lra; repeat split; [| |lra|field; lra].
    + apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
    + apply Rmult_le_reg_r with (p - q); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
  - exists 0; rewrite !Rmax_right by lra; lra.
Qed.

Lemma background_share_symmetric F As x y : 0 < norm F (sub x y) -> background_share F As x y = background_share F As y x.
Proof.
  intro P; unfold background_share; do 2 f_equal; apply sum_ext; intros A _; apply gamma_symmetric; exact P.
Qed.

(** kappa_s need only bound n_s - c n_B for the slopes c that occur: 1 where no sum of shares exceeds 1. *)
Definition bounds_exchange F B (kappa : R) (A : region) (c : R) : Prop :=
  forall u, Rabs (mahalanobis F (metric A) u - c * mahalanobis F B u) <= kappa * norm F u.

Lemma moving_approximate_shares F B As kappa (tau : region -> R) x y z :
  (forall A, In A As -> norm F (sub x z) * Rabs (share F z x A - share F z y A) <= tau A) ->
  (forall A, In A As -> 0 <= kappa A) ->
  (forall A c, In A As -> 0 <= c <= 1 ->
    (sum_over (share F z x) As <= 1 -> sum_over (share F z y) As <= 1 -> c = 1) -> bounds_exchange F B (kappa A) A c) ->
  Rabs (phi F B As (background_share F As z x) (share F z x) (sub x z)
      - phi F B As (background_share F As z y) (share F z y) (sub x z))
  <= sum_over (fun A => kappa A * tau A) As.
Proof.
  intros H K0 K; unfold phi, weighted_lengths, background_share.
  set (n := fun A => mahalanobis F (metric A) (sub x z)); set (n_B := mahalanobis F B (sub x z)).
  set (g := share F z x) in *; set (g' := share F z y) in *.
  destruct (slope_of_background (sum_over g As) (sum_over g' As)) as (c & C & C1 & E).
  replace (_ - _) with (sum_over (fun A => (g A + (-1) * g' A) * (n A - c * n_B)) As).
  2:{ transitivity (sum_over (fun A => (g A * n A + (-1) * (g' A * n A)) + (- (c * n_B)) * (g A + (-1) * g' A)) As).
      - apply sum_ext; intros; ring.
      - rewrite sum_plus, sum_scale, !sum_plus, !sum_scale.
        transitivity ((- c * (sum_over g As - sum_over g' As)) * n_B + (sum_over (fun A => g A * n A) As
          - sum_over (fun A => g' A * n A) As));
          [ring | rewrite <- E; unfold n; ring]. }
  apply sum_abs; intros A I; rewrite Rabs_mult; pose proof (H A I) as G.
  pose proof (K A c I C C1 (sub x z)) as N; fold (n A) n_B in N.
  replace (g A + -1 * g' A) with (g A - g' A) by ring.
  pose proof (Rabs_pos (g A - g' A)).
  apply Rle_trans with (Rabs (g A - g' A) * (kappa A * norm F (sub x z))); [apply Rmult_le_compat_l; assumption|].
  replace (Rabs _ * _) with (kappa A * (norm F (sub x z) * Rabs (g A - g' A))) by ring.
  apply Rmult_le_compat_l; [apply K0, I | exact G].
Qed.

(** kappa_s = max(s(M(A_s)), sup |n_s - n_B|) bounds every exchange. *)
Lemma exchange_constant F B A kappa c : 0 <= c <= 1 ->
  (forall u, mahalanobis F (metric A) u <= kappa * norm F u) ->
  (forall u, Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= kappa * norm F u) -> bounds_exchange F B kappa A c.
Proof.
  intros C K1 K2 u; specialize (K1 u); specialize (K2 u); set (n := mahalanobis F (metric A) u) in *.
  assert (0 <= n) by apply sqrt_pos; set (m := mahalanobis F B u) in *.
  replace (n - c * m) with ((1 - c) * n + c * (n - m)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite !Rabs_mult, (Rabs_pos_eq (1 - c)), (Rabs_pos_eq c), (Rabs_pos_eq n) by lra.
  nra.
Qed.

(** max(s(M(A_s)), s(M(B))) is one such kappa_s. *)
Lemma larger_scale F B A s_A s_B : scale F (metric A) s_A -> scale F B s_B ->
  (forall u, mahalanobis F (metric A) u <= Rmax s_A s_B * norm F u) /\
  (forall u, Rabs (mahalanobis F (metric A) u - mahalanobis F B u) <= Rmax s_A s_B * norm F u).
Proof.
  intros [_ SA] [_ SB]; pose proof (Rmax_l s_A s_B); pose proof (Rmax_r s_A s_B); repeat split; intro u;
    specialize (SA u); specialize (SB u); assert (0 <= norm F u) by apply sqrt_pos;
    assert (0 <= mahalanobis F (metric A) u) by apply sqrt_pos; assert (0 <= mahalanobis F B u) by apply sqrt_pos.
  1: nra.
  apply Rabs_le; split; nra.
Qed.

Lemma bound_is_nonneg As (kappa : region -> R) (tau : region -> R) : (forall A, In A As -> 0 <= kappa A) ->
  (forall A, In A As -> 0 <= tau A) -> 0 <= sum_over (fun A => kappa A * tau A) As.
Proof. intros K T; apply sum_nonneg; intros A I; apply Rmult_le_pos; auto. Qed.

(** Theorem A: tau(e) <= 2 sqrt(2 r e), so the exponent is 1/2. *)
Lemma shell_chord_below_a_root r e : 0 <= r -> 0 <= e -> shell_chord r e <= 2 * sqrt (2 * r * e).
Proof.
  intros Pr Pe; unfold shell_chord; apply Rmult_le_compat_l; [lra|]; apply sqrt_le_1_alt.
  unfold Rmax; destruct Rle_dec; nra.
Qed.
