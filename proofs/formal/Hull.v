(** Theorem B: the metric hull of D, the largest pseudometric below it, for which Lemma 1 holds with the square roots of E5.

    chain_length D x ps y  D(x, p_1) + D(p_1, p_2) + ... + D(p_k, y)
    hull D x y            rho(x, y), the infimum over all finite chains from x to y; for D >= 0
    pseudometric          non-negative, 0 from a point to itself, symmetric, with the triangle inequality
    dissimilarity         the same without the triangle inequality, which is what D has *)
From Coq Require Import Reals Lra Lia Psatz FunctionalExtensionality List.
From LMLIR Require Import Geometry Continuity Classifier Exact.
Import ListNotations.
Open Scope R_scope.

(** ** The infimum over chains, for any D *)

Fixpoint chain_length (D : vector -> vector -> R) (x : vector) (ps : list vector) (y : vector) : R :=
  match ps with nil => D x y | p :: rest => D x p + chain_length D p rest y end.

(** The lower bounds of all chains from x to y; 0 is one of them when D >= 0. *)
Definition below_chains D x y (m : R) : Prop := m = 0 \/ forall ps, m <= chain_length D x ps y.

Lemma below_bounded D x y : bound (below_chains D x y).
Proof.
  exists (Rmax 0 (D x y)); intros m [-> | H]; [apply Rmax_l|].
  eapply Rle_trans; [apply (H nil) | apply Rmax_r].
Qed.

Lemma below_inhabited D x y : exists m, below_chains D x y m.
Proof. exists 0; left; reflexivity. Qed.

Definition hull D x y : R := proj1_sig (completeness (below_chains D x y) (below_bounded D x y) (below_inhabited D x y)).

Definition pseudometric (d : vector -> vector -> R) : Prop :=
  (forall x y, 0 <= d x y) /\ (forall x, d x x = 0) /\ (forall x y, d x y = d y x) /\ (forall x y z, d x z <= d x y + d y z).

(** What is asked of D: all of a pseudometric but the triangle inequality. *)
Definition dissimilarity (d : vector -> vector -> R) : Prop :=
  (forall x y, 0 <= d x y) /\ (forall x, d x x = 0) /\ (forall x y, d x y = d y x).

Section Hull.
Variable D : vector -> vector -> R.
Hypothesis HD : dissimilarity D.

Lemma chain_nonneg x ps y : 0 <= chain_length D x ps y.
Proof.
  destruct HD as (P & _); revert x; induction ps as [|p ps IH]; intro x; simpl; [apply P|].
  pose proof (P x p); specialize (IH p); lra.
Qed.

Lemma chain_append x ps y qs z :
  chain_length D x (ps ++ y :: qs) z = chain_length D x ps y + chain_length D y qs z.
Proof. revert x; induction ps as [|p ps IH]; intro x; simpl; [reflexivity | rewrite IH; ring]. Qed.

Lemma chain_reverse x ps y : chain_length D y (rev ps) x = chain_length D x ps y.
Proof.
  destruct HD as (_ & _ & S); revert x; induction ps as [|p ps IH]; intro x; simpl; [apply S|].
  rewrite chain_append, IH; simpl; rewrite (S p x); ring.
Qed.

(** Theorem B: rho is the infimum of the lengths of the chains. *)
Theorem hull_is_the_infimum x y :
  (forall ps, hull D x y <= chain_length D x ps y) /\
  (forall m, (forall ps, m <= chain_length D x ps y) -> m <= hull D x y).
Proof.
  unfold hull; destruct completeness as [m [U L]]; simpl; split.
  - intro ps; apply L; intros q [-> | H]; [apply chain_nonneg | apply H].
  - intros q H; apply U; right; exact H.
Qed.

Lemma hull_below x ps y : hull D x y <= chain_length D x ps y.
Proof. apply hull_is_the_infimum. Qed.

Lemma hull_greatest x y m : (forall ps, m <= chain_length D x ps y) -> m <= hull D x y.
Proof. apply hull_is_the_infimum. Qed.

Lemma hull_le x y : hull D x y <= D x y.
Proof. apply (hull_below x nil y). Qed.

Lemma hull_symmetric x y : hull D x y = hull D y x.
Proof.
  assert (L : forall u v, hull D u v <= hull D v u).
  { intros u v; apply hull_greatest; intro ps; rewrite <- chain_reverse; apply hull_below. }
  apply Rle_antisym; apply L.
Qed.

Lemma hull_triangle x y z : hull D x z <= hull D x y + hull D y z.
Proof.
  assert (H : hull D x z - hull D y z <= hull D x y); [|lra].
  apply hull_greatest; intro ps.
  assert (K : hull D x z - chain_length D x ps y <= hull D y z); [|lra].
  apply hull_greatest; intro qs; pose proof (hull_below x (ps ++ y :: qs) z) as C; rewrite chain_append in C; lra.
