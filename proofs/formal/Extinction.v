(** Theorem E: how regions die. A metric that only feels the penalty alpha ||M||_F of (12) loses exactly alpha beta of its
    norm at every step of a descent with rate beta that projects onto the cone of metrics. [Descent.v] shows that a metric
    which no active pair meets feels nothing else.

    nearest_psd F N P     P is a metric nearest to N in the Frobenius norm, choice C2; it is unique for the N below
    penalty_step          one step on the penalty alone: M - beta alpha M / ||M||_F, projected; at M = 0 the quotient is 0
                          (choice C14) *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality.
From LMLIR Require Import Geometry Continuity Matrices Exact.
Open Scope R_scope.

(** ** The projection on the cone *)

Definition nearest_psd F (N P : matrix) : Prop :=
  positive_semidefinite F P /\
  forall Q, positive_semidefinite F Q -> frobenius F (combine N (-1) P) <= frobenius F (combine N (-1) Q).

Lemma nearest_inner F N P Q : nearest_psd F N P -> positive_semidefinite F Q ->
  inner F (combine N (-1) P) (combine N (-1) P) <= inner F (combine N (-1) Q) (combine N (-1) Q).
Proof.
  intros [_ H] PQ; specialize (H Q PQ); rewrite <- !frobenius_square.
  assert (0 <= frobenius F (combine N (-1) P)) by apply sqrt_pos; nra.
Qed.

(** Section 5.2, gradient descent: where M is a difference P - N of two metrics with <P, N> = 0, as of its positive and its
    negative part, the metric nearest to M is P, and no other is (C2). *)
Theorem nearest_of_two_parts F M P N Q : equal F M (combine P (-1) N) -> positive_semidefinite F P ->
  positive_semidefinite F N ->
  inner F P N = 0 -> (nearest_psd F M Q <-> equal F Q P).
Proof.
  intros E HP HN O.
  assert (X : forall R, inner F (combine M (-1) R) (combine M (-1) R)
                = inner F N N + inner F (combine R (-1) P) (combine R (-1) P) + 2 * inner F N R).
  { intro R; transitivity (inner F (combine (combine P (-1) N) (-1) R) (combine (combine P (-1) N) (-1) R)).
    - apply inner_ext; intros i j Hi Hj; unfold combine in *; rewrite E by assumption; reflexivity.
    - rewrite !inner_of_sum, inner_linear, (inner_symmetric F R P), O; ring. }
  assert (XP : inner F (combine M (-1) P) (combine M (-1) P) = inner F N N).
  { rewrite X, (inner_symmetric F N P), O, (inner_of_sum F (-1) P P); ring. }
  split.
  - intro H; pose proof (nearest_inner F M Q P H HP) as L; rewrite XP, X in L.
    pose proof (inner_of_psd F N Q HN (proj1 H)).
    assert (Z : equal F (combine Q (-1) P) (fun _ _ => 0)) by (apply frobenius_zero; lra).
    intros i j Hi Hj; specialize (Z i j Hi Hj); unfold combine in Z; lra.
  - intro EQ; split.
    + split; [intros i j Hi Hj; rewrite !EQ by assumption; apply HP; assumption | intro u].
      replace (form F Q u u) with (form F P u u); [apply HP|].
      unfold form; apply total_ext_below; intros i Hi; f_equal; apply total_ext_below; intros j Hj; rewrite EQ by assumption;
        reflexivity.
    + intros R HR; rewrite (frobenius_ext F (combine M (-1) Q) (combine M (-1) P))
        by (intros i j Hi Hj; unfold combine; rewrite EQ by assumption; reflexivity).
      apply sqrt_le_1_alt; change (inner F (combine M (-1) P) (combine M (-1) P)
        <= inner F (combine M (-1) R) (combine M (-1) R)).
      rewrite XP, X; pose proof (inner_of_psd F N R HN HR); pose proof (inner_nonneg F (combine R (-1) P)); lra.
Qed.

(** Theorem E; Section 5.2, gradient descent: the metric nearest to c M is max(c, 0) M, and no other is. *)
Theorem nearest_to_a_multiple F c M P : positive_semidefinite F M ->
  nearest_psd F (times c M) P <-> equal F P (times (Rmax c 0) M).
Proof.
  intro HM; apply nearest_of_two_parts with (N := times (Rmax (- c) 0) M); try (apply times_psd; [apply Rmax_r | exact HM]).
  - assert (E : Rmax c 0 - Rmax (- c) 0 = c) by (unfold Rmax; repeat destruct Rle_dec; lra).
    intros i j _ _; unfold times, combine; rewrite <- E at 1; ring.
  - assert (Z : Rmax c 0 * Rmax (- c) 0 = 0) by (unfold Rmax; repeat destruct Rle_dec; nra).
    rewrite inner_times, inner_times_right, <- Rmult_assoc, Z; ring.
Qed.

(** ** The descent on the penalty alone *)

(** Section 5.2, shrinkage: the gradient of ||M||_F is M / ||M||_F (E4): the derivative along every direction N. *)
Theorem frobenius_gradient F M N : 0 < frobenius F M ->
  derivable_pt_lim (fun t => frobenius F (combine M t N)) 0 (inner F (times (/ frobenius F M) M) N).
Proof.
  intro P; rewrite inner_times.
  assert (E : (fun t => frobenius F (combine M t N)) = comp sqrt (fun t => inner F M M + 2 * t * inner F M N
    + t * t * inner F N N)).
  { extensionality t; unfold comp; rewrite <- inner_of_sum; reflexivity. }
  assert (Q : 0 < inner F M M) by (rewrite <- frobenius_square; nra).
  replace (/ frobenius F M * inner F M N) with (/ (2 * sqrt (inner F M M)) * (2 * inner F M N))
    by (change (frobenius F M) with (sqrt (inner F M M)) in *; field; lra).
  rewrite E; apply derivable_pt_lim_comp.
  - intros eps He; set (a := inner F M M); set (b := inner F M N); set (d := inner F N N).
    assert (Pd : 0 <= d) by apply inner_nonneg.
    assert (Pr : 0 < eps / (d + 1)) by (apply Rmult_lt_0_compat; [exact He | apply Rinv_0_lt_compat; lra]).
    exists (mkposreal _ Pr); simpl; intros h Nh Hh.
    replace ((a + 2 * (0 + h) * b + (0 + h) * (0 + h) * d - (a + 2 * 0 * b + 0 * 0 * d)) / h - 2 * b) with (h * d) by (field;
      exact Nh).
    rewrite Rabs_mult, (Rabs_pos_eq d) by exact Pd; pose proof (Rabs_pos h).
    apply Rmult_lt_compat_r with (r := d + 1) in Hh; [|lra]; unfold Rdiv in Hh; rewrite Rmult_assoc, Rinv_l in Hh by lra; nra.
  - replace (inner F M M + 2 * 0 * inner F M N + 0 * 0 * inner F N N) with (inner F M M) by ring.
    apply derivable_pt_lim_sqrt, Q.
Qed.

Definition penalty_step F alpha beta (M M' : matrix) : Prop :=
  nearest_psd F (combine M (- (beta * alpha)) (times (/ frobenius F M) M)) M'.

(** Theorem E: one step takes alpha beta from the norm, or what is left of it, and keeps the direction. *)
Theorem one_penalty_step F alpha beta M M' : 0 <= alpha * beta -> positive_semidefinite F M -> penalty_step F alpha beta M M' ->
  equal F M' (times (Rmax (1 - alpha * beta / frobenius F M) 0) M) /\
  frobenius F M' = Rmax (frobenius F M - alpha * beta) 0.
Proof.
  intros Pab HM H; unfold penalty_step in H.
  replace (combine M (- (beta * alpha)) (times (/ frobenius F M) M)) with (times (1 - alpha * beta / frobenius F M) M) in H
    by (extensionality i; extensionality j; unfold combine, times, Rdiv; ring).
  apply (nearest_to_a_multiple F _ M M' HM) in H; rename H into E; split; [exact E|].
  rewrite (frobenius_ext F _ _ E), frobenius_times, Rabs_pos_eq by apply Rmax_r.
  assert (P : 0 <= frobenius F M) by apply sqrt_pos.
  destruct (Rle_lt_or_eq_dec _ _ P) as [L | Z].
  - rewrite (Rmult_comm (Rmax _ _)), <- RmaxRmult by exact P; f_equal; field; lra.
  - rewrite <- Z, Rmult_0_r, Rmax_right by lra; reflexivity.
Qed.

(** Theorem E: there is such a step from every metric. *)
Lemma penalty_step_exists F alpha beta M : positive_semidefinite F M -> exists M', penalty_step F alpha beta M M'.
Proof.
  intro HM; exists (times (Rmax (1 - alpha * beta / frobenius F M) 0) M); unfold penalty_step.
  replace (combine M (- (beta * alpha)) (times (/ frobenius F M) M)) with (times (1 - alpha * beta / frobenius F M) M)
    by (extensionality i; extensionality j; unfold combine, times, Rdiv; ring).
  apply (nearest_to_a_multiple F _ M _ HM); intros i j _ _; reflexivity.
Qed.

(** Theorem E: after k steps the norm is max(||M||_F - k alpha beta, 0), and the direction has never changed. *)
Theorem extinction F alpha beta (M : nat -> matrix) k : 0 <= alpha * beta -> positive_semidefinite F (M O) ->
  (forall j, (j < k)%nat -> penalty_step F alpha beta (M j) (M (S j))) ->
  frobenius F (M k) = Rmax (frobenius F (M O) - INR k * (alpha * beta)) 0 /\
  exists c, 0 <= c <= 1 /\ equal F (M k) (times c (M O)).
Proof.
  intros Pab H0; induction k as [|k IH]; intro St.
  - assert (0 <= frobenius F (M O)) by apply sqrt_pos; simpl; rewrite Rmax_left by lra; split; [ring|].
    exists 1; split; [lra | intros i j _ _; unfold times; ring].
  - destruct IH as [N (c & C & E)]; [intros j Hj; apply St; lia|].
    assert (HP : positive_semidefinite F (M k)) by (destruct k as [|k]; [exact H0 | apply (St k); lia]).
    destruct (one_penalty_step F alpha beta (M k) (M (S k)) Pab HP (St k ltac:(lia))) as [E1 N1]; split.
    + rewrite N1, N, S_INR; unfold Rmax; repeat destruct Rle_dec; lra.
    + set (d := Rmax (1 - alpha * beta / frobenius F (M k)) 0) in *.
      assert (D : 0 <= d <= 1).
      { split; [apply Rmax_r | apply Rmax_lub; [|lra]].
        assert (P : 0 <= frobenius F (M k)) by apply sqrt_pos.
        assert (0 <= alpha * beta / frobenius F (M k)); [|lra].
        destruct (Rle_lt_or_eq_dec _ _ P) as [L | Z].
        - apply Rmult_le_pos; [exact Pab | left; apply Rinv_0_lt_compat, L].
        - unfold Rdiv; rewrite <- Z, Rinv_0; lra. }
      exists (d * c); split; [nra | intros i j Hi Hj].
      rewrite E1 by assumption; unfold times; rewrite E by assumption; unfold times; ring.
Qed.

(** Theorem E: the metric is 0 after ||M||_F / (alpha beta) steps, rounded up. *)
Corollary dead_after F alpha beta (M : nat -> matrix) k : 0 <= alpha * beta -> positive_semidefinite F (M O) ->
  (forall j, (j < k)%nat -> penalty_step F alpha beta (M j) (M (S j))) ->
  frobenius F (M O) <= INR k * (alpha * beta) -> equal F (M k) (fun _ _ => 0).
Proof.
  intros Pab H0 St L; destruct (extinction F alpha beta M k Pab H0 St) as [E _].
  rewrite Rmax_right in E by lra; apply frobenius_zero; rewrite <- frobenius_square, E; lra.
Qed.

(** Theorem E; Equation (9): a pair whose segment has no share of a ball does not depend on its metric. *)
Lemma unmet_metric_does_not_count F B As o r M M' x y : gamma F x y o r = 0 ->
  distance F B (Region o r M :: As) x y = distance F B (Region o r M' :: As) x y /\
  exact_distance F B (Region o r M :: As) x y = exact_distance F B (Region o r M' :: As) x y.
Proof.
  intro G; assert (E : forall g_b, distance_with F B (Region o r M :: As) g_b x y
    = distance_with F B (Region o r M' :: As) g_b x y).
  { intro g_b; unfold distance_with, weighted_lengths; simpl.
    change (share F x y (Region o r M)) with (gamma F x y o r); change (share F x y (Region o r M')) with (gamma F x y o r).
    rewrite G; ring. }
  split; apply E.
Qed.