Qed.

(** Theorem B: rho is a pseudometric. *)
Theorem hull_pseudometric : pseudometric (hull D).
Proof.
  assert (P : forall x y, 0 <= hull D x y) by (intros; apply hull_greatest; intro; apply chain_nonneg).
  repeat split; [exact P | | apply hull_symmetric | apply hull_triangle].
  intro x; apply Rle_antisym; [|apply P]; destruct HD as (_ & Z & _); rewrite <- (Z x); apply hull_le.
Qed.

(** Theorem B: no pseudometric below D is larger than rho. *)
Theorem hull_largest d : pseudometric d -> (forall x y, d x y <= D x y) -> forall x y, d x y <= hull D x y.
Proof.
  intros (_ & _ & _ & T) L x y; apply hull_greatest; intro ps.
  revert x; induction ps as [|p ps IH]; intro x; simpl; [apply L|].
  eapply Rle_trans; [apply (T x p y)|]; apply Rplus_le_compat; [apply L | apply IH].
Qed.

(** Theorem B: where D is a pseudometric, rho is D; so the hull of the hull is the hull. *)
Lemma hull_of_a_pseudometric : pseudometric D -> hull D = D.
Proof.
  intro P; extensionality x; extensionality y; apply Rle_antisym; [apply hull_le|].
  apply hull_largest; [exact P | intros; apply Rle_refl].
Qed.

(** Theorem B: a bound on the values of D is one on the slopes of rho, the step of Lemma 1 that fails for D. *)
Theorem hull_lipschitz F Lambda x y z : (forall u v, D u v <= Lambda * norm F (sub u v)) ->
  Rabs (hull D x z - hull D y z) <= Lambda * norm F (sub x y).
Proof.
  intro L; pose proof (hull_triangle x y z) as T1; pose proof (hull_triangle y x z) as T2.
  rewrite (hull_symmetric y x) in T2; pose proof (hull_le x y); specialize (L x y); apply Rabs_le; lra.
Qed.

Lemma norm_pseudometric F mu : 0 <= mu -> pseudometric (fun x y => mu * norm F (sub x y)).
Proof.
  intro P; repeat split.
  - intros; apply Rmult_le_pos; [exact P | apply sqrt_pos].
  - intro x; unfold norm; replace (dot F (sub x x) (sub x x)) with 0; [rewrite sqrt_0; ring|].
    unfold dot, sub; rewrite (total_ext F _ (fun i => 0 * x i)), total_scale by (intro; ring); ring.
  - intros; rewrite norm_swap; reflexivity.
  - intros x y z; rewrite <- Rmult_plus_distr_l; apply Rmult_le_compat_l; [exact P|].
    replace (sub x z) with (fun i => sub x y i + sub y z i) by (extensionality i; unfold sub; ring).
    apply (triangle (dot F) (dot_semi_inner F)).
Qed.

(** Theorem B: a lower bound mu |x - y| of D is one of rho. *)
Theorem hull_lower F mu x y : 0 <= mu -> (forall u v, mu * norm F (sub u v) <= D u v) ->
  mu * norm F (sub x y) <= hull D x y.
Proof. intros P L; apply (hull_largest (fun x y => mu * norm F (sub x y))); [apply norm_pseudometric, P | exact L]. Qed.

(** Theorem B; Equation (10): the classifier on rho is Lipschitz with 2 Lambda, for any D with D <= Lambda |x - y|. *)
Theorem hull_classifier F Lambda X_minus X_plus K x y : (1 <= K)%nat -> (forall u v, D u v <= Lambda * norm F (sub u v)) ->
  let f := decision_value (hull D) X_minus X_plus K in Rabs (f x - f y) <= 2 * Lambda * norm F (sub x y).
Proof.
  intros HK L f; rewrite Rmult_assoc; apply decision_moves; [exact HK | | intro; apply hull_lipschitz, L].
  eapply Rle_trans; [apply Rabs_pos | apply (hull_lipschitz F Lambda x y x L)].
Qed.
End Hull.

(** ** D of equation (9), for any gamma_b *)

Section AnyBackground.
Variables (F : nat) (B : matrix) (As : list region) (s_B : R) (s : region -> R).
Hypothesis PB : positive_semidefinite F B.
Hypothesis SB : scale F B s_B.
Hypothesis PA : forall A, In A As -> admissible F s A.
Variable beta : vector -> vector -> R.
Hypothesis beta_symmetric : forall x y, 0 < norm F (sub x y) -> beta x y = beta y x.
Hypothesis beta_nonneg : forall x y, 0 < norm F (sub y x) -> 0 <= beta x y.
Let D x y := distance_with F B As (beta x y) x y.

Lemma distance_at_zero x y : norm F (sub x y) = 0 -> D x y = 0.
Proof. intro E; apply (phi_zero F B As s_B s SB PA (beta x y) (share F x y) (sub x y) E). Qed.

Lemma norm_of_nothing x : norm F (sub x x) = 0.
Proof. destruct (norm_pseudometric F 1 ltac:(lra)) as (_ & Z & _); specialize (Z x); lra. Qed.

Lemma either_zero x y : norm F (sub x y) = 0 \/ 0 < norm F (sub x y) /\ 0 < norm F (sub y x).
Proof.
  assert (P : 0 <= norm F (sub x y)) by apply sqrt_pos; rewrite (norm_swap F y x).
  destruct (Rle_lt_or_eq_dec _ _ P) as [H | H]; [right; split; exact H | left; symmetry; exact H].
Qed.

Lemma distance_dissimilarity : dissimilarity D.
Proof.
  repeat split.
  - intros x y; destruct (either_zero x y) as [E | [_ P]]; [rewrite distance_at_zero by exact E; lra|].
    apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [apply beta_nonneg, P | apply sqrt_pos]|].
    apply sum_nonneg; intros; apply Rmult_le_pos; [apply gamma_range | apply sqrt_pos].
  - intro x; apply distance_at_zero, norm_of_nothing.
  - intros x y; apply (distance_symmetric F B As s_B s beta); auto.
Qed.

Lemma distance_le Lambda x y : (0 < norm F (sub y x) -> weighted_lengths As (beta x y) (share F x y) s_B s <= Lambda) ->
  D x y <= Lambda * norm F (sub x y).
Proof.
  intro L; destruct (either_zero x y) as [E | [Q P]]; [rewrite distance_at_zero, E by exact E; lra|].
  apply Rle_trans with (weighted_lengths As (beta x y) (share F x y) s_B s * norm F (sub x y)).
  - unfold D, distance_with, weighted_lengths; rewrite Rmult_plus_distr_r; apply Rplus_le_compat.
    + rewrite Rmult_assoc; apply Rmult_le_compat_l; [apply beta_nonneg, P | apply SB].
    + rewrite (Rmult_comm (sum_over _ _)), <- sum_scale; apply sum_le; intros A I; destruct (PA A I) as (_ & _ & _ & S).
      replace (norm F (sub x y) * (share F x y A * s A)) with (share F x y A * (s A * norm F (sub x y))) by ring.
      apply Rmult_le_compat_l; [apply gamma_range | apply S].
  - apply Rmult_le_compat_r; [lra | apply L, P].
Qed.

(** n_M(u) >= mu |u| for all metrics, and all of the segment counted at least once. *)
Lemma distance_ge mu x y : 0 <= mu -> (forall u, mu * norm F u <= mahalanobis F B u) ->
  (forall A u, In A As -> mu * norm F u <= mahalanobis F (metric A) u) ->
  (0 < norm F (sub y x) -> 1 <= beta x y + sum_over (share F x y) As) ->
  mu * norm F (sub x y) <= D x y.
Proof.
  intros Pm MB MA C; destruct (either_zero x y) as [E | [Q P]]; [rewrite distance_at_zero, E by exact E; lra|].
  specialize (C P); set (n := mu * norm F (sub x y)).
  assert (Pn : 0 <= n) by (apply Rmult_le_pos; lra).
  apply Rle_trans with (beta x y * n + sum_over (fun A => share F x y A * n) As).
  - rewrite (sum_ext _ (fun A => n * share F x y A)), sum_scale by (intros; ring); nra.
  - apply Rplus_le_compat; [apply Rmult_le_compat_l; [apply beta_nonneg, P | apply MB]|].
    apply sum_le; intros A I; apply Rmult_le_compat_l; [apply gamma_range | apply MA, I].
Qed.
End AnyBackground.

(** ** Both kinds of gamma_b *)

Section BothKinds.
Variables (F : nat) (B : matrix) (As : list region) (s_B : R) (s : region -> R) (Lambda : R).
Hypothesis PB : positive_semidefinite F B.
Hypothesis SB : scale F B s_B.
Hypothesis PA : forall A, In A As -> admissible F s A.
Hypothesis L : covers_cost F As s_B s Lambda.

Lemma radii A : In A As -> 0 <= radius A.
Proof. intro I; apply (PA A I). Qed.

Lemma approximate_dissimilarity : dissimilarity (distance F B As).
Proof.
  apply (distance_dissimilarity F B As s_B s PB SB PA (background_share F As)).
  - apply background_share_symmetric.
  - intros; apply Rmax_r.
Qed.

Lemma exact_dissimilarity : dissimilarity (exact_distance F B As).
Proof.
  apply (distance_dissimilarity F B As s_B s PB SB PA (exact_background_share F As)).
  - intros; apply exact_symmetric; [exact radii | assumption].
  - intros; apply exact_nonneg; [assumption | exact radii].
Qed.

Lemma approximate_le x y : distance F B As x y <= Lambda * norm F (sub x y).
Proof.
  apply (distance_le F B As s_B s SB PA (background_share F As)); [intros; apply Rmax_r|].
  intro; apply approximate_weighted_scale; [apply SB | assumption | exact radii | exact L].
Qed.

Lemma exact_le x y : exact_distance F B As x y <= Lambda * norm F (sub x y).
Proof.
  apply (distance_le F B As s_B s SB PA (exact_background_share F As));
    [intros; apply exact_nonneg; [assumption | exact radii]|].
  intro; apply exact_weighted_scale; [assumption | exact radii | exact L].
Qed.

(** Theorem B: for the D of equation (9), either gamma_b, rho is Lipschitz with the Lambda of the modulus. *)
Theorem lemma_1_holds_for_the_hull x y z :
  Rabs (hull (distance F B As) x z - hull (distance F B As) y z) <= Lambda * norm F (sub x y) /\
  Rabs (hull (exact_distance F B As) x z - hull (exact_distance F B As) y z) <= Lambda * norm F (sub x y).
Proof.
  split; apply hull_lipschitz;
    [exact approximate_dissimilarity | exact approximate_le | exact exact_dissimilarity | exact exact_le].
Qed.

(** Theorem B; Equation (10): the classifier on the hull of the D of equation (9), either gamma_b. *)
Theorem hull_classifier_lipschitz X_minus X_plus K x y : (1 <= K)%nat ->
  let f := decision_value (hull (distance F B As)) X_minus X_plus K in
  let g := decision_value (hull (exact_distance F B As)) X_minus X_plus K in
  Rabs (f x - f y) <= 2 * Lambda * norm F (sub x y) /\ Rabs (g x - g y) <= 2 * Lambda * norm F (sub x y).
Proof.
  intros HK f g; split; apply hull_classifier; try exact HK;
    [exact approximate_dissimilarity | exact approximate_le | exact exact_dissimilarity | exact exact_le].
Qed.

(** Theorem B: when every metric is at least mu^2 I, rho is at least mu |x - y|. *)
Theorem hull_is_definite mu x y : 0 <= mu -> (forall u, mu * norm F u <= mahalanobis F B u) ->
  (forall A u, In A As -> mu * norm F u <= mahalanobis F (metric A) u) ->
  mu * norm F (sub x y) <= hull (distance F B As) x y /\ mu * norm F (sub x y) <= hull (exact_distance F B As) x y.
Proof.
  intros Pm MB MA; split;
    (apply hull_lower; [apply approximate_dissimilarity || apply exact_dissimilarity | exact Pm | intros u v]).
  - apply (distance_ge F B As s_B s SB PA (background_share F As)); try assumption; [intros; apply Rmax_r|].
    intro P; unfold background_share; pose proof (Rmax_l (1 - sum_over (share F u v) As) 0); lra.
  - apply (distance_ge F B As s_B s SB PA (exact_background_share F As)); try assumption;
      [intros; apply exact_nonneg; [assumption | exact radii]|].
    intro P; pose proof (approximate_le_exact F u v As P radii) as Q; unfold background_share in Q.
    pose proof (Rmax_l (1 - sum_over (share F u v) As) 0); lra.
Qed.
End BothKinds.

(** Theorem B; Lemma 1: with the square roots of E5 the printed constant holds for the hull. *)
Corollary lemma_1_with_square_roots_holds_for_the_hull F B As s_B s x y z :
  positive_semidefinite F B -> scale F B s_B -> (forall A, In A As -> admissible F s A) ->
  Rabs (hull (distance F B As) x z - hull (distance F B As) y z) <= (s_B + sum_over s As) * norm F (sub x y) /\
  Rabs (hull (exact_distance F B As) x z - hull (exact_distance F B As) y z) <= (s_B + sum_over s As) * norm F (sub x y).
Proof.
  intros PB SB PA; apply (lemma_1_holds_for_the_hull F B As s_B s (s_B + sum_over s As) PB SB PA).
  assert (PS : forall A, In A As -> 0 <= s A) by (intros A I; apply (PA A I)).
  pose proof (sum_nonneg s As PS); assert (0 <= s_B) by apply SB; split; [lra | intro p].
  apply Rle_trans with (sum_over s As); [|lra]; apply sum_le; intros A I; specialize (PS A I).
  destruct (in_ball_cases F p (center A) (radius A)) as [E | E]; rewrite E; lra.
Qed.
